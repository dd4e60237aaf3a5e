#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reading a store without us, as docs/store.md shows it: its own examples, run on a store that a sweep made.

argv[1] is the built iwarpsim, argv[2] docs/store.md. Needs sqlite3 and pandas (scripts/packages.txt); skipped
without them.
"""
import contextlib
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

try:
    import pandas
except ImportError:
    pandas = None

PROGRAM = os.path.abspath(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as page:
    BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)

# The receiver is in order, has 64 KiB, and loses the third segment with payload: reassembly memory is in use
# in each of the four runs.
SCENARIO = """title = "readers";
workload: { message_size = "64KiB"; messages = 4; };
run: { engine = "native"; };
receiver: { mode = "in-order"; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; drop = [3]; }; };
sweep = ( { key = "path.forward.mtu"; values = [1500, 9000]; }, { key = "run.seed"; from = 1; to = 2; } );
"""


def examples(language):
    return [text for kind, text in BLOCKS if kind == language]


class StoreReaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="iwarpsim-readers-")
        os.chdir(cls.folder.name)
        os.mkdir("results")
        with open("mtu-loss.cfg", "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        subprocess.run([PROGRAM, "sweep", "mtu-loss.cfg", "-j", "2"], check=True, stdout=subprocess.DEVNULL)
        with open("rack.cfg", "w", encoding="utf-8") as file:
            file.write('topology: { kind = "star"; hosts = 5; };\nworkload: { pattern = "incast"; messages = 2; };\n'
                       'sweep = ( { key = "run.seed"; values = [1]; } );\n')
        subprocess.run([PROGRAM, "sweep", "rack.cfg"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "run", "rack.cfg", "-q", "-o", "rack"], check=True)
        os.mkdir("bin")
        os.symlink(PROGRAM, "bin/iwarpsim")
        os.environ["PATH"] = os.path.abspath("bin") + os.pathsep + os.environ["PATH"]

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        cls.folder.cleanup()

    def test_sqlite_shell(self):
        (example,) = examples("sh")
        done = subprocess.run(["sh", "-e", "-c", example], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        counts, points, means, blocks = re.fullmatch(
            r"(┌.*?┘\n)(point,value\n.*?)(┌.*┘\n)(run,block_octets,block,octets\n.*)", done.stdout,
            re.DOTALL).groups()
        self.assertIn("\n1,65536,0,", blocks)
        self.assertRegex(counts, r"│ ok +│ 4 +│")
        rows = [line.split(",") for line in points.splitlines()[1:]]
        self.assertEqual([row[0] for row in rows], ["0", "1", "2", "3"])  # two MTUs, two seeds each
        peaks = [float(row[1]) for row in rows]
        self.assertGreater(min(peaks), 0)
        found = re.findall(r"│ (\d+) +│ ([\d.]+) +│ (\d+) +│", means)
        self.assertEqual(found[0], ("1500", str((peaks[0] + peaks[1]) / 2), "2"))
        self.assertEqual(found[1], ("9000", str((peaks[2] + peaks[3]) / 2), "2"))

    def test_pandas(self):
        names = {}
        for example in examples("python"):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(compile(example, "docs/store.md", "exec"), names)  # pylint: disable=exec-used
            self.assertNotEqual(said.getvalue(), "")
        table, runs, above = names["table"], names["runs"], names["above"]
        self.assertEqual(sorted(table["path.forward.mtu"]), ["1500", "1500", "9000", "9000"])
        # The two ways agree, to the last bit: a run a row.
        keys = ["path.forward.mtu", "run.seed"]
        by_sql = table.set_index(keys).sort_index()
        by_csv = runs.astype(dict.fromkeys(keys, str)).set_index(keys).sort_index()
        self.assertEqual(list(by_csv["status"]), ["ok"] * 4)
        for metric in ("tcp.segments", "goodput_bit_per_s", "buffer.reassembly_mean_octets"):
            self.assertEqual(list(by_sql[metric]), list(by_csv[metric]))
        # One name, two columns: what was asked for, and how many there were.
        self.assertEqual(set(runs["mpa.markers"]), {True})
        self.assertEqual(list(by_sql["mpa.markers"]), list(by_csv["mpa.markers.1"]))
        self.assertEqual(set(table["mpa.markers (key)"]), {"true"})
        # The frame has of the keys only those that vary, as numbers; the metrics are the same.
        frame = names["frame"].set_index(keys).sort_index()
        self.assertEqual(list(frame.index), [(1500, 1), (1500, 2), (9000, 1), (9000, 2)])
        self.assertEqual(list(frame.columns)[0], "tcp.segments")
        # A quantile that is a metric, too, is one column; pandas would call a second one ".1".
        self.assertIn("buffer.reassembly_p99.9_octets", frame.columns)
        self.assertNotIn("buffer.reassembly_p99_octets.1", frame.columns)
        self.assertEqual(list(frame["goodput_bit_per_s"]), list(by_csv["goodput_bit_per_s"]))
        self.assertEqual(len(above), 4)
        # Hosts and ports are as the run alone writes them.
        pandas.testing.assert_frame_equal(names["hosts"], pandas.read_csv("rack/hosts.csv"))
        pandas.testing.assert_frame_equal(names["ports"], pandas.read_csv("rack/ports.csv"))
        self.assertEqual(list(names["ports"]["to"].dropna()), [f"h{i}" for i in range(5)])
        self.assertTrue(((names["above"].fillna(0) >= 0) & (names["above"].fillna(0) <= 1)).all())

    @unittest.skipIf(shutil.which("Rscript") is None, "R is not here")
    def test_r(self):
        subprocess.run("iwarpsim export results/mtu-loss.sqlite --varied --numeric --csv runs.csv".split(),
                       check=True)
        (example,) = examples("r")
        done = subprocess.run(["Rscript", "-e", example], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\n1 +1500 [^\n]+\n2 +9000 ")

    def test_schema_is_as_documented(self):
        """Every table, view and column that the page names is there, and no other."""
        with open(sys.argv[2], encoding="utf-8") as file:
            rows = re.findall(r"^\| (`\w+`)? ?\| (`\w+`(?:, `\w+`)*) \|", file.read(), re.MULTILINE)
        documented, table = {}, None
        for name, columns in rows:
            table = name.strip("`") or table
            documented.setdefault(table, []).extend(re.findall(r"\w+", columns))
        store = sqlite3.connect("file:results/mtu-loss.sqlite?mode=ro", uri=True)
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'"
                                                      " OR type = 'view' AND name NOT IN ('results', 'provenance')")]
        found = {name: [row[1] for row in store.execute(f"PRAGMA table_info({name})")] for name in tables}
        self.assertEqual({name: sorted(columns) for name, columns in found.items()},
                         {name: sorted(columns) for name, columns in documented.items()})
        self.assertEqual(store.execute("PRAGMA user_version").fetchone(), (6,))
        self.assertEqual(store.execute("PRAGMA application_id").fetchone(), (0x69777073,))
        self.assertEqual(store.execute("SELECT count(*) FROM provenance").fetchone(), (4,))


if __name__ == "__main__":
    if pandas is None or shutil.which("sqlite3") is None:
        print("skipped: pandas and the sqlite3 shell are not both here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
