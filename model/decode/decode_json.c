/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>
#include <inttypes.h>

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

static const char *bool_text(bool is_true)
{
  return is_true ? "true" : "false";
}

/* Fields are the first members of an object, or others come before them. */
static void append_fields(decode_line *line, const decode_field *field, const void *of, bool is_first)
{
  for (; field->member; field++) {
    uint64_t value = decode_field_value(field, of);

    decode_line_print(line, is_first ? "\"%s\":" : ",\"%s\":", field->member);
    if (field->kind == DECODE_FIELD_HEX) {
      decode_line_print(line, "\"0x%0*" PRIX64 "\"", 2 * field->octets, value);
    } else if (field->kind == DECODE_FIELD_FLAG) {
      decode_line_text(line, bool_text(value != 0));
    } else {
      decode_line_print(line, "%" PRIu64, value);
    }
    is_first = false;
  }
}

static void append_octets(decode_line *line, const char *name, const uint8_t *octets, size_t length)
{
  decode_line_print(line, ",\"%s\":\"", name);
  decode_line_dump(line, octets, length, NULL);
  decode_line_text(line, "\"");
}

/* --- What every object starts with --- */

static void append_source(decode_line *line, const char *type, const decode_name *name, int64_t time_ns,
                          uint32_t connection, enum side direction)
{
  decode_line_print(line, "{\"type\":\"%s\",\"time_s\":", type);
  decode_line_seconds(line, time_ns, 0);
  decode_line_print(line, ",\"connection\":%u,\"direction\":%u,\"from\":\"%s\",\"to\":\"%s\"", connection,
                    direction, name->ends[direction], name->ends[!direction]);
}

static void append_place(decode_line *line, uint64_t position, uint64_t octets, uint64_t first_packet,
                         uint64_t last_packet)
{
  decode_line_print(line,
                    ",\"position\":%" PRIu64 ",\"octets\":%" PRIu64 ",\"packets\":[%" PRIu64 ",%" PRIu64 "]",
                    position, octets, first_packet, last_packet);
}

/* --- FPDUs --- */

static void append_markers(decode_line *line, const decode_fpdu *fpdu)
{
  decode_line_text(line, ",\"markers\":[");
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    decode_line_print(line, "%s{\"position\":%" PRIu64, i > 0 ? "," : "", marker->stream_position);
    if (marker->is_captured) {
      decode_line_print(line, ",\"pointer\":%u,\"right\":%s,\"reserved\":%u}", marker->pointer,
                        bool_text(marker->is_right), marker->reserved);
    } else {
      decode_line_text(line, ",\"pointer\":null,\"right\":null,\"reserved\":null}");
    }
  }
  decode_line_text(line, "]");
}

static void append_read_request(decode_line *line, const rdmap_read_request *request)
{
  decode_line_text(line, ",\"read_request\":{");
  append_fields(line, decode_fields_read_request, request, true);
  decode_line_text(line, "}");
}

static void append_terminate(decode_line *line, const decode_fpdu *fpdu, iwarp_generation generation)
{
  const rdmap_terminate *terminate = &fpdu->terminate;

  decode_line_print(line, ",\"terminate\":{\"layer\":%u,\"type\":%u,\"code\":%u,\"text\":\"%s\"",
                    terminate->error.layer, terminate->error.type, terminate->error.code,
                    rdmap_error_text(terminate->error, generation));
  append_octets(line, "wire", fpdu->terminate_octets, fpdu->payload_octets);
  if (terminate->has_segment) {
    decode_line_print(line, ",\"segment_octets\":%u,\"ddp\":{", terminate->segment_octets);
    append_fields(line, decode_fields_of(&terminate->header), &terminate->header, true);
    decode_line_text(line, "}");
  }
  if (terminate->has_request) {
    append_read_request(line, &terminate->request);
  }
  decode_line_text(line, "}");
}

static void append_ulpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  decode_line_print(line, ",\"ulpdu_octets\":%u", fpdu->ulpdu_octets);
  if (!fpdu->has_ddp) {
    decode_line_text(line, ",\"ddp\":null");
    return;
  }
  decode_line_text(line, ",\"ddp\":{");
  append_fields(line, decode_fields_of(&fpdu->ddp), &fpdu->ddp, true);
  decode_line_print(line,
                    ",\"control\":\"0x%02X\"},\"payload_octets\":%u,\"rdmap\":{\"version\":%u,\"opcode\":%u,"
                    "\"name\":\"%s\",\"control\":\"0x%02X\"",
                    fpdu->ddp_control, fpdu->payload_octets, fpdu->rdmap_version, fpdu->rdmap_opcode,
                    decode_opcode_name(fpdu->rdmap_opcode), fpdu->ddp.ulp_control);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    decode_line_print(line, ",\"invalidate_stag\":\"0x%08X\"", fpdu->ddp.ulp_word);
  }
  if (fpdu->has_read_request) {
    append_read_request(line, &fpdu->read_request);
  }
  if (fpdu->has_terminate) {
    append_terminate(line, fpdu, decode_name_generation(name, fpdu->rdmap_version));
  }
  decode_line_text(line, "}");
}

static void append_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  append_source(line, "fpdu", name, fpdu->time_ns, fpdu->connection, fpdu->direction);
  append_place(line, fpdu->stream_position, fpdu->fpdu_octets, fpdu->first_packet, fpdu->last_packet);
  decode_line_print(line,
                    ",\"packet_count\":%u,\"phase_offset\":%" PRIu64
                    ",\"located_by\":\"%s\",\"after_error\":%s,\"crc\":\"%s\"",
                    fpdu->packets, fpdu->phase_offset,
                    fpdu->located_by < MPA_LOCATIONS ? locations[fpdu->located_by] : "?",
                    bool_text(fpdu->after_error), fpdu->crc < G_N_ELEMENTS(crcs) ? crcs[fpdu->crc] : "?");
  if (fpdu->crc == DECODE_CRC_RIGHT || fpdu->crc == DECODE_CRC_WRONG) {
    decode_line_print(line, ",\"crc_computed\":\"0x%08X\",\"crc_received\":\"0x%08X\"",
                      decode_crc_shown(fpdu->crc_computed), decode_crc_shown(fpdu->crc_received));
  }
  append_markers(line, fpdu);
  append_ulpdu(line, name, fpdu);
  decode_line_text(line, "}");
  decode_line_end(line);
}

/* --- Startup frames --- */

static void append_startup_fields(decode_line *line, const decode_startup_frame *frame, bool is_first)
{
  const decode_enhanced_setup *enhanced = &frame->enhanced;

  append_fields(line, decode_fields_startup, frame, is_first);
  append_octets(line, "private_data", frame->private_data,
                frame->private_data ? frame->private_data_read : 0);
  if (frame->has_enhanced) {
    decode_line_print(line,
                      ",\"enhanced\":{\"peer_to_peer\":%s,\"zero_length_send\":%s,\"ird\":%u,"
                      "\"zero_length_write\":%s,\"zero_length_read\":%s,\"ord\":%u}",
                      bool_text(enhanced->peer_to_peer),
                      bool_text(enhanced->ready_to_receive_zero_length_send), enhanced->ird,
                      bool_text(enhanced->ready_to_receive_zero_length_write),
                      bool_text(enhanced->ready_to_receive_zero_length_read), enhanced->ord);
  }
}

static void append_startup(decode_line *line, const decode_name *name, const decode_startup_event *event)
{
  append_source(line, event->frame->is_reply ? "reply" : "request", name, event->time_ns, event->connection,
                event->direction);
  append_place(line, event->stream_position, event->frame->frame_octets, event->first_packet,
               event->last_packet);
  append_startup_fields(line, event->frame, false);
  decode_line_text(line, "}");
  decode_line_end(line);
}

/* --- Notes, heading --- */

static void append_note(decode_line *line, const decode_name *name, const decode_note *note)
{
  append_source(line, "note", name, note->time_ns, note->connection, note->direction);
  append_place(line, note->stream_position, note->octets, note->packet, note->packet);
  decode_line_print(line,
                    ",\"kind\":\"%s\",\"text\":", note->kind < G_N_ELEMENTS(notes) ? notes[note->kind] : "?");
  decode_line_json(line, note->text);
  decode_line_text(line, "}");
  decode_line_end(line);
}

static void append_capture(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  decode_line_text(line, "\"version\":");
  decode_line_json(line, version);
  decode_line_text(line, ",\"file\":");
  decode_line_json(line, file);
  decode_line_text(line, ",\"origin_s\":");
  decode_line_seconds(line, origin_ns, 0);
}

static void append_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  decode_line_text(line, "{\"type\":\"capture\",");
  append_capture(line, version, file, origin_ns);
  decode_line_text(line, "}");
  decode_line_end(line);
}

/* --- The overview --- */

static void append_direction(decode_line *line, const decode_direction_summary *sums)
{
  const char *separator = "";

  decode_line_text(line, "{");
  append_fields(line, decode_fields_fpdu_sums, sums, true);
  decode_line_text(line, ",\"opcodes\":{");
  for (unsigned int opcode = 0; opcode < G_N_ELEMENTS(sums->opcodes); opcode++) {
    if (sums->opcodes[opcode] > 0) {
      decode_line_print(line, "%s\"%s\":%" PRIu64, separator, decode_opcode_name((uint8_t)opcode),
                        sums->opcodes[opcode]);
      separator = ",";
    }
  }
  decode_line_text(line, "}");
  append_fields(line, decode_fields_segment_sums, sums, false);
  decode_line_print(
      line, ",\"in_full_operation\":%s,\"phase_start\":%" PRIu64 ",\"markers_on\":%s,\"crc_on\":%s}",
      bool_text(sums->in_full_operation), sums->phase_start, bool_text(sums->markers), bool_text(sums->crc));
}

static void append_frame(decode_line *line, const char *name, bool is_there,
                         const decode_startup_frame *frame)
{
  decode_line_print(line, ",\"%s\":%s", name, is_there ? "{" : "null");
  if (is_there) {
    append_startup_fields(line, frame, true);
    decode_line_text(line, "}");
  }
}

static void append_connection(decode_line *line, const decode_name *name, const decode_connection *connection,
                              bool is_first)
{
  decode_line_print(line, "%s{\"connection\":%u,\"initiator\":\"%s\",\"responder\":\"%s\",\"hinted\":%s",
                    is_first ? "" : ",", connection->index, name->ends[SIDE_INITIATOR],
                    name->ends[SIDE_RESPONDER], bool_text(connection->is_hinted));
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
  decode_line_text(line, ",\"capture\":{");
  append_fields(line, decode_fields_counts, overview->counts, true);
  decode_line_print(line, ",\"tcp_connections\":%u},\"connections\":[", overview->flows);
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
