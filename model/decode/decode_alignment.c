/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_alignment.h"

#include <glib.h>

/* Segments that start at one place. */
typedef struct open_segments {
  uint64_t offset;
  uint64_t count;
} open_segments;

/* Starts are forgotten so many at a time. */
enum { FORGET_AT_ONCE = 256 };

/* Behind a hole that stays open, no more than so many of either are remembered. */
enum { REMEMBERED = 1 << 20 };

void decode_alignment_init(decode_alignment *alignment, uint64_t reach_octets)
{
  *alignment = (decode_alignment){.reach_octets = reach_octets};
  fpdu_starts_init(&alignment->starts);
  element_array_init(&alignment->segments, sizeof(open_segments));
}

void decode_alignment_clear(decode_alignment *alignment)
{
  fpdu_starts_clear(&alignment->starts);
  element_array_clear(&alignment->segments);
}

static open_segments *segments_at(const decode_alignment *alignment, size_t index)
{
  return element_array_at(&alignment->segments, index);
}

static size_t segments_below(const decode_alignment *alignment, uint64_t offset)
{
  return element_array_count_below(&alignment->segments, offsetof(open_segments, offset), offset);
}

static bool has_segments(const decode_alignment *alignment, size_t index, uint64_t offset)
{
  return index < alignment->segments.count && segments_at(alignment, index)->offset == offset;
}

void decode_alignment_fpdu(decode_alignment *alignment, uint64_t offset)
{
  fpdu_starts_add(&alignment->starts, offset);
  if (alignment->segments.count > 0) {
    size_t index = segments_below(alignment, offset);
    if (has_segments(alignment, index, offset)) {
      alignment->aligned += segments_at(alignment, index)->count;
      element_array_remove(&alignment->segments, index, 1);
    }
  }
}

/* It is not known yet what starts at `offset`. */
static void remember(decode_alignment *alignment, uint64_t offset)
{
  size_t index = segments_below(alignment, offset);

  if (!has_segments(alignment, index, offset)) {
    *(open_segments *)element_array_insert(&alignment->segments, index) = (open_segments){.offset = offset};
  }
  segments_at(alignment, index)->count++;
  if (alignment->segments.count > REMEMBERED) {
    element_array_remove(&alignment->segments, 0, 1);
  }
}

void decode_alignment_segment(decode_alignment *alignment, uint64_t offset, uint64_t edge)
{
  fpdu_starts *starts = &alignment->starts;

  if (fpdu_starts_has(starts, &alignment->arriving, offset)) {
    alignment->aligned++;
  } else if (offset >= edge) {
    remember(alignment, offset);
  }
  if (alignment->segments.count > 0 && segments_at(alignment, 0)->offset < edge) {
    element_array_remove(&alignment->segments, 0, segments_below(alignment, edge));
  }
  uint64_t needed = edge - MIN(edge, alignment->reach_octets);
  uint32_t known = starts->offsets.count;
  if (known > FORGET_AT_ONCE && (known > REMEMBERED || fpdu_starts_at(starts, FORGET_AT_ONCE) < needed)) {
    fpdu_starts_drop(starts, FORGET_AT_ONCE);
  }
}

uint64_t decode_alignment_next_segment(const decode_alignment *alignment, uint64_t offset)
{
  size_t index = segments_below(alignment, offset);

  return index < alignment->segments.count ? segments_at(alignment, index)->offset : UINT64_MAX;
}
