# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim decode` as a user meets it: lines, objects, sums; what it is given, and
what is wrong with that."""
import gzip
import json
import os
import struct
import unittest

import program_kit as kit

# 1428 octets of a Write fit an FPDU of a segment with markers: 20,000 = 14 * 1428 + 8, 15 FPDUs each, and the
# Send.
WRITES = 10 * 15
FPDUS = WRITES + 1

MISTAKES = [
    ("decode", "one CAPTURE is needed, 0 were given"),
    ("decode a.pcap b.pcap", "one CAPTURE is needed, 2 were given"),
    ("decode a.pcap --sumary", "--sumary", "did you mean --summary?"),
    ("decod a.pcap", "unknown command 'decod'", "did you mean 'decode'?"),
    ("decode a.pcap --hold much", "--hold much: no size; expected octets above 0, such as 64MiB"),
    ("decode a.pcap --hold 0", "--hold 0: no size"),
    ("decode a.pcap --mpa 5044", "--mpa 5044: '5044' has no port; expected HOST:PORT"),
    ("decode a.pcap --mpa ''", "it is empty; expected HOST:PORT"),
    ("decode a.pcap --mpa 1.2.3.4:0", "'0' is no port"),
    ("decode a.pcap --mpa 1.2.3.4:65536", "'65536' is no port", "from 1 to 65535"),
    ("decode a.pcap --mpa host:5044", "'host' is no IPv4 address", "an IPv6 address in brackets, or *"),
    ("decode a.pcap --mpa fd00::1:5044", "several colons; expected brackets around an IPv6 address"),
    ("decode a.pcap --mpa [fd00::x]:5044", "'fd00::x' is no IPv6 address"),
    ("decode a.pcap --mpa [fd00::1]", "has no port"),
    ("decode a.pcap --mpa [fd00::1:5044", "has no port"),
    ("decode a.pcap --mpa '*:5044,marker=off'", "'marker' is unknown", "did you mean 'markers'?"),
    ("decode a.pcap --mpa '*:5044,markers=of'", "markers=of; expected markers=on or markers=off"),
    ("decode a.pcap --mpa '*:5044,crc'", "crc=; expected crc=on or crc=off"),
    ("decode a.pcap --mpa '*:5044,'", "'' is unknown; expected markers="),
    ("decode a.pcap --mpa '*:5044,start=fnd'",
     "start=fnd; expected first, find or a TCP", "did you mean 'find'?"),
    ("decode a.pcap --mpa '*:5044,start=-1'", "start=-1; expected first, find"),
    ("decode a.pcap --mpa '*:5044,start=0x'", "start=0x; expected first, find"),
    ("decode a.pcap --mpa '*:5044,start-reverse=4294967296'", "start-reverse=4294967296; expected"),
]


def directions(done):
    """The sums of the two directions of the first connection, of a line of JSON: the Initiator's first."""
    return json.loads(done.stdout)["connections"][0]["directions"]


IP_AND_TCP = 40  # octets of their headers in a.pcap, without options


def packets(name):
    """(time as it is in the file, octets) of each packet."""
    whole, at, found = kit.octets(name), 24, []
    while at < len(whole):
        end = at + 16 + struct.unpack_from("<I", whole, at + 8)[0]
        found.append((whole[at:at + 8], whole[at + 16:end]))
        at = end
    return found


class Decode(kit.ProgramTest):
    def setUp(self):
        """a.pcap: 10 Writes of 20,000 octets and a Send; rdmac.pcap: the same without startup frames."""
        super().setUp()
        kit.write("a.cfg", "workload: { messages = 10; message_size = 20000; };")
        for name, generation in (("a.pcap", "ietf"), ("rdmac.pcap", "rdmac")):
            self.shell("iwarpsim run a.cfg --engine native --pcap --quiet --out a"
                       f" --set mpa.generation={generation} && mv a/receiver.pcap {name} && rm -r a")

    def test_lines(self):
        done = self.shell("iwarpsim decode a.pcap")
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"^# iwarpsim .*, decode a\.pcap\n# time_s, ")
        for text, count in (("CRC right  RDMA Write L=", WRITES),
                            ("CRC right  Send L=1 QN=0 MSN=1 MO=0 payload=0", 1),
                            ("MPA Request Frame: Rev=", 1), ("MPA Reply Frame: Rev=", 1)):
            self.assertEqual(done.stdout.count(text), count, text)
        self.assertGreaterEqual(done.stdout.count(" 10.0.0.1:49152 > 10.0.0.2:5044 "), FPDUS + 1)

    def test_json(self):
        """Every line is an object of its own, of a known type; the first describes the capture."""
        lines = self.shell("iwarpsim decode --json a.pcap").stdout.splitlines()
        objects = [json.loads(line) for line in lines]
        types = [each["type"] for each in objects]
        self.assertEqual((types[0], types.count("capture"), types.count("fpdu")), ("capture", 1, FPDUS))
        self.assertEqual(objects[0]["file"], "a.pcap")

    def test_summary(self):
        done = self.shell("iwarpsim decode -s -j a.pcap")
        self.assertEqual((done.stdout.count("\n"), done.stdout.count('"fpdus"')), (1, 2))
        forward, reverse = directions(done)
        self.assertEqual((forward["fpdus"], forward["unaccounted_octets"], reverse["fpdus"]), (FPDUS, 0, 0))
        self.assertEqual((forward["opcodes"]["RDMA Write"], forward["opcodes"]["Send"]), (WRITES, 1))
        self.expect_parts(self.shell("iwarpsim decode --summary a.pcap").stdout,
                          "1 TCP connection, 1 speaks MPA\n",
                          "connection 0: Initiator 10.0.0.1:49152, Responder 10.0.0.2:5044\n")

    def test_standard_input(self):
        """A pipe gives what the file gives."""
        def decoded(line):
            return self.shell(line).stdout.split("\n", 2)[2]

        of_file = decoded("iwarpsim decode a.pcap")
        self.assertEqual(decoded("iwarpsim decode - < a.pcap"), of_file)
        self.assertEqual(decoded("cat a.pcap | iwarpsim decode --quiet -"), of_file)

    def test_reader_goes(self):
        """Who has seen enough closes the pipe; that is no mistake of anybody. A full disk is."""
        done = self.shell("(iwarpsim decode --json a.pcap 2> errors.txt; echo $? > status.txt) | head -1 &&"
                          " cat errors.txt status.txt")
        self.assertTrue(done.stdout.endswith("}\n0\n"), done.stdout)
        done = self.expect_refused("iwarpsim decode a.pcap > /dev/full", code=1)
        self.expect_start(done.stderr, "iwarpsim decode: standard output cannot be written: ")

    def test_errors_are_not_hidden(self):
        """The reader of --problems goes before the first error: the exit status tells of it all the same."""
        octets = bytearray(kit.octets("a.pcap"))
        octets[len(octets) * 9 // 10] ^= 1  # of the payload of one of the last segments
        with open("bad.pcap", "wb") as file:
            file.write(octets)
        for name, code in (("bad.pcap", 3), ("a.pcap", 0)):
            self.shell(f"iwarpsim decode --problems {name} --ignore-checksums > whole.txt", code)
            done = self.shell(f"(iwarpsim decode --problems {name} --ignore-checksums; echo $? > status.txt) | true && cat status.txt")
            self.assertEqual((done.stdout, done.stderr), (f"{code}\n", ""))

    def test_filter(self):
        """Packets that the filter leaves out are not there."""
        forward, reverse = directions(
            self.shell("iwarpsim decode -s -j a.pcap --filter 'src port 49152 or tcp[13] & 2 != 0'"))
        self.assertEqual((forward["fpdus"], reverse["startup_octets"]), (FPDUS, 0))
        self.assertEqual(self.shell("iwarpsim decode a.pcap --filter 'port 1'", 2).stderr,
                         "a.pcap: no packet matches --filter port 1\n")
        done = self.shell("iwarpsim decode a.pcap --filter 'prot 1'", 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("prot 1", done.stderr)

    def test_hints(self):
        """Without startup frames the connection is not found, unless an option names it."""
        done = self.shell("iwarpsim decode rdmac.pcap --summary --json", 2)
        self.assertEqual(json.loads(done.stdout)["connections"], [])
        self.assertRegex(done.stderr, "^rdmac.pcap: no connection speaks MPA: .*between 10.0.0.1:49152 and "
                         "10.0.0.2:5044; expected an MPA Request and Reply Frame, or --mpa HOST:PORT.*\n\\Z")
        for hint in ("'*:5044'", "10.0.0.2:5044", "10.0.0.1:49152", "10.9.9.9:1 --mpa '*:5044'",
                     "'*:5044,markers=on,crc=on,start=first,start-reverse=find'"):
            done = self.shell(f"iwarpsim decode rdmac.pcap -s -j --mpa {hint}")
            self.assertEqual(directions(done)[0]["fpdus"], FPDUS)
        self.assertIn("expected an MPA Request and Reply Frame or an end that --mpa names",
                      self.shell("iwarpsim decode rdmac.pcap --mpa '[fd00::1]:5044'", 2).stderr)

    def test_middle(self):
        """A capture that starts in the middle of an FPDU: packets 40 and on, each of a whole segment. Its
        end's name is enough."""
        passed_over = 40
        for name in ("rdmac.pcap", "a.pcap"):
            whole = kit.octets(name)
            start = 24  # the header of the file; of a packet: 16, with its octets at 8
            for _ in range(passed_over):
                start += 16 + struct.unpack_from("=I", whole, start + 8)[0]
            with open("middle.pcap", "wb") as middle:
                middle.write(whole[:24] + whole[start:])
            forward = directions(self.shell("iwarpsim decode middle.pcap -s -j --mpa 10.0.0.2:5044"))[0]
            self.assertIn(forward["fpdus"], range(FPDUS - passed_over, FPDUS))
            self.assertEqual(forward["crc_bad"], 0)
            self.assertLess(forward["unaccounted_octets"], 1460)
            done = self.shell("iwarpsim decode middle.pcap", 2)
            self.assertTrue(done.stderr.endswith("or --mpa HOST:PORT\n"), done.stderr)

    def test_sequence(self):
        """The first octet after the SYN has the SYN's number plus 1: decimal or hexadecimal."""
        syn_number = 24 + 16 + 20 + 4  # after the headers of file, packet and IPv4, and the ports
        first = (struct.unpack_from(">I", kit.octets("rdmac.pcap"), syn_number)[0] + 1) % 2**32
        decimal, hexadecimal = [self.shell(f"iwarpsim decode rdmac.pcap -s -j --mpa '*:5044,start={start}'")
                                for start in (first, hex(first))]
        self.assertEqual(hexadecimal.stdout, decimal.stdout)
        self.assertEqual(directions(decimal)[0]["fpdus"], FPDUS)

    def test_mistakes(self):
        for line, *parts in MISTAKES:
            self.expect_refused(f"iwarpsim {line}", *parts)

    def test_no_capture(self):
        """One clear line, which names the file; nothing on standard output."""
        for make, name in (("", "none.pcap"), ("", "."), ("", "a.cfg"), (": > empty.pcap", "empty.pcap"),
                           ("head -c 10 a.pcap > short.pcap", "short.pcap"),
                           (": | gzip > nothing.gz", "nothing.gz"), ("gzip -c a.cfg > a.cfg.gz", "a.cfg.gz")):
            self.shell(make)
            done = self.expect_refused(f"iwarpsim decode {name}")
            self.expect_start(done.stderr, f"{name}: ")

    def test_broken_off(self):
        """What came before the place where the file breaks off is printed; then the place is named."""
        done = self.shell("head -c 100000 a.pcap > half.pcap; iwarpsim decode half.pcap", 2)
        self.assertGreater(done.stdout.count("CRC right  RDMA Write"), 50)
        self.assertRegex(done.stderr, r"^half\.pcap: packet \d+: [^\n]+\n$")
        done = self.shell("iwarpsim decode half.pcap -s -j", 2)
        self.assertGreater(directions(done)[0]["fpdus"], 50)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_compressed(self):
        """What gzip makes is read as what it was made of, by both commands, from a pipe too, and in several
        members: decode and replay give the same."""
        self.shell("split -b 100000 a.pcap part. && gzip -k a.pcap part.*")
        expected = self.shell("iwarpsim decode a.pcap --json").stdout.partition("\n")[2]
        for line in ("iwarpsim decode a.pcap.gz --json", "iwarpsim decode - -j < a.pcap.gz",
                     "cat part.*.gz | iwarpsim decode - --json"):
            self.assertTrue(self.shell(line).stdout.partition("\n")[2] == expected, line)
        self.shell("iwarpsim replay a.pcap -q -o a && iwarpsim replay a.pcap.gz -q -o b &&"
                   " sed 1d a/occupancy.csv > a.csv && sed 1d b/occupancy.csv | cmp - a.csv")

    def test_broken_compressed(self):
        """What was compressed before the place where the file is broken is printed, then what is wrong; of a
        file that starts so, nothing."""
        self.shell("gzip a.pcap")
        whole = kit.octets("a.pcap.gz")
        damaged = whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:]
        for octets, error, fpdus in ((whole[:-1], "the compressed file ends early", FPDUS),
                                     (whole[:len(whole) // 2], "the compressed file ends early", 20),
                                     (damaged, "the compressed file is damaged: incorrect data check", FPDUS),
                                     (whole + b"more", "the compressed file is damaged: incorrect header", FPDUS)):
            with open("b.gz", "wb") as broken:
                broken.write(octets)
            done = self.shell("iwarpsim decode b.gz", 2)
            self.assertRegex(done.stderr, fr"^b\.gz: packet \d+: {error}[^\n]*\n$")
            self.assertGreaterEqual(done.stdout.count("CRC right"), fpdus)
        with open("b.gz", "wb") as broken:
            broken.write(whole[:12])
        self.assertEqual(self.expect_refused("iwarpsim decode b.gz").stderr,
                         "b.gz: cannot be read: the compressed file ends early\n")

    @unittest.skipIf(kit.SANITIZED, "a sanitizer needs all of the address space")
    def test_compressed_bomb(self):
        """A million empty packets in 16 kB: read in the memory that a small file needs."""
        with gzip.open("bomb.gz", "wb") as bomb:
            bomb.write(kit.octets("a.pcap")[:24])
            for _ in range(100):
                bomb.write(bytes(16 * 10000))
        self.assertLess(os.path.getsize("bomb.gz"), 20000)
        done = self.shell("ulimit -v 200000; iwarpsim decode bomb.gz", 2)
        self.expect_parts(done.stderr, "no connection speaks MPA: 1000000 packets")

    def test_no_packets(self):
        """The header of a capture without packets: read well, and no connection speaks MPA."""
        done = self.shell("head -c 24 a.pcap > none.pcap; iwarpsim decode none.pcap --json", 2)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.expect_start(done.stderr,
                          "none.pcap: no connection speaks MPA: 0 packets, 0 TCP connections; expected ")

    def test_cut_short(self):
        """A snap length that leaves no payload: that is what is wrong, and no --mpa helps."""
        cut, short = b"", 0
        for time, packet in packets("a.pcap"):
            cut += time + struct.pack("<II", IP_AND_TCP, len(packet)) + packet[:IP_AND_TCP]
            short += len(packet) > IP_AND_TCP and not packet[33] & 2  # a SYN has options, not payload
        with open("snap.pcap", "wb") as capture:
            capture.write(kit.octets("a.pcap")[:24] + cut)
        total = len(packets("a.pcap"))
        words = f"{short} of {total} TCP segments cut short by the snap length, so that payload is missing (tcpdump -s 0 "
        for command in ("decode", "timeline -o x.html", "replay"):
            self.expect_parts(self.shell(f"iwarpsim {command} snap.pcap", 2).stderr, words)

    def test_checksums(self):
        """What was passed over is named by each command that reads a capture, and by none that takes it."""
        octets = bytearray(kit.octets("a.pcap"))
        number, (_, packet) = [each for each in enumerate(packets("a.pcap"), 1) if len(each[1][1]) == 1500][4]
        octets[octets.index(packet) + IP_AND_TCP - 4] ^= 1  # of the checksum
        with open("wrong.pcap", "wb") as capture:
            capture.write(octets)
        found, = [json.loads(line) for line in self.shell("iwarpsim decode wrong.pcap -p -j").stdout.splitlines()
                  if '"checksum"' in line]
        self.assertEqual(found["packets"], [number, number])
        self.expect_parts(found["text"], f"were passed over: 1, the first in packet {number}; --ignore-checksums")
        for command in ("timeline -o x.html", "replay -o x"):
            self.expect_parts(self.shell(f"iwarpsim {command} wrong.pcap").stderr, f"note: {found['text']}\n")
            self.assertEqual(self.shell(f"iwarpsim {command} wrong.pcap --ignore-checksums").stderr, "")
        os.unlink("x.html")
        self.shell("rm -r x")

    def test_help(self):
        """--help alone is enough to begin."""
        self.expect_parts(self.shell("iwarpsim decode --help").stdout, "--filter", "--json", "--summary",
                          "--mpa", "--ignore-checksums", "--assume-aligned", "--hold", "standard input",
                          "docs/captures.md", "iwarpsim decode receiver.pcap")
        self.assertIn("  decode        print the FPDUs in a capture", self.shell("iwarpsim --help").stdout)
