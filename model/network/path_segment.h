/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment of a path consists of elements that packets meet one after the other, with their timers on the
 * engine. One direction of a path is a segment (network/path_direction.h), and so is one direction of a link
 * between two nodes of a graph: queue, link and impairments. */
#pragma once

#include <glib.h>

#include "base/random_stream.h"
#include "engine/engine.h"
#include "measure/metric_table.h"
#include "network/path_alignment.h"
#include "network/path_config.h"
#include "network/path_element.h"
#include "network/path_proxy.h"

typedef struct path_segment path_segment;

/* Makes a link over `clock`, the native engine's or ns-3's. Returns NULL and `error` when the engine refuses
 * the configuration. */
typedef path_link *(*path_link_factory)(engine *clock, const path_link_config *config, GError **error);

typedef struct path_segment_config {
  uint32_t number;  /* among the segments on the clock: what is due together is in the order of these */
  const char *name; /* in those of its random streams; it need not outlive path_segment_end() */
  uint64_t seed;
  engine *clock;
  path_link_factory new_link;
  path_gate *gate; /* NULL: open */
  path_trace trace;
  /* The next datagram from the sending host that may be fragmented has this number, and boxes count on. NULL:
   * each has its own. */
  uint16_t *identification;
  path_alignment_is_fpdu_start is_fpdu_start; /* of the trace's direction; NULL: boxes count no segments */
  void *is_fpdu_start_user;
} path_segment_config;

/* Makes a segment without elements. Free with path_segment_free(), before the engine. */
path_segment *path_segment_new(const path_segment_config *config);
void path_segment_free(path_segment *segment); /* NULL is allowed */

/* --- Building: packets meet the elements in the order in which these are added --- */

/* Adds `element`, which becomes the segment's unless it `is_lent`. */
void path_segment_add(path_segment *segment, path_element *element, bool is_lent);

/* Adds link number `index` of `config` with its queue, and before the first link the bucket. Packets may be
 * larger than the link's MTU if something before it `guards` that. False and `error` when the engine refuses
 * the link. */
bool path_segment_add_link(path_segment *segment, const path_direction_config *config, size_t index,
                           bool is_guarded, GError **error);

/* Adds the impairments of `config`, whose random streams have `name`: "loss.NAME". */
void path_segment_add_impairments(path_segment *segment, const path_direction_config *config,
                                  const char *name);

/* Adds the boxes of `config` in their order, and before and after them what counts segments; in place of the
 * proxy `relay`, which stays the caller's (NULL: there is none), or that alone. */
void path_segment_add_boxes(path_segment *segment, const path_middleboxes_config *config, path_box *relay,
                            bool relay_alone);

/* Returns whether no element has been added. */
bool path_segment_is_empty(const path_segment *segment);

/* Ends the building: what comes out goes to `output` with `user`. There must be an element. */
void path_segment_end(path_segment *segment, path_output output, void *user);

/* --- Running --- */

/* A packet enters; takes its reference. */
void path_segment_send(path_segment *segment, datagram *packet, time_ps now);

/* No packet that enters at `now` comes out before this time, since it follows all packets that wait for the
 * links. */
time_ps path_segment_earliest_arrival(const path_segment *segment, time_ps now);

/* The first link's rate or delay becomes `number` now. */
void path_segment_change_link(path_segment *segment, path_quantity quantity, uint64_t number, time_ps now);

/* Adds what the elements have counted to the path's metrics. Returns the most octets (IP) that ever waited
 * for one of the links. */
uint64_t path_segment_count(const path_segment *segment, metric_values *values);

/* Adds the segments counted before and after the boxes; nothing when there were none. */
void path_segment_count_alignment(const path_segment *segment, metric_values *values);
