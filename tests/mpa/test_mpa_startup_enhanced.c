/* SPDX-License-Identifier: GPL-2.0-only */
/* Startup in generation rfc6581: enhanced frames and plain ones, at ends that have both or plain ones only
 * (RFC 6581 §6, §9, §10). */
#include <string.h>

#include "mpa_startup_fixture.h"
#include "stack_cleanup.h"
#include "test.h"

enum { S = 0x10 };

/* IRD 16, ORD 8; peer to peer by Write or Read. */
static mpa_startup_config enhanced_config(enum side role)
{
  mpa_startup_config config = startup_config(IWARP_RFC6581, role);

  config.enhanced = (mpa_enhanced_config){.enabled = true,
                                          .peer_to_peer = true,
                                          .rtr = {MPA_RTR_WRITE, MPA_RTR_READ},
                                          .rtr_count = 2,
                                          .ird = 16,
                                          .ord = 8};
  return config;
}

/* `octets` become the beginning of the frame's Private Data. */
static void set_enhanced(hand_frame *frame, const char *octets)
{
  memcpy(frame->octets + 20, octets, 4);
}

/* R6581-006, R6581-007, R6581-008, R6581-011, R6581-014, R6581-015, R6581-029, R6581-031, R6581-066,
 * R6581-070 (RFC 6581 §6, §9): octet for octet. Request: M, C, S; Rev 2; PD_Length 4 + 2; A and IRD 16, C, D
 * and ORD 8; then the ULP's. Reply: the same with ORD 8, which the Initiator's IRD of 16 allows. The ULPs get
 * what the other one gave, without the four octets. */
TEST(test_enhanced_frames)
{
  static const char request[] = REQUEST_KEY "\xD0\x02\x00\x06\x80\x10\xC0\x08hi";
  static const char reply[] = REPLY_KEY "\xD0\x02\x00\x07\x80\x10\xC0\x08yes";
  const mpa_startup_config at_initiator = enhanced_config(SIDE_INITIATOR);
  const mpa_startup_config at_responder = enhanced_config(SIDE_RESPONDER);
  g_autoptr(mpa_startup) initiator = mpa_startup_new(&at_initiator);
  g_autoptr(mpa_startup) responder = mpa_startup_new(&at_responder);

  mpa_startup_begin(initiator, (const uint8_t *)"hi", 2, 0);
  mpa_startup_begin(responder, (const uint8_t *)"yes", 3, 0);
  startup_expect_frame(initiator, request, 26);
  g_assert_cmpuint(startup_receive(responder, (const uint8_t *)request, 26), ==, 26);
  startup_expect(responder, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  startup_expect_private_data(responder, (const uint8_t *)"hi", 2);
  startup_expect_frame(responder, reply, 27);
  g_assert_cmpuint(startup_receive(initiator, (const uint8_t *)reply, 27), ==, 27);
  startup_expect(initiator, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  startup_expect_private_data(initiator, (const uint8_t *)"yes", 3);
  EXPECT_FIELDS(&initiator->agreement, (is_enhanced, true), (peer_to_peer, true),
                (rtrs, 1U << MPA_RTR_WRITE | 1U << MPA_RTR_READ), (rtr, MPA_RTR_WRITE), (ird, 16), (ord, 8),
                (peer_ird, 16), (peer_ord, 8), (error, MPA_ERROR_NONE));
  EXPECT_FIELDS(&responder->agreement, (is_enhanced, true), (ird, 16), (ord, 8), (peer_ird, 16),
                (peer_ord, 8));
}

/* Ends with their generation, and which revisions they have. */
static const struct {
  iwarp_generation generation;
  bool has_enhanced;
  unsigned first_revision, last_revision; /* that a Responder takes; the last one is its own as Initiator */
} meeting_ends[] = {{IWARP_IETF, false, 0, 0},
                    {IWARP_RFC, false, 1, 1},
                    {IWARP_RFC6581, false, 1, 1},
                    {IWARP_RFC6581, true, 1, 2}};

/* What the end number `i` of meeting_ends is, as Initiator or Responder. */
static mpa_startup *meeting_end_new(gsize i, enum side role)
{
  mpa_startup_config config = enhanced_config(role);

  config.generation = meeting_ends[i].generation;
  config.enhanced.enabled = meeting_ends[i].has_enhanced;
  mpa_startup *end = mpa_startup_new(&config);
  mpa_startup_begin(end, NULL, 0, 0);
  return end;
}

/* A frame of RFC 5044 with M and C and without Private Data, or of mpa-01, which has revision 0. */
static void assert_plain(const buffer_chain *frame, const char *key, unsigned revision)
{
  g_autoptr(hand_frame) plain = hand_frame_new(key, M | C, (uint8_t)revision, 0);

  g_assert_cmpuint(frame->length, ==, 20);
  g_assert_true(buffer_chain_equals(frame, 0, 20, plain->octets));
}

/* R6581-010, R6581-012, R6581-013, R6581-066, R6581-067, R6581-068, R6581-069, R6581-070, R6581-071,
 * R6581-072: ends that meet: of ietf, of rfc, of rfc6581 with plain frames, and with enhanced ones. RFC 6581
 * §6, §10: an enhanced Responder answers a plain Request of Rev 1 plain; one without enhanced frames closes
 * at Rev 2.
 */
TEST(test_ends_that_meet)
{
  enum { N = G_N_ELEMENTS(meeting_ends) };

  for (unsigned i = 0; i < N * N; i++) {
    const unsigned here = i % N, there = i / N;
    const unsigned revision = meeting_ends[here].last_revision;
    g_autoptr(mpa_startup) initiator = meeting_end_new(here, SIDE_INITIATOR);
    g_autoptr(mpa_startup) responder = meeting_end_new(there, SIDE_RESPONDER);
    g_auto(buffer_chain) frame;
    bool is_enhanced = revision == 2;

    buffer_chain_init(&frame);
    g_assert_true(mpa_startup_next_frame(initiator, &frame));
    if (!is_enhanced) {
      assert_plain(&frame, REQUEST_KEY, revision);
    }
    mpa_startup_receive(responder, &frame);
    if (revision < meeting_ends[there].first_revision || revision > meeting_ends[there].last_revision) {
      startup_expect_dead(responder, MPA_STARTUP_REASON_REVISION);
      continue;
    }
    buffer_chain_empty(&frame);
    g_assert_true(mpa_startup_next_frame(responder, &frame));
    g_assert_cmpuint(frame.length, ==, is_enhanced ? 24 : 20);
    if (!is_enhanced) {
      assert_plain(&frame, REPLY_KEY, revision);
    }
    mpa_startup_receive(initiator, &frame);
    for (unsigned end = 0; end < 2; end++) {
      const mpa_startup *startup = end ? responder : initiator;
      startup_expect(startup, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
      EXPECT_FIELDS(&startup->agreement, (is_enhanced, is_enhanced), (peer_to_peer, is_enhanced),
                    (error, MPA_ERROR_NONE));
    }
  }
}

/* --- Any octets --- */

typedef struct any_frame {
  enum side role; /* of the end under test */
  bool has_enhanced;
  uint8_t flags;
  uint8_t revision;
  uint32_t length;
} any_frame;

/* What is wrong with it, and at which octet, as the documents have it: Rev is what the end takes (RFC 5044
 * §7.1.1: 1; an enhanced Initiator gets its own 2; an enhanced Responder takes both), Private Data are at
 * most 512 octets, and at least 4 where S counts: in revision 2, at an end that knows it. */
static mpa_startup_reason wrong_of(const any_frame *c, uint32_t *at)
{
  bool takes_1 = !c->has_enhanced || c->role == SIDE_RESPONDER;
  bool is_known = (c->revision == 1 && takes_1) || (c->revision == 2 && c->has_enhanced);

  if (!is_known) {
    *at = 17;
    return MPA_STARTUP_REASON_REVISION;
  }
  *at = (c->length & 0xFF00) > 512 ? 18 : 19; /* one octet may be too much already */
  if (c->length > 512) {
    return MPA_STARTUP_REASON_PRIVATE_DATA;
  }
  return c->revision == 2 && (c->flags & S) && c->length < 4 ? MPA_STARTUP_REASON_ENHANCED
                                                             : MPA_STARTUP_REASON_NONE;
}

static void check_reply(mpa_startup *responder, const any_frame *c, bool is_enhanced)
{
  g_auto(buffer_chain) frame;

  buffer_chain_init(&frame);
  g_assert_true(mpa_startup_next_frame(responder, &frame));
  g_assert_cmpuint(frame.length, ==, is_enhanced ? 24 : 20);
  g_assert_cmphex(buffer_chain_at(&frame, 16), ==, is_enhanced ? M | C | S : M | C);
  g_assert_cmpuint(buffer_chain_at(&frame, 17), ==, c->revision);
  g_assert_cmpuint(buffer_chain_at(&frame, 19), ==, is_enhanced ? 4 : 0);
}

static void check_any_frame(const any_frame *c, uint32_t step)
{
  mpa_startup_config config = enhanced_config(c->role);
  config.enhanced.enabled = c->has_enhanced;
  g_autoptr(mpa_startup) startup = startup_begun_with(&config);
  g_autoptr(hand_frame) frame =
      hand_frame_new(c->role == SIDE_INITIATOR ? REPLY_KEY : REQUEST_KEY, c->flags, c->revision, c->length);
  uint32_t at, taken = 0;
  mpa_startup_reason wrong = wrong_of(c, &at);
  bool is_enhanced = c->has_enhanced && c->revision == 2 && (c->flags & S);

  for (uint32_t from = 0; from < frame->length; from += step) {
    taken += startup_receive(startup, frame->octets + from, MIN(step, frame->length - from));
  }
  if (wrong != MPA_STARTUP_REASON_NONE) {
    g_assert_cmpuint(taken, ==, at + 1);
    startup_expect_dead(startup, wrong);
    return;
  }
  g_assert_cmpuint(taken, ==, frame->length);
  g_assert_cmpuint(mpa_startup_received_frame_octets(startup), ==, frame->length);
  bool is_rejected = c->role == SIDE_INITIATOR && (c->flags & R);
  startup_expect(startup, is_rejected ? MPA_STARTUP_REJECTED : MPA_STARTUP_FULL_OPERATION,
                 is_rejected ? MPA_STARTUP_REASON_REJECTED_BY_PEER : MPA_STARTUP_REASON_NONE);
  startup_expect_private_data(startup, frame->octets + (is_enhanced ? 24 : 20),
                              c->length - (is_enhanced ? 4 : 0));
  g_assert_cmpint(startup->agreement.is_enhanced, ==, is_enhanced);
  if (c->role == SIDE_RESPONDER) {
    check_reply(startup, c, is_enhanced);
  } else if (c->has_enhanced && !is_enhanced) {
    g_assert_cmpint(startup->agreement.error, ==, MPA_ERROR_LOCAL);
  }
}

/* R6581-009, R6581-013, R6581-067, R6581-069, R6581-071, R6581-074: octet 16 with all of its 256 values,
 * several revisions and lengths, at either end with and without enhanced frames, an octet at a time, in
 * pieces of 7, and at once. The four octets are whatever comes. */
TEST(test_any_frame)
{
  static const uint8_t revisions[] = {0, 1, 2, 3, 255};
  static const uint32_t lengths[] = {0, 1, 3, 4, 5, 508, 512, 513, 65535};

  for (unsigned i = 0; i < 2 * 2 * 256 * G_N_ELEMENTS(revisions); i++) {
    for (gsize length = 0; length < G_N_ELEMENTS(lengths); length++) {
      any_frame c = {.role = i % 2 ? SIDE_INITIATOR : SIDE_RESPONDER,
                     .has_enhanced = i / 2 % 2,
                     .flags = (uint8_t)(i / 4),
                     .revision = revisions[i / 4 / 256],
                     .length = lengths[length]};
      bool is_short = c.length < 508;
      check_any_frame(&c, 100000);
      if (is_short || i % 64 < 4) {
        check_any_frame(&c, 7);
        check_any_frame(&c, 1);
      }
    }
  }
}

/* R6581-028 (RFC 6581 §9): "The maximum amount of ULP-specified Private Data is therefore reduced by 4
 * bytes": 508. The ULP's buffer need not have room for the four octets. */
TEST(test_room_for_private_data)
{
  static const struct {
    uint32_t capacity;
    uint32_t length; /* PD_Length */
    bool fits;
  } rows[] = {{0, 4, true},     {0, 5, false},     {10, 14, true},    {10, 15, false},
              {508, 512, true}, {507, 512, false}, {65535, 512, true}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mpa_startup_config config = enhanced_config(SIDE_RESPONDER);
    config.private_data_capacity_octets = rows[i].capacity;
    g_autoptr(mpa_startup) startup = startup_begun_with(&config);
    g_autoptr(hand_frame) frame = hand_frame_new(REQUEST_KEY, S, 2, rows[i].length);
    startup_receive(startup, frame->octets, frame->length);
    startup_expect(startup, rows[i].fits ? MPA_STARTUP_FULL_OPERATION : MPA_STARTUP_FAILED,
                   rows[i].fits ? MPA_STARTUP_REASON_NONE : MPA_STARTUP_REASON_PRIVATE_DATA);
  }
  const mpa_startup_config config = enhanced_config(SIDE_INITIATOR);
  g_autoptr(mpa_startup) initiator = mpa_startup_new(&config);
  g_auto(buffer_chain) request;
  uint8_t private_data[508] = {1};
  buffer_chain_init(&request);
  mpa_startup_begin(initiator, private_data, sizeof private_data, 0);
  g_assert_true(mpa_startup_next_frame(initiator, &request));
  g_assert_cmpuint(request.length, ==, 20 + 512);
  g_assert_true(buffer_chain_equals(&request, 18, 2, (const uint8_t *)"\x02\x00"));
}

/* --- Rejection --- */

/* R6581-035, R6581-040 (RFC 6581 §9.1): a Responder whose ULP needs an ORD of 5 rejects an IRD of 4 and names
 * the 5 in its Reply, R = 1, S = 1; the Initiator's ULP gets that. It accepts 5. */
TEST(test_rejection_names_the_ord)
{
  static const char reject[] = REPLY_KEY "\xF0\x02\x00\x04\x00\x10\x00\x05";
  static const char accept[] = REPLY_KEY "\xD0\x02\x00\x04\x00\x10\x00\x05";

  for (int ird = 4; ird <= 5; ird++) {
    mpa_startup_config at_responder = enhanced_config(SIDE_RESPONDER);
    mpa_startup_config at_initiator = enhanced_config(SIDE_INITIATOR);
    at_responder.enhanced.ord_needed = 5;
    at_initiator.enhanced.ird = (uint32_t)ird;
    at_initiator.enhanced.peer_to_peer = false;
    g_autoptr(mpa_startup) responder = startup_begun_with(&at_responder);
    g_autoptr(mpa_startup) initiator = startup_begun_with(&at_initiator);
    g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C | S, 2, 4);
    const char *reply = ird == 4 ? reject : accept;

    set_enhanced(request, ird == 4 ? "\x00\x04\x00\x01" : "\x00\x05\x00\x01");
    startup_receive(responder, request->octets, request->length);
    startup_expect(responder, ird == 4 ? MPA_STARTUP_REJECTED : MPA_STARTUP_FULL_OPERATION,
                   ird == 4 ? MPA_STARTUP_REASON_REJECTED_FOR_IRD : MPA_STARTUP_REASON_NONE);
    startup_expect_frame(responder, reply, 24);
    startup_receive(initiator, (const uint8_t *)reply, 24);
    startup_expect(initiator, ird == 4 ? MPA_STARTUP_REJECTED : MPA_STARTUP_FULL_OPERATION,
                   ird == 4 ? MPA_STARTUP_REASON_REJECTED_BY_PEER : MPA_STARTUP_REASON_NONE);
    EXPECT_FIELDS(&initiator->agreement, (is_enhanced, true), (peer_ird, 16), (peer_ord, 5));
  }
}

/* MPA-206, R6581-070 (RFC 6581 §10): the ULP's own rejection of an enhanced Request is an enhanced Reply. */
TEST(test_ulp_rejects)
{
  mpa_startup_config config = enhanced_config(SIDE_RESPONDER);
  config.ulp_decides = true;
  g_autoptr(mpa_startup) responder = startup_begun_with(&config);
  g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C | S, 2, 4);

  set_enhanced(request, "\x80\x04\x40\x01");
  startup_receive(responder, request->octets, request->length);
  startup_expect(responder, MPA_STARTUP_DECIDING, MPA_STARTUP_REASON_NONE);
  mpa_startup_decide(responder, false, (const uint8_t *)"no", 2);
  startup_expect_frame(responder, REPLY_KEY "\xF0\x02\x00\x06\x80\x10\xC0\x04no", 26);
}
