#include "base/time_ps.h"

#include <glib.h>

/* facts.md: 1500 octets and 2 of framing at 10 Gbit/s take 1502 · 800 ps; an octet at 400 Gbit/s 20 ps. */
static void test_exact(void)
{
  g_assert_cmpint(time_ps_to_send(1502, UINT64_C(10000000000)), ==, 1201600);
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(400000000000)), ==, 20);
  g_assert_cmpint(time_ps_to_send(0, 1), ==, 0);
  /* 8 bit at 1 bit/s. */
  g_assert_cmpint(time_ps_to_send(1, 1), ==, 8 * TIME_PS_PER_SECOND);
}

static void test_rounds_as_ns3(void)
{
  /* One octet at 16 Tbit/s: 0.5 ps; three: 1.5 ps. 5e-13 s has no end in binary, so 64 digits of it are less than a half. */
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(16000000000000)), ==, 0);
  g_assert_cmpint(time_ps_to_send(3, UINT64_C(16000000000000)), ==, 1);
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(15000000000000)), ==, 1);
  /* 62.5 ps, measured in ns-3 3.37. */
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(128000000000)), ==, 62);
  /* 8 · 10^12 / 3 = 2,666,666,666,666.67; 8 · 10^12 / 7 = 1,142,857,142,857.14. */
  g_assert_cmpint(time_ps_to_send(1, 3), ==, INT64_C(2666666666667));
  g_assert_cmpint(time_ps_to_send(1, 7), ==, INT64_C(1142857142857));
}

/* At 8 Tbit/s an octet is a picosecond, so the limit can be met to the octet. */
static void test_saturates(void)
{
  uint64_t rate = UINT64_C(8000000000000);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x7FFFFFFFFFFFFFFE), rate), ==, TIME_PS_NEVER - 1);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x7FFFFFFFFFFFFFFF), rate), ==, TIME_PS_NEVER);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x8000000000000000), rate), ==, TIME_PS_NEVER);
  g_assert_cmpint(time_ps_to_send(UINT64_MAX, 1), ==, TIME_PS_NEVER);
  /* The fastest rate there can be: 2^64 - 1 octets in 8 s. */
  g_assert_cmpint(time_ps_to_send(UINT64_MAX, UINT64_MAX), ==, 8 * TIME_PS_PER_SECOND);
}

static void test_seconds_and_earlier(void)
{
  /* Quotients of two exact doubles, so the nearest double to the decimal number. */
  g_assert_cmpfloat(time_ps_in_seconds(26201600), ==, 26.2016e-6);
  g_assert_cmpfloat(time_ps_in_seconds(3 * TIME_PS_PER_SECOND / 2), ==, 1.5);
  g_assert_cmpint(time_ps_earlier(5, 7), ==, 5);
  g_assert_cmpint(time_ps_earlier(TIME_PS_NEVER, 7), ==, 7);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/time_ps/exact", test_exact);
  g_test_add_func("/time_ps/rounds-as-ns3", test_rounds_as_ns3);
  g_test_add_func("/time_ps/saturates", test_saturates);
  g_test_add_func("/time_ps/seconds-and-earlier", test_seconds_and_earlier);
  return g_test_run();
}
