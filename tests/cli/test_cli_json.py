# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about --json of check, table and sweep --list: the members that docs/store.md lists."""
import json
import statistics

import program_kit as kit

# Each seed of an MTU has its own losses.
SWEPT = """title = "Two \\"MTUs\\"";
run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 4; };
receiver: { mode = "in-order"; };
path: { forward: { loss = "1%"; }; };
sweep = ( { key = "path.forward.mtu"; values = [1500, 9000]; }, { key = "run.seed"; from = 1; to = 3; } );
"""


class Json(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", SWEPT)

    def json(self, line, code=0):
        return json.loads(self.shell(line, code).stdout)

    def test_check(self):
        """A verdict for each scenario, whatever --quiet; what is wrong is printed as without --json."""
        kit.write("b.cfg", "\nworkload: { messages = 0; };")
        kit.write("c.cfg", "middlebox: { chunk = 5; };")
        errors = self.shell("iwarpsim check b.cfg", 2).stderr
        done = self.shell("iwarpsim check --json -q a.cfg b.cfg c.cfg", 2)
        self.assertEqual(done.stderr, errors)
        a, b, c = json.loads(done.stdout)
        self.assertEqual((a["file"], a["error"], a["runs"]), ("a.cfg", None, 6))
        self.assertEqual(b, {"file": "b.cfg", "error": errors.rstrip("\n"), "runs": 0, "payload_octets": 0, "messages": 0,
                             "segments": 0, "time_s": 0, "memory_octets": 0, "notes": []})
        self.assertEqual((c.pop("payload_octets"), c.pop("messages")), (200 * 65536, 200))
        self.assertGreater(c.pop("segments"), 200 * 65536 / 1460)
        self.assertGreater(c.pop("memory_octets"), 2 * 65536)
        self.assertGreater(c.pop("time_s"), 0)
        self.assertEqual(c, {"file": "c.cfg", "error": None, "runs": 1, "notes": [
            "c.cfg:1: middlebox.chunk has no effect unless middlebox.mode has rechunk"]})
        self.assertEqual(self.json("iwarpsim check --json a.cfg --set mpa.crc=false")[0]["runs"], 6)

    def test_list(self):
        of = self.json("iwarpsim sweep a.cfg --list --json --store s.sqlite -j 2")
        self.assertEqual([(run["number"], run["keys"], run["state"]) for run in of["runs"]],
                         [(3 * i + seed, {"path.forward.mtu": mtu, "run.seed": str(seed)}, "missing")
                          for i, mtu in enumerate(("1500", "9000")) for seed in (1, 2, 3)])
        self.assertEqual((of["scenario"], of["title"], of["left_out"], of["given_twice"], of["to_run"], of["jobs"],
                          of["more_may_follow"]), ("a", 'Two "MTUs"', 0, 0, 6, 2, False))
        self.assertGreater(of["segments"], 0)
        self.assertGreater(of["seconds"], 0)
        self.shell("iwarpsim sweep a.cfg -q --store s.sqlite --shard 1/2")
        of = self.json("iwarpsim sweep a.cfg --list --json --store s.sqlite")
        self.assertEqual(sorted(run["state"] for run in of["runs"]), ["done"] * 3 + ["missing"] * 3)
        self.assertEqual(of["to_run"], 3)
        self.expect_refused("iwarpsim sweep a.cfg --json", "--json: expected --list with it")

    def test_table(self):
        """The statistics of what export has of each run."""
        self.shell("iwarpsim sweep a.cfg -q --store s.sqlite && iwarpsim export s.sqlite --varied --numeric --csv s.csv")
        of = self.json("iwarpsim table s.sqlite --json --metric tcp.retransmissions --metric tcp.segments/mpa.fpdus")
        self.assertEqual((of["scenario"], of["title"], of["seeds"], of["pair"]),
                         ("a", 'Two "MTUs"', "seeds 1\u20133", None))
        lines = [line.split(",") for line in kit.octets("s.csv").decode().splitlines()]
        runs = [dict(zip(lines[0], line)) for line in lines[1:]]
        self.assertEqual([(row["metric"], row["keys"]) for row in of["rows"]],
                         [(quantity, {"path.forward.mtu": mtu})
                          for quantity in ("tcp.retransmissions", "tcp.segments/mpa.fpdus") for mtu in ("1500", "9000")])
        for row in of["rows"][:2]:
            values = [float(run["tcp.retransmissions"]) for run in runs
                      if run["path.forward.mtu"] == row["keys"]["path.forward.mtu"]]
            self.assertEqual((row["unit"], row["n"], row["not_ok"], row["median"], row["smallest"], row["largest"]),
                             ("segments", 3, 0, statistics.median(values), min(values), max(values)))
            self.assertAlmostEqual(row["mean"], statistics.mean(values))
            self.assertLessEqual(row["lower_95"], row["mean"])
        self.assertIn("fewer than 6 values", of["rows"][0]["coverage_note"])
        # Larger segments: fewer FPDUs, with each of the three seeds.
        (pair,) = self.json("iwarpsim table s.sqlite --json --pair path.forward.mtu=9000,1500 --metric mpa.fpdus")["rows"]
        self.assertEqual((pair["keys"], pair["n"]), ({}, 3))
        self.assertLess(pair["mean"], 0)
        self.assertLess(pair["ratio"], 1)
        (none, _) = self.json("iwarpsim table s.sqlite --json --metric path.reordering_extent_mean")["rows"]
        self.assertEqual((none["n"], none["mean"], none["coverage_note"]), (0, None, None))
        self.expect_refused("iwarpsim table s.sqlite --json --csv -", "expected one of them")
