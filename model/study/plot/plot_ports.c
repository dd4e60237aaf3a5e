/* SPDX-License-Identifier: GPL-2.0-only */
/* This plots the ports of a graph's switches, as a map: a row is a switch, a column a port. */
#include <math.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/study_plot.h"

/* A cell less wide than so many letters of the axes has no text, and a row of cells so many dots in print,
 * but for that all of them have at most 40 cm. */
enum { SHARE_LETTERS = 5, QUEUE_LETTERS = 9, ROW_DOTS = 120, LEAST_DOTS = 480, MOST_DOTS = 4724 };

static plot_axis new_axis(const char *name, double from)
{
  return (plot_axis){.name = g_strdup(name),
                     .unit_size = 1,
                     .from = from,
                     .tics = g_array_new(FALSE, FALSE, sizeof(double)),
                     .labels = g_ptr_array_new_with_free_func(g_free)};
}

/* Appends the `column` of each port of the table to the chart, whose y axis has the switches' names. */
static void append_ports(const run_table *ports, const char *column, plot_chart *chart, value_extent *extent)
{
  for (guint i = 0; i < ports->rows->len; i++) {
    const char *name = run_table_text(ports, i, "switch"), *number = run_table_text(ports, i, "port");
    const double port = g_ascii_strtod(number, NULL), place = chart->y.labels->len;
    if (*number == '\0') {
      continue; /* it is the switch's own */
    }
    if (port == 1) {
      g_ptr_array_add(chart->y.labels, g_strdup(name));
      g_array_append_val(chart->y.tics, place);
      plot_chart_add_curve(chart, 0, "row", chart->y.labels->len, name, "port runs value low high flagged");
    }
    const double value =
        round(g_ascii_strtod(run_table_text(ports, i, column), NULL) * 1e4) / 1e4; /* of a share 0.01 % */
    value_extent_add(extent, value, 0);
    g_string_append_printf(chart->data, "%.0f 1 %.10g nan nan 0\n", port, value);
    if (port > chart->x.labels->len) {
      g_array_append_val(chart->x.tics, port);
      g_ptr_array_add(chart->x.labels, g_strdup(number));
    }
  }
  chart->x.to = chart->x.labels->len + 0.5;
  chart->y.to = chart->y.labels->len - 0.5;
}

gboolean plot_ports(const run_table *ports, const char *subtitle, gboolean queues,
                    const plot_request *request, const gnuplot_target *target, GError **error)
{
  const char *what = queues ? "largest queue" : "utilisation";
  g_autofree char *title = g_strconcat(what, " of each port of the switches", NULL);
  g_auto(plot_chart) chart = plot_chart_new("heat-map", target, request, title, subtitle, what);
  value_extent extent = {0};
  chart.x = new_axis("port", 0.5);
  chart.y = new_axis("switch", -0.5);
  append_ports(ports, queues ? "queue_peak_octets" : what, &chart, &extent);
  if (chart.y.labels->len == 0) {
    return error_set(error, "ports.csv has no port; expected those of a run of a graph");
  }
  g_auto(plot_axis) shades = plot_axis_of_values(&extent, what, queues ? "octets" : "1",
                                                 queues ? VALUE_SCALE_LINEAR : VALUE_SCALE_SHARE);
  shades = plot_axis_limited(shades, queues ? &(const plot_range){0, 0} : &(const plot_range){0, 1});
  plot_axis_append(&shades, "cb", chart.variables);
  chart.panel_letters = (queues ? QUEUE_LETTERS : SHARE_LETTERS) * chart.x.labels->len;
  chart.panel_height = CLAMP(ROW_DOTS * chart.y.labels->len, LEAST_DOTS, MOST_DOTS);
  gnuplot_set_number(chart.variables, "cell_letters", queues ? QUEUE_LETTERS : SHARE_LETTERS);
  gnuplot_set_number(chart.variables, "octets", queues);
  chart.x_numeric = TRUE;
  chart.colour_box = target->format != GNUPLOT_TERM;
  return plot_chart_draw(&chart, queues ? "queues" : what, error);
}

gboolean plot_ports_of_run(const char *run_folder, gboolean queues, const plot_request *request,
                           const gnuplot_target *target, GError **error)
{
  g_autofree char *path = g_build_filename(run_folder, "ports.csv", NULL), *text = NULL;
  g_autofree char *of_run = g_build_filename(run_folder, "summary.json", NULL);
  g_autoptr(summary_record) run = summary_read_json(of_run, error);
  g_autofree char *subtitle = run != NULL ? plot_run_subtitle(run) : NULL;
  if (run == NULL || !g_file_get_contents(path, &text, NULL, error)) {
    return FALSE;
  }
  g_autoptr(run_table) ports = run_table_read(text);
  return plot_ports(ports, subtitle, queues, request, target, error);
}
