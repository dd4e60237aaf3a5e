/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim table`, by its command line: what it prints, refuses and writes. */
#include <string.h>

#include "cli_shell.h"
#include "study_fixture.h"

typedef struct fixture {
  store_fixture kit;
  cli_shell shell;
} fixture;

/* Runs "iwarpsim table STORE `options`", which must end with `status`. */
static void run_table(fixture *f, int status, const char *options)
{
  g_autofree char *line = g_strdup_printf("iwarpsim table '%s' %s", f->kit.path, options);

  cli_shell_expect(&f->shell, status, line);
}

static void expect_refused(fixture *f, const char *options, const char *part)
{
  run_table(f, 2, options);
  EXPECT_PARTS(f->shell.errors, part);
  g_assert_cmpstr(f->shell.output, ==, "");
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  store_fixture *kit = &f->kit;

  cli_shell_open(&f->shell);
  store_fixture_set_up(kit, "receiver.mode\nrun.seed");
  store_fixture_add(kit, "receiver.mode=in-order run.seed=1",
                    "buffer.reassembly_peak_octets=4 tcp.timeouts=1");
  store_fixture_add(kit, "receiver.mode=in-order run.seed=2", "buffer.reassembly_peak_octets=6");
  store_fixture_add(kit, "receiver.mode=out-of-order run.seed=1", "buffer.reassembly_peak_octets=1");
  store_fixture_add(kit, "receiver.mode=out-of-order run.seed=2", "buffer.reassembly_peak_octets=2");
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  store_fixture_tear_down(&f->kit, NULL);
  cli_shell_close(&f->shell, "out.csv");
}

#define TABLE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* {4, 6}: s = sqrt(2), t(0.975, 1) = 12.7062: 12.7062 * sqrt(2) / sqrt(2) = 12.7. The five quantities a
 * reader asks for first. */
TABLE_TEST(test_defaults)
{
  run_table(f, 0, "");
  g_assert_cmpstr(f->shell.errors, ==, "");
  EXPECT_PARTS(f->shell.output, "A question\nscenario a, seeds 1–2, iwarpsim 0.1.0\n4 runs at 2 points\n",
               "in-order       2  1!   5      13", "\nbuffer.reassembly_peak_octets in octets\n",
               "\nbuffer.reassembly_p99_octets: no run has it\n",
               "\nplacement.octets_direct/placement.octets: no run has it\n",
               "\ngoodput_bit_per_s: no run has it\n", "\ntcp.timeouts in timeouts\n");
}

TABLE_TEST(test_exclude)
{
  run_table(f, 0, "--leave-out timeouts --metric buffer.reassembly_peak_octets");
  EXPECT_PARTS(f->shell.output, "3 runs at 2 points; 1 of 4 runs left out (timeouts)\n",
               "in-order       1   6         -");
  g_assert_null(strstr(f->shell.output, "!"));
  g_assert_null(strstr(f->shell.output, "goodput"));
}

/* The pairs of seeds 1 and 2: 4 - 1 and 6 - 2. */
TABLE_TEST(test_pair)
{
  run_table(
      f, 0,
      "--pair receiver.mode=in-order,out-of-order --metric buffer.reassembly_peak_octets --csv out.csv -q");
  g_assert_cmpstr(f->shell.errors, ==, "");
  g_assert_cmpstr(f->shell.output, ==, "");
  g_autofree char *csv = cli_shell_read(&f->shell, "out.csv");
  EXPECT_PARTS(csv, "# differences: receiver.mode: in-order minus out-of-order\n",
               "\nbuffer.reassembly_peak_octets,octets,2,1,3.5,");
}

TABLE_TEST(test_refusals)
{
  expect_refused(f, "another.sqlite", "one STORE is needed, 2 were given");
  expect_refused(f, "--metric tcp.timeout", "did you mean 'tcp.timeouts'?");
  expect_refused(f, "--metric tcp.timeouts/nothing", "'nothing' is no metric");
  expect_refused(f, "--pair receiver.mod=a,b", "did you mean 'receiver.mode'?");
  expect_refused(f, "--pair receiver.mode=in-order,assume-aligned",
                 "no run has receiver.mode = assume-aligned; expected two of in-order, out-of-order");
  expect_refused(f, "--leave-out timeout", "did you mean timeouts?");
  expect_refused(f, "--csv no/such/folder/out.csv", "no/such/folder/out.csv");
}

/* Nothing to tabulate is said of the file by name, and is no table without rows. */
TABLE_TEST(test_nothing_left)
{
  store_fixture_sql(&f->kit, "DELETE FROM runs");
  expect_refused(f, "", "a.sqlite: the store holds no runs");
  store_fixture_add_status(&f->kit, "run.seed=5", "", RUN_FAILED);
  expect_refused(f, "", "a.sqlite: none of the store's 1 run is left: 1 of 1 run did not end ok");
  store_fixture_add(&f->kit, "run.seed=6", "tcp.timeouts=3");
  expect_refused(f, "--leave-out timeouts", "1 of 2 runs left out (timeouts); 1 of 2 runs did not end ok");
}

TABLE_TEST(test_no_store)
{
  g_free(f->kit.path);
  f->kit.path = g_build_filename(f->kit.folder, "missing.sqlite", NULL);
  expect_refused(f, "", "missing.sqlite");
  g_free(f->kit.path);
  f->kit.path = g_build_filename(f->kit.folder, "a.cfg", NULL);
  expect_refused(f, "", "a.cfg");
}
