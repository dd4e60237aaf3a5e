/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/range_set.h"

#include <glib.h>

void range_set_init(range_set *set)
{
  deque_init(&set->ranges, sizeof(range));
  set->total = 0;
}

void range_set_clear(range_set *set)
{
  deque_clear(&set->ranges);
  set->total = 0;
}

range_set *range_set_new(void)
{
  range_set *set = g_new(range_set, 1);
  range_set_init(set);
  return set;
}

void range_set_free(range_set *set)
{
  if (set != NULL) {
    range_set_clear(set);
    g_free(set);
  }
}

static range *range_at(const range_set *set, size_t index)
{
  return deque_slot(&set->ranges, index, sizeof(range));
}

uint64_t range_set_add(range_set *set, uint64_t from, uint64_t to)
{
  g_assert(from <= to);
  if (from == to) {
    return 0;
  }
  size_t count = set->ranges.count;
  if (count > 0 && range_at(set, count - 1)->to == from) { /* the next octets of a stream */
    range_at(set, count - 1)->to = to;
    set->total += to - from;
    return to - from;
  }
  size_t first = range_set_find(set, from);
  first -= first > 0 && range_at(set, first - 1)->to == from ? 1 : 0; /* that ends here touches it */
  if (first == set->ranges.count || range_at(set, first)->from > to) {
    *(range *)deque_insert(&set->ranges, first) = (range){from, to};
    set->total += to - from;
    return to - from;
  }
  uint64_t before = 0;
  range joined = {MIN(from, range_at(set, first)->from), to};
  size_t end = first;
  for (; end < set->ranges.count && range_at(set, end)->from <= to; end++) {
    const range *part = range_at(set, end);
    before += part->to - part->from;
    joined.to = MAX(joined.to, part->to);
  }
  *range_at(set, first) = joined;
  if (end - first > 1) {
    deque_remove(&set->ranges, first + 1, end - first - 1);
  }
  uint64_t added = joined.to - joined.from - before;
  set->total += added;
  return added;
}

uint64_t range_set_cut(range_set *set, uint64_t from, uint64_t to)
{
  g_assert(from <= to);
  size_t first = range_set_find(set, from);
  if (from == to || first == set->ranges.count || range_at(set, first)->from >= to) {
    return 0;
  }
  uint64_t removed = 0;
  if (range_at(set, first)->from < from) {
    range *cut = range_at(set, first);
    uint64_t end = cut->to;
    cut->to = from;
    first++;
    if (end > to) {
      *(range *)deque_insert(&set->ranges, first) = (range){to, end};
      set->total -= to - from;
      return to - from;
    }
    removed = end - from;
  }
  size_t end = first;
  for (; end < set->ranges.count && range_at(set, end)->to <= to; end++) {
    removed += range_at(set, end)->to - range_at(set, end)->from;
  }
  if (end < set->ranges.count && range_at(set, end)->from < to) {
    removed += to - range_at(set, end)->from;
    range_at(set, end)->from = to;
  }
  if (end > first) {
    deque_remove(&set->ranges, first, end - first);
  }
  set->total -= removed;
  return removed;
}

uint64_t range_set_count_covered(const range_set *set, uint64_t from, uint64_t to)
{
  g_assert(from <= to);
  uint64_t covered = 0;
  for (size_t index = range_set_find(set, from); index < set->ranges.count; index++) {
    const range *part = range_at(set, index);
    if (part->from >= to) {
      break;
    }
    covered += MIN(to, part->to) - MAX(from, part->from);
  }
  return covered;
}
