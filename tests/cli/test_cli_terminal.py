# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what a terminal shows of a run, a sweep and a capture while they go on, and what stays of
it."""
import contextlib
import os
import pty
import signal
import time

import program_kit as kit

CLEAR = "\r\x1b[K"
LEFT = r"about \d+ (?:s|min) left"

# This takes some two seconds; a run of less than one shows nothing.
LONG_RUN = 'title = "t"; run: { engine = "native"; }; workload: { messages = 80000; };'
SHORT_RUN = LONG_RUN.replace("80000", "4")
SWEEP = ('title = "t"; run: { engine = "native"; }; workload: { messages = 1; };'
         'sweep = ( { key = "run.seed"; from = 1; to = 4; } );')
SLOWLY = "(head -c 200000 o/receiver.pcap; sleep 1.2; tail -c +200001 o/receiver.pcap) | iwarpsim decode -"


class TerminalTest(kit.ProgramTest):
    def start(self, line):
        """Starts a line of the shell on a terminal of its own; the process, and the file of its terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            # A shell that starts the tests in the background ignores it for them.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execvp("sh", ["sh", "-c", line])
        return pid, terminal

    def finish(self, pid, terminal, code=0):
        """Waits for its end, which must be with `code`; what the terminal has shown."""
        shown = b""
        with contextlib.suppress(OSError):  # EIO: nobody has the terminal open any more
            while octets := os.read(terminal, 4096):
                shown += octets
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), code, shown)
        return shown.decode()

    def show(self, scenario, line):
        kit.write("a.cfg", scenario)
        return self.finish(*self.start(line))


class Terminal(TerminalTest):
    def test_run(self):
        """A line with all its parts, redrawn; at the end it is gone before the summary comes."""
        begun = time.monotonic()
        shown = self.show(LONG_RUN, "iwarpsim run a.cfg --out o")
        if time.monotonic() - begun < 1.5:
            self.skipTest("this machine is too fast")
        self.assertRegex(shown, r"^note: this run: 4\.883 GiB in all, [^\r]*\r\n"
                         rf"(\r\x1b\[K\d+ % done, at \d+\.\d{{6}} s of simulated time, {LEFT})+"
                         r"\r\x1b\[Kt\r\n")

    def test_quiet_run(self):
        self.assertEqual(self.show(LONG_RUN, "iwarpsim run a.cfg --out o --quiet"), "")

    def test_run_into_file(self):
        """Standard error is a file: nothing is to be redrawn there, though standard output is a terminal."""
        shown = self.show(LONG_RUN, "iwarpsim run a.cfg --out o 2>e && cat e")
        self.expect_start(shown, "t\r\n")
        self.assertNotIn(CLEAR, shown)

    def test_sweep(self):
        self.assertRegex(self.show(SWEEP, "iwarpsim sweep a.cfg -j 2 --store a.sqlite"),
                         rf"^(\r\x1b\[K\d of 4 runs done, \d running, \d+ %(, {LEFT})?)+\r\x1b\[K"
                         r"4 runs: 4 run now, 0 already there, 0 failed; results in a\.sqlite\r\n$")

    def test_sweep_until(self):
        """How many runs it takes nobody knows at first, and then about, until the seeds are used up."""
        shown = self.show('path: { forward: { loss = "1%"; }; };', "iwarpsim sweep a.cfg -j 2 --store a.sqlite "
                          "--until goodput_bit_per_s=0.1% --max-seeds 40")
        self.assertRegex(shown, r"(?s)^\r\x1b\[K0 of at least 8 runs done, .*K\d+ of about 40 runs done, .*"
                         r"K40 runs: 40 run now, ")

    def test_interrupted_sweep(self):
        """Ctrl-C, once there are two runs: the sweep alone gets it, and reports it; its children leave
        nothing in the store and nothing on the screen."""
        kit.write("a.cfg", SWEEP.replace("messages = 1;", "messages = 10000000;").replace("to = 4", "to = 2"))
        sweep, terminal = self.start("exec iwarpsim sweep a.cfg -j 2 --store a.sqlite")
        kit.wait_until(lambda: len(kit.children(sweep)) == 2)
        os.kill(sweep, signal.SIGINT)
        self.assertIn(f"{CLEAR}interrupted: 0 done, 2 to go; rerun the command to resume\r\n",
                      self.finish(sweep, terminal, 130))

    def test_decode(self):
        """A capture that comes slowly, summed up on a terminal: where it is, then the table alone. Lines of
        FPDUs would tear it: none is shown between them."""
        self.show(LONG_RUN.replace("80000", "40"), "iwarpsim run a.cfg --quiet --pcap --out o")
        self.assertRegex(self.show("", f"{SLOWLY} --summary"),
                         r"^(\r\x1b\[Kat 0\.\d{6} s of the capture)+\r\x1b\[K# iwarpsim ")
        for options in ("", "--quiet --summary"):
            self.assertNotIn(CLEAR, self.show("", f"{SLOWLY} {options}"))


class Colours(TerminalTest):
    def run_with(self, environment, *lines):
        """Returns what a terminal shows of the lines."""
        kit.write("a.cfg", SHORT_RUN)
        return [self.finish(*self.start(f"env -u NO_COLOR TERM=xterm {environment} iwarpsim {line}"), code)
                for code, line in lines]

    def test_status_and_errors(self):
        """Green, yellow and red; errors are red, whole."""
        ok, stopped, failed, unknown, usage = self.run_with(
            "", (0, "run a.cfg -o o"), (0, "run a.cfg -o o --set run.stop=10us"),
            (1, "run a.cfg -o o --set path.forward.loss=100% --set tcp.retries=1"), (2, "table none"), (2, "table"))
        self.expect_parts(ok, "\n  status     \x1b[32mok\x1b[m\r\n  peak ")
        self.expect_parts(stopped, "\n  status     \x1b[33mstopped\x1b[m: run.stop reached")
        self.expect_parts(failed, "\n  status     \x1b[31mfailed\x1b[m: connection 0 failed")
        self.assertRegex(unknown, r"^\x1b\[31mnone: No such file .*\x1b\[m\r\n$")
        self.assertRegex(usage, r"^\x1b\[31miwarpsim table: one STORE is needed, .*\x1b\[m\r\n$")

    def test_none(self):
        for environment in ("NO_COLOR=1", "TERM=dumb"):
            for shown in self.run_with(environment, (0, "run a.cfg -o o"), (2, "table none")):
                self.assertNotIn("\x1b", shown)

    def test_width(self):
        """Sentences are broken on a terminal; elsewhere each is a line."""
        kit.write("a.cfg", SHORT_RUN + 'receiver: { mode = "in-order"; }; path: { forward: { drop = [3]; }; };')
        self.shell("iwarpsim run a.cfg -q -o o")
        whole = self.shell("iwarpsim explain-peak o", COLUMNS="60").stdout
        self.assertEqual(whole.count("\n"), 1)
        shown = self.finish(*self.start("COLUMNS=60 iwarpsim explain-peak o"))
        self.assertLessEqual(max(map(len, shown.split("\r\n"))), 60)
        self.assertEqual(shown.replace("\r\n", " ").rstrip(), whole.rstrip())


class Slow(TerminalTest):
    def test_check(self):
        """200,000 points with a hundred conditions each take seconds."""
        conditions = " and ".join(["run.seed > 0", *[f"run.seed != {2000 + i}" for i in range(100)]])
        shown = self.show('sweep = ( { key = "run.seed"; from = 1; to = 200; }, { key = "workload.messages";'
                          f' from = 1; to = 1000; }} ); where = "{conditions}";', "iwarpsim check a.cfg")
        self.assertRegex(shown, rf"^(\r\x1b\[K\d+ % done, checking the points of the sweep(, {LEFT})?)+"
                         r"\r\x1b\[Ka.cfg: ok, a sweep of 200000 runs\r\na.cfg: .* in the largest run\r\n$")
