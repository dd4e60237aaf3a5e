/* SPDX-License-Identifier: GPL-2.0-only */
/* NewReno, and DCTCP, whose growth and losses are NewReno's. */
#include <glib.h>

#include "base/integer_math.h"
#include "tcp/tcp_congestion_control.h"

/* --- NewReno --- */

typedef struct newreno_state {
  uint64_t counted_octets; /* acknowledged since the window last grew; 0 after a reduction */
} newreno_state;

/* A window of octets makes the window one SMSS larger. */
static void newreno_avoid(void *state, tcp_congestion_window *window,
                          G_GNUC_UNUSED const tcp_congestion_ack *ack, uint64_t octets,
                          G_GNUC_UNUSED time_ps now)
{
  newreno_state *reno = state;
  reno->counted_octets += octets;
  if (reno->counted_octets >= window->octets) {
    reno->counted_octets -= window->octets;
    window->octets += window->smss_octets;
  }
}

static uint64_t newreno_after_loss(void *state, G_GNUC_UNUSED const tcp_congestion_window *window,
                                   uint64_t basis_octets)
{
  newreno_state *reno = state;
  reno->counted_octets = 0;
  return basis_octets / 2;
}

const tcp_congestion_control tcp_newreno = {
    .state_octets = sizeof(newreno_state), .avoid = newreno_avoid, .after_loss = newreno_after_loss};

/* --- DCTCP --- */

enum {
  SHARE_BITS = 32, /* alpha in 2^-32 */
  GAIN_BITS = 4,   /* g = 1/16 (RFC 8257 §3.3, §4.2) */
};

typedef struct dctcp_state {
  newreno_state reno;           /* first: growth (§3.3) and losses (§3.5) are as of any TCP */
  uint64_t alpha;               /* DCTCP.Alpha; 2^32 is 1 */
  uint64_t window_end;          /* DCTCP.WindowEnd: SND.NXT when this window of observation began */
  uint64_t acknowledged_octets; /* in it: DCTCP.BytesAcked */
  uint64_t marked_octets;       /* DCTCP.BytesMarked */
} dctcp_state;

static void dctcp_start(void *state)
{
  dctcp_state *dctcp = state;
  dctcp->alpha = UINT64_C(1) << SHARE_BITS; /* §3.3: to be careful at first */
}

/* Steps 2 to 9 of §3.3. */
static void dctcp_observe(void *state, G_GNUC_UNUSED const tcp_congestion_window *window,
                          const tcp_congestion_ack *ack, G_GNUC_UNUSED time_ps now)
{
  dctcp_state *dctcp = state;
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

/* §3.3, the reduction: cwnd (1 - alpha / 2). Of cwnd, not of what is in flight, as the document has it. */
static uint64_t dctcp_after_mark(void *state, const tcp_congestion_window *window,
                                 G_GNUC_UNUSED uint64_t basis_octets)
{
  dctcp_state *dctcp = state;
  dctcp->reno.counted_octets = 0;
  return window->octets - (uint64_t)((uint128)window->octets * dctcp->alpha >> (SHARE_BITS + 1));
}

const tcp_congestion_control tcp_dctcp = {.state_octets = sizeof(dctcp_state),
                                          .start = dctcp_start,
                                          .observes_slow_start = true,
                                          .observe = dctcp_observe,
                                          .avoid = newreno_avoid,
                                          .after_loss = newreno_after_loss,
                                          .after_mark = dctcp_after_mark};
