/* SPDX-License-Identifier: GPL-2.0-only */
/* Enhanced startup of whole endpoints: what is on the wire, what RDMAP works with, and what the ULPs learn
 * (RFC 6581). Both ends are of generation rfc6581, and their IRD and ORD are 2. */
#include "rnic_fixture.h"

static rnic_fixture *enhanced_fixture_new(void)
{
  rnic_fixture *f = rnic_fixture_new();

  set_generation(f, IWARP_RFC6581);
  f->initiator->config.enhanced.enabled = true;
  f->responder->config.enhanced.enabled = true;
  return f;
}

#define ENHANCED_TEST(name) TEST_OF(rnic_fixture, f, enhanced_fixture_new(), name)

/* In the peer-to-peer model with one kind of RTR. */
static void set_peer_to_peer(rnic_fixture *f, mpa_rtr rtr)
{
  f->initiator->config.enhanced.peer_to_peer = true;
  f->initiator->config.enhanced.rtr[0] = rtr;
  f->initiator->config.enhanced.rtr_count = 1;
}

static char *nth_ulpdu(const fixture_side *s, guint n)
{
  g_autoptr(GPtrArray) ulpdus = ulpdus_of(s, NULL);
  GString *hex = g_string_new(NULL);

  if (n < ulpdus->len) {
    const GByteArray *ulpdu = g_ptr_array_index(ulpdus, n);
    for (guint i = 0; i < ulpdu->len; i++) {
      g_string_append_printf(hex, "%02X", ulpdu->data[i]);
    }
  }
  return g_string_free(hex, FALSE);
}

static void assert_ulpdu(const fixture_side *s, guint n, const char *expected)
{
  g_autofree char *ulpdu = nth_ulpdu(s, n);
  g_assert_cmpstr(ulpdu, ==, expected);
}

static guint ulpdu_count(const fixture_side *s)
{
  g_autoptr(GPtrArray) ulpdus = ulpdus_of(s, NULL);
  return ulpdus->len;
}

/* --- RTR indications --- */

/* These are the first ULPDUs of the two ends: DDP's and RDMAP's control, then of an untagged one a word, QN,
 * MSN and MO, of a tagged one STag and TO; a Read Request has 28 octets more. */
#define UNTAGGED(control, queue, msn) control "00000000" queue msn "00000000"
#define NO_TAG "000000000000000000000000"
static const struct {
  mpa_rtr rtr;
  const char *indication;
  const char *answer; /* of the Responder */
} kinds[] = {
    {MPA_RTR_SEND, UNTAGGED("4143", "00000000", "00000001"), ""},
    {MPA_RTR_WRITE, "C140" NO_TAG, ""},
    {MPA_RTR_READ, UNTAGGED("4141", "00000001", "00000001") NO_TAG "00000000" NO_TAG, "C142" NO_TAG},
};

/* R6581-004, R6581-005, R6581-055, R6581-064 (RFC 6581 §5, §9.2): "MUST generate one of the negotiated RTR
 * indications", before any other FPDU; the ULPs learn nothing of it (§4.4.2): no completion, and the Send
 * takes none of the receive buffers, not even when none is posted. */
TEST(test_indication)
{
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(rnic_fixture) f = enhanced_fixture_new();

    set_peer_to_peer(f, kinds[i].rtr);
    start_and_run(f, TIME_PS_PER_SECOND);
    f->initiator->first_fpdu = f->responder->first_fpdu = 24;
    g_assert_cmpuint(ulpdu_count(f->initiator), ==, 1);
    assert_ulpdu(f->initiator, 0, kinds[i].indication);
    assert_ulpdu(f->responder, 0, kinds[i].answer);
    for (unsigned side = 0; side < SIDES; side++) {
      EXPECT_FIELDS(&f->sides[side], (failed, 0), (notified, 0), (agreement.peer_to_peer, true));
      g_assert_cmpstr(f->sides[side].completions->str, ==, "");
    }
  }
}

/* R6581-003: an end that is asked to send more posts it before startup: the indication goes first all the
 * same. What follows takes the buffers in their order, and a Send has MSN 1, or 2 after a Send as indication.
 * Whichever of the Initiator's first packets get lost, the outcome is the same; with the RTR lost, what comes
 * early waits for it. */
TEST(test_operations_follow_the_indication)
{
  for (unsigned i = 0; i < G_N_ELEMENTS(kinds) * 64; i++) {
    const size_t kind = i / 64;
    g_autoptr(rnic_fixture) f = enhanced_fixture_new();

    set_peer_to_peer(f, kinds[kind].rtr);
    f->initiator->config.tcp.segmentation = i % 2 ? TCP_SEGMENTATION_STREAM : TCP_SEGMENTATION_RECORD;
    f->responder->config.tcp.passing = i / 2 % 2 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
    f->initiator->lost = i / 4 % 16;
    create(f);
    f->initiator->first_fpdu = f->responder->first_fpdu = 24;
    uint8_t *first = post_receive(f->responder, 1300, 7);
    uint8_t *second = post_receive(f->responder, 1200, 8);
    uint8_t *back = post_receive(f->initiator, 50, 9);
    post(f->initiator, .id = 1, .operation = RDMAP_SEND, .length = 1300);
    post(f->initiator, .id = 2, .operation = RDMAP_SEND, .length = 1200);
    post(f->responder, .id = 3, .operation = RDMAP_SEND, .length = 50);
    start_and_run(f, 20 * TIME_PS_PER_SECOND);
    assert_ulpdu(f->initiator, 0, kinds[kind].indication);
    g_autofree char *next = nth_ulpdu(f->initiator, 1);
    g_assert_true(g_str_has_prefix(next, kinds[kind].rtr == MPA_RTR_SEND
                                             ? UNTAGGED("4143", "00000000", "00000002")
                                             : UNTAGGED("4143", "00000000", "00000001")));
    g_assert_true(is_payload(first, 1300) && is_payload(second, 1200) && is_payload(back, 50));
    g_assert_nonnull(strstr(f->responder->completions->str, "received 7 (1300 octets)"));
    g_assert_nonnull(strstr(f->responder->completions->str, "received 8 (1200 octets)"));
    g_assert_true(f->initiator->notified == 3 && f->responder->notified == 3);
    g_assert_true(f->initiator->failed == 0 && f->responder->failed == 0);
  }
}

static bool loses_all_of_the_initiator(fixture_side *from, const datagram *packet)
{
  return from == from->fixture->initiator && packet->payload.length > 0;
}

/* R6581-002 (RFC 6581 §3, §5): a Responder with something to send needs no message of the Initiator's ULP,
 * and sends nothing before the RTR (RFC 5044 §7.1.2 rule 4). In the client-server model it waits for an FPDU.
 */
TEST(test_responder_sends_after_the_indication)
{
  for (unsigned peer_to_peer = 0; peer_to_peer < 2; peer_to_peer++) {
    g_autoptr(rnic_fixture) f = enhanced_fixture_new();

    f->initiator->config.enhanced.peer_to_peer = peer_to_peer;
    uint8_t *buffer = post_receive(f->initiator, 70, 7);
    post_send(f->responder, 70);
    start(f);
    run(f, 30 * TIME_PS_PER_MICROSECOND); /* SYN, SYN|ACK, and the Request, 10 us each: the Reply leaves */
    f->loses = loses_all_of_the_initiator;
    run(f, 100 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(f->responder->wire->len, ==, 24);
    f->loses = NULL;
    run(f, 5 * TIME_PS_PER_SECOND);
    g_assert_cmpint(is_payload(buffer, 70), ==, peer_to_peer);
    g_assert_cmpuint(f->responder->wire->len > 24, ==, peer_to_peer);
  }
}

/* The connection ends by both ULPs' wish only after the RTR. */
ENHANCED_TEST(test_close_at_once)
{
  set_peer_to_peer(f, MPA_RTR_READ);
  create(f);
  f->initiator->first_fpdu = 24;
  rnic_endpoint_close(f->initiator->endpoint);
  rnic_endpoint_close(f->responder->endpoint);
  start_and_run(f, 5 * TIME_PS_PER_SECOND);
  assert_ulpdu(f->initiator, 0, kinds[2].indication);
  for (unsigned side = 0; side < SIDES; side++) {
    EXPECT_FIELDS(&f->sides[side], (failed, 0), (fin, true), (rst, false), (closed, 1));
  }
}

/* --- IRD and ORD --- */

static bool loses_fpdus_of_the_responder(fixture_side *from, const datagram *packet)
{
  return from == from->fixture->responder && from->wire->len > 24 && packet->payload.length > 0;
}

/* R6581-001, R6581-031, R6581-037 (RFC 6581 §9.1): the Responder's IRD bounds the Initiator's Reads
 * outstanding: while no response comes, so many Read Requests leave; the others follow. */
TEST(test_agreed_depth)
{
  for (uint32_t ird = 1; ird <= 3; ird++) {
    g_autoptr(rnic_fixture) f = enhanced_fixture_new();
    uint32_t source, sink;

    f->initiator->config.rdmap.ord = 3;
    f->responder->config.rdmap.ird = ird;
    f->loses = loses_fpdus_of_the_responder;
    create(f);
    f->initiator->first_fpdu = 24;
    register_memory(f->responder, 0, 300, &source);
    register_memory(f->initiator, 0, 300, &sink);
    for (uint32_t i = 0; i < 5; i++) {
      post(f->initiator, .id = i, .operation = RDMAP_READ_REQUEST, .length = 10, .remote_stag = source,
           .local_stag = sink, .local_offset = i * 10);
    }
    start_and_run(f, 100 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(ulpdu_count(f->initiator), ==, ird);
    f->loses = NULL;
    run(f, 20 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(f->initiator->notified, ==, 5);
    EXPECT_FIELDS(&f->initiator->agreement, (peer_ird, ird), (peer_ord, 2), (ord, MIN(ird, 3)));
    EXPECT_FIELDS(&f->responder->agreement, (peer_ird, 2), (peer_ord, 3), (ird, ird));
  }
}

/* R6581-033 (RFC 6581 §9.1): an Initiator without Reads (ORD 0) and a Responder without room for any (IRD 0):
 * the RTR by Read has its place, and the Read is answered. */
ENHANCED_TEST(test_read_indication_without_reads)
{
  set_peer_to_peer(f, MPA_RTR_READ);
  f->initiator->config.rdmap.ord = 0;
  f->responder->config.rdmap.ird = 0;
  start_and_run(f, TIME_PS_PER_SECOND);
  f->responder->first_fpdu = 24;
  assert_ulpdu(f->responder, 0, kinds[2].answer);
  EXPECT_FIELDS(&f->initiator->agreement, (peer_ird, 1), (ord, 0), (error, MPA_ERROR_NONE));
  g_assert_false(post(f->initiator, .id = 1, .operation = RDMAP_READ_REQUEST));
  g_assert_true(f->initiator->failed == 0 && f->responder->failed == 0);
}

/* --- Errors --- */

/* A Responder whose Reply is another than its stack made: `octets` of its header's flags and of the four
 * octets are inverted. */
typedef struct altered_reply {
  uint8_t flags;
  uint8_t enhanced[4];
} altered_reply;

static void alter_startup(void *user, buffer_chain *frame)
{
  const altered_reply *altered = user;
  uint8_t octets[24];

  g_assert_cmpuint(frame->length, ==, sizeof octets);
  buffer_chain_copy_out(frame, 0, sizeof octets, octets);
  octets[16] ^= altered->flags;
  for (unsigned i = 0; i < 4; i++) {
    octets[20 + i] ^= altered->enhanced[i];
  }
  buffer_chain_empty(frame);
  buffer_chain_append_copy(frame, octets, sizeof octets);
}

static void alter_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED iwarp_generation generation,
                          G_GNUC_UNUSED buffer_chain *ulpdu)
{
}

static void alter_no_fpdu(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t start, G_GNUC_UNUSED bool markers,
                          G_GNUC_UNUSED bool crc, G_GNUC_UNUSED buffer_chain *fpdu)
{
}

static bool insert_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED iwarp_generation generation,
                           G_GNUC_UNUSED buffer_chain *ulpdu)
{
  return false;
}

static rnic_local_action do_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED rdmap_error *error)
{
  return RNIC_LOCAL_NONE;
}

typedef struct terminate_case {
  const char *name;
  altered_reply altered; /* the Reply was D0 … 80 02 C0 02 (A, IRD 2, C, D, ORD 2) */
  unsigned code;         /* 0: no error */
} terminate_case;

static const terminate_case terminates[] = {
    {"ORD 3, more than the Initiator's IRD of 2", {0, {0, 0, 0, 0x01}}, 6},
    {"ORD 0x3FFF: not negotiated", {0, {0, 0, 0x3F, 0xFD}}, 0},
    {"B alone, which the Initiator does not support", {0, {0x40, 0, 0xC0, 0}}, 7},
    {"neither B, C nor D", {0, {0, 0, 0xC0, 0}}, 7},
    {"A 0: the client-server model", {0, {0x80, 0, 0, 0}}, 7},
    {"D alone, and an IRD of 0", {0, {0, 0x02, 0x80, 0}}, 7},
    {"C alone, and an IRD of 0", {0, {0, 0x02, 0x40, 0}}, 0},
    {"S 0", {0x10, {0}}, 5},
};

/* R6581-026, R6581-027, R6581-038, R6581-039, R6581-056, R6581-057, R6581-065 (RFC 6581 §8, §9.1 … §9.3):
 * the Initiator sends a Terminate of layer 2, type 0, with code 6 (insufficient IRD
 * resources), 7 (no matching RTR option or connection model) or 5 (any other), in place of the RTR and of
 * whatever its ULP has posted, and the connection ends gracefully. */
EACH_TEST(test_terminates, terminate_case, terminates)
{
  altered_reply altered = c->altered;
  const rnic_misbehaviour fault = {.user = &altered,
                                   .alter_startup = alter_startup,
                                   .alter_ulpdu = alter_nothing,
                                   .alter_fpdu = alter_no_fpdu,
                                   .insert_ulpdu = insert_nothing,
                                   .next_local_action = do_nothing};
  g_autoptr(rnic_fixture) f = enhanced_fixture_new();

  set_peer_to_peer(f, MPA_RTR_WRITE);
  f->initiator->config.enhanced.rtr[1] = MPA_RTR_READ;
  f->initiator->config.enhanced.rtr_count = 2;
  f->responder->config.enhanced = f->initiator->config.enhanced;
  f->responder->config.fault = &fault;
  create(f);
  f->initiator->first_fpdu = 24;
  post_receive(f->responder, 70, 7);
  post_send(f->initiator, 70);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_autofree char *terminate = terminate_of(f->initiator);
  if (c->code == 0) {
    g_assert_true(f->initiator->failed == 0 && f->responder->failed == 0);
    return;
  }
  g_autofree char *octets = g_strdup_printf("200%u0000", c->code); /* layer, type, code; no header follows */
  g_autofree char *code = g_strdup_printf("MPA error %u", c->code);
  g_autofree char *told = g_strdup_printf("Terminate 2/0/0%u", c->code);
  g_assert_cmpstr(terminate, ==, octets);
  g_assert_cmpuint(ulpdu_count(f->initiator), ==, 1);
  g_assert_cmpstr(f->initiator->code, ==, code);
  g_assert_cmpstr(f->responder->code, ==, told);
  g_assert_cmpstr(f->initiator->completions->str, ==, "send 1 in error");
  g_assert_true(f->initiator->fin && !f->initiator->rst && f->initiator->closed == 1);
}

/* R6581-035, R6581-040 (RFC 6581 §9.1): the Responder rejects an Initiator whose IRD is less than the ORD
 * that its ULP needs, and names that; both ULPs learn of the other end's IRD and ORD. */
ENHANCED_TEST(test_rejection_for_ird)
{
  f->responder->config.enhanced.ord_needed = 5;
  start_and_run(f, TIME_PS_PER_SECOND);
  for (unsigned side = 0; side < SIDES; side++) {
    g_assert_cmpstr(f->sides[side].code, ==, "rejected");
    g_assert_true(f->sides[side].fin && !f->sides[side].rst && f->sides[side].closed == 1);
  }
  g_assert_cmpint(f->responder->failure.reason.startup, ==, MPA_STARTUP_REASON_REJECTED_FOR_IRD);
  g_assert_true(f->initiator->failure.by_peer && !f->responder->failure.by_peer);
  EXPECT_FIELDS(&f->initiator->agreement, (is_enhanced, true), (peer_ird, 2), (peer_ord, 5));
  EXPECT_FIELDS(&f->responder->agreement, (is_enhanced, true), (peer_ird, 2), (peer_ord, 2));
  g_assert_cmpuint(f->initiator->wire->len, ==, 24); /* no FPDU */
}

/* The Initiator that is gone before its RTR has not completed startup. */
ENHANCED_TEST(test_fin_before_the_indication)
{
  set_peer_to_peer(f, MPA_RTR_WRITE);
  start(f);
  run(f, 30 * TIME_PS_PER_MICROSECOND);
  f->loses = loses_everything;
  forge(f, 24, "", 0, TCP_ACK | TCP_FIN);
  run(f, TIME_PS_PER_MILLISECOND);
  g_assert_cmpstr(f->responder->code, ==, "MPA error 1");
  g_assert_cmpuint(f->responder->wire->len, ==, 24);
}

/* --- First FPDUs of any kind --- */

/* An Initiator made by hand: its Request asks for neither markers nor CRC, names B and C, and has IRD and ORD
 * 2. The Responder has no ULP that posts anything, and one receive buffer of 70 octets. */
typedef struct first_fpdu {
  const char *name;
  const char *ulpdu; /* in hex */
  bool takes_send;   /* the Responder has B */
  const char *completions;
  const char *terminate;
} first_fpdu;

#define SEND_OF(msn, payload) UNTAGGED("4143", "00000000", msn) payload
static const first_fpdu first_fpdus[] = {
    {"Send", SEND_OF("00000001", ""), true, "", ""},
    {"Send, which was not agreed", SEND_OF("00000001", ""), false, "received 7 (0 octets)", ""},
    {"Write", "C140" NO_TAG, true, "", ""},
    {"Read, which was not agreed", UNTAGGED("4141", "00000001", "00000001") NO_TAG "00000000" NO_TAG, true,
     "", ""},
    {"Send of three octets", SEND_OF("00000001", "414243"), true, "received 7 (3 octets)", ""},
    {"Send and Solicited Event", UNTAGGED("4145", "00000000", "00000001"), true,
     "received 7 (0 octets) solicited", ""},
    {"Send that is not whole", UNTAGGED("0143", "00000000", "00000001"), true, "", ""},
    {"Send of MSN 2", SEND_OF("00000002", ""), true, "", "1202"},
    {"Send with DV 0", UNTAGGED("4043", "00000000", "00000001"), true, "", "1206"},
    {"Send with RV 2", UNTAGGED("4183", "00000000", "00000001"), true, "", "0205"},
    {"less than a header", "41", true, "", "1000"},
    {"nothing", "", true, "", "1000"},
};

static guint append_hex(GByteArray *octets, const char *hex)
{
  for (; *hex; hex += 2) {
    const guint8 octet = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
    g_byte_array_append(octets, &octet, 1);
  }
  return octets->len;
}

/* The FPDU comes in pieces, in their order or the other way round: that changes nothing. What is no RTR
 * indication is what it would be later. */
static void check_first_fpdu(const first_fpdu *c, guint step, bool is_reversed)
{
  static const char request[] = "MPA ID Req Frame\x10\x02\x00\x04\xC0\x02\x80\x02";
  g_autoptr(rnic_fixture) f = enhanced_fixture_new();
  g_autoptr(GByteArray) fpdu = g_byte_array_new();
  uint8_t length[2] = {0, (uint8_t)(strlen(c->ulpdu) / 2)};

  f->responder->config.markers = false;
  f->responder->config.crc = false;
  f->responder->config.enhanced.rtr[0] = MPA_RTR_WRITE;
  f->responder->config.enhanced.rtr[1] = MPA_RTR_SEND;
  f->responder->config.enhanced.rtr_count = c->takes_send ? 2 : 1;
  f->loses = loses_everything; /* the real Initiator would not know what it never sent */
  post_receive(f->responder, 70, 7);
  f->responder->first_fpdu = 24;
  f->responder->markers = false;
  rnic_endpoint_start(f->responder->endpoint, f->now);
  forge(f, 0, "", 0, TCP_SYN);
  run(f, 0);
  forge(f, 0, request, 24, TCP_ACK);
  run(f, 0);
  g_byte_array_append(fpdu, length, 2);
  g_byte_array_set_size(fpdu, append_hex(fpdu, c->ulpdu));
  guint whole = (fpdu->len + 3) / 4 * 4 + 4; /* PAD and CRC, which nobody looks at */
  while (fpdu->len < whole) {
    g_byte_array_append(fpdu, (const guint8 *)"", 1);
  }
  for (guint i = 0, pieces = (whole + step - 1) / step; i < pieces; i++) {
    guint from = (is_reversed ? pieces - 1 - i : i) * step;
    forge(f, 24 + from, fpdu->data + from, MIN(step, whole - from), TCP_ACK);
    g_assert_true(i == pieces - 1 || f->responder->notified == 0);
  }
  run(f, 0);
  g_autofree char *terminate = terminate_of(f->responder);
  g_assert_cmpstr(f->responder->completions->str, ==, c->completions);
  g_assert_true(g_str_has_prefix(terminate, c->terminate));
  g_assert_cmpint(f->responder->failed, ==, *c->terminate != 0);
}

EACH_TEST(test_first_fpdu, first_fpdu, first_fpdus)
{
  for (guint step = 1; step < 60; step += step < 10 ? 1 : 7) {
    check_first_fpdu(c, step, false);
    check_first_fpdu(c, step, true);
  }
}

/* --- Ends that meet --- */

/* R6581-066, R6581-067, R6581-072 (RFC 6581 §10): an Initiator of rfc (0), of rfc6581 with plain frames (1)
 * or enhanced ones (2), and such a Responder. One without enhanced frames closes at an enhanced Request:
 * error 4. All others get on, also in the peer-to-peer model, which only two enhanced ends know. */
TEST(test_ends_that_meet)
{
  for (unsigned i = 0; i < 9; i++) {
    g_autoptr(rnic_fixture) f = enhanced_fixture_new();
    bool fits = i % 3 < 2 || i / 3 == 2;
    unsigned kind[SIDES] = {i % 3, i / 3};

    for (unsigned side = 0; side < SIDES; side++) {
      fixture_side *s = &f->sides[side];
      s->config.generation = kind[side] > 0 ? IWARP_RFC6581 : IWARP_RFC;
      s->config.enhanced.enabled = kind[side] == 2;
      s->config.enhanced.peer_to_peer = true;
    }
    create(f);
    for (unsigned side = 0; side < SIDES; side++) {
      f->sides[side].buffer = post_receive(&f->sides[side], 70, 7);
      post_send(&f->sides[side], 70);
    }
    start_and_run(f, TIME_PS_PER_SECOND);
    for (unsigned side = 0; side < SIDES; side++) {
      g_assert_cmpint(f->sides[side].failed, ==, !fits);
      g_assert_true(fits ? is_payload(f->sides[side].buffer, 70) : is_untouched(f->sides[side].buffer, 70));
      EXPECT_FIELDS(&f->sides[side].agreement, (is_enhanced, i == 8), (peer_to_peer, i == 8));
    }
    if (!fits) {
      g_assert_cmpstr(f->responder->code, ==, "MPA error 4");
      g_assert_cmpint(f->responder->failure.reason.startup, ==, MPA_STARTUP_REASON_REVISION);
      g_assert_true(f->responder->rst);
    }
  }
}
