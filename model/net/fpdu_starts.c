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

/* Makes room of what is forgotten. */
G_GNUC_NO_INLINE void fpdu_starts_insert(fpdu_starts *starts, uint64_t offset)
{
  fpdu_starts_drop(starts, (uint32_t)deque_count_below(&starts->offsets, 0, starts->forgotten));
  *(uint64_t *)deque_insert(&starts->offsets, deque_count_below(&starts->offsets, 0, offset)) = offset;
  starts->end = MAX(starts->end, offset + 1);
}

static G_GNUC_NO_INLINE bool search_far(const fpdu_starts *starts, fpdu_starts_cursor *cursor,
                                        uint64_t offset)
{
  uint32_t after = (uint32_t)deque_count_to(&starts->offsets, 0, offset);

  *cursor = starts->first + after;
  return after > 0 && fpdu_starts_at(starts, after - 1) == offset && offset >= starts->forgotten;
}

bool fpdu_starts_search(const fpdu_starts *starts, fpdu_starts_cursor *cursor, uint64_t offset)
{
  uint32_t count = starts->offsets.count;
  uint32_t after = *cursor - starts->first;
  const uint64_t *at = (const uint64_t *)(const void *)starts->offsets.front;

  /* Mostly the asker stayed in an FPDU or went on into the next one: segments and FPDUs are about equally
   * long. */
  if (deque_is_sequence(&starts->offsets) || after - 1 >= count || at[after - 1] > offset) {
    return search_far(starts, cursor, offset);
  }
  if (after < count && at[after] <= offset) {
    after++;
    if (after < count && at[after] <= offset) {
      return search_far(starts, cursor, offset);
    }
    *cursor = starts->first + after;
  }
  return at[after - 1] == offset && offset >= starts->forgotten;
}
