/* SPDX-License-Identifier: GPL-2.0-only */
#include "run_kit.h"

#include <glib/gstdio.h>
#include <sys/wait.h>

#include "temporary_scenario.h"

session_result run_kit_run(const char *engine_name, const char *directory, const char *const *sets)
{
  session_result result = run_kit_run_to(RUN_OK, engine_name, directory, sets);

  g_assert_cmpstr(result.message, ==, "");
  return result;
}

session_result run_kit_run_to(run_status status, const char *engine_name, const char *directory,
                              const char *const *sets)
{
  return run_kit_run_text("title = \"run kit\";\n", status, engine_name, directory, sets);
}

static session_result run_on(const scenario *s, const char *engine_name, const char *directory)
{
  const simulation_options options = {.directory = directory, .capture = directory != NULL};
  GError *error = NULL;
  g_autoptr(scenario) own = scenario_copy(s);
  session_result result;

  scenario_set_key(own, SCENARIO_RUN_ENGINE, engine_name, "run kit", &error);
  g_assert_no_error(error);
  scenario_check(own, NULL, &error);
  g_assert_no_error(error);
  simulation_run(own, &options, &result, &error);
  g_assert_no_error(error);
  return result;
}

static void assert_status(const session_result *result, run_status status)
{
  if (result->status != status) {
    g_error("the run ended with status %d: %s", result->status, result->message);
  }
}

session_result run_kit_run_text(const char *text, run_status status, const char *engine_name,
                                const char *directory, const char *const *sets)
{
  g_autoptr(scenario) s = temporary_scenario(text, sets);
  session_result result = run_on(s, engine_name, directory);

  assert_status(&result, status);
  return result;
}

double run_kit_metric(const session_result *result, metric_id id)
{
  if (!result->metrics.present[id]) {
    g_error("metric %s has no value", metric_row_of(id)->name);
  }
  return result->metrics.value[id];
}

char *run_kit_new_folder(void)
{
  GError *error = NULL;
  char *folder = g_dir_make_tmp("iwarpsim-test-XXXXXX", &error);

  g_assert_no_error(error);
  return folder;
}

static void remove_tree(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *entry = g_build_filename(path, name, NULL);
    remove_tree(entry);
  }
  if (dir) {
    g_dir_close(dir);
  }
  g_remove(path);
}

void run_kit_remove_folder(char *folder)
{
  remove_tree(folder);
  g_free(folder);
}

char *run_kit_read(const char *folder, const char *name, gsize *length)
{
  GError *error = NULL;
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *contents;

  g_file_get_contents(path, &contents, length, &error);
  g_assert_no_error(error);
  return contents;
}

int run_kit_spawn(const char *program, const char *folder, const char *const *arguments, char **output,
                  char **errors)
{
  GError *error = NULL;
  GPtrArray *argv = g_ptr_array_new();
  char *printed;
  char *complained;
  int wait_status;

  g_assert_nonnull(g_getenv(program));
  g_ptr_array_add(argv, (gpointer)g_getenv(program));
  for (const char *const *argument = arguments; *argument; argument++) {
    g_ptr_array_add(argv, (gpointer)*argument);
  }
  g_ptr_array_add(argv, NULL);
  g_spawn_sync(folder, (char **)argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &printed, &complained,
               &wait_status, &error);
  g_assert_no_error(error);
  g_assert_true(WIFEXITED(wait_status));
  g_ptr_array_unref(argv);
  if (output) {
    *output = printed;
  } else {
    g_free(printed);
  }
  if (errors) {
    *errors = complained;
  } else {
    g_free(complained);
  }
  return WEXITSTATUS(wait_status);
}

session_result run_kit_assert_same_run(const char *const *sets)
{
  return run_kit_assert_same_text("title = \"run kit\";\n", RUN_OK, sets);
}

/* --- Two engines --- */

static char *compare_ends(const session_result *a, const session_result *b)
{
  if (a->status != b->status || g_strcmp0(a->message, b->message) != 0 ||
      g_strcmp0(a->terminate_code, b->terminate_code) != 0 ||
      g_strcmp0(a->terminate_side, b->terminate_side) != 0) {
    return g_strdup_printf("the end: ns-3 %d \"%s\", native %d \"%s\"", a->status, a->message, b->status,
                           b->message);
  }
  return NULL;
}

static char *compare_metrics(const session_result *a, const session_result *b)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (a->metrics.present[id] != b->metrics.present[id] ||
        (id != METRIC_TIME_WALL_S && a->metrics.value[id] != b->metrics.value[id])) {
      return g_strdup_printf("%s: ns-3 %.17g, native %.17g", metric_row_of(id)->name, a->metrics.value[id],
                             b->metrics.value[id]);
    }
  }
  return NULL;
}

static char *compare_distributions(const session_result *a, const session_result *b)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution *left = &a->distributions[id], *right = &b->distributions[id];

    if (left->count != right->count ||
        (left->count > 0 && memcmp(left->bins, right->bins, left->count * sizeof *left->bins) != 0)) {
      return g_strdup_printf("distribution %d: ns-3 %zu bins, native %zu, or other ones", (int)id,
                             left->count, right->count);
    }
  }
  return NULL;
}

/* NULL when there is no such file: measure.series may be none. */
static char *read_if_there(const char *folder, const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  bool is_there = g_file_test(path, G_FILE_TEST_EXISTS);

  *length = 0;
  return is_there ? run_kit_read(folder, name, length) : NULL;
}

static char *compare_file(const char *name, const char *a, const char *b)
{
  gsize lengths[2], at = 0;
  g_autofree char *left = read_if_there(a, name, &lengths[0]);
  g_autofree char *right = read_if_there(b, name, &lengths[1]);

  while (at < MIN(lengths[0], lengths[1]) && left[at] == right[at]) {
    at++;
  }
  return at == lengths[0] && at == lengths[1] && !left == !right
             ? NULL
             : g_strdup_printf("%s: ns-3 %zu octets, native %zu, the first %zu are the same", name,
                               lengths[0], lengths[1], at);
}

static char *compare_files(const char *a, const char *b)
{
  char *difference = compare_file("occupancy.csv", a, b);

  difference = difference ? difference : compare_file("sender.pcap", a, b);
  return difference ? difference : compare_file("receiver.pcap", a, b);
}

char *run_kit_difference(const scenario *s, session_result *result)
{
  char *folders[2] = {run_kit_new_folder(), run_kit_new_folder()};
  g_auto(session_result) ns3 = run_on(s, RUN_KIT_OTHER_ENGINE, folders[0]);
  *result = run_on(s, "native", folders[1]);
  char *difference = compare_ends(&ns3, result);

  difference = difference ? difference : compare_metrics(&ns3, result);
  difference = difference ? difference : compare_distributions(&ns3, result);
  difference = difference ? difference : compare_files(folders[0], folders[1]);
  run_kit_remove_folder(folders[0]);
  run_kit_remove_folder(folders[1]);
  return difference;
}

session_result run_kit_assert_same_text(const char *text, run_status status, const char *const *sets)
{
  g_autoptr(scenario) s = temporary_scenario(text, sets);
  session_result result;
  char *difference = run_kit_difference(s, &result);

  if (difference) {
    g_error("the engines differ: %s", difference);
  }
  assert_status(&result, status);
  return result;
}
