/* The inside of RACK, for the sender that it lies in. */
#ifndef TCP_TCP_RACK_PRIVATE_H
#define TCP_TCP_RACK_PRIVATE_H

#include "tcp/tcp_rack.h"

/* What outlives the segments in flight. */
typedef struct tcp_rack_knowledge {
  time_ps round_trip_ps; /* RACK.rtt: how long the last segment delivered took */
  time_ps least_ps;      /* RACK.min_RTT */
  uint32_t multiple;     /* RACK.reo_wnd_mult */
  uint8_t persistence;   /* RACK.reo_wnd_persist */
  bool reordering_seen;
} tcp_rack_knowledge;

/* The rest is of what is in flight and what was delivered while it was: a later segment was sent after all of that and lies
 * higher, so once nothing is in flight it decides nothing any more. */
struct tcp_rack {
  tcp_rack_knowledge known;
  uint32_t threshold;
  time_ps timer_slack_ps;
  bool any;                /* something has been delivered: */
  bool widened;            /* until SND.UNA is at `round_end`: RACK.dsack_round */
  uint64_t order;          /* RACK.xmit_ts: of what was delivered and sent last the transmission, … */
  uint64_t end;            /* … RACK.end_seq: and where it ends */
  uint64_t highest;        /* RACK.fack: the end of the highest delivered … */
  uint64_t highest_so_far; /* … by this acknowledgement */
  uint64_t round_end;
  time_ps deadline;
};

/* Nothing was delivered yet. */
void tcp_rack_knowledge_init(tcp_rack_knowledge *known);

/* Nothing is in flight and this is known; `known` is copied. `duplicate_ack_threshold` is DupThresh, and the reordering timer
 * expires `timer_slack_ps` late. */
void tcp_rack_init(tcp_rack *rack, uint32_t duplicate_ack_threshold, time_ps timer_slack_ps,
                   const tcp_rack_knowledge *known);

#endif
