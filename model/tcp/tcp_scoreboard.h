/* SPDX-License-Identifier: GPL-2.0-only */
/* It has what is in flight: the segments sent and not yet acknowledged, what of them the peer has
 * acknowledged selectively, and what is taken as lost: by RFC 6675 §3 and §4, or by time (RFC 8985), which
 * tcp_rack decides.
 *
 * A segment keeps the boundaries with which it was first sent (mpa-01 §5.3, MPA-048); only its front is cut
 * off when part of it is acknowledged (note M29, MPA-329), it is cut up when it no longer fits, or takes over
 * the octets of lost ones after it when the sender repacketizes. It counts as SACKed once all of its octets
 * are, whatever boundaries a middlebox gave them. Nothing here walks over the whole window, except when the
 * retransmission timer expires or has expired spuriously. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_scoreboard tcp_scoreboard;

/* This is one segment in flight: the positions from <= p < to, of which the FIN may be the last. */
typedef struct tcp_sent_segment {
  uint64_t number; /* for tcp_scoreboard_resent() */
  uint64_t from;
  uint64_t to;
  time_ps sent_at; /* last */
  uint64_t order;  /* of that transmission among all */
  bool sent_again; /* since it was last taken as lost */
  bool sent_twice; /* ever */
  bool cut;        /* an acknowledgement ended inside it, at `from`, if the sender marks that */
} tcp_sent_segment;

/* `listener` is called with `user` for each segment that is delivered, when it is: cumulatively
 * acknowledged and not SACKed before, or SACKed. It may not call back. */
typedef void (*tcp_scoreboard_listener)(void *user, const tcp_sent_segment *segment);

/* Returns where the segment [from, to) is to end, as it no longer fits: after `from`, at most at `to`. */
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

/* Returns whether every segment in flight was sent once, and nothing was heard of any but that the front of
 * the first has come: none is SACKed, in part or whole, or lost. */
bool tcp_scoreboard_is_plain(const tcp_scoreboard *board);

/* This is what an acknowledgement delivers of such a board; without segments the rest is undefined. */
typedef struct tcp_plain_delivery {
  uint64_t segments;
  uint64_t cut_at;       /* where the first begins, if it was cut; else UINT64_MAX */
  time_ps first_sent_at; /* makes a round-trip sample */
  time_ps last_sent_at;
  uint64_t last_order;
  uint64_t end; /* of the last */
} tcp_plain_delivery;

/* Does what tcp_scoreboard_acknowledge() does when the board is plain, except that no listener is called. */
void tcp_scoreboard_acknowledge_plain(tcp_scoreboard *board, uint64_t position, tcp_plain_delivery *delivery);

/* The peer holds [from, to), which must have been sent and not be acknowledged. Returns how many octets of
 * it were not known to be there. */
uint64_t tcp_scoreboard_sack(tcp_scoreboard *board, uint64_t from, uint64_t to);

/* Returns how many segments are in flight. */
uint64_t tcp_scoreboard_segments(const tcp_scoreboard *board);

/* Returns whether the segment that holds `position`, which is in flight, is SACKed and was sent twice. */
bool tcp_scoreboard_sacked_after_resending(const tcp_scoreboard *board, uint64_t position);

/* This is Update() of RFC 6675 §4: it takes as lost what IsLost() finds. Call after the SACK blocks of an
 * acknowledgement. */
void tcp_scoreboard_find_lost(tcp_scoreboard *board);

/* Takes the first segment in flight as lost, whatever was SACKed after it. There must be one. */
void tcp_scoreboard_lose_first(tcp_scoreboard *board);

/* The segment sent (again) first of all that are neither SACKed nor lost; false when there is none. */
bool tcp_scoreboard_oldest_under_way(const tcp_scoreboard *board, tcp_sent_segment *segment);

/* Finds, of the segments that are neither SACKed nor lost and were last sent before the transmission `order`,
 * or as pieces of the same one end before `end`, the one sent last; returns false when there is none. `order`
 * never goes back from one call to the next. */
bool tcp_scoreboard_last_overtaken(tcp_scoreboard *board, uint64_t order, uint64_t end,
                                   tcp_sent_segment *segment);

/* Takes segment `number`, which is under way, as lost: it and its retransmission, if it had one. */
void tcp_scoreboard_lose(tcp_scoreboard *board, uint64_t number);

/* The retransmission timer has expired: what is not SACKed and was last sent at `sent_until` or before is
 * lost, and the first segment (RFC 8985 §6.3; with TIME_PS_NEVER, all: RFC 6675 §5.1). A first segment that
 * is SACKed but still not acknowledged shows that the peer has dropped it: then no SACK is believed (RFC
 * 2018 §8), and all is lost. Returns how many retransmissions are lost by that. */
uint64_t tcp_scoreboard_lose_all(tcp_scoreboard *board, time_ps sent_until);

/* The path has dropped the segments longer than `length_octets`, from the one with `position`, which is in
 * flight, on: they are lost and were not sent again yet. RFC 6675's marks stand for all before them, so
 * without `by_time` shorter segments in between are taken as lost too. Returns whether there is any. Walks
 * over the whole window. */
bool tcp_scoreboard_lose_longer(tcp_scoreboard *board, uint64_t position, uint32_t length_octets);

/* What was taken as lost was not: all that is not SACKed is on its way again (RFC 4015 §3.2, RFC 5682).
 * Without `findable` what waited to be sent again stays out of what is "under way" here, until it is sent
 * again: RACK does not find it lost before. */
void tcp_scoreboard_restore(tcp_scoreboard *board, bool findable);

/* Returns the number of that transmission among all which is the first segment's in flight; UINT64_MAX:
 * nothing is in flight. */
uint64_t tcp_scoreboard_first_order(const tcp_scoreboard *board);

/* True when the first segment in flight is taken as lost: IsLost(HighACK + 1). It is not when a SACK has
 * reported it since. */
bool tcp_scoreboard_first_is_lost(const tcp_scoreboard *board);

/* False when tcp_scoreboard_next_lost() is sure to find none. */
bool tcp_scoreboard_has_lost(const tcp_scoreboard *board);

/* These are the candidates of NextSeg() (RFC 6675 §4); false when there is none. first: whatever is first in
 * flight; next_lost: rule 1; next_unsacked: rule 3; last_unsacked: rule 4, the rescue, and the tail loss
 * probe. */
bool tcp_scoreboard_first(const tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_next_lost(tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_next_unsacked(tcp_scoreboard *board, tcp_sent_segment *segment);
bool tcp_scoreboard_last_unsacked(const tcp_scoreboard *board, tcp_sent_segment *segment);

/* Returns where the segments end that follow each other from segment `number`, to be sent again, on and are
 * lost and to be sent again too; no further than the first one that reaches `limit`. */
uint64_t tcp_scoreboard_lost_run_end(const tcp_scoreboard *board, uint64_t number, uint64_t limit);

/* Segment `number` takes over the octets up to `to` of that run. */
void tcp_scoreboard_extend(tcp_scoreboard *board, uint64_t number, uint64_t to);

/* The segment with `number` was sent again at `now`. With `moves_high_rxt` it and all before it are not
 * offered as next_lost and next_unsacked any more (HighRxt); a rescue does not move it. HighRxt goes back
 * only in tcp_scoreboard_lose_all(): what one recovery has sent again is not sent a third time because the
 * next one begins. RFC 6675 §2 leaves that open; its literal reading would repeat, without need, what is on
 * its way. By time there is no HighRxt: what is lost again is sent again. */
void tcp_scoreboard_resent(tcp_scoreboard *board, uint64_t number, bool moves_high_rxt, time_ps now);
