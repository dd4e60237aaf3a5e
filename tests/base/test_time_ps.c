/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/time_ps.h"

#include "base/numbers.h"
#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

/* docs/facts.md, "A link's times": 1500 octets and 2 of framing at 10 Gbit/s take 1502 · 800 ps; an octet at
 * 400 Gbit/s 20 ps. */
TEST(test_exact)
{
  g_assert_cmpint(time_ps_to_send(1502, UINT64_C(10000000000)), ==, 1201600);
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(400000000000)), ==, 20);
  g_assert_cmpint(time_ps_to_send(0, 1), ==, 0);
  /* 8 bit at 1 bit/s. */
  g_assert_cmpint(time_ps_to_send(1, 1), ==, 8 * TIME_PS_PER_SECOND);
}

TEST(test_rounds_as_ns3)
{
  /* One octet at 16 Tbit/s: 0.5 ps; three: 1.5 ps. 5e-13 s has no end in binary, so 64 digits of it are less
   * than a half. */
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(16000000000000)), ==, 0);
  g_assert_cmpint(time_ps_to_send(3, UINT64_C(16000000000000)), ==, 1);
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(15000000000000)), ==, 1);
  /* 2^-13 s is 122,070,312.5 ps, and 64 digits hold it. */
  g_assert_cmpint(time_ps_to_send(1, 65536), ==, 122070313);
  /* 62.5 ps, measured in ns-3 3.37. */
  g_assert_cmpint(time_ps_to_send(1, UINT64_C(128000000000)), ==, 62);
  /* 8 · 10^12 / 3 = 2,666,666,666,666.67; 8 · 10^12 / 7 = 1,142,857,142,857.14. */
  g_assert_cmpint(time_ps_to_send(1, 3), ==, INT64_C(2666666666667));
  g_assert_cmpint(time_ps_to_send(1, 7), ==, INT64_C(1142857142857));
}

/* ns-3's arithmetic, digit by digit: seconds with 64 binary digits, cut off, times 10^12, rounded half up. */
static time_ps reference(uint64_t octets, uint64_t rate)
{
  uint128 rest = (uint128)octets * 8 % rate;
  uint128 whole = (uint128)octets * 8 / rate;
  uint64_t digits = 0;
  for (int digit = 0; digit < 64; digit++) {
    rest *= 2;
    digits = digits << 1 | (rest >= rate);
    rest -= rest >= rate ? rate : 0;
  }
  uint128 time = whole * 1000000000000U + (((uint128)digits * 1000000000000U + ((uint128)1 << 63)) >> 64);
  return time < (uint128)TIME_PS_NEVER ? (time_ps)time : TIME_PS_NEVER;
}

static void check_as_reference(uint64_t octets, uint64_t rate)
{
  time_ps expected = reference(octets, rate);
  if (time_ps_to_send(octets, rate) != expected) {
    g_error("%" G_GUINT64_FORMAT " octets at %" G_GUINT64_FORMAT " bit/s: not %" G_GINT64_FORMAT, octets,
            rate, expected);
  }
}

/* Times that are about half a picosecond over a whole one: 8 · 10^12 · octets / rate = n + 1/2, so rate = 16
 * · 10^12 · octets / (2 n + 1), and the rates beside it. */
static void check_about_a_half(uint64_t octets, uint64_t whole)
{
  uint64_t rate = (uint64_t)((uint128)octets * 16000000000000U / (2 * (uint128)whole + 1));
  for (uint64_t beside = 0; beside < 5 && rate + beside > 2; beside++) {
    check_as_reference(octets, rate + beside - 2);
  }
}

/* These are numbers of all magnitudes, and those next to where the arithmetic changes: a product that just
 * fits 64 bits, and exact halves. */
TEST(test_as_ns3_for_all_magnitudes)
{
  g_autoptr(random_stream) random = random_stream_new(1, "time_ps");
  for (int round = 0; round < 100000; round++) {
    uint64_t octets = random_stream_next(random) >> random_stream_below(random, 64);
    uint64_t rate = random_stream_next(random) >> random_stream_below(random, 63);
    check_as_reference(octets, MAX(rate, 1));
    check_as_reference(octets % 65536, MAX(rate, 1));
    check_about_a_half(1 + octets % 65535, random_stream_next(random) >> random_stream_below(random, 64));
  }
  for (uint64_t octets = 2305842; octets <= 2305844; octets++) { /* 2^64 / 8 / 10^12 = 2,305,843.009 */
    check_as_reference(octets, 1);
    check_as_reference(octets, 2);
    check_as_reference(octets, 3);
    check_as_reference(octets, UINT64_MAX);
  }
}

/* At 8 Tbit/s an octet is a picosecond, so the limit can be met to the octet. */
TEST(test_saturates)
{
  uint64_t rate = UINT64_C(8000000000000);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x7FFFFFFFFFFFFFFE), rate), ==, TIME_PS_NEVER - 1);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x7FFFFFFFFFFFFFFF), rate), ==, TIME_PS_NEVER);
  g_assert_cmpint(time_ps_to_send(UINT64_C(0x8000000000000000), rate), ==, TIME_PS_NEVER);
  g_assert_cmpint(time_ps_to_send(UINT64_MAX, 1), ==, TIME_PS_NEVER);
  /* The fastest rate there can be: 2^64 - 1 octets in 8 s. */
  g_assert_cmpint(time_ps_to_send(UINT64_MAX, UINT64_MAX), ==, 8 * TIME_PS_PER_SECOND);
}

TEST(test_seconds_and_earlier)
{
  /* Quotients of two exact doubles, so the nearest double to the decimal number. */
  g_assert_cmpfloat(time_ps_in_seconds(26201600), ==, 26.2016e-6);
  g_assert_cmpfloat(time_ps_in_seconds(3 * TIME_PS_PER_SECOND / 2), ==, 1.5);
  g_assert_cmpint(time_ps_earlier(5, 7), ==, 5);
  g_assert_cmpint(time_ps_earlier(TIME_PS_NEVER, 7), ==, 7);
}
