# SPDX-License-Identifier: GPL-2.0-only
"""Which engine a scenario runs on: auto, and a program that has ns-3, has lost it, or was built without
it."""
import os
import unittest

import program_kit as kit

SMALL = 'workload: { message_size = "1KiB"; messages = 1; };\n'
CHAIN = 'topology: { medium = "csma"; };\n'
STRANGE_MODULE = os.path.abspath(os.environ["STRANGE_MODULE"])  # the folder of a module of another build


class Engine(kit.ProgramTest):
    stays = ["a.cfg", "a.sqlite", "r", "alone"]

    def expect_engine(self, text, engine, reason):
        """The scenario runs on `engine` for `reason`."""
        kit.write("a.cfg", text)
        done = self.shell("iwarpsim run a.cfg --out r && cat r/summary.json")
        self.expect_parts(done.stdout, f"  engine     {engine} (", f"{reason})\n", f'"engine": "{engine}"',
                          f'"engine_reason": "{reason}"')
        # A library that took no part is not named.
        self.assertEqual('"ns-3":' in done.stdout, engine == "ns3")

    def expect_problem(self, program, problem, **environment):
        """`run`, `check` and `sweep` of a scenario that needs ns-3 report `problem`, and nothing is run."""
        kit.write("a.cfg", SMALL + CHAIN)
        for command in ("run a.cfg --out r", "check a.cfg", "sweep a.cfg --store a.sqlite"):
            done = self.expect_refused(f"{program} {command}", problem, "; expected none", **environment)
            self.expect_start(done.stderr, "a.cfg:2: topology.medium = csma needs ns-3, ")
        self.assertNotIn("a.sqlite", os.listdir())

    def test_auto(self):
        self.expect_engine(SMALL, "native", "auto: nothing needs ns-3")
        self.expect_engine(SMALL + 'run: { engine = "native"; };', "native", "run.engine = native")

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_needs(self):
        self.expect_engine(SMALL + CHAIN, "ns3", "auto: topology.medium = csma needs ns-3")
        self.expect_engine(SMALL + 'tcp: { implementation = "ns3"; };', "ns3",
                           "auto: tcp.implementation = ns3 needs ns-3")
        self.expect_engine(SMALL + 'run: { engine = "ns3"; };', "ns3", "run.engine = ns3")

    def test_native_loads_nothing(self):
        """A run that does not need ns-3 has none of its libraries to load."""
        libraries = kit.iwarpsim(env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"})
        self.assertEqual(libraries.returncode, 0)
        self.assertIn("libglib", libraries.stdout)
        self.assertNotIn("libns3", libraries.stdout)

    def test_missing_module(self):
        """The executable alone in a folder, as one that was copied somewhere, or whose libns3 was removed
        since."""
        self.shell(f"mkdir alone && cp '{kit.PROGRAM}' alone/iwarpsim")
        self.expect_problem("env -u IWARPSIM_MODULES alone/iwarpsim",
                            "/alone/iwarpsim-ns3.so: cannot open shared object file" if kit.HAS_NS3
                            else "this iwarpsim was built without it; ")
        kit.write("a.cfg", SMALL)
        self.shell("env -u IWARPSIM_MODULES alone/iwarpsim run a.cfg --out r")

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_unusable_module(self):
        """A module that is there and cannot be used."""
        self.shell(f"mkdir alone && cp '{kit.PROGRAM}' alone/iwarpsim")
        kit.write("alone/iwarpsim-ns3.so", "no library")
        self.expect_problem("env -u IWARPSIM_MODULES alone/iwarpsim", "which cannot be loaded: ")
        self.expect_problem("iwarpsim", "/iwarpsim-ns3.so: it was built with another iwarpsim",
                            IWARPSIM_MODULES=STRANGE_MODULE)

    def test_points_of_a_sweep(self):
        """Only the points that need ns-3 are refused; a grid of both is no scenario of this program."""
        kit.write("a.cfg", SMALL + 'sweep = ( { key = "topology.medium";\n values = ["none", "csma"]; } );')
        done = self.shell("iwarpsim sweep a.cfg --store a.sqlite", 2, IWARPSIM_MODULES="/nonexistent")
        self.expect_parts(done.stderr, "topology.medium = csma needs ns-3, ", "(point topology.medium=csma)")
        if kit.HAS_NS3:
            done = self.shell("iwarpsim sweep a.cfg --store a.sqlite && iwarpsim export a.sqlite")
            self.assertIn("ns-3 3.", done.stdout)

    def test_sweep_names_no_library_in_vain(self):
        kit.write("a.cfg", SMALL + 'sweep = ( { key = "run.seed"; values = [1, 2]; } );')
        done = self.shell("iwarpsim sweep a.cfg --store a.sqlite && iwarpsim export a.sqlite")
        self.assertIn("# libraries", done.stdout)
        self.assertNotIn("ns-3", done.stdout)
