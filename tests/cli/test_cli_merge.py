# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim merge` and `iwarpsim export` as a user meets them: two shards of a sweep
become one store, or nothing does."""
import csv
import os

import program_kit as kit

# These are two runs of one message, which differ in keys of every type that has a number, and in others.
ONE_RUN = """title = "t";
workload: { message_size = "1KiB"; messages = 1; };
run: { engine = "native"; };
"""
DIFFERENT = {"mpa.markers": "false", "receiver.mode": "in-order", "receiver.memory": "256KiB",
             "path.forward.rate": "100Mbit/s", "path.forward.delay": "1.5ms", "path.forward.mtu": "9000",
             "path.forward.loss": "0.1%", "path.forward.drop": "[7,9]", "path.forward.displace_by": "20us"}


class Merge(kit.ProgramTest):
    stays = ["*.cfg", "*.sqlite", "*.csv"]

    def setUp(self):
        """Seeds 1 and 3 are in the first shard, 2 in the second."""
        super().setUp()
        kit.write("a.cfg", kit.SEEDS)
        for shard in (1, 2):
            self.shell(f"iwarpsim sweep --quiet a.cfg --shard {shard}/2 --store {shard}.sqlite")

    def test_shards(self):
        """Again, by the shell's names, nothing is taken; the sweep finds all there."""
        self.expect("iwarpsim merge 1.sqlite 2.sqlite -o all.sqlite",
                    "1.sqlite: 2 runs, 2 taken, 0 already there\n"
                    "2.sqlite: 1 run, 1 taken, 0 already there\n"
                    "3 runs taken; results in all.sqlite\n")
        self.expect("iwarpsim merge *.sqlite -o all.sqlite",
                    "1.sqlite: 2 runs, 0 taken, 2 already there\n"
                    "2.sqlite: 1 run, 0 taken, 1 already there\n"
                    "all.sqlite: 3 runs, 0 taken, 3 already there\n"
                    "0 runs taken; results in all.sqlite\n")
        self.expect("iwarpsim merge 1.sqlite -o all.sqlite --quiet", "")
        self.assertIn("3 runs: 0 run now, 3 already there",
                      self.shell("iwarpsim sweep a.cfg --store all.sqlite").stdout)

    def test_export(self):
        """To standard output or to a file, the same: a row a run after its comments and names, in the order
        of the grid."""
        self.shell("iwarpsim merge 2.sqlite 1.sqlite --quiet -o all.sqlite")
        csv = self.shell("iwarpsim export all.sqlite").stdout
        self.shell("iwarpsim export all.sqlite --csv all.csv")
        self.assertEqual(kit.octets("all.csv").decode(), csv)
        self.assertRegex(csv, r"(?s)\A# scenario: a\n# title: t\n"
                         r".*\nt,1,native,.*\nt,2,native,.*\nt,3,native,")
        done = self.shell("iwarpsim export all.sqlite --csv none/all.csv", 2)
        self.expect_start(done.stderr, "none/all.csv: ")
        self.expect("iwarpsim export all.sqlite > /dev/full", "",
                    "iwarpsim: standard output cannot be written: No space left on device\n", 1)

    def test_refused(self):
        """What cannot be joined leaves nothing over, not even the store that was to be made."""
        self.shell("sed s/1KiB/2KiB/ a.cfg > b.cfg && iwarpsim sweep b.cfg --quiet --store 3.sqlite")
        self.assertIn("3.sqlite: holds runs of another text of the scenario 'a' (- 1.sqlite, + 3.sqlite):\n"
                      '  - 2: workload: { message_size = "1KiB"; messages = 1; };\n'
                      '  + 2: workload: { message_size = "2KiB"; messages = 1; };\n',
                      self.shell("iwarpsim merge 1.sqlite 3.sqlite -o all.sqlite", 2).stderr)
        self.assertEqual(sorted(os.listdir()), ["1.sqlite", "2.sqlite", "3.sqlite", "a.cfg", "b.cfg"])
        self.shell("iwarpsim merge --mix 1.sqlite 3.sqlite -o all.sqlite")
        before = self.shell("iwarpsim export 1.sqlite").stdout
        done = self.shell("iwarpsim merge none.sqlite 2.sqlite -o 1.sqlite", 2)
        self.expect_start(done.stderr, "none.sqlite: ")
        self.assertEqual(self.shell("iwarpsim export 1.sqlite").stdout, before)

    def test_usage(self):
        self.assertIn("at least one STORE is needed", self.shell("iwarpsim merge -o all.sqlite", 2).stderr)
        self.assertIn("-o FILE is needed", self.shell("iwarpsim merge 1.sqlite", 2).stderr)
        self.expect_start(self.shell("iwarpsim merge 1.sqlite -o none/all.sqlite", 2).stderr,
                          "none/all.sqlite: ")


class Export(kit.ProgramTest):
    stays = ["*.cfg", "*.sqlite"]

    def rows(self, options):
        """Returns what is exported, as Python's csv reads it: names, and the rows from the one with markers
        on."""
        lines = self.shell(f"iwarpsim export a.sqlite {options}").stdout.splitlines()
        names, *rows = csv.reader(line for line in lines if not line.startswith("#"))
        return names, sorted(rows, reverse=True)

    def test_varied_and_numeric(self):
        """Parameters are the keys that differ, but none that takes its value from another here (path.reverse.mtu,
        initiator.markers …): in seconds, octets, bit/s, ratios, 1 and 0; words and lists stay."""
        kit.write("a.cfg", ONE_RUN)
        sets = " ".join(f"--set {key}={value}" for key, value in DIFFERENT.items())
        self.shell(f"iwarpsim sweep a.cfg --quiet --store a.sqlite && "
                   f"iwarpsim sweep a.cfg --quiet --store a.sqlite {sets}")
        plain, _ = self.rows("")
        names, rows = self.rows("--varied --numeric")
        count = len(DIFFERENT)
        self.assertEqual(names[:count], ["mpa.markers.key", *list(DIFFERENT)[1:]])
        self.assertEqual(names[count:], plain[plain.index("tcp.segments"):])
        self.assertEqual([row[:count] for row in rows], [
            ["1", "out-of-order", "unlimited", "10000000000", "2.5e-05", "1500", "0", "[]", "5 segments"],
            ["0", "in-order", "262144", "100000000", "0.0015", "9000", "0.001", "[7,9]", "2e-05"]])
        self.assertEqual({len(row) for row in rows}, {len(names)})
        # Each alone: the same columns with units, and all columns without; never two of one name.
        varied, (_, other) = self.rows("--varied")
        self.assertEqual(varied, names)
        self.assertEqual(dict(zip(DIFFERENT, other)), DIFFERENT | {"receiver.memory": "262144"})
        numeric, rows = self.rows("--numeric")
        self.assertEqual(numeric, [*plain[: plain.index("mpa.markers")], "mpa.markers.key",
                                   *plain[plain.index("mpa.markers") + 1:]])
        for each in (names, numeric):
            self.assertEqual(len(set(each)), len(each))
            for name in each:
                self.assertRegex(name, r"\A[a-z][\w.]*\Z")
        self.assertEqual([row[numeric.index("path.reverse.mtu")] for row in rows], ["1500", "9000"])

    def test_nothing_varies(self):
        kit.write("a.cfg", ONE_RUN)
        self.shell("iwarpsim sweep a.cfg --quiet --store a.sqlite")
        names, rows = self.rows("--varied --numeric")
        self.assertEqual((names[0], len(rows)), ("tcp.segments", 1))
