/* What tcp_sender.c (its life), tcp_sender_arrival.c (an acknowledgement arrives), tcp_sender_departure.c (a
 * segment leaves) and tcp_sender_recovery.c (losses) share. */
#ifndef TCP_TCP_SENDER_PRIVATE_H
#define TCP_TCP_SENDER_PRIVATE_H

#include <glib.h>

#include "tcp/tcp_congestion.h"
#include "tcp/tcp_forward_rto.h"
#include "tcp/tcp_pacer.h"
#include "tcp/tcp_proportional_reduction.h"
#include "tcp/tcp_rack.h"
#include "tcp/tcp_scoreboard.h"
#include "tcp/tcp_send_queue.h"
#include "tcp/tcp_sender.h"
#include "tcp/tcp_spurious.h"
#include "tcp/tcp_tail_loss_probe.h"

typedef enum tcp_sending_state {
  TCP_SENDING_OPEN,
  TCP_SENDING_RECOVERY, /* fast recovery, until what was in flight at first is acknowledged */
  TCP_SENDING_LOSS,     /* after a time-out, until what was in flight then is acknowledged */
} tcp_sending_state;

/* What the acknowledgement at hand brings. */
typedef struct tcp_sender_news {
  const tcp_acknowledgement *ack;
  time_ps now;
  bool limited;           /* the congestion window was what held the sender back */
  bool advances;          /* SND.UNA … */
  uint64_t octets;        /* … by so many */
  uint64_t flight_octets; /* before it */
  uint64_t newly_sacked;  /* octets */
  uint64_t delivered;     /* octets, cumulatively or by SACK */
  time_ps round_trip_ps;  /* -1: no sample */
  bool duplicate;         /* a duplicate ACK (RFC 5681 §2, RFC 6675 §2) */
  bool original;          /* a segment below the recovery point and sent once only was delivered */
  bool beyond;            /* a segment beyond the recovery point was */
  bool undone;            /* it shows that a reduction was for nothing */
  uint64_t
      original_until;     /* below that it acknowledges first transmissions of what was sent twice; 0: none */
  uint64_t lost_segments; /* found by RACK */
} tcp_sender_news;

struct tcp_sender {
  const tcp_config *config;
  tcp_retransmission_timer *timer;
  tcp_statistics *statistics;
  tcp_gauges *gauges;
  tcp_send_queue *queue;
  tcp_scoreboard *board;      /* NULL before the start */
  tcp_congestion *congestion; /* NULL before the start */
  tcp_rack *rack;             /* NULL: losses by RFC 6675, without SACK by RFC 6582 */
  tcp_spurious *spurious;     /* NULL before the first recovery or time-out */
  tcp_sender_news *news;      /* of the acknowledgement at hand */

  uint64_t acknowledged; /* SND.UNA */
  uint64_t next;         /* SND.NXT, HighData + 1 */
  uint64_t window_edge;
  time_ps sent_at;         /* when the last segment left; -1: none has */
  uint64_t limited_octets; /* new octets sent on duplicate ACKs: not part of FlightSize (RFC 5681 §3.2) */
  uint64_t sent_before_partial_ack; /* SND.NXT at the last partial ACK */
  int64_t recovery_point;           /* SND.NXT when the last recovery or time-out began; -1: none yet */
  int64_t ecn_point;                /* SND.NXT at the last reduction; -1: none yet */
  uint32_t emss_octets;
  uint32_t duplicate_acks;
  uint32_t timeouts_in_a_row;
  tcp_sending_state state;
  bool sack;
  bool finishing; /* FIN follows the last octet */
  bool fin_sent;
  bool resend_first;           /* the first that is lost leaves whatever the window is */
  bool rescued;                /* rule 4 of NextSeg() was used in this recovery */
  bool partially_acknowledged; /* in this recovery: what was sent again first has arrived */
  bool probe_due;              /* of a closed window */
  bool probes;                 /* tail loss probes are sent */
  bool paced;                  /* something waits for the pacer */
  bool ecn;
  bool reduction_due_to_tell; /* CWR on the next new segment */

  tcp_forward_rto forward;
  tcp_tail_loss_probe probe;
  tcp_proportional_reduction reduction;
  tcp_pacer pacer;
};

static inline uint64_t tcp_sender_flight_octets(const tcp_sender *sender)
{
  return sender->next - sender->acknowledged;
}

/* Octets posted and the peer has room for: new segments can be sent. */
bool tcp_sender_has_new(const tcp_sender *sender);

/* The retransmission timer starts anew, or stops when nothing is in flight (RFC 6298 §5.2, §5.3). */
void tcp_sender_restart_timer(tcp_sender *sender, time_ps now);

/* The tail loss probe's timer starts anew, where there is to be one. */
void tcp_sender_schedule_probe(tcp_sender *sender, time_ps now);

/* Losses: finds them after the acknowledgement `news` and enters fast recovery when there are. */
void tcp_sender_find_losses(tcp_sender *sender, tcp_sender_news *news);

/* The end of fast recovery, or of the time after a time-out. */
void tcp_sender_leave_recovery(tcp_sender *sender);

/* What `news` proves of the last recovery or time-out: when it was for nothing, it is undone. */
void tcp_sender_judge_recovery(tcp_sender *sender, tcp_sender_news *news);

/* The reduction is told to an ECN peer, and ECE for what is in flight now brings no other. */
void tcp_sender_note_reduction(tcp_sender *sender);

/* The reordering window of RACK now. */
time_ps tcp_sender_reordering_window_ps(const tcp_sender *sender);

#endif
