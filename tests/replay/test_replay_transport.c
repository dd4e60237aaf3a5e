/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the TCP that a capture feeds: it takes, holds, refuses and ends as a TCP does, and
 * sends nothing itself. */
#include "replay/replay_transport.h"

#include "packets.h"
#include "test.h"

#include <string.h>

enum { PEER_ISN = 1000, OWN_ISN = 5000, WINDOW = 65535 };

typedef struct fixture {
  tcp_transport *tcp;
  GString *
      events; /* "e 0+100@3 f c0 ": established; octets, and how long they had been there; finished; closed */
  uint32_t segments, new_octets;
  bool refuses;
} fixture;

static bool on_inspect(void *user, G_GNUC_UNUSED uint64_t position, G_GNUC_UNUSED const buffer_chain *octets,
                       G_GNUC_UNUSED time_ps now)
{
  return !((const fixture *)user)->refuses;
}

static void on_established(void *user, G_GNUC_UNUSED time_ps now)
{
  g_string_append(((fixture *)user)->events, "e ");
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  g_string_append_printf(((fixture *)user)->events, "%" G_GUINT64_FORMAT "+%u@%d ", position, octets->length,
                         (int)(now - arrival));
}

static void on_segment(void *user, G_GNUC_UNUSED uint64_t position, G_GNUC_UNUSED uint32_t length,
                       uint32_t new_octets, G_GNUC_UNUSED uint64_t edge, G_GNUC_UNUSED time_ps now)
{
  fixture *f = user;

  f->segments++;
  f->new_octets += new_octets;
}

static void on_acknowledged(void *user, uint64_t position, G_GNUC_UNUSED time_ps now)
{
  g_string_append_printf(((fixture *)user)->events, "a%" G_GUINT64_FORMAT " ", position);
}

static void on_finished(void *user, G_GNUC_UNUSED time_ps now)
{
  g_string_append(((fixture *)user)->events, "f ");
}

static void on_closed(void *user, tcp_close_reason reason, G_GNUC_UNUSED time_ps now)
{
  g_string_append_printf(((fixture *)user)->events, "c%d ", reason);
}

static const tcp_events events = {.inspect = on_inspect,
                                  .established = on_established,
                                  .octets = on_octets,
                                  .segment = on_segment,
                                  .acknowledged = on_acknowledged,
                                  .finished = on_finished,
                                  .closed = on_closed};

/* Returns a receiver of the octets from `start` to `limit`. */
static fixture *fixture_of(tcp_passing passing, uint64_t start, uint64_t limit)
{
  fixture *f = g_new0(fixture, 1);
  const tcp_config config = WITH(tcp_config, tcp_config_default(), .passing = passing);
  replay_transport_place place = {.start = start, .peer_isn = PEER_ISN, .emss_octets = 1460, .limit = limit};

  f->events = g_string_new("");
  f->tcp = replay_transport_new(&config, &events, f, &place);
  g_assert_true(place.made == f->tcp);
  return f;
}

static fixture *set_up(void)
{
  return fixture_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
}

static void fixture_free(fixture *f)
{
  tcp_transport_free(f->tcp);
  g_string_free(f->events, TRUE);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

/* Checks what was reported since the last time. */
static void assert_events(fixture *f, const char *expected)
{
  g_assert_cmpstr(f->events->str, ==, expected);
  g_string_truncate(f->events, 0);
}

static datagram *segment(int64_t position, uint32_t length, uint8_t flags, const uint32_t *timestamp)
{
  static const uint8_t octets[4096];
  const tcp_header header = {.source_port = 1,
                             .destination_port = 2,
                             .sequence = tcp_sequence_of(position, PEER_ISN),
                             .acknowledgement = OWN_ISN + 1,
                             .window = WINDOW,
                             .flags = flags,
                             .has_timestamps = timestamp != NULL,
                             .timestamp_value = timestamp ? *timestamp : 0};

  return packet_between(ip_address_v4(1), ip_address_v4(2), &header, octets, length);
}

static void receive_at(fixture *f, int64_t position, uint32_t length, uint8_t flags, time_ps now)
{
  g_autoptr(datagram) packet = segment(position, length, flags, NULL);

  f->tcp->class->receive(f->tcp, packet, now);
}

static void receive(fixture *f, int64_t position, uint32_t length, uint8_t flags)
{
  receive_at(f, position, length, flags, 0);
}

static bool has_taken(fixture *f, int64_t position, uint32_t length)
{
  g_autoptr(datagram) packet = segment(position, length, TCP_ACK, NULL);

  return replay_transport_has_taken(f->tcp, packet);
}

/* A segment comes, and this is reported. */
static void expect(fixture *f, int64_t position, uint32_t length, uint8_t flags, const char *expected)
{
  receive(f, position, length, flags);
  assert_events(f, expected);
}

/* The real end sends a segment that acknowledges the peer's stream up to `position`. */
static void sent(fixture *f, uint8_t flags, uint32_t sequence, int64_t position)
{
  const capture_segment captured = {
      .flags = flags, .sequence = sequence, .acknowledgement = tcp_sequence_of(position, PEER_ISN)};

  replay_transport_sent(f->tcp, &captured, 0);
}

/* This is a test of `f`, which is a receiver of a stream from its beginning. */
#define RECEIVER_TEST(name) TEST_OF(fixture, f, set_up(), name)

/* The SYN alone establishes nothing; the first ACK does, with payload or without, and so does the SYN of a
 * peer that was called. It is not reported twice. */
RECEIVER_TEST(test_establishment)
{
  expect(f, -1, 0, TCP_SYN, "");
  g_assert_false(f->tcp->gauges.is_established);
  expect(f, 0, 100, TCP_ACK, "e 0+100@0 ");
  g_assert_true(f->tcp->gauges.is_established);
  g_autoptr(fixture) other = set_up();
  receive(other, -1, 0, TCP_SYN | TCP_ACK);
  receive(other, -1, 0, TCP_SYN | TCP_ACK);
  expect(other, 0, 0, TCP_ACK, "e ");
}

/* RFC 9293 §3.10.7.2, RFC 7413 §4.1: octets that a SYN brings are passed on when TCP is established, as many
 * as the real end has accepted; all when its SYN-ACK was not captured. What it refused comes again. */
static const struct {
  int64_t accepted; /* -1: not captured */
  const char *expected;
} syn_rows[] = {{100, "e 0+100@0 100+50@0 "},
                {60, "e 0+60@0 100+50@0 "},
                {0, "e 100+50@0 "},
                {-1, "e 0+100@0 100+50@0 "}};

ROW_TEST(test_octets_of_a_syn, syn_rows)
{
  g_autoptr(fixture) f = set_up();
  expect(f, -1, 100, TCP_SYN, "");
  expect(f, -1, 100, TCP_SYN, ""); /* again */
  if (c->accepted >= 0) {
    sent(f, TCP_SYN | TCP_ACK, OWN_ISN, c->accepted);
  }
  expect(f, 100, 50, TCP_ACK, c->expected);
  g_autoptr(fixture) caller = set_up();
  expect(caller, -1, 100, TCP_SYN | TCP_ACK, "e 0+100@0 ");
  expect(caller, -1, 100, TCP_SYN | TCP_ACK, "");
}

/* 300 octets, the second hundred last: in order the third is held, and its own arrival is reported when it
 * goes up; else nothing is. */
TEST(test_a_hole)
{
  g_autoptr(fixture) f = fixture_of(TCP_PASSING_IN_ORDER, 0, UINT64_MAX);
  receive_at(f, 0, 100, TCP_ACK, 1);
  receive_at(f, 200, 100, TCP_ACK, 2);
  assert_events(f, "e 0+100@0 ");
  g_assert_cmpuint(f->tcp->class->held_octets_below(f->tcp, UINT64_MAX), ==, 100);
  g_assert_cmpuint(f->tcp->class->beyond(f->tcp).ranges, ==, 1);
  g_assert_cmpuint(f->tcp->gauges.in_order_edge, ==, 100);
  g_assert_true(has_taken(f, 200, 100));
  g_assert_false(has_taken(f, 199, 101));
  receive_at(f, 100, 100, TCP_ACK, 5);
  assert_events(f, "100+100@0 200+100@3 ");
  g_assert_cmpuint(f->tcp->class->held_octets_below(f->tcp, UINT64_MAX), ==, 0);
  g_assert_true(has_taken(f, 0, 300));
  g_autoptr(fixture) other = set_up();
  expect(other, 200, 100, TCP_ACK, "e 200+100@0 ");
  g_assert_cmpuint(other->tcp->class->held_octets_below(other->tcp, UINT64_MAX), ==, 0);
}

/* Repeated octets are counted and not passed; nothing goes up of a segment that the layer above refuses,
 * which can come again. */
RECEIVER_TEST(test_repeats_and_refusals)
{
  receive(f, 0, 100, TCP_ACK);
  receive(f, 0, 100, TCP_ACK);
  expect(f, 50, 100, TCP_ACK, "e 0+100@0 100+50@0 ");
  EXPECT_FIELDS(f, (segments, 3), (new_octets, 150));
  f->refuses = true;
  expect(f, 150, 10, TCP_ACK, "");
  EXPECT_FIELDS(f, (segments, 4), (new_octets, 150));
  f->refuses = false;
  expect(f, 150, 10, TCP_ACK, "150+10@0 ");
}

/* These are dropped without a word: a segment without ACK, one beyond the window, one with a wrong checksum,
 * which is counted apart. */
RECEIVER_TEST(test_no_segments)
{
  receive(f, 0, 100, TCP_ACK);
  receive(f, 100, 100, 0);
  receive(f, 100 + (int64_t)REPLAY_WINDOW_OCTETS, 100, TCP_ACK);
  g_autoptr(datagram) packet = segment(100, 100, TCP_ACK, NULL);
  datagram_carry_checksum(packet);
  packet->header[packet->ip_octets + 16] ^= 1;
  f->tcp->class->receive(f->tcp, packet, 0);
  assert_events(f, "e 0+100@0 ");
  g_assert_cmpuint(f->tcp->gauges.statistics->checksum_errors, ==, 1);
  g_assert_cmpuint(f->new_octets, ==, 100);
}

/* Both FINs are in the capture, and both acknowledged: then it is closed, and counts nothing any more; not
 * before. */
RECEIVER_TEST(test_the_end)
{
  receive(f, 0, 100, TCP_ACK);
  expect(f, 100, 0, TCP_ACK | TCP_FIN, "e 0+100@0 f ");
  receive(f, 0, 100, TCP_ACK);
  g_assert_cmpuint(f->segments, ==, 2);
  sent(f, TCP_ACK | TCP_FIN, OWN_ISN, 101); /* the ACK of segment() covers it */
  expect(f, 101, 0, TCP_ACK, "c0 ");
  receive(f, 0, 100, TCP_ACK);
  g_assert_cmpuint(f->segments, ==, 2);
}

/* RFC 5961 §3.2: only a RST at RCV.NXT ends it; after the peer's FIN as if it had ended well. */
RECEIVER_TEST(test_resets)
{
  receive(f, 0, 100, TCP_ACK);
  expect(f, 101, 0, TCP_RST, "e 0+100@0 ");
  expect(f, 100, 0, TCP_RST, "c1 ");
  g_autoptr(fixture) other = set_up();
  receive(other, 0, 0, TCP_ACK | TCP_FIN);
  expect(other, 1, 0, TCP_RST, "e f c0 ");
}

/* RFC 9293 §3.10.5: the end that sends a RST is closed, and what arrives after it, in flight by then, is not
 * processed. After the peer's FIN it takes nothing away. */
RECEIVER_TEST(test_own_reset)
{
  receive(f, 0, 100, TCP_ACK);
  sent(f, TCP_RST | TCP_ACK, OWN_ISN + 1, 100);
  assert_events(f, "e 0+100@0 c2 ");
  expect(f, 100, 100, TCP_ACK, "");
  g_assert_cmpuint(f->segments, ==, 1);
  g_autoptr(fixture) other = set_up();
  receive(other, 0, 0, TCP_ACK | TCP_FIN);
  sent(other, TCP_RST, OWN_ISN + 1, 1);
  assert_events(other, "e f c0 ");
}

/* The stream is known from octet 7000 on, and up to 7200: what lies before came elsewhere, what lies
 * beyond is not heeded. */
TEST(test_a_part_of_a_stream)
{
  g_autoptr(fixture) f = fixture_of(TCP_PASSING_IN_ORDER, 7000, 7200);
  expect(f, 6950, 100, TCP_ACK, "e 7000+50@0 ");
  receive(f, 7100, 101, TCP_ACK);
  g_assert_true(has_taken(f, 7100, 101));
  g_assert_false(has_taken(f, 7100, 100));
  assert_events(f, "");
  g_assert_cmpuint(f->segments, ==, 1);
  expect(f, 7050, 150, TCP_ACK, "7050+150@0 ");
  /* A FIN at the limit comes after octets that are not replayed. It is not missed either. */
  g_autoptr(datagram) fin = segment(7200, 0, TCP_ACK | TCP_FIN, NULL);
  expect(f, 7200, 0, TCP_ACK | TCP_FIN, "");
  g_assert_true(replay_transport_has_taken(f->tcp, fin));
}

static const struct {
  uint32_t times[3];
  guint count;
  time_ps apart;
} paws_rows[] = {
    /* PAWS (RFC 7323 §5.3): more than a thousand ticks older than the newest that was in order is of another
     * epoch. */
    {{500000, 499000, 498999}, 3, 0},
    /* §5.5: what came half a period of a microsecond clock ago compares with nothing any more. */
    {{500000, 0}, 2, (time_ps)INT32_MAX *TIME_PS_PER_MICROSECOND},
};

/* The first two are taken. */
ROW_TEST(test_paws, paws_rows)
{
  g_autoptr(fixture) f = set_up();

  for (guint i = 0; i < c->count; i++) {
    g_autoptr(datagram) packet = segment(100 * i, 100, TCP_ACK, &c->times[i]);
    f->tcp->class->receive(f->tcp, packet, i * c->apart);
  }
  assert_events(f, "e 0+100@0 100+100@0 ");
  g_assert_cmpuint(f->segments, ==, c->count);
}

/* What is posted is acknowledged when TCP is asked to send, and nothing leaves. */
RECEIVER_TEST(test_nothing_leaves)
{
  static const uint8_t octets[100];
  buffer_chain record;

  receive(f, 0, 0, TCP_ACK);
  buffer_chain_init(&record);
  buffer_chain_append(&record, octets, sizeof octets, NULL);
  f->tcp->class->post(f->tcp, &record, 0);
  g_assert_cmpuint(f->tcp->gauges.posted_octets, ==, 100);
  g_assert_cmpuint(f->tcp->gauges.unsent_octets, ==, 0);
  assert_events(f, "e ");
  g_assert_null(f->tcp->class->transmit(f->tcp, 0));
  assert_events(f, "a100 ");
  g_assert_null(f->tcp->class->transmit(f->tcp, 0));
  assert_events(f, "");
  g_assert_cmpint(f->tcp->class->deadline(f->tcp), ==, TIME_PS_NEVER);
}
