/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_config.h"

tcp_config tcp_config_default(void)
{
  return (tcp_config){
      .receive_mtu_octets = 1500,
      .send_mtu_octets = 1500,
      .receive_window_octets = 65536,
      .initial_window_segments = 10, /* RFC 6928 */
      .delayed_ack_segments = 2,
      .delayed_ack_ps = 40 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_DELACK_MIN */
      .ack_by_octets = true,
      .ignores_unsent_ack = true,
      .pushes_fpdus = true,
      .sack_compression_percent = 5,
      .timestamps_in_ms = true, /* TCP_TS_HZ */
      .quick_acks = 16,         /* TCP_MAX_QUICKACKS */
      .duplicate_ack_threshold = 3,
      .rto_initial_ps = TIME_PS_PER_SECOND,        /* RFC 6298 */
      .rto_min_ps = 200 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_RTO_MIN */
      .rto_max_ps = 60 * TIME_PS_PER_SECOND,       /* RFC 6298 §2.5 */
      .rto_floor = TCP_RTO_FLOOR_VARIATION,
      .variation_by_round = true,
      .timer_slack_ps = 2 * TIME_PS_PER_MILLISECOND, /* Linux: TCP_TIMEOUT_MIN_US */
      .timer_tick_ps = 4 * TIME_PS_PER_MILLISECOND,  /* HZ = 250 */
      .probe_delay = TCP_PROBE_DELAY_RTO_MIN,
      .retries_max = 15, /* Linux: tcp_retries2 */
      .sack = true,
      .dsack = true,
      .old_sack = true,
      .rack = true,
      .linux_reordering = true,
      .tail_loss_probe = true,
      .prr = true,
      .frto = true,
      .partial_undo = true,
      .limited_transmit = true,
      .ecn = TCP_ECN_PASSIVE,
      .congestion = TCP_CONGESTION_CUBIC,
      .cubic = TCP_CUBIC_LINUX,
      .slow_start = TCP_SLOW_START_AUTO,
      .restart_after_idle = true,
      .idleness_halves = true,
      .fin_beyond_window = true,
      .window_of_segments = true,
      .ecn_proportional = true,
      .threshold_of_window = true,
      .growth_by_delivered = true,
      .limited_by_round = true,
      .path_mtu_discovery = true,
      .segmentation = TCP_SEGMENTATION_ALIGNED,
      .passing = TCP_PASSING_AS_ARRIVED,
  };
}
