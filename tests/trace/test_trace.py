# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about a trace: its events are those of the run, and enough to compute the run's metrics
from."""
import csv
import json
import os
import random
import unittest
from collections import Counter
from fractions import Fraction

import jsonschema
from program_kit import HAS_NS3, octets, folder, write
from trace_kit import iwarpsim, traced
from trace_metrics import metrics_of, quantile

SCENARIO = 'workload: { message_size = "64KiB"; messages = 3; };\n'
MEASURED = ("buffer.", "placement.", "mpa.", "state.", "delay.", "tcp.", "goodput", "delivery.")
# MULPDU and EMSS at the end of the run are states of the sender, not events.
STATES_AT_END = {"mpa.mulpdu_octets", "mpa.emss_octets"}
SCENARIOS = 200


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
                        "receiver.partial_fpdus": ["2"], "receiver.segments": [2, 9], "receiver.ranges": [1, 2],
                        "receiver.refused": ["duplicate-ack"]}.items():
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

    def test_window_follows_every_packet(self):
        """What an end may send is in the trace after each packet that comes to it, also where it has nothing to send."""
        _, events = traced({})
        other = {"initiator": "responder", "responder": "initiator"}
        came = {(other[e["side"]], e["time_ps"]) for e in events if e["event"] == "packet_arrived"}
        self.assertGreater(len(came), 3 * 65536 // 1460)
        self.assertLessEqual(came, {(e["side"], e["time_ps"]) for e in events if e["event"] == "window"})

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

    def test_replay_over_a_path(self):
        """Each packet on the path that a replay simulates is sent once, or made, and then dropped or arrives; the
        connection of a packet is that of its flow."""
        traced({"workload.connections": 2, "run.seed": 2}, "run", "t.cfg", "--pcap")
        os.rename("out", "captured")
        for keys in ({"middlebox.mode": "rechunk"}, {"path.forward.queue": "20"}):
            summary, events = traced(keys | {"path.forward.loss": 0.02, "path.forward.rate": "5Gbit/s"}, "replay",
                                     "captured/sender.pcap")
            of = {name: [e["packet"] for e in events if e["event"] == "packet_" + name]
                  for name in ("sent", "made", "dropped", "arrived")}
            self.assertEqual(len(of["dropped"]), summary["metrics"]["path.packets_lost"])
            self.assertGreater(len(of["dropped"]), 2)
            parts = {e["of"] for e in events if e["event"] == "packet_part"}  # whole in others
            ended = Counter(of["dropped"] + of["arrived"])
            self.assertEqual(set(ended.values()), {1})
            self.assertLessEqual(set(of["sent"] + of["made"]) - parts, set(ended))
            self.assertEqual({e["connection"] for e in events if e["event"] == "packet_sent"}, {0, 1})

    def test_both_engines(self):
        if not HAS_NS3:
            self.skipTest("without ns-3")
        traces = []
        for engine in ("native", "ns3"):
            traces.append(traced(any_keys(3) | {"run.engine": engine})[1])
        self.assertEqual(*traces)

    def test_tcp_of_ns3(self):
        """ns-3's own TCP has what the metrics need, over the simulator's links and a chain of ns-3's nodes."""
        if not HAS_NS3:
            self.skipTest("without ns-3")
        for extra in ({"path.forward.loss": 0.02},
                      {"topology.medium": "point-to-point",
                       "topology.errors": "ns3::RateErrorModel ErrorRate=0.000001"}):
            self.assertTrue(self.expect_metrics(
                {"run.engine": "ns3", "tcp.implementation": "ns3", "sender.segmentation": "stream",
                 "receiver.mode": "in-order", "receiver.cell": 1, "receiver.placement_latency": "0s",
                 "workload.operation": "write", "workload.messages": 20, "run.seed": 3} | extra))

    def test_nodes_and_ports(self):
        """An end is at its host, and so is the arrival of a packet; a packet on its way is at the port by which its sender
        gave it to the path, one for each path."""
        _, events = traced({"workload.connections": 2, "workload.paths": "own", "path.forward.loss": 0.02})
        host = {"initiator": "h0", "responder": "h1"}
        peers = {"initiator": "h1", "responder": "h0"}
        ports = set()
        for e in events:
            if e["event"] in ("packet_queued", "packet_dropped"):
                ports.add(e["port"])
                self.assertEqual((e["node"], e["port"]), (host[e["side"]], e["connection"] + 1))
            else:
                self.assertEqual(e["node"], (peers if e["event"] == "packet_arrived" else host)[e["side"]], e)
                self.assertNotIn("port", e)
        self.assertEqual(ports, {1, 2})

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

    def test_located_before_complete(self):
        """An FPDU of 1460 octets in pieces of 536: its length comes with the first, its check with the last."""
        for extra in ({}, {"path.forward.loss": 0.02, "mpa.markers": "true", "run.seed": 4}):
            _, events = traced({"middlebox.mode": "split"} | extra)
            of = {name: {e["position"]: e for e in events if e["event"] == name and e["side"] == side}
                  for name, side in (("fpdu_located", "responder"), ("fpdu_valid", "responder"),
                                     ("fpdu_sent", "initiator"))}
            for position, valid in of["fpdu_valid"].items():
                located = of["fpdu_located"].get(position)
                if not extra:
                    self.assertEqual(located is None, valid["held_octets"] == 0, valid)
                if located:  # else its length came last
                    self.assertEqual((located["octets"], located["located_by"]),
                                     (of["fpdu_sent"][position]["octets"], valid["located_by"]))
                    self.assertLess(located["arrived_octets"], located["octets"])
                    self.assertLess(located["time_ps"], valid["time_ps"])
            self.assertEqual({e["located_by"] for e in of["fpdu_located"].values()},
                             {"chain", "marker"} if extra else {"chain"})

    def test_parts_of_packets(self):
        """Each octet of a packet that a middlebox makes is one of the packet that its part names."""
        for mode in ("rechunk", "split", "random"):
            _, events = traced({"middlebox.mode": mode, "path.forward.loss": 0.02, "run.seed": 2})
            sent = {e["packet"]: e for e in events if e["event"] == "segment_sent"}
            at = {}
            for e in events:
                if e["event"] == "packet_made":
                    at[e["packet"]] = [e["sequence"], e["sequence"] + e["payload_octets"]]
                elif e["event"] == "packet_part":
                    whole, begin = sent[e["of"]], at[e["packet"]][0]
                    self.assertLessEqual(whole["sequence"], begin)
                    self.assertLessEqual(begin + e["payload_octets"], whole["sequence"] + whole["payload_octets"])
                    at[e["packet"]][0] += e["payload_octets"]
            self.assertGreater(len(at), 100)
            self.assertEqual([], [packet for packet, (begin, end) in at.items() if begin != end])

    def test_why_octets_are_sent_again(self):
        last = "[%s]" % ",".join(str(n) for n in range(138, 148))  # what the third message ends with
        for keys, why in (({"path.forward.drop": "[5]"}, ["RACK"]),
                          ({"path.forward.drop": "[5]", "tcp.rack": "false"}, ["duplicates"]),
                          ({"path.forward.drop": last}, ["probe"] + 9 * ["time-out"])):
            _, events = traced(keys)
            again = [e for e in events if e["event"] == "segment_sent" and e["why"]]
            self.assertEqual([e["why"] for e in again][:len(why)], why)
            self.assertEqual(again, [e for e in events if e["event"] == "segment_sent" and e["again"]])

    def test_announced_retransmissions(self):
        """segment_sent_again is of the next segment_sent, and of the FPDU phase alone: the first segment with
        payload, the MPA Request Frame, is lost too."""
        _, events = traced({"path.forward.drop": "[1, 9]"})
        of = [e for e in events if e["event"].startswith("segment_sent") and e["side"] == "initiator"]
        again = [(e, following) for e, following in zip(of, of[1:]) if e["event"] == "segment_sent_again"]
        for e, following in again:
            for field in ("time_ps", "position", "payload_octets"):
                self.assertEqual(e[field], following[field])
        self.assertEqual([e["position"] for e in of if e.get("again")], [0] + [e["position"] for e, _ in again])
        self.assertEqual(len(again), 1)

    def test_time_out_of_a_syn(self):
        """A round trip of 1.2 s is longer than RTO before the first sample, a second (RFC 6298 section 2.1)."""
        _, events = traced({"path.forward.delay": "600ms", "path.reverse.delay": "600ms", "workload.messages": 1})
        e = next(e for e in events if e["event"] == "time_out")
        self.assertEqual((e["side"], e["time_ps"], e["rto_ps"], e["in_flight"]), ("initiator", 10**12, 10**12, 1))

    def test_failed_startup(self):
        """A frame that is wrong is at position 0 of the stream. A peer that rejects has found no octet wrong."""
        for keys, position in (({"fault.error": "startup-key"}, 0), ({"responder.rejects": "true"}, 2**64 - 1)):
            _, events = traced({"run.expect": "any"} | keys)
            self.assertEqual([e["position"] for e in events if e["event"] == "failed" and e["side"] == "responder"], [position])

    def test_window(self):
        """It is not yet open, opens, and closes."""
        _, events = traced({"measure.from": "130us", "measure.to": "140us"})
        self.assertEqual([(e["open"], e["at_ps"]) for e in events if e["event"] == "measured"],
                         [(0, 0), (1, 130_000_000), (0, 140_000_000)])

    def test_time_in_a_queue(self):
        """From leaving the queue on, a packet takes its transmission and the delay of the link: the gap after
        it, 36 of the 38 octets of framing, delays the next one (docs/facts.md, "A link's times")."""
        for queue in ("tail", "codel"):
            _, events = traced({"path.forward.rate": "1Gbit/s", "path.forward.discipline": queue})
            left = {}
            for e in events:
                if e["event"] == "packet_queued" and e["waits_ps"]:
                    left[e["packet"]] = e["time_ps"] + e["waits_ps"]
                elif e["event"] == "packet_dequeued":
                    left[e["packet"]] = e["time_ps"]
                elif e["event"] == "packet_arrived" and e["packet"] in left:
                    self.assertEqual(e["time_ps"] - left[e["packet"]], (e["ip_octets"] + 2) * 8_000 + 25_000_000)
            self.assertGreater(len(left), 50)

    def test_schema(self):
        """Lines of each event are as the schema says, which allows nothing else."""
        schema = json.loads(iwarpsim("explain", "trace", "--schema").stdout)
        kinds = {kind["properties"]["event"]["const"]: jsonschema.Draft202012Validator(kind)
                 for kind in schema["oneOf"]}
        jsonschema.Draft202012Validator.check_schema(schema)
        longer, path = {"workload.messages": 20, "path.forward.loss": 0.02}, "path.forward."
        seen = Counter()
        for keys in (longer | {"middlebox.mode": "rechunk", path + "duplicate": 0.02, path + "corrupt": 0.02,
                               path + "displace": 0.02, "path.reverse.jitter": "2ms", "measure.from": "1ms"},
                     longer | {path + "discipline": "codel", path + "ecn_mark": 0.05, "tcp.ecn": "on",
                               "receiver.memory": "2KiB", "receiver.mode": "in-order"},
                     {},
                     {path + "displace": "1%", path + "displace_by": "200us"},
                     {path + "drop": "[%s]" % ",".join(str(n) for n in range(138, 148))},
                     longer | {"receiver.mode": "assume-aligned", "mpa.crc": "false", "mpa.markers": "false",
                               "middlebox.mode": "shift", path + "loss": 0.05, "fault.error": "bad-crc"},
                     {path + "corrupt": "1%", path + "corrupt_checksum": "misses", "mpa.crc": "false"},
                     {"initiator.generation": "rfc6581", "responder.generation": "rfc", "initiator.fallback": "true"},
                     {"fault.error": "bad-crc"}):
            smaller = 'event = ( { at = "101us"; key = "path.forward.mtu"; value = 1280; } );\n'
            write("t.cfg", SCENARIO + ("" if keys else smaller))
            for line in traced(keys)[1]:
                seen[line["event"]] += 1
                if seen[line["event"]] <= 100:
                    kinds[line["event"]].validate(line)
        self.assertEqual(set(seen), set(kinds))
        line.pop("connection")
        self.assertFalse(jsonschema.Draft202012Validator(schema).is_valid(line))

    def test_messages(self):
        """A message's times are those of messages.csv, which count from the traffic's start, in their order; it is traced when the
        last of them is known, and, if the run ends before, as incomplete: all six, or none twice."""
        write("t.cfg", 'workload: { message_size = "64KiB"; messages = 6; outstanding = 2; operation = "write+read"; };\n'
              'path: { forward: { delay = "25us"; rate = "10Gbit/s"; drop = [5]; }; };\n')
        for stop in ("10s", "700us"):
            summary, events = traced({"run.stop": stop})
            done = [e for e in events if e["event"] == "message_complete"]
            left = [e for e in events if e["event"] == "message_incomplete"]
            with open("out/messages.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            self.assertEqual([(e["id"], e["operation"], e["octets"]) for e in done],
                             [(int(row["id"]), row["operation"], int(row["octets"])) for row in rows])
            for e, row in zip(done, rows):
                times = [e[f"{name}_ps"] for name in ("posted", "first", "placed", "delivered")]
                self.assertEqual(times, sorted(times))
                self.assertEqual(e["time_ps"], max(e["completed_ps"], e["delivered_ps"]))
                self.assertEqual(e["answered"], int(e["operation"] == "read"))
                for name, column in (("posted", "posted_s"), ("first", "first_octet_s"), ("placed", "placed_s"),
                                     ("delivered", "delivered_s"), ("completed", "completed_s")):
                    zero = e["posted_ps"] - Fraction(row["posted_s"]) * 10**12
                    self.assertEqual(e[f"{name}_ps"] - zero, Fraction(row[column]) * 10**12)
                self.assertEqual(e["side"], "responder" if e["operation"] == "write" else "initiator")
            self.assertEqual(len({e["id"] for e in done + left}), len(done + left))
            self.assertEqual((len(done), len(left)) if stop == "10s" else len(left) > 0, (6, 0) if stop == "10s" else True)
            self.assertEqual(summary["metrics"]["message.incomplete"], len(left))

    def expect_error(self, trace, words):
        with open("bad.trace", "wb") as file:
            file.write(trace)
        ran = iwarpsim("trace", "bad.trace")
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran.stderr)
        self.assertIn(words, ran.stderr)

    def test_damaged(self):
        traced({"run.seed": 1})
        whole = octets("t.trace")
        self.expect_error(whole[:-1], "cut short")
        self.expect_error(whole[: len(whole) // 2], "cut short")
        self.expect_error(whole[:8] + b"\x7f" + whole[9:], "version 127")
        self.expect_error(whole[:8] + b"\x03" + whole[9:],
                          "a trace of version 3; this program reads version 6: run the scenario, or replay the capture, "
                          "again with --trace")
        self.expect_error(b"", "not a trace")
        self.expect_error(SCENARIO.encode() * 9, "this is a scenario")
        r = random.Random(1)
        for _ in range(20):
            damaged = bytearray(whole[:20_000])
            damaged[r.randrange(9, len(damaged))] = r.randrange(256)
            with open("bad.trace", "wb") as file:
                file.write(damaged)
            self.assertEqual(iwarpsim("trace", "bad.trace").returncode, 2)  # cut short at the latest

    def test_filter(self):
        """The names that a line shows; one that no event has is refused, not silently never met."""
        traced({"run.seed": 1})
        for condition, status, part in (("time_ps >= 0 and time < 51us and event = full_operation", 0, ""),
                                        ("event = packet_sent and time_ps < 1", 0, '{"time_ps":0,'),
                                        ("event = packet_sent and packet = 3", 0, '"packet":3,"ip_octets"'),
                                        ("node = h1 and event = full_operation", 0, '"side":"responder","node":"h1"'),
                                        ("port = 1 and event = packet_queued", 0, '"node":"h0","port":1,"packet":'),
                                        ("event = packet_drop", 2, "no event is called 'packet_drop' (did you mean "),
                                        ("event != loss", 2, "column 10: no event is called 'loss'")):
            ran = iwarpsim("trace", "t.trace", "--filter", condition)
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertIn(part, ran.stderr if status else ran.stdout)

    def test_no_place_to_write(self):
        ran = iwarpsim("run", "t.cfg", "-q", "--trace", "no/such/place")
        self.assertEqual((ran.returncode, ran.stderr),
                         (2, "no/such/place: cannot be written (No such file or directory)\n"))


if __name__ == "__main__":
    unittest.main()
