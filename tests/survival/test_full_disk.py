#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about a disk that is full at each stage of a command, and one that may only be read: clear
words, an exit code, nothing lost.

Mounts file systems of its own, in a mount name space of its own; skipped where that is not allowed. --long:
at every size.
"""
import ctypes
import os
import subprocess
import sys
import unittest

import program_kit as kit

CLONE_NEWNS = 0x00020000
STORE = "disk/full.sqlite"
LONG = "--long" in sys.argv


def private_mounts():
    """From here on, what is mounted is seen by this process and its children only, and goes with them."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        kit.skip(f"no mounts of its own: {os.strerror(ctypes.get_errno())}; expected to be root")
    made = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True, check=False)
    tried = subprocess.run(["mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True,
                           check=False)
    if made.returncode != 0 or tried.returncode != 0:
        kit.skip(f"cannot mount: {made.stderr}{tried.stderr}")


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


class Disk(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(kit.folder("disk"))
        kit.write("small.cfg")
        self.assertEqual(self.sweep("--store", "whole.sqlite").returncode, 0)
        self.whole = kit.rows("whole.sqlite")
        os.mkdir("disk")
        mount("-t", "tmpfs", "-o", "size=1m", "iwarpsim", "disk")
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", f"{folder}/disk"], check=True))

    def sweep(self, *arguments):
        return kit.iwarpsim("sweep", "small.cfg", "-j", "2", "--keep-going", *arguments)

    def resize(self, kibioctets):
        mount("-o", f"remount,size={kibioctets}k", "disk")

    def test_full_at_each_stage(self):
        # From a disk that has no room for the tables to one that has just none for the last run: a run takes
        # some 4 KiB in the store, and a journal as much as it changes.
        room = os.path.getsize("whole.sqlite") // 1024
        stages = set()
        for size in range(4, room + 1, 4 if LONG else room // 12 // 4 * 4):
            with self.subTest(kibioctets=size):
                self.resize(size)
                stages.add(self.fill(size))
        self.assertEqual(stages, {"making the store", "the first run", "a later run"})

    def rows_there(self):
        return kit.rows(STORE) if os.path.exists(STORE) and os.path.getsize(STORE) > 0 else None

    def fill(self, size):
        """One sweep on a disk of that size, and again with room; what it was in the midst of."""
        full = self.sweep("--store", STORE)
        self.assertEqual(full.returncode, 2, full.stderr)
        self.assertIn(f"{STORE}: the disk is full; nothing committed was lost", full.stderr)
        kept = self.rows_there()
        for row in kept or []:
            self.assertIn(row, self.whole)
        # Still full, nothing is lost; a run that is smaller than the one before may find room.
        again = self.sweep("--store", STORE)
        self.assertEqual(again.returncode, 2, again.stderr)
        there = self.rows_there() or []
        self.assertEqual([row for row in kept or [] if row not in there], [])
        self.resize(4096)
        done = self.sweep("--store", STORE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{kit.POINTS} runs: {kit.POINTS - len(there)} run now, {len(there)} already there", done.stdout)
        self.assertEqual(kit.rows(STORE), self.whole)
        self.assertEqual(os.listdir("disk"), ["full.sqlite"])
        os.unlink(STORE)
        return "making the store" if kept is None else "a later run" if kept else "the first run"

    def fill_again_and_again(self, command, exit_codes, sample):
        """Runs that command, whose results stand in disk/ already, on a disk with room for nothing more, then
        for more and more of new ones: until it has done them, what was there stays, and nothing else.
        `sample` sizes are tried, or with --long every one."""
        def files():
            return {os.path.join(folder, name): kit.octets(os.path.join(folder, name))
                    for folder, _, names in os.walk("disk") for name in names}

        before = files()
        used = int(subprocess.check_output(["du", "-sk", "disk"]).split()[0])
        needed = sum(-(-len(octets) // 4096) * 4 for octets in before.values())
        step = 4 if LONG else max(needed // sample // 4 * 4, 4)
        failed = 0
        for room in range(4, 2 * needed, step):
            with self.subTest(kibioctets=room):
                self.resize(used + room)
                full = kit.iwarpsim(*command)
                if full.returncode == 0:
                    break
                failed += 1
                self.assertIn(full.returncode, exit_codes, full.stderr)
                self.assertIn("disk/", full.stderr)
                self.assertRegex(full.stderr, "No space left on device|the disk (is )?full")
                self.assertEqual(files(), before)
        self.assertEqual(full.returncode, 0, full.stderr)
        self.assertGreater(failed, 0)
        return files()

    def test_full_for_results(self):
        self.resize(4096)
        run = ["run", "small.cfg", "--out", "disk/r", "--pcap", "--quiet", "--set", "workload.messages=1"]
        self.assertEqual(kit.iwarpsim(*run).returncode, 0)
        before = kit.octets("disk/r/receiver.pcap")
        after = self.fill_again_and_again([*run, "--set", "path.forward.mtu=576"], [1], 12)
        self.assertEqual(set(after), {f"disk/r/{name}" for name in
                                      ("summary.json", "occupancy.csv", "messages.csv", "message_classes.csv",
                                       "sender.pcap", "receiver.pcap")})
        self.assertNotEqual(after["disk/r/receiver.pcap"], before)

    def test_full_for_traces(self):
        """The earlier trace stays; none is cut short."""
        self.assertEqual(kit.iwarpsim("run", "small.cfg", "-o", "r", "--pcap", "-q").returncode, 0)
        for command, code in ((["run", "small.cfg", "-o", "r", "-q"], 1), (["replay", "r/receiver.pcap", "-o", "p", "-q"], 2)):
            with self.subTest(command=command[0]):
                self.resize(4096)
                self.assertEqual(kit.iwarpsim(*command, "--trace", "disk/a.trace").returncode, 0)
                self.fill_again_and_again([*command, "--trace", "disk/a.trace", "--set", "receiver.mode=out-of-order"], [code], 5)
                os.unlink("disk/a.trace")

    def test_full_for_pages_and_pictures(self):
        plot = ["plot", "whole.sqlite", "--what", "distribution", "--out", "disk"]
        for command in (["report", "whole.sqlite", "-o", "disk/page.html"],
                        ["export", "whole.sqlite", "--csv", "disk/runs.csv"],
                        plot, [*plot, "--format", "svg"]):
            with self.subTest(command=command[0]):
                self.resize(4096)
                self.assertEqual(kit.iwarpsim(*command).returncode, 0)
                self.fill_again_and_again(command, [2], 5)
                for name in os.listdir("disk"):
                    os.unlink(f"disk/{name}")

    def test_full_for_a_merge(self):
        self.resize(16)
        merge = kit.iwarpsim("merge", "whole.sqlite", "-o", STORE)
        self.assertEqual(merge.returncode, 2)
        self.assertIn(f"{STORE}: the disk is full", merge.stderr)
        self.assertEqual(os.listdir("disk"), [])
        self.resize(4096)
        self.assertEqual(kit.iwarpsim("merge", "whole.sqlite", "-o", STORE).returncode, 0)
        self.assertEqual(kit.rows(STORE), self.whole)

    def test_full_for_a_large_merge(self):
        # More than the 2 MB that SQLite keeps in memory, so that it writes before the merge is done: a run
        # each of scenarios with long comments.
        stores = [f"{part}.sqlite" for part in (1, 2, 3)]
        for part, store in enumerate(stores, 1):
            kit.write("long.cfg", kit.SCENARIO + f"# {store}{'x' * 90}\n" * 9000)
            self.assertEqual(kit.iwarpsim("sweep", "long.cfg", "--shard", f"{part}/{kit.POINTS}", "--store",
                                          store).returncode, 0)
        merge = kit.iwarpsim("merge", "--mix", *stores, "-o", STORE)
        self.assertEqual(merge.returncode, 2)
        self.assertIn(f"{STORE}: the disk is full", merge.stderr)
        self.assertEqual(os.listdir("disk"), [])

    def test_read_only(self):
        self.assertEqual(self.sweep("--store", STORE, "--shard", "1/2").returncode, 0)
        half = kit.rows(STORE)
        mount("-o", "remount,ro", "disk")
        for store in (STORE, "disk/new.sqlite"):
            sweep = self.sweep("--store", store)
            self.assertEqual(sweep.returncode, 2)
            self.assertIn(f"{store}: ", sweep.stderr)
            self.assertRegex(sweep.stderr, "may be written|Read-only file system|unable to open")
            self.assertNotIn("runs done", sweep.stderr)  # said before the first run
        self.assertEqual(kit.iwarpsim("merge", "whole.sqlite", "-o", STORE).returncode, 2)
        # Who only reads, may.
        for command in (["export", STORE, "--csv", "out.csv"], ["table", STORE],
                        ["report", STORE, "-o", "out.html"], ["merge", STORE, "-o", "copy.sqlite"],
                        ["sweep", "small.cfg", "--store", STORE, "--list"]):
            read = kit.iwarpsim(*command)
            self.assertEqual(read.returncode, 0, f"{command}: {read.stderr}")
        self.assertEqual(kit.rows("copy.sqlite"), half)
        # No place to write an output is reported, too.
        for command in (["export", STORE, "--csv", "disk/out.csv"], ["report", STORE, "-o", "disk/out.html"],
                        ["plot", STORE, "--out", "disk/plots"]):
            read = kit.iwarpsim(*command)
            self.assertEqual(read.returncode, 2, f"{command}: {read.stderr}")
            self.assertIn("disk/", read.stderr)
        mount("-o", "remount,rw", "disk")
        self.assertEqual(self.sweep("--store", STORE).returncode, 0)
        self.assertEqual(kit.rows(STORE), self.whole)


if __name__ == "__main__":
    private_mounts()
    unittest.main(argv=sys.argv[:1], verbosity=2)
