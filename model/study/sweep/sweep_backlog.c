#include "study/sweep/sweep_backlog.h"

/* How long SQLite itself waits for a lock, in which nothing else is done here; and then we, in which all else is. */
#define LOCK_WAIT_MS 50
#define LOCK_PAUSE_MS 100

struct sweep_backlog {
  result_store *store;
  const stored_origin *from;
  sweep_backlog_events events;
  gpointer data;
  GQueue records; /* sweep_record * */
  guint source;   /* 0: nothing waits */
  int wait_ms;
  gint64 locked_since_us; /* 0: it is not */
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

/* Commits `run`, unless another sweep has put a result there: a run that failed here must not replace it, and one that did not would
 * say the same. */
static gboolean commit(const sweep_backlog *backlog, const stored_run *run, gboolean *was_there,
                       GError **error)
{
  stored_state state = STORED_MISSING;
  if (!result_store_find(backlog->store, run->identity, &state, error)) {
    return FALSE;
  }
  *was_there = state == STORED_DONE || state == STORED_UNEXPECTED;
  return *was_there || result_store_commit(backlog->store, backlog->from, run, error);
}

/* TRUE when `error` is a lock that may still go away. */
static gboolean may_unlock(sweep_backlog *backlog, const GError *error)
{
  gint64 now_us = g_get_monotonic_time();
  if (!g_error_matches(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED)) {
    return FALSE;
  }
  if (backlog->locked_since_us == 0) {
    backlog->locked_since_us = now_us;
  }
  return now_us - backlog->locked_since_us < (gint64)backlog->wait_ms * 1000;
}

static void schedule(sweep_backlog *backlog);

static gboolean commit_first(gpointer data)
{
  sweep_backlog *backlog = data;
  GError *error = NULL;
  gboolean was_there = FALSE;
  const sweep_record *first = g_queue_peek_head(&backlog->records);
  backlog->source = 0;
  if (commit(backlog, &first->run, &was_there, &error)) {
    sweep_record *record = g_queue_pop_head(&backlog->records);
    backlog->locked_since_us = 0;
    schedule(backlog);
    backlog->events.kept(&record->run, was_there, backlog->data);
    sweep_record_free(record);
  } else if (may_unlock(backlog, error)) {
    g_error_free(error);
    schedule(backlog);
  } else {
    sweep_backlog_drop(backlog);
    backlog->events.failed(error, backlog->data);
  }
  return G_SOURCE_REMOVE;
}

static void schedule(sweep_backlog *backlog)
{
  if (backlog->source == 0 && !g_queue_is_empty(&backlog->records)) {
    backlog->source = backlog->locked_since_us > 0 ? g_timeout_add(LOCK_PAUSE_MS, commit_first, backlog)
                                                   : g_idle_add(commit_first, backlog);
  }
}

void sweep_backlog_add(sweep_backlog *backlog, sweep_record *record)
{
  g_queue_push_tail(&backlog->records, record);
  schedule(backlog);
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
