/* SPDX-License-Identifier: GPL-2.0-only */
/* RACK-TLP (RFC 8985). A segment is lost when one sent after it has been delivered, and as long has passed
 * since it was sent as that one took, and the reordering window more (§6). The tail loss probe is below. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_scoreboard.h"

/* This is what outlives the segments in flight. */
typedef struct tcp_rack_knowledge {
  time_ps round_trip_ps;      /* RACK.rtt: how long the last segment delivered took */
  time_ps least_ps;           /* RACK.min_RTT */
  uint32_t multiple;          /* RACK.reo_wnd_mult */
  uint16_t distance_segments; /* the most by which a segment has come late so far: Linux's tp->reordering */
  uint8_t persistence;        /* RACK.reo_wnd_persist */
  bool reordering_seen;
} tcp_rack_knowledge;

/* The rest is of what is in flight and what was delivered while it was: a later segment was sent after all
 * of that and lies higher, so once nothing is in flight it decides nothing any more. */
typedef struct tcp_rack {
  tcp_rack_knowledge known;
  const tcp_config *config;
  bool any;                /* something has been delivered: */
  bool sampled;            /* RACK.rtt is new since the sender has looked for losses (Linux: advanced) */
  bool widened;            /* not again before `round_end` is reached: RACK.dsack_round */
  bool duplicate_seen;     /* a D-SACK waits for an acknowledgement that delivers something, as in Linux */
  uint64_t order;          /* RACK.xmit_ts: of what was delivered and sent last the transmission, … */
  uint64_t end;            /* … RACK.end_seq: and where it ends */
  uint64_t highest;        /* RACK.fack: the end of the highest delivered … */
  uint64_t highest_so_far; /* … by this acknowledgement */
  uint64_t late_from;      /* the lowest that it shows to have come late; UINT64_MAX: none */
  uint64_t round_end;
  time_ps deadline; /* of the reordering timer; TIME_PS_NEVER when it is off */
} tcp_rack;

/* Nothing was delivered yet. */
void tcp_rack_knowledge_init(tcp_rack_knowledge *known);

/* Nothing is in flight and this is known; `known` is copied, `config` outlives `rack`. The reordering timer's
 * wait is longer by the timer's slack, and then rounded up to ticks. */
void tcp_rack_init(tcp_rack *rack, const tcp_config *config, const tcp_rack_knowledge *known);

/* §6.2 steps 1 to 3: `segment` is delivered at `now`; one marked as cut counts as reordered.
 * `echoed_before_ps` as in tcp_acknowledgement. */
void tcp_rack_delivered(tcp_rack *rack, const tcp_sent_segment *segment, time_ps echoed_before_ps,
                        time_ps now);

/* The deliveries of one acknowledgement have all been reported: what comes later and lies lower was reordered
 * (§6.2 step 3). `front` is the end of the highest SACKed octets, without such SND.UNA: how far it lies
 * beyond `late_from` is the distance. `smss_octets` > 0. */
void tcp_rack_delivered_all(tcp_rack *rack, uint64_t front, uint32_t smss_octets);

/* All of the above and tcp_rack_find_lost() for such an acknowledgement of all below `position`, which makes
 * `delivery`: what was sent before it has been delivered before, so nothing is lost. */
void tcp_rack_delivered_in_order(tcp_rack *rack, const tcp_plain_delivery *delivery, uint64_t position,
                                 uint32_t smss_octets, time_ps now);

/* §6.2 step 4, a D-SACK: a wider window, at most once a round trip. Rounds are counted in what grows with
 * time: `reached` is SND.UNA and `next` SND.NXT; for Linux's rule the transmission delivered that left last
 * and the number of transmissions so far. */
void tcp_rack_heed_duplicate(tcp_rack *rack, uint64_t reached, uint64_t next);

/* A recovery or the time after a time-out has ended: 16 of them without D-SACK narrow the window again. */
void tcp_rack_recovery_ended(tcp_rack *rack);

/* Returns the reordering window. `recovering`: in fast recovery, or after a time-out; `sacked_segments` are
 * SACKed and not acknowledged; `smoothed_ps` is SRTT. */
time_ps tcp_rack_window_ps(const tcp_rack *rack, bool recovering, uint64_t sacked_segments,
                           time_ps smoothed_ps);

/* This is what find_lost() has taken as lost. */
typedef struct tcp_rack_losses {
  uint64_t segments;
  uint64_t retransmissions; /* of these segments, those lost again */
} tcp_rack_losses;

/* §6.2 step 5: takes as lost on `board` what is, and sets the timer to when all that may be lost is,
 * unless it is delivered before ("timeout = max(remaining, timeout)"). */
tcp_rack_losses tcp_rack_find_lost(tcp_rack *rack, tcp_scoreboard *board, time_ps window_ps, time_ps now);

/* The retransmission timer has expired: what was last sent until then is lost (§6.3). The reordering timer is
 * off. */
time_ps tcp_rack_time_out(tcp_rack *rack, time_ps window_ps, time_ps now);

/* --- The tail loss probe --- */

/* RFC 8985 §7: when no acknowledgement comes for two round trips, a segment is sent
 * that makes the peer report by SACK what is missing, instead of a time-out. All 0 but for a deadline of
 * TIME_PS_NEVER nothing is due or outstanding: at first, and when a recovery begins or the retransmission
 * timer has expired, which find out what the probe would. */
typedef struct tcp_tail_loss_probe {
  time_ps deadline;    /* PTO; TIME_PS_NEVER when it is off */
  time_ps wait_ps;     /* the last wait, in whole ticks */
  time_ps from;        /* with `restarts` the timer starts anew at this time */
  bool due;            /* the probe is to be sent */
  bool outstanding;    /* it was, and is not accounted for: */
  bool retransmission; /* TLP.is_retrans */
  bool restarts;       /* `deadline` does not know of `from` yet. Not beside `due`, as it is written just
                          before that is read (buffer_chain_init_deferred()) */
  uint64_t end;        /* TLP.end_seq */
} tcp_tail_loss_probe;

/* §7.2: what the time-out of the probe depends on. */
typedef struct tcp_tail_loss_situation {
  time_ps smoothed_ps; /* SRTT; 0: none yet */
  /* added when one segment is in flight, whose ACK may be delayed: TLP.max_ack_delay, … */
  time_ps lone_delay_ps;
  time_ps timer_slack_ps; /* … and when more are */
  time_ps timer_tick_ps;  /* to which the wait is rounded up */
  uint64_t segments;      /* in flight */
  time_ps retransmission; /* when the retransmission timer expires: the probe comes no later */
} tcp_tail_loss_situation;

/* Starts the timer anew; nothing while a probe is due or outstanding: one at a time (§7.3). */
void tcp_tail_loss_probe_schedule(tcp_tail_loss_probe *probe, const tcp_tail_loss_situation *situation,
                                  time_ps now);

/* The timer has expired by `now`: the probe becomes due. */
void tcp_tail_loss_probe_run(tcp_tail_loss_probe *probe, time_ps now);

/* The probe has left, new octets or a `retransmission`; `end` is SND.NXT now. */
void tcp_tail_loss_probe_sent(tcp_tail_loss_probe *probe, bool retransmission, uint64_t end);

/* §7.4: returns true when an acknowledgement of `position` shows that the probe has repaired a loss that
 * nothing else shows, for which the window must be reduced. `repeated`: it has a D-SACK of the octet before
 * TLP.end_seq; `duplicate`: it moves nothing and SACKs nothing. */
bool tcp_tail_loss_probe_acknowledged(tcp_tail_loss_probe *probe, uint64_t position, bool repeated,
                                      bool duplicate);
