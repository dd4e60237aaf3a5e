/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_segment.h"

#include <glib.h>

size_t ddp_segment_header_wire(const ddp_segment *segment, uint8_t wire[DDP_MAX_HEADER_OCTETS])
{
  if (segment->header_octets == 0) {
    return 0;
  }
  size_t octets = ddp_header_encode(&segment->header, wire);
  g_assert(octets == segment->header_octets);
  wire[0] = segment->control;
  return octets;
}

ddp_undelivered *ddp_undelivered_new(void)
{
  ddp_undelivered *undelivered = g_new0(ddp_undelivered, 1);
  deque_init(&undelivered->segments, sizeof(ddp_segment));
  return undelivered;
}

void ddp_undelivered_free(ddp_undelivered *undelivered)
{
  if (undelivered) {
    deque_clear(&undelivered->segments);
    g_free(undelivered);
  }
}

static const ddp_segment *segment_at(const ddp_undelivered *undelivered, size_t index)
{
  return deque_at(&undelivered->segments, index);
}

/* Number of segments that start below `position`. */
static size_t count_below(const ddp_undelivered *undelivered, uint64_t position)
{
  return deque_count_below(&undelivered->segments, offsetof(ddp_segment, fpdu_start), position);
}

ddp_segment *ddp_undelivered_add(ddp_undelivered *undelivered, const ddp_segment *segment)
{
  size_t index = count_below(undelivered, segment->fpdu_start);
  g_assert(segment->fpdu_start < segment->fpdu_end);
  g_assert(index == 0 || segment_at(undelivered, index - 1)->fpdu_end <= segment->fpdu_start);
  if (index < undelivered->segments.count) {
    const ddp_segment *later = segment_at(undelivered, index);
    if (later->fpdu_start == segment->fpdu_start) {
      g_assert(later->fpdu_end == segment->fpdu_end);
      return NULL;
    }
    g_assert(segment->fpdu_end <= later->fpdu_start);
  }
  ddp_segment *added = deque_insert(&undelivered->segments, index);
  *added = *segment;
  return added;
}

bool ddp_undelivered_take(ddp_undelivered *undelivered, uint64_t position, ddp_segment *segment)
{
  if (!undelivered || undelivered->segments.count == 0 ||
      segment_at(undelivered, 0)->fpdu_start != position) {
    return false;
  }
  *segment = *segment_at(undelivered, 0);
  deque_remove(&undelivered->segments, 0, 1);
  return true;
}

void ddp_undelivered_drop_from(ddp_undelivered *undelivered, uint64_t position)
{
  if (undelivered) {
    size_t kept = count_below(undelivered, position);
    deque_remove(&undelivered->segments, kept, undelivered->segments.count - kept);
  }
}
