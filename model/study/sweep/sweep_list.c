/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_list.h"

#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "scenario/configuration.h"
#include "study/sweep/sweep_progress.h"

/* "1.25 million": three digits are more than an estimate knows. Free with g_free(). */
static char *rough_text(double number)
{
  static const char *const names[] = {"", " thousand", " million", " billion"};
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gsize name = 0;

  while (number >= 999.5 && name + 1 < G_N_ELEMENTS(names)) {
    number /= 1000;
    name++;
  }
  g_ascii_formatd(digits, sizeof digits, number < 999.5 ? "%.3g" : "%.0f", number);
  return g_strconcat(digits, names[name], NULL);
}

static void print_run(const sweep_grid *grid, const planned_run *run, gboolean has_store, FILE *output)
{
  static const char *const states[] = {[STORED_MISSING] = "missing",
                                       [STORED_FAILED] = "failed",
                                       [STORED_UNEXPECTED] = "unexpected",
                                       [STORED_DONE] = "done"};
  g_autofree char *label = sweep_grid_label(grid, run->index);
  plain_text_print(output, "%zu", run->index + 1);
  if (*label != '\0') {
    plain_text_print(output, "  %s", label);
  }
  if (has_store) {
    plain_text_print(output, "  %s", states[run->state]);
  }
  plain_text_print(output, "\n");
}

/* The sums of what is to run. */
typedef struct sums {
  gsize runs;
  gsize to_run;
  double segments;
  double seconds; /* of one core */
} sums;

static void print_sums(const sweep_plan *plan, const sums *total, guint jobs, FILE *output)
{
  const sweep_grid *grid = sweep_plan_grid(plan);
  g_autofree char *shard = sweep_plan_shard(plan);
  g_autoptr(GString) remarks = g_string_new(NULL);
  if (*shard != '\0') {
    g_string_append_printf(remarks, ", %s", shard);
  }
  if (sweep_grid_facts_of(grid)->left_out > 0) {
    g_string_append_printf(remarks, ", %zu left out by where", sweep_grid_facts_of(grid)->left_out);
  }
  if (sweep_grid_facts_of(grid)->repeated > 0) {
    g_string_append_printf(remarks, ", %zu given twice", sweep_grid_facts_of(grid)->repeated);
  }
  plain_text_print(output, "%zu %s", total->runs, total->runs == 1 ? "run" : "runs");
  if (remarks->len > 0) {
    plain_text_print(output, " (%s)", remarks->str + strlen(", "));
  }
  plain_text_print(output, ", %zu to run", total->to_run);
  if (total->to_run > 0) {
    g_autofree char *segments = rough_text(total->segments);
    g_autofree char *duration =
        sweep_progress_duration(fmax(1, total->seconds / MIN(jobs, (double)total->to_run)));

    plain_text_print(output, ", about %s segments, about %s at -j %u", segments, duration, jobs);
  }
  plain_text_print(output, "%s\n", sweep_plan_is_open(plan) ? "; more seeds may follow" : "");
}

static int compare_runs(gconstpointer a, gconstpointer b)
{
  gsize index_a = ((const planned_run *)a)->index, index_b = ((const planned_run *)b)->index;
  return (index_a > index_b) - (index_a < index_b);
}

void sweep_list_print(const sweep_plan *plan, const sweep_list_options *options, FILE *output)
{
  const sweep_grid *grid = sweep_plan_grid(plan);
  const scenario *base = sweep_grid_base(grid);
  const char *title = scenario_configuration(base)->title;
  g_autoptr(GArray) runs = g_array_copy((GArray *)sweep_plan_runs(plan));
  const double pace = sweep_plan_pace(plan) > 0 ? sweep_plan_pace(plan) : options->pace;
  sums total = {.runs = runs->len};
  g_assert(options->jobs >= 1);
  g_array_sort(runs, compare_runs);
  plain_text_print(output, "%s%s%s, iwarpsim %s\n", scenario_name(base), *title != '\0' ? ": " : "", title,
                   options->version);
  for (guint i = 0; i < runs->len; i++) {
    const planned_run *run = &g_array_index(runs, planned_run, i);
    const run_cost cost = sweep_grid_cost(grid, run->index);
    print_run(grid, run, options->has_store, output);
    if (run->state == STORED_MISSING || run->state == STORED_FAILED) {
      total.to_run++;
      total.segments += cost.segments;
      total.seconds += cost.seconds * pace;
    }
  }
  print_sums(plan, &total, options->jobs, output);
}
