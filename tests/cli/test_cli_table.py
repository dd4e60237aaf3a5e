# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim table`, by its command line: what it prints, refuses and writes."""
import contextlib
import re
import sqlite3

import program_kit as kit

SCENARIO = """title = "A question";
workload: { message_size = "1KiB"; messages = 1; };
run: { engine = "native"; };
sweep = ( { key = "receiver.mode"; values = ["in-order", "out-of-order"]; },
          { key = "run.seed"; from = 1; to = 2; } );
"""
TAIL = """workload: { operation = "write"; message_size = "64KiB"; messages = 320; };
sender: { segmentation = "stream"; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; loss = "0.1%"; }; };
sweep = ( { key = "receiver.mode"; values = ["in-order", "out-of-order"]; },
          { key = "mpa.markers"; values = [false, true]; with = "receiver.mode"; },
          { key = "run.seed"; from = 1; to = 8; } );
"""
PEAK = "buffer.reassembly_peak_octets"


class Table(kit.ProgramTest):
    stays = ["a.cfg", "a.sqlite", "b.sqlite", "out.csv"]

    def setUp(self):
        """A store of four runs, in which only this is measured: the peaks 4 and 6 in order, for seeds 1 and
        2, and 1 and 2 out of order; a timeout in the first run."""
        super().setUp()
        kit.write("a.cfg", SCENARIO)
        self.shell("iwarpsim sweep a.cfg --quiet --store a.sqlite")
        self.change("DELETE FROM distributions", "DELETE FROM metrics",
                    "UPDATE origins SET version = '0.1.0', git = 'unknown'",
                    "INSERT INTO metrics SELECT id, 'tcp.timeouts', 1 FROM runs WHERE point = 0",
                    *[f"INSERT INTO metrics SELECT id, '{PEAK}', {peak} FROM runs WHERE point = {point}"
                      for point, peak in enumerate((4, 6, 1, 2))])

    def change(self, *statements):
        with contextlib.closing(sqlite3.connect("a.sqlite")) as store, store:
            kit.unpack(store)
            for statement in statements:
                store.execute(statement)
            kit.seal(store)

    def test_defaults(self):
        """{4, 6}: s = sqrt(2), t(0.975, 1) = 12.7062: 12.7062 * sqrt(2) / sqrt(2) = 12.7. The five quantities
        a reader asks for first."""
        done = self.shell("iwarpsim table a.sqlite")
        self.assertEqual(done.stderr, "")
        self.expect_parts(done.stdout,
                          "A question\nscenario a, seeds 1–2, iwarpsim 0.1.0\n4 runs at 2 points\n",
                          "in-order       2  1!*   5          0    18", f"\n{PEAK} in octets\n",
                          "\nbuffer.reassembly_p99_octets: no run has it\n",
                          "\nplacement.octets_direct/placement.octets: no run has it\n",
                          "\ngoodput_bit_per_s: no run has it\n", "\ntcp.timeouts in timeouts\n")

    def test_unsteady(self):
        """80 messages are too short to tell whether a run is steady (test_cli.py), so a p99 of them is marked, a peak
        is not; a pair counts both of its runs."""
        kit.write("b.cfg", TAIL.replace("320", "80").replace("to = 8", "to = 2"))
        self.shell("iwarpsim sweep b.cfg -q --store b.sqlite")
        text = self.shell("iwarpsim table b.sqlite --metric buffer.reassembly_p99_octets --metric " + PEAK).stdout
        rows = re.findall(r"^(?:in-order|out-of-order) .*$", text, re.MULTILINE)
        self.assertEqual(["2?" in row for row in rows], [True, True, False, False])
        self.assertEqual(text.count("N? marks N runs that are not steady, or too short to tell"), 1)
        pairs = "--pair receiver.mode=in-order,out-of-order --json"
        of = self.shell(f"iwarpsim table b.sqlite {pairs}").stdout
        self.assertRegex(of, r'"buffer.reassembly_p99_octets".*"unsteady": 4')
        self.assertRegex(of, r'"buffer.reassembly_peak_octets".*"unsteady": 0')
        for what in ("buffer.reassembly_p99_octets", PEAK):
            self.shell(f"iwarpsim plot b.sqlite --metric {what} --out p")
            self.assertEqual(b"4 not steady, or too short to tell" in kit.octets(f"p/b-{what}.dat"), what != PEAK)
        self.shell("rm -r p b.cfg")

    def test_hostile_rows(self):
        """What another version has names for, and texts that are none of ours, under a digest that fits."""
        for column, text, said in (
                ("parameters", '{"mpa.crk":"true"}', 'holds the key "mpa.crk"'),
                ("parameters", '{"mpa.crc":', "damaged: parameters of a run: "),
                ("metrics", '{"tcp.sediments":5}', 'holds the metric "tcp.sediments", which this version'),
                ("metrics", '{"tcp.segments":"many"}', 'damaged: the metric "tcp.segments": expected a number'),
                ("metrics", '{"tcp.segments":1e999}', 'damaged: the metric "tcp.segments": expected a number'),
                ("metrics", '{"tcp.segments":0x10}', "damaged: malformed JSON"),
                ("metrics", '{"tcp.segments":1,"tcp.segments', "damaged: malformed JSON"),
                ("distributions", '{"x":[[5,1]]}', 'holds the distribution "x"'),
                ("distributions", '{"buffer.reassembly_octets":[[5,0]]}',
                 'damaged: the distribution "buffer.reassembly_octets", value 1: expected [bound, weight], '),
                ("distributions", '{"buffer.reassembly_octets":[[5,1],[4,1]]}',
                 'damaged: the distribution "buffer.reassembly_octets", value 2: expected [bound, weight], '),
                ("quantiles", '{"state.holes":[[0,1]]}', 'damaged: the gauge "state.holes", value 1: expected [percent, '),
                ("quantiles", '{"state.holes":[[101,1]]}', 'damaged: the gauge "state.holes", value 1: expected [percent, '),
                ("quantiles", '{"state.holds":[[50,1]]}', 'holds the gauge "state.holds"'),
                ("block_maxima", '{"65536":["x"]}', 'damaged: the size of blocks "65536", value 1: expected a number of '),
                ("block_maxima", '{"65536":[1e300]}', 'damaged: the size of blocks "65536", value 1: expected a number of '),
                ("block_maxima", '{"x":[1]}', 'damaged: the size of blocks "x", value 1: expected a number of '),
                ("block_maxima", '{"65536":[1,2]', "damaged: malformed JSON")):
            self.shell("cp a.sqlite b.sqlite")
            with contextlib.closing(sqlite3.connect("b.sqlite")) as store, store:
                store.execute(f"UPDATE runs SET {column} = ? WHERE id = 1", (text,))
                kit.sign(store)
            self.assertIn(said, self.shell("iwarpsim table b.sqlite", 2).stderr)

    def test_partial(self):
        """Of a sweep of 4 runs the second shard of two has 2. What is read of it states that, and no longer once the
        first is there."""
        self.shell("rm -f b.sqlite")
        for shard in "12":
            self.shell(f"iwarpsim sweep a.cfg -q --shard {shard}/2 --store b.sqlite --mix")
            done = self.shell("iwarpsim table b.sqlite --csv out.csv -q; iwarpsim table b.sqlite --json; iwarpsim table b.sqlite;"
                              " iwarpsim report b.sqlite -o /dev/stdout; iwarpsim plot b.sqlite --format term").stdout
            words = " ".join((done + kit.octets("out.csv").decode()).split())  # a title wraps by the version's length
            self.assertEqual(words.count("partial: 2 of 4 runs"), 5 if shard == "1" else 0)

    def test_where(self):
        """Only the runs that meet a condition on their keys; a name that is none is answered with the nearest."""
        done = self.shell(f"iwarpsim table a.sqlite --where 'receiver.mode = in-order and run.seed > 1' --metric {PEAK}")
        self.expect_parts(done.stdout, "\n1 run at 1 point\n", "\n1     6  ")
        self.expect_refused("iwarpsim table a.sqlite --where 'receiver.mod = in-order'",
                            "iwarpsim table: where, column 1: unknown key 'receiver.mod' (did you mean 'receiver.mode'?)")
        self.expect_refused("iwarpsim table a.sqlite --where 'run.seed > 2'", "holds for no run of the store that ended ok")

    def test_exclude(self):
        done = self.shell(f"iwarpsim table a.sqlite --leave-out timeouts --metric {PEAK}")
        self.expect_parts(done.stdout, "3 runs at 2 points; 1 of 4 runs left out (timeouts)\n",
                          "in-order       1      6            -    -")
        for part in ("!", "goodput"):
            self.assertNotIn(part, done.stdout)

    def test_pair(self):
        """The pairs of seeds 1 and 2: 4 - 1 and 6 - 2."""
        self.expect("iwarpsim table a.sqlite --pair receiver.mode=in-order,out-of-order"
                    f" --metric {PEAK} --csv out.csv -q", "")
        self.expect_parts(kit.octets("out.csv").decode(),
                          "# differences: receiver.mode: in-order minus out-of-order\n",
                          f"\n{PEAK},octets,2,1,3.5,")

    def test_shares(self):
        """{50 %, 100 %}: 75 +- 318 % is cut off at both ends, and so is the difference from {50 %, 0}:
        50 +- 635 %. In CSV too; of timeouts there may be more than segments."""
        self.change("INSERT INTO metrics SELECT id, 'placement.octets', 2 FROM runs",
                    "INSERT INTO metrics SELECT id, 'tcp.segments', 1 FROM runs WHERE point < 2",
                    "UPDATE metrics SET value = 1 WHERE name = 'tcp.timeouts'",
                    "INSERT INTO metrics SELECT id, 'tcp.timeouts', 0 FROM runs WHERE point = 1",
                    *[f"INSERT INTO metrics SELECT id, 'placement.octets_direct', {octets} FROM runs WHERE point = "
                      f"{point}" for point, octets in enumerate((1, 2, 1, 0))])
        share = "placement.octets_direct/placement.octets"
        self.shell(f"iwarpsim table a.sqlite --metric {share} --csv out.csv")
        self.expect_parts(kit.octets("out.csv").decode(), ",3.1765511840436735,0,1,0.5,0.625,")
        done = self.shell(f"iwarpsim table a.sqlite --metric {share} --pair receiver.mode=in-order,out-of-order")
        self.expect_parts(done.stdout, " \u2212100  100 ", "that of shares is cut off at \u2212100 and 100 %;")
        self.shell("iwarpsim table a.sqlite --metric tcp.timeouts/tcp.segments --csv out.csv")
        self.expect_parts(kit.octets("out.csv").decode(), ",0,6.8531")

    def test_return_level(self):
        """Every other of 100 blocks of 64 KiB has a peak of 9 octets, in two runs: 200 * (1 - exp(-1 / 16)) = 12
        of 200 blocks hold what comes once in 1 MiB, and 0.6 what comes once in 20 MiB."""
        self.change("INSERT INTO block_maxima SELECT id, 65536, '[" + ", ".join(["0, 9"] * 50)
                    + "]' FROM runs WHERE point < 2")
        done = self.shell("iwarpsim table a.sqlite --return-level 1MiB")
        self.expect_parts(done.stdout, "\nbuffer.reassembly_level_once_in_1MiB in octets\n",
                          "level  95 % from  to\n", "in-order       2  1!      9          9   9\n",
                          "out-of-order   0          -          -   -\n")
        self.assertNotIn(PEAK, done.stdout)
        self.shell(re.search("'(iwarpsim explain .*)'", done.stdout)[1])
        self.expect(f"iwarpsim table a.sqlite --return-level 20MiB --metric {PEAK} --csv out.csv -q", "")
        self.expect_parts(kit.octets("out.csv").decode(), f"\nin-order,{PEAK},octets,2,1,5,",
                          "\nin-order,buffer.reassembly_level_once_in_20MiB,octets,2,1,9,,0,9,9,,,,,,0,0,extrapolated\n")

    def test_return_level_of_runs(self):
        """160 MiB of traffic extrapolate to 1 GiB: the intervals hold what 100 GiB of the same runs exceed
        once in 1 GiB (docs/decisions.md), 129,848 octets in order and 4,376 with markers."""
        kit.write("a.cfg", TAIL)
        self.shell("iwarpsim sweep a.cfg --quiet --store b.sqlite")
        self.expect("iwarpsim table b.sqlite --return-level 1GiB --csv out.csv -q", "")
        for mode, level in (("in-order", 129848), ("out-of-order", 4376)):
            row = re.search(rf"\n{mode},.*,8,\d,(.*)", kit.octets("out.csv").decode())[1].split(",")
            self.assertLess(float(row[3]), level)
            self.assertGreater(float(row[4]), level)
            self.assertEqual(row[-1], "extrapolated")

    def test_refusals(self):
        for options, part in (
                ("another.sqlite", "one STORE is needed, 2 were given"),
                ("--metric tcp.timeout", "did you mean 'tcp.timeouts'?"),
                ("--metric tcp.timeouts/nothing", "'nothing' is no metric"),
                ("--pair receiver.mod=a,b", "did you mean 'receiver.mode'?"),
                ("--pair receiver.mode=in-order,assume-aligned",
                 "no run has receiver.mode = assume-aligned; expected two of in-order, out-of-order"),
                ("--return-level 1Gib", "--return-level 1Gib: expected a size above 0, such as 1GiB"),
                ("--return-level 0", "expected a size above 0"),
                ("--return-level 1GiB --pair receiver.mode=in-order,out-of-order", "expected no --pair"),
                ("--leave-out timeout", "expected timeouts, spurious or lost (did you mean 'timeouts'?)"),
                ("--csv no/such/folder/out.csv", "no/such/folder/out.csv")):
            self.expect_refused(f"iwarpsim table a.sqlite {options}", part)

    def test_one_run(self):
        """One run and one point are no runs and points, on a report's page too."""
        self.change("DELETE FROM runs WHERE point > 0")
        self.expect_parts(self.shell("iwarpsim table a.sqlite").stdout, "\n1 run at 1 point; partial: 1 of 4 runs\n")
        self.expect_parts(self.shell("iwarpsim report a.sqlite -o /dev/stdout").stdout, " · 1 point · 1 run · partial: 1 of 4 runs</p>",
                          "Means of 1 run, seed 1, at 1 point, with", "<p>Of 1 run 1 ok, ", "<h3>a.cfg, 1 run</h3>")

    def test_nothing_left(self):
        """When there is nothing to tabulate the error names the file; no table without rows is printed."""
        self.change("DELETE FROM runs WHERE point > 1", "UPDATE runs SET status = 'failed' WHERE point = 1")
        self.expect_refused("iwarpsim table a.sqlite --leave-out timeouts",
                            "1 of 2 runs left out (timeouts); 1 of 2 runs did not end ok")
        self.change("DELETE FROM runs WHERE point = 0")
        self.expect_refused("iwarpsim table a.sqlite",
                            "a.sqlite: none of the store's 1 run is left: partial: 1 of 4 runs; 1 of 1 run did not end ok")
        self.change("DELETE FROM runs")
        self.expect_refused("iwarpsim table a.sqlite", "a.sqlite: the store holds no runs")

    def test_no_store(self):
        for name in ("missing.sqlite", "a.cfg"):
            self.expect_refused(f"iwarpsim table {name}", name)
