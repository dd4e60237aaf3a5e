/* SPDX-License-Identifier: GPL-2.0-only */
/* What a terminal shows of a run and a sweep while they go on, and what stays of it; the built program on a
 * pseudo-terminal. */
#include "cli/cli_progress.h"

#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_shell.h"

typedef struct fixture {
  cli_shell shell;
  GString *shown;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  cli_shell_open(&f->shell);
  f->shown = g_string_new(NULL);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  cli_shell_close(&f->shell, "*");
  g_string_free(f->shown, TRUE);
}

#define TERMINAL_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Runs a line of the shell, "$0" being the program, with the scenario `text` as a.cfg; its terminal's text
 * goes into `shown`. */
static int on_terminal(fixture *f, const char *text, const char *line)
{
  int terminal;

  cli_shell_write(&f->shell, "a.cfg", text);
  pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    signal(SIGINT, SIG_DFL); /* a shell that starts the tests in the background ignores it for them */
    if (chdir(f->shell.folder) == 0) {
      execl("/bin/sh", "sh", "-c", line, f->shell.program, (char *)NULL);
    }
    _exit(127);
  }
  char octets[4096];
  ssize_t count;
  while ((count = read(terminal, octets, sizeof octets)) > 0) {
    g_string_append_len(f->shown, octets, count);
  }
  close(terminal);
  int status;
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_true(WIFEXITED(status));
  g_test_message("%s", f->shown->str);
  return WEXITSTATUS(status);
}

/* More than a second here; a run of less than one shows nothing. */
#define LONG_RUN "title = \"t\"; run: { engine = \"native\"; }; workload: { messages = 20000; };"

#define CLEAR "\r\x1b[K"

/* A line with all its parts, redrawn; at the end it is gone before the summary comes. */
TERMINAL_TEST(test_run)
{
  gint64 before_us = g_get_monotonic_time();
  g_assert_cmpint(on_terminal(f, LONG_RUN, "\"$0\" run a.cfg --out o"), ==, 0);
  if (g_get_monotonic_time() - before_us < 3 * G_USEC_PER_SEC / 2) {
    g_test_skip("this machine is too fast");
    return;
  }
  g_assert_true(g_regex_match_simple("^(\\r\\x1b\\[K\\d+ % done, at \\d+\\.\\d{6} s of simulated time, about "
                                     "\\d+:\\d\\d left)+\\r\\x1b\\[Kt\\r\\n",
                                     f->shown->str, 0, 0));
}

TERMINAL_TEST(test_quiet_run)
{
  g_assert_cmpint(on_terminal(f, LONG_RUN, "\"$0\" run a.cfg --out o --quiet"), ==, 0);
  g_assert_cmpstr(f->shown->str, ==, "");
}

/* Standard error is a file: nothing is to be redrawn there, though standard output is a terminal. */
TERMINAL_TEST(test_run_into_file)
{
  g_assert_cmpint(on_terminal(f, LONG_RUN, "\"$0\" run a.cfg --out o 2>e && cat e"), ==, 0);
  g_assert_true(g_str_has_prefix(f->shown->str, "t\r\n"));
  g_assert_null(strchr(f->shown->str, '\x1b'));
}

#define SWEEP                                                                                                \
  "title = \"t\"; run: { engine = \"native\"; }; workload: { messages = 1; };"                               \
  "sweep = ( { key = \"run.seed\"; from = 1; to = 4; } );"

TERMINAL_TEST(test_sweep)
{
  g_assert_cmpint(on_terminal(f, SWEEP, "\"$0\" sweep a.cfg -j 2 --store a.sqlite"), ==, 0);
  g_assert_true(g_regex_match_simple(
      "^(\\r\\x1b\\[K\\d of 4 runs done, \\d running, \\d+ %(, about \\d+:\\d\\d left)?)+\\r\\x1b\\[K"
      "4 runs: 4 run now, 0 already there, 0 failed; results in a\\.sqlite\\r\\n$",
      f->shown->str, 0, 0));
}

/* 200,000 points with a hundred conditions each take seconds. */
TERMINAL_TEST(test_check)
{
  if (!g_test_slow()) {
    g_test_skip("slow");
    return;
  }
  GString *text =
      g_string_new("sweep = ( { key = \"run.seed\"; from = 1; to = 200; },"
                   " { key = \"workload.messages\"; from = 1; to = 1000; } ); where = \"run.seed > 0");

  for (guint i = 0; i < 100; i++) {
    g_string_append_printf(text, " and run.seed != %u", 2000 + i);
  }
  g_string_append(text, "\";");
  g_assert_cmpint(on_terminal(f, text->str, "\"$0\" check a.cfg"), ==, 0);
  g_string_free(text, TRUE);
  g_assert_true(g_regex_match_simple(
      "^(\\r\\x1b\\[K\\d+ % done, checking the points of the sweep(, about \\d+:\\d\\d left)?)+"
      "\\r\\x1b\\[Ka.cfg: ok, a sweep of 200000 points\\r\\n$",
      f->shown->str, 0, 0));
}

/* Ctrl-C as a terminal sends it: the sweep alone gets it, and reports it; its children leave nothing in the
 * store and nothing on the screen. It has two children beside the one that waits here until the second of
 * them has a run. */
TERMINAL_TEST(test_interrupted_sweep)
{
  g_assert_cmpint(
      on_terminal(f,
                  "title = \"t\"; run: { engine = \"native\"; }; workload: { messages = 10000000; };"
                  "sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );",
                  "(until set -- $(cat /proc/$$/task/$$/children); [ $# -eq 3 ] && "
                  "[ -n \"$(cat /proc/$3/task/$3/children)\" ]; do sleep 0.01; done; "
                  "kill -INT $$) & exec \"$0\" sweep a.cfg -j 2 --store a.sqlite"),
      ==, 1);
  g_assert_nonnull(
      strstr(f->shown->str, CLEAR "interrupted: 0 done, 2 to go; rerun the command to resume\r\n"));
}

/* What is shown of a run that started at 0 and is at `share` at each of `times_s`. */
static char *show(const double *times_s, const double *shares, gsize count)
{
  char *text = NULL;
  size_t length = 0;
  cli_progress shown = {.file = open_memstream(&text, &length), .started_us = 1};
  for (gsize i = 0; i < count; i++) {
    const session_progress progress = {.now = 2 * TIME_PS_PER_MILLISECOND, .share = shares[i]};
    cli_progress_show(&shown, &progress, 1 + (gint64)(times_s[i] * G_USEC_PER_SEC));
  }
  cli_progress_clear(&shown);
  fclose(shown.file);
  return text;
}

#define AT " % done, at 0.002000 s of simulated time"

/* A quarter in 2 s: three times as long is left; not shown before 1 s, nor again within 0.5 s. */
TEST(test_text)
{
  const double times_s[] = {0.9, 2, 2.4, 2.5}, shares[] = {0.1, 0.25, 0.3, 0.5};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==, CLEAR "25" AT ", about 0:06 left" CLEAR "50" AT ", about 0:03 left" CLEAR);
  free(text);
}

/* Nothing is done yet: nobody knows. Done by half, it stands from 2 s to 5 s and longer: nobody knows either,
 * until it goes on at 8 s, when it has taken 8 s for 0.8 and 2 s are left. */
TEST(test_stands_still)
{
  const double times_s[] = {1, 2, 4.9, 5.5, 8}, shares[] = {0, 0.5, 0.5, 0.5, 0.8};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==,
                  CLEAR "0" AT CLEAR "50" AT ", about 0:02 left" CLEAR "50" AT ", about 0:05 left" CLEAR
                        "50" AT CLEAR "80" AT ", about 0:02 left" CLEAR);
  free(text);
}

/* A run that was never shown clears nothing: its terminal may hold half a line of another program. */
TEST(test_short)
{
  const double times_s[] = {0.2, 0.99}, shares[] = {0.1, 0.9};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==, "");
  free(text);
}

/* The length of a pipe is not known. */
TEST(test_unknown_share)
{
  char *text = NULL;
  size_t length = 0;
  cli_progress shown = {.file = open_memstream(&text, &length), .started_us = 1};
  cli_progress_show_at(&shown, -1, 0.25, "the capture", 1 + 2 * G_USEC_PER_SEC);
  fclose(shown.file);
  g_assert_cmpstr(text, ==, CLEAR "at 0.250000 s of the capture");
  free(text);
}

/* A capture that comes slowly, summed up on a terminal: where it is, then the table alone. Lines of FPDUs
 * would tear it: none is shown between them. */
TERMINAL_TEST(test_decode)
{
#define SLOWLY                                                                                               \
  "(head -c 200000 o/receiver.pcap; sleep 1.2; tail -c +200001 o/receiver.pcap) | \"$0\" decode - "
  g_assert_cmpint(on_terminal(f,
                              "title = \"t\"; run: { engine = \"native\"; }; workload: { messages = 40; };",
                              "\"$0\" run a.cfg --quiet --pcap --out o && " SLOWLY "--summary"),
                  ==, 0);
  g_assert_true(g_regex_match_simple("^(\\r\\x1b\\[Kat 0\\.\\d{6} s of the capture)+\\r\\x1b\\[K# iwarpsim ",
                                     f->shown->str, 0, 0));
  g_string_truncate(f->shown, 0);
  g_assert_cmpint(on_terminal(f, "", SLOWLY), ==, 0);
  g_assert_null(strstr(f->shown->str, CLEAR));
  g_string_truncate(f->shown, 0);
  g_assert_cmpint(on_terminal(f, "", SLOWLY "--quiet --summary"), ==, 0);
  g_assert_null(strstr(f->shown->str, CLEAR));
#undef SLOWLY
}
