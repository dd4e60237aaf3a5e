/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_deframer_private.h"

#include "base/big_endian.h"
#include "mpa/mpa_marker.h"

mpa_deframer *mpa_deframer_new(bool markers, bool crc, const mpa_deframer_events *events, void *user)
{
  mpa_deframer *deframer = g_new0(mpa_deframer, 1);

  deframer->markers = markers;
  deframer->crc = crc;
  deframer->events = events;
  deframer->user = user;
  deframer->error = MPA_ERROR_NONE;
  deframer->stuck = UINT64_MAX;
  return deframer;
}

void mpa_deframer_take_long(mpa_deframer *deframer)
{
  deframer->takes_long = true;
}

void mpa_deframer_free(mpa_deframer *deframer)
{
  if (!deframer) {
    return;
  }
  mpa_deframer_ahead_free(deframer->ahead);
  g_free(deframer);
}

static void fail(mpa_deframer *deframer, mpa_error error, uint64_t offset, time_ps now)
{
  g_assert(deframer->error == MPA_ERROR_NONE);
  deframer->error = error;
  if (error == MPA_ERROR_CRC) {
    deframer->statistics.crc_errors++;
  }
  deframer->events->error(deframer->user, error, offset, now);
}

/* Nothing is passed after an error (mpa-01 §7, MPA-288). The documents do not say what becomes of octets
 * that can no longer be used; an RNIC would not keep memory for them, so they are let go. */
static void let_go(mpa_deframer *deframer)
{
  mpa_deframer_ahead_free(deframer->ahead);
  deframer->ahead = NULL;
}

bool mpa_deframer_pass(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, time_ps now)
{
  const mpa_deframer_events *events = deframer->events;
  bool guessed = fpdu->method == MPA_LOCATED_BY_ASSUMPTION;

  octet_rope octets;
  octet_rope_init(&octets);
  bool is_in_one_block = mpa_fpdu_strip(&fpdu->extent, fpdu->octets, fpdu->from, &octets);
  mpa_ulpdu ulpdu = {.fpdu_start = fpdu->extent.start,
                     .fpdu_end = fpdu->extent.end,
                     .located_by = fpdu->method,
                     .held_octets = fpdu->held_octets,
                     .octets = &octets,
                     .parts = fpdu->parts,
                     .part_count = fpdu->part_count,
                     .fpdu = fpdu};
  bool passes = !guessed || !events->plausible || events->plausible(deframer->user, &ulpdu);
  if (passes) {
    deframer->statistics.fpdus++;
    deframer->statistics.long_ulpdus += mpa_deframer_is_long(fpdu->extent.ulpdu_octets);
    deframer->statistics.located_by[fpdu->method]++;
    deframer->statistics.markers += mpa_fpdu_marker_count(&fpdu->extent);
    events->ulpdu(deframer->user, &ulpdu, now);
  }
  if (is_in_one_block) {
    octet_rope_clear_runs(&octets);
  } else {
    octet_rope_clear(&octets);
  }
  return passes;
}

/* `fpdu` goes up if it is valid (mpa-01 §5.4, MPA-159), else it is the error of this half connection; true when passed. */
static bool judge(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, time_ps now)
{
  const mpa_fpdu *extent = &fpdu->extent;
  mpa_error error = mpa_fpdu_check(extent, fpdu->octets, fpdu->from, deframer->crc);

  if (error != MPA_ERROR_NONE) {
    if (deframer->follows_errors) {
      return mpa_deframer_pass_invalid(deframer, fpdu, error, now);
    }
    fail(deframer, error, extent->start, now);
    return false;
  }
  if (deframer->ahead) {
    deframer->statistics.wrong_guesses +=
        mpa_guesses_prove(deframer->ahead->guesses, extent->start, extent->end);
  }
  return mpa_deframer_pass(deframer, fpdu, now);
}

void mpa_deframer_advance_edge(mpa_deframer *deframer, uint64_t edge)
{
  deframer->edge = edge;
  if (deframer->ahead) {
    mpa_open_fpdus_remove_below(deframer->ahead->open, edge);
    mpa_guesses_forget_below(deframer->ahead->guesses, edge);
  }
}

/* Whether ULPDU_Length may be trusted as far as to look for the end of the FPDU at `start`. The field
 * could say more than a ULPDU may have; such an FPDU is invalid whatever its CRC (mpa-01 §3.2, MPA-062,
 * MPA-063; notes-mpa 15), but for who takes long ones. A ULPDU of no octets is none of MPA's business (notes-mpa 14). `behind`: the two octets
 * after the field, for a deframer that takes long ones and follows errors. */
static bool length_is_possible(mpa_deframer *deframer, uint64_t start, uint32_t ulpdu_octets,
                               const uint8_t *behind, time_ps now)
{
  if (!mpa_deframer_is_long(ulpdu_octets)) {
    return true;
  }
  if (deframer->follows_errors) {
    return mpa_deframer_follows_long(deframer, start, behind, now);
  }
  if (deframer->takes_long) {
    return true;
  }
  fail(deframer, MPA_ERROR_CRC, start, now);
  return false;
}

/* ULPDU_Length at octets[from, …) when it does not lie in the first slice. */
static G_GNUC_NO_INLINE uint32_t read_length_behind(const octet_rope *octets, uint32_t from)
{
  const uint8_t *flat = octet_rope_flat_anywhere(octets, from, MPA_FPDU_LENGTH_OCTETS);
  uint8_t spare[MPA_FPDU_LENGTH_OCTETS];

  if (!flat) {
    octet_rope_copy_out(octets, from, MPA_FPDU_LENGTH_OCTETS, spare);
    flat = spare;
  }
  return big_endian_read_16(flat);
}

/* Octets that are to be there before a ULPDU_Length of `ulpdu_octets` is judged: the field, or that and two more. */
static uint32_t judged_octets(const mpa_deframer *deframer, uint32_t ulpdu_octets)
{
  bool asks = mpa_deframer_is_long(ulpdu_octets) && deframer->takes_long && deframer->follows_errors;

  return asks ? 2 * MPA_FPDU_LENGTH_OCTETS : MPA_FPDU_LENGTH_OCTETS;
}

/* What read_at_edge() does of a long ULPDU, whose ULPDU_Length lies at octets[from, …). */
static G_GNUC_NO_INLINE bool long_is_possible(mpa_deframer *deframer, const octet_rope *octets, uint32_t from,
                                              uint32_t ulpdu_octets, time_ps now)
{
  uint32_t judged = judged_octets(deframer, ulpdu_octets);
  uint8_t wire[2 * MPA_FPDU_LENGTH_OCTETS];

  if (from + judged > octets->length) {
    return false;
  }
  octet_rope_copy_out(octets, from, judged, wire);
  return length_is_possible(deframer, deframer->edge, ulpdu_octets, wire + MPA_FPDU_LENGTH_OCTETS, now);
}

/* What an FPDU is at the in-order edge, if its ULPDU_Length is among the octets that start at `offset`, at or below the
 * edge; else, or when it is an error, false. */
static inline bool read_at_edge(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets,
                                time_ps now, mpa_fpdu *fpdu)
{
  uint64_t start = deframer->edge;
  uint64_t header = mpa_fpdu_header(start, deframer->markers);

  if (header + MPA_FPDU_LENGTH_OCTETS > offset + octets->length) {
    return false;
  }
  uint32_t from = (uint32_t)(header - offset);
  const uint8_t *flat = octet_rope_flat(octets, from, MPA_FPDU_LENGTH_OCTETS);
  uint32_t ulpdu_octets = /* mpa-01 §4 (MPA-074) */
      flat ? big_endian_read_16(flat) : read_length_behind(octets, from);
  if (mpa_deframer_is_long(ulpdu_octets) && !long_is_possible(deframer, octets, from, ulpdu_octets, now)) {
    return false;
  }
  *fpdu = mpa_fpdu_at(start, ulpdu_octets, deframer->markers);
  return true;
}

/* The common case (mpa-01 §5.4.1, MPA-171): FPDUs that start at the in-order edge and are whole in this
 * arrival. They are judged where they lie; none of their octets is ever held. False at one that is not passed. */
static bool pass_whole_fpdus(mpa_deframer *deframer, const octet_rope *octets, time_ps arrival, time_ps now)
{
  uint64_t offset = deframer->edge;
  uint64_t end = offset + octets->length;
  mpa_whole_fpdu fpdu = {.method = MPA_LOCATED_BY_CHAIN, .octets = octets};

  while (deframer->edge < end && read_at_edge(deframer, offset, octets, now, &fpdu.extent) &&
         fpdu.extent.end <= end) {
    mpa_ulpdu_part part = {.from = 0, .length = fpdu.extent.ulpdu_octets, .arrival = arrival};

    fpdu.from = (uint32_t)(fpdu.extent.start - offset);
    fpdu.held_octets = arrival < now ? fpdu.extent.end - fpdu.extent.start : 0;
    fpdu.parts = &part;
    fpdu.part_count = part.length > 0;
    if (!judge(deframer, &fpdu, now)) {
      return false;
    }
    mpa_deframer_advance_edge(deframer, fpdu.extent.end);
  }
  return deframer->error == MPA_ERROR_NONE;
}

/* Nothing of [in-order edge, end) is held or was passed early. */
static bool nothing_ahead_below(const mpa_deframer *deframer, uint64_t end)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;

  return !ahead || (octet_store_next_held(ahead->store, deframer->edge) >= end &&
                    (range_set_count(&ahead->passed) == 0 || range_set_get(&ahead->passed, 0).from >= end));
}

/* Octets of [from, to) that have arrived: held ones and those passed beyond the edge. */
static uint64_t arrived_octets(const mpa_deframer *deframer, uint64_t from, uint64_t to)
{
  return octet_store_covered(deframer->ahead->store, from, to) +
         range_set_covered(&deframer->ahead->passed, from, to);
}

static void note_if_complete(mpa_deframer *deframer, const mpa_open_fpdu *entry)
{
  if (entry->arrived == entry->fpdu.end - entry->start) {
    element_array *completed = &deframer->ahead->completed;

    *(uint64_t *)element_array_insert(completed, completed->count) = entry->start;
  }
}

/* [from, to) is held now: what does that complete? Without `duplicates` none of it was there before. */
static void count_arrival(mpa_deframer *deframer, uint64_t from, uint64_t to, bool duplicates)
{
  size_t count = mpa_open_fpdus_count(deframer->ahead->open);

  for (size_t index = mpa_open_fpdus_first_reaching(deframer->ahead->open, from); index < count; index++) {
    mpa_open_fpdu *entry = mpa_open_fpdus_at(deframer->ahead->open, index);

    if (entry->start >= to) {
      break;
    }
    if (!entry->located || entry->fpdu.end <= from) {
      continue;
    }
    uint64_t arrived = entry->arrived + MIN(entry->fpdu.end, to) - MAX(entry->start, from);
    if (duplicates) {
      arrived = arrived_octets(deframer, entry->start, entry->fpdu.end);
    }
    mpa_open_fpdus_set_arrived(deframer->ahead->open, entry, arrived);
    note_if_complete(deframer, entry);
  }
}

/* Holds [from, to) of the octets that start at `offset`, none of which was passed. */
static void hold_run(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets, uint64_t from,
                     uint64_t to, time_ps arrival)
{
  uint64_t held;

  if (from == offset && to == offset + octets->length) {
    held = octet_store_insert(deframer->ahead->store, from, octets, arrival);
  } else {
    octet_rope run;
    octet_rope_init(&run);
    octet_rope_append_rope(&run, octets, (uint32_t)(from - offset), (uint32_t)(to - from));
    held = octet_store_insert(deframer->ahead->store, from, &run, arrival);
    octet_rope_clear(&run);
  }
  count_arrival(deframer, from, to, held < to - from);
}

/* Holds what is neither below the edge nor passed early of the octets that start at `offset`. */
static void hold(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets, time_ps arrival)
{
  uint64_t from = MAX(offset, deframer->edge);
  uint64_t end = offset + octets->length;

  for (size_t index = range_set_find(&deframer->ahead->passed, from); from < end; index++) {
    range passed = {.from = UINT64_MAX, .to = UINT64_MAX};

    if (index < range_set_count(&deframer->ahead->passed)) {
      passed = range_set_get(&deframer->ahead->passed, index);
    }
    if (from < passed.from) {
      hold_run(deframer, offset, octets, from, MIN(end, passed.from), arrival);
    }
    from = passed.to;
  }
}

/* An FPDU starts at `start` by `method`. It is located once its ULPDU_Length is there (definitions.md):
 * then its entry is returned; else NULL, and the start is remembered. */
static mpa_open_fpdu *locate(mpa_deframer *deframer, uint64_t start, mpa_location method, time_ps now)
{
  mpa_open_fpdu *known = mpa_open_fpdus_find(deframer->ahead->open, start);
  uint64_t header = mpa_fpdu_header(start, deframer->markers);
  uint8_t spare[2 * MPA_FPDU_LENGTH_OCTETS];

  if (known && known->located) {
    return known; /* it keeps the method that was first */
  }
  const octet_store *store = deframer->ahead->store;
  const uint8_t *length = octet_store_peek(store, header, MPA_FPDU_LENGTH_OCTETS, spare);
  uint32_t ulpdu_octets = length ? big_endian_read_16(length) : 0; /* mpa-01 §4 (MPA-074) */
  if (length && mpa_deframer_is_long(ulpdu_octets)) {
    length = octet_store_peek(store, header, judged_octets(deframer, ulpdu_octets), spare);
  }
  if (!length) {
    if (method != MPA_LOCATED_BY_CHAIN) { /* the chain's start is the edge: nothing to remember */
      mpa_open_fpdus_establish(deframer->ahead->open, start, method);
    }
    return NULL;
  }
  if (!length_is_possible(deframer, start, ulpdu_octets, length + MPA_FPDU_LENGTH_OCTETS, now)) {
    return NULL;
  }
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, deframer->markers);
  mpa_open_fpdu *entry = mpa_open_fpdus_establish(deframer->ahead->open, start, method);
  mpa_open_fpdus_locate(deframer->ahead->open, entry, &fpdu, arrived_octets(deframer, start, fpdu.end));
  deframer->ahead->disputed |= range_set_covered(&deframer->ahead->passed, start, fpdu.end) > 0;
  note_if_complete(deframer, entry);
  return entry;
}

/* All octets of the FPDU of `entry` have arrived: takes them out of the store and judges them; true when
 * passed. */
static bool finish(mpa_deframer *deframer, mpa_open_fpdu *entry, time_ps now)
{
  if (deframer->follows_errors) {
    return mpa_deframer_finish_or_hold(deframer, entry, now);
  }
  mpa_fpdu fpdu = entry->fpdu;
  mpa_location method = entry->method;

  if (range_set_covered(&deframer->ahead->passed, fpdu.start, fpdu.end) > 0) {
    /* Its ULPDU_Length reaches into a valid FPDU that is passed already, so its digest cannot be looked at
     * any more. The documents do not know this case. With CRC the length is taken for the broken one, as
     * an unproven length against a proven FPDU (code 2 comes first, notes-mpa 20); without, lengths and
     * markers disagree. Where the passed one was but a guess, it is the guess that was wrong; its octets are gone. */
    deframer->statistics.wrong_guesses += mpa_guesses_prove(deframer->ahead->guesses, fpdu.start, fpdu.end);
    fail(deframer, deframer->crc ? MPA_ERROR_CRC : MPA_ERROR_MARKER, fpdu.start, now);
    return false;
  }
  mpa_whole_fpdu whole = mpa_deframer_take(deframer, &fpdu, method, now);
  mpa_open_fpdus_remove(deframer->ahead->open, entry);
  bool passed = judge(deframer, &whole, now);
  octet_rope_empty(&deframer->ahead->fpdu_octets);
  return passed;
}

/* The chain steps over FPDUs that were passed early; true when there was one at the edge. */
static bool skip_passed(mpa_deframer *deframer)
{
  if (range_set_count(&deframer->ahead->passed) == 0) {
    return false;
  }
  range next = range_set_get(&deframer->ahead->passed, 0);
  if (next.from > deframer->edge) {
    return false;
  }
  /* An FPDU that would end inside a passed one is an error in finish(). */
  g_assert(next.from == deframer->edge);
  range_set_remove(&deframer->ahead->passed, next.from, next.to);
  mpa_deframer_advance_edge(deframer, next.to);
  return true;
}

void mpa_deframer_advance_chain(mpa_deframer *deframer, time_ps now)
{
  while (deframer->error == MPA_ERROR_NONE) {
    if (skip_passed(deframer)) {
      continue;
    }
    mpa_open_fpdu *next = locate(deframer, deframer->edge, MPA_LOCATED_BY_CHAIN, now);
    if (!next || next->arrived < next->fpdu.end - next->start) {
      return;
    }
    uint64_t end = next->fpdu.end;
    if (!finish(deframer, next, now)) {
      return;
    }
    mpa_deframer_advance_edge(deframer, end);
  }
}

/* An FPDU starts at `start`, says a marker or the FPDU before. */
static void establish_ahead(mpa_deframer *deframer, uint64_t start, mpa_location method, time_ps now)
{
  /* At the edge the chain comes first. Below it, or within a passed FPDU, the pointer is useless here and
   * will be found out with the FPDU that contains it (notes-mpa 10). */
  if (start > deframer->edge && !range_set_contains(&deframer->ahead->passed, start, start + 1)) {
    locate(deframer, start, method, now);
  }
}

/* Method 2 (mpa-01 §5.4, MPA-166): the markers that became whole by the arrival of [from, to) (notes-mpa
 * 6). Each is read once: where it points is remembered when the header is not there (notes-mpa 11). */
static void follow_markers(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now)
{
  uint64_t position = MAX(mpa_marker_reaching(from), mpa_marker_next(deframer->edge));

  for (; position < to && deframer->error == MPA_ERROR_NONE; position += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t spare[MPA_MARKER_OCTETS];
    const uint8_t *wire = octet_store_peek(deframer->ahead->store, position, MPA_MARKER_OCTETS, spare);

    if (!wire || mpa_deframer_marker_is_mute(deframer, position)) {
      continue;
    }
    uint64_t header = mpa_marker_header(position, wire);
    if (header != MPA_MARKER_NOWHERE) {
      establish_ahead(deframer, mpa_fpdu_start(header, true), MPA_LOCATED_BY_MARKER, now);
    }
  }
}

/* Starts that were established before and whose ULPDU_Length arrived with [from, to). */
static void follow_lengths(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now)
{
  size_t index = mpa_open_fpdus_first_reaching(deframer->ahead->open, from);

  for (; index < mpa_open_fpdus_count(deframer->ahead->open) && deframer->error == MPA_ERROR_NONE; index++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(deframer->ahead->open, index);

    if (entry->start >= to) {
      return;
    }
    /* At the edge the chain has looked already. */
    if (!entry->located && entry->start > deframer->edge) {
      locate(deframer, entry->start, entry->method, now);
    }
  }
}

/* Beyond the in-order edge after the arrival of [from, to), what is located, complete and valid goes up at
 * once (MPA-069). The methods come in this order because of several that locate an FPDU at the same
 * arrival the lowest-numbered counts: chain, marker, marker chain (the documents are silent; decided for
 * definitions.md). */
static void look_ahead(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now)
{
  follow_markers(deframer, from, to, now);
  follow_lengths(deframer, from, to, now);
  for (size_t index = 0; index < deframer->ahead->completed.count && deframer->error == MPA_ERROR_NONE;
       index++) {
    uint64_t start = *(uint64_t *)element_array_at(&deframer->ahead->completed, index);
    mpa_open_fpdu *entry = mpa_open_fpdus_find(deframer->ahead->open, start);

    if (!entry) {
      continue; /* the chain was faster */
    }
    uint64_t end = entry->fpdu.end;
    if (finish(deframer, entry, now)) {
      range_set_add(&deframer->ahead->passed, start, end);
      /* Method 3 (mpa-01 §5.4, MPA-167); may lengthen the list that this loop walks. */
      establish_ahead(deframer, end, MPA_LOCATED_BY_MARKER_CHAIN, now);
    }
  }
}

/* --- The front --- */

/* FPDUs that are whole by now in the front, which starts at the edge, are judged there and leave it. False at one that is not
 * passed. */
static bool pass_front(mpa_deframer *deframer, time_ps now)
{
  mpa_front *front = &deframer->ahead->front;
  uint64_t start = deframer->edge;
  uint64_t end = start + front->octets.length;

  front->is_located = false;
  while (deframer->edge < end && read_at_edge(deframer, start, &front->octets, now, &front->fpdu)) {
    if (front->fpdu.end > end) {
      front->is_located = true;
      break;
    }
    mpa_whole_fpdu whole = mpa_deframer_front_fpdu(deframer, &front->fpdu, start, now);
    if (!judge(deframer, &whole, now)) {
      mpa_deframer_front_drop(deframer, start);
      return false;
    }
    mpa_deframer_advance_edge(deframer, whole.extent.end);
  }
  mpa_deframer_front_drop(deframer, start);
  return true;
}

void mpa_deframer_leave_front(mpa_deframer *deframer)
{
  if (mpa_deframer_has_front(deframer)) {
    mpa_deframer_front_to_store(deframer, deframer->ahead);
    mpa_deframer_front_clear(deframer->ahead);
  }
}

/* Octets in order, and nothing is held but perhaps in the front, which they continue. True when they need nothing more; else they
 * are to be held in the general way. */
static bool receive_at_front(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets,
                             time_ps arrival, time_ps now)
{
  uint32_t from = (uint32_t)(MAX(offset, deframer->edge) - offset);

  mpa_deframer_front_append(deframer, octets, from, arrival);
  if (!pass_front(deframer, now)) {
    return deframer->error != MPA_ERROR_NONE; /* an FPDU in doubt is held in the general way */
  }
  return deframer->error != MPA_ERROR_NONE || !mpa_deframer_has_front(deframer) ||
         mpa_deframer_front_is_plain(deframer, offset);
}

/* By the permitted methods, and then, if octets are a segment's first, by assumption. */
static void receive(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets, time_ps arrival,
                    time_ps now, bool assumes)
{
  uint64_t end = offset + octets->length;

  if (deframer->error != MPA_ERROR_NONE || end <= deframer->edge) {
    return;
  }
  bool at_front = mpa_deframer_front_follows(deframer, offset);
  if (!at_front && !mpa_deframer_has_front(deframer) && offset == deframer->edge &&
      nothing_ahead_below(deframer, end)) {
    at_front = pass_whole_fpdus(deframer, octets, arrival, now) &&
               (!deframer->ahead || mpa_deframer_ahead_is_empty(deframer->ahead));
    if (deframer->edge == end && at_front) {
      return;
    }
  }
  if (at_front && !assumes && receive_at_front(deframer, offset, octets, arrival, now)) {
    if (deframer->error != MPA_ERROR_NONE) {
      let_go(deframer);
    }
    return;
  }
  mpa_deframer_leave_front(deframer);
  if (deframer->error == MPA_ERROR_NONE) {
    element_array_empty(&mpa_deframer_ahead_of(deframer)->completed);
    hold(deframer, offset, octets, arrival);
    mpa_deframer_advance_chain(deframer, now);
  }
  if (deframer->markers && deframer->error == MPA_ERROR_NONE) {
    look_ahead(deframer, offset, end, now);
  }
  if (deframer->follows_errors) {
    while (mpa_deframer_resolve_edge(deframer, now)) {
      mpa_deframer_advance_chain(deframer, now);
    }
  }
  if (assumes && deframer->error == MPA_ERROR_NONE) {
    mpa_deframer_assume(deframer, offset, end, now);
  }
  if (deframer->error != MPA_ERROR_NONE) {
    let_go(deframer);
  } else if (!assumes) {
    mpa_deframer_front_from_store(deframer);
  }
}

void mpa_deframer_receive(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets, time_ps arrival,
                          time_ps now)
{
  receive(deframer, offset, octets, arrival, now, false);
}

void mpa_deframer_receive_segment(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets,
                                  time_ps arrival, time_ps now)
{
  receive(deframer, offset, octets, arrival, now, true);
}

/* What would come of octets [from, to), tried out on a copy. */
typedef struct inspection {
  const octet_rope *octets;
  uint64_t from;
  uint64_t to;
  bool markers;
  bool takes_long;
  mpa_error verdict;
} inspection;

/* The error is theirs if the FPDU lies whole in them; of a ULPDU_Length that cannot be, if that does. */
static void blame(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  inspection *look = user;
  uint64_t header = mpa_fpdu_header(offset, look->markers);
  (void)now;

  if (header < look->from || header + MPA_FPDU_LENGTH_OCTETS > look->to) {
    return;
  }
  uint32_t ulpdu_octets = read_length_behind(look->octets, (uint32_t)(header - look->from));
  if ((mpa_deframer_is_long(ulpdu_octets) && !look->takes_long) ||
      (offset >= look->from && mpa_fpdu_at(offset, ulpdu_octets, look->markers).end <= look->to)) {
    look->verdict = error;
  }
}

static void pass_by(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  (void)user;
  (void)ulpdu;
  (void)now;
}

mpa_error mpa_deframer_inspect(const mpa_deframer *deframer, uint64_t offset, const octet_rope *octets)
{
  static const mpa_deframer_events events = {.ulpdu = pass_by, .error = blame};
  inspection look = {.octets = octets,
                     .from = offset,
                     .to = offset + octets->length,
                     .markers = deframer->markers,
                     .takes_long = deframer->takes_long,
                     .verdict = MPA_ERROR_NONE};
  mpa_deframer *copy = mpa_deframer_copy(deframer, &events, &look);

  mpa_deframer_receive(copy, offset, octets, 0, 0);
  mpa_deframer_free(copy);
  return look.verdict;
}

uint64_t mpa_deframer_in_order_edge(const mpa_deframer *deframer)
{
  return deframer->edge;
}

const mpa_deframer_statistics *mpa_deframer_statistics_of(const mpa_deframer *deframer)
{
  return &deframer->statistics;
}
