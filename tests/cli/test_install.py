# SPDX-License-Identifier: GPL-2.0-only
"""What `meson install` leaves, under a DESTDIR: the program, which finds what comes with it wherever it is
moved to, and nowhere in the source tree; and with ns-3 a library of which somebody else's ns-3 program needs
to know nothing but `pkg-config iwarpsim-ns3`."""
import json
import os
import shutil
import unittest
from pathlib import Path

import program_kit as kit

ROOT = Path(__file__).resolve().parents[2]
for variable in ("DATA", "MODULES", "PLOTS", "SCENARIOS", "TIMELINE"):
    os.environ.pop(f"IWARPSIM_{variable}", None)  # the tests' own environment would show it where things are

# As the comment at the top of iwarpsim_host.h has it.
PROGRAM = """
#include <iostream>
#include <ns3/node-container.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <shim/iwarpsim_host.h>

int main(int, char **argv)
{
  iwarpsim::Hosts hosts(argv[1]);
  ns3::NodeContainer nodes(2);
  ns3::PointToPointHelper cable;
  cable.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
  ns3::NetDeviceContainer devices = cable.Install(nodes);
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), devices.Get(1)->GetAddress());
  hosts.Attach(iwarpsim::RESPONDER, nodes.Get(1), devices.Get(1), devices.Get(0)->GetAddress());
  hosts.Start(ns3::MilliSeconds(1));
  ns3::Simulator::Run();
  std::cout << hosts.GetMetric("delivery.messages") << std::endl;
  return hosts.IsDone() && hosts.GetFailure().empty() ? 0 : 1;
}
"""


def meson(*arguments):
    done = kit.run(os.environ["MESON"], *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Install(kit.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(cls.enterClassContext(kit.folder("installed")))
        meson("install", "-C", os.environ["BUILD"], "--no-rebuild", "--quiet", "--destdir", cls.root)
        options = json.loads(meson("introspect", "--buildoptions", os.environ["BUILD"]))
        value = {option["name"]: option["value"] for option in options}
        cls.prefix = Path(value["prefix"])
        cls.there = cls.root / cls.prefix.relative_to("/")
        cls.libraries = cls.there / value["libdir"]
        cls.headers = cls.there / value["includedir"] / "iwarpsim"
        cls.data = cls.there / value["datadir"] / "iwarpsim"

    def move(self):
        """Copies it to moved/; its program, and its data."""
        shutil.copytree(self.there, "moved")
        kit.write("a.cfg", '@include "presets/siw.cfg"\nworkload: { messages = 2; };\n')
        return f"{self.folder}/moved/bin/iwarpsim", Path("moved") / self.data.relative_to(self.there)

    def test_nothing_is_beside_the_prefix(self):
        self.assertFalse([file for file in self.root.rglob("*")
                          if not file.is_dir() and not file.is_relative_to(self.there)])

    def test_scenarios_and_presets(self):
        self.assertEqual({file.relative_to(self.data) for file in self.data.rglob("*.cfg")},
                         {file.relative_to(ROOT) for file in (ROOT / "scenarios").rglob("*.cfg")})
        self.assertTrue((self.data / "scenarios/presets/siw.cfg").is_file())

    @unittest.skipIf(kit.HAS_NS3, "with ns-3 there is more")
    def test_the_program_alone(self):
        self.assertEqual([file.name for file in self.there.rglob("*")
                          if file.is_file() and self.data not in file.parents], ["iwarpsim"])

    def test_own_files(self):
        """The preset that is read is the installed one: it has a title here. Without it there is none, though
        the source tree is still there: the error names the folders that should have it. So is ns-3's module,
        in a program that has one."""
        program, data = self.move()
        with open(data / "scenarios/presets/siw.cfg", "a", encoding="utf-8") as preset:
            preset.write('title = "the installed one";\n')
        self.expect_start(self.shell(f"{program} run a.cfg").stdout, "the installed one\n")
        self.shell(f"{program} check scenarios/device-siw.cfg")
        data.rename("data")
        searched = [".", f"{self.folder}/moved/bin/scenarios", f"{self.folder}/{data}/scenarios"]
        self.expect_refused(f"{program} run a.cfg", "a.cfg:1: cannot find 'presets/siw.cfg' in "
                            f"{', '.join(searched)} or {self.prefix / data.relative_to('moved')}/scenarios; "
                            "expected a file to include")
        for folder in ("data", "data/scenarios"):
            self.shell(f"{program} run a.cfg", IWARPSIM_DATA=folder)
        if kit.HAS_NS3:
            os.rename("data", data)
            self.shell(f"{program} run a.cfg --engine ns3")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
    def test_templates_of_plots(self):
        """Plots are drawn by the installed templates; a changed copy of them is used."""
        program, data = self.move()
        self.shell(f"{program} run a.cfg --out run --quiet && {program} plot run --format svg")
        self.assertIn(b"The page: terminal", kit.octets("run/occupancy.gnuplot"))
        self.shell(f"cp -r {data}/plots mine && sed -i 's/DejaVu Sans/My Font/' mine/page.gp")
        self.shell(f"{program} plot run --format svg", IWARPSIM_PLOTS="mine")
        self.assertIn(b'font-family="My Font"', kit.octets("run/occupancy.svg"))
        self.shell("mkdir -p own && mv mine own/plots && sed -i 's/My Font/His Font/' own/plots/page.gp")
        self.shell(f"{program} plot run --format svg", IWARPSIM_DATA="own")
        self.assertIn(b'font-family="His Font"', kit.octets("run/occupancy.svg"))
        self.expect_refused(f"{program} plot run --format svg", "cannot find 'page.gp' in nowhere",
                            IWARPSIM_PLOTS="nowhere")

    @unittest.skipUnless(kit.HAS_NS3, "needs ns-3")
    @unittest.skipIf(kit.SANITIZED, "the user's program would need the sanitizer, too")
    def test_a_program_of_somebody_else(self):
        description = self.libraries / "pkgconfig/iwarpsim-ns3.pc"
        self.assertEqual(description.read_text(encoding="utf-8").splitlines()[0], f"prefix={self.prefix}")
        self.assertEqual(self.shell(f"pkg-config --cflags {description}").stdout.split(),
                         [f"-I{self.prefix / self.headers.relative_to(self.there)}"])
        flags = self.shell(f"pkg-config --cflags --libs {description}",
                           PKG_CONFIG_SYSROOT_DIR=str(self.root)).stdout.strip()
        self.assertIn(f"-I{self.headers}", flags.split())
        self.assertIn(f"-L{self.libraries}", flags.split())

        kit.write("user.cc", PROGRAM)
        kit.write("user.cfg", '@include "presets/siw.cfg"\nworkload: { messages = 5; };\n')
        self.shell(f"${{CXX:-c++}} -std=c++17 user.cc -o user {flags}")
        printed = self.shell("./user user.cfg", LD_LIBRARY_PATH=str(self.libraries),
                             IWARPSIM_DATA=str(self.data)).stdout
        self.assertEqual(printed, "6\n")  # the Send that ends the workload is one, too

    @unittest.skipUnless(kit.HAS_NS3, "needs ns-3")
    def test_what_the_library_shows(self):
        """The model's own names are hidden: they cannot meet those of the user's program."""
        library = self.libraries / "libiwarpsim_host.so"
        names = self.shell(f"nm -D --defined-only --format=just-symbols {library}").stdout.split()
        self.assertTrue(any("5Hosts6Attach" in name for name in names))
        self.assertFalse([name for name in names if name.startswith(("tcp_", "mpa_", "ddp_", "rnic_",
                                                                     "session_", "scenario_"))])
