/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that is appended to lines, which are written out in pieces. */
#include "decode_paper.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(decode_line, decode_line_free)

/* The line ends: it is `text`. */
static void expect_line(decode_paper *f, const char *text)
{
  decode_line_end(f->line);
  g_assert_cmpstr(decode_paper_take(f), ==, text);
}

/* Decimal and hexadecimal digits of all values. */
FIXTURE_TEST(test_digits)
{
  decode_line_number(f->line, "a=", 0);
  decode_line_number(f->line, " ", 1234567890);
  decode_line_number(f->line, " ", UINT64_MAX);
  decode_line_hex(f->line, " b=", 0, 1);
  decode_line_hex(f->line, " ", 0xABCDEF, 4);
  decode_line_hex(f->line, " ", UINT64_MAX, 8);
  expect_line(f, "a=0 1234567890 18446744073709551615 b=0x00 0x00ABCDEF 0xFFFFFFFFFFFFFFFF\n");
}

/* The output is that of printf(), in lines of any length. */
FIXTURE_TEST(test_print)
{
  g_autofree char *as = g_strnfill(300 << 10, 'a'); /* more than the buffer has room for at first */
  g_autofree char *long_line = g_strconcat(as, "|1\n", NULL);

  decode_line_print(f->line, " %s %u", "text", 7u);
  expect_line(f, " text 7\n");
  decode_line_print(f->line, "%s|%d", as, 1);
  expect_line(f, long_line);
}

/* Nine decimals whatever the time, of captures whose times go back too. */
FIXTURE_TEST(test_seconds)
{
  static const struct {
    int64_t time_ns;
    size_t width;
    const char *text;
  } times[] = {{0, 0, "0.000000000\n"},
               {0, 14, "   0.000000000\n"},
               {1, 0, "0.000000001\n"},
               {1234567890, 0, "1.234567890\n"},
               {-1, 0, "-0.000000001\n"},
               {-1, 14, "  -0.000000001\n"},
               {-1000000000, 12, "-1.000000000\n"},
               {INT64_MAX, 0, "9223372036.854775807\n"},
               {INT64_MIN, 14, "-9223372036.854775808\n"}};

  for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
    decode_line_seconds(f->line, times[i].time_ns, times[i].width);
    expect_line(f, times[i].text);
  }
}

/* A column is reached by blanks, by one when the text is already there or beyond. */
FIXTURE_TEST(test_columns)
{
  for (int i = 0; i < 2; i++) { /* columns count from each line's own start */
    decode_line_text(f->line, "ab");
    decode_line_column(f->line, 5);
    decode_line_text(f->line, "c");
    decode_line_column(f->line, 6);
    decode_line_text(f->line, "d");
    decode_line_column(f->line, 3);
    expect_line(f, "ab   c d \n");
  }
}

/* Hostile octets come out as what they are in hexadecimal digits, and as valid JSON. */
FIXTURE_TEST(test_octets)
{
  static const uint8_t octets[] = {0x00, 'A', '~', 0x7F, 0x80, 0xFF, '\n'};

  decode_line_dump(f->line, octets, sizeof octets, "");
  decode_line_text(f->line, " ");
  decode_line_dump(f->line, octets, 2, ", ");
  decode_line_dump(f->line, octets, 0, ", ");
  expect_line(f, "00417E7F80FF0A 00, 41\n");
  decode_line_json(f->line, "a\"b\\c\n\x01\x7F\xC3\xBC\xFFz");
  expect_line(f, "\"a\\\"b\\\\c\\n\\u0001\\u007f\xC3\xBC\xEF\xBF\xBDz\"\n");
}

/* --- Pieces --- */

typedef struct reader {
  GString *text;
  guint pieces;
  guint pieces_until_full;
} reader;

static bool take(void *user, const char *text, size_t length)
{
  reader *r = user;

  r->pieces++;
  if (r->pieces <= r->pieces_until_full) {
    g_string_append_len(r->text, text, (gssize)length);
  }
  return r->pieces <= r->pieces_until_full;
}

static void append_line(decode_line *line, const char *text)
{
  decode_line_text(line, text);
  decode_line_end(line);
}

/* Only whole lines are written, in pieces that are long enough; a line that is not ended waits, unless it is
 * relieved of them. */
TEST(test_pieces)
{
  g_autoptr(GString) text = g_string_new(NULL);
  reader r = {.text = text, .pieces_until_full = 9};
  g_autoptr(decode_line) line = decode_line_new(take, &r, 10);

  append_line(line, "12345678");
  g_assert_cmpuint(r.pieces, ==, 0); /* 9 octets wait */
  decode_line_text(line, "abc");
  g_assert_true(decode_line_flush(line));
  g_assert_cmpstr(text->str, ==, "12345678\n");
  append_line(line, "d");
  append_line(line, "efgh");
  g_assert_cmpstr(text->str, ==, "12345678\nabcd\nefgh\n");
  g_assert_cmpuint(r.pieces, ==, 2);
  g_assert_true(decode_line_flush(line)); /* of nothing */
  g_assert_cmpuint(r.pieces, ==, 2);
  decode_line_text(line, "123456789");
  decode_line_relieve(line);
  g_assert_cmpuint(r.pieces, ==, 2);
  decode_line_text(line, "0");
  decode_line_relieve(line);
  append_line(line, "abcdefghi");
  g_assert_cmpstr(text->str, ==, "12345678\nabcd\nefgh\n1234567890abcdefghi\n");
  g_assert_cmpuint(r.pieces, ==, 4);
}

/* One line of 3 MB, as a hostile capture may want it. */
TEST(test_long_line)
{
  g_autoptr(GString) text = g_string_new(NULL);
  reader r = {.text = text, .pieces_until_full = 9};
  g_autoptr(decode_line) line = decode_line_new(take, &r, 64 << 10);
  g_autofree uint8_t *octets = g_malloc0(1 << 20);

  decode_line_dump(line, octets, 1 << 20, " ");
  decode_line_end(line);
  g_assert_cmpuint(text->len, ==, 3 << 20);
  g_assert_cmpuint(r.pieces, ==, 1);
}

/* Once the reader has gone, nothing more is written, and the memory does not grow. */
TEST(test_reader_gone)
{
  g_autoptr(GString) text = g_string_new(NULL);
  reader r = {.text = text, .pieces_until_full = 1};
  g_autoptr(decode_line) line = decode_line_new(take, &r, 0);

  append_line(line, "a");
  for (int i = 0; i < 3; i++) {
    append_line(line, "b");
    g_assert_false(decode_line_flush(line));
  }
  g_assert_cmpuint(r.pieces, ==, 2);
  g_assert_cmpstr(text->str, ==, "a\n");
}
