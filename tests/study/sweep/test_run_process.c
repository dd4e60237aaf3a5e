/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about one run: what it uses, how it ends, and that nothing waits for it in vain
 * (fake_runs.c). */
#include "study/sweep/run_process.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_runs.h"
#include "parts.h"
#include "sweep_fixture.h"

static const run_limits no_limits;

typedef struct fixture {
  grid_fixture on;
  run_process *run;   /* the last; NULL: it has ended */
  stored_run *record; /* of the last run; NULL: it has not ended */
  guint next; /* the seed of a run that is to follow in the same process, if that can be; 0: none is */
  stored_run *before; /* of the run that it followed; NULL: none */
} fixture;

/* Points of the seeds 1, 2, … */
#define SCENARIO(title) "title = \"" title "\"; sweep = ( { key = \"run.seed\"; from = 1; to = 40; } );"

static void set_up(fixture *f, gconstpointer text)
{
  grid_fixture_set_up(&f->on, text);
  start_clock();
}

static void tear_down(fixture *f, gconstpointer unused)
{
  g_clear_pointer(&f->record, run_record_free);
  g_clear_pointer(&f->before, run_record_free);
  grid_fixture_tear_down(&f->on, unused);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, SCENARIO("t"), set_up, tear_down, name)

static void note_end(run_process *ended, stored_run *record, gpointer data)
{
  fixture *f = data;
  g_assert_true(ended == f->run);
  f->run = NULL;
  f->record = record;
  if (f->next > 0) {
    const guint seed = f->next;
    f->next = 0;
    g_clear_pointer(&f->before, run_record_free);
    f->before = g_steal_pointer(&f->record);
    f->run = NO_ERROR(run_process_start, ended, f->on.grid, seed - 1, fake_run, &no_limits, note_end, f);
  }
}

static run_process *start(fixture *f, guint seed, run_limits limits)
{
  g_clear_pointer(&f->record, run_record_free);
  f->run = NO_ERROR(run_process_start, NULL, f->on.grid, seed - 1, fake_run, &limits, note_end, f);
  return f->run;
}

/* The run may have ended in the same turn of the main context. */
static gboolean watch(gpointer data)
{
  const fixture *f = data;
  if (f->run != NULL) {
    run_process_watch(f->run);
  }
  return G_SOURCE_CONTINUE;
}

static void wait_for_end(fixture *f)
{
  guint watcher = g_timeout_add(20, watch, f);
  while (f->record == NULL) {
    g_main_context_iteration(NULL, TRUE);
  }
  g_source_remove(watcher);
}

static const stored_run *run(fixture *f, guint seed, run_limits limits)
{
  start(f, seed, limits);
  wait_for_end(f);
  return f->record;
}

static const stored_run *run_well(fixture *f, guint seed)
{
  const stored_run *outcome = run(f, seed, no_limits);
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  return outcome;
}

/* Runs `seed`, and `next` after it, in the same process if that can be. Returns what is recorded of the
 * second; `before` is of the first. */
static const stored_run *run_two(fixture *f, guint seed, guint next)
{
  f->next = next;
  return run(f, seed, no_limits);
}

/* Returns whether the runs of two seeds were made by one process. */
static gboolean shared_a_process(const fixture *f, const char *a, const char *b)
{
  return traced_process(f->on.folder, a) == traced_process(f->on.folder, b);
}

/* Waits for `seed` to have its trace; its process. */
static pid_t await_trace(const fixture *f, const char *seed)
{
  pid_t process;
  while ((process = traced_process(f->on.folder, seed)) == 0) {
    g_usleep(1000);
  }
  return process;
}

/* Waits for the run to report progress for the first time, which it may have done. */
static void await_start(const run_process *begun)
{
  while (run_process_share(begun) == 0) {
    g_usleep(1000);
  }
}

/* Waits for the run, which reports progress, to go on. */
static void await_progress(const run_process *progressing)
{
  double before = run_process_share(progressing);
  while (run_process_share(progressing) == before) {
    g_usleep(1000);
  }
}

/* Whatever a run measured arrives as it was, to the last bit. */
FIXTURE_TEST(test_all_results_arrive)
{
  const stored_run *outcome = run_well(f, 36);
  g_auto(run_results) expected = fake_results();
  expect_same_metrics(&outcome->results.metrics, &expected.metrics);
  expect_same_distributions(outcome->results.distributions, expected.distributions);
  expect_same_gauges(&outcome->results, &expected);
  g_assert_cmpstr(outcome->results.tables, ==, expected.tables);
}

/* These are the run's summary, and what the kernel reports: a process takes some memory, and no more
 * processor time than two threads could in the wall time. */
FIXTURE_TEST(test_good_run)
{
  gint64 before_s = g_get_real_time() / G_USEC_PER_SEC;
  const stored_run *outcome = run_well(f, 7);
  g_assert_cmpint(outcome->exit_code, ==, 0);
  g_assert_cmpstr(outcome->message, ==, "");
  g_assert_cmpstr(outcome->stderr_tail, ==, "");
  g_assert_cmpfloat(outcome->results.metrics.value[METRIC_TCP_SEGMENTS], ==, 1007);
  g_assert_cmpfloat(outcome->memory_peak_octets, >, 100000);
  g_assert_cmpfloat(outcome->wall_s, >, 0);
  g_assert_cmpfloat(outcome->cpu_s, <, 2 * outcome->wall_s);
  g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
  g_autoptr(GDateTime) started = g_date_time_new_from_iso8601(outcome->started, utc);
  g_assert_nonnull(started);
  g_assert_cmpint(g_date_time_to_unix(started), >=, before_s);
  g_assert_cmpint(g_date_time_to_unix(started), <=, g_get_real_time() / G_USEC_PER_SEC);
}

/* 4095 octets of its message have room. */
FIXTURE_TEST(test_long_message)
{
  g_assert_cmpuint(strlen(run_well(f, 29)->message), ==, 4095);
}

/* There are 64 MiB of stderr: the last 2000 octets are kept, the run counts. "\nlast\n" leaves 1994 before
 * it. */
FIXTURE_TEST(test_talks)
{
  const stored_run *outcome = run_well(f, 24);
  g_assert_cmpuint(strlen(outcome->stderr_tail), ==, 1994 + strlen("\nlast"));
  g_assert_true(g_str_has_suffix(outcome->stderr_tail, "xx\nlast"));
}

/* 2000 octets are kept as they are; of 2001 the first is not, and what is left of its character neither. */
FIXTURE_TEST(test_talks_to_the_limit)
{
  const stored_run *outcome = run_well(f, 33);
  g_assert_cmpuint(strlen(outcome->stderr_tail), ==, strlen("\\xa4") + 1999);
  g_assert_true(g_str_has_prefix(outcome->stderr_tail, "\\xa4xx"));
  outcome = run(f, 34, no_limits);
  g_assert_cmpuint(strlen(outcome->stderr_tail), ==, 1999);
}

FIXTURE_TEST(test_talks_nonsense)
{
  const stored_run *outcome = run(f, 25, no_limits);
  g_assert_cmpint(outcome->exit_code, ==, 3);
  g_assert_cmpstr(outcome->stderr_tail, ==, "one\\r\n\\xff\\x1b[31mtwo\\x00 \xc3\xa4");
}

/* The child once it reports progress, by a clock that then stands. */
static run_process *start_and_stop_clock(fixture *f, guint seed, run_limits limits)
{
  stop_clock();
  run_process *child = start(f, seed, limits);
  await_start(child);
  run_process_watch(child);
  return child;
}

/* Does it `seconds` later. */
static void watch_later(run_process *child, double seconds)
{
  advance_clock(seconds);
  run_process_watch(child);
}

/* What the watchdog reports comes first; a run that is whole all the same counts. */
FIXTURE_TEST(test_ends_well_when_asked)
{
  run_process *child = start_and_stop_clock(f, 32, (run_limits){.wall_s = 1});
  watch_later(child, 1);
  wait_for_end(f);
  EXPECT_FIELDS(f->record, (status, RUN_OK), (exit_code, 0));
}

/* Who does not ask if there is memory ends as a crash does; where memory is limited that is named. */
FIXTURE_TEST(test_crash_in_limited_memory)
{
  const stored_run *outcome = run(f, 35, no_limits);
  EXPECT_FIELDS(outcome, (status, RUN_FAILED), (exit_code, 128 + SIGSEGV));
  EXPECT_PARTS(outcome->message, "ended by signal 11 (Segmentation fault), its memory at ",
               "MiB, without a summary");
#if !defined(__SANITIZE_ADDRESS__)
  outcome = run(f, 35, (run_limits){.memory_octets = 96 << 20});
  EXPECT_PARTS(outcome->message, "MiB; perhaps the 96.0\302\240MiB of data that it may hold (--memory) are "
                                 "not enough, without a summary");
#endif
}

/* Simulated time that stands still is noticed. */
FIXTURE_TEST(test_stall)
{
  run_process *child = start_and_stop_clock(f, 26, (run_limits){.stall_s = 0.3});
  g_assert_cmpfloat_with_epsilon(run_process_share(child), 0.25, 1e-6);
  watch_later(child, 0.3);
  wait_for_end(f);
  const stored_run *outcome = f->record;
  EXPECT_FIELDS(outcome, (status, RUN_FAILED), (exit_code, 128 + SIGTERM));
  g_assert_cmpstr(
      outcome->message, ==,
      "stopped: its simulated time stood still for 0.3 s (--stall), at 0.005 s of simulated time, 25 % "
      "done");
}

/* This process was held up, as by a laptop's lid, for longer than a child may stall: of that a second counts,
 * so it is not stopped. */
FIXTURE_TEST(test_held_up)
{
  run_process *child = start_and_stop_clock(f, 26, (run_limits){.stall_s = 1.5});
  watch_later(child, 1.7);
  run_process_kill(child);
  wait_for_end(f);
  EXPECT_PARTS(f->record->message, "ended by signal 9");
}

/* A run whose time goes on does not stall, but may take too long. */
FIXTURE_TEST(test_limit)
{
  run_process *child = start_and_stop_clock(f, 27, (run_limits){.stall_s = 0.6, .wall_s = 1.5});
  for (guint i = 0; i < 3; i++) {
    await_progress(child);
    watch_later(child, 0.5);
  }
  wait_for_end(f);
  const stored_run *outcome = f->record;
  EXPECT_FIELDS(outcome, (status, RUN_FAILED), (exit_code, 128 + SIGTERM));
  EXPECT_PARTS(outcome->message, "stopped: it took longer than 1.5 s (--limit), at ", ", 50 % done");
}

/* A child that ignores SIGTERM is killed once more than a second has passed. */
TEST_WITH(fixture, SCENARIO("stubborn"), set_up, tear_down, test_stubborn)
{
  stop_clock();
  run_process *child = start(f, 1, (run_limits){.stall_s = 0.2});
  await_trace(f, "1");
  watch_later(child, 0.2);
  watch_later(child, 1.001);
  wait_for_end(f);
  const stored_run *outcome = f->record;
  g_assert_cmpint(outcome->exit_code, ==, 128 + SIGKILL);
  g_assert_cmpfloat(outcome->wall_s, >=, 1.2);
  EXPECT_PARTS(outcome->message, "(--stall), at 0 s of simulated time, 0 % done");
}

/* 96 MiB of data are too few for 1 GiB: GLib gives up with a signal, and the message names it and the
 * memory. */
FIXTURE_TEST(test_memory)
{
#if defined(__SANITIZE_ADDRESS__)
  (void)f;
  g_test_skip("the address sanitizer takes memory of its own");
#else
  const stored_run *outcome = run(f, 28, (run_limits){.memory_octets = 96 << 20});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_true(outcome->exit_code == 128 + SIGTRAP || outcome->exit_code == 128 + SIGABRT);
  EXPECT_PARTS(outcome->message, "ended by signal ", "or out of memory");
  g_assert_cmpfloat(outcome->memory_peak_octets, >, 48 << 20);
  g_assert_cmpfloat(outcome->memory_peak_octets, <, 200 << 20);
#endif
}

/* The run's own child keeps the run's files open for a minute, which is not waited for. */
FIXTURE_TEST(test_leaves_a_child)
{
  run_well(f, 30);
  pid_t left = traced_process(f->on.folder, "30");
  g_assert_cmpint(left, >, 0);
  g_assert_cmpint(kill(left, 0), ==, 0);
}

/* Looks at the file of the messages of the only run. */
static void look_at_messages(struct stat *messages)
{
  for (int file = 0; file < 64; file++) {
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", file);
    g_autofree char *name = g_file_read_link(link, NULL);
    if (name != NULL && g_str_has_prefix(name, "/memfd:messages")) {
      g_assert_cmpint(fstat(file, messages), ==, 0);
    }
  }
}

/* The memory of messages that are not kept is given back while the run goes on. */
FIXTURE_TEST(test_forgets_messages)
{
  struct stat messages = {.st_size = 0};
  run_process *child = start(f, 31, no_limits);
  while (messages.st_size < (8 << 20) + 4) {
    g_usleep(1000);
    look_at_messages(&messages);
  }
  run_process_watch(child);
  look_at_messages(&messages);
  g_assert_cmpint(messages.st_blocks * 512, <=, 8192); /* two pages */
  run_process_kill(child);
  wait_for_end(f);
  g_assert_true(g_str_has_suffix(f->record->stderr_tail, "xxlast"));
}

FIXTURE_TEST(test_stop_and_kill)
{
  run_process *child = start(f, 26, no_limits);
  run_process_stop(child);
  wait_for_end(f);
  g_assert_cmpint(f->record->exit_code, ==, 128 + SIGTERM);
  child = start(f, 26, no_limits);
  run_process_kill(child);
  wait_for_end(f);
  g_assert_cmpint(f->record->exit_code, ==, 128 + SIGKILL);
}

/* A run's wall time is from its start to its end, pauses and all: the quarter of a second that this one
 * hangs, and the one that it is paused. */
FIXTURE_TEST(test_wall_time)
{
  gint64 before_us = g_get_monotonic_time();
  run_process *child = start(f, 26, no_limits);
  await_start(child);
  g_usleep(G_USEC_PER_SEC / 4);
  run_process_pause(child);
  g_usleep(G_USEC_PER_SEC / 4);
  run_process_continue(child);
  run_process_stop(child);
  wait_for_end(f);
  g_assert_cmpfloat(f->record->wall_s, >=, 0.5);
  g_assert_cmpfloat(f->record->wall_s, <=, (double)(g_get_monotonic_time() - before_us) / G_USEC_PER_SEC);
}

#define NATIVE_TEST(name) TEST_WITH(fixture, SCENARIO("native"), set_up, tear_down, name)

/* A process makes run after run of engine native; each has its own results and messages. */
NATIVE_TEST(test_runs_share_a_process)
{
  const stored_run *outcome = run_two(f, 24, 2);
  g_assert_true(shared_a_process(f, "24", "2"));
  g_assert_true(g_str_has_suffix(f->before->stderr_tail, "xx\nlast"));
  g_assert_cmpfloat(f->before->results.metrics.value[METRIC_TCP_SEGMENTS], ==, 1024);
  EXPECT_FIELDS(outcome, (status, RUN_OK), (exit_code, 0), (point, 1));
  g_assert_cmpstr(outcome->identity, ==, sweep_grid_identity(f->on.grid, 1));
  g_assert_cmpstr(outcome->stderr_tail, ==, "");
  g_assert_cmpfloat(outcome->results.metrics.value[METRIC_TCP_SEGMENTS], ==, 1002);
}

/* Any other engine has a process for each run. */
FIXTURE_TEST(test_another_engine_shares_no_process)
{
  run_two(f, 1, 2);
  EXPECT_FIELDS(f->record, (status, RUN_OK), (exit_code, 0));
  g_assert_false(shared_a_process(f, "1", "2"));
}

/* The crash of a run is that of no other: the one before it in its process is whole, the next has another. */
NATIVE_TEST(test_crash_in_a_shared_process)
{
  const stored_run *outcome = run_two(f, 1, 13);
  g_assert_true(shared_a_process(f, "1", "13"));
  EXPECT_FIELDS(f->before, (status, RUN_OK), (exit_code, 0));
  EXPECT_FIELDS(outcome, (status, RUN_FAILED), (exit_code, 128 + SIGKILL));
  EXPECT_PARTS(outcome->message, "ended by signal 9", "its last words: fake: a broken invariant");
  outcome = run_two(f, 13, 2);
  g_assert_false(shared_a_process(f, "13", "2"));
  EXPECT_FIELDS(outcome, (status, RUN_OK), (exit_code, 0));
}

/* What the run before has left is not taken for the results of one without any, which is the last of its
 * process. */
NATIVE_TEST(test_no_results_in_a_shared_process)
{
  const stored_run *outcome = run_two(f, 1, 14);
  g_assert_true(shared_a_process(f, "1", "14"));
  EXPECT_FIELDS(outcome, (status, RUN_FAILED), (exit_code, 1));
  g_assert_cmpstr(outcome->message, ==, "exited with code 0, without a summary");
  g_assert_cmpstr(outcome->engine, ==, "");
  run_two(f, 14, 3);
  g_assert_false(shared_a_process(f, "14", "3"));
}

/* What ends as it was not to, or was asked to stop, is the last of its process: 15 fails. */
NATIVE_TEST(test_last_of_a_process)
{
  run_two(f, 15, 1);
  EXPECT_FIELDS(f->before, (status, RUN_FAILED), (exit_code, 1));
  EXPECT_FIELDS(f->record, (status, RUN_OK), (exit_code, 0));
  g_assert_false(shared_a_process(f, "15", "1"));
  f->next = 2;
  await_start(start(f, 32, no_limits));
  run_process_stop(f->run);
  wait_for_end(f);
  EXPECT_FIELDS(f->before, (status, RUN_OK), (exit_code, 0));
  EXPECT_FIELDS(f->record, (status, RUN_OK), (exit_code, 0));
  g_assert_false(shared_a_process(f, "32", "2"));
}

/* The processor time of a run is that of no other in its process: 38 takes a tenth of a second. */
NATIVE_TEST(test_processor_time_in_a_shared_process)
{
  const stored_run *outcome = run_two(f, 38, 1);
  g_assert_true(shared_a_process(f, "38", "1"));
  g_assert_cmpfloat(f->before->cpu_s, >=, 0.1);
  g_assert_cmpfloat(outcome->cpu_s, <, 0.1);
}

/* A run that takes much memory, as 37 does, 32 MiB, is the last of its process: the peak of the next is its
 * own. */
NATIVE_TEST(test_memory_of_a_shared_process)
{
#if defined(__SANITIZE_ADDRESS__)
  (void)f;
  g_test_skip("the address sanitizer takes memory of its own");
#else
  const stored_run *outcome = run_two(f, 37, 1);
  g_assert_false(shared_a_process(f, "37", "1"));
  g_assert_cmpfloat(f->before->memory_peak_octets, >=, 32 << 20);
  g_assert_cmpfloat(outcome->memory_peak_octets, <, f->before->memory_peak_octets - (16 << 20));
#endif
}

/* Two runs that are started each by itself are two processes. */
FIXTURE_TEST(test_a_process_each)
{
  run(f, 1, no_limits);
  run(f, 2, no_limits);
  g_assert_cmpint(traced_process(f->on.folder, "1"), !=, traced_process(f->on.folder, "2"));
  g_assert_cmpint(traced_process(f->on.folder, "1"), !=, getpid());
}

/* What a run printed, left and reached is its own, whatever the next run in its place omits: 24 talks, 13
 * crashes, 26 stands at a quarter when it is killed. */
FIXTURE_TEST(test_leaves_nothing_to_the_next)
{
  run(f, 24, no_limits);
  const stored_run *outcome = run(f, 1, no_limits);
  g_assert_cmpstr(outcome->stderr_tail, ==, "");
  outcome = run(f, 14, no_limits);
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_cmpstr(f->record->engine, ==, ""); /* no summary */
  outcome = run(f, 13, no_limits);
  g_assert_cmpint(outcome->exit_code, ==, 128 + SIGKILL);
  g_assert_cmpstr(outcome->stderr_tail, ==, "fake: this led to it\nfake: a broken invariant");
  run_process *child = start(f, 3, no_limits);
  g_assert_cmpfloat(run_process_share(child), ==, 0);
  wait_for_end(f);
  g_assert_cmpint(f->record->status, ==, RUN_OK);
  g_assert_cmpstr(f->record->stderr_tail, ==, "");
}

/* A run is paused for longer than it may take, or stall; then it has the time that it had left before. */
FIXTURE_TEST(test_pause)
{
  run_process *child = start_and_stop_clock(f, 27, (run_limits){.stall_s = 1, .wall_s = 2});
  run_process_pause(child);
  advance_clock(2.1);
  run_process_continue(child);
  run_process_watch(child);
  watch_later(child, 0.1);
  await_progress(child);
  watch_later(child, 1.8);
  await_progress(child); /* it was not stopped */
  watch_later(child, 0.1);
  wait_for_end(f);
  EXPECT_PARTS(f->record->message, "it took longer than 2 s (--limit)");
}

/* The 16 descriptors that a store needs are not taken for a run; once there are more, runs succeed. */
FIXTURE_TEST(test_no_descriptors)
{
  g_autoptr(GError) error = NULL;
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
  run_well(f, 1); /* what the main context needs is open now */
  const int next = dup(STDIN_FILENO);
  close(next);
  const struct rlimit few = {(rlim_t)next + 16, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  g_assert_null(run_process_start(NULL, f->on.grid, 1, fake_run, &no_limits, note_end, f, &error));
  setrlimit(RLIMIT_NOFILE, &before);
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "Too many open files"));
  run_well(f, 2);
}

/* Returns how many descriptors this process has open. */
static guint open_descriptors(void)
{
  guint count = 0;
  g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
  for (; g_dir_read_name(dir) != NULL; count++) {
  }
  return count;
}

FIXTURE_TEST(test_leaves_nothing)
{
  run(f, 1, no_limits);
  guint before = open_descriptors();
  for (int i = 0; i < 5; i++) {
    run(f, 1, no_limits);
  }
  g_assert_cmpuint(open_descriptors(), ==, before);
}
