/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/fpdu_starts.h"

void fpdu_starts_init(fpdu_starts *starts)
{
  *starts = (fpdu_starts){.end = 0};
  deque_init(&starts->offsets, sizeof(uint64_t));
}

void fpdu_starts_clear(fpdu_starts *starts)
{
  deque_clear(&starts->offsets);
}

/* Returns the index of the first start that is not below `offset`. */
static uint32_t first_from(const fpdu_starts *starts, uint64_t offset)
{
  return (uint32_t)deque_count_below(&starts->offsets, 0, offset);
}

/* Makes room of what is forgotten. */
G_GNUC_NO_INLINE void fpdu_starts_insert(fpdu_starts *starts, uint64_t offset)
{
  fpdu_starts_drop(starts, first_from(starts, starts->forgotten));
  *(uint64_t *)deque_insert(&starts->offsets, first_from(starts, offset)) = offset;
  starts->end = MAX(starts->end, offset + 1);
}

/* first_from() when it is likely to be near `index`. */
static uint32_t first_from_near(const fpdu_starts *starts, uint32_t index, uint64_t offset)
{
  enum { STEPS = 8 };
  uint32_t count = starts->offsets.count;
  uint32_t near = index;

  if (index > count) {
    return first_from(starts, offset);
  }
  while (near < count && near - index < STEPS && fpdu_starts_at(starts, near) < offset) {
    near++;
  }
  if (near == index) {
    while (near > 0 && index - near < STEPS && fpdu_starts_at(starts, near - 1) >= offset) {
      near--;
    }
  }
  return near - index == STEPS || index - near == STEPS ? first_from(starts, offset) : near;
}

bool fpdu_starts_search(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset)
{
  uint32_t count = starts->offsets.count;
  uint32_t index = *cursor - starts->first;

  /* Mostly a segment begins within the FPDU that was to start next: segments and FPDUs are about equally
   * long. */
  if (index < count && index + 1 < count && fpdu_starts_at(starts, index) < offset &&
      offset <= fpdu_starts_at(starts, index + 1)) {
    index++;
  } else {
    index = first_from_near(starts, index, offset);
  }
  bool found = index < count && fpdu_starts_at(starts, index) == offset;

  *cursor = starts->first + index + found;
  return found && offset >= starts->forgotten;
}
