/* SPDX-License-Identifier: GPL-2.0-only */
/* Appenders, buffers and what is given away. */
#include "decode/decode_line.h"
#include "test.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(decode_line, decode_line_free)

typedef struct reader {
  GString *text;
  guint pieces;
  guint pieces_until_full; /* 0: never */
} reader;

static bool take(void *user, const char *text, size_t length)
{
  reader *r = user;

  r->pieces++;
  if (r->pieces_until_full > 0 && r->pieces > r->pieces_until_full) {
    return false;
  }
  g_string_append_len(r->text, text, (gssize)length);
  return true;
}

static void set_up(reader *r, G_GNUC_UNUSED gconstpointer data)
{
  r->text = g_string_new(NULL);
}

static void tear_down(reader *r, G_GNUC_UNUSED gconstpointer data)
{
  g_string_free(r->text, TRUE);
}

#define FIXTURE_TEST(name) TEST_WITH(reader, NULL, set_up, tear_down, name)

/* Decimal and hexadecimal digits of all values. */
FIXTURE_TEST(test_digits)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);

  decode_line_number(line, "a=", 0);
  decode_line_number(line, " ", 1234567890);
  decode_line_number(line, " ", UINT64_MAX);
  decode_line_hex(line, " b=", 0, 1);
  decode_line_hex(line, " ", 0xABCDEF, 4);
  decode_line_hex(line, " ", UINT64_MAX, 8);
  decode_line_end(line);
  g_assert_cmpstr(f->text->str, ==,
                  "a=0 1234567890 18446744073709551615 b=0x00 0x00ABCDEF 0xFFFFFFFFFFFFFFFF\n");
}

/* What printf() makes, of lines of any length. */
FIXTURE_TEST(test_print)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);
  g_autofree char *as = g_strnfill(300 << 10, 'a');

  decode_line_print(line, " %s %u", "text", 7u);
  decode_line_end(line);
  g_assert_cmpstr(f->text->str, ==, " text 7\n");
  g_string_truncate(f->text, 0);
  decode_line_print(line, "%s|%d", as, 1); /* more than the buffer has room for at first */
  decode_line_end(line);
  g_assert_cmpuint(f->text->len, ==, (300 << 10) + strlen("|1\n"));
  g_assert_true(g_str_has_suffix(f->text->str, "aa|1\n"));
}

/* Nine decimals whatever the time, of captures whose times go back too. */
FIXTURE_TEST(test_seconds)
{
  static const struct {
    int64_t time_ns;
    size_t width;
    const char *text;
  } times[] = {{0, 0, "0.000000000"},
               {0, 14, "   0.000000000"},
               {1, 0, "0.000000001"},
               {1234567890, 0, "1.234567890"},
               {-1, 0, "-0.000000001"},
               {-1, 14, "  -0.000000001"},
               {-1000000000, 12, "-1.000000000"},
               {INT64_MAX, 0, "9223372036.854775807"},
               {INT64_MIN, 14, "-9223372036.854775808"}};
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);

  for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
    decode_line_seconds(line, times[i].time_ns, times[i].width);
    decode_line_text(line, "|");
    decode_line_end(line);
    g_autofree char *expected = g_strdup_printf("%s|\n", times[i].text);
    g_assert_cmpstr(f->text->str, ==, expected);
    g_string_truncate(f->text, 0);
  }
}

/* A column is reached by blanks, by one when the text is already there or beyond. */
FIXTURE_TEST(test_columns)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);

  for (int i = 0; i < 2; i++) { /* columns count from each line's own start */
    decode_line_text(line, "ab");
    decode_line_column(line, 5);
    decode_line_text(line, "c");
    decode_line_column(line, 6);
    decode_line_text(line, "d");
    decode_line_column(line, 3);
    decode_line_end(line);
  }
  g_assert_cmpstr(f->text->str, ==, "ab   c d \nab   c d \n");
}

/* Hostile octets come out as what they are in hexadecimal digits, and as valid JSON. */
FIXTURE_TEST(test_octets)
{
  static const uint8_t octets[] = {0x00, 'A', '~', 0x7F, 0x80, 0xFF, '\n'};
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);

  decode_line_dump(line, octets, sizeof octets, "");
  decode_line_text(line, " ");
  decode_line_dump(line, octets, 2, ", ");
  decode_line_dump(line, octets, 0, ", ");
  decode_line_end(line);
  g_assert_cmpstr(f->text->str, ==, "00417E7F80FF0A 00, 41\n");
  g_string_truncate(f->text, 0);
  decode_line_json(line, "a\"b\\c\n\x01\x7F\xC3\xBC\xFFz");
  decode_line_end(line);
  g_assert_cmpstr(f->text->str, ==, "\"a\\\"b\\\\c\\n\\u0001\\u007f\xC3\xBC\xEF\xBF\xBDz\"\n");
}

/* Whole lines only, in pieces that are long enough; what is not ended waits. */
FIXTURE_TEST(test_pieces)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 10);

  decode_line_text(line, "12345678");
  decode_line_end(line);
  g_assert_cmpuint(f->pieces, ==, 0); /* 9 octets wait */
  decode_line_text(line, "abc");
  g_assert_true(decode_line_flush(line));
  g_assert_cmpstr(f->text->str, ==, "12345678\n");
  decode_line_text(line, "d");
  decode_line_end(line);
  decode_line_text(line, "efgh");
  decode_line_end(line);
  g_assert_cmpstr(f->text->str, ==, "12345678\nabcd\nefgh\n");
  g_assert_cmpuint(f->pieces, ==, 2);
  g_assert_true(decode_line_flush(line)); /* of nothing */
  g_assert_cmpuint(f->pieces, ==, 2);
}

/* One line of 3 MB, as a hostile capture may want it. */
FIXTURE_TEST(test_long_line)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 64 << 10);
  g_autofree uint8_t *octets = g_malloc0(1 << 20);

  decode_line_dump(line, octets, 1 << 20, " ");
  decode_line_end(line);
  g_assert_cmpuint(f->text->len, ==, 3 << 20);
  g_assert_cmpuint(f->pieces, ==, 1);
}

/* Once the reader has gone nothing is given to it any more, and the memory does not grow. */
FIXTURE_TEST(test_reader_gone)
{
  g_autoptr(decode_line) line = decode_line_new(take, f, 0);

  f->pieces_until_full = 1;
  decode_line_text(line, "a");
  decode_line_end(line);
  for (int i = 0; i < 3; i++) {
    decode_line_text(line, "b");
    decode_line_end(line);
    g_assert_false(decode_line_flush(line));
  }
  g_assert_cmpuint(f->pieces, ==, 2);
  g_assert_cmpstr(f->text->str, ==, "a\n");
}
