# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the cost of reading traces, in instructions, which cachegrind counts, and in memory:
what a trace of another program may have in any number is followed in linear time, or nearly so. Skipped
without valgrind."""
import os
import random
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from program_kit import SANITIZED, folder, octets, write
from trace_kit import PROGRAM, iwarpsim

TABLE = Path(__file__).resolve().parents[2] / "model/trace/trace_events.def"
EVENTS = re.findall(r'^EVENT\(\w+, "(\w+)"', TABLE.read_text(encoding="utf-8"), re.M)
INITIATOR, RESPONDER, CONNECTION, MTU = 0, 1, 0, 1000
FEW, FACTOR, MOST = 1_000, 5, 6.5  # what is linear takes 5 times for 5 times as many, what is quadratic 25


def number(value):
    """LEB128."""
    made = b""
    while value >= 0x80:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


def record(event, side, packet, *fields, passed=1):
    node = port = 0
    return b"".join(map(number, (2 + 2 * EVENTS.index(event) + side, passed, CONNECTION, node, port, packet, *fields)))


def sent(packet, position):
    return record("segment_sent", INITIATOR, packet, position, MTU, 0, 65535, 16, position, 0, 0)


def arrived(packet, position):
    return record("segment_arrived", RESPONDER, packet, position, MTU, MTU, 0)


def sent_in_vain(count):
    """The first segment is sent again and again, and never arrives; the next one does."""
    return [arrived(count + 1, MTU), *(sent(packet, 0) for packet in range(1, count + 1))]


def filled_at_random(count):
    """Every second segment is missing, and arrives later, in random order."""
    first = range(1, 2 * count, 2)
    later = random.Random(count).sample(range(0, 2 * count, 2), count)
    return [sent(2 * count + 1, 2 * count * MTU), *(arrived(i, i * MTU) for i in [*first, *later])]


@unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
@unittest.skipIf(SANITIZED, "sanitizers cost what they cost")
class TraceCost(unittest.TestCase):
    def setUp(self):
        self.enterContext(folder("cost"))
        write("t.cfg", 'workload: { message_size = "1KiB"; messages = 1; };\n')

    def run_traced(self, *options):
        done = iwarpsim("run", "t.cfg", "-q", "-o", "out", "--trace", "t.trace", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def make(self, records):
        """hostile.trace: the beginning of a real one, these events, and a peak after them."""
        self.run_traced()
        real = octets("t.trace")
        about = real[:real.index(b"}\x01") + 1]  # a name comes next
        named = b"\x01\x00"  # the name 0: an empty text, and the node's
        peak = record("peak", RESPONDER, 0, MTU, len(records))
        Path("hostile.trace").write_bytes(about + named + b"".join(records) + peak + b"\x00")

    def instructions(self, *command):
        ran = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=counts", PROGRAM,
                              *command], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return int(re.search(r"refs: *([\d,]+)", ran.stderr)[1].replace(",", "")), ran.stdout

    def test_a_line(self):
        """`trace` takes at most 3,000 instructions an event."""
        (few, first), (many, last) = [
            (self.run_traced(f"--set=workload.messages={messages}"), self.instructions("trace", "t.trace"))[1]
            for messages in (40, 400)]
        self.assertLess((many - few) / (last.count("\n") - first.count("\n")), 3000)

    def expect_linear(self, records, *command):
        few, many = [(self.make(records(count)), self.instructions(*command, "hostile.trace")[0])[1]
                     for count in (FEW, FACTOR * FEW)]
        self.assertLess(many / few, MOST)

    def test_a_segment_sent_in_vain_again_and_again(self):
        self.expect_linear(sent_in_vain, "explain-peak")

    def test_holes_filled_at_random(self):
        self.expect_linear(filled_at_random, "explain-peak")
        if shutil.which("gnuplot"):
            self.expect_linear(filled_at_random, "plot", "--what=sequence", "--quiet", "--force")

    def test_memory_of_connections(self):
        """`timeline` takes at most 13,000 octets for each connection of a capture; decode itself half of that."""
        peaks = []
        for connections in (500, 4000):
            self.run_traced("--pcap", f"--set=workload.connections={connections}")
            timeline = os.posix_spawn(PROGRAM, [PROGRAM, "timeline", "out/receiver.pcap", "-q", "-o", "t.html"], os.environ)
            _, status, used = os.wait4(timeline, 0)
            self.assertEqual(status, 0)
            peaks.append(used.ru_maxrss * 1024)
        self.assertLess((peaks[1] - peaks[0]) / 3500, 13_000)


if __name__ == "__main__":
    unittest.main()
