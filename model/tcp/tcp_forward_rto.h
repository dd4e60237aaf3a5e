/* F-RTO: was a time-out for nothing? (RFC 5682.) After it the sender re-sends the first segment only; if
 * that is acknowledged but not all, it sends up to two new segments instead of re-sending more, and what is
 * acknowledged next tells whether the originals had arrived. */
#ifndef TCP_TCP_FORWARD_RTO_H
#define TCP_TCP_FORWARD_RTO_H

#include <stdbool.h>

typedef enum tcp_forward_rto_step {
  TCP_FORWARD_RTO_OFF,
  TCP_FORWARD_RTO_RESENT,   /* step 2: the first acknowledgement after the time-out is awaited */
  TCP_FORWARD_RTO_SENT_NEW, /* step 3: the second */
} tcp_forward_rto_step;

typedef struct tcp_forward_rto {
  tcp_forward_rto_step step;
  bool resent;           /* the first segment was */
  bool sack;             /* the variant of §3, else that of §2 */
  unsigned new_segments; /* that may still leave in step 2 (b) */
} tcp_forward_rto;

/* A time-out, not one in the wake of another: step 1. */
void tcp_forward_rto_begin(tcp_forward_rto *forward, bool sack);

/* An acknowledgement after it. */
typedef struct tcp_forward_rto_ack {
  bool advances;  /* SND.UNA */
  bool recovered; /* all that was in flight at the time-out is acknowledged */
  bool beyond;    /* something sent after the time-out is SACKed */
  bool original;  /* something in flight at the time-out, never sent again, is newly acknowledged or SACKed */
  bool duplicate; /* a duplicate ACK (RFC 5681 §2) */
  bool may_send_new; /* there are unsent octets and the peer has room */
} tcp_forward_rto_ack;

typedef enum tcp_forward_rto_verdict {
  TCP_FORWARD_RTO_UNKNOWN, /* go on */
  TCP_FORWARD_RTO_REAL, /* something was lost, after new segments were sent: the window is at most 3 SMSS */
  TCP_FORWARD_RTO_SPURIOUS, /* nothing was lost */
} tcp_forward_rto_verdict;

tcp_forward_rto_verdict tcp_forward_rto_acknowledged(tcp_forward_rto *forward,
                                                     const tcp_forward_rto_ack *ack);

/* A segment was sent again. */
void tcp_forward_rto_sent_again(tcp_forward_rto *forward);

/* New segments go before retransmissions, whatever the window; one has. */
bool tcp_forward_rto_wants_new(const tcp_forward_rto *forward);
void tcp_forward_rto_sent_new(tcp_forward_rto *forward);

/* Nothing else leaves: the first segment was sent again and is not acknowledged, or the verdict is awaited. */
bool tcp_forward_rto_holds_back(const tcp_forward_rto *forward);

void tcp_forward_rto_end(tcp_forward_rto *forward);

#endif
