/* SPDX-License-Identifier: GPL-2.0-only */
#include "shim/ns3_tcp_arrivals.h"

#include <glib.h>

/* A run is octets of one segment; the first that came counts where two overlap, because it is first in
 * `runs`. */
typedef struct arrived_run {
  uint64_t from, to;
  time_ps arrival;
} arrived_run;

ns3_tcp_arrivals *ns3_tcp_arrivals_new(void)
{
  ns3_tcp_arrivals *arrivals = g_new0(ns3_tcp_arrivals, 1);

  arrivals->received = range_set_new();
  arrivals->runs = g_array_new(FALSE, FALSE, sizeof(arrived_run));
  return arrivals;
}

void ns3_tcp_arrivals_free(ns3_tcp_arrivals *arrivals)
{
  range_set_free(arrivals->received);
  g_array_unref(arrivals->runs);
  g_free(arrivals);
}

static const arrived_run *run_at(const ns3_tcp_arrivals *arrivals, guint index)
{
  return &g_array_index(arrivals->runs, arrived_run, index);
}

void ns3_tcp_arrivals_add(ns3_tcp_arrivals *arrivals, uint64_t from, uint64_t to, time_ps now)
{
  const arrived_run run = {.from = from, .to = to, .arrival = now};
  guint at = arrivals->runs->len;

  if (range_set_add(arrivals->received, from, to) == 0) {
    return;
  }
  while (at > 0 && run_at(arrivals, at - 1)->from > from) {
    at--;
  }
  g_array_insert_val(arrivals->runs, at, run);
}

uint64_t ns3_tcp_arrivals_first(const ns3_tcp_arrivals *arrivals, uint64_t position, uint64_t length,
                                time_ps now, time_ps *arrival)
{
  const arrived_run *run = arrivals->runs->len > 0 ? run_at(arrivals, 0) : NULL;

  *arrival = now;
  if (!run) {
    return length;
  }
  if (run->from > position) {
    return MIN(length, run->from - position);
  }
  *arrival = run->arrival;
  return MIN(length, run->to - position);
}

void ns3_tcp_arrivals_pass(ns3_tcp_arrivals *arrivals, uint64_t position)
{
  guint gone = 0;

  while (gone < arrivals->runs->len && run_at(arrivals, gone)->to <= position) {
    gone++;
  }
  if (gone > 0) {
    g_array_remove_range(arrivals->runs, 0, gone);
  }
  range_set_remove(arrivals->received, 0, position);
}
