/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep.h"

#include <glib-unix.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "study/store/provenance.h"

/* This is how often runs are watched and progress is shown. */
#define TICK_MS 200

/* SQLite itself waits this long for a lock, in which nothing else is done; and then we. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_US (G_USEC_PER_SEC / 10)

/* An interrupted sweep waits this long for a locked store. */
#define HURRY_MS 1000

/* After a commit this many times as long as it took goes by before the next one, since no run starts
 * meanwhile. Runs that take longer than that are committed at once, each for itself. */
#define PAUSE_TO_COMMIT 9

/* No less than this goes by either: a commit of its own costs a run about as much processor time as all else
 * that is done for it here. So much of the latest work is lost with a kill -9. */
#define PAUSE_MIN_US (G_USEC_PER_SEC / 4)

/* So many are committed at once, whatever the pause. */
#define TOGETHER_MAX 64

/* Results that may wait for the disk beside those that fill the runs' places, two commits of them: a disk
 * that is slower than the runs holds them up. */
#define WAITING_MAX 128

/* Signals through a descriptor: a handler could not reach the runs. */
typedef struct signals {
  int file; /* -1: there is none, and signals do as they do by themselves */
  guint source;
  sigset_t before;
} signals;

typedef struct sweep {
  sweep_plan *plan;
  const sweep_grid *grid; /* the plan's */
  result_store *store;
  const sweep_options *options;
  sweep_result *result;
  sweep_progress progress;
  guint taken;         /* runs of the plan that are counted in `result`, and in `todo` if they are missing */
  GArray *todo;        /* gsize: points to run, as planned unless other sweeps work here too */
  guint next;          /* in todo */
  gsize kept;          /* runs that ended and are in the store */
  double work_s;       /* the cost (run_cost) of the runs that are counted in `result` … */
  double work_there_s; /* … of them, those that were there … */
  double work_ended_s; /* … and those that ended now */
  GPtrArray *running;  /* run_process */
  const provenance *from;
  GQueue ended;           /* stored_run *: they wait for the store */
  guint commit;           /* the source of the next commit; 0: none is to come */
  int lock_wait_ms;       /* for how long in all a locked store is waited for */
  gint64 locked_since_us; /* 0: it is not */
  gint64 not_before_us;   /* the next commit, unless TOGETHER_MAX wait */
  gboolean each_alone;    /* what could not be committed together may be, one by one */
  guint places;           /* for runs at once */
  gboolean closing;       /* no further run */
  gboolean stopping;      /* runs are asked to end; what fails now is dropped */
  gint64 started_us;
  GError *error; /* the first failure of the sweep itself */
} sweep;

/* --- Reporting --- */

/* A line of progress is printed so often where none can be redrawn. */
#define LINE_EVERY_US (10 * G_USEC_PER_SEC)

/* A longer estimate is not shown. */
#define LEFT_MAX_S (1000.0 * 3600)

char *sweep_progress_text(const sweep_counts *counts)
{
  static const char *const of[] = {"", "about ", "at least "};
  double share = counts->work > 0 ? 1 - counts->work_left / counts->work : 1;
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%zu of %s%zu %s done", counts->done, of[counts->certainty], counts->points,
                         units_counted(counts->points, "runs"));
  if (counts->failed > 0) {
    g_string_append_printf(text, ", %zu failed", counts->failed);
  }
  /* Rounded down: 100 % only when all is done. */
  g_string_append_printf(text, ", %u running, %u %%", counts->running, (guint)(100 * CLAMP(share, 0, 1)));
  /* The rest takes as long, in proportion, as the work done so far, or before there is any as work took
   * before; 0: not known. */
  const gboolean has_begun = counts->work_done > 0 && counts->elapsed_s > 0;
  const double left_s =
      counts->work_left * (has_begun ? counts->elapsed_s / counts->work_done : counts->pace / counts->jobs);
  if (left_s > 0 && left_s <= LEFT_MAX_S) {
    g_autofree char *left = sweep_estimate_duration(left_s);
    g_string_append_printf(text, ", %s %s left",
                           counts->certainty == SWEEP_RUNS_AT_LEAST ? "at least" : "about", left);
  }
  return g_string_free(text, FALSE);
}

void sweep_progress_show(sweep_progress *progress, const sweep_counts *counts, gint64 now_us)
{
  const gboolean redraw = progress->style == SWEEP_PROGRESS_TERMINAL;
  /* A sweep that is done within ten seconds needs no lines. */
  progress->printed_us = progress->printed_us == 0 ? now_us : progress->printed_us;
  if (progress->style == SWEEP_PROGRESS_NONE || (!redraw && now_us - progress->printed_us < LINE_EVERY_US)) {
    return;
  }
  progress->printed_us = now_us;
  g_autofree char *text = sweep_progress_text(counts);
  if (redraw) {
    terminal_redraw_line(progress->file, text);
  } else {
    fprintf(progress->file, "%s\n", text);
    fflush(progress->file);
  }
}

void sweep_progress_clear(const sweep_progress *progress)
{
  if (progress->style == SWEEP_PROGRESS_TERMINAL) {
    terminal_redraw_line(progress->file, "");
  }
}

static double cost_s_of(const sweep *s, gsize point)
{
  return sweep_grid_cost(s->grid, point).seconds;
}

static void show_progress(sweep *s)
{
  const gint64 now_us = g_get_monotonic_time();
  const sweep_options *options = s->options;
  const sweep_plan_rest rest = sweep_plan_expected(s->plan);
  const double mean_s = s->work_s / (double)MAX(s->result->points, 1);
  sweep_counts counts = {.points = options->before + s->result->points + rest.runs,
                         .done = options->before + s->result->present + s->result->done,
                         .failed = s->result->failed,
                         .running = s->running->len,
                         .jobs = s->places,
                         .certainty = !rest.known || options->goes_on ? SWEEP_RUNS_AT_LEAST
                                      : rest.runs > 0                 ? SWEEP_RUNS_ABOUT
                                                                      : SWEEP_RUNS_EXACT,
                         .elapsed_s = (double)(now_us - s->started_us) / G_USEC_PER_SEC,
                         .work = s->work_s + rest.seconds + mean_s * (double)options->before,
                         .work_done = s->work_ended_s,
                         .pace = sweep_plan_pace(s->plan)};
  for (guint i = 0; i < s->running->len; i++) {
    const run_process *run = s->running->pdata[i];
    counts.work_done += run_process_share(run) * cost_s_of(s, run_process_point(run));
  }
  counts.work_left = counts.work - s->work_there_s - mean_s * (double)options->before - counts.work_done;
  sweep_progress_show(&s->progress, &counts, now_us);
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

/* --- Stopping --- */

static void each_run(const sweep *s, void (*act)(run_process *run))
{
  for (guint i = 0; i < s->running->len; i++) {
    act(s->running->pdata[i]);
  }
}

static void stop(sweep *s)
{
  s->closing = s->stopping = TRUE;
  each_run(s, run_process_stop);
}

/* Forgets what waits for the store. */
static void drop_ended(sweep *s)
{
  g_queue_clear_full(&s->ended, (GDestroyNotify)run_record_free);
  g_clear_handle_id(&s->commit, g_source_remove);
}

static gboolean signal_readable(gint fd, G_GNUC_UNUSED GIOCondition condition, gpointer data)
{
  sweep *s = data;
  struct signalfd_siginfo received;
  if (read(fd, &received, sizeof received) != (ssize_t)sizeof received) {
    return G_SOURCE_CONTINUE;
  }
  if (received.ssi_signo == SIGTSTP) {
    /* Ctrl-Z: the runs, which are not the terminal's, stop and go on with this process. */
    each_run(s, run_process_pause);
    kill(getpid(), SIGSTOP);
    each_run(s, run_process_continue);
    return G_SOURCE_CONTINUE;
  }
  if (s->result->interrupted) {
    each_run(s, run_process_kill);
    drop_ended(s);
  } else {
    s->lock_wait_ms = MIN(s->lock_wait_ms, HURRY_MS);
    s->locked_since_us = s->locked_since_us > 0 ? g_get_monotonic_time() : 0;
    stop(s);
  }
  s->result->interrupted = (int)received.ssi_signo;
  return G_SOURCE_CONTINUE;
}

static signals handle_signals(sweep *s)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
  signals handled = {0};
  sigset_t set;
  sigemptyset(&set);
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    /* One that is ignored stays so: a shell's background job does not end with the Ctrl-C of another. */
    struct sigaction now;
    if (sigaction(numbers[i], NULL, &now) != 0 || now.sa_handler != SIG_IGN) {
      sigaddset(&set, numbers[i]);
    }
  }
  pthread_sigmask(SIG_SETMASK, NULL, &handled.before);
  handled.file = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (handled.file >= 0) {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    handled.source = g_unix_fd_add(handled.file, G_IO_IN, signal_readable, s);
  }
  return handled;
}

/* What came meanwhile has been heeded: the sweep is over. */
static void leave_signals(const signals *handled)
{
  struct signalfd_siginfo received;
  if (handled->file < 0) {
    return;
  }
  while (read(handled->file, &received, sizeof received) > 0) {
  }
  g_source_remove(handled->source);
  close(handled->file);
  pthread_sigmask(SIG_SETMASK, &handled->before, NULL);
}

static gboolean tick(gpointer data)
{
  sweep *s = data;
  each_run(s, run_process_watch);
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

/* --- Keeping --- */

static void start_runs(sweep *s, run_process *ready);

/* Counts what has been planned since the last time, and queues what of it is to be run. */
static void take_planned(sweep *s)
{
  const GArray *runs = sweep_plan_runs(s->plan);
  for (; s->taken < runs->len; s->taken++) {
    const planned_run *run = &g_array_index(runs, planned_run, s->taken);
    s->work_s += cost_s_of(s, run->index);
    if (run->state == STORED_MISSING || run->state == STORED_FAILED) {
      g_array_append_val(s->todo, run->index);
    } else {
      s->work_there_s += cost_s_of(s, run->index);
      s->result->present++;
      s->result->unexpected += run->state == STORED_UNEXPECTED;
    }
  }
  s->result->points = runs->len;
}

/* `run` is in the store, or what was `there` of it before: a result that another sweep has put there
 * meanwhile, STORED_DONE or STORED_UNEXPECTED, stays. */
static void run_kept(sweep *s, const stored_run *run, stored_state there)
{
  gboolean of_another = there == STORED_DONE || there == STORED_UNEXPECTED;
  GError *error = NULL;
  s->kept++;
  if (of_another ? there == STORED_DONE : run->exit_code == 0) {
    s->result->done++;
  } else if (of_another || run->status != RUN_FAILED) {
    s->result->unexpected++;
  } else {
    s->result->failed++;
  }
  if (of_another) {
    if (!sweep_plan_note_stored(s->plan, run->point, s->store, &error)) {
      fail(s, error);
    }
    /* It runs the same points in the same order, always a step ahead: from here on we go another way. */
    for (guint i = s->todo->len; i > s->next + 1; i--) {
      guint other = (guint)g_random_int_range((gint32)s->next, (gint32)i);
      gsize point = g_array_index(s->todo, gsize, i - 1);
      g_array_index(s->todo, gsize, i - 1) = g_array_index(s->todo, gsize, other);
      g_array_index(s->todo, gsize, other) = point;
    }
  } else {
    sweep_plan_note(s->plan, run->point, run);
    print_problem(s, run);
  }
  take_planned(s);
  start_runs(s, NULL);
}

static gboolean commit_first(gpointer data);

/* Schedules the next commit, if any is to come: now, or when its time has come. */
static void schedule_commit(sweep *s)
{
  const guint waiting = g_queue_get_length(&s->ended);
  g_clear_handle_id(&s->commit, g_source_remove);
  if (waiting > 0) {
    gboolean at_once = s->locked_since_us == 0 && (s->each_alone || waiting >= TOGETHER_MAX);
    gint64 left_us = at_once ? 0 : MAX(s->not_before_us - g_get_monotonic_time(), 0);
    s->commit =
        g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, (guint)((left_us + 999) / 1000), commit_first, s, NULL);
  }
}

/* Another sweep's result stays: a run that failed here must not replace it, and one that did not would be the
 * same. */
static gboolean commit_first(gpointer data)
{
  sweep *s = data;
  const guint most = s->each_alone ? 1 : TOGETHER_MAX;
  const gint64 before_us = g_get_monotonic_time();
  const stored_run *runs[TOGETHER_MAX];
  stored_state there[TOGETHER_MAX];
  GError *error = NULL;
  guint count = 0;
  s->commit = 0;
  for (const GList *waiting = s->ended.head; waiting != NULL && count < most; waiting = waiting->next) {
    runs[count++] = waiting->data;
  }
  provenance from = *s->from;
  from.planned = s->options->before + sweep_plan_intended(s->plan);
  const gboolean good = result_store_commit_new(s->store, &from, runs, count, there, &error);
  const gint64 after_us = g_get_monotonic_time();
  if (!good) { /* it is tried again if that may help: a lock may go away */
    gboolean again = count > 1;
    if (g_error_matches(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED)) {
      s->locked_since_us = s->locked_since_us == 0 ? after_us : s->locked_since_us;
      s->not_before_us = after_us + LOCK_PAUSE_US;
      again = after_us - s->locked_since_us < (gint64)s->lock_wait_ms * 1000;
    } else { /* one of several runs may be at fault, or the disk may have room for some */
      s->each_alone = TRUE;
    }
    if (again) {
      g_error_free(error);
      schedule_commit(s);
    } else {
      drop_ended(s);
      fail(s, error);
    }
    return G_SOURCE_REMOVE;
  }
  s->not_before_us = after_us + MAX(PAUSE_TO_COMMIT * (after_us - before_us), PAUSE_MIN_US);
  s->locked_since_us = 0;
  for (guint i = 0; i < count; i++) {
    stored_run *run = g_queue_pop_head(&s->ended);
    run_kept(s, run, there[i]);
    run_record_free(run);
  }
  schedule_commit(s);
  return G_SOURCE_REMOVE;
}

/* --- Running --- */

static void take_end(run_process *process, stored_run *run, gpointer data)
{
  sweep *s = data;
  g_ptr_array_remove_fast(s->running, process);
  s->work_ended_s += cost_s_of(s, run->point);
  if (s->stopping && (run->status == RUN_FAILED || s->error != NULL)) {
    run_record_free(run);
    return;
  }
  if (run->exit_code != 0 && !s->options->keep_going) {
    s->closing = s->result->stopped = TRUE;
  }
  start_runs(s, process);
  g_queue_push_tail(&s->ended, run);
  schedule_commit(s);
}

/* Returns TRUE when the store has a result of `point` by now: another sweep has put it there, or one for
 * other goals. A store that is locked or fails counts as one without: the commit will report it. */
static gboolean was_run_meanwhile(sweep *s, gsize point)
{
  stored_look look = {.identity = sweep_grid_identity(s->grid, point)};
  if (!result_store_look_up(s->store, &look, 1, FALSE, NULL) ||
      (look.state != STORED_DONE && look.state != STORED_UNEXPECTED) ||
      !sweep_plan_note_stored(s->plan, point, s->store, NULL)) {
    return FALSE;
  }
  s->result->present++;
  s->result->unexpected += look.state == STORED_UNEXPECTED;
  s->work_there_s += cost_s_of(s, point);
  take_planned(s);
  return TRUE;
}

/* `ready` is the process of a run that has just ended, for another; NULL: there is none. */
static void start_runs(sweep *s, run_process *ready)
{
  while (!s->closing && s->next < s->todo->len && s->running->len < s->places &&
         g_queue_get_length(&s->ended) < s->places + WAITING_MAX) {
    const gsize point = g_array_index(s->todo, gsize, s->next);
    if (!was_run_meanwhile(s, point)) {
      GError *error = NULL;
      run_process *run = run_process_start(g_steal_pointer(&ready), s->grid, point, s->options->simulate,
                                           &s->options->limits, take_end, s, &error);
      if (run == NULL && s->running->len > 0) { /* fewer at once will do */
        s->places = s->running->len;
        g_error_free(error);
        return;
      }
      if (run == NULL) {
        fail(s, error);
        return;
      }
      g_ptr_array_add(s->running, run);
    }
    s->next++;
  }
}

gboolean sweep_run(sweep_plan *plan, const provenance *from, result_store *store,
                   const sweep_options *options, sweep_result *result, GError **error)
{
  *result = (sweep_result){0};
  sweep s = {.plan = plan,
             .grid = sweep_plan_grid(plan),
             .store = store,
             .from = from,
             .options = options,
             .places = (guint)MIN(options->jobs, sweep_grid_count(sweep_plan_grid(plan))),
             .result = result,
             .progress = {.file = options->progress, .style = options->style},
             .todo = g_array_new(FALSE, FALSE, sizeof(gsize)),
             .running = g_ptr_array_new()};
  gboolean good = sweep_plan_look_up(plan, store, TRUE, &s.error);
  take_planned(&s);
  if (good && s.todo->len > 0) {
    signals handled = handle_signals(&s);
    const int lock_wait_ms = s.lock_wait_ms = result_store_wait_at_most(store, LOCK_WAIT_MS);
    /* Where our parent ignores it, the kernel would discard how our runs ended. */
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction child_signal;
    sigaction(SIGCHLD, &by_default, &child_signal);
    const guint ticks = g_timeout_add(TICK_MS, tick, &s);
    s.started_us = g_get_monotonic_time();
    start_runs(&s, NULL);
    show_progress(&s);
    while (s.running->len > 0 || !g_queue_is_empty(&s.ended)) {
      if (s.running->len == 0 && s.not_before_us > 0 && s.locked_since_us == 0) {
        s.not_before_us = 0; /* no further run is to be expected */
        schedule_commit(&s);
      }
      g_main_context_iteration(NULL, TRUE);
    }
    sweep_progress_clear(&s.progress);
    g_source_remove(ticks);
    sigaction(SIGCHLD, &child_signal, NULL);
    drop_ended(&s);
    result_store_wait_at_most(store, lock_wait_ms);
    leave_signals(&handled);
  }
  result->to_go = result->points - MIN(result->points, result->present + s.kept);
  g_array_unref(s.todo);
  g_ptr_array_unref(s.running);
  if (s.error == NULL) {
    return TRUE;
  }
  g_propagate_error(error, s.error);
  return FALSE;
}
