/* SPDX-License-Identifier: GPL-2.0-only */
/* The layer above refuses a segment before TCP commits it: it is as if it had been lost (mpa-01 §7,
 * MPA-286). */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

static tcp_fixture *connected(tcp_passing passing, bool sack)
{
  return tcp_fixture_pair(TCP_WITH(.passing = passing, .sack = sack));
}

/* MPA-286, MPA-028: no ACK, no SACK, nothing passed or held; what follows shows the hole, the peer sends
 * the segment again, and now it is taken. In both ways of passing, with and without SACK. */
TEST(test_refused_segment_is_as_lost)
{
  for (unsigned kind = 0; kind < 4; kind++) {
    g_autoptr(tcp_fixture) f = connected(kind & 1 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED, kind & 2);
    refuse_octets(f, 1, EMSS, EMSS + 1, 1);
    post(f, 0, 6 * EMSS, 0);
    deliver_segments(f, 1); /* one octet short of two segments: the ACK is delayed */
    deliver(f, 0);
    expect_nothing(f, 1);
    g_assert_cmpuint(f->end[1].segments, ==, 2); /* it has come all the same */
    EXPECT_FIELDS(&f->end[1], (segment_new, 0), (passed_octets, EMSS),
                  (connection->gauges.in_order_edge, EMSS));
    g_assert_cmpuint(f->end[1].connection->class->held_octets_below(f->end[1].connection, UINT64_MAX), ==, 0);
    deliver(f, 0);
    expect_ack(f, 1, EMSS);
    tcp_header header = wire_header(f, 1, 0);
    if (kind & 2) {
      g_assert_cmpuint(header.sack_count, ==, 1);
      g_assert_cmpuint(header.sack[0].from, ==, sequence_at(f, 0, 2 * EMSS));
    }
    deliver_all(f, 1);
    deliver_segments(f, 3); /* two more duplicates of the ACK: fast retransmit */
    g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 1);
    complete_transfer(f, 6 * EMSS);
    g_assert_cmpuint(statistics_of(f)->timeouts, ==, 0);
    g_assert_cmpuint(f->end[1].refusals, ==, 0);
  }
}

/* The script is the peer, with a window of end 0 before it. */
static tcp_fixture *against_script(tcp_passing passing)
{
  return tcp_fixture_scripted(TCP_WITH(.passing = passing),
                              &(tcp_header){.window = 9000, .has_sack_permitted = true});
}

/* Asked is about octets that are new, run by run, and about nothing else; when one run is refused the
 * whole segment is dropped. */
FLAG_TEST(test_every_run_of_new_octets_is_asked_about, in_order)
{
  static const range expected[] = {{100, 200}, {0, 100}, {200, 300}, {0, 100}, {200, 300}};
  g_autoptr(tcp_fixture) f = against_script(in_order ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED);
  script_payload(f, 100, 100, 0);
  drop_all(f, 0);
  refuse_octets(f, 0, 250, 251, 1);
  script_payload(f, 0, 300, 0);
  expect_nothing(f, 0);
  EXPECT_FIELDS(&f->end[0], (connection->gauges.in_order_edge, 0), (passed_octets, in_order ? 0 : 100));
  script_payload(f, 0, 300, 0);
  expect_ack(f, 0, 300);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 300);
  script_payload(f, 50, 100, 0);         /* a duplicate: nothing to ask */
  script_payload(f, 300 + 65535, 10, 0); /* beyond the window */
  const GArray *asked = f->end[0].inspected;
  g_assert_cmpmem(asked->data, asked->len * sizeof(range), expected, sizeof expected);
}

/* What lies beyond the window is cut off before anybody is asked: without window scaling the right edge is
 * the in-order edge + 65535. */
TCP_TEST(test_only_what_the_window_takes_is_asked_about, against_script(TCP_PASSING_AS_ARRIVED))
{
  script_payload(f, 65535 - 10, 30, 0);
  g_assert_cmpuint(f->end[0].inspected->len, ==, 1);
  range asked = g_array_index(f->end[0].inspected, range, 0);
  EXPECT_FIELDS(&asked, (from, 65535 - 10), (to, 65535));
}

/* The ACK, the FIN and the window of a refused segment are lost with it. */
TCP_TEST(test_nothing_of_a_refused_segment_is_taken, against_script(TCP_PASSING_AS_ARRIVED))
{
  post(f, 0, 1000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 2); /* the peer named no MSS: 536 and 464 */
  drop_all(f, 0);
  refuse_octets(f, 0, 0, 1, 1);
  tcp_header header = SCRIPT_HEADER(f, 0, 1000, .flags = TCP_ACK | TCP_FIN, .window = 9000);
  script_segment(f, header, 0, 10);
  expect_nothing(f, 0);
  EXPECT_FIELDS(&f->end[0], (acknowledged, 0), (finished, false));
  script_segment(f, header, 0, 10);
  EXPECT_FIELDS(&f->end[0], (acknowledged, 1000), (finished, true));
  expect_ack(f, 0, 11);
}

/* The segment that ends the handshake can be refused as well; the next one ends it. */
TCP_TEST(test_refused_in_the_handshake, tcp_fixture_new(NULL, NULL))
{
  f->end[0].connection->class->listen(f->end[0].connection);
  uint32_t isn = f->end[1].config.isn;
  script_segment(f, (tcp_header){.sequence = isn, .flags = TCP_SYN, .window = 100}, 0, 0);
  drop_all(f, 0);
  refuse_octets(f, 0, 0, 1, 1);
  script_payload(f, 0, 10, 0);
  expect_nothing(f, 0);
  g_assert_false(f->end[0].established);
  script_payload(f, 0, 10, 0);
  EXPECT_FIELDS(&f->end[0], (established, true), (passed_octets, 10));
}

/* A fault of the source comes again with every retransmission: after 8 timeouts the source gives up
 * (MPA-287). */
TCP_TEST(test_refused_for_ever, connected(TCP_PASSING_AS_ARRIVED, true))
{
  refuse_octets(f, 1, 0, 1, G_MAXUINT);
  post(f, 0, 500, 0);
  for (unsigned i = 0; i < 20 && !f->end[0].closed; i++) {
    while (on_wire(f, 0) > 0) {
      deliver(f, 0);
    }
    advance_by(f, 60 * TIME_PS_PER_SECOND);
  }
  expect_closed(f, 0, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(f->end[1].passed_octets, ==, 0);
}
