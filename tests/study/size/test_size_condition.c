/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions as they are written, what they mean, and what is none. */
#include "study/size/size_question.h"

#include <math.h>
#include <string.h>

#include "test.h"

TEST(test_read)
{
  static const struct {
    const char *text;
    size_condition expected; /* without its text */
  } rows[] = {
      {"goodput_bit_per_s >= 99 % of unlimited",
       {.quantity.metric = METRIC_GOODPUT_BIT_PER_S,
        .or_equal = TRUE,
        .number = 0.99,
        .baseline = (char *)"unlimited"}},
      {"goodput_bit_per_s>102.5% of 64KiB", /* the value in its canonical form */
       {.quantity.metric = METRIC_GOODPUT_BIT_PER_S, .number = 1.025, .baseline = (char *)"65536"}},
      {"goodput_bit_per_s >= 9.5 Gbit/s",
       {.quantity.metric = METRIC_GOODPUT_BIT_PER_S, .or_equal = TRUE, .number = 9.5e9}},
      {"buffer.reassembly_peak_octets <= 64KiB",
       {.quantity.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
        .at_most = TRUE,
        .or_equal = TRUE,
        .number = 65536}},
      {"delay.placement_mean_s < 25us",
       {.quantity.metric = METRIC_DELAY_PLACEMENT_MEAN_S, .at_most = TRUE, .number = 25e-6}},
      {"tcp.timeouts < 0.5", {.quantity.metric = METRIC_TCP_TIMEOUTS, .at_most = TRUE, .number = 0.5}},
      {"placement.octets_direct/placement.octets >= 99.9 %",
       {.quantity = {METRIC_PLACEMENT_OCTETS_DIRECT, METRIC_PLACEMENT_OCTETS},
        .or_equal = TRUE,
        .number = 0.999}},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const size_condition *expected = &rows[i].expected;
    g_auto(size_condition) read = {.text = NULL};
    g_autoptr(GError) error = NULL;
    g_assert_true(size_condition_read(rows[i].text, SCENARIO_RECEIVER_MEMORY, &read, &error));
    g_assert_no_error(error);
    g_assert_cmpint(read.quantity.metric, ==, expected->quantity.metric);
    g_assert_cmpint(read.at_most * 2 + read.or_equal, ==, expected->at_most * 2 + expected->or_equal);
    g_assert_cmpfloat_with_epsilon(read.number, expected->number, 1e-12 * expected->number);
    g_assert_cmpstr(read.baseline, ==, expected->baseline);
  }
}

/* Each sign at its number, below and above; what is not a number meets nothing. */
TEST(test_meets)
{
  static const struct {
    const char *text;
    gboolean below, at, above;
  } rows[] = {{"tcp.timeouts >= 3", FALSE, TRUE, TRUE},
              {"tcp.timeouts > 3", FALSE, FALSE, TRUE},
              {"tcp.timeouts <= 3", TRUE, TRUE, FALSE},
              {"tcp.timeouts < 3", TRUE, FALSE, FALSE}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(size_condition) read = {.text = NULL};
    g_assert_true(size_condition_read(rows[i].text, SCENARIO_RECEIVER_MEMORY, &read, NULL));
    g_assert_cmpint(size_condition_meets(&read, 2), ==, rows[i].below);
    g_assert_cmpint(size_condition_meets(&read, 3), ==, rows[i].at);
    g_assert_cmpint(size_condition_meets(&read, 4), ==, rows[i].above);
    g_assert_false(size_condition_meets(&read, (double)NAN));
  }
}

TEST(test_refused)
{
  static const char *const rows[][2] = {
      {"", "is no condition; expected"},
      {">= 3", "is no condition; expected"},
      {"tcp.timeouts", "is no condition; expected"},
      {"tcp.timeouts >=", "is no condition; expected"},
      {"tcp.timeouts = 3", "is no condition; expected"},
      {"tcp.timeouts => 3", "is no condition; expected"},
      {"tcp.timeouts >>= 3", "is no condition; expected"},
      {"tcp.timeout < 3", "(did you mean 'tcp.timeouts'?)"},
      {"time.wall_s < 3s", "time.wall_s depends on the machine"},
      {"tcp.timeouts < 3 %", "'3 %' is no value of tcp.timeouts"},
      {"tcp.timeouts < nan", "'nan' is no value of tcp.timeouts"},
      {"tcp.timeouts < 3 apples", "'3 apples' is no value of tcp.timeouts"},
      {"goodput_bit_per_s >= 9e9", "'9e9' is no value of goodput_bit_per_s"},
      {"goodput_bit_per_s >= 64KiB", "'64KiB' is no value of goodput_bit_per_s"},
      {"goodput_bit_per_s >= 0 % of unlimited", "'0 %' is no share"},
      {"goodput_bit_per_s >= -1 % of unlimited", "'-1 %' is no share"},
      {"goodput_bit_per_s >= inf % of unlimited", "'inf %' is no share"},
      {"goodput_bit_per_s >= 99 of unlimited", "'99' is no share"},
      {"goodput_bit_per_s >= 99 % of plenty", "receiver.memory = plenty is not a size; expected"},
      {"goodput_bit_per_s >= 99 % of -1", "receiver.memory = -1 is"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(size_condition) read = {.text = NULL};
    g_autoptr(GError) error = NULL;
    g_assert_false(size_condition_read(rows[i][0], SCENARIO_RECEIVER_MEMORY, &read, &error));
    if (strstr(error->message, rows[i][1]) == NULL || strstr(error->message, "expected") == NULL) {
      g_error("%s: %s", rows[i][0], error->message);
    }
  }
}
