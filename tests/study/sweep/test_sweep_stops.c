/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what stops a sweep, or holds it up: signals, children that hang, a store that is locked or
 * fails, another sweep (fake_runs.c). */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_commit.h"
#include "sweep_fixture.h"

#define FIXTURE_TEST(name) TEST_WITH(sweep_fixture, NULL, sweep_fixture_set_up, sweep_fixture_tear_down, name)

/* This comes to a sweep from outside, by its timers. */
typedef struct outside {
  const sweep_fixture *f;
  guint wanted_starts; /* children that must have started before Ctrl-C comes */
  guint starts;
  const sweep_result *twice; /* of the sweep: a second Ctrl-C comes when it has met the first, since of two at
                                once GLib makes one; NULL: one */
  gboolean sent;             /* it was */
  sqlite3 *database;         /* the store, in another hand … */
  const char *sql;     /* … which does this once the sweep has looked into it, and before the first child
                          can have ended */
  guint passed_s;      /* by the sweep's clock, after one Ctrl-C alone */
  const char *text;    /* the scenario's, of a result that another sweep commits */
  gboolean terminated; /* it was, where ok is expected */
  gboolean committed;
} outside;

/* Returns whether another Ctrl-C is to come. */
static gboolean interrupt(outside *world)
{
  if (world->sent && !world->twice->interrupted) {
    return G_SOURCE_CONTINUE;
  }
  kill(getpid(), SIGINT);
  gboolean last = world->sent || world->twice == NULL;
  world->sent = TRUE;
  return last ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

/* Interrupts as soon as children that do not end run. */
static gboolean interrupt_when_started(gpointer data)
{
  outside *world = data;
  world->starts += take_starts(world->f);
  return world->starts < world->wanted_starts ? G_SOURCE_CONTINUE : interrupt(world);
}

#define ENDLESS(title) "title = \"" title "\"; sweep = ( { key = \"run.seed\"; from = 1; to = 5; } );"

/* Interrupts two runs at once of children that would take a minute when so many have started: none is
 * recorded. */
static void expect_interrupted(const sweep_fixture *f, const char *text, guint wanted_starts, gboolean twice)
{
  sweep_result result;
  outside world = {.f = f, .twice = twice ? &result : NULL, .wanted_starts = wanted_starts};
  add_timer(f, 10, interrupt_when_started, &world);
  g_assert_true(NO_ERROR(sweep_text, f, text, NULL, (how_to_sweep){.jobs = 2}, &result));
  g_assert_cmpint(result.interrupted, ==, SIGINT);
  g_assert_cmpuint(result.done + result.failed, ==, 0);
  g_assert_cmpuint(result.to_go, ==, 5);
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 0);
}

/* Children that ignore SIGTERM are killed a second later. */
FIXTURE_TEST(test_interrupt_stubborn)
{
  expect_interrupted(f, ENDLESS("stubborn"), 2, FALSE);
}

/* After two Ctrl-C they are killed at once: by a clock that stands, that second would never pass. */
FIXTURE_TEST(test_interrupt_twice)
{
  stop_clock();
  expect_interrupted(f, ENDLESS("stubborn"), 2, TRUE);
}

static void expect_done_is_kept(const sweep_fixture *f, const char *text)
{
  outside world = {.f = f, .wanted_starts = 3};
  add_timer(f, 10, interrupt_when_started, &world);
  sweep_result result = sweep_well(f, text, 1);
  EXPECT_FIELDS(&result, (interrupted, SIGINT), (done, 2), (failed, 0), (to_go, 3));
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 2);
}

/* Seeds 1 and 2 are done when 26, which hangs, is interrupted: three to go, of which none is recorded as
 * failed. */
FIXTURE_TEST(test_interrupt_keeps_what_is_done)
{
  expect_done_is_kept(f, SEED_LIST("a", "1, 2, 26, 3, 4"));
}

/* The same, where 1, 2 and 26 are runs of one process. */
FIXTURE_TEST(test_interrupt_in_a_shared_process)
{
  expect_done_is_kept(f, SEED_LIST("native", "1, 2, 26, 3, 4"));
}

/* SIGINT is ignored, as in a shell's background jobs: the sweep goes on. */
FIXTURE_TEST(test_ignored_signal)
{
  outside world = {.f = f, .wanted_starts = 1};
  signal(SIGINT, SIG_IGN);
  add_timer(f, 1, interrupt_when_started, &world);
  sweep_result result = sweep_well(f, SEEDS("1", "4"), 1);
  signal(SIGINT, SIG_DFL);
  EXPECT_FIELDS(&result, (interrupted, 0), (done, 4));
}

/* A signal that the caller has blocked is blocked when the sweep is over, and those that it heeds are not. */
FIXTURE_TEST(test_blocked_signal)
{
  sigset_t blocked, before, after;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  g_assert_cmpint(pthread_sigmask(SIG_BLOCK, &blocked, &before), ==, 0);
  sweep_well(f, SEED_LIST("a", "12"), 1);
  g_assert_cmpint(pthread_sigmask(SIG_SETMASK, &before, &after), ==, 0);
  g_assert_true(sigismember(&after, SIGUSR1) == 1 && sigismember(&after, SIGINT) == 0);
}

/* The parent process ignores SIGCHLD, and this one inherits that: then a crash could not be told from a
 * normal end, nor what a run cost. */
FIXTURE_TEST(test_ignored_child_signal)
{
  signal(SIGCHLD, SIG_IGN);
  sweep_result result = sweep_well(f, SEED_LIST("a", "12, 13"), 1);
  g_assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN); /* as before */
  g_assert_cmpuint(result.done, ==, 1);
  expect_recorded(f, "13", RUN_FAILED, 128 + SIGKILL, "signal 9");
}

/* Each run takes three descriptors here, and 16 are left for the store: 40 are not enough for 16 at once, but
 * for some, and all runs are made. */
FIXTURE_TEST(test_few_descriptors)
{
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){40, before.rlim_max});
  sweep_result result = sweep_well(f, SEEDS("101", "132"), 16);
  setrlimit(RLIMIT_NOFILE, &before);
  g_assert_cmpuint(result.done, ==, 32);
}

/* This is another hand on the store. */
static sqlite3 *open_beside(const sweep_fixture *f)
{
  result_store_close(NO_ERROR(result_store_open, f->store_path, RESULT_STORE_WRITE));
  sqlite3 *database = raw_open(f->store_path);
  sqlite3_busy_timeout(database, 10000);
  return database;
}

static gboolean meddle(gpointer data)
{
  const outside *world = data;
  raw_execute(world->database, world->sql);
  return G_SOURCE_REMOVE;
}

static gboolean unlock(gpointer database)
{
  raw_execute(database, "COMMIT");
  return G_SOURCE_REMOVE;
}

/* It is locked before the first commit, for 0.6 s: longer than one try of a commit takes. Nothing is lost,
 * and no run is stopped. */
FIXTURE_TEST(test_store_locked_for_a_while)
{
  outside world = {.f = f, .database = open_beside(f), .sql = "BEGIN EXCLUSIVE"};
  add_timer(f, 1, meddle, &world);
  add_timer(f, 600, unlock, world.database);
  sweep_result result = sweep_well(f, SEEDS("1", "12"), 2);
  sqlite3_close(world.database);
  g_assert_cmpuint(result.done, ==, 12);
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 12);
}

/* The store waits 0.5 s for a lock. */
FIXTURE_TEST(test_store_locked_for_good)
{
  g_autoptr(GError) error = NULL;
  sweep_result result;
  sweep_well(f, SEEDS("1", "2"), 1);
  take_starts(f);
  outside world = {.f = f, .database = open_beside(f), .sql = "BEGIN EXCLUSIVE"};
  g_autoptr(result_store) store = NO_ERROR(result_store_open_within, f->store_path, RESULT_STORE_WRITE, 500);
  add_timer(f, 1, meddle, &world);
  /* 26 hangs: it is stopped when the sweep gives up. */
  g_assert_false(sweep_into(f, store, SEED_LIST("seeds", "1, 2, 3, 26"), NULL, (how_to_sweep){.jobs = 1},
                            &result, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
  g_assert_nonnull(strstr(error->message, "kept it locked for 0.5 s"));
  raw_execute(world.database, "ROLLBACK");
  sqlite3_close(world.database);
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 2);
}

static gboolean pass_two_seconds(gpointer data)
{
  outside *world = data;
  world->passed_s += 2;
  g_assert_cmpuint(world->passed_s, <, 60); /* as long as it would wait for the lock */
  advance_clock(2);
  return G_SOURCE_CONTINUE;
}

/* Once the store is locked, and the sweep has the result of seed 1, since seed 3 has started in its place.
 * Then time passes, or a second Ctrl-C comes. */
static gboolean interrupt_when_done(gpointer data)
{
  outside *world = data;
  if (sqlite3_get_autocommit(world->database) || traced_process(world->f->folder, "3") == 0) {
    return G_SOURCE_CONTINUE;
  }
  if (world->twice == NULL) {
    add_timer(world->f, 400, pass_two_seconds, world);
  }
  return interrupt(world);
}

/* Seed 1 is done and waits for the store, 26 hangs. Then Ctrl-C comes, or two. */
static gboolean interrupt_with_locked_store(const sweep_fixture *f, gboolean twice, sweep_result *result,
                                            GError **error)
{
  outside world = {
      .f = f, .database = open_beside(f), .sql = "BEGIN EXCLUSIVE", .twice = twice ? result : NULL};
  stop_clock();
  add_timer(f, 1, meddle, &world);
  add_timer(f, 10, interrupt_when_done, &world);
  gboolean good = sweep_text(f, SEED_LIST("a", "26, 1, 3"), NULL, (how_to_sweep){.jobs = 2}, result, error);
  raw_execute(world.database, "ROLLBACK");
  sqlite3_close(world.database);
  take_starts(f);
  g_assert_cmpint(result->interrupted, ==, SIGINT);
  return good;
}

/* The sweep waits for the lock for a second, not for a minute. */
FIXTURE_TEST(test_interrupt_with_locked_store)
{
  g_autoptr(GError) error = NULL;
  sweep_result result;
  g_assert_false(interrupt_with_locked_store(f, FALSE, &result, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_LOCKED);
}

/* The result that waits for the locked store is given up. That does not count as a failure of the store. */
FIXTURE_TEST(test_interrupt_twice_with_locked_store)
{
  sweep_result result;
  g_assert_true(NO_ERROR(interrupt_with_locked_store, f, TRUE, &result));
  g_assert_cmpuint(result.to_go, ==, 3);
}

/* A sweep of `text` while the third run cannot be written and `sql` is done to the store. */
static sweep_result sweep_into_failing_store(const sweep_fixture *f, const char *text, const char *sql)
{
  g_autoptr(GError) error = NULL;
  sweep_result result;
  g_autofree char *with_trigger = g_strconcat(
      sql,
      "CREATE TRIGGER full BEFORE INSERT ON runs WHEN NEW.point = 2 BEGIN SELECT RAISE(ABORT, 'full'); END",
      NULL);
  outside world = {.f = f, .database = open_beside(f), .sql = with_trigger};
  add_timer(f, 1, meddle, &world);
  if (*sql != '\0') {
    add_timer(f, 800, unlock, world.database);
  }
  g_assert_false(sweep_text(f, text, NULL, (how_to_sweep){.jobs = 1}, &result, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED);
  sqlite3_close(world.database);
  g_assert_cmpuint(result.done, ==, 2);
  return result;
}

/* Two stay, the fourth is not started. */
FIXTURE_TEST(test_store_fails)
{
  sweep_result result = sweep_into_failing_store(f, SEED_LIST("seeds", "1, 2, 3, 26"), "");
  g_assert_cmpuint(result.to_go, ==, 2);
}

/* Results that came while the store was locked are committed together. The others of six, each alone,
 * stay. */
FIXTURE_TEST(test_one_of_several_fails)
{
  sweep_into_failing_store(f, SEEDS("101", "106"), "BEGIN EXCLUSIVE; ");
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 2);
}

/* Another sweep commits its result of seed 13. */
static void commit_now(outside *world)
{
  const char *const sets[] = {"run.seed=13", NULL};
  g_autofree char *path = g_build_filename(world->f->folder, "a.cfg", NULL);
  g_autoptr(scenario) s = NO_ERROR(scenario_load, path, sets);
  scenario_set(s, "measure.series=none", NULL); /* as a grid does */
  g_auto(stored_run) run = fixture_run(s, 0);
  run.status = world->terminated ? RUN_TERMINATED : RUN_OK;
  run.exit_code = world->terminated;
  const provenance from = fixture_origin("a", "a", world->text, "run.seed");
  g_autoptr(result_store) store = NO_ERROR(result_store_open, world->f->store_path, RESULT_STORE_WRITE);
  g_assert_true(NO_ERROR(store_commit, store, &from, &run));
  world->committed = TRUE;
}

/* Our sweep's clock stands until then, and then goes on fast: what runs stalls. */
static gboolean commit_when_started(gpointer data)
{
  outside *world = data;
  world->starts += take_starts(world->f);
  if (world->committed) {
    advance_clock(1);
  } else if (world->starts > 0) {
    commit_now(world);
  }
  return G_SOURCE_CONTINUE;
}

/* Returns our sweep of `text` while the other one commits its result; returns how many runs started. */
static guint sweep_beside_another(const sweep_fixture *f, const char *text, gboolean terminated,
                                  sweep_result *result)
{
  const how_to_sweep options = {.jobs = 1, .limits = {.stall_s = 1}};
  outside world = {.f = f, .text = text, .terminated = terminated};
  stop_clock();
  add_timer(f, 10, commit_when_started, &world);
  *result = sweep_with(f, text, options);
  expect_recorded(f, "13", terminated ? RUN_TERMINATED : RUN_OK, terminated, "");
  return world.starts + take_starts(f);
}

/* Another sweep runs seed 13 well while ours hangs with 26; then ours does not start it. */
FIXTURE_TEST(test_run_by_another)
{
  sweep_result result;
  guint starts = sweep_beside_another(f, SEED_LIST("a", "26, 13"), FALSE, &result);
  EXPECT_FIELDS(&result, (present, 1), (failed, 1));
  g_assert_cmpuint(starts, ==, 1);
}

/* Another sweep runs seed 13 well while ours runs it too, slowly, and fails in the end: the other's result
 * stays, and ours goes on with 14, which fails. One that was terminated unexpectedly counts as unexpected
 * here, too. */
FIXTURE_TEST(test_result_of_another_stays)
{
  static const char text[] = SEED_LIST("slow", "13, 14");
  sweep_result result;
  sweep_beside_another(f, text, FALSE, &result);
  EXPECT_FIELDS(&result, (failed, 1), (done, 1), (to_go, 0));
  g_unlink(f->store_path);
  sweep_beside_another(f, text, TRUE, &result);
  EXPECT_FIELDS(&result, (failed, 1), (done, 0), (unexpected, 1));
}

#ifndef __SANITIZE_ADDRESS__ /* a thousand processes, each of which copies the sanitizer's tables */
/* Starts a sweep in a process of its own. */
static pid_t sweep_beside(const sweep_fixture *f, const char *text, guint jobs)
{
  pid_t pid = fork();
  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    sweep_well(f, text, jobs);
    _exit(0);
  }
  return pid;
}

/* Two sweeps of the same 400 points at the same time leave what one alone leaves. Once the second notices the
 * first, after 64 runs at most, it goes another way: fewer than twice 400 runs. */
FIXTURE_TEST(test_two_at_once)
{
  static const char text[] = "title = \"seeds\"; sweep = ( { key = \"run.seed\"; from = 101; to = 500; } );";
  int status;
  sweep_well(f, text, 1);
  g_autofree char *alone = export_text(f);
  g_unlink(f->store_path);
  take_starts(f);
  result_store_close(result_store_open(f->store_path, RESULT_STORE_WRITE, NULL));
  pid_t other = sweep_beside(f, text, 1);
  sweep_result result = sweep_well(f, text, 1);
  g_assert_cmpint(waitpid(other, &status, 0), ==, other);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpuint(result.present + result.done, ==, 400);
  g_autofree char *both = export_text(f);
  g_assert_cmpstr(both, ==, alone);
  guint starts = take_starts(f);
  g_assert_cmpuint(starts, >=, 400);
  g_assert_cmpuint(starts, <, 740);
}
#endif
