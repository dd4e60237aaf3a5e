/* SPDX-License-Identifier: GPL-2.0-only */
/* The fragments of one IP datagram that have come so far, of the simulated receiver's or of a capture's. Whatever they claim, they are
 * only put together when they fit each other. */
#ifndef NET_IP_FRAGMENTS_H
#define NET_IP_FRAGMENTS_H

#include <glib.h>

#include "net/datagram.h"

/* A fragment as it came. */
typedef struct ip_fragment {
  datagram_fragment of;
  datagram_ecn ecn;
  const octet_rope
      *octets; /* from its first one on; fewer than `of.length_octets` when a capture has not all of them */
  datagram *packet; /* that it came as; NULL: out of a capture, and the rest counts */
  uint8_t
      protocol;   /* behind IPv6's fragment header; the first fragment's is the datagram's (RFC 8200 §4.5) */
  bool is_routed; /* capture_ip.is_routed */
} ip_fragment;

/* Read by everyone, written only by the functions below. */
typedef struct ip_fragments {
  GPtrArray *pieces;          /* by their place; they do not overlap */
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

/* Takes in a fragment judged IP_FRAGMENTS_NEW: its octets by reference, and a reference on a first one's packet. */
void ip_fragments_add(ip_fragments *fragments, const ip_fragment *fragment);

/* True when none is missing. The functions below are for whole ones. */
bool ip_fragments_are_whole(const ip_fragments *fragments);

/* The datagram's ECN field: CE when one fragment has it, else the first fragment's. False when one has CE and another is not
 * ECN-capable: the datagram is dropped (RFC 3168 §5.3). */
bool ip_fragments_ecn(const ip_fragments *fragments, datagram_ecn *ecn);

/* Appends the IP payload by reference, up to the first octet that a capture does not have. */
void ip_fragments_append_to(const ip_fragments *fragments, octet_rope *payload);

/* The datagram, with one reference, of fragments that came as packets; NULL when it is no TCP segment. */
datagram *ip_fragments_assemble(const ip_fragments *fragments);

#endif
