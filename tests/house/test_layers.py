#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what scripts/check-layers refuses in small made-up trees, and that it reads its table from
docs/architecture.md."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TABLE = """# A page

## Who may know whom

```
model/low   low
model/high  high low
shim        shim low
model/low/low_exception.h  high
```
"""


class Layers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("docs/architecture.md", TABLE)
        self.write("model/low/low_thing.h",
                   "typedef struct low_thing low_thing;\nint low_thing_count(const low_thing *thing);\n")
        self.write("model/high/high_thing.h", "enum { HIGH_THING_SIZE = 3 };\nvoid high_thing_use(void);\n")

    def write(self, path, text):
        file = Path(self.folder.name) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self):
        run = subprocess.run([sys.executable, os.environ["LAYERS"], self.folder.name], capture_output=True,
                             text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def refuses(self, path, text, expected):
        self.write(path, text)
        code, said = self.check()
        self.assertEqual(code, 1, said)
        self.assertIn(expected, said)

    def test_what_the_table_allows(self):
        self.write("model/high/high_thing.c",
                   '#include "low/low_thing.h"\nint high_thing_sum(void) { return low_thing_count(0); }\n')
        self.assertEqual(self.check(), (0, ""))

    def test_an_include(self):
        self.refuses("model/low/low_thing.c", '\n#include "high/high_thing.h"\n',
                     "model/low/low_thing.c:2: model/low may not know high/")

    def test_a_function_without_an_include(self):
        self.refuses("model/low/low_thing.c", "int low_thing_count(void) { high_thing_use(); return 1; }\n",
                     "whose 'high_thing_use' it uses")

    def test_an_enumerator(self):
        self.refuses("model/low/low_thing.c", "int low_thing_count(void) { return HIGH_THING_SIZE; }\n",
                     "whose 'HIGH_THING_SIZE' it uses")

    def test_comments_and_strings_are_no_use(self):
        self.write("model/low/low_thing.c",
                   '/* as high_thing_use() */\nconst char *text = "HIGH_THING_SIZE"; // high_thing_use\n')
        self.assertEqual(self.check(), (0, ""))

    def test_a_file_that_may_know_more(self):
        self.write("model/low/low_exception.h", '#include "high/high_thing.h"\n')
        self.assertEqual(self.check(), (0, ""))

    def test_a_folder_without_a_row(self):
        self.refuses("model/new/new_thing.c", "int x;\n",
                     "model/new is not in the table of docs/architecture.md")

    def test_ns3_only_in_cpp_of_the_shim(self):
        self.write("shim/ns3_thing.cc", "#include <ns3/core-module.h>\n")
        self.assertEqual(self.check(), (0, ""))
        self.refuses("shim/ns3_thing.c", "#include <ns3/core-module.h>\n", "includes ns-3")

    def test_the_terminal(self):
        self.refuses("model/low/low_thing.c", 'void f(void) { printf("x"); }\n', "a terminal may show")

    def test_files_that_the_project_s_page_names_are_there(self):
        root = Path(os.environ["LAYERS"]).parent.parent
        for name in set(re.findall(r"`([a-z_]+/[a-z0-9_/]+\.(?:c|h|def))`",
                                   (root / "docs/architecture.md").read_text())):
            self.assertTrue(any((root / top / name).is_file() for top in (".", "model")), name)

    def test_a_page_without_the_table(self):
        self.write("docs/architecture.md", "# A page\n")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("there is no table", said)


if __name__ == "__main__":
    unittest.main()
