/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of texts, to the character. */
#include "study/table/text_columns.h"
#include "study_cleanup.h"
#include "test.h"

#include <string.h>

static void add_row(text_columns *columns, const char *a, const char *b, const char *c)
{
  text_columns_add_cell(columns, a);
  text_columns_add_cell(columns, b);
  text_columns_add_cell(columns, c);
}

static void expect(text_columns *columns, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  text_columns_append(columns, text);
  g_assert_cmpstr(text->str, ==, expected);
  text_columns_free(columns);
}

/* Left, right, and points below each other; "-" is no number and stands at the right edge. The "±" is one
 * column wide, not two
 * octets. */
TEST(test_alignment)
{
  text_columns *columns = text_columns_new();
  text_columns_add(columns, "name", TEXT_ALIGNMENT_LEFT);
  text_columns_add(columns, "n", TEXT_ALIGNMENT_RIGHT);
  text_columns_add(columns, "±", TEXT_ALIGNMENT_POINT);
  add_row(columns, "a", "10", "1.25");
  add_row(columns, "longer", "3", "100");
  add_row(columns, "b", "3", "-");
  expect(columns, "name     n       ±\n"
                  "──────────────────\n"
                  "a       10    1.25\n"
                  "longer   3  100\n"
                  "b        3       -\n");
}

TEST(test_empty_column)
{
  text_columns *columns = text_columns_new();
  text_columns_add(columns, "a", TEXT_ALIGNMENT_LEFT);
  text_columns_add(columns, "marks", TEXT_ALIGNMENT_LEFT);
  text_columns_add(columns, "b", TEXT_ALIGNMENT_LEFT);
  add_row(columns, "1", "", "2");
  expect(columns, "a  b\n────\n1  2\n");
}

TEST(test_no_rows)
{
  text_columns *columns = text_columns_new();
  text_columns_add(columns, "a", TEXT_ALIGNMENT_LEFT);
  expect(columns, "\n\n");
}

/* A store's texts may hold anything; a terminal obeys control characters. */
TEST(test_hostile_texts)
{
  g_autoptr(text_columns) columns = text_columns_new();
  text_columns_add(columns, "a", TEXT_ALIGNMENT_LEFT);
  text_columns_add_cell(columns, "x\033[2J\ny");
  text_columns_add_cell(columns, "\xff");
  g_autoptr(GString) text = g_string_new(NULL);
  text_columns_append(columns, text);
  g_assert_null(strchr(text->str, '\033'));
  g_assert_true(g_utf8_validate(text->str, -1, NULL));
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 5); /* heading, rule, two rows, and behind the last line end */
}
