/* SPDX-License-Identifier: GPL-2.0-only */
/* The octets that have arrived and have not been passed up, and when each of them first came. */
#include "shim/ns3_tcp_arrivals.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ns3_tcp_arrivals, ns3_tcp_arrivals_free)

static void assert_first(const ns3_tcp_arrivals *arrivals, uint64_t position, uint64_t length,
                         uint64_t expected, time_ps expected_arrival)
{
  time_ps arrival;

  g_assert_cmpuint(ns3_tcp_arrivals_first(arrivals, position, length, 1000, &arrival), ==, expected);
  g_assert_cmpint(arrival, ==, expected_arrival);
}

/* Segments [10, 20) at 1, [30, 40) at 2, [20, 30) at 3: passed up from 10 on, each has its own time, whatever
 * the order of arrival. */
TEST(test_each_has_its_time)
{
  g_autoptr(ns3_tcp_arrivals) arrivals = ns3_tcp_arrivals_new();

  ns3_tcp_arrivals_add(arrivals, 10, 20, 1);
  ns3_tcp_arrivals_add(arrivals, 30, 40, 2);
  g_assert_cmpuint(range_set_count(arrivals->received), ==, 2);
  ns3_tcp_arrivals_add(arrivals, 20, 30, 3);
  g_assert_cmpuint(range_set_count(arrivals->received), ==, 1);
  assert_first(arrivals, 10, 30, 10, 1);
  ns3_tcp_arrivals_pass(arrivals, 15);
  assert_first(arrivals, 15, 25, 5, 1);
  ns3_tcp_arrivals_pass(arrivals, 20);
  assert_first(arrivals, 20, 20, 10, 3);
  assert_first(arrivals, 20, 4, 4, 3);
  ns3_tcp_arrivals_pass(arrivals, 30);
  assert_first(arrivals, 30, 10, 10, 2);
  ns3_tcp_arrivals_pass(arrivals, 40);
  g_assert_cmpuint(range_set_total(arrivals->received), ==, 0);
}

/* What came before keeps its time; what was never reported counts as arriving now. */
TEST(test_duplicates_and_strangers)
{
  g_autoptr(ns3_tcp_arrivals) arrivals = ns3_tcp_arrivals_new();

  ns3_tcp_arrivals_add(arrivals, 10, 20, 1);
  ns3_tcp_arrivals_add(arrivals, 10, 20, 2);
  ns3_tcp_arrivals_add(arrivals, 12, 15, 3);
  assert_first(arrivals, 5, 10, 5, 1000);
  assert_first(arrivals, 10, 50, 10, 1);
  ns3_tcp_arrivals_pass(arrivals, 20);
  assert_first(arrivals, 20, 7, 7, 1000);
}
