/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep_fixture.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "fake_runs.h"
#include "parts.h"
#include "scenario/configuration.h"
#include "study/table/result_table.h"

/* The sweep's calls for the time come here, since the executable goes before GLib's library; GLib's own do
 * not. */

static gint64 stopped_at_us; /* 0: it goes */

gint64 g_get_monotonic_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return stopped_at_us != 0 ? stopped_at_us : (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

void stop_clock(void)
{
  stopped_at_us = g_get_monotonic_time();
}

void advance_clock(double seconds)
{
  stopped_at_us += (gint64)(seconds * G_USEC_PER_SEC + 0.5);
}

void start_clock(void)
{
  stopped_at_us = 0;
}

/* Timers. */

void add_timer(const sweep_fixture *f, guint interval_ms, GSourceFunc act, gpointer data)
{
  guint timer = g_timeout_add(interval_ms, act, data);
  g_array_append_val(f->timers, timer);
}

static void remove_timers(const sweep_fixture *f)
{
  for (guint i = 0; i < f->timers->len; i++) {
    GSource *source = g_main_context_find_source_by_id(NULL, g_array_index(f->timers, guint, i));
    if (source != NULL) { /* it has not come to its end */
      g_source_destroy(source);
    }
  }
  g_array_set_size(f->timers, 0);
}

/* Sweeps. */

void sweep_fixture_set_up(sweep_fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = fixture_folder_new();
  f->store_path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->problems_path = g_build_filename(f->folder, "problems", NULL);
  f->timers = g_array_new(FALSE, FALSE, sizeof(guint));
  start_clock();
  signal(SIGINT, SIG_DFL); /* a shell that starts the tests in the background ignores it for them */
}

void sweep_fixture_tear_down(sweep_fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  g_free(f->store_path);
  g_free(f->problems_path);
  g_array_unref(f->timers);
  fixture_folder_remove(f->folder);
}

gboolean sweep_into(const sweep_fixture *f, result_store *store, const char *text, const char *const *sets,
                    how_to_sweep options, sweep_result *result, GError **error)
{
  g_autoptr(scenario) s = fixture_scenario(f->folder, "a.cfg", text, sets);
  g_autoptr(sweep_grid) grid = sweep_grid_new(s, NULL, sets, 0, NULL, NULL, error);
  g_assert_nonnull(grid);
  g_autofree char *axes = sweep_grid_axes_text(grid);
  const provenance from = fixture_origin(scenario_name(s), scenario_configuration(s)->title, text, axes);
  g_autoptr(sweep_plan) plan = sweep_plan_new(grid, NULL, 0);
  if (options.shards > 0) {
    sweep_plan_deal(plan, options.shard, options.shards);
  }
  const sweep_options own = {.simulate = fake_run,
                             .limits = options.limits,
                             .jobs = options.jobs,
                             .keep_going = !options.stops,
                             .problems = fopen(f->problems_path, "w")};
  gboolean good = sweep_run(plan, &from, store, &own, result, error);
  remove_timers(f);
  fclose(own.problems);
  return good;
}

gboolean sweep_text(const sweep_fixture *f, const char *text, const char *const *sets, how_to_sweep options,
                    sweep_result *result, GError **error)
{
  g_autoptr(result_store) store = result_store_open(f->store_path, RESULT_STORE_WRITE, error);
  g_assert_nonnull(store);
  return sweep_into(f, store, text, sets, options, result, error);
}

sweep_result sweep_with(const sweep_fixture *f, const char *text, how_to_sweep options)
{
  sweep_result result;

  g_assert_true(NO_ERROR(sweep_text, f, text, NULL, options, &result));
  return result;
}

sweep_result sweep_well(const sweep_fixture *f, const char *text, guint jobs)
{
  return sweep_with(f, text, (how_to_sweep){.jobs = jobs});
}

char *problems_of_sweep(const sweep_fixture *f)
{
  char *text = NULL;
  g_assert_true(g_file_get_contents(f->problems_path, &text, NULL, NULL));
  return text;
}

/* Returns the processes in a trace. One that is being written holds none yet. Free with g_strfreev(). */
static char **read_trace(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *lines = NULL;
  if (!g_file_get_contents(path, &lines, NULL, NULL) || !g_str_has_suffix(lines, "\n")) {
    return g_new0(char *, 1);
  }
  lines[strlen(lines) - 1] = '\0';
  return g_strsplit(lines, "\n", -1);
}

pid_t traced_process(const char *folder, const char *seed)
{
  g_autofree char *name = g_strconcat("started-", seed, NULL);
  g_auto(GStrv) pids = read_trace(folder, name);
  guint count = g_strv_length(pids);
  return count > 0 ? (pid_t)g_ascii_strtoll(pids[count - 1], NULL, 10) : 0;
}

guint take_traces(const sweep_fixture *f, pid_t *last)
{
  guint count = 0;
  g_autoptr(GDir) dir = g_dir_open(f->folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir)) != NULL) {
    if (!g_str_has_prefix(name, "started-")) {
      continue;
    }
    g_auto(GStrv) pids = read_trace(f->folder, name);
    if (pids[0] == NULL) {
      continue;
    }
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_unlink(path);
    count += g_strv_length(pids);
    if (last != NULL) {
      *last = (pid_t)g_ascii_strtoll(pids[0], NULL, 10);
    }
  }
  return count;
}

guint take_starts(const sweep_fixture *f)
{
  return take_traces(f, NULL);
}

char *export_text(const sweep_fixture *f)
{
  g_autoptr(result_store) store = NO_ERROR(result_store_open, f->store_path, RESULT_STORE_READ);
  return NO_ERROR(result_store_csv, store, 0);
}

char *recorded(const sweep_fixture *f, const char *seed, const char *columns)
{
  g_autoptr(result_store) store = NO_ERROR(result_store_open, f->store_path, RESULT_STORE_READ);
  g_autofree char *sql = g_strdup_printf("SELECT %s FROM runs JOIN parameters ON parameters.run = runs.id"
                                         " WHERE key = 'run.seed' AND value = '%s'",
                                         columns, seed);
  return g_strdup(store_column_text(NO_ERROR(store_row, store, sql), 0));
}

void expect_recorded(const sweep_fixture *f, const char *seed, run_status status, int exit_code,
                     const char *part)
{
  g_autofree char *found = recorded(f, seed, "status || ' ' || exit_code || ' ' || message");
  g_autofree char *ended = g_strdup_printf("%s %d ", run_status_name(status), exit_code);
  g_assert_true(g_str_has_prefix(found, ended));
  EXPECT_PARTS(found + strlen(ended), part);
}
