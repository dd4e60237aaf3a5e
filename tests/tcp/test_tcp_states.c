/* SPDX-License-Identifier: GPL-2.0-only */
/* The state machine against a script (RFC 9293 §3.3.2, §3.10.7): who closes when, what each state answers,
 * what is passed over. */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460, URG = 0x20, URGENT_POINTER_AT = 18 };

static tcp_fixture *against_script(void)
{
  return tcp_fixture_scripted(NULL, NULL);
}

/* The script's segment: `flags` with ACK, `length` octets at `position`, acknowledging all below
 * `acknowledged`. */
static void script(tcp_fixture *f, int64_t position, uint32_t length, int64_t acknowledged, uint8_t flags)
{
  script_segment(f, SCRIPT_HEADER(f, position, acknowledged, .flags = TCP_ACK | flags, .window = 65535),
                 (uint64_t)MAX(position, 0), length);
}

/* End 0 has sent just this one segment. */
static void expect_flags(tcp_fixture *f, uint8_t flags, int64_t acknowledgement)
{
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  EXPECT_HEADER(f, 0, 0, (flags, flags), (acknowledgement, sequence_at(f, 1, acknowledgement)));
  drop_segment(f, 0);
}

static void expect_finished(const tcp_fixture *f)
{
  expect_closed(f, 0, TCP_CLOSE_FINISHED);
}

/* RFC 9293 §3.6, figure 12: FIN-WAIT-1, FIN-WAIT-2 on the ACK, in which octets still come in, TIME-WAIT on
 * the FIN. A FIN that comes again is answered (§3.10.7.4), and so is a SYN, a segment of old octets, one
 * beyond the end; nothing is passed any more. */
TCP_TEST(test_active_close_and_time_wait, against_script())
{
  post_losing(f, 100, ALL);
  finish(f, 0);
  expect_flags(f, TCP_ACK | TCP_FIN, 0);
  script(f, 0, 0, 101, 0);
  expect_nothing(f, 0);
  script(f, 0, 500, 101, 0);
  script(f, 500, 500, 101, 0);
  expect_flags(f, TCP_ACK, 1000);
  g_assert_false(f->end[0].closed);
  script(f, 1000, 0, 101, TCP_FIN);
  expect_flags(f, TCP_ACK, 1001);
  expect_finished(f);
  script(f, 1000, 0, 101, TCP_FIN);
  expect_flags(f, TCP_ACK, 1001);
  script(f, 1001, 0, 101, TCP_SYN);
  expect_flags(f, TCP_ACK, 1001);
  script(f, 0, 500, 101, 0);
  expect_flags(f, TCP_ACK, 1001);
  script(f, 1001, 500, 101, 0);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 1000);
  expect_deadline(f, 0, TIME_PS_NEVER);
}

/* RFC 9293 §3.10.7.4, table 6: an empty segment is acceptable below RCV.NXT + RCV.WND, which is 1 + 65,535
 * after the peer's FIN. In TIME-WAIT one at that edge is answered like any unacceptable one; no peer is there
 * because it has filled the window. So a RST there is outside of the window, and dropped without an answer,
 * whatever is done with it in the states before; one in front of it is challenged (RFC 5961 §3.2). TIME-WAIT
 * stays. */
FLAG_TEST(test_edge_of_the_window_in_time_wait, drops)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_scripted(TCP_WITH(.drops_reset_at_edge = drops), &(tcp_header){.window = 65535});
  finish(f, 0);
  drop_all(f, 0);
  script(f, 0, 0, 1, TCP_FIN); /* with the ACK of ours: from FIN-WAIT-1 straight to TIME-WAIT */
  expect_flags(f, TCP_ACK, 1);
  expect_finished(f);
  script(f, 1, 0, 1, 0);
  script(f, 65535, 0, 1, 0);
  expect_nothing(f, 0);
  script(f, 65536, 0, 1, 0);
  expect_flags(f, TCP_ACK, 1);
  script(f, 65537, 0, 1, 0);
  expect_flags(f, TCP_ACK, 1);
  script(f, 65535, 0, 1, TCP_RST);
  expect_flags(f, TCP_ACK, 1);
  script(f, 65536, 0, 1, TCP_RST);
  script(f, 65537, 0, 1, TCP_RST);
  expect_nothing(f, 0);
  script(f, 0, 0, 1, TCP_FIN);
  expect_flags(f, TCP_ACK, 1);
}

/* RFC 9293 §3.6, figure 13: both FINs cross. CLOSING until ours is acknowledged; an ACK of less changes
 * nothing, and ours is sent again after an RTO of 300 ms. */
TCP_TEST(test_simultaneous_close, against_script())
{
  finish(f, 0);
  drop_all(f, 0);
  script(f, 0, 0, 0, TCP_FIN);
  expect_flags(f, TCP_ACK, 1);
  EXPECT_FIELDS(&f->end[0], (finished, true), (closed, false));
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_flags(f, TCP_ACK | TCP_FIN, 1);
  script(f, 1, 0, 0, 0);
  g_assert_false(f->end[0].closed);
  script(f, 1, 0, 1, 0);
  expect_finished(f);
}

/* Both FINs have crossed and the ACKs are lost. The peer's comes again, with 5 octets in front or without,
 * and acknowledges ours, at 0: cut to the window it is an empty segment at RCV.NXT (RFC 9293 §3.10.7.4),
 * whose ACK leads from CLOSING to TIME-WAIT. It is answered as any FIN that comes again. One with the ACK
 * of less, without ACK, beside SYN, or with an ACK of what was never sent leads nowhere; nor does the same
 * segment with RST, which is not at RCV.NXT. */
static const struct {
  uint32_t length;
  int64_t acknowledges;
  uint8_t flags;
  bool finishes;
  bool answered;
} fin_again_in_closing_rows[] = {
    {0, 1, TCP_FIN | TCP_ACK, true, true},
    {5, 1, TCP_FIN | TCP_ACK, true, true},
    {0, 0, TCP_FIN | TCP_ACK, false, true},
    {0, 2, TCP_FIN | TCP_ACK, false, true},
    {0, -70000, TCP_FIN | TCP_ACK, false, true},
    {0, 1, TCP_FIN, false, true},
    {0, 1, TCP_FIN | TCP_ACK | TCP_SYN, false, true},
    {0, 1, TCP_FIN | TCP_ACK | TCP_RST, false, false},
    {5, 1, TCP_ACK, false, true}, /* the octets in front of it alone */
};

ROW_TEST(test_fin_again_in_closing, fin_again_in_closing_rows)
{
  g_autoptr(tcp_fixture) f = against_script();
  finish(f, 0);
  drop_all(f, 0);
  script(f, 0, 5, 0, TCP_FIN);
  expect_flags(f, TCP_ACK, 6);
  script_segment(
      f, SCRIPT_HEADER(f, 5 - (int64_t)c->length, c->acknowledges, .flags = c->flags, .window = 65535), 0,
      c->length);
  g_assert_true(f->end[0].closed == c->finishes);
  if (c->answered) {
    expect_flags(f, TCP_ACK, 6);
  }
  expect_nothing(f, 0);
  if (c->finishes) {
    expect_finished(f);
    expect_deadline(f, 0, TIME_PS_NEVER);
  }
}

/* CLOSE-WAIT: octets go out, none come in after the FIN; LAST-ACK; CLOSED, which answers with RST. */
TCP_TEST(test_passive_close, against_script())
{
  script(f, 0, 300, 0, TCP_FIN);
  expect_flags(f, TCP_ACK, 301);
  g_assert_true(f->end[0].finished);
  script(f, 301, 100, 0, 0);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 300);
  drop_all(f, 0);
  post(f, 0, 200, 0);
  expect_flags(f, TCP_ACK | TCP_PSH, 301);
  script(f, 301, 0, 200, 0);
  finish(f, 0);
  finish(f, 0); /* idempotent */
  expect_flags(f, TCP_ACK | TCP_FIN, 301);
  g_assert_false(f->end[0].closed);
  script(f, 301, 0, 201, 0);
  expect_finished(f);
  expect_nothing(f, 0);
  script(f, 301, 0, 201, 0);
  g_assert_cmphex(wire_header(f, 0, 0).flags, ==, TCP_RST);
  g_assert_cmpuint(wire_header(f, 0, 0).sequence, ==, sequence_at(f, 0, 201));
}

/* Linux, tcp_fin(): the ACK of a FIN waits for what this end still sends, and leaves when the delay is over.
 * Once its own FIN has left nothing can carry it: in FIN-WAIT-1 and FIN-WAIT-2 it leaves at once. */
TEST(test_ack_of_a_fin)
{
  const tcp_config *config = TCP_WITH(.ack_by_octets = true);
  for (unsigned answers = 0; answers < 2; answers++) {
    g_autoptr(tcp_fixture) f = tcp_fixture_scripted(config, NULL);
    script(f, 0, 300, 0, TCP_FIN);
    expect_nothing(f, 0);
    if (answers) {
      post(f, 0, 200, 0);
      expect_flags(f, TCP_ACK | TCP_PSH, 301);
    } else {
      expect_quiet_until(f, 0, f->now + config->delayed_ack_ps);
      expect_flags(f, TCP_ACK, 301);
    }
  }
  for (unsigned acknowledged = 0; acknowledged < 2; acknowledged++) {
    g_autoptr(tcp_fixture) f = tcp_fixture_scripted(config, NULL);
    finish(f, 0);
    drop_all(f, 0);
    script(f, 0, 300, acknowledged, TCP_FIN);
    expect_flags(f, TCP_ACK, 301);
  }
}

/* RFC 9293 §3.10.7.4, second: a RST at RCV.NXT ends every synchronised state; the layer above is informed
 * once. */
TEST(test_reset_in_every_state)
{
  for (unsigned state = 0; state < 6; state++) {
    g_autoptr(tcp_fixture) f = against_script();
    bool closes =
        state == 1 || state == 2 || state == 4 || state == 5; /* FIN-WAIT-1 and -2, CLOSING, LAST-ACK */
    if (state == 5) {
      script(f, 0, 0, 0, TCP_FIN);
    }
    if (closes) {
      finish(f, 0);
    }
    if (state == 2) {
      script(f, 0, 0, 1, 0);
    }
    if (state == 3 || state == 4) { /* CLOSE-WAIT, CLOSING */
      script(f, 0, 0, 0, TCP_FIN);
    }
    drop_all(f, 0);
    g_test_message("state %u", state);
    script(f, state >= 3 ? 1 : 0, 0, 0, TCP_RST);
    expect_closed(f, 0, TCP_CLOSE_RESET);
    expect_nothing(f, 0);
    expect_deadline(f, 0, TIME_PS_NEVER);
  }
}

/* RFC 5961 §3.2: a RST outside of the window is dropped without an answer. The window's 65,535 octets end
 * before 65,535; what is right there Linux still challenges. With no window at all RCV.NXT is no edge: a
 * RST there is believed. */
FLAG_TEST(test_reset_at_the_edge_of_the_window, drops)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(
      TCP_WITH(.drops_reset_at_edge = drops, .receive_window_octets = 65535), &(tcp_header){.window = 65535});
  script(f, 65534, 0, 0, TCP_RST);
  expect_flags(f, TCP_ACK, 0);
  script(f, 65535, 0, 0, TCP_RST);
  g_assert_cmpuint(on_wire(f, 0), ==, drops ? 0 : 1);
  drop_all(f, 0);
  script(f, 65536, 0, 0, TCP_RST);
  expect_nothing(f, 0);
  g_assert_false(f->end[0].closed);
  tcp_connection_set_unread_octets(f->end[0].connection, 65535);
  script(f, 0, 32767, 0, 0);
  drop_all(f, 0);
  script(f, 32767, 32768, 0, 0); /* half of the window: not delayed */
  g_assert_cmpuint(wire_header(f, 0, 0).window, ==, 0);
  drop_all(f, 0);
  script(f, 65535, 0, 0, TCP_RST);
  expect_closed(f, 0, TCP_CLOSE_RESET);
}

/* Both open at once, then the peer resets: an active open ends there, it does not listen (RFC 9293
 * §3.10.7.4, second). */
TCP_TEST(test_reset_after_simultaneous_open, tcp_fixture_new(NULL, NULL))
{
  open_end(f, 0);
  drop_all(f, 0);
  tcp_header syn = {.sequence = sequence_at(f, 1, -1), .flags = TCP_SYN, .window = 1000};
  script_segment(f, syn, 0, 0);
  g_assert_cmphex(wire_header(f, 0, 0).flags, ==, TCP_SYN | TCP_ACK);
  drop_all(f, 0);
  script(f, 0, 0, 0, TCP_RST);
  expect_closed(f, 0, TCP_CLOSE_RESET);
  g_assert_false(f->end[0].established);
}

/* Payload and FIN of a SYN are not taken; they come again (RFC 9293 §3.10.7.2 lets them wait). */
TCP_TEST(test_payload_of_a_syn, tcp_fixture_new(NULL, NULL))
{
  f->end[0].connection->class->listen(f->end[0].connection);
  tcp_header syn = {.sequence = sequence_at(f, 1, -1), .flags = TCP_SYN | TCP_FIN, .window = 1000};
  script_segment(f, syn, 0, 100);
  g_assert_cmphex(wire_header(f, 0, 0).flags, ==, TCP_SYN | TCP_ACK);
  g_assert_cmpuint(wire_header(f, 0, 0).acknowledgement, ==, sequence_at(f, 1, 0));
  drop_all(f, 0);
  script(f, 0, 100, 0, TCP_FIN);
  g_assert_true(f->end[0].established && f->end[0].finished);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 100);
}

/* RFC 9293 §3.10.7.4, first: what lies beyond the window is cut off, and the FIN after it with it; both
 * come again. */
TCP_TEST(test_fin_beyond_the_window,
         tcp_fixture_scripted(TCP_WITH(.receive_window_octets = 1000), OFFER(65535, EMSS)))
{
  script(f, 0, 1200, 0, TCP_FIN);
  expect_flags(f, TCP_ACK, 1000);
  EXPECT_FIELDS(&f->end[0], (finished, false), (passed_octets, 1000));
  script(f, 1000, 200, 0, TCP_FIN);
  expect_flags(f, TCP_ACK, 1201);
  EXPECT_FIELDS(&f->end[0], (finished, true), (passed_octets, 1200));
}

/* RFC 9293 §3.8.5, §3.1: URG and its pointer change nothing of the stream; MPA uses no urgent data, and it is
 * not reported here. */
TCP_TEST(test_urgent_is_ignored, tcp_fixture_pair(NULL))
{
  post(f, 0, 3 * EMSS, 0);
  for (unsigned i = 0; i < 3; i++) {
    datagram *packet = wire_packet(f, 0, i);
    packet->header[packet->ip_octets + 13] |= URG;
    packet->header[packet->ip_octets + URGENT_POINTER_AT + 1] = (uint8_t)(100 * i);
  }
  deliver_all(f, 0);
  EXPECT_FIELDS(&f->end[1], (passed->len, 3), (passed_octets, 3 * EMSS));
  expect_ack(f, 1, 2 * EMSS);
  complete_transfer(f, 3 * EMSS);
}

/* Sequence numbers wrap within the window (RFC 9293 §3.4), with SACK blocks on both sides of it,
 * timestamps about to wrap (RFC 7323 §5.4). */
TEST(test_wrap_in_the_middle_of_everything)
{
  tcp_config config = *TCP_WITH(.timestamps = true, .dsack = true);
  config.isn = UINT32_MAX - 6 * 1448; /* positions from 6 * 1448 on have sequence numbers from 0 on */
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &config);
  f->now = (time_ps)(UINT32_MAX - 250000) * TIME_PS_PER_MICROSECOND; /* wraps after 250 ms */
  handshake(f, TCP_FIXTURE_ROUND_TRIP, NULL);
  for (unsigned round = 0; round < 4; round++) {
    post(f, 0, 10 * 1448, 0);
    if (round == 0) {
      drop_segment(f, 0);
      reorder_segments(f, 0, 3, 5); /* across the wrap, as those dropped and SACKed are */
    }
    complete_transfer(f, (round + 1) * 10 * 1448);
  }
  post(f, 1, 10 * 1448, 0); /* the other stream wraps as well */
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 10 * 1448);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 1), (timeouts, 0));
}

/* The octets end at sequence number UINT32_MAX, the FIN has 0. */
TCP_TEST(test_wrap_before_the_fin, tcp_fixture_pair(TCP_WITH(.isn = UINT32_MAX - 1000, .timestamps = true)))
{
  queue_record(f, 0, 1000, 0);
  finish(f, 0);
  g_assert_cmpuint((uint64_t)wire_header(f, 0, 0).sequence + 1000, ==, UINT64_C(1) << 32);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_true(f->end[1].finished);
  finish(f, 1);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  expect_finished(f);
}
