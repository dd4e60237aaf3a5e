/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the list of all middleboxes: their names, the functions that make them, and the members that their
 * keys fill. */
#pragma once

#include "base/random_stream.h"
#include "base/settings.h"
#include "network/path_box.h"

/* BOX(id, word of middlebox.mode and of its random stream, the function that makes it, whether it may send
 * longer segments than come in, whether packets may leave it in another order than they came) */
#define PATH_MIDDLEBOXES(BOX)                                                                                \
  BOX(SPLIT, "split", path_split_new, false, false)                                                          \
  BOX(COALESCE, "coalesce", path_coalesce_new, true, false)                                                  \
  BOX(RECHUNK, "rechunk", path_rechunk_new, false, false)                                                    \
  BOX(SHIFT, "shift", path_shift_new, true, false)                                                           \
  BOX(RANDOM, "random", path_random_cut_new, false, false)

/* A proxy is none of them: it is the session's (network/path_proxy.h), and both directions have the same. */
typedef enum path_middlebox {
  PATH_MIDDLEBOX_NONE,
#define NUMBER(id, word, make, enlarges, reorders) PATH_MIDDLEBOX_##id,
  PATH_MIDDLEBOXES(NUMBER)
#undef NUMBER
      PATH_MIDDLEBOX_PROXY
} path_middlebox;

/* This is where the middleboxes of a direction stand: before its queue and link, after the first of several
 * links, after the impairments. */
typedef enum path_position {
  PATH_POSITION_BEFORE,
  PATH_POSITION_BETWEEN,
  PATH_POSITION_BEHIND
} path_position;

typedef struct path_middleboxes_config {
  choice_list mode; /* of path_middlebox, in the order that a packet meets them */
  path_position position;
  uint32_t chunk_octets;
  uint32_t phase_octets;
  time_ps flush_ps; /* of rechunk, shift and random */
  uint32_t split_octets;
  uint32_t coalesce_octets;
  time_ps coalesce_ps;
  uint32_t random_minimum_octets;
  uint32_t random_maximum_octets;
  uint32_t shift_octets;
  uint64_t proxy_buffer_octets;
  bool ignores_push; /* rechunk, shift, random and coalesce wait on after a segment with PSH */
} path_middleboxes_config;

/* Makes the box of its own members of `config`; what it does stands at the function. Those that cut the
 * stream anew are in path_resegment.c. `random` is for those that draw; it stays the caller's and
 * outlives the box, whose element path_element_free() frees. */
#define DECLARATION(id, word, make, enlarges, reorders)                                                      \
  path_box *make(const path_middleboxes_config *config, random_stream *random);
PATH_MIDDLEBOXES(DECLARATION)
#undef DECLARATION

typedef struct path_middlebox_row {
  const char *word;
  path_box *(*make)(const path_middleboxes_config *config, random_stream *random); /* see above */
  bool enlarges; /* may send longer segments than come in */
  bool reorders; /* may let packets leave in another order */
} path_middlebox_row;

/* Returns the row of a path_middlebox, one of PATH_MIDDLEBOXES; NULL: it is another one. */
const path_middlebox_row *path_middlebox_row_of(unsigned kind);

/* Returns whether one of them does. */
bool path_middleboxes_may_enlarge(const path_middleboxes_config *config);
bool path_middleboxes_may_reorder(const path_middleboxes_config *config);
