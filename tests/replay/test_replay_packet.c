/* SPDX-License-Identifier: GPL-2.0-only */
/* Captured segments become datagrams that a receiver takes for the same. */
#include "replay/replay_packet.h"

#include <glib.h>

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

static void test_fields(void)
{
  static const uint8_t octets[100] = {1, 2, 3};
  replay_packets *packets = replay_packets_new();
  const capture_segment segment = segment_of(octets, sizeof octets);
  uint32_t from = 0;
  datagram *packet = replay_packet_of(packets, &flow, &segment, &from);
  datagram_flow as_sent;
  tcp_header header;

  g_assert_cmpuint(from, ==, sizeof octets);
  g_assert_true(datagram_flow_of(packet, &as_sent));
  g_assert_true(ip_address_equal(&as_sent.source, &flow.ends[1].address));
  g_assert_true(ip_address_equal(&as_sent.destination, &flow.ends[0].address));
  g_assert_cmpuint(as_sent.source_port, ==, 5044);
  g_assert_cmpuint(as_sent.destination_port, ==, 49152);
  g_assert_true(datagram_tcp_header(packet, &header));
  g_assert_cmpuint(header.sequence, ==, UINT32_MAX - 9);
  g_assert_cmpuint(header.acknowledgement, ==, 77);
  g_assert_cmpuint(header.window, ==, 88);
  g_assert_cmpuint(header.flags, ==, TCP_ACK | TCP_PSH | TCP_FIN);
  g_assert_cmpuint(header.timestamp_value, ==, 99);
  g_assert_cmpint(datagram_ecn_of(packet), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(packet->payload.length, ==, sizeof octets);
  g_assert_cmpuint(octet_rope_at(&packet->payload, 2), ==, 3);
  g_assert_true(datagram_checksum_is_right(packet));
  replay_packets_free(packets); /* its pieces live on */
  datagram_unref(packet);
}

static void test_checksums(void)
{
  static const uint8_t octets[3];
  static const struct {
    capture_checksum checksum;
    bool right;
  } cases[] = {{CAPTURE_CHECKSUM_RIGHT, true},
               {CAPTURE_CHECKSUM_WRONG, false},
               {CAPTURE_CHECKSUM_UNFINISHED, true},
               {CAPTURE_CHECKSUM_UNKNOWN, true}};
  replay_packets *packets = replay_packets_new();

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    capture_segment segment = segment_of(octets, sizeof octets);
    uint32_t from = 0;
    segment.checksum = cases[i].checksum;
    datagram *packet = replay_packet_of(packets, &flow, &segment, &from);
    g_assert_cmpint(datagram_checksum_is_right(packet), ==, cases[i].right);
    datagram_unref(packet);
  }
  replay_packets_free(packets);
}

/* What offload joined beyond a datagram's size is several, one behind the other; the FIN is the last one's. */
static void test_super_segment(void)
{
  g_autofree uint8_t *octets = g_malloc(LONG);
  replay_packets *packets = replay_packets_new();
  uint32_t from = 0;
  guint count = 0;

  for (uint32_t i = 0; i < LONG; i++) {
    octets[i] = (uint8_t)(i / 1000);
  }
  const capture_segment segment = segment_of(octets, LONG);
  while (from < LONG) {
    uint32_t start = from;
    datagram *packet = replay_packet_of(packets, &flow, &segment, &from);
    tcp_header header;
    g_assert_true(datagram_tcp_header(packet, &header));
    g_assert_cmpuint(header.sequence, ==, segment.sequence + start);
    g_assert_cmpuint(packet->payload.length, ==, from - start);
    g_assert_cmpuint(octet_rope_at(&packet->payload, 0), ==, octets[start]);
    g_assert_cmpint((header.flags & TCP_FIN) != 0, ==, from == LONG);
    datagram_unref(packet);
    count++;
  }
  g_assert_cmpuint(count, ==, 3);
  replay_packets_free(packets);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay/packet/fields", test_fields);
  g_test_add_func("/replay/packet/checksums", test_checksums);
  g_test_add_func("/replay/packet/super_segment", test_super_segment);
  return g_test_run();
}
