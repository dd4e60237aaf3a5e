/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_heading.h"

#include "study/plot/gnuplot_text.h"

void plot_counts_add(plot_counts *counts, const GPtrArray *runs)
{
  counts->fewest = counts->points == 0 ? runs->len : MIN(counts->fewest, runs->len);
  counts->most = MAX(counts->most, runs->len);
  counts->points++;
  counts->runs += runs->len;
  for (guint i = 0; i < runs->len; i++) {
    guint flags = ((const study_run *)g_ptr_array_index(runs, i))->flags;
    counts->flagged += flags != 0 ? 1 : 0;
    counts->flags |= flags;
  }
}

static void append_counts(const plot_counts *counts, GString *text)
{
  g_string_append_printf(text, " · %u %s", counts->runs, counts->runs == 1 ? "run" : "runs");
  if (counts->most >= 2 && counts->fewest == counts->most) {
    g_string_append_printf(text, ", mean of %u each with 95 %% interval", counts->most);
  } else if (counts->most >= 2) {
    g_string_append_printf(text, ", mean of %u to %u each with 95 %% interval", counts->fewest, counts->most);
  }
}

/* "timeouts, spurious or lost retransmissions" */
static void append_flags(guint flags, GString *text)
{
  gboolean timeouts = (flags & STUDY_FLAG_TIMEOUTS) != 0;
  gboolean spurious = (flags & STUDY_FLAG_SPURIOUS) != 0;
  gboolean lost = (flags & STUDY_FLAG_LOST_RETRANSMISSIONS) != 0;
  g_string_append_printf(text, "%s%s%s%s%s%s", timeouts ? "timeouts" : "",
                         timeouts && (spurious || lost) ? (spurious && lost ? ", " : " or ") : "",
                         spurious ? "spurious" : "", spurious && lost ? " or " : "", lost ? "lost" : "",
                         spurious || lost ? " retransmissions" : "");
}

char *plot_heading_subtitle(const study_table *table, const plot_counts *counts, const char *mark)
{
  g_autofree char *seeds = study_table_seeds(table);
  g_autofree char *in_step = study_table_in_step(table);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "scenario %s · %s · iwarpsim %s", table->names, seeds, table->versions);
  append_counts(counts, text);
  if (*in_step != '\0') {
    g_string_append_printf(text, " · %s", in_step);
  }
  if (counts->flagged > 0) {
    g_string_append_printf(text, " · %s: %u with ", mark, counts->flagged);
    append_flags(counts->flags, text);
  }
  if (table->left_out > 0) {
    g_string_append_printf(text, " · %u flagged left out", table->left_out);
  }
  if (table->not_ok > 0) {
    g_string_append_printf(text, " · %u that did not end ok left out", table->not_ok);
  }
  return g_string_free(text, FALSE);
}

void plot_heading_append_comments(const study_table *table, const char *subtitle, const char *quantity,
                                  GString *data)
{
  const char *const texts[] = {table->title, subtitle, quantity};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *comment = gnuplot_text_comment(texts[i]);
    g_string_append_printf(data, "# %s\n", comment);
  }
}
