#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the timeline of a capture: what it shows is what the trace of the run shows that was
captured.

Skipped without a browser (browser.py).
"""

import json
import re
import struct
import unittest

import browser  # ends this test where there is none
from trace_kit import PageTest

HEADERS = 40  # of a segment without options, in a capture of raw IP
# These are the rows of an event at an end, a list of the fields of each.
ROWS = """const columns = table(arguments[0]);
return rowsAt(arguments[0], arguments[1]).map(row => arguments[2].map(field =>
  field === 'located_by' ? nameOf(columns, field, row) : columns[field][row]));"""
DETAILS = """return choose(arguments[0]) && {...Object.fromEntries([...document.querySelectorAll('.details dt')]
  .map(dt => [dt.textContent, dt.nextElementSibling.textContent.trim()])), title: document.querySelector('.details h2').textContent}"""
FIELDS = """choose(arguments[0]);
return [...document.querySelectorAll('.fields tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"""


class Captures(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_scenario("one", "one-loss-middlebox")
        cls.events = cls.events_of("one")

    def cut(self, keep, capture="one/receiver.pcap", edit=bytes):
        """cut.pcap: the packets of a capture for whose number and octets `keep` is true, as `edit` makes them."""
        whole, at, number = (self.folder / capture).read_bytes(), 24, 0
        cut = whole[:at]
        while at < len(whole):
            head, length = whole[at:at + 16], struct.unpack_from("<I", whole, at + 8)[0]
            packet, at, number = whole[at + 16:at + 16 + length], at + 16 + length, number + 1
            cut += head + edit(packet) if keep(number, packet) else b""
        (self.folder / "cut.pcap").write_bytes(cut)

    def show(self, capture="cut.pcap", *options, end=0, status=0):
        done = self.iwarpsim("timeline", capture, "-o", "page.html", *options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.show_page("page.html", f"#end={end}")
        self.assertEqual(self.browser.console(), [])
        return done

    def of_trace(self, event, side, *fields):
        return [[e[field] for field in fields] for e in self.events if e["event"] == event and e["side"] == side]

    def of_page(self, event, end, *fields):
        return self.script(ROWS, event, end, fields)

    def holes(self):
        return self.script("return flow.holes.map(h => [h.from, h.to])")

    def test_at_the_receiver(self):
        """What arrives, holes, FPDUs with how they were located, and SACK blocks are those of the run."""
        self.show("one/receiver.pcap")
        for event, side, end, *fields in (
                ("segment_arrived", "responder", 1, "position", "payload_octets", "new_octets", "in_order_edge"),
                ("fpdu_valid", "responder", 1, "position", "octets", "markers", "located_by"),
                ("fpdu_sent", "initiator", 0, "position", "ulpdu_octets", "tagged", "last", "opcode", "message", "offset"),
                ("sack_sent", "responder", 1, "from", "to")):
            rows = self.of_page(event, end, *fields)
            self.assertGreater(len(rows), 5 if event == "sack_sent" else 100)  # SACKs are saved
            self.assertEqual(sorted(rows), sorted(self.of_trace(event, side, *fields)), event)
        in_time = "return flow.holes.map(h => [h.from, h.to, ...[h.opened, h.filled].map(at => Math.floor(at / 1000))])"
        late = "return flow.pieces.filter(p => p.since === p.since).map(p => [p.from, p.to])"
        holes, pieces = self.script(in_time), self.script(late)
        hole = self.script(DETAILS, "hole-1")
        self.assertEqual(hole["Captured late as"], hole["Filled"].split("by ")[1])
        self.assertEqual(self.script("return flow.held.length + flow.queued.length"), 0)  # nobody saw that
        hint = "return getComputedStyle(document.querySelector('.details'), '::before').content"
        self.assertNotIn("peak", self.script(hint))
        self.show("one.trace")
        self.assertIn("p for the peak", self.script(hint))
        self.assertEqual([holes, pieces], [self.script(in_time), self.script(late)])
        self.assertEqual(len(holes), 1)

    def test_at_the_sender(self):
        """No hole: each segment as it was sent, the retransmissions, and what was acknowledged."""
        self.show("one/sender.pcap")
        self.assertEqual(self.holes(), [])
        sent = [row for row in self.of_page("segment_sent", 0, "position", "payload_octets", "again") if row[1]]
        self.assertEqual(sent, [row for row in self.of_trace("segment_sent", "initiator", "position", "payload_octets", "again") if row[1]])
        windows = [row[1] for row in self.of_page("segment_sent", 0, "flags", "window_octets") if row[0] & 2]
        self.assertEqual(windows, [65535])  # a SYN's is not scaled (RFC 7323 section 2.2)
        unacknowledged = max(row[0] for row in self.of_page("window", 0, "in_flight_octets"))
        self.assertEqual(unacknowledged, max(e["next"] - e["acknowledged"] for e in self.events if e["event"] == "window" and
                                             e["side"] == "initiator"))
        again = self.script("return flow.packets.again[0].packet")
        self.assertEqual(self.script(DETAILS, f"packet-{again}")["title"], f"Packet {again}: a retransmission")

    def test_one_direction(self):
        """The same stream without what the peer sends: nothing is known of acknowledgements."""
        self.cut(lambda number, packet: packet[12:16] == bytes([10, 0, 0, 1]))
        self.show()
        self.assertEqual(self.holes(), self.of_trace("hole_opened", "responder", "from", "to"))
        self.assertEqual(self.of_page("fpdu_valid", 1, "position", "octets"), self.of_trace("fpdu_valid", "responder", "position", "octets"))
        self.assertEqual(self.script("return [flow.window.length, flow.sacks.length]"), [0, 0])
        self.assertIn("the Reply is not in the capture", self.script("return document.querySelector('main details').textContent"))

    def test_midway(self):
        """Positions count from the first captured octet; the markers are where they were; windows have no known scale."""
        self.cut(lambda number, packet: number > 300)
        self.assertIn("or --mpa HOST:PORT", self.iwarpsim("timeline", "cut.pcap", "-o", "no.html").stderr)
        self.show("cut.pcap", "--mpa", "10.0.0.2:5044")
        origin = self.of_trace("hole_opened", "responder", "from")[0][0] - self.holes()[0][0]
        found = self.of_page("fpdu_valid", 1, "position", "octets", "markers")
        whole = self.of_trace("fpdu_valid", "responder", "position", "octets", "markers")
        self.assertGreater(len(found), 700)
        self.assertEqual([[position + origin, *rest] for position, *rest in found], whole[-len(found):])
        markers = self.script("return markersOf(flow, flow.fpdus[5].from, flow.fpdus[5].to)")
        self.assertEqual({(at + origin - 20) % 512 for at in markers}, {0})
        self.assertEqual(self.script("return flow.fpdus.filter(f => markersOf(flow, f.from, f.to).length !== table('fpdu_valid').markers[f.validRow]).length"), 0)
        packet = self.script("return table('segment_sent').packet[rowsAt('segment_sent', 1)[0]]")
        self.assertIn("not known", self.script(DETAILS, f"packet-{packet}")["Acknowledges"])

    def test_missing_packets(self):
        """What is acknowledged and not captured is missing in the capture alone; FPDUs beyond it are located."""
        first, last = 400, 419
        self.cut(lambda number, packet: not first <= number <= last)
        self.show()
        lost = self.script("return flow.holes[0]")
        self.assertGreater(lost["left"], 5000)
        hole = self.script(DETAILS, "hole-1")
        self.assertIn("never: not in the capture, but acknowledged at", hole["Filled"])
        touched = {tuple(row) for row in self.of_trace("fpdu_valid", "responder", "position", "octets")
                   if row[0] < lost["to"] and row[0] + row[1] > lost["from"]}
        self.assertEqual({tuple(row) for row in self.of_page("fpdu_valid", 1, "position", "octets")},
                         {tuple(row) for row in self.of_trace("fpdu_valid", "responder", "position", "octets")} - touched)
        notes = self.script("return flow.notes.filter(n => n.kind === 'hole').map(n => [n.position, n.position + n.octets, noteLink(n).thing])")
        self.assertEqual(notes, [[lost["from"], lost["to"], "hole-1"]])

    def test_missing_without_markers(self):
        """Beyond octets that the capture lacks nothing can be located: the page shows that to its end."""
        self.run_scenario("plain", "one-loss-in-order", "--set=mpa.markers=false")
        self.cut(lambda number, packet: not 300 <= number <= 319, "plain/receiver.pcap")
        self.show()
        lost = self.script("return flow.holes[0]")
        self.assertLess(self.script("return flow.fpdus[flow.fpdus.length - 1].to"), lost["to"])
        self.assertEqual(self.script("return flow.pieces.filter(p => p.packet && p.from >= arguments[0])"
                                     ".every(p => p.states[0][0] === 'unlocated' && p.states[0][2] === run.last)", lost["to"]), True)
        self.assertIn("lost chain", self.script("return flow.notes.map(n => n.kind)"))

    def test_connections_and_errors(self):
        """Each connection by its addresses; a wrong CRC and the Terminate that answers it."""
        self.run_scenario("four", "one-loss-markers", "--set=workload.connections=4", "--set=workload.messages=3")
        self.show("four/receiver.pcap")
        options = self.script("return [...document.querySelectorAll('option')].map(o => o.textContent)")
        self.assertEqual(len(options), 4)
        self.assertEqual(options[1], "connection 1, Initiator 10.0.0.1:49153 to Responder 10.0.0.2:5044")
        self.run_scenario("crc", "one-loss-markers", "--set=fault.error=bad-crc", "--set=run.expect=any")
        self.show("crc/sender.pcap")
        wrong, = self.script("return flow.fpdus.filter(f => !f.locatedBy).map(f => f.number)")
        fpdu = self.script(DETAILS, f"fpdu-{wrong}")
        self.assertRegex(fpdu["Noted"], r"^error: the CRC is wrong: .* \(RFC 5044 §4\.4\)$")
        self.assertEqual(fpdu["Valid"], "never")
        self.run_scenario("stag", "one-loss-markers", "--set=fault.error=invalid-stag", "--set=run.expect=any")
        self.show("stag/sender.pcap", end=1)
        terminate = self.script(DETAILS, "fpdu-1")
        self.assertEqual([terminate["Noted"], terminate["Carries"]], ["Terminate: tagged buffer error 0x00: invalid STag", "Terminate, untagged"])

    def test_wrong_checksums(self):
        """How many segments were passed over, and the first, is said once on the page, and on standard error."""
        damaged = {300, 310}
        numbers = iter(range(1, 10 ** 6))

        def edit(packet):
            return packet[:36] + bytes([packet[36] ^ 1]) + packet[37:] if next(numbers) in damaged else packet
        self.cut(lambda number, packet: True, edit=edit)
        texts = []
        for end in (0, 1):
            said = self.show(end=end).stderr
            texts += self.script("return flow.found.filter(note => note.kind === 'checksum').map(noteWords)")
        self.assertRegex(said, r"^note: segments with a wrong TCP checksum were passed over: 2, the first in packet 300; --ignore")
        passed = [re.search(r"passed over: (\d), the first in packet (\d+)", text).groups() for text in texts]
        self.assertEqual((sum(int(count) for count, _ in passed), min(int(first) for _, first in passed)), (2, 300))

    def test_replay(self):
        """The trace of a replay has arrivals alone: its page shows what the model's receiver holds."""
        self.iwarpsim("replay", "one/receiver.pcap", "-q", "-o", "replayed", "--trace", "replayed.trace")
        self.show("replayed.trace")
        self.assertEqual(self.holes(), self.of_trace("hole_opened", "responder", "from", "to"))
        self.assertEqual(self.script("return [run.ends, flow.end]"), [[0], 0])
        self.assertGreater(self.script("return flow.peak.octets"), 1000)
        self.assertEqual(self.script("return flow.fpdus.map(f => [f.from, f.to - f.from, f.opcode, f.last])"),
                         self.of_trace("fpdu_sent", "initiator", "position", "octets", "opcode", "last"))

    def test_octets_of_a_packet(self):
        """A segment's fields are as they were captured, the startup frame's Private Data is text."""
        mark = b"<img src=x onerror=alert(1)>"
        self.run_scenario("private", "one-loss-markers", f"--set=initiator.private_data={len(mark)}", "--set=workload.messages=1")

        def edit(packet):
            return packet[:HEADERS + 20] + mark + packet[HEADERS + 20 + len(mark):] if b"MPA ID Req" in packet else packet
        self.cut(lambda number, packet: True, "private/receiver.pcap", edit)
        self.show("cut.pcap", "--ignore-checksums")
        rows = [row for row in self.script(FIELDS, "packet-3") if len(row) == 5]
        self.assertEqual([row[:2] for row in rows], [["IPv4 header", "20"], ["TCP header", "20"], ["MPA startup", str(20 + len(mark))]])
        self.assertEqual(rows[-1][3], f'MPA Request Frame: Rev=0 M=1 C=1 R=0, Private Data "{mark.decode()}"')
        self.assertEqual(self.script("return document.querySelectorAll('img').length"), 0)
        rows = [row for row in self.script(FIELDS, "packet-5") if len(row) == 5]
        self.assertEqual(sum(int(row[1].replace(",", "")) for row in rows), 1500)
        self.assertEqual([row[0] for row in rows][2:7], ["Marker", "ULPDU_Length", "DDP control", "RDMAP control", "STag"])

    def test_nothing_to_show(self):
        """One clear line, and the status of decode; a capture that ends in a packet is shown up to there."""
        self.cut(lambda number, packet: False)
        (self.folder / "short.pcap").write_bytes((self.folder / "one/receiver.pcap").read_bytes()[:100_000])
        for capture, words, *options in (("cut.pcap", "no connection speaks MPA: 0 packets"), ("none.pcap", "No such file"),
                                         ("/dev/null", "it is a pipe, a device or a socket"), ("-", "is read twice; expected a file"),
                                         ("one.trace", "are for captures", "--mpa", "*:5044")):
            done = self.iwarpsim("timeline", capture, "-o", "no.html", *options)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / "no.html").exists())
        self.assertIn("the file ends early", self.show("short.pcap", status=2).stderr)
        self.assertGreater(self.script("return flow.fpdus.length"), 20)

    def test_looks(self):
        """On a phone nothing is wider than the window; panels without contents are left out."""
        self.addCleanup(self.browser.command, "Emulation.clearDeviceMetricsOverride")
        self.show("one/receiver.pcap")
        both = self.script("return screen.height")
        self.cut(lambda number, packet: packet[12:16] == bytes([10, 0, 0, 1]))
        self.show()
        self.assertGreater(self.script("return screen.height"), both)
        self.browser.resize(390, 844, True)
        self.script("choose('hole-1')")
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main()
