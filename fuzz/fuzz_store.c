/* SPDX-License-Identifier: GPL-2.0-only */
/* A result store of any runs, then damaged: a store that is as it was written gives the runs that were
 * written; of a damaged one a run is either as it was written or refused in one line. What is made of a store
 * (CSV, tables, plots, the report, a merged store) is text and does not depend on how often it is made.
 *
 * An input is: flags, the title, text and axes of the origin, the number of runs, each run (keys, metrics,
 * distribution, status, message), and changes of the file's octets. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../tests/study/store_commit.h"
#include "fuzz_files.h"
#include "fuzz_input.h"
#include "study/plot/study_plot.h"
#include "study/report/html_report.h"
#include "study/store/result_store.h"
#include "study/table/result_table.h"

enum {
  FLAG_MERGES = 0x01,
  FLAG_REPORTS = 0x02,
  FLAG_EXCLUDES = 0x04,
  FLAG_MIXES = 0x08,
  FLAGS_FORMAT = 0x30 /* gnuplot_format of plots; 3: none is drawn */
};

enum { RUNS_MAX = 6, EDITS_MAX = 4, VALUES_MAX = 12, BINS_MAX = 6, TEXT_MAX = 48, CHANGES_MAX = 16 };

typedef struct trial {
  uint8_t flags;
  provenance origin;
  stored_run runs[RUNS_MAX];
  gsize count;
  bool is_damaged;
  gsize visited;
} trial;

/* --- What is written --- */

static char *take_text(fuzz_input *input)
{
  fuzz_input text = fuzz_input_take(input, fuzz_input_octet(input) % (TEXT_MAX + 1));

  return g_utf8_make_valid((const char *)text.octets,
                           (gssize)strnlen((const char *)text.octets, text.length));
}

/* Takes a number of any size and sign, or a small number. */
static double take_number(fuzz_input *input)
{
  uint8_t kind = fuzz_input_octet(input);
  uint64_t bits = (uint64_t)fuzz_input_number_32(input) << 32 | fuzz_input_number_32(input);
  double number;

  memcpy(&number, &bits, sizeof number);
  return kind % 2 == 0 || !isfinite(number) ? (double)(bits >> 48) : number;
}

static void take_keys(fuzz_input *input, stored_run *run)
{
  for (gsize edits = fuzz_input_octet(input) % (EDITS_MAX + 1); edits > 0; edits--) {
    scenario_key key = (scenario_key)(fuzz_input_number_16(input) % SCENARIO_KEY_COUNT);
    g_free(run->keys[key]);
    run->keys[key] = take_text(input);
  }
  run->identity = run_identity_of(run->keys);
}

static void take_results(fuzz_input *input, stored_run *run)
{
  for (gsize values = fuzz_input_octet(input) % (VALUES_MAX + 1); values > 0; values--) {
    metric_id metric = (metric_id)(fuzz_input_number_16(input) % METRIC_COUNT);
    metric_values_set(&run->results.metrics, metric, take_number(input));
  }
  for (gsize bins = fuzz_input_octet(input) % (BINS_MAX + 1); bins > 0; bins--) {
    distribution *d = &run->results.distributions[fuzz_input_octet(input) % DISTRIBUTION_COUNT];
    double bound = take_number(input);
    distribution_append(d, bound, take_number(input));
  }
}

static void take_gauges(fuzz_input *input, run_results *results)
{
  const uint32_t quantiles = fuzz_input_octet(input) % QUANTILES_MAX;

  for (uint32_t parts = 1; parts <= quantiles; parts++) {
    results->quantiles.parts[results->quantiles.count] = parts * (QUANTILE_PARTS / QUANTILES_MAX);
    results->quantiles.values[fuzz_input_octet(input) % GAUGE_COUNT][results->quantiles.count++] =
        take_number(input) + 0.0; /* -0.0 is stored as 0.0 */
  }
  for (gsize blocks = fuzz_input_octet(input) % (VALUES_MAX + 1); blocks > 0; blocks--) {
    const guint64 maximum = fuzz_input_number_32(input);
    if (!results->block_maxima) {
      results->block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
      results->block_octets = 65536;
    }
    g_array_append_val(results->block_maxima, maximum);
  }
}

/* Fills in the canonical texts of a scenario that sets nothing. */
static void default_keys(char *texts[SCENARIO_KEY_COUNT])
{
  static scenario *s;

  if (!s) {
    static const char text[] = "title = \"fuzz\";\n";
    g_autofree char *path = fuzz_files_write("fuzz.cfg", text, sizeof text - 1);
    s = scenario_load(path, NULL, NULL);
    g_assert_nonnull(s);
  }
  run_identity_texts(s, texts);
}

static void take_run(fuzz_input *input, trial *t)
{
  stored_run *run = &t->runs[t->count];

  *run = (stored_run){.point = t->count,
                      .stderr_tail = (char *)"",
                      .engine = (char *)"native",
                      .host = (char *)"host",
                      .started = (char *)"2026-11-21T10:08:16Z"};
  default_keys(run->keys);
  take_keys(input, run);
  take_results(input, run);
  run->status = (run_status)(fuzz_input_octet(input) % RUN_STATUSES);
  run->message = take_text(input);
  take_gauges(input, &run->results);
  t->count++;
}

static void trial_clear(trial *t)
{
  for (gsize i = 0; i < t->count; i++) {
    run_identity_clear(t->runs[i].keys);
    g_free(t->runs[i].identity);
    g_free(t->runs[i].message);
    run_results_clear(&t->runs[i].results);
  }
  g_free(t->origin.title);
  g_free(t->origin.text);
  g_free(t->origin.axes);
}

/* Returns the last of the runs with this identity: it has replaced those before. */
static const stored_run *written(const trial *t, const char *identity)
{
  for (gsize i = t->count; i > 0; i--) {
    if (strcmp(t->runs[i - 1].identity, identity) == 0) {
      return &t->runs[i - 1];
    }
  }
  return NULL;
}

static char *write_store(const trial *t)
{
  char *path = fuzz_files_write("store.sqlite", NULL, 0);
  result_store *store = result_store_open(path, RESULT_STORE_WRITE, NULL);

  g_assert_nonnull(store);
  for (gsize i = 0; i < t->count; i++) {
    g_assert_true(store_commit(store, &t->origin, &t->runs[i], NULL));
  }
  result_store_close(store);
  return path;
}

static void damage(trial *t, fuzz_input *input, const char *path)
{
  char *octets;
  gsize length;

  g_assert_true(g_file_get_contents(path, &octets, &length, NULL));
  for (gsize i = 0; i < CHANGES_MAX && input->length > 0; i++) {
    gsize at = fuzz_input_number_32(input) % length;
    octets[at] = (char)(octets[at] ^ fuzz_input_octet(input));
    t->is_damaged = true;
  }
  if (t->is_damaged) {
    g_free(fuzz_files_write("store.sqlite", octets, length));
  }
  g_free(octets);
}

/* --- What is read --- */

static bool are_same_bins(const distribution *a, const distribution *b)
{
  return a->count == b->count && (a->count == 0 || memcmp(a->bins, b->bins, a->count * sizeof *a->bins) == 0);
}

static gboolean check_run(const provenance *from, const stored_run *run, gpointer data,
                          G_GNUC_UNUSED GError **error)
{
  trial *t = data;
  const stored_run *was = written(t, run->identity);

  g_assert_nonnull(was);
  g_assert_cmpstr(from->text, ==, t->origin.text);
  g_assert_cmpint(run->status, ==, was->status);
  g_assert_cmpstr(run->message, ==, was->message);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_assert_cmpstr(run->keys[key], ==, was->keys[key]);
  }
  const run_results *found = &run->results, *expected = &was->results;
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_true(found->metrics.present[id] == expected->metrics.present[id]);
    g_assert_true(!found->metrics.present[id] || found->metrics.value[id] == expected->metrics.value[id]);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    g_assert_true(are_same_bins(&found->distributions[id], &expected->distributions[id]));
  }
  g_assert_cmpmem(&found->quantiles, sizeof found->quantiles, &expected->quantiles, sizeof found->quantiles);
  g_assert_true(!found->block_maxima == !expected->block_maxima);
  if (found->block_maxima) {
    g_assert_cmpmem(found->block_maxima->data, found->block_maxima->len * sizeof(guint64),
                    expected->block_maxima->data, expected->block_maxima->len * sizeof(guint64));
  }
  t->visited++;
  return TRUE;
}

/* FALSE when there is an error, which only a damaged store may have. */
static bool is_good(const trial *t, gboolean good, GError *error)
{
  if (!good) {
    g_assert_true(t->is_damaged);
    fuzz_files_check_error(error);
  }
  return good;
}

static void check_runs(trial *t, result_store *store)
{
  GError *error = NULL;
  gsize distinct = 0;

  for (gsize i = 0; i < t->count; i++) {
    distinct += written(t, t->runs[i].identity) == &t->runs[i];
  }
  t->visited = 0;
  gboolean good = result_store_each(store, check_run, t, &error);
  if (is_good(t, good, error) && !t->is_damaged) {
    g_assert_cmpuint(t->visited, ==, distinct);
  }
}

static char *export(const trial *t, result_store *store)
{
  GError *error = NULL;
  char *text = result_store_csv(store, RESULT_CSV_VARIED | RESULT_CSV_NUMERIC, &error);

  g_assert_true(text == NULL || g_utf8_validate(text, -1, NULL));
  is_good(t, text != NULL, error);
  return text;
}

static void check_table(const study_table *table)
{
  g_autoptr(GArray) quantities = result_quantity_defaults();
  const result_request request = {.table = table, .quantities = quantities};
  g_autofree char *text = result_table_text(&request);
  g_autofree char *csv = result_table_csv(&request);

  g_assert_true(g_utf8_validate(text, -1, NULL) && g_utf8_validate(csv, -1, NULL));
}

static void check_plots(const study_table *table, gnuplot_format format)
{
  for (const study_plot *const *plot = study_plots; *plot; plot++) {
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    const gnuplot_target target = {.folder = fuzz_files_folder(), .format = format, .written = files};
    const result_quantity quantity = {.metric = METRIC_DELIVERY_OCTETS, .whole = METRIC_COUNT};
    const plot_request request = {.quantity = *plot == &plot_metric ? &quantity : NULL};
    GError *error = NULL;
    if (!study_plot_draw(table, *plot, &request, "store", &target, &error)) {
      fuzz_files_check_error(error);
    }
  }
}

static void check_study(const trial *t, result_store *store)
{
  GError *error = NULL;
  const guint exclude = t->flags & FLAG_EXCLUDES ? STUDY_FLAG_TIMEOUTS : 0;
  g_autoptr(study_table) table = study_table_read(store, exclude, &error);

  if (!table || !study_table_check(table, exclude, &error)) {
    fuzz_files_check_error(error);
    return;
  }
  check_table(table);
  if ((t->flags & FLAGS_FORMAT) != FLAGS_FORMAT) {
    check_plots(table, (gnuplot_format)((t->flags & FLAGS_FORMAT) >> 4));
  }
}

static void check_report(result_store *store)
{
  const html_report_options options = {.store = "store.sqlite", .page = "store.html", .version = "0"};
  GError *error = NULL;
  g_autofree char *page = html_report_make(store, &options, &error);

  if (page) {
    g_assert_true(g_utf8_validate(page, -1, NULL));
  } else {
    fuzz_files_check_error(error);
  }
}

/* Merges twice; the second time nothing is new. */
static void check_merge(const trial *t, const char *path)
{
  g_autofree char *joined = fuzz_files_write("joined.sqlite", NULL, 0);
  result_store *into = result_store_open(joined, RESULT_STORE_WRITE, NULL);
  const char *const paths[] = {path};
  merge_count counts = {0};
  GError *error = NULL;

  g_assert_nonnull(into);
  gboolean merged = result_merge(into, paths, 1, (t->flags & FLAG_MIXES) != 0, &counts, &error);
  if (is_good(t, merged, error)) {
    g_assert_cmpuint(counts.taken, ==, counts.runs);
    g_autofree char *once = export(t, into);
    g_assert_true(result_merge(into, paths, 1, FALSE, &counts, NULL));
    g_assert_cmpuint(counts.present, ==, counts.runs);
    g_autofree char *twice = export(t, into);
    g_assert_cmpstr(once, ==, twice);
  }
  result_store_close(into);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  trial t = {.flags = fuzz_input_octet(&input)};
  GError *error = NULL;

  t.origin = (provenance){.name = (char *)"fuzz",
                          .title = take_text(&input),
                          .text = take_text(&input),
                          .axes = take_text(&input),
                          .sets = (char *)"",
                          .version = (char *)"0",
                          .git = (char *)"unknown",
                          .libraries = (char *)"none"};
  for (gsize runs = fuzz_input_octet(&input) % (RUNS_MAX + 1); runs > 0; runs--) {
    take_run(&input, &t);
  }
  g_autofree char *path = write_store(&t);
  damage(&t, &input, path);
  result_store *store = result_store_open(path, RESULT_STORE_READ, &error);
  if (is_good(&t, store != NULL, error)) {
    check_runs(&t, store);
    g_free(export(&t, store));
    check_study(&t, store);
    if (t.flags & FLAG_REPORTS) {
      check_report(store);
    }
    if (t.flags & FLAG_MERGES) {
      check_merge(&t, path);
    }
  }
  result_store_close(store);
  trial_clear(&t);
  return 0;
}
