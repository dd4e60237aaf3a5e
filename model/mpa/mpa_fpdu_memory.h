/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the memory of the FPDUs of hosts, for all their connections: pieces that are used again and again,
 * and the choice between two ways to make an FPDU.
 *
 * A flat FPDU is one piece of memory, to which the ULPDU is copied. It costs the least as long as the flat
 * FPDUs in flight are in the processor's cache: the CRC over flat octets, with the copy, takes less time than
 * the CRC over the slices of a marked FPDU, and all code that handles the FPDU has one slice to look at. A
 * referring FPDU has its own header, markers, PAD and CRC, with slices of the ULP's octets between them
 * (scatter_list). It takes a fifth of the memory or less. So new FPDUs refer while as many flat ones are in
 * flight, or wait to be acknowledged, as the cache holds: fewer of each with many connections, whose state is
 * to be there, too. This limits the memory of many connections, and of one with a large window, and keeps the
 * others fast. On the wire the two are the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory_pool.h"

/* About the most octets of flat FPDUs that there are at once: the share of one core in the last-level cache
 * of today's processors; and that of its own cache, from so many connections on. */
enum { MPA_FLAT_FPDU_OCTETS_MAX = 8 << 20, MPA_FLAT_FPDU_SHARES_MAX = 8 };

typedef struct mpa_fpdu_memory mpa_fpdu_memory;

/* Memory for FPDUs of mostly `fpdu_octets` (> 0) and less, of which flat ones take `flat_octets_max` at most,
 * about. Longer ones are made on the heap. Free with mpa_fpdu_memory_free(): what is on its way lives on. */
mpa_fpdu_memory *mpa_fpdu_memory_new(uint32_t fpdu_octets, uint64_t flat_octets_max);
void mpa_fpdu_memory_free(mpa_fpdu_memory *memory);

/* One end more of a connection uses it, of which there are two: `flat_octets_max` is shared by all
 * connections, but is no less than MPA_FLAT_FPDU_SHARES_MAX of them leave each. */
void mpa_fpdu_memory_add_end(mpa_fpdu_memory *memory);

/* Returns the pieces for a flat FPDU of `fpdu_octets`; they stay the memory's. */
memory_pool *mpa_fpdu_memory_flat(const mpa_fpdu_memory *memory, uint32_t fpdu_octets);

/* Returns whether as many FPDUs are flat as may be, short ones aside, so that the next one must refer. */
bool mpa_fpdu_memory_is_full(const mpa_fpdu_memory *memory);

/* Returns as many slices as an FPDU with `markers` markers may have that refers to `runs` slices of its
 * ULPDU. */
static inline uint32_t mpa_fpdu_memory_slices_max(uint32_t markers, uint32_t runs)
{
  /* each marker cuts at most one run; own octets lie before each part, and after the last */
  return 2 * (runs + markers) + 1;
}

/* Returns the pieces for a referring FPDU, of at most `piece_octets` (scatter_list_piece_octets()); they stay
 * the memory's. */
memory_pool *mpa_fpdu_memory_referring(const mpa_fpdu_memory *memory, size_t piece_octets);

/* The pieces for `octets` of the stream that arrived in many slices and are to lie flat; NULL when there are
 * as many as may be (those that wait to be placed). The memory's. */
memory_pool *mpa_fpdu_memory_arrived(const mpa_fpdu_memory *memory, uint32_t octets);
