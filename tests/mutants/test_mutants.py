#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/mutants: what it draws of a C source, and what becomes of every mutant of a small project."""

import importlib.machinery
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = os.environ["MUTANTS"]
loader = importlib.machinery.SourceFileLoader("mutants", SCRIPT)
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
loader.exec_module(mutants)

# The test knows what twice() returns, not what untested() does.
PROJECT = {
    "meson.build": "project('small', 'c')\nsubdir('model/base')\nsubdir('model/thing')\n"
                   "thing = executable('test_thing', 'test_thing.c', link_with: thing_lib)\n"
                   "test('thing', thing)\n",
    "meson_options.txt": "option('ns3', type: 'feature')\n",
    "model/base/meson.build": "base_lib = static_library('base', 'base.c')\n",
    "model/base/base.c": "int two(void);\nint two(void)\n{\n  return 2;\n}\n",
    "model/thing/meson.build": "thing_lib = static_library('thing', 'thing.c', link_with: base_lib)\n",
    "model/thing/thing.c": "int two(void);\nint twice(int x);\nint untested(int x);\n\n"
                           "int twice(int x)\n{\n  return two() * x + 1;\n}\n\n"
                           "int untested(int x)\n{\n  return x + 7;\n}\n",
    "test_thing.c": "int twice(int x);\nint untested(int x);\n"
                    "int main(void) { return untested(1) == 0 || twice(21) != 43; }\n",
}


def changes(text, operator=None):
    """The lines that the mutants of a source change, as they then are."""
    file = mutants.File("a.c", text)
    return [next(new.strip() for old, new in zip(text.splitlines(), mutant.of(text).splitlines())
                 if old != new)
            for mutant in file.mutants if operator in (None, mutant.operator)]


class Drawn(unittest.TestCase):
    def test_only_code_that_is_no_check(self):
        self.assertEqual(changes('#define A (1 < 2)\n#include "a<1.h"\n/* if (a < 1) */\n// 1 < 2\n'
                                 'const char *a = "1 < 2 // \\" 1";\nvoid f(int x)\n{\n'
                                 "  g_assert_cmpint(x, <, 1);\n  g_return_if_fail(x < 1);\n}\n"), [])

    def test_comparison(self):
        self.assertEqual(changes("int f(int a) { return a->b < a >> c; }", "comparison"),
                         ["int f(int a) { return a->b <= a >> c; }",
                          "int f(int a) { return a->b >= a >> c; }"])

    def test_constant(self):
        self.assertEqual(changes("enum { A = 0x0Fu };", "constant"),
                         [f"enum {{ A = {other}u }};" for other in (0, 14, 16, 30)])
        self.assertEqual(changes("bool a = true;", "constant"), ["bool a = false;"])

    def test_branch(self):
        self.assertEqual(changes("void f(void)\n{\nif (a(1) || b) {\n}\n}\n", "branch"),
                         ["if (!(a(1) || b)) {", "if (false && (a(1) || b)) {", "if (true || (a(1) || b)) {",
                          "if (a(1) && b) {"])
        self.assertEqual(changes("int a = b ? c(1, 2) : d;", "branch"), ["int a = b ? d : c(1, 2);"])

    def test_order(self):
        self.assertEqual(changes("void f(void) { a(b, c[1, 2]); }", "order"),
                         ["void f(void) { a(c[1, 2], b); }"])
        self.assertEqual(changes("void f(void)\n{\n  a = b;\n  b = c;\n}\n", "order"), ["b = c;"])
        # Neither is read by the other: the order cannot matter.
        self.assertEqual(changes("void f(void)\n{\n  a = x;\n  b = c;\n}\n", "order"), [])

    def test_width(self):
        self.assertEqual(changes("uint64_t a = (uint32_t)b;", "width"),
                         ["uint32_t a = (uint32_t)b;", "uint64_t a = (uint16_t)b;"])

    def test_missing_call(self):
        self.assertEqual(changes("void f(void)\n{\n  x *y;\n  a(b, c);\n  g_free(b);\n  return d();\n}\n",
                                 "missing call"), [";"])

    def test_lines_stay_where_they_are(self):
        source = Path(SCRIPT).parent.parent / "model/tcp/tcp_rack.c"
        file = mutants.File("a.c", source.read_text(encoding="utf-8"))
        self.assertGreater(len(file.mutants), 100)
        for mutant in file.mutants:
            self.assertEqual(mutant.of(file.text).count("\n"), file.text.count("\n"), mutant)

    def test_a_seed_draws_the_same(self):
        def draw(seed):
            file = mutants.File("a.c", "int a = 1 < 2 && 3;" * 20)
            return list(itertools.islice(mutants.drawn([file], seed), 10))

        self.assertEqual(draw("7"), draw("7"))
        self.assertNotEqual(draw("7"), draw("8"))
        self.assertEqual(len(set(draw("7"))), 10)


class Refused(unittest.TestCase):
    def test_bad_arguments(self):
        for arguments, words in ((["--count", "0"], "'0' is not a whole number of 1 and above"),
                                 (["--only", "3-1"],
                                  "'3-1' is not a number or a range of numbers such as 7-9"),
                                 (["model/thign"],
                                  "model/thign: no C source there; expected a folder such as model/net")):
            done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr.splitlines()[-1])


class Copied(unittest.TestCase):
    def test_what_a_commit_may_have(self):
        # The manual pages are made of results/reference, too; other results are the user's.
        kept = {"a.c", "results/reference/a/a.csv", "model/build.c", "tests/results/a"}
        left = {".git", "build/a", "build-long/a", "results/a/a.csv", "tests/__pycache__/a.pyc"}
        with tempfile.TemporaryDirectory() as work:
            for name in sorted(kept | left):
                path = Path(work, "tree", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("a")
            copy = Path(work, "copy")
            mutants.copy_tree(Path(work, "tree"), copy)
            self.assertEqual({str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}, kept)


class Chosen(unittest.TestCase):
    """Tests of a module `near`, beyond which lies `far`; CPU seconds against the limits of 5 s and 0.5 s."""

    def test_what_is_left_out_is_counted(self):
        outcomes = {"quick": ("", 0.5), "longer": ("", 0.6), "slow": ("", 5.1), "broken": ("exit code 1", 0.1)}

        class Fake(mutants.Bench):
            def library_of(self, source):
                return source, None

            def distance(self, test, library):
                return {"near": 1, "far": 2}[library]

            def measure(self, tests):
                return [(test, mutants.Outcome(*outcomes[test["name"]])) for test in tests]

        bench = Fake(Path(), 1, 5)
        bench.tests = [{"name": name} for name in outcomes]
        bench.choose_tests(["near", "far"])
        self.assertEqual({library: [test["name"] for _, _, test in tests]
                          for library, tests in bench.chosen.items()},
                         {"near": ["quick", "longer"], "far": ["quick"]})
        self.assertEqual(bench.left_out, {"failing": ["broken (exit code 1)"], "slow": ["slow"],
                                          "slow and far": ["longer"]})

    def test_a_test_that_waits_is_told_from_one_that_fails(self):
        with tempfile.TemporaryDirectory() as work:
            bench = mutants.Bench(Path(work), 1, 1)
            for command, failure in (("exit 3", "exit code 3"), ("exit 77", ""), ("true", ""),
                                     ("sleep 60", "no end within 1 s")):
                test = {"cmd": ["sh", "-c", command], "env": {}, "workdir": work}
                self.assertEqual(bench.run_test(test, Path(work), 1, patience_s=1).failure, failure)


class Tried(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, text in PROJECT.items():
            path = Path(cls.folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def mutants(self, *arguments):
        return subprocess.run([SCRIPT, "--tree", self.folder.name, *arguments], capture_output=True,
                              text=True, check=False)

    def test_every_mutant(self):
        # Two constants, which become 0, the neighbours, and twice as much: 1 becomes 0 and 2, and 7 becomes
        # 0, 6, 8, 14.
        done = self.mutants("--seed", "1", "--count", "99", "--at-most", "3", "model/thing")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "6 mutants of seed 1 tried: 2 killed, 4 survived; "
                         "drawn besides: 0 not compiled, 0 the same code; tests left out: 0 failing, 0 slow, "
                         "0 slow and far")
        self.assertEqual(sorted(re.findall(r"(?m)^\+  return (.*);$", done.stdout)),
                         ["x + 0", "x + 14", "x + 6", "x + 8"])
        self.assertEqual((Path(self.folder.name) / "model/thing/thing.c").read_text(encoding="utf-8"),
                         PROJECT["model/thing/thing.c"])
        # The same seed tries the same; two of them alone, with what became of them.
        again = self.mutants("--seed", "1", "--count", "99", "--only", "2,6", "model/thing")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual({int(number)
                          for number in re.findall(r"(?m)^mutant (\d+) \(constant\)", again.stdout)}, {2, 6})

    def test_an_endless_test_has_failed(self):
        with tempfile.TemporaryDirectory() as work:
            bench = mutants.Bench(Path(work), 1, 1)
            test = {"cmd": ["sh", "-c", "while :; do :; done"], "env": {}, "workdir": work}
            self.assertEqual(bench.run_test(test, Path(work), 1).failure, "exit code -9")

    def test_a_suite_that_nobody_has(self):
        done = self.mutants("--suite", "thign", "model/thing")
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (2, "mutants: no test is in suite thign"))


if __name__ == "__main__":
    unittest.main()
