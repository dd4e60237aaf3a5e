/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that is written by the million lines: pieces go into a GString's own memory, for which there is room
 * then, and whole numbers become digits without a format, which takes ten times as long. */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* Makes room for `octets` and a NUL after `text`, and returns its end, where they go. */
static inline char *fast_text_room(GString *text, gsize octets)
{
  const gsize length = text->len;

  if (text->allocated_len - length <= octets) {
    g_string_set_size(text, length + octets);
    text->len = length;
  }
  return text->str + length;
}

/* `text` ends at `at`, which lies in that room. */
static inline void fast_text_end(GString *text, char *at)
{
  *at = '\0';
  text->len = (gsize)(at - text->str);
}

/* Copies `length` octets to `at` and returns what is after them. */
static inline char *fast_text_put(char *at, const void *octets, gsize length)
{
  memcpy(at, octets, length);
  return at + length;
}

/* Appends a text. */
static inline void fast_text_append(GString *text, const char *added)
{
  const gsize length = strlen(added);

  fast_text_end(text, fast_text_put(fast_text_room(text, length), added, length));
}

/* A number takes so many octets of room, however few its digits are. */
enum { FAST_TEXT_DIGITS = sizeof "18446744073709551615" };

/* Writes `number` in decimal digits, `least` at least, and returns what is after them. */
char *fast_text_digits(char *at, uint64_t number, unsigned least);

/* Writes its last `digits` hexadecimal digits. */
char *fast_text_hex(char *at, uint64_t number, unsigned digits);
