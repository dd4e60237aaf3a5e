/* The TCP header as it is on the wire (RFC 9293 §3.1, options of RFC 7323 and RFC 2018). The only place where
 * 32-bit sequence numbers exist: everything else counts 64-bit stream positions, position 0 being the octet
 * after the SYN. */
#ifndef TCP_TCP_HEADER_H
#define TCP_TCP_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TCP_FIN = 0x01,
  TCP_SYN = 0x02,
  TCP_RST = 0x04,
  TCP_PSH = 0x08,
  TCP_ACK = 0x10,
  TCP_ECE = 0x40, /* RFC 3168 §6.1 */
  TCP_CWR = 0x80,
};

enum { TCP_HEADER_OCTETS = 20, TCP_HEADER_MAX_OCTETS = 60, TCP_SACK_BLOCKS_MAX = 4 };

/* One SACK block: the sequence numbers from <= s < to (RFC 2018 §3). */
typedef struct tcp_sack_block {
  uint32_t from;
  uint32_t to;
} tcp_sack_block;

typedef struct tcp_header {
  uint16_t source_port;
  uint16_t destination_port;
  uint32_t sequence;
  uint32_t acknowledgement; /* meaningful with TCP_ACK */
  uint8_t flags;
  uint16_t window; /* as on the wire: unscaled */
  uint16_t checksum;
  bool has_mss;
  uint16_t mss_octets;
  bool has_window_scale;
  uint8_t window_scale;
  bool has_sack_permitted;
  bool has_timestamps;
  uint32_t timestamp_value;
  uint32_t timestamp_echo;
  uint8_t sack_count;
  tcp_sack_block sack[TCP_SACK_BLOCKS_MAX];
} tcp_header;

/* Octets of the header with its options and padding: 20 … 60. */
size_t tcp_header_octets(const tcp_header *header);

/* Writes the header (checksum as in the struct) to `wire`, which has room for TCP_HEADER_MAX_OCTETS;
 * returns the octets written. Options in the order Linux uses, each aligned with NOPs as RFC 7323 appendix
 * A shows. The caller sees to it that the options fit in 40 octets (3 SACK blocks beside timestamps). */
size_t tcp_header_encode(const tcp_header *header, uint8_t *wire);

/* Reads a header from `length` octets at `wire`. Returns the octets of the header, 0 when it is malformed:
 * too short, data offset below 5 or beyond `length`, an option of bad length. Unknown options are passed
 * over. */
size_t tcp_header_decode(tcp_header *header, const uint8_t *wire, size_t length);

/* Stream position of `sequence`: the one nearest to `near` that is congruent to it, where position p has
 * sequence number isn + 1 + p modulo 2^32 (RFC 9293 §3.4). Position -1 is the SYN. */
int64_t tcp_position_of(uint32_t sequence, uint32_t isn, int64_t near);

/* Sequence number of stream position `position`. */
uint32_t tcp_sequence_of(int64_t position, uint32_t isn);

#endif
