#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs that crash, hang or are killed, and two sweeps into one store: lost runs are reported, the others are
kept, and the same command runs the lost ones again."""
import os
import re
import signal
import time
import unittest

import program_kit as kit

# Runs of half a second and more: long enough to be met in their midst.
SLOW = kit.SCENARIO.replace("messages = 4;", "messages = 8000;").replace("[1500, 4000, 9000]", "[9000]")
STORE = "children.sqlite"


class LostChildren(unittest.TestCase):
    def setUp(self):
        self.enterContext(kit.folder("children"))
        kit.write("slow.cfg", SLOW)

    def start(self, *options):
        # The sanitizers' own handler would make an exit code of a SIGSEGV.
        environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}
        return kit.start("sweep", "slow.cfg", "--store", STORE, "-j", "1", *options, env=environment)

    def run_of(self, sweep):
        """A run in its midst: its simulated time goes on."""
        kit.wait_until(lambda: kit.children(sweep.pid))
        time.sleep(0.03)
        return kit.children(sweep.pid)[0]

    def complete(self, points=4):
        """Checks what the same command does then; all is there."""
        sweep = self.start()
        said, _ = sweep.communicate(timeout=2 * kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 0, said)
        self.assertEqual([row["run"][2] for row in kit.rows(STORE)], ["ok"] * points)
        return said

    def lose(self, number, *options):
        """Sends signal `number` to the first run, and lets the sweep end; what it printed and the row of that
        run."""
        sweep = self.start(*options)
        os.kill(self.run_of(sweep), number)
        said, _ = sweep.communicate(timeout=2 * kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 1, said)
        (row,) = [row for row in kit.rows(STORE) if row["run"][1] == 0]
        identity, point, status, message, exit_code = row["run"][:5]
        self.assertEqual((point, status, len(identity)), (0, "failed", 64))
        self.assertIn(f"run 1 (path.forward.mtu=9000 run.seed=1) failed: {message}", said)
        return said, message, exit_code

    def test_crashed(self):
        said, message, exit_code = self.lose(signal.SIGSEGV, "--keep-going")
        self.assertEqual(exit_code, 128 + signal.SIGSEGV)
        self.assertIn("ended by signal 11 (Segmentation fault)", message)
        self.assertIn("4 runs: 4 run now, 0 already there, 1 failed", said)
        self.assertEqual([row["run"][2] for row in kit.rows(STORE)].count("ok"), 3)
        self.assertIn("1 run now, 3 already there, 0 failed", self.complete())

    def test_killed_by_memory(self):
        # What the kernel does to a process when memory runs out. No further run starts after it.
        said, message, exit_code = self.lose(signal.SIGKILL)
        self.assertEqual(exit_code, 128 + signal.SIGKILL)
        self.assertRegex(message, "ended by signal 9 .*only the kernel, out of memory, or a person sends it")
        self.assertIn("3 not started", said)
        self.assertEqual(len(kit.rows(STORE)), 1)
        self.complete()

    def test_allocation_refused(self):
        # Three thousand connections and their buffers hold some 30 MiB. When an allocation fails GLib prints
        # a line and aborts or, if no memory is left even for that, recurses until the stack is full. Which of
        # the two depends on what was allocated last; the sweep explains either. Under a sanitizer the run
        # does not even start.
        kit.write("slow.cfg", kit.SCENARIO.replace("messages = 4;", "messages = 1; connections = 3000;")
                  .replace("[1500, 4000, 9000]", "[9000]"))
        sweep = self.start("--memory", "12MiB")
        said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 1, said)
        (row,) = kit.rows(STORE)
        self.assertEqual(row["run"][2], "failed")
        self.assertRegex(row["run"][3], "or out of memory.*(failed to allocate|Cannot allocate)"
                         "|signal 11.*the 12.0.MiB of data that it may hold|Sanitizer|Failed to mmap|error while loading")
        self.complete()

    def test_hanging(self):
        # SIGSTOP: simulated time stands still, and SIGTERM is not delivered. A second later the run is killed.
        said, message, exit_code = self.lose(signal.SIGSTOP, "--stall", "2s", "--keep-going")
        self.assertIn("its simulated time stood still for 2 s (--stall)", message)
        self.assertEqual(exit_code, 128 + signal.SIGKILL)
        self.assertIn("1 failed", said)
        self.complete()

    def test_two_sweeps_into_one_store(self):
        kit.write("small.cfg")
        self.assertEqual(kit.iwarpsim("sweep", "small.cfg", "--store", "whole.sqlite").returncode, 0)
        both = [kit.start("sweep", "small.cfg", "--store", STORE, "-j", "2") for _ in range(2)]
        for sweep in both:
            said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
            self.assertEqual(sweep.returncode, 0, said)
            self.assertIsNotNone(re.search(rf"^{kit.POINTS} runs: ", said, re.MULTILINE), said)
        self.assertEqual(kit.rows(STORE), kit.rows("whole.sqlite"))
        self.assertEqual(sorted(os.listdir()), [STORE, "slow.cfg", "small.cfg", "whole.sqlite"])

    def test_killed_between_small_runs(self):
        # A process makes many of these runs, one after another: whenever one is killed, that is the end of one run
        # at most, and the others are those of a sweep in which nothing is killed.
        runs = 400
        kit.write("small.cfg", kit.SEEDS.replace("to = 3", f"to = {runs}"))
        self.assertEqual(kit.iwarpsim("sweep", "small.cfg", "--store", "whole.sqlite").returncode, 0)
        sweep = kit.start("sweep", "small.cfg", "--store", STORE, "-j", "2", "--keep-going")
        kills = 0
        while kills < 5 and sweep.poll() is None:
            for process in kit.children(sweep.pid)[:1]:
                os.kill(process, signal.SIGKILL)
                kills += 1
            time.sleep(0.02)
        said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        lost = [row["run"] for row in kit.rows(STORE) if row["run"][2] != "ok"]
        self.assertLessEqual(len(lost), kills, said)
        self.assertIn(f"{runs} runs: {runs} run now, 0 already there, {len(lost)} failed", said)
        for run in lost:
            self.assertEqual((run[2], run[4]), ("failed", 128 + signal.SIGKILL))
            self.assertIn("ended by signal 9", run[3])
        again = kit.iwarpsim("sweep", "small.cfg", "--store", STORE)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(kit.rows(STORE), kit.rows("whole.sqlite"))

    def test_children_die_with_their_parent(self):
        # A run of minutes: only a process that gets the signal ends at once.
        kit.write("slow.cfg", SLOW.replace("messages = 8000;", "messages = 4000000;"))
        sweep = self.start()
        run = self.run_of(sweep)
        sweep.kill()
        sweep.communicate()
        end = time.monotonic() + kit.PATIENCE_S
        while kit.is_running(run) and time.monotonic() < end:
            time.sleep(0.01)
        outlives = kit.is_running(run)
        if outlives:
            os.kill(run, signal.SIGKILL)
        self.assertFalse(outlives)

    def test_suspended(self):
        # Ctrl-Z and `fg`: all of it stands, for longer than a run may stall, and then goes on.
        sweep = self.start("--stall", "2s")
        processes = [sweep.pid, self.run_of(sweep)]
        sweep.send_signal(signal.SIGTSTP)
        end = time.monotonic() + kit.PATIENCE_S
        while any(kit.state(process) != "T" for process in processes) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual([kit.state(process) for process in processes], ["T"] * 2)
        time.sleep(2.5)
        sweep.send_signal(signal.SIGCONT)
        said, _ = sweep.communicate(timeout=2 * kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 0, said)
        self.assertIn("4 runs: 4 run now, 0 already there, 0 failed", said)

    def test_interrupted(self):
        sweep = self.start()
        self.run_of(sweep)
        sweep.send_signal(signal.SIGINT)
        said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 130, said)
        self.assertRegex(said, "interrupted: [0-9]+ done, [0-9]+ to go; rerun the command to resume")
        self.assertNotIn("failed", [row["run"][2] for row in kit.rows(STORE)])
        self.complete()


if __name__ == "__main__":
    unittest.main(verbosity=2)
