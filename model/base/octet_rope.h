/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared octets: reference-counted blocks, slices of them, and ropes (short sequences of slices).
 *
 * Everything that moves through the simulator (FPDUs, segments, held octets) is a rope, so that payload is
 * referenced and not copied on its way (design.md, "Real octets, few touches"). Most ropes have one slice and live for
 * one segment: what those need is here, inline; the rest is in octet_rope.c. One simulation is one thread: the
 * reference counts are not atomic. */
#ifndef BASE_OCTET_ROPE_H
#define BASE_OCTET_ROPE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory_pool.h"

/* A reference-counted piece of memory. The fields are for the functions of this header. */
typedef struct octet_block {
  memory_pool *pool; /* NULL: from the heap */
  uint32_t references;
  uint32_t
      shared_slices; /* as many slices are at the start of `octets`, see octet_bundle.h; nearly always 0 */
  uint8_t octets[];
} octet_block;

/* A new block of `octets` (> 0) octets, uninitialised, with one reference owned by the caller. */
octet_block *octet_block_new(size_t octets);

/* The same in a piece of `pool`, to which the last reference gives it back; from the heap when `pool` is NULL or its pieces are
 * shorter than octet_block_piece_octets(octets). */
octet_block *octet_block_new_in(memory_pool *pool, size_t octets);

/* How long a pool's pieces must be for blocks of `octets`. */
size_t octet_block_piece_octets(size_t octets);

/* What octet_block_unref() does with the last reference. */
void octet_block_free(octet_block *block);

/* Drops a reference; the last one frees the block. NULL is allowed. */
static inline void octet_block_unref(octet_block *block)
{
  if (block != NULL && --block->references == 0) {
    octet_block_free(block);
  }
}

/* The block's memory. Write only while nothing else references the block. */
static inline uint8_t *octet_block_octets(octet_block *block)
{
  return block->octets;
}

/* `length` octets at `octets`, kept alive by a reference on `block`; NULL `block`: memory that outlives every
 * rope (the pattern table, a test's constants). */
typedef struct octet_slice {
  const uint8_t *octets;
  uint32_t length;
  octet_block *block;
} octet_slice;

/* As many as a ULPDU has for an MTU of 1500 octets: the runs between its markers. */
enum { OCTET_ROPE_INLINE_SLICES = 4 };

/* A sequence of slices read as one run of octets. The fields are readable by everyone (hot loops walk
 * `octet_rope_slices()`), written only by the functions below. An all-zero rope is a valid empty one. */
typedef struct octet_rope {
  uint32_t length;        /* octets in all slices */
  uint32_t slice_count;   /* slices in use */
  uint32_t heap_capacity; /* slices there is room for from `heap` on; 0 while the inline slices suffice */
  uint32_t
      heap_dropped;  /* slices dropped in front of `heap`, whose memory starts that much earlier; or SHARED */
  octet_slice *heap; /* the first slice in use; NULL while the inline slices suffice */
  octet_slice inline_slices[OCTET_ROPE_INLINE_SLICES];
} octet_rope;

/* Makes `rope` a valid empty rope. Only the counters: the inline slices behind `slice_count` are never read, and clearing
 * them costs more than the rest of a short rope's life. */
static inline void octet_rope_init(octet_rope *rope)
{
  rope->length = 0;
  rope->slice_count = 0;
  rope->heap_capacity = 0;
  rope->heap_dropped = 0;
  rope->heap = NULL;
}

/* The slices of `rope`, `rope->slice_count` of them; valid until the rope changes. */
static inline const octet_slice *octet_rope_slices(const octet_rope *rope)
{
  return rope->heap ? rope->heap : rope->inline_slices;
}

/* `heap_dropped` of a rope whose slices are those of a bundle's block (octet_bundle.h), which other ropes have, too: it has one
 * reference on that block, and copies the slices before it changes them. `heap_capacity` is `slice_count` then. */
#define OCTET_ROPE_SHARED UINT32_MAX

static inline bool octet_rope_is_shared(const octet_rope *rope)
{
  return rope->heap != NULL && rope->heap_dropped == OCTET_ROPE_SHARED;
}

/* That block; no reference is added. */
octet_block *octet_rope_shared_block(const octet_rope *rope);

/* A rope of all slices of a bundle's `block`, which have `length` octets, without a reference on it: to append from. */
octet_rope octet_rope_of_shared(octet_block *block, uint32_t length);

/* What octet_rope_empty() and octet_rope_clear() do with a rope whose slices are on the heap. */
void octet_rope_empty_heap(octet_rope *rope);
void octet_rope_free_heap(octet_rope *rope);

/* `rope`, which shares none, has no slices any more, their references are dropped; the memory for them is used from its start on. */
static inline void octet_rope_start_over(octet_rope *rope)
{
  rope->length = 0;
  rope->slice_count = 0;
  if (rope->heap != NULL) {
    rope->heap -= rope->heap_dropped;
    rope->heap_capacity += rope->heap_dropped;
    rope->heap_dropped = 0;
  }
}

/* Drops all slices and their references, but keeps the memory for as many slices as there ever were: for a rope that is filled
 * again and again. */
static inline void octet_rope_empty(octet_rope *rope)
{
  if (rope->heap != NULL) {
    octet_rope_empty_heap(rope);
    return;
  }
  for (uint32_t index = 0; index < rope->slice_count; index++) {
    octet_block_unref(rope->inline_slices[index].block);
  }
  rope->length = 0;
  rope->slice_count = 0;
}

/* Drops all slices and their references; the rope is empty and usable afterwards, and needs no clearing. */
static inline void octet_rope_clear(octet_rope *rope)
{
  octet_rope_empty(rope);
  if (rope->heap != NULL) {
    octet_rope_free_heap(rope);
  }
}

/* Octets of a rope that are read slice by slice:
 *   octet_rope_range rest = octet_rope_range_of(rope, from, length);
 *   while (rest.length > 0) {
 *     octet_slice part = octet_rope_range_next(&rest);
 *     …
 *   }
 * Valid until the rope changes. */
typedef struct octet_rope_range {
  const octet_slice *slice;
  uint32_t skipped; /* octets of `slice` in front of the range */
  uint32_t length;  /* octets still to come */
} octet_rope_range;

/* What octet_rope_range_of() does with a range that starts behind the first slice, and with one that does not lie within the
 * rope. */
octet_rope_range octet_rope_range_behind(const octet_rope *rope, uint32_t from, uint32_t length);

/* Octets [from, from + length), which must lie within the rope. */
static inline octet_rope_range octet_rope_range_of(const octet_rope *rope, uint32_t from, uint32_t length)
{
  const octet_slice *first = octet_rope_slices(rope);
  if (rope->slice_count == 0 || from >= first->length || length > rope->length - from) {
    return octet_rope_range_behind(rope, from, length);
  }
  return (octet_rope_range){.slice = first, .skipped = from, .length = length};
}

/* The next of the octets to come (there must be some) that lie in one piece of memory; no reference is added. */
static inline octet_slice octet_rope_range_next(octet_rope_range *rest)
{
  const octet_slice *slice = rest->slice++;
  uint32_t behind = slice->length - rest->skipped;
  octet_slice part = {.octets = slice->octets + rest->skipped,
                      .length = rest->length < behind ? rest->length : behind,
                      .block = slice->block};
  rest->skipped = 0;
  rest->length -= part.length;
  return part;
}

/* Octets [from, from + length), which must lie within the rope, when they lie in one piece of memory and it is the rope's first;
 * else NULL. */
static inline const uint8_t *octet_rope_flat(const octet_rope *rope, uint32_t from, uint32_t length)
{
  const octet_slice *first = octet_rope_slices(rope);
  if (rope->slice_count == 0 || from > first->length || length > first->length - from) {
    return NULL;
  }
  return first->octets + from;
}

/* The same of `length` > 0 octets in whichever of its pieces; NULL when they lie in several. */
const uint8_t *octet_rope_flat_anywhere(const octet_rope *rope, uint32_t from, uint32_t length);

/* What octet_rope_reserve() does when there is too little room. */
void octet_rope_grow(octet_rope *rope, uint32_t count);

/* Makes room for `count` more slices behind those in use, for as many octet_rope_put(). */
static inline void octet_rope_reserve(octet_rope *rope, uint32_t count)
{
  uint32_t capacity = rope->heap ? rope->heap_capacity : OCTET_ROPE_INLINE_SLICES;
  if (count > capacity - rope->slice_count) {
    octet_rope_grow(rope, count);
  }
}

/* octet_rope_append() of `length` > 0 octets for which there is room, as a slice of their own. */
static inline void octet_rope_put(octet_rope *rope, const uint8_t *octets, uint32_t length,
                                  octet_block *block)
{
  octet_slice *slice = (rope->heap ? rope->heap : rope->inline_slices) + rope->slice_count;
  slice->octets = octets;
  slice->length = length;
  slice->block = block;
  if (block != NULL) {
    block->references++;
  }
  rope->slice_count++;
  rope->length += length;
}

/* Octets that lie in runs with gaps between them, all in one block: `length` in all, the first run `first` long, all others but the
 * last `run`, the gaps `gap`. */
typedef struct octet_runs {
  const uint8_t *octets;
  octet_block *block; /* NULL as in octet_slice */
  uint32_t length;    /* > 0 */
  uint32_t first;     /* > 0 */
  uint32_t run;       /* > 0 */
  uint32_t gap;       /* > 0 */
} octet_runs;

/* Appends them, each run as a slice. */
static inline void octet_rope_append_runs(octet_rope *rope, const octet_runs *runs)
{
  const uint8_t *octets = runs->octets;
  uint32_t rest = runs->length;
  uint32_t run = runs->first;
  g_assert(rest <= UINT32_MAX - rope->length);
  octet_rope_reserve(rope, 2 + rest / runs->run);
  octet_slice *slice = (rope->heap ? rope->heap : rope->inline_slices) + rope->slice_count;
  const octet_slice *first = slice;
  while (rest > run) {
    *slice++ = (octet_slice){.octets = octets, .length = run, .block = runs->block};
    octets += run + runs->gap;
    rest -= run;
    run = runs->run;
  }
  *slice++ = (octet_slice){.octets = octets, .length = rest, .block = runs->block};
  uint32_t added = (uint32_t)(slice - first);
  if (runs->block != NULL) {
    runs->block->references += added;
  }
  rope->slice_count += added;
  rope->length += runs->length;
}

/* octet_rope_clear() of a rope that has nothing but what one octet_rope_append_runs() gave it, while another rope references that
 * block, too: all references at once. */
static inline void octet_rope_clear_runs(octet_rope *rope)
{
  octet_block *block = octet_rope_slices(rope)->block;
  if (block != NULL) {
    block->references -= rope->slice_count;
  }
  octet_rope_start_over(rope);
  if (rope->heap != NULL) {
    octet_rope_free_heap(rope);
  }
}

/* What octet_rope_append() does with a rope that has slices already, and with no octets. */
void octet_rope_append_behind(octet_rope *rope, const uint8_t *octets, uint32_t length, octet_block *block);

/* Appends `length` octets at `octets`; takes a new reference on `block` (NULL: memory that outlives the rope).
 * A slice that continues the last one in the same block is merged with it. `length` 0 does nothing. */
static inline void octet_rope_append(octet_rope *rope, const uint8_t *octets, uint32_t length,
                                     octet_block *block)
{
  if (rope->slice_count > 0 || length == 0) {
    octet_rope_append_behind(rope, octets, length, block);
    return;
  }
  octet_rope_put(rope, octets, length, block); /* an empty rope has room */
}

/* Appends a copy of the `length` octets at `octets`, in a block of its own. `length` 0 does nothing. */
void octet_rope_append_copy(octet_rope *rope, const uint8_t *octets, uint32_t length);

/* What octet_rope_append_rope() does when the range lies in several slices. */
void octet_rope_append_slices(octet_rope *rope, const octet_rope *source, uint32_t from, uint32_t length);

/* Appends octets [from, from + length) of `source`, by reference. The range must lie within `source`;
 * `source` may not be `rope`. */
static inline void octet_rope_append_rope(octet_rope *rope, const octet_rope *source, uint32_t from,
                                          uint32_t length)
{
  const uint8_t *octets = octet_rope_flat(source, from, length);
  if (octets != NULL) {
    octet_rope_append(rope, octets, length, octet_rope_slices(source)->block);
    return;
  }
  octet_rope_append_slices(rope, source, from, length);
}

/* Moves the slices of `source` into the empty or uninitialised `rope`; `source` is empty afterwards. Slices go field by field: the
 * fields have often just been written, and the processor waits for those when they are read as one wide piece. */
static inline void octet_rope_move(octet_rope *rope, octet_rope *source)
{
  uint32_t count = source->slice_count;
  rope->slice_count = count;
  rope->length = source->length;
  rope->heap = source->heap;
  if (source->heap == NULL) {
    rope->heap_capacity = 0;
    rope->heap_dropped = 0;
    for (uint32_t index = 0; index < count; index++) {
      const octet_slice *from = &source->inline_slices[index];
      octet_slice *to = &rope->inline_slices[index];
      to->block = from->block;
      to->octets = from->octets;
      to->length = from->length;
    }
  } else {
    rope->heap_capacity = source->heap_capacity;
    rope->heap_dropped = source->heap_dropped;
  }
  octet_rope_init(source);
}

/* Removes the first `length` octets; `length` at most `rope->length`. */
void octet_rope_drop_front(octet_rope *rope, uint32_t length);

/* Moves the first `length` octets of `source` (at most as many as it has) into the empty `rope`, which is not `source`. */
void octet_rope_take_front(octet_rope *rope, octet_rope *source, uint32_t length);

/* What octet_rope_copy_out() does when the range does not lie in the first slice. */
void octet_rope_copy_slices(const octet_rope *rope, uint32_t from, uint32_t length, uint8_t *target);

/* Copies octets [from, from + length), which must lie within the rope, to `target`. */
static inline void octet_rope_copy_out(const octet_rope *rope, uint32_t from, uint32_t length,
                                       uint8_t *target)
{
  const uint8_t *octets = octet_rope_flat(rope, from, length);
  if (octets != NULL) {
    memcpy(target, octets, length);
    return;
  }
  octet_rope_copy_slices(rope, from, length, target);
}

/* The octet at `index` (< length). */
static inline uint8_t octet_rope_at(const octet_rope *rope, uint32_t index)
{
  uint8_t octet;
  octet_rope_copy_out(rope, index, 1, &octet);
  return octet;
}

/* True when octets [from, from + length) equal the `length` octets at `expected`. */
bool octet_rope_equals(const octet_rope *rope, uint32_t from, uint32_t length, const uint8_t *expected);

#endif
