/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/plain_text.h"
#include "test.h"

#include <stdlib.h>

static void expect(char *found, const char *expected)
{
  g_assert_cmpstr(found, ==, expected);
  g_free(found);
}

/* What the ECMA-48 and Unicode tables call controls, and octets that are no UTF-8; all else stays,
 * backslashes too. */
TEST(test_escapes)
{
  expect(plain_text("plain \\n caf\u00e9 \u2713 \u05d0", -1, ""), "plain \\n caf\u00e9 \u2713 \u05d0");
  expect(plain_text("\x1b]0;x\a\x7f\b", -1, ""), "\\x1b]0;x\\x07\\x7f\\b");
  expect(plain_text("\xc2\x9b"
                    "31m\xc2\x85",
                    -1, ""),
         "\\u009b31m\\u0085");
  expect(plain_text("\u202e\u061c\u2066\u2069\u200f\u2028", -1, ""),
         "\\u202e\\u061c\\u2066\\u2069\\u200f\\u2028");
  expect(plain_text("\U0001fffe", -1, ""), "\\u1fffe");
  expect(plain_text("\xff\xc3(\x9b\xe2\x80", -1, ""), "\\xff\\xc3(\\x9b\\xe2\\x80");
  expect(plain_text("\xed\xa0\x80\xc0\x9b", -1, ""),
         "\\xed\\xa0\\x80\\xc0\\x9b"); /* a surrogate; an overlong ESC's cousin */
}

TEST(test_kept)
{
  expect(plain_text("a\tb\r\nc", -1, ""), "a\\tb\\r\\nc");
  expect(plain_text("a\tb\r\nc", -1, "\n\t"), "a\tb\\r\nc");
}

/* A NUL within the length is no end, and no character. */
TEST(test_length)
{
  expect(plain_text("ab\0c", 4, ""), "ab\\x00c");
  expect(plain_text("abc", 2, ""), "ab");
  expect(plain_text("a\u00e9", 2, ""), "a\\xc3");
  expect(plain_text("", 0, ""), "");
}

TEST(test_print)
{
  char *text = NULL;
  gsize length = 0;
  FILE *file = open_memstream(&text, &length);

  plain_text_print(file, "%s: %d\n", "\x1b[2J\xff\nall.cfg: ok\n", 7);
  plain_text_print(file, "%s", "a\n");
  plain_text_print(file, "\n");
  plain_text_print_page(file, "one\ntwo\x1b\n");
  fclose(file);
  g_assert_cmpstr(text, ==, "\\x1b[2J\\xff\\nall.cfg: ok\\n: 7\na\\n\none\ntwo\\x1b\n");
  free(text);
}

/* Blanks where a line is broken are gone; a word that is too long, and what was broken already, stay. Letters
 * count, not octets. */
TEST(test_wrap)
{
  expect(plain_text_wrap("one two three", 8), "one two\nthree");
  expect(plain_text_wrap("one  two three", 7), "one\ntwo\nthree");
  expect(plain_text_wrap("\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9", 7),
         "\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9");
  expect(plain_text_wrap("  name  a b c d e\nd e f", 11), "  name  a b\n        c d\n        e\nd e f");
  expect(plain_text_wrap("  a b c\n  d  e", 5), "  a b\n  c\n  d  e");
  expect(plain_text_wrap("a considerable word", 6), "a\nconsiderable\nword");
  expect(plain_text_wrap("\na\n\nb\n", 6), "\na\n\nb\n");
  expect(plain_text_wrap("", 6), "");
}

/* COLUMNS decides, unless it is no number of columns. */
TEST(test_columns)
{
  FILE *file = tmpfile();
  static const struct {
    const char *given;
    guint columns;
  } cases[] = {{"61", 61}, {"", TERMINAL_COLUMNS}, {"5", TERMINAL_COLUMNS}, {"wide", TERMINAL_COLUMNS}};
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_setenv("COLUMNS", cases[i].given, TRUE);
    g_assert_cmpuint(terminal_of(file).columns, ==, cases[i].columns);
  }
  g_unsetenv("COLUMNS");
  g_assert_cmpuint(terminal_of(file).columns, ==, TERMINAL_COLUMNS);
  fclose(file);
}

TEST(test_json)
{
  g_autoptr(GString) json = g_string_new("=");

  plain_text_append_json(json, "a\"b\\c\n\x01\x7f\xc2\x9b\u202e\U0001fffe\u00fc\xffz");
  g_assert_cmpstr(json->str, ==,
                  "=\"a\\\"b\\\\c\\n\\u0001\\u007f\\u009b\\u202e\\ud83f\\udffe\u00fc\ufffdz\"");
}
