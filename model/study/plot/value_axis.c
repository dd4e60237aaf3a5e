/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/value_axis.h"

#include <math.h>
#include <string.h>

#include "study/plot/gnuplot_text.h"
#include "study/table/shown_text.h"

/* From this ratio of largest to smallest on, a linear axis has less than two hundredths of its length for
 * the small one. */
#define LOGARITHMIC_RATIO 50.0

/* No more tics than this. */
#define TICS_MAX 8

octet_axis octet_axis_linear(double maximum)
{
  return (octet_axis){.top = maximum > 0 ? maximum * 1.06 : 1024.0};
}

octet_axis octet_axis_logarithmic(gboolean has_zero, double smallest, double largest)
{
  g_assert(smallest > 0 && smallest <= largest);
  double below = exp2(floor(log2(smallest)));
  return (octet_axis){.logarithmic = TRUE,
                      .has_zero = has_zero,
                      .bottom = has_zero ? below / 4 : below / 2,
                      .top = largest * 1.3};
}

octet_axis octet_axis_for(gboolean has_zero, double smallest, double largest)
{
  g_assert(smallest > 0 && smallest <= largest);
  return largest < smallest * LOGARITHMIC_RATIO ? octet_axis_linear(largest)
                                                : octet_axis_logarithmic(has_zero, smallest, largest);
}

static void append_tic(double octets, const char *label, gboolean labelled, GString *script)
{
  g_autofree char *quoted = gnuplot_text_quote_tic(labelled ? label : "");
  g_string_append_printf(script, "%s%s %.10g", g_str_has_suffix(script->str, "(") ? "" : ", ", quoted,
                         octets);
}

static void append_octets_tic(double octets, gboolean labelled, GString *script)
{
  g_autofree char *label = shown_text_octets(octets);
  append_tic(octets, label, labelled, script);
}

static void append_linear_tics(const octet_axis *axis, gboolean labelled, GString *script)
{
  double step = 1;
  while (axis->top / step > TICS_MAX) {
    step *= 2;
  }
  for (guint tic = 0; tic * step <= axis->top; tic++) {
    append_octets_tic(tic * step, labelled, script);
  }
}

static void append_logarithmic_tics(const octet_axis *axis, gboolean labelled, GString *script)
{
  int first = (int)ceil(log2(axis->bottom));
  int last = (int)floor(log2(axis->top));
  int step = 1;
  while ((last - first) / step >= TICS_MAX) {
    step++;
  }
  if (axis->has_zero) {
    append_tic(axis->bottom, "0", labelled, script);
    first++; /* the smallest value lies two powers above: its tic stays clear of that of zero */
  }
  for (int exponent = first; exponent <= last; exponent++) {
    if (exponent % step == 0) {
      append_octets_tic(exp2(exponent), labelled, script);
    }
  }
}

void octet_axis_append_to(const octet_axis *axis, const char *name, gboolean labelled, GString *script)
{
  g_string_append_printf(script, axis->logarithmic ? "set logscale %s 2\n" : "unset logscale %s\n", name);
  g_string_append_printf(script, "set %srange [%.10g:%.10g]\nset %stics (", name, axis->bottom, axis->top,
                         name);
  if (axis->logarithmic) {
    append_logarithmic_tics(axis, labelled, script);
  } else {
    append_linear_tics(axis, labelled, script);
  }
  g_string_append(script, ")\n");
}

void octet_axis_append(const octet_axis *axis, gboolean labelled, GString *script)
{
  octet_axis_append_to(axis, "y", labelled, script);
}

/* --- A metric --- */

void value_extent_add(value_extent *extent, double mean, double half_width)
{
  extent->count++;
  extent->has_zero = extent->has_zero || mean == 0;
  if (mean > 0 && (extent->smallest == 0 || mean < extent->smallest)) {
    extent->smallest = mean;
  }
  extent->largest = MAX(extent->largest, mean);
  extent->least = MIN(extent->least, mean);
  extent->largest_bound = MAX(extent->largest_bound, mean + (isnan(half_width) ? 0 : half_width));
}

/* Sets the unit in which `largest` has one to three digits before the point. */
static void choose_unit(value_axis *axis, const char *unit, double largest)
{
  static const struct {
    const char *base;
    double size;
    const char *name;
  } units[] = {{"bit/s", 1e12, "Tbit/s"},
               {"bit/s", 1e9, "Gbit/s"},
               {"bit/s", 1e6, "Mbit/s"},
               {"bit/s", 1e3, "kbit/s"},
               {"s", 1, "s"},
               {"s", 1e-3, "ms"},
               {"s", 1e-6, "µs"},
               {"s", 1e-9, "ns"}};
  axis->unit_size = 1;
  axis->unit_name = strcmp(unit, "1") == 0 ? "" : unit;
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    if (strcmp(units[i].base, unit) == 0 && largest >= units[i].size) {
      axis->unit_size = units[i].size;
      axis->unit_name = units[i].name;
      return;
    }
  }
}

static value_axis octets_of(const value_extent *extent, value_scale scale)
{
  value_axis axis = {.in_octets = TRUE, .unit_size = 1, .unit_name = "octets"};
  if (extent->smallest == 0) {
    axis.octets = octet_axis_linear(extent->largest_bound);
  } else if (scale == VALUE_SCALE_LOGARITHMIC) {
    axis.octets = octet_axis_logarithmic(extent->has_zero, extent->smallest, extent->largest);
  } else {
    axis.octets = octet_axis_for(extent->has_zero, extent->smallest, extent->largest);
  }
  axis.logarithmic = axis.octets.logarithmic;
  axis.octets.top = MAX(axis.octets.top, extent->largest_bound * (axis.logarithmic ? 1.15 : 1.03));
  axis.bottom = axis.octets.bottom;
  axis.top = axis.octets.top;
  return axis;
}

value_axis value_axis_of(const value_extent *extent, const char *unit, value_scale scale)
{
  if (strcmp(unit, "octets") == 0 && extent->least >= 0) {
    return octets_of(extent, scale);
  }
  value_axis axis = {.top = 1.05};
  choose_unit(&axis, unit, extent->largest);
  if (scale == VALUE_SCALE_SHARE) {
    return axis;
  }
  gboolean can = extent->smallest > 0 && !extent->has_zero && extent->least >= 0;
  axis.logarithmic =
      can && (scale == VALUE_SCALE_LOGARITHMIC || extent->largest >= extent->smallest * LOGARITHMIC_RATIO);
  axis.bottom = axis.logarithmic ? extent->smallest / 2 : extent->least * 1.06;
  axis.top = MAX(extent->largest * (axis.logarithmic ? 1.5 : 1.06), extent->largest_bound * 1.03);
  if (axis.top <= axis.bottom) {
    axis.top = axis.bottom + 1;
  }
  return axis;
}

void value_axis_append(const value_axis *axis, gboolean labelled, GString *script)
{
  g_string_append_printf(
      script,
      "drawn(v) = (v > %.10g || v != v ? v : %.10g) / %.10g # what is less has no place on this axis\n",
      axis->bottom, axis->bottom, axis->unit_size);
  if (axis->in_octets) {
    octet_axis_append(&axis->octets, labelled, script);
    return;
  }
  g_string_append(script, axis->logarithmic ? "set logscale y 10\n" : "unset logscale y\n");
  g_string_append_printf(script, "set yrange [%.10g:%.10g]\nset ytics autofreq\nset format y '%s'\n",
                         axis->bottom / axis->unit_size, axis->top / axis->unit_size, labelled ? "%g" : "");
}

char *value_axis_name(const value_axis *axis, const char *quantity)
{
  return *axis->unit_name != '\0' ? g_strdup_printf("%s (%s)", quantity, axis->unit_name)
                                  : g_strdup(quantity);
}
