#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show that nothing in the tree cites what is not there, and what scripts/check-citations refuses
in small made-up trees."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NOTES = "# Notes\n\n## Generations\n\n- **M1** *A trap.* Text.\n- **D12** *Another.*\n"


class Citations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("docs/protocol-notes.md", NOTES)
        self.write("tests/requirements/requirements-mpa.tsv", "id\tlayer\nMPA-001\tMPA\n")
        self.write("model/mpa/mpa_marker.h", "int x;\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, *folder):
        run = subprocess.run([sys.executable, os.environ["CITATIONS"], *folder], capture_output=True,
                             text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def accepts(self, text, path="model/mpa/mpa.c"):
        self.write(path, text)
        self.assertEqual(self.check(self.root), (0, ""))

    def refuses(self, text, line, cited, path="model/mpa/mpa.c"):
        self.write(path, text)
        self.assertEqual(self.check(self.root), (1, f"{path}:{line}: {cited} is not in the repository\n"))
        (self.root / path).unlink()

    def test_the_tree(self):
        self.assertEqual(self.check(), (0, ""))

    def test_requirements(self):
        self.accepts("/* MPA-001 */\n")
        self.refuses("\n/* MPA-001, MPA-002 */\n", 2, "MPA-002")
        self.refuses('const char *name = "MPA-003";\n', 1, "MPA-003")

    def test_notes(self):
        self.accepts("/* (note M1; notes M1,\n * D12 … M1) */\n")
        self.refuses("/* note M2 */\n", 1, "note M2")
        self.refuses("/* (notes\n * M1, D3) */\n", 1, "note D3")

    def test_pages(self):
        self.accepts('/* docs/protocol-notes.md, "Gen" */\n')
        self.refuses("/* as design.md has it */\n", 1, "design.md")
        self.refuses("# see notes.md\n", 1, "notes.md", "scripts/check")

    def test_headings(self):
        self.accepts('/* docs/protocol-notes.md,\n * "Generations" */\n')
        self.refuses('/* docs/protocol-notes.md, "No generations" */\n', 1,
                     'docs/protocol-notes.md, "No generations"')

    def test_source_files(self):
        self.accepts('#include "gone.h"\n'
                     "/* mpa_marker.h, mpa/mpa_marker.h; Linux' net/ipv4/tcp_cubic.c; x.c */\n"
                     'char *s = "gone.c";\n')
        self.refuses("/* see mpa/mpa_gone.c */\n", 1, "mpa/mpa_gone.c")
        self.refuses("See `ddp/mpa_marker.h`.\n", 1, "ddp/mpa_marker.h", "docs/page.md")


if __name__ == "__main__":
    unittest.main()
