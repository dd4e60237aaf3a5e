/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

typedef struct path_ecn_mark {
  path_element element;
  path_ecn_mark_config config;
  random_stream *random;
  uint64_t capable; /* packets entered so far */
} path_ecn_mark;

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_ecn_mark *mark = (path_ecn_mark *)element;
  bool chosen = random_stream_chance(mark->random, mark->config.probability);

  if (datagram_ecn_of(packet) != DATAGRAM_ECN_NOT_CAPABLE) {
    mark->capable++;
    chosen |= mark->config.every > 0 && mark->capable % mark->config.every == 0;
    if (chosen) {
      packet = path_element_mark(element, packet);
    }
  }
  path_element_emit(element, packet, now);
}

static const path_element_class ecn_mark_class = {.name = "ecn mark", .receive = receive};

path_element *path_ecn_mark_new(const path_ecn_mark_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_ecn_mark *mark = g_new0(path_ecn_mark, 1);
  mark->element.class = &ecn_mark_class;
  mark->config = *config;
  mark->random = random;
  return &mark->element;
}
