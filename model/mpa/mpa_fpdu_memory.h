/* SPDX-License-Identifier: GPL-2.0-only */
/* What the FPDUs of one host are made of, for all its connections: pieces of memory that are used again and
 * again, and the choice between the two ways to make an FPDU.
 *
 * A flat one is one piece of memory, to which the ULPDU is copied. As long as those on their way are in the
 * processor's cache it costs the least: the digest over flat octets, with the copy, takes less time than the
 * digest over the slices of a marked FPDU, and whoever handles it has one slice to look at. One that refers
 * has header, markers, PAD and digest of its own and slices of the ULP's octets between them
 * (scatter_list): a fifth of the memory and less. So FPDUs refer while as many flat ones are on their way,
 * or wait to be acknowledged, as the cache holds: the memory of many connections, and of one with a great
 * window, is bounded, and the others have their speed. On the wire the two are the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory_pool.h"

/* Octets of flat FPDUs that a host has at once, about: what processors of today have for one core of their
 * last level of cache. */
enum { MPA_FLAT_FPDU_OCTETS_MAX = 8 << 20 };

typedef struct mpa_fpdu_memory mpa_fpdu_memory;

/* Memory for FPDUs of mostly `fpdu_octets` (> 0) and less, of which flat ones take `flat_octets_max` at most,
 * about. Longer ones are made on the heap. Free with mpa_fpdu_memory_free(): what is on its way lives on. */
mpa_fpdu_memory *mpa_fpdu_memory_new(uint32_t fpdu_octets, uint64_t flat_octets_max);
void mpa_fpdu_memory_free(mpa_fpdu_memory *memory);

/* The pieces for a flat FPDU of `fpdu_octets`; the memory's. */
memory_pool *mpa_fpdu_memory_flat(const mpa_fpdu_memory *memory, uint32_t fpdu_octets);

/* Whether as many FPDUs as may be are flat, so that the next one is to refer. */
bool mpa_fpdu_memory_is_full(const mpa_fpdu_memory *memory);

/* As many slices as an FPDU with `markers` markers may have that refers to `runs` slices of its ULPDU. */
static inline uint32_t mpa_fpdu_memory_slices_max(uint32_t markers, uint32_t runs)
{
  /* each marker cuts a run at most; own octets before each part, and after the last */
  return 2 * (runs + markers) + 1;
}

/* The pieces for one that refers, of at most `piece_octets` (scatter_list_piece_octets()); the memory's. */
memory_pool *mpa_fpdu_memory_referring(const mpa_fpdu_memory *memory, size_t piece_octets);

/* The pieces for `octets` of the stream that arrived in many slices and are to lie flat; NULL when there are
 * as many as may be (those that wait to be placed). The memory's. */
memory_pool *mpa_fpdu_memory_arrived(const mpa_fpdu_memory *memory, uint32_t octets);
