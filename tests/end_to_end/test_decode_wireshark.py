# SPDX-License-Identifier: GPL-2.0-only
"""scripts/wireshark/iwarp_mpa_marked.lua in tshark: it shows the FPDUs that decode shows, whatever
the generation, markers, segmentation, order and losses, and survives captures of nonsense."""
import json
import os
import random
import struct
import unittest
from pathlib import Path

import program_kit as kit
from decode_trip import RAW, DecodeTest, read_packets, write_packets
from test_decode_tshark import FIELDS, number, value_at

ROOT = Path(os.environ["SCENARIOS"]).parent
PLUGIN = ROOT / "scripts/wireshark/iwarp_mpa_marked.lua"
TSHARK = os.environ["TSHARK"]
RDMAC = ("--mpa", "*:5044")  # decode needs to be told
VERDICTS = {"right": "right", "wrong": "WRONG", "off": "off"}

OWN = "iwarp_mpa_marked."
# Fields, and where decode has them: the plug-in's of an FPDU; its of a marker, and those of Wireshark's own
# dissector of DDP and RDMAP, which the plug-in gives the ULPDUs to.
MINE = {"from": "from", "position": "position", "octets": "octets", "ulpdulength": "ulpdu_octets"}
SAME = {OWN + "marker": "position", OWN + "marker_fpduptr": "pointer", OWN + "marker_right": "right",
        OWN + "marker_res": "reserved",
        **{field: place for field, place in FIELDS.items() if not field.startswith("iwarp_mpa.")}}


def strip_markers(octets, offset):
    """Octets of the FPDU phase, the first of which has `offset`, without the markers."""
    return bytes(octet for index, octet in enumerate(octets, offset) if index % 512 >= 4)


def random_sets(seed):
    """A random scenario, and the options that decode needs for its captures."""
    draw = random.Random(seed)
    generation = draw.choice(["rdmac", "ietf", "rfc"])
    mtu = draw.choice([576, 1500, 9000])
    size = draw.choice([0, 1, 7, 100, 706, 5000, 20001, 64000])
    sets = [f"run.seed={seed}", f"mpa.generation={generation}", f"path.forward.mtu={mtu}",
            f"workload.messages={draw.randint(3, 12)}", f"workload.message_size={size}",
            "workload.operation=" + draw.choice(["write", "read", "send", "send-se-invalidate"]),
            f"path.forward.loss={draw.choice([0, 2, 5])}%", f"path.reverse.loss={draw.choice([0, 2])}%",
            f"path.forward.reorder={draw.choice([0, 5])}%", f"path.forward.corrupt={draw.choice([0, 0, 1])}%",
            f"path.forward.duplicate={draw.choice([0, 3])}%",
            f"sender.segmentation={draw.choice(['aligned', 'stream'])}"]
    if draw.random() < 0.5:
        sets += ["middlebox.mode=" + draw.choice(["rechunk", "coalesce", "rechunk+coalesce"]),
                 f"middlebox.chunk={draw.randint(64, 500)}", f"middlebox.coalesce_size={mtu - 80}"]
    if mtu > 576 and draw.random() < 0.3:
        sets.append("tcp.ip=ipv6")
    if draw.random() < 0.2:
        sets.append(f"workload.connections={draw.randint(2, 4)}")
    if generation != "rdmac":
        sets += [f"mpa.markers={draw.choice(['true', 'true', 'false'])}",
                 f"mpa.crc={draw.choice(['true', 'false'])}",
                 f"sender.stream_phase={draw.choice([0, 'random'])}",
                 f"initiator.private_data={draw.randint(0, 512)}"]
    return sets, RDMAC if generation == "rdmac" else ()


@unittest.skipIf(TSHARK == "", "tshark is not installed")
class Wireshark(DecodeTest):
    def tshark(self, name, *fields, plugin=True, checks=True):
        """Rows of `fields` for each frame of the capture: lists of values."""
        options = ["-X", f"lua_script:{PLUGIN}"] if plugin else []
        options += ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"] if checks else []
        wanted = [word for field in (*fields, "_ws.lua.error") for word in ("-e", field)]
        done = kit.run(TSHARK, "-r", name, *options, "-Tfields", *wanted)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split("\t") for row in done.stdout.splitlines()]
        self.assertEqual([row[-1] for row in rows if row[-1]], [], "errors of Lua")
        return [[cell.split(",") if cell else [] for cell in row[:-1]] for row in rows]

    def own(self, name, *fields):
        """The values of the plug-in's fields, each over all frames."""
        columns = zip(*self.tshark(name, *(OWN + field for field in fields)), strict=True)
        return [[value for cell in column for value in cell] for column in columns]

    def expect_decoded(self, name, options=()):
        """The plug-in shows the FPDUs that decode does; how many there are."""
        expected = self.fpdus(name, *options)
        own = [OWN + field for field in (*MINE, "crc", "crc_verdict")]
        rows = self.tshark(name, *own, *SAME)
        found = []
        for *places, lengths, crcs, verdicts in (row[:len(own)] for row in rows):
            # Only startup frames, which come first, have no ULPDU_Length.
            places = [place[len(place) - len(lengths):] for place in places]
            found += zip(*places, lengths, crcs, verdicts, strict=True)
        found = sorted((*fpdu[:4], number(fpdu[4]) if fpdu[5] != "off" else 0, fpdu[5]) for fpdu in found)
        wanted = sorted((*(str(fpdu[place]) for place in MINE.values()), number(fpdu.get("crc_received", 0)),
                         VERDICTS[fpdu["crc"]]) for fpdu in expected)
        self.assertTrue(wanted == found, f"{len(wanted)} FPDUs, {len(found)} found")
        markers = [marker for fpdu in expected for marker in fpdu["markers"]]
        for column, (field, place) in enumerate(SAME.items(), len(own)):
            values = [value_at(each, place) for each in (markers if field.startswith(OWN) else expected)]
            self.assertTrue(sorted(number(value) for value in values if value is not None) ==
                            sorted(number(value) for row in rows for value in row[column]), field)
        return len(expected)

    def payload_of(self, name):
        """Payload of the only connection's Initiator: from its segments, put together and read here."""
        stream, first = {}, None
        for _, ip in read_packets(name):
            sequence, = struct.unpack_from(">I", ip, 24)
            if ip[12:16] == b"\x0a\0\0\1":
                first = first if first is not None else sequence + 1
                for index, octet in enumerate(ip[20 + (ip[32] >> 4) * 4:]):
                    stream.setdefault((sequence - first + index) % 2**32, octet)
        payload = []
        for fpdu in self.fpdus(name, *RDMAC):
            at = fpdu["position"]
            octets = bytes(stream[at + index] for index in range(fpdu["octets"]))
            plain = strip_markers(octets, fpdu["phase_offset"])
            header = 2 + (14 if fpdu["ddp"]["tagged"] else 18)
            payload.append(plain[header:2 + fpdu["ulpdu_octets"]].hex())
        return [octets for octets in payload if octets]

    def test_generations(self):
        """Eight FPDUs with markers, cut anew: Wireshark's own dissector shows none, the plug-in all of them,
        octet for octet."""
        for generation in ("rdmac", "ietf", "rfc"):
            with self.subTest(generation=generation):
                self.run_scenario(f"mpa.generation={generation}", "mpa.markers=true", "workload.messages=7",
                                  "workload.message_size=1200", "middlebox.mode=rechunk",
                                  "middlebox.chunk=700", "middlebox.push=ignore")
                verdicts, payload = self.own("run/receiver.pcap", "crc_verdict", "payload")
                theirs = self.tshark("run/receiver.pcap", "iwarp_mpa.ulpdulength", plugin=False)
                self.assertEqual((verdicts, sum(len(cell) for row in theirs for cell in row)),
                                 (["right"] * 8, 0))
                self.assertTrue(payload == self.payload_of("run/receiver.pcap"))
                self.assertEqual(len(payload), 7)  # the last FPDU is a Send without payload

    def test_random_scenarios(self):
        fpdus = 0
        for seed in range(1, 13):
            sets, options = random_sets(seed)
            with self.subTest(seed=seed, sets=sets):
                self.run_scenario(*sets)
                fpdus += self.expect_decoded("run/sender.pcap", options)
                fpdus += self.expect_decoded("run/receiver.pcap", options)
        self.assertGreater(fpdus, 1000)

    def test_startup_frames(self):
        self.run_scenario("initiator.markers=true", "responder.markers=false", "mpa.crc=false",
                          "mpa.generation=rfc", "initiator.private_data=5")
        frames = [json.loads(line) for line in self.decode("run/receiver.pcap", "--json").splitlines()]
        request, reply = frames[1:3]
        members = {"marker_flag": "markers", "crc_flag": "crc", "rej_flag": "rejected", "rev": "revision",
                   "pdlength": "private_data_octets"}
        keys, data, *columns = self.own("run/receiver.pcap", "key", "privatedata", *members)
        self.assertEqual(keys, ["MPA ID Req Frame", "MPA ID Rep Frame"])
        for member, column in zip(members.values(), columns, strict=True):
            self.assertEqual([number(value) for value in column], [request[member], reply[member]], member)
        self.assertEqual(data, [request["private_data"].lower()])

    def test_wrong_crc_and_marker(self):
        for fault in ("bad-crc", "wrong-fpduptr"):
            with self.subTest(fault=fault):
                self.run_scenario(f"fault.error={fault}", "fault.at=2", "run.expect=terminate",
                                  status="terminated")
                self.expect_decoded("run/receiver.pcap")
                verdicts, right = self.own("run/receiver.pcap", "crc_verdict", "marker_right")
                self.assertEqual((verdicts.count("WRONG"), sum(number(value) == 0 for value in right) > 0),
                                 (1, False) if fault == "bad-crc" else (0, True))

    def test_wrong_lengths(self):
        """A length that its markers do not confirm is refuted by the FPDUs that they prove."""
        for fault in ("bad-length", "impossible-length", "length-against-marker"):
            with self.subTest(fault=fault):
                self.run_scenario(f"fault.error={fault}", "fault.at=2", "run.expect=terminate",
                                  status="terminated")
                self.assertGreater(self.expect_decoded("run/receiver.pcap"), 3)

    def test_shuffled(self):
        """They come after the handshake, in any order."""
        self.run_scenario("workload.messages=20", "workload.message_size=5000")
        packets = read_packets("run/receiver.pcap")
        for seed in range(3):
            others = packets[2:]
            random.Random(seed).shuffle(others)
            write_packets("other", packets[:2] + others)
            self.expect_decoded("other")

    def test_two_passes(self):
        """Wireshark dissects a frame more than once, the first time without fields."""
        self.run_scenario("workload.messages=3")
        once, twice = (kit.run(TSHARK, *passes, "-r", "run/receiver.pcap", "-X", f"lua_script:{PLUGIN}", "-V",
                               "-O", "iwarp_mpa_marked").stdout for passes in ((), ("-2",)))
        self.assertIn("FPDU located by chain, CRC right", once)
        self.assertTrue(once == twice)

    def test_hostile(self):
        """Octets changed anywhere, segments cut short, sequence numbers at random."""
        self.run_scenario("workload.messages=10", "workload.message_size=9000",
                          "workload.operation=write+read+send")
        packets = read_packets("run/receiver.pcap")
        for seed in range(8):
            draw, others = random.Random(seed), []
            for time_ns, ip in packets:
                octets = bytearray(ip)
                for _ in range(draw.choice([0, 0, 1, 5])):
                    octets[draw.randrange(20 if seed % 2 else 40, len(octets) + 1) - 1] = draw.randrange(256)
                if seed % 4 == 3 and draw.random() < 0.3:
                    octets[24:28] = draw.randbytes(4)
                others.append((time_ns, bytes(octets)))
            write_packets("other", others, RAW, draw.choice([100, 700, 262144]))
            self.tshark("other", OWN + "position", checks=False)

    def test_documentation(self):
        """The commands of docs/captures.md, in a home of its own."""
        self.run_scenario("workload.messages=5", "workload.message_size=1000")
        os.makedirs("home")
        os.symlink(ROOT / "scripts", "scripts")
        page = (ROOT / "docs/captures.md").read_text(encoding="utf-8")
        section = page.partition("## In Wireshark and tshark\n")[2].partition("\n## ")[0]
        commands = [line for line in section.splitlines() if line.startswith("    ")]
        self.assertEqual(len(commands), 4)
        printed = [self.shell(command.replace("FILE", "run/receiver.pcap"), HOME=os.path.abspath("home")).stdout
                   for command in commands]
        self.assertEqual(printed[2].split(), ["right"] * 6)
        self.assertEqual(printed[3], "")  # without loss all are located by the chain
