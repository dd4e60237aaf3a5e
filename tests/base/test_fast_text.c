/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about whole numbers as digits, and about texts that grow piece by piece. */
#include "base/fast_text.h"

#include <inttypes.h>

#include "test.h"

static void expect_digits(uint64_t number, unsigned least)
{
  char written[FAST_TEXT_DIGITS];
  g_autofree char *expected = g_strdup_printf("%0*" PRIu64, (int)least, number);

  *fast_text_digits(written, number, least) = '\0';
  g_assert_cmpstr(written, ==, expected);
}

/* printf() has the same digits: of 0, of all that begin or end a number of digits, with zeros before them or
 * not. */
TEST(test_digits)
{
  expect_digits(0, 1);
  expect_digits(UINT64_MAX, 1);
  for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
    for (unsigned least = 1; least <= 12; least++) {
      expect_digits(power - 1, least);
      expect_digits(power, least);
      expect_digits(power + 1, least);
    }
  }
}

/* As many hexadecimal digits as are asked for, the last ones. */
TEST(test_hex)
{
  char written[] = "................!";

  g_assert_true(fast_text_hex(written, UINT64_C(0x123456789ABCDEF0), 16) == written + 16);
  g_assert_cmpstr(written, ==, "123456789ABCDEF0!");
  g_assert_true(fast_text_hex(written, 0x1AB, 2) == written + 2);
  g_assert_cmpstr(written, ==, "AB3456789ABCDEF0!");
}

/* The room is there, whatever the length of the text; it ends where it was ended. */
TEST(test_room)
{
  g_autoptr(GString) text = g_string_new("");

  for (unsigned length = 0; length < 5000; length++) {
    char *at = fast_text_room(text, 7);
    g_assert_cmpuint(text->len, ==, length);
    g_assert_cmpuint(text->allocated_len, >=, length + 8);
    fast_text_end(text, fast_text_put(at, "abcdefg", 7) - 6);
  }
  g_string_truncate(text, 3);
  fast_text_append(text, "|");
  g_assert_cmpstr(text->str, ==, "aaa|");
}
