/* The fragments of one datagram that have come so far. Whatever they claim, they are only put together when they fit each
 * other. */
#ifndef RNIC_RNIC_IP_FRAGMENTS_H
#define RNIC_RNIC_IP_FRAGMENTS_H

#include "net/datagram.h"

typedef struct rnic_ip_fragments rnic_ip_fragments;

/* What a further fragment is to those that are there. */
typedef enum rnic_ip_fragments_verdict {
  RNIC_IP_FRAGMENTS_NEW,
  RNIC_IP_FRAGMENTS_DUPLICATE, /* the same octets at the same place (RFC 8200 §4.5 lets it be passed over) */
  RNIC_IP_FRAGMENTS_CONTRADICTS /* it overlaps (RFC 5722 §3), or puts the datagram's end elsewhere */
} rnic_ip_fragments_verdict;

rnic_ip_fragments *rnic_ip_fragments_new(void);

/* Drops the fragments. NULL is allowed. */
void rnic_ip_fragments_free(rnic_ip_fragments *fragments);

/* `of` is what `packet` says of itself. */
rnic_ip_fragments_verdict rnic_ip_fragments_judge(const rnic_ip_fragments *fragments, const datagram *packet,
                                                  const datagram_fragment *of);

/* Takes in a fragment judged RNIC_IP_FRAGMENTS_NEW, and its reference. */
void rnic_ip_fragments_add(rnic_ip_fragments *fragments, datagram *packet, const datagram_fragment *of);

/* The fragment with the datagram's first octets, NULL while it has not come; owned by `fragments`. */
const datagram *rnic_ip_fragments_first(const rnic_ip_fragments *fragments);

/* Octets of IP payload that are there, and those of them that are TCP payload: all but the TCP header that the first
 * fragment has. */
uint32_t rnic_ip_fragments_octets(const rnic_ip_fragments *fragments);
uint32_t rnic_ip_fragments_tcp_payload_octets(const rnic_ip_fragments *fragments);

/* True when none is missing. */
bool rnic_ip_fragments_are_whole(const rnic_ip_fragments *fragments);

/* The datagram, with one reference; the fragments must be whole. Its ECN field is CE if one fragment's is; NULL when another
 * of them is not ECN-capable (RFC 3168 §5.3), and when it is no TCP segment. */
datagram *rnic_ip_fragments_assemble(const rnic_ip_fragments *fragments);

#endif
