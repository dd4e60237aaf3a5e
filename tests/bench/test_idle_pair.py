#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An idle pair costs no more than docs/performance.md asks for, measured as bench/run measures it."""

import os
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["BENCH"])
from benchmark import cases, figures  # noqa: E402

OCTETS_MAX = 3480
# The kernel counts a process's pages on each processor in steps of up to 64, and
# knows the peak no better.
MEASUREMENTS = 15
SCENARIO = os.environ["BENCH"] + "/scenarios/idle.cfg"
# Meson has malloc fill what it gives, so that pages count which the program never writes to; bench/run does not.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}


def idle_run(connections):
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([os.environ["IWARPSIM"], "run", SCENARIO, "--quiet", "--out", folder,
                                  "--set", f"workload.connections={connections}"], env=ENVIRONMENT)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return {"process.memory_peak_octets": used.ru_maxrss * 1024}


class IdlePair(unittest.TestCase):
    @unittest.skipIf(os.environ["SANITIZERS"] != "none", "sanitizers take memory of their own")
    def test_its_memory(self):
        octets = statistics.median(figures.idle_octets(*map(idle_run, cases.IDLE_CONNECTIONS))
                                   for _ in range(MEASUREMENTS))
        self.assertLessEqual(octets, OCTETS_MAX)
        self.assertGreater(octets, 2000)  # the two TCP connections and endpoints alone have 1,600


if __name__ == "__main__":
    unittest.main()
