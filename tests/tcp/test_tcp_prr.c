/* SPDX-License-Identifier: GPL-2.0-only */
/* PRR (RFC 6937). */
#include "flag_test.h"
#include "tcp/tcp_sender_private.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* 20 of 1000 octets are in flight when recovery begins, and the threshold is 10. */
static tcp_prr begun(void)
{
  tcp_prr prr = {.flight_octets = 20000};
  return prr;
}

/* The window when `delivered` octets more are and `pipe` are in flight. */
static void expect_window(tcp_prr *prr, uint64_t delivered, uint64_t pipe, bool safe, uint64_t window)
{
  const tcp_prr_ack ack = {.delivered_octets = delivered,
                           .pipe_octets = pipe,
                           .threshold_octets = 10000,
                           .smss_octets = 1000,
                           .safe = safe};
  g_assert_cmpuint(tcp_prr_window(prr, &ack), ==, window);
}

/* Every 1000 delivered let 500 out (§3: CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out). The first was
 * sent again before anything was counted. */
TEST(test_one_for_two)
{
  tcp_prr prr = begun();
  expect_window(&prr, 3000, 16000, false, 16000 + 1500);
  prr.sent_octets += 1000;
  expect_window(&prr, 1000, 16000, false, 16000 + 1000); /* 2000 - 1000 */
  prr.sent_octets += 2000;
  /* ceil(4001 * 10000 / 20000) = 2001, less than what was sent */
  expect_window(&prr, 1, 16000, false, 16000);
}

/* CEIL: half an octet is one. */
TEST(test_rounds_up)
{
  tcp_prr prr = begun();
  expect_window(&prr, 1, 19000, false, 19001);
}

/* Pipe has fallen below the threshold by losses: what is delivered may be replaced, and when it is safe a
 * segment more, up to the threshold. */
TEST(test_grows_back_to_the_threshold)
{
  tcp_prr prr = begun();
  expect_window(&prr, 1000, 4000, false, 5000);
  prr.sent_octets += 1000;
  expect_window(&prr, 1000, 4000, true, 4000 + 1000 + 1000);
  /* nothing sent of the 2000: 2000 are after, and 1000 more */
  expect_window(&prr, 1000, 4000, true, 4000 + 2000 + 1000);
  expect_window(&prr, 1000, 9500, true, 10000);
}

/* §3: at the threshold pipe is not above it any more, and nothing more may leave until it is below; but one
 * segment leaves when recovery begins (RFC 9937 §6.2), though not before anything is delivered. */
TEST(test_stops_at_the_threshold)
{
  tcp_prr prr = begun();
  expect_window(&prr, 0, 10000, false, 10000);
  expect_window(&prr, 1000, 10000, true, 10000 + 1000);
  prr.sent_octets += 500;
  expect_window(&prr, 1000, 10000, true, 10000);
  expect_window(&prr, 1000, 10001, true, 10001 + 1000); /* 3000 delivered of 20000: 1500 of 10000, less 500 */
}

/* 60 segments queued, a window of 20 and the two of limited transmit: 22 in flight when recovery starts,
 * the threshold is 10 (half of 20). The first retransmission leaves at once. RFC 6675 waits until pipe is
 * below 10. By PRR d segments delivered let 10 d / 22 out: the fifth a second one, while pipe is 15 still. As
 * Linux has it they let 10 d / 20 out, a share of the window and not of what is in flight: a second one
 * leaves after the fourth, not after the fifth. */
static const struct {
  bool proportional, of_window;
  unsigned after_four, after_five; /* delivered, so many are on the wire */
} pipe_rows[] = {{false, false, 16, 15}, {true, false, 16, 16}, {true, true, 17, 16}};

ROW_TEST(test_sends_while_pipe_falls, pipe_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(
      TCP_WITH(.prr = c->proportional, .threshold_of_window = c->of_window, .initial_window_segments = 20));
  post(f, 1, 1, 0);
  deliver(f, 1);
  post_losing(f, 60 * EMSS, 1);
  deliver_segments(f, 3); /* the third is the first that counts as delivered */
  g_assert_cmpuint(threshold_of(f), ==, 10 * EMSS);
  g_assert_cmpuint(on_wire(f, 0), ==, 16 + 2 + 1);
  deliver_segments(f, 3);
  g_assert_cmpuint(on_wire(f, 0), ==, c->after_four);
  deliver_segments(f, 1);
  g_assert_cmpuint(on_wire(f, 0), ==, c->after_five);
  if (c->proportional) {
    g_assert_cmpuint(wire_position(f, 0, 15), ==, 22 * EMSS);
  }
  complete_transfer(f, 60 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 1), (recoveries, 1));
}
