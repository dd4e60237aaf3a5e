/* SPDX-License-Identifier: GPL-2.0-only */
/* What a plot shows, as numbers: for a table beside it. */
#pragma once

#include <glib.h>

#include "study/statistics/statistics.h"

typedef struct plot_value {
  const char *curve; /* its panel, quantity and line: "in-order receiver: peak: MTU 1500 octets" */
  const char *place; /* where on x, as it is written there */
  guint flagged;
  statistics of; /* count (of runs; 0: a formula), mean, lower and upper alone; see `name` */
} plot_value;

typedef struct plot_values {
  const char *title; /* what is drawn, over what, where */
  const char *place; /* what is on x: "path.forward.loss" */
  const char *name; /* what a mean is: "mean" (in its 95 % interval), "median" (between quartiles), "share" */
  const char *unit; /* as the table of metrics has it */
  GArray *all;      /* plot_value, curve by curve */
  GStringChunk *texts; /* of all */
} plot_values;

/* Nothing as yet. Free with plot_values_free(), which is NULL-safe. */
plot_values *plot_values_new(void);
void plot_values_free(plot_values *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(plot_values, plot_values_free)

/* These leave `values` that are NULL alone: nobody asked for them. Texts are copied, but
 * for `name`, which is static. */
void plot_values_describe(plot_values *values, const char *place, const char *name, const char *unit);
void plot_values_add(plot_values *values, const char *curve, const char *place, guint flagged, statistics of);
