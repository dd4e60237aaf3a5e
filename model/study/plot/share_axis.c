/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/share_axis.h"
#include "study/table/shown_text.h"

#include <math.h>

#include "study/plot/gnuplot_text.h"

/* From this ratio between the curves' ends on x is logarithmic. */
#define FAR_APART 6.0

/* So much below the shortest curve's end a logarithmic axis of octets begins. */
#define OCTAVES_BELOW 5

/* A tail below this share does not show on a linear axis. */
#define TAIL_SHARE 0.02
#define SMALLEST_SHARE 1e-5

#define TICS_MAX 5

share_axis share_axis_of_values(const share_extent *extent, gboolean seconds)
{
  share_axis axis = {.to = extent->largest > 0 ? extent->largest : 1};
  if (extent->largest == 0) {
    return axis;
  }
  if (seconds) {
    axis.logarithmic = extent->largest >= extent->smallest * 100;
    axis.from = pow(10, floor(log10(MAX(extent->smallest, extent->largest / 1e5)) + 1e-9));
  } else {
    axis.logarithmic = extent->largest >= extent->smallest_largest * FAR_APART;
    axis.from = exp2(floor(log2(MAX(extent->smallest, extent->smallest_largest / exp2(OCTAVES_BELOW)))));
  }
  axis.to *= axis.logarithmic ? 1.3 : 1.04;
  axis.from = axis.logarithmic ? axis.from : 0;
  return axis;
}

share_axis share_axis_of_shares(const share_extent *extent)
{
  if (extent->smallest_share > TAIL_SHARE) {
    return (share_axis){.to = 1.04};
  }
  double from = pow(10, floor(log10(extent->smallest_share) - 1e-9));
  return (share_axis){.logarithmic = TRUE, .from = MAX(from, SMALLEST_SHARE), .to = 1.3};
}

const char *share_axis_time_unit(double seconds, double *size_s)
{
  static const struct {
    double seconds;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  gsize unit = 0;
  while (unit + 1 < G_N_ELEMENTS(units) && seconds < units[unit].seconds * (1 - 1e-9)) {
    unit++;
  }
  *size_s = units[unit].seconds;
  return units[unit].name;
}

static void append_tic(double place, const char *label, GString *script)
{
  g_autofree char *quoted = gnuplot_text_quote_tic(label);
  g_string_append_printf(script, "%s%s %.10g", g_str_has_suffix(script->str, "(") ? "" : ", ", quoted, place);
}

/* 1, 2 or 5 times a power of ten, such that there are TICS_MAX steps or less up to `to`. */
static double decimal_step(double to)
{
  static const double steps[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(to / TICS_MAX)));
  gsize i = 0;
  while (to / (steps[i] * power) > TICS_MAX) {
    i++;
  }
  return steps[i] * power;
}

static void append_linear_times(const share_axis *axis, GString *script)
{
  double unit_s;
  share_axis_time_unit(axis->to, &unit_s);
  double step = decimal_step(axis->to / unit_s);
  for (guint i = 0; i * step * unit_s <= axis->to; i++) {
    g_autofree char *label = g_strdup_printf("%.4g", i * step);
    append_tic(i * step * unit_s, label, script);
  }
}

static void append_decades_of_time(const share_axis *axis, GString *script)
{
  for (int exponent = (int)lround(log10(axis->from)); pow(10, exponent) <= axis->to; exponent++) {
    double unit_s;
    const char *unit = share_axis_time_unit(pow(10, exponent), &unit_s);
    g_autofree char *label = g_strdup_printf("%.4g %s", pow(10, exponent) / unit_s, unit);
    append_tic(pow(10, exponent), label, script);
  }
}

static void append_octets(const share_axis *axis, GString *script)
{
  double step = axis->logarithmic ? 2 : 1;
  double octaves = axis->logarithmic ? log2(axis->to / axis->from) : 0;
  while (axis->logarithmic ? octaves / log2(step) > TICS_MAX : axis->to / step > TICS_MAX) {
    step *= 2;
  }
  double place = axis->from;
  while (place <= axis->to) {
    g_autofree char *label = shown_text_octets(place);
    append_tic(place, label, script);
    place = axis->logarithmic ? place * step : place + step;
  }
}

void share_axis_append_values(const share_axis *axis, gboolean seconds, GString *script)
{
  g_string_append(script, axis->logarithmic ? "set logscale x 10\n" : "unset logscale x\n");
  g_string_append_printf(script, "set xrange [%.10g:%.10g]\nset xtics (", axis->from, axis->to);
  if (!seconds) {
    append_octets(axis, script);
  } else if (axis->logarithmic) {
    append_decades_of_time(axis, script);
  } else {
    append_linear_times(axis, script);
  }
  g_string_append(script, ")\n");
}

void share_axis_append_shares(const share_axis *axis, GString *script)
{
  g_string_append(script, axis->logarithmic ? "set logscale y 10\n" : "unset logscale y\n");
  g_string_append_printf(script, "set yrange [%.10g:%.10g]\nset ytics (", axis->from, axis->to);
  if (axis->logarithmic) {
    for (int exponent = (int)lround(log10(axis->from)); exponent <= 0; exponent++) {
      g_autofree char *label = g_strdup_printf("%.10g %%", 100 * pow(10, exponent));
      append_tic(pow(10, exponent), label, script);
    }
  } else {
    for (guint percent = 0; percent <= 100; percent += 20) {
      g_autofree char *label = g_strdup_printf("%u %%", percent);
      append_tic(percent / 100.0, label, script);
    }
  }
  g_string_append(script, ")\n");
}
