# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the flow lists of collective operations that `iwarpsim new flows` prints."""
from collections import defaultdict

import program_kit as kit


class Flows(kit.ProgramTest):

    def lines(self, options):
        """Returns (id, after, source, destination, octets) of each line; after is 0 for "-"."""
        rows = [line.split() for line in self.shell(f"iwarpsim new flows {options}").stdout.splitlines() if line[0] != "#"]
        for row in rows:
            self.assertEqual([row[2], row[3][0], row[4][0], row[5]], ["0s", "h", "h", "write"])
        return [(int(row[0]), int(row[1].replace("-", "0")), int(row[3][1:]), int(row[4][1:]), int(row[6])) for row in rows]

    def test_ring_reduces_all(self):
        """Followed line by line: each of N hosts has N parts, of each what it has summed up of which hosts. In the first
        N - 1 steps the receiver adds what it gets to its own; in the others it replaces its own. Which part is sent
        follows from the sizes, which all differ by their remainder here. In the end each host has all parts of all."""
        for hosts in (2, 3, 8):
            size = 1000 * hosts + hosts - 1
            rows = self.lines(f"--ring {hosts} --size {size}")
            self.assertEqual(len(rows), hosts * (2 * hosts - 2))
            has = {host: [{host} for _ in range(hosts)] for host in range(hosts)}
            sent = defaultdict(int)
            for number, (this, after, source, destination, octets) in enumerate(rows):
                step, part = number // hosts, (source - number // hosts) % hosts
                self.assertEqual(this, number + 1)
                self.assertEqual(destination, (source + 1) % hosts)
                self.assertEqual(octets, 1000 + (part < hosts - 1))
                if step == 0:
                    self.assertEqual(after, 0)
                else:  # what its left neighbour sent it in the step before
                    self.assertEqual(rows[after - 1][3], source)
                    self.assertEqual((after - 1) // hosts, step - 1)
                sent[source] += octets
            for step in range(2 * hosts - 2):
                before = {host: [set(part) for part in parts] for host, parts in has.items()}
                for _, _, source, destination, _ in rows[step * hosts:(step + 1) * hosts]:
                    part = (source - step) % hosts
                    has[destination][part] = before[source][part] | (before[destination][part] if step < hosts - 1 else set())
            self.assertTrue(all(part == set(range(hosts)) for parts in has.values() for part in parts))
            # Each host sends all parts but one, twice: 2 (N - 1) / N of its octets, or so.
            self.assertTrue(all(abs(octets - 2 * size * (hosts - 1) / hosts) <= 2 for octets in sent.values()))

    def test_ring_of_three(self):
        """Seven octets are parts of 3, 2 and 2: host i begins with part i."""
        self.assertEqual(self.shell("iwarpsim new flows --ring 3 --size 7").stdout,
                         "# All-reduce in a ring of 3 hosts that have 7 each: iwarpsim new flows --ring 3 --size 7\n"
                         "# id after start source destination operation size\n"
                         "1 - 0s h0 h1 write 3\n2 - 0s h1 h2 write 2\n3 - 0s h2 h0 write 2\n"
                         "4 3 0s h0 h1 write 2\n5 1 0s h1 h2 write 3\n6 2 0s h2 h0 write 2\n"
                         "7 6 0s h0 h1 write 2\n8 4 0s h1 h2 write 2\n9 5 0s h2 h0 write 3\n"
                         "10 9 0s h0 h1 write 3\n11 7 0s h1 h2 write 2\n12 8 0s h2 h0 write 2\n")

    def test_all_to_all(self):
        """Each host sends each other one its part, and none is hit by two of the same turn."""
        rows = self.lines("--all-to-all 4 --size 4KiB")
        self.assertEqual({(source, destination) for _, _, source, destination, _ in rows},
                         {(a, b) for a in range(4) for b in range(4) if a != b})
        self.assertEqual([(this, after, octets) for this, after, _, _, octets in rows], [(i, 0, 1024) for i in range(1, 13)])
        for turn in range(3):
            self.assertEqual(len({row[3] for row in rows[4 * turn:4 * turn + 4]}), 4)
        self.assertEqual(self.lines("--all-to-all 2")[0][4], 512 << 10)  # 1 MiB in halves

    def test_refused(self):
        for options, problem in [
                ("", "flows: expected --ring N or --all-to-all N"),
                ("--ring 4 --all-to-all 4", "flows: expected --ring N or --all-to-all N"),
                ("--ring 1", "--ring 1: expected 2 to 1024 hosts"),
                ("--all-to-all -3", "--all-to-all -3: expected 2 to 1024 hosts"),
                ("--ring 1025", "--ring 1025: expected 2 to 1024 hosts"),
                ("--ring 4 --size 3", "--size 3: expected 1 octet to 4 GiB - 1 for each of 4 hosts, as 64MiB"),
                ("--ring 2 --size 8GiB", "--size 8GiB: expected 1 octet to 4 GiB - 1 for each of 2 hosts, as 64MiB"),
                ("--ring 4 --size 1Mb", "--size 1Mb: expected 1 octet to 4 GiB - 1 for each of 4 hosts, as 64MiB"),
                ("loss-sweep --ring 4", "no QUESTION is expected with flows")]:
            self.expect_refused(f"iwarpsim new flows {options}", problem)
        self.expect_refused("iwarpsim new loss-sweep --ring 4",
                            "--ring, --all-to-all and --size are of flow lists; expected 'iwarpsim new flows'")
