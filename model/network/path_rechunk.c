/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_rechunk.h"

#include "network/path_recut.h"

typedef struct path_rechunk {
  path_recut recut;
  int64_t chunk;
  int64_t phase;
  int64_t line; /* of the grid, asked for last: the next answer is mostly this or the line behind it */
} path_rechunk;

/* The first line of the grid beyond `from`. */
static int64_t piece_end(path_recut *recut, path_recut_flow *flow, int64_t from)
{
  path_rechunk *box = (path_rechunk *)recut;

  (void)flow;
  if (from < box->phase) {
    return box->phase;
  }
  if (from >= box->line && from - box->line < box->chunk) {
    box->line += box->chunk;
  } else if (from >= box->line || box->line - from > box->chunk) {
    box->line = box->phase + ((from - box->phase) / box->chunk + 1) * box->chunk;
  }
  return box->line;
}

static int64_t passing_piece_end(path_recut *recut, path_recut_flow *flow, int64_t from, int64_t segment_from)
{
  (void)segment_from;
  return piece_end(recut, flow, from);
}

static const path_element_class rechunk_class = {.name = "rechunk",
                                                 .receive = path_recut_receive,
                                                 .deadline = path_box_deadline,
                                                 .run = path_recut_run,
                                                 .free = path_recut_free};

static const path_recut_kind rechunk_kind = {.class = &rechunk_class,
                                             .flow_octets = sizeof(path_recut_flow),
                                             .free_flow = path_recut_free_flow,
                                             .piece_end = piece_end,
                                             .passing_piece_end = passing_piece_end};

path_element *path_rechunk_new(uint32_t chunk_octets, uint32_t phase_octets, time_ps flush_ps)
{
  g_assert(chunk_octets > 0);
  path_rechunk *box = g_new0(path_rechunk, 1);

  path_recut_init(&box->recut, &rechunk_kind, flush_ps);
  box->chunk = chunk_octets;
  box->phase = phase_octets % chunk_octets;
  box->line = box->phase;
  return &box->recut.box.element;
}
