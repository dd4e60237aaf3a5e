/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the way into a link: what is larger than its MTU. Packets are of path_fixture.h: 40
 * octets of header, IPv4. */
#include <string.h>

#include "network/path_fragmenter.h"
#include "path_fixture.h"
#include "test.h"

typedef struct fixture {
  path_element *box;
  GArray *output;
  GArray *messages;
} fixture;

static fixture *set_up_at(uint32_t mtu_octets, ip_address router)
{
  fixture *f = g_new(fixture, 1);
  *f = (fixture){path_fragmenter_new(mtu_octets, &router), test_output_new(), test_output_new()};
  path_element_set_output(f->box, test_output, f->output);
  path_fragmenter_set_too_big(f->box, test_output, f->messages);
  return f;
}

static fixture *set_up(uint32_t mtu_octets)
{
  return set_up_at(mtu_octets, ip_address_v4(0x0A0000FE));
}

static void tear_down(fixture *f)
{
  path_element_free(f->box);
  test_output_free(f->output);
  test_output_free(f->messages);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

#define FIXTURE_TEST(name, made) TEST_OF(fixture, f, made, name)

static datagram *fragmentable(uint32_t length)
{
  datagram *packet = test_packet(0, length, TCP_ACK);
  datagram_allow_fragments(packet, 77);
  return packet;
}

/* Checks "offset+length" of each fragment that came, with a trailing dot as long as others follow; "whole" of
 * a whole packet. Forgets them. */
static void assert_output(fixture *f, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < f->output->len; i++) {
    const datagram *packet = test_output_at(f->output, i)->packet;
    datagram_fragment of;
    datagram_fragment_of(packet, &of);
    g_string_append(text, i > 0 ? " " : "");
    if (packet->kind == DATAGRAM_FRAGMENT) {
      g_assert_cmpuint(of.identification, ==, 77);
      g_string_append_printf(text, "%u+%u%s", of.offset_octets, of.length_octets, of.more ? "." : "");
    } else {
      g_string_append(text, "whole");
    }
  }
  test_output_clear(f->output);
  g_assert_cmpstr(text->str, ==, expected);
}

/* A packet of the MTU passes as it is, DF or not. */
FIXTURE_TEST(test_what_fits_passes, set_up(576))
{
  datagram *packet = test_packet(0, 536, TCP_ACK);
  path_element_receive(f->box, packet, 5);
  g_assert_true(test_output_at(f->output, 0)->packet == packet);
  g_assert_cmpint(test_output_at(f->output, 0)->at, ==, 5);
  path_element_receive(f->box, fragmentable(536), 6);
  assert_output(f, "whole whole");
  g_assert_cmpuint(f->box->counts.fragments, ==, 0);
  g_assert_cmpuint(f->messages->len, ==, 0);
}

/* RFC 791 §3.2: 1460 + 20 = 1480 octets of IP payload; with an MTU of 576 a fragment has (576 - 20) / 8 * 8 =
 * 552 of them: 552, 552, 376. The next router has an MTU of 300, (300 - 20) / 8 * 8 = 280: 280 + 272 of the
 * first two, 280 + 96 of the last. A packet one octet too large becomes two. */
FIXTURE_TEST(test_fragments, set_up(576))
{
  g_autoptr(fixture) next = set_up(300);
  path_element_set_output(f->box, path_element_input, next->box);
  path_element_receive(f->box, fragmentable(1460), 0);
  assert_output(next, "0+280. 280+272. 552+280. 832+272. 1104+280. 1384+96");
  path_element_set_output(f->box, test_output, f->output);
  path_element_receive(f->box, fragmentable(1460), 0);
  assert_output(f, "0+552. 552+552. 1104+376");
  path_element_receive(f->box, fragmentable(537), 0);
  assert_output(f, "0+552. 552+5");
  EXPECT_FIELDS(&f->box->counts, (fragments, 3 + 3 + 2), (lost_by[LOSSES_MIDDLEBOX], 0));
  g_assert_cmpuint(next->box->counts.fragments, ==, 6);
  g_assert_cmpuint(f->messages->len, ==, 0);
}

/* The fragments have the packet's octets, its ECN field, and the simulation's mark. */
FIXTURE_TEST(test_fragments_have_the_octets, set_up(68))
{
  datagram *packet = fragmentable(1000);
  datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  packet->retransmission = true;
  path_element_receive(f->box, packet, 0);
  g_auto(buffer_chain) whole = {0};
  g_assert_cmpuint(f->output->len, ==, 22); /* 1020 / 48 */
  for (guint i = 0; i < f->output->len; i++) {
    const datagram *fragment = test_output_at(f->output, i)->packet;
    g_assert_cmpint(datagram_ecn_of(fragment), ==, DATAGRAM_ECN_CONGESTED);
    g_assert_true(fragment->retransmission);
    buffer_chain_append_chain(&whole, &fragment->payload, 0, fragment->payload.length);
  }
  g_assert_cmpuint(whole.length, ==, 1020);
  for (uint32_t i = 0; i < 1000; i++) {
    g_assert_cmphex(buffer_chain_at(&whole, 20 + i), ==, test_octet(i));
  }
}

/* RFC 1191 §4: dropped, and its source learns the MTU. */
FIXTURE_TEST(test_too_big, set_up(576))
{
  uint32_t mtu, sequence;
  datagram_flow flow;
  datagram *packet = test_packet(1000, 537, TCP_ACK);
  packet->retransmission = true;
  packet->connection = 7; /* of a trace: the message is of the same one */
  path_element_receive(f->box, packet, 9 * TIME_PS_PER_SECOND);
  assert_output(f, "");
  g_assert_cmpuint(f->messages->len, ==, 1);
  const datagram *message = test_output_at(f->messages, 0)->packet;
  g_assert_cmpint(test_output_at(f->messages, 0)->at, ==, 9 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(message->connection, ==, 7);
  datagram_too_big_of(message, &mtu, &sequence);
  g_assert_cmpuint(mtu, ==, 576);
  g_assert_cmpuint(sequence, ==, tcp_sequence_of(1000, TEST_ISN));
  g_assert_true(datagram_flow_of(message, &flow));
  g_assert_cmpuint(flow.source_port, ==, 1000);
  const ip_address router = ip_address_v4(0x0A0000FE);
  const ip_address from = ip_header_source(message->header);
  g_assert_true(ip_address_equal(&from, &router));
  EXPECT_FIELDS(&f->box->counts, (too_big, 1), (lost_by[LOSSES_MIDDLEBOX], 1), (retransmissions_dropped, 1));
}

/* RFC 2923 §2.1: no message is sent. */
FIXTURE_TEST(test_black_hole, set_up(576))
{
  path_fragmenter_set_too_big(f->box, NULL, NULL);
  path_element_receive(f->box, test_packet(0, 537, TCP_ACK), 0);
  assert_output(f, "");
  g_assert_cmpuint(f->messages->len, ==, 0);
  g_assert_cmpuint(f->box->counts.too_big, ==, 1);
}

/* The MTU counts for what comes after it has changed. */
FIXTURE_TEST(test_mtu_changes, set_up(1500))
{
  path_element_receive(f->box, test_packet(0, 1460, TCP_ACK), 0);
  path_fragmenter_set_mtu(f->box, 1499);
  path_element_receive(f->box, test_packet(0, 1460, TCP_ACK), 0);
  path_fragmenter_set_mtu(f->box, 1500);
  path_element_receive(f->box, test_packet(0, 1460, TCP_ACK), 0);
  assert_output(f, "whole whole");
  g_assert_cmpuint(f->messages->len, ==, 1);
}

/* RFC 8200 §4.5: in IPv6 only the source fragments; RFC 4443 §3.2: the message is a must. */
TEST(test_ipv6_is_not_fragmented)
{
  const ip_address host = ip_address_v6(UINT64_C(0x20010DB800000000), 1);
  const tcp_header header = test_header(1000, 0, TCP_ACK);
  g_autoptr(fixture) f = set_up_at(1280, ip_address_v6(UINT64_C(0x20010DB800000000), 9));
  static const uint8_t octets[1221];
  uint32_t mtu, sequence;
  for (uint32_t length = 1220; length <= 1221; length++) { /* 40 + 20 + 1220 = 1280 */
    datagram *packet = packet_between(host, host, &header, octets, length);
    datagram_allow_fragments(packet, 77);
    path_element_receive(f->box, packet, 0);
  }
  assert_output(f, "whole");
  g_assert_cmpuint(f->messages->len, ==, 1);
  datagram_too_big_of(test_output_at(f->messages, 0)->packet, &mtu, &sequence);
  g_assert_cmpuint(mtu, ==, 1280);
}

static datagram *read_packet(const uint8_t *octets, size_t length)
{
  g_autoptr(octet_buffer) buffer = octet_buffer_new(length);
  memcpy(octet_buffer_octets(buffer), octets, length);
  return datagram_read(buffer, octet_buffer_octets(buffer), length);
}

/* A fragment that ends beyond the longest datagram goes no further; one of an odd length that others follow
 * is cut as any. Neither that nor a fragment with DF breaks the router. */
FIXTURE_TEST(test_hostile_fragments, set_up(68))
{
  uint8_t wire[120] = {0x45, 0, 0, 120, 0, 77, 0x3F, 0xFF, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  path_element_receive(f->box, read_packet(wire, sizeof wire), 0); /* MF, offset 65528, 100 octets */
  assert_output(f, "");
  g_assert_cmpuint(f->box->counts.lost_by[LOSSES_MIDDLEBOX], ==, 1);
  wire[6] = 0x20;
  wire[7] = 1;
  path_element_receive(f->box, read_packet(wire, sizeof wire), 0); /* MF, offset 8, 100 octets: 48 + 48 + 4 */
  assert_output(f, "8+48. 56+48. 104+4.");
  wire[6] = 0x60;
  path_element_receive(f->box, read_packet(wire, sizeof wire),
                       0); /* DF: no message, as it is not the first */
  assert_output(f, "");
  g_assert_cmpuint(f->messages->len, ==, 0);
  g_assert_cmpuint(f->box->counts.too_big, ==, 1);
}
