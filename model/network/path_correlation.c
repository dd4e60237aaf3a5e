/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_correlation.h"

#include <glib.h>

/* The largest double below 1. */
#define LARGEST (1 - 0x1p-53)

/* 53 bits and a power of two: exact in a double, as random_stream_chance() has it. */
static double uniform(random_stream *random)
{
  return (double)(random_stream_next(random) >> 11) * 0x1p-53;
}

void path_correlation_init(path_correlation *correlation, random_stream *random, double value)
{
  g_assert(value >= 0 && value <= 1);
  *correlation = (path_correlation){.random = random, .correlation = value};
  if (value > 0) {
    correlation->last = uniform(random);
  }
}

double path_correlation_next(path_correlation *correlation)
{
  double fresh = uniform(correlation->random);

  if (correlation->correlation > 0) {
    fresh = fresh * (1 - correlation->correlation) + correlation->last * correlation->correlation;
    fresh = fresh < LARGEST ? fresh : LARGEST; /* the sum may have been rounded up to 1 */
    correlation->last = fresh;
  }
  return fresh;
}

bool path_correlation_chance(path_correlation *correlation, double probability)
{
  g_assert(probability >= 0 && probability <= 1);
  return path_correlation_next(correlation) < probability;
}
