/* SPDX-License-Identifier: GPL-2.0-only */
/* The TCP that a capture feeds: it takes, holds, refuses and ends as a TCP does, and sends nothing itself. */
#include "replay/replay_transport.h"

#include "packets.h"
#include "test.h"

#include <string.h>

enum { PEER_ISN = 1000, OWN_ISN = 5000, WINDOW = 65535 };

typedef struct kit {
  tcp_transport *tcp;
  GString *told; /* "e o0+100 s… f c0" */
  uint32_t segments;
  uint32_t new_octets;
  bool refuses;
} kit;

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, time_ps now)
{
  const kit *k = user;
  (void)position;
  (void)octets;
  (void)now;

  return !k->refuses;
}

static void on_established(void *user, time_ps now)
{
  (void)now;
  g_string_append(((kit *)user)->told, "e ");
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  g_string_append_printf(((kit *)user)->told, "%" G_GUINT64_FORMAT "+%u@%d ", position, octets->length,
                         (int)(now - arrival));
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets, uint64_t edge,
                       time_ps now)
{
  kit *k = user;
  (void)position;
  (void)length;
  (void)edge;
  (void)now;

  k->segments++;
  k->new_octets += new_octets;
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  (void)now;
  g_string_append_printf(((kit *)user)->told, "a%" G_GUINT64_FORMAT " ", position);
}

static void on_finished(void *user, time_ps now)
{
  (void)now;
  g_string_append(((kit *)user)->told, "f ");
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  (void)now;
  g_string_append_printf(((kit *)user)->told, "c%d ", reason);
}

static const tcp_events events = {.inspect = on_inspect,
                                  .established = on_established,
                                  .octets = on_octets,
                                  .segment = on_segment,
                                  .acknowledged = on_acknowledged,
                                  .finished = on_finished,
                                  .closed = on_closed};

static kit *kit_of(tcp_passing passing, uint64_t start, uint64_t limit)
{
  kit *k = g_new0(kit, 1);
  tcp_config config = tcp_config_default();
  tcp_transport *made = NULL;
  replay_transport_place place = {
      .start = start, .peer_isn = PEER_ISN, .emss_octets = 1460, .limit = limit, .made = &made};

  config.passing = passing;
  k->told = g_string_new("");
  k->tcp = replay_transport_new(&config, &events, k, &place);
  g_assert_true(made == k->tcp);
  return k;
}

static void kit_free(kit *k)
{
  tcp_transport_free(k->tcp);
  g_string_free(k->told, TRUE);
  g_free(k);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(kit, kit_free)

/* What was reported since the last time. */
static void assert_told(kit *k, const char *expected)
{
  g_assert_cmpstr(k->told->str, ==, expected);
  g_string_truncate(k->told, 0);
}

static datagram *segment(int64_t position, uint32_t length, uint8_t flags, const uint32_t *timestamp)
{
  static const uint8_t octets[4096];
  const ip_address peer = ip_address_v4(1), own = ip_address_v4(2);
  buffer_chain payload;
  tcp_header header;

  tcp_header_begin(&header);
  header.source_port = 1;
  header.destination_port = 2;
  header.sequence = tcp_sequence_of(position, PEER_ISN);
  header.acknowledgement = OWN_ISN + 1;
  header.window = WINDOW;
  header.flags = flags;
  if (timestamp) {
    header.has_timestamps = true;
    header.timestamp_value = *timestamp;
  }
  buffer_chain_init(&payload);
  if (length > 0) {
    buffer_chain_append(&payload, octets, length, NULL);
  }
  datagram *packet = datagram_new_in(NULL, &peer, &own, &header, &payload);
  buffer_chain_clear(&payload);
  return packet;
}

static void receive_at(kit *k, int64_t position, uint32_t length, uint8_t flags, time_ps now)
{
  g_autoptr(datagram) packet = segment(position, length, flags, NULL);

  tcp_transport_receive(k->tcp, packet, now);
}

static void receive(kit *k, int64_t position, uint32_t length, uint8_t flags)
{
  receive_at(k, position, length, flags, 0);
}

/* The real end sends a segment that acknowledges the peer's stream up to `position`. */
static void sent(kit *k, uint8_t flags, uint32_t sequence, int64_t position)
{
  const tcp_header header = {
      .flags = flags, .sequence = sequence, .acknowledgement = tcp_sequence_of(position, PEER_ISN)};

  replay_transport_sent(k->tcp, &header, 0);
}

/* The SYN alone establishes nothing; the first ACK does, with payload or without, and so does the SYN of a
 * peer that was called. It is not reported twice. */
TEST(test_establishment)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, -1, 0, TCP_SYN);
  assert_told(k, "");
  g_assert_false(tcp_transport_is_established(k->tcp));
  receive(k, 0, 100, TCP_ACK);
  assert_told(k, "e 0+100@0 ");
  g_assert_true(tcp_transport_is_established(k->tcp));
  kit_free(k);
  k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, -1, 0, TCP_SYN | TCP_ACK);
  receive(k, -1, 0, TCP_SYN | TCP_ACK);
  receive(k, 0, 0, TCP_ACK);
  assert_told(k, "e ");
}

/* 300 octets, the second hundred last: in order the third is held, and its own arrival is reported when it
 * goes up; else nothing is. */
TEST(test_a_hole)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_IN_ORDER, 0, UINT64_MAX);
  receive_at(k, 0, 100, TCP_ACK, 1);
  receive_at(k, 200, 100, TCP_ACK, 2);
  assert_told(k, "e 0+100@0 ");
  g_assert_cmpuint(tcp_transport_held_octets(k->tcp), ==, 100);
  g_assert_cmpuint(tcp_transport_out_of_order_runs(k->tcp), ==, 1);
  g_assert_cmpuint(tcp_transport_in_order_edge(k->tcp), ==, 100);
  g_assert_true(replay_transport_has(k->tcp, 200, 300));
  g_assert_false(replay_transport_has(k->tcp, 199, 300));
  receive_at(k, 100, 100, TCP_ACK, 5);
  assert_told(k, "100+100@0 200+100@3 ");
  g_assert_cmpuint(tcp_transport_held_octets(k->tcp), ==, 0);
  g_assert_true(replay_transport_has(k->tcp, 0, 300));
  kit_free(k);
  k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 200, 100, TCP_ACK);
  assert_told(k, "e 200+100@0 ");
  g_assert_cmpuint(tcp_transport_held_octets(k->tcp), ==, 0);
}

/* Repeated octets are counted and not passed; nothing goes up of a segment that the layer above refuses,
 * which can come again. */
TEST(test_repeats_and_refusals)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 100, TCP_ACK);
  receive(k, 0, 100, TCP_ACK);
  receive(k, 50, 100, TCP_ACK);
  assert_told(k, "e 0+100@0 100+50@0 ");
  EXPECT_FIELDS(k, (segments, 3), (new_octets, 150));
  k->refuses = true;
  receive(k, 150, 10, TCP_ACK);
  assert_told(k, "");
  EXPECT_FIELDS(k, (segments, 4), (new_octets, 150));
  k->refuses = false;
  receive(k, 150, 10, TCP_ACK);
  assert_told(k, "150+10@0 ");
}

/* Dropped without a word: a segment without ACK, one beyond the window, one with a wrong checksum, which is
 * counted apart. */
TEST(test_no_segments)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 100, TCP_ACK);
  receive(k, 100, 100, 0);
  receive(k, 100 + (int64_t)REPLAY_WINDOW_OCTETS, 100, TCP_ACK);
  datagram *packet = segment(100, 100, TCP_ACK, NULL);
  datagram_carry_checksum(packet);
  packet->header[packet->ip_octets + 16] ^= 1;
  tcp_transport_receive(k->tcp, packet, 0);
  datagram_unref(packet);
  assert_told(k, "e 0+100@0 ");
  g_assert_cmpuint(tcp_transport_statistics(k->tcp)->checksum_errors, ==, 1);
  g_assert_cmpuint(k->new_octets, ==, 100);
}

/* Both FINs in the capture, and both acknowledged: then it is closed, and counts nothing any more; not
 * before. */
TEST(test_the_end)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 100, TCP_ACK);
  receive(k, 100, 0, TCP_ACK | TCP_FIN);
  assert_told(k, "e 0+100@0 f ");
  receive(k, 0, 100, TCP_ACK);
  g_assert_cmpuint(k->segments, ==, 2);
  sent(k, TCP_ACK | TCP_FIN, OWN_ISN, 101); /* the ACK of segment() covers it */
  receive(k, 101, 0, TCP_ACK);
  assert_told(k, "c0 ");
  receive(k, 0, 100, TCP_ACK);
  g_assert_cmpuint(k->segments, ==, 2);
}

/* RFC 5961 §3.2: only a RST at RCV.NXT ends it; after the peer's FIN as if it had ended well. */
TEST(test_resets)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 100, TCP_ACK);
  receive(k, 101, 0, TCP_RST);
  assert_told(k, "e 0+100@0 ");
  receive(k, 100, 0, TCP_RST);
  assert_told(k, "c1 ");
  kit_free(k);
  k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 0, TCP_ACK | TCP_FIN);
  receive(k, 1, 0, TCP_RST);
  assert_told(k, "e f c0 ");
}

/* The stream is known from octet 7000 on, and up to 7200: what lies before came elsewhere, what lies
 * beyond is not heeded. */
TEST(test_a_part_of_a_stream)
{
  g_autoptr(kit) k = kit_of(TCP_PASSING_IN_ORDER, 7000, 7200);
  receive(k, 6950, 100, TCP_ACK);
  assert_told(k, "e 7000+50@0 ");
  receive(k, 7100, 101, TCP_ACK);
  assert_told(k, "");
  g_assert_cmpuint(k->segments, ==, 1);
  receive(k, 7050, 150, TCP_ACK);
  assert_told(k, "7050+150@0 ");
}

/* PAWS (RFC 7323 §5.3): more than a thousand ticks older than the newest that was in order is of another
 * epoch. */
TEST(test_paws)
{
  static const uint32_t times[] = {500000, 499000, 498999};

  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
    g_autoptr(datagram) packet = segment((int64_t)i * 100, 100, TCP_ACK, &times[i]);
    tcp_transport_receive(k->tcp, packet, 0);
  }
  assert_told(k, "e 0+100@0 100+100@0 ");
  g_assert_cmpuint(k->segments, ==, 3);
}

/* RFC 7323 §5.5: what came half a period of a microsecond clock ago compares with nothing any more. */
TEST(test_paws_after_idleness)
{
  const uint32_t before = 500000, after = 0;

  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  for (guint i = 0; i < 2; i++) {
    g_autoptr(datagram) packet = segment(100 * i, 100, TCP_ACK, i == 0 ? &before : &after);
    tcp_transport_receive(k->tcp, packet, i * (time_ps)INT32_MAX * TIME_PS_PER_MICROSECOND);
  }
  assert_told(k, "e 0+100@0 100+100@0 ");
}

/* What is posted is acknowledged when TCP is asked to send, and nothing leaves. */
TEST(test_nothing_leaves)
{
  static const uint8_t octets[100];
  buffer_chain record;

  g_autoptr(kit) k = kit_of(TCP_PASSING_AS_ARRIVED, 0, UINT64_MAX);
  receive(k, 0, 0, TCP_ACK);
  buffer_chain_init(&record);
  buffer_chain_append(&record, octets, sizeof octets, NULL);
  tcp_transport_post(k->tcp, &record, 0);
  g_assert_cmpuint(tcp_transport_posted_octets(k->tcp), ==, 100);
  g_assert_cmpuint(tcp_transport_unsent_octets(k->tcp), ==, 0);
  assert_told(k, "e ");
  g_assert_null(tcp_transport_transmit(k->tcp, 0));
  assert_told(k, "a100 ");
  g_assert_null(tcp_transport_transmit(k->tcp, 0));
  assert_told(k, "");
  g_assert_cmpint(tcp_transport_deadline(k->tcp), ==, TIME_PS_NEVER);
}
