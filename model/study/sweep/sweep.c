/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep.h"

#include <glib-unix.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "study/store/provenance.h"
#include "study/sweep/sweep_backlog.h"

/* How often children are watched and progress is told. */
#define TICK_MS 200

/* How long an interrupted sweep waits for a locked store. */
#define HURRY_MS 1000

/* Results that may wait for the disk beside those that fill the children's places, two commits of them: a disk that is slower than the runs
 * holds them up. */
#define BACKLOG_MAX 128

typedef struct sweep {
  const sweep_grid *grid;
  result_store *store;   /* the backlog's, while that is there */
  result_store *look_up; /* NULL: it could not be opened again */
  const sweep_options *options;
  sweep_result *result;
  sweep_progress progress;
  GArray *todo;       /* gsize: points to run, in grid order unless other sweeps work here too */
  guint next;         /* in todo */
  gsize ended;        /* children that have */
  gsize kept;         /* of them, in the store */
  double known_run_s; /* what a run took before; 0: not known */
  child_pool *pool;
  GHashTable *children; /* child_run → its point, as GSIZE_TO_POINTER */
  char *host;           /* this machine */
  sweep_backlog *backlog;
  guint places;      /* for children at once: `jobs`, or as many as this machine could start */
  gboolean closing;  /* no further child */
  gboolean stopping; /* children are asked to end; what fails now is dropped */
  gint64 started_us;
  GError *error; /* the first failure of the sweep itself */
} sweep;

/* TRUE when point `index` belongs to the shard of `options`. */
static gboolean takes(const sweep_options *options, gsize index)
{
  return index % options->shards == options->shard - 1;
}

/* Telling. */

static sweep_counts count(const sweep *s)
{
  sweep_counts counts = {.points = s->result->points,
                         .done = s->result->present + s->result->done,
                         .failed = s->result->failed,
                         .run = s->ended,
                         .to_run = s->result->points - s->result->present,
                         .running = g_hash_table_size(s->children),
                         .jobs = s->places,
                         .elapsed_s = (double)(g_get_monotonic_time() - s->started_us) / G_USEC_PER_SEC,
                         .known_run_s = s->known_run_s};
  GHashTableIter iterator;
  gpointer child;
  g_hash_table_iter_init(&iterator, s->children);
  while (g_hash_table_iter_next(&iterator, &child, NULL)) {
    counts.running_share += child_run_share(child);
  }
  return counts;
}

static void show_progress(sweep *s)
{
  const sweep_counts counts = count(s);
  sweep_progress_show(&s->progress, &counts, g_get_monotonic_time());
}

static void print_problem(const sweep *s, const stored_run *run)
{
  if (s->options->problems == NULL || run->exit_code == 0) {
    return;
  }
  sweep_progress_clear(&s->progress);
  g_autofree char *label = sweep_grid_label(s->grid, run->point);
  plain_text_print(s->options->problems, "run %" G_GUINT64_FORMAT " (%s) %s", run->point + 1, label,
                   run_status_name(run->status));
  if (run->status != RUN_FAILED) {
    plain_text_print(s->options->problems, ", where run.expect is %s", run->keys[SCENARIO_RUN_EXPECT]);
  }
  plain_text_print(s->options->problems, "%s", *run->message != '\0' ? ": " : "");
  plain_text_print_page(s->options->problems, run->message); /* its last words may be several lines */
  plain_text_print(s->options->problems, "\n");
}

/* Stopping. */

static void each_child(const sweep *s, void (*act)(child_run *child))
{
  GHashTableIter iterator;
  gpointer child;
  g_hash_table_iter_init(&iterator, s->children);
  while (g_hash_table_iter_next(&iterator, &child, NULL)) {
    act(child);
  }
}

static void kill_child(child_run *child)
{
  child_run_kill(child);
}

static void stop(sweep *s)
{
  s->closing = s->stopping = TRUE;
  each_child(s, child_run_stop);
}

static gboolean interrupt(gpointer data)
{
  sweep *s = data;
  if (s->result->interrupted) {
    each_child(s, kill_child);
    sweep_backlog_drop(s->backlog);
  } else {
    sweep_backlog_hurry(s->backlog, HURRY_MS);
    stop(s);
  }
  s->result->interrupted = TRUE;
  return G_SOURCE_CONTINUE;
}

static gboolean tick(gpointer data)
{
  sweep *s = data;
  each_child(s, child_run_watch);
  show_progress(s);
  return G_SOURCE_CONTINUE;
}

static void fail(sweep *s, GError *error)
{
  if (s->error == NULL) {
    s->error = error;
  } else {
    g_error_free(error);
  }
  stop(s);
}

/* Keeping. */

/* Another sweep runs the same points in the same order, always a step ahead: from here on we go another way. */
static void shuffle_rest(sweep *s)
{
  for (guint i = s->todo->len; i > s->next + 1; i--) {
    guint other = (guint)g_random_int_range((gint32)s->next, (gint32)i);
    gsize point = g_array_index(s->todo, gsize, i - 1);
    g_array_index(s->todo, gsize, i - 1) = g_array_index(s->todo, gsize, other);
    g_array_index(s->todo, gsize, other) = point;
  }
}

static void start_children(sweep *s);

static void run_kept(const stored_run *run, stored_state there, gpointer data)
{
  sweep *s = data;
  gboolean of_another = there == STORED_DONE || there == STORED_UNEXPECTED;
  s->kept++;
  if (of_another ? there == STORED_DONE : run->exit_code == 0) {
    s->result->done++;
  } else if (of_another || run->status != RUN_FAILED) {
    s->result->unexpected++;
  } else {
    s->result->failed++;
  }
  if (of_another) {
    shuffle_rest(s);
  } else {
    print_problem(s, run);
  }
  start_children(s);
}

static void store_failed_us(GError *error, gpointer data)
{
  fail(data, error);
}

/* Running. */

static void child_ended(child_run *child, child_outcome *outcome, gpointer data)
{
  sweep *s = data;
  gsize point = GPOINTER_TO_SIZE(g_hash_table_lookup(s->children, child));
  g_hash_table_remove(s->children, child);
  s->ended++;
  if (s->stopping && (outcome->status == RUN_FAILED || s->error != NULL)) {
    child_outcome_free(outcome);
    return;
  }
  sweep_record *record = sweep_record_new(s->grid, point, s->host, outcome);
  if (record->run.exit_code != 0 && !s->options->keep_going) {
    s->closing = s->result->stopped = TRUE;
  }
  start_children(s);
  sweep_backlog_add(s->backlog, record);
}

/* TRUE when another sweep has put a result of `point` into the store meanwhile. A store that is locked, or fails, says nothing: the
 * commit will. */
static gboolean was_run_meanwhile(sweep *s, gsize point)
{
  stored_state state = STORED_MISSING;
  if (s->look_up == NULL ||
      !result_store_find(s->look_up, sweep_grid_identity(s->grid, point), &state, NULL)) {
    return FALSE;
  }
  s->result->unexpected += state == STORED_UNEXPECTED;
  return state == STORED_DONE || state == STORED_UNEXPECTED;
}

/* TRUE when this machine lacks the descriptors, processes or memory for one more child: fewer at once will do. */
static gboolean may_fit_later(const GError *error)
{
  static const GFileError lacks[] = {G_FILE_ERROR_MFILE, G_FILE_ERROR_NFILE, G_FILE_ERROR_NOMEM,
                                     G_FILE_ERROR_AGAIN};
  for (gsize i = 0; i < G_N_ELEMENTS(lacks); i++) {
    if (g_error_matches(error, G_FILE_ERROR, (int)lacks[i])) {
      return TRUE;
    }
  }
  /* GLib's pipe to its child, and its fork. */
  return g_error_matches(error, G_UNIX_ERROR, 0) ||
         g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FORK) ||
         g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED);
}

/* FALSE when it cannot be started, now or at all. */
static gboolean start_child(sweep *s, gsize point)
{
  GError *error = NULL;
  g_auto(GStrv) sets = sweep_grid_sets(s->grid, point);
  child_run *child = child_run_start(s->pool, sets, child_ended, s, &error);
  if (child == NULL && g_hash_table_size(s->children) > 0 && may_fit_later(error)) {
    s->places = g_hash_table_size(s->children);
    g_error_free(error);
    return FALSE;
  }
  if (child == NULL) {
    fail(s, error);
    return FALSE;
  }
  g_hash_table_insert(s->children, child, GSIZE_TO_POINTER(point));
  return TRUE;
}

static gboolean may_start(const sweep *s)
{
  return !s->closing && s->next < s->todo->len && g_hash_table_size(s->children) < s->places &&
         sweep_backlog_length(s->backlog) < s->options->jobs + BACKLOG_MAX;
}

static void start_children(sweep *s)
{
  while (may_start(s)) {
    gsize point = g_array_index(s->todo, gsize, s->next);
    if (was_run_meanwhile(s, point)) {
      s->result->present++;
    } else if (!start_child(s, point)) {
      return;
    }
    s->next++;
  }
}

/* A signal that is ignored stays so: a shell's background job does not end with the Ctrl-C of another. */
static gboolean is_ignored(int number)
{
  struct sigaction old;
  return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

static guint handle_signal(sweep *s, int number)
{
  return is_ignored(number) ? 0 : g_unix_signal_add(number, interrupt, s);
}

/* Ctrl-Z: the children, which are not the terminal's, stop and go on with this process. */
static gboolean suspend(gint fd, GIOCondition condition, gpointer data)
{
  const sweep *s = data;
  struct signalfd_siginfo received;
  (void)condition;
  if (read(fd, &received, sizeof received) == (ssize_t)sizeof received) {
    each_child(s, child_run_pause);
    kill(getpid(), SIGSTOP);
    each_child(s, child_run_continue);
  }
  return G_SOURCE_CONTINUE;
}

/* Ctrl-Z comes through a descriptor, since a handler could not reach the children. */
typedef struct suspension {
  int file; /* -1: it is as it was */
  guint source;
  sigset_t before;
} suspension;

static suspension handle_suspension(sweep *s)
{
  suspension handled = {.file = -1};
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTSTP);
  pthread_sigmask(SIG_SETMASK, NULL, &handled.before);
  if (!is_ignored(SIGTSTP)) {
    handled.file = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  if (handled.file >= 0) {
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    handled.source = g_unix_fd_add(handled.file, G_IO_IN, suspend, s);
  }
  return handled;
}

static void leave_suspension(const suspension *handled)
{
  if (handled->file >= 0) {
    g_source_remove(handled->source);
    close(handled->file);
  }
  pthread_sigmask(SIG_SETMASK, &handled->before, NULL);
}

/* Starts children and waits, until the last one ended and is kept. */
static void run_children(sweep *s)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  guint sources[G_N_ELEMENTS(signals) + 1] = {0};
  /* Where who started us ignores it, the kernel throws away how our children ended. */
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  struct sigaction child_signal;
  sigaction(SIGCHLD, &by_default, &child_signal);
  for (gsize i = 0; i < G_N_ELEMENTS(signals); i++) {
    sources[i] = handle_signal(s, signals[i]);
  }
  sources[G_N_ELEMENTS(signals)] = g_timeout_add(TICK_MS, tick, s);
  s->started_us = g_get_monotonic_time();
  start_children(s);
  show_progress(s);
  while (g_hash_table_size(s->children) > 0 || sweep_backlog_length(s->backlog) > 0) {
    if (g_hash_table_size(s->children) == 0) {
      sweep_backlog_flush(s->backlog);
    }
    g_main_context_iteration(NULL, TRUE);
  }
  sweep_progress_clear(&s->progress);
  for (gsize i = 0; i < G_N_ELEMENTS(sources); i++) {
    if (sources[i] != 0) {
      g_source_remove(sources[i]);
    }
  }
  sigaction(SIGCHLD, &child_signal, NULL);
}

/* Planning. */

/* Fills todo with the points of the shard that the store lacks or has as failed. */
static gboolean plan(sweep *s, GError **error)
{
  g_autoptr(GPtrArray) identities = g_ptr_array_new();
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (gsize index = 0; index < sweep_grid_count(s->grid); index++) {
    guint64 point = index;
    if (!takes(s->options, index)) {
      continue;
    }
    g_ptr_array_add(identities, (char *)sweep_grid_identity(s->grid, index));
    g_array_append_val(points, point);
  }
  s->result->points = points->len;

  gsize known = 0;
  g_autofree stored_state *states = g_new0(stored_state, points->len + 1);
  if (!result_store_reconcile(s->store, (const char *const *)identities->pdata,
                              (const guint64 *)(gpointer)points->data, points->len, states, error) ||
      !result_store_mean_wall(s->store, &s->known_run_s, &known, error)) {
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

gboolean sweep_run(const sweep_grid *grid, const char *scenario_path, const stored_origin *from,
                   result_store *store, const sweep_options *options, sweep_result *result, GError **error)
{
  static const sweep_backlog_events events = {.kept = run_kept, .failed = store_failed_us};
  g_assert(options->jobs >= 1 && options->shard >= 1 && options->shard <= options->shards);
  *result = (sweep_result){0};
  sweep s = {.grid = grid,
             .store = store,
             .options = options,
             .places = options->jobs,
             .result = result,
             .progress = {.file = options->progress, .style = options->style},
             .todo = g_array_new(FALSE, FALSE, sizeof(gsize)),
             .children = g_hash_table_new(NULL, NULL)};
  if (plan(&s, &s.error) && s.todo->len > 0) {
    s.host = provenance_host();
    s.pool = child_pool_new(options->program, scenario_path, options->sets, &options->limits);
    /* Before the backlog's thread, which is not to be stopped by what this one waits for. */
    suspension handled = handle_suspension(&s);
    s.look_up = result_store_open_beside(store, NULL);
    s.backlog = sweep_backlog_new(store, from, &events, &s);
    run_children(&s);
    sweep_backlog_free(s.backlog);
    result_store_close(s.look_up);
    child_pool_free(s.pool);
    leave_suspension(&handled);
    g_free(s.host);
  }
  result->to_go = result->points - MIN(result->points, result->present + s.kept);
  g_array_unref(s.todo);
  g_hash_table_unref(s.children);
  if (s.error == NULL) {
    return TRUE;
  }
  g_propagate_error(error, s.error);
  return FALSE;
}
