/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_figures.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/report/report_cells.h"

/* The page's pixels for one of the picture: plots are at most 2102 wide, and their text, 36 high, has one
 * size in all, a little above the page's. */
#define PIXELS_PER_PIXEL 0.5

/* For browsers without DejaVu Sans, which gnuplot names alone. */
static const char picture_style[] = "<style>text{font-family:'DejaVu Sans',Verdana,'Segoe "
                                    "UI',system-ui,sans-serif}image{image-rendering:pixelated}</style>";

/* Where the smallest and the largest value are: " The medians lie between 1.4 KiB
 * (CURVE, 0) and 146 KiB (CURVE, 1%)."; nothing of shares, which lie between 0 and 1. */
static char *range_of(const plot_values *values, const shown_scale *scale)
{
  const plot_value *least = NULL, *most = NULL;
  for (guint i = 0; i < values->all->len; i++) {
    const plot_value *value = &g_array_index(values->all, plot_value, i);
    if (value->of.count == 0) {
      continue;
    }
    least = least == NULL || value->of.mean < least->of.mean ? value : least;
    most = most == NULL || value->of.mean > most->of.mean ? value : most;
  }
  if (least == NULL || least->of.mean == most->of.mean || strcmp(values->name, "share") == 0) {
    return g_strdup("");
  }
  g_autofree char *from = shown_number_text(least->of.mean, scale),
                  *to = shown_number_text(most->of.mean, scale);
  return g_strdup_printf(" The %ss lie between %s %s (%s%s%s) and %s %s (%s%s%s).", values->name, from,
                         scale->unit, least->curve, *least->curve != '\0' ? ", " : "", least->place, to,
                         scale->unit, most->curve, *most->curve != '\0' ? ", " : "", most->place);
}

/* What the plot shows, closed until it is opened. */
static void append_values(report_page *report, const plot_values *values, const shown_scale *scale,
                          guint number)
{
  const text_column curve = {"curve", TEXT_COLUMN_HEADING, NULL},
                    place = {values->place, TEXT_COLUMN_HEADING, NULL};
  gboolean named = FALSE, counted = strcmp(values->name, "share") != 0;
  for (guint i = 0; i < values->all->len; i++) {
    named = named || *g_array_index(values->all, plot_value, i).curve != '\0';
  }
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  g_array_append_vals(columns, &curve, named ? 1 : 0);
  g_array_append_val(columns, place);
  if (counted) {
    report_add_count_columns(columns, "runs");
  }
  report_add_mean_column(columns, values->name, scale, values->unit);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < values->all->len; i++) {
    const plot_value *value = &g_array_index(values->all, plot_value, i);
    if (named) {
      g_ptr_array_add(cells, g_strdup(value->curve));
    }
    g_ptr_array_add(cells, g_strdup(value->place));
    if (counted) {
      report_add_counts(cells, value->of.count, value->flagged);
    }
    statistics of = value->of;
    of.count = MAX(of.count, 1);
    report_add_mean(cells, report, &of, scale);
  }
  g_autofree char *name = g_strdup_printf("figure-%u", number);
  g_autofree char *caption = g_strdup_printf("What Figure %u shows.", number);
  g_string_append(report->figures, "<details><summary>Values</summary>\n");
  html_append_table(report->figures, name, caption, (const text_column *)columns->data, columns->len, cells);
  g_string_append(report->figures, "</details>\n");
}

/* Adds the plot. In an <img> a browser runs no script of a picture and fetches nothing for it
 * (HTML, 4.8.3; SVG Integration, secure static mode): what gnuplot wrote can stay as it is. */
static gboolean add_figure(report_page *report, const study_plot *plot, guint number, GError **error)
{
  static const char box[] = "viewBox=\"0 0 ";
  g_autofree char *svg = NULL;
  const gnuplot_target target = {.format = GNUPLOT_SVG, .picture = &svg};
  g_autoptr(plot_values) values = plot_values_new();
  const plot_request request = {.values = values};
  if (!study_plot_draw(report->table, plot, &request, "figure", &target, error)) {
    return FALSE;
  }
  const char *root = strstr(svg, "<svg");
  const char *size = root != NULL ? strstr(root, box) : NULL;
  const char *inside = size != NULL ? strchr(size, '>') : NULL;
  double width = inside != NULL ? g_ascii_strtod(size + strlen(box), NULL) : 0;
  if (!(width > 0)) {
    return error_set(error, "plot %s: gnuplot drew no SVG with a viewBox", plot->name);
  }
  g_autoptr(GString) styled = g_string_new_len(svg, inside + 1 - svg);
  g_string_append_printf(styled, "%s%s", picture_style, inside + 1);
  g_autofree char *octets = g_base64_encode((const guchar *)styled->str, styled->len);
  double largest = 0;
  for (guint i = 0; i < values->all->len; i++) {
    largest = MAX(largest, fabs(g_array_index(values->all, plot_value, i).of.mean));
  }
  const shown_scale scale = shown_scale_for(values->unit, largest);
  g_autofree char *name = g_strdup_printf("Figure %u. %s.", number, values->title);
  g_autofree char *range = range_of(values, &scale);
  html_append(report->figures,
              "<figure id=\"figure-%u\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
              "aria-label=\"%s\">\n<img width=\"%u\" alt=\"%s\" src=\"data:image/svg+xml;base64,%s\">\n"
              "</div>\n<figcaption>%s%s</figcaption>\n",
              number, name, (guint)round(width * PIXELS_PER_PIXEL), name, octets, name, range);
  append_values(report, values, &scale, number);
  g_string_append(report->figures, "</figure>\n");
  return TRUE;
}

gboolean report_draw(report_page *report, GError **error)
{
  g_autoptr(GPtrArray) plots = study_plots_for(report->table);
  gboolean good = TRUE;
  for (guint i = 0; good && i < plots->len; i++) {
    good = add_figure(report, g_ptr_array_index(plots, i), ++report->figure_count, error);
  }
  return good;
}
