/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/text_columns.h"

#include <string.h>

#include "temporary_file.h"
#include "test.h"

/* Returns the lines of `text` as "1:a|b 3:c", and at the end what is wrong without the path. */
static char *lines_of(const char *text, gssize length)
{
  char *path = temporary_file_new(text, length);
  g_autoptr(GError) error = NULL;
  g_autoptr(text_columns) file = text_columns_open(path, &error);
  g_autoptr(GString) found = g_string_new("");

  g_assert_no_error(error);
  while (text_columns_next(file, &error)) {
    g_string_append_printf(found, "%s%u", found->len > 0 ? " " : "", (unsigned)file->line);
    for (unsigned i = 0; i < file->count; i++) {
      g_string_append_printf(found, "%c%s", i == 0 ? ':' : '|', file->columns[i]);
    }
  }
  if (error != NULL) {
    g_assert_true(g_str_has_prefix(error->message, path));
    g_string_append_printf(found, " %s", error->message + strlen(path) + 1);
  }
  temporary_file_free(path);
  return g_strdup(found->str);
}

static const struct {
  const char *text;
  const char *expected;
} cases[] = {
    {"", ""},
    {"a", "1:a"},
    {"a b\nc\n", "1:a|b 2:c"},
    {"a\tb , c,d\n", "1:a|b|c|d"},
    {"a b\r\nc\r\n", "1:a|b 2:c"},
    {"# all\n\n   \na # the rest\n#\nb", "4:a 6:b"},
    {"a#b\n", "1:a"},
    {" , a\n", "1:a"},
};

ROW_TEST(test_lines, cases)
{
  g_autofree char *lines = lines_of(c->text, -1);

  g_assert_cmpstr(lines, ==, c->expected);
}

TEST(test_nul)
{
  g_autofree char *in_a_word = lines_of("a\nb\0c\n", 6), *in_a_comment = lines_of("a # \0\n", 6);

  g_assert_cmpstr(in_a_word, ==, "1:a 2: a NUL; expected text");
  g_assert_cmpstr(in_a_comment, ==, " 1: a NUL; expected text");
}

/* A line may have 65,536 octets, with as many columns; of one octet more, or one that never ends, no more is
 * read than the reader has room for. */
TEST(test_long)
{
  g_autofree char *long_text = g_strnfill(TEXT_COLUMNS_LINE_OCTETS, 'x');
  g_autofree char *twice = g_strdup_printf("a\n%s\n%s\nb", long_text, long_text);
  g_autofree char *lines = lines_of(twice, -1);
  g_autofree char *expected = g_strdup_printf("1:a 2:%s 3:%s 4:b", long_text, long_text);
  g_autofree char *longer = g_strdup_printf("a\n%sx\nb", long_text);
  g_autofree char *endless = g_strnfill(1 << 20, 'x');
  g_autofree char *of_longer = lines_of(longer, -1), *of_endless = lines_of(endless, -1);

  g_assert_cmpstr(lines, ==, expected);
  g_assert_cmpstr(of_longer, ==, "1:a 2: a line of more than 65536 octets; expected at most that");
  g_assert_cmpstr(of_endless, ==, " 1: a line of more than 65536 octets; expected at most that");
}

/* A line may have 4,096 columns, and not one more. */
TEST(test_many_columns)
{
  g_autofree char *most = g_strnfill(2 * TEXT_COLUMNS_MAX, ' ');

  for (unsigned i = 0; i < TEXT_COLUMNS_MAX; i++) {
    most[2 * i] = 'x';
  }
  g_autofree char *more = g_strconcat(most, "x", NULL);
  g_autofree char *lines = lines_of(more, -1);
  char *path = temporary_file_new(most, -1);
  g_autoptr(text_columns) file = text_columns_open(path, NULL);

  g_assert_true(text_columns_next(file, NULL));
  g_assert_cmpuint(file->count, ==, TEXT_COLUMNS_MAX);
  g_assert_cmpstr(file->columns[TEXT_COLUMNS_MAX - 1], ==, "x");
  g_assert_cmpstr(lines, ==, " 1: more than 4096 columns; expected at most that");
  temporary_file_free(path);
}

/* Ten thousand lines, which need the buffer many times, are read twice alike. */
TEST(test_rewind)
{
  g_autoptr(GString) text = g_string_new("");

  for (unsigned i = 1; i <= 10000; i++) {
    g_string_append_printf(text, "%u a-word-that-is-%u-long\n", i, i);
  }
  char *path = temporary_file_new(text->str, -1);
  g_autoptr(text_columns) file = text_columns_open(path, NULL);
  for (unsigned pass = 0; pass < 2; pass++) {
    for (unsigned i = 1; i <= 10000; i++) {
      g_autofree char *number = g_strdup_printf("%u", i);
      g_assert_true(text_columns_next(file, NULL));
      g_assert_cmpuint(file->line, ==, i);
      g_assert_cmpstr(file->columns[0], ==, number);
    }
    g_assert_false(text_columns_next(file, NULL));
    text_columns_rewind(file);
  }
  temporary_file_free(path);
}

TEST(test_no_file)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(text_columns_open("/nowhere/at-all", &error));
  g_assert_cmpstr(error->message, ==, "/nowhere/at-all: No such file or directory");
}
