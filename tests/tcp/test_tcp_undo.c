/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what was sent again for nothing (RFC 3522, RFC 3708, RFC 4015). */
#include "tcp/tcp_undo.h"

#include "flag_test.h"
#include "tcp_fixture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_undo, tcp_undo_free)

#define UNDO_TEST(name) TEST_OF(tcp_undo, undo, tcp_undo_new(false), name)

/* [1000, 2000) and [5000, 6000) were sent again: only when both are proven, in whatever pieces, the last
 * of one octet, all of it was for nothing. */
UNDO_TEST(test_all_must_be_proven)
{
  tcp_undo_begin(undo, TCP_UNDO_RECOVERY, 0, 0);
  tcp_undo_resent(undo, 1000, 2000);
  tcp_undo_resent(undo, 5000, 6000);
  g_assert_cmpint(tcp_undo_proven(undo, 1000, 1700), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 5000, 6000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1699), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1650, 1999), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1999, 2000), ==, TCP_UNDO_RECOVERY);
}

/* Nothing sent again, nothing to be for nothing; nor does a block without sense prove anything. */
UNDO_TEST(test_nothing_proves_nothing)
{
  tcp_undo_resent(undo, 0, 1000); /* no recovery */
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1000), ==, TCP_UNDO_NONE);
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT, 0, 0);
  g_assert_cmpint(tcp_undo_proven(undo, 0, UINT64_MAX), ==, TCP_UNDO_NONE);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_proven(undo, 2000, 1000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1000, 2000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 0, UINT64_MAX), ==, TCP_UNDO_TIME_OUT);
}

/* Sent again twice and reported once: one of the two may have been needed. The next recovery starts
 * afresh. */
UNDO_TEST(test_sent_again_twice)
{
  tcp_undo_begin(undo, TCP_UNDO_RECOVERY, 0, 0);
  tcp_undo_resent(undo, 0, 1000);
  tcp_undo_resent(undo, 500, 1500);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1500), ==, TCP_UNDO_NONE);
  tcp_undo_resent(undo, 2000, 3000); /* and never reported */
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT, 0, 0);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1000), ==, TCP_UNDO_TIME_OUT);
}

/* A retransmission was on its way before the time-out, so the first D-SACK may be of that: the second proves
 * that the one of the time-out was for nothing, too. A timestamp does so at once. */
UNDO_TEST(test_duplicates_of_earlier_retransmissions)
{
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT, 0, 1);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_reported(undo, 0, 1000, 1), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_reported(undo, 0, 1000, 1), ==, TCP_UNDO_TIME_OUT);
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT, 0, 1);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1000), ==, TCP_UNDO_TIME_OUT);
}

/* Two were on their way when a second recovery began at 5000, in which nothing was sent again: what lies
 * below was of the first one, and with the two D-SACKs of the others the second was for nothing. */
UNDO_TEST(test_recovery_without_retransmissions)
{
  tcp_undo_begin(undo, TCP_UNDO_RECOVERY, 5000, 2);
  g_assert_cmpint(tcp_undo_reported(undo, 5000, 6000, 1), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_reported(undo, 4000, 5000, 1), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_reported(undo, 7000, 8000, 1), ==, TCP_UNDO_RECOVERY);
}

/* Linux counts (tcp_check_dsack()): two segments were sent again, one of them twice, so three reports are
 * proof, be they of another that the network duplicated. One of what was before does not count, one of two
 * segments counts twice, and the next recovery needs its own. */
TEST(test_counted)
{
  g_autoptr(tcp_undo) undo = tcp_undo_new(true);
  for (unsigned i = 0; i < 2; i++) {
    tcp_undo_begin(undo, TCP_UNDO_RECOVERY, 1000, 0);
    g_assert_cmpint(tcp_undo_reported(undo, 1000, 2000, 1), ==, TCP_UNDO_NONE); /* nothing was sent again */
    tcp_undo_resent(undo, 1000, 2000);
    tcp_undo_resent(undo, 3000, 4000);
    tcp_undo_resent(undo, 1000, 2000);
    g_assert_cmpint(tcp_undo_reported(undo, 0, 1000, 1), ==, TCP_UNDO_NONE);
    g_assert_cmpint(tcp_undo_reported(undo, 8000, 9000, 1), ==, TCP_UNDO_NONE);
    g_assert_cmpint(tcp_undo_reported(undo, 3000, 5000, 2), ==, TCP_UNDO_RECOVERY);
    g_assert_cmpint(tcp_undo_reported(undo, 3000, 4000, 1), ==, TCP_UNDO_NONE); /* the proof is given once */
  }
}

/* --- F-RTO (RFC 5682) --- */

enum { EMSS = 1460 };

static tcp_frto begun(bool sack)
{
  tcp_frto frto = {.step = TCP_FRTO_RESENT, .sack = sack};
  return frto;
}

/* The first acknowledgement is of an original: that is enough in Linux (tcp_process_loss()), where RFC 5682
 * §3.1 sends two new segments first. */
FLAG_TEST(test_original_at_once, as_linux)
{
  tcp_frto frto = begun(true);
  tcp_frto_ack ack = {.advances = true, .original = true, .may_send_new = true};
  frto.early = as_linux;
  g_assert_cmpint(tcp_frto_acknowledged(&frto, &ack), ==, as_linux ? TCP_FRTO_SPURIOUS : TCP_FRTO_UNKNOWN);
  g_assert_cmpint(frto.step, ==, as_linux ? TCP_FRTO_OFF : TCP_FRTO_SENT_NEW);
}

static tcp_frto_verdict after(tcp_frto *frto, tcp_frto_ack ack)
{
  return tcp_frto_acknowledged(frto, &ack);
}

/* Step 2 (b), then two new segments and no retransmissions until step 3. */
static tcp_frto in_step_3(bool sack)
{
  tcp_frto frto = begun(sack);
  g_assert_cmpuint(frto.new_segments, ==, 0);
  g_assert_false(tcp_frto_holds_back(&frto));
  g_assert_cmpint(after(&frto, (tcp_frto_ack){.advances = true, .may_send_new = true}), ==, TCP_FRTO_UNKNOWN);
  for (unsigned i = 0; i < 2; i++) {
    g_assert_true(frto.new_segments > 0);
    frto.new_segments--;
  }
  g_assert_cmpuint(frto.new_segments, ==, 0);
  g_assert_true(tcp_frto_holds_back(&frto));
  return frto;
}

/* Each row: the variant, an acknowledgement in step 3, the verdict. */
static const struct {
  bool sack;
  tcp_frto_ack ack;
  tcp_frto_verdict verdict;
} verdicts_of_step_3_rows[] = {
    {false, {.advances = true}, TCP_FRTO_SPURIOUS},                  /* §2.1 step 3 (b) */
    {false, {.duplicate = true}, TCP_FRTO_REAL},                     /* §2.1 step 3 (a) */
    {true, {.advances = true, .original = true}, TCP_FRTO_SPURIOUS}, /* §3.1 step 3 (b) */
    {true, {.duplicate = true, .original = true}, TCP_FRTO_SPURIOUS},
    {true, {.duplicate = true, .beyond = true}, TCP_FRTO_REAL}, /* §3.1 step 3 (a) */
    {true, {.advances = true}, TCP_FRTO_REAL},                  /* only what was sent again */
    {true, {.may_send_new = true}, TCP_FRTO_UNKNOWN},
};

ROW_TEST(test_verdicts_of_step_3, verdicts_of_step_3_rows)
{
  tcp_frto frto = in_step_3(c->sack);
  g_assert_cmpint(after(&frto, c->ack), ==, c->verdict);
  g_assert_true(tcp_frto_holds_back(&frto) == (c->verdict == TCP_FRTO_UNKNOWN));
}

/* An original and something new, both acknowledged at once: RFC 5682 §3.1 step 3 (a), but in Linux the
 * original decides (tcp_process_loss()). */
FLAG_TEST(test_original_and_new, as_linux)
{
  tcp_frto frto = in_step_3(true);
  frto.early = as_linux;
  g_assert_cmpint(after(&frto, (tcp_frto_ack){.advances = true, .original = true, .beyond = true}), ==,
                  as_linux ? TCP_FRTO_SPURIOUS : TCP_FRTO_REAL);
}

/* Step 2 (a): what ends it without a verdict: all acknowledged, nothing new to send, without SACK a
 * duplicate. */
static const struct {
  bool sack;
  tcp_frto_ack ack;
  bool goes_on;
} step_2_ends_it_rows[] = {
    {false, {.advances = true, .recovered = true, .may_send_new = true}, false},
    {true, {.advances = true, .recovered = true, .may_send_new = true}, false},
    {true, {.advances = true}, false},
    {false, {.duplicate = true, .may_send_new = true}, false},
    {true, {.duplicate = true, .may_send_new = true}, true},
};

ROW_TEST(test_step_2_ends_it, step_2_ends_it_rows)
{
  tcp_frto frto = begun(c->sack);
  g_assert_cmpint(after(&frto, c->ack), ==, TCP_FRTO_UNKNOWN);
  g_assert_cmpuint(frto.new_segments, ==, 0);
  after(&frto, (tcp_frto_ack){.advances = true, .may_send_new = true});
  g_assert_true((frto.new_segments > 0) == c->goes_on);
}

/* Off it reports nothing. */
TEST(test_off)
{
  tcp_frto frto = {.step = TCP_FRTO_OFF};
  g_assert_cmpint(after(&frto, (tcp_frto_ack){.advances = true, .may_send_new = true}), ==, TCP_FRTO_UNKNOWN);
  g_assert_cmpuint(frto.new_segments, ==, 0);
}

/* 20 segments queued, 10 in flight, RTO 300 ms, with F-RTO. */
static tcp_fixture *ten_in_flight(bool sack, bool rack)
{
  tcp_fixture *f = tcp_fixture_pair(TCP_WITH(.sack = sack, .rack = rack, .frto = true));
  post(f, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  return f;
}

/* Everything is late by more than RTO, nothing is lost. The first segment is sent again at 300 ms; then
 * the originals arrive, two and two acknowledged. The first such ACK lets two new segments out, the second
 * shows that the time-out was spurious: the window is what it was (10 segments, and no threshold), only
 * one segment was sent again, and the others are not taken as lost.
 * */
ROW_TEST(test_spurious_time_out, recoveries)
{
  g_autoptr(tcp_fixture) f = ten_in_flight(c->sack, c->rack);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, 11);
  g_assert_cmpuint(window_of(f), ==, EMSS);
  deliver_segments(f, 2);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 2 * EMSS);
  g_assert_cmpuint(on_wire(f, 0), ==, 9 + 2);
  g_assert_cmpuint(wire_position(f, 0, 10), ==, 11 * EMSS);
  g_assert_cmpuint(statistics_of(f)->spurious_timeouts, ==, 0);
  deliver_segments(f, 2);
  g_assert_cmpuint(statistics_of(f)->spurious_timeouts, ==, 1);
  g_assert_cmpuint(window_of(f), >=, 10 * EMSS);
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
  complete_transfer(f, 20 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 1), (timeouts, 1));
}

/* The first five are lost, the others and the ACKs of their arrival too. After the time-out the ACK of the
 * first moves on by one, two new segments leave, and their duplicates show that the loss was real: it is
 * repaired as ever. */
ROW_TEST(test_real_time_out, recoveries)
{
  g_autoptr(tcp_fixture) f = ten_in_flight(c->sack, c->rack);
  drop_all(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_and_deliver(f, 0, 0, EMSS);
  advance_by(f, 40 * TIME_PS_PER_MILLISECOND); /* the delayed ACK */
  deliver_all(f, 1);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  expect_segment(f, 0, 10 * EMSS, EMSS);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(wire_position(f, 0, 1), ==, EMSS); /* what is lost, from now on */
  complete_transfer(f, 20 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (spurious_timeouts, 0), (retransmissions, 10));
  g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
}
