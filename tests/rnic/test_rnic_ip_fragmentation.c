/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA over a way that fragments: rnic_fixture's wire, on which what the Initiator sends comes in fragments
 * through the Responder's IP reassembly. */

#include "base/big_endian.h"
#include "base/random_stream.h"
#include "net/ip_reassembly.h"
#include "rnic_fixture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ip_reassembly, ip_reassembly_free)

enum { WRITE_OCTETS = 30000, SEND_OCTETS = 20000, PIECE_OCTETS = 256, EVERY = 7 };

/* With room for `datagrams` that have fragments missing. */
static ip_reassembly *with(uint32_t datagrams)
{
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = datagrams;
  return ip_reassembly_new(&config);
}

/* Hands over the packet in fragments of PIECE_OCTETS in random order, all but `missing` of them (none:
 * UINT32_MAX). */
static void give_in_fragments(rnic_fixture *f, const datagram *packet, uint32_t missing)
{
  uint64_t number = f->initiator->packets;
  g_autoptr(random_stream) random = random_stream_new(number, "ip_fragmentation");
  g_autoptr(ip_reassembly) reassembly = with(UINT32_MAX);
  g_autoptr(datagram) cut = datagram_copy(packet);
  g_autoptr(GPtrArray) pieces = g_ptr_array_new();

  datagram_allow_fragments(cut, (uint16_t)number);
  uint32_t octets = datagram_octets(cut) - cut->ip_octets;
  for (uint32_t at = 0; at < octets; at += PIECE_OCTETS) {
    g_ptr_array_insert(pieces, (gint)random_stream_below(random, pieces->len + 1),
                       datagram_new_fragment(cut, at, MIN(PIECE_OCTETS, octets - at)));
  }
  datagram *whole = NULL;
  for (guint i = 0; i < pieces->len; i++) {
    if (i == missing) {
      datagram_unref(g_ptr_array_index(pieces, i));
      continue;
    }
    g_assert_null(whole);
    whole = ip_reassembly_receive(reassembly, g_ptr_array_index(pieces, i), f->now);
  }
  g_assert_true((whole != NULL) == (missing >= pieces->len));
  if (whole) {
    rnic_endpoint_receive(f->responder->endpoint, whole, f->now);
    datagram_unref(whole);
  }
}

/* rnic_fixture.loses: every packet with more octets than a fragment goes this way instead; of every seventh a
 * fragment is lost. */
static bool fragments(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->initiator || packet->payload.length <= PIECE_OCTETS) {
    return false;
  }
  give_in_fragments(from->fixture, packet, from->packets % EVERY == 0 ? 0 : UINT32_MAX);
  return true;
}

/* rnic_fixture.loses: the same packets, whole; every seventh is lost. */
static bool loses_every_seventh(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->initiator || packet->payload.length <= PIECE_OCTETS) {
    return false;
  }
  if (from->packets % EVERY != 0) {
    g_autoptr(datagram) whole = datagram_copy(packet);
    rnic_endpoint_receive(from->fixture->responder->endpoint, whole, from->fixture->now);
  }
  return true;
}

/* A Write and two Sends; returns what the ULPs received. */
static char *transfer(bool (*loses)(fixture_side *from, const datagram *packet))
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  uint32_t stag;

  f->loses = loses;
  uint8_t *sink = register_memory(f->responder, 0, WRITE_OCTETS, &stag);
  uint8_t *first = post_receive(f->responder, SEND_OCTETS, 7);
  uint8_t *second = post_receive(f->responder, SEND_OCTETS, 8);
  post(f->initiator, .operation = RDMAP_OPERATION_WRITE, .length = WRITE_OCTETS, .remote_stag = stag,
       .id = 1);
  post(f->initiator, .operation = RDMAP_OPERATION_SEND, .length = SEND_OCTETS, .id = 2);
  post(f->initiator, .operation = RDMAP_OPERATION_SEND, .length = SEND_OCTETS, .id = 3);
  start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_true(is_payload(sink, WRITE_OCTETS));
  g_assert_true(is_payload(first, SEND_OCTETS));
  g_assert_true(is_payload(second, SEND_OCTETS));
  GString *received = g_string_new(NULL);
  for (unsigned side = 0; side < SIDES; side++) {
    g_assert_cmpint(f->sides[side].failed, ==, 0);
    g_string_append_printf(received, "%s; %zu placed, %zu delivered\n", f->sides[side].completions->str,
                           f->sides[side].placed, f->sides[side].delivered);
  }
  return g_string_free(received, FALSE);
}

/* MPA-337: what the consumers of MPA receive, in content and order, is the same whether the datagrams come
 * in fragments, in any order and some with one lost, or whole, with those lost that lacked a fragment. */
TEST(test_consumers_see_nothing_of_it)
{
  g_autofree char *whole = transfer(loses_every_seventh);
  g_autofree char *in_fragments = transfer(fragments);
  g_assert_nonnull(strstr(whole, "received 8 (20000 octets)"));
  g_assert_cmpstr(in_fragments, ==, whole);
}

/* rnic_fixture.loses: the Responder's IP drops fragments, and answers; a box on the way has cleared DF, and a
 * router after it has a link of 576 octets: fragments of 552. */
static bool drops_fragments(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->initiator || datagram_octets(packet) <= 576) {
    return false;
  }
  g_autoptr(ip_reassembly) reassembly = with(0);
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
  post(f->initiator, .operation = RDMAP_OPERATION_SEND, .length = SEND_OCTETS, .id = 2);
  start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_true(is_payload(buffer, SEND_OCTETS));
  g_assert_cmpuint(rnic_endpoint_emss_octets(f->initiator->endpoint), ==, 532);
}

static int last_identification;
static guint identified;

/* rnic_fixture.loses: nothing; watches the identification of what the Initiator sends (octets 4 and 5 of the
 * header). */
static bool watches_identification(fixture_side *from, const datagram *packet)
{
  if (from == from->fixture->initiator) {
    int identification = big_endian_read_16(packet->header + 4);
    g_assert_true(datagram_may_be_fragmented(packet));
    g_assert_true(identified == 0 || identification == last_identification + 1);
    last_identification = identification;
    identified++;
  }
  return false;
}

/* RFC 6864 §4.2: what may be fragmented has an identification of its own: the host counts. */
RNIC_TEST(test_identification)
{
  identified = 0;
  f->loses = watches_identification;
  f->initiator->config.tcp.path_mtu_discovery = false;
  post_receive(f->responder, SEND_OCTETS, 7);
  post(f->initiator, .operation = RDMAP_OPERATION_SEND, .length = SEND_OCTETS, .id = 2);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(identified, >, SEND_OCTETS / 1460);
}
