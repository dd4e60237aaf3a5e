/* SPDX-License-Identifier: GPL-2.0-only */
#include "capture_fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/big_endian.h"
#include "no_error.h"
#include "packets.h"

enum { SNAP_OCTETS = 262144, ETHERNET_MIN_OCTETS = 60 };

uint8_t fixture_octet(const fixture_segment *segment, uint32_t index)
{
  return (uint8_t)(segment->sequence + index);
}

ip_address fixture_host(unsigned version, unsigned host)
{
  return version == 4 ? ip_address_v4(0x0A000001 + host)
                      : ip_address_v6(UINT64_C(0x20010DB8) << 32, 1 + host);
}

static tcp_header header_of(const fixture_segment *segment)
{
  uint16_t ports[2] = {segment->ports[0] > 0 ? segment->ports[0] : FIXTURE_PORT_0,
                       segment->ports[1] > 0 ? segment->ports[1] : FIXTURE_PORT_1};
  return (tcp_header){.sequence = segment->sequence,
                      .acknowledgement = segment->acknowledgement,
                      .source_port = ports[segment->from],
                      .destination_port = ports[!segment->from],
                      .window = 0x1234,
                      .flags = segment->flags,
                      .has_mss = segment->mss_octets > 0,
                      .mss_octets = segment->mss_octets,
                      .has_timestamps = segment->has_timestamps,
                      .timestamp_value = segment->timestamp_value};
}

static uint32_t ip_octets_of(const GByteArray *packet)
{
  return packet->data[0] >> 4 == 4 ? (packet->data[0] & 15u) * 4 : IPV6_HEADER_OCTETS;
}

/* Sets the checksum of a packet without extension headers; by the octets, one by one, as RFC 1071 §4.1 has
 * it. */
void fixture_set_checksum(GByteArray *packet)
{
  bool ipv4 = packet->data[0] >> 4 == 4;
  uint32_t ip_octets = ip_octets_of(packet);
  uint64_t sum = IP_PROTOCOL_TCP + (uint64_t)(packet->len - ip_octets);

  packet->data[ip_octets + TCP_CHECKSUM_AT] = 0;
  packet->data[ip_octets + TCP_CHECKSUM_AT + 1] = 0;
  uint32_t addresses_at = ipv4 ? IPV4_SOURCE_AT : IPV6_SOURCE_AT;
  for (uint32_t at = 0; at < (ipv4 ? 8u : 32u); at++) {
    sum += (uint64_t)packet->data[addresses_at + at] << (at % 2 == 0 ? 8 : 0);
  }
  for (uint32_t at = ip_octets; at < packet->len; at++) {
    sum += (uint64_t)packet->data[at] << ((at - ip_octets) % 2 == 0 ? 8 : 0);
  }
  while (sum > UINT16_MAX) {
    sum = (sum & UINT16_MAX) + (sum >> 16);
  }
  big_endian_write_16(packet->data + ip_octets + TCP_CHECKSUM_AT, (uint16_t)~sum);
}

static void set_length(GByteArray *packet)
{
  bool ipv4 = packet->data[0] >> 4 == 4;
  uint32_t length = packet->len - (ipv4 ? 0 : IPV6_HEADER_OCTETS);
  big_endian_write_16(packet->data + (ipv4 ? IPV4_LENGTH_AT : IPV6_LENGTH_AT),
                      length <= UINT16_MAX ? (uint16_t)length : 0);
}

GByteArray *fixture_packet(const fixture_segment *segment)
{
  ip_address source = fixture_host(segment->version, segment->from);
  ip_address destination = fixture_host(segment->version, !segment->from);
  tcp_header header = header_of(segment);
  g_autoptr(datagram) bare = datagram_new_in(NULL, &source, &destination, &header, NULL);
  GByteArray *packet = g_byte_array_new();

  g_byte_array_set_size(packet, datagram_octets(bare));
  datagram_write(bare, packet->data, true);
  for (uint32_t i = 0; i < segment->length; i++) {
    uint8_t octet = segment->payload ? segment->payload[i] : fixture_octet(segment, i);
    g_byte_array_append(packet, &octet, 1);
  }
  set_length(packet);
  fixture_set_checksum(packet);
  return packet;
}

/* Puts `octets` zeros at `at`. */
static void insert(GByteArray *packet, uint32_t at, uint32_t octets)
{
  uint32_t after = packet->len - at;
  g_byte_array_set_size(packet, packet->len + octets);
  memmove(packet->data + at + octets, packet->data + at, after);
  memset(packet->data + at, 0, octets);
}

void fixture_add_ipv4_options(GByteArray *packet, unsigned octets)
{
  insert(packet, IPV4_HEADER_OCTETS, octets);
  memset(packet->data + IPV4_HEADER_OCTETS, 1, octets);
  packet->data[0] = (uint8_t)(0x40 + (IPV4_HEADER_OCTETS + octets) / 4);
  set_length(packet);
}

void fixture_add_extension(GByteArray *packet, uint8_t kind, unsigned octets)
{
  insert(packet, IPV6_HEADER_OCTETS, octets);
  packet->data[IPV6_HEADER_OCTETS] = packet->data[IPV6_NEXT_HEADER_AT];
  packet->data[IPV6_HEADER_OCTETS + 1] = (uint8_t)(octets / 8 - 1);
  packet->data[IPV6_NEXT_HEADER_AT] = kind;
  set_length(packet);
}

GByteArray *fixture_fragment(const GByteArray *packet, uint32_t identification, uint32_t from,
                             uint32_t length)
{
  uint32_t ip_octets = ip_octets_of(packet);
  bool more = ip_octets + from + length < packet->len;
  GByteArray *fragment = g_byte_array_new();

  g_assert(ip_octets + from + length <= packet->len && from % 8 == 0);
  g_byte_array_append(fragment, packet->data, ip_octets);
  g_byte_array_append(fragment, packet->data + ip_octets + from, length);
  if (packet->data[0] >> 4 == 4) {
    big_endian_write_16(fragment->data + IPV4_IDENTIFICATION_AT, (uint16_t)identification);
    big_endian_write_16(fragment->data + IPV4_FLAGS_AT,
                        (uint16_t)((more ? IPV4_MORE_FRAGMENTS : 0) | from / 8));
    set_length(fragment);
    return fragment;
  }
  fixture_add_extension(fragment, IP_PROTOCOL_IPV6_FRAGMENT, IPV6_FRAGMENT_HEADER_OCTETS);
  uint8_t *header = fragment->data + IPV6_HEADER_OCTETS;
  header[1] = 0;
  big_endian_write_16(header + IPV6_FRAGMENT_OFFSET_AT, (uint16_t)(from | (more ? IPV6_MORE_FRAGMENTS : 0)));
  big_endian_write_32(header + IPV6_FRAGMENT_IDENTIFICATION_AT, identification);
  return fragment;
}

static void append_16(GByteArray *octets, uint16_t value)
{
  uint8_t wire[2];
  big_endian_write_16(wire, value);
  g_byte_array_append(octets, wire, sizeof wire);
}

static void append_zeros(GByteArray *octets, uint32_t count)
{
  insert(octets, octets->len, count);
}

/* Appends the EtherType with `tags` before it: the outermost 802.1ad's, the others 802.1Q's. */
static void append_type(GByteArray *frame, uint16_t type, unsigned tags, uint32_t octets_before_tags)
{
  for (unsigned tag = 0; tag < tags; tag++) {
    append_16(frame, tag == 0 && tags > 1 ? 0x88A8 : 0x8100);
    if (tag == 0) {
      append_zeros(frame, octets_before_tags);
    }
    append_16(frame, (uint16_t)(100 + tag));
  }
  append_16(frame, type);
  if (tags == 0) {
    append_zeros(frame, octets_before_tags);
  }
}

/* Appends what is before an IP packet on a point-to-point link: `octets`, then PPP's number of the
 * protocol. */
static void append_ppp(GByteArray *frame, const char *octets, size_t length, const GByteArray *packet)
{
  g_byte_array_append(frame, (const uint8_t *)octets, (guint)length);
  g_byte_array_append(frame, (const uint8_t[]){packet->data[0] >> 4 == 4 ? 0x21 : 0x57}, 1);
}

GByteArray *fixture_frame(int link_type, const GByteArray *packet, unsigned tags)
{
  uint16_t type = packet->data[0] >> 4 == 4 ? 0x0800 : 0x86DD;
  GByteArray *frame = g_byte_array_new();

  switch (link_type) {
  case FIXTURE_LINK_PPP: /* address, control */
    append_ppp(frame, "\xFF\x03", 3, packet);
    break;
  case FIXTURE_LINK_PPP_HDLC: /* compressed (RFC 1661 §6.5, §6.6) */
    append_ppp(frame, "", 0, packet);
    break;
  case FIXTURE_LINK_PPPD: /* outgoing */
    append_ppp(frame, "\x01\x03", 3, packet);
    break;
  case FIXTURE_LINK_PPP_WITH_DIRECTION:
    append_ppp(frame, "\x01", 2, packet);
    break;
  case FIXTURE_LINK_PPP_ETHER: /* session 7 */
    append_ppp(frame, "\x11\0\0\x07\0\x40", 7, packet);
    break;
  case FIXTURE_LINK_CISCO:
    append_16(frame, 0x0F00);
    append_16(frame, type);
    break;
  case FIXTURE_LINK_MPLS: /* two labels, the second at the bottom of the stack */
    g_byte_array_append(frame, (const uint8_t *)"\0\1\0\x40\0\2\1\x40", 8);
    break;
  case FIXTURE_LINK_NFLOG: { /* in this machine's order: a value of 5 octets, and the packet */
    const uint16_t before[] = {GUINT16_TO_BE(0x0200), 0, 9, 10, 0, 0, 0, 0, (uint16_t)(packet->len + 4), 9};
    g_byte_array_append(frame, (const uint8_t *)before, sizeof before);
    break;
  }
  default:
    break;
  }
  if (link_type == FIXTURE_LINK_ETHERNET) {
    append_zeros(frame, 12);
    append_type(frame, type, tags, 0);
  } else if (link_type == FIXTURE_LINK_COOKED) {
    append_zeros(frame, 14);
    append_type(frame, type, tags, 0);
  } else if (link_type == FIXTURE_LINK_COOKED_2) {
    append_type(frame, type, tags, 18);
  } else if (link_type == FIXTURE_LINK_NULL) { /* in either order: the capturing machine's */
    const uint32_t family = type == 0x0800 ? GUINT32_TO_LE(2u) : GUINT32_TO_BE(30u);
    g_byte_array_append(frame, (const uint8_t *)&family, sizeof family);
  } else if (link_type == FIXTURE_LINK_LOOP) {
    append_16(frame, 0);
    append_16(frame, type == 0x0800 ? 2 : 24);
  }
  g_byte_array_append(frame, packet->data, packet->len);
  if (link_type == FIXTURE_LINK_ETHERNET && frame->len < ETHERNET_MIN_OCTETS) {
    append_zeros(frame, ETHERNET_MIN_OCTETS - frame->len);
  }
  return frame;
}

static void put_16(fixture_file *file, uint16_t value)
{
  value = file->is_swapped ? GUINT16_SWAP_LE_BE(value) : value;
  g_byte_array_append(file->octets, (const uint8_t *)&value, sizeof value);
}

static void put_32(fixture_file *file, uint32_t value)
{
  value = file->is_swapped ? GUINT32_SWAP_LE_BE(value) : value;
  g_byte_array_append(file->octets, (const uint8_t *)&value, sizeof value);
}

fixture_file *fixture_file_new(fixture_format format, bool is_swapped, int link_type)
{
  fixture_file *file = g_new0(fixture_file, 1);

  file->octets = g_byte_array_new();
  file->format = format;
  file->is_swapped = is_swapped;
  if (format == FIXTURE_PCAPNG) {
    fixture_file_add_section(file, is_swapped, link_type);
    return file;
  }
  put_32(file, format == FIXTURE_PCAP_NS ? 0xA1B23C4D : 0xA1B2C3D4);
  put_16(file, 2);
  put_16(file, 4);
  put_32(file, 0);
  put_32(file, 0);
  put_32(file, SNAP_OCTETS);
  put_32(file, (uint32_t)link_type);
  return file;
}

fixture_file *fixture_raw_file(void)
{
  return fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW);
}

void fixture_file_free(fixture_file *file)
{
  g_byte_array_free(file->octets, TRUE);
  g_free(file);
}

void fixture_file_add_block(fixture_file *file, uint32_t type, const uint32_t *numbers, unsigned count)
{
  put_32(file, type);
  put_32(file, 4 * (3 + count));
  for (unsigned i = 0; i < count; i++) {
    put_32(file, numbers[i]);
  }
  put_32(file, 4 * (3 + count));
}

void fixture_file_add_section(fixture_file *file, bool is_swapped, int link_type)
{
  file->is_swapped = is_swapped;
  file->interface = 0;
  put_32(file, 0x0A0D0D0A); /* section header block, of a section of unknown length */
  put_32(file, 28);
  put_32(file, 0x1A2B3C4D);
  put_16(file, 1);
  put_16(file, 0);
  put_32(file, UINT32_MAX);
  put_32(file, UINT32_MAX);
  put_32(file, 28);
  fixture_file_add_interface(file, link_type, SNAP_OCTETS);
}

void fixture_file_add_interface(fixture_file *file, int link_type, uint32_t snap_octets)
{
  g_assert(file->format == FIXTURE_PCAPNG);
  put_32(file, 1); /* interface description block */
  put_32(file, 32);
  put_16(file, (uint16_t)link_type);
  put_16(file, 0);
  put_32(file, snap_octets);
  put_16(file, 9); /* if_tsresol */
  put_16(file, 1);
  g_byte_array_append(file->octets, (const uint8_t[]){9, 0, 0, 0}, 4);
  put_32(file, 0); /* the end of the options */
  put_32(file, 32);
}

void fixture_file_add_cut(fixture_file *file, int64_t time_ns, const GByteArray *frame, uint32_t captured,
                          uint32_t wire)
{
  uint32_t padding = file->format == FIXTURE_PCAPNG ? (4 - captured % 4) % 4 : 0;

  if (file->format == FIXTURE_PCAPNG) {
    put_32(file, 6); /* enhanced packet block */
    put_32(file, 32 + captured + padding);
    put_32(file, file->interface);
    put_32(file, (uint32_t)((uint64_t)time_ns >> 32));
    put_32(file, (uint32_t)time_ns);
  } else {
    int64_t rest_ns = time_ns % 1000000000;
    put_32(file, (uint32_t)(time_ns / 1000000000));
    put_32(file, (uint32_t)(file->format == FIXTURE_PCAP_NS ? rest_ns : rest_ns / 1000));
  }
  put_32(file, captured);
  put_32(file, wire);
  g_byte_array_append(file->octets, frame->data, captured);
  if (file->format == FIXTURE_PCAPNG) {
    append_zeros(file->octets, padding);
    put_32(file, 32 + captured + padding);
  }
}

void fixture_file_add(fixture_file *file, int64_t time_ns, const GByteArray *frame)
{
  fixture_file_add_cut(file, time_ns, frame, frame->len, frame->len);
}

void fixture_file_add_segment(fixture_file *file, int64_t time_ns, int link_type,
                              const fixture_segment *segment)
{
  g_autoptr(GByteArray) packet = fixture_packet(segment);
  g_autoptr(GByteArray) frame = fixture_frame(link_type, packet, 0);

  fixture_file_add(file, time_ns, frame);
}

capture_source *fixture_open_octets(const uint8_t *octets, size_t length, const char *filter, GError **error)
{
  FILE *stream = fmemopen((void *)octets, length, "rb");
  g_assert_nonnull(stream);
  return capture_source_open_stream(stream, "test", filter, error);
}

capture_source *fixture_open(const fixture_file *file)
{
  return NO_ERROR(fixture_open_octets, file->octets->data, file->octets->len, NULL);
}

bool fixture_next(capture_source *source, capture_segment *segment)
{
  return NO_ERROR(capture_source_next, source, segment, NULL);
}

capture_segment fixture_segment_of(capture_source *source)
{
  capture_segment segment;
  g_assert_true(fixture_next(source, &segment));
  return segment;
}

void fixture_assert_at_end(capture_source *source)
{
  capture_segment segment;
  g_assert_false(fixture_next(source, &segment));
  capture_source_free(source);
}
