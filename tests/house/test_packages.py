#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/packages.txt, the home of the packages' names: its parts, who installs which, and where else the names
stand."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
PARTS = {}
for line in (SOURCE / "scripts/packages.txt").read_text(encoding="utf-8").splitlines():
    if not line.startswith("#"):
        part, package = line.split()
        PARTS.setdefault(part, []).append(package)


class Packages(unittest.TestCase):
    def test_each_part_is_sorted_and_has_no_package_of_those_before(self):
        self.assertEqual(list(PARTS), ["run", "build", "ns3", "test", "package", "arm64", "siw"])
        for names in PARTS.values():
            self.assertEqual(names, sorted(set(names)))
        first = [package for part in ("run", "build", "ns3", "test") for package in PARTS[part]]
        self.assertEqual(len(first), len(set(first)))

    def test_the_debian_package(self):
        """It is built with the parts build and ns3; Debian has a compiler and make for each build."""
        control = (SOURCE / "debian/control").read_text(encoding="utf-8")
        built_with = {name.split()[0] for name in re.search(r"Build-Depends:((?:.*,\n)*.*)\n", control)[1].split(",")}
        self.assertEqual(built_with - {"debhelper-compat"},
                         {*PARTS["build"], *PARTS["ns3"]} - {"gcc", "g++", "libc6-dev", "make"})
        self.assertEqual(re.search(r"Recommends: (.*)", control)[1].split(", "), PARTS["run"])

    def test_what_the_page_shows(self):
        page = (SOURCE / "docs/install.md").read_text(encoding="utf-8")
        shown = re.search(r"apt-get install --no-install-recommends ((?:.*\\\n)*.*)", page)[1]
        self.assertEqual(shown.replace("\\\n", " ").split(), PARTS["build"])

    def test_the_first_command_installs_what_builds_and_plots(self):
        """setup.sh with a dpkg that knows no package, and not as root: the parts that it would install."""
        for options, parts in (([], "run build ns3"), (["--sanitizers"], "run build ns3 test"),
                               (["--install", "run"], "run")):
            done = self.setup_without_packages(*options)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.rpartition(": ")[2].split(),
                             [package for part in parts.split() for package in PARTS[part]])

    def test_a_part_that_is_not_there(self):
        done = self.setup_without_packages("--install", "tests")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "setup.sh: scripts/packages.txt has no part 'tests'\n"))

    def setup_without_packages(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            for name, code in (("dpkg-query", "exit 1"), ("id", "echo 1000")):
                Path(folder, name).write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
                Path(folder, name).chmod(0o755)
            return subprocess.run([SOURCE / "scripts/setup.sh", *options], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})


if __name__ == "__main__":
    unittest.main()
