# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `plot --what sequence`, `window` and `queue`: what they draw is what the lines of
`iwarpsim trace` have."""
import json
import random
import shutil
import unittest

import program_kit as kit

SCENARIO = """workload: { message_size = "64KiB"; messages = 40; };
receiver: { mode = "out-of-order"; };
tcp: { rack = false; tlp = false; };
path: { forward: { rate = "1Gbit/s"; delay = "500us"; queue = 10; loss = "2%"; }; };
run: { engine = "native"; stop = "1s"; };
"""
DOTS = 2000  # across and down


def ranges(marks):
    """[(time, from, to)] with those of one time joined where they touch."""
    joined = []
    for time, low, high in sorted(marks):
        if joined and joined[-1][0] == time and low <= joined[-1][2]:
            joined[-1] = (time, joined[-1][1], max(high, joined[-1][2]))
        else:
            joined.append((time, low, high))
    return joined


@unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
class TracePlots(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", SCENARIO)
        self.shell("iwarpsim run a.cfg --quiet --out run --trace a.trace")
        self.events = self.events_of("a.trace")

    def events_of(self, trace):
        return [json.loads(line) for line in self.shell(f"iwarpsim trace {trace}").stdout.splitlines()]

    def named(self, name, side="initiator", first=0, last=1e18):
        return [e for e in self.events if e["event"] == name and e["side"] == side and first <= e["time_ps"] <= last]

    def layers(self, what, options="", operand="a.trace"):
        """The data of a plot, by the text of the legend: [(from, until, low, high)], times in ps."""
        picture = "a-" + what if operand.endswith(".trace") else operand + "/" + what
        self.shell(f"iwarpsim plot {operand} --what {what} --quiet --force {options}")
        layers, rows = {}, None
        for line in kit.octets(picture + ".dat").decode().split("\n")[3:]:
            if line.startswith("# from"):
                continue
            if line.startswith("# "):
                rows = layers[line[2:]] = []
            elif line:
                start, until, low, high = map(float, line.split())
                rows.append((round(start * 1e12), round(until * 1e12), low, high))
        return layers

    def test_sequence(self):
        """In a part of the run that has more dots than segments, each is drawn: sent, arrived, lost, missing. It is
        what a trace shows without --what."""
        self.assertIn("a-sequence.png", self.shell("iwarpsim plot a.trace --force").stdout)
        first, last = 3_000_000_000, 7_000_000_000
        shown = self.layers("sequence", "--from 3ms --to 7ms")
        sent = self.named("segment_sent", first=first, last=last)
        for text, again in (("sent", 0), ("sent again", 1)):
            self.assertEqual(ranges((t, low, high) for t, _, low, high in shown[text]),
                             ranges((e["time_ps"], e["position"], e["position"] + e["payload_octets"]) for e in sent
                                    if e["again"] == again and e["payload_octets"]), text)
        arrived = self.named("segment_arrived", "responder", first, last)
        self.assertEqual(ranges((t, low, high) for t, _, low, high in shown["arrived"]),
                         ranges((e["time_ps"], e["position"], e["position"] + e["payload_octets"]) for e in arrived))
        numbers = {e["packet"]: e for e in self.named("segment_sent") if e["payload_octets"]}
        dropped = [e for e in self.named("packet_dropped", first=first, last=last) if e["packet"] in numbers]
        places = {(e["time_ps"], numbers[e["packet"]]["position"] + numbers[e["packet"]]["payload_octets"] // 2)
                  for e in dropped}
        self.assertTrue(places)
        self.assertEqual({(t, low) for t, _, low, _ in shown["lost"]}, places)
        # This is what is missing at a time, octet by octet: below the highest, and never arrived before.
        at = (first + last) // 2
        had = ranges((0, e["position"], e["position"] + e["payload_octets"])
                     for e in self.named("segment_arrived", "responder", 0, at))
        gaps = {(before[2], after[1]) for before, after in zip(had, had[1:])}
        self.assertTrue(gaps)
        holes = ranges((0, low, high) for start, until, low, high in shown["missing at the receiver"]
                       if start <= at < until)
        self.assertEqual({(low, high) for _, low, high in holes}, gaps)

    def test_window(self):
        """Lines begin with the value at --from, end with that at --to, and have nothing but values of the trace."""
        first, last = 5_000_000_000, 60_000_000_000
        shown = self.layers("window", "--from 5ms --to 60ms")
        windows = self.named("window")
        for text, field in (("cwnd", "congestion_window_octets"), ("in flight", "in_flight_octets")):
            values = [(e["time_ps"], e[field]) for e in windows]
            rows = [(start, low) for start, _, low, _ in shown[text]]
            self.assertEqual(rows[0], (first, [v for t, v in values if t <= first][-1]))
            self.assertEqual(rows[-1], (last, [v for t, v in values if t <= last][-1]))
            self.assertLessEqual(set(rows[1:-1]), set(values))
            within = [v for t, v in values if first < t <= last] + [rows[0][1]]
            self.assertEqual((min(v for _, v in rows), max(v for _, v in rows)), (min(within), max(within)), text)
        entered = [e["time_ps"] for e in self.named("recovery_entered", first=first, last=last)]
        self.assertTrue(entered)
        for time in entered:
            self.assertEqual([low for start, _, low, _ in shown["fast recovery"] if start <= time][-1], 1, time)
        everything = self.layers("window")
        self.assertEqual([start for start, *_ in everything["time-out"]],
                         [e["time_ps"] for e in self.named("time_out") if e["in_flight"]])

    def test_queue(self):
        """Each packet joins, and leaves when it has waited: in a part of the run each of both is drawn."""
        first, last, waiting, steps = 3_000_000_000, 5_000_000_000, 0, []
        sizes = {e["packet"]: e["ip_octets"] for e in self.named("packet_sent")}
        queued = self.named("packet_queued")
        for time, change in sorted((e["time_ps"] + wait, sign * sizes[e["packet"]]) for e in queued
                                   for wait, sign in ((0, 1), (e["waits_ps"], -1))):
            waiting += change
            if first < time <= last and steps and steps[-1][0] == time:
                steps.pop()
            if first < time <= last:
                steps.append((time, waiting))
        shown = self.layers("queue", "--from 3ms --to 5ms")
        drawn = dict((start, low) for start, _, low, _ in shown["waiting"])
        self.assertGreater(len(steps), 20)
        self.assertEqual([(time, drawn.get(time)) for time, _ in steps], steps)
        drops = {e["time_ps"] for e in self.named("packet_dropped") if e["place"] == "transmitter"}
        self.assertTrue(drops)
        whole = self.layers("queue")
        self.assertLessEqual({start for start, *_ in whole["lost"]}, drops)
        self.assertEqual(max(low for _, _, low, _ in whole["waiting"]), max(e["waiting_octets"] for e in queued))
        self.shell("iwarpsim run a.cfg --quiet --out hops --trace a.trace --set 'path.forward.hop_rate=[500Mbit/s]'")
        self.assertIn("lost (in any queue)", self.layers("queue"))  # the event does not name the link

    def test_thinned(self):
        """5 times the segments, and no 5 times the data: each is within a dot of what is drawn."""
        self.shell("iwarpsim run a.cfg --quiet --out b --trace a.trace --set workload.messages=200"
                   " --set path.forward.loss=0.1% --set run.stop=0")
        self.events = self.events_of("a.trace")
        shown = self.layers("sequence")
        segments = [e for e in self.named("segment_sent") if e["payload_octets"]]
        self.assertGreater(len(segments), 8700)
        self.assertLess(sum(map(len, shown.values())), 20000)
        end = max(e["time_ps"] for e in self.events if e["event"] in ("delivered", "segment_arrived"))
        self.assertGreater(self.events[-1]["time_ps"], end)  # an ACK is no reason to draw on
        self.assertEqual(shown["acknowledged (SND.UNA)"][-1][0], end)
        columns = {}
        top = max(e["position"] + e["payload_octets"] for e in segments) * 1.03
        for text in ("sent", "sent again"):
            for start, _, low, high in shown[text]:
                columns.setdefault(start * DOTS // end, []).append((low - top / DOTS, high + top / DOTS))
        for e in segments:
            self.assertTrue(any(low <= e["position"] and e["position"] + e["payload_octets"] <= high
                                for low, high in columns[e["time_ps"] * DOTS // end]), e)

    def test_folder_and_connections(self):
        """A folder's scenario is run again; the connection with most payload is drawn unless one is asked for."""
        self.assertEqual(self.layers("sequence", operand="run"), self.layers("sequence"))
        self.assertIn("scenario a · seed 1 · receiver out-of-order", kit.octets("run/sequence.dat").decode())
        self.shell("iwarpsim run a.cfg --quiet --out two --trace a.trace --set workload.connections=2 --set run.stop=0")
        self.events = [e for e in self.events_of("a.trace") if e["connection"] == 1]
        arrived = {(e["time_ps"], e["position"]) for e in self.named("segment_arrived", "responder")}
        shown = self.layers("sequence", "--connection 1")["arrived"]
        self.assertLessEqual({(start, low) for start, _, low, _ in shown}, arrived)
        self.assertIn("connection 1,", kit.octets("a-sequence.dat").decode())
        self.expect_refused("iwarpsim plot a.trace --what sequence --connection 2", "no payload of the connection is sent in this time; the trace has connections 0 to 1 and ends at")

    def test_refusals(self):
        kit.write("empty.trace", "iWtrace\n\1")
        self.shell("iwarpsim run a.cfg --quiet --out p --pcap")
        self.shell("iwarpsim replay p/receiver.pcap --quiet --out q --trace q.trace")
        for line, part in (("a.trace --what sequense", "(did you mean 'sequence'?)"),
                           ("a.trace --what occupancy", "--what occupancy: there is none of that name"),
                           ("a.cfg --what window", "a.cfg: this is a scenario, for check, run, sweep and size; expected"),
                           ("a.trace --what window --from 7x", "'7x:' is no range; expected A:B"),
                           ("a.trace --what sequence --from 2ms --to 1ms", "its end is not above its beginning"),
                           ("a.trace --what queue --from 5min", "no packet waits for a link in this time"),
                           ("a.trace --what queue --from 1ms --xrange 0:1ms", "--from does not go with"),
                           ("a.trace --what queue --connection 0", "--connection does not go with --what queue"),
                           ("a.trace --connection -1", "no payload of the connection is sent"),
                           ("a.trace --what window --connection -2", "the trace has connections 0 to 0 and ends at 0."),
                           ("run --what delays --from 1ms", "--from does not go with --what delays"),
                           ("a.trace --what sequence --xlog", "--xlog does not go with --what sequence"),
                           ("a.trace --what sequence --where x=1", "--where goes with a STORE"),
                           ("q.trace", "s; no segment is sent in it, as in that of a replay"),
                           ("empty.trace --what queue", "empty.trace: "),
                           ("no.trace --what sequence", "no.trace: No such file"),
                           (". --what sequence", ".: this is a folder without a summary.json; expected")):
            with self.subTest(line):
                self.expect_refused(f"iwarpsim plot {line}", part)

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_tcp_of_ns3(self):
        self.shell("iwarpsim run a.cfg --quiet --out n --trace a.trace --set tcp.implementation=ns3 --set run.engine=ns3"
                   " --set receiver.mode=in-order --set sender.segmentation=stream --set run.stop=0")
        self.events = self.events_of("a.trace")
        values = {(e["time_ps"], e["congestion_window_octets"]) for e in self.named("window")}
        self.assertLessEqual({(start, low) for start, _, low, _ in self.layers("window")["cwnd"][:-1]}, values)
        sent = {(e["time_ps"], e["position"]) for e in self.named("segment_sent") if e["again"]}
        self.assertTrue(sent)
        self.assertLessEqual({(start, low) for start, _, low, _ in self.layers("sequence")["sent again"]}, sent)

    def test_damaged(self):
        """A trace with octets changed, or cut short, is refused or drawn."""
        whole, draw = kit.octets("a.trace"), random.Random(1)
        for i in range(15):
            damaged = bytearray(whole[:draw.randrange(len(whole)) if i % 4 == 0 else len(whole)])
            for _ in range(i % 4 * 3):
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
            with open("d.trace", "wb") as file:
                file.write(damaged)
            done = kit.iwarpsim("plot", "d.trace", "--what", ("sequence", "window", "queue")[i % 3], "--format", "term")
            self.assertIn(done.returncode, (0, 2), done.stderr)


if __name__ == "__main__":
    unittest.main()
