/* SPDX-License-Identifier: GPL-2.0-only */
/* IP reassembly (RFC 791 §3.2, RFC 8200 §4.5): fragments in, whole datagrams out; for the simulated receiver, and for who reads a capture.
 * What it holds is bounded in time, and, by limits, in datagrams and octets. With those a receiver is one of the five that
 * draft-ietf-rddp-mpa-01 §11.2.1 leaves an implementation (MPA-339 … MPA-344); ip_input.c has the table.
 *
 * It stands in front of TCP and knows nothing of it: what waits here is acknowledged by nobody and announced in no window
 * (MPA-346). Sans I/O: fragments and the time come in; datagrams, ICMP messages to be sent and the next deadline come out. */
#ifndef NET_IP_REASSEMBLY_H
#define NET_IP_REASSEMBLY_H

#include "base/time_ps.h"
#include "net/ip_fragments.h"

typedef struct ip_reassembly ip_reassembly;

/* The limits, and whatever else two reassemblies may differ in. */
typedef struct ip_reassembly_config {
  uint32_t datagrams;       /* that wait at a time; 0: every fragment is refused */
  uint32_t datagram_octets; /* of each of them, IP header included */
  uint64_t octets;          /* of IP payload, of all of them */
  uint32_t
      fragment_octets; /* that each fragment counts among `octets` besides its own: the memory to remember it */
  time_ps timeout_ps; /* from a datagram's first fragment on (> 0); RFC 1122 §3.3.2: 60 s to 120 s */
  bool
      keeps_contradicted; /* until its time is over: what comes later of a datagram with an overlap is dropped, too (RFC 5722 §4) */
} ip_reassembly_config;

/* What it has counted. */
typedef struct ip_reassembly_statistics {
  uint64_t fragments;   /* received */
  uint64_t begun;       /* datagrams of which a fragment was taken in */
  uint64_t reassembled; /* datagrams */
  uint64_t refused;     /* fragments that had no room */
  uint64_t evicted;     /* datagrams that gave their room to a younger one */
  uint64_t timed_out;   /* datagrams */
  uint64_t overlapping; /* datagrams dropped because fragments of them contradict each other */
  uint64_t
      malformed; /* fragments that are of no possible datagram, and datagrams that are dropped when they are whole */
  uint64_t answers;     /* ICMP messages */
  uint64_t peak_octets; /* the most of `octets` held at a time */
} ip_reassembly_statistics;

/* All limits as far away as can be, and a timeout of 60 s. */
ip_reassembly_config ip_reassembly_config_unlimited(void);

ip_reassembly *ip_reassembly_new(const ip_reassembly_config *config);

/* Frees it and what it holds. NULL is allowed. */
void ip_reassembly_free(ip_reassembly *reassembly);

/* Takes in a fragment. When it was the last one missing, returns the whole datagram, the caller's to be freed with ip_fragments_free(); else
 * NULL.
 *
 * When a fragment has no room, older datagrams make room for it (the one that has waited longest first: most likely a
 * fragment of it is lost, and it would else keep its room until the timeout); if that is not enough, it is dropped, with the
 * rest of its datagram. Either has an ICMP message made, if the datagram's first fragment has come, as a packet, or when it comes.
 * Fragments that overlap drop their datagram (RFC 5722 §4, RFC 8200 §4.5; exact duplicates are passed over). */
ip_fragments *ip_reassembly_add(ip_reassembly *reassembly, const ip_fragment *fragment, time_ps now);

/* The same of a packet, the reference of which it takes. Returns, with a reference for the caller, the packet itself when it is no fragment;
 * the whole datagram; else NULL. */
datagram *ip_reassembly_receive(ip_reassembly *reassembly, datagram *packet, time_ps now);

/* The next ICMP message to be sent, owned by the caller; NULL when there is none. It is from the fragment's destination, and
 * advises an MTU of the first fragment's length: what a router made the fragments for was at most 7 octets larger. */
datagram *ip_reassembly_take_answer(ip_reassembly *reassembly);

/* When ip_reassembly_run() is next due; TIME_PS_NEVER. */
time_ps ip_reassembly_deadline(const ip_reassembly *reassembly);

/* Drops the datagrams whose time is over. RFC 1122 §3.3.2's ICMP Time Exceeded is not sent: TCP does nothing about it
 * (RFC 1122 §4.2.3.9). */
void ip_reassembly_run(ip_reassembly *reassembly, time_ps now);

/* The octets of TCP payload that are held in datagrams with fragments missing (definitions.md, cause `fragment`), which came as packets:
 * of one connection, `flow` as its packets arrive here; and of those whose connection is not known, because the first fragment has not
 * come. A first fragment counts without its TCP header. */
uint64_t ip_reassembly_held_octets(ip_reassembly *reassembly, const datagram_flow *flow);
uint64_t ip_reassembly_held_unattributed_octets(const ip_reassembly *reassembly);

/* The counts so far; the reassembly's. */
const ip_reassembly_statistics *ip_reassembly_counted(const ip_reassembly *reassembly);

#endif
