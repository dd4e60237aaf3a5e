/* SPDX-License-Identifier: GPL-2.0-only */
/* Plays `iwarpsim run --set … --quiet --as-child -- SCENARIO` for the sweep's tests, without a simulation. Each run adds a line with its
 * process id to a file "started-SEED" beside the scenario, once signals do to it what its title says. The title "slow" waits for a minute
 * first; "stubborn" does the same, and neither it nor what made it minds SIGTERM. The rest depends on the seed: others than these write an
 * ok run with tcp.segments = 1000 + seed. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/store/summary.h"

#include "scenario/configuration.h"
#include "study/sweep/child_page.h"
#include "study/sweep/child_report.h"
#include "study/sweep/child_server.h"

enum {
  CRASHES = 13,            /* without a summary */
  LEAVES_NOTHING = 14,     /* exits 0 without a summary */
  FAILS = 15,              /* writes a failed run */
  TERMINATES = 16,         /* writes a terminated run */
  CRASHES_LATE = 17,       /* writes an ok run, then crashes */
  RUNS_OTHER = 18,         /* writes a summary of other parameters */
  IS_MENDED = 19,          /* crashes while the scenario's folder lacks a file "mended", else runs well */
  TERMINATES_CRASHES = 21, /* writes a terminated run, then crashes */
  CONTRADICTS = 22,        /* writes an ok run and exits 1 */
  WRITES_GARBAGE = 23,     /* no record */
  TALKS = 24,              /* 64 MiB on stderr, then an ok run */
  TALKS_NONSENSE = 25,     /* lines that are no text on stderr, exits 3 */
  HANGS = 26,              /* at 5 ms of simulated time, a quarter done */
  NEVER_ENDS = 27,         /* simulated time goes on and on, the share a millionth with it */
  EATS_MEMORY = 28,        /* until there is none, or 1 GiB */
  CLAIMS_TOO_MUCH = 29,    /* a record that is longer than the memory for it */
  LEAVES_A_CHILD = 30,     /* in its trace, too, that keeps its pipes open for a minute; an ok run */
  FILLS_A_PIPE = 31,       /* 300 KiB on stderr before the summary of an ok run, into a pipe of 1 MiB */
  ENDS_ALL = 32            /* kills what made its process too */
};

typedef struct request {
  const char *path;
  gboolean quiet;
  gboolean as_child;
  GPtrArray *sets;
} request;

static void parse(int argc, char **argv, request *r)
{
  g_assert_cmpint(argc, >=, 3);
  g_assert_cmpstr(argv[1], ==, "run");
  r->sets = g_ptr_array_new();
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--set") == 0) {
      g_ptr_array_add(r->sets, argv[++i]);
    } else if (strcmp(argv[i], "--as-child") == 0) {
      r->as_child = TRUE;
    } else if (strcmp(argv[i], "--quiet") == 0) {
      r->quiet = TRUE;
    } else if (strcmp(argv[i], "--") == 0) {
      r->path = argv[++i];
    } else {
      g_error("unknown argument %s", argv[i]);
    }
  }
  g_ptr_array_add(r->sets, NULL);
  g_assert_true(r->as_child);
  g_assert_true(r->quiet);
}

/* A file `name` beside the scenario. */
static char *beside(const request *r, const char *name)
{
  g_autofree char *folder = g_path_get_dirname(r->path);
  return g_build_filename(folder, name, NULL);
}

static void leave_trace(const request *r, guint64 seed, pid_t process)
{
  g_autofree char *name = g_strdup_printf("started-%" G_GUINT64_FORMAT, seed);
  g_autofree char *path = beside(r, name);
  g_autofree char *line = g_strdup_printf("%d\n", (int)process);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  g_assert_cmpint(write(file, line, strlen(line)), ==, (gssize)strlen(line));
  close(file);
}

static void say(const char *octets, gsize count)
{
  g_assert_cmpint(write(STDERR_FILENO, octets, count), ==, (gssize)count);
}

/* Says something and ends as a crash does; by a signal that leaves no core file. */
static void crash(void)
{
  static const char words[] = "fake: this led to it\nfake: a broken invariant\n";
  say(words, sizeof words - 1);
  raise(SIGKILL);
}

static void write_much(int file, guint megabytes)
{
  g_autofree char *chunk = g_malloc(1 << 20);
  memset(chunk, 'x', 1 << 20);
  for (guint i = 0; i < megabytes; i++) {
    for (gssize written = 0; written < 1 << 20;) {
      gssize count = write(file, chunk + written, (gsize)((1 << 20) - written));
      g_assert_cmpint(count, >, 0);
      written += count;
    }
  }
}

static void eat_memory(void)
{
  for (guint i = 0; i < 1024; i++) {
    memset(g_malloc(1 << 20), 1, 1 << 20);
  }
}

static void never_end(child_page *page)
{
  for (time_ps now = 1;; now++) {
    child_report_progress(page, now * TIME_PS_PER_MILLISECOND, 0.5 + (double)now / 1e6);
    g_usleep(10000);
  }
}

/* Into a pipe that takes it all at once. */
static void fill_pipe(int file)
{
  const gsize count = 300 << 10;
  g_autofree char *blanks = g_strnfill(count, ' ');
  g_assert_cmpint(fcntl(file, F_SETPIPE_SZ, 1 << 20), >=, (int)count);
  g_assert_cmpint(write(file, blanks, count), ==, (gssize)count);
}

static void leave_a_child(const request *r)
{
  pid_t child = fork();
  if (child == 0) {
    sleep(60);
    _exit(0);
  }
  leave_trace(r, LEAVES_A_CHILD, child);
}

static void claim(child_page *page, const char *record, gsize octets)
{
  memcpy(page->record, record, strlen(record));
  atomic_store(&page->record_octets, octets);
}

/* What it does before it has a summary; FALSE: it ends with `*code` and without one. */
static gboolean play_before(const request *r, guint64 seed, child_page *page, int *code)
{
  static const char nonsense[] = "one\r\n\xff\x1b[31mtwo\0 \xc3\xa4";
  g_autofree char *mended = beside(r, "mended");
  *code = 0;
  switch (seed) {
  case IS_MENDED:
    if (g_file_test(mended, G_FILE_TEST_EXISTS)) {
      return TRUE;
    }
    crash();
    return FALSE;
  case CRASHES:
    crash();
    return FALSE;
  case LEAVES_NOTHING:
    return FALSE;
  case WRITES_GARBAGE:
    claim(page, "no", 2);
    return FALSE;
  case CLAIMS_TOO_MUCH:
    claim(page, "much", (gsize)100 << 20);
    return FALSE;
  case TALKS:
    write_much(STDERR_FILENO, 64);
    say("\nlast\n", 6);
    return TRUE;
  case TALKS_NONSENSE:
    say(nonsense, sizeof nonsense - 1);
    *code = 3;
    return FALSE;
  case HANGS:
    child_report_progress(page, 5 * TIME_PS_PER_MILLISECOND, 0.25);
    sleep(60);
    return FALSE;
  case NEVER_ENDS:
    never_end(page);
    return FALSE;
  case EATS_MEMORY:
    eat_memory();
    return FALSE;
  case LEAVES_A_CHILD:
    leave_a_child(r);
    return TRUE;
  case FILLS_A_PIPE:
    fill_pipe(STDERR_FILENO);
    say("last", 4);
    return TRUE;
  case ENDS_ALL:
    kill(0, SIGKILL); /* their process group is their own */
    return FALSE;
  default:
    return TRUE;
  }
}

static gboolean is_stopped(pid_t process)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)process);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return g_str_has_prefix(strrchr(text, ')'), ") T");
}

/* What made this process would die of SIGTERM, and take it along; of SIGTERM and SIGSTOP at once, too. */
static void be_stubborn(void)
{
  signal(SIGTERM, SIG_IGN);
  kill(getppid(), SIGSTOP);
  while (!is_stopped(getppid())) {
    g_usleep(1000);
  }
}

static void wait_if_slow(const char *title)
{
  if (strcmp(title, "slow") == 0 || strcmp(title, "stubborn") == 0) {
    for (int left = 60; left > 0;) {
      left = (int)sleep((guint)left);
    }
  }
}

static int play(const request *r, const scenario *s, child_page *page_of_sweep)
{
  guint64 seed = scenario_configuration(s)->run.seed;
  summary page = {.scenario = s, .version = "0.1.0", .engine = "fake"};
  int code;
  metric_values_set(&page.metrics, METRIC_TCP_SEGMENTS, 1000 + (double)seed);
  wait_if_slow(scenario_configuration(s)->title);
  if (!play_before(r, seed, page_of_sweep, &code)) {
    return code;
  }
  if (seed == FAILS) {
    page.status = RUN_FAILED;
    page.message = "octets differ";
  } else if (seed == TERMINATES || seed == TERMINATES_CRASHES) {
    page.status = RUN_TERMINATED;
    page.message = "invalid STag";
  }
  g_assert_true(child_report_summary(page_of_sweep, &page, NULL));
  if (seed == CRASHES_LATE || seed == TERMINATES_CRASHES) {
    crash();
  }
  return seed == CONTRADICTS ? 1 : run_status_exit_code(page.status, scenario_configuration(s)->run.expect);
}

/* One run, in its own process. */
static int play_run(const request *r, scenario *s, char *const *sets, child_page *page)
{
  for (gsize i = 0; sets[i] != NULL; i++) {
    g_assert_true(scenario_set(s, sets[i], NULL));
  }
  if (strcmp(scenario_configuration(s)->title, "stubborn") == 0) {
    be_stubborn();
  }
  leave_trace(r, scenario_configuration(s)->run.seed, getpid());
  if (scenario_configuration(s)->run.seed == RUNS_OTHER) {
    g_assert_true(scenario_set(s, "path.forward.mtu=9000", NULL));
  }
  return play(r, s, page);
}

int main(int argc, char **argv)
{
  request r = {0};
  parse(argc, argv, &r);
  g_autoptr(GError) error = NULL;
  scenario *s = scenario_load(r.path, (const char *const *)r.sets->pdata, &error);
  g_assert_no_error(error);
  child_page *page = child_report_map(&error);
  g_assert_no_error(error);
  g_auto(GStrv) sets = child_server_take(page);
  int code = sets != NULL ? play_run(&r, s, sets, page) : 0;
  child_report_unmap(page);
  scenario_free(s);
  g_ptr_array_unref(r.sets);
  return code;
}
