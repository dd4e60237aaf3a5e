/* SPDX-License-Identifier: GPL-2.0-only */
/* CUBIC as Linux 6.1 computes it (net/ipv4/tcp_cubic.c): in whole segments, and in ticks of the clock. Beside
 * RFC 9438: the Reno-friendly slope stays 8/15; before any loss, and after a time-out, the window grows by at
 * least a 20th a round trip; how fast it grows is computed anew at most once a tick. The functions that are
 * named here are Linux's. */

#include <glib.h>

#include "base/numbers.h"
#include "tcp/tcp_congestion_control.h"

enum {
  HZ = 250, /* Debian 12's */
  BETA = 717,
  SCALE_BITS = 10,             /* of BETA: BICTCP_BETA_SCALE; and of time within an epoch, BICTCP_HZ */
  SLOPE_NUMERATOR = 15,        /* ACKs of 15/8 windows make W_est a segment larger: beta_scale */
  SLOPE_DENOMINATOR = 8,       /* … which is 8 (1 + beta) / 3 / (1 - beta), rounded down */
  CURVE_SCALE = 41 * 10,       /* cube_rtt_scale: C = 410 / 1024 */
  CURVE_BITS = 10 + 3 * 10,    /* of CURVE_SCALE, and of the cube of a time */
  FIRST_ACKS_PER_SEGMENT = 20, /* at most, as long as there is no last maximum */
  LEAST_ACKS_PER_SEGMENT = 2,  /* the window grows by at most a half a round trip */
  SLOW_ACKS_PER_SEGMENT = 100, /* windows: the curve is not above the window */
  UNCHANGED_WINDOW_TICKS = HZ / 32,
};
#define TICK_PS (TIME_PS_PER_SECOND / HZ)

typedef struct cubic_state {
  int64_t start;        /* epoch_start, in ticks */
  int64_t updated;      /* last_time: when the curve was looked at last, in ticks */
  uint32_t least_acks;  /* cnt: so many segments acknowledged make the window one larger */
  uint32_t maximum;     /* last_max_cwnd; 0: no loss yet, or the last one was a time-out */
  uint32_t last;        /* last_cwnd: the window then */
  uint32_t origin;      /* bic_origin_point */
  uint32_t flat_after;  /* bic_K, in 2^-10 s */
  uint32_t counted;     /* ack_cnt: acknowledged, not yet in `estimate` */
  uint32_t estimate;    /* tcp_cwnd, W_est */
  uint32_t credit;      /* snd_cwnd_cnt: acknowledged since the window last grew */
  uint32_t rest_octets; /* acknowledged, less than a segment: where the window counts octets */
  bool in_epoch;
} cubic_state;

static int64_t ticks(time_ps time)
{
  return time / TICK_PS;
}

static uint32_t segments_of(const tcp_congestion_window *window)
{
  return (uint32_t)MAX(window->octets / window->smss_octets, 1);
}

/* A first ACK after a reduction begins an epoch at the window that the reduction made. */
static void begin_epoch(cubic_state *cubic, uint32_t window, uint32_t acknowledged, int64_t now)
{
  cubic->in_epoch = true;
  cubic->start = now;
  cubic->counted = acknowledged;
  cubic->estimate = window;
  cubic->origin = MAX(cubic->maximum, window);
  cubic->flat_after =
      (uint32_t)integer_cube_root(((uint128)(cubic->origin - window) << CURVE_BITS) / CURVE_SCALE);
}

/* Returns where the curve is a least round trip from `now`. */
static int64_t curve(const cubic_state *cubic, time_ps least_ps, int64_t now)
{
  int64_t delay = (least_ps + TICK_PS - 1) / TICK_PS;
  int64_t time = (now - cubic->start + delay) * (1 << SCALE_BITS) / HZ;
  uint128 distance = (uint128)ABS(time - cubic->flat_after);
  int64_t rise = (int64_t)MIN(CURVE_SCALE * distance * distance * distance >> CURVE_BITS, (uint128)INT32_MAX);
  return cubic->origin + (time < cubic->flat_after ? -rise : rise);
}

/* Returns how many ACKs a segment of growth takes, for the curve. */
static uint32_t acks_for_curve(const cubic_state *cubic, uint32_t window, time_ps least_ps, int64_t now)
{
  int64_t target = curve(cubic, least_ps, now);
  uint32_t acks = target > window ? (uint32_t)(window / (target - window)) : SLOW_ACKS_PER_SEGMENT * window;
  return cubic->maximum == 0 ? MIN(acks, FIRST_ACKS_PER_SEGMENT) : acks;
}

/* bictcp_update() */
static void update(cubic_state *cubic, uint32_t window, uint32_t acknowledged, time_ps least_ps, int64_t now)
{
  cubic->counted += acknowledged;
  if (cubic->last == window && now - cubic->updated <= UNCHANGED_WINDOW_TICKS) {
    return;
  }
  if (!cubic->in_epoch || now != cubic->updated) {
    cubic->last = window;
    cubic->updated = now;
    if (!cubic->in_epoch) {
      begin_epoch(cubic, window, acknowledged, now);
    }
    cubic->least_acks = acks_for_curve(cubic, window, least_ps, now);
  }
  uint32_t step = window * SLOPE_NUMERATOR / SLOPE_DENOMINATOR;
  uint32_t steps = cubic->counted > 0 ? (cubic->counted - 1) / step : 0;
  cubic->counted -= steps * step;
  cubic->estimate += steps;
  if (cubic->estimate > window) { /* Reno would have a larger window */
    cubic->least_acks = MIN(cubic->least_acks, window / (cubic->estimate - window));
  }
  cubic->least_acks = MAX(cubic->least_acks, LEAST_ACKS_PER_SEGMENT);
}

/* tcp_cong_avoid_ai() */
static uint32_t growth(cubic_state *cubic, uint32_t acknowledged)
{
  uint32_t segments = 0;
  if (cubic->credit >= cubic->least_acks) { /* what was saved when growth was slower counts gently */
    cubic->credit = 0;
    segments = 1;
  }
  cubic->credit += acknowledged;
  segments += cubic->credit / cubic->least_acks;
  cubic->credit %= cubic->least_acks;
  return segments;
}

static void avoid(void *state, tcp_congestion_window *window, const tcp_congestion_ack *ack, uint64_t octets,
                  time_ps now)
{
  cubic_state *cubic = state;
  uint64_t counted_octets = octets + cubic->rest_octets;
  uint32_t acknowledged = (uint32_t)(counted_octets / window->smss_octets);
  cubic->rest_octets = (uint32_t)(counted_octets % window->smss_octets);
  update(cubic, segments_of(window), acknowledged, ack->least_ps, ticks(now));
  window->octets += (uint64_t)growth(cubic, acknowledged) * window->smss_octets;
}

/* cubictcp_recalc_ssthresh(), with fast convergence (RFC 9438 §4.7). */
static uint64_t after_loss(void *state, const tcp_congestion_window *window, uint64_t basis_octets)
{
  cubic_state *cubic = state;
  uint64_t segments = segments_of(window);
  cubic->in_epoch = false;
  cubic->credit = 0;
  cubic->maximum = segments < cubic->maximum
                       ? (uint32_t)(segments * ((1 << SCALE_BITS) + BETA) >> (SCALE_BITS + 1))
                       : (uint32_t)segments;
  return (basis_octets / window->smss_octets * BETA >> SCALE_BITS) * window->smss_octets;
}

/* cubictcp_acked(): none for a second after an epoch began, in slow start again because the recovery was
 * undone. */
static bool disregards_delay(const void *state, time_ps now)
{
  const cubic_state *cubic = state;
  return cubic->in_epoch && ticks(now) - cubic->start < HZ;
}

/* cubictcp_state(): a time-out forgets all. */
static void timed_out(void *state)
{
  *(cubic_state *)state = (cubic_state){0};
}

/* cubictcp_cwnd_event(): the curve stands still while nothing is sent. */
static void resumed(void *state, time_ps idle_ps, time_ps now)
{
  cubic_state *cubic = state;
  cubic->start = MIN(cubic->start + ticks(now) - ticks(now - idle_ps), ticks(now));
}

const tcp_congestion_control tcp_cubic_linux = {.state_octets = sizeof(cubic_state),
                                                .avoid = avoid,
                                                .after_loss = after_loss,
                                                .disregards_delay = disregards_delay,
                                                .timed_out = timed_out,
                                                .resumed = resumed};
