/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what is on the wire and what the ULPs learn before full operation, of whole endpoints
 * (mpa-01 §6.1 [mpa-02 §8.1]). */
#include "rnic_fixture.h"

static const char request_key[] = "MPA ID Req Frame";
static const char reply_key[] = "MPA ID Rep Frame";

/* Creates both, and posts one Send each way, the Initiator's first (the Responder waits for it). */
static void create_and_post(rnic_fixture *f)
{
  create(f);
  for (unsigned side = 0; side < SIDES; side++) {
    f->sides[side].buffer = post_receive(&f->sides[side], 70, 7);
    g_assert_true(post_send(&f->sides[side], 70));
  }
}

static void assert_both_arrived(rnic_fixture *f)
{
  for (unsigned side = 0; side < SIDES; side++) {
    const fixture_side *s = &f->sides[side];
    g_assert_cmpint(s->failed, ==, 0);
    g_assert_true(is_payload(s->buffer, 70));
    g_assert_nonnull(strstr(s->completions->str, "received 7 (70 octets)"));
    g_assert_nonnull(strstr(s->completions->str, "send 1"));
  }
}

/* MPA-202: the first octets that an Initiator sends are a valid Request Frame, in order Key, M=1 C=1, Rev,
 * PD_Length 5 and the Private Data. MPA-206, MPA-210: the Responder answers with a Reply, R=0. */
RNIC_TEST(test_frames_come_first)
{
  static const uint8_t header[4] = {0xC0, 0, 0, 5};

  f->initiator->config.private_data = (const uint8_t *)"hello";
  f->initiator->config.private_data_octets = 5;
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->initiator->wire->len, ==, 25);
  g_assert_cmpmem(f->initiator->wire->data, 16, request_key, 16);
  g_assert_cmpmem(f->initiator->wire->data + 16, 4, header, 4);
  g_assert_cmpmem(f->initiator->wire->data + 20, 5, "hello", 5);
  g_assert_cmpuint(f->responder->wire->len, ==, 20);
  g_assert_cmpmem(f->responder->wire->data, 16, reply_key, 16);
  g_assert_cmphex(f->responder->wire->data[16], ==, 0xC0);
  g_assert_cmpstr(f->responder->private_data->str, ==, "hello");
  g_assert_cmpint(f->responder->private_data_received, ==, 1);
  g_assert_cmpint(f->initiator->private_data_received, ==, 1);
}

static bool loses_all_of_the_initiator(fixture_side *from, const datagram *packet)
{
  return from == from->fixture->initiator && packet->payload.length > 0;
}

static bool loses_all_of_the_responder(fixture_side *from, const datagram *packet)
{
  return from == from->fixture->responder && packet->payload.length > 0;
}

/* MPA-204: while no Request has come the Responder sends nothing, though its TCP is established and its ULP
 * has work. The ACK that ends the handshake rides on the Request, which gets lost: it comes alone. */
RNIC_TEST(test_responder_waits_for_the_request)
{

  create_and_post(f);
  f->loses = loses_all_of_the_initiator;
  start_and_run(f, TIME_PS_PER_MILLISECOND);
  forge(f, 0, NULL, 0, TCP_ACK);
  run(f, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(f->initiator->wire->len, ==, 20);
  g_assert_cmpuint(f->responder->wire->len, ==, 0);
  f->loses = NULL;
  run(f, 5 * TIME_PS_PER_SECOND);
  assert_both_arrived(f);
}

/* MPA-215: while no Reply has come the Initiator sends nothing after its Request, though its ULP has work.
 * MPA-197: the stream is there when full operation begins: what was posted and lent before it moves at
 * once. */
RNIC_TEST(test_initiator_waits_for_the_reply)
{

  create_and_post(f);
  f->loses = loses_all_of_the_responder;
  start_and_run(f, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(f->initiator->wire->len, ==, 20);
  f->loses = NULL;
  run(f, 5 * TIME_PS_PER_SECOND);
  assert_both_arrived(f);
}

/* MPA-219: the Responder sends no octet of its FPDU phase before it has validated an FPDU; then it does. */
RNIC_TEST(test_responder_waits_for_an_fpdu)
{
  uint8_t *buffer = post_receive(f->initiator, 70, 7);
  post_receive(f->responder, 70, 7);
  post_send(f->responder, 70);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->wire->len, ==, 20);
  post_send(f->initiator, 0);
  run(f, TIME_PS_PER_SECOND);
  g_assert_true(is_payload(buffer, 70));
  g_assert_cmpuint(f->responder->wire->len, >, 20);
}

/* Octets of streaming mode that each end sends before MPA. */
typedef struct streaming_case {
  iwarp_generation generation;
  uint32_t initiator_octets;
  uint32_t responder_octets;
} streaming_case;

static const streaming_case streaming_cases[] = {
    {IWARP_IETF, 0, 0},    {IWARP_IETF, 1, 0},     {IWARP_IETF, 0, 3},  {IWARP_IETF, 5000, 37},
    {IWARP_RFC, 37, 5000}, {IWARP_RDMAC, 0, 0},    {IWARP_RDMAC, 1, 0}, {IWARP_RDMAC, 0, 5},
    {IWARP_RDMAC, 37, 3},  {IWARP_RDMAC, 5000, 1},
};

static void set_streaming(rnic_fixture *f, const streaming_case *c)
{
  rnic_endpoint_config *initiator = &f->initiator->config, *responder = &f->responder->config;
  set_generation(f, c->generation);
  initiator->streaming_octets_sent = responder->streaming_octets_received = c->initiator_octets;
  responder->streaming_octets_sent = initiator->streaming_octets_received = c->responder_octets;
}

/* With markers the FPDU phase starts with a marker of 0, after the frame if there is one. */
static void assert_phase_starts_at(const fixture_side *s, uint32_t streaming, const char *key)
{
  uint32_t frame = s->config.generation == IWARP_RDMAC ? 0 : 20;

  g_assert_cmpuint(s->wire->len, >, streaming + frame + 4);
  if (frame > 0) {
    g_assert_cmpmem(s->wire->data + streaming, 16, key, 16);
  }
  g_assert_cmpmem(s->wire->data + streaming + frame, 4, "\0\0\0\0", 4);
}

/* MPA-183, MPA-190, MPA-370, DDP-120: MPA starts at the agreed octet in each direction, at both ends, after
 * any number of octets of streaming mode, which no end takes for FPDUs. MPA-186: rdmac starts with a marker.
 */
TEST(test_streaming_mode_first)
{
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(streaming_cases); i++) {
    const streaming_case *c = &streaming_cases[i / 2];
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    bool intact;

    set_streaming(f, c);
    if (i % 2) { /* the switch may lie within a segment */
      f->initiator->config.tcp.segmentation = TCP_SEGMENTATION_STREAM;
      f->responder->config.tcp.segmentation = TCP_SEGMENTATION_STREAM;
    }
    create_and_post(f);
    start_and_run(f, TIME_PS_PER_SECOND);
    assert_both_arrived(f);
    assert_phase_starts_at(f->initiator, c->initiator_octets, request_key);
    assert_phase_starts_at(f->responder, c->responder_octets, reply_key);
    for (unsigned side = 0; side < SIDES; side++) {
      g_autoptr(GPtrArray) ulpdus = ulpdus_of(&f->sides[side], &intact);
      g_assert_true(intact);
      g_assert_cmpuint(ulpdus->len, ==, 1);
    }
  }
}

/* MPA-183, DDP-120: ends that start MPA 4 octets apart find no FPDU: the receiver reads the marker where a
 * length is and then the length of a far too long FPDU or a wrong CRC. */
RNIC_TEST(test_other_octet_fails)
{

  set_generation(f, IWARP_RDMAC);
  f->responder->config.streaming_octets_received = 4;
  create_and_post(f);
  start_and_run(f, 60 * TIME_PS_PER_SECOND);
  g_assert_cmpint(f->responder->failed, ==, 1);
  g_assert_true(is_untouched(f->responder->buffer, 70));
}

/* MPA-268: TCP's rules hold across the switch: whichever of the first packets are lost, the last octets of
 * streaming mode and the frame come in order and startup completes. 1460 octets fit a segment: with 1500 and
 * 700 octets of streaming mode the switch is in the second and the first packet of the two ends; the frames
 * follow. */
TEST(test_loss_around_the_switch)
{
  static const streaming_case c = {IWARP_IETF, 1500, 700};

  for (uint32_t mask = 0; mask < 64; mask++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();

    set_streaming(f, &c);
    f->initiator->config.startup_timeout_ps = 0; /* the retransmissions take their time */
    f->responder->config.startup_timeout_ps = 0;
    f->initiator->lost = mask & 7;
    f->responder->lost = mask >> 3;
    create_and_post(f);
    start_and_run(f, 60 * TIME_PS_PER_SECOND);
    assert_both_arrived(f);
  }
}

/* MPA-268: a frame that is longer than a segment, whose first part comes last. MPA-231: its Private Data is
 * what was sent. */
RNIC_TEST(test_frame_in_two_segments)
{
  uint8_t private_data[2000];

  for (size_t i = 0; i < sizeof private_data; i++) {
    private_data[i] = (uint8_t)(i * 7);
  }
  f->initiator->config.private_data = private_data;
  f->initiator->config.private_data_octets = sizeof private_data;
  f->initiator->lost = 0x1;
  f->responder->config.private_data_capacity_octets = sizeof private_data;
  create_and_post(f);
  start_and_run(f, TIME_PS_PER_MILLISECOND);
  const rnic_occupancy held = held_by(f->responder);
  EXPECT_FIELDS(&held, (order, 2020 - 1460), (incomplete, 0));
  run(f, 5 * TIME_PS_PER_SECOND);
  g_assert_cmpmem(f->responder->private_data->str, f->responder->private_data->len, private_data,
                  sizeof private_data);
  assert_both_arrived(f);
}

/* MPA-204 (note M41): nothing may follow a Request before the Reply, not even octets that come first, after
 * a hole: code 4. */
TEST(test_octets_after_the_request)
{
  static const char request[] = "MPA ID Req Frame\x40\0\0\0"; /* C; Rev 0; no Private Data */

  for (uint32_t gap = 0; gap <= 10; gap += 10) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    create(f);
    rnic_endpoint_start(f->responder->endpoint, f->now);
    forge(f, 0, "", 0, TCP_SYN);
    run(f, 0); /* SYN|ACK */
    forge(f, 0, "", 0, TCP_ACK);
    forge(f, 20 + gap, "\0\0\0\0", 4, TCP_ACK);
    g_assert_cmpint(f->responder->failed, ==, 0);
    forge(f, 0, request, 20, TCP_ACK | TCP_PSH);
    g_assert_cmpstr(f->responder->code, ==, "MPA error 4");
    g_assert_cmpint(f->responder->failure.reason.startup, ==, MPA_STARTUP_REASON_EXTRA_OCTETS);
  }
}

/* MPA-184: without startup frames each direction starts on its own. The Responder's streaming octets are all
 * lost for now; the Initiator's FPDU arrives nevertheless. */
RNIC_TEST(test_rdmac_directions_are_apart)
{
  streaming_case c = {IWARP_RDMAC, 10, 2000};

  set_streaming(f, &c);
  f->loses = loses_all_of_the_responder;
  create_and_post(f);
  start_and_run(f, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_true(is_payload(f->responder->buffer, 70));
  g_assert_true(is_untouched(f->initiator->buffer, 70));
  f->loses = NULL;
  run(f, 5 * TIME_PS_PER_SECOND);
  assert_both_arrived(f);
}

/* Octets of streaming mode are the ULP's as they come in order: nothing of them is held. All but the first
 * packet is lost for now. */
RNIC_TEST(test_streaming_octets_are_not_held)
{
  static const streaming_case c = {IWARP_IETF, 2000, 0};

  set_streaming(f, &c);
  f->initiator->lost = 0xE;
  start_and_run(f, TIME_PS_PER_MILLISECOND); /* the retransmission takes 200 ms or more */
  g_assert_cmpuint(f->initiator->wire->len, >=, 1460);
  for (guint i = 0; i < 1460; i++) {
    g_assert_cmphex(f->initiator->wire->data[i], ==, 'S'); /* the same in every capture */
  }
  g_assert_cmpuint(waiting_octets(f->responder), ==, 0);
}

/* MPA-037: while octets of streaming mode are missing MPA is not enabled in that direction, and TCP keeps the
 * order: FPDUs that come first are neither Placed nor Delivered, but held. The first packet has the 2000
 * octets' first 1460; the FPDU is 4 + 2 + 18 + 70 + 2 + 4 = 100. */
RNIC_TEST(test_rdmac_streaming_is_in_order)
{
  streaming_case c = {IWARP_RDMAC, 2000, 10};

  set_streaming(f, &c);
  f->initiator->lost = 1;
  create_and_post(f);
  start_and_run(f, TIME_PS_PER_MILLISECOND); /* the retransmission takes 200 ms or more */
  g_assert_cmpuint(held_by(f->responder).order, ==, 2000 - 1460 + 100);
  g_assert_cmpuint(f->responder->placed + f->responder->delivered, ==, 0);
  g_assert_true(is_untouched(f->responder->buffer, 70));
  run(f, 5 * TIME_PS_PER_SECOND);
  assert_both_arrived(f);
  g_assert_cmpuint(waiting_octets(f->responder), ==, 0);
}

/* MPA-208, MPA-217: after a rejection MPA is left at both ends and neither MPA closes TCP: the Responder
 * keeps it open, even when the Initiator's ULP is slow to close it; here it closes at once, and the Responder
 * follows by FIN. MPA-206, MPA-224: R=1 in the Reply. */
RNIC_TEST(test_rejection)
{

  f->responder->config.rejects = true;
  f->responder->config.private_data = (const uint8_t *)"no";
  f->responder->config.private_data_octets = 2;
  create_and_post(f);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->wire->len, ==, 22);
  g_assert_cmphex(f->responder->wire->data[16], ==, 0xE0); /* M, C and R */
  g_assert_cmpstr(f->initiator->private_data->str, ==, "no");
  g_assert_cmpuint(f->initiator->wire->len, ==, 20); /* no FPDU */
  for (unsigned side = 0; side < SIDES; side++) {
    fixture_side *s = &f->sides[side];
    EXPECT_FIELDS(s, (failed, 1), (failure.layer, RNIC_FAILURE_STARTUP));
    g_assert_cmpstr(s->code, ==, "rejected");
    g_assert_true(rnic_failure_is_termination(&s->failure));
    g_assert_cmpstr(s->completions->str, ==, "send 1 in error");
    g_assert_true(s->fin && !s->rst && s->closed == 1);
    g_assert_true(is_untouched(s->buffer, 70));
  }
  g_assert_true(f->initiator->failure.by_peer && !f->responder->failure.by_peer);
  g_assert_cmpint(f->responder->fin_at, >, f->initiator->fin_at); /* it was the Initiator's ULP that closed */
}

/* MPA-208: the Responder that has rejected stays connected as long as the Initiator does not close, and no
 * octet that comes then is an FPDU to it: this one would be a Send of no octets (its leading marker and CRC
 * are zeros) and is nothing. */
RNIC_TEST(test_rejecting_end_stays_open)
{
  static const uint8_t fpdu[24 + 4] = {0, 0, 0, 0, 0, 18, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  f->responder->config.rejects = true;
  f->loses = loses_all_of_the_responder; /* the Initiator does not learn of it */
  start_and_run(f, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpstr(f->responder->code, ==, "rejected");
  forge(f, 20, fpdu, sizeof fpdu, TCP_ACK);
  run(f, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpint(f->responder->failed, ==, 1);
  g_assert_cmpuint(f->responder->placed + f->responder->delivered, ==, 0);
  g_assert_true(!f->responder->fin && !f->responder->rst && f->responder->closed == 0);
}

/* MPA-217, MPA-223: an Initiator that finds the Reply's Private Data unacceptable leaves MPA without an FPDU;
 * its ULP closes gracefully, and the Responder sees an orderly end. */
RNIC_TEST(test_initiator_rejects)
{
  f->initiator->config.rejects = true;
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->initiator->code, ==, "rejected");
  g_assert_cmpuint(f->initiator->wire->len, ==, 20);
  g_assert_true(f->initiator->fin && !f->initiator->rst);
  EXPECT_FIELDS(f->responder, (failed, 0), (finished, 1));
  g_assert_true(f->responder->fin && f->initiator->closed == 1 && f->responder->closed == 1);
}

/* MPA-234: the wait for streaming octets ends at the configured time, even the shortest one; here for 100
 * octets that are never sent. The wait for a frame is in test_startup_faults in test_fault_injector. SYN and
 * SYN|ACK take 10 us each. */
TEST(test_time_runs_out_for_streaming_octets)
{
  static const time_ps timeouts[] = {10 * TIME_PS_PER_SECOND, 1};

  for (size_t i = 0; i < G_N_ELEMENTS(timeouts); i++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *opener = f->initiator;
    opener->config.streaming_octets_received = 100;
    opener->config.startup_timeout_ps = timeouts[i];
    start_and_run(f, 60 * TIME_PS_PER_SECOND);
    EXPECT_FIELDS(opener, (failed_at, 20 * TIME_PS_PER_MICROSECOND + timeouts[i]),
                  (failure.layer, RNIC_FAILURE_ULP), (failure.reason.ulp, RNIC_ULP_NO_STREAMING_OCTETS));
    g_assert_cmpstr(opener->code, ==, "timeout");
    g_assert_true(opener->rst && f->responder->closed == 1);
  }
}

/* MPA-199: who opens TCP does not decide who is the Initiator. */
RNIC_TEST(test_passive_initiator)
{

  f->initiator->config.role = SIDE_RESPONDER;
  f->responder->config.role = SIDE_INITIATOR;
  create_and_post(f);
  start_and_run(f, TIME_PS_PER_SECOND);
  assert_both_arrived(f);
  g_assert_cmpmem(f->responder->wire->data, 16, request_key, 16);
}

/* MPA-227: two Initiators, whose Requests cross: each end finds a Request's Key where a Reply's is due.
 * MPA-216, MPA-280: it closes at that very moment, by RST; by FIN if so configured (note M44). */
TEST(test_two_initiators)
{
  for (int by_fin = 0; by_fin < 2; by_fin++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *other = f->responder;
    fixture_side *opener = f->initiator;
    other->config.role = SIDE_INITIATOR;
    other->config.opens = true; /* at the same time, so that neither is first */
    other->config.closes_by_fin = opener->config.closes_by_fin = by_fin;
    start_and_run(f, TIME_PS_PER_SECOND);
    for (unsigned side = 0; side < SIDES; side++) {
      fixture_side *s = &f->sides[side];
      EXPECT_FIELDS(s, (failed, 1), (failure.layer, RNIC_FAILURE_STARTUP),
                    (failure.reason.startup, MPA_STARTUP_REASON_SAME_ROLE));
      g_assert_cmpstr(s->code, ==, "MPA error 4");
      g_assert_cmpint(by_fin ? s->fin_at : s->rst_at, ==, s->failed_at);
      EXPECT_FIELDS(s, (rst, !by_fin), (closed, 1));
    }
  }
}
