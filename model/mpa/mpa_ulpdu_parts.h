/* SPDX-License-Identifier: GPL-2.0-only */
/* How a ULPDU arrived, out of how the octets of its FPDU did. */
#ifndef MPA_MPA_ULPDU_PARTS_H
#define MPA_MPA_ULPDU_PARTS_H

#include <stdint.h>

#include "base/time_ps.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_ulpdu.h"

typedef struct mpa_ulpdu_parts mpa_ulpdu_parts;

/* An empty list; free with mpa_ulpdu_parts_free(). */
mpa_ulpdu_parts *mpa_ulpdu_parts_new(void);
void mpa_ulpdu_parts_free(mpa_ulpdu_parts *parts);

/* Forgets the FPDU in hand. */
void mpa_ulpdu_parts_reset(mpa_ulpdu_parts *parts);

/* The next octets of the FPDU in hand, from stream offset `position` on (ascending), arrived at `arrival`. */
void mpa_ulpdu_parts_add(mpa_ulpdu_parts *parts, uint64_t position, time_ps arrival);

/* The parts of the ULPDU of `fpdu`, whose octets were all added; `*count` of them, neighbours of one
 * arrival being one part. Valid until the next reset. */
const mpa_ulpdu_part *mpa_ulpdu_parts_of(mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, size_t *count);

/* The pieces that were added, `*count` (> 0) of them. Valid until the next reset. */
const mpa_fpdu_piece *mpa_ulpdu_parts_pieces(const mpa_ulpdu_parts *parts, size_t *count);

/* Octets of `fpdu`, framing included, that arrived before `now`. */
uint64_t mpa_ulpdu_parts_arrived_before(const mpa_ulpdu_parts *parts, const mpa_fpdu *fpdu, time_ps now);

#endif
