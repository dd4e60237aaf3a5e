/* SPDX-License-Identifier: GPL-2.0-only */
/* One datagram's fragments: which fit each other, and what they make. */
#include "datagram_fixture.h"
#include "net/ip_reassembly.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ip_fragments, ip_fragments_free)

/* Offers a fragment out of a capture: `octets`, of which there may be fewer than `of` names. */
static ip_fragments_verdict offer_octets(ip_fragments *fragments, const datagram_fragment *of,
                                         const buffer_chain *octets, datagram *packet)
{
  const ip_fragment fragment = {.of = *of,
                                .ecn = packet ? datagram_ecn_of(packet) : DATAGRAM_ECN_NOT_CAPABLE,
                                .octets = octets,
                                .packet = packet};
  ip_fragments_verdict verdict = ip_fragments_judge(fragments, &fragment);
  if (verdict == IP_FRAGMENTS_NEW) {
    ip_fragments_add(fragments, &fragment);
  }
  return verdict;
}

static ip_fragments_verdict offer(ip_fragments *fragments, datagram *packet)
{
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  ip_fragments_verdict verdict = offer_octets(fragments, &of, &packet->payload, packet);
  datagram_unref(packet);
  return verdict;
}

static uint32_t tcp_payload_octets(const ip_fragments *fragments)
{
  return fragments->octets - fragments->tcp_header_octets;
}

/* This is a test of `fragments`, which is empty. */
#define FRAGMENTS_TEST(name) TEST_OF(ip_fragments, fragments, ip_fragments_new(), name)

/* What is held, without the TCP header once that is there: 24 of the last piece; 48 - 20 + 24; all. In every
 * order: test_ip_reassembly.c. */
FRAGMENTS_TEST(test_octets)
{
  g_assert_false(fragments->has_first);
  offer(fragments, numbered_piece(4, 9, 100, 96, 24));
  EXPECT_FIELDS(fragments, (octets, 24), (has_first, false));
  g_assert_cmpuint(tcp_payload_octets(fragments), ==, 24);
  offer(fragments, numbered_piece(4, 9, 100, 0, 48));
  g_assert_cmpuint(fragments->octets, ==, 72);
  g_assert_cmpuint(tcp_payload_octets(fragments), ==, 52);
  g_assert_cmpuint(datagram_octets(fragments->first.packet), ==, 68);
  g_assert_false(ip_fragments_are_whole(fragments));
  g_assert_cmpint(offer(fragments, numbered_piece(4, 9, 100, 48, 48)), ==, IP_FRAGMENTS_NEW);
  g_assert_true(ip_fragments_are_whole(fragments));
  g_assert_cmpuint(tcp_payload_octets(fragments), ==, 100);
  g_autoptr(datagram) whole = ip_fragments_assemble(fragments);
  assert_numbered(whole, 4, 9, 100);
}

/* A first fragment of 8 octets is all header; one that claims a header of 60 octets in 16 has no more than
 * those. */
TEST(test_first_fragment_without_payload)
{
  datagram *firsts[] = {numbered_piece(4, 9, 100, 0, 8), forged_fragment(9, 0, true, 16, 0xFF)};
  for (size_t i = 0; i < G_N_ELEMENTS(firsts); i++) {
    g_autoptr(ip_fragments) fragments = ip_fragments_new();
    offer(fragments, firsts[i]);
    g_assert_cmpuint(tcp_payload_octets(fragments), ==, 0);
  }
}

/* The header's length is in octet 12 alone, in its upper four bits: 8 words here, and other numbers all
 * around. */
FRAGMENTS_TEST(test_header_octets)
{
  static const uint8_t segment[40] = {0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1,
                                      0xF1, 0x8F, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1};
  g_autoptr(datagram) forged = forged_fragment(9, 0, true, sizeof segment, 0);
  g_autofree uint8_t *wire = fixture_wire(forged);
  memcpy(wire + 20, segment, sizeof segment);
  offer(fragments, fixture_read(wire, 20 + sizeof segment));
  g_assert_cmpuint(tcp_payload_octets(fragments), ==, 40 - 8 * 4);
}

/* These come beside pieces [16, 32) and [48, 64), which others follow: RFC 5722 §3 for overlaps, RFC 8200
 * §4.5 for duplicates. */
static const struct {
  uint32_t from;
  bool more;
  uint32_t length;
  uint8_t octet;
  ip_fragments_verdict verdict;
} verdicts_rows[] = {
    {16, true, 16, 1, IP_FRAGMENTS_DUPLICATE},
    {16, true, 16, 2, IP_FRAGMENTS_CONTRADICTS},  /* other octets */
    {16, false, 16, 1, IP_FRAGMENTS_CONTRADICTS}, /* the same as the last */
    {16, true, 8, 1, IP_FRAGMENTS_CONTRADICTS},   /* a part of it */
    {24, true, 8, 1, IP_FRAGMENTS_CONTRADICTS},
    {16, true, 24, 1, IP_FRAGMENTS_CONTRADICTS}, /* more than it */
    {8, true, 16, 1, IP_FRAGMENTS_CONTRADICTS},  /* into it */
    {0, true, 128, 1, IP_FRAGMENTS_CONTRADICTS}, /* over both */
    {24, true, 16, 1, IP_FRAGMENTS_CONTRADICTS}, /* out of it */
    {40, true, 16, 1, IP_FRAGMENTS_CONTRADICTS},
    {56, true, 16, 1, IP_FRAGMENTS_CONTRADICTS},
    {32, true, 16, 1, IP_FRAGMENTS_NEW}, /* just between */
    {0, true, 16, 1, IP_FRAGMENTS_NEW},
    {64, true, 8, 1, IP_FRAGMENTS_NEW},
    {64, false, 3, 1, IP_FRAGMENTS_NEW},
    {32, false, 3, 1, IP_FRAGMENTS_CONTRADICTS}, /* an end before others */
};

ROW_TEST(test_verdicts, verdicts_rows)
{
  g_autoptr(ip_fragments) fragments = ip_fragments_new();
  offer(fragments, forged_fragment(5, 48, true, 16, 1));
  offer(fragments, forged_fragment(5, 16, true, 16, 1));
  g_assert_cmpint(offer(fragments, forged_fragment(5, c->from, c->more, c->length, c->octet)), ==,
                  c->verdict);
}

/* After the end there is nothing, and no other end. */
FRAGMENTS_TEST(test_the_end)
{
  offer(fragments, forged_fragment(5, 64, false, 10, 1));
  g_assert_cmpint(offer(fragments, forged_fragment(5, 80, true, 8, 1)), ==, IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, forged_fragment(5, 80, false, 8, 1)), ==, IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, forged_fragment(5, 32, false, 8, 1)), ==, IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, forged_fragment(5, 64, false, 10, 1)), ==, IP_FRAGMENTS_DUPLICATE);
  g_assert_cmpint(offer(fragments, forged_fragment(5, 56, true, 8, 1)), ==, IP_FRAGMENTS_NEW);
}

/* RFC 3168 §5.3: CE if one fragment has it, but none at all when another is not ECN-capable; else the first
 * one's, whichever comes first. */
TEST(test_ecn)
{
  static const struct {
    datagram_ecn first, last;
    int whole; /* -1: dropped */
  } cases[] = {
      {DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_ECT_0},
      {DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_ECT_1, DATAGRAM_ECN_ECT_0},
      {DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_ECT_1, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_NOT_CAPABLE},
      {DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_CONGESTED, -1},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_NOT_CAPABLE, -1},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(ip_fragments) fragments = ip_fragments_new();
    datagram *first = numbered_piece(4, 9, 100, 0, 48);
    datagram *last = numbered_piece(4, 9, 100, 48, 72);
    datagram_set_ecn(first, cases[i].first);
    datagram_set_ecn(last, cases[i].last);
    offer(fragments, i % 2 ? first : last);
    offer(fragments, i % 2 ? last : first);
    datagram_ecn ecn;
    g_assert_true(ip_fragments_ecn(fragments, &ecn) == (cases[i].whole >= 0));
    if (cases[i].whole >= 0) {
      g_assert_cmpint(ecn, ==, cases[i].whole);
      g_autoptr(datagram) whole = ip_fragments_assemble(fragments);
      g_assert_cmpint(datagram_ecn_of(whole), ==, cases[i].whole);
    }
  }
}

/* Whole, but no TCP segment: a data offset of 0. */
FRAGMENTS_TEST(test_no_segment)
{
  offer(fragments, forged_fragment(5, 0, true, 32, 0));
  offer(fragments, forged_fragment(5, 32, false, 1, 0));
  g_assert_true(ip_fragments_are_whole(fragments));
  g_assert_null(ip_fragments_assemble(fragments));
  ip_fragments_free(NULL);
}

/* Three fragments of 16 octets of which a capture has but `captured`. */
static ip_fragments *captured_fragments(const uint32_t captured[3])
{
  static const uint8_t octets[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV";
  ip_fragments *fragments = ip_fragments_new();
  for (uint32_t i = 0; i < 3; i++) {
    const datagram_fragment of = {.offset_octets = 16 * i, .length_octets = 16, .more = i < 2};
    buffer_chain chain;
    buffer_chain_init(&chain);
    buffer_chain_append(&chain, octets + (size_t)16 * i, captured[i], NULL);
    g_assert_cmpint(offer_octets(fragments, &of, &chain, NULL), ==, IP_FRAGMENTS_NEW);
    buffer_chain_clear(&chain);
    /* a duplicate is one as far as both were captured */
    buffer_chain_append(&chain, octets + (size_t)16 * i, 8, NULL);
    g_assert_cmpint(offer_octets(fragments, &of, &chain, NULL), ==, IP_FRAGMENTS_DUPLICATE);
    buffer_chain_clear(&chain);
    buffer_chain_append(&chain, octets + (size_t)16 * i + 1, 8, NULL);
    g_assert_cmpint(offer_octets(fragments, &of, &chain, NULL), ==,
                    captured[i] > 0 ? IP_FRAGMENTS_CONTRADICTS : IP_FRAGMENTS_DUPLICATE);
    buffer_chain_clear(&chain);
  }
  return fragments;
}

/* Octets go up to the first octet that was not captured. */
static const struct {
  uint32_t captured[3];
  uint32_t there;
} not_all_captured_rows[] = {
    {{16, 16, 16}, 48}, {{16, 15, 16}, 31}, {{16, 0, 16}, 16}, {{0, 16, 16}, 0}, {{16, 16, 1}, 33}};

ROW_TEST(test_not_all_captured, not_all_captured_rows)
{
  g_autoptr(ip_fragments) fragments = captured_fragments(c->captured);
  buffer_chain payload;
  buffer_chain_init(&payload);
  g_assert_true(ip_fragments_are_whole(fragments));
  g_assert_cmpuint(fragments->end, ==, 48);
  ip_fragments_append_to(fragments, &payload);
  g_assert_cmpuint(payload.length, ==, c->there);
  g_assert_true(buffer_chain_equals(&payload, 0, c->there,
                                    (const uint8_t *)"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"));
  buffer_chain_clear(&payload);
}
