/* SPDX-License-Identifier: GPL-2.0-only */
/* IP reassembly (RFC 791 §3.2, RFC 8200 §4.5): fragments in, whole datagrams out; for the simulated receiver,
 * and for who reads a capture. What it holds is bounded in time, and, by limits, in datagrams and octets.
 * With those a receiver is one of the five that draft-ietf-rddp-mpa-01 §11.2.1 leaves an implementation
 * (MPA-339 … MPA-344); ip_input.c has the table.
 *
 * It stands in front of TCP and knows nothing of it: what waits here is acknowledged by nobody and announced
 * in no window (MPA-346). Sans I/O: fragments and the time come in; datagrams, ICMP messages to be sent and
 * the next deadline come out. */
#pragma once

#include "base/deque.h"
#include "base/time_ps.h"
#include "net/datagram.h"

/* --- The fragments of one datagram --- */

/* A fragment as it came, of the simulated receiver's or of a capture's. Whatever fragments claim, they are
 * only put together when they fit each other. */
typedef struct ip_fragment {
  datagram_fragment of;
  datagram_ecn ecn;
  const buffer_chain
      *octets;      /* from its first one on; fewer than `of.length_octets` when cut off in a capture */
  datagram *packet; /* that it came as; NULL: out of a capture, and the rest counts */
  uint8_t protocol; /* after IPv6's fragment header; the first fragment's is the datagram's (RFC 8200 §4.5) */
  bool is_routed;   /* capture_ip.is_routed */
} ip_fragment;

/* Read by everyone, written only by the functions below. */
typedef struct ip_fragments {
  deque pieces;               /* by their place; they do not overlap */
  uint32_t octets;            /* of IP payload that have come */
  uint32_t tcp_header_octets; /* of those: a TCP header's, when the first fragment has come */
  uint32_t end;               /* of the datagram; of what has come while `end_known` is not set */
  bool end_known;
  unsigned ecn_seen; /* a bit for each value of the field */
  bool has_first;
  ip_fragment first; /* with `has_first`: the fragment with the datagram's first octets, without `octets` */
} ip_fragments;

/* What a further fragment is to those that are there. */
typedef enum ip_fragments_verdict {
  IP_FRAGMENTS_NEW,
  IP_FRAGMENTS_DUPLICATE,  /* the same octets at the same place (RFC 8200 §4.5 lets it be passed over) */
  IP_FRAGMENTS_CONTRADICTS /* it overlaps (RFC 5722 §3), or puts the datagram's end elsewhere */
} ip_fragments_verdict;

ip_fragments *ip_fragments_new(void);

/* NULL is allowed. */
void ip_fragments_free(ip_fragments *fragments);

ip_fragments_verdict ip_fragments_judge(const ip_fragments *fragments, const ip_fragment *fragment);

/* Takes in a fragment judged IP_FRAGMENTS_NEW: its octets by reference, and a reference on a first one's
 * packet. */
void ip_fragments_add(ip_fragments *fragments, const ip_fragment *fragment);

/* True when none is missing. The functions below are for whole ones. */
bool ip_fragments_are_whole(const ip_fragments *fragments);

/* The datagram's ECN field: CE when one fragment has it, else the first fragment's. False when one has CE and
 * another is not ECN-capable: the datagram is dropped (RFC 3168 §5.3). */
bool ip_fragments_ecn(const ip_fragments *fragments, datagram_ecn *ecn);

/* Appends the IP payload by reference, up to the first octet that a capture does not have. */
void ip_fragments_append_to(const ip_fragments *fragments, buffer_chain *payload);

/* The datagram, with one reference, of fragments that came as packets; NULL when it is no TCP segment. */
datagram *ip_fragments_assemble(const ip_fragments *fragments);

/* --- All datagrams that are not whole --- */

typedef struct ip_reassembly ip_reassembly;

/* The limits, and whatever else two reassemblies may differ in. */
typedef struct ip_reassembly_config {
  uint32_t datagrams;       /* that wait at a time; 0: every fragment is refused */
  uint32_t datagram_octets; /* of each of them, IP header included */
  uint64_t octets;          /* of IP payload, of all of them */
  uint32_t fragment_octets; /* the memory to remember a fragment: counted among `octets` besides its own */
  time_ps timeout_ps;       /* from a datagram's first fragment on (> 0); RFC 1122 §3.3.2: 60 s to 120 s */
  /* What comes later of a datagram with an overlap is dropped, too, until its time is over (RFC 5722 §4). */
  bool keeps_contradicted;
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
  uint64_t malformed;   /* fragments of no possible datagram, and datagrams dropped when they are whole */
  uint64_t answers;     /* ICMP messages */
  uint64_t peak_octets; /* the most of `octets` held at a time */
  /* As ip_reassembly_held_octets() has them, now: of the connections that are not known, because the first
   * fragment has not come. */
  uint64_t held_unattributed_octets;
} ip_reassembly_statistics;

/* All limits as far away as can be, and a timeout of 60 s. */
ip_reassembly_config ip_reassembly_config_unlimited(void);

ip_reassembly *ip_reassembly_new(const ip_reassembly_config *config);

/* Frees it and what it holds. NULL is allowed. */
void ip_reassembly_free(ip_reassembly *reassembly);

/* Takes in a fragment. When it was the last one missing, returns the whole datagram, the caller's to be freed
 * with ip_fragments_free(); else NULL.
 *
 * When a fragment has no room, older datagrams make room for it (the one that has waited longest first: most
 * likely a fragment of it is lost, and it would else keep its room until the timeout); if that is not enough,
 * it is dropped, with the rest of its datagram. Either has an ICMP message made, if the datagram's first
 * fragment has come, as a packet, or when it comes. Fragments that overlap drop their datagram (RFC 5722 §4,
 * RFC 8200 §4.5; exact duplicates are passed over). */
ip_fragments *ip_reassembly_add(ip_reassembly *reassembly, const ip_fragment *fragment, time_ps now);

/* The same of a packet, the reference of which it takes. Returns, with a reference for the caller, the packet
 * itself when it is no fragment; the whole datagram; else NULL. */
datagram *ip_reassembly_receive(ip_reassembly *reassembly, datagram *packet, time_ps now);

/* The next ICMP message to be sent, owned by the caller; NULL when there is none. It is from the fragment's
 * destination, and advises an MTU of the first fragment's length: what a router made the fragments for was at
 * most 7 octets larger. */
datagram *ip_reassembly_take_answer(ip_reassembly *reassembly);

/* When ip_reassembly_run() is next due; TIME_PS_NEVER. */
time_ps ip_reassembly_deadline(const ip_reassembly *reassembly);

/* Drops the datagrams whose time is over. RFC 1122 §3.3.2's ICMP Time Exceeded is not sent: TCP does nothing
 * about it (RFC 1122 §4.2.3.9). */
void ip_reassembly_run(ip_reassembly *reassembly, time_ps now);

/* The octets of TCP payload that are held in datagrams with fragments missing (cause `fragment`),
 * which came as packets: of one connection, `flow` as its packets arrive here. A first
 * fragment counts without its TCP header. */
uint64_t ip_reassembly_held_octets(ip_reassembly *reassembly, const datagram_flow *flow);

/* The counts so far; the reassembly's. */
const ip_reassembly_statistics *ip_reassembly_counted(const ip_reassembly *reassembly);
