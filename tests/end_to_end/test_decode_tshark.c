/* SPDX-License-Identifier: GPL-2.0-only */
/* A second opinion on decode: tshark, field by field, where it is one: streams without markers, in order
 * (docs/facts.md, "tshark 4.0"). */
#include "decode_trip.h"

/* A field as tshark calls it and as decode does: "OBJECT.MEMBER", or a member of the FPDU. */
typedef struct field {
  const char *theirs;
  const char *ours;
} field;

static const field fields[] = {
    {"iwarp_mpa.ulpdulength", "ulpdu_octets"},
    {"iwarp_mpa.crc_check", "crc_received"},
    {"iwarp_ddp.tagged_flag", "ddp.tagged"},
    {"iwarp_ddp.last_flag", "ddp.last"},
    {"iwarp_ddp.dv", "ddp.version"},
    {"iwarp_ddp.stag", "ddp.stag"},
    {"iwarp_ddp.tagged_offset", "ddp.tagged_offset"},
    {"iwarp_ddp.qn", "ddp.queue_number"},
    {"iwarp_ddp.msn", "ddp.msn"},
    {"iwarp_ddp.mo", "ddp.message_offset"},
    {"iwarp_rdma.version", "rdmap.version"},
    {"iwarp_rdma.opcode", "rdmap.opcode"},
    {"iwarp_rdma.inval_stag", "rdmap.invalidate_stag"},
    {"iwarp_rdma.sinkstag", "rdmap.read_request.sink_stag"},
    {"iwarp_rdma.sinkto", "rdmap.read_request.sink_offset"},
    {"iwarp_rdma.rdmardsz", "rdmap.read_request.length"},
    {"iwarp_rdma.srcstag", "rdmap.read_request.source_stag"},
    {"iwarp_rdma.srcto", "rdmap.read_request.source_offset"},
};

static void append_number(GArray *numbers, const char *text)
{
  guint64 number = g_ascii_strtoull(text, NULL, 0);

  if (g_ascii_strcasecmp(text, "true") == 0) {
    number = 1;
  }
  g_array_append_val(numbers, number);
}

/* All values of each field, in the order of the capture, as tshark reads them: a row a packet, a column a
 * field, commas in between. */
static void read_theirs(const char *output, GArray *const *values)
{
  g_auto(GStrv) rows = g_strsplit(output, "\n", -1);
  for (char **row = rows; **row != '\0'; row++) {
    g_auto(GStrv) columns = g_strsplit(*row, "\t", -1);
    g_assert_cmpuint(g_strv_length(columns), ==, G_N_ELEMENTS(fields));
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
      g_auto(GStrv) texts = g_strsplit(columns[i], ",", -1);
      for (char **text = texts; *text && **text != '\0'; text++) {
        append_number(values[i], *text);
      }
    }
  }
}

/* The value of "a.b.c" in an FPDU; FALSE when it has none. */
static gboolean our_value(JsonObject *fpdu, const char *name, GArray *numbers)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", -1);
  JsonObject *object = fpdu;
  char **part = parts;

  for (; part[1]; part++) {
    if (!json_object_has_member(object, *part)) {
      return FALSE;
    }
    object = json_object_get_object_member(object, *part);
  }
  if (!json_object_has_member(object, *part)) {
    return FALSE;
  }
  JsonNode *node = json_object_get_member(object, *part);
  if (json_node_get_value_type(node) == G_TYPE_STRING) {
    append_number(numbers, json_node_get_string(node));
  } else {
    guint64 number = json_node_get_value_type(node) == G_TYPE_BOOLEAN ? (guint64)json_node_get_boolean(node)
                                                                      : (guint64)json_node_get_int(node);
    g_array_append_val(numbers, number);
  }
  return TRUE;
}

static void compare_field(const GPtrArray *fpdus, const field *f, const GArray *theirs)
{
  g_autoptr(GArray) ours = g_array_new(FALSE, FALSE, sizeof(guint64));

  for (guint i = 0; i < fpdus->len; i++) {
    our_value(fpdus->pdata[i], f->ours, ours);
  }
  g_test_message("%s: %u values", f->theirs, theirs->len);
  g_assert_cmpuint(theirs->len, >, 0);
  g_assert_cmpuint(theirs->len, ==, ours->len);
  for (guint i = 0; i < ours->len; i++) {
    g_assert_cmphex(g_array_index(ours, guint64, i), ==, g_array_index(theirs, guint64, i));
  }
}

/* Unmarked and in order, which tshark reads well: every field of every FPDU. */
FOLDER_TEST(test_tshark)
{
  g_auto(session_result) result =
      RUN(.folder = folder,
          .sets =
              STRINGS("workload.messages=9", "workload.message_size=5000", "mpa.markers=false",
                      "workload.operation=write+read+send+send-se-invalidate", "workload.directions=both"));
  const char *options[2 + 2 * G_N_ELEMENTS(fields)] = {"-Tfields"};
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    options[1 + 2 * i] = "-e";
    options[2 + 2 * i] = fields[i].theirs;
  }
  g_autofree char *output = tshark(folder, "receiver.pcap", options);
  if (!output) {
    return;
  }
  g_autoptr(GPtrArray) fpdus = trip_fpdus(folder, "receiver.pcap", NULL);
  GArray *theirs[G_N_ELEMENTS(fields)];
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    theirs[i] = g_array_new(FALSE, FALSE, sizeof(guint64));
  }
  read_theirs(output, theirs);
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    compare_field(fpdus, &fields[i], theirs[i]);
    g_array_unref(theirs[i]);
  }
}
