/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace shows of the peak of the reassembly occupancy: which segments were missing, why, what waited
 * after them and for what. */
#pragma once

#include "explain/held_peak.h"
#include "explain/prose.h"

/* What the sentences need of the scenario. */
typedef struct explained_run {
  gboolean in_order;   /* receiver.mode is in-order … */
  gboolean assumes;    /* … or assume-aligned */
  guint64 cell_octets; /* receiver.cell, at least 1 */
} explained_run;

/* Reads `reader`, a new one of the trace that `peak` was found in, and adds the sentences to `to`. FALSE and
 * `error` when the trace is damaged. */
gboolean explain_peak(trace_reader *reader, const explained_run *run, const held_peak *peak, prose *to,
                      GError **error);
