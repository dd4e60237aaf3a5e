/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/units.h"

#include <locale.h>

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "string_list.h"
#include "test.h"

typedef struct accepted {
  const char *text;
  uint64_t value;
} accepted;

typedef bool parser(const char *text, uint64_t *value);

static bool parse_time(const char *text, uint64_t *value)
{
  time_ps time = (time_ps)*value;
  bool good = units_parse_time(text, &time);

  *value = (uint64_t)time;
  return good;
}

static void expect_accepted(parser *parse, const accepted *rows, size_t count)
{
  for (size_t index = 0; index < count; index++) {
    uint64_t result = UINT64_MAX;
    g_test_message("%s", rows[index].text);
    g_assert_true(parse(rows[index].text, &result));
    g_assert_cmpuint(result, ==, rows[index].value);
  }
}

/* A refused text must leave this as it was. */
#define UNTOUCHED 4711

static void expect_refused(parser *parse, const char *const *texts)
{
  for (; *texts != NULL; texts++) {
    uint64_t result = UNTOUCHED;
    g_test_message("%s", *texts);
    g_assert_false(parse(*texts, &result));
    g_assert_cmpuint(result, ==, UNTOUCHED);
  }
}

TEST(test_time)
{
  static const accepted times[] = {{"25us", 25000000},
                                   {"2.5us", 2500000},
                                   {"1ps", 1},
                                   {"0.001ns", 1},
                                   {"1.50ms", 1500000000},
                                   {"1s", UINT64_C(1000000000000)},
                                   {"0.000000000001s", 1},
                                   {"2min", UINT64_C(120000000000000)},
                                   {"0.5 min", UINT64_C(30000000000000)},
                                   {"0", 0},
                                   {"0.0", 0},
                                   {"0s", 0},
                                   {"  25 us\t", 25000000},
                                   {"007ns", 7000},
                                   {"9223372036854775807ps", INT64_MAX},
                                   {"9223372.036854775807s", INT64_MAX},
                                   {"1.000000000000000000000000000000000000000000000000ns", 1000}};

  expect_accepted(parse_time, times, G_N_ELEMENTS(times));
  expect_refused(parse_time, STRINGS("", " ", "us", "25", "1", "-1us", "+1us", "25 fs", "1fs", "25US", "25u",
                                     "25us s", "2 5us", "25  us", "0.5ps", "1e3us", ".5us", "5.us", "1.2.3s",
                                     "0x10us", "nanus", "infs", "25us;", "0.0000000000001s", "0.1", "--",
                                     "1,5us", "1h", "9223372036854775808ps", "9223372.036854775808s",
                                     "18446744073709551616ps", "99999999999999999999999999999min",
                                     "0.00000000000000000000000000000000000000000000000001s"));
}

TEST(test_rate)
{
  static const accepted rates[] = {{"10Gbit/s", UINT64_C(10000000000)},
                                   {"2.5 Gbit/s", UINT64_C(2500000000)},
                                   {"1bit/s", 1},
                                   {"9600bit/s", 9600},
                                   {"0.4Tbit/s", UINT64_C(400000000000)},
                                   {"100Mbit/s", 100000000},
                                   {"56.6kbit/s", 56600}};

  expect_accepted(units_parse_rate, rates, G_N_ELEMENTS(rates));
  expect_refused(units_parse_rate,
                 STRINGS("0bit/s", "0", "10", "10Gb/s", "10gbit/s", "10Gbit", "10 Gbit /s", "0.5bit/s",
                         "-1bit/s", "10GBit/s", "", "1.0005kbit/s x", "18446745Tbit/s"));
}

TEST(test_size)
{
  static const accepted sizes[] = {{"65536", 65536},
                                   {"64KiB", 65536},
                                   {"64 KiB", 65536},
                                   {"64kB", 64000},
                                   {"100B", 100},
                                   {"1MB", 1000000},
                                   {"1MiB", 1048576},
                                   {"1.5GiB", UINT64_C(1610612736)},
                                   {"2GB", UINT64_C(2000000000)},
                                   {"0", 0},
                                   {"0B", 0},
                                   {"18446744073709551615", UINT64_MAX},
                                   /* 2^-30 to its last digit: the longest fraction there can be. */
                                   {"0.000000000931322574615478515625GiB", 1},
                                   {"0.999999999068677425384521484375GiB", 1073741823}};

  expect_accepted(units_parse_size, sizes, G_N_ELEMENTS(sizes));
  expect_refused(units_parse_size, STRINGS("", "KiB", "64kb", "64KB", "64K", "1.5", "0.5B", "-1", "1e3",
                                           "64 KiB 3", "0.3KiB", "1.0001kB", "18446744073709551616",
                                           "17179869184GiB", "0.0000000009313225746154785156GiB"));
}

TEST(test_probability)
{
  /* Compared with C's reading of the same decimal number: the nearest double, not a hundredth of a rounded
   * one. */
  static const struct {
    const char *text;
    double value;
  } probabilities[] = {
      {"0.1%", 0.001},   {"0.001", 0.001}, {"0", 0},       {"0%", 0},       {"1", 1},
      {"100%", 1},       {"50 %", 0.5},    {"1e-6", 1e-6}, {"1e-4%", 1e-6}, {"0.29%", 0.0029},
      {"0.57%", 0.0057}, {" 7% ", 0.07},   {"1.000", 1},   {"0.5e0", 0.5},  {"1e-9999", 0},
  };
  static const char *const refused[] = {"",    "%",      "1.1",   "100.1%",  "-0.1", "-0", "nan",
                                        "inf", "0x1p-3", "0.1%%", "1 1",     "5  %", "1e", "1e-",
                                        ".5",  "2",      "1e1",   "1e99999", "0.5x", "0,5"};
  for (size_t index = 0; index < G_N_ELEMENTS(probabilities); index++) {
    double result = -1;
    g_test_message("%s", probabilities[index].text);
    g_assert_true(units_parse_probability(probabilities[index].text, &result));
    g_assert_cmpfloat(result, ==, probabilities[index].value);
  }
  for (size_t index = 0; index < G_N_ELEMENTS(refused); index++) {
    double result = UNTOUCHED;
    g_test_message("%s", refused[index]);
    g_assert_false(units_parse_probability(refused[index], &result));
    g_assert_cmpfloat(result, ==, UNTOUCHED);
  }
}

static void assert_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

TEST(test_format)
{
  assert_text(units_format_time(0), "0");
  assert_text(units_format_time(25000000), "25us");
  assert_text(units_format_time(2500000), "2.5us");
  assert_text(units_format_time(26201600), "26.2016us");
  /* 100 ns and 0.1 us are equally short: no point. */
  assert_text(units_format_time(100000), "100ns");
  assert_text(units_format_time(60 * TIME_PS_PER_SECOND), "60s");
  assert_text(units_format_time(TIME_PS_NEVER), "9223372036854775807ps");
  assert_text(units_format_rate(UINT64_C(10000000000)), "10Gbit/s");
  assert_text(units_format_rate(UINT64_C(2500000000)), "2.5Gbit/s");
  assert_text(units_format_rate(1), "1bit/s");
  assert_text(units_format_rate(UINT64_MAX), "18446744073709551615bit/s");
  assert_text(units_format_probability(0), "0");
  assert_text(units_format_probability(-0.0), "0");
  assert_text(units_format_probability(1), "1");
  assert_text(units_format_probability(0.001), "0.1%");
  assert_text(units_format_probability(0.01), "1%");
  assert_text(units_format_probability(0.5), "50%");
  assert_text(units_format_probability(0.0029), "0.29%");
  assert_text(units_format_probability(1e-9), "1e-09");
}

/* Numbers of any length: what does not fit is refused, and zeros are only zeros. */
TEST(test_long_numbers)
{
  for (int zeros = 1; zeros < 300; zeros++) {
    uint64_t result = UNTOUCHED;
    time_ps time = UNTOUCHED;
    g_autofree char *tiny = g_strdup_printf("0.%0*dGiB", zeros + 30, 1);
    g_autofree char *huge = g_strdup_printf("1%0*dB", zeros + 20, 0);
    g_autofree char *padded = g_strdup_printf("%0*d.5%0*dus", zeros, 2, zeros, 0);
    g_assert_false(units_parse_size(tiny, &result));
    g_assert_false(units_parse_size(huge, &result));
    g_assert_cmpuint(result, ==, UNTOUCHED);
    g_assert_true(units_parse_time(padded, &time));
    g_assert_cmpint(time, ==, 2500000);
  }
}

enum { SEED = 5150 };

/* What is written is read back as the same value: a thousand values of every magnitude, most of them
 * round. */
TEST(test_read_back)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "units");
  for (unsigned round = 0; round < 1000; round++) {
    uint64_t value = random_stream_next(random) >> random_stream_below(random, 64);
    for (uint64_t zeros = random_stream_below(random, 12); zeros > 0 && value < UINT64_MAX / 10; zeros--) {
      value *= 10;
    }
    value = MAX(value, 1);
    time_ps time = -1;
    uint64_t rate = 0;
    double probability = -1;
    g_autofree char *time_text = units_format_time((time_ps)(value >> 1));
    g_autofree char *rate_text = units_format_rate(value);
    g_autofree char *probability_text = units_format_probability((double)value * 0x1p-64);
    g_test_message("seed %d: %s %s %s", SEED, time_text, rate_text, probability_text);
    g_assert_true(units_parse_time(time_text, &time));
    g_assert_cmpint(time, ==, (time_ps)(value >> 1));
    g_assert_true(units_parse_rate(rate_text, &rate));
    g_assert_cmpuint(rate, ==, value);
    g_assert_true(units_parse_probability(probability_text, &probability));
    g_assert_cmpfloat(probability, ==, (double)value * 0x1p-64);
  }
}

TEST(test_format_real)
{
  assert_text(units_format_real(0.1), "0.1");
  assert_text(units_format_real(12), "12");
  assert_text(units_format_real(-2.5), "-2.5");
  assert_text(units_format_real(1e-7), "1e-07");
  /* 16 digits, and 17: the sum is the double after the one nearest to 0.3. */
  assert_text(units_format_real(2.0 / 3), "0.6666666666666666");
  assert_text(units_format_real(0.1 + 0.2), "0.30000000000000004");
}

/* With a decimal comma in force, results and scenarios still have a point. */
TEST(test_locale)
{
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
    g_test_skip("no locale with a decimal comma here");
    return;
  }
  double probability = -1;
  assert_text(units_format_real(0.5), "0.5");
  assert_text(units_format_probability(0.125), "0.125");
  g_assert_true(units_parse_probability("0.25", &probability));
  g_assert_cmpfloat(probability, ==, 0.25);
  setlocale(LC_NUMERIC, "C");
}

/* Any octets at all: an answer, and what is accepted is written and read back alike. */
TEST(test_hostile_text)
{
  static const char alphabet[] = "0123456789..  %eE-+pnumsbitkKMGTB/s\t\xFF";
  g_autoptr(random_stream) random = random_stream_new(SEED, "hostile");
  unsigned read = 0;
  for (unsigned round = 0; round < 50000; round++) {
    char text[9] = "";
    uint64_t length = random_stream_below(random, sizeof text);
    for (uint64_t index = 0; index < length; index++) {
      text[index] = alphabet[random_stream_below(random, sizeof alphabet - 1)];
    }
    uint64_t size;
    time_ps time;
    double probability;
    read += units_parse_size(text, &size);
    if (units_parse_time(text, &time)) {
      time_ps again = -1;
      g_autofree char *written = units_format_time(time);
      g_assert_true(units_parse_time(written, &again));
      g_assert_cmpint(again, ==, time);
      read++;
    }
    if (units_parse_probability(text, &probability)) {
      g_assert_true(probability >= 0 && probability <= 1);
      read++;
    }
  }
  g_assert_cmpuint(read, >, 100);
}

TEST(test_read_real)
{
  static const struct {
    const char *text;
    double value;
    const char *rest;
  } numbers[] = {{"-2.5px", -2.5, "px"},
                 {" .5", 0.5, ""},
                 {"1e-3 %", 0.001, " %"},
                 {"+7e", 7, "e"},
                 {"1e308", 1e308, ""}};
  static const char *const others[] = {"",    "-",      ".",     "x1",     "inf",  "-inf",   "infinity",
                                       "nan", "NaN(1)", "1e400", "-1e400", "0x10", "-0X1p3", NULL};
  for (size_t index = 0; index < G_N_ELEMENTS(numbers); index++) {
    double value = UNTOUCHED;
    g_assert_cmpstr(units_read_real(numbers[index].text, &value), ==, numbers[index].rest);
    g_assert_cmpfloat(value, ==, numbers[index].value);
  }
  for (const char *const *text = others; *text != NULL; text++) {
    double value = UNTOUCHED;
    g_test_message("%s", *text);
    g_assert_null(units_read_real(*text, &value));
    g_assert_cmpfloat(value, ==, UNTOUCHED);
  }
}

/* 123500 / 1024 = 120.61. */
TEST(test_rounded)
{
  assert_text(units_format_rounded(123500, "octets"), "120.6 KiB");
  assert_text(units_format_rounded(-2048, "octets"), "-2 KiB");
  assert_text(units_format_rounded(9.29e9, "bit/s"), "9.29 Gbit/s");
  assert_text(units_format_rounded(52.4e-6, "s"), "52.4 us");
  assert_text(units_format_rounded(1023, "octets"), "");
  assert_text(units_format_rounded(5000, "segments"), "");
  /* what reaches no unit has its own, in the number that the digits show: 1.00004 is 1 octet */
  assert_text(units_format_amount(2048, "octets"), "2 KiB");
  assert_text(units_format_amount(612, "octets"), "612 octets");
  assert_text(units_format_amount(1.00004, "octets"), "1 octet");
  g_assert_cmpstr(units_counted(1, "octets"), ==, "octet");
  g_assert_cmpstr(units_counted(0, "octets"), ==, "octets");
  g_assert_cmpstr(units_counted(1.5, "octets"), ==, "octets");
  static const char *const alike[] = {"s", "ms", "bit/s", "1", "", "connection"};
  static const char *const pairs[][2] = {{"segments", "segment"},
                                         {"FPDUs", "FPDU"},
                                         {"losses", "loss"},
                                         {"recoveries", "recovery"},
                                         {"boxes", "box"},
                                         {"pauses", "pause"},
                                         {"segments out of order", "segment out of order"},
                                         {"wrong octets", "wrong octet"}};
  for (size_t i = 0; i < G_N_ELEMENTS(alike); i++) {
    g_assert_cmpstr(units_counted(1, alike[i]), ==, alike[i]);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
    g_assert_cmpstr(units_counted(1, pairs[i][0]), ==, pairs[i][1]);
    g_assert_cmpstr(units_counted(2, pairs[i][0]), ==, pairs[i][0]);
  }
}
