/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums by connection: each in its row and its member, and the object as issue and documentation promise
 * it. */
#include "decode/decode_format.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "decode_paper.h"
#include "test.h"

static const capture_counts counts = {.packets = 12, .octets = 3000, .segments = 9, .wrong_checksums = 1};

static decode_overview heading_of(uint32_t speakers)
{
  return (decode_overview){
      .version = "9.8.7", .file = "a.pcap", .flows = 3, .speakers = speakers, .counts = &counts};
}

/* Every sum of the first direction has a value of its own. */
static void fill(decode_connection *connection)
{
  decode_direction_summary *sums = &connection->directions[SIDE_INITIATOR];

  *sums = (decode_direction_summary){
      .streaming_octets = 101,
      .startup_octets = 102,
      .fpdu_octets = 103,
      .incomplete_octets = 104,
      .unaccounted_octets = 105,
      .missing_octets = 106,
      .phase_start = 107,
      .in_full_operation = true,
      .markers = true,
      .fpdus = 108,
      .located_by = {109, 110, 111, 112},
      .marker_count = 113,
      .wrong_markers = 114,
      .crc_bad = 115,
      .after_error = 116,
      .opcodes = {[RDMAP_WRITE] = 117, [RDMAP_SEND] = 118, [12] = 119},
      .no_ddp = 120,
      .long_ulpdus = 128,
      .payload_octets = 121,
      .tagged_payload_octets = 122,
      .segments = 123,
      .aligned = 124,
      .out_of_order = 125,
      .duplicates = 126,
      .wrong_checksums = 127,
  };
}

static JsonObject *parse(const char *text)
{
  JsonParser *parser = json_parser_new();
  GError *error = NULL;

  g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
  json_parser_load_from_data(parser, text, -1, &error);
  g_assert_no_error(error);
  JsonObject *object = json_object_ref(json_node_get_object(json_parser_get_root(parser)));
  g_object_unref(parser);
  return object;
}

static const char *object_text(decode_paper *paper, uint32_t speakers)
{
  const decode_overview overview = heading_of(speakers);
  const decode_name name = decode_paper_name(paper);

  decode_json.overview(paper->line, &overview);
  for (uint32_t i = 0; i < speakers; i++) {
    decode_json.connection(paper->line, &name, &paper->connection, i == 0);
  }
  decode_json.overview_end(paper->line);
  return decode_paper_take(paper);
}

#define FIXTURE_TEST(name) TEST_WITH(decode_paper, NULL, decode_paper_set_up, decode_paper_tear_down, name)

FIXTURE_TEST(test_empty_object)
{
  g_autoptr(JsonObject) object = parse(object_text(f, 0));
  g_assert_cmpuint(json_array_get_length(json_object_get_array_member(object, "connections")), ==, 0);
  g_assert_cmpstr(json_object_get_string_member(object, "version"), ==, "9.8.7");
  g_assert_cmpstr(json_object_get_string_member(object, "file"), ==, "a.pcap");
  JsonObject *capture = json_object_get_object_member(object, "capture");
  g_assert_cmpint(json_object_get_int_member(capture, "packets"), ==, 12);
  g_assert_cmpint(json_object_get_int_member(capture, "tcp_connections"), ==, 3);
}

static void assert_sums(JsonObject *direction)
{
  static const struct {
    const char *member;
    gint64 value;
  } sums[] = {{"fpdus", 108},
              {"markers", 113},
              {"crc_bad", 115},
              {"segments", 123},
              {"aligned", 124},
              {"unaccounted_octets", 105},
              {"streaming_octets", 101},
              {"startup_octets", 102},
              {"fpdu_octets", 103},
              {"incomplete_octets", 104},
              {"missing_octets", 106},
              {"phase_start", 107},
              {"located_by_chain", 109},
              {"located_by_marker", 110},
              {"located_by_marker_chain", 111},
              {"located_by_assumption", 112},
              {"wrong_markers", 114},
              {"after_error", 116},
              {"no_ddp", 120},
              {"long_ulpdus", 128},
              {"payload_octets", 121},
              {"tagged_payload_octets", 122},
              {"out_of_order", 125},
              {"duplicates", 126},
              {"wrong_checksums", 127}};

  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
    g_assert_true(json_object_has_member(direction, sums[i].member));
    g_assert_cmpint(json_object_get_int_member(direction, sums[i].member), ==, sums[i].value);
  }
  g_assert_true(json_object_get_boolean_member(direction, "in_full_operation"));
  g_assert_true(json_object_get_boolean_member(direction, "markers_on"));
  g_assert_false(json_object_get_boolean_member(direction, "crc_on"));
  JsonObject *opcodes = json_object_get_object_member(direction, "opcodes");
  g_assert_cmpuint(json_object_get_size(opcodes), ==, 3);
  g_assert_cmpint(json_object_get_int_member(opcodes, "RDMA Write"), ==, 117);
  g_assert_cmpint(json_object_get_int_member(opcodes, "Send"), ==, 118);
  g_assert_cmpint(json_object_get_int_member(opcodes, "reserved 0xC"), ==, 119);
}

/* Two connections, the key `fpdus` once for each of their directions and nowhere else. */
FIXTURE_TEST(test_object)
{
  guint found = 0;

  fill(&f->connection);
  f->connection.has_reply = true;
  f->connection.reply = (decode_startup_frame){.is_reply = true, .revision = 1, .crc = true};
  const char *text = object_text(f, 2);
  for (const char *at = text; (at = strstr(at, "\"fpdus\"")); at++) {
    found++;
  }
  g_assert_cmpuint(found, ==, 4);
  g_autoptr(JsonObject) object = parse(text);
  JsonArray *connections = json_object_get_array_member(object, "connections");
  g_assert_cmpuint(json_array_get_length(connections), ==, 2);
  JsonObject *connection = json_array_get_object_element(connections, 1);
  g_assert_cmpstr(json_object_get_string_member(connection, "initiator"), ==, "10.0.0.1:49152");
  g_assert_cmpstr(json_object_get_string_member(connection, "responder"), ==, "10.0.0.2:5044");
  g_assert_true(json_object_get_null_member(connection, "request"));
  JsonObject *reply = json_object_get_object_member(connection, "reply");
  g_assert_cmpint(json_object_get_int_member(reply, "revision"), ==, 1);
  g_assert_false(json_object_get_boolean_member(reply, "markers"));
  g_assert_true(json_object_get_boolean_member(reply, "crc"));
  g_assert_false(json_object_get_boolean_member(reply, "rejected"));
  g_assert_cmpint(json_object_get_int_member(reply, "private_data_octets"), ==, 0);
  g_assert_cmpstr(json_object_get_string_member(reply, "private_data"), ==, "");
  JsonArray *directions = json_object_get_array_member(connection, "directions");
  g_assert_cmpuint(json_array_get_length(directions), ==, 2);
  assert_sums(json_array_get_object_element(directions, 0));
  JsonObject *other = json_array_get_object_element(directions, 1);
  g_assert_cmpint(json_object_get_int_member(other, "fpdus"), ==, 0);
  g_assert_cmpuint(json_object_get_size(json_object_get_object_member(other, "opcodes")), ==, 0);
}

/* Whole rows: label, what goes to the Responder, what goes to the Initiator. */
static void assert_row(const char *text, const char *label, const char *forward, const char *reverse)
{
  g_autofree char *row = g_strdup_printf("\n  %-32s%20s%20s\n", label, forward, reverse);

  if (!strstr(text, row)) {
    g_error("no row '%s' in\n%s", row, text);
  }
}

FIXTURE_TEST(test_table)
{
  const decode_name name = decode_paper_name(f);

  fill(&f->connection);
  f->connection.directions[SIDE_RESPONDER].fpdus = 1000000;
  f->connection.has_request = true;
  f->connection.request.revision = 1;
  f->connection.directions[SIDE_INITIATOR].in_full_operation = true;
  f->connection.directions[SIDE_INITIATOR].markers = true;
  f->connection.directions[SIDE_INITIATOR].crc = false;
  f->connection.directions[SIDE_RESPONDER].in_full_operation = false;
  decode_text.connection(f->line, &name, &f->connection, true);
  const char *text = decode_paper_take(f);
  g_assert_true(g_str_has_prefix(text, "\nconnection 0: Initiator 10.0.0.1:49152, Responder 10.0.0.2:5044\n"
                                       "  MPA Request Frame: Rev=1 M=0 C=0 R=0 Res=0x00 PD_Length=0\n"
                                       "  MPA Reply Frame: not captured\n"
                                       "  taken to the Responder: markers on, CRC off\n   "));
  assert_row(text, "", "to the Responder", "to the Initiator");
  assert_row(text, "FPDUs", "108", "1000000");
  assert_row(text, "  located by marker chain", "111", "0");
  assert_row(text, "markers", "113", "0");
  assert_row(text, "wrong CRCs", "115", "0");
  assert_row(text, "RDMA Write", "117", "0");
  assert_row(text, "reserved 0xC", "119", "0");
  assert_row(text, "segments with payload", "123", "0");
  assert_row(text, "  that start with an FPDU", "124", "0");
  assert_row(text, "octets unaccounted for", "105", "0");
  g_assert_null(strstr(text, "Terminate"));
}

/* What a direction does not have, and hardly anybody has, takes no row. */
FIXTURE_TEST(test_short_table)
{
  const decode_name name = decode_paper_name(f);

  decode_text.connection(f->line, &name, &f->connection, true);
  const char *text = decode_paper_take(f);
  assert_row(text, "FPDUs", "0", "0");
  assert_row(text, "octets unaccounted for", "0", "0");
  g_assert_null(strstr(text, "located"));
  g_assert_null(strstr(text, "streaming"));
}

FIXTURE_TEST(test_text_heading)
{
  const decode_overview overview = heading_of(1);

  decode_text.overview(f->line, &overview);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  "# iwarpsim 9.8.7, decode --summary a.pcap\n"
                  "12 packets, 9 TCP segments, 1 of them with a wrong checksum\n"
                  "3 TCP connections, 1 speaks MPA\n");
}
