/* SPDX-License-Identifier: GPL-2.0-only */
/* This is ns-3's own TCP, one bulk transfer over one link: what the benchmark compares with. It knows nothing
 * of the model. */
#pragma once

#include "shim/ns3_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ns3_tcp_bulk_congestion {
  NS3_TCP_BULK_NEW_RENO,   /* the window grows by the number of ACKs */
  NS3_TCP_BULK_LINUX_RENO, /* … by what they acknowledge */
  NS3_TCP_BULK_CUBIC,      /* ns-3's default */
} ns3_tcp_bulk_congestion;

typedef struct ns3_tcp_bulk_config {
  uint64_t octets;         /* to transfer, > 0 */
  uint32_t segment_octets; /* TCP payload of a full segment; with 40 octets of headers (52 with timestamps)
                            * at most the MTU */
  uint32_t initial_window_segments; /* > 0 */
  uint32_t buffer_octets;           /* send and receive buffer of each end, 1 segment … 2^30 */
  bool sack;
  bool timestamps;
  bool prr; /* ns-3's default recovery; else its classic one */
  ns3_tcp_bulk_congestion congestion;
  uint64_t
      lost_segment; /* the segment with payload that the receiver's device loses, counted from 1; 0: none */
  ns3_shim_device_config device; /* of both ends */
  time_ps delay_ps;              /* one way */
} ns3_tcp_bulk_config;

typedef struct ns3_tcp_bulk_result {
  uint64_t data_segments;   /* segments with payload that TCP sent, retransmissions among them */
  uint64_t octets_received; /* by the receiving application */
  time_ps finished;         /* when the last of them came */
  uint64_t events;          /* of ns-3's simulator */
  double wall_seconds;      /* in its event loop */
} ns3_tcp_bulk_result;

/* Sets 1 MSS of `segment_octets` at the given link, initial window 10, 4 MiB buffers, SACK and timestamps on,
 * NewReno, proportional rate reduction, nothing lost. */
void ns3_tcp_bulk_config_init(ns3_tcp_bulk_config *config, uint64_t octets, uint64_t rate_bit_per_s,
                              time_ps delay_ps, uint32_t mtu_octets);

/* Opens the simulator, transfers, closes it. False: the simulator is open, or ns-3
 * refuses it. A transfer that does not finish is no error: see octets_received. It leaves its settings as
 * ns-3's defaults for later TCP sockets of the process. */
bool ns3_tcp_bulk_run(const ns3_tcp_bulk_config *config, ns3_tcp_bulk_result *result, ns3_shim_error *error);

#ifdef __cplusplus
}
#endif
