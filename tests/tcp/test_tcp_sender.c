/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what the keys of the sender select, tested on a sender alone: Nagle, idleness,
 * Limited Transmit, ECN, repacketizing, a path that throws away what is too big. */
#include "flag_test.h"
#include "sender_bench.h"

/* RFC 9293 §3.7.4: while something is in flight a segment that is not full waits, and leaves when that is
 * acknowledged; so does the last before a FIN, at once. Without Nagle (MPA-042) it never waits. */
FLAG_TEST(test_nagle, nagle)
{
  g_autoptr(bench) b = BENCH(.sack = true, .nagle = nagle);
  post(b, 300, 0);
  expect(b, 0, 300); /* nothing was in flight */
  post(b, 300, 0);
  if (nagle) {
    expect_nothing(b);
    post(b, 900, 0);
    expect_only(b, 300, EMSS);
    acknowledge_all(b, 1300);
    expect(b, 1300, 200);
    post(b, 100, 0);
    expect_nothing(b);
    b->sender->finishing = true;
    g_assert_true(expect(b, 1500, 100).flags & TCP_FIN);
  } else {
    expect(b, 300, 300);
  }
}

/* ALIGNED: a segment of whole FPDUs that no other fits into is full, though it is shorter than EMSS. */
BENCH_TEST(test_nagle_and_fpdus, .sack = true, .nagle = true, .segmentation = TCP_SEGMENTATION_ALIGNED)
{
  for (unsigned i = 0; i < 3; i++) {
    post(b, 600, TCP_RECORD_FPDU);
  }
  expect(b, 0, 600);
  expect_only(b, 600, 600); /* the last may get company */
}

/* RFC 5681 §4.1: more than an RTO (1 s) after the last segment left the window is back to the initial one:
 * it had grown to 20. */
FLAG_TEST(test_restart_after_idle, late)
{
  g_autoptr(bench) b = BENCH(.sack = true, .restart_after_idle = true);
  send_flight(b, 0, 10, 10);
  for (unsigned i = 2; i <= 10; i += 2) {
    acknowledge_all(b, i * EMSS);
  }
  uint64_t grown = window_of(b);
  g_assert_cmpuint(grown, >, 10 * EMSS);
  b->now = b->sender->timer.rto_ps + late;
  expect_nothing(b); /* nothing to send: nothing happens */
  post(b, 30 * EMSS, 0);
  expect(b, 10 * EMSS, EMSS);
  g_assert_cmpuint(window_of(b), ==, late ? 10 * EMSS : grown);
}

/* RFC 2861 §3.1: the same silence takes half of a window, which stays above the initial one. */
FLAG_TEST(test_decay_after_idle, halves)
{
  g_autoptr(bench) b = BENCH(.sack = true, .restart_after_idle = true, .idleness_halves = halves);
  send_flight(b, 0, 10, 10);
  acknowledge_all(b, 10 * EMSS);
  tcp_congestion_set_window(&b->sender->congestion, 40 * EMSS);
  b->now = b->sender->timer.rto_ps + 1;
  post(b, 30 * EMSS, 0);
  expect(b, 10 * EMSS, EMSS);
  g_assert_cmpuint(window_of(b), ==, halves ? 20 * EMSS : 10 * EMSS);
}

/* RFC 7661: a window of 10 segments with 9 in flight has room for another, so it does not grow; with one more
 * octet in flight it does. */
FLAG_TEST(test_a_window_that_is_not_full, full)
{
  g_autoptr(bench) b = BENCH(.sack = true);
  post(b, 9 * EMSS + full, 0);
  expect_full_segments(b, 0, 9);
  if (full) {
    expect(b, 9 * EMSS, 1);
  }
  acknowledge_all(b, EMSS);
  g_assert_cmpuint(window_of(b), ==, full ? 11 * EMSS : 10 * EMSS);
}

/* RFC 3042: with Limited Transmit each of the first two duplicates lets a new segment out, without it none
 * does; the third shows the loss. This holds with and without SACK. */
TEST(test_limited_transmit)
{
  for (unsigned variant = 0; variant < 4; variant++) {
    bool sack = variant & 1;
    bool limited = variant & 2;
    g_autoptr(bench) b = BENCH(.sack = sack, .limited_transmit = limited);
    send_flight(b, 0, 20, 10);
    for (unsigned i = 1; i <= 2; i++) {
      acknowledge(b, 0, EMSS, sack ? (1 + i) * EMSS : 0, false);
      if (limited) {
        expect(b, (9 + i) * EMSS, EMSS);
      }
      expect_nothing(b);
    }
    acknowledge(b, 0, EMSS, sack ? 4 * EMSS : 0, false);
    expect(b, 0, EMSS);
  }
}

/* Without Limited Transmit the segment that a duplicate stands for still counts as in flight, also where it
 * is SACKed: of a window of 10,000 octets 9,999 are in flight, so one octet may leave, and after it neither
 * the next nor the FIN. */
FLAG_TEST(test_room_beside_a_duplicate, sack)
{
  for (unsigned fin = 0; fin < 2; fin++) {
    g_autoptr(bench) b = BENCH(.sack = sack);
    post(b, 10 * EMSS - 1, 0);
    expect_full_segments(b, 0, 9);
    expect(b, 9 * EMSS, EMSS - 1);
    acknowledge(b, 0, EMSS, sack ? 2 * EMSS : 0, false);
    post(b, 1, 0);
    expect(b, 10 * EMSS - 1, 1);
    if (fin) {
      b->sender->finishing = true;
    } else {
      post(b, 1, 0);
    }
    expect_nothing(b);
  }
}

/* RFC 5682 §2.1 step 2 asks whether the window lets something new out: a whole segment, or all that is
 * left. */
BENCH_TEST(test_window_for_something_new, .sack = true)
{
  g_assert_false(tcp_sender_has_new(b->sender));
  post(b, EMSS + 1, 0);
  tcp_sender_open_window(b->sender, 0, EMSS - 1);
  g_assert_false(tcp_sender_has_new(b->sender));
  tcp_sender_open_window(b->sender, 0, EMSS);
  g_assert_true(tcp_sender_has_new(b->sender));
  expect(b, 0, EMSS);
  g_assert_false(tcp_sender_has_new(b->sender));
  tcp_sender_open_window(b->sender, 0, EMSS + 1);
  g_assert_true(tcp_sender_has_new(b->sender));
}

/* RFC 6675 §4: the rescue leaves HighRxt where it is. Segment 0 is lost, 6 to 9 are in flight after the
 * partial ACK, and 9 is sent again; then 7 to 9 are SACKed, which shows that 6 is lost: it is sent again,
 * too. */
BENCH_TEST(test_loss_after_a_rescue, .sack = true)
{
  send_flight(b, 0, 10, 10);
  acknowledge(b, 0, EMSS, 6 * EMSS, false);
  g_assert_true(expect_only(b, 0, EMSS).again);
  acknowledge_all(b, 6 * EMSS);
  g_assert_true(expect_only(b, 9 * EMSS, EMSS).again);
  acknowledge(b, 6 * EMSS, 7 * EMSS, 10 * EMSS, false);
  g_assert_true(expect_only(b, 6 * EMSS, EMSS).again);
}

/* A time-out is repaired up to exactly what was in flight then; the next one finds that recovery under way
 * without SACK, where it is over once more is acknowledged (RFC 6582 §3.2 step 2), and F-RTO stays off (RFC
 * 5682 §2.1 step 1). */
FLAG_TEST(test_time_out_at_the_recovery_point, sack)
{
  g_autoptr(bench) b = BENCH(.sack = sack, .frto = true);
  send_flight(b, 0, 4, 4);
  time_out_at(b, ms(1000));
  expect(b, 0, EMSS);
  acknowledge_all(b, 4 * EMSS);
  send_flight(b, 4, 1, 1);
  time_out_at(b, ms(5000));
  g_assert_cmpint(b->sender->flight->frto.step, ==, sack ? TCP_FRTO_RESENT : TCP_FRTO_OFF);
}

/* RFC 8985 §7.4: the probe repeats [2000, 3000), and [3000, 4000) follows it. All is acknowledged: with a
 * D-SACK of the probe nothing was lost; with a D-SACK of what follows, the probe has repaired a loss, and the
 * window is half of what is in flight, or 2 segments. */
FLAG_TEST(test_duplicate_of_the_probe, repaired)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .tail_loss_probe = true);
  send_flight(b, 0, 3, 3);
  acknowledge_at(b, 100, EMSS, 0, 0);
  b->now = tcp_sender_deadline(b->sender);
  tcp_sender_run(b->sender, b->now);
  g_assert_true(expect(b, 2 * EMSS, EMSS).again);
  send_one(b, 3 * EMSS, EMSS);
  acknowledge_duplicate(b, 4 * EMSS, repaired ? 3 * EMSS : 2 * EMSS, repaired ? 4 * EMSS : 3 * EMSS);
  g_assert_cmpuint(window_of(b), ==, repaired ? 2 * EMSS : 10 * EMSS);
}

/* RFC 8985 §7.2: SRTT is 100 ms, so the probe is due 200 ms after the ACK at 100 ms. An ACK that brings no
 * news, at 150 ms, does not change that. */
BENCH_TEST(test_no_news_for_the_probe, .sack = true, .rack = true, .tail_loss_probe = true)
{
  send_flight(b, 0, 3, 3);
  acknowledge_at(b, 100, EMSS, 0, 0);
  g_assert_cmpint(tcp_sender_deadline(b->sender), ==, ms(300));
  b->now = ms(150);
  acknowledge(b, EMSS, 0, 0, true);
  g_assert_cmpint(tcp_sender_deadline(b->sender), ==, ms(300));
}

/* RFC 3168 §6.1.2: ECE reduces the window once a round trip; the next new segment carries CWR, just one does,
 * and no retransmission (§6.1.5: nor does one carry ECT). */
BENCH_TEST(test_ecn, .sack = true, .limited_transmit = true)
{
  b->sender->ecn = true;
  post(b, 40 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    tcp_outgoing outgoing = expect(b, i * EMSS, EMSS);
    EXPECT_FIELDS(&outgoing, (ecn_capable, true), (flags, 0));
  }
  acknowledge(b, EMSS, 0, 0, true);
  g_assert_cmpuint(window_of(b), ==, 5 * EMSS);
  acknowledge(b, 6 * EMSS, 0, 0, true); /* the same round trip */
  acknowledge(b, 10 * EMSS, 0, 0, true);
  g_assert_cmpuint(window_of(b), >=, 5 * EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->ecn_reductions, ==, 1);
  g_assert_cmpuint(expect(b, 10 * EMSS, EMSS).flags, ==, TCP_CWR);
  g_assert_cmpuint(expect(b, 11 * EMSS, EMSS).flags, ==, 0);
  acknowledge(b, 11 * EMSS, 0, 0, true);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->ecn_reductions, ==, 2);
}

/* A loss and ECE: one reduction, for the loss (or for ECE before it). */
BENCH_TEST(test_ecn_beside_a_loss, .sack = true, .limited_transmit = true)
{
  b->sender->ecn = true;
  send_flight(b, 0, 40, 10);
  acknowledge(b, 0, EMSS, 4 * EMSS, true);
  tcp_outgoing again = expect(b, 0, EMSS);
  EXPECT_FIELDS(&again, (again, true), (ecn_capable, false), (flags, 0));
}

/* ECE reduces a window of 20 to 10, and within that reduction a segment is found lost that is only late: the
 * D-SACK of its retransmission undoes the recovery, but not what ECE has reduced (RFC 4015 §3.2 step 9; Linux
 * 6.1, tcp_enter_cwr() and tcp_enter_recovery(): prior_ssthresh = 0). PRR had come from 20 to 17: with 4 of
 * 20 delivered 2 have left. No later ACK leads it on, so the window is the threshold at once (RFC 6937 §3),
 * and what leaves waits until less than that is in flight. */
BENCH_TEST(test_undo_within_a_reduction_for_ecn, .sack = true, .dsack = true, .prr = true,
           .ecn_proportional = true, .initial_window_segments = 20)
{
  b->sender->ecn = true;
  send_flight(b, 0, 40, 20);
  acknowledge(b, EMSS, 0, 0, true);
  expect_nothing(b);
  acknowledge(b, EMSS, 2 * EMSS, 5 * EMSS, false);
  g_assert_true(expect(b, EMSS, EMSS).again);
  expect_only(b, 20 * EMSS, EMSS);
  g_assert_cmpuint(window_of(b), ==, 17 * EMSS);
  acknowledge_duplicate(b, 5 * EMSS, EMSS, 2 * EMSS);
  EXPECT_FIELDS(tcp_sender_statistics(b->sender), (ecn_reductions, 1), (recoveries, 1),
                (spurious_recoveries, 1));
  g_assert_cmpuint(threshold_of(b), ==, 10 * EMSS);
  g_assert_cmpuint(window_of(b), ==, 10 * EMSS);
  acknowledge_all(b, 11 * EMSS); /* the 10 from 11 to 20 */
  expect_nothing(b);
  acknowledge_all(b, 12 * EMSS);
  expect_only(b, 21 * EMSS, EMSS);
}

/* Where ECN was not agreed, ECE means nothing, and no segment carries ECT. */
BENCH_TEST(test_ecn_not_agreed, .sack = true)
{
  post(b, 10 * EMSS, 0);
  g_assert_false(expect(b, 0, EMSS).ecn_capable);
  acknowledge(b, EMSS, 0, 0, true);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->ecn_reductions, ==, 0);
}

/* RFC 3168 §6.1.2: after a time-out, too, the first new segment reports that the window is reduced. */
BENCH_TEST(test_ecn_after_a_time_out, .sack = true)
{
  b->sender->ecn = true;
  send_flight(b, 0, 20, 10);
  time_out_at(b, ms(1000));
  g_assert_false(expect(b, 0, EMSS).flags & TCP_CWR);
  acknowledge_all(b, 10 * EMSS);
  g_assert_cmpuint(expect(b, 10 * EMSS, EMSS).flags, ==, TCP_CWR);
  g_assert_cmpuint(expect(b, 11 * EMSS, EMSS).flags, ==, 0);
}

/* 0 to 4 were 300 octets each, with a pause between (so that they were not packed); after the time-out a
 * STREAM sender cuts the lost run anew at 1000 octets: [0, 1000), [1000, 1500). With segments preserved, they
 * leave as they were. */
FLAG_TEST(test_repacketized_stream, repacketize)
{
  g_autoptr(bench) b =
      BENCH(.sack = true, .segmentation = TCP_SEGMENTATION_STREAM,
            .retransmission = repacketize ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE);
  send_each(b, 5, 300);
  time_out_at(b, b->now);
  if (repacketize) {
    g_assert_true(expect(b, 0, EMSS).again);
    acknowledge_all(b, EMSS);
    expect(b, EMSS, 500);
    g_assert_cmpuint(tcp_sender_statistics(b->sender)->retransmissions, ==, 2);
  } else {
    expect(b, 0, 300);
    expect(b, 300, 300);
  }
}

/* 3000 octets in segments of 300 are lost, and 3000 after them SACKed: in recovery all that is lost leaves
 * at once, cut anew at 1000 octets, each octet once. */
BENCH_TEST(test_repacketized_in_recovery, .sack = true, .segmentation = TCP_SEGMENTATION_STREAM,
           .retransmission = TCP_RETRANSMISSION_REPACKETIZE)
{
  send_each(b, 20, 300);
  acknowledge(b, 0, 3000, 6000, false);
  for (unsigned i = 0; i < 3; i++) {
    g_assert_true(expect(b, i * EMSS, EMSS).again);
  }
  expect_nothing(b);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->retransmissions, ==, 3);
  acknowledge_all(b, 6000);
  expect_nothing(b);
}

/* What is SACKed ends the run: [600, 900) is there, so the first is [0, 600). */
BENCH_TEST(test_repacketized_around_what_is_there, .sack = true,
           .retransmission = TCP_RETRANSMISSION_REPACKETIZE)
{
  send_each(b, 5, 300);
  acknowledge(b, 0, 600, 900, false);
  time_out_at(b, b->now);
  expect(b, 0, 600);
  acknowledge_all(b, 900);
  expect(b, 900, 600);
}

/* ALIGNED keeps whole FPDUs: of 400 octets each two fit into 1000. The FIN goes with the last. */
BENCH_TEST(test_repacketized_fpdus, .sack = true, .rack = true, .segmentation = TCP_SEGMENTATION_ALIGNED,
           .retransmission = TCP_RETRANSMISSION_REPACKETIZE)
{
  for (unsigned i = 0; i < 4; i++) {
    post(b, 400, TCP_RECORD_FPDU);
    if (i == 3) {
      b->sender->finishing = true;
    }
    expect(b, i * 400, 400);
  }
  time_out_at(b, b->now);
  g_assert_false(expect(b, 0, 800).flags & TCP_FIN);
  acknowledge_all(b, 800);
  g_assert_true(expect(b, 800, 800).flags & TCP_FIN);
  g_assert_cmpuint(b->sender->next, ==, 1601);
}

/* What was lost as 500, 500 and 300 octets of one FPDU and 200 of the next, when the EMSS was 500, is sent
 * again in segments of up to 1000. RECORD puts the pieces of an FPDU together, and nothing beyond its end.
 * STREAM knows no such end. */
FLAG_TEST(test_repacketized_records, record)
{
  g_autoptr(bench) b =
      BENCH(.sack = true, .segmentation = record ? TCP_SEGMENTATION_RECORD : TCP_SEGMENTATION_STREAM,
            .retransmission = TCP_RETRANSMISSION_REPACKETIZE);
  tcp_sender_set_emss(b->sender, EMSS / 2);
  post(b, 1300, TCP_RECORD_FPDU);
  expect(b, 0, 500);
  expect(b, 500, 500);
  expect(b, 1000, 300);
  post(b, 200, TCP_RECORD_FPDU);
  expect(b, 1300, 200);
  tcp_sender_set_emss(b->sender, EMSS);
  time_out_at(b, b->now);
  expect(b, 0, 1000);
  acknowledge_all(b, 1000);
  expect(b, 1000, record ? 300 : 500);
  if (record) {
    expect(b, 1300, 200);
  }
  expect_nothing(b);
}

/* The rest of a segment that was acknowledged in part is not cut shorter, though an FPDU ends in it: of 400 +
 * 400 octets 100 have arrived (MPA-329); nothing of the next 400 fits with the 700. */
BENCH_TEST(test_repacketized_rest, .sack = true, .segmentation = TCP_SEGMENTATION_ALIGNED,
           .retransmission = TCP_RETRANSMISSION_REPACKETIZE)
{
  post(b, 400, TCP_RECORD_FPDU);
  post(b, 400, TCP_RECORD_FPDU);
  expect(b, 0, 800);
  post(b, 400, TCP_RECORD_FPDU);
  expect(b, 800, 400);
  acknowledge_all(b, 100);
  time_out_at(b, b->now);
  expect(b, 100, 700);
}

/* F-RTO (RFC 5682 §2.1): segments of 400 octets leave room in the windows of 1 and 2 SMSS; but only the
 * first is sent again (step 1), then up to two new ones leave (step 2 (b)), and nothing else until step 3. */
BENCH_TEST(test_frto_holds_back, .sack = true, .frto = true)
{
  send_each(b, 5, 400);
  time_out_at(b, ms(1000));
  expect(b, 0, 400);
  post(b, 400, 0);
  expect_nothing(b);
  acknowledge_at(b, 1100, 400, 0, 0);
  expect_only(b, 2000, 400);
  acknowledge(b, 400, 2000, 2400, false); /* what was lost is lost */
  expect(b, 400, 400);
}

/* Nagle keeps the new octets back: without them there is no step 3 to wait for, and what is lost is sent
 * again. */
BENCH_TEST(test_frto_without_new_segments, .sack = true, .frto = true, .nagle = true)
{
  send_flight(b, 0, 5, 5);
  post(b, 400, 0);
  expect_nothing(b);
  time_out_at(b, ms(1000));
  expect(b, 0, EMSS);
  acknowledge_at(b, 1100, EMSS, 0, 0);
  expect(b, EMSS, EMSS);
}

/* A recovery is undone, as D-SACK shows that 0 had arrived. A loss before the old recovery point is one of
 * its own. */
BENCH_TEST(test_loss_after_an_undone_recovery, .sack = true)
{
  send_flight(b, 0, 10, 10);
  acknowledge(b, 0, EMSS, 4 * EMSS, false);
  expect(b, 0, EMSS);
  acknowledge_duplicate(b, 4 * EMSS, 0, EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries, ==, 1);
  g_assert_cmpuint(window_of(b), ==, 10 * EMSS);
  acknowledge(b, 4 * EMSS, 5 * EMSS, 8 * EMSS, false);
  expect(b, 4 * EMSS, EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, 2);
  g_assert_cmpuint(threshold_of(b), ==, 3 * EMSS); /* half of 6 */
}

/* RFC 6937: what is acknowledged cumulatively is delivered, too. 20 in flight, 0 and 1 are lost, the
 * threshold is 10: half of what is delivered may leave. 3: 1.5, 0 is sent again; 4: 2, and 1; the ACK of
 * 0: 2.5; 6: 3, a new one. */
BENCH_TEST(test_prr_counts_all, .sack = true, .prr = true, .initial_window_segments = 20)
{
  send_flight(b, 0, 40, 20);
  acknowledge(b, 0, 2 * EMSS, 5 * EMSS, false);
  expect_only(b, 0, EMSS);
  acknowledge(b, 0, 2 * EMSS, 6 * EMSS, false);
  expect_only(b, EMSS, EMSS);
  acknowledge(b, EMSS, 2 * EMSS, 6 * EMSS, false);
  expect_nothing(b);
  acknowledge(b, EMSS, 2 * EMSS, 7 * EMSS, false);
  expect_only(b, 20 * EMSS, EMSS);
}

/* RFC 8985 §7.4: a probe is out (9, again) when RACK finds 1 lost: recovery has reduced the window to half of
 * 9 segments; a loss that the probe may have repaired is no second reason when 11 is acknowledged. */
BENCH_TEST(test_recovery_forgets_the_probe, .sack = true, .rack = true, .tail_loss_probe = true)
{
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  b->now = ms(300);
  g_assert_cmpint(tcp_sender_deadline(b->sender), ==, b->now);
  tcp_sender_run(b->sender, b->now);
  expect(b, 9 * EMSS, EMSS);
  acknowledge_at(b, 310, EMSS, 2 * EMSS, 5 * EMSS);
  expect(b, EMSS, EMSS);
  g_assert_cmpuint(threshold_of(b), ==, 4500);
  acknowledge_at(b, 410, 10 * EMSS, 0, 0);
  send_flight(b, 10, 10, 4);
  acknowledge_at(b, 510, 11 * EMSS, 0, 0);
  g_assert_cmpuint(threshold_of(b), ==, 4500);
}

/* RFC 1191 §6.4: the router has thrown away what came from 4000 on. It is sent again in pieces of 500, the
 * window stays, and duplicate ACKs for what came through start no recovery; what lies before is not sent
 * again. */
FLAG_TEST(test_resend_too_big, rack)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = rack, .limited_transmit = true);
  send_flight(b, 0, 10, 10);
  b->now = ms(90);
  tcp_sender_resend_too_big(b->sender, 500, 4 * EMSS);
  g_assert_cmpuint(tcp_sender_first_octets(b->sender), ==, 500);
  for (uint64_t position = 4 * EMSS; position < 10 * EMSS; position += 500) {
    expect(b, position, 500);
  }
  b->now = ms(100); /* too early to acknowledge what was sent again: some segments came through another way */
  for (unsigned i = 1; i <= 4; i++) {
    acknowledge(b, EMSS, 10 * EMSS - i * 500, 10 * EMSS, false);
    expect_nothing(b);
  }
  acknowledge_all(b, 10 * EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, 0);
  g_assert_cmpuint(window_of(b), >=, 10 * EMSS);
  g_assert_cmpuint(tcp_sender_first_octets(b->sender), ==, 0);
}

/* One segment, acknowledged 100 ms later. */
static void exchange(bench *b, uint64_t position)
{
  send_one(b, position, EMSS);
  b->now += ms(100);
  acknowledge_all(b, position + EMSS);
}

/* After a time-out the first ACK is of the segment that was sent again, and of two more. In Linux those prove
 * that nothing was lost, but not without SACK, where any of them may have been sent again
 * (tcp_clean_rtx_queue()). */
FLAG_TEST(test_first_ack_after_a_time_out, sack)
{
  g_autoptr(bench) b = BENCH(.sack = sack, .frto = true, .threshold_of_window = true);
  send_flight(b, 0, 5, 5);
  time_out_at(b, ms(1000));
  expect(b, 0, EMSS);
  acknowledge_at(b, 1100, 3 * EMSS, 0, 0);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_timeouts, ==, sack);
}

/* RFC 8985 §6.3: of ten segments eight left so late that a time-out does not take them as lost. The window is
 * one segment (RFC 5681 §3.1), or one beside those eight (Linux, tcp_enter_loss()); the first that is lost
 * leaves, though the eight may fill it. */
FLAG_TEST(test_window_after_a_time_out, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .threshold_of_window = as_linux);
  exchange(b, 0); /* the round trip takes 100 ms */
  send_flight(b, 1, 2, 2);
  b->now = ms(1000);
  send_flight(b, 3, 8, 8);
  time_out_at(b, ms(1050));
  g_assert_cmpuint(window_of(b), ==, as_linux ? 9 * EMSS : EMSS);
  expect_only(b, EMSS, EMSS);
}

/* RFC 5681 §4.3: of ten segments the first is lost, and the first of four that leave in its recovery. The ACK
 * that ends the recovery shows a loss of another window, though it was sent again by then: the threshold was
 * half of ten, and is half of the four in flight, or 2 segments. With timestamps the ACK of all echoes one
 * from after the first retransmission of both recoveries (Linux: tp->retrans_stamp), so nothing is undone. */
FLAG_TEST(test_loss_within_a_recovery, undoes)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .timestamps = undoes, .partial_undo = undoes);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, EMSS, 10 * EMSS);
  expect(b, 0, EMSS);
  g_assert_cmpuint(threshold_of(b), ==, 5 * EMSS);
  send_flight(b, 10, 4, 4);
  acknowledge_at(b, 200, 0, 11 * EMSS, 14 * EMSS);
  expect(b, 0, EMSS); /* its retransmission was overtaken, too */
  expect(b, 10 * EMSS, EMSS);
  acknowledge_at(b, 201, 10 * EMSS, 0, 0);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, 2);
  g_assert_cmpuint(threshold_of(b), ==, 2 * EMSS);
  if (undoes) {
    acknowledge_echoing(b, 300, 200, 14 * EMSS, 0, 0);
    g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries, ==, 0);
  }
}

/* After a time-out 1 is sent again, and then 2 and 3. 3 is SACKed, and RACK finds the retransmission of 2
 * lost, at once or, where reordering was seen, at its timer. Linux takes that for a loss of its own, which
 * begins fast recovery (tcp_fastretrans_alert(), tcp_rack_reo_timeout()). */
typedef struct lost_again_row {
  bool as_linux;
  bool by_timer;
} lost_again_row;

static const lost_again_row lost_again_rows[] = {{false, false}, {false, true}, {true, false}, {true, true}};

ROW_TEST(test_loss_after_a_time_out, lost_again_rows)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .threshold_of_window = c->as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  time_out_at(b, ms(500));
  expect_only(b, EMSS, EMSS);
  acknowledge_at(b, 600, 2 * EMSS, 0, 0);
  expect_full_segments(b, 2, 2);
  b->sender->flight->rack.known.reordering_seen = c->by_timer;
  acknowledge_at(b, 700, 2 * EMSS, 3 * EMSS, 4 * EMSS);
  if (c->by_timer) {
    g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, 0);
    b->now = tcp_sender_deadline(b->sender);
    tcp_sender_run(b->sender, b->now);
  }
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->retransmissions_lost, ==, 1);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, c->as_linux);
  expect(b, 2 * EMSS, EMSS);
}

/* SRTT is 100 ms. After a time-out a segment that left once is SACKed, 600 ms after it did: a round trip in
 * Linux (tcp_ack_update_rtt()), which makes SRTT 7/8 of 100 ms and 1/8 of 600, and RTO without back-off is
 * that and 4 RTTVAR, 3/4 of 50 ms and 1/4 of 500. */
FLAG_TEST(test_round_trip_of_sacked, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .rto_min_ps = ms(200), .rto_max_ps = ms(60000),
                             .rto_floor = as_linux ? TCP_RTO_FLOOR_VARIATION : TCP_RTO_FLOOR_RTO);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  time_out_at(b, ms(500));
  expect(b, EMSS, EMSS);
  acknowledge_at(b, 600, EMSS, 2 * EMSS, 3 * EMSS);
  g_assert_cmpint(b->sender->timer.smoothed_ps * 2, ==, ms(as_linux ? 325 : 200));
  g_assert_cmpint(b->sender->timer.rto_ps * 2, ==, ms(as_linux ? 325 + 4 * 325 : 4 * 300));
}

/* F-RTO is not tried for a time-out within fast recovery in Linux, but for each further one
 * (tcp_enter_loss()); RFC 5682 §2.1 has it the other way round. */
FLAG_TEST(test_time_outs_that_may_be_spurious, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .frto = true, .threshold_of_window = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, EMSS, 4 * EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, 1);
  time_out_at(b, ms(500));
  g_assert_cmpint(b->sender->flight->frto.step, ==, as_linux ? TCP_FRTO_OFF : TCP_FRTO_RESENT);
  time_out_at(b, ms(1000));
  g_assert_cmpint(b->sender->flight->frto.step, ==, as_linux ? TCP_FRTO_RESENT : TCP_FRTO_OFF);
}

/* 0 is sent again at 100 ms and 1 at 110. A D-SACK proves the former to be needless, and an echo of 105 ms
 * the latter (RFC 3522). It is not from before the first retransmission, so Linux does not heed it
 * (tcp_packet_delayed()). */
FLAG_TEST(test_echo_between_retransmissions, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .timestamps = true, .partial_undo = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, 2 * EMSS, 8 * EMSS);
  expect(b, 0, EMSS);
  b->now = ms(110);
  expect(b, EMSS, EMSS);
  acknowledge_duplicate(b, EMSS, 0, EMSS);
  acknowledge_echoing(b, 150, 105, 8 * EMSS, 0, 0);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries, ==, as_linux ? 0 : 1);
}

/* 0 is sent again twice in two time-outs, so nothing can show that both were needless (RFC 3708). In Linux
 * the echo of a timestamp from before the first is enough (tcp_try_undo_loss(), tcp_packet_delayed()). */
FLAG_TEST(test_echo_from_before_a_time_out, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .timestamps = true, .partial_undo = as_linux);
  send_flight(b, 0, 10, 10);
  time_out_at(b, ms(1000));
  expect(b, 0, EMSS);
  time_out_at(b, ms(3000));
  expect(b, 0, EMSS);
  acknowledge_echoing(b, 3100, 900, EMSS, 0, 0);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_timeouts, ==, as_linux ? 1 : 0);
}

/* Fast recovery sends 0 again, and a time-out does so once more. Two D-SACKs, as many as retransmissions,
 * undo the recovery in Linux, and the window is 10 segments again (tcp_enter_loss() leaves undo_marker as it
 * is then). Else the second undoes the time-out, and what the recovery took stays taken. */
FLAG_TEST(test_time_out_in_a_doubtful_recovery, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .dsack = true, .threshold_of_window = as_linux,
                             .linux_reordering = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, EMSS, 4 * EMSS);
  expect(b, 0, EMSS);
  time_out_at(b, ms(500));
  expect(b, 0, EMSS);
  acknowledge_at(b, 600, 10 * EMSS, 0, 0);
  acknowledge_duplicate(b, 10 * EMSS, 0, EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries +
                       tcp_sender_statistics(b->sender)->spurious_timeouts,
                   ==, 0);
  acknowledge_duplicate(b, 10 * EMSS, 0, EMSS);
  EXPECT_FIELDS(tcp_sender_statistics(b->sender), (spurious_recoveries, as_linux ? 1 : 0),
                (spurious_timeouts, as_linux ? 0 : 1));
  g_assert_true((window_of(b) >= 10 * EMSS) == as_linux);
}

/* One segment is sent again, and a D-SACK reports it: the recovery was for nothing. When that is the second
 * D-SACK of the connection, one more than it has sent segments again, Linux does not count it
 * (tcp_dsack_seen()). */
FLAG_TEST(test_more_duplicates_than_retransmissions, too_many)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .dsack = true, .linux_reordering = true);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, EMSS, 4 * EMSS);
  expect(b, 0, EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->retransmissions, ==, 1);
  tcp_sender_statistics(b->sender)->duplicates_reported = too_many ? 1 : 0;
  acknowledge_at(b, 150, 4 * EMSS, 0, 0);
  acknowledge_duplicate(b, 4 * EMSS, 0, EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries, ==, too_many ? 0 : 1);
}

/* The pacer lets 2 windows of 10 segments leave in a round trip of 100 ms, one segment in 5 ms, and 1.2
 * from half the threshold on, one in 8333 us (Linux: tcp_update_pacing_rate()). What leaves late waits half
 * of it. */
FLAG_TEST(test_pace_near_the_threshold, near)
{
  g_autoptr(bench) b = BENCH(.pacing = true);
  exchange(b, 0);
  g_assert_cmpuint(window_of(b), ==, 10 * EMSS);
  b->sender->congestion.window.threshold_octets = (near ? 20 : 21) * EMSS;
  b->sender->gauges->segments_sent = 10; /* the first ten are not paced */
  send_one(b, EMSS, EMSS);
  g_assert_cmpint((b->sender->pacer.next_ps - b->now) / TIME_PS_PER_MICROSECOND, ==, near ? 4166 : 2500);
}

/* Of ten segments the first is lost, two are SACKed, and the reordering timer finds that a quarter of the
 * round trip later. Seven are on the path; PRR lets nothing go for what is delivered in that moment (RFC 6937
 * §3.1), which in Linux is a segment (tcp_rack_reo_timeout()), and half of one, rounded up, is one. */
FLAG_TEST(test_timer_begins_prr, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .prr = true, .window_of_segments = as_linux);
  exchange(b, 0); /* SRTT is 100 ms */
  send_flight(b, 1, 10, 10);
  acknowledge_at(b, 200, EMSS, 2 * EMSS, 4 * EMSS);
  b->now = tcp_sender_deadline(b->sender);
  g_assert_cmpint(b->now, ==, ms(225));
  tcp_sender_run(b->sender, b->now);
  g_assert_cmpuint(window_of(b), ==, (as_linux ? 8 : 7) * EMSS);
}

/* What a D-SACK reports was delivered, too (Linux, tcp_dsack_seen()), unless more came than segments were
 * sent again. Of ten segments the last three are SACKed, so the threshold is 5, none of the seven is in
 * flight, and three leave for the three. The peer reports one of them twice, and a fourth leaves. */
typedef struct reported_row {
  bool as_linux;
  unsigned reported_before;
  unsigned leaving;
} reported_row;

static const reported_row reported_rows[] = {{true, 2, 1}, {true, 3, 0}, {false, 2, 0}};

ROW_TEST(test_prr_counts_duplicates, reported_rows)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .prr = true, .growth_by_delivered = c->as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, 7 * EMSS, 10 * EMSS);
  expect_full_segments(b, 0, 3);
  expect_nothing(b);
  tcp_sender_statistics(b->sender)->duplicates_reported = c->reported_before;
  acknowledge_duplicate(b, 0, 8 * EMSS, 9 * EMSS);
  expect_full_segments(b, 3, c->leaving);
  expect_nothing(b);
}

/* RFC 8985 §7.4: the ACK of all that was in flight, its end the probe's, does not show whether the original
 * or the probe came. The next one, beyond it and without D-SACK, does: one of the two was lost. It does not
 * matter that nothing was in flight meanwhile. */
BENCH_TEST(test_a_probe_is_judged_after_a_rest, .sack = true, .rack = true, .tail_loss_probe = true)
{
  exchange(b, 0);
  send_one(b, EMSS, EMSS);
  g_assert_cmpint(tcp_sender_deadline(b->sender), ==, ms(300)); /* two round trips */
  b->now = ms(300);
  tcp_sender_run(b->sender, b->now);
  g_assert_true(expect(b, EMSS, EMSS).again);
  acknowledge_at(b, 310, 2 * EMSS, 0, 0);
  g_assert_cmpint(tcp_sender_outlook_of(b->sender), ==, TCP_SENDER_RESTS);
  g_assert_cmpuint(threshold_of(b), ==, UINT64_MAX);
  exchange(b, 2 * EMSS);
  g_assert_cmpuint(threshold_of(b), <, UINT64_MAX);
}

/* HyStart judges by the shortest of all round trips, also of those before an idle time: one of them took 100
 * ms. The 40 segments in flight after the idle time all take 200 ms or more, 3 ms apart, too far for a train:
 * the ninth shows it. */
BENCH_TEST(test_hystart_remembers_over_a_rest, .sack = true, .congestion = TCP_CONGESTION_CUBIC,
           .slow_start = TCP_SLOW_START_HYSTART, .initial_window_segments = 40)
{
  exchange(b, 0);
  send_flight(b, 1, 40, 40);
  b->now += ms(200);
  for (uint64_t i = 2; i <= 10; i++) {
    g_assert_cmpuint(threshold_of(b), ==, UINT64_MAX);
    acknowledge_all(b, i * EMSS);
    b->now += ms(3);
  }
  g_assert_cmpuint(threshold_of(b), <, UINT64_MAX);
}

/* The next segment has `length` octets at `position`, and the FIN. */
static void expect_fin(bench *b, uint64_t position, uint32_t length)
{
  g_assert_true(expect(b, position, length).flags & TCP_FIN);
}

/* The window of 10 segments is full. The FIN, alone or with the last 300 octets, waits; with
 * `fin_beyond_window` it does not. A segment that others follow waits in any case, and the peer's window
 * holds the FIN back in any case. */
TEST(test_fin_beyond_the_window)
{
  for (uint32_t rest = 0; rest <= 300; rest += 300) {
    for (unsigned beyond = 0; beyond < 2; beyond++) {
      g_autoptr(bench) b = BENCH(.sack = true, .fin_beyond_window = beyond);
      post(b, 10 * EMSS + rest, 0);
      expect_full_segments(b, 0, 10);
      expect_nothing(b);
      b->sender->finishing = true;
      if (beyond) {
        expect_fin(b, 10 * EMSS, rest);
      }
      expect_nothing(b);
      acknowledge_all(b, 1 * EMSS);
      if (!beyond) {
        expect_fin(b, 10 * EMSS, rest);
      }
      expect_nothing(b);
    }
  }
  g_autoptr(bench) b = BENCH(.sack = true, .fin_beyond_window = true);
  post(b, 11 * EMSS + 300, 0);
  b->sender->finishing = true;
  expect_full_segments(b, 0, 10);
  expect_nothing(b);
  tcp_sender_open_window(b->sender, 0, 11 * EMSS + 300);
  acknowledge_all(b, EMSS);
  expect(b, 10 * EMSS, EMSS);
  g_assert_false(expect_only(b, 11 * EMSS, 300).flags & TCP_FIN);
}

/* The peer's window ends in front of the FIN: the last octet waits for the congestion window. */
BENCH_TEST(test_an_octet_without_its_fin, .sack = true, .fin_beyond_window = true)
{
  post(b, 10 * EMSS + 1, 0);
  b->sender->finishing = true;
  expect_full_segments(b, 0, 10);
  tcp_sender_open_window(b->sender, 0, 10 * EMSS + 1);
  expect_nothing(b);
}

/* In fast recovery: of 10 segments 6 to 9 are SACKed, so 0 to 5 are lost, and the window is half of what
 * was in flight: 0 to 4 are sent again and fill it, 5 waits. The FIN does not. */
BENCH_TEST(test_fin_beyond_the_window_in_recovery, .sack = true, .fin_beyond_window = true)
{
  send_flight(b, 0, 10, 10);
  acknowledge(b, 0, 6 * EMSS, 10 * EMSS, false);
  expect_full_segments(b, 0, 5);
  expect_nothing(b);
  b->sender->finishing = true;
  expect_fin(b, 10 * EMSS, 0);
  expect_nothing(b);
}

/* RFC 8985 §7.3: no probe before a round trip was measured since the last one; Linux does not ask. SRTT is
 * 100 ms and RTO 300 ms by the first segment, all others take 250 ms. The second is repeated after 2 SRTT, in
 * Linux 20 ms (tcp.rto_min) later, so that its acknowledgement measures nothing (RFC 6298 §3). The third is
 * repeated in Linux alone; else RTO starts anew, and the mean takes an eighth of the 150 ms that it was too
 * little. */
FLAG_TEST(test_probe_after_a_round_trip, is_linux)
{
  g_autoptr(bench) b =
      BENCH(.sack = true, .dsack = true, .rack = true, .tail_loss_probe = true, .rto_min_ps = ms(20),
            .probe_delay = is_linux ? TCP_PROBE_DELAY_RTO_MIN : TCP_PROBE_DELAY_ACK);
  send_one(b, 0, EMSS);
  acknowledge_at(b, 100, EMSS, 0, 0);
  for (uint64_t number = 1; number <= 2; number++) {
    b->now = ms(1000 * (int64_t)number);
    send_one(b, number * EMSS, EMSS);
    b->now += ms(is_linux ? 220 : 200);
    g_assert_cmpint(tcp_sender_deadline(b->sender), ==, b->now);
    tcp_sender_run(b->sender, b->now);
    if (is_linux || number == 1) {
      expect_only(b, number * EMSS, EMSS);
    }
    expect_nothing(b);
    g_assert_cmpint(b->sender->timer.deadline, ==, b->now + ms(300));
    acknowledge_at(b, 1000 * (int64_t)number + 250, (number + 1) * EMSS, 0, 0);
    if (is_linux || number == 1) {
      acknowledge_duplicate(b, (number + 1) * EMSS, number * EMSS, (number + 1) * EMSS);
    }
  }
  g_assert_cmpint(b->sender->timer.smoothed_ps, ==, ms(100) + (is_linux ? 0 : ms(150) / 8));
}

/* Rounds of Linux's RTTVAR (tcp_rtt_estimator()): one ends with the first sample of what was sent after it
 * began, also when nothing was in flight meanwhile. Two segments a round trip of 100 ms: the first sample
 * makes the deviation 50, each later one takes a quarter of it. The round that the third sample ends had 50;
 * the next, of the fourth and the fifth, 50 * 0.75^3 = 21.09375, so that RTTVAR falls by a quarter of 50
 * - 21.09375. */
BENCH_TEST(test_rounds_of_the_variation, .variation_by_round = true)
{
  static const time_ps expected[] = {50000000000, 50000000000, 42773437500};
  for (unsigned round = 0; round < G_N_ELEMENTS(expected); round++) {
    uint64_t from = 2 * round * EMSS;
    post(b, 2 * EMSS, 0);
    expect_full_segments(b, 2 * round, 2);
    b->now += ms(100);
    acknowledge_all(b, from + EMSS);
    acknowledge_all(b, from + 2 * EMSS);
    g_assert_cmpint(b->sender->timer.variation_ps, ==, expected[round]);
  }
}
