/* SPDX-License-Identifier: GPL-2.0-only */
/* This is every plot of a study, once: what it is called, what it needs, how it is drawn. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/plot/gnuplot.h"
#include "study/plot/plot_chart.h"
#include "study/table/study_table.h"
#include "summary/summary.h"

typedef struct study_plot study_plot;
struct study_plot {
  const char *name;
  const char *sentence; /* for --help and documents */
  /* Whether `table` has what `plot` (this plot) needs. NULL: any table has. */
  gboolean (*has)(const study_table *table, const study_plot *plot);
  const char *needs; /* what that is, in words: "runs with …" */
  /* Draws `plot` (this plot) of a table that has what it needs, as "STEM.png" (or in the target's format).
   * FALSE and `error`: IWARPSIM_ERROR when it does not suit the table or the request, G_FILE_ERROR when that
   * fails. */
  gboolean (*draw)(const study_table *table, const study_plot *plot, const plot_request *request,
                   const char *stem, const gnuplot_target *target, GError **error);
  gboolean takes_keys; /* it draws a quantity over keys: --metric, --x, --series and --panel */
  const void *of;      /* distinguishes plots that share `has` and `draw`; static */
};

/* Every one is in a file of its own, or in plot_lines.c when it is a line chart. */
#define STUDY_PLOTS(PLOT)                                                                                    \
  PLOT(plot_peak)                                                                                            \
  PLOT(plot_heat_map)                                                                                        \
  PLOT(plot_distribution)                                                                                    \
  PLOT(plot_exceedance)                                                                                      \
  PLOT(plot_completion)                                                                                      \
  PLOT(plot_slowdown)                                                                                        \
  PLOT(plot_memory)                                                                                          \
  PLOT(plot_connections)                                                                                     \
  PLOT(plot_cuts)                                                                                            \
  PLOT(plot_delays)                                                                                          \
  PLOT(plot_metric)

#define DECLARATION(plot) extern const study_plot plot;
STUDY_PLOTS(DECLARATION)
#undef DECLARATION

/* These are all of them; NULL comes last. */
extern const study_plot *const study_plots[];

/* Returns the plot called `name`; NULL when there is none. */
const study_plot *study_plot_find(const char *name);

/* Returns whether `table` has what `plot` needs; `error` names what is missing when not. */
gboolean study_plot_fits(const study_table *table, const study_plot *plot, GError **error);

/* Returns the plots worth drawing for what the sweep varies, the most informative first; never empty for a
 * table with a varying key. Without one there is the distribution, if runs have one. An array of const
 * study_plot *; free with g_ptr_array_unref(). */
GPtrArray *study_plots_for(const study_table *table);

/* Draws `plot` as `request` asks for, as "STEM-NAME" (`stem` is made a safe file name); plot_metric's NAME is
 * the quantity's. FALSE and `error` on failure: IWARPSIM_ERROR when it does not suit the table or the
 * request, so that of several plots this one is left out; else G_FILE_ERROR. */
gboolean study_plot_draw(const study_table *table, const study_plot *plot, const plot_request *request,
                         const char *stem, const gnuplot_target *target, GError **error);

/* --- One run --- */

/* Draws the series `all` of `run_folder`/occupancy.csv, a step function stacked by cause, as "occupancy",
 * titled after `run_folder`/summary.json. Series of more steps than a page has dots are thinned, each
 * stretch keeping its first, highest and last state. FALSE and `error` (IWARPSIM_ERROR,
 * G_FILE_ERROR) on failure. */
gboolean plot_occupancy(const char *run_folder, const plot_request *request, const gnuplot_target *target,
                        GError **error);

/* Draws the distribution of the occupancy, or (`delays`) of both delays, of the run whose summary.json is in
 * `run_folder`, as "distribution.png" or "delays.png" (or in the target's format). FALSE and `error`
 * (IWARPSIM_ERROR, as when it has no samples, or G_FILE_ERROR) on failure. */
gboolean plot_distribution_of_run(const char *run_folder, gboolean delays, const plot_request *request,
                                  const gnuplot_target *target, GError **error);

/* Draws `plot` of the run in `run_folder` alone, under its own name. FALSE and `error` likewise. */
gboolean study_plot_draw_run(const char *run_folder, const study_plot *plot, const plot_request *request,
                             const gnuplot_target *target, GError **error);

/* Draws a map of the ports of switches, of a run's ports.csv: how busy each was, or (`queues`)
 * the most that its queue held, as "utilisation" or "queues", with `subtitle`. FALSE and `error`
 * (IWARPSIM_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_ports(const run_table *ports, const char *subtitle, gboolean queues,
                    const plot_request *request, const gnuplot_target *target, GError **error);

/* Draws that of the run in `run_folder`. */
gboolean plot_ports_of_run(const char *run_folder, gboolean queues, const plot_request *request,
                           const gnuplot_target *target, GError **error);

/* These are drawn of a trace. */
#define TRACE_PLOTS "sequence", "window", "queue"

/* Draws the plot `what`, one of these, of the trace in `file`, called `name` in errors, as
 * `stem`: of the connection and the time that `request` has, or of the one with most payload and of all of
 * the run; of links, the one with the longest queue. What lies on the same dots is drawn once. `file`, which
 * is read several times, stays the caller's. FALSE and `error` (IWARPSIM_ERROR, G_FILE_ERROR; not NULL here)
 * on failure. */
gboolean plot_trace(FILE *file, const char *name, const char *what, const plot_request *request,
                    const char *stem, const gnuplot_target *target, GError **error);

/* Returns the subtitle of a plot of `run` alone: scenario, seed, measured host, receiver, version. The
 * receiver is left out where hosts of a graph differ in it. Free with g_free(). */
char *plot_run_subtitle(const summary_record *run);
