/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim sweep` as a user meets it: what it prints, its exit status, and that nothing is left over. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

static void set_up(cli_shell *f, gconstpointer files)
{
  cli_shell_set_up(f, files);
  cli_shell_write(f, "a.cfg", CLI_SHELL_SWEEP);
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "a.cfg a.sqlite results", set_up, cli_shell_tear_down, name)

/* All, and then nothing more; on no terminal no line that is redrawn; with --quiet no line. */
SHELL_TEST(test_all)
{
  cli_shell_expect_all(f, 0, "iwarpsim sweep a.cfg",
                       "3 runs: 3 run now, 0 already there, 0 failed; results in results/a.sqlite\n", "");
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg -j1");
  g_assert_cmpstr(f->output, ==,
                  "3 runs: 0 run now, 3 already there, 0 failed; results in results/a.sqlite\n");
  cli_shell_expect_all(f, 0, "iwarpsim sweep a.cfg --quiet --store a.sqlite", "", "");
}

/* 'terminate' is expected and does not come. */
SHELL_TEST(test_first_failure)
{
  cli_shell_expect_all(
      f, 1, "iwarpsim sweep a.cfg -j1 -s run.expect=terminate",
      "3 runs: 1 run now, 0 already there, 0 failed, 1 ended otherwise than expected; results in "
      "results/a.sqlite\n",
      "run 1 (run.seed=1) ok, where run.expect is terminate\n"
      "iwarpsim sweep: stopped after the first run that failed or ended otherwise than expected, 2 "
      "not started; rerun the command to resume, with --keep-going to run all\n");
  cli_shell_expect(f, 1, "iwarpsim sweep a.cfg -k -s run.expect=terminate");
  EXPECT_PARTS(f->output, "3 runs: 2 run now, 1 already there, 0 failed, 3 ended otherwise");
}

/* Another scenario text into the same store is refused, and nothing runs; unless asked for. */
SHELL_TEST(test_mix)
{
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg -q");
  g_autofree char *other = g_strconcat(CLI_SHELL_SWEEP, "# another\n", NULL);
  cli_shell_write(f, "a.cfg", other);
  cli_shell_expect(f, 2, "iwarpsim sweep a.cfg");
  g_assert_cmpstr(f->output, ==, "");
  EXPECT_PARTS(f->errors, "# another");
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg --list");
  g_assert_true(
      g_str_has_prefix(f->errors, "note: this sweep would be refused: results/a.sqlite: holds 3 runs"));
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg --list --mix");
  g_assert_cmpstr(f->errors, ==, "");
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg --mix");
}

SHELL_TEST(test_bad_options)
{
  cli_shell_expect_all(f, 2, "iwarpsim sweep a.cfg -j0", "",
                       "iwarpsim sweep: -j 0: expected 1 or more (see 'iwarpsim sweep --help')\n");
  cli_shell_expect_all(
      f, 2, "iwarpsim sweep a.cfg --shard 3/2", "",
      "iwarpsim sweep: --shard 3/2: expected I/N with 1 <= I <= N (see 'iwarpsim sweep --help')\n");
  cli_shell_expect_all(
      f, 2, "iwarpsim sweep a.cfg --limit 0", "",
      "iwarpsim sweep: --limit 0: expected a time such as \"10min\" (see 'iwarpsim sweep --help')\n");
  cli_shell_expect_all(
      f, 2, "iwarpsim sweep a.cfg --stall 3", "",
      "iwarpsim sweep: --stall 3: expected a time such as \"60s\" (see 'iwarpsim sweep --help')\n");
  cli_shell_expect_all(
      f, 2, "iwarpsim sweep a.cfg --memory much", "",
      "iwarpsim sweep: --memory much: expected a size such as \"2GiB\" (see 'iwarpsim sweep --help')\n");
}

/* 64 GiB a run take minutes: none is done when SIGTERM comes, once the sweep has started one. */
SHELL_TEST(test_interrupt)
{
  cli_shell_expect_all(
      f, 1,
      "\"$0\" sweep a.cfg -j2 -s workload.message_size=64KiB -s workload.messages=1000000 & "
      "pid=$!; until worker=$(cut -d' ' -f1 /proc/$pid/task/$pid/children); [ -n \"$worker\" ] && "
      "[ -n \"$(cat /proc/$worker/task/$worker/children)\" ]; do sleep 0.01; done; "
      "kill -TERM $pid; wait $pid",
      "3 runs: 0 run now, 0 already there, 0 failed; results in results/a.sqlite\n",
      "interrupted: 0 done, 3 to go; rerun the command to resume\n");
}
