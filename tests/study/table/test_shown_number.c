/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the digits and units that people are shown. */
#include "study/table/shown_number.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct scale_case {
  const char *unit;
  double largest;
  const char *shown;
  double factor;
} scale_case;

/* Octets change unit at ten of the next, the others at one. */
static const scale_case scales[] = {
    {"octets", 10239, "octets", 1},
    {"octets", 10240, "KiB", 1024},
    {"octets", 10.0 * 1024 * 1024 - 1, "KiB", 1024},
    {"octets", 10.0 * 1024 * 1024, "MiB", 1048576},
    {"octets", 10.0 * 1024 * 1024 * 1024 - 1, "MiB", 1048576},
    {"octets", 10.0 * 1024 * 1024 * 1024, "GiB", 1073741824},
    {"octets", -20480, "KiB", 1024},
    {"octets", 0, "octets", 1},
    {"bit/s", 9.4e9, "Gbit/s", 1e9},
    {"bit/s", 9.4e8, "Mbit/s", 1e6},
    {"bit/s", 500, "bit/s", 1},
    {"s", 2, "s", 1},
    {"s", 0.5, "ms", 1e-3},
    {"s", 51e-6, "µs", 1e-6},
    {"s", 3e-9, "ns", 1e-9},
    {"s", 0, "s", 1},
    {"1", 0.93, "%", 0.01},
    {"1", 0, "%", 0.01},
    {"segments", 12345678, "segments", 1},
};

TEST(test_scales)
{
  for (gsize i = 0; i < G_N_ELEMENTS(scales); i++) {
    shown_scale scale = shown_scale_for(scales[i].unit, scales[i].largest);
    g_assert_cmpstr(scale.unit, ==, scales[i].shown);
    g_assert_cmpfloat(scale.factor, ==, scales[i].factor);
  }
}

typedef struct number_case {
  double value;
  double half_width;
  double factor;
  const char *shown;
  const char *shown_half_width;
} number_case;

static const number_case numbers[] = {
    {1234.5678, 35.2, 1, "1235", "35"},        /* two digits of 35.2 end at the units */
    {1234.5678, 3.52, 1, "1234.6", "3.5"},     /* … of 3.52 at the tenths */
    {1234.5678, 0.04, 1, "1234.568", "0.040"}, /* … of 0.040 at the thousandths */
    {1234.5678, 352, 1, "1235", "352"},        /* never coarser than units */
    {2048, 1024, 1024, "2.0", "1.0"},          /* both divided by the factor */
    {0.5, 1e-9, 1, "0.500", "0.000"},          /* three decimals at most */
    {1234.5678, NAN, 1, "1235", ""},           /* no interval: four digits */
    {12.3, 0, 1, "12.3", "0"},                 /* an interval of no width */
    {0, NAN, 1, "0", ""},
    {0.0012345, NAN, 1, "0.001", ""},
    {-12.5, 0.5, 1, "\u221212.50", "0.50"},
    {-0.04, 3, 1, "0.0", "3.0"}, /* no minus before zeros */
    {100, NAN, 1, "100", ""},    /* zeros before the point stay */
};

TEST(test_numbers)
{
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    const shown_scale scale = {.factor = numbers[i].factor, .unit = ""};
    const double width = numbers[i].half_width;
    g_autofree char *number = shown_number_of(numbers[i].value, width, &scale);
    g_autofree char *shown_width = isnan(width) ? g_strdup("") : shown_number_of(width, width, &scale);
    g_assert_cmpstr(number, ==, numbers[i].shown);
    g_assert_cmpstr(shown_width, ==, numbers[i].shown_half_width);
  }
}

/* A hostile store may hold any double; the texts stay texts. */
TEST(test_huge)
{
  const shown_scale scale = {.factor = 1e-9, .unit = ""};
  static const double values[] = {1.7e308, -1.7e308, 5e-324, INFINITY, NAN};
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree char *text = shown_number_text(values[i], &scale);
    g_assert_cmpuint(strlen(text), >, 0);
  }
}

/* "5" gets a blank for the point and two for the digits that "−0.25" has and it has not. */
TEST(test_align)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  static const char *const before[] = {"12.5", "5", "\u22120.25", "", "none"};
  static const char *const after[] = {"12.5 ", "5   ", "\u22120.25", "", "none"};
  for (gsize i = 0; i < G_N_ELEMENTS(before); i++) {
    g_ptr_array_add(texts, g_strdup(before[i]));
  }
  shown_number_align(texts, 0, 1);
  for (gsize i = 0; i < G_N_ELEMENTS(after); i++) {
    g_assert_cmpstr(g_ptr_array_index(texts, i), ==, after[i]);
  }
}

/* Whole numbers among themselves need no blanks. */
TEST(test_align_whole)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(texts, g_strdup("5"));
  g_ptr_array_add(texts, g_strdup("1234"));
  shown_number_align(texts, 0, 1);
  g_assert_cmpstr(g_ptr_array_index(texts, 0), ==, "5");
}

static void expect_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

/* 1536 = 1.5 · 1024; 126464 = 123.5 · 1024. */
TEST(test_octets)
{
  expect_text(shown_text_octets(0), "0");
  expect_text(shown_text_octets(512), "512");
  expect_text(shown_text_octets(1024), "1 KiB");
  expect_text(shown_text_octets(1536), "1.5 KiB");
  expect_text(shown_text_octets(126464), "123.5 KiB");
  expect_text(shown_text_octets(1048576), "1 MiB");
  expect_text(shown_text_octets(3221225472.0), "3 GiB");
}

/* A title may hold anything: it stays on one line of a terminal, and steers none. */
TEST(test_line)
{
  expect_text(shown_text_line("a\nb"), "a\\nb");
  expect_text(shown_text_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  expect_text(shown_text_line("  two  "), "two");
  expect_text(shown_text_line("\xff"), "\\xff");
  expect_text(shown_text_line(""), "");
}
