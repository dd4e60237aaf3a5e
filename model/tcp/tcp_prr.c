/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_prr.h"

#include <glib.h>

#include "base/integer_math.h"
static uint64_t less(uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

uint64_t tcp_prr_window(tcp_prr *prr, const tcp_prr_ack *ack)
{
  uint64_t may_send;
  prr->delivered_octets += ack->delivered_octets;
  if (ack->pipe_octets > ack->threshold_octets) {
    uint128 share = (uint128)prr->delivered_octets * ack->threshold_octets;
    uint32_t unit_octets = ack->segments ? ack->smss_octets : 1;
    uint128 flight = (uint128)prr->flight_octets * unit_octets;
    may_send = less((uint64_t)((share + flight - 1) / flight) * unit_octets, prr->sent_octets);
  } else {
    may_send = MAX(less(prr->delivered_octets, prr->sent_octets), ack->delivered_octets) +
               (ack->safe ? ack->smss_octets : 0);
    may_send = MIN(ack->threshold_octets - ack->pipe_octets, may_send);
  }
  /* RFC 9937 §6.2: a retransmission leaves when recovery begins. */
  bool forces_one = may_send == 0 && prr->sent_octets == 0 && prr->delivered_octets > 0;
  return ack->pipe_octets + (forces_one ? ack->smss_octets : may_send);
}
