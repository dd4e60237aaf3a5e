/* SPDX-License-Identifier: GPL-2.0-only */
/* One connection's life: closing, resets, and what is not taken. Handshake: test_tcp_handshake.c; segments
 * with anything in them: test_tcp_hostile.c; losses: test_tcp_recovery.c; how the stream flows:
 * test_tcp_flow.c. */
#include <string.h>

#include "flag_test.h"
#include "tcp_fixture.h"

static tcp_fixture *connected(void)
{
  return tcp_fixture_pair(NULL);
}

static void expect_finished(const tcp_fixture *f, unsigned end)
{
  g_assert_true(f->end[end].finished);
  expect_closed(f, end, TCP_CLOSE_FINISHED);
  g_assert_true(tcp_connection_is_closed(f->end[end].connection));
}

TCP_TEST(test_close_before_the_handshake_ends, tcp_fixture_unopened(NULL))
{
  f->end[0].connection->class->open(f->end[0].connection, 0);
  post(f, 0, 100, 0);
  finish(f, 0);
  finish(f, 1);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  expect_finished(f, 0);
  expect_finished(f, 1);
  g_assert_cmpuint(f->end[1].passed_octets, ==, 100);
}

/* A lost FIN is sent again after RTO: 300 ms after a round trip of 100 ms. So is the last FIN when its ACK is
 * lost: end 0 counts as closed but answers it (TIME-WAIT). */
TCP_TEST(test_lost_fin, connected())
{
  finish(f, 0);
  drop_segment(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_ACK | TCP_FIN);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_true(f->end[1].finished);
  finish(f, 1);
  deliver(f, 1);
  drop_segment(f, 0);
  expect_finished(f, 0);
  g_assert_false(f->end[1].closed);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(wire_header(f, 1, 0).flags, ==, TCP_ACK | TCP_FIN);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  expect_finished(f, 1);
}

/* MPA-016: a FIN that overtakes the octets before it waits for them: nothing that came is lost on it
 * (note M32). */
TCP_TEST(test_fin_out_of_order, connected())
{
  queue_record(f, 0, 2000, 0);
  finish(f, 0);
  reorder_segments(f, 0, 0, 1);
  deliver(f, 0);
  EXPECT_FIELDS(&f->end[1], (passed_octets, 540), (finished, false));
  deliver(f, 0);
  EXPECT_FIELDS(&f->end[1], (finished, true), (connection->gauges.in_order_edge, 2000));
}

/* MPA-016: an abort is reported to both ends, with its reason. Whoever runs the timers then, has nothing
 * run out. */
TCP_TEST(test_abort, connected())
{
  post(f, 0, 5000, 0);
  deliver_all(f, 0);
  drop_all(f, 1);
  f->end[0].connection->class->abort(f->end[0].connection, f->now);
  g_assert_cmpint(f->end[0].reason, ==, TCP_CLOSE_ABORTED);
  collect(f, 0);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_RST | TCP_ACK);
  deliver(f, 0);
  expect_closed(f, 1, TCP_CLOSE_RESET);
  expect_nothing(f, 0);
  expect_nothing(f, 1);
  expect_deadline(f, 0, TIME_PS_NEVER);
  f->now += TIME_PS_PER_SECOND;
  f->end[0].connection->class->run(f->end[0].connection, f->now);
  collect(f, 0);
  expect_nothing(f, 0);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 0);
}

/* The RST of an abort is a segment of its connection: it is at SND.NXT (RFC 9293 §3.10.5) and acknowledges
 * what has come (§3.1: "always sent"), and has the window and, where agreed, the timestamps (RFC 7323
 * §3.2); it is not ECN-capable (RFC 3168 §6.1). 700 octets of the window of 65,535 are unread. */
FLAG_TEST(test_reset_of_an_abort, timestamps)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(
      TCP_WITH(.timestamps = timestamps, .receive_window_octets = 65535),
      &(tcp_header){.window = 65535, .has_timestamps = timestamps, .timestamp_value = 50});
  post(f, 0, 500, 0);
  tcp_connection_set_unread_octets(f->end[0].connection, 700);
  tcp_header header = SCRIPT_HEADER(f, 0, 100, .flags = TCP_ACK, .window = 65535,
                                    .has_timestamps = timestamps, .timestamp_value = 60);
  script_segment(f, header, 0, 700);
  drop_all(f, 0);
  advance_by(f, 7 * TIME_PS_PER_MICROSECOND);
  f->end[0].connection->class->abort(f->end[0].connection, f->now);
  collect(f, 0);
  tcp_header reset = wire_header(f, 0, 0);
  EXPECT_FIELDS(&reset, (flags, TCP_RST | TCP_ACK), (sequence, sequence_at(f, 0, 500)),
                (acknowledgement, sequence_at(f, 1, 700)), (window, 65535 - 700),
                (has_timestamps, timestamps),
                (timestamp_value, timestamps ? f->now / TIME_PS_PER_MICROSECOND : 0),
                (timestamp_echo, timestamps ? 60 : 0));
  g_assert_cmpint(datagram_ecn_of(wire_packet(f, 0, 0)), ==, DATAGRAM_ECN_NOT_CAPABLE);
  drop_segment(f, 0);
  expect_nothing(f, 0);
  script_segment(f, header, 0, 700); /* now it answers as one that is closed */
  g_assert_cmphex(wire_header(f, 0, 0).flags, ==, TCP_RST);
  g_assert_cmpuint(wire_header(f, 0, 0).sequence, ==, header.acknowledgement);
}

/* RFC 9293 §3.10.7.1, §3.5.2 group 1: a closed connection answers with RST, at SEG.ACK or, without ACK, at 0,
 * acknowledging the segment: its octets, its SYN and its FIN count, modulo 2^32. */
static const struct {
  uint32_t sequence, payload_octets;
  uint8_t flags, answer;
  uint32_t at, acknowledges;
} closed_rows[] = {
    {5, 10, TCP_ACK, TCP_RST, 77, 0},           {5, 0, TCP_SYN | TCP_ACK, TCP_RST, 77, 0},
    {5, 0, TCP_SYN, TCP_RST | TCP_ACK, 0, 6},   {5, 10, TCP_SYN, TCP_RST | TCP_ACK, 0, 16},
    {5, 10, TCP_FIN, TCP_RST | TCP_ACK, 0, 16}, {5, 10, TCP_SYN | TCP_FIN, TCP_RST | TCP_ACK, 0, 17},
    {5, 0, TCP_PSH, TCP_RST | TCP_ACK, 0, 5},   {UINT32_MAX, 0, TCP_SYN, TCP_RST | TCP_ACK, 0, 0},
};

ROW_TEST(test_answers_when_closed, closed_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_new(NULL, NULL);
  tcp_header header = {.sequence = c->sequence, .acknowledgement = 77, .flags = c->flags};
  script_segment(f, header, 0, c->payload_octets);
  EXPECT_HEADER(f, 0, 0, (flags, c->answer), (sequence, c->at), (acknowledgement, c->acknowledges));
  drop_segment(f, 0);
  header.flags |= TCP_RST;
  script_segment(f, header, 0, c->payload_octets);
  expect_nothing(f, 0);
}

/* §3.10.7.4, second: a RST ends the connection, and nothing else in its segment counts, neither what it
 * acknowledges nor what it brings. */
TCP_TEST(test_reset_acknowledges_nothing, tcp_fixture_scripted(NULL, &(tcp_header){.window = 65535}))
{
  post(f, 0, 1000, 0);
  script_segment(f, SCRIPT_HEADER(f, 0, 1000, .flags = TCP_RST | TCP_ACK, .window = 65535), 0, 100);
  expect_closed(f, 0, TCP_CLOSE_RESET);
  EXPECT_FIELDS(&f->end[0], (acknowledged, 0), (passed_octets, 0));
}

/* RFC 9293 §3.10.7.3. */
TCP_TEST(test_answers_in_syn_sent, tcp_fixture_new(NULL, NULL))
{
  open_end(f, 0);
  drop_segment(f, 0);
  uint32_t wrong = sequence_at(f, 0, 1);
  script_segment(f, (tcp_header){.acknowledgement = wrong, .flags = TCP_SYN | TCP_ACK}, 0, 0);
  EXPECT_HEADER(f, 0, 0, (flags, TCP_RST), (sequence, wrong));
  drop_segment(f, 0);
  script_segment(f, (tcp_header){.acknowledgement = wrong, .flags = TCP_RST | TCP_ACK}, 0, 0);
  script_segment(f, (tcp_header){.flags = TCP_RST}, 0, 0);
  g_assert_false(f->end[0].closed);
  expect_nothing(f, 0);
  script_segment(f, (tcp_header){.acknowledgement = wrong - 1, .flags = TCP_RST | TCP_ACK}, 0, 0);
  expect_closed(f, 0, TCP_CLOSE_RESET);
}

/* RFC 9293 §3.10.7.4, fifth: an ACK that is not of our SYN-ACK does not establish. */
TCP_TEST(test_answers_in_syn_received, tcp_fixture_new(NULL, NULL))
{
  f->end[0].connection->class->listen(f->end[0].connection);
  script_segment(f, (tcp_header){.sequence = 10, .acknowledgement = 33, .flags = TCP_ACK}, 0, 0);
  EXPECT_HEADER(f, 0, 0, (flags, TCP_RST), (sequence, 33));
  drop_segment(f, 0);
  script_segment(f, (tcp_header){.sequence = 10, .flags = TCP_SYN, .window = 100}, 0, 0);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_SYN | TCP_ACK);
  drop_segment(f, 0);
  uint32_t wrong = sequence_at(f, 0, 5);
  script_segment(f, (tcp_header){.sequence = 11, .acknowledgement = wrong, .flags = TCP_ACK}, 0, 0);
  EXPECT_HEADER(f, 0, 0, (flags, TCP_RST), (sequence, wrong));
  g_assert_false(f->end[0].established);
  script_segment(f, (tcp_header){.sequence = 11, .acknowledgement = wrong - 5, .flags = TCP_ACK}, 0, 0);
  g_assert_true(f->end[0].established);
}

/* RFC 9293 §3.10.7.4, fourth: a SYN in the window of a passive end in SYN-RECEIVED has it listen again,
 * unanswered, and take the next. */
TCP_TEST(test_syn_in_syn_received, tcp_fixture_new(NULL, NULL))
{
  f->end[0].connection->class->listen(f->end[0].connection);
  script_segment(f, (tcp_header){.sequence = 10, .flags = TCP_SYN, .window = 100}, 0, 0);
  drop_segment(f, 0);
  script_segment(f, (tcp_header){.sequence = 16, .flags = TCP_SYN, .window = 100}, 0, 0);
  expect_nothing(f, 0);
  script_segment(f, (tcp_header){.sequence = 500, .flags = TCP_SYN, .window = 100}, 0, 0);
  EXPECT_HEADER(f, 0, 0, (flags, TCP_SYN | TCP_ACK), (acknowledgement, 501));
}

/* A passive end whose peer resets during the handshake listens again (RFC 9293 §3.10.7.4), and takes the
 * next. */
TCP_TEST(test_back_to_listen, tcp_fixture_unopened(NULL))
{
  open_end(f, 0);
  deliver_and_keep(f, 0);
  drop_segment(f, 1);
  forge_segment(f, 0, (tcp_header){.sequence = sequence_at(f, 0, 0), .flags = TCP_RST}, 0, 0);
  expect_nothing(f, 1);
  expect_deadline(f, 1, TIME_PS_NEVER);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_true(f->end[0].established && f->end[1].established);
}

/* Segments that a synchronised connection must answer with an ACK and otherwise leave alone (RFC 9293
 * §3.10.7.4, RFC 5961). */
static const struct {
  int64_t position;
  int64_t acknowledges;
  uint8_t flags;
  uint32_t length;
} challenges_rows[] = {
    {0, 0, TCP_SYN, 0},            /* a SYN in the window */
    {-1, 0, TCP_SYN | TCP_ACK, 0}, /* the SYN-ACK again */
    {-1, 0, TCP_ACK, 0},           /* a probe */
    {1 << 21, 0, TCP_ACK, 10},     /* beyond the window of 2^20 */
    {-100, 0, TCP_ACK, 100},       /* before it */
    {0, 1, TCP_ACK, 0},            /* acknowledges what was never sent */
    {0, -70000, TCP_ACK, 0},       /* acknowledges what cannot be acknowledged now */
    {100, 0, TCP_RST, 0},          /* a RST in the window but not at its edge */
};

ROW_TEST(test_challenges, challenges_rows)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_scripted(NULL, &(tcp_header){.window = 65535, .has_window_scale = true});
  script_segment(f, SCRIPT_HEADER(f, c->position, c->acknowledges, .flags = c->flags, .window = 65535), 1000,
                 c->length);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  expect_ack(f, 0, 0);
  EXPECT_FIELDS(&f->end[0], (closed, false), (passed_octets, 0),
                (segments, c->length > 0 ? 1 : 0)); /* counted all the same */
}

static const struct {
  const char *what;
  int64_t position;
  int64_t acknowledges;
  uint8_t flags;
} what_is_not_committed_rows[] = {
    {"a duplicate", 0, 0, TCP_ACK},
    {"the rear half of a duplicate", 50, 0, TCP_ACK},
    {"beyond the window", 100 + 65535, 0, TCP_ACK},
    {"half a sequence space away", INT64_C(1) << 31, 0, TCP_ACK},
    {"before the stream", -150, 0, TCP_ACK},
    {"acknowledging what was never sent", 100, 1, TCP_ACK},
    {"acknowledging what nobody can be acknowledging now", 100, -70000, TCP_ACK},
    {"without ACK", 100, 0, 0},
    {"with SYN", 100, 0, TCP_ACK | TCP_SYN},
    {"with RST in the window", 101, 0, TCP_ACK | TCP_RST},
};

/* MPA-029: what reaches MPA has passed TCP's checks: segments with octets that are no part of this
 * connection's stream, or were there before, or come from outside of the window, hand up nothing. (Wrong
 * checksums: test_tcp_damage.c; timestamps: test_tcp_flow.c.) */
ROW_TEST(test_what_is_not_committed, what_is_not_committed_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(NULL, &(tcp_header){.window = 65535});
  g_test_message("%s", c->what);
  script_payload(f, 0, 100, 0);
  script_segment(f, SCRIPT_HEADER(f, c->position, c->acknowledges, .flags = c->flags, .window = 65535),
                 (uint64_t)MAX(c->position, 0), c->position == 50 ? 50 : 100);
  EXPECT_FIELDS(&f->end[0], (passed->len, 1), (passed_octets, 100), (connection->gauges.in_order_edge, 100));
  g_assert_cmpuint(f->end[0].connection->class->beyond(f->end[0].connection).ranges, ==, 0);
  g_assert_cmpuint(f->end[0].inspected->len, ==, 1); /* nor was this inspected */
}

/* RFC 5961 §5.2: SND.UNA - MAX.SND.WND is the oldest ACK that is taken; with the next older one the
 * segment is refused. */
FLAG_TEST(test_the_oldest_ack, older)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(NULL, &(tcp_header){.window = 65535});
  script_segment(f, SCRIPT_HEADER(f, 0, -65535 - older, .flags = TCP_ACK, .window = 65535), 0, 100);
  g_assert_cmpuint(f->end[0].passed_octets, ==, older ? 0 : 100);
}

/* End 0 posts the octets of `buffer`, and sends what it may. */
static void post_block(tcp_fixture *f, octet_buffer *buffer, uint32_t octets)
{
  buffer_chain record = {0};
  buffer_chain_append(&record, octet_buffer_octets(buffer), octets, buffer);
  f->end[0].connection->class->post(f->end[0].connection, &record, 0);
  buffer_chain_clear(&record);
  f->end[0].posted += octets;
  collect(f, 0);
}

/* Positions have 64 bits, on the wire 32 of them: more than 4 GiB are sent and acknowledged, and beyond,
 * what is lost or too big is sent again. */
TEST(test_more_than_4_gib)
{
  enum { RECORD_OCTETS = 1 << 20, EMSS = 65495 };
  g_autoptr(tcp_fixture) f =
      tcp_fixture_scripted(TCP_WITH(.send_mtu_octets = 65535), &(tcp_header){.window = 65535,
                                                                             .has_mss = true,
                                                                             .mss_octets = EMSS,
                                                                             .has_window_scale = true,
                                                                             .window_scale = 14,
                                                                             .has_sack_permitted = true});
  g_autoptr(octet_buffer) buffer = octet_buffer_new(RECORD_OCTETS);
  memset(octet_buffer_octets(buffer), 0, RECORD_OCTETS);
  uint64_t sent = 0;
  for (uint64_t posted = RECORD_OCTETS; posted <= (UINT64_C(1) << 32) + RECORD_OCTETS;
       posted += RECORD_OCTETS) {
    post_block(f, buffer, RECORD_OCTETS);
    while (sent < posted) {
      g_assert_cmpuint(on_wire(f, 0), >, 0);
      sent += wire_length(f, 0, 0);
      drop_segment(f, 0);
      script_ack(f, sent, 0, NULL);
    }
    g_assert_cmpuint(f->end[0].acknowledged, ==, posted);
  }
  post_block(f, buffer, RECORD_OCTETS);
  drop_all(f, 0);
  advance_by(f, TIME_PS_PER_SECOND);
  g_assert_cmphex(wire_header(f, 0, 0).sequence, ==, sequence_at(f, 0, sent));
  g_assert_cmpuint(wire_length(f, 0, 0), ==, EMSS);
  script_ack(f, sent + EMSS, 1,
             (const uint64_t[][2]){{sent + 2 * EMSS, sent + 3 * EMSS}}); /* has more than was predicted */
  g_assert_cmpuint(f->end[0].acknowledged, ==, sent + EMSS);
  sent += RECORD_OCTETS;
  drop_all(f, 0);
  script_ack(f, sent, 0, NULL);
  post_block(f, buffer, RECORD_OCTETS);
  unsigned count = on_wire(f, 0);
  tell_too_big(f, 0, 1, 1500); /* the second: what went before it is not sent again */
  g_assert_cmphex(wire_header(f, 0, count).sequence, ==, sequence_at(f, 0, sent + EMSS));
  g_assert_cmpuint(wire_length(f, 0, count), ==, 1460);
}

/* A FIN goes with the last octet, not with one that 4 GiB follow. */
TEST(test_fin_after_4_gib)
{
  enum { BLOCK_OCTETS = 1 << 20, EMSS = 1460 };
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(NULL, OFFER(0, EMSS));
  g_autoptr(octet_buffer) buffer = octet_buffer_new(BLOCK_OCTETS);
  memset(octet_buffer_octets(buffer), 0, BLOCK_OCTETS);
  for (uint64_t posted = 0; posted < UINT64_C(1) << 32; posted += BLOCK_OCTETS) {
    post_block(f, buffer, BLOCK_OCTETS);
  }
  post_block(f, buffer, EMSS);
  finish(f, 0);
  expect_nothing(f, 0);
  script_ack(f, 0, 0, NULL);
  expect_segment(f, 0, 0, EMSS);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_ACK);
}

/* Nothing answers a RST outside of the window, a segment without ACK, or an old ACK. */
TCP_TEST(test_ignored, tcp_fixture_scripted(NULL, &(tcp_header){.window = 65535}))
{
  tcp_header header = {.sequence = sequence_at(f, 1, -5), .flags = TCP_RST};
  script_segment(f, header, 0, 0);
  header = (tcp_header){.sequence = sequence_at(f, 1, 0)};
  script_segment(f, header, 0, 10);
  header.flags = TCP_ACK;
  header.acknowledgement = sequence_at(f, 0, -1);
  script_segment(f, header, 0, 0);
  expect_nothing(f, 0);
  EXPECT_FIELDS(&f->end[0], (closed, false), (passed_octets, 0));
}
