/* SPDX-License-Identifier: GPL-2.0-only */
/* These helpers make scenario files for tests: an executable writes its own into a folder of its own, which
 * is the working directory, so that errors name files as "a.cfg". */
#pragma once

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "run_folder.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "string_list.h"
#include "test.h"

static char *fixture_folder;

__attribute__((constructor)) static void fixture_enter(void)
{
  fixture_folder = run_folder_new();
  g_assert_cmpint(g_chdir(fixture_folder), ==, 0);
  g_assert_cmpint(g_mkdir("sub", 0700), ==, 0);
}

__attribute__((destructor)) static void fixture_leave(void)
{
  g_assert_cmpint(g_chdir("/"), ==, 0);
  run_folder_remove(fixture_folder);
}

static inline void fixture_write_octets(const char *path, const char *octets, gsize length)
{
  /* Not g_file_set_contents(): it waits for the disk. */
  FILE *file = fopen(path, "wb");

  g_assert_nonnull(file);
  fwrite(octets, 1, length, file);
  g_assert_cmpint(fclose(file), ==, 0);
}

static inline void fixture_write(const char *path, const char *text)
{
  fixture_write_octets(path, text, strlen(text));
}

/* Loads the file at `path`; it must load. */
static inline scenario *fixture_load_file(const char *path, const char *const *sets)
{
  return NO_ERROR(scenario_load, path, sets);
}

/* Loads `text` as a.cfg with at most one --set (NULL: none); it must load. */
static inline scenario *fixture_load(const char *text, const char *set)
{
  fixture_write("a.cfg", text);
  return fixture_load_file("a.cfg", STRINGS(set));
}

/* Returns the message with which the file at `path`, with at most one --set, does not load. Free with
 * g_free(). */
static inline char *fixture_refusal_of_file(const char *path, const char *set)
{
  g_autoptr(GError) error = NULL;

  if (scenario_load(path, STRINGS(set), &error) != NULL) {
    g_error("this should not load: %s %s", path, set != NULL ? set : "");
  }
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  return g_strdup(error->message);
}

/* Returns the same for `text` as a.cfg. */
static inline char *fixture_refusal(const char *text, const char *set)
{
  fixture_write("a.cfg", text);
  return fixture_refusal_of_file("a.cfg", set);
}

/* Checks the message for each of `count` rows, of a text and the message. */
static inline void fixture_assert_refusals(const char *const rows[][2], gsize count)
{
  for (gsize i = 0; i < count; i++) {
    g_autofree char *message = fixture_refusal(rows[i][0], NULL);
    g_assert_cmpstr(message, ==, rows[i][1]);
  }
}

/* Returns what scenario_check() finds in `s`, which is freed: the error's message, else the notes, one a
 * line; "" when there are none. That the default tick is many round trips, as with any loss over the default
 * path, is left out. Free with g_free(). */
static inline char *fixture_findings(scenario *s)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GError) error = NULL;
  gboolean ok = scenario_check(s, notes, &error);

  g_assert_cmpint(ok, ==, error == NULL);
  g_assert_cmpint(ok, ==, scenario_check(s, NULL, NULL)); /* notes change nothing else */
  if (!ok) {
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  }
  scenario_free(s);
  for (guint i = notes->len; i > 0; i--) {
    if (strstr(notes->pdata[i - 1], "(default of tcp.timer_tick)")) {
      g_ptr_array_remove_index(notes, i - 1);
    }
  }
  g_ptr_array_add(notes, NULL);
  return ok ? g_strjoinv("\n", (char **)notes->pdata) : g_strdup(error->message);
}

/* Checks that `text` as a.cfg has exactly these findings. */
static inline void fixture_assert_findings(const char *text, const char *expected)
{
  g_autofree char *found = fixture_findings(fixture_load(text, NULL));

  g_test_message("%s", text);
  g_assert_cmpstr(found, ==, expected);
}

/* Checks the same for `count` rows of a text and its findings. */
static inline void fixture_assert_all_findings(const char *const rows[][2], gsize count)
{
  for (gsize i = 0; i < count; i++) {
    fixture_assert_findings(rows[i][0], rows[i][1]);
  }
}

static inline void fixture_assert_text(const scenario *s, scenario_key key, const char *expected)
{
  const char *text = scenario_value_text(s, key);

  g_assert_cmpstr(text, ==, expected);
}
