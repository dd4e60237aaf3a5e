/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `random`: forwards the same octets cut at random places. */
#include "network/path_middleboxes.h"

#include "network/path_recut.h"

typedef struct path_random_cut {
  path_recut recut;
  uint32_t min_octets;
  uint32_t max_octets;
  random_stream *random;
} path_random_cut;

static int64_t piece_end(path_recut *recut, path_recut_flow *flow, int64_t from)
{
  const path_random_cut *box = (const path_random_cut *)recut;
  uint64_t lengths = (uint64_t)box->max_octets - box->min_octets + 1;

  (void)flow;
  return from + box->min_octets + (int64_t)random_stream_below(box->random, lengths);
}

static int64_t passing_piece_end(path_recut *recut, path_recut_flow *flow, int64_t from, int64_t segment_from)
{
  (void)segment_from;
  return piece_end(recut, flow, from);
}

static const path_element_class random_cut_class = {.name = "random",
                                                    .receive = path_recut_receive,
                                                    .deadline = path_box_deadline,
                                                    .run = path_recut_run,
                                                    .free = path_recut_free};

static const path_recut_kind random_cut_kind = {.class = &random_cut_class,
                                                .flow_octets = sizeof(path_recut_flow),
                                                .free_flow = path_recut_free_flow,
                                                .piece_end = piece_end,
                                                .passing_piece_end = passing_piece_end};

/* As path_recut.h says, the length of each piece drawn uniformly from random_minimum_octets to random_maximum_octets (0 < the least <= the most),
 * when it begins. A flush, PSH or FIN makes the last one shorter; behind it a new piece begins.
 *
 * A retransmission passes at once and is cut anew: its pieces are drawn from its own first octet on,
 * whatever the cuts of the first time were, and the last one ends where it does.
 *
 * That the links behind can carry the most octets is
 * the caller's business. */
path_element *path_random_cut_new(const path_middleboxes_config *config, random_stream *random)
{
  g_assert(config->random_minimum_octets > 0 &&
           config->random_minimum_octets <= config->random_maximum_octets);
  path_random_cut *box = g_new0(path_random_cut, 1);

  path_recut_init(&box->recut, &random_cut_kind, config->flush_ps);
  box->min_octets = config->random_minimum_octets;
  box->max_octets = config->random_maximum_octets;
  box->random = random;
  return &box->recut.box.element;
}
