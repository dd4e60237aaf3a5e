/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers of a captured packet, of IP and TCP, as a capture has them: cut off, garbled, or left for a
 * network interface to finish; and the connections that TCP segments are of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/ip_header.h"

/* --- IP, of both versions --- */

/* The longest packet that is accepted as one. Offloads make segments of up to half of it (Linux:
 * GSO_MAX_SIZE); a packet that claims to be longer is garbled, or forged. */
enum { CAPTURE_IP_LONGEST_OCTETS = 1 << 20 };

typedef struct capture_ip {
  uint8_t version;
  uint8_t ecn;            /* RFC 3168 §5 */
  uint8_t protocol;       /* of `payload`: after IPv6's extension headers */
  bool is_offload;        /* longer than the IP header can state: by the frame's length or the jumbo option */
  bool is_fragment;       /* a part of a datagram, not an atomic fragment (RFC 6946) */
  bool more;              /* fragments follow */
  bool is_routed;         /* its destination is not the one of the checksum (RFC 8200 §8.1) */
  uint32_t offset_octets; /* of the fragment, in the datagram's payload */
  uint32_t identification;
  const uint8_t *header; /* as on the wire: it has the addresses */
  const uint8_t *payload;
  uint32_t payload_octets;  /* on the wire, of this packet */
  uint32_t captured_octets; /* of them */
} capture_ip;

/* Reads the headers of an IP packet, `captured_octets` of which are at `octets`; at most `wire_octets` (>=
 * captured_octets) were on the wire, perhaps including padding. IPv4: any options. IPv6: hop-by-hop options,
 * routing, destination options, fragment headers (RFC 8200 §4) and authentication (RFC 4302), and jumbograms
 * (RFC 2675). A length of 0, which an offload leaves, stands for the octets on the wire. False when headers
 * are cut off, lengths contradict each other, or a fragment fits into no possible datagram (RFC 791 §3.2, RFC
 * 8200 §4.5). */
bool capture_ip_read(capture_ip *ip, const uint8_t *octets, uint32_t captured_octets, uint32_t wire_octets);

/* Whether `protocol` is one of the extension headers of IPv6 that are known here. */
bool capture_ip_is_extension(uint8_t protocol);

/* Passes over the extension headers that `payload` begins with; capture_ip_read() has done so, except for a
 * fragment: its extension headers are read when the datagram is whole. False as above. */
bool capture_ip_pass_extensions(capture_ip *ip);

/* --- TCP --- */

/* What the TCP checksum in the capture shows (RFC 9293 §3.1). */
typedef enum capture_checksum {
  CAPTURE_CHECKSUM_RIGHT,
  CAPTURE_CHECKSUM_WRONG,      /* the packet was damaged: a TCP drops it */
  CAPTURE_CHECKSUM_UNFINISHED, /* 0, or the pseudo-header's sum alone: the sending host's NIC was to finish it
                                  (offload) */
  CAPTURE_CHECKSUM_UNKNOWN, /* not all of the segment was captured (snap length), or a source route hides its
                               destination */
} capture_checksum;

/* One TCP segment as a capture shows it. */
typedef struct capture_segment {
  uint64_t packet; /* its number in the file, from 1; put together from fragments: that of the last */
  int64_t time_ns; /* since the capture's origin, see capture_counts */
  /* The file's clock was set since the segment before of its flow, perhaps (capture_counts.clock_steps): by
   * how much, the last time; 0: it was not. */
  int64_t clock_step_ns;
  uint32_t flow; /* capture_source_flow() */
  uint8_t from;  /* which of the flow's ends sent it, 0 or 1 */
  uint8_t flags; /* TCP_SYN … of net/tcp_header.h */
  uint8_t ecn;   /* the two bits of the IP header */
  uint32_t sequence;
  uint32_t acknowledgement; /* with TCP_ACK */
  uint16_t window;          /* as sent, not scaled */
  bool has_mss;
  uint16_t mss_octets;
  bool has_timestamps;
  uint32_t timestamp_value;
  capture_checksum checksum;
  const uint8_t *payload;   /* the octets that were captured */
  uint32_t captured_octets; /* of the payload; fewer than payload_octets with a snap length */
  uint32_t payload_octets;  /* on the wire; of an offload's super-segment more than a packet can hold */
  uint32_t wire_octets; /* of its packet on the wire: IP header (without extensions), TCP header, payload */
} capture_segment;

/* Reads the TCP segment in `ip`, which is no fragment, into `segment`: all but packet, time_ns, flow and
 * from. Options that are garbled or cut off are passed over, as RFC 9293 §3.1 (MUST-7) has it. False when the
 * header's 20 octets are not there, or it claims to be longer than the segment. */
bool capture_tcp_read(capture_segment *segment, const capture_ip *ip);

/* --- Connections --- */

/* One end of a connection. */
typedef struct capture_end {
  ip_address address;
  uint16_t port;
} capture_end;

/* One TCP connection in a capture. Addresses and ports that are used anew, after a SYN of another sequence
 * number, make another connection. A SYN that is captured after octets of its connection (up to 64 MiB
 * farther on) still belongs to that connection: has_syn may become true late. */
typedef struct capture_flow {
  uint32_t index;      /* in the order in which they appear, from 0 */
  capture_end ends[2]; /* 0: who sent the SYN, or, when that was not captured, its first packet */
  bool has_syn[2];     /* the SYN that this end sent was captured */
  uint32_t isn[2];     /* with has_syn: its sequence number */
  const struct capture_flow *before; /* that had these addresses and ports before; NULL: none */
} capture_flow;
