/* SPDX-License-Identifier: GPL-2.0-only */
/* One child: what it takes, what becomes of it, and that nobody waits for it (fake_iwarpsim.c). */
#include "study/sweep/child_run.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep_kit.h"

typedef struct fixture {
  char *folder;
  char *path;
  const char *program;
  child_limits limits;
  child_pool *pool;       /* NULL: not made yet */
  child_run *child;       /* the last one; NULL: it has ended */
  child_outcome *outcome; /* of the last child; NULL: it has not ended */
} fixture;

static void set_up(fixture *f, gconstpointer program)
{
  f->folder = kit_folder_new();
  f->path = kit_file(f->folder, "a.cfg", "title = \"t\";");
  f->program = program;
  sweep_kit_start_clock();
}

static void tear_down(fixture *f, gconstpointer program)
{
  (void)program;
  child_outcome_free(f->outcome);
  if (f->pool != NULL) {
    child_pool_free(f->pool);
  }
  g_free(f->path);
  kit_folder_remove(f->folder);
}

static void note_end(child_run *child, child_outcome *outcome, gpointer data)
{
  fixture *f = data;
  g_assert_true(child == f->child);
  f->child = NULL;
  f->outcome = outcome;
}

/* All runs of a test share its limits. */
static child_run *start(fixture *f, const char *seed, child_limits limits)
{
  g_autoptr(GError) error = NULL;
  if (f->pool == NULL) {
    f->limits = limits;
    f->pool = child_pool_new(f->program, f->path, NULL, &limits);
  }
  g_assert_cmpfloat(limits.wall_s + limits.stall_s, ==, f->limits.wall_s + f->limits.stall_s);
  g_autofree char *set = g_strdup_printf("run.seed=%s", seed);
  char *sets[] = {set, NULL};
  g_clear_pointer(&f->outcome, child_outcome_free);
  f->child = child_run_start(f->pool, sets, note_end, f, &error);
  g_assert_no_error(error);
  return f->child;
}

/* The child may have ended in the same turn of the main context. */
static gboolean watch(gpointer data)
{
  const fixture *f = data;
  if (f->child != NULL) {
    child_run_watch(f->child);
  }
  return G_SOURCE_CONTINUE;
}

static gboolean wake_up(gpointer data)
{
  (void)data;
  return G_SOURCE_CONTINUE;
}

static void wait_for_end(fixture *f)
{
  guint watcher = g_timeout_add(20, watch, f);
  while (f->outcome == NULL) {
    g_main_context_iteration(NULL, TRUE);
  }
  g_source_remove(watcher);
}

static const child_outcome *run(fixture *f, const char *seed, child_limits limits)
{
  start(f, seed, limits);
  wait_for_end(f);
  return f->outcome;
}

/* The process that makes runs; there is one. */
static pid_t only_host(void)
{
  g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", (int)getpid());
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) pids = g_strsplit(g_strstrip(text), " ", -1);
  g_assert_cmpuint(g_strv_length(pids), ==, 1);
  return (pid_t)g_ascii_strtoll(pids[0], NULL, 10);
}

/* Waits for `seed` to have its trace; its process. */
static pid_t await_trace(const fixture *f, const char *seed)
{
  pid_t process;
  while ((process = sweep_kit_traced(f->folder, seed)) == 0) {
    g_usleep(1000);
  }
  return process;
}

/* Waits for the child, which reports progress, to go on. */
static void await_progress(const child_run *child)
{
  double before = child_run_share(child);
  while (child_run_share(child) == before) {
    g_usleep(1000);
  }
}

static void expect_said(const child_outcome *outcome, const char *part)
{
  if (strstr(outcome->message, part) == NULL) {
    g_error("\"%s\" does not say \"%s\"", outcome->message, part);
  }
}

/* Its summary, and what the kernel says of it: a process takes some memory, and no more processor time than two threads could in the wall
 * time. */
static void test_good_run(fixture *f, gconstpointer program)
{
  (void)program;
  gint64 before_s = g_get_real_time() / G_USEC_PER_SEC;
  const child_outcome *outcome = run(f, "7", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  g_assert_cmpint(outcome->exit_code, ==, 0);
  g_assert_cmpstr(outcome->message, ==, "");
  g_assert_cmpstr(outcome->stderr_tail, ==, "");
  g_assert_cmpfloat(outcome->record->metrics.value[METRIC_TCP_SEGMENTS], ==, 1007);
  g_assert_cmpfloat(outcome->memory_peak_octets, >, 100000);
  g_assert_cmpfloat(outcome->wall_s, >, 0);
  g_assert_cmpfloat(outcome->cpu_s, <, 2 * outcome->wall_s);
  g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
  g_autoptr(GDateTime) started = g_date_time_new_from_iso8601(outcome->started, utc);
  g_assert_nonnull(started);
  g_assert_cmpint(g_date_time_to_unix(started), >=, before_s);
  g_assert_cmpint(g_date_time_to_unix(started), <=, g_get_real_time() / G_USEC_PER_SEC);
}

/* What this process holds as it forks, 256 MiB here, is not the child's. */
static void test_memory_is_its_own(fixture *f, gconstpointer program)
{
  (void)program;
  const gsize large = 256 << 20;
  char *held = g_malloc(large);
  memset(held, 1, large);
  const child_outcome *outcome = run(f, "7", (child_limits){0});
  g_free(held);
  g_assert_cmpfloat(outcome->memory_peak_octets, <, 128 << 20);
}

static void test_garbage(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "23", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  expect_said(outcome, "exited with code 0, its summary: ");
  outcome = run(f, "29", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  expect_said(outcome, "its summary: not a record of a run: ");
}

/* 64 MiB of stderr: the last 2000 octets are kept, the run counts. "\nlast\n" leaves 1994 before it. */
static void test_talks(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "24", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  g_assert_cmpuint(strlen(outcome->stderr_tail), ==, 1994 + strlen("\nlast"));
  g_assert_true(g_str_has_suffix(outcome->stderr_tail, "xx\nlast"));
}

static void test_talks_nonsense(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "25", (child_limits){0});
  g_assert_cmpint(outcome->exit_code, ==, 3);
  g_assert_cmpstr(outcome->stderr_tail, ==, "one\\r\n\\xff\\x1b[31mtwo\\x00 \xc3\xa4");
}

/* The child once it reports progress, by a clock that then stands. */
static child_run *start_and_stop_clock(fixture *f, const char *seed, child_limits limits)
{
  sweep_kit_stop_clock();
  child_run *child = start(f, seed, limits);
  await_progress(child);
  child_run_watch(child);
  return child;
}

/* `seconds` later. */
static void watch_later(child_run *child, double seconds)
{
  sweep_kit_advance_clock(seconds);
  child_run_watch(child);
}

/* Simulated time that stands still is noticed. */
static void test_stall(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start_and_stop_clock(f, "26", (child_limits){.stall_s = 0.3});
  watch_later(child, 0.3);
  wait_for_end(f);
  const child_outcome *outcome = f->outcome;
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_cmpint(outcome->exit_code, ==, 128 + SIGTERM);
  g_assert_cmpstr(
      outcome->message, ==,
      "stopped: its simulated time did not go on for 0.3 s (--stall), at 0.005 s of simulated time, 25 % "
      "done");
}

/* This process was held up, as by a laptop's lid, for longer than a child may stall: of that a second counts, so it is not stopped. */
static void test_held_up(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start_and_stop_clock(f, "26", (child_limits){.stall_s = 1.5});
  watch_later(child, 1.7);
  child_run_kill(child);
  wait_for_end(f);
  expect_said(f->outcome, "ended by signal 9");
}

/* Time that goes on is no stall, but may take too long. */
static void test_limit(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start_and_stop_clock(f, "27", (child_limits){.stall_s = 0.6, .wall_s = 1.5});
  for (guint i = 0; i < 3; i++) {
    await_progress(child);
    watch_later(child, 0.5);
  }
  wait_for_end(f);
  const child_outcome *outcome = f->outcome;
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  expect_said(outcome, "stopped: it took longer than 1.5 s (--limit), at ");
  expect_said(outcome, ", 50 % done");
  g_assert_cmpfloat(outcome->wall_s, >=, 1.5);
}

/* A child that does not mind SIGTERM is killed once more than a second has passed. */
static void test_stubborn(fixture *f, gconstpointer program)
{
  (void)program;
  g_free(f->path);
  f->path = kit_file(f->folder, "a.cfg", "title = \"stubborn\";");
  sweep_kit_stop_clock();
  child_run *child = start(f, "1", (child_limits){.stall_s = 0.2});
  await_trace(f, "1");
  watch_later(child, 0.2);
  watch_later(child, 1.001);
  wait_for_end(f);
  const child_outcome *outcome = f->outcome;
  g_assert_cmpint(outcome->signal, ==, SIGKILL);
  expect_said(outcome, "(--stall), at 0 s of simulated time, 0 % done");
}

/* 96 MiB of data are too few for 1 GiB: GLib gives up with a signal, and the message names it and the memory. */
static void test_memory(fixture *f, gconstpointer program)
{
  (void)program;
#if defined(__SANITIZE_ADDRESS__)
  (void)f;
  g_test_skip("the address sanitizer takes memory of its own");
#else
  const child_outcome *outcome = run(f, "28", (child_limits){.memory_octets = 96 << 20});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_true(outcome->signal == SIGTRAP || outcome->signal == SIGABRT);
  expect_said(outcome, "ended by signal ");
  expect_said(outcome, "no memory was to be had");
  g_assert_cmpfloat(outcome->memory_peak_octets, >, 48 << 20);
  g_assert_cmpfloat(outcome->memory_peak_octets, <, 200 << 20);
#endif
}

/* Its pipes are still open in its own child, for a minute, which is not waited for. */
static void test_leaves_a_child(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "30", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  pid_t left = sweep_kit_traced(f->folder, "30");
  g_assert_cmpint(left, >, 0);
  g_assert_cmpint(kill(left, 0), ==, 0);
}

/* It has ended before this process looks into its pipe, which holds more than is read in one turn. */
static void test_ends_with_full_pipe(fixture *f, gconstpointer program)
{
  (void)program;
  run(f, "12", (child_limits){0}); /* now the process that makes runs is there */
  start(f, "31", (child_limits){0});
  pid_t process = await_trace(f, "31");
  while (kill(process, 0) == 0) {
    g_usleep(1000);
  }
  wait_for_end(f);
  g_assert_cmpint(f->outcome->status, ==, RUN_OK);
  g_assert_cmpfloat(f->outcome->record->metrics.value[METRIC_TCP_SEGMENTS], ==, 1031);
  g_assert_true(g_str_has_suffix(f->outcome->stderr_tail, " last"));
}

static void test_stop_and_kill(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start(f, "26", (child_limits){0});
  child_run_stop(child);
  wait_for_end(f);
  g_assert_cmpint(f->outcome->signal, ==, SIGTERM);
  child = start(f, "26", (child_limits){0});
  child_run_kill(child);
  wait_for_end(f);
  g_assert_cmpint(f->outcome->signal, ==, SIGKILL);
}

/* Seen through the page they share: a quarter, once it says so. */
static void test_share(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start(f, "26", (child_limits){0});
  guint waker = g_timeout_add(5, wake_up, NULL);
  while (child_run_share(child) == 0) {
    g_main_context_iteration(NULL, TRUE);
  }
  g_source_remove(waker);
  g_assert_cmpfloat_with_epsilon(child_run_share(child), 0.25, 1e-6);
  child_run_stop(child);
  wait_for_end(f);
}

/* Two runs are two processes, made by the same one. */
static void test_a_process_each(fixture *f, gconstpointer program)
{
  (void)program;
  run(f, "1", (child_limits){0});
  pid_t first_host = only_host();
  run(f, "2", (child_limits){0});
  g_assert_cmpint(only_host(), ==, first_host);
  pid_t first = sweep_kit_traced(f->folder, "1"), second = sweep_kit_traced(f->folder, "2");
  g_assert_cmpint(first, !=, second);
  g_assert_cmpint(first, !=, first_host);
}

/* What a run said, left and reached is its own, whatever the next one in its place does not do: 24 talks, 13 crashes, 26 stands at a quarter
 * when it is killed. */
static void test_leaves_nothing_to_the_next(fixture *f, gconstpointer program)
{
  (void)program;
  run(f, "24", (child_limits){0});
  const child_outcome *outcome = run(f, "1", (child_limits){0});
  g_assert_cmpstr(outcome->stderr_tail, ==, "");
  outcome = run(f, "14", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_null(outcome->record);
  outcome = run(f, "13", (child_limits){0});
  g_assert_cmpint(outcome->signal, ==, SIGKILL);
  g_assert_cmpstr(outcome->stderr_tail, ==, "fake: this led to it\nfake: a broken invariant");
  child_run *child = start(f, "3", (child_limits){0});
  g_assert_cmpfloat(child_run_share(child), ==, 0);
  wait_for_end(f);
  g_assert_cmpint(f->outcome->status, ==, RUN_OK);
  g_assert_cmpstr(f->outcome->stderr_tail, ==, "");
}

/* Whether the process that makes runs dies with one or while it waits: the next run is none the worse. */
static void test_host_dies(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "32", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_cmpint(outcome->signal, ==, SIGKILL);
  outcome = run(f, "1", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  pid_t host = only_host();
  kill(host, SIGKILL);
  siginfo_t ended;
  g_assert_cmpint(waitid(P_PID, (id_t)host, &ended, WEXITED | WNOWAIT), ==, 0);
  outcome = run(f, "2", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  g_assert_cmpint(only_host(), !=, host);
}

/* Paused for longer than it may take, or stall; then what was left to it before. */
static void test_pause(fixture *f, gconstpointer program)
{
  (void)program;
  child_run *child = start_and_stop_clock(f, "27", (child_limits){.stall_s = 1, .wall_s = 2});
  child_run_pause(child);
  sweep_kit_advance_clock(2.1);
  child_run_continue(child);
  child_run_watch(child);
  watch_later(child, 0.1);
  await_progress(child);
  watch_later(child, 1.8);
  await_progress(child); /* it was not stopped */
  watch_later(child, 0.1);
  wait_for_end(f);
  expect_said(f->outcome, "it took longer than 2 s (--limit)");
  g_assert_cmpfloat(f->outcome->wall_s, >=, 4.1);
}

/* /bin/false ends before it is asked for anything: so does the run. */
static void test_does_not_start(fixture *f, gconstpointer program)
{
  (void)program;
  f->program = "/bin/false";
  for (guint i = 0; i < 20; i++) {
    const child_outcome *outcome = run(f, "1", (child_limits){0});
    g_assert_cmpint(outcome->exit_code, ==, 1);
    g_assert_cmpstr(outcome->message, ==, "exited with code 1, without a summary");
  }
}

/* A point whose values no packet takes is refused, and nothing waits for it. */
static void test_too_long(fixture *f, gconstpointer program)
{
  (void)program;
  g_autoptr(GError) error = NULL;
  g_autofree char *set = g_strnfill(70000, 'x');
  char *sets[] = {set, NULL};
  f->pool = child_pool_new(f->program, f->path, NULL, &(child_limits){0});
  g_assert_null(child_run_start(f->pool, sets, note_end, f, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

static void test_no_program(fixture *f, gconstpointer program)
{
  (void)program;
  g_autoptr(GError) error = NULL;
  char *sets[] = {NULL};
  f->pool = child_pool_new("/nonexistent/iwarpsim", f->path, NULL, &(child_limits){0});
  g_assert_null(child_run_start(f->pool, sets, note_end, f, &error));
  g_assert_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
}

/* How many descriptors this process has open. */
static guint open_descriptors(void)
{
  guint count = 0;
  g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
  while (g_dir_read_name(dir) != NULL) {
    count++;
  }
  return count;
}

static void test_leaves_nothing(fixture *f, gconstpointer program)
{
  (void)program;
  run(f, "1", (child_limits){0});
  guint before = open_descriptors();
  for (int i = 0; i < 5; i++) {
    run(f, "1", (child_limits){0});
  }
  g_assert_cmpuint(open_descriptors(), ==, before);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*function)(fixture *, gconstpointer);
  } tests[] = {
      {"/child_run/good_run", test_good_run},
      {"/child_run/memory_is_its_own", test_memory_is_its_own},
      {"/child_run/garbage", test_garbage},
      {"/child_run/talks", test_talks},
      {"/child_run/talks_nonsense", test_talks_nonsense},
      {"/child_run/stall", test_stall},
      {"/child_run/held_up", test_held_up},
      {"/child_run/limit", test_limit},
      {"/child_run/stubborn", test_stubborn},
      {"/child_run/memory", test_memory},
      {"/child_run/leaves_a_child", test_leaves_a_child},
      {"/child_run/ends_with_full_pipe", test_ends_with_full_pipe},
      {"/child_run/stop_and_kill", test_stop_and_kill},
      {"/child_run/share", test_share},
      {"/child_run/a_process_each", test_a_process_each},
      {"/child_run/leaves_nothing_to_the_next", test_leaves_nothing_to_the_next},
      {"/child_run/host_dies", test_host_dies},
      {"/child_run/pause", test_pause},
      {"/child_run/does_not_start", test_does_not_start},
      {"/child_run/too_long", test_too_long},
      {"/child_run/no_program", test_no_program},
      {"/child_run/leaves_nothing", test_leaves_nothing},
  };
  g_test_init(&argc, &argv, NULL);
  g_autofree char *program = g_test_build_filename(G_TEST_BUILT, "fake_iwarpsim", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, fixture, program, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
