/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the second decoder and what RFC 6581 and RFC 7306 add: enhanced startup frames, RTR
 * indications, Immediate Data and Atomic Operations, made by hand from the figures of the documents. */
#include "decoder_fixture.h"
#include "test.h"
#include "wire_order.h"
#include "wire_responses.h"

enum { C = 0x40, CR = 0x60, CS = 0x50, CRS = 0x70 };

#define SEND_0 "41 43 00000000 00000000 00000001 00000000"
#define WRITE_0 "C1 40 00000AAA 0000000000000100"
#define READ_0                                                                                               \
  "41 41 00000000 00000001 00000001 00000000 00000AAA 0000000000000100 00000000 00000BBB 0000000000000200"
#define READ_0_RESPONSE "C1 42 00000AAA 0000000000000100"
#define TERMINATE "41 47 00000000 00000002 00000001 00000000 "

/* RFC 6581 §9: A is bit 0, B bit 1, C bit 16, D bit 17; IRD is bits 2 to 15, ORD bits 18 to 31. */
TEST(test_enhanced_data)
{
  static const struct {
    guint8 octets[4];
    wire_enhanced data;
  } cases[] = {
      {{0x80, 0x10, 0x00, 0x20}, {TRUE, 0, 16, 32}},
      {{0x40, 0x00, 0x00, 0x00}, {FALSE, WIRE_RTR_SEND, 0, 0}},
      {{0x00, 0x00, 0x80, 0x00}, {FALSE, WIRE_RTR_WRITE, 0, 0}},
      {{0x00, 0x00, 0x40, 0x00}, {FALSE, WIRE_RTR_READ, 0, 0}},
      {{0x3F, 0xFF, 0x3F, 0xFE}, {FALSE, 0, WIRE_NOT_NEGOTIATED, 0x3FFE}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const wire_enhanced data = wire_enhanced_read(cases[i].octets);
    EXPECT_FIELDS(&data, (peer_to_peer, cases[i].data.peer_to_peer), (rtrs, cases[i].data.rtrs),
                  (ird, cases[i].data.ird), (ord, cases[i].data.ord));
  }
}

/* These are two frames, and the first thing that is wrong with them (NULL: nothing). */
TEST(test_frames)
{
  static const struct {
    guint8 request_flags, request_revision;
    const char *request;
    guint8 reply_flags, reply_revision;
    const char *reply;
    const char *complaint;
  } cases[] = {
      {CS, 2, "00100008", CS, 2, "00080010", NULL},
      {CS, 2, "00100008 AABB", CS, 2, "00080010 CC", NULL},
      {C, 1, "", C, 1, "", NULL},
      {C, 2, "AA", C, 2, "", NULL}, /* §6: 2 also when no feature is used */
      {CS, 1, "00100008", CS, 2, "00080010", "side 0: S is 1, Rev 1, PD_Length 4"},
      {CS, 2, "001000", CS, 2, "00080010", "side 0: S is 1, Rev 2, PD_Length 3"},
      {C, 0, "", C, 0, "", "side 0: Rev is 0"},
      {C, 3, "", C, 3, "", "side 0: Rev is 3"},
      {C | 8, 2, "", C, 2, "", "side 0: reserved bits in the startup frame's flags 0x48"},
      /* §10 */
      {CS, 2, "00100008", C, 2, "", "Reply: S is 0, Rev 2, those of the Request 1, 2"},
      {C, 1, "", CS, 2, "00100008", "Reply: S is 1, Rev 2, those of the Request 0, 1"},
      {C, 1, "", C, 2, "", "Reply: S is 0, Rev 2, those of the Request 0, 1"},
      /* §9.1 */
      {CS, 2, "00100008", CS, 2, "00080011", "Reply: ORD is 17, the Request's IRD 16"},
      {CS, 2, "00100008", CRS, 2, "00080011", NULL}, /* needs more, and says so */
      {CS, 2, "00100008", CS, 2, "00040000", NULL},  /* the Initiator comes down to 4 */
      {CS, 2, "00100008", CS, 2, "3FFF3FFF", NULL},
      {CS, 2, "3FFF3FFF", CS, 2, "3FFF3FFF", NULL},
      {CS, 2, "3FFF0008", CS, 2, "00083FFF", NULL},
      {CS, 2, "3FFF0008", CS, 2, "00080010", "Reply: ORD is 16 where the Request's IRD is not negotiated"},
      {CS, 2, "00103FFF", CS, 2, "3FFF0010", NULL},
      {CS, 2, "00103FFF", CS, 2, "00080010", "Reply: IRD is 8 where the Request's ORD is not negotiated"},
      /* §9.2 */
      {CS, 2, "40100008", CS, 2, "00080010", "Request: A is 0, and RTR indications are 1"},
      {CS, 2, "00100008", CS, 2, "00088010", "Reply: A is 0, and RTR indications are 2"},
      {CS, 2, "C0100008", CS, 2, "00080010", "Reply: A is 0, that of the Request 1"},
      {CS, 2, "00100008", CS, 2, "C0080010", "Reply: A is 1, that of the Request 0"},
      {CS, 2, "C0100008", CS, 2, "80080010", "Reply: A is 1 without an RTR indication"},
      {CS, 2, "C0100008", CS, 2, "80084010", NULL}, /* none matches, and it names another */
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    decoder_fixture f = decoder_fixture_new(false);
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, cases[i].request_flags, cases[i].request_revision,
                              cases[i].request);
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, cases[i].reply_flags, cases[i].reply_revision,
                              cases[i].reply);
    decoder_fixture_expect(&f, "rfc6581", cases[i].complaint);
  }
}

/* What only RFC 6581 and RFC 7306 have is wrong in the generation before. */
TEST(test_plain)
{
  static const struct {
    guint8 flags, revision;
    const char *private_data, *ulpdu;
    const char *complaint;
  } cases[] = {
      {CS, 1, "00100008", SEND_0, "side 0: S is 1, Rev 1, PD_Length 4"},
      {C, 2, "", SEND_0, "side 0: Rev is 2"},
      {C, 1, "", "41 48 00000000 00000000 00000001 00000000 0000000000000001",
       "side 0, FPDU 0: opcode 8, tagged 0"},
      {C, 1, "", TERMINATE "20 05 0000", "side 0, FPDU 0: Terminate 2/0/05 is no error of the documents"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    decoder_fixture f = decoder_fixture_new(false);
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, cases[i].flags, cases[i].revision, cases[i].private_data);
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, C, 1, "");
    decoder_fixture_put_hex(f.sent[WIRE_INITIATOR], cases[i].ulpdu);
    decoder_fixture_expect(&f, "rfc", cases[i].complaint);
  }
}

/* A Responder that closes without an octet has no Reply, and nothing is wrong with that. */
TEST(test_no_reply)
{
  decoder_fixture f = decoder_fixture_new(false);
  decoder_fixture_put_frame(&f, WIRE_INITIATOR, CS, 2, "00100008");
  g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "rfc6581");

  wire_assert_no_complaints(decoding);
  const marked_half *half = g_array_index(decoding->decoded, wire_decoded, 0).half;
  g_assert_true(half[WIRE_INITIATOR].has_frame);
  g_assert_false(half[WIRE_RESPONDER].has_frame);
}

/* These are what each side sends, unmarked, after startup frames with these enhanced data, and the first
 * thing that is wrong with it (NULL: nothing). */
typedef struct exchange {
  const char *request, *reply;
  const char *sent[WIRE_SIDES][4];
  const char *complaint;
} exchange;

static void expect_exchanges(const exchange *exchanges, gsize count)
{
  for (const exchange *e = exchanges; e < exchanges + count; e++) {
    decoder_fixture f = decoder_fixture_new(false);
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, CS, 2, e->request);
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, CS, 2, e->reply);
    for (int side = 0; side < WIRE_SIDES; side++) {
      for (int i = 0; i < 4 && e->sent[side][i]; i++) {
        decoder_fixture_put_hex(f.sent[side], e->sent[side][i]);
      }
    }
    decoder_fixture_expect(&f, "rfc6581", e->complaint);
  }
}

/* RFC 6581 §9.2: the Initiator's first message. */
TEST(test_rtr)
{
  static const exchange exchanges[] = {
      {"C010C008", "C008C010", {{SEND_0}}, NULL},
      {"C010C008", "C008C010", {{WRITE_0, SEND_0}}, NULL},
      {"C010C008", "C008C010", {{READ_0}, {READ_0_RESPONSE}}, NULL},
      {"C010C008", "C008C010", {{READ_0}}, "side 0: Read 1 lacks its Response"},
      {"C010C008", "C008C010", {{NULL}}, NULL}, /* it has not come that far */
      /* Bit by bit: of these two the Responder can one alone. */
      {"C0100008",
       "C0080010",
       {{WRITE_0}},
       "side 0: the first message has opcode 0, and the agreed RTR indications are 1"},
      {"80108008",
       "80088010",
       {{SEND_0}},
       "side 0: the first message has opcode 3, and the agreed RTR indications are 2"},
      {"80104008",
       "80084010",
       {{WRITE_0}},
       "side 0: the first message has opcode 0, and the agreed RTR indications are 4"},
      {"C010C008",
       "80084010",
       {{SEND_0}},
       "side 0: the first message has opcode 3, and the agreed RTR indications are 4"},
      {"80104008",
       "C008C010",
       {{SEND_0}},
       "side 0: the first message has opcode 3, and the agreed RTR indications are 4"},
      /* Of octets, none is an RTR indication; nor is any other message. */
      {"C010C008",
       "C008C010",
       {{SEND_0 "11"}},
       "side 0: the first message has opcode 3, and the agreed RTR indications are 7"},
      {"C010C008",
       "C008C010",
       {{WRITE_0 "11"}},
       "side 0: the first message has opcode 0, and the agreed RTR indications are 7"},
      {"C010C008",
       "C008C010",
       {{"41 45 00000000 00000000 00000001 00000000"}},
       "side 0: the first message has opcode 5, and the agreed RTR indications are 7"},
      /* Without A, anything. */
      {"00100008", "00080010", {{WRITE_0 "11"}}, NULL},
      /* None in common. */
      {"C0100008", "80084010", {{TERMINATE "20 07 0000"}}, NULL},
      {"C0100008",
       "80084010",
       {{SEND_0}},
       "side 0: the first message has opcode 3, and the agreed RTR indications are 0"},
      /* The other errors of RFC 6581 §8, and no more. */
      {"00100008", "00080010", {{TERMINATE "20 05 0000"}}, NULL},
      {"00100008", "00080010", {{TERMINATE "20 06 0000"}}, NULL},
      {"00100008",
       "00080010",
       {{TERMINATE "20 08 0000"}},
       "side 0, FPDU 0: Terminate 2/0/08 is no error of the documents"},
  };

  expect_exchanges(exchanges, G_N_ELEMENTS(exchanges));
}

#define REQUEST(msn) "41 4A 00000000 00000001 " msn " 00000000 "
#define RESPONSE(msn) "41 4B 00000000 00000003 " msn " 00000000 "
#define WORD "00000BBB 0000000000000208 "
#define FETCH_ADD(identifier, data, mask)                                                                    \
  "00000000 " identifier WORD data mask "0000000000000000 FFFFFFFFFFFFFFFF"

/* RFC 7306 §4.1, figure 2; §5.2; §6.3 */
TEST(test_messages)
{
  static const exchange exchanges[] = {
      {"00100008",
       "00080010",
       {{"41 48 00000000 00000000 00000001 00000000 1122334455667788",
         "41 49 00000000 00000000 00000002 00000000 8877665544332211"}},
       NULL},
      {"00100008",
       "00080010",
       {{"41 48 00000000 00000000 00000001 00000000 11223344556677"}},
       "side 0, FPDU 0: Immediate Data of 7 octets"},
      {"00100008",
       "00080010",
       {{"41 49 00000000 00000000 00000001 00000000 112233445566778899"}},
       "side 0, FPDU 0: Immediate Data of 9 octets"},
      {"00100008",
       "00080010",
       {{"01 48 00000000 00000000 00000001 00000000 1122334455667788"}},
       "side 0, FPDU 0: Immediate Data of 8 octets"}, /* L is 0 */
      {"00100008",
       "00080010",
       {{"41 48 00000000 00000001 00000001 00000000 1122334455667788"}},
       "side 0, FPDU 0: opcode 8 on queue 1"},
      {"00100008",
       "00080010",
       {{"41 48 00000007 00000000 00000001 00000000 1122334455667788"}},
       "side 0, FPDU 0: opcode 8 with Invalidate STag 00000007"},
      {"00100008",
       "00080010",
       {{"C1 48 00000000 0000000000000000 1122334455667788"}},
       "side 0, FPDU 0: opcode 8, tagged 1"},
      {"00100008",
       "00080010",
       {{"41 4C 00000000 00000000 00000001 00000000"}},
       "side 0, FPDU 0: opcode 12, tagged 0"},
      /* 5 is added to 3, then 1 to 8. */
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000"),
         REQUEST("00000002") FETCH_ADD("00000008", "0000000000000001", "0000000000000000")},
        {RESPONSE("00000001") "00000007 0000000000000003", RESPONSE("00000002") "00000008 0000000000000008"}},
       NULL},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000"),
         REQUEST("00000002") FETCH_ADD("00000008", "0000000000000001", "0000000000000000")},
        {RESPONSE("00000001") "00000007 0000000000000003", RESPONSE("00000002") "00000008 0000000000000009"}},
       "side 0: Atomic Request 2 finds 0000000000000009 instead of 0000000000000008"},
      /* 3 is swapped for 9 only where 3 is expected. */
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000002 00000001" WORD
                             "0000000000000009 FFFFFFFFFFFFFFFF 0000000000000004 FFFFFFFFFFFFFFFF",
         REQUEST("00000002") "00000002 00000002" WORD
                             "0000000000000009 FFFFFFFFFFFFFFFF 0000000000000003 FFFFFFFFFFFFFFFF",
         REQUEST("00000003") FETCH_ADD("00000003", "0000000000000000", "0000000000000000")},
        {RESPONSE("00000001") "00000001 0000000000000003", RESPONSE("00000002") "00000002 0000000000000003",
         RESPONSE("00000003") "00000003 0000000000000009"}},
       NULL},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")}},
       "side 0: Atomic 1 lacks its Response"},
      {"00100008",
       "00080010",
       {{NULL}, {RESPONSE("00000001") "00000007 0000000000000003"}},
       "side 0: Atomic 1 lacks its Request"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")},
        {RESPONSE("00000001") "00000006 0000000000000003"}},
       "side 0: the Response is not what Atomic Request 1 asks for"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")},
        {RESPONSE("00000001") "00000007 00000000000003"}},
       "side 1, FPDU 0: an Atomic Response of 11 octets"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000001 00000007" WORD
                             "0000000000000005 FFFFFFFFFFFFFFFF 0000000000000000 FFFFFFFFFFFFFFFF"}},
       "side 0, FPDU 0: AOpCode 1"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000010 00000007" WORD
                             "0000000000000005 0000000000000000 0000000000000000 FFFFFFFFFFFFFFFF"}},
       "side 0, FPDU 0: reserved bits in the Atomic Request"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000000 00000007" WORD
                             "0000000000000005 0000000000000000 0000000000000001 FFFFFFFFFFFFFFFF"}},
       "side 0, FPDU 0: a FetchAdd whose Compare Data are not zeros, or whose Compare Mask is not ones"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000000 00000007" WORD
                             "0000000000000005 0000000000000000 0000000000000000 FFFFFFFFFFFFFFFE"}},
       "side 0, FPDU 0: a FetchAdd whose Compare Data are not zeros, or whose Compare Mask is not ones"},
      {"00100008",
       "00080010",
       {{REQUEST("00000001") "00000000 00000007"}},
       "side 0, FPDU 0: an Atomic Request of 8 octets"},
      /* Reads and Atomic Operations share MSNs of queue 1 (§5.2), and their responses keep the order (§7). */
      {"00100008",
       "00080010",
       {{READ_0, REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")}},
       "side 0, FPDU 1: MSN 1 of queue 1 instead of 2"},
      {"00100008",
       "00080010",
       {{READ_0, REQUEST("00000002") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")},
        {READ_0_RESPONSE, RESPONSE("00000001") "00000007 0000000000000003"}},
       NULL},
      {"00100008",
       "00080010",
       {{READ_0, REQUEST("00000002") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")},
        {RESPONSE("00000001") "00000007 0000000000000003", READ_0_RESPONSE}},
       "side 0: the Response is not what Read Request 1 asks for"},
      /* §8.2: an Atomic Request that is refused; 18 + 52 = 70 = 0x46 octets. */
      {"00100008",
       "00080010",
       {{REQUEST("00000001") FETCH_ADD("00000007", "0000000000000005", "0000000000000000")},
        {TERMINATE "02 07 C000 0046 " REQUEST("00000001")}},
       NULL},
  };

  expect_exchanges(exchanges, G_N_ELEMENTS(exchanges));
}

/* RFC 7306 §5.1, by hand. */
TEST(test_atomic_results)
{
  static const struct {
    wire_atomic atomic;
    guint64 original, result;
  } cases[] = {
      {{.data = 1}, 0x00000000FFFFFFFF, 0x0000000100000000},
      {{.data = 1}, G_MAXUINT64, 0},
      /* Bit 31 ends a field: its carry is lost. */
      {{.data = 1, .mask = 0x80000000}, 0x00000000FFFFFFFF, 0},
      /* Fields of 8 bits: FF + 1 is 00, 01 + 1 is 02, 7F + 1 is 80. */
      {{.data = 0x0101010101010101, .mask = 0x8080808080808080}, 0xFF01FF017FFF00FE, 0x00020002800001FF},
      /* Fields of one bit: an exclusive or. */
      {{.data = 0xF0F0, .mask = G_MAXUINT64}, 0xFF00, 0x0FF0},
      {{.operation = WIRE_COMPARE_SWAP,
        .data = 9,
        .mask = G_MAXUINT64,
        .compare = 3,
        .compare_mask = G_MAXUINT64},
       3,
       9},
      {{.operation = WIRE_COMPARE_SWAP,
        .data = 9,
        .mask = G_MAXUINT64,
        .compare = 4,
        .compare_mask = G_MAXUINT64},
       3,
       3},
      /* Only 5566 is compared, and only the last octet swapped. */
      {{.operation = WIRE_COMPARE_SWAP,
        .data = 0xAAAAAAAAAAAAAAAA,
        .mask = 0xFF,
        .compare = 0x55660000,
        .compare_mask = 0xFFFF0000},
       0x1122334455667788,
       0x11223344556677AA},
      {{.operation = WIRE_COMPARE_SWAP, .data = 9, .mask = G_MAXUINT64, .compare = 4, .compare_mask = 0},
       3,
       9},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_assert_cmphex(wire_atomic_result(&cases[i].atomic, cases[i].original), ==, cases[i].result);
  }
}

/* Adds a connection whose Initiator adds 1 three times, and finds these values (0: it does no more). */
static void put_operations(GArray *connections, const guint64 found[3])
{
  wire_decoded decoded = {0};

  for (int side = 0; side < WIRE_SIDES; side++) {
    decoded.messages[side] = g_array_new(FALSE, TRUE, sizeof(wire_message));
  }
  for (int i = 0; i < 3 && found[i] != 0; i++) {
    const wire_message request = {.opcode = WIRE_ATOMIC_REQUEST, .atomic = {.data = 1}};
    const wire_message response = {.opcode = WIRE_ATOMIC_RESPONSE, .value = found[i]};
    g_array_append_val(decoded.messages[WIRE_INITIATOR], request);
    g_array_append_val(decoded.messages[WIRE_RESPONDER], response);
  }
  g_array_append_val(connections, decoded);
}

/* RFC 7306 §5.3: operations of two connections on one word, one at a time, in some order that keeps that of
 * each. */
TEST(test_shared_word)
{
  static const struct {
    guint64 found[2][3];
    gboolean is_possible;
  } cases[] = {
      {{{1, 3, 4}, {2, 5}}, TRUE}, {{{1, 2, 3}, {4}}, TRUE},
      {{{4, 5}, {1, 2, 3}}, TRUE}, {{{1, 3}, {1}}, FALSE}, /* both find 1 */
      {{{1, 3}, {4}}, FALSE},                              /* nobody finds 2 */
      {{{3, 1}, {2}}, FALSE},                              /* against the order of the first */
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
    wire_decoding decoding = {.decoded = g_array_new(FALSE, FALSE, sizeof(wire_decoded))};

    put_operations(decoding.decoded, cases[i].found[0]);
    put_operations(decoding.decoded, cases[i].found[1]);
    wire_shared_word_check(&decoding, WIRE_INITIATOR, complaints);
    wire_shared_word_check(&decoding, WIRE_RESPONDER, complaints); /* which has asked for nothing */
    g_assert_cmpint(complaints->len == 0, ==, cases[i].is_possible);
    for (guint k = 0; k < 2; k++) {
      g_array_unref(g_array_index(decoding.decoded, wire_decoded, k).messages[WIRE_INITIATOR]);
      g_array_unref(g_array_index(decoding.decoded, wire_decoded, k).messages[WIRE_RESPONDER]);
    }
    g_array_unref(decoding.decoded);
  }
}

/* Segments of a stream in the order of the capture: so many octets in each, and the packet that has them. */
static void put_segments(wire_stream *stream, const guint (*segments)[2], guint count)
{
  guint64 offset = 0;

  for (guint i = 0; i < count; i++) {
    const wire_segment segment = {.offset = offset, .octets = segments[i][0], .packet = segments[i][1]};
    g_array_append_val(stream->segments, segment);
    offset += segment.octets;
  }
}

/* 20 octets of Request and 20 of Reply; FPDUs of 2 + 46 + 4 = 52 octets with a Read Request, and of
 * 2 + 14 + 4 = 20 with a Response of no octets. What matters is when they leave, and when those of the peer
 * come. */
TEST(test_order)
{
  static const struct {
    guint request[4], reply[4]; /* packets: of the frame, of the two FPDUs */
    guint peak;
    gboolean initiator_early, responder_early;
  } cases[] = {
      {{0, 2, 3}, {1, 4, 5}, 2, FALSE, FALSE},
      {{0, 2, 4}, {1, 3, 5}, 1, FALSE, FALSE},
      {{0, 1, 4}, {2, 3, 5}, 1, TRUE, FALSE},
      {{0, 3, 5}, {1, 2, 4}, 0, FALSE, TRUE},
  };
  static const char second[] = "41 41 00000000 00000001 00000002 00000000 00000AAA 0000000000000100 00000000 "
                               "00000BBB 0000000000000200";

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    decoder_fixture f = decoder_fixture_new(false);
    const guint sent[][2] = {{20, cases[i].request[0]}, {52, cases[i].request[1]}, {52, cases[i].request[2]}};
    const guint came[][2] = {{20, cases[i].reply[0]}, {20, cases[i].reply[1]}, {20, cases[i].reply[2]}};
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, C, 1, "");
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, C, 1, "");
    decoder_fixture_put_hex(f.sent[WIRE_INITIATOR], READ_0);
    decoder_fixture_put_hex(f.sent[WIRE_INITIATOR], second);
    decoder_fixture_put_hex(f.sent[WIRE_RESPONDER], READ_0_RESPONSE);
    decoder_fixture_put_hex(f.sent[WIRE_RESPONDER], READ_0_RESPONSE);
    put_segments(&f.connection->stream[WIRE_INITIATOR], sent, 3);
    put_segments(&f.connection->stream[WIRE_RESPONDER], came, 3);
    const wire_connection *connection = f.connection;
    g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "rfc6581");
    const wire_decoded *decoded = &g_array_index(decoding->decoded, wire_decoded, 0);
    wire_assert_no_complaints(decoding);
    g_assert_cmpuint(wire_outstanding_peak(connection, decoded, WIRE_INITIATOR), ==, cases[i].peak);
    for (int side = 0; side < WIRE_SIDES; side++) {
      guint before = decoding->complaints->len;
      wire_turns_check(connection, decoded, side, decoding->complaints);
      g_assert_cmpint(decoding->complaints->len > before, ==,
                      side == WIRE_INITIATOR ? cases[i].initiator_early : cases[i].responder_early);
    }
  }
}
