#include "net/datagram.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram_ip.h"

enum { TCP_FLAGS_AT = 13, TCP_DESTINATION_PORT_AT = 2, ECN_MASK = 3, IPV6_ECN_SHIFT = 4 };

memory_pool *datagram_pool_new(void)
{
  return memory_pool_new(sizeof(datagram));
}

datagram *datagram_new_in(memory_pool *pool, const ip_address *source, const ip_address *destination,
                          const tcp_header *header, octet_rope *payload)
{
  datagram *packet = datagram_allocate(pool, DATAGRAM_TCP);

  if (payload) {
    octet_rope_move(&packet->payload, payload);
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

/* The field is the low end of the type of service or traffic class, which lies across two octets in IPv6 (RFC 3168
 * §5, RFC 8200 §3). */
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
  copy->flow_order = packet->flow_order;
  copy->ip_octets = packet->ip_octets;
  copy->header_octets = packet->header_octets;
  memcpy(copy->header, packet->header, packet->header_octets);
  octet_rope_append_rope(&copy->payload, &packet->payload, 0, packet->payload.length);
  return copy;
}

datagram *datagram_ref(datagram *packet)
{
  packet->references++;
  return packet;
}

void datagram_free(datagram *packet)
{
  octet_rope_clear(&packet->payload);
  if (packet->pool) {
    memory_pool_give(packet->pool, packet);
  } else {
    g_free(packet);
  }
}

ip_address datagram_source(const datagram *packet)
{
  return datagram_is_ipv4(packet) ? datagram_ip_address(packet->header + IPV4_SOURCE_AT, 4)
                                  : datagram_ip_address(packet->header + IPV6_SOURCE_AT, 6);
}

ip_address datagram_destination(const datagram *packet)
{
  return datagram_is_ipv4(packet) ? datagram_ip_address(packet->header + IPV4_DESTINATION_AT, 4)
                                  : datagram_ip_address(packet->header + IPV6_DESTINATION_AT, 6);
}

bool datagram_tcp_header(const datagram *packet, tcp_header *header)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  size_t octets = packet->header_octets - packet->ip_octets;

  /* another data offset than the packet was made with is damage too: what would be its payload is not in `payload` */
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

static bool too_big_flow(const datagram *packet, datagram_flow *flow)
{
  uint8_t icmp[ICMP_HEADER_OCTETS + DATAGRAM_HEADER_MAX_OCTETS];
  uint32_t octets = MIN(packet->payload.length, (uint32_t)sizeof icmp);

  octet_rope_copy_out(&packet->payload, 0, octets, icmp);
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
    flow->source = datagram_source(packet);
    flow->destination = datagram_destination(packet);
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

uint16_t datagram_tcp_checksum(const datagram *packet)
{
  g_assert(packet->kind == DATAGRAM_TCP);
  /* what stands in the field is taken out of the sum: adding the complement subtracts in ones' complement */
  uint16_t carried = big_endian_read_16(packet->header + packet->ip_octets + TCP_CHECKSUM_AT);
  return datagram_sum_complement(datagram_transport_sum(packet) + (uint16_t)~carried);
}

bool datagram_checksum_is_right(const datagram *packet)
{
  /* 0xFFFF and 0 are both zero in ones' complement: only the sum with the field in it tells (RFC 1071 §1) */
  return packet->kind == DATAGRAM_FRAGMENT || !packet->carries_checksum ||
         datagram_sum_complement(datagram_transport_sum(packet)) == 0;
}

void datagram_carry_checksum(datagram *packet)
{
  if (packet->carries_checksum || packet->kind == DATAGRAM_FRAGMENT) {
    return; /* a fragment has it among its octets */
  }
  /* The field is 0. Its other form of zero keeps a checksum of 0 from being taken for none, as UDP does (RFC 768). */
  uint16_t checksum = datagram_sum_complement(datagram_transport_sum(packet));
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
  octet_block *block = octet_block_new(length);
  uint8_t *octets = octet_block_octets(block);
  octet_rope_copy_out(&packet->payload, 0, length, octets);
  octet_rope_clear(&packet->payload);
  octet_rope_append(&packet->payload, octets, length, block);
  octet_block_unref(block);
  return octets;
}
