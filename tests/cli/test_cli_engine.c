/* SPDX-License-Identifier: GPL-2.0-only */
/* Which engine a scenario runs on: auto, and a program that has ns-3, has lost it, or was built without
 * it. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

typedef struct fixture {
  cli_shell shell;
  char *strange; /* the folder of a module of another build */
} fixture;

#define SMALL "workload: { message_size = \"1KiB\"; messages = 1; };\n"
#define CHAIN "topology: { medium = \"csma\"; };\n"

/* Runs a line of the shell in the folder, which must end with `status`; "$0" is the program, "$1" the strange
 * folder. */
static void expect(fixture *f, int status, const char *line)
{
  g_autofree char *whole = g_strdup_printf("set -- '%s'; %s", f->strange, line);
  cli_shell_expect(&f->shell, status, whole);
}

static void write_scenario(const fixture *f, const char *text)
{
  cli_shell_write(&f->shell, "a.cfg", text);
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  cli_shell_open(&f->shell);
  f->strange = g_canonicalize_filename(g_getenv("STRANGE_MODULE"), NULL);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  cli_shell_close(&f->shell, "a.cfg a.sqlite r alone");
  g_free(f->strange);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Runs `text` and expects to read that it ran on `engine` for `reason`. */
static void expect_engine(fixture *f, const char *text, const char *engine, const char *reason)
{
  g_autofree char *in_json = g_strdup_printf("\"engine_reason\": \"%s\"", reason);
  g_autofree char *on_page = g_strdup_printf("%s)\n", reason);
  g_autofree char *engine_in_json = g_strdup_printf("\"engine\": \"%s\"", engine);
  g_autofree char *line = g_strdup_printf("  engine     %s (", engine);

  write_scenario(f, text);
  expect(f, 0, "\"$0\" run a.cfg --out r && cat r/summary.json");
  EXPECT_PARTS(f->shell.output, line, on_page, engine_in_json, in_json);
  /* A library that took no part is not named. */
  g_assert_true((strstr(f->shell.output, "\"ns-3\":") != NULL) == g_str_equal(engine, "ns3"));
}

FIXTURE_TEST(test_auto)
{
  expect_engine(f, SMALL, "native", "auto: nothing needs ns-3");
  expect_engine(f, SMALL "run: { engine = \"native\"; };", "native", "run.engine = native");
}

FIXTURE_TEST(test_needs)
{
  if (!HAS_NS3) {
    g_test_skip("built without ns-3");
    return;
  }
  expect_engine(f, SMALL CHAIN, "ns3", "auto: topology.medium = csma needs ns-3");
  expect_engine(f, SMALL "tcp: { implementation = \"ns3\"; };", "ns3",
                "auto: tcp.implementation = ns3 needs ns-3");
  expect_engine(f, SMALL "run: { engine = \"ns3\"; };", "ns3", "run.engine = ns3");
}

/* A run that does not need ns-3 has none of its libraries to load. */
FIXTURE_TEST(test_native_loads_nothing)
{
  expect(f, 0, "LD_TRACE_LOADED_OBJECTS=1 \"$0\"");
  EXPECT_PARTS(f->shell.output, "libglib");
  g_assert_null(strstr(f->shell.output, "libns3"));
}

/* What `run`, `check` and `sweep` of a scenario that needs ns-3 say: `problem`, and nothing is run. */
static void expect_problem(fixture *f, const char *program, const char *problem)
{
  static const char *const commands[] = {"run a.cfg --out r", "check a.cfg", "sweep a.cfg --store a.sqlite"};

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *line = g_strdup_printf("%s %s", program, commands[i]);
    expect(f, 2, line);
    g_assert_cmpstr(f->shell.output, ==, "");
    g_assert_true(g_str_has_prefix(f->shell.errors, "a.cfg:2: topology.medium = csma needs ns-3, "));
    EXPECT_PARTS(f->shell.errors, problem, "; expected none");
  }
  expect(f, 0, "ls");
  g_assert_null(strstr(f->shell.output, "a.sqlite"));
}

/* The executable alone in a folder, as one that was copied somewhere, or whose libns3 was removed since. */
FIXTURE_TEST(test_missing_module)
{
  write_scenario(f, SMALL CHAIN);
  expect(f, 0, "mkdir alone && cp \"$0\" alone/");
  expect_problem(f, "env -u IWARPSIM_MODULES alone/iwarpsim",
                 HAS_NS3 ? "/alone/iwarpsim-ns3.so: cannot open shared object file"
                         : "this iwarpsim was built without it; ");
  write_scenario(f, SMALL);
  expect(f, 0, "env -u IWARPSIM_MODULES alone/iwarpsim run a.cfg --out r");
}

/* A module that is there and cannot be used. */
FIXTURE_TEST(test_unusable_module)
{
  if (!HAS_NS3) {
    g_test_skip("built without ns-3");
    return;
  }
  write_scenario(f, SMALL CHAIN);
  expect(f, 0, "mkdir alone && cp \"$0\" alone/ && echo no library >alone/iwarpsim-ns3.so");
  expect_problem(f, "env -u IWARPSIM_MODULES alone/iwarpsim", "which cannot be loaded: ");
  expect_problem(f, "IWARPSIM_MODULES=\"$1\" \"$0\"", "/iwarpsim-ns3.so: it was built with another iwarpsim");
}

/* Only the points that need ns-3 are refused; a grid of both is no scenario of this program. */
FIXTURE_TEST(test_points_of_a_sweep)
{
  write_scenario(f, SMALL "sweep = ( { key = \"topology.medium\";\n values = [\"none\", \"csma\"]; } );");
  expect(f, 2, "IWARPSIM_MODULES=/nonexistent \"$0\" sweep a.cfg --store a.sqlite");
  EXPECT_PARTS(f->shell.errors, "topology.medium = csma needs ns-3, ", "(point topology.medium=csma)");
  if (HAS_NS3) {
    expect(f, 0, "\"$0\" sweep a.cfg --store a.sqlite && \"$0\" export a.sqlite");
    EXPECT_PARTS(f->shell.output, "ns-3 3.");
  }
}

FIXTURE_TEST(test_sweep_names_no_library_in_vain)
{
  write_scenario(f, SMALL "sweep = ( { key = \"run.seed\"; values = [1, 2]; } );");
  expect(f, 0, "\"$0\" sweep a.cfg --store a.sqlite && \"$0\" export a.sqlite");
  EXPECT_PARTS(f->shell.output, "# libraries");
  g_assert_null(strstr(f->shell.output, "ns-3"));
}
