/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/share_plot.h"

#include <math.h>
#include <string.h>

#include "study/plot/gnuplot_text.h"
#include "study/plot/plot_layout.h"
#include "study/plot/share_axis.h"

/* So many marks tell a curve from others where colour does not. */
#define MARKS 7

share_curve *share_curve_new(char *label, distribution *samples, guint colour, guint kind)
{
  share_curve *curve = g_new0(share_curve, 1);
  *curve = (share_curve){.label = label, .samples = *samples, .colour = colour, .kind = kind};
  *samples = (distribution){.bins = NULL};
  return curve;
}

void share_curve_free(gpointer data)
{
  share_curve *curve = data;
  g_free(curve->label);
  distribution_clear(&curve->samples);
  g_free(curve);
}

static const share_curve *curve_at(const share_plot *plot, guint i)
{
  return g_ptr_array_index(plot->curves, i);
}

static share_extent extent_of(const share_plot *plot)
{
  share_extent extent = {.smallest_largest = INFINITY, .smallest = INFINITY, .smallest_share = 1};
  for (guint i = 0; i < plot->curves->len; i++) {
    const distribution *d = &curve_at(plot, i)->samples;
    const distribution_bin *last = &d->bins[d->count - 1];
    const distribution_bin *first = &d->bins[d->bins[0].bound == 0 && d->count > 1 ? 1 : 0];
    if (last->bound == 0) {
      continue; /* nothing of it is seen */
    }
    extent.largest = MAX(extent.largest, last->bound);
    extent.smallest_largest = MIN(extent.smallest_largest, last->bound);
    extent.smallest = MIN(extent.smallest, first->bound);
    extent.smallest_share = MIN(extent.smallest_share, last->weight / distribution_weight(d));
  }
  return extent;
}

/* The share before and after each bound: a step has an edge. What lies on the axis where it begins has none. */
static void append_rows(const distribution *d, double from, GString *data)
{
  double total = distribution_weight(d), above = total;
  gboolean begun = FALSE;
  for (size_t i = 0; i < d->count; i++) {
    if (!begun && d->bins[i].bound > from) {
      g_string_append_printf(data, "%.10g %.10g\n", from, above / total);
      begun = TRUE;
    }
    if (begun) {
      g_string_append_printf(data, "%.10g %.10g\n", d->bins[i].bound, above / total);
    }
    above = i + 1 < d->count ? above - d->bins[i].weight : 0; /* what rounding leaves is no share */
    g_string_append_printf(data, "%.10g %.10g\n", d->bins[i].bound, above / total);
  }
}

static GString *make_data(const share_plot *plot, double from)
{
  g_autofree char *all = g_strdup_printf("%s: %s", plot->title, plot->subtitle);
  g_autofree char *heading = gnuplot_text_comment(all);
  GString *data = g_string_new(NULL);
  g_string_append_printf(data, "# %s\n", heading);
  for (guint i = 0; i < plot->curves->len; i++) {
    g_autofree char *label = gnuplot_text_comment(curve_at(plot, i)->label);
    g_string_append_printf(data, "# %s\n# x (%s), share above x\n", label, plot->seconds ? "s" : "octets");
    append_rows(&curve_at(plot, i)->samples, from, data);
    g_string_append(data, "\n\n");
  }
  return data;
}

/* Letters differ by line type alone. */
static char *style_of(const share_plot *plot, guint i, gboolean letters)
{
  static const char *const dashes[] = {"1", "(10,5)", "(2,4)"};
  const share_curve *curve = curve_at(plot, i);
  if (letters) {
    return g_strdup_printf("linetype %u", i + 1);
  }
  return curve->kind == 0 ? g_strdup_printf("linestyle %u", curve->colour)
                          : g_strdup_printf("linestyle %u dashtype %s", curve->colour,
                                            dashes[(curve->kind - 1) % G_N_ELEMENTS(dashes)]);
}

static gboolean has_marks(const share_plot *plot)
{
  return plot->curves->len > 1;
}

static guint rows_in_view(const distribution *d, const share_axis *x)
{
  guint rows = 1;
  for (size_t i = 0; i < d->count; i++) {
    rows += d->bins[i].bound > x->from ? 2 : 0;
  }
  return rows;
}

static void append_curves(const share_plot *plot, const share_axis *x, const share_axis *y, const char *file,
                          gboolean letters, GString *script)
{
  g_autofree char *quoted = gnuplot_text_quote(file);
  /* Below the axis, so that the last step is drawn to it and not left out. */
  double ground = y->logarithmic ? y->from / 10 : 0;
  g_string_append_printf(script, "ground = %.10g\nfrom = %.10g\n", ground, x->from);
  const char *separator = "plot ";
  for (guint i = 0; i < plot->curves->len; i++) {
    const share_curve *curve = curve_at(plot, i);
    g_autofree char *style = style_of(plot, i, letters);
    g_string_append_printf(
        script, "%s%s index %u using ($1 < from ? NaN : $1):($2 > 0 ? $2 : ground) with lines %s notitle",
        separator, quoted, i, style);
    separator = ", \\\n     ";
    if (has_marks(plot)) {
      guint every = MAX(rows_in_view(&curve->samples, x) / MARKS, 1);
      g_string_append_printf(
          script,
          "%s%s index %u using ($1 < from ? NaN : $1):($2 > 0 ? $2 : NaN) every %u::%u with points "
          "%s notitle",
          separator, quoted, i, every, 1 + i % every, style);
    }
  }
  g_string_append_c(script, '\n');
}

/* What the legend says of each curve; empty when there is nothing to tell apart. */
static GPtrArray *labels_of(const share_plot *plot)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
  gboolean one = plot->curves->len == 1 && *curve_at(plot, 0)->label == '\0';
  for (guint i = 0; !one && i < plot->curves->len; i++) {
    const share_curve *curve = curve_at(plot, i);
    gboolean nothing = curve->samples.bins[curve->samples.count - 1].bound == 0;
    g_ptr_array_add(labels, g_strconcat(curve->label, nothing ? " (0 throughout)" : "", NULL));
  }
  return labels;
}

static void append_legend(const share_plot *plot, const GPtrArray *labels, gboolean letters, double height,
                          GString *script)
{
  g_string_append(script, "unset logscale\n"); /* before the ranges of the legend, which hold 0 */
  gnuplot_script_begin_legend(script, height);
  g_string_append(script, "plot ");
  for (guint i = 0; i < labels->len; i++) {
    g_autofree char *style = style_of(plot, i, letters);
    const char *gap = letters ? " " : ""; /* a sample of letters ends where the label starts */
    g_autofree char *spaced = g_strconcat(gap, g_ptr_array_index(labels, i), NULL);
    g_autofree char *label = gnuplot_text_quote(spaced);
    g_string_append_printf(script, "%s2 with %s %s title %s", i > 0 ? ", \\\n     " : "",
                           has_marks(plot) ? "linespoints" : "lines", style, label);
  }
  g_string_append_c(script, '\n');
}

static void append_axes(const share_plot *plot, const share_axis *x, const share_axis *y, GString *script)
{
  double unit_s;
  const char *unit = plot->seconds ? share_axis_time_unit(x->to, &unit_s) : "octets";
  gboolean in_tics = plot->seconds && x->logarithmic;
  g_autofree char *x_text = g_strdup_printf(in_tics ? "%s" : "%s (%s)", plot->x_label, unit);
  g_autofree char *x_label = gnuplot_text_quote(x_text);
  g_string_append_printf(script, "set xlabel %s\n", x_label);
  share_axis_append_values(x, plot->seconds, script);
  share_axis_append_shares(y, script);
}

static GString *make_script(const share_plot *plot, const share_axis *x, const share_axis *y,
                            gboolean nothing, const char *stem, const gnuplot_target *target)
{
  double top;
  gboolean letters = target->format == GNUPLOT_TERM;
  g_autofree char *file = g_strdup_printf("%s.dat", stem);
  g_autoptr(GPtrArray) labels = labels_of(plot);
  plot_layout layout = plot_layout_of(target, plot->title, plot->subtitle, labels, strlen("0.001 %"));
  GString *script = gnuplot_script_new(stem, target->format, &layout.page, plot->title, plot->subtitle, &top);
  gnuplot_script_set_line_styles(script, plot->curves->len);
  plot_layout_append(&layout, plot->y_label, top, script);
  append_axes(plot, x, y, script);
  if (nothing) {
    g_autofree char *text = gnuplot_text_quote(plot->nothing);
    g_string_append_printf(script, "set label 3 %s at graph 0.5, graph 0.5 center\n", text);
  }
  append_curves(plot, x, y, file, letters, script);
  if (labels->len > 0) {
    append_legend(plot, labels, letters, layout.legend, script);
  }
  g_string_append(script, "unset multiplot\n");
  return script;
}

gboolean share_plot_draw(const share_plot *plot, const char *stem, const gnuplot_target *target,
                         GError **error)
{
  g_assert(plot->curves->len > 0);
  share_extent extent = extent_of(plot);
  share_axis x = share_axis_of_values(&extent, plot->seconds);
  share_axis y = share_axis_of_shares(&extent);
  GString *script = make_script(plot, &x, &y, extent.largest == 0, stem, target);
  GString *data = make_data(plot, x.from);
  gboolean good = gnuplot_script_render(script, data, stem, target, error);
  g_string_free(script, TRUE);
  g_string_free(data, TRUE);
  return good;
}
