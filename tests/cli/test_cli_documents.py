# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the pages of docs/ that `explain` makes from the tables, and the terms that they
define."""
import os
import re
import subprocess
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

    def test_the_page_of_commands_is_current(self):
        manual = DOCS.parent / "scripts/manual"
        made = subprocess.run([manual, kit.PROGRAM, "--markdown"], capture_output=True, text=True, check=True)
        self.assertEqual((DOCS / "commands.md").read_text(encoding="utf-8"), made.stdout,
                         f"run '{manual} build/iwarpsim --markdown > {DOCS / 'commands.md'}'")

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

    def terms(self):
        """[(names, text)] of the glossary, and {name: text} of the sections of the reference."""
        glossary = (DOCS / "glossary.md").read_text(encoding="utf-8").split("\n## ")[1:]
        sections = {}
        for page in ("scenario.md.in", "metrics.md.in"):
            for section in (DOCS / page).read_text(encoding="utf-8").split("\n## ")[1:]:
                heading, _, text = section.partition("\n\n")
                if found := re.search(r" \{([a-z]+)\}$", heading):
                    sections[found[1]] = text
        return [(s.partition("\n\n")[0].split(", "), s.partition("\n\n")[2]) for s in glossary], sections

    def test_terms(self):
        """`explain` lists the first names; each name of a term is that of no other, of no key, metric or topic, and
        its text ends its last line."""
        glossary, sections = self.terms()
        self.assertGreater(len(glossary), 85)
        self.assertGreaterEqual(len(sections), 26)
        listed = " ".join(self.shell("iwarpsim explain").stdout.partition(" terms: ")[2].split())
        self.assertEqual(listed, ", ".join([names[0] for names, _ in glossary] + list(sections)))
        names = [name.lower() for names, _ in glossary for name in names] + list(sections)
        others = [name for topic in ("keys", "metrics") for name, _ in self.names(topic)]
        self.assertEqual(sorted(set(names) - {*others, "keys", "metrics", "terms", "faults"}), sorted(names))
        for term in sections:
            self.assertRegex(self.shell(f"iwarpsim explain {term}").stdout, rf"(?m)^{term}: .*\n\n(.*\n)+\Z")
        brief = self.shell("iwarpsim explain terms").stdout
        self.expect_parts(brief, "\nFPDUPTR\n    The field of a marker that states how many octets before the marker its FPDU "
                          "starts.\n", "\nheld: Held octets\n    An octet of TCP payload is **held** from ")
        self.assertEqual(len(re.findall(r"(?m)^\S", brief)), len(glossary) + len(sections))

    def test_words_of_newcomers(self):
        """Each word has its entry of the glossary, upper case or lower case, with nothing before it."""
        words = """marker, hole, FPDU, order, incomplete, GRO, TSO, p99, ULPDU, MULPDU, EMSS, MSS, STag, MSN, DDP, RDMAP,
            MPA, RNIC, placement, delivery, alignment, Data Source, Data Sink, Initiator, Responder, SACK, RACK, TLP, RTO,
            cwnd, BDP, F-RTO, PRR, LRO, quantile, confidence interval, Terminate, Private Data, CRC32C, fragment,
            reassembly, unlocated, processing, goodput, RTT, peak"""
        headings = {name.lower(): ", ".join(names) for names, _ in self.terms()[0] for name in names}
        for word in " ".join(words.split()).split(", "):
            for way in (word, word.lower(), word.upper()):
                self.expect_start(self.shell(f"iwarpsim explain {way}").stdout, headings[word.lower()] + "\n\n")
        self.expect_start(self.shell("iwarpsim explain occupancy").stdout, "occupancy: Occupancy\n\n")
        self.expect_parts(self.shell("iwarpsim explain mpa").stdout, "MPA\n\n", "\n\nKeys of a scenario:\nmpa.generation (",
                          "\n\nMetrics:\nmpa.fpdus (")  # a term, a group of keys, one of metrics
        self.expect_refused("iwarpsim explain markr", "unknown name 'markr'", "(did you mean 'Marker'?)")
        self.expect_refused("iwarpsim explain fautls", "unknown name 'fautls'", "(did you mean 'faults'?)")

    def test_glossary(self):
        """Entries are in order, of one to five sentences and what belongs to them. What is in code there is a key, a
        metric, a group of either, an event of a trace, or a file. A word that is an item of a list in the reference,
        which has the exact rule, refers to it; else a term has one place."""
        glossary, sections = self.terms()
        first = [names[0].lower() for names, _ in glossary]
        self.assertEqual(first, sorted(first))
        known = {name for topic in ("keys", "metrics") for name, _ in self.names(topic)}
        groups = {name[:i + 1] for name in known for i, letter in enumerate(name) if letter == "."}
        for names, text in glossary:
            words = text.split("\n\n")[0]
            self.assertLessEqual(len(re.findall(r"[.:?](?=\s|$)", words)), 8, names)
            for code in re.findall(r"`([a-z_0-9.]+)(?:=[a-z-]+)?`", text):
                if "." in code and not code.endswith(".pcap"):
                    self.assertTrue({code, f"{code}."} & (known | groups), f"{names}: {code}")
            for command in re.findall(r"`(iwarpsim explain [^`A-Z]+)`", text):
                self.shell(command)
            for name in names:
                for section, rule in sections.items():
                    if f"- `{name.lower()}`:" in rule:
                        self.assertIn(f"`iwarpsim explain {section}`", text)

    def test_guesses(self):
        """Where a term and a guess of a key meet, the entry of the term names the key."""
        entries = {name.lower(): text for names, text in self.terms()[0] for name in names}
        keys = {re.sub("[._]", "_", name).upper(): name for name, _ in self.names("keys")}
        guesses = re.findall(r'GUESS\((\w+),\s*"([^"]*)"', (DOCS / "../model/scenario/guesses.def").read_text(encoding="utf-8"))
        met = [(word, keys[key]) for key, words in guesses for word in words.split() if word in entries]
        self.assertGreater(len(met), 12)
        for word, key in met:
            self.assertRegex(entries[word], rf"`{key}[`=]", word)
