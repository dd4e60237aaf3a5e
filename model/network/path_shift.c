/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `shift`: moves every boundary between segments by the same number of octets. */
#include "network/path_middleboxes.h"

#include "network/path_recut.h"

typedef struct shift_flow {
  path_recut_flow recut;
  element_array ends; /* of int64_t, ascending: where pieces end that no segment has reached yet */
} shift_flow;

typedef struct path_shift {
  path_recut recut;
  int64_t shift;
} path_shift;

static void begin(path_recut_flow *recut)
{
  shift_flow *flow = (shift_flow *)recut;

  if (flow->ends.element_octets > 0) { /* the ports are used again */
    element_array_clear(&flow->ends);
  }
  element_array_init(&flow->ends, sizeof(int64_t));
}

static void free_flow(gpointer flow)
{
  element_array_clear(&((shift_flow *)flow)->ends);
  path_recut_free_flow(flow);
}

static void note_new(path_recut *recut, path_recut_flow *flow, int64_t from)
{
  element_array *ends = &((shift_flow *)flow)->ends;

  *(int64_t *)element_array_insert(ends, ends->count) = from + ((const path_shift *)recut)->shift;
}

static int64_t piece_end(path_recut *recut, path_recut_flow *flow, int64_t from)
{
  element_array *ends = &((shift_flow *)flow)->ends;

  (void)recut;
  while (ends->count > 0 && *(int64_t *)element_array_at(ends, 0) <= from) {
    element_array_remove(ends, 0, 1);
  }
  return ends->count > 0 ? *(int64_t *)element_array_at(ends, 0) : PATH_RECUT_OPEN;
}

static int64_t passing_piece_end(path_recut *recut, path_recut_flow *flow, int64_t from, int64_t segment_from)
{
  int64_t end = segment_from + ((const path_shift *)recut)->shift;

  (void)flow;
  return end > from ? end : PATH_RECUT_OPEN;
}

static const path_element_class shift_class = {.name = "shift",
                                               .receive = path_recut_receive,
                                               .deadline = path_box_deadline,
                                               .run = path_recut_run,
                                               .free = path_recut_free};

static const path_recut_kind shift_kind = {.class = &shift_class,
                                           .flow_octets = sizeof(shift_flow),
                                           .free_flow = free_flow,
                                           .piece_end = piece_end,
                                           .passing_piece_end = passing_piece_end,
                                           .begin = begin,
                                           .note_new = note_new};

/* As path_recut.h says, a piece ending `shift_octets` (> 0) behind each place where a segment began, the
 * first of the stream included: so pieces are as long as the segments, but for the first, which is the
 * shift. The rest of a segment waits for the next one to bring its last octets; PSH, FIN and the flush end
 * a piece where the segment ends, and the next piece is short again. Segments shorter than the shift are
 * moved like others: several may wait.
 *
 * No piece is longer than the longer of the two segments it is of, when segments are at least as long as
 * the shift; the caller sees to it that the links behind can carry them.
 *
 * A retransmission passes at once. Its own first boundary is moved, its end is not, as nothing behind it
 * is there to fill up with: the box does not remember the boundaries of the first time. */
path_element *path_shift_new(const path_middleboxes_config *config, random_stream *random)
{
  (void)random;
  g_assert(config->shift_octets > 0);
  path_shift *box = g_new0(path_shift, 1);

  path_recut_init(&box->recut, &shift_kind, config->flush_ps);
  box->shift = config->shift_octets;
  return &box->recut.box.element;
}
