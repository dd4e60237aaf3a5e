/* SPDX-License-Identifier: GPL-2.0-only */
/* The plots that fit the sweep, drawn as SVG, as pictures in the page. */
#include <string.h>

#include "study/plot/study_plot.h"
#include "study/report/html_report_private.h"
#include "study/report/html_text.h"

/* The page's pixels for one of the picture: 1600, as wide as plots get, fill the text's width, and text has one size in all plots. */
#define PIXELS_PER_PIXEL 0.68

/* For browsers without DejaVu Sans, which gnuplot names alone. */
static const char picture_style[] = "<style>text{font-family:'DejaVu Sans',Verdana,'Segoe "
                                    "UI',system-ui,sans-serif}image{image-rendering:pixelated}</style>";

/* Appends `svg`, a file that gnuplot wrote, called `name` to those who do not see it. In an <img> a browser runs no script of a picture
 * and fetches nothing for it (HTML, 4.8.3; SVG Integration, secure static mode): it can stay as it is. FALSE: it does not say its size. */
static gboolean append_picture(GString *html, const char *svg, const char *name)
{
  static const char box[] = "viewBox=\"0 0 ";
  const char *root = strstr(svg, "<svg");
  const char *size = root != NULL ? strstr(root, box) : NULL;
  const char *inside = size != NULL ? strchr(size, '>') : NULL;
  double width = inside != NULL ? g_ascii_strtod(size + strlen(box), NULL) : 0;
  if (!(width > 0)) {
    return FALSE;
  }
  g_autoptr(GString) styled = g_string_new_len(svg, inside + 1 - svg);
  g_string_append_printf(styled, "%s%s", picture_style, inside + 1);
  g_autofree char *octets = g_base64_encode((const guchar *)styled->str, styled->len);
  g_string_append_printf(html, "<img width=\"%.0f\" alt=\"", width * PIXELS_PER_PIXEL);
  html_text_append(html, name);
  g_string_append_printf(html, "\" src=\"data:image/svg+xml;base64,%s\">\n", octets);
  return TRUE;
}

static gboolean append_figure(html_report *report, study_plot_kind kind, guint number, GError **error)
{
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  const gnuplot_target target = {.folder = report->folder, .format = GNUPLOT_SVG, .written = written};
  const study_plot *row = study_plot_of(kind);
  g_autofree char *svg = NULL;
  if (!study_plot_draw(report->table, kind, METRIC_GOODPUT_BIT_PER_S, "figure", &target, error) ||
      !g_file_get_contents(g_ptr_array_index(written, written->len - 1), &svg, NULL, error)) {
    return FALSE;
  }
  g_autofree char *name =
      g_strdup_printf("Figure %u. %c%s.", number, g_ascii_toupper(*row->sentence), row->sentence + 1);
  g_string_append_printf(report->html, "<figure id=\"figure-%u\">\n", number);
  g_string_append(report->html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
  html_text_append(report->html, name);
  g_string_append(report->html, "\">\n");
  if (!append_picture(report->html, svg, name)) {
    g_set_error(error, GNUPLOT_ERROR, GNUPLOT_ERROR_FAILED, "plot %s: gnuplot drew no SVG with a viewBox",
                row->name);
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
