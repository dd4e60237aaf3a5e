/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the peak of the reassembly occupancy in a trace, as occupancy.h counts it. */
#pragma once

#include <stdbool.h>

#include "trace/trace_reader.h"

/* As the event `held` has them; processing is not part of the reassembly occupancy. */
enum { PEAK_INCOMPLETE, PEAK_UNLOCATED, PEAK_ORDER, PEAK_FRAGMENT, PEAK_CAUSES };

/* What one connection holds. */
typedef struct peak_holder {
  uint32_t connection;
  enum side sink;
  guint64 causes[PEAK_CAUSES]; /* in whole cells */
  guint64 octets;              /* of all of them */
  guint64 partial_fpdus;
} peak_holder;

typedef struct held_peak {
  bool measured;       /* the window that is measured was open at some time */
  guint64 octets;      /* 0: nothing was held in it */
  time_ps at;          /* when they were first reached */
  guint64 events;      /* `held` of the trace, up to the peak */
  guint holders;       /* connections that held something then */
  peak_holder fullest; /* the connection that held most of it, the first of them */
} held_peak;

/* Reads `reader` from its first event to its end. FALSE and `error` when the trace is damaged. */
gboolean held_peak_find(trace_reader *reader, guint64 cell_octets, held_peak *peak, GError **error);

/* Reads another one of the same trace up to the peak, and fills in who held it. */
gboolean held_peak_find_holders(trace_reader *reader, guint64 cell_octets, held_peak *peak, GError **error);
