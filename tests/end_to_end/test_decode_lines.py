# SPDX-License-Identifier: GPL-2.0-only
"""These tests show which lines `iwarpsim decode` prints, and what their times count from."""
import json
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

    def objects(self, *options):
        lines = self.decode("run/receiver.pcap", "--json", *options).splitlines()
        return [json.loads(line, parse_float=Decimal) for line in lines][1:]

    def test_filter(self):
        """A condition on fields of any depth chooses the objects that Python chooses, of FPDUs and messages;
        what has not the field is not chosen."""
        self.run_scenario("workload.messages=6", "workload.operation=read", "path.forward.loss=1%")

        def part(each, *names):
            for name in names:
                each = each.get(name) if each else None
            return each

        sink = next(part(each, "rdmap", "read_request", "sink_stag") for each in self.objects()
                    if part(each, "rdmap", "opcode") == 1)
        for condition, is_chosen in (
                ("type = fpdu and direction = 0 or type = note", lambda each: each["type"] == "note" or (
                    each["type"] == "fpdu" and each["direction"] == 0)),
                ("name = 'RDMA Read Response' and last = true",
                 lambda each: part(each, "ddp", "last") and part(each, "rdmap", "opcode") == 2),
                (f"stag = {sink} or sink_stag = {sink}", lambda each: sink in (
                    part(each, "ddp", "stag"), part(each, "rdmap", "read_request", "sink_stag"))),
                ("not msn != 3", lambda each: part(each, "ddp", "msn") in (None, 3)),
                ("tagged_offset >= 0x0000000500000000",
                 lambda each: int(part(each, "ddp", "tagged_offset") or "0", 16) >= 5 << 32),
                ("time_s >= 200us and packets < 200 and position > 20", lambda each: each["position"] > 20 and
                 each["time_s"] >= Decimal("0.0002") and each["packets"][1] < 200),
                ("crc = right or crc = true", lambda each: each.get("crc") in ("right", True)),
                ("round_trip_s > 0.00005", lambda each: each.get("round_trip_s", 0) > Decimal("0.00005")),
                ("from = 10.0.0.2:5044 and kind = fin",
                 lambda each: each["from"] == "10.0.0.2:5044" and each.get("kind") == "fin")):
            kinds = [()] * ("round_trip" not in condition) + [("--messages",)] * ("crc" not in condition)
            for options in kinds:  # that have those fields
                every = self.objects(*options)
                chosen = [each for each in every if is_chosen(each)]
                self.assertEqual(self.objects(*options, "--filter", condition), chosen, condition)
            self.assertIn(len(chosen), range(1, len(every)), condition)
        both = self.objects("-f", "src port 49152", "-f", "type = fpdu")
        self.assertEqual(both, [each for each in self.objects("-f", "src port 49152") if each["type"] == "fpdu"])
        self.assertEqual({each["direction"] for each in both}, {0})

    def test_filter_of_extensions(self):
        """So it is of the messages of RFC 7306: the three of each kind, the original values counting up."""
        self.run_scenario("workload.messages=6", "workload.operation=fetch-add+write-immediate", "mpa.generation=rfc6581")
        for options in (), ("--messages",):
            self.assertEqual([len(self.objects(*options, "--filter", condition)) for condition in (
                "operation = FetchAdd", "request_id = 2", "compare_mask = 0xFFFFFFFFFFFFFFFF", "value >= 0")], [3, 2, 3, 3])
            first, *others = [each["rdmap"]["atomic_response"]["original"]
                              for each in self.objects(*options, "--filter", "original >= 0")]
            self.assertEqual([int(each, 16) - int(first, 16) for each in others], [1, 2])

    def test_neither(self):
        """Both are refused: what is neither a filter of packets nor a condition on lines, and two of a
        kind."""
        self.run_scenario("workload.messages=1")
        for filters, text in (
                (["stagg = 1"], "\"stagg = 1\" is not one of pcap-filter(7)"),
                (["stagg = 1"], "and no condition on lines: --filter: column 1: unknown field 'stagg'; expected one "
                 "that docs/captures.md, without --messages, lists (did you mean 'stag'?)"),
                (["msn = x"], "column 7: 'x' is no number"), (["time_s > x"], "'x' is no time; expected seconds"),
                (["tagged = 1"], "'1' is no flag; expected true or"),
                (["name > Send"], "name has no order; expected = or !="), (["msn"], "column 4: unexpected end"),
                (["tcp", "ip"], "--filter 'tcp' and 'ip': expected one of packets and one of lines"),
                (["msn = 1", "msn = 2"], "--filter 'msn = 1' and 'msn = 2': expected one of packets and")):
            done = kit.iwarpsim("decode", "run/receiver.pcap", *(f"--filter={each}" for each in filters))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)

    def test_mistakes(self):
        kit.write("any.pcap", "")
        for options, text in (
                (("--time", "abslute"), "--time abslute; expected relative, absolute or delta (did you mean "
                 "'absolute'?)"),
                (("--time", "delta", "--json"), "--time is for lines of text; JSON has time_s and origin_s"),
                (("--messages", "--summary"), "--summary prints no lines, to which --messages, --time"),
                (("--problems", "--time", "delta"), "--problems sorts its lines; expected --time relative or"),
                (("--filter", "msn = 1", "--summary"), "--summary prints no lines, to which")):
            done = kit.iwarpsim("decode", "any.pcap", *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)
