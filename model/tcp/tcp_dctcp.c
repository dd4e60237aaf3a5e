#include "tcp/tcp_dctcp.h"

#include "base/uint128.h"
#include "tcp/tcp_newreno.h"

enum {
  SHARE_BITS = 32, /* alpha in 2^-32 */
  GAIN_BITS = 4,   /* g = 1/16 (RFC 8257 §3.3, §4.2) */
};

typedef struct dctcp_state {
  uint64_t alpha;               /* DCTCP.Alpha; 2^32 is 1 */
  uint64_t window_end;          /* DCTCP.WindowEnd: SND.NXT when this window of observation began */
  uint64_t acknowledged_octets; /* in it: DCTCP.BytesAcked */
  uint64_t marked_octets;       /* DCTCP.BytesMarked */
  uint64_t counted_octets;      /* NewReno's */
} dctcp_state;

static void start(void *state)
{
  dctcp_state *dctcp = state;
  dctcp->alpha = UINT64_C(1) << SHARE_BITS; /* §3.3: to be careful at first */
}

/* Steps 2 to 9 of §3.3. */
static void observe(void *state, const tcp_congestion_window *window, const tcp_congestion_ack *ack,
                    time_ps now)
{
  dctcp_state *dctcp = state;
  (void)window;
  (void)now;
  dctcp->acknowledged_octets += ack->octets;
  dctcp->marked_octets += ack->congestion_experienced ? ack->octets : 0;
  if (ack->position <= dctcp->window_end || dctcp->acknowledged_octets == 0) {
    return;
  }
  uint64_t share = (uint64_t)(((uint128)dctcp->marked_octets << SHARE_BITS) / dctcp->acknowledged_octets);
  dctcp->alpha = dctcp->alpha - (dctcp->alpha >> GAIN_BITS) + (share >> GAIN_BITS);
  dctcp->window_end = ack->next;
  dctcp->acknowledged_octets = 0;
  dctcp->marked_octets = 0;
}

static void avoid(void *state, tcp_congestion_window *window, const tcp_congestion_ack *ack, uint64_t octets,
                  time_ps now)
{
  dctcp_state *dctcp = state;
  (void)ack;
  (void)now;
  tcp_newreno_avoid(&dctcp->counted_octets, window, octets);
}

/* §3.5: as any TCP. */
static uint64_t after_loss(void *state, const tcp_congestion_window *window, uint64_t flight_octets,
                           bool timed_out)
{
  dctcp_state *dctcp = state;
  (void)window;
  (void)timed_out;
  dctcp->counted_octets = 0;
  return flight_octets / 2;
}

/* §3.3, the reduction: cwnd (1 - alpha / 2). Of cwnd, not of what is in flight, as the document says. */
static uint64_t after_mark(void *state, const tcp_congestion_window *window, uint64_t flight_octets)
{
  dctcp_state *dctcp = state;
  (void)flight_octets;
  dctcp->counted_octets = 0;
  return window->octets - (uint64_t)((uint128)window->octets * dctcp->alpha >> (SHARE_BITS + 1));
}

const tcp_congestion_control *tcp_dctcp(void)
{
  static const tcp_congestion_control control = {.state_octets = sizeof(dctcp_state),
                                                 .start = start,
                                                 .observes_slow_start = true,
                                                 .observe = observe,
                                                 .avoid = avoid,
                                                 .after_loss = after_loss,
                                                 .after_mark = after_mark};
  return &control;
}
