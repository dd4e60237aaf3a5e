/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/run_cost.h"

#include <math.h>

#include "platform/run_engine.h"
#include "scenario/configuration.h"

/* Of one core: fitted on 2026-11-23 to the runs' cpu_s in the stores of `iwarpsim sweep` of mtu-loss,
 * cut-size, middleboxes, memory-goodput, overhead, packing and connections of scenarios/, of which each sum
 * is then right within 0.7 and 1.7, built with -O1 or with -O3 and LTO. An FPDU is framed, checked, located
 * and placed; a segment crosses the network and both TCPs; an octet is copied, summed and verified. */
#define START_S 4e-3
#define FPDU_S 0.4e-6
#define SEGMENT_S 0.6e-6
#define OCTET_S 0.05e-9

/* A lost segment costs as much as so many others: it is sent again, and what follows it is held, located and
 * acknowledged one by one. */
#define SEGMENTS_PER_LOSS 10

/* ns-3 takes this many times as long, and so do the two connections that a proxy makes of one. */
#define NS3_FACTOR 4
#define PROXY_FACTOR 2

/* MPA's and DDP's headers, the CRC and what markers add to a usual FPDU, octets. */
#define FPDU_OVERHEAD_OCTETS 24

/* The size of the pieces that middleboxes leave of segments of `octets`. */
static double piece_octets(const path_middleboxes_config *boxes, double octets)
{
  for (guint i = 0; i < boxes->mode.count; i++) {
    switch (boxes->mode.values[i]) {
    case PATH_MIDDLEBOX_SPLIT:
      octets = fmin(octets, boxes->split_octets);
      break;
    case PATH_MIDDLEBOX_RECHUNK:
      octets = fmin(octets, boxes->chunk_octets);
      break;
    case PATH_MIDDLEBOX_RANDOM:
      octets = fmin(octets, (boxes->random_minimum_octets + boxes->random_maximum_octets) / 2.0);
      break;
    default:
      break;
    }
  }
  return octets;
}

/* Of one message of `octets` that goes in `direction`. */
static run_cost message_cost(const configuration *c, enum side direction, double octets)
{
  const path_direction_config *path = &c->path.directions[direction];
  double most = path_mtu_octets(path) - configuration_headers_octets(c);
  double fpdus = fmax(1, ceil(octets / most));
  double stream = octets + fpdus * FPDU_OVERHEAD_OCTETS;
  /* A message that waits for others to complete leaves the last segment of each unfilled. */
  double segments = c->workload.outstanding > 0 ? ceil(stream / most) : stream / most;
  double pieces = fmax(segments, stream / piece_octets(&c->path.middleboxes, most));
  return (run_cost){.segments = segments,
                    .seconds = fpdus * FPDU_S +
                               pieces * SEGMENT_S * (1 + SEGMENTS_PER_LOSS * path->loss.probability) +
                               stream * OCTET_S};
}

run_cost run_cost_of(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  const number_list one = {&(uint64_t){c->message_octets}, 1};
  const number_list *sizes = c->workload.message_sizes.count > 0 ? &c->workload.message_sizes : &one;
  run_cost all = {0};
  for (enum side direction = 0; direction < SIDES; direction++) {
    double messages = (double)c->workload.messages * (double)c->connections.count *
                      configuration_payload_share(c, direction) / (double)sizes->count;
    for (gsize i = 0; i < sizes->count; i++) {
      run_cost each = message_cost(c, direction, (double)sizes->values[i]);
      all.segments += messages * each.segments;
      all.seconds += messages * each.seconds;
    }
  }
  /* The more connections, the less of what a segment needs is in the caches: ten times as long with the
   * 10,000 of scenarios/connections.cfg. */
  all.seconds *= sqrt(sqrt(c->connections.count));
  all.seconds *= choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY) ? PROXY_FACTOR : 1;
  all.seconds = START_S + all.seconds * (run_engine_of(s) == RUN_ENGINE_NS3 ? NS3_FACTOR : 1);
  return all;
}
