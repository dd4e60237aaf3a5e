/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/packet_log.h"

#include <stdlib.h>
#include <string.h>

static const char PROXY[] = "proxy";

packet_log packet_log_new(uint32_t connection, enum side sender)
{
  return (packet_log){
      .connection = connection, .sender = sender, .packets = g_ptr_array_new_with_free_func(g_free)};
}

void packet_log_clear(packet_log *log)
{
  g_ptr_array_unref(log->packets);
}

/* The packet with this number; NULL: none. */
static logged_packet *find(const packet_log *log, guint64 number)
{
  guint from = 0, to = log->packets->len;

  while (from < to) { /* numbers ascend */
    const guint middle = from + (to - from) / 2;
    logged_packet *packet = log->packets->pdata[middle];
    if (packet->number == number) {
      return packet;
    }
    from = packet->number < number ? middle + 1 : from;
    to = packet->number < number ? to : middle;
  }
  return NULL;
}

/* Forgets what is at the front and below `needed`. */
static void forget(packet_log *log, guint64 needed)
{
  guint past = 0;

  while (past < log->packets->len && ((const logged_packet *)log->packets->pdata[past])->to <= needed) {
    past++;
  }
  if (past > log->packets->len / 2) {
    g_ptr_array_remove_range(log->packets, 0, past);
  }
}

static logged_packet *log_packet(packet_log *log, const trace_event *event, guint64 from, guint64 octets)
{
  logged_packet *packet = g_new0(logged_packet, 1);

  packet->number = event->packet;
  packet->from = from;
  packet->to = from + octets;
  packet->sent = event->time;
  g_ptr_array_add(log->packets, packet);
  return packet;
}

static void log_sent(packet_log *log, const trace_event *event)
{
  const guint64 position = TRACE_VALUE(event, SEGMENT_SENT, position);
  const guint64 octets = TRACE_VALUE(event, SEGMENT_SENT, payload_octets);

  log->sender_base = (sequence_base){true, position, (uint32_t)TRACE_VALUE(event, SEGMENT_SENT, sequence)};
  if (octets > 0) {
    logged_packet *packet = log_packet(log, event, position, octets);
    packet->segment = ++log->segments;
    packet->again = TRACE_VALUE(event, SEGMENT_SENT, again) > 0;
    packet->why = log->why;
  }
}

static int64_t distance_of(const sequence_base *base, uint32_t sequence)
{
  return base->known ? (int32_t)(sequence - base->sequence) : INT64_MAX;
}

/* TCP payload that a middlebox made: of the sender's connection, or of the proxy's. */
static void log_piece(packet_log *log, const trace_event *event, const char *maker)
{
  const uint32_t sequence = (uint32_t)TRACE_VALUE(event, PACKET_MADE, sequence);
  const guint64 octets = TRACE_VALUE(event, PACKET_MADE, payload_octets);
  const int64_t of_sender = distance_of(&log->sender_base, sequence);
  const int64_t of_proxy = distance_of(&log->proxy_base, sequence);
  const bool is_proxys = llabs(of_proxy) < llabs(of_sender);
  const sequence_base *base = is_proxys ? &log->proxy_base : &log->sender_base;
  const guint64 position = base->position + (guint64)(is_proxys ? of_proxy : of_sender);

  if (octets == 0 || octets > G_MAXUINT32 || position > G_MAXINT64) {
    return;
  }
  logged_packet *piece = log_packet(log, event, position, octets);
  piece->maker = maker;
  if (strcmp(maker, PROXY) == 0) {
    piece->again = position < log->proxy_next;
    log->proxy_next = MAX(log->proxy_next, piece->to);
    log->proxy_base = (sequence_base){true, position, sequence};
  }
}

/* What a middlebox or a router made; a fragment counts as the whole datagram, which is lost with it. */
static void log_made(packet_log *log, const trace_event *event)
{
  const guint64 of = TRACE_VALUE(event, PACKET_MADE, fragment_of);
  const logged_packet *whole = find(log, of);
  const char *maker = TRACE_TEXT(event, PACKET_MADE, place);

  if (whole) {
    log_packet(log, event, whole->from, whole->to - whole->from)->maker = maker;
  } else if (!log->proxy_base.known && strcmp(maker, PROXY) == 0) { /* its SYN */
    log->proxy_base = (sequence_base){true, 0, (uint32_t)TRACE_VALUE(event, PACKET_MADE, sequence) + 1};
  } else if (of == 0) {
    log_piece(log, event, maker);
  }
}

static void set_fate(logged_packet *packet, const trace_event *event, packet_fate fate, const char *place)
{
  packet->fate = fate;
  packet->place = place;
  packet->at = event->time;
}

/* What becomes of a packet of the log. */
static void log_fate(logged_packet *packet, const trace_event *event)
{
  switch (event->id) {
  case TRACE_PACKET_DROPPED:
    set_fate(packet, event, FATE_DROPPED, TRACE_TEXT(event, PACKET_DROPPED, place));
    break;
  case TRACE_PACKET_DISPLACED:
    set_fate(packet, event, FATE_LATE, TRACE_TEXT(event, PACKET_DISPLACED, place));
    break;
  case TRACE_PACKET_DAMAGED:
    packet->damager = TRACE_TEXT(event, PACKET_DAMAGED, place);
    packet->damaged_at = event->time;
    break;
  case TRACE_CHECKSUM_ERROR:
    set_fate(packet, event, FATE_SPOILT, packet->damager);
    break;
  case TRACE_SEGMENT_REFUSED:
    set_fate(packet, event, FATE_REFUSED, TRACE_TEXT(event, SEGMENT_REFUSED, why));
    break;
  default:
    break;
  }
}

/* Why the sender may send again from here on. */
static void log_reason(packet_log *log, const trace_event *event)
{
  if (event->id == TRACE_TIME_OUT) {
    log->why = "after a time-out";
  } else if (event->id == TRACE_RECOVERY_ENTERED) {
    log->why = "in fast recovery";
  } else if (event->id == TRACE_PROBE_SENT) {
    log->why = "as a probe";
  } else if (event->id == TRACE_RECOVERY_LEFT) {
    log->why = NULL;
  }
}

void packet_log_add(packet_log *log, const trace_event *event, guint64 needed)
{
  if (event->connection != log->connection) {
    return;
  }
  logged_packet *packet = find(log, event->packet);
  if (packet) {
    log_fate(packet, event);
  }
  if (event->side != log->sender) {
    return;
  }
  log_reason(log, event);
  if (event->id == TRACE_SEGMENT_SENT) {
    log_sent(log, event);
  } else if (event->id == TRACE_PACKET_MADE) {
    log_made(log, event);
  }
  forget(log, needed);
}

GPtrArray *packet_log_find(const packet_log *log, guint64 position)
{
  GPtrArray *found = g_ptr_array_new();

  for (guint i = 0; i < log->packets->len; i++) {
    logged_packet *packet = log->packets->pdata[i];
    if (packet->from <= position && position < packet->to) {
      g_ptr_array_add(found, packet);
    }
  }
  return found;
}
