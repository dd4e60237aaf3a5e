#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The report of a small sweep in a real browser: it loads, fetches nothing, shows its plots and fits a phone.

argv[1] is the built iwarpsim. Needs chromium, its driver and selenium (scripts/packages.txt); skipped without
them.
"""

import base64
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from xml.etree import ElementTree

SKIPPED = 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.remote.remote_connection import RemoteConnection
except ImportError:
    print("SKIP: selenium is not installed (python3-selenium)")
    sys.exit(SKIPPED)

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver") or "/usr/bin/chromedriver"

# A title and a question that would act as markup if they were taken for it: the dialogue would stop the
# driver, the picture would be fetched.
TITLE = "Peak <script>alert(1)</script> by MTU & loss \\\"quoted\\\""
SCENARIO = f"""# Question: how much <img src=http://192.0.2.1/x.png onerror=alert(2)> memory?
# Expected: more with loss.
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
HOUR_S = 3600


def png_pixels(png):
    """Width, height and rows of an 8-bit RGB(A) PNG, enough for a browser's screenshots (PNG specification,
    section 9)."""
    position, header, packed = 8, None, b""
    while position < len(png):
        length, kind = struct.unpack(">I4s", png[position:position + 8])
        body = png[position + 8:position + 8 + length]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        position += 12 + length
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    assert depth == 8 and colour in (2, 6) and not interlaced
    size = 3 if colour == 2 else 4
    octets = io.BytesIO(zlib.decompress(packed))
    rows, above = [], bytearray(width * size)
    for _ in range(height):
        kind, row = octets.read(1)[0], bytearray(octets.read(width * size))
        for i in range(len(row) if kind else 0):
            left = row[i - size] if i >= size else 0
            up, corner = above[i], above[i - size] if i >= size else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            else:
                estimate = left + up - corner
                guess = min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up),
                            (abs(estimate - corner), 2, corner))[2]
            row[i] = (row[i] + guess) & 255
        rows.append(row)
        above = row
    return width, height, size, rows


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-browser-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        (cls.folder / "small.cfg").write_text(SCENARIO)
        cls.page = cls.folder / "small.html"
        iwarpsim = os.path.abspath(sys.argv[1])
        for command in (["sweep", "small.cfg", "--store", "small.sqlite", "-j", "2"],
                        ["report", "small.sqlite", "-o", "small.html"]):
            done = subprocess.run([iwarpsim] + command, cwd=cls.folder, capture_output=True, text=True,
                                  check=False)
            assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
        cls.browser = cls.start()
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.get("about:blank")
        for log in ("browser", "performance"):  # what the browser itself loads when it starts
            cls.browser.get_log(log)
        cls.browser.get(cls.page.as_uri())

    @classmethod
    def start(cls):
        options = Options()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", "--hide-scrollbars", "--window-size=1280,1000",
                         "--force-device-scale-factor=1", f"--user-data-dir={cls.folder / 'profile'}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # How long a busy machine takes is no matter of this test: meson ends what takes for ever.
        RemoteConnection.set_timeout(HOUR_S)
        browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        browser.set_page_load_timeout(HOUR_S)
        browser.set_script_timeout(HOUR_S)
        return browser

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def resize(self, width, height, mobile=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1,
                                      "mobile": mobile})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})

    def test_1_loads_without_a_word_on_the_console_and_fetches_nothing(self):
        self.assertEqual(self.script("return document.readyState"), "complete")
        self.assertEqual(self.browser.title,
                         "Peak <script>alert(1)</script> by MTU & loss \"quoted\" – iwarpsim report")
        self.assertEqual(self.script("return document.compatMode"), "CSS1Compat")
        self.assertEqual(self.browser.get_log("browser"), [])
        self.assertEqual(self.script("return performance.getEntriesByType('resource').map(e => e.name)"), [])
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = {event["params"]["request"]["url"] for event in events
                 if event["method"] == "Network.requestWillBeSent"}
        self.assertEqual({url for url in asked if not url.startswith("data:")}, {self.page.as_uri()})

    def test_2_texts_are_no_markup(self):
        for selector in ("script,iframe,object,embed,link[rel=stylesheet]",
                         'img:not(figure img), img:not([src^="data:"])'):
            self.assertEqual(self.script(f"return document.querySelectorAll('{selector}').length"), 0)
        self.assertEqual(self.script("return document.querySelector('h1').textContent"),
                         "Peak <script>alert(1)</script> by MTU & loss \"quoted\"")
        self.assertIn("how much <img src=http://192.0.2.1/x.png onerror=alert(2)> memory?",
                      self.script("return document.querySelector('#question').textContent"))
        self.assertEqual(self.script("return document.querySelector('#scenario code').textContent"), SCENARIO)

    def test_3_the_policy_stops_what_the_page_does_not_hold(self):
        """What someone pastes into the page does not act either: the policy is in force, and it is the
        style's own."""
        marks = self.script("return getComputedStyle(document.querySelector('nav ul')).listStyleType")
        self.assertNotEqual(marks, "disc")
        self.script("const s = document.createElement('style'); s.textContent = 'h1{color:rgb(1,2,3)}';"
                    "document.head.append(s); const i = new Image(); i.src = 'http://192.0.2.1/y.png';"
                    "document.body.append(i)")
        self.assertNotEqual(self.script("return getComputedStyle(document.querySelector('h1')).color"),
                            "rgb(1, 2, 3)")
        words = " ".join(entry["message"] for entry in self.browser.get_log("browser"))
        self.assertIn("Content Security Policy", words)
        self.browser.refresh()
        self.browser.get_log("browser")
        self.browser.get_log("performance")

    def test_4_plots_show(self):
        plots = self.script("return Array.from(document.querySelectorAll('figure img')).map(i => {"
                            "const b = i.getBoundingClientRect();"
                            "return [b.x + scrollX, b.y + scrollY, b.width, b.height,"
                            "        i.complete ? i.naturalWidth : 0, i.alt, i.src]})")
        self.assertGreaterEqual(len(plots), 1)
        for x, y, w, h, natural_width, name, source in plots:
            self.assertGreater(min(w, h), 200, name)
            self.assertGreater(natural_width, 500, name)
            self.assertTrue(name.startswith("Figure "), name)
            svg = ElementTree.fromstring(base64.b64decode(source.split(",", 1)[1]))
            tags = [element.tag.rpartition("}")[2] for element in svg.iter()]
            self.assertGreater(sum(tag in ("path", "use", "rect", "polygon") for tag in tags), 20, name)
            self.assertIn(self.script("return document.querySelector('h1').textContent"),
                          ["".join(element.itertext()).strip() for element in svg.iter()
                           if element.tag.endswith("}text")])
            self.assertNotIn("script", tags)
            picture = self.browser.execute_cdp_cmd("Page.captureScreenshot", {
                "captureBeyondViewport": True,
                "clip": {"x": x, "y": y, "width": w, "height": h, "scale": 0.5}})
            _, _, size, rows = png_pixels(base64.b64decode(picture["data"]))
            colours = {bytes(row[i:i + 3]) for row in rows for i in range(0, len(row), size)}
            self.assertGreater(len(colours), 10, name)

    def test_5_ids_are_unique_and_references_meet(self):
        ids = self.script("return Array.from(document.querySelectorAll('[id]')).map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        references = self.script("return Array.from(document.querySelectorAll('a'))"
                                 ".map(e => e.getAttribute('href'))")
        self.assertGreater(len(references), 5)
        self.assertEqual({name for name in references if name[1:] not in ids}, set())

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
        self.browser.get_log("performance")
        width = self.browser.execute_async_script(
            "const done = arguments[1], i = new Image();"
            "i.onload = () => setTimeout(() => done(i.naturalWidth), 300);"
            "i.onerror = () => done(-1); i.src = arguments[0]; document.querySelector('figure').append(i)",
            source)
        self.assertGreater(width, 0)
        self.assertIsNone(self.script("return window.acted || null"))
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = {event["params"]["request"]["url"] for event in events
                 if event["method"] == "Network.requestWillBeSent"}
        self.assertEqual({url for url in asked if not url.startswith("data:")}, set())
        self.browser.refresh()
        self.browser.get_log("browser")
        self.browser.get_log("performance")

    def test_6_a_row_a_point(self):
        self.assertEqual(self.script("return document.querySelectorAll('#overview tbody tr').length"), POINTS)
        self.assertEqual(self.script("return Array.from(document.querySelectorAll('#overview tbody tr'))"
                                     ".map(r => r.cells[3].textContent.trim())"), ["3"] * POINTS)
        self.assertEqual(self.script("return document.querySelectorAll("
                                     "'table:not(:has(caption)), td[colspan]').length"), 0)
        # receivers differ: a row for each of the other 6 points
        self.assertEqual(self.script("return document.querySelectorAll('#differences tbody tr').length"),
                         POINTS / 2)

    def test_7_fits_a_phone_light_and_dark(self):
        self.resize(360, 740, True)
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 360)
        self.assertEqual(self.script("return innerWidth"), 360)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        dark = self.script("return [getComputedStyle(document.body).backgroundColor,"
                           "        getComputedStyle(document.body).color,"
                           "        getComputedStyle(document.querySelector('figure img')).backgroundColor]")
        brightness = [sum(int(part) for part in colour[colour.index("(") + 1:-1].split(",")[:3])
                      for colour in dark]
        self.assertLess(brightness[0], 150)
        self.assertGreater(brightness[1], 500)
        self.assertEqual(brightness[2], 3 * 255)

    def test_8_prints_whole(self):
        printed = self.browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
        self.assertGreater(len(printed["data"]), 20000)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
        self.assertEqual(self.script("return getComputedStyle(document.querySelector('.scroll')).overflowX"),
                         "visible")


if __name__ == "__main__":
    if BROWSER is None or not os.path.exists(DRIVER):
        print("SKIP: no chromium, or no chromedriver (chromium, chromium-driver)")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]], verbosity=2)
