/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/random_stream.h"
#include "flag_test.h"
#include "tcp/tcp_receiver.h"
#include "tcp_parts.h"

enum { TAKEN_OCTETS = 4000, ROOM_OCTETS = 50000 };

/* This is what was reported to the layer above. */
typedef struct reported {
  GString *passed; /* "position+length@arrival " of each events.octets */
  uint32_t segments;
  uint32_t new_octets; /* of the last segment */
  uint64_t edge;       /* before the last segment */
  tcp_receiver *receiver;
  uint64_t held;        /* meanwhile, of the last events.octets */
  bool refuses;         /* events.inspect refuses all, */
  bool refuses_segment; /* events.admit does */
  uint32_t inspected;   /* runs, by the last segment, … */
  uint32_t admitted;    /* … and whether as a whole, from here on, with so much beyond the edge then */
  uint64_t admitted_from;
  tcp_beyond then;
  uint64_t start;             /* of the stream */
  uint8_t taken[ROOM_OCTETS]; /* per octet from there: passed */
} reported;

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  reported *above = user;
  g_assert_cmpint(arrival, <=, now);
  for (uint32_t i = 0; i < octets->length; i++) {
    g_assert_cmpuint(buffer_chain_at(octets, i), ==, (uint8_t)(position + i));
    g_assert_cmpuint(above->taken[position - above->start + i], ==, 0);
    above->taken[position - above->start + i] = 1;
  }
  g_string_append_printf(above->passed, "%" G_GUINT64_FORMAT "+%u@%" G_GINT64_FORMAT " ", position,
                         octets->length, arrival);
  above->held = tcp_receiver_held_octets_below(above->receiver, UINT64_MAX);
}

static void on_segment(void *user, G_GNUC_UNUSED uint64_t position, G_GNUC_UNUSED uint32_t length,
                       uint32_t new_octets, uint64_t in_order_edge, G_GNUC_UNUSED time_ps now)
{
  reported *above = user;
  above->segments++;
  above->new_octets = new_octets;
  above->edge = in_order_edge;
}

static bool on_inspect(void *user, G_GNUC_UNUSED uint64_t position, const buffer_chain *octets,
                       G_GNUC_UNUSED time_ps now)
{
  reported *above = user;
  g_assert_cmpuint(octets->length, >, 0);
  g_assert_cmpuint(above->admitted, ==, 0);
  above->inspected++;
  return !above->refuses;
}

static bool on_admit(void *user, uint64_t position, tcp_beyond then, G_GNUC_UNUSED time_ps now)
{
  reported *above = user;
  above->admitted++;
  above->admitted_from = position;
  above->then = then;
  return !above->refuses_segment;
}

static const tcp_events EVENTS = {
    .inspect = on_inspect, .admit = on_admit, .octets = on_octets, .segment = on_segment};

typedef struct fixture {
  tcp_config config;
  tcp_gauges gauges;
  reported above;
  tcp_receiver *receiver;
  tcp_retransmission_timer timer; /* the receiver's, after save_sacks() */
  time_ps now;
} fixture;

/* A window of `window_octets`, an ACK every 2 segments, whatever their length, or 40 ps. */
static fixture *fixture_with(tcp_passing passing, uint64_t window_octets)
{
  fixture *test = g_new0(fixture, 1);
  test->config = tcp_config_default();
  test->config.passing = passing;
  test->config.delayed_ack_ps = 40;
  test->config.quick_acks = 0;
  test->config.ack_by_octets = false;
  test->config.dsack = false;
  test->above.passed = g_string_new(NULL);
  test->receiver = g_new(tcp_receiver, 1);
  tcp_receiver_init(test->receiver, &test->config, window_octets, 0, &EVENTS, &test->above, &test->gauges);
  test->above.receiver = test->receiver;
  return test;
}

static fixture *fixture_of(tcp_passing passing)
{
  return fixture_with(passing, 1000);
}

/* The same for a stream that begins at `start`. */
static fixture *fixture_at(tcp_passing passing, uint64_t start)
{
  fixture *test = fixture_of(passing);
  test->above.start = start;
  tcp_receiver_start_at(test->receiver, start);
  return test;
}

static void fixture_free(fixture *test)
{
  tcp_receiver_clear(test->receiver);
  g_free(test->receiver);
  g_string_free(test->above.passed, TRUE);
  g_free(test);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

/* A test of a receiver that passes octets as they arrive. */
#define RECEIVER_TEST(name) TEST_OF(fixture, test, fixture_of(TCP_PASSING_AS_ARRIVED), name)

/* Octets [from, to), each with its position as value; cleared by the caller. */
static void fill(buffer_chain *payload, int64_t from, int64_t to)
{
  buffer_chain_init(payload);
  if (to > from) {
    g_autoptr(octet_buffer) buffer = octet_buffer_new((size_t)(to - from));
    for (int64_t position = from; position < to; position++) {
      octet_buffer_octets(buffer)[position - from] = (uint8_t)position;
    }
    buffer_chain_append(payload, octet_buffer_octets(buffer), (uint32_t)(to - from), buffer);
  }
}

/* A segment of octets [from, to) as fill() makes them, a picosecond after the one before. */
static void arrive_with(fixture *test, int64_t from, int64_t to, uint8_t flags)
{
  g_auto(buffer_chain) payload;
  fill(&payload, from, to);
  test->now++;
  tcp_receiver_receive(test->receiver, from, &payload, flags, test->now);
}

static void arrive(fixture *test, int64_t from, int64_t to, bool fin)
{
  arrive_with(test, from, to, fin ? TCP_FIN : 0);
}

/* The same, unless the layer above refuses it; whether it was taken. */
static bool arrive_if_taken(fixture *test, int64_t from, int64_t to)
{
  g_auto(buffer_chain) asked;
  fill(&asked, from, to);
  test->above.inspected = test->above.admitted = 0;
  bool taken = tcp_receiver_inspect(test->receiver, from, &asked, test->now);
  if (taken) {
    arrive(test, from, to, false);
  }
  return taken;
}

/* The same for the next segment in order. */
static void arrive_as_expected(fixture *test, int64_t from, int64_t to)
{
  g_auto(buffer_chain) payload;
  fill(&payload, from, to);
  test->now++;
  g_assert_cmpint((int64_t)test->receiver->next, ==, from);
  g_assert_true(tcp_receiver_expects(test->receiver, payload.length));
  tcp_receiver_receive_expected(test->receiver, &payload, 0, test->now);
}

static void expect_passed(fixture *test, const char *passed)
{
  g_assert_cmpstr(test->above.passed->str, ==, passed);
  g_string_truncate(test->above.passed, 0);
}

static void expect_need(fixture *test, tcp_ack_need need)
{
  g_assert_cmpint(test->receiver->need, ==, need);
  g_assert_cmpint(test->receiver->gauges->ack_deadline != TIME_PS_NEVER, ==, need == TCP_ACK_DELAYED);
}

/* An arriving segment calls for this ACK, which is sent. */
static void arrive_and_acknowledge(fixture *test, int64_t from, int64_t to, tcp_ack_need need)
{
  arrive(test, from, to, false);
  expect_need(test, need);
  tcp_receiver_acknowledge(test->receiver);
}

static void expect_blocks(fixture *test, unsigned room, const range *blocks, unsigned count)
{
  range found[TCP_SACK_BLOCKS_MAX];
  g_assert_cmpuint(tcp_receiver_take_sack_blocks(test->receiver, found, room), ==, count);
  g_assert_cmpmem(found, count * sizeof *found, blocks, count * sizeof *blocks);
}

/* An ACK with `room` for SACK blocks has these: EXPECT_BLOCKS(test, 3, {300, 310}, {100, 110}). */
#define EXPECT_BLOCKS(test, room, ...)                                                                       \
  expect_blocks(test, room, (const range[]){__VA_ARGS__}, G_N_ELEMENTS(((const range[]){__VA_ARGS__})))

/* MPA-027: what is new is passed when it comes, with its position; MPA-030: each octet once. */
RECEIVER_TEST(test_passing_as_arrived)
{
  arrive(test, 0, 100, false);
  expect_passed(test, "0+100@1 ");
  arrive(test, 200, 300, false);
  arrive(test, 400, 450, false);
  expect_passed(test, "200+100@2 400+50@3 ");
  g_assert_cmpuint(tcp_receiver_out_of_order_runs(test->receiver), ==, 2);
  g_assert_cmpuint(test->gauges.in_order_edge, ==, 100);
  arrive(test, 50, 500, false); /* spans it all */
  expect_passed(test, "100+100@4 300+100@4 450+50@4 ");
  EXPECT_FIELDS(&test->above, (new_octets, 250), (edge, 100));
  g_assert_cmpuint(test->gauges.in_order_edge, ==, 500);
  g_assert_cmpuint(tcp_receiver_out_of_order_runs(test->receiver), ==, 0);
  arrive(test, 300, 500, false);
  expect_passed(test, "");
  EXPECT_FIELDS(&test->above, (segments, 5), (new_octets, 0));
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, UINT64_MAX), ==, 0);
}

/* The octets that the peer takes for received, by ACK and SACK: with four runs at most all of them are
 * reported. */
static bool is_promised(const fixture *test, uint64_t position)
{
  range blocks[TCP_SACK_BLOCKS_MAX];
  uint32_t count = tcp_receiver_take_sack_blocks(test->receiver, blocks, TCP_SACK_BLOCKS_MAX);
  bool promised = position < test->receiver->next;
  for (uint32_t i = 0; i < count; i++) {
    promised = promised || (position >= blocks[i].from && position < blocks[i].to);
  }
  return promised;
}

/* MPA-028, MPA-030: the octets passed up are those acknowledged to the peer, no fewer (they would be sent,
 * and passed, once more) and no more (of a refused segment none); and this never changes: nothing that was
 * passed up or SACKed is ever taken back. MPA-037: with in-order delivery, only what is in order is passed.
 * From position 0 and across 2^32. */
TEST(test_what_is_passed_is_committed)
{
  for (uint64_t seed = 1; seed <= 40; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autoptr(random_stream) random = random_stream_new(seed, "commit");
    uint64_t start = seed & 2 ? (UINT64_C(1) << 32) - TAKEN_OCTETS / 2 : 0;
    g_autoptr(fixture) test = fixture_at(seed & 1 ? TCP_PASSING_AS_ARRIVED : TCP_PASSING_IN_ORDER, start);
    g_autofree bool *promised = g_new0(bool, TAKEN_OCTETS);
    while (test->receiver->next < start + TAKEN_OCTETS - 1000) {
      /* A random segment arrives; one in four is refused by the layer above. */
      uint64_t from = test->receiver->next + 50 * random_stream_below(random, 12);
      uint64_t to = from + 1 + random_stream_below(random, 130);
      test->above.refuses = random_stream_chance(random, 0.25);
      bool taken = arrive_if_taken(test, (int64_t)from, (int64_t)to);
      g_assert_true(!taken || !test->above.refuses || test->above.new_octets == 0);
      if (tcp_receiver_out_of_order_runs(test->receiver) > TCP_SACK_BLOCKS_MAX) {
        continue;
      }
      for (size_t i = 0; i < TAKEN_OCTETS; i++) {
        uint64_t position = start + i;
        bool now_promised = is_promised(test, position);
        g_assert_true(now_promised || !promised[i]);
        promised[i] = now_promised;
        bool passed = test->above.taken[i];
        g_assert_true(seed & 1 ? passed == now_promised : passed == (position < test->receiver->next));
      }
    }
  }
}

/* MPA-031, MPA-037: what lies beyond a hole is held, and passed in order piece by piece, each with its own
 * time of arrival. */
TEST(test_passing_in_order)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);
  arrive(test, 100, 200, false);
  arrive(test, 300, 400, false);
  expect_passed(test, "");
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, UINT64_MAX), ==, 200);
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, 350), ==, 150);
  arrive(test, 0, 150, false); /* 50 of them were there before */
  expect_passed(test, "0+100@3 100+100@1 ");
  g_assert_cmpuint(test->above.held, ==, 100); /* what is being passed is not held any more */
  g_assert_cmpuint(test->above.new_octets, ==, 100);
  g_assert_cmpuint(test->gauges.in_order_edge, ==, 200);
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, UINT64_MAX), ==, 100);
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, 300), ==, 0);
  arrive(test, 200, 300, false);
  expect_passed(test, "200+100@4 300+100@2 ");
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, UINT64_MAX), ==, 0);
  arrive(test, 400, 410, false);
  expect_passed(test, "400+10@5 ");
}

/* The layer above decides about a segment as a whole once, when it has seen all runs of octets that are new
 * in it: [100, 200) and [300, 400) are there, so [0, 500) brings three. It is not asked about a segment that
 * brings nothing new. */
RECEIVER_TEST(test_admitted_once_a_segment)
{
  g_assert_true(arrive_if_taken(test, 100, 200));
  g_assert_true(arrive_if_taken(test, 300, 400));
  g_assert_true(arrive_if_taken(test, 300, 400));
  g_assert_cmpuint(test->above.admitted, ==, 0);
  g_assert_true(arrive_if_taken(test, 0, 500));
  EXPECT_FIELDS(&test->above, (inspected, 3), (admitted, 1), (admitted_from, 0));
}

/* A refused run decides. A refused segment is dropped; nothing of it is remembered, and it may come again. */
TEST(test_not_admitted)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);
  test->above.refuses = true;
  g_assert_false(arrive_if_taken(test, 0, 100));
  g_assert_cmpuint(test->above.admitted, ==, 0);
  test->above.refuses = false;
  test->above.refuses_segment = true;
  g_assert_false(arrive_if_taken(test, 0, 100));
  g_assert_cmpuint(test->receiver->next, ==, 0);
  test->above.refuses_segment = false;
  g_assert_true(arrive_if_taken(test, 0, 100));
  g_assert_cmpuint(test->receiver->next, ==, 100);
}

/* Tells what there is beyond the edge, and what there would be with a segment: one that joins two ranges
 * makes one of them, one that touches or overlaps a range none, and what fills the hole is always let
 * through. Segments count until the edge has passed them. */
RECEIVER_TEST(test_beyond)
{
  static const struct {
    int64_t from, to;
    uint32_t then_ranges, then_segments, ranges, segments;
  } rows[] = {{100, 200, 1, 1, 1, 1}, {300, 400, 2, 2, 2, 2}, {500, 600, 3, 3, 3, 3}, {400, 450, 3, 4, 3, 4},
              {550, 650, 3, 5, 3, 5}, {200, 300, 2, 6, 2, 6}, {430, 510, 1, 7, 1, 7}, {0, 50, 0, 0, 1, 7},
              {50, 120, 0, 0, 0, 0},  {800, 900, 1, 1, 1, 1}, {650, 801, 0, 0, 0, 0}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("[%d, %d)", (int)rows[i].from, (int)rows[i].to);
    g_assert_true(arrive_if_taken(test, rows[i].from, rows[i].to));
    EXPECT_FIELDS(&test->above.then, (ranges, rows[i].then_ranges), (segments, rows[i].then_segments));
    const tcp_beyond beyond = tcp_receiver_beyond(test->receiver);
    EXPECT_FIELDS(&beyond, (ranges, rows[i].ranges), (segments, rows[i].segments));
  }
}

/* Refused for lack of room (RFC 5681 §4.2): an ACK at once, without payload, when the configuration has it;
 * and then one at once for each segment of the gap that the refused one shows, up to its end, though nothing
 * is held beyond it. A segment whose octets are refused on inspection is never acknowledged (MPA-286). */
TEST(test_refused_and_acknowledged)
{
  for (int acknowledges = 0; acknowledges < 2; acknowledges++) {
    g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);
    test->config.acknowledges_refused = acknowledges;
    test->above.refuses_segment = true;
    g_assert_false(arrive_if_taken(test, 300, 400));
    g_assert_cmpint(test->receiver->need, ==, acknowledges ? TCP_ACK_ALONE : TCP_ACK_NONE);
    tcp_receiver_acknowledge(test->receiver);
    test->above.refuses_segment = false;
    for (int64_t from = 0; from < 500; from += 100) {
      g_assert_true(arrive_if_taken(test, from, from + 100));
      g_assert_cmpint(test->receiver->need, ==, acknowledges && from < 300 ? TCP_ACK_DUE : TCP_ACK_DELAYED);
      tcp_receiver_acknowledge(test->receiver);
    }
    test->above.refuses = true;
    g_assert_false(arrive_if_taken(test, 600, 700));
    g_assert_cmpint(test->receiver->need, ==, TCP_ACK_NONE);
  }
}

/* The octets that an in-order receiver holds can be read, and are gone when they have been passed. */
TEST(test_held)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);
  arrive(test, 100, 200, false);
  arrive(test, 200, 300, false);
  g_assert_cmpuint(reassembly_queue_total(tcp_receiver_held(test->receiver)), ==, 200);
  g_assert_cmpuint(reassembly_queue_run_end(tcp_receiver_held(test->receiver), 100), ==, 300);
  arrive(test, 0, 100, false);
  g_assert_cmpuint(reassembly_queue_total(tcp_receiver_held(test->receiver)), ==, 0);
}

/* RFC 5681 §4.2 with an ACK every 2 segments or 40 ps. */
RECEIVER_TEST(test_delayed_ack)
{
  arrive(test, 0, 100, false);
  expect_need(test, TCP_ACK_DELAYED);
  g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, 41);
  arrive_and_acknowledge(test, 100, 110, TCP_ACK_DUE);
  expect_need(test, TCP_ACK_NONE);
  arrive(test, 110, 120, false);
  expect_need(test, TCP_ACK_DELAYED);
  tcp_receiver_owe_ack(test->receiver, TCP_ACK_DUE); /* the delay is over */
  expect_need(test, TCP_ACK_DUE);
  tcp_receiver_acknowledge(test->receiver);
  arrive_and_acknowledge(test, 200, 300, TCP_ACK_ALONE); /* out of order */
  arrive_and_acknowledge(test, 120, 150, TCP_ACK_ALONE); /* fills a part of the hole */
  arrive_and_acknowledge(test, 150, 200, TCP_ACK_DUE);   /* fills the hole */
  arrive_and_acknowledge(test, 150, 200, TCP_ACK_ALONE); /* again */
  arrive(test, 300, 300, true);                          /* FIN */
  expect_need(test, TCP_ACK_DUE);
}

/* The next `length` octets come; the ACK that they call for is sent, if it is due. */
static void expect_ack(fixture *test, uint32_t length, uint8_t flags, tcp_ack_need need)
{
  int64_t next = (int64_t)test->receiver->next;
  arrive_with(test, next, next + length, flags);
  expect_need(test, need);
  if (need >= TCP_ACK_DUE) {
    tcp_receiver_acknowledge(test->receiver);
  }
}

/* Linux, __tcp_ack_snd_check(): an ACK is due with the first octet beyond one full-size segment, which is
 * taken to have 536 octets (TCP_MSS_DEFAULT) until a larger one comes, and at most what our MSS allows, 1460.
 */
FLAG_TEST(test_delayed_ack_by_octets, counts_octets)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
  test->config.ack_by_octets = counts_octets;
  expect_ack(test, 536, 0, TCP_ACK_DELAYED);
  expect_ack(test, 536, 0, TCP_ACK_DUE);
  expect_ack(test, 1000, 0, TCP_ACK_DELAYED);
  expect_ack(test, 1000, 0, TCP_ACK_DUE);
  expect_ack(test, 1460, 0, TCP_ACK_DELAYED);
  expect_ack(test, 1460, 0, TCP_ACK_DUE);
  /* joined: 16 KiB are more than one of 1460 */
  tcp_ack_need at_once = counts_octets ? TCP_ACK_DUE : TCP_ACK_DELAYED;
  expect_ack(test, 16384, TCP_PSH, at_once);
  expect_ack(test, 1461, 0, TCP_ACK_DUE); /* the second in any case */
  /* with 4 segments there must be more than 3 · 1460 */
  test->config.delayed_ack_segments = 4;
  for (unsigned i = 0; i < 3; i++) {
    expect_ack(test, 1460, 0, TCP_ACK_DELAYED);
  }
  expect_ack(test, 1460, 0, TCP_ACK_DUE);
  expect_ack(test, 4381, 0, at_once);
}

/* Linux, tcp_measure_rcv_mss(): two segments of one shorter size in a row are full ones, when they have 536
 * octets or no PSH (and 88). Any other short one is the end of something: its reader acknowledges it. */
TEST(test_full_size_as_it_is_measured)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
  test->config.ack_by_octets = true;
  test->receiver->interactive = false;
  expect_ack(test, 1460, 0, TCP_ACK_DELAYED);
  expect_ack(test, 1460, 0, TCP_ACK_DUE);
  expect_ack(test, 700, TCP_PSH, TCP_ACK_DUE); /* short … */
  expect_ack(test, 700, 0, TCP_ACK_DELAYED);
  expect_ack(test, 700, 0, TCP_ACK_DUE); /* … and now more than one */
  expect_ack(test, 535, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 535, TCP_PSH, TCP_ACK_DUE); /* PSH: the end of something, however often */
  expect_ack(test, 88, 0, TCP_ACK_DUE);
  expect_ack(test, 88, 0, TCP_ACK_DELAYED);
  expect_ack(test, 88, 0, TCP_ACK_DUE);
  expect_ack(test, 87, 0, TCP_ACK_DUE);
  expect_ack(test, 87, 0, TCP_ACK_DUE);
  expect_ack(test, 700, 0, TCP_ACK_DELAYED); /* the largest again */
  expect_ack(test, 600, 0, TCP_ACK_DUE);
  expect_ack(test, 700, 0, TCP_ACK_DELAYED);
  expect_ack(test, 600, 0, TCP_ACK_DUE); /* the second, but not in a row … */
  expect_ack(test, 650, 0, TCP_ACK_DUE); /* … so that this is a short one */
}

/* With timestamps a segment has 12 octets of options, which count: 76 and 524 octets do what 88 and 536 do
 * without. The largest of an MSS of 1460 has 1448 … */
TEST(test_full_size_with_timestamps)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
  test->config.ack_by_octets = true;
  test->receiver->interactive = false;
  test->receiver->option_octets = 12;
  expect_ack(test, 4344, 0, TCP_ACK_DUE); /* three joined */
  expect_ack(test, 1448, 0, TCP_ACK_DELAYED);
  expect_ack(test, 1448, 0, TCP_ACK_DUE);
  expect_ack(test, 524, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 524, 0, TCP_ACK_DELAYED);
  expect_ack(test, 524, 0, TCP_ACK_DUE);
  expect_ack(test, 523, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 523, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 76, 0, TCP_ACK_DUE);
  expect_ack(test, 76, 0, TCP_ACK_DELAYED);
  expect_ack(test, 76, 0, TCP_ACK_DUE);
  expect_ack(test, 75, 0, TCP_ACK_DUE);
  expect_ack(test, 75, 0, TCP_ACK_DUE);
}

/* … and of one of 536, an MTU of 576, the first is taken to have 524. */
TEST(test_first_full_size_with_timestamps)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
  test->config.ack_by_octets = true;
  test->config.receive_mtu_octets = 576;
  tcp_receiver_init(test->receiver, &test->config, 1 << 20, 12, &EVENTS, &test->above, &test->gauges);
  expect_ack(test, 524, 0, TCP_ACK_DELAYED);
  expect_ack(test, 524, 0, TCP_ACK_DUE);
}

/* Linux, tcp_cleanup_rbuf(): what ends a send is acknowledged once it is read, at once; but not while this
 * end answers what comes (pingpong mode): then of short segments the second is. An ACK that nothing carried
 * within the delay ends that (tcp_delack_timer_handler()); octets that come again end it, too, and then three
 * ACKs are quick, theirs the first (tcp_enter_quickack_mode()), which they are not while this end answers. */
TEST(test_interactive)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
  test->config.ack_by_octets = true;
  test->config.quick_acks = 3;
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DELAYED);
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 1456, TCP_PSH, TCP_ACK_DELAYED);
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 100, TCP_PSH, TCP_ACK_DELAYED);
  expect_ack(test, 100, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 100, TCP_PSH, TCP_ACK_DELAYED);
  test->receiver->quick_acks = 3;
  tcp_receiver_end_delay(test->receiver, false);
  expect_need(test, TCP_ACK_DUE);
  tcp_receiver_acknowledge(test->receiver);
  expect_ack(test, 100, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DUE);
  expect_ack(test, 1460, 0, TCP_ACK_DELAYED);
  expect_ack(test, 1460, 0, TCP_ACK_DUE);
  test->receiver->interactive = true;
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DELAYED);
  expect_ack(test, 1460, TCP_PSH, TCP_ACK_DUE);
  tcp_receiver_refuse(test->receiver, 100, 100, true, test->now);
  expect_need(test, TCP_ACK_ALONE);
  tcp_receiver_acknowledge(test->receiver);
  for (unsigned i = 0; i < 2; i++) {
    expect_ack(test, 1460, 0, TCP_ACK_DUE);
  }
  expect_ack(test, 1460, 0, TCP_ACK_DELAYED);
}

/* SACKs are saved for 5 % of a round trip of 10 ms. No gap is longer than RTO. */
static void save_sacks(fixture *test)
{
  test->timer =
      (tcp_retransmission_timer){.smoothed_ps = 10 * TIME_PS_PER_MILLISECOND, .rto_ps = TIME_PS_NEVER};
  test->config.sack_compression_percent = 5;
  test->receiver->timer = &test->timer;
  test->receiver->saves_sacks = true;
}

/* Linux, __tcp_ack_snd_check(): with 5 % of a round trip of 10 ms, 500 us and 100 us of slack; at most 1 ms.
 */
RECEIVER_TEST(test_saved_sacks)
{
  time_ps wait = 600 * TIME_PS_PER_MICROSECOND;
  save_sacks(test);
  arrive_and_acknowledge(test, 0, 1000, TCP_ACK_DUE); /* a window: the round trip is known */
  for (int64_t at = 1100; at < 1130; at += 10) {
    arrive(test, at, at + 10, false);
    expect_need(test, TCP_ACK_ALONE);
    tcp_receiver_acknowledge(test->receiver);
    EXPECT_BLOCKS(test, 3, {1100, (uint64_t)at + 10});
  }
  arrive(test, 1130, 1140, false);
  time_ps deadline = test->now + wait;
  arrive(test, 1140, 1150, false);
  expect_need(test, TCP_ACK_DELAYED);
  g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, deadline);
  tcp_receiver_acknowledge(test->receiver); /* with payload: no room for SACK blocks */
  expect_need(test, TCP_ACK_DELAYED);
  g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, deadline);
  tcp_receiver_acknowledge(test->receiver);
  EXPECT_BLOCKS(test, 3, {1100, 1150});
  expect_need(test, TCP_ACK_NONE);
  test->timer.smoothed_ps = 100 * TIME_PS_PER_MILLISECOND; /* 5 % are 5 ms */
  arrive(test, 1150, 1160, false);
  g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, test->now + 1100 * TIME_PS_PER_MICROSECOND);
  for (int64_t at = 1160; at < 1160 + 43; at++) {
    arrive(test, at, at + 1, false);
    expect_need(test, TCP_ACK_DELAYED);
  }
  arrive(test, 1203, 1204, false); /* the forty-fifth */
  expect_need(test, TCP_ACK_ALONE);
  tcp_receiver_acknowledge(test->receiver);
  EXPECT_BLOCKS(test, 3, {1100, 1204});
  arrive(test, 1204, 1205, false);
  expect_need(test, TCP_ACK_DELAYED);
  arrive_and_acknowledge(test, 1000, 1100, TCP_ACK_DUE); /* the hole is filled: nothing is left to report */
  expect_need(test, TCP_ACK_NONE);
}

/* While ACKs are quick no SACK is saved. Quick ACKs that are left do not count while this end answers what
 * comes (tcp_in_quickack_mode()). */
FLAG_TEST(test_quick_acks_save_no_sacks, interactive)
{
  g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1000);
  test->config.ack_by_octets = true;
  test->config.quick_acks = 16;
  save_sacks(test);
  test->receiver->interactive = interactive;
  for (int64_t at = 100; at < 130; at += 10) {
    arrive_and_acknowledge(test, at, at + 10, TCP_ACK_ALONE);
  }
  arrive(test, 130, 140, false);
  expect_need(test, interactive ? TCP_ACK_DELAYED : TCP_ACK_ALONE);
}

/* The receiver's round trip is the time that its first window takes (tcp_rcv_rtt_measure()): 64 KiB, or all
 * of it as from Linux 6.10 on; timestamps show it at once. 5 % of 10 ms are 500 us, and the slack 100 us. */
TEST(test_saved_sacks_before_first_window)
{
  const struct {
    uint64_t at;
    bool by_window, timestamps;
    time_ps wait_us;
  } cases[] = {{65534, false, false, 100},
               {65535, false, false, 600},
               {199999, true, false, 100},
               {200000, true, false, 600},
               {1000, false, true, 600}};
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 200000);
    save_sacks(test);
    test->config.saves_sacks_by_window = cases[i].by_window;
    test->receiver->option_octets = cases[i].timestamps ? 12 : 0;
    test->above.start = cases[i].at;
    tcp_receiver_start_at(test->receiver, cases[i].at);
    for (unsigned k = 1; k <= 4; k++) {
      tcp_receiver_acknowledge(test->receiver);
      arrive(test, (int64_t)cases[i].at + k * 1000, (int64_t)cases[i].at + k * 1000 + 1000, false);
    }
    expect_need(test, TCP_ACK_DELAYED);
    g_assert_cmpint((test->receiver->gauges->ack_deadline - test->now) / TIME_PS_PER_MICROSECOND, ==,
                    cases[i].wait_us);
  }
}

/* A third run makes what is saved leave, as an ACK may have room for two blocks only; and before a window has
 * come there is no round trip of which to take a share. */
RECEIVER_TEST(test_saved_sacks_of_three_runs)
{
  save_sacks(test);
  for (int64_t at = 100; at < 130; at += 10) {
    arrive_and_acknowledge(test, at, at + 10, TCP_ACK_ALONE);
  }
  arrive(test, 200, 210, false);
  g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, test->now + 100 * TIME_PS_PER_MICROSECOND);
  arrive(test, 130, 140, false); /* the run before the last named */
  expect_need(test, TCP_ACK_DELAYED);
  arrive(test, 300, 310, false);
  expect_need(test, TCP_ACK_ALONE);
  tcp_receiver_acknowledge(test->receiver);
  EXPECT_BLOCKS(test, 3, {300, 310}, {100, 140}, {200, 210});
  arrive(test, 0, 10, false); /* RCV.NXT moves: three at once again */
  tcp_receiver_acknowledge(test->receiver);
  arrive(test, 310, 320, false);
  expect_need(test, TCP_ACK_ALONE);
}

/* What the first three ACKs acknowledge is not delayed. */
RECEIVER_TEST(test_quick_acks)
{
  test->config.quick_acks = 3;
  arrive(test, 0, 10, false);
  expect_need(test, TCP_ACK_DUE);
  arrive(test, 10, 20, false); /* before that ACK has left */
  tcp_receiver_acknowledge(test->receiver);
  arrive_and_acknowledge(test, 20, 30, TCP_ACK_DUE);
  arrive_and_acknowledge(test, 30, 40, TCP_ACK_DUE);
  arrive_as_expected(test, 40, 50);
  expect_need(test, TCP_ACK_DELAYED);
  arrive_as_expected(test, 50, 60);
  expect_need(test, TCP_ACK_DUE);
}

/* Linux, tcp_event_data_recv(): ACKs are quick again when no payload has come in order for longer than RTO,
 * 200 ps, also when it comes into a hole, and what came beyond the hole meanwhile does not count. */
RECEIVER_TEST(test_quick_acks_after_a_gap)
{
  tcp_retransmission_timer timer = {.rto_ps = 200};
  test->config.quick_acks = 1;
  test->receiver->timer = &timer;
  arrive_and_acknowledge(test, 0, 10, TCP_ACK_DUE);
  test->now += 199; /* a segment comes a picosecond later */
  arrive_and_acknowledge(test, 10, 20, TCP_ACK_DELAYED);
  test->now += 200;
  arrive_as_expected(test, 20, 30);
  expect_need(test, TCP_ACK_DUE);
  tcp_receiver_acknowledge(test->receiver);
  arrive_and_acknowledge(test, 30, 40, TCP_ACK_DELAYED);
  test->now += 150;
  arrive_and_acknowledge(test, 60, 70, TCP_ACK_ALONE);
  test->now += 50;
  arrive_and_acknowledge(test, 40, 50, TCP_ACK_ALONE);
  g_assert_cmpuint(test->receiver->quick_acks, ==, 1); /* the one that is quick is used up by that */
  arrive_and_acknowledge(test, 50, 60, TCP_ACK_DUE);
  arrive_and_acknowledge(test, 70, 80, TCP_ACK_DELAYED);
}

/* RFC 9293 §3.8.6.2.2: an ACK that opens the window by half of its 1000 octets is not delayed; one octet less
 * is. */
RECEIVER_TEST(test_half_a_window_is_acknowledged_at_once)
{
  arrive_and_acknowledge(test, 0, 499, TCP_ACK_DELAYED);
  arrive_and_acknowledge(test, 499, 999, TCP_ACK_DUE);
  arrive_and_acknowledge(test, 999, 1498, TCP_ACK_DELAYED);
}

/* RFC 9293 §3.8.6.2.2: with an MTU of 100 the window may move right by 100, which an ACK that goes anyway
 * announces; by 200, two segments, it causes an ACK of its own, and by an octet less it does not. */
RECEIVER_TEST(test_window_update_of_two_segments)
{
  test->config.receive_mtu_octets = 100;
  g_assert_cmpuint(tcp_receiver_acknowledge(test->receiver), ==, 1000);
  arrive(test, 0, 500, false);
  tcp_receiver_set_unread_octets(test->receiver, 500, 1);
  g_assert_cmpuint(tcp_receiver_acknowledge(test->receiver), ==, 1000);
  tcp_receiver_set_unread_octets(test->receiver, 301, 1);
  expect_need(test, TCP_ACK_NONE);
  g_assert_cmpuint(tcp_receiver_window_edge(test->receiver), ==, 1199);
  tcp_receiver_set_unread_octets(test->receiver, 300, 1);
  expect_need(test, TCP_ACK_DUE);
  g_assert_cmpuint(tcp_receiver_acknowledge(test->receiver), ==, 1200);
}

/* Half of the window, 500, causes an ACK where it is less than two segments, of 400 here. */
RECEIVER_TEST(test_window_update_of_half_the_window)
{
  test->config.receive_mtu_octets = 400;
  arrive(test, 0, 500, false);
  tcp_receiver_set_unread_octets(test->receiver, 500, 1);
  g_assert_cmpuint(tcp_receiver_acknowledge(test->receiver), ==, 1000);
  tcp_receiver_set_unread_octets(test->receiver, 1, 1);
  expect_need(test, TCP_ACK_NONE);
  tcp_receiver_set_unread_octets(test->receiver, 0, 1);
  expect_need(test, TCP_ACK_DUE);
  g_assert_cmpuint(tcp_receiver_acknowledge(test->receiver), ==, 1500);
}

/* RFC 2018 §4: the run with the newest segment comes first, then those reported last; runs that have grown
 * together appear once. */
RECEIVER_TEST(test_sack_blocks)
{
  for (int64_t position = 100; position <= 900; position += 200) {
    arrive(test, position, position + 10, false);
  }
  EXPECT_BLOCKS(test, 4, {900, 910}, {700, 710}, {500, 510}, {300, 310});
  EXPECT_BLOCKS(test, 3, {900, 910}, {700, 710}, {500, 510}); /* beside timestamps */
  arrive(test, 310, 500, false);                              /* joins 300 and 500 */
  /* The oldest, 100, was forgotten when five had been reported; now there is room for it again. */
  EXPECT_BLOCKS(test, 4, {300, 510}, {900, 910}, {700, 710}, {100, 110});
  arrive(test, 705, 706, false); /* nothing new, but it caused the ACK: its block is the first */
  EXPECT_BLOCKS(test, 4, {700, 710}, {300, 510}, {900, 910}, {100, 110});
  arrive(test, 0, 300, false); /* everything up to 510 is in order */
  EXPECT_BLOCKS(test, 4, {700, 710}, {900, 910});
}

/* The FIN takes a place of its own after the last octet, also when it comes before the others. */
FLAG_TEST(test_fin, passing)
{
  g_autoptr(fixture) test = fixture_of(passing ? TCP_PASSING_AS_ARRIVED : TCP_PASSING_IN_ORDER);
  arrive(test, 100, 200, true);
  EXPECT_BLOCKS(test, 4, {100, 201});
  g_assert_false(tcp_receiver_is_finished(test->receiver));
  arrive(test, 0, 100, false);
  g_assert_true(tcp_receiver_is_finished(test->receiver));
  g_assert_cmpuint(test->receiver->next, ==, 201);
  g_assert_cmpuint(test->gauges.in_order_edge, ==, 200);
  g_assert_cmpuint(tcp_receiver_held_octets_below(test->receiver, UINT64_MAX), ==, 0);
  expect_passed(test, passing ? "100+100@1 0+100@2 " : "0+100@2 100+100@1 ");
}

/* Linux, tcp_fin(): what this end still sends may carry the ACK of a FIN, which waits as that of a segment
 * does while this end answers (pingpong mode), also beside the end of a send; for a tick only when no payload
 * has set the delay. After a full segment, which waits, the FIN is the first octet beyond one. RFC 9293
 * §3.10.7.4: it is acknowledged at once. */
FLAG_TEST(test_fin_may_wait, counts_octets)
{
  static const struct {
    uint32_t before, beside; /* payload that waits for an ACK, and with the FIN */
    tcp_ack_need need;
    time_ps wait;
  } rows[] = {{0, 0, TCP_ACK_DELAYED, 0},
              {0, 100, TCP_ACK_DELAYED, 40},
              {100, 0, TCP_ACK_DELAYED, 39},
              {100, 100, TCP_ACK_DUE, 0},
              {536, 0, TCP_ACK_DUE, 0}};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(fixture) test = fixture_with(TCP_PASSING_AS_ARRIVED, 1 << 20);
    test->config.ack_by_octets = counts_octets;
    test->receiver->interactive = rows[i].before > 0;
    arrive(test, 0, rows[i].before, false);
    arrive_with(test, rows[i].before, rows[i].before + rows[i].beside, TCP_FIN | TCP_PSH);
    expect_need(test, counts_octets ? rows[i].need : TCP_ACK_DUE);
    if (test->receiver->need == TCP_ACK_DELAYED) {
      g_assert_cmpint(test->receiver->gauges->ack_deadline, ==, test->now + rows[i].wait);
    }
  }
}

/* A FIN that comes again with its octets is part of the D-SACK, as of end_seq in Linux (tcp_dsack_set()):
 * where there is room for that block alone, it is the only one from which the sender knows that the FIN is
 * there. */
RECEIVER_TEST(test_duplicate_fin)
{
  test->config.dsack = true;
  arrive(test, 100, 200, true);
  EXPECT_BLOCKS(test, 4, {100, 201});
  arrive(test, 100, 200, true);
  EXPECT_BLOCKS(test, 1, {100, 201});
}

/* A FIN at position 2^32 + 10. */
TEST(test_fin_beyond_4_gib)
{
  const int64_t start = INT64_C(1) << 32;
  g_autoptr(fixture) test = fixture_at(TCP_PASSING_AS_ARRIVED, (uint64_t)start);
  arrive(test, start + 4, start + 10, false);
  g_assert_true(tcp_receiver_has(test->receiver, (uint64_t)start + 4, (uint64_t)start + 10));
  g_assert_false(tcp_receiver_has(test->receiver, (uint64_t)start + 3, (uint64_t)start + 10));
  arrive(test, start, start + 2, true); /* none: octets beyond it have been seen */
  arrive(test, start + 2, start + 10, true);
  g_assert_true(tcp_receiver_is_finished(test->receiver));
  g_assert_cmpuint(test->receiver->next, ==, start + 11);
}

/* D-SACKs (RFC 2883) of octets beyond 2^32: in order, of a run beyond a hole, and of a segment that is not
 * acceptable. */
TEST(test_duplicates_beyond_4_gib)
{
  const int64_t start = INT64_C(1) << 32;
  g_autoptr(fixture) test = fixture_at(TCP_PASSING_AS_ARRIVED, (uint64_t)start);
  test->config.dsack = true;
  arrive(test, start, start + 10, false);
  arrive(test, start, start + 10, false);
  EXPECT_BLOCKS(test, 4, {start, start + 10});
  tcp_receiver_refuse(test->receiver, start, 10, true, test->now);
  EXPECT_BLOCKS(test, 4, {start, start + 10});
  arrive(test, start + 20, start + 30, false);
  arrive(test, start + 20, start + 30, false);
  EXPECT_BLOCKS(test, 4, {start + 20, start + 30}, {start + 20, start + 30});
}

/* What comes after a FIN is ignored. So is a FIN before octets that have arrived, and one at the window's
 * edge, for which there is no room. */
TEST(test_senseless_fins)
{
  fixture *test = fixture_of(TCP_PASSING_AS_ARRIVED);
  arrive(test, 1000, 1000, true);
  arrive(test, 0, 1000, false);
  g_assert_false(tcp_receiver_is_finished(test->receiver));
  g_assert_cmpuint(test->receiver->next, ==, 1000);
  fixture_free(test);

  test = fixture_of(TCP_PASSING_AS_ARRIVED);
  arrive(test, 100, 200, false);
  arrive(test, 0, 50, true); /* octets beyond 50 have been seen */
  g_assert_false(tcp_receiver_is_finished(test->receiver));
  g_assert_cmpuint(test->receiver->next, ==, 50);
  arrive(test, 300, 300, true);
  arrive(test, 250, 400, false);
  expect_passed(test, "100+100@1 0+50@2 250+50@4 ");
  arrive(test, 50, 250, true); /* another FIN than that at 300 */
  g_assert_true(tcp_receiver_is_finished(test->receiver));
  g_assert_cmpuint(test->gauges.in_order_edge, ==, 300);
  fixture_free(test);
}

/* Part of a segment may lie before the stream: only the rest is passed. */
RECEIVER_TEST(test_positions_below_zero)
{
  arrive(test, -10, 20, false);
  expect_passed(test, "0+20@1 ");
  arrive(test, -10, -5, false);
  expect_passed(test, "");
  g_assert_cmpuint(test->receiver->next, ==, 20);
}

/* The memory for late octets is kept while another hole is likely, and freed when 64 segments have come in
 * order. */
RECEIVER_TEST(test_late_arrivals_go_at_rest)
{
  arrive(test, 0, 10, false);
  g_assert_null(test->receiver->late); /* nothing was late */
  arrive(test, 20, 30, false);
  const tcp_late_arrivals *late = test->receiver->late;
  g_assert_nonnull(late);
  arrive(test, 10, 20, false);
  int64_t edge = 30;
  for (int i = 0; i < 62; i++) { /* the one that closed the hole is the first of 64 */
    arrive(test, edge, edge + 10, false);
    edge += 10;
  }
  g_assert_true(test->receiver->late == late);
  arrive(test, edge + 20, edge + 30, false); /* a hole: from here on the 64 segments count anew */
  g_assert_true(test->receiver->late == late);
  EXPECT_BLOCKS(test, 4, {edge + 20, edge + 30}); /* the run of the earlier hole is no longer reported */
  arrive(test, edge, edge + 20, false);
  edge += 30;
  for (int i = 0; i < 62; i++) {
    arrive_as_expected(test, edge, edge + 10);
    edge += 10;
  }
  g_assert_true(test->receiver->late == late);
  arrive_as_expected(test, edge, edge + 10);
  g_assert_null(test->receiver->late);
}

/* A duplicate that no ACK has reported is not forgotten. */
RECEIVER_TEST(test_an_unreported_duplicate_stays)
{
  test->config.dsack = true;
  arrive(test, 0, 10, false);
  arrive(test, 0, 10, false);
  for (int64_t edge = 10; edge < 710; edge += 10) {
    arrive_as_expected(test, edge, edge + 10);
  }
  EXPECT_BLOCKS(test, 4, {0, 10});
}
