/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim plot draws the pictures of a run's folder or of a sweep's store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_trace.h"
#include "scenario/scenario_problem.h"
#include "study/plot/study_plot.h"

/* This is what of a run's folder can be drawn; a store's kinds are study_plot.h's. */
static const char *const run_kinds[] = {"occupancy",   "distribution", "delays",    "completion", "slowdown",
                                        "utilisation", "queues",       TRACE_PLOTS, NULL};
static const char *const trace_kinds[] = {TRACE_PLOTS, NULL};

enum { PIPE_COLUMNS = 80 };

/* This is what was chosen: texts as they were given, and what they mean to the plots. */
static struct {
  char *what; /* NULL: what fits */
  char *metric, *x, *series, *panel;
  char *width, *height, *font_size, *x_range, *y_range, *from, *to;
  char *out, *format, *exclude;
  plot_request request; /* its title, condition and scales are options' */
  gboolean force;
  guint exclude_flags;
  result_quantity quantity;
  int connection; /* G_MININT: none */
} chosen = {.connection = G_MININT};

/* Returns whether a trace is drawn, or, of a folder, one that is made for it. */
static gboolean is_trace_plot(void)
{
  return chosen.what != NULL && g_strv_contains(trace_kinds, chosen.what);
}

static gboolean is_map_of_ports(const char *what)
{
  return strcmp(what, "utilisation") == 0 || strcmp(what, "queues") == 0;
}

/* --- Usage --- */

/* Returns whether `name`, given with `option`, is one of `known`; else FALSE and `error`, which has these,
 * and the nearest. */
static gboolean is_known(const char *option, const char *name, const char *const *known, GError **error)
{
  if (g_strv_contains(known, name)) {
    return TRUE;
  }
  g_autofree char *all = g_strjoinv(", ", (char **)known);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, known));
  return cli_usage_error(error, "%s %s: there is none of that name; expected %s%s", option, name, all, hint);
}

/* Returns whether what is drawn takes the options that were given; else FALSE and `error`. */
static gboolean check_what(gboolean is_folder, GError **error)
{
#define NAME(plot) (plot).name,
  const char *const store_kinds[] = {STUDY_PLOTS(NAME) TRACE_PLOTS, NULL};
#undef NAME
  const char *const *known = is_folder ? run_kinds : store_kinds;
  if (chosen.what != NULL && !is_known("--what", chosen.what, known, error)) {
    return FALSE;
  }
  gboolean over_trace = is_trace_plot(), of_run = is_folder || over_trace;
  const study_plot *plot = of_run || chosen.what == NULL ? NULL : study_plot_find(chosen.what);
  const char *what = chosen.what != NULL ? chosen.what
                     : is_folder         ? run_kinds[0]
                                         : "peak or another of a STORE";
  gboolean takes_keys = !of_run && (plot == NULL || plot->takes_keys),
           takes_axes = plot != &plot_heat_map && !is_map_of_ports(what);
  gboolean over_time = over_trace || (is_folder && strcmp(what, run_kinds[0]) == 0);
  gboolean takes_scales = takes_axes && !over_time, takes_times = over_time && chosen.x_range == NULL;
  const struct {
    const char *name;
    gboolean given, fits, of_stores;
  } options[] = {
      {"--leave-out", chosen.exclude != NULL, !of_run, TRUE},
      {"--where", chosen.request.where != NULL, !of_run, TRUE},
      {"--metric", chosen.metric != NULL, takes_keys, TRUE},
      {"--x", chosen.x != NULL, takes_keys, TRUE},
      {"--series", chosen.series != NULL, takes_keys, TRUE},
      {"--panel", chosen.panel != NULL, takes_keys, TRUE},
      {"--from", chosen.from != NULL, takes_times, FALSE},
      {"--to", chosen.to != NULL, takes_times, FALSE},
      {"--connection", chosen.request.connection != NULL, over_trace && strcmp(what, "queue") != 0, FALSE},
      {"--port", chosen.request.port != NULL, over_trace && strcmp(what, "queue") == 0, FALSE},
      {"--xrange", chosen.x_range != NULL, takes_axes, FALSE},
      {"--yrange", chosen.y_range != NULL, takes_axes, FALSE},
      {"--xlog", chosen.request.x_log, takes_scales, FALSE},
      {"--ylog", chosen.request.y_log, takes_scales, FALSE}};
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
    if (options[i].given && !options[i].fits) {
      return cli_usage_error(error,
                             of_run && options[i].of_stores ? "%s goes with a STORE, not with a run's %s"
                                                            : "%s does not go with --what %s",
                             options[i].name, what);
    }
  }
  return TRUE;
}

/* Reads what needs no runs. */
static gboolean read_shape(gnuplot_format format, GError **error)
{
  plot_request *request = &chosen.request;
  g_autofree char *times =
      g_strconcat(chosen.from != NULL ? chosen.from : "", ":", chosen.to != NULL ? chosen.to : "", NULL);
  if (chosen.metric != NULL) {
    request->quantity = &chosen.quantity;
  }
  return (chosen.width == NULL || plot_request_read_length(chosen.width, format, &request->width, error)) &&
         (chosen.height == NULL ||
          plot_request_read_length(chosen.height, format, &request->height, error)) &&
         (chosen.font_size == NULL ||
          plot_request_read_font(chosen.font_size, &request->font_points, error)) &&
         (chosen.x_range == NULL || plot_request_read_range(chosen.x_range, &request->x_range, error)) &&
         (chosen.y_range == NULL || plot_request_read_range(chosen.y_range, &request->y_range, error)) &&
         (strcmp(times, ":") == 0 || plot_request_read_range(times, &request->x_range, error)) &&
         (chosen.metric == NULL || result_quantity_read(chosen.metric, &chosen.quantity, error));
}

/* Returns the keys that `text`, given with `option`, names, which vary in `table`; NULL for a `text` of NULL,
 * and when it sets `error`. Free with g_array_unref(). */
static GArray *read_keys(const char *option, const char *text, const study_table *table, GError **error)
{
  g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  if (text == NULL || *error != NULL) {
    return NULL;
  }
  if (!plot_request_read_keys(text, table->runs, table->axes, keys, error)) {
    g_prefix_error(error, "%s: ", option);
    return NULL;
  }
  return g_steal_pointer(&keys);
}

/* --- Drawing --- */

/* A flat line may be what was asked for, or a metric that this study has no use of. */
static void note_constant(const study_table *table)
{
  statistics all = result_quantity_statistics(&chosen.quantity, table->runs);
  if (chosen.metric != NULL && all.count > 1 && all.smallest == all.largest) {
    g_autofree char *unit = result_quantity_unit(&chosen.quantity);
    plain_text_print(stderr, "iwarpsim plot: %s never varies: it is %g%s%s in all %u runs\n", chosen.metric,
                     all.mean, strcmp(unit, "1") == 0 ? "" : " ", strcmp(unit, "1") == 0 ? "" : unit,
                     (guint)all.count);
  }
}

static gboolean plot_store(const char *path, const gnuplot_target *target, GError **error)
{
  plot_request *request = &chosen.request;
  g_autoptr(study_table) table = cli_read_table(path, chosen.exclude_flags, error);
  if (table == NULL ||
      (request->where != NULL && !study_table_select(table, request->where, "iwarpsim plot", error))) {
    return FALSE;
  }
  g_autoptr(GArray) x = read_keys("--x", chosen.x, table, error);
  g_autoptr(GArray) series = read_keys("--series", chosen.series, table, error);
  g_autoptr(GArray) panels = read_keys("--panel", chosen.panel, table, error);
  if (*error != NULL ||
      (chosen.metric != NULL && !result_quantity_known(&chosen.quantity, table->runs, error))) {
    return FALSE;
  }
  request->x = x != NULL ? (const scenario_key *)x->data : NULL;
  request->series = series;
  request->panels = panels;
  if (x != NULL && x->len > 1) {
    return error_set(error, "--x %s: expected one key, such as %s", chosen.x,
                     study_keys_name(*request->x, table->axes));
  }
  gboolean of_keys = x != NULL || series != NULL || panels != NULL;
  const char *what = chosen.what != NULL     ? chosen.what
                     : chosen.metric != NULL ? plot_metric.name
                     : of_keys               ? plot_peak.name
                                             : NULL;
  g_autoptr(GPtrArray) plots = what == NULL ? study_plots_for(table) : g_ptr_array_new();
  if (what != NULL) {
    g_ptr_array_add(plots, (gpointer)study_plot_find(what));
  }
  if (plots->len == 0) {
    return error_set(error, "nothing to draw: the runs vary no key beside run.seed");
  }
  note_constant(table);
  const gboolean of_all =
      plots->pdata[0] == &plot_completion || plots->pdata[0] == &plot_slowdown; /* hosts */
  g_autofree char *hosts = of_all ? g_strdup("") : study_table_hosts(table);
  if (*hosts != '\0') {
    plain_text_print(stderr, "iwarpsim plot: %s\n", hosts);
  }
  g_autofree char *stem = file_stem(path, ".sqlite");
  gboolean good = target->format == GNUPLOT_TERM || cli_make_folder(target->folder, 2, error);
  g_autoptr(GString) left_out = g_string_new(NULL);
  g_autoptr(GError) first = NULL;
  guint drawn = 0;
  for (guint i = 0; good && i < plots->len; i++) {
    const study_plot *plot = g_ptr_array_index(plots, i);
    g_autoptr(GError) reason = NULL;
    if (drawn > 0 && target->format == GNUPLOT_TERM) {
      plain_text_print(stdout, "\n");
    }
    good = study_plot_draw(table, plot, request, stem, target, &reason);
    drawn += good;
    if (!good && (what != NULL || reason->domain != IWARPSIM_ERROR)) {
      g_propagate_error(error, g_steal_pointer(&reason));
    } else if (!good) {
      g_string_append_printf(left_out, "iwarpsim plot: %s is left out: %s\n", plot->name, reason->message);
      first = first != NULL ? first : g_steal_pointer(&reason);
      good = TRUE;
    }
  }
  if (good && drawn == 0) {
    g_propagate_error(error, g_steal_pointer(&first));
  } else {
    plain_text_print_page(stderr, left_out->str);
  }
  return good && drawn > 0;
}

/* Plots of a folder are called after what they show, those of a trace after the trace, too. */
static gboolean plot_run(const cli_arguments *arguments, gboolean is_folder, const gnuplot_target *target,
                         GError **error)
{
  const char *path = arguments->rest[0], *what = chosen.what != NULL ? chosen.what : run_kinds[0];
  if (target->format != GNUPLOT_TERM && !cli_make_folder(target->folder, 2, error)) {
    return FALSE;
  }
  const study_plot *of_messages = strcmp(what, plot_completion.name) == 0 ? &plot_completion
                                  : strcmp(what, plot_slowdown.name) == 0 ? &plot_slowdown
                                                                          : NULL;
  if (of_messages != NULL) {
    return study_plot_draw_run(path, of_messages, &chosen.request, target, error);
  }
  if (!is_trace_plot()) {
    return strcmp(what, run_kinds[0]) == 0 ? plot_occupancy(path, &chosen.request, target, error)
           : is_map_of_ports(what)
               ? plot_ports_of_run(path, strcmp(what, "queues") == 0, &chosen.request, target, error)
               : plot_distribution_of_run(path, strcmp(what, "delays") == 0, &chosen.request, target, error);
  }
  g_autofree char *name = file_stem(path, ".trace");
  g_autofree char *titled = g_strconcat(is_folder ? "" : name, is_folder ? "" : "-", what, NULL);
  g_autofree char *stem = gnuplot_file_stem(titled);
  FILE *file = cli_run_trace_open(path, arguments, CLI_COST_EXPLAINED, NULL, error);
  const gboolean good = file != NULL && plot_trace(file, path, what, &chosen.request, stem, target, error);
  g_clear_pointer(&file, fclose);
  return good;
}

static int plot(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0], *format = chosen.format != NULL ? chosen.format : "png";
  gboolean is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
  g_autofree char *beside = is_folder ? g_strdup(path) : g_path_get_dirname(path);
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  gnuplot_target target = {.folder = chosen.out != NULL ? chosen.out : beside,
                           .written = written,
                           .screen = terminal_of(stdout),
                           .force = chosen.force};
  if (chosen.what == NULL && file_kind_of(path) == FILE_TRACE) {
    chosen.what = g_strdup(trace_kinds[0]);
  }
  chosen.request.connection = chosen.connection != G_MININT ? &chosen.connection : NULL;
  if (!cli_parse_exclude(chosen.exclude, &chosen.exclude_flags, error) ||
      !is_known("--format", format, gnuplot_format_names, error) || !check_what(is_folder, error)) {
    return CLI_USAGE;
  }
  while (strcmp(gnuplot_format_names[target.format], format) != 0) {
    target.format++;
  }
  if (!target.screen.shows) { /* a file or a pipe: as wide as the narrowest terminal it may come to */
    target.screen.columns = PIPE_COLUMNS;
  }
  if (!read_shape(target.format, error)) {
    cli_usage_of(error, "");
    return CLI_USAGE;
  }
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", path, g_strerror(ENOENT));
  } else {
    (void)(is_folder || is_trace_plot() ? plot_run(arguments, is_folder, &target, error)
                                        : plot_store(path, &target, error));
  }
  for (guint i = 0; i < written->len && !arguments->quiet; i++) {
    plain_text_print(stdout, "%s\n", (const char *)g_ptr_array_index(written, i));
  }
  return *error == NULL ? CLI_OK : CLI_USAGE;
}

/* Returns "PLOTS of a STORE", a kind a line. Free with g_free(). */
static char *summary_of_kinds(void)
{
  GString *text = g_string_new(
      "Draws what a sweep's STORE varies, or the run in DIR or TRACE; leaves the gnuplot script and data "
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
      "  delays        share of the payload that waits longer than x\n"
      "  completion    share of the messages that are complete within x\n"
      "  slowdown      median and p99 of the slowdown of messages, by their size\n"
      "  utilisation   how busy each port of a graph's switches was, as a map\n"
      "  queues        the most that the queue of each port held, as a map\n"
      "Plots of a DIR, whose scenario is then run again, or of a TRACE (run --trace):\n"
      "  sequence      the stream of a connection: sent, lost, arrived, acknowledged (default of a TRACE)\n"
      "  window        cwnd, ssthresh and what is in flight\n"
      "  queue         the octets that wait for a link, or at a port of a graph\n\n"
      "They are drawn by templates for gnuplot (scripts/plots, installed in share/iwarpsim/plots). To "
      "change these, copy the folder, and name the copy in the environment variable IWARPSIM_PLOTS.");
  return g_string_free(text, FALSE);
}

static const GOptionEntry entries[] = {
    CLI_TEXT("what", 'w', &chosen.what, "the plot to draw (default: what fits)", "NAME"),
    CLI_TEXT("metric", 'm', &chosen.metric, "the metric, share A/B or quantile that is drawn", "NAME"),
    CLI_TEXT("where", 0, &chosen.request.where, "only runs whose keys meet it: 'path.forward.mtu = 1500'",
             "EXPR"),
    CLI_TEXT("x", 'x', &chosen.x, "the key on the x axis", "KEY"),
    CLI_TEXT("series", 0, &chosen.series, "keys of the lines; receiver: what makes the kind of one",
             "KEY,KEY..."),
    CLI_TEXT("panel", 0, &chosen.panel, "keys of the panels", "KEY,KEY..."),
    CLI_TEXT("title", 0, &chosen.request.title,
             "the title (default: what is drawn, over what, where); '': no heading at all", "TEXT"),
    CLI_TEXT("width", 0, &chosen.width,
             "width of the page: 8.5cm, 85mm, 3.5in, 1200px; letters in a terminal", "SIZE"),
    CLI_TEXT("height", 0, &chosen.height, "height of the page", "SIZE"),
    CLI_TEXT("font-size", 0, &chosen.font_size, "size of letters, in points (default: 8.64)", "PT"),
    CLI_SWITCH("xlog", 0, &chosen.request.x_log, "a logarithmic x axis"),
    CLI_SWITCH("ylog", 0, &chosen.request.y_log, "a logarithmic y axis"),
    CLI_TEXT("from", 0, &chosen.from, "over time: from this time on, such as 700us", "TIME"),
    CLI_TEXT("to", 0, &chosen.to, "over time: up to this time", "TIME"),
    CLI_NUMBER("connection", 0, &chosen.connection,
               "the connection, from 0 (default: the one with most payload)"),
    CLI_TEXT("port", 0, &chosen.request.port,
             "of a queue: the port of a graph, such as s0:3 (default: the one with the longest queue)",
             "NODE:N"),
    CLI_TEXT("xrange", 0, &chosen.x_range, "the part of the x axis: 0:64KiB, 1us:1ms, 0.1%:1%, 10:", "A:B"),
    CLI_TEXT("yrange", 0, &chosen.y_range, "the part of the y axis", "A:B"),
    CLI_TEXT("out", 'o', &chosen.out, "folder for the plots (default: beside what is plotted)", "DIR"),
    CLI_TEXT("format", 0, &chosen.format, "png, svg, pdf, or term: in the terminal (default: png)", "FORMAT"),
    CLI_SWITCH("force", 'f', &chosen.force, "replace a script that was changed since it was written"),
    CLI_EXCLUDE(&chosen.exclude),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_plot = {
    .name = "plot",
    .sentence = "draw the plots of a sweep or of a run",
    .arguments = "STORE|DIR|TRACE",
    .takes = FILE_STORE | FILE_RUN_FOLDER | FILE_TRACE,
    .summary_of = summary_of_kinds,
    .example =
        "  iwarpsim plot results/mtu-loss.sqlite\n"
        "  iwarpsim plot results/mtu-loss.sqlite --metric goodput_bit_per_s --format term\n"
        "  iwarpsim plot results/mtu-loss.sqlite --where 'path.forward.mtu = 1500' --x path.forward.loss "
        "--series receiver --width 8.5cm --format pdf\n"
        "  iwarpsim plot results/one-loss-markers --what distribution --format svg\n"
        "  iwarpsim plot results/one-loss-markers --what sequence --from 700us --to 900us\n",
    .entries = entries,
    .run = plot,
};
