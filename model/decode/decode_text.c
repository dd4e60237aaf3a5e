/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>
#include <inttypes.h>

#include "base/plain_text.h"
#include "decode/decode_format.h"

/* Where what starts: counted from the line's start, and from the end of the names of the ends. */
enum {
  TIME_WIDTH = 14,
  NAME_COLUMN = TIME_WIDTH + 6,
  POSITION_COLUMN = 2,
  OCTETS_COLUMN = POSITION_COLUMN + 11,
  PACKETS_COLUMN = OCTETS_COLUMN + 7,
  LOCATED_COLUMN = PACKETS_COLUMN + 12,
  CRC_COLUMN = LOCATED_COLUMN + 14,
  CONTENT_COLUMN = CRC_COLUMN + 11,
};

enum {
  VALUE_COLUMN = 34, /* of the overview */
  VALUE_WIDTH = 20,
  DUMP_LINE_OCTETS = 16,
  DUMP_MAX_OCTETS = 256,
  DDP_RESERVED_BITS = 0x3C,   /* of DDP Control (ddp-07/rfc5041 §4.1) */
  RDMAP_RESERVED_BITS = 0x30, /* of RDMAP Control (rdmap-00 §6.1 fig. 3) */
};

#define NS_PER_SECOND INT64_C(1000000000)

static const char *const locations[MPA_LOCATIONS] = {
    [MPA_LOCATED_BY_CHAIN] = "chain",
    [MPA_LOCATED_BY_MARKER] = "marker",
    [MPA_LOCATED_BY_MARKER_CHAIN] = "marker chain",
    [MPA_LOCATED_BY_ASSUMPTION] = "assumption",
};

static void append_field(decode_line *line, const decode_field *field, const void *of)
{
  uint64_t value = decode_field_value(field, of);

  if (field->text && (field->kind == DECODE_FIELD_HEX || field->kind == DECODE_FIELD_HEX_TEXT)) {
    decode_line_print(line, "%s0x%0*" PRIX64, field->text, 2 * field->octets, value);
  } else if (field->text) {
    decode_line_print(line, "%s%" PRIu64, field->text, value);
  }
}

static void append_fields(decode_line *line, const decode_field *field, const void *of)
{
  for (; field->member; field++) {
    append_field(line, field, of);
  }
}

/* --- The columns that every line has --- */

/* Time, connection, its ends; returns the column that follows. */
static size_t append_source(decode_line *line, const decode_name *name, int64_t time_ns, uint32_t connection,
                            enum side direction)
{
  decode_line_seconds(line, time_ns, TIME_WIDTH);
  decode_line_print(line, " %u", connection);
  decode_line_column(line, NAME_COLUMN);
  decode_line_text(line, name->directions[direction]);
  return NAME_COLUMN + name->width;
}

/* Position, octets and packets, up to the column of what follows. */
static void append_place(decode_line *line, size_t after_name, uint64_t position, uint64_t octets,
                         uint64_t first_packet, uint64_t last_packet)
{
  decode_line_column(line, after_name + POSITION_COLUMN);
  decode_line_print(line, "%" PRIu64, position);
  decode_line_column(line, after_name + OCTETS_COLUMN);
  decode_line_print(line, "%" PRIu64, octets);
  decode_line_column(line, after_name + PACKETS_COLUMN);
  decode_line_print(line, "%" PRIu64, first_packet);
  if (last_packet > first_packet) {
    decode_line_print(line, "-%" PRIu64, last_packet);
  }
  decode_line_column(line, after_name + LOCATED_COLUMN);
}

/* --- FPDUs --- */

static void append_crc(decode_line *line, const decode_fpdu *fpdu)
{
  switch (fpdu->crc) {
  case DECODE_CRC_RIGHT:
    decode_line_text(line, "CRC right");
    break;
  case DECODE_CRC_WRONG:
    decode_line_print(line, "CRC WRONG: computed 0x%08X, received 0x%08X",
                      decode_crc_shown(fpdu->crc_computed), decode_crc_shown(fpdu->crc_received));
    break;
  case DECODE_CRC_UNUSED:
    decode_line_text(line, "CRC off");
    break;
  case DECODE_CRC_NOT_CAPTURED:
    decode_line_text(line, "CRC ?");
    break;
  }
}

static void append_opcode(decode_line *line, const rdmap_opcode_rules *rules, uint8_t opcode)
{
  if (rules) {
    decode_line_text(line, rules->name);
  } else {
    decode_line_print(line, "reserved opcode 0x%X", opcode);
  }
}

/* What only stands there when something is unusual: DV and RV that are of no generation, reserved fields that
 * are not 0. */
static void append_oddities(decode_line *line, const decode_fpdu *fpdu)
{
  const ddp_header *ddp = &fpdu->ddp;
  bool invalidates = fpdu->opcode && fpdu->opcode->invalidates;

  if (ddp->version != fpdu->rdmap_version || ddp->version > 1) {
    decode_line_print(line, " DV=%u RV=%u", ddp->version, fpdu->rdmap_version);
  }
  if (fpdu->opcode && fpdu->opcode->tagged != ddp->tagged) {
    decode_line_text(line, ddp->tagged ? " T=1" : " T=0");
  }
  if (!ddp->tagged && !invalidates && ddp->ulp_word != 0) {
    decode_line_print(line, " RsvdULP=0x%08X", ddp->ulp_word);
  }
  if ((fpdu->ddp_control & DDP_RESERVED_BITS) != 0) {
    decode_line_print(line, " DDP Control=0x%02X", fpdu->ddp_control);
  }
  if ((ddp->ulp_control & RDMAP_RESERVED_BITS) != 0) {
    decode_line_print(line, " RDMAP Control=0x%02X", ddp->ulp_control);
  }
}

static void append_terminate(decode_line *line, const rdmap_terminate *terminate, iwarp_generation generation)
{
  static const char *const layers[] = {
      [RDMAP_LAYER_RDMA] = " (RDMA)", [RDMAP_LAYER_DDP] = " (DDP)", [RDMAP_LAYER_LLP] = " (LLP)"};
  const rdmap_error *error = &terminate->error;

  decode_line_print(line, " Layer=%u%s EType=%u Error Code=0x%02X: %s", error->layer,
                    error->layer < G_N_ELEMENTS(layers) ? layers[error->layer] : "", error->type, error->code,
                    rdmap_error_text(*error, generation));
  if (terminate->has_segment) {
    decode_line_print(line, "; of: DDP Segment Length=%u ", terminate->segment_octets);
    uint8_t opcode = rdmap_control_opcode(terminate->header.ulp_control);
    append_opcode(line, rdmap_opcode_rules_of(opcode), opcode);
    append_fields(line, decode_fields_of(&terminate->header), &terminate->header);
  }
  if (terminate->has_request) {
    append_fields(line, decode_fields_read_request, &terminate->request);
  }
}

static void append_ulpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  if (!fpdu->has_ddp) {
    decode_line_print(line, "no DDP header, ULPDU_Length=%u", fpdu->ulpdu_octets);
    return;
  }
  append_opcode(line, fpdu->opcode, fpdu->rdmap_opcode);
  append_fields(line, decode_fields_of(&fpdu->ddp), &fpdu->ddp);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    decode_line_print(line, " Invalidate STag=0x%08X", fpdu->ddp.ulp_word);
  }
  decode_line_print(line, " payload=%u", fpdu->payload_octets);
  append_oddities(line, fpdu);
  if (fpdu->has_read_request) {
    append_fields(line, decode_fields_read_request, &fpdu->read_request);
  }
  if (fpdu->has_terminate) {
    append_terminate(line, &fpdu->terminate, decode_name_generation(name, fpdu->rdmap_version));
  }
}

/* " markers 20:0 532:512": stream position and FPDUPTR. */
static void append_markers(decode_line *line, const decode_fpdu *fpdu)
{
  if (fpdu->marker_count > 0) {
    decode_line_text(line, " markers");
  }
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    decode_line_print(line, " %" PRIu64, marker->stream_position);
    if (!marker->is_captured) {
      decode_line_text(line, ":?");
      continue;
    }
    decode_line_print(line, ":%u%s", marker->pointer, marker->is_right ? "" : "(WRONG)");
    if (marker->reserved != 0) {
      decode_line_print(line, "(reserved 0x%04X)", marker->reserved);
    }
  }
}

static void append_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  size_t after_name = append_source(line, name, fpdu->time_ns, fpdu->connection, fpdu->direction);

  append_place(line, after_name, fpdu->stream_position, fpdu->fpdu_octets, fpdu->first_packet,
               fpdu->last_packet);
  decode_line_text(line, fpdu->located_by < MPA_LOCATIONS ? locations[fpdu->located_by] : "?");
  decode_line_column(line, after_name + CRC_COLUMN);
  append_crc(line, fpdu);
  decode_line_column(line, after_name + CONTENT_COLUMN);
  if (fpdu->after_error) {
    decode_line_text(line, "after error: ");
  }
  append_ulpdu(line, name, fpdu);
  append_markers(line, fpdu);
  decode_line_end(line);
}

/* --- Startup frames --- */

/* " M=1 C=1 R=0 …": all but its Private Data. Below Revision 2 the S bit is one of the reserved ones. */
static void append_startup_fields(decode_line *line, const decode_startup_frame *frame)
{
  for (const decode_field *field = decode_fields_startup; field->member; field++) {
    if (frame->revision >= 2 || field->offset != offsetof(decode_startup_frame, enhanced_flag)) {
      append_field(line, field, frame);
    }
  }
  if (frame->has_enhanced) {
    const decode_enhanced_setup *enhanced = &frame->enhanced; /* RFC 6581 §9 */
    decode_line_print(line, ", enhanced setup: IRD=%u ORD=%u A=%d B=%d C=%d D=%d", enhanced->ird,
                      enhanced->ord, enhanced->peer_to_peer, enhanced->ready_to_receive_zero_length_send,
                      enhanced->ready_to_receive_zero_length_write,
                      enhanced->ready_to_receive_zero_length_read);
  }
}

/* "    Private Data    0  48 65 6C … |Hel…|". */
static void append_private_data(decode_line *line, const uint8_t *octets, size_t length)
{
  size_t shown = MIN(length, (size_t)DUMP_MAX_OCTETS);

  for (size_t at = 0; at < shown; at += DUMP_LINE_OCTETS) {
    size_t count = MIN((size_t)DUMP_LINE_OCTETS, shown - at);

    decode_line_column(line, NAME_COLUMN);
    decode_line_print(line, "Private Data %zu", at);
    decode_line_column(line, NAME_COLUMN + 18);
    decode_line_dump(line, octets + at, count, " ");
    decode_line_column(line, NAME_COLUMN + 18 + 3 * DUMP_LINE_OCTETS + 1);
    decode_line_text(line, "|");
    decode_line_ascii(line, octets + at, count);
    decode_line_text(line, "|");
    decode_line_end(line);
  }
  if (shown < length) {
    decode_line_column(line, NAME_COLUMN);
    decode_line_print(line, "Private Data: %zu octets more", length - shown);
    decode_line_end(line);
  }
}

static void append_startup(decode_line *line, const decode_name *name, const decode_startup_event *event)
{
  const decode_startup_frame *frame = event->frame;
  size_t after_name = append_source(line, name, event->time_ns, event->connection, event->direction);

  append_place(line, after_name, event->stream_position, frame->frame_octets, event->first_packet,
               event->last_packet);
  decode_line_text(line, frame->is_reply ? "MPA Reply Frame:" : "MPA Request Frame:");
  append_startup_fields(line, frame);
  decode_line_end(line);
  if (frame->private_data) {
    append_private_data(line, frame->private_data, frame->private_data_read);
  }
  if (frame->private_data_read < frame->private_data_octets) {
    decode_line_column(line, NAME_COLUMN);
    decode_line_print(line, "Private Data: %d octets not captured",
                      frame->private_data_octets - frame->private_data_read);
    decode_line_end(line);
  }
}

/* --- Notes, heading --- */

static void append_note(decode_line *line, const decode_name *name, const decode_note *note)
{
  size_t after_name = append_source(line, name, note->time_ns, note->connection, note->direction);

  append_place(line, after_name, note->stream_position, note->octets, note->packet, note->packet);
  decode_line_print(line, "note: %s", note->text);
  decode_line_end(line);
}

static void append_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  g_autofree char *plain = plain_text(file, -1, "");
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(origin_ns / NS_PER_SECOND);
  g_autofree char *seconds = time && origin_ns > 0 ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%S") : NULL;

  decode_line_print(line, "# iwarpsim %s, decode %s", version, plain);
  if (seconds) { /* "2026-11-21T12:00:00.000000001Z" */
    decode_line_print(line, ", time 0 is %s.%09dZ", seconds, (int)(origin_ns % NS_PER_SECOND));
  }
  decode_line_end(line);
  decode_line_text(
      line, "# time_s, connection, from > to, stream position, octets, packets, located by, CRC, content, "
            "markers (position:FPDUPTR)");
  decode_line_end(line);
}

/* --- The overview: a table of sums for each connection --- */

static void append_row(decode_line *line, const char *label, const uint64_t values[SIDES])
{
  decode_line_print(line, "  %s", label);
  decode_line_column(line, VALUE_COLUMN);
  for (enum side direction = 0; direction < SIDES; direction++) {
    decode_line_print(line, " %*" G_GUINT64_FORMAT, VALUE_WIDTH - 1, values[direction]);
  }
  decode_line_end(line);
}

static void append_sums(decode_line *line, const decode_field *sum, const decode_connection *connection)
{
  for (; sum->member; sum++) {
    const uint64_t values[] = {decode_field_value(sum, &connection->directions[SIDE_INITIATOR]),
                               decode_field_value(sum, &connection->directions[SIDE_RESPONDER])};

    if (sum->is_always || values[SIDE_INITIATOR] > 0 || values[SIDE_RESPONDER] > 0) {
      append_row(line, sum->text, values);
    }
  }
}

static void append_opcodes(decode_line *line, const decode_connection *connection)
{
  for (unsigned int opcode = 0; opcode < G_N_ELEMENTS(connection->directions[0].opcodes); opcode++) {
    const uint64_t values[] = {connection->directions[SIDE_INITIATOR].opcodes[opcode],
                               connection->directions[SIDE_RESPONDER].opcodes[opcode]};

    if (values[SIDE_INITIATOR] > 0 || values[SIDE_RESPONDER] > 0) {
      append_row(line, decode_opcode_name((uint8_t)opcode), values);
    }
  }
}

static void append_frame(decode_line *line, const char *name, bool is_there,
                         const decode_startup_frame *frame)
{
  decode_line_print(line, "  MPA %s Frame:%s", name, is_there ? "" : " not captured");
  if (is_there) {
    append_startup_fields(line, frame);
  }
  decode_line_end(line);
}

/* Where the startup frames do not show it. */
static void append_kind(decode_line *line, const char *to, const decode_direction_summary *sums)
{
  if (sums->in_full_operation) {
    decode_line_print(line, "  taken to the %s: markers %s, CRC %s", to, sums->markers ? "on" : "off",
                      sums->crc ? "on" : "off");
    decode_line_end(line);
  }
}

static void append_connection(decode_line *line, const decode_name *name, const decode_connection *connection,
                              G_GNUC_UNUSED bool is_first)
{
  decode_line_end(line);
  decode_line_print(line, "connection %u: Initiator %s, Responder %s", connection->index,
                    name->ends[SIDE_INITIATOR], name->ends[SIDE_RESPONDER]);
  decode_line_end(line);
  append_frame(line, "Request", connection->has_request, &connection->request);
  append_frame(line, "Reply", connection->has_reply, &connection->reply);
  if (!connection->has_request || !connection->has_reply) {
    append_kind(line, "Responder", &connection->directions[SIDE_INITIATOR]);
    append_kind(line, "Initiator", &connection->directions[SIDE_RESPONDER]);
  }
  decode_line_column(line, VALUE_COLUMN + 4);
  decode_line_text(line, "to the Responder    to the Initiator");
  decode_line_end(line);
  append_sums(line, decode_fields_fpdu_sums, connection);
  append_opcodes(line, connection);
  append_sums(line, decode_fields_segment_sums, connection);
}

static void append_overview(decode_line *line, const decode_overview *overview)
{
  const capture_counts *counts = overview->counts;
  g_autofree char *file = plain_text(overview->file, -1, "");

  decode_line_print(line, "# iwarpsim %s, decode --summary %s", overview->version, file);
  decode_line_end(line);
  decode_line_print(line, "%" G_GUINT64_FORMAT " packets", counts->packets);
  for (const decode_field *field = decode_fields_counts; field->member; field++) {
    uint64_t count = decode_field_value(field, counts);
    if (field->text && count > 0) {
      decode_line_print(line, ", %" G_GUINT64_FORMAT "%s", count, field->text);
    }
  }
  decode_line_end(line);
  decode_line_print(line, "%u TCP connection%s, %u %s MPA", overview->flows, overview->flows == 1 ? "" : "s",
                    overview->speakers, overview->speakers == 1 ? "speaks" : "speak");
  decode_line_end(line);
}

static void end_overview(G_GNUC_UNUSED decode_line *line)
{
}

const decode_format decode_text = {.heading = append_heading,
                                   .fpdu = append_fpdu,
                                   .startup = append_startup,
                                   .note = append_note,
                                   .overview = append_overview,
                                   .connection = append_connection,
                                   .overview_end = end_overview};
