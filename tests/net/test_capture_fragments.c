/* SPDX-License-Identifier: GPL-2.0-only */
/* IP fragments in captures: put together in any order, and bounded whatever comes. */
#include <string.h>

#include "capture_fixture.h"

enum { TCP_OCTETS = 20, PAYLOAD_OCTETS = 1000, SECOND_NS = 1000000000 };

static GByteArray *whole_packet(unsigned version, uint32_t sequence)
{
  fixture_segment sent = {
      .version = version, .sequence = sequence, .flags = TCP_ACK, .length = PAYLOAD_OCTETS};
  return fixture_packet(&sent);
}

/* Adds the fragment [from, from + length) of a packet of whole_packet(). */
static void add_fragment(fixture_file *file, int64_t time_ns, const GByteArray *packet,
                         uint32_t identification, uint32_t from, uint32_t length)
{
  g_autoptr(GByteArray) fragment = fixture_fragment(packet, identification, from, length);
  fixture_file_add(file, time_ns, fragment);
}

/* A file with fragments of the packet, of identification 9, at 1 ns: "0+400 400+620". */
static fixture_file *file_of(const GByteArray *packet, const char *pieces)
{
  fixture_file *file = fixture_raw_file();
  g_auto(GStrv) all = g_strsplit(pieces, " ", -1);
  for (char **piece = all; *piece; piece++) {
    char *length;
    uint32_t from = (uint32_t)g_ascii_strtoull(*piece, &length, 10);
    add_fragment(file, 1, packet, 9, from, (uint32_t)g_ascii_strtoull(length + 1, NULL, 10));
  }
  return file;
}

static void assert_whole(capture_source *source, uint32_t sequence, uint64_t packet)
{
  fixture_segment sent = {.sequence = sequence};
  const capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (packet, packet), (sequence, sequence), (checksum, CAPTURE_CHECKSUM_RIGHT),
                (payload_octets, PAYLOAD_OCTETS), (captured_octets, PAYLOAD_OCTETS));
  for (uint32_t i = 0; i < PAYLOAD_OCTETS; i++) {
    g_assert_cmpuint(segment.payload[i], ==, fixture_octet(&sent, i));
  }
}

/* Checks that there is no segment any more; frees the source. */
static void assert_at_end(capture_source *source, uint64_t fragments, uint64_t missing)
{
  capture_segment segment;
  g_assert_false(fixture_next(source, &segment));
  EXPECT_FIELDS(capture_source_counts(source), (fragments, fragments), (fragments_missing, missing),
                (other_packets, 0), (garbled_packets, 0));
  capture_source_free(source);
}

/* 1020 octets of IP payload in pieces of 400, 400 and 220. */
static const uint32_t PIECES[3][2] = {{0, 400}, {400, 400}, {800, 220}};

/* Datagrams whose fragments are mixed, of both versions with one identification, those of IPv6 from the last
 * to the first, and one fragment of each twice, which is passed over (RFC 8200 §4.5). */
TEST(test_mixed_datagrams)
{
  g_autoptr(GByteArray) ipv4 = whole_packet(4, 50);
  g_autoptr(GByteArray) ipv6 = whole_packet(6, 60);
  const GByteArray *packets[] = {ipv4, ipv6};
  g_autoptr(fixture_file) file = fixture_raw_file();
  for (unsigned piece = 0; piece < 3; piece++) {
    for (unsigned i = 0; i < 2; i++) {
      const uint32_t *first = PIECES[i == 0 ? 0 : 2], *next = PIECES[i == 0 ? piece : 2 - piece];
      add_fragment(file, 1, packets[i], 9, next[0], next[1]);
      if (piece == 1) {
        add_fragment(file, 1, packets[i], 9, first[0], first[1]);
      }
    }
  }
  add_fragment(file, 1, packets[0], 10, 0, 400); /* of another datagram of which no more comes */
  capture_source *source = fixture_open(file);
  assert_whole(source, 50, 7);
  assert_whole(source, 60, 8);
  assert_at_end(source, 9, 1);
}

static void assert_options(const fixture_file *file)
{
  capture_source *source = fixture_open(file);
  const capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (flags, TCP_SYN), (has_mss, true), (mss_octets, 1400), (has_timestamps, true));
  fixture_assert_at_end(source);
}

/* The options of a SYN are known in fragments, and after an extension header of IPv6. */
VERSION_TEST(test_options_of_a_syn)
{
  const fixture_segment sent = {
      .version = version, .flags = TCP_SYN, .mss_octets = 1400, .has_timestamps = true, .length = 100};
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  g_autoptr(fixture_file) fragments = file_of(packet, "0+64 64+72"); /* of 36 + 100 octets */
  assert_options(fragments);
  if (version == 6) {
    g_autoptr(fixture_file) extended = fixture_raw_file();
    fixture_add_extension(packet, 60, 8); /* Destination Options (RFC 8200 §4.6) */
    fixture_file_add(extended, 1, packet);
    assert_options(extended);
  }
}

/* RFC 5722 §4: a datagram of which fragments overlap is dropped, with those that come later, all of them
 * here. */
VERSION_TEST(test_contradictions)
{
  static const char *const contradicted[] = {
      "0+400 800+220 392+16 0+400 400+400 800+220", "0+400 800+220 0+408 0+400 400+400 800+220",
      "0+400 800+220 400+408 0+400 400+400 800+220", "0+400 800+220 392+628 0+400 400+400 800+220"};
  g_autoptr(GByteArray) packet = whole_packet(version, 5);
  for (unsigned i = 0; i < G_N_ELEMENTS(contradicted); i++) {
    g_autoptr(fixture_file) file = file_of(packet, contradicted[i]);
    assert_at_end(fixture_open(file), 6, 1);
  }
}

TEST(test_time_is_over)
{
  g_autoptr(GByteArray) packet = whole_packet(4, 5);
  for (unsigned late = 0; late < 2; late++) {
    g_autoptr(fixture_file) file = fixture_raw_file();
    add_fragment(file, 0, packet, 9, 0, 400);
    add_fragment(file, INT64_C(60) * SECOND_NS - !late, packet, 9, 400, 620);
    capture_source *source = fixture_open(file);
    if (!late) {
      assert_whole(source, 5, 2);
    }
    assert_at_end(source, 2, late ? 2 : 0); /* the late one begins a datagram of its own */
  }
}

/* The capture has a snap length: the payload is as long as it was on the wire, captured up to the first octet
 * that is not there. */
TEST(test_cut_fragments)
{
  g_autoptr(GByteArray) packet = whole_packet(4, 5);
  g_autoptr(fixture_file) file = fixture_raw_file();
  for (unsigned piece = 0; piece < 3; piece++) {
    g_autoptr(GByteArray) fragment = fixture_fragment(packet, 9, PIECES[piece][0], PIECES[piece][1]);
    fixture_file_add_cut(file, 1, fragment, piece == 0 ? fragment->len : 20 + 10, fragment->len);
  }
  capture_source *source = fixture_open(file);
  const capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (payload_octets, PAYLOAD_OCTETS), (captured_octets, 400 + 10 - TCP_OCTETS),
                (checksum, CAPTURE_CHECKSUM_UNKNOWN));
  g_assert_cmpuint(capture_source_counts(source)->cut_short, ==, 1);
  assert_at_end(source, 3, 0);
}

/* RFC 3168 §5.3: one fragment that met congestion marks the datagram; unless another is not ECN-capable,
 * which drops it. */
static const struct {
  uint8_t first, second;
  int expected; /* -1: dropped */
} ecn_rows[] = {{2, 3, 3}, {3, 2, 3}, {3, 3, 3}, {2, 2, 2}, {1, 2, 1}, {0, 3, -1}, {3, 0, -1}};

ROW_TEST(test_ecn, ecn_rows)
{
  g_autoptr(GByteArray) packet = whole_packet(4, 5);
  g_autoptr(fixture_file) file = fixture_raw_file();
  packet->data[1] = c->first;
  add_fragment(file, 1, packet, 9, 0, 400);
  packet->data[1] = c->second;
  add_fragment(file, 1, packet, 9, 400, 620);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  g_assert_cmpint(fixture_next(source, &segment), ==, c->expected >= 0);
  if (c->expected >= 0) {
    g_assert_cmpint(segment.ecn, ==, c->expected);
  }
  assert_at_end(source, 2, c->expected < 0);
}

/* Destination options after the fragment header are in the first fragment alone, and only what that names
 * counts (RFC 8200 §4.5). */
TEST(test_extension_header_in_fragments)
{
  for (unsigned order = 0; order < 2; order++) {
    g_autoptr(GByteArray) packet = whole_packet(6, 5);
    fixture_add_extension(packet, 60, 16);
    g_autoptr(GByteArray) first = fixture_fragment(packet, 9, 0, 400);
    g_autoptr(GByteArray) last = fixture_fragment(packet, 9, 400, 636);
    g_autoptr(fixture_file) file = fixture_raw_file();
    last->data[40] = 6; /* TCP */
    fixture_file_add(file, 1, order == 0 ? first : last);
    fixture_file_add(file, 2, order == 0 ? last : first);
    capture_source *source = fixture_open(file);
    assert_whole(source, 5, 2);
    assert_at_end(source, 2, 0);
  }
}

/* Reads one packet that is garbled; frees it. */
static void assert_garbled(GByteArray *packet)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_file_add(file, 1, packet);
  g_autoptr(capture_source) source = fixture_open(file);
  capture_segment segment;
  g_assert_false(fixture_next(source, &segment));
  EXPECT_FIELDS(capture_source_counts(source), (garbled_packets, 1), (fragments, 0));
  g_byte_array_free(packet, TRUE);
}

/* It is in the middle, no multiple of 8 octets; none at all; and octets that end beyond 65,535. */
VERSION_TEST(test_impossible_fragments)
{
  g_autoptr(GByteArray) packet = whole_packet(version, 5);
  assert_garbled(fixture_fragment(packet, 9, 8, 12));
  assert_garbled(fixture_fragment(packet, 9, 8, 0));
  GByteArray *last = fixture_fragment(packet, 9, 8, TCP_OCTETS + PAYLOAD_OCTETS - 8);
  last->data[version == 4 ? 6 : 42] = version == 4 ? 0x1F : 0xFF;
  last->data[version == 4 ? 7 : 43] = version == 4 ? 0xFF : 0xF8; /* at 65,528 */
  assert_garbled(last);
}

/* What is reassembled is itself a fragment: no host sends that. */
TEST(test_fragments_of_a_fragment)
{
  g_autoptr(GByteArray) packet = whole_packet(6, 5);
  g_autoptr(GByteArray) inner = fixture_fragment(packet, 8, 0, 800);
  g_autoptr(fixture_file) file = file_of(inner, "0+400 400+408");
  g_autoptr(capture_source) source = fixture_open(file);
  capture_segment segment;
  g_assert_false(fixture_next(source, &segment));
  g_assert_cmpuint(capture_source_counts(source)->garbled_packets, ==, 1);
}

/* Who puts them together himself gets each as it is. */
TEST(test_packet_by_packet)
{
  g_autoptr(GByteArray) packet = whole_packet(4, 5);
  g_autoptr(fixture_file) file = fixture_raw_file();
  add_fragment(file, 1, packet, 9, 400, 620);
  fixture_file_add(file, 2, packet);
  packet->data[9] = 17; /* UDP's are of no interest */
  add_fragment(file, 3, packet, 9, 0, 400);
  g_autoptr(capture_source) source = fixture_open(file);
  capture_segment segment;
  gboolean is_segment = TRUE;
  uint32_t octets = 0;
  g_assert_true(capture_source_next(source, &segment, &is_segment, NULL));
  g_assert_false(is_segment);
  EXPECT_FIELDS(&segment, (packet, 1), (time_ns, 1));
  g_assert_nonnull(capture_source_ip(source, &octets));
  g_assert_cmpuint(octets, ==, 20 + 620);
  g_assert_true(capture_source_next(source, &segment, &is_segment, NULL));
  g_assert_true(is_segment);
  EXPECT_FIELDS(&segment, (packet, 2), (payload_octets, PAYLOAD_OCTETS));
  g_assert_false(capture_source_next(source, &segment, &is_segment, NULL));
  g_assert_cmpuint(capture_source_counts(source)->other_packets, ==, 1);
}

/* The first flow has only fragments. Who puts them together himself sees the second one, under the number
 * that it has for others. */
TEST(test_flows_have_one_number)
{
  for (unsigned by_packet = 0; by_packet < 2; by_packet++) {
    g_autoptr(GByteArray) packet = whole_packet(4, 5);
    g_autoptr(fixture_file) file = file_of(packet, "400+620 0+400");
    fixture_segment sent = {.version = 6, .sequence = 5, .flags = TCP_ACK, .length = 10};
    g_autoptr(GByteArray) another = fixture_packet(&sent);
    fixture_file_add(file, 3, another);
    g_autoptr(capture_source) source = fixture_open(file);
    capture_segment segment;
    gboolean is_segment;
    for (unsigned i = 0; i < (by_packet ? 3 : 2); i++) {
      g_assert_true(capture_source_next(source, &segment, by_packet ? &is_segment : NULL, NULL));
    }
    EXPECT_FIELDS(&segment, (packet, 3), (flow, 1));
    g_assert_cmpuint(capture_source_counts(source)->flows, ==, 2);
    g_assert_cmpuint(capture_source_counts(source)->segments, ==, by_packet ? 1 : 2);
  }
}

/* Attackers who send one fragment of each of many datagrams; the younger ones stay. 16 MiB hold 2,032 of
 * 8,000 octets, and what it takes to remember them. */
static const struct {
  uint32_t octets, kept;
} bounds_rows[] = {{8000, 16 * 1024 * 1024 / (8000 + 256)}, {8, 4096}};

ROW_TEST(test_bounds, bounds_rows)
{
  enum { COUNT = 5000 };
  fixture_segment sent = {.version = 4, .sequence = 5, .flags = TCP_ACK, .length = 9000};
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  for (uint32_t older = 0; older < 2; older++) {
    g_autoptr(fixture_file) file = fixture_raw_file();
    for (uint32_t identification = 0; identification < COUNT; identification++) {
      add_fragment(file, 0, packet, identification, 0, c->octets);
    }
    /* a duplicate of the oldest that was kept is passed over; one of the one before it begins anew */
    add_fragment(file, 0, packet, COUNT - c->kept - older, 0, c->octets);
    assert_at_end(fixture_open(file), COUNT + 1, COUNT + older);
  }
}
