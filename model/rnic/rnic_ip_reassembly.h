/* The receiver's IP reassembly: fragments in, whole datagrams out, with the five options that draft-ietf-rddp-mpa-01
 * §11.2.1 leaves an implementation (MPA-339 … MPA-344).
 *
 * It stands in front of TCP and knows nothing of it: what waits here is acknowledged by nobody and announced in no window
 * (MPA-346). Sans I/O: fragments and the time come in; datagrams, ICMP messages to be sent and the next deadline come out. */
#ifndef RNIC_RNIC_IP_REASSEMBLY_H
#define RNIC_RNIC_IP_REASSEMBLY_H

#include "base/time_ps.h"
#include "net/datagram.h"

typedef struct rnic_ip_reassembly rnic_ip_reassembly;

typedef enum rnic_ip_reassembly_option {
  RNIC_IP_REASSEMBLY_DROP,    /* 1: no buffer: every fragment is dropped */
  RNIC_IP_REASSEMBLY_LIMITED, /* 2: one buffer, for one datagram of at most `size_octets`, IP header included */
  RNIC_IP_REASSEMBLY_UNLIMITED, /* 3: as many buffers as there are datagrams */
  RNIC_IP_REASSEMBLY_ONE_64K,   /* 4: one buffer, for one datagram of any size */
  RNIC_IP_REASSEMBLY_SPANNING, /* 5: one buffer of `size_octets` of IP payload, for fragments of any number of datagrams */
} rnic_ip_reassembly_option;

typedef struct rnic_ip_reassembly_config {
  rnic_ip_reassembly_option option;
  uint64_t size_octets; /* of LIMITED (the text: possibly the local link's MTU) and SPANNING; > 0 */
  time_ps timeout_ps;   /* from a datagram's first fragment on; RFC 1122 §3.3.2: 60 s to 120 s */
} rnic_ip_reassembly_config;

rnic_ip_reassembly *rnic_ip_reassembly_new(const rnic_ip_reassembly_config *config);

/* Frees it and what it holds. NULL is allowed. */
void rnic_ip_reassembly_free(rnic_ip_reassembly *reassembly);

/* Takes in a packet and its reference. Returns, with a reference for the caller, the packet itself when it is no fragment;
 * the whole datagram when this was its last missing fragment; else NULL.
 *
 * When a fragment has no room, older datagrams make room for it (the one that has waited longest first: most likely a
 * fragment of it is lost, and it would else keep its room until the timeout); if that is not enough, it is dropped, with the
 * rest of its datagram. Either has an ICMP message made, if the datagram's first fragment has come or when it comes.
 * Fragments that overlap drop their datagram (RFC 5722 §4, RFC 8200 §4.5; exact duplicates are passed over). */
datagram *rnic_ip_reassembly_receive(rnic_ip_reassembly *reassembly, datagram *packet, time_ps now);

/* The next ICMP message to be sent, owned by the caller; NULL when there is none. It is from the fragment's destination, and
 * advises an MTU of the first fragment's length: what a router made the fragments for was at most 7 octets larger. */
datagram *rnic_ip_reassembly_take_answer(rnic_ip_reassembly *reassembly);

/* When rnic_ip_reassembly_run() is next due; TIME_PS_NEVER. */
time_ps rnic_ip_reassembly_deadline(const rnic_ip_reassembly *reassembly);

/* Drops the datagrams whose time is over. RFC 1122 §3.3.2's ICMP Time Exceeded is not sent: TCP does nothing about it
 * (RFC 1122 §4.2.3.9). */
void rnic_ip_reassembly_run(rnic_ip_reassembly *reassembly, time_ps now);

/* The octets of TCP payload that are held in datagrams with fragments missing (definitions.md, cause `fragment`): of one
 * connection, `flow` as its packets arrive here; and of those whose connection is not known, because the first fragment has not
 * come. A first fragment counts without its TCP header. */
uint64_t rnic_ip_reassembly_held_octets(const rnic_ip_reassembly *reassembly, const datagram_flow *flow);
uint64_t rnic_ip_reassembly_held_unattributed_octets(const rnic_ip_reassembly *reassembly);

#endif
