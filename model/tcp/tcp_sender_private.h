/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what tcp_sender.c (its life), tcp_sender_input.c (an acknowledgement arrives), tcp_sender_output.c
 * (a segment leaves) and tcp_sender_recovery.c (losses) share. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "tcp/tcp_congestion.h"
#include "tcp/tcp_rack.h"
#include "tcp/tcp_scoreboard_private.h"
#include "tcp/tcp_send_queue.h"
#include "tcp/tcp_sender.h"
#include "tcp/tcp_undo.h"

/* With pacing segments leave evenly over the round trip, those of a stream two or more at once. The rate is 2
 * windows a smoothed round trip in slow start, below half the threshold, and 1.2 after it, as Linux has them.
 * No RFC gives a value. */

typedef struct tcp_pacer {
  time_ps next_ps; /* nothing leaves before, but for the rest of a burst */
} tcp_pacer;

/* This is what leaves at once, as a stream does (Linux: tcp_tso_autosize()). All 0: none has begun. */
typedef struct tcp_pacer_burst {
  time_ps at;
  time_ps late_ps; /* how much later it left than it might have, but for what has paid for octets */
  uint64_t left_octets;
} tcp_pacer_burst;

/* This is what the rate depends on. */
typedef struct tcp_pacer_rate {
  uint64_t window_octets;
  time_ps smoothed_ps;        /* SRTT; 0: none yet, and no pacing */
  time_ps least_ps;           /* the least round trip; only for a burst */
  uint32_t burst_smss_octets; /* bursts of at least two of them leave; 0: no bursts */
  bool slow_start;
} tcp_pacer_rate;

/* Returns whether more may leave with what left at `now`. */
static inline bool tcp_pacer_bursts(const tcp_pacer_burst *burst, time_ps now)
{
  return burst->left_octets > 0 && burst->at == now;
}

/* `octets` leave at `now`: the next waits until they are paid for at `rate`, but what leaves late is paid for
 * up to half by the time since it might have left (Linux: tcp_update_skb_after_send()). They go on with
 * `burst` or begin it anew. */
void tcp_pacer_sent(tcp_pacer *pacer, tcp_pacer_burst *burst, uint64_t octets, const tcp_pacer_rate *rate,
                    time_ps now);

/* Proportional Rate Reduction determines the window within fast recovery (RFC 6937). The ratio of octets sent
 * to octets delivered is that of the threshold to the octets first in flight. Below the threshold the window
 * grows back, by slow start when nothing more is lost (as Linux and RFC 9937 §6.2 do), else only by what is
 * delivered. Octets. */

typedef struct tcp_prr {
  uint64_t flight_octets;    /* RecoverFS (Linux: prior_cwnd), > 0 */
  uint64_t delivered_octets; /* prr_delivered: 0 when a recovery begins */
  uint64_t sent_octets;      /* prr_out, new or again: so, too */
} tcp_prr;

/* This is what an acknowledgement in it shows. */
typedef struct tcp_prr_ack {
  uint64_t delivered_octets; /* DeliveredData: newly acknowledged, cumulatively or by SACK */
  uint64_t pipe_octets;
  uint64_t threshold_octets;
  uint32_t smss_octets;
  bool segments; /* the window counts segments: all of this is in whole ones, and what may be sent is rounded
                    up to one */
  bool safe;     /* SND.UNA has moved and nothing more was found lost */
} tcp_prr_ack;

/* Returns the window after it: pipe and what may be sent now (sndcnt). */
uint64_t tcp_prr_window(tcp_prr *prr, const tcp_prr_ack *ack);

typedef enum tcp_sending_state {
  TCP_SENDING_OPEN,
  TCP_SENDING_RECOVERY, /* fast recovery, until what was in flight at first is acknowledged */
  TCP_SENDING_LOSS,     /* after a time-out, until what was in flight then is acknowledged */
} tcp_sending_state;

/* This is what the acknowledgement at hand brings. */
typedef struct tcp_sender_news {
  const tcp_acknowledgement *ack;
  time_ps now;
  bool limited;            /* the congestion window was what held the sender back */
  uint64_t before;         /* SND.UNA before it */
  bool advances;           /* SND.UNA … */
  uint64_t octets;         /* … by so many */
  uint32_t duplicates;     /* in a row before it */
  uint64_t flight_octets;  /* before it */
  uint64_t newly_sacked;   /* octets */
  uint64_t delivered;      /* octets, cumulatively or by SACK */
  time_ps round_trip_ps;   /* -1: no sample */
  time_ps latest_ps;       /* of the last segment that it shows to be delivered, sent once only; -1: none */
  time_ps first_sacked_ps; /* of the first one that it SACKs, sent once only; -1: none */
  bool duplicate;          /* a duplicate ACK (RFC 5681 §2, RFC 6675 §2) */
  bool original;           /* a segment below the recovery point and sent once only was delivered */
  bool beyond;             /* a segment beyond the recovery point was */
  bool undone;             /* it shows that a reduction was for nothing */
  uint64_t original_until; /* of what was sent twice it acknowledges the first transmissions below; 0: none */
  uint64_t lost_segments;  /* found by RACK, or by a partial acknowledgement without SACK */
  uint64_t reported_segments; /* by D-SACK; 0 when more D-SACKs came than segments were sent again */
  uint64_t transmission;      /* of those that it shows to be delivered the last, counted from 1; 0: none */
} tcp_sender_news;

/* This is what a sender needs while something is in flight, or is not settled yet. A run may have ten
 * thousand connections, and most of them rest. */
typedef struct tcp_sender_flight {
  /* of pacing, losses and marks */
  tcp_sender_news *news;   /* of the acknowledgement at hand */
  uint64_t limited_octets; /* new octets sent on duplicate ACKs: not part of FlightSize (RFC 5681 §3.2) */
  uint64_t sent_before_partial_ack; /* SND.NXT at the last partial ACK */
  time_ps first_resent_at;          /* Linux's tp->retrans_stamp: in this recovery, or in one before that left
                                       retransmissions on their way; TIME_PS_NEVER: nothing yet */
  tcp_frto frto;
  bool reducing;               /* PRR answers ECE: until what was in flight then is acknowledged */
  bool originals_arrive;       /* late, and nothing more is sent again meanwhile (config.partial_undo) */
  bool rescued;                /* rule 4 of NextSeg() was used in this recovery */
  bool partially_acknowledged; /* in this recovery: what was sent again first has arrived */
  tcp_prr prr;
  tcp_pacer_burst burst;

  /* of every segment and acknowledgement: in as few cache lines as it fits */
  bool resend_first;  /* the first that is lost leaves whatever the window is */
  bool window_limits; /* it was full in this round */
  uint32_t duplicate_acks;
  uint64_t round_end;     /* with tcp_config.limited_by_round: SND.NXT when the round began */
  uint64_t most_octets;   /* in flight, in this round */
  uint64_t variation_end; /* the same of a round of tcp_config.variation_by_round */
  tcp_tail_loss_probe probe;
  tcp_rack rack; /* if tcp_sender.by_time */

  /* tcp_sender_begin_flight() makes all above this line 0, not these two: of the slots at the board's end
   * most are never touched. */
  tcp_hystart hystart; /* set by tcp_congestion_begin_flight() when it is used */
  tcp_scoreboard board;
} tcp_sender_flight;

/* A RST that waits to leave. That of an abort is a segment of the connection; an answer may have to carry
 * sequence numbers that are no positions of ours. */
typedef struct tcp_pending_reset {
  bool is_answer; /* what follows is of that */
  uint8_t flags;
  uint32_t sequence;
  uint32_t acknowledgement;
} tcp_pending_reset;

/* This is what most connections never need: what is known of the last losses and marks, the counters, and
 * what tcp_connection keeps here. */
typedef struct tcp_incidents {
  tcp_statistics statistics; /* of the connection */
  tcp_undo *undo;            /* NULL before the first recovery or time-out */
  int64_t ecn_point;         /* SND.NXT at the last reduction; -1: none yet */
  /* with earlier_ack_due: */
  uint64_t earlier_acknowledgement;
  uint8_t earlier_ack_flags;
  uint32_t mtu_expires_s;  /* with mtu_lowered: at this second the path MTU is the first hop's again */
  tcp_pending_reset reset; /* with reset_due */
} tcp_incidents;

struct tcp_sender {
  const tcp_config *config;
  tcp_gauges *gauges;
  tcp_sender_flight *flight;      /* NULL: nothing is in flight, and all is settled */
  tcp_incidents *incidents;       /* of the connection; NULL: none so far */
  tcp_retransmission_timer timer; /* which also serves the handshake */
  tcp_send_queue queue;
  tcp_congestion congestion;     /* from the start on */
  tcp_rack_knowledge rack_known; /* while `flight` is NULL */

  uint64_t acknowledged; /* SND.UNA: all below is acknowledged; the FIN occupies one position */
  uint64_t next;         /* SND.NXT, HighData + 1: the first position never sent */
  uint64_t window_edge;
  time_ps sent_at;        /* when the last segment left, before tcp_sender_start() the SYN; -1: none has */
  int64_t recovery_point; /* SND.NXT when the last recovery or time-out began; -1: none yet */
  tcp_pacer pacer;
  uint32_t window_octets_max; /* MAX.SND.WND */
  uint32_t emss_octets;       /* 0 before the start */
  uint16_t timeouts_in_a_row; /* without anything acknowledged; up to tcp_config.retries_max */
  uint8_t window_probes;      /* of a closed window, in a row; at most 255 */
  tcp_sending_state state : 8;
  bool sack;
  bool by_time; /* losses by RACK; else by RFC 6675, without SACK by RFC 6582 */
  bool probes;  /* tail loss probes are sent */
  /* These four are seldom: one comparison. */
  bool disturbed : 1; /* something may be lost, late, marked, probed for or sent twice; else nothing is */
  bool probe_due : 1; /* of a window that is closed, or too small to be used: makes the peer report it */
  bool paced : 1;     /* something waits for the pacer */
  bool finishing : 1; /* FIN follows the last octet */
  bool fin_sent : 1;
  bool ecn : 1;        /* agreed: new payload may be marked ECT, and the congestion control heeds ECE */
  bool cwr_due : 1;    /* CWR on the next new segment */
  bool unmeasured : 1; /* no round trip since the last tail loss probe: there may be no other */
};

/* Begins with a sender that may queue but not send. `config` must outlive it; so must `gauges`, where it
 * keeps what is sent and counted. Frees what it has. */
void tcp_sender_init(tcp_sender *sender, const tcp_config *config, tcp_gauges *gauges);
void tcp_sender_clear(tcp_sender *sender);

/* Return sender->incidents, made when they are needed first, and its counters. */
tcp_incidents *tcp_sender_incidents(tcp_sender *sender);
static inline tcp_statistics *tcp_sender_statistics(tcp_sender *sender)
{
  return &tcp_sender_incidents(sender)->statistics;
}

/* The first segment is about to leave, or an acknowledgement to be taken in that may mean anything: there
 * is a flight from here on. */
void tcp_sender_begin_flight(tcp_sender *sender);

/* Lets go of the flight if nothing is in flight and all is settled. */
void tcp_sender_end_flight(tcp_sender *sender);

static inline uint64_t tcp_sender_flight_octets(const tcp_sender *sender)
{
  return sender->next - sender->acknowledged;
}

/* Returns whether something may have to leave that is not new, or whatever the window is. */
static inline bool tcp_sender_is_disturbed(const tcp_sender *sender)
{
  const tcp_sender_flight *flight = sender->flight;
  return sender->disturbed && (sender->state != TCP_SENDING_OPEN || flight->resend_first ||
                               flight->probe.due || flight->duplicate_acks > 0 ||
                               flight->frto.step != TCP_FRTO_OFF || tcp_scoreboard_has_lost(&flight->board));
}

/* Returns what counts in the congestion window for `octets` that are `segments` segments: the octets (RFC
 * 5681), or SMSS for each segment, as Linux counts. */
static inline uint64_t tcp_sender_charge(const tcp_sender *sender, uint64_t octets, uint64_t segments)
{
  return sender->config->window_of_segments ? segments * sender->emss_octets : octets;
}

/* Returns FlightSize, counted so. */
static inline uint64_t tcp_sender_flight_charge(const tcp_sender *sender)
{
  return tcp_sender_charge(sender, tcp_sender_flight_octets(sender),
                           sender->flight ? tcp_scoreboard_segments(&sender->flight->board) : 0);
}

/* Without SACK Linux takes each duplicate ACK as the SACK of a segment (tcp_add_reno_sack()), and PRR leads
 * the window. */
static inline bool tcp_sender_emulates_sack(const tcp_sender *sender)
{
  return !sender->sack && sender->config->threshold_of_window && sender->config->prr;
}

/* Returns the end of the highest SACKed octets; SND.UNA when none are (Linux: tcp_highest_sack_seq()). */
static inline uint64_t tcp_sender_front(const tcp_sender *sender)
{
  size_t runs = sacked_runs(&sender->flight->board);
  return runs > 0 ? range_set_get(sender->flight->board.sacked, runs - 1).to : sender->acknowledged;
}

/* The window has no room for another segment of full size. */
static inline bool tcp_sender_fills_window(const tcp_sender *sender)
{
  return sender->flight->board.pipe_octets + sender->emss_octets > sender->congestion.window.octets;
}

/* Octets are posted and the peer has room for them: new segments can be sent. */
bool tcp_sender_has_new(const tcp_sender *sender);

/* The retransmission timer starts anew, or stops when nothing is in flight (RFC 6298 §5.2, §5.3). */
void tcp_sender_restart_timer(tcp_sender *sender, time_ps now);

/* The tail loss probe's timer starts anew, where there is to be one. Several segments leave at a time, and
 * each ACK and each of them does so: tcp_sender_deadline() computes what the last one makes of it. */
static inline void tcp_sender_schedule_probe(tcp_sender *sender, time_ps now)
{
  sender->flight->probe.from = now;
  sender->flight->probe.restarts = sender->probes;
}

/* Finds losses after the acknowledgement `news`, and enters fast recovery when there are some. */
void tcp_sender_find_losses(tcp_sender *sender, tcp_sender_news *news);

/* Ends fast recovery, or the time after a time-out. */
void tcp_sender_leave_recovery(tcp_sender *sender);

/* `now` of the congestion control, whose clock may count ticks: one of them is its time 0. */
static inline time_ps tcp_sender_clock(const tcp_sender *sender, time_ps now)
{
  return now + sender->config->tick_phase_ps;
}

/* The window is the threshold that ECE made: what was in flight when PRR began to lead there is
 * acknowledged, or a loss is found. */
void tcp_sender_end_reducing(tcp_sender *sender);

/* Judges what `news` proves of the last recovery or time-out: when it was for nothing, it is undone. */
void tcp_sender_judge_recovery(tcp_sender *sender, tcp_sender_news *news);

/* An ECN peer is informed of the reduction (CWR), and ECE for what is in flight now brings no other. */
void tcp_sender_note_reduction(tcp_sender *sender);
