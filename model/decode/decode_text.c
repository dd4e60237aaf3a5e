/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "decode/decode_format.h"
#include "decode/decode_startup.h"

/* Parts of a line start at these columns: counted from the line's start, and from the end of the names of the
 * ends. */
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
  DUMP_COLUMN = NAME_COLUMN + 18,
  DUMP_LINE_OCTETS = 16,
  DUMP_MAX_OCTETS = 256,
};

static void append_field(decode_line *line, const decode_field *field, const void *of)
{
  uint64_t value = decode_field_value(field, of);

  if (!field->text || (field->kind == DECODE_FIELD_SECONDS && (int64_t)value == DECODE_TIME_NONE)) {
    return;
  }
  if (field->kind == DECODE_FIELD_HEX || field->kind == DECODE_FIELD_HEX_TEXT) {
    decode_line_hex(line, field->text, value, field->octets);
  } else if (field->kind == DECODE_FIELD_SECONDS) {
    decode_line_text(line, field->text);
    decode_line_seconds(line, (int64_t)value, 0);
  } else {
    decode_line_number(line, field->text, value);
  }
}

static void append_fields(decode_line *line, const decode_field *field, const void *of)
{
  for (; field->member; field++) {
    append_field(line, field, of);
  }
}

/* --- FPDUs --- */

static void append_extension(decode_line *line, const decode_extension *extension)
{
  if (extension->kind == DECODE_ATOMIC_REQUEST) {
    decode_line_print(line, " %s", decode_atomic_name(&extension->atomic));
  }
  if (extension->kind != DECODE_NO_EXTENSION) {
    append_fields(line, decode_fields_of_extension[extension->kind], extension);
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
  if ((fpdu->ddp_control & DECODE_DDP_RESERVED_BITS) != 0) {
    decode_line_print(line, " DDP Control=0x%02X", fpdu->ddp_control);
  }
  if ((ddp->ulp_control & DECODE_RDMAP_RESERVED_BITS) != 0) {
    decode_line_print(line, " RDMAP Control=0x%02X", ddp->ulp_control);
  }
}

static void append_error(decode_line *line, const char *before, rdmap_error error,
                         iwarp_generation generation)
{
  static const char *const layers[] = {
      [RDMAP_LAYER_RDMA] = " (RDMA)", [RDMAP_LAYER_DDP] = " (DDP)", [RDMAP_LAYER_LLP] = " (LLP)"};

  decode_line_print(line, "%s Layer=%u%s EType=%u Error Code=0x%02X: %s", before, error.layer,
                    error.layer < G_N_ELEMENTS(layers) ? layers[error.layer] : "", error.type, error.code,
                    rdmap_error_text(error, generation));
}

static void append_ulpdu(decode_line *line, const decode_connection *connection, const decode_fpdu *fpdu)
{
  const rdmap_terminate *terminate = &fpdu->terminate;

  if (!fpdu->has_ddp) {
    decode_line_print(line, "no DDP header, ULPDU_Length=%u", fpdu->ulpdu_octets);
    return;
  }
  decode_line_text(line, decode_opcode_name(fpdu->rdmap_opcode));
  append_fields(line, decode_fields_of(&fpdu->ddp), &fpdu->ddp);
  if (fpdu->opcode && fpdu->opcode->invalidates) {
    decode_line_print(line, " Invalidate STag=0x%08X", fpdu->ddp.ulp_word);
  }
  decode_line_number(line, " payload=", fpdu->payload_octets);
  append_oddities(line, fpdu);
  if (fpdu->has_read_request) {
    append_fields(line, decode_fields_read_request, &fpdu->read_request);
  }
  append_extension(line, &fpdu->extension);
  if (fpdu->has_terminate) {
    append_error(line, "", terminate->error, decode_generation(connection, fpdu->rdmap_version));
  }
  if (fpdu->has_terminate && terminate->has_segment) {
    decode_line_print(line, "; of: DDP Segment Length=%u %s", terminate->segment_octets,
                      decode_opcode_name(rdmap_control_opcode(terminate->header.ulp_control)));
    append_fields(line, decode_fields_of(&terminate->header), &terminate->header);
  }
  if (fpdu->has_terminate && terminate->has_request) {
    append_fields(line, decode_fields_read_request, &terminate->request);
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

    decode_line_number(line, " ", marker->stream_position);
    if (!marker->is_captured) {
      decode_line_text(line, ":?");
      continue;
    }
    decode_line_number(line, ":", marker->pointer);
    decode_line_text(line, marker->is_right ? "" : "(WRONG)");
    if (marker->reserved != 0) {
      decode_line_print(line, "(reserved 0x%04X)", marker->reserved);
    }
  }
}

/* --- Messages --- */

static void append_message(decode_line *line, const decode_message *message)
{
  decode_line_text(line, decode_opcode_name(message->opcode));
  append_fields(line, decode_fields_of(&message->ddp), &message->ddp);
  append_fields(line, decode_fields_message, message);
  if (message->is_request) {
    append_fields(line, decode_fields_read_request, &message->request);
  }
  append_extension(line, &message->extension);
  if (message->is_answer) {
    append_fields(line, decode_fields_answer, message);
  }
  decode_line_text(line, message->is_complete ? "" : ", INCOMPLETE");
  decode_line_text(line, message->has_start ? "" : ", start unknown");
  decode_line_text(line, message->ddp.last ? "" : ", no end");
  for (uint32_t i = 0; i < message->gap_count; i++) {
    decode_line_text(line, i > 0 ? " " : ", missing ");
    decode_line_print(line, "%" PRIu64 "-%" PRIu64, message->gaps[i].from, message->gaps[i].to);
  }
  decode_line_text(line, message->gap_count < DECODE_GAPS_MAX ? "" : " …");
}

/* --- Startup frames --- */

/* Appends what the Private Data are taken for. */
static void append_private_kind(decode_line *line, const decode_startup_frame *frame)
{
  const decode_private data = decode_private_of(frame);

  if (data.kind == DECODE_PRIVATE_LEGACY) {
    decode_line_print(line, ", Private Data as legacy setup: IRD=%u ORD=%u", data.ird, data.ord);
  } else if (data.kind == DECODE_PRIVATE_RPC_OVER_RDMA) {
    decode_line_print(line, ", Private Data of RPC-over-RDMA: Version=%u R=%d Send Size=%u Receive Size=%u",
                      data.version, data.remote_invalidation, data.send_octets, data.receive_octets);
  }
}

/* Appends " M=1 C=1 R=0 …": all but its Private Data. Below Revision 2 the S bit is one of the reserved
 * ones. */
static void append_startup_fields(decode_line *line, const decode_startup_frame *frame)
{
  for (const decode_field *field = decode_fields_startup; field->member; field++) {
    if (frame->revision >= 2 || field->offset != offsetof(decode_startup_frame, enhanced_flag)) {
      append_field(line, field, frame);
    }
  }
  if (frame->has_enhanced) {
    const mpa_enhanced *enhanced = &frame->enhanced; /* RFC 6581 §9 */
    decode_line_print(line, ", enhanced setup: IRD=%u ORD=%u A=%d B=%d C=%d D=%d", enhanced->ird,
                      enhanced->ord, enhanced->peer_to_peer, decode_has_rtr(enhanced, MPA_RTR_SEND),
                      decode_has_rtr(enhanced, MPA_RTR_WRITE), decode_has_rtr(enhanced, MPA_RTR_READ));
  }
  append_private_kind(line, frame);
}

/* Begins another line, of Private Data. */
static void begin_private_data(decode_line *line)
{
  decode_line_text(line, "\n");
  decode_line_column(line, NAME_COLUMN);
  decode_line_text(line, "Private Data");
}

/* Appends " Private Data 0 48 65 6C … |Hel…|". */
static void append_private_data(decode_line *line, const decode_startup_frame *frame)
{
  const uint8_t *octets = frame->private_data;
  const size_t length = octets ? frame->private_data_read : 0, shown = MIN(length, (size_t)DUMP_MAX_OCTETS);

  for (size_t at = 0; at < shown; at += DUMP_LINE_OCTETS) {
    size_t count = MIN((size_t)DUMP_LINE_OCTETS, shown - at);
    char letters[DUMP_LINE_OCTETS + 1] = "";

    for (size_t i = 0; i < count; i++) {
      letters[i] = g_ascii_isprint(octets[at + i]) ? (char)octets[at + i] : '.';
    }
    begin_private_data(line);
    decode_line_number(line, " ", at);
    decode_line_column(line, DUMP_COLUMN);
    decode_line_dump(line, octets + at, count, " ");
    decode_line_column(line, DUMP_COLUMN + 3 * DUMP_LINE_OCTETS + 1);
    decode_line_print(line, "|%s|", letters);
  }
  if (shown < length) {
    begin_private_data(line);
    decode_line_print(line, ": %" PRIu64 " %s more", (uint64_t)(length - shown),
                      units_counted((double)(length - shown), "octets"));
  }
  if (frame->private_data_read < frame->private_data_octets) {
    begin_private_data(line);
    const int missing = frame->private_data_octets - frame->private_data_read;
    decode_line_print(line, ": %d %s not captured", missing, units_counted(missing, "octets"));
  }
}

/* --- Events --- */

/* Appends what every line starts with, up to the column of what follows the packets. Returns the column that
 * follows the names of the ends. */
static size_t append_source(decode_line *line, const decode_event *event)
{
  const char *from = event->connection->ends[event->direction];
  const char *to = event->connection->ends[!event->direction];
  size_t after_name = NAME_COLUMN + decode_line_widest(line, strlen(from) + strlen(" > ") + strlen(to));

  decode_line_time(line, event->time_ns, TIME_WIDTH);
  decode_line_number(line, " ", event->connection->index);
  decode_line_column(line, NAME_COLUMN);
  decode_line_text(line, from);
  decode_line_text(line, " > ");
  decode_line_text(line, to);
  decode_line_column(line, after_name + POSITION_COLUMN);
  decode_line_number(line, "", event->stream_position);
  decode_line_column(line, after_name + OCTETS_COLUMN);
  decode_line_number(line, "", event->octets);
  decode_line_column(line, after_name + PACKETS_COLUMN);
  decode_line_number(line, "", event->packets.first);
  if (event->packets.last > event->packets.first) {
    decode_line_number(line, "-", event->packets.last);
  }
  decode_line_column(line, after_name + LOCATED_COLUMN);
  return after_name;
}

/* Appends "error: PAD is not 0: 0x01 (RFC 5044 §4.1)". */
static void append_sentence(decode_line *line, const decode_event *event, decode_problem problem)
{
  const decode_problem_row *row = &decode_problems[problem];

  decode_line_print(line, "%s: ", decode_severities[row->severity]);
  decode_append_problem(line, event, problem);
  decode_line_print(line, " (%s)", row->clause);
}

/* Appends what is wrong with `event`, each after `before`; false when there is nothing. Other notes are the
 * line itself. */
static bool append_problems(decode_line *line, const decode_event *event, const char *before)
{
  bool has_any = false;

  for (decode_problem_set left = event->problems; left != 0;) {
    const decode_problem problem = decode_problem_take(&left);
    if (decode_problems[problem].severity != DECODE_NOTE || problem == DECODE_PROBLEM_CRC_REFUSED) {
      decode_line_text(line, before);
      append_sentence(line, event, problem);
      has_any = true;
    }
  }
  return has_any;
}

static void append_problem(decode_line *line, const decode_event *event, decode_problem problem)
{
  append_source(line, event);
  append_sentence(line, event, problem);
  decode_line_text(line, "\n");
}

static void append_event(decode_line *line, const decode_event *event)
{
  size_t after_name = append_source(line, event);
  const decode_fpdu *fpdu = event->fpdu;
  const decode_startup_frame *frame = event->frame;

  if (fpdu) {
    decode_line_text(line, mpa_location_names[fpdu->located_by]);
    decode_line_column(line, after_name + CRC_COLUMN);
    decode_line_text(line, decode_crcs[fpdu->crc].text);
    if (fpdu->crc == DECODE_CRC_WRONG) {
      decode_line_print(line, ": computed 0x%08X, received 0x%08X", fpdu->crc_computed, fpdu->crc_received);
    }
    decode_line_column(line, after_name + CONTENT_COLUMN);
    decode_line_text(line, fpdu->after_error ? "after error: " : "");
    append_ulpdu(line, event->connection, fpdu);
    append_markers(line, fpdu);
    append_problems(line, event, "; ");
  } else if (frame) {
    decode_line_text(line, frame->is_reply ? "MPA Reply Frame:" : "MPA Request Frame:");
    append_startup_fields(line, frame);
    append_private_data(line, frame);
  } else if (event->message) {
    append_message(line, event->message);
    append_problems(line, event, "; ");
  } else if (!append_problems(line, event, "")) {
    decode_line_print(line, "note: %s", event->text);
  }
  decode_line_text(line, "\n");
}

/* --- The capture --- */

static void append_heading(decode_line *line, const decode_capture *capture)
{
  static const char *const times[] = {"time_s", "time_utc", "delta_s"};
  g_autofree char *file = plain_text(capture->file, -1, "");

  line->clock = capture->clock;
  line->origin_ns = capture->counts->origin_ns;
  line->decimals = capture->counts->decimals;
  decode_line_print(line, "# iwarpsim %s, decode %s", capture->version, file);
  if (capture->counts->origin_ns > 0) {
    decode_line_text(line, ", time 0 is ");
    decode_line_utc(line, capture->counts->origin_ns, 9);
  }
  decode_line_print(line, "\n# %s, connection, from > to, stream position, octets, packets, %s\n",
                    times[capture->clock],
                    capture->of_problems    ? "problem"
                    : capture->has_messages ? "message, times"
                                            : "located by, CRC, content, markers (position:FPDUPTR)");
}

static void append_row(decode_line *line, const char *label, bool is_always, uint64_t forward,
                       uint64_t reverse)
{
  if (is_always || forward > 0 || reverse > 0) {
    decode_line_print(line, "  %s", label);
    decode_line_column(line, VALUE_COLUMN);
    decode_line_print(line, "%*" PRIu64 "%*" PRIu64 "\n", VALUE_WIDTH, forward, VALUE_WIDTH, reverse);
  }
}

static void append_sums(decode_line *line, const decode_field *sum, const decode_direction_summary *of)
{
  for (; sum->member; sum++) {
    append_row(line, sum->text, sum->is_always, decode_field_value(sum, &of[SIDE_INITIATOR]),
               decode_field_value(sum, &of[SIDE_RESPONDER]));
  }
}

static void append_frame(decode_line *line, const char *name, bool is_there,
                         const decode_startup_frame *frame)
{
  decode_line_print(line, "  MPA %s Frame:%s", name, is_there ? "" : " not captured");
  if (is_there) {
    append_startup_fields(line, frame);
  }
  decode_line_text(line, "\n");
}

/* Appends the kind where the startup frames do not show it. */
static void append_kind(decode_line *line, const char *to, const decode_direction_summary *sums)
{
  if (sums->in_full_operation) {
    decode_line_print(line, "  taken to the %s: markers %s, CRC %s\n", to, sums->markers ? "on" : "off",
                      sums->crc ? "on" : "off");
  }
}

static void append_place(decode_line *line, const char *before, int64_t time_ns, uint64_t position,
                         uint64_t packet)
{
  decode_line_print(line, "%sstream position %" PRIu64 ", packet %" PRIu64 ", ", before, position, packet);
  decode_line_seconds(line, time_ns, 0);
  decode_line_text(line, " s");
}

/* Appends a direction's Terminates and problems. */
static void append_findings(decode_line *line, const decode_connection *connection, enum side from)
{
  const decode_findings *found = connection->directions[from].findings;
  const char *to = from == SIDE_INITIATOR ? "Responder" : "Initiator";

  for (uint32_t i = 0; found && i < found->terminate_count; i++) {
    const decode_terminate_sum *terminate = &found->terminates[i];
    decode_line_print(line, "  Terminate by the %s", from == SIDE_INITIATOR ? "Initiator" : "Responder");
    append_place(line, ", ", terminate->time_ns, terminate->position, terminate->packet);
    append_error(line, ":", terminate->error, decode_generation(connection, terminate->rdmap_version));
    decode_line_text(line, "\n");
  }
  for (decode_problem problem = 0; found && problem < DECODE_PROBLEMS; problem++) {
    const decode_problem_sum *sum = &found->problems[problem];
    const decode_problem_row *row = &decode_problems[problem];
    if (sum->count > 0) {
      decode_line_print(line, "  %s to the %s, %" PRIu64 " %s: %s (%s)", decode_severities[row->severity], to,
                        sum->count, units_counted(sum->count, "times"), row->sentence, row->clause);
      append_place(line, ", first at ", sum->first_ns, sum->first_position, sum->first_packet);
      decode_line_text(line, "\n");
    }
  }
}

static void append_connection(decode_line *line, const decode_connection *connection)
{
  const decode_direction_summary *sums = connection->directions;

  decode_line_print(line, "\nconnection %u: Initiator %s, Responder %s\n", connection->index,
                    connection->ends[SIDE_INITIATOR], connection->ends[SIDE_RESPONDER]);
  append_frame(line, "Request", connection->has_request, &connection->request);
  append_frame(line, "Reply", connection->has_reply, &connection->reply);
  if (!connection->has_request || !connection->has_reply) {
    append_kind(line, "Responder", &sums[SIDE_INITIATOR]);
    append_kind(line, "Initiator", &sums[SIDE_RESPONDER]);
  }
  decode_line_column(line, VALUE_COLUMN + 4);
  decode_line_text(line, "to the Responder    to the Initiator\n");
  append_sums(line, decode_fields_fpdu_sums, sums);
  for (unsigned opcode = 0; opcode < G_N_ELEMENTS(sums->opcodes); opcode++) {
    append_row(line, decode_opcode_name((uint8_t)opcode), false, sums[SIDE_INITIATOR].opcodes[opcode],
               sums[SIDE_RESPONDER].opcodes[opcode]);
  }
  append_sums(line, decode_fields_segment_sums, sums);
  append_findings(line, connection, SIDE_INITIATOR);
  append_findings(line, connection, SIDE_RESPONDER);
}

static void append_overview(decode_line *line, const decode_capture *capture)
{
  guint speakers = capture->connections->len;
  g_autofree char *file = plain_text(capture->file, -1, "");

  decode_line_print(line, "# iwarpsim %s, decode --summary %s\n%" PRIu64 " %s", capture->version, file,
                    capture->counts->packets, units_counted(capture->counts->packets, "packets"));
  for (const decode_field *field = decode_fields_counts; field->member; field++) {
    uint64_t count = decode_field_value(field, capture->counts);
    if (field->text && count > 0) {
      decode_line_print(line, ", %" PRIu64 "%s", count, field->text);
    }
  }
  decode_line_print(line, "\n%u TCP %s, %u %s MPA\n", capture->counts->flows,
                    units_counted(capture->counts->flows, "connections"), speakers,
                    speakers == 1 ? "speaks" : "speak");
  for (guint i = 0; i < speakers; i++) {
    append_connection(line, capture->connections->pdata[i]);
  }
}

const decode_format decode_text = {
    .heading = append_heading, .event = append_event, .problem = append_problem, .overview = append_overview};
