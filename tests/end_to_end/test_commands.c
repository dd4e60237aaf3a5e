/* SPDX-License-Identifier: GPL-2.0-only */
/* The program as a user meets it: outputs that are equal run for run, mistakes reported with file and line,
 * nothing written. */
#include <string.h>

#include "cli_shell.h"
#include "test.h"

/* summary.json of a folder without the one line that has the wall time. */
static char *summary_without_wall(const cli_shell *f, const char *folder)
{
  g_autofree char *name = g_build_filename(folder, "summary.json", NULL);
  g_autofree char *text = cli_shell_read(f, name);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GString *rest = g_string_new(NULL);

  for (char **line = lines; *line; line++) {
    if (!strstr(*line, "\"time.wall_s\"")) {
      g_string_append_printf(rest, "%s\n", *line);
    }
  }
  g_assert_cmpuint(strlen(text) - rest->len, <, 60); /* one line of it is missing, and not more */
  return g_string_free(rest, FALSE);
}

static void expect_same_summary(const cli_shell *f, const char *a, const char *b)
{
  g_autofree char *first = summary_without_wall(f, a), *second = summary_without_wall(f, b);

  g_assert_cmpstr(first, ==, second);
}

#define FIXTURE_TEST(name) TEST_WITH(cli_shell, "*", cli_shell_set_up, cli_shell_tear_down, name)

/* Another seed loses other packets. */
FIXTURE_TEST(test_same_seed_same_octets)
{
  cli_shell_expect_all(
      f, 0,
      "run() { iwarpsim run \"$SCENARIOS/one-loss-in-order.cfg\" --set path.forward.loss=0.5% "
      "--pcap --quiet --out $1 --set run.seed=$2; }; run a 7 && run b 7 && run c 8",
      "", "");
  expect_same_summary(f, "a", "b");
  cli_shell_expect(f, 0,
                   "for file in occupancy.csv sender.pcap receiver.pcap; do "
                   "cmp a/$file b/$file && ! cmp -s a/$file c/$file || exit 1; done");
}

/* Where a run is started from leaves no trace, whatever the way to its scenario. */
FIXTURE_TEST(test_any_folder_same_octets)
{
  cli_shell_write(f, "a.cfg", "workload: { messages = 2; };\n");
  cli_shell_expect(f, 0,
                   "iwarpsim run a.cfg --out one --quiet && cp -r one first && "
                   "iwarpsim run \"$PWD/a.cfg\" --out one --quiet");
  expect_same_summary(f, "first", "one");
}

typedef struct mistake {
  const char *what;
  const char *contents;    /* of the scenario; NULL: the file is missing */
  const char *set;         /* --set; NULL: none */
  const char *expected[3]; /* all in what is printed */
} mistake;

static const mistake mistakes[] = {
    {"unknown key",
     "title = \"x\";\npath: { forward: { los = \"1%\"; }; };\n",
     NULL,
     {"bad.cfg:2:", "los", "path.forward.loss"}},
    {"unknown group", "wrkload: { messages = 3; };\n", NULL, {"bad.cfg:1:", "wrkload", "workload"}},
    {"wrong unit",
     "path: { forward: {\n  delay = \"25Gbit/s\"; }; };\n",
     NULL,
     {"bad.cfg:2:", "path.forward.delay", "us"}},
    {"out of range",
     "\n\npath: { forward: { mtu = 70000; }; };\n",
     NULL,
     {"bad.cfg:3:", "path.forward.mtu", "65535"}},
    {"wraps in 32 bits", "run: { seed = 5000000000; };\n", NULL, {"bad.cfg:1:", "5000000000", ""}},
    {"duplicate key", "mpa: { crc = true;\n crc = false; };\n", NULL, {"bad.cfg:2:", "uplicate", ""}},
    {"wrong word", "receiver: { mode = \"inorder\"; };\n", NULL, {"bad.cfg:1:", "inorder", "in-order"}},
    {"not the syntax", "title = ;\n", NULL, {"bad.cfg:1:", "syntax", ""}},
    {"missing file", NULL, NULL, {"bad.cfg", "No such file", ""}},
    {"--set of an unknown key",
     "title = \"x\";\n",
     "path.forward.rat=1Gbit/s",
     {"--set", "path.forward.rat", "path.forward.rate"}},
    {"--set without a value", "title = \"x\";\n", "run.seed", {"--set", "run.seed", ""}},
    {"--set out of range",
     "title = \"x\";\n",
     "workload.connections=0",
     {"--set", "workload.connections", "1"}},
    {"contradiction",
     "middlebox: { mode = \"rechunk\"; chunk = 3000; };\n",
     NULL,
     {"bad.cfg:1:", "middlebox.chunk", ""}},
};

FIXTURE_TEST(test_mistakes)
{
  for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    const mistake *m = &mistakes[i];
    g_autofree char *line = g_strdup_printf("iwarpsim run \"$PWD/bad.cfg\" --out out%s%s",
                                            m->set ? " --set " : "", m->set ? m->set : "");

    g_test_message("%s", m->what);
    cli_shell_expect(f, 0, "rm -f bad.cfg");
    if (m->contents) {
      cli_shell_write(f, "bad.cfg", m->contents);
    }
    cli_shell_expect(f, 2, line);
    for (size_t j = 0; j < G_N_ELEMENTS(m->expected); j++) {
      cli_shell_expect_errors(f, m->expected[j]);
    }
    cli_shell_expect(f, 0, "! test -e out");
  }
}

/* A run that fails its own checks exits 1, prints why, and leaves its summary. */
FIXTURE_TEST(test_failed_run)
{
  cli_shell_expect(
      f, 1,
      "iwarpsim run \"$SCENARIOS/lossless.cfg\" --set path.forward.loss=100% --set tcp.retries=2 "
      "--out out --quiet");
  cli_shell_expect_errors(f, "tcp.retries");
  cli_shell_expect(f, 0, "grep -q '\"status\": \"failed\"' out/summary.json");
}

/* A folder cannot be read as a file, not even by root. */
FIXTURE_TEST(test_unreadable_file)
{
  cli_shell_expect(f, 2, "iwarpsim check \"$PWD\"");
  cli_shell_expect_errors(f, f->folder);
}

/* Every scenario begins with its question, checks without a message, and runs to the end that it expects. */
FIXTURE_TEST(test_shipped_scenarios)
{
  cli_shell_expect_all(
      f, 0,
      "set -e; set -- \"$SCENARIOS\"/*.cfg; test $# -ge 10; for file; do "
      "head -1 \"$file\" | grep -q '^# Question: '; check=$(iwarpsim check --quiet \"$file\"); "
      "test -z \"$check\"; "
      "iwarpsim run \"$file\" --engine native --quiet --out out >/dev/null; done",
      "", "");
}

static guint count_rows(const char *csv)
{
  guint rows = 0;
  g_auto(GStrv) lines = g_strsplit(csv, "\n", -1);

  for (char **line = lines; *line; line++) {
    rows += **line != '\0' && **line != '#';
  }
  return rows - 1; /* the names of the columns */
}

/* A sweep, the same again (nothing to do), its table and its plot. */
FIXTURE_TEST(test_sweep_export_plot)
{
  cli_shell_write(f, "small.cfg",
                  "workload: { messages = 4; };\n"
                  "sweep = ( { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; },\n"
                  "          { key = \"run.seed\"; from = 1; to = 2; } );\n");
  cli_shell_expect(
      f, 0, "iwarpsim sweep small.cfg --store small.sqlite -j 2 >/dev/null && iwarpsim export small.sqlite");
  g_assert_cmpuint(count_rows(f->output), ==, 4);
  g_autofree char *first = g_strdup(f->output);
  cli_shell_expect(
      f, 0, "iwarpsim sweep small.cfg --store small.sqlite -j 2 >/dev/null && iwarpsim export small.sqlite");
  g_assert_cmpstr(f->output, ==, first); /* wall times included: no run was repeated */
  cli_shell_expect(f, 0, "iwarpsim plot small.sqlite --out plots");
  cli_shell_expect_output(f, ".png");
}
