/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_placement_pipe.h"

#include <glib.h>

typedef struct waiting_ulpdu {
  mpa_ulpdu ulpdu; /* octets and parts point into this struct and to `parts` */
  buffer_chain octets;
  mpa_ulpdu_part *parts;
  time_ps due;
} waiting_ulpdu;

struct rnic_placement_pipe {
  time_ps latency_ps;
  GQueue waiting; /* of waiting_ulpdu, in the order they came */
  uint64_t octets;
  waiting_ulpdu *popped; /* what the last pop handed out */
};

static void waiting_ulpdu_free(gpointer data)
{
  waiting_ulpdu *waiting = data;

  if (waiting) {
    buffer_chain_clear(&waiting->octets);
    g_free(waiting->parts);
    g_free(waiting);
  }
}

rnic_placement_pipe *rnic_placement_pipe_new(time_ps latency_ps)
{
  g_assert(latency_ps > 0);
  rnic_placement_pipe *pipe = g_new0(rnic_placement_pipe, 1);
  pipe->latency_ps = latency_ps;
  return pipe;
}

void rnic_placement_pipe_free(rnic_placement_pipe *pipe)
{
  if (pipe) {
    g_queue_clear_full(&pipe->waiting, waiting_ulpdu_free);
    waiting_ulpdu_free(pipe->popped);
    g_free(pipe);
  }
}

G_GNUC_NO_INLINE void rnic_placement_pipe_push(rnic_placement_pipe *pipe, const mpa_ulpdu *ulpdu, time_ps now)
{
  waiting_ulpdu *waiting = g_new0(waiting_ulpdu, 1);

  buffer_chain_append_chain(&waiting->octets, ulpdu->octets, 0, ulpdu->octets->length);
  waiting->parts = g_memdup2(ulpdu->parts, ulpdu->part_count * sizeof *ulpdu->parts);
  waiting->ulpdu = *ulpdu;
  waiting->ulpdu.octets = &waiting->octets;
  waiting->ulpdu.parts = waiting->parts;
  waiting->due = now + pipe->latency_ps;
  g_queue_push_tail(&pipe->waiting, waiting);
  pipe->octets += ulpdu->fpdu_end - ulpdu->fpdu_start;
}

time_ps rnic_placement_pipe_deadline(const rnic_placement_pipe *pipe)
{
  const waiting_ulpdu *next = g_queue_peek_head((GQueue *)&pipe->waiting);

  return next ? next->due : TIME_PS_NEVER;
}

const mpa_ulpdu *rnic_placement_pipe_pop(rnic_placement_pipe *pipe, time_ps now)
{
  if (rnic_placement_pipe_deadline(pipe) > now) {
    return NULL;
  }
  waiting_ulpdu_free(pipe->popped);
  pipe->popped = g_queue_pop_head(&pipe->waiting);
  pipe->octets -= pipe->popped->ulpdu.fpdu_end - pipe->popped->ulpdu.fpdu_start;
  return &pipe->popped->ulpdu;
}

uint64_t rnic_placement_pipe_octets(const rnic_placement_pipe *pipe)
{
  return pipe->octets;
}
