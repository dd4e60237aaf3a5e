/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the FPDUs of one direction of a stream start, as far back as somebody can still ask. A sender's
 * framer knows it in order; a decoder may find an FPDU after those that follow it. */
#pragma once

#include "base/deque.h"

/* Read by everyone, written only by the functions below. Without starts it has no memory: a connection that
 * sends nothing costs nothing. */
typedef struct fpdu_starts {
  deque offsets;      /* of uint64_t, ascending */
  uint64_t end;       /* of the highest one that was ever added: 1 more */
  uint64_t forgotten; /* starts below this are not known any more, in the array or not */
  uint32_t first;     /* number of the first; numbers count modulo 2^32 */
} fpdu_starts;

/* An empty one. Free the memory with fpdu_starts_clear(). */
void fpdu_starts_init(fpdu_starts *starts);
void fpdu_starts_clear(fpdu_starts *starts);

/* Who asks in the order of the stream, nearly: the number of the first start after what was asked for last. 0
 * at first, and each asker's own. */
typedef uint32_t fpdu_starts_cursor;

/* What fpdu_starts_add() and fpdu_starts_has() do when there is more to do than to look at one place. */
void fpdu_starts_insert(fpdu_starts *starts, uint64_t offset);
bool fpdu_starts_search(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset);

/* An FPDU starts at `offset`; once for each. O(1) beyond all that were added before, else O(log of how many
 * there are). */
static inline void fpdu_starts_add(fpdu_starts *starts, uint64_t offset)
{
  deque *offsets = &starts->offsets;

  if (offset < starts->end || offsets->room + offsets->count == offsets->capacity) {
    fpdu_starts_insert(starts, offset);
    return;
  }
  *(uint64_t *)deque_insert(offsets, offsets->count) = offset;
  starts->end = offset + 1;
}

static inline uint64_t fpdu_starts_at(const fpdu_starts *starts, uint32_t index)
{
  return *(const uint64_t *)deque_slot(&starts->offsets, index, sizeof(uint64_t));
}

/* An FPDU starts at `offset`. O(1) near the last one that the asker asked for, else O(log of how many there
 * are). */
static inline bool fpdu_starts_has(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset)
{
  uint32_t index = *cursor - starts->first;

  if (index >= starts->offsets.count || fpdu_starts_at(starts, index) != offset) {
    return fpdu_starts_search(starts, cursor, offset);
  }
  ++*cursor;
  return offset >= starts->forgotten;
}

/* Nobody asks for starts below `offset` any more: it has none of them from now on. */
static inline void fpdu_starts_forget(fpdu_starts *starts, uint64_t offset)
{
  starts->forgotten = offset > starts->forgotten ? offset : starts->forgotten;
}

/* The lowest `count` of them are not known any more. */
static inline void fpdu_starts_drop(fpdu_starts *starts, uint32_t count)
{
  deque_remove(&starts->offsets, 0, count);
  starts->first += count;
}
