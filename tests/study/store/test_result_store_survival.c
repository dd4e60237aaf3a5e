/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the store under bad conditions: other hands, locks, no room, processes killed in the
 * middle of writing, damaged octets. In each case there is an error message or a correct reading, and what
 * was committed stays. What commands make of files that are no stores, of other schemas and of full disks is
 * in tests/survival. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_commit.h"
#include "study_fixture.h"

enum { WAIT_MS = 20, RUNS = 3 };

/* Returns a run with some of everything. */
static stored_run full_run(const store_fixture *f, guint seed)
{
  stored_run run = fixture_seed_run(f->scenario, seed, seed - 1);
  metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, 1000 + seed);
  metric_values_set(&run.results.metrics, METRIC_EFFICIENCY_WIRE, 0.1 * seed);
  for (guint i = 1; i <= 40; i++) {
    g_assert_true(
        distribution_append(&run.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], i * 1460, 0.25 / i));
  }
  run.results.quantiles = (gauge_quantiles){1, {990000000}, {[GAUGE_ORDER] = {1460}}};
  run.results.block_octets = 65536;
  run.results.block_maxima = g_array_new(FALSE, TRUE, sizeof(guint64));
  g_array_set_size(run.results.block_maxima, 5);
  return run;
}

static gboolean commit_seed(const store_fixture *f, result_store *store, guint seed, GError **error)
{
  g_auto(stored_run) run = full_run(f, seed);
  return store_commit(store, &f->origin, &run, error);
}

static result_store *open_store(const char *path, result_store_mode mode, GError **error)
{
  return result_store_open_within(path, mode, WAIT_MS, error);
}

/* A store of RUNS runs, which nobody has open. */
static void set_up(store_fixture *f, gconstpointer axes)
{
  store_fixture_set_up(f, axes);
  f->origin.text = (char *)"title = \"A question\";\n";
  f->origin.hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, f->origin.text, -1);
  for (guint seed = 1; seed <= RUNS; seed++) {
    g_assert_true(NO_ERROR(commit_seed, f, f->store, seed));
  }
  g_clear_pointer(&f->store, result_store_close);
}

static void tear_down(store_fixture *f, gconstpointer unused)
{
  g_free(f->origin.hash);
  store_fixture_tear_down(f, unused);
}

/* Each run of the seeds 1, 2, … is there once, and as it was committed. */
static gboolean check_run(const provenance *from, const stored_run *run, gpointer data,
                          G_GNUC_UNUSED GError **error)
{
  const store_fixture *f = data;
  g_assert_cmpstr(from->text, ==, f->origin.text);
  g_auto(stored_run) expected = full_run(f, (guint)g_ascii_strtoull(run->keys[SCENARIO_RUN_SEED], NULL, 10));
  g_auto(GStrv) of_expected = run_part_texts(&expected.results), of_run = run_part_texts(&run->results);
  g_autofree char *keys = run_parameters_text(expected.keys), *of_keys = run_parameters_text(run->keys);
  g_autofree char *digest = store_run_digest(&f->origin, &expected, keys, (const char *const *)of_expected);
  g_autofree char *found = store_run_digest(from, run, of_keys, (const char *const *)of_run);
  g_assert_cmpstr(run->identity, ==, expected.identity);
  g_assert_cmpstr(found, ==, digest);
  return TRUE;
}

static void expect_runs(const store_fixture *f, const char *path, guint count)
{
  g_autoptr(result_store) store = NO_ERROR(open_store, path, RESULT_STORE_READ);
  g_assert_true(NO_ERROR(result_store_each, store, check_run, (gpointer)f));
  g_assert_cmpuint(fixture_count_runs(path), ==, count);
}

static void expect_refused(const char *path, result_store_mode mode, int code, const char *complaint)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(open_store(path, mode, &error));
  g_test_message("%s", error->message);
  g_assert_error(error, RESULT_STORE_ERROR, code);
  g_assert_true(g_str_has_prefix(error->message, path));
  g_assert_nonnull(strstr(error->message, complaint));
}

static void execute_on(const char *path, const char *sql)
{
  sqlite3 *database = raw_open(path);
  raw_execute(database, sql);
  sqlite3_close(database);
}

#define FIXTURE_TEST(name) TEST_WITH(store_fixture, "run.seed", set_up, tear_down, name)

FIXTURE_TEST(test_missing)
{
  g_autofree char *path = g_build_filename(f->folder, "none.sqlite", NULL);
  expect_refused(path, RESULT_STORE_READ, RESULT_STORE_ERROR_FAILED, g_strerror(ENOENT));
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  g_autofree char *nowhere = g_build_filename(f->folder, "none", "a.sqlite", NULL);
  expect_refused(nowhere, RESULT_STORE_WRITE, RESULT_STORE_ERROR_FAILED, g_strerror(ENOENT));
}

/* Contents nobody of us wrote. */

/* The store as `sql` leaves it is refused, in one line of UTF-8. */
FIXTURE_TEST(test_foreign_hand)
{
  static const struct {
    const char *sql;
    const char *complaint;
  } rows[] = {
      {"UPDATE runs SET status = 'fine'", "the status \"fine\""},
      {"UPDATE runs SET identity = CAST(X'61FF0A62' AS TEXT) WHERE id = 1", "run a\\xff\\nb"},
      {"UPDATE runs SET status = CAST(X'61FF0A62' AS TEXT)", "the status \"a\\xff\\nb\""},
      {"UPDATE runs SET metrics = '{\"tcp.sediments\":5}'", "no longer what was written"},
      {"UPDATE runs SET quantiles = '{\"buffer.order\":[[50,7]]}'", "no longer what was written"},
      {"UPDATE origins SET base_quantiles = '{\"buffer.order\":[[50,7]]}'", "no longer what was written"},
      {"UPDATE origins SET base_metrics = '{'", "no longer what was written"},
      {"UPDATE runs SET block_maxima = '{\"65536\":[0,0,0,0,1]}'", "no longer what was written"},
      {"UPDATE runs SET metrics = json_set(metrics, '$.\"tcp.segments\"', 1001.5) WHERE id = 1",
       "(point 0) is no longer what was written"},
      {"UPDATE runs SET distributions = json_set(distributions, '$.\"buffer.reassembly_octets\"[0][1]', 2e9) "
       "WHERE id = 3",
       "(point 2) is no longer what was written"},
      {"UPDATE runs SET parameters = json_set(parameters, '$.\"mpa.crc\"', NULL) WHERE id = 2",
       "(point 1) is no longer what was written"},
      {"UPDATE origins SET base = json_set(base, '$.\"mpa.crc\"', 'maybe')", "no longer what was written"},
      /* A run that lost its origin is not left out in silence. */
      {"DELETE FROM origins", "no longer what was written"},
      /* The identities of runs are in an index of nothing: a sweep would make all of them twice. */
      {"CREATE TABLE none(identity TEXT UNIQUE); PRAGMA writable_schema = ON; UPDATE sqlite_master SET "
       "rootpage = "
       "(SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_none_1') WHERE name = "
       "'sqlite_autoindex_runs_1'",
       "its index of runs does not have run 1"},
      {"ALTER TABLE runs RENAME COLUMN block_maxima TO maxima", "no such column: block_maxima"},
  };
  g_autofree char *octets = NULL;
  gsize length;
  g_assert_true(g_file_get_contents(f->path, &octets, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(f->path, octets, (gssize)length, NULL));
    execute_on(f->path, rows[i].sql);
    g_autoptr(result_store) store = NO_ERROR(open_store, f->path, RESULT_STORE_READ);
    g_assert_false(result_store_each(store, check_run, f, &error));
    g_test_message("%s", error->message);
    g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
    g_assert_nonnull(strstr(error->message, rows[i].complaint));
    g_assert_true(g_utf8_validate(error->message, -1, NULL) && strchr(error->message, '\n') == NULL);
  }
}

/* Locks. */

/* A reader meets a lock only while pages are being written, a writer while anyone else writes. */
FIXTURE_TEST(test_locked)
{
  sqlite3 *other = raw_open(f->path);
  raw_execute(other, "BEGIN IMMEDIATE");
  expect_runs(f, f->path, RUNS);
  expect_refused(f->path, RESULT_STORE_WRITE, RESULT_STORE_ERROR_LOCKED,
                 "another process has kept it locked for 0.02 s");
  raw_execute(other, "COMMIT; BEGIN EXCLUSIVE");
  expect_refused(f->path, RESULT_STORE_READ, RESULT_STORE_ERROR_LOCKED,
                 "another process has kept it locked for 0.02 s");
  raw_execute(other, "COMMIT");
  sqlite3_close(other);
  expect_runs(f, f->path, RUNS);
}

/* The store is locked after it was opened: the commit fails, and the store works again when the lock is
 * gone. */
FIXTURE_TEST(test_locked_later)
{
  g_autoptr(GError) error = NULL;
  result_store *store = open_store(f->path, RESULT_STORE_WRITE, &error);
  sqlite3 *other = raw_open(f->path);
  raw_execute(other, "BEGIN IMMEDIATE");
  g_assert_false(commit_seed(f, store, RUNS + 1, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  g_assert_nonnull(strstr(error->message, "nothing committed was lost"));
  g_clear_error(&error);
  raw_execute(other, "COMMIT");
  sqlite3_close(other);
  g_assert_true(commit_seed(f, store, RUNS + 1, &error));
  result_store_close(store);
  expect_runs(f, f->path, RUNS + 1);
}

/* A caller that waits in portions learns of the lock sooner, and the error has the whole time. */
FIXTURE_TEST(test_locked_in_portions)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(result_store) store = result_store_open_within(f->path, RESULT_STORE_WRITE, 3600000, &error);
  sqlite3 *other = raw_open(f->path);
  raw_execute(other, "BEGIN IMMEDIATE");
  g_assert_cmpint(result_store_wait_at_most(store, WAIT_MS), ==, 3600000);
  g_assert_false(commit_seed(f, store, RUNS + 1, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  g_assert_nonnull(strstr(error->message, "locked for 3600 s"));
  sqlite3_close(other);
}

/* It is read-only. */

enum { NOBODY = 65534 };

/* Root may write anything, so this continues as another user. FALSE when that is impossible, and the test is
 * skipped. */
static gboolean become_nobody(const store_fixture *f)
{
  if (geteuid() != 0) {
    return TRUE;
  }
  g_assert_cmpint(chown(f->folder, NOBODY, NOBODY), ==, 0);
  g_assert_cmpint(chown(f->path, NOBODY, NOBODY), ==, 0);
  gboolean good = seteuid(NOBODY) == 0;
  if (!good) {
    g_test_skip("nobody else to be here");
  }
  return good;
}

static void become_self(void)
{
  if (getuid() == 0) {
    g_assert_cmpint(seteuid(0), ==, 0);
  }
}

/* A file that may only be read is refused at once, not after the first run of a sweep; reading goes on. */
FIXTURE_TEST(test_read_only_file)
{
  g_assert_cmpint(g_chmod(f->path, 0444), ==, 0);
  if (become_nobody(f)) {
    expect_refused(f->path, RESULT_STORE_WRITE, RESULT_STORE_ERROR_FAILED, "cannot be written");
    expect_runs(f, f->path, RUNS);
  }
  become_self();
}

/* There is no room for the journal. */
FIXTURE_TEST(test_read_only_folder)
{
  g_assert_cmpint(g_chmod(f->folder, 0555), ==, 0);
  if (become_nobody(f)) {
    expect_refused(f->path, RESULT_STORE_WRITE, RESULT_STORE_ERROR_FAILED, "cannot be written");
    g_autofree char *path = g_build_filename(f->folder, "new.sqlite", NULL);
    expect_refused(path, RESULT_STORE_WRITE, RESULT_STORE_ERROR_FAILED, g_strerror(EACCES));
    expect_refused(path, RESULT_STORE_READ, RESULT_STORE_ERROR_FAILED, g_strerror(ENOENT));
    expect_runs(f, f->path, RUNS);
  }
  become_self();
  g_assert_cmpint(g_chmod(f->folder, 0755), ==, 0);
}

/* --- Killed in the midst --- */

/* Writes without end, so that pages reach the file before the commit that never comes. */
static void write_for_ever(const store_fixture *f, int ready)
{
  sqlite3 *database = raw_open(f->path);
  raw_execute(database, "PRAGMA cache_size = 2; BEGIN IMMEDIATE; CREATE TABLE filler(octets);"
                        "UPDATE runs SET status = 'failed', distributions = '{}'");
  for (guint run = 1000;; run++) {
    raw_execute(database, "INSERT INTO filler VALUES(randomblob(20))");
    if (run == 3000) {
      g_assert_cmpint(write(ready, "x", 1), ==, 1);
      pause();
    }
  }
}

/* A writer is killed with half of its transaction in the file: its journal brings the file back to the last
 * commit. */
static void leave_hot_journal(const store_fixture *f)
{
  g_autofree char *journal = g_strconcat(f->path, "-journal", NULL);
  int ready[2];
  char octet;
  g_assert_cmpint(pipe(ready), ==, 0);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    write_for_ever(f, ready[1]);
  }
  g_assert_cmpint(read(ready[0], &octet, 1), ==, 1);
  g_assert_cmpint(kill(child, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
  close(ready[0]);
  close(ready[1]);
  g_assert_true(g_file_test(journal, G_FILE_TEST_EXISTS));
}

FIXTURE_TEST(test_killed_writer)
{
  g_autofree char *before = NULL, *half = NULL, *after = NULL;
  gsize length_before, length_half, length_after;
  g_assert_true(g_file_get_contents(f->path, &before, &length_before, NULL));
  leave_hot_journal(f);
  g_assert_true(g_file_get_contents(f->path, &half, &length_half, NULL));
  g_assert_true(length_half != length_before ||
                memcmp(half, before, length_half) != 0); /* it did get there */
  expect_runs(f, f->path, RUNS);
  g_assert_true(g_file_get_contents(f->path, &after, &length_after, NULL));
  g_assert_cmpmem(before, length_before, after, length_after);
}

/* A reader that may not write cannot restore the file, and must not read half a transaction. */
FIXTURE_TEST(test_killed_writer_read_only)
{
  leave_hot_journal(f);
  g_assert_cmpint(g_chmod(f->folder, 0555), ==, 0);
  g_assert_cmpint(g_chmod(f->path, 0444), ==, 0);
  if (become_nobody(f)) {
    expect_refused(f->path, RESULT_STORE_READ, RESULT_STORE_ERROR_FAILED, "its journal");
  }
  become_self();
  g_assert_cmpint(g_chmod(f->folder, 0755), ==, 0);
  g_assert_cmpint(g_chmod(f->path, 0644), ==, 0);
  expect_runs(f, f->path, RUNS);
}

/* An empty journal: SQLite removes it. */
FIXTURE_TEST(test_stale_journal)
{
  g_autofree char *journal = fixture_file(f->folder, "a.sqlite-journal", "no journal of this store");
  expect_runs(f, f->path, RUNS);
  g_assert_false(g_file_test(journal, G_FILE_TEST_EXISTS));
}

/* The disk is full. */

static void expect_full(GError *error)
{
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, "the disk is full; nothing committed was lost"));
}

/* SQLite's own limit stands for the disk's: the commit fails, and the next one works when there is room. */
FIXTURE_TEST(test_full_store)
{
  g_autoptr(GError) error = NULL;
  result_store *store = open_store(f->path, RESULT_STORE_WRITE, &error);
  raw_execute(store->database, "PRAGMA max_page_count = 1"); /* as many as there are */
  guint runs = RUNS;                                         /* some may have room in the last page */
  while (commit_seed(f, store, runs + 1, &error)) {
    runs++;
  }
  expect_full(error);
  g_clear_error(&error);
  expect_runs(f, f->path, runs);
  raw_execute(store->database, "PRAGMA max_page_count = 1000000");
  g_assert_true(commit_seed(f, store, runs + 1, &error));
  result_store_close(store);
  expect_runs(f, f->path, runs + 1);
}

/* Damaged octets. */

/* The runs that are read are right, each of them, or there is an error. */
static gboolean read_damaged(const store_fixture *f, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(result_store) store = open_store(path, RESULT_STORE_READ, &error);
  gboolean good = store != NULL && result_store_each(store, check_run, (gpointer)f, &error);
  g_assert_true(good == (error == NULL));
  if (good) {
    g_assert_cmpuint(fixture_count_runs(path), ==, RUNS);
  }
  return good;
}

/* It is cut anywhere: never a part of the runs for all of them. (A file of one octet is an empty one to
 * SQLite, and the last page may end in room that nothing stands in.) */
FIXTURE_TEST(test_truncated)
{
  g_autofree char *octets = NULL;
  g_autofree char *path = g_build_filename(f->folder, "cut.sqlite", NULL);
  gsize length;
  g_assert_true(g_file_get_contents(f->path, &octets, &length, NULL));
  for (gsize cut = 2; cut < length;
       cut = cut + 1021 < length || cut + 1 == length ? cut + 1021 : length - 1) {
    g_assert_true(g_file_set_contents(path, octets, (gssize)cut, NULL));
    read_damaged(f, path);
    if (length - cut >= 4096) { /* a page is missing */
      expect_refused(path, RESULT_STORE_READ, RESULT_STORE_ERROR_FOREIGN, "");
      expect_refused(path, RESULT_STORE_WRITE, RESULT_STORE_ERROR_FOREIGN, "");
    }
  }
}

/* Sweeps into the store: whatever the outcome, an error has a message. */
static void sweep_damaged(const store_fixture *f, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_auto(stored_run) run = full_run(f, RUNS + 1);
  stored_look look = {.identity = run.identity, .point = RUNS};
  result_store *store = open_store(path, RESULT_STORE_WRITE, &error);
  gboolean good = store != NULL && result_store_check_provenance(store, &f->origin, &error) &&
                  result_store_look_up(store, &look, 1, TRUE, &error) &&
                  store_commit(store, &f->origin, &run, &error);
  result_store_close(store);
  g_assert_true(good == (error == NULL));
  g_assert_true(good || error->domain == RESULT_STORE_ERROR);
}

FIXTURE_TEST(test_damaged_octets)
{
  enum { SEED = 20261121, TRIALS = 400 };
  g_autofree char *octets = NULL;
  g_autofree char *path = g_build_filename(f->folder, "damaged.sqlite", NULL);
  gsize length;
  guint unnoticed = 0;
  g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
  g_test_message("seed %d", SEED);
  g_assert_true(g_file_get_contents(f->path, &octets, &length, NULL));
  for (guint trial = 0; trial < TRIALS; trial++) {
    g_autofree char *damaged = g_memdup2(octets, length);
    guint count = (guint)g_rand_int_range(random, 1, 9);
    for (guint i = 0; i < count; i++) {
      /* Every other octet is in the header and the schema, where one does most. */
      gint32 end = trial % 2 == 0 ? (gint32)length : 4096;
      damaged[g_rand_int_range(random, 0, end)] = (char)g_rand_int_range(random, 0, 256);
    }
    g_assert_true(g_file_set_contents(path, damaged, (gssize)length, NULL));
    unnoticed += read_damaged(f, path) ? 1 : 0;
    if (trial % 8 == 0) {
      sweep_damaged(f, path);
    }
  }
  /* There are unused octets, but most are in use. */
  g_test_message("%u of %d read all the same", unnoticed, TRIALS);
  g_assert_cmpuint(unnoticed, <, TRIALS / 2);
}

/* From the `failing_from`-th on, reads fail as from a disk that dies, for this executable and the libraries
 * it uses; 0: none does. */
static guint failing_from;
static guint reads;

static gboolean is_failing(void)
{
  errno = EIO;
  return failing_from > 0 && ++reads >= failing_from;
}

ssize_t read(int file, void *octets, size_t count)
{
  return is_failing() ? -1 : syscall(SYS_read, file, octets, count);
}

ssize_t pread64(int file, void *octets, size_t count, off64_t at)
{
  return is_failing() ? -1 : syscall(SYS_pread64, file, octets, count, at);
}

/* Whenever the disk fails while a store is read, there is an error, with SQLite's words: some of them would
 * be those of damage, which then comes with what else it may be. */
FIXTURE_TEST(test_failing_disk)
{
  gboolean good = FALSE;
  for (guint k = 1; !good; k++) {
    g_autoptr(GError) error = NULL;
    reads = 0;
    failing_from = k;
    result_store *store = open_store(f->path, RESULT_STORE_READ, &error);
    good = store != NULL && result_store_each(store, check_run, f, &error);
    result_store_close(store);
    failing_from = 0;
    g_test_message("read %u: %s", k, error != NULL ? error->message : "ok");
    if (!good) {
      g_assert_true(
          g_regex_match_simple("Input/output error|a disk that can read all", error->message, 0, 0));
    }
    g_assert_cmpuint(k, <, 1000);
  }
  g_assert_cmpuint(reads, >, 4);
}
