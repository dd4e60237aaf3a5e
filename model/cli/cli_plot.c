/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim plot: the pictures of a run's folder or of a sweep's store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_exclude.h"
#include "scenario/scenario_problem.h"
#include "study/plot/study_plot.h"

/* What of a run's folder can be drawn; a store's kinds are study_plot.h's. */
static const char *const run_kinds[] = {"occupancy", "distribution", "delays", NULL};

/* What was asked for. */
typedef struct plot_request {
  const char *path;
  const char *what;   /* NULL: what fits */
  const char *metric; /* NULL: not given */
  guint exclude;
  gnuplot_target target;
} plot_request;

/* A store's name without its folder and ".sqlite": what its plots are called after. */
static char *store_stem(const char *path)
{
  char *stem = g_path_get_basename(path);
  if (g_str_has_suffix(stem, ".sqlite")) {
    stem[strlen(stem) - strlen(".sqlite")] = '\0';
  }
  return stem;
}

/* Usage. */

static int unknown_name(const char *option, const char *name, const char *const *known, const char *see)
{
  const char *nearest = scenario_suggest(name, known);
  if (nearest != NULL) {
    return cli_usage_error("plot", "%s %s: there is none of that name; did you mean %s?", option, name,
                           nearest);
  }
  return cli_usage_error("plot", "%s %s: there is none of that name; expected %s", option, name, see);
}

static int check_run_kind(const char *what)
{
  g_autofree char *all = g_strjoinv(", ", (char **)run_kinds);
  return what == NULL || g_strv_contains(run_kinds, what) ? CLI_OK
                                                          : unknown_name("--what", what, run_kinds, all);
}

static int check_store_kind(const char *what)
{
  const char *names[STUDY_PLOT_KINDS + 1] = {NULL};
  for (study_plot_kind kind = 0; kind < STUDY_PLOT_KINDS; kind++) {
    names[kind] = study_plot_of(kind)->name;
  }
  g_autofree char *all = g_strjoinv(", ", (char **)names);
  return what == NULL || study_plot_find(what) < STUDY_PLOT_KINDS ? CLI_OK
                                                                  : unknown_name("--what", what, names, all);
}

static int check_metric(const plot_request *request, gboolean is_folder)
{
  if (request->metric == NULL) {
    return CLI_OK;
  }
  if (is_folder || (request->what != NULL && strcmp(request->what, "metric") != 0)) {
    return cli_usage_error("plot", "--metric goes with a STORE and --what metric");
  }
  const char *names[METRIC_COUNT + 1] = {NULL};
  for (metric_id metric = 0; metric < METRIC_COUNT; metric++) {
    names[metric] = metric_row_of(metric)->name;
  }
  return metric_find(request->metric) < METRIC_COUNT
             ? CLI_OK
             : unknown_name("--metric", request->metric, names, "one that 'iwarpsim explain metrics' lists");
}

static int check_request(const plot_request *request, gboolean is_folder)
{
  if (is_folder && request->exclude != 0) {
    return cli_usage_error("plot", "--leave-out goes with a STORE, not with the folder of one run");
  }
  int status = is_folder ? check_run_kind(request->what) : check_store_kind(request->what);
  return status == CLI_OK ? check_metric(request, is_folder) : status;
}

/* Drawing. */

static gboolean plot_kinds(const study_table *table, const GArray *kinds, metric_id metric, const char *stem,
                           const gnuplot_target *target, GError **error)
{
  for (guint i = 0; i < kinds->len; i++) {
    if (i > 0 && target->format == GNUPLOT_TERM) {
      plain_text_print(stdout, "\n");
    }
    if (!study_plot_draw(table, g_array_index(kinds, study_plot_kind, i), metric, stem, target, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static GArray *kinds_of(const plot_request *request, const study_table *table)
{
  if (request->what == NULL && request->metric == NULL) {
    return study_plot_kinds_for(table);
  }
  GArray *kinds = g_array_new(FALSE, FALSE, sizeof(study_plot_kind));
  study_plot_kind kind = request->what != NULL ? study_plot_find(request->what) : STUDY_PLOT_METRIC;
  g_array_append_val(kinds, kind);
  return kinds;
}

static gboolean make_target_folder(const gnuplot_target *target, GError **error)
{
  return target->format == GNUPLOT_TERM || cli_make_folder(target->folder, error);
}

static gboolean plot_store(const plot_request *request, GError **error)
{
  result_store *store = result_store_open(request->path, RESULT_STORE_READ, error);
  if (store == NULL) {
    return FALSE;
  }
  study_table *table = study_table_read(store, request->exclude, error);
  result_store_close(store);
  if (table == NULL) {
    return FALSE;
  }
  g_autofree char *stem = store_stem(request->path);
  g_autoptr(GArray) kinds = kinds_of(request, table);
  metric_id metric =
      request->metric != NULL ? metric_find(request->metric) : METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS;
  gboolean good = make_target_folder(&request->target, error) &&
                  plot_kinds(table, kinds, metric, stem, &request->target, error);
  study_table_free(table);
  return good;
}

static gboolean plot_run(const plot_request *request, GError **error)
{
  if (!make_target_folder(&request->target, error)) {
    return FALSE;
  }
  if (request->what == NULL || strcmp(request->what, "occupancy") == 0) {
    return plot_occupancy(request->path, &request->target, error);
  }
  return plot_distribution_of_run(request->path, strcmp(request->what, "delays") == 0, &request->target,
                                  error);
}

static int plot(plot_request *request, const char *out, gboolean quiet)
{
  GError *error = NULL;
  gboolean is_folder = g_file_test(request->path, G_FILE_TEST_IS_DIR);
  g_autofree char *beside = is_folder ? g_strdup(request->path) : g_path_get_dirname(request->path);
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  request->target.folder = out != NULL ? out : beside;
  request->target.written = written;
  int status = check_request(request, is_folder);
  if (status != CLI_OK) {
    return status;
  }
  if (!g_file_test(request->path, G_FILE_TEST_EXISTS)) {
    g_set_error(&error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", request->path, g_strerror(ENOENT));
  } else {
    (void)(is_folder ? plot_run(request, &error) : plot_store(request, &error));
  }
  for (guint i = 0; i < written->len && !quiet; i++) {
    plain_text_print(stdout, "%s\n", (const char *)g_ptr_array_index(written, i));
  }
  return error == NULL ? CLI_OK : cli_fail(error);
}

/* Reads --format; a terminal's picture is as large as the terminal. */
static int set_format(const char *format, gnuplot_target *target)
{
  static const char *const names[] = {"png", "svg", "term", NULL};
  static const gnuplot_format formats[] = {GNUPLOT_PNG, GNUPLOT_SVG, GNUPLOT_TERM};
  for (gsize i = 0; names[i] != NULL; i++) {
    if (strcmp(format, names[i]) == 0) {
      target->format = formats[i];
    }
  }
  if (!g_strv_contains(names, format)) {
    return unknown_name("--format", format, names, "png, svg or term");
  }
  const terminal shown = terminal_of(stdout);
  target->colours = shown.colours;
  target->columns = shown.columns;
  target->rows = shown.rows;
  return CLI_OK;
}

/* "PLOTS of a STORE", a kind a line. Free with g_free(). */
static char *summary_of_kinds(void)
{
  GString *text =
      g_string_new("Draws what a sweep's STORE varies, or the run in DIR; leaves the gnuplot script and data "
                   "beside each plot and prints the files' names.\n\nPlots (--what) of a STORE, by default "
                   "what fits what it varies:\n");
  for (study_plot_kind kind = 0; kind < STUDY_PLOT_KINDS; kind++) {
    const study_plot *row = study_plot_of(kind);
    g_string_append_printf(text, "  %-12s  %s\n", row->name, row->sentence);
  }
  g_string_append(
      text,
      "Plots of a DIR:\n"
      "  occupancy     what the RNIC holds over time, by cause (default)\n"
      "  distribution  share of the time with a reassembly occupancy above x\n"
      "  delays        share of the payload that waits longer than x\n\n"
      "What draws them are templates for gnuplot (scripts/plots, installed in share/iwarpsim/plots): a\n"
      "changed copy of that folder draws instead when IWARPSIM_PLOTS of the environment names it.");
  return g_string_free(text, FALSE);
}

int cli_plot(int argc, char **argv)
{
  char *out = NULL, *format = NULL, *what = NULL, *metric = NULL, *exclude = NULL;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"what", 'w', 0, G_OPTION_ARG_FILENAME, &what, "the plot to draw (default: what fits)", "NAME"},
      {"metric", 'm', 0, G_OPTION_ARG_FILENAME, &metric, "the metric that --what metric draws", "NAME"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "folder for the plots (default: beside what is plotted)",
       "DIR"},
      {"format", 0, 0, G_OPTION_ARG_FILENAME, &format, "png, svg, or term: in the terminal (default: png)",
       "FORMAT"},
      {"leave-out", 0, 0, G_OPTION_ARG_FILENAME, &exclude, CLI_EXCLUDE_SENTENCE, CLI_EXCLUDE_VALUE},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  g_autofree char *kinds = summary_of_kinds();
  const cli_usage usage = {
      .arguments = "STORE|DIR",
      .operand = "STORE or DIR",
      .summary = kinds,
      .example = "  iwarpsim plot results/mtu-loss.sqlite\n"
                 "  iwarpsim plot results/mtu-loss.sqlite --metric goodput_bit_per_s --format term\n"
                 "  iwarpsim plot results/one-loss-markers --what distribution --format svg\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    plot_request request = {.what = what, .metric = metric};
    status = cli_exclude_parse("plot", exclude, &request.exclude);
    if (status == CLI_OK) {
      status = set_format(format != NULL ? format : "png", &request.target);
    }
    if (status == CLI_OK) {
      request.path = arguments.rest[0];
      status = plot(&request, out, arguments.quiet);
    }
  }
  cli_free(entries, &arguments);
  return status;
}
