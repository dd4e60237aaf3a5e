#include <glib.h>

#include "tcp/tcp_congestion.h"

enum { SMSS = 1460 };

static tcp_congestion *with_segments(unsigned count)
{
  return tcp_congestion_new(SMSS, (uint64_t)count * SMSS);
}

/* Slow start: what is acknowledged, at most 2 SMSS an ACK (RFC 3465 §2.2, L = 2), 1 SMSS after a time-out
 * (§2.3). */
static void test_slow_start(void)
{
  tcp_congestion *congestion = with_segments(10);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 14600);
  g_assert_cmpuint(tcp_congestion_threshold_octets(congestion), ==, UINT64_MAX);
  tcp_congestion_grow(congestion, 100, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 14700);
  tcp_congestion_grow(congestion, 2 * SMSS, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 17620); /* 14700 + 2920 */
  tcp_congestion_grow(congestion, 10 * SMSS, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 20540); /* + 2920 */
  tcp_congestion_grow(congestion, 10 * SMSS, true);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 22000); /* + 1460 */
  tcp_congestion_free(congestion);
}

/* Congestion avoidance: 1 SMSS for each window of octets (RFC 3465 §2.1). Half of 20 SMSS in flight is 10
 * SMSS. */
static void test_congestion_avoidance(void)
{
  tcp_congestion *congestion = with_segments(20);
  tcp_congestion_halve(congestion, 20 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 10 * SMSS);
  g_assert_cmpuint(tcp_congestion_threshold_octets(congestion), ==, 10 * SMSS);
  for (unsigned i = 0; i < 9; i++) {
    tcp_congestion_grow(congestion, SMSS, false);
  }
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 10 * SMSS);
  tcp_congestion_grow(congestion, SMSS, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 11 * SMSS);
  tcp_congestion_grow(congestion, 11 * SMSS - 1, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 11 * SMSS);
  tcp_congestion_grow(congestion, 1, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 12 * SMSS);
  tcp_congestion_grow(congestion, 12 * SMSS + 500, false); /* 500 are left over for the next segment */
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 13 * SMSS);
  tcp_congestion_grow(congestion, 13 * SMSS - 500, false);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 14 * SMSS);
  tcp_congestion_free(congestion);
}

/* Never below 2 SMSS (RFC 5681 equation 4). */
static void test_halve_has_a_floor(void)
{
  tcp_congestion *congestion = with_segments(10);
  tcp_congestion_halve(congestion, 3 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 2 * SMSS);
  tcp_congestion_free(congestion);
}

/* RFC 6582 §3.2: 10 in flight, third duplicate: ssthresh 5, window 5 + 3; one more: 9; a partial ACK of 4:
 * 9 - 4 + 1 = 6; the full ACK leaves min(5, max(2, 1) + 1) = 3 when 2 are in flight. */
static void test_newreno(void)
{
  tcp_congestion *congestion = with_segments(10);
  tcp_congestion_halve(congestion, 10 * SMSS);
  tcp_congestion_inflate(congestion, 3 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 8 * SMSS);
  tcp_congestion_inflate(congestion, SMSS);
  tcp_congestion_deflate(congestion, 4 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 6 * SMSS);
  tcp_congestion_deflate(congestion, 100); /* less than a segment: nothing is added back */
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 6 * SMSS - 100);
  tcp_congestion_end_inflation(congestion, 2 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 3 * SMSS);
  tcp_congestion_end_inflation(congestion, 20 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 5 * SMSS);
  tcp_congestion_deflate(congestion, 50 * SMSS); /* never below one segment */
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, SMSS);
  tcp_congestion_free(congestion);
}

/* RFC 5681 §3.1: the loss window is 1 SMSS; the threshold stays at the second time-out in a row. */
static void test_collapse(void)
{
  tcp_congestion *congestion = with_segments(10);
  tcp_congestion_collapse(congestion, 12 * SMSS, true);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, SMSS);
  g_assert_cmpuint(tcp_congestion_threshold_octets(congestion), ==, 6 * SMSS);
  tcp_congestion_collapse(congestion, SMSS, false);
  g_assert_cmpuint(tcp_congestion_threshold_octets(congestion), ==, 6 * SMSS);
  tcp_congestion_free(congestion);
}

/* RFC 1191 §6.4: a new path MTU is no sign of congestion. The window keeps its octets, and grows by the
 * new SMSS; one segment always fits. */
static void test_smss_changes(void)
{
  tcp_congestion *congestion = with_segments(10);
  tcp_congestion_set_smss(congestion, SMSS / 2);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 10 * SMSS);
  tcp_congestion_grow(congestion, 5 * SMSS, false); /* slow start: by at most 2 of the new SMSS */
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 11 * SMSS);
  tcp_congestion_set_smss(congestion, 12 * SMSS);
  g_assert_cmpuint(tcp_congestion_window_octets(congestion), ==, 12 * SMSS);
  tcp_congestion_free(congestion);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/congestion/slow_start", test_slow_start);
  g_test_add_func("/tcp/congestion/congestion_avoidance", test_congestion_avoidance);
  g_test_add_func("/tcp/congestion/halve_has_a_floor", test_halve_has_a_floor);
  g_test_add_func("/tcp/congestion/newreno", test_newreno);
  g_test_add_func("/tcp/congestion/collapse", test_collapse);
  g_test_add_func("/tcp/congestion/smss_changes", test_smss_changes);
  return g_test_run();
}
