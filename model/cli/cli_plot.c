/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim plot: the pictures of a run's folder or of a sweep's store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"
#include "study/plot/study_plot.h"

/* What of a run's folder can be drawn; a store's kinds are study_plot.h's. */
static const char *const run_kinds[] = {"occupancy", "distribution", "delays", NULL};

static struct {
  char *what; /* NULL: what fits */
  char *metric;
  char *out;
  char *format;
  char *exclude;
} chosen;

typedef struct plot_request {
  const char *path;
  guint exclude;
  gnuplot_target target;
} plot_request;

/* --- Usage --- */

/* Whether `name`, given with `option`, is one of `known`; else FALSE and `*status` after standard error has
 * the nearest, or `see`. */
static gboolean is_known(const char *option, const char *name, const char *const *known, const char *see,
                         int *status)
{
  if (g_strv_contains(known, name)) {
    return TRUE;
  }
  const char *nearest = scenario_suggest(name, known);
  *status = nearest != NULL ? cli_usage_error("plot", "%s %s: there is none of that name; did you mean %s?",
                                              option, name, nearest)
                            : cli_usage_error("plot", "%s %s: there is none of that name; expected %s",
                                              option, name, see);
  return FALSE;
}

static gboolean check_request(const plot_request *request, gboolean is_folder, int *status)
{
  if (is_folder && request->exclude != 0) {
    *status = cli_usage_error("plot", "--leave-out goes with a STORE, not with the folder of one run");
    return FALSE;
  }
  g_autoptr(GPtrArray) plots = g_ptr_array_new();
  const char *metrics[METRIC_COUNT + 1] = {NULL};
  for (const study_plot *const *plot = study_plots; *plot != NULL; plot++) {
    g_ptr_array_add(plots, (gpointer)(*plot)->name);
  }
  g_ptr_array_add(plots, NULL);
  for (metric_id metric = 0; metric < METRIC_COUNT; metric++) {
    metrics[metric] = metric_row_of(metric)->name;
  }
  const char *const *known = is_folder ? run_kinds : (const char *const *)plots->pdata;
  g_autofree char *all = g_strjoinv(", ", (char **)known);
  if (chosen.what != NULL && !is_known("--what", chosen.what, known, all, status)) {
    return FALSE;
  }
  if (chosen.metric == NULL) {
    return TRUE;
  }
  if (is_folder || (chosen.what != NULL && strcmp(chosen.what, "metric") != 0)) {
    *status = cli_usage_error("plot", "--metric goes with a STORE and --what metric");
    return FALSE;
  }
  return is_known("--metric", chosen.metric, metrics, "one that 'iwarpsim explain metrics' lists", status);
}

/* Reads --format; a terminal's picture is as large as the terminal. FALSE and `*status` when it is none. */
static gboolean read_format(const char *format, gnuplot_target *target, int *status)
{
  if (!is_known("--format", format, gnuplot_format_names, "png, svg or term", status)) {
    return FALSE;
  }
  while (strcmp(gnuplot_format_names[target->format], format) != 0) {
    target->format++;
  }
  target->screen = terminal_of(stdout);
  return TRUE;
}

/* --- Drawing --- */

static gboolean plot_store(const plot_request *request, GError **error)
{
  const gnuplot_target *target = &request->target;
  g_autoptr(study_table) table = cli_read_table(request->path, request->exclude, error);
  if (table == NULL) {
    return FALSE;
  }
  gboolean fitting = chosen.what == NULL && chosen.metric == NULL;
  g_autoptr(GPtrArray) plots = fitting ? study_plots_for(table) : g_ptr_array_new();
  if (!fitting) {
    g_ptr_array_add(plots, (gpointer)study_plot_find(chosen.what != NULL ? chosen.what : plot_metric.name));
  }
  metric_id metric =
      chosen.metric != NULL ? metric_find(chosen.metric) : METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS;
  /* Plots are called after the store, without its folder and ".sqlite". */
  g_autofree char *stem = g_path_get_basename(request->path);
  if (g_str_has_suffix(stem, ".sqlite")) {
    stem[strlen(stem) - strlen(".sqlite")] = '\0';
  }
  gboolean good = target->format == GNUPLOT_TERM || cli_make_folder(target->folder, error);
  for (guint i = 0; good && i < plots->len; i++) {
    if (i > 0 && target->format == GNUPLOT_TERM) {
      plain_text_print(stdout, "\n");
    }
    good = study_plot_draw(table, g_ptr_array_index(plots, i), metric, stem, target, error);
  }
  return good;
}

static gboolean plot_run(const plot_request *request, GError **error)
{
  const gnuplot_target *target = &request->target;
  const char *what = chosen.what != NULL ? chosen.what : "occupancy";
  if (target->format != GNUPLOT_TERM && !cli_make_folder(target->folder, error)) {
    return FALSE;
  }
  return strcmp(what, "occupancy") == 0
             ? plot_occupancy(request->path, target, error)
             : plot_distribution_of_run(request->path, strcmp(what, "delays") == 0, target, error);
}

static int plot(const cli_arguments *arguments)
{
  plot_request request = {.path = arguments->rest[0]};
  GError *error = NULL;
  gboolean is_folder = g_file_test(request.path, G_FILE_TEST_IS_DIR);
  g_autofree char *beside = is_folder ? g_strdup(request.path) : g_path_get_dirname(request.path);
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  int status;
  request.target.folder = chosen.out != NULL ? chosen.out : beside;
  request.target.written = written;
  if (!cli_parse_exclude("plot", chosen.exclude, &request.exclude, &status) ||
      !read_format(chosen.format != NULL ? chosen.format : "png", &request.target, &status) ||
      !check_request(&request, is_folder, &status)) {
    return status;
  }
  if (!g_file_test(request.path, G_FILE_TEST_EXISTS)) {
    g_set_error(&error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", request.path, g_strerror(ENOENT));
  } else {
    (void)(is_folder ? plot_run(&request, &error) : plot_store(&request, &error));
  }
  for (guint i = 0; i < written->len && !arguments->quiet; i++) {
    plain_text_print(stdout, "%s\n", (const char *)g_ptr_array_index(written, i));
  }
  return error == NULL ? CLI_OK : cli_fail(error);
}

/* "PLOTS of a STORE", a kind a line. Free with g_free(). */
static char *summary_of_kinds(void)
{
  GString *text =
      g_string_new("Draws what a sweep's STORE varies, or the run in DIR; leaves the gnuplot script and data "
                   "beside each plot and prints the files' names.\n\nPlots (--what) of a STORE, by default "
                   "what fits what it varies:\n");
  for (const study_plot *const *plot = study_plots; *plot != NULL; plot++) {
    g_string_append_printf(text, "  %-12s  %s\n", (*plot)->name, (*plot)->sentence);
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

static const GOptionEntry entries[] = {
    CLI_TEXT("what", 'w', &chosen.what, "the plot to draw (default: what fits)", "NAME"),
    CLI_TEXT("metric", 'm', &chosen.metric, "the metric that --what metric draws", "NAME"),
    CLI_TEXT("out", 'o', &chosen.out, "folder for the plots (default: beside what is plotted)", "DIR"),
    CLI_TEXT("format", 0, &chosen.format, "png, svg, or term: in the terminal (default: png)", "FORMAT"),
    CLI_EXCLUDE(&chosen.exclude),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_plot = {
    .name = "plot",
    .forms = "STORE|DIR",
    .sentence = "draw the plots of a sweep or of a run",
    .arguments = "STORE|DIR",
    .operand = "STORE or DIR",
    .summary_of = summary_of_kinds,
    .example = "  iwarpsim plot results/mtu-loss.sqlite\n"
               "  iwarpsim plot results/mtu-loss.sqlite --metric goodput_bit_per_s --format term\n"
               "  iwarpsim plot results/one-loss-markers --what distribution --format svg\n",
    .entries = entries,
    .run = plot,
};
