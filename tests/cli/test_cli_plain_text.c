/* SPDX-License-Identifier: GPL-2.0-only */
/* No command gives a terminal anything that steers it, whatever stands in names, scenarios, stores, captures
 * and results: every line here puts ESC, BEL, an eight-bit CSI (C1), U+202E and an octet that is no UTF-8 in
 * one of them. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"
#include "store_commit.h"
#include "study_fixture.h"

/* $h may be in a file's name; $t is UTF-8 without control characters, which a title may be; $s is an SQL
 * text. */
#define HOSTILE                                                                                              \
  "h=$(printf 'x\\033]0;y\\007\\302\\2331m\\342\\200\\256\\377'); "                                          \
  "t=$(printf 'x\\342\\200\\256y\\342\\201\\246z'); "                                                        \
  "s=\"CAST(x'781b5d303b7907c29b316de280aeff' AS TEXT)\"; "

static const char swept_text[] =
    "workload: { message_size = \"1KiB\"; messages = 2; };\nrun: { engine = \"native\"; };\n"
    "sweep = ( { key = \"run.seed\"; from = 1; to = 2; }, { key = \"receiver.mode\"; values = "
    "[\"in-order\", \"out-of-order\"]; } );\n";

static void set_up(cli_shell *f, gconstpointer files)
{
  cli_shell_set_up(f, files);
  cli_shell_write(f, "a.cfg", swept_text);
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "* .h*", set_up, cli_shell_tear_down, name)

/* Valid UTF-8 of which only line ends are controls: no octet below U+0020 but LF, no DEL, no C1 (C2 80 to C2
 * 9F), no U+202A to U+202E (E2 80 AA to AE) or U+2066 to U+2069 (E2 81 A6 to A9). */
static void assert_plain(const char *line, const char *text)
{
  g_assert_true(g_utf8_validate(text, -1, NULL));
  for (const guchar *c = (const guchar *)text; *c != '\0'; c++) {
    gboolean steers = (*c < ' ' && *c != '\n') || *c == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0) ||
                      (c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
                      (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);

    if (steers) {
      g_error("%s: an octet 0x%02x steers the terminal: %s", line, *c, (const char *)c);
    }
  }
}

/* Runs each of `lines`, which must end with `status` and print something. */
static void assert_all_plain(cli_shell *f, const char *const *lines, int status)
{
  for (; *lines != NULL; lines++) {
    g_autofree char *line = g_strconcat(HOSTILE, *lines, NULL);

    cli_shell_expect(f, status, line);
    g_assert_true(*f->output != '\0' || *f->errors != '\0');
    assert_plain(*lines, f->output);
    assert_plain(*lines, f->errors);
  }
}

SHELL_TEST(test_refused)
{
  static const char *const lines[] = {
      "iwarpsim \"$h\"",
      "iwarpsim --\"$h\"",
      "iwarpsim run --\"$h\"",
      "iwarpsim run \"$h\"",
      "iwarpsim check \"$h\"",
      "iwarpsim sweep \"$h\"",
      "iwarpsim table \"$h\"",
      "iwarpsim plot \"$h\"",
      "iwarpsim report \"$h\"",
      "iwarpsim export \"$h\"",
      "iwarpsim merge \"$h\" -o b",
      "iwarpsim decode \"$h\"",
      "iwarpsim replay \"$h\"",
      "iwarpsim explain \"$h\"",
      "iwarpsim run a.cfg --set \"$h\"",
      "iwarpsim run a.cfg --set \"$h=1\"",
      "iwarpsim run a.cfg --set \"path.forward.mtu=$h\"",
      "iwarpsim run a.cfg --set \"receiver.mode=$h\"",
      "iwarpsim run a.cfg --set \"title=$h\"",
      "iwarpsim run a.cfg --set \"tcp.quick_acks=$h\"",
      "iwarpsim run a.cfg --set \"path.forward.drop=[$h]\"",
      "iwarpsim run a.cfg --engine \"$h\"",
      "iwarpsim run a.cfg --out a.cfg/\"$h\"",
      "iwarpsim sweep a.cfg --shard \"$h\"",
      "iwarpsim sweep a.cfg --store a.cfg/\"$h\"",
      "iwarpsim table a.cfg --leave-out \"$h\"",
      "iwarpsim table a.cfg --metric \"$h\"",
      "iwarpsim plot a.cfg --format \"$h\"",
      "iwarpsim decode a.cfg --hold \"$h\"",
      "iwarpsim decode a.cfg --mpa \"$h\"",
      "iwarpsim decode a.cfg --filter \"$h\"",
      "iwarpsim replay a.cfg --resend \"$h\"",
      "printf '%s = 1;' \"$h\" >h.cfg; iwarpsim check h.cfg",
      "printf 'title = \"%s\";' \"$h\" >h.cfg; iwarpsim check h.cfg",
      "printf 'title = \"\\033]0;y\\007\";' >h.cfg; iwarpsim check h.cfg",
      "printf 'run: { engine = \"%s\"; };' \"$t\" >h.cfg; iwarpsim check h.cfg",
      "printf '@include \"%s\"\\n' \"$t\" >h.cfg; iwarpsim check h.cfg",
      "printf 'where = \"%s = 1\"; sweep = ({ key = \"run.seed\"; values = [1]; });' \"$t\" >h.cfg; iwarpsim "
      "check h.cfg",
      "printf 'sweep = ({ key = \"%s\"; values = [1]; });' \"$t\" >h.cfg; iwarpsim check h.cfg",
      "printf 'sweep = ({ key = \"receiver.mode\"; values = [\"%s\"]; });' \"$t\" >h.cfg; iwarpsim check "
      "h.cfg",
      "printf '%s = {' \"$h\" >\"$h.cfg\"; iwarpsim check \"$h.cfg\"",
      NULL,
  };

  assert_all_plain(f, lines, 2);
}

/* What is in order is printed as well: names of files, titles. */
SHELL_TEST(test_accepted)
{
  static const char *const lines[] = {
      "{ printf 'title = \"%s\";\\n' \"$t\"; cat a.cfg; } >\"$h.cfg\"; iwarpsim check \"$h.cfg\"",
      "iwarpsim run \"$h.cfg\" --pcap --out \"$h\"",
      "iwarpsim decode \"$h/receiver.pcap\"",
      "iwarpsim decode \"$h/receiver.pcap\" --json",
      "iwarpsim decode \"$h/receiver.pcap\" --summary",
      "iwarpsim decode \"$h/receiver.pcap\" --summary --json",
      "iwarpsim replay \"$h/receiver.pcap\" --filter 'tcp' --out \"$h.replay\"",
      "iwarpsim plot \"$h\" --format term",
      "iwarpsim plot \"$h\" --out \"$h.plots\"",
      "iwarpsim sweep \"$h.cfg\" --list",
      "iwarpsim sweep \"$h.cfg\" --store \"$h.sqlite\"",
      "iwarpsim sweep \"$h.cfg\" --store \"$h.sqlite\"",
      "iwarpsim merge \"$h.sqlite\" -o \"$h.2.sqlite\"",
      "iwarpsim table \"$h.sqlite\"",
      "iwarpsim table \"$h.sqlite\" --csv /dev/stdout",
      "iwarpsim export \"$h.sqlite\"",
      "iwarpsim plot \"$h.sqlite\" --format term",
      "iwarpsim report \"$h.sqlite\"",
      NULL,
  };

  assert_all_plain(f, lines, 0);
  cli_shell_expect(f, 0, HOSTILE "cat \"$h.html\"");
  assert_plain("report", f->output);
}

/* A store with the right digests, in which every text is hostile: of its runs, and of where they come
 * from. */
static void write_store(const cli_shell *f, const char *name)
{
  static const char hostile[] = "x\x1b]0;y\a\xc2\x9b\x31m\xe2\x80\xae\xff";
  store_fixture kit;

  store_fixture_set_up(&kit, "title\nrun.seed");
  kit.origin.name = kit.origin.title = kit.origin.text = kit.origin.version = kit.origin.git =
      kit.origin.libraries = (char *)hostile;
  for (int seed = 1; seed <= 2; seed++) {
    g_autofree char *set = g_strdup_printf("run.seed=%d", seed);
    GError *error = NULL;

    g_assert_true(scenario_set(kit.scenario, set, &error));
    g_auto(stored_run) run = fixture_run(kit.scenario, (guint64)seed);
    metric_values_set(&run.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, seed);
    run.status = seed == 1 ? RUN_OK : RUN_TERMINATED;
    run.message = run.stderr_tail = run.host = run.engine = (char *)hostile;
    g_free(run.keys[SCENARIO_TITLE]);
    run.keys[SCENARIO_TITLE] = g_strdup(hostile);
    g_assert_true(store_commit(kit.store, &kit.origin, &run, &error));
  }
  g_autofree char *line = g_strdup_printf("cp '%s' %s", kit.path, name);
  cli_shell_expect((cli_shell *)f, 0, line);
  store_fixture_tear_down(&kit, NULL);
}

/* A store, a summary and a series that another program wrote. */
SHELL_TEST(test_foreign_results)
{
  static const char *const accepted[] = {
      "iwarpsim table b.sqlite",
      "iwarpsim table b.sqlite --csv /dev/stdout",
      "iwarpsim export b.sqlite",
      "iwarpsim plot b.sqlite --format term",
      "iwarpsim plot b.sqlite --out plots",
      "iwarpsim report b.sqlite -o /dev/stdout",
      "iwarpsim merge b.sqlite -o c.sqlite",
      "iwarpsim sweep a.cfg --store a.sqlite",
      NULL,
  };
  static const char *const refused[] = {
      "iwarpsim merge a.sqlite b.sqlite -o d.sqlite",
      "iwarpsim sweep a.cfg --store b.sqlite",
      "iwarpsim table b.sqlite --pair title=1,2",
      "cp b.sqlite c.sqlite; sqlite3 c.sqlite \"UPDATE runs SET status=$s\"; iwarpsim table c.sqlite",
      "cp b.sqlite c.sqlite; sqlite3 c.sqlite \"UPDATE metrics SET name=$s\"; iwarpsim export c.sqlite",
      "cp b.sqlite c.sqlite; sqlite3 c.sqlite \"UPDATE runs SET identity=$s WHERE id = 1\"; iwarpsim merge "
      "c.sqlite -o d.sqlite",
      "cp b.sqlite c.sqlite; sqlite3 c.sqlite \"PRAGMA user_version = 3\"; iwarpsim table c.sqlite",
      "iwarpsim run --quiet a.cfg --out run; printf '%s\\n' \"$h\" >>run/occupancy.csv; iwarpsim plot run",
      "printf '{\"%s\": 1' \"$t\" >run/summary.json; iwarpsim plot run --what distribution",
      NULL,
  };

  write_store(f, "b.sqlite");
  assert_all_plain(f, accepted, 0);
  assert_all_plain(f, refused, 2);
}

/* A pipe without a writer must not be waited for, nor a device be read. */
SHELL_TEST(test_no_files)
{
  static const struct {
    const char *line;
    const char *errors;
  } rows[] = {
      {"mkfifo p; iwarpsim check p",
       "p: cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"},
      {"iwarpsim run p",
       "p: cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"},
      {"iwarpsim sweep p",
       "p: cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"},
      {"iwarpsim check /dev/null",
       "/dev/null: cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"},
      {"echo 'title = \"t\";' | iwarpsim check /dev/stdin",
       "/dev/stdin: cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"},
      {"echo '@include \"p\"' >i.cfg; iwarpsim check i.cfg",
       "i.cfg:1: cannot read 'p' (it is a pipe, a device or a socket); expected a file to include\n"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    cli_shell_expect(f, 2, rows[i].line);
    g_assert_cmpstr(f->errors, ==, rows[i].errors);
    g_assert_cmpstr(f->output, ==, "");
  }
}
