/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the second decoder itself: the examples in the documents are decoded as the documents
 * do, and all damage is found. */
#include <string.h>

#include "../net/capture_fixture.h"
#include "decoder_fixture.h"
#include "run_folder.h"

/* docs/facts.md, "CRC32C": the vectors of RFC 3720 B.4, as they stand on the wire, least significant octet
 * first. */
TEST(test_crc)
{
  guint8 octets[36] = {0};

  plain_repair_crc(octets, sizeof octets);
  g_assert_cmphex(plain_number(octets + 32, 4), ==, 0xAA36918A);
  for (guint8 i = 0; i < 32; i++) {
    octets[i] = i;
  }
  plain_repair_crc(octets, sizeof octets);
  g_assert_cmphex(plain_number(octets + 32, 4), ==, 0x4E79DD46);
}

/* mpa-01 figure 6, the second FPDU of a stream whose first one has 492 octets: offsets 0x1EC to 0x21F. */
static const guint8 dump[] = {0x00, 0x2A, 0x40, 0x03, 0, 0,    0, 0, 0, 0, 0, 0, 0,    0,    0,    2,   0, 0,
                              0,    0,    0,    0,    0, 0x14, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0,   0, 0,
                              0,    0,    0,    0,    0, 0,    0, 0, 0, 0, 0, 0, 0xA1, 0x9C, 0xD1, 0x03};

/* Returns the Initiator's stream in generation rdmac: an FPDU of 492 octets (482 of ULPDU, 464 of payload),
 * then the dump. */
static decoder_fixture set_up_dump(void)
{
  decoder_fixture f = decoder_fixture_new(true);
  guint8 first[482] = {0x40, 0x03, [13] = 1};

  mpa_stream_append(f.sent[WIRE_INITIATOR], first, sizeof first);
  g_assert_cmpuint(f.sent[WIRE_INITIATOR]->octets->len, ==, 0x1EC);
  g_byte_array_append(f.sent[WIRE_INITIATOR]->octets, dump, sizeof dump);
  return f;
}

TEST(test_printed_dump)
{
  decoder_fixture f = set_up_dump();
  g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "rdmac");

  wire_assert_no_complaints(decoding);
  g_assert_cmpuint(wire_count_fpdus(decoding, WIRE_INITIATOR), ==, 2);
  g_assert_cmpuint(g_array_index(decoding->decoded, wire_decoded, 0).half[WIRE_INITIATOR].markers, ==, 2);
  g_assert_cmpuint(wire_count_messages(decoding, WIRE_INITIATOR, WIRE_SEND), ==, 2);
  g_assert_cmpuint(wire_count_octets(decoding, WIRE_INITIATOR, WIRE_SEND), ==, 464 + 24);
}

/* A difference in any octet of the stream is found. */
TEST(test_every_octet_counts)
{
  for (guint i = 0; i < 0x220; i++) {
    decoder_fixture f = set_up_dump();
    f.sent[WIRE_INITIATOR]->octets->data[i] ^= 0x10;
    g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "rdmac");
    if (decoding->complaints->len == 0) {
      g_error("octet %u damaged and not seen", i);
    }
  }
}

/* Octets of the dump that are changed, with the CRC corrected: 0 is the octet at 0x1EC of the stream. */
TEST(test_damaged_fields)
{
  static const struct {
    guint at;
    guint8 value;
    const char *complaint;
  } damages[] = {
      {20, 1, "marker at 512: reserved 0x0100, FPDUPTR 20 instead of 20"},
      {23, 0x10, "marker at 512: reserved 0x0000, FPDUPTR 16 instead of 20"},
      {2, 0x44, "side 0, FPDU 1: reserved bits in control octets 44 03"},
      {2, 0x41, "side 0, FPDU 1: versions in control octets 41 03"},
      {2, 0xC0, "side 0, FPDU 1: opcode 3, tagged 1"},
      {2, 0x00, "side 0: the last message has no segment with L"},
      {3, 0x13, "side 0, FPDU 1: reserved bits in control octets 40 13"},
      {3, 0x43, "side 0, FPDU 1: versions in control octets 40 43"},
      {3, 0x08, "side 0, FPDU 1: opcode 8, tagged 0"},
      {3, 0x00, "side 0, FPDU 1: opcode 0, tagged 0"},
      {7, 5, "side 0, FPDU 1: opcode 3 with Invalidate STag 00000005"},
      {11, 1, "side 0, FPDU 1: opcode 3 on queue 1"},
      {15, 3, "side 0, FPDU 1: MSN 3 of queue 0 instead of 2"},
      {19, 8, "side 0, FPDU 1: queue 0, MSN 2, MO 8 in a message that goes on at 0, 2, 0"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(damages); i++) {
    decoder_fixture f = set_up_dump();
    guint8 *fpdu = f.sent[WIRE_INITIATOR]->octets->data + 0x1EC;
    fpdu[damages[i].at] = damages[i].value;
    plain_repair_crc(fpdu, sizeof dump);
    g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "rdmac");
    g_assert_true(
        g_ptr_array_find_with_equal_func(decoding->complaints, damages[i].complaint, g_str_equal, NULL));
  }
}

/* mpa-01 §6.1.1: M of the frame received decides what is sent, C of either frame decides for both. */
TEST(test_startup)
{
  static const struct {
    guint8 request_flags, reply_flags, revision;
    gboolean initiator_marks, responder_marks, crc;
    guint complaints;
  } cases[] = {
      {0x80, 0x40, 0, FALSE, TRUE, TRUE, 0},   {0xC0, 0x80, 0, TRUE, TRUE, TRUE, 0},
      {0x00, 0x00, 0, FALSE, FALSE, FALSE, 0}, {0xC0, 0xC0, 1, TRUE, TRUE, TRUE, 2}, /* Rev */
      {0xE0, 0xC0, 0, TRUE, TRUE, TRUE, 1},                                          /* R in a Request */
      {0xC0, 0xC1, 0, TRUE, TRUE, TRUE, 1},                                          /* a reserved bit */
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    decoder_fixture f = decoder_fixture_new(cases[i].initiator_marks);
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, cases[i].request_flags, cases[i].revision, "");
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, cases[i].reply_flags, cases[i].revision, "");
    decoder_fixture_put_hex(f.sent[WIRE_INITIATOR], "41 43 00000000 00000000 00000001 00000000");
    g_autoptr(wire_decoding) decoding = decoder_fixture_decode(&f, "ietf");
    const marked_half *half = g_array_index(decoding->decoded, wire_decoded, 0).half;
    g_assert_cmpint(half[WIRE_INITIATOR].has_markers, ==, cases[i].initiator_marks);
    g_assert_cmpint(half[WIRE_RESPONDER].has_markers, ==, cases[i].responder_marks);
    g_assert_cmpint(half[WIRE_INITIATOR].has_crc, ==, cases[i].crc);
    g_assert_cmpuint(wire_count_messages(decoding, WIRE_INITIATOR, WIRE_SEND), ==, 1);
    g_assert_cmpuint(decoding->complaints->len, ==, cases[i].complaints);
  }
}

#define READ_REQUEST                                                                                         \
  "41 41 00000000 00000001 00000001 00000000 00000AAA 0000000000000100 00000004 00000BBB 0000000000000200"
#define READ_RESPONSE "C1 42 00000AAA 0000000000000100 11223344"
#define SEND_TO_NOWHERE "41 43 00000000 00000000 00000001 00000000 55"
/* 18 + 28 = 46 = 0x2E octets of a Read Request; 19 = 0x13 of the Send. */
#define TERMINATED_READ                                                                                      \
  "002E 41 41 00000000 00000001 00000001 00000000 00000AAA 0000000000000100 00000004 00000BBB "              \
  "0000000000000200"
#define TERMINATE "41 47 00000000 00000002 00000001 00000000 "

/* These are what each side sends, unmarked, and the one thing that is wrong with it (NULL: nothing). */
TEST(test_messages)
{
  static const struct {
    const char *sent[WIRE_SIDES][3];
    const char *complaint;
  } cases[] = {
      {{{READ_REQUEST}, {READ_RESPONSE}}, NULL},
      {{{READ_REQUEST}, {"81 42 00000AAA 0000000000000100 1122", "C1 42 00000AAA 0000000000000102 3344"}},
       NULL},
      {{{READ_REQUEST}, {"81 42 00000AAA 0000000000000100 1122", "C1 42 00000AAA 0000000000000103 33"}},
       "side 1, FPDU 1: STag 00000AAA, TO 103 in a message that goes on at 00000AAA, 102"},
      {{{READ_REQUEST}, {NULL}}, "side 0: Read 1 lacks its Response"},
      {{{NULL}, {READ_RESPONSE}}, "side 0: Read 1 lacks its Request"},
      {{{READ_REQUEST}, {"C1 42 00000AAB 0000000000000100 11223344"}},
       "side 0: the Response is not what Read Request 1 asks for"},
      {{{READ_REQUEST}, {"C1 42 00000AAA 0000000000000101 11223344"}},
       "side 0: the Response is not what Read Request 1 asks for"},
      {{{READ_REQUEST}, {"C1 42 00000AAA 0000000000000100 112233"}},
       "side 0: the Response is not what Read Request 1 asks for"},
      {{{"41 41 00000000 00000001 00000001 00000000 00000AAA"}, {NULL}},
       "side 0, FPDU 0: a Read Request of 4 octets"},
      {{{"81 40 00000001 0000000000000000 11", "C1 42 00000001 0000000000000001 22"}, {NULL}},
       "side 0, FPDU 1: opcode 2 inside a message with opcode 0"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "12 02 C000 0013 41 43 00000000 00000000 00000001 00000000"}}, NULL},
      {{{SEND_TO_NOWHERE}, {TERMINATE "12 02 C000 0014 41 43 00000000 00000000 00000001 00000000"}},
       "side 1, FPDU 0: the Terminate copies a segment that its sender never got"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "12 02 C000 0013 41 43 00000000"}},
       "side 1, FPDU 0: a Terminate of 12 octets instead of 24"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "12 07 0000"}},
       "side 1, FPDU 0: Terminate 1/2/07 is no error of the documents"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "02 05 0001"}},
       "side 1, FPDU 0: reserved bits in the Terminate Header"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "02 05 8000"}}, "side 1, FPDU 0: M, D, R = 1, 0, 0"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "20 02 0000"}}, NULL},
      {{{SEND_TO_NOWHERE}, {TERMINATE "20 02 C000 0013 41 43 00000000 00000000 00000001 00000000"}},
       "side 1, FPDU 0: Terminate 2/0/02 with parts that it cannot have"},
      {{{SEND_TO_NOWHERE}, {TERMINATE "00 00 0000", "41 43 00000000 00000000 00000001 00000000"}},
       "side 1, FPDU 1: a message after the Terminate"},
      {{{READ_REQUEST}, {TERMINATE "01 00 E000" TERMINATED_READ}}, NULL},
      /* Two octets of it were sent: +2, -2, +2. */
      {{{READ_REQUEST},
        {"81 42 00000AAA 0000000000000100 1122", "41 47 00000000 00000002 00000001 00000000 01 00 E000 002E "
                                                 "41 41 00000000 00000001 00000001 00000000 00000AAA "
                                                 "0000000000000102 00000002 00000BBB 0000000000000202"}},
       NULL},
      {{{READ_REQUEST},
        {"81 42 00000AAA 0000000000000100 1122", "41 47 00000000 00000002 00000001 00000000 01 00 E000 002E "
                                                 "41 41 00000000 00000001 00000001 00000000 00000AAA "
                                                 "0000000000000102 00000003 00000BBB 0000000000000202"}},
       "side 1, FPDU 1: the Terminate copies a segment that its sender never got"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    decoder_fixture f = decoder_fixture_new(false);
    decoder_fixture_put_frame(&f, WIRE_INITIATOR, 0x40, 1, "");
    decoder_fixture_put_frame(&f, WIRE_RESPONDER, 0x40, 1, "");
    for (int side = 0; side < WIRE_SIDES; side++) {
      for (const char *const *ulpdu = cases[i].sent[side]; *ulpdu; ulpdu++) {
        decoder_fixture_put_hex(f.sent[side], *ulpdu);
      }
    }
    decoder_fixture_expect(&f, "rfc", cases[i].complaint);
  }
}

/* A capture made of one connection's packets; sequence numbers count from `first`, which is the SYN's. */
typedef struct capture {
  fixture_file *file;
  guint32 first;
} capture;

/* Puts a packet with `flags`, at `position` after the SYN's number, and `text` as payload. */
static void put_packet(capture *c, gboolean from_initiator, guint8 flags, guint32 position, const char *text)
{
  const fixture_segment segment = {.version = 4,
                                   .from = !from_initiator,
                                   .ports = {1111, 5044},
                                   .sequence = c->first + position,
                                   .flags = flags,
                                   .payload = (const guint8 *)text,
                                   .length = (guint32)strlen(text)};

  fixture_file_add_segment(c->file, 0, FIXTURE_LINK_RAW, &segment);
}

/* Reads the capture as far as it is made, and frees it. */
static GPtrArray *read_capture(capture *c, GPtrArray *complaints)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_autofree char *path = g_build_filename(folder, "made.pcap", NULL);

  NO_ERROR(g_file_set_contents, path, (const char *)c->file->octets->data, c->file->octets->len);
  GPtrArray *connections = wire_capture_read(folder, "made.pcap", complaints);
  fixture_file_free(c->file);
  return connections;
}

static capture capture_new(guint32 first)
{
  capture c = {.file = fixture_raw_file(), .first = first};

  put_packet(&c, TRUE, 0x02, 0, "");
  put_packet(&c, FALSE, 0x12, 0, "");
  return c;
}

enum { ACK = 0x10, ACK_FIN = 0x11 };

/* Late, early and repeated segments, across the end of the sequence numbers: octet 4 has number 0. */
TEST(test_capture)
{
  g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
  capture c = capture_new(0xFFFFFFFB);

  put_packet(&c, TRUE, ACK, 1, "abc");
  put_packet(&c, TRUE, ACK, 7, "ghi");
  put_packet(&c, TRUE, ACK, 4, "def");
  put_packet(&c, TRUE, ACK, 3, "cde");
  put_packet(&c, TRUE, ACK_FIN, 10, "");
  put_packet(&c, FALSE, ACK, 1, "xyz");
  g_autoptr(GPtrArray) connections = read_capture(&c, complaints);
  g_assert_cmpuint(complaints->len, ==, 0);
  g_assert_cmpuint(connections->len, ==, 1);
  const wire_connection *connection = connections->pdata[0];
  const wire_stream *stream = connection->stream;
  g_assert_cmpmem(stream[WIRE_INITIATOR].octets->data, stream[WIRE_INITIATOR].octets->len, "abcdefghi", 9);
  g_assert_cmpmem(stream[WIRE_RESPONDER].octets->data, stream[WIRE_RESPONDER].octets->len, "xyz", 3);
  g_assert_true(stream[WIRE_INITIATOR].has_fin);
  g_assert_false(stream[WIRE_RESPONDER].has_fin);
  g_assert_cmpuint(stream[WIRE_INITIATOR].segments->len, ==, 4);
  g_assert_cmpuint(g_array_index(stream[WIRE_INITIATOR].segments, wire_segment, 3).offset, ==, 2);
}

/* TCP must not do this. */
TEST(test_bad_capture)
{
  static const struct {
    guint32 position[3];
    const char *text[3];
    guint32 fin;
    const char *complaint;
  } cases[] = {
      {{1, 2}, {"abc", "xc"}, 4, "stream octet 1 is sent again with another value"},
      {{1, 6}, {"abc", "f"}, 7, "stream octet 3 never came"},
      {{1, 4}, {"abc", "def"}, 4, "6 octets, but the FIN is after 3"},
      {{1}, {"abc"}, 5, "3 octets, but the FIN is after 4"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
    capture c = capture_new(7);
    for (int k = 0; k < 3 && cases[i].text[k]; k++) {
      put_packet(&c, TRUE, ACK, cases[i].position[k], cases[i].text[k]);
    }
    put_packet(&c, TRUE, ACK_FIN, cases[i].fin, "");
    g_autoptr(GPtrArray) connections = read_capture(&c, complaints);
    g_assert_cmpuint(complaints->len, ==, 1);
    g_assert_cmpstr(complaints->pdata[0], ==, cases[i].complaint);
  }
}
