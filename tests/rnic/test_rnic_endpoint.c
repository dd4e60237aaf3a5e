/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole endpoints in full operation: the two directions, their ends, and what a host's connections share. */
#include "rnic_fixture.h"

#include "../kit/path_mtu.h"
#include "fault/fault_injector.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fault_injector, fault_injector_free)

/* Both ends closed gracefully, with nothing to complain about. */
static void assert_closed_well(const rnic_fixture *f)
{
  for (unsigned side = 0; side < SIDES; side++) {
    const fixture_side *s = &f->sides[side];
    EXPECT_FIELDS(s, (failed, 0), (closed, 1));
    g_assert_true(s->fin && !s->rst);
  }
}

/* DDP-028, DDP-029: the peer's FIN is reported as a graceful end of stream and connection, which RST never is
 * (test_fault_injector, reset). DDP-129: the other half is closed gracefully in turn. DDP-031: then the
 * connection is down. */
RNIC_TEST(test_send_and_close)
{
  uint8_t *buffer = post_receive(f->responder, 5000, 7);
  post_send(f->initiator, 5000);
  start(f);
  rnic_endpoint_close(f->initiator->endpoint); /* waits for what is posted */
  g_assert_false(post_send(f->initiator, 0));
  run(f, TIME_PS_PER_SECOND);
  g_assert_true(is_payload(buffer, 5000));
  g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (5000 octets)");
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1");
  g_assert_cmpint(f->responder->finished, ==, 1);
  g_assert_cmpuint(rnic_endpoint_counts_of(f->initiator->endpoint).mulpdu_octets, ==,
                   1442); /* 1460 - (6 + 4 * 3 + 0) */
  assert_closed_well(f);
}

/* DDP-128, DDP-131: a half-closed stream serves the other direction as long as its ULP likes: Writes, Sends
 * and answers to Reads. DDP-121: with nothing left to do it stays, until its ULP asks for the end; then,
 * DDP-129, its own close closes the rest. */
RNIC_TEST(test_half_close)
{
  f->responder->closes_when_finished = false;
  post_receive(f->responder, 0, 7);
  uint8_t *buffer = post_receive(f->initiator, 3000, 8);
  post_send(f->initiator, 0);
  rnic_endpoint_close(f->initiator->endpoint);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_true(f->initiator->fin && !f->responder->fin);
  g_assert_cmpint(f->responder->finished, ==, 1);
  g_assert_true(post_send(f->responder, 3000));
  run(f, TIME_PS_PER_SECOND);
  g_assert_true(is_payload(buffer, 3000));
  g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (0 octets), send 1");
  g_assert_false(f->responder->fin);
  rnic_endpoint_close(f->responder->endpoint);
  run(f, TIME_PS_PER_SECOND);
  assert_closed_well(f);
}

/* A ULP closes at once: the FIN waits for full operation, so that the startup frames are still sent. */
RNIC_TEST(test_close_before_full_operation)
{
  start(f);
  rnic_endpoint_close(f->initiator->endpoint);
  rnic_endpoint_close(f->responder->endpoint);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->initiator->wire->len, ==, 20);
  g_assert_cmpuint(f->responder->wire->len, ==, 20);
  assert_closed_well(f);
}

/* An operation is complete when TCP has the acknowledgement of its last FPDU (note D23): the second of two,
 * one full segment each, is lost, and waits for its retransmission. The events count from the first octet of
 * the FPDU phase, which is 1460 octets earlier. */
RNIC_TEST(test_completion_by_acknowledgement)
{
  f->initiator->lost = 0x4; /* Request, Send, Send */
  create(f);
  for (unsigned i = 0; i < 2; i++) {
    post_receive(f->responder, 1424, i);
  }
  post_send(f->initiator, 1424);
  start_and_run(f, 100 * TIME_PS_PER_MILLISECOND); /* its ACK is delayed by 40 ms */
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1");
  post_send(f->initiator, 1424);
  run(f, 100 * TIME_PS_PER_MILLISECOND); /* a probe waits for rto_min, 200 ms */
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1");
  run(f, 10 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1, send 1");
  EXPECT_FIELDS(f->initiator, (retransmissions, 1), (first_retransmitted, 1460));
  EXPECT_FIELDS(f->responder, (first_segment, 0), (segments, 2));
}

/* --- Failures --- */

/* A stream of Writes of which one, in the middle, names an STag that is not valid; with losses on the way. */
static rnic_fixture *write_with_one_bad(uint8_t **memory, bool loses_terminate)
{
  rnic_fixture *f = rnic_fixture_new();
  uint32_t stag;

  f->initiator->lost = 0x28;
  create(f);
  *memory = register_memory(f->responder, 0, 100 * 1428, &stag);
  for (uint64_t i = 0; i < 100; i++) {
    post(f->initiator, .id = i, .operation = RDMAP_WRITE, .length = 1428,
         .remote_stag = i == 40 ? stag ^ 1 : stag, .remote_offset = i * 1428);
  }
  if (loses_terminate) {
    f->responder->lost = 0x2; /* its second packet with payload, after the Reply */
  }
  start(f);
  return f;
}

/* DDP-027, RDMAP-226: when a stream has failed and RDMAP has asked for its end, no data of it moves any more
 * at the end that failed: nothing is Placed or Delivered, nothing but the Terminate goes out. DDP-124: octets
 * after the end are not parsed. RDMAP-223: the Terminate arrives although many segments are on their way to
 * its sender, which acknowledges and drops them (note D38), and although its first transmission is lost.
 * RDMAP-225: the stream is marked erroneous. */
TEST(test_nothing_moves_after_a_failure)
{
  for (int loses = 0; loses < 2; loses++) {
    uint8_t *memory;
    g_autoptr(rnic_fixture) f = write_with_one_bad(&memory, loses);
    fixture_side *source = f->initiator;
    fixture_side *sink = f->responder;
    run(f, 10 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(sink->code, ==, "Terminate 1/1/00");
    g_assert_true(rnic_endpoint_is_erroneous(sink->endpoint));
    EXPECT_FIELDS(sink, (placed_after_failure, 0), (delivered, 40));
    /* The Reply; after it the one FPDU: the leading marker, 2 + 18 + 20 octets, no PAD (42 = 2 mod 4 … 2
     * more), CRC. */
    g_assert_cmpuint(sink->wire->len, ==, 20 + 4 + 40 + 4);
    g_autofree char *terminate = terminate_of(sink);
    g_assert_cmpuint(strlen(terminate), ==, 2 * 20);
    g_assert_cmpstr(source->code, ==, "Terminate 1/1/00");
    g_assert_true(source->failure.by_peer);
    g_assert_true(is_untouched(memory + 40 * 1428, 1428));
    g_assert_true(source->fin && sink->fin && !source->rst && !sink->rst);
    g_assert_true(source->closed == 1 && sink->closed == 1);
    g_assert_cmpuint(waiting_octets(sink) + held_by(sink).undelivered, ==, 0);
  }
}

/* DDP-132, MPA-274: the peer is gone: TCP gives up (code 1), there is one fatal indication, all open work
 * ends in error, and nothing hangs. */
RNIC_TEST(test_peer_is_gone)
{
  start_and_run(f, TIME_PS_PER_SECOND);
  f->loses = loses_everything;
  post_send(f->initiator, 5000);
  run(f, 1000 * TIME_PS_PER_SECOND);
  EXPECT_FIELDS(f->initiator, (failed, 1), (failure.layer, RNIC_FAILURE_TCP),
                (failure.reason.tcp, TCP_CLOSE_GAVE_UP));
  g_assert_cmpstr(f->initiator->code, ==, "MPA error 1");
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1 in error");
  g_assert_cmpint(f->initiator->closed, ==, 1);
  g_assert_false(post_send(f->initiator, 0));
}

static void assert_fin_within_an_fpdu(iwarp_generation generation, uint32_t position, const uint8_t begun[12])
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();

  set_generation(f, generation);
  post_receive(f->responder, 100, 7);
  start_and_run(f, TIME_PS_PER_SECOND);
  f->loses = loses_everything; /* the real Initiator would not know what it never sent */
  forge(f, position, begun, 12, TCP_ACK | TCP_FIN);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->code, ==, "MPA error 1");
  EXPECT_FIELDS(f->responder, (failure.layer, RNIC_FAILURE_MPA), (finished, 0));
  g_assert_true(f->responder->fin);
}

/* MPA-272, MPA-274, MPA-276 (note M32): FIN in the middle of an FPDU is no graceful end: code 1. A marker,
 * then a length of 100 and the first octets of such a ULPDU; after the Request's 20 octets, or, in rdmac,
 * first of all. */
TEST(test_fin_within_an_fpdu)
{
  static const uint8_t ietf[12] = {0, 0, 0, 0, 0, 100, 0x41, 0x43};
  static const uint8_t rdmac[12] = {0, 0, 0, 0, 0, 100, 0x40, 0x03};

  assert_fin_within_an_fpdu(IWARP_IETF, 20, ietf);
  assert_fin_within_an_fpdu(IWARP_RDMAC, 0, rdmac);
}

static bool has_terminate(const fixture_side *s)
{
  g_autofree char *terminate = terminate_of(s);
  return *terminate != '\0';
}

/* The first packet by which the Responder's Terminate is on the wire as a whole gets lost. */
static bool loses_the_terminate(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->responder || packet->payload.length == 0 || !has_terminate(from)) {
    return false;
  }
  from->fixture->loses = NULL;
  return true;
}

/* The ULPs learn of a failure when the Terminate leaves and when it arrives, one way of 10 us later; also
 * late in a connection's life. */
RNIC_TEST(test_when_a_terminate_is_reported)
{
  start_and_run(f, TIME_PS_PER_SECOND);
  post(f->initiator, .id = 2, .operation = RDMAP_WRITE, .length = 10, .remote_stag = 0xBAD);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpint(f->responder->failed_at, ==, TIME_PS_PER_SECOND + 10 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(f->initiator->failed_at, ==, TIME_PS_PER_SECOND + 20 * TIME_PS_PER_MICROSECOND);
}

/* DDP-086: the Responder fails while it sends 100,000 octets itself, far more than TCP's initial window: that
 * Send goes out whole, then the Terminate. DDP-138: until then the stream stays as it is, neither FIN nor RST
 * comes. RDMAP-223: the end is graceful: FIN after the Terminate, and the connection is closed only when the
 * peer has it, also when its first transmission is lost. */
TEST(test_terminate_after_message_under_way)
{
  for (int loses = 0; loses < 2; loses++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    post_receive(f->responder, 0, 7);
    uint8_t *buffer = post_receive(f->initiator, 100000, 8);
    post_send(f->responder, 100000);
    post_send(f->initiator, 0);
    start_and_run(f, 55 * TIME_PS_PER_MICROSECOND); /* the Responder's first window is on its way */
    g_assert_cmpuint(f->responder->wire->len, ==,
                     20 + 10 * 1460 - 4); /* one of the ten FPDUs has two markers, not three */
    post(f->initiator, .id = 2, .operation = RDMAP_WRITE, .length = 10, .remote_stag = 0xBAD);
    post_send(f->responder, 1); /* not handed to DDP yet: it is never sent */
    f->loses = loses ? loses_the_terminate : NULL;
    while (!f->responder->fin) {
      g_assert_false(f->responder->rst);
      g_assert_cmpint(f->responder->closed, ==, 0);
      g_assert_cmpint(f->now, <, START_PS + 10 * TIME_PS_PER_SECOND);
      run(f, TIME_PS_PER_MICROSECOND);
    }
    g_assert_true(has_terminate(f->responder));
    /* 71 FPDUs leave in windows of 10, 20 and 40, of which the first two may have left at the failure; the
     * last leaves with the FIN and the third, beyond the window. */
    g_assert_cmpint(f->responder->fin_at, >=, f->responder->failed_at + 20 * TIME_PS_PER_MICROSECOND);
    while (!f->responder->closed) {
      g_assert_cmpint(f->now, <, START_PS + 20 * TIME_PS_PER_SECOND);
      g_assert_false(f->responder->rst);
      run(f, TIME_PS_PER_MICROSECOND);
    }
    g_assert_cmpint(f->initiator->failed, ==, 1);
    g_assert_true(f->initiator->failure.by_peer);
    g_assert_cmpuint(f->initiator->retransmissions + f->responder->retransmissions, ==, loses ? 1 : 0);
    run(f, TIME_PS_PER_SECOND);
    g_assert_cmpstr(f->responder->code, ==, "Terminate 1/1/00");
    g_assert_cmpstr(f->initiator->code, ==, "Terminate 1/1/00");
    g_assert_cmpstr(f->initiator->completions->str, ==, "send 1, write 2, received 8 (100000 octets)");
    g_assert_cmpstr(f->responder->completions->str, ==,
                    "received 7 (0 octets), send 1 in error, send 1 in error");
    g_assert_true(is_payload(buffer, 100000));
    g_autoptr(GPtrArray) ulpdus = ulpdus_of(f->responder, NULL);
    /* 1424 octets of payload a ULPDU: 70 of them and 320 octets, then the Terminate: 18 + 20 octets */
    g_assert_cmpuint(ulpdus->len, ==, 71 + 1);
    g_assert_cmpuint(((GByteArray *)g_ptr_array_index(ulpdus, 71))->len, ==, 18 + 20);
    g_assert_true(f->initiator->closed == 1 && f->responder->closed == 1 && !f->initiator->rst);
  }
}

/* MPA-288: octets that waited to be in order when the connection failed are no longer kept. Without markers
 * everything after a hole waits. */
RNIC_TEST(test_nothing_is_kept)
{
  f->responder->config.markers = false;
  f->initiator->lost = 0x2; /* the first FPDU */
  post_receive(f->responder, 4000, 7);
  post_send(f->initiator, 4000);
  start_and_run(f, 100 * TIME_PS_PER_MICROSECOND);
  /* MULPDU 1454, 1436 of payload: 4000 = 1436 + 1436 + 1128: 1460 octets, and 2 + 1146 + 4 = 1152 */
  g_assert_cmpuint(held_by(f->responder).order, ==, 1460 + 1152);
  forge(f, 20, "", 0, TCP_RST);
  g_assert_cmpint(f->responder->failed, ==, 1);
  g_assert_cmpuint(waiting_octets(f->responder) + held_by(f->responder).partial_fpdus, ==, 0);
  run(f, 100 * TIME_PS_PER_SECOND);
}

/* That nothing is held is reported at once, before and after something was lost. */
RNIC_TEST(test_holds_nothing)
{
  f->responder->config.tcp.passing = TCP_PASSING_AS_ARRIVED;
  f->initiator->lost = 0x4; /* the second FPDU */
  post_receive(f->responder, 0, 6);
  post_receive(f->responder, 4000, 7);
  post_send(f->initiator, 0);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_true(rnic_endpoint_holds_nothing(f->responder->endpoint));
  post_send(f->initiator, 4000);
  run(f, 100 * TIME_PS_PER_MICROSECOND);
  g_assert_false(rnic_endpoint_holds_nothing(f->responder->endpoint));
  run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->completions->str, ==, "received 6 (0 octets), received 7 (4000 octets)");
  g_assert_true(rnic_endpoint_holds_nothing(f->responder->endpoint));
}

/* MPA-274, MPA-276: the peer's FIN in the middle of startup is code 1, and the connection ends by FIN. The
 * peer is of generation rdmac and closes at once. The time that was left for its frame no longer matters. */
RNIC_TEST(test_fin_in_startup)
{
  f->responder->config.generation = IWARP_RDMAC;
  post_send(f->initiator, 70);
  start(f);
  rnic_endpoint_close(f->responder->endpoint);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->initiator->code, ==, "MPA error 1");
  g_assert_cmpint(f->initiator->failure.layer, ==, RNIC_FAILURE_MPA);
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1 in error");
  g_assert_true(f->initiator->fin && !f->initiator->rst);
  EXPECT_FIELDS(f->initiator, (failed, 1), (closed, 1));
  g_assert_cmpint(rnic_endpoint_deadline(f->initiator->endpoint), ==, TIME_PS_NEVER);
}

/* --- Options --- */

/* MPA-286, MPA-287: with silent drop a segment with a broken FPDU counts as lost: once it comes again
 * undamaged, no error remains. */
RNIC_TEST(test_silent_drop)
{
  const fault_config bad_crc = {.id = FAULT_BAD_CRC, .at = 1};
  g_autoptr(fault_injector) fault = fault_injector_new(&bad_crc, f->responder->host, 1);

  /* A fault at the source is permanent: TCP repeats the same octets until it gives up, and RST or silence is
   * code 1. */
  f->initiator->config.fault = &fault->misbehaviour;
  f->initiator->config.tcp.retries_max = 3;
  f->responder->config.silent_drop = true;
  uint8_t *buffer = post_receive(f->responder, 70, 7);
  post_send(f->initiator, 70);
  start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->initiator->code, ==, "MPA error 1");
  g_assert_cmpint(f->initiator->failure.reason.tcp, ==, TCP_CLOSE_GAVE_UP);
  g_assert_cmpint(f->responder->failure.layer, !=, RNIC_FAILURE_MPA);
  /* The original, the tail loss probe, and two more: the third timeout is the last. */
  g_assert_cmpuint(rnic_endpoint_counts_of(f->responder->endpoint).refusals->broken, ==, 4);
  g_assert_true(is_untouched(buffer, 70));
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
  const ip_address source = ip_header_source(packet->header);
  const ip_address destination = ip_header_destination(packet->header);
  return datagram_new_in(NULL, &source, &destination, &header, &payload);
}

/* Damages the Initiator's fourth packet with payload on its way, and delivers the damaged one in its
 * place. */
static bool damages_one(fixture_side *from, const datagram *packet)
{
  if (from != from->fixture->initiator || packet->payload.length == 0 || from->packets != 4) {
    return false;
  }
  g_autoptr(datagram) other = damaged(packet);
  rnic_endpoint_receive(from->fixture->responder->endpoint, other, from->fixture->now);
  return true;
}

/* MPA-286: damage on the way is repaired by TCP's retransmission. MPA-274, MPA-288: without the option it is
 * code 2 and the end. */
TEST(test_damage_on_the_way)
{
  for (int silent = 0; silent < 2; silent++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();

    f->responder->config.silent_drop = silent;
    f->loses = damages_one;
    uint8_t *buffer = post_receive(f->responder, 14240, 7); /* ten full FPDUs */
    post_send(f->initiator, 14240);
    start_and_run(f, 10 * TIME_PS_PER_SECOND);
    if (silent) {
      g_assert_cmpint(f->responder->failed, ==, 0);
      g_assert_cmpuint(rnic_endpoint_counts_of(f->responder->endpoint).refusals->broken, ==, 1);
      g_assert_true(is_payload(buffer, 14240));
    } else {
      g_assert_cmpstr(f->responder->code, ==, "MPA error 2");
      g_assert_cmpuint(f->responder->placed_after_failure, ==, 0);
      g_assert_cmpuint(f->responder->delivered, <, 10);
    }
  }
}

/* The side put ULPDUs of these sizes on the wire: "1442 1442 90". */
static void assert_ulpdu_sizes(const fixture_side *s, const char *expected)
{
  g_autoptr(GPtrArray) ulpdus = ulpdus_of(s, NULL);
  g_autoptr(GString) sizes = g_string_new(NULL);
  for (guint i = 0; i < ulpdus->len; i++) {
    const GByteArray *ulpdu = g_ptr_array_index(ulpdus, i);
    g_string_append_printf(sizes, "%s%u", i > 0 ? " " : "", ulpdu->len);
  }
  g_assert_cmpstr(sizes->str, ==, expected);
}

typedef struct mulpdu_case {
  const char *name;
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
    {"printed formula", 0, false, 0, "1442 1442 1170", "1442 1442 1170"},
    {"EMSS assumed to be 1460", 1460, false, 0, "1442 1442 1170", "1442 1442 1170"},
    {"EMSS assumed to be 536", 536, false, 0, "522 522 522 522 522 522 522 490",
     "522 522 522 522 522 522 522 490"},
    {"MTU changes", 0, false, 576, "1442 1442 1170", "522 522 522 522 522 522 522 490"},
    {"by position", 0, true, 0, "1442 1442 1170", "1446 1442 1166"},
};

/* MPA-152: MULPDU follows EMSS when the MTU changes. */
EACH_TEST(test_mulpdu, mulpdu_case, mulpdus)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  f->initiator->config.assumed_emss_octets = c->assumed_emss_octets;
  f->initiator->config.dynamic_mulpdu = c->dynamic;
  uint8_t *first = post_receive(f->responder, 4000, 1);
  uint8_t *second = post_receive(f->responder, 4000, 2);
  post_send(f->initiator, 4000);
  start_and_run(f, TIME_PS_PER_SECOND);
  assert_ulpdu_sizes(f->initiator, c->first);
  if (c->new_mtu_octets > 0) {
    kit_set_send_mtu(f->initiator->endpoint->sender.config.tcp, c->new_mtu_octets);
    g_assert_cmpuint(rnic_endpoint_counts_of(f->initiator->endpoint).tcp->emss_octets, ==,
                     c->new_mtu_octets - 40);
  }
  post_send(f->initiator, 4000);
  run(f, TIME_PS_PER_SECOND);
  g_autofree char *both = g_strconcat(c->first, " ", c->second, NULL);
  assert_ulpdu_sizes(f->initiator, both);
  g_assert_true(is_payload(first, 4000) && is_payload(second, 4000));
}

/* MPA-149, MPA-150: by position ULPDUs are longer where fewer markers lie. EMSS 1036, printed formula 1036 -
 * (6 + 4 * 3 + 0) = 1018. At offset 0: markers at 0, 512, 1024: 1018; at 1036: 1536, 2048: 1022; at 2072:
 * 2560, 3072: 1022; at 3108: 3584, 4096: 1022. Every segment is filled to the last octet, and holds one
 * FPDU. */
RNIC_TEST(test_dynamic_mulpdu)
{
  f->initiator->config.dynamic_mulpdu = true;
  f->initiator->config.tcp.send_mtu_octets = 1076;
  uint8_t *buffer = post_receive(f->responder, 4012, 1);
  /* 1018 + 3 * 1022 = 4084, less 4 headers of 18 octets: 4012 */
  post_send(f->initiator, 4012);
  start_and_run(f, TIME_PS_PER_SECOND);
  assert_ulpdu_sizes(f->initiator, "1018 1022 1022 1022");
  g_assert_cmpuint(f->initiator->wire->len, ==, 20 + 4 * 1036);
  g_assert_cmpuint(f->initiator->packets, ==, 1 + 4);
  g_assert_true(is_payload(buffer, 4012));
}

/* MPA-150: after an FPDU that waits in TCP for the rest of its segment, MULPDU is what fits into that. A
 * Write of 70 octets: a marker, 2, 84 of ULPDU, 2 of pad, 4: 96. In the 1364 octets left, up to offset 1460,
 * lie the markers at 512 and 1024: 1364 - 8 - 6 = 1350, 1336 of payload. At 1460: 1536, 2048, 2560: 1442,
 * 1428 of payload, and the only one of full size. 4000 - 1336 - 1428 = 1236 are left. */
RNIC_TEST(test_dynamic_mulpdu_after_an_fpdu)
{
  uint32_t stag;
  f->initiator->config.dynamic_mulpdu = true;
  uint8_t *memory = register_memory(f->responder, 0, 4000, &stag);
  post(f->initiator, .id = 1, .operation = RDMAP_WRITE, .length = 70, .remote_stag = stag);
  post(f->initiator, .id = 1, .operation = RDMAP_WRITE, .length = 4000, .remote_stag = stag);
  start_and_run(f, TIME_PS_PER_SECOND);
  assert_ulpdu_sizes(f->initiator, "84 1350 1442 1250");
  g_assert_cmpuint(f->initiator->packets, ==, 1 + 3);
  EXPECT_FIELDS(rnic_endpoint_counts_of(f->initiator->endpoint).full_size, (payload_octets, 1428),
                (stream_octets, 1460));
  g_assert_true(is_payload(memory, 4000));
}

/* A ULP may want no events: neither of Private Data, losses and octets, nor of the end of a connection,
 * whether it fails or not. */
TEST(test_no_events)
{
  for (int fails = 0; fails < 2; fails++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();

    f->initiator->wants_no_events = f->responder->wants_no_events = true;
    f->initiator->lost = 0x2; /* the first FPDU */
    uint8_t *buffer = post_receive(f->responder, 5000, 7);
    post_send(f->initiator, 5000);
    if (fails) {
      post(f->initiator, .id = 1, .operation = RDMAP_WRITE, .length = 10, .remote_stag = 0xBAD);
    }
    start(f);
    rnic_endpoint_close(f->initiator->endpoint);
    run(f, 10 * TIME_PS_PER_SECOND);
    rnic_endpoint_close(f->responder->endpoint);
    run(f, 10 * TIME_PS_PER_SECOND);
    g_assert_true(is_payload(buffer, 5000));
    g_assert_true(f->initiator->fin && f->responder->fin);
    g_assert_cmpint(rnic_endpoint_is_erroneous(f->responder->endpoint), ==, fails);
  }
}

/* The placement latency delays ULPDUs, and what comes after them keeps its place: the FIN is reported when
 * the last of them has been placed, and so is an MPA error. */
TEST(test_placement_latency)
{
  for (int bad = 0; bad < 2; bad++) {
    const fault_config second_crc = {.id = FAULT_BAD_CRC, .at = 2};
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    g_autoptr(fault_injector) fault = fault_injector_new(&second_crc, f->responder->host, 1);

    f->initiator->config.fault = bad ? &fault->misbehaviour : NULL;
    f->responder->config.placement_latency_ps = 50 * TIME_PS_PER_MILLISECOND;
    uint8_t *first = post_receive(f->responder, 70, 7);
    uint8_t *second = post_receive(f->responder, 70, 8);
    post_send(f->initiator, 70);
    post_send(f->initiator, 70);
    rnic_endpoint_close(f->initiator->endpoint);
    start_and_run(f, 40 * TIME_PS_PER_MILLISECOND);
    f->now = rnic_endpoint_deadline(f->responder->endpoint) - 1; /* the first is due at the next */
    rnic_endpoint_run(f->responder->endpoint, f->now);
    g_assert_cmpuint(f->responder->placed + (unsigned)f->responder->failed + (unsigned)f->responder->finished,
                     ==, 0);
    /* a marker; 2 + 88 + 2 + 4 octets each */
    g_assert_cmpuint(held_by(f->responder).processing, ==, bad ? 4 + 96 : 4 + 2 * 96);
    run(f, TIME_PS_PER_SECOND);
    g_assert_true(is_payload(first, 70));
    if (bad) {
      g_assert_cmpstr(f->responder->code, ==, "MPA error 2");
      g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (70 octets)");
      g_assert_true(is_untouched(second, 70));
    } else {
      g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (70 octets), received 8 (70 octets)");
      g_assert_cmpint(f->responder->finished, ==, 1);
    }
  }
}

/* --- Connections of one host --- */

/* Receive buffers are not shared across streams: a peer that uses more than its connection has posted causes
 * an error (no buffer, 1/2/02), and takes none from another connection of the host. */
TEST(test_greedy_peer)
{
  g_autoptr(rnic_fixture) modest = rnic_fixture_new();

  create(modest);
  g_autoptr(rnic_fixture) greedy = second_connection(modest, modest->responder->config.protection_domain);
  create(greedy);
  uint8_t *other = post_receive(modest->responder, 70, 1);
  post_receive(greedy->responder, 70, 2);
  post_send(greedy->initiator, 70);
  post_send(greedy->initiator, 70);
  start_and_run(greedy, TIME_PS_PER_SECOND);
  g_assert_cmpstr(greedy->responder->code, ==, "Terminate 1/2/02");
  g_assert_cmpstr(greedy->responder->completions->str, ==, "received 2 (70 octets)");
  g_assert_true(is_untouched(other, 70));
  post_send(modest->initiator, 70);
  start_and_run(modest, TIME_PS_PER_SECOND);
  g_assert_true(is_payload(other, 70));
  g_assert_cmpint(modest->responder->failed, ==, 0);
}
