/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that joins segments: path_coalesce.c. */
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum { HOLD_PS = 1000 };

static path_element *coalesce_new(uint32_t max_octets)
{
  const path_middleboxes_config config = {.coalesce_octets = max_octets, .coalesce_ps = HOLD_PS};

  return &path_coalesce_new(&config, NULL)->element;
}

static path_fixture *set_up(uint32_t max_octets)
{
  return fixture_connected(coalesce_new(max_octets));
}

typedef struct stream {
  const char *name;
  uint32_t max_octets;
  const char *steps;
} stream;

static const stream streams[] = {
    /* Two of 1460 fit, the third would make 4380; exactly 4000 leave at once. One that is longer by itself is
     * not cut. */
    {"up to so many octets", 4000,
     "[0,1460). >; [1460,2920). >; [2920,4380). > [0,2920).; [4380,6920). > [2920,6920).;"
     "[6920,12000). > [6920,12000).; due never"},
    /* The time counts from the first of them, not from the last. */
    {"up to so much time", 64000,
     "@5000 [0,1000). >; @5999 [1000,2000). >; due 6000; @5999 >; @6000 > [0,2000).; due never;"
     "@6001 [2000,2100). >; due 7001"},
    /* PSH and FIN go with what waits and end it; what has no payload (a pure ACK) and what has SYN or RST
     * goes after it. */
    {"what ends it", 64000,
     "[0,1000). >; [1000,1100)P. > [0,1100)P.; [1100,1200)P. > [1100,1200)P.; [1200,1300). >;"
     "[1300,1300). > [1200,1300). [1300,1300).; [1300,1400). >; [1400,1400)R. > [1300,1400). [1400,1400)R.;"
     "[1400,1500). >; [-1,-1)S > [1400,1500). [-1,-1)S; [1500,1600). >; [1600,1700)F. > [1500,1700)F.;"
     "[1700,1800). >; [1800,1800)F. > [1700,1800). [1800,1800)F."},
    /* A hole, a repeated or an overlapping segment: what waits leaves, the segment begins anew. */
    {"what does not follow", 64000,
     "[0,1000). >; [2000,3000). > [0,1000).; [1000,2000). > [2000,3000).; [1500,2500). > [1000,2000).;"
     "[2500,2600)P. > [1500,2600)P."},
};

EACH_TEST(test_stream, stream, streams)
{
  g_autoptr(path_fixture) box = set_up(c->max_octets);
  fixture_steps(box, c->steps);
}

/* A box that ignores PSH: what is joined has it when one of the segments had. FIN ends it as ever. */
TEST(test_push_ignored)
{
  const path_middleboxes_config config = {
      .coalesce_octets = 3000, .coalesce_ps = HOLD_PS, .ignores_push = true};
  g_autoptr(path_fixture) f = fixture_connected(&path_coalesce_new(&config, NULL)->element);
  fixture_steps(f, "[0,1000)P. >; [1000,2000). >; [2000,3000). > [0,3000)P.; [3000,4000)P. >; due 1000;"
                   "@1000 > [3000,4000)P.; [4000,5000). >; [5000,6000)F. > [4000,6000)F.");
}

/* A segment that stays alone is the same packet. */
PATH_TEST(test_alone, set_up(64000))
{
  datagram *packet = test_packet(0, 1000, TCP_ACK);

  path_element_receive(f->element, packet, 0);
  path_element_run(f->element, HOLD_PS);
  g_assert_true(fixture_packet(f, 0) == packet);
  fixture_assert_output(f, "[0,1000).");
}

/* Two segments sent again are joined like others, to each other and to what follows; the mark is on all of
 * it. */
PATH_TEST(test_retransmissions, set_up(64000))
{
  fixture_steps(f, "[3000,4000). >");
  for (int64_t from = 1000; from < 3000; from += 1000) {
    datagram *again = test_packet(from, 1000, TCP_ACK);
    again->retransmission = true;
    path_element_receive(f->element, again, 0);
  }
  fixture_segment(f, 3000, 4000, 0, 0);
  path_element_run(f->element, HOLD_PS);
  g_assert_cmpuint(f->output->len, ==, 2);
  g_assert_false(fixture_packet(f, 0)->retransmission);
  g_assert_true(fixture_packet(f, 1)->retransmission);
  fixture_assert_output(f, "[3000,4000). [1000,4000).");
}

static datagram *segment_of(tcp_header header, int64_t from, uint32_t length)
{
  header.sequence = tcp_sequence_of(from, TEST_ISN);
  return test_packet_of(&header, from, length);
}

/* What differs is not joined: one case a line. */
TEST(test_what_differs)
{
  for (int what = 0; what < 6; what++) {
    g_autoptr(path_fixture) box = set_up(64000);
    tcp_header header = test_header(1000, 0, TCP_ACK);
    path_element_receive(box->element, segment_of(header, 0, 100), 0);
    header.flags |= what == 0 ? TCP_ECE : what == 1 ? TCP_CWR : 0;
    header.has_timestamps = what == 2;
    header.sack_count = what == 3;
    datagram *packet = segment_of(header, 100, 100);
    if (what == 4) {
      datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
    } else if (what == 5) {
      datagram_allow_fragments(packet, 9);
    }
    path_element_receive(box->element, packet, 0);
    g_assert_cmpuint(box->output->len, ==, 1);
    fixture_assert_output(box, "[0,100).");
  }
}

/* Timestamps and acknowledgement may differ: the joined segment has the oldest of the ones, the newest of
 * the others. */
PATH_TEST(test_header_fields, set_up(64000))
{
  tcp_header header = test_header(1000, 0, TCP_ACK);

  header.has_timestamps = true;
  for (uint32_t i = 0; i < 3; i++) {
    header.timestamp_value = 0xFFFFFFFE + i; /* wraps */
    header.timestamp_echo = 50 + i;
    header.acknowledgement = 0xFFFFFFFE + i;
    header.window = (uint16_t)(900 + i);
    path_element_receive(f->element, segment_of(header, 100 * i, 100), 0);
  }
  path_element_run(f->element, HOLD_PS);
  tcp_header joined = fixture_header(f, 0);
  EXPECT_FIELDS(&joined, (timestamp_value, 0xFFFFFFFE), (timestamp_echo, 52), (acknowledgement, 0),
                (window, 902));
  fixture_assert_output(f, "[0,300).");
}

/* Segments of two connections are not joined; each has its own time. */
PATH_TEST(test_connections_are_apart, fixture_of(coalesce_new(64000)))
{
  tcp_header headers[] = {test_header(1, 0, TCP_ACK), test_header(2, 0, TCP_ACK)};

  for (int i = 0; i < 4; i++) {
    datagram *packet = segment_of(headers[i % 2], 100 * (i / 2), 100);
    path_element_receive(f->element, packet, 10 * i);
  }
  g_assert_cmpint(path_element_deadline(f->element), ==, HOLD_PS);
  path_element_run(f->element, HOLD_PS);
  g_assert_cmpuint(fixture_header(f, 0).source_port, ==, 1);
  fixture_assert_output(f, "[0,200).");
  path_element_run(f->element, HOLD_PS + 10);
  g_assert_cmpuint(fixture_header(f, 0).source_port, ==, 2);
  fixture_assert_output(f, "[0,200).");
}
