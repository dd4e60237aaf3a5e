/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_chart.h"

plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target, const char *title,
                          const char *subtitle, const char *quantity)
{
  plot_chart chart = {.template_name = template_name,
                      .target = target,
                      .title = title,
                      .subtitle = g_strdup(subtitle),
                      .panels = g_ptr_array_new_with_free_func(g_free),
                      .legend = g_ptr_array_new_with_free_func(g_free),
                      .looks = g_ptr_array_new_with_free_func(g_free),
                      .variables = g_string_new(NULL),
                      .data = g_string_new(NULL)};
  const char *const texts[] = {title, subtitle, quantity};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *comment = gnuplot_comment(texts[i]);
    g_string_append_printf(chart.data, "# %s\n", comment);
  }
  return chart;
}

void plot_chart_clear(plot_chart *chart)
{
  g_free(chart->subtitle);
  g_ptr_array_unref(chart->panels);
  g_ptr_array_unref(chart->legend);
  g_ptr_array_unref(chart->looks);
  plot_axis_clear(&chart->x);
  plot_axis_clear(&chart->y);
  g_string_free(chart->variables, TRUE);
  g_string_free(chart->data, TRUE);
}

void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text)
{
  g_ptr_array_add(chart->looks, g_strdup_printf("%s %u", look, style));
  g_ptr_array_add(chart->legend, g_strdup(text));
}

static plot_needs needs_of(const plot_chart *chart)
{
  plot_needs needs = chart->needs;
  needs.panels = MAX(chart->panels->len, 1);
  needs.title = chart->title;
  needs.subtitle = chart->subtitle;
  needs.legend_entries = chart->legend->len;
  for (guint i = 0; i < chart->legend->len; i++) {
    needs.legend_letters = MAX(needs.legend_letters, g_utf8_strlen(g_ptr_array_index(chart->legend, i), -1));
  }
  if (chart->places != NULL && chart->target->format != GNUPLOT_TERM) {
    plot_page page =
        plot_page_of(chart->target, &needs); /* how wide a panel is does not depend on what stands below it */
    needs.turned_letters = place_axis_turned_letters(chart->places, plot_page_panel_letters(&page));
  }
  return needs;
}

plot_page plot_chart_page(const plot_chart *chart)
{
  plot_needs needs = needs_of(chart);
  return plot_page_of(chart->target, &needs);
}

/* What has no room in the legend is counted in its last entry. */
static void cut_legend(plot_chart *chart, guint room)
{
  guint count = chart->legend->len;
  if (count > room) {
    g_ptr_array_set_size(chart->legend, (int)room - 1);
    g_ptr_array_set_size(chart->looks, (int)room - 1);
    g_autofree char *more = g_strdup_printf("and %u more", count - (room - 1));
    plot_chart_add_legend(chart, "none", 0, more);
  }
}

gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error)
{
  const plot_needs needs = needs_of(chart);
  const plot_page page = plot_page_of(chart->target, &needs);
  if (chart->places != NULL) {
    chart->x = place_axis_drawn(chart->places, plot_page_panel_letters(&page), needs.turned_letters > 0);
  }
  if (chart->panels->len == 0) {
    g_ptr_array_add(chart->panels, g_strdup(""));
  }
  cut_legend(chart, page.legend_rows * page.legend_columns);
  g_autoptr(GString) all = g_string_new(NULL);
  plot_page_append(&page, &needs, all);
  gnuplot_set_texts(all, "panel_title", chart->panels);
  plot_axis_append(&chart->x, "x", all);
  gnuplot_set_number(all, "x_turned", needs.turned_letters > 0);
  plot_axis_append(&chart->y, "y", all);
  gnuplot_set_texts(all, "legend_text", chart->legend);
  gnuplot_set_texts(all, "legend_look", chart->looks);
  g_string_append_len(all, chart->variables->str, (gssize)chart->variables->len);
  return gnuplot_draw(chart->template_name, all, chart->data, stem, chart->target, error);
}
