/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/fast_text.h"

char *fast_text_digits(char *at, uint64_t number, unsigned least)
{
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  unsigned count = 1;

  /* The digits are counted first, to go where they stay: who reads as one piece what was just written in
   * several waits for all of it. */
  uint64_t rest = number;
  for (; rest >= 100; rest /= 100) {
    count += 2;
  }
  count += rest >= 10;
  char *const end = at + MAX(count, least);
  char *first = end;
  for (; first - at >= 2; number /= 100) {
    first -= 2;
    memcpy(first, pairs + 2 * (number % 100), 2);
  }
  if (first > at) {
    *at = (char)('0' + number);
  }
  return end;
}

char *fast_text_hex(char *at, uint64_t number, unsigned digits)
{
  for (unsigned i = digits; i-- > 0; number >>= 4) {
    at[i] = "0123456789ABCDEF"[number & 0xF];
  }
  return at + digits;
}
