/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows that close: the sender's probes (RFC 9293 §3.8.6.1), the receiver's silly window avoidance
 * (§3.8.6.2.2), and a right edge that never moves left. */
#include "tcp_fixture.h"
#include "test.h"

enum { EMSS = 1000 };

static tcp_fixture *against_script(const tcp_config *config)
{
  return tcp_fixture_scripted(config, OFFER(4000, EMSS));
}

/* RFC 9293 §3.8.6.1 (SHLD-29, SHLD-30): the first probe after one RTO of 300 ms, then at intervals that
 * double, up to the largest RTO, here 1 s; as long as they are answered they go on for ever (MUST-37),
 * here for 100 s, although 8 retries are the most. Each is counted, none as a time-out; then the window
 * opens. */
TEST(test_probes)
{
  static const unsigned milliseconds[] = {300, 900, 1900, 2900, 3900};
  g_autoptr(tcp_fixture) f = against_script(TCP_WITH(.rto_max_ps = TIME_PS_PER_SECOND));
  time_ps start = f->now;
  script_window(f, 0, 0);
  post(f, 0, 100, 0);
  expect_nothing(f, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(milliseconds); i++) {
    expect_quiet_until(f, 0, start + milliseconds[i] * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(statistics_of(f)->window_probes, ==, i + 1);
    expect_lone_segment(f, 0, UINT32_MAX, 0); /* before the first octet */
    drop_segment(f, 0);
    script_window(f, 0, 0);
  }
  for (unsigned second = 0; second < 100; second++) {
    advance_by(f, TIME_PS_PER_SECOND);
    drop_all(f, 0);
    script_window(f, 0, 0);
  }
  g_assert_false(f->end[0].closed);
  g_assert_cmpuint(statistics_of(f)->window_probes, >=, 90);
  EXPECT_FIELDS(statistics_of(f), (timeouts, 0), (retransmissions, 0));
  script_window(f, 0, 4000);
  expect_segment(f, 0, 0, 100);
}

/* The waits between probes double, RTO does not: no segment was lost (RFC 6298 §5.5; Linux,
 * tcp_probe0_when()). After four probes, at 0.3, 0.9, 2.1 and 4.5 s, the window opens, and a segment that is
 * lost leaves again after the RTO of 300 ms. The next window that closes is first probed after twice that,
 * RTO with its back-off. */
TEST(test_probes_leave_rto)
{
  g_autoptr(tcp_fixture) f = against_script(NULL);
  time_ps start = f->now;
  script_window(f, 0, 0);
  post(f, 0, 100, 0);
  for (unsigned i = 0; i < 4; i++) {
    expect_quiet_until(f, 0, start + ((300 << (i + 1)) - 300) * TIME_PS_PER_MILLISECOND);
    drop_segment(f, 0);
    script_window(f, 0, 0);
  }
  script_window(f, 0, 4000);
  expect_and_drop(f, 0, 0, 100);
  expect_quiet_until(f, 0, f->now + 300 * TIME_PS_PER_MILLISECOND);
  expect_and_drop(f, 0, 0, 100);
  script_window(f, 100, 0);
  post(f, 0, 100, 0);
  expect_quiet_until(f, 0, f->now + 600 * TIME_PS_PER_MILLISECOND);
  expect_lone_segment(f, 0, 99, 0);
}

/* MUST-37 again: an answer is one also when it reports a duplicate (RFC 2883). */
TCP_TEST(test_answers_with_a_duplicate,
         tcp_fixture_scripted(
             TCP_WITH(.rto_max_ps = TIME_PS_PER_SECOND),
             &(tcp_header){.window = 4000, .has_mss = true, .mss_octets = EMSS, .has_sack_permitted = true}))
{
  post(f, 0, 100, 0);
  script_window(f, 100, 0);
  post(f, 0, 100, 0);
  tcp_header answer = SCRIPT_HEADER(f, 0, 100, .flags = TCP_ACK, .sack_count = 1,
                                    .sack = {{sequence_at(f, 0, 0), sequence_at(f, 0, 100)}});
  for (unsigned second = 0; second < 20; second++) { /* more than retries_max */
    advance_by(f, TIME_PS_PER_SECOND);
    drop_all(f, 0);
    script_segment(f, answer, 0, 0);
  }
  g_assert_false(f->end[0].closed);
  g_assert_cmpuint(statistics_of(f)->window_probes, >=, 20);
  g_assert_cmpuint(statistics_of(f)->duplicates_reported, ==, 20);
}

/* RFC 9293 §3.10.7.4: SND.WL1 is the SYN's sequence number after the handshake. A segment that starts
 * there, with an octet too many in front, is not older, and its window is taken. */
TCP_TEST(test_window_beside_the_syn, against_script(NULL))
{
  post(f, 0, 5000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 4);
  script_segment(f, SCRIPT_HEADER(f, -1, 0, .flags = TCP_ACK, .window = 5000), UINT64_MAX, 11);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 10);
  g_assert_cmpuint(wire_position(f, 0, 4), ==, 4000);
}

/* Probes without an answer are given up after retries_max, 8, like everything else. */
TCP_TEST(test_probes_are_given_up, against_script(TCP_WITH(.rto_max_ps = TIME_PS_PER_SECOND)))
{
  script_window(f, 0, 0);
  post(f, 0, 100, 0);
  advance_by(f, 20 * TIME_PS_PER_SECOND);
  expect_closed(f, 0, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(statistics_of(f)->window_probes, ==, 7);
}

/* The window shrinks below what is in flight (RFC 9293 §3.8.6, SHLD-17: be prepared): nothing new leaves,
 * what is in flight still counts, and goes again when it times out. */
TCP_TEST(test_shrinking_window, against_script(NULL))
{
  post(f, 0, 6000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 4);
  drop_all(f, 0);
  script_window(f, 1000, 500); /* 1500 instead of 4000 */
  expect_nothing(f, 0);
  advance_by(f, 400 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 1000, 1000);
  drop_all(f, 0);
  script_window(f, 4000, 2000);
  expect_segment(f, 0, 4000, 1000);
}

/* The right edge that the oldest segment on the wire of end 1 announces. No window is scaled here. */
static uint64_t told_edge(const tcp_fixture *f)
{
  tcp_header header = wire_header(f, 1, 0);
  return header.acknowledgement - sequence_at(f, 0, 0) + header.window;
}

/* The layer above end 1 has yet to consume so many octets. */
static void leave_unread(tcp_fixture *f, uint64_t octets)
{
  tcp_connection_set_unread_octets(f->end[1].connection, octets);
  collect(f, 1);
}

/* A layer above that consumes slowly, a window of 8000, an MTU of 1500, an ACK for each segment: the
 * window closes as its octets stay unread, and the right edge stays at 8000. Read again, 100 octets are no
 * news, nor is anything below half of the window or 2 MTU, here 3000; 4000 are. */
TCP_TEST(test_unread_octets_close_the_window,
         tcp_fixture_between(NULL, TCP_WITH(.receive_window_octets = 8000, .delayed_ack_segments = 1)))
{
  post(f, 0, 12000, 0);
  uint64_t arrived = 0;
  while (arrived < 8000) {
    if (on_wire(f, 0) == 0) {
      /* 700 octets are left of the window, and leave when the override time is over */
      advance_to(f, f->end[0].connection->class->deadline(f->end[0].connection));
    }
    arrived += wire_length(f, 0, 0);
    tcp_connection_set_unread_octets(f->end[1].connection, arrived);
    deliver(f, 0);
    g_assert_cmpuint(told_edge(f), ==, 8000);
    deliver(f, 1);
  }
  g_assert_cmpuint(arrived, ==, 8000);
  leave_unread(f, 7900);
  expect_nothing(f, 1);
  leave_unread(f, 5001);
  expect_nothing(f, 1);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND); /* the probe is answered, with what is worth telling */
  g_assert_cmpuint(statistics_of(f)->window_probes, ==, 1);
  deliver(f, 0);
  g_assert_cmpuint(told_edge(f), ==, 8000 + 2999);
  drop_all(f, 1);
  leave_unread(f, 0);
  g_assert_cmpuint(told_edge(f), ==, 8000 + 8000);
  deliver_all(f, 1);
  complete_transfer(f, 12000);
}

/* RFC 9293 §3.8.6.2.2: of a window of 8000 that is nearly full, 1000 octets read, less than an MTU of
 * 1500, open nothing, not even in an ACK that leaves anyhow; 1500 do. */
TCP_TEST(test_silly_window_is_not_told, tcp_fixture_between(NULL, TCP_WITH(.receive_window_octets = 8000)))
{
  post(f, 0, 8000, 0);
  tcp_connection_set_unread_octets(f->end[1].connection, 8000);
  deliver_all(f, 0);
  deliver_all(f, 1);
  for (unsigned read = 1000; read <= 1500; read += 500) {
    tcp_connection_set_unread_octets(f->end[1].connection, 8000 - read);
    drop_all(f, 0);
    if (read == 1000) {
      queue_record(f, 1, 10, 0); /* something for the ACK to ride on */
      collect(f, 1);
    } else {
      post(f, 1, 10, 0);
    }
    g_assert_cmpuint(told_edge(f), ==, read == 1000 ? 8000 : 9500);
    drop_all(f, 1);
  }
}

/* RFC 9293 §3.8.6.2.1 (MUST-38), Fs = 1/2: with nothing in flight less than a segment leaves when it fills
 * half of the largest window ever offered, or when the override time is over, here RTO, 300 ms. 1,000
 * octets wait for a window of 10, of at most 2,000. */
static const struct {
  uint16_t largest;
  uint16_t window;
  bool waits;
} silly_window_is_not_used_rows[] = {{2000, 10, true}, {1800, 899, true}, {1800, 900, false}};

ROW_TEST(test_silly_window_is_not_used, silly_window_is_not_used_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(NULL, OFFER(c->largest, EMSS));
  script_window(f, 0, c->window);
  post(f, 0, 1000, 0);
  if (c->waits) {
    expect_quiet_until(f, 0, f->now + 300 * TIME_PS_PER_MILLISECOND);
  }
  expect_lone_segment(f, 0, 0, c->window);
  EXPECT_FIELDS(statistics_of(f), (window_probes, 0), (timeouts, 0));
}

/* A window that opens in time lets all leave at once. */
TCP_TEST(test_window_opens_before_the_override_time, against_script(NULL))
{
  script_window(f, 0, 10);
  post(f, 0, 1000, 0);
  advance_by(f, 200 * TIME_PS_PER_MILLISECOND);
  expect_nothing(f, 0);
  script_window(f, 0, 1000);
  expect_segment(f, 0, 0, 1000);
  advance_by(f, 200 * TIME_PS_PER_MILLISECOND); /* the override time is over, RTO of the segment is not */
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
}
