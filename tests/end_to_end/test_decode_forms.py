# SPDX-License-Identifier: GPL-2.0-only
"""These tests show one capture in many forms: other links and file formats, any order, octets and packets
that are missing, a start in the middle; and the options of `iwarpsim decode` for those."""
import random

from decode_trip import FORWARD, REVERSE, STYLES, DecodeTest, read_packets, write_packets

SETS = ("workload.messages=20", "workload.message_size=20001", "path.forward.loss=2%",
        "path.forward.reorder=5%")
# Sums that change neither with the order nor with the form.
ALWAYS = ("segments", "aligned", "crc_bad", "unaccounted_octets")


def segment_of(packets):
    """The index of the first data segment from packet 50 on."""
    return next(i for i in range(50, len(packets)) if len(packets[i][1]) >= 1000)


class Forms(DecodeTest):
    def test_forms(self):
        """Links and file formats change nothing."""
        self.run_scenario(*SETS)
        expected, packets = self.sums("run/receiver.pcap"), read_packets("run/receiver.pcap")
        for name, style in STYLES.items():
            with self.subTest(style=name):
                write_packets("other", packets, style)
                self.expect_same(self.sums("other"), expected, *ALWAYS, "located_by_marker")

    def test_shuffled(self):
        """They come after the handshake, in any order: FPDUs may be located by other methods, but nothing is
        lost."""
        self.run_scenario(*SETS)
        expected, packets = self.sums("run/receiver.pcap"), read_packets("run/receiver.pcap")
        for seed in range(1, 11):
            with self.subTest(seed=seed):
                others = packets[2:]
                random.Random(seed).shuffle(others)
                write_packets("other", packets[:2] + others)
                self.expect_same(self.sums("other"), expected, *ALWAYS)

    def test_snap_length(self):
        """120 octets of each packet: headers, and of an FPDU that begins with its segment what is before the
        payload."""
        self.run_scenario("workload.messages=20", "workload.message_size=20001", "mpa.markers=false",
                          "workload.operation=send")
        expected = self.sums("run/receiver.pcap")
        write_packets("other", read_packets("run/receiver.pcap"), snap_octets=120)
        self.expect_same(self.sums("other"), expected, *ALWAYS)
        fpdus = self.fpdus("other")
        self.assertEqual(len(fpdus), expected[FORWARD]["fpdus"] + expected[REVERSE]["fpdus"])
        self.assertEqual((fpdus[0]["crc"], fpdus[0]["rdmap"]["name"]), ("not captured", "Send"))

    def test_middle(self):
        """A capture that starts in the middle: FPDUs are found by their markers and CRCs, in both directions,
        whichever end is named: the last ones of all, and more than a quarter."""
        self.run_scenario("workload.messages=20", "workload.directions=both")
        every = self.fpdus("run/receiver.pcap")
        packets = read_packets("run/receiver.pcap")
        write_packets("other", packets[len(packets) // 2:])
        for end in ("*:5044", "10.0.0.1:49152"):
            tail = self.fpdus("other", "--mpa", f"{end},start=find")
            # Without the SYN, Initiator is who sent the first packet captured.
            for sender in ("10.0.0.1:49152", "10.0.0.2:5044"):
                theirs, ours = ([(fpdu["octets"], fpdu["crc_received"]) for fpdu in fpdus
                                 if fpdu["from"] == sender] for fpdus in (every, tail))
                self.assertIn(len(ours), range(len(theirs) // 4 + 1, len(theirs)))
                self.assertTrue(ours == theirs[-len(ours):], f"not the last FPDUs of {sender}")

    def test_ignored_checksum(self):
        """An octet of payload changed in a packet in the middle: TCP's checksum finds it, and where that is
        not checked MPA's CRC."""
        self.run_scenario("workload.messages=5")
        packets = read_packets("run/receiver.pcap")
        at = segment_of(packets)
        time_ns, ip = packets[at]
        packets[at] = time_ns, ip[:500] + bytes([ip[500] ^ 1]) + ip[501:]
        write_packets("other", packets)
        dropped = self.sums("other")[FORWARD]
        self.assertEqual((dropped["wrong_checksums"], dropped["crc_bad"]), (1, 0))
        self.assertGreater(dropped["missing_octets"], 1000)
        taken = self.sums("other", "--ignore-checksums")[FORWARD]
        self.assertEqual((taken["missing_octets"], taken["crc_bad"]), (0, 1))
        self.assertEqual(taken["fpdus"], dropped["fpdus"] + 1)

    def test_missing_segment(self):
        """A segment missing in the capture, and no markers: what follows it can only be guessed."""
        metrics = self.run_scenario("workload.messages=10", "mpa.markers=false")
        packets = read_packets("run/receiver.pcap")
        del packets[segment_of(packets)]
        write_packets("other", packets)
        known = self.sums("other")[FORWARD]
        self.assertLess(known["fpdus"], 60)
        self.assertGreater(known["unaccounted_octets"], 100000)
        guessed = self.sums("other", "--assume-aligned")[FORWARD]
        self.assertEqual(guessed["fpdus"], metrics["mpa.fpdus"] - 1)
        self.assertGreater(guessed["located_by_assumption"], 0)

    def test_hold(self):
        """The same segment, after all others: it is waited for as long as no more than --hold octets wait
        too."""
        metrics = self.run_scenario("workload.messages=10", "mpa.markers=false")
        packets = read_packets("run/receiver.pcap")
        packets.append(packets.pop(segment_of(packets)))
        write_packets("other", packets)
        patient = self.sums("other")
        self.expect_accounted(patient)
        self.assertEqual(patient[FORWARD]["fpdus"], metrics["mpa.fpdus"])
        self.assertLess(self.sums("other", "--hold", "20kB")[FORWARD]["fpdus"], 60)
