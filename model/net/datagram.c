/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/datagram.h"

enum { IPV6_VERSION = 0x60, IPV6_HOP_LIMIT_AT = 7 };
enum { TCP_FLAGS_AT = 13, TCP_DESTINATION_PORT_AT = 2, ECN_MASK = 3, IPV6_ECN_SHIFT = 4 };

void datagram_ip_begin_v6(datagram *packet, const ip_address *source, const ip_address *destination,
                          uint8_t protocol)
{
  uint8_t *wire = packet->header;

  g_assert(source->version == 6 && destination->version == 6);
  packet->ip_octets = IPV6_HEADER_OCTETS;
  packet->header_octets = IPV6_HEADER_OCTETS;
  memset(wire, 0, IPV6_SOURCE_AT);
  wire[0] = IPV6_VERSION;
  wire[IPV6_NEXT_HEADER_AT] = protocol;
  wire[IPV6_HOP_LIMIT_AT] = IP_HOP_LIMIT;
  memcpy(wire + IPV6_SOURCE_AT, source->octets, IPV6_ADDRESS_OCTETS);
  memcpy(wire + IPV6_DESTINATION_AT, destination->octets, IPV6_ADDRESS_OCTETS);
}

datagram *datagram_new_in(memory_pool *pool, const ip_address *source, const ip_address *destination,
                          const tcp_header *header, buffer_chain *payload)
{
  datagram *packet = datagram_allocate(pool, DATAGRAM_TCP);

  if (payload) {
    buffer_chain_move(&packet->payload, payload);
  }
  datagram_ip_begin(packet, source, destination, IP_PROTOCOL_TCP);
  packet->header_octets += (uint8_t)tcp_header_encode(header, packet->header + packet->ip_octets);
  big_endian_write_16(packet->header + packet->ip_octets + TCP_CHECKSUM_AT, 0);
  datagram_ip_set_length(packet);
  return packet;
}

void datagram_allow_fragments(datagram *packet, uint16_t identification)
{
  if (datagram_is_ipv4(packet)) {
    uint16_t flags = big_endian_read_16(packet->header + IPV4_FLAGS_AT);
    big_endian_write_16(packet->header + IPV4_FLAGS_AT, (uint16_t)(flags & ~IPV4_DONT_FRAGMENT));
    big_endian_write_16(packet->header + IPV4_IDENTIFICATION_AT, identification);
  }
}

bool datagram_may_be_fragmented(const datagram *packet)
{
  return datagram_is_ipv4(packet) &&
         !(big_endian_read_16(packet->header + IPV4_FLAGS_AT) & IPV4_DONT_FRAGMENT);
}

/* The field is the low end of the type of service or traffic class, which lies across two octets in IPv6 (RFC
 * 3168 §5, RFC 8200 §3). */
datagram_ecn datagram_ecn_of(const datagram *packet)
{
  uint8_t octet = packet->header[1];

  return (datagram_ecn)((datagram_is_ipv4(packet) ? octet : octet >> IPV6_ECN_SHIFT) & ECN_MASK);
}

void datagram_set_ecn(datagram *packet, datagram_ecn ecn)
{
  unsigned shift = datagram_is_ipv4(packet) ? 0 : IPV6_ECN_SHIFT;

  packet->header[1] =
      (uint8_t)((packet->header[1] & ~((unsigned)ECN_MASK << shift)) | (unsigned)ecn << shift);
}

datagram *datagram_copy(const datagram *packet)
{
  datagram *copy = datagram_allocate(packet->pool, packet->kind);

  copy->retransmission = packet->retransmission;
  copy->carries_checksum = packet->carries_checksum;
  copy->connection = packet->connection;
  copy->number = packet->number;
  copy->flow_order = packet->flow_order;
  copy->ip_octets = packet->ip_octets;
  copy->header_octets = packet->header_octets;
  memcpy(copy->header, packet->header, packet->header_octets);
  buffer_chain_append_chain(&copy->payload, &packet->payload, 0, packet->payload.length);
  return copy;
}

datagram *datagram_ref(datagram *packet)
{
  packet->references++;
  return packet;
}

void datagram_free(datagram *packet)
{
  buffer_chain_clear(&packet->payload);
  if (packet->pool) {
    memory_pool_give(packet->pool, packet);
  } else {
    g_free(packet);
  }
}

bool datagram_tcp_header(const datagram *packet, tcp_header *header)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  size_t octets = packet->header_octets - packet->ip_octets;

  /* another data offset than the packet was made with is damage too: what would be its payload is not in
   * `payload` */
  return tcp_header_decode(header, packet->header + packet->ip_octets, octets) == octets;
}

uint8_t datagram_tcp_flags(const datagram *packet)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  return packet->header[packet->ip_octets + TCP_FLAGS_AT];
}

static inline ip_address ipv4_address(const uint8_t *wire)
{
  ip_address address = {.version = 4};

  memcpy(address.octets, wire, IPV4_ADDRESS_OCTETS);
  return address;
}

/* Where the TCP header stands in the packet of `length` octets at `wire`, if its front is there; else 0. */
static size_t quoted_tcp_at(const uint8_t *wire, size_t length, bool ipv4)
{
  size_t at = 0;
  if (ipv4 && length >= IPV4_HEADER_OCTETS && wire[0] >> 4 == 4 &&
      wire[IPV4_PROTOCOL_AT] == IP_PROTOCOL_TCP &&
      !(big_endian_read_16(wire + IPV4_FLAGS_AT) & IPV4_OFFSET_MASK)) {
    at = (size_t)(wire[0] & 0x0F) * 4;
    at = at < IPV4_HEADER_OCTETS ? 0 : at;
  } else if (!ipv4 && length >= IPV6_HEADER_OCTETS + IPV6_FRAGMENT_HEADER_OCTETS && wire[0] >> 4 == 6) {
    const uint8_t *after = wire + IPV6_HEADER_OCTETS;
    uint8_t next = wire[IPV6_NEXT_HEADER_AT];
    if (next == IP_PROTOCOL_TCP) {
      at = IPV6_HEADER_OCTETS;
    } else if (next == IP_PROTOCOL_IPV6_FRAGMENT && after[0] == IP_PROTOCOL_TCP &&
               !(big_endian_read_16(after + IPV6_FRAGMENT_OFFSET_AT) & IPV6_OFFSET_MASK)) {
      at = IPV6_HEADER_OCTETS + IPV6_FRAGMENT_HEADER_OCTETS;
    }
  }
  return at + QUOTED_TRANSPORT_OCTETS <= length ? at : 0;
}

bool datagram_too_big_quotation(const uint8_t *icmp, size_t length, bool ipv4, datagram_flow *flow,
                                uint32_t *sequence)
{
  if (length < ICMP_HEADER_OCTETS) {
    return false;
  }
  const uint8_t *wire = icmp + ICMP_HEADER_OCTETS;
  size_t at = quoted_tcp_at(wire, length - ICMP_HEADER_OCTETS, ipv4);
  if (at == 0) {
    return false;
  }
  if (flow) {
    uint8_t version = ipv4 ? 4 : 6;
    flow->source = ip_address_read(wire + (ipv4 ? IPV4_SOURCE_AT : IPV6_SOURCE_AT), version);
    flow->destination = ip_address_read(wire + (ipv4 ? IPV4_DESTINATION_AT : IPV6_DESTINATION_AT), version);
    flow->source_port = big_endian_read_16(wire + at);
    flow->destination_port = big_endian_read_16(wire + at + 2);
  }
  if (sequence) {
    *sequence = big_endian_read_32(wire + at + TCP_SEQUENCE_AT);
  }
  return true;
}

static bool too_big_flow(const datagram *packet, datagram_flow *flow)
{
  uint8_t icmp[ICMP_HEADER_OCTETS + DATAGRAM_HEADER_MAX_OCTETS];
  uint32_t octets = MIN(packet->payload.length, (uint32_t)sizeof icmp);

  buffer_chain_copy_out(&packet->payload, 0, octets, icmp);
  return datagram_too_big_quotation(icmp, octets, datagram_is_ipv4(packet), flow, NULL);
}

bool datagram_flow_of(const datagram *packet, datagram_flow *flow)
{
  if (packet->kind != DATAGRAM_TCP) {
    return packet->kind == DATAGRAM_TOO_BIG && too_big_flow(packet, flow);
  }
  const uint8_t *ports = packet->header + packet->ip_octets;
  flow->source_port = big_endian_read_16(ports);
  flow->destination_port = big_endian_read_16(ports + TCP_DESTINATION_PORT_AT);
  if (datagram_is_ipv4(packet)) {
    flow->source = ipv4_address(packet->header + IPV4_SOURCE_AT);
    flow->destination = ipv4_address(packet->header + IPV4_DESTINATION_AT);
  } else {
    flow->source = ip_header_source(packet->header);
    flow->destination = ip_header_destination(packet->header);
  }
  return true;
}

bool datagram_is_of_flow(const datagram *packet, const datagram_flow *flow)
{
  if (packet->kind != DATAGRAM_TCP) {
    return false;
  }
  uint32_t ports = (uint32_t)flow->source_port << 16 | flow->destination_port;
  if (big_endian_read_32(packet->header + packet->ip_octets) != ports) {
    return false;
  }
  if (datagram_is_ipv4(packet)) {
    return flow->source.version == 4 && flow->destination.version == 4 &&
           memcmp(packet->header + IPV4_SOURCE_AT, flow->source.octets, IPV4_ADDRESS_OCTETS) == 0 &&
           memcmp(packet->header + IPV4_DESTINATION_AT, flow->destination.octets, IPV4_ADDRESS_OCTETS) == 0;
  }
  return flow->source.version == 6 && flow->destination.version == 6 &&
         memcmp(packet->header + IPV6_SOURCE_AT, flow->source.octets, sizeof flow->source.octets) == 0 &&
         memcmp(packet->header + IPV6_DESTINATION_AT, flow->destination.octets,
                sizeof flow->destination.octets) == 0;
}

/* --- Checksums --- */

/* The protocol whose checksum a whole packet has. */
static uint8_t protocol_of(const datagram *packet)
{
  if (packet->kind != DATAGRAM_TOO_BIG) {
    return IP_PROTOCOL_TCP;
  }
  return datagram_is_ipv4(packet) ? IP_PROTOCOL_ICMP : IP_PROTOCOL_ICMPV6;
}

/* The sum of a whole packet's pseudo header and all after the IP header, the checksum as it stands there
 * included. */
static uint64_t transport_sum(const datagram *packet)
{
  uint32_t transport_octets = packet->header_octets - packet->ip_octets; /* a multiple of 4 */
  uint64_t sum = internet_sum_chain(internet_sum(0, packet->header + packet->ip_octets, transport_octets),
                                    &packet->payload);

  if (packet->kind == DATAGRAM_TOO_BIG && datagram_is_ipv4(packet)) {
    return sum; /* RFC 792: ICMP has no pseudo header; ICMPv6 has (RFC 4443 §2.3) */
  }
  return sum + ip_header_pseudo_sum(packet->header, protocol_of(packet), datagram_ip_payload_octets(packet));
}

uint16_t datagram_tcp_checksum(const datagram *packet)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  /* what stands in the field is taken out of the sum: adding the complement subtracts in ones' complement */
  uint16_t carried = big_endian_read_16(packet->header + packet->ip_octets + TCP_CHECKSUM_AT);
  return internet_sum_complement(transport_sum(packet) + (uint16_t)~carried);
}

bool datagram_checksum_is_right(const datagram *packet)
{
  /* 0xFFFF and 0 are both zero in ones' complement: only the sum with the field in it shows which it is (RFC
   * 1071 §1) */
  return packet->kind == DATAGRAM_FRAGMENT || !packet->carries_checksum ||
         internet_sum_complement(transport_sum(packet)) == 0;
}

void datagram_carry_checksum(datagram *packet)
{
  if (packet->carries_checksum || packet->kind == DATAGRAM_FRAGMENT) {
    return; /* a fragment has it among its octets */
  }
  /* The field is 0. Its other form of zero keeps a checksum of 0 from being taken for none, as UDP does (RFC
   * 768). */
  uint16_t checksum = internet_sum_complement(transport_sum(packet));
  checksum = checksum == 0 ? 0xFFFF : checksum;
  uint8_t *at = packet->kind == DATAGRAM_TCP ? packet->header + packet->ip_octets + TCP_CHECKSUM_AT
                                             : datagram_own_payload(packet) + ICMP_CHECKSUM_AT;
  big_endian_write_16(at, checksum);
  packet->carries_checksum = true;
}

void datagram_forget_checksum(datagram *packet)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  big_endian_write_16(packet->header + packet->ip_octets + TCP_CHECKSUM_AT, 0);
  packet->carries_checksum = false;
}

uint8_t *datagram_own_payload(datagram *packet)
{
  uint32_t length = packet->payload.length;

  if (length == 0) {
    return NULL;
  }
  octet_buffer *buffer = octet_buffer_new(length);
  uint8_t *octets = octet_buffer_octets(buffer);
  buffer_chain_copy_out(&packet->payload, 0, length, octets);
  buffer_chain_clear(&packet->payload);
  buffer_chain_append(&packet->payload, octets, length, buffer);
  octet_buffer_unref(buffer);
  return octets;
}

/* --- To octets and back --- */

enum { ICMP_TOO_BIG = 0x0304, ICMPV6_TOO_BIG = 0x0200 }; /* type and code */

void datagram_write(const datagram *packet, uint8_t *target, bool with_checksums)
{
  memcpy(target, packet->header, packet->header_octets);
  buffer_chain_copy_out(&packet->payload, 0, packet->payload.length, target + packet->header_octets);
  if (!with_checksums) {
    return;
  }
  bool ipv4 = datagram_is_ipv4(packet);
  if (ipv4) {
    big_endian_write_16(target + IPV4_CHECKSUM_AT, internet_checksum(0, target, IPV4_HEADER_OCTETS));
  }
  if (packet->kind == DATAGRAM_FRAGMENT || packet->carries_checksum) {
    return;
  }
  uint32_t octets = datagram_ip_payload_octets(packet);
  uint8_t *transport = target + packet->ip_octets;
  bool tcp = packet->kind == DATAGRAM_TCP;
  /* RFC 792: ICMP has no pseudo header */
  uint64_t sum = tcp || !ipv4 ? ip_header_pseudo_sum(target, protocol_of(packet), octets) : 0;
  big_endian_write_16(transport + (tcp ? TCP_CHECKSUM_AT : ICMP_CHECKSUM_AT),
                      internet_sum_complement(internet_sum(sum, transport, octets)));
}

/* What datagram_read() finds in the IP header. */
typedef struct ip_packet {
  octet_buffer *buffer;
  const uint8_t *octets;
  bool ipv4;
  size_t transport_at; /* after options and fragment header */
  size_t end;
  uint8_t protocol;
  bool is_fragment;
} ip_packet;

static bool read_ipv4(ip_packet *ip, size_t length)
{
  const uint8_t *octets = ip->octets;
  if (length < IPV4_HEADER_OCTETS) {
    return false;
  }
  ip->ipv4 = true;
  ip->transport_at = (size_t)(octets[0] & 0x0F) * 4;
  ip->end = big_endian_read_16(octets + IPV4_LENGTH_AT);
  ip->protocol = octets[IPV4_PROTOCOL_AT];
  ip->is_fragment =
      (big_endian_read_16(octets + IPV4_FLAGS_AT) & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK)) != 0;
  return ip->transport_at >= IPV4_HEADER_OCTETS && ip->transport_at <= ip->end && ip->end <= length;
}

/* Of the extension headers only the fragment header is known: nobody here sends another. */
static bool read_ipv6(ip_packet *ip, size_t length)
{
  const uint8_t *octets = ip->octets;
  if (length < IPV6_HEADER_OCTETS) {
    return false;
  }
  ip->transport_at = IPV6_HEADER_OCTETS;
  ip->end = IPV6_HEADER_OCTETS + (size_t)big_endian_read_16(octets + IPV6_LENGTH_AT);
  ip->protocol = octets[IPV6_NEXT_HEADER_AT];
  if (ip->end > length) {
    return false;
  }
  if (ip->protocol == IP_PROTOCOL_IPV6_FRAGMENT) {
    ip->transport_at += IPV6_FRAGMENT_HEADER_OCTETS;
    if (ip->transport_at > ip->end) {
      return false;
    }
    const uint8_t *fragment = octets + IPV6_HEADER_OCTETS;
    ip->protocol = fragment[0];
    /* RFC 6946 §4: one that is alone is a whole packet, and its fragment header is left out */
    ip->is_fragment = (big_endian_read_16(fragment + IPV6_FRAGMENT_OFFSET_AT) &
                       (IPV6_OFFSET_MASK | IPV6_MORE_FRAGMENTS)) != 0;
  }
  return true;
}

/* The packet with its IP header, and `transport_octets` of header after it. IP options are for routers on
 * the way: they are left out, and the lengths show it. */
static datagram *begin(const ip_packet *ip, datagram_kind kind, size_t transport_octets)
{
  datagram *packet = datagram_allocate(NULL, kind);
  bool with_fragment_header = !ip->ipv4 && ip->is_fragment;

  packet->ip_octets = ip->ipv4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  packet->ip_octets += with_fragment_header ? IPV6_FRAGMENT_HEADER_OCTETS : 0;
  packet->header_octets = packet->ip_octets + (uint32_t)transport_octets;
  memcpy(packet->header, ip->octets, packet->ip_octets);
  memcpy(packet->header + packet->ip_octets, ip->octets + ip->transport_at, transport_octets);
  if (ip->ipv4) {
    packet->header[0] = IPV4_VERSION_AND_IHL;
    big_endian_write_16(packet->header + IPV4_CHECKSUM_AT, 0);
  } else if (!with_fragment_header) {
    packet->header[IPV6_NEXT_HEADER_AT] = ip->protocol;
  }
  size_t payload_at = ip->transport_at + transport_octets;
  buffer_chain_append(&packet->payload, ip->octets + payload_at, (uint32_t)(ip->end - payload_at),
                      ip->buffer);
  datagram_ip_set_length(packet);
  return packet;
}

static datagram *read_tcp(const ip_packet *ip)
{
  tcp_header header;
  size_t tcp_octets = tcp_header_decode(&header, ip->octets + ip->transport_at, ip->end - ip->transport_at);
  if (tcp_octets == 0) {
    return NULL;
  }
  datagram *packet = begin(ip, DATAGRAM_TCP, tcp_octets);
  packet->carries_checksum = header.checksum != 0;
  return packet;
}

static datagram *read_too_big(const ip_packet *ip)
{
  const uint8_t *icmp = ip->octets + ip->transport_at;
  size_t length = ip->end - ip->transport_at;
  if (!datagram_too_big_quotation(icmp, length, ip->ipv4, NULL, NULL) ||
      big_endian_read_16(icmp) != (ip->ipv4 ? ICMP_TOO_BIG : ICMPV6_TOO_BIG)) {
    return NULL;
  }
  datagram *packet = begin(ip, DATAGRAM_TOO_BIG, 0);
  packet->carries_checksum = big_endian_read_16(icmp + ICMP_CHECKSUM_AT) != 0;
  return packet;
}

datagram *datagram_read(octet_buffer *buffer, const uint8_t *octets, size_t length)
{
  ip_packet ip = {.buffer = buffer, .octets = octets};
  unsigned version = length > 0 ? octets[0] >> 4 : 0;

  if ((version != 4 && version != 6) || !(version == 4 ? read_ipv4 : read_ipv6)(&ip, length)) {
    return NULL;
  }
  if (ip.protocol == IP_PROTOCOL_TCP) {
    return ip.is_fragment ? begin(&ip, DATAGRAM_FRAGMENT, 0) : read_tcp(&ip);
  }
  if (!ip.is_fragment && ip.protocol == (ip.ipv4 ? IP_PROTOCOL_ICMP : IP_PROTOCOL_ICMPV6)) {
    return read_too_big(&ip);
  }
  return NULL;
}

datagram *datagram_read_copy(const uint8_t *octets, size_t length)
{
  octet_buffer *buffer = octet_buffer_new((uint32_t)MAX(length, 1));
  memcpy(octet_buffer_octets(buffer), octets, length);
  datagram *packet = datagram_read(buffer, octet_buffer_octets(buffer), length);
  octet_buffer_unref(buffer);
  return packet;
}

/* --- Fragments (RFC 791 §3.2, RFC 8200 §4.5) --- */

void datagram_fragment_of(const datagram *packet, datagram_fragment *fragment)
{
  *fragment = (datagram_fragment){.source = ip_header_source(packet->header),
                                  .destination = ip_header_destination(packet->header),
                                  .length_octets = datagram_ip_payload_octets(packet)};
  if (datagram_is_ipv4(packet)) {
    uint16_t word = big_endian_read_16(packet->header + IPV4_FLAGS_AT);
    fragment->identification = big_endian_read_16(packet->header + IPV4_IDENTIFICATION_AT);
    fragment->offset_octets = (uint32_t)(word & IPV4_OFFSET_MASK) * FRAGMENT_UNIT_OCTETS;
    fragment->more = (word & IPV4_MORE_FRAGMENTS) != 0;
  } else if (packet->ip_octets > IPV6_HEADER_OCTETS) {
    const uint8_t *wire = packet->header + IPV6_HEADER_OCTETS;
    uint16_t word = big_endian_read_16(wire + IPV6_FRAGMENT_OFFSET_AT);
    fragment->identification = big_endian_read_32(wire + IPV6_FRAGMENT_IDENTIFICATION_AT);
    fragment->offset_octets = word & IPV6_OFFSET_MASK;
    fragment->more = (word & IPV6_MORE_FRAGMENTS) != 0;
  }
}

static void write_fragment_fields(datagram *packet, uint32_t offset_octets, bool more)
{
  if (datagram_is_ipv4(packet)) {
    uint8_t *wire = packet->header + IPV4_FLAGS_AT;
    unsigned word = (big_endian_read_16(wire) & IPV4_DONT_FRAGMENT) | (more ? IPV4_MORE_FRAGMENTS : 0u);
    big_endian_write_16(wire, (uint16_t)(word | offset_octets / FRAGMENT_UNIT_OCTETS));
  } else {
    big_endian_write_16(packet->header + IPV6_HEADER_OCTETS + IPV6_FRAGMENT_OFFSET_AT,
                        (uint16_t)(offset_octets | (more ? IPV6_MORE_FRAGMENTS : 0u)));
  }
}

/* The IP header of `packet`; of IPv6 with a fragment header after it, of identification 0 when there is none
 * yet. */
static void copy_ip_header(datagram *fragment, const datagram *packet)
{
  memcpy(fragment->header, packet->header, packet->ip_octets);
  fragment->ip_octets = packet->ip_octets;
  if (packet->ip_octets == IPV6_HEADER_OCTETS) {
    uint8_t *wire = fragment->header + IPV6_HEADER_OCTETS;
    memset(wire, 0, IPV6_FRAGMENT_HEADER_OCTETS);
    wire[0] = IP_PROTOCOL_TCP;
    fragment->header[IPV6_NEXT_HEADER_AT] = IP_PROTOCOL_IPV6_FRAGMENT;
    fragment->ip_octets += IPV6_FRAGMENT_HEADER_OCTETS;
  }
  fragment->header_octets = fragment->ip_octets;
}

/* Appends octets [from, from + length) of the packet's IP payload, by reference but for the TCP header's. */
static void append_ip_payload(buffer_chain *chain, const datagram *packet, uint32_t from, uint32_t length)
{
  uint32_t tcp_octets = packet->header_octets - packet->ip_octets;

  if (from < tcp_octets) {
    uint8_t header[TCP_HEADER_MAX_OCTETS];
    memcpy(header, packet->header + packet->ip_octets, tcp_octets);
    /* A receiver of fragments looks: what is right and unwritten in a whole packet is written in its
     * pieces. */
    if (!packet->carries_checksum && from <= TCP_CHECKSUM_AT) {
      big_endian_write_16(header + TCP_CHECKSUM_AT, datagram_tcp_checksum(packet));
    }
    uint32_t piece = MIN(length, tcp_octets - from);
    buffer_chain_append_copy(chain, header + from, piece);
    from += piece;
    length -= piece;
  }
  if (length > 0) {
    buffer_chain_append_chain(chain, &packet->payload, from - tcp_octets, length);
  }
}

datagram *datagram_new_fragment(const datagram *packet, uint32_t from, uint32_t length)
{
  datagram_fragment of;
  g_assert(packet->kind != DATAGRAM_TOO_BIG);
  datagram_fragment_of(packet, &of);
  g_assert(length > 0 && from <= of.length_octets && length <= of.length_octets - from);
  bool at_end = from + length == of.length_octets;
  g_assert(from % FRAGMENT_UNIT_OCTETS == 0 && (length % FRAGMENT_UNIT_OCTETS == 0 || at_end));
  g_assert(of.offset_octets + from <= (uint32_t)IPV4_OFFSET_MASK * FRAGMENT_UNIT_OCTETS);

  datagram *fragment = datagram_allocate(NULL, DATAGRAM_FRAGMENT);
  fragment->retransmission = packet->retransmission;
  copy_ip_header(fragment, packet);
  append_ip_payload(&fragment->payload, packet, from, length);
  write_fragment_fields(fragment, of.offset_octets + from, of.more || !at_end);
  datagram_ip_set_length(fragment);
  return fragment;
}

datagram *datagram_new_reassembled(const datagram *first, buffer_chain *ip_payload)
{
  bool ipv4 = datagram_is_ipv4(first);
  uint32_t ip_octets = ipv4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  uint32_t octets = ip_payload->length;
  uint8_t wire[TCP_HEADER_MAX_OCTETS];
  tcp_header header;

  /* RFC 791 §3.1: the total length has 16 bits; RFC 8200 §4.5: so has the payload length */
  if (octets + (ipv4 ? ip_octets : 0) > UINT16_MAX) {
    return NULL;
  }
  buffer_chain_copy_out(ip_payload, 0, MIN(octets, (uint32_t)sizeof wire), wire);
  size_t tcp_octets = tcp_header_decode(&header, wire, octets < sizeof wire ? octets : sizeof wire);
  if (tcp_octets == 0) {
    return NULL;
  }
  datagram *packet = datagram_allocate(NULL, DATAGRAM_TCP);
  packet->retransmission = first->retransmission;
  packet->carries_checksum = header.checksum != 0;
  packet->ip_octets = ip_octets;
  packet->header_octets = ip_octets + (uint32_t)tcp_octets;
  memcpy(packet->header, first->header, ip_octets);
  memcpy(packet->header + ip_octets, wire, tcp_octets);
  if (ipv4) {
    write_fragment_fields(packet, 0, false);
  } else {
    packet->header[IPV6_NEXT_HEADER_AT] =
        IP_PROTOCOL_TCP; /* RFC 8200 §4.5: out of the first fragment's header */
  }
  buffer_chain_move(&packet->payload, ip_payload);
  buffer_chain_drop_front(&packet->payload, (uint32_t)tcp_octets);
  datagram_ip_set_length(packet);
  return packet;
}
