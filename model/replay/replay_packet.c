/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_packet.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram.h"

enum {
  POOLED_OCTETS = 1600, /* nearly all segments */
  PART_OCTETS = UINT16_MAX - DATAGRAM_HEADER_MAX_OCTETS,
};

struct replay_packets {
  memory_pool *datagrams;
  memory_pool *blocks;
};

replay_packets *replay_packets_new(void)
{
  replay_packets *packets = g_new(replay_packets, 1);

  packets->datagrams = datagram_pool_new();
  packets->blocks = memory_pool_new(octet_block_piece_octets(POOLED_OCTETS));
  return packets;
}

void replay_packets_free(replay_packets *packets)
{
  if (packets) {
    memory_pool_unref(packets->datagrams); /* what is still held lives on */
    memory_pool_unref(packets->blocks);
    g_free(packets);
  }
}

tcp_header replay_packet_header(const capture_flow *flow, const capture_segment *segment)
{
  tcp_header header;

  tcp_header_begin(&header);
  header.source_port = flow->ends[segment->from].port;
  header.destination_port = flow->ends[!segment->from].port;
  header.sequence = segment->sequence;
  header.acknowledgement = segment->acknowledgement;
  header.window = segment->window;
  header.flags = segment->flags;
  header.has_timestamps = segment->has_timestamps;
  header.timestamp_value = segment->timestamp_value;
  return header;
}

static void append_payload(replay_packets *packets, octet_rope *payload, const uint8_t *octets,
                           uint32_t length)
{
  if (length > 0) {
    octet_block *block = octet_block_new_in(packets->blocks, length);

    memcpy(octet_block_octets(block), octets, length);
    octet_rope_append(payload, octet_block_octets(block), length, block);
    octet_block_unref(block);
  }
}

/* The checksum that it would have, with a bit turned. */
static void damage_checksum(datagram *packet)
{
  datagram_carry_checksum(packet);
  packet->header[packet->ip_octets + TCP_CHECKSUM_AT] ^= 1;
}

datagram *replay_packet_of(replay_packets *packets, const capture_flow *flow, const capture_segment *segment,
                           uint32_t *from)
{
  uint32_t length = MIN(segment->payload_octets - *from, (uint32_t)PART_OCTETS);
  bool is_last = *from + length == segment->payload_octets;
  tcp_header header = replay_packet_header(flow, segment);
  octet_rope payload;

  header.sequence += *from;
  if (!is_last) {
    header.flags &= (uint8_t) ~(TCP_FIN | TCP_PSH);
  }
  octet_rope_init(&payload);
  append_payload(packets, &payload, segment->payload + *from, length);
  *from += length;
  datagram *packet = datagram_new_plain(packets->datagrams, &flow->ends[segment->from].address,
                                        &flow->ends[!segment->from].address, &header, &payload);
  octet_rope_clear(&payload);
  datagram_set_ecn(packet, (datagram_ecn)segment->ecn);
  if (segment->checksum == CAPTURE_CHECKSUM_WRONG) {
    damage_checksum(packet);
  }
  return packet;
}
