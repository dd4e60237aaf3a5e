/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines for people: each field as it is spelled, in its column; hostile values. */
#include "decode_paper.h"

/* The line of an FPDU after the names of its ends, without its end. */
static const char *content(decode_paper *paper, const decode_fpdu *fpdu)
{
  decode_text.fpdu(paper->line, &paper->name, fpdu);
  char *text = (char *)decode_paper_take(paper);
  g_assert_true(g_str_has_suffix(text, "\n"));
  text[strlen(text) - 1] = '\0';
  g_assert_null(strchr(text, '\n'));
  const char *ends = strstr(text, paper->name.directions[fpdu->direction]);
  g_assert_nonnull(ends);
  return ends + paper->name.width;
}

/* What stands after the column of the CRC's verdict. */
static const char *ulpdu(decode_paper *paper, const decode_fpdu *fpdu)
{
  const char *crc = strstr(content(paper, fpdu), "CRC right  ");

  g_assert_nonnull(crc);
  return crc + strlen("CRC right  ");
}

static void expect_end(decode_paper *paper, const decode_fpdu *fpdu, const char *end)
{
  const char *text = ulpdu(paper, fpdu);

  g_assert_true(g_str_has_suffix(text, end));
}

FIXTURE_TEST(test_write)
{
  decode_fpdu fpdu = f->fpdu;
  decode_text.fpdu(f->line, &f->name, &fpdu);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  "   0.000101344 0    10.0.0.1:49152 > 10.0.0.2:5044  20         1468   5           chain   "
                  "      CRC right  RDMA Write L=0 STag=0x00000100 TO=0xFEDCBA9876543210 payload=1448\n");
  fpdu.direction = SIDE_RESPONDER;
  decode_text.fpdu(f->line, &f->name, &fpdu);
  g_assert_nonnull(strstr(decode_paper_take(f), " 0    10.0.0.2:5044 > 10.0.0.1:49152  20 "));
}

FIXTURE_TEST(test_columns)
{
  decode_fpdu fpdu = f->fpdu;
  const char *line = content(f, &fpdu);

  g_assert_cmpint(line[2], ==, '2');  /* position */
  g_assert_cmpint(line[13], ==, '1'); /* octets */
  g_assert_cmpint(line[20], ==, '5'); /* packets */
  g_assert_cmpint(line[32], ==, 'c'); /* chain */
  g_assert_cmpint(line[46], ==, 'C');
  g_assert_cmpint(line[57], ==, 'R');
}

/* The largest numbers push the columns to the right and do not run into each other. */
FIXTURE_TEST(test_wide_numbers)
{
  decode_fpdu fpdu = f->fpdu;

  fpdu.stream_position = UINT64_MAX;
  fpdu.fpdu_octets = UINT32_MAX;
  fpdu.first_packet = UINT64_MAX - 1;
  fpdu.last_packet = UINT64_MAX;
  fpdu.located_by = MPA_LOCATED_BY_MARKER_CHAIN;
  g_assert_true(g_str_has_prefix(
      content(f, &fpdu), "  18446744073709551615 4294967295 18446744073709551614-18446744073709551615 marker "
                         "chain CRC right RDMA Write"));
}

FIXTURE_TEST(test_location)
{
  static const char *const words[] = {" chain  ", " marker  ", " marker chain  ", " assumption  ", " ?  "};
  decode_fpdu fpdu = f->fpdu;

  for (guint by = 0; by <= MPA_LOCATIONS; by++) {
    fpdu.located_by = (mpa_location)by;
    g_assert_nonnull(strstr(content(f, &fpdu), words[by]));
  }
}

FIXTURE_TEST(test_packets)
{
  decode_fpdu fpdu = f->fpdu;

  fpdu.last_packet = 7;
  fpdu.packets = 2; /* packet 6 brought none of it */
  g_assert_nonnull(strstr(content(f, &fpdu), " 1468   5-7 "));
}

FIXTURE_TEST(test_crc)
{
  decode_fpdu fpdu = f->fpdu;

  fpdu.crc = DECODE_CRC_WRONG;
  fpdu.crc_computed = 0x0000ABCD;
  g_assert_nonnull(
      strstr(content(f, &fpdu), " CRC WRONG: computed 0xCDAB0000, received 0x78563412 RDMA Write"));
  fpdu.crc = DECODE_CRC_UNUSED;
  g_assert_nonnull(strstr(content(f, &fpdu), " CRC off    RDMA Write"));
  fpdu.crc = DECODE_CRC_NOT_CAPTURED;
  g_assert_nonnull(strstr(content(f, &fpdu), " CRC ?      RDMA Write"));
}

FIXTURE_TEST(test_markers)
{
  const decode_marker markers[] = {
      {.stream_position = 20, .is_right = true, .is_captured = true},
      {.stream_position = 532, .pointer = 512, .is_captured = true, .reserved = 0xBEEF},
      {.stream_position = 1044}};
  decode_fpdu fpdu = f->fpdu;

  fpdu.markers = markers;
  fpdu.marker_count = 1;
  expect_end(f, &fpdu, " payload=1448 markers 20:0");
  fpdu.marker_count = 3;
  expect_end(f, &fpdu, " markers 20:0 532:512(WRONG)(reserved 0xBEEF) 1044:?");
}

FIXTURE_TEST(test_after_error)
{
  decode_fpdu fpdu = f->fpdu;

  fpdu.after_error = true;
  g_assert_true(g_str_has_prefix(ulpdu(f, &fpdu), "after error: RDMA Write L=0 "));
}

FIXTURE_TEST(test_sends)
{
  decode_fpdu fpdu = decode_paper_untagged(RDMAP_SEND);

  g_assert_cmpstr(ulpdu(f, &fpdu), ==, "Send L=1 QN=3 MSN=7 MO=1000 payload=1448");
  fpdu = decode_paper_untagged(RDMAP_SEND_SE_INVALIDATE);
  fpdu.ddp.ulp_word = 0xCAFE0001;
  g_assert_cmpstr(ulpdu(f, &fpdu), ==,
                  "Send with Solicited Event and Invalidate L=1 QN=3 MSN=7 MO=1000 Invalidate "
                  "STag=0xCAFE0001 payload=1448");
  fpdu = decode_paper_untagged(RDMAP_SEND); /* the word that others invalidate by is reserved here */
  fpdu.ddp.ulp_word = 0xCAFE0001;
  expect_end(f, &fpdu, " payload=1448 RsvdULP=0xCAFE0001");
}

FIXTURE_TEST(test_read_request)
{
  decode_fpdu fpdu = decode_paper_untagged(RDMAP_READ_REQUEST);

  fpdu.payload_octets = 28;
  fpdu.has_read_request = true;
  fpdu.read_request = (rdmap_read_request){.sink_stag = 1,
                                           .sink_offset = 0x1122334455667788,
                                           .length = UINT32_MAX,
                                           .source_stag = UINT32_MAX,
                                           .source_offset = 2};
  expect_end(f, &fpdu,
             " payload=28 SinkSTag=0x00000001 SinkTO=0x1122334455667788 RDMARDSZ=4294967295 "
             "SrcSTag=0xFFFFFFFF SrcTO=0x0000000000000002");
}

static decode_fpdu terminate(rdmap_error error)
{
  decode_fpdu fpdu = decode_paper_untagged(RDMAP_TERMINATE);

  fpdu.has_terminate = true;
  fpdu.terminate.error = error;
  return fpdu;
}

/* In words, with the numbers, and with the header that it copies. */
FIXTURE_TEST(test_terminate)
{
  decode_fpdu fpdu = terminate((rdmap_error){2, 0, 2});

  expect_end(f, &fpdu, " Layer=2 (LLP) EType=0 Error Code=0x02: LLP error 0x02: MPA CRC error");
  fpdu = terminate((rdmap_error){1, 1, 1});
  fpdu.terminate.has_segment = true;
  fpdu.terminate.segment_octets = 1462;
  fpdu.terminate.header = f->fpdu.ddp;
  expect_end(f, &fpdu,
             " Layer=1 (DDP) EType=1 Error Code=0x01: tagged buffer error 0x01: base or bounds violation; "
             "of: DDP Segment Length=1462 RDMA Write L=0 STag=0x00000100 TO=0xFEDCBA9876543210");
  fpdu = terminate((rdmap_error){0, 1, 2});
  fpdu.terminate.has_segment = true;
  fpdu.terminate.segment_octets = 46;
  fpdu.terminate.header = decode_paper_untagged(RDMAP_READ_REQUEST).ddp;
  fpdu.terminate.has_request = true;
  fpdu.terminate.request = (rdmap_read_request){.length = 5};
  g_assert_nonnull(strstr(
      ulpdu(f, &fpdu),
      "; of: DDP Segment Length=46 RDMA Read Request L=1 QN=3 MSN=7 MO=1000 SinkSTag=0x00000000 SinkTO"));
  g_assert_nonnull(
      strstr(ulpdu(f, &fpdu), " Layer=0 (RDMA) EType=1 Error Code=0x02: remote protection error 0x02: "));
}

FIXTURE_TEST(test_unknown_terminate)
{
  decode_fpdu fpdu = terminate((rdmap_error){15, 14, 0xEE});

  fpdu.terminate.has_segment = true;
  fpdu.terminate.header = (ddp_header){.ulp_control = 0x4F};
  expect_end(f, &fpdu,
             " Layer=15 EType=14 Error Code=0xEE: unknown layer, type or code; of: DDP Segment Length=0 "
             "reserved opcode 0xF L=0 QN=0 MSN=0 MO=0");
}

/* DDP's code 0x02 has other words in RDMAC's documents (DDP-169): without startup frames RV shows whose they
 * are. */
FIXTURE_TEST(test_generation)
{
  decode_fpdu fpdu = terminate((rdmap_error){1, 1, 2});
  g_autofree char *ours = g_strdup(ulpdu(f, &fpdu));

  fpdu.rdmap_version = 0;
  fpdu.ddp.version = 0;
  g_assert_cmpstr(ulpdu(f, &fpdu), !=, ours);
  f->connection.has_reply = true;
  f->connection.reply.revision = 1;
  f->name = decode_names_of(f->names, &f->connection, &f->flow);
  g_assert_cmpstr(ulpdu(f, &fpdu), ==, ours);
}

/* DV and RV stand there when they are no pair that a document has. */
FIXTURE_TEST(test_versions)
{
  static const struct {
    uint8_t ddp, rdmap;
    const char *shown;
  } pairs[] = {{0, 0, " payload=1448"},
               {1, 1, " payload=1448"},
               {0, 1, " DV=0 RV=1"},
               {1, 0, " DV=1 RV=0"},
               {3, 3, " DV=3 RV=3"}};
  decode_fpdu fpdu = f->fpdu;

  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
    fpdu.ddp.version = pairs[i].ddp;
    fpdu.rdmap_version = pairs[i].rdmap;
    expect_end(f, &fpdu, pairs[i].shown);
  }
}

/* A reserved opcode, an opcode in the other buffer model, bits that ought to be 0. */
FIXTURE_TEST(test_oddities)
{
  decode_fpdu fpdu = f->fpdu;

  fpdu.opcode = NULL;
  fpdu.rdmap_opcode = 0xC;
  g_assert_true(g_str_has_prefix(ulpdu(f, &fpdu), "reserved opcode 0xC L=0 STag="));
  fpdu = f->fpdu;
  fpdu.opcode = rdmap_opcode_rules_of(RDMAP_SEND);
  g_assert_cmpstr(ulpdu(f, &fpdu), ==, "Send L=0 STag=0x00000100 TO=0xFEDCBA9876543210 payload=1448 T=1");
  fpdu = f->fpdu;
  fpdu.ddp_control = 0xBD;
  fpdu.ddp.ulp_control = 0x70;
  expect_end(f, &fpdu, " payload=1448 DDP Control=0xBD RDMAP Control=0x70");
  fpdu.has_ddp = false;
  fpdu.ulpdu_octets = 5;
  g_assert_cmpstr(ulpdu(f, &fpdu), ==, "no DDP header, ULPDU_Length=5");
}

FIXTURE_TEST(test_startup)
{
  decode_startup_frame frame = {.markers = true, .reserved = 0x1F, .revision = 0, .frame_octets = 20};
  decode_startup_event event = {
      .direction = SIDE_RESPONDER, .time_ns = 1, .first_packet = 3, .last_packet = 4, .frame = &frame};

  decode_text.startup(f->line, &f->name, &event);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  "   0.000000001 0    10.0.0.2:5044 > 10.0.0.1:49152  0          20     3-4         MPA "
                  "Request Frame: Rev=0 M=1 C=0 R=0 Res=0x1F PD_Length=0\n");
  frame = (decode_startup_frame){
      .is_reply = true,
      .crc = true,
      .rejected = true,
      .enhanced_flag = true,
      .revision = 2,
      .private_data_octets = 4,
      .private_data_read = 4,
      .has_enhanced = true,
      .enhanced = {.peer_to_peer = true, .ready_to_receive_zero_length_write = true, .ird = 16383, .ord = 1}};
  decode_text.startup(f->line, &f->name, &event);
  g_assert_true(g_str_has_suffix(decode_paper_take(f),
                                 " MPA Reply Frame: Rev=2 M=0 C=1 R=1 S=1 Res=0x00 PD_Length=4, "
                                 "enhanced setup: IRD=16383 ORD=1 A=1 B=0 C=1 D=0\n"));
}

/* A bounded dump, 16 octets a line; what does not print is a dot. */
FIXTURE_TEST(test_private_data)
{
  g_autofree uint8_t *octets = g_malloc0(65535);
  decode_startup_frame frame = {.revision = 1,
                                .private_data_octets = 18,
                                .private_data_read = 18,
                                .private_data = octets,
                                .frame_octets = 38};
  const decode_startup_event event = {.first_packet = 3, .last_packet = 3, .frame = &frame};

  memcpy(octets, "Hello \x1B[31m\xFF |\r\n!", 18);
  decode_text.startup(f->line, &f->name, &event);
  const char *text = strchr(decode_paper_take(f), '\n') + 1;
  g_assert_cmpstr(
      text, ==,
      "                    Private Data 0    48 65 6C 6C 6F 20 1B 5B 33 31 6D FF 20 7C 0D 0A  |Hello .[31m. "
      "|..|\n"
      "                    Private Data 16   21 00                                            |!.|\n");
  frame.private_data_octets = 65535;
  frame.private_data_read = 65535;
  decode_text.startup(f->line, &f->name, &event);
  text = decode_paper_take(f);
  g_assert_true(g_str_has_suffix(text, "                    Private Data: 65279 octets more\n"));
  guint lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')); at++) {
    lines++;
  }
  g_assert_cmpuint(lines, ==, 1 + 256 / 16 + 1);
  frame.private_data_octets = 20;
  frame.private_data_read = 2;
  decode_text.startup(f->line, &f->name, &event);
  g_assert_true(g_str_has_suffix(decode_paper_take(f),
                                 "|He|\n                    Private Data: 18 octets not captured\n"));
}

FIXTURE_TEST(test_note)
{
  const decode_note note = {.kind = DECODE_NOTE_HOLE,
                            .time_ns = 5,
                            .packet = 9,
                            .stream_position = 1000,
                            .octets = 1460,
                            .text = "these octets never came"};

  decode_text.note(f->line, &f->name, &note);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  "   0.000000005 0    10.0.0.1:49152 > 10.0.0.2:5044  1000       1460   9           note: "
                  "these octets never came\n");
}

/* Lines of all connections line up with the longest names known. */
FIXTURE_TEST(test_names)
{
  const capture_flow flow = {.ends = {{.address = ip_address_v6(0xFD00000000000000, 1), .port = 65535},
                                      {.address = ip_address_v6(0xFD00000000000000, 2), .port = 1}}};
  const decode_connection second = {.index = 1, .initiator = 1};

  g_assert_cmpuint(f->name.width, ==, strlen("10.0.0.1:49152 > 10.0.0.2:5044"));
  const decode_name name = decode_names_of(f->names, &second, &flow);
  g_assert_cmpstr(name.ends[SIDE_INITIATOR], ==, "[fd00::2]:1");
  g_assert_cmpstr(name.directions[SIDE_INITIATOR], ==, "[fd00::2]:1 > [fd00::1]:65535");
  g_assert_cmpstr(name.directions[SIDE_RESPONDER], ==, "[fd00::1]:65535 > [fd00::2]:1");
  g_assert_cmpuint(name.width, ==, strlen("10.0.0.1:49152 > 10.0.0.2:5044"));
}

FIXTURE_TEST(test_heading)
{
  decode_text.heading(f->line, "9.8.7", "a.pcap", 0);
  g_assert_true(
      g_str_has_prefix(decode_paper_take(f), "# iwarpsim 9.8.7, decode a.pcap\n# time_s, connection, "));
  decode_text.heading(f->line, "9.8.7", "a.pcap", INT64_C(1763740800000000007));
  g_assert_true(g_str_has_prefix(
      decode_paper_take(f), "# iwarpsim 9.8.7, decode a.pcap, time 0 is 2025-11-21T16:00:00.000000007Z\n"));
}
