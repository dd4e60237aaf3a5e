/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets and capture files made by hand, octet by octet, for the tests of what reads captures. */
#pragma once

#include "net/capture_source.h"
#include "net/tcp_header.h"
#include "version_test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(capture_source, capture_source_free)

/* These are link types as they stand in files (tcpdump.org/linktypes.html). */
enum {
  FIXTURE_LINK_NULL = 0,
  FIXTURE_LINK_ETHERNET = 1,
  FIXTURE_LINK_PPP = 9,
  FIXTURE_LINK_PPP_HDLC = 50,
  FIXTURE_LINK_PPP_ETHER = 51,
  FIXTURE_LINK_RAW = 101,
  FIXTURE_LINK_CISCO = 104,
  FIXTURE_LINK_LOOP = 108,
  FIXTURE_LINK_COOKED = 113,
  FIXTURE_LINK_PPPD = 166,
  FIXTURE_LINK_PPP_WITH_DIRECTION = 204,
  FIXTURE_LINK_MPLS = 219,
  FIXTURE_LINK_IPV4 = 228,
  FIXTURE_LINK_IPV6 = 229,
  FIXTURE_LINK_NFLOG = 239,
  FIXTURE_LINK_COOKED_2 = 276,
  FIXTURE_LINK_WIRELESS = 105, /* is not read */
};

/* This is all of these. */
#define FIXTURE_LINKS                                                                                        \
  {                                                                                                          \
    FIXTURE_LINK_NULL, FIXTURE_LINK_ETHERNET, FIXTURE_LINK_RAW, FIXTURE_LINK_LOOP, FIXTURE_LINK_COOKED,      \
        FIXTURE_LINK_COOKED_2, FIXTURE_LINK_IPV4, FIXTURE_LINK_IPV6, FIXTURE_LINK_PPP,                       \
        FIXTURE_LINK_PPP_HDLC, FIXTURE_LINK_PPP_ETHER, FIXTURE_LINK_CISCO, FIXTURE_LINK_PPPD,                \
        FIXTURE_LINK_PPP_WITH_DIRECTION, FIXTURE_LINK_MPLS, FIXTURE_LINK_NFLOG                               \
  }

typedef enum fixture_format {
  FIXTURE_PCAP_US, /* times in µs */
  FIXTURE_PCAP_NS,
  FIXTURE_PCAPNG, /* times in ns (if_tsresol 9) */
} fixture_format;

/* These are the two hosts: 0 is 10.0.0.1 and 2001:db8::1, 1 is 10.0.0.2 and 2001:db8::2. Their ports: */
enum { FIXTURE_PORT_0 = 40000, FIXTURE_PORT_1 = 7471 };

ip_address fixture_host(unsigned version, unsigned host);

/* This is a TCP segment from host `from` (0 or 1) to the other. */
typedef struct fixture_segment {
  unsigned version; /* of IP: 4 or 6 */
  unsigned from;
  uint16_t ports[2]; /* of host 0 and 1; 0: FIXTURE_PORT_0 and FIXTURE_PORT_1 */
  uint32_t sequence, acknowledgement;
  uint8_t flags;
  uint16_t mss_octets; /* 0: no such option */
  bool has_timestamps;
  uint32_t timestamp_value;
  const uint8_t *payload; /* NULL: of octets whose value is the low octet of `sequence` + index */
  uint32_t length;        /* of the payload; up to 1 MiB */
} fixture_segment;

/* Returns the IP packet of a segment with all checksums right, which the caller frees; one that is too long
 * for IP's length field has a total (IPv4) or payload (IPv6) length of 0. */
GByteArray *fixture_packet(const fixture_segment *segment);

/* Returns the octet number `index` of a segment's payload when that was left to fixture_packet(). */
uint8_t fixture_octet(const fixture_segment *segment, uint32_t index);

/* Corrects the TCP checksum of an IP packet without options or extension headers. */
void fixture_set_checksum(GByteArray *packet);

/* Gives the IPv4 packet `octets` (a multiple of 4) of NOP options after the IP header, in place. */
void fixture_add_ipv4_options(GByteArray *packet, unsigned octets);

/* Gives the IPv6 packet the extension header `kind` of `octets` (a multiple of 8) after the IP header, in
 * place; all in it but its length and the next header is 0, which is Pad1. */
void fixture_add_extension(GByteArray *packet, uint8_t kind, unsigned octets);

/* The fragment of an IP packet that has `length` octets of its payload from `from` on (RFC 791, RFC 8200
 * §4.5); the caller frees it. */
GByteArray *fixture_fragment(const GByteArray *packet, uint32_t identification, uint32_t from,
                             uint32_t length);

/* Returns the frame of a link type with `packet` in it, and, where it has an EtherType, `tags` VLAN tags;
 * Ethernet frames are padded to 60 octets. The caller frees it. */
GByteArray *fixture_frame(int link_type, const GByteArray *packet, unsigned tags);

/* This is a capture file that grows: its octets, with all numbers in this machine's order or `is_swapped`. */
typedef struct fixture_file {
  GByteArray *octets;
  fixture_format format;
  bool is_swapped;
  uint32_t interface; /* of what fixture_file_add() adds: pcapng's, from 0 */
} fixture_file;

/* Returns a file without packets. Free with fixture_file_free(). */
fixture_file *fixture_file_new(fixture_format format, bool is_swapped, int link_type);
void fixture_file_free(fixture_file *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture_file, fixture_file_free)

/* Returns the usual one: times in ns, raw IP, in this machine's order. */
fixture_file *fixture_raw_file(void);

/* Adds one more section of a pcapng file, of either byte order, with one interface. */
void fixture_file_add_section(fixture_file *file, bool is_swapped, int link_type);

/* Adds a block of a pcapng file with `count` numbers of 32 bits in it. */
void fixture_file_add_block(fixture_file *file, uint32_t type, const uint32_t *numbers, unsigned count);

/* Adds one more interface of a pcapng file. */
void fixture_file_add_interface(fixture_file *file, int link_type, uint32_t snap_octets);

/* A packet at `time_ns` since 1970 with the first `captured` octets of `frame`, of `wire` octets. */
void fixture_file_add_cut(fixture_file *file, int64_t time_ns, const GByteArray *frame, uint32_t captured,
                          uint32_t wire);

/* Adds all of `frame`. */
void fixture_file_add(fixture_file *file, int64_t time_ns, const GByteArray *frame);

/* Adds the segment in a frame of the link type, whole. */
void fixture_file_add_segment(fixture_file *file, int64_t time_ns, int link_type,
                              const fixture_segment *segment);

/* The reader of `length` octets of a file, which must stay; its name in errors is "test". */
capture_source *fixture_open_octets(const uint8_t *octets, size_t length, const char *filter, GError **error);

/* Returns the reader of the file as it is now; it must open. */
capture_source *fixture_open(const fixture_file *file);

/* Returns the next segment; false at the end of the file, before which nothing is wrong. */
bool fixture_next(capture_source *source, capture_segment *segment);

/* Returns the next segment, which there must be. */
capture_segment fixture_segment_of(capture_source *source);

/* There is no segment any more; frees the source. */
void fixture_assert_at_end(capture_source *source);
