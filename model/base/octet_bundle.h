/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets that are put together once, of others that stay where they are and of a few of their own, and then referred to by many ropes:
 * one block has the slices and the own octets. A rope of all of it costs one reference, however many slices there are
 * (octet_rope.h); nobody may write to any of the octets any more. */
#ifndef BASE_OCTET_BUNDLE_H
#define BASE_OCTET_BUNDLE_H

#include "base/octet_rope.h"

/* A bundle that is being made; the fields are for the functions below. */
typedef struct octet_bundle {
  octet_block *block;
  octet_slice *slices;
  uint32_t slice_count;
  uint32_t slices_max;
  uint8_t *own;        /* the next of its own octets */
  uint8_t *own_behind; /* behind the last there is room for */
  uint32_t length;     /* octets so far */
} octet_bundle;

/* How long a pool's pieces must be for bundles of at most `slices_max` slices and `own_octets` octets of their own. */
size_t octet_bundle_piece_octets(uint32_t slices_max, size_t own_octets);

/* Begins a bundle, in a piece of `pool` as octet_block_new_in() does; what was begun must be ended. `slices_max` > 0. */
void octet_bundle_begin(octet_bundle *bundle, memory_pool *pool, uint32_t slices_max, size_t own_octets);

/* Appends `length` (> 0) own octets, to be written by the caller: they are one with those right before. Returns where they are, until
 * the bundle is freed. */
uint8_t *octet_bundle_own(octet_bundle *bundle, uint32_t length);

/* Appends the `length` (> 0) octets at `octets`, which never change while `block` (not NULL) is there; takes a new reference on it. */
void octet_bundle_refer(octet_bundle *bundle, const uint8_t *octets, uint32_t length, octet_block *block);

/* Ends the bundle (of at least one octet): the empty `rope` has all its octets, and the only reference. */
void octet_bundle_end(octet_bundle *bundle, octet_rope *rope);

#endif
