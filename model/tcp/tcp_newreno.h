/* NewReno's part of the congestion window: congestion avoidance by counted octets (RFC 3465 §2.1) and half of what is in
 * flight at a loss (RFC 5681 equation 4). Its inflation within fast recovery (RFC 6582) is tcp_congestion's. */
#ifndef TCP_TCP_NEWRENO_H
#define TCP_TCP_NEWRENO_H

#include "tcp/tcp_congestion_control.h"

const tcp_congestion_control *tcp_newreno(void);

/* Congestion avoidance: `octets` more are acknowledged. `*counted_octets`, 0 after a reduction, is what has been acknowledged
 * since the window last grew; a window of them makes it one SMSS larger. Also DCTCP's (RFC 8257 §3.3: as RFC 5681). */
void tcp_newreno_avoid(uint64_t *counted_octets, tcp_congestion_window *window, uint64_t octets);

#endif
