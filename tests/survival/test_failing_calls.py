#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""One open, write, fsync or rename of a command fails, one malloc does, or it is killed there: words that
name the file, an exit code, nothing lost, and the same command makes up for it.

A draw of calls, of which each write and fsync fails in every way; --long: every call, and --mallocs=N of them
(500 of all commands). --only=COMMAND: of one. --seed=N: another draw.
"""
import argparse
import contextlib
import errno
import json
import os
import random
import shutil
import signal
import struct
import unittest

import program_kit as kit

LIBRARY = os.path.abspath(os.environ["FAILING_CALLS"])
KINDS = ("open", "write", "fsync", "rename")
ERRORS = {"open": [errno.EIO], "write": [errno.ENOSPC, errno.EIO], "fsync": [errno.EIO],
          "rename": [errno.ENOSPC]}
KILL = 0
STAGED = ".iwarpsim-new-"
# Three runs: each call of a sweep is tried, and each takes a sweep.
THREE = kit.SCENARIO.replace("values = [1500, 4000, 9000]", "values = [9000]").replace("to = 4", "to = 3")
COMMANDS = {
    "sweep": ["sweep", "small.cfg", "--store", "s.sqlite", "-j", "1", "--keep-going", "--quiet"],
    "merge": ["merge", "whole.sqlite", "-o", "s.sqlite", "--quiet"],
    "report": ["report", "whole.sqlite", "-o", "page.html", "--quiet"],
    "plot": ["plot", "whole.sqlite", "--what", "distribution", "--out", ".", "--quiet"],
    "run": ["run", "small.cfg", "--out", "r", "--pcap", "--quiet", "--set", "path.forward.mtu=9000"],
}
OPTIONS = argparse.ArgumentParser(description=__doc__)
OPTIONS.add_argument("--long", action="store_true")
OPTIONS.add_argument("--mallocs", type=int, default=500)
OPTIONS.add_argument("--only", choices=sorted(COMMANDS))
OPTIONS.add_argument("--seed", type=int, default=1)


def names():
    return sorted(os.path.relpath(os.path.join(folder, name)) for folder, _, found in os.walk(".")
                  for name in found)


def meaning(name):
    """Returns what a file says, but for how long something took."""
    if name.endswith(".sqlite"):
        return kit.rows(name)
    if name.endswith("summary.json"):
        with open(name, encoding="utf-8") as file:
            summary = json.load(file)
        summary["metrics"] = {metric: value for metric, value in summary["metrics"].items()
                              if not kit.measures_the_machine(metric)}
        return summary
    return kit.octets(name)


def meanings():
    return {name: meaning(name) for name in names()}


class Trial:
    """A command with one call that fails: its process, how many calls there were, and the path of the one
    that failed."""

    def __init__(self, arguments, kind, failing, how):
        with open("../record", "wb"):
            pass
        record = os.path.abspath("../record")
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "FAIL_CALLS": f"{kind}:{failing}:{how}:{record}",
                       "TMPDIR": os.path.dirname(record)}
        self.run = kit.iwarpsim(*arguments, env=environment)
        content = kit.octets("../record")
        self.calls = struct.unpack("=Q", content[:8])[0]
        self.path = os.fsdecode(content[8:].partition(b"\0")[0])

    def name(self):
        """Under which the user knows the file."""
        if os.path.isdir(self.path):
            return ""  # whose file it was, nobody knows
        parts = [part for part in self.path.split("/") if not part.startswith(STAGED)]
        return parts[-1].removeprefix("old-").removesuffix("-journal")


class FailingCalls(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(options.seed)
        self.enterContext(kit.folder("failing"))
        os.mkdir("before")
        with contextlib.chdir("before"):
            self.make_older_results()
        self.tried = {}

    def make_older_results(self):
        """Makes what stands where the commands write: a store that lacks two of three runs, the page, the
        plot and the run of something else."""
        kit.write("small.cfg", THREE)
        for command in (["sweep", "small.cfg", "--store", "whole.sqlite", "--shard", "1/3"],
                        ["report", "whole.sqlite", "-o", "page.html"],
                        ["plot", "whole.sqlite", "--what", "distribution", "--out", "."],
                        ["run", "small.cfg", "--out", "r", "--pcap"]):
            made = kit.iwarpsim(*command)
            self.assertEqual(made.returncode, 0, made.stderr)
        shutil.copy("whole.sqlite", "s.sqlite")
        made = kit.iwarpsim("sweep", "small.cfg", "--store", "whole.sqlite")
        self.assertEqual(made.returncode, 0, made.stderr)

    @contextlib.contextmanager
    def fresh(self):
        """A folder as it was before, to be in."""
        shutil.copytree("before", "trial")
        try:
            with contextlib.chdir("trial"):
                yield
        finally:
            shutil.rmtree("trial")

    def check_kept(self, before, after, died):
        """Checks that, after a failure, all is as it was, but for rows that came to the store. Who was killed
        may have put new files in their places."""
        if os.path.exists("s.sqlite-journal"):
            kit.iwarpsim("export", "s.sqlite", "--csv", "/dev/null")  # takes back what was half written
        left = [name for name in names() if name not in before]
        self.assertTrue(died or left == [], left)
        for name, old in before.items():
            if name.endswith(".sqlite"):
                now = kit.rows(name)
                self.assertEqual([row for row in old if row not in now], [])
                strange = [row for row in now if row not in after[name] and row["run"][2] != "failed"]
                self.assertEqual(strange, [])
            elif not os.path.exists(name):
                # Set aside while the new one takes its place, and never lost: run's summary goes first and
                # comes last.
                self.assertTrue(died and any(STAGED in other for other in left), f"{name} is gone")
                self.assertFalse(os.path.exists("r/summary.json") and name.startswith("r/"))
            else:
                self.assertIn(meaning(name), (old, after[name]) if died else (old,), name)

    def try_one(self, command, kind, failing, how, before, after):
        with self.subTest(command=command, kind=kind, call=failing, how=how), self.fresh():
            trial = Trial(COMMANDS[command], kind, failing, how)
            code, said = trial.run.returncode, trial.run.stderr
            died = how == KILL or kind == "malloc"
            if code == 0:
                self.assertEqual(meanings(), after)  # it could do without
            else:
                # Without memory GLib aborts, and g_regex_new() crashes.
                self.assertIn(code, (1, 2, -signal.SIGKILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV)
                              if died else (1, 2), said)
                if how != KILL and code != -signal.SIGSEGV:
                    self.assertNotEqual(said, "")
                    self.assertTrue(trial.path.startswith(("/dev/", "/proc/")) or trial.name() in said,
                                    (trial.path, said))
                    if kind in ("write", "fsync") and trial.name().endswith(".sqlite"):
                        self.assertIn("nothing committed was lost", said)
                self.check_kept(before, after, died)
            self.tried[kind] = self.tried.get(kind, 0) + 1
            again = kit.iwarpsim(*COMMANDS[command])
            self.assertEqual(again.returncode, 0, again.stderr)
            now = {name: what for name, what in meanings().items() if not (died and STAGED in name)}
            self.assertEqual(now, after)

    def draw(self, count, kind, commands):
        """Returns which of `count` calls are to fail."""
        if options.long and kind != "malloc":
            return range(1, count + 1)
        wanted = options.mallocs // commands if options.long else 1
        return sorted(self.random.sample(range(1, count + 1), min(wanted, count)))

    def try_command(self, command, commands):
        with self.fresh():
            before = meanings()
            done = kit.iwarpsim(*COMMANDS[command])
            self.assertEqual(done.returncode, 0, done.stderr)
            after = meanings()
        for kind in (*KINDS, "malloc"):
            with self.fresh():
                count = Trial(COMMANDS[command], kind, 0, 0).calls
            hows = [errno.ENOMEM] if kind == "malloc" else [*ERRORS[kind], KILL]
            for failing in self.draw(count, kind, commands):
                for how in hows if options.long or kind in ("write", "fsync") else [self.random.choice(hows)]:
                    self.try_one(command, kind, failing, how, before, after)
            print(f"{command}: {count} calls of {kind}, {self.tried.pop(kind, 0)} failures", flush=True)

    def test_every_failure(self):
        print(f"seed {options.seed}")
        commands = [options.only] if options.only else list(COMMANDS)
        for command in commands:
            self.try_command(command, len(COMMANDS))


if __name__ == "__main__":
    options = OPTIONS.parse_args()
    unittest.main(argv=["test_failing_calls.py"], verbosity=2)
