/* RACK: losses by time (RFC 8985 §6). A segment is lost when one sent after it has been delivered, and as
 * long has passed since it was sent as that one took, and the reordering window more. */
#ifndef TCP_TCP_RACK_H
#define TCP_TCP_RACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "tcp/tcp_scoreboard.h"

typedef struct tcp_rack tcp_rack;

/* §6.2 steps 1 to 3: `segment` is delivered at `now`. `echoed_ps` as in tcp_acknowledgement. */
void tcp_rack_delivered(tcp_rack *rack, const tcp_sent_segment *segment, time_ps echoed_ps, time_ps now);

/* Those of one acknowledgement have all been told of: what comes later and lies lower was reordered
 * (§6.2 step 3). */
void tcp_rack_delivered_all(tcp_rack *rack);

/* Whether an acknowledgement that moves SND.UNA on from `acknowledged` over segments sent once, in order, and tells of no
 * duplicate, can change only what tcp_rack_delivered_in_order() does. `first_order`: tcp_scoreboard_first_order() before it. */
bool tcp_rack_is_settled(const tcp_rack *rack, uint64_t acknowledged, uint64_t first_order);

/* All of the above and tcp_rack_find_lost() for such an acknowledgement, of segments up to `last`: what was sent before them
 * has been delivered before, so nothing is lost. */
void tcp_rack_delivered_in_order(tcp_rack *rack, const tcp_sent_segment *last, time_ps now);

/* §6.2 step 4, an acknowledgement `with_duplicate` (D-SACK): a wider window, at most once a round trip.
 * `acknowledged` is SND.UNA and `next` SND.NXT. */
void tcp_rack_heed_duplicate(tcp_rack *rack, bool with_duplicate, uint64_t acknowledged, uint64_t next);

/* A recovery or the time after a time-out has ended: 16 of them without D-SACK narrow the window again. */
void tcp_rack_recovery_ended(tcp_rack *rack);

/* A recovery was spurious: there is reordering, though what was late had been sent again. */
void tcp_rack_reordering_seen(tcp_rack *rack);

/* What the reordering window depends on. */
typedef struct tcp_rack_situation {
  bool recovering;          /* fast recovery, or after a time-out */
  uint64_t sacked_segments; /* SACKed and not acknowledged */
  time_ps smoothed_ps;      /* SRTT */
} tcp_rack_situation;
time_ps tcp_rack_window_ps(const tcp_rack *rack, const tcp_rack_situation *situation);

/* What find_lost() has taken as lost. */
typedef struct tcp_rack_losses {
  uint64_t segments;
  uint64_t retransmissions; /* of these segments, those lost again */
} tcp_rack_losses;

/* §6.2 step 5: takes as lost on `board` what is, and sets the timer to when all that may be lost is, unless it is delivered
 * before ("timeout = max(remaining, timeout)"). */
tcp_rack_losses tcp_rack_find_lost(tcp_rack *rack, tcp_scoreboard *board, time_ps window_ps, time_ps now);

/* The reordering timer; TIME_PS_NEVER when it is off. */
time_ps tcp_rack_deadline(const tcp_rack *rack);

/* The retransmission timer has expired: what was last sent until then is lost (§6.3). The reordering timer is
 * off. */
time_ps tcp_rack_time_out(tcp_rack *rack, time_ps window_ps, time_ps now);

#endif
