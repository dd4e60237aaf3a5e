/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show return levels of processes whose level is known: how often the interval holds it, and how
 * wide it is. */
#include "study/statistics/statistics.h"

#include <math.h>

#include "base/random_stream.h"
#include "test.h"

enum { RUNS = 8, BLOCKS = 320, SEED = 20261123, TRIES = 100 };
#define BLOCK_OCTETS 65536.0

/* Events come at random, EVENTS of them in a block on average, so most blocks have none and 0; sizes are
 * exponential, of mean SCALE. */
#define SCALE 700.0
#define EVENTS 0.2

/* A size becomes what a receiver could hold: whole steps of `step`, at most `most`. */
typedef struct shape {
  double step; /* 0: none */
  double most;
} shape;

static double shaped(const shape *of, double size)
{
  double whole = of->step > 0 ? ceil(size / of->step) * of->step : floor(size);
  return fmin(whole, of->most);
}

/* Draws `count` block maxima. The largest of a Poisson number of exponential sizes is a Gumbel variable,
 * where it is above 0. */
static void draw(random_stream *stream, const shape *of, guint64 *maxima, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    double u = ((double)(random_stream_next(stream) >> 11) + 1) * 0x1p-53;
    double size = SCALE * (log(EVENTS) - log(-log(u)));
    maxima[i] = size > 0 ? (guint64)shaped(of, size) : 0;
  }
}

static const struct {
  const char *name;
  shape of;
  double blocks;     /* the period; 8 * 320 = 2560 blocks are drawn */
  double half_width; /* of the level, at most, on average */
} processes[] = {
    /* 10 events exceed the level; 4.8 and 17.1 are the bounds of such a Poisson variable: SCALE * ln(17.1
     * / 4.8) / 2 = 445 of a level of 2755. */
    {"plenty", {0, 1e6}, 256, 0.2},
    {"enough", {0, 1e6}, 1024, 0.25},
    {"a sixth", {0, 1e6}, 16384, 0.7},
    /* A window of 2,000 octets, which one event in 17 fills: exp(-2000 / 700) = 0.057. */
    {"atom at the top, enough", {0, 2000}, 1024, 0.01},
    {"atom at the top, a sixth", {0, 2000}, 16384, 0.01},
    /* Whole segments: the level is a step, and so is what is seen. How a tail of few steps goes on, nothing
     * shows: it is not extrapolated here. */
    {"steps, plenty", {1456, 1e6}, 256, 0.3},
    {"steps, enough", {1456, 1e6}, 1024, 0.3}};

ROW_TEST(test_coverage, processes)
{
  random_stream *stream = random_stream_new(SEED, c->name);
  /* What is exceeded once in so many blocks: EVENTS * exp(-x / SCALE) * blocks = 1. */
  double truth = shaped(&c->of, SCALE * log(EVENTS * c->blocks)), half_widths = 0, covered = 0;
  for (int try = 0; try < TRIES; try++) {
    guint64 maxima[RUNS][BLOCKS];
    traffic_blocks runs[RUNS];
    for (int i = 0; i < RUNS; i++) {
      draw(stream, &c->of, maxima[i], BLOCKS);
      runs[i] = (traffic_blocks){(guint64)BLOCK_OCTETS, maxima[i], BLOCKS};
    }
    const statistics of = return_level_of(runs, RUNS, c->blocks * BLOCK_OCTETS);
    g_assert_cmpuint(of.count, ==, RUNS);
    g_assert_cmpfloat(of.lower, <=, of.mean);
    g_assert_cmpfloat(of.mean, <=, of.upper);
    g_assert_cmpint(of.is_extrapolated, ==, c->blocks > RUNS * BLOCKS);
    covered += of.lower <= truth && truth <= of.upper ? 1.0 / TRIES : 0;
    half_widths += (of.upper - of.lower) / 2 / of.mean / TRIES;
  }
  g_free(stream);
  g_test_message("seed %d, %s: level %.0f, %.0f %% covered, half-width %.1f %%", SEED, c->name, truth,
                 100 * covered, 100 * half_widths);
  g_assert_cmpfloat(covered, >=, 0.9);
  g_assert_cmpfloat(half_widths, <=, c->half_width);
}

static statistics level_of(const guint64 *maxima, gsize count, double blocks)
{
  const traffic_blocks run = {(guint64)BLOCK_OCTETS, maxima, count};
  const statistics of = return_level_of(&run, 1, blocks * BLOCK_OCTETS);
  g_assert_cmpuint(of.count, ==, 1);
  return of;
}

/* These are 200 blocks with the events 1 … 100, each between blocks without one. Of those that come once in
 * 20 blocks there are 200 * (1 - exp(-1 / 20)) = 9.754: rank 10.254 is between 91 (the tenth) and 90. A
 * Poisson variable of that mean is 16 or more with 4.1 % and 17 or more with 2.2 %: the lower bound is
 * between the events of these ranks. It is 3 or less with 1.2 % and 4 or less with 3.4 %: the upper one is
 * between the ranks 4 and 5. */
TEST(test_order_statistics)
{
  guint64 maxima[200] = {0};
  for (guint i = 0; i < 100; i++) {
    maxima[2 * i] = (i * 37) % 100 + 1;
  }
  statistics of = level_of(maxima, 200, 20);
  g_assert_cmpfloat_with_epsilon(of.mean, 101 - 10.254, 1e-3);
  g_assert_true(of.lower > 101 - 17 && of.lower < 101 - 16);
  g_assert_true(of.upper > 101 - 5 && of.upper < 101 - 4);
  g_assert_false(of.is_extrapolated);
}

/* A peak that spans blocks is one event: with each event in two blocks after one of a little less, the level
 * stays. */
TEST(test_neighbours_are_one_event)
{
  guint64 once[400] = {0}, spread[400] = {0};
  for (guint i = 0; i < 100; i++) {
    guint64 peak = (i * 37) % 100 + 1;
    once[4 * i + 1] = peak;
    spread[4 * i] = peak - 1;
    spread[4 * i + 1] = spread[4 * i + 2] = peak;
  }
  statistics a = level_of(once, 400, 40), b = level_of(spread, 400, 40);
  g_assert_cmpfloat(a.mean, ==, b.mean);
  g_assert_cmpfloat(a.upper, ==, b.upper);
}

/* Runs of twice the block size pool with the others: it is the same as if these had been joined before. One
 * without a block has no size. */
TEST(test_sizes_join)
{
  random_stream *stream = random_stream_new(SEED, "sizes");
  guint64 small[1001], large[500], others[500];
  draw(stream, &processes[0].of, small, 1001);
  draw(stream, &processes[0].of, others, 500);
  g_free(stream);
  for (int i = 0; i < 500; i++) {
    large[i] = MAX(small[2 * i], small[2 * i + 1]);
  }
  const traffic_blocks mixed[] = {{65536, small, 1001}, {131072, others, 500}, {262144, small, 0}};
  const traffic_blocks joined[] = {{131072, others, 500}, {131072, large, 500}};
  const statistics a = return_level_of(mixed, 3, 0x1p27), b = return_level_of(joined, 2, 0x1p27);
  g_assert_true(a.count == 3 && b.count == 2);
  g_assert_cmpfloat(a.mean, ==, b.mean);
  g_assert_cmpfloat(a.lower, ==, b.lower);
  g_assert_cmpfloat(a.upper, ==, b.upper);
}

/* Without any event the level is 0, and nothing bounds it unless there was traffic enough; without a block
 * there is none. */
TEST(test_no_events)
{
  const guint64 none[100] = {0};
  statistics of = level_of(none, 100, 1000);
  g_assert_cmpfloat(of.mean, ==, 0);
  g_assert_true(isnan(of.upper) && of.is_extrapolated);
  of = level_of(none, 100, 2);
  g_assert_cmpfloat(of.upper, ==, 0);
  const guint64 few[100] = {[10] = 5, [50] = 7};
  of = level_of(few, 100, 1000);
  g_assert_true(of.mean == 7 && isnan(of.upper));
  const traffic_blocks empty[] = {{65536, none, 0}, {0, NULL, 0}, {0, none, 3}};
  g_assert_cmpuint(return_level_of(empty, 3, 1e9).count, ==, 0);
}

/* A period of a block or little more: a share of exp(-1) of the blocks has no such event. Of shorter periods
 * blocks show nothing. */
TEST(test_short_period)
{
  guint64 maxima[100];
  for (guint i = 0; i < 100; i++) {
    maxima[i] = i;
  }
  g_assert_cmpfloat_with_epsilon(level_of(maxima, 100, 1).mean, 100 * exp(-1) - 0.5, 1e-9);
  const traffic_blocks run = {(guint64)BLOCK_OCTETS, maxima, 100};
  g_assert_cmpuint(return_level_of(&run, 1, BLOCK_OCTETS - 1).count, ==, 0);
}
