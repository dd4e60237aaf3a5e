/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects for programs: valid JSON whatever the capture says, members in a fixed order with their documented
 * types. */
#include "decode/decode_format.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "decode_paper.h"
#include "test.h"

/* What was printed, which must be one whole object on one line. Free with json_object_unref(). */
static JsonObject *parse(const char *text)
{
  JsonParser *parser = json_parser_new();
  GError *error = NULL;

  g_assert_true(g_str_has_suffix(text, "}\n"));
  g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
  json_parser_load_from_data(parser, text, -1, &error);
  g_assert_no_error(error);
  JsonObject *object = json_object_ref(json_node_get_object(json_parser_get_root(parser)));
  g_object_unref(parser);
  return object;
}

static const char *line_of(decode_paper *paper, const decode_fpdu *fpdu)
{
  const decode_name name = decode_paper_name(paper);

  decode_json.fpdu(paper->line, &name, fpdu);
  return decode_paper_take(paper);
}

static JsonObject *object_of(decode_paper *paper, const decode_fpdu *fpdu)
{
  return parse(line_of(paper, fpdu));
}

#define FIXTURE_TEST(name) TEST_WITH(decode_paper, NULL, decode_paper_set_up, decode_paper_tear_down, name)

FIXTURE_TEST(test_write)
{
  const decode_marker markers[] = {
      {.stream_position = 20, .is_right = true, .is_captured = true},
      {.stream_position = 532, .pointer = 512, .is_captured = true, .reserved = 9},
      {.stream_position = 1044}};
  decode_fpdu fpdu = decode_paper_write();

  fpdu.markers = markers;
  fpdu.marker_count = G_N_ELEMENTS(markers);
  g_assert_cmpstr(line_of(f, &fpdu), ==,
                  "{\"type\":\"fpdu\",\"time_s\":0.000101344,\"connection\":0,\"direction\":0,\"from\":\"10."
                  "0.0.1:49152\",\"to\":"
                  "\"10.0.0.2:5044\",\"position\":20,\"octets\":1468,\"packets\":[5,5],\"packet_count\":1,"
                  "\"phase_offset\":0,"
                  "\"located_by\":\"chain\",\"after_error\":false,\"crc\":\"right\",\"crc_computed\":"
                  "\"0x78563412\",\"crc_received\":"
                  "\"0x78563412\",\"markers\":[{\"position\":20,\"pointer\":0,\"right\":true,\"reserved\":0},"
                  "{\"position\":532,"
                  "\"pointer\":512,\"right\":false,\"reserved\":9},{\"position\":1044,\"pointer\":null,"
                  "\"right\":null,\"reserved\":"
                  "null}],\"ulpdu_octets\":1462,\"ddp\":{\"tagged\":true,\"last\":false,\"version\":1,"
                  "\"stag\":\"0x00000100\","
                  "\"tagged_offset\":\"0xFEDCBA9876543210\",\"control\":\"0x81\"},\"payload_octets\":1448,"
                  "\"rdmap\":{\"version\":1,"
                  "\"opcode\":0,\"name\":\"RDMA Write\",\"control\":\"0x40\"}}\n");
  json_object_unref(object_of(f, &fpdu));
}

FIXTURE_TEST(test_words)
{
  static const char *const locations[] = {"chain", "marker", "marker_chain", "assumption", "?"};
  static const char *const crcs[] = {"right", "wrong", "off", "not captured"};
  decode_fpdu fpdu = decode_paper_write();

  for (guint i = 0; i < G_N_ELEMENTS(locations); i++) {
    fpdu.located_by = (mpa_location)i;
    g_autoptr(JsonObject) object = object_of(f, &fpdu);
    g_assert_cmpstr(json_object_get_string_member(object, "located_by"), ==, locations[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(crcs); i++) {
    fpdu.crc = (decode_crc)i;
    g_autoptr(JsonObject) object = object_of(f, &fpdu);
    g_assert_cmpstr(json_object_get_string_member(object, "crc"), ==, crcs[i]);
    g_assert_cmpint(json_object_has_member(object, "crc_received"), ==, i < 2);
  }
}

/* Everything as large as it can be: still a number where a number belongs. */
FIXTURE_TEST(test_extremes)
{
  decode_fpdu fpdu = decode_paper_write();

  fpdu.direction = SIDE_RESPONDER;
  fpdu.after_error = true;
  fpdu.time_ns = INT64_MIN;
  fpdu.stream_position = fpdu.phase_offset = INT64_MAX;
  fpdu.fpdu_octets = fpdu.ulpdu_octets = fpdu.payload_octets = fpdu.packets = UINT32_MAX;
  fpdu.first_packet = fpdu.last_packet = INT64_MAX;
  g_autoptr(JsonObject) object = object_of(f, &fpdu);
  g_assert_cmpint(json_object_get_int_member(object, "position"), ==, INT64_MAX);
  g_assert_cmpint(json_object_get_int_member(object, "octets"), ==, UINT32_MAX);
  g_assert_cmpfloat(json_object_get_double_member(object, "time_s"), <, -9.2e9);
  g_assert_cmpint(json_object_get_int_member(object, "direction"), ==, 1);
  g_assert_cmpstr(json_object_get_string_member(object, "from"), ==, "10.0.0.2:5044");
  g_assert_true(json_object_get_boolean_member(object, "after_error"));
}

FIXTURE_TEST(test_no_ddp)
{
  decode_fpdu fpdu = decode_paper_write();

  fpdu.has_ddp = false;
  g_autoptr(JsonObject) object = object_of(f, &fpdu);
  g_assert_true(json_object_get_null_member(object, "ddp"));
  g_assert_false(json_object_has_member(object, "rdmap"));
}

static decode_fpdu untagged(rdmap_opcode opcode)
{
  decode_fpdu fpdu = decode_paper_write();

  fpdu.ddp = (ddp_header){.last = true,
                          .version = 3,
                          .ulp_control = rdmap_control_encode(2, opcode),
                          .ulp_word = 0xCAFE0001,
                          .queue_number = UINT32_MAX,
                          .msn = 7,
                          .message_offset = 1000};
  fpdu.rdmap_version = 2;
  fpdu.rdmap_opcode = opcode;
  fpdu.opcode = rdmap_opcode_rules_of(opcode);
  return fpdu;
}

FIXTURE_TEST(test_send)
{
  decode_fpdu fpdu = untagged(RDMAP_SEND_INVALIDATE);

  JsonObject *object = object_of(f, &fpdu);
  JsonObject *ddp = json_object_get_object_member(object, "ddp");
  JsonObject *rdmap = json_object_get_object_member(object, "rdmap");
  g_assert_false(json_object_get_boolean_member(ddp, "tagged"));
  g_assert_true(json_object_get_boolean_member(ddp, "last"));
  g_assert_cmpint(json_object_get_int_member(ddp, "version"), ==, 3);
  g_assert_cmpint(json_object_get_int_member(ddp, "queue_number"), ==, UINT32_MAX);
  g_assert_cmpint(json_object_get_int_member(ddp, "msn"), ==, 7);
  g_assert_cmpint(json_object_get_int_member(ddp, "message_offset"), ==, 1000);
  g_assert_cmpstr(json_object_get_string_member(ddp, "ulp_word"), ==, "0xCAFE0001");
  g_assert_cmpint(json_object_get_int_member(rdmap, "version"), ==, 2);
  g_assert_cmpstr(json_object_get_string_member(rdmap, "name"), ==, "Send with Invalidate");
  g_assert_cmpstr(json_object_get_string_member(rdmap, "invalidate_stag"), ==, "0xCAFE0001");
  json_object_unref(object);
  fpdu.opcode = NULL;
  fpdu.rdmap_opcode = 0xF;
  object = object_of(f, &fpdu);
  rdmap = json_object_get_object_member(object, "rdmap");
  g_assert_cmpstr(json_object_get_string_member(rdmap, "name"), ==, "reserved 0xF");
  g_assert_cmpint(json_object_get_int_member(rdmap, "opcode"), ==, 15);
  json_object_unref(object);
}

FIXTURE_TEST(test_read_request)
{
  decode_fpdu fpdu = untagged(RDMAP_READ_REQUEST);

  fpdu.has_read_request = true;
  fpdu.read_request = (rdmap_read_request){.sink_stag = 1,
                                           .sink_offset = UINT64_MAX,
                                           .length = UINT32_MAX,
                                           .source_stag = UINT32_MAX,
                                           .source_offset = 2};
  g_autoptr(JsonObject) object = object_of(f, &fpdu);
  JsonObject *request =
      json_object_get_object_member(json_object_get_object_member(object, "rdmap"), "read_request");
  g_assert_cmpstr(json_object_get_string_member(request, "sink_stag"), ==, "0x00000001");
  g_assert_cmpstr(json_object_get_string_member(request, "sink_offset"), ==, "0xFFFFFFFFFFFFFFFF");
  g_assert_cmpint(json_object_get_int_member(request, "length"), ==, UINT32_MAX);
  g_assert_cmpstr(json_object_get_string_member(request, "source_stag"), ==, "0xFFFFFFFF");
  g_assert_cmpstr(json_object_get_string_member(request, "source_offset"), ==, "0x0000000000000002");
}

FIXTURE_TEST(test_terminate)
{
  static const uint8_t wire[] = {0x11, 0x01, 0xC0, 0x00};
  decode_fpdu fpdu = untagged(RDMAP_TERMINATE);

  fpdu.payload_octets = sizeof wire;
  fpdu.terminate_octets = wire;
  fpdu.has_terminate = true;
  fpdu.terminate.error = (rdmap_error){1, 1, 1};
  fpdu.terminate.has_segment = true;
  fpdu.terminate.segment_octets = 1462;
  fpdu.terminate.header = decode_paper_write().ddp;
  fpdu.terminate.has_request = true;
  g_autoptr(JsonObject) object = object_of(f, &fpdu);
  JsonObject *terminate =
      json_object_get_object_member(json_object_get_object_member(object, "rdmap"), "terminate");
  g_assert_cmpint(json_object_get_int_member(terminate, "layer"), ==, 1);
  g_assert_cmpint(json_object_get_int_member(terminate, "type"), ==, 1);
  g_assert_cmpint(json_object_get_int_member(terminate, "code"), ==, 1);
  g_assert_cmpstr(json_object_get_string_member(terminate, "text"), ==,
                  "tagged buffer error 0x01: base or bounds violation");
  g_assert_cmpstr(json_object_get_string_member(terminate, "wire"), ==, "1101C000");
  g_assert_cmpint(json_object_get_int_member(terminate, "segment_octets"), ==, 1462);
  g_assert_cmpstr(
      json_object_get_string_member(json_object_get_object_member(terminate, "ddp"), "tagged_offset"), ==,
      "0xFEDCBA9876543210");
  g_assert_true(json_object_has_member(terminate, "read_request"));
}

FIXTURE_TEST(test_startup)
{
  static const uint8_t octets[] = {0xC0, 0x01, 0x00, 0x02, '"', '\\', 0xFF};
  const decode_name name = decode_paper_name(f);
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
  const decode_startup_event event = {
      .direction = SIDE_RESPONDER, .first_packet = 4, .last_packet = 6, .frame = &frame};

  decode_json.startup(f->line, &name, &event);
  g_autoptr(JsonObject) object = parse(decode_paper_take(f));
  g_assert_cmpstr(json_object_get_string_member(object, "type"), ==, "reply");
  g_assert_cmpint(json_object_get_int_member(object, "octets"), ==, 27);
  g_assert_cmpint(json_object_get_int_member(object, "revision"), ==, 2);
  g_assert_false(json_object_get_boolean_member(object, "markers"));
  g_assert_true(json_object_get_boolean_member(object, "crc"));
  g_assert_false(json_object_get_boolean_member(object, "rejected"));
  g_assert_true(json_object_get_boolean_member(object, "enhanced_flag"));
  g_assert_cmpint(json_object_get_int_member(object, "reserved"), ==, 15);
  g_assert_cmpint(json_object_get_int_member(object, "private_data_octets"), ==, 7);
  g_assert_cmpstr(json_object_get_string_member(object, "private_data"), ==,
                  "C001000222"); /* what was captured */
  JsonObject *enhanced = json_object_get_object_member(object, "enhanced");
  g_assert_true(json_object_get_boolean_member(enhanced, "peer_to_peer"));
  g_assert_false(json_object_get_boolean_member(enhanced, "zero_length_send"));
  g_assert_cmpint(json_object_get_int_member(enhanced, "ird"), ==, 1);
  g_assert_cmpint(json_object_get_int_member(enhanced, "ord"), ==, 2);
}

FIXTURE_TEST(test_note)
{
  static const char *const kinds[] = {"hole",  "lost chain", "bad length", "incomplete", "startup",
                                      "reset", "fin",        "long ulpdu", "?"};
  const decode_name name = decode_paper_name(f);

  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
    const decode_note note = {
        .kind = (decode_note_kind)kind, .stream_position = 7, .octets = 8, .text = "\"\\\n"};

    decode_json.note(f->line, &name, &note);
    g_autoptr(JsonObject) object = parse(decode_paper_take(f));
    g_assert_cmpstr(json_object_get_string_member(object, "type"), ==, "note");
    g_assert_cmpstr(json_object_get_string_member(object, "kind"), ==, kinds[kind]);
    g_assert_cmpstr(json_object_get_string_member(object, "text"), ==, "\"\\\n");
    g_assert_cmpint(json_object_get_int_member(object, "octets"), ==, 8);
  }
}

/* A file may be called anything. */
FIXTURE_TEST(test_heading)
{
  decode_json.heading(f->line, "9.8.7", "a\"\\\n\xFF.pcap", INT64_C(1763740800000000007));
  const char *text = decode_paper_take(f);
  g_assert_nonnull(strstr(text, "\"origin_s\":1763740800.000000007}"));
  g_autoptr(JsonObject) object = parse(text);
  g_assert_cmpstr(json_object_get_string_member(object, "type"), ==, "capture");
  g_assert_cmpstr(json_object_get_string_member(object, "version"), ==, "9.8.7");
  g_assert_cmpstr(json_object_get_string_member(object, "file"), ==, "a\"\\\n\xEF\xBF\xBD.pcap");
}
