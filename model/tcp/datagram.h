/* One IPv4 datagram with a TCP segment in it: what hosts hand to the path and the path's elements pass on.
 *
 * The headers are real octets; the payload is a rope. Checksums are filled in only where somebody looks:
 * in the octets that datagram_write() makes (design.md, "TCP/IP checksums are computed only where someone
 * looks"). */
#ifndef TCP_DATAGRAM_H
#define TCP_DATAGRAM_H

#include "base/octet_rope.h"
#include "tcp/tcp_header.h"

enum { IPV4_HEADER_OCTETS = 20 };

typedef struct datagram {
  unsigned references;
  uint64_t send_order;    /* on its link: set by the link, 0 before; the second key of arrivals that tie */
  uint32_t header_octets; /* IP and TCP headers */
  uint8_t header[IPV4_HEADER_OCTETS + TCP_HEADER_MAX_OCTETS];
  octet_rope payload; /* the TCP payload */
} datagram;

/* A new datagram from `source` to `destination` (IPv4 addresses in host byte order) with `header` and the
 * octets moved out of `payload` (NULL: none). DF set, identification 0 (RFC 6864 §4.1 allows it), TTL 64.
 * One reference, owned by the caller. */
datagram *datagram_new(uint32_t source, uint32_t destination, const tcp_header *header, octet_rope *payload);

datagram *datagram_ref(datagram *packet);

/* Drops a reference; the last one frees. NULL is allowed. */
void datagram_unref(datagram *packet);

/* The IP packet's length: headers and payload. */
uint32_t datagram_octets(const datagram *packet);

uint32_t datagram_source(const datagram *packet);
uint32_t datagram_destination(const datagram *packet);

/* Reads the TCP header out of the packet's octets. Every datagram has a well-formed one. */
void datagram_tcp_header(const datagram *packet, tcp_header *header);

/* The TCP flags, without decoding the rest. */
uint8_t datagram_tcp_flags(const datagram *packet);

/* Writes the packet as it is on the wire to `target`, which has room for datagram_octets(). With
 * `with_checksums` the IPv4 and TCP checksums are computed, else both fields are 0. */
void datagram_write(const datagram *packet, uint8_t *target, bool with_checksums);

/* Reads an IP packet of `length` octets at `octets`, which lie in `block`: the payload references the
 * block (it must not be written afterwards). Returns NULL when it is not a whole, unfragmented IPv4 TCP
 * packet. Octets behind the IP total length (padding) are ignored. Checksums are not verified. */
datagram *datagram_read(octet_block *block, const uint8_t *octets, size_t length);

/* The Internet checksum (RFC 1071) of `length` octets, started from `sum` (an uncomplemented partial sum,
 * 0 at first), complemented. */
uint16_t internet_checksum(uint32_t sum, const uint8_t *octets, size_t length);

#endif
