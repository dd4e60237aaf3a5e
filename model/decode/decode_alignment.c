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
  *alignment = (decode_alignment){.segment = UINT64_MAX, .reach_octets = reach_octets};
  element_array_init(&alignment->starts, sizeof(uint64_t));
  element_array_init(&alignment->segments, sizeof(open_segments));
}

void decode_alignment_clear(decode_alignment *alignment)
{
  element_array_clear(&alignment->starts);
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

void decode_alignment_begin_segment(decode_alignment *alignment, uint64_t offset)
{
  alignment->segment = offset;
  alignment->is_aligned = false;
}

void decode_alignment_fpdu(decode_alignment *alignment, uint64_t offset)
{
  element_array *starts = &alignment->starts;

  *(uint64_t *)element_array_insert(starts, element_array_count_below(starts, 0, offset)) = offset;
  alignment->is_aligned |= offset == alignment->segment;
  if (alignment->segments.count > 0) {
    size_t index = segments_below(alignment, offset);
    if (has_segments(alignment, index, offset)) {
      alignment->aligned += segments_at(alignment, index)->count;
      element_array_remove(&alignment->segments, index, 1);
    }
  }
}

static bool is_start(const decode_alignment *alignment, uint64_t offset)
{
  const element_array *starts = &alignment->starts;
  size_t index = element_array_count_below(starts, 0, offset);

  return index < starts->count && element_array_key(starts, 0, index) == offset;
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

void decode_alignment_end_segment(decode_alignment *alignment, uint64_t edge)
{
  element_array *starts = &alignment->starts;

  if (alignment->is_aligned || is_start(alignment, alignment->segment)) {
    alignment->aligned++;
  } else if (alignment->segment >= edge) {
    remember(alignment, alignment->segment);
  }
  alignment->segment = UINT64_MAX;
  if (alignment->segments.count > 0 && segments_at(alignment, 0)->offset < edge) {
    element_array_remove(&alignment->segments, 0, segments_below(alignment, edge));
  }
  uint64_t needed = edge - MIN(edge, alignment->reach_octets);
  if (starts->count > FORGET_AT_ONCE &&
      (starts->count > REMEMBERED || element_array_key(starts, 0, FORGET_AT_ONCE) < needed)) {
    element_array_remove(starts, 0, FORGET_AT_ONCE);
  }
}

uint64_t decode_alignment_next_segment(const decode_alignment *alignment, uint64_t offset)
{
  size_t index = segments_below(alignment, offset);

  return index < alignment->segments.count ? segments_at(alignment, index)->offset : UINT64_MAX;
}
