/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests hold our TCP against ns-3's own, on the same link with matched settings (NewReno, initial
 * window 10, SACK, an ACK for every second segment, the same windows and segments; no RACK, tail loss probe,
 * PRR, HyStart), for 3 rates × 3 delays, lossless and with one loss repaired at the first try: completion
 * within 5 %, peak out-of-order octets within one segment (the hole is open for one round trip); by the RFCs,
 * and with the keys that tcp.profile = linux sets. `test_tcp_comparison --verbose` prints the table. */
#include "../../bench/tcp_comparison.h"

#include <string.h>

#include "fields.h"
#include "ns3_tcp_bulk.h"

static const char *documented;

static void assert_matches(const tcp_comparison *comparison, const tcp_comparison_result *ours,
                           const tcp_comparison_result *theirs)
{
  uint64_t lost = comparison->loses ? 1 : 0;

  g_assert_cmpint(ABS(ours->finished - theirs->finished), <=, theirs->finished / 20);
  g_assert_cmpint(ABS((int64_t)(ours->out_of_order_peak_octets - theirs->out_of_order_peak_octets)), <=,
                  TCP_COMPARISON_EMSS_OCTETS);
  /* An ns-3 run with a timeout or a spurious retransmission would prove nothing (docs/facts.md, "ns-3 3.37"):
   * there is none. */
  EXPECT_FIELDS(theirs, (timeouts, 0), (retransmissions, lost));
  EXPECT_FIELDS(ours, (timeouts, 0), (retransmissions, lost));
  if (comparison->loses) {
    g_assert_cmpuint(theirs->out_of_order_peak_octets, >=, 3 * TCP_COMPARISON_EMSS_OCTETS);
  } else {
    g_assert_cmpuint(theirs->out_of_order_peak_octets, ==, 0);
  }
}

/* Compares the half of the table that starts with row `first`, for one kind of loss; docs/tcp-comparison.md
 * has the same rows for our TCP with the keys of the RFCs. */
static void compare(unsigned first, bool as_linux)
{
  g_test_message("%s", tcp_comparison_head());
  for (unsigned i = first; i < first + TCP_COMPARISON_CASES / 2; i++) {
    tcp_comparison comparison = tcp_comparison_of(i);
    comparison.as_linux = as_linux;
    const tcp_comparison_result ours = tcp_comparison_run(&comparison, false);
    const tcp_comparison_result theirs = tcp_comparison_run(&comparison, true);
    g_autofree char *row = tcp_comparison_row(&comparison, &ours, &theirs);
    g_test_message("%s", row);
    assert_matches(&comparison, &ours, &theirs);
    if (!as_linux && !strstr(documented, row)) {
      g_test_message("docs/tcp-comparison.md lacks this row: %s", row);
      g_test_fail();
    }
  }
}

static void test_lossless(gconstpointer as_linux)
{
  compare(0, as_linux != NULL);
}

static void test_one_loss(gconstpointer as_linux)
{
  compare(TCP_COMPARISON_CASES / 2, as_linux != NULL);
}

/* Checks that ns-3 behaves under our layers as it does alone: its own applications, devices and error model,
 * without any code of ours, take the same time for the same transfer, within one per mille. 100 Mbit/s and 1
 * ms, then 1 Gbit/s and 1 ms, lossless and not. */
static void test_ns3_alone(void)
{
  static const unsigned cases[] = {1, 4, 10, 13};

  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    const tcp_comparison comparison = tcp_comparison_of(cases[i]);
    const tcp_comparison_result under_us = tcp_comparison_run(&comparison, true);
    ns3_tcp_bulk_config config;
    ns3_tcp_bulk_result alone;
    ns3_shim_error error;
    ns3_tcp_bulk_config_init(&config, tcp_comparison_octets(&comparison), comparison.rate_bit_per_s,
                             comparison.delay_ps, 1500);
    config.segment_octets = TCP_COMPARISON_EMSS_OCTETS;
    config.buffer_octets = (uint32_t)tcp_comparison_window_octets(&comparison);
    config.timestamps = false;
    config.prr = false;
    config.congestion = NS3_TCP_BULK_LINUX_RENO;
    config.lost_segment = tcp_comparison_lost_segment(&comparison);
    g_assert_true(ns3_tcp_bulk_run(&config, &alone, &error));
    g_test_message("alone %.6f ms, under us %.6f ms", time_ps_in_seconds(alone.finished) * 1000,
                   time_ps_in_seconds(under_us.finished) * 1000);
    g_assert_cmpuint(alone.octets_received, ==, config.octets);
    g_assert_cmpint(ABS(alone.finished - under_us.finished), <=, alone.finished / 1000);
  }
}

int main(int argc, char **argv)
{
  g_autofree char *text = NULL;

  g_test_init(&argc, &argv, NULL);
  g_assert_true(g_file_get_contents(TCP_COMPARISON_DOCUMENT, &text, NULL, NULL));
  documented = text;
  g_test_add_data_func("/tcp-comparison/rfc/lossless", NULL, test_lossless);
  g_test_add_data_func("/tcp-comparison/rfc/one-loss", NULL, test_one_loss);
  g_test_add_data_func("/tcp-comparison/linux/lossless", "linux", test_lossless);
  g_test_add_data_func("/tcp-comparison/linux/one-loss", "linux", test_one_loss);
  g_test_add_func("/tcp-comparison/ns-3-alone", test_ns3_alone);
  return g_test_run();
}
