/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show that texts of the user's in a gnuplot script stay texts. */
#include "study/plot/gnuplot.h"
#include "test.h"

#include <glib/gstdio.h>
#include <math.h>

static void expect_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

TEST(test_quote)
{
  expect_text(gnuplot_quote("plain"), "'plain'");
  expect_text(gnuplot_quote("it's"), "'it’s'");
  expect_text(gnuplot_quote("a\nb\tc\x01"), "'a b c '");
  expect_text(gnuplot_quote("\xff"), "'\xef\xbf\xbd'"); /* U+FFFD */
}

/* Variables of a template, which gnuplot reads back; an array of nothing too. */
TEST(test_variables)
{
  g_autoptr(GString) variables = g_string_new(NULL);
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(double));
  gnuplot_set_texts(variables, "none", texts);
  gnuplot_set_numbers(variables, "zero", numbers);
  g_ptr_array_add(texts, (gpointer) "0.1%");
  g_ptr_array_add(texts, (gpointer) "it's");
  const double half = 0.5;
  g_array_append_val(numbers, half);
  gnuplot_set_text(variables, "a", "b");
  gnuplot_set_number(variables, "pi", 3.25);
  gnuplot_set_number(variables, "unknown", NAN);
  gnuplot_set_texts(variables, "text", texts);
  gnuplot_set_numbers(variables, "number", numbers);
  g_assert_cmpstr(variables->str, ==,
                  "nones = 0\narray none[1]\nzeros = 0\narray zero[1]\na = 'b'\npi = 3.25\nunknown = NaN\n"
                  "texts = 2\narray text[2] = ['0.1%', 'it’s']\n"
                  "numbers = 1\narray number[1] = [0.5]\n");
}

/* This is what gnuplot itself makes of hostile titles: it prints them, apostrophes for quotes, and no command
 * in them runs. */
TEST(test_gnuplot_agrees)
{
  static const char *const hostile[] = {"`touch PWNED`",
                                        "' ; system('touch PWNED') ; '",
                                        "'' ; system('touch PWNED') ; '",
                                        "\"; !touch PWNED; \"",
                                        "$(touch PWNED)",
                                        "@macro {/Bold x} \\n %s %d",
                                        "'",
                                        "ends in \\",
                                        "# no comment"};
  g_autofree char *found = g_find_program_in_path("gnuplot");
  if (found == NULL) {
    g_test_skip("gnuplot is not installed");
    return;
  }
  g_autofree char *folder = g_dir_make_tmp("test-gnuplot-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "script", NULL);
  g_autoptr(GString) script = g_string_new("set print '-'\n");
  g_autoptr(GString) expected = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(hostile); i++) {
    g_autofree char *quoted = gnuplot_quote(hostile[i]);
    g_auto(GStrv) parts = g_strsplit(hostile[i], "'", -1);
    g_autofree char *printed = g_strjoinv("’", parts);
    g_string_append_printf(script, "print %s\n", quoted);
    g_string_append_printf(expected, "%s\n", printed);
  }
  g_assert_true(g_file_set_contents(path, script->str, -1, NULL));
  char *argv[] = {found, (char *)"-d", path, NULL};
  g_autofree char *printed = NULL, *said = NULL;
  g_assert_true(g_spawn_sync(folder, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &printed, &said, NULL, NULL));
  g_assert_cmpstr(said, ==, "");
  g_assert_cmpstr(printed, ==, expected->str);
  g_unlink(path);
  g_assert_cmpint(g_rmdir(folder), ==, 0); /* it is empty: nothing was touched */
}

TEST(test_file_stem)
{
  expect_text(gnuplot_file_stem("mtu-loss.v2"), "mtu-loss.v2");
  expect_text(gnuplot_file_stem("| rm -rf x"), "__rm_-rf_x");
  expect_text(gnuplot_file_stem("../x"), "_._x");
  expect_text(gnuplot_file_stem("-d"), "_d");
  expect_text(gnuplot_file_stem(""), "plot");
}

/* A comment stays on its line, and does not take the next one in. */
TEST(test_comment)
{
  expect_text(gnuplot_comment("a\nb"), "a b");
  expect_text(gnuplot_comment("a\\"), "a\\ .");
  expect_text(gnuplot_comment("a\\ \n"), "a\\ .");
  expect_text(gnuplot_comment("50 %"), "50 %");
}
