#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What `meson install` leaves for others, under a DESTDIR: the scenarios and presets, and with ns-3 a library
of which somebody else's ns-3 program needs to know nothing but `pkg-config iwarpsim-ns3`.

argv: meson, the build folder, and "ns3" or nothing."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MESON, BUILD, HAS_NS3 = sys.argv[1], sys.argv[2], sys.argv[3] == "ns3"
ROOT = Path(__file__).resolve().parents[2]

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


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: {done.returncode}\n"
                             f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="iwarpsim-installed-")
        cls.addClassCleanup(work.cleanup)
        cls.work = Path(work.name)
        cls.root = cls.work / "root"
        run([MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.root])
        options = {option["name"]: option["value"]
                   for option in json.loads(run([MESON, "introspect", "--buildoptions", BUILD]))}
        cls.prefix = Path(options["prefix"])
        cls.there = cls.root / cls.prefix.relative_to("/")
        cls.libraries = cls.there / options["libdir"]
        cls.headers = cls.there / options["includedir"] / "iwarpsim"
        cls.data = cls.there / options["datadir"] / "iwarpsim"

    def test_nothing_is_beside_the_prefix(self):
        self.assertFalse([file for file in self.root.rglob("*")
                          if not file.is_dir() and not file.is_relative_to(self.there)])

    def test_scenarios_and_presets(self):
        self.assertEqual({file.relative_to(self.data) for file in self.data.rglob("*.cfg")},
                         {file.relative_to(ROOT / "scenarios")
                          for file in (ROOT / "scenarios").rglob("*.cfg")})
        self.assertTrue((self.data / "presets/siw.cfg").is_file())

    @unittest.skipIf(HAS_NS3, "with ns-3 there is more")
    def test_the_program_alone(self):
        self.assertEqual([file.name for file in self.there.rglob("*")
                          if file.is_file() and self.data not in file.parents], ["iwarpsim"])

    @unittest.skipUnless(HAS_NS3, "needs ns-3")
    def test_a_program_of_somebody_else(self):
        description = self.libraries / "pkgconfig/iwarpsim-ns3.pc"
        self.assertEqual(description.read_text(encoding="utf-8").splitlines()[0], f"prefix={self.prefix}")
        self.assertEqual(run(["pkg-config", "--cflags", description]).split(),
                         [f"-I{self.prefix / self.headers.relative_to(self.there)}"])
        flags = run(["pkg-config", "--cflags", "--libs", description],
                    PKG_CONFIG_SYSROOT_DIR=str(self.root)).split()
        self.assertIn(f"-I{self.headers}", flags)
        self.assertIn(f"-L{self.libraries}", flags)

        source, program, scenario = self.work / "user.cc", self.work / "user", self.work / "user.cfg"
        source.write_text(PROGRAM, encoding="utf-8")
        scenario.write_text('@include "presets/siw.cfg"\nworkload: { messages = 5; };\n', encoding="utf-8")
        run([os.environ.get("CXX", "c++"), "-std=c++17", source, "-o", program, *flags])
        printed = run([program, scenario], LD_LIBRARY_PATH=str(self.libraries), IWARPSIM_DATA=str(self.data))
        self.assertEqual(printed, "6\n")  # the Send that ends the workload is one, too

    @unittest.skipUnless(HAS_NS3, "needs ns-3")
    def test_what_the_library_shows(self):
        """The model's own names are hidden: they cannot meet those of the user's program."""
        names = run(["nm", "-D", "--defined-only", "--format=just-symbols",
                     self.libraries / "libiwarpsim_host.so"]).split()
        self.assertTrue(any("5Hosts6Attach" in name for name in names))
        self.assertFalse([name for name in names
                          if name.startswith(("tcp_", "mpa_", "ddp_", "rnic_", "session_", "scenario_"))])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "--verbose"])
