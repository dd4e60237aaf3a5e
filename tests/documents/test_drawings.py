#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The drawings of docs/drawings are what scripts/drawings draws of the program's runs, and can be read in light and
dark.

argv: the built iwarpsim, the source folder."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
DRAWINGS = sorted((SOURCE / "docs/drawings").iterdir())


def check(tree):
    return subprocess.run([tree / "scripts/drawings", PROGRAM, "--check"], capture_output=True, text=True, check=False)


class Drawings(unittest.TestCase):
    def test_current(self):
        done = check(SOURCE)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_changed(self):
        """A drawing with another number is not current, and one that the script does not draw has no place."""
        with tempfile.TemporaryDirectory() as name:
            tree = Path(name)
            for path in ("scripts/drawings", "scenarios/one-loss-markers.cfg", *(f"docs/drawings/{d.name}" for d in DRAWINGS)):
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / path, tree / path)
            drawing = tree / "docs/drawings/question.svg"
            drawing.write_text(drawing.read_text(encoding="utf-8").replace(">776<", ">777<"), encoding="utf-8")
            (tree / "docs/drawings/other.svg").touch()
            self.assertEqual(check(tree).stdout.splitlines(),
                             ["docs/drawings/question.svg is not what the program draws: run scripts/drawings PROGRAM",
                              "docs/drawings/other.svg is not drawn by scripts/drawings"])

    def test_light_and_dark(self):
        """Each class of a drawing has a colour in light and one in dark; it has a background, a title and the command
        that its numbers come from; and no text reaches beyond its edge, with 7.7 units for a wide letter."""
        for path in DRAWINGS:
            text = path.read_text(encoding="utf-8")
            light, dark = text.split("prefers-color-scheme:dark")
            used = {word for names in re.findall(r'class="([^"]+)"', text) for word in names.split()}
            for name in used - {"small", "bold", "middle", "end"}:
                for half in (light.split("<style>")[1], dark.split("</style>")[0]):
                    self.assertRegex(half, rf"\.{name}\{{(fill|stroke):#", f"{path.name}: {name}")
            root = ElementTree.fromstring(text)
            svg = "{http://www.w3.org/2000/svg}"
            self.assertEqual(root.find(f"{svg}rect").get("class"), "paper")
            self.assertTrue(root.find(f"{svg}title").text)
            self.assertIn("iwarpsim run scenarios/one-loss-markers.cfg ", root.find(f"{svg}desc").text)
            width = float(root.get("viewBox").split()[2])
            for label in root.iter(f"{svg}text"):
                wide = len(label.text) * (7.0 if "small" in label.get("class") else 7.9)
                left = float(label.get("x")) - (wide / 2 if "middle" in label.get("class") else 0)
                self.assertTrue(0 <= left and left + wide <= width + 4, f"{path.name}: {label.text}")


unittest.main(argv=[sys.argv[0], "-v"])
