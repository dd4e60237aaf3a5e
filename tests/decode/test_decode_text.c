/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about lines for people: each field as it is spelled, in its column; hostile values. */
#include "decode_paper.h"
#include "parts.h"

/* Returns the line of the event after the names of its ends, without its end. */
static const char *content(decode_paper *f)
{
  decode_paper_event(f, &decode_text);
  const char *to = strstr(f->taken, f->connection.ends[!f->event.direction]);

  g_assert_nonnull(to);
  g_assert_true(strchr(f->taken, '\n') == f->taken + strlen(f->taken) - 1);
  g_strchomp(f->taken);
  return to + strlen(f->connection.ends[!f->event.direction]);
}

/* Returns the text after the column of the CRC's verdict. */
static const char *ulpdu(decode_paper *f)
{
  const char *crc = strstr(content(f), "CRC right  ");

  g_assert_nonnull(crc);
  return crc + strlen("CRC right  ");
}

static void expect_end(decode_paper *f, const char *end)
{
  g_assert_true(g_str_has_suffix(ulpdu(f), end));
}

FIXTURE_TEST(test_write)
{
  g_assert_cmpstr(decode_paper_event(f, &decode_text), ==,
                  "   0.000101344 0    10.0.0.1:49152 > 10.0.0.2:5044  20         1468   5           chain   "
                  "      CRC right  RDMA Write L=0 STag=0x00000100 TO=0xFEDCBA9876543210 payload=1448\n");
  f->event.direction = SIDE_RESPONDER;
  EXPECT_PARTS(decode_paper_event(f, &decode_text), " 0    10.0.0.2:5044 > 10.0.0.1:49152  20 ");
}

/* The largest numbers push the columns to the right and do not run into each other. */
FIXTURE_TEST(test_wide_numbers)
{
  f->event.stream_position = UINT64_MAX;
  f->event.octets = UINT32_MAX;
  f->event.packets = (decode_packet_span){UINT64_MAX - 1, UINT64_MAX, 2};
  f->fpdu.located_by = MPA_LOCATED_BY_MARKER_CHAIN;
  g_assert_true(g_str_has_prefix(
      content(f), "  18446744073709551615 4294967295 18446744073709551614-18446744073709551615 marker_"
                  "chain CRC right RDMA Write"));
}

FIXTURE_TEST(test_location)
{
  static const char *const words[] = {" chain  ", " marker  ", " marker_chain  ", " assumption  "};

  for (guint by = 0; by < MPA_LOCATIONS; by++) {
    f->fpdu.located_by = (mpa_location)by;
    EXPECT_PARTS(content(f), words[by]);
  }
}

FIXTURE_TEST(test_packets)
{
  f->event.packets = (decode_packet_span){5, 7, 2}; /* packet 6 brought none of it */
  EXPECT_PARTS(content(f), " 1468   5-7 ");
}

FIXTURE_TEST(test_crc)
{
  f->fpdu.crc = DECODE_CRC_WRONG;
  f->fpdu.crc_computed = 0x0000ABCD;
  EXPECT_PARTS(content(f), " CRC WRONG: computed 0x0000ABCD, received 0x12345678 RDMA Write");
  f->fpdu.crc = DECODE_CRC_UNUSED;
  EXPECT_PARTS(content(f), " CRC off    RDMA Write");
  f->fpdu.crc = DECODE_CRC_NOT_CAPTURED;
  EXPECT_PARTS(content(f), " CRC ?      RDMA Write");
}

FIXTURE_TEST(test_markers)
{
  static const decode_marker markers[] = {
      {.stream_position = 20, .is_right = true, .is_captured = true},
      {.stream_position = 532, .pointer = 512, .is_captured = true, .reserved = 0xBEEF},
      {.stream_position = 1044}};

  memcpy(f->fpdu.markers, markers, sizeof markers);
  f->fpdu.marker_count = 1;
  expect_end(f, " payload=1448 markers 20:0");
  f->fpdu.marker_count = 3;
  expect_end(f, " markers 20:0 532:512(WRONG)(reserved 0xBEEF) 1044:?");
}

FIXTURE_TEST(test_after_error)
{
  f->fpdu.after_error = true;
  g_assert_true(g_str_has_prefix(ulpdu(f), "after error: RDMA Write L=0 "));
}

FIXTURE_TEST(test_sends)
{
  decode_paper_untag(f, RDMAP_SEND);
  g_assert_cmpstr(ulpdu(f), ==, "Send L=1 QN=3 MSN=7 MO=1000 payload=1448");
  f->fpdu.ddp.ulp_word = 0xCAFE0001; /* by which others invalidate; it is reserved here */
  expect_end(f, " payload=1448 RsvdULP=0xCAFE0001");
  decode_paper_untag(f, RDMAP_SEND_SE_INVALIDATE);
  f->fpdu.ddp.ulp_word = 0xCAFE0001;
  g_assert_cmpstr(ulpdu(f), ==,
                  "Send with Solicited Event and Invalidate L=1 QN=3 MSN=7 MO=1000 Invalidate "
                  "STag=0xCAFE0001 payload=1448");
}

FIXTURE_TEST(test_read_request)
{
  decode_paper_untag(f, RDMAP_READ_REQUEST);
  f->fpdu.payload_octets = 28;
  f->fpdu.has_read_request = true;
  f->fpdu.read_request = (rdmap_read_request){.sink_stag = 1,
                                              .sink_offset = 0x1122334455667788,
                                              .length = UINT32_MAX,
                                              .source_stag = UINT32_MAX,
                                              .source_offset = 2};
  expect_end(f, " payload=28 SinkSTag=0x00000001 SinkTO=0x1122334455667788 RDMARDSZ=4294967295 "
                "SrcSTag=0xFFFFFFFF SrcTO=0x0000000000000002");
}

static const ddp_header write_header = {
    .tagged = true, .ulp_control = 0x40, .stag = 0x00000100, .tagged_offset = 0xFEDCBA9876543210};
static const ddp_header request_header = {
    .last = true, .ulp_control = 0x41, .queue_number = 3, .msn = 7, .message_offset = 1000};

/* They are in words, with the numbers, and with the header that it copies. */
static const struct {
  rdmap_terminate terminate;
  const char *end;
} terminates[] = {
    {{.error = {2, 0, 2}}, " Layer=2 (LLP) EType=0 Error Code=0x02: LLP error 0x02: MPA CRC error"},
    {{.error = {1, 1, 1}, .has_segment = true, .segment_octets = 1462, .header = write_header},
     " Layer=1 (DDP) EType=1 Error Code=0x01: tagged buffer error 0x01: base or bounds violation; "
     "of: DDP Segment Length=1462 RDMA Write L=0 STag=0x00000100 TO=0xFEDCBA9876543210"},
    {{.error = {0, 1, 2},
      .has_segment = true,
      .segment_octets = 46,
      .header = request_header,
      .has_request = true,
      .request = {.length = 5}},
     " Layer=0 (RDMA) EType=1 Error Code=0x02: remote protection error 0x02: access rights violation; of: "
     "DDP "
     "Segment Length=46 RDMA Read Request L=1 QN=3 MSN=7 MO=1000 SinkSTag=0x00000000 "
     "SinkTO=0x0000000000000000 "
     "RDMARDSZ=5 SrcSTag=0x00000000 SrcTO=0x0000000000000000"},
    {{.error = {15, 14, 0xEE}, .has_segment = true, .header = {.ulp_control = 0x4F}},
     " Layer=15 EType=14 Error Code=0xEE: unknown layer, type or code; of: DDP Segment Length=0 "
     "reserved 0xF L=0 QN=0 MSN=0 MO=0"},
};

FIXTURE_TEST(test_terminate)
{
  decode_paper_untag(f, RDMAP_TERMINATE);
  f->fpdu.has_terminate = true;
  for (gsize i = 0; i < G_N_ELEMENTS(terminates); i++) {
    f->fpdu.terminate = terminates[i].terminate;
    expect_end(f, terminates[i].end);
  }
}

/* DDP's code 0x02 has other words in RDMAC's documents (DDP-169): without startup frames RV shows which words
 * apply. */
FIXTURE_TEST(test_generation)
{
  decode_paper_untag(f, RDMAP_TERMINATE);
  f->fpdu.has_terminate = true;
  f->fpdu.terminate.error = (rdmap_error){1, 1, 2};
  g_autofree char *ours = g_strdup(ulpdu(f));

  f->fpdu.rdmap_version = 0;
  f->fpdu.ddp.version = 0;
  g_assert_cmpstr(ulpdu(f), !=, ours);
  f->connection.has_reply = true;
  f->connection.reply.revision = 1;
  g_assert_cmpstr(ulpdu(f), ==, ours);
}

/* DV and RV are printed when no document has that pair. */
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

  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
    f->fpdu.ddp.version = pairs[i].ddp;
    f->fpdu.rdmap_version = pairs[i].rdmap;
    expect_end(f, pairs[i].shown);
  }
}

/* A reserved opcode, an opcode in the other buffer model, bits that ought to be 0. */
FIXTURE_TEST(test_oddities)
{
  f->fpdu.opcode = NULL;
  f->fpdu.rdmap_opcode = 0xC;
  g_assert_true(g_str_has_prefix(ulpdu(f), "reserved 0xC L=0 STag="));
  f->fpdu.rdmap_opcode = RDMAP_SEND;
  f->fpdu.opcode = rdmap_opcode_rules_of(RDMAP_SEND);
  g_assert_cmpstr(ulpdu(f), ==, "Send L=0 STag=0x00000100 TO=0xFEDCBA9876543210 payload=1448 T=1");
  f->fpdu.rdmap_opcode = RDMAP_WRITE;
  f->fpdu.opcode = rdmap_opcode_rules_of(RDMAP_WRITE);
  f->fpdu.ddp_control = 0xBD;
  f->fpdu.ddp.ulp_control = 0x70;
  expect_end(f, " payload=1448 DDP Control=0xBD RDMAP Control=0x70");
  f->fpdu.has_ddp = false;
  f->fpdu.ulpdu_octets = 5;
  g_assert_cmpstr(ulpdu(f), ==, "no DDP header, ULPDU_Length=5");
}

FIXTURE_TEST(test_startup)
{
  decode_startup_frame frame = {.markers = true, .reserved = 0x1F, .revision = 0, .frame_octets = 20};

  decode_paper_startup(f, &frame);
  g_assert_cmpstr(decode_paper_event(f, &decode_text), ==,
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
      .enhanced = {.peer_to_peer = true, .rtrs = 1 << MPA_RTR_WRITE, .ird = 16383, .ord = 1}};
  g_assert_true(g_str_has_suffix(content(f), " MPA Reply Frame: Rev=2 M=0 C=1 R=1 S=1 Res=0x00 PD_Length=4, "
                                             "enhanced setup: IRD=16383 ORD=1 A=1 B=0 C=1 D=0"));
}

#define BLANKS "                    "

/* A bounded dump, 16 octets a line; what does not print is a dot. */
FIXTURE_TEST(test_private_data)
{
  g_autofree uint8_t *octets = g_malloc0(65535);
  decode_startup_frame frame = {
      .revision = 1, .private_data_octets = 23, .private_data_read = 23, .private_data = octets};

  memcpy(octets, "Hello \x1B[31m\xFF |\r\n!A~\x7F\x80", 22);
  decode_paper_startup(f, &frame);
  const char *text = strchr(decode_paper_event(f, &decode_text), '\n') + 1;
  g_assert_cmpstr(
      text, ==,
      BLANKS "Private Data 0    48 65 6C 6C 6F 20 1B 5B 33 31 6D FF 20 7C 0D 0A  |Hello .[31m. |..|\n" BLANKS
             "Private Data 16   21 41 7E 7F 80 00 00                             |!A~....|\n");
  frame.private_data_octets = 65535;
  frame.private_data_read = 65535;
  text = decode_paper_event(f, &decode_text);
  g_assert_true(g_str_has_suffix(text, BLANKS "Private Data: 65279 octets more\n"));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines) - 1, ==, 1 + 256 / 16 + 1);
  frame.private_data_octets = 20;
  frame.private_data_read = 2;
  g_assert_true(g_str_has_suffix(decode_paper_event(f, &decode_text),
                                 "|He|\n" BLANKS "Private Data: 18 octets not captured\n"));
}

FIXTURE_TEST(test_note)
{
  f->event = (decode_event){.kind = DECODE_NOTE_HOLE,
                            .connection = &f->connection,
                            .time_ns = 5,
                            .packets = {9, 9, 1},
                            .stream_position = 1000,
                            .octets = 1460,
                            .text = "these octets never came"};
  g_assert_cmpstr(decode_paper_event(f, &decode_text), ==,
                  "   0.000000005 0    10.0.0.1:49152 > 10.0.0.2:5044  1000       1460   9           note: "
                  "these octets never came\n");
}

/* Lines of all connections line up with the longest names up to now. */
FIXTURE_TEST(test_names)
{
  const decode_connection second = {.index = 1, .ends = {"[fd00::1]:1", "[fd00::1]:655350"}};
  const decode_connection third = {.index = 2, .ends = {"[fd00::1]:1", "[fd00::1]:6553"}};

  f->event.connection = &third;
  EXPECT_PARTS(decode_paper_event(f, &decode_text), " 2    [fd00::1]:1 > [fd00::1]:6553  20 ");
  f->event.connection = &second;
  EXPECT_PARTS(decode_paper_event(f, &decode_text), " 1    [fd00::1]:1 > [fd00::1]:655350  20 ");
  f->event.connection = &third;
  EXPECT_PARTS(decode_paper_event(f, &decode_text), " 2    [fd00::1]:1 > [fd00::1]:6553    20 ");
}

FIXTURE_TEST(test_heading)
{
  decode_text.heading(&f->line, &f->capture);
  g_assert_true(
      g_str_has_prefix(decode_paper_take(f), "# iwarpsim 9.8.7, decode a.pcap\n# time_s, connection, "));
  f->counts.origin_ns = INT64_C(1763740800000000007);
  decode_text.heading(&f->line, &f->capture);
  g_assert_true(g_str_has_prefix(
      decode_paper_take(f), "# iwarpsim 9.8.7, decode a.pcap, time 0 is 2025-11-21T16:00:00.000000007Z\n"));
}
