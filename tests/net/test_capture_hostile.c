/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures that are cut off or garbled anywhere: one clear line, and never an octet that is not there. */
#include <string.h>

#include "capture_fixture.h"

#include "base/error.h"
#include "net/capture_link.h"

enum { DLT_RAW_IP = 12, TCP = 6 };

static const int LINK_TYPES[] = FIXTURE_LINKS;

/* A packet of every kind there is; the caller frees them. */
static GPtrArray *packets_of_every_kind(void)
{
  GPtrArray *packets = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
  for (unsigned version = 4; version <= 6; version += 2) {
    fixture_segment sent = {.version = version, .sequence = 7, .flags = TCP_ACK, .length = 24};
    GByteArray *whole = fixture_packet(&sent);
    g_ptr_array_add(packets, whole);
    g_ptr_array_add(packets, fixture_fragment(whole, 9, 0, 24));
    g_ptr_array_add(packets, fixture_fragment(whole, 9, 24, 20));
    sent.has_timestamps = true;
    sent.flags = TCP_SYN | TCP_ACK;
    g_ptr_array_add(packets, fixture_packet(&sent));
  }
  fixture_segment sent = {.version = 4, .from = 1, .sequence = 7, .flags = TCP_FIN, .length = 5};
  GByteArray *packet = fixture_packet(&sent);
  fixture_add_ipv4_options(packet, 8);
  g_ptr_array_add(packets, packet);
  sent.version = 6;
  packet = fixture_packet(&sent);
  for (unsigned i = 0; i < 4; i++) {
    static const uint8_t kinds[] = {60, 51, 43, 0};
    fixture_add_extension(packet, kinds[i], 16);
  }
  const uint8_t jumbo[] = {1, 0, 0xC2, 4, 0, 0, 0, 89};
  memcpy(packet->data + 42, jumbo, sizeof jumbo);
  memset(packet->data + 4, 0, 2); /* a jumbogram's length */
  g_ptr_array_add(packets, packet);
  return packets;
}

static void assert_segment(const capture_segment *segment)
{
  volatile unsigned sum = 0;
  g_assert_cmpuint(segment->captured_octets, <=, segment->payload_octets);
  g_assert_cmpuint(segment->payload_octets, <=, CAPTURE_IP_LONGEST_OCTETS);
  for (uint32_t i = 0; i < segment->captured_octets; i++) {
    sum += segment->payload[i]; /* AddressSanitizer sees that they are there */
  }
}

/* Takes in a frame as capture_source does, but out of memory that ends with it. */
static void take_in(int link_type, const uint8_t *frame, uint32_t captured, uint32_t wire)
{
  g_autofree uint8_t *octets = g_memdup2(frame, captured);
  uint32_t at = 0;
  capture_ip ip;
  capture_segment segment;
  capture_what what;

  if (capture_link_look(link_type == FIXTURE_LINK_RAW ? DLT_RAW_IP : link_type, octets, captured, &at,
                        &what)) {
    g_assert_cmpuint(at, <=, captured);
    bool good = capture_ip_read(&ip, octets + at, captured - at, wire - at);
    if (good && !ip.is_fragment && ip.protocol != TCP && capture_tunnel_look(&ip, &at, &what)) {
      g_assert_cmpuint(at, <=, ip.captured_octets);
      good = capture_ip_read(&ip, ip.payload + at, ip.captured_octets - at, ip.payload_octets - at);
    }
    if (good && ip.is_fragment) {
      g_free(g_memdup2(ip.payload, ip.captured_octets)); /* AddressSanitizer sees that they are there */
    } else if (good && ip.protocol == TCP && capture_tcp_read(&segment, &ip)) {
      assert_segment(&segment);
    }
  }
}

/* This is every packet of every kind in every frame, cut off after each octet, and with each octet garbled
 * in several ways. */
ROW_TEST(test_frames, LINK_TYPES)
{
  static const uint8_t masks[] = {0x01, 0x0F, 0x40, 0x80, 0xFF};
  g_autoptr(GPtrArray) packets = packets_of_every_kind();
  for (unsigned tags = 0; tags < 3; tags++) {
    for (unsigned i = 0; i < packets->len; i++) {
      g_autoptr(GByteArray) frame = fixture_frame(*c, g_ptr_array_index(packets, i), tags);
      for (uint32_t octets = 0; octets <= frame->len; octets++) {
        take_in(*c, frame->data, octets, octets);
        take_in(*c, frame->data, octets, frame->len);
        take_in(*c, frame->data, octets, UINT32_MAX);
      }
      for (uint32_t at = 0; at < frame->len; at++) {
        for (unsigned mask = 0; mask < G_N_ELEMENTS(masks); mask++) {
          frame->data[at] ^= masks[mask];
          take_in(*c, frame->data, frame->len, frame->len);
          take_in(*c, frame->data, frame->len - 3, frame->len + 1000);
          frame->data[at] ^= masks[mask];
        }
      }
    }
  }
}

/* Reads all of it; an error is one line that begins with the name. */
static void read_all(const uint8_t *octets, size_t length, gboolean by_packet)
{
  GError *error = NULL;
  g_autoptr(capture_source) source = fixture_open_octets(octets, length, NULL, &error);
  capture_segment segment;
  gboolean is_segment = TRUE;

  while (source && capture_source_next(source, &segment, by_packet ? &is_segment : NULL, &error)) {
    uint32_t ip_octets;
    g_assert_nonnull(capture_source_ip(source, &ip_octets));
    g_assert_cmpint(segment.time_ns, >=, 0);
    g_assert_cmpint(segment.time_ns, <, INT64_MAX / 1000);
    if (is_segment) {
      assert_segment(&segment);
      g_assert_cmpuint(segment.flow, <, capture_source_counts(source)->flows);
      g_assert_cmpuint(segment.from, <, 2);
    }
  }
  if (source) {
    const capture_counts *counts = capture_source_counts(source);
    g_assert_cmpuint(counts->segments + counts->other_packets + counts->garbled_packets, <=, counts->packets);
  } else {
    g_assert_nonnull(error);
  }
  if (error) {
    g_assert_true(error->domain == IWARPSIM_ERROR);
    g_assert_true(g_str_has_prefix(error->message, "test: "));
    g_assert_null(strchr(error->message, '\n'));
  }
  g_clear_error(&error);
}

static fixture_file *file_of_every_kind(fixture_format format, bool is_swapped)
{
  g_autoptr(GPtrArray) packets = packets_of_every_kind();
  fixture_file *file = fixture_file_new(format, is_swapped, FIXTURE_LINK_ETHERNET);
  for (unsigned i = 0; i < packets->len; i++) {
    g_autoptr(GByteArray) frame = fixture_frame(FIXTURE_LINK_ETHERNET, g_ptr_array_index(packets, i), i % 2);
    fixture_file_add_cut(file, i, frame, frame->len - i % 2, frame->len);
  }
  return file;
}

/* This is every length of a file; each octet garbled. */
TEST(test_files)
{
  static const uint8_t masks[] = {0x01, 0x80, 0xFF};
  for (fixture_format format = FIXTURE_PCAP_US; format <= FIXTURE_PCAPNG; format++) {
    for (unsigned is_swapped = 0; is_swapped < 2; is_swapped++) {
      g_autoptr(fixture_file) file = file_of_every_kind(format, is_swapped);
      GByteArray *octets = file->octets;
      for (guint length = 1; length <= octets->len; length++) {
        read_all(octets->data, length, length % 2 == 0);
      }
      for (guint at = 0; at < octets->len; at++) {
        for (unsigned mask = 0; mask < G_N_ELEMENTS(masks); mask++) {
          octets->data[at] ^= masks[mask];
          read_all(octets->data, octets->len, mask % 2 == 0);
          octets->data[at] ^= masks[mask];
        }
      }
    }
  }
}

/* This is garbage after a file's header, and files of which a tenth is garbage. */
TEST(test_random)
{
  for (unsigned round = 0; round < 3000; round++) {
    g_autoptr(fixture_file) file = file_of_every_kind(round % 3, false);
    uint32_t header_octets = file->format == FIXTURE_PCAPNG ? 60 : 24;
    for (guint at = header_octets; at < file->octets->len; at++) {
      if (round < 300 || g_test_rand_int_range(0, 10 * (1 + (int)round % 20)) == 0) {
        file->octets->data[at] = (uint8_t)g_test_rand_int_range(0, 256);
      }
    }
    read_all(file->octets->data, file->octets->len, round % 2);
  }
}

/* These are frames of garbage that begin as IP does. */
TEST(test_random_frames)
{
  for (unsigned round = 0; round < 200000; round++) {
    uint8_t octets[120];
    uint32_t length = (uint32_t)g_test_rand_int_range(1, sizeof octets + 1);
    for (uint32_t i = 0; i < length; i++) {
      octets[i] = (uint8_t)g_test_rand_int_range(0, round % 3 == 0 ? 4 : 256);
    }
    octets[0] = round % 2 ? 0x45 : 0x60;
    if (!(round % 2) && length > 6) {
      static const uint8_t kinds[] = {0, 6, 43, 44, 51, 60};
      octets[6] = kinds[round / 2 % G_N_ELEMENTS(kinds)];
    }
    take_in(FIXTURE_LINK_RAW, octets, length, length + (uint32_t)g_test_rand_int_range(0, 100000));
  }
}
