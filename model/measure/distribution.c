/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/distribution.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const distribution_row rows[DISTRIBUTION_COUNT] = {
#define DISTRIBUTION(id, name, unit, weight_unit, sentence) {name, unit, weight_unit, sentence},
#include "measure/metrics.def"
};

const distribution_row *distribution_row_of(distribution_id id)
{
  g_assert((unsigned)id < DISTRIBUTION_COUNT);
  return &rows[id];
}

distribution_id distribution_find(const char *name)
{
  distribution_id id = 0;
  while (id < DISTRIBUTION_COUNT && strcmp(rows[id].name, name) != 0) {
    id++;
  }
  return id;
}

void distribution_clear(distribution *d)
{
  g_free(d->bins);
  *d = (distribution){.bins = NULL};
}

void distribution_copy(distribution *to, const distribution *from)
{
  *to = (distribution){.bins = g_memdup2(from->bins, from->count * sizeof *from->bins),
                       .count = from->count,
                       .room = from->count};
}

bool distribution_append(distribution *d, double bound, double weight)
{
  bool fits = isfinite(bound) && bound >= 0 && (d->count == 0 || bound > d->bins[d->count - 1].bound);
  if (d->count == DISTRIBUTION_BINS_MAX || !fits || !isfinite(weight) || weight <= 0) {
    return false;
  }
  if (d->count >= d->room) {
    d->room = MAX(d->count * 2, 16);
    d->bins = g_renew(distribution_bin, d->bins, d->room);
  }
  d->bins[d->count++] = (distribution_bin){.bound = bound, .weight = weight};
  return true;
}

/* Returns a bin of either, or of both when their bounds are the same: the lowest from a[*i] and b[*j] on. */
static distribution_bin next_bin(const distribution *a, size_t *i, const distribution *b, size_t *j)
{
  bool of_a = *i < a->count && (*j == b->count || a->bins[*i].bound <= b->bins[*j].bound);
  bool of_b = *j < b->count && (*i == a->count || b->bins[*j].bound <= a->bins[*i].bound);
  distribution_bin bin = {.bound = of_a ? a->bins[*i].bound : b->bins[*j].bound};
  bin.weight = (of_a ? a->bins[*i].weight : 0) + (of_b ? b->bins[*j].weight : 0);
  *i += of_a;
  *j += of_b;
  return bin;
}

void distribution_add(distribution *to, const distribution *from)
{
  size_t room = to->count + from->count, i = 0, j = 0;
  distribution sum = {.bins = g_new(distribution_bin, room), .room = room};
  while (i < to->count || j < from->count) {
    sum.bins[sum.count++] = next_bin(to, &i, from, &j);
  }
  distribution_clear(to);
  *to = sum;
}

double distribution_weight(const distribution *d)
{
  double sum = 0;
  for (size_t i = 0; i < d->count; i++) {
    sum += d->bins[i].weight;
  }
  return sum;
}

double distribution_quantile(const distribution *d, double share)
{
  g_assert(d->count > 0 && share > 0 && share <= 1);
  double needed = distribution_weight(d) * share;
  double passed = d->bins[0].weight;
  size_t i = 0;
  while (i + 1 < d->count && passed < needed) {
    passed += d->bins[++i].weight;
  }
  return d->bins[i].bound;
}

uint64_t value_histogram_bound(size_t bin)
{
  g_assert(bin < DISTRIBUTION_BINS_MAX);
  if (bin < VALUE_HISTOGRAM_EXACT) {
    return bin;
  }
  unsigned below = (unsigned)(bin / 16) - 1;
  uint64_t highest_bits = 16 + bin % 16;
  return (highest_bits << below) + ((UINT64_C(1) << below) - 1);
}

void value_histogram_export(const value_histogram *histogram, double value_unit, double weight_unit,
                            distribution *d)
{
  *d = (distribution){.bins = NULL};
  for (size_t bin = 0; bin < DISTRIBUTION_BINS_MAX; bin++) {
    if (histogram->weights[bin] > 0) {
      uint64_t bound = MIN(value_histogram_bound(bin), histogram->largest);
      bool appended =
          distribution_append(d, (double)bound / value_unit, (double)histogram->weights[bin] / weight_unit);
      g_assert(appended);
    }
  }
}
