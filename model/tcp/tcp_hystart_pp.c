#include "tcp/tcp_hystart_pp.h"

#include <glib.h>

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

void tcp_hystart_pp_free(tcp_hystart_pp *hystart)
{
  g_free(hystart);
}

uint32_t tcp_hystart_pp_divisor(const tcp_hystart_pp *hystart)
{
  return hystart->conservative ? CSS_GROWTH_DIVISOR : 1;
}

/* Returns whether the last round of conservative slow start is over. */
static bool turn_round(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack)
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

static bool has_grown(const tcp_hystart_pp *hystart)
{
  if (hystart->last_round_ps == TIME_PS_NEVER) {
    return false;
  }
  time_ps growth = CLAMP(hystart->last_round_ps / MIN_RTT_DIVISOR, MIN_RTT_THRESH_PS, MAX_RTT_THRESH_PS);
  return hystart->round_ps >= hystart->last_round_ps + growth;
}

bool tcp_hystart_pp_says_stop(tcp_hystart_pp *hystart, const tcp_congestion_ack *ack)
{
  if (ack->round_trip_ps >= 0) {
    hystart->round_ps = MIN(hystart->round_ps, ack->round_trip_ps);
    hystart->samples++;
  }
  if (hystart->samples >= N_RTT_SAMPLE) {
    if (!hystart->conservative && has_grown(hystart)) {
      hystart->conservative = true;
      hystart->conservative_left = CSS_ROUNDS; /* the rest of this round is the first of them */
      hystart->baseline_ps = hystart->round_ps;
    } else if (hystart->conservative && hystart->round_ps < hystart->baseline_ps) {
      hystart->conservative = false; /* the growth was a passing one */
    }
  }
  return turn_round(hystart, ack);
}
