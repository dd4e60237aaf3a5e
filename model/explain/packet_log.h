/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets with payload of one direction of one connection, and what became of them: those that a trace
 * shows, as long as octets of them may be missing at the receiver. */
#pragma once

#include <stdbool.h>

#include "trace/trace_reader.h"

typedef enum packet_fate {
  FATE_NONE,
  FATE_DROPPED, /* by the path, at `place` */
  FATE_LATE,    /* `place` sent it late */
  FATE_SPOILT,  /* `place` damaged it, and TCP dropped it because of its checksum */
  FATE_REFUSED, /* the endpoint dropped it because of `place`: "memory" … */
} packet_fate;

typedef struct logged_packet {
  guint64 number;
  guint64 segment;  /* of the segments with payload that the connection's sender has sent, from 1; 0: none */
  guint64 from, to; /* in the stream */
  time_ps sent;
  const char *maker; /* the element that made it; NULL: the sender */
  bool again;        /* it has octets that were sent before */
  const char *why;   /* … because of this; or NULL */
  packet_fate fate;
  const char *place;
  time_ps at;         /* of its fate */
  time_ps damaged_at; /* 0: it was not */
  const char *damager;
} logged_packet;

/* Where a sequence number lies in the stream. A proxy has TCP connections of its own. */
typedef struct sequence_base {
  bool known;
  guint64 position;
  uint32_t sequence; /* of it */
} sequence_base;

typedef struct packet_log {
  uint32_t connection;
  enum side sender;
  GPtrArray *packets; /* of logged_packet, in the order in which they were made */
  guint64 segments;
  sequence_base sender_base, proxy_base;
  guint64 proxy_next; /* what the proxy has not sent before */
  const char *why;    /* it would send again now; NULL: no reason is known */
} packet_log;

packet_log packet_log_new(uint32_t connection, enum side sender);
void packet_log_clear(packet_log *log);

/* The next event of the trace; nothing below `needed` will be asked for any more. */
void packet_log_add(packet_log *log, const trace_event *event, guint64 needed);

/* The packets that have the octet at `position`, in that order: of logged_packet *, which
 * stay the log's. Free with g_ptr_array_unref(). */
GPtrArray *packet_log_find(const packet_log *log, guint64 position);
