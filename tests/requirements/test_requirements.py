#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/requirements on small trees: one that is in order, and one for each kind of defect."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(os.environ.get("REQUIREMENTS")
              or Path(__file__).resolve().parents[2] / "scripts" / "requirements")
HEAD = "id\tlayer\tlevel\tgeneration\tsource\trequirement\tcheck\n"


def rows(prefix, levels, section, generation="both"):
    return HEAD + "".join(f"{prefix}-{n:03}\tX\t{level}\t{generation}\t{section}\tText {n}.\tCheck.\n"
                          for n, level in enumerate(levels, 1))


# 42 MUST rows: 3 % of them is 1.
TREE = {
    "tests/requirements/requirements-mpa.tsv":
        rows("MPA", ["MUST"] * 36 + ["MUST NOT", "FACT", "SHOULD", "MAY", "MUST (out of scope)"],
             "mpa-02 §7.1; mpa-01 §5.1.2"),
    "tests/requirements/requirements-ddp.tsv": rows("DDP", ["MUST", "FACT"], "ddp-07/rfc5041 §4 item 2"),
    "tests/requirements/requirements-rdmap.tsv": rows("RDMAP", ["MUST", "MUST NOT", "MAY"],
                                                      "rdmap-00 §6.8 fig 10"),
    "tests/requirements/requirements-6581.tsv": rows("R6581", ["MUST"], "rfc6581 §9.2", "rfc6581"),
    "tests/requirements/requirements-7306.tsv": rows("R7306", ["MUST NOT"], "rfc7306 §5.4 item 1", "rfc6581"),
    "tests/requirements-waived.tsv": "MPA-036\tNeeds a machine room.\n",
    "tests/requirements-optional.tsv":
        "MPA-039\tdone\tmpa_framer.c; test_comment\nMPA-040\toption\tmpa.packing\n"
        "RDMAP-003\tnot done\tnobody asked\n",
    "tests/requirements/observed.tsv":
        "MPA-001\tcrc; long ulpdu\n" + "".join(f"MPA-{n:03}\tno\tWithin an end.\n" for n in range(2, 38)) +
        "DDP-001\tcrc\nRDMAP-001\tcrc\nRDMAP-002\tno\tWithin an end.\nR6581-001\tcrc\nR7306-001\tcrc\n",
    "model/decode/decode_problems.def":
        'PROBLEM(CRC, "crc", ERROR, "x", "y")\nPROBLEM(LONG_ULPDU, "long ulpdu", ERROR,\n        "x", "y")\n',
    "meson.build": "subdir('tests')\n",
    "tests/meson.build": "subdir('mpa')\n",
    "tests/mpa/meson.build": "foreach noun : ['thing', 'other']\nendforeach\n",
    "tests/mpa/test_thing.c": """
static const struct row {
  const char *name;
} cases[] = {
    {"MPA-002: one"}, {"MPA-003, MPA-004: two"},
};

static void run_case(const struct row *row) { g_assert_nonnull(row->name); }

/* MPA-001: a comment
 * of two lines. */
static void test_comment(void) { g_assert_true(TRUE); }

BENCH_TEST(test_table, bench_with(&(config){.sack = true}))
{
  run_case(&cases[0]);
}

/* Registered by a table. DDP-001, MPA-037 */
static void test_listed(void)
{
  char brace = '}';
}

int main(void)
{
  static const struct { const char *path; void (*function)(void); } tests[] = {{"/listed", test_listed}};
  g_test_add_func("/comment", test_comment);
  g_test_add_func(tests[0].path, tests[0].function);
}
""",
    "tests/mpa/test_other.c":
        "/* RDMAP-001 */\n/* " + ", ".join(f"MPA-{n:03}" for n in range(5, 36)) + ", RDMAP-002, R6581-001, R7306-001 */\n"
        "static void test_rest(const void *data) {}\n"
        "int main(void) { g_test_add_data_func(\"/rest\", NULL, test_rest); }\n",
}


class Requirements(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        for name, text in TREE.items():
            self.write(name, text)
        (self.root / "docs").mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def change(self, name, old, new):
        text = (self.root / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.write(name, text.replace(old, new, 1))

    def run_script(self, *options):
        return subprocess.run([sys.executable, str(SCRIPT), "--root", str(self.root), *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)

    def assert_defect(self, line):
        """--check, the page being fresh, exits with 1 and has exactly this to say."""
        self.run_script("--markdown")
        result = self.run_script("--check")
        self.assertEqual(result.stdout.splitlines(), [line] if isinstance(line, str) else line, result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_in_order(self):
        self.assertEqual(self.run_script("--markdown").returncode, 0)
        result = self.run_script("--check")
        self.assertEqual((result.returncode, result.stdout), (0, "48 requirements, all accounted for\n"),
                         result.stderr)

    def test_table_and_totals(self):
        lines = self.run_script().stdout.splitlines()
        for line in (
            "MPA-001    MUST                     both    test          tests/mpa/test_thing.c:test_comment",
            "MPA-002    MUST                     both    test          tests/mpa/test_thing.c:test_table",
            "DDP-001    MUST                     both    test          tests/mpa/test_thing.c:test_listed",
            "RDMAP-001  MUST                     both    test          tests/mpa/test_other.c:test_rest",
            "MPA-036    MUST                     both    waived        Needs a machine room.",
            "MPA-041    MUST (out of scope)      both    out of scope"):
            self.assertIn(line, lines)
        # rows, MUST, proven, by option, waived, open, seen, out of scope, SHOULD/MAY, done, option, not done,
        # open, FACT
        self.assertEqual(lines[-6].split(), "MPA 41 37 36 0 1 0 1 1 2 1 1 0 0 1".split())
        self.assertEqual(lines[-3].split(), "RFC 6581 1 1 1 0 0 0 1 0 0 0 0 0 0 0".split())
        self.assertEqual(lines[-1].split(), "all 48 42 41 0 1 0 5 1 3 1 1 1 0 2".split())

    def test_page(self):
        self.run_script("--markdown")
        page = (self.root / "docs/conformance.md").read_text(encoding="utf-8")
        self.assertLess(page.index("| all | 48 | 42 | 41 |"), page.index("### mpa-01 §5.1"))
        self.assertIn("| MPA-001 | MUST | both | Text 1. | `mpa/test_thing.c:test_comment` | `crc`; `long ulpdu` |",
                      page)
        self.assertIn("| MPA-036 | MUST | both | Text 36. | **waived**: Needs a machine room. | no: Within an end. |", page)
        self.assertIn("| RDMAP-003 | MAY | both | Text 3. | **not done**: nobody asked |  |", page)
        self.assertIn("\n1 FACT row.\n", page)
        self.assertLess(page.index("## RFC 7306\n\n### rfc7306 §5.4"),
                        page.index("| R7306-001 | MUST NOT | rfc6581 |"))

    def test_no_proof(self):
        self.change("tests/mpa/test_thing.c", "MPA-001: ", "")
        self.assert_defect("MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv")

    def test_comment_not_directly_above(self):
        self.change("tests/mpa/test_thing.c", "of two lines. */\n", "of two lines. */\n\n")
        self.assert_defect("MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv")

    def test_comment_inside_proves_nothing(self):
        self.change("tests/mpa/test_thing.c", "MPA-001: ", "")
        self.change("tests/mpa/test_thing.c", "{ g_assert_true(TRUE); }", "{ /* MPA-001 */ }")
        self.assert_defect("MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv")

    def test_not_registered(self):
        self.change("tests/mpa/test_thing.c", '  g_test_add_func("/comment", test_comment);\n', "")
        self.assert_defect(["tests/mpa/test_thing.c:test_comment names MPA-001 but is not registered",
                            "MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv"])

    def test_registered_in_a_comment_only(self):
        self.change("tests/mpa/test_thing.c", '  g_test_add_func("/comment", test_comment);\n',
                    '  /* g_test_add_func("/comment", test_comment); */\n')
        self.assert_defect(["tests/mpa/test_thing.c:test_comment names MPA-001 but is not registered",
                            "MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv"])

    def test_table_nobody_runs(self):
        self.change("tests/mpa/test_thing.c", "run_case(&cases[0]);", "")
        lack = "has neither a test nor a line in tests/requirements-waived.tsv"
        idle = "is in a string, but of no table that a test function uses"
        self.assert_defect([f"tests/mpa/test_thing.c: MPA-00{n} {idle}" for n in (2, 3, 4)] +
                           [f"MPA-00{n} (MUST) {lack}" for n in (2, 3, 4)])

    def test_executable_not_built(self):
        self.change("tests/mpa/meson.build", "'other'", "# 'other'\n'more'")
        self.run_script("--markdown")
        lines = self.run_script("--check").stdout.splitlines()
        self.assertRegex(lines[0],
                         "^tests/mpa/test_other.c:test_rest names .* but no meson.build lists its file$")

    def test_folder_not_built(self):
        self.change("tests/meson.build", "subdir('mpa')", "")
        self.run_script("--markdown")
        lines = self.run_script("--check").stdout.splitlines()
        self.assertRegex(lines[0], "no meson.build lists its file$")

    def test_range(self):
        self.change("tests/mpa/test_other.c", "MPA-005, MPA-006, MPA-007", "MPA-005 … MPA-007")
        lack = "has neither a test nor a line in tests/requirements-waived.tsv"
        self.assert_defect(["tests/mpa/test_other.c:test_rest: a range of ids proves nothing; "
                            "write them out one by one"] +
                           [f"MPA-00{n} (MUST) {lack}" for n in (5, 6, 7)])

    def test_unknown_id(self):
        self.change("tests/mpa/test_thing.c", "of two lines.", "of two lines, MPA-999.")
        self.assert_defect("tests/mpa/test_thing.c: MPA-999 is no requirement")

    def test_unknown_id_cited(self):
        self.write("model/mpa/mpa_thing.c", "/* mpa-01 §5.1 (MPA-998) */\n")
        self.assert_defect("model/mpa/mpa_thing.c: MPA-998 is no requirement")

    def test_too_many_waived(self):
        self.change("tests/mpa/test_other.c", "MPA-035, ", "")
        self.write("tests/requirements-waived.tsv", "MPA-035\tWhy.\nMPA-036\tWhy.\n")
        self.assert_defect("2 rows waived; at most 1 of 42 may be")

    def test_waived_and_tested(self):
        self.write("tests/requirements-waived.tsv", "MPA-001\tWhy.\n")
        self.assert_defect(["MPA-001 is in tests/requirements-waived.tsv but "
                            "tests/mpa/test_thing.c:test_comment proves it",
                            "MPA-036 (MUST) has neither a test nor a line in tests/requirements-waived.tsv"])

    def test_waived_wrongly(self):
        self.write("tests/requirements-waived.tsv",
                   "MPA-036\tWhy.\nMPA-036\tWhy.\nMPA-039\tWhy.\nMPA-997\tWhy.\nMPA-001\n")
        where = "tests/requirements-waived.tsv"
        self.assert_defect([f"{where}:2: MPA-036 is there twice",
                            f"{where}:3: MPA-039 is no MUST row in scope but SHOULD",
                            f"{where}:4: MPA-997 is no requirement",
                            f"{where}:5: expected 2 fields between tabs"])

    def test_optional_without_status(self):
        self.write("tests/requirements-optional.tsv", "MPA-039\tdone\tx\nRDMAP-003\tdone\tx\n")
        self.assert_defect("MPA-040 (MAY) has no line in tests/requirements-optional.tsv")

    def test_optional_wrongly(self):
        self.change("tests/requirements-optional.tsv", "done\tmpa_framer.c; test_comment",
                    "perhaps\ttest_nowhere")
        where = "tests/requirements-optional.tsv: MPA-039"
        self.assert_defect([f"{where}: 'perhaps' is none of done, option, not done",
                            f"{where}: there is no test test_nowhere"])

    def test_must_by_option(self):
        self.change("tests/requirements-optional.tsv", "MPA-039",
                    "MPA-002\toption\tmpa.strict (test_table)\nMPA-039")
        lines = self.run_script().stdout.splitlines()
        self.assertIn("MPA-002    MUST                     both    option        "
                      "tests/mpa/test_thing.c:test_table; mpa.strict (test_table)", lines)
        self.assertEqual(lines[-6].split(), "MPA 41 37 35 1 1 0 1 1 2 1 1 0 0 1".split())
        self.run_script("--markdown")
        self.assertIn("| MPA-002 | MUST | both | Text 2. | **option**: `mpa/test_thing.c:test_table`; "
                      "mpa.strict (test\\_table) | no: Within an end. |",
                      (self.root / "docs/conformance.md").read_text(encoding="utf-8"))
        self.assertEqual(self.run_script("--check").returncode, 0)

    def test_must_by_option_wrongly(self):
        self.change("tests/mpa/test_thing.c", "MPA-001: ", "")
        self.change("tests/requirements-optional.tsv", "MPA-039",
                    "MPA-001\toption\tmpa.strict\nMPA-002\tdone\tx\nMPA-039")
        self.assert_defect(["MPA-001 (MUST) has neither a test nor a line in tests/requirements-waived.tsv",
                            "tests/requirements-optional.tsv: MPA-002 is a MUST row, which can only be met "
                            "by an option"])

    def test_observed_without_mark(self):
        self.change("tests/requirements/observed.tsv", "DDP-001\tcrc\n", "")
        self.assert_defect("DDP-001 (MUST) has no line in tests/requirements/observed.tsv")

    def test_observed_wrongly(self):
        where = "tests/requirements/observed.tsv"
        self.change(where, "DDP-001\tcrc\nRDMAP-001\tcrc\nRDMAP-002\tno\tWithin an end.\n",
                    "DDP-001\tcrc; nothing\nRDMAP-001\tcrc\tseen\nRDMAP-002\tno\nMPA-039\tcrc\nRDMAP-003\n")
        self.assert_defect([f"{where}:41: MPA-039 is no MUST row in scope but SHOULD",
                            f"{where}:42: expected 2 or 3 fields between tabs",
                            f"{where}: DDP-001: 'nothing' is no kind of model/decode/decode_problems.def",
                            f"{where}: RDMAP-001: a reason, but not 'no'",
                            f"{where}: RDMAP-002: 'no' without a reason"])

    def test_stale_page(self):
        self.run_script("--markdown")
        self.change("docs/conformance.md", "Text 7.", "Text 8.")
        result = self.run_script("--check")
        self.assertEqual(result.stdout,
                         "docs/conformance.md is not what `scripts/requirements --markdown` writes\n")
        self.assertEqual(result.returncode, 1)

    def test_no_tree(self):
        result = subprocess.run([sys.executable, str(SCRIPT), "--root", str(self.root / "docs")],
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"no requirements in tests/requirements/", result.stderr)


if __name__ == "__main__":
    unittest.main()
