#include "tcp/tcp_newreno.h"

typedef struct newreno_state {
  uint64_t counted_octets;
} newreno_state;

void tcp_newreno_avoid(uint64_t *counted_octets, tcp_congestion_window *window, uint64_t octets)
{
  *counted_octets += octets;
  if (*counted_octets >= window->octets) {
    *counted_octets -= window->octets;
    window->octets += window->smss_octets;
  }
}

static void avoid(void *state, tcp_congestion_window *window, const tcp_congestion_ack *ack, uint64_t octets,
                  time_ps now)
{
  newreno_state *reno = state;
  (void)ack;
  (void)now;
  tcp_newreno_avoid(&reno->counted_octets, window, octets);
}

static uint64_t after_loss(void *state, const tcp_congestion_window *window, uint64_t flight_octets,
                           bool timed_out)
{
  newreno_state *reno = state;
  (void)window;
  (void)timed_out;
  reno->counted_octets = 0;
  return flight_octets / 2;
}

const tcp_congestion_control *tcp_newreno(void)
{
  static const tcp_congestion_control control = {
      .state_octets = sizeof(newreno_state), .avoid = avoid, .after_loss = after_loss};
  return &control;
}
