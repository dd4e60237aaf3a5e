#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests show the report of a small sweep in a real browser: it loads, fetches nothing, shows its plots,
sorts, filters and saves its tables, and fits a phone and paper.

Skipped without a browser (browser.py).
"""

import base64
import contextlib
import csv
import hashlib
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import browser
import program_kit

# A title and a question that would act as markup if they were taken for it: the dialogue would stop the
# driver, the picture would be fetched.
TITLE = "Peak <script>alert(1)</script> by MTU & loss \\\"quoted\\\""
SCENARIO = f"""# Question: how much <img src=http://192.0.2.1/x.png onerror=alert(2)> memory?
# More is expected with loss.
title = "{TITLE}";
run: {{ engine = "native"; }};
workload: {{ message_size = "16KiB"; messages = 40; }};
path: {{ forward: {{ rate = "10Gbit/s"; delay = "25us"; }}; }};
sweep = (
  {{ key = "receiver.mode"; values = ["in-order", "out-of-order"]; }},
  {{ key = "path.forward.mtu"; values = [1500, 9000]; }},
  {{ key = "path.forward.loss"; values = ["0%", "1%", "3%"]; }},
  {{ key = "run.seed"; from = 1; to = 3; }}
);
"""
POINTS = 2 * 2 * 3
OVERVIEW = "document.querySelector('#results table')"
ROWS = (f"Array.from({OVERVIEW}.tBodies[0].rows, r => Array.from(r.cells, c =>"
        "c.firstChild ? c.firstChild.textContent.trim() : ''))")  # intervals aside


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-browser-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        (cls.folder / "small.cfg").write_text(SCENARIO)
        cls.page = cls.folder / "small.html"
        cls.run_program("sweep", "small.cfg", "--store", "small.sqlite", "-j", "2")
        cls.run_program("report", "small.sqlite", "-o", "small.html")
        cls.browser = browser.Browser(cls.folder)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.show(cls.page)
        cls.script = cls.browser.script

    @classmethod
    def run_program(cls, *arguments):
        done = subprocess.run([program_kit.PROGRAM, *arguments], cwd=cls.folder, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"

    def resize(self, width, height, mobile=False):
        self.browser.resize(width, height, mobile)
        self.addCleanup(self.browser.command, "Emulation.clearDeviceMetricsOverride")

    def test_1_loads_without_a_word_on_the_console_and_fetches_nothing(self):
        self.assertEqual(self.script("return document.readyState"), "complete")
        self.assertEqual(self.script("return document.title"),
                         "Peak <script>alert(1)</script> by MTU & loss \"quoted\" – iwarpsim report")
        self.assertEqual(self.script("return document.compatMode"), "CSS1Compat")
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.script("return performance.getEntriesByType('resource').map(e => e.name)"), [])
        self.assertEqual(self.browser.fetched(), {self.page.as_uri()})

    def test_2_texts_are_no_markup(self):
        for selector, count in (("script", 1), ("iframe,object,embed,link[rel=stylesheet]", 0),
                                ('img:not(figure img), img:not([src^="data:"])', 0)):
            self.assertEqual(self.script(f"return document.querySelectorAll('{selector}').length"), count)
        self.assertEqual(self.script("return document.querySelector('h1').textContent"),
                         "Peak <script>alert(1)</script> by MTU & loss \"quoted\"")
        self.assertIn("how much <img src=http://192.0.2.1/x.png onerror=alert(2)> memory?",
                      self.script("return document.querySelector('#question').textContent"))
        self.assertEqual(self.script("return document.querySelector('#scenario code').textContent"), SCENARIO)

    def test_3_the_policy_stops_what_the_page_does_not_hold(self):
        """What someone pastes into the page does not act either: the policy is in force, and the style and the
        script are those it names."""
        marks = self.script("return getComputedStyle(document.querySelector('nav ul')).listStyleType")
        self.assertNotEqual(marks, "disc")
        self.script("const s = document.createElement('style'); s.textContent = 'h1{color:rgb(1,2,3)}';"
                    "document.head.append(s); const i = new Image(); i.src = 'http://192.0.2.1/y.png';"
                    "document.body.append(i); const a = document.createElement('script');"
                    "a.textContent = 'window.acted = 1'; document.body.append(a)")
        self.assertNotEqual(self.script("return getComputedStyle(document.querySelector('h1')).color"),
                            "rgb(1, 2, 3)")
        self.assertIsNone(self.script("return window.acted || null"))
        self.assertIn("Content Security Policy", " ".join(self.browser.console()))
        self.browser.reload()

    def test_4_plots_show(self):
        plots = self.script("return Array.from(document.querySelectorAll('figure img')).map(i => {"
                            "const b = i.getBoundingClientRect(), c = document.createElement('canvas');"
                            "c.width = b.width; c.height = b.height;"
                            "const d = c.getContext('2d'); d.drawImage(i, 0, 0, c.width, c.height);"
                            "const pixels = new Uint32Array(d.getImageData(0, 0, c.width, c.height).data.buffer);"
                            "return [b.width, b.height, i.complete ? i.naturalWidth : 0, i.alt, i.src,"
                            "        new Set(pixels).size]})")
        self.assertGreaterEqual(len(plots), 1)
        for w, h, natural_width, name, source, colours in plots:
            self.assertGreater(min(w, h), 200, name)
            self.assertGreater(natural_width, 500, name)
            self.assertTrue(name.startswith("Figure "), name)
            svg = ElementTree.fromstring(base64.b64decode(source.split(",", 1)[1]))
            tags = [element.tag.rpartition("}")[2] for element in svg.iter()]
            self.assertGreater(sum(tag in ("path", "use", "rect", "polygon") for tag in tags), 20, name)
            words = " ".join("".join(element.itertext()) for element in svg.iter() if element.tag.endswith("}text"))
            self.assertIn("Peak <script>alert(1)</script> by MTU & loss", " ".join(words.split()))
            self.assertNotIn("script", tags)
            self.assertGreater(colours, 10, name)

    def test_5_ids_are_unique_and_references_meet(self):
        """Every part is in the contents, too."""
        ids = self.script("return Array.from(document.querySelectorAll('[id]')).map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        references = self.script("return Array.from(document.querySelectorAll('a:not([download])'))"
                                 ".map(e => e.getAttribute('href'))")
        self.assertEqual({name for name in references if name[1:] not in ids}, set())
        sections = self.script("return Array.from(document.querySelectorAll('section'), e => '#' + e.id)")
        self.assertEqual(set(sections) - set(references), set())

    def test_5_a_picture_that_acts_does_not(self):
        """Whatever stands in a plot's SVG: in an <img> no script of it runs, nothing is fetched for it, and
        it draws all the same."""
        hostile = ("<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' "
                   "viewBox='0 0 9 9' onload='parent.acted = 1; alert(3)'>"
                   "<script>top.acted = 1; alert(4)</script>"
                   "<style>@import url(http://192.0.2.1/s.css);</style>"
                   "<image xlink:href='http://192.0.2.1/i.png' width='1' height='1'/><foreignObject><iframe "
                   "xmlns='http://www.w3.org/1999/xhtml' src='http://192.0.2.1/f.html'/></foreignObject>"
                   "<rect width='9' height='9'/></svg>")
        source = "data:image/svg+xml;base64," + base64.b64encode(hostile.encode()).decode()
        self.browser.forget()
        width = self.browser.later(
            "const done = arguments[1], i = new Image();"
            "i.onload = () => setTimeout(() => done(i.naturalWidth), 300);"
            "i.onerror = () => done(-1); i.src = arguments[0]; document.querySelector('figure').append(i)",
            source)
        self.assertGreater(width, 0)
        self.assertIsNone(self.script("return window.acted || null"))
        self.assertEqual(self.browser.fetched(), set())
        self.browser.reload()

    def test_6_a_row_a_point(self):
        self.assertEqual([row[3] for row in self.script(f"return {ROWS}")], ["3"] * POINTS)
        self.assertEqual(self.script("return document.querySelectorAll("
                                     "'table:not(:has(caption)), td[colspan]').length"), 0)
        # receivers differ: a row for each of the other 6 points
        self.assertEqual(self.script("return document.querySelectorAll('#differences tbody tr').length"),
                         POINTS / 2)

    def test_6_columns_say_something(self):
        """One of which no row has a text is not shown."""
        self.assertEqual(self.script(
            "return Array.from(document.querySelectorAll('table')).filter(t => Array.from(t.tHead.rows[0].cells)"
            ".some((_, i) => Array.from(t.tBodies[0].rows).every(r => !r.cells[i].textContent))).length"), 0)

    def test_6_a_table_sorts(self):
        """Rows are sorted by a column of numbers and its other way round, what is empty last; by one of
        values with units."""
        unsorted = self.script(f"return {ROWS}")
        button = f"{OVERVIEW}.tHead.rows[0].cells[arguments[0]].querySelector('[role=button]')"
        click = f"{button}.click(); return {ROWS}"
        enter = f"{button}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter'}})); return {ROWS}"
        peak = 5
        for sign in (1, -1):
            rows = self.script(click if sign > 0 else enter, peak)
            peaks = [float(row[peak]) for row in rows]
            self.assertEqual(peaks, sorted(peaks, key=lambda value, sign=sign: sign * value))
            self.assertEqual(sorted(rows), sorted(unsorted))
            self.assertEqual(self.script(f"return Array.from({OVERVIEW}.querySelectorAll('[aria-sort]'),"
                                         "h => h.getAttribute('aria-sort'))"),
                             ["ascending" if sign > 0 else "descending"])
        self.assertEqual([row[2] for row in self.script(click, 2)], ["0"] * 4 + ["1%"] * 4 + ["3%"] * 4)
        rows = self.script(click, 4)  # flagged
        self.assertEqual([row[4] for row in rows], sorted([row[4] for row in rows], key=lambda cell: cell or "~"))
        self.browser.reload()

    def test_6_a_table_is_filtered(self):
        """Rows are found by the beginnings of cells: 1% is not 0.1%."""
        self.script("const i = document.querySelector('#results input'); i.value = arguments[0];"
                    "i.dispatchEvent(new Event('input'))", "out 1%")
        shown = self.script(f"return {ROWS}.filter((_, i) => !{OVERVIEW}.tBodies[0].rows[i].hidden)")
        self.assertEqual([row[:3] for row in shown], [["out-of-order", mtu, "1%"] for mtu in ("1500", "9000")])
        self.assertEqual(self.script("return document.querySelector('#results output').value"),
                         f"2 of {POINTS} rows")
        self.browser.reload()

    def test_6_every_table_is_saved(self):
        """Each of means is there as CSV of the name that its link has, all rows of each quantity, as measured."""
        links = self.script("return Array.from(document.querySelectorAll('a[download]'), a => [a.download, a.href,"
                            "a.closest('.tools').nextElementSibling.querySelectorAll('tbody tr').length])")
        self.assertEqual(len(links), self.script("return Array.from(document.querySelectorAll('#results caption, "
                                                 "#differences caption')).filter(c => !c.textContent.startsWith("
                                                 "'Messages of all seeds')).length"))
        self.assertEqual(len(links), len({name for name, _, _ in links}))
        page = self.page.read_text()
        for name, address, count in links:
            self.assertEqual(address.split(",", 1)[0], "data:text/csv;charset=utf-8;base64")
            rows = self.table_of(page, name.removesuffix(".csv"))
            self.assertEqual({sum(row["metric"] == metric for row in rows) for metric in {row["metric"] for row in rows}},
                             {count}, name)
            self.assertLessEqual({"path.forward.mtu", "path.forward.loss", "n", "mean", "lower_95"}, set(rows[0]), name)
        self.browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        self.script("document.querySelector('a[download]').click()")
        program_kit.wait_until(lambda: links[0][0] in os.listdir(self.folder))

    def test_7_fits_a_phone_light_and_dark(self):
        """Nothing sticks out, and all of each table can be scrolled to, with the keyboard too."""
        for width in (360, 390, 1440):
            self.resize(width, 740, width < 1000)
            self.script("for (const d of document.querySelectorAll('details')) d.open = true")
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)
            self.assertEqual(self.script("return innerWidth"), width)
            self.assertEqual(self.script(
                "return Array.from(document.querySelectorAll('.scroll')).filter(s => s.scrollWidth > s.clientWidth &&"
                "(s.tabIndex != 0 || getComputedStyle(s).overflowX != 'auto')).length"), 0)
            self.assertEqual(self.script(
                "return Array.from(document.querySelectorAll('.scroll')).filter(s => { s.scrollLeft = 1e6;"
                "const last = s.querySelector('th:last-child').getBoundingClientRect();"
                "return last.right > Math.min(innerWidth, s.getBoundingClientRect().right) + 1 }).length"), 0)
        self.browser.media(scheme="dark")
        self.addCleanup(self.browser.media)
        dark = self.script("return [getComputedStyle(document.body).backgroundColor,"
                           "        getComputedStyle(document.body).color,"
                           "        getComputedStyle(document.querySelector('figure img')).filter]")
        brightness = [sum(int(part) for part in colour[colour.index("(") + 1:-1].split(",")[:3])
                      for colour in dark[:2]]
        self.assertLess(brightness[0], 150)
        self.assertGreater(brightness[1], 500)
        self.assertIn("invert(0.91)", dark[2])  # a picture has a white ground
        self.browser.reload()

    def test_8_reads_without_scripts(self):
        """Then nothing sorts or filters, and there is nothing that looks as if it did; all rows show, and
        what is closed opens."""
        self.browser.command("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.reload)
        self.addCleanup(self.browser.command, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.reload()
        self.assertEqual(self.script("return document.querySelectorAll('input, output, [role=button]').length"), 0)
        self.script("for (const s of document.querySelectorAll('summary')) s.click()")
        tables = self.script("return Array.from(document.querySelectorAll('table'), t => [t.tBodies[0].rows.length,"
                             "Array.from(t.rows).filter(r => r.getBoundingClientRect().height > 10).length])")
        self.assertEqual([shown for _, shown in tables], [1 + rows for rows, _ in tables])
        self.assertEqual(max(rows for rows, _ in tables), POINTS)

    def test_8_prints_whole(self):
        """On paper nothing scrolls, and what was closed is open."""
        printed = self.browser.command("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
        self.assertGreater(len(printed["data"]), 20000)
        self.browser.media("print")
        self.addCleanup(self.browser.media)
        self.assertEqual(self.script("return getComputedStyle(document.querySelector('.scroll')).overflowX"),
                         "visible")
        self.assertGreater(self.script("return document.querySelector('details:not([open]) table')"
                                       ".getBoundingClientRect().height"), 50)

    def change(self, name, *statements):
        """A report of the store with other contents, called `name`, as text."""
        shutil.copy(self.folder / "small.sqlite", self.folder / f"{name}.sqlite")
        with contextlib.closing(sqlite3.connect(self.folder / f"{name}.sqlite")) as store, store:
            program_kit.unpack(store)
            for statement, *values in statements:
                store.execute(statement, values)
            program_kit.seal(store)
        self.run_program("report", f"{name}.sqlite", "-o", f"{name}.html")
        return (self.folder / f"{name}.html").read_text()

    def table_of(self, page, name):
        """The rows of the table NAME.csv."""
        octets = re.search(f'download="{name}.csv" href="data:text/csv;charset=utf-8;base64,([^"]*)"', page)[1]
        lines = base64.b64decode(octets).decode().splitlines()
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))

    def test_9_the_answer_has_both_ends(self):
        """p99.9 first: where the mean is least and most, as the table of all points has it. It is 0 in some runs, so
        that kinds differ by a difference."""
        answer = self.script("return Array.from(document.querySelectorAll('#answer tbody tr'), r => Array.from(r.cells,"
                             "c => c.firstChild.textContent.trim()))")
        self.assertEqual([row[0] for row in answer],
                         ["p99.9 occupancy, in-order receiver − out-of-order receiver", "p99.9 occupancy", "peak occupancy",
                          "placed directly", "goodput"])
        values = [float(row["mean"]) for row in self.table_of(self.page.read_text(), "overview")
                  if row["metric"] == "buffer.reassembly_p99.9_octets"]
        for shown, value in ((answer[1][1], min(values)), (answer[1][3], max(values))):
            number, unit = (shown + " octets").split()[:2]
            self.assertAlmostEqual(float(number) * {"octets": 1, "KiB": 1024}[unit], value, delta=value / 100)

    def test_9_runs_without_a_peak(self):
        """There is none without a loss from which to measure. Nothing is drawn; the runs count all the same."""
        page = self.change("no-peak", ["DELETE FROM metrics WHERE name LIKE 'buffer.%'"], ["DELETE FROM quantiles"],
                           ["DELETE FROM block_maxima"])
        self.assertEqual({row["n"] for row in self.table_of(page, "overview")}, {"3"})

    def test_9_one_run(self):
        """There is nothing to compare; what is drawn of it is its distribution."""
        page = self.change("one", ["DELETE FROM runs WHERE id > 1"])
        self.assertIn('<figure id="figure-1">', page)
        self.assertNotIn('download="differences', page)

    def test_9_a_store_of_markup(self):
        """Every text of a store may be a stranger's: names, values of keys, how runs ended."""
        mark = ("</script></style></title>--><script>alert(5)</script><img src=http://192.0.2.1/z onerror=alert(6)>"
                "\" onload='alert(7)' \u202egnp\x01\r\n=cmd|'/c calc'!A1")
        text = "# Question: " + mark + "\ntitle = \"x\";\n"
        self.change("hostile", ["UPDATE origins SET name = ?1, title = ?1, sets = ?1, libraries = ?1, version = ?1,"
                                "git = ?1, axes = ?1, text = ?2, hash = ?3", mark, text,
                                hashlib.sha256(text.encode()).hexdigest()],
                    ["UPDATE runs SET host = ?1, engine = ?1, started = ?1, message = ?1, stderr_tail = ?1", mark],
                    ["UPDATE runs SET status = 'failed' WHERE point < 5"],
                    ["UPDATE parameters SET value = ?1 WHERE value IN ('in-order', '9000')", mark])
        self.browser.forget()
        self.browser.show(self.folder / "hostile.html")
        self.addCleanup(self.browser.show, self.page)
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.fetched(), {(self.folder / "hostile.html").as_uri()})
        self.assertEqual(self.script("return document.querySelectorAll('script, style, img:not(figure img), [onload],"
                                     "[onerror]').length"), 2)
        plain = mark.replace("\u202e", "\\u202e").replace("\x01", "\\x01").replace("\r\n", "\n")
        self.assertIn(plain, self.script("return document.querySelector('h1').textContent"))
        self.assertEqual(self.script("return Array.from(document.querySelectorAll('td.verbatim'),"
                                     "c => c.textContent).filter(t => t != arguments[0]).length", plain), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
