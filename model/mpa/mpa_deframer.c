/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_deframer.h"

#include "base/big_endian.h"
#include "mpa/mpa_front.h"
#include "mpa/mpa_locator.h"
#include "mpa/mpa_pending_fpdus.h"

/* This is what a connection needs only when FPDUs do not come whole and in order. */
typedef struct mpa_slow_path {
  time_ps now; /* of the call in hand */
  mpa_front front;
  deque assumed;         /* of mpa_assumed_fpdu */
  mpa_ulpdu_part *parts; /* scratch: of the ULPDU in hand */
  uint32_t parts_capacity;
} mpa_slow_path;

struct mpa_deframer {
  mpa_locator locator;
  const mpa_deframer_events *events;
  void *user;
  mpa_slow_path *slow; /* NULL until needed */
  mpa_deframer_statistics statistics;
};

/* Nothing is passed after an error (mpa-01 §7, MPA-288). The documents leave open what happens to octets that
 * can no longer be used; an RNIC would not keep memory for them, so they are released. */
static void let_go(mpa_deframer *deframer)
{
  mpa_locator_clear(&deframer->locator);
  if (deframer->slow) {
    buffer_chain_clear(&deframer->slow->front.octets);
    deque_clear(&deframer->slow->assumed);
    g_free(deframer->slow->parts);
    g_free(deframer->slow);
    deframer->slow = NULL;
  }
}

static mpa_slow_path *slow_path_of(mpa_deframer *deframer)
{
  if (!deframer->slow) {
    deframer->slow = g_new0(mpa_slow_path, 1);
    deque_init(&deframer->slow->assumed, sizeof(mpa_assumed_fpdu));
  }
  return deframer->slow;
}

static bool has_front(const mpa_deframer *deframer)
{
  return deframer->slow && deframer->slow->front.octets.length > 0;
}

/* --- One FPDU --- */

static void fail(mpa_deframer *deframer, mpa_error error, uint64_t offset, time_ps now)
{
  g_assert(deframer->locator.error == MPA_ERROR_NONE);
  deframer->locator.error = error;
  if (error == MPA_ERROR_CRC) {
    deframer->statistics.crc_errors++;
  }
  deframer->events->error(deframer->user, error, offset, now);
}

/* Passes the valid `ulpdu` up. An assumed one is passed up only if it is plausible; false when it is not. */
static inline bool pass(mpa_deframer *deframer, const mpa_ulpdu *ulpdu, time_ps now)
{
  const mpa_deframer_events *events = deframer->events;

  if (ulpdu->located_by == MPA_LOCATED_BY_ASSUMPTION && events->plausible &&
      !events->plausible(deframer->user, ulpdu)) {
    return false;
  }
  deframer->statistics.fpdus++;
  deframer->statistics.located_by[ulpdu->located_by]++;
  deframer->statistics.markers += mpa_fpdu_marker_count(&ulpdu->fpdu);
  events->ulpdu(deframer->user, ulpdu, now);
  return true;
}

/* Is the FPDU of `ulpdu` valid? */
static inline mpa_error check(const mpa_deframer *deframer, const mpa_ulpdu *ulpdu)
{
  return ulpdu->flat ? mpa_fpdu_check_flat(&ulpdu->fpdu, ulpdu->flat, deframer->locator.crc)
                     : mpa_fpdu_check(&ulpdu->fpdu, ulpdu->octets, ulpdu->from, deframer->locator.crc);
}

/* `ulpdu` goes up if its FPDU is valid (mpa-01 §5.4, MPA-159), else it is the error of this half connection;
 * true when passed. */
static inline bool judge(mpa_deframer *deframer, const mpa_ulpdu *ulpdu, time_ps now)
{
  mpa_error error = check(deframer, ulpdu);

  if (error != MPA_ERROR_NONE) {
    fail(deframer, error, ulpdu->fpdu.start, now);
    return false;
  }
  if (deframer->slow && deframer->slow->assumed.count > 0) {
    deframer->statistics.wrong_guesses +=
        mpa_assumed_fpdus_prove(&deframer->slow->assumed, ulpdu->fpdu.start, ulpdu->fpdu.end);
  }
  return pass(deframer, ulpdu, now);
}

/* What looks like an FPDU at a segment's start goes up if nothing speaks against it. It is remembered either
 * way; true when passed. */
static bool judge_assumed(mpa_deframer *deframer, const mpa_ulpdu *ulpdu, time_ps now)
{
  bool may_be_long = deframer->locator.takes_long && deframer->locator.crc;

  if ((mpa_length_is_long(ulpdu->fpdu.ulpdu_octets) && !may_be_long) ||
      check(deframer, ulpdu) != MPA_ERROR_NONE) {
    return false;
  }
  mpa_assumed_fpdus_add(&deframer->slow->assumed, ulpdu->fpdu.start, ulpdu->fpdu.end);
  return pass(deframer, ulpdu, now);
}

/* Sets `ulpdu` to that of `fpdu`, and finds how its octets arrived: parts, neighbours of one arrival being
 * one part, and the octets that came before now. */
static void find_ulpdu(mpa_deframer *deframer, const mpa_complete_fpdu *fpdu, mpa_ulpdu *ulpdu)
{
  const mpa_fpdu *extent = &fpdu->extent;
  uint64_t from = extent->start;
  uint32_t ulpdu_from = 0;
  mpa_slow_path *slow = deframer->slow;

  if (slow->parts_capacity < fpdu->piece_count) {
    slow->parts_capacity = (uint32_t)MAX(fpdu->piece_count, (size_t)MPA_FRONT_PIECES_MAX);
    slow->parts = g_renew(mpa_ulpdu_part, slow->parts, slow->parts_capacity);
  }
  mpa_ulpdu_part *part = slow->parts;
  *ulpdu = (mpa_ulpdu){
      .fpdu = *extent,
      .located_by = fpdu->method,
      .parts = part,
      .octets = fpdu->octets,
      .from = fpdu->from,
      .flat = buffer_chain_flat(fpdu->octets, fpdu->from, (uint32_t)(extent->end - extent->start))};
  for (size_t index = 0; from < extent->end; index++) { /* which the last piece reaches */
    bool is_last = index + 1 == fpdu->piece_count || fpdu->pieces[index + 1].position >= extent->end;
    uint64_t to = is_last ? extent->end : fpdu->pieces[index + 1].position;
    time_ps arrival = fpdu->pieces[index].arrival;
    if (to <= from) {
      continue; /* all of it is before this FPDU */
    }
    uint32_t ulpdu_to = is_last ? extent->ulpdu_octets : mpa_fpdu_ulpdu_octets_below(extent, to);
    ulpdu->held_octets += arrival < slow->now ? to - from : 0;
    if (ulpdu_to > ulpdu_from && part > slow->parts && part[-1].arrival == arrival) {
      part[-1].length += ulpdu_to - ulpdu_from;
    } else if (ulpdu_to > ulpdu_from) { /* else header, PAD, CRC or marker only */
      *part++ = (mpa_ulpdu_part){ulpdu_from, ulpdu_to - ulpdu_from, arrival};
    }
    from = to;
    ulpdu_from = ulpdu_to;
  }
  ulpdu->part_count = (size_t)(part - slow->parts);
}

/* --- The locator asks --- */

static bool on_complete(mpa_locator *locator, const mpa_complete_fpdu *fpdu)
{
  mpa_deframer *deframer = (mpa_deframer *)locator;
  mpa_ulpdu ulpdu;

  find_ulpdu(deframer, fpdu, &ulpdu);
  time_ps now = deframer->slow->now;
  return fpdu->method == MPA_LOCATED_BY_ASSUMPTION ? judge_assumed(deframer, &ulpdu, now)
                                                   : judge(deframer, &ulpdu, now);
}

static void on_located(mpa_locator *locator, const mpa_pending_fpdu *entry)
{
  const mpa_deframer *deframer = (const mpa_deframer *)locator;

  if (deframer->events->located) {
    deframer->events->located(deframer->user, &entry->fpdu, entry->method, entry->arrived);
  }
}

/* Its ULPDU_Length reaches into a valid FPDU that was passed already, so its digest cannot be looked at any
 * more. The documents do not know this case. With CRC the length is taken for the broken one, as an unproven
 * length against a proven FPDU (code 2 comes first, docs/decisions.md); without, lengths and markers
 * disagree. Where the passed one was only assumed, the assumption was wrong; its octets are gone. */
static void on_conflict(mpa_locator *locator, const mpa_fpdu *extent)
{
  mpa_deframer *deframer = (mpa_deframer *)locator;
  mpa_slow_path *slow = deframer->slow;

  deframer->statistics.wrong_guesses += mpa_assumed_fpdus_prove(&slow->assumed, extent->start, extent->end);
  fail(deframer, deframer->locator.crc ? MPA_ERROR_CRC : MPA_ERROR_MARKER, extent->start, slow->now);
}

/* Such an FPDU is invalid whatever its CRC (mpa-01 §3.2, MPA-062, MPA-063), unless long ones are taken. A
 * ULPDU of no octets is no concern of MPA's. */
static bool follows_long(mpa_deframer *deframer, uint64_t start, time_ps now)
{
  if (!deframer->locator.takes_long) {
    fail(deframer, MPA_ERROR_CRC, start, now);
  }
  return deframer->locator.takes_long;
}

static mpa_long_length on_long_length(mpa_locator *locator, uint64_t start, G_GNUC_UNUSED const uint8_t *next)
{
  mpa_deframer *deframer = (mpa_deframer *)locator;

  return follows_long(deframer, start, deframer->slow->now) ? MPA_LONG_LENGTH_FOLLOWED
                                                            : MPA_LONG_LENGTH_REFUSED;
}

/* --- Making one --- */

mpa_deframer *mpa_deframer_new(bool markers, bool crc, const mpa_deframer_events *events, void *user)
{
  static const mpa_locator_policy policy = {
      .complete = on_complete, .located = on_located, .conflict = on_conflict, .long_length = on_long_length};
  mpa_deframer *deframer = g_new0(mpa_deframer, 1);

  mpa_locator_init(&deframer->locator, 0, markers, crc, &policy);
  deframer->events = events;
  deframer->user = user;
  return deframer;
}

void mpa_deframer_take_long(mpa_deframer *deframer)
{
  deframer->locator.takes_long = true;
}

void mpa_deframer_start_at(mpa_deframer *deframer, uint64_t offset)
{
  g_assert(!deframer->slow && !deframer->locator.reassembly && deframer->statistics.fpdus == 0);
  deframer->locator.edge = offset;
}

void mpa_deframer_free(mpa_deframer *deframer)
{
  if (deframer) {
    let_go(deframer);
    g_free(deframer);
  }
}

mpa_deframer *mpa_deframer_copy(const mpa_deframer *deframer, const mpa_deframer_events *events, void *user)
{
  mpa_deframer *copy = mpa_deframer_new(deframer->locator.markers, deframer->locator.crc, events, user);

  copy->statistics = deframer->statistics;
  mpa_locator_copy(&deframer->locator, &copy->locator);
  if (deframer->slow) {
    mpa_slow_path *slow = slow_path_of(copy);

    mpa_front_copy(&deframer->slow->front, &slow->front);
    deque_copy(&deframer->slow->assumed, &slow->assumed);
  }
  return copy;
}

/* --- FPDUs that are whole in order --- */

/* ULPDU_Length at octets[from, …), which lie in several pieces. */
static G_GNUC_NO_INLINE uint32_t read_later_length(const buffer_chain *octets, uint32_t from)
{
  uint8_t wire[MPA_FPDU_LENGTH_OCTETS];

  buffer_chain_copy_out(octets, from, MPA_FPDU_LENGTH_OCTETS, wire);
  return big_endian_read_16(wire);
}

/* Reads what an FPDU is at the in-order edge, if its ULPDU_Length is among the octets that start at `offset`,
 * at or below the edge, and lie in one piece at `flat` (NULL: in several); else, or when it is an error,
 * false. */
static inline bool read_at_edge(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                                const uint8_t *flat, time_ps now, mpa_fpdu *fpdu)
{
  uint64_t start = deframer->locator.edge;
  bool markers = deframer->locator.markers;
  uint64_t header = mpa_fpdu_header(start, markers);

  if (header + MPA_FPDU_LENGTH_OCTETS > offset + octets->length) {
    return false;
  }
  uint32_t from = (uint32_t)(header - offset);
  uint32_t ulpdu_octets = /* mpa-01 §4 (MPA-074) */
      flat ? big_endian_read_16(flat + from) : read_later_length(octets, from);
  if (mpa_length_is_long(ulpdu_octets) && !follows_long(deframer, start, now)) {
    return false;
  }
  *fpdu = mpa_fpdu_at(start, ulpdu_octets, markers);
  return true;
}

/* In the common case (mpa-01 §5.4.1, MPA-171) FPDUs start at the in-order edge and are whole in this arrival.
 * They are judged where they lie; none of their octets is ever held. */
static void pass_whole_fpdus(mpa_deframer *deframer, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  uint64_t offset = deframer->locator.edge;
  uint64_t end = offset + octets->length;
  const uint8_t *flat = buffer_chain_one_piece(octets);
  mpa_fpdu fpdu;

  while (deframer->locator.edge < end && read_at_edge(deframer, offset, octets, flat, now, &fpdu) &&
         fpdu.end <= end) {
    const mpa_ulpdu_part part = {.from = 0, .length = fpdu.ulpdu_octets, .arrival = arrival};
    const uint32_t from = (uint32_t)(fpdu.start - offset);
    const mpa_ulpdu ulpdu = {.fpdu = fpdu,
                             .located_by = MPA_LOCATED_BY_CHAIN,
                             .held_octets = arrival < now ? fpdu.end - fpdu.start : 0,
                             .parts = &part,
                             .part_count = part.length > 0,
                             .octets = octets,
                             .from = from,
                             .flat = flat ? flat + from : NULL};
    if (!judge(deframer, &ulpdu, now)) {
      return;
    }
    mpa_locator_move_edge(&deframer->locator, fpdu.end);
  }
}

/* --- The front --- */

/* Judges the FPDU `extent` whose octets in the front are those from `from` on; true when it passed. */
static bool judge_front(mpa_deframer *deframer, const mpa_fpdu *extent, uint32_t from)
{
  const mpa_front *front = &deframer->slow->front;
  const mpa_complete_fpdu fpdu = {.extent = *extent,
                                  .method = MPA_LOCATED_BY_CHAIN,
                                  .octets = &front->octets,
                                  .from = from,
                                  .pieces = front->pieces,
                                  .piece_count = front->piece_count};

  return on_complete(&deframer->locator, &fpdu);
}

/* FPDUs that are whole by now in the front, which starts at the edge, are judged there and leave it. */
static void pass_front(mpa_deframer *deframer)
{
  mpa_front *front = &deframer->slow->front;
  uint64_t start = deframer->locator.edge;
  uint64_t end = start + front->octets.length;
  bool was_located = front->is_located;
  const uint8_t *flat = buffer_chain_one_piece(&front->octets);

  front->is_located = false;
  while (deframer->locator.edge < end &&
         read_at_edge(deframer, start, &front->octets, flat, deframer->slow->now, &front->fpdu)) {
    if (front->fpdu.end > end) {
      front->is_located = true;
      if (deframer->events->located && !(was_located && front->fpdu.start == start)) {
        deframer->events->located(deframer->user, &front->fpdu, MPA_LOCATED_BY_CHAIN,
                                  end - front->fpdu.start);
      }
      break;
    }
    if (!judge_front(deframer, &front->fpdu, (uint32_t)(front->fpdu.start - start))) {
      return;
    }
    mpa_locator_move_edge(&deframer->locator, front->fpdu.end);
  }
  if (deframer->locator.edge > start) {
    mpa_front_drop_below(front, start, deframer->locator.edge);
  }
}

/* Octets come in order, and nothing is held but perhaps in the front, which they continue. Returns true when
 * they need nothing more; else they are to be located in the general way. An FPDU that they complete leaves
 * the front before the others come into it: so the front has one FPDU, in one block if it was sent so. */
static bool receive_at_front(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                             time_ps arrival)
{
  uint32_t from = (uint32_t)(MAX(offset, deframer->locator.edge) - offset);
  mpa_front *front = &deframer->slow->front;

  if (front->is_located && front->fpdu.end <= offset + octets->length) {
    from = (uint32_t)(front->fpdu.end - offset);
    mpa_front_append(front, deframer->locator.edge, octets, 0, from, arrival);
    if (!judge_front(deframer, &front->fpdu, 0)) {
      return true;
    }
    mpa_locator_move_edge(&deframer->locator, front->fpdu.end);
    mpa_front_empty(front);
    if (from == octets->length) {
      return true;
    }
  }
  mpa_front_append(front, deframer->locator.edge, octets, from, octets->length, arrival);
  pass_front(deframer);
  return deframer->locator.error != MPA_ERROR_NONE || !has_front(deframer) ||
         mpa_front_is_plain(front, &deframer->locator, offset);
}

/* --- Octets arrive --- */

/* By the permitted methods, and then, if octets are a segment's first, by assumption. */
static void receive(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets, time_ps arrival,
                    time_ps now, bool assumes)
{
  mpa_locator *locator = &deframer->locator;
  uint64_t end = offset + octets->length;

  if (locator->error != MPA_ERROR_NONE || end <= locator->edge) {
    return;
  }
  /* They continue a front that has room for a piece; or there is none, and nothing of [in-order edge, end) is
   * held or was passed early. */
  const mpa_reassembly *reassembly = locator->reassembly;
  bool at_front = has_front(deframer) && mpa_front_end(&deframer->slow->front, locator->edge) == offset &&
                  deframer->slow->front.piece_count < MPA_FRONT_PIECES_MAX;
  if (!has_front(deframer) && offset == locator->edge &&
      (!reassembly ||
       ((reassembly_queue_total(reassembly->octets) == 0 ||
         reassembly_queue_next_held(reassembly->octets, offset) >= end) &&
        (range_set_count(&reassembly->taken) == 0 || range_set_get(&reassembly->taken, 0).from >= end)))) {
    pass_whole_fpdus(deframer, octets, arrival, now);
    at_front = locator->error == MPA_ERROR_NONE && mpa_locator_is_empty(locator);
    if (locator->edge == end && at_front) {
      return;
    }
  }
  slow_path_of(deframer)->now = now;
  bool is_done = at_front && !assumes && receive_at_front(deframer, offset, octets, arrival);
  if (!is_done && locator->error == MPA_ERROR_NONE) {
    mpa_front_leave(&deframer->slow->front, locator);
    mpa_locator_receive(locator, offset, octets, arrival);
    if (locator->error == MPA_ERROR_NONE && assumes) {
      mpa_locator_assume(locator, offset, end);
    } else if (locator->error == MPA_ERROR_NONE) {
      mpa_front_return(&deframer->slow->front, locator);
    }
    mpa_assumed_fpdus_forget_below(&deframer->slow->assumed, locator->edge);
  }
  if (locator->error != MPA_ERROR_NONE) {
    let_go(deframer);
  }
}

void mpa_deframer_receive(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                          time_ps arrival, time_ps now)
{
  receive(deframer, offset, octets, arrival, now, false);
}

void mpa_deframer_receive_segment(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                                  time_ps arrival, time_ps now)
{
  receive(deframer, offset, octets, arrival, now, true);
}

/* This is what would come of octets from `from` on, tried out on a copy. */
typedef struct inspection {
  const mpa_locator *locator;
  const buffer_chain *octets;
  uint64_t from;
  mpa_error verdict;
} inspection;

/* The error is theirs if the FPDU lies whole in them; of a ULPDU_Length that cannot be, if that does. */
static void blame(void *user, mpa_error error, uint64_t offset, G_GNUC_UNUSED time_ps now)
{
  inspection *look = user;
  bool markers = look->locator->markers;
  uint64_t header = mpa_fpdu_header(offset, markers);
  uint64_t to = look->from + look->octets->length;

  if (header < look->from || header + MPA_FPDU_LENGTH_OCTETS > to) {
    return;
  }
  uint32_t ulpdu_octets = read_later_length(look->octets, (uint32_t)(header - look->from));
  if ((mpa_length_is_long(ulpdu_octets) && !look->locator->takes_long) ||
      (offset >= look->from && mpa_fpdu_at(offset, ulpdu_octets, markers).end <= to)) {
    look->verdict = error;
  }
}

static void ignore_ulpdu(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const mpa_ulpdu *ulpdu,
                         G_GNUC_UNUSED time_ps now)
{
}

mpa_error mpa_deframer_inspect(const mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets)
{
  static const mpa_deframer_events events = {.ulpdu = ignore_ulpdu, .error = blame};
  inspection look = {.locator = &deframer->locator, .octets = octets, .from = offset};
  mpa_deframer *copy = mpa_deframer_copy(deframer, &events, &look);

  mpa_deframer_receive(copy, offset, octets, 0, 0);
  mpa_deframer_free(copy);
  return look.verdict;
}

/* --- What is held --- */

bool mpa_deframer_holds_nothing(const mpa_deframer *deframer)
{
  const mpa_reassembly *reassembly = deframer->locator.reassembly;

  return !has_front(deframer) && (!reassembly || (reassembly_queue_total(reassembly->octets) == 0 &&
                                                  reassembly->pending.located == 0));
}

void mpa_deframer_held(const mpa_deframer *deframer, mpa_held *held)
{
  if (!has_front(deframer)) {
    mpa_locator_held(&deframer->locator, held);
    return;
  }
  mpa_front_held(&deframer->slow->front, &deframer->locator, held);
}

uint32_t mpa_deframer_pieces(const mpa_deframer *deframer)
{
  if (has_front(deframer)) {
    return deframer->slow->front.is_located ? deframer->slow->front.piece_count : 0;
  }
  return mpa_locator_pieces(&deframer->locator);
}

const mpa_deframer_statistics *mpa_deframer_statistics_of(const mpa_deframer *deframer)
{
  return &deframer->statistics;
}
