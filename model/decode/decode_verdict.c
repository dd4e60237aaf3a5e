/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_verdict.h"

#include "decode/decode_scanner.h"
#include "net/tcp_header.h"

static const decode_waiting_side *side_of(const decode_waiting *of, unsigned from)
{
  return &of->sides[from];
}

void decode_verdict_clear(decode_verdict *verdict)
{
  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    g_clear_pointer(&verdict->frames[kind].octets, g_byte_array_unref);
  }
  *verdict = (decode_verdict){.is_mpa = false};
}

/* --- Startup frames --- */

/* All octets of the side up to `position` came, and its SYN; they need not be captured (snap length). */
static bool is_whole_to(const decode_waiting_side *side, uint64_t position)
{
  return side->has_syn && capture_stream_missing(side->stream, 0, position) == 0;
}

/* Reads the frame of `kind` that end `from` sent, if it is there and whole. Its header shows how long it is:
 * Private Data that were not captured are not waited for. */
static bool find_frame(const decode_waiting *of, unsigned from, unsigned kind, decode_verdict *verdict)
{
  decode_verdict_frame *found = &verdict->frames[kind];
  const decode_waiting_side *side = side_of(of, from);
  uint64_t position = side->octets ? side->keys[kind] : UINT64_MAX;

  found->is_there = false;
  if (position == UINT64_MAX) {
    return false;
  }
  decode_waiting_copy(side, position, DECODE_STARTUP_FRAME_MAX_OCTETS, found->octets);
  decode_startup_result result =
      decode_startup_frame_read(&found->frame, found->octets->data, found->octets->len);
  uint64_t end = position + found->frame.frame_octets;
  if (found->octets->len < DECODE_STARTUP_HEADER_OCTETS ||
      (result == DECODE_STARTUP_PARTIAL && !of->is_over &&
       capture_stream_missing(side->stream, position, end) > 0)) {
    return false;
  }
  found->is_there = true;
  found->from = (uint8_t)from;
  found->position = position;
  found->packets = decode_packets_of(&side->packets, position, end);
  return true;
}

/* This end opened the connection and sent its Reply before an octet of the other end had come, so before a
 * Request could have: its frame has the wrong key. */
static bool is_unasked(const decode_waiting *of, const decode_verdict_frame *reply)
{
  if (reply->from != 0 || !side_of(of, 0)->has_syn || !side_of(of, 1)->has_syn) {
    return false;
  }
  const capture_segment *segment = decode_waiting_packet(of, reply->packets.first);
  bool acknowledges =
      (segment->flags & TCP_ACK) && (int32_t)(segment->acknowledgement - side_of(of, 1)->first_sequence) > 0;
  return !acknowledges;
}

/* The Request and the Reply, of different ends, of whichever end the Request is; else one of them. */
static void find_frames(const decode_waiting *of, decode_verdict *verdict)
{
  for (unsigned initiator = 0; initiator < 2; initiator++) {
    verdict->initiator = (uint8_t)initiator;
    if (find_frame(of, initiator, DECODE_REQUEST, verdict) &&
        find_frame(of, !initiator, DECODE_REPLY, verdict)) {
      return;
    }
  }
  const decode_verdict_frame *reply = &verdict->frames[DECODE_REPLY];
  verdict->initiator = 0;
  if (find_frame(of, 0, DECODE_REQUEST, verdict) || find_frame(of, 1, DECODE_REQUEST, verdict)) {
    verdict->initiator = verdict->frames[DECODE_REQUEST].from;
  } else if (find_frame(of, 1, DECODE_REPLY, verdict) || find_frame(of, 0, DECODE_REPLY, verdict)) {
    verdict->initiator = is_unasked(of, reply) ? 0 : !reply->from;
  }
}

/* The frame is where it must be: nothing before it is missing. */
static bool is_settled(const decode_waiting *of, const decode_verdict_frame *found)
{
  return is_whole_to(side_of(of, found->from), found->position + found->frame.frame_octets);
}

/* --- How long to wait --- */

static bool has_both(const decode_verdict *verdict)
{
  return verdict->frames[DECODE_REQUEST].is_there && verdict->frames[DECODE_REPLY].is_there;
}

/* More of an end's octets wait than make sense. */
static bool is_exhausted(const decode_waiting *of, unsigned from, const decode_verdict *verdict)
{
  const decode_waiting_side *side = side_of(of, from);
  bool has_frame = false;

  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    has_frame |= verdict->frames[kind].is_there && verdict->frames[kind].from == from;
  }
  /* What is missing may yet come: the first octets, or the frame of the other end, which was seen. */
  bool may_come = has_frame ? side_of(of, !from)->is_seen && !has_both(verdict) : !is_whole_to(side, 1);
  uint64_t limit = may_come ? of->hold_octets : DECODE_SEARCHED_OCTETS;

  return side->octets && reassembly_queue_total(side->octets) > limit;
}

/* --- Starts --- */

/* The stream of a side starts at its SYN or, when that was not captured, with the first octet that was.
 * Returns the position, as the side counts, of position 0. */
static uint64_t begin(const decode_waiting_side *side, decode_direction_start *start)
{
  uint64_t lowest = decode_waiting_lowest(side);
  uint64_t origin = side->has_syn || lowest == UINT64_MAX ? side->first_position : lowest;

  start->first_sequence = side->first_sequence + (uint32_t)(origin - side->first_position);
  start->first_position = 0;
  return origin;
}

/* MPA starts after `found`. */
static void start_after(const decode_waiting *of, decode_verdict *verdict, decode_verdict_frame *found)
{
  decode_direction_start *start = &verdict->starts[found->from];

  found->position -= begin(side_of(of, found->from), start);
  start->startup_position = found->position;
  start->startup_octets = found->frame.frame_octets;
  start->phase_start = found->position + found->frame.frame_octets;
  verdict->has_start[found->from] = true;
}

static bool is_on(decode_switch wanted, bool otherwise)
{
  return wanted == DECODE_AS_NEGOTIATED ? otherwise : wanted == DECODE_ON;
}

/* Both frames show everything (mpa-01 §6.1, note M42): the M bit is for what its sender receives. */
static void conclude_from_both(const decode_waiting *of, decode_verdict *verdict)
{
  const decode_startup_frame *request = &verdict->frames[DECODE_REQUEST].frame;
  const decode_startup_frame *reply = &verdict->frames[DECODE_REPLY].frame;

  start_after(of, verdict, &verdict->frames[DECODE_REQUEST]);
  start_after(of, verdict, &verdict->frames[DECODE_REPLY]);
  for (unsigned from = 0; from < 2; from++) {
    decode_direction_start *start = &verdict->starts[from];
    bool markers = from == verdict->initiator ? reply->markers : request->markers;

    verdict->has_frame[from] = true;
    start->in_full_operation = !reply->rejected;
    start->markers = is_on(of->hint ? of->hint->markers : DECODE_AS_NEGOTIATED, markers);
    start->crc = is_on(of->hint ? of->hint->crc : DECODE_AS_NEGOTIATED, request->crc || reply->crc);
  }
}

/* --- Without both startup frames --- */

/* The octets of `side` from `position` on, as many as are there without a gap and are worth a look. */
static GByteArray *sample(const decode_waiting_side *side, uint64_t position)
{
  GByteArray *octets = g_byte_array_new();

  decode_waiting_copy(side, position, DECODE_SEARCHED_OCTETS, octets);
  return octets;
}

/* With which markers and CRC there are the most FPDUs from stream position `start->phase_start` on, that
 * being `position` of `side`. FALSE when there are none either way. `crc_known`: CRC is used. */
static bool try_kinds(const decode_waiting_side *side, uint64_t position, bool crc_known,
                      decode_direction_start *start)
{
  GByteArray *octets = sample(side, position);
  uint64_t most = 0;

  for (unsigned kind = 0; kind < 4 && (most == 0 || kind < 2); kind++) {
    bool markers = kind % 2 == 0;
    bool crc = kind < 2;
    uint64_t count = crc || !crc_known ? decode_find_count(octets->data, octets->len, 0, markers, crc) : 0;
    if (count > most) {
      most = count;
      start->markers = markers;
      start->crc = crc;
    }
  }
  g_byte_array_unref(octets);
  return most > 0;
}

/* Looks for the first FPDU in all runs of octets of `side`. FALSE when there is none. */
static bool find_start(const decode_waiting_side *side, bool markers, bool crc, decode_direction_start *start)
{
  uint64_t origin = begin(side, start);
  uint64_t position = decode_waiting_lowest(side);

  while (position != UINT64_MAX) {
    uint64_t end = decode_waiting_run_end(side, position);
    GByteArray *octets = sample(side, position);
    size_t at = 0;
    bool found = decode_find_start(octets->data, octets->len, markers, crc, &at, &start->phase_offset);
    g_byte_array_unref(octets);
    if (found) {
      start->phase_start = position + at - origin;
      start->markers = markers;
      start->crc = crc;
      return true;
    }
    position = reassembly_queue_next_held(side->octets, end);
  }
  return false;
}

static bool may_be(decode_switch wanted, bool on)
{
  return wanted == DECODE_AS_NEGOTIATED || on == (wanted == DECODE_ON);
}

/* The same of what an end sent of which it is not known whether it has markers and CRCs, when `markers` and
 * `crc` leave open: CRCs, which prove most, first. */
static void find_any(const decode_waiting_side *side, decode_switch markers, decode_switch crc,
                     decode_direction_start *start)
{
  start->in_full_operation = true;
  start->is_lost = true;
  for (unsigned kind = 0; start->is_lost && kind < 4; kind++) {
    bool has_markers = kind % 2 == 0;
    bool has_crc = kind < 2;
    if (may_be(markers, has_markers) && may_be(crc, has_crc)) {
      start->is_lost = !find_start(side, has_markers, has_crc, start);
    }
  }
}

/* Only one of the frames is there: markers and CRC as the other one may have them are tried out. */
static void conclude_from_one(const decode_waiting *of, decode_verdict *verdict)
{
  bool is_request = verdict->frames[DECODE_REQUEST].is_there;
  decode_verdict_frame *found = &verdict->frames[is_request ? DECODE_REQUEST : DECODE_REPLY];
  unsigned from = found->from;
  const decode_waiting_side *other = side_of(of, !from);
  decode_direction_start *start = &verdict->starts[from];
  uint64_t end = found->position + found->frame.frame_octets;

  start_after(of, verdict, found);
  start->in_full_operation = !found->frame.rejected;
  start->markers = found->frame.markers;
  start->crc = true;
  try_kinds(side_of(of, from), end, found->frame.crc, start);
  if (decode_waiting_lowest(other) != UINT64_MAX) {
    verdict->has_start[!from] = true;
    find_any(other, DECODE_AS_NEGOTIATED, found->frame.crc ? DECODE_ON : DECODE_AS_NEGOTIATED,
             &verdict->starts[!from]);
  }
  verdict->has_frame[from] = true;
  verdict->has_frame[!from] =
      other->octets && other->keys[is_request ? DECODE_REQUEST : DECODE_REPLY] != UINT64_MAX;
#define AS_VALIDATED "markers and CRC as FPDUs validate"
  if (verdict->has_frame[!from]) {
    verdict->text = is_request
                        ? "both ends sent a Request, where one must reply (mpa-01 §6.1.1): " AS_VALIDATED
                        : "both ends sent a Reply, where one must request (mpa-01 §6.1.1): " AS_VALIDATED;
  } else if (from == verdict->initiator && !is_request) {
    verdict->text = "the end that opened the connection sent the key of a Reply, and no Request had come "
                    "(mpa-01 §6.1.1): " AS_VALIDATED;
  } else {
    verdict->text = is_request ? "the Reply is not in the capture: " AS_VALIDATED
                               : "the Request is not in the capture: " AS_VALIDATED;
  }
}

/* --- Hints --- */

static decode_start start_mode(const decode_waiting *of, unsigned from)
{
  decode_start mode = of->hint->start[from == of->hinted];

  if (mode != DECODE_START_AUTO) {
    return mode;
  }
  return side_of(of, from)->has_syn ? DECODE_START_FIRST : DECODE_START_FIND;
}

/* MPA starts at a sequence number, which may be from before the capture. */
static void start_at_sequence(const decode_waiting *of, unsigned from, decode_direction_start *start)
{
  const decode_waiting_side *side = side_of(of, from);
  uint32_t sequence = of->hint->sequence[from == of->hinted];
  begin(side, start);
  uint32_t ahead = sequence - start->first_sequence;

  if (ahead <= UINT32_C(1) << 30) {
    start->phase_start = ahead;
  } else { /* position 0 is at the sequence number */
    start->first_position = start->first_sequence - sequence;
    start->phase_start = 0;
  }
}

static void start_as_hinted(const decode_waiting *of, decode_verdict *verdict, unsigned from)
{
  const decode_waiting_side *side = side_of(of, from);
  decode_direction_start *start = &verdict->starts[from];
  bool has_octets = decode_waiting_lowest(side) != UINT64_MAX;

  start->markers = is_on(of->hint->markers, true);
  start->crc = is_on(of->hint->crc, true);
  start->in_full_operation = true;
  verdict->has_start[from] = side->has_syn || has_octets;
  if (!verdict->has_start[from]) {
    return;
  }
  begin(side, start);
  if (start_mode(of, from) == DECODE_START_SEQUENCE) {
    start_at_sequence(of, from, start);
  } else if (start_mode(of, from) == DECODE_START_FIND && has_octets) {
    find_any(side, of->hint->markers, of->hint->crc, start);
  }
}

/* It is known that what this end sent does not start with a startup frame, or the hint has it so. */
static bool is_hint_due(const decode_waiting *of, unsigned from)
{
  const decode_waiting_side *side = side_of(of, from);
  decode_startup_frame frame;

  if (decode_waiting_lowest(side) == UINT64_MAX) {
    return false;
  }
  if (start_mode(of, from) == DECODE_START_SEQUENCE) {
    return true;
  }
  if (start_mode(of, from) == DECODE_START_FIND || !side->has_syn || decode_waiting_lowest(side) != 0) {
    return reassembly_queue_total(side->octets) > DECODE_SEARCHED_OCTETS &&
           start_mode(of, from) == DECODE_START_FIND;
  }
  g_autoptr(GByteArray) octets = g_byte_array_new();
  decode_waiting_copy(side, 0, DECODE_STARTUP_KEY_OCTETS, octets);
  return decode_startup_frame_read(&frame, octets->data, octets->len) == DECODE_STARTUP_NONE;
}

/* What this end sends will start at its SYN, and it has sent nothing. */
static bool is_silent(const decode_waiting *of, unsigned from)
{
  const decode_waiting_side *side = side_of(of, from);

  return side->has_syn && decode_waiting_lowest(side) == UINT64_MAX;
}

static void conclude_from_hint(const decode_waiting *of, decode_verdict *verdict)
{
  verdict->is_hinted = true;
  if (!side_of(of, 0)->has_syn && !side_of(of, 1)->has_syn) {
    verdict->initiator =
        !of->hinted; /* nobody saw who opened it; the end that is known beforehand listened */
  }
  start_as_hinted(of, verdict, 0);
  start_as_hinted(of, verdict, 1);
}

/* --- The verdict --- */

static bool conclude(const decode_waiting *of, decode_verdict *verdict)
{
  const decode_verdict_frame *frames = verdict->frames;
  bool has_any = frames[DECODE_REQUEST].is_there || frames[DECODE_REPLY].is_there;
  bool is_over = of->is_over || is_exhausted(of, 0, verdict) || is_exhausted(of, 1, verdict);

  if (has_both(verdict) &&
      (is_over || (is_settled(of, &frames[DECODE_REQUEST]) && is_settled(of, &frames[DECODE_REPLY])))) {
    verdict->is_mpa = true;
    conclude_from_both(of, verdict);
    return true;
  }
  const bool due[] = {of->hint && is_hint_due(of, 0), of->hint && is_hint_due(of, 1)};
  bool are_due = (due[0] && (due[1] || is_silent(of, 1))) || (due[1] && is_silent(of, 0));
  if (of->hint && !has_any && (is_over || are_due)) {
    verdict->is_mpa = true;
    conclude_from_hint(of, verdict);
    return true;
  }
  if (is_over && has_any) {
    verdict->is_mpa = true;
    conclude_from_one(of, verdict);
  }
  return is_over;
}

bool decode_verdict_reach(decode_verdict *verdict, const decode_waiting *waiting)
{
  *verdict = (decode_verdict){.frames = {{.octets = g_byte_array_new()}, {.octets = g_byte_array_new()}}};
  find_frames(waiting, verdict);
  bool is_reached = conclude(waiting, verdict);
  if (!is_reached) {
    decode_verdict_clear(verdict);
  }
  return is_reached;
}
