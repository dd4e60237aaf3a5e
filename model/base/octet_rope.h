/* Shared octets: reference-counted blocks, slices of them, and ropes (short sequences of slices).
 *
 * Everything that moves through the simulator (FPDUs, segments, held octets) is a rope, so that payload is
 * referenced and not copied until it is placed (design.md, "Real octets, few touches"). One simulation is one
 * thread: the reference counts are not atomic. */
#ifndef BASE_OCTET_ROPE_H
#define BASE_OCTET_ROPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reference-counted piece of memory. */
typedef struct octet_block octet_block;

/* A new block of `octets` (> 0) octets, uninitialised, with one reference owned by the caller. */
octet_block *octet_block_new(size_t octets);

/* Drops a reference; the last one frees the block. NULL is allowed. */
void octet_block_unref(octet_block *block);

/* The block's memory. Write only while nothing else references the block. */
uint8_t *octet_block_octets(octet_block *block);

/* `length` octets at `octets`, kept alive by a reference on `block`; NULL `block`: memory that outlives every
 * rope (the pattern table, a test's constants). */
typedef struct octet_slice {
  const uint8_t *octets;
  uint32_t length;
  octet_block *block;
} octet_slice;

enum { OCTET_ROPE_INLINE_SLICES = 8 };

/* A sequence of slices read as one run of octets. The fields are readable by everyone (hot loops walk
 * `octet_rope_slices()`), written only by the functions below. An all-zero rope is a valid empty one. */
typedef struct octet_rope {
  uint32_t length;        /* octets in all slices */
  uint32_t slice_count;   /* slices in use */
  uint32_t heap_capacity; /* slices there is room for from `heap` on; 0 while the inline slices suffice */
  uint32_t heap_dropped;  /* slices dropped in front of `heap`, whose memory starts that much earlier */
  octet_slice *heap;      /* the first slice in use; NULL while the inline slices suffice */
  octet_slice inline_slices[OCTET_ROPE_INLINE_SLICES];
} octet_rope;

/* Makes `rope` a valid empty rope. */
void octet_rope_init(octet_rope *rope);

/* Drops all slices and their references; the rope is empty and usable afterwards. */
void octet_rope_clear(octet_rope *rope);

/* The slices of `rope`, `rope->slice_count` of them; valid until the rope changes. */
static inline const octet_slice *octet_rope_slices(const octet_rope *rope)
{
  return rope->heap ? rope->heap : rope->inline_slices;
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

/* Octets [from, from + length), which must lie within the rope. */
octet_rope_range octet_rope_range_of(const octet_rope *rope, uint32_t from, uint32_t length);

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

/* Appends `length` octets at `octets`; takes a new reference on `block` (NULL: memory that outlives the rope).
 * A slice that continues the last one in the same block is merged with it. `length` 0 does nothing. */
void octet_rope_append(octet_rope *rope, const uint8_t *octets, uint32_t length, octet_block *block);

/* Appends a copy of the `length` octets at `octets`, in a block of its own. `length` 0 does nothing. */
void octet_rope_append_copy(octet_rope *rope, const uint8_t *octets, uint32_t length);

/* Appends octets [from, from + length) of `source`, by reference. The range must lie within `source`;
 * `source` may not be `rope`. */
void octet_rope_append_rope(octet_rope *rope, const octet_rope *source, uint32_t from, uint32_t length);

/* Moves the slices of `source` into the empty or uninitialised `rope`; `source` is empty afterwards. */
void octet_rope_move(octet_rope *rope, octet_rope *source);

/* Removes the first `length` octets; `length` at most `rope->length`. */
void octet_rope_drop_front(octet_rope *rope, uint32_t length);

/* Copies octets [from, from + length), which must lie within the rope, to `target`. */
void octet_rope_copy_out(const octet_rope *rope, uint32_t from, uint32_t length, uint8_t *target);

/* The octet at `index` (< length). */
uint8_t octet_rope_at(const octet_rope *rope, uint32_t index);

/* True when octets [from, from + length) equal the `length` octets at `expected`. */
bool octet_rope_equals(const octet_rope *rope, uint32_t from, uint32_t length, const uint8_t *expected);

#endif
