# SPDX-License-Identifier: GPL-2.0-only
"""The pages of docs/ that `explain` makes from the tables, and the terms that they define."""
import os
import re
from pathlib import Path

import program_kit as kit

DOCS = Path(os.environ["DOCS"])


class Documents(kit.ProgramTest):
    def page(self, topic):
        return self.shell(f"iwarpsim explain {topic} --markdown").stdout

    def names(self, topic):
        """The names of all keys, or metrics and distributions, and what stands in parentheses after each."""
        return re.findall(r"(?m)^([a-z_0-9.]+) \((.*)\)$", self.shell(f"iwarpsim explain {topic}").stdout)

    def test_pages_are_current(self):
        for topic, name in (("keys", "scenario.md"), ("metrics", "metrics.md"), ("trace", "trace.md"),
                            ("problems", "problems.md")):
            self.assertEqual((DOCS / name).read_text(encoding="utf-8"), self.page(topic),
                             f"run 'iwarpsim explain {topic} --markdown > {DOCS / name}'")

    def test_every_name_has_its_row(self):
        """Each key, metric and distribution has exactly one row; a key whose default depends on tcp.profile
        has one more, in the table of profiles."""
        keys, metrics = self.names("keys"), self.names("metrics")
        distributions = sum(what.startswith("distribution, ") for _, what in metrics)
        self.expect_parts(self.shell("iwarpsim explain").stdout, f"the {len(keys)} keys of",
                          f"the {len(metrics) - distributions} metrics and {distributions} distributions of")
        for names, page in ((keys, self.page("keys")), (metrics, self.page("metrics"))):
            for name, what in names:
                rows = 2 if "with tcp.profile = rfc: " in what else 1
                self.assertEqual(page.count(f"\n| `{name}` |"), rows, name)

    def test_rows_have_all_columns(self):
        """The rows of a table, its heading among them, have one number of bars that are not escaped, and at
        least four columns."""
        for topic in ("keys", "metrics"):
            for table in re.findall(r"(?m)^\|(?:.*\n\|)*.*$", self.page(topic)):
                bars = {line.count("|") - line.count(r"\|") for line in table.splitlines()}
                self.assertEqual(len(bars), 1, table)
                self.assertGreaterEqual(min(bars), 5)

    def test_terms(self):
        """Terms differ by name, also from keys and metrics, and each ends its last line."""
        terms = re.search(r" terms: ([a-z\s]+)", self.shell("iwarpsim explain").stdout)[1].split()
        self.assertGreaterEqual(len(terms), 26)
        others = [name for topic in ("keys", "metrics") for name, _ in self.names(topic)]
        self.assertEqual(sorted(set(terms) - set(others)), sorted(terms))
        for term in terms:
            self.assertRegex(self.shell(f"iwarpsim explain {term}").stdout, rf"(?m)^{term}: .*\n\n(.*\n)+\Z")
