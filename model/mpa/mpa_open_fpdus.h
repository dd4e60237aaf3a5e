/* SPDX-License-Identifier: GPL-2.0-only */
/* The FPDUs of one half connection whose start is established but which are not passed up yet: located
 * ones that have octets missing, and starts whose ULPDU_Length is not there (definitions.md, "Held
 * octets"). Sorted by start; it counts the octets that have arrived. */
#ifndef MPA_MPA_OPEN_FPDUS_H
#define MPA_MPA_OPEN_FPDUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_ulpdu.h"

/* Read by everyone, written only by the functions below. */
typedef struct mpa_open_fpdu {
  uint64_t start;
  mpa_location method;
  bool located; /* ULPDU_Length is there, hence `fpdu` and `arrived` */
  mpa_fpdu fpdu;
  uint64_t arrived; /* octets of `fpdu` that have arrived */
} mpa_open_fpdu;

typedef struct mpa_open_fpdus mpa_open_fpdus;

/* An empty table; free with mpa_open_fpdus_free(). */
mpa_open_fpdus *mpa_open_fpdus_new(void);
void mpa_open_fpdus_free(mpa_open_fpdus *open);

/* A table of its own that is as `open` is; free it likewise. */
mpa_open_fpdus *mpa_open_fpdus_copy(const mpa_open_fpdus *open);

/* Entries, and the one number `index` (< count), by ascending start. */
size_t mpa_open_fpdus_count(const mpa_open_fpdus *open);
mpa_open_fpdu *mpa_open_fpdus_at(const mpa_open_fpdus *open, size_t index);

/* Index of the first entry that can have an octet at or behind `position`. */
size_t mpa_open_fpdus_first_reaching(const mpa_open_fpdus *open, uint64_t position);

/* The FPDU that starts at `start`; NULL when that is not in the table. Valid until the table changes. */
mpa_open_fpdu *mpa_open_fpdus_find(const mpa_open_fpdus *open, uint64_t start);

/* Remembers that an FPDU starts at `start`, and returns its entry. Of several methods that establish a
 * start before its FPDU is located the first in the order of mpa_location stays. */
mpa_open_fpdu *mpa_open_fpdus_establish(mpa_open_fpdus *open, uint64_t start, mpa_location method);

/* The ULPDU_Length of `entry` is there: its FPDU is located, `arrived` octets of it have arrived. */
void mpa_open_fpdus_locate(mpa_open_fpdus *open, mpa_open_fpdu *entry, const mpa_fpdu *fpdu,
                           uint64_t arrived);

/* Of the located `entry`, `arrived` octets have arrived by now. */
void mpa_open_fpdus_set_arrived(mpa_open_fpdus *open, mpa_open_fpdu *entry, uint64_t arrived);

/* Forgets `entry`; forgets all that start below `edge`. */
void mpa_open_fpdus_remove(mpa_open_fpdus *open, mpa_open_fpdu *entry);
void mpa_open_fpdus_remove_below(mpa_open_fpdus *open, uint64_t edge);

/* Located FPDUs in the table, and the sum of their arrived octets. */
uint32_t mpa_open_fpdus_located(const mpa_open_fpdus *open);
uint64_t mpa_open_fpdus_arrived(const mpa_open_fpdus *open);

/* True once two FPDUs of the table ever overlapped: the stream contradicts itself, and octets in the
 * overlap would be counted twice by mpa_open_fpdus_arrived(). */
bool mpa_open_fpdus_overlap(const mpa_open_fpdus *open);

#endif
