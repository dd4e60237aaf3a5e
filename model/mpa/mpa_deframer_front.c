/* SPDX-License-Identifier: GPL-2.0-only */
/* The front: what a deframer keeps of an FPDU that came in several segments while the stream is in order. */
#include "mpa/mpa_deframer_private.h"
#include "mpa/mpa_marker.h"

static uint64_t front_end(const mpa_deframer *deframer)
{
  return deframer->edge + deframer->ahead->front.octets.length;
}

bool mpa_deframer_front_follows(const mpa_deframer *deframer, uint64_t offset)
{
  return mpa_deframer_has_front(deframer) && front_end(deframer) == offset &&
         deframer->ahead->front.piece_count < MPA_FRONT_PIECES_MAX;
}

void mpa_deframer_front_append(mpa_deframer *deframer, const octet_rope *octets, uint32_t from,
                               time_ps arrival)
{
  mpa_front *front = &mpa_deframer_ahead_of(deframer)->front;

  g_assert(front->piece_count < MPA_FRONT_PIECES_MAX);
  front->pieces[front->piece_count++] = (mpa_fpdu_piece){.position = front_end(deframer), .arrival = arrival};
  octet_rope_append_rope(&front->octets, octets, from, octets->length - from);
}

/* How the FPDU `extent` in the front arrived: fills in its parts and pieces, and counts its octets that came before `now`. As
 * mpa_ulpdu_parts does of FPDUs in the store. */
static void note_parts(mpa_front *front, const mpa_fpdu *extent, mpa_whole_fpdu *whole, time_ps now)
{
  mpa_ulpdu_part *part = front->parts;
  uint64_t from = extent->start;
  uint32_t ulpdu_from = 0;

  whole->held_octets = 0;
  for (uint32_t index = 0; from < extent->end; index++) { /* which the last piece reaches */
    bool is_last = index + 1 == front->piece_count || front->pieces[index + 1].position >= extent->end;
    uint64_t to = is_last ? extent->end : front->pieces[index + 1].position;
    time_ps arrival = front->pieces[index].arrival;
    if (to <= from) {
      continue; /* all of it is in front of this FPDU */
    }
    whole->pieces = whole->pieces ? whole->pieces : &front->pieces[index];
    whole->piece_count++;
    uint32_t ulpdu_to = is_last ? extent->ulpdu_octets : mpa_fpdu_ulpdu_octets_below(extent, to);
    whole->held_octets += arrival < now ? to - from : 0;
    if (ulpdu_to > ulpdu_from && part > front->parts && part[-1].arrival == arrival) {
      part[-1].length += ulpdu_to - ulpdu_from;
    } else if (ulpdu_to > ulpdu_from) { /* else header, PAD, CRC or marker only */
      *part++ = (mpa_ulpdu_part){ulpdu_from, ulpdu_to - ulpdu_from, arrival};
    }
    from = to;
    ulpdu_from = ulpdu_to;
  }
  whole->parts = front->parts;
  whole->part_count = (size_t)(part - front->parts);
}

mpa_whole_fpdu mpa_deframer_front_fpdu(mpa_deframer *deframer, const mpa_fpdu *extent, uint64_t start,
                                       time_ps now)
{
  mpa_front *front = &deframer->ahead->front;
  mpa_whole_fpdu whole = {.extent = *extent,
                          .method = MPA_LOCATED_BY_CHAIN,
                          .octets = &front->octets,
                          .from = (uint32_t)(extent->start - start)};

  note_parts(front, extent, &whole, now);
  return whole;
}

void mpa_deframer_front_drop(mpa_deframer *deframer, uint64_t start)
{
  mpa_front *front = &deframer->ahead->front;
  uint32_t passed = 0;

  octet_rope_drop_front(&front->octets, (uint32_t)(deframer->edge - start));
  if (front->octets.length == 0) {
    front->piece_count = 0;
    return;
  }
  while (passed + 1 < front->piece_count && front->pieces[passed + 1].position <= deframer->edge) {
    passed++;
  }
  front->piece_count -= passed;
  for (uint32_t index = 0; passed > 0 && index < front->piece_count; index++) {
    front->pieces[index] = front->pieces[passed + index];
  }
  front->pieces[0].position = MAX(front->pieces[0].position, deframer->edge);
}

bool mpa_deframer_front_is_plain(const mpa_deframer *deframer, uint64_t from)
{
  const mpa_front *front = &deframer->ahead->front;
  uint64_t end = front_end(deframer);
  uint64_t position = MAX(mpa_marker_reaching(from), mpa_marker_next(deframer->edge));

  for (; deframer->markers && position + MPA_MARKER_OCTETS <= end; position += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t wire[MPA_MARKER_OCTETS];

    octet_rope_copy_out(&front->octets, (uint32_t)(position - deframer->edge), MPA_MARKER_OCTETS, wire);
    uint64_t header = mpa_deframer_marker_is_mute(deframer, position) ? MPA_MARKER_NOWHERE
                                                                      : mpa_marker_header(position, wire);
    if (header != MPA_MARKER_NOWHERE && mpa_fpdu_start(header, true) > deframer->edge) {
      return false;
    }
  }
  return true;
}

void mpa_deframer_front_clear(mpa_deframer_ahead *ahead)
{
  octet_rope_empty(&ahead->front.octets);
  ahead->front.piece_count = 0;
}

/* Octets of `front`, which starts at `edge`, go to `store`. */
static void copy_to_store(const mpa_front *front, uint64_t edge, octet_store *store)
{
  for (uint32_t index = 0; index < front->piece_count; index++) {
    uint64_t from = front->pieces[index].position;
    uint64_t to =
        index + 1 < front->piece_count ? front->pieces[index + 1].position : edge + front->octets.length;
    octet_rope piece;

    octet_rope_init(&piece);
    octet_rope_append_rope(&piece, &front->octets, (uint32_t)(from - edge), (uint32_t)(to - from));
    octet_store_insert(store, from, &piece, front->pieces[index].arrival);
    octet_rope_clear(&piece);
  }
}

void mpa_deframer_front_to_store(const mpa_deframer *deframer, mpa_deframer_ahead *target)
{
  const mpa_front *front = &deframer->ahead->front;

  copy_to_store(front, deframer->edge, target->store);
  if (front->is_located) {
    mpa_open_fpdu *entry = mpa_open_fpdus_establish(target->open, deframer->edge, MPA_LOCATED_BY_CHAIN);
    mpa_open_fpdus_locate(target->open, entry, &front->fpdu, front->octets.length);
  }
}

static void note_piece(void *user, uint64_t position, time_ps arrival)
{
  mpa_front *front = user;

  front->pieces[front->piece_count++] = (mpa_fpdu_piece){.position = position, .arrival = arrival};
}

static void count_piece(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  uint32_t *pieces = user;
  (void)position;
  (void)octets;
  (void)arrival;

  ++*pieces;
}

void mpa_deframer_front_from_store(mpa_deframer *deframer)
{
  mpa_deframer_ahead *ahead = deframer->ahead;
  mpa_front *front = &ahead->front;
  uint64_t end = deframer->edge + octet_store_total(ahead->store);
  uint32_t pieces = 0;

  if (end == deframer->edge || range_set_count(&ahead->passed) > 0 || mpa_open_fpdus_count(ahead->open) > 1 ||
      ahead->disputed || !octet_store_contains(ahead->store, deframer->edge, end)) {
    return;
  }
  mpa_open_fpdu *entry = NULL;
  if (mpa_open_fpdus_count(ahead->open) == 1) {
    entry = mpa_open_fpdus_at(ahead->open, 0);
    if (entry->start != deframer->edge || !entry->located || entry->method != MPA_LOCATED_BY_CHAIN) {
      return;
    }
  }
  octet_store_visit(ahead->store, deframer->edge, end, count_piece, &pieces);
  if (pieces >= MPA_FRONT_PIECES_MAX) {
    return;
  }
  octet_store_take(ahead->store, deframer->edge, end, &front->octets, note_piece, front);
  front->is_located = entry != NULL;
  if (entry) {
    front->fpdu = entry->fpdu;
    mpa_open_fpdus_remove(ahead->open, entry);
  }
}

void mpa_deframer_front_held(const mpa_deframer *deframer, mpa_held *held)
{
  const mpa_front *front = &deframer->ahead->front;

  if (front->is_located) {
    held->partial_fpdus = 1;
    held->incomplete = front->octets.length;
    held->partial_end = front->fpdu.end;
    return;
  }
  if (!deframer->markers) {
    held->order = front->octets.length;
    return;
  }
  /* the marker that leads the FPDU belongs to it in any case: see mpa_deframer_held() */
  bool is_led_by_marker = deframer->edge % MPA_MARKER_PERIOD_OCTETS == 0;
  held->incomplete = is_led_by_marker ? MIN(front->octets.length, (uint32_t)MPA_MARKER_OCTETS) : 0;
  held->unlocated = front->octets.length - held->incomplete;
}
