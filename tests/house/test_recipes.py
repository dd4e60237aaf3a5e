#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the recipes of docs/extending.md: each applies to the tree, touches no more files
than its aim, and compiles.

The environment: HOUSE (scripts/house), SOURCE and BUILD (the folders), CC (the compiler), CFLAGS (those of
GLib)."""

import importlib.machinery
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

loader = importlib.machinery.SourceFileLoader("house", os.environ["HOUSE"])
house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
loader.exec_module(house)

SOURCE = Path(os.environ["SOURCE"])
COMPILE = [*shlex.split(os.environ["CC"]), "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra",
           "-Werror", "-Imodel", f"-I{os.environ['BUILD']}", f"-I{os.environ['BUILD']}/model",
           *shlex.split(os.environ["CFLAGS"])]

# These are made from a table or a header that a recipe changes.
MADE_FROM = {
    "model/measure/metrics.def": ["model/measure/metric_table.c"],
    "model/scenario/keys.def": ["model/scenario/scenario_keys.c", "model/scenario/scenario.c"],
    "model/scenario/path_keys.def": ["model/scenario/scenario_keys.c", "model/scenario/scenario.c"],
    "model/fault/faults.def": ["model/fault/fault_edit.c", "model/scenario/scenario_keys.c"],
    "model/ulp/ulp_plan.h": ["model/ulp/ulp_agreement.c", "model/ulp/ulp_workload.c"],
    "model/network/path_middleboxes.h": ["model/network/path_middleboxes.c"],
    "model/study/plot/study_plot.h": ["model/study/plot/study_plot.c"],
}


def recipes():
    return re.findall(r"```diff\n(.*?)```", (SOURCE / "docs" / "extending.md").read_text(), re.S)


class Recipes(unittest.TestCase):
    def follow(self, kind, patch):
        """Applies the patch to a copy of model/ and compiles it there."""
        touched = re.findall(r"^\+\+\+ b/(\S+)", patch, re.M)
        self.assertLessEqual(len(touched), house.AIMS[kind], f"{kind}: {touched}")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SOURCE / "model", Path(folder) / "model")
            done = subprocess.run(["patch", "-p1", "--fuzz=1"], cwd=folder, input=patch, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0,
                             f"the recipe of a {kind} must be refreshed, as the beginning of "
                                                 f"docs/extending.md describes:\n{done.stdout}")
            for file in {f for name in touched for f in [name, *MADE_FROM.get(name, [])] if f.endswith(".c")}:
                made = subprocess.run([*COMPILE, file], cwd=folder, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(made.returncode, 0, f"{kind}: {made.stderr}")

    def test_all(self):
        found = recipes()
        self.assertEqual(len(found), len(house.RECIPES))
        for kind, patch in zip(house.RECIPES, found):
            with self.subTest(kind):
                self.follow(kind, patch)

    def test_third_host(self):
        """What the page quotes of the test is there, as it is."""
        code = (SOURCE / "tests" / "session" / "test_third_host.c").read_text()
        page = (SOURCE / "docs" / "extending.md").read_text()
        section = page.split("\n## A third host\n")[1].split("\n## ")[0]
        quoted = re.findall(r"```c\n(.*?)```", section, re.S)
        self.assertEqual(len(quoted), 3)
        for part in quoted:
            self.assertIn(part, code)


if __name__ == "__main__":
    unittest.main()
