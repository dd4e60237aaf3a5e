#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the benchmarks without any run: how callgrind's and perf's output is read, the 2 %
rule of scripts/instructions, what is derived from measured numbers, the page that is made of them, and which builds scripts/pgo gives a profile."""

import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["BENCH"])
from benchmark import (callgrind, cases, figures, instruction_table, layers, processes, report,  # noqa: E402
                       sampling)



def program(name, path):
    """A program of one file, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


instructions = program("instructions", os.environ["INSTRUCTIONS"])
bench_run = program("bench_run", os.environ["BENCH"] + "/run")
pgo = program("pgo", os.environ["PGO"])

# settle has a line inlined from range_set.h, calls memcpy twice, ISA-L once and observe five times; memcpy
# calls itself.
CALLGRIND = """\
# callgrind format
version: 1
positions: line
events: Ir
summary: 5000

ob=(1) /build/iwarpsim
fl=(1) ../model/engine/engine.c
fn=(1) settle.part.0
10 100
+2 20
fi=(2) ../model/base/range_set.h
5 7
fe=(1)
* 3
cob=(2) /lib/libc.so.6
cfi=(3) string/memmove.S
cfn=(2) __memcpy_avx_unaligned_erms
calls=2 0
12 4000
cob=(3) /lib/libisal.so.2
cfi=(4) ???
cfn=(3) 0x23f90
calls=1 0
12 900
cfi=(1)
cfn=(4) observe
calls=5 -3
12 50

fn=(4)
-3 50
fl=(2)
fn=(5) range_of
7 11

ob=(2)
fl=(3)
fn=(2)
99 640
cfn=(2)
calls=8 0
99 40
"""


class Callgrind(unittest.TestCase):
    def setUp(self):
        self.counts = callgrind.Reader().read(CALLGRIND.splitlines(keepends=True))

    def test_own_cost_by_the_file_a_line_is_written_in(self):
        found = self.counts.instructions
        # settle: 100 + 20 + 3 in its own file; 7 inlined from range_set.h. What its callees cost, 4000 and
        # 900, is not its own.
        self.assertEqual(found["engine", "settle.part.0"], 123)
        self.assertEqual(found["base", "settle.part.0"], 7)
        # A function without a file of its own line is in the file of the one before; the inlined file is
        # forgotten.
        self.assertEqual(found["engine", "observe"], 50)
        self.assertEqual(found["base", "range_of"], 11)
        self.assertEqual(found["copy", "__memcpy_avx_unaligned_erms"], 640)

    def test_calls_of_what_touches_octets_from_outside_of_it(self):
        self.assertEqual(dict(self.counts.calls), {"copy": 2, "crc": 1})

    def test_per_segment_is_the_difference_of_two_lengths(self):
        short = callgrind.Counts({("tcp", "f"): 1000, ("session", "start"): 70}, {"crc": 3})
        long = callgrind.Counts({("tcp", "f"): 5000, ("session", "start"): 70}, {"crc": 103})
        for counts in (short, long):
            counts.calls.update({part: 0 for part in layers.TOUCHING if part != "crc"})
        per_segment = callgrind.per_segment(short, long, 50)
        self.assertEqual(per_segment.instructions, {("tcp", "f"): 80, ("session", "start"): 0})
        self.assertEqual(per_segment.calls["crc"], 2)
        self.assertEqual(callgrind.by_part(per_segment.instructions), {"tcp": 80, "session": 0})


class Parts(unittest.TestCase):
    def test_our_code_by_its_folder(self):
        for file, part in (("../model/tcp/tcp_rack.c", "tcp"), ("/x/tree/model/base/buffer_chain.h", "base"),
                           ("../shim/ns3_engine.c", "shim"), ("model/study/sweep/child.c", "other"),
                           ("???", "other")):
            self.assertEqual(layers.part_of("/build/iwarpsim", file, "f"), part, file)
            self.assertEqual(layers.part_of("/build/iwarpsim-ns3.so", file, "f"), part, file)
        self.assertEqual(layers.part_of("/lib/libother.so", "src/model/tcp/x.c", "f"), "other")
        for function in ("crc32c_fold_avx512", "crc32c_fold_avx512.lto_priv.0"):
            for file in ("../model/base/crc32c_fold.c", "/usr/lib/gcc/include/vpclmulqdqintrin.h"):
                self.assertEqual(layers.part_of("/build/iwarpsim", file, function), "crc")

    def test_code_of_the_processor_is_kept_apart(self):
        # The same call on another processor has another name, and another number of instructions.
        for function in ("__memcpy_avx_unaligned_erms", "__memmove_sse2_unaligned",
                         "__memmove_evex_unaligned_erms"):
            self.assertEqual(layers.part_of("/lib/libc.so.6", "???", function), "copy")
        self.assertEqual(layers.part_of("/lib/libc.so.6", "???", "__memcmp_evex_movbe"), "compare")
        self.assertEqual(layers.part_of("/lib/libisal.so.2.0.30", "???", "crc32_iscsi_by16_10"), "crc")
        self.assertFalse(set(layers.TOUCHING) & set(instruction_table.PARTS))

    def test_libraries(self):
        for program, function, part in (("/lib/libc.so.6", "_int_free", "allocation"),
                                        ("/lib/libc.so.6", "malloc", "allocation"),
                                        ("/lib/libc.so.6", "unlink_chunk.constprop.0", "allocation"),
                                        ("/lib/libstdc++.so.6", "operator new(unsigned long)", "allocation"),
                                        ("/lib/libstdc++.so.6", "std::_Rb_tree_increment", "ns-3"),
                                        ("/lib/libns3-core.so.37", "0xb3c90", "ns-3"),
                                        ("/lib/libglib-2.0.so.0", "g_free", "glib"),
                                        ("/lib/ld-linux-x86-64.so.2", "do_lookup_x", "other")):
            self.assertEqual(layers.part_of(program, "???", function), part, function)


def made_row(total=1000.0, tcp=600.0, **changes):
    row = dict.fromkeys(instruction_table.COLUMNS, 0.0)
    row.update({"total": total, "tcp": tcp, "mpa": total - tcp, "crc calls": 2.0})
    row.update(changes)
    return row


class TwoPercent(unittest.TestCase):
    def growths(self, old, new):
        return instruction_table.growths({"write": old}, {"write": new})

    def test_two_percent_is_allowed(self):
        self.assertEqual(self.growths(made_row(1000), made_row(1020)), [])

    def test_more_is_not(self):
        found = self.growths(made_row(1000, 600), made_row(1021, 630))
        self.assertEqual([(growth.column, growth.old, growth.new) for growth in found],
                         [("total", 1000, 1021)])
        # mpa fell from 400 to 391: only what grew is named.
        self.assertEqual(found[0].parts, [("tcp", 30)])
        self.assertEqual(instruction_table.told(found[0]),
                         "write: 1000 -> 1021 instructions a segment (+2.1%): tcp +30")

    def test_a_layer_may_grow_when_another_falls(self):
        self.assertEqual(self.growths(made_row(1000, 200), made_row(1000, 700)), [])

    def test_another_call_a_segment_is_growth(self):
        found = self.growths(made_row(), made_row(**{"crc calls": 3.0}))
        self.assertEqual([instruction_table.told(growth) for growth in found],
                         ["write: crc calls 2.00 -> 3.00 a segment (+50.0%)"])

    def test_the_first_call_is_growth(self):
        found = self.growths(made_row(), made_row(**{"copy calls": 1.0}))
        self.assertEqual([instruction_table.told(growth) for growth in found],
                         ["write: copy calls 0.00 -> 1.00 a segment"])

    def test_a_share_of_nearly_nothing_is_none(self):
        self.assertEqual(self.growths(made_row(**{"fill calls": 0.01}), made_row(**{"fill calls": 0.02})), [])

    def test_fallen(self):
        self.assertEqual(instruction_table.fallen({"a": made_row(1000), "b": made_row(1000)},
                                                  {"a": made_row(970), "b": made_row(990)}), ["a"])

    def test_cases_of_another_program(self):
        with self.assertRaisesRegex(ValueError, "only in the table or only measured: read"):
            instruction_table.growths({"write": made_row(), "read": made_row()}, {"write": made_row()})

    def test_the_file_gives_back_what_was_written(self):
        text = instruction_table.text_of({"write": made_row(1234)}, "cc 12")
        rows, made_with = instruction_table.parse(text)
        self.assertEqual((rows, made_with), ({"write": made_row(1234)}, "cc 12"))

    def test_a_file_of_other_columns_is_refused(self):
        with self.assertRaisesRegex(ValueError, "its columns"):
            instruction_table.parse("case\ttotal\nwrite\t3\n")
        with self.assertRaisesRegex(ValueError, "a row of 2 fields"):
            instruction_table.parse(instruction_table.text_of({}, "cc") + "write\t3\n")

    def test_a_row_counts_what_is_the_same_everywhere(self):
        counts = callgrind.Counts({("tcp", "f"): 100.0, ("crc", "crc32"): 700.0,
                                   ("allocation", "malloc"): 30.0},
                                  {part: 1.5 for part in layers.TOUCHING})
        row = instruction_table.row_of(counts)
        self.assertEqual((row["total"], row["tcp"], row["allocation"], row["crc calls"]), (130, 100, 30, 1.5))


class Check(unittest.TestCase):
    """scripts/instructions --check against a table of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        instructions.TABLE = Path(self.folder.name) / "instructions.tsv"
        instructions.TABLE.write_text(instruction_table.text_of({"write": made_row(1000)}, "cc 12"),
                                      encoding="utf-8")
        self.output = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = open(os.devnull, "w"), open(os.devnull, "w")

    def tearDown(self):
        sys.stdout.close()
        sys.stderr.close()
        sys.stdout, sys.stderr = self.output
        self.folder.cleanup()

    def test_exit_status(self):
        self.assertEqual(instructions.check({"write": made_row(1000)}, "cc 12"), 0)
        self.assertEqual(instructions.check({"write": made_row(500)}, "cc 12"), 0)
        self.assertEqual(instructions.check({"write": made_row(1100)}, "cc 12"), 1)
        self.assertEqual(instructions.check({"write": made_row(**{"crc calls": 2.2})}, "cc 13"), 1)

    def test_the_table_of_the_project_is_of_its_cases(self):
        table = Path(os.environ["BENCH"]) / "instructions.tsv"
        rows, _ = instruction_table.parse(table.read_text(encoding="utf-8"))
        self.assertEqual(list(rows), list(instructions.CASES))
        for case, (scenario, _) in instructions.CASES.items():
            self.assertTrue((instructions.SCENARIOS / scenario).exists(), case)


class Sampling(unittest.TestCase):
    def test_addresses_inside_of_a_program_that_is_loaded_anywhere(self):
        samples = sampling.read([
            "iwarpsim 7 [000] 1.0: PERF_RECORD_MMAP2 7/7: [0x5000(0x2000) @ 0x1000 fe:00 12 34]: r-xp "
            "/build/iwarpsim\n",
            "iwarpsim 7 [000] 1.0: PERF_RECORD_MMAP2 7/7: [0x9000(0x100) @ 0 00:00 0 0]: r-xp [vdso]\n",
            "    250000      5010 settle.part.0 (/build/iwarpsim)\n",
            "    250000      5010 settle.part.0 (/build/iwarpsim)\n",
            "    250000      9010 operator new(unsigned long) (/lib/libstdc++.so.6)\n",
            "    250000  ffffffff81b1de85 clear_page ([kernel.kallsyms])\n"])
        self.assertEqual(samples, {("/build/iwarpsim", 0x1010, "settle.part.0"): 500000,
                                   ("/lib/libstdc++.so.6", None, "operator new(unsigned long)"): 250000,
                                   ("[kernel.kallsyms]", None, "clear_page"): 250000})

    def test_parts(self):
        # No program is there to look into: its samples are of no layer, the others are.
        times = sampling.by_part({("/lib/libisal.so.2", None, "crc32"): 5,
                                  ("[kernel.kallsyms]", None, "f"): 7}, "/bin/true")
        self.assertEqual(times, {"crc": 5, "kernel": 7})


def run(segments, seconds, **process):
    return {"tcp.segments": segments, "time.wall_s": seconds,
            **{f"process.{name}": value for name, value in process.items()}}


class Figures(unittest.TestCase):
    def test_the_window_is_that_of_the_model(self):
        # 2 · 10 Gbit/s · (2 · 25 µs + 2 · 1538 octets): 2 · (62,500 + 3,076)
        self.assertEqual(cases.receive_window_octets(cases.Link(10**10, 25, 1)), 131152)

    def test_ratios_are_of_the_same_turn(self):
        samples = figures.Samples({"ours": [run(100, 1.0), run(100, 2.0), run(100, 4.0)],
                                   "tcp": [{"segments": 50, "wall_s": seconds}
                                           for seconds in (1.0, 2.0, 5.0)]})
        # 100/1 ÷ 50/1, 100/2 ÷ 50/2, 100/4 ÷ 50/5
        self.assertEqual(samples.of(figures.speed_ratio, "ours", "tcp"), [2.0, 2.0, 2.5])

    def test_idle_pair(self):
        few, many = cases.IDLE_CONNECTIONS
        fewer, more = ({"process.memory_peak_octets": 10**7 + 4096 * count} for count in (few, many))
        self.assertEqual(figures.idle_octets(fewer, more), 4096)

    def test_marginal_cost(self):
        # (2.0 s - 1.0 s) / (3000 - 1000) = 500 µs, against (1.5 - 1.0) / 2000 = 250 µs
        self.assertEqual(figures.marginal_ns(run(1000, 1.0), run(3000, 2.0)), 500000)
        self.assertEqual(figures.marginal_ratio(run(1000, 1.0), run(3000, 1.5), run(1000, 1.0),
                                                run(3000, 2.0)), 2)

    def test_sweep(self):
        sweep = run(0, 0, wall_s=5.0, cpu_s=10.0, own_cpu_s=0.2, looks_at_two=97, looks_before_end=100,
                    last_two_s=4.5)
        self.assertAlmostEqual(figures.children_share(sweep), 0.98)
        self.assertAlmostEqual(figures.both_busy_share(sweep), 0.97)
        self.assertAlmostEqual(figures.alone_at_end_s(sweep), 0.5)
        # The loops took 4.8 s for what the sweep did in 5.0 s.
        self.assertAlmostEqual(figures.sweep_ratio(sweep, {"process.wall_s": 4.8}), 0.96)

    def test_what_needs_ns3_is_known(self):
        needing = {case.name for case in cases.all_cases() if case.needs_ns3}
        named = {case.name for case in cases.all_cases() if "ns3" in case.name}
        self.assertEqual(needing, named)
        self.assertNotIn(figures.DEFAULT_NATIVE, needing)

    def test_spread(self):
        self.assertEqual(figures.spread([3.0], figures.plain(1)), "3.0")
        self.assertEqual(figures.spread([5.0, 1.0, 3.0], figures.plain(1)), "3.0 (1.0 to 5.0)")
        self.assertEqual((figures.per_second(1999999), figures.per_second(412345)), ("2.00 M", "412 k"))

    def test_a_target_is_met_by_the_median(self):
        name = figures.DEFAULT_NATIVE
        samples = figures.Samples({name: [run(2.1e6, 1.0), run(2.0e6, 1.0), run(1.0e6, 1.0)]})
        self.assertEqual(figures.targets(samples),
                         [figures.Target("native, lossless bulk Write, segments/s", "≥ 2.00 M",
                                         "2.00 M (1.00 M to 2.10 M)", True)])
        samples = figures.Samples({"tiny": [{"process.wall_s": 0.0151}]})
        self.assertEqual([(row.demanded, row.measured, row.met) for row in figures.targets(samples)],
                         [("≤ 15.0", "15.1", False)])

    def test_every_target_is_of_cases_that_exist(self):
        names = [case.name for case in cases.all_cases()]
        self.assertEqual(len(names), len(set(names)))
        quick = {case.name for case in cases.all_cases() if case.quick}
        for what, *_, needed in figures.TARGETS:
            self.assertLessEqual(set(needed), quick, what)


class Sweeps(unittest.TestCase):
    def test_points_of_a_list(self):
        listed = """\
# iwarpsim 0.1.0, 2 of 3 runs of made.cfg
1 path.forward.loss=0.1% run.seed=1
3 path.forward.loss=1% run.seed=2 done
7 path.forward.loss=1% run.seed=3
2 runs, about 3 s
"""
        self.assertEqual(processes.points_of(listed), [{"path.forward.loss": "0.1%", "run.seed": "1"},
                                                       {"path.forward.loss": "1%", "run.seed": "3"}])


class Page(unittest.TestCase):
    def every_case(self):
        numbers = run(1000, 0.5, wall_s=0.6, cpu_s=1.0, own_cpu_s=0.01, memory_peak_octets=2 * 10**7,
                      looks_at_two=9, looks_before_end=9, last_two_s=0.5)
        numbers.update({"segments": 100, "wall_s": 1.0, "events": 500, "copy_octets_per_s": 1e10},
                       **{step: 100.0 for step in report.MEMORY_STEPS})
        by_case = {case.name: [dict(numbers), dict(numbers)] for case in cases.all_cases()}
        for name in (name for names in figures.MARGINAL.values() for name in names):
            for turn in by_case[name]:
                turn["tcp.segments"] *= int(name.split()[-1])
                turn["time.wall_s"] *= int(name.split()[-1])
        return figures.Samples(by_case)

    def test_everything_is_on_it(self):
        profile = {"instructions": {"tcp": 900.0, "crc": 100.0},
                   "nanoseconds": {"tcp": 300.0, "kernel": 100.0}}
        samples = self.every_case()
        text = "\n".join(report.page(samples, [("processor", "one")], "bench/run")
                         + report.profile_section(profile, samples))
        for heading in ("Targets", "Beside ns-3's own TCP on the same link", "The scenarios of the targets",
                        "Loss, MTU, connections", "Connections", "Sweeps", "Bare events of the engines",
                        "CRC and copies against memory", "Where the time of a segment goes"):
            self.assertIn(f"### {heading}\n", text)
        self.assertIn("| tcp | 900 | 90.0 % | 300 | 75.0 % |", text)
        self.assertIn("Touching the octets alone takes 100 ns (see above, 256 KiB in flight), "
                      "25.0 % of the 400 ns", text)
        rows = [line for line in text.splitlines() if line.startswith("| 1% | 9000 |")]
        self.assertEqual(len(rows), len(cases.CONNECTIONS))
        self.assertEqual(re.findall(r"(?m)^\| ([\d,]+) \| 500,000 \(.*\| 1\.00 \(.*\|$", text),
                         ["1", "1,000", "10,000"])
        for scenario in cases.SWEEPS:
            row = next(line for line in text.splitlines() if line.startswith(f"| `{scenario}` |"))
            medians = [cell.partition(" (")[0].strip() for cell in row.split("|")[2:-1]]
            self.assertEqual(medians, ["0.60", "0.60", "1.000", "99.0 %", "100.0 %", "0.10"])

    def test_without_ns3(self):
        native = {case.name for case in cases.all_cases() if not case.needs_ns3}
        samples = figures.Samples({name: turns for name, turns in self.every_case().by_case.items()
                                   if name in native})
        text = "\n".join(report.page(samples, [], "bench/run"))
        self.assertNotIn("÷ ns-3's own TCP", text)
        self.assertIn("| native, lossless bulk Write, segments/s |", text)
        self.assertRegex(text, r"### Bare events of the engines\n(.*\n)*\| 10,000 \| [^|]+ \|  \|\n")

    def test_it_replaces_what_is_between_the_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            bench_run.PAGE = Path(folder) / "performance.md"
            bench_run.PAGE.write_text(f"# Head\n{bench_run.BEGIN}\nold\n{bench_run.END}\ntail\n",
                                      encoding="utf-8")
            bench_run.put_into_page(["new", ""])
            self.assertEqual(bench_run.PAGE.read_text(encoding="utf-8"),
                             f"# Head\n{bench_run.BEGIN}\nnew\n\n{bench_run.END}\ntail\n")
            bench_run.PAGE.write_text("no marks\n", encoding="utf-8")
            with self.assertRaises(processes.Failure):
                bench_run.put_into_page(["new"])

    def test_without_perf_there_are_no_times(self):
        text = "\n".join(report.profile_section({"instructions": {"tcp": 900.0}, "nanoseconds": {}},
                                                self.every_case()))
        self.assertIn("| tcp | 900 | 100.0 % |  |  |", text)

    def test_what_was_not_run_is_left_out(self):
        text = "\n".join(report.page(figures.Samples({"tiny": [{"process.wall_s": 0.01}]}), [],
                                     "bench/run --only tiny"))
        self.assertIn("| fixed cost of one run, start to result, ms | ≤ 15.0 | 10.0 | yes |", text)
        self.assertNotIn("### Sweeps", text)


class Profile(unittest.TestCase):
    def can_profile(self, macros, machine):
        """What scripts/pgo makes of a folder whose compiler has these macros and builds for this machine."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            compiler = folder / "cc"
            compiler.write_text(f"#!/bin/sh\n[ $1 = -dumpmachine ] && echo {machine}-linux-gnu || echo '{macros}'\n",
                                encoding="utf-8")
            compiler.chmod(0o755)
            (folder / "meson-info").mkdir()
            sources = [{"language": "cpp", "compiler": ["false"]}, {"language": "c", "compiler": [str(compiler)]}]
            (folder / "meson-info/intro-targets.json").write_text(json.dumps([{"target_sources": sources}]), encoding="utf-8")
            return pgo.can_profile(folder)

    def test_gcc_for_this_processor_has_one(self):
        self.assertTrue(self.can_profile("#define __GNUC__ 12", platform.machine()))

    def test_clang_has_none(self):
        self.assertFalse(self.can_profile("#define __clang__ 1", platform.machine()))

    def test_another_processor_has_none(self):
        self.assertFalse(self.can_profile("#define __GNUC__ 12", "another"))


if __name__ == "__main__":
    unittest.main()
