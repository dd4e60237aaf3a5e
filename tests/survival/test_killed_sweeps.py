#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about kill -9 of a sweep at random moments, each time resumed: the store of an
uninterrupted sweep, row by row, and nothing left behind.

--kills=N kills (50), --seed=N another series of moments.
"""
import argparse
import os
import random
import time
import unittest

import program_kit as kit

JOBS = "3"
STORE = "killed.sqlite"
JOURNAL = STORE + "-journal"
OPTIONS = argparse.ArgumentParser(description=__doc__)
OPTIONS.add_argument("--kills", type=int, default=50)
OPTIONS.add_argument("--seed", type=int, default=1)


class KilledSweeps(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(kit.folder("killed"))
        self.temporary = f"{self.folder}/temporary"
        os.mkdir(self.temporary)
        self.environment = {**os.environ, "TMPDIR": self.temporary}
        kit.write("small.cfg")
        self.random = random.Random(options.seed)
        begun = time.monotonic()
        whole = kit.iwarpsim("sweep", "small.cfg", "--store", "whole.sqlite", "-j", JOBS)
        self.whole_s = time.monotonic() - begun
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.whole = kit.rows("whole.sqlite")
        self.assertEqual(len(self.whole), kit.POINTS)

    def start(self):
        return kit.start("sweep", "small.cfg", "--store", STORE, "-j", JOBS, env=self.environment)

    def wait_for_moment(self, sweep, stage):
        """Start-up: within 20 ms. Running: whenever. Committing: from when the journal is seen, up to a few
        milliseconds on."""
        if stage == "start-up":
            time.sleep(self.random.uniform(0, 0.02))
        elif stage == "running":
            time.sleep(self.random.uniform(0, self.whole_s))
        else:
            skipped = self.random.randrange(kit.POINTS // 2)
            while skipped >= 0 and sweep.poll() is None:
                seen = os.path.exists(JOURNAL)
                while sweep.poll() is None and os.path.exists(JOURNAL) == seen:
                    pass
                skipped -= not seen
            time.sleep(self.random.uniform(0, 0.003))

    def check_nothing_left(self):
        """No child outlives its sweep for longer than it takes the kernel to end it, and no file but the
        store and its journal."""
        end = time.monotonic() + kit.PATIENCE_S
        while (left := kit.processes_in(self.temporary)) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(left, [])
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertLessEqual(set(os.listdir()), {"small.cfg", "whole.sqlite", "temporary", STORE, JOURNAL})

    def kill_once(self, stage):
        """TRUE when the sweep still ran."""
        sweep = self.start()
        self.wait_for_moment(sweep, stage)
        sweep.kill()
        said, _ = sweep.communicate()
        self.assertIn(sweep.returncode, (-9, 0), said)
        return sweep.returncode == -9

    def check_kept(self, kept):
        """What was there stays, and what is there is right. The rows that there are now."""
        before = os.path.exists(JOURNAL)
        if not os.path.exists(STORE) or os.path.getsize(STORE) == 0:
            self.assertEqual(kept, [])
            return kept
        # Read by our own program first, which takes back what was half written.
        read = kit.iwarpsim("export", STORE, "--csv", "/dev/null")
        if read.returncode != 0:
            self.assertRegex(read.stderr, "no runs|empty")
            self.assertEqual(kept, [])
            return kept
        now = kit.rows(STORE)
        self.assertEqual([row for row in kept if row not in now], [], f"lost; a journal was there: {before}")
        self.assertEqual([row for row in now if row not in self.whole], [])
        return now

    def complete(self):
        sweep = self.start()
        said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 0, said)
        self.assertEqual(kit.rows(STORE), self.whole)
        self.assertFalse(os.path.exists(JOURNAL))
        self.check_nothing_left()
        os.unlink(STORE)

    def test_store_is_that_of_an_uninterrupted_sweep(self):
        kills, journals, completed, kept = {"start-up": 0, "running": 0, "committing": 0}, 0, 0, []
        while sum(kills.values()) < options.kills:
            stage = self.random.choice(sorted(kills))
            if self.kill_once(stage):
                kills[stage] += 1
                journals += os.path.exists(JOURNAL)
                kept = self.check_kept(kept)
                self.check_nothing_left()
            if len(kept) == kit.POINTS or self.random.random() < 0.05:
                self.complete()
                completed += 1
                kept = []
        self.complete()
        if options.kills >= 50:
            self.assertGreater(journals, 0)  # some met a commit in its midst
        print(f"seed {options.seed}: kills {kills}, {journals} left a journal, "
              f"{completed + 1} sweeps completed")


if __name__ == "__main__":
    options = OPTIONS.parse_args()
    unittest.main(argv=["test_killed_sweeps.py"], verbosity=2)
