/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_writer.h"
#include "decode/decode_format.h"
#include "decode/decode_startup.h"

const char *const decode_note_kinds[] = {
    [DECODE_NOTE_HOLE] = "hole",
    [DECODE_NOTE_LOST_CHAIN] = "lost chain",
    [DECODE_NOTE_BAD_LENGTH] = "bad length",
    [DECODE_NOTE_INCOMPLETE] = "incomplete",
    [DECODE_NOTE_STARTUP] = "startup",
    [DECODE_NOTE_AFTER_ERROR] = "after error",
    [DECODE_NOTE_RESET] = "reset",
    [DECODE_NOTE_FIN] = "fin",
    [DECODE_NOTE_LONG_ULPDU] = "long ulpdu",
    [DECODE_NOTE_READ] = "read",
    [DECODE_NOTE_CHECKSUM] = "checksum",
    [DECODE_NOTE_CLOCK] = "clock",
    [DECODE_NOTE_UNANSWERED] = "unanswered",
};

static void append_hex(decode_line *line, const char *name, uint64_t value, unsigned octets)
{
  GString *json = line->text;

  json_open(json, NULL, name, '"');
  decode_line_hex(line, "", value, octets);
  json_close(json, NULL, '"');
}

static void append_seconds(decode_line *line, const char *name, int64_t time_ns)
{
  json_append_literal(line->text, NULL, name, "");
  decode_line_seconds(line, time_ns, 0);
}

static void append_fields(decode_line *line, const decode_field *field, const void *of)
{
  GString *json = line->text;

  for (; field->member; field++) {
    uint64_t value = decode_field_value(field, of);

    if (field->kind == DECODE_FIELD_HEX) {
      append_hex(line, field->member, value, field->octets);
    } else if (field->kind == DECODE_FIELD_SECONDS && (int64_t)value == DECODE_TIME_NONE) {
      json_append_text(json, NULL, field->member, NULL);
    } else if (field->kind == DECODE_FIELD_SECONDS) {
      append_seconds(line, field->member, (int64_t)value);
    } else if (field->kind == DECODE_FIELD_FLAG) {
      json_append_flag(json, NULL, field->member, value != 0);
    } else {
      json_append_whole(json, NULL, field->member, value);
    }
  }
}

static void append_object(decode_line *line, const char *name, const decode_field *fields, const void *of)
{
  json_open(line->text, NULL, name, '{');
  append_fields(line, fields, of);
  json_close(line->text, NULL, '}');
}

static void append_octets(decode_line *line, const char *name, const uint8_t *octets, size_t length)
{
  json_open(line->text, NULL, name, '"');
  decode_line_dump(line, octets, length, "");
  json_close(line->text, NULL, '"');
}

/* --- FPDUs --- */

static void append_extension(decode_line *line, const decode_extension *extension)
{
  GString *json = line->text;

  if (extension->kind == DECODE_NO_EXTENSION) {
    return;
  }
  json_open(json, NULL, decode_extension_names[extension->kind], '{');
  if (extension->kind == DECODE_ATOMIC_REQUEST) {
    json_append_text(json, NULL, "operation", decode_atomic_name(&extension->atomic));
  }
  append_fields(line, decode_fields_of_extension[extension->kind], extension);
  json_close(json, NULL, '}');
}

static void append_markers(GString *json, const decode_fpdu *fpdu)
{
  json_open(json, NULL, "markers", '[');
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    json_open(json, NULL, NULL, '{');
    json_append_whole(json, NULL, "position", marker->stream_position);
    if (marker->is_captured) {
      json_append_whole(json, NULL, "pointer", marker->pointer);
      json_append_flag(json, NULL, "right", marker->is_right);
      json_append_whole(json, NULL, "reserved", marker->reserved);
    } else {
      json_append_text(json, NULL, "pointer", NULL);
      json_append_text(json, NULL, "right", NULL);
      json_append_text(json, NULL, "reserved", NULL);
    }
    json_close(json, NULL, '}');
  }
  json_close(json, NULL, ']');
}

static void append_error(GString *json, rdmap_error error, iwarp_generation generation)
{
  json_append_whole(json, NULL, "layer", error.layer);
  json_append_whole(json, NULL, "type", error.type);
  json_append_whole(json, NULL, "code", error.code);
  json_append_text(json, NULL, "text", rdmap_error_text(error, generation));
}

static void append_terminate(decode_line *line, const decode_fpdu *fpdu, iwarp_generation generation)
{
  const rdmap_terminate *terminate = &fpdu->terminate;
  GString *json = line->text;

  json_open(json, NULL, "terminate", '{');
  append_error(json, terminate->error, generation);
  append_octets(line, "wire", fpdu->terminate_octets, fpdu->payload_octets);
  if (terminate->has_segment) {
    json_append_whole(json, NULL, "segment_octets", terminate->segment_octets);
    append_object(line, "ddp", decode_fields_of(&terminate->header), &terminate->header);
  }
  if (terminate->has_request) {
    append_object(line, "read_request", decode_fields_read_request, &terminate->request);
  }
  json_close(json, NULL, '}');
}

static void append_ulpdu(decode_line *line, const decode_connection *connection, const decode_fpdu *fpdu)
{
  GString *json = line->text;

  json_append_whole(json, NULL, "ulpdu_octets", fpdu->ulpdu_octets);
  if (!fpdu->has_ddp) {
    json_append_text(json, NULL, "ddp", NULL);
    return;
  }
  json_open(json, NULL, "ddp", '{');
  append_fields(line, decode_fields_of(&fpdu->ddp), &fpdu->ddp);
  append_hex(line, "control", fpdu->ddp_control, 1);
  json_close(json, NULL, '}');
  json_append_whole(json, NULL, "payload_octets", fpdu->payload_octets);
  json_open(json, NULL, "rdmap", '{');
  json_append_whole(json, NULL, "version", fpdu->rdmap_version);
  json_append_whole(json, NULL, "opcode", fpdu->rdmap_opcode);
  json_append_text(json, NULL, "name", decode_opcode_name(fpdu->rdmap_opcode));
  append_hex(line, "control", fpdu->ddp.ulp_control, 1);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    append_hex(line, "invalidate_stag", fpdu->ddp.ulp_word, 4);
  }
  if (fpdu->has_read_request) {
    append_object(line, "read_request", decode_fields_read_request, &fpdu->read_request);
  }
  append_extension(line, &fpdu->extension);
  if (fpdu->has_terminate) {
    append_terminate(line, fpdu, decode_generation(connection, fpdu->rdmap_version));
  }
  json_close(json, NULL, '}');
}

static void append_fpdu(decode_line *line, const decode_event *event)
{
  const decode_fpdu *fpdu = event->fpdu;
  GString *json = line->text;

  json_append_whole(json, NULL, "packet_count", event->packets.count);
  json_append_whole(json, NULL, "phase_offset", fpdu->phase_offset);
  json_append_text(json, NULL, "located_by", mpa_location_names[fpdu->located_by]);
  json_append_flag(json, NULL, "after_error", fpdu->after_error);
  json_append_text(json, NULL, "crc", decode_crcs[fpdu->crc].member);
  if (fpdu->crc == DECODE_CRC_RIGHT || fpdu->crc == DECODE_CRC_WRONG) {
    append_hex(line, "crc_computed", fpdu->crc_computed, 4);
    append_hex(line, "crc_received", fpdu->crc_received, 4);
  }
  append_markers(json, fpdu);
  append_ulpdu(line, event->connection, fpdu);
}

/* --- Messages --- */

static void append_pair(GString *json, const char *name, uint64_t first, uint64_t last)
{
  json_open(json, NULL, name, '[');
  json_append_whole(json, NULL, NULL, first);
  json_append_whole(json, NULL, NULL, last);
  json_close(json, NULL, ']');
}

static void append_message(decode_line *line, const decode_message *message)
{
  GString *json = line->text;

  append_object(line, "ddp", decode_fields_of(&message->ddp), &message->ddp);
  json_open(json, NULL, "rdmap", '{');
  json_append_whole(json, NULL, "opcode", message->opcode);
  json_append_text(json, NULL, "name", decode_opcode_name(message->opcode));
  if (message->is_request) {
    append_object(line, "read_request", decode_fields_read_request, &message->request);
  }
  append_extension(line, &message->extension);
  json_close(json, NULL, '}');
  append_fields(line, decode_fields_message, message);
  json_open(json, NULL, "missing", '[');
  for (uint32_t i = 0; i < message->gap_count; i++) {
    append_pair(json, NULL, message->gaps[i].from, message->gaps[i].to);
  }
  json_close(json, NULL, ']');
  if (message->is_answer) {
    append_fields(line, decode_fields_answer, message);
  }
}

/* --- Events --- */

static void append_frame(decode_line *line, const decode_startup_frame *frame)
{
  const mpa_enhanced *enhanced = &frame->enhanced;
  GString *json = line->text;

  append_fields(line, decode_fields_startup, frame);
  append_octets(line, "private_data", frame->private_data,
                frame->private_data ? frame->private_data_read : 0);
  if (frame->has_enhanced) {
    json_open(json, NULL, "enhanced", '{');
    json_append_flag(json, NULL, "peer_to_peer", enhanced->peer_to_peer);
    json_append_flag(json, NULL, "zero_length_send", decode_has_rtr(enhanced, MPA_RTR_SEND));
    json_append_whole(json, NULL, "ird", enhanced->ird);
    json_append_flag(json, NULL, "zero_length_write", decode_has_rtr(enhanced, MPA_RTR_WRITE));
    json_append_flag(json, NULL, "zero_length_read", decode_has_rtr(enhanced, MPA_RTR_READ));
    json_append_whole(json, NULL, "ord", enhanced->ord);
    json_close(json, NULL, '}');
  }
  const decode_private data = decode_private_of(frame);
  if (data.kind == DECODE_PRIVATE_LEGACY) {
    json_open(json, NULL, "legacy", '{');
    json_append_whole(json, NULL, "ird", data.ird);
    json_append_whole(json, NULL, "ord", data.ord);
    json_close(json, NULL, '}');
  } else if (data.kind == DECODE_PRIVATE_RPC_OVER_RDMA) {
    json_open(json, NULL, "rpc_over_rdma", '{');
    json_append_whole(json, NULL, "version", data.version);
    json_append_flag(json, NULL, "remote_invalidation", data.remote_invalidation);
    json_append_whole(json, NULL, "send_octets", data.send_octets);
    json_append_whole(json, NULL, "receive_octets", data.receive_octets);
    json_close(json, NULL, '}');
  }
}

const char *decode_event_type(const decode_event *event)
{
  if (event->frame) {
    return event->frame->is_reply ? "reply" : "request";
  }
  return event->fpdu ? "fpdu" : event->message ? "message" : "note";
}

/* Appends what every line but the first begins with. */
static void append_source(decode_line *line, const char *type, const decode_event *event)
{
  const decode_connection *connection = event->connection;
  GString *json = line->text;

  json_open(json, NULL, NULL, '{');
  json_append_text(json, NULL, "type", type);
  append_seconds(line, "time_s", event->time_ns);
  json_append_whole(json, NULL, "connection", connection->index);
  json_append_whole(json, NULL, "direction", event->direction);
  json_append_text(json, NULL, "from", connection->ends[event->direction]);
  json_append_text(json, NULL, "to", connection->ends[!event->direction]);
  json_append_whole(json, NULL, "position", event->stream_position);
  json_append_whole(json, NULL, "octets", event->octets);
  append_pair(json, "packets", event->packets.first, event->packets.last);
}

static void append_row(GString *json, const decode_problem_row *row)
{
  json_append_text(json, NULL, "severity", decode_severities[row->severity]);
  json_append_text(json, NULL, "kind", row->kind);
  json_append_text(json, NULL, "clause", row->clause);
}

static void append_sentence(decode_line *line, const decode_event *event, decode_problem problem)
{
  append_row(line->text, &decode_problems[problem]);
  json_open(line->text, NULL, "text", '"');
  decode_append_problem(line, event, problem);
  json_close(line->text, NULL, '"');
}

static void end_line(decode_line *line)
{
  g_string_append(line->text, "}\n");
}

static void append_problem(decode_line *line, const decode_event *event, decode_problem problem)
{
  append_source(line, "problem", event);
  append_sentence(line, event, problem);
  end_line(line);
}

static void append_event(decode_line *line, const decode_event *event)
{
  GString *json = line->text;

  append_source(line, decode_event_type(event), event);
  if (event->fpdu) {
    append_fpdu(line, event);
  } else if (event->frame) {
    append_frame(line, event->frame);
  } else if (event->message) {
    append_message(line, event->message);
  } else {
    json_append_text(json, NULL, "kind", decode_note_kinds[event->kind]);
    json_append_text(json, NULL, "text", event->text);
  }
  if (event->problems != 0) {
    json_open(json, NULL, "problems", '[');
    for (decode_problem_set left = event->problems; left != 0;) {
      json_open(json, NULL, NULL, '{');
      append_sentence(line, event, decode_problem_take(&left));
      json_close(json, NULL, '}');
    }
    json_close(json, NULL, ']');
  }
  end_line(line);
}

/* --- The capture --- */

static void append_capture(decode_line *line, const decode_capture *capture)
{
  json_append_text(line->text, NULL, "version", capture->version);
  json_append_text(line->text, NULL, "file", capture->file);
  append_seconds(line, "origin_s", capture->counts->origin_ns);
}

static void append_heading(decode_line *line, const decode_capture *capture)
{
  json_open(line->text, NULL, NULL, '{');
  json_append_text(line->text, NULL, "type", "capture");
  append_capture(line, capture);
  end_line(line);
}

/* Appends where something was. */
static void append_place(decode_line *line, const char *time, int64_t time_ns, uint64_t position,
                         uint64_t packet)
{
  append_seconds(line, time, time_ns);
  json_append_whole(line->text, NULL, "position", position);
  json_append_whole(line->text, NULL, "packet", packet);
}

static void append_findings(decode_line *line, const decode_connection *connection,
                            const decode_direction_summary *sums)
{
  const decode_findings *found = sums->findings;
  GString *json = line->text;

  json_open(json, NULL, "terminates", '[');
  for (uint32_t i = 0; found && i < found->terminate_count; i++) {
    const decode_terminate_sum *terminate = &found->terminates[i];
    json_open(json, NULL, NULL, '{');
    append_place(line, "time_s", terminate->time_ns, terminate->position, terminate->packet);
    append_error(json, terminate->error, decode_generation(connection, terminate->rdmap_version));
    json_close(json, NULL, '}');
  }
  json_close(json, NULL, ']');
  json_open(json, NULL, "problems", '[');
  for (decode_problem problem = 0; found && problem < DECODE_PROBLEMS; problem++) {
    const decode_problem_sum *sum = &found->problems[problem];
    if (sum->count > 0) {
      json_open(json, NULL, NULL, '{');
      append_row(json, &decode_problems[problem]);
      json_append_text(json, NULL, "text", decode_problems[problem].sentence);
      json_append_whole(json, NULL, "count", sum->count);
      append_place(line, "first_s", sum->first_ns, sum->first_position, sum->first_packet);
      json_close(json, NULL, '}');
    }
  }
  json_close(json, NULL, ']');
}

static void append_direction(decode_line *line, const decode_connection *connection, enum side from)
{
  const decode_direction_summary *sums = &connection->directions[from];
  GString *json = line->text;

  json_open(json, NULL, NULL, '{');
  append_fields(line, decode_fields_fpdu_sums, sums);
  json_open(json, NULL, "opcodes", '{');
  for (unsigned opcode = 0; opcode < G_N_ELEMENTS(sums->opcodes); opcode++) {
    if (sums->opcodes[opcode] > 0) {
      json_append_whole(json, NULL, decode_opcode_name((uint8_t)opcode), sums->opcodes[opcode]);
    }
  }
  json_close(json, NULL, '}');
  append_fields(line, decode_fields_segment_sums, sums);
  json_append_flag(json, NULL, "in_full_operation", sums->in_full_operation);
  json_append_whole(json, NULL, "phase_start", sums->phase_start);
  json_append_flag(json, NULL, "markers_on", sums->markers);
  json_append_flag(json, NULL, "crc_on", sums->crc);
  append_findings(line, connection, sums);
  json_close(json, NULL, '}');
}

static void append_connection(decode_line *line, const decode_connection *connection)
{
  const decode_startup_frame *frames[] = {connection->has_request ? &connection->request : NULL,
                                          connection->has_reply ? &connection->reply : NULL};
  GString *json = line->text;

  json_open(json, NULL, NULL, '{');
  json_append_whole(json, NULL, "connection", connection->index);
  json_append_text(json, NULL, "initiator", connection->ends[SIDE_INITIATOR]);
  json_append_text(json, NULL, "responder", connection->ends[SIDE_RESPONDER]);
  json_append_flag(json, NULL, "hinted", connection->is_hinted);
  for (enum side sender = 0; sender < SIDES; sender++) {
    json_append_literal(json, NULL, sender == SIDE_INITIATOR ? "request" : "reply",
                        frames[sender] ? "{" : "null");
    if (frames[sender]) {
      append_frame(line, frames[sender]);
      json_close(json, NULL, '}');
    }
  }
  json_open(json, NULL, "directions", '[');
  append_direction(line, connection, SIDE_INITIATOR);
  append_direction(line, connection, SIDE_RESPONDER);
  json_close(json, NULL, ']');
  json_close(json, NULL, '}');
}

static void append_overview(decode_line *line, const decode_capture *capture)
{
  GString *json = line->text;

  json_open(json, NULL, NULL, '{');
  append_capture(line, capture);
  append_object(line, "capture", decode_fields_counts, capture->counts);
  json_open(json, NULL, "connections", '[');
  for (guint i = 0; i < capture->connections->len; i++) {
    append_connection(line, capture->connections->pdata[i]);
  }
  json_close(json, NULL, ']');
  end_line(line);
}

const decode_format decode_json = {
    .heading = append_heading, .event = append_event, .problem = append_problem, .overview = append_overview};
