# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about a graph's tables, its values in summary.json, and the names of its hosts."""
import csv
import html
import json
import os
import re

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
        self.expect_parts(self.shell("iwarpsim explain all.host").stdout, "host (column of hosts.csv, text)")
        text = self.shell("iwarpsim explain ports.csv").stdout
        self.expect_parts(text, "utilisation (column of ports.csv, 1)")
        self.assertNotIn("(column of hosts.csv", text)
        self.expect_parts(self.shell("iwarpsim explain columns").stdout, "hosts.csv", "ports.csv")

    def test_window_of_ports(self):
        """Octets are delivered at h2 ten times as fast as at h3. The ports are measured from the time that h2 has 300 KiB, by
        measure.host or as the first of all, or h3, to the time that it has 1 MiB: as with these times for the two octets."""
        kit.write("a.cfg", STAR.replace("hosts = 3", "hosts = 4").replace("messages = 2", "messages = 20; from = \"h0+h1\"; to = \"h2+h3\"")
                  .replace('"incast"', '"pairs"').replace("h[0-1]+h2", "") + 'links = ( { between = "h3 s0"; rate = "1Gbit/s"; } );\n')
        self.shell("iwarpsim run a.cfg -q -o o --set measure.from=300KiB --set measure.to=1MiB --trace o.trace")
        moved = [json.loads(line) for line in self.shell("iwarpsim trace o.trace").stdout.splitlines() if '"measured"' in line]
        times = {host: [f"{event['at_ps']}ps" for event in moved if event["node"] == host][1:] for host in ("h2", "h3")}
        whole = kit.octets("o/ports.csv")
        for name, host, ends in (("h2", "h2", 2), ("h3", "h3", 2), ("auto", "h2", 1)):
            for folder, moments in (("by", ("300KiB", "1MiB")), ("at", times[host])):
                sets = " ".join(f"--set measure.{key}={moment}" for key, moment in list(zip(("from", "to"), moments))[:ends])
                self.shell(f"iwarpsim run a.cfg -q -o {folder} --set measure.host={name} {sets}")
            self.assertEqual(kit.octets("by/ports.csv"), kit.octets("at/ports.csv"))
            self.assertNotEqual(kit.octets("by/ports.csv"), whole)

    def test_a_path_has_no_values(self):
        kit.write("a.cfg", 'title = "path";\n')
        self.shell("iwarpsim run a.cfg -q -o o")
        self.assertNotIn("graph", json.loads(kit.octets("o/summary.json")))

    def test_switches_of_a_sweep(self):
        """A smaller buffer loses more. Of 699 packets of 1,500 octets alpha 1 leaves a queue 350."""
        kit.write("a.cfg", STAR + 'tcp: { initial_window = 40; };\nswitches = ( { name = "core"; at = "s0"; buffer = "1MiB"; } );\n'
                  'sweep = ( { key = "switches.core.buffer"; values = ["20KiB", "40KiB", "1MiB"]; } );\n')
        self.expect_parts(self.shell("iwarpsim check a.cfg").stdout, "a queue holds at most 512.7 KiB")
        self.shell("iwarpsim sweep a.cfg -q --store s.sqlite")
        table = json.loads(self.shell("iwarpsim table s.sqlite --json --metric losses.switch").stdout)
        losses = {int(row["keys"]["switches.core.buffer"]): row["mean"] for row in table["rows"]}
        self.assertEqual(losses[1 << 20], 0)
        self.assertGreater(losses[40 << 10], 0)
        self.assertGreater(losses[20 << 10], losses[40 << 10])

    def test_both_roles(self):
        """The peak of a host is what all its connections hold, added over time, whether it is their Initiator or their
        Responder: a trace has both. Read Requests are held, too."""
        kit.write("a.cfg", 'topology: { kind = "star"; hosts = 3; };\nlink: { loss = "1%"; };\nreceiver: { mode = "in-order"; };\n'
                  'workload: { pattern = "all-to-all"; message_size = "20KiB"; messages = 8; };\n')
        commands = 48 + 48  # octets of a storage exchange's two Sends
        for sets, octets in (("workload.directions=both", 2 * 20480), ("workload.operation=read+write", 20480),
                             ("workload.operation=storage-read+storage-write", 20480 + commands)):
            self.shell(f"iwarpsim run a.cfg -q -o o --trace o.trace --set {sets}")
            held, peaks, roles = {}, {}, set()
            for line in self.shell("iwarpsim trace o.trace --filter 'event = held'").stdout.splitlines():
                event = json.loads(line)
                own = held.setdefault(event["node"], {})
                own[event["connection"]] = sum(event[cause] for cause in ("incomplete", "unlocated", "order", "fragment"))
                peaks[event["node"]] = max(peaks.get(event["node"], 0), sum(own.values()))
                roles.add((event["node"], event["side"]))
            self.assertEqual(len(roles), 6)
            self.assertEqual({row["host"]: int(row["buffer.reassembly_peak_octets"]) for row in self.rows("o/hosts.csv")}, peaks)
            values = json.loads(kit.octets("o/summary.json"))["graph"]
            self.assertEqual(values["all.delivery.octets"], 6 * 8 * octets)

    def test_hosts_of_a_sweep(self):
        """With auto the runs of a sweep may measure several hosts, whose numbers a table and a plot have side by side: they say so,
        unless the topologies differ, in which each run has its own last host."""
        kit.write("a.cfg", STAR.replace('"incast"', '"permutation"').replace("h[0-1]+h2", "") + """link: { loss = "1%"; };
            receiver: { mode = "in-order"; }; sweep = ( { key = "run.seed"; from = 1; to = 6; } );\n""")
        line = "measured hosts differ: "
        self.shell("iwarpsim sweep a.cfg -q --store a.sqlite && iwarpsim sweep a.cfg -q --store b.sqlite --set measure.host=h1")
        shown = self.shell("iwarpsim table a.sqlite").stdout
        self.assertIn(line, shown)
        self.assertIn(next(text for text in shown.splitlines() if line in text),
                      self.shell("iwarpsim plot a.sqlite --what distribution").stderr)
        self.assertNotIn(line, self.shell("iwarpsim table b.sqlite").stdout)
        kit.write("a.cfg", STAR.replace("h[0-1]+h2", "") + 'sweep = ( { key = "topology.hosts"; values = [2, 3]; } );\n')
        self.shell("iwarpsim sweep a.cfg -q --store c.sqlite")
        self.assertNotIn(line, self.shell("iwarpsim table c.sqlite").stdout)

    def test_unknown_hosts(self):
        for key in ("host", "hosts"):
            kit.write("a.cfg", STAR.replace('hosts = "h[0-1]+h2"', f'{key} = "h7"'))
            self.expect("iwarpsim check a.cfg", "", f"a.cfg:3: measure.{key}: no host is named 'h7'; expected one of h[0-2]\n", 2)

    def test_hosts_of_faults(self):
        """A host that is unknown, that are two, or that does not open a connection."""
        for host, what in (("h7", "no host is named 'h7'; expected one of h[0-2]"), ("h[0-1]", "it is 2 hosts; expected one"),
                           ("h2", "h2 is the Initiator of no connection; expected one that is")):
            kit.write("a.cfg", STAR + f'fault: {{ error = "bad-crc"; host = "{host}"; }};\n')
            self.expect("iwarpsim check a.cfg", "", f"a.cfg:4: fault.host: {what}\n", 2)

    def test_files_of_named_hosts(self):
        """Captures are of these hosts, a series of each to which payload comes; decode and replay read them."""
        kit.write("a.cfg", STAR.replace('"incast"', '"pairs"; from = "h0+h1"; to = "h1+h2"').replace("h[0-1]+h2", ""))
        drop = "--set measure.host=h2 --set link.drop=[9] --set receiver.mode=in-order"
        self.shell(f"iwarpsim run a.cfg -q -o o --pcap-hosts h1+last {drop}")
        self.assertEqual(sorted(os.listdir("o")), ["h1.pcap", "h2.pcap", "hosts.csv", "message_classes.csv", "messages.csv",
                                                   "occupancy-h1.csv", "occupancy-h2.csv", "occupancy.csv", "ports.csv",
                                                   "summary.json"])
        self.assertEqual(kit.octets("o/occupancy-h2.csv"), kit.octets("o/occupancy.csv"))
        values = json.loads(kit.octets("o/summary.json"))["graph"]
        for host, connections in (("h1", 2), ("h2", 1)):
            self.expect_parts(self.shell(f"iwarpsim decode o/{host}.pcap --summary").stdout, f"\n{connections} TCP connection")
        self.shell("iwarpsim replay o/h2.pcap -q -o r --set receiver.mode=in-order")
        again = json.loads(kit.octets("r/summary.json"))["metrics"]["buffer.reassembly_peak_octets"]
        self.assertGreater(again, 0)
        self.assertEqual(again, values["host.h2.buffer.reassembly_peak_octets"])
        self.expect("iwarpsim run a.cfg -q -o o --set topology.hosts=65 --pcap-hosts all", "",
                    "--pcap-hosts: measure.hosts: it is 65 hosts; expected at most 64\n", 2)
        self.expect("iwarpsim run a.cfg -q -o o --pcap-hosts h3", "",
                    "--pcap-hosts: measure.hosts: no host is named 'h3'; expected one of h[0-2]\n", 2)

    def test_files_of_another_host(self):
        """With auto the fullest host is measured, which is known at the end: where the files are of the busiest, a note says so."""
        kit.write("a.cfg", STAR.replace("hosts = 3", "hosts = 4").replace('"incast"', '"incast"; from = "h[0-1]"; to = "h[2-3]"')
                  .replace("h[0-1]+h2", "") + 'hosts = ( { at = "h3"; receiver: { mode = "in-order"; }; } );\nlink: { drop = [40]; };\n')
        note = ("note: the metrics are of h3, but {} of h2, to which payload comes by most connections; "
                "measure.host = h3 makes all of them its\n")
        for options, files in (("", "occupancy.csv"), ("--pcap", "receiver.pcap and occupancy.csv"),
                               ("--pcap --set measure.series=none", "receiver.pcap")):
            self.assertIn(note.format(files), self.shell(f"iwarpsim run a.cfg -o o{len(options)} {options}").stderr)
        self.assertNotIn("the metrics are of", self.shell("iwarpsim run a.cfg -o o --pcap --set measure.host=h3").stderr)
        kit.write("p.cfg", 'title = "path";\n')
        self.expect("iwarpsim run p.cfg -q -o p --pcap-hosts h1", "",
                    "--pcap-hosts h1: a path has no hosts by name; expected --pcap, which captures at both its ends, or a graph "
                    "(topology.kind)\n", 2)
        self.assertFalse(os.path.exists("p"))

    @staticmethod
    def shown(page):
        """The tables of hosts and of ports in a page: the texts of their rows, without the headings."""
        tables = [re.findall("<tr>(.*?)</tr>", table) for table in page.split("<table>")]
        return {name: [[html.unescape(cell) for cell in re.findall("<t[hd][^>]*>([^<]*)<", row)] for row in rows[1:]]
                for rows in tables[1:] for name in ("host", "switch") if f"<th>{name}</th>" in rows[0]}

    @staticmethod
    def size(octets):
        """As the page has it: KiB, and MiB, from ten on."""
        factor, unit = next(step for step in ((1 << 20, "MiB"), (1 << 10, "KiB"), (0.1, "octets")) if float(octets) >= 10 * step[0])
        return f"{float(f'{float(octets) / max(factor, 1):.4g}'):g} {unit}"

    def test_report(self):
        """The page has the run of each kind of receiver that held most: its hosts by their peaks, its ports by their drops, as the
        tables of that run alone have them, those of as many drops by their queue, and a map of all ports. Of 20 hosts and ports 16 are shown. With --run it has the
        run whose folder is given, whatever that recorded."""
        options = ("--set topology.hosts=20 --set workload.message_size=1MiB --set switch.port_limit=30000"
                   " --set measure.hosts=")
        kit.write("a.cfg", STAR + """sweep = ( { key = "receiver.mode"; values = ["in-order", "out-of-order"]; },
            { key = "run.seed"; values = [1, 2]; } );
            links = ( { between = "h5 s0"; rate = "1Gbit/s"; } );""")
        self.shell(f"iwarpsim sweep a.cfg -q --store a.sqlite {options}")
        runs = {}
        for seed in (1, 2):
            self.shell(f"iwarpsim run a.cfg -q -o o{seed} {options} --set receiver.mode=in-order --set run.seed={seed}"
                       " --set measure.series=none --set measure.hosts=h3")
            hosts, ports = self.rows(f"o{seed}/hosts.csv"), self.rows(f"o{seed}/ports.csv")
            sink = max(hosts, key=lambda row: float(row["buffer.reassembly_peak_octets"] or 0))
            port = next(row for row in ports if row["port"] == "20")
            self.assertGreater(int(port["dropped_port_packets"]), 0)
            runs[seed] = float(sink["buffer.reassembly_peak_octets"]), (
                [sink["host"], *(self.size(sink[f"buffer.reassembly_{name}_octets"]) for name in ("peak", "p99.9")),
                 sink["segments_refused"], self.size(sink["delivery.octets"]), ""],
                ["s0", "20", "h19", port["dropped_port_packets"], "0", "0", "0", self.size(port["queue_p99.9_octets"]),
                 self.size(port["queue_peak_octets"]), f"{100 * float(port['utilisation']):.4g} %"],
                [row["port"] for row in sorted((row for row in ports if row["to"]), key=lambda row: (
                    -int(row["dropped_port_packets"]), -float(row["queue_p99.9_octets"])))][:16])
        self.assertNotEqual(runs[1], runs[2])
        most, least = sorted(runs, key=lambda seed: -runs[seed][0])
        page = self.shell("iwarpsim report a.sqlite -o /dev/stdout -q").stdout
        in_order = page[page.index("<summary>hosts and ports where it held most: in-order receiver"):page.index("held most: out-of-order")]
        self.expect_parts(in_order, f"in-order receiver, seed {most}<", "the first 16 of 20.", "Utilisation of each port")
        chosen = self.shell(f"iwarpsim report a.sqlite -o /dev/stdout -q --run o{least}").stdout
        self.assertEqual(chosen.count("<summary>hosts and ports"), 1)
        self.expect_parts(chosen, f"in-order receiver, seed {least}<", f"iwarpsim report a.sqlite -o stdout --run o{least}</code>")
        for seed, text in ((most, in_order), (least, chosen)):
            tables = self.shown(text)
            self.assertEqual((tables["host"][0], tables["switch"][0], [row[1] for row in tables["switch"]]), runs[seed][1])
            self.assertEqual(text.count("the first 16 of "), text.count("the first 16 of 20."))
            self.assertEqual(tables["host"][1][:2], ["h0", ""])
            self.assertEqual([len(rows) for rows in tables.values()], [16, 16])

    def test_report_of_other_runs(self):
        """A run of other settings or of another seed: one line, and no page. A path's page has its messages and no hosts."""
        kit.write("a.cfg", STAR + 'sweep = ( { key = "workload.messages"; values = [1, 2]; } );\n')
        self.shell("iwarpsim sweep a.cfg -q --store a.sqlite")
        for key, value, other in (("run.seed", "9", "1"), ("workload.messages", "3", "1"), ("receiver.mode", "in-order", "out-of-order")):
            self.shell(f"iwarpsim run a.cfg -q -o o --set {key}={value}")
            self.expect("iwarpsim report a.sqlite --run o", "",
                        f"--run o: no run in a.sqlite has its settings: {key} is '{value}', not '{other}'; expected a run of the "
                        "store\n", 2)
        path = "--set topology.kind=path --set measure.hosts= --set workload.pattern=pairs"
        self.shell(f"iwarpsim run a.cfg -q -o p {path} && iwarpsim sweep a.cfg -q --store p.sqlite {path}")
        of_path = self.shell("iwarpsim report p.sqlite --run p -o /dev/stdout -q").stdout
        self.expect_parts(of_path, "<h3>Completion times</h3>", "In 1 run ", "complete, all that were posted.", "<h3>Completion times</h3>")
        self.assertEqual(of_path.count("<caption><span>Messages of all seeds"), 1)  # two points are in the store
        self.assertNotIn("<summary>hosts and ports", of_path)
        self.expect_refused("iwarpsim report a.sqlite --run none", "none/summary.json")
        self.assertFalse(os.path.exists("a.html") or os.path.exists("p.html"))
        self.assertNotIn("hosts and ports", self.shell("iwarpsim report p.sqlite -o /dev/stdout -q").stdout)

    def test_trace_of_named_hosts(self):
        """Two hosts send to two, at one buffer for all. Of h2 the trace has the two connections to it, and who of all four fills
        the buffer: what explains its peak is the same. Of h0, which receives nothing, there is no peak."""
        kit.write("a.cfg", STAR.replace("hosts = 3", "hosts = 4").replace("h[0-1]+h2", "").replace('"incast"', '"incast"; from = "h[0-1]"; to = "h[2-3]"')
                  + 'links = ( { between = "h[2-3] s0"; rate = "4Gbit/s"; } );\nreceiver: { mode = "in-order"; };\n')
        run = ("iwarpsim run a.cfg -q -o o --set workload.message_size=1MiB --set switch.buffer=60000 --set switch.alpha=unlimited"
               " --trace o.trace")
        stories, connections = {}, {}
        for name in ("", "h2", "h0"):
            self.shell(f"{run} --set measure.hosts={name}")
            stories[name] = self.shell("iwarpsim explain-peak o.trace").stdout
            events = [json.loads(line) for line in self.shell("iwarpsim trace o.trace").stdout.splitlines()]
            connections[name] = {kind: {event["connection"] for event in events if event["event"] == kind}
                                 for kind in ("segment_sent", "placed", "packet_sent", "packet_queued", "packet_dropped")}
            self.assertEqual({event["node"] for event in events if event["event"] in ("held", "peak")},
                             {"": {"h2", "h3"}, "h2": {"h2"}, "h0": set()}[name])
        self.assertRegex(stories[""], r"^Peak .* at host h2 (.|\n)* 3[0-9] packets\s+waited\s+in\s+s0,\s+[12][0-9]\s+of\s+them\s+for\s+port\s+3")
        self.assertEqual(stories["h2"], "The trace keeps to the hosts of measure.hosts = h2.\n" + stories[""])
        self.assertEqual(stories["h0"], "The trace keeps to the hosts of measure.hosts = h0.\n"
                         "The window that is measured opened at none of them: there is no peak.\n")
        pairs = [next(event["node"] for event in events if event["event"] == "packet_sent" and event["connection"] == i
                      and event["side"] == "initiator") for i in range(4)]
        for name, kept in (("", {0, 1, 2, 3}), ("h2", {0, 1}), ("h0", {i for i in range(4) if pairs[i] == "h0"})):
            self.assertEqual(list(connections[name].values()), [kept] * 2 + [{0, 1, 2, 3}] * 3)

    def test_queue_of_a_port(self):
        """The queue over time is that of one port: its peak is that of ports.csv, and all its drops are there, no other's. By
        default it is the one with the longest queue; --port names another one, such as that of a host."""
        self.shell("iwarpsim run a.cfg -q -o o --set workload.message_size=1MiB --set switch.port_limit=30000 --set measure.hosts="
                   " --trace o.trace")
        peak = {row["port"]: row["queue_peak_octets"] for row in self.rows("o/ports.csv")}
        events = [json.loads(line) for line in self.shell("iwarpsim trace o.trace").stdout.splitlines() if '"packet_queued"' in line]
        longest = max(events, key=lambda event: event["waiting_octets"])
        for option, port, octets, layers in ((" --port s0:3", "s0:3", peak["3"], 2),
                                             ("", f"{longest['node']}:{longest['port']}", longest["waiting_octets"], 1)):
            self.shell(f"iwarpsim plot o.trace --what queue -q{option}")
            drawn = kit.octets("o-queue.dat").decode().split("\n\n\n")
            self.assertTrue(drawn[0].startswith(f"# Queue of {port}, link 0, over simulated time\n"), drawn[0])
            self.assertEqual(len(drawn), layers)  # drops
            rows = [line.split() for line in drawn[0].splitlines() if not line.startswith("#")]
            self.assertEqual(max(float(row[2]) for row in rows), float(octets))
        self.assertEqual(longest["node"][0], "h")  # of a host, whose window is larger than the switch's limit
        self.expect_parts(self.expect_refused("iwarpsim plot o.trace --what queue --port s0:9").stderr,
                          "nothing to draw: no packet waits for s0:9 in this time")
        self.expect_parts(self.expect_refused("iwarpsim plot o.trace --port s0:3").stderr, "--port does not go with --what sequence")

    def test_what_filled_the_switch(self):
        """A packet that a port drops finds 20 of 1,500 octets: one is sent, and 19 wait. By the trace, whose they are: connection
        0 is from h0, connection 1 from h1."""
        self.shell("iwarpsim run a.cfg -q -o o --set workload.message_size=1MiB --set switch.port_limit=30000"
                   " --set receiver.mode=in-order --set measure.hosts= --trace o.trace")
        story = self.shell("iwarpsim explain-peak o.trace").stdout
        found = re.search(r"\(packet ([0-9,]+), [^)]*\) was dropped by the port limit at port 3 of s0 at .*When it came, 19 packets "
                          r"waited in s0, 19 of them for port 3: ([^.]*)\.", " ".join(story.split()))
        events = [json.loads(line) for line in self.shell("iwarpsim trace o.trace").stdout.splitlines()
                  if '"node":"s0","port":3' in line]
        at = next(event["time_ps"] for event in events if event["event"] == "packet_dropped"
                  and event["packet"] == int(found[1].replace(",", "")))
        waiting = [event["connection"] for event in events if event["event"] == "packet_queued"
                   and event["time_ps"] <= at < event["time_ps"] + event["waits_ps"]]
        self.assertEqual(sorted(found[2].split(", ")),
                         sorted(f"{waiting.count(i)} from h{i}" for i in (0, 1) if i in waiting))

    def test_headings(self):
        """A plot of a run has the name of the host that was measured; the receiver's mode where all hosts have the same."""
        for option, heading in (("", " · seed 1 · host h2 · receiver out-of-order · iwarpsim "),
                                (" --set 'hosts={ at=h2 receiver.mode=in-order }'", " · seed 1 · host h2 · iwarpsim ")):
            self.shell(f"iwarpsim run a.cfg -q -o o --set measure.host=h2{option} && iwarpsim plot o -q --what occupancy")
            self.assertIn(heading, kit.octets("o/occupancy.dat").decode())

    def test_who_waits_for_the_port(self):
        """Where packets wait for several ports of the switch, the senders are of those that wait for the one that drops."""
        self.shell("iwarpsim run a.cfg -q -o o --set workload.pattern=all-to-all --set workload.message_size=1MiB"
                   " --set switch.buffer=60000 --set receiver.mode=in-order --set measure.hosts= --trace o.trace")
        story = " ".join(self.shell("iwarpsim explain-peak o.trace").stdout.split())
        found = re.search(r"When it came, ([0-9]+) packets waited in s0, ([0-9]+) of them for port [1-3]: ([^.]*)\.", story)
        self.assertLess(int(found[2]), int(found[1]))
        self.assertEqual(sum(int(part.split(" from ")[0]) for part in found[3].split(", ")), int(found[2]))
