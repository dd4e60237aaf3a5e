/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of sweeps, stores and plots share: a temporary folder, scenarios made of text, made-up
 * runs. */
#ifndef TESTS_STUDY_STUDY_KIT_H
#define TESTS_STUDY_STUDY_KIT_H

#include <glib.h>

#include "scenario/scenario.h"
#include "study/store/result_store.h"

/* A folder of its own; remove with kit_folder_remove(), which frees the name. */
char *kit_folder_new(void);
void kit_folder_remove(char *folder);

/* Writes `text` to `folder`/`name` and returns the path (g_free()). */
char *kit_file(const char *folder, const char *name, const char *text);

/* Loads `text` as the scenario `folder`/`name`. Fails the test when it is refused. */
scenario *kit_scenario(const char *folder, const char *name, const char *text, const char *const *sets);

/* An origin of the scenario called `name`, by iwarpsim 0.1.0 of an unknown commit; the texts stay the caller's. */
provenance kit_origin(const char *name, const char *title, const char *text, const char *axes);

/* An `ok` run of `s` at `point`, without metrics; the texts in it are the caller's to free with
 * kit_run_clear(). */
stored_run kit_run(const scenario *s, guint64 point);
void kit_run_clear(stored_run *run);

/* The same of `s` with the seed `seed`. */
stored_run kit_seed_run(const scenario *s, guint seed, guint64 point);

/* The number of runs in the store at `path`. */
guint kit_count_runs(const char *path);

#endif
