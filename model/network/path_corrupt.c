/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "network/path_correlation.h"

typedef struct path_corrupt {
  path_element element;
  path_corrupt_config config;
  random_stream *random;
  path_correlation draws;
} path_corrupt;

static void flip(uint8_t *octets, uint64_t bit)
{
  octets[bit / 8] ^= (uint8_t)(1U << bit % 8);
}

/* Any bit after the IP header. */
static void damage_caught(path_corrupt *corrupt, datagram *packet)
{
  uint32_t transport_octets = packet->header_octets - packet->ip_octets;
  uint64_t header_bits = UINT64_C(8) * transport_octets;

  datagram_carry_checksum(packet);
  uint64_t bit = random_stream_below(corrupt->random, header_bits + UINT64_C(8) * packet->payload.length);
  if (bit < header_bits) {
    flip(packet->header + packet->ip_octets, bit);
  } else {
    flip(datagram_own_payload(packet), bit - header_bits);
  }
}

/* A bit of the payload. A checksum that was right is computed anew; one that was wrong stays, so that damage
 * done by an element before can still be found. */
static void damage_uncaught(path_corrupt *corrupt, datagram *packet)
{
  bool right = datagram_checksum_is_right(packet);

  flip(datagram_own_payload(packet),
       random_stream_below(corrupt->random, UINT64_C(8) * packet->payload.length));
  if (packet->carries_checksum && right) {
    datagram_forget_checksum(packet);
  }
}

static bool can_be_damaged(const path_corrupt *corrupt, const datagram *packet)
{
  if (corrupt->config.mode == PATH_CORRUPT_UNCAUGHT) {
    return packet->kind == DATAGRAM_TCP && packet->payload.length > 0;
  }
  return datagram_octets(packet) > packet->ip_octets;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_corrupt *corrupt = (path_corrupt *)element;

  if (path_correlation_chance(&corrupt->draws, corrupt->config.probability) &&
      can_be_damaged(corrupt, packet)) {
    packet = path_element_own(packet);
    if (corrupt->config.mode == PATH_CORRUPT_CAUGHT) {
      damage_caught(corrupt, packet);
    } else {
      damage_uncaught(corrupt, packet);
    }
    element->counts.damaged++;
  }
  path_element_emit(element, packet, now);
}

static const path_element_class corrupt_class = {.name = "corrupt", .receive = receive};

path_element *path_corrupt_new(const path_corrupt_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_corrupt *corrupt = g_new0(path_corrupt, 1);
  corrupt->element.class = &corrupt_class;
  corrupt->config = *config;
  corrupt->random = random;
  path_correlation_init(&corrupt->draws, random, config->correlation);
  return &corrupt->element;
}
