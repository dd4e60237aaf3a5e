/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a scenario: one path in each direction for all connections or one for each of them (`workload.paths`), or a chain of
 * ns-3's nodes (`topology`); what changes on it in mid-flow (`event`), and where a router's ICMP messages go. */
#ifndef SESSION_SESSION_PATHS_H
#define SESSION_SESSION_PATHS_H

#include <glib.h>

#include "engine/engine.h"
#include "network/path_direction.h"
#include "network/path_element.h"
#include "platform/run_engine.h"
#include "scenario/scenario.h"
#include "session/session_network.h"

typedef struct session_paths_ends {
  path_output output;                         /* of what comes out of each direction, called with … */
  void *users[SIDES];                         /* … one of these; takes the reference */
  path_alignment_is_fpdu_start is_fpdu_start; /* of the main direction */
  void *is_fpdu_start_user;
  uint16_t *identifications[SIDES]; /* see path_place */
} session_paths_ends;

/* The paths of `s`; `ends` are copied. NULL and `error` when the engine refuses a link. Free with session_network_free(), before the
 * engine. */
session_network *session_paths_new(const scenario *s, run_engine kind, engine *clock,
                                   const session_paths_ends *ends, GError **error);

/* The proxy of path `index`, when `middlebox.mode` asks for one: its end in each direction into `ends`, whose elements path_element_free()
 * frees, after the paths. False, and `ends` stay as they are: it asks for none. */
bool session_paths_proxy(const configuration *c, uint32_t index, path_box *ends[SIDES]);

#endif
