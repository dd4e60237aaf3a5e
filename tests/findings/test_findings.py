#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what scripts/findings states of made-up statistics and runs: numbers, tables, claims, what
differs, and what it refuses."""

import importlib.machinery
import importlib.util
import os
import shutil
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
# They are as `iwarpsim table` writes them: points, and differences over the same seeds.
STATISTICS = """\
# scenario: s
# version: 0.2.0
receiver.mode,mpa.markers,metric,mean,lower_95,upper_95,largest,coverage_note
in-order,false,tcp.segments,200,50,500,512,
out-of-order,true,tcp.segments,50,40,60,60,"fewer than 16 values, which are skewed"
in-order,false,goodput_bit_per_s,9e9,,,9e9,
out-of-order,true,goodput_bit_per_s,,,,,
# scenario: s
# differences: receiver.mode: in-order minus out-of-order
path.forward.gemodel,metric,mean,ratio,ratio_lower_95,ratio_upper_95,coverage_note
"[1,2]",tcp.segments,150,3.54,0.043,289,
"""
PAIRING = "path.forward.gemodel=[1,2] | receiver.mode=in-order,out-of-order"
ANSWERS = """\
in-order receiver: receiver.memory = 74 KiB keeps goodput_bit_per_s >= 9 (n = 8); 75264 does not
out-of-order receiver: no value of receiver.memory keeps it
"""


class Made(unittest.TestCase):
    """Each test has a reference of its own with the one study `s`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        findings.REFERENCE = Path(self.folder.name)
        findings.STUDIES = {"s": [""]}
        self.write(RUNS)
        (findings.REFERENCE / "s" / "s-statistics.csv").write_text(STATISTICS)
        (findings.REFERENCE / "s" / "s-memory.txt").write_text(ANSWERS)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, runs):
        (findings.REFERENCE / "s").mkdir(exist_ok=True)
        (findings.REFERENCE / "s" / "s.csv").write_text("\n".join(["# scenario: s", HEADER, *runs, ""]))

    def gives(self, template, text):
        self.assertEqual(findings.fill_in(template), text)

    def refused(self, template, words):
        with self.assertRaises(findings.Problem) as caught:
            findings.fill_in(template)
        self.assertIn(words, str(caught.exception))


class Numbers(Made):
    def test_shown(self):
        for numbers, form, text in (((110592, 107520, 114688), "octets", "108 (105 to 112) KiB"),
                                    ((0.92881,) * 3, "percent 4", "92.88 %"),
                                    ((8.29e9, 7.9e9, 8.7e9), "bit_per_s", "8.29 (7.90 to 8.70) Gbit/s"),
                                    ((0, 0, 0), "octets", "0 octets"),
                                    ((740e-9, 699e-9, 781e-9), "s", "740 (699 to 781) ns"),
                                    ((7.0, 7.0, 7.0), "number", "7"),
                                    # all seeds agree in the digits shown
                                    ((2.0, 1.999, 2.001), "number", "2.00")):
            self.assertEqual(findings.shown(*numbers, form), text)
        with self.assertRaises(findings.Problem):
            findings.shown(1, 1, 1, "furlongs")
        self.assertEqual([findings.shown(value, value, upper, "octets") for value, upper in ((1, 1), (1, 3), (2, 2))],
                         ["1 octet", "1 (1 to 3) octets", "2 octets"])
        self.assertEqual([findings.counted(f"{number} segments") for number in (1, 4)], ["1 segment", "4 segments"])

    def test_value(self):
        self.gives("{{value s | tcp.segments | receiver=in order | number}}", "200 (50 to 500)")
        self.gives("{{value s | tcp.segments | receiver.mode=out-of-order | number}}", "50.0 (40.0 to 60.0)\\*")
        self.gives("{{value s | goodput_bit_per_s | receiver=in order | bit_per_s}}", "9 Gbit/s")
        self.gives("{{value s | goodput_bit_per_s | receiver=out of order, markers | bit_per_s}}", "–")

    def test_largest(self):
        self.gives("{{largest s | tcp.segments | receiver=in order | octets}}", "512 octets")

    def test_factor(self):
        self.gives("{{factor s | tcp.segments | " + PAIRING + "}}", "3.5 (0.043 to 290)")

    def test_claim_holds_when_the_whole_interval_does(self):
        point = "receiver=in order"
        for claim, is_held in ((f"{point} | at most 500", True), (f"{point} | at most 499", False),
                               (f"{point} | at least 50", True), (f"{point} | at least 51", False),
                               (f"{PAIRING} | at least 0.043", True), (f"{PAIRING} | at least 0.044", False),
                               (f"{PAIRING} | at most 289", True), (f"{PAIRING} | at most 288", False)):
            template = "a\n{{claim s | tcp.segments | " + claim + "}}\nb"
            if is_held:
                self.gives(template, "a\nb")
            else:
                self.refused(template, "is no longer at")
        self.refused("{{claim s | tcp.segments | receiver=in order | around 3}}\n", "is not 'at least N' or")

    def test_table(self):
        self.gives("{{table s | tcp.segments | | receiver | metric | number}}",
                   "| receiver \\ metric | tcp.segments |\n|---|---|\n| in order | 200 (50 to 500) |\n"
                   "| out of order, markers | 50.0 (40.0 to 60.0)\\* |")

    def test_answers(self):
        self.gives("{{size s-memory | in-order receiver}}", "74 KiB")
        self.gives("{{answers s-memory}}\n", "".join(f"- {line}\n" for line in ANSWERS.splitlines()))
        self.refused("{{size s-memory | out-of-order receiver}}", "no answer begins with 'out-of-order receiv")

    def test_sentence_of_another_page(self):
        page = findings.REFERENCE / "page.md"
        page.write_text("Markers cut it by a\nfactor of 3.5 (0.043 to 290).\n")
        template = "{{in %s | by a factor of {{factor s | tcp.segments | %s}}.}}\n" % (page, PAIRING)
        self.gives(template, "")
        page.write_text("Markers cut it by a\nfactor of 3.6 (0.043 to 290).\n")
        self.refused(template, "does not have the sentence that the reference gives: by a factor of 3.5")

    def test_what_the_text_asks_for(self):
        template = ("{{value s | m1 | | octets}} {{claim s | m2 | | K=a,b | at least 1}}\n"
                    "{{factor s | m1 | | K=a,b}}{{in F | {{table s | m3/m1 | | R | C | s}}}}\n"
                    "{{value other | m4 | | octets}}")
        self.assertEqual([(options, list(metrics)) for options, metrics in findings.asked("s", template)],
                         [([], ["m1", "m3/m1"]), (["--pair", "K=a,b"], ["m2", "m1"])])

    def test_templates_that_are_refused(self):
        self.refused("{{value s | tcp.segments | | number}}", "2 points have []; expected one")
        self.refused("{{value s | tcp.segmnts | receiver=in order | number}}", "no statistics of tcp.segmnts")
        self.refused("{{factor s | tcp.segments | | receiver.mode=out-of-order,in-order}}", "no statistics of")
        self.refused("{{value s | tcp.segments | recever=in order | number}}", "unknown key 'recever'")
        self.refused("{{value s | tcp.segments | receiver=none | number}}", "no point has receiver=none")
        self.refused("{{value t | tcp.segments | | number}}", "not there")
        self.refused("{{mean s | tcp.segments | | number}}", "cannot read")
        self.refused("{{value s | tcp.segments | receiver | number}}", "is not KEY=VALUE")


class Differences(Made):
    def rows(self):
        return findings.read_runs(findings.REFERENCE / "s" / "s.csv")

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

    def test_what_is_made_of_the_runs(self):
        """All but the runs themselves, and but for comment lines."""
        with tempfile.TemporaryDirectory() as name:
            made = Path(name) / "s"
            shutil.copytree(findings.REFERENCE / "s", made)
            (made / "s.csv").write_text("other runs\n")
            (made / "s-statistics.csv").write_text(STATISTICS.replace("0.2.0", "0.3.0"))
            self.assertEqual(findings.data_differs(findings.REFERENCE / "s", made), [])
            (made / "s-statistics.csv").write_text(STATISTICS.replace("289", "288"))
            (made / "s-memory.txt").write_text(ANSWERS.replace("74", "75"))
            (made / "s-peak.dat").write_text("1 2\n")
            self.assertEqual(sorted(findings.data_differs(findings.REFERENCE / "s", made)),
                             ["s-memory.txt", "s-peak.dat", "s-statistics.csv"])


if __name__ == "__main__":
    unittest.main()
