/* SPDX-License-Identifier: GPL-2.0-only */
/* PRR (RFC 6937). */
#include "tcp/tcp_congestion.h"
#include "tcp_fixture.h"
#include "test.h"

enum { EMSS = 1460 };

/* 20 of 1000 octets in flight, threshold 10: every 1000 delivered let 500 out (§3: CEIL(prr_delivered *
 * ssthresh / RecoverFS) - prr_out). The first was sent again before anything was counted. */
TEST(test_one_for_two)
{
  tcp_prr prr;
  tcp_prr_begin(&prr, 20000);
  tcp_prr_ack ack = {
      .delivered_octets = 3000, .pipe_octets = 16000, .threshold_octets = 10000, .smss_octets = 1000};
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 16000 + 1500);
  tcp_prr_sent(&prr, 1000);
  ack = (tcp_prr_ack){
      .delivered_octets = 1000, .pipe_octets = 16000, .threshold_octets = 10000, .smss_octets = 1000};
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 16000 + 1000); /* 2000 - 1000 */
  tcp_prr_sent(&prr, 2000);
  ack.delivered_octets = 1; /* ceil(4001 * 10000 / 20000) = 2001, less than what was sent */
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 16000);
}

/* CEIL: half an octet is one. */
TEST(test_rounds_up)
{
  tcp_prr prr;
  tcp_prr_begin(&prr, 20000);
  tcp_prr_ack ack = {
      .delivered_octets = 1, .pipe_octets = 19000, .threshold_octets = 10000, .smss_octets = 1000};
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 19001);
}

/* Pipe has fallen below the threshold by losses: what is delivered may be replaced, and when it is safe a
 * segment more, up to the threshold. */
TEST(test_grows_back_to_the_threshold)
{
  tcp_prr prr;
  tcp_prr_begin(&prr, 20000);
  tcp_prr_ack ack = {
      .delivered_octets = 1000, .pipe_octets = 4000, .threshold_octets = 10000, .smss_octets = 1000};
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 5000);
  tcp_prr_sent(&prr, 1000);
  ack.safe = true;
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 4000 + 1000 + 1000);
  /* nothing sent of the 2000: 2000 are after, and 1000 more */
  ack.pipe_octets = 4000;
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 4000 + 2000 + 1000);
  ack.pipe_octets = 9500;
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 10000);
}

/* §3: at the threshold pipe is not above it any more, and nothing more may leave until it is below. */
TEST(test_stops_at_the_threshold)
{
  tcp_prr prr;
  tcp_prr_begin(&prr, 20000);
  tcp_prr_ack ack = {.delivered_octets = 1000,
                     .pipe_octets = 10000,
                     .threshold_octets = 10000,
                     .smss_octets = 1000,
                     .safe = true};
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 10000);
  ack.pipe_octets = 10001; /* 2000 delivered of 20000: 1000 of 10000 */
  g_assert_cmpuint(tcp_prr_window(&prr, &ack), ==, 10001 + 1000);
}

/* 60 segments queued, a window of 20 and the two of limited transmit: 22 in flight when recovery starts,
 * the threshold is 10 (half of 20). The first retransmission leaves at once. d segments delivered let 10 d
 * / 22 out: the fifth a second one, while pipe is 15 still. RFC 6675 alone would wait until it is below
 * 10. */
TEST(test_sends_while_pipe_falls)
{
  for (unsigned proportional = 0; proportional < 2; proportional++) {
    g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.prr = proportional, .initial_window_segments = 20));
    post(f, 1, 1, 0);
    deliver(f, 1);
    post_losing(f, 60 * EMSS, 1);
    deliver_segments(f, 3); /* the third is the first that counts as delivered */
    g_assert_cmpuint(threshold_of(f), ==, 10 * EMSS);
    g_assert_cmpuint(on_wire(f, 0), ==, 16 + 2 + 1);
    deliver_segments(f, 3);
    g_assert_cmpuint(on_wire(f, 0), ==, 16);
    deliver_segments(f, 1);
    g_assert_cmpuint(on_wire(f, 0), ==, 15 + proportional);
    if (proportional) {
      g_assert_cmpuint(wire_position(f, 0, 15), ==, 22 * EMSS);
    }
    settle_through(f, 60 * EMSS);
    EXPECT_FIELDS(statistics_of(f), (retransmissions, 1), (recoveries, 1));
  }
}
