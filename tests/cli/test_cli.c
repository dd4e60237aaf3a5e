/* SPDX-License-Identifier: GPL-2.0-only */
/* The program itself: its options, exit codes, `check` and `explain`. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

static void set_up(cli_shell *f, gconstpointer files)
{
  g_setenv("LC_ALL", "C", TRUE);
  cli_shell_set_up(f, files);
}

#define SHELL_TEST(name)                                                                                     \
  TEST_WITH(cli_shell, "*.cfg *.json *.csv *.pcap s r", set_up, cli_shell_tear_down, name)

static const char *const commands[] = {"run",   "sweep",  "table",  "plot",  "report", "export",
                                       "merge", "decode", "replay", "check", "explain"};

/* --help is enough to start: what it is for, every command, an example. */
SHELL_TEST(test_help)
{
  cli_shell_expect(f, 0, "iwarpsim --help");
  g_assert_cmpstr(f->errors, ==, "");
  EXPECT_PARTS(f->output, "how much reassembly memory does an iWARP receiver need?", "Example");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *row = g_strdup_printf("\n  %s ", commands[i]);

    EXPECT_PARTS(f->output, row);
  }
}

/* --help, --version and --quiet everywhere. */
SHELL_TEST(test_options_of_every_command)
{
  cli_shell_expect(f, 0, "iwarpsim --version");
  g_autofree char *version = g_strdup(f->output);
  g_assert_true(g_str_has_prefix(version, "iwarpsim "));
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *with_version = g_strdup_printf("iwarpsim %s --version", commands[i]);
    g_autofree char *with_help = g_strdup_printf("iwarpsim %s --help", commands[i]);
    g_autofree char *with_mistake = g_strdup_printf("iwarpsim %s --quite", commands[i]);

    cli_shell_expect_all(f, 0, with_version, version, "");
    cli_shell_expect(f, 0, with_help);
    EXPECT_PARTS(f->output, "--quiet", "Example:");
    cli_shell_expect(f, 2, with_mistake);
    EXPECT_PARTS(f->errors, "did you mean --quiet?");
    g_assert_cmpstr(f->output, ==, "");
  }
}

SHELL_TEST(test_no_such_command)
{
  cli_shell_expect_all(f, 2, "iwarpsim chekc", "",
                       "iwarpsim: unknown command 'chekc'; expected run, sweep, table, plot, report, export, "
                       "merge, decode, replay, check or explain (did you mean 'check'?)\n");
  cli_shell_expect_all(f, 2, "iwarpsim banana", "",
                       "iwarpsim: unknown command 'banana'; expected run, sweep, table, plot, report, "
                       "export, merge, decode, replay, check or explain\n");
  cli_shell_expect_all(f, 2, "iwarpsim", "",
                       "iwarpsim: no command; expected run, sweep, table, plot, report, export, merge, "
                       "decode, replay, check or explain (see 'iwarpsim --help')\n");
  cli_shell_expect_all(f, 2, "iwarpsim --loud check", "",
                       "iwarpsim: unknown option '--loud'; expected a command (see 'iwarpsim --help')\n");
}

SHELL_TEST(test_check_of_good_scenarios)
{
  cli_shell_write(f, "empty.cfg", "");
  cli_shell_write(f, "sweep.cfg",
                  "sweep = ( { key = \"path.forward.mtu\"; values = [576, 1500]; }, { key = \"run.seed\"; "
                  "from = 1; to = 3; } );");
  cli_shell_write(f, "noted.cfg", "middlebox: { chunk = 5; };");
  cli_shell_expect_all(
      f, 0, "iwarpsim check empty.cfg sweep.cfg noted.cfg",
      "empty.cfg: ok\nsweep.cfg: ok, a sweep of 6 points\nnoted.cfg: ok\n"
      "noted.cfg: note: noted.cfg:1: middlebox.chunk has no effect while middlebox.mode is none\n",
      "");
  cli_shell_write(f, "idle.cfg", "\nwhere = \"mpa.crc\";");
  cli_shell_expect_all(f, 0, "iwarpsim check idle.cfg",
                       "idle.cfg: ok, a sweep of 1 point\nidle.cfg: note: idle.cfg:2: where leaves out "
                       "points of a sweep, and there is no sweep\n",
                       "");
  cli_shell_expect_all(f, 0, "iwarpsim check --quiet empty.cfg sweep.cfg noted.cfg", "", "");
  cli_shell_expect_all(f, 0, "iwarpsim --quiet check noted.cfg", "", "");
}

/* Every file is checked, and of each bad one the first mistake is reported. */
SHELL_TEST(test_check_of_bad_scenarios)
{
  cli_shell_write(f, "good.cfg", "");
  cli_shell_write(f, "bad.cfg", "mpa: {\n  markres = true;\n  crc = 5;\n};");
  cli_shell_write(f, "small.cfg", "path: { forward: { mtu = 176; }; };");
  cli_shell_expect_all(
      f, 2, "iwarpsim check bad.cfg missing.cfg small.cfg good.cfg", "good.cfg: ok\n",
      "bad.cfg:2: unknown key 'mpa.markres'; expected one of generation, markers, crc, startup_timeout, "
      "startup_close, silent_drop, assumed_emss, mulpdu in mpa (did you mean 'mpa.markers'?)\n"
      "missing.cfg: cannot read it (No such file or directory); expected a scenario file\n"
      "small.cfg:1: path.forward.mtu = 176 is too small; expected at least 180: 40 octets of headers and 140 "
      "for the FPDU of a 128-octet ULPDU with markers\n");
  cli_shell_expect_all(
      f, 2, "iwarpsim check", "",
      "iwarpsim check: no scenario given; expected one or more files (see 'iwarpsim check --help')\n");
}

/* A scenario that is fine but for one point of its sweep is not ok. */
SHELL_TEST(test_check_looks_at_every_point)
{
  cli_shell_write(f, "point.cfg", "sweep = ( { key = \"path.forward.mtu\"; values = [1500, 176]; } );");
  cli_shell_expect(f, 2, "iwarpsim check point.cfg");
  g_assert_cmpstr(f->output, ==, "");
  g_assert_true(
      g_str_has_prefix(f->errors, "point.cfg:1: path.forward.mtu = 176 is too small; expected at least 180"));
  cli_shell_write(f, "point.cfg",
                  "sweep = ( { key = \"tcp.receive_window\"; values = (\"auto\", 65536); } );");
  cli_shell_expect(f, 0, "iwarpsim check point.cfg");
  cli_shell_expect_output(
      f, "point.cfg: note: 1 of 2 points have notes of their own, the first is tcp.receive_window=65536: ");
}

/* How many points a sweep has and lacks; what is wrong with its axes and its conditions. */
SHELL_TEST(test_check_of_where)
{
  cli_shell_write(f, "where.cfg",
                  "sweep = ( { key = \"run.seed\"; from = 1; to = 9; step = 2; },"
                  " { key = \"mpa.crc\"; values = [true, false, true]; } );\n"
                  "where = \"mpa.crc or run.seed > 5\";\n");
  cli_shell_expect_all(f, 0, "iwarpsim check where.cfg",
                       "where.cfg: ok, a sweep of 7 points, 3 left out by where, 5 given twice\n", "");
  cli_shell_write(f, "where.cfg", "\nwhere = \"mpa.crk\";");
  cli_shell_expect_all(f, 2, "iwarpsim check where.cfg", "",
                       "where.cfg:2: where, column 1: unknown key 'mpa.crk'; expected one that 'iwarpsim "
                       "explain keys' lists (did you mean 'mpa.crc'?)\n");
  cli_shell_write(f, "where.cfg", "where = \"not mpa.crc\";");
  cli_shell_expect_all(
      f, 2, "iwarpsim check where.cfg", "",
      "where.cfg:1: 'where' leaves out all points of the sweep, 1; expected conditions that some meet\n");
  cli_shell_expect(f, 0, "iwarpsim explain where");
  EXPECT_PARTS(f->output, "where = \"receiver.memory >= path.forward.mtu");
}

/* As with make: the value may stand directly after a one-letter option. */
SHELL_TEST(test_attached_values)
{
  cli_shell_write(f, "a.cfg", "");
  cli_shell_expect(f, 0, "iwarpsim sweep a.cfg -j3 -srun.seed=7 --list");
  EXPECT_PARTS(f->output, "\n1\n1 run, 1 to run, about 9 thousand segments, about 1 s at -j 3\n");
  cli_shell_expect(f, 2, "iwarpsim sweep a.cfg -j0 --list");
  EXPECT_PARTS(f->errors, "iwarpsim sweep: -j 0: expected 1 or more");
  cli_shell_expect_all(f, 2, "iwarpsim check -q -- -j2", "",
                       "-j2: cannot read it (No such file or directory); expected a scenario file\n");
}

SHELL_TEST(test_options_without_sense)
{
  cli_shell_write(f, "a.cfg", "");
  cli_shell_expect_all(f, 2, "iwarpsim run a.cfg --out ''", "",
                       "iwarpsim run: --out is empty; expected DIR (see 'iwarpsim run --help')\n");
  cli_shell_expect_all(f, 2, "iwarpsim run a.cfg --out a.cfg", "",
                       "a.cfg: cannot make this folder (Not a directory)\n");
  cli_shell_expect_all(f, 2, "iwarpsim sweep a.cfg --store ''", "",
                       "iwarpsim sweep: --store is empty; expected FILE (see 'iwarpsim sweep --help')\n");
  cli_shell_expect_all(f, 2, "iwarpsim run a.cfg --engine ns2", "",
                       "--engine: run.engine = ns2 is none of its words; expected \"auto\", \"ns3\" or "
                       "\"native\" (did you mean 'ns3'?)\n");
}

/* However short memory is while a scenario is read, that is said in a line, by GLib or by us, and is no
 * segmentation fault (139: 128 + SIGSEGV). The scenario's 50,000 strings need more than all else that the
 * program does; a mistake ends it before it looks at them. */
SHELL_TEST(test_short_memory)
{
#ifdef __SANITIZE_ADDRESS__
  (void)f;
  g_test_skip("a sanitizer needs all of the address space");
#else
  g_autoptr(GString) text = g_string_new("title = 7; where = [");
  guint told = 0;

  for (guint i = 0; i < 50000; i++) {
    g_string_append_printf(text, "%s\"run.seed > %u\"", i > 0 ? "," : "", i);
  }
  g_string_append(text, "];");
  cli_shell_write(f, "a.cfg", text->str);
  cli_shell_expect(f, 2, "iwarpsim check a.cfg");
  for (guint limit_kib = 20 << 10; limit_kib <= 40 << 10; limit_kib += 2 << 10) {
    g_autofree char *line =
        g_strdup_printf("ulimit -c 0; ulimit -v %u; \"$0\" check a.cfg; test $? != 139", limit_kib);

    cli_shell_expect(f, 0, line);
    told += strcmp(f->errors, "iwarpsim: no memory to read the scenario\n") == 0;
  }
  g_assert_cmpuint(told, >, 0);
#endif
}

/* What is printed onto a full disk is missed. */
SHELL_TEST(test_lost_output)
{
  static const char *const lines[] = {"--version", "--help", "run --help", "explain keys",
                                      "explain metrics --markdown"};

  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *line = g_strdup_printf("exec \"$0\" %s >/dev/full", lines[i]);

    cli_shell_expect_all(f, 1, line, "",
                         "iwarpsim: standard output cannot be written: No space left on device\n");
  }
}

SHELL_TEST(test_explain)
{
  cli_shell_expect_all(f, 0, "iwarpsim explain path.forward.queue",
                       "Keys of a scenario:\npath.forward.queue (default: 0)\n"
                       "    Packets that may wait for the link; more are dropped. 0: no limit.\n"
                       "    Value: an integer from 0 to 4294967295.\n"
                       "    Example: --set path.forward.queue=100\n",
                       "");
  cli_shell_expect(f, 0, "iwarpsim explain mpa.markers"); /* a key and a metric */
  EXPECT_PARTS(f->output, "Keys of a scenario:\nmpa.markers (default: true)\n",
               "Metrics:\nmpa.markers (markers, Data Sink)\n");
  cli_shell_expect(f, 0, "iwarpsim explain delay.delivery_s");
  EXPECT_PARTS(f->output, "delay.delivery_s (distribution, s, weighted by octets)\n");
  cli_shell_expect(f, 0, "iwarpsim explain delay"); /* metrics and distributions */
  EXPECT_PARTS(f->output, "delay.placement_mean_s (s, Data Sink)\n",
               "delay.placement_s (distribution, s, weighted by octets)\n");
  cli_shell_expect(f, 0, "iwarpsim explain held");
  EXPECT_PARTS(f->output, "held: Held octets\n");
  cli_shell_expect_all(f, 0, "iwarpsim explain bad-crc",
                       "bad-crc (fault.error)\n    The CRC of an FPDU is wrong. With CRC only.\n"
                       "    Consequence: MPA error 2, Terminate 2/0/02.\n",
                       "");
  cli_shell_expect(f, 0, "iwarpsim explain coalesce"); /* a word: the keys that it is a value of */
  g_assert_true(g_str_has_prefix(f->output, "Keys of a scenario:\nmiddlebox.mode (default: none)\n"));
  cli_shell_expect_output(f, " coalesce: segments are joined");
  cli_shell_expect(f, 0, "iwarpsim explain faults");
  EXPECT_PARTS(f->output, "\ninvalid-stag (fault.error)\n");
  cli_shell_expect(f, 0, "iwarpsim explain keys");
  EXPECT_PARTS(f->output, "\ntheory.k2 (default: 1)\n");
  cli_shell_expect(f, 0, "iwarpsim explain metrics");
  EXPECT_PARTS(f->output, "\nfit.k2 (ratio, ");
  cli_shell_expect_all(f, 2, "iwarpsim explain hedl", "",
                       "iwarpsim explain: unknown name 'hedl'; expected keys, metrics, terms, faults, or the "
                       "name of one of them (did you mean 'held'?)\n");
  cli_shell_expect(f, 2, "iwarpsim explain held --markdown");
  cli_shell_expect(f, 0, "iwarpsim explain keys --markdown");
  g_assert_true(g_str_has_prefix(f->output, "# Scenarios\n"));
  cli_shell_expect(f, 0, "iwarpsim explain");
  EXPECT_PARTS(f->output, "iwarpsim explain metrics");
}

/* run.expect says which end is success: the other one exits 1 and prints why. A terminated run prints code
 * and side. */
SHELL_TEST(test_terminated_runs)
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
       "connection 0 after "},
  };

  cli_shell_write(f, "a.cfg", "run: { engine = \"native\"; }; workload: { messages = 2; };");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *line =
        g_strdup_printf("iwarpsim run a.cfg --out . --quiet --set fault.error=%s --set run.expect=%s",
                        cases[i].fault, cases[i].expect);

    cli_shell_expect(f, cases[i].status, line);
    g_assert_cmpint(*f->errors != '\0', ==, cases[i].errors != NULL);
    EXPECT_PARTS(f->errors, cases[i].errors ? cases[i].errors : "");
  }
  cli_shell_expect(f, 0, "iwarpsim run a.cfg --out . --set fault.error=bad-crc --set run.expect=any");
  EXPECT_PARTS(f->output, "  status     terminated: MPA error 2 by the Responder of connection 0 after ");
  cli_shell_expect(f, 0, "cat summary.json");
  EXPECT_PARTS(f->output, "\"status\": \"terminated\"", "\"terminate_code\": \"MPA error 2\"",
               "\"terminate_side\": \"Responder\"");
}

/* A run into the folder of an earlier one replaces its results, but its captures only by its own; otherwise
 * they stay, and a note reports it. */
SHELL_TEST(test_run_again)
{
  cli_shell_write(f, "a.cfg", "run: { engine = \"native\"; }; workload: { messages = 2; };");
  cli_shell_expect_all(f, 0, "iwarpsim run a.cfg --out . -q --pcap", "", "");
  cli_shell_expect(f, 0, "cp summary.json first.json; cp sender.pcap s; cp receiver.pcap r");
  cli_shell_expect(f, 0, "iwarpsim run a.cfg --out . --set path.forward.mtu=576 --set measure.series=none");
  g_assert_cmpstr(f->errors, ==,
                  "note: . has captures of an earlier run, which stay; --pcap replaces them\n");
  cli_shell_expect_all(f, 0,
                       "cmp s sender.pcap && cmp r receiver.pcap && ! cmp -s first.json summary.json && ! "
                       "test -e occupancy.csv",
                       "", "");
  cli_shell_expect(f, 0, "iwarpsim run a.cfg --out . --pcap --set path.forward.mtu=576");
  g_assert_cmpstr(f->errors, ==, "");
  cli_shell_expect_all(f, 0, "! cmp -s s sender.pcap && ! cmp -s r receiver.pcap && test -e occupancy.csv",
                       "", "");
}
