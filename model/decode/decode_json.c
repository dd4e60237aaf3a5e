/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>
#include <inttypes.h>

#include "base/plain_text.h"
#include "decode/decode_format.h"

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

static const char *bool_text(bool is_true)
{
  return is_true ? "true" : "false";
}

/* Members of an object, after `before`: a brace, or a comma. */
static void append_fields(decode_line *line, const char *before, const decode_field *field, const void *of,
                          const char *after)
{
  for (; field->member; field++, before = ",") {
    uint64_t value = decode_field_value(field, of);

    decode_line_text(line, before);
    decode_line_text(line, "\"");
    decode_line_text(line, field->member);
    if (field->kind == DECODE_FIELD_HEX) {
      decode_line_hex(line, "\":\"", value, field->octets);
      decode_line_text(line, "\"");
    } else if (field->kind == DECODE_FIELD_SECONDS && (int64_t)value == DECODE_TIME_NONE) {
      decode_line_text(line, "\":null");
    } else if (field->kind == DECODE_FIELD_SECONDS) {
      decode_line_text(line, "\":");
      decode_line_seconds(line, (int64_t)value, 0);
    } else if (field->kind == DECODE_FIELD_FLAG) {
      decode_line_text(line, value != 0 ? "\":true" : "\":false");
    } else {
      decode_line_number(line, "\":", value);
    }
  }
  decode_line_text(line, after);
}

static void append_octets(decode_line *line, const char *name, const uint8_t *octets, size_t length)
{
  decode_line_print(line, ",\"%s\":\"", name);
  decode_line_dump(line, octets, length, "");
  decode_line_text(line, "\"");
}

/* --- FPDUs --- */

static void append_markers(decode_line *line, const decode_fpdu *fpdu)
{
  decode_line_text(line, ",\"markers\":[");
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    decode_line_number(line, i > 0 ? ",{\"position\":" : "{\"position\":", marker->stream_position);
    if (marker->is_captured) {
      decode_line_number(line, ",\"pointer\":", marker->pointer);
      decode_line_text(line, marker->is_right ? ",\"right\":true" : ",\"right\":false");
      decode_line_number(line, ",\"reserved\":", marker->reserved);
      decode_line_text(line, "}");
    } else {
      decode_line_text(line, ",\"pointer\":null,\"right\":null,\"reserved\":null}");
    }
  }
  decode_line_text(line, "]");
}

static void append_error(decode_line *line, rdmap_error error, iwarp_generation generation)
{
  decode_line_print(line, "\"layer\":%u,\"type\":%u,\"code\":%u,\"text\":\"%s\"", error.layer, error.type,
                    error.code, rdmap_error_text(error, generation));
}

static void append_terminate(decode_line *line, const decode_fpdu *fpdu, iwarp_generation generation)
{
  const rdmap_terminate *terminate = &fpdu->terminate;

  decode_line_text(line, ",\"terminate\":{");
  append_error(line, terminate->error, generation);
  append_octets(line, "wire", fpdu->terminate_octets, fpdu->payload_octets);
  if (terminate->has_segment) {
    decode_line_number(line, ",\"segment_octets\":", terminate->segment_octets);
    append_fields(line, ",\"ddp\":{", decode_fields_of(&terminate->header), &terminate->header, "}");
  }
  if (terminate->has_request) {
    append_fields(line, ",\"read_request\":{", decode_fields_read_request, &terminate->request, "}");
  }
  decode_line_text(line, "}");
}

static void append_ulpdu(decode_line *line, const decode_connection *connection, const decode_fpdu *fpdu)
{
  decode_line_print(line, ",\"ulpdu_octets\":%u", fpdu->ulpdu_octets);
  if (!fpdu->has_ddp) {
    decode_line_text(line, ",\"ddp\":null");
    return;
  }
  append_fields(line, ",\"ddp\":{", decode_fields_of(&fpdu->ddp), &fpdu->ddp, "");
  decode_line_print(line,
                    ",\"control\":\"0x%02X\"},\"payload_octets\":%u,\"rdmap\":{\"version\":%u,\"opcode\":%u,"
                    "\"name\":\"%s\",\"control\":\"0x%02X\"",
                    fpdu->ddp_control, fpdu->payload_octets, fpdu->rdmap_version, fpdu->rdmap_opcode,
                    decode_opcode_name(fpdu->rdmap_opcode), fpdu->ddp.ulp_control);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    decode_line_print(line, ",\"invalidate_stag\":\"0x%08X\"", fpdu->ddp.ulp_word);
  }
  if (fpdu->has_read_request) {
    append_fields(line, ",\"read_request\":{", decode_fields_read_request, &fpdu->read_request, "}");
  }
  if (fpdu->has_terminate) {
    append_terminate(line, fpdu, decode_generation(connection, fpdu->rdmap_version));
  }
  decode_line_text(line, "}");
}

static void append_fpdu(decode_line *line, const decode_event *event)
{
  const decode_fpdu *fpdu = event->fpdu;

  decode_line_print(line,
                    ",\"packet_count\":%u,\"phase_offset\":%" PRIu64
                    ",\"located_by\":\"%s\",\"after_error\":%s,\"crc\":\"%s\"",
                    event->packets.count, fpdu->phase_offset, mpa_location_names[fpdu->located_by],
                    bool_text(fpdu->after_error), decode_crcs[fpdu->crc].member);
  if (fpdu->crc == DECODE_CRC_RIGHT || fpdu->crc == DECODE_CRC_WRONG) {
    decode_line_print(line, ",\"crc_computed\":\"0x%08X\",\"crc_received\":\"0x%08X\"", fpdu->crc_computed,
                      fpdu->crc_received);
  }
  append_markers(line, fpdu);
  append_ulpdu(line, event->connection, fpdu);
}

/* --- Messages --- */

static void append_message(decode_line *line, const decode_message *message)
{
  append_fields(line, ",\"ddp\":{", decode_fields_of(&message->ddp), &message->ddp, "");
  decode_line_print(line, "},\"rdmap\":{\"opcode\":%u,\"name\":\"%s\"", message->opcode,
                    decode_opcode_name(message->opcode));
  if (message->is_request) {
    append_fields(line, ",\"read_request\":{", decode_fields_read_request, &message->request, "}");
  }
  append_fields(line, "},", decode_fields_message, message, ",\"missing\":[");
  for (uint32_t i = 0; i < message->gap_count; i++) {
    decode_line_print(line, "%s[%" PRIu64 ",%" PRIu64 "]", i > 0 ? "," : "", message->gaps[i].from,
                      message->gaps[i].to);
  }
  decode_line_text(line, "]");
  if (message->is_answer) {
    append_fields(line, ",", decode_fields_answer, message, "");
  }
}

/* --- Events --- */

static void append_frame(decode_line *line, const char *before, const decode_startup_frame *frame)
{
  const decode_enhanced_setup *enhanced = &frame->enhanced;

  append_fields(line, before, decode_fields_startup, frame, "");
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

  decode_line_print(line, "{\"type\":\"%s\",\"time_s\":", type);
  decode_line_seconds(line, event->time_ns, 0);
  decode_line_print(line,
                    ",\"connection\":%u,\"direction\":%u,\"from\":\"%s\",\"to\":\"%s\",\"position\":%" PRIu64
                    ",\"octets\":%" PRIu64 ",\"packets\":[%" PRIu64 ",%" PRIu64 "]",
                    connection->index, event->direction, connection->ends[event->direction],
                    connection->ends[!event->direction], event->stream_position, event->octets,
                    event->packets.first, event->packets.last);
}

/* Members, without braces. */
static void append_row(decode_line *line, const decode_problem_row *row)
{
  decode_line_print(line, "\"severity\":\"%s\",\"kind\":\"%s\",\"clause\":\"%s\"",
                    decode_severities[row->severity], row->kind, row->clause);
}

static void append_sentence(decode_line *line, const decode_event *event, decode_problem problem)
{
  append_row(line, &decode_problems[problem]);
  decode_line_text(line, ",\"text\":\"");
  decode_append_problem(line, event, problem);
  decode_line_text(line, "\"");
}

static void append_problem(decode_line *line, const decode_event *event, decode_problem problem)
{
  append_source(line, "problem", event);
  decode_line_text(line, ",");
  append_sentence(line, event, problem);
  decode_line_text(line, "}\n");
}

static void append_event(decode_line *line, const decode_event *event)
{
  const char *before = ",\"problems\":[{";

  append_source(line, decode_event_type(event), event);
  if (event->fpdu) {
    append_fpdu(line, event);
  } else if (event->frame) {
    append_frame(line, ",", event->frame);
  } else if (event->message) {
    append_message(line, event->message);
  } else {
    decode_line_print(line, ",\"kind\":\"%s\",\"text\":", decode_note_kinds[event->kind]);
    plain_text_append_json(line->text, event->text);
  }
  for (decode_problem_set left = event->problems; left != 0;) {
    decode_line_text(line, before);
    append_sentence(line, event, decode_problem_take(&left));
    before = "},{";
  }
  decode_line_text(line, event->problems != 0 ? "}]}\n" : "}\n");
}

/* --- The capture --- */

static void append_capture(decode_line *line, const decode_capture *capture)
{
  decode_line_text(line, "\"version\":");
  plain_text_append_json(line->text, capture->version);
  decode_line_text(line, ",\"file\":");
  plain_text_append_json(line->text, capture->file);
  decode_line_text(line, ",\"origin_s\":");
  decode_line_seconds(line, capture->counts->origin_ns, 0);
}

static void append_heading(decode_line *line, const decode_capture *capture)
{
  decode_line_text(line, "{\"type\":\"capture\",");
  append_capture(line, capture);
  decode_line_text(line, "}\n");
}

/* Appends where something was, without braces. */
static void append_place(decode_line *line, const char *time, int64_t time_ns, uint64_t position,
                         uint64_t packet)
{
  decode_line_print(line, "\"%s\":", time);
  decode_line_seconds(line, time_ns, 0);
  decode_line_print(line, ",\"position\":%" PRIu64 ",\"packet\":%" PRIu64, position, packet);
}

static void append_findings(decode_line *line, const decode_connection *connection,
                            const decode_direction_summary *sums)
{
  const decode_findings *found = sums->findings;
  const char *before = "{";

  decode_line_text(line, ",\"terminates\":[");
  for (uint32_t i = 0; found && i < found->terminate_count; i++) {
    const decode_terminate_sum *terminate = &found->terminates[i];
    decode_line_text(line, i > 0 ? ",{" : "{");
    append_place(line, "time_s", terminate->time_ns, terminate->position, terminate->packet);
    decode_line_text(line, ",");
    append_error(line, terminate->error, decode_generation(connection, terminate->rdmap_version));
    decode_line_text(line, "}");
  }
  decode_line_text(line, "],\"problems\":[");
  for (decode_problem problem = 0; found && problem < DECODE_PROBLEMS; problem++) {
    const decode_problem_sum *sum = &found->problems[problem];
    if (sum->count > 0) {
      decode_line_text(line, before);
      append_row(line, &decode_problems[problem]);
      decode_line_print(line, ",\"text\":\"%s\"", decode_problems[problem].sentence);
      decode_line_number(line, ",\"count\":", sum->count);
      decode_line_text(line, ",");
      append_place(line, "first_s", sum->first_ns, sum->first_position, sum->first_packet);
      decode_line_text(line, "}");
      before = ",{";
    }
  }
  decode_line_text(line, "]");
}

static void append_direction(decode_line *line, const decode_connection *connection, enum side from)
{
  const decode_direction_summary *sums = &connection->directions[from];
  const char *before = "";

  append_fields(line, "{", decode_fields_fpdu_sums, sums, ",\"opcodes\":{");
  for (unsigned opcode = 0; opcode < G_N_ELEMENTS(sums->opcodes); opcode++) {
    if (sums->opcodes[opcode] > 0) {
      decode_line_print(line, "%s\"%s\":%" PRIu64, before, decode_opcode_name((uint8_t)opcode),
                        sums->opcodes[opcode]);
      before = ",";
    }
  }
  append_fields(line, "},", decode_fields_segment_sums, sums, "");
  decode_line_print(
      line, ",\"in_full_operation\":%s,\"phase_start\":%" PRIu64 ",\"markers_on\":%s,\"crc_on\":%s",
      bool_text(sums->in_full_operation), sums->phase_start, bool_text(sums->markers), bool_text(sums->crc));
  append_findings(line, connection, sums);
  decode_line_text(line, "}");
}

static void append_connection(decode_line *line, const decode_connection *connection)
{
  const decode_startup_frame *frames[] = {connection->has_request ? &connection->request : NULL,
                                          connection->has_reply ? &connection->reply : NULL};

  decode_line_print(line, "{\"connection\":%u,\"initiator\":\"%s\",\"responder\":\"%s\",\"hinted\":%s",
                    connection->index, connection->ends[SIDE_INITIATOR], connection->ends[SIDE_RESPONDER],
                    bool_text(connection->is_hinted));
  for (enum side sender = 0; sender < SIDES; sender++) {
    decode_line_text(line, sender == SIDE_INITIATOR ? ",\"request\":" : ",\"reply\":");
    if (frames[sender]) {
      append_frame(line, "{", frames[sender]);
    }
    decode_line_text(line, frames[sender] ? "}" : "null");
  }
  decode_line_text(line, ",\"directions\":[");
  append_direction(line, connection, SIDE_INITIATOR);
  decode_line_text(line, ",");
  append_direction(line, connection, SIDE_RESPONDER);
  decode_line_text(line, "]}");
}

static void append_overview(decode_line *line, const decode_capture *capture)
{
  decode_line_text(line, "{");
  append_capture(line, capture);
  append_fields(line, ",\"capture\":{", decode_fields_counts, capture->counts, "},\"connections\":[");
  for (guint i = 0; i < capture->connections->len; i++) {
    decode_line_text(line, i > 0 ? "," : "");
    append_connection(line, capture->connections->pdata[i]);
  }
  decode_line_text(line, "]}\n");
}

const decode_format decode_json = {
    .heading = append_heading, .event = append_event, .problem = append_problem, .overview = append_overview};
