# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the program as a user meets it: outputs that are equal run for run, mistakes reported
with file and line, nothing written."""
import os
from pathlib import Path

import program_kit as kit

SCENARIOS = Path(os.environ["IWARPSIM_DATA"])

# This is what is wrong with a scenario or with a --set of a good one, and all that the message has of it.
BAD_SCENARIOS = [
    ('title = "x";\npath: { forward: { los = "1%"; }; };\n', "bad.cfg:2:", "los", "path.forward.loss"),
    ("wrkload: { messages = 3; };\n", "bad.cfg:1:", "wrkload", "workload"),
    ('path: { forward: {\n  delay = "25Gbit/s"; }; };\n', "bad.cfg:2:", "path.forward.delay", "us"),
    ("\n\npath: { forward: { mtu = 70000; }; };\n", "bad.cfg:3:", "path.forward.mtu", "65535"),
    ("run: { seed = 5000000000; };\n", "bad.cfg:1:", "5000000000"),  # wraps in 32 bits
    ("mpa: { crc = true;\n crc = false; };\n", "bad.cfg:2:", "uplicate"),
    ('receiver: { mode = "inorder"; };\n', "bad.cfg:1:", "inorder", "in-order"),
    ("title = ;\n", "bad.cfg:1:", "syntax"),
    ('middlebox: { mode = "rechunk"; chunk = 3000; };\n', "bad.cfg:1:", "middlebox.chunk"),
]
BAD_SETS = [
    ("path.forward.rat=1Gbit/s", "--set", "path.forward.rat", "path.forward.rate"),
    ("run.seed", "--set", "run.seed"),
    ("workload.connections=0", "--set", "workload.connections", "1"),
]


def summary(folder):
    """Returns what is in its summary.json but for the wall time."""
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        lines = file.readlines()
    rest = [line for line in lines if '"time.wall_s"' not in line]
    assert len(rest) == len(lines) - 1, lines
    return "".join(rest)


class Commands(kit.ProgramTest):
    def expect_mistake(self, arguments, *parts):
        self.expect_parts(self.shell(f"iwarpsim run {arguments} --out out", 2).stderr, *parts)
        self.assertFalse(os.path.exists("out"))

    def test_same_seed_same_octets(self):
        """Another seed loses other packets."""
        for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
            self.expect(f"iwarpsim run {SCENARIOS}/one-loss-in-order.cfg --set path.forward.loss=0.5%"
                        f" --pcap --quiet --out {folder} --set run.seed={seed}", "")
        self.assertEqual(summary("a"), summary("b"))
        for name in ("occupancy.csv", "sender.pcap", "receiver.pcap"):
            self.assertEqual(kit.octets(f"a/{name}"), kit.octets(f"b/{name}"))
            self.assertNotEqual(kit.octets(f"a/{name}"), kit.octets(f"c/{name}"))

    def test_any_folder_same_octets(self):
        """Where a run is started from leaves no trace, whatever the way to its scenario."""
        kit.write("a.cfg", "workload: { messages = 2; };\n")
        self.shell("iwarpsim run a.cfg --out one --quiet")
        first = summary("one")
        self.shell('iwarpsim run "$PWD/a.cfg" --out one --quiet')
        self.assertEqual(summary("one"), first)

    def test_mistakes(self):
        self.expect_mistake(f"{self.folder}/bad.cfg", "bad.cfg", "No such file")
        for text, *parts in BAD_SCENARIOS:
            kit.write("bad.cfg", text)
            self.expect_mistake(f"{self.folder}/bad.cfg", *parts)
        kit.write("good.cfg", 'title = "x";\n')
        for setting, *parts in BAD_SETS:
            self.expect_mistake(f"{self.folder}/good.cfg --set {setting}", *parts)

    def test_failed_run(self):
        """A run that fails its own checks exits 1, prints why, and leaves its summary."""
        done = self.shell(f"iwarpsim run {SCENARIOS}/lossless.cfg --set path.forward.loss=100%"
                          " --set tcp.retries=2 --out out --quiet", 1)
        self.assertIn("tcp.retries", done.stderr)
        self.assertIn(b'"status": "failed"', kit.octets("out/summary.json"))

    def test_unreadable_file(self):
        """A folder cannot be read as a file, not even by root."""
        self.assertIn(self.folder, self.shell('iwarpsim check "$PWD"', 2).stderr)

    def test_shipped_scenarios(self):
        """Every scenario begins with its question, checks without a message, and runs to the end that it
        expects."""
        scenarios = sorted(SCENARIOS.glob("*.cfg"))
        self.assertGreaterEqual(len(scenarios), 10)
        for scenario in scenarios:
            self.expect_start(scenario.read_text(encoding="utf-8"), "# Question: ")
            self.expect(f"iwarpsim check --quiet {scenario}", "")
            self.expect(f"iwarpsim run {scenario} --engine native --quiet --out out >/dev/null", "")

    def test_sweep_export_plot(self):
        """A sweep, the same again (nothing to do), its table and its plot."""
        kit.write("small.cfg", 'workload: { messages = 4; };\n'
                  'sweep = ( { key = "path.forward.loss"; values = ["0.1%", "1%"]; },\n'
                  '          { key = "run.seed"; from = 1; to = 2; } );\n')
        line = "iwarpsim sweep small.cfg --store small.sqlite -j 2 >/dev/null && iwarpsim export small.sqlite"
        first = self.shell(line).stdout
        rows = [row for row in first.splitlines() if not row.startswith("#")]
        self.assertEqual(len(rows), 1 + 4)  # the names of the columns, and the runs
        self.assertEqual(self.shell(line).stdout, first)  # wall times included: no run was repeated
        self.assertIn(".png", self.shell("iwarpsim plot small.sqlite --out plots").stdout)
