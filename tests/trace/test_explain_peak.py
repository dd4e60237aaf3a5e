# SPDX-License-Identifier: GPL-2.0-only
"""These tests show that explain-peak's numbers are those that the printed trace gives by arithmetic of its
own."""
import os
import random
import re
import unittest

from program_kit import HAS_NS3, folder, octets, write
from trace_kit import SCENARIOS, iwarpsim, traced

SCENARIO = 'workload: { message_size = "64KiB"; messages = 6; };\n'
CAUSES = ["incomplete", "unlocated", "order", "fragment"]
RUNS = 25


def explain(what):
    return iwarpsim("explain-peak", what)


def run(keys):
    """The metrics and the events of a run into out/ and t.trace; None when the keys contradict each other."""
    made = traced({"run.expect": "any", **keys})
    return made and (made[0]["metrics"], made[1])


def us(time_ps):
    tenths = (time_ps + 50_000) // 100_000
    return f"{tenths // 10:,}.{tenths % 10} us"


def named(events, packet):
    """The packet as the sentences have it."""
    sent = next((e for e in events if e["event"] == "segment_sent" and e["packet"] == packet), None)
    if sent:
        number = sum(e["event"] == "segment_sent" and e["side"] == sent["side"] and e["payload_octets"] > 0 and
                     e["packet"] <= packet for e in events)
        return (f"segment {number:,} (packet {packet:,}, stream {sent['position']:,} to "
                f"{sent['position'] + sent['payload_octets'] - 1:,})")
    return f"packet {packet:,}, made by "


class ExplainPeak(unittest.TestCase):
    def setUp(self):
        self.enterContext(folder("explain"))
        write("t.cfg", SCENARIO)

    def explained(self, keys):
        made = run(keys)
        if made is None:
            return None
        told = explain("t.trace")
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        again = explain("out")  # its folder has no trace: the run is made again
        self.assertEqual((again.stderr, again.stdout[:len(told.stdout)]), ("", told.stdout))
        return *made, told.stdout

    def test_one_loss(self):
        """Every word of it: one segment lost, one connection, an in-order receiver."""
        metrics, events, text = self.explained({"receiver.mode": "in-order", "path.forward.drop": "[40]"})
        drop = next(e for e in events if e["event"] == "packet_dropped")
        lost = next(e for e in events if e["event"] == "segment_sent" and e["packet"] == drop["packet"])
        held = [e for e in events if e["event"] == "held"]
        peak = max(held, key=lambda e: e["order"])  # the first of the largest
        after = [e for e in events if e["event"] == "segment_arrived" and e["side"] == "responder" and
                 e["position"] > lost["position"] and e["time_ps"] <= peak["time_ps"]]
        self.assertEqual(sum(e["new_octets"] for e in after), peak["order"])
        again = next(e for e in events if e["event"] == "segment_sent" and e["again"])
        filled = next(e for e in events if e["event"] == "hole_filled" and e["from"] == lost["position"])
        self.assertEqual(metrics["buffer.reassembly_peak_octets"], peak["order"])
        self.assertEqual(text, f"Peak {peak['order']:,} octets at {us(peak['time_ps'])} on connection 0: "
                         f"{named(events, drop['packet'])} was lost on path.forward at {us(drop['time_ps'])}; "
                         f"{len(after)} segments arrived after it, and none could be placed because the receiver "
                         f"is in-order; sent again at {us(again['time_ps'])} ({again['why']}), filled at "
                         f"{us(filled['time_ps'])}.\n")

    def test_located_beyond_the_hole(self):
        """With markers and a middlebox: what is placed meanwhile, and the causes of what is not."""
        _, events, text = self.explained({"middlebox.mode": "rechunk", "middlebox.push": "ignore", "path.forward.drop": "[60]"})
        held = [e for e in events if e["event"] == "held"]
        peak = max(held, key=lambda e: sum(e[cause] for cause in CAUSES))
        drop = next(e for e in events if e["event"] == "packet_dropped")
        made = next(e for e in events if e["event"] == "packet_made" and e["packet"] == drop["packet"])
        hole = next(e for e in events if e["event"] == "hole_opened" and e["time_ps"] > drop["time_ps"])
        placed = [e for e in events if e["event"] == "placed" and e["out_of_order"] and
                  e["time_ps"] <= peak["time_ps"]]
        self.assertGreater(len(placed), 3)
        self.assertEqual(made["payload_octets"], hole["to"] - hole["from"])
        for words in (f"Peak {sum(peak[cause] for cause in CAUSES):,} octets at {us(peak['time_ps'])} on",
                      f"packet {drop['packet']}, made by rechunk (stream {hole['from']:,} to {hole['to'] - 1:,}) was "
                      f"lost on path.forward at {us(drop['time_ps'])}; ",
                      f"Meanwhile {len(placed)} FPDUs beyond it had been located by markers and placed: "
                      f"{sum(e['payload_octets'] for e in placed):,} octets of payload.",
                      f"{peak['incomplete']:,} octets lay in {peak['partial_fpdus']} located FPDU"):
            self.assertIn(words, text)
        self.assertEqual(f"{peak['unlocated']:,} octets lay in FPDUs that no marker had located" in text,
                         peak["unlocated"] > 0)

    def test_connections(self):
        """Returns what each connection held at the peak, the largest first; together they held the peak. In
        order, each that holds octets has a hole; where a middlebox cuts FPDUs, some hold the beginning of the
        next one alone."""
        for keys in ({"receiver.mode": "in-order"}, {"middlebox.mode": "rechunk", "middlebox.push": "ignore"}):
            with self.subTest(keys):
                holding, holes = self.expect_connections(keys)
                self.assertEqual(holes < holding, "middlebox.mode" in keys)

    def expect_connections(self, keys):
        """Returns how many hold octets, and how many have holes."""
        metrics, events, text = self.explained({"path.forward.loss": "4%", "workload.connections": 12, **keys})
        held = {}
        for e in events:
            if e["event"] == "held" and e["time_ps"] <= metrics["buffer.reassembly_peak_at_s"] * 1e12 + 0.5:
                held[e["connection"]] = (-sum(e[cause] for cause in CAUSES), e["connection"],
                                         e["holes"])
        first, *rest = sorted(share for share in held.values() if share[0])
        self.assertGreater(len(rest), 3)
        self.assertEqual(first[0] + sum(octets for octets, *_ in rest), -metrics["buffer.reassembly_peak_octets"])
        self.assertIn(f" over {len(rest) + 1} connections, the largest share, {-first[0]:,} octets, on connection "
                      f"{first[1]}: ", text)
        others = ", ".join(f"connection {connection} with {-octets:,} octets" for octets, connection, _ in rest[:3])
        holes = sum(share[2] > 0 for share in [first, *rest])
        self.assertTrue(text.endswith(f" Next came {others}; there were holes on {holes} of {len(rest) + 1}.\n"), text)
        return len(rest) + 1, holes

    def test_joined_segments(self):
        """Segments that receive offload has joined are larger than any that was sent."""
        write("t.cfg", f'@include "{SCENARIOS}/presets/linux-gro.cfg"\n{SCENARIO}')
        _, events, text = self.explained({"receiver.mode": "in-order", "sender.segmentation": "stream", "path.forward.drop": "[40]"})
        drop = next(e for e in events if e["event"] == "packet_dropped")
        lost = next(e for e in events if e["event"] == "segment_sent" and e["packet"] == drop["packet"])
        peak = max((e for e in events if e["event"] == "held"), key=lambda e: e["order"])
        after = [e["payload_octets"] for e in events if e["event"] == "segment_arrived" and e["side"] == "responder" and
                 e["position"] > lost["position"] and e["time_ps"] <= peak["time_ps"]]
        self.assertGreater(max(after), 1460)
        self.assertIn(f"; {len(after)} segments, joined on the way (up to {max(after):,} octets each), arrived after it",
                      text)

    def expect_cause(self, keys, event, words):
        """The first hole at the peak is because of a packet with that event."""
        _, events, text = self.explained({"receiver.mode": "in-order", **keys})
        packet = int(re.search(r"packet ([\d,]+)", text)[1].replace(",", ""))
        of_it = [e for e in events if e.get("packet") == packet and e["event"] == event]
        self.assertTrue(of_it, text)
        self.assertIn(named(events, packet), text)
        self.assertRegex(text, rf"{words} {re.escape(us(of_it[-1]['time_ps']))}")

    def test_why_octets_are_missing(self):
        self.expect_cause({"path.forward.queue": "30"}, "packet_dropped", "found a queue full on path.forward at")
        self.expect_cause({"path.forward.displace": "2%", "path.forward.displace_by": "20us"}, "packet_displaced",
                          "was sent late, without a loss, on path.forward at")
        self.expect_cause({"path.forward.reorder": "5%", "path.forward.jitter": "30us"}, "packet_sent",
                          "was still on its way, sent at")
        self.expect_cause({"path.forward.corrupt": "2%"}, "checksum_error",
                          "was dropped by TCP for its checksum, damaged on path.forward at")
        self.expect_cause({"middlebox.mode": "proxy", "path.forward.drop": "[40]"}, "packet_dropped",
                          "was lost on path.forward at")

    @unittest.skipUnless(HAS_NS3, "built without ns-3")
    def test_lost_in_a_node(self):
        """The nodes of a chain write nothing: a packet that never arrives was lost somewhere."""
        _, events, text = self.explained({"run.engine": "ns3", "topology.medium": "csma", "receiver.mode": "in-order",
                                          "topology.errors": "ns3::RateErrorModel ErrorRate=1e-5"})
        packet = int(re.search(r"packet ([\d,]+)", text)[1].replace(",", ""))
        of_it = {e["event"]: e["time_ps"] for e in events if e.get("packet") == packet}
        self.assertNotIn("packet_arrived", of_it)
        self.assertIn(f"{named(events, packet)} was lost after it was sent at {us(of_it['packet_sent'])}, the trace does "
                      "not show where; ", text)

    def test_overtaken_by_its_retransmission(self):
        """A segment that is only late fills its hole before what is sent again for it arrives; that this hole is one of
        the peak depends on the draw."""
        for seed in range(1, 9):
            _, events, text = self.explained({"receiver.mode": "in-order", "path.forward.displace": "3%",
                                              "path.forward.displace_by": "20us", "run.seed": seed})
            found = re.search(r"stream ([\d,]+) to .*; filled at (.+); sent again, needlessly, at (.+) \(RACK\)\.", text)
            if found:
                break
        first = int(found[1].replace(",", ""))
        again = next(e for e in events if e["event"] == "segment_sent" and e["again"] and e["position"] == first)
        filled = next(e for e in events if e["event"] == "hole_filled" and e["from"] == first)
        self.assertEqual((found[2], found[3]), (us(filled["time_ps"]), us(again["time_ps"])))
        self.assertGreater(again["time_ps"], filled["time_ps"])

    def test_why_they_wait_for_order(self):
        """Each reason by itself: the receiver, or the stream."""
        keys = {"mpa.markers": "false", "path.forward.drop": "[60]"}
        for more, why in (({}, "the stream has no markers ("),
                          ({"receiver.mode": "assume-aligned", "middlebox.mode": "rechunk"},
                           "the stream has no markers, and their FPDUs were not located by assumption ("),
                          ({"receiver.mode": "in-order"}, "the receiver is in-order")):
            self.assertIn(f"because {why}", self.explained(keys | more | {"sender.segmentation": "stream"})[2])

    def test_refused(self):
        """A segment that the memory has no room for is the hole of the next peak."""
        _, events, text = self.explained({"receiver.mode": "out-of-order", "receiver.memory": "4KiB",
                                          "mpa.markers": "false", "path.forward.loss": "2%", "run.seed": "3"})
        refused = {e["position"] for e in events if e["event"] == "segment_refused"}
        found = re.findall(r"stream ([\d,]+) to [\d,]+\) was refused for lack of memory", text)
        self.assertTrue(refused)
        self.assertTrue({int(position.replace(",", "")) for position in found} <= refused)

    def test_fragments(self):
        """An octet in a datagram whose fragment was lost: the packet that is named is a fragment."""
        _, events, text = self.explained({"path.forward.hop_mtu": "[1000,1500]", "receiver.mode": "in-order",
                                          "tcp.path_mtu_discovery": "false", "path.forward.drop": "[50]"})
        drop = next(e for e in events if e["event"] == "packet_dropped")
        made = next(e for e in events if e["event"] == "packet_made" and e["packet"] == drop["packet"])
        whole = next(e for e in events if e["event"] == "segment_sent" and e["packet"] == made["fragment_of"])
        self.assertIn(f"packet {drop['packet']}, made by fragmenter (stream {whole['position']:,} to "
                      f"{whole['position'] + whole['payload_octets'] - 1:,}) was lost", text)

    def test_nothing_held(self):
        for keys in ({}, {"path.forward.loss": "100%", "run.stall": "1s"}):  # nothing comes, even
            self.assertEqual(self.explained(keys)[2], "Peak 0 octets: in the time that is measured, no octet waited "
                             "for one that was missing.\n")
        self.assertRegex(self.explained({"measure.from": "first-loss"})[2], "never opened")

    def test_random_scenarios(self):
        """The summary's peak, its connection and its time, windows and cells too, of whatever run."""
        made = 0
        for seed in range(RUNS):
            r = random.Random(seed)
            keys = {"run.seed": seed, "mpa.markers": r.choice(["true", "false"]),
                    "receiver.mode": r.choice(["in-order", "out-of-order"]),
                    "path.forward.loss": r.choice(["0", "1%", "5%"]), "receiver.cell": r.choice([1, 64, 2048]),
                    "workload.connections": r.choice([1, 2, 5]), "path.forward.displace": r.choice(["0", "1%"]),
                    "middlebox.mode": r.choice(["none", "rechunk", "random", "split", "shift", "proxy"]),
                    "workload.operation": r.choice(["write", "read"])}
            for key, values in {"measure.from": ["100us", "300us", "first-loss", "64KiB"],
                                "measure.to": ["500us", "700us"], "receiver.memory": ["8KiB"]}.items():
                if r.random() < 0.3:
                    keys[key] = r.choice(values)
            explained = self.explained(keys)
            if explained is None:
                continue
            metrics, _, text = explained
            peak = metrics.get("buffer.reassembly_peak_octets")
            if peak is None:
                self.assertIn("never opened", text)
            elif peak > 0:
                at = round(metrics["buffer.reassembly_peak_at_s"] * 10**12)
                cells = f" in cells of {keys['receiver.cell']:,}" if keys["receiver.cell"] > 1 else ""
                begin = f"Peak {peak:,} octets{cells} at {us(at) if at < 10**12 else ''}"
                self.assertTrue(text.startswith(begin), f"{text} {keys}")
                self.assertIn(f" on connection {metrics['buffer.reassembly_peak_connection']}: ", text)
            made += 1
        self.assertGreater(made, RUNS * 3 // 4)

    def test_terminated(self):
        """The FPDU in error, and who spoilt it: its sender, or the path."""
        _, events, text = self.explained({"fault.error": "bad-crc", "fault.at": 20})
        invalid = next(e for e in events if e["event"] == "fpdu_invalid")
        fpdu = next(e for e in events if e["event"] == "fpdu_sent" and e["position"] == invalid["position"])
        self.assertIn(f"Connection 0 ended at {us(invalid['time_ps'])}: its Responder reports \"MPA error 2", text)
        self.assertIn(f"In error was FPDU {fpdu['fpdu']} of the Initiator (stream {fpdu['position']:,} to "
                      f"{fpdu['position'] + fpdu['octets'] - 1:,}), sent at {us(fpdu['time_ps'])}. The path damaged "
                      "no packet with octets of it: the Initiator sent it so, by the fault bad-crc.", text)
        damage = {"path.forward.corrupt": "2%", "path.forward.corrupt_checksum": "misses"}
        _, events, text = self.explained(damage)
        at = next(e for e in events if e["event"] == "fpdu_invalid")
        damaged = next(e for e in events if e["event"] == "packet_damaged" and e["packet"] == at["packet"])
        self.assertIn(f"path.forward had damaged {named(events, at['packet'])} at {us(damaged['time_ps'])}.", text)

    def expect_culprit(self, keys, fpdu):
        """The end fails because of that FPDU of the Initiator, which the path damaged or which was sent so."""
        _, events, text = self.explained(keys)
        failed = next(e for e in events if e["event"] == "failed")
        sent = next(e for e in events if e["event"] == "fpdu_sent" and e["side"] == "initiator" and e["fpdu"] == fpdu)
        self.assertEqual(failed["position"], sent["position"])
        self.assertIn(f"In error was FPDU {fpdu} of the Initiator (stream {sent['position']:,} to "
                      f"{sent['position'] + sent['octets'] - 1:,}), sent at {us(sent['time_ps'])}.", text)
        return events, text

    def test_terminated_beyond_a_hole(self):
        """DDP finds an error beyond a hole early and reports it when the hole is filled; RDMAP finds its own at
        Delivery. Neither is that of the FPDU that fills the hole, nor of the last one to be delivered or looked at."""
        for fault, operation in (("invalid-stag", "write"), ("unknown-opcode", "send"), ("bad-mo", "send")):
            self.expect_culprit({"fault.error": fault, "fault.at": 60, "path.forward.drop": "[40]",
                                 "workload.operation": operation}, 60)
        write("t.cfg", (SCENARIOS / "one-loss-markers.cfg").read_text(encoding="utf-8"))
        events, text = self.expect_culprit({"path.forward.loss": "1%", "path.forward.corrupt": "3%", "mpa.crc": "false",
                                            "path.forward.corrupt_checksum": "misses"}, 418)
        damaged = next(e for e in events if e["event"] == "packet_damaged" and named(events, e["packet"]) in text and
                       e["packet"] > 500)
        self.assertIn(f"path.forward had damaged {named(events, damaged['packet'])} at {us(damaged['time_ps'])}.", text)

    def test_wrong_start(self):
        """Without a CRC a damaged length passes; what then follows is taken for an FPDU, and is none."""
        _, events, text = self.explained({"path.forward.corrupt": "20%", "path.forward.corrupt_checksum": "misses",
                                          "mpa.crc": "false"})
        invalid = next(e for e in events if e["event"] == "fpdu_invalid")
        before = next(e for e in events if e["event"] == "fpdu_valid" and e["position"] + e["octets"] == invalid["position"])
        sent = next(e for e in events if e["event"] == "fpdu_sent" and e["position"] == before["position"])
        self.assertNotEqual(sent["octets"], before["octets"])
        carrier = next(e for e in events if e["event"] == "segment_sent" and e["position"] == before["position"])
        self.assertIn(f"In error was what it took for an FPDU at {invalid['position']:,} of the stream, in FPDU "
                      f"{sent['fpdu'] + 1} of", text)
        self.assertIn(f"path.forward had damaged {named(events, carrier['packet'])} at", text)

    def test_startup_frame(self):
        """The Request that the path damaged, and the one that is sent wrong."""
        damage = {"path.forward.corrupt": "20%", "path.forward.corrupt_checksum": "misses", "run.seed": 2}
        _, events, text = self.explained(damage)
        frame = next(e for e in events if e["event"] == "packet_damaged")
        begin = "In error was the startup frame of the Initiator. "
        self.assertIn(f"{begin}path.forward had damaged {named(events, frame['packet'])} at {us(frame['time_ps'])}.", text)
        self.assertIn(f"{begin}The path damaged no packet with octets of it: the Initiator sent it so, by the fault "
                      "startup-key.", self.explained({"fault.error": "startup-key"})[2])

    def test_second_try(self):
        """A failure that a second TCP connection follows is none: when that opens, from where; and what it fails by."""
        keys = {"initiator.generation": "rfc6581", "responder.generation": "rfc", "initiator.fallback": "true"}
        for ending in ({}, {"responder.generation": "ietf"}):
            _, events, text = self.explained(keys | ending)
            again = next(e for e in events if e["event"] == "started_again")
            self.assertIn(f"The Initiator of connection 0 opened a second TCP connection at {us(again['time_ps'])}, from port 32768, "
                          "with plain Revision 1: the first was closed before a Reply came.", text)
            failed = next((e for e in events if e["event"] == "failed" and e["time_ps"] > again["time_ps"]), None)
            self.assertEqual(failed is not None, bool(ending))
            self.assertEqual("Connection 0 ended" in text, bool(ending))
            if failed:
                self.assertIn(f"Connection 0 ended at {us(failed['time_ps'])}", text)

    def test_gave_up(self):
        """Returns what TCP sent in vain: its SYN, or a segment."""
        for keys in ({"path.forward.loss": "100%", "tcp.retries": 2},
                     {"path.forward.loss": "30%", "tcp.retries": 1, "run.seed": 1}):
            _, events, text = self.explained(keys)
            first = int(re.search(r"\(packet (\d+)", text)[1])
            drop = next(e for e in events if e["event"] == "packet_dropped" and e["packet"] == first)
            what = "the SYN (packet 1)" if first == 1 else named(events, first)
            places = {e["packet"]: (e["side"], e["position"]) for e in events if e["event"] == "segment_sent"}
            lost = [e for e in events if e["event"] == "packet_dropped" and places.get(e["packet"]) == places[first]]
            self.assertGreaterEqual(len(lost), 2)
            self.assertEqual(text.count(" was lost on path.forward at "), len(lost))
            self.assertIn(f'in a row": {what} was lost on path.forward at {us(drop["time_ps"])}; sent again at ', text)
            self.assertTrue(text.endswith(" before the trace ends.\n"), text)

    def test_octets_wrong(self):
        """Without a CRC damage passes: which packets, and which octet of which message."""
        metrics, events, text = self.explained({"path.forward.corrupt": "1%", "path.forward.corrupt_checksum": "misses",
                                          "mpa.crc": "false"})
        damaged = {e["packet"] for e in events if e["event"] == "packet_damaged" and e["side"] == "initiator"}
        passed = [e for e in events if e["event"] == "segment_arrived" and e["packet"] in damaged]
        first = passed[0]
        self.assertIn(f"TCP took {len(passed)} segment{'s' * (len(passed) > 1)} as good that the path had damaged: "
                      f"first packet {first['packet']} of connection 0 (stream {first['position']:,} to "
                      f"{first['position'] + first['payload_octets'] - 1:,}) at {us(first['time_ps'])}.", text)
        self.assertIn("octets wrong", explain("out").stdout)
        wrong = [e for e in events if e["event"] == "octets_wrong"]
        self.assertEqual(sum(e["octets"] for e in wrong), metrics["integrity.octets_wrong"])
        first = wrong[0]
        self.assertEqual(bin(first["sent"] ^ first["placed"]).count("1"), 1)  # the path turns one bit over
        sent = [e for e in events if e["event"] == "fpdu_sent" and e["side"] == "initiator"]
        before = [e for e in sent if e["position"] < first["position"]]
        self.assertEqual(first["message"], 1 + sum(e["last"] for e in before))
        its = next(e for e in sent if e["position"] == first["position"])
        base = next(e for e in sent if e["message"] == its["message"])["offset"]
        self.assertIn(first["offset"] - (its["offset"] - base), range(its["ulpdu_octets"] - 14))  # a DDP header
        for words in (f"Octet {first['offset']:,} (from 0) of message {first['message']} that the Responder of "
                      f"connection 0 got is 0x{first['placed']:02X}, where 0x{first['sent']:02X} was sent: the first of ",
                      f"It came with FPDU {its['fpdu']} of the Initiator (stream {its['position']:,} to "):
            self.assertIn(words, text)

    def expect_error(self, what, words):
        told = explain(what)
        self.assertEqual((told.returncode, told.stdout, told.stderr.count("\n")), (2, "", 1), told.stderr)
        self.assertIn(words, told.stderr)

    def test_trace_in_the_folder(self):
        """A run, one with events, too, is made again from its summary, unless run.trace is in its folder."""
        write("t.cfg", SCENARIO + 'event = ( { at = "100us"; key = "path.forward.mtu"; value = 1280; } );\n')
        run({"receiver.mode": "in-order", "path.forward.drop": "[40]"})
        self.assertEqual(explain("out").stdout, explain("t.trace").stdout)
        os.rename("t.trace", "out/run.trace")
        self.assertEqual(explain("out").stdout, explain("out/run.trace").stdout)
        os.rename("out", "other")
        run({"run.seed": 2})
        os.rename("other/run.trace", "out/run.trace")
        self.expect_error("out", "out/run.trace: a trace of run.seed = 1, but of 2 in summary.json")

    def test_trace_in_the_folder_of_a_replay(self):
        """The summary of a replay has only the keys that it heeds; its run.trace explains it all the same."""
        os.mkdir("replayed")
        for arguments in (["run", "t.cfg", "--pcap", "-o", "out", "--set", "path.forward.drop=[40]"],
                          ["replay", "out/receiver.pcap", "-o", "replayed", "--trace", "replayed/run.trace",
                           "--set", "receiver.mode=in-order"]):
            self.assertEqual(iwarpsim(*arguments, "-q").returncode, 0)
        told = explain("replayed")
        self.assertEqual((told.stdout, told.stderr), (explain("replayed/run.trace").stdout, ""))
        self.assertIn("none could be placed because the receiver is in-order", told.stdout)
        os.unlink("replayed/run.trace")
        self.expect_error("replayed", "repeat it with `iwarpsim replay --trace FILE`")

    def test_bad_input(self):
        run({"receiver.mode": "in-order", "path.forward.loss": "2%"})
        whole = octets("t.trace")
        for trace, words in ((whole[:-1], "cut short"), (b"", "not a trace"), (whole[:8] + b"\x7f", "version 127")):
            with open("bad.trace", "wb") as file:
                file.write(trace)
            self.expect_error("bad.trace", words)
        r = random.Random(1)
        for _ in range(80):
            damaged = bytearray(whole)
            for _ in range(r.choice([1, 1, 20])):
                damaged[r.randrange(8, len(damaged))] = r.randrange(256)
            with open("bad.trace", "wb") as file:
                file.write(damaged)
            told = explain("bad.trace")
            self.assertIn((told.returncode, told.stderr.count("\n")), [(0, 0), (2, 1)], told.stderr)
        for about in (b"", b"x", b"[]", b'{"keys":7}', b'{"keys":' + b"[" * 60):  # what the trace names is a help, no more
            octets_there = int.from_bytes(whole[9:11], "little")
            length = (octets_there & 127) | (octets_there >> 1 & 0x3F80)
            with open("bad.trace", "wb") as file:
                file.write(whole[:9] + bytes([len(about)]) + about + whole[11 + length:])
            told = explain("bad.trace")
            self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.expect_error("no.trace", "No such file")
        os.mkdir("empty")
        self.expect_error("empty", "summary.json")
        with open("out/summary.json", encoding="utf-8") as file:
            summary = file.read()
        peak = r'"buffer.reassembly_peak_octets": \d+'
        write("out/summary.json", re.sub(peak, '"buffer.reassembly_peak_octets": 1', summary))
        self.expect_error("out", "buffer.reassembly_peak_octets is 1 there")
        write("out/summary.json", re.sub(r'"receiver.mode": "in-order",', "", summary))
        self.expect_error("out", "receiver.mode")


if __name__ == "__main__":
    unittest.main()
