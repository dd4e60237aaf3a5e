/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/result_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "study/store/result_store_private.h"

/* How long to wait for another process that has the store locked: a commit takes milliseconds, a merge of many stores longer. Who
 * only reads can be started again at once, a sweep loses a run. */
#define READ_WAIT_MS 10000
#define WRITE_WAIT_MS 60000

GQuark result_store_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-result-store-error");
}

/* Errors. */

/* Why the file at `path` cannot be read as a whole, from errno; 0: it can. */
static int read_errno(const char *path)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int reason = file < 0 ? errno : 0;
  char part[16384];
  ssize_t count = file < 0 ? 0 : 1;

  while (count > 0) {
    count = read(file, part, sizeof part);
    reason = count < 0 ? errno : 0;
  }
  if (file >= 0) {
    close(file);
  }
  return reason;
}

gboolean store_damaged(const result_store *store, GError **error, const char *format, ...)
{
  /* A page that the disk does not give is damage to SQLite, too: SQLITE_IOERR_CORRUPTFS. */
  int reason = read_errno(store->path);
  if (reason != 0) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED,
                "%s: cannot be read (%s); expected a disk that gives all of it", store->path,
                g_strerror(reason));
    return FALSE;
  }
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = plain_text(what, -1, ""); /* what is in a damaged file may have a line's end */
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN, "%s: damaged: %s", store->path, line);
  return FALSE;
}

/* What a user can do about it; NULL: SQLite's own words must do. Free with g_free(). */
static char *advice_on(const result_store *store, int code, int reason)
{
  if (code == SQLITE_FULL || (code == SQLITE_IOERR && reason == ENOSPC)) {
    return g_strdup("the disk is full; nothing committed was lost: make room and run the same command again");
  }
  if (code == SQLITE_IOERR &&
      (reason == EIO || reason == 0)) { /* of fsync() SQLite does not tell the reason */
    return g_strdup(
        "the disk failed (input/output error); nothing committed was lost: once it works, run the "
        "same command again");
  }
  if (code == SQLITE_NOMEM) {
    return g_strdup("no memory was to be had; nothing committed was lost");
  }
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return g_strdup_printf("another process has kept it locked for %g s (a sweep, a merge or a database tool "
                           "in the midst of writing); nothing committed was lost: let it end and run the "
                           "same command again",
                           store->wait_ms / 1000.0);
  }
  if (sqlite3_extended_errcode(store->database) == SQLITE_READONLY_ROLLBACK) {
    return g_strdup_printf(
        "its journal %s-journal, left by a process that was killed, must be taken back first, "
        "and may not be here; expected a file and a folder that may be written: nothing "
        "committed was lost",
        store->path);
  }
  if (sqlite3_extended_errcode(store->database) == SQLITE_READONLY_DBMOVED) {
    return g_strdup(
        "it was removed, renamed or replaced while it was written; expected a file that stays: run "
        "the same command again");
  }
  if (code == SQLITE_READONLY) {
    return g_strdup_printf("it cannot be written (%s); expected a file and a folder that may be written, or "
                           "another one",
                           sqlite3_errmsg(store->database));
  }
  return NULL;
}

gboolean store_failed(const result_store *store, GError **error)
{
  int code = sqlite3_errcode(store->database);
  int reason = sqlite3_system_errno(store->database);
  const char *words = sqlite3_errmsg(store->database);
  g_autofree char *advice = advice_on(store, code, reason);
  if (code == SQLITE_NOTADB) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: not a result store: not a SQLite database; expected a file that `iwarpsim sweep` wrote",
                store->path);
  } else if (code == SQLITE_CORRUPT || code == SQLITE_ERROR) {
    /* Our statements are right: what SQLite cannot make of them is due to the file. */
    store_damaged(store, error, "%s; expected the tables as `iwarpsim sweep` made them (docs/store.md)",
                  words);
  } else if (advice != NULL) {
    gboolean locked = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    g_set_error(error, RESULT_STORE_ERROR, locked ? RESULT_STORE_ERROR_LOCKED : RESULT_STORE_ERROR_FAILED,
                "%s: %s", store->path, advice);
  } else {
    /* Of a file that is not there SQLite says no more than that it cannot open it. */
    gboolean known = (code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && reason != 0;
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED,
                "%s: %s%s%s%s; expected a file that `iwarpsim sweep` wrote, or a folder to make it in",
                store->path, words, known ? " (" : "", known ? g_strerror(reason) : "", known ? ")" : "");
  }
  return FALSE;
}

/* Statements. */

gboolean store_execute(const result_store *store, const char *sql, GError **error)
{
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || store_failed(store, error);
}

sqlite3_stmt *store_prepare(const result_store *store, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK) {
    store_failed(store, error);
  }
  return statement;
}

sqlite3_stmt *store_statement(const result_store *store, const char *sql, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup(store->statements, sql);
  if (statement == NULL) {
    statement = store_prepare(store, sql, error);
    if (statement != NULL) {
      g_hash_table_insert(store->statements, (gpointer)sql, statement);
    }
  }
  return statement;
}

gboolean store_finish(const result_store *store, gboolean good, GError **error)
{
  good = good && store_execute(store, "COMMIT", error);
  if (!good) {
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
  }
  return good;
}

gboolean store_query_integer(const result_store *store, const char *sql, gint64 *value, GError **error)
{
  sqlite3_stmt *statement = store_prepare(store, sql, error);
  if (statement == NULL) {
    return FALSE;
  }
  gboolean good = sqlite3_step(statement) == SQLITE_ROW || store_failed(store, error);
  if (good) {
    *value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return good;
}

void store_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
  sqlite3_bind_text(statement, column, g_utf8_make_valid(text != NULL ? text : "", -1), -1, g_free);
}

gboolean store_step_done(const result_store *store, sqlite3_stmt *statement, GError **error)
{
  gboolean good = sqlite3_step(statement) == SQLITE_DONE || store_failed(store, error);
  sqlite3_reset(statement);
  return good;
}

const char *store_column_text(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text != NULL ? text : "";
}

static void finalize(gpointer statement)
{
  sqlite3_finalize(statement);
}

/* Opening. */

/* SQLite opens what it may not write for reading, and says so at the first write: after hours of a sweep. So one is tried here; it
 * changes nothing, but makes the journal, takes the locks and waits for the disk as every commit does. */
static gboolean try_writing(const result_store *store, GError **error)
{
  gint64 version = 0;
  if (!store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  gboolean good = store_query_integer(store, "PRAGMA user_version", &version, error);
  g_autofree char *sql = g_strdup_printf("PRAGMA user_version = %" G_GINT64_FORMAT, version);
  return store_finish(store, good && store_execute(store, sql, error), error);
}

/* A rollback journal, not a write-ahead log: the store stays one file that can be copied and read from read-only media, and that
 * works on network file systems, where a log's shared memory does not. EXTRA also waits until the journal's removal is on the disk:
 * after a power failure one that is still there would take the last commit back. It costs milliseconds a run. */
static gboolean prepare_writing(const result_store *store, GError **error)
{
  return store_execute(store, "PRAGMA journal_mode = DELETE", error) &&
         store_execute(store, "PRAGMA synchronous = EXTRA", error) && try_writing(store, error);
}

/* The pages and the indices agree; what stands in them is checked run by run (store_run_digest()). About as dear as reading all. */
static gboolean check_pages(const result_store *store, GError **error)
{
  sqlite3_stmt *statement = store_prepare(store, "PRAGMA integrity_check(1)", error);
  if (statement == NULL) {
    return FALSE;
  }
  gboolean good = sqlite3_step(statement) == SQLITE_ROW || store_failed(store, error);
  const char *verdict = good ? store_column_text(statement, 0) : "";
  if (good && strcmp(verdict, "ok") != 0) {
    g_autofree char *line = g_strdelimit(g_strdup(verdict), "\r\n", ' ');
    good =
        store_damaged(store, error,
                      "%s; `sqlite3 FILE .recover` may save some of it, a sweep into another --store makes "
                      "it anew",
                      line);
  }
  sqlite3_finalize(statement);
  return good;
}

static gboolean prepare_store(result_store *store, result_store_mode mode, GError **error)
{
  sqlite3_busy_timeout(store->database, store->wait_ms);
  /* A damaged schema must not run functions or hide tables. */
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return store_check_schema(store, mode, error) && check_pages(store, error) &&
         (mode == RESULT_STORE_READ ? store_execute(store, "PRAGMA query_only = ON", error)
                                    : prepare_writing(store, error));
}

/* Where a store cannot be made SQLite tries to read it, and then says that it is not there. */
static gboolean cannot_make(const result_store *store, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(store->path);
  if (g_file_test(store->path, G_FILE_TEST_EXISTS) || faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0) {
    return FALSE;
  }
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED,
              "%s: it cannot be made (%s); expected a folder that may be written", store->path,
              g_strerror(errno));
  return TRUE;
}

/* Opens the file, and sets `error` when that fails. */
static gboolean open_file(result_store *store, result_store_mode mode, GError **error)
{
  /* One thread at a time uses a store. A reader, too, must take back what a killed writer left half done, where it may. Else SQLITE_OPEN_READWRITE reads only. */
  int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == RESULT_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
  /* SQLite takes an empty name and ":memory:" for databases in memory, where results would be lost. */
  g_autofree char *file =
      g_path_is_absolute(store->path) ? g_strdup(store->path) : g_build_filename(".", store->path, NULL);
  if (sqlite3_open_v2(file, &store->database, flags, NULL) == SQLITE_OK) {
    return TRUE;
  }
  return (mode == RESULT_STORE_WRITE && cannot_make(store, error)) ? FALSE : store_failed(store, error);
}

static result_store *new_store(const char *path, int wait_ms)
{
  result_store *store = g_new0(result_store, 1);
  store->path = g_strdup(path);
  store->wait_ms = wait_ms;
  store->names = store_names_new();
  store->statements = g_hash_table_new_full(NULL, NULL, NULL, finalize);
  return store;
}

result_store *result_store_open_within(const char *path, result_store_mode mode, int wait_ms, GError **error)
{
  result_store *store = new_store(path, wait_ms);
  if (!open_file(store, mode, error) || !prepare_store(store, mode, error)) {
    g_clear_pointer(&store, result_store_close);
  }
  return store;
}

result_store *result_store_open(const char *path, result_store_mode mode, GError **error)
{
  return result_store_open_within(path, mode, mode == RESULT_STORE_READ ? READ_WAIT_MS : WRITE_WAIT_MS,
                                  error);
}

result_store *result_store_open_beside(const result_store *store, GError **error)
{
  result_store *beside = new_store(store->path, 0);
  if (!open_file(beside, RESULT_STORE_READ, error) ||
      !store_execute(beside, "PRAGMA query_only = ON", error)) {
    g_clear_pointer(&beside, result_store_close);
  }
  return beside;
}

void result_store_wait_at_most(result_store *store, int wait_ms)
{
  sqlite3_busy_timeout(store->database, wait_ms);
}

int result_store_wait_ms(const result_store *store)
{
  return store->wait_ms;
}

void result_store_close(result_store *store)
{
  if (store == NULL) {
    return;
  }
  g_hash_table_unref(store->statements);
  sqlite3_close(store->database);
  store_names_free(store->names);
  g_free(store->path);
  g_free(store);
}
