/* SPDX-License-Identifier: GPL-2.0-only */
#include "store_kit.h"

#include <sqlite3.h>
#include <string.h>

#include "store_commit.h"
#include "study_kit.h"

void store_kit_set_up(store_kit *kit, const char *axes)
{
  g_autoptr(GError) error = NULL;
  *kit = (store_kit){.folder = kit_folder_new(), .origin = kit_origin("a", "A question", "", axes)};
  kit->path = g_build_filename(kit->folder, "a.sqlite", NULL);
  kit->scenario = kit_scenario(kit->folder, "a.cfg", "title = \"A question\";", NULL);
  kit->store = result_store_open(kit->path, RESULT_STORE_WRITE, &error);
  g_assert_no_error(error);
}

void store_kit_tear_down(store_kit *kit)
{
  result_store_close(kit->store);
  scenario_free(kit->scenario);
  g_free(kit->path);
  kit_folder_remove(kit->folder);
}

static void set_keys(scenario *s, char *const *words)
{
  for (gsize i = 0; words[i] != NULL; i++) {
    g_autoptr(GError) error = NULL;
    if (*words[i] != '\0' && *words[i] != '-') {
      scenario_set(s, words[i], &error);
      g_assert_no_error(error);
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

static void set_values(stored_run *run, const char *values)
{
  g_auto(GStrv) words = g_strsplit(values, " ", -1);
  for (gsize i = 0; words[i] != NULL; i++) {
    char *equals = strchr(words[i], '=');
    if (equals != NULL) {
      *equals = '\0';
      metric_id id = metric_find(words[i]);
      g_assert_cmpint(id, <, METRIC_COUNT);
      metric_values_set(&run->metrics, id, g_ascii_strtod(equals + 1, NULL));
    }
  }
}

void store_kit_add_status(store_kit *kit, const char *keys, const char *values, run_status status)
{
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) words = g_strsplit(keys, " ", -1);
  scenario *s = scenario_copy(kit->scenario);
  set_keys(s, words);
  stored_run run = kit_run(s, kit->point++);
  scenario_free(s);
  remove_keys(&run, words);
  set_values(&run, values);
  run.status = status;
  store_commit(kit->store, &kit->origin, &run, &error);
  g_assert_no_error(error);
  kit_run_clear(&run);
}

void store_kit_add(store_kit *kit, const char *keys, const char *values)
{
  store_kit_add_status(kit, keys, values, RUN_OK);
}

void store_kit_sql(store_kit *kit, const char *sql)
{
  sqlite3 *database = NULL;
  g_assert_cmpint(sqlite3_open(kit->path, &database), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(database, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_close(database), ==, SQLITE_OK);
}
