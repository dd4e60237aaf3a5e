/* SPDX-License-Identifier: GPL-2.0-only */
/* The front is octets from the in-order edge on that do not yet make a whole FPDU, and nothing after them.
 *
 * FPDUs that are whole in one segment pass where they lie, and what is out of order waits in the locator,
 * which can hold anything. An FPDU that two segments in order share, as almost every one of an unaligned
 * sender, needs none of that: its octets wait here as one run, which costs fewer instructions than the
 * locator. The locator holds nothing while there are any, and no marker among them points beyond the edge. */
#pragma once

#include "mpa/mpa_locator.h"

enum { MPA_FRONT_PIECES_MAX = 8 };

/* All-zero is a valid empty one. */
typedef struct mpa_front {
  buffer_chain octets;
  uint32_t piece_count;
  bool is_located; /* ULPDU_Length has come, hence `fpdu` */
  mpa_fpdu fpdu;
  mpa_fpdu_piece pieces[MPA_FRONT_PIECES_MAX]; /* ascending; the first starts at the edge */
} mpa_front;

static inline uint64_t mpa_front_end(const mpa_front *front, uint64_t edge)
{
  return edge + front->octets.length;
}

/* The empty `copy` becomes equal to `front`; it references the octets. */
void mpa_front_copy(const mpa_front *front, mpa_front *copy);

/* Drops all that is in the front. */
static inline void mpa_front_empty(mpa_front *front)
{
  buffer_chain_empty(&front->octets);
  front->piece_count = 0;
  front->is_located = false;
}

/* Appends octets[from, to), which arrived at `arrival`, as a piece; there must be room for one. */
void mpa_front_append(mpa_front *front, uint64_t edge, const buffer_chain *octets, uint32_t from, uint32_t to,
                      time_ps arrival);

/* The in-order edge has moved on from `start` to `edge`: what is below it leaves the front. */
void mpa_front_drop_below(mpa_front *front, uint64_t start, uint64_t edge);

/* Returns whether no marker that became whole by the arrival of octets from `from` on points beyond the
 * edge. */
bool mpa_front_is_plain(const mpa_front *front, const mpa_locator *locator, uint64_t from);

/* The locator holds what is in the front from now on. */
void mpa_front_leave(mpa_front *front, mpa_locator *locator);

/* All that the locator holds moves to the empty front, if that is all there can be in one. */
void mpa_front_return(mpa_front *front, mpa_locator *locator);

/* Sets `held` to what is held in a front that is not empty. */
void mpa_front_held(const mpa_front *front, const mpa_locator *locator, mpa_held *held);
