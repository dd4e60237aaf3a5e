/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_direction.h"

#include <string.h>

#include "decode/decode_reads.h"
#include "decode/decode_scanner.h"
#include "decode/decode_startup.h"
#include "decode/decode_stream.h"
#include "net/capture_stream.h"
#include "net/tcp_header.h"

/* The value that replaces octets that were on the wire and not captured: two such octets cannot be a
 * ULPDU_Length. A marker made of them points to no FPDU, or the scanner finds that it does not. */
enum { NOT_CAPTURED_OCTET = 0xFF };

#define NS_PER_SECOND 1e9

/* Octets of TCP's stream have positions, those of the FPDU phase offsets. */
struct decode_direction {
  const decode_tools *tools;
  decode_connection *connection;
  enum side from;
  decode_direction *const *peer;
  decode_direction_start start;
  decode_direction_summary *summary;
  capture_stream *stream;
  decode_scanner *scanner; /* NULL without an FPDU phase, and when no FPDU can be located any more */
  decode_packets packets;  /* of octets from the in-order edge on */
  decode_alignment alignment;
  decode_sequence sequence;
  range_set reported;    /* offsets of the FPDUs that were reported */
  uint64_t first;        /* lowest position that came */
  int64_t first_end;     /* of its first FPDU; before that is known, of the startup frame and one octet */
  uint64_t ignored_to;   /* octets below this offset are not for the scanner */
  uint64_t chain_end;    /* the offset after the last FPDU that the chain located */
  bool is_unproven;      /* its length was followed unproven, or that of one before */
  range after_error;     /* FPDUs after one with an error, which follow each other … */
  uint64_t after_errors; /* … so many */
  decode_reads *reads;   /* of Requests that it sends, and their Responses; NULL: there is none */
  uint64_t acknowledged; /* the highest position that a Response acknowledges */
  bool has_fin;
  bool is_stuck;   /* the scanner has met an impossible ULPDU_Length */
  int64_t time_ns; /* of the present segment; finally, of the end */
  uint64_t packet;
  bool has_acknowledgement;
  uint32_t acknowledgement; /* the last that came */
  uint64_t cut_at; /* offset after its octets that were captured, when there are others; UINT64_MAX */
  range withheld;  /* offsets of the last of them: see take_octets(); empty: none */
  const uint8_t *withheld_octets;
};

static uint64_t offset_of(const decode_direction *direction, uint64_t position)
{
  return position - direction->start.phase_start + direction->start.phase_offset;
}

static uint64_t position_of(const decode_direction *direction, uint64_t offset)
{
  return offset - direction->start.phase_offset + direction->start.phase_start;
}

static void report(const decode_direction *direction, decode_event event)
{
  event.direction = direction->from;
  event.time_ns = direction->time_ns;
  decode_report(direction->tools, direction->connection, &event);
}

/* Adds a note. A `text` of NULL stands for that of the only one of `problems`. */
static void note(const decode_direction *direction, decode_event_kind kind, uint64_t position,
                 uint64_t octets, decode_problem_set problems, const char *text)
{
  report(direction, (decode_event){.kind = kind,
                                   .packets = {direction->packet, direction->packet, 1},
                                   .stream_position = position,
                                   .octets = octets,
                                   .problems = problems,
                                   .text = text});
}

/* --- FPDUs --- */

/* Does `fpdu` come after an FPDU with an error whose length was followed? What a marker has located is
 * proven, and so is what follows that. */
static bool is_after_error(decode_direction *direction, const decode_fpdu *fpdu, uint64_t end)
{
  if (fpdu->located_by != MPA_LOCATED_BY_CHAIN) {
    return false;
  }
  bool after_error = direction->is_unproven && direction->chain_end == fpdu->phase_offset;
  bool is_wrong =
      fpdu->crc == DECODE_CRC_WRONG || (fpdu->crc == DECODE_CRC_UNUSED && fpdu->wrong_markers > 0);
  direction->is_unproven = after_error || is_wrong;
  direction->chain_end = end;
  return after_error;
}

static void count(decode_direction_summary *summary, const decode_fpdu *fpdu, uint64_t octets)
{
  summary->fpdus++;
  summary->fpdu_octets += octets;
  summary->located_by[fpdu->located_by]++;
  summary->marker_count += fpdu->marker_count;
  summary->wrong_markers += fpdu->wrong_markers;
  summary->crc_right += fpdu->crc == DECODE_CRC_RIGHT;
  summary->crc_bad += fpdu->crc == DECODE_CRC_WRONG;
  summary->after_error += fpdu->after_error;
  if (fpdu->has_ddp) {
    summary->opcodes[fpdu->rdmap_opcode]++;
    summary->payload_octets += fpdu->payload_octets;
    summary->tagged_payload_octets += fpdu->ddp.tagged ? fpdu->payload_octets : 0;
  } else {
    summary->no_ddp++;
  }
}

/* Returns whether each octet that this direction has brought so far is in an FPDU whose CRC is right, or in
 * the last one, which goes on and has a length that can be. */
static bool is_all_right(const decode_direction *direction)
{
  const range_set *reported = &direction->reported;
  uint64_t end = offset_of(direction, capture_stream_end(direction->stream)), start;

  if (!direction->scanner || range_set_count(reported) != 1 ||
      direction->summary->crc_right != direction->summary->fpdus ||
      range_set_get(reported, 0).from != direction->start.phase_offset) {
    return false;
  }
  uint64_t to = range_set_get(reported, 0).to;
  if (to == end) {
    return true;
  }
  const mpa_pending_fpdu *open = mpa_pending_fpdus_find(&direction->scanner->locator.reassembly->pending, to);
  return decode_scanner_unfinished(direction->scanner, end, &start) > 0 && start == to &&
         !(open && open->located && mpa_length_is_long(open->fpdu.ulpdu_octets));
}

/* Returns up to which position of `peer`, which has sent, this end had got octets when it sent the present
 * segment: it acknowledges all that came in order. INT64_MAX: that is not known. */
static int64_t heard_to(const decode_direction *direction, const decode_direction *peer)
{
  const int64_t heard = capture_stream_position(peer->stream, direction->acknowledgement);

  return direction->has_acknowledgement && heard >= 0 ? heard : INT64_MAX;
}

/* Returns whether the octets below position `to` are there, and no FPDU is whole or cannot be. */
static bool has_part_only(const decode_direction *direction, int64_t to)
{
  return direction->summary->fpdus == 0 && direction->scanner && !direction->is_stuck &&
         to <= (int64_t)capture_stream_in_order_edge(direction->stream);
}

/* Returns what is wrong with the first FPDU of its direction, as startup has it. */
static decode_problem_set check_first(const decode_direction *direction, const decode_fpdu *fpdu)
{
  const decode_connection *connection = direction->connection;
  const decode_direction *peer = *direction->peer;
  const decode_problem_set found = decode_check_first(connection, direction->from, fpdu);

  if (!connection->has_request || !connection->has_reply || !peer) {
    return found;
  }
  const int64_t heard = heard_to(direction, peer);
  if (direction->from == SIDE_INITIATOR) {
    return found | decode_problem_when(heard < (int64_t)peer->start.phase_start, DECODE_PROBLEM_EARLY);
  }
  /* An FPDU beyond a hole, which markers locate, may have come to it and be valid: that is not acknowledged.
   */
  const int64_t end_of_first =
      peer->summary->fpdus == 0 ? (int64_t)capture_stream_in_order_edge(peer->stream) : peer->first_end;
  const bool may_have_later = peer->start.markers && (int64_t)capture_stream_end(peer->stream) > end_of_first;
  const bool is_first = !may_have_later && (heard < peer->first_end || has_part_only(peer, heard));
  return found | decode_problem_when(is_first, DECODE_PROBLEM_RESPONDER_FIRST);
}

/* Returns what is wrong with `fpdu` because of what came before it, in both directions. */
static decode_problem_set check_history(decode_direction *direction, decode_fpdu *fpdu,
                                        const decode_event *event)
{
  const rdmap_error *meant = &fpdu->meant;
  decode_findings *findings = direction->summary->findings;
  decode_problem_set found =
      decode_sequence_check(&direction->sequence, fpdu, event->fpdu->phase_offset + event->octets);

  if (fpdu->phase_offset == direction->start.phase_offset) {
    direction->first_end = (int64_t)(event->stream_position + event->octets);
    found |= check_first(direction, fpdu);
  }
  if (findings && findings->terminate_count > 0 &&
      findings->terminates[0].position < event->stream_position) {
    found |= DECODE_PROBLEM_BIT(AFTER_TERMINATE);
  }
  if (fpdu->has_terminate && fpdu->crc != DECODE_CRC_WRONG) {
    bool is_refusal =
        meant->layer == RDMAP_LAYER_LLP && meant->type == 0 && meant->code == (uint8_t)MPA_ERROR_CRC;
    if (is_refusal && *direction->peer && is_all_right(*direction->peer)) {
      found |= DECODE_PROBLEM_BIT(CRC_REFUSED);
    }
    findings = decode_findings_of(direction->summary);
    if (findings->terminate_count < DECODE_TERMINATES_MAX) {
      findings->terminates[findings->terminate_count++] =
          (decode_terminate_sum){.rdmap_version = fpdu->rdmap_version,
                                 .error = *meant,
                                 .time_ns = direction->time_ns,
                                 .position = event->stream_position,
                                 .packet = event->packets.first};
    }
  }
  return found;
}

/* Takes a Read or Atomic Request or Response, whose CRC is not wrong. */
static void take_read(decode_direction *direction, const decode_event *event)
{
  const bool is_request = rdmap_is_request(event->fpdu->rdmap_opcode);
  decode_direction *of = is_request ? direction : *direction->peer;

  if (!of) {
    return; /* nothing is known of that end */
  }
  of->reads = of->reads ? of->reads : decode_reads_new();
  if (is_request) {
    /* what it had got of Responses by then, it has acknowledged, and all of that must have been decoded */
    const decode_direction *peer = *direction->peer;
    const bool is_current =
        peer && heard_to(direction, peer) <= (int64_t)capture_stream_in_order_edge(peer->stream);
    decode_reads_request(of->reads, event,
                         is_current ? decode_agreed_reads(direction->connection, direction->from)
                                    : UINT32_MAX);
    return;
  }
  const int64_t acknowledged = capture_stream_position(of->stream, direction->acknowledgement);
  of->acknowledged = MAX(of->acknowledged, (uint64_t)MAX(acknowledged, 0));
  const int64_t heard = heard_to(direction, of);
  decode_reads_response(of->reads, event,
                        heard == INT64_MAX || heard <= (int64_t)capture_stream_in_order_edge(of->stream) + 1);
}

/* FPDUs after one with an error are one note: those that were counted, when no more follow. */
static void note_after_error(decode_direction *direction)
{
  const range octets = direction->after_error;
  g_autofree char *text =
      direction->after_errors < 2
          ? NULL
          : g_strdup_printf(
                "%" G_GUINT64_FORMAT
                " FPDUs, one after the other, were found by the unproven length of one with an error",
                direction->after_errors);

  if (direction->after_errors > 0) {
    note(direction, DECODE_NOTE_AFTER_ERROR, position_of(direction, octets.from), octets.to - octets.from,
         DECODE_PROBLEM_BIT(AFTER_ERROR), text);
    direction->after_errors = 0;
  }
}

static void take_fpdu(void *user, const mpa_complete_fpdu *framed, mpa_error error)
{
  decode_direction *direction = user;
  uint64_t start = framed->extent.start;
  uint64_t end = framed->extent.end;
  decode_fpdu fpdu;
  decode_event event = {.kind = DECODE_FPDU,
                        .packets = decode_packets_of(&direction->packets, start, end),
                        .stream_position = position_of(direction, start),
                        .octets = end - start,
                        .fpdu = &fpdu};

  decode_fpdu_read(&fpdu, direction->scanner, framed, error, event.stream_position);
  fpdu.after_error = is_after_error(direction, &fpdu, end);
  if (fpdu.after_error != (start == direction->after_error.to)) {
    note_after_error(direction);
  }
  if (fpdu.after_error) {
    direction->after_error =
        (range){direction->after_errors++ > 0 ? direction->after_error.from : start, end};
  }
  event.problems = decode_check_fpdu(&fpdu, direction->connection);
  event.problems |= check_history(direction, &fpdu, &event);
  if (fpdu.has_ddp && fpdu.crc != DECODE_CRC_WRONG &&
      (rdmap_is_request(fpdu.rdmap_opcode) || rdmap_is_response(fpdu.rdmap_opcode))) {
    take_read(direction, &event);
  }
  count(direction->summary, &fpdu, event.octets);
  decode_packets_remove(&direction->packets, start, end);
  range_set_add(&direction->reported, start, end);
  decode_alignment_fpdu(&direction->alignment, start);
  report(direction, event);
  if (fpdu.ulpdu_octets > MPA_MULPDU_MAX_OCTETS && direction->summary->long_ulpdus++ == 0) {
    note(direction, DECODE_NOTE_LONG_ULPDU, event.stream_position, event.octets, 0,
         "a ULPDU of more than 64768 octets, which no sender may make (mpa-01 §3.2); reported once");
  }
  g_free(fpdu.terminate_octets);
}

static void take_bad_length(void *user, uint64_t offset)
{
  decode_direction *direction = user;

  direction->is_stuck = true;
  if (range_set_covered(&direction->scanner->not_captured, offset,
                        offset + MPA_MARKER_OCTETS + MPA_FPDU_LENGTH_OCTETS) == 0) {
    note(direction, DECODE_NOTE_BAD_LENGTH, position_of(direction, offset), 0, DECODE_PROBLEM_BIT(BAD_LENGTH),
         NULL);
  }
}

/* --- The stream --- */

static void new_scanner(decode_direction *direction, uint64_t offset)
{
  static const decode_scanner_events events = {.fpdu = take_fpdu, .bad_length = take_bad_length};

  decode_scanner_free(direction->scanner);
  direction->scanner =
      decode_scanner_new(offset, direction->start.markers, direction->start.crc, &events, direction);
}

decode_direction *decode_direction_new(const decode_tools *tools, decode_connection *connection,
                                       enum side from, const decode_direction_start *start,
                                       decode_direction *const *peer)
{
  decode_direction *direction = g_new0(decode_direction, 1);
  decode_direction_summary *summary = &connection->directions[from];

  direction->tools = tools;
  direction->start = *start;
  direction->summary = summary;
  direction->connection = connection;
  direction->from = from;
  direction->peer = peer;
  direction->first = start->first_position;
  direction->first_end = (int64_t)start->phase_start + 1;
  direction->stream = capture_stream_new(start->first_sequence, start->first_position);
  decode_alignment_init(&direction->alignment, tools->options.hold_octets);
  range_set_init(&direction->reported);
  decode_packets_init(&direction->packets);
  decode_sequence_begin(&direction->sequence, start->phase_offset, start->startup_octets > 0);
  summary->first_sequence = start->first_sequence - (uint32_t)start->first_position;
  summary->in_full_operation = start->in_full_operation;
  if (start->in_full_operation) {
    summary->phase_start = start->phase_start;
    summary->is_found = start->is_found;
    summary->markers = start->markers;
    summary->crc = start->crc;
    if (!start->is_lost) {
      new_scanner(direction, start->phase_offset);
    }
  }
  return direction;
}

void decode_direction_free(decode_direction *direction)
{
  if (direction) {
    capture_stream_free(direction->stream);
    decode_scanner_free(direction->scanner);
    decode_reads_free(direction->reads);
    decode_alignment_clear(&direction->alignment);
    range_set_clear(&direction->reported);
    decode_packets_clear(&direction->packets);
    g_free(direction);
  }
}

/* No FPDU can be located any more. */
static void lose(decode_direction *direction)
{
  decode_scanner_free(direction->scanner);
  direction->scanner = NULL;
}

/* Takes the new octets [from, to) of the FPDU phase; `octets` NULL: they were not captured. */
static void take_run(decode_direction *direction, uint64_t from, uint64_t to, const uint8_t *octets)
{
  decode_scanner *scanner = direction->scanner;
  g_autofree uint8_t *others = NULL;

  if (!octets) {
    others = g_malloc((size_t)(to - from));
    memset(others, NOT_CAPTURED_OCTET, (size_t)(to - from));
    octets = others;
    range_set_add(&scanner->not_captured, from, to);
  }
  decode_packets_add(&direction->packets, from, to, direction->packet);
  decode_scanner_receive(scanner, from, octets, (uint32_t)(to - from));
  decode_packets_remove(&direction->packets, 0, scanner->locator.edge);
}

static void take_octets(void *user, uint64_t position, const uint8_t *octets, uint32_t length)
{
  decode_direction *direction = user;
  uint64_t end = position + length;
  uint64_t phase = direction->start.phase_start;

  direction->first = MIN(direction->first, position);
  if (!direction->scanner || end <= phase) {
    return;
  }
  uint64_t from = MAX(offset_of(direction, MAX(position, phase)), direction->ignored_to);
  uint64_t to = offset_of(direction, end);
  if (from >= to) {
    return;
  }
  const uint8_t *first = octets ? octets + (from - offset_of(direction, position)) : NULL;
  if (octets && to == direction->cut_at) {
    /* Lengths and markers lie at multiples of 4: when only some of four octets are captured, these wait for
     * the others. */
    direction->withheld = (range){MAX(to & ~UINT64_C(3), from), to};
    to = direction->withheld.from;
    direction->withheld_octets = first + (to - from);
  } else if (!octets && direction->withheld.to == from) {
    from = direction->withheld.from; /* they count as not captured, like the others of the four */
    direction->withheld = (range){0, 0};
  }
  if (from < to) {
    take_run(direction, from, to, first);
  }
}

/* Takes in the new octets of `segment`; returns how many there are. */
static uint32_t take_segment(decode_direction *direction, const capture_segment *segment, int64_t position)
{
  bool is_cut = segment->captured_octets < segment->payload_octets;

  direction->cut_at = UINT64_MAX;
  if (is_cut && position >= 0) {
    direction->cut_at = offset_of(direction, (uint64_t)position + segment->captured_octets);
  }
  direction->withheld = (range){0, 0};
  uint32_t added = capture_stream_receive(direction->stream, segment, take_octets, direction);
  if (direction->withheld.from < direction->withheld.to && direction->scanner) {
    take_run(direction, direction->withheld.from, direction->withheld.to, direction->withheld_octets);
  }
  return added;
}

/* More is held than a direction may hold: holes are given up, the first one first, and all of them when
 * nothing beyond is located. */
static void relieve(decode_direction *direction)
{
  uint64_t limit = direction->tools->options.hold_octets;

  while (reassembly_queue_total(direction->scanner->locator.reassembly->octets) > limit) {
    if (!decode_scanner_give_up(direction->scanner)) {
      uint64_t end = offset_of(direction, capture_stream_end(direction->stream));
      if (!direction->start.markers) {
        lose(direction);
        return;
      }
      /* The chain finds no length at its start, so that only markers locate. */
      new_scanner(direction, (end + 3) & ~UINT64_C(3));
      direction->ignored_to = end + MPA_MARKER_OCTETS * 2;
      return;
    }
  }
}

/* Takes a segment of the FPDU phase: see docs/metrics.md, tcp.segments and mpa.segments_aligned. */
static void receive_counted(decode_direction *direction, const capture_segment *segment, uint64_t position)
{
  decode_direction_summary *summary = direction->summary;
  bool is_first = summary->segments++ == 0;

  summary->data_from_ns = is_first ? segment->time_ns : MIN(summary->data_from_ns, segment->time_ns);
  summary->data_to_ns = is_first ? segment->time_ns : MAX(summary->data_to_ns, segment->time_ns);
  summary->wire_octets += segment->wire_octets;
  summary->out_of_order += position > capture_stream_in_order_edge(direction->stream);
  uint64_t offset = offset_of(direction, position);
  uint32_t added = take_segment(direction, segment, (int64_t)position);
  summary->duplicates += added == 0;
  uint64_t edge = direction->scanner ? direction->scanner->locator.edge : UINT64_MAX;
  decode_alignment_segment(&direction->alignment, offset, edge);
  summary->aligned = direction->alignment.aligned;
}

void decode_direction_receive(decode_direction *direction, const capture_segment *segment)
{
  uint32_t sequence = segment->sequence + ((segment->flags & TCP_SYN) != 0);
  int64_t position = capture_stream_position(direction->stream, sequence);

  direction->time_ns = segment->time_ns;
  direction->packet = segment->packet;
  if (segment->flags & TCP_ACK) {
    direction->has_acknowledgement = true;
    direction->acknowledgement = segment->acknowledgement;
  }
  if (segment->clock_step_ns != 0) {
    g_autofree char *text = g_strdup_printf("%s: by %+.6f s", decode_problems[DECODE_PROBLEM_CLOCK].sentence,
                                            (double)segment->clock_step_ns / NS_PER_SECOND);
    note(direction, DECODE_NOTE_CLOCK, (uint64_t)MAX(position, 0), 0, DECODE_PROBLEM_BIT(CLOCK), text);
  }
  if (segment->payload_octets > 0 && direction->start.in_full_operation && !(segment->flags & TCP_RST) &&
      position >= (int64_t)direction->start.phase_start) {
    receive_counted(direction, segment, (uint64_t)position);
  } else {
    take_segment(direction, segment, position);
  }
  const uint64_t at = (uint64_t)MAX(position, 0);
  if ((segment->flags & TCP_FIN) && !direction->has_fin) {
    direction->has_fin = true;
    note(direction, DECODE_NOTE_FIN, at + segment->payload_octets, 0, 0, "FIN: this end sends nothing more");
  }
  if (!direction->scanner) {
    return;
  }
  if (direction->is_stuck && !direction->start.markers && !direction->tools->options.assume_aligned) {
    lose(direction);
  } else if (offset_of(direction, capture_stream_end(direction->stream)) - direction->scanner->locator.edge >
             direction->tools->options.hold_octets) {
    relieve(direction);
  }
}

uint64_t decode_direction_position(const decode_direction *direction, uint32_t sequence)
{
  return (uint64_t)MAX(capture_stream_position(direction->stream, sequence), 0);
}

uint32_t decode_direction_edge(const decode_direction *direction)
{
  return direction->summary->first_sequence + (uint32_t)capture_stream_in_order_edge(direction->stream);
}

/* --- The end --- */

static void end_phase(decode_direction *direction, uint64_t end)
{
  uint64_t start;

  decode_scanner_end(direction->scanner);
  if (direction->tools->options.assume_aligned) {
    /* What looks like an FPDU where a segment starts is taken for one, and so is what follows it. */
    for (uint64_t at = decode_alignment_next_segment(&direction->alignment, direction->scanner->locator.edge);
         at < end; at = decode_alignment_next_segment(&direction->alignment, at + 1)) {
      mpa_locator_assume(&direction->scanner->locator, at, end);
    }
    decode_scanner_end(direction->scanner);
  }
  uint64_t octets = decode_scanner_unfinished(direction->scanner, end, &start);
  if (octets > 0) {
    direction->summary->incomplete_octets = octets;
    decode_alignment_fpdu(&direction->alignment, start);
    range_set_add(&direction->reported, start, end);
    note(direction, DECODE_NOTE_INCOMPLETE, position_of(direction, start), octets,
         DECODE_PROBLEM_BIT(INCOMPLETE), NULL);
  }
  direction->summary->aligned = direction->alignment.aligned;
}

/* Reports the octets of [from, to) (positions) that are in no FPDU: those that came, and those that did
 * not. */
static void report_gaps(decode_direction *direction, uint64_t from, uint64_t to)
{
  const range_set *reported = &direction->reported;

  while (from < to) {
    size_t index = range_set_find(reported, offset_of(direction, from));
    bool is_last = index == range_set_count(reported);
    range next = is_last ? (range){offset_of(direction, to), offset_of(direction, to)}
                         : range_set_get(reported, index);
    bool came;
    uint64_t end =
        MIN(capture_stream_run_end(direction->stream, from, &came), position_of(direction, next.from));

    if (end > from) {
      note(direction, came ? DECODE_NOTE_LOST_CHAIN : DECODE_NOTE_HOLE, from, MIN(end, to) - from,
           came ? DECODE_PROBLEM_BIT(LOST_CHAIN) : DECODE_PROBLEM_BIT(HOLE), NULL);
    }
    from = end > from ? end : position_of(direction, next.to);
  }
}

/* Returns `amount` in `time_ns`. */
static uint64_t per_second(uint64_t amount, uint64_t time_ns)
{
  return time_ns > 0 ? (uint64_t)((double)amount * NS_PER_SECOND / (double)time_ns + 0.5) : 0;
}

void decode_direction_finish(decode_direction *direction, int64_t time_ns)
{
  decode_direction_summary *summary = direction->summary;
  const decode_direction_start *start = &direction->start;
  uint64_t end = MAX(capture_stream_end(direction->stream), direction->first);
  uint64_t phase = start->in_full_operation ? MIN(start->phase_start, end) : end;
  uint64_t first = direction->first;

  direction->time_ns = time_ns;
  if (direction->scanner && end > phase) {
    end_phase(direction, offset_of(direction, end));
  }
  /* Before the FPDU phase: streaming mode, when it is known that this is all there was. */
  uint64_t before = start->startup_octets > 0 ? start->startup_position : first;
  before = start->in_full_operation ? MIN(before, end) : end;
  uint64_t came =
      before > first ? before - first - capture_stream_missing(direction->stream, first, before) : 0;
  summary->startup_octets =
      start->startup_octets - capture_stream_missing(direction->stream, start->startup_position,
                                                     start->startup_position + start->startup_octets);
  summary->streaming_octets = came;
  if (!start->in_full_operation) {
    summary->streaming_octets -= MIN(came, summary->startup_octets);
  }
  summary->missing_octets = capture_stream_missing(direction->stream, first, end);
  summary->unaccounted_octets = end - first - summary->streaming_octets - summary->startup_octets -
                                summary->fpdu_octets - summary->incomplete_octets;
  note_after_error(direction);
  if (start->in_full_operation) {
    report_gaps(direction, MAX(first, phase), end);
  }
  summary->data_ns = (uint64_t)(summary->data_to_ns - summary->data_from_ns);
  summary->payload_octets_per_s = per_second(summary->payload_octets, summary->data_ns);
  summary->wire_octets_per_s = per_second(summary->wire_octets, summary->data_ns);
  summary->fpdus_per_s = per_second(summary->fpdus, summary->data_ns);
}

static void report_read(void *user, const decode_event *event)
{
  const decode_direction *of_requests = user;
  const bool is_request = event->problems == DECODE_PROBLEM_BIT(ORD);

  report(is_request ? of_requests : *of_requests->peer, *event);
}

/* Returns whether all FPDUs of a direction are in the capture, from its startup frame on, and were read. */
static bool is_whole(const decode_direction *direction)
{
  const decode_direction_summary *sums = direction->summary;

  return direction->start.startup_octets > 0 && sums->unaccounted_octets == 0 &&
         sums->incomplete_octets == 0 && sums->crc_bad == 0 && sums->no_ddp == 0;
}

void decode_direction_judge_reads(decode_direction *direction)
{
  /* a Request that is not here may ask for what comes; one more than the octets is acknowledged with a FIN */
  const bool is_all_here =
      is_whole(direction) && direction->acknowledged <= capture_stream_end(direction->stream) + 1;

  if (direction->reads && is_all_here) {
    decode_reads_finish(direction->reads, *direction->peer && is_whole(*direction->peer), report_read,
                        direction);
  }
}
