/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `rechunk`: forwards the same octets cut on a fixed grid (definitions.md,
 * `rechunk`). */
#include "network/path_middleboxes.h"

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

/* As path_recut.h says, pieces ending at phase + k * chunk, positions counted from the octet after the
 * SYN. chunk_octets > 0; a phase of a chunk or more is taken modulo chunk. Cuts depend on time by the flush
 * only; the rest of a piece that was flushed is a piece up to the same line.
 *
 * A retransmission passes at once, cut on the same grid: its pieces are those of the first time, but for
 * the first and the last, which end where it does.
 *
 * A piece is as long as the chunk, up to: that the links behind can carry it is the caller's business. */
path_element *path_rechunk_new(const path_middleboxes_config *config, random_stream *random)
{
  (void)random;
  g_assert(config->chunk_octets > 0);
  path_rechunk *box = g_new0(path_rechunk, 1);

  path_recut_init(&box->recut, &rechunk_kind, config->flush_ps);
  box->chunk = config->chunk_octets;
  box->phase = config->phase_octets % config->chunk_octets;
  box->line = box->phase;
  return &box->recut.box.element;
}
