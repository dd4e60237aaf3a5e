/* SPDX-License-Identifier: GPL-2.0-only */
/* Fast retransmit and SACK recovery (RFC 6675). */
#include <glib.h>

#include "tcp_kit.h"

enum { EMSS = 1460 };

/* 20 segments queued, a window of 10: the first is lost. Each of the first two duplicates lets a new
 * segment out (RFC 6675 §5 step 3), the third starts recovery: FlightSize without those two is 10
 * segments, so the window is 5. */
static void test_fast_retransmit_with_sack(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 10);
  drop_segment(kit, 0);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 10 * EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 11 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 10 * EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS);
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
}

/* Two duplicates are no loss: two segments overtaken by two others come into order, and nothing is sent
 * again. */
static void test_slight_reordering_is_no_loss(void)
{
  for (unsigned sack = 0; sack < 2; sack++) {
    g_autoptr(tcp_kit) kit = tcp_kit_connected(sack);
    post(kit, 0, 10 * EMSS, 0);
    reorder_segments(kit, 0, 0, 2);
    settle(kit, TCP_KIT_ROUND_TRIP);
    g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 0);
    g_assert_cmpuint(threshold_of(kit), ==, UINT64_MAX);
  }
}

/* Segments 0 and 4 are lost, 20 are queued. Two duplicates let 10 and 11 out, the third starts recovery
 * with a window of 5. Segment 4 is lost once 5, 6 and 7 are SACKed; pipe is 8 to 11 and the retransmission
 * of 0 then, so it is sent again when 8 is SACKed: all of it before anything of the first retransmission
 * is heard. */
static void test_two_losses_with_sack_take_one_round_trip(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  expect_segment(kit, 0, 4 * EMSS, EMSS);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  deliver_segments(kit, 1);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 4 * EMSS);
  deliver_segments(kit, 3); /* 9, 10, 11: each lets a new segment out */
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 14 * EMSS);
  deliver_segments(kit, 2); /* both retransmissions */
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 12 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS); /* one reduction for one window of data */
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
}

/* NextSeg() rule 4: 0 and the last, 9, are lost. Nothing behind 9 shows its loss; when the retransmission of 0
 * is acknowledged and 9 is still not there, the rescue sends it again without a time-out. */
static void test_rescue_of_the_tail(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 8);
  expect_segment(kit, 0, 9 * EMSS, EMSS);
  drop_segment(kit, 0);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 9 * EMSS);
  expect_segment(kit, 0, 9 * EMSS, EMSS);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
}

/* Only 0 is lost. When 6 is SACKed, pipe is 7, 8, 9 and the retransmission of 0: less than the window of 5, but
 * the SACKs of 7, 8 and 9 are on their way. */
static void test_no_rescue_of_what_is_on_its_way(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
}

/* 0 and 5 are lost and shown by SACK. The retransmission of 0 is acknowledged, 10 is posted behind it: it leaves once, for nothing can
 * be known of it yet. */
static void test_no_rescue_of_what_has_just_left(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 4);
  drop_segment(kit, 0);
  deliver_segments(kit, 4); /* both retransmissions leave */
  deliver_segments(kit, 1);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 5 * EMSS);
  post(kit, 0, EMSS, 0);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 11 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
}

/* In recovery new data leaves as pipe allows: all but 0 are SACKed, pipe is the retransmission of 0, the window
 * 5. */
static void test_new_data_in_recovery(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 9);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  post(kit, 0, 10 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1 + 4);
  g_assert_cmpuint(wire_position(kit, 0, 4), ==, 13 * EMSS);
}

/* What a second loss in the same window of data costs: nothing more. A loss in the next window halves
 * again. */
static void test_each_window_halves_once(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 60 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 60 * EMSS);
  uint64_t before = window_of(kit);
  post(kit, 0, 6 * EMSS, 0);
  g_assert_cmpuint(before, >=, 6 * EMSS);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(window_of(kit), ==, 3 * EMSS);
}

/* NextSeg() rule 4 once in a recovery: 9, lost with 0, has been sent again for rescue; 10, new, leaves once,
 * though there is room for more (window 5, pipe 10 and twice 9). */
static void test_one_rescue_in_a_recovery(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 8);
  drop_segment(kit, 0);
  deliver_and_acknowledge(kit); /* the retransmission of 0 */
  expect_segment(kit, 0, 9 * EMSS, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  post(kit, 0, EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 2);
  g_assert_cmpuint(wire_position(kit, 0, 1), ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
}

/* The window of 10 segments is full and 10 more are queued: the hole will open it, so nothing but the
 * first segment is sent again. */
static void test_no_rescue_behind_a_full_window(void)
{
  tcp_config config = tcp_kit_config();
  tcp_config peer = config;
  peer.receive_window_octets = 10 * EMSS;
  g_autoptr(tcp_kit) kit = tcp_kit_new(&config, &peer);
  handshake(kit, TCP_KIT_ROUND_TRIP, NULL);
  post(kit, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 10);
  drop_segment(kit, 0);
  deliver_segments(kit, 9);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  expect_segment(kit, 0, 0, EMSS);
  settle(kit, TCP_KIT_ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
}

/* Recovery begins with 12 segments sent (10 and the two of limited transmit): what follows, from 12 on, belongs to
 * the next window of data. 12 is lost too, 13 to 15 tell so: the window of 5 becomes 2 (4 in flight). */
static void test_loss_right_behind_the_recovery_point(void)
{
  g_autoptr(tcp_kit) kit = tcp_kit_connected(true);
  post(kit, 0, 16 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 11);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1 + 4);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 12 * EMSS);
  expect_segment(kit, 0, 12 * EMSS, EMSS);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  expect_segment(kit, 0, 12 * EMSS, EMSS);
  g_assert_cmpuint(window_of(kit), ==, 2 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
}

/* A script that knows SACK has 10 segments to come. */
static tcp_kit *ten_segments_to_a_script(void)
{
  tcp_config config = tcp_kit_config();
  tcp_kit *kit = tcp_kit_scripted(
      &config,
      &(tcp_header){.window = 65535, .has_mss = true, .mss_octets = EMSS, .has_sack_permitted = true});
  post(kit, 0, 10 * EMSS, 0);
  drop_all(kit, 0);
  return kit;
}

/* The ACKs of 2 and 3 are lost. That of 4 is the first to tell of anything behind 1, and three SACKed segments are
 * enough (RFC 6675 §5 step 2). An ACK that moves on to the hole and shows as much starts recovery too. 9 segments
 * are in flight: the window becomes 9 * 1460 / 2 = 6570. */
static void test_one_ack_shows_the_loss(void)
{
  static const uint64_t sacked[][2] = {{2 * EMSS, 5 * EMSS}};
  for (unsigned advances = 0; advances < 2; advances++) {
    g_autoptr(tcp_kit) kit = ten_segments_to_a_script();
    if (!advances) {
      script_ack(kit, EMSS, 0, NULL);
    }
    expect_nothing(kit, 0);
    script_ack(kit, EMSS, 1, sacked);
    expect_segment(kit, 0, EMSS, EMSS);
    g_assert_cmpuint(window_of(kit), ==, 6570);
  }
}

/* 1 to 6 are lost, the window is 6570 octets, 4.5 segments: the first four are sent again, the fifth waits until an
 * ACK makes room for all of it. */
static void test_retransmissions_heed_the_window(void)
{
  static const uint64_t sacked[][2] = {{7 * EMSS, 10 * EMSS}};
  g_autoptr(tcp_kit) kit = ten_segments_to_a_script();
  script_ack(kit, EMSS, 1, sacked);
  g_assert_cmpuint(on_wire(kit, 0), ==, 4);
  script_ack(kit, 2 * EMSS, 1, sacked);
  g_assert_cmpuint(on_wire(kit, 0), ==, 5);
  g_assert_cmpuint(wire_position(kit, 0, 4), ==, 5 * EMSS);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/recovery/fast_retransmit_with_sack", test_fast_retransmit_with_sack);
  g_test_add_func("/tcp/recovery/slight_reordering_is_no_loss", test_slight_reordering_is_no_loss);
  g_test_add_func("/tcp/recovery/two_losses_with_sack", test_two_losses_with_sack_take_one_round_trip);
  g_test_add_func("/tcp/recovery/rescue_of_the_tail", test_rescue_of_the_tail);
  g_test_add_func("/tcp/recovery/no_rescue_of_what_is_on_its_way", test_no_rescue_of_what_is_on_its_way);
  g_test_add_func("/tcp/recovery/no_rescue_of_what_has_just_left", test_no_rescue_of_what_has_just_left);
  g_test_add_func("/tcp/recovery/new_data_in_recovery", test_new_data_in_recovery);
  g_test_add_func("/tcp/recovery/each_window_halves_once", test_each_window_halves_once);
  g_test_add_func("/tcp/recovery/one_rescue_in_a_recovery", test_one_rescue_in_a_recovery);
  g_test_add_func("/tcp/recovery/no_rescue_behind_a_full_window", test_no_rescue_behind_a_full_window);
  g_test_add_func("/tcp/recovery/loss_right_behind_the_recovery_point",
                  test_loss_right_behind_the_recovery_point);
  g_test_add_func("/tcp/recovery/one_ack_shows_the_loss", test_one_ack_shows_the_loss);
  g_test_add_func("/tcp/recovery/retransmissions_heed_the_window", test_retransmissions_heed_the_window);
  return g_test_run();
}
