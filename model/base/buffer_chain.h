/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets are shared: buffers are reference-counted, slices are of them, and chains are sequences of slices.
 *
 * Everything that moves through the simulator (FPDUs, segments, held octets) is a chain, so that payload is
 * referenced and not copied on its way (docs/architecture.md, "Real octets"). Most chains have one slice and
 * live for one segment: the functions for those are here, inline; the others are in buffer_chain.c. One
 * simulation is one thread: the reference counts are not atomic. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory_pool.h"

/* A buffer is a reference-counted piece of memory. The fields are for the functions of this header. */
typedef struct octet_buffer {
  memory_pool *pool; /* NULL: from the heap */
  uint32_t references;
  uint32_t is_deferred; /* `octets`, aligned for it by the width of this, begin with a deferred_octets */
  uint8_t octets[];
} octet_buffer;

/* Returns a new buffer of `octets` (> 0) octets, uninitialised, with one reference owned by the caller. */
octet_buffer *octet_buffer_new(size_t octets);

/* Returns the same in a piece of `pool`, to which it returns with the last reference; from the heap when
 * `pool` is NULL or its pieces are shorter than octet_buffer_piece_octets(octets). */
octet_buffer *octet_buffer_new_in(memory_pool *pool, size_t octets);

/* Returns how long a pool's pieces must be for buffers of `octets`. */
size_t octet_buffer_piece_octets(size_t octets);

/* This is what octet_buffer_unref() does with the last reference. */
void octet_buffer_free(octet_buffer *buffer);

/* Drops a reference; the last one frees the buffer. NULL is allowed. */
static inline void octet_buffer_unref(octet_buffer *buffer)
{
  if (buffer != NULL && --buffer->references == 0) {
    octet_buffer_free(buffer);
  }
}

/* Returns the buffer's memory. Write only while nothing else references the buffer. */
static inline uint8_t *octet_buffer_octets(octet_buffer *buffer)
{
  return buffer->octets;
}

/* A slice is `length` octets at `octets`, kept alive by a reference on `buffer`; NULL `buffer`: memory that
 * outlives every chain (the pattern table, a test's constants). */
typedef struct octet_slice {
  const uint8_t *octets;
  uint32_t length;
  octet_buffer *buffer;
} octet_slice;

/* A segment has one or two FPDUs, or pieces of them; longer chains are few, and a datagram has one each. */
enum { BUFFER_CHAIN_INLINE_SLICES = 2 };

/* A chain is slices that are read as one run of octets. The fields are read by everyone (hot loops walk
 * `buffer_chain_slices()`), written only by the functions below. An all-zero chain is a valid empty one. */
typedef struct buffer_chain {
  uint32_t length;        /* octets in all slices */
  uint32_t slice_count;   /* slices in use */
  uint32_t heap_capacity; /* slices there is room for from `heap` on; 0 while the inline slices suffice */
  uint32_t heap_dropped;  /* slices dropped in front of `heap`, whose memory starts that much earlier; or
                             DEFERRED */
  union {
    octet_slice *heap; /* the first slice in use, with heap_capacity */
    octet_slice inline_slices[BUFFER_CHAIN_INLINE_SLICES];
  };
} buffer_chain;

/* Makes `chain` a valid empty chain. Only the counters: the inline slices after `slice_count` are never
 * read, and clearing them costs more than the rest of a short chain's life. */
static inline void buffer_chain_init(buffer_chain *chain)
{
  chain->length = 0;
  chain->slice_count = 0;
  chain->heap_capacity = 0;
  chain->heap_dropped = 0;
}

/* --- Deferred octets --- */

/* Writes the octets that `recipe` describes to `target`. */
typedef void (*octet_writer)(const void *recipe, uint8_t *target);

/* Deferred octets are written when they are first read: until then they are a recipe of one or two
 * cache lines. A chain of all of them is one reference on their buffer. Their user may also have them written
 * where it needs them, by buffer_chain_copy_out() of all: then the chain stays as it is. */
typedef struct deferred_octets {
  octet_slice slice; /* its octets are NULL until they are written; on the heap, and free with the buffer */
  octet_writer write;
  octet_buffer *source; /* what the recipe refers to is there, by one reference */
  uint64_t recipe[];
} deferred_octets;

/* It is `heap_dropped` of a chain whose only slice is that of deferred octets, with one reference on their
 * buffer. `heap_capacity` is 1 then. */
#define BUFFER_CHAIN_DEFERRED UINT32_MAX

static inline bool buffer_chain_is_deferred(const buffer_chain *chain)
{
  return chain->heap_dropped == BUFFER_CHAIN_DEFERRED;
}

/* Returns how long a pool's pieces must be for deferred octets with a recipe of `recipe_octets`. */
size_t buffer_chain_deferred_piece_octets(size_t recipe_octets);

/* Makes the empty `chain` `length` (> 0) octets that `write` writes, with the only reference on their buffer,
 * in a piece of `pool` as octet_buffer_new_in() does. Takes a new reference on `source` (not NULL). Returns
 * the recipe's `recipe_octets`, which the caller writes at once. */
void *buffer_chain_defer(buffer_chain *chain, uint32_t length, memory_pool *pool, octet_writer write,
                         size_t recipe_octets, octet_buffer *source);

/* Returns the buffer of a deferred chain; no reference is added. */
octet_buffer *buffer_chain_deferred_buffer(const buffer_chain *chain);

/* Makes `chain` a deferred one of `buffer` without a reference on it: to append from. */
void buffer_chain_init_deferred(buffer_chain *chain, octet_buffer *buffer);

/* Writes the octets of a deferred chain, unless they are written. */
void buffer_chain_write_deferred(const buffer_chain *chain);

/* Returns the slices of `chain`, `chain->slice_count` of them; valid until the chain changes. */
static inline const octet_slice *buffer_chain_slices(const buffer_chain *chain)
{
  if (chain->heap_capacity == 0) {
    return chain->inline_slices;
  }
  if (chain->heap_dropped == BUFFER_CHAIN_DEFERRED) {
    buffer_chain_write_deferred(chain);
  }
  return chain->heap;
}

/* A gather list is slices that are read as one run of octets, as a chain, but it has no reference on them. */
typedef struct gather_list {
  const octet_slice *slices;
  uint32_t slice_count;
  uint32_t length; /* octets in all slices */
} gather_list;

/* Returns that of the octets of `chain`; valid until it changes. */
static inline gather_list buffer_chain_gather(const buffer_chain *chain)
{
  return (gather_list){
      .slices = buffer_chain_slices(chain), .slice_count = chain->slice_count, .length = chain->length};
}

/* This is what buffer_chain_empty() and buffer_chain_clear() do with a chain whose slices are on the heap. */
void buffer_chain_empty_heap(buffer_chain *chain);
void buffer_chain_free_heap(buffer_chain *chain);

/* Drops the slices of `chain`, which is not deferred, and their references; their memory is used again from
 * its start. */
static inline void buffer_chain_start_over(buffer_chain *chain)
{
  chain->length = 0;
  chain->slice_count = 0;
  if (chain->heap_capacity > 0) {
    chain->heap -= chain->heap_dropped;
    chain->heap_capacity += chain->heap_dropped;
    chain->heap_dropped = 0;
  }
}

/* Drops all slices and their references, but keeps the memory for as many slices as there have been: for a
 * chain that is filled again and again. */
static inline void buffer_chain_empty(buffer_chain *chain)
{
  if (chain->heap_capacity > 0) {
    buffer_chain_empty_heap(chain);
    return;
  }
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    octet_buffer_unref(chain->inline_slices[index].buffer);
  }
  chain->length = 0;
  chain->slice_count = 0;
}

/* Drops all slices and their references; the chain is empty and usable afterwards, without clearing. */
static inline void buffer_chain_clear(buffer_chain *chain)
{
  buffer_chain_empty(chain);
  if (chain->heap_capacity > 0) {
    buffer_chain_free_heap(chain);
  }
}

/* A range is octets of a chain that are read slice by slice:
 *   buffer_chain_range rest = buffer_chain_range_of(chain, from, length);
 *   while (rest.length > 0) {
 *     octet_slice part = buffer_chain_range_next(&rest);
 *     …
 *   }
 * Valid until the chain changes. */
typedef struct buffer_chain_range {
  const octet_slice *slice;
  uint32_t skipped; /* octets of `slice` in front of the range */
  uint32_t length;  /* octets still to come */
} buffer_chain_range;

/* This is what buffer_chain_range_of() does with a range that starts after the first slice, and with one that
 * does not lie within the chain. */
buffer_chain_range buffer_chain_range_after(const buffer_chain *chain, uint32_t from, uint32_t length);

/* Returns octets [from, from + length), which must lie within the chain. */
static inline buffer_chain_range buffer_chain_range_of(const buffer_chain *chain, uint32_t from,
                                                       uint32_t length)
{
  const octet_slice *first = buffer_chain_slices(chain);
  if (chain->slice_count == 0 || from >= first->length || length > chain->length - from) {
    return buffer_chain_range_after(chain, from, length);
  }
  return (buffer_chain_range){.slice = first, .skipped = from, .length = length};
}

/* Returns the next of the octets to come (there must be some) that lie in one piece of memory; no reference
 * is added. */
static inline octet_slice buffer_chain_range_next(buffer_chain_range *rest)
{
  const octet_slice *slice = rest->slice++;
  uint32_t left = slice->length - rest->skipped;
  octet_slice part = {.octets = slice->octets + rest->skipped,
                      .length = rest->length < left ? rest->length : left,
                      .buffer = slice->buffer};
  rest->skipped = 0;
  rest->length -= part.length;
  return part;
}

/* Returns octets [from, from + length), which must lie within the chain, when they lie in one piece of memory
 * and it is the chain's first; else NULL. */
static inline const uint8_t *buffer_chain_flat(const buffer_chain *chain, uint32_t from, uint32_t length)
{
  const octet_slice *first = buffer_chain_slices(chain);
  if (chain->slice_count == 0 || from > first->length || length > first->length - from) {
    return NULL;
  }
  return first->octets + from;
}

/* Returns the same of `length` > 0 octets in whichever of its pieces; NULL when they lie in several. */
const uint8_t *buffer_chain_flat_anywhere(const buffer_chain *chain, uint32_t from, uint32_t length);

/* This is what buffer_chain_reserve() does when there is too little room. */
void buffer_chain_grow(buffer_chain *chain, uint32_t count);

/* Makes room for `count` more slices after those in use, for as many buffer_chain_put(). */
static inline void buffer_chain_reserve(buffer_chain *chain, uint32_t count)
{
  uint32_t capacity = chain->heap_capacity > 0 ? chain->heap_capacity : (uint32_t)BUFFER_CHAIN_INLINE_SLICES;
  if (count > capacity - chain->slice_count) {
    buffer_chain_grow(chain, count);
  }
}

/* Does buffer_chain_append() of `length` > 0 octets for which there is room, as a slice of their own. */
static inline void buffer_chain_put(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                                    octet_buffer *buffer)
{
  octet_slice *slice = (chain->heap_capacity > 0 ? chain->heap : chain->inline_slices) + chain->slice_count;
  slice->octets = octets;
  slice->length = length;
  slice->buffer = buffer;
  if (buffer != NULL) {
    buffer->references++;
  }
  chain->slice_count++;
  chain->length += length;
}

/* This is what buffer_chain_append() does with a chain that has slices already, and with no octets. */
void buffer_chain_append_after(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                               octet_buffer *buffer);

/* Appends `length` octets at `octets`; takes a new reference on `buffer` (NULL: memory that outlives the
 * chain). A slice that continues the last one in the same buffer is merged with it. `length` 0 does
 * nothing. */
static inline void buffer_chain_append(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                                       octet_buffer *buffer)
{
  if (chain->slice_count > 0 || length == 0) {
    buffer_chain_append_after(chain, octets, length, buffer);
    return;
  }
  buffer_chain_put(chain, octets, length, buffer); /* an empty chain has room */
}

/* Appends a copy of the `length` octets at `octets`, in a buffer of its own. `length` 0 does nothing. */
void buffer_chain_append_copy(buffer_chain *chain, const uint8_t *octets, uint32_t length);

/* This is what buffer_chain_append_chain() does when the range lies in several slices, or is deferred. */
void buffer_chain_append_slices(buffer_chain *chain, const buffer_chain *source, uint32_t from,
                                uint32_t length);

/* Appends octets [from, from + length) of `source`, by reference. The range must lie within `source`;
 * `source` may not be `chain`. */
static inline void buffer_chain_append_chain(buffer_chain *chain, const buffer_chain *source, uint32_t from,
                                             uint32_t length)
{
  const uint8_t *octets = buffer_chain_is_deferred(source) ? NULL : buffer_chain_flat(source, from, length);
  if (octets != NULL) {
    buffer_chain_append(chain, octets, length, buffer_chain_slices(source)->buffer);
    return;
  }
  buffer_chain_append_slices(chain, source, from, length);
}

/* Makes the uninitialised `chain` one of octets [from, from + length) of `source`, by reference; they must
 * lie within it. */
static inline void buffer_chain_init_part(buffer_chain *chain, const buffer_chain *source, uint32_t from,
                                          uint32_t length)
{
  buffer_chain_init(chain);
  buffer_chain_append_chain(chain, source, from, length);
}

/* Appends the octets of `list`, by reference. */
void buffer_chain_append_gathered(buffer_chain *chain, const gather_list *list);

/* Moves the slices of `source` into the empty or uninitialised `chain`; `source` is empty afterwards. Slices
 * go field by field: the fields have often just been written, and the processor waits for those when they are
 * read as one wide piece. */
static inline void buffer_chain_move(buffer_chain *chain, buffer_chain *source)
{
  uint32_t count = source->slice_count;
  chain->slice_count = count;
  chain->length = source->length;
  chain->heap_capacity = source->heap_capacity;
  chain->heap_dropped = source->heap_dropped;
  if (source->heap_capacity == 0) {
    for (uint32_t index = 0; index < count; index++) {
      const octet_slice *from = &source->inline_slices[index];
      octet_slice *to = &chain->inline_slices[index];
      to->buffer = from->buffer;
      to->octets = from->octets;
      to->length = from->length;
    }
  } else {
    chain->heap = source->heap;
  }
  buffer_chain_init(source);
}

/* Returns the first octet, if all of them lie in one slice; else NULL. */
static inline const uint8_t *buffer_chain_one_piece(const buffer_chain *chain)
{
  return chain->slice_count == 1 ? buffer_chain_slices(chain)->octets : NULL;
}

/* Removes the first `length` octets; `length` at most `chain->length`. */
void buffer_chain_drop_front(buffer_chain *chain, uint32_t length);

/* This is what buffer_chain_copy_out() does with a range that does not lie in the first slice, or is
 * deferred; for callers whose ranges seldom lie there. */
void buffer_chain_copy_slices(const buffer_chain *chain, uint32_t from, uint32_t length, uint8_t *target);

/* Copies octets [from, from + length), which must lie within the chain, to `target`. */
static inline void buffer_chain_copy_out(const buffer_chain *chain, uint32_t from, uint32_t length,
                                         uint8_t *target)
{
  const uint8_t *octets = buffer_chain_is_deferred(chain) ? NULL : buffer_chain_flat(chain, from, length);
  if (octets != NULL) {
    memcpy(target, octets, length);
    return;
  }
  buffer_chain_copy_slices(chain, from, length, target);
}

/* Returns the octet at `index` (< length). */
static inline uint8_t buffer_chain_at(const buffer_chain *chain, uint32_t index)
{
  uint8_t octet;
  buffer_chain_copy_out(chain, index, 1, &octet);
  return octet;
}

/* Returns true when octets [from, from + length) equal the `length` octets at `expected`. */
bool buffer_chain_equals(const buffer_chain *chain, uint32_t from, uint32_t length, const uint8_t *expected);
