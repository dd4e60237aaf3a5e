#include "study/plot/octet_axis.h"
#include "study/table/shown_text.h"

#include <math.h>

#include "study/plot/gnuplot_text.h"

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
