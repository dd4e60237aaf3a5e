#include "study/sweep.h"

#include <glib-unix.h>
#include <signal.h>
#include <string.h>

#include "study/child_run.h"
#include "study/run_identity.h"

/* How long a stopped child may take to leave before it is killed. */
#define STOP_GRACE_MS 2000

typedef struct sweep {
  const sweep_grid *grid;
  const char *scenario_path;
  const stored_scenario *from;
  result_store *store;
  const sweep_options *options;
  sweep_result *result;
  GArray *todo;         /* gsize: points to run, in grid order */
  guint next;           /* in todo */
  GHashTable *children; /* child_run → its point, as GSIZE_TO_POINTER */
  gboolean stopping;    /* no further child; what still ends by our signal is dropped */
  gint64 started_us;
  GError *error; /* the first failure of the sweep itself */
} sweep;

gboolean sweep_takes(const sweep_options *options, gsize index)
{
  return index % options->shards == options->shard - 1;
}

/* Progress. */

static void print_progress(const sweep *s)
{
  FILE *terminal = s->options->progress;
  if (terminal == NULL) {
    return;
  }
  gsize run = s->next - g_hash_table_size(s->children);
  fprintf(terminal, "\r\033[K%zu of %zu runs, %zu failed", s->result->present + run, s->result->points,
          s->result->failed);
  if (run > 0 && run < s->todo->len) {
    double per_run_s = (double)(g_get_monotonic_time() - s->started_us) / G_USEC_PER_SEC / (double)run;
    guint64 left_s = (guint64)(per_run_s * (double)(s->todo->len - run) + 0.5);
    fprintf(terminal, ", about %" G_GUINT64_FORMAT ":%02u left", left_s / 60, (guint)(left_s % 60));
  }
  fflush(terminal);
}

static void clear_progress(const sweep *s)
{
  if (s->options->progress != NULL) {
    fputs("\r\033[K", s->options->progress);
  }
}

static void print_problem(const sweep *s, gsize point, const stored_run *run)
{
  if (s->options->problems == NULL || run->exit_code == 0) {
    return;
  }
  clear_progress(s);
  g_autofree char *label = sweep_grid_label(s->grid, point);
  fprintf(s->options->problems, "run %zu (%s) %s: %s\n", point + 1, label, run_status_name(run->status),
          run->message);
}

/* Stopping. */

static void signal_children(const sweep *s, int signal_number)
{
  GHashTableIter iterator;
  gpointer child;
  g_hash_table_iter_init(&iterator, s->children);
  while (g_hash_table_iter_next(&iterator, &child, NULL)) {
    child_run_signal(child, signal_number);
  }
}

static gboolean kill_children(gpointer data)
{
  signal_children(data, SIGKILL);
  return G_SOURCE_CONTINUE;
}

static void stop(sweep *s)
{
  if (!s->stopping) {
    signal_children(s, SIGTERM);
  }
  s->stopping = TRUE;
}

static gboolean interrupt(gpointer data)
{
  sweep *s = data;
  s->result->interrupted = TRUE;
  stop(s);
  return G_SOURCE_CONTINUE;
}

/* Running. */

static void count_run(sweep *s, const stored_run *run)
{
  if (run->status == RUN_FAILED) {
    s->result->failed++;
  } else if (run->exit_code != 0) {
    s->result->unexpected++;
  } else {
    s->result->done++;
  }
}

/* The run to store: its own keys, not those of the child, which must have run them (the file may have
 * changed under us). */
static void keep_outcome(sweep *s, gsize point, const child_outcome *outcome)
{
  stored_run run = {.identity = (char *)sweep_grid_identity(s->grid, point),
                    .point = point,
                    .status = outcome->status,
                    .message = outcome->message,
                    .exit_code = outcome->exit_code,
                    .wall_s = outcome->wall_s};
  if (outcome->summary != NULL) {
    run.metrics = outcome->summary->metrics;
    g_autofree char *identity = run_identity_of(outcome->summary->keys);
    if (strcmp(identity, run.identity) != 0) {
      run.status = RUN_FAILED;
      run.exit_code = MAX(run.exit_code, 1);
      run.message = (char *)"it ran other parameters than asked: was the scenario changed during the sweep?";
      run.metrics = (metric_values){0};
    }
  }
  scenario *parameters = sweep_grid_scenario(s->grid, point);
  run_identity_texts(parameters, run.keys);
  scenario_free(parameters);
  if (result_store_commit(s->store, s->from, &run, s->error == NULL ? &s->error : NULL)) {
    count_run(s, &run);
    print_problem(s, point, &run);
  } else {
    stop(s);
  }
  run_identity_clear(run.keys);
}

static void start_children(sweep *s);

static void child_ended(child_run *child, const child_outcome *outcome, gpointer data)
{
  sweep *s = data;
  gsize point = GPOINTER_TO_SIZE(g_hash_table_lookup(s->children, child));
  g_hash_table_remove(s->children, child);
  if (!s->stopping || outcome->status != RUN_FAILED) {
    keep_outcome(s, point, outcome);
  }
  start_children(s);
}

static void start_children(sweep *s)
{
  while (!s->stopping && s->next < s->todo->len && g_hash_table_size(s->children) < s->options->jobs) {
    gsize point = g_array_index(s->todo, gsize, s->next);
    g_auto(GStrv) point_sets = sweep_grid_sets(s->grid, point);
    g_autoptr(GPtrArray) sets = g_ptr_array_new(); /* the texts stay their owners' */
    for (gsize i = 0; s->options->sets != NULL && s->options->sets[i] != NULL; i++) {
      g_ptr_array_add(sets, (char *)s->options->sets[i]);
    }
    for (gsize i = 0; point_sets[i] != NULL; i++) {
      g_ptr_array_add(sets, point_sets[i]);
    }
    g_ptr_array_add(sets, NULL);

    child_run *child = child_run_start(s->options->program, s->scenario_path, (char *const *)sets->pdata,
                                       child_ended, s, &s->error);
    if (child == NULL) {
      stop(s);
      return;
    }
    g_hash_table_insert(s->children, child, GSIZE_TO_POINTER(point));
    s->next++;
  }
  print_progress(s);
}

/* Starts children and waits, until the last one ended. */
static void run_children(sweep *s)
{
  guint on_interrupt = g_unix_signal_add(SIGINT, interrupt, s);
  guint on_terminate = g_unix_signal_add(SIGTERM, interrupt, s);
  s->started_us = g_get_monotonic_time();
  start_children(s);
  while (g_hash_table_size(s->children) > 0 && !s->stopping) {
    g_main_context_iteration(NULL, TRUE);
  }
  if (g_hash_table_size(s->children) > 0) {
    guint killer = g_timeout_add(STOP_GRACE_MS, kill_children, s);
    while (g_hash_table_size(s->children) > 0) {
      g_main_context_iteration(NULL, TRUE);
    }
    g_source_remove(killer);
  }
  clear_progress(s);
  g_source_remove(on_interrupt);
  g_source_remove(on_terminate);
}

/* Fills todo with the points of the shard that the store lacks or has as failed. */
static gboolean plan(sweep *s, GError **error)
{
  g_autoptr(GPtrArray) identities = g_ptr_array_new();
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (gsize index = 0; index < sweep_grid_count(s->grid); index++) {
    guint64 point = index;
    if (!sweep_takes(s->options, index)) {
      continue;
    }
    g_ptr_array_add(identities, (char *)sweep_grid_identity(s->grid, index));
    g_array_append_val(points, point);
  }
  s->result->points = points->len;

  g_autofree stored_state *states = g_new0(stored_state, points->len + 1);
  if (!result_store_reconcile(s->store, (const char *const *)identities->pdata,
                              (const guint64 *)(gpointer)points->data, points->len, states, error)) {
    return FALSE;
  }
  for (guint i = 0; i < points->len; i++) {
    gsize point = g_array_index(points, guint64, i);
    if (states[i] == STORED_MISSING || states[i] == STORED_FAILED) {
      g_array_append_val(s->todo, point);
    } else {
      s->result->present++;
    }
    if (states[i] == STORED_UNEXPECTED) {
      s->result->unexpected++;
    }
  }
  return TRUE;
}

gboolean sweep_run(const sweep_grid *grid, const char *scenario_path, const stored_scenario *from,
                   result_store *store, const sweep_options *options, sweep_result *result, GError **error)
{
  g_assert(options->jobs >= 1 && options->shard >= 1 && options->shard <= options->shards);
  *result = (sweep_result){0};
  sweep s = {.grid = grid,
             .scenario_path = scenario_path,
             .from = from,
             .store = store,
             .options = options,
             .result = result,
             .todo = g_array_new(FALSE, FALSE, sizeof(gsize)),
             .children = g_hash_table_new(NULL, NULL)};
  if (plan(&s, &s.error) && s.todo->len > 0) {
    run_children(&s);
  }
  g_array_unref(s.todo);
  g_hash_table_unref(s.children);
  if (s.error == NULL) {
    return TRUE;
  }
  g_propagate_error(error, s.error);
  return FALSE;
}
