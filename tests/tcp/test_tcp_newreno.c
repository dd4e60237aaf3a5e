/* SPDX-License-Identifier: GPL-2.0-only */
/* Fast retransmit and recovery without SACK: NewReno (RFC 6582). */
#include <glib.h>

#include "tcp_kit.h"

enum { EMSS = 1460 };

/* The same without SACK: limited transmit by RFC 3042; the third duplicate makes the threshold 5 and the
 * window 5 + 3 (RFC 6582 §3.2). */
static void test_fast_retransmit_without_sack(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(false);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 2);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 2), ==, 10 * EMSS);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 11 * EMSS);
  deliver_segments(kit, 1);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 8 * EMSS);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
}

/* Without SACK the second loss shows only when the first is repaired: the partial ACK sends it again at
 * once. */
static void test_two_losses_without_sack_take_partial_acks(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(false);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  drop_segment(kit, 0);
  deliver_segments(kit, 5); /* 5 to 9 */
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  expect_segment(kit, 0, 0, EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 4 * EMSS);
  expect_segment(kit, 0, 4 * EMSS, EMSS);
  deliver_and_acknowledge(kit);
  expect_nothing(kit, 0);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  /* the full ACK leaves min(5, max(0, 1) + 1) segments */
  g_assert_cmpuint(window_of(kit), ==, 2 * EMSS);
}

/* RFC 6582 §3.2 step 3: the first partial ACK restarts the timer (RTO 300 ms), the second does not. */
static void test_partial_acks_and_the_timer(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(false);
  post(kit, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    if (i == 0 || i == 3 || i == 5) {
      drop_segment(kit, 0);
    } else {
      deliver_and_acknowledge(kit);
    }
  }
  expect_segment(kit, 0, 0, EMSS);
  advance_by(kit, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 3 * EMSS);
  time_ps deadline = kit->now + 300 * TIME_PS_PER_MILLISECOND;
  g_assert_cmpint(tcp_transport_deadline(kit->end[0].connection), ==, deadline);
  advance_by(kit, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 5 * EMSS);
  g_assert_cmpint(tcp_transport_deadline(kit->end[0].connection), ==, deadline);
}

/* Without SACK all is sent again after a time-out; the duplicates that this brings back start no fast
 * retransmit (RFC 6582 §3.2 steps 2 and 6). */
static void test_no_fast_retransmit_from_what_was_sent_for_nothing(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(false);
  post(kit, 0, 8 * EMSS, 0);
  drop_segment(kit, 0);
  deliver(kit, 0); /* 1 to 7 arrive, all their ACKs are lost */
  while (on_wire(kit, 0) > 0) {
    deliver(kit, 0);
  }
  drop_all(kit, 1);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(kit, 0, 0, EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 8 * EMSS);
  expect_nothing(kit, 0);
  post(kit, 0, 2 * EMSS, 0);
  uint64_t window = window_of(kit);
  for (unsigned i = 0; i < 3; i++) {
    static const uint8_t nothing;
    octet_rope old;
    octet_rope_init(&old);
    octet_rope_append(&old, &nothing, 1, NULL);
    tcp_header header = wire_header(kit, 0, 0);
    header.sequence = tcp_sequence_of(0, kit->end[0].config.isn);
    const ip_address source = ip_address_v4(0x0A000001);
    const ip_address destination = ip_address_v4(0x0A000002);
    datagram *again = datagram_new_in(NULL, &source, &destination, &header, &old);
    tcp_transport_receive(kit->end[1].connection, again, kit->now);
    collect(kit, 1);
    datagram_unref(again);
  }
  g_assert_cmpuint(on_wire(kit, 1), ==, 3); /* three duplicates of the ACK of 8 segments */
  deliver_all(kit, 1);
  g_assert_cmpuint(window_of(kit), ==, window);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
}

/* Without SACK an ACK that changes the window is no duplicate (RFC 5681 §2). */
static void test_window_updates_are_no_duplicates(void)
{
  tcp_config config = tcp_kit_config();
  g_autoptr(tcp_kit) kit =
      tcp_kit_scripted(&config, &(tcp_header){.window = 60000, .has_mss = true, .mss_octets = EMSS});
  post(kit, 0, 10 * EMSS, 0);
  drop_all(kit, 0);
  tcp_header header = {.sequence = tcp_sequence_of(0, kit->end[1].config.isn),
                       .acknowledgement = tcp_sequence_of(0, config.isn),
                       .flags = TCP_ACK};
  for (uint16_t i = 1; i <= 5; i++) {
    header.window = (uint16_t)(60000 + i);
    script_segment(kit, header, 0, 0);
  }
  expect_nothing(kit, 0);
  for (unsigned i = 1; i <= 3; i++) {
    script_segment(kit, header, 0, 0);
  }
  expect_segment(kit, 0, 0, EMSS);
}

/* RFC 6582 §3.2 step 4: 20 queued, 10 and the two of limited transmit in flight, 0 lost. The third duplicate makes
 * the window 5 + 3, the eight more of 4 to 11 make it 16: 4 new segments leave behind the 12. */
static void test_duplicates_let_new_segments_out(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(false);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 11);
  g_assert_cmpuint(window_of(kit), ==, 16 * EMSS);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1 + 4);
  g_assert_cmpuint(wire_position(kit, 0, 4), ==, 15 * EMSS);
}

/* A middlebox has cut the retransmission of the first segment at 500 and 1000. The partial ACKs of its pieces
 * point to no other hole: nothing is sent again before the ACK of all of it, which does (RFC 6582 §3.2 step
 * 3). */
static void test_retransmission_that_comes_in_pieces(void)
{
  tcp_config config = tcp_kit_config();
  g_autoptr(tcp_kit) kit =
      tcp_kit_scripted(&config, &(tcp_header){.window = 65535, .has_mss = true, .mss_octets = EMSS});
  post(kit, 0, 10 * EMSS, 0);
  drop_all(kit, 0);
  for (unsigned i = 0; i < 3; i++) {
    script_ack(kit, 0, 0, NULL);
  }
  expect_segment(kit, 0, 0, EMSS);
  drop_segment(kit, 0);
  script_ack(kit, 500, 0, NULL);
  script_ack(kit, 1000, 0, NULL);
  expect_nothing(kit, 0);
  script_ack(kit, EMSS, 0, NULL);
  expect_segment(kit, 0, EMSS, EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
}

/* A middlebox that cuts the segments into small pieces makes many duplicates of each: 10 segments are in flight, 60 duplicates come.
 * More than 10 segments cannot have left the network: the window is at most the threshold (5) and those. */
static void test_duplicates_of_small_pieces(void)
{
  tcp_config config = tcp_kit_config();
  g_autoptr(tcp_kit) kit =
      tcp_kit_scripted(&config, &(tcp_header){.window = 65535, .has_mss = true, .mss_octets = EMSS});
  post(kit, 0, 10 * EMSS, 0);
  drop_all(kit, 0);
  for (unsigned i = 0; i < 60; i++) {
    script_ack(kit, 0, 0, NULL);
  }
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, (5 + 10) * EMSS);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/newreno/fast_retransmit_without_sack", test_fast_retransmit_without_sack);
  g_test_add_func("/tcp/newreno/two_losses_without_sack", test_two_losses_without_sack_take_partial_acks);
  g_test_add_func("/tcp/newreno/partial_acks_and_the_timer", test_partial_acks_and_the_timer);
  g_test_add_func("/tcp/newreno/no_fast_retransmit_for_nothing",
                  test_no_fast_retransmit_from_what_was_sent_for_nothing);
  g_test_add_func("/tcp/newreno/window_updates_are_no_duplicates", test_window_updates_are_no_duplicates);
  g_test_add_func("/tcp/newreno/retransmission_that_comes_in_pieces",
                  test_retransmission_that_comes_in_pieces);
  g_test_add_func("/tcp/newreno/duplicates_let_new_segments_out", test_duplicates_let_new_segments_out);
  g_test_add_func("/tcp/newreno/duplicates_of_small_pieces", test_duplicates_of_small_pieces);
  return g_test_run();
}
