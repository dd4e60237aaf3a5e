/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the configuration of a path through the network: links, queues, impairments and middleboxes, each
 * direction by itself. The scenario's groups `path` and `middlebox` fill it. */
#pragma once

#include "base/settings.h"
#include "base/side.h"
#include "network/path_impairments.h"
#include "network/path_link.h"
#include "network/path_middleboxes.h"
#include "network/path_queue_manager.h"
#include "network/path_transmitter.h"

/* Who drops packets before a link, in addition to the full queue. */
typedef enum path_discipline {
  PATH_DISCIPLINE_TAIL,
  PATH_DISCIPLINE_RED,
  PATH_DISCIPLINE_CODEL
} path_discipline;

typedef struct path_direction_config {
  path_link_config link; /* the first; its `id` is the path's matter */
  /* Each further link has a value in these; the longest list determines how many there are, and the last
   * value of a shorter one holds for the rest. Without any, a shorter one has that of the first link. */
  number_list hop_rates_bit_per_s;
  number_list hop_delays_ps;
  number_list hop_mtus_octets;
  path_bucket_config bucket; /* before the first link */
  path_discipline discipline;
  path_transmitter_config queue; /* of each link, without its manager */
  path_red_config red;           /* without weight and packet_ps */
  path_codel_config codel;       /* without packet_octets */
  choice_list order;             /* of path_impairment; those left out come last */
  path_loss_config loss;
  probability_list gemodel; /* tc-netem(8): p, r, 1-h, 1-k; empty: none */
  probability_list state;   /* p13, p31, p32, p23, p14; empty: none */
  path_corrupt_config corrupt;
  path_duplicate_config duplicate;
  path_ecn_mark_config ecn;
  path_late_config displace; /* without wait_ps */
  path_jitter_config jitter; /* jitter_ps is the delay, too; 0: none. */
} path_direction_config;

/* Something of the first link that changes in mid-flow. */
typedef enum path_quantity { PATH_RATE, PATH_DELAY, PATH_MTU } path_quantity;

typedef struct path_change {
  time_ps at;
  enum side direction;
  path_quantity quantity;
  uint64_t number; /* bit/s, picoseconds or octets */
} path_change;

typedef struct path_config {
  path_direction_config directions[SIDES]; /* named by the side that sends */
  path_middleboxes_config middleboxes;     /* the same for both directions */
  bool routers_are_silent;                 /* no ICMP message about packets that are too big: a black hole */
  const path_change *changes; /* in the order of their times; those of one time as the scenario has them */
  size_t change_count;
} path_config;

/* Returns how many links follow each other in a direction, at least 1, and the one with `index` among
 * them. */
size_t path_links(const path_direction_config *direction);
path_link_config path_link_at(const path_direction_config *direction, size_t index);

/* Return the slowest rate of the links of a direction and of its bucket, and the smallest MTU of the
 * links. */
uint64_t path_bottleneck_bit_per_s(const path_direction_config *direction);
uint32_t path_mtu_octets(const path_direction_config *direction);

/* netem's `loss state` p13, p31, p32, p23, p14, with the defaults of tc-netem(8) for the parameters left out
 * (100% - p13, 0, 100%, 0). Only where the direction's list is not empty. */
path_four_state_loss_config path_state_model(const path_direction_config *direction);

/* This is what the losses of a direction come to in the long run: `loss`, and beside it `gemodel` or
 * `state`. */
typedef struct path_loss_rates {
  double lost;   /* the share of the packets; NAN: not known */
  double bursts; /* that begin, for each packet, a single loss being one; NAN: not known */
} path_loss_rates;

path_loss_rates path_loss_rates_of(const path_direction_config *direction);

/* Returns the share of the segments with payload that these, `loss_every` and `corrupt` cost. NAN: not known.
 */
double path_loss_share(const path_direction_config *direction);

/* Returns what the random streams of path `index` are named after: "forward", of path 3 "forward.3". Free
 * with g_free(). */
char *path_direction_name(enum side direction, uint32_t index);

/* Appends to `elements` those that `config` asks for, in its order; none has an output yet. The elements
 * become the caller's (path_element_free()); so do their random streams, which are appended to `randoms`
 * (g_free()): those of `seed` and "loss.NAME". */
void path_impairments_add(GPtrArray *elements, GPtrArray *randoms, const path_direction_config *config,
                          const char *name, uint64_t seed);
