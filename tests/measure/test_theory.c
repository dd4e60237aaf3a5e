/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the predictions of mpa-01 §11.1.2 and the measured peaks against them. */
#include "measure/theory.h"
#include "metric_values.h"
#include "test.h"

/* 10 Gbit/s and 25 us both ways, MTU 1500 with 38 octets of framing: one full segment takes 1538 * 800 ps =
 * 1,230,400 ps. delay = 50,000,000 + 2,460,800 = 52,460,800 ps; 1.25 octets/ns * 52,460.8 ns = 65,576
 * octets. */
static const theory ten_gigabit = {
    .rate_bit_per_s = UINT64_C(10000000000),
    .propagation_main_ps = 25 * TIME_PS_PER_MICROSECOND,
    .propagation_other_ps = 25 * TIME_PS_PER_MICROSECOND,
    .serialisation_main_ps = 1230400,
    .serialisation_other_ps = 1230400,
    .emss_octets = 1460,
    .connections = 4,
    .k2 = 3,
};

static double predicted(const theory *inputs, metric_id id)
{
  metric_values values = {0};

  theory_set_metrics(inputs, &values);
  return values.value[id];
}

TEST(test_buffer_sizes)
{
  g_assert_cmpfloat(predicted(&ten_gigabit, METRIC_THEORY_BUFFER_TCP_OCTETS), ==, 65576);
  g_assert_cmpfloat(predicted(&ten_gigabit, METRIC_THEORY_BUFFER_NAF_OCTETS), ==, 4 * 1460 + 3 * 1460);
  g_assert_cmpfloat(predicted(&ten_gigabit, METRIC_THEORY_BUFFER_AF_OCTETS), ==, 3 * 1460);
}

/* The appendix's own example (MPA-307): 10,000 connections, EMSS 1500: 15,000,000 octets, plus K2 * 1500. */
TEST(test_the_appendix_example)
{
  theory inputs = {
      .rate_bit_per_s = UINT64_C(1000000000), .emss_octets = 1500, .connections = 10000, .k2 = 1};
  g_assert_cmpfloat(predicted(&inputs, METRIC_THEORY_BUFFER_NAF_OCTETS), ==, 15000000 + 1500);
}

/* MPA-303: ten times the bandwidth needs ten times the buffer. All four delays count once. */
TEST(test_buffer_tcp_is_linear)
{
  theory inputs = {.rate_bit_per_s = UINT64_C(8000000000), /* an octet a nanosecond */
                   .propagation_main_ps = 1000 * TIME_PS_PER_NANOSECOND,
                   .propagation_other_ps = 200 * TIME_PS_PER_NANOSECOND,
                   .serialisation_main_ps = 30 * TIME_PS_PER_NANOSECOND,
                   .serialisation_other_ps = 4 * TIME_PS_PER_NANOSECOND};
  g_assert_cmpfloat(predicted(&inputs, METRIC_THEORY_BUFFER_TCP_OCTETS), ==, 1234);
  inputs.rate_bit_per_s *= 10;
  g_assert_cmpfloat(predicted(&inputs, METRIC_THEORY_BUFFER_TCP_OCTETS), ==, 12340);
}

TEST(test_fits)
{
  metric_values values = {0};
  metric_values_set(&values, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 2 * 65576);
  metric_values_set(&values, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, 2190);
  theory_set_metrics(&ten_gigabit, &values);
  EXPECT_METRIC_VALUES(&values, (FIT_K, ==, 2), (FIT_K1, ==, 2.0 * 65576 / 5840),
                       (FIT_K2, ==, 0.5), /* 2190 / (3 * 1460) */
                       (THEORY_BUFFER_TCP_OCTETS, ==, 65576), (THEORY_BUFFER_NAF_OCTETS, ==, 10220),
                       (THEORY_BUFFER_AF_OCTETS, ==, 4380));
}

/* "A metric without samples is left out, never NaN." */
TEST(test_no_quotient_without_samples)
{
  metric_values values = {0};
  theory_set_metrics(&ten_gigabit, &values); /* nothing measured */
  g_assert_true(values.present[METRIC_THEORY_BUFFER_NAF_OCTETS]);
  g_assert_false(values.present[METRIC_FIT_K]);
  g_assert_false(values.present[METRIC_FIT_K1]);
  g_assert_false(values.present[METRIC_FIT_K2]);

  theory unestablished = ten_gigabit;
  unestablished.emss_octets = 0;
  metric_values others = {0};
  metric_values_set(&others, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0);
  metric_values_set(&others, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, 0);
  theory_set_metrics(&unestablished, &others);
  g_assert_true(others.present[METRIC_FIT_K]);
  g_assert_cmpfloat(others.value[METRIC_FIT_K], ==, 0);
  g_assert_false(others.present[METRIC_THEORY_BUFFER_NAF_OCTETS]);
  g_assert_false(others.present[METRIC_THEORY_BUFFER_AF_OCTETS]);
  g_assert_false(others.present[METRIC_FIT_K1]);
  g_assert_false(others.present[METRIC_FIT_K2]);

  theory no_k2 = ten_gigabit;
  no_k2.k2 = 0;
  theory_set_metrics(&no_k2, &others);
  g_assert_true(others.present[METRIC_FIT_K1]);
  g_assert_false(others.present[METRIC_FIT_K2]);
}
