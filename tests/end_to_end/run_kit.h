/* SPDX-License-Identifier: GPL-2.0-only */
/* What the end-to-end tests share: running a scenario, in this process or as a user would. */
#ifndef TESTS_RUN_KIT_H
#define TESTS_RUN_KIT_H

#include <glib.h>

#include "session/simulation.h"
#include "temporary_scenario.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(session_result, session_result_clear)

/* The engine that is not native; in a build without ns-3 there is no other. */
#define RUN_KIT_OTHER_ENGINE (HAS_NS3 ? "ns3" : "native")

/* Runs the scenario that has nothing but a title, with `sets` ("group.key=value", NULL-terminated) on
 * `engine` ("ns3" or "native"), files into `directory` (NULL: none; with it, captures too). Fails the test
 * unless the status is ok. Free the result with session_result_clear(). */
session_result run_kit_run(const char *engine_name, const char *directory, const char *const *sets);

/* The same for a run that must end with `status`. */
session_result run_kit_run_to(run_status status, const char *engine_name, const char *directory,
                              const char *const *sets);

/* The same for a scenario whose file is `text`. */
session_result run_kit_run_text(const char *text, run_status status, const char *engine_name,
                                const char *directory, const char *const *sets);

/* Runs `s` on both engines, captures too. Returns where they differ, NULL when in nothing: the end, the
 * metrics, the distributions and the octets of every file; free with g_free(). `result`: what the native
 * engine gave; free it as above. */
char *run_kit_difference(const scenario *s, session_result *result);

/* Runs it on both engines and asserts that they give the same metrics, distributions and octets in every
 * file. Returns the result; free it as above. */
session_result run_kit_assert_same_run(const char *const *sets);

/* The same for a scenario whose file is `text`, which must end with `status`. */
session_result run_kit_assert_same_text(const char *text, run_status status, const char *const *sets);

/* The value of a metric that must be present. */
double run_kit_metric(const session_result *result, metric_id id);

/* Asserts that a count is exactly `expected`. */
#define run_kit_assert_count(result, id, expected)                                                           \
  g_assert_cmpfloat(run_kit_metric(result, id), ==, (double)(expected))

/* A new empty folder; remove it and what is in it with run_kit_remove_folder(), which frees the name. */
typedef char run_folder;
run_folder *run_kit_new_folder(void);
void run_kit_remove_folder(run_folder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(run_folder, run_kit_remove_folder)

/* A test (kit/test.h) that has a `folder` of its own. */
#define FOLDER_TEST(name) TEST_OF(run_folder, folder, run_kit_new_folder(), name)

/* The whole of a file; fails the test when it cannot be read. Free with g_free(). */
char *run_kit_read(const char *folder, const char *name, gsize *length);

/* Runs the program at environment variable `program` with `arguments` (NULL-terminated) in `folder` (NULL:
 * here); returns its exit code. What it printed comes back through `output` and `errors` (NULL: not wanted),
 * to be freed with g_free(). */
int run_kit_spawn(const char *program, const char *folder, const char *const *arguments, char **output,
                  char **errors);

#endif
