/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim merge` and `iwarpsim export` as a user meets them: two shards of a sweep become one store, or
 * nothing does. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

static void set_up(cli_shell *f, gconstpointer files)
{
  cli_shell_set_up(f, files);
  cli_shell_write(f, "a.cfg", CLI_SHELL_SWEEP);
  cli_shell_expect(f, 0,
                   "iwarpsim sweep --quiet a.cfg --shard 1/2 --store 1.sqlite &&"
                   "iwarpsim sweep --quiet a.cfg --shard 2/2 --store 2.sqlite");
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "*.cfg *.sqlite *.csv", set_up, cli_shell_tear_down, name)

/* Seeds 1 and 3 are in the first shard, 2 in the second. Again, by the shell's names, nothing is taken; the
 * sweep finds all there. */
SHELL_TEST(test_shards)
{
  cli_shell_expect(f, 0, "iwarpsim merge 1.sqlite 2.sqlite -o all.sqlite");
  g_assert_cmpstr(f->output, ==,
                  "1.sqlite: 2 runs, 2 taken, 0 already there\n"
                  "2.sqlite: 1 run, 1 taken, 0 already there\n"
                  "3 runs taken; results in all.sqlite\n");
  cli_shell_expect(f, 0, "iwarpsim merge *.sqlite -o all.sqlite");
  g_assert_cmpstr(f->output, ==,
                  "1.sqlite: 2 runs, 0 taken, 2 already there\n"
                  "2.sqlite: 1 run, 0 taken, 1 already there\n"
                  "all.sqlite: 3 runs, 0 taken, 3 already there\n"
                  "0 runs taken; results in all.sqlite\n");
  cli_shell_expect(f, 0, "iwarpsim merge 1.sqlite -o all.sqlite --quiet");
  g_assert_cmpstr(f->output, ==, "");
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg --store all.sqlite");
  EXPECT_PARTS(f->output, "3 runs: 0 run now, 3 already there");
}

/* To standard output or to a file, the same: a row a run after its comments and names, in the order of the
 * grid. */
SHELL_TEST(test_export)
{
  cli_shell_expect(f, 0,
                   "iwarpsim merge 2.sqlite 1.sqlite --quiet -o all.sqlite && iwarpsim export all.sqlite &&"
                   "iwarpsim export all.sqlite --csv all.csv");
  g_autofree char *path = g_build_filename(f->folder, "all.csv", NULL);
  g_autofree char *csv = NULL;
  g_assert_true(g_file_get_contents(path, &csv, NULL, NULL));
  g_assert_cmpstr(csv, ==, f->output);
  g_assert_true(g_str_has_prefix(csv, "# scenario: a\n# title: t\n"));
  const char *first = strstr(csv, "\nt,1,native,"), *second = strstr(csv, "\nt,2,native,");
  const char *third = strstr(csv, "\nt,3,native,");
  g_assert_true(first != NULL && second > first && third > second);
  cli_shell_expect(f, 2, "iwarpsim export all.sqlite --csv none/all.csv");
  g_assert_true(g_str_has_prefix(f->errors, "none/all.csv: "));
  cli_shell_expect(f, 1, "iwarpsim export all.sqlite > /dev/full");
  g_assert_cmpstr(f->errors, ==, "iwarpsim: standard output cannot be written: No space left on device\n");
}

/* What cannot be joined leaves nothing over, not even the store that was to be made. */
SHELL_TEST(test_refused)
{
  cli_shell_expect(f, 2,
                   "sed s/1KiB/2KiB/ a.cfg > b.cfg && iwarpsim sweep b.cfg --quiet --store 3.sqlite &&"
                   "iwarpsim merge 1.sqlite 3.sqlite -o all.sqlite");
  cli_shell_expect_errors(
      f, "3.sqlite: holds runs of another text of the scenario 'a' (- 1.sqlite, + 3.sqlite):\n"
         "  - 2: workload: { message_size = \"1KiB\"; messages = 1; };\n"
         "  + 2: workload: { message_size = \"2KiB\"; messages = 1; };\n");
  cli_shell_expect(f, 0, "ls");
  g_assert_cmpstr(f->output, ==, "1.sqlite\n2.sqlite\n3.sqlite\na.cfg\nb.cfg\n");
  cli_shell_expect(f, 0, "iwarpsim merge --mix 1.sqlite 3.sqlite -o all.sqlite");
  cli_shell_expect(f, 2, "cp 1.sqlite before.sqlite; iwarpsim merge none.sqlite 2.sqlite -o 1.sqlite");
  g_assert_true(g_str_has_prefix(f->errors, "none.sqlite: "));
  cli_shell_expect(f, 0, "iwarpsim export before.sqlite > 1.csv; iwarpsim export 1.sqlite | cmp - 1.csv");
}

SHELL_TEST(test_usage)
{
  cli_shell_expect(f, 2, "iwarpsim merge -o all.sqlite");
  EXPECT_PARTS(f->errors, "at least one STORE is needed");
  cli_shell_expect(f, 2, "iwarpsim merge 1.sqlite");
  EXPECT_PARTS(f->errors, "-o FILE is needed");
  cli_shell_expect(f, 2, "iwarpsim merge 1.sqlite -o none/all.sqlite");
  g_assert_true(g_str_has_prefix(f->errors, "none/all.sqlite: "));
}
