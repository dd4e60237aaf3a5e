/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_front.h"

void mpa_front_copy(const mpa_front *front, mpa_front *copy)
{
  *copy = *front;
  buffer_chain_init(&copy->octets);
  if (front->octets.length > 0) {
    buffer_chain_append_chain(&copy->octets, &front->octets, 0, front->octets.length);
  }
}

static void note_piece(void *user, uint64_t position, time_ps arrival)
{
  mpa_front *front = user;

  g_assert(front->piece_count < MPA_FRONT_PIECES_MAX);
  front->pieces[front->piece_count++] = (mpa_fpdu_piece){.position = position, .arrival = arrival};
}

void mpa_front_append(mpa_front *front, uint64_t edge, const buffer_chain *octets, uint32_t from, uint32_t to,
                      time_ps arrival)
{
  note_piece(front, mpa_front_end(front, edge), arrival);
  buffer_chain_append_chain(&front->octets, octets, from, to - from);
}

void mpa_front_drop_below(mpa_front *front, uint64_t start, uint64_t edge)
{
  uint32_t passed = 0;

  buffer_chain_drop_front(&front->octets, (uint32_t)(edge - start));
  if (front->octets.length == 0) {
    front->piece_count = 0;
    return;
  }
  while (passed + 1 < front->piece_count && front->pieces[passed + 1].position <= edge) {
    passed++;
  }
  front->piece_count -= passed;
  for (uint32_t index = 0; passed > 0 && index < front->piece_count; index++) {
    front->pieces[index] = front->pieces[passed + index];
  }
  front->pieces[0].position = MAX(front->pieces[0].position, edge);
}

bool mpa_front_is_plain(const mpa_front *front, const mpa_locator *locator, uint64_t from)
{
  uint64_t edge = locator->edge;
  uint64_t end = mpa_front_end(front, edge);
  uint64_t position = MAX(mpa_marker_reaching(from), mpa_marker_next(edge));

  const uint8_t *flat = buffer_chain_one_piece(&front->octets);

  for (; locator->markers && position + MPA_MARKER_OCTETS <= end; position += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t spare[MPA_MARKER_OCTETS];
    const uint8_t *wire = flat ? flat + (position - edge) : spare;

    if (!flat) {
      buffer_chain_copy_out(&front->octets, (uint32_t)(position - edge), MPA_MARKER_OCTETS, spare);
    }
    if (front->is_located && (mpa_marker_points_to(position, wire, front->fpdu.header) ||
                              mpa_marker_is_mute(&front->fpdu, position))) {
      continue;
    }
    uint64_t header = mpa_marker_header(position, wire);
    if (header != MPA_MARKER_NOWHERE && mpa_fpdu_start(header) > edge) {
      return false;
    }
  }
  return true;
}

void mpa_front_leave(mpa_front *front, mpa_locator *locator)
{
  if (front->octets.length == 0) {
    return;
  }
  mpa_locator_hold_pieces(locator, &front->octets, front->pieces, front->piece_count,
                          mpa_front_end(front, locator->edge));
  if (front->is_located) {
    mpa_pending_fpdus_locate(&locator->reassembly->pending, &front->fpdu, MPA_LOCATED_BY_CHAIN,
                             front->octets.length);
  }
  mpa_front_empty(front);
}

void mpa_front_return(mpa_front *front, mpa_locator *locator)
{
  mpa_reassembly *reassembly = locator->reassembly;
  mpa_pending_fpdus *pending = &reassembly->pending;
  uint64_t edge = locator->edge;
  uint64_t end = edge + reassembly_queue_total(reassembly->octets);

  if (end == edge || range_set_count(&reassembly->taken) > 0 || pending->entries.count > 1 ||
      reassembly->has_conflict || !reassembly_queue_contains(reassembly->octets, edge, end)) {
    return;
  }
  mpa_pending_fpdu *entry = pending->entries.count == 1 ? mpa_pending_fpdus_at(pending, 0) : NULL;
  if ((entry && (entry->start != edge || !entry->located || entry->method != MPA_LOCATED_BY_CHAIN)) ||
      mpa_locator_pieces_of(locator, edge, end) >= MPA_FRONT_PIECES_MAX) {
    return;
  }
  reassembly_queue_take(reassembly->octets, edge, end, &front->octets, note_piece, front);
  front->is_located = entry != NULL;
  if (entry) {
    front->fpdu = entry->fpdu;
    mpa_pending_fpdus_remove(pending, entry);
  }
}

void mpa_front_held(const mpa_front *front, const mpa_locator *locator, mpa_held *held)
{
  *held = (mpa_held){.edge = locator->edge};
  if (front->is_located) {
    held->partial_fpdus = 1;
    held->incomplete = front->octets.length;
    held->partial_end = front->fpdu.end;
    return;
  }
  /* a leading marker: see mpa_locator_held() */
  uint64_t header = mpa_fpdu_header(locator->edge, locator->markers);
  held->incomplete = MIN(front->octets.length, header - locator->edge);
  *(locator->markers ? &held->unlocated : &held->order) = front->octets.length - held->incomplete;
}
