/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests hold goodput under random loss against the square-root law (Mathis, Semke, Mahdavi, Ott: The
 * Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, ACM CCR 27(3), 1997):
 *
 *   goodput = C * (payload of a segment) / (round trip * sqrt(p)),  C = sqrt(3/2) = 1.2247
 *
 * The derivation: between losses the window grows from W/2 to W by one segment a round trip, which takes W/2
 * round trips in which 3/8 W^2 = 1/p segments are sent. C = sqrt(3/2) holds for an ACK for each segment; with
 * delayed ACKs and counting of ACKs the window would grow half as fast and C be sqrt(3/4). Here acknowledged
 * octets are counted (RFC 3465), so delayed ACKs (one for two segments) do not slow congestion avoidance, and
 * the constant is sqrt(3/2) all the same.
 *
 * The law knows no time-outs, no slow start, no limit but loss: round trip 15 ms, a window of 4 MiB and a
 * rate of 1 Gbit/s, each many times what the law needs (at p = 0.01 %: 122 segments of 1460 octets on
 * average, 95 Mbit/s). At least 300 losses a run. Congestion avoidance is the same in both profiles of
 * tcp.profile; their differences must not change the law. 1% in both and 0.1% in one are part of every test
 * run, the others of the long one (meson.build). */
#include <math.h>
#include <stdlib.h>

#include "run_fixture.h"

enum { SEEDS = 30, LOSSES_MIN = 300 };

static const double factor_max = 1.3;

typedef struct law_case {
  const char *loss;
  double p;
  guint messages; /* of 64 KiB: 46 segments each, so that p * segments > 300 with room to spare */
  const char *profile;
  const char *name;
} law_case;

/* Segments: 65536 / 1428 = 45.9 for each message. 900 * 45.9 * 0.01 = 413, six standard deviations above 300;
 * the others alike. */
static const law_case cases[] = {
    {"1%", 0.01, 900, "rfc", "1% rfc"},           {"1%", 0.01, 900, "linux", "1% linux"},
    {"0.1%", 0.001, 9000, "rfc", "0.1% rfc"},     {"0.1%", 0.001, 9000, "linux", "0.1% linux"},
    {"0.01%", 0.0001, 90000, "rfc", "0.01% rfc"}, {"0.01%", 0.0001, 90000, "linux", "0.01% linux"},
};

/* Returns the goodput that the law gives, payload of ULPs: a segment of 1460 octets has 1428 of it
 * (docs/facts.md, "Exact predictions"). */
static double law_bit_per_s(double p)
{
  const double payload_octets = 1428;
  const double round_trip_s = 0.015;

  return sqrt(1.5) * payload_octets * 8 / (round_trip_s * sqrt(p));
}

static double mean_goodput(const law_case *c)
{
  double sum = 0;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    g_auto(session_result) result =
        RUN(.sets = STRINGS(setting("run.seed=%u", seed), setting("tcp.profile=%s", c->profile),
                            setting("path.forward.loss=%s", c->loss),
                            setting("workload.messages=%u", c->messages), "tcp.congestion=newreno",
                            "tcp.slow_start=standard", "tcp.receive_window=4MiB", "path.forward.rate=1Gbit/s",
                            "path.forward.delay=7.5ms", "measure.series=none"));
    g_test_message("seed %u: %.4g bit/s", seed, metric_of(&result, METRIC_GOODPUT_BIT_PER_S));
    EXPECT_METRICS(&result, (PATH_PACKETS_LOST, >=, LOSSES_MIN));
    sum += metric_of(&result, METRIC_GOODPUT_BIT_PER_S);
  }
  return sum / SEEDS;
}

EACH_TEST(test_goodput, law_case, cases)
{
  double goodput = mean_goodput(c);
  double ratio = goodput / law_bit_per_s(c->p);

  g_test_message("mean of %d seeds %.4g bit/s, law %.4g bit/s, ratio %.3f", SEEDS, goodput,
                 law_bit_per_s(c->p), ratio);
  g_assert_cmpfloat(ratio, <, factor_max);
  g_assert_cmpfloat(ratio, >, 1 / factor_max);
}
