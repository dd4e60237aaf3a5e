# SPDX-License-Identifier: GPL-2.0-only
"""A trace: its events are those of the run, and enough to compute the run's metrics from."""
import json
import os
import random
import subprocess
import unittest
from fractions import Fraction

from program_kit import HAS_NS3, PROGRAM, octets, folder, write
from trace_metrics import metrics_of, quantile

SCENARIO = 'workload: { message_size = "64KiB"; messages = 3; };\n'
MEASURED = ("buffer.", "placement.", "mpa.", "state.", "delay.", "tcp.", "goodput", "delivery.")
# MULPDU and EMSS at the end of the run are states of the sender, not events.
STATES_AT_END = {"mpa.mulpdu_octets", "mpa.emss_octets"}
SCENARIOS = 200


def traced(keys, *command):
    """The summary and the events of a run with `keys`, or of `command`; None when they contradict each other."""
    sets = [f"--set={key}={value}" for key, value in keys.items()]
    ran = subprocess.run([PROGRAM, *(command or ["run", "t.cfg"]), "-q", "-o", "out", "--trace", "t.trace", *sets],
                         capture_output=True, text=True, check=False)
    if ran.returncode == 2:
        return None
    printed = subprocess.run([PROGRAM, "trace", "t.trace"], capture_output=True, text=True, check=True)
    with open("out/summary.json", encoding="utf-8") as file:
        return json.load(file), [json.loads(line) for line in printed.stdout.splitlines()]


def any_keys(seed):
    """A random scenario."""
    r = random.Random(seed)
    keys = {"run.seed": seed, "path.forward.mtu": r.choice([1500, 1500, 9000]),
            "path.forward.loss": r.choice([0, 0.001, 0.01, 0.03]), "path.reverse.loss": r.choice([0, 0, 0.01]),
            "mpa.markers": r.choice(["true", "false"]), "mpa.crc": r.choice(["true", "true", "false"]),
            "receiver.mode": r.choice(["in-order", "out-of-order", "assume-aligned"]),
            "receiver.cell": r.choice([1, 1, 64, 2048]),
            "receiver.placement_latency": r.choice(["0s", "0s", "1us"]),
            "sender.segmentation": r.choice(["aligned", "stream", "record"]),
            "middlebox.mode": r.choice(["none", "none", "rechunk", "split", "random", "shift", "proxy"]),
            "tcp.profile": r.choice(["rfc", "linux"]), "workload.connections": r.choice([1, 1, 2, 3]),
            "workload.operation": r.choice(["write", "send", "read", "write+send"])}
    for key, values in {"receiver.memory": ["8KiB", "64KiB"], "path.forward.displace": ["0.01"],
                        "path.forward.duplicate": ["0.01"], "path.forward.corrupt": ["0.01"],
                        "receiver.partial_fpdus": ["2"]}.items():
        if r.random() < 0.2:
            keys[key] = r.choice(values)
    return keys


class Trace(unittest.TestCase):
    def setUp(self):
        self.enterContext(folder("trace"))
        write("t.cfg", SCENARIO)

    def expect_metrics(self, keys):
        """The trace alone gives the summary's metrics and quantiles."""
        result = traced(keys)
        if result is None:
            return False
        summary, events = result
        latency_ps = 1_000_000 if keys["receiver.placement_latency"] == "1us" else 0
        sink = "initiator" if keys["workload.operation"] == "read" else "responder"
        found, times = metrics_of(events, sink, keys["receiver.cell"], latency_ps)
        for name, value in summary["metrics"].items():
            if name.startswith(MEASURED) and name not in STATES_AT_END:
                self.assertAlmostEqual(found.get(name, 0), value, delta=1e-9 * max(1, abs(value)),
                                       msg=f"{name} of {keys}")
        for gauge, shares in summary.get("quantiles", {}).items():
            for percent, value in shares:
                share = Fraction(str(percent)) / 100
                self.assertEqual(quantile(times[gauge], share), value, f"{gauge} p{percent} of {keys}")
        return True

    def test_metrics_of_random_scenarios(self):
        made = sum(self.expect_metrics(any_keys(seed)) for seed in range(1, SCENARIOS + 1))
        self.assertGreater(made, SCENARIOS * 3 // 4)  # the others' keys contradict each other

    def test_replay(self):
        """A replay's trace gives the metrics of its receivers."""
        traced({"path.forward.loss": 0.01, "run.seed": 2}, "run", "t.cfg", "--pcap")
        os.rename("out", "captured")
        for mode in ("in-order", "out-of-order"):
            summary, events = traced({"receiver.mode": mode}, "replay", "captured/receiver.pcap")
            found, _ = metrics_of(events, "responder")
            for name, value in summary["metrics"].items():
                if name.startswith(("buffer.", "placement.", "state.", "delay.", "delivery.")):
                    self.assertAlmostEqual(found.get(name, 0), value, delta=1e-9 * max(1, abs(value)), msg=name)
            self.assertGreater(found["tcp.segments_out_of_order"], 0)

    def test_both_engines(self):
        if not HAS_NS3:
            self.skipTest("without ns-3")
        traces = []
        for engine in ("native", "ns3"):
            traces.append(traced(any_keys(3) | {"run.engine": engine})[1])
        self.assertEqual(*traces)

    def test_lost_segment(self):
        """The third payload segment of the FPDU phase is lost, and every event of it is joined by its packet."""
        _, events = traced({"path.forward.drop": "[5]", "mpa.markers": "true", "run.seed": 1})
        drop = next(e for e in events if e["event"] == "packet_dropped")
        sent = next(e for e in events if e["event"] == "segment_sent" and e["packet"] == drop["packet"])
        hole = next(e for e in events if e["event"] == "hole_opened")
        self.assertEqual((drop["place"], hole["from"]), ("loss", sent["position"]))
        self.assertEqual(hole["to"], sent["position"] + sent["payload_octets"])
        again = next(e for e in events if e["event"] == "segment_sent" and e["again"])
        self.assertEqual(again["position"], sent["position"])
        filled = next(e for e in events if e["event"] == "hole_filled")
        self.assertEqual((filled["packet"], filled["from"]), (again["packet"], sent["position"]))

    def expect_error(self, trace, words):
        with open("bad.trace", "wb") as file:
            file.write(trace)
        ran = subprocess.run([PROGRAM, "trace", "bad.trace"], capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran.stderr)
        self.assertIn(words, ran.stderr)

    def test_damaged(self):
        traced({"run.seed": 1})
        whole = octets("t.trace")
        self.expect_error(whole[:-1], "cut short")
        self.expect_error(whole[: len(whole) // 2], "cut short")
        self.expect_error(whole[:8] + b"\x7f" + whole[9:], "version 127")
        self.expect_error(b"", "not a trace")
        self.expect_error(SCENARIO.encode() * 9, "not a trace")
        r = random.Random(1)
        for _ in range(20):
            damaged = bytearray(whole[:20_000])
            damaged[r.randrange(9, len(damaged))] = r.randrange(256)
            with open("bad.trace", "wb") as file:
                file.write(damaged)
            ran = subprocess.run([PROGRAM, "trace", "bad.trace"], capture_output=True, check=False)
            self.assertEqual(ran.returncode, 2)  # cut short at the latest

    def test_no_place_to_write(self):
        ran = subprocess.run([PROGRAM, "run", "t.cfg", "-q", "--trace", "no/such/place"], capture_output=True,
                             text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr),
                         (2, "--trace no/such/place: No such file or directory\n"))


if __name__ == "__main__":
    unittest.main()
