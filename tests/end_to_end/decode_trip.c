/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_trip.h"

#include <string.h>

#include "../net/capture_fixture.h"

/* Text that must be JSON. Free with json_object_unref(). */
static JsonObject *parse(const char *text)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  GError *error = NULL;

  json_parser_load_from_data(parser, text, -1, &error);
  g_assert_no_error(error);
  g_assert_true(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
  return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

static void add_all(GPtrArray *arguments, const char *const *list)
{
  for (; list && *list; list++) {
    g_ptr_array_add(arguments, (gpointer)*list);
  }
}

char *trip_decode(const char *folder, const char *name, const char *const *options, const char *const *more)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_autofree char *errors = NULL;
  char *output;

  add_all(arguments, STRINGS("decode", path));
  add_all(arguments, options);
  add_all(arguments, more);
  g_ptr_array_add(arguments, NULL);
  int ended = spawn("IWARPSIM", (const char *const *)arguments->pdata, &output, &errors);
  if (ended != 0 || *errors != '\0') {
    g_error("decode of %s ended with %d: %s", name, ended, errors);
  }
  return output;
}

JsonObject *trip_summary(const char *folder, const char *name, const char *const *options)
{
  g_autofree char *text = trip_decode(folder, name, options, STRINGS("--summary", "--json"));

  return parse(text);
}

GPtrArray *trip_fpdus(const char *folder, const char *name, const char *const *options)
{
  g_autofree char *text = trip_decode(folder, name, options, STRINGS("--json"));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GPtrArray *fpdus = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);

  for (char **line = lines; **line != '\0'; line++) {
    g_autoptr(JsonObject) object = parse(*line);
    if (strcmp(json_object_get_string_member(object, "type"), "fpdu") == 0) {
      g_ptr_array_add(fpdus, json_object_ref(object));
    }
  }
  return fpdus;
}

gint64 trip_sum(JsonObject *decoded, int direction, const char *member)
{
  JsonArray *connections = json_object_get_array_member(decoded, "connections");
  gint64 sum = 0;

  for (guint i = 0; i < json_array_get_length(connections); i++) {
    JsonArray *directions =
        json_object_get_array_member(json_array_get_object_element(connections, i), "directions");
    g_assert_cmpuint(json_array_get_length(directions), ==, TRIP_DIRECTIONS);
    JsonObject *one = json_array_get_object_element(directions, (guint)direction);
    g_assert_true(json_object_has_member(one, member));
    sum += json_object_get_int_member(one, member);
  }
  return sum;
}

void trip_assert_accounted(JsonObject *decoded)
{
  for (int direction = 0; direction < TRIP_DIRECTIONS; direction++) {
    EXPECT_SUMS(decoded, direction, ("unaccounted_octets", ==, 0), ("missing_octets", ==, 0),
                ("incomplete_octets", ==, 0), ("wrong_markers", ==, 0), ("after_error", ==, 0),
                ("crc_bad", ==, 0), ("no_ddp", ==, 0), ("located_by_assumption", ==, 0));
  }
}

static void assert_same_sums(JsonObject *a, JsonObject *b, const char *const *members)
{
  for (; *members; members++) {
    for (int direction = 0; direction < TRIP_DIRECTIONS; direction++) {
      g_assert_cmpint(trip_sum(a, direction, *members), ==, trip_sum(b, direction, *members));
    }
  }
}

void trip_assert_same(JsonObject *a, JsonObject *b, const char *const *members)
{
  g_assert_cmpuint(json_array_get_length(json_object_get_array_member(a, "connections")), ==,
                   json_array_get_length(json_object_get_array_member(b, "connections")));
  assert_same_sums(a, b,
                   STRINGS("fpdus", "markers", "fpdu_octets", "startup_octets", "streaming_octets",
                           "payload_octets", "tagged_payload_octets"));
  assert_same_sums(a, b, members);
}

void trip_write(const GArray *packets, const char *folder, const char *name, trip_style style,
                guint32 snap_octets)
{
  static const struct {
    fixture_format format;
    bool is_swapped;
    int link_type;
    unsigned tags;
  } styles[TRIP_STYLES] = {
      [TRIP_RAW] = {FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW, 0},
      [TRIP_ETHERNET_US] = {FIXTURE_PCAP_US, false, FIXTURE_LINK_ETHERNET, 0},
      [TRIP_VLAN] = {FIXTURE_PCAP_NS, true, FIXTURE_LINK_ETHERNET, 2},
      [TRIP_COOKED] = {FIXTURE_PCAP_NS, false, FIXTURE_LINK_COOKED, 0},
      [TRIP_COOKED_2] = {FIXTURE_PCAP_NS, false, FIXTURE_LINK_COOKED_2, 0},
      [TRIP_PCAPNG] = {FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET, 0},
  };
  int link_type = styles[style].link_type;
  g_autoptr(fixture_file) file = fixture_file_new(styles[style].format, styles[style].is_swapped, link_type);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  GError *error = NULL;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);
    g_autoptr(GByteArray) frame = fixture_frame(link_type, p->ip, styles[style].tags);

    fixture_file_add_cut(file, p->at_ns, frame, MIN(frame->len, snap_octets), frame->len);
  }
  g_file_set_contents(path, (const char *)file->octets->data, file->octets->len, &error);
  g_assert_no_error(error);
}
