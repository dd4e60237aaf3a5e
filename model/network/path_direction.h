/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of one path is a segment with the elements that the configuration asks for, in the order of
 * docs/scenario.md, "Directions and the path". */
#pragma once

#include <glib.h>

#include "network/path_middleboxes.h"
#include "network/path_segment.h"

typedef struct path_direction path_direction;

enum {
  PATH_ROUTER_ADDRESS = 0x0A000101
}; /* IPv4 of the first router; the next ones count up. IPv6: fd00::1:0 */

typedef struct path_place {
  const path_config *network; /* outlives it */
  enum side direction;
  uint32_t index;              /* of the path: random streams have it in their names */
  path_segment_config segment; /* without its name; its gate is of both directions of a path with a proxy */
  bool ipv6;                   /* the version of the routers' addresses */
  path_box *relay;             /* this direction of a proxy, which stays the caller's; NULL: none */
  path_box *relay_back;        /* with it, the other direction's */
  bool has_no_links;           /* impairments and boxes alone; with segment.is_fpdu_start */
  bool takes_any_size;         /* what enters may exceed the first MTU: no host of this program sends it */
  path_output output;          /* what comes out */
  void *output_user;
  /* A router's ICMP message for the source of a packet goes here, to the start of the other direction; when
   * the packet has not come to the proxy, which hides its source, to what comes after `relay_back`. NULL:
   * routers report nothing. */
  path_output too_big;
  void *too_big_user;
} path_place;

/* NULL and `error` when the engine refuses a link. Free with path_direction_free(), before the engine. */
path_direction *path_direction_new(const path_place *config, GError **error);
void path_direction_free(path_direction *path);

/* A packet of the sending host enters; takes its reference. */
void path_direction_send(path_direction *path, datagram *packet, time_ps now);

/* No packet that enters at `now` comes out before this time, since it follows all packets that wait for the
 * links. */
time_ps path_direction_earliest_arrival(const path_direction *path, time_ps now);

/* The first link's rate, delay or MTU becomes `number` now. */
void path_direction_change(path_direction *path, path_quantity quantity, uint64_t number, time_ps now);

/* Adds what the path did to the path's metrics; to those of the main direction only if it is the main one. */
void path_direction_count(const path_direction *path, bool is_main, metric_values *values);

/* Adds the segments counted before and after the middleboxes; nothing when there were none. */
void path_direction_count_alignment(const path_direction *path, metric_values *values);

/* Adds the extents of what was reordered (RFC 4737 §4.2) to `*sum`, that of the paths before, and sets their
 * mean. To be called after path_direction_count() of the same path. */
void path_direction_count_extents(const path_direction *path, uint64_t *sum, metric_values *values);
