/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the record of one run: its scenario, provenance, status and metrics, as summary.json and as a page
 * to read (docs/metrics.md, "Status of a run"). */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "measure/run_results.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* Returns what `iwarpsim run` exits with: 0 when `status` is the end that `expect` (run.expect) counts as
 * success, else 1. */
int run_status_exit_code(run_status status, run_expectation expect);

/* This is what the summary of a capture's replay has beyond that of a run. */
typedef struct summary_fact {
  const char *name; /* a word or two */
  const char *text;
} summary_fact;
typedef struct summary_replay {
  const summary_fact *facts;
  gsize fact_count;
  const char *const *notes; /* NULL-terminated: what a user should know of the results */
  gboolean (*writes)(const scenario *s, scenario_key key); /* whether the key had an effect */
} summary_replay;

/* This is how a run of a scenario ended. Everything pointed to stays the caller's. */
typedef struct summary {
  run_status status;
  const char *message; /* why the status is what it is; RUN_TERMINATED: with code and side; or NULL or "" */
  const char *terminate_code; /* RUN_TERMINATED: "Terminate 1/1/00", "MPA error 4" …; else NULL */
  const char *terminate_side; /* RUN_TERMINATED: who found the error, "Initiator" or "Responder"; else NULL */
  const run_results *results;
  const char *version;     /* of this program */
  const char *git;         /* the commit it was built from, "-dirty" when changed; NULL: not known */
  const char *engine;      /* the one that ran: "ns3" or "native"; the scenario has the reason */
  const char *ns3_version; /* NULL when the engine is not ns-3 */
  /* Receive window / bandwidth-delay product; 0: not known, not printed. */
  double window_over_bandwidth_delay;
  const char *measured_host;    /* of a graph: whose results they are, "h16"; else NULL */
  const GArray *values;         /* of a graph: run_value; else NULL */
  const GArray *message_values; /* of messages that were timed: the same; else NULL */
  const summary_replay *replay; /* NULL: a run of a scenario */
  const char *const *notes;     /* NULL-terminated, of a run: what had no effect in it; NULL: not known */
} summary;

/* Writes `path` as JSON, whole or not at all: {"scenario": {name, file, title, keys}, "provenance": {…},
 * "status", "message", "measure.host" (of a graph), "metrics", "graph": {NAME: VALUE} (of a graph),
 * "messages": {NAME: VALUE}, "distributions": {NAME: {"unit", "weight", "bins": [[bound, weight], …]}},
 * "quantiles": {GAUGE: [[percent, value], …]}, "block_maxima": {"gauge", "block_octets", "values"},
 * "warm_up": {"test", "p", "verdict"}}; what has no samples is left out. {"notes": [text, …]} of a run
 * follows its "message". Of a replay,
 * {"replay": {FACT: text, …, "notes": [text, …]}} follows the provenance. Two runs of one scenario by one
 * program differ in metrics with `wall` in their name alone: no date and no host is in it, and of paths the
 * scenario's only, as it was given. Metrics are finite (checked), in the table's order. Errors: G_FILE_ERROR.
 */
gboolean summary_write_json(const summary *page, const scenario *s, const char *path, GError **error);

/* Returns the same text in memory, `*length` octets and a NUL. Free with g_free(). */
char *summary_json(const summary *page, const scenario *s, gsize *length);

/* Prints the page a person reads: what ran, how it ended, then the metrics by group, aligned, with their
 * units. */
void summary_print(const summary *page, const scenario *s, FILE *file);

/* This is a summary read back, for `show`, plots and traces. Texts are owned by the record. */
typedef struct summary_record {
  run_status status;
  gboolean is_replay; /* of a capture, which is `name` */
  char *message;      /* "" when there is none */
  char *name;         /* the scenario's */
  char *file;         /* its file, without folders; of a replay the capture; NULL: the summary has none */
  char *title;
  char *version;
  char *engine;            /* that ran; "" when the file has none */
  char *git, *ns3_version; /* NULL: the file has none */
  char *terminate_code, *terminate_side;
  char *measured_host;            /* of a graph, "h16"; NULL: the file has none */
  char **notes;                   /* of a run; NULL: the file has none */
  GArray *facts;                  /* summary_fact of a replay */
  char *keys[SCENARIO_KEY_COUNT]; /* canonical texts; NULL: the file has none */
  run_results results;            /* all-zero where the file has none */
  GStringChunk *texts;            /* all of these are in it, but for the notes */
} summary_record;

/* Reads `path`, whoever wrote it. NULL and `error`: G_FILE_ERROR when it cannot be read, IWARPSIM_ERROR when
 * it is not JSON, lacks a member, has one of the wrong type, or names a status, key, metric or distribution
 * this program does not know, or has an invalid distribution (bins not ascending, weights not above 0 …).
 * Free with summary_record_free(). */
summary_record *summary_read_json(const char *path, GError **error);

/* Returns the same of the `length` octets `text` (followed by a NUL), called `name` in errors: IWARPSIM_ERROR
 * only. What a trace is of (trace_reader's `about`) is read, too: it has the scenario and the version. */
summary_record *summary_parse_json(const char *text, gsize length, const char *name, GError **error);
void summary_record_free(summary_record *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(summary_record, summary_record_free)
