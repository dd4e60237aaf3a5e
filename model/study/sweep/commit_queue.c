/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/commit_queue.h"

#include "study/sweep/sweep_record.h"

/* How long SQLite itself waits for a lock, in which no other commit is tried; and then we. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_US (G_USEC_PER_SEC / 10)

/* After a commit this many times as long as it took goes by before the next one: it costs processor time and
 * the disk's. Runs that take longer than that are committed at once, each for itself. */
#define PAUSE_TO_COMMIT 9

/* And no less than this goes by: a commit of its own costs a run about as much processor time as all else
 * that is done for it here. So much of the latest work is lost with a kill -9. */
#define PAUSE_MIN_US (G_USEC_PER_SEC / 4)

/* So many are committed at once, whatever the pause. */
#define TOGETHER_MAX 64

/* What is committed in one transaction. Another sweep's result stays: a run that failed here must not replace
 * it, and one that did not would be the same. */
typedef struct batch {
  guint count;
  stored_run *runs[TOGETHER_MAX];
  stored_state there[TOGETHER_MAX];
  gint64 took_us;
  GThread *thread; /* NULL: it has ended */
  GError *error;   /* NULL: it is in the store */
} batch;

struct commit_queue {
  result_store *store;
  const provenance *from;
  commit_queue_events events;
  gpointer data;
  batch *under_way; /* its thread's; NULL: none is */
  gboolean dropped; /* what is under way is not tried again */
  GQueue runs;      /* stored_run *; those under way are not among them */
  guint source;     /* 0: nothing waits */
  int wait_ms;
  gint64 locked_since_us; /* 0: it is not */
  gint64 not_before_us;   /* the next commit, unless TOGETHER_MAX wait */
  gboolean each_alone;    /* what failed for several may do for one */
};

static gboolean commit_ended(gpointer data);

/* A thread: it alone uses the store, while it lasts. */
static gpointer commit(gpointer data)
{
  commit_queue *queue = data;
  batch *b = queue->under_way;
  gint64 before_us = g_get_monotonic_time();
  result_store_commit_new(queue->store, queue->from, (const stored_run *const *)b->runs, b->count, b->there,
                          &b->error);
  b->took_us = g_get_monotonic_time() - before_us;
  g_idle_add_full(G_PRIORITY_DEFAULT, commit_ended, queue, NULL);
  return NULL;
}

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

static void free_batch(batch *b)
{
  for (guint i = 0; i < b->count; i++) {
    sweep_record_free(b->runs[i]);
  }
  g_clear_error(&b->error);
  g_free(b);
}

void commit_queue_free(commit_queue *queue)
{
  commit_queue_drop(queue);
  commit_queue_settle(queue);
  g_idle_remove_by_data(queue);
  if (queue->under_way != NULL) {
    free_batch(queue->under_way);
  }
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
  queue->dropped = TRUE;
}

void commit_queue_settle(commit_queue *queue)
{
  if (queue->under_way != NULL && queue->under_way->thread != NULL) {
    g_thread_join(g_steal_pointer(&queue->under_way->thread));
  }
}

static gboolean commit_first(gpointer data)
{
  commit_queue *queue = data;
  queue->source = 0;
  batch *b = queue->under_way = g_new0(batch, 1);
  const guint most = queue->each_alone ? 1 : TOGETHER_MAX;
  while (b->count < most && !g_queue_is_empty(&queue->runs)) {
    b->runs[b->count++] = g_queue_pop_head(&queue->runs);
  }
  b->thread = g_thread_try_new("commit", commit, queue, NULL);
  if (b->thread == NULL) {
    commit(queue); /* this machine has no thread for it: the runs wait */
  }
  return G_SOURCE_REMOVE;
}

/* The next commit, if any is to come: now, or when its time has come. */
static void schedule(commit_queue *queue)
{
  const guint waiting = g_queue_get_length(&queue->runs);
  if (queue->source != 0) {
    g_source_remove(queue->source);
  }
  queue->source = 0;
  if (queue->under_way == NULL && waiting > 0) {
    gboolean at_once = queue->locked_since_us == 0 && (queue->each_alone || waiting >= TOGETHER_MAX);
    gint64 left_us = at_once ? 0 : MAX(queue->not_before_us - g_get_monotonic_time(), 0);
    queue->source = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, (guint)((left_us + 999) / 1000), commit_first,
                                       queue, NULL);
  }
}

/* Tries again, if that may help: a lock may go away. Of several runs one may be at fault, or the disk may
 * have room for some: from now on each is committed alone. */
static void batch_failed(commit_queue *queue, batch *b)
{
  gint64 now_us = g_get_monotonic_time();
  gboolean again = b->count > 1;
  if (queue->dropped) {
    return;
  }
  if (g_error_matches(b->error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED)) {
    queue->locked_since_us = queue->locked_since_us == 0 ? now_us : queue->locked_since_us;
    queue->not_before_us = now_us + LOCK_PAUSE_US;
    again = now_us - queue->locked_since_us < (gint64)queue->wait_ms * 1000;
  } else {
    queue->each_alone = TRUE;
  }
  if (again) {
    while (b->count > 0) {
      g_queue_push_head(&queue->runs, b->runs[--b->count]);
    }
    schedule(queue);
  } else {
    commit_queue_drop(queue);
    queue->events.failed(g_steal_pointer(&b->error), queue->data);
  }
}

static gboolean commit_ended(gpointer data)
{
  commit_queue *queue = data;
  commit_queue_settle(queue);
  batch *b = g_steal_pointer(&queue->under_way);
  queue->not_before_us = g_get_monotonic_time() + MAX(PAUSE_TO_COMMIT * b->took_us, PAUSE_MIN_US);
  if (b->error == NULL) {
    queue->locked_since_us = 0;
    schedule(queue);
    for (guint i = 0; i < b->count; i++) {
      queue->events.kept(b->runs[i], b->there[i], queue->data);
    }
  } else {
    batch_failed(queue, b);
  }
  free_batch(b);
  return G_SOURCE_REMOVE;
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
  return g_queue_get_length((GQueue *)&queue->runs) +
         (queue->under_way != NULL ? queue->under_way->count : 0);
}

void commit_queue_hurry(commit_queue *queue, int wait_ms)
{
  queue->wait_ms = MIN(queue->wait_ms, wait_ms);
  queue->locked_since_us = queue->locked_since_us > 0 ? g_get_monotonic_time() : 0;
}
