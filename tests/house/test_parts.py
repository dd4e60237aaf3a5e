#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/parts: made-up parts in a repository of their own, run, failed, interrupted and gone on with; and that
scripts/long-tests.txt leaves out no long test."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE, BUILD = Path(os.environ["SOURCE"]), Path(os.environ["BUILD"])
PARTS = SOURCE / "scripts/parts"
# Each part adds a line to the file `ran`, which is not tracked.
TABLE = """# made up
first: ends well
    echo first >>ran; echo words
second: fails as long as there is no file `fine`
    echo second >>ran; echo trouble; test -e fine
third: ends well, too
    echo third >>ran
"""


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "table").write_text(TABLE, encoding="utf-8")
        (self.folder / "a.c").write_text("int a;\n", encoding="utf-8")
        self.git("init", "-q")
        self.git("add", "table", "a.c")
        self.git("commit", "-qm", "a")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", *arguments], cwd=self.folder, check=True)

    def parts(self, *arguments, code=0):
        done = subprocess.run([PARTS, "table", "record", *arguments], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def ran(self):
        """Returns what has run since the last time that it was asked for."""
        path = self.folder / "ran"
        lines = path.read_text(encoding="utf-8").split() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def test_what_has_passed_is_not_run_again(self):
        done = self.parts(code=1)
        self.assertEqual(self.ran(), ["first", "second", "third"])
        self.assertRegex(done.stdout, r"trouble\n== .* second: FAILED with exit code 1 after 0:00:0\d\n")
        self.assertEqual([re.split(r"  +", line)[:3] for line in done.stdout.splitlines()[-4:-1]],
                         [["first", "passed", "0:00:00"], ["second", "exit code 1", "0:00:00"],
                          ["third", "passed", "0:00:00"]])
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 1 failed, 0 not run")
        self.assertEqual((self.folder / "record/first.log").read_text(encoding="utf-8"), "words\n")
        (self.folder / "fine").touch()
        done = self.parts()
        self.assertEqual(self.ran(), ["second"])
        self.assertEqual(done.stdout.splitlines()[-1], "3 passed, 0 failed, 0 not run")
        self.parts()
        self.assertEqual(self.ran(), [])

    def test_other_files_are_another_commit(self):
        self.parts("first")
        (self.folder / "a.c").write_text("int b;\n", encoding="utf-8")
        self.parts("first")
        self.assertEqual(self.ran(), ["first", "first"])
        # Committed, they are the same files.
        self.git("commit", "-qam", "b")
        self.parts("first")
        self.assertEqual(self.ran(), [])

    def test_some_parts(self):
        self.assertEqual(self.parts("third", "first").stdout.splitlines()[-1], "2 passed, 0 failed, 0 not run")
        self.assertEqual(self.ran(), ["third", "first"])
        self.assertEqual(self.parts("--list").stdout.splitlines()[-1], "2 passed, 0 failed, 1 not run")
        self.assertEqual(self.ran(), [])

    def test_interrupted(self):
        """It ends what runs, keeps what has passed, and goes on with the rest."""
        for number in (signal.SIGINT, signal.SIGTERM):
            waits = TABLE.replace("test -e fine", "touch waits; exec sleep 1000")
            (self.folder / "table").write_text(waits, encoding="utf-8")
            process = subprocess.Popen([PARTS, "table", "record"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
            while not (self.folder / "waits").exists():
                time.sleep(0.01)
            process.send_signal(number)
            output = process.communicate()[0]
            self.assertEqual(process.returncode, 130, output)
            self.assertEqual(output.splitlines()[-1], "interrupted: 1 passed, 0 failed, 2 not run")
            (self.folder / "waits").unlink()
        self.assertEqual(self.ran(), ["first", "second", "second"])

    def test_refused(self):
        self.assertEqual(self.parts("frist", code=2).stderr, "parts: no part 'frist'; did you mean 'first'?\n")
        (self.folder / "table").write_text(TABLE + "fourth: has no command\n", encoding="utf-8")
        self.assertEqual(self.parts(code=2).stderr, "parts: table: expected a line 'name: what it does' and an "
                         "indented command for each part\n")
        self.assertEqual(self.ran(), [])


class LongTests(unittest.TestCase):
    def test_each_is_in_a_part(self):
        commands = re.findall(r"(?m)^ +(.*)$", (SOURCE / "scripts/long-tests.txt").read_text(encoding="utf-8"))
        named = {word for command in commands if " --in build " in command for word in shlex.split(command)}
        tests = json.loads((BUILD / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
        long = {test["name"] for test in tests if any(suite.endswith(":long") for suite in test["suite"])}
        self.assertGreater(len(long), 10)
        self.assertEqual(long - named, set())


if __name__ == "__main__":
    unittest.main()
