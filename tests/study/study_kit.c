/* SPDX-License-Identifier: GPL-2.0-only */
#include "study_kit.h"

#include <errno.h>

#include <glib/gstdio.h>

#include "study/store/run_identity.h"

char *kit_folder_new(void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp("test-study-XXXXXX", &error);
  g_assert_no_error(error);
  return folder;
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

void kit_folder_remove(char *folder)
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

char *kit_file(const char *folder, const char *name, const char *text)
{
  g_autoptr(GError) error = NULL;
  char *path = g_build_filename(folder, name, NULL);
  g_file_set_contents(path, text, -1, &error);
  g_assert_no_error(error);
  return path;
}

scenario *kit_scenario(const char *folder, const char *name, const char *text, const char *const *sets)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = kit_file(folder, name, text);
  scenario *s = scenario_load(path, sets, &error);
  g_assert_no_error(error);
  return s;
}

provenance kit_origin(const char *name, const char *title, const char *text, const char *axes)
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

stored_run kit_run(const scenario *s, guint64 point)
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

stored_run kit_seed_run(const scenario *s, guint seed, guint64 point)
{
  g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
  scenario *copy = scenario_copy(s);
  g_assert_true(scenario_set(copy, set, NULL));
  stored_run run = kit_run(copy, point);
  scenario_free(copy);
  return run;
}

void kit_run_clear(stored_run *run)
{
  run_identity_clear(run->keys);
  g_clear_pointer(&run->identity, g_free);
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&run->distributions[id]);
  }
}

static gboolean count_one(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  (void)from;
  (void)run;
  (void)error;
  (*(guint *)data)++;
  return TRUE;
}

guint kit_count_runs(const char *path)
{
  g_autoptr(GError) error = NULL;
  guint count = 0;
  result_store *store = result_store_open(path, RESULT_STORE_READ, &error);
  g_assert_no_error(error);
  result_store_each(store, count_one, &count, &error);
  g_assert_no_error(error);
  result_store_close(store);
  return count;
}
