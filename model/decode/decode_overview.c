/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_overview.h"

#include <glib.h>

#include "decode/decode_json.h"
#include "decode/decode_text.h"

enum { VALUE_COLUMN = 34, VALUE_WIDTH = 20, OPCODES = 16 };

/* A sum of a direction, as the table and as the object call it. */
typedef struct sum_row {
  const char *label;
  const char *member;
  size_t offset;  /* in decode_direction_summary */
  bool is_always; /* in the table; else only when a direction has some */
} sum_row;

#define SUM(field) offsetof(decode_direction_summary, field)

static const sum_row fpdu_rows[] = {
    {"FPDUs", "fpdus", SUM(fpdus), true},
    {"  located by chain", "located_by_chain", SUM(located_by[MPA_LOCATED_BY_CHAIN]), false},
    {"  located by marker", "located_by_marker", SUM(located_by[MPA_LOCATED_BY_MARKER]), false},
    {"  located by marker chain", "located_by_marker_chain", SUM(located_by[MPA_LOCATED_BY_MARKER_CHAIN]),
     false},
    {"  assumed", "located_by_assumption", SUM(located_by[MPA_LOCATED_BY_ASSUMPTION]), false},
    {"  behind an error", "after_error", SUM(after_error), false},
    {"  without a DDP header", "no_ddp", SUM(no_ddp), false},
    {"  longer than a sender may", "long_ulpdus", SUM(long_ulpdus), false},
    {"markers", "markers", SUM(marker_count), true},
    {"  with a wrong pointer", "wrong_markers", SUM(wrong_markers), false},
    {"wrong CRCs", "crc_bad", SUM(crc_bad), true},
};

static const sum_row segment_rows[] = {
    {"segments with payload", "segments", SUM(segments), true},
    {"  that start with an FPDU", "aligned", SUM(aligned), true},
    {"  out of order", "out_of_order", SUM(out_of_order), false},
    {"  with nothing new", "duplicates", SUM(duplicates), false},
    {"  wrong checksum, passed over", "wrong_checksums", SUM(wrong_checksums), false},
    {"octets in FPDUs", "fpdu_octets", SUM(fpdu_octets), true},
    {"  payload behind DDP headers", "payload_octets", SUM(payload_octets), true},
    {"  of that, tagged", "tagged_payload_octets", SUM(tagged_payload_octets), false},
    {"octets of the startup frame", "startup_octets", SUM(startup_octets), false},
    {"octets of streaming mode", "streaming_octets", SUM(streaming_octets), false},
    {"octets of an incomplete FPDU", "incomplete_octets", SUM(incomplete_octets), false},
    {"octets unaccounted for", "unaccounted_octets", SUM(unaccounted_octets), true},
    {"  of those, never captured", "missing_octets", SUM(missing_octets), false},
};

static uint64_t value_of(const decode_connection *connection, int direction, const sum_row *row)
{
  return *(const uint64_t *)((const char *)&connection->directions[direction] + row->offset);
}

/* "RDMA Write", "reserved 0xC". Free with g_free(). */
static char *opcode_name(unsigned int opcode)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)opcode);

  return rules ? g_strdup(rules->name) : g_strdup_printf("reserved 0x%X", opcode);
}

/* --- The table --- */

/* Right-aligned from VALUE_COLUMN on, VALUE_WIDTH each. */
static void append_values(decode_line *line, const uint64_t values[SIDES])
{
  decode_line_column(line, VALUE_COLUMN);
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_autofree char *digits = g_strdup_printf(" %*" G_GUINT64_FORMAT, VALUE_WIDTH - 1, values[direction]);

    decode_line_text(line, digits);
  }
  decode_line_end(line);
}

static void append_row(decode_line *line, const char *label, const uint64_t values[SIDES])
{
  decode_line_text(line, "  ");
  decode_line_text(line, label);
  append_values(line, values);
}

static void append_rows(decode_line *line, const decode_connection *connection, const sum_row *rows,
                        size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint64_t values[] = {value_of(connection, SIDE_INITIATOR, &rows[i]),
                               value_of(connection, SIDE_RESPONDER, &rows[i])};

    if (rows[i].is_always || values[SIDE_INITIATOR] > 0 || values[SIDE_RESPONDER] > 0) {
      append_row(line, rows[i].label, values);
    }
  }
}

static void append_opcodes(decode_line *line, const decode_connection *connection)
{
  for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
    const uint64_t values[] = {connection->directions[SIDE_INITIATOR].opcodes[opcode],
                               connection->directions[SIDE_RESPONDER].opcodes[opcode]};

    if (values[SIDE_INITIATOR] > 0 || values[SIDE_RESPONDER] > 0) {
      g_autofree char *name = opcode_name(opcode);
      append_row(line, name, values);
    }
  }
}

static void append_frame(decode_line *line, const char *what, bool is_there,
                         const decode_startup_frame *frame)
{
  decode_line_text(line, what);
  if (is_there) {
    decode_text_startup_fields(line, frame);
  } else {
    decode_line_text(line, " not captured");
  }
  decode_line_end(line);
}

/* Where the startup frames do not tell. */
static void append_kind(decode_line *line, const char *to, const decode_direction_summary *sums)
{
  if (sums->in_full_operation) {
    decode_line_text(line, to);
    decode_line_text(line, sums->markers ? " markers on" : " markers off");
    decode_line_text(line, sums->crc ? ", CRC on" : ", CRC off");
    decode_line_end(line);
  }
}

void decode_overview_text_connection(decode_line *line, const decode_name *name,
                                     const decode_connection *connection)
{
  decode_line_end(line);
  decode_line_text(line, "connection ");
  decode_line_number(line, connection->index);
  decode_line_text(line, ": Initiator ");
  decode_line_text(line, name->ends[SIDE_INITIATOR]);
  decode_line_text(line, ", Responder ");
  decode_line_text(line, name->ends[SIDE_RESPONDER]);
  decode_line_end(line);
  append_frame(line, "  MPA Request Frame:", connection->has_request, &connection->request);
  append_frame(line, "  MPA Reply Frame:", connection->has_reply, &connection->reply);
  if (!connection->has_request || !connection->has_reply) {
    append_kind(line, "  taken to the Responder:", &connection->directions[SIDE_INITIATOR]);
    append_kind(line, "  taken to the Initiator:", &connection->directions[SIDE_RESPONDER]);
  }
  decode_line_column(line, VALUE_COLUMN + 4);
  decode_line_text(line, "to the Responder    to the Initiator");
  decode_line_end(line);
  append_rows(line, connection, fpdu_rows, G_N_ELEMENTS(fpdu_rows));
  append_opcodes(line, connection);
  append_rows(line, connection, segment_rows, G_N_ELEMENTS(segment_rows));
}

static void append_count(decode_line *line, uint64_t count, const char *what)
{
  if (count > 0) {
    decode_line_text(line, ", ");
    decode_line_number(line, count);
    decode_line_text(line, what);
  }
}

void decode_overview_text_heading(decode_line *line, const decode_overview *overview)
{
  const capture_counts *counts = overview->counts;

  decode_line_text(line, "# iwarpsim ");
  decode_line_text(line, overview->version);
  decode_line_text(line, ", decode --summary ");
  decode_line_plain(line, overview->file);
  decode_line_end(line);
  decode_line_number(line, counts->packets);
  decode_line_text(line, " packets");
  append_count(line, counts->segments, " TCP segments");
  append_count(line, counts->cut_short, " of them cut short (snap length)");
  append_count(line, counts->super_segments, " of them super-segments of an offload");
  append_count(line, counts->wrong_checksums, " of them with a wrong checksum");
  append_count(line, counts->other_packets, " packets that are no TCP");
  append_count(line, counts->garbled_packets, " garbled packets");
  append_count(line, counts->fragments, " IP fragments");
  append_count(line, counts->fragments_missing, " datagrams with a fragment missing");
  decode_line_end(line);
  decode_line_number(line, overview->flows);
  decode_line_text(line, overview->flows == 1 ? " TCP connection, " : " TCP connections, ");
  decode_line_number(line, overview->speakers);
  decode_line_text(line, overview->speakers == 1 ? " speaks MPA" : " speak MPA");
  decode_line_end(line);
}

/* --- The object --- */

static void append_member(decode_line *line, const char *separator, const char *member, uint64_t value)
{
  decode_line_text(line, separator);
  decode_line_text(line, "\"");
  decode_line_text(line, member);
  decode_line_text(line, "\":");
  decode_line_number(line, value);
}

static void append_switch(decode_line *line, const char *member, bool is_on)
{
  decode_line_text(line, ",\"");
  decode_line_text(line, member);
  decode_line_text(line, is_on ? "\":true" : "\":false");
}

static void append_members(decode_line *line, const char *separator, const decode_connection *connection,
                           int direction, const sum_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    append_member(line, i == 0 ? separator : ",", rows[i].member, value_of(connection, direction, &rows[i]));
  }
}

static void append_direction(decode_line *line, const decode_connection *connection, int direction)
{
  const decode_direction_summary *sums = &connection->directions[direction];
  const char *separator = "";

  append_members(line, "{", connection, direction, fpdu_rows, G_N_ELEMENTS(fpdu_rows));
  decode_line_text(line, ",\"opcodes\":{");
  for (unsigned int opcode = 0; opcode < OPCODES; opcode++) {
    if (sums->opcodes[opcode] > 0) {
      g_autofree char *name = opcode_name(opcode);
      append_member(line, separator, name, sums->opcodes[opcode]);
      separator = ",";
    }
  }
  append_members(line, "},", connection, direction, segment_rows, G_N_ELEMENTS(segment_rows));
  append_switch(line, "in_full_operation", sums->in_full_operation);
  append_member(line, ",", "phase_start", sums->phase_start);
  append_switch(line, "markers_on", sums->markers);
  append_switch(line, "crc_on", sums->crc);
  decode_line_text(line, "}");
}

static void append_frame_member(decode_line *line, const char *member, bool is_there,
                                const decode_startup_frame *frame)
{
  decode_line_text(line, member);
  if (is_there) {
    decode_line_text(line, "{");
    decode_json_startup_fields(line, frame);
    decode_line_text(line, "}");
  } else {
    decode_line_text(line, "null");
  }
}

void decode_overview_json_connection(decode_line *line, const decode_name *name,
                                     const decode_connection *connection, bool is_first)
{
  append_member(line, is_first ? "{" : ",{", "connection", connection->index);
  decode_line_text(line, ",\"initiator\":");
  decode_line_json(line, name->ends[SIDE_INITIATOR]);
  decode_line_text(line, ",\"responder\":");
  decode_line_json(line, name->ends[SIDE_RESPONDER]);
  append_switch(line, "hinted", connection->is_hinted);
  append_frame_member(line, ",\"request\":", connection->has_request, &connection->request);
  append_frame_member(line, ",\"reply\":", connection->has_reply, &connection->reply);
  decode_line_text(line, ",\"directions\":[");
  append_direction(line, connection, SIDE_INITIATOR);
  decode_line_text(line, ",");
  append_direction(line, connection, SIDE_RESPONDER);
  decode_line_text(line, "]}");
}

void decode_overview_json_heading(decode_line *line, const decode_overview *overview)
{
  const capture_counts *counts = overview->counts;

  decode_line_text(line, "{\"version\":");
  decode_line_json(line, overview->version);
  decode_line_text(line, ",\"file\":");
  decode_line_json(line, overview->file);
  decode_line_text(line, ",\"origin_s\":");
  decode_line_seconds(line, overview->origin_ns, 0);
  append_member(line, ",\"capture\":{", "packets", counts->packets);
  append_member(line, ",", "octets", counts->octets);
  append_member(line, ",", "tcp_segments", counts->segments);
  append_member(line, ",", "cut_short", counts->cut_short);
  append_member(line, ",", "super_segments", counts->super_segments);
  append_member(line, ",", "wrong_checksums", counts->wrong_checksums);
  append_member(line, ",", "other_packets", counts->other_packets);
  append_member(line, ",", "garbled_packets", counts->garbled_packets);
  append_member(line, ",", "fragments", counts->fragments);
  append_member(line, ",", "fragments_missing", counts->fragments_missing);
  append_member(line, ",", "tcp_connections", overview->flows);
  decode_line_text(line, "},\"connections\":[");
}

void decode_overview_json_end(decode_line *line)
{
  decode_line_text(line, "]}");
  decode_line_end(line);
}
