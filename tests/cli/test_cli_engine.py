# SPDX-License-Identifier: GPL-2.0-only
"""These tests show which engine a scenario runs on: auto, and a program that has ns-3, has lost it, or was
built without it."""
import json
import os
import re
import unittest
from pathlib import Path

import program_kit as kit

SMALL = 'workload: { message_size = "1KiB"; messages = 1; };\n'
CHAIN = 'topology: { medium = "csma"; };\n'
STRANGE_MODULE = os.path.abspath(os.environ["STRANGE_MODULE"])  # the folder of a module of another build


class Engine(kit.ProgramTest):
    stays = ["a.cfg", "a.sqlite", "r", "alone"]

    def expect_engine(self, text, engine, reason):
        """The scenario runs on `engine` for `reason`."""
        kit.write("a.cfg", text)
        done = self.shell("iwarpsim run a.cfg --all --out r && cat r/summary.json")
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

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_attributes(self):
        """A number may have an exponent; what ns-3 does not take is a mistake in the scenario."""
        kit.write("a.cfg", SMALL + CHAIN)
        self.shell("iwarpsim run a.cfg -q -o r --set 'topology.errors=ns3::RateErrorModel ErrorRate=1e-6'")
        for value in ("much", "1e", "1e-6x", "-1"):
            self.expect_refused(f"iwarpsim run a.cfg -o r --set 'topology.errors=ns3::RateErrorModel ErrorRate={value}'",
                                f'topology.medium: "{value}" is no value for attribute "ErrorRate"')

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_what_had_no_effect(self):
        """Of ns-3's nodes it is known whether an error model dropped a packet, in either direction, and nothing else."""
        kit.write("a.cfg", SMALL + CHAIN + 'fault: { error = "bad-crc"; at = 100000; };')
        error = "path.too_big=silent --set 'topology.errors=ns3::RateErrorModel ErrorUnit=ERROR_UNIT_PACKET ErrorRate="
        for rate, keys in (("1e-9", ["topology.errors", "fault.error"]), ("0.05", ["fault.error"])):
            done = self.shell(f"iwarpsim run a.cfg -o r --set run.expect=any --set workload.messages=500 --set {error}{rate}'")
            self.assertEqual(re.findall(r": (\S+) = .* had no effect in this run", done.stderr), keys)

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_measured_window(self):
        """ns-3's engine measures in a window what the native one does; with ns-3's TCP, too, a window is a
        part of the run, and one that never opens has no metrics."""
        kit.write("a.cfg", kit.SCENARIO.split("sweep")[0])

        def run(*sets):
            self.shell("iwarpsim run a.cfg --quiet --out r --set workload.messages=32 "
                       + " ".join(f"--set {text}" for text in sets))
            summary = json.loads(Path("r/summary.json").read_text(encoding="utf-8"))
            del summary["metrics"]["time.wall_s"]
            return [summary.get(part) for part in ("metrics", "quantiles", "block_maxima", "warm_up")]

        peak = "buffer.reassembly_peak_octets"
        for window in (["measure.from=first-loss"], ["measure.from=512KiB", "measure.to=1MiB"],
                       ["measure.from=200us", "measure.to=600us", "measure.quantiles=[1%,100%]"]):
            native = run("run.engine=native", *window)
            self.assertIn(peak, native[0])
            self.assertEqual(native, run("run.engine=ns3", *window))
        ns3 = ["run.engine=ns3", "tcp.implementation=ns3"]
        whole, quantiles = run(*ns3, "measure.quantiles=[50%,100%]")[:2]
        (_, median), (_, largest) = quantiles["buffer.reassembly"]
        self.assertLess(median, largest)
        self.assertEqual(largest, whole[peak])
        after = run(*ns3, "measure.from=1MiB")[0]
        self.assertLess(after[peak], whole[peak])
        self.assertEqual(after["tcp.segments"], whole["tcp.segments"])
        self.assertNotIn(peak, run(*ns3, "measure.from=1GiB")[0])

    def outputs(self, sets, **environment):
        """What a run prints and writes; of this all but the time that it took. And ns-3's log."""
        done = self.shell(f"iwarpsim run a.cfg --pcap --trace r/trace --out r {sets}", **environment)
        files = {path.name: path.read_bytes() for path in Path("r").iterdir()}
        files["summary.json"] = re.sub(rb'("time.wall_s": )[0-9.e-]*', rb"\g<1>0", files["summary.json"])
        return files, done.stdout, done.stderr

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_ns3_log(self):
        """With ns-3's log on, octets of packets go through ns-3's devices, and the log has them. No output differs,
        whatever runs on ns-3 and whatever happens on the path."""
        common = 'run: { engine = "ns3"; };\nworkload: { message_size = "20KiB"; messages = 8; };\n'
        changes = "event = (%s);" % ", ".join(f'{{ at = "{at}"; key = "path.forward.{key}"; value = "{value}"; }}' for at, key, value in (
            ("60us", "rate", "300Mbit/s"), ("200us", "delay", "1us"), ("400us", "rate", "40Gbit/s"), ("1ms", "delay", "20us")))
        lossy = "--set path.forward.loss=3% --set path.forward.corrupt=2% --set path.forward.reorder=2%"
        ns3_tcp = "--set tcp.implementation=ns3 --set sender.segmentation=stream --set receiver.mode=in-order"
        for text, sets in (("", ""), (changes, lossy), (changes, "--set tcp.ip=ipv6 --set path.forward.cell_size=48"),
                           (changes, f"{lossy} {ns3_tcp}"), ('topology: { kind = "star"; hosts = 2; };', ns3_tcp)):
            with self.subTest(text=text, sets=sets):
                kit.write("a.cfg", common + text)
                *without_log, silence = self.outputs(sets)
                *with_log, log = self.outputs(sets, NS_LOG="PointToPointNetDevice=function")
                self.assertEqual(without_log, with_log)
                self.assertNotIn("PointToPointNetDevice", silence)
                segments = json.loads(with_log[0]["summary.json"])["metrics"]["tcp.segments"]
                self.assertGreater(log.count("PointToPointNetDevice:TransmitStart"), segments)

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_ns3_log_of_nothing(self):
        """ns-3 ends the process at a name in NS_LOG that none of its log's components has, wherever it stands."""
        kit.write("a.cfg", SMALL)
        for log, name in (("Foo=error", "Foo"), ("Foo", "Foo"), ("PointToPointNetDevice=error:Bar", "Bar"), (":", ""),
                          ("PointToPointNetDevice=error:", ""), ("***=error", "***")):
            with self.subTest(log=log):
                self.expect_refused("iwarpsim run a.cfg --engine ns3 --quiet --out r", f"ns-3: the environment's NS_LOG names '{name}', ",
                                    "no component of ns-3's log; expected one, as PointToPointNetDevice", NS_LOG=log)
        for log in ("*=error:PointToPointNetDevice=error", "PointToPointNetDevice", ""):
            self.shell("iwarpsim run a.cfg --engine ns3 --quiet --out r && rm -r r", NS_LOG=log)

    @unittest.skipUnless(kit.HAS_NS3, "built without ns-3")
    def test_ns3_log_without_such_a_level(self):
        """ns-3 ends the process at a level that it does not have, too; it has these of log.h, and short names."""
        kit.write("a.cfg", SMALL)
        for log, level in (("*=foo|bar", "foo"), ("*=error|foo", "foo"), ("*=", ""), ("*=error|", ""), ("*=|error", ""), ("*=***", "***"),
                           ("*=prefix_error", "prefix_error"), ("*=error=warn", "error=warn"), ("*=error:*=foo", "foo")):
            with self.subTest(log=log):
                self.expect_refused("iwarpsim run a.cfg --engine ns3 --quiet --out r", f"ns-3: the environment's NS_LOG has '{level}' for *, ",
                                    "no level of ns-3's log; expected such as level_debug|prefix_time", NS_LOG=log)
        for log in ("x" * 100000, "*=" + "x" * 100000, "*=" + "error|" * 20000):
            self.expect_refused("iwarpsim run a.cfg --engine ns3 --quiet --out r", "ns-3: the environment's NS_LOG ", NS_LOG=log)
        kinds = "error warn debug info function logic all".split()
        prefixes = "func time node level".split()
        levels = [*kinds, *(f"level_{kind}" for kind in kinds), *prefixes, *(f"prefix_{name}" for name in prefixes), "prefix_all", "*", "**"]
        self.shell("iwarpsim run a.cfg --engine ns3 --quiet --out r", NS_LOG="PointToPointNetDevice=" + "|".join(levels))

    def test_no_time_measured(self):
        """One segment: no time passes from its arrival to the last Delivery, and no block becomes full."""
        kit.write("a.cfg", SMALL)
        self.shell("iwarpsim run a.cfg --quiet --out r")
        summary = json.loads(Path("r/summary.json").read_text(encoding="utf-8"))
        self.assertIn("placement.octets", summary["metrics"])
        self.assertNotIn("goodput_bit_per_s", summary["metrics"])
        self.assertNotIn("block_maxima", summary)

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
                            "cannot find 'iwarpsim-ns3.so' in " if kit.HAS_NS3
                            else "this iwarpsim was built without it; ")
        kit.write("a.cfg", SMALL)
        self.shell("env -u IWARPSIM_MODULES alone/iwarpsim run a.cfg --out r")
        refused = self.expect_refused("env -u IWARPSIM_MODULES alone/iwarpsim run a.cfg --out r --engine ns3",
                                      "; expected auto or native")
        self.expect_start(refused.stderr, "--engine: run.engine = ns3 needs ns-3, ")

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
