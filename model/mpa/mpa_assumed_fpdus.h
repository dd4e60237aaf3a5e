/* SPDX-License-Identifier: GPL-2.0-only */
/* FPDUs that were passed up because a TCP segment starts there, and that are neither proven nor disproven yet
 * (mpa_deframer_receive_segment()). */
#ifndef MPA_MPA_ASSUMED_FPDUS_H
#define MPA_MPA_ASSUMED_FPDUS_H

#include <stdint.h>

#include "base/deque.h"

/* Written only by the functions below. The extents may overlap when an assumption was wrong. */
typedef struct mpa_assumed_fpdus {
  deque entries; /* by ascending start */
} mpa_assumed_fpdus;

/* An empty list. Free its memory with mpa_assumed_fpdus_clear(). */
void mpa_assumed_fpdus_init(mpa_assumed_fpdus *assumed);
void mpa_assumed_fpdus_clear(mpa_assumed_fpdus *assumed);

/* Makes the empty list `copy` equal to `assumed`. */
void mpa_assumed_fpdus_copy(const mpa_assumed_fpdus *assumed, mpa_assumed_fpdus *copy);

/* [start, end) was assumed to be an FPDU; a start that is in the list already is ignored. */
void mpa_assumed_fpdus_add(mpa_assumed_fpdus *assumed, uint64_t start, uint64_t end);

/* An FPDU at [start, end) is proven: the assumed one that starts with it was right, all others with an octet
 * in it were wrong. Forgets them and returns how many were wrong. */
uint32_t mpa_assumed_fpdus_prove(mpa_assumed_fpdus *assumed, uint64_t start, uint64_t end);

/* Everything below `edge` is proven: forgets what starts there. */
void mpa_assumed_fpdus_forget_below(mpa_assumed_fpdus *assumed, uint64_t edge);

#endif
