/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs with one seed draw the same random numbers, whatever else differs: what a sweep compares along its
 * other axes differs because of these axes, not by chance. */
#include "run_fixture.h"

/* 200 messages of 64 KiB are 9000 segments and more, of which 1 % are lost: about 90, so many that two seeds
 * do not give the same losses by chance. */
#define COMMON                                                                                               \
  "path.forward.loss=1%", "path.forward.jitter=2us", "path.forward.distribution=uniform",                    \
      "measure.series=none"

/* Returns whether it is one of the metrics of the path and of what TCP sent. */
static gboolean is_of_the_network(metric_id id)
{
  const char *name = metric_row_of(id)->name;

  return g_str_has_prefix(name, "path.") ||
         g_strv_contains(STRINGS("tcp.segments", "tcp.segments_out_of_order", "tcp.retransmissions",
                                 "tcp.timeouts", "tcp.lost_retransmissions", "tcp.recoveries",
                                 "goodput_bit_per_s"),
                         name);
}

/* Returns the name of the first metric of the network in which two runs differ; NULL. */
static const char *difference(const session_result *a, const session_result *b)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (is_of_the_network(id) && (a->results.metrics.present[id] != b->results.metrics.present[id] ||
                                  a->results.metrics.value[id] != b->results.metrics.value[id])) {
      return metric_row_of(id)->name;
    }
  }
  return NULL;
}

static session_result run(const char *seed, const char *mode)
{
  return RUN(.sets = STRINGS(COMMON, setting("run.seed=%s", seed), setting("receiver.mode=%s", mode)));
}

/* A receiver with enough memory acknowledges what TCP has received, whether it can be placed or not: three
 * such receivers hold different amounts, but the network behaves the same, to the last packet. */
TEST(test_receivers_see_the_same_losses)
{
  g_auto(session_result) in_order = run("7", "in-order");
  g_auto(session_result) out_of_order = run("7", "out-of-order");
  g_auto(session_result) assume_aligned = run("7", "assume-aligned");

  EXPECT_METRICS(&in_order, (PATH_PACKETS_LOST, >, 30));
  g_assert_cmpstr(difference(&in_order, &out_of_order), ==, NULL);
  g_assert_cmpstr(difference(&in_order, &assume_aligned), ==, NULL);
  EXPECT_METRICS(&in_order, (BUFFER_REASSEMBLY_PEAK_OCTETS, >,
                             2 * metric_of(&out_of_order, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)));
}

TEST(test_seeds_see_others)
{
  g_auto(session_result) first = run("7", "in-order");
  g_auto(session_result) second = run("8", "in-order");

  g_assert_nonnull(difference(&first, &second));
  EXPECT_METRICS(&first, (GOODPUT_BIT_PER_S, !=, metric_of(&second, METRIC_GOODPUT_BIT_PER_S)));
}
