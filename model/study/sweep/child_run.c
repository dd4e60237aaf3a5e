/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_run.h"

#include <signal.h>

#include "study/store/provenance.h"
#include "study/sweep/child_host.h"

/* How long a stopped run may take to leave before it is killed. */
#define STOP_GRACE_US G_USEC_PER_SEC

/* Looks are never further apart than this, as far as stalling goes: when this process was itself held up (a laptop's lid, a slow
 * disk), so were the children. */
#define LOOK_APART_MAX_US G_USEC_PER_SEC

struct child_pool {
  const char *program;
  const char *scenario_path;
  const char *const *sets;
  child_limits limits;
  GPtrArray *idle; /* child_host * */
};

struct child_run {
  child_pool *pool;
  child_host *host;
  gint64 asked_us;
  gint64 started_us; /* the same, but for pauses */
  char *started;
  gint64 looked_us; /* child_run_watch() did */
  gint64 stalled_us;
  gint64 paused_us;    /* when it was; 0: it is not */
  gint64 simulated_ps; /* when it looked */
  gint64 stopped_us;   /* 0: it was not stopped */
  double stopped_cpu_s;
  char *stopped_why; /* by the watchdog; NULL */
  child_run_ended ended;
  gpointer data;
};

/* The pool. */

child_pool *child_pool_new(const char *program, const char *scenario_path, const char *const *sets,
                           const child_limits *limits)
{
  child_pool *pool = g_new(child_pool, 1);
  *pool = (child_pool){.program = program,
                       .scenario_path = scenario_path,
                       .sets = sets,
                       .limits = *limits,
                       .idle = g_ptr_array_new()};
  return pool;
}

void child_pool_free(child_pool *pool)
{
  for (guint i = 0; i < pool->idle->len; i++) {
    child_host_free(pool->idle->pdata[i]);
  }
  g_ptr_array_unref(pool->idle);
  g_free(pool);
}

/* Starting. */

static void run_ended(const child_end_told *end, gboolean process_ended, gpointer data);

static gboolean refuse_request(GError **error)
{
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
              "the values of the sweep's axes at one point are too long; expected %d octets at most",
              CHILD_REQUEST_OCTETS_MAX);
  return FALSE;
}

/* A host that waits, or a new one, takes the run on. One that waits may have been killed. */
static gboolean ask(child_run *child, char *const *sets, GError **error)
{
  child_pool *pool = child->pool;
  while (pool->idle->len > 0) {
    child->host = g_ptr_array_steal_index_fast(pool->idle, pool->idle->len - 1);
    if (child_host_request(child->host, sets, run_ended, child)) {
      return TRUE;
    }
    child_host_free(child->host);
  }
  child->host =
      child_host_start(pool->program, pool->scenario_path, pool->sets, pool->limits.memory_octets, error);
  if (child->host == NULL) {
    return FALSE;
  }
  if (!child_host_request(child->host, sets, run_ended, child)) {
    child_host_free(child->host);
    return refuse_request(error);
  }
  return TRUE;
}

static void free_child(child_run *child)
{
  g_free(child->started);
  g_free(child->stopped_why);
  g_free(child);
}

child_run *child_run_start(child_pool *pool, char *const *sets, child_run_ended ended, gpointer data,
                           GError **error)
{
  child_run *child = g_new0(child_run, 1);
  child->pool = pool;
  child->ended = ended;
  child->data = data;
  child->asked_us = child->started_us = child->looked_us = g_get_monotonic_time();
  child->started = provenance_time_text(g_get_real_time() / G_USEC_PER_SEC);
  if (!ask(child, sets, error)) {
    free_child(child);
    return NULL;
  }
  return child;
}

/* Ending. */

/* The run's own word, which it gives with its summary; the kernel's stands in. */
static double memory_peak_of(const child_run *child, const child_end_told *told)
{
  guint64 own = atomic_load(&child_host_page(child->host)->memory_peak_octets);
  return own > 0 ? (double)own : (double)told->memory_peak_octets;
}

static child_outcome *outcome_of(const child_run *child, const child_end_told *told, gboolean process_ended)
{
  const child_page *page = child_host_page(child->host);
  child_pipe *said = child_host_said(child->host);
  gsize record_octets = MIN(atomic_load(&page->record_octets), CHILD_RECORD_OCTETS_MAX);
  /* A copy: what a run has started, and left behind, may write there still. */
  g_autofree guint8 *record = g_memdup2(page->record, record_octets);
  child_pipe_drain(said);
  child_end end = {.wait_status = told->wait_status,
                   .record = record,
                   .record_octets = record_octets,
                   .said_cut = child_pipe_overflowed(said),
                   .stopped_why = child->stopped_why,
                   .memory_limit_octets = child->pool->limits.memory_octets,
                   .memory_peak_octets = memory_peak_of(child, told)};
  end.said = child_pipe_octets(said, &end.said_octets);
  child_outcome *outcome = child_outcome_new(&end);
  g_free(outcome->started);
  outcome->started = g_strdup(child->started);
  /* When both were killed the kernel tells of the host, which forks and waits. */
  gint64 wall_us = process_ended ? g_get_monotonic_time() - child->asked_us : told->wall_us;
  outcome->wall_s = (double)wall_us / G_USEC_PER_SEC;
  outcome->cpu_s = process_ended ? child->stopped_cpu_s : (double)told->cpu_us / G_USEC_PER_SEC;
  return outcome;
}

static void run_ended(const child_end_told *end, gboolean process_ended, gpointer data)
{
  child_run *child = data;
  child_outcome *outcome = outcome_of(child, end, process_ended);
  if (process_ended) {
    child_host_free(child->host);
  } else {
    g_ptr_array_add(child->pool->idle, child->host);
  }
  child->host = NULL;
  child->ended(child, outcome, child->data);
  free_child(child);
}

/* Watching. */

double child_run_share(const child_run *child)
{
  return MIN((double)atomic_load(&child_host_page(child->host)->share_ppm) / 1e6, 1.0);
}

/* "at 0.000123 s of simulated time, 40 % done". */
static char *describe_progress(const child_run *child)
{
  return g_strdup_printf("at %.12g s of simulated time, %.0f %% done",
                         time_ps_in_seconds(atomic_load(&child_host_page(child->host)->simulated_ps)),
                         100 * child_run_share(child));
}

/* Why it must be stopped; NULL: it need not. */
static char *find_excess(const child_run *child, gint64 now_us)
{
  const child_limits *limits = &child->pool->limits;
  gboolean stalls = limits->stall_s > 0 && (double)child->stalled_us >= limits->stall_s * G_USEC_PER_SEC;
  gboolean lasts =
      limits->wall_s > 0 && (double)(now_us - child->started_us) >= limits->wall_s * G_USEC_PER_SEC;
  if (!stalls && !lasts) {
    return NULL;
  }
  g_autofree char *progress = describe_progress(child);
  return stalls
             ? g_strdup_printf("stopped: its simulated time did not go on for %g s (--stall), %s",
                               limits->stall_s, progress)
             : g_strdup_printf("stopped: it took longer than %g s (--limit), %s", limits->wall_s, progress);
}

void child_run_watch(child_run *child)
{
  gint64 now_us = g_get_monotonic_time();
  gint64 simulated_ps = atomic_load(&child_host_page(child->host)->simulated_ps);
  gint64 apart_us = MIN(now_us - child->looked_us, LOOK_APART_MAX_US);
  child->stalled_us = simulated_ps == child->simulated_ps ? child->stalled_us + apart_us : 0;
  child->simulated_ps = simulated_ps;
  child->looked_us = now_us;
  if (child->stopped_us > 0) {
    if (now_us - child->stopped_us > STOP_GRACE_US) {
      child_run_kill(child);
    }
    return;
  }
  child->stopped_why = find_excess(child, now_us);
  if (child->stopped_why != NULL) {
    child_run_stop(child);
  }
}

void child_run_stop(child_run *child)
{
  if (child->stopped_us == 0) {
    child->stopped_us = g_get_monotonic_time();
    child->stopped_cpu_s = child_host_cpu_s(child->host);
    child_host_signal(child->host, SIGTERM);
  }
}

void child_run_kill(const child_run *child)
{
  child_host_signal(child->host, SIGKILL);
}

void child_run_pause(child_run *child)
{
  child->paused_us = g_get_monotonic_time();
  child_host_signal(child->host, SIGSTOP);
}

void child_run_continue(child_run *child)
{
  gint64 now_us = g_get_monotonic_time();
  if (child->paused_us > 0) {
    child->started_us += now_us - child->paused_us;
    child->looked_us = now_us;
    child->paused_us = 0;
  }
  child_host_signal(child->host, SIGCONT);
}
