/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoints of one generation that meet another, and rdmac, which has no frames to recognise it by (note
 * M46). */
#include "rnic_fixture.h"

enum { MIX_NO_WORK, MIX_INITIATOR_SENDS, MIX_RESPONDER_SENDS, MIX_BOTH_SEND };

typedef struct mix_case {
  const char *ids;
  iwarp_generation initiator;
  iwarp_generation responder;
  int work;
  unsigned finder; /* the end that finds the error; the other one is reset */
  int reason;      /* an mpa_startup_reason; TIMEOUT: not when the first octets come */
} mix_case;

enum {
  KEY = MPA_STARTUP_REASON_KEY,
  REVISION = MPA_STARTUP_REASON_REVISION,
  TIMEOUT = MPA_STARTUP_REASON_TIMEOUT
};

/* note M46. ietf and rfc: the Responder finds the Request's Rev wrong. rdmac and one with frames: if the
 * rdmac end speaks, its first octets are 00 00 00 00, no Key; if not, the other end's time is up 10 s after
 * its handshake (20 us after the SYN at the opener, 30 us at the other end). What the rdmac end takes the
 * Request for is no FPDU and never becomes one; its own time would be up later. */
static const mix_case mixes[] = {
    {"MPA-252, MPA-274", IWARP_IETF, IWARP_RFC, MIX_NO_WORK, SIDE_RESPONDER, REVISION},
    {"MPA-252, MPA-274", IWARP_IETF, IWARP_RFC, MIX_BOTH_SEND, SIDE_RESPONDER, REVISION},
    {"MPA-252, MPA-274", IWARP_RFC, IWARP_IETF, MIX_NO_WORK, SIDE_RESPONDER, REVISION},
    {"MPA-252, MPA-274", IWARP_RFC, IWARP_IETF, MIX_BOTH_SEND, SIDE_RESPONDER, REVISION},
    {"MPA-252", IWARP_IETF, IWARP_RFC6581, MIX_BOTH_SEND, SIDE_RESPONDER, REVISION},
    {"MPA-252", IWARP_RFC6581, IWARP_IETF, MIX_NO_WORK, SIDE_RESPONDER, REVISION},
    {"MPA-252, R6581-072", IWARP_RFC6581, IWARP_RFC, MIX_BOTH_SEND, SIDE_RESPONDER, REVISION},
    {"MPA-239, MPA-274", IWARP_RDMAC, IWARP_IETF, MIX_INITIATOR_SENDS, SIDE_RESPONDER, KEY},
    {"MPA-239, MPA-274", IWARP_RDMAC, IWARP_RFC, MIX_BOTH_SEND, SIDE_RESPONDER, KEY},
    {"MPA-239", IWARP_RDMAC, IWARP_RFC6581, MIX_BOTH_SEND, SIDE_RESPONDER, KEY},
    {"MPA-228", IWARP_RDMAC, IWARP_IETF, MIX_NO_WORK, SIDE_RESPONDER, TIMEOUT},
    {"MPA-228", IWARP_RDMAC, IWARP_RFC, MIX_RESPONDER_SENDS, SIDE_RESPONDER, TIMEOUT},
    {"MPA-240, MPA-216", IWARP_IETF, IWARP_RDMAC, MIX_RESPONDER_SENDS, SIDE_INITIATOR, KEY},
    {"MPA-240, MPA-216", IWARP_RFC, IWARP_RDMAC, MIX_BOTH_SEND, SIDE_INITIATOR, KEY},
    {"MPA-240", IWARP_RFC6581, IWARP_RDMAC, MIX_BOTH_SEND, SIDE_INITIATOR, KEY},
    {"MPA-274", IWARP_IETF, IWARP_RDMAC, MIX_NO_WORK, SIDE_INITIATOR, TIMEOUT},
    {"MPA-274", IWARP_RFC, IWARP_RDMAC, MIX_INITIATOR_SENDS, SIDE_INITIATOR, TIMEOUT},
};

static rnic_fixture *mix(const mix_case *c, uint8_t *buffers[SIDES])
{
  rnic_fixture *f = rnic_fixture_new();

  f->initiator->config.generation = c->initiator;
  f->responder->config.generation = c->responder;
  f->initiator->config.enhanced.enabled = true; /* where the generation has it */
  f->responder->config.enhanced.enabled = true;
  create(f);
  for (unsigned side = 0; side < SIDES; side++) {
    buffers[side] = post_receive(&f->sides[side], 70, 7);
    if (c->work & (side == SIDE_INITIATOR ? MIX_INITIATOR_SENDS : MIX_RESPONDER_SENDS)) {
      post_send(&f->sides[side], 70);
    }
  }
  start(f);
  return f;
}

/* MPA-280, MPA-379: an endpoint of one generation that meets another ends the connection, by RST at the end
 * that finds it. It never hangs, and nothing is Placed. */
TEST(test_generations_that_do_not_fit)
{
  for (size_t i = 0; i < G_N_ELEMENTS(mixes); i++) {
    const mix_case *c = &mixes[i];
    uint8_t *buffers[SIDES];
    g_autoptr(rnic_fixture) f = mix(c, buffers);
    fixture_side *finder = &f->sides[c->finder];
    fixture_side *other = &f->sides[1 - c->finder];

    run(f, 60 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(finder->code, ==, "MPA error 4");
    g_assert_cmpint(finder->failure.reason.startup, ==, c->reason);
    if (c->reason == TIMEOUT) {
      time_ps established = (c->finder == SIDE_INITIATOR ? 20 : 30) * TIME_PS_PER_MICROSECOND;
      g_assert_cmpint(finder->failed_at, ==, 10 * TIME_PS_PER_SECOND + established);
    } else {
      g_assert_cmpint(finder->failed_at, <, TIME_PS_PER_MILLISECOND);
    }
    g_assert_cmpint(finder->rst_at, ==, finder->failed_at);
    g_assert_cmpstr(other->code, ==, "MPA error 1");
    g_assert_true(finder->closed == 1 && other->closed == 1);
    for (unsigned side = 0; side < SIDES; side++) {
      g_assert_true(is_untouched(buffers[side], 70));
      g_assert_cmpint(rdmap_send_queue_count(f->sides[side].endpoint->sender.config.stream->operations), ==,
                      0);
    }
  }
}

/* note M46: an rdmac receiver takes a Request for a marker and a length of 18756 (4944, "ID") and waits. If
 * the other end is patient for ever, the rdmac end's ULP gives up, startup_timeout_ps after the first octet
 * came (30 us: SYN, SYN|ACK, and the ACK with the Request). */
TEST(test_rdmac_waits_no_longer_than_its_timeout)
{
  static const time_ps timeouts[] = {10 * TIME_PS_PER_SECOND, 1};

  for (size_t i = 0; i < G_N_ELEMENTS(timeouts); i++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();

    f->initiator->config.startup_timeout_ps = 0;
    f->responder->config.generation = IWARP_RDMAC;
    f->responder->config.startup_timeout_ps = timeouts[i];
    start_and_run(f, 60 * TIME_PS_PER_SECOND);
    EXPECT_FIELDS(f->responder, (failure.layer, RNIC_FAILURE_ULP), (failure.reason.ulp, RNIC_ULP_NO_FPDU),
                  (failed_at, 30 * TIME_PS_PER_MICROSECOND + timeouts[i]));
    g_assert_true(f->responder->rst && f->initiator->closed == 1 && f->responder->closed == 1);
  }
}

/* Once an FPDU has come the peer is known to speak rdmac, and there is no time limit for the next. */
RNIC_TEST(test_rdmac_waits_for_later_fpdus)
{
  static const uint8_t begun[] = {0x00, 0x64, 0x40, 0x03};

  set_generation(f, IWARP_RDMAC);
  post_receive(f->responder, 0, 7);
  post_send(f->initiator, 0);
  start_and_run(f, TIME_PS_PER_SECOND);
  f->loses = loses_everything; /* the real Initiator would not know what it never sent */
  forge(f, 4 + 2 + 18 + 4, begun, sizeof begun, TCP_ACK); /* after the marker and the FPDU */
  run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpint(f->responder->failed, ==, 0);
}
