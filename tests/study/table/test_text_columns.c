/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of texts, to the character. */
#include "string_list.h"
#include "study/table/result_table.h"
#include "test.h"

#include <string.h>

/* Returns what is written of `cells` in columns with these headings and alignments. Free with g_free(). */
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

static const text_column plain[] = {{"a", FALSE}, {"marks", FALSE}, {"b", FALSE}};

/* Cells stand left or right, and points below each other; "-" is no number and stands at the right edge. The
 * "±" is one column wide, not two octets. */
TEST(test_alignment)
{
  static const text_column columns[] = {{"name", FALSE}, {"n", TRUE}, {"±", TRUE}};
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
