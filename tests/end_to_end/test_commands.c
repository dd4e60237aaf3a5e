/* SPDX-License-Identifier: GPL-2.0-only */
/* The program as a user meets it: outputs equal run for run, mistakes answered with file and line, nothing written. */
#include <glib/gstdio.h>
#include <string.h>

#include "run_kit.h"

static char *scenario_file(const char *name)
{
  return g_build_filename(g_getenv("SCENARIOS"), name, NULL);
}

/* summary.json without the one line that tells wall time. */
static char *summary_without_wall(const char *folder)
{
  char *text = run_kit_read(folder, "summary.json", NULL);
  GString *rest = g_string_new(NULL);
  char **lines = g_strsplit(text, "\n", -1);

  for (char **line = lines; *line; line++) {
    if (!strstr(*line, "\"time.wall_s\"")) {
      g_string_append_printf(rest, "%s\n", *line);
    }
  }
  g_assert_cmpuint(strlen(text) - rest->len, <, 60); /* one line of it is missing, and not more */
  g_strfreev(lines);
  g_free(text);
  return g_string_free(rest, FALSE);
}

static void run_into(const char *folder, const char *path, const char *seed)
{
  const char *arguments[] = {"run",    path,    "--set", seed,      "--set", "path.forward.loss=0.5%",
                             "--pcap", "--out", folder,  "--quiet", NULL};
  char *output;
  char *errors;

  g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, arguments, &output, &errors), ==, 0);
  g_assert_cmpstr(output, ==, "");
  g_assert_cmpstr(errors, ==, "");
  g_free(output);
  g_free(errors);
}

static gboolean same_file(const char *a, const char *b, const char *name)
{
  gsize length_a;
  gsize length_b;
  char *in_a = run_kit_read(a, name, &length_a);
  char *in_b = run_kit_read(b, name, &length_b);
  gboolean same = length_a == length_b && memcmp(in_a, in_b, length_a) == 0;

  g_free(in_a);
  g_free(in_b);
  return same;
}

static void test_same_seed_same_octets(void)
{
  static const char *const files[] = {"occupancy.csv", "sender.pcap", "receiver.pcap"};
  char *path = scenario_file("one-loss-in-order.cfg");
  char *folders[3];

  for (int i = 0; i < 3; i++) {
    folders[i] = run_kit_new_folder();
    run_into(folders[i], path, i < 2 ? "run.seed=7" : "run.seed=8");
  }
  char *first = summary_without_wall(folders[0]);
  char *second = summary_without_wall(folders[1]);
  g_assert_cmpstr(first, ==, second);
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_assert_true(same_file(folders[0], folders[1], files[i]));
    g_assert_false(same_file(folders[0], folders[2], files[i])); /* another seed loses other packets */
  }
  for (int i = 0; i < 3; i++) {
    run_kit_remove_folder(folders[i]);
  }
  g_free(first);
  g_free(second);
  g_free(path);
}

/* Where a run is started from leaves no trace, whatever the way to its scenario. */
static void test_any_folder_same_octets(void)
{
  char *folder = run_kit_new_folder();
  char *path = g_build_filename(folder, "a.cfg", NULL);
  const char *const here[] = {"run", "a.cfg", "--out", "one", "--quiet", NULL};
  const char *const there[] = {"run", path, "--out", "one", "--quiet", NULL};
  char *out = g_build_filename(folder, "one", NULL);

  g_assert_true(g_file_set_contents(path, "workload: { messages = 2; };\n", -1, NULL));
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, here, NULL, NULL), ==, 0);
  char *first = summary_without_wall(out);
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, there, NULL, NULL), ==, 0);
  char *second = summary_without_wall(out);
  g_assert_cmpstr(first, ==, second);
  g_free(first);
  g_free(second);
  g_free(path);
  run_kit_remove_folder(out);
  run_kit_remove_folder(folder);
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

static void test_mistakes(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    const mistake *m = &mistakes[i];
    char *folder = run_kit_new_folder();
    char *path = g_build_filename(folder, "bad.cfg", NULL);
    char *out = g_build_filename(folder, "out", NULL);
    const char *arguments[] = {"run", path, "--out", out, m->set ? "--set" : NULL, m->set, NULL};
    char *errors;

    g_test_message("%s", m->what);
    if (m->contents) {
      g_assert_true(g_file_set_contents(path, m->contents, -1, NULL));
    }
    g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, arguments, NULL, &errors), ==, 2);
    for (size_t j = 0; j < G_N_ELEMENTS(m->expected); j++) {
      if (!strstr(errors, m->expected[j])) {
        g_error("%s: '%s' is not in: %s", m->what, m->expected[j], errors);
      }
    }
    g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
    g_free(errors);
    g_free(out);
    g_free(path);
    run_kit_remove_folder(folder);
  }
}

/* A run that fails its own checks exits 1, says why, and leaves its summary. */
static void test_failed_run(void)
{
  char *folder = run_kit_new_folder();
  char *path = scenario_file("lossless.cfg");
  const char *arguments[] = {
      "run",  path,      "--set", "path.forward.loss=100%", "--set", "tcp.retries=2", "--out",
      folder, "--quiet", NULL};
  char *errors;

  g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, arguments, NULL, &errors), ==, 1);
  g_assert_nonnull(strstr(errors, "tcp.retries"));
  char *page = run_kit_read(folder, "summary.json", NULL);
  g_assert_nonnull(strstr(page, "\"status\": \"failed\""));
  g_free(page);
  g_free(errors);
  g_free(path);
  run_kit_remove_folder(folder);
}

static void test_unreadable_file(void)
{
  char *folder = run_kit_new_folder(); /* a folder cannot be read as a file, not even by root */
  const char *arguments[] = {"check", folder, NULL};
  char *errors;

  g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, arguments, NULL, &errors), ==, 2);
  g_assert_nonnull(strstr(errors, folder));
  g_free(errors);
  run_kit_remove_folder(folder);
}

/* Every scenario begins with its question, checks without a word, and runs to the end that it expects. */
static void test_shipped_scenarios(void)
{
  GDir *dir = g_dir_open(g_getenv("SCENARIOS"), 0, NULL);
  char *folder = run_kit_new_folder();
  const char *name;
  guint count = 0;

  g_assert_nonnull(dir);
  while ((name = g_dir_read_name(dir)) != NULL) {
    if (!g_str_has_suffix(name, ".cfg")) {
      continue; /* the presets, which other scenarios include */
    }
    char *path = scenario_file(name);
    const char *check[] = {"check", "--quiet", path, NULL};
    const char *run[] = {"run", path, "--engine", "native", "--quiet", "--out", folder, NULL};
    char *text, *said, *errors;

    g_test_message("%s", name);
    g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, check, &said, NULL), ==, 0);
    g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, run, NULL, &errors), ==, 0);
    g_assert_cmpstr(said, ==, "");
    g_assert_cmpstr(errors, ==, "");
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_true(g_str_has_prefix(text, "# Question: "));
    count++;
    g_free(text);
    g_free(said);
    g_free(errors);
    g_free(path);
  }
  g_assert_cmpuint(count, >=, 10);
  g_dir_close(dir);
  run_kit_remove_folder(folder);
}

static guint count_rows(const char *csv)
{
  guint rows = 0;
  char **lines = g_strsplit(csv, "\n", -1);

  for (char **line = lines; *line; line++) {
    rows += **line != '\0' && **line != '#';
  }
  g_strfreev(lines);
  return rows - 1; /* the names of the columns */
}

/* A sweep, the same again (nothing to do), its table and its plot. */
static void test_sweep_export_plot(void)
{
  char *folder = run_kit_new_folder();
  char *path = g_build_filename(folder, "small.cfg", NULL);
  char *store = g_build_filename(folder, "small.sqlite", NULL);
  char *plots = g_build_filename(folder, "plots", NULL);
  const char *sweep[] = {"sweep", path, "--store", store, "-j", "2", NULL};
  const char *export[] = {"export", store, NULL};
  const char *plot[] = {"plot", store, "--out", plots, NULL};
  char *output;
  char *again;

  g_assert_true(
      g_file_set_contents(path,
                          "workload: { messages = 4; };\n"
                          "sweep = ( { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; },\n"
                          "          { key = \"run.seed\"; from = 1; to = 2; } );\n",
                          -1, NULL));
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, sweep, NULL, NULL), ==, 0);
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, export, &output, NULL), ==, 0);
  g_assert_cmpuint(count_rows(output), ==, 4);
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, sweep, NULL, NULL), ==, 0);
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, export, &again, NULL), ==, 0);
  g_assert_cmpstr(output, ==, again); /* wall times included: no run was repeated */
  g_free(output);
  g_assert_cmpint(run_kit_spawn("IWARPSIM", folder, plot, &output, NULL), ==, 0);
  char *png = strstr(output, ".png");
  g_assert_nonnull(png);
  g_free(output);
  g_free(again);
  g_free(plots);
  g_free(store);
  g_free(path);
  run_kit_remove_folder(folder);
}

static void test_help(void)
{
  static const char *const commands[] = {"run", "sweep", "plot", "check", "explain", "export"};
  const char *help[] = {"--help", NULL};
  char *output;

  g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, help, &output, NULL), ==, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
    const char *one[] = {commands[i], "--help", NULL};
    char *usage;
    g_assert_nonnull(strstr(output, commands[i]));
    g_assert_cmpint(run_kit_spawn("IWARPSIM", NULL, one, &usage, NULL), ==, 0);
    g_assert_nonnull(strstr(usage, "--quiet"));
    g_free(usage);
  }
  g_free(output);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/commands/same-seed-same-octets", test_same_seed_same_octets);
  g_test_add_func("/commands/any-folder-same-octets", test_any_folder_same_octets);
  g_test_add_func("/commands/mistakes", test_mistakes);
  g_test_add_func("/commands/failed-run", test_failed_run);
  g_test_add_func("/commands/unreadable-file", test_unreadable_file);
  g_test_add_func("/commands/shipped-scenarios", test_shipped_scenarios);
  g_test_add_func("/commands/sweep-export-plot", test_sweep_export_plot);
  g_test_add_func("/commands/help", test_help);
  return g_test_run();
}
