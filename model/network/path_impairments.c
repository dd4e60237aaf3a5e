/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

/* --- Draws that remember the last one --- */

/* This is the largest double below 1. */
#define LARGEST (1 - 0x1p-53)

void path_correlation_init(path_correlation *correlation, random_stream *random, double value)
{
  g_assert(value >= 0 && value <= 1);
  *correlation = (path_correlation){.random = random, .correlation = value};
  if (value > 0) {
    correlation->last = random_stream_uniform(random);
  }
}

double path_correlation_next(path_correlation *correlation)
{
  double fresh = random_stream_uniform(correlation->random);

  if (correlation->correlation > 0) {
    fresh = fresh * (1 - correlation->correlation) + correlation->last * correlation->correlation;
    fresh = fresh < LARGEST ? fresh : LARGEST; /* the sum may have been rounded up to 1 */
    correlation->last = fresh;
  }
  return fresh;
}

bool path_correlation_chance(path_correlation *correlation, double probability)
{
  return path_correlation_next(correlation) < probability;
}

/* --- Damage --- */

typedef struct path_corrupt {
  path_element element;
  path_corrupt_config config;
  path_correlation draws;
} path_corrupt;

static void flip(uint8_t *octets, uint64_t bit)
{
  octets[bit / 8] ^= (uint8_t)(1U << bit % 8);
}

/* Damages any bit after the IP header. */
static void damage_caught(path_corrupt *corrupt, datagram *packet)
{
  uint32_t transport_octets = packet->header_octets - packet->ip_octets;
  uint64_t header_bits = UINT64_C(8) * transport_octets;

  datagram_carry_checksum(packet);
  uint64_t bit =
      random_stream_below(corrupt->draws.random, header_bits + UINT64_C(8) * packet->payload.length);
  if (bit < header_bits) {
    flip(packet->header + packet->ip_octets, bit);
  } else {
    flip(datagram_own_payload(packet), bit - header_bits);
  }
}

/* What is damaged already, as by a link before, stays as it is: of two bits the checksum might show neither.
 */
static void receive_to_corrupt(path_element *element, datagram *packet, time_ps now)
{
  path_corrupt *corrupt = (path_corrupt *)element;

  bool caught = corrupt->config.mode == PATH_CORRUPT_CAUGHT;
  bool has_octets = caught ? datagram_octets(packet) > packet->ip_octets
                           : packet->kind == DATAGRAM_TCP && packet->payload.length > 0;

  if (path_correlation_chance(&corrupt->draws, corrupt->config.probability) && has_octets &&
      datagram_checksum_is_right(packet)) {
    packet = path_element_own(packet);
    if (caught) {
      damage_caught(corrupt, packet);
    } else { /* a bit of the payload; the checksum is computed anew */
      flip(datagram_own_payload(packet),
           random_stream_below(corrupt->draws.random, UINT64_C(8) * packet->payload.length));
      if (packet->carries_checksum) {
        datagram_forget_checksum(packet);
      }
    }
    element->counts.damaged++;
    path_element_note(element, PATH_ACT_CORRUPT, true);
    PATH_TRACE(element, packet, PACKET_DAMAGED, .place = TRACE_NAME(element->class->name));
  }
  path_element_emit(element, packet, now);
}

static const path_element_class corrupt_class = {.name = "corrupt", .receive = receive_to_corrupt};

path_element *path_corrupt_new(const path_corrupt_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_corrupt *corrupt = g_new0(path_corrupt, 1);
  corrupt->element.class = &corrupt_class;
  corrupt->config = *config;
  path_correlation_init(&corrupt->draws, random, config->correlation);
  return &corrupt->element;
}

/* --- Copies --- */

typedef struct path_duplicate {
  path_element element;
  double probability;
  path_correlation draws;
} path_duplicate;

static void receive_to_duplicate(path_element *element, datagram *packet, time_ps now)
{
  path_duplicate *duplicate = (path_duplicate *)element;
  datagram *copy = NULL;

  if (path_correlation_chance(&duplicate->draws, duplicate->probability)) {
    copy = datagram_copy(packet); /* now: who gets the packet may change it */
    element->counts.duplicated++;
    path_element_note(element, PATH_ACT_DUPLICATE, true);
    PATH_TRACE(element, packet, PACKET_DOUBLED, .place = TRACE_NAME(element->class->name));
  }
  path_element_emit(element, packet, now);
  if (copy) {
    path_element_emit(element, copy, now);
  }
}

static const path_element_class duplicate_class = {.name = "duplicate", .receive = receive_to_duplicate};

path_element *path_duplicate_new(const path_duplicate_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_duplicate *duplicate = g_new0(path_duplicate, 1);
  duplicate->element.class = &duplicate_class;
  duplicate->probability = config->probability;
  path_correlation_init(&duplicate->draws, random, config->correlation);
  return &duplicate->element;
}

/* --- Marks --- */

typedef struct path_ecn_mark {
  path_element element;
  path_ecn_mark_config config;
  random_stream *random;
  uint64_t capable; /* packets entered so far */
} path_ecn_mark;

static void receive_to_mark(path_element *element, datagram *packet, time_ps now)
{
  path_ecn_mark *mark = (path_ecn_mark *)element;
  bool chosen = random_stream_chance(mark->random, mark->config.probability);

  if (datagram_ecn_of(packet) != DATAGRAM_ECN_NOT_CAPABLE) {
    mark->capable++;
    bool is_nth = mark->config.every > 0 && mark->capable % mark->config.every == 0;
    path_element_note(element, PATH_ACT_ECN_MARK, chosen);
    path_element_note(element, PATH_ACT_ECN_EVERY, is_nth);
    if (chosen || is_nth) {
      packet = path_element_mark(element, packet);
    }
  }
  path_element_emit(element, packet, now);
}

static const path_element_class ecn_mark_class = {.name = "ecn mark", .receive = receive_to_mark};

path_element *path_ecn_mark_new(const path_ecn_mark_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_ecn_mark *mark = g_new0(path_ecn_mark, 1);
  mark->element.class = &ecn_mark_class;
  mark->config = *config;
  mark->random = random;
  return &mark->element;
}
