/* SPDX-License-Identifier: GPL-2.0-only */
/* The distributions of whole runs agree with the exact metrics of the same samples, on both engines. */
#include <math.h>

#include "run_fixture.h"

/* These are the runs: occupancy and delays of every kind. */
static const char *const cases[][8] = {
    {"workload.message_size=64KiB", "workload.messages=40", NULL},
    {"workload.message_size=64KiB", "workload.messages=40", "path.forward.loss=1%", NULL},
    {"workload.message_size=64KiB", "workload.messages=40", "path.forward.loss=1%", "receiver.mode=in-order",
     NULL},
    {"workload.message_size=20000", "workload.messages=60", "path.forward.loss=1%", "middlebox.mode=random",
     "receiver.cell=128", NULL},
    {"workload.message_size=9000", "workload.messages=60", "workload.operation=send",
     "path.forward.loss=0.5%", "receiver.placement_latency=3us", "workload.connections=3", NULL},
    {"workload.message_size=64KiB", "workload.messages=20", "workload.operation=read", "path.reverse.loss=1%",
     "path.forward.loss=1%", NULL},
};

/* The mean with every value taken as the bound of its bin is at least the exact mean, and at most 1/16 above
 * it (values below 32 are exact). */
static void assert_mean(const distribution *d, double exact)
{
  double sum = 0;
  for (size_t i = 0; i < d->count; i++) {
    sum += d->bins[i].bound * d->bins[i].weight;
  }
  double mean = sum / distribution_weight(d);
  g_assert_cmpfloat(mean, >=, exact * (1 - 1e-12));
  g_assert_cmpfloat(mean, <=, exact * (1 + 1.0 / 16) * (1 + 1e-12));
}

TEST(test_consistent)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(session_result) result = RUN_ON_BOTH(.sets = cases[i]);
    const distribution *held = &result.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS];
    double p99 = metric_of(&result, METRIC_BUFFER_REASSEMBLY_P99_OCTETS);
    double read_off = distribution_quantile(held, 0.99);
    assert_mean(held, metric_of(&result, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS));
    g_assert_cmpfloat(read_off, >=, p99);
    g_assert_cmpfloat(read_off, <=, p99 * (1 + 1.0 / 16));
    g_assert_cmpfloat(distribution_quantile(held, 1), <=,
                      metric_of(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS) * (1 + 1.0 / 16));
    /* The time is that from the first arrival of a workload octet to the last Delivery: goodput counts from
     * the first payload octet, which comes no earlier, and the run does not end before the last Delivery. */
    double seconds = distribution_weight(held);
    double delivering =
        8 * metric_of(&result, METRIC_DELIVERY_OCTETS) / metric_of(&result, METRIC_GOODPUT_BIT_PER_S);
    g_assert_cmpfloat(seconds, >=, delivering * (1 - 1e-12));
    g_assert_cmpfloat(seconds, <, metric_of(&result, METRIC_TIME_SIMULATED_S));
    const distribution *placement = &result.results.distributions[DISTRIBUTION_PLACEMENT_DELAY_S];
    const distribution *delivery = &result.results.distributions[DISTRIBUTION_DELIVERY_DELAY_S];
    /* sums of whole octets are exact in a double */
    g_assert_cmpfloat(distribution_weight(placement), ==, metric_of(&result, METRIC_PLACEMENT_OCTETS));
    g_assert_cmpfloat(distribution_weight(delivery), ==, metric_of(&result, METRIC_DELIVERY_OCTETS));
    assert_mean(placement, metric_of(&result, METRIC_DELAY_PLACEMENT_MEAN_S));
    assert_mean(delivery, metric_of(&result, METRIC_DELAY_DELIVERY_MEAN_S));
    /* no octet is Delivered before it is Placed: at no delay are more octets Delivered than Placed */
    for (double share = 0.05; share < 1; share += 0.05) {
      g_assert_cmpfloat(distribution_quantile(placement, share), <=, distribution_quantile(delivery, share));
    }
  }
}

/* Lossless, aligned, one connection: every segment is placed and Delivered as it arrives. */
TEST(test_lossless_waits_for_nothing)
{
  g_auto(session_result) result = RUN(.sets = cases[0]);
  static const distribution_id waits[] = {DISTRIBUTION_REASSEMBLY_OCTETS, DISTRIBUTION_PLACEMENT_DELAY_S,
                                          DISTRIBUTION_DELIVERY_DELAY_S};
  for (gsize i = 0; i < G_N_ELEMENTS(waits); i++) {
    g_assert_cmpuint(result.results.distributions[waits[i]].count, ==, 1);
    g_assert_cmpfloat(result.results.distributions[waits[i]].bins[0].bound, ==, 0);
  }
  /* 40 messages of 64 KiB */
  g_assert_cmpfloat(result.results.distributions[DISTRIBUTION_PLACEMENT_DELAY_S].bins[0].weight, ==,
                    40 * 65536.0);
}

/* A receiver that takes 3 us to place what it received, without loss: that is the delay of every octet, and
 * so the bound of the only bin. Octets held for processing are not held for reassembly. */
TEST(test_placement_latency)
{
  g_auto(session_result) result = RUN(.sets = STRINGS("workload.message_size=64KiB", "workload.messages=10",
                                                      "receiver.placement_latency=3us"));
  for (distribution_id id = DISTRIBUTION_PLACEMENT_DELAY_S; id <= DISTRIBUTION_DELIVERY_DELAY_S; id++) {
    g_assert_cmpuint(result.results.distributions[id].count, ==, 1);
    g_assert_cmpfloat(result.results.distributions[id].bins[0].bound, ==, 3e-6);
  }
  g_assert_cmpfloat(distribution_quantile(&result.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1),
                    ==, 0);
}
