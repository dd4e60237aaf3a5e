/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/commit_queue.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/plain_text.h"
#include "scenario/configuration.h"

/* How long SQLite itself waits for a lock, in which no other commit is tried; and then we. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_US (G_USEC_PER_SEC / 10)

/* After a commit this many times as long as it took goes by before the next one, since no run starts
 * meanwhile. Runs that take longer than that are committed at once, each for itself. */
#define PAUSE_TO_COMMIT 9

/* And no less than this goes by: a commit of its own costs a run about as much processor time as all else
 * that is done for it here. So much of the latest work is lost with a kill -9. */
#define PAUSE_MIN_US (G_USEC_PER_SEC / 4)

/* So many are committed at once, whatever the pause. */
#define TOGETHER_MAX 64

struct commit_queue {
  result_store *store;
  const provenance *from;
  commit_queue_events events;
  gpointer data;
  GQueue runs;  /* stored_run * */
  guint source; /* 0: no commit is to come */
  int wait_ms;
  gint64 locked_since_us; /* 0: it is not */
  gint64 not_before_us;   /* the next commit, unless TOGETHER_MAX wait */
  gboolean each_alone;    /* what failed for several may do for one */
};

/* Records. */

/* The end of a program's messages as text to keep: valid UTF-8, lines as they were, no other control
 * characters; begins with a whole character when it was cut. Free with g_free(). */
static char *tail_of(pipe_text text)
{
  /* What follows the first octet of a character in UTF-8 is 10xxxxxx, at most three of them. */
  for (guint i = 0; text.cut && i < 3 && text.count > 0 && (*text.octets & 0xc0) == 0x80; i++) {
    text.octets++;
    text.count--;
  }
  return g_strchomp(plain_text(text.octets, (gssize)text.count, "\n\t"));
}

/* The likely cause of a signal. Under a limit on memory, code that does not check its allocations crashes.
 * Free with g_free(). */
static char *cause_of(int signal_number, guint64 memory_limit_octets)
{
  g_autofree char *limit = g_format_size_full(memory_limit_octets, G_FORMAT_SIZE_IEC_UNITS);
  switch (signal_number) {
  case SIGKILL:
    return g_strdup("; only the kernel, out of memory, or a person sends it");
  case SIGABRT:
  case SIGTRAP:
    return g_strdup("; the program gave up: a broken invariant, or out of memory");
  case SIGSEGV:
  case SIGBUS:
    return memory_limit_octets > 0
               ? g_strdup_printf("; perhaps the %s of data that it may hold (--memory) are not enough", limit)
               : g_strdup("");
  default:
    return g_strdup("");
  }
}

/* How it ended, for a run whose own summary does not count. */
static char *describe_end(const worker_run_end *end, const char *summary_problem, const char *tail)
{
  GString *text = g_string_new(NULL);
  if (end->stopped_why != NULL) {
    g_string_append(text, end->stopped_why);
  } else if (WIFSIGNALED(end->wait_status)) {
    int number = WTERMSIG(end->wait_status);
    g_autofree char *memory = g_format_size_full((guint64)end->memory_peak_octets, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *cause = cause_of(number, end->memory_limit_octets);
    g_string_append_printf(text, "ended by signal %d (%s), its memory at %s%s", number, g_strsignal(number),
                           memory, cause);
  } else {
    g_string_append_printf(text, "exited with code %d", WEXITSTATUS(end->wait_status));
  }
  if (end->stopped_why == NULL) {
    g_string_append_printf(text, ", %s", summary_problem);
  }
  if (*tail != '\0') {
    const char *newline = strrchr(tail, '\n');
    g_string_append_printf(text, "; its last words: %s", newline != NULL ? newline + 1 : tail);
  }
  return g_string_free(text, FALSE);
}

/* The summary that the run left; NULL and `*problem` when there is none or it is wrong. */
static summary_record *read_summary(const worker_run_end *end, char **problem)
{
  g_autoptr(GError) error = NULL;
  summary_record *left = NULL;
  if (end->summary.count == 0) {
    *problem = g_strdup("without a summary");
  } else if (end->summary.cut) {
    *problem = g_strdup("its summary: too long");
  } else {
    left = summary_parse_json(end->summary.octets, end->summary.count, "its summary", &error);
    *problem = left == NULL ? g_strdup(error->message) : NULL;
  }
  return left;
}

stored_run *sweep_record_new(const sweep_grid *grid, const char *host, const worker_run_end *end)
{
  g_autofree char *problem = NULL;
  g_autoptr(summary_record) left = read_summary(end, &problem);
  int number = WIFSIGNALED(end->wait_status) ? WTERMSIG(end->wait_status) : 0;
  stored_run *run = g_new(stored_run, 1);
  *run = (stored_run){.identity = (char *)sweep_grid_identity(grid, end->point),
                      .point = end->point,
                      .exit_code = number != 0 ? 128 + number : WEXITSTATUS(end->wait_status),
                      .stderr_tail = tail_of(end->messages),
                      .engine = g_strdup(left != NULL ? left->engine : ""),
                      .host = (char *)host,
                      .started = g_strdup(end->started),
                      .wall_s = end->wall_s,
                      .cpu_s = end->cpu_s,
                      .memory_peak_octets = end->memory_peak_octets};
  sweep_grid_texts(grid, end->point, (const char **)run->keys);
  if (left != NULL) {
    run->results = run_results_copy(&left->results);
    const named_value *expect = scenario_key_row_of(SCENARIO_RUN_EXPECT)->words;
    while (expect->name != NULL && g_strcmp0(expect->name, run->keys[SCENARIO_RUN_EXPECT]) != 0) {
      expect++;
    }
    if (number != 0 || run->exit_code != run_status_exit_code(left->status, (run_expectation)expect->value)) {
      problem = g_strdup_printf("but its summary says %s", run_status_name(left->status));
    }
  }
  gboolean is_whole = left != NULL && problem == NULL;
  run->status = is_whole ? left->status : RUN_FAILED;
  run->message = is_whole ? g_strdup(left->message) : describe_end(end, problem, run->stderr_tail);
  if (run->status == RUN_FAILED && run->exit_code == 0) {
    run->exit_code = 1;
  }
  return run;
}

void sweep_record_free(stored_run *run)
{
  run_results_clear(&run->results);
  g_free(run->message);
  g_free(run->stderr_tail);
  g_free(run->engine);
  g_free(run->started);
  g_free(run);
}

/* The queue. */

commit_queue *commit_queue_new(result_store *store, const provenance *from, const commit_queue_events *events,
                               gpointer data)
{
  commit_queue *queue = g_new0(commit_queue, 1);
  queue->store = store;
  queue->from = from;
  queue->events = *events;
  queue->data = data;
  queue->wait_ms = result_store_wait_ms(store);
  g_queue_init(&queue->runs);
  result_store_wait_at_most(store, LOCK_WAIT_MS);
  return queue;
}

void commit_queue_free(commit_queue *queue)
{
  commit_queue_drop(queue);
  result_store_wait_at_most(queue->store, result_store_wait_ms(queue->store));
  g_free(queue);
}

void commit_queue_drop(commit_queue *queue)
{
  stored_run *run;
  while ((run = g_queue_pop_head(&queue->runs)) != NULL) {
    sweep_record_free(run);
  }
  if (queue->source != 0) {
    g_source_remove(queue->source);
  }
  queue->source = 0;
}

static void schedule(commit_queue *queue);

/* `count` runs could not be committed together. Tries again if that may help: a lock may go away. Of several
 * runs one may be at fault, or the disk may have room for some: from now on each is committed alone. */
static void commit_failed(commit_queue *queue, guint count, GError *error)
{
  const gint64 now_us = g_get_monotonic_time();
  gboolean again = count > 1;
  if (g_error_matches(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED)) {
    queue->locked_since_us = queue->locked_since_us == 0 ? now_us : queue->locked_since_us;
    queue->not_before_us = now_us + LOCK_PAUSE_US;
    again = now_us - queue->locked_since_us < (gint64)queue->wait_ms * 1000;
  } else {
    queue->each_alone = TRUE;
  }
  if (again) {
    g_error_free(error);
    schedule(queue);
  } else {
    commit_queue_drop(queue);
    queue->events.failed(error, queue->data);
  }
}

/* Another sweep's result stays: a run that failed here must not replace it, and one that did not would be the
 * same. */
static gboolean commit_first(gpointer data)
{
  commit_queue *queue = data;
  const guint most = queue->each_alone ? 1 : TOGETHER_MAX;
  const gint64 before_us = g_get_monotonic_time();
  const stored_run *runs[TOGETHER_MAX];
  stored_state there[TOGETHER_MAX];
  GError *error = NULL;
  guint count = 0;
  queue->source = 0;
  for (const GList *waiting = queue->runs.head; waiting != NULL && count < most; waiting = waiting->next) {
    runs[count++] = waiting->data;
  }
  if (!result_store_commit_new(queue->store, queue->from, runs, count, there, &error)) {
    commit_failed(queue, count, error);
    return G_SOURCE_REMOVE;
  }
  const gint64 after_us = g_get_monotonic_time();
  queue->not_before_us = after_us + MAX(PAUSE_TO_COMMIT * (after_us - before_us), PAUSE_MIN_US);
  queue->locked_since_us = 0;
  for (guint i = 0; i < count; i++) {
    stored_run *run = g_queue_pop_head(&queue->runs);
    queue->events.kept(run, there[i], queue->data);
    sweep_record_free(run);
  }
  schedule(queue);
  return G_SOURCE_REMOVE;
}

/* The next commit, if any is to come: now, or when its time has come. */
static void schedule(commit_queue *queue)
{
  const guint waiting = commit_queue_length(queue);
  if (queue->source != 0) {
    g_source_remove(queue->source);
  }
  queue->source = 0;
  if (waiting > 0) {
    gboolean at_once = queue->locked_since_us == 0 && (queue->each_alone || waiting >= TOGETHER_MAX);
    gint64 left_us = at_once ? 0 : MAX(queue->not_before_us - g_get_monotonic_time(), 0);
    queue->source = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, (guint)((left_us + 999) / 1000), commit_first,
                                       queue, NULL);
  }
}

void commit_queue_add(commit_queue *queue, stored_run *run)
{
  g_queue_push_tail(&queue->runs, run);
  schedule(queue);
}

void commit_queue_flush(commit_queue *queue)
{
  if (queue->not_before_us > 0 && queue->locked_since_us == 0) {
    queue->not_before_us = 0;
    schedule(queue);
  }
}

guint commit_queue_length(const commit_queue *queue)
{
  return g_queue_get_length((GQueue *)&queue->runs);
}

void commit_queue_hurry(commit_queue *queue, int wait_ms)
{
  queue->wait_ms = MIN(queue->wait_ms, wait_ms);
  queue->locked_since_us = queue->locked_since_us > 0 ? g_get_monotonic_time() : 0;
}
