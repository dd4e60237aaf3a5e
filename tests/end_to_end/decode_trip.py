# SPDX-License-Identifier: GPL-2.0-only
"""The tests of `iwarpsim decode` share this: a run with its captures, what the command reads out of them, and
captures written anew in other ways."""
import json
import os
import struct
from collections import namedtuple

import program_kit as kit

FORWARD, REVERSE = 0, 1

# These are the counts that are 0 when every octet is accounted for, without an error.
FAULTS = ("unaccounted_octets", "missing_octets", "incomplete_octets", "wrong_markers", "after_error",
          "crc_bad", "no_ddp", "located_by_assumption")
# These are the counts that no loss, order or second arrival changes.
OF_STREAMS = ("connections", "fpdus", "markers", "fpdu_octets", "startup_octets", "streaming_octets",
              "payload_octets", "tagged_payload_octets")

# This is a file format: the order of its numbers ("<" or ">") and its magic number, 0 for pcapng; the link
# type, and what stands before an IPv4 packet.
Style = namedtuple("Style", "order magic link_type head")
MAGIC_US, MAGIC_NS = 0xA1B2C3D4, 0xA1B23C4D
RAW = Style("<", MAGIC_NS, 101, b"")
STYLES = {
    "as it was": RAW,
    "Ethernet, µs": Style("<", MAGIC_US, 1, bytes(12) + b"\x08\0"),
    "two VLAN tags, big-endian": Style(">", MAGIC_NS, 1, bytes(12) + b"\x88\xa8\0\x64\x81\0\0\x65\x08\0"),
    "Linux cooked": Style("<", MAGIC_NS, 113, bytes(14) + b"\x08\0"),
    "Linux cooked 2": Style("<", MAGIC_NS, 276, b"\x08\0" + bytes(18)),
    "pcapng, Ethernet": Style("<", 0, 1, bytes(12) + b"\x08\0"),
}
ETHERNET, ETHERNET_LEAST_OCTETS = 1, 60
ANY_OCTETS = 262144


def read_packets(name):
    """[(ns since 1970, octets)] of a capture that the program wrote."""
    whole = kit.octets(name)
    assert struct.unpack_from("<I16xI", whole) == (RAW.magic, RAW.link_type)
    packets, at = [], 24
    while at < len(whole):
        seconds, nanoseconds, length = struct.unpack_from("<III", whole, at)
        packets.append((seconds * 10**9 + nanoseconds, whole[at + 16:at + 16 + length]))
        at += 16 + length
    return packets


def pcapng_block(kind, body):
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def write_packets(name, packets, style=RAW, snap_octets=ANY_OCTETS):
    """Writes a capture of these, at most `snap_octets` of each frame."""
    if style.magic:
        file = struct.pack(style.order + "IHHIIII", style.magic, 2, 4, 0, 0, ANY_OCTETS, style.link_type)
    else:  # a section of unknown length; its interface, with times in ns (if_tsresol 9)
        file = pcapng_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        file += pcapng_block(1, struct.pack("<HHIHHIHH", style.link_type, 0, ANY_OCTETS, 9, 1, 9, 0, 0))
    for time_ns, ip in packets:
        frame = style.head + ip
        if style.link_type == ETHERNET:
            frame = frame.ljust(ETHERNET_LEAST_OCTETS, b"\0")
        octets = frame[:snap_octets]
        lengths = struct.pack(style.order + "II", len(octets), len(frame))
        if style.magic:
            rest = time_ns % 10**9 // (1 if style.magic == MAGIC_NS else 1000)
            file += struct.pack(style.order + "II", time_ns // 10**9, rest) + lengths + octets
        else:
            head = struct.pack("<III", 0, time_ns >> 32, time_ns & 0xFFFFFFFF)
            file += pcapng_block(6, head + lengths + octets + bytes(-len(octets) % 4))
    with open(name, "wb") as capture:
        capture.write(file)


class DecodeTest(kit.ProgramTest):
    def run_scenario(self, *sets, file=None, status="ok"):
        """Runs a shipped scenario, or none but for `sets`, on engine native; its captures are in run/. Its
        metrics."""
        scenario = f"{os.environ['SCENARIOS']}/{file}" if file else "empty.cfg"
        kit.write("empty.cfg", 'title = "test";\n')
        settings = [word for each in sets for word in ("--set", each)]
        done = kit.iwarpsim("run", scenario, "--engine", "native", "--pcap", "--quiet", "--out", "run",
                            *settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        summary = json.loads(kit.octets("run/summary.json"))
        self.assertEqual((summary["status"], summary["message"] != ""), (status, status != "ok"))
        return summary["metrics"]

    def decode(self, name, *options):
        """Returns what `iwarpsim decode` prints of a capture, without a message."""
        done = kit.iwarpsim("decode", name, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def sums(self, name, *options):
        """Returns of both directions, the sums over all connections, and how many these are."""
        connections = json.loads(self.decode(name, "--summary", "--json", *options))["connections"]
        found = []
        for directions in zip(*(connection["directions"] for connection in connections), strict=True):
            members = [member for member, value in directions[0].items() if isinstance(value, int)]
            found.append({member: sum(direction[member] for direction in directions) for member in members})
            found[-1]["connections"] = len(connections)
        self.assertEqual(len(found), 2)
        return found

    def fpdus(self, name, *options):
        """The objects of all FPDUs."""
        objects = map(json.loads, self.decode(name, "--json", *options).splitlines())
        return [each for each in objects if each["type"] == "fpdu"]

    def expect_accounted(self, sums):
        for direction in sums:
            self.assertEqual({fault: direction[fault] for fault in FAULTS}, dict.fromkeys(FAULTS, 0))

    def expect_same(self, sums, expected, *members):
        """Both directions have the same values of what belongs to streams, and of `members`."""
        for member in (*OF_STREAMS, *members):
            self.assertEqual([direction[member] for direction in sums],
                             [direction[member] for direction in expected], member)
