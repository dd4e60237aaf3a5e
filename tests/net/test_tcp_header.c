/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/random_stream.h"
#include "net/tcp_header.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_stream, g_free)

static void expect_wire(const tcp_header *header, const uint8_t *expected, size_t octets)
{
  uint8_t wire[TCP_HEADER_MAX_OCTETS];
  g_assert_cmpuint(tcp_header_octets(header), ==, octets);
  g_assert_cmpuint(tcp_header_encode(header, wire), ==, octets);
  g_assert_cmpmem(wire, octets, expected, octets);
}

/* RFC 9293 §3.1, figure 1, field by field. */
TEST(test_plain)
{
  static const uint8_t wire[] = {0x12, 0x34, 0x56, 0x78, /* ports */
                                 0x01, 0x02, 0x03, 0x04,
                                 0x0A, 0x0B, 0x0C, 0x0D,  /* sequence, acknowledgement */
                                 0x50, 0x18, 0xBE, 0xEF,  /* 5 words, PSH ACK, window */
                                 0xCA, 0xFE, 0x00, 0x00}; /* checksum, urgent pointer */
  tcp_header header = {.source_port = 0x1234,
                       .destination_port = 0x5678,
                       .sequence = 0x01020304,
                       .acknowledgement = 0x0A0B0C0D,
                       .flags = TCP_PSH | TCP_ACK,
                       .window = 0xBEEF,
                       .checksum = 0xCAFE};
  expect_wire(&header, wire, sizeof wire);
}

static const struct options_case {
  const char *name;
  tcp_header header;
  uint8_t options[TCP_HEADER_MAX_OCTETS - TCP_HEADER_OCTETS];
  size_t octets;
} options_cases[] = {
    /* MSS 1460 = 0x05B4; without timestamps SACK-permitted has two NOPs before it. */
    {"syn",
     {.flags = TCP_SYN,
      .has_mss = true,
      .mss_octets = 1460,
      .has_window_scale = true,
      .window_scale = 7,
      .has_sack_permitted = true},
     {2, 4, 0x05, 0xB4, 1, 1, 4, 2, 1, 3, 3, 7},
     12},
    /* With timestamps SACK-permitted takes the NOPs' place. */
    {"syn with timestamps",
     {.flags = TCP_SYN,
      .has_mss = true,
      .mss_octets = 8904,
      .has_window_scale = true,
      .has_sack_permitted = true,
      .has_timestamps = true,
      .timestamp_value = 0x100,
      .timestamp_echo = 0xFF000002},
     {2, 4, 0x22, 0xC8, 4, 2, 8, 10, 0, 0, 1, 0, 0xFF, 0, 0, 2, 1, 3, 3, 0},
     20},
    /* Timestamps as RFC 7323 appendix A lays them out, and as many SACK blocks as fit: 20 + 12 + 4 + 3 * 8 =
     * 60. */
    {"sack beside timestamps",
     {.flags = TCP_ACK, .has_timestamps = true, .sack_count = 3, .sack = {{0, 8}, {16, 24}, {32, 40}}},
     {1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0, /* timestamps, both 0 */
      1, 1, 5, 26,                         /* 2 + 3 * 8 */
      0, 0, 0, 0,  0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 24, 0, 0, 0, 32, 0, 0, 0, 40},
     40},
};

/* On the wire it is 20 octets, all 0 but for the data offset and the flags, and these options. */
EACH_TEST(test_options, struct options_case, options_cases)
{
  uint8_t wire[TCP_HEADER_MAX_OCTETS] = {[12] = (uint8_t)((20 + c->octets) / 4 << 4), [13] = c->header.flags};
  memcpy(wire + 20, c->options, c->octets);
  expect_wire(&c->header, wire, 20 + c->octets);
}

static tcp_header random_header(random_stream *random)
{
  tcp_header header;
  memset(&header, 0, sizeof header);
  uint64_t bits = random_stream_next(random);
  header.sequence = (uint32_t)random_stream_next(random);
  header.acknowledgement = (uint32_t)random_stream_next(random);
  header.window = (uint16_t)bits;
  header.flags = (uint8_t)(bits >> 16 & 0x1F);
  header.has_timestamps = bits >> 24 & 1;
  header.timestamp_value = header.has_timestamps ? (uint32_t)random_stream_next(random) : 0;
  header.timestamp_echo = header.has_timestamps ? (uint32_t)random_stream_next(random) : 0;
  if (header.flags & TCP_SYN) {
    header.has_mss = bits >> 25 & 1;
    header.mss_octets = header.has_mss ? (uint16_t)(bits >> 32) : 0;
    header.has_window_scale = bits >> 26 & 1;
    header.window_scale = header.has_window_scale ? (uint8_t)(bits >> 48) : 0;
    header.has_sack_permitted = bits >> 27 & 1;
    return header;
  }
  header.sack_count = (uint8_t)random_stream_below(random, header.has_timestamps ? 4 : 5);
  for (unsigned i = 0; i < header.sack_count; i++) {
    header.sack[i].from = (uint32_t)random_stream_next(random);
    header.sack[i].to = (uint32_t)random_stream_next(random);
  }
  return header;
}

TEST(test_what_is_written_is_read)
{
  g_autoptr(random_stream) random = random_stream_new(1, "header");
  for (unsigned i = 0; i < 5000; i++) {
    tcp_header header = random_header(random);
    tcp_header read;
    uint8_t wire[TCP_HEADER_MAX_OCTETS];
    memset(&read, 0xA5, sizeof read);
    size_t octets = tcp_header_encode(&header, wire);
    g_assert_cmpuint(tcp_header_decode(&read, wire, octets), ==, octets);
    EXPECT_FIELDS(&read, (sequence, header.sequence), (acknowledgement, header.acknowledgement),
                  (flags, header.flags), (window, header.window), (has_mss, header.has_mss),
                  (mss_octets, header.mss_octets), (has_window_scale, header.has_window_scale),
                  (window_scale, header.window_scale), (has_sack_permitted, header.has_sack_permitted),
                  (has_timestamps, header.has_timestamps), (timestamp_value, header.timestamp_value),
                  (timestamp_echo, header.timestamp_echo));
    g_assert_cmpmem(read.sack, sizeof read.sack[0] * read.sack_count, header.sack,
                    sizeof header.sack[0] * header.sack_count);
    g_assert_cmpuint(tcp_header_decode(&read, wire, octets - 1), ==, 0); /* truncated */
  }
}

static const struct {
  uint8_t octets[16];
  uint8_t count;
  bool good;
} bad_options_rows[] = {
    {{2, 4, 5, 180}, 4, true},
    {{2, 3, 5, 180}, 4, false},                        /* MSS one short */
    {{2, 5, 5, 180, 0}, 5, false},                     /* MSS one long */
    {{3, 4, 7, 0}, 4, false},                          /* window scale */
    {{4, 3, 0, 0}, 4, false},                          /* SACK-permitted */
    {{8, 9, 0, 0, 0, 0, 0, 0, 0}, 9, false},           /* timestamps */
    {{5, 2, 0, 0}, 4, false},                          /* SACK without a block */
    {{5, 9, 0, 0, 0, 0, 0, 0, 0}, 9, false},           /* SACK with 7/8 of one */
    {{1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2}, 12, true}, /* one block */
    {{77, 4, 1, 2}, 4, true},                          /* unknown kinds are passed over */
    {{77, 1, 0, 0}, 4, false},                         /* length below 2: it would never end */
    {{77, 0, 0, 0}, 4, false},                         /* length 0 */
    {{77, 5, 0, 0}, 4, false},                         /* beyond the header */
    {{1, 1, 1, 77}, 4, false},                         /* no room for the length */
    {{0, 77, 1, 0}, 4, true},                          /* nothing counts after the end of the list */
};

ROW_TEST(test_bad_options, bad_options_rows)
{
  size_t padded = (c->count + 3u) / 4 * 4;
  uint8_t wire[TCP_HEADER_MAX_OCTETS] = {[12] = (uint8_t)((TCP_HEADER_OCTETS + padded) / 4 << 4)};
  tcp_header header;
  memcpy(wire + TCP_HEADER_OCTETS, c->octets, c->count);
  g_assert_cmpint(tcp_header_decode(&header, wire, TCP_HEADER_OCTETS + padded) > 0, ==, c->good);
}

TEST(test_bad_offset)
{
  tcp_header header;
  uint8_t wire[TCP_HEADER_MAX_OCTETS] = {0};
  wire[12] = 4 << 4;
  g_assert_cmpuint(tcp_header_decode(&header, wire, 60), ==, 0); /* 16 octets are no header */
  wire[12] = 6 << 4;
  g_assert_cmpuint(tcp_header_decode(&header, wire, 20), ==, 0); /* 24 of 20 */
  g_assert_cmpuint(tcp_header_decode(&header, wire, 24), ==, 24);
  wire[12] = 5 << 4;
  g_assert_cmpuint(tcp_header_decode(&header, wire, 19), ==, 0);
  g_assert_cmpuint(tcp_header_decode(&header, wire, 20), ==, 20);
}

TEST(test_random_octets)
{
  g_autoptr(random_stream) random = random_stream_new(2, "header");
  unsigned good = 0;
  for (unsigned i = 0; i < 50000; i++) {
    size_t length = random_stream_below(random, 61);
    uint8_t *wire = g_malloc(length + 1); /* exactly as long, so that a sanitizer sees one octet too many */
    for (size_t k = 0; k < length; k++) {
      wire[k] = (uint8_t)random_stream_below(random, k >= 20 ? 12 : 256);
    }
    tcp_header header;
    size_t octets = tcp_header_decode(&header, wire, length);
    g_assert_true(octets == 0 || (octets >= 20 && octets <= length));
    g_assert_true(octets == 0 || header.sack_count <= TCP_SACK_BLOCKS_MAX);
    good += octets > 0 ? 1 : 0;
    g_free(wire);
  }
  g_assert_cmpuint(good, >, 100);
}

/* ISN 0xFFFFFF00: position p has sequence number 0xFFFFFF01 + p modulo 2^32, so 0 belongs to position 255. */
TEST(test_positions)
{
  const uint32_t isn = 0xFFFFFF00;
  g_assert_cmpuint(tcp_sequence_of(-1, isn), ==, isn);
  g_assert_cmpuint(tcp_sequence_of(0, isn), ==, 0xFFFFFF01);
  g_assert_cmpuint(tcp_sequence_of(255, isn), ==, 0);
  g_assert_cmpuint(tcp_sequence_of((INT64_C(5) << 32) + 255, isn), ==, 0);
  g_assert_cmpint(tcp_position_of(0, isn, 0), ==, 255);
  g_assert_cmpint(tcp_position_of(isn, isn, 0), ==, -1);
  g_assert_cmpint(tcp_position_of(0, isn, (INT64_C(5) << 32) + 200), ==, (INT64_C(5) << 32) + 255);
  g_assert_cmpint(tcp_position_of(0, isn, (INT64_C(5) << 32) + 300), ==, (INT64_C(5) << 32) + 255);
  /* 2^31 - 1 ahead is ahead; 2^31 and more is before it */
  uint32_t here = tcp_sequence_of(1000, isn);
  g_assert_cmpint(tcp_position_of(here + 0x7FFFFFFF, isn, 1000), ==, 1000 + INT64_C(0x7FFFFFFF));
  g_assert_cmpint(tcp_position_of(here + 0x80000001, isn, 1000), ==, 1000 - INT64_C(0x7FFFFFFF));
}
