/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about where results come from: libraries, and the origin that a sweep's runs share. */
#include "study/store/provenance.h"
#include "test.h"

#include <sqlite3.h>
#include <string.h>

/* Names and versions in a row; ns-3 only where it ran. */
TEST(test_libraries)
{
  g_autofree char *with = provenance_libraries("3.37");
  g_autofree char *without = provenance_libraries(NULL);
  g_assert_true(g_regex_match_simple(
      "^ns-3 3\\.37, GLib [0-9]+\\.[0-9]+\\.[0-9]+, SQLite [0-9.]+, glibc [0-9.]+$", with, 0, 0));
  g_assert_nonnull(strstr(with, SQLITE_VERSION)); /* built and run on one machine */
  g_assert_cmpstr(without, ==, with + strlen("ns-3 3.37, "));
}

static provenance example(void)
{
  return (provenance){.name = (char *)"n",
                      .title = (char *)"t",
                      .text = (char *)"x",
                      .axes = (char *)"a",
                      .sets = (char *)"s",
                      .version = (char *)"v",
                      .git = (char *)"g",
                      .libraries = (char *)"l"};
}

/* A copy outlives what it was made of, and is the same, so there is one; a hash that is not known stays so.
 */
TEST(test_copy)
{
  provenance origin = example();
  g_autoptr(GPtrArray) provenances = provenances_new();
  const provenance *copy = provenances_of(provenances, &origin);
  g_assert_true(provenances_of(provenances, &origin) == copy);
  g_assert_true(copy->text != origin.text);
  g_assert_cmpstr(copy->libraries, ==, "l");
  g_assert_null(copy->hash);
  provenance_free(NULL);
}

/* Each text alone makes another origin. */
TEST(test_every_text_counts)
{
  g_autoptr(GPtrArray) provenances = provenances_new();
  const provenance one = example();
  provenances_of(provenances, &one);
  for (guint i = 0; i < PROVENANCE_TEXTS; i++) {
    provenance other = example();
    other.texts[i] = (char *)"other";
    provenances_of(provenances, &other);
    g_assert_cmpuint(provenances->len, ==, 2 + i);
  }
}

/* The lines that a text `after` in place of `before` is said to differ in; NULL: it does not. */
static void expect_difference(const char *before, const char *after, const char *lines)
{
  provenance a = example(), b = example();
  a.text = (char *)before;
  b.text = (char *)after;
  g_autofree char *found = provenance_difference(&a, "old", &b, "new");
  g_autofree char *expected =
      lines != NULL ? g_strconcat("another text of the scenario 'n' (- old, + new):\n", lines, NULL) : NULL;
  g_assert_cmpstr(found, ==, expected);
}

/* Numbers are those of the line in its own text. */
TEST(test_differing_lines)
{
  expect_difference("", "", NULL);
  expect_difference("a\nb\n", "a\nb\n", NULL);
  expect_difference("a\nb\nc\n", "a\nB\nc\n", "  - 2: b\n  + 2: B\n");
  expect_difference("a\nc\n", "a\nb\nc\n", "  + 2: b\n");
  expect_difference("a\nb\nc\n", "a\nc\n", "  - 2: b\n");
  expect_difference("", "a", "  + 1: a\n");   /* an empty text has no line */
  expect_difference("a", "a\n", "  + 2: \n"); /* a line end more is a line more */
  /* Both texts as they are from the first line that differs to the last one, "x" and "c" in the midst too. */
  expect_difference("a\nb\nx\nc\nd", "a\nB\nx\nC\nd",
                    "  - 2: b\n  - 3: x\n  - 4: c\n  + 2: B\n  + 3: x\n  + 4: C\n");
}

/* Of 22 lines that go twenty are shown, the rest is counted, and so of those that come; twenty are shown
 * without that. */
TEST(test_many_differing_lines)
{
  g_autoptr(GString) before = g_string_new(NULL), shown = g_string_new(NULL);
  for (guint i = 1; i <= 20; i++) {
    g_string_append_printf(before, "%u\n", i);
    g_string_append_printf(shown, "  - %u: %u\n", i, i);
  }
  g_autofree char *twenty = g_strconcat(before->str, "z", NULL);
  expect_difference(twenty, "z", shown->str);
  g_string_append(before, "21\n22\nz");
  g_string_append(shown, "  - ... and 2 more lines\n");
  expect_difference(before->str, "z", shown->str);
  g_string_append(shown, "  + 1: one\n");
  expect_difference(before->str, "one\nz", shown->str);
}

/* A terminal is not to obey what a store holds; a line of 101 characters is cut to 97 and three dots. */
TEST(test_hostile_lines)
{
  expect_difference("\033[2J\ta", "\xff", "  - 1: \\x1b[2J\\ta\n  + 1: \xef\xbf\xbd\n");
  g_autoptr(GString) line = g_string_new(NULL), shown = g_string_new("  - 1: ");
  for (guint i = 0; i < 101; i++) {
    g_string_append(line, "\xc3\xa4");
    g_string_append(shown, i < 97 ? "\xc3\xa4" : "");
  }
  g_string_append(shown, "...\n");
  expect_difference(line->str, "", shown->str);
}
