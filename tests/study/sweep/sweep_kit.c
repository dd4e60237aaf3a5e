#include "sweep_kit.h"

#include <glib/gstdio.h>
#include <string.h>

#include "study/store/csv_export.h"

void sweep_kit_set_up(sweep_fixture *f, gconstpointer program)
{
  f->folder = kit_folder_new();
  f->store_path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->problems_path = g_build_filename(f->folder, "problems", NULL);
  f->program = program;
}

void sweep_kit_tear_down(sweep_fixture *f, gconstpointer program)
{
  (void)program;
  g_free(f->store_path);
  g_free(f->problems_path);
  kit_folder_remove(f->folder);
}

gboolean sweep_kit_sweep_into(const sweep_fixture *f, result_store *store, const char *text,
                              const char *const *sets, sweep_options options, sweep_result *result,
                              GError **error)
{
  scenario *s = kit_scenario(f->folder, "a.cfg", text, sets);
  sweep_grid *grid = sweep_grid_new(s, sets, error);
  g_assert_nonnull(grid);
  g_autofree char *axes = sweep_grid_axes_text(grid);
  const stored_origin from = kit_origin(scenario_name(s), scenario_text(s, SCENARIO_TITLE), text, axes);
  options.sets = sets;
  options.problems = fopen(f->problems_path, "w");
  gboolean good = sweep_run(grid, scenario_path(s), &from, store, &options, result, error);
  fclose(options.problems);
  sweep_grid_free(grid);
  scenario_free(s);
  return good;
}

gboolean sweep_kit_sweep_text(const sweep_fixture *f, const char *text, const char *const *sets,
                              sweep_options options, sweep_result *result, GError **error)
{
  result_store *store = result_store_open(f->store_path, RESULT_STORE_WRITE, error);
  g_assert_nonnull(store);
  gboolean good = sweep_kit_sweep_into(f, store, text, sets, options, result, error);
  result_store_close(store);
  return good;
}

sweep_options sweep_kit_options_of(const sweep_fixture *f, guint jobs)
{
  return (sweep_options){.program = f->program, .jobs = jobs, .shard = 1, .shards = 1, .keep_going = TRUE};
}

sweep_result sweep_kit_sweep_well(const sweep_fixture *f, const char *text, guint jobs)
{
  g_autoptr(GError) error = NULL;
  sweep_result result;
  g_assert_true(sweep_kit_sweep_text(f, text, NULL, sweep_kit_options_of(f, jobs), &result, &error));
  g_assert_no_error(error);
  return result;
}

char *sweep_kit_problems(const sweep_fixture *f)
{
  char *text = NULL;
  g_assert_true(g_file_get_contents(f->problems_path, &text, NULL, NULL));
  return text;
}

guint sweep_kit_take_traces(const sweep_fixture *f, pid_t *last)
{
  guint count = 0;
  g_autoptr(GDir) dir = g_dir_open(f->folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir)) != NULL) {
    if (!g_str_has_prefix(name, "started-")) {
      continue;
    }
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autofree char *lines = NULL;
    g_assert_true(g_file_get_contents(path, &lines, NULL, NULL));
    g_unlink(path);
    g_auto(GStrv) pids = g_strsplit(lines, "\n", -1); /* a newline ends each */
    count += g_strv_length(pids) - 1;
    if (last != NULL) {
      *last = (pid_t)g_ascii_strtoll(pids[0], NULL, 10);
    }
  }
  return count;
}

guint sweep_kit_take_starts(const sweep_fixture *f)
{
  return sweep_kit_take_traces(f, NULL);
}

char *sweep_kit_export_text(const sweep_fixture *f)
{
  g_autofree char *path = g_build_filename(f->folder, "a.csv", NULL);
  char *text = NULL;
  result_store *store = result_store_open(f->store_path, RESULT_STORE_READ, NULL);
  FILE *file = fopen(path, "w");
  g_assert_true(csv_export_write(store, file, NULL));
  fclose(file);
  result_store_close(store);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static gboolean find_message(const stored_origin *from, const stored_run *run, gpointer data, GError **error)
{
  (void)from;
  (void)error;
  stored_run *wanted = data;
  if (strcmp(run->keys[SCENARIO_RUN_SEED], wanted->keys[SCENARIO_RUN_SEED]) == 0) {
    wanted->status = run->status;
    wanted->exit_code = run->exit_code;
    wanted->message = g_strdup(run->message);
    wanted->stderr_tail = g_strdup(run->stderr_tail);
  }
  return TRUE;
}

void sweep_kit_expect_recorded(const sweep_fixture *f, const char *seed, run_status status, int exit_code,
                               const char *said)
{
  stored_run found = {.status = RUN_STATUSES};
  found.keys[SCENARIO_RUN_SEED] = (char *)seed;
  result_store *store = result_store_open(f->store_path, RESULT_STORE_READ, NULL);
  g_assert_true(result_store_each(store, find_message, &found, NULL));
  result_store_close(store);
  g_assert_cmpint(found.status, ==, status);
  g_assert_cmpint(found.exit_code, ==, exit_code);
  if (strstr(found.message, said) == NULL) {
    g_error("\"%s\" does not say \"%s\"", found.message, said);
  }
  g_free(found.message);
  g_free(found.stderr_tail);
}

char *sweep_kit_stderr_of(const sweep_fixture *f, const char *seed)
{
  stored_run found = {.status = RUN_STATUSES};
  found.keys[SCENARIO_RUN_SEED] = (char *)seed;
  result_store *store = result_store_open(f->store_path, RESULT_STORE_READ, NULL);
  g_assert_true(result_store_each(store, find_message, &found, NULL));
  result_store_close(store);
  g_free(found.message);
  return found.stderr_tail;
}
