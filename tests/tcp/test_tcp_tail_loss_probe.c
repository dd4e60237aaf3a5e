/* SPDX-License-Identifier: GPL-2.0-only */
/* The tail loss probe (RFC 8985 §7). */
#include "flag_test.h"
#include "tcp/tcp_rack.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

static time_ps ms(int64_t milliseconds)
{
  return milliseconds * TIME_PS_PER_MILLISECOND;
}

/* §7.2: PTO is two SRTT, with one segment in flight the delay of an ACK more, with several the timer's
 * slack; a second without a sample; never later than the retransmission timer. Each row: SRTT, delay,
 * segments, the timer, the slack, when it is due after 1000 ms. */
static const int64_t time_out_of_the_probe_rows[][6] = {
    {100, 40, 2, 9000, 0, 1200}, {100, 40, 2, 9000, 2, 1202}, {100, 40, 1, 9000, 2, 1240},
    {0, 40, 1, 9000, 2, 2000},   {100, 40, 2, 1150, 2, 1150}, {100, 0, 1, 9000, 2, 1200}};

ROW_TEST(test_time_out_of_the_probe, time_out_of_the_probe_rows)
{
  tcp_tail_loss_probe probe = {.deadline = TIME_PS_NEVER};
  g_assert_cmpint(probe.deadline, ==, TIME_PS_NEVER);
  tcp_tail_loss_situation situation = {.smoothed_ps = ms((*c)[0]),
                                       .lone_delay_ps = ms((*c)[1]),
                                       .timer_slack_ps = ms((*c)[4]),
                                       .segments = (uint64_t)(*c)[2],
                                       .retransmission = ms((*c)[3])};
  tcp_tail_loss_probe_schedule(&probe, &situation, ms(1000));
  g_assert_cmpint(probe.deadline, ==, ms((*c)[5]));
  tcp_tail_loss_probe_run(&probe, probe.deadline - 1);
  g_assert_false(probe.due);
  tcp_tail_loss_probe_run(&probe, probe.deadline);
  g_assert_true(probe.due);
  g_assert_cmpint(probe.deadline, ==, TIME_PS_NEVER);
}

/* §7.4: a probe that ended at 5000. Each row: whether it repeated octets, what comes, whether a loss was
 * repaired by it, whether the probe is still not accounted for. */
static const struct {
  bool retransmission;
  struct {
    uint64_t position;
    bool repeated;
    bool duplicate;
  } ack;
  bool repaired;
  bool outstanding;
} what_acknowledgements_tell_rows[] = {
    {false, {.position = 4999}, false, true},
    {false, {.position = 5000}, false, false},
    {false, {.position = 6000}, false, false},
    {true, {.position = 5000}, false, true},
    {true, {.position = 5000, .repeated = true}, false, false},
    {true, {.position = 5000, .duplicate = true}, false, false},
    {true, {.position = 6000}, true, false},
    {true, {.position = 6000, .repeated = true}, false, false},
    {true, {.position = 4000, .duplicate = true}, false, true},
};

ROW_TEST(test_what_acknowledgements_tell, what_acknowledgements_tell_rows)
{
  tcp_tail_loss_probe probe = {.deadline = TIME_PS_NEVER};
  tcp_tail_loss_probe_sent(&probe, c->retransmission, 5000);
  g_assert_true(tcp_tail_loss_probe_acknowledged(&probe, c->ack.position, c->ack.repeated,
                                                 c->ack.duplicate) == c->repaired);
  g_assert_true(probe.outstanding == c->outstanding);
}

/* §7.3: one probe at a time. */
TEST(test_one_at_a_time)
{
  tcp_tail_loss_probe probe = {.deadline = TIME_PS_NEVER};
  tcp_tail_loss_probe_sent(&probe, true, 5000);
  tcp_tail_loss_situation situation = {.smoothed_ps = ms(100), .segments = 2, .retransmission = ms(9000)};
  tcp_tail_loss_probe_schedule(&probe, &situation, ms(1000));
  g_assert_cmpint(probe.deadline, ==, TIME_PS_NEVER);
}

/* RACK and the probe, but for what the arguments set; an ACK is delayed by 40 ms at most. */
#define WITH_PROBE(...) TCP_WITH(.rack = true, .tail_loss_probe = true, __VA_ARGS__)

/* SRTT 100 ms, RTO 300 ms. */
#define PROBE_TEST(name) TEST_OF(tcp_fixture, f, tcp_fixture_pair(WITH_PROBE(.dsack = true)), name)

/* So many segments leave and are lost. The probe repeats the last of them at its time, no earlier. Two round
 * trips, SRTT, and with several segments the slack, as Linux has one of 2 ms. The ACK of one segment may be
 * delayed: by RFC 8985 the probe waits for the peer's 40 ms beside two SRTT, in Linux for the least RTO.
 *
 * Round trip 50 us, least RTO 200 ms: 0.1 + 40 = 40.1 ms; or 0.1 + 200 ms, which is later than RTO: SRTT +
 * max(least RTO, 4 RTTVAR) = 0.05 + max(200, 4 * 0.025) = 200.05 ms. The probe leaves then, in place of a
 * time-out. Round trip 100 ms, least RTO 50 ms: 200 + 40 = 240 ms; or 200 + 50 = 250 ms, before RTO: 100 +
 * max(50, 4 * 50) = 300 ms. */
static const struct {
  int64_t round_trip_us;
  unsigned segments;
  int64_t rto_min_ms;
  tcp_probe_delay delay;
  int64_t wait_us[2]; /* without the slack, with it */
} time_of_the_probe_rows[] = {
    {50, 2, 200, TCP_PROBE_DELAY_ACK, {100, 2100}},
    {50, 1, 200, TCP_PROBE_DELAY_ACK, {40100, 40100}},
    {50, 1, 200, TCP_PROBE_DELAY_RTO_MIN, {200050, 200050}},
    {100000, 1, 50, TCP_PROBE_DELAY_ACK, {240000, 240000}},
    {100000, 1, 50, TCP_PROBE_DELAY_RTO_MIN, {250000, 250000}},
};

ROW_TEST(test_time_of_the_probe, time_of_the_probe_rows)
{
  for (unsigned slack = 0; slack < 2; slack++) {
    const tcp_config *config =
        WITH_PROBE(.dsack = true, .rto_floor = TCP_RTO_FLOOR_VARIATION, .rto_min_ps = ms(c->rto_min_ms),
                   .probe_delay = c->delay, .timer_slack_ps = ms(slack ? 2 : 0));
    g_autoptr(tcp_fixture) f = tcp_fixture_new(config, config);
    handshake(f, c->round_trip_us * TIME_PS_PER_MICROSECOND, NULL);
    time_ps due = f->now + c->wait_us[slack] * TIME_PS_PER_MICROSECOND;
    post_losing(f, c->segments * EMSS, ALL);
    expect_deadline(f, 0, due);
    expect_quiet_until(f, 0, due);
    expect_lone_segment(f, 0, (c->segments - 1) * EMSS, EMSS);
    EXPECT_FIELDS(statistics_of(f), (tail_loss_probes, 1), (timeouts, 0));
    g_assert_cmpuint(window_of(f), ==, 10 * EMSS);
  }
}

/* The last two of five are lost. 200 ms after the ACK (of 0 and 1; that of 2 is delayed and comes 40 ms
 * later) nothing has come; the last is sent again and SACKed, and RACK sends the other: no time-out, one
 * reduction. When the octets before took 150 ms, the probe's answer is as fast as the handshake, 100 ms:
 * RACK's least round trip is the connection's, the handshake's too (RFC 8985 §6.2 step 1), so the answer is
 * not taken for one of the first transmission. */
FLAG_TEST(test_tail_loss, slow)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(WITH_PROBE(.dsack = true));
  post(f, 0, 5 * EMSS, 0);
  advance_by(f, ms(50));
  deliver_some(f, 0, 3);
  drop_all(f, 0);
  advance_by(f, ms(slow ? 100 : 40));
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 3 * EMSS);
  /* SRTT after the one sample of 90 ms and another: 7/8 (7/8 100 + 90/8) + 90/8 = 97.65625 ms; of 150 ms:
   * 7/8 (7/8 100 + 150/8) + 150/8 = 111.71875 ms */
  time_ps due = f->now + 2 * (slow ? INT64_C(111718750000) : INT64_C(97656250000));
  expect_deadline(f, 0, due);
  expect_quiet_until(f, 0, due);
  expect_lone_segment(f, 0, 4 * EMSS, EMSS);
  g_assert_cmpuint(statistics_of(f)->tail_loss_probes, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  advance_by(f, ms(100)); /* the reordering timer may still have to run */
  complete_transfer(f, 5 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (timeouts, 0), (retransmissions, 2), (recoveries, 1));
}

/* Only the last is lost: the probe repairs it, and that it was lost shows when a later ACK moves on
 * without D-SACK: the window is reduced as by a recovery (§7.4). 4 segments in flight then: the threshold
 * is 2. */
PROBE_TEST(test_probe_that_repairs)
{
  post_losing(f, EMSS, ALL);
  advance_by(f, ms(240)); /* two SRTT and the delay of an ACK */
  expect_and_deliver(f, 0, 0, EMSS);
  advance_by(f, ms(40));
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, EMSS);
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
  post(f, 0, 4 * EMSS, 0);
  deliver_segments(f, 2);
  g_assert_cmpuint(threshold_of(f), ==, 2 * EMSS);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 0);
}

/* Nothing was lost, the ACK was late, and the probe comes twice. The peer reports no duplicates: the second
 * ACK of the same position, with nothing SACKed, shows it (§7.4.2), and nothing is reduced. */
TCP_TEST(test_probe_for_nothing_without_dsack, tcp_fixture_pair(WITH_PROBE(.dsack = false)))
{
  post(f, 0, EMSS, 0);
  deliver(f, 0);
  advance_by(f, ms(240)); /* the ACK is on its way still */
  deliver_all(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, 2);
  deliver_all(f, 1);
  post(f, 0, 4 * EMSS, 0);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 5 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (tail_loss_probes, 1), (duplicates_reported, 0));
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
}

/* §7.3: octets not sent before go rather than old ones, whatever the congestion window is: 10 in flight,
 * 11 queued. */
PROBE_TEST(test_probe_with_new_octets)
{
  post_losing(f, 11 * EMSS, ALL);
  advance_by(f, ms(200));
  expect_segment(f, 0, 10 * EMSS, EMSS);
  EXPECT_FIELDS(statistics_of(f), (tail_loss_probes, 1), (retransmissions, 0));
  /* the retransmission timer runs from the probe on: 300 ms */
  expect_deadline(f, 0, f->now + ms(300));
}

/* §7.2: with something SACKed the probe is off: what is missing is RACK's. Two segments, the first is
 * lost: the next deadline after the SACK is the reordering timer's, then RTO's. A SACK that comes 5 ms
 * before the probe of 200 ms would leave turns that one off: the first is lost 195 + 100 / 4 ms after it
 * left. */
static const int64_t no_probe_with_sacked_octets_rows[] = {0, 195};

ROW_TEST(test_no_probe_with_sacked_octets, no_probe_with_sacked_octets_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(WITH_PROBE(.dsack = true));
  time_ps start = f->now;
  post_losing(f, 2 * EMSS, 1);
  advance_by(f, ms(*c));
  deliver_segments(f, 1);
  drop_all(f, 0);
  advance_to(f, start + ms(299));
  EXPECT_FIELDS(statistics_of(f), (tail_loss_probes, 0), (recoveries, 1));
}

/* §7.2: with segments SACKed there is no probe (RACK.segs_sacked). One octet of the second of two segments
 * is SACKed after 50 ms: no segment is, nothing is acknowledged, so the probe leaves 200 ms after them as
 * if that ACK had not come; it repeats the second, which is not there in whole. When the other octets of
 * it are SACKed, at 100 ms, there is none. */
FLAG_TEST(test_probe_beside_one_octet_sacked, whole)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(WITH_PROBE(.dsack = true), NULL);
  time_ps start = f->now;
  post_losing(f, 2 * EMSS, ALL);
  advance_to(f, start + ms(50));
  script_ack(f, 0, 1, (const uint64_t[][2]){{EMSS, EMSS + 1}});
  if (whole) {
    advance_to(f, start + ms(100));
    script_ack(f, 0, 1, (const uint64_t[][2]){{EMSS, 2 * EMSS}});
  }
  advance_to(f, start + ms(200) - 1);
  g_assert_cmpuint(statistics_of(f)->tail_loss_probes, ==, 0);
  drop_all(f, 0);
  advance_to(f, start + ms(200));
  g_assert_cmpuint(statistics_of(f)->tail_loss_probes, ==, whole ? 0 : 1);
  if (!whole) {
    expect_segment(f, 0, EMSS, EMSS);
  }
}
