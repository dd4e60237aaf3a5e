/* SPDX-License-Identifier: GPL-2.0-only */
/* The FPDUs of one half connection whose start is established and which are not passed up yet: located ones
 * with octets missing, and starts whose ULPDU_Length has not arrived (docs/metrics.md, "Held octets"). Sorted
 * by start; the table counts the octets that have arrived. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deque.h"
#include "mpa/mpa_fpdu.h"

/* Read by everyone, written only by the functions below. */
typedef struct mpa_pending_fpdu {
  uint64_t start;
  mpa_location method;
  bool located; /* ULPDU_Length has come, hence `fpdu` and `arrived` */
  mpa_fpdu fpdu;
  uint64_t arrived; /* octets of `fpdu` that have arrived */
} mpa_pending_fpdu;

/* Read by everyone, written only by the functions below. */
typedef struct mpa_pending_fpdus {
  deque entries;    /* of mpa_pending_fpdu, ascending starts */
  uint32_t located; /* entries */
  bool overlap;     /* two located FPDUs ever overlapped: the stream contradicts itself */
  uint64_t arrived; /* octets of the located ones */
} mpa_pending_fpdus;

/* Makes an empty table. Free its memory with mpa_pending_fpdus_clear(). */
void mpa_pending_fpdus_init(mpa_pending_fpdus *pending);
void mpa_pending_fpdus_clear(mpa_pending_fpdus *pending);

/* Makes the empty table `copy` equal to `pending`. */
void mpa_pending_fpdus_copy(const mpa_pending_fpdus *pending, mpa_pending_fpdus *copy);

/* The entry number `index` (< entries.count), by ascending start. */
static inline mpa_pending_fpdu *mpa_pending_fpdus_at(const mpa_pending_fpdus *pending, size_t index)
{
  return deque_slot(&pending->entries, index, sizeof(mpa_pending_fpdu));
}

/* Index of the first entry that can have an octet at or after `position`. */
size_t mpa_pending_fpdus_first_reaching(const mpa_pending_fpdus *pending, uint64_t position);

/* The FPDU that starts at `start`; NULL when it is not in the table. Valid until the table changes. */
mpa_pending_fpdu *mpa_pending_fpdus_find(const mpa_pending_fpdus *pending, uint64_t start);

/* Remembers that an FPDU starts at `start`, and returns its entry's number. Of several methods that establish
 * a start before its FPDU is located the first in the order of mpa_location stays. */
size_t mpa_pending_fpdus_establish(mpa_pending_fpdus *pending, uint64_t start, mpa_location method);

/* Does the same of `fpdu`, whose ULPDU_Length has come: it is located, which it was not before, and `arrived`
 * octets of it have arrived. Returns its entry, which is valid until the table changes. */
mpa_pending_fpdu *mpa_pending_fpdus_locate(mpa_pending_fpdus *pending, const mpa_fpdu *fpdu,
                                           mpa_location method, uint64_t arrived);

/* Of the located `entry`, `arrived` octets have arrived by now. */
void mpa_pending_fpdus_set_arrived(mpa_pending_fpdus *pending, mpa_pending_fpdu *entry, uint64_t arrived);

/* Forgets `entry`; forgets all that start below `edge`. */
void mpa_pending_fpdus_remove(mpa_pending_fpdus *pending, mpa_pending_fpdu *entry);
void mpa_pending_fpdus_remove_below(mpa_pending_fpdus *pending, uint64_t edge);

/* --- FPDUs that were assumed --- */

/* A deque of these has, by ascending start, the FPDUs that were passed up because a TCP segment starts there,
 * and that are neither proven nor disproven yet (mpa_deframer_receive_segment()). Added and removed only by
 * the functions below. The extents may overlap when an assumption was wrong. */
typedef struct mpa_assumed_fpdu {
  uint64_t start;
  uint64_t end;
} mpa_assumed_fpdu;

/* [start, end) was assumed to be an FPDU; a start that is in the list already is ignored. */
void mpa_assumed_fpdus_add(deque *assumed, uint64_t start, uint64_t end);

/* An FPDU at [start, end) is proven: the assumed one that starts with it was right, all others with an octet
 * in it were wrong. Forgets them and returns how many were wrong. */
uint32_t mpa_assumed_fpdus_prove(deque *assumed, uint64_t start, uint64_t end);

/* Everything below `edge` is proven: forgets what starts there. */
void mpa_assumed_fpdus_forget_below(deque *assumed, uint64_t edge);
