/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what DDP asks of the LLP (ddp-07/rfc5041 §3, ddp-v1.0 §5), asked of MPA and TCP as an endpoint has
 * put them together. */

#include "../kit/path_mtu.h"
#include "rnic_fixture.h"

/* Items 1, 2, 4, 5 and 7: MULPDU is reported and its change too, what was accepted before keeps its size,
 * boundaries and lengths arrive, and the sender's order is known of what comes early.
 *
 * EMSS 1460, MULPDU 1442; with an MTU of 576 it is 522 (docs/facts.md, "Exact predictions"). Of a Send of
 * 20,000 octets the initial window takes 10 segments at 40 us (SYN, SYN and ACK, Request, Reply: 10 us each);
 * at 45 us TCP has accepted two FPDUs of 1460 octets more: two EMSS are unsent. The first FPDU gets lost: at
 * 50 us nine come early, are Placed, and none is Delivered. */
static void assert_segments(rnic_fixture *f)
{
  run(f, 45 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpuint(rnic_endpoint_counts_of(f->initiator->endpoint).mulpdu_octets, ==, 1442);
  kit_set_send_mtu(f->initiator->endpoint->sender.config.tcp, 576);
  g_assert_cmpuint(rnic_endpoint_counts_of(f->initiator->endpoint).mulpdu_octets, ==, 522);
  run(f, 10 * TIME_PS_PER_MICROSECOND);
  EXPECT_FIELDS(f->responder, (placed, 9), (delivered, 0));
  run(f, TIME_PS_PER_SECOND);

  bool intact;
  g_autoptr(GPtrArray) ulpdus = ulpdus_of(f->initiator, &intact);
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
  EXPECT_FIELDS(f->responder, (placed, ulpdus->len), (delivered, ulpdus->len));
  g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (20000 octets)");
}

/* Items 6 and 8: a segment with one bit wrong under a right TCP header never reaches DDP; the stream, which
 * cannot end without its connection, is marked erroneous, and nothing moves on it any more. A marker,
 * ULPDU_Length 18, a Send of no octets, and a CRC of which no bit is right. */
static void assert_digest_and_end(void)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  static const uint8_t damaged[28] = {0, 0, 0, 0, 0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  post_receive(f->responder, 0, 7);
  start_and_run(f, TIME_PS_PER_SECOND);
  forge(f, 20, damaged, sizeof damaged, TCP_ACK);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->code, ==, "MPA error 2");
  g_assert_cmpuint(f->responder->placed + f->responder->delivered, ==, 0);
  g_assert_true(rnic_endpoint_is_erroneous(f->responder->endpoint));
  g_assert_cmpuint(f->responder->wire->len, ==, 20); /* its Reply, and nothing after it */
}

/* DDP-015: the eleven things that an LLP must do, one by one; item 3 is DDP-019, below. */
RNIC_TEST(test_all_eleven)
{
  uint8_t *buffer = post_receive(f->responder, 20000, 7);
  post_send(f->initiator, 20000);
  f->initiator->lost = 1 << 1; /* packet 0 is the Request */
  start(f);
  assert_segments(f);
  g_assert_true(is_payload(buffer, 20000));
  /* Item 11: what has been passed in order is not passed again. The Request has 20 octets; the first FPDU is
   * a segment of 1460. */
  size_t placed = f->responder->placed;
  forge(f, 20, f->initiator->wire->data + 20, 1460, TCP_ACK);
  run(f, TIME_PS_PER_SECOND);
  EXPECT_FIELDS(f->responder, (placed, placed), (delivered, placed));
  /* Items 9 and 10: the graceful end of the stream is reported, and the connection is torn down when its one
   * stream has ended. */
  rnic_endpoint_close(f->initiator->endpoint);
  run(f, TIME_PS_PER_SECOND);
  EXPECT_FIELDS(f->responder, (finished, 1), (failed, 0));
  for (unsigned side = 0; side < SIDES; side++) {
    g_assert_cmpint(f->sides[side].closed, ==, 1);
    g_assert_false(f->sides[side].rst);
  }
  assert_digest_and_end();
}

enum { SENDS = 40, SEND_OCTETS = 1000 };

/* The path dies `when_ps` after the start, for ever. */
static void assert_carried_or_failed(time_ps when_ps, uint64_t lost)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  uint8_t *buffers[SENDS];
  g_autoptr(GString) expected = g_string_new(NULL);
  guint carried = 0;

  create(f);
  for (unsigned i = 0; i < SENDS; i++) {
    buffers[i] = post_receive(f->responder, SEND_OCTETS, i + 1);
    g_assert_true(post(f->initiator, .id = i + 1, .operation = RDMAP_SEND, .length = SEND_OCTETS));
  }
  f->initiator->lost = lost;
  start_and_run(f, when_ps);
  f->loses = loses_everything; /* what is on its way arrives */
  run(f, 1000 * TIME_PS_PER_SECOND);
  g_auto(GStrv) completions = g_strsplit(f->initiator->completions->str, ", ", -1);
  while (completions[carried] && !strstr(completions[carried], "error")) {
    carried++;
  }
  for (unsigned i = 0; i < SENDS; i++) {
    g_assert_true(i >= carried || is_payload(buffers[i], SEND_OCTETS));
    g_string_append_printf(expected, "%ssend %u%s", i > 0 ? ", " : "", i + 1, i < carried ? "" : " in error");
  }
  g_assert_cmpstr(f->initiator->completions->str, ==, expected->str);
  g_assert_cmpint(f->initiator->failed, ==, carried < SENDS ? 1 : 0);
  g_assert_cmpint(f->responder->failed, ==, 0);
  g_assert_cmpuint(f->responder->delivered, >=, carried);
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
