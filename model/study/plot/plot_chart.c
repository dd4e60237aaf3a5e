/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_chart.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "scenario/scenario_guess.h"
#include "study/table/study_keys.h"

#define MM_PER_INCH 25.4

/* This is what can be read, and what gnuplot draws in a second. */
enum { DOTS_MIN = 300, DOTS_MAX = 12000, LETTERS_MIN = 20, LETTERS_MAX = 1000 };

gboolean plot_request_read_length(const char *text, gnuplot_format format, double *dots, GError **error)
{
  const struct {
    const char *name;
    double dots;
  } units[] = {{"cm", PLOT_DOTS_PER_INCH * 10 / MM_PER_INCH},
               {"mm", PLOT_DOTS_PER_INCH / MM_PER_INCH},
               {"in", PLOT_DOTS_PER_INCH},
               {"px", format == GNUPLOT_SVG ? PLOT_DOTS_PER_INCH / 96 : 1}}; /* as CSS has it, and SVG */
  double number = NAN, size = 0;
  const char *end = units_read_real(text, &number), *unit = end != NULL ? end : "";
  if (format == GNUPLOT_TERM) {
    *dots = number;
    return (*unit == '\0' && number >= LETTERS_MIN && number <= LETTERS_MAX) ||
           error_set(error, "'%s' is no size of a plot in a terminal; expected %d to %d letters", text,
                     LETTERS_MIN, LETTERS_MAX);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    size = strcmp(unit, units[i].name) == 0 ? number * units[i].dots : size;
  }
  *dots = round(size);
  return (size >= DOTS_MIN && size <= DOTS_MAX) ||
         error_set(
             error,
             "'%s' is no size of a plot; expected one such as 8.5cm, 85mm, 3.5in or 1200px, 1 to 40 inches",
             text);
}

gboolean plot_request_read_font(const char *text, double *points, GError **error)
{
  const char *end = units_read_real(text, points);
  return (end != NULL && (*end == '\0' || strcmp(end, "pt") == 0) && *points >= 4 && *points <= 72) ||
         error_set(error, "'%s' is no size of letters; expected 4 to 72 points", text);
}

gboolean plot_request_read_range(const char *text, plot_range *range, GError **error)
{
  g_auto(GStrv) bounds = g_strsplit(text, ":", -1);
  *range = (plot_range){-INFINITY, INFINITY};
  if (g_strv_length(bounds) != 2 || strcmp(text, ":") == 0 ||
      (*bounds[0] != '\0' && !study_keys_read_number(bounds[0], &range->from)) ||
      (*bounds[1] != '\0' && !study_keys_read_number(bounds[1], &range->to))) {
    return error_set(error,
                     "'%s' is no range; expected A:B, such as 0:64KiB, 1us:1ms, 0.1%%:1%% or 10:", text);
  }
  return range->from < range->to ||
         error_set(error, "'%s' is no range: its end is not above its beginning", text);
}

/* Appends `key`, unless it is there; FALSE when all runs have the same value. */
static gboolean add_key(scenario_key key, const GPtrArray *runs, GArray *keys)
{
  g_autoptr(GPtrArray) values = study_keys_values(runs, key);
  g_array_append_vals(keys, &key, values->len > 1 && !study_keys_have(keys, key) ? 1 : 0);
  return values->len > 1;
}

/* "; expected one that varies: a, b" */
static gboolean refuse_key(const char *problem, const GPtrArray *runs, const char *axes, GError **error)
{
  g_autoptr(GArray) varying = study_keys_varying(runs, axes);
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < varying->len; i++) {
    g_string_append_printf(list, "%s%s", i > 0 ? ", " : "",
                           study_keys_name(g_array_index(varying, scenario_key, i), axes));
  }
  return error_set(error, "%s; expected %s%s", problem,
                   varying->len > 0 ? "one that varies: " : "runs of a sweep, which vary a key", list->str);
}

gboolean plot_request_read_keys(const char *text, const GPtrArray *runs, const char *axes, GArray *keys,
                                GError **error)
{
  g_auto(GStrv) names = g_strsplit(text, ",", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    const char *name = g_strstrip(names[i]);
    gboolean receiver = strcmp(name, "receiver") == 0;
    scenario_key key = receiver ? SCENARIO_RECEIVER_MODE : study_keys_find(name, axes);
    if (key == SCENARIO_KEY_COUNT) {
      g_autofree char *hint = scenario_key_hint(name);
      return error_set(error,
                       "unknown key '%s'; expected one that 'iwarpsim explain keys' lists, or receiver%s",
                       name, hint);
    }
    if (key == SCENARIO_RUN_SEED) {
      return refuse_key("run.seed is what runs are averaged over, no axis", runs, axes, error);
    }
    gboolean varies = add_key(key, runs, keys);
    varies = (receiver && add_key(SCENARIO_MPA_MARKERS, runs, keys)) || varies;
    if (!varies) {
      const char *only = ((const study_run *)g_ptr_array_index(runs, 0))->keys[key];
      g_autofree char *problem =
          g_strdup_printf("%s does not vary: it is %s in all runs", study_keys_name(key, axes),
                          *only != '\0' ? only : "unknown");
      return refuse_key(problem, runs, axes, error);
    }
  }
  return TRUE;
}

/* This is a letter of a terminal in dots: with the font below, what is laid out for a picture falls on whole
 * letters. */
enum { LETTER_WIDTH = 10, LETTER_HEIGHT = 25, LETTER_FONT = 13 };

/* gnuplot's point is 4/3 dots: 27 of them are 8.64 points in print. */
#define FONT_OF_POINTS (PLOT_DOTS_PER_INCH / 72 * 3 / 4)

/* This is a legend of more rows than a reader can use; in a terminal it takes a third at most. */
enum { LEGEND_ENTRIES_MAX = 40 };

plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target,
                          const plot_request *request, const char *what, const char *subtitle,
                          const char *quantity)
{
  char *title =
      request->title != NULL ? g_strdup(request->title) : g_strjoin(", where ", what, request->where, NULL);
  /* What is drawn begins with a capital letter, unless that is a name with dots. */
  if (request->title == NULL && strcspn(title, "._") >= strcspn(title, " ")) {
    *title = g_ascii_toupper(*title);
  }
  plot_chart chart = {.template_name = template_name,
                      .target = target,
                      .request = request,
                      .title = title,
                      .subtitle = g_strcmp0(request->title, "") == 0 ? "" : subtitle,
                      .legend = g_ptr_array_new_with_free_func(g_free),
                      .looks = g_ptr_array_new_with_free_func(g_free),
                      .variables = g_string_new(NULL),
                      .curves = g_ptr_array_new_with_free_func(g_free),
                      .data = g_string_new(NULL)};
  if (request->drawn_title != NULL) {
    *request->drawn_title = g_strdup(chart.title);
  }
  const char *const texts[] = {chart.title, subtitle, quantity};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *comment = gnuplot_comment(texts[i]);
    g_string_append_printf(chart.data, "# %s\n", comment);
  }
  return chart;
}

void plot_chart_clear(plot_chart *chart)
{
  g_free(chart->title);
  g_ptr_array_unref(chart->legend);
  g_ptr_array_unref(chart->looks);
  g_ptr_array_unref(chart->curves);
  plot_axis_clear(&chart->x);
  plot_axis_clear(&chart->y);
  g_string_free(chart->variables, TRUE);
  g_string_free(chart->data, TRUE);
}

void plot_chart_add_curve(plot_chart *chart, guint panel, const char *look, guint style, const char *name,
                          const char *columns)
{
  g_autofree char *comment = gnuplot_comment(name);
  g_string_append_printf(chart->data, "%s# %s\n# %s\n", chart->curves->len > 0 ? "\n\n" : "", comment,
                         columns);
  g_ptr_array_add(chart->curves, g_strdup_printf("%u %s %u", panel + 1, look, style));
}

void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text)
{
  g_ptr_array_add(chart->looks, g_strdup_printf("%s %u", look, style));
  g_ptr_array_add(chart->legend, g_strdup(text));
}

void plot_chart_add_lines_legend(plot_chart *chart, const GPtrArray *labels, const char *first,
                                 const char *second)
{
  const char *const looks[] = {second != NULL ? "first" : "only", "second"}, *const names[] = {first, second};
  gboolean pairs = second != NULL && chart->target->format == GNUPLOT_TERM;
  for (guint i = 0; i < labels->len; i++) {
    const char *label = g_ptr_array_index(labels, i);
    for (gsize k = 0; k < (pairs ? 2 : 1); k++) {
      g_autofree char *text =
          g_strconcat(label, pairs && *label != '\0' ? ", " : "", pairs ? names[k] : "", NULL);
      if (*text != '\0') {
        plot_chart_add_legend(chart, looks[k], i + 1, text);
      }
    }
  }
  for (gsize k = 0; k < 2 && second != NULL && !pairs; k++) {
    plot_chart_add_legend(chart, looks[k], 0, names[k]);
  }
}

/* Returns how many letters, across or down: as asked for, or as the screen has, if that is known. */
static double letters_of(double asked, guint screen, guint usual)
{
  return asked > 0 ? asked : screen > 0 ? screen : usual;
}

gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error)
{
  const plot_request *request = chart->request;
  gboolean letters = chart->target->format == GNUPLOT_TERM;
  double points = request->font_points > 0 ? request->font_points : PLOT_FONT_POINTS;
  double columns = letters_of(request->width, chart->target->screen.columns, TERMINAL_COLUMNS);
  double rows = letters_of(request->height, chart->target->screen.rows, TERMINAL_ROWS);
  const guint most = letters ? (guint)MAX(rows / 3, 2) : LEGEND_ENTRIES_MAX;
  if (chart->legend->len > most) {
    g_autofree char *more = g_strdup_printf("and %u more", chart->legend->len - (most - 1));
    g_ptr_array_set_size(chart->legend, (int)most - 1);
    g_ptr_array_set_size(chart->looks, (int)most - 1);
    plot_chart_add_legend(chart, "none", 0, more);
  }
  /* The size of the page, as far as it was asked for, and what stands on it. */
  const struct {
    const char *name;
    double number;
  } numbers[] = {{"width", letters ? columns * LETTER_WIDTH : request->width},
                 {"height", letters ? rows * LETTER_HEIGHT : request->height},
                 {"font", letters ? LETTER_FONT : round(points * FONT_OF_POINTS)},
                 {"colour_box", chart->colour_box},
                 {"panel_letters", chart->panel_letters},
                 {"print_height", chart->panel_height},
                 {"x_numeric", chart->x_numeric}};
  g_autoptr(GString) variables = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    gnuplot_set_number(variables, numbers[i].name, numbers[i].number);
  }
  gnuplot_set_text(variables, "title_text", chart->title);
  gnuplot_set_text(variables, "subtitle_text", chart->subtitle);
  g_autoptr(GPtrArray) untitled = g_ptr_array_new();
  g_ptr_array_add(untitled, (gpointer) "");
  gnuplot_set_texts(variables, "panel_title", chart->panels != NULL ? chart->panels : untitled);
  gnuplot_set_number(variables, "panels", chart->panels != NULL ? chart->panels->len : 1);
  plot_axis_append(&chart->x, "x", variables);
  plot_axis_append(&chart->y, "y", variables);
  gnuplot_set_texts(variables, "legend_text", chart->legend);
  gnuplot_set_texts(variables, "legend_look", chart->looks);
  gnuplot_set_texts(variables, "curve", chart->curves);
  g_string_append_len(variables, chart->variables->str, (gssize)chart->variables->len);
  return gnuplot_draw(chart->template_name, variables, chart->data, stem, chart->target, error);
}
