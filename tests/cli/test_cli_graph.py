# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about a graph's tables, its values in summary.json, and the names of its hosts."""
import csv
import json

import program_kit as kit

STAR = """topology: { kind = "star"; hosts = 3; };
workload: { pattern = "incast"; message_size = "64KiB"; messages = 2; };
measure: { hosts = "h[0-1]+h2"; };
"""


class Graph(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", STAR)

    def rows(self, name):
        with open(name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_tables(self):
        """Each column is explained; summary.json has those of the hosts that are named, and of the switch's own line."""
        self.shell("iwarpsim run a.cfg -q -o o")
        values = json.loads(kit.octets("o/summary.json"))["graph"]
        for name, rows in (("hosts.csv", self.rows("o/hosts.csv")), ("ports.csv", self.rows("o/ports.csv"))):
            for column in rows[0]:
                self.expect_parts(self.shell(f"iwarpsim explain {column}").stdout, f" (column of {name}, ")
            for row in rows:
                of = f"host.{row['host']}" if name == "hosts.csv" else f"switch.{row['switch']}"
                for column, text in row.items() if not row.get("port") else ():
                    if text and column not in ("host", "switch"):
                        self.assertAlmostEqual(float(text), values[f"{of}.{column}"], delta=1e-9 * values[f"{of}.{column}"])
        self.assertEqual([(row["switch"], row["port"], row["to"]) for row in self.rows("o/ports.csv")],
                         [("s0", "1", "h0"), ("s0", "2", "h1"), ("s0", "3", "h2"), ("s0", "", "")])
        self.assertEqual(values["all.host"], "h2")
        self.expect_parts(self.shell("iwarpsim explain columns").stdout, "hosts.csv", "ports.csv")

    def test_a_path_has_no_values(self):
        kit.write("a.cfg", 'title = "path";\n')
        self.shell("iwarpsim run a.cfg -q -o o")
        self.assertNotIn("graph", json.loads(kit.octets("o/summary.json")))

    def test_unknown_hosts(self):
        for key in ("host", "hosts"):
            kit.write("a.cfg", STAR.replace('hosts = "h[0-1]+h2"', f'{key} = "h7"'))
            self.expect("iwarpsim check a.cfg", "", f"a.cfg:3: measure.{key}: no host is named 'h7'; expected one of h[0-2]\n", 2)
