/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_hystart.h"

#include <glib.h>

#include "base/numbers.h"

/* The constants are those of Linux, net/ipv4/tcp_cubic.c. */
enum { WINDOW_MIN_SEGMENTS = 16, DELAY_SAMPLES = 8, DELAY_SHARE = 8, TRAIN_SHARE = 2 };
enum { AGGREGATES = 4, AGGREGATE_OCTETS = 64 << 10, PACING_GAIN = 2 };
#define AGGREGATION_MAX_PS TIME_PS_PER_MILLISECOND
#define TRAIN_GAP_PS (2 * TIME_PS_PER_MILLISECOND)
#define DELAY_GROWTH_MIN_PS (4 * TIME_PS_PER_MILLISECOND)
#define DELAY_GROWTH_MAX_PS (16 * TIME_PS_PER_MILLISECOND)

/* A round is what is acknowledged of what was sent when its first acknowledgement came. */
static void turn_round(tcp_hystart *hystart, const tcp_congestion_ack *ack, time_ps now)
{
  if (hystart->in_round && ack->position <= hystart->round_end) {
    return;
  }
  hystart->in_round = true;
  hystart->round_end = ack->next;
  hystart->round_start = now;
  hystart->train_end = now;
  hystart->round_shortest_ps = TIME_PS_NEVER;
  hystart->samples = 0;
}

/* A window that left in one burst comes back at the rate of the bottleneck: the time it takes is the
 * window over that rate. The first gap ends the train for this round. */
static bool train_is_long(tcp_hystart *hystart, time_ps aggregation, time_ps now)
{
  time_ps enough = (hystart->shortest_ps + aggregation) / (hystart->paced ? 1 : TRAIN_SHARE);
  if (now - hystart->train_end > TRAIN_GAP_PS) {
    return false;
  }
  hystart->train_end = now;
  return now - hystart->round_start > enough;
}

/* The shortest trip of a round counts, not any: delayed acknowledgements and bursts lengthen single ones. It
 * is judged from the sample on that follows the first DELAY_SAMPLES. */
static bool delay_has_grown(tcp_hystart *hystart, time_ps round_trip_ps)
{
  time_ps growth = CLAMP(hystart->shortest_ps / DELAY_SHARE, DELAY_GROWTH_MIN_PS, DELAY_GROWTH_MAX_PS);
  hystart->round_shortest_ps = MIN(hystart->round_shortest_ps, round_trip_ps);
  if (hystart->samples < DELAY_SAMPLES) {
    hystart->samples++;
    return false;
  }
  return hystart->round_shortest_ps > hystart->shortest_ps + growth;
}

/* Returns what a train may take longer for being sent and received in aggregates, of 64 KiB, at the rate at
 * which Linux paces slow start: twice the window a round trip (hystart_ack_delay()). */
static time_ps aggregation_ps(const tcp_congestion_ack *ack, const tcp_congestion_window *window)
{
  uint128 window_trips = (uint128)AGGREGATES * AGGREGATE_OCTETS * (uint128)MAX(ack->smoothed_ps, 0);
  return (time_ps)MIN(window_trips / (PACING_GAIN * (uint128)window->octets), AGGREGATION_MAX_PS);
}

bool tcp_hystart_should_stop(tcp_hystart *hystart, const tcp_congestion_ack *ack,
                             const tcp_congestion_window *window, time_ps now)
{
  if (ack->latest_ps < 0) {
    return false;
  }
  bool judges = window->octets >= WINDOW_MIN_SEGMENTS * (uint64_t)window->smss_octets;
  hystart->shortest_ps = MIN(hystart->shortest_ps, ack->latest_ps);
  if (judges || !hystart->late_rounds) {
    turn_round(hystart, ack, now);
  }
  if (!judges) {
    return false;
  }
  bool long_train = train_is_long(hystart, aggregation_ps(ack, window), now);
  bool long_delay = delay_has_grown(hystart, ack->latest_ps);
  return long_train || long_delay;
}

/* --- HyStart++ --- */

/* RFC 9406 §4.3 */
enum { N_RTT_SAMPLE = 8, MIN_RTT_DIVISOR = 8, CSS_GROWTH_DIVISOR = 4, CSS_ROUNDS = 5 };
#define MIN_RTT_THRESH_PS (4 * TIME_PS_PER_MILLISECOND)
#define MAX_RTT_THRESH_PS (16 * TIME_PS_PER_MILLISECOND)

struct tcp_hystart_pp {
  uint64_t round_end;         /* windowEnd */
  time_ps last_round_ps;      /* lastRoundMinRTT; TIME_PS_NEVER: none */
  time_ps round_ps;           /* currentRoundMinRTT; TIME_PS_NEVER: none */
  uint32_t samples;           /* rttSampleCount */
  bool conservative;          /* CSS */
  uint32_t conservative_left; /* rounds of it, this one included */
  time_ps baseline_ps;        /* cssBaselineMinRtt */
};

tcp_hystart_pp *tcp_hystart_pp_new(void)
{
  tcp_hystart_pp *hystart = g_new0(tcp_hystart_pp, 1);
  hystart->last_round_ps = TIME_PS_NEVER;
  hystart->round_ps = TIME_PS_NEVER;
  return hystart;
}

uint32_t tcp_hystart_pp_divisor(const tcp_hystart_pp *hystart)
{
  return hystart->conservative ? CSS_GROWTH_DIVISOR : 1;
}

/* Returns whether the last round of conservative slow start is over. */
static bool turn_pp_round(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack)
{
  if (ack->position < hystart->round_end) {
    return false;
  }
  hystart->round_end = ack->next;
  hystart->last_round_ps = hystart->round_ps;
  hystart->round_ps = TIME_PS_NEVER;
  hystart->samples = 0;
  return hystart->conservative && --hystart->conservative_left == 0;
}

static bool trips_have_grown(const tcp_hystart_pp *hystart)
{
  if (hystart->last_round_ps == TIME_PS_NEVER) {
    return false;
  }
  time_ps growth = CLAMP(hystart->last_round_ps / MIN_RTT_DIVISOR, MIN_RTT_THRESH_PS, MAX_RTT_THRESH_PS);
  return hystart->round_ps >= hystart->last_round_ps + growth;
}

bool tcp_hystart_pp_should_stop(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack)
{
  if (ack->round_trip_ps >= 0) {
    hystart->round_ps = MIN(hystart->round_ps, ack->round_trip_ps);
    hystart->samples++;
  }
  if (hystart->samples >= N_RTT_SAMPLE) {
    if (!hystart->conservative && trips_have_grown(hystart)) {
      hystart->conservative = true;
      hystart->conservative_left = CSS_ROUNDS; /* the rest of this round is the first of them */
      hystart->baseline_ps = hystart->round_ps;
    } else if (hystart->conservative && hystart->round_ps < hystart->baseline_ps) {
      hystart->conservative = false; /* the growth was a passing one */
    }
  }
  return turn_pp_round(hystart, ack);
}
