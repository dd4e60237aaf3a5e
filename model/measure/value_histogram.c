#include "measure/value_histogram.h"

#include <glib.h>

G_STATIC_ASSERT((int)VALUE_HISTOGRAM_BINS == (int)DISTRIBUTION_BINS_MAX);

uint64_t value_histogram_bound(size_t bin)
{
  g_assert(bin < VALUE_HISTOGRAM_BINS);
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
  for (size_t bin = 0; bin < VALUE_HISTOGRAM_BINS; bin++) {
    if (histogram->weights[bin] > 0) {
      bool appended = distribution_append(d, (double)value_histogram_bound(bin) / value_unit,
                                          (double)histogram->weights[bin] / weight_unit);
      g_assert(appended);
    }
  }
}
