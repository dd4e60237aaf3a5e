#include "scenario/scenario_profile.h"

#include <string.h>

/* Linux's functions are those of 6.1, in net/ipv4 and include/net/tcp.h. */
static const scenario_profile_row rows[] = {
    {SCENARIO_TCP_SLOW_START, "hystart++", "tcp_cubic.c, hystart_update(); RFC 9406"},
    {SCENARIO_TCP_CUBIC_AHEAD, "srtt", "tcp_cubic.c, bictcp_update(); RFC 9438 section 4.2"},
    {SCENARIO_TCP_SLOW_START_LIMIT, "true", "tcp_slow_start(); RFC 3465 section 2.2"},
    {SCENARIO_TCP_WINDOW_UNIT, "octets", "tcp_packets_in_flight(); RFC 5681 section 2"},
    {SCENARIO_TCP_WINDOW_GROWTH, "acknowledged", "tcp_cong_control(); RFC 3465 section 2"},
    {SCENARIO_TCP_WINDOW_USE, "ack", "tcp_cwnd_validate(), tcp_is_cwnd_limited(); RFC 9438 section 5.8"},
    {SCENARIO_TCP_ECN_RESPONSE, "cut", "tcp_enter_cwr(), tcp_cwnd_reduction(); RFC 3168 section 6.1.2"},
    {SCENARIO_TCP_OLD_SACK, "false", "tcp_ack(), old_ack; RFC 9293 section 3.10.7.4"},
    {SCENARIO_TCP_TLP_DELAY, "delayed_ack", "tcp_schedule_loss_probe(); RFC 8985 section 7.2"},
    {SCENARIO_TCP_TIMER_SLACK, "0", "TCP_TIMEOUT_MIN, two ticks at 1000 Hz; RFC 8985 sections 6.2, 7.2"},
    {SCENARIO_TCP_PARTIAL_UNDO, "false", "tcp_try_undo_partial(); no RFC"},
    {SCENARIO_TCP_FIN_BEYOND_WINDOW, "false", "tcp_cwnd_test(), before 6.10; RFC 5681 section 2"},
    {SCENARIO_TCP_MISSING_TIMESTAMPS, "drop", "tcp_validate_incoming(); RFC 7323 section 3.2"},
    {SCENARIO_TCP_RESET_AT_EDGE, "drop", "tcp_sequence(); RFC 9293 section 3.10.7.4"},
    {SCENARIO_TCP_QUICK_ACKS, "0", "tcp_event_data_recv(), tcp_incr_quickack(); RFC 5681 section 4.2"},
    {SCENARIO_TCP_RTO_FLOOR, "rto", "tcp_rtt_estimator(); RFC 6298 section 2.4"},
};

const scenario_profile_row *scenario_profile_rows(gsize *count)
{
  *count = G_N_ELEMENTS(rows);
  return rows;
}

const char *scenario_profile_default(const char *profile, scenario_key key)
{
  gboolean is_rfc = strcmp(profile, "rfc") == 0;
  for (gsize i = 0; is_rfc && i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].key == key) {
      return rows[i].rfc;
    }
  }
  return scenario_key_row_of(key)->fallback;
}
