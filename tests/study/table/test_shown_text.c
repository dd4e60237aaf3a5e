/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/shown_text.h"

static void expect_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

/* 1536 = 1.5 · 1024; 126464 = 123.5 · 1024. */
static void test_octets(void)
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
static void test_line(void)
{
  expect_text(shown_text_line("a\nb"), "a\\nb");
  expect_text(shown_text_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  expect_text(shown_text_line("  two  "), "two");
  expect_text(shown_text_line("\xff"), "\\xff");
  expect_text(shown_text_line(""), "");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shown_text/octets", test_octets);
  g_test_add_func("/shown_text/line", test_line);
  return g_test_run();
}
