#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what scripts/house counts in small made-up trees: code, functions and who calls them,
circles, comparisons, and what it refuses."""

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("house", os.environ["HOUSE"])
house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
loader.exec_module(house)


class Made(unittest.TestCase):
    """Each test has a tree of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def tree(self, **files):
        """a__b_c="…" is model/a/b.c; names that start with `tests__` or `shim__` are outside model/."""
        for name, text in files.items():
            folder, file = name.rsplit("__", 1)
            stem, suffix = file.rsplit("_", 1)
            top = "" if folder in ("tests", "shim") else "model/"
            path = Path(self.folder.name) / f"{top}{folder}" / f"{stem}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return house.House(self.folder.name)


class Code(Made):
    def test_comments_and_blank_lines_are_no_code(self):
        text = ('/* one\n * two */\n\n// three\nint a; /* four */\nchar *b = "/* no comment";\n'
                'int c = \'"\'; // five\n')
        self.assertEqual(house.code_lines(text, ".c"), 3)

    def test_python(self):
        self.assertEqual(house.code_lines('#!/bin/x\n"""One\ntwo."""\n\na = 1  # three\nb = """x"""\n',
                                          ".py"), 2)

    def test_tables_and_generators_count_and_builds_do_not(self):
        made = self.tree(a__keys_def="ROW(a)\n/* no */\nROW(b)\n", a__make_py="# no\nprint()\n",
                         a__meson_build="x = 1\n")
        self.assertEqual(made.code_lines(["model"]), 3)


class Functions(Made):
    def test_uncalled(self):
        made = self.tree(a__x_h="int called(int a);\nint uncalled(int a,\n             int b);\n",
                         a__x_c="int called(int a)\n{\n  return a; /* uncalled(1, 2) */\n}\n\n"
                                "int uncalled(int a,\n             int b)\n{\n  return uncalled(a, b);\n}\n",
                         b__y_c="int main(void)\n{\n  return called(1);\n}\n")
        self.assertEqual(made.uncalled, ["model/a/x.h:2: uncalled"])

    def test_called_from_a_test_only_is_uncalled(self):
        made = self.tree(a__x_h="int f(void);\n", a__x_c="int f(void)\n{\n  return 1;\n}\n",
                         tests__test_c="int main(void)\n{\n  return f();\n}\n")
        self.assertEqual(made.uncalled, ["model/a/x.h:1: f"])

    def test_address_is_a_use_and_a_member_of_the_name_is_none(self):
        made = self.tree(a__x_h="int f(void);\nint g(void);\nint h(void);\n",
                         b__y_c="int (*const table[])(void) = {f};\n\n"
                                "int k(struct s *s)\n{\n  int h;\n  return s->g + s[0].g;\n}\n")
        self.assertEqual(made.uncalled, ["model/a/x.h:2: g", "model/a/x.h:3: h"])

    def test_rows_of_a_table_use_its_macro(self):
        made = self.tree(a__x_h='#define ROW(a) a,\nenum e {\n#include "a/rows.def"\n};\n#undef ROW\n',
                         a__rows_def="ROW(one)\nROW(two)\n")
        self.assertEqual(made.uncalled, [])

    def test_short_and_called_once(self):
        long = "static int long_one(void)\n{\n" + "  step();\n" * 7 + "}\n\n"
        made = self.tree(a__x_c="#define TWICE(a) ((a) * 2)\n\nstatic int once(void)\n{\n  return 1;\n}\n\n"
                                + long + "static int twice(void)\n{\n  return 1;\n}\n\n"
                                "static int passed(void)\n{\n  return 1;\n}\n\n"
                                "int main(void)\n{\n  use(passed);\n"
                                "  return once() + twice() + twice() + long_one() + TWICE(2);\n}\n",
                         a__y_c="static int once(int a)\n{\n  return a;\n}\n")
        self.assertEqual([line.split(",")[0] for line in made.short],
                         ["model/a/x.c:3: once", "model/a/x.c:1: TWICE"])

    def test_first_function_of_a_namespace(self):
        made = self.tree(shim__x_cc="namespace\n{\n\nint f(int a)\n{\n  return a;\n}\n\n} // namespace\n")
        self.assertEqual([function.name for function in made.files[0].functions], ["f"])


class Circles(Made):
    def test_of_files(self):
        made = self.tree(a__x_h='#include "a/y.h"\n', a__y_c='#include "a/y.h"\n#include "a/x.h"\n',
                         a__y_h="", a__z_h='#include "a/x.h"\n')
        self.assertEqual(made.circles, [["model/a/x", "model/a/y"]])
        self.assertEqual(made.folder_circles, [])

    def test_of_calls(self):
        made = self.tree(a__x_h="void f(void);\n", a__x_c="void f(void)\n{\n  g();\n}\n",
                         a__y_h='#include "a/x.h"\n', a__y_c="void g(void)\n{\n  f();\n}\n")
        self.assertEqual(made.circles, [["model/a/x", "model/a/y"]])

    def test_own_headers_are_none(self):
        made = self.tree(a__x_c='#include "a/x.h"\n#include "a/x_private.h"\n', a__x_h="",
                         a__x_private_h='#include "a/x.h"\n')
        self.assertEqual(made.circles, [])

    def test_in_a_comment_is_none(self):
        made = self.tree(a__x_h='#include "a/y.h"\n', a__y_h='/*\n#include "a/x.h"\n*/\n')
        self.assertEqual(made.circles, [])

    def test_of_folders(self):
        made = self.tree(a__x_h='#include "shim/y.h"\n', a__z_h="", shim__y_c='#include "a/z.h"\n',
                         shim__y_h="")
        self.assertEqual(made.circles, [])
        self.assertEqual(made.folder_circles, [["model/a", "shim"]])


class SaidTwice(Made):
    def test_comparisons(self):
        made = self.tree(a__x_c="static bool says(const scenario *s, scenario_key key, const char *word)\n{\n"
                                "  return strcmp(scenario_text(s, key), word) == 0;\n}\n\n"
                                "int f(const scenario *s)\n{\n  const char *mode = scenario_text(s, MODE);\n"
                                '  return says(s, A, "b") + g_str_equal(mode, "c") +\n'
                                '         !strcmp("d", scenario_text(s, D)) + strcmp(name, "e");\n}\n')
        self.assertEqual([line.split(":")[1] for line in made.comparisons], ["9", "9", "10"])

    def test_keepers(self):
        text = ("struct a {\n  struct {\n    int b;\n  } c;\n  const scenario *s; /* kept */\n};\n\n"
                "void f(scenario *s);\n")
        self.assertEqual(self.tree(a__x_h=text, scenario__y_h=text).keepers, ["model/a/x.h:5: s"])

    def test_sides(self):
        made = self.tree(a__x_c="typedef enum mpa_role { MPA_INITIATOR, MPA_RESPONDER } mpa_role;\n"
                                "typedef enum sim_direction { SIM_FORWARD, SIM_REVERSE } sim_direction;\n\n"
                                "static mpa_role other(mpa_role a)\n{\n"
                                "  return a == MPA_INITIATOR ? MPA_RESPONDER : MPA_INITIATOR;\n}\n\n"
                                "sim_direction to(mpa_role a)\n{\n"
                                "  return a == MPA_INITIATOR ? SIM_REVERSE : SIM_FORWARD;\n}\n\n"
                                "int main(void)\n{\n  send(to(MPA_INITIATOR));\n"
                                "  other((mpa_role)index);\n}\n",
                         base__side_h="enum side { SIDE_INITIATOR, SIDE_RESPONDER, SIDES };\n\n"
                                      "static inline enum side side_of(mpa_role role)\n{\n"
                                      "  return (enum side)role;\n}\n")
        self.assertEqual(made.sides,
                         ["model/a/x.c:11: choice", "model/a/x.c:16: call", "model/a/x.c:17: cast",
                          "model/base/side.h:5: cast"])

    def test_flags(self):
        made = self.tree(mpa__x_h="bool any_revision; /* any_revision */\n", sim__y_h="bool any_revision;\n")
        self.assertEqual(made.flags, ["model/mpa/x.h:1: any_revision"])


class Hosts(Made):
    def test_places_that_assume_two(self):
        made = self.tree(session__x_c="int a[SIDES];\nint b = side_peer(c);\nint d = e * SIDES + f;\n"
                                      "int g = session_host_of(h, side);\nint i = SIDES;\n",
                         network__path_x_c="int a[SIDES];\n", mpa__y_c="int a[SIDES];\n",
                         shim__z_c="int a[SIDES]; int b[SIDES];\n")
        self.assertEqual(made.two_hosts, [
            "model/session/x.c:1: [SIDES]", "model/session/x.c:2: side_peer(", "model/session/x.c:3: * SIDES",
            "model/session/x.c:4: session_host_of(h, side)", "shim/z.c:1: [SIDES]", "shim/z.c:1: [SIDES]"])

    def test_named_places_stay(self):
        page = Path(self.folder.name) / "docs/architecture.md"
        page.parent.mkdir()
        for named, found in ((1, 2), (2, 0)):
            page.write_text(f"| `shim/z.c` | {named} | why |\n")
            self.assertEqual(len(self.tree(shim__z_c="int a[SIDES]; int b[SIDES];\n").two_hosts), found)


class Check(Made):
    def setUp(self):
        super().setUp()
        for name in ("LIMITS", "RECIPES", "TWINS"):
            self.addCleanup(setattr, house, name, getattr(house, name))
        house.RECIPES, house.TWINS = {}, {}

    def test_limits(self):
        made = self.tree(a__x_h="int f(void);\n")
        house.LIMITS = {"uncalled": 1}
        self.assertEqual(house.problems(made), [])
        house.LIMITS = {"uncalled": 0}
        self.assertEqual(house.problems(made), ["uncalled: 1, at most 0"])

    def test_budget(self):
        made = self.tree(a__x_h="int f(void);\nint g(void);\n")
        self.assertEqual(house.over_budget(made), [])
        house.BUDGET = 1
        self.assertEqual(house.over_budget(made), ["code lines: 2, at most 1"])

    def test_lists_name_files_that_exist(self):
        house.LIMITS = {}
        house.RECIPES = {"metric": ("m", ["model/a/x.h", "model/a/gone.h"])}
        self.assertEqual(house.problems(self.tree(a__x_h="")),
                         ["model/a/gone.h does not exist: bring the lists of scripts/house up to date"])


class Printed(unittest.TestCase):
    def test_reader_that_has_gone(self):
        """As after `| head -1`: the signal ends a script that prints a list, which then writes no traceback."""
        scripts = Path(os.environ["HOUSE"]).parent
        for name, *options in (["house"], ["requirements", "--check"], ["manual", os.environ["PROGRAM"], "--markdown"]):
            with self.subTest(name=name):
                reads, writes = os.pipe()
                os.close(reads)
                done = subprocess.run([scripts / name, *options], stdout=writes, stderr=subprocess.PIPE, check=False)
                os.close(writes)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))


if __name__ == "__main__":
    unittest.main()
