/* SPDX-License-Identifier: GPL-2.0-only */
#include "linux_keys.h"

void take_linux_keys(tcp_config *config, uint64_t which)
{
  config->old_sack = config->sack && which & 1;
  config->partial_undo = config->rack && config->timestamps && which & 2;
  config->fin_beyond_window = which & 4;
  config->window_of_segments = which & 8;
  config->ecn_proportional = which & 16;
  config->cubic = which & 32 ? TCP_CUBIC_LINUX : TCP_CUBIC_RFC9438;
  config->threshold_of_window = which & 32768;
  config->slow_start_limited = !(which & 64);
  config->growth_by_delivered = which & 128;
  config->limited_by_round = which & 256;
  config->drops_untimed = !(which & 512);
  config->drops_reset_at_edge = !(which & 1024);
  config->quick_acks = which & 2048 ? 16 : 0;
  config->rto_floor = which & 4096 ? TCP_RTO_FLOOR_VARIATION : TCP_RTO_FLOOR_RTO;
  config->variation_by_round = which & 4194304;
  config->probe_delay = which & 8192 ? TCP_PROBE_DELAY_RTO_MIN : TCP_PROBE_DELAY_ACK;
  config->idleness_halves = which & 524288;
  config->timer_slack_ps = which & 16384 ? 2 * TIME_PS_PER_MILLISECOND : 0;
  config->ack_by_octets = which & 262144;
  config->sack_compression_percent = which & 65536 ? 5 : 0;
  config->ignores_unsent_ack = which & 131072;
  config->pushes_fpdus = which & 1048576;
  config->timestamps_in_ms = which & 8388608;
  config->linux_reordering = which & 2097152;
  config->timer_tick_ps = which & 16384 ? TIME_PS_PER_MILLISECOND : 0; /* as where the scripts were made */
}
