/* Where the FPDUs of one direction of a stream start, as far back as somebody can still ask. */
#ifndef MEASURE_FPDU_STARTS_H
#define MEASURE_FPDU_STARTS_H

#include <stdbool.h>
#include <stdint.h>

/* A ring. All-zero is empty, and has no memory: a connection that sends nothing costs nothing. Written only by the functions below. */
typedef struct fpdu_starts {
  uint64_t *offsets;  /* ascending; number n is at place n modulo `capacity` */
  uint64_t forgotten; /* starts below this are not known any more, in the ring or not */
  uint32_t capacity;  /* a power of two, or 0 */
  uint32_t first;     /* numbers count modulo 2^32 */
  uint32_t end;       /* behind the last one */
} fpdu_starts;

/* Empties it and frees its memory. */
void fpdu_starts_clear(fpdu_starts *starts);

/* Who asks in the order of the stream, nearly: the number of the start that will be asked for next. 0 at first, and each asker's
 * own. */
typedef uint32_t fpdu_starts_cursor;

/* What fpdu_starts_add() and fpdu_starts_has() do when there is more to do than to look at one place. */
void fpdu_starts_make_room(fpdu_starts *starts);
bool fpdu_starts_search(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset);

/* An FPDU starts at `offset`, behind all that were added before. */
static inline void fpdu_starts_add(fpdu_starts *starts, uint64_t offset)
{
  if (starts->end - starts->first == starts->capacity) {
    fpdu_starts_make_room(starts);
  }
  starts->offsets[starts->end & (starts->capacity - 1)] = offset;
  starts->end++;
}

/* Start number `number` is there, and at `offset`. */
static inline bool fpdu_starts_is_at(const fpdu_starts *starts, uint32_t number, uint64_t offset)
{
  return number - starts->first < starts->end - starts->first &&
         starts->offsets[number & (starts->capacity - 1)] == offset;
}

/* An FPDU starts at `offset`. O(1) near the last one that the asker asked for, else O(log of how many there are). */
static inline bool fpdu_starts_has(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset)
{
  if (fpdu_starts_is_at(starts, *cursor, offset)) {
    ++*cursor;
  } else if (!fpdu_starts_is_at(starts, *cursor - 1, offset)) { /* else the same one again */
    return fpdu_starts_search(starts, cursor, offset);
  }
  return offset >= starts->forgotten;
}

/* Nobody asks for starts below `offset` any more: it has none of them from now on. */
static inline void fpdu_starts_forget(fpdu_starts *starts, uint64_t offset)
{
  starts->forgotten = offset > starts->forgotten ? offset : starts->forgotten;
}

#endif
