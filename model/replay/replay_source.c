/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_source.h"

#include "engine/order.h"

/* Reads the next packet, and sets the timer for it. One whose time is past comes a picosecond after the one
 * before it: what is held between them is seen. */
static void set_next(replay_source *source, time_ps now)
{
  /* replay_profile has noted where the capture is broken */
  if (!capture_source_next(source->capture, &source->segment, &source->is_segment, NULL)) {
    source->events.ended(source->user, now);
    return;
  }
  int64_t time_ns = source->segment.time_ns;
  time_ps own = time_ns * TIME_PS_PER_NANOSECOND;
  source->backward += time_ns < source->latest_ns;
  source->late_ns = MAX(source->late_ns, source->latest_ns - time_ns);
  source->latest_ns = MAX(source->latest_ns, time_ns);
  engine_timer_set(source->timer,
                   own < source->last ? source->last + 1 : MAX(own, source->last + source->apart));
}

static void on_due(void *user, time_ps now)
{
  replay_source *source = user;

  source->last = now;
  if (source->is_segment) {
    source->events.segment(source->user, capture_source_flow(source->capture, source->segment.flow),
                           &source->segment, now);
  } else {
    uint32_t octets;
    const uint8_t *ip = capture_source_ip(source->capture, &octets);
    datagram *packet = datagram_read_copy(ip, octets); /* as it was on the wire */
    if (packet) {
      source->events.fragment(source->user, packet, now);
    }
  }
  set_next(source, now);
}

replay_source *replay_source_new(capture_source *capture, bool coarse, engine *clock,
                                 const replay_source_events *events, void *user)
{
  replay_source *source = g_new0(replay_source, 1);

  source->capture = capture;
  source->apart = coarse ? 1 : 0;
  source->timer = engine_timer_new(clock, ENGINE_ARRIVAL, ORDER_CAPTURE, 0, on_due, source);
  source->events = *events;
  source->user = user;
  source->last = -source->apart;
  set_next(source, 0);
  return source;
}

void replay_source_free(replay_source *source)
{
  if (source) {
    engine_timer_free(source->timer);
    g_free(source);
  }
}

/* --- Captured segments as datagrams --- */

/* With any headers it is a packet. */
enum { PART_OCTETS = UINT16_MAX - DATAGRAM_HEADER_MAX_OCTETS - IPV6_FRAGMENT_HEADER_OCTETS };

datagram *replay_packet_of(const capture_flow *flow, const capture_segment *segment, uint32_t *from)
{
  uint32_t length = MIN(segment->payload_octets - *from, (uint32_t)PART_OCTETS);
  bool is_last = *from + length == segment->payload_octets;
  const capture_end *source = &flow->ends[segment->from];
  const capture_end *destination = &flow->ends[!segment->from];
  tcp_header header; /* as far as a receiver heeds it */
  buffer_chain payload;

  tcp_header_begin(&header);
  header.source_port = source->port;
  header.destination_port = destination->port;
  header.sequence = segment->sequence + *from;
  header.acknowledgement = segment->acknowledgement;
  header.window = segment->window;
  header.flags = is_last ? segment->flags : segment->flags & (uint8_t) ~(TCP_FIN | TCP_PSH);
  header.has_timestamps = segment->has_timestamps;
  header.timestamp_value = segment->timestamp_value;
  buffer_chain_init(&payload);
  buffer_chain_append_copy(&payload, length > 0 ? segment->payload + *from : NULL, length);
  *from += length;
  datagram *packet = datagram_new_in(NULL, &source->address, &destination->address, &header, &payload);
  buffer_chain_clear(&payload);
  datagram_set_ecn(packet, (datagram_ecn)segment->ecn);
  if (segment->checksum == CAPTURE_CHECKSUM_WRONG) {
    datagram_carry_checksum(packet); /* that it would have, with a bit turned */
    packet->header[packet->ip_octets + TCP_CHECKSUM_AT] ^= 1;
  }
  return packet;
}
