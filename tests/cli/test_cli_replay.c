/* SPDX-License-Identifier: GPL-2.0-only */
/* `iwarpsim replay` as a user meets it. */
#include <glib.h>
#include <string.h>

#include "cli_shell.h"

static void assert_fails(cli_shell *f, const char *line, int status, const char *expected)
{
  cli_shell_expect(f, status, line);
  g_assert_cmpstr(f->output, ==, "");
  if (!strstr(f->errors, expected)) {
    g_error("%s: %s", line, f->errors);
  }
  g_assert_true(strchr(f->errors, '\n') == f->errors + strlen(f->errors) - 1); /* one line */
}

/* A run with a loss, in order; its captures are in run/. */
static void set_up(cli_shell *f, gconstpointer files)
{
  cli_shell_set_up(f, files);
  cli_shell_write(f, "a.cfg",
                  "title = \"t\";\nworkload: { messages = 5; };\nreceiver: { mode = \"in-order\"; };\n"
                  "path: { forward: { drop = [50]; }; };\n");
  cli_shell_expect(f, 0, "iwarpsim run --quiet a.cfg --pcap -o run");
}

#define SHELL_TEST(name) TEST_WITH(cli_shell, "*", set_up, cli_shell_tear_down, name)

/* The same series as the run's, but for its first line; a summary that describes what was replayed; a page to
 * read. The capture stays, also when the results go beside it. */
SHELL_TEST(test_results)
{
  cli_shell_expect(f, 0, "iwarpsim replay run/receiver.pcap --set receiver.mode=in-order -o again");
  EXPECT_PARTS(f->output, "replay of  receiver.pcap (run/receiver.pcap)",
               "measured   the Responder of 1 connection, where most payload goes\n",
               "path       none: arrivals as captured, nothing comes again\n",
               "not known  what sender and path did", "buffer.reassembly_peak_octets", "results in again");
  g_assert_null(strstr(f->output, "integrity"));
  g_assert_cmpstr(f->errors, ==, "");
  cli_shell_expect(
      f, 0,
      "sed 1d run/occupancy.csv | cut -d, -f2- > a && sed 1d again/occupancy.csv | cut -d, -f2- > b &&"
      "cmp a b && test $(wc -l < a) -gt 10");
  cli_shell_expect(f, 0,
                   "grep -q '\"measure.side\": \"responder\"' again/summary.json &&"
                   "grep -q '\"workload.connections\": \"1\"' again/summary.json");
  cli_shell_expect(f, 0,
                   "grep -q '\"receiver.mode\": \"in-order\"' again/summary.json &&"
                   "grep -q '\"measured\": \"the Responder of 1 connection, where most payload goes\"'"
                   " again/summary.json && ! grep -q 'workload.message_size\\|path.forward.rate'"
                   " again/summary.json");
  cli_shell_expect(f, 0, "iwarpsim plot again --quiet && ls again/occupancy.png");
  cli_shell_expect(f, 0,
                   "iwarpsim replay run/receiver.pcap -q -o run && ls run/receiver.pcap run/sender.pcap");
  cli_shell_expect(f, 0, "iwarpsim replay run/receiver.pcap -q && ls results/receiver.pcap/summary.json");
}

SHELL_TEST(test_mistakes)
{
  assert_fails(f, "iwarpsim replay", 2, "one CAPTURE is needed, 0 were given");
  assert_fails(f, "iwarpsim replay - < run/receiver.pcap", 2,
               "standard input or a pipe can be read only once");
  assert_fails(f, "mkfifo pipe && iwarpsim replay pipe; code=$?; rm pipe; exit $code", 2,
               "can be read only once");
  assert_fails(f, "iwarpsim replay /dev/stdin < run/receiver.pcap --hold 0", 2,
               "--hold 0"); /* a file all the same */
  assert_fails(f, "iwarpsim replay none.pcap", 2, "none.pcap: ");
  assert_fails(f, "iwarpsim replay a.cfg", 2, "a.cfg: ");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --resend soon", 2,
               "--resend soon: no time; expected one above 0, such as 1ms, or auto, or never");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --hold much", 2, "--hold much: no size");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --mpa nowhere", 2, "--mpa");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --filter 'no such'", 2, "the filter \"no such\"");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --filter udp", 2,
               "run/receiver.pcap: no connection in it speaks MPA, of 0 over TCP");
  assert_fails(f, "iwarpsim replay run/receiver.pcap --set workload.messages=1", 2,
               "--set 'workload.messages=1': the capture decides this");
  assert_fails(f, "iwarpsim replay run/receiver.pcap -o a.cfg/x", 2, "a.cfg/x");
  cli_shell_expect(f, 0, "test ! -e results");
}

/* A file that is broken off: what came before is replayed, and that is said. */
SHELL_TEST(test_broken_off)
{
  cli_shell_expect(f, 0,
                   "head -c 200000 run/receiver.pcap > short.pcap && iwarpsim replay short.pcap -o short");
  EXPECT_PARTS(f->errors, "note: short.pcap: ", "; what came before is replayed\n");
  cli_shell_expect(
      f, 0, "grep -q '\"notes\": \\[ \"short.pcap: .*what came before is replayed\" \\]' short/summary.json");
  cli_shell_expect(f, 0, "iwarpsim replay short.pcap -o short -q");
  g_assert_cmpstr(f->errors, ==, "");
  cli_shell_expect(f, 0, "head -c 150 run/receiver.pcap > shorter.pcap");
  assert_fails(f, "iwarpsim replay shorter.pcap -o shorter", 2, "shorter.pcap: packet 2: truncated");
}

/* A simulated path loses, and what is lost comes again. run.stop ends a replay early, run.expect makes that
 * end a failure. */
SHELL_TEST(test_path_and_stop)
{
  cli_shell_expect(f, 0, "iwarpsim replay run/receiver.pcap --set path.forward.loss=2% -o lossy");
  EXPECT_PARTS(f->output, "path.packets_lost",
               "delivery.octets                                      327680  octets");
  cli_shell_expect_output(
      f, "path       of its own, without a link; what has not arrived sets off again after ");
  EXPECT_PARTS(f->output, " (the handshakes' round trip)\n");
  cli_shell_expect(
      f, 0,
      "iwarpsim replay run/receiver.pcap --set path.forward.mtu=9000 --resend 1ms --filter tcp -o link");
  cli_shell_expect_output(
      f, "path       of its own, with a link; what has not arrived sets off again after 1ms\n");
  EXPECT_PARTS(f->output, "filter     tcp\n");
  cli_shell_expect(f, 0, "iwarpsim replay run/receiver.pcap --set run.stop=100us -o stopped");
  EXPECT_PARTS(f->output, "stopped: run.stop reached before the end of the capture");
}
