/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_jitter_table.h"

#include <glib.h>

enum {
  ENTRIES = PATH_JITTER_TABLE_ENTRIES,
  SCALE = PATH_JITTER_TABLE_SCALE,
  MOST = PATH_JITTER_TABLE_MOST,
  STEPS_PER_SIGMA = 1024, /* of the integration of the normal density */
};

static int16_t entry(int64_t value)
{
  return (int16_t)CLAMP(value, -MOST, MOST);
}

/* In 1/8192 of the jitter: -1 + (2 i + 1) / 4096, which is whole. */
static int16_t uniform_entry(int index)
{
  return entry((2 * index + 1) * (SCALE / ENTRIES) - SCALE);
}

/* The largest number whose cube is at most `value`. */
static uint64_t cube_root(uint64_t value)
{
  uint64_t root = 0;

  for (int bit = 20; bit >= 0; bit--) {
    uint64_t larger = root | UINT64_C(1) << bit;
    if (larger * larger * larger <= value) { /* (2^21 - 1)^3 is below 2^64 */
      root = larger;
    }
  }
  return root;
}

/* The distribution function is 1 - x^-3 from 1 on, so x = u^(-1/3), u = 1 - (2 i + 1) / 8192. Its mean is 3/2. */
static int16_t pareto_entry(int index)
{
  uint64_t tail = 2 * (uint64_t)(ENTRIES - index) - 1;                  /* of u's 8192 parts */
  int64_t root = (int64_t)cube_root((UINT64_C(1) << (48 + 13)) / tail); /* in 2^-16 */
  return entry((root + 3) / 6 - SCALE * 2); /* 4/3 · (root / 2^16 - 3/2) · 2^13 */
}

/* The upper half of the normal distribution. The density e^(-x²/2) is stepped by its quotient of neighbours, which itself
 * falls by a constant quotient: no exponential function is needed but of small numbers. */
static void fill_upper_normal(int16_t upper[ENTRIES / 2])
{
  const double root_two_pi = 2.5066282746310005;
  const double step = 1.0 / STEPS_PER_SIGMA;
  const double square = step * step;
  const double quotient_fall = 1 - square * (1 - square / 2 * (1 - square / 3)); /* e^-step² */
  double quotient = 1 - square / 2 * (1 - square / 4 * (1 - square / 6));        /* e^(-step²/2) */
  double density = 1 / root_two_pi;
  double below = 0.5; /* the distribution function at x */
  double x = 0;

  for (int i = 0; i < ENTRIES / 2; i++) {
    double wanted = 0.5 + (i + 0.5) / ENTRIES;
    double gain; /* of the next step, by the trapezoid */
    while (below + (gain = step * density * (1 + quotient) / 2) < wanted) {
      below += gain;
      density *= quotient;
      quotient *= quotient_fall;
      x += step;
    }
    upper[i] = entry((int64_t)((x + step * (wanted - below) / gain) * SCALE + 0.5));
  }
}

static void fill_normal(int16_t table[ENTRIES])
{
  fill_upper_normal(table + ENTRIES / 2);
  for (int i = 0; i < ENTRIES / 2; i++) {
    table[i] = (int16_t)-table[ENTRIES - 1 - i];
  }
}

void path_jitter_table_fill(int16_t table[ENTRIES], path_jitter_distribution distribution)
{
  if (distribution == PATH_JITTER_NORMAL || distribution == PATH_JITTER_PARETO_NORMAL) {
    fill_normal(table);
  }
  for (int i = 0; i < ENTRIES; i++) {
    switch (distribution) {
    case PATH_JITTER_UNIFORM:
      table[i] = uniform_entry(i);
      break;
    case PATH_JITTER_NORMAL:
    case PATH_JITTER_CONSTANT:
      break;
    case PATH_JITTER_PARETO:
      table[i] = pareto_entry(i);
      break;
    case PATH_JITTER_PARETO_NORMAL:
      table[i] = (int16_t)((table[i] + 3 * pareto_entry(i)) / 4);
      break;
    }
  }
}
