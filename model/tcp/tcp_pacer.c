#include "tcp/tcp_pacer.h"

#include <glib.h>

/* Per cent of a window in each round trip (Linux: tcp_pacing_ss_ratio, tcp_pacing_ca_ratio). */
enum { GAIN_IN_SLOW_START = 200, GAIN_AFTER = 120, PER_CENT = 100 };

bool tcp_pacer_may_send(const tcp_pacer *pacer, time_ps now)
{
  return now >= pacer->next_ps;
}

void tcp_pacer_sent(tcp_pacer *pacer, uint64_t octets, const tcp_pacer_rate *rate, time_ps now)
{
  unsigned gain = rate->slow_start ? GAIN_IN_SLOW_START : GAIN_AFTER;
  unsigned __int128 cost = (unsigned __int128)octets * (uint64_t)rate->smoothed_ps * PER_CENT /
                           ((unsigned __int128)MAX(rate->window_octets, 1) * gain);
  pacer->next_ps = MAX(pacer->next_ps, now) + (time_ps)cost;
}
