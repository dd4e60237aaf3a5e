/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of messages from a file: what lies where between its points, what is refused, and the shipped files
 * against their means and quantiles. */
#include "traffic/size_distribution.h"

#include <math.h>
#include <string.h>

#include "temporary_file.h"
#include "test.h"

static size_distribution *distribution_of(const char *text, bool steps)
{
  char *path = temporary_file_new(text, -1);
  g_autoptr(GError) error = NULL;
  size_distribution *self = size_distribution_load(path, steps, &error);

  g_assert_no_error(error);
  temporary_file_free(path);
  return self;
}

/* --- What a file means --- */

enum { DRAWS = 100000, SIZES = 16 };

/* `count` of DRAWS has a binomial distribution: within 4.5 standard deviations of a share. */
static void assert_share(uint32_t count, double share)
{
  const double mean = DRAWS * share, difference = count - mean;

  g_assert_cmpfloat(difference * difference, <=, 4.5 * 4.5 * mean * (1 - share));
}

static const struct {
  const char *text;
  bool steps;
  double mean;
  double shares[SIZES]; /* of the messages, by octets */
} drawn[] = {
    /* All messages have one size. */
    {"5 1", false, 5, {[5] = 1}},
    {"5 100", true, 5, {[5] = 1}},
    /* Above 0 and up to 4, each of four sizes equally often: (1 + 2 + 3 + 4) / 4. */
    {"0 0\n4 1\n", false, 2.5, {[1] = 0.25, [2] = 0.25, [3] = 0.25, [4] = 0.25}},
    /* Percent, and three columns. */
    {"0 x 0\n2 x 60\n4 x 100\n", false, 1.5 * 0.6 + 3.5 * 0.4, {[1] = 0.3, [2] = 0.3, [3] = 0.2, [4] = 0.2}},
    /* The first share is an atom. */
    {"3 0.5\n5 1\n", false, 3 * 0.5 + 4.5 * 0.5, {[3] = 0.5, [4] = 0.25, [5] = 0.25}},
    /* A size twice is an atom: of 0.6 - 0.2 here. */
    {"1 0\n3 0.2\n3 0.6\n7 1\n",
     false,
     2.5 * 0.2 + 3 * 0.4 + 5.5 * 0.4,
     {[2] = 0.1, [3] = 0.5, [4] = 0.1, [5] = 0.1, [6] = 0.1, [7] = 0.1}},
    /* Where the share stays nothing lies between. */
    {"0 0\n2 0.5\n12 0.5\n14 1\n12KiB 1\n",
     false,
     1.5 * 0.5 + 13.5 * 0.5,
     {[1] = 0.25, [2] = 0.25, [13] = 0.25, [14] = 0.25}},
    /* Steps: only the sizes of the points, each by what its line adds. */
    {"2 0.25\n4 0.5\n4 0.75\n9 1\n",
     true,
     2 * 0.25 + 4 * 0.5 + 9 * 0.25,
     {[2] = 0.25, [4] = 0.5, [9] = 0.25}},
    {"0 0\n8 0.5\n15 1\n", true, 8 * 0.5 + 15 * 0.5, {[8] = 0.5, [15] = 0.5}},
};

ROW_TEST(test_drawn, drawn)
{
  g_autoptr(size_distribution) sizes = distribution_of(c->text, c->steps);
  g_autofree random_stream *random = random_stream_new(1, "test");
  uint32_t counts[SIZES] = {0}, smallest = SIZES, largest = 0;

  for (uint32_t i = 0; i < DRAWS; i++) {
    const uint32_t octets = size_distribution_draw(sizes, random);
    g_assert_cmpuint(octets, <, SIZES);
    counts[octets]++;
  }
  for (uint32_t octets = 0; octets < SIZES; octets++) {
    assert_share(counts[octets], c->shares[octets]);
    if (c->shares[octets] > 0) {
      smallest = MIN(smallest, octets);
      largest = octets;
    }
  }
  g_assert_cmpuint(size_distribution_smallest(sizes), ==, smallest);
  g_assert_cmpuint(size_distribution_largest(sizes), ==, largest);
  g_assert_cmpfloat_with_epsilon(size_distribution_mean(sizes), c->mean, 1e-12);
}

/* Half of the messages are uniform up to 100, a quarter has 100, and a quarter is uniform from there to 200;
 * of three steps each has a share. */
TEST(test_quantiles)
{
  static const struct {
    double share, linear, steps;
  } rows[] = {{0, 0, 0},        {0.25, 50, 100},   {0.5, 100, 100}, {0.6, 100, 100},
              {0.75, 100, 100}, {0.875, 150, 200}, {1, 200, 200}};
  static const char text[] = "0 0\n100 50\n100 75\n200 100\n";
  g_autoptr(size_distribution) linear = distribution_of(text, false), steps = distribution_of(text, true);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpfloat(size_distribution_quantile(linear, rows[i].share), ==, rows[i].linear);
    g_assert_cmpfloat(size_distribution_quantile(steps, rows[i].share), ==, rows[i].steps);
  }
}

/* --- What is refused --- */

static const struct {
  const char *text;
  const char *expected;
} refused[] = {
    {"", "1: no sizes; expected lines of a size and its cumulative share"},
    {"# nothing\n\n", "2: no sizes; expected lines of a size and its cumulative share"},
    {"0 0\n20 0.5\n10 1\n", "3: size 10 is below the one before, 20; expected ascending sizes"},
    {"0 0\n10 0.5\n20 0.4\n30 1\n", "3: cumulative 0.4 falls; expected at least 0.5 as before"},
    {"0 0\n10 0.9\n", "2: cumulative ends at 0.9; expected 1 or 100"},
    {"0 0\n10 99.9\n# the end\n", "3: cumulative ends at 99.9; expected 1 or 100"},
    {"0 0\n10 100.1\n", "2: cumulative '100.1'; expected a fraction or percent"},
    {"0 -1\n10 1\n", "1: cumulative '-1'; expected a fraction or percent"},
    {"0 nan\n10 1\n", "1: cumulative 'nan'; expected a fraction or percent"},
    {"0 0\n10 1x\n", "2: cumulative '1x'; expected a fraction or percent"},
    {"-1 0\n10 1\n", "1: size '-1'; expected octets, as 4096 or 64KiB"},
    {"0 0\n1.5 1\n", "2: size '1.5'; expected octets, as 4096 or 64KiB"},
    {"0 0\nten 1\n", "2: size 'ten'; expected octets, as 4096 or 64KiB"},
    {"0 0\n4GiB 1\n", "2: size '4GiB'; expected at most 4 GiB - 1"},
    {"0 0\n99999999999999999999 1\n", "2: size '99999999999999999999'; expected octets, as 4096 or 64KiB"},
    {"0 0\n0 1\n", "2: all messages would have 0 octets; expected a larger size"},
    {"0 1\n10 1\n", "2: all messages would have 0 octets; expected a larger size"},
    {"0\n10 1\n", "1: 1 column; expected a size and its cumulative share"},
    {"0 1 2 3\n", "1: 4 columns; expected a size and its cumulative share"},
    {"0 1 0\n10 1\n", "2: 2 columns; expected 3 as on the first line"},
};

/* Returns what is wrong with a file of `text`, without its path. */
static char *problem_of(const char *text, gssize length)
{
  char *path = temporary_file_new(text, length);
  g_autoptr(GError) error = NULL;

  g_assert_null(size_distribution_load(path, false, &error));
  g_assert_true(g_str_has_prefix(error->message, path));
  char *problem = g_strdup(error->message + strlen(path) + 1);
  temporary_file_free(path);
  return problem;
}

ROW_TEST(test_refused, refused)
{
  g_autofree char *problem = problem_of(c->text, -1);

  g_assert_cmpstr(problem, ==, c->expected);
}

TEST(test_nul)
{
  g_autofree char *problem = problem_of("0 0\n10 1\0\n", 10);

  g_assert_cmpstr(problem, ==, "2: a NUL; expected text");
}

/* A hundred thousand lines may be; one more is refused there. */
TEST(test_many_lines)
{
  g_autoptr(GString) text = g_string_new("");

  for (unsigned i = 1; i < SIZE_DISTRIBUTION_LINES_MAX; i++) {
    g_string_append_printf(text, "%u 0.5\r\n", i);
  }
  g_string_append(text, "100000 1");
  g_autoptr(size_distribution) sizes = distribution_of(text->str, false);
  g_assert_cmpuint(size_distribution_largest(sizes), ==, 100000);
  g_string_append(text, "\n100001 1");
  g_autofree char *problem = problem_of(text->str, -1);
  g_assert_cmpstr(problem, ==, "100001: more than 100000 sizes; expected at most that");
}

/* --- The shipped files --- */

enum { SHIPPED_DRAWS = 1000000 };

static const struct {
  const char *name;
  double mean, p50, p99; /* as the file's comment has them */
  double p99_precision;
  double deviation; /* the standard deviation that follows from the points */
} shipped[] = {
    {"websearch-hpcc", 1711250, 73077, 23.3e6, 0.05e6, 3966344},
    {"websearch-pfabric", 1665831, 70642, 22.7e6, 0.05e6, 3860474},
    {"datamining-vl2", 12658199, 1100, 550e6, 0.5e6, 85692622},
    {"datamining-pfabric", 7470236, 1460, 97.3e6, 0.05e6, 59834110},
    {"hadoop-hpcc", 120421, 700, 2.0e6, 0.05e6, 669661},
    {"storage-ali2019", 40870, 6340, 1.29e6, 0.005e6, 191796},
    {"storage-solar2022", 39424, 16384, 222822, 0.5, 41125},
    {"cache-fb", 342, 75, 6326, 0.5, 2493},
};

/* So many of the draws are at most `quantile`, and no more are below it: within 4.5 standard deviations of a
 * binomial distribution. A size is the next whole number above what it is in the file. */
static void assert_quantile(const uint32_t *octets, double quantile, double share)
{
  const double deviation = 4.5 * sqrt(SHIPPED_DRAWS * share * (1 - share));
  uint32_t below = 0, up_to = 0;

  for (uint32_t i = 0; i < SHIPPED_DRAWS; i++) {
    below += octets[i] < quantile;
    up_to += octets[i] <= ceil(quantile);
  }
  g_assert_cmpfloat(below, <=, SHIPPED_DRAWS * share + deviation);
  g_assert_cmpfloat(up_to, >=, SHIPPED_DRAWS * share - deviation);
}

/* The mean of 10^6 draws is within 3 σ of the distribution's, where σ is a thousandth of its own standard
 * deviation: of a share p of k sizes of mean m that are equally frequent the mean square is
 * p (m² + (k² - 1) / 12); their sum minus the square of the mean is the variance. The means of the comments
 * are of sizes that are no whole octets: those drawn are rounded up, by half an octet at most. */
ROW_TEST(test_shipped, shipped)
{
  g_autofree char *file = g_strconcat(c->name, ".txt", NULL);
  g_autofree char *path = g_build_filename(g_getenv("IWARPSIM_DATA"), "sizes", file, NULL);
  g_autoptr(size_distribution) sizes = size_distribution_load(path, false, NULL);
  g_autofree random_stream *random = random_stream_new(1, c->name);
  g_autofree uint32_t *octets = g_new(uint32_t, SHIPPED_DRAWS);
  double sum = 0;

  g_assert_nonnull(sizes);
  for (uint32_t i = 0; i < SHIPPED_DRAWS; i++) {
    octets[i] = size_distribution_draw(sizes, random);
    sum += octets[i];
  }
  const double mean = size_distribution_mean(sizes), p50 = size_distribution_quantile(sizes, 0.5);
  const double p99 = size_distribution_quantile(sizes, 0.99);
  g_assert_cmpfloat(mean, >=, c->mean - 0.5);
  g_assert_cmpfloat(mean, <=, c->mean + 1);
  g_assert_cmpfloat_with_epsilon(p50, c->p50, 0.5);
  g_assert_cmpfloat_with_epsilon(p99, c->p99, c->p99_precision);
  g_assert_cmpfloat_with_epsilon(sum / SHIPPED_DRAWS, mean, 3 * c->deviation / sqrt(SHIPPED_DRAWS));
  assert_quantile(octets, p50, 0.5);
  assert_quantile(octets, p99, 0.99);
}
