/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a stream see its inside here: rdmap_stream.c (making, what goes out, its ends),
 * rdmap_stream_incoming.c (what comes in). */
#pragma once

#include <glib.h>

#include "rdmap/rdmap_responder.h"
#include "rdmap/rdmap_send_queue.h"
#include "rdmap/rdmap_stream.h"

/* This is what the segmenter was given last. */
typedef enum message_kind {
  MESSAGE_NONE,
  MESSAGE_OPERATION,
  MESSAGE_RESPONSE,
  MESSAGE_RTR,
  MESSAGE_TERMINATE,
} message_kind;

/* This is where the ULPDU pulled last stands. */
typedef enum framing {
  FRAMING_NONE,    /* framed, or none pulled yet */
  FRAMING_SEGMENT, /* its end is not known yet */
  FRAMING_LAST,    /* the same, and it ends its message */
} framing;

/* Of the Read that is an RTR indication, in place of a number of rdmap_send_queue. */
static const uint64_t number_of_rtr = UINT64_MAX;

/* RDMAP's own messages, which most streams never have. */
typedef struct own_messages {
  rdmap_read_request request; /* of the Read that is started */
  /* Of the Read or Atomic Request, Immediate Data or Terminate that is started. */
  uint8_t payload[RDMAP_TERMINATE_MAX_OCTETS];
  rdmap_terminate terminate; /* what ended the stream */
  uint8_t terminate_buffer[RDMAP_TERMINATE_MAX_OCTETS];
  rdmap_reads *reads;        /* NULL: no request was sent yet */
  uint8_t *atomic_responses; /* buffers of QN 3, ORD of them; NULL: none was needed yet */
} own_messages;

struct rdmap_stream {
  rdmap_config config;
  const rdmap_stream_events *events;
  void *user;
  own_messages *own; /* NULL until one is needed */

  message_kind message : 8;
  framing framing : 8;
  uint8_t version;          /* of the generation's RDMAP */
  bool has_extensions : 1;  /* its generation: those of RFC 7306 */
  bool is_closed : 1;       /* the ULP has asked for the graceful end: no more operations (DDP-126) */
  bool peer_has_closed : 1; /* the peer's direction has ended gracefully */
  bool is_lost : 1;         /* the LLP stream is gone: nothing more goes out */
  bool is_terminated : 1;
  bool terminate_due : 1;    /* own->terminate goes out next */
  bool may_get_rtr_send : 1; /* as its first ULPDU */

  /* Sending */
  rdmap_opcode operation : 8;   /* of the message, which is one */
  ddp_segmenter *segmenter;     /* NULL: no message was started yet */
  rdmap_send_queue *operations; /* NULL: none is posted */
  rdmap_responder *responder;   /* NULL: no Read or Atomic Request came yet */

  /* Receiving */
  ddp_untagged_queue *queues[RDMAP_QUEUES]; /* NULL: nothing came or was posted for it yet */
  ddp_placer *placer;                       /* NULL: no segment came yet */
};

static inline bool is_idle(const rdmap_stream *stream)
{
  return !stream->segmenter || !stream->segmenter->busy;
}

static inline own_messages *own_of(rdmap_stream *stream)
{
  if (!stream->own) {
    stream->own = g_new0(own_messages, 1);
  }
  return stream->own;
}

static inline uint32_t open_reads(const rdmap_stream *stream)
{
  const rdmap_reads *reads = stream->own ? stream->own->reads : NULL;
  return reads ? (uint32_t)reads->open.count : 0;
}

static inline uint32_t pending_requests(const rdmap_stream *stream)
{
  return stream->responder ? stream->responder->count : 0;
}

/* Ends the stream; only the first reason counts (rdmap-00 §9.1 case 4, RDMAP-236). */
void rdmap_stream_end(rdmap_stream *stream, const rdmap_terminate *terminate, bool by_peer, time_ps now);

/* The operations at the front that are done are complete, in the order posted (RDMAP-196). The handler may
 * post. */
void rdmap_stream_complete(rdmap_stream *stream, time_ps now);

/* The Reads and Atomics open; made when they are needed first. */
rdmap_reads *rdmap_stream_reads_of(rdmap_stream *stream);
