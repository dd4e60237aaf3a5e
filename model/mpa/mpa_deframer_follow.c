/* SPDX-License-Identifier: GPL-2.0-only */
/* Following errors: a deframer that shows what a stream holds, and does not end at the first FPDU that is invalid. For who reads captures; a
 * receiver may not go on (mpa-01 §7, MPA-288). */
#include "mpa/mpa_deframer_private.h"

void mpa_deframer_follow_errors(mpa_deframer *deframer)
{
  deframer->follows_errors = true;
}

void mpa_deframer_start_at(mpa_deframer *deframer, uint64_t offset)
{
  g_assert(deframer->ahead == NULL && deframer->statistics.fpdus == 0);
  deframer->edge = offset;
}

mpa_error mpa_ulpdu_error(const mpa_ulpdu *ulpdu)
{
  return ulpdu->fpdu->error;
}

const octet_rope *mpa_ulpdu_framed(const mpa_ulpdu *ulpdu, uint32_t *from)
{
  *from = ulpdu->fpdu->from;
  return ulpdu->fpdu->octets;
}

const mpa_fpdu_piece *mpa_ulpdu_pieces(const mpa_ulpdu *ulpdu, size_t *count)
{
  *count = ulpdu->fpdu->piece_count;
  return ulpdu->fpdu->pieces;
}

static bool is_excused(const mpa_deframer *deframer, const mpa_whole_fpdu *fpdu)
{
  const mpa_ulpdu ulpdu = {.fpdu_start = fpdu->extent.start,
                           .fpdu_end = fpdu->extent.end,
                           .located_by = fpdu->method,
                           .fpdu = fpdu};

  return deframer->events->excused && deframer->events->excused(deframer->user, &ulpdu);
}

/* A marker in the invalid `fpdu` says that another FPDU is there, and no CRC says that its ULPDU_Length is right. One that no sender may use
 * is in doubt also where no marker says that it is right. */
static bool is_in_doubt(const mpa_deframer *deframer, const mpa_whole_fpdu *fpdu)
{
  if (deframer->crc && fpdu->error != MPA_ERROR_CRC) {
    return false;
  }
  if (mpa_deframer_is_long(fpdu->extent.ulpdu_octets) && !deframer->markers) {
    return true;
  }
  return mpa_fpdu_check(&fpdu->extent, fpdu->octets, fpdu->from, false) != MPA_ERROR_NONE;
}

/* `fpdu` goes up; what was guessed of its octets was wrong. */
static void pass(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, time_ps now)
{
  if (deframer->ahead) {
    deframer->statistics.wrong_guesses +=
        mpa_guesses_prove(deframer->ahead->guesses, fpdu->extent.start, fpdu->extent.end);
  }
  mpa_deframer_pass(deframer, fpdu, now);
}

bool mpa_deframer_pass_invalid(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, mpa_error error,
                               time_ps now)
{
  mpa_whole_fpdu invalid = *fpdu;

  invalid.error = error;
  if (!is_excused(deframer, &invalid) && is_in_doubt(deframer, &invalid)) {
    return false;
  }
  pass(deframer, &invalid, now);
  return true;
}

/* A ULPDU_Length that cannot be. */
static void refuse_length(mpa_deframer *deframer, uint64_t start, time_ps now)
{
  /* Beyond the edge it is only a marker that says that a length is there. */
  if (start == deframer->edge && start != deframer->stuck) {
    deframer->stuck = start;
    deframer->events->error(deframer->user, MPA_ERROR_CRC, start, now);
  }
}

bool mpa_deframer_follows_long(mpa_deframer *deframer, uint64_t start, const uint8_t *behind, time_ps now)
{
  bool follows = deframer->takes_long &&
                 (!deframer->events->could_start || deframer->events->could_start(deframer->user, behind));

  if (!follows) {
    refuse_length(deframer, start, now);
  }
  return follows;
}

bool mpa_deframer_finish_or_hold(mpa_deframer *deframer, mpa_open_fpdu *entry, time_ps now)
{
  mpa_deframer_ahead *ahead = deframer->ahead;
  mpa_fpdu extent = entry->fpdu;

  if (range_set_covered(&ahead->passed, extent.start, extent.end) > 0) {
    return false;
  }
  mpa_whole_fpdu whole = mpa_deframer_gather(deframer, &extent, entry->method, now);
  whole.error = mpa_fpdu_check(&extent, whole.octets, 0, deframer->crc);
  bool at_edge = extent.start == deframer->edge && !deframer->is_last;
  bool passes = whole.error == MPA_ERROR_NONE || is_excused(deframer, &whole) ||
                (at_edge && !is_in_doubt(deframer, &whole));
  if (passes) {
    octet_store_remove(ahead->store, extent.start, extent.end);
    mpa_open_fpdus_remove(ahead->open, entry);
    pass(deframer, &whole, now);
  }
  octet_rope_empty(&ahead->fpdu_octets);
  return passes;
}

/* An FPDU that a marker located within `extent`, whose start it does not share, is not whole: it may yet prove that `extent` is
 * wrong. */
static bool is_undecided(const mpa_deframer_ahead *ahead, const mpa_fpdu *extent)
{
  for (size_t index = mpa_open_fpdus_first_reaching(ahead->open, extent->start);
       index < mpa_open_fpdus_count(ahead->open); index++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(ahead->open, index);

    if (entry->start >= extent->end) {
      return false;
    }
    if (entry->start > extent->start && entry->located && entry->arrived < entry->fpdu.end - entry->start) {
      return true;
    }
  }
  return false;
}

static uint64_t first_passed(const mpa_deframer *deframer)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;

  return ahead && range_set_count(&ahead->passed) > 0 ? range_set_get(&ahead->passed, 0).from : UINT64_MAX;
}

/* The edge moves on to `offset`, where a passed FPDU starts. What is held below is let go. */
static void skip_to(mpa_deframer *deframer, uint64_t offset)
{
  octet_store_remove(deframer->ahead->store, deframer->edge, offset);
  mpa_deframer_advance_edge(deframer, offset);
}

/* The invalid FPDU at the edge goes up and is followed. */
static void follow(mpa_deframer *deframer, mpa_open_fpdu *entry, time_ps now)
{
  mpa_fpdu extent = entry->fpdu;
  mpa_whole_fpdu whole = mpa_deframer_take(deframer, &extent, entry->method, now);

  whole.error = mpa_fpdu_check(&extent, whole.octets, 0, deframer->crc);
  mpa_open_fpdus_remove(deframer->ahead->open, entry);
  pass(deframer, &whole, now);
  octet_rope_empty(&deframer->ahead->fpdu_octets);
  mpa_deframer_advance_edge(deframer, extent.end);
}

/* The FPDU of `entry`, all of whose octets are held, is longer than any may be, and nothing proves it. Told once. */
static bool is_refused(mpa_deframer *deframer, const mpa_open_fpdu *entry, time_ps now)
{
  mpa_fpdu extent = entry->fpdu;

  if (!mpa_deframer_is_long(extent.ulpdu_octets) || deframer->stuck == extent.start) {
    return deframer->stuck == extent.start;
  }
  mpa_whole_fpdu whole = mpa_deframer_gather(deframer, &extent, entry->method, now);
  whole.error = mpa_fpdu_check(&extent, whole.octets, 0, deframer->crc);
  bool is_doubtful = whole.error != MPA_ERROR_NONE && is_in_doubt(deframer, &whole);
  octet_rope_empty(&deframer->ahead->fpdu_octets);
  if (is_doubtful) {
    refuse_length(deframer, extent.start, now);
  }
  return is_doubtful;
}

/* With `forced`, what is undecided stays so for ever. */
static bool resolve(mpa_deframer *deframer, bool forced, time_ps now)
{
  mpa_deframer_ahead *ahead = deframer->ahead;
  if (!ahead) {
    return false;
  }
  uint64_t next = first_passed(deframer);
  mpa_open_fpdu *entry = mpa_open_fpdus_find(ahead->open, deframer->edge);
  bool is_located = entry && entry->located;

  if (is_located && entry->fpdu.end <= next) {
    if (entry->arrived < entry->fpdu.end - entry->start || deframer->is_last ||
        (!forced && is_undecided(ahead, &entry->fpdu))) {
      return false;
    }
    if (!is_refused(deframer, entry, now)) {
      follow(deframer, entry, now);
      return true;
    }
  }
  /* Its length cannot be, or reaches into an FPDU that is proven. When no octet is missing before that one no marker can locate
   * another before it any more. */
  bool is_refuted = is_located || deframer->stuck == deframer->edge;
  if (!is_refuted || next == UINT64_MAX || !octet_store_contains(ahead->store, deframer->edge, next)) {
    return false;
  }
  if (is_located && mpa_deframer_is_long(entry->fpdu.ulpdu_octets)) {
    refuse_length(deframer, deframer->edge, now);
  }
  skip_to(deframer, next);
  return true;
}

bool mpa_deframer_resolve_edge(mpa_deframer *deframer, time_ps now)
{
  return resolve(deframer, false, now);
}

bool mpa_deframer_give_up(mpa_deframer *deframer, time_ps now)
{
  mpa_deframer_leave_front(deframer);
  if (!resolve(deframer, true, now)) {
    uint64_t next = first_passed(deframer);
    if (next == UINT64_MAX) {
      return false;
    }
    skip_to(deframer, next);
  }
  mpa_deframer_advance_chain(deframer, now);
  return true;
}

/* The FPDU at the edge is longer than any may be, and its octets never come: no other such one speaks for it. */
static void refuse_unfinished(mpa_deframer *deframer, time_ps now)
{
  mpa_deframer_ahead *ahead = deframer->ahead;
  mpa_open_fpdu *entry = ahead ? mpa_open_fpdus_find(ahead->open, deframer->edge) : NULL;

  if (entry && entry->located && mpa_deframer_is_long(entry->fpdu.ulpdu_octets) &&
      deframer->statistics.long_ulpdus == 0) {
    mpa_open_fpdus_remove(ahead->open, entry);
    refuse_length(deframer, deframer->edge, now);
  }
}

void mpa_deframer_end(mpa_deframer *deframer, time_ps now)
{
  mpa_deframer_leave_front(deframer);
  while (resolve(deframer, true, now)) {
    mpa_deframer_advance_chain(deframer, now);
  }
  refuse_unfinished(deframer, now);
  deframer->is_last = true;
  while (first_passed(deframer) != UINT64_MAX) {
    skip_to(deframer, first_passed(deframer));
    mpa_deframer_advance_chain(deframer, now);
  }
}

void mpa_deframer_guess(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now)
{
  mpa_deframer_leave_front(deframer);
  if (deframer->ahead) {
    mpa_deframer_assume(deframer, from, to, now);
  }
}

uint64_t mpa_deframer_unfinished(const mpa_deframer *deframer, uint64_t end, uint64_t *start)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;
  size_t count = ahead ? mpa_open_fpdus_count(ahead->open) : 0;
  const mpa_open_fpdu *last = count > 0 ? mpa_open_fpdus_at(ahead->open, count - 1) : NULL;
  *start = last ? last->start : deframer->edge;
  bool goes_on = last && last->located
                     ? last->fpdu.end > end
                     : mpa_fpdu_header(*start, deframer->markers) + MPA_FPDU_LENGTH_OCTETS > end;

  return ahead && *start < end && goes_on && octet_store_contains(ahead->store, *start, end) ? end - *start
                                                                                             : 0;
}
