/* Proportional Rate Reduction: the window within fast recovery (RFC 6937). What is sent is to what is
 * delivered as the threshold is to what was in flight at first; below the threshold it grows back, by slow
 * start when nothing more is lost (as Linux and RFC 9937 §6.2 do), else only by what is delivered. Octets. */
#ifndef TCP_TCP_PROPORTIONAL_REDUCTION_H
#define TCP_TCP_PROPORTIONAL_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tcp_proportional_reduction {
  uint64_t flight_octets;    /* RecoverFS */
  uint64_t delivered_octets; /* prr_delivered */
  uint64_t sent_octets;      /* prr_out */
} tcp_proportional_reduction;

/* A recovery begins with `flight_octets` in flight. */
void tcp_proportional_reduction_begin(tcp_proportional_reduction *reduction, uint64_t flight_octets);

/* `octets` were sent in it, new or again. */
void tcp_proportional_reduction_sent(tcp_proportional_reduction *reduction, uint64_t octets);

/* What an acknowledgement in it tells. */
typedef struct tcp_proportional_ack {
  uint64_t delivered_octets; /* DeliveredData: newly acknowledged, cumulatively or by SACK */
  uint64_t pipe_octets;
  uint64_t threshold_octets;
  uint32_t smss_octets;
  bool
      segments; /* the window counts segments: all of this is in whole ones, and what may be sent is rounded up to one */
  bool safe; /* SND.UNA has moved and nothing more was found lost */
} tcp_proportional_ack;

/* The window after it: pipe and what may be sent now (sndcnt). */
uint64_t tcp_proportional_reduction_window(tcp_proportional_reduction *reduction,
                                           const tcp_proportional_ack *ack);

#endif
