#include "mpa/mpa_ulpdu_parts.h"

#include <glib.h>

/* Octets of an FPDU from `position` on arrived at `arrival`. */
typedef struct piece {
  uint64_t position;
  time_ps arrival;
} piece;

struct mpa_ulpdu_parts {
  GArray *pieces; /* of piece */
  GArray *parts;  /* of mpa_ulpdu_part */
};

mpa_ulpdu_parts *mpa_ulpdu_parts_new(void)
{
  mpa_ulpdu_parts *parts = g_new(mpa_ulpdu_parts, 1);

  parts->pieces = g_array_new(false, false, sizeof(piece));
  parts->parts = g_array_new(false, false, sizeof(mpa_ulpdu_part));
  return parts;
}

void mpa_ulpdu_parts_free(mpa_ulpdu_parts *parts)
{
  if (parts) {
    g_array_free(parts->pieces, true);
    g_array_free(parts->parts, true);
    g_free(parts);
  }
}

void mpa_ulpdu_parts_reset(mpa_ulpdu_parts *parts)
{
  g_array_set_size(parts->pieces, 0);
  g_array_set_size(parts->parts, 0);
}

void mpa_ulpdu_parts_add(mpa_ulpdu_parts *parts, uint64_t position, time_ps arrival)
{
  piece next = {.position = position, .arrival = arrival};

  g_array_append_val(parts->pieces, next);
}

/* Stream offset behind the piece number `index`. */
static uint64_t piece_end(const mpa_ulpdu_parts *parts, guint index, const mpa_fpdu *fpdu)
{
  return index + 1 < parts->pieces->len ? g_array_index(parts->pieces, piece, index + 1).position : fpdu->end;
}

/* Appends `part`, or lengthens the last part when both arrived together. */
static void append(GArray *parts, const mpa_ulpdu_part *part)
{
  if (parts->len > 0) {
    mpa_ulpdu_part *last = &g_array_index(parts, mpa_ulpdu_part, parts->len - 1);

    if (last->arrival == part->arrival) {
      last->length += part->length;
      return;
    }
  }
  g_array_append_vals(parts, part, 1);
}

const mpa_ulpdu_part *mpa_ulpdu_parts_of(mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, size_t *count)
{
  g_array_set_size(parts->parts, 0);
  for (guint index = 0; index < parts->pieces->len; index++) {
    const piece *from = &g_array_index(parts->pieces, piece, index);
    uint64_t end = piece_end(parts, index, fpdu);
    mpa_ulpdu_part part = {.from = mpa_fpdu_ulpdu_octets_below(fpdu, from->position),
                           .arrival = from->arrival};

    part.length = mpa_fpdu_ulpdu_octets_below(fpdu, end) - part.from;
    if (part.length > 0) { /* else header, PAD, CRC or marker only */
      append(parts->parts, &part);
    }
  }
  *count = parts->parts->len;
  return (const mpa_ulpdu_part *)parts->parts->data;
}

uint64_t mpa_ulpdu_parts_arrived_before(const mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, time_ps now)
{
  uint64_t octets = 0;

  for (guint index = 0; index < parts->pieces->len; index++) {
    const piece *from = &g_array_index(parts->pieces, piece, index);

    if (from->arrival < now) {
      octets += piece_end(parts, index, fpdu) - from->position;
    }
  }
  return octets;
}
