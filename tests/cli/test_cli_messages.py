# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about what a run leaves of its messages: messages.csv, message_classes.csv, and the same in summary.json."""
import csv
import json
import math
from decimal import Decimal

import program_kit as kit

PATH = """workload: { operation = "write+send+read"; message_size = "8KiB"; messages = 300; outstanding = 4; };
path: { forward: { loss = "1%"; }; };
tcp: { rto_min = "5ms"; };
"""
STAR = """topology: { kind = "star"; hosts = 4; };
workload: { pattern = "incast"; operation = "storage-read+storage-write"; message_size = "100KiB"; messages = 40; };
"""
TIMES = ("posted_s", "first_octet_s", "placed_s", "delivered_s")


class Messages(kit.ProgramTest):
    def run_of(self, text):
        """The lines of messages.csv, the rows of message_classes.csv, and the summary of a run."""
        kit.write("a.cfg", text)
        self.shell("iwarpsim run a.cfg -q -o o")
        with open("o/messages.csv", encoding="utf-8", newline="") as file:
            self.assertRegex(next(file), r"^# all \d+ messages that were complete, in this order$")
            lines = list(csv.DictReader(file))
        with open("o/message_classes.csv", encoding="utf-8", newline="") as file:
            rows = {(row["class"], row["size_class"]): row for row in csv.DictReader(file)}
        return lines, rows, json.loads(kit.octets("o/summary.json"))

    def test_lines_and_quantiles(self):
        """What happens to a message happens in this order, its slowdown is its time by its ideal, and no less than 1; quantiles are
        those of the lines."""
        for text, size, count in ((PATH, "upto_64KiB", 300), (STAR, "upto_1MiB", 120)):
            lines, rows, summary = self.run_of(text)
            self.assertEqual(len(lines), count)
            taken = {"completion": [], "delivered": [], "placed": [], "slowdown": []}
            for line in lines:
                of = {column: Decimal(line[column]) for column in (*TIMES, "completed_s", "ideal_s", "slowdown")}
                self.assertEqual(sorted(of[time] for time in TIMES), [of[time] for time in TIMES])
                self.assertGreaterEqual(of["completed_s"], of["delivered_s"])
                end = of["delivered_s"] if line["operation"] in ("write", "send") else of["completed_s"]
                self.assertAlmostEqual((end - of["posted_s"]) / of["ideal_s"], of["slowdown"], places=6)
                self.assertGreaterEqual(of["slowdown"], 1)
                taken["slowdown"].append(float(of["slowdown"]))
                for kind, time in (("completion", "completed_s"), ("delivered", "delivered_s"), ("placed", "placed_s")):
                    taken[kind].append(float(of[time] - of["posted_s"]))
            self.assertEqual(set(rows), {(of, by) for of in ("workload", "all") for by in (size, "all")})
            for kind, values in taken.items():
                for share, name in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
                    column = f"{kind}_{name}" + ("" if kind == "slowdown" else "_s")
                    expected = sorted(values)[math.ceil(share * count) - 1]
                    for row in rows.values():
                        self.assertAlmostEqual(float(row[column]) / expected, 1, places=9)
                    for member, key in (("metrics", f"message.{column}"), ("messages", f"message.workload.{column}"),
                                        ("messages", f"message.workload.{size}.{column}"), ("messages", f"message.all.{column}")):
                        self.assertAlmostEqual(summary[member][key] / expected, 1, places=9)
                    self.expect_parts(self.shell(f"iwarpsim explain {column}").stdout, "(column of message_classes.csv, ")
            self.assertEqual({row["completion_p99.9_s"] for row in rows.values()}, {""})

    def test_line_limit(self):
        """Of 300 messages 10 lines have every 32nd: 0, 32 … 288; statistics are of all. With 0 there is none."""
        for limit, lines in ((10, 10), (0, 0)):
            kit.write("a.cfg", PATH)
            self.shell(f"iwarpsim run a.cfg -q -o o --set measure.messages={limit}")
            text = kit.octets("o/messages.csv").decode().splitlines()
            self.assertEqual(len(text), 2 + lines)
            self.assertTrue(text[0].startswith("# one in 32 of the" if limit else "# none of the"), text[0])
            self.assertEqual(json.loads(kit.octets("o/summary.json"))["metrics"]["message.count"], 300)

    def test_incomplete(self):
        """A run that ends early counts the messages that were posted and are not complete: with all posted at once, all others."""
        _, rows, summary = self.run_of('workload: { operation = "send"; message_size = "8KiB"; messages = 300; };\n'
                                       'run: { stop = "1ms"; };\n')
        row = rows["workload", "all"]
        self.assertGreater(int(row["count"]), 0)
        self.assertGreater(int(row["incomplete"]), 0)
        self.assertEqual(summary["metrics"]["message.incomplete"], int(row["incomplete"]))
        self.assertEqual(int(row["octets"]), 8192 * int(row["count"]))
