/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of texts, to the character. */
#include "string_list.h"
#include "study/table/text_columns.h"
#include "test.h"

#include <string.h>

/* What is written of `cells` in columns with these headings and alignments. Free with g_free(). */
static char *written(const text_column *columns, guint count, const char *const *cells)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  for (; *cells != NULL; cells++) {
    g_ptr_array_add(texts, (char *)*cells);
  }
  GString *text = g_string_new(NULL);
  text_columns_append(columns, count, texts, text);
  return g_string_free(text, FALSE);
}

static const text_column plain[] = {
    {"a", TEXT_COLUMN_TEXT, NULL}, {"marks", TEXT_COLUMN_TEXT, NULL}, {"b", TEXT_COLUMN_TEXT, NULL}};

/* Left, right, and points below each other; "-" is no number and stands at the right edge. The "±" is one
 * column wide, not two octets. */
TEST(test_alignment)
{
  static const text_column columns[] = {
      {"name", TEXT_COLUMN_TEXT, NULL}, {"n", TEXT_COLUMN_NUMBER, NULL}, {"±", TEXT_COLUMN_NUMBER, NULL}};
  g_autofree char *text =
      written(columns, 3, STRINGS("a", "10", "1.25", "longer", "3", "100", "b", "3", "-"));
  g_assert_cmpstr(text, ==,
                  "name     n       ±\n"
                  "──────────────────\n"
                  "a       10    1.25\n"
                  "longer   3  100\n"
                  "b        3       -\n");
}

TEST(test_empty_column)
{
  g_autofree char *text = written(plain, 3, STRINGS("1", "", "2"));
  g_assert_cmpstr(text, ==, "a  b\n────\n1  2\n");
}

TEST(test_no_rows)
{
  g_autofree char *text = written(plain, 1, STRINGS(NULL));
  g_assert_cmpstr(text, ==, "\n\n");
}

/* A store's texts may hold anything; a terminal obeys control characters. */
TEST(test_hostile_texts)
{
  g_autofree char *text = written(plain, 1, STRINGS("x\033[2J\ny", "\xff"));
  g_assert_null(strchr(text, '\033'));
  g_assert_true(g_utf8_validate(text, -1, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 5); /* heading, rule, two rows, and after the last line end */
}

/* Of what a page shows CSV has the values as measured. A text that a spreadsheet would run gets an
 * apostrophe; a negative number does not. */
TEST(test_csv)
{
  static const text_column columns[] = {{"a,b", TEXT_COLUMN_TEXT, NULL},
                                        {"peak", TEXT_COLUMN_NUMBER, "KiB"},
                                        {"", TEXT_COLUMN_INTERVAL, NULL},
                                        {"mean", TEXT_COLUMN_VALUE, "octets"},
                                        {"n", TEXT_COLUMN_NUMBER, NULL}};
  const char *const cells[] = {"=1+1", "1.5", "1 to 2", "1536", "-8", "-5", "", "", "", "@x\""};
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  for (gsize i = 0; i < G_N_ELEMENTS(cells); i++) {
    g_ptr_array_add(texts, (char *)cells[i]);
  }
  g_autoptr(GString) csv = g_string_new(NULL);
  text_columns_append_csv(columns, G_N_ELEMENTS(columns), texts, csv);
  g_assert_cmpstr(csv->str, ==, "\"a,b\",\"peak, mean (octets)\",n\n'=1+1,1536,-8\n-5,,\"'@x\"\"\"\n");
}
