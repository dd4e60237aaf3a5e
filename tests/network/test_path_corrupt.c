/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about damage that the TCP checksum finds, and damage that it does not. */
#include <string.h>

#include "network/path_impairments.h"
#include "network/path_rfc4737.h"
#include "path_fixture.h"
#include "test.h"

enum { PAYLOAD = 120, IPV4_OCTETS = 20 + 20 + PAYLOAD };

static path_fixture *set_up(path_corrupt_mode mode, double probability)
{
  path_fixture *f = fixture_of_stream(20260318, "corrupt.forward");

  fixture_take(f,
               path_corrupt_new(&(path_corrupt_config){.mode = mode, .probability = probability}, f->random));
  return f;
}

static datagram *ipv6_packet(uint32_t length)
{
  const tcp_header header = test_header(1000, 0, TCP_ACK);
  uint8_t octets[PAYLOAD];
  memset(octets, 0x5A, sizeof octets);
  return packet_between(ip_address_v6(0xFD00000000000000, 1), ip_address_v6(0xFD00000000000000, 2), &header,
                        octets, length);
}

static unsigned count_bits(const uint8_t *before, const uint8_t *after, uint32_t octets)
{
  unsigned bits = 0;
  for (uint32_t i = 0; i < octets; i++) {
    bits += (unsigned)__builtin_popcount((unsigned)(before[i] ^ after[i]));
  }
  return bits;
}

/* The wire octets of what comes out for `packet`, and of the packet itself before; returns how many bits
 * differ. */
static unsigned send(path_fixture *f, datagram *packet, uint8_t before[], uint8_t after[])
{
  uint32_t octets = datagram_octets(packet);
  datagram_write(packet, before, true);
  path_element_receive(f->element, packet, 0);
  const datagram *result = test_output_at(f->output, 0)->packet;
  g_assert_cmpuint(datagram_octets(result), ==, octets);
  datagram_write(result, after, true);
  return count_bits(before, after, octets);
}

/* One bit of what the checksum covers, header and payload alike (20 of 140 octets: of 2000 packets 286, sigma
 * 15.7), and it is always found. */
PATH_TEST(test_caught, set_up(PATH_CORRUPT_CAUGHT, 1))
{
  uint8_t before[IPV4_OCTETS], after[IPV4_OCTETS];
  guint in_header = 0;
  for (int i = 0; i < 2000; i++) {
    g_assert_cmpuint(send(f, test_packet(i, PAYLOAD, TCP_ACK), before, after), ==, 1);
    g_assert_cmpmem(before, 20, after, 20); /* not the IP header */
    in_header += memcmp(before + 20, after + 20, 20) != 0;
    g_assert_false(datagram_checksum_is_right(test_output_at(f->output, 0)->packet));
    test_output_clear(f->output);
  }
  g_assert_cmpfloat_with_epsilon(in_header, 286, 5 * 15.7);
  g_assert_cmpuint(f->element->counts.damaged, ==, 2000);
}

/* IPv6 has no IP checksum; TCP's finds the bit as well. A packet without payload has a header that can be
 * damaged. */
PATH_TEST(test_caught_ipv6_and_empty, set_up(PATH_CORRUPT_CAUGHT, 1))
{
  uint8_t before[60 + PAYLOAD], after[60 + PAYLOAD];
  for (int i = 0; i < 1000; i++) {
    g_assert_cmpuint(send(f, ipv6_packet(i % 2 == 0 ? PAYLOAD : 0), before, after), ==, 1);
    g_assert_cmpmem(before, 40, after, 40);
    g_assert_false(datagram_checksum_is_right(test_output_at(f->output, 0)->packet));
    test_output_clear(f->output);
  }
}

/* One bit of the payload; the checksum on the wire is right again: it and the one bit are all that
 * differs. */
PATH_TEST(test_uncaught, set_up(PATH_CORRUPT_UNCAUGHT, 1))
{
  uint8_t before[IPV4_OCTETS], after[IPV4_OCTETS];
  for (int i = 0; i < 1000; i++) {
    datagram *packet = test_packet(i, PAYLOAD, TCP_ACK);
    if (i % 2 == 0) {
      datagram_carry_checksum(packet); /* as after an element that damages others */
    }
    send(f, packet, before, after);
    const datagram *result = test_output_at(f->output, 0)->packet;
    g_assert_true(datagram_checksum_is_right(result));
    g_assert_cmpmem(before, 36, after, 36);
    g_assert_cmpuint(count_bits(before + 40, after + 40, PAYLOAD), ==, 1);
    test_output_clear(f->output);
  }
}

/* Without payload there is nothing that it could damage. */
PATH_TEST(test_uncaught_needs_payload, set_up(PATH_CORRUPT_UNCAUGHT, 1))
{
  uint8_t before[IPV4_OCTETS], after[IPV4_OCTETS];
  g_assert_cmpuint(send(f, test_packet(0, 0, TCP_SYN), before, after), ==, 0);
  g_assert_cmpuint(f->element->counts.damaged, ==, 0);
}

static const path_corrupt_mode modes[] = {PATH_CORRUPT_CAUGHT, PATH_CORRUPT_UNCAUGHT};

/* Damage that a checksum can find is not covered up by damage that comes later: of two bits in the same place
 * of 16 the checksum would miss each second pair, 31 of 1000 packets. */
ROW_TEST(test_caught_stays_caught, modes)
{
  g_autoptr(path_fixture) f = set_up(*c, 1);

  for (int i = 0; i < 1000; i++) {
    datagram *packet = test_packet(i, PAYLOAD, TCP_ACK);
    datagram_carry_checksum(packet);
    packet->header[25] ^= 4;
    path_element_receive(f->element, packet, 0);
    g_assert_false(datagram_checksum_is_right(test_output_at(f->output, 0)->packet));
    test_output_clear(f->output);
  }
  g_assert_cmpuint(f->element->counts.damaged, ==, 0);
}

/* A fragment is damaged where a checksum can find it when the datagram is whole again, and not otherwise. */
ROW_TEST(test_fragments, modes)
{
  g_autoptr(path_fixture) f = set_up(*c, 1);
  g_autoptr(datagram) packet = test_packet(0, PAYLOAD, TCP_ACK);
  datagram_allow_fragments(packet, 7);
  g_auto(buffer_chain) whole = {0};
  for (uint32_t from = 0; from < 20 + PAYLOAD; from += 80) {
    path_element_receive(f->element, datagram_new_fragment(packet, from, MIN(80, 20 + PAYLOAD - from)), 0);
  }
  for (guint i = 0; i < f->output->len; i++) {
    const buffer_chain *part = &test_output_at(f->output, i)->packet->payload;
    buffer_chain_append_chain(&whole, part, 0, part->length);
  }
  g_assert_cmpuint(f->element->counts.damaged, ==, *c == PATH_CORRUPT_CAUGHT ? 2 : 0);
  g_autoptr(datagram) result = datagram_new_reassembled(test_output_at(f->output, 0)->packet, &whole);
  /* NULL: the damaged bit was one that makes a TCP header */
  g_assert_true((result && datagram_checksum_is_right(result)) == (*c == PATH_CORRUPT_UNCAUGHT));
}

/* Who else refers to the packet, or to its octets (the sender, for a retransmission), sees no damage. */
ROW_TEST(test_shared_octets, modes)
{
  g_autoptr(path_fixture) f = set_up(*c, 1);
  g_autoptr(datagram) packet = test_packet(0, PAYLOAD, TCP_ACK);
  datagram *copy = datagram_copy(packet);
  uint8_t before[IPV4_OCTETS], later[IPV4_OCTETS];
  datagram_write(packet, before, true);
  path_element_receive(f->element, datagram_ref(packet), 0);
  path_element_receive(f->element, copy, 0);
  datagram_write(packet, later, true);
  g_assert_cmpmem(before, IPV4_OCTETS, later, IPV4_OCTETS);
  g_assert_cmpuint(packet->references, ==, 1);
}

/* 2 % of 20,000: 400, sigma 19.8. What is not chosen is not touched. */
PATH_TEST(test_probability, set_up(PATH_CORRUPT_CAUGHT, 0.02))
{
  guint wrong = 0;
  for (int i = 0; i < 20000; i++) {
    path_element_receive(f->element, test_packet(i, 20, TCP_ACK), i);
    wrong += !datagram_checksum_is_right(test_output_at(f->output, 0)->packet);
    test_output_clear(f->output);
  }
  g_assert_cmpuint(wrong, ==, f->element->counts.damaged);
  g_assert_cmpfloat_with_epsilon(wrong, 400, 5 * 19.8);
}

/* The elements after it see ports, flags, lengths and offsets that were never sent: all of them forward the
 * packet. */
PATH_TEST(test_elements_after_it_are_safe, set_up(PATH_CORRUPT_CAUGHT, 1))
{
  g_autoptr(random_stream) random = random_stream_new(1, "others.forward");
  path_element *after[] = {
      path_rfc4737_entrance_new(),
      path_loss_new(&(path_loss_config){.every = 1000}, random),
      path_ecn_mark_new(&(path_ecn_mark_config){.probability = 0.5}, random),
      path_late_new(&(path_late_config){.probability = 0.1, .by = {true, 3}, .wait_ps = 1000}, random),
      path_jitter_new(&(path_jitter_config){.delay_ps = 5, .jitter_ps = 5, .reorders = true}, random, NULL),
      path_rfc4737_exit_new(),
  };
  path_element_set_output(f->element, path_element_input, after[0]);
  for (gsize i = 0; i + 1 < G_N_ELEMENTS(after); i++) {
    path_element_set_output(after[i], path_element_input, after[i + 1]);
  }
  path_element_set_output(after[G_N_ELEMENTS(after) - 1], test_output, f->output);
  for (int i = 0; i < 5000; i++) {
    path_element_receive(f->element, test_packet(i, i % 3, i % 100 == 0 ? TCP_SYN : TCP_ACK), i);
    test_run_until(after[4], i);
  }
  test_run_until(after[3], 10000);
  test_run_until(after[4], 20000);
  /* every 1000th of the 3333 with payload is lost */
  g_assert_cmpuint(f->output->len, ==, 5000 - 3);
  for (gsize i = 0; i < G_N_ELEMENTS(after); i++) {
    path_element_free(after[i]);
  }
}
