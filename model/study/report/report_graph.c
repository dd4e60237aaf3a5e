/* SPDX-License-Identifier: GPL-2.0-only */
/* This shows what hosts and ports did in runs of a graph: the hosts that held most, the ports that dropped
 * most, and how busy each port was. */
#include <string.h>

#include "base/error.h"
#include "base/html.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/report/report_page.h"
#include "study/table/shown_number.h"
#include "summary/summary.h"

enum { COLUMNS_MAX = 12, SHOWN_MAX = 16 };

/* Only a Data Sink holds and is delivered something, and only a Data Source sends something again. */
static const report_table
    of_hosts =
        {1, 2, SHOWN_MAX, "Hosts by their peak of reassembly occupancy",
         "host=host,buffer.reassembly_peak_octets=peak occupancy,buffer.reassembly_p99.9_octets=p99.9 "
         "occupancy,"
         "segments_refused=segments refused,delivery.octets=delivered,retransmissions=segments sent again"},
    of_ports = {
        3, 7, SHOWN_MAX,
        "Ports of switches by the packets that they dropped or lost, then by the p99.9 of their queue",
        "switch=switch,port=port,to=to,dropped_port_packets=packets over the port's limit,"
        "dropped_threshold_packets=over the threshold,dropped_buffer_packets=over the buffer,"
        "lost_link_packets=lost with the link,queue_p99.9_octets=p99.9 queue,queue_peak_octets=peak queue,"
        "utilisation=utilisation"};

typedef struct graph_row {
  double weight;
  char **fields; /* the table's */
} graph_row;

static gint by_most(gconstpointer a, gconstpointer b)
{
  const double more = ((const graph_row *)b)->weight - ((const graph_row *)a)->weight;
  return (more > 0) - (more < 0);
}

void report_append_table(const report_table *shown, const run_table *table, GString *html)
{
  g_auto(GStrv) columns = g_strsplit_set(shown->columns, "=,", -1);
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(graph_row));
  g_autoptr(GString) head = g_string_new(NULL), body = g_string_new(NULL);
  guint places[COLUMNS_MAX] = {
      0}; /* of what is left out, as quantiles of too few messages, the place has no field */
  for (guint k = 0; table != NULL && columns[2 * k] != NULL; k++) {
    gboolean has_text = FALSE; /* of some row */
    places[k] = run_table_column(table, columns[2 * k]);
    for (guint i = 0; i < table->rows->len && places[k] < table->count; i++) {
      has_text = has_text || *((char **)g_ptr_array_index(table->rows, i))[places[k]] != '\0';
    }
    places[k] = has_text ? places[k] : table->count;
    if (places[k] < table->count) {
      html_append(head, k < shown->texts ? "<th>%s</th>" : "<th class=\"number\">%s</th>",
                  columns[2 * k + 1]);
    }
  }
  for (guint i = 0; table != NULL && i < table->rows->len; i++) {
    graph_row row = {.fields = g_ptr_array_index(table->rows, i)};
    const char *last = row.fields[places[shown->texts - 1]];
    for (guint k = shown->texts; k <= shown->then_by; k++) { /* no queue has 10^12 octets */
      const char *field = row.fields[places[k]];
      row.weight += (k < shown->then_by ? 1e12 : 1) * (field != NULL ? g_ascii_strtod(field, NULL) : 0);
    }
    g_array_append_vals(rows, &row, last != NULL && *last != '\0');
  }
  g_array_sort(rows, by_most);
  const guint most = shown->most > 0 ? MIN(rows->len, shown->most) : rows->len;
  for (guint r = 0; r < most; r++) {
    g_string_append(body, "<tr>");
    for (guint k = 0; columns[2 * k] != NULL; k++) {
      const char *field = g_array_index(rows, graph_row, r).fields[places[k]];
      if (field != NULL) {
        static const char *const scaled[] = {"octets", "s", "1", NULL}; /* of others the heading has it */
        const char *unit = run_table_unit(columns[2 * k]);
        g_autofree char *cell =
            *field == '\0' || k < shown->texts
                ? g_strdup(field)
                : shown_amount(g_ascii_strtod(field, NULL), g_strv_contains(scaled, unit) ? unit : "");
        html_append(body, k < shown->texts ? "<th scope=\"row\">%s</th>" : "<td class=\"number\">%s</td>",
                    cell);
      }
    }
    g_string_append(body, "</tr>\n");
  }
  if (rows->len > 0) {
    g_autofree char *caption =
        shown->most > 0 ? g_strdup_printf("%s: the first %u of %u.", shown->caption, most, rows->len)
                        : g_strdup(shown->caption);
    html_append_table(html, caption, "", head->str, body->str);
  }
}

/* --- Runs --- */

typedef struct port_map {
  const run_table *ports;
  const char *subtitle;
} port_map;

static gboolean draw_map(G_GNUC_UNUSED const report_page *report, const void *of, const plot_request *request,
                         const gnuplot_target *target, GError **error)
{
  const port_map *map = of;
  return plot_ports(map->ports, map->subtitle, FALSE, request, target, error);
}

static void append_run(report_page *report, const study_run *run)
{
  g_autoptr(run_table) hosts = run_results_table(&run->results, "host"),
                       ports = run_results_table(&run->results, "switch");
  g_autofree char *words = plot_place_words(report->table, report->keys, run->keys);
  g_autofree char *place = g_strdup_printf("%s%sseed %s", words, *words != '\0' ? ", " : "", run->seed);
  html_append(report->html, "<details%s><summary>hosts and ports%s: %s</summary>\n",
              report->run != NULL ? " open" : "", report->run != NULL ? "" : " where it held most", place);
  report_append_table(&of_hosts, hosts, report->html);
  report_append_table(&of_ports, ports, report->html);
  if (ports != NULL) {
    report_append_figure(report, "map", draw_map, &(const port_map){ports, place});
  }
  g_string_append(report->html, "</details>\n");
}

/* A path's table is of messages alone. */
static gboolean is_of_graph(const study_run *run)
{
  return strcmp(run->keys[SCENARIO_TOPOLOGY_KIND], "path") != 0;
}

void report_append_graph(report_page *report)
{
  enum { PEAK = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS };
  static const scenario_key of_receivers[] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS};
  g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_array_append_vals(keys, of_receivers, G_N_ELEMENTS(of_receivers));
  g_autoptr(GArray) kinds = study_table_points(report->table->runs, keys);
  for (guint i = 0; i < kinds->len && report->run == NULL; i++) {
    const GPtrArray *runs = g_array_index(kinds, study_point, i).runs;
    const study_run *fullest = NULL;
    for (guint r = 0; r < runs->len; r++) {
      const study_run *run = g_ptr_array_index(runs, r);
      if (is_of_graph(run) && run->results.tables != NULL &&
          (fullest == NULL || run->results.metrics.value[PEAK] > fullest->results.metrics.value[PEAK])) {
        fullest = run;
      }
    }
    if (fullest != NULL) {
      append_run(report, fullest);
    }
  }
  if (report->run != NULL && is_of_graph(report->run)) {
    append_run(report, report->run);
  }
}

const study_run *report_run_of_folder(const GPtrArray *runs, const html_report_options *options,
                                      GError **error)
{
  g_autofree char *json = g_build_filename(options->run, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(json, error);
  g_autoptr(GPtrArray) left = g_ptr_array_new();
  const study_run *last = NULL;
  g_ptr_array_extend(left, (GPtrArray *)runs, NULL, NULL);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT && record != NULL; key++) {
    const gboolean counts = key != SCENARIO_TITLE && key != SCENARIO_MEASURE_SERIES &&
                            key != SCENARIO_MEASURE_HOSTS; /* these change no more than files */
    for (guint i = left->len; i-- > 0 && counts && record->keys[key] != NULL;) {
      last = g_ptr_array_index(left, i);
      if (strcmp(record->keys[key], study_run_text(last, key)) != 0) {
        g_ptr_array_remove_index(left, i);
      }
    }
    if (left->len == 0 && last != NULL) {
      error_set(error,
                "--run %s: no run in %s has its settings: %s is '%s', not '%s'; expected a run of the store",
                options->run, options->store, scenario_key_row_of(key)->name, record->keys[key],
                study_run_text(last, key));
      return NULL;
    }
  }
  last = record != NULL ? g_ptr_array_index(left, 0) : NULL;
  if (last != NULL && last->results.tables == NULL) {
    error_set(
        error,
        "--run %s: %s has neither hosts and ports of it nor times of its messages; expected a run of a graph "
        "(topology.kind), or one whose messages were timed",
        options->run, options->store);
    last = NULL;
  }
  return last;
}
