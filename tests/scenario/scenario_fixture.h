/* SPDX-License-Identifier: GPL-2.0-only */
/* Scenario files for tests: each test writes its own into a folder of its own, which is the working
 * directory, so that errors name files as "a.cfg". */
#ifndef TESTS_SCENARIO_SCENARIO_FIXTURE_H
#define TESTS_SCENARIO_SCENARIO_FIXTURE_H

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"

/* Makes a folder and goes there; the name, for fixture_leave(). */
static inline char *fixture_enter(void)
{
  char *folder = g_dir_make_tmp("iwarpsim-scenario-XXXXXX", NULL);

  g_assert_nonnull(folder);
  g_assert_cmpint(g_chdir(folder), ==, 0);
  return folder;
}

/* Removes the files of the folder (none has folders with files in it but "sub") and the folder. */
static inline void fixture_leave(char *folder)
{
  static const char *const places[] = {"sub", "."};

  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    GDir *dir = g_dir_open(places[i], 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
      char *path = g_build_filename(places[i], name, NULL);
      g_remove(path);
      g_free(path);
    }
    if (dir != NULL)
      g_dir_close(dir);
  }
  g_assert_cmpint(g_chdir("/"), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  g_free(folder);
}

static inline void fixture_write(const char *path, const char *text, gssize length)
{
  /* Not g_file_set_contents(): it waits for the disk. */
  FILE *file = fopen(path, "wb");

  g_assert_nonnull(file);
  fwrite(text, 1, length < 0 ? strlen(text) : (gsize)length, file);
  g_assert_cmpint(fclose(file), ==, 0);
}

/* Loads `text` as a.cfg with at most one --set (NULL: none); it must load. */
static inline scenario *fixture_load(const char *text, const char *set)
{
  const char *sets[] = {set, NULL};
  GError *error = NULL;

  fixture_write("a.cfg", text, -1);
  scenario *s = scenario_load("a.cfg", sets, &error);
  g_assert_no_error(error);
  g_assert_nonnull(s);
  return s;
}

/* The message with which `text` as a.cfg, with at most one --set, does not load. Free with g_free(). */
static inline char *fixture_refusal(const char *text, const char *set)
{
  const char *sets[] = {set, NULL};
  GError *error = NULL;

  fixture_write("a.cfg", text, -1);
  scenario *s = scenario_load("a.cfg", sets, &error);
  if (s != NULL)
    g_error("this should not load: %s %s", text, set != NULL ? set : "");
  g_assert_error(error, SCENARIO_ERROR, SCENARIO_ERROR_INVALID);
  char *message = g_strdup(error->message);
  g_error_free(error);
  return message;
}

/* What scenario_check() finds in `s`, which is freed: the error's message, else the notes, one a line; ""
 * when there are none. Free with g_free(). */
static inline char *fixture_findings(scenario *s)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GError) error = NULL;
  gboolean ok = scenario_check(s, notes, &error);

  g_assert_cmpint(ok, ==, error == NULL);
  g_assert_cmpint(ok, ==, scenario_check(s, NULL, NULL)); /* notes change nothing else */
  if (!ok)
    g_assert_error(error, SCENARIO_ERROR, SCENARIO_ERROR_INVALID);
  scenario_free(s);
  g_ptr_array_add(notes, NULL);
  return ok ? g_strjoinv("\n", (char **)notes->pdata) : g_strdup(error->message);
}

/* `text` as a.cfg has exactly these findings. */
static inline void fixture_assert_findings(const char *text, const char *expected)
{
  g_autofree char *found = fixture_findings(fixture_load(text, NULL));

  g_test_message("%s", text);
  g_assert_cmpstr(found, ==, expected);
}

#endif
