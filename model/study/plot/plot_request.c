/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_request.h"

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
      const char *only = ((char *const *)g_ptr_array_index(runs, 0))[key];
      g_autofree char *problem =
          g_strdup_printf("%s does not vary: it is %s in all runs", study_keys_name(key, axes),
                          *only != '\0' ? only : "unknown");
      return refuse_key(problem, runs, axes, error);
    }
  }
  return TRUE;
}
