#include "tcp/tcp_proportional_reduction.h"

#include <glib.h>

void tcp_proportional_reduction_begin(tcp_proportional_reduction *reduction, uint64_t flight_octets)
{
  *reduction = (tcp_proportional_reduction){.flight_octets = MAX(flight_octets, 1)};
}

void tcp_proportional_reduction_sent(tcp_proportional_reduction *reduction, uint64_t octets)
{
  reduction->sent_octets += octets;
}

static uint64_t less(uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

uint64_t tcp_proportional_reduction_window(tcp_proportional_reduction *reduction,
                                           const tcp_proportional_ack *ack)
{
  reduction->delivered_octets += ack->delivered_octets;
  if (ack->pipe_octets > ack->threshold_octets) {
    unsigned __int128 share = (unsigned __int128)reduction->delivered_octets * ack->threshold_octets;
    uint32_t unit_octets = ack->segments ? ack->smss_octets : 1;
    unsigned __int128 flight = (unsigned __int128)reduction->flight_octets * unit_octets;
    uint64_t may_send = (uint64_t)((share + flight - 1) / flight) * unit_octets;
    return ack->pipe_octets + less(may_send, reduction->sent_octets);
  }
  uint64_t limit = MAX(less(reduction->delivered_octets, reduction->sent_octets), ack->delivered_octets) +
                   (ack->safe ? ack->smss_octets : 0);
  return ack->pipe_octets + MIN(ack->threshold_octets - ack->pipe_octets, limit);
}
