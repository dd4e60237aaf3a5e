/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/range_set.h"

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

static void assert_ranges(const range_set *set, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (size_t index = 0; index < range_set_count(set); index++) {
    range part = range_set_get(set, index);
    g_string_append_printf(text, "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " ", part.from, part.to);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

/* It is a set in the caller's memory; it takes none of its own before it has something in it. */
TEST(test_in_callers_memory)
{
  range_set set;
  range_set_init(&set);
  g_assert_null(set.ranges.front);
  g_assert_cmpuint(range_set_remove(&set, 0, UINT64_MAX), ==, 0);
  g_assert_cmpuint(range_set_covered(&set, 0, UINT64_MAX), ==, 0);
  g_assert_null(set.ranges.front);
  range_set_add(&set, 10, 20);
  range_set_add(&set, 20, 25);
  assert_ranges(&set, "10-25 ");
  range_set_clear(&set);
  g_assert_null(set.ranges.front);
  assert_ranges(&set, "");
  g_assert_cmpuint(range_set_total(&set), ==, 0);
}

/* The last positions there are. */
TEST(test_largest_positions)
{
  g_autoptr(range_set) set = range_set_new();
  g_assert_cmpuint(range_set_add(set, UINT64_MAX - 10, UINT64_MAX), ==, 10);
  g_assert_cmpuint(range_set_add(set, 0, UINT64_MAX), ==, UINT64_MAX - 10);
  g_assert_cmpuint(range_set_total(set), ==, UINT64_MAX);
  g_assert_cmpuint(range_set_remove(set, 1, UINT64_MAX - 1), ==, UINT64_MAX - 2);
  g_assert_cmpuint(range_set_count(set), ==, 2);
}

/* Without a set all is a gap, and of nothing there is none. */
TEST(test_gap_of_no_set)
{
  uint64_t at = 5;
  range gap;
  g_assert_true(range_set_next_gap(NULL, &at, 9, &gap));
  g_assert_cmpuint(gap.from, ==, 5);
  g_assert_cmpuint(gap.to, ==, 9);
  g_assert_false(range_set_next_gap(NULL, &at, 9, &gap));
}

enum { SEED = 3305, POSITIONS = 200, OPERATIONS = 20000 };

static unsigned count_in(const bool *model, uint64_t from, uint64_t to)
{
  unsigned count = 0;
  for (uint64_t position = from; position < to; position++) {
    count += model[position];
  }
  return count;
}

/* The intervals are exactly the maximal runs of the model. */
static bool same_as_model(const range_set *set, const bool *model)
{
  size_t index = 0;
  for (uint64_t position = 0; position < POSITIONS; position++) {
    if (!model[position]) {
      continue;
    }
    uint64_t from = position;
    while (position < POSITIONS && model[position]) {
      position++;
    }
    if (index == range_set_count(set) || range_set_get(set, index).from != from ||
        range_set_get(set, index).to != position) {
      return false;
    }
    index++;
  }
  return index == range_set_count(set) && range_set_total(set) == count_in(model, 0, POSITIONS);
}

TEST(test_random_against_model)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "range_set");
  g_autoptr(range_set) set = range_set_new();
  bool model[POSITIONS] = {false};
  for (unsigned operation = 0; operation < OPERATIONS; operation++) {
    uint64_t from = random_stream_below(random, POSITIONS + 1);
    uint64_t to = from + random_stream_below(random, MIN(POSITIONS - from, 12) + 1);
    unsigned covered = count_in(model, from, to);
    bool add = random_stream_below(random, 2) == 0;
    bool right = range_set_covered(set, from, to) == covered;
    right = right && range_set_contains(set, from, to) == (covered == to - from);
    uint64_t at = from, missing = 0;
    for (range gap; range_set_next_gap(set, &at, to, &gap); missing += gap.to - gap.from) {
      right = right && from <= gap.from && gap.from < gap.to && gap.to <= to &&
              count_in(model, gap.from, gap.to) == 0 && (gap.to == to || model[gap.to]);
    }
    right = right && missing == to - from - covered;
    uint64_t changed = add ? range_set_add(set, from, to) : range_set_remove(set, from, to);
    right = right && changed == (add ? to - from - covered : covered);
    for (uint64_t position = from; position < to; position++) {
      model[position] = add;
    }
    size_t found = range_set_find(set, from);
    right = right && (found == range_set_count(set) || range_set_get(set, found).to > from);
    right = right && (found == 0 || range_set_get(set, found - 1).to <= from);
    if (!right || !same_as_model(set, model)) {
      g_error("seed %d: operation %u, %s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT ", differs from the model",
              SEED, operation, add ? "add" : "remove", from, to);
    }
  }
}
