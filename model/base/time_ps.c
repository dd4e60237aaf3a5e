#include "base/time_ps.h"

#include <glib.h>

#include "base/uint128.h"

time_ps time_ps_to_send(uint64_t octets, uint64_t rate_bit_per_s)
{
  g_assert(rate_bit_per_s > 0);
  /* At most 2^64 · 2 · 8 · 10^12 < 2^108; doubled, so that half of an odd rate stays whole. */
  uint128 doubled = (uint128)octets * (2 * 8 * (uint64_t)TIME_PS_PER_SECOND);
  uint128 rounded = (doubled + rate_bit_per_s) / ((uint128)rate_bit_per_s * 2);
  return rounded < (uint128)TIME_PS_NEVER ? (time_ps)rounded : TIME_PS_NEVER;
}

double time_ps_in_seconds(time_ps time)
{
  return (double)time / (double)TIME_PS_PER_SECOND;
}
