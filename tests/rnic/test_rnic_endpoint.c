/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole endpoints in full operation: the two directions, their ends, and what a host's connections share. */
#include "rnic_fixture.h"
#include "test.h"

#include <string.h>

#include "../kit/path_mtu.h"
#include "fault/fault_injector.h"
#include "stack_cleanup.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fault_injector, fault_injector_free)

/* Both ends closed gracefully, with nothing to complain about. */
static void assert_closed_well(const rnic_fixture *f)
{
  for (unsigned side = 0; side < SIDES; side++) {
    const fixture_side *s = &f->sides[side];
    g_assert_cmpint(s->failed, ==, 0);
    g_assert_cmpint(s->closed, ==, 1);
    g_assert_true(s->fin && !s->rst);
  }
}

/* DDP-028, DDP-029: the peer's FIN is told as a graceful end of stream and connection, which RST never is
 * (test_fault_injector, reset). DDP-129: the other half is closed gracefully in turn. DDP-031: then the
 * connection is down. */
RNIC_TEST(test_send_and_close)
{
  rnic_fixture_create(f);
  uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 5000, 7);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(5000));
  rnic_fixture_start(f);
  rnic_endpoint_close(initiator->endpoint); /* waits for what is posted */
  g_assert_false(rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(0)));
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_true(rnic_fixture_is_payload(buffer, 5000));
  g_assert_cmpstr(responder->completions->str, ==, "received 7 (5000 octets)");
  g_assert_cmpstr(initiator->completions->str, ==, "send 1");
  g_assert_cmpint(responder->finished, ==, 1);
  g_assert_cmpuint(rnic_endpoint_mulpdu_octets(initiator->endpoint), ==, 1442); /* 1460 - (6 + 4 * 3 + 0) */
  assert_closed_well(f);
}

/* DDP-128, DDP-131: a half-closed stream serves the other direction as long as its ULP likes: Writes, Sends
 * and answers to Reads. DDP-121: with nothing left to do it stays, until its ULP asks for the end; then,
 * DDP-129, its own close closes the rest. */
RNIC_TEST(test_half_close)
{
  responder->closes_when_finished = false;
  rnic_fixture_create(f);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 0, 7);
  uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_INITIATOR, 3000, 8);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(0));
  rnic_endpoint_close(initiator->endpoint);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_true(initiator->fin && !responder->fin);
  g_assert_cmpint(responder->finished, ==, 1);
  g_assert_true(rnic_fixture_post_work(f, SIDE_RESPONDER, rnic_fixture_send_of(3000)));
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_true(rnic_fixture_is_payload(buffer, 3000));
  g_assert_cmpstr(responder->completions->str, ==, "received 7 (0 octets), send 1");
  g_assert_false(responder->fin);
  rnic_endpoint_close(responder->endpoint);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  assert_closed_well(f);
}

/* A ULP that closes at once: the FIN waits for full operation, so that the frames still go. */
RNIC_TEST(test_close_before_full_operation)
{
  rnic_fixture_start(f);
  rnic_endpoint_close(initiator->endpoint);
  rnic_endpoint_close(responder->endpoint);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(initiator->wire->len, ==, 20);
  g_assert_cmpuint(responder->wire->len, ==, 20);
  assert_closed_well(f);
}

/* An operation is complete when TCP has the acknowledgement of its last FPDU (note D23): the second of two,
 * one full segment each, is lost, and waits for its retransmission. The events count from the first octet of
 * the FPDU phase, which is 1460 octets earlier. */
RNIC_TEST(test_completion_by_acknowledgement)
{
  initiator->lost = 0x4; /* Request, Send, Send */
  rnic_fixture_create(f);
  for (unsigned i = 0; i < 2; i++) {
    rnic_fixture_post_receive(f, SIDE_RESPONDER, 1424, i);
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(1424));
  }
  rnic_fixture_start_and_run(f, 100 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpstr(initiator->completions->str, ==, "send 1");
  rnic_fixture_run(f, 10 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(initiator->completions->str, ==, "send 1, send 1");
  g_assert_cmpuint(initiator->retransmissions, ==, 1);
  g_assert_cmpint(initiator->first_retransmitted, ==, 1460);
  g_assert_cmpint(responder->first_segment, ==, 0);
  g_assert_cmpuint(responder->segments, ==, 2);
}

/* --- Failures --- */

/* A stream of Writes of which one, in the middle, names an STag that is not valid; with losses on the way. */
static rnic_fixture *write_with_one_bad(uint8_t **memory, bool loses_terminate)
{
  rnic_fixture *f = rnic_fixture_new();
  uint32_t stag;

  f->sides[SIDE_INITIATOR].lost = 0x28;
  rnic_fixture_create(f);
  *memory = rnic_fixture_register(f, SIDE_RESPONDER, 0, 100 * 1428, &stag);
  for (uint64_t i = 0; i < 100; i++) {
    rdmap_work write = {.id = i, .operation = RDMAP_OPERATION_WRITE, .length = 1428};
    write.remote_stag = i == 40 ? stag ^ 1 : stag;
    write.remote_offset = i * 1428;
    rnic_fixture_post_work(f, SIDE_INITIATOR, write);
  }
  if (loses_terminate) {
    f->sides[SIDE_RESPONDER].lost = 0x2; /* its second packet with payload, behind the Reply */
  }
  rnic_fixture_start(f);
  return f;
}

/* DDP-027, RDMAP-226: when a stream has failed and RDMAP has asked for its end, no data of it moves any more
 * at the end that failed: nothing is Placed or Delivered, nothing but the Terminate goes out. DDP-124: octets
 * behind the end are parsed by nobody. RDMAP-223: the Terminate arrives though many segments are on their way
 * to its sender, which acknowledges and drops them (note D38), and though it gets lost at first. RDMAP-225:
 * the stream is marked erroneous. */
TEST(test_nothing_moves_after_a_failure)
{
  for (int loses = 0; loses < 2; loses++) {
    uint8_t *memory;
    g_autoptr(rnic_fixture) f = write_with_one_bad(&memory, loses);
    fixture_side *source = &f->sides[SIDE_INITIATOR];
    fixture_side *sink = &f->sides[SIDE_RESPONDER];
    rnic_occupancy held;

    rnic_fixture_run(f, 10 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(sink->code, ==, "Terminate 1/1/00");
    g_assert_true(rnic_endpoint_is_erroneous(sink->endpoint));
    g_assert_cmpuint(sink->placed_after_failure, ==, 0);
    g_assert_cmpuint(sink->delivered, ==, 40);
    /* The Reply; behind it the one FPDU: the leading marker, 2 + 18 + 20 octets, no PAD (42 = 2 mod 4 … 2
     * more), CRC. */
    g_assert_cmpuint(sink->wire->len, ==, 20 + 4 + 40 + 4);
    char *terminate = rnic_fixture_terminate(f, SIDE_RESPONDER);
    g_assert_cmpuint(strlen(terminate), ==, 2 * 20);
    g_free(terminate);
    g_assert_cmpstr(source->code, ==, "Terminate 1/1/00");
    g_assert_true(source->failure.by_peer);
    g_assert_true(rnic_fixture_is_untouched(memory + 40 * 1428, 1428));
    g_assert_true(source->fin && sink->fin && !source->rst && !sink->rst);
    g_assert_true(source->closed == 1 && sink->closed == 1);
    rnic_endpoint_held(sink->endpoint, &held);
    g_assert_cmpuint(held.incomplete + held.unlocated + held.order + held.undelivered, ==, 0);
  }
}

/* DDP-132, MPA-274: a peer that is gone: TCP gives up (code 1), one fatal indication, all open work in error;
 * nothing hangs. */
RNIC_TEST(test_peer_is_gone)
{
  rnic_fixture_create(f);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  f->loses = rnic_fixture_loses_everything;
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(5000));
  rnic_fixture_run(f, 1000 * TIME_PS_PER_SECOND);
  g_assert_cmpint(initiator->failed, ==, 1);
  g_assert_cmpint(initiator->failure.layer, ==, RNIC_FAILURE_TCP);
  g_assert_cmpint(initiator->failure.reason.tcp, ==, TCP_CLOSE_GAVE_UP);
  g_assert_cmpstr(initiator->code, ==, "MPA error 1");
  g_assert_cmpstr(initiator->completions->str, ==, "send 1 in error");
  g_assert_cmpint(initiator->closed, ==, 1);
  g_assert_false(rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(0)));
}

static void assert_fin_within_an_fpdu(iwarp_generation generation, uint32_t position, const uint8_t begun[12])
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  fixture_side *responder = &f->sides[SIDE_RESPONDER];

  rnic_fixture_set_generation(f, generation);
  rnic_fixture_create(f);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 100, 7);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  f->loses = rnic_fixture_loses_everything; /* the real Initiator would not know what it never sent */
  rnic_fixture_forge(f, position, begun, 12, TCP_ACK | TCP_FIN);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(responder->code, ==, "MPA error 1");
  g_assert_cmpint(responder->failure.layer, ==, RNIC_FAILURE_MPA);
  g_assert_cmpint(responder->finished, ==, 0);
  g_assert_true(responder->fin);
}

/* MPA-272, MPA-274, MPA-276 (note M32): FIN in the middle of an FPDU is no graceful end: code 1. A marker,
 * then a length of 100 and the first octets of what it promises; behind the Request's 20 octets, or, in
 * rdmac, first of all. */
TEST(test_fin_within_an_fpdu)
{
  static const uint8_t ietf[12] = {0, 0, 0, 0, 0, 100, 0x41, 0x43};
  static const uint8_t rdmac[12] = {0, 0, 0, 0, 0, 100, 0x40, 0x03};

  assert_fin_within_an_fpdu(IWARP_IETF, 20, ietf);
  assert_fin_within_an_fpdu(IWARP_RDMAC, 0, rdmac);
}

static bool has_terminate(const rnic_fixture *f, unsigned side)
{
  g_autofree char *terminate = rnic_fixture_terminate(f, side);
  bool found = *terminate != '\0';

  return found;
}

/* The first packet by which the Responder's Terminate is on the wire as a whole gets lost. */
static bool loses_the_terminate(rnic_fixture *f, unsigned from, const datagram *packet)
{
  if (from != SIDE_RESPONDER || packet->payload.length == 0 || !has_terminate(f, from)) {
    return false;
  }
  f->loses = NULL;
  return true;
}

/* The ULPs hear of a failure when the Terminate leaves and when it arrives, one way of 10 us later; also late
 * in a connection's life. */
RNIC_TEST(test_when_a_terminate_is_told)
{

  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  rnic_fixture_post(f, SIDE_INITIATOR, .id = 2, .operation = RDMAP_OPERATION_WRITE, .length = 10,
                    .remote_stag = 0xBAD);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpint(responder->failed_at, ==, TIME_PS_PER_SECOND + 10 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(initiator->failed_at, ==, TIME_PS_PER_SECOND + 20 * TIME_PS_PER_MICROSECOND);
}

/* DDP-086: the Responder fails while it sends 100,000 octets itself, far more than TCP's initial window: that
 * Send goes out whole, then the Terminate. DDP-138: until then the stream stays as it is, neither FIN nor RST
 * comes. RDMAP-223: the end is graceful: FIN after the Terminate, and the connection is closed only when the
 * peer has it, also when it gets lost at first. */
TEST(test_terminate_after_message_under_way)
{
  for (int loses = 0; loses < 2; loses++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *initiator = &f->sides[SIDE_INITIATOR];
    fixture_side *responder = &f->sides[SIDE_RESPONDER];
    rdmap_work write = {.id = 2, .operation = RDMAP_OPERATION_WRITE, .length = 10, .remote_stag = 0xBAD};

    rnic_fixture_create(f);
    rnic_fixture_post_receive(f, SIDE_RESPONDER, 0, 7);
    uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_INITIATOR, 100000, 8);
    rnic_fixture_post_work(f, SIDE_RESPONDER, rnic_fixture_send_of(100000));
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(0));
    rnic_fixture_start_and_run(f,
                               55 * TIME_PS_PER_MICROSECOND); /* the Responder's first window is on its way */
    g_assert_cmpuint(responder->wire->len, ==,
                     20 + 10 * 1460 - 4); /* one of the ten FPDUs has two markers, not three */
    rnic_fixture_post_work(f, SIDE_INITIATOR, write);
    rnic_fixture_post_work(f, SIDE_RESPONDER,
                           rnic_fixture_send_of(1)); /* not with DDP yet: it never goes out */
    f->loses = loses ? loses_the_terminate : NULL;
    while (!responder->fin) {
      g_assert_false(responder->rst);
      g_assert_cmpint(responder->closed, ==, 0);
      g_assert_cmpint(f->now, <, KIT_START_PS + 10 * TIME_PS_PER_SECOND);
      rnic_fixture_run(f, TIME_PS_PER_MICROSECOND);
    }
    g_assert_true(has_terminate(f, SIDE_RESPONDER));
    /* 71 FPDUs leave in windows of 10, 20, 40 and the rest, of which the first two may have left at the
     * failure. */
    g_assert_cmpint(responder->fin_at, >=, responder->failed_at + 2 * 20 * TIME_PS_PER_MICROSECOND);
    while (!responder->closed) {
      g_assert_cmpint(f->now, <, KIT_START_PS + 20 * TIME_PS_PER_SECOND);
      g_assert_false(responder->rst);
      rnic_fixture_run(f, TIME_PS_PER_MICROSECOND);
    }
    g_assert_cmpint(initiator->failed, ==, 1);
    g_assert_true(initiator->failure.by_peer);
    g_assert_cmpuint(initiator->retransmissions + responder->retransmissions, ==, loses ? 1 : 0);
    rnic_fixture_run(f, TIME_PS_PER_SECOND);
    g_assert_cmpstr(responder->code, ==, "Terminate 1/1/00");
    g_assert_cmpstr(initiator->code, ==, "Terminate 1/1/00");
    g_assert_cmpstr(initiator->completions->str, ==, "send 1, write 2, received 8 (100000 octets)");
    g_assert_cmpstr(responder->completions->str, ==,
                    "received 7 (0 octets), send 1 in error, send 1 in error");
    g_assert_true(rnic_fixture_is_payload(buffer, 100000));
    GPtrArray *ulpdus = rnic_fixture_ulpdus(f, SIDE_RESPONDER, NULL);
    /* 1424 octets of payload a ULPDU: 70 of them and 320 octets, then the Terminate: 18 + 20 octets */
    g_assert_cmpuint(ulpdus->len, ==, 71 + 1);
    g_assert_cmpuint(((GByteArray *)g_ptr_array_index(ulpdus, 71))->len, ==, 18 + 20);
    g_ptr_array_unref(ulpdus);
    g_assert_true(initiator->closed == 1 && responder->closed == 1 && !initiator->rst);
  }
}

/* MPA-288: what waited for its order when the connection failed is kept no longer. Without markers all that
 * is behind a hole waits. */
RNIC_TEST(test_nothing_is_kept)
{
  rnic_occupancy held;

  responder->config.markers = false;
  initiator->lost = 0x2; /* the first FPDU */
  rnic_fixture_create(f);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 4000, 7);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(4000));
  rnic_fixture_start_and_run(f, 100 * TIME_PS_PER_MICROSECOND);
  rnic_endpoint_held(responder->endpoint, &held);
  /* MULPDU 1454, 1436 of payload: 4000 = 1436 + 1436 + 1128: 1460 octets, and 2 + 1146 + 4 = 1152 */
  g_assert_cmpuint(held.order, ==, 1460 + 1152);
  rnic_fixture_forge(f, 20, "", 0, TCP_RST);
  g_assert_cmpint(responder->failed, ==, 1);
  rnic_endpoint_held(responder->endpoint, &held);
  g_assert_cmpuint(held.order + held.unlocated + held.incomplete + held.partial_fpdus, ==, 0);
  rnic_fixture_run(f, 100 * TIME_PS_PER_SECOND);
}

/* That nothing is held is known at once, before and after something was lost. */
RNIC_TEST(test_holds_nothing)
{
  responder->config.tcp.passing = TCP_PASSING_AS_ARRIVED;
  initiator->lost = 0x4; /* the second FPDU */
  rnic_fixture_create(f);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 0, 6);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 4000, 7);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(0));
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_true(rnic_endpoint_holds_nothing(responder->endpoint));
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(4000));
  rnic_fixture_run(f, 100 * TIME_PS_PER_MICROSECOND);
  g_assert_false(rnic_endpoint_holds_nothing(responder->endpoint));
  rnic_fixture_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(responder->completions->str, ==, "received 6 (0 octets), received 7 (4000 octets)");
  g_assert_true(rnic_endpoint_holds_nothing(responder->endpoint));
}

/* MPA-274, MPA-276: the peer's FIN in the middle of startup is code 1, and the connection ends by FIN. The
 * peer is of rdmac and closes at once. The time that was left for its frame counts no longer. */
RNIC_TEST(test_fin_in_startup)
{
  responder->config.generation = IWARP_RDMAC;
  rnic_fixture_create(f);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(70));
  rnic_fixture_start(f);
  rnic_endpoint_close(responder->endpoint);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(initiator->code, ==, "MPA error 1");
  g_assert_cmpint(initiator->failure.layer, ==, RNIC_FAILURE_MPA);
  g_assert_cmpstr(initiator->completions->str, ==, "send 1 in error");
  g_assert_true(initiator->fin && !initiator->rst);
  g_assert_cmpint(initiator->failed, ==, 1);
  g_assert_cmpint(initiator->closed, ==, 1);
  g_assert_cmpint(rnic_endpoint_deadline(initiator->endpoint), ==, TIME_PS_NEVER);
}

/* --- Options --- */

/* MPA-286, MPA-287: with silent drop a segment with a broken FPDU counts as lost: once it comes again, right,
 * nothing was wrong. */
RNIC_TEST(test_silent_drop)
{
  const fault_config bad_crc = {.id = FAULT_BAD_CRC, .at = 1};
  g_autoptr(fault_injector) fault = fault_injector_new(&bad_crc, responder->host, 1);

  /* A fault at the source stays: TCP repeats the same octets until it gives up, and RST or silence is code
   * 1. */
  initiator->config.fault = &fault->misbehaviour;
  initiator->config.tcp.retries_max = 3;
  responder->config.silent_drop = true;
  rnic_fixture_create(f);
  uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 70, 7);
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(70));
  rnic_fixture_start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(initiator->code, ==, "MPA error 1");
  g_assert_cmpint(initiator->failure.reason.tcp, ==, TCP_CLOSE_GAVE_UP);
  g_assert_cmpint(responder->failure.layer, !=, RNIC_FAILURE_MPA);
  /* The original, the tail loss probe, and two more: the third timeout is the last. */
  g_assert_cmpuint(rnic_endpoint_refusals(responder->endpoint)->broken, ==, 4);
  g_assert_true(rnic_fixture_is_untouched(buffer, 70));
}

static datagram *damaged(const datagram *packet)
{
  octet_buffer *buffer = octet_buffer_new(packet->payload.length);
  tcp_header header;
  buffer_chain payload;

  buffer_chain_init(&payload);
  buffer_chain_copy_out(&packet->payload, 0, packet->payload.length, octet_buffer_octets(buffer));
  octet_buffer_octets(buffer)[packet->payload.length - 9] ^= 0x10;
  buffer_chain_append(&payload, octet_buffer_octets(buffer), packet->payload.length, buffer);
  octet_buffer_unref(buffer);
  g_assert_true(datagram_tcp_header(packet, &header));
  const ip_address source = datagram_source(packet);
  const ip_address destination = datagram_destination(packet);
  return datagram_new_in(NULL, &source, &destination, &header, &payload);
}

/* Damages the Initiator's fourth packet with payload on its way, and hands it over in its place. */
static bool damages_one(rnic_fixture *f, unsigned from, const datagram *packet)
{
  if (from != SIDE_INITIATOR || packet->payload.length == 0 || f->sides[from].packets != 4) {
    return false;
  }
  g_autoptr(datagram) other = damaged(packet);
  rnic_endpoint_receive(f->sides[SIDE_RESPONDER].endpoint, other, f->now);
  return true;
}

/* MPA-286: damage on the way is cured by TCP's next try. MPA-274, MPA-288: without the option it is code 2
 * and the end. */
TEST(test_damage_on_the_way)
{
  for (int silent = 0; silent < 2; silent++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *responder = &f->sides[SIDE_RESPONDER];

    responder->config.silent_drop = silent;
    f->loses = damages_one;
    rnic_fixture_create(f);
    uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 14240, 7); /* ten full FPDUs */
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(14240));
    rnic_fixture_start_and_run(f, 10 * TIME_PS_PER_SECOND);
    if (silent) {
      g_assert_cmpint(responder->failed, ==, 0);
      g_assert_cmpuint(rnic_endpoint_refusals(responder->endpoint)->broken, ==, 1);
      g_assert_true(rnic_fixture_is_payload(buffer, 14240));
    } else {
      g_assert_cmpstr(responder->code, ==, "MPA error 2");
      g_assert_cmpuint(responder->placed_after_failure, ==, 0);
      g_assert_cmpuint(responder->delivered, <, 10);
    }
  }
}

/* Octets of the ULPDUs that `side` put on the wire: "1442 1442 90". */
static char *ulpdu_sizes(const rnic_fixture *f, unsigned side)
{
  g_autoptr(GPtrArray) ulpdus = rnic_fixture_ulpdus(f, side, NULL);
  GString *sizes = g_string_new(NULL);

  for (guint i = 0; i < ulpdus->len; i++) {
    const GByteArray *ulpdu = g_ptr_array_index(ulpdus, i);
    g_string_append_printf(sizes, "%s%u", i > 0 ? " " : "", ulpdu->len);
  }
  return g_string_free(sizes, FALSE);
}

typedef struct mulpdu_case {
  uint32_t assumed_emss_octets;
  bool dynamic;
  uint32_t new_mtu_octets; /* after the first Send; 0: none */
  const char *first;       /* ULPDUs of a Send of 4000 octets */
  const char *second;      /* and of another one */
} mulpdu_case;

/* EMSS is 1460. A ULPDU of a Send holds 18 octets of header. Printed formula: 1442 octets, 1424 of payload:
 * 4000 = 1424 + 1424 + 1152, the last one 1170 octets long. MPA-025: EMSS assumed to be 1460: the same.
 * MPA-026: 536: 536 - (6 + 4 * 2 + 0) = 522, 504 of payload: 4000 = 7 * 504 + 472, 490 long. MPA-152: MTU 576
 * from the second Send on, EMSS 536: as that. MPA-149: by position: an FPDU at offset 0 has markers at 0, 512
 * and 1024 in its 1460 octets: 1460 - 12 - 6 = 1442; the second starts at 1460, markers at 1536, 2048, 2560:
 * 1442; the third, at 2920, has what is left, 1170, and ends at 2920 + 2 + 1170 + 4 + 3 * 4 = 4108. The
 * second Send finds that segment gone and starts one of its own: markers at 4608, 5120: 1446; at 5568: 5632,
 * 6144, 6656: 1442; 1166 are left. */
static const mulpdu_case mulpdus[] = {
    {0, false, 0, "1442 1442 1170", "1442 1442 1170"},
    {1460, false, 0, "1442 1442 1170", "1442 1442 1170"},
    {536, false, 0, "522 522 522 522 522 522 522 490", "522 522 522 522 522 522 522 490"},
    {0, false, 576, "1442 1442 1170", "522 522 522 522 522 522 522 490"},
    {0, true, 0, "1442 1442 1170", "1446 1442 1166"},
};

/* MPA-152: MULPDU follows EMSS when the MTU changes. */
TEST(test_mulpdu)
{
  for (size_t i = 0; i < G_N_ELEMENTS(mulpdus); i++) {
    const mulpdu_case *c = &mulpdus[i];
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *initiator = &f->sides[SIDE_INITIATOR];

    initiator->config.assumed_emss_octets = c->assumed_emss_octets;
    initiator->config.dynamic_mulpdu = c->dynamic;
    rnic_fixture_create(f);
    uint8_t *first = rnic_fixture_post_receive(f, SIDE_RESPONDER, 4000, 1);
    uint8_t *second = rnic_fixture_post_receive(f, SIDE_RESPONDER, 4000, 2);
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(4000));
    rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
    char *sizes = ulpdu_sizes(f, SIDE_INITIATOR);
    g_assert_cmpstr(sizes, ==, c->first);
    g_free(sizes);
    if (c->new_mtu_octets > 0) {
      kit_set_send_mtu(initiator->endpoint->tcp, c->new_mtu_octets);
      g_assert_cmpuint(rnic_endpoint_emss_octets(initiator->endpoint), ==, c->new_mtu_octets - 40);
    }
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(4000));
    rnic_fixture_run(f, TIME_PS_PER_SECOND);
    sizes = ulpdu_sizes(f, SIDE_INITIATOR);
    g_assert_cmpstr(sizes + strlen(c->first) + 1, ==, c->second);
    g_free(sizes);
    g_assert_true(rnic_fixture_is_payload(first, 4000) && rnic_fixture_is_payload(second, 4000));
  }
}

/* MPA-149, MPA-150: by position ULPDUs are longer where fewer markers lie. EMSS 1036, printed formula 1036 -
 * (6 + 4 * 3 + 0) = 1018. At offset 0: markers at 0, 512, 1024: 1018; at 1036: 1536, 2048: 1022; at 2072:
 * 2560, 3072: 1022; at 3108: 3584, 4096: 1022. Every segment is filled to the last octet, and holds one
 * FPDU. */
RNIC_TEST(test_dynamic_mulpdu)
{
  initiator->config.dynamic_mulpdu = true;
  initiator->config.tcp.send_mtu_octets = 1076;
  rnic_fixture_create(f);
  uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 4012, 1);
  /* 1018 + 3 * 1022 = 4084, less 4 headers of 18 octets: 4012 */
  rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(4012));
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  char *sizes = ulpdu_sizes(f, SIDE_INITIATOR);
  g_assert_cmpstr(sizes, ==, "1018 1022 1022 1022");
  g_free(sizes);
  g_assert_cmpuint(initiator->wire->len, ==, 20 + 4 * 1036);
  g_assert_cmpuint(initiator->packets, ==, 1 + 4);
  g_assert_true(rnic_fixture_is_payload(buffer, 4012));
}

/* MPA-150: behind an FPDU that waits in TCP for the rest of its segment, MULPDU is what fits into that. A
 * Write of 70 octets: a marker, 2, 84 of ULPDU, 2 of pad, 4: 96. In the 1364 octets left, up to offset 1460,
 * lie the markers at 512 and 1024: 1364 - 8 - 6 = 1350, 1336 of payload. At 1460: 1536, 2048, 2560: 1442,
 * 1428 of payload, and the only one of full size. 4000 - 1336 - 1428 = 1236 are left. */
RNIC_TEST(test_dynamic_mulpdu_behind_an_fpdu)
{
  rdmap_work write = {.id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 70};

  initiator->config.dynamic_mulpdu = true;
  rnic_fixture_create(f);
  uint8_t *memory = rnic_fixture_register(f, SIDE_RESPONDER, 0, 4000, &write.remote_stag);
  rnic_fixture_post_work(f, SIDE_INITIATOR, write);
  write.length = 4000;
  rnic_fixture_post_work(f, SIDE_INITIATOR, write);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  char *sizes = ulpdu_sizes(f, SIDE_INITIATOR);
  g_assert_cmpstr(sizes, ==, "84 1350 1442 1250");
  g_free(sizes);
  g_assert_cmpuint(initiator->packets, ==, 1 + 3);
  g_assert_cmpuint(rnic_endpoint_full_size(initiator->endpoint)->payload_octets, ==, 1428);
  g_assert_cmpuint(rnic_endpoint_full_size(initiator->endpoint)->stream_octets, ==, 1460);
  g_assert_true(rnic_fixture_is_payload(memory, 4000));
}

/* A ULP that wants to hear nothing: neither of Private Data, losses and octets, nor of the end, of a
 * connection that fails or of one that does not. */
TEST(test_no_events)
{
  for (int fails = 0; fails < 2; fails++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    fixture_side *initiator = &f->sides[SIDE_INITIATOR];
    fixture_side *responder = &f->sides[SIDE_RESPONDER];

    initiator->hears_nothing = responder->hears_nothing = true;
    initiator->lost = 0x2; /* the first FPDU */
    rnic_fixture_create(f);
    uint8_t *buffer = rnic_fixture_post_receive(f, SIDE_RESPONDER, 5000, 7);
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(5000));
    if (fails) {
      rnic_fixture_post(f, SIDE_INITIATOR, .id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 10,
                        .remote_stag = 0xBAD);
    }
    rnic_fixture_start(f);
    rnic_endpoint_close(initiator->endpoint);
    rnic_fixture_run(f, 10 * TIME_PS_PER_SECOND);
    rnic_endpoint_close(responder->endpoint);
    rnic_fixture_run(f, 10 * TIME_PS_PER_SECOND);
    g_assert_true(rnic_fixture_is_payload(buffer, 5000));
    g_assert_true(initiator->fin && responder->fin);
    g_assert_cmpint(rnic_endpoint_is_erroneous(responder->endpoint), ==, fails);
  }
}

/* The placement latency delays ULPDUs, and what comes behind them keeps its place: the FIN is told when the
 * last of them has been placed, and so is an error of MPA's. */
TEST(test_placement_latency)
{
  for (int bad = 0; bad < 2; bad++) {
    const fault_config second_crc = {.id = FAULT_BAD_CRC, .at = 2};
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    g_autoptr(fault_injector) fault = fault_injector_new(&second_crc, f->sides[SIDE_RESPONDER].host, 1);
    fixture_side *responder = &f->sides[SIDE_RESPONDER];

    f->sides[SIDE_INITIATOR].config.fault = bad ? &fault->misbehaviour : NULL;
    responder->config.placement_latency_ps = 50 * TIME_PS_PER_MILLISECOND;
    rnic_fixture_create(f);
    uint8_t *first = rnic_fixture_post_receive(f, SIDE_RESPONDER, 70, 7);
    uint8_t *second = rnic_fixture_post_receive(f, SIDE_RESPONDER, 70, 8);
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(70));
    rnic_fixture_post_work(f, SIDE_INITIATOR, rnic_fixture_send_of(70));
    rnic_endpoint_close(f->sides[SIDE_INITIATOR].endpoint);
    rnic_fixture_start_and_run(f, 40 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(responder->placed + (unsigned)responder->failed + (unsigned)responder->finished, ==, 0);
    rnic_occupancy held;
    rnic_endpoint_held(responder->endpoint, &held);
    g_assert_cmpuint(held.processing, ==,
                     bad ? 4 + 96 : 4 + 2 * 96); /* a marker; 2 + 88 + 2 + 4 octets each */
    rnic_fixture_run(f, TIME_PS_PER_SECOND);
    g_assert_true(rnic_fixture_is_payload(first, 70));
    if (bad) {
      g_assert_cmpstr(responder->code, ==, "MPA error 2");
      g_assert_cmpstr(responder->completions->str, ==, "received 7 (70 octets)");
      g_assert_true(rnic_fixture_is_untouched(second, 70));
    } else {
      g_assert_cmpstr(responder->completions->str, ==, "received 7 (70 octets), received 8 (70 octets)");
      g_assert_cmpint(responder->finished, ==, 1);
    }
  }
}

/* --- Connections of one host --- */

/* A second connection whose Responder is on the host of the first one's. Freed before it. */
static rnic_fixture *second_connection(const rnic_fixture *first, uint32_t protection_domain)
{
  rnic_fixture *f = rnic_fixture_new();

  f->sides[SIDE_RESPONDER].config.host = first->sides[SIDE_RESPONDER].host;
  f->sides[SIDE_RESPONDER].config.protection_domain = protection_domain;
  return f;
}

typedef struct reach_case {
  const char *ids;
  bool same_domain;
  ddp_association association;
  bool reaches;
} reach_case;

static const reach_case reaches[] = {
    {"DDP-208: by Protection Domain, another one", false, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, false},
    {"DDP-208: by Protection Domain, the same one", true, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, true},
    {"DDP-209: by stream", false, DDP_ASSOCIATED_BY_STREAM, false},
    {"DDP-209: by stream", true, DDP_ASSOCIATED_BY_STREAM, false},
};

/* DDP-207, DDP-208, DDP-209: an STag that one connection of an RNIC registers, used by the peer of another
 * connection: a Write, then a Read. */
TEST(test_reach_between_connections)
{
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(reaches); i++) {
    const reach_case *c = &reaches[i / 2];
    bool reads = i % 2;
    g_autoptr(rnic_fixture) owner = rnic_fixture_new();
    rnic_fixture_create(owner);
    rnic_host *host = owner->sides[SIDE_RESPONDER].host;
    uint32_t domain = owner->sides[SIDE_RESPONDER].config.protection_domain;
    rnic_fixture *other =
        second_connection(owner, c->same_domain ? domain : rnic_host_protection_domain_new(host));
    rnic_memory memory = {.octets = rnic_fixture_memory(owner, SIDE_RESPONDER, 100),
                          .length = 100,
                          .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                          .association = c->association};
    rdmap_work work = {.id = 1, .length = 100};

    rnic_fixture_create(other);
    work.remote_stag = rnic_allocate_stag(owner->sides[SIDE_RESPONDER].endpoint);
    g_assert_true(rnic_register_as(owner->sides[SIDE_RESPONDER].endpoint, &memory, work.remote_stag));
    uint8_t *sink = rnic_fixture_register(other, SIDE_INITIATOR, 0, 100, &work.local_stag);
    work.operation = reads ? RDMAP_OPERATION_READ : RDMAP_OPERATION_WRITE;
    rnic_fixture_post_work(other, SIDE_INITIATOR, work);
    rnic_fixture_start_and_run(other, TIME_PS_PER_SECOND);
    if (c->reaches) {
      g_assert_cmpint(other->sides[SIDE_RESPONDER].failed, ==, 0);
      g_assert_cmpint(rnic_fixture_is_payload(memory.octets, 100), ==, !reads);
    } else {
      g_assert_cmpstr(other->sides[SIDE_RESPONDER].code, ==, reads ? "Terminate 0/1/03" : "Terminate 1/1/02");
      g_assert_true(rnic_fixture_is_untouched(memory.octets, 100) && rnic_fixture_is_untouched(sink, 100));
    }
    rnic_fixture_free(other);
  }
}

/* Receive buffers are not shared across streams: a peer that takes more than its connection has lent is found
 * out (no buffer, 1/2/02) and takes none from another connection of the host. */
TEST(test_greedy_peer)
{
  g_autoptr(rnic_fixture) modest = rnic_fixture_new();

  rnic_fixture_create(modest);
  g_autoptr(rnic_fixture) greedy =
      second_connection(modest, modest->sides[SIDE_RESPONDER].config.protection_domain);
  rnic_fixture_create(greedy);
  uint8_t *other = rnic_fixture_post_receive(modest, SIDE_RESPONDER, 70, 1);
  rnic_fixture_post_receive(greedy, SIDE_RESPONDER, 70, 2);
  rnic_fixture_post_work(greedy, SIDE_INITIATOR, rnic_fixture_send_of(70));
  rnic_fixture_post_work(greedy, SIDE_INITIATOR, rnic_fixture_send_of(70));
  rnic_fixture_start_and_run(greedy, TIME_PS_PER_SECOND);
  g_assert_cmpstr(greedy->sides[SIDE_RESPONDER].code, ==, "Terminate 1/2/02");
  g_assert_cmpstr(greedy->sides[SIDE_RESPONDER].completions->str, ==, "received 2 (70 octets)");
  g_assert_true(rnic_fixture_is_untouched(other, 70));
  rnic_fixture_post_work(modest, SIDE_INITIATOR, rnic_fixture_send_of(70));
  rnic_fixture_start_and_run(modest, TIME_PS_PER_SECOND);
  g_assert_true(rnic_fixture_is_payload(other, 70));
  g_assert_cmpint(modest->sides[SIDE_RESPONDER].failed, ==, 0);
}
