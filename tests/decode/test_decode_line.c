/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about text that is appended to lines, which are written out in pieces. */
#include "decode_paper.h"

/* The line ends: it is `text`. */
static void expect_line(decode_paper *f, const char *text)
{
  decode_line_text(&f->line, "\n");
  g_assert_cmpstr(decode_paper_take(f), ==, text);
}

/* These are decimal and hexadecimal digits of all values. */
FIXTURE_TEST(test_digits)
{
  decode_line_number(&f->line, "a=", 0);
  decode_line_number(&f->line, " ", 1234567890);
  decode_line_number(&f->line, " ", UINT64_MAX);
  decode_line_hex(&f->line, " b=", 0, 1);
  decode_line_hex(&f->line, " ", 0xABCDEF, 4);
  decode_line_hex(&f->line, " ", UINT64_MAX, 8);
  expect_line(f, "a=0 1234567890 18446744073709551615 b=0x00 0x00ABCDEF 0xFFFFFFFFFFFFFFFF\n");
}

/* The output is that of printf(), in lines of any length. */
FIXTURE_TEST(test_print)
{
  g_autofree char *as = g_strnfill(300 << 10, 'a'); /* more than the buffer has room for at first */
  g_autofree char *long_line = g_strconcat(as, "|1\n", NULL);

  decode_line_print(&f->line, " %s %u", "text", 7u);
  expect_line(f, " text 7\n");
  decode_line_print(&f->line, "%s|%d", as, 1);
  expect_line(f, long_line);
}

/* There are nine decimals whatever the time, of captures whose times go back too. */
FIXTURE_TEST(test_seconds)
{
  static const struct {
    int64_t time_ns;
    size_t width;
    const char *text;
  } times[] = {{0, 0, "0.000000000\n"},
               {0, 14, "   0.000000000\n"},
               {1, 0, "0.000000001\n"},
               {1234567890, 0, "1.234567890\n"},
               {-1, 0, "-0.000000001\n"},
               {-1, 14, "  -0.000000001\n"},
               {-1000000000, 12, "-1.000000000\n"},
               {INT64_MAX, 0, "9223372036.854775807\n"},
               {INT64_MIN, 14, "-9223372036.854775808\n"}};

  for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
    decode_line_seconds(&f->line, times[i].time_ns, times[i].width);
    expect_line(f, times[i].text);
  }
}

/* A column is reached by blanks, by one when the text is already there or beyond. */
FIXTURE_TEST(test_columns)
{
  for (int i = 0; i < 2; i++) { /* columns count from each line's own start */
    decode_line_text(&f->line, "ab");
    decode_line_column(&f->line, 5);
    decode_line_text(&f->line, "c");
    decode_line_column(&f->line, 6);
    decode_line_text(&f->line, "d");
    decode_line_column(&f->line, 3);
    expect_line(f, "ab   c d \n");
  }
}

/* Hostile octets come out as what they are in hexadecimal digits. */
FIXTURE_TEST(test_octets)
{
  static const uint8_t octets[] = {0x00, 'A', '~', 0x7F, 0x80, 0xFF, '\n'};

  decode_line_dump(&f->line, octets, sizeof octets, "");
  decode_line_text(&f->line, " ");
  decode_line_dump(&f->line, octets, 2, ", ");
  decode_line_dump(&f->line, octets, 0, ", ");
  expect_line(f, "00417E7F80FF0A 00, 41\n");
}

/* The caller may empty the text between lines, where columns begin anew. */
FIXTURE_TEST(test_text_of_caller)
{
  decode_line_text(&f->line, "a long line");
  decode_line_text(&f->line, "\n");
  g_string_truncate(f->text, 0);
  decode_line_column(&f->line, 3);
  decode_line_text(&f->line, "b");
  expect_line(f, "   b\n");
}
