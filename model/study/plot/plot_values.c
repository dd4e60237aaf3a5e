/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_values.h"

plot_values *plot_values_new(void)
{
  plot_values *values = g_new0(plot_values, 1);
  values->all = g_array_new(FALSE, FALSE, sizeof(plot_value));
  values->texts = g_string_chunk_new(1024);
  return values;
}

void plot_values_free(plot_values *values)
{
  if (values != NULL) {
    g_array_unref(values->all);
    g_string_chunk_free(values->texts);
    g_free(values);
  }
}

void plot_values_describe(plot_values *values, const char *place, const char *name, const char *unit)
{
  if (values != NULL) {
    values->place = g_string_chunk_insert(values->texts, place);
    values->name = name;
    values->unit = g_string_chunk_insert(values->texts, unit);
  }
}

void plot_values_add(plot_values *values, const char *curve, const char *place, guint flagged, statistics of)
{
  if (values != NULL) {
    const plot_value value = {g_string_chunk_insert_const(values->texts, curve),
                              g_string_chunk_insert_const(values->texts, place), flagged, of};
    g_array_append_val(values->all, value);
  }
}
