/* SPDX-License-Identifier: GPL-2.0-only */
/* Simulated time is a signed 64-bit count of picoseconds since the start of the run.
 * At 400 Gbit/s an octet lasts 20 ps; the range is 106 days. */
#pragma once

#include <stdint.h>

typedef int64_t time_ps;

/* It is a deadline that never comes: the value of every timer that is off. */
#define TIME_PS_NEVER INT64_MAX

#define TIME_PS_PER_NANOSECOND INT64_C(1000)
#define TIME_PS_PER_MICROSECOND INT64_C(1000000)
#define TIME_PS_PER_MILLISECOND INT64_C(1000000000)
#define TIME_PS_PER_SECOND INT64_C(1000000000000)

/* Returns the time that `octets` octets take at `rate_bit_per_s` (> 0), rounded to a picosecond as ns-3's
 * devices round it: to the nearest; an exact half down where 64 binary digits of a second do not hold it,
 * else up. Saturates at TIME_PS_NEVER. */
time_ps time_ps_to_send(uint64_t octets, uint64_t rate_bit_per_s);

/* Returns `time` in seconds, for people and for result files. */
double time_ps_in_seconds(time_ps time);

/* Returns `span` after `time`, neither of them negative; TIME_PS_NEVER when 64 bits do not hold it. */
static inline time_ps time_ps_after(time_ps time, time_ps span)
{
  return span > TIME_PS_NEVER - time ? TIME_PS_NEVER : time + span;
}

/* Returns the earlier of two deadlines. */
static inline time_ps time_ps_earlier(time_ps a, time_ps b)
{
  return a < b ? a : b;
}
