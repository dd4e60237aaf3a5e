/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that forwards the same octets with its own cuts: docs/scenario.md, "The middlebox:
 * rechunk", sentence by sentence. */
#include <string.h>

#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum { FLUSH_PS = 1000 };

static path_element *box_new(uint32_t chunk, uint32_t phase, bool ignores_push)
{
  const path_middleboxes_config config = {
      .chunk_octets = chunk, .phase_octets = phase, .flush_ps = FLUSH_PS, .ignores_push = ignores_push};

  return &path_rechunk_new(&config, NULL)->element;
}

static path_element *rechunk_new(uint32_t chunk, uint32_t phase)
{
  return box_new(chunk, phase, false);
}

/* A box that has seen the SYN of the connection. */
static path_fixture *set_up(uint32_t chunk, uint32_t phase)
{
  return fixture_connected(rechunk_new(chunk, phase));
}

typedef struct stream {
  const char *name;
  uint32_t chunk, phase;
  const char *steps;
} stream;

static const stream streams[] = {
    /* Segments of 1460: 1460 completes one cell, 2920 the second, 4380 two more. */
    {"cells of 1000", 1000, 0,
     "[0,1460). > [0,1000).; [1460,2920). > [1000,2000).; [2920,4380). > [2000,3000). [3000,4000).;"
     "[4380,5000). > [4000,5000).; due never"},
    /* The first cell is [0, 300), then [300, 1300) … A phase of 2300 is the same. */
    {"phase 300", 1000, 300,
     "[0,299). >; [299,300). > [0,300).; [300,2600). > [300,1300). [1300,2300).; [2600,3299). >;"
     "[3299,3301). > [2300,3300)."},
    {"phase 2300", 1000, 2300,
     "[0,299). >; [299,300). > [0,300).; [300,2600). > [300,1300). [1300,2300).; [2600,3299). >;"
     "[3299,3301). > [2300,3300)."},
    /* Small segments: a cell waits for its last octet, whatever else passes meanwhile: a pure ACK at once. */
    {"a cell waits for all its octets", 1000, 0,
     "[0,100). >; [100,200). >; [200,300). >; [300,400). >; [400,500). >; [500,600). >; [600,700). >;"
     "[700,800). >; [800,900). >; [900,900). > [900,900).; [900,1000). > [0,1000)."},
    /* PSH flushes: [1000, 1460) goes with it, and PSH is on that last piece only. The rest of the cell goes
     * when its end is reached. */
    {"PSH flushes", 1000, 0,
     "[0,1460)P. > [0,1000). [1000,1460)P.; due never; [1460,1900). >; [1900,2100). > [1460,2000).;"
     "[2100,2200)P. > [2000,2200)P.; [2200,3000)P. > [2200,3000)P."},
    /* PSH without payload flushes too, and passes itself. */
    {"PSH without payload", 1000, 0, "[0,400). >; [400,400)P. > [0,400). [400,400)P."},
    {"FIN flushes", 1000, 0, "[0,400). >; [400,1500)F. > [0,1000). [1000,1500)F."},
    /* The last one is a retransmission with the FIN. */
    {"FIN without payload", 1000, 0,
     "[0,400). >; [400,400)F. > [0,400). [400,400)F.; [300,400)FP. > [300,400)FP."},
    {"FIN whose octets are all waiting", 1000, 0, "[0,400). >; [300,400)F. > [0,400)F."},
    /* A FIN before octets that wait contradicts itself: it keeps its place, alone, and nothing is lost. */
    {"FIN in the middle", 1000, 0, "[0,400). >; [100,200)F. > [0,400). [200,200)F."},
    {"RST flushes", 1000, 0, "[0,400). >; [400,400)R > [0,400). [400,400)R"},
    /* The same SYN again flushes and changes nothing else: [1100, 1300) is still a retransmission. A SYN with
     * another ISN begins another stream, whose position 0 is the old 10000. */
    {"SYN flushes", 1000, 0,
     "[0,1400). > [0,1000).; [-1,-1)S > [1000,1400). [-1,-1)S; [1100,1300). > [1100,1300).; [1400,1700). >;"
     "[9999,9999)S > [1400,1700). [9999,9999)S; [10000,11500). > [10000,11000)."},
    /* flush_ps, 1000, after the last octets: the deadline moves with each segment that brings some; pure ACKs
     * do not move it. The rest of the flushed cell goes when its end is reached. */
    {"flush after a pause", 1000, 0,
     "due never; @5000 [0,300). >; due 6000; @5600 [300,400). >; due 6600; @6000 [400,400). > [400,400).;"
     "due 6600; @6599 >; @6600 > [0,400).; due never; @7000 [400,1200). > [400,1000).; due 8000"},
    /* Retransmissions pass at once, cut at the grid, and disturb neither what waits ([2000, 2400) here) nor
     * the cuts after it. */
    {"retransmissions", 1000, 0,
     "[0,2400). > [0,1000). [1000,2000).; [500,700). > [500,700).; [500,1960). > [500,1000). [1000,1960).;"
     "[2000,2400). >; [1460,2500). > [1460,2000).; [1900,3000). > [1900,2000). [2000,3000).;"
     "[2500,3460). > [2500,3000).; [3460,4000). > [3000,4000)."},
    /* The same while nothing waits: an earlier retransmission does not make a later one new. */
    {"retransmissions after a flush", 1000, 0,
     "[0,2400)P. > [0,1000). [1000,2000). [2000,2400)P.; [500,1960). > [500,1000). [1000,1960).;"
     "[100,300). > [100,300).; [900,1100). > [900,1000). [1000,1100).; [2100,2200). > [2100,2200)."},
    /* PSH is where it was, and on the last of what leaves because of it. */
    {"retransmission with PSH", 1000, 0,
     "[0,1400). > [0,1000).; [900,1000)P. > [900,1000)P. [1000,1400)P.;"
     "[900,1300)P. > [900,1000). [1000,1300)P."},
    /* A retransmission that goes on beyond what was flushed in the middle of a cell is one piece up to the
     * line. [300, 450) is late, though [1000, 1100) waits. */
    {"retransmission across a flush", 1000, 0,
     "[0,400)P. > [0,400)P.; [200,1100). > [200,1000).; [300,450). > [300,450).;"
     "[1100,2000). > [1000,2000)."},
    /* After a hole: what waits leaves; the new octets are cut on the same grid, the tail waits for its line.
     * What fills the hole passes at once. */
    {"hole", 1000, 0,
     "[0,1400). > [0,1000).; [2800,4200). > [1000,1400). [2800,3000). [3000,4000).;"
     "[1400,2800). > [1400,2000). [2000,2800).; [4200,5600). > [4000,5000)."},
    /* A segment after a hole that reaches no line waits for it, not for the hole; the filling passes at once.
     */
    {"hole within a cell", 1000, 0,
     "[200,500). >; [0,100). > [0,100).; [500,1100). > [200,1000).; [100,200). > [100,200).;"
     "[1100,2000). > [1000,2000)."},
    /* One segment that fills the hole, holds what waits and goes on: nothing twice. */
    {"filling beyond what waits", 1000, 0, "[200,500). >; [0,800). > [0,200).; [800,1000). > [200,1000)."},
    /* An octet before the stream (a keep-alive's) belongs to no cell. */
    {"octet before the stream", 1000, 0, "[-1,0). > [-1,0).; [0,1460). > [0,1000)."},
};

EACH_TEST(test_stream, stream, streams)
{
  g_autoptr(path_fixture) f = set_up(c->chunk, c->phase);
  fixture_steps(f, c->steps);
}

/* A box that ignores PSH: octets wait, also when PSH comes alone, and PSH goes with the octet that it came
 * with: 1459 is in the second piece, and what waits leaves with it after the pause. A retransmission with PSH
 * leaves the rest waiting. FIN flushes. */
TEST(test_push_ignored)
{
  g_autoptr(path_fixture) f = fixture_connected(box_new(1000, 0, true));
  fixture_steps(f, "[0,1460)P. > [0,1000).; [1460,1460)P. > [1460,1460)P.; [1460,2920). > [1000,2000)P.;"
                   "[1460,1560)P. > [1460,1560)P.; @10 [2920,2950)P. >; due 1010; @1010 > [2000,2950)P.;"
                   "[2950,3010). > [2950,3000).; [3010,3100)F. > [3000,3100)F.");
}

/* A FIN before octets that wait goes alone, with the timestamp of the segment that brought it: 20, not the 10
 * of the piece before it. */
PATH_TEST(test_a_fin_alone_has_its_own_timestamp, set_up(1000, 0))
{
  const struct {
    int64_t from, to;
    uint8_t flags;
    uint32_t timestamp;
  } segments[] = {{0, 400, 0, 10}, {100, 200, TCP_FIN, 20}};

  for (guint i = 0; i < G_N_ELEMENTS(segments); i++) {
    tcp_header header = test_header(1000, segments[i].from, TCP_ACK | segments[i].flags);
    header.has_timestamps = true;
    header.timestamp_value = segments[i].timestamp;
    path_element_receive(
        f->element, test_packet_of(&header, segments[i].from, (uint32_t)(segments[i].to - segments[i].from)),
        0);
  }
  g_assert_cmpuint(fixture_header(f, 0).timestamp_value, ==, 10);
  g_assert_cmpuint(fixture_header(f, 1).timestamp_value, ==, 20);
  fixture_assert_output(f, "[0,400). [200,200)F.");
}

/* A connection whose SYN was not seen has no grid. */
PATH_TEST(test_without_a_syn, fixture_of(rechunk_new(1000, 0)))
{
  fixture_steps(f, "[0,1460). > [0,1460).; [1460,1470)F. > [1460,1470)F.");
}

/* A segment that is a cell, or lies between two lines and need not wait, goes as it is: the same packet. */
PATH_TEST(test_an_untouched_segment_is_the_same_packet, set_up(1000, 0))
{
  datagram *packets[] = {test_packet(0, 1000, TCP_ACK), test_packet(1000, 300, TCP_ACK | TCP_PSH),
                         test_packet(1000, 200, TCP_ACK)};
  for (guint i = 0; i < G_N_ELEMENTS(packets); i++) {
    path_element_receive(f->element, packets[i], 0);
    g_assert_cmpuint(f->output->len, ==, 1);
    g_assert_true(test_output_at(f->output, 0)->packet == packets[i]);
    test_output_clear(f->output);
  }
}

/* Acknowledgements of another stream on the same ports are independent of those of the first: 1000, though
 * the first had 4242. */
PATH_TEST(test_ports_used_again, set_up(1000, 0))
{
  fixture_steps(f, "[0,1000). > [0,1000).");
  path_element_receive(f->element, test_packet(9999, 0, TCP_SYN), 0);
  tcp_header header = test_header(1000, 10000, TCP_ACK);
  header.acknowledgement = 1000;
  test_output_clear(f->output);
  path_element_receive(f->element, test_packet_of(&header, 10000, 1460), 0);
  g_assert_cmpuint(fixture_header(f, 0).acknowledgement, ==, 1000);
  fixture_assert_output(f, "[10000,11000).");
}

/* The grid goes on where sequence numbers begin again: 2^32 is 296 octets after a line of 1000, so the
 * piece there has 704. */
PATH_TEST(test_grid_beyond_4_gib, set_up(1000, 0))
{
  for (int64_t from = 0; from <= INT64_C(4) << 30; from += 1 << 30) {
    test_output_clear(f->output);
    fixture_segment(f, from, from + 1460, 0, 0);
  }
  g_assert_cmpuint(fixture_packet(f, f->output->len - 1)->payload.length, ==, 704);
}

/* Three connections wait; their flushes come in the order of their last octets, each with its own octets. */
PATH_TEST(test_connections_are_apart, fixture_of(rechunk_new(1000, 0)))
{
  for (uint16_t port = 1; port <= 3; port++) {
    tcp_header syn = test_header(port, -1, TCP_SYN);
    path_element_receive(f->element, test_packet_of(&syn, -1, 0), 0);
  }
  test_output_clear(f->output);
  const struct {
    uint16_t port;
    int64_t from, to;
    time_ps at;
  } inputs[] = {{1, 0, 100, 10}, {2, 0, 500, 20}, {3, 0, 300, 30}, {1, 100, 200, 40}, {3, 300, 1000, 50}};
  for (guint i = 0; i < G_N_ELEMENTS(inputs); i++) {
    tcp_header header = test_header(inputs[i].port, inputs[i].from, TCP_ACK);
    datagram *packet = test_packet_of(&header, inputs[i].from, (uint32_t)(inputs[i].to - inputs[i].from));
    path_element_receive(f->element, packet, inputs[i].at);
  }
  fixture_assert_output(f, "[0,1000)."); /* connection 3 */
  g_assert_cmpint(path_element_deadline(f->element), ==, 20 + FLUSH_PS);
  path_element_run(f->element, 20 + FLUSH_PS);
  fixture_assert_output(f, "[0,500)."); /* connection 2 */
  g_assert_cmpint(path_element_deadline(f->element), ==, 40 + FLUSH_PS);
  path_element_run(f->element, 40 + FLUSH_PS);
  fixture_assert_output(f, "[0,200)."); /* connection 1 */
  g_assert_cmpint(fixture_deadline(f), ==, TIME_PS_NEVER);
}

/* ---- Random segmentation against the definition ---- */

enum { STREAM = 20000 };

/* This is the state of one run of the random tests. */
typedef struct shadow {
  uint32_t chunk, phase;
  uint8_t forwarded[STREAM + 1]; /* 1: this octet came out */
  uint8_t given[STREAM + 1];     /* 1: this octet went in */
  uint8_t may_cut[STREAM + 1];   /* 1: a cut before this octet is no line of the grid, but has a reason */
} shadow;

static bool is_line(const shadow *s, int64_t position)
{
  return (position + s->chunk - s->phase % s->chunk) % s->chunk == 0;
}

/* Takes what came out: octets as they must be, no line inside a piece, and both
 * ends on a line or at a place that has a reason. */
static void check_pieces(path_fixture *f, shadow *s)
{
  for (guint i = 0; i < f->output->len; i++) {
    const datagram *packet = test_output_at(f->output, i)->packet;
    tcp_header header;
    datagram_tcp_header(packet, &header);
    int64_t from = tcp_position_of(header.sequence, TEST_ISN, STREAM / 2);
    int64_t to = from + packet->payload.length;
    bool cut_right = to > from && (from == 0 || is_line(s, from) || s->may_cut[from]) &&
                     (is_line(s, to) || s->may_cut[to]);
    if (!cut_right) {
      g_test_message("piece [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ")", from, to);
    }
    g_assert_true(cut_right);
    for (int64_t at = from; at < to; at++) {
      g_assert_true(at == from || !is_line(s, at));
      g_assert_true(s->given[at]);
      g_assert_cmpuint(buffer_chain_at(&packet->payload, (uint32_t)(at - from)), ==, test_octet(at));
      s->forwarded[at] = 1;
    }
  }
  test_output_clear(f->output);
}

static void give(path_fixture *f, shadow *s, int64_t from, int64_t to, uint8_t flags)
{
  g_test_message("segment [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ") %x", from, to, flags);
  memset(s->given + from, 1, (size_t)(to - from));
  fixture_segment(f, from, to, flags, 0);
}

/* A stream without holes, in segments of 1 … 1500 octets, with retransmissions, PSH and pauses: a piece may
 * end off the grid only at an end of a segment with PSH, where the pause was, or where a retransmission
 * begins or ends. Octets below the last line never wait. */
static void random_stream_without_holes(GRand *random, uint32_t chunk, uint32_t phase)
{
  g_test_message("chunk %u phase %u", chunk, phase);
  g_autoptr(path_fixture) f = set_up(chunk, phase);
  shadow s = {.chunk = chunk, .phase = phase};
  int64_t next = 0;
  while (next < STREAM) {
    int64_t length = g_rand_int_range(random, 1, 1500);
    int64_t to = MIN(next + length, STREAM);
    int what = g_rand_int_range(random, 0, 10);
    bool psh = what == 0 || to == STREAM;
    s.may_cut[to] |= psh;
    give(f, &s, next, to, psh ? TCP_PSH : 0);
    next = to;
    if (what == 1) { /* a pause */
      s.may_cut[next] = 1;
      path_element_run(f->element, FLUSH_PS);
    } else if (what == 2) { /* a retransmission of anything sent */
      int64_t again = g_rand_int_range(random, 0, (gint32)next);
      int64_t again_to = MIN(again + 1460, next);
      s.may_cut[again] = s.may_cut[again_to] = 1;
      give(f, &s, again, again_to, 0);
    }
    check_pieces(f, &s);
    int64_t line = next; /* the last line at or below: octets below it are out */
    while (line > 0 && !is_line(&s, line)) {
      line--;
    }
    g_assert_true(line == 0 || memchr(s.forwarded, 0, (size_t)line) == NULL);
  }
  g_assert_null(memchr(s.forwarded, 0, STREAM));
  g_assert_cmpint(fixture_deadline(f), ==, TIME_PS_NEVER);
}

TEST(test_random_stream_without_holes)
{
  const guint32 seed = 20260303;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  for (int round = 0; round < 30; round++) {
    uint32_t chunk = (uint32_t)g_rand_int_range(random, 1, round % 3 == 0 ? 64 : 2500);
    random_stream_without_holes(random, chunk, (uint32_t)g_rand_int_range(random, 0, 3000));
  }
}
