#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The drawings of docs/drawings are what scripts/drawings draws of the program's runs, and can be read in light and
dark.

argv: the built iwarpsim, the source folder."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SVG = "{http://www.w3.org/2000/svg}"
DRAWINGS = sorted((SOURCE / "docs/drawings").iterdir())


class Drawings(unittest.TestCase):
    def test_current(self):
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([SOURCE / "scripts/drawings", PROGRAM, name], check=True)
            self.assertEqual(sorted(os.listdir(name)), [d.name for d in DRAWINGS])
            for drawing in DRAWINGS:
                self.assertEqual((Path(name) / drawing.name).read_text(encoding="utf-8"), drawing.read_text(encoding="utf-8"),
                                 f"run scripts/drawings build/iwarpsim: {drawing.name}")

    def test_commands(self):
        """Each drawing is in docs/concepts.md, with a text for those who do not see it, and after it the command that it
        is made with: the same, but for the number of messages."""
        page = (SOURCE / "docs/concepts.md").read_text(encoding="utf-8")
        for path in DRAWINGS:
            text, after = page.split(f"](drawings/{path.name})")
            self.assertGreater(len(text.split("![")[-1]), 40, path.name)
            made = ElementTree.parse(path).getroot().find(f"{SVG}desc").text
            command = after.replace("\\\n", "").split("\n\n")[1].splitlines()[0]
            self.assertLessEqual({*shlex.split(made)} ^ {*shlex.split(command)},
                                 {"Made", "by", "scripts/drawings", "from:", "iwarpsim", "build/iwarpsim", "--set",
                                  "--pcap", "workload.messages=4"}, path.name)

    def test_numbers_of_the_texts(self):
        """What is measured has three digits or more; in the text for those who do not see a drawing, too."""
        for page in ("README.md", "docs/concepts.md"):
            for text, name in re.findall(r"!\[([^]]*)\]\((?:docs/)?drawings/([^)]*)\)", (SOURCE / page).read_text(encoding="utf-8")):
                root = ElementTree.parse(SOURCE / "docs/drawings" / name).getroot()
                drawn = " ".join(label.text for label in root.iter(f"{SVG}text"))
                for number in re.findall(r"\d[\d.,]*\d", text):
                    if len(number) > 2:
                        self.assertIn(number, drawn, f"{page}: {name}")

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
            self.assertEqual(root.find(f"{SVG}rect").get("class"), "paper")
            self.assertTrue(root.find(f"{SVG}title").text)
            self.assertIn("iwarpsim run scenarios/one-loss-markers.cfg ", root.find(f"{SVG}desc").text)
            width = float(root.get("viewBox").split()[2])
            for label in root.iter(f"{SVG}text"):
                wide = len(label.text) * (7.0 if "small" in label.get("class") else 7.9)
                left = float(label.get("x")) - wide * {"middle": 0.5, "end": 1}.get(label.get("class").split()[-1], 0)
                self.assertTrue(0 <= left and left + wide <= width + 4, f"{path.name}: {label.text}")


unittest.main(argv=[sys.argv[0], "-v"])
