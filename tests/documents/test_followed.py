#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what test_documents.py finds wrong with a page, and what --accept makes of it.

IWARPSIM is the built program."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(os.environ["IWARPSIM"])
FOLLOW = Path(__file__).with_name("test_documents.py")

README = """    # my.cfg: a scenario
    workload: { messages = 2; message_size = 1000; };
"""
PAGE = """    # own.cfg
    workload: { messages = 1; };

    build/iwarpsim check own.cfg     # a comment

    own.cfg: ok
    own.cfg: 64 KiB in all, 1 message, about 46 segments; less than a second, 64.25 KiB of buffers

```sh
cat my.cfg | head -n 1
printf '<svg>1</svg>' > a.svg
build/iwarpsim run my.cfg
```

```text
  scenario   my (my.cfg), seed 1, native engine
  status     ok
…
```

![A picture](plots/a.svg)
"""


class Followed(unittest.TestCase):
    def setUp(self):
        self.source = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="iwarpsim-followed-")))
        self.page = self.source / "docs/plots.md"
        self.picture = self.source / "docs/plots/a.svg"
        self.picture.parent.mkdir(parents=True)
        (self.source / "README.md").write_text(README)
        self.page.write_text(PAGE)
        self.picture.write_text("<svg>1</svg>")

    def follow(self, *options):
        command = [sys.executable, FOLLOW, "--program", PROGRAM, "--source", self.source, *options, "plots.md"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def check_wrong(self, before, after, *parts):
        """The page is wrong with `after` in place of `before`, and why."""
        self.page.write_text(PAGE.replace(before, after))
        done = self.follow()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stdout)

    def test_right(self):
        done = self.follow()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("{'commands': 4, 'output': 2, 'pictures': 1}", done.stdout)

    def test_shown_output_differs(self):
        self.check_wrong("seed 1", "seed 2", "plots.md: line 16: build/iwarpsim run my.cfg prints something else",
                         "-  scenario   my (my.cfg), seed 2, native engine",
                         "+  scenario   my (my.cfg), seed 1, native engine")
        self.check_wrong("own.cfg: ok", "own.cfg: fine", "plots.md: line 6: build/iwarpsim check own.cfg prints")

    def test_command_differs(self):
        self.check_wrong("run my.cfg", "run my.cfg --seed 2", "prints something else")
        self.check_wrong("check own.cfg", "check other.cfg", "check other.cfg: exit 2, not 0")
        self.check_wrong("run my.cfg", "run my.cfg --set path.forward.drop=[3]",
                         "path.forward.drop=[3] must be quoted for zsh")
        self.check_wrong("cat my.cfg", "scripts/demo.sh", "scripts/demo.sh is not there")

    def test_output_without_a_command(self):
        self.check_wrong("    # own.cfg", "    an output\n\n    # own.cfg", "line 1: is this a command, or an output")

    def test_picture_differs(self):
        self.check_wrong("<svg>1", "<svg>2", "plots/a.svg is not the picture")
        self.check_wrong("> a.svg", "> b.svg", "plots/a.svg: 0 files of this name were made, not one")

    def test_accept(self):
        """What is wrong is renewed, and nothing else is."""
        self.page.write_text(PAGE.replace("seed 1", "seed 2").replace("own.cfg: ok", "own.cfg: fine"))
        self.picture.write_text("<svg>2</svg>")
        self.assertEqual(self.follow("--accept").returncode, 1)
        self.assertEqual(self.page.read_text(), PAGE)
        self.assertEqual(self.picture.read_text(), "<svg>1</svg>")
        self.assertEqual(self.follow().returncode, 0)

    def test_a_command_that_fails_is_not_accepted(self):
        self.page.write_text(wrong := PAGE.replace("check own.cfg", "check other.cfg"))
        self.follow("--accept")
        self.assertEqual(self.page.read_text(), wrong)


unittest.main()
