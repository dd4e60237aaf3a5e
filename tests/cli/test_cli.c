/* SPDX-License-Identifier: GPL-2.0-only */
/* The program itself: its options, exit codes, `check` and `explain`. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* One run of the program, in a folder of its own. */
typedef struct outcome {
  int status;
  char *output;
  char *errors;
} outcome;

typedef struct fixture {
  char *program;
  char *folder;
  outcome last;
} fixture;

static void forget(fixture *f)
{
  g_clear_pointer(&f->last.output, g_free);
  g_clear_pointer(&f->last.errors, g_free);
}

/* Runs the program with the arguments up to NULL. */
static void run(fixture *f, ...) G_GNUC_NULL_TERMINATED;

static void run(fixture *f, ...)
{
  GPtrArray *arguments = g_ptr_array_new();
  GError *error = NULL;
  va_list rest;
  int wait_status;

  forget(f);
  g_ptr_array_add(arguments, f->program);
  va_start(rest, f);
  do {
    g_ptr_array_add(arguments, va_arg(rest, char *));
  } while (arguments->pdata[arguments->len - 1] != NULL);
  va_end(rest);
  g_spawn_sync(f->folder, (char **)arguments->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &f->last.output,
               &f->last.errors, &wait_status, &error);
  g_assert_no_error(error);
  g_assert_true(WIFEXITED(wait_status));
  f->last.status = WEXITSTATUS(wait_status);
  g_ptr_array_unref(arguments);
}

/* Runs a line of the shell, in which the program is "$0". */
static void run_shell(fixture *f, const char *line)
{
  char *arguments[] = {(char *)"sh", (char *)"-c", (char *)line, f->program, NULL};
  int wait_status;

  forget(f);
  g_assert_true(g_spawn_sync(f->folder, arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &f->last.output,
                             &f->last.errors, &wait_status, NULL));
  g_assert_true(WIFEXITED(wait_status));
  f->last.status = WEXITSTATUS(wait_status);
}

static void assert_outcome(const fixture *f, int status, const char *output, const char *errors)
{
  g_assert_cmpstr(f->last.errors, ==, errors);
  g_assert_cmpstr(f->last.output, ==, output);
  g_assert_cmpint(f->last.status, ==, status);
}

static void assert_contains(const char *text, const char *part)
{
  if (strstr(text, part) == NULL) {
    g_error("'%s' is not in '%s'", part, text);
  }
}

static void write_file(const fixture *f, const char *name, const char *text)
{
  char *path = g_build_filename(f->folder, name, NULL);
  FILE *file = fopen(path, "w");

  g_assert_nonnull(file);
  fputs(text, file);
  fclose(file);
  g_free(path);
}

static const char *const commands[] = {"run",   "sweep",  "table",  "plot",  "report", "export",
                                       "merge", "decode", "replay", "check", "explain"};

/* --help is enough to start: what it is for, every command, an example. */
static void test_help(fixture *f, gconstpointer data)
{
  run(f, "--help", NULL);
  g_assert_cmpint(f->last.status, ==, 0);
  g_assert_cmpstr(f->last.errors, ==, "");
  assert_contains(f->last.output, "how much reassembly memory does an iWARP receiver need?");
  assert_contains(f->last.output, "Example");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    char *row = g_strdup_printf("\n  %s ", commands[i]);

    assert_contains(f->last.output, row);
    g_free(row);
  }
  (void)data;
}

/* --help, --version and --quiet everywhere. */
static void test_options_of_every_command(fixture *f, gconstpointer data)
{
  run(f, "--version", NULL);
  char *version = g_strdup(f->last.output);
  g_assert_true(g_str_has_prefix(version, "iwarpsim "));
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    run(f, commands[i], "--version", NULL);
    assert_outcome(f, 0, version, "");
    run(f, commands[i], "--help", NULL);
    g_assert_cmpint(f->last.status, ==, 0);
    assert_contains(f->last.output, "--quiet");
    assert_contains(f->last.output, "Example:");
    run(f, commands[i], "--quite", NULL);
    g_assert_cmpint(f->last.status, ==, 2);
    assert_contains(f->last.errors, "did you mean --quiet?");
    g_assert_cmpstr(f->last.output, ==, "");
  }
  g_free(version);
  (void)data;
}

static void test_no_such_command(fixture *f, gconstpointer data)
{
  run(f, "chekc", NULL);
  assert_outcome(f, 2, "",
                 "iwarpsim: unknown command 'chekc'; expected run, sweep, table, plot, report, export, "
                 "merge, decode, replay, check or explain (did you mean "
                 "'check'?)\n");
  run(f, "banana", NULL);
  assert_outcome(f, 2, "",
                 "iwarpsim: unknown command 'banana'; expected run, sweep, table, plot, report, export, "
                 "merge, decode, replay, check or explain\n");
  run(f, NULL);
  assert_outcome(f, 2, "",
                 "iwarpsim: no command; expected run, sweep, table, plot, report, export, merge, decode, "
                 "replay, check or "
                 "explain (see 'iwarpsim --help')\n");
  run(f, "--loud", "check", NULL);
  assert_outcome(f, 2, "", "iwarpsim: unknown option '--loud'; expected a command (see 'iwarpsim --help')\n");
  (void)data;
}

static void test_check_of_good_scenarios(fixture *f, gconstpointer data)
{
  write_file(f, "empty.cfg", "");
  write_file(f, "sweep.cfg",
             "sweep = ( { key = \"path.forward.mtu\"; values = [576, 1500]; }, { key = \"run.seed\"; from = "
             "1; to = 3; } );");
  write_file(f, "noted.cfg", "middlebox: { chunk = 5; };");
  run(f, "check", "empty.cfg", "sweep.cfg", "noted.cfg", NULL);
  assert_outcome(f, 0,
                 "empty.cfg: ok\nsweep.cfg: ok, a sweep of 6 points\nnoted.cfg: ok\n"
                 "noted.cfg: note: noted.cfg:1: middlebox.chunk has no effect while middlebox.mode is none\n",
                 "");
  write_file(f, "idle.cfg", "\nwhere = \"mpa.crc\";");
  run(f, "check", "idle.cfg", NULL);
  assert_outcome(f, 0,
                 "idle.cfg: ok, a sweep of 1 point\nidle.cfg: note: idle.cfg:2: where leaves out points of a "
                 "sweep, and there is no sweep\n",
                 "");
  run(f, "check", "--quiet", "empty.cfg", "sweep.cfg", "noted.cfg", NULL);
  assert_outcome(f, 0, "", "");
  run(f, "--quiet", "check", "noted.cfg", NULL);
  assert_outcome(f, 0, "", "");
  (void)data;
}

/* Every file is checked, and each bad one says the first thing that is wrong with it. */
static void test_check_of_bad_scenarios(fixture *f, gconstpointer data)
{
  write_file(f, "good.cfg", "");
  write_file(f, "bad.cfg", "mpa: {\n  markres = true;\n  crc = 5;\n};");
  write_file(f, "small.cfg", "path: { forward: { mtu = 176; }; };");
  run(f, "check", "bad.cfg", "missing.cfg", "small.cfg", "good.cfg", NULL);
  assert_outcome(
      f, 2, "good.cfg: ok\n",
      "bad.cfg:2: unknown key 'mpa.markres'; expected one of generation, markers, crc, startup_timeout, "
      "startup_close, silent_drop, assumed_emss, mulpdu in mpa (did you mean "
      "'mpa.markers'?)\n"
      "missing.cfg: cannot read it (No such file or directory); expected a scenario file\n"
      "small.cfg:1: path.forward.mtu = 176 is too small; expected at least 180: 40 octets of headers and 140 "
      "for "
      "the FPDU of a 128-octet ULPDU with markers\n");
  run(f, "check", NULL);
  assert_outcome(
      f, 2, "",
      "iwarpsim check: no scenario given; expected one or more files (see 'iwarpsim check --help')\n");
  (void)data;
}

/* A scenario that is fine but for one point of its sweep is not ok. */
static void test_check_looks_at_every_point(fixture *f, gconstpointer data)
{
  write_file(f, "point.cfg", "sweep = ( { key = \"path.forward.mtu\"; values = [1500, 176]; } );");
  run(f, "check", "point.cfg", NULL);
  g_assert_cmpint(f->last.status, ==, 2);
  g_assert_cmpstr(f->last.output, ==, "");
  g_assert_true(g_str_has_prefix(f->last.errors,
                                 "point.cfg:1: path.forward.mtu = 176 is too small; expected at least 180"));
  write_file(f, "point.cfg", "sweep = ( { key = \"tcp.receive_window\"; values = (\"auto\", 65536); } );");
  run(f, "check", "point.cfg", NULL);
  g_assert_cmpint(f->last.status, ==, 0);
  assert_contains(f->last.output, "point.cfg: note: 1 of 2 points have notes of their own, the first is "
                                  "tcp.receive_window=65536: ");
  (void)data;
}

/* How many points a sweep has and lacks; what is wrong with its axes and its conditions. */
static void test_check_of_where(fixture *f, gconstpointer data)
{
  write_file(f, "where.cfg",
             "sweep = ( { key = \"run.seed\"; from = 1; to = 9; step = 2; },"
             " { key = \"mpa.crc\"; values = [true, false, true]; } );\n"
             "where = \"mpa.crc or run.seed > 5\";\n");
  run(f, "check", "where.cfg", NULL);
  assert_outcome(f, 0, "where.cfg: ok, a sweep of 7 points, 3 left out by where, 5 given twice\n", "");
  write_file(f, "where.cfg", "\nwhere = \"mpa.crk\";");
  run(f, "check", "where.cfg", NULL);
  assert_outcome(
      f, 2, "",
      "where.cfg:2: where, column 1: unknown key 'mpa.crk'; expected one that 'iwarpsim explain keys' "
      "lists (did you mean 'mpa.crc'?)\n");
  write_file(f, "where.cfg", "where = \"not mpa.crc\";");
  run(f, "check", "where.cfg", NULL);
  assert_outcome(
      f, 2, "",
      "where.cfg:1: 'where' leaves out all points of the sweep, 1; expected conditions that some meet\n");
  run(f, "explain", "where", NULL);
  assert_contains(f->last.output, "where = \"receiver.memory >= path.forward.mtu");
  (void)data;
}

/* As with make: the value may stand right behind a one-letter option. */
static void test_attached_values(fixture *f, gconstpointer data)
{
  write_file(f, "a.cfg", "");
  run(f, "sweep", "a.cfg", "-j3", "-srun.seed=7", "--list", NULL);
  assert_contains(f->last.output, "\n1\n1 run, 1 to run, about 9 thousand segments, about 1 s at -j 3\n");
  run(f, "sweep", "a.cfg", "-j0", "--list", NULL);
  assert_contains(f->last.errors, "iwarpsim sweep: -j 0: expected 1 or more");
  run(f, "check", "-q", "--", "-j2", NULL);
  assert_outcome(f, 2, "", "-j2: cannot read it (No such file or directory); expected a scenario file\n");
  (void)data;
}

static void test_options_without_sense(fixture *f, gconstpointer data)
{
  write_file(f, "a.cfg", "");
  run(f, "run", "a.cfg", "--out", "", NULL);
  assert_outcome(f, 2, "", "iwarpsim run: --out is empty; expected DIR (see 'iwarpsim run --help')\n");
  run(f, "run", "a.cfg", "--out", "a.cfg", NULL);
  assert_outcome(f, 2, "", "a.cfg: cannot make this folder (Not a directory)\n");
  run(f, "sweep", "a.cfg", "--store", "", NULL);
  assert_outcome(f, 2, "", "iwarpsim sweep: --store is empty; expected FILE (see 'iwarpsim sweep --help')\n");
  run(f, "run", "a.cfg", "--engine", "ns2", NULL);
  assert_outcome(f, 2, "",
                 "--engine: run.engine = ns2 is none of its words; expected \"auto\", \"ns3\" or \"native\" "
                 "(did you mean "
                 "'ns3'?)\n");
  (void)data;
}

/* However short memory is while a scenario is read, that is said in a line, by GLib or by us, and is no segmentation fault (139: 128 +
 * SIGSEGV). The scenario's 50,000 strings need more than all else that the program does; a mistake ends it before it looks at them. */
static void test_short_memory(fixture *f, gconstpointer data)
{
  (void)data;
#ifdef __SANITIZE_ADDRESS__
  (void)f;
  g_test_skip("a sanitizer needs all of the address space");
#else
  GString *text = g_string_new("title = 7; where = [");
  guint told = 0;

  for (guint i = 0; i < 50000; i++) {
    g_string_append_printf(text, "%s\"run.seed > %u\"", i > 0 ? "," : "", i);
  }
  g_string_append(text, "];");
  write_file(f, "a.cfg", text->str);
  g_string_free(text, TRUE);
  run(f, "check", "a.cfg", NULL);
  g_assert_cmpint(f->last.status, ==, 2);
  for (guint limit_kib = 20 << 10; limit_kib <= 40 << 10; limit_kib += 2 << 10) {
    g_autofree char *line =
        g_strdup_printf("ulimit -c 0; ulimit -v %u; \"$0\" check a.cfg; test $? != 139", limit_kib);

    run_shell(f, line);
    g_test_message("%u KiB: %s", limit_kib, f->last.errors);
    g_assert_cmpint(f->last.status, ==, 0);
    told += strcmp(f->last.errors, "iwarpsim: no memory to read the scenario\n") == 0;
  }
  g_assert_cmpuint(told, >, 0);
#endif
}

/* What is printed onto a full disk is missed. */
static void test_lost_output(fixture *f, gconstpointer data)
{
  static const char *const lines[] = {"--version", "--help", "run --help", "explain keys",
                                      "explain metrics --markdown"};

  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
    char *line = g_strdup_printf("exec \"$0\" %s >/dev/full", lines[i]);

    run_shell(f, line);
    assert_outcome(f, 1, "", "iwarpsim: standard output cannot be written: No space left on device\n");
    g_free(line);
  }
  (void)data;
}

static void test_explain(fixture *f, gconstpointer data)
{
  run(f, "explain", "path.forward.queue", NULL);
  assert_outcome(f, 0,
                 "Keys of a scenario:\npath.forward.queue (default: 0)\n"
                 "    Packets that may wait in front of the link; more are dropped. 0: no limit.\n"
                 "    Value: an integer from 0 to 4294967295.\n"
                 "    Example: --set path.forward.queue=100\n",
                 "");
  run(f, "explain", "mpa.markers", NULL); /* a key and a metric */
  assert_contains(f->last.output, "Keys of a scenario:\nmpa.markers (default: true)\n");
  assert_contains(f->last.output, "Metrics:\nmpa.markers (markers, Data Sink)\n");
  run(f, "explain", "delay.delivery_s", NULL);
  assert_contains(f->last.output, "delay.delivery_s (distribution, s, weighted by octets)\n");
  run(f, "explain", "delay", NULL); /* metrics and distributions */
  assert_contains(f->last.output, "delay.placement_mean_s (s, Data Sink)\n");
  assert_contains(f->last.output, "delay.placement_s (distribution, s, weighted by octets)\n");
  run(f, "explain", "held", NULL);
  assert_contains(f->last.output, "held: Held octets\n");
  run(f, "explain", "bad-crc", NULL);
  assert_outcome(f, 0,
                 "bad-crc (fault.error)\n    The CRC of an FPDU is wrong. With CRC only.\n"
                 "    Must come of it: MPA error 2, Terminate 2/0/02.\n",
                 "");
  run(f, "explain", "faults", NULL);
  assert_contains(f->last.output, "\ninvalid-stag (fault.error)\n");
  run(f, "explain", "keys", NULL);
  assert_contains(f->last.output, "\ntheory.k2 (default: 1)\n");
  run(f, "explain", "metrics", NULL);
  assert_contains(f->last.output, "\nfit.k2 (ratio, ");
  run(f, "explain", "hedl", NULL);
  assert_outcome(
      f, 2, "",
      "iwarpsim explain: unknown name 'hedl'; expected keys, metrics, terms, faults, or the name of one "
      "of them (did you "
      "mean 'held'?)\n");
  run(f, "explain", "held", "--markdown", NULL);
  g_assert_cmpint(f->last.status, ==, 2);
  run(f, "explain", "keys", "--markdown", NULL);
  g_assert_true(g_str_has_prefix(f->last.output, "# Scenarios\n"));
  run(f, "explain", NULL);
  g_assert_cmpint(f->last.status, ==, 0);
  assert_contains(f->last.output, "iwarpsim explain metrics");
  (void)data;
}

/* run.expect says which end is success: the other one exits 1 and says why. A terminated run says code and side. */
static void test_terminated_runs(fixture *f, gconstpointer data)
{
  static const struct {
    const char *fault, *expect;
    int status;
    const char *errors; /* the last line of them begins so; NULL: nothing is said */
  } cases[] = {
      {"none", "ok", 0, NULL},
      {"none", "any", 0, NULL},
      {"none", "terminate", 1, "iwarpsim run: the run ended ok, and run.expect is terminate\n"},
      {"bad-crc", "terminate", 0, NULL},
      {"bad-crc", "any", 0, NULL},
      {"bad-crc", "ok", 1,
       "iwarpsim run: the run was terminated, and run.expect is ok: MPA error 2 by the Responder of "
       "connection "
       "0 after "},
  };

  write_file(f, "a.cfg", "run: { engine = \"native\"; }; workload: { messages = 2; };");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *fault = g_strconcat("fault.error=", cases[i].fault, NULL);
    char *expect = g_strconcat("run.expect=", cases[i].expect, NULL);

    run(f, "run", "a.cfg", "--out", ".", "--quiet", "--set", fault, "--set", expect, NULL);
    g_assert_cmpint(f->last.status, ==, cases[i].status);
    g_assert_cmpint(*f->last.errors != '\0', ==, cases[i].errors != NULL);
    assert_contains(f->last.errors, cases[i].errors ? cases[i].errors : "");
    g_free(fault);
    g_free(expect);
  }
  run(f, "run", "a.cfg", "--out", ".", "--set", "fault.error=bad-crc", "--set", "run.expect=any", NULL);
  assert_contains(f->last.output,
                  "  status     terminated: MPA error 2 by the Responder of connection 0 after ");
  run_shell(f, "cat summary.json");
  assert_contains(f->last.output, "\"status\": \"terminated\"");
  assert_contains(f->last.output, "\"terminate_code\": \"MPA error 2\"");
  assert_contains(f->last.output, "\"terminate_side\": \"Responder\"");
  (void)data;
}

/* A run into the folder of an earlier one replaces its results, but its captures only by its own; otherwise they stay, and that is told. */
static void test_run_again(fixture *f, gconstpointer data)
{
  (void)data;
  write_file(f, "a.cfg", "run: { engine = \"native\"; }; workload: { messages = 2; };");
  run(f, "run", "a.cfg", "--out", ".", "-q", "--pcap", NULL);
  assert_outcome(f, 0, "", "");
  run_shell(f, "cp summary.json first.json; cp sender.pcap s; cp receiver.pcap r");
  run(f, "run", "a.cfg", "--out", ".", "--set", "path.forward.mtu=576", "--set", "measure.series=none", NULL);
  g_assert_cmpint(f->last.status, ==, 0);
  g_assert_cmpstr(f->last.errors, ==,
                  "note: . has captures of an earlier run, which stay; --pcap replaces them\n");
  run_shell(f, "cmp s sender.pcap && cmp r receiver.pcap && ! cmp -s first.json summary.json && ! test -e "
               "occupancy.csv");
  assert_outcome(f, 0, "", "");
  run(f, "run", "a.cfg", "--out", ".", "--pcap", "--set", "path.forward.mtu=576", NULL);
  g_assert_cmpstr(f->last.errors, ==, "");
  run_shell(f, "! cmp -s s sender.pcap && ! cmp -s r receiver.pcap && test -e occupancy.csv");
  assert_outcome(f, 0, "", "");
}

static void set_up(fixture *f, gconstpointer data)
{
  f->program = g_canonicalize_filename(data, NULL); /* it runs in another folder */
  f->folder = g_dir_make_tmp("iwarpsim-cli-XXXXXX", NULL);
  g_assert_nonnull(f->folder);
}

static void tear_down(fixture *f, gconstpointer data)
{
  GDir *dir = g_dir_open(f->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name(dir)) != NULL) {
    char *path = g_build_filename(f->folder, name, NULL);
    g_remove(path);
    g_free(path);
  }
  g_dir_close(dir);
  g_assert_cmpint(g_rmdir(f->folder), ==, 0);
  g_free(f->folder);
  g_free(f->program);
  forget(f);
  (void)data;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(fixture *f, gconstpointer data);
  } tests[] = {
      {"/cli/help", test_help},
      {"/cli/options-of-every-command", test_options_of_every_command},
      {"/cli/no-such-command", test_no_such_command},
      {"/cli/check-of-good-scenarios", test_check_of_good_scenarios},
      {"/cli/check-of-bad-scenarios", test_check_of_bad_scenarios},
      {"/cli/check-looks-at-every-point", test_check_looks_at_every_point},
      {"/cli/check-of-where", test_check_of_where},
      {"/cli/attached-values", test_attached_values},
      {"/cli/options-without-sense", test_options_without_sense},
      {"/cli/short-memory", test_short_memory},
      {"/cli/lost-output", test_lost_output},
      {"/cli/explain", test_explain},
      {"/cli/terminated-runs", test_terminated_runs},
      {"/cli/run-again", test_run_again},
  };

  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(argc, ==, 2);
  g_setenv("LC_ALL", "C", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, fixture, argv[1], set_up, tests[i].test, tear_down);
  }
  return g_test_run();
}
