# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim decode --messages`: the messages of a capture are those that were posted,
whatever the path did to their FPDUs; what is missing is named, and every Read Response finds its Read
Request."""
import json
import resource
import struct
from decimal import Decimal

import program_kit as kit
from decode_trip import FORWARD, REVERSE, DecodeTest, read_packets, write_packets

WRITE, READ_REQUEST, READ_RESPONSE, SEND = range(4)
NAMES = {"write": "RDMA Write", "read": "RDMA Read Request", "send": "Send"}
COUNT, SIZE = 30, 20001
STAG, SINK = 0x0A0B0C0D, 1 << 40


def ends(direction):
    """Addresses and ports of who sends and who receives, as in IP's and TCP's headers."""
    initiator, responder = (b"\x0a\0\0\x01", struct.pack(">H", 49152)), (b"\x0a\0\0\x02", struct.pack(">H", 5044))
    return (initiator, responder) if direction == FORWARD else (responder, initiator)


def segment(direction, position, payload=b"", flags=0x10):
    """An IPv4 packet; its TCP checksum is 0, as before a NIC has filled it in. Position 0 has sequence number
    1."""
    source, destination = ends(direction)
    tcp = source[1] + destination[1] + struct.pack(">IIBBHHH", position + (flags != 2 and flags != 0x12), 0, 0x50,
                                                   flags, 65535, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + source[0] + destination[0]
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    return ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF) + ip[12:] + tcp


def fpdu(opcode, header, payload=b"", last=True):
    """`header`: STag and TO, or QN, MSN and MO."""
    tagged = opcode in (WRITE, READ_RESPONSE)
    control = bytes([tagged << 7 | last << 6 | 1, 0x40 | opcode])
    ulpdu = control + (struct.pack(">IQ", *header) if tagged else struct.pack(">IIII", 0, *header)) + payload
    return struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(2 + len(ulpdu)) % 4) + bytes(4)


def read_request(msn, length, sink=SINK, stag=STAG):
    return fpdu(READ_REQUEST, (1, msn, 0), struct.pack(">IQIIQ", stag, sink, length, 1, 0))


class Conversation:
    """A connection without markers and CRCs, of one packet per µs, which starts after its startup frames."""

    def __init__(self):
        frames = [b"MPA ID R%s Frame" % word + bytes([0, 1]) + bytes(2) for word in (b"eq", b"ep")]
        self.packets = [segment(FORWARD, 0, flags=2), segment(REVERSE, 0, flags=0x12)]
        self.positions = [0, 0]
        for direction, frame in enumerate(frames):
            self.send(direction, frame)

    def send(self, direction, octets, is_captured=True):
        if is_captured:
            self.packets.append(segment(direction, self.positions[direction], octets))
        self.positions[direction] += len(octets)

    def write(self, name):
        write_packets(name, [(at * 1000, packet) for at, packet in enumerate(self.packets)])


class Messages(DecodeTest):
    def lines(self, name, kind, *options):
        output = self.decode(name, "--json", "--messages", *options)
        objects = [json.loads(line, parse_float=Decimal) for line in output.splitlines()]
        return [each for each in objects if each["type"] == kind]

    def expect_messages(self, operation, *sets):
        """A run has every message once, complete and in the order of the stream."""
        self.run_scenario(f"workload.messages={COUNT}", f"workload.message_size={SIZE}", "workload.operation="
                          + operation, *sets)
        messages = self.lines("run/receiver.pcap", "message")
        posted = [each for each in messages if each["rdmap"]["name"] == NAMES[operation]]
        self.assertEqual([each["complete"] for each in messages], [True] * len(messages))
        self.assertEqual(len(posted), COUNT)
        self.assertEqual(sum(each["fpdus"] for each in messages),
                         sum(each["fpdus"] for each in self.sums("run/receiver.pcap")))
        for direction in (FORWARD, REVERSE):
            mine = [each for each in messages if each["direction"] == direction]
            self.assertEqual([each["position"] for each in mine], sorted(each["position"] for each in mine))
            in_order = [each["time_s"] + each["held_s"] for each in mine]
            self.assertEqual(in_order, sorted(in_order))
            times = {fpdu["position"]: Decimal(f"{fpdu['time_s']:.9f}") for fpdu in
                     self.fpdus("run/receiver.pcap") if fpdu["direction"] == direction}
            for each in mine:
                positions = range(each["position"], each["position"] + each["octets"])
                of_fpdus = [time for position, time in times.items() if position in positions]
                self.assertEqual((each["time_s"], each["took_s"]),
                                 (max(of_fpdus), max(of_fpdus) - min(of_fpdus)))
                self.assertEqual(each["time_s"] + each["held_s"],
                                 max(time for position, time in times.items() if position < positions.stop))
        return messages, posted

    def test_posted(self):
        """Messages of 20,001 octets over a path that loses and reorders, with markers and without."""
        path = ("path.forward.loss=2%", "path.forward.reorder=5%", "path.reverse.loss=2%")
        for operation in ("write", "send"):
            for markers in ("true", "false"):
                _, posted = self.expect_messages(operation, f"mpa.markers={markers}", *path)
                self.assertEqual({each["payload_octets"] for each in posted}, {SIZE})
                waits = max(each["held_s"] for each in posted)
                self.assertEqual(waits > 0, markers == "true")  # without, an FPDU is located in order
                if operation == "send":
                    self.assertEqual([each["ddp"]["msn"] for each in posted], list(range(1, COUNT + 1)))

    def test_reads(self):
        """Each Response answers the Request of its sink; the round trip is between the times of both."""
        messages, requests = self.expect_messages("read", "path.forward.loss=2%", "path.reverse.loss=2%")
        responses = [each for each in messages if each["rdmap"]["name"] == "RDMA Read Response"]
        self.assertEqual([each["request_msn"] for each in responses], list(range(1, COUNT + 1)))
        for request, response in zip(requests, responses, strict=True):
            asked = request["rdmap"]["read_request"]
            self.assertEqual((asked["length"], asked["sink_stag"], asked["sink_offset"]),
                             (SIZE, response["ddp"]["stag"], response["ddp"]["tagged_offset"]))
            self.assertEqual(response["round_trip_s"], response["time_s"] - request["time_s"])

    def test_mixed(self):
        """Three connections, whose ends both send, read and send: five operations each, in turn."""
        self.run_scenario("workload.connections=3", "workload.messages=5", f"workload.message_size={SIZE}",
                          "workload.operation=send+read+send-se", "workload.directions=both",
                          "path.forward.loss=1%", "path.reverse.loss=1%")
        messages = self.lines("run/receiver.pcap", "message")
        self.assertTrue(all(each["complete"] for each in messages))
        for connection in range(3):
            for direction in (FORWARD, REVERSE):
                names = [each["rdmap"]["name"] for each in messages
                         if (each["connection"], each["direction"]) == (connection, direction)]
                self.assertEqual([name for name in names if name != "RDMA Read Response"],
                                 ["Send", "RDMA Read Request", "Send with Solicited Event", "Send",
                                  "RDMA Read Request"])
                self.assertEqual(names.count("RDMA Read Response"), 2)
        self.assertEqual([each["payload_octets"] for each in messages if "request_msn" in each], [SIZE] * 12)

    def test_wrong_crc(self):
        """An FPDU with a wrong CRC is none of a message, and does not hide the order of the stream."""
        self.run_scenario("workload.messages=3", f"workload.message_size={SIZE}", "workload.operation=send")
        packets = read_packets("run/receiver.pcap")
        at = next(i for i in range(20, len(packets)) if len(packets[i][1]) >= 1000)
        time_ns, ip = packets[at]
        packets[at] = time_ns, ip[:500] + bytes([ip[500] ^ 1]) + ip[501:]
        write_packets("other", packets)
        wrong = [each for each in self.fpdus("other", "--ignore-checksums") if each["crc"] == "wrong"]
        missing = [[each["ddp"]["message_offset"], each["ddp"]["message_offset"] + each["payload_octets"]]
                   for each in wrong]
        found = [(each["missing"], each["held_s"] is not None)
                 for each in self.lines("other", "message", "--ignore-checksums")]
        self.assertEqual(sorted(found), [([], True), ([], True), (missing, False)])

    def test_not_captured(self):
        """It is read without one packet of the sender: octets are missing where FPDUs are, and nothing after
        it is known to be in order."""
        for operation in ("write", "send"):
            self.run_scenario(f"workload.messages={COUNT}", f"workload.message_size={SIZE}",
                              f"workload.operation={operation}")
            every = {each["position"]: each for each in self.fpdus("run/sender.pcap")}
            packets = read_packets("run/sender.pcap")
            del packets[next(i for i in range(60, len(packets)) if len(packets[i][1]) >= 1000)]
            write_packets("other", packets)
            left = {each["position"] for each in self.fpdus("other")}
            lost = [each for position, each in every.items() if position not in left]
            broken = [each for each in self.lines("other", "message") if not each["complete"]]
            self.assertEqual(sum(each["missing_octets"] for each in broken),
                             sum(each["payload_octets"] for each in lost))
            self.assertEqual(sum(to - since for each in broken for since, to in each["missing"]),
                             sum(each["payload_octets"] for each in lost))
            in_order = [each["held_s"] is not None for each in self.lines("other", "message")]
            self.assertEqual(in_order, sorted(in_order, reverse=True))
            self.assertIn(False, in_order)

    def test_reads_without_answer(self):
        """Of Requests 1 to 5, 2 has no Response, that to 3 breaks off, of that to 4 the first half was not
        captured, and 5 is for no octets; a Response that nobody asked for answers none."""
        talk = Conversation()
        for msn, length in enumerate((2000, 2000, 2000, 2000, 0), 1):
            talk.send(FORWARD, read_request(msn, length, SINK + msn * 4096))
        for msn, sent in ((1, (0, 1000)), (3, (0,)), (9, (0, 1000)), (4, (None, 1000)), (5, (1000,))):
            for start in sent:
                at = 0 if start is None or msn == 5 else start
                octets = fpdu(READ_RESPONSE, (STAG, SINK + msn * 4096 + at), bytes(0 if msn == 5 else 1000),
                              last=start == 1000)
                talk.send(REVERSE, octets, is_captured=start is not None)
        # What follows a hole without markers is located by assumption alone.
        talk.write("reads")
        found = [(each.get("request_msn"), each["complete"], each["missing"], each["ddp"]["last"])
                 for each in self.lines("reads", "message", "--assume-aligned") if each["direction"] == REVERSE]
        self.assertEqual(found, [(1, True, [], True), (3, False, [[1000, 2000]], False), (None, True, [], True),
                                 (4, False, [[0, 1000]], True), (5, True, [], True)])
        notes = [each["text"] for each in self.lines("reads", "note", "--assume-aligned")
                 if each["kind"] == "unanswered"]
        self.assertEqual(notes, ["no Read Response answers the Read Request with MSN 2 in packet 6"])
        self.assertIn("RDMA Read Response L=0 STag=0x0A0B0C0D TO=0x0000010000003000 payload=1000 FPDUs=1 took=0.0"
                      "00000000 request_MSN=3, INCOMPLETE, no end, missing 1000-2000\n",
                      self.decode("reads", "--messages", "--assume-aligned"))

    def test_answered_before(self):
        """A Response that came before a Read Request does not answer it, though both have the same sink and it
        had to wait for octets that were not captured."""
        talk = Conversation()
        answer = fpdu(READ_RESPONSE, (STAG, SINK), bytes(8))
        talk.send(REVERSE, fpdu(SEND, (0, 1, 0)), is_captured=False)
        talk.send(FORWARD, read_request(1, 8), is_captured=False)
        for direction, octets in ((REVERSE, answer), (FORWARD, read_request(2, 8)), (REVERSE, answer)):
            talk.send(direction, octets)
        talk.write("before.pcap")
        answers = [each for each in self.lines("before.pcap", "message", "--assume-aligned") if
                   each["direction"] == REVERSE]
        self.assertEqual([each.get("request_msn") for each in answers], [None, 2])

    def test_odd(self):
        """Messages of a sender that errs: a Send without its start, one with a hole, one that another
        interrupts, one with the number of the one before; a Write whose start was not captured."""
        talk = Conversation()
        for msn, offset, last in ((1, 100, True), (2, 0, False), (2, 200, True), (3, 0, False), (4, 0, True),
                                  (4, 0, True)):
            talk.send(FORWARD, fpdu(SEND, (0, msn, offset), bytes(100), last))
        for is_captured, offset, last in ((True, 0, True), (False, 0, False), (True, 500, True), (True, 0, True)):
            talk.send(FORWARD, fpdu(WRITE, (STAG, offset), bytes(500), last), is_captured)
        talk.write("odd")
        found = [(each["complete"], each["start_known"], each["missing"], each["payload_octets"])
                 for each in self.lines("odd", "message", "--assume-aligned")]
        self.assertEqual(found, [(False, True, [[0, 100]], 100), (False, True, [[100, 200]], 200),
                                 (False, True, [], 100), (True, True, [], 100), (True, True, [], 100),
                                 (True, True, [], 500), (False, False, [], 500), (True, True, [], 500)])

    def test_hostile(self):
        """Requests of 4 GiB without end, Responses that none of them asked for, Sends with any number, Writes
        to any STag: a line for each, and memory for none."""
        talk = Conversation()
        requests, others, each_packet = 70000, 20000, 500
        for count, direction, make in ((requests, FORWARD, lambda i: read_request(i, 2**32 - 1, SINK, i)),
                                (others, REVERSE, lambda i: fpdu(READ_RESPONSE, (STAG, i), b"x")),
                                (others, FORWARD, lambda i: fpdu(SEND, (0, i * 77777 % 2**32, 2**32 - 1), b"x", False)),
                                (others, REVERSE, lambda i: fpdu(WRITE, (i, 2**64 - 1), b"x", False))):
            for first in range(0, count, each_packet):
                talk.send(direction, b"".join(make(i) for i in range(first, first + each_packet)))
        talk.write("hostile")
        done = self.shell("iwarpsim decode hostile -m -j | cut -d'\"' -f4 | sort | uniq -c")
        self.assertEqual(done.stdout.split(),
                         ["1", "capture", str(requests + 3 * others), "message", str(requests), "note", "1",
                          "reply", "1", "request"])
        if not kit.SANITIZED:
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 200 << 10)
