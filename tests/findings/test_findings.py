#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/findings says of made-up runs: means and intervals, tables, what differs, and what it
refuses."""

import importlib.machinery
import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("findings", os.environ["FINDINGS"])
findings = importlib.util.module_from_spec(importlib.util.spec_from_loader("findings", loader))
loader.exec_module(findings)

HEADER = "run.seed,receiver.mode,mpa.markers.key,tcp.segments,mpa.markers,time.wall_s,status"
RUNS = ["1,in-order,false,100,0,0.1,ok", "2,in-order,false,300,0,0.2,ok",
        "1,out-of-order,true,40,10,0.1,ok", "2,out-of-order,true,60,20,0.3,ok",
        "3,out-of-order,true,,30,0.3,failed"]


class Made(unittest.TestCase):
    """Each test has a reference of its own with the one study `s`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        findings.REFERENCE = Path(self.folder.name)
        self.write(RUNS)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, runs):
        (findings.REFERENCE / "s").mkdir(exist_ok=True)
        (findings.REFERENCE / "s" / "s.csv").write_text("\n".join(["# scenario: s", HEADER, *runs, ""]))


class Numbers(Made):
    def test_interval(self):
        # 1, 2, 3, 4: mean 2.5, s² = 5/3, t(3) = 3.18245; half-width 3.18245 √(5/12) = 2.0543
        mean, half_width = findings.statistics([1, 2, 3, 4])
        self.assertAlmostEqual(mean, 2.5)
        self.assertAlmostEqual(half_width, 2.0543, places=3)

    def test_one_value_has_no_interval(self):
        self.assertEqual(findings.statistics([7.0]), (7.0, None))
        self.assertEqual(findings.shown(7.0, None, "number"), "7")

    def test_shown(self):
        self.assertEqual(findings.shown(110592, 3072, "octets"), "108 ± 3 KiB")
        self.assertEqual(findings.shown(0.92881, None, "percent 4"), "92.88 %")
        self.assertEqual(findings.shown(8.29e9, 4.1e8, "bit_per_s"), "8.29 ± 0.41 Gbit/s")
        self.assertEqual(findings.shown(0, 0, "octets"), "0 ± 0 octets")
        self.assertEqual(findings.shown(740e-9, 41e-9, "s"), "740 ± 41 ns")
        with self.assertRaises(findings.Problem):
            findings.shown(1, None, "furlongs")

    def test_value_is_that_of_one_point(self):
        # 100 and 300: mean 200, s = 141.42, t(1) = 12.706; 12.706 · 141.42 / √2 = 1270.6
        text = findings.fill_in("{{value s | tcp.segments | receiver=in order | number}}")
        self.assertEqual(text, "200 ± 1271")

    def test_pair_takes_the_same_seeds(self):
        # 100 - 40 = 60 and 300 - 60 = 240: mean 150; the run that failed is no run
        text = findings.fill_in("{{pair s | tcp.segments | | "
                                "receiver=in order/out of order, markers | number}}")
        self.assertTrue(text.startswith("150 ± "), text)

    def test_factor_is_the_geometric_mean_of_the_ratios_of_the_same_seeds(self):
        # 100/40 = 2.5 and 300/60 = 5: √12.5 = 3.54; ln 5 - ln 2.5 = 0.693, s = 0.490, 12.706 · 0.490 / √2 = 4.40:
        # 3.54 / e^4.40 = 0.043, 3.54 · e^4.40 = 289
        pairing = "receiver=in order/out of order, markers"
        self.assertEqual(findings.fill_in("{{factor s | tcp.segments | | " + pairing + "}}"), "3.5 (0.043 to 290)")

    def test_claim_holds_when_the_whole_interval_does(self):
        def holds(claim):
            try:
                self.assertEqual(findings.fill_in("a\n{{claim s | tcp.segments | " + claim + "}}\nb"), "a\nb")
                return True
            except findings.Problem as problem:
                self.assertIn("is no longer at", str(problem))
                return False

        # 200 ± 1270.6, and the factor above
        pairing = " | receiver=in order/out of order, markers | "
        self.assertTrue(holds("receiver=in order | at most 1471"))
        self.assertFalse(holds("receiver=in order | at most 1470"))
        self.assertTrue(holds("receiver=in order | at least -1071"))
        self.assertFalse(holds("receiver=in order | at least -1070"))
        self.assertTrue(holds(pairing + "at least 0.043"))
        self.assertFalse(holds(pairing + "at least 0.044"))
        with self.assertRaisesRegex(findings.Problem, "is not 'at least N' or 'at most N'"):
            findings.fill_in("{{claim s | tcp.segments | receiver=in order | around 3}}")

    def test_ratio_is_of_each_run(self):
        # 10/40 and 20/60 (mpa.markers the metric): mean 7/24 = 29.2 %
        text = findings.fill_in("{{value s | mpa.markers / tcp.segments | "
                                "receiver.mode=out-of-order | percent}}")
        self.assertTrue(text.startswith("29.2 ± "), text)

    def test_table(self):
        text = findings.fill_in("{{table s | tcp.segments | run.seed=1 | receiver | run.seed | number}}")
        self.assertEqual(text.splitlines(),
                         ["| receiver \\ run.seed | 1 |", "|---|---|", "| in order | 100 |",
                          "| out of order, markers | 40 |"])


class Refused(Made):
    def refused(self, template, words):
        with self.assertRaises(findings.Problem) as caught:
            findings.fill_in(template)
        self.assertIn(words, str(caught.exception))

    def test_templates(self):
        self.refused("{{value s | tcp.segments | | number}}", "more than one point")
        self.refused("{{value s | tcp.segmnts | receiver=in order | number}}", "unknown metric 'tcp.segmnts'")
        self.refused("{{value s | tcp.segments | recever=in order | number}}", "unknown key 'recever'")
        self.refused("{{value s | tcp.segments | receiver=none | number}}", "no run has")
        self.refused("{{value t | tcp.segments | | number}}", "not there")
        self.refused("{{mean s | tcp.segments | | number}}", "cannot read")
        self.refused("{{value s | tcp.segments | receiver | number}}", "is not KEY=VALUE")


class Differences(Made):
    def rows(self):
        return findings.read_rows(findings.REFERENCE / "s" / "s.csv")

    def test_wall_time_is_none(self):
        old = self.rows()
        self.write([run.replace(",0.1,ok", ",9.9,ok") for run in RUNS])
        self.assertEqual(findings.differences("s", old, self.rows()), [])

    def test_a_metric_is_one(self):
        old = self.rows()
        self.write([RUNS[0], RUNS[1].replace("300", "301"), *RUNS[2:]])
        self.assertEqual(findings.differences("s", old, self.rows()),
                         ["s, run 2: tcp.segments was 300, is 301"])

    def test_a_new_column_is_none_and_one_that_is_gone_is_one(self):
        old = self.rows()
        new = [dict(row, **{"tcp.profile": "linux"}) for row in old]
        self.assertEqual(findings.differences("s", old, new), [])
        self.assertEqual(findings.differences("s", new[:1], old[:1]),
                         ["s, run 1: tcp.profile was linux, is None"])

    def test_a_missing_run_is_one(self):
        old = self.rows()
        self.write(RUNS[:-1])
        self.assertEqual(findings.differences("s", old, self.rows()), ["s: 5 runs in the reference, 4 now"])


if __name__ == "__main__":
    unittest.main()
