/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_wire.h"

typedef struct travelling {
  time_ps due;
  uint64_t order;
  bool is_stray;
  datagram *packet;
} travelling;

/* One direction, and what its sender can know. */
typedef struct direction {
  GArray *underway; /* of travelling, by arrival */
  time_ps free_at;
  tcp_wire_counts counts;
  uint64_t highest;      /* sent */
  uint64_t acknowledged; /* reported to the sender … */
  range_set *sacked;
  uint64_t window_edge;
  uint8_t window_scale; /* of the windows that it gets */
  bool window_scaling;
  uint64_t timeouts;
} direction;

struct tcp_wire {
  tcp_fixture *fixture;
  time_ps delay_ps;
  time_ps spacing_ps;
  tcp_wire_faults faults;
  uint64_t order;
  direction way[TCP_FIXTURE_ENDS];
};

tcp_wire *tcp_wire_new(tcp_fixture *f, time_ps delay_ps, time_ps spacing_ps, const tcp_wire_faults *faults)
{
  tcp_wire *wire = g_new0(tcp_wire, 1);
  wire->fixture = f;
  wire->delay_ps = delay_ps;
  wire->spacing_ps = spacing_ps;
  wire->faults = *faults;
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    const tcp_connection *connection = tcp_connection_of(f->end[i].connection);
    wire->way[i] = (direction){.underway = g_array_new(FALSE, FALSE, sizeof(travelling)),
                               .sacked = range_set_new(),
                               .highest = f->end[i].base,
                               .acknowledged = f->end[i].base,
                               .window_edge = connection->sender.window_edge,
                               .window_scale = connection->send_scale,
                               .window_scaling = connection->window_scaling};
  }
  return wire;
}

void tcp_wire_free(tcp_wire *wire)
{
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    for (guint j = 0; j < wire->way[i].underway->len; j++) {
      datagram_unref(g_array_index(wire->way[i].underway, travelling, j).packet);
    }
    g_array_free(wire->way[i].underway, TRUE);
    range_set_free(wire->way[i].sacked);
  }
  g_free(wire);
}

static bool happens(const tcp_wire *wire, double probability)
{
  return wire->faults.random && random_stream_chance(wire->faults.random, probability);
}

static int64_t position_of(const tcp_wire *wire, unsigned end, uint32_t sequence, uint64_t near)
{
  return tcp_position_of(sequence, wire->fixture->end[end].config.isn, (int64_t)near);
}

/* A smaller MTU cut segments, and a larger one has them joined when they are sent again: one of the pieces
 * may still come. */
static bool joins(const tcp_fixture_end *sender)
{
  return sender->config.retransmission == TCP_RETRANSMISSION_REPACKETIZE &&
         (sender->link_changed || sender->connection->gauges.statistics->path_mtu_changes > 0);
}

/* RFC 9293 §3.8.6: nothing beyond the window that was offered; RFC 6675 §4, RFC 8985 §6 and §7.3, RFC 2018
 * §5: nothing again that is SACKed, nor a segment of which that is true as a whole where the path cuts or the
 * sender joins. */
static void check_departure(tcp_wire *wire, unsigned from, const datagram *packet, const tcp_header *header)
{
  direction *way = &wire->way[from];
  if (packet->payload.length == 0) {
    way->counts.lone_fins += header->flags & TCP_FIN ? 1 : 0;
    return;
  }
  uint64_t position = (uint64_t)position_of(wire, from, header->sequence, way->highest);
  uint64_t end = position + packet->payload.length;
  bool again = position < way->highest;
  g_assert_cmpuint(end, <=, way->window_edge);
  g_assert_true(packet->retransmission == again);
  g_assert_cmpuint(position, <=, way->highest);
  g_assert_cmpuint(position, >=, way->acknowledged);
  uint64_t sacked = range_set_covered(way->sacked, position, end);
  bool in_parts = wire->faults.cuts > 0 || joins(&wire->fixture->end[from]);
  g_assert_true(sacked == 0 || (in_parts && sacked < end - position));
  way->highest = MAX(way->highest, end);
}

/* RFC 9293 §3.10.7.4 has an ACK passed over that is below SND.UNA, or in a segment with nothing in the
 * window. */
static bool heeds(const tcp_wire *wire, unsigned to, const datagram *packet, const tcp_header *header)
{
  const tcp_fixture_end *end = &wire->fixture->end[to];
  const direction *way = &wire->way[to];
  int64_t next = (int64_t)end->connection->gauges.in_order_edge + (end->finished ? 1 : 0);
  int64_t position = position_of(wire, !to, header->sequence, (uint64_t)next);
  int64_t acknowledged = position_of(wire, to, header->acknowledgement, way->acknowledged);
  int64_t length = packet->payload.length + (header->flags & TCP_FIN ? 1 : 0);
  bool old = length == 0 ? position < next : position + length <= next;
  return header->flags & TCP_SYN || !(acknowledged < (int64_t)way->acknowledged || old || end->closed);
}

/* This is what a packet with `header` reports to end `to`, which heeds it. */
static void note_acknowledgement(tcp_wire *wire, unsigned to, const tcp_header *header)
{
  direction *way = &wire->way[to];
  if (header->flags & TCP_SYN) {
    way->window_scaling = header->has_window_scale;
    way->window_scale = header->window_scale;
    way->window_edge = MAX(way->window_edge, header->window);
    return;
  }
  int64_t acknowledged = position_of(wire, to, header->acknowledgement, way->acknowledged);
  uint64_t window = (uint64_t)header->window << (way->window_scaling ? way->window_scale : 0);
  way->acknowledged = MIN((uint64_t)acknowledged, way->highest);
  way->window_edge = MAX(way->window_edge, (uint64_t)acknowledged + window);
  for (unsigned i = 0; i < header->sack_count; i++) {
    int64_t block = position_of(wire, to, header->sack[i].from, way->acknowledged);
    int64_t block_end = position_of(wire, to, header->sack[i].to, way->acknowledged);
    if (block > acknowledged && block < block_end) {
      range_set_add(way->sacked, (uint64_t)block, (uint64_t)block_end);
    }
  }
}

static void send_off(tcp_wire *wire, unsigned from, datagram *packet, bool is_stray)
{
  direction *way = &wire->way[from];
  way->free_at = MAX(way->free_at, wire->fixture->now) + wire->spacing_ps;
  travelling item = {
      .due = way->free_at + wire->delay_ps, .order = wire->order++, .is_stray = is_stray, .packet = packet};
  if (happens(wire, wire->faults.lateness)) {
    item.due += (time_ps)random_stream_below(wire->faults.random, (uint64_t)(4 * wire->delay_ps));
    way->counts.late += 1;
  }
  guint index = way->underway->len;
  while (index > 0 && g_array_index(way->underway, travelling, index - 1).due > item.due) {
    index--;
  }
  g_array_insert_val(way->underway, index, item);
}

/* Returns whether the path is too narrow for `packet`, which end `from` has sent. */
static bool is_too_big(tcp_wire *wire, unsigned from, const datagram *packet)
{
  uint32_t mtu_octets = wire->faults.narrow_mtu_octets;
  uint64_t sent = wire->way[from].highest - wire->fixture->end[from].base;
  if (mtu_octets == 0 || sent < wire->faults.narrow_from || datagram_octets(packet) <= mtu_octets) {
    return false;
  }
  if (!wire->faults.is_silent) {
    ip_address router = ip_header_source(packet->header); /* any of that version */
    g_autoptr(datagram) message = datagram_new_too_big(&router, packet, mtu_octets);
    hand_over(wire->fixture, !from, message);
  }
  return true;
}

/* Octets [from, to) of what `packet` carries, as a segment of its own, `away` from where they belong. */
static datagram *part_of(const datagram *packet, uint32_t from, uint32_t to, uint32_t away)
{
  const ip_address source = ip_header_source(packet->header);
  const ip_address destination = ip_header_destination(packet->header);
  tcp_header header;
  buffer_chain payload = {0};
  g_assert_true(datagram_tcp_header(packet, &header));
  header.sequence += from + away;
  header.flags &= to < packet->payload.length ? (uint8_t) ~(TCP_FIN | TCP_PSH) : UINT8_MAX;
  buffer_chain_append_chain(&payload, &packet->payload, from, to - from);
  return datagram_new_in(NULL, &source, &destination, &header, &payload);
}

/* CE, or with `wild_marks` anything. */
static void mark(tcp_wire *wire, datagram *packet, const tcp_header *header)
{
  enum { FLAGS_AT = 13 };
  random_stream *random = wire->faults.random;
  if (wire->faults.wild_marks && !(header->flags & TCP_SYN)) {
    datagram_set_ecn(packet, (datagram_ecn)random_stream_below(random, 4));
    packet->header[packet->ip_octets + FLAGS_AT] ^= random_stream_next(random) & (TCP_ECE | TCP_CWR);
  } else if (datagram_ecn_of(packet) == DATAGRAM_ECN_ECT_0 && happens(wire, wire->faults.mark)) {
    datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  }
}

static void pick_up_from(tcp_wire *wire, unsigned from)
{
  const tcp_wire_faults *faults = &wire->faults;
  direction *way = &wire->way[from];
  while (on_wire(wire->fixture, from) > 0) {
    g_autoptr(datagram) packet = g_queue_pop_head(&wire->fixture->end[from].wire);
    tcp_header header;
    uint32_t length = packet->payload.length;
    g_assert_true(datagram_tcp_header(packet, &header));
    check_departure(wire, from, packet, &header);
    mark(wire, packet, &header);
    if (!(header.flags & TCP_SYN) && happens(wire, faults->strays)) {
      bool is_old = random_stream_below(faults->random, 2) == 0;
      uint32_t away = is_old ? -TCP_WIRE_STRAY_OCTETS : TCP_WIRE_STRAY_OCTETS;
      send_off(wire, from, part_of(packet, 0, length, away), true);
    }
    if ((faults->loser && faults->loser(faults->user, from, packet)) ||
        happens(wire, length > 0 ? faults->loss : faults->ack_loss) || is_too_big(wire, from, packet)) {
      way->counts.lost += length > 0 ? 1 : 0;
      continue;
    }
    if (length > 1 && happens(wire, faults->cuts)) {
      uint32_t half = packet->payload.length / 2;
      for (unsigned i = 0; i < 2; i++) {
        if (!happens(wire, wire->faults.loss)) {
          send_off(wire, from, part_of(packet, i * half, i == 0 ? half : packet->payload.length, 0), false);
        }
      }
      continue;
    }
    if (happens(wire, faults->duplication)) {
      way->counts.repeated++;
      send_off(wire, from, datagram_ref(packet), false);
    }
    send_off(wire, from, datagram_ref(packet), false);
  }
}

void tcp_wire_pick_up(tcp_wire *wire)
{
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    /* A time-out takes what is in flight as lost: it may be sent again for nothing. */
    direction *way = &wire->way[i];
    tcp_transport *connection = wire->fixture->end[i].connection;
    uint64_t timeouts = connection->gauges.statistics->timeouts;
    if (timeouts > way->timeouts) {
      uint64_t emss = connection->gauges.emss_octets;
      way->timeouts = timeouts;
      /* segments may be smaller than EMSS: aligned ones are at least a third of it here */
      way->counts.flights_at_timeouts += 1 + 3 * (way->highest - way->acknowledged) / emss;
    }
    pick_up_from(wire, i);
  }
}

/* The segment that arrives next, NULL when none is under way, and who has sent it. */
static const travelling *find_next(const tcp_wire *wire, unsigned *from)
{
  const travelling *best = NULL;
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    if (wire->way[i].underway->len > 0) {
      const travelling *item = &g_array_index(wire->way[i].underway, travelling, 0);
      if (!best || item->due < best->due || (item->due == best->due && item->order < best->order)) {
        best = item;
        *from = i;
      }
    }
  }
  return best;
}

static void arrive(tcp_wire *wire, unsigned from)
{
  travelling item = g_array_index(wire->way[from].underway, travelling, 0);
  g_autoptr(datagram) packet = item.packet;
  tcp_fixture_end *to = &wire->fixture->end[!from];
  tcp_header header;
  uint32_t segments = to->segments;
  unsigned refusals = to->refusals + to->refused_segments;
  g_array_remove_index(wire->way[from].underway, 0);
  g_assert_true(datagram_tcp_header(packet, &header));
  bool heeded = !item.is_stray && heeds(wire, !from, packet, &header);
  hand_over(wire->fixture, from, packet);
  if (heeded && to->refusals + to->refused_segments == refusals) {
    note_acknowledgement(wire, !from, &header);
  }
  wire->way[from].counts.useless += to->segments > segments && to->segment_new == 0 ? 1 : 0;
}

bool tcp_wire_step(tcp_wire *wire)
{
  unsigned from = 0;
  const travelling *next = find_next(wire, &from);
  time_ps due = next ? next->due : TIME_PS_NEVER;
  time_ps timers =
      time_ps_earlier(wire->fixture->end[0].connection->class->deadline(wire->fixture->end[0].connection),
                      wire->fixture->end[1].connection->class->deadline(wire->fixture->end[1].connection));
  if (!next && timers == TIME_PS_NEVER) {
    return false;
  }
  advance_to(wire->fixture, time_ps_earlier(due, timers));
  tcp_wire_pick_up(wire); /* what a timer of this time has sent does not know yet what arrives now */
  if (due <= timers) {
    arrive(wire, from);
    tcp_wire_pick_up(wire);
  }
  return true;
}

const tcp_wire_counts *tcp_wire_counts_of(const tcp_wire *wire, unsigned from)
{
  return &wire->way[from].counts;
}
