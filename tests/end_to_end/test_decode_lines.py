# SPDX-License-Identifier: GPL-2.0-only
"""Which lines `iwarpsim decode` prints, and what their times count from."""
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import program_kit as kit
from decode_trip import STYLES, DecodeTest, read_packets, write_packets

NOON = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)


class Lines(DecodeTest):
    def times(self, name, *options):
        """The first field of each line, without the heading."""
        lines = self.decode(name, *options).splitlines()
        return [line.split()[0] for line in lines if not line.startswith("#")]

    def test_times(self):
        """A capture of µs and one of ns, which begins at noon: the date has the decimals of the file, and a
        difference is that of the two lines' times."""
        self.run_scenario("workload.messages=3")
        packets = read_packets("run/receiver.pcap")
        start = int(NOON.timestamp()) * 10**9 - packets[0][0]
        for style, decimals in (("Ethernet, µs", 6), ("two VLAN tags, big-endian", 9), ("pcapng, Ethernet", 9)):
            write_packets("noon", [(start + time_ns, ip) for time_ns, ip in packets], STYLES[style])
            relative = [Decimal(time) for time in self.times("noon", "--time", "relative")]
            self.assertEqual(relative, [Decimal(time) for time in self.times("noon")])
            for time, since in zip(self.times("noon", "--time", "absolute"), relative, strict=True):
                date, fraction = time.rstrip("Z").split(".")
                seconds = int(since)
                self.assertEqual(date, (NOON + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S"))
                self.assertEqual((len(fraction), Decimal("0." + fraction)), (decimals, since - seconds))
            self.assertEqual([Decimal(time) for time in self.times("noon", "--time", "delta")],
                             [time - before for before, time in zip([0, *relative], relative)])

    def test_mistakes(self):
        for options, text in (
                (("--time", "abslute"), "--time abslute; expected relative, absolute or delta (did you mean "
                 "'absolute'?)"),
                (("--time", "delta", "--json"), "--time is for lines of text; JSON has time_s and origin_s"),
                (("--messages", "--summary"), "--summary prints no lines, to which --messages and --time")):
            done = kit.iwarpsim("decode", "none.pcap", *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)
