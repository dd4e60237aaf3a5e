/* Puts the IP fragments in a capture together (RFC 791 §3.2, RFC 8200 §4.5). What it holds is bounded: in octets, in datagrams, and in
 * time; the datagram that began first goes first. */
#ifndef CAPTURE_CAPTURE_FRAGMENTS_H
#define CAPTURE_CAPTURE_FRAGMENTS_H

#include "net/capture_ip.h"

typedef struct capture_fragments capture_fragments;

/* Bounds: for the memory of what is held, and for how long fragments wait for the rest (RFC 8200 §4.5, RFC 1122 §3.3.2). */
enum { CAPTURE_FRAGMENTS_MAX_OCTETS = 16 << 20, CAPTURE_FRAGMENTS_MAX_DATAGRAMS = 4096 };
#define CAPTURE_FRAGMENTS_AGE_NS (INT64_C(60) * 1000000000)

capture_fragments *capture_fragments_new(void);
void capture_fragments_free(capture_fragments *fragments);

/* Takes in a fragment, captured at `time_ns`. True when it was the last that was missing: `ip` is then the whole datagram, whose
 * payload is valid until the next call. Of a datagram with octets that were not captured, captured_octets are those up to
 * the first of them. Duplicates are passed over; fragments that contradict each other spoil their datagram (RFC 5722 §4). */
bool capture_fragments_add(capture_fragments *fragments, capture_ip *ip, int64_t time_ns);

/* How many datagrams have begun and are not whole, up to now. */
uint64_t capture_fragments_missing(const capture_fragments *fragments);

#endif
