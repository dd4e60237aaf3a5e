/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_trip.h"

#include <string.h>

#include "run_kit.h"
#include "string_list.h"

enum {
  PCAP_HEADER_OCTETS = 24,
  RECORD_HEADER_OCTETS = 16,
  LINK_ETHERNET = 1,
  LINK_RAW = 101,
  LINK_COOKED = 113,
  LINK_COOKED_2 = 276,
  ETHERTYPE_IPV4 = 0x0800,
  ETHERTYPE_IPV6 = 0x86DD,
  ETHERTYPE_VLAN = 0x8100,
};

#define NS_PER_SECOND INT64_C(1000000000)
#define MAGIC_US 0xA1B2C3D4u
#define MAGIC_NS 0xA1B23C4Du

/* --- Running and decoding --- */

/* Text that must be JSON. Free with json_object_unref(). */
static JsonObject *parse(const char *text)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  GError *error = NULL;

  json_parser_load_from_data(parser, text, -1, &error);
  g_assert_no_error(error);
  g_assert_true(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
  JsonObject *object = json_object_ref(json_node_get_object(json_parser_get_root(parser)));
  return object;
}

/* The path of a scenario's file: a shipped one, or one made in `folder`. Free with g_free(). */
static char *scenario_file(const char *folder, const char *file)
{
  GError *error = NULL;

  if (file) {
    return g_build_filename(g_getenv("SCENARIOS"), file, NULL);
  }
  char *path = g_build_filename(folder, "trip.cfg", NULL);
  g_file_set_contents(path, "title = \"decode trip\";\n", -1, &error);
  g_assert_no_error(error);
  return path;
}

JsonObject *decode_trip_run(const char *folder, const char *file, const char *const *sets)
{
  g_autofree char *path = scenario_file(folder, file);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_autofree char *errors = NULL;
  static const char *const always[] = {"--engine", "native", "--pcap", "--quiet", "--out"};

  g_ptr_array_add(arguments, (gpointer) "run");
  g_ptr_array_add(arguments, path);
  for (gsize i = 0; i < G_N_ELEMENTS(always); i++) {
    g_ptr_array_add(arguments, (gpointer)always[i]);
  }
  g_ptr_array_add(arguments, (gpointer)folder);
  for (; *sets; sets++) {
    g_ptr_array_add(arguments, (gpointer) "--set");
    g_ptr_array_add(arguments, (gpointer)*sets);
  }
  g_ptr_array_add(arguments, NULL);
  if (run_kit_spawn("IWARPSIM", NULL, (const char *const *)arguments->pdata, NULL, &errors) == 2) {
    g_error("%s", errors);
  }
  g_autofree char *decoded = run_kit_read(folder, "summary.json", NULL);
  g_autoptr(JsonObject) object = parse(decoded);
  JsonObject *metrics = json_object_ref(json_object_get_object_member(object, "metrics"));
  return metrics;
}

char *decode_trip_decode(const char *folder, const char *name, const char *const *options, int status)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_autofree char *errors = NULL;
  char *output;

  g_ptr_array_add(arguments, (gpointer) "decode");
  for (; options && *options; options++) {
    g_ptr_array_add(arguments, (gpointer)*options);
  }
  g_ptr_array_add(arguments, path);
  g_ptr_array_add(arguments, NULL);
  int ended = run_kit_spawn("IWARPSIM", NULL, (const char *const *)arguments->pdata, &output, &errors);
  if (ended != status) {
    g_error("decode of %s ended with %d: %s", name, ended, errors);
  }
  g_assert_cmpint(*errors == '\0', ==, status == 0);
  return output;
}

/* `options` and `more`, NULL-terminated; free the array alone. */
static const char **join(const char *const *options, const char *const *more)
{
  GPtrArray *joined = g_ptr_array_new();

  for (; options && *options; options++) {
    g_ptr_array_add(joined, (gpointer)*options);
  }
  for (; *more; more++) {
    g_ptr_array_add(joined, (gpointer)*more);
  }
  g_ptr_array_add(joined, NULL);
  return (const char **)g_ptr_array_free(joined, FALSE);
}

JsonObject *decode_trip_summary(const char *folder, const char *name, const char *const *options, int status)
{
  g_autofree const char **all = join(options, STRINGS("--summary", "--json"));
  g_autofree char *text = decode_trip_decode(folder, name, all, status);

  return parse(text);
}

GPtrArray *decode_trip_fpdus(const char *folder, const char *name, const char *const *options)
{
  g_autofree const char **all = join(options, STRINGS("--json"));
  g_autofree char *text = decode_trip_decode(folder, name, all, 0);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GPtrArray *fpdus = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);

  for (char **line = lines; **line != '\0'; line++) {
    JsonObject *object = parse(*line);
    if (strcmp(json_object_get_string_member(object, "type"), "fpdu") == 0) {
      g_ptr_array_add(fpdus, object);
    } else {
      json_object_unref(object);
    }
  }
  return fpdus;
}

guint decode_trip_connections(JsonObject *decoded)
{
  return json_array_get_length(json_object_get_array_member(decoded, "connections"));
}

gint64 decode_trip_sum(JsonObject *decoded, int direction, const char *member)
{
  JsonArray *connections = json_object_get_array_member(decoded, "connections");
  gint64 sum = 0;

  for (guint i = 0; i < json_array_get_length(connections); i++) {
    JsonArray *directions =
        json_object_get_array_member(json_array_get_object_element(connections, i), "directions");
    g_assert_cmpuint(json_array_get_length(directions), ==, DECODE_TRIP_DIRECTIONS);
    JsonObject *one = json_array_get_object_element(directions, (guint)direction);
    g_assert_true(json_object_has_member(one, member));
    sum += json_object_get_int_member(one, member);
  }
  return sum;
}

/* --- What must be --- */

void decode_trip_assert_accounted(JsonObject *decoded)
{
  for (int direction = 0; direction < DECODE_TRIP_DIRECTIONS; direction++) {
    g_assert_cmpint(decode_trip_sum(decoded, direction, "unaccounted_octets"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "missing_octets"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "incomplete_octets"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "wrong_markers"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "after_error"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "crc_bad"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "no_ddp"), ==, 0);
    g_assert_cmpint(decode_trip_sum(decoded, direction, "located_by_assumption"), ==, 0);
  }
}

void decode_trip_assert_same_streams(JsonObject *a, JsonObject *b)
{
  static const char *const members[] = {"fpdus",
                                        "markers",
                                        "fpdu_octets",
                                        "startup_octets",
                                        "streaming_octets",
                                        "payload_octets",
                                        "tagged_payload_octets"};

  g_assert_cmpuint(decode_trip_connections(a), ==, decode_trip_connections(b));
  for (int direction = 0; direction < DECODE_TRIP_DIRECTIONS; direction++) {
    for (gsize i = 0; i < G_N_ELEMENTS(members); i++) {
      g_assert_cmpint(decode_trip_sum(a, direction, members[i]), ==,
                      decode_trip_sum(b, direction, members[i]));
    }
  }
}

/* --- Captures written anew --- */

static void clear_packet(gpointer data)
{
  g_byte_array_unref(((trip_packet *)data)->octets);
}

/* A number in this machine's order, as the program writes it. */
static guint32 number_at(const char *file, gsize at)
{
  guint32 number;

  memcpy(&number, file + at, sizeof number);
  return number;
}

GArray *decode_trip_packets(const char *folder, const char *name)
{
  gsize length;
  g_autofree char *file = run_kit_read(folder, name, &length);
  GArray *packets = g_array_new(FALSE, FALSE, sizeof(trip_packet));

  g_array_set_clear_func(packets, clear_packet);
  g_assert_cmphex(number_at(file, 0), ==, MAGIC_NS);
  g_assert_cmpuint(number_at(file, 20), ==, LINK_RAW);
  for (gsize at = PCAP_HEADER_OCTETS; at < length;) {
    guint32 octets = number_at(file, at + 8);
    trip_packet packet = {.time_ns = number_at(file, at) * NS_PER_SECOND + number_at(file, at + 4),
                          .octets = g_byte_array_new()};
    at += RECORD_HEADER_OCTETS;
    g_assert_cmpuint(at + octets, <=, length);
    g_byte_array_append(packet.octets, (const guint8 *)file + at, octets);
    g_array_append_val(packets, packet);
    at += octets;
  }
  return packets;
}

void decode_trip_shuffle(GArray *packets, guint first, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);

  for (guint i = packets->len - 1; i > first; i--) {
    guint other = (guint)g_rand_int_range(random, (gint32)first, (gint32)i + 1);
    trip_packet *a = &g_array_index(packets, trip_packet, i);
    trip_packet *b = &g_array_index(packets, trip_packet, other);
    trip_packet kept = *a;
    *a = *b;
    *b = kept;
  }
}

/* What a style writes in front of each packet; `ethertype` and `tags` behind `zeros` octets that do not
 * matter. */
typedef struct style_row {
  guint32 link_type;
  gboolean is_swapped; /* numbers of the file in the other order than this machine's */
  gboolean is_us;
  gboolean is_pcapng;
  guint zeros_before; /* the EtherType */
  guint tags;
  guint zeros_behind;
} style_row;

static const style_row rows[TRIP_STYLES] = {
    [TRIP_STYLE_RAW] = {.link_type = LINK_RAW},
    [TRIP_STYLE_ETHERNET_US] = {.link_type = LINK_ETHERNET, .is_us = TRUE, .zeros_before = 12},
    [TRIP_STYLE_VLAN] = {.link_type = LINK_ETHERNET, .is_swapped = TRUE, .zeros_before = 12, .tags = 2},
    [TRIP_STYLE_COOKED] = {.link_type = LINK_COOKED, .zeros_before = 14},
    [TRIP_STYLE_COOKED_2] = {.link_type = LINK_COOKED_2, .zeros_behind = 18},
    [TRIP_STYLE_PCAPNG] = {.link_type = LINK_ETHERNET, .is_pcapng = TRUE, .zeros_before = 12},
};

static void put_32(GByteArray *file, const style_row *row, guint32 number)
{
  guint32 ordered = row->is_swapped ? GUINT32_SWAP_LE_BE(number) : number;

  g_byte_array_append(file, (const guint8 *)&ordered, sizeof ordered);
}

static void put_zeros(GByteArray *file, guint count)
{
  static const guint8 zeros[32] = {0};

  g_byte_array_append(file, zeros, count);
}

static void put_big_endian_16(GByteArray *frame, guint number)
{
  const guint8 octets[] = {(guint8)(number >> 8), (guint8)number};

  g_byte_array_append(frame, octets, sizeof octets);
}

static GByteArray *new_frame(const style_row *row, const GByteArray *packet)
{
  GByteArray *frame = g_byte_array_new();
  guint ethertype = packet->data[0] >> 4 == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;

  if (row->link_type != LINK_RAW) {
    put_zeros(frame, row->zeros_before);
    for (guint tag = 0; tag < row->tags; tag++) {
      put_big_endian_16(frame, ETHERTYPE_VLAN);
      put_big_endian_16(frame, 100 + tag);
    }
    put_big_endian_16(frame, ethertype);
    put_zeros(frame, row->zeros_behind);
  }
  g_byte_array_append(frame, packet->data, packet->len);
  return frame;
}

/* Section Header Block and Interface Description Block: its times in ns. */
static void put_pcapng_header(GByteArray *file, const style_row *row, guint32 snap_octets)
{
  const guint32 words[] = {0x0A0D0D0A,  28,         0x1A2B3C4D, 0x00000001, 0xFFFFFFFF,
                           0xFFFFFFFF,  28,         1,          32,         row->link_type,
                           snap_octets, 0x00010009, 9,          0,          32};

  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    put_32(file, row, words[i]);
  }
}

static void put_header(GByteArray *file, const style_row *row, guint32 snap_octets)
{
  if (row->is_pcapng) {
    put_pcapng_header(file, row, snap_octets);
    return;
  }
  put_32(file, row, row->is_us ? MAGIC_US : MAGIC_NS);
  put_32(file, row, row->is_swapped ? 0x00020004 : 0x00040002); /* version 2.4: two halves */
  put_32(file, row, 0);
  put_32(file, row, 0);
  put_32(file, row, snap_octets);
  put_32(file, row, row->link_type);
}

static void put_record(GByteArray *file, const style_row *row, gint64 time_ns, const GByteArray *frame,
                       guint32 captured)
{
  guint padding = row->is_pcapng ? (4 - captured % 4) % 4 : 0;
  guint32 block_octets = 32 + captured + padding;

  if (row->is_pcapng) {
    put_32(file, row, 6); /* Enhanced Packet Block */
    put_32(file, row, block_octets);
    put_32(file, row, 0);
    put_32(file, row, (guint32)(time_ns >> 32));
    put_32(file, row, (guint32)time_ns);
  } else {
    put_32(file, row, (guint32)(time_ns / NS_PER_SECOND));
    put_32(file, row, (guint32)(time_ns % NS_PER_SECOND / (row->is_us ? 1000 : 1)));
  }
  put_32(file, row, captured);
  put_32(file, row, frame->len);
  g_byte_array_append(file, frame->data, captured);
  put_zeros(file, padding);
  if (row->is_pcapng) {
    put_32(file, row, block_octets);
  }
}

void decode_trip_write(const GArray *packets, const char *folder, const char *name, trip_style style,
                       guint32 snap_octets)
{
  const style_row *row = &rows[style];
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GByteArray) file = g_byte_array_new();
  GError *error = NULL;

  put_header(file, row, snap_octets);
  for (guint i = 0; i < packets->len; i++) {
    const trip_packet *packet = &g_array_index(packets, trip_packet, i);
    g_autoptr(GByteArray) frame = new_frame(row, packet->octets);

    put_record(file, row, packet->time_ns, frame, MIN(frame->len, snap_octets));
  }
  g_file_set_contents(path, (const char *)file->data, file->len, &error);
  g_assert_no_error(error);
}
