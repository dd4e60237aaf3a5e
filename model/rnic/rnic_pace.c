#include "rnic/rnic_pace.h"

#include <glib.h>

/* One rate: `free_ps` and `rest` / `per_second` picoseconds more is when the next may begin, so that no fraction is ever lost. */
typedef struct pace_clock {
  uint64_t per_second; /* 0: any number */
  time_ps free_ps;
  uint64_t rest;
} pace_clock;

struct rnic_pace {
  pace_clock bits;
  pace_clock segments;
};

rnic_pace *rnic_pace_new(uint64_t bit_per_s, uint64_t segments_per_s)
{
  rnic_pace *pace = g_new0(rnic_pace, 1);

  pace->bits.per_second = bit_per_s;
  pace->segments.per_second = segments_per_s;
  return pace;
}

void rnic_pace_free(rnic_pace *pace)
{
  g_free(pace);
}

static time_ps free_at(const pace_clock *clock)
{
  return clock->free_ps + (clock->rest > 0);
}

/* `amount` begins at `now`, which is not before free_at(). */
static void spend(pace_clock *clock, uint64_t amount, time_ps now)
{
  if (clock->per_second == 0) {
    return;
  }
  if (now > free_at(clock)) {
    clock->free_ps = now;
    clock->rest = 0;
  }
  uint64_t scaled = amount * (uint64_t)TIME_PS_PER_SECOND + clock->rest;
  clock->free_ps += (time_ps)(scaled / clock->per_second);
  clock->rest = scaled % clock->per_second;
}

time_ps rnic_pace_take_turn(rnic_pace *pace, uint32_t octets, uint32_t segments, time_ps now)
{
  time_ps turn = MAX(now, MAX(free_at(&pace->bits), free_at(&pace->segments)));

  g_assert(octets <= G_MAXUINT32 / 8192); /* with 10^12 picoseconds they fit 64 bits */
  spend(&pace->bits, (uint64_t)octets * 8, turn);
  spend(&pace->segments, segments, turn);
  return turn;
}
