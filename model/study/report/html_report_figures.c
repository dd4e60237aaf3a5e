/* SPDX-License-Identifier: GPL-2.0-only */
/* The plots that fit the sweep, drawn as SVG and taken into the page. */
#include <string.h>

#include "study/plot/study_plot.h"
#include "study/report/html_report_private.h"
#include "study/report/html_svg.h"
#include "study/report/html_text.h"

/* The picture that was written, as text; NULL and `error` when it cannot be read. */
static char *read_picture(const GPtrArray *written, GError **error)
{
  char *svg = NULL;
  for (guint i = 0; i < written->len; i++) {
    const char *path = g_ptr_array_index(written, i);
    if (g_str_has_suffix(path, ".svg")) {
      (void)g_file_get_contents(path, &svg, NULL, error);
      return svg;
    }
  }
  g_set_error(error, GNUPLOT_ERROR, GNUPLOT_ERROR_FAILED, "gnuplot drew no SVG");
  return NULL;
}

static gboolean append_figure(html_report *report, study_plot_kind kind, guint number, GError **error)
{
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  const gnuplot_target target = {.folder = report->folder, .format = GNUPLOT_SVG, .written = written};
  const study_plot *row = study_plot_of(kind);
  if (!study_plot_draw(report->table, kind, METRIC_GOODPUT_BIT_PER_S, "figure", &target, error)) {
    return FALSE;
  }
  g_autofree char *svg = read_picture(written, error);
  if (svg == NULL) {
    return FALSE;
  }
  g_autofree char *prefix = g_strdup_printf("figure-%u-", number);
  g_autofree char *name =
      g_strdup_printf("Figure %u. %c%s.", number, g_ascii_toupper(*row->sentence), row->sentence + 1);
  g_string_append_printf(report->html, "<figure id=\"figure-%u\">\n", number);
  g_string_append(report->html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
  html_text_append(report->html, name);
  g_string_append(report->html, "\">\n");
  if (!html_svg_append(report->html, svg, prefix, name, error)) {
    g_prefix_error(error, "plot %s: ", row->name);
    return FALSE;
  }
  g_string_append(report->html, "</div>\n");
  html_text_append_element(report->html, "figcaption", NULL, name);
  g_string_append(report->html, "\n</figure>\n");
  return TRUE;
}

gboolean html_report_append_figures(html_report *report, GError **error)
{
  if (report->table == NULL) {
    return TRUE;
  }
  g_autoptr(GArray) kinds = study_plot_kinds_for(report->table);
  if (kinds->len == 0) {
    return TRUE;
  }
  html_report_begin_section(report, "plots", "Plots");
  for (guint i = 0; i < kinds->len; i++) {
    if (!append_figure(report, g_array_index(kinds, study_plot_kind, i), i + 1, error)) {
      return FALSE;
    }
  }
  g_string_append(report->html, "</section>\n");
  return TRUE;
}
