/* The inside of tcp_congestion, for the sender that it lies in. */
#ifndef TCP_TCP_CONGESTION_PRIVATE_H
#define TCP_TCP_CONGESTION_PRIVATE_H

#include "tcp/tcp_congestion_control.h"
#include "tcp/tcp_hystart.h"
#include "tcp/tcp_hystart_pp.h"

/* What tcp_congestion_remember() keeps. */
typedef struct tcp_congestion_memory tcp_congestion_memory;

struct tcp_congestion {
  tcp_congestion_window window;
  const tcp_congestion_control *control;
  void *state;                   /* NULL before the control has anything to do: state_of() */
  tcp_congestion_memory *before; /* NULL before the first */
  uint32_t restart_octets;       /* RFC 5681 §4.1: the initial window */
  bool inflated;                 /* the window counts what has left the network, too (RFC 6582 §3.2) */
  bool remembers;                /* `before` is of tcp_congestion_remember(), and not used up */
  bool has_hystart;              /* not together with `hystart_pp` */
  bool paced;
  time_ps shortest_ps;  /* HyStart's, while nothing is in flight */
  tcp_hystart *hystart; /* NULL while nothing is in flight */
  tcp_hystart_pp *hystart_pp;
};

/* A window of `initial_window_octets` (RFC 6928), no slow start threshold yet, nothing in flight; frees what it has. */
void tcp_congestion_init(tcp_congestion *congestion, tcp_congestion_kind kind, tcp_slow_start_kind slow_start,
                         uint32_t smss_octets, uint64_t initial_window_octets);
void tcp_congestion_clear(tcp_congestion *congestion);

/* Something is in flight, or an acknowledgement is at hand: lends `hystart`, uninitialised, until tcp_congestion_end_flight(). What
 * is acknowledged later was sent later, and begins a round of HyStart's anyway. */
void tcp_congestion_begin_flight(tcp_congestion *congestion, tcp_hystart *hystart);
void tcp_congestion_end_flight(tcp_congestion *congestion);

#endif
