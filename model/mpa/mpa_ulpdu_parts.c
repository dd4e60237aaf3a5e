/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_ulpdu_parts.h"

#include <glib.h>

#include "base/element_array.h"

struct mpa_ulpdu_parts {
  element_array pieces; /* of mpa_fpdu_piece */
  element_array parts;  /* of mpa_ulpdu_part */
};

mpa_ulpdu_parts *mpa_ulpdu_parts_new(void)
{
  mpa_ulpdu_parts *parts = g_new(mpa_ulpdu_parts, 1);

  element_array_init(&parts->pieces, sizeof(mpa_fpdu_piece));
  element_array_init(&parts->parts, sizeof(mpa_ulpdu_part));
  return parts;
}

void mpa_ulpdu_parts_free(mpa_ulpdu_parts *parts)
{
  if (parts) {
    element_array_clear(&parts->pieces);
    element_array_clear(&parts->parts);
    g_free(parts);
  }
}

void mpa_ulpdu_parts_reset(mpa_ulpdu_parts *parts)
{
  element_array_empty(&parts->pieces);
}

void mpa_ulpdu_parts_add(mpa_ulpdu_parts *parts, uint64_t position, time_ps arrival)
{
  *(mpa_fpdu_piece *)element_array_insert(&parts->pieces, parts->pieces.count) =
      (mpa_fpdu_piece){position, arrival};
}

static const mpa_fpdu_piece *piece_at(const mpa_ulpdu_parts *parts, size_t index)
{
  return element_array_slot(&parts->pieces, index, sizeof(mpa_fpdu_piece));
}

/* Stream offset behind the piece number `index`. */
static uint64_t piece_end(const mpa_ulpdu_parts *parts, size_t index, const mpa_fpdu *fpdu)
{
  return index + 1 < parts->pieces.count ? piece_at(parts, index + 1)->position : fpdu->end;
}

/* Appends a part, or lengthens the last one when both arrived together. */
static void append(element_array *parts, uint32_t from, uint32_t length, time_ps arrival)
{
  if (parts->count > 0) {
    mpa_ulpdu_part *last = element_array_slot(parts, parts->count - 1, sizeof(mpa_ulpdu_part));

    if (last->arrival == arrival) {
      last->length += length;
      return;
    }
  }
  *(mpa_ulpdu_part *)element_array_insert(parts, parts->count) = (mpa_ulpdu_part){from, length, arrival};
}

const mpa_ulpdu_part *mpa_ulpdu_parts_of(mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, size_t *count)
{
  uint32_t from = 0;

  element_array_empty(&parts->parts);
  for (size_t index = 0; index < parts->pieces.count; index++) {
    bool last = index + 1 == parts->pieces.count;
    uint32_t to =
        last ? fpdu->ulpdu_octets : mpa_fpdu_ulpdu_octets_below(fpdu, piece_end(parts, index, fpdu));

    if (to > from) { /* else header, PAD, CRC or marker only */
      append(&parts->parts, from, to - from, piece_at(parts, index)->arrival);
    }
    from = to;
  }
  *count = parts->parts.count;
  return *count > 0 ? element_array_at(&parts->parts, 0) : NULL;
}

const mpa_fpdu_piece *mpa_ulpdu_parts_pieces(const mpa_ulpdu_parts *parts, size_t *count)
{
  *count = parts->pieces.count;
  return piece_at(parts, 0);
}

uint64_t mpa_ulpdu_parts_arrived_before(const mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, time_ps now)
{
  uint64_t octets = 0;

  for (size_t index = 0; index < parts->pieces.count; index++) {
    const mpa_fpdu_piece *from = piece_at(parts, index);

    if (from->arrival < now) {
      octets += piece_end(parts, index, fpdu) - from->position;
    }
  }
  return octets;
}
