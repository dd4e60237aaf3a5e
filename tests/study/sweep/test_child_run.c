/* One child: what it takes, what becomes of it, and that nobody waits for it (fake_iwarpsim.c). */
#include "study/sweep/child_run.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study_kit.h"

typedef struct fixture {
  char *folder;
  char *path;
  const char *program;
  child_run *child;       /* the last one; NULL: it has ended */
  child_outcome *outcome; /* of the last child; NULL: it has not ended */
} fixture;

static void set_up(fixture *f, gconstpointer program)
{
  f->folder = kit_folder_new();
  f->path = kit_file(f->folder, "a.cfg", "title = \"t\";");
  f->program = program;
}

static void tear_down(fixture *f, gconstpointer program)
{
  (void)program;
  child_outcome_free(f->outcome);
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

static child_run *start(fixture *f, const char *seed, child_limits limits)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *set = g_strdup_printf("run.seed=%s", seed);
  char *sets[] = {set, NULL};
  g_clear_pointer(&f->outcome, child_outcome_free);
  f->child = child_run_start(f->program, f->path, sets, &limits, note_end, f, &error);
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
  g_assert_cmpfloat(outcome->summary->metrics.value[METRIC_TCP_SEGMENTS], ==, 1007);
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
  expect_said(outcome, "does not end within 16777216 octets");
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
  g_assert_cmpstr(outcome->stderr_tail, ==, "one \n\xef\xbf\xbd [31mtwo\xef\xbf\xbd \xc3\xa4");
}

/* Simulated time that stands still is noticed, whatever the child says of SIGTERM. */
static void test_stall(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "26", (child_limits){.stall_s = 0.3});
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
  child_run *child = start(f, "26", (child_limits){.stall_s = 1.5});
  child_run_watch(child);
  g_usleep(1700000);
  child_run_watch(child);
  child_run_kill(child);
  wait_for_end(f);
  expect_said(f->outcome, "ended by signal 9");
}

/* Time that goes on is no stall, but may take too long. */
static void test_limit(fixture *f, gconstpointer program)
{
  (void)program;
  const child_outcome *outcome = run(f, "27", (child_limits){.stall_s = 0.5, .wall_s = 1.5});
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  expect_said(outcome, "stopped: it took longer than 1.5 s (--limit), at ");
  expect_said(outcome, ", 50 % done");
  g_assert_cmpfloat(outcome->wall_s, >=, 1.5);
}

static void test_stubborn(fixture *f, gconstpointer program)
{
  (void)program;
  g_free(f->path);
  f->path = kit_file(f->folder, "a.cfg", "title = \"stubborn\";");
  const child_outcome *outcome = run(f, "1", (child_limits){.stall_s = 0.2});
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

/* Its pipes are still open in its own child, for ten seconds. */
static void test_leaves_a_child(fixture *f, gconstpointer program)
{
  (void)program;
  gint64 before_us = g_get_monotonic_time();
  const child_outcome *outcome = run(f, "30", (child_limits){0});
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  g_assert_cmpint(g_get_monotonic_time() - before_us, <, 8 * G_USEC_PER_SEC);
}

/* It has ended before this process looks into its pipes, which hold more than is read in one turn. */
static void test_ends_with_full_pipes(fixture *f, gconstpointer program)
{
  (void)program;
  siginfo_t ended;
  start(f, "31", (child_limits){0});
  g_assert_cmpint(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), ==, 0);
  wait_for_end(f);
  g_assert_cmpint(f->outcome->status, ==, RUN_OK);
  g_assert_cmpfloat(f->outcome->summary->metrics.value[METRIC_TCP_SEGMENTS], ==, 1031);
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

static void test_no_program(fixture *f, gconstpointer program)
{
  (void)program;
  g_autoptr(GError) error = NULL;
  char *sets[] = {NULL};
  g_assert_null(
      child_run_start("/nonexistent/iwarpsim", f->path, sets, &(child_limits){0}, note_end, f, &error));
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
      {"/child_run/ends_with_full_pipes", test_ends_with_full_pipes},
      {"/child_run/stop_and_kill", test_stop_and_kill},
      {"/child_run/share", test_share},
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
