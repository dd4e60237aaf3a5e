/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_axis.h"

#include <math.h>
#include <string.h>

#include "study/plot/gnuplot.h"
#include "study/table/shown_number.h"
#include "study/table/study_keys.h"

void plot_axis_clear(plot_axis *axis)
{
  g_clear_pointer(&axis->name, g_free);
  g_clear_pointer(&axis->tics, g_array_unref);
  g_clear_pointer(&axis->gaps, g_array_unref);
  g_clear_pointer(&axis->labels, g_ptr_array_unref);
}

void plot_axis_append(const plot_axis *axis, const char *letter, GString *variables)
{
  g_autoptr(GArray) no_tics = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GPtrArray) no_labels = g_ptr_array_new();
  g_autofree char *name = g_strconcat(letter, "_name", NULL);
  g_autofree char *format = g_strconcat(letter, "_format", NULL);
  g_autofree char *tic = g_strconcat(letter, "_tic", NULL);
  g_autofree char *label = g_strconcat(letter, "_label", NULL);
  g_autofree char *gap = g_strconcat(letter, "_gap", NULL);
  g_string_append_printf(
      variables, "%s_from = %.10g\n%s_to = %.10g\n%s_unit = %.10g\n%s_log = %d\n%s_zero = %d\n", letter,
      axis->from, letter, axis->to, letter, axis->unit_size, letter, axis->base, letter, axis->has_zero);
  g_string_append_printf(variables, "%s_smallest = %.10g\n", letter, axis->smallest);
  gnuplot_set_text(variables, name, axis->name);
  gnuplot_set_text(variables, format, axis->format != NULL ? axis->format : "%.8g");
  gnuplot_set_numbers(variables, tic, axis->tics != NULL ? axis->tics : no_tics);
  gnuplot_set_texts(variables, label, axis->labels != NULL ? axis->labels : no_labels);
  gnuplot_set_numbers(variables, gap, axis->gaps != NULL ? axis->gaps : no_tics);
}

plot_axis plot_axis_limited(plot_axis axis, const plot_range *range)
{
  if (range->from < range->to) {
    gboolean from = isfinite(range->from) && !(axis.base > 0 && range->from <= 0);
    axis.has_zero = axis.has_zero && !from;
    axis.from = from ? range->from : axis.from;
    axis.to = isfinite(range->to) && range->to > axis.from ? range->to : MAX(axis.to, axis.from * 2);
  }
  return axis;
}

/* --- A metric --- */

/* From this ratio of largest to smallest on, a linear axis has less than two hundredths of its length for the
 * small one. */
#define LOGARITHMIC_RATIO 50.0

void value_extent_add(value_extent *extent, double mean, double half_width)
{
  extent->has_zero = extent->has_zero || mean == 0;
  if (mean > 0 && (extent->smallest == 0 || mean < extent->smallest)) {
    extent->smallest = mean;
  }
  extent->largest = MAX(extent->largest, mean);
  extent->least = MIN(extent->least, mean);
  extent->largest_bound = MAX(extent->largest_bound, mean + (isnan(half_width) ? 0 : half_width));
}

/* Returns the unit of values up to `largest`, in which that is at least 1: octets go to KiB … from one of
 * them on. On a logarithmic axis the smallest value, or 0 of a linear one, decides: it would be a long
 * fraction. */
static shown_scale scale_for(const char *unit, double largest, double smallest)
{
  double reached = largest * (1 + 1e-9);
  if (strcmp(unit, "bit/s") == 0 && reached >= 1e12) {
    return (shown_scale){1e12, "Tbit/s"};
  }
  if (strcmp(unit, "octets") == 0) {
    return shown_scale_for(unit, 10 * (smallest > 0 ? MIN(reached, MIN(smallest * 8, 1024)) : reached));
  }
  return shown_scale_for(unit, strcmp(unit, "s") == 0 ? MAX(reached, 1e-12) : reached); /* no unit for 0 s */
}

/* Returns "goodput (Gbit/s)" */
static char *name_of(const char *quantity, const char *unit)
{
  return g_strdup_printf("%s (%s)", quantity, unit);
}

plot_axis plot_axis_of_values(const value_extent *extent, const char *quantity, const char *unit,
                              value_scale scale)
{
  gboolean octets = strcmp(unit, "octets") == 0 && extent->least >= 0;
  gboolean fitting = scale == VALUE_SCALE_FITTING && strcmp(unit, "bit/s") != 0 &&
                     extent->largest >= extent->smallest * LOGARITHMIC_RATIO;
  gboolean logarithmic = extent->smallest > 0 && extent->least >= 0 && (octets || !extent->has_zero) &&
                         (scale == VALUE_SCALE_LOGARITHMIC || fitting);
  gboolean decades = logarithmic && strcmp(unit, "s") == 0; /* tics have units of their own: "10 us" */
  const shown_scale shown =
      decades ? (shown_scale){1, "s"} : scale_for(unit, extent->largest, logarithmic ? extent->smallest : 0);
  plot_axis axis = {.name = name_of(quantity, shown.unit),
                    .unit_size = shown.factor,
                    .format = decades ? "%.0s %cs" : NULL,
                    .base = !logarithmic ? 0
                            : octets     ? 2
                                         : 10,
                    .has_zero = logarithmic && extent->has_zero,
                    .smallest = extent->smallest,
                    .from = extent->least * 1.06,
                    .to = MAX(extent->largest * 1.06, extent->largest_bound * 1.03)};
  if (logarithmic && octets) {
    axis.from = exp2(floor(log2(extent->smallest))) / (extent->has_zero ? 4 : 2);
    axis.to = MAX(extent->largest * 1.3, extent->largest_bound * 1.15);
  } else if (logarithmic) {
    axis.from = extent->smallest / 2;
    axis.to = MAX(extent->largest * 1.5, axis.to);
  } else if (scale == VALUE_SCALE_SHARE && !octets) {
    axis.from = 0;
    axis.to = 1.05;
  } else if (axis.to <= axis.from) {
    axis.to = axis.from + shown.factor;
  }
  return axis;
}

/* --- What a sweep varies --- */

/* A list has no end. */
enum { LABEL_LETTERS_MAX = 24 };

/* This is the part of the axis at either end. */
#define MARGIN 0.09

/* A zero stands two thirds of a decade left of the smallest number. */
#define ZERO_RATIO 4.6

/* A word stands this part of the axis right of the largest number, and has so much room right of it: it is
 * longer than a number. */
#define WORD_GAP 0.22

place_axis place_axis_of_cells(const study_table *table, scenario_key key)
{
  place_axis axis = {.key = key,
                     .texts = study_keys_values(table->runs, key),
                     .drawn = {.unit_size = 1,
                               .from = -0.5,
                               .tics = g_array_new(FALSE, FALSE, sizeof(double)),
                               .gaps = g_array_new(FALSE, FALSE, sizeof(double)),
                               .labels = g_ptr_array_new_with_free_func(g_free)}};
  /* Sizes are in octets if they are of an MTU, or below 9 KiB; else in KiB, which is then in the axis's name.
   * Whole KiB have units of their own. */
  gboolean is_whole = key != SCENARIO_PATH_FORWARD_MTU;
  double number, largest = 0;
  for (guint i = 0; i < axis.texts->len; i++) {
    const gboolean is_number = study_keys_number(key, g_ptr_array_index(axis.texts, i), &number);
    is_whole = is_whole && (!is_number || fmod(number, 1024) == 0);
    largest = is_number ? number : largest; /* they ascend */
  }
  const gboolean has_unit = study_keys_is_size(key) && !is_whole, in_octets = largest <= 9 * 1024;
  const char *words = study_table_words(table, key, NULL);
  axis.drawn.name = has_unit ? name_of(words, in_octets ? "octets" : "KiB") : g_strdup(words);
  for (guint i = 0; i < axis.texts->len; i++) {
    const char *text = g_ptr_array_index(axis.texts, i), *own = study_table_words(table, key, text);
    g_autoptr(GString) label = g_string_new(own);
    const double place = i;
    if (own == NULL && has_unit && study_keys_number(key, text, &number)) {
      g_string_printf(label, in_octets ? "%.0f" : "%.3g", in_octets ? number : number / 1024);
    } else if (own == NULL) {
      g_autofree char *all = study_keys_label(key, text);
      const gboolean is_cut = g_utf8_strlen(all, -1) > LABEL_LETTERS_MAX;
      g_autofree char *head =
          g_utf8_substring(all, 0, is_cut ? LABEL_LETTERS_MAX - 1 : g_utf8_strlen(all, -1));
      g_string_printf(label, "%s%s", head, is_cut ? "…" : "");
    }
    g_string_replace(label, "%", "%%", 0); /* gnuplot takes it for a format */
    g_array_append_val(axis.drawn.tics, place);
    g_ptr_array_add(axis.drawn.labels, g_strdup(label->str));
  }
  axis.drawn.to =
      axis.texts->len - 0.5; /* half a place on either side, so that the first and the last have room */
  return axis;
}

/* Returns `place` further right by `distance`, which on a logarithmic axis is counted in decades. */
static double moved(double place, double distance, gboolean by_ratio)
{
  return by_ratio ? place * pow(10, distance) : place + distance;
}

place_axis place_axis_of(const study_table *table, scenario_key key, gboolean logarithmic)
{
  place_axis axis = place_axis_of_cells(table, key);
  plot_axis *drawn = &axis.drawn;
  guint count = axis.texts->len, numeric = 0;
  g_autoptr(GArray) values = g_array_set_size(g_array_new(FALSE, TRUE, sizeof(double)), count);
  double *numbers = (double *)values->data, *places = (double *)drawn->tics->data;
  while (numeric < count &&
         study_keys_number(key, g_ptr_array_index(axis.texts, numeric), &numbers[numeric])) {
    numeric++; /* numbers come first */
  }
  if (numeric == 0 || numeric + 1 < count) {
    return axis;
  }
  gboolean has_zero = numbers[0] == 0;
  double smallest = numbers[has_zero && numeric > 1 ? 1 : 0];
  gboolean by_ratio = smallest > 0 && (logarithmic || numbers[numeric - 1] >= smallest * 10 * (1 - 1e-9));
  axis.numeric = TRUE;
  axis.first_apart = by_ratio && has_zero;
  axis.last_apart = numeric < count;
  memcpy(places, numbers, numeric * sizeof *places);
  places[0] = axis.first_apart ? smallest / ZERO_RATIO : places[0];
  double last = places[numeric - 1], span = by_ratio ? log10(last / places[0]) : last - places[0];
  double gap = span > 0 ? span * WORD_GAP : 1, margin = span > 0 ? span * MARGIN : by_ratio ? 0.15 : 0.5;
  places[count - 1] = axis.last_apart ? moved(last, gap, by_ratio) : last;
  drawn->base = by_ratio ? 10 : 0;
  drawn->from = moved(places[0], -margin, by_ratio);
  drawn->to = moved(places[count - 1], axis.last_apart ? gap : margin, by_ratio);
  if (axis.first_apart && count > 1) {
    double between = sqrt(places[0] * places[1]);
    g_array_append_val(drawn->gaps, between);
  }
  if (axis.last_apart) {
    double between = moved(last, gap / 2, by_ratio);
    g_array_append_val(drawn->gaps, between);
  }
  return axis;
}

void place_axis_clear(place_axis *axis)
{
  g_clear_pointer(&axis->texts, g_ptr_array_unref);
  plot_axis_clear(&axis->drawn);
}

guint place_axis_index(const place_axis *axis, const char *text)
{
  guint index = 0;
  gboolean found = g_ptr_array_find_with_equal_func(axis->texts, text, g_str_equal, &index);
  g_assert(found);
  return index;
}
