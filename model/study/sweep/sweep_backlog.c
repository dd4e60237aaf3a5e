/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_backlog.h"

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
 * would say the same. */
typedef struct batch {
  guint count; /* 0: the thread is to end */
  sweep_record *records[TOGETHER_MAX];
  const stored_run *runs[TOGETHER_MAX];
  stored_state there[TOGETHER_MAX];
  gint64 took_us;
  GError *error; /* NULL: it is in the store */
} batch;

struct sweep_backlog {
  result_store *store;
  const stored_origin *from;
  sweep_backlog_events events;
  gpointer data;
  GThread *thread;
  GAsyncQueue *commits; /* batch *: to the thread */
  batch *under_way;     /* the thread's; NULL: none is */
  gboolean dropped;     /* what is under way is not tried again */
  GQueue records;       /* sweep_record *; those under way are not among them */
  guint source;         /* 0: nothing waits */
  int wait_ms;
  gint64 locked_since_us; /* 0: it is not */
  gint64 not_before_us;   /* the next commit, unless TOGETHER_MAX wait */
  gboolean each_alone;    /* what failed for several may do for one */
};

static gboolean commit_ended(gpointer data);

/* The thread: it alone uses the store. */
static gpointer commit_batches(gpointer data)
{
  sweep_backlog *backlog = data;
  for (;;) {
    batch *b = g_async_queue_pop(backlog->commits);
    if (b->count == 0) {
      g_free(b);
      return NULL;
    }
    gint64 before_us = g_get_monotonic_time();
    result_store_commit_new(backlog->store, backlog->from, b->runs, b->count, b->there, &b->error);
    b->took_us = g_get_monotonic_time() - before_us;
    g_idle_add_full(G_PRIORITY_DEFAULT, commit_ended, backlog, NULL);
  }
}

sweep_backlog *sweep_backlog_new(result_store *store, const stored_origin *from,
                                 const sweep_backlog_events *events, gpointer data)
{
  sweep_backlog *backlog = g_new0(sweep_backlog, 1);
  backlog->store = store;
  backlog->from = from;
  backlog->events = *events;
  backlog->data = data;
  backlog->wait_ms = result_store_wait_ms(store);
  g_queue_init(&backlog->records);
  result_store_wait_at_most(store, LOCK_WAIT_MS);
  backlog->commits = g_async_queue_new();
  backlog->thread = g_thread_new("commits", commit_batches, backlog);
  return backlog;
}

static void free_batch(batch *b)
{
  for (guint i = 0; i < b->count; i++) {
    sweep_record_free(b->records[i]);
  }
  g_clear_error(&b->error);
  g_free(b);
}

void sweep_backlog_free(sweep_backlog *backlog)
{
  sweep_backlog_drop(backlog);
  g_async_queue_push(backlog->commits, g_new0(batch, 1));
  g_thread_join(backlog->thread);
  g_idle_remove_by_data(backlog);
  if (backlog->under_way != NULL) {
    free_batch(backlog->under_way);
  }
  g_async_queue_unref(backlog->commits);
  result_store_wait_at_most(backlog->store, result_store_wait_ms(backlog->store));
  g_free(backlog);
}

void sweep_backlog_drop(sweep_backlog *backlog)
{
  sweep_record *record;
  while ((record = g_queue_pop_head(&backlog->records)) != NULL) {
    sweep_record_free(record);
  }
  if (backlog->source != 0) {
    g_source_remove(backlog->source);
  }
  backlog->source = 0;
  backlog->dropped = TRUE;
}

/* TRUE when the lock on the store, just met, may still go away. */
static gboolean may_unlock(sweep_backlog *backlog)
{
  gint64 now_us = g_get_monotonic_time();
  if (backlog->locked_since_us == 0) {
    backlog->locked_since_us = now_us;
  }
  return now_us - backlog->locked_since_us < (gint64)backlog->wait_ms * 1000;
}

static void schedule(sweep_backlog *backlog);

static batch *take_batch(sweep_backlog *backlog)
{
  batch *b = g_new0(batch, 1);
  const guint most = backlog->each_alone ? 1 : TOGETHER_MAX;
  while (b->count < most && !g_queue_is_empty(&backlog->records)) {
    b->records[b->count] = g_queue_pop_head(&backlog->records);
    b->runs[b->count] = &b->records[b->count]->run;
    b->count++;
  }
  return b;
}

static void batch_kept(sweep_backlog *backlog, const batch *b)
{
  backlog->locked_since_us = 0;
  schedule(backlog);
  for (guint i = 0; i < b->count; i++) {
    backlog->events.kept(b->runs[i], b->there[i], backlog->data);
  }
}

/* Its records wait again, in front. */
static void return_batch(sweep_backlog *backlog, batch *b)
{
  while (b->count > 0) {
    g_queue_push_head(&backlog->records, b->records[--b->count]);
  }
}

/* One of several may be at fault, and a disk may have room for some. */
static void batch_failed(sweep_backlog *backlog, batch *b)
{
  gboolean locked = g_error_matches(b->error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  if (backlog->dropped) {
    return;
  }
  if (locked ? may_unlock(backlog) : b->count > 1) {
    backlog->each_alone = backlog->each_alone || !locked;
    return_batch(backlog, b);
    schedule(backlog);
  } else {
    sweep_backlog_drop(backlog);
    backlog->events.failed(g_steal_pointer(&b->error), backlog->data);
  }
}

static gboolean commit_ended(gpointer data)
{
  sweep_backlog *backlog = data;
  batch *b = g_steal_pointer(&backlog->under_way);
  backlog->not_before_us = g_get_monotonic_time() + MAX(PAUSE_TO_COMMIT * b->took_us, PAUSE_MIN_US);
  if (b->error == NULL) {
    batch_kept(backlog, b);
  } else {
    batch_failed(backlog, b);
  }
  free_batch(b);
  return G_SOURCE_REMOVE;
}

static gboolean commit_first(gpointer data)
{
  sweep_backlog *backlog = data;
  backlog->source = 0;
  backlog->under_way = take_batch(backlog);
  g_async_queue_push(backlog->commits, backlog->under_way);
  return G_SOURCE_REMOVE;
}

/* How long to wait now, ms. */
static guint pause_of(const sweep_backlog *backlog)
{
  if (backlog->locked_since_us > 0) {
    return LOCK_PAUSE_MS;
  }
  gint64 left_us = backlog->not_before_us - g_get_monotonic_time();
  gboolean now = backlog->each_alone || g_queue_get_length((GQueue *)&backlog->records) >= TOGETHER_MAX;
  return now || left_us <= 0 ? 0 : (guint)((left_us + 999) / 1000);
}

static void schedule(sweep_backlog *backlog)
{
  if (backlog->source == 0 && backlog->under_way == NULL && !g_queue_is_empty(&backlog->records)) {
    backlog->source =
        g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, pause_of(backlog), commit_first, backlog, NULL);
  }
}

static void reschedule(sweep_backlog *backlog)
{
  if (backlog->source != 0) {
    g_source_remove(backlog->source);
  }
  backlog->source = 0;
  schedule(backlog);
}

void sweep_backlog_add(sweep_backlog *backlog, sweep_record *record)
{
  g_queue_push_tail(&backlog->records, record);
  if (g_queue_get_length(&backlog->records) == TOGETHER_MAX && backlog->locked_since_us == 0) {
    reschedule(backlog);
  }
  schedule(backlog);
}

void sweep_backlog_flush(sweep_backlog *backlog)
{
  if (backlog->not_before_us > 0) {
    backlog->not_before_us = 0;
    reschedule(backlog);
  }
}

guint sweep_backlog_length(const sweep_backlog *backlog)
{
  return g_queue_get_length((GQueue *)&backlog->records) +
         (backlog->under_way != NULL ? backlog->under_way->count : 0);
}

void sweep_backlog_hurry(sweep_backlog *backlog, int wait_ms)
{
  backlog->wait_ms = MIN(backlog->wait_ms, wait_ms);
  backlog->locked_since_us = backlog->locked_since_us > 0 ? g_get_monotonic_time() : 0;
}
