# SPDX-License-Identifier: GPL-2.0-only
"""These tests interrupt a command that is at work: exit status 130, and what was there before is all that is there
after. Sweeps and searches are in test_cli_sweep.py and test_cli_size.py."""
import json
import os
import pathlib
import re
import resource
import signal
import sqlite3
import subprocess

import program_kit as kit

# It would take minutes.
ENDLESS = 'run: { engine = "native"; }; workload: { messages = 10000000; };'
SHORT = ENDLESS.replace("10000000", "100")


def hidden_folders():
    return list(pathlib.Path().rglob(".iwarpsim-new-*"))


def tree():
    """Every file and folder, with what is in the files."""
    return {str(path): path.is_dir() or hash(path.read_bytes()) for path in pathlib.Path().rglob("*")}


def holds_signals(pid):
    """Returns whether SIGINT has to wait."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("SigBlk:")[2].split()[0], 16) >> (signal.SIGINT - 1) & 1 == 1


def sleeps(pid):
    """How often it has waited for anything."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def sleeps_of_children():
    """The same of all that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw


class Interrupt(kit.ProgramTest):
    stays = ["*"]

    def setUp(self):
        super().setUp()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests themselves run under nohup

    def interrupt(self, arguments, at_work, number=signal.SIGINT, **options):
        """Sends the signal when `at_work(pid)` is true; no file may differ after it."""
        before = tree()
        process = kit.start(*arguments.split(), stdin=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.kill)
        kit.wait_until(lambda: at_work(process.pid) or process.poll() is not None)
        process.send_signal(number)
        _, errors = process.communicate(timeout=kit.PATIENCE_S)
        errors = re.sub(r"^note: .* of buffers\n", "", errors)  # the cost, before the run
        self.assertEqual((process.returncode, errors), (128 + number, ""), arguments)
        self.assertEqual(tree(), before)

    def test_run(self):
        """Into new folders; over earlier results, and over an earlier trace."""
        kit.write("a.cfg", ENDLESS)
        self.interrupt("run a.cfg --pcap --trace a.trace -o new/folder", lambda _: hidden_folders())
        self.interrupt("run a.cfg", lambda _: hidden_folders(), signal.SIGTERM)
        kit.write("b.cfg", SHORT)
        self.shell("iwarpsim run b.cfg --pcap -q -o results/a --trace a.trace")
        self.interrupt("run a.cfg --pcap --trace a.trace", lambda _: hidden_folders(), signal.SIGHUP)

    def test_ignored(self):
        """As under nohup: a signal that was ignored before stays so."""
        kit.write("b.cfg", SHORT)
        self.shell("trap '' HUP; iwarpsim run b.cfg -q -o o & while kill -HUP $! 2>/dev/null; do :; done; wait $!")

    def test_again(self):
        """Returns what runs a summary's scenario again."""
        kit.write("b.cfg", SHORT)
        self.shell("iwarpsim run b.cfg -q -o o")
        page = json.loads(kit.octets("o/summary.json"))
        page["scenario"]["keys"]["workload.messages"] = "10000000"
        kit.write("o/summary.json", json.dumps(page))

        def has_trace(pid):
            names = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]
            return any("(deleted)" in name for name in names)

        for arguments in ("explain-peak o", "timeline o -o page.html", "plot o --what sequence"):
            self.interrupt(arguments, has_trace)

    def test_captures(self):
        """A pipe that gives no more is left, and so is the second reading of a file."""
        kit.write("b.cfg", SHORT.replace("100", "800"))
        self.shell("iwarpsim run b.cfg --pcap --trace t -q -o o")
        for arguments in ("decode -", "decode o/receiver.pcap", "trace t"):  # nobody reads what the others print
            self.interrupt(arguments, lambda pid: kit.state(pid) == "S")
        self.interrupt("replay o/receiver.pcap -o r", lambda _: hidden_folders())

    def test_pictures(self):
        """While gnuplot draws, which gets the terminal's Ctrl-C itself."""
        kit.write("a.cfg")
        self.shell("iwarpsim sweep a.cfg -q --store a.sqlite")
        kit.write("gnuplot", "#!/bin/sh\necho $$ >$PID\nexec sleep 100\n")
        os.chmod("gnuplot", 0o755)
        variables = {**os.environ, "PATH": f"{os.getcwd()}:{os.environ['PATH']}", "PID": f"{os.getcwd()}/pid"}
        for arguments in ("plot a.sqlite -o new", "report a.sqlite -o page.html"):
            before = tree()
            process = kit.start(*arguments.split(), env=variables, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            kit.wait_until(lambda: os.path.exists("pid") and kit.octets("pid").endswith(b"\n"))
            process.send_signal(signal.SIGINT)
            code = process.wait(kit.PATIENCE_S)
            os.kill(int(kit.octets("pid")), signal.SIGKILL)
            os.unlink("pid")
            self.assertEqual(code, 130)
            self.assertEqual(tree(), before)

    def test_merge(self):
        """It waits for a store that another process has locked, and no longer when it is interrupted: nothing is joined,
        into a new store or into one that is there."""
        kit.write("a.cfg", kit.SEEDS)
        self.shell("iwarpsim sweep a.cfg -q --store a.sqlite")
        self.shell("iwarpsim sweep a.cfg -q --store there.sqlite --shard 1/3")
        before = {name: kit.rows(name) for name in ("a.sqlite", "there.sqlite")}
        for into in ("new.sqlite", "there.sqlite"):
            lock = sqlite3.connect("a.sqlite", isolation_level=None)
            lock.execute("BEGIN EXCLUSIVE")
            merge = kit.start("merge", "a.sqlite", "-o", into, stderr=subprocess.PIPE)
            self.addCleanup(merge.kill)
            kit.wait_until(lambda: holds_signals(merge.pid) and kit.state(merge.pid) == "S")
            merge.send_signal(signal.SIGSTOP)
            slept = sleeps_of_children() + sleeps(merge.pid)
            merge.send_signal(signal.SIGINT)
            merge.send_signal(signal.SIGCONT)
            output, errors = merge.communicate(timeout=kit.PATIENCE_S)
            self.assertLess(sleeps_of_children() - slept, 100, into)  # it would sleep 1000 times 10 ms
            lock.close()
            self.assertEqual((merge.returncode, output, errors), (130, "", ""), into)
            self.assertEqual({name: kit.rows(name) for name in os.listdir() if name != "a.cfg"}, before)
