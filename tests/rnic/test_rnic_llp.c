/* SPDX-License-Identifier: GPL-2.0-only */
/* What DDP asks of the LLP (ddp-07/rfc5041 §3, ddp-v1.0 §5), asked of MPA and TCP as an endpoint has put them
 * together. */
#include <string.h>

#include "../kit/path_mtu.h"
#include "rnic_fixture.h"
#include "test.h"

static rdmap_work send_of(uint64_t id, uint32_t octets)
{
  return (rdmap_work){.id = id, .operation = RDMAP_OPERATION_SEND, .length = octets};
}

static bool loses_everything(rnic_fixture *f, unsigned from, const datagram *packet)
{
  (void)f;
  (void)from;
  (void)packet;

  return true;
}

/* Items 1, 2, 4, 5 and 7: MULPDU is told and its change too, what was accepted before keeps its size,
 * boundaries and lengths arrive, and the sender's order is known of what comes early.
 *
 * EMSS 1460, MULPDU 1442; with an MTU of 576 it is 522 (docs/facts.md, "Exact predictions"). Of a Send of
 * 20,000 octets the initial window takes 10 segments at 40 us (SYN, SYN and ACK, Request, Reply: 10 us each);
 * at 45 us TCP has accepted two FPDUs of 1460 octets more: two EMSS are unsent. The first FPDU gets lost: at
 * 50 us nine come early, are Placed, and none is Delivered. */
static void assert_segments(rnic_fixture *f)
{
  fixture_side *initiator = &f->sides[SIDE_INITIATOR];
  fixture_side *responder = &f->sides[SIDE_RESPONDER];

  rnic_fixture_run(f, 45 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpuint(rnic_endpoint_mulpdu_octets(initiator->endpoint), ==, 1442);
  kit_set_send_mtu(initiator->endpoint->tcp, 576);
  g_assert_cmpuint(rnic_endpoint_mulpdu_octets(initiator->endpoint), ==, 522);
  rnic_fixture_run(f, 10 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpuint(responder->placed, ==, 9);
  g_assert_cmpuint(responder->delivered, ==, 0);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);

  bool intact;
  g_autoptr(GPtrArray) ulpdus = rnic_fixture_ulpdus(f, SIDE_INITIATOR, &intact);
  uint32_t payload = 0;
  guint old = 0;
  for (guint i = 0; i < ulpdus->len; i++) {
    const GByteArray *ulpdu = g_ptr_array_index(ulpdus, i);
    old += ulpdu->len == 1442;
    g_assert_true(ulpdu->len == 1442 ? old == i + 1 : ulpdu->len <= 522);
    payload += ulpdu->len - 18;
  }
  g_assert_true(intact);
  g_assert_cmpuint(old, ==, 10 + 2);
  g_assert_cmpuint(payload, ==, 20000);
  g_assert_cmpuint(responder->placed, ==, ulpdus->len);
  g_assert_cmpuint(responder->delivered, ==, ulpdus->len);
  g_assert_cmpstr(responder->completions->str, ==, "received 7 (20000 octets)");
}

/* Item 11: what has been passed in order is not passed again. The Request has 20 octets; the first FPDU is a
 * segment of 1460. */
static void assert_no_duplicates(rnic_fixture *f)
{
  const fixture_side *responder = &f->sides[SIDE_RESPONDER];
  size_t placed = responder->placed;

  rnic_fixture_forge(f, 20, f->sides[SIDE_INITIATOR].wire->data + 20, 1460, TCP_ACK);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder->placed, ==, placed);
  g_assert_cmpuint(responder->delivered, ==, placed);
}

/* Items 9 and 10: the graceful end of the stream is told, and the connection is torn down when its one stream
 * has ended. */
static void assert_graceful_end(rnic_fixture *f)
{
  rnic_endpoint_close(f->sides[SIDE_INITIATOR].endpoint);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpint(f->sides[SIDE_RESPONDER].finished, ==, 1);
  g_assert_cmpint(f->sides[SIDE_RESPONDER].failed, ==, 0);
  for (unsigned side = 0; side < SIDES; side++) {
    g_assert_cmpint(f->sides[side].closed, ==, 1);
    g_assert_false(f->sides[side].rst);
  }
}

/* Items 6 and 8: a segment with one bit wrong under a right TCP header never reaches DDP; the stream, which
 * cannot end without its connection, is marked erroneous, and nothing moves on it any more. A marker,
 * ULPDU_Length 18, a Send of no octets, and a CRC of which no bit is right. */
static void assert_digest_and_end(void)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  const fixture_side *responder = &f->sides[SIDE_RESPONDER];
  static const uint8_t damaged[28] = {0, 0, 0, 0, 0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  rnic_fixture_create(f);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 0, 7);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  rnic_fixture_forge(f, 20, damaged, sizeof damaged, TCP_ACK);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(responder->code, ==, "MPA error 2");
  g_assert_cmpuint(responder->placed + responder->delivered, ==, 0);
  g_assert_true(rnic_endpoint_is_erroneous(responder->endpoint));
  g_assert_cmpuint(responder->wire->len, ==, 20); /* its Reply, and nothing behind it */
}

/* DDP-015: the eleven things that an LLP must do, one by one; item 3 is DDP-019, below. */
RNIC_TEST(test_all_eleven)
{
  rnic_fixture_create(f);
  uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 20000, 7);
  rnic_fixture_post_work(f, SIDE_INITIATOR, send_of(1, 20000));
  initiator->lost = 1 << 1; /* packet 0 is the Request */
  rnic_fixture_start(f);
  assert_segments(f);
  g_assert_true(rnic_fixture_is_payload(buffer, 20000));
  assert_no_duplicates(f);
  assert_graceful_end(f);
  assert_digest_and_end();
}

enum { SENDS = 40, SEND_OCTETS = 1000 };

/* The path dies `when_ps` after the start, for ever. */
static void assert_carried_or_failed(time_ps when_ps, uint64_t lost)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  const fixture_side *initiator = &f->sides[SIDE_INITIATOR];
  const fixture_side *responder = &f->sides[SIDE_RESPONDER];
  uint8_t *buffers[SENDS];
  g_autoptr(GString) expected = g_string_new(NULL);
  guint carried = 0;

  rnic_fixture_create(f);
  for (unsigned i = 0; i < SENDS; i++) {
    buffers[i] = rnic_fixture_post_receive(f, SIDE_RESPONDER, SEND_OCTETS, i + 1);
    g_assert_true(rnic_fixture_post_work(f, SIDE_INITIATOR, send_of(i + 1, SEND_OCTETS)));
  }
  f->sides[SIDE_INITIATOR].lost = lost;
  rnic_fixture_start_and_run(f, when_ps);
  f->loses = loses_everything; /* what is on its way arrives */
  rnic_fixture_run(f, 1000 * TIME_PS_PER_SECOND);
  char **told = g_strsplit(initiator->completions->str, ", ", -1);
  while (told[carried] && !strstr(told[carried], "error")) {
    carried++;
  }
  g_strfreev(told);
  for (unsigned i = 0; i < SENDS; i++) {
    g_assert_true(i >= carried || rnic_fixture_is_payload(buffers[i], SEND_OCTETS));
    g_string_append_printf(expected, "%ssend %u%s", i > 0 ? ", " : "", i + 1, i < carried ? "" : " in error");
  }
  g_assert_cmpstr(initiator->completions->str, ==, expected->str);
  g_assert_cmpint(initiator->failed, ==, carried < SENDS ? 1 : 0);
  g_assert_cmpint(responder->failed, ==, 0);
  g_assert_cmpuint(responder->delivered, >=, carried);
}

/* DDP-019: what TCP and MPA have accepted comes to the peer, or back as failed: of forty Sends, with losses
 * on the way and a path that dies at some time, each completes once; those that completed well are in the
 * peer's buffers, all others complete in error. */
TEST(test_carried_or_failed)
{
  static const time_ps when_us[] = {45, 65, 90, 120, 400000, 5000000};

  for (size_t i = 0; i < G_N_ELEMENTS(when_us); i++) {
    assert_carried_or_failed(when_us[i] * TIME_PS_PER_MICROSECOND, 0);
    assert_carried_or_failed(when_us[i] * TIME_PS_PER_MICROSECOND, 1 << 3 | 1 << 7);
  }
}
