#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what scripts/golden takes for a difference: a result, not the version or a wall clock."""

import importlib.machinery
import importlib.util
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("golden", os.environ["GOLDEN"])
golden = importlib.util.module_from_spec(importlib.util.spec_from_loader("golden", loader))
loader.exec_module(golden)
golden.PROGRAM = Path(sys.argv.pop(1)).resolve()
os.chdir(Path(os.environ["GOLDEN"]).parent.parent)
EVERY_EVENT = ("random/101", "random/100", "random/066", "rare/octets-wrong", "rare/guess-wrong", "startup/fallback",
               "fault/startup-short/responder")
CASE = ("", ["workload.messages=2", "path.forward.loss=1%"])


class Golden(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def made_by(self, script):
        """The row that a program makes which is `script`, where $PROGRAM is the true one."""
        program, wrapper = golden.PROGRAM, Path(self.folder.name) / "wrapper"
        wrapper.write_text(f'#!/bin/sh\nPROGRAM={program}\n{script}\n', encoding="utf-8")
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        try:
            golden.PROGRAM = wrapper
            return self.made("wrapped")
        finally:
            golden.PROGRAM = program

    def expect_difference(self, row, other, columns):
        differing = {column for column, one, two in zip(golden.COLUMNS, row, other) if one != two}
        self.assertEqual(differing, columns)

    def made(self, name, settings=()):
        return golden.make("random/1", (CASE[0], CASE[1] + list(settings)), "native",
                           Path(self.folder.name) / name)

    def test_the_same_run_has_the_same_digests(self):
        row = self.made("a")
        self.assertEqual(row, self.made("b"))
        self.assertNotIn("-", row)

    def test_another_result_is_a_difference(self):
        # Only the reverse path's rate differs: the same packets at other times.
        row, other = self.made("a"), self.made("b", ["path.reverse.rate=9Gbit/s"])
        differing = {column for column, one, two in zip(golden.COLUMNS, row, other) if one != two}
        self.assertLessEqual({"summary", "receiver", "sender", "others", "trace", "decode"}, differing)

    def test_what_the_program_prints_counts(self):
        self.expect_difference(self.made("a"), self.made_by('echo "one line more" >&2; exec $PROGRAM "$@"'),
                               {"printed", "trace", "explained", "decode", "decode_json", "replay"})

    def test_a_lost_event_is_found(self):
        self.expect_difference(self.made("a"), self.made_by(
            """[ "$1" = trace ] || exec $PROGRAM "$@"; $PROGRAM "$@" | sed '100d'"""), {"trace"})

    def test_a_changed_table_is_found(self):
        """One message fewer in messages.csv."""
        self.expect_difference(self.made("a"), self.made_by(
            """$PROGRAM "$@"; done=$?; [ ! -f out/messages.csv ] || sed -i '3d' out/messages.csv; exit $done"""), {"others"})

    def test_every_event_is_in_a_case(self):
        """Each event of a trace occurs in one of these cases, so that a digest changes where it is lost."""
        schema = json.loads(subprocess.run([golden.PROGRAM, "explain", "trace", "--schema"], check=True,
                                           capture_output=True).stdout)
        missing = {kind["properties"]["event"]["const"] for kind in schema["oneOf"]}
        cases = golden.all_cases()
        for name in EVERY_EVENT:
            folder = Path(self.folder.name) / name
            golden.make(name, cases[name], "native", folder)
            printed = subprocess.run([golden.PROGRAM, "trace", folder / "run.trace"], check=True, capture_output=True)
            missing -= {json.loads(line)["event"] for line in printed.stdout.splitlines()}
        self.assertEqual(missing, set())

    def test_a_sweep(self):
        """What its commands print: every run counts, the wall clock does not."""
        text, settings = golden.sweep_cases()["sweep/star"]
        printed = [golden.make("sweep/star", (case, settings), "native", Path(self.folder.name) / str(number))[0]
                   for number, case in enumerate((text, text, text.replace("to = 4", "to = 5")))]
        self.assertEqual(printed[0], printed[1])
        self.assertNotEqual(printed[0], printed[2])

    def test_version_and_wall_clock_do_not_count(self):
        summary = (b'{\n    "version": "%s",\n    "git": "%s",\n'
                   b'    "time.wall_s": %s,\n    "tcp.segments": %s\n')
        one = golden.digest(summary % (b"0.1.0", b"abc", b"0.1", b"7"))
        self.assertEqual(one, golden.digest(summary % (b"0.2.0", b"def", b"0.2", b"7")))
        self.assertNotEqual(one, golden.digest(summary % (b"0.1.0", b"abc", b"0.1", b"8")))
        self.assertEqual(golden.digest(b"  program    iwarpsim 0.1.0 (abc)\n"),
                         golden.digest(b"  program    iwarpsim 0.1.0 (def)\n"))
        self.assertEqual(golden.digest(b"# scenario a, seed 1, iwarpsim 0.1.0\n1,2\n"),
                         golden.digest(b"# scenario a, seed 1, iwarpsim 9\n1,2\n"))
        self.assertEqual(golden.digest(b"scenario a, seeds 1-8, iwarpsim 0.1.0 (git abc)\n32 runs\n"),
                         golden.digest(b"scenario a, seeds 1-8, iwarpsim 0.2.0 (git def)\n32 runs\n"))

    def test_a_shipped_scenario_has_a_summary(self):
        # One that cannot be run prints why, and makes nothing.
        nothing = ["0"] + ["-"] * (len(golden.COLUMNS) - 1)
        whole = ["0"] * len(golden.COLUMNS)
        golden.refuse_without_summary({("shipped/a", "native"): whole, ("mistake/1", "native"): nothing})
        with self.assertRaisesRegex(golden.Problem, "no summary of shipped/a on ns3; expected one"):
            golden.refuse_without_summary({("shipped/a", "native"): whole, ("shipped/a", "ns3"): nothing})

    def test_every_case_has_a_digest(self):
        known = golden.read_digests()
        cases = golden.all_cases()
        self.assertEqual({name for name, _ in known}, set(cases))
        self.assertEqual(sum(name.startswith("random/") for name in cases), 206)
        for generation in golden.GENERATIONS:
            self.assertIn(f"generation/{generation}/read", cases)


if __name__ == "__main__":
    unittest.main()
