/* The congestion window: slow start and congestion avoidance with byte counting (RFC 5681 §3.1, RFC 3465),
 * and what a loss does to it (RFC 5681 §3.2, RFC 6582 §3.2, RFC 6675 §5). All in octets; SMSS is EMSS. */
#ifndef TCP_TCP_CONGESTION_H
#define TCP_TCP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tcp_congestion tcp_congestion;

/* A window of `initial_window_octets` (RFC 6928), no slow start threshold yet; free with
 * tcp_congestion_free(). */
tcp_congestion *tcp_congestion_new(uint32_t smss_octets, uint64_t initial_window_octets);
void tcp_congestion_free(tcp_congestion *congestion);

uint64_t tcp_congestion_window_octets(const tcp_congestion *congestion);
uint64_t tcp_congestion_threshold_octets(const tcp_congestion *congestion);

/* SMSS has changed with the path MTU. The window keeps its octets (RFC 1191 §6.4: a smaller MTU is no sign of
 * congestion), but lets a segment of the new size pass. */
void tcp_congestion_set_smss(tcp_congestion *congestion, uint32_t smss_octets);

/* `octets` more are acknowledged outside of recovery, and the window was the limit: slow start by at most
 * 2 SMSS an acknowledgement, 1 SMSS with `after_timeout` (RFC 3465 §2.2, §2.3); congestion avoidance by 1
 * SMSS a window. */
void tcp_congestion_grow(tcp_congestion *congestion, uint64_t octets, bool after_timeout);

/* A recovery starts with `flight_octets` in flight: threshold and window become half of it, at least 2
 * SMSS (RFC 5681 equation 4, RFC 6675 §5 step 4.2). */
void tcp_congestion_halve(tcp_congestion *congestion, uint64_t flight_octets);

/* NewReno's inflation by what left the network (RFC 6582 §3.2 steps 2 and 4). */
void tcp_congestion_inflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's partial acknowledgement of `octets`: deflated by them, back by 1 SMSS if they were that many
 * (RFC 6582 §3.2 step 3). */
void tcp_congestion_deflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's full acknowledgement with `flight_octets` still in flight (RFC 6582 §3.2 step 3, the first
 * option). */
void tcp_congestion_end_inflation(tcp_congestion *congestion, uint64_t flight_octets);

/* The retransmission timer has expired: the window is 1 SMSS; for the `first` time in a row the threshold
 * is half of `flight_octets`, at least 2 SMSS (RFC 5681 §3.1). */
void tcp_congestion_collapse(tcp_congestion *congestion, uint64_t flight_octets, bool first);

#endif
