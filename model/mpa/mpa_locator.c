/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_locator.h"

#include "base/big_endian.h"

const char *const mpa_location_names[MPA_LOCATIONS] = {"chain", "marker", "marker_chain", "assumption"};

void mpa_locator_init(mpa_locator *locator, uint64_t edge, bool markers, bool crc,
                      const mpa_locator_policy *policy)
{
  *locator = (mpa_locator){.policy = policy, .edge = edge, .markers = markers, .crc = crc};
}

void mpa_locator_clear(mpa_locator *locator)
{
  mpa_reassembly *reassembly = locator->reassembly;

  if (reassembly) {
    reassembly_queue_free(reassembly->octets);
    range_set_clear(&reassembly->taken);
    mpa_pending_fpdus_clear(&reassembly->pending);
    deque_clear(&reassembly->completed);
    buffer_chain_clear(&reassembly->fpdu_octets);
    deque_clear(&reassembly->pieces);
    g_free(reassembly);
    locator->reassembly = NULL;
  }
}

mpa_reassembly *mpa_locator_reassembly(mpa_locator *locator)
{
  if (!locator->reassembly) {
    mpa_reassembly *reassembly = g_new0(mpa_reassembly, 1);

    reassembly->octets = reassembly_queue_new();
    range_set_init(&reassembly->taken);
    mpa_pending_fpdus_init(&reassembly->pending);
    deque_init(&reassembly->completed, sizeof(uint64_t));
    buffer_chain_init(&reassembly->fpdu_octets);
    deque_init(&reassembly->pieces, sizeof(mpa_fpdu_piece));
    locator->reassembly = reassembly;
  }
  return locator->reassembly;
}

static void copy_held(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  reassembly_queue_insert(user, position, octets, arrival);
}

void mpa_locator_copy(const mpa_locator *locator, mpa_locator *copy)
{
  const mpa_reassembly *from = locator->reassembly;

  copy->edge = locator->edge;
  copy->takes_long = locator->takes_long;
  copy->error = locator->error;
  if (from) {
    mpa_reassembly *to = mpa_locator_reassembly(copy);

    reassembly_queue_visit(from->octets, 0, UINT64_MAX, copy_held, to->octets);
    for (size_t index = 0; index < range_set_count(&from->taken); index++) {
      range taken = range_set_get(&from->taken, index);
      range_set_add(&to->taken, taken.from, taken.to);
    }
    mpa_pending_fpdus_copy(&from->pending, &to->pending);
    to->has_conflict = from->has_conflict;
  }
}

void mpa_locator_move_edge(mpa_locator *locator, uint64_t edge)
{
  locator->edge = edge;
  if (locator->reassembly && locator->reassembly->pending.entries.count > 0) {
    mpa_pending_fpdus_remove_below(&locator->reassembly->pending, edge); /* starts that are pointless now */
  }
}

/* --- Holding --- */

/* Returns the octets of [from, to) that have arrived: held ones and those taken beyond the edge. */
static uint64_t arrived_octets(const mpa_reassembly *reassembly, uint64_t from, uint64_t to)
{
  return reassembly_queue_covered(reassembly->octets, from, to) +
         range_set_covered(&reassembly->taken, from, to);
}

static void note_if_complete(mpa_reassembly *reassembly, const mpa_pending_fpdu *entry)
{
  if (entry->arrived == entry->fpdu.end - entry->start) {
    deque *completed = &reassembly->completed;

    *(uint64_t *)deque_insert(completed, completed->count) = entry->start;
  }
}

/* [from, to) is held now: what does that complete? Without `duplicates` none of it was there before. */
static void count_arrival(mpa_reassembly *reassembly, uint64_t from, uint64_t to, bool duplicates)
{
  mpa_pending_fpdus *pending = &reassembly->pending;
  size_t count = pending->entries.count;

  for (size_t index = mpa_pending_fpdus_first_reaching(pending, from); index < count; index++) {
    mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, index);

    if (entry->start >= to) {
      break;
    }
    if (!entry->located || entry->fpdu.end <= from) {
      continue;
    }
    uint64_t arrived = entry->arrived + MIN(entry->fpdu.end, to) - MAX(entry->start, from);
    if (duplicates) {
      arrived = arrived_octets(reassembly, entry->start, entry->fpdu.end);
    }
    mpa_pending_fpdus_set_arrived(pending, entry, arrived);
    note_if_complete(reassembly, entry);
  }
}

/* Holds [from, to) of the octets that start at `offset`, none of which was taken; returns how many of them
 * were not held before. */
static uint64_t hold_run(mpa_reassembly *reassembly, uint64_t offset, const buffer_chain *octets,
                         uint64_t from, uint64_t to, time_ps arrival)
{
  uint64_t held;

  if (from == offset && to == offset + octets->length) {
    held = reassembly_queue_insert(reassembly->octets, from, octets, arrival);
  } else {
    buffer_chain run;
    buffer_chain_init_part(&run, octets, (uint32_t)(from - offset), (uint32_t)(to - from));
    held = reassembly_queue_insert(reassembly->octets, from, &run, arrival);
    buffer_chain_clear(&run);
  }
  count_arrival(reassembly, from, to, held < to - from);
  return held;
}

/* Holds what is neither below the edge nor taken of the octets that start at `offset`; true when that is all
 * of them, and none was held before. */
static bool hold(mpa_locator *locator, uint64_t offset, const buffer_chain *octets, time_ps arrival)
{
  mpa_reassembly *reassembly = locator->reassembly;
  uint64_t from = MAX(offset, locator->edge);
  uint64_t held = 0;
  range gap;

  while (range_set_next_gap(&reassembly->taken, &from, offset + octets->length, &gap)) {
    held += hold_run(reassembly, offset, octets, gap.from, gap.to, arrival);
  }
  return held == octets->length;
}

void mpa_locator_hold_pieces(mpa_locator *locator, const buffer_chain *octets, const mpa_fpdu_piece *pieces,
                             size_t piece_count, uint64_t end)
{
  uint64_t first = end - octets->length;

  for (size_t index = 0; index < piece_count; index++) {
    uint64_t from = pieces[index].position;
    uint64_t to = index + 1 < piece_count ? pieces[index + 1].position : end;
    buffer_chain piece;

    buffer_chain_init_part(&piece, octets, (uint32_t)(from - first), (uint32_t)(to - from));
    reassembly_queue_insert(mpa_locator_reassembly(locator)->octets, from, &piece, pieces[index].arrival);
    buffer_chain_clear(&piece);
  }
}

static void note_piece(void *user, uint64_t position, time_ps arrival)
{
  deque *pieces = user;

  *(mpa_fpdu_piece *)deque_insert(pieces, pieces->count) = (mpa_fpdu_piece){position, arrival};
}

static void gather_piece(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  mpa_reassembly *reassembly = user;

  buffer_chain_append_chain(&reassembly->fpdu_octets, octets, 0, octets->length);
  note_piece(&reassembly->pieces, position, arrival);
}

/* The owner's verdict on the FPDU whose octets are in hand. */
static bool is_taken(mpa_locator *locator, const mpa_fpdu *extent, mpa_location method)
{
  const mpa_reassembly *reassembly = locator->reassembly;
  const mpa_complete_fpdu complete = {.extent = *extent,
                                      .method = method,
                                      .octets = &reassembly->fpdu_octets,
                                      .pieces = deque_at(&reassembly->pieces, 0),
                                      .piece_count = reassembly->pieces.count};

  return locator->policy->complete(locator, &complete);
}

/* All octets of the FPDU of `entry` have arrived; true when it is taken. */
static bool finish(mpa_locator *locator, mpa_pending_fpdu *entry)
{
  mpa_reassembly *reassembly = locator->reassembly;
  mpa_fpdu fpdu = entry->fpdu;
  mpa_location method = entry->method;

  if (range_set_covered(&reassembly->taken, fpdu.start, fpdu.end) > 0) {
    if (locator->policy->conflict) {
      locator->policy->conflict(locator, &fpdu);
    }
    return false;
  }
  deque_empty(&reassembly->pieces);
  reassembly_queue_take(reassembly->octets, fpdu.start, fpdu.end, &reassembly->fpdu_octets, note_piece,
                        &reassembly->pieces);
  mpa_pending_fpdus_remove(&reassembly->pending, entry);
  bool taken = is_taken(locator, &fpdu, method);
  if (!taken && locator->error == MPA_ERROR_NONE) {
    mpa_locator_hold_pieces(locator, &reassembly->fpdu_octets, deque_at(&reassembly->pieces, 0),
                            reassembly->pieces.count, fpdu.end);
    mpa_pending_fpdus_locate(&reassembly->pending, &fpdu, method, fpdu.end - fpdu.start);
  }
  buffer_chain_empty(&reassembly->fpdu_octets);
  return taken;
}

/* --- Locating --- */

/* Returns what becomes of the ULPDU_Length at `header`, which is longer than any sender may make it. */
static mpa_long_length judge_long(mpa_locator *locator, uint64_t start, uint64_t header)
{
  uint8_t spare[2 * MPA_FPDU_LENGTH_OCTETS];
  const uint8_t *octets = reassembly_queue_peek(locator->reassembly->octets, header, sizeof spare, spare);
  const uint8_t *next = octets ? octets + MPA_FPDU_LENGTH_OCTETS : NULL;

  return locator->policy->long_length(locator, start, next);
}

/* An FPDU starts at `start` by `method`. It is located once its ULPDU_Length has come (docs/metrics.md): then
 * its entry is returned; else NULL, and the start is remembered. */
static mpa_pending_fpdu *locate(mpa_locator *locator, uint64_t start, mpa_location method)
{
  mpa_reassembly *reassembly = locator->reassembly;
  mpa_pending_fpdu *known = mpa_pending_fpdus_find(&reassembly->pending, start);
  uint64_t header = mpa_fpdu_header(start, locator->markers);
  uint8_t spare[MPA_FPDU_LENGTH_OCTETS];

  if (known && known->located) {
    return known; /* it keeps the method that was first */
  }
  const uint8_t *length = reassembly_queue_peek(reassembly->octets, header, MPA_FPDU_LENGTH_OCTETS, spare);
  uint32_t ulpdu_octets = length ? big_endian_read_16(length) : 0; /* mpa-01 §4 (MPA-074) */
  mpa_long_length verdict = !length                            ? MPA_LONG_LENGTH_UNDECIDED
                            : mpa_length_is_long(ulpdu_octets) ? judge_long(locator, start, header)
                                                               : MPA_LONG_LENGTH_FOLLOWED;
  if (verdict != MPA_LONG_LENGTH_FOLLOWED) {
    if (verdict == MPA_LONG_LENGTH_UNDECIDED &&
        method != MPA_LOCATED_BY_CHAIN) { /* the chain's start is the edge */
      mpa_pending_fpdus_establish(&reassembly->pending, start, method);
    }
    return NULL;
  }
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, locator->markers);
  mpa_pending_fpdu *entry = mpa_pending_fpdus_locate(&reassembly->pending, &fpdu, method,
                                                     arrived_octets(reassembly, start, fpdu.end));
  reassembly->has_conflict |= range_set_covered(&reassembly->taken, start, fpdu.end) > 0;
  note_if_complete(reassembly, entry);
  if (locator->policy->located && entry->arrived < fpdu.end - start) {
    locator->policy->located(locator, entry);
  }
  return entry;
}

/* The chain steps over FPDUs that were taken beyond the edge; true when there was one at the edge. */
static bool skip_taken(mpa_locator *locator)
{
  range_set *taken = &locator->reassembly->taken;

  if (range_set_count(taken) == 0) {
    return false;
  }
  range next = range_set_get(taken, 0);
  if (next.from > locator->edge) {
    return false;
  }
  /* An FPDU that would end inside of one that was taken is a conflict in finish(). */
  g_assert(next.from == locator->edge);
  range_set_remove(taken, next.from, next.to);
  mpa_locator_move_edge(locator, next.to);
  return true;
}

void mpa_locator_follow_chain(mpa_locator *locator)
{
  while (locator->error == MPA_ERROR_NONE) {
    if (skip_taken(locator)) {
      continue;
    }
    mpa_pending_fpdu *next = locate(locator, locator->edge, MPA_LOCATED_BY_CHAIN);
    if (!next || next->arrived < next->fpdu.end - next->start) {
      return;
    }
    uint64_t end = next->fpdu.end;
    if (!finish(locator, next)) {
      return;
    }
    mpa_locator_move_edge(locator, end);
  }
}

/* A marker or the FPDU before establishes that an FPDU starts at `start`; false when it is not located yet.
 */
static bool establish_ahead(mpa_locator *locator, uint64_t start, mpa_location method)
{
  /* At the edge the chain comes first. Below it, or within an FPDU that was taken, the pointer is useless
   * here and will be found out with the FPDU that contains it (docs/decisions.md). Mostly a marker has
   * located what the chain asks about. */
  return start <= locator->edge || mpa_fpdu_header(start, true) == locator->reassembly->marked ||
         range_set_contains(&locator->reassembly->taken, start, start + 1) || locate(locator, start, method);
}

/* The marker at `position` lies in the FPDU at the in-order edge, and is mute. */
static bool is_mute(const mpa_locator *locator, uint64_t position)
{
  const mpa_pending_fpdu *entry =
      locator->takes_long ? mpa_pending_fpdus_find(&locator->reassembly->pending, locator->edge) : NULL;

  return entry && entry->located && mpa_marker_is_mute(&entry->fpdu, position);
}

/* Method 2 (mpa-01 §5.4, MPA-166): the markers that became whole by the arrival of `octets`, the first of
 * which is at `from`. Each is read once, where it came if `is_new`: no octet was there before. Where it
 * points is remembered when the header has not come. */
static void follow_markers(mpa_locator *locator, uint64_t from, const buffer_chain *octets, bool is_new)
{
  mpa_reassembly *reassembly = locator->reassembly;
  uint64_t to = from + octets->length;
  uint64_t position = MAX(mpa_marker_reaching(from), mpa_marker_next(locator->edge));
  uint64_t before = MPA_MARKER_NOWHERE; /* where the marker before pointed: mostly they are of one FPDU */

  for (; position < to && locator->error == MPA_ERROR_NONE; position += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t spare[MPA_MARKER_OCTETS];
    bool is_here = is_new && position >= from && to - position >= MPA_MARKER_OCTETS;
    const uint8_t *wire =
        is_here ? buffer_chain_flat_anywhere(octets, (uint32_t)(position - from), MPA_MARKER_OCTETS) : NULL;

    wire = wire ? wire : reassembly_queue_peek(reassembly->octets, position, MPA_MARKER_OCTETS, spare);
    if (!wire || is_mute(locator, position)) {
      continue;
    }
    uint64_t header = mpa_marker_header(position, wire);
    if (header != MPA_MARKER_NOWHERE && header != before && header != reassembly->marked &&
        establish_ahead(locator, mpa_fpdu_start(header), MPA_LOCATED_BY_MARKER)) {
      reassembly->marked = header;
    }
    before = header;
  }
}

/* Starts that were established before and whose ULPDU_Length arrived with [from, to). */
static void follow_lengths(mpa_locator *locator, uint64_t from, uint64_t to)
{
  const mpa_pending_fpdus *pending = &locator->reassembly->pending;
  size_t index = mpa_pending_fpdus_first_reaching(pending, from);

  for (; index < pending->entries.count && locator->error == MPA_ERROR_NONE; index++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, index);

    if (entry->start >= to) {
      return;
    }
    /* At the edge the chain has looked already. */
    if (!entry->located && entry->start > locator->edge) {
      locate(locator, entry->start, entry->method);
    }
  }
}

/* Beyond the in-order edge after the arrival of `octets`, what is located and complete is offered at once
 * (MPA-069). The methods come in this order because of several that locate an FPDU at the same arrival the
 * lowest-numbered counts: chain, marker, marker chain (docs/decisions.md). */
static void look_ahead(mpa_locator *locator, uint64_t from, const buffer_chain *octets, bool is_new)
{
  mpa_reassembly *reassembly = locator->reassembly;

  follow_markers(locator, from, octets, is_new);
  follow_lengths(locator, from, from + octets->length);
  for (size_t index = 0; index < reassembly->completed.count && locator->error == MPA_ERROR_NONE; index++) {
    uint64_t start = *(uint64_t *)deque_at(&reassembly->completed, index);
    mpa_pending_fpdu *entry = mpa_pending_fpdus_find(&reassembly->pending, start);

    if (!entry) {
      continue; /* the chain was faster */
    }
    uint64_t end = entry->fpdu.end;
    if (finish(locator, entry)) {
      range_set_add(&reassembly->taken, start, end);
      /* Method 3 (mpa-01 §5.4, MPA-167); may lengthen the list that this loop walks. */
      establish_ahead(locator, end, MPA_LOCATED_BY_MARKER_CHAIN);
    }
  }
}

/* Returns whether octets that arrived from `from` on may let the chain go on: they complete the FPDU at the
 * edge, bring its ULPDU_Length, or bring the octets by which an overlong one is judged. */
static bool may_follow_chain(const mpa_locator *locator, uint64_t from)
{
  const mpa_pending_fpdus *pending = &locator->reassembly->pending;
  const mpa_pending_fpdu *first = pending->entries.count > 0 ? mpa_pending_fpdus_at(pending, 0) : NULL;

  return from < mpa_fpdu_header(locator->edge, locator->markers) + 2 * MPA_FPDU_LENGTH_OCTETS ||
         (first && first->start == locator->edge && first->arrived == first->fpdu.end - first->start);
}

void mpa_locator_receive(mpa_locator *locator, uint64_t offset, const buffer_chain *octets, time_ps arrival)
{
  deque_empty(&mpa_locator_reassembly(locator)->completed);
  bool is_new = hold(locator, offset, octets, arrival);
  if (may_follow_chain(locator, offset)) {
    mpa_locator_follow_chain(locator);
  }
  if (locator->markers && locator->error == MPA_ERROR_NONE) {
    look_ahead(locator, offset, octets, is_new);
  }
}

/* --- By assumption --- */

/* An FPDU located otherwise, and not complete, has an octet of `fpdu`. */
static bool is_contradicted(const mpa_pending_fpdus *pending, const mpa_fpdu *fpdu)
{
  for (size_t index = mpa_pending_fpdus_first_reaching(pending, fpdu->start); index < pending->entries.count;
       index++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, index);

    if (entry->start >= fpdu->end) {
      return false;
    }
    if (entry->located && entry->fpdu.end > fpdu->start) {
      return true;
    }
  }
  return false;
}

/* Reads what an FPDU at `start` would be, if it can be one that lies within the octets below `to`, held
 * now. */
static bool read_fpdu(const mpa_locator *locator, uint64_t start, uint64_t to, mpa_fpdu *fpdu)
{
  const mpa_reassembly *reassembly = locator->reassembly;
  uint64_t header = mpa_fpdu_header(start, locator->markers);
  uint8_t spare[MPA_FPDU_LENGTH_OCTETS];

  if (start % 4 != 0 || header + MPA_FPDU_LENGTH_OCTETS > to) {
    return false; /* FPDUs start at multiples of 4 (MPA-100) */
  }
  const uint8_t *length = reassembly_queue_peek(reassembly->octets, header, MPA_FPDU_LENGTH_OCTETS, spare);
  if (!length) {
    return false;
  }
  *fpdu = mpa_fpdu_at(start, big_endian_read_16(length), locator->markers);
  return fpdu->end <= to && reassembly_queue_contains(reassembly->octets, fpdu->start, fpdu->end) &&
         !is_contradicted(&reassembly->pending, fpdu);
}

void mpa_locator_assume(mpa_locator *locator, uint64_t from, uint64_t to)
{
  mpa_reassembly *reassembly = mpa_locator_reassembly(locator);
  bool taken = true;
  mpa_fpdu fpdu;

  /* What was taken already is not held: there the permitted methods know how it goes on. */
  for (uint64_t start = MAX(from, locator->edge); taken && read_fpdu(locator, start, to, &fpdu);
       start = fpdu.end) {
    deque_empty(&reassembly->pieces);
    reassembly_queue_visit(reassembly->octets, fpdu.start, fpdu.end, gather_piece, reassembly);
    taken = is_taken(locator, &fpdu, MPA_LOCATED_BY_ASSUMPTION);
    buffer_chain_empty(&reassembly->fpdu_octets);
    if (taken) {
      reassembly_queue_remove(reassembly->octets, fpdu.start, fpdu.end);
      range_set_add(&reassembly->taken, fpdu.start, fpdu.end);
    }
  }
}

/* --- What is held --- */

bool mpa_locator_is_empty(const mpa_locator *locator)
{
  const mpa_reassembly *reassembly = locator->reassembly;

  return !reassembly || (reassembly_queue_total(reassembly->octets) == 0 &&
                         range_set_count(&reassembly->taken) == 0 && reassembly->pending.entries.count == 0);
}

/* Held octets within located FPDUs of a stream that contradicts itself: their extents overlap each other or
 * FPDUs that were taken, and each octet counts once. */
static uint64_t disputed_octets(const mpa_reassembly *reassembly)
{
  uint64_t octets = 0;
  uint64_t counted = 0; /* below this offset */

  for (size_t index = 0; index < reassembly->pending.entries.count; index++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(&reassembly->pending, index);

    if (entry->located && entry->fpdu.end > counted) {
      octets += reassembly_queue_covered(reassembly->octets, MAX(entry->start, counted), entry->fpdu.end);
      counted = entry->fpdu.end;
    }
  }
  return octets;
}

G_GNUC_NO_INLINE void mpa_locator_held(const mpa_locator *locator, mpa_held *held)
{
  const mpa_reassembly *reassembly = locator->reassembly;

  *held = (mpa_held){.edge = locator->edge};
  if (mpa_locator_is_empty(locator)) {
    return;
  }
  const mpa_pending_fpdus *pending = &reassembly->pending;
  const mpa_pending_fpdu *at_edge = mpa_pending_fpdus_find(pending, locator->edge);
  uint64_t header = mpa_fpdu_header(locator->edge, locator->markers);

  held->partial_fpdus = pending->located;
  held->incomplete =
      reassembly->has_conflict || pending->overlap ? disputed_octets(reassembly) : pending->arrived;
  if (at_edge && at_edge->located) {
    held->partial_end = at_edge->fpdu.end;
  } else if (header > locator->edge) {
    /* The marker that leads the FPDU at the edge can belong to nothing else (docs/metrics.md). */
    held->incomplete += reassembly_queue_covered(reassembly->octets, locator->edge, header);
  }
  *(locator->markers ? &held->unlocated : &held->order) =
      reassembly_queue_total(reassembly->octets) - held->incomplete;
}

static void count_piece(void *user, G_GNUC_UNUSED uint64_t position, G_GNUC_UNUSED const buffer_chain *octets,
                        G_GNUC_UNUSED time_ps arrival)
{
  uint32_t *pieces = user;

  ++*pieces;
}

uint32_t mpa_locator_pieces_of(const mpa_locator *locator, uint64_t from, uint64_t to)
{
  uint32_t pieces = 0;

  reassembly_queue_visit(locator->reassembly->octets, from, to, count_piece, &pieces);
  return pieces;
}

uint32_t mpa_locator_pieces(const mpa_locator *locator)
{
  const mpa_reassembly *reassembly = locator->reassembly;
  uint32_t most = 0;

  for (size_t index = 0; reassembly && index < reassembly->pending.entries.count; index++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(&reassembly->pending, index);
    if (entry->located) {
      most = MAX(most, mpa_locator_pieces_of(locator, entry->start, entry->fpdu.end));
    }
  }
  return most;
}
