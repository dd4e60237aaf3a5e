/* The tail loss probe (RFC 8985 §7): when no acknowledgement comes for two round trips, a segment is sent
 * that makes the peer tell by SACK what is missing, instead of a time-out. */
#ifndef TCP_TCP_TAIL_LOSS_PROBE_H
#define TCP_TCP_TAIL_LOSS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_tail_loss_probe {
  time_ps deadline;    /* PTO; TIME_PS_NEVER when it is off */
  bool due;            /* the probe is to be sent */
  bool outstanding;    /* it was, and is not accounted for: */
  bool retransmission; /* TLP.is_retrans */
  uint64_t end;        /* TLP.end_seq */
} tcp_tail_loss_probe;

void tcp_tail_loss_probe_init(tcp_tail_loss_probe *probe);

/* §7.2: what the time-out of the probe depends on. */
typedef struct tcp_tail_loss_situation {
  time_ps smoothed_ps; /* SRTT; 0: none yet */
  time_ps
      lone_delay_ps; /* added when one segment is in flight, whose ACK may be delayed: TLP.max_ack_delay, … */
  time_ps timer_slack_ps; /* … and when more are */
  uint64_t segments;      /* in flight */
  time_ps retransmission; /* when the retransmission timer expires: the probe comes no later */
} tcp_tail_loss_situation;

/* Starts the timer anew; nothing while a probe is due or outstanding: one at a time (§7.3). */
void tcp_tail_loss_probe_schedule(tcp_tail_loss_probe *probe, const tcp_tail_loss_situation *situation,
                                  time_ps now);

/* Turns the timer off, and takes back a probe that is due. */
void tcp_tail_loss_probe_cancel(tcp_tail_loss_probe *probe);

/* A recovery begins, or the retransmission timer has expired: they find out what the probe would. */
void tcp_tail_loss_probe_forget(tcp_tail_loss_probe *probe);

/* The timer has expired by `now`: the probe becomes due. */
void tcp_tail_loss_probe_run(tcp_tail_loss_probe *probe, time_ps now);

/* The probe has left, new octets or a `retransmission`; `end` is SND.NXT now. */
void tcp_tail_loss_probe_sent(tcp_tail_loss_probe *probe, bool retransmission, uint64_t end);

/* What an acknowledgement says of it. */
typedef struct tcp_tail_loss_ack {
  uint64_t position;
  bool repeated;  /* it has a D-SACK of the octet before TLP.end_seq */
  bool duplicate; /* it moves nothing and SACKs nothing */
} tcp_tail_loss_ack;

/* §7.4: returns true when the probe has repaired a loss that nothing else tells of, for which the window
 * must be reduced. */
bool tcp_tail_loss_probe_acknowledged(tcp_tail_loss_probe *probe, const tcp_tail_loss_ack *ack);

#endif
