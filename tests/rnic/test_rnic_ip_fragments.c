/* One datagram's fragments: which fit each other, and what they make. */
#include "ip_fragment_kit.h"
#include "rnic/rnic_ip_fragments.h"

static rnic_ip_fragments_verdict offer(rnic_ip_fragments *fragments, datagram *packet)
{
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  rnic_ip_fragments_verdict verdict = rnic_ip_fragments_judge(fragments, packet, &of);
  if (verdict == RNIC_IP_FRAGMENTS_NEW) {
    rnic_ip_fragments_add(fragments, packet, &of);
  } else {
    datagram_unref(packet);
  }
  return verdict;
}

/* 100 octets and 20 of TCP header in pieces 0 … 48, 48 … 96, 96 … 120, in every order. */
static void test_every_order(void)
{
  static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const uint32_t lengths[] = {48, 48, 24};
  for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
    rnic_ip_fragments *fragments = rnic_ip_fragments_new();
    g_assert_null(rnic_ip_fragments_first(fragments));
    for (unsigned k = 0; k < 3; k++) {
      unsigned piece = orders[i][k];
      g_assert_false(rnic_ip_fragments_are_whole(fragments));
      g_assert_cmpint(offer(fragments, fragment_kit_piece(4, 9, 100, piece * 48, lengths[piece])), ==,
                      RNIC_IP_FRAGMENTS_NEW);
    }
    g_assert_true(rnic_ip_fragments_are_whole(fragments));
    g_assert_cmpuint(rnic_ip_fragments_octets(fragments), ==, 120);
    g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 100);
    datagram *whole = rnic_ip_fragments_assemble(fragments);
    fragment_kit_assert_segment(whole, 4, 9, 100);
    datagram_unref(whole);
    rnic_ip_fragments_free(fragments);
  }
}

/* What is held, without the TCP header once that is there: 24 of the last piece; 48 - 20 + 24. */
static void test_octets(void)
{
  rnic_ip_fragments *fragments = rnic_ip_fragments_new();
  offer(fragments, fragment_kit_piece(4, 9, 100, 96, 24));
  g_assert_cmpuint(rnic_ip_fragments_octets(fragments), ==, 24);
  g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 24);
  g_assert_null(rnic_ip_fragments_first(fragments));
  offer(fragments, fragment_kit_piece(4, 9, 100, 0, 48));
  g_assert_cmpuint(rnic_ip_fragments_octets(fragments), ==, 72);
  g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 52);
  g_assert_cmpuint(datagram_octets(rnic_ip_fragments_first(fragments)), ==, 68);
  rnic_ip_fragments_free(fragments);
  /* a first fragment of 8 octets is all header; one that claims a header of 60 octets in 16 has no more than those */
  fragments = rnic_ip_fragments_new();
  offer(fragments, fragment_kit_piece(4, 9, 100, 0, 8));
  g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 0);
  rnic_ip_fragments_free(fragments);
  fragments = rnic_ip_fragments_new();
  offer(fragments, fragment_kit_forged(9, 0, true, 16, 0xFF));
  g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 0);
  rnic_ip_fragments_free(fragments);
}

/* The header's length is in octet 12 alone, in its upper four bits: 8 words here, and other numbers all around. */
static void test_header_octets(void)
{
  static const uint8_t segment[40] = {0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1,
                                      0xF1, 0x8F, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1, 0xF1};
  octet_block *block = octet_block_new(60);
  uint8_t *wire = octet_block_octets(block);
  rnic_ip_fragments *fragments = rnic_ip_fragments_new();
  datagram *forged = fragment_kit_forged(9, 0, true, 40, 0);

  datagram_write(forged, wire, true);
  memcpy(wire + 20, segment, sizeof segment);
  offer(fragments, datagram_read(block, wire, 60));
  g_assert_cmpuint(rnic_ip_fragments_tcp_payload_octets(fragments), ==, 40 - 8 * 4);
  datagram_unref(forged);
  octet_block_unref(block);
  rnic_ip_fragments_free(fragments);
}

/* Beside pieces [16, 32) and [48, 64), which others follow: RFC 5722 §3 for overlaps, RFC 8200 §4.5 for duplicates. */
static void test_verdicts(void)
{
  static const struct {
    uint32_t from;
    bool more;
    uint32_t length;
    uint8_t octet;
    rnic_ip_fragments_verdict verdict;
  } cases[] = {
      {16, true, 16, 1, RNIC_IP_FRAGMENTS_DUPLICATE},
      {16, true, 16, 2, RNIC_IP_FRAGMENTS_CONTRADICTS},  /* other octets */
      {16, false, 16, 1, RNIC_IP_FRAGMENTS_CONTRADICTS}, /* the same as the last */
      {16, true, 8, 1, RNIC_IP_FRAGMENTS_CONTRADICTS},   /* a part of it */
      {24, true, 8, 1, RNIC_IP_FRAGMENTS_CONTRADICTS},
      {16, true, 24, 1, RNIC_IP_FRAGMENTS_CONTRADICTS}, /* more than it */
      {8, true, 16, 1, RNIC_IP_FRAGMENTS_CONTRADICTS},  /* into it */
      {0, true, 128, 1, RNIC_IP_FRAGMENTS_CONTRADICTS}, /* over both */
      {24, true, 16, 1, RNIC_IP_FRAGMENTS_CONTRADICTS}, /* out of it */
      {40, true, 16, 1, RNIC_IP_FRAGMENTS_CONTRADICTS},
      {56, true, 16, 1, RNIC_IP_FRAGMENTS_CONTRADICTS},
      {32, true, 16, 1, RNIC_IP_FRAGMENTS_NEW}, /* just between */
      {0, true, 16, 1, RNIC_IP_FRAGMENTS_NEW},
      {64, true, 8, 1, RNIC_IP_FRAGMENTS_NEW},
      {64, false, 3, 1, RNIC_IP_FRAGMENTS_NEW},
      {32, false, 3, 1, RNIC_IP_FRAGMENTS_CONTRADICTS}, /* an end before others */
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    rnic_ip_fragments *fragments = rnic_ip_fragments_new();
    g_test_message("case %zu", i);
    offer(fragments, fragment_kit_forged(5, 48, true, 16, 1));
    offer(fragments, fragment_kit_forged(5, 16, true, 16, 1));
    g_assert_cmpint(offer(fragments, fragment_kit_forged(5, cases[i].from, cases[i].more, cases[i].length,
                                                         cases[i].octet)),
                    ==, cases[i].verdict);
    rnic_ip_fragments_free(fragments);
  }
}

/* Behind the end there is nothing, and no other end. */
static void test_the_end(void)
{
  rnic_ip_fragments *fragments = rnic_ip_fragments_new();
  offer(fragments, fragment_kit_forged(5, 64, false, 10, 1));
  g_assert_cmpint(offer(fragments, fragment_kit_forged(5, 80, true, 8, 1)), ==,
                  RNIC_IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, fragment_kit_forged(5, 80, false, 8, 1)), ==,
                  RNIC_IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, fragment_kit_forged(5, 32, false, 8, 1)), ==,
                  RNIC_IP_FRAGMENTS_CONTRADICTS);
  g_assert_cmpint(offer(fragments, fragment_kit_forged(5, 64, false, 10, 1)), ==,
                  RNIC_IP_FRAGMENTS_DUPLICATE);
  g_assert_cmpint(offer(fragments, fragment_kit_forged(5, 56, true, 8, 1)), ==, RNIC_IP_FRAGMENTS_NEW);
  rnic_ip_fragments_free(fragments);
}

/* RFC 3168 §5.3: CE if one fragment has it, but none at all when another is not ECN-capable. */
static void test_ecn(void)
{
  static const struct {
    datagram_ecn first, last;
    int whole; /* -1: dropped */
  } cases[] = {
      {DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_ECT_0},
      {DATAGRAM_ECN_ECT_0, DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_ECT_1, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_CONGESTED},
      {DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_NOT_CAPABLE},
      {DATAGRAM_ECN_NOT_CAPABLE, DATAGRAM_ECN_CONGESTED, -1},
      {DATAGRAM_ECN_CONGESTED, DATAGRAM_ECN_NOT_CAPABLE, -1},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    rnic_ip_fragments *fragments = rnic_ip_fragments_new();
    datagram *first = fragment_kit_piece(4, 9, 100, 0, 48);
    datagram *last = fragment_kit_piece(4, 9, 100, 48, 72);
    datagram_set_ecn(first, cases[i].first);
    datagram_set_ecn(last, cases[i].last);
    offer(fragments, first);
    offer(fragments, last);
    datagram *whole = rnic_ip_fragments_assemble(fragments);
    g_assert_cmpint(whole ? (int)datagram_ecn_of(whole) : -1, ==, cases[i].whole);
    datagram_unref(whole);
    rnic_ip_fragments_free(fragments);
  }
}

/* Whole, but no TCP segment: a data offset of 0. */
static void test_no_segment(void)
{
  rnic_ip_fragments *fragments = rnic_ip_fragments_new();
  offer(fragments, fragment_kit_forged(5, 0, true, 32, 0));
  offer(fragments, fragment_kit_forged(5, 32, false, 1, 0));
  g_assert_true(rnic_ip_fragments_are_whole(fragments));
  g_assert_null(rnic_ip_fragments_assemble(fragments));
  rnic_ip_fragments_free(fragments);
  rnic_ip_fragments_free(NULL);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic/ip_fragments/every_order", test_every_order);
  g_test_add_func("/rnic/ip_fragments/octets", test_octets);
  g_test_add_func("/rnic/ip_fragments/header_octets", test_header_octets);
  g_test_add_func("/rnic/ip_fragments/verdicts", test_verdicts);
  g_test_add_func("/rnic/ip_fragments/the_end", test_the_end);
  g_test_add_func("/rnic/ip_fragments/ecn", test_ecn);
  g_test_add_func("/rnic/ip_fragments/no_segment", test_no_segment);
  return g_test_run();
}
