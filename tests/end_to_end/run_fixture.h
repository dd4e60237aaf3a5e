/* SPDX-License-Identifier: GPL-2.0-only */
/* The end-to-end tests share this: running a scenario, in this process or as a user would, and what is
 * expected of its metrics. */
#pragma once

#include "metric_values.h"
#include "run_folder.h"
#include "session/simulation.h"
#include "string_list.h"
#include "temporary_scenario.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(session_result, session_result_clear)

/* This is the engine other than the native one; in a build without ns-3 there is none. */
#define OTHER_ENGINE (HAS_NS3 ? "ns3" : "native")

/* This is a run. Lists are NULL-terminated. */
typedef struct run_request {
  const char *text;                      /* of the scenario's file; NULL: it has nothing but a title */
  const char *file;                      /* or the name of a shipped one, in scenarios/ */
  const char *const *sets, *const *more; /* "group.key=value"; NULL: none */
  const char *engine;                    /* NULL: native */
  const char *folder;                    /* for all files that a run can write, captures too; NULL: none */
  run_status status;                     /* with which it must end; by default RUN_OK, without a message */
} run_request;

/* Runs the scenario that the fields describe: RUN(.folder = folder, .sets = STRINGS("workload.messages=5")).
 * Fails the test when it ends with another status. Clear the result with session_result_clear(). */
#define RUN(...) run_scenario(&(run_request){__VA_ARGS__})
session_result run_scenario(const run_request *request);

/* This is the same on both engines, which must give the same metrics, distributions and octets in every file;
 * the result is that of the native one. */
#define RUN_ON_BOTH(...) run_scenario_on_both(&(run_request){__VA_ARGS__})
session_result run_scenario_on_both(const run_request *request);

/* Runs `s` on both engines, with captures. Returns in what they differ (status, metrics, distributions,
 * octets of any file), NULL when in nothing; free with g_free(). `result` is that of the native engine; clear
 * it as above. */
char *run_difference(const scenario *s, session_result *result);

/* This is the same of two scenarios as they are; `result` is that of the first. */
char *run_difference_of(const scenario *one, const scenario *other, session_result *result);

/* Returns the scenario of a request for the engine, checked; free with scenario_free(). A run of it with its
 * files in `folder`, whatever its status. */
scenario *run_request_load(const run_request *request);
session_result run_in(const scenario *s, const char *folder);

/* Returns a setting, "group.key=value", or other text that must live as long as the test. */
const char *setting(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Returns the value of a metric that must be present; what is expected of them (kit/metric_values.h). */
static inline double metric_of(const session_result *result, metric_id id)
{
  return metric_value(&result->results.metrics, id);
}
#define EXPECT_METRICS(result, ...) EXPECT_METRIC_VALUES(&(result)->results.metrics, __VA_ARGS__)

/* This is a test (kit/test.h) that has a `folder` of its own. */
#define FOLDER_TEST(name) TEST_OF(run_folder, folder, run_folder_new(), name)

/* Returns the whole of a file; fails the test when it cannot be read. Free with g_free(). */
char *read_file(const char *folder, const char *name, gsize *length);

/* Returns what tshark prints about file `name` in `folder` with `options` (NULL-terminated); free with
 * g_free(). NULL, and the test is skipped, when tshark is not installed. */
char *tshark(const char *folder, const char *name, const char *const *options);
