/* SPDX-License-Identifier: GPL-2.0-only */
/* Proportional Rate Reduction determines the window within fast recovery (RFC 6937). The ratio of octets sent
 * to octets delivered is that of the threshold to the octets first in flight. Below the threshold the window
 * grows back, by slow start when nothing more is lost (as Linux and RFC 9937 §6.2 do), else only by what is
 * delivered. Octets. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct tcp_prr {
  uint64_t flight_octets;    /* RecoverFS (Linux: prior_cwnd), > 0 */
  uint64_t delivered_octets; /* prr_delivered: 0 when a recovery begins */
  uint64_t sent_octets;      /* prr_out, new or again: so, too */
} tcp_prr;

/* This is what an acknowledgement in it shows. */
typedef struct tcp_prr_ack {
  uint64_t delivered_octets; /* DeliveredData: newly acknowledged, cumulatively or by SACK */
  uint64_t pipe_octets;
  uint64_t threshold_octets;
  uint32_t smss_octets;
  bool segments; /* the window counts segments: all of this is in whole ones, and what may be sent is rounded
                    up to one */
  bool safe;     /* SND.UNA has moved and nothing more was found lost */
} tcp_prr_ack;

/* Returns the window after it: pipe and what may be sent now (sndcnt). */
uint64_t tcp_prr_window(tcp_prr *prr, const tcp_prr_ack *ack);
