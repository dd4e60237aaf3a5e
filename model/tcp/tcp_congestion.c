/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_congestion.h"

#include <glib.h>
#include <string.h>

#include "base/numbers.h"
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

/* NewReno has congestion avoidance by counted octets (RFC 3465 §2.1), and half of what is in flight at a loss
 * (RFC 5681 equation 4). Its inflation within fast recovery (RFC 6582) is the same for every control. */
static const tcp_congestion_control newreno = {
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

/* DCTCP (RFC 8257): the receiver echoes every mark, the sender estimates the share of octets that were
 * marked, alpha, and reduces by half of it, once a window. */
static const tcp_congestion_control dctcp = {.state_octets = sizeof(dctcp_state),
                                             .start = dctcp_start,
                                             .observes_slow_start = true,
                                             .observe = dctcp_observe,
                                             .avoid = newreno_avoid,
                                             .after_loss = newreno_after_loss,
                                             .after_mark = dctcp_after_mark};

enum {
  SLOW_START_SEGMENTS = 2, /* an acknowledgement: RFC 3465 §2.2, L */
  LOSS_FLOOR_SEGMENTS = 2, /* RFC 5681 equation 4 */
};

/* This is what tcp_congestion_remember() keeps: the window, and the control's state as it was. It lies after
 * the present state: memory_of(). */
typedef struct tcp_congestion_memory {
  tcp_congestion_window window;
  uint64_t state[];
} tcp_congestion_memory;

static const tcp_congestion_control *control_of(const tcp_config *config)
{
  switch (config->congestion) {
  case TCP_CONGESTION_NEWRENO:
    return &newreno;
  case TCP_CONGESTION_CUBIC:
    return config->cubic == TCP_CUBIC_LINUX ? &tcp_cubic_linux : &tcp_cubic;
  case TCP_CONGESTION_DCTCP:
    return &dctcp;
  }
  g_assert_not_reached();
}

static void *state_of(tcp_congestion *congestion)
{
  if (!congestion->state) {
    congestion->state = g_malloc0(2 * congestion->control->state_octets + sizeof(tcp_congestion_memory));
    if (congestion->control->start) {
      congestion->control->start(congestion->state);
    }
  }
  return congestion->state;
}

static tcp_congestion_memory *memory_of(tcp_congestion *congestion)
{
  return (tcp_congestion_memory *)(void *)((uint8_t *)state_of(congestion) +
                                           congestion->control->state_octets);
}

void tcp_congestion_init(tcp_congestion *congestion, const tcp_config *config, uint32_t smss_octets,
                         uint64_t initial_window_octets)
{
  tcp_slow_start_kind kind = config->slow_start;
  g_assert(smss_octets > 0 && initial_window_octets >= smss_octets && initial_window_octets <= UINT32_MAX);
  const bool is_pp = kind == TCP_SLOW_START_HYSTART_PP;
  *congestion = (tcp_congestion){
      /* RFC 5681 §3.1: the threshold is arbitrarily high */
      .window = {.smss_octets = smss_octets, .octets = initial_window_octets, .threshold_octets = UINT64_MAX},
      .restart_octets = (uint32_t)initial_window_octets,
      .control = control_of(config),
      .has_hystart = kind == TCP_SLOW_START_HYSTART || kind == TCP_SLOW_START_HYSTART_16 ||
                     (kind == TCP_SLOW_START_AUTO && config->congestion == TCP_CONGESTION_CUBIC),
      .late_rounds = kind == TCP_SLOW_START_HYSTART_16,
      .paced = config->pacing,
      .of_segments = config->window_of_segments,
      .of_window = config->threshold_of_window,
      .shortest_ps = TIME_PS_NEVER,
      .has_hystart_pp = is_pp,
  };
  if (is_pp) {
    congestion->hystart_pp = tcp_hystart_pp_new();
  }
}

void tcp_congestion_begin_flight(tcp_congestion *congestion, tcp_hystart *hystart)
{
  if (congestion->has_hystart) {
    *hystart = (tcp_hystart){.shortest_ps = congestion->shortest_ps,
                             .late_rounds = congestion->late_rounds,
                             .paced = congestion->paced};
    congestion->hystart = hystart;
    congestion->in_flight = true;
  }
}

void tcp_congestion_end_flight(tcp_congestion *congestion)
{
  if (congestion->in_flight) {
    congestion->shortest_ps = congestion->hystart->shortest_ps;
    congestion->in_flight = false;
  }
}

bool tcp_congestion_in_slow_start(const tcp_congestion *congestion)
{
  return congestion->window.octets < congestion->window.threshold_octets;
}

static void change_smss(tcp_congestion *congestion, tcp_congestion_window *window, void *state,
                        uint32_t smss_octets, bool keeps_segments)
{
  uint32_t before_octets = window->smss_octets;
  window->smss_octets = smss_octets;
  if (keeps_segments) {
    window->octets = tcp_congestion_scaled(window->octets, before_octets, smss_octets);
    window->threshold_octets = tcp_congestion_scaled(window->threshold_octets, before_octets, smss_octets);
  }
  window->octets = MAX(window->octets, smss_octets);
  if (congestion->control->smss_changed) {
    congestion->control->smss_changed(state, keeps_segments ? before_octets : smss_octets, smss_octets);
  }
}

void tcp_congestion_set_smss(tcp_congestion *congestion, uint32_t smss_octets, bool keeps_segments)
{
  g_assert(smss_octets > 0);
  if (smss_octets == congestion->window.smss_octets) {
    return;
  }
  if (keeps_segments) {
    congestion->restart_octets = (uint32_t)tcp_congestion_scaled(congestion->restart_octets,
                                                                 congestion->window.smss_octets, smss_octets);
  }
  change_smss(congestion, &congestion->window, state_of(congestion), smss_octets, keeps_segments);
  if (congestion->remembers) {
    tcp_congestion_memory *memory = memory_of(congestion);
    change_smss(congestion, &memory->window, memory->state, smss_octets, keeps_segments);
  }
}

void tcp_congestion_judge_delay(tcp_congestion *congestion, const tcp_congestion_ack *ack, time_ps now)
{
  const tcp_congestion_control *control = congestion->control;
  tcp_congestion_window *window = &congestion->window;
  if (!congestion->in_flight || congestion->found || !tcp_congestion_in_slow_start(congestion)) {
    return;
  }
  bool disregards =
      congestion->state && control->disregards_delay && control->disregards_delay(congestion->state, now);
  if (!disregards && tcp_hystart_should_stop(congestion->hystart, ack, window, now)) {
    congestion->found = true;
    window->threshold_octets = window->octets;
  }
}

/* Returns what HyStart makes of an acknowledgement in slow start: by which share the window shall grow; it
 * may end slow start. */
static uint32_t heed_delay(tcp_congestion *congestion, const tcp_congestion_ack *ack, time_ps now)
{
  tcp_congestion_window *window = &congestion->window;
  if (!ack->judged && congestion->in_flight) {
    tcp_congestion_judge_delay(congestion, ack, now);
  }
  /* RFC 9406 §4.3: only in the first slow start; later ones have a threshold that was found. */
  if (!congestion->has_hystart_pp || window->threshold_octets < UINT64_MAX) {
    return 1;
  }
  if (tcp_hystart_pp_should_stop(congestion->hystart_pp, ack)) {
    window->threshold_octets = window->octets;
  }
  return tcp_hystart_pp_divisor(congestion->hystart_pp);
}

/* Returns how many octets are left for congestion avoidance: those of an unlimited slow start beyond the
 * threshold. */
static uint64_t start_slowly(tcp_congestion_window *window, const tcp_congestion_ack *ack, uint32_t divisor)
{
  if (!ack->unlimited_slow_start) {
    uint64_t limit = (uint64_t)window->smss_octets * (ack->after_timeout ? 1 : SLOW_START_SEGMENTS);
    window->octets += MIN(ack->octets, limit) / divisor;
    return 0;
  }
  uint64_t growth = MIN(ack->octets / divisor, window->threshold_octets - window->octets);
  window->octets += growth;
  return window->octets < window->threshold_octets ? 0 : ack->octets - growth * divisor;
}

inline void tcp_congestion_acknowledged(tcp_congestion *congestion, const tcp_congestion_ack *ack,
                                        time_ps now)
{
  const tcp_congestion_control *control = congestion->control;
  tcp_congestion_window *window = &congestion->window;
  uint32_t divisor = 1;
  bool observes = control->observe && (congestion->state || control->observes_slow_start ||
                                       !tcp_congestion_in_slow_start(congestion));
  if (observes) {
    control->observe(state_of(congestion), window, ack, now);
  }
  if (ack->in_recovery) {
    return;
  }
  if (tcp_congestion_in_slow_start(congestion)) {
    divisor = heed_delay(congestion, ack, now);
  }
  if (!ack->limited) {
    return; /* RFC 7661, RFC 9438 §5.8: a window that is not full does not show whether there is room for
               more */
  }
  uint64_t octets = ack->octets;
  if (tcp_congestion_in_slow_start(congestion)) {
    octets = start_slowly(window, ack, divisor);
    if (octets == 0) {
      return;
    }
  }
  control->avoid(state_of(congestion), window, ack, octets, now);
}

static void take_threshold(tcp_congestion *congestion, uint64_t octets)
{
  tcp_congestion_window *window = &congestion->window;
  window->threshold_octets = MAX(octets, LOSS_FLOOR_SEGMENTS * (uint64_t)window->smss_octets);
  window->octets = window->threshold_octets;
  congestion->inflated = false;
}

void tcp_congestion_reduce(tcp_congestion *congestion, uint64_t flight_octets)
{
  const tcp_congestion_window *window = &congestion->window;
  uint64_t basis_octets = congestion->of_window ? window->octets : flight_octets;
  uint64_t octets = congestion->control->after_loss(state_of(congestion), window, basis_octets);
  take_threshold(congestion, congestion->of_segments ? octets - octets % window->smss_octets : octets);
}

void tcp_congestion_reduce_for_ecn(tcp_congestion *congestion, uint64_t flight_octets)
{
  const tcp_congestion_window *window = &congestion->window;
  congestion->remembers = false;
  if (congestion->control->after_mark) {
    uint64_t octets = congestion->control->after_mark(state_of(congestion), window, flight_octets);
    /* what is taken away is in whole segments, too (Linux, dctcp_ssthresh()) */
    uint64_t spare_octets = (window->octets - octets) % window->smss_octets;
    take_threshold(congestion, congestion->of_segments ? octets + spare_octets : octets);
  } else {
    tcp_congestion_reduce(congestion, flight_octets);
  }
}

void tcp_congestion_collapse(tcp_congestion *congestion, uint64_t flight_octets, bool reduces)
{
  if (reduces) {
    tcp_congestion_reduce(congestion, flight_octets);
  }
  if (congestion->control->timed_out) {
    congestion->control->timed_out(state_of(congestion));
  }
  congestion->window.octets = congestion->window.smss_octets;
  congestion->inflated = false;
  congestion->found = false;
  if (congestion->in_flight) {
    congestion->hystart->shortest_ps = TIME_PS_NEVER;
    congestion->hystart->in_round = false;
  }
}

void tcp_congestion_remember(tcp_congestion *congestion)
{
  congestion->remembers = true;
  memory_of(congestion)->window = congestion->window;
  memcpy(memory_of(congestion)->state, state_of(congestion), congestion->control->state_octets);
}

void tcp_congestion_undo(tcp_congestion *congestion)
{
  const tcp_congestion_memory *before = memory_of(congestion);
  tcp_congestion_window *window = &congestion->window;
  if (!congestion->remembers) {
    return;
  }
  congestion->remembers = false;
  if (congestion->inflated) {
    window->octets = MIN(window->octets, window->threshold_octets);
    congestion->inflated = false;
  }
  window->octets = MAX(window->octets, before->window.octets);
  window->threshold_octets = MAX(window->threshold_octets, before->window.threshold_octets);
  if (congestion->control->undoes) {
    memcpy(state_of(congestion), before->state, congestion->control->state_octets);
  }
}

void tcp_congestion_restart_after_idle(tcp_congestion *congestion, time_ps idle_ps)
{
  uint64_t restart = MAX(congestion->restart_octets, congestion->window.smss_octets);
  bool cut = congestion->window.octets > restart;
  congestion->window.octets = MIN(congestion->window.octets, restart);
  if (congestion->control->idled) {
    congestion->control->idled(state_of(congestion), idle_ps, cut);
  }
}

void tcp_congestion_decay(tcp_congestion *congestion, time_ps idle_ps, time_ps rto_ps)
{
  tcp_congestion_window *window = &congestion->window;
  uint64_t restart = MAX(congestion->restart_octets, window->smss_octets);
  uint64_t segments = window->octets / window->smss_octets;
  window->threshold_octets =
      MAX(window->threshold_octets, (segments / 2 + segments / 4) * window->smss_octets);
  for (time_ps left = idle_ps - rto_ps; left > 0 && window->octets > restart; left -= rto_ps) {
    segments /= 2;
    window->octets = MAX(segments * window->smss_octets, restart);
  }
  if (congestion->control->idled) {
    congestion->control->idled(state_of(congestion), idle_ps, false);
  }
}

void tcp_congestion_resume(tcp_congestion *congestion, time_ps idle_ps, time_ps now)
{
  if (congestion->state && congestion->control->resumed) {
    congestion->control->resumed(congestion->state, idle_ps, now);
  }
}

void tcp_congestion_set_window(tcp_congestion *congestion, uint64_t octets)
{
  congestion->window.octets = octets;
  congestion->inflated = false;
}

void tcp_congestion_inflate(tcp_congestion *congestion, uint64_t octets)
{
  congestion->window.octets += octets;
  congestion->inflated = true;
}

void tcp_congestion_deflate(tcp_congestion *congestion, uint64_t octets)
{
  tcp_congestion_window *window = &congestion->window;
  uint64_t back = octets >= window->smss_octets ? window->smss_octets : 0;
  window->octets -= MIN(octets, window->octets);
  window->octets = MAX(window->octets + back, window->smss_octets);
}

void tcp_congestion_end_inflation(tcp_congestion *congestion, uint64_t flight_octets)
{
  tcp_congestion_window *window = &congestion->window;
  uint64_t burst_limit = MAX(flight_octets, window->smss_octets) + window->smss_octets;
  window->octets = MIN(window->threshold_octets, burst_limit);
  congestion->inflated = false;
}
