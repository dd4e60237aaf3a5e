#include "measure/fpdu_starts.h"

#include <glib.h>

enum { SMALLEST_CAPACITY = 4 };

void fpdu_starts_clear(fpdu_starts *starts)
{
  g_free(starts->offsets);
  *starts = (fpdu_starts){.offsets = NULL};
}

static uint64_t offset_of(const fpdu_starts *starts, uint32_t number)
{
  return starts->offsets[number & (starts->capacity - 1)];
}

/* The number of the first start that is not below `offset`. */
static uint32_t first_from(const fpdu_starts *starts, uint64_t offset)
{
  uint32_t low = starts->first;
  uint32_t count = starts->end - starts->first;

  while (count > 0) {
    uint32_t half = count / 2;
    bool below = offset_of(starts, low + half) < offset;

    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

/* A ring that stays more than half full grows, so that dropping is rare. */
void fpdu_starts_make_room(fpdu_starts *starts)
{
  starts->first = first_from(starts, starts->forgotten);
  if (starts->end - starts->first < starts->capacity / 2) {
    return;
  }
  uint32_t capacity = MAX(starts->capacity * 2, (uint32_t)SMALLEST_CAPACITY);
  uint64_t *offsets = g_new(uint64_t, capacity);
  for (uint32_t number = starts->first; number != starts->end; number++) {
    offsets[number & (capacity - 1)] = offset_of(starts, number);
  }
  g_free(starts->offsets);
  starts->offsets = offsets;
  starts->capacity = capacity;
}

/* The same, when it is likely to be near `number`. */
static uint32_t first_from_near(const fpdu_starts *starts, uint32_t number, uint64_t offset)
{
  enum { STEPS = 8 };
  uint32_t near = number;

  if (number - starts->first > starts->end - starts->first) {
    return first_from(starts, offset);
  }
  while (near != starts->end && near - number < STEPS && offset_of(starts, near) < offset) {
    near++;
  }
  if (near == number) {
    while (near != starts->first && number - near < STEPS && offset_of(starts, near - 1) >= offset) {
      near--;
    }
  }
  return near - number == STEPS || number - near == STEPS ? first_from(starts, offset) : near;
}

/* Whether start number `number` is below `offset`, and the one behind it not. */
static bool steps_over(const fpdu_starts *starts, uint32_t number, uint64_t offset)
{
  return number - starts->first < starts->end - starts->first && number + 1 != starts->end &&
         offset_of(starts, number) < offset && offset <= offset_of(starts, number + 1);
}

bool fpdu_starts_search(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset)
{
  uint32_t number = *cursor;

  /* Mostly a segment begins within the FPDU that was to start next: segments and FPDUs are about equally long. */
  if (steps_over(starts, number, offset)) {
    number++;
  } else {
    number = first_from_near(starts, number, offset);
    if (number == starts->end) {
      *cursor = number;
      return false;
    }
  }
  bool found = offset_of(starts, number) == offset;

  *cursor = number + found;
  return found && offset >= starts->forgotten;
}
