/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets that are put together once, of others that stay where they are and of a few of their own, and then
 * referred to by many chains: one buffer has the slices and the own octets. A chain of all of it costs one
 * reference, however many slices there are (buffer_chain.h); nobody may write to any of the octets any
 * more. */
#ifndef BASE_SCATTER_LIST_H
#define BASE_SCATTER_LIST_H

#include "base/buffer_chain.h"

/* A list that is being made; the fields are for the functions below. */
typedef struct scatter_list {
  octet_buffer *buffer;
  octet_slice *slices;
  uint32_t slice_count;
  uint32_t slices_max;
  uint8_t *own;        /* the next of its own octets */
  uint8_t *own_behind; /* after the last there is room for */
  uint32_t length;     /* octets so far */
} scatter_list;

/* How long a pool's pieces must be for lists of at most `slices_max` slices and `own_octets` octets of their
 * own. */
size_t scatter_list_piece_octets(uint32_t slices_max, size_t own_octets);

/* Begins a list, in a piece of `pool` as octet_buffer_new_in() does; what was begun must be ended.
 * `slices_max` > 0. */
void scatter_list_begin(scatter_list *list, memory_pool *pool, uint32_t slices_max, size_t own_octets);

/* Appends `length` (> 0) own octets, to be written by the caller: they are one with those right before.
 * Returns where they are, until the list is freed. */
uint8_t *scatter_list_own(scatter_list *list, uint32_t length);

/* Appends the `length` (> 0) octets at `octets`, which never change while `buffer` (not NULL) is there; takes
 * a new reference on it. */
void scatter_list_refer(scatter_list *list, const uint8_t *octets, uint32_t length, octet_buffer *buffer);

/* Ends the list (of at least one octet): the empty `chain` has all its octets, and the only reference. */
void scatter_list_end(scatter_list *list, buffer_chain *chain);

#endif
