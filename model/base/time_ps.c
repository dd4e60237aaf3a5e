#include "base/time_ps.h"

#include <glib.h>

#include "base/uint128.h"

time_ps time_ps_to_send(uint64_t octets, uint64_t rate_bit_per_s)
{
  g_assert(rate_bit_per_s > 0);
  uint128 bits = (uint128)octets * 8;
  /* ns-3 keeps a transmission time as seconds with 64 binary digits behind the point, further ones cut off, and rounds
   * that half up: so an exact half picosecond goes down unless 64 digits hold it (measured on ns-3 3.37). */
  uint64_t fraction = (uint64_t)(((bits % rate_bit_per_s) << 64) / rate_bit_per_s);
  uint128 half = (uint128)1 << 63;
  uint128 rounded = bits / rate_bit_per_s * (uint64_t)TIME_PS_PER_SECOND +
                    ((fraction * (uint128)TIME_PS_PER_SECOND + half) >> 64);
  return rounded < (uint128)TIME_PS_NEVER ? (time_ps)rounded : TIME_PS_NEVER;
}

double time_ps_in_seconds(time_ps time)
{
  return (double)time / (double)TIME_PS_PER_SECOND;
}
