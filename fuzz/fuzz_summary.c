/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as the summary.json of a run: refused in one line, or a record whose numbers are numbers, whose
 * distributions ascend, and which can be drawn.
 *
 * An input is the file. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "fuzz_files.h"
#include "fuzz_input.h"
#include "study/plot/study_plot.h"
#include "summary/summary.h"

static void check_record(const summary_record *record)
{
  g_autofree char *subtitle = plot_run_subtitle(record);

  g_assert_true(g_utf8_validate(subtitle, -1, NULL) && g_utf8_validate(record->title, -1, NULL) &&
                g_utf8_validate(record->message, -1, NULL) && g_utf8_validate(record->engine, -1, NULL));
  g_assert_cmpint(record->status, <, RUN_STATUSES);
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_true(!record->results.metrics.present[id] || isfinite(record->results.metrics.value[id]));
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution *d = &record->results.distributions[id];
    for (size_t i = 0; i < d->count; i++) {
      g_assert_true(isfinite(d->bins[i].weight) && d->bins[i].weight > 0);
      g_assert_true(i == 0 || d->bins[i].bound > d->bins[i - 1].bound);
    }
  }
}

static void check_gauges(const run_results *results)
{
  for (gsize i = 0; i < results->quantiles.count * GAUGE_COUNT; i++) {
    g_assert_cmpfloat(results->quantiles.values[i % GAUGE_COUNT][i / GAUGE_COUNT], >=, 0);
  }
  g_assert_true(!results->block_maxima || (results->block_maxima->len > 0 && results->block_octets > 0));
}

static void draw(void)
{
  static const char series[] = "time_s,connection,cause,octets\n0.5,all,order,1460\n";

  g_free(fuzz_files_write("occupancy.csv", series, sizeof series - 1));
  for (gnuplot_format format = GNUPLOT_PNG; format <= GNUPLOT_TERM; format++) {
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    const gnuplot_target target = {.folder = fuzz_files_folder(), .format = format, .written = files};
    GError *errors[3] = {NULL};
    const plot_request asked = {0};
    const gboolean drawn[3] = {
        plot_occupancy(fuzz_files_folder(), &asked, &target, &errors[0]),
        plot_distribution_of_run(fuzz_files_folder(), FALSE, &asked, &target, &errors[1]),
        plot_distribution_of_run(fuzz_files_folder(), TRUE, &asked, &target, &errors[2])};
    for (gsize i = 0; i < G_N_ELEMENTS(drawn); i++) {
      if (!drawn[i]) {
        fuzz_files_check_error(errors[i]);
      }
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  g_autofree char *path = fuzz_files_write("summary.json", octets, length);
  GError *error = NULL;
  summary_record *record = summary_read_json(path, &error);

  if (record) {
    check_record(record);
    check_gauges(&record->results);
    summary_record_free(record);
    draw();
  } else {
    fuzz_files_check_error(error);
  }
  return 0;
}
