# SPDX-License-Identifier: GPL-2.0-only
"""The program as `meson install` leaves it, under another root than it was configured for: it finds what
comes with it there, and nowhere in the source tree."""
import os
import shutil
import unittest
from pathlib import Path

import program_kit as kit

for variable in ("IWARPSIM_DATA", "IWARPSIM_MODULES", "IWARPSIM_PLOTS"):
    os.environ.pop(variable, None)  # the tests' own environment would show it where things are


class Installed(kit.ProgramTest):
    def setUp(self):
        """Whatever the prefix is, it becomes root/prefix."""
        super().setUp()
        self.shell('"$MESON" install -C "$BUILD" --no-rebuild --quiet --destdir "$PWD/to"')
        (program,) = [path for path in Path("to").rglob("iwarpsim") if path.is_file()]
        os.mkdir("root")
        program.parents[1].rename("root/prefix")
        self.program = f"{self.folder}/root/prefix/bin/iwarpsim"
        self.data = Path("root/prefix/share/iwarpsim")
        kit.write("a.cfg", '@include "presets/siw.cfg"\nworkload: { messages = 2; };\n')

    def test_own_files(self):
        """The preset that is read is the installed one: it has a title here. Without it there is none, though
        the source tree is still there. So is ns-3's module, in a program that has one."""
        with open(self.data / "presets/siw.cfg", "a", encoding="utf-8") as preset:
            preset.write('title = "the installed one";\n')
        self.expect_start(self.shell(f"{self.program} run a.cfg").stdout, "the installed one\n")
        self.shell(f"cd / && {self.program} check {self.folder}/{self.data}/four-receivers.cfg")
        self.data.rename("data")
        self.assertIn("a.cfg:1: cannot read 'presets/siw.cfg' (No such file or directory)",
                      self.shell(f"{self.program} run a.cfg", 2).stderr)
        self.shell(f"{self.program} run a.cfg", IWARPSIM_DATA="data")
        if kit.HAS_NS3:
            os.rename("data", self.data)
            self.shell(f"{self.program} run a.cfg --engine ns3")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
    def test_templates_of_plots(self):
        """Plots are drawn by the installed templates; a changed copy of them is used."""
        self.shell(f"{self.program} run a.cfg --out run --quiet && {self.program} plot run --format svg")
        self.assertIn(b"The page: terminal", kit.octets("run/occupancy.gnuplot"))
        self.shell(f"cp -r {self.data}/plots mine && sed -i 's/DejaVu Sans/My Font/' mine/page.gp")
        self.shell(f"{self.program} plot run --format svg", IWARPSIM_PLOTS="mine")
        self.assertIn(b'font-family="My Font"', kit.octets("run/occupancy.svg"))
        self.assertIn("nowhere/page.gp",
                      self.shell(f"{self.program} plot run --format svg", 2, IWARPSIM_PLOTS="nowhere").stderr)
