/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA over a way that fragments: rnic_fixture's wire, on which what the Initiator sends comes in fragments
 * to the Responder's IP, which wants none. What it puts together is in test_fragments, end to end. */
#include "net/ip_reassembly.h"
#include "rnic_fixture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ip_reassembly, ip_reassembly_free)

enum { SEND_OCTETS = 20000 };

/* rnic_fixture.loses: the Responder's IP drops fragments, and answers; a box on the way has cleared DF, and a
 * router after it has a link of 576 octets: fragments of 552. */
static bool drops_fragments(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->initiator || datagram_octets(packet) <= 576) {
    return false;
  }
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = 0;
  g_autoptr(ip_reassembly) reassembly = ip_reassembly_new(&config);
  datagram *cut = datagram_copy(packet);
  datagram_allow_fragments(cut, 1);
  uint32_t octets = datagram_octets(cut) - cut->ip_octets;
  for (uint32_t at = 0; at < octets; at += 552) {
    datagram *piece = datagram_new_fragment(cut, at, MIN(552, octets - at));
    g_assert_null(ip_reassembly_receive(reassembly, piece, from->fixture->now));
  }
  datagram_unref(cut);
  g_autoptr(datagram) answer = ip_reassembly_take_answer(reassembly);
  g_assert_nonnull(answer);
  rnic_endpoint_receive(from->endpoint, answer, from->fixture->now);
  return true;
}

/* MPA-339: a receiver that drops every fragment, and reports that by ICMP, has the sender's EMSS shrink to
 * what passes whole: 20 + 552 octets, less 40 of headers. The transfer goes on. */
RNIC_TEST(test_dropped_fragments_shrink_the_emss)
{
  f->loses = drops_fragments;
  uint8_t *buffer = post_receive(f->responder, SEND_OCTETS, 7);
  post(f->initiator, .operation = RDMAP_SEND, .length = SEND_OCTETS, .id = 2);
  start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_true(is_payload(buffer, SEND_OCTETS));
  g_assert_cmpuint(rnic_endpoint_counts_of(f->initiator->endpoint).tcp->emss_octets, ==, 532);
}
