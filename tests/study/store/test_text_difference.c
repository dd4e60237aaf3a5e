/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of texts, line by line. */
#include "study/store/text_difference.h"
#include "test.h"

#include <string.h>

static void expect(const char *before, const char *after, guint lines_max, const char *expected)
{
  g_autofree char *text = text_difference(before, after, lines_max);
  g_assert_cmpstr(text, ==, expected);
}

TEST(test_equal)
{
  expect("", "", 20, "");
  expect("a\nb\n", "a\nb\n", 20, "");
}

/* Numbers are those of the line in its own text. */
TEST(test_lines)
{
  expect("a\nb\nc\n", "a\nB\nc\n", 20, "  - 2: b\n  + 2: B\n");
  expect("a\nc\n", "a\nb\nc\n", 20, "  + 2: b\n");
  expect("a\nb\nc\n", "a\nc\n", 20, "  - 2: b\n");
  expect("", "a", 20, "  + 1: a\n");   /* an empty text has no line */
  expect("a", "a\n", 20, "  + 2: \n"); /* a line end more is a line more */
}

/* a b c d e f -> b c x e f g: the longest common row of lines is b c e f, so a and d go, x and g come. */
TEST(test_fewest)
{
  expect("a\nb\nc\nd\ne\nf", "b\nc\nx\ne\nf\ng", 20, "  - 1: a\n  - 4: d\n  + 3: x\n  + 6: g\n");
}

/* Three of five lines that go; the rest is counted. */
TEST(test_cut)
{
  expect("1\n2\n3\n4\n5\nz", "z", 3, "  - 1: 1\n  - 2: 2\n  - 3: 3\n  ... and 2 more lines\n");
  expect("1\n2\n3\nz", "z", 3, "  - 1: 1\n  - 2: 2\n  - 3: 3\n");
}

/* A terminal is not to obey what a store holds; a line of 101 characters is cut to 97 and three dots. */
TEST(test_hostile_lines)
{
  expect("\033[2J\ta", "\xff", 20, "  - 1: \\x1b[2J\\ta\n  + 1: \\xff\n");
  GString *line = g_string_new(NULL), *shown = g_string_new("  - 1: ");
  for (guint i = 0; i < 101; i++) {
    g_string_append(line, "\xc3\xa4");
    g_string_append(shown, i < 97 ? "\xc3\xa4" : "");
  }
  g_string_append(shown, "...\n");
  expect(line->str, "", 20, shown->str);
  g_string_free(line, TRUE);
  g_string_free(shown, TRUE);
}

/* Ten thousand lines against as many others: a table of all pairs would be 400 MiB. So the one they have in common in the middle is not
 * found, and the rest is 2 * 10001 lines less the two that are shown. */
TEST(test_long_texts)
{
  GString *before = g_string_new("same\n"), *after = g_string_new("same\n");
  for (guint i = 0; i < 10000; i++) {
    g_string_append_printf(before, "b%u\n%s", i, i == 5000 ? "common\n" : "");
    g_string_append_printf(after, "a%u\n%s", i, i == 5000 ? "common\n" : "");
  }
  expect(before->str, after->str, 2, "  - 2: b0\n  - 3: b1\n  ... and 20000 more lines\n");
  g_string_free(before, TRUE);
  g_string_free(after, TRUE);
}
