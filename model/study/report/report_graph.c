/* SPDX-License-Identifier: GPL-2.0-only */
/* This shows what `iwarpsim run --out` wrote of a graph: the hosts that held most, the ports that dropped
 * most. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/report/report_page.h"

enum { COLUMNS_MAX = 10, SHOWN_MAX = 16, HOSTS_ROLE = 1, HOSTS_RETRANSMISSIONS = 5 };

/* This is what the page has of `file`: `columns`, as its first line names them. The first `texts` are shown
 * as texts; a line without the last but one of these is left out. Rows are sorted by the sum of the columns
 * after these until `then_by`, then by that one, the largest first. */
typedef struct graph_table {
  guint texts, then_by;
  const char *file, *order, *columns;
} graph_table;

/* Instead of what a host was delivered, column HOSTS_ROLE, its role is shown: only a Data Sink has a number
 * there, and only a Data Source has one of retransmissions. */
static const graph_table tables[] = {
    {2, 3, "hosts.csv", "hosts by the peak of their reassembly occupancy; retransmissions in segments",
     "host,delivery.octets,buffer.reassembly_peak_octets,buffer.reassembly_p99.9_octets,segments_refused,"
     "retransmissions"},
    {3, 7, "ports.csv", "ports of switches by packets dropped or lost, then by the p99.9 of the queue",
     "switch,port,to,dropped_port_packets,dropped_threshold_packets,dropped_buffer_packets,"
     "lost_link_packets,queue_p99.9_octets,queue_peak_octets"}};

typedef struct graph_row {
  double sum, then_by;
  guint line;
} graph_row;

static gint by_most(gconstpointer a, gconstpointer b)
{
  const graph_row *one = a, *other = b;
  const double more = other->sum != one->sum ? other->sum - one->sum : other->then_by - one->then_by;
  return (more > 0) - (more < 0);
}

/* Reads the rows from `lines`, at least one, those of the file `path` and what follows its last line feed,
 * and the places of the columns in them. FALSE and `error`, with the line, when the file is not as a run
 * leaves it. */
static gboolean read_rows(const graph_table *table, char *const *columns, const char *path,
                          char *const *lines, guint *places, GArray *rows, GError **error)
{
  g_auto(GStrv) heads = g_strsplit(lines[0], ",", -1);
  const guint count = g_strv_length(heads), ends = g_strv_length((char **)lines) - 1;
  for (guint k = 0; columns[k] != NULL; k++) {
    for (places[k] = 0; places[k] < count && strcmp(heads[places[k]], columns[k]) != 0; places[k]++) {
    }
    if (places[k] == count) {
      return error_set(error, "%s:1: there is no %s; expected all of `iwarpsim explain columns`", path,
                       columns[k]);
    }
  }
  for (guint i = 1; i < ends || *lines[ends] != '\0'; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], ",", -1);
    gboolean good = i < ends && g_strv_length(fields) == count;
    graph_row row = {.line = i};
    for (guint k = table->texts; good && columns[k] != NULL; k++) {
      char *end = NULL;
      const double value = g_ascii_strtod(fields[places[k]], &end);
      good = *end == '\0' && isfinite(value);
      *(k < table->then_by ? &row.sum : &row.then_by) += k <= table->then_by ? value : 0;
    }
    if (!good) {
      return error_set(error, "%s:%u: it is cut, or no line of numbers; expected %u fields", path, i + 1,
                       count);
    }
    g_array_append_vals(rows, &row, *fields[places[table->texts - 2]] != '\0');
  }
  g_array_sort(rows, by_most);
  return TRUE;
}

void report_append_graph(report_page *report)
{
  g_autofree char *json = g_build_filename(report->options->run, "summary.json", NULL);
  g_autoptr(summary_record) record = report->error == NULL ? summary_read_json(json, &report->error) : NULL;
  for (const graph_table *table = tables; record != NULL && table < tables + G_N_ELEMENTS(tables); table++) {
    guint places[COLUMNS_MAX] = {0};
    g_auto(GStrv) columns = g_strsplit(table->columns, ",", -1), lines = NULL;
    g_autofree char *path = g_build_filename(report->options->run, table->file, NULL), *text = NULL;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(graph_row));
    if (!g_file_get_contents(path, &text, NULL, &report->error) || (table != tables && *text == '\0')) {
      return; /* a graph without a switch has no ports */
    }
    lines = g_strsplit(*text != '\0' ? text : "\n", "\n", -1);
    if (!read_rows(table, columns, path, lines, places, rows, &report->error)) {
      return;
    }
    g_autofree char *run = plot_run_subtitle(record);
    g_autofree char *caption = g_strdup_printf("%s: %s, the first %u of %u.", run, table->order,
                                               MIN(rows->len, SHOWN_MAX), rows->len);
    g_autoptr(GString) head = g_string_new(NULL), body = g_string_new(NULL);
    for (guint r = 0; r < MIN(rows->len, SHOWN_MAX); r++) {
      g_auto(GStrv) fields = g_strsplit(lines[g_array_index(rows, graph_row, r).line], ",", -1);
      g_string_append(body, "<tr>");
      for (guint k = 0; columns[k] != NULL; k++) {
        const gboolean is_role = table == tables && k == HOSTS_ROLE;
        const gboolean sends = is_role && *fields[places[HOSTS_RETRANSMISSIONS]] != '\0';
        const char *field = fields[places[k]];
        const char *role = *field == '\0' ? (sends ? "Data Source" : "none") : sends ? "both" : "Data Sink";
        html_append(body, k < table->texts ? "<th scope=\"row\">%s</th>" : "<td class=\"number\">%s</td>",
                    is_role ? role : field);
        if (r == 0) {
          const char *name = is_role ? "role" : g_strdelimit(columns[k], "_", ' ');
          html_append(head, k < table->texts ? "<th>%s</th>" : "<th class=\"number\">%s</th>",
                      g_str_has_prefix(name, "buffer.") ? name + strlen("buffer.") : name);
        }
      }
      g_string_append(body, "</tr>\n");
    }
    html_append_table(report->html, caption, "", head->str, body->str);
  }
}
