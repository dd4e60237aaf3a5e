#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/linux-tcp: its tables and what is wrong in them, what it counts in captures, and its simulated side."""
import importlib.machinery
import importlib.util
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(os.environ["SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/linux_tcp"))
import linux_tcp_captures as captures  # noqa: E402
import linux_tcp_cases as tables  # noqa: E402

loader = importlib.machinery.SourceFileLoader("linux_tcp", str(SOURCE / "scripts/linux-tcp"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("linux_tcp", loader))
loader.exec_module(script)

HEAD = "case\tsettings\treason\n"


def packet(from_initiator, sequence, octets, flags=0x10):
    """A raw IP packet: 20 octets of IP and of TCP each."""
    addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2]) if from_initiator else bytes([10, 0, 0, 2, 10, 0, 0, 1])
    ports = struct.pack(">HH", *((40000, 5044) if from_initiator else (5044, 40000)))
    return (bytes([0x45, 0]) + struct.pack(">H", 40 + octets) + bytes(8) + addresses + ports
            + struct.pack(">IIBB", sequence % 2**32, 0, 0x50, flags) + bytes(6 + octets))


def capture(path, packets):
    """Writes [(milliseconds, packet)]."""
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101) + b"".join(
        struct.pack("<IIII", when // 1000, when % 1000 * 10**6, len(octets), len(octets)) + octets
        for when, octets in packets))


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text):
        path = self.folder / "table.tsv"
        path.write_text(text, encoding="utf-8")
        return path


class Tables(InFolder):
    def test_a_case_for_both_sides(self):
        case, = tables.read_cases(self.write(
            "# of a test\n" + HEAD + "@some\t3,4\t\nc\tpath.forward.drop=@some again=1 path.forward.delay=10ms "
            "tcp.congestion=newreno tcp.rack=false\twhy\n"))
        self.assertEqual(case.settings, {"path.forward.drop": "[3,4]", "path.forward.delay": "10ms",
                                         "tcp.congestion": "newreno", "tcp.rack": "false"})
        self.assertEqual(case.live, {"delay_ns": 10**7, "congestion": "reno"})
        self.assertEqual((case.again, case.reason, case.is_random, case.is_simulated), (1, "why", False, True))

    def test_what_is_wrong_in_a_table_of_cases(self):
        for text, said in (("", "expected the columns"), ("name\tkeys\n", "expected the columns"),
                           (HEAD + "c\t\n", "expected 3 fields"), (HEAD + "a b\t\t\n", "not a name"),
                           (HEAD + "c\t\t\nc\t\t\n", "not its first row"), (HEAD + "c\tdrop\t\n", "expected KEY=VALUE"),
                           (HEAD + "c\tpath.forward.drop=@none\t\n", "no list '@none' above"),
                           (HEAD + "c\treceiver.mode=in-order\t\n", "nothing for receiver.mode"),
                           (HEAD + "c\tpath.forward.delay=10 hours\t\n", "expected KEY=VALUE"),
                           (HEAD + "c\tpath.forward.delay=tenms\t\n", "a number with a unit"),
                           (HEAD + "c\tpath.forward.delay=10h\t\n", "a number with a unit")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, said):
                tables.read_cases(self.write(text))

    def test_what_is_wrong_in_a_table_of_a_kernel(self):
        head = "\t".join(["case", *tables.NUMBERS, "order"]) + "\n"
        for cell in ("", "1", "1 [2]", "1 [1 2", "nan [1 2]", "-1 [1 2]"):
            row = "\t".join(["c", *["1 [1 2]"] * (len(tables.NUMBERS) - 1), cell, "abc"]) + "\n"
            with self.subTest(cell), self.assertRaisesRegex(ValueError, r"expected 'MEDIAN \[LEAST MOST\]'"):
                tables.read_kernel(self.write(head + row))

    def test_the_tables_of_the_project(self):
        cases = tables.read_cases(SOURCE / "tests/linux_tcp/cases.tsv")
        kernel = tables.read_kernel(SOURCE / "tests/linux_tcp/kernel.tsv")
        self.assertGreater(len(kernel), 40)
        self.assertEqual(set(kernel) - {case.name for case in cases}, set())
        # What is written is what was read.
        path = self.write("")
        tables.write_kernel(path, kernel, cases)
        self.assertEqual(tables.read_kernel(path), kernel)

    def test_within_and_far(self):
        """Within: 5 %, or the spread of the kernel's runs. Far, for which a reason is asked: 10 %."""
        for spread, model, within, far in (((99, 101), 105, True, False), ((99, 101), 106, False, False),
                                           ((99, 101), 111, False, True), ((99, 101), 90, False, True),
                                           ((99, 130), 130, True, False), ((99, 130), 131, False, True)):
            item = tables.Compared(100, *spread, model)
            self.assertEqual((item.is_within, item.is_far), (within, far), (spread, model))
        self.assertEqual(tables.Compared(0, 0, 0, 0).ratio, 1)
        self.assertTrue(tables.Compared(0, 0, 0, 24).is_far)


class Captures(InFolder):
    def test_what_is_counted(self):
        """Segments 1, 2, 3 of 100 octets; 2 is lost and sent again, as is 3 needlessly. A hole is open from the arrival
        of 3 to that of 2. Sequence numbers pass 2^32."""
        isn = 2**32 - 150
        syn, data = packet(True, isn, 0, 2), [packet(True, isn + 1 + 100 * i, 100) for i in range(3)]
        ack = packet(False, 7, 20)
        capture(self.folder / "sender.pcap", [(0, syn), (5, data[0]), (6, data[1]), (7, data[2]), (9, ack), (30, data[1]),
                                              (31, data[2])])
        capture(self.folder / "receiver.pcap", [(10, syn), (15, data[0]), (17, data[2]), (18, ack), (40, data[1]),
                                                (41, data[2])])
        seen = captures.measure(self.folder)
        self.assertEqual([seen[name] for name in ("segments", "retransmitted", "spurious")], [5, 2, 1])
        self.assertAlmostEqual(seen["hole_ms"], 23)

    def test_another_kind_of_file(self):
        (self.folder / "sender.pcap").write_bytes(bytes(24))
        with self.assertRaisesRegex(ValueError, "expected raw IP and nanoseconds"):
            captures.measure(self.folder)

    def test_holes_of_two_connections_together(self):
        self.assertEqual(captures.union([(0, 2), (1, 3), (5, 6), (5.5, 5.8)]), 4)


class Live(InFolder):
    def test_a_small_case(self):
        """Of 4 Writes by two connections, 184 FPDUs each and one for the Send, the 20th segment is lost and sent again;
        the program reads what the log has. What a machine that stalls adds is no matter here."""
        case = tables.Case("small", {"workload.messages": "4", "workload.connections": "2", "path.forward.drop": "[20]"},
                           {}, 0, "")
        try:
            _, seen = script.live_once(case, self.folder, 1)
        except script.Skipped as reason:
            self.skipTest(str(reason))
        self.assertEqual(len((self.folder / "sent.tsv").read_text(encoding="utf-8").splitlines()), 185)
        self.assertGreaterEqual(seen["segments"], 2 * 186 + 1)
        self.assertGreaterEqual(seen["retransmitted"], 1)
        self.assertGreater(seen["hole_ms"], 10)
        # A log that states otherwise is noticed.
        (self.folder / "sent.tsv").write_text("20\t1460\n", encoding="utf-8")
        with self.assertRaisesRegex(script.Problem, "decode reads 370 FPDUs, and not as the log has them"):
            script.check_reading(case, self.folder)


class Script(unittest.TestCase):
    def script(self, *arguments, code=0):
        done = subprocess.run([SOURCE / "scripts/linux-tcp", *arguments], capture_output=True, text=True, check=False,
                              cwd=SOURCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_without_loss_a_link_is_full(self):
        """4 MiB of payload in FPDUs of 1,428 octets of it, each 1,460 octets of TCP's and 78 more on the link: 2,944
        of 123.04 us are 362 ms; slow start and a round trip are the rest of the kernel's 384.4 ms."""
        self.assertIn("| lossless | 384", self.script("lossless").stdout)

    def test_no_such_case(self):
        self.assertIn("no such case; expected one of lossless, drop1,", self.script("lossles", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
