/* SPDX-License-Identifier: GPL-2.0-only */
#include "path_box_kit.h"

#include "base/big_endian.h"
#include "net/datagram.h"

box_kit box_kit_new(path_element *box)
{
  box_kit kit = {.box = box, .output = test_output_new()};

  path_element_set_output(kit.box, test_output, kit.output);
  return kit;
}

box_kit box_kit_connected(path_element *box)
{
  box_kit kit = box_kit_new(box);

  path_element_receive(kit.box, test_packet(-1, 0, TCP_SYN), 0);
  box_kit_assert_output(&kit, "[-1,-1)S");
  return kit;
}

void box_kit_free(box_kit *kit)
{
  test_output_free(kit->output);
  path_element_free(kit->box);
}

static void append_flags(GString *text, uint8_t flags)
{
  static const struct {
    uint8_t flag;
    char letter;
  } letters[] = {{TCP_FIN, 'F'}, {TCP_SYN, 'S'}, {TCP_RST, 'R'}, {TCP_PSH, 'P'},
                 {TCP_ACK, '.'}, {TCP_ECE, 'E'}, {TCP_CWR, 'C'}};

  for (guint i = 0; i < G_N_ELEMENTS(letters); i++) {
    if (flags & letters[i].flag) {
      g_string_append_c(text, letters[i].letter);
    }
  }
}

void box_kit_assert_output(box_kit *kit, const char *expected)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < kit->output->len; i++) {
    const datagram *packet = box_kit_packet(kit, i);
    tcp_header header = box_kit_header(kit, i);
    int64_t from = tcp_position_of(header.sequence, TEST_ISN, 0);
    g_assert_cmpuint(big_endian_read_16(packet->header + IPV4_LENGTH_AT), ==, datagram_octets(packet));
    for (uint32_t at = 0; at < packet->payload.length; at++) {
      g_assert_cmpuint(octet_rope_at(&packet->payload, at), ==, test_octet(from + at));
    }
    g_string_append_printf(text, "%s[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ")", i > 0 ? " " : "", from,
                           from + packet->payload.length);
    append_flags(text, header.flags);
  }
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
  test_output_clear(kit->output);
}

void box_kit_segment(box_kit *kit, int64_t from, int64_t to, uint8_t flags, time_ps now)
{
  path_element_receive(kit->box, test_packet(from, (uint32_t)(to - from), TCP_ACK | flags), now);
}

void box_kit_segment_with(box_kit *kit, tcp_header header, int64_t from, int64_t to, time_ps now)
{
  header.sequence = tcp_sequence_of(from, TEST_ISN);
  path_element_receive(kit->box, test_packet_of(&header, from, (uint32_t)(to - from)), now);
}

void box_kit_expect(box_kit *kit, int64_t from, int64_t to, uint8_t flags, const char *expected)
{
  box_kit_segment(kit, from, to, flags, 0);
  box_kit_assert_output(kit, expected);
}

time_ps box_kit_deadline(const box_kit *kit)
{
  uint64_t order;

  return path_element_deadline(kit->box, &order);
}

tcp_header box_kit_header(const box_kit *kit, guint index)
{
  tcp_header header;

  g_assert_true(datagram_tcp_header(box_kit_packet(kit, index), &header));
  return header;
}

const datagram *box_kit_packet(const box_kit *kit, guint index)
{
  return test_output_at(kit->output, index)->packet;
}

/* `packet`, the test's own, goes through as it is. */
static void assert_passes(box_kit *kit, datagram *packet)
{
  path_element_receive(kit->box, datagram_ref(packet), 0);
  g_assert_cmpuint(kit->output->len, ==, 1);
  g_assert_true(box_kit_packet(kit, 0) == packet);
  test_output_clear(kit->output);
  datagram_unref(packet);
}

void box_kit_check_strangers(path_element *box)
{
  box_kit kit = box_kit_connected(box);
  const ip_address router = ip_address_v4(0x0A0000FE);
  datagram *whole = test_packet(0, 4000, TCP_ACK);

  assert_passes(&kit, datagram_new_fragment(whole, 0, 1000));
  assert_passes(&kit, datagram_new_fragment(whole, 1000, 3020));
  assert_passes(&kit, datagram_new_too_big(&router, whole, 1500));
  datagram_unref(whole);

  datagram *right = test_packet(0, 100, TCP_ACK | TCP_PSH);
  datagram_carry_checksum(right);
  path_element_receive(kit.box, right, 0);
  box_kit_assert_output(&kit, "[0,100)P.");
  g_assert_cmpuint(kit.box->counts.dropped, ==, 0);

  datagram *damaged = test_packet(100, 100, TCP_ACK | TCP_PSH);
  datagram_carry_checksum(damaged);
  datagram_own_payload(damaged)[50] ^= 1;
  damaged->retransmission = true;
  path_element_receive(kit.box, damaged, 0);
  box_kit_assert_output(&kit, "");
  g_assert_cmpuint(kit.box->counts.dropped, ==, 1);
  g_assert_cmpuint(kit.box->counts.retransmissions_dropped, ==, 1);

  datagram *unreadable = test_packet(100, 100, TCP_ACK | TCP_PSH);
  unreadable->header[unreadable->ip_octets + 12] = 0xF0; /* a data offset that the header does not have */
  path_element_receive(kit.box, unreadable, 0);
  box_kit_assert_output(&kit, "");
  g_assert_cmpuint(kit.box->counts.dropped, ==, 2);

  datagram *bare = test_packet(100, 0, TCP_ACK);
  bare->header[bare->ip_octets + 12] = 0xF0;
  path_element_receive(kit.box, bare, 0);
  datagram *changed = test_packet(100, 0, TCP_ACK);
  datagram_carry_checksum(changed);
  changed->header[changed->ip_octets + TCP_ACKNOWLEDGEMENT_AT] ^= 1;
  path_element_receive(kit.box, changed, 0);
  box_kit_assert_output(&kit, "");
  g_assert_cmpuint(kit.box->counts.dropped, ==, 4);
  box_kit_free(&kit);
}
