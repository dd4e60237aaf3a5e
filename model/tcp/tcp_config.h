/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the configuration of one end of a TCP connection: the keys tcp and sender of a scenario
 * (docs/scenario.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory_pool.h"
#include "base/time_ps.h"
#include "net/ip_header.h"
#include "net/tcp_header.h"
#include "trace/trace.h"

/* How the sender cuts the stream (`sender.segmentation`, docs/scenario.md). */
typedef enum tcp_segmentation {
  TCP_SEGMENTATION_ALIGNED, /* a segment starts with a record and holds whole records (MPA-041) */
  TCP_SEGMENTATION_STREAM,  /* not MPA-aware: cuts at EMSS */
  TCP_SEGMENTATION_RECORD,  /* a segment ends with a record at the latest, as after MSG_EOR in Linux */
} tcp_segmentation;

/* How the receiver passes octets up (mpa-01 §3.1.2; `receiver.mode`, docs/scenario.md). */
typedef enum tcp_passing {
  TCP_PASSING_IN_ORDER,   /* holds what lies beyond a hole */
  TCP_PASSING_AS_ARRIVED, /* passes every new octet at once, with its position */
} tcp_passing;

/* This chooses the congestion control. */
typedef enum tcp_congestion_kind {
  TCP_CONGESTION_NEWRENO, /* RFC 5681, 6582 */
  TCP_CONGESTION_CUBIC,   /* RFC 9438; Linux's default */
  TCP_CONGESTION_DCTCP,   /* RFC 8257; asks for ECN by itself */
} tcp_congestion_kind;

/* This chooses whose CUBIC it is. */
typedef enum tcp_cubic_kind {
  TCP_CUBIC_RFC9438,
  TCP_CUBIC_LINUX,
} tcp_cubic_kind;

/* When slow start is left before a loss. */
typedef enum tcp_slow_start_kind {
  TCP_SLOW_START_STANDARD,   /* it is not (RFC 5681) */
  TCP_SLOW_START_HYSTART,    /* as Linux's CUBIC does: the train of ACKs is long, or round trips grow */
  TCP_SLOW_START_HYSTART_PP, /* HyStart++ (RFC 9406) */
  TCP_SLOW_START_HYSTART_16, /* as before February 2025: its rounds begin when the window has 16 segments */
  TCP_SLOW_START_AUTO,       /* HYSTART with CUBIC, whose own it is in Linux; else STANDARD */
} tcp_slow_start_kind;

/* This chooses whether Explicit Congestion Notification (RFC 3168) is asked for. */
typedef enum tcp_ecn_use {
  TCP_ECN_OFF,
  TCP_ECN_PASSIVE, /* when the peer asks for it: Linux's default */
  TCP_ECN_ON,      /* asks for it */
} tcp_ecn_use;

/* This is what a tail loss probe waits beyond 2 SRTT while one segment is in flight, whose ACK may be delayed
 * (RFC 8985 §7.2, TLP.max_ack_delay). */
typedef enum tcp_probe_delay {
  TCP_PROBE_DELAY_ACK, /* delayed_ack_ps: what the peer does is not known; both ends of a run mostly do the
                          same */
  TCP_PROBE_DELAY_RTO_MIN, /* rto_min_ps: as Linux has it */
} tcp_probe_delay;

/* This is what is sent again (mpa-01 §5.3, MPA-048). */
typedef enum tcp_retransmission {
  TCP_RETRANSMISSION_PRESERVE,    /* the segments as they were first sent */
  TCP_RETRANSMISSION_REPACKETIZE, /* the lost octets that follow each other, cut anew: STREAM at EMSS, ALIGNED
                                     as many whole FPDUs as fit, RECORD up to the end of one */
} tcp_retransmission;

/* This chooses what the smallest RTO bounds. */
typedef enum tcp_rto_floor {
  TCP_RTO_FLOOR_RTO,       /* all of it (RFC 6298 §2.4) */
  TCP_RTO_FLOOR_VARIATION, /* 4 RTTVAR, to which SRTT is added: as Linux has it */
} tcp_rto_floor;

/* The fields lie close. Connections share what is alike: see `latest`. */
typedef struct tcp_config {
  trace_scope *trace;         /* what its events are of; NULL: nothing is traced. Outlives the connection */
  memory_pool *datagram_pool; /* memory_pool_new(sizeof(datagram)): what its packets are made of; NULL: the
                                 heap. Must outlive the connection */
  struct tcp_config **latest; /* where many connections that differ in ISN, ports and send_mtu_octets alone
                                 find the copy of the last one's, to share it; its owner ends with
                                 tcp_config_release(), after their creation. NULL: none is shared */
  uint64_t receive_window_octets; /* right edge = in-order edge + this - unread octets; never moves left */
  time_ps delayed_ack_ps;
  time_ps rto_initial_ps;
  time_ps rto_min_ps;
  time_ps rto_max_ps;
  time_ps timer_slack_ps;      /* how much later RACK's reordering timer and the tail loss probe's expire */
  time_ps timer_tick_ps;       /* of the clock that all timers count; 0: they are exact */
  time_ps tick_phase_ps;       /* the last tick before time 0 was so long before */
  uint32_t isn;                /* initial send sequence number */
  uint32_t receive_mtu_octets; /* of the direction it receives from: announces MSS = this - 40 (IPv6: 60) */
  uint32_t send_mtu_octets;    /* of its own direction: EMSS = min(peer's MSS, this - 40 or 60) - options */
  uint16_t initial_window_segments; /* RFC 6928: 10 */
  uint8_t delayed_ack_segments;     /* an ACK at least every so many full-size segments; 1: every one */
  uint8_t duplicate_ack_threshold;  /* 3 */
  uint16_t retries_max; /* consecutive timeouts before the connection is given up (RFC 9293 §3.8.3, R2) */
  uint16_t local_port;
  uint16_t remote_port;
  ip_address local_address; /* both of one version */
  ip_address remote_address;
  uint8_t sack_compression_percent; /* of the round trip SACKs are saved for; 0: none are */
  uint8_t quick_acks;               /* so many ACKs at the start are not delayed; Linux: 16 */
  bool sack : 1;                    /* offer SACK-permitted */
  bool dsack : 1;                   /* report duplicates by SACK (RFC 2883); needs sack */
  bool old_sack : 1;                /* the SACK blocks of an ACK below SND.UNA are read; needs sack */
  bool timestamps : 1;              /* offer timestamps */
  bool timestamps_in_ms : 1; /* their clock ticks in milliseconds, as Linux's, and gives a round trip only
                                where no segment does; else in microseconds */
  tcp_ecn_use ecn : 2;
  tcp_congestion_kind congestion : 2;
  tcp_cubic_kind cubic : 1;
  tcp_slow_start_kind slow_start : 3;
  bool rack : 1;               /* losses are found by time (RFC 8985), not by RFC 6675; needs sack */
  bool linux_reordering : 1;   /* RACK takes for reordering what Linux does, and widens its window only once
                                  it was seen; needs rack */
  bool tail_loss_probe : 1;    /* RFC 8985 §7; needs rack */
  bool prr : 1;                /* PRR (RFC 6937) in fast recovery; needs sack */
  bool frto : 1;               /* F-RTO (RFC 5682) */
  bool partial_undo : 1;       /* Linux's Eifel detection in fast recovery; needs rack and timestamps */
  bool limited_transmit : 1;   /* RFC 3042 */
  bool restart_after_idle : 1; /* the window falls after an idle RTO (RFC 5681 §4.1) */
  bool idleness_halves : 1;    /* by half for each, as Linux has it; else to the restart window at once */
  bool fin_beyond_window : 1;  /* the congestion window does not hold back the segment with the FIN */
  bool nagle : 1;              /* RFC 1122 §4.2.3.4; MPA wants it off (MPA-042) */
  bool pacing : 1;             /* segments leave evenly over the round trip, not in bursts */
  bool window_of_segments : 1; /* the congestion window counts segments, as Linux has it, each as SMSS; else
                                  octets */
  bool ecn_proportional : 1; /* PRR leads the window to what ECE makes of it, as Linux has it; else it is cut
                                at once */
  bool threshold_of_window : 1; /* the threshold after a loss is a share of the window, as Linux has it; else
                                   of what is in flight */
  bool slow_start_limited : 1;  /* slow start by at most 2 SMSS an ACK (RFC 3465); else by all that it
                                   acknowledges, up to the threshold */
  bool growth_by_delivered : 1; /* the window grows by what an ACK shows to be delivered, by SACK too; else by
                                   what it acknowledges */
  bool limited_by_round : 1;    /* whether the window limits is noted when sending, for a round trip: as Linux
                                   has it; else judged when    an ACK arrives */
  bool path_mtu_discovery : 1; /* DF set, ICMP "too big" obeyed (RFC 1191, 8201); else routers may fragment */
  bool black_hole_detection : 1; /* repeated time-outs of full-size segments lower the path MTU (RFC 4821
                                    §7.7, RFC 2923 §2.1) */
  bool drops_untimed : 1; /* segments without the timestamps agreed on (RFC 7323 §3.2); Linux takes them */
  bool ignores_unsent_ack : 1; /* ESTABLISHED: an ACK of what was never sent; else it is answered (RFC 9293
                                  §3.10.7.4) */
  bool ack_by_octets : 1; /* … counted in octets, as Linux does; else each segment with payload counts */
  bool saves_sacks_by_window : 1; /* for a share of the round trip: once a whole receive window has come, as
                                     in Linux from 6.10 on; else 64 KiB of it */
  bool pushes_fpdus : 1; /* PSH at the end of each FPDU, as Linux has it at each send's, unless segmentation
                            is STREAM; else only where no more is queued (RFC 9293 §3.9.1.2) */
  bool acknowledges_refused : 1; /* a segment that the layer above has no room for is answered by a duplicate
                                    ACK (RFC 5681 §4.2); else not at all, as if it had been lost */
  bool drops_reset_at_edge : 1;  /* a RST at RCV.NXT + RCV.WND (RFC 5961 §3.2); Linux challenges it */
  tcp_rto_floor rto_floor : 1;
  bool variation_by_round : 1; /* RTTVAR is the largest deviation of a round trip, as Linux has it; else each
                                  sample contributes (RFC 6298 §2.3) */
  tcp_probe_delay probe_delay : 1;
  tcp_retransmission retransmission : 1;
  tcp_segmentation segmentation : 2;
  tcp_passing passing : 1;
} tcp_config;

/* Returns the defaults of the product: what an empty scenario makes (tcp.profile linux), each with its source
 * in docs/scenario.md, `tcp`. Addresses, ports and ISN are 0; the MTUs are Ethernet's and the window is the
 * least of tcp.receive_window=auto, 64 KiB. */
tcp_config tcp_config_default(void);

/* Lets go of a copy of tcp_config.latest (NULL is allowed), which lives on with the connections that share
 * it. */
void tcp_config_release(tcp_config *config);

/* Returns how many the IP and TCP headers of a segment without options have. */
static inline uint32_t tcp_config_header_octets(const tcp_config *config)
{
  return (config->local_address.version == 6 ? IPV6_HEADER_OCTETS : IPV4_HEADER_OCTETS) + TCP_HEADER_OCTETS;
}

/* Returns the MSS that is announced: the largest segment that the peer can send, but for what is joined on
 * the way. */
static inline uint16_t tcp_config_own_mss_octets(const tcp_config *config)
{
  return (uint16_t)(config->receive_mtu_octets - tcp_config_header_octets(config));
}

/* A host whose timers count the ticks of its clock, as Linux's do (usecs_to_jiffies(), calc_index()): a wait
 * is rounded up to whole ticks, and it is over at the first tick at which so many have passed. Without ticks,
 * 0, it is as long as it is. */

/* `time`, an instant or a wait, rounded up to ticks. */
static inline time_ps tcp_tick_up(time_ps time, time_ps tick_ps)
{
  time_ps rest = tick_ps > 0 ? time % tick_ps : 0;
  return rest > 0 ? time + tick_ps - rest : time;
}

/* Returns the same of a wait that was `before`, rounded up: mostly the same ticks, and no division. */
static inline time_ps tcp_tick_wait(time_ps wait_ps, time_ps before_ps, time_ps tick_ps)
{
  if (tick_ps == 0) {
    return wait_ps;
  }
  return wait_ps <= before_ps && wait_ps + tick_ps > before_ps ? before_ps : tcp_tick_up(wait_ps, tick_ps);
}

/* Returns whether a timer armed for `*deadline` has expired at `now`. One that ends between two ticks is
 * armed anew, for the later: so the division is of timers that expire, not of those that are armed. */
static inline bool tcp_tick_expired(time_ps *deadline, const tcp_config *config, time_ps now)
{
  if (*deadline > now) {
    return false;
  }
  *deadline = tcp_tick_up(*deadline + config->tick_phase_ps, config->timer_tick_ps) - config->tick_phase_ps;
  return *deadline <= now;
}
