/* What is in flight: the segments sent and not yet acknowledged, what of them the peer has acknowledged
 * selectively, and what is taken as lost (RFC 6675 §3 and §4).
 *
 * A segment keeps the boundaries it was first sent with (mpa-01 §5.3, MPA-048); only its front is cut off
 * when part of it is acknowledged (notes-mpa 29, MPA-329), or it is cut up when it no longer fits. It
 * counts as SACKed once all of its octets are, whatever boundaries a middlebox gave them. Nothing here
 * walks over the whole window, save when the retransmission timer expires. */
#ifndef TCP_TCP_SCOREBOARD_H
#define TCP_TCP_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_scoreboard tcp_scoreboard;

/* One segment in flight: the positions from <= p < to, of which the FIN may be the last. */
typedef struct tcp_sent_segment {
  uint64_t number; /* for tcp_scoreboard_resent() */
  uint64_t from;
  uint64_t to;
  bool sent_again; /* since it was last taken as lost */
} tcp_sent_segment;

/* An empty scoreboard; `duplicate_ack_threshold` is DupThresh (> 0), `smss_octets` SMSS of RFC 6675. Free
 * with tcp_scoreboard_free(). */
tcp_scoreboard *tcp_scoreboard_new(uint32_t duplicate_ack_threshold, uint32_t smss_octets);
void tcp_scoreboard_free(tcp_scoreboard *board);

/* Where the segment [from, to) is to end, as it no longer fits: behind `from`, at most at `to`. */
typedef uint64_t (*tcp_scoreboard_cutter)(void *user, uint64_t from, uint64_t to);

/* SMSS is `smss_octets` from now on. Segments in flight that are longer are replaced by the pieces that
 * `cutter`, called with `user`, makes of them, each as lost, SACKed or sent again as its octets are. Walks
 * over the whole window. */
void tcp_scoreboard_set_smss(tcp_scoreboard *board, uint32_t smss_octets, tcp_scoreboard_cutter cutter,
                             void *user);

/* [from, to) was sent for the first time at `now`; it follows what was sent before. */
void tcp_scoreboard_sent(tcp_scoreboard *board, uint64_t from, uint64_t to, time_ps now);

/* All below `position` (at most what was sent) is acknowledged. Returns true and stores in `*sent_at` when
 * the first segment that this acknowledges was sent, if that makes a round-trip sample: whole segments are
 * acknowledged, the first was not SACKed before, and none of them was ever sent twice (Karn, RFC 6298 §3). */
bool tcp_scoreboard_acknowledge(tcp_scoreboard *board, uint64_t position, time_ps *sent_at);

/* The peer holds [from, to), which must have been sent and not be acknowledged. Returns how many octets of
 * it were not known to be there. */
uint64_t tcp_scoreboard_sack(tcp_scoreboard *board, uint64_t from, uint64_t to);

/* Update() of RFC 6675 §4: takes as lost what IsLost() says. Call after the SACK blocks of an
 * acknowledgement. */
void tcp_scoreboard_find_lost(tcp_scoreboard *board);

/* Takes the first segment in flight as lost, whatever was SACKed behind it. There must be one. */
void tcp_scoreboard_lose_first(tcp_scoreboard *board);

/* The retransmission timer has expired: all that is not SACKed is lost and was not sent again yet. A first
 * segment that is SACKed but still not acknowledged shows that the peer has dropped it: then no SACK is
 * believed (RFC 2018 §8). */
void tcp_scoreboard_lose_all(tcp_scoreboard *board);

/* SetPipe() of RFC 6675 §4, kept up to date: octets believed to be on the path. */
uint64_t tcp_scoreboard_pipe_octets(const tcp_scoreboard *board);

/* True when the first segment in flight is taken as lost: IsLost(HighACK + 1). */
bool tcp_scoreboard_first_is_lost(const tcp_scoreboard *board);

/* The candidates of NextSeg() (RFC 6675 §4); false when there is none. first: whatever is first in flight;
 * next_lost: rule 1; next_unsacked: rule 3; last_unsacked: rule 4, the rescue. */
bool tcp_scoreboard_first(const tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_next_lost(tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_next_unsacked(tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_last_unsacked(const tcp_scoreboard *board, tcp_sent_segment *segment);

/* The segment with `number` was sent again. With `moves_high_rxt` it and all before it are not offered as
 * next_lost and next_unsacked any more (HighRxt); a rescue does not move it. HighRxt goes back only in
 * tcp_scoreboard_lose_all(): what one recovery has sent again is not sent a third time because the next
 * one begins. RFC 6675 §2 leaves that open; its literal reading would repeat, without need, what is on its
 * way. */
void tcp_scoreboard_resent(tcp_scoreboard *board, uint64_t number, bool moves_high_rxt);

#endif
