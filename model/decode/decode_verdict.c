/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_verdict.h"

#include "decode/decode_reader.h"
#include "decode/decode_scanner.h"
#include "net/tcp_header.h"

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
  const decode_waiting_side *side = &of->sides[from];
  uint64_t position = side->keys[kind];

  g_clear_pointer(&found->octets, g_byte_array_unref);
  *found = (decode_verdict_frame){.from = (uint8_t)from, .position = position};
  if (position == UINT64_MAX) {
    return false;
  }
  found->octets = decode_waiting_copy(side, position, DECODE_STARTUP_FRAME_MAX_OCTETS);
  decode_startup_result result =
      decode_startup_frame_read(&found->frame, found->octets->data, found->octets->len);
  uint64_t end = position + found->frame.frame_octets;
  found->is_there = found->octets->len >= DECODE_STARTUP_HEADER_OCTETS &&
                    (result == DECODE_STARTUP_WHOLE || of->is_over ||
                     capture_stream_missing(side->stream, position, end) == 0);
  if (found->is_there) {
    found->packets = decode_packets_of(&side->packets, position, end);
    found->time_ns = decode_waiting_packet(of, found->packets.last)->time_ns;
  }
  return found->is_there;
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
    /* Where the end that opened the connection sent its Reply before an octet of the other end had come, so
     * before a Request could have, its frame has the wrong key. */
    const capture_segment *segment = decode_waiting_packet(of, reply->packets.first);
    const bool has_heard =
        (segment->flags & TCP_ACK) && (int32_t)(segment->acknowledgement - of->sides[1].first_sequence) > 0;
    verdict->initiator =
        reply->from == 0 && (has_heard || !of->sides[0].has_syn || !of->sides[1].has_syn) ? 1 : 0;
  }
}

/* The frame is where it must be: nothing before it is missing. */
static bool is_settled(const decode_waiting *of, const decode_verdict_frame *found)
{
  return is_whole_to(&of->sides[found->from], found->position + found->frame.frame_octets);
}

/* --- How long to wait --- */

static bool has_both(const decode_verdict *verdict)
{
  return verdict->frames[DECODE_REQUEST].is_there && verdict->frames[DECODE_REPLY].is_there;
}

/* More octets of an end wait than it makes sense to search. */
static bool is_exhausted(const decode_waiting *of, unsigned from, const decode_verdict *verdict)
{
  const decode_waiting_side *side = &of->sides[from];
  bool has_frame = false;

  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    has_frame |= verdict->frames[kind].is_there && verdict->frames[kind].from == from;
  }
  /* What is missing may yet come: the first octets, or the frame of the other end, which was seen. */
  bool may_come = has_frame ? of->sides[!from].stream && !has_both(verdict) : !is_whole_to(side, 1);
  uint64_t limit = may_come ? of->hold_octets : DECODE_SEARCHED_OCTETS;

  return reassembly_queue_total(side->octets) > limit;
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

  found->position -= begin(&of->sides[found->from], start);
  start->startup_position = found->position;
  start->startup_octets = found->frame.frame_octets;
  start->phase_start = found->position + found->frame.frame_octets;
  verdict->has_start[found->from] = true;
}

static bool is_on(decode_switch wanted, bool otherwise)
{
  return wanted == DECODE_AS_NEGOTIATED ? otherwise : wanted == DECODE_ON;
}

/* Returns whether the sender of the Reply had not got all of the Request: else it would have acknowledged
 * that, since each segment acknowledges all that has come in order (RFC 9293 §3.10.7.4). */
static bool is_early(const decode_waiting *of, const decode_verdict_frame *request,
                     const decode_verdict_frame *reply)
{
  const capture_segment *segment = decode_waiting_packet(of, reply->packets.first);
  const decode_waiting_side *side = &of->sides[request->from];
  const int64_t heard = capture_stream_position(side->stream, segment->acknowledgement);

  return (segment->flags & TCP_ACK) && /* one from before the first octet acknowledges nothing of this one */
         heard >= (int64_t)side->first_position &&
         heard < (int64_t)(request->position + request->frame.frame_octets);
}

/* Both frames together determine everything (mpa-01 §6.1, note M42): the M bit concerns what its sender
 * receives. */
static void conclude_from_both(const decode_waiting *of, decode_verdict *verdict)
{
  const decode_startup_frame *request = &verdict->frames[DECODE_REQUEST].frame;
  const decode_startup_frame *reply = &verdict->frames[DECODE_REPLY].frame;

  verdict->reply_is_early = is_early(of, &verdict->frames[DECODE_REQUEST], &verdict->frames[DECODE_REPLY]);
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

/* Sets markers and CRC in `start` as they yield the most FPDUs from stream position `start->phase_start` on,
 * which is `position` of `side`; nothing changes when no setting yields any. `crc_known`: CRC is used. */
static void try_kinds(const decode_waiting_side *side, uint64_t position, bool crc_known,
                      decode_direction_start *start)
{
  g_autoptr(GByteArray) octets = decode_waiting_copy(side, position, DECODE_SEARCHED_OCTETS);
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
}

/* Looks for the first FPDU in all runs of octets of `side`. FALSE when there is none. */
static bool find_start(const decode_waiting_side *side, bool markers, bool crc, decode_direction_start *start)
{
  uint64_t origin = begin(side, start);

  for (uint64_t from = decode_waiting_lowest(side); from != UINT64_MAX;
       from = reassembly_queue_next_held(side->octets, reassembly_queue_run_end(side->octets, from))) {
    g_autoptr(GByteArray) octets = decode_waiting_copy(side, from, DECODE_SEARCHED_OCTETS);
    size_t at;
    if (decode_find_start(octets->data, octets->len, markers, crc, &at, &start->phase_offset)) {
      start->phase_start = from + at - origin;
      start->is_found = true;
      start->markers = markers;
      start->crc = crc;
      return true;
    }
  }
  return false;
}

/* Tries the same when it is not known whether what an end sent has markers and CRCs, as far as `markers` and
 * `crc` leave that open: CRCs, which prove most, are tried first. */
static void find_any(const decode_waiting_side *side, decode_switch markers, decode_switch crc,
                     decode_direction_start *start)
{
  start->in_full_operation = true;
  start->is_lost = true;
  for (unsigned kind = 0; start->is_lost && kind < 4; kind++) {
    bool has_markers = kind % 2 == 0;
    bool has_crc = kind < 2;
    if (is_on(markers, has_markers) == has_markers && is_on(crc, has_crc) == has_crc) {
      start->is_lost = !find_start(side, has_markers, has_crc, start);
    }
  }
}

/* Only one of the frames is there: the settings of markers and CRC that the other one may have are tried. */
static void conclude_from_one(const decode_waiting *of, decode_verdict *verdict)
{
  bool is_request = verdict->frames[DECODE_REQUEST].is_there;
  decode_verdict_frame *found = &verdict->frames[is_request ? DECODE_REQUEST : DECODE_REPLY];
  unsigned from = found->from;
  const decode_waiting_side *other = &of->sides[!from];
  decode_direction_start *start = &verdict->starts[from];
  uint64_t end = found->position + found->frame.frame_octets;

  start_after(of, verdict, found);
  start->in_full_operation = !found->frame.rejected;
  start->markers = found->frame.markers;
  start->crc = true;
  try_kinds(&of->sides[from], end, found->frame.crc, start);
  if (decode_waiting_lowest(other) != UINT64_MAX) {
    verdict->has_start[!from] = true;
    find_any(other, DECODE_AS_NEGOTIATED, found->frame.crc ? DECODE_ON : DECODE_AS_NEGOTIATED,
             &verdict->starts[!from]);
  }
  verdict->has_frame[from] = true;
  verdict->has_frame[!from] = other->keys[is_request ? DECODE_REQUEST : DECODE_REPLY] != UINT64_MAX;
  verdict->is_of_one_role = verdict->has_frame[!from] || (from == verdict->initiator && !is_request);
#define AS_VALIDATED "markers and CRC as FPDUs validate"
  if (verdict->has_frame[!from]) {
    verdict->text = is_request
                        ? "both ends sent a Request, where one must reply (mpa-01 §6.1.1): " AS_VALIDATED
                        : "both ends sent a Reply, where one must request (mpa-01 §6.1.1): " AS_VALIDATED;
  } else if (from == verdict->initiator && !is_request) {
    verdict->text = "the end that opened the connection sent the key of a Reply, and no Request had come "
                    "(mpa-01 §6.1.1): " AS_VALIDATED;
  } else if (other->ended_by != 0) {
    verdict->text = other->ended_by & TCP_RST ? "the other end reset the connection in place of an answer"
                                              : "the other end closed the connection in place of an answer";
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
  return of->sides[from].has_syn ? DECODE_START_FIRST : DECODE_START_FIND;
}

static void start_as_hinted(const decode_waiting *of, decode_verdict *verdict, unsigned from)
{
  const decode_waiting_side *side = &of->sides[from];
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
  const uint32_t sequence = of->hint->sequence[from == of->hinted], ahead = sequence - start->first_sequence;
  if (start_mode(of, from) == DECODE_START_SEQUENCE && ahead <= UINT32_C(1) << 30) {
    start->phase_start = ahead;
  } else if (start_mode(of, from) ==
             DECODE_START_SEQUENCE) { /* from before the capture: position 0 is there */
    start->first_position = start->first_sequence - sequence;
    start->phase_start = 0;
  } else if (start_mode(of, from) == DECODE_START_FIND && has_octets) {
    find_any(side, of->hint->markers, of->hint->crc, start);
  }
}

/* It is known, from the octets or from the hint, that what this end sent does not start with a startup
 * frame. */
static bool is_hint_due(const decode_waiting *of, unsigned from)
{
  const decode_waiting_side *side = &of->sides[from];
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
  g_autoptr(GByteArray) octets = decode_waiting_copy(side, 0, DECODE_STARTUP_KEY_OCTETS);
  return decode_startup_frame_read(&frame, octets->data, octets->len) == DECODE_STARTUP_NONE;
}

/* What this end sends will start at its SYN, and it has sent nothing. */
static bool is_silent(const decode_waiting *of, unsigned from)
{
  const decode_waiting_side *side = &of->sides[from];

  return side->has_syn && decode_waiting_lowest(side) == UINT64_MAX;
}

/* --- The verdict --- */

/* This is what an end sent after its startup frame. */
typedef enum follower { NOT_CAPTURED, NOTHING, AN_FPDU, OTHER_OCTETS } follower;

static follower follower_of(const decode_waiting *of, const decode_verdict *verdict,
                            const decode_verdict_frame *found)
{
  enum { HEAD_OCTETS = 64, SOME_OCTETS = 1 << 17 }; /* the longest FPDU is in these */
  const decode_startup_frame *request = &verdict->frames[DECODE_REQUEST].frame;
  const decode_startup_frame *reply = &verdict->frames[DECODE_REPLY].frame;
  const decode_waiting_side *side = &of->sides[found->from];
  const uint64_t end = found->position + found->frame.frame_octets, last = capture_stream_end(side->stream);
  bool is_found = false;

  if (last <= end || reply->rejected) { /* not all of its Private Data; or the ULP's */
    return last < end ? OTHER_OCTETS : NOTHING;
  }
  g_autoptr(GByteArray) head = decode_waiting_copy(side, end, HEAD_OCTETS);
  for (unsigned markers = 0; markers < 2 && !is_found; markers++) {
    if (decode_find_is_likely(head->data, head->len, markers)) {
      g_autoptr(GByteArray) octets = decode_waiting_copy(side, end, SOME_OCTETS);
      is_found =
          decode_find_is_first(octets->data, octets->len, markers, true) ||
          (!request->crc && !reply->crc && decode_find_is_first(octets->data, octets->len, markers, false));
    }
  }
  return is_found                                                                     ? AN_FPDU
         : reassembly_queue_run_end(side->octets, end) < MIN(last, end + SOME_OCTETS) ? NOT_CAPTURED
                                                                                      : OTHER_OCTETS;
}

/* Returns whether the frames that are there are startup frames, and not texts with the key: one is strong; or
 * an FPDU follows one. Else, when no more comes, both ends must have one and send nothing else after it; or
 * the only one is the end of what its end sent, and is all of it, or is not bare. */
static bool is_believed(const decode_waiting *of, const decode_verdict *verdict, bool is_over)
{
  bool is_good = is_over;

  if (decode_waiting_is_sure(of)) {
    return true;
  }
  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    const decode_verdict_frame *found = &verdict->frames[kind];
    if (!found->is_there) {
      continue;
    }
    const bool is_first_sent = found->position == of->sides[found->from].first_position;
    const follower follows = follower_of(of, verdict, found);
    bool is_strong;
    decode_startup_frame_may_be(found->octets->data, is_first_sent, &is_strong);
    if (is_strong || follows == AN_FPDU) {
      return true;
    }
    is_good &= has_both(verdict) ? follows != OTHER_OCTETS
                                 : follows == NOTHING &&
                                       (is_first_sent || !decode_startup_frame_is_bare(found->octets->data));
  }
  return is_good;
}

static bool conclude(const decode_waiting *of, decode_verdict *verdict)
{
  const decode_verdict_frame *frames = verdict->frames;
  bool is_over = of->is_over || is_exhausted(of, 0, verdict) || is_exhausted(of, 1, verdict);
  bool has_any =
      (frames[DECODE_REQUEST].is_there || frames[DECODE_REPLY].is_there) && is_believed(of, verdict, is_over);

  if (has_any && has_both(verdict) &&
      (is_over || (is_settled(of, &frames[DECODE_REQUEST]) && is_settled(of, &frames[DECODE_REPLY])))) {
    verdict->is_mpa = true;
    conclude_from_both(of, verdict);
    return true;
  }
  const bool due[] = {of->hint && is_hint_due(of, 0), of->hint && is_hint_due(of, 1)};
  bool are_due = (due[0] && (due[1] || is_silent(of, 1))) || (due[1] && is_silent(of, 0));
  if (of->hint && !has_any && (is_over || are_due)) {
    verdict->is_mpa = verdict->is_hinted = true;
    if (!of->sides[0].has_syn && !of->sides[1].has_syn) { /* the end that the hint names listened */
      verdict->initiator = !of->hinted;
    }
    start_as_hinted(of, verdict, 0);
    start_as_hinted(of, verdict, 1);
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
  *verdict = (decode_verdict){.is_mpa = false};
  find_frames(waiting, verdict);
  bool is_reached = conclude(waiting, verdict);
  if (!is_reached) {
    decode_verdict_clear(verdict);
  }
  return is_reached;
}

void decode_verdict_clear(decode_verdict *verdict)
{
  for (unsigned kind = 0; kind < DECODE_FRAMES; kind++) {
    g_clear_pointer(&verdict->frames[kind].octets, g_byte_array_unref);
  }
  *verdict = (decode_verdict){.is_mpa = false};
}
