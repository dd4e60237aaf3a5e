/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/time_ps.h"

#include <glib.h>

#include "base/numbers.h"

/* Does it as ns-3 does, whatever the numbers. */
static time_ps send_as_ns3(uint64_t octets, uint64_t rate_bit_per_s)
{
  uint128 bits = (uint128)octets * 8;
  /* ns-3 keeps a transmission time as seconds with 64 binary digits after the point, further ones cut off,
   * and rounds that half up: so an exact half picosecond goes down unless 64 digits hold it (measured on
   * ns-3 3.37). */
  uint64_t fraction = (uint64_t)(((bits % rate_bit_per_s) << 64) / rate_bit_per_s);
  uint128 half = (uint128)1 << 63;
  uint128 rounded = bits / rate_bit_per_s * (uint64_t)TIME_PS_PER_SECOND +
                    ((fraction * (uint128)TIME_PS_PER_SECOND + half) >> 64);
  return rounded < (uint128)TIME_PS_NEVER ? (time_ps)rounded : TIME_PS_NEVER;
}

time_ps time_ps_to_send(uint64_t octets, uint64_t rate_bit_per_s)
{
  const uint64_t per_second = (uint64_t)TIME_PS_PER_SECOND;
  g_assert(rate_bit_per_s > 0);
  if (octets > UINT64_MAX / per_second / 8) {
    return send_as_ns3(octets, rate_bit_per_s);
  }
  /* What ns-3 cuts off is less than 10^12 / 2^64, so less than 2^-24 of a picosecond. So only a time at a
   * half, or above one by less than that, can be rounded otherwise than to the nearest. */
  uint64_t scaled = octets * 8 * per_second;
  uint64_t whole = scaled / rate_bit_per_s;
  uint64_t rest = scaled % rate_bit_per_s;
  uint64_t missing = rate_bit_per_s - rest; /* to the next picosecond */
  if (rest >= missing) {
    if (rest - missing <= rate_bit_per_s >> 23) {
      return send_as_ns3(octets, rate_bit_per_s);
    }
    whole++;
  }
  return whole < (uint64_t)TIME_PS_NEVER ? (time_ps)whole : TIME_PS_NEVER;
}

double time_ps_in_seconds(time_ps time)
{
  return (double)time / (double)TIME_PS_PER_SECOND;
}
