#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show how pages are read (pages.py), and how shown output is compared and renewed (shown.py)."""

import unittest

import pages
import shown

PAGE = """# A page

    # my.cfg: a scenario
    workload: { messages = 1; };

    path: { };

Text.

    # a comment, which is no command
    build/iwarpsim run my.cfg \\
        --quiet                 # neither is this
    build/iwarpsim check my.cfg

    my.cfg: fine

    Metrics

```sh
cat > two.cfg <<'EOF'
# two
workload: { };
EOF
ls
```

It prints

```text
two.cfg
```

```diff
+ x
```

    sweep = ( );
"""


class Pages(unittest.TestCase):
    def test_blocks(self):
        found = list(pages.blocks(PAGE))
        self.assertEqual([block.kind for block in found],
                         ["file", "commands", "output", "commands", "output", "other", "other"])
        self.assertEqual(found[0].lines[-2:], ["", "path: { };"])  # a file may have empty lines
        self.assertEqual(found[2].lines, ["my.cfg: fine", "", "Metrics"])  # so may an output
        lines = PAGE.splitlines()
        for block in found:
            self.assertEqual(lines[block.first], block.indent + block.lines[0])

    def test_commands(self):
        found = list(pages.blocks(PAGE))
        self.assertEqual(list(pages.commands(found[1])),
                         ["build/iwarpsim run my.cfg --quiet", "build/iwarpsim check my.cfg"])
        self.assertEqual(list(pages.commands(found[3])),
                         ["cat > two.cfg <<'EOF'\n# two\nworkload: { };\nEOF", "ls"])


class Shown(unittest.TestCase):
    printed = ["run: ok", "peak 1460 octets", "mean 12 octets", "", "time.wall_s   0.25 s", "results in x"]

    def check(self, expected, *lines):
        self.assertEqual(shown.matches(list(lines), self.printed), expected)

    def test_all_lines(self):
        self.check(True, *self.printed)
        self.check(False, *self.printed[1:])
        self.check(False, *self.printed, "more")
        self.check(False, *self.printed[:1], "peak 1461 octets", *self.printed[2:])

    def test_rest(self):
        self.check(True, "…")
        self.check(True, "run: ok", "…")
        self.check(True, "…", "results in x")
        self.check(True, "…", "mean 12 octets", "…", "results in x")
        self.check(True, "run: ok", "…", *self.printed[1:])  # of no line
        self.check(True, "…", "peak 14…", "…")
        self.check(False, "…", "mean 13 octets", "…")
        self.check(False, "…", "peak 1460 octets", "", "…")  # a line is missing
        self.check(False, "…", "mean 12 octets", "…", "peak 1460 octets", "…")  # in another order
        self.check(False, "peak 1460 octets", "…")  # not the first line
        self.check(False, "…", "mean 12 octets")  # not the last one
        self.check(False, "run: ok", "…", "run: ok", *self.printed[1:])  # one line twice

    def test_what_varies(self):
        for one, other in [("time.wall_s   0.1 s  100 ms", "time.wall_s 12 s"),
                           ("program  iwarpsim 0.2.0 (6b1b9fa42b00)", "program  iwarpsim 0.3.0 (unknown)"),
                           ("9 runs (git 6b1b9fa42b00)", "9 runs (git 6b1b9fa42b01-dirty)"),
                           ("9 runs, about 0:01 at -j 2", "9 runs, about 1:00:01 at -j 64"),
                           ("begun 2026-11-28 02:07:07 UTC", "begun 2027-01-01 00:00:00 UTC")]:
            self.assertTrue(shown.same(one, other), one)
        self.assertFalse(shown.same("time.simulated_s 0.1 s", "time.simulated_s 0.2 s"))
        self.assertFalse(shown.same("peak (1234567 octets)", "peak (1234568 octets)"))

    def accepted(self, *lines):
        found = shown.accept(list(lines), self.printed)
        self.assertTrue(shown.matches(found, self.printed), found)
        return found

    def test_accept(self):
        """What is right stays as it is, other numbers are renewed, lines that are gone are dropped, and what
        was left out still is."""
        self.assertEqual(self.accepted("run: ok", "…", "time.wall_s 9 s", "results in x"),
                         ["run: ok", "…", "time.wall_s 9 s", "results in x"])
        self.assertEqual(self.accepted("run: ok", "peak 7 octets", "…", "results in x"),
                         ["run: ok", "peak 1460 octets", "…", "results in x"])
        self.assertEqual(self.accepted("…", "gone 1 packet", "mean 9 octets", "…"),
                         ["…", "mean 12 octets", "…"])
        self.assertEqual(self.accepted("run: failed", "peak 7…", "…"), ["run: ok", "peak 1…", "…"])
        self.assertEqual(self.accepted("an output of old"), self.printed)


unittest.main()
