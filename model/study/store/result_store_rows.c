/* SPDX-License-Identifier: GPL-2.0-only */
/* What belongs to a run, as rows that SQLite fetches itself: the table-valued function run_rows(what) has a row for each parameter, metric
 * or bin of the run in hand, in the order of their keys. */
#include <string.h>

#include "study/store/result_store_private.h"

/* The argument of run_rows(). */
typedef enum row_kind { ROWS_PARAMETERS, ROWS_METRICS, ROWS_DISTRIBUTIONS, ROW_KINDS } row_kind;

/* Columns of run_rows(). */
enum { COLUMN_NAME, COLUMN_FIRST, COLUMN_SECOND, COLUMN_WHAT };

typedef struct store_rows {
  const store_names *names;
  const stored_run *run; /* NULL: none is in hand */
} store_rows;

typedef struct rows_table {
  sqlite3_vtab base;
  const store_rows *rows;
} rows_table;

typedef struct rows_cursor {
  sqlite3_vtab_cursor base;
  const store_rows *rows;
  row_kind kind;
  gsize at;  /* in the names */
  gsize bin; /* of the distribution at `at` */
} rows_cursor;

/* The table. */

static int connect_rows(sqlite3 *database, void *rows, int count, const char *const *arguments,
                        sqlite3_vtab **table, char **error)
{
  (void)count;
  (void)arguments;
  (void)error;
  int code = sqlite3_declare_vtab(database, "CREATE TABLE run_rows(name, first, second, what HIDDEN)");
  if (code == SQLITE_OK) {
    rows_table *made = g_new0(rows_table, 1);
    made->rows = rows;
    *table = &made->base;
  }
  return code;
}

static int disconnect_rows(sqlite3_vtab *table)
{
  g_free(table);
  return SQLITE_OK;
}

/* There is one way to read it: with its argument. */
static int plan_rows(sqlite3_vtab *table, sqlite3_index_info *plan)
{
  (void)table;
  for (int i = 0; i < plan->nConstraint; i++) {
    if (plan->aConstraint[i].iColumn == COLUMN_WHAT && plan->aConstraint[i].usable &&
        plan->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
      plan->aConstraintUsage[i].argvIndex = 1;
      plan->aConstraintUsage[i].omit = 1;
      return SQLITE_OK;
    }
  }
  return SQLITE_CONSTRAINT;
}

/* The cursor. */

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
  rows_cursor *made = g_new0(rows_cursor, 1);
  made->rows = ((const rows_table *)table)->rows;
  *cursor = &made->base;
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
  g_free(cursor);
  return SQLITE_OK;
}

static const named_row *names_of(const rows_cursor *c, gsize *count)
{
  switch (c->kind) {
  case ROWS_PARAMETERS:
    *count = SCENARIO_KEY_COUNT;
    return c->rows->names->keys;
  case ROWS_METRICS:
    *count = METRIC_COUNT;
    return c->rows->names->metrics;
  case ROWS_DISTRIBUTIONS:
  case ROW_KINDS:
    break;
  }
  *count = DISTRIBUTION_COUNT;
  return c->rows->names->distributions;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
  const rows_cursor *c = (const rows_cursor *)cursor;
  gsize count;
  names_of(c, &count);
  return c->at >= count;
}

/* Whether the run has what the cursor is at. */
static gboolean has_row(const rows_cursor *c)
{
  const stored_run *run = c->rows->run;
  gsize count;
  gsize row = names_of(c, &count)[c->at].row;
  switch (c->kind) {
  case ROWS_PARAMETERS:
    return run->keys[row] != NULL;
  case ROWS_METRICS:
    return run->metrics.present[row];
  case ROWS_DISTRIBUTIONS:
  case ROW_KINDS:
    break;
  }
  return c->bin < run->distributions[row].count;
}

static void skip_missing(rows_cursor *c)
{
  while (!is_at_end(&c->base) && !has_row(c)) {
    c->at++;
    c->bin = 0;
  }
}

static int start_rows(sqlite3_vtab_cursor *cursor, int plan, const char *plan_text, int count,
                      sqlite3_value **values)
{
  rows_cursor *c = (rows_cursor *)cursor;
  (void)plan;
  (void)plan_text;
  int kind = count == 1 ? sqlite3_value_int(values[0]) : ROW_KINDS;
  if (kind < 0 || kind >= ROW_KINDS || c->rows->run == NULL) {
    return SQLITE_MISUSE;
  }
  c->kind = (row_kind)kind;
  c->at = c->bin = 0;
  skip_missing(c);
  return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
  rows_cursor *c = (rows_cursor *)cursor;
  if (c->kind == ROWS_DISTRIBUTIONS) {
    c->bin++;
  } else {
    c->at++;
  }
  skip_missing(c);
  return SQLITE_OK;
}

/* A copy where the text must be made valid UTF-8, as store_bind_text() makes it. */
static void give_text(sqlite3_context *context, const char *text)
{
  if (g_utf8_validate(text, -1, NULL)) {
    sqlite3_result_text(context, text, -1, SQLITE_STATIC);
  } else {
    sqlite3_result_text(context, g_utf8_make_valid(text, -1), -1, g_free);
  }
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
  const rows_cursor *c = (const rows_cursor *)cursor;
  const stored_run *run = c->rows->run;
  gsize count;
  const named_row *name = &names_of(c, &count)[c->at];
  if (column == COLUMN_NAME) {
    sqlite3_result_text(context, name->name, -1, SQLITE_STATIC);
  } else if (c->kind == ROWS_PARAMETERS) {
    give_text(context, run->keys[name->row]);
  } else if (c->kind == ROWS_METRICS) {
    sqlite3_result_double(context, run->metrics.value[name->row]);
  } else {
    const distribution_bin *bin = &run->distributions[name->row].bins[c->bin];
    sqlite3_result_double(context, column == COLUMN_FIRST ? bin->bound : bin->weight);
  }
  return SQLITE_OK;
}

static int give_row_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
  const rows_cursor *c = (const rows_cursor *)cursor;
  *number = (sqlite3_int64)c->at * DISTRIBUTION_BINS_MAX + (sqlite3_int64)c->bin;
  return SQLITE_OK;
}

gboolean store_rows_open(result_store *store, GError **error)
{
  static const sqlite3_module module = {.xConnect = connect_rows,
                                        .xBestIndex = plan_rows,
                                        .xDisconnect = disconnect_rows,
                                        .xOpen = open_cursor,
                                        .xClose = close_cursor,
                                        .xFilter = start_rows,
                                        .xNext = next_row,
                                        .xEof = is_at_end,
                                        .xColumn = give_column,
                                        .xRowid = give_row_number};
  store->rows = g_new0(store_rows, 1);
  store->rows->names = store->names;
  return sqlite3_create_module_v2(store->database, "run_rows", &module, store->rows, g_free) == SQLITE_OK ||
         store_failed(store, error);
}

/* Writing. */

gboolean store_rows_write(const result_store *store, const stored_run *run, gint64 id, GError **error)
{
  static const char *const sql[ROW_KINDS] = {
      [ROWS_PARAMETERS] = "INSERT INTO parameters(run, key, value) SELECT ?1, name, first FROM run_rows(0)",
      [ROWS_METRICS] = "INSERT INTO metrics(run, name, value) SELECT ?1, name, first FROM run_rows(1)",
      [ROWS_DISTRIBUTIONS] = ("INSERT INTO distributions(run, name, bound, weight)"
                              " SELECT ?1, name, first, second FROM run_rows(2)")};
  gboolean good = TRUE;
  store->rows->run = run;
  for (row_kind kind = 0; good && kind < ROW_KINDS; kind++) {
    sqlite3_stmt *statement = store_statement(store, sql[kind], error);
    good = statement != NULL && sqlite3_bind_int64(statement, 1, id) == SQLITE_OK &&
           store_step_done(store, statement, error);
  }
  store->rows->run = NULL;
  return good;
}
