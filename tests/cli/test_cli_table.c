/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim table`, by its command line: what it prints, refuses and writes. */
#include <string.h>
#include <sys/wait.h>

#include "store_kit.h"

static const char *program;

typedef struct outcome {
  int status;
  char *output;
  char *errors;
} outcome;

static void outcome_clear(outcome *o)
{
  g_free(o->output);
  g_free(o->errors);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(outcome, outcome_clear)

/* Runs "iwarpsim table STORE `options`", which stand in single words with blanks between; NULL: without a store. */
static outcome run_table(const store_kit *kit, const char *options)
{
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) words = g_strsplit(options, " ", -1);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_ptr_array_add(arguments, (gpointer)program);
  g_ptr_array_add(arguments, (gpointer) "table");
  g_ptr_array_add(arguments, kit->path);
  for (gsize i = 0; words[i] != NULL; i++) {
    if (*words[i] != '\0') {
      g_ptr_array_add(arguments, words[i]);
    }
  }
  g_ptr_array_add(arguments, NULL);
  outcome o;
  int status;
  g_spawn_sync(kit->folder, (char **)arguments->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &o.output,
               &o.errors, &status, &error);
  g_assert_no_error(error);
  g_assert_true(WIFEXITED(status));
  o.status = WEXITSTATUS(status);
  return o;
}

static void expect_part(const char *text, const char *part)
{
  if (strstr(text, part) == NULL) {
    g_error("'%s' is not in '%s'", part, text);
  }
}

static void expect_refused(const store_kit *kit, const char *options, int status, const char *part)
{
  g_auto(outcome) o = run_table(kit, options);
  expect_part(o.errors, part);
  g_assert_cmpstr(o.output, ==, "");
  g_assert_cmpint(o.status, ==, status);
}

static void set_up(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  store_kit_set_up(kit, "receiver.mode\nrun.seed");
  store_kit_add(kit, "receiver.mode=in-order run.seed=1", "buffer.reassembly_peak_octets=4 tcp.timeouts=1");
  store_kit_add(kit, "receiver.mode=in-order run.seed=2", "buffer.reassembly_peak_octets=6");
  store_kit_add(kit, "receiver.mode=out-of-order run.seed=1", "buffer.reassembly_peak_octets=1");
  store_kit_add(kit, "receiver.mode=out-of-order run.seed=2", "buffer.reassembly_peak_octets=2");
}

static void tear_down(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  store_kit_tear_down(kit);
}

/* {4, 6}: s = sqrt(2), t(0.975, 1) = 12.7062: 12.7062 * sqrt(2) / sqrt(2) = 12.7. The five quantities a reader asks for first. */
static void test_defaults(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_auto(outcome) o = run_table(kit, "");
  g_assert_cmpstr(o.errors, ==, "");
  g_assert_cmpint(o.status, ==, 0);
  expect_part(o.output, "A question\nscenario a, seeds 1–2, iwarpsim 0.1.0\n4 runs at 2 points\n");
  expect_part(o.output, "in-order       2  1!   5      13");
  expect_part(o.output, "\nbuffer.reassembly_peak_octets in octets\n");
  expect_part(o.output, "\nbuffer.reassembly_p99_octets: no run has it\n");
  expect_part(o.output, "\nplacement.octets_direct/placement.octets: no run has it\n");
  expect_part(o.output, "\ngoodput_bit_per_s: no run has it\n");
  expect_part(o.output, "\ntcp.timeouts in timeouts\n");
}

static void test_leave_out(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_auto(outcome) o = run_table(kit, "--leave-out timeouts --metric buffer.reassembly_peak_octets");
  g_assert_cmpint(o.status, ==, 0);
  expect_part(o.output, "3 runs at 2 points; 1 of 4 runs left out (timeouts)\n");
  expect_part(o.output, "in-order       1   6         -");
  g_assert_null(strstr(o.output, "!"));
  g_assert_null(strstr(o.output, "goodput"));
}

/* The pairs of seeds 1 and 2: 4 - 1 and 6 - 2. */
static void test_pair(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_auto(outcome) o = run_table(
      kit,
      "--pair receiver.mode=in-order,out-of-order --metric buffer.reassembly_peak_octets --csv out.csv -q");
  g_assert_cmpstr(o.errors, ==, "");
  g_assert_cmpstr(o.output, ==, "");
  g_assert_cmpint(o.status, ==, 0);
  g_autofree char *path = g_build_filename(kit->folder, "out.csv", NULL);
  g_autofree char *csv = NULL;
  g_assert_true(g_file_get_contents(path, &csv, NULL, NULL));
  expect_part(csv, "# differences: receiver.mode: in-order minus out-of-order\n");
  expect_part(csv, "\nbuffer.reassembly_peak_octets,octets,2,1,3.5,");
}

static void test_refusals(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  expect_refused(kit, "another.sqlite", 2, "one STORE is needed, 2 were given");
  expect_refused(kit, "--metric tcp.timeout", 2, "did you mean 'tcp.timeouts'?");
  expect_refused(kit, "--metric tcp.timeouts/nothing", 2, "'nothing' is no metric");
  expect_refused(kit, "--pair receiver.mod=a,b", 2, "did you mean 'receiver.mode'?");
  expect_refused(kit, "--pair receiver.mode=in-order,assume-aligned", 2,
                 "no run has receiver.mode = assume-aligned; expected two of in-order, out-of-order");
  expect_refused(kit, "--leave-out timeout", 2, "did you mean timeouts?");
  expect_refused(kit, "--csv no/such/folder/out.csv", 2, "no/such/folder/out.csv");
}

/* Nothing to tabulate is said of the file by name, and is no table without rows. */
static void test_nothing_left(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  store_kit_sql(kit, "DELETE FROM runs");
  expect_refused(kit, "", 2, "a.sqlite: the store holds no runs");
  store_kit_add_status(kit, "run.seed=5", "", RUN_FAILED);
  expect_refused(kit, "", 2, "a.sqlite: none of the store's 1 run is left: 1 of 1 run did not end ok");
  store_kit_add(kit, "run.seed=6", "tcp.timeouts=3");
  expect_refused(kit, "--leave-out timeouts", 2,
                 "1 of 2 runs left out (timeouts); 1 of 2 runs did not end ok");
}

static void test_no_store(store_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_free(kit->path);
  kit->path = g_build_filename(kit->folder, "missing.sqlite", NULL);
  expect_refused(kit, "", 2, "missing.sqlite");
  g_free(kit->path);
  kit->path = g_build_filename(kit->folder, "a.cfg", NULL);
  expect_refused(kit, "", 2, "a.cfg");
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*function)(store_kit *, gconstpointer);
  } tests[] = {
      {"/cli_table/defaults", test_defaults},
      {"/cli_table/leave_out", test_leave_out},
      {"/cli_table/pair", test_pair},
      {"/cli_table/refusals", test_refusals},
      {"/cli_table/nothing_left", test_nothing_left},
      {"/cli_table/no_store", test_no_store},
  };
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(argc, ==, 2);
  g_autofree char *absolute = g_canonicalize_filename(argv[1], NULL); /* it runs in other folders */
  program = absolute;
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, store_kit, NULL, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
