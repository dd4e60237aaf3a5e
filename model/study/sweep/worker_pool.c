/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/worker_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "study/store/provenance.h"

/* Descriptors that workers leave to the rest of the program: a store and its journal, twice, signals, timers. */
#define DESCRIPTORS_LEFT 16

/* How long a stopped run may take to leave before it is killed. */
#define STOP_GRACE_US G_USEC_PER_SEC

/* Looks are never further apart than this, as far as stalling goes: when this process was itself held up (a laptop's lid, a slow
 * disk), so were the runs. */
#define LOOK_APART_MAX_US G_USEC_PER_SEC

struct worker_pool {
  const sweep_grid *grid;
  worker_simulate simulate;
  run_limits limits;
  guint places;
  GPtrArray *idle;               /* sweep_worker * */
  void (*settle)(gpointer data); /* NULL: there never is another thread */
  gpointer settle_data;
};

struct worker_run {
  worker_pool *pool;
  sweep_worker *worker;
  gsize point;
  gint64 asked_us;
  gint64 started_us; /* the same, but for pauses */
  char *started;
  gint64 looked_us; /* worker_run_watch() did */
  gint64 stalled_us;
  gint64 paused_us;     /* when it was; 0: it is not */
  time_ps simulated_ps; /* when it looked */
  gint64 stopped_us;    /* 0: it was not stopped */
  char *stopped_why;    /* by the watchdog; NULL */
  worker_run_ended ended;
  gpointer data;
};

/* The pool. */

worker_pool *worker_pool_new(const sweep_grid *grid, worker_simulate simulate, guint jobs,
                             const run_limits *limits, GError **error)
{
  g_autoptr(GError) problem = NULL;
  int left[DESCRIPTORS_LEFT];
  worker_pool *pool = g_new(worker_pool, 1);
  *pool = (worker_pool){.grid = grid, .simulate = simulate, .limits = *limits, .idle = g_ptr_array_new()};
  for (gsize i = 0; i < G_N_ELEMENTS(left); i++) {
    left[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  while (pool->places < jobs && problem == NULL) {
    sweep_worker *worker = sweep_worker_start(grid, simulate, limits->memory_octets, &problem);
    if (worker != NULL) {
      g_ptr_array_add(pool->idle, worker);
      pool->places++;
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS(left); i++) {
    if (left[i] >= 0) {
      close(left[i]);
    }
  }
  if (pool->places == 0) {
    g_propagate_error(error, g_steal_pointer(&problem));
    g_clear_pointer(&pool, worker_pool_free);
  }
  return pool;
}

void worker_pool_free(worker_pool *pool)
{
  if (pool == NULL) {
    return;
  }
  for (guint i = 0; i < pool->idle->len; i++) {
    sweep_worker_free(pool->idle->pdata[i]);
  }
  g_ptr_array_unref(pool->idle);
  g_free(pool);
}

guint worker_pool_places(const worker_pool *pool)
{
  return pool->places;
}

void worker_pool_fork_when(worker_pool *pool, void (*settle)(gpointer data), gpointer data)
{
  pool->settle = settle;
  pool->settle_data = data;
}

/* Starting. */

static void run_ended(const worker_end *end, gboolean died, gpointer data);

/* A worker that waits, or a new one, takes the run on. One that waits may have been killed. */
static gboolean find_worker(worker_run *run, GError **error)
{
  worker_pool *pool = run->pool;
  while (pool->idle->len > 0) {
    run->worker = g_ptr_array_steal_index_fast(pool->idle, pool->idle->len - 1);
    if (sweep_worker_request(run->worker, run->point, run_ended, run)) {
      return TRUE;
    }
    sweep_worker_free(run->worker);
  }
  if (pool->settle != NULL) {
    pool->settle(pool->settle_data);
  }
  run->worker = sweep_worker_start(pool->grid, pool->simulate, pool->limits.memory_octets, error);
  if (run->worker != NULL && !sweep_worker_request(run->worker, run->point, run_ended, run)) {
    sweep_worker_free(run->worker);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                "a process for runs ended as soon as it was started");
    return FALSE;
  }
  return run->worker != NULL;
}

static void free_run(worker_run *run)
{
  g_free(run->started);
  g_free(run->stopped_why);
  g_free(run);
}

worker_run *worker_run_start(worker_pool *pool, gsize point, worker_run_ended ended, gpointer data,
                             GError **error)
{
  worker_run *run = g_new0(worker_run, 1);
  run->pool = pool;
  run->point = point;
  run->ended = ended;
  run->data = data;
  run->asked_us = run->started_us = run->looked_us = g_get_monotonic_time();
  run->started = provenance_time_text(g_get_real_time() / G_USEC_PER_SEC);
  if (!find_worker(run, error)) {
    free_run(run);
    return NULL;
  }
  return run;
}

gsize worker_run_point(const worker_run *run)
{
  return run->point;
}

/* Ending. */

static void run_ended(const worker_end *end, gboolean died, gpointer data)
{
  worker_run *run = data;
  pipe_tail *messages = sweep_worker_messages(run->worker), *left = sweep_worker_summary(run->worker);
  pipe_tail_drain(messages);
  pipe_tail_drain(left);
  /* When both were killed the kernel reports on the worker, which forks and waits. */
  gint64 wall_us = died ? g_get_monotonic_time() - run->asked_us : end->wall_us;
  worker_run_end known = {.wait_status = end->wait_status,
                          .summary_cut = pipe_tail_overflowed(left),
                          .messages_cut = pipe_tail_overflowed(messages),
                          .stopped_why = run->stopped_why,
                          .memory_limit_octets = run->pool->limits.memory_octets,
                          .started = run->started,
                          .wall_s = (double)wall_us / G_USEC_PER_SEC,
                          .cpu_s = (double)end->cpu_us / G_USEC_PER_SEC,
                          .memory_peak_octets = (double)end->memory_peak_octets};
  known.summary = pipe_tail_octets(left, &known.summary_octets);
  known.messages = pipe_tail_octets(messages, &known.messages_octets);
  if (!died) {
    g_ptr_array_add(run->pool->idle, run->worker);
  }
  run->ended(run, &known, run->data);
  if (died) {
    sweep_worker_free(run->worker);
  }
  free_run(run);
}

/* Watching. */

double worker_run_share(const worker_run *run)
{
  return sweep_worker_share(run->worker);
}

/* Why it must be stopped; NULL: it need not. */
static char *find_excess(const worker_run *run, gint64 now_us)
{
  const run_limits *limits = &run->pool->limits;
  gboolean stalls = limits->stall_s > 0 && (double)run->stalled_us >= limits->stall_s * G_USEC_PER_SEC;
  gboolean lasts =
      limits->wall_s > 0 && (double)(now_us - run->started_us) >= limits->wall_s * G_USEC_PER_SEC;
  if (!stalls && !lasts) {
    return NULL;
  }
  g_autofree char *progress =
      g_strdup_printf("at %.12g s of simulated time, %.0f %% done",
                      time_ps_in_seconds(sweep_worker_simulated(run->worker)), 100 * worker_run_share(run));
  return stalls
             ? g_strdup_printf("stopped: its simulated time stood still for %g s (--stall), %s",
                               limits->stall_s, progress)
             : g_strdup_printf("stopped: it took longer than %g s (--limit), %s", limits->wall_s, progress);
}

void worker_run_watch(worker_run *run)
{
  gint64 now_us = g_get_monotonic_time();
  time_ps simulated_ps = sweep_worker_simulated(run->worker);
  gint64 apart_us = MIN(now_us - run->looked_us, LOOK_APART_MAX_US);
  run->stalled_us = simulated_ps == run->simulated_ps ? run->stalled_us + apart_us : 0;
  run->simulated_ps = simulated_ps;
  run->looked_us = now_us;
  if (run->stopped_us > 0) {
    /* Again, since a process that was only being forked has not heard it. */
    sweep_worker_signal(run->worker, now_us - run->stopped_us > STOP_GRACE_US ? SIGKILL : SIGTERM);
    return;
  }
  run->stopped_why = find_excess(run, now_us);
  if (run->stopped_why != NULL) {
    worker_run_stop(run);
  }
}

void worker_run_stop(worker_run *run)
{
  if (run->stopped_us == 0) {
    run->stopped_us = g_get_monotonic_time();
    sweep_worker_signal(run->worker, SIGTERM);
  }
}

void worker_run_kill(worker_run *run)
{
  sweep_worker_signal(run->worker, SIGKILL);
}

void worker_run_pause(worker_run *run)
{
  run->paused_us = g_get_monotonic_time();
  sweep_worker_signal(run->worker, SIGSTOP);
}

void worker_run_continue(worker_run *run)
{
  gint64 now_us = g_get_monotonic_time();
  if (run->paused_us > 0) {
    run->started_us += now_us - run->paused_us;
    run->looked_us = now_us;
    run->paused_us = 0;
  }
  sweep_worker_signal(run->worker, SIGCONT);
}
