#include "tcp/tcp_congestion.h"

#include <glib.h>

struct tcp_congestion {
  uint32_t smss_octets;
  uint64_t window_octets;
  uint64_t threshold_octets;
  uint64_t
      counted_octets; /* acknowledged since congestion avoidance last opened the window (RFC 3465 §2.1) */
};

tcp_congestion *tcp_congestion_new(uint32_t smss_octets, uint64_t initial_window_octets)
{
  g_assert(smss_octets > 0 && initial_window_octets >= smss_octets);
  tcp_congestion *congestion = g_new0(tcp_congestion, 1);
  congestion->smss_octets = smss_octets;
  congestion->window_octets = initial_window_octets;
  congestion->threshold_octets = UINT64_MAX; /* RFC 5681 §3.1: arbitrarily high */
  return congestion;
}

void tcp_congestion_free(tcp_congestion *congestion)
{
  g_free(congestion);
}

uint64_t tcp_congestion_window_octets(const tcp_congestion *congestion)
{
  return congestion->window_octets;
}

uint64_t tcp_congestion_threshold_octets(const tcp_congestion *congestion)
{
  return congestion->threshold_octets;
}

void tcp_congestion_set_smss(tcp_congestion *congestion, uint32_t smss_octets)
{
  g_assert(smss_octets > 0);
  congestion->smss_octets = smss_octets;
  congestion->window_octets = MAX(congestion->window_octets, smss_octets);
}

void tcp_congestion_grow(tcp_congestion *congestion, uint64_t octets, bool after_timeout)
{
  if (congestion->window_octets < congestion->threshold_octets) {
    uint64_t limit = (uint64_t)congestion->smss_octets * (after_timeout ? 1 : 2);
    congestion->window_octets += MIN(octets, limit);
    return;
  }
  congestion->counted_octets += octets;
  if (congestion->counted_octets >= congestion->window_octets) {
    congestion->counted_octets -= congestion->window_octets;
    congestion->window_octets += congestion->smss_octets;
  }
}

static uint64_t half(const tcp_congestion *congestion, uint64_t flight_octets)
{
  return MAX(flight_octets / 2, 2 * (uint64_t)congestion->smss_octets);
}

void tcp_congestion_halve(tcp_congestion *congestion, uint64_t flight_octets)
{
  congestion->threshold_octets = half(congestion, flight_octets);
  congestion->window_octets = congestion->threshold_octets;
  congestion->counted_octets = 0;
}

void tcp_congestion_inflate(tcp_congestion *congestion, uint64_t octets)
{
  congestion->window_octets += octets;
}

void tcp_congestion_deflate(tcp_congestion *congestion, uint64_t octets)
{
  uint64_t back = octets >= congestion->smss_octets ? congestion->smss_octets : 0;
  congestion->window_octets -= MIN(octets, congestion->window_octets);
  congestion->window_octets = MAX(congestion->window_octets + back, congestion->smss_octets);
}

void tcp_congestion_end_inflation(tcp_congestion *congestion, uint64_t flight_octets)
{
  uint64_t burst_limit = MAX(flight_octets, congestion->smss_octets) + congestion->smss_octets;
  congestion->window_octets = MIN(congestion->threshold_octets, burst_limit);
  congestion->counted_octets = 0;
}

void tcp_congestion_collapse(tcp_congestion *congestion, uint64_t flight_octets, bool first)
{
  if (first) {
    congestion->threshold_octets = half(congestion, flight_octets);
  }
  congestion->window_octets = congestion->smss_octets;
  congestion->counted_octets = 0;
}
