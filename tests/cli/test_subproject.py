# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about iwarpsim as the subproject of another meson project: without tests and benchmarks
only the program is configured, and it builds."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USER = {
    "meson.build": "project('user', 'c')\n"
                   "needs = dependency('iwarpsim', fallback: 'iwarpsim',\n"
                   "                   default_options: ['tests=false', 'bench=false', 'ns3=disabled'])\n"
                   "test('a function', executable('user', 'user.c', dependencies: needs))\n"
                   "test('the program', find_program('iwarpsim'), args: '--version')\n",
    # The check value of CRC32C.
    "user.c": '#include "base/crc32c.h"\n\n'
              "int main(void)\n{\n"
              '  return ~crc32c_update(CRC32C_INITIAL, (const uint8_t *)"123456789", 9) != 0xE3069283;\n}\n',
}


class Subproject(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="iwarpsim-subproject-")
        self.addCleanup(work.cleanup)
        user = Path(work.name)
        self.build = user / "build"
        for name, text in USER.items():
            (user / name).write_text(text, encoding="utf-8")
        (user / "subprojects").mkdir()
        (user / "subprojects/iwarpsim").symlink_to(ROOT)
        self.meson("setup", self.build, user, "-Doptimization=0")

    def meson(self, *arguments, **environment):
        run = subprocess.run(["meson", *arguments], capture_output=True, text=True, env=os.environ | environment, check=False)
        self.assertEqual(run.returncode, 0, run.stdout[-2000:] + run.stderr[-2000:])
        return run.stdout

    def introspect(self, what):
        return json.loads(self.meson("introspect", f"--{what}", self.build))


class Configured(Subproject):
    def test_only_the_program(self):
        self.assertEqual({target["name"] for target in self.introspect("targets")
                          if target["type"] == "executable"}, {"user", "iwarpsim"})
        self.assertEqual({test["name"] for test in self.introspect("tests")}, {"a function", "the program"})
        self.assertFalse([file for file in self.introspect("buildsystem-files")
                          if Path(file).is_relative_to(ROOT)
                          and Path(file).relative_to(ROOT).parts[0] in ("tests", "fuzz", "bench")])

    def test_link_time_optimization(self):
        """gcc's objects have plain code beside, for tests; lld would link clang's plain code as the program."""
        for compiler in filter(shutil.which, ("gcc", "clang")):
            with self.subTest(compiler=compiler):
                self.meson("setup", "--wipe", self.build, self.build.parent, "-Db_lto=true", CC=compiler)
                flags = {flag for target in self.introspect("targets") for source in target["target_sources"]
                         for flag in source.get("parameters", [])}
                self.assertIn("-flto", " ".join(flags))
                self.assertEqual("-ffat-lto-objects" in flags, compiler == "gcc")


class Built(Subproject):
    def test_a_function_and_the_program(self):
        self.meson("test", "-C", self.build)
