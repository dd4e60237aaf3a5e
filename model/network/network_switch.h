/* SPDX-License-Identifier: GPL-2.0-only */
/* A switch: store and forward, with a queue before the link of each port and one buffer that all queues
 * share.
 *
 * A packet that comes is looked up, and admitted to the queue of an output port, or dropped. With L its
 * octets (IP, and `per_packet_octets`), q those in the queue and Q those in the whole switch it is admitted
 * iff q + L <= the port's limit,  Q + L <= the buffer,  q < alpha x (the buffer - Q) (Choudhury and Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", 1998). A packet counts in q and Q from
 * its admission until its last octet has left, so the one in transmission does.
 *
 * Departures come before arrivals of the same picosecond. Packets that come in the same picosecond are
 * admitted in the order of a hash of seed, switch, time and input port: a fixed order of the ports would give
 * all losses to one of two equal senders (docs/decisions.md, "Switches (model/network/network_switch)").
 *
 * The switch is also what a host sends by: one with one port and without limits is its interface, whose link
 * fails and returns as others do.
 *
 * Not sans I/O as a path's elements are: a switch has its turns by a timer on the engine, and its ports'
 * links. */
#pragma once

#include <glib.h>

#include "measure/time_distribution.h"
#include "network/path_element.h"
#include "network/path_segment.h"

typedef struct network_switch network_switch;

/* These are the limits of a switch; all zero: none. Octets are IP octets and
 * `per_packet_octets` for each packet. */
typedef struct network_switch_config {
  uint64_t buffer_octets;      /* of all ports together; 0: unlimited */
  uint32_t alpha_numerator;    /* of the dynamic threshold, 0: unlimited; it has no effect where … */
  uint32_t alpha_denominator;  /* … the buffer is. Both below 2^16 */
  uint64_t port_limit_octets;  /* of each queue; 0: unlimited */
  uint64_t ecn_minimum_octets; /* an ECN-capable packet that finds so many in its queue may be marked, … */
  uint64_t ecn_maximum_octets; /* … with so many it is (>= minimum; equal: DCTCP's K). 0: none is */
  double ecn_probability;      /* of a mark just below the maximum; at the minimum it is 0, linear between */
  time_ps latency_ps;          /* of the lookup: a part of the delays of the links that lead to the switch */
  uint32_t per_packet_octets;  /* what the memory of a packet takes beside its IP octets */
} network_switch_config;

/* Returns the output port of a packet that is looked up at `now`; a number that no port has: there is no way,
 * and it is dropped. Called once for each packet. The switch's own ICMP messages have the input port
 * NETWORK_SWITCH_ITSELF. */
typedef uint32_t (*network_switch_choose)(void *user, uint32_t input, const datagram *packet, time_ps now);
#define NETWORK_SWITCH_ITSELF UINT32_MAX

/* Switches that have packets which came in one picosecond have their turns after all that comes in it, one
 * after the other in the order in which they were made: with one timer. */
typedef struct network_switch_turns network_switch_turns;

enum { NETWORK_SWITCH_TURNS_MAX = 4096 }; /* switches that have them */

/* One on a clock. Free it after the switches, before the engine. */
network_switch_turns *network_switch_turns_new(engine *clock);
void network_switch_turns_free(network_switch_turns *turns);

/* This is where a switch is. */
typedef struct network_switch_place {
  network_switch_choose choose; /* NULL: a host's interface, with one port */
  void *choose_user;
  trace *trace; /* NULL: nothing is traced; an event's node is the switch, its port the output, from 1 */
  path_side_of side_of; /* with a trace */
  const char *name;     /* "s0": in the name of its random stream ("ecn.s0") and in a trace; outlives it */
  network_switch_turns *turns; /* NULL: packets come by network_switch_send() alone */
  uint32_t port_room;          /* so many ports it may have */
  uint64_t seed;
  engine *clock;
  path_link_factory new_link;
  /* A packet that is larger than the output link's MTU is fragmented where that is allowed, else dropped, and
   * its source is informed by ICMP from `address`, of the packets' version, unless the switch is silent. The
   * message is looked up and queued as other packets are. */
  bool is_silent;
  ip_address address;
} network_switch_place;

/* Makes a switch without ports; both are copied. Free with network_switch_free(), before the engine. */
network_switch *network_switch_new(const network_switch_config *config, const network_switch_place *place);
void network_switch_free(network_switch *self); /* NULL is allowed; drops the packets it holds */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(network_switch, network_switch_free)

/* Adds the next port, from 0 on, whose link is up. What arrives at the link's other end goes to `output` with
 * `user`. The link's id must be no other's on the clock. False and `error` when the engine refuses it. Before
 * the first packet. */
bool network_switch_add_port(network_switch *self, const path_link_config *link, path_output output,
                             void *user, GError **error);

/* `packet` comes to port number `input` at `now`, the clock's present; takes its reference. */
void network_switch_receive(network_switch *self, uint32_t input, datagram *packet, time_ps now);

/* A host sends `packet` by its interface, port number 0: it has one input, so that nothing ties. */
void network_switch_send(network_switch *self, datagram *packet, time_ps now);

/* The link of `port`, this direction of it, fails at `now`, or returns. What is queued for it or under way on
 * it is lost, and so is what comes for it while it is down. When it returns, it is free. */
void network_switch_set_up(network_switch *self, uint32_t port, bool is_up, time_ps now);

/* Returns when a packet without payload that is admitted to `port` at `now` would arrive at the link's other
 * end: after all admitted before it. */
time_ps network_switch_earliest_arrival(const network_switch *self, uint32_t port, time_ps now);

/* Returns the link of `port`, up or down; the switch's. */
const path_link_config *network_switch_link(const network_switch *self, uint32_t port);

/* --- What is counted --- */

/* Why a packet was dropped. Of several causes the first counts. */
typedef enum network_switch_drop {
  NETWORK_SWITCH_PORT,      /* q + L above the port's limit */
  NETWORK_SWITCH_BUFFER,    /* Q + L above the buffer */
  NETWORK_SWITCH_THRESHOLD, /* q not below alpha times the rest of the buffer */
  NETWORK_SWITCH_TOO_BIG,   /* for the link's MTU, and may not be fragmented */
  NETWORK_SWITCH_LINK,      /* its link is down, or went down before it had left */
  NETWORK_SWITCH_DROPS
} network_switch_drop;

/* From the start on, whatever the measured window is. */
typedef struct network_port_counts {
  uint64_t packets_sent; /* whose last octet has left, and their IP octets */
  uint64_t octets_sent;
  uint64_t dropped[NETWORK_SWITCH_DROPS]; /* packets; of a packet without a way: of the switch, not here */
  uint64_t lost_on_link;                  /* packets that had left, and were under way when the link failed */
  uint64_t marked;                        /* CE, that were not before */
  uint64_t fragments;                     /* made */
  uint64_t peak_octets;                   /* of the queue */
} network_port_counts;

/* What has left by `now` is counted, and the measured window opens, or closes. It is closed at first, and may
 * open more than once: what is measured is of all the time in which it was open. */
void network_switch_measure(network_switch *self, bool is_open, time_ps now);

/* What has left by `now` is counted, and the window closes if it is open: at the end of a run, before what
 * follows. Nothing may come afterwards. */
void network_switch_end(network_switch *self, time_ps now);

/* What a port measured in the window. */
typedef struct network_port_gauge {
  time_distribution queue; /* octets over time: its mean and quantiles */
  uint64_t peak_octets;    /* of the queue */
  time_ps measured_ps;     /* how long the window was open; 0: the rest is undefined */
  time_ps busy_ps;         /* of it, the transmitter's, gaps between packets included: the utilisation */
} network_port_gauge;

/* Of the time of the last packet, network_switch_measure(), or network_switch_end(). */
network_port_counts network_switch_port_counts(const network_switch *self, uint32_t port);

/* Only after network_switch_end(). It stays the switch's. */
const network_port_gauge *network_switch_port_gauge(const network_switch *self, uint32_t port);

/* What a switch has done with IP octets: received + made = sent + held + dropped at any time. */
typedef struct network_switch_totals {
  uint64_t received; /* IP octets that came to it, … */
  uint64_t made;     /* … of its ICMP messages, and of the headers of fragments beyond the first, … */
  uint64_t sent;     /* … whose packet's last octet has left, … */
  uint64_t held;     /* … that come together, wait or are in transmission, … */
  uint64_t dropped;  /* … and dropped */
  uint64_t packets_without_way;  /* dropped because no port led to where they go */
  uint64_t retransmissions_lost; /* of all packets dropped, by whatever cause, or lost on a link */
  uint64_t buffer_peak_octets;   /* Q in the window */
} network_switch_totals;

/* Of the time of the last packet, network_switch_measure(), or network_switch_end(). */
network_switch_totals network_switch_totals_of(const network_switch *self);
