/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what every middlebox guarantees every stream, alone and in a row of two: several flows at
 * random through boxes, and a plain reassembler after them that judges what comes. */
#include <string.h>

#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum {
  HOLD_PS = 1000, /* no box may hold octets longer without input */
  FLOWS = 3,
  STREAM = 12000,
  ACK_START = 5000,
  NEVER_GIVEN = 0,
  PLAIN = 1, /* bits of flow_state.given: what segments brought the octet */
  MARKED = 2,
  CALM = 4,
  CONGESTED = 8,
};

typedef struct given_segment {
  int64_t from, to;
  uint32_t timestamp;
} given_segment;

typedef struct flow_state {
  uint16_t port;
  uint32_t isn;
  int64_t next; /* of the first transmission */
  uint32_t acknowledgement;
  bool finished; /* the FIN has come out */
  uint8_t given[STREAM], came[STREAM];
  uint32_t newest_timestamp[STREAM]; /* of those that brought the octet */
  GArray *segments;                  /* of given_segment */
} flow_state;

typedef struct world {
  GRand *random;
  path_element *const *boxes;
  size_t count;
  time_ps now;
  flow_state flows[FLOWS];
  GPtrArray *late; /* of datagram: overtaken by others */
  uint8_t flushing;
  guint pure_acks;                     /* given and not yet come */
  const path_middleboxes_config *only; /* of the one box there is; NULL: there are more */
} world;

static uint8_t octet_of(const flow_state *flow, int64_t position)
{
  return (uint8_t)((uint64_t)(position + flow->port * 7919) * 2654435761U >> 13);
}

static flow_state *flow_of(world *w, const datagram *packet)
{
  datagram_flow key;

  g_assert_true(datagram_flow_of(packet, &key));
  g_assert_cmpuint(key.destination_port, ==, 7);
  for (guint i = 0; i < FLOWS; i++) {
    if (w->flows[i].port == key.source_port) {
      return &w->flows[i];
    }
  }
  g_assert_not_reached();
}

/* --- After the boxes --- */

/* Of what a box has joined and the next one cuts, a piece may have the marks and the timestamp of a
 * segment that none of its octets came with: after several boxes only one direction is judged. */
static bool is_exact(const world *w)
{
  return w->only != NULL;
}

/* Returns whether the box cuts before the octet at `position`, whatever comes. */
static bool is_line(const world *w, int64_t position)
{
  uint32_t chunk = w->only ? w->only->chunk_octets : 0;

  return chunk > 0 && (position + chunk - w->only->phase_octets % chunk) % chunk == 0;
}

static void judge_timestamp(const world *w, const flow_state *flow, int64_t from, int64_t to,
                            uint32_t timestamp)
{
  bool brought = false;

  for (int64_t at = from; at < to; at++) {
    g_assert_cmpuint(timestamp, <=, flow->newest_timestamp[at]);
  }
  for (guint i = 0; i < flow->segments->len && !brought; i++) {
    const given_segment *segment = &g_array_index(flow->segments, given_segment, i);
    bool overlaps = segment->from < to && from < segment->to;
    brought = segment->timestamp == timestamp && (overlaps || !is_exact(w));
  }
  g_assert_true(brought);
}

static void judge_octets(const world *w, flow_state *flow, const datagram *packet, int64_t from)
{
  bool congested = datagram_ecn_of(packet) == DATAGRAM_ECN_CONGESTED;
  uint8_t any = 0;
  uint8_t all = PLAIN | MARKED | CALM | CONGESTED;

  for (uint32_t i = 0; i < packet->payload.length; i++) {
    g_assert_cmpuint(flow->given[from + i], !=, NEVER_GIVEN);
    g_assert_cmpuint(buffer_chain_at(&packet->payload, i), ==, octet_of(flow, from + i));
    g_assert_false(i > 0 && is_line(w, from + i));
    flow->came[from + i] = 1;
    any |= flow->given[from + i];
    all &= flow->given[from + i];
  }
  g_assert_true(packet->retransmission ? (any & MARKED) || !is_exact(w) : all & PLAIN);
  g_assert_true(congested ? (any & CONGESTED) || !is_exact(w) : all & CALM);
}

static void judge(void *user, datagram *packet, time_ps now)
{
  world *w = user;
  flow_state *flow = flow_of(w, packet);
  tcp_header header;

  g_assert_cmpint(now, ==, w->now);
  g_assert_true(datagram_tcp_header(packet, &header));
  int64_t from = tcp_position_of(header.sequence, flow->isn, STREAM / 2);
  int64_t to = from + packet->payload.length;
  if (header.flags & TCP_SYN) {
    g_assert_cmpint(from, ==, -1);
  } else {
    g_assert_cmpint(from, >=, 0);
    g_assert_cmpint(to, <=, STREAM);
    g_assert_cmpuint(header.flags & ~(TCP_PSH | TCP_FIN), ==, TCP_ACK);
    g_assert_cmpuint(header.acknowledgement, >=, ACK_START);
    g_assert_cmpuint(header.acknowledgement, <=, flow->acknowledgement);
  }
  if (header.flags & TCP_FIN) {
    g_assert_cmpint(to, ==, STREAM);
    flow->finished = true;
  }
  if (to > from) {
    judge_octets(w, flow, packet, from);
    judge_timestamp(w, flow, from, to, header.timestamp_value);
  } else if (!(header.flags & (TCP_SYN | TCP_FIN))) {
    w->pure_acks--;
  }
  datagram_unref(packet);
}

static bool waits(const flow_state *flow)
{
  for (size_t at = 0; at < STREAM; at++) {
    if (flow->given[at] != NEVER_GIVEN && !flow->came[at]) {
      return true;
    }
  }
  return false;
}

/* --- Before the boxes --- */

static time_ps next_deadline(const world *w)
{
  time_ps first = TIME_PS_NEVER;
  for (size_t i = 0; i < w->count; i++) {
    first = time_ps_earlier(first, deadline_of(w->boxes[i]));
  }
  return first;
}

static void run_to(world *w, time_ps when)
{
  time_ps next;
  while ((next = next_deadline(w)) <= when) {
    w->now = MAX(w->now, next);
    for (size_t i = 0; i < w->count; i++) {
      path_element_run(w->boxes[i], w->now);
    }
  }
  w->now = when;
}

static datagram *make(world *w, flow_state *flow, int64_t from, int64_t to, uint8_t flags)
{
  const uint64_t prefix = 0x20010DB800000000;
  const tcp_header header = {.source_port = flow->port,
                             .destination_port = 7,
                             .sequence = tcp_sequence_of(from, flow->isn),
                             .acknowledgement = flow->acknowledgement,
                             .flags = flags,
                             .window = 1000,
                             .has_timestamps = true,
                             .timestamp_value = (uint32_t)w->now};
  uint8_t octets[1460];
  for (int64_t at = from; at < to; at++) {
    octets[at - from] = octet_of(flow, at);
  }
  return packet_between(ip_address_v6(prefix, 1), ip_address_v6(prefix, 2), &header, octets,
                        (uint32_t)(to - from));
}

/* The packet enters the first box; takes the reference. */
static void give(world *w, datagram *packet)
{
  flow_state *flow = flow_of(w, packet);
  uint32_t octets = packet->payload.length;
  tcp_header header;

  datagram_tcp_header(packet, &header);
  int64_t from = tcp_position_of(header.sequence, flow->isn, STREAM / 2);
  given_segment segment = {.from = from, .to = from + octets, .timestamp = header.timestamp_value};
  g_array_append_val(flow->segments, segment);
  for (int64_t at = segment.from; at < segment.to; at++) {
    flow->given[at] |= packet->retransmission ? MARKED : PLAIN;
    flow->given[at] |= datagram_ecn_of(packet) == DATAGRAM_ECN_CONGESTED ? CONGESTED : CALM;
    flow->newest_timestamp[at] = MAX(flow->newest_timestamp[at], segment.timestamp);
  }
  w->pure_acks += octets == 0 && header.flags == TCP_ACK;
  path_element_receive(w->boxes[0], packet, w->now);
  g_assert_cmpuint(w->pure_acks, ==, 0);
  if (header.flags & w->flushing) {
    g_assert_false(waits(flow));
  } else if (octets > 0 && waits(flow)) {
    g_assert_cmpint(next_deadline(w), <=, w->now + HOLD_PS);
  }
}

/* The packet may be lost, overtaken or duplicated on its way to the first box. */
static void send_packet(world *w, datagram *packet)
{
  int fate = g_rand_int_range(w->random, 0, 20);

  if (g_rand_int_range(w->random, 0, 5) == 0) {
    datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  }
  if (fate < 2) {
    datagram_unref(packet);
  } else if (fate < 4) {
    g_ptr_array_add(w->late, packet);
  } else if (fate == 4) {
    give(w, datagram_ref(packet));
    give(w, packet);
  } else {
    give(w, packet);
  }
}

/* Octets sent before are sent again with other boundaries, often from the first hole on. */
static void send_again(world *w, flow_state *flow)
{
  const uint8_t *hole = memchr(flow->given, NEVER_GIVEN, STREAM);
  int64_t from = g_rand_int_range(w->random, 0, (gint32)flow->next);
  int64_t length = g_rand_int_range(w->random, 1, 1460);

  if (hole && hole - flow->given < flow->next && g_rand_boolean(w->random)) {
    from = hole - flow->given;
  }
  datagram *packet = make(w, flow, from, MIN(from + length, flow->next), TCP_ACK);
  packet->retransmission = true;
  send_packet(w, packet);
}

static bool all_given(const world *w)
{
  for (guint i = 0; i < FLOWS; i++) {
    if (memchr(w->flows[i].given, NEVER_GIVEN, STREAM)) {
      return false;
    }
  }
  return true;
}

static void step(world *w)
{
  flow_state *flow = &w->flows[g_rand_int_range(w->random, 0, FLOWS)];
  int what = g_rand_int_range(w->random, 0, 20);

  run_to(w, w->now + (what == 0 ? 3 * HOLD_PS : g_rand_int_range(w->random, 0, 200)));
  flow->acknowledgement += (uint32_t)g_rand_int_range(w->random, 0, 3);
  if (what == 1) {
    give(w, make(w, flow, flow->next, flow->next, TCP_ACK));
  } else if (what < 4) {
    if (w->late->len > 0) {
      guint index = (guint)g_rand_int_range(w->random, 0, (gint32)w->late->len);
      give(w, g_ptr_array_steal_index(w->late, index));
    }
  } else if (what < 14 && flow->next < STREAM) {
    int64_t length = g_rand_int_range(w->random, 1, g_rand_int_range(w->random, 0, 4) == 0 ? 30 : 1460);
    int64_t to = MIN(flow->next + length, STREAM);
    bool push = g_rand_int_range(w->random, 0, 10) == 0;
    datagram *packet = make(w, flow, flow->next, to, push ? TCP_ACK | TCP_PSH : TCP_ACK);
    flow->next = to;
    send_packet(w, packet);
  } else if (flow->next > 0) {
    send_again(w, flow);
  }
}

static void begin(world *w, guint index)
{
  static const uint32_t isns[FLOWS] = {0xFFFFF000, 0x7FFFF800, 123456};
  flow_state *flow = &w->flows[index];

  flow->port = (uint16_t)(1000 + index);
  flow->isn = isns[index];
  flow->acknowledgement = ACK_START;
  flow->segments = g_array_new(FALSE, FALSE, sizeof(given_segment));
  give(w, make(w, flow, -1, -1, TCP_SYN));
}

/* Sends some flows with losses, reordering, duplicates, retransmissions with other boundaries, PSH, ECN
 * marks, timestamps and sequence numbers that wrap through `boxes`, and asserts that
 * - nothing is invented: octets come where they were given, and only those; flags, acknowledgement
 *   numbers, timestamps, ECN and retransmission marks are those of segments that brought the octets;
 * - nothing is kept: while octets wait a box has a deadline, after a segment with PSH none wait, unless a box
 *   ignores it, and in the end all are there;
 * - no line of the grid lies within a piece, and what has no payload passes at once. The boxes stay the
 *   caller's, and `only` is the configuration of the one box, NULL of more. */
static void check_random_flows(path_element *const *boxes, size_t count, const path_middleboxes_config *only,
                               uint32_t seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autofree world *w = g_new0(world, 1);

  g_test_message("seed %u", seed);
  *w = (world){.random = random,
               .boxes = boxes,
               .count = count,
               .only = only,
               .flushing = only && only->ignores_push ? TCP_FIN : TCP_PSH | TCP_FIN};
  w->late = g_ptr_array_new_with_free_func((GDestroyNotify)datagram_unref);
  for (size_t i = 0; i + 1 < count; i++) {
    path_element_set_output(boxes[i], path_element_input, boxes[i + 1]);
  }
  path_element_set_output(boxes[count - 1], judge, w);
  for (guint i = 0; i < FLOWS; i++) {
    begin(w, i);
  }
  while (!all_given(w)) {
    step(w);
  }
  run_to(w, w->now + (time_ps)count * HOLD_PS);
  for (guint i = 0; i < FLOWS; i++) {
    flow_state *flow = &w->flows[i];
    g_assert_false(waits(flow));
    give(w, make(w, flow, STREAM, STREAM, TCP_ACK | TCP_FIN));
    g_assert_true(flow->finished);
    g_array_free(flow->segments, TRUE);
  }
  g_assert_cmpint(next_deadline(w), ==, TIME_PS_NEVER);
  for (size_t i = 0; i < count; i++) {
    g_assert_cmpuint(boxes[i]->counts.lost_by[LOSSES_DAMAGED], ==, 0);
  }
  g_ptr_array_unref(w->late);
}

/* --- The boxes --- */

typedef struct kind {
  const char *name;
  path_middlebox box;
  path_middleboxes_config config;
} kind;

static const kind kinds[] = {
    {"rechunk 1000", PATH_MIDDLEBOX_RECHUNK, {.chunk_octets = 1000, .flush_ps = HOLD_PS}},
    {"rechunk 37", PATH_MIDDLEBOX_RECHUNK, {.chunk_octets = 37, .phase_octets = 11, .flush_ps = HOLD_PS}},
    {"random cuts",
     PATH_MIDDLEBOX_RANDOM,
     {.random_minimum_octets = 1, .random_maximum_octets = 1460, .flush_ps = HOLD_PS}},
    {"cuts of 200",
     PATH_MIDDLEBOX_RANDOM,
     {.random_minimum_octets = 200, .random_maximum_octets = 200, .flush_ps = HOLD_PS}},
    {"shift 100", PATH_MIDDLEBOX_SHIFT, {.shift_octets = 100, .flush_ps = HOLD_PS}},
    {"shift beyond any segment", PATH_MIDDLEBOX_SHIFT, {.shift_octets = 2000, .flush_ps = HOLD_PS}},
    {"split 536", PATH_MIDDLEBOX_SPLIT, {.split_octets = 536}},
    {"coalesce 4000", PATH_MIDDLEBOX_COALESCE, {.coalesce_octets = 4000, .coalesce_ps = HOLD_PS}},
};

static path_element *new_box(const kind *c, random_stream *random)
{
  return &path_middlebox_row_of(c->box)->make(&c->config, random)->element;
}

EACH_TEST(test_alone, kind, kinds)
{
  for (uint32_t seed = 1; seed <= 10; seed++) {
    g_autoptr(random_stream) random = random_stream_new(seed, "cuts");
    g_autoptr(path_element) box = new_box(c, random);
    check_random_flows(&box, 1, &c->config, seed);
  }
}

EACH_TEST(test_push_ignored, kind, kinds)
{
  kind patient = *c;
  patient.config.ignores_push = true;
  g_autoptr(random_stream) random = random_stream_new(1, "cuts");
  g_autoptr(path_element) box = new_box(&patient, random);
  check_random_flows(&box, 1, &patient.config, 30);
}

EACH_TEST(test_strangers, kind, kinds)
{
  g_autoptr(random_stream) random = random_stream_new(1, "cuts");
  fixture_check_strangers(new_box(c, random));
}

/* Each kind precedes each other kind: what one makes, the other accepts. */
EACH_TEST(test_in_a_row, kind, kinds)
{
  for (guint after = 0; after < G_N_ELEMENTS(kinds); after++) {
    g_autoptr(random_stream) random = random_stream_new(after, "cuts");
    g_autoptr(path_element) first = new_box(c, random);
    g_autoptr(path_element) second = new_box(&kinds[after], random);
    check_random_flows((path_element *const[]){first, second}, 2, NULL, 20 + after);
  }
}

/* Four segments far after all that came before, of which the last leaves nothing waiting, seven times:
 * position 2^31 is passed, and 2^32. A box that draws nothing does each time what it did the second time, the
 * first after a hole; places differ by a multiple of 1000 and of 37, the cells' sizes. */
EACH_TEST(test_far_positions, kind, kinds)
{
  enum { SEGMENTS = 4, SEGMENT_OCTETS = 1460 };
  const int64_t apart = INT64_C(37000) * 40540;
  const bool draws = c->config.random_minimum_octets < c->config.random_maximum_octets;
  g_autoptr(random_stream) random = random_stream_new(1, "cuts");
  g_autoptr(path_fixture) f = fixture_connected(new_box(c, random));
  guint expected[SEGMENTS] = {0};

  for (int64_t place = 0; place < 7; place++) {
    uint64_t octets = 0;

    for (int i = 0; i < SEGMENTS; i++) {
      const int64_t from = place * apart + i * SEGMENT_OCTETS;

      fixture_segment(f, from, from + SEGMENT_OCTETS, i + 1 == SEGMENTS ? TCP_PSH : 0, 0);
      expected[i] = place <= 1 ? f->output->len : expected[i];
      g_assert_true(draws || f->output->len == expected[i]);
      for (guint n = 0; n < f->output->len; n++) {
        octets += fixture_packet(f, n)->payload.length;
      }
      test_output_clear(f->output);
    }
    g_assert_cmpuint(octets, ==, SEGMENTS * SEGMENT_OCTETS);
  }
}
