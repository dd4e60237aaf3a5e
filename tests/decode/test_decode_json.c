/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects for programs: valid JSON whatever the capture holds, members in a fixed order with their documented
 * types. */
#include "decode_paper.h"

/* The object of the event has `members` at the first of them, whose ' stand for ". */
static void expect(decode_paper *f, const char *members)
{
  const char *text = decode_paper_event(f, &decode_json);
  g_autofree char *first = g_strndup(members, strcspn(members, ":"));
  const char *found = strstr(text, first);

  g_assert_nonnull(found);
  g_autofree char *part = g_strndup(found, strlen(members));
  g_assert_cmpstr(part, ==, members);
}

FIXTURE_TEST(test_write)
{
  static const decode_marker markers[] = {
      {.stream_position = 20, .is_right = true, .is_captured = true},
      {.stream_position = 532, .pointer = 512, .is_captured = true, .reserved = 9},
      {.stream_position = 1044}};

  memcpy(f->fpdu.markers, markers, sizeof markers);
  f->fpdu.marker_count = G_N_ELEMENTS(markers);
  expect(f, "{'type':'fpdu','time_s':0.000101344,'connection':0,'direction':0,'from':'10.0.0.1:49152',"
            "'to':'10.0.0.2:5044','position':20,'octets':1468,'packets':[5,5],'packet_count':1,"
            "'phase_offset':0,'located_by':'chain','after_error':false,'crc':'right',"
            "'crc_computed':'0x12345678','crc_received':'0x12345678','markers':[{'position':20,"
            "'pointer':0,'right':true,'reserved':0},{'position':532,'pointer':512,'right':false,"
            "'reserved':9},{'position':1044,'pointer':null,'right':null,'reserved':null}],"
            "'ulpdu_octets':1462,'ddp':{'tagged':true,'last':false,'version':1,'stag':'0x00000100',"
            "'tagged_offset':'0xFEDCBA9876543210','control':'0x81'},'payload_octets':1448,"
            "'rdmap':{'version':1,'opcode':0,'name':'RDMA Write','control':'0x40'}}");
}

FIXTURE_TEST(test_words)
{
  static const char *const locations[] = {"chain", "marker", "marker_chain", "assumption"};
  static const char *const crcs[] = {"'right','crc_computed':'0x12345678','crc_received':'0x12345678',",
                                     "'wrong','crc_computed':'0x12345678','crc_received':'0x12345678',",
                                     "'off',", "'not captured',"};

  for (guint i = 0; i < G_N_ELEMENTS(locations); i++) {
    f->fpdu.located_by = (mpa_location)i;
    g_autofree char *member = g_strdup_printf("'located_by':'%s',", locations[i]);
    expect(f, member);
  }
  for (guint i = 0; i < G_N_ELEMENTS(crcs); i++) {
    f->fpdu.crc = (decode_crc)i;
    g_autofree char *member = g_strdup_printf("'crc':%s'markers'", crcs[i]);
    expect(f, member);
  }
}

/* Every field has its largest value: numbers are still numbers. */
FIXTURE_TEST(test_extremes)
{
  f->event.direction = SIDE_RESPONDER;
  f->event.time_ns = INT64_MIN;
  f->event.stream_position = f->fpdu.phase_offset = INT64_MAX;
  f->event.octets = f->fpdu.ulpdu_octets = f->fpdu.payload_octets = UINT32_MAX;
  f->event.packets = (decode_packet_span){INT64_MAX, INT64_MAX, UINT32_MAX};
  f->fpdu.after_error = true;
  expect(f, "{'type':'fpdu','time_s':-9223372036.854775808,'connection':0,'direction':1,"
            "'from':'10.0.0.2:5044','to':'10.0.0.1:49152','position':9223372036854775807,"
            "'octets':4294967295,'packets':[9223372036854775807,9223372036854775807],"
            "'packet_count':4294967295,'phase_offset':9223372036854775807,'located_by':'chain',"
            "'after_error':true,'crc':'right','crc_computed':'0x12345678','crc_received':'0x12345678',"
            "'markers':[],'ulpdu_octets':4294967295,");
}

FIXTURE_TEST(test_no_ddp)
{
  f->fpdu.has_ddp = false;
  expect(f, "'ulpdu_octets':1462,'ddp':null}");
}

static void untag(decode_paper *f, rdmap_opcode opcode)
{
  decode_paper_untag(f, opcode);
  f->fpdu.ddp.version = 3;
  f->fpdu.ddp.ulp_control = rdmap_control_encode(2, opcode);
  f->fpdu.ddp.ulp_word = 0xCAFE0001;
  f->fpdu.ddp.queue_number = UINT32_MAX;
  f->fpdu.rdmap_version = 2;
}

FIXTURE_TEST(test_send)
{
  untag(f, RDMAP_SEND_INVALIDATE);
  expect(f, "'ddp':{'tagged':false,'last':true,'version':3,'queue_number':4294967295,'msn':7,"
            "'message_offset':1000,'ulp_word':'0xCAFE0001','control':'0x41'},'payload_octets':1448,"
            "'rdmap':{'version':2,'opcode':4,'name':'Send with Invalidate','control':'0x84',"
            "'invalidate_stag':'0xCAFE0001'}}");
  f->fpdu.opcode = NULL;
  f->fpdu.rdmap_opcode = 0xF;
  expect(f, "'rdmap':{'version':2,'opcode':15,'name':'reserved 0xF','control':'0x84'}}");
}

FIXTURE_TEST(test_read_request)
{
  untag(f, RDMAP_READ_REQUEST);
  f->fpdu.has_read_request = true;
  f->fpdu.read_request = (rdmap_read_request){.sink_stag = 1,
                                              .sink_offset = UINT64_MAX,
                                              .length = UINT32_MAX,
                                              .source_stag = UINT32_MAX,
                                              .source_offset = 2};
  expect(f, "'rdmap':{'version':2,'opcode':1,'name':'RDMA Read Request','control':'0x81',"
            "'read_request':{'sink_stag':'0x00000001','sink_offset':'0xFFFFFFFFFFFFFFFF',"
            "'length':4294967295,'source_stag':'0xFFFFFFFF','source_offset':'0x0000000000000002'}}}");
}

FIXTURE_TEST(test_terminate)
{
  static uint8_t wire[] = {0x11, 0x01, 0xC0, 0x00};
  const ddp_header header = f->fpdu.ddp;

  untag(f, RDMAP_TERMINATE);
  f->fpdu.payload_octets = sizeof wire;
  f->fpdu.terminate_octets = wire;
  f->fpdu.has_terminate = true;
  f->fpdu.terminate.error = (rdmap_error){1, 1, 1};
  f->fpdu.terminate.has_segment = true;
  f->fpdu.terminate.segment_octets = 1462;
  f->fpdu.terminate.header = header;
  f->fpdu.terminate.has_request = true;
  expect(f, "'rdmap':{'version':2,'opcode':7,'name':'Terminate','control':'0x87',"
            "'terminate':{'layer':1,'type':1,'code':1,"
            "'text':'tagged buffer error 0x01: base or bounds violation','wire':'1101C000',"
            "'segment_octets':1462,'ddp':{'tagged':true,'last':false,'version':1,'stag':'0x00000100',"
            "'tagged_offset':'0xFEDCBA9876543210'},'read_request':{'sink_stag':'0x00000000',"
            "'sink_offset':'0x0000000000000000','length':0,'source_stag':'0x00000000',"
            "'source_offset':'0x0000000000000000'}}}}");
}

FIXTURE_TEST(test_startup)
{
  static const uint8_t octets[] = {0xC0, 0x01, 0x00, 0x02, '"', '\\', 0xFF};
  const decode_startup_frame frame = {.is_reply = true,
                                      .crc = true,
                                      .enhanced_flag = true,
                                      .reserved = 15,
                                      .revision = 2,
                                      .private_data_octets = sizeof octets,
                                      .private_data_read = sizeof octets - 2,
                                      .private_data = octets,
                                      .frame_octets = 27,
                                      .has_enhanced = true,
                                      .enhanced = {.peer_to_peer = true, .ird = 1, .ord = 2}};

  decode_paper_startup(f, &frame);
  g_assert_cmpstr(
      decode_paper_event(f, &decode_json), ==,
      "{'type':'reply','time_s':0.000000001,'connection':0,'direction':1,'from':'10.0.0.2:5044',"
      "'to':'10.0.0.1:49152','position':0,'octets':27,'packets':[3,4],'revision':2,'markers':false,"
      "'crc':true,'rejected':false,'enhanced_flag':true,'reserved':15,'private_data_octets':7,"
      "'private_data':'C001000222','enhanced':{'peer_to_peer':true,'zero_length_send':false,'ird':1,"
      "'zero_length_write':false,'zero_length_read':false,'ord':2}}");
}

FIXTURE_TEST(test_note)
{
  static const char *const kinds[] = {"hole",        "lost chain", "bad length", "incomplete", "startup",
                                      "after error", "reset",      "fin",        "long ulpdu"};

  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
    f->event = (decode_event){.kind = DECODE_NOTE_HOLE + kind,
                              .connection = &f->connection,
                              .stream_position = 7,
                              .octets = 8,
                              .text = "\"\\\n"};
    g_autofree char *expected = g_strdup_printf(
        "{'type':'note','time_s':0.000000000,'connection':0,'direction':0,'from':'10.0.0.1:49152',"
        "'to':'10.0.0.2:5044','position':7,'octets':8,'packets':[0,0],'kind':'%s','text':'\\'\\\\\\n'}",
        kinds[kind]);
    g_assert_cmpstr(decode_paper_event(f, &decode_json), ==, expected);
  }
}

/* A file may be called anything. */
FIXTURE_TEST(test_heading)
{
  f->capture.file = "a\"\\\n\xFF.pcap";
  f->counts.origin_ns = INT64_C(1763740800000000007);
  decode_json.heading(&f->line, &f->capture);
  g_assert_cmpstr(decode_paper_take_object(f), ==,
                  "{'type':'capture','version':'9.8.7','file':'a\\'\\\\\\n\xEF\xBF\xBD.pcap','origin_s':"
                  "1763740800.000000007}");
}
