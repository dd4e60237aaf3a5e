#include "study/sweep/sweep_backlog.h"

/* How long SQLite itself waits for a lock, in which nothing else is done here; and then we, in which all else is. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_MS 100

/* After a commit this many times as long as it took goes by before the next one: it waits for the disk, and meanwhile no child that ends
 * is replaced. Runs that take longer than that are committed at once, each for itself. */
#define PAUSE_TO_COMMIT 9

/* So many are committed at once, whatever the pause. */
#define TOGETHER_MAX 16

struct sweep_backlog {
  result_store *store;
  const stored_origin *from;
  sweep_backlog_events events;
  gpointer data;
  GQueue records; /* sweep_record * */
  guint source;   /* 0: nothing waits */
  int wait_ms;
  gint64 locked_since_us; /* 0: it is not */
  gint64 not_before_us;   /* the next commit, unless TOGETHER_MAX wait */
  gboolean each_alone;    /* what failed for several may do for one */
};

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
  return backlog;
}

void sweep_backlog_free(sweep_backlog *backlog)
{
  sweep_backlog_drop(backlog);
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

/* What is committed in one transaction. Another sweep's result stays: a run that failed here must not replace it, and one that did not
 * would say the same. */
typedef struct batch {
  guint count;
  sweep_record *records[TOGETHER_MAX];
  const stored_run *runs[TOGETHER_MAX];
  stored_state there[TOGETHER_MAX];
} batch;

static batch take_batch(const sweep_backlog *backlog)
{
  batch b = {.count = 0};
  const guint most = backlog->each_alone ? 1 : TOGETHER_MAX;
  for (const GList *at = backlog->records.head; at != NULL && b.count < most; at = at->next, b.count++) {
    b.records[b.count] = at->data;
    b.runs[b.count] = &b.records[b.count]->run;
  }
  return b;
}

static void batch_kept(sweep_backlog *backlog, const batch *b)
{
  for (guint i = 0; i < b->count; i++) {
    g_queue_pop_head(&backlog->records);
  }
  backlog->locked_since_us = 0;
  schedule(backlog);
  for (guint i = 0; i < b->count; i++) {
    backlog->events.kept(b->runs[i], b->there[i], backlog->data);
    sweep_record_free(b->records[i]);
  }
}

/* One of several may be at fault, and a disk may have room for some. */
static void batch_failed(sweep_backlog *backlog, const batch *b, GError *error)
{
  gboolean locked = g_error_matches(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  if (locked ? may_unlock(backlog) : b->count > 1) {
    backlog->each_alone = backlog->each_alone || !locked;
    g_error_free(error);
    schedule(backlog);
  } else {
    sweep_backlog_drop(backlog);
    backlog->events.failed(error, backlog->data);
  }
}

static gboolean commit_first(gpointer data)
{
  sweep_backlog *backlog = data;
  GError *error = NULL;
  batch b = take_batch(backlog);
  backlog->source = 0;
  gint64 before_us = g_get_monotonic_time();
  gboolean good = result_store_commit_new(backlog->store, backlog->from, b.runs, b.count, b.there, &error);
  gint64 after_us = g_get_monotonic_time();
  backlog->not_before_us = after_us + PAUSE_TO_COMMIT * (after_us - before_us);
  if (good) {
    batch_kept(backlog, &b);
  } else {
    batch_failed(backlog, &b, error);
  }
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
  if (backlog->source == 0 && !g_queue_is_empty(&backlog->records)) {
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
  return g_queue_get_length((GQueue *)&backlog->records);
}

void sweep_backlog_hurry(sweep_backlog *backlog, int wait_ms)
{
  backlog->wait_ms = MIN(backlog->wait_ms, wait_ms);
  backlog->locked_since_us = backlog->locked_since_us > 0 ? g_get_monotonic_time() : 0;
}
