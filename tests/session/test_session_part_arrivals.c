/* SPDX-License-Identifier: GPL-2.0-only */
/* What is remembered comes back, once, whatever the order in which segments come and go. */
#include "session/session_part_arrivals.h"

#include <glib.h>

static void test_nothing(void)
{
  session_part_arrivals *arrivals = session_part_arrivals_new();
  uint64_t token = 0;
  time_ps arrival;
  uint32_t octets;

  g_assert_false(session_part_arrivals_take(arrivals, &token, &arrival, &octets));
  session_part_arrivals_free(arrivals);
}

/* 64 segments of up to 9 parts, of which some wait while others come and go: the sums of what each gets back are those it gave, and the
 * places are as many as the most there were at once. */
static void test_any_order(void)
{
  enum { SEGMENTS = 64, STEPS = 20000 };
  session_part_arrivals *arrivals = session_part_arrivals_new();
  GRand *random = g_rand_new_with_seed(20261121);
  uint64_t tokens[SEGMENTS] = {0};
  int64_t times[SEGMENTS] = {0};
  uint32_t sums[SEGMENTS] = {0};
  uint32_t counts[SEGMENTS] = {0};
  uint32_t remembered = 0, most = 0;
  uint64_t highest = 0; /* token: places are numbered from 1 on */

  for (int i = 0; i < STEPS; i++) {
    int segment = g_rand_int_range(random, 0, SEGMENTS);
    time_ps arrival;
    uint32_t octets;
    if (counts[segment] < 9 && g_rand_boolean(random)) {
      arrival = g_rand_int_range(random, 0, 1000000);
      octets = (uint32_t)g_rand_int_range(random, 1, 9000);
      session_part_arrivals_add(arrivals, &tokens[segment], arrival, octets);
      times[segment] += arrival;
      sums[segment] += octets;
      counts[segment]++;
      remembered++;
      most = MAX(most, remembered);
      highest = MAX(highest, tokens[segment]);
      continue;
    }
    while (session_part_arrivals_take(arrivals, &tokens[segment], &arrival, &octets)) {
      times[segment] -= arrival;
      sums[segment] -= octets;
      counts[segment]--;
      remembered--;
    }
    g_assert_cmpint(times[segment], ==, 0);
    g_assert_cmpuint(sums[segment], ==, 0);
    g_assert_cmpuint(counts[segment], ==, 0);
  }
  g_assert_cmpuint(highest, ==, most);
  g_rand_free(random);
  session_part_arrivals_free(arrivals);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session-part-arrivals/nothing", test_nothing);
  g_test_add_func("/session-part-arrivals/any-order", test_any_order);
  return g_test_run();
}
