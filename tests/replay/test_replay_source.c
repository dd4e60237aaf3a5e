/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a capture come at their times, in the order of the file, as datagrams that a receiver
 * takes for the same. */
#include "replay/replay_source.h"

#include "capture_fixture.h"
#include "engine/engine.h"
#include "net/flow_table.h"
#include "packets.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(engine, engine_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(replay_source, replay_source_free)

enum { LENGTH = 1000, CUT = 504 };

/* Notes what is played, as it comes: "s0@5 f@7 end@7": segment with sequence number, fragment; at
 * picoseconds. */
static void on_segment(void *played, const capture_flow *flow, const capture_segment *segment, time_ps now)
{
  g_assert_cmpuint(flow->index, ==, segment->flow);
  g_string_append_printf(played, "s%u@%" G_GINT64_FORMAT " ", segment->sequence, now);
}

static void on_fragment(void *played, datagram *packet, time_ps now)
{
  g_assert_cmpint(packet->kind, ==, DATAGRAM_FRAGMENT);
  datagram_unref(packet);
  g_string_append_printf(played, "f@%" G_GINT64_FORMAT " ", now);
}

static void on_ended(void *played, time_ps now)
{
  g_string_append_printf(played, "end@%" G_GINT64_FORMAT, now);
}

static const replay_source_events events = {
    .segment = on_segment, .fragment = on_fragment, .ended = on_ended};

static void add(fixture_file *file, int64_t time_ns, uint32_t sequence)
{
  fixture_file_add_segment(
      file, time_ns, FIXTURE_LINK_RAW,
      &(fixture_segment){.version = 4, .sequence = sequence, .flags = TCP_ACK, .length = 10});
}

static void assert_plays(const fixture_file *file, bool coarse, const char *expected, uint64_t backward)
{
  g_autoptr(capture_source) source = fixture_open(file);
  g_autoptr(engine) clock = engine_native_new();
  g_autoptr(GString) text = g_string_new("");
  g_autoptr(replay_source) played = replay_source_new(source, coarse, clock, &events, text);

  engine_run(clock, TIME_PS_NEVER);
  g_assert_cmpstr(text->str, ==, expected);
  g_assert_cmpuint(played->backward, ==, backward);
}

static const struct {
  const char *name;
  fixture_format format;
  bool coarse;
  int64_t times_ns[6]; /* of segments 1, 2, …; up to -1 */
  const char *expected;
  uint64_t backward;
} times[] = {
    /* A file of the first day of 1970 begins at time 0. Packets of one nanosecond come together. */
    {"times", FIXTURE_PCAP_NS, false, {5, 7, 7, -1}, "s1@5000 s2@7000 s3@7000 end@7000", 0},
    /* In whole microseconds what bears one time was one after the other. */
    {"coarse times",
     FIXTURE_PCAP_US,
     true,
     {0, 0, 1000, 1000, 1000, -1},
     "s1@0 s2@1 s3@1000000 s4@1000001 s5@1000002 end@1000002",
     0},
    /* Times that go back: the order of the file holds, and what is held between two such packets is seen, for
     * a picosecond. */
    {"backward",
     FIXTURE_PCAP_NS,
     false,
     {100, 40, 90, 100, 101, -1},
     "s1@100000 s2@100001 s3@100002 s4@100003 s5@101000 end@101000",
     2},
};

ROW_TEST(test_times, times)
{
  g_autoptr(fixture_file) file = fixture_file_new(c->format, false, FIXTURE_LINK_RAW);

  for (uint32_t i = 0; c->times_ns[i] >= 0; i++) {
    add(file, c->times_ns[i], i + 1);
  }
  assert_plays(file, c->coarse, c->expected, c->backward);
}

/* Fragments come one by one, whole packets as segments. */
TEST(test_fragments)
{
  const fixture_segment whole = {.version = 4, .sequence = 9, .flags = TCP_ACK, .length = LENGTH};
  g_autoptr(fixture_file) file = fixture_raw_file();
  g_autoptr(GByteArray) packet = fixture_packet(&whole);
  g_autoptr(GByteArray) first = fixture_fragment(packet, 1, 0, CUT);
  g_autoptr(GByteArray) second = fixture_fragment(packet, 1, CUT, LENGTH + 20 - CUT);

  add(file, 1, 1);
  fixture_file_add(file, 2, second);
  fixture_file_add(file, 3, first);
  assert_plays(file, false, "s1@1000 f@2000 f@3000 end@3000", 0);
}

/* --- Captured segments as datagrams --- */

enum { LONG = 150000 };

static const capture_flow flow = {
    .ends = {{.address = {.version = 4, .octets = {10, 0, 0, 1}}, .port = 49152},
             {.address = {.version = 4, .octets = {10, 0, 0, 2}}, .port = 5044}}};

static capture_segment segment_of(const uint8_t *octets, uint32_t length)
{
  return (capture_segment){.from = 1,
                           .flags = TCP_ACK | TCP_PSH | TCP_FIN,
                           .ecn = DATAGRAM_ECN_CONGESTED,
                           .sequence = UINT32_MAX - 9,
                           .acknowledgement = 77,
                           .window = 88,
                           .has_timestamps = true,
                           .timestamp_value = 99,
                           .payload = octets,
                           .captured_octets = length,
                           .payload_octets = length};
}

TEST(test_fields)
{
  static const uint8_t octets[100] = {1, 2, 3};
  const capture_segment segment = segment_of(octets, sizeof octets);
  uint32_t from = 0;
  g_autoptr(datagram) packet = replay_packet_of(&flow, &segment, &from);
  datagram_flow as_sent;
  tcp_header header;

  g_assert_cmpuint(from, ==, sizeof octets);
  g_assert_true(datagram_flow_of(packet, &as_sent));
  g_assert_true(ip_address_equal(&as_sent.source, &flow.ends[1].address));
  g_assert_true(ip_address_equal(&as_sent.destination, &flow.ends[0].address));
  EXPECT_FIELDS(&as_sent, (source_port, 5044), (destination_port, 49152));
  g_assert_true(datagram_tcp_header(packet, &header));
  EXPECT_FIELDS(&header, (sequence, UINT32_MAX - 9), (acknowledgement, 77), (window, 88),
                (flags, TCP_ACK | TCP_PSH | TCP_FIN), (timestamp_value, 99));
  g_assert_cmpint(datagram_ecn_of(packet), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(packet->payload.length, ==, sizeof octets);
  g_assert_cmpuint(buffer_chain_at(&packet->payload, 2), ==, 3);
  g_assert_true(datagram_checksum_is_right(packet));
}

static const struct {
  capture_checksum checksum;
  bool right;
} checksums_rows[] = {{CAPTURE_CHECKSUM_RIGHT, true},
                      {CAPTURE_CHECKSUM_WRONG, false},
                      {CAPTURE_CHECKSUM_UNFINISHED, true},
                      {CAPTURE_CHECKSUM_UNKNOWN, true}};

ROW_TEST(test_checksums, checksums_rows)
{
  static const uint8_t octets[3];
  capture_segment segment = segment_of(octets, sizeof octets);
  uint32_t from = 0;
  segment.checksum = c->checksum;
  g_autoptr(datagram) packet = replay_packet_of(&flow, &segment, &from);
  g_assert_cmpint(datagram_checksum_is_right(packet), ==, c->right);
}

/* What offload joined beyond a datagram's size is several, one after the other; the FIN is the last one's. */
TEST(test_super_segment)
{
  g_autofree uint8_t *octets = g_malloc(LONG);
  uint32_t from = 0;
  guint count = 0;

  for (uint32_t i = 0; i < LONG; i++) {
    octets[i] = (uint8_t)(i / 1000);
  }
  const capture_segment segment = segment_of(octets, LONG);
  while (from < LONG) {
    uint32_t start = from;
    g_autoptr(datagram) packet = replay_packet_of(&flow, &segment, &from);
    tcp_header header;
    g_assert_true(datagram_tcp_header(packet, &header));
    g_assert_cmpuint(header.sequence, ==, segment.sequence + start);
    g_assert_cmpuint(packet->payload.length, ==, from - start);
    g_assert_cmpuint(buffer_chain_at(&packet->payload, 0), ==, octets[start]);
    g_assert_cmpint((header.flags & TCP_FIN) != 0, ==, from == LONG);
    count++;
  }
  g_assert_cmpuint(count, ==, 3);
}
