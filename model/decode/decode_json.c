/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "decode/decode_format.h"

/* As metrics call them: mpa.located_by_marker_chain. */
static const char *const locations[MPA_LOCATIONS] = {
    [MPA_LOCATED_BY_CHAIN] = "chain",
    [MPA_LOCATED_BY_MARKER] = "marker",
    [MPA_LOCATED_BY_MARKER_CHAIN] = "marker_chain",
    [MPA_LOCATED_BY_ASSUMPTION] = "assumption",
};

static const char *const crcs[] = {
    [DECODE_CRC_RIGHT] = "right",
    [DECODE_CRC_WRONG] = "wrong",
    [DECODE_CRC_UNUSED] = "off",
    [DECODE_CRC_NOT_CAPTURED] = "not captured",
};

static const char *const notes[] = {
    [DECODE_NOTE_HOLE] = "hole",
    [DECODE_NOTE_LOST_CHAIN] = "lost chain",
    [DECODE_NOTE_BAD_LENGTH] = "bad length",
    [DECODE_NOTE_INCOMPLETE] = "incomplete",
    [DECODE_NOTE_STARTUP] = "startup",
    [DECODE_NOTE_RESET] = "reset",
    [DECODE_NOTE_FIN] = "fin",
    [DECODE_NOTE_LONG_ULPDU] = "long ulpdu",
};

/* --- Members --- */

static void append_number(decode_line *line, const char *name, uint64_t number)
{
  decode_line_member(line, name);
  decode_line_number(line, number);
}

static void append_hex(decode_line *line, const char *name, uint64_t number, unsigned int digits)
{
  decode_line_member(line, name);
  decode_line_text(line, "\"");
  decode_line_hex(line, number, digits);
  decode_line_text(line, "\"");
}

static void append_bool(decode_line *line, const char *name, bool is_true)
{
  decode_line_member(line, name);
  decode_line_text(line, is_true ? "true" : "false");
}

/* A text of our own, in which nothing must be escaped. */
static void append_word(decode_line *line, const char *name, const char *word)
{
  decode_line_member(line, name);
  decode_line_text(line, "\"");
  decode_line_text(line, word);
  decode_line_text(line, "\"");
}

/* Any text. */
static void append_text(decode_line *line, const char *name, const char *text)
{
  decode_line_member(line, name);
  decode_line_json(line, text);
}

static void append_seconds(decode_line *line, const char *name, int64_t time_ns)
{
  decode_line_member(line, name);
  decode_line_seconds(line, time_ns, 0);
}

static void append_octets(decode_line *line, const char *name, const uint8_t *octets, size_t length)
{
  decode_line_member(line, name);
  decode_line_text(line, "\"");
  decode_line_dump(line, octets, length, NULL);
  decode_line_text(line, "\"");
}

static void append_fields(decode_line *line, const decode_fields *fields, const void *of)
{
  for (size_t i = 0; i < fields->count; i++) {
    const decode_field *field = &fields->fields[i];
    uint64_t value = decode_field_value(field, of);

    if (field->kind == DECODE_FIELD_HEX) {
      append_hex(line, field->member, value, 2U * field->octets);
    } else if (field->kind == DECODE_FIELD_FLAG) {
      append_bool(line, field->member, value != 0);
    } else {
      append_number(line, field->member, value);
    }
  }
}

/* A member that is an object begins; append "}" after its own members. */
static void begin_object(decode_line *line, const char *name)
{
  decode_line_member(line, name);
  decode_line_text(line, "{");
}

static void end_object(decode_line *line)
{
  decode_line_text(line, "}");
  decode_line_end(line);
}

/* --- What every object starts with --- */

static void append_source(decode_line *line, const char *type, const decode_name *name, int64_t time_ns,
                          uint32_t connection, enum side direction)
{
  decode_line_text(line, "{");
  append_word(line, "type", type);
  append_seconds(line, "time_s", time_ns);
  append_number(line, "connection", connection);
  append_number(line, "direction", direction);
  append_word(line, "from", name->ends[direction]);
  append_word(line, "to", name->ends[!direction]);
}

static void append_place(decode_line *line, uint64_t position, uint64_t octets, uint64_t first_packet,
                         uint64_t last_packet)
{
  append_number(line, "position", position);
  append_number(line, "octets", octets);
  decode_line_member(line, "packets");
  decode_line_text(line, "[");
  decode_line_number(line, first_packet);
  decode_line_text(line, ",");
  decode_line_number(line, last_packet);
  decode_line_text(line, "]");
}

/* --- FPDUs --- */

static void append_markers(decode_line *line, const decode_fpdu *fpdu)
{
  decode_line_member(line, "markers");
  decode_line_text(line, "[");
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    decode_line_text(line, i > 0 ? ",{" : "{");
    append_number(line, "position", marker->stream_position);
    if (marker->is_captured) {
      append_number(line, "pointer", marker->pointer);
      append_bool(line, "right", marker->is_right);
      append_number(line, "reserved", marker->reserved);
      decode_line_text(line, "}");
    } else {
      decode_line_text(line, ",\"pointer\":null,\"right\":null,\"reserved\":null}");
    }
  }
  decode_line_text(line, "]");
}

static void append_crc(decode_line *line, const decode_fpdu *fpdu)
{
  append_word(line, "crc", fpdu->crc < G_N_ELEMENTS(crcs) ? crcs[fpdu->crc] : "?");
  if (fpdu->crc == DECODE_CRC_RIGHT || fpdu->crc == DECODE_CRC_WRONG) {
    append_hex(line, "crc_computed", decode_crc_shown(fpdu->crc_computed), 8);
    append_hex(line, "crc_received", decode_crc_shown(fpdu->crc_received), 8);
  }
}

/* A member that is a DDP header; append "}" after what else it has. */
static void begin_ddp(decode_line *line, const ddp_header *ddp)
{
  begin_object(line, "ddp");
  append_fields(line, decode_fields_of(ddp), ddp);
}

static void append_read_request(decode_line *line, const rdmap_read_request *request)
{
  begin_object(line, "read_request");
  append_fields(line, &decode_fields_read_request, request);
  decode_line_text(line, "}");
}

static void append_terminate(decode_line *line, const decode_fpdu *fpdu, iwarp_generation generation)
{
  const rdmap_terminate *terminate = &fpdu->terminate;

  begin_object(line, "terminate");
  append_number(line, "layer", terminate->error.layer);
  append_number(line, "type", terminate->error.type);
  append_number(line, "code", terminate->error.code);
  append_word(line, "text", rdmap_error_text(terminate->error, generation));
  append_octets(line, "wire", fpdu->terminate_octets, fpdu->payload_octets);
  if (terminate->has_segment) {
    append_number(line, "segment_octets", terminate->segment_octets);
    begin_ddp(line, &terminate->header);
    decode_line_text(line, "}");
  }
  if (terminate->has_request) {
    append_read_request(line, &terminate->request);
  }
  decode_line_text(line, "}");
}

static void append_rdmap(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  begin_object(line, "rdmap");
  append_number(line, "version", fpdu->rdmap_version);
  append_number(line, "opcode", fpdu->rdmap_opcode);
  append_word(line, "name", decode_opcode_name(fpdu->rdmap_opcode));
  append_hex(line, "control", fpdu->ddp.ulp_control, 2);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    append_hex(line, "invalidate_stag", fpdu->ddp.ulp_word, 8);
  }
  if (fpdu->has_read_request) {
    append_read_request(line, &fpdu->read_request);
  }
  if (fpdu->has_terminate) {
    append_terminate(line, fpdu, decode_name_generation(name, fpdu->rdmap_version));
  }
  decode_line_text(line, "}");
}

static void append_ulpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  append_number(line, "ulpdu_octets", fpdu->ulpdu_octets);
  if (!fpdu->has_ddp) {
    decode_line_text(line, ",\"ddp\":null");
    return;
  }
  begin_ddp(line, &fpdu->ddp);
  append_hex(line, "control", fpdu->ddp_control, 2);
  decode_line_text(line, "}");
  append_number(line, "payload_octets", fpdu->payload_octets);
  append_rdmap(line, name, fpdu);
}

static void append_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  append_source(line, "fpdu", name, fpdu->time_ns, fpdu->connection, fpdu->direction);
  append_place(line, fpdu->stream_position, fpdu->fpdu_octets, fpdu->first_packet, fpdu->last_packet);
  append_number(line, "packet_count", fpdu->packets);
  append_number(line, "phase_offset", fpdu->phase_offset);
  append_word(line, "located_by", fpdu->located_by < MPA_LOCATIONS ? locations[fpdu->located_by] : "?");
  append_bool(line, "after_error", fpdu->after_error);
  append_crc(line, fpdu);
  append_markers(line, fpdu);
  append_ulpdu(line, name, fpdu);
  end_object(line);
}

/* --- Startup frames --- */

static void append_startup_fields(decode_line *line, const decode_startup_frame *frame)
{
  const decode_enhanced_setup *enhanced = &frame->enhanced;

  append_fields(line, &decode_fields_startup, frame);
  append_octets(line, "private_data", frame->private_data,
                frame->private_data ? frame->private_data_read : 0);
  if (frame->has_enhanced) {
    begin_object(line, "enhanced");
    append_bool(line, "peer_to_peer", enhanced->peer_to_peer);
    append_bool(line, "zero_length_send", enhanced->ready_to_receive_zero_length_send);
    append_number(line, "ird", enhanced->ird);
    append_bool(line, "zero_length_write", enhanced->ready_to_receive_zero_length_write);
    append_bool(line, "zero_length_read", enhanced->ready_to_receive_zero_length_read);
    append_number(line, "ord", enhanced->ord);
    decode_line_text(line, "}");
  }
}

static void append_startup(decode_line *line, const decode_name *name, const decode_startup_event *event)
{
  append_source(line, event->frame->is_reply ? "reply" : "request", name, event->time_ns, event->connection,
                event->direction);
  append_place(line, event->stream_position, event->frame->frame_octets, event->first_packet,
               event->last_packet);
  append_startup_fields(line, event->frame);
  end_object(line);
}

/* --- Notes, heading --- */

static void append_note(decode_line *line, const decode_name *name, const decode_note *note)
{
  append_source(line, "note", name, note->time_ns, note->connection, note->direction);
  append_place(line, note->stream_position, note->octets, note->packet, note->packet);
  append_word(line, "kind", note->kind < G_N_ELEMENTS(notes) ? notes[note->kind] : "?");
  append_text(line, "text", note->text);
  end_object(line);
}

static void append_capture(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  append_text(line, "version", version);
  append_text(line, "file", file);
  append_seconds(line, "origin_s", origin_ns);
}

static void append_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  decode_line_text(line, "{");
  append_word(line, "type", "capture");
  append_capture(line, version, file, origin_ns);
  end_object(line);
}

/* --- The overview --- */

static void append_direction(decode_line *line, const decode_direction_summary *sums)
{
  decode_line_text(line, "{");
  append_fields(line, &decode_fields_fpdu_sums, sums);
  begin_object(line, "opcodes");
  for (unsigned int opcode = 0; opcode < G_N_ELEMENTS(sums->opcodes); opcode++) {
    if (sums->opcodes[opcode] > 0) {
      append_number(line, decode_opcode_name(opcode), sums->opcodes[opcode]);
    }
  }
  decode_line_text(line, "}");
  append_fields(line, &decode_fields_segment_sums, sums);
  append_bool(line, "in_full_operation", sums->in_full_operation);
  append_number(line, "phase_start", sums->phase_start);
  append_bool(line, "markers_on", sums->markers);
  append_bool(line, "crc_on", sums->crc);
  decode_line_text(line, "}");
}

static void append_frame(decode_line *line, const char *name, bool is_there,
                         const decode_startup_frame *frame)
{
  decode_line_member(line, name);
  if (is_there) {
    decode_line_text(line, "{");
    append_startup_fields(line, frame);
    decode_line_text(line, "}");
  } else {
    decode_line_text(line, "null");
  }
}

static void append_connection(decode_line *line, const decode_name *name, const decode_connection *connection,
                              bool is_first)
{
  decode_line_text(line, is_first ? "{" : ",{");
  append_number(line, "connection", connection->index);
  append_text(line, "initiator", name->ends[SIDE_INITIATOR]);
  append_text(line, "responder", name->ends[SIDE_RESPONDER]);
  append_bool(line, "hinted", connection->is_hinted);
  append_frame(line, "request", connection->has_request, &connection->request);
  append_frame(line, "reply", connection->has_reply, &connection->reply);
  decode_line_text(line, ",\"directions\":[");
  append_direction(line, &connection->directions[SIDE_INITIATOR]);
  decode_line_text(line, ",");
  append_direction(line, &connection->directions[SIDE_RESPONDER]);
  decode_line_text(line, "]}");
}

static void append_overview(decode_line *line, const decode_overview *overview)
{
  decode_line_text(line, "{");
  append_capture(line, overview->version, overview->file, overview->origin_ns);
  begin_object(line, "capture");
  append_fields(line, &decode_fields_counts, overview->counts);
  append_number(line, "tcp_connections", overview->flows);
  decode_line_text(line, "},\"connections\":[");
}

static void end_overview(decode_line *line)
{
  decode_line_text(line, "]}");
  decode_line_end(line);
}

const decode_format decode_json = {.heading = append_heading,
                                   .fpdu = append_fpdu,
                                   .startup = append_startup,
                                   .note = append_note,
                                   .overview = append_overview,
                                   .connection = append_connection,
                                   .overview_end = end_overview};
