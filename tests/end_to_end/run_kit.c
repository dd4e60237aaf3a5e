#include "run_kit.h"

#include <glib/gstdio.h>
#include <sys/wait.h>

simulation_result run_kit_run(const char *engine_name, const char *directory, const char *const *sets)
{
  simulation_result result = run_kit_run_to(RUN_OK, engine_name, directory, sets);

  g_assert_cmpstr(result.message, ==, "");
  return result;
}

simulation_result run_kit_run_to(run_status status, const char *engine_name, const char *directory,
                                 const char *const *sets)
{
  return run_kit_run_text("title = \"run kit\";\n", status, engine_name, directory, sets);
}

simulation_result run_kit_run_text(const char *text, run_status status, const char *engine_name,
                                   const char *directory, const char *const *sets)
{
  GError *error = NULL;
  char *folder = run_kit_new_folder();
  char *path = g_build_filename(folder, "kit.cfg", NULL);
  char *engine_set = g_strconcat("run.engine=", engine_name, NULL);
  const simulation_options options = {.directory = directory, .capture = directory != NULL};
  simulation_result result;

  g_file_set_contents(path, text, -1, &error);
  g_assert_no_error(error);
  scenario *s = scenario_load(path, sets, &error);
  g_assert_no_error(error);
  scenario_set(s, engine_set, &error);
  g_assert_no_error(error);
  scenario_check(s, NULL, &error);
  g_assert_no_error(error);
  simulation_run(s, &options, &result, &error);
  g_assert_no_error(error);
  if (result.status != status) {
    g_error("the run ended with status %d: %s", result.status, result.message);
  }
  scenario_free(s);
  g_free(engine_set);
  g_free(path);
  run_kit_remove_folder(folder);
  return result;
}

double run_kit_metric(const simulation_result *result, metric_id id)
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
    char *entry = g_build_filename(path, name, NULL);
    remove_tree(entry);
    g_free(entry);
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
  char *path = g_build_filename(folder, name, NULL);
  char *contents;

  g_file_get_contents(path, &contents, length, &error);
  g_assert_no_error(error);
  g_free(path);
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

simulation_result run_kit_assert_same_run(const char *const *sets)
{
  return run_kit_assert_same_text("title = \"run kit\";\n", RUN_OK, sets);
}

static void assert_same_distributions(const simulation_result *a, const simulation_result *b)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution *left = &a->distributions[id], *right = &b->distributions[id];
    g_assert_cmpmem(left->bins, left->count * sizeof *left->bins, right->bins,
                    right->count * sizeof *right->bins);
  }
}

simulation_result run_kit_assert_same_text(const char *text, run_status status, const char *const *sets)
{
  static const char *const files[] = {"occupancy.csv", "sender.pcap", "receiver.pcap"};
  char *folders[2] = {run_kit_new_folder(), run_kit_new_folder()};
  simulation_result ns3 = run_kit_run_text(text, status, "ns3", folders[0], sets);
  simulation_result native = run_kit_run_text(text, status, "native", folders[1], sets);

  g_assert_cmpstr(ns3.message, ==, native.message);
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(ns3.metrics.present[id], ==, native.metrics.present[id]);
    if (id != METRIC_TIME_WALL_S && ns3.metrics.value[id] != native.metrics.value[id]) {
      g_error("%s: ns-3 %.17g, native %.17g", metric_row_of(id)->name, ns3.metrics.value[id],
              native.metrics.value[id]);
    }
  }
  assert_same_distributions(&ns3, &native);
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    gsize lengths[2];
    char *contents[2] = {run_kit_read(folders[0], files[i], &lengths[0]),
                         run_kit_read(folders[1], files[i], &lengths[1])};
    g_assert_cmpmem(contents[0], lengths[0], contents[1], lengths[1]);
    g_free(contents[0]);
    g_free(contents[1]);
  }
  simulation_result_clear(&ns3);
  run_kit_remove_folder(folders[0]);
  run_kit_remove_folder(folders[1]);
  return native;
}
