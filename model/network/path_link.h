/* SPDX-License-Identifier: GPL-2.0-only */
/* On the link of one direction a packet spends its time (docs/facts.md, "A link's times").
 *
 * A packet of L octets IP whose transmission starts at s arrives at s + round((L + 2) * 8 / rate) + delay and
 * leaves the transmitter free at s + round((L + 2) * 8 / rate) + gap, gap = round((framing - 2) * 8 / rate):
 * the 2 are PPP's, the rest of the framing is interframe gap and does not delay the arrival. With a framing
 * below 2 or with cells it is sent as a whole, without a gap: it arrives with its last octet, its last cell.
 * Packets wait for the transmitter in the order sent; the queue is unlimited here (path_transmitter decides
 * what may wait). Rate and delay may change at run time: what has started keeps its arrival, so a smaller
 * delay lets later packets overtake. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deque.h"
#include "base/time_ps.h"
#include "engine/engine.h"
#include "net/datagram.h"

enum { PATH_LINK_PPP_OCTETS = 2 };

typedef struct path_link_config {
  uint32_t id; /* the major key of its arrivals */
  uint64_t rate_bit_per_s;
  time_ps delay_ps;
  uint32_t mtu_octets;
  int32_t framing_octets;       /* may be negative; a packet has PATH_LINK_PPP_OCTETS or more with it */
  uint32_t cell_octets;         /* 0: no cells */
  int32_t cell_overhead_octets; /* may be negative; a cell has more than PATH_LINK_PPP_OCTETS with it */
} path_link_config;

/* Returns what a packet of `ip_octets` costs on the link, as netem's `rate` counts it: with the framing, or
 * in whole cells. */
uint32_t path_link_octets(const path_link_config *config, uint32_t ip_octets);

/* The octets whose time passes before the last one has left, and the time from then until the transmitter is
 * free. */
uint32_t path_link_sent_octets(const path_link_config *config, uint32_t ip_octets);
time_ps path_link_gap_ps(const path_link_config *config);

/* Returns when a packet of `ip_octets` arrives whose transmitter starts it at `start`. */
time_ps path_link_arrival_at(const path_link_config *config, time_ps start, uint32_t ip_octets);

/* Returns the least time from when the transmitter starts the first of `packets` packets (> 0) of `ip_octets`
 * together until the last octet of the last has left. That of one packet is exact. */
time_ps path_link_least_ps(const path_link_config *config, uint64_t packets, uint64_t ip_octets);

/* How long packets take on a link, of its config: without a division for each where an octet takes whole
 * picoseconds. */
typedef struct path_link_pace {
  time_ps gap_ps;
  time_ps octet_ps;   /* 0: an octet takes no whole picoseconds, or packets are in cells; else … */
  time_ps framing_ps; /* … what is sent with each packet takes so long */
} path_link_pace;

path_link_pace path_link_pace_of(const path_link_config *config);

/* From the start of a packet of `ip_octets` until its last octet has left. From then it takes the delay to
 * its arrival, and `gap_ps` until the transmitter is free. */
static inline time_ps path_link_pace_sending_ps(const path_link_pace *pace, const path_link_config *config,
                                                uint32_t ip_octets)
{
  return pace->octet_ps > 0 ? ip_octets * pace->octet_ps + pace->framing_ps
                            : path_link_arrival_at(config, -config->delay_ps, ip_octets);
}

/* --- Packets on the way --- */

/* This is when the packets given to a link start and arrive: the arithmetic above, also when the link changes
 * meanwhile. Read by everyone, written only by the functions below. */
typedef struct path_link_schedule {
  time_ps free_at; /* when the transmitter is through with all packets sent so far */
  deque transits;  /* packets on the way, in the order of arrival and, in one picosecond, of sending */
  path_link_pace pace;
  path_link_config config;
} path_link_schedule;

void path_link_schedule_init(path_link_schedule *schedule, const path_link_config *config);

/* Drops the packets on the way, and frees the memory. */
void path_link_schedule_clear(path_link_schedule *schedule);

/* Takes `packet`, which is sent at `now`, and its reference. True when it arrives
 * before all others on the way. O(1), apart from the packets that it overtakes (when the delay has become
 * less). */
bool path_link_schedule_send(path_link_schedule *schedule, datagram *packet, time_ps now);

/* Returns when the next packet arrives; TIME_PS_NEVER: none is on the way. */
time_ps path_link_schedule_next(const path_link_schedule *schedule);

/* Returns packet number `index` on the way, in the order of arrival; it stays the schedule's. */
datagram *path_link_schedule_at(const path_link_schedule *schedule, size_t index);

/* Removes the packet that arrives next, with its reference; there must be one. */
datagram *path_link_schedule_take(path_link_schedule *schedule);

/* The link's rate and delay become those of `config` (the rest must be as it was) at `now`, after what
 * started at `now`: packets in transmission or flight keep their arrivals, those that wait are transmitted as
 * the link now is. */
void path_link_schedule_change(path_link_schedule *schedule, const path_link_config *config, time_ps now);

/* --- A link --- */

typedef struct path_link path_link;

/* Takes a packet that has arrived; owns the reference. */
typedef void (*path_link_receiver)(void *user, datagram *packet, time_ps now);

/* This is what an implementation of a link is: embedded as its first member, all zero but for its class and
 * the initialised schedule, which path_link_free() clears. What an arrival needs is in its first 64 octets, a
 * cache line, and what a packet sent does in two: with many links none is in the cache when its turn comes.
 */
typedef struct path_link_class {
  /* `packet` is in the schedule now; `is_first`: it arrives before all others. */
  void (*sent)(path_link *link, datagram *packet, bool is_first);
  void (*changed)(path_link *link); /* to what the schedule has now */
  void (*free)(path_link *link);
} path_link_class;

struct path_link {
  const path_link_class *class;
  engine_timer *arrival; /* over a native clock: of the first on the way */
  path_link_receiver receiver;
  void *receiver_user;
  path_link_schedule schedule; /* an implementation takes from it what arrives */
};

/* Gives the packet's reference to the link at `now`, the present of the link's clock: it is transmitted as
 * soon as those before it are through. The packet is at most the MTU: larger ones are the caller's mistake.
 */
void path_link_send(path_link *link, datagram *packet, time_ps now);

/* Who gets what arrives; before the first send. */
void path_link_set_receiver(path_link *link, path_link_receiver receiver, void *user);

/* The link's rate and delay become those of `config` at `now`, the present of the link's clock; the rest of
 * it must be as it was. Packets that have started, also at this very picosecond, keep their arrivals; those
 * that wait are transmitted as the link now is. */
void path_link_set_config(path_link *link, const path_link_config *config, time_ps now);

void path_link_free(path_link *link);

/* --- The link over a native clock --- */

/* Makes a link that delivers exactly as the one over ns-3's devices does, of `config` (copied), whose packets
 * arrive by `clock`, in class ENGINE_ARRIVAL, major config->id. The clock stays the caller's and outlives the
 * link. Free with path_link_free(), which drops what is still on the way. */
path_link *path_link_native_new(const path_link_config *config, engine *clock);
