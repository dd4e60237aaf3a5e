/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_json.h"

#include <glib.h>

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

/* --- Members; each `what` ends in its colon --- */

static void append_number(decode_line *line, const char *what, uint64_t number)
{
  decode_line_text(line, what);
  decode_line_number(line, number);
}

static void append_hex(decode_line *line, const char *what, uint64_t number, unsigned int digits)
{
  decode_line_text(line, what);
  decode_line_text(line, "\"");
  decode_line_hex(line, number, digits);
  decode_line_text(line, "\"");
}

static void append_bool(decode_line *line, const char *what, bool is_true)
{
  decode_line_text(line, what);
  decode_line_text(line, is_true ? "true" : "false");
}

/* A text of our own, in which nothing must be escaped. */
static void append_word(decode_line *line, const char *what, const char *word)
{
  decode_line_text(line, what);
  decode_line_text(line, "\"");
  decode_line_text(line, word);
  decode_line_text(line, "\"");
}

static void append_octets(decode_line *line, const char *what, const uint8_t *octets, size_t length)
{
  decode_line_text(line, what);
  decode_line_text(line, "\"");
  decode_line_dump(line, octets, length, NULL);
  decode_line_text(line, "\"");
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
  append_word(line, "{\"type\":", type);
  decode_line_text(line, ",\"time_s\":");
  decode_line_seconds(line, time_ns, 0);
  append_number(line, ",\"connection\":", connection);
  append_number(line, ",\"direction\":", direction);
  append_word(line, ",\"from\":", name->ends[direction]);
  append_word(line, ",\"to\":", name->ends[!direction]);
}

static void append_place(decode_line *line, uint64_t position, uint64_t octets, uint64_t first_packet,
                         uint64_t last_packet)
{
  append_number(line, ",\"position\":", position);
  append_number(line, ",\"octets\":", octets);
  append_number(line, ",\"packets\":[", first_packet);
  append_number(line, ",", last_packet);
  decode_line_text(line, "]");
}

/* --- FPDUs --- */

static void append_markers(decode_line *line, const decode_fpdu *fpdu)
{
  decode_line_text(line, ",\"markers\":[");
  for (uint32_t i = 0; i < fpdu->marker_count; i++) {
    const decode_marker *marker = &fpdu->markers[i];

    append_number(line, i > 0 ? ",{\"position\":" : "{\"position\":", marker->stream_position);
    if (marker->is_captured) {
      append_number(line, ",\"pointer\":", marker->pointer);
      append_bool(line, ",\"right\":", marker->is_right);
      append_number(line, ",\"reserved\":", marker->reserved);
      decode_line_text(line, "}");
    } else {
      decode_line_text(line, ",\"pointer\":null,\"right\":null,\"reserved\":null}");
    }
  }
  decode_line_text(line, "]");
}

static void append_one_crc(decode_line *line, const char *what, uint32_t crc)
{
  decode_line_text(line, what);
  decode_line_crc(line, crc);
  decode_line_text(line, "\"");
}

static void append_crc(decode_line *line, const decode_fpdu *fpdu)
{
  append_word(line, ",\"crc\":", fpdu->crc < G_N_ELEMENTS(crcs) ? crcs[fpdu->crc] : "?");
  if (fpdu->crc == DECODE_CRC_RIGHT || fpdu->crc == DECODE_CRC_WRONG) {
    append_one_crc(line, ",\"crc_computed\":\"", fpdu->crc_computed);
    append_one_crc(line, ",\"crc_received\":\"", fpdu->crc_received);
  }
}

/* The members of a DDP header, without braces. */
static void append_ddp_fields(decode_line *line, const ddp_header *ddp)
{
  append_bool(line, "\"tagged\":", ddp->tagged);
  append_bool(line, ",\"last\":", ddp->last);
  append_number(line, ",\"version\":", ddp->version);
  if (ddp->tagged) {
    append_hex(line, ",\"stag\":", ddp->stag, 8);
    append_hex(line, ",\"tagged_offset\":", ddp->tagged_offset, 16);
  } else {
    append_number(line, ",\"queue_number\":", ddp->queue_number);
    append_number(line, ",\"msn\":", ddp->msn);
    append_number(line, ",\"message_offset\":", ddp->message_offset);
    append_hex(line, ",\"ulp_word\":", ddp->ulp_word, 8);
  }
}

static void append_opcode(decode_line *line, const rdmap_opcode_rules *rules, uint8_t opcode)
{
  append_number(line, ",\"opcode\":", opcode);
  if (rules) {
    append_word(line, ",\"name\":", rules->name);
  } else {
    decode_line_text(line, ",\"name\":\"reserved ");
    decode_line_hex(line, opcode, 1);
    decode_line_text(line, "\"");
  }
}

static void append_read_request(decode_line *line, const rdmap_read_request *request)
{
  append_hex(line, ",\"read_request\":{\"sink_stag\":", request->sink_stag, 8);
  append_hex(line, ",\"sink_offset\":", request->sink_offset, 16);
  append_number(line, ",\"length\":", request->length);
  append_hex(line, ",\"source_stag\":", request->source_stag, 8);
  append_hex(line, ",\"source_offset\":", request->source_offset, 16);
  decode_line_text(line, "}");
}

static void append_terminate(decode_line *line, const decode_fpdu *fpdu, iwarp_generation generation)
{
  const rdmap_terminate *terminate = &fpdu->terminate;

  append_number(line, ",\"terminate\":{\"layer\":", terminate->error.layer);
  append_number(line, ",\"type\":", terminate->error.type);
  append_number(line, ",\"code\":", terminate->error.code);
  append_word(line, ",\"text\":", rdmap_error_text(terminate->error, generation));
  append_octets(line, ",\"wire\":", fpdu->terminate_octets, fpdu->payload_octets);
  if (terminate->has_segment) {
    append_number(line, ",\"segment_octets\":", terminate->segment_octets);
    decode_line_text(line, ",\"ddp\":{");
    append_ddp_fields(line, &terminate->header);
    decode_line_text(line, "}");
  }
  if (terminate->has_request) {
    append_read_request(line, &terminate->request);
  }
  decode_line_text(line, "}");
}

static void append_ulpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  append_number(line, ",\"ulpdu_octets\":", fpdu->ulpdu_octets);
  if (!fpdu->has_ddp) {
    decode_line_text(line, ",\"ddp\":null");
    return;
  }
  decode_line_text(line, ",\"ddp\":{");
  append_ddp_fields(line, &fpdu->ddp);
  append_hex(line, ",\"control\":", fpdu->ddp_control, 2);
  append_number(line, "},\"payload_octets\":", fpdu->payload_octets);
  append_number(line, ",\"rdmap\":{\"version\":", fpdu->rdmap_version);
  append_opcode(line, fpdu->opcode, fpdu->rdmap_opcode);
  append_hex(line, ",\"control\":", fpdu->ddp.ulp_control, 2);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    append_hex(line, ",\"invalidate_stag\":", fpdu->ddp.ulp_word, 8);
  }
  if (fpdu->has_read_request) {
    append_read_request(line, &fpdu->read_request);
  }
  if (fpdu->has_terminate) {
    append_terminate(line, fpdu, decode_name_generation(name, fpdu->rdmap_version));
  }
  decode_line_text(line, "}");
}

void decode_json_fpdu(decode_line *line, const decode_name *name, const decode_fpdu *fpdu)
{
  append_source(line, "fpdu", name, fpdu->time_ns, fpdu->connection, fpdu->direction);
  append_place(line, fpdu->stream_position, fpdu->fpdu_octets, fpdu->first_packet, fpdu->last_packet);
  append_number(line, ",\"packet_count\":", fpdu->packets);
  append_number(line, ",\"phase_offset\":", fpdu->phase_offset);
  append_word(line, ",\"located_by\":", fpdu->located_by < MPA_LOCATIONS ? locations[fpdu->located_by] : "?");
  append_bool(line, ",\"after_error\":", fpdu->after_error);
  append_crc(line, fpdu);
  append_markers(line, fpdu);
  append_ulpdu(line, name, fpdu);
  end_object(line);
}

/* --- Startup frames --- */

static void append_enhanced(decode_line *line, const decode_enhanced_setup *enhanced)
{
  append_bool(line, ",\"enhanced\":{\"peer_to_peer\":", enhanced->peer_to_peer);
  append_bool(line, ",\"zero_length_send\":", enhanced->ready_to_receive_zero_length_send);
  append_number(line, ",\"ird\":", enhanced->ird);
  append_bool(line, ",\"zero_length_write\":", enhanced->ready_to_receive_zero_length_write);
  append_bool(line, ",\"zero_length_read\":", enhanced->ready_to_receive_zero_length_read);
  append_number(line, ",\"ord\":", enhanced->ord);
  decode_line_text(line, "}");
}

void decode_json_startup_fields(decode_line *line, const decode_startup_frame *frame)
{
  append_number(line, "\"revision\":", frame->revision);
  append_bool(line, ",\"markers\":", frame->markers);
  append_bool(line, ",\"crc\":", frame->crc);
  append_bool(line, ",\"rejected\":", frame->rejected);
  append_bool(line, ",\"enhanced_flag\":", frame->enhanced_flag);
  append_number(line, ",\"reserved\":", frame->reserved);
  append_number(line, ",\"private_data_octets\":", frame->private_data_octets);
  append_octets(line, ",\"private_data\":", frame->private_data,
                frame->private_data ? frame->private_data_read : 0);
  if (frame->has_enhanced) {
    append_enhanced(line, &frame->enhanced);
  }
}

void decode_json_startup(decode_line *line, const decode_name *name, const decode_startup_event *event)
{
  append_source(line, event->frame->is_reply ? "reply" : "request", name, event->time_ns, event->connection,
                event->direction);
  append_place(line, event->stream_position, event->frame->frame_octets, event->first_packet,
               event->last_packet);
  decode_line_text(line, ",");
  decode_json_startup_fields(line, event->frame);
  end_object(line);
}

/* --- Notes, heading --- */

void decode_json_note(decode_line *line, const decode_name *name, const decode_note *note)
{
  append_source(line, "note", name, note->time_ns, note->connection, note->direction);
  append_place(line, note->stream_position, note->octets, note->packet, note->packet);
  append_word(line, ",\"kind\":", note->kind < G_N_ELEMENTS(notes) ? notes[note->kind] : "?");
  decode_line_text(line, ",\"text\":");
  decode_line_json(line, note->text);
  end_object(line);
}

void decode_json_heading(decode_line *line, const char *version, const char *file, int64_t origin_ns)
{
  append_word(line, "{\"type\":", "capture");
  decode_line_text(line, ",\"version\":");
  decode_line_json(line, version);
  decode_line_text(line, ",\"file\":");
  decode_line_json(line, file);
  decode_line_text(line, ",\"origin_s\":");
  decode_line_seconds(line, origin_ns, 0);
  end_object(line);
}
