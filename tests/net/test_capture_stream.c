/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams of octets out of segments: positions beyond 2^32, any order, and what must not lead them astray. */
#include "net/capture_stream.h"

#include <string.h>

#include "net/tcp_header.h"
#include "test.h"

/* This is a stream, and what the callback got: octets whose value is a function of their position. */
typedef struct fixture {
  capture_stream *stream;
  uint64_t runs, octets, not_captured;
  uint64_t from, to; /* of the latest run of a segment */
} fixture;

static uint8_t octet_at(uint64_t position)
{
  return (uint8_t)(position * 7 + (position >> 8));
}

static void take(void *user, uint64_t position, const uint8_t *octets, uint32_t length)
{
  fixture *f = user;
  g_assert_cmpuint(length, >, 0);
  g_assert_cmpuint(position, >=, f->to); /* they ascend */
  f->runs++;
  f->octets += length;
  f->not_captured += octets ? 0 : length;
  f->from = position;
  f->to = position + length;
  for (uint32_t i = 0; octets && i < length; i++) {
    g_assert_cmpuint(octets[i], ==, octet_at(position + i));
  }
}

enum { ISN = 0xFFFFF000, LONGEST = 70000 };

/* Gives the stream, whose first position is 0, the octets [from, from + length), of which `captured` are
 * there. */
static uint32_t receive_cut(fixture *f, uint64_t from, uint32_t length, uint32_t captured, uint8_t flags)
{
  static uint8_t octets[LONGEST];
  g_assert_cmpuint(length, <=, LONGEST);
  for (uint32_t i = 0; i < captured; i++) {
    octets[i] = octet_at(from + i);
  }
  const capture_segment segment = {.flags = flags,
                                   .sequence = (uint32_t)(ISN + 1 + from),
                                   .payload = octets,
                                   .payload_octets = length,
                                   .captured_octets = captured};
  f->to = 0;
  return capture_stream_receive(f->stream, &segment, take, f);
}

/* Receives a segment from anywhere, of which no octet was captured. */
static void receive_garbage(fixture *f, uint64_t from, uint32_t length)
{
  receive_cut(f, from, length, 0, TCP_ACK);
}

static uint32_t receive(fixture *f, uint64_t from, uint32_t length)
{
  return receive_cut(f, from, length, length, TCP_ACK);
}

static fixture *fixture_of(uint32_t sequence, uint64_t position)
{
  fixture *f = g_new0(fixture, 1);
  f->stream = capture_stream_new(sequence, position);
  return f;
}

static void fixture_free(fixture *f)
{
  capture_stream_free(f->stream);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

static fixture *set_up(void)
{
  return fixture_of((uint32_t)ISN + 1, 0);
}

/* This is a test of `f`, whose stream begins at position 0. */
#define STREAM_TEST(name) TEST_OF(fixture, f, set_up(), name)

/* Forgets what was taken. */
static void forget(fixture *f)
{
  *f = (fixture){.stream = f->stream};
}

/* Disjoint runs beyond the in-order edge. */
static uint32_t runs_beyond_edge(const fixture *f)
{
  uint32_t runs = 0;
  bool came = false;
  for (uint64_t at = capture_stream_in_order_edge(f->stream); at != UINT64_MAX; runs += came) {
    at = capture_stream_run_end(f->stream, at, &came);
  }
  return runs;
}

/* Twenty GB: the sequence numbers go around four times. */
STREAM_TEST(test_beyond_32_bits)
{
  uint64_t at = 0;
  while (at < UINT64_C(20000000000)) {
    g_assert_cmpuint(receive_cut(f, at, LONGEST, 10, TCP_ACK), ==, LONGEST);
    at += LONGEST;
  }
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, at);
  EXPECT_FIELDS(f, (octets, at), (not_captured, at / LONGEST * (LONGEST - 10)));
}

/* A hole that is never filled does not hold the positions up. */
STREAM_TEST(test_hole_for_ever)
{
  uint64_t at = 5;
  while (at < UINT64_C(10000000000)) {
    receive_cut(f, at, LONGEST, 0, TCP_ACK);
    at += LONGEST;
  }
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, 0);
  g_assert_cmpuint(capture_stream_end(f->stream), ==, at);
  g_assert_cmpuint(runs_beyond_edge(f), ==, 1);
  g_assert_cmpuint(capture_stream_missing(f->stream, 0, at), ==, 5);
}

/* With a snap length, the octets that are not there are given as such; a retransmission does not bring them
 * again. */
STREAM_TEST(test_not_captured)
{
  g_assert_cmpuint(receive_cut(f, 0, 1000, 60, TCP_ACK), ==, 1000);
  EXPECT_FIELDS(f, (runs, 2), (not_captured, 940), (from, 60));
  g_assert_cmpuint(receive(f, 0, 1000), ==, 0);
  forget(f);
  g_assert_cmpuint(receive_cut(f, 950, 100, 60, TCP_ACK), ==, 50);
  g_assert_cmpuint(f->not_captured, ==, 40);
  g_assert_cmpuint(receive_cut(f, 1000, 100, 20, TCP_ACK), ==, 50);
  g_assert_cmpuint(f->not_captured, ==, 40 + 50);
}

/* A segment from before position 0, of which fewer octets were captured than lie there: what lies after
 * them is given as not captured, and nothing is read after what was. A garbled sequence number of the first
 * packets does that. */
TEST(test_not_captured_below_0)
{
  for (uint32_t captured = 0; captured <= 40; captured++) {
    g_autoptr(fixture) f = set_up();
    g_assert_cmpuint(receive_cut(f, (uint64_t)-30, 50, captured, TCP_ACK), ==, 20);
    EXPECT_FIELDS(f, (octets, 20), (not_captured, captured <= 30 ? 20 : 50 - captured), (to, 20));
  }
}

/* The SYN is at -1; octets with it (RFC 7413) begin at 0; the FIN is after the last one. */
STREAM_TEST(test_syn_and_fin)
{
  static const uint8_t octets[2] = {0, 7};
  const capture_segment syn = {
      .flags = TCP_SYN, .sequence = ISN, .payload = octets, .payload_octets = 2, .captured_octets = 2};
  g_assert_cmpuint(capture_stream_receive(f->stream, &syn, take, f), ==, 2);
  g_assert_cmpuint(f->from, ==, 0);
  g_assert_cmpuint(receive_cut(f, 2, 10, 10, TCP_ACK | TCP_FIN), ==, 10);
  g_assert_cmpuint(capture_stream_end(f->stream), ==, 12);
  receive_cut(f, 5, 2, 2, TCP_ACK | TCP_FIN); /* garbled: the first one stays */
}

/* RFC 9293 §3.8.4, §3.8.6.1: a keep-alive is the octet before the edge, or nothing there; a zero-window probe
 * is one new octet, which comes again. */
STREAM_TEST(test_keep_alives_and_probes)
{
  receive(f, 0, 100);
  g_assert_cmpuint(receive(f, 99, 1), ==, 0);
  g_assert_cmpuint(receive(f, 99, 0), ==, 0);
  g_assert_cmpuint(receive(f, 100, 1), ==, 1);
  g_assert_cmpuint(receive(f, 100, 1), ==, 0);
  g_assert_cmpuint(receive(f, 100, 100), ==, 99);
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, 200);
  g_autoptr(fixture) another = set_up(); /* one before the first octet */
  g_assert_cmpuint(receive(another, UINT64_MAX, 1), ==, 0);
  g_assert_cmpuint(receive(another, UINT64_MAX, 2), ==, 1);
  g_assert_cmpuint(another->from, ==, 0);
}

/* A reset's sequence number may be any, and what it carries is of no stream (RFC 9293 §3.5.2). */
STREAM_TEST(test_resets)
{
  receive(f, 0, 100);
  for (uint64_t at = 100; at < UINT64_C(1) << 32; at += 1 << 27) {
    g_assert_cmpuint(receive_cut(f, at, 10, 10, TCP_RST), ==, 0);
    g_assert_cmpuint(receive_cut(f, at, 10, 10, TCP_RST | TCP_FIN), ==, 0);
  }
  g_assert_cmpuint(capture_stream_end(f->stream), ==, 100);
  g_assert_cmpuint(receive(f, 100, 10), ==, 10);
}

/* Segments with a sequence number from anywhere, between those of the stream: these keep their places for
 * GBs. */
STREAM_TEST(test_garbage_far_away)
{
  const uint32_t distances[] = {1u << 25,   1u << 28,   (1u << 29) + 5, 1u << 30,   3u << 30,
                                0x7FFFFFFF, 0x80000000, 0xF0000000,     0xC0000001, 0x90000000};
  uint64_t at = 0;
  for (unsigned i = 0; i < 200000; i++) {
    uint32_t added = receive_cut(f, at, LONGEST, 0, TCP_ACK);
    uint64_t was_missing = LONGEST - added; /* garbage before has been where the stream is now */
    g_assert_cmpuint(was_missing, <=, 100);
    at += LONGEST;
    g_assert_cmpint(capture_stream_position(f->stream, (uint32_t)(ISN + 1 + at)), ==, at);
    if (i % 3 == 0) {
      uint64_t place = at + distances[i / 3 % G_N_ELEMENTS(distances)];
      receive_garbage(f, place, 10);
    }
  }
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), >=, at);
}

/* Garbage ever farther ahead, each step believed: between two of them the stream takes its place again, so
 * that they do not lead away by 2^31, where positions would be taken for older ones. */
STREAM_TEST(test_garbage_step_by_step)
{
  for (uint64_t step = 0; step < 10; step++) {
    uint64_t place = (step + 1) * ((1u << 29) - 1000000);
    receive_garbage(f, place, 1);
    for (uint64_t at = step * 3000; at < (step + 1) * 3000; at += 1000) {
      g_assert_cmpuint(receive(f, at, 1000), ==, 1000);
      g_assert_cmpuint(f->from, ==, at);
    }
  }
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, 30000);
}

/* More than 2^29 octets were not captured: with the second segment after the hole, the stream is there. */
STREAM_TEST(test_giant_hole)
{
  uint64_t after = 1500000000;
  receive(f, 0, 100);
  g_assert_cmpuint(receive(f, after, 100), ==, 0);
  g_assert_cmpuint(receive(f, after + 100, 100), ==, 100);
  g_assert_cmpuint(f->from, ==, after + 100);
  g_assert_cmpuint(receive(f, after + 200, 100), ==, 100);
  g_assert_cmpuint(receive(f, after, 100), ==, 100);
  g_assert_cmpuint(capture_stream_missing(f->stream, 0, after + 300), ==, after - 100);
}

/* A connection whose beginning was not captured: octets from before the first segment have positions too. */
TEST(test_middle)
{
  g_autoptr(fixture) f = fixture_of((uint32_t)(ISN + 1 + 5000), CAPTURE_STREAM_MIDDLE + 5000);
  const uint64_t middle = CAPTURE_STREAM_MIDDLE;
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, middle + 5000);
  g_assert_cmpuint(receive(f, middle + 5000, 100), ==, 100);
  g_assert_cmpuint(receive(f, middle + 4000, 500), ==, 500);
  g_assert_cmpuint(f->from, ==, middle + 4000);
  g_assert_cmpuint(receive(f, middle + 4400, 650), ==, 500);
  g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, middle + 5100);
  g_assert_cmpuint(runs_beyond_edge(f), ==, 0);
  g_assert_cmpuint(capture_stream_missing(f->stream, middle + 3900, middle + 5200), ==, 200);
  g_autoptr(fixture) another = fixture_of((uint32_t)(ISN + 1), CAPTURE_STREAM_MIDDLE);
  g_assert_cmpuint(receive(another, middle - 10, 50), ==, 50); /* across the first position */
  g_assert_cmpuint(capture_stream_in_order_edge(another->stream), ==, middle + 40);
}

/* Returns how many runs there are in octets [from, to) of `octets`. */
static uint32_t runs_of(const bool *octets, uint32_t from, uint32_t to)
{
  uint32_t runs = 0;
  for (uint32_t at = from; at < to; at++) {
    runs += octets[at] && (at == from || !octets[at - 1]);
  }
  return runs;
}

/* Random segments against an array of what has come: in order, out of order, over what came already. Only
 * what is new is given, in ascending runs. */
TEST(test_random)
{
  enum { SPACE = 3000 };
  for (unsigned round = 0; round < 300; round++) {
    bool came[SPACE] = {false};
    uint32_t end = 0;
    g_autoptr(fixture) f = set_up();
    g_assert_cmpuint(capture_stream_end(f->stream), ==, 0);
    g_assert_cmpint(capture_stream_position(f->stream, ISN), ==, -1);
    for (unsigned i = 0; i < 100; i++) {
      bool is_new[SPACE] = {false};
      uint32_t from = round % 3 == 0 ? MIN(i * 29, SPACE - 1) : (uint32_t)g_test_rand_int_range(0, SPACE);
      uint32_t length = (uint32_t)g_test_rand_int_range(0, (int)MIN(200, SPACE - from));
      uint32_t added = 0, missing = 0, edge = 0;
      for (uint32_t at = from; at < from + length; at++) {
        is_new[at] = !came[at];
        added += is_new[at];
        came[at] = true;
      }
      end = length > 0 ? MAX(end, from + length) : end;
      forget(f);
      g_assert_cmpuint(receive(f, from, length), ==, added);
      EXPECT_FIELDS(f, (octets, added), (runs, runs_of(is_new, from, from + length)));
      while (edge < SPACE && came[edge]) {
        edge++;
      }
      g_assert_cmpuint(capture_stream_in_order_edge(f->stream), ==, edge);
      g_assert_cmpuint(capture_stream_end(f->stream), ==, end);
      g_assert_cmpuint(runs_beyond_edge(f), ==, runs_of(came, edge, SPACE));
      uint32_t asked = (uint32_t)g_test_rand_int_range(0, SPACE);
      uint32_t until = (uint32_t)g_test_rand_int_range(0, SPACE + 1);
      for (uint32_t at = asked; at < until; at++) {
        missing += !came[at];
      }
      g_assert_cmpuint(capture_stream_missing(f->stream, asked, until), ==, missing); /* 0: until < asked */
    }
  }
}
