# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim import`: networks and flows of other simulators, and what is wrong with their files."""
import csv
import os
from fractions import Fraction

import program_kit as kit

# Eight hosts at two leaves, 8 and 9, below two spines; leaf 9 has two links to spine 11, one of which loses packets.
HPCC_LINKS = [f"{host} {8 + host // 4} 100Gbps 1000ns 0.000000" for host in range(8)] + [
    "8 10 400Gbps 0.002ms 0", "8 11 400Gbps 0.002ms 0", "9 10 400Gbps 0.002ms 0", "9 11 400Gbps 0.002ms 0", "9 11 400Gbps 0.002ms 0.01"]
HPCC = "\n".join(["12 4 13", "8 9 10 11", *HPCC_LINKS, ""])
HPCC_SCENARIO = """topology: { kind = "graph"; };
links = (
  { between = "h[0-3] s8"; rate = "100Gbit/s"; delay = "1us"; },
  { between = "h[4-7] s9"; rate = "100Gbit/s"; delay = "1us"; },
  { between = "s[8-9] s[10-11]"; rate = "400Gbit/s"; delay = "2us"; },
  { between = "s9 s11"; rate = "400Gbit/s"; delay = "2us"; loss = "1%"; } );
"""
FLOWS = "3 \n0 5 3 100 1000000 2\n1 5 3 101 64000 2.000001\n7 0 4 102 1 2.0000015\n"

# Sixteen hosts in four pods of two ToRs and two aggregation switches, below four core switches; a bundle of two links
# leads from a ToR to an aggregation switch.
HTSIM = """# a fat tree
Nodes 16
tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 4
Downlink_Latency_ns 1000
Switch_Latency_ns 250

Tier 1
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Oversubscribed 2
Bundle 2
Downlink_Latency_ns 1500
Queue_Up 1000000
Queue_Down 500000

Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 2000
"""
MATRIX = """Nodes 16
Connections 7
Triggers 3
Failures 1
1->2 id 12 trigger 1 size 2000 send_done_trigger 3 prio 3
0->1 id 11 start 1000000 size 1000 recv_done_trigger 1
2->3 id 13 start 500.5e3 size 3000 recv_done_trigger 3 msg 1
3->4 id 14 trigger 3 size 4000
4->5 id 15 start 2000000 size 5000 recv_done_trigger 2
5->6 id 16 trigger 2 size 6000 recv_done_trigger 2
6->7 id 17 trigger 2 size 7000
trigger id 1 oneshot
trigger id 3 barrier count 2
trigger id 2 multishot
failure switch_type AGG switch_id 0 link_id 1
"""
# In the order of their starts, and what a trigger starts after what fires it: 13 at 0.5005 us, 11 at 1 us, which starts
# 12, which with 13 starts 14; 15 at 2 us starts 16, and that 17.
MATRIX_FLOWS = """# id after start source destination operation size
1 - 500.5ns h2 h3 write 3000 # id 13
2 - 1us h0 h1 write 1000 # id 11
3 2 0 h1 h2 write 2000 # id 12
4 3+1 0 h3 h4 write 4000 # id 14
5 - 2us h4 h5 write 5000 # id 15
6 5 0 h5 h6 write 6000 # id 16
7 6 0 h6 h7 write 7000 # id 17
"""


def changed(text, line, new):
    """Returns `text` with another line `line`, from 1, or without it (None)."""
    lines = text.splitlines(keepends=True)
    lines[line - 1:line] = [] if new is None else [new + "\n"]
    return "".join(lines)


# What is wrong with a topology or with flows: the text, the line that is named, and what the message has.
BAD_HPCC = [
    (changed(HPCC, 1, "12 4"), 1, "2 columns", "NODES SWITCHES LINKS"),
    (changed(HPCC, 1, "12 11 13"), 1, "12 nodes of which 11 are switches", "2 to 1024 hosts"),
    (changed(HPCC, 1, "1029 4 13"), 1, "1029 nodes", "2 to 1024 hosts"),
    (changed(HPCC, 1, "12 4 4097"), 1, "'4097'", "from 1 to 4096"),
    (changed(HPCC, 1, "12 4 14"), 15, "ends here", "link 14 of the 14 that line 1 has"),
    (changed(HPCC, 1, "12 4 12"), 15, "more links than the 12 that line 1 has"),
    (changed(HPCC, 2, "8 9 10 10"), 2, "switch 10 twice"),
    (changed(HPCC, 2, "8 9 10 12"), 2, "'12'", "from 0 to 11"),
    (changed(HPCC, 2, "8 9 10 11 7"), 2, "more switches than the 4"),
    (changed(HPCC, 3, "0 12 100Gbps 1000ns 0"), 3, "'12' is not a node", "from 0 to 11"),
    (changed(HPCC, 3, "-1 8 100Gbps 1000ns 0"), 3, "'-1' is not a node"),
    (changed(HPCC, 11, "8 8 100Gbps 1000ns 0"), 11, "node 8 is linked to itself"),
    (changed(HPCC, 4, "0 8 100Gbps 1000ns 0"), 4, "host 0 has a second link (the first is in line 3)"),
    (changed(HPCC, 3, "8 9 100Gbps 1000ns 0"), 15, "host 0 has no link"),
    (changed(HPCC, 3, "0 8 100 1000ns 0"), 3, "'100' is no rate", "with its unit"),
    (changed(HPCC, 3, "0 8 100Tbps 1000ns 0"), 3, "'100Tbps'", "from 1kbps to 10Tbps"),
    (changed(HPCC, 3, "0 8 100GBps 1000ns 0"), 3, "'100GBps'"),
    (changed(HPCC, 3, "0 8 100Gbps 1000 0"), 3, "'1000' is no delay", "with its unit"),
    (changed(HPCC, 3, "0 8 100Gbps 11s 0"), 3, "'11s'", "up to 10s"),
    (changed(HPCC, 3, "0 8 100Gbps 1000ns 1.5"), 3, "'1.5' is no loss", "from 0 to 1"),
    (changed(HPCC, 3, "0 8 100Gbps 1000ns"), 3, "4 columns", "the 5 of a link"),
    (changed(HPCC, 3, "0 8 100Gbps 1000ns 0\0"), 3, "a NUL", "text"),
    (changed(HPCC, 3, "0 8 " + "1" * 2000000), 3, "a line of more than 65536 octets"),
    ("", 1, "ends here", "NODES SWITCHES LINKS"),
    (changed(changed(HPCC, 15, "8 11 400Gbps 2us 0"), 14, "8 10 400Gbps 2us 0").replace("9 10 400", "8 10 400"), None,
     "no link connects h[0-3]+s8+s[10-11] with h[4-7]+s9"),
]
BAD_FLOWS = [
    (changed(FLOWS, 1, "4 "), 1, "4 flows, but the file has 3"),
    (changed(FLOWS, 1, "2"), 1, "2 flows, but the file has 3"),
    (changed(FLOWS, 1, "three"), 1, "'three' is not a number of flows"),
    (changed(FLOWS, 1, "3 3"), 1, "2 columns"),
    (changed(FLOWS, 2, "0 5 3 1000000"), 2, "4 columns", "the 5 or 6 of a flow"),
    (changed(FLOWS, 2, "0 5 3 100 1 1000000 2"), 2, "7 columns", "the 5 or 6 of a flow"),
    (changed(FLOWS, 3, "1 5 3 64000 2.000001"), 3, "5 columns", "the 6 of a flow"),
    (changed(FLOWS, 2, "0 12 3 100 1000000 2"), 2, "'12' is not a node"),
    (changed(FLOWS, 2, "0 8 3 100 1000000 2"), 2, "the destination 8 is a switch"),
    (changed(FLOWS, 2, "5 5 3 100 1000000 2"), 2, "from 5 to itself"),
    (changed(FLOWS, 2, "0 5 3 100 0 2"), 2, "'0' is not a size", "from 1 to 4294967295"),
    (changed(FLOWS, 2, "0 5 3 100 -1 2"), 2, "'-1' is not a size"),
    (changed(FLOWS, 2, "0 5 3 100 4294967296 2"), 2, "'4294967296' is not a size"),
    (changed(FLOWS, 4, "7 0 4 102 1 2.0000005"), 4, "a start before that of the flow above"),
    (changed(FLOWS, 2, "0 5 3 100 1000000 2s"), 2, "'2s' is not a start in seconds"),
    (changed(FLOWS, 2, "0 5 3 100 1000000 1e10"), 2, "'1e10' is not a start"),
    (FLOWS + "text\n1 5 3 100 1 3\n", 6, "a flow after the text"),
    ("", 1, "ends here", "the number of flows"),
]
BAD_HTSIM = [
    (changed(HTSIM, 2, None), 25, "no Nodes"),
    (changed(HTSIM, 2, "Nodes 1025"), 2, "'1025'", "not so large"),
    (changed(HTSIM, 2, "Nodes 18"), 2, "18 is no multiple of Podsize, 4"),
    (changed(HTSIM, 3, "Tiers 4"), 3, "'4'"),
    (changed(HTSIM, 3, "Tiers 2"), 4, "Podsize 4 of 16 hosts", "all of them, with two tiers"),
    (changed(HTSIM, 4, "Podsize 4 4"), 4, "3 columns"),
    (changed(HTSIM, 6, "Tier 3"), 6, "'3' is not a tier"),
    (changed(HTSIM, 13, "Tier 0"), 13, "tier 0 again (it is in line 6)"),
    (changed(HTSIM, 7, "Speed 200"), 7, "unknown name 'Speed'", "Downlink_speed_Gbps"),
    (changed(HTSIM, 7, "Downlink_speed_Gbps 0"), 7, "Downlink_speed_Gbps is 0"),
    (changed(HTSIM, 7, None), 6, "tier 0 has no Downlink_speed_Gbps"),
    (changed(HTSIM, 8, "Nodes 2"), 8, "Nodes in a tier"),
    (changed(HTSIM, 8, "Radix_Down 3"), 4, "4 is no multiple of Radix_Down of tier 0, 3"),
    (changed(HTSIM, 9, "Radix_Up 3"), 9, "3 is no multiple of Bundle of tier 1, 2"),
    (changed(HTSIM, 9, "Radix_Up 2"), 6, "400 Gbit/s down and 200 Gbit/s up", "1 to 1 (Oversubscribed)"),
    (changed(HTSIM, 11, "Bundle 2"), 11, "a host has 2 links"),
    (changed(HTSIM, 15, "Radix_Down 2"), 15, "Radix_Down of tier 1 is 2, but the tiers below make it 4"),
    (changed(HTSIM, 17, "Oversubscribed 1"), 17, "400 Gbit/s down and 200 Gbit/s up"),
    (changed(HTSIM, 17, "Radix_Up 2"), 17, "Radix_Up again (it is in line 16)"),
    (changed(HTSIM, 25, "Radix_Down 8"), 25, "Radix_Down of tier 2 is 8, but the tiers below make it 4"),
    ("Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 8\nDownlink_Latency_ns 1\nRadix_Down 1\nRadix_Up 4096\nTier 1\n"
     "Downlink_speed_Gbps 0.001953125\nDownlink_Latency_ns 1\nRadix_Down 4\n", 1, "the tree has 16388 links", "at most 4096"),
]
BAD_MATRIX = [
    ("", 1, "no connection"),
    (changed(MATRIX, 1, None), 4, "before the number of hosts"),
    (changed(MATRIX, 1, "Nodes 17"), 1, "'17'", "from 2 to 16"),
    (changed(MATRIX, 2, "Connections 8"), 2, "Connections 8, but the file has 7"),
    (changed(MATRIX, 2, "Connections 6"), 11, "more than 6 in the file"),
    (changed(MATRIX, 3, "Triggers 2"), 14, "more than 2 in the file"),
    (changed(MATRIX, 4, "Failures 0"), 15, "more than 0 in the file"),
    (changed(MATRIX, 4, "Nodes 16"), 4, "here again"),
    (changed(MATRIX, 6, "0->16 id 11 start 0 size 1"), 6, "'16' is not a host", "from 0 to 15"),
    (changed(MATRIX, 6, "0-1 id 11 start 0 size 1"), 6, "'0-1' is no connection", "A->B"),
    (changed(MATRIX, 6, "0->0 id 11 start 0 size 1"), 6, "from 0 to itself"),
    (changed(MATRIX, 6, "0->1 id 11 start 0"), 6, "no size"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 0"), 6, "'0' is not a size in octets"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 4294967296"), 6, "'4294967296'", "to 4294967295"),
    (changed(MATRIX, 6, "0->1 id 11 start -1 size 1"), 6, "'-1' is not a start", "not negative"),
    (changed(MATRIX, 6, "0->1 id 11 size 1"), 6, "no start and no trigger"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 trigger 1 size 1"), 6, "a start and a trigger"),
    (changed(MATRIX, 6, "0->1 id 12 start 0 size 1"), 6, "id 12 again"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 1 sort 3"), 6, "unknown word 'sort'"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 1 prio"), 6, "nothing comes after 'prio'"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 1 recv_done_trigger 1 send_done_trigger 9"), 6, "unknown trigger 9"),
    (changed(MATRIX, 6, "0->1 id 11 start 0 size 1"), 12, "trigger 1 is never fired"),
    (changed(MATRIX, 7, "2->3 id 13 start 1 size 1 recv_done_trigger 1"), 12, "trigger 1 (oneshot) is fired by 2", "expected 1"),
    (changed(MATRIX, 13, "trigger id 3 barrier count 3"), 13, "trigger 3 (barrier) is fired by 2", "expected 3"),
    (changed(MATRIX, 13, "trigger id 3 barrier"), 13, "without its count"),
    (changed(MATRIX, 13, "trigger id 3 barrier oneshot"), 13, "'oneshot' in a trigger"),
    (changed(MATRIX, 13, "trigger id 1 oneshot"), 13, "trigger 1 again (it is in line 12)"),
    (changed(MATRIX, 10, "5->6 id 16 trigger 2 size 6000"), 14, "trigger 2 (multishot) is fired by 1 and starts 2"),
    (changed(MATRIX, 6, "0->1 id 11 trigger 3 size 1 recv_done_trigger 1").replace("5 recv_done_trigger 3", "5"), 5, "this never starts"),
]


class Import(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("topology.txt", HPCC)
        kit.write("flow.txt", FLOWS)
        kit.write("tree.topo", HTSIM)
        kit.write("matrix.cm", MATRIX)

    def refused(self, arguments, path, line, *parts):
        """Nothing is written, and the message begins with the place."""
        before = sorted(os.listdir())
        done = self.expect_refused(f"iwarpsim import {arguments}", *parts)
        self.expect_start(done.stderr, f"{path}: " if line is None else f"{path}:{line}: ")
        self.assertEqual(sorted(os.listdir()), before)

    def test_hpcc(self):
        """Hosts keep their numbers, links their order, rates, delays and losses; times count from the first start, 2 s; what is
        dropped is counted."""
        done = self.shell("iwarpsim import hpcc topology.txt flow.txt")
        self.expect_parts(done.stdout, HPCC_SCENARIO, 'workload: { pattern = "flows"; flows = "flow.flows"; };\n')
        self.assertEqual(done.stderr, "iwarpsim import: 3 priority groups (pg): dropped\niwarpsim import: 3 ports: dropped\n"
                         "iwarpsim import: times of flows count from the first flow's start, 2s\n"
                         "iwarpsim import: the flow list is flow.flows\n")
        self.assertEqual(kit.octets("flow.flows").decode(), "# id after start source destination operation size\n"
                         "1 - 0 h0 h5 write 1000000\n2 - 1us h1 h5 write 64000\n3 - 1.5us h7 h0 write 1\n")

    def test_hpcc_forms(self):
        """Five columns are conweave's, without ports; lines may end with CR and LF, the last one with nothing; text at the end
        is passed over; comments and empty lines are, too."""
        kit.write("flow.txt", FLOWS.replace(" 100 ", " ").replace(" 101 ", " ").replace(" 102 ", " ").replace("\n", "\r\n"))
        done = self.shell("iwarpsim import hpcc topology.txt flow.txt -o five.cfg")
        self.assertNotIn("ports", done.stderr)
        kit.write("flow.txt", FLOWS.rstrip("\n") + "\n\n# a comment\nsrc dst 3 100 size start")
        self.expect_parts(self.shell("iwarpsim import hpcc topology.txt flow.txt -o six.cfg").stderr,
                          "1 line of text at the end of the flows: dropped")
        self.assertEqual(kit.octets("five.flows"), kit.octets("six.flows"))
        kit.write("topology.txt", HPCC.rstrip("\n") + "\nsource0 target0 rate\n")
        self.expect_parts(self.shell("iwarpsim import hpcc topology.txt -o text.cfg").stderr,
                          "1 line of text at the end of the topology: dropped")

    def test_hpcc_names(self):
        """Where switches have lower numbers than hosts, comments say which host is which node."""
        kit.write("topology.txt", "5 2 4\n0 3\n1 0 1Gbps 1us 0\n2 0 1Gbps 1us 0\n3 4 1Gbps 1us 0\n0 3 1Gb/s 1us 0\n")
        kit.write("flow.txt", "1\n4 1 3 100 5 0\n")
        self.expect_parts(self.shell("iwarpsim import hpcc topology.txt flow.txt").stdout,
                          "# h[0-1] are nodes 1 to 2\n# h2 is node 4\n", '{ between = "h[0-1] s0"; ', '{ between = "h2 s3"; ')
        self.expect_parts(kit.octets("flow.flows").decode(), "\n1 - 0 h2 h0 write 5\n")

    def test_htsim(self):
        """A tree has 16 links of hosts, 8 ToRs times Radix_Up 4, and 8 aggregation switches times Radix_Up 2: 64 links. A ToR has
        200 Gbit/s twice down and 100 Gbit/s four times up, an aggregation switch 100 Gbit/s four times and twice."""
        done = self.shell("iwarpsim import htsim tree.topo -o tree.cfg")
        text = kit.octets("tree.cfg").decode()
        self.expect_parts(done.stderr, "1 tier with unequal Queue_Up and Queue_Down: the larger is the limit of all ports")
        self.expect_parts(text, '{ between = "h[0-1] tor0"; rate = "200Gbit/s"; delay = "1us"; }',
                          '{ between = "tor[6-7] agg[6-7]"; count = 2; rate = "100Gbit/s"; delay = "1.5us"; }',
                          '{ between = "agg0 core0+core2"; rate = "100Gbit/s"; delay = "2us"; }',
                          '{ between = "agg7 core1+core3"; rate = "100Gbit/s"; delay = "2us"; }',
                          '{ at = "tor[0-7]"; latency = "250ns"; }', '{ at = "agg[0-7]"; port_limit = "1000000"; }')
        self.assertNotIn("core[", text)
        self.expect_parts(self.shell("iwarpsim check tree.cfg").stdout, "hosts      16: h[0-15]", "switches   20:", "links      64:",
                          "tor[0-7]: oversubscribed 1:1 at most", "agg[0-7]: oversubscribed 2:1 at most")

    def test_matrix(self):
        """What a trigger starts comes after what fires it, and waits for it; connections have new numbers where the old ones do
        not ascend."""
        done = self.shell("iwarpsim import htsim tree.topo matrix.cm -o tree.cfg")
        self.assertEqual(kit.octets("tree.flows").decode(), MATRIX_FLOWS)
        self.expect_parts(done.stderr, "7 ids of connections: others here", "1 send_done_trigger: they fire when the data is delivered",
                          "2 connections that a multishot trigger starts: each waits for one", "1 priority (prio): dropped",
                          "1 value of msg: dropped", "1 failure: dropped")
        kit.write("matrix.cm", "Nodes 16\nConnections 2\n0->1 id 3 start 0 size 1 \n1->2 id 7 start 10 size 2\n")
        self.assertEqual(self.shell("iwarpsim import htsim tree.topo matrix.cm -o kept.cfg").stderr.count("ids"), 0)
        self.expect_parts(kit.octets("kept.flows").decode(), "\n3 - 0 h0 h1 write 1\n7 - 10ps h1 h2 write 2\n")

    def test_runs(self):
        """A scenario of each simulator passes the checks and runs."""
        for arguments in ("hpcc topology.txt", "htsim tree.topo"):
            self.shell(f"iwarpsim import {arguments} -o a.cfg --force")
            self.shell("iwarpsim check a.cfg --quiet")
            self.shell("iwarpsim run a.cfg --quiet --set workload.messages=1 --set workload.message_size=10000 -o results")

    def messages(self, files):
        """Returns the rows of messages.csv, by id, of a run of what is imported."""
        self.shell(f"iwarpsim import {files} -o a.cfg --force -q && iwarpsim check a.cfg -q && iwarpsim run a.cfg -q -o results")
        with open("results/messages.csv", encoding="utf-8") as file:
            return {int(row["id"]): row for row in csv.DictReader(line for line in file if not line.startswith("#"))}

    def test_flows_run(self):
        """Flows are posted at their times after the first one's, of their sizes, between their hosts; what a trigger starts, when what
        fires it is delivered: 3 after 2, 4 after 1 and 3, 6 after 5, 7 after 6 (MATRIX_FLOWS)."""
        rows = self.messages("hpcc topology.txt flow.txt")
        self.assertEqual([[rows[i][name] for name in ("source", "destination", "octets")] for i in sorted(rows)],
                         [["h0", "h5", "1000000"], ["h1", "h5", "64000"], ["h7", "h0", "1"]])
        self.assertEqual([Fraction(rows[i]["posted_s"]) for i in sorted(rows)], [0, Fraction(1, 10**6), Fraction(3, 2 * 10**6)])
        rows = self.messages("htsim tree.topo matrix.cm")
        self.assertEqual(sorted(rows), [1, 2, 3, 4, 5, 6, 7])
        for i, causes in ((3, [2]), (4, [1, 3]), (6, [5]), (7, [6])):
            self.assertEqual(Fraction(rows[i]["posted_s"]), max(Fraction(rows[cause]["delivered_s"]) for cause in causes))

    def test_bad_files(self):
        """Each mistake is reported with its line; nothing is written."""
        for arguments, path, cases in (("hpcc bad", "bad", BAD_HPCC), ("hpcc topology.txt bad", "bad", BAD_FLOWS),
                                       ("htsim bad", "bad", BAD_HTSIM), ("htsim tree.topo bad", "bad", BAD_MATRIX)):
            for text, line, *parts in cases:
                with self.subTest(arguments=arguments, parts=parts):
                    kit.write("bad", text)
                    self.refused(arguments, path, line, *parts)

    def test_files_that_are_there(self):
        """A file that is there stays, unless --force is given; so does one whose replacement is wrong."""
        for name in ("a.cfg", "a.flows"):
            kit.write(name, "mine")
            self.expect_refused("iwarpsim import hpcc topology.txt flow.txt -o a.cfg", f"{name} is there already", "--force")
            self.assertEqual(kit.octets(name), b"mine")
        kit.write("flow.txt", changed(FLOWS, 4, "7 0"))
        self.refused("hpcc topology.txt flow.txt -o a.cfg --force", "flow.txt", 4, "2 columns")
        self.assertEqual(kit.octets("a.flows"), b"mine")
        kit.write("flow.txt", FLOWS)
        self.expect("iwarpsim import hpcc topology.txt flow.txt -o a.cfg --force --quiet", "")
        self.assertEqual(kit.octets("a.flows").count(b"\n"), 4)

    def test_bad_arguments(self):
        for arguments, *parts in (("", "0 were given"), ("hpcc", "1 were given"), ("hpcc a b c", "4 were given"),
                                  ("htsm tree.topo", "unknown simulator 'htsm'", "did you mean 'htsim'?"), ("hpcc none", "none: No such file"),
                                  ("hpcc topology.txt flow.txt -o a.flows", "--out a.flows is where the flow list goes")):
            self.expect_refused(f"iwarpsim import {arguments}", *parts)

    def test_many_at_a_barrier(self):
        """What a barrier starts names all that it waits for in one line: 5,000 at most."""
        for count, code in ((5000, 0), (5001, 2)):
            causes = "".join(f"0->1 start {i} size 1 recv_done_trigger 1\n" for i in range(count))
            kit.write("matrix.cm", f"Nodes 16\nConnections {count + 1}\nTriggers 1\n{causes}1->2 trigger 1 size 1\n"
                      f"trigger id 1 barrier count {count}\n")
            done = self.shell("iwarpsim import htsim tree.topo matrix.cm -q -f -o a.cfg", code)
        self.expect_start(done.stderr, "matrix.cm:5006: what trigger 1 starts waits for 5001 connections")
        last = kit.octets("a.flows").decode().splitlines()[-1].split()
        self.assertEqual((last[0], last[1]), ("5001", "+".join(str(i) for i in range(1, 5001))))

    def test_linear_time(self):
        """A list that is eight times as long takes about eight times as long, whatever its triggers are: all connections in one
        chain, at barriers of 4,000, and each twice at one multishot trigger."""
        def seconds(count):
            chain = "".join(f"0->1 {f'trigger {i}' if i else 'start 0'} size 1 recv_done_trigger {i + 1}\n" for i in range(count))
            ends = "".join(f"trigger id {i + 1} oneshot\n" for i in range(count))
            barriers = "".join(f"0->1 start 0 size 1 recv_done_trigger {i // 4000 + 1}\n" for i in range(count))
            barriers += "".join(f"1->2 trigger {i // 4000 + 1} size 1\ntrigger id {i // 4000 + 1} barrier count 4000\n"
                                for i in range(0, count, 4000))
            shots = "2->3 start 0 size 1 recv_done_trigger 1\n" + "".join(
                "0->1 trigger 1 size 1 send_done_trigger 1\n" for i in range(count))
            begin = sum(os.times()[2:4])
            for text in (f"Nodes 16\nConnections {count}\nTriggers {count}\n{chain}{ends}",
                         f"Nodes 16\nConnections {count + count // 4000}\nTriggers {count // 4000}\n{barriers}",
                         f"Nodes 16\nConnections {count + 1}\nTriggers 1\n{shots}trigger id 1 multishot\n"):
                kit.write("matrix.cm", text)
                self.shell("iwarpsim import htsim tree.topo matrix.cm -q -f -o a.cfg")
            return sum(os.times()[2:4]) - begin
        self.assertLess(seconds(32000), 30 * max(seconds(4000), 0.05))
