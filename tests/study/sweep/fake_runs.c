/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_runs.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scenario/configuration.h"
#include "summary/summary.h"

enum {
  CRASHES = 13,            /* without a summary */
  LEAVES_NOTHING = 14,     /* exits 0 without a summary */
  FAILS = 15,              /* writes a failed run */
  TERMINATES = 16,         /* writes a terminated run */
  CRASHES_LATE = 17,       /* writes an ok run, then crashes */
  IS_MENDED = 19,          /* crashes while the scenario's folder lacks a file "mended", else runs well */
  TERMINATES_CRASHES = 21, /* writes a terminated run, then crashes */
  CONTRADICTS = 22,        /* writes an ok run and exits 1 */
  WRITES_GARBAGE = 23,     /* a quantile below 0 */
  TALKS = 24,              /* 64 MiB on stderr, then an ok run */
  TALKS_NONSENSE = 25,     /* lines that are no text on stderr, exits 3 */
  HANGS = 26,              /* at 5 ms of simulated time, a quarter done */
  NEVER_ENDS = 27,         /* simulated time goes on and on, the share a millionth with it */
  EATS_MEMORY = 28,        /* until there is none, or 1 GiB */
  SAYS_TOO_MUCH = 29,      /* an ok run, with a message of 5000 octets */
  LEAVES_A_CHILD = 30,     /* in its trace, too, that keeps its files open for a minute; an ok run */
  TALKS_AND_HANGS = 31,    /* 8 MiB and "last" on stderr, and no end */
  ENDS_WHEN_ASKED = 32,    /* an ok run, when SIGTERM comes */
  SAYS_2000_OCTETS = 33,   /* on stderr, the second half of a character and 1999 others; an ok run */
  SAYS_2001_OCTETS = 34,   /* the first half before it */
  SEGFAULTS = 35,          /* SIGSEGV */
  MEASURES_ALL = 36,       /* an ok run, with some of everything that results have */
  TAKES_MEMORY = 37,       /* 32 MiB, which it gives back; an ok run */
  WORKS = 38 /* until its process has used a tenth of a second of processor time more; an ok run */
};

/* Returns a file `name` beside the scenario. Free with g_free(). */
static char *beside(const scenario *s, const char *name)
{
  g_autofree char *folder = g_path_get_dirname(scenario_path(s));
  return g_build_filename(folder, name, NULL);
}

static void leave_trace(const scenario *s, guint64 seed, pid_t process)
{
  g_autofree char *name = g_strdup_printf("started-%" G_GUINT64_FORMAT, seed);
  g_autofree char *path = beside(s, name);
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

static void never_end(run_progress *progress)
{
  for (time_ps now = 1;; now++) {
    run_progress_set(progress, now * TIME_PS_PER_MILLISECOND, 0.5 + (double)now / 1e6);
    g_usleep(10000);
  }
}

static void leave_a_child(const scenario *s)
{
  pid_t child = fork();
  if (child == 0) {
    sleep(60);
    _exit(0);
  }
  leave_trace(s, LEAVES_A_CHILD, child);
}

static double cpu_s(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static void wait_for_signal(int number, run_progress *progress)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, NULL);
  run_progress_set(progress, 1, 0.25);
  sigwait(&set, &number);
}

/* Plays what it does before it has a summary; FALSE: it ends with `*code` and without one. */
static gboolean play_before(const scenario *s, guint64 seed, run_progress *progress, int *code)
{
  static const char nonsense[] = "one\r\n\xff\x1b[31mtwo\0 \xc3\xa4";
  g_autofree char *mended = beside(s, "mended");
  g_autofree char *letters = g_strnfill(1999, 'x');
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
  case TALKS:
    write_much(STDERR_FILENO, 64);
    say("\nlast\n", 6);
    return TRUE;
  case TALKS_NONSENSE:
    say(nonsense, sizeof nonsense - 1);
    *code = 3;
    return FALSE;
  case HANGS:
    run_progress_set(progress, 5 * TIME_PS_PER_MILLISECOND, 0.25);
    sleep(60);
    return FALSE;
  case NEVER_ENDS:
    never_end(progress);
    return FALSE;
  case EATS_MEMORY:
    for (guint i = 0; i < 1024; i++) {
      memset(g_malloc(1 << 20), 1, 1 << 20);
    }
    return FALSE;
  case LEAVES_A_CHILD:
    leave_a_child(s);
    return TRUE;
  case TALKS_AND_HANGS:
    write_much(STDERR_FILENO, 8);
    say("last", 4);
    sleep(60);
    return FALSE;
  case ENDS_WHEN_ASKED:
    wait_for_signal(SIGTERM, progress);
    return TRUE;
  case TAKES_MEMORY:
    g_free(memset(g_malloc(32 << 20), 1, 32 << 20));
    return TRUE;
  case WORKS:
    for (const double before_s = cpu_s(); cpu_s() < before_s + 0.1;) {
    }
    return TRUE;
  case SEGFAULTS:
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would make an exit of it */
    raise(SIGSEGV);
    return FALSE;
  case SAYS_2000_OCTETS:
  case SAYS_2001_OCTETS:
    say("\xc3\xa4" + (seed == SAYS_2000_OCTETS), 2 - (seed == SAYS_2000_OCTETS));
    say(letters, 1999);
    return TRUE;
  default:
    return TRUE;
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

run_results fake_results(void)
{
  run_results results = {.block_octets = 65536, .quantiles = {1, {QUANTILE_PARTS}, {[GAUGE_HOLES] = {0.1}}}};
  results.block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_array_append_vals(results.block_maxima, (const guint64[]){5, 0, 1460}, 3);
  metric_values_set(&results.metrics, METRIC_EFFICIENCY_WIRE, 0.1);
  g_assert_true(distribution_append(&results.distributions[1], 1.0 / 3, 1e300));
  g_assert_true(distribution_append(&results.distributions[1], 2, 1));
  run_results_set_tables(&results, "host,connections\nh0,1\n\n", "h0");
  return results;
}

int fake_run(scenario *s, run_progress *progress)
{
  const char *title = scenario_configuration(s)->title;
  guint64 seed = scenario_configuration(s)->run.seed;
  run_results results = {.block_octets = 0};
  summary page = {
      .version = "0.1.0", .engine = strcmp(title, "native") == 0 ? title : "fake", .results = &results};
  int code;
  metric_values_set(&results.metrics, METRIC_TCP_SEGMENTS, 1000 + (double)seed);
  metric_values_set(&results.metrics, METRIC_DELIVERY_MESSAGES,
                    (double)scenario_configuration(s)->classes->workload.messages);
  if (strcmp(title, "stubborn") == 0) {
    signal(SIGTERM, SIG_IGN);
  }
  leave_trace(s, seed, getpid());
  wait_if_slow(title);
  if (!play_before(s, seed, progress, &code)) {
    return code;
  }
  if (seed == FAILS) {
    page.status = RUN_FAILED;
    page.message = "octets differ";
  } else if (seed == TERMINATES || seed == TERMINATES_CRASHES) {
    page.status = RUN_TERMINATED;
    page.message = "invalid STag";
  } else if (seed == WRITES_GARBAGE) {
    results.quantiles = (gauge_quantiles){1, {QUANTILE_PARTS}, {[GAUGE_HOLES] = {-1}}};
  } else if (seed == MEASURES_ALL) {
    results = fake_results();
  } else if (seed == SAYS_TOO_MUCH) {
    page.message = g_strnfill(5000, 'x');
  }
  run_hand_over(progress, &page);
  if (seed == CRASHES_LATE || seed == TERMINATES_CRASHES) {
    crash();
  }
  return seed == CONTRADICTS ? 1 : run_status_exit_code(page.status, scenario_configuration(s)->run.expect);
}
