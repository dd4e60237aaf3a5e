/* SPDX-License-Identifier: GPL-2.0-only */
#include "study_fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "store_commit.h"
#include "study/store/result_store.h"

char *fixture_folder_new(void)
{
  return NO_ERROR(g_dir_make_tmp, "test-study-XXXXXX");
}

static void remove_files(const char *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
  g_clear_pointer(&dir, g_dir_close);
}

void fixture_folder_remove(char *folder)
{
  int removed;
  do {
    remove_files(folder);
    removed = g_rmdir(folder);
    /* A run that was killed a moment ago first ends the system call it is in, which may make a file. */
  } while (removed != 0 && errno == ENOTEMPTY);
  g_assert_cmpint(removed, ==, 0);
  g_free(folder);
}

char *fixture_file(const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename(folder, name, NULL);
  g_assert_true(NO_ERROR(g_file_set_contents, path, text, -1));
  return path;
}

scenario *fixture_scenario(const char *folder, const char *name, const char *text, const char *const *sets)
{
  g_autofree char *path = fixture_file(folder, name, text);
  return NO_ERROR(scenario_load, path, sets);
}

provenance fixture_origin(const char *name, const char *title, const char *text, const char *axes)
{
  return (provenance){.name = (char *)name,
                      .title = (char *)title,
                      .text = (char *)text,
                      .axes = (char *)axes,
                      .sets = (char *)"",
                      .version = (char *)"0.1.0",
                      .git = (char *)"unknown",
                      .libraries = (char *)"GLib 2.74.6"};
}

stored_run fixture_run(const scenario *s, guint64 point)
{
  stored_run run = {.point = point,
                    .status = RUN_OK,
                    .message = (char *)"",
                    .stderr_tail = (char *)"",
                    .engine = (char *)"native",
                    .host = (char *)"testhost",
                    .started = (char *)"2026-11-21T10:08:16Z",
                    .wall_s = 0.25,
                    .cpu_s = 0.125,
                    .memory_peak_octets = 1048576};
  run_identity_texts(s, run.keys);
  run.identity = run_identity_of(run.keys);
  return run;
}

stored_run fixture_seed_run(const scenario *s, guint seed, guint64 point)
{
  g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
  scenario *copy = scenario_copy(s);
  g_assert_true(scenario_set(copy, set, NULL));
  stored_run run = fixture_run(copy, point);
  scenario_free(copy);
  return run;
}

void fixture_run_clear(stored_run *run)
{
  run_identity_clear(run->keys);
  g_clear_pointer(&run->identity, g_free);
  run_results_clear(&run->results);
}

static gboolean count_one(G_GNUC_UNUSED const provenance *from, G_GNUC_UNUSED const stored_run *run,
                          gpointer data, G_GNUC_UNUSED GError **error)
{
  (*(guint *)data)++;
  return TRUE;
}

guint fixture_count_runs(const char *path)
{
  guint count = 0;
  result_store *store = NO_ERROR(result_store_open, path, RESULT_STORE_READ);
  g_assert_true(NO_ERROR(result_store_each, store, count_one, &count));
  result_store_close(store);
  return count;
}

void expect_same_metrics(const metric_values *found, const metric_values *expected)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(found->present[id], ==, expected->present[id]);
    g_assert_true(found->value[id] == expected->value[id]);
  }
}

void expect_same_distributions(const distribution *found, const distribution *expected)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    g_assert_cmpuint(found[id].count, ==, expected[id].count);
    for (size_t i = 0; i < found[id].count; i++) {
      g_assert_true(found[id].bins[i].bound == expected[id].bins[i].bound);
      g_assert_true(found[id].bins[i].weight == expected[id].bins[i].weight);
    }
  }
}

void expect_same_gauges(const run_results *found, const run_results *expected)
{
  const guint of_found = found->block_maxima != NULL ? found->block_maxima->len : 0;
  const guint of_expected = expected->block_maxima != NULL ? expected->block_maxima->len : 0;
  g_assert_cmpmem(&found->quantiles, sizeof found->quantiles, &expected->quantiles, sizeof found->quantiles);
  g_assert_cmpuint(found->block_octets, ==, expected->block_octets);
  g_assert_cmpuint(of_found, ==, of_expected);
  for (guint i = 0; i < of_found; i++) {
    g_assert_cmpuint(g_array_index(found->block_maxima, guint64, i), ==,
                     g_array_index(expected->block_maxima, guint64, i));
  }
}

/* Grids. */

void grid_fixture_make(grid_fixture *f, const char *text)
{
  g_clear_pointer(&f->grid, sweep_grid_free);
  scenario_free(f->scenario);
  f->scenario = fixture_scenario(f->folder, "a.cfg", text, NULL);
  f->grid = NO_ERROR(sweep_grid_new, f->scenario, NULL, NULL, 0, NULL, NULL);
}

void grid_fixture_set_up(grid_fixture *f, gconstpointer text)
{
  *f = (grid_fixture){.folder = fixture_folder_new()};
  if (text != NULL) {
    grid_fixture_make(f, text);
  }
}

void grid_fixture_tear_down(grid_fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  sweep_grid_free(f->grid);
  scenario_free(f->scenario);
  fixture_folder_remove(f->folder);
}

/* Stores. */

sqlite3 *raw_open(const char *path)
{
  sqlite3 *database = NULL;
  g_assert_cmpint(sqlite3_open(path, &database), ==, SQLITE_OK);
  return database;
}

void raw_execute(sqlite3 *database, const char *sql)
{
  char *problem = NULL;
  sqlite3_exec(database, sql, NULL, NULL, &problem);
  g_assert_cmpstr(problem, ==, NULL);
}

void store_fixture_set_up(store_fixture *f, gconstpointer axes)
{
  *f = (store_fixture){.folder = fixture_folder_new(), .origin = fixture_origin("a", "A question", "", axes)};
  f->path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->scenario = fixture_scenario(f->folder, "a.cfg", "title = \"A question\";", NULL);
  f->store = NO_ERROR(result_store_open, f->path, RESULT_STORE_WRITE);
}

void store_fixture_tear_down(store_fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  result_store_close(f->store);
  scenario_free(f->scenario);
  g_free(f->path);
  fixture_folder_remove(f->folder);
}

static void set_keys(scenario *s, char *const *words)
{
  for (gsize i = 0; words[i] != NULL; i++) {
    if (*words[i] != '\0' && *words[i] != '-') {
      g_assert_true(NO_ERROR(scenario_set, s, words[i]));
    }
  }
}

static void remove_keys(stored_run *run, char *const *words)
{
  for (gsize i = 0; words[i] != NULL; i++) {
    if (*words[i] == '-') {
      scenario_key key = scenario_key_find(words[i] + 1);
      g_assert_cmpint(key, <, SCENARIO_KEY_COUNT);
      g_clear_pointer(&run->keys[key], g_free);
    }
  }
}

static void set_quantile(gauge_quantiles *of, const char *name, double value)
{
  gauge_id gauge;
  guint32 parts;
  g_assert_true(quantile_find(name, &gauge, &parts));
  const gsize place = gauge_quantiles_find(of, parts);
  of->count = MAX(of->count, place + 1);
  of->parts[place] = parts;
  of->values[gauge][place] = value;
}

static void set_values(stored_run *run, const char *values)
{
  g_auto(GStrv) words = g_strsplit(values, " ", -1);
  for (gsize i = 0; words[i] != NULL; i++) {
    char *equals = strchr(words[i], '=');
    if (equals != NULL) {
      *equals = '\0';
      metric_id id = metric_find(words[i]);
      double value = g_ascii_strtod(equals + 1, NULL);
      if (id < METRIC_COUNT) {
        metric_values_set(&run->results.metrics, id, value);
      } else {
        set_quantile(&run->results.quantiles, words[i], value);
      }
    }
  }
}

stored_run store_fixture_run(store_fixture *f, const char *keys, const char *values)
{
  g_auto(GStrv) words = g_strsplit(keys, " ", -1);
  g_autoptr(scenario) s = scenario_copy(f->scenario);
  set_keys(s, words);
  stored_run run = fixture_run(s, f->point++);
  remove_keys(&run, words);
  set_values(&run, values);
  return run;
}

void store_fixture_commit(store_fixture *f, const stored_run *run)
{
  g_assert_true(NO_ERROR(store_commit, f->store, &f->origin, run));
}

void store_fixture_add_status(store_fixture *f, const char *keys, const char *values, run_status status)
{
  g_auto(stored_run) run = store_fixture_run(f, keys, values);
  run.status = status;
  store_fixture_commit(f, &run);
}

void store_fixture_add(store_fixture *f, const char *keys, const char *values)
{
  store_fixture_add_status(f, keys, values, RUN_OK);
}

void store_fixture_sql(store_fixture *f, const char *sql)
{
  sqlite3 *database = raw_open(f->path);
  raw_execute(database, "PRAGMA foreign_keys = ON");
  raw_execute(database, sql);
  g_assert_cmpint(sqlite3_close(database), ==, SQLITE_OK);
}
