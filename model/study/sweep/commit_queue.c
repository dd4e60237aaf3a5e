/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/commit_queue.h"

/* How long SQLite itself waits for a lock, in which no other commit is tried; and then we. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_MS 100

/* After a commit this many times as long as it took goes by before the next one: it costs processor time and the disk's. Runs that take
 * longer than that are committed at once, each for itself. */
#define PAUSE_TO_COMMIT 9

/* And no less than this goes by: a commit of its own costs a run about as much processor time as all else that is done for it here. So much of
 * the latest work is lost with a kill -9. */
#define PAUSE_MIN_US (G_USEC_PER_SEC / 4)

/* So many are committed at once, whatever the pause. */
#define TOGETHER_MAX 64

/* What is committed in one transaction. Another sweep's result stays: a run that failed here must not replace it, and one that did not
 * would be the same. */
typedef struct batch {
  guint count;
  sweep_record *records[TOGETHER_MAX];
  const stored_run *runs[TOGETHER_MAX];
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
  GQueue records;   /* sweep_record *; those under way are not among them */
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
  result_store_commit_new(queue->store, queue->from, b->runs, b->count, b->there, &b->error);
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
  g_queue_init(&queue->records);
  result_store_wait_at_most(store, LOCK_WAIT_MS);
  return queue;
}

static void free_batch(batch *b)
{
  for (guint i = 0; i < b->count; i++) {
    sweep_record_free(b->records[i]);
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
  sweep_record *record;
  while ((record = g_queue_pop_head(&queue->records)) != NULL) {
    sweep_record_free(record);
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

/* TRUE when the lock on the store, just met, may still go away. */
static gboolean may_unlock(commit_queue *queue)
{
  gint64 now_us = g_get_monotonic_time();
  if (queue->locked_since_us == 0) {
    queue->locked_since_us = now_us;
  }
  return now_us - queue->locked_since_us < (gint64)queue->wait_ms * 1000;
}

static void schedule(commit_queue *queue);

static batch *take_batch(commit_queue *queue)
{
  batch *b = g_new0(batch, 1);
  const guint most = queue->each_alone ? 1 : TOGETHER_MAX;
  while (b->count < most && !g_queue_is_empty(&queue->records)) {
    b->records[b->count] = g_queue_pop_head(&queue->records);
    b->runs[b->count] = &b->records[b->count]->run;
    b->count++;
  }
  return b;
}

static void batch_kept(commit_queue *queue, const batch *b)
{
  queue->locked_since_us = 0;
  schedule(queue);
  for (guint i = 0; i < b->count; i++) {
    queue->events.kept(b->runs[i], b->there[i], queue->data);
  }
}

/* Its records wait again, in front. */
static void return_batch(commit_queue *queue, batch *b)
{
  while (b->count > 0) {
    g_queue_push_head(&queue->records, b->records[--b->count]);
  }
}

/* One of several may be at fault, or the disk may have room for some: from now on each is committed alone. */
static void batch_failed(commit_queue *queue, batch *b)
{
  gboolean locked = g_error_matches(b->error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  if (queue->dropped) {
    return;
  }
  if (locked ? may_unlock(queue) : b->count > 1) {
    queue->each_alone = queue->each_alone || !locked;
    return_batch(queue, b);
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
    batch_kept(queue, b);
  } else {
    batch_failed(queue, b);
  }
  free_batch(b);
  return G_SOURCE_REMOVE;
}

static gboolean commit_first(gpointer data)
{
  commit_queue *queue = data;
  queue->source = 0;
  queue->under_way = take_batch(queue);
  queue->under_way->thread = g_thread_try_new("commit", commit, queue, NULL);
  if (queue->under_way->thread == NULL) {
    commit(queue); /* this machine has no thread for it: the runs wait */
  }
  return G_SOURCE_REMOVE;
}

/* How long to wait now, ms. */
static guint pause_of(const commit_queue *queue)
{
  if (queue->locked_since_us > 0) {
    return LOCK_PAUSE_MS;
  }
  gint64 left_us = queue->not_before_us - g_get_monotonic_time();
  gboolean now = queue->each_alone || g_queue_get_length((GQueue *)&queue->records) >= TOGETHER_MAX;
  return now || left_us <= 0 ? 0 : (guint)((left_us + 999) / 1000);
}

static void schedule(commit_queue *queue)
{
  if (queue->source == 0 && queue->under_way == NULL && !g_queue_is_empty(&queue->records)) {
    queue->source = g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, pause_of(queue), commit_first, queue, NULL);
  }
}

static void reschedule(commit_queue *queue)
{
  if (queue->source != 0) {
    g_source_remove(queue->source);
  }
  queue->source = 0;
  schedule(queue);
}

void commit_queue_add(commit_queue *queue, sweep_record *record)
{
  g_queue_push_tail(&queue->records, record);
  if (g_queue_get_length(&queue->records) == TOGETHER_MAX && queue->locked_since_us == 0) {
    reschedule(queue);
  }
  schedule(queue);
}

void commit_queue_flush(commit_queue *queue)
{
  if (queue->not_before_us > 0) {
    queue->not_before_us = 0;
    reschedule(queue);
  }
}

guint commit_queue_length(const commit_queue *queue)
{
  return g_queue_get_length((GQueue *)&queue->records) +
         (queue->under_way != NULL ? queue->under_way->count : 0);
}

void commit_queue_hurry(commit_queue *queue, int wait_ms)
{
  queue->wait_ms = MIN(queue->wait_ms, wait_ms);
  queue->locked_since_us = queue->locked_since_us > 0 ? g_get_monotonic_time() : 0;
}
