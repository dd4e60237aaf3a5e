/* SPDX-License-Identifier: GPL-2.0-only */
/* Delays that differ from packet to packet, and packets that skip them. */
#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

enum { US = 1000000 };

/* --- The tables --- */

typedef struct entry {
  int index, value;
} entry;

/* The table has these entries, and never decreases; the sum of its entries. */
static int64_t check_table(path_jitter_distribution distribution, int16_t *table, const entry *entries,
                           size_t count)
{
  int64_t sum = 0;
  path_jitter_table_fill(table, distribution);
  for (int i = 0; i < PATH_JITTER_TABLE_ENTRIES; i++) {
    g_assert_true(i == 0 || table[i] >= table[i - 1]);
    sum += table[i];
  }
  for (size_t i = 0; i < count; i++) {
    g_assert_cmpint(table[entries[i].index], ==, entries[i].value);
  }
  return sum;
}

/* The inverse of the normal distribution function at (2 i + 1) / 8192, times 8192, from a table of quantiles:
 * -3.66833 at 0.00012207, 0.00030599 at 0.50012207, 1.00035 at 0.84143, 1.95955 at 0.97498. Symmetric, so its
 * sum is 0. Standard deviation 1 but for what the tails of the outermost entries lose. */
TEST(test_normal_table)
{
  static const entry entries[] = {{0, -30051},  {1, -27666},  {100, -16122}, {2048, 3}, /* 2.5066 */
                                  {3000, 5083}, {3446, 8195}, {3993, 16053}, {4095, 30051}};
  int16_t table[PATH_JITTER_TABLE_ENTRIES];
  double squares = 0;
  g_assert_cmpint(check_table(PATH_JITTER_NORMAL, table, entries, G_N_ELEMENTS(entries)), ==, 0);
  for (int i = 0; i < PATH_JITTER_TABLE_ENTRIES; i++) {
    squares += (double)table[i] * table[i];
  }
  g_assert_cmpfloat_with_epsilon(squares / PATH_JITTER_TABLE_ENTRIES / 8192 / 8192, 1, 0.002);
}

/* This is 4/3 (u^(-1/3) - 3/2) · 8192 with u = 1 - (2 i + 1) / 8192: u = 8191/8192 gives -5460.9, 4097/8192
 * -2623.4, 4095/8192 -2621.2, 2191/8192 568.9, 191/8192 21849.8; from 4 on it is cut. Its mean would be 0;
 * the cut tail is missing, so it is below. */
TEST(test_pareto_table)
{
  static const entry entries[] = {{0, -5461},    {2047, -2623}, {2048, -2621}, {3000, 569},
                                  {4000, 21850}, {4072, 32767}, {4095, 32767}};
  int16_t table[PATH_JITTER_TABLE_ENTRIES];
  g_assert_cmpint(check_table(PATH_JITTER_PARETO, table, entries, G_N_ELEMENTS(entries)), <, 0);
}

/* This is a quarter of the one and three of the other: (-30051 - 3 · 5461) / 4 = -11608.5; (3 - 3 · 2621) / 4
 * = -1965; (5083 + 3 · 569) / 4 = 1697.5; (30051 + 3 · 32767) / 4 = 32088. */
TEST(test_pareto_normal_table)
{
  static const entry entries[] = {{0, -11608}, {2048, -1965}, {3000, 1697}, {4095, 32088}};
  int16_t table[PATH_JITTER_TABLE_ENTRIES];
  check_table(PATH_JITTER_PARETO_NORMAL, table, entries, G_N_ELEMENTS(entries));
}

/* These are the middles of 4096 equal parts of -8192 … 8192: -8190, -8186, … 8190. */
TEST(test_uniform_table)
{
  static int16_t table[PATH_JITTER_TABLE_ENTRIES];
  path_jitter_table_fill(table, PATH_JITTER_UNIFORM);
  for (int i = 0; i < PATH_JITTER_TABLE_ENTRIES; i++) {
    g_assert_cmpint(table[i], ==, -8190 + 4 * i);
  }
}

/* --- The element --- */

enum { PACKETS = 40000 };

/* The extra delays of PACKETS packets, one a second: none meets another. */
typedef struct sample {
  time_ps delays[PACKETS];
  double mean;
} sample;

static sample *sample_of(path_jitter_config config, uint64_t seed)
{
  g_autoptr(path_fixture) f = fixture_of_stream(seed, "jitter.forward");
  path_element *jitter = fixture_take(f, path_jitter_new(&config, f->random, NULL));
  sample *s = g_new0(sample, 1);
  for (int i = 0; i < PACKETS; i++) {
    path_element_receive(jitter, test_numbered_packet(1), i * TIME_PS_PER_SECOND);
    test_run_until(jitter, (i + 1) * TIME_PS_PER_SECOND - 1);
    g_assert_cmpuint(f->output->len, ==, 1);
    s->delays[i] = test_output_at(f->output, 0)->at - i * TIME_PS_PER_SECOND;
    s->mean += (double)s->delays[i] / PACKETS;
    test_output_clear(f->output);
  }
  return s;
}

/* 100 us ± 60 us: between 40 and 160, mean 100, sigma 60 / sqrt(3) = 34.6, of the mean 34.6 / 200 = 0.173
 * us. */
TEST(test_uniform)
{
  g_autofree sample *s =
      sample_of((path_jitter_config){.delay_ps = 100 * US, .jitter_ps = 60 * US, .reorders = true}, 20260310);
  time_ps least = TIME_PS_NEVER;
  time_ps most = 0;
  for (int i = 0; i < PACKETS; i++) {
    least = MIN(least, s->delays[i]);
    most = MAX(most, s->delays[i]);
  }
  g_assert_cmpint(least, >=, 40 * US);
  g_assert_cmpint(least, <, 41 * US); /* the chance that none of 40,000 is in the lowest 1/120 is nil */
  g_assert_cmpint(most, <=, 160 * US);
  g_assert_cmpint(most, >, 159 * US);
  g_assert_cmpfloat_with_epsilon(s->mean, 100 * US, 5 * 0.173 * US);
}

/* 100 us, standard deviation 10 us: within one of it 68.27 %, sigma of the share sqrt(0.683 * 0.317 / 40,000)
 * = 0.23 %; mean 100 us, sigma 10 / 200 = 0.05 us. */
TEST(test_normal)
{
  g_autofree sample *s = sample_of(
      (path_jitter_config){.delay_ps = 100 * US, .jitter_ps = 10 * US, .distribution = PATH_JITTER_NORMAL},
      20260311);
  int within = 0;
  for (int i = 0; i < PACKETS; i++) {
    within += s->delays[i] > 90 * US && s->delays[i] < 110 * US;
  }
  g_assert_cmpfloat_with_epsilon(within / (double)PACKETS, 0.6827, 5 * 0.0023);
  g_assert_cmpfloat_with_epsilon(s->mean, 100 * US, 5 * 0.05 * US);
}

/* Nothing leaves before it has come: ± 60 us around no delay is 0 for one half, so the mean is 15 us: of the
 * upper half 30, sigma of one sqrt(60² / 6 - 15²) = 19.4, of the mean 0.097 us. */
TEST(test_no_negative_delay)
{
  g_autofree sample *s = sample_of((path_jitter_config){.jitter_ps = 60 * US}, 20260312);
  int at_once = 0;
  for (int i = 0; i < PACKETS; i++) {
    g_assert_cmpint(s->delays[i], >=, 0);
    at_once += s->delays[i] == 0;
  }
  g_assert_cmpfloat_with_epsilon(at_once / (double)PACKETS, 0.5, 5 * 0.0025);
  g_assert_cmpfloat_with_epsilon(s->mean, 15 * US, 5 * 0.097 * US);
}

/* x' = (1 - c) u + c x has the correlation c between neighbours: here 1/4, sigma of the estimate about
 * sqrt(0.94 / 40,000) = 0.0048. Of a uniform one the variance is 60² / 3 = 1200 us², here times (1 - c) / (1
 * + c) = 0.6: 720, sigma about 720 / 200 · 0.9 = 3.2. */
TEST(test_correlation)
{
  g_autofree sample *s = sample_of(
      (path_jitter_config){.delay_ps = 100 * US, .jitter_ps = 60 * US, .correlation = 0.25}, 20260313);
  double squares = 0;
  double products = 0;
  for (int i = 1; i < PACKETS; i++) {
    const double apart = (double)s->delays[i] - s->mean;
    squares += apart * apart;
    products += apart * ((double)s->delays[i - 1] - s->mean);
  }
  g_assert_cmpfloat_with_epsilon(products / squares, 0.25, 5 * 0.0048);
  g_assert_cmpfloat_with_epsilon(squares / PACKETS / US / US, 720, 5 * 3.2);
}

/* The largest times do not overflow: 100 s · 32767 / 8192 is 400 s. */
PATH_TEST(test_large_jitter, fixture_of_stream(1, "jitter.forward"))
{
  path_element *jitter =
      fixture_take(f, path_jitter_new(&(path_jitter_config){.jitter_ps = 100 * TIME_PS_PER_SECOND,
                                                            .distribution = PATH_JITTER_PARETO},
                                      f->random, NULL));
  for (uint32_t i = 0; i < 10000; i++) {
    path_element_receive(jitter, test_numbered_packet(i), 0);
  }
  test_run_until(jitter, 400 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->output->len, ==, 10000);
  /* the last 24 entries of 4096 are cut to 4 · 100 s less 1/8192: 399.9878 s */
  g_assert_cmpint(test_output_at(f->output, 9999)->at, ==, INT64_C(399987792968750));
}

/* 1000 packets a microsecond apart, 100 ± 50 us: with `keep_order` they leave as they came, without it as
 * they are due: the times then do not decrease, the numbers do. A packet is never early: it leaves 50 … 150
 * us after its coming, or after one before it. */
static path_fixture *send_through(bool keep_order)
{
  const path_jitter_config config = {.delay_ps = 100 * US, .jitter_ps = 50 * US, .reorders = !keep_order};
  path_fixture *f = fixture_of_stream(20260314, "jitter.forward");
  path_element *jitter = fixture_take(f, path_jitter_new(&config, f->random, NULL));

  fixture_send_numbered(f, 0, 999, US);
  test_run_until(jitter, 2000 * US);
  g_assert_cmpuint(f->output->len, ==, 1000);
  return f;
}

TEST(test_order)
{
  g_autoptr(path_fixture) due = send_through(false);
  g_autoptr(path_fixture) kept = send_through(true);
  time_ps times[1000];
  guint overtaken = 0;
  for (guint i = 0; i < 1000; i++) {
    const test_arrival *arrival = test_output_at(due->output, i);
    uint32_t number = test_number_of(arrival->packet);
    times[number] = arrival->at;
    g_assert_cmpint(arrival->at, >=, number * US + 50 * US);
    g_assert_cmpint(arrival->at, <=, number * US + 150 * US);
    g_assert_true(i == 0 || arrival->at >= test_output_at(due->output, i - 1)->at);
    overtaken += i > 0 && number < test_number_of(test_output_at(due->output, i - 1)->packet);
  }
  g_assert_cmpuint(overtaken, >, 300);
  time_ps latest = 0;
  for (guint i = 0; i < 1000; i++) {
    latest = MAX(latest, times[i]); /* the same draws: each leaves at its time or with the latest before it */
    g_assert_cmpuint(test_number_of(test_output_at(kept->output, i)->packet), ==, i);
    g_assert_cmpint(test_output_at(kept->output, i)->at, ==, latest);
  }
}

/* netem's `reorder` beside a distribution, here 20 us without any spread: after two held packets the third
 * goes at once, past those that keep their order, and is not waited for by those after it. One packet a
 * microsecond. */
PATH_TEST(test_chosen_packets_skip_the_delay, fixture_of_stream(1, "jitter.forward"))
{
  g_autoptr(random_stream) reorder_random = random_stream_new(1, "reorder.forward");
  path_element *jitter = fixture_take(
      f, path_jitter_new(&(path_jitter_config){.delay_ps = 20 * US, .reorder = {.probability = 1, .gap = 3}},
                         f->random, reorder_random));
  fixture_send_numbered(f, 1, 7, US);
  test_run_until(jitter, 100 * US);
  test_assert_numbers(f->output, true,
                      "3@3000000 6@6000000 1@21000000 2@22000000 4@24000000 5@25000000 7@27000000");
}

/* --- A constant delay, and packets that skip it --- */

/* Returns netem's `delay`, `reorder` and `gap` without a distribution. The stream is that of `reorder`. */
static path_fixture *constant_delay(time_ps delay_ps, double probability, uint32_t gap)
{
  const path_jitter_config config = {.delay_ps = delay_ps,
                                     .distribution = PATH_JITTER_CONSTANT,
                                     .reorder = {.probability = probability, .gap = gap}};
  path_fixture *f = fixture_of_stream(5, "reorder.forward");

  fixture_take(f, path_jitter_new(&config, NULL, f->random));
  return f;
}

/* Gap 5, 100 %: four packets are held, the fifth goes at once. Packets 1 … 10 come at 10, 20 … 100 and are
 * held for 25: 1 leaves at 35, 2 at 45, 5 at once at 50, 3 at 55, 4 at 65, 6 at 85, 7 at 95, 10 at 100, 8 at
 * 105, 9 at 115. */
PATH_TEST(test_gap_5, constant_delay(25, 1, 5))
{
  fixture_send_numbered(f, 1, 10, 10);
  test_run_until(f->element, 1000);
  test_assert_numbers(f->output, true, "1@35 2@45 5@50 3@55 4@65 6@85 7@95 10@100 8@105 9@115");
}

/* With a gap of 1, or 0 which is the same, every packet may be chosen: at 100 % all go at once. */
TEST(test_gap_0_and_1)
{
  for (uint32_t gap = 0; gap <= 1; gap++) {
    g_autoptr(path_fixture) f = constant_delay(25, 1, gap);
    fixture_send_numbered(f, 1, 4, 1);
    test_assert_numbers(f->output, true, "1@1 2@2 3@3 4@4");
  }
}

/* At 0 % nothing is chosen: a constant delay, in order. */
PATH_TEST(test_probability_0_is_a_delay, constant_delay(25, 0, 1))
{
  fixture_send_numbered(f, 1, 4, 1);
  g_assert_cmpuint(f->output->len, ==, 0);
  test_run_until(f->element, 27);
  test_assert_numbers(f->output, true, "1@26 2@27");
  test_run_until(f->element, 100);
  test_assert_numbers(f->output, true, "1@26 2@27 3@28 4@29");
}

/* The deadline is that of the packet that leaves first; what is due together leaves in
 * order, and what waits is freed with the element. */
static const path_jitter_config delays_of_25[] = {
    {.delay_ps = 25, .distribution = PATH_JITTER_CONSTANT},
    {.delay_ps = 25, .reorders = true},
};

ROW_TEST(test_deadline, delays_of_25)
{
  g_autoptr(path_fixture) f = fixture_of_stream(1, "jitter.forward");
  path_element *jitter = fixture_take(f, path_jitter_new(c, f->random, NULL));
  g_assert_cmpint(path_element_deadline(jitter), ==, TIME_PS_NEVER);
  for (uint32_t i = 1; i <= 4; i++) {
    datagram *packet = test_numbered_packet(i);
    path_element_receive(jitter, packet, i < 3 ? 100 : 98 + i);
  }
  g_assert_cmpint(path_element_deadline(jitter), ==, 125);
  path_element_run(jitter, 125);
  test_assert_numbers(f->output, true, "1@125 2@125");
  g_assert_cmpint(path_element_deadline(jitter), ==, 126);
}

/* Draws are made only for packets that may be chosen: of 9 packets at gap 3 and 100 %, three. */
PATH_TEST(test_draws_only_where_chosen, constant_delay(25, 1, 3))
{
  fixture_send_numbered(f, 1, 9, 1);
  g_autoptr(random_stream) other = random_stream_new(5, "reorder.forward");
  for (int i = 0; i < 3; i++) {
    random_stream_chance(other, 1);
  }
  g_assert_cmpuint(random_stream_next(f->random), ==, random_stream_next(other));
}
