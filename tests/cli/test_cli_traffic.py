# SPDX-License-Identifier: GPL-2.0-only
"""These tests compare what `check` foretells of traffic with what runs have."""
import csv
import json
import math
import re

import program_kit as kit

STAR = """topology: { kind = "star"; hosts = 8; };
workload: { pattern = "random"; arrivals = "poisson"; load = "30%"; sizes = "storage-solar2022"; until = "20ms"; };
traffic = ( { name = "all-hosts"; },
            { name = "incast"; pattern = "incast"; sizes = ""; message_size = 4000; fan_in = 4; load = "5%"; } );
"""
SEEDS = range(1, 6)


class Forecast(kit.ProgramTest):
    def runs(self):
        """The summary of a run of each seed, and the rows of its ports to hosts."""
        for seed in SEEDS:
            self.shell(f"iwarpsim run a.cfg -q -o o --set run.seed={seed}")
            with open("o/ports.csv", encoding="utf-8", newline="") as file:
                ports = [row for row in csv.DictReader(file) if row["to"].startswith("h")]
            yield json.loads(kit.octets("o/summary.json")), ports

    def test_volume_and_load(self):
        """8 senders have 3 Gbit/s each in messages of 39,424 octets, a receiver 4 x 4,000 octets each 256 us: 1,522 and 312 messages in
        20 ms. Their numbers in five runs are Poisson's, the incasts' four times one: within 4 standard deviations. Segments
        are estimated within a factor of 2, the utilisation of ports within a tenth: it has acknowledgements as well."""
        kit.write("a.cfg", STAR)
        foretold = json.loads(self.shell("iwarpsim check a.cfg --json").stdout)[0]
        page = self.shell("iwarpsim check a.cfg").stdout
        expected = {"all-hosts": 8 * 3e9 / 8 / 39424 * 0.02, "incast": 4 * 5e8 / 8 / 16000 * 0.02}
        self.assertAlmostEqual(foretold["messages"], sum(expected.values()), delta=1)
        loads = [float(load) for load in re.findall(r"of payload, ([\d.]+) % with headers", page)]
        counted = dict.fromkeys(expected, 0)
        packets = 0
        shares = []
        for summary, ports in self.runs():
            for name in counted:
                counted[name] += sum(value for key, value in summary["messages"].items()
                                     if re.fullmatch(rf"message\.{name}\.(upto|above)_\w+\.count", key))
            packets += sum(int(port["packets"]) for port in ports)
            shares += [float(port["utilisation"]) for port in ports if port["to"] != "h7"]
        for name, each in (("all-hosts", 1), ("incast", 4)):
            mean = len(SEEDS) * expected[name]
            self.assertLess(abs(counted[name] - mean), 4 * math.sqrt(mean * each), name)
        # With an acknowledgement of every second segment there are 1.5 packets of each.
        self.assertTrue(1 / 2 < packets / 1.5 / len(SEEDS) / foretold["segments"] < 2, (packets, foretold))
        # The busiest link of a host is as busy as the others, and as the ports but that of h7, to which the incasts come.
        self.assertEqual(len(loads), 2)
        self.assertAlmostEqual(100 * sum(shares) / len(shares), loads[0], delta=loads[0] / 10)
        self.assertAlmostEqual(loads[1] - loads[0], 5, delta=1)


    def test_whole_numbers(self):
        """Messages of 64 KiB at 10 % of 10 Gbit/s come every 524.288 us: 1.9 in 1 ms, each 46 segments of 1428.7 octets."""
        kit.write("a.cfg", 'workload: { arrivals = "poisson"; until = "1ms"; };')
        page = self.shell("iwarpsim check a.cfg").stdout
        self.assertRegex(page, r"in all, 2 messages, about 8[78] segments;")
        self.assertIn("traffic    about 1.9 messages of 64 KiB", page)


class Ends(kit.ProgramTest):
    def test_time_ends_before_the_first_message(self):
        """TCP and MPA open in two round trips of 52 us, so that in 60 us nothing is posted; a Responder may not send
        before the Initiator has (RFC 5044 section 7.1)."""
        for key in ("operation = \"send\";", "directions = \"both\";", "directions = \"both\"; think_time = \"5us\";"):
            kit.write("a.cfg", f"workload: {{ outstanding = 2; until = \"60us\"; {key} }};")
            self.shell("iwarpsim run a.cfg -q -o o")
            metrics = json.loads(kit.octets("o/summary.json"))["metrics"]
            self.assertEqual(metrics["delivery.octets"], 0)

    def test_list_of_a_path_goes_both_ways(self):
        kit.write("f.txt", "1 - 0us h0 h1 write 4000\n2 1 5us h1 h0 read 70000\n3 2 0us h1 h0 send 100\n")
        kit.write("a.cfg", 'workload: { pattern = "flows"; flows = "f.txt"; };')
        self.shell("iwarpsim run a.cfg -q -o o")
        with open("o/messages.csv", encoding="utf-8", newline="") as file:
            next(file)
            lines = {row["id"]: row for row in csv.DictReader(file)}
        self.assertEqual(sorted(lines), ["1", "2", "3"])
        self.assertAlmostEqual(float(lines["2"]["posted_s"]) - float(lines["1"]["delivered_s"]), 5e-6, delta=1e-12)
        self.assertEqual([lines["3"]["source"], lines["3"]["destination"]], ["h1", "h0"])
