/* SPDX-License-Identifier: GPL-2.0-only */
/* What a deframer keeps of the octets beyond its in-order edge, and what is told about it. */
#include "mpa/mpa_deframer_private.h"
#include "mpa/mpa_marker.h"

mpa_deframer_ahead *mpa_deframer_ahead_of(mpa_deframer *deframer)
{
  if (deframer->ahead == NULL) {
    mpa_deframer_ahead *ahead = g_new0(mpa_deframer_ahead, 1);

    ahead->store = octet_store_new();
    range_set_init(&ahead->passed);
    ahead->open = mpa_open_fpdus_new();
    ahead->guesses = mpa_guesses_new();
    element_array_init(&ahead->completed, sizeof(uint64_t));
    octet_rope_init(&ahead->fpdu_octets);
    ahead->parts = mpa_ulpdu_parts_new();
    deframer->ahead = ahead;
  }
  return deframer->ahead;
}

void mpa_deframer_ahead_free(mpa_deframer_ahead *ahead)
{
  if (ahead == NULL) {
    return;
  }
  octet_store_free(ahead->store);
  range_set_clear(&ahead->passed);
  mpa_open_fpdus_free(ahead->open);
  mpa_guesses_free(ahead->guesses);
  element_array_clear(&ahead->completed);
  octet_rope_clear(&ahead->front.octets);
  octet_rope_clear(&ahead->fpdu_octets);
  mpa_ulpdu_parts_free(ahead->parts);
  g_free(ahead);
}

bool mpa_deframer_marker_is_mute(const mpa_deframer *deframer, uint64_t position)
{
  if (!deframer->takes_long) {
    return false;
  }
  const mpa_front *front = &deframer->ahead->front;
  const mpa_open_fpdu *entry = mpa_open_fpdus_find(deframer->ahead->open, deframer->edge);
  const mpa_fpdu *fpdu = front->is_located && front->octets.length > 0 ? &front->fpdu
                         : entry && entry->located                     ? &entry->fpdu
                                                                       : NULL;
  return fpdu && position < fpdu->end && position > fpdu->header && position - fpdu->header > UINT16_MAX;
}

static void copy_held(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  octet_store_insert(user, position, octets, arrival);
}

static void copy_ahead(const mpa_deframer_ahead *ahead, mpa_deframer_ahead *copy)
{
  octet_store_visit(ahead->store, 0, UINT64_MAX, copy_held, copy->store);
  for (size_t index = 0; index < range_set_count(&ahead->passed); index++) {
    range passed = range_set_get(&ahead->passed, index);
    range_set_add(&copy->passed, passed.from, passed.to);
  }
  mpa_open_fpdus_free(copy->open);
  copy->open = mpa_open_fpdus_copy(ahead->open);
  mpa_guesses_free(copy->guesses);
  copy->guesses = mpa_guesses_copy(ahead->guesses);
  copy->disputed = ahead->disputed;
}

mpa_deframer *mpa_deframer_copy(const mpa_deframer *deframer, const mpa_deframer_events *events, void *user)
{
  mpa_deframer *copy = mpa_deframer_new(deframer->markers, deframer->crc, events, user);

  copy->takes_long = deframer->takes_long;
  copy->edge = deframer->edge;
  copy->error = deframer->error;
  copy->statistics = deframer->statistics;
  if (deframer->ahead) {
    copy_ahead(deframer->ahead, mpa_deframer_ahead_of(copy));
    if (mpa_deframer_has_front(deframer)) {
      mpa_deframer_front_to_store(deframer, copy->ahead);
    }
  }
  return copy;
}

static void note_piece(void *user, uint64_t position, time_ps arrival)
{
  mpa_deframer_ahead *ahead = user;

  mpa_ulpdu_parts_add(ahead->parts, position, arrival);
}

static void gather_piece(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  mpa_deframer_ahead *ahead = user;

  octet_rope_append_rope(&ahead->fpdu_octets, octets, 0, octets->length);
  mpa_ulpdu_parts_add(ahead->parts, position, arrival);
}

/* The FPDU whose octets and parts are in `ahead`'s scratch. */
static mpa_whole_fpdu whole_fpdu(mpa_deframer_ahead *ahead, const mpa_fpdu *extent, mpa_location method,
                                 time_ps now)
{
  mpa_whole_fpdu whole = {.extent = *extent, .method = method, .octets = &ahead->fpdu_octets};

  whole.held_octets = mpa_ulpdu_parts_arrived_before(ahead->parts, extent, now);
  whole.parts = mpa_ulpdu_parts_of(ahead->parts, extent, &whole.part_count);
  whole.pieces = mpa_ulpdu_parts_pieces(ahead->parts, &whole.piece_count);
  return whole;
}

mpa_whole_fpdu mpa_deframer_gather(mpa_deframer *deframer, const mpa_fpdu *extent, mpa_location method,
                                   time_ps now)
{
  mpa_deframer_ahead *ahead = deframer->ahead;

  mpa_ulpdu_parts_reset(ahead->parts);
  octet_store_visit(ahead->store, extent->start, extent->end, gather_piece, ahead);
  return whole_fpdu(ahead, extent, method, now);
}

mpa_whole_fpdu mpa_deframer_take(mpa_deframer *deframer, const mpa_fpdu *extent, mpa_location method,
                                 time_ps now)
{
  mpa_deframer_ahead *ahead = deframer->ahead;

  mpa_ulpdu_parts_reset(ahead->parts);
  octet_store_take(ahead->store, extent->start, extent->end, &ahead->fpdu_octets, note_piece, ahead);
  return whole_fpdu(ahead, extent, method, now);
}

/* Held octets within located FPDUs of a stream that contradicts itself: their extents overlap each other
 * or passed FPDUs, and each octet counts once. */
static uint64_t disputed_octets(const mpa_deframer_ahead *ahead)
{
  uint64_t octets = 0;
  uint64_t counted = 0; /* below this offset */

  for (size_t index = 0; index < mpa_open_fpdus_count(ahead->open); index++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(ahead->open, index);

    if (entry->located && entry->fpdu.end > counted) {
      octets += octet_store_covered(ahead->store, MAX(entry->start, counted), entry->fpdu.end);
      counted = entry->fpdu.end;
    }
  }
  return octets;
}

/* Held octets of the marker that leads the FPDU at the in-order edge, while that is not located: they can
 * belong to nothing else, so they are `incomplete` (definitions.md). */
static uint64_t leading_marker_octets(const mpa_deframer *deframer)
{
  if (!deframer->markers || deframer->edge % MPA_MARKER_PERIOD_OCTETS != 0) {
    return 0;
  }
  return octet_store_covered(deframer->ahead->store, deframer->edge, deframer->edge + MPA_MARKER_OCTETS);
}

bool mpa_deframer_holds_nothing(const mpa_deframer *deframer)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;

  return !mpa_deframer_has_front(deframer) &&
         (!ahead || (octet_store_total(ahead->store) == 0 && mpa_open_fpdus_located(ahead->open) == 0));
}

void mpa_deframer_held(const mpa_deframer *deframer, mpa_held *held)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;

  *held = (mpa_held){0};
  if (mpa_deframer_has_front(deframer)) {
    mpa_deframer_front_held(deframer, held);
    return;
  }
  if (!ahead || mpa_deframer_ahead_is_empty(ahead)) {
    return;
  }
  const mpa_open_fpdu *at_edge = mpa_open_fpdus_find(ahead->open, deframer->edge);
  bool contradiction = ahead->disputed || mpa_open_fpdus_overlap(ahead->open);

  held->partial_fpdus = mpa_open_fpdus_located(ahead->open);
  held->incomplete = contradiction ? disputed_octets(ahead) : mpa_open_fpdus_arrived(ahead->open);
  if (at_edge && at_edge->located) {
    held->partial_end = at_edge->fpdu.end;
  } else {
    held->incomplete += leading_marker_octets(deframer);
  }
  uint64_t rest = octet_store_total(ahead->store) - held->incomplete;
  if (deframer->markers) {
    held->unlocated = rest;
  } else {
    held->order = rest;
  }
}

static void count_piece(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  uint32_t *pieces = user;
  (void)position;
  (void)octets;
  (void)arrival;

  ++*pieces;
}

uint32_t mpa_deframer_pieces(const mpa_deframer *deframer)
{
  const mpa_deframer_ahead *ahead = deframer->ahead;
  uint32_t most = 0;

  if (mpa_deframer_has_front(deframer)) {
    return ahead->front.is_located ? ahead->front.piece_count : 0;
  }
  for (size_t index = 0; ahead && index < mpa_open_fpdus_count(ahead->open); index++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(ahead->open, index);
    uint32_t pieces = 0;

    if (entry->located) {
      octet_store_visit(ahead->store, entry->start, entry->fpdu.end, count_piece, &pieces);
      most = MAX(most, pieces);
    }
  }
  return most;
}
