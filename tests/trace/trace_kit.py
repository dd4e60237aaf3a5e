# SPDX-License-Identifier: GPL-2.0-only
"""The tests of traces share this: runs with a trace and its events, and timelines in a browser."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parent.parent.parent / "scenarios"
PROGRAM = os.path.abspath(os.environ["IWARPSIM"])


def iwarpsim(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)


def events_of(trace, cwd=None):
    return [json.loads(line) for line in iwarpsim("trace", trace, cwd=cwd).stdout.splitlines()]


def traced(keys, *command):
    """The summary, and the events, of a run of t.cfg with `keys`, or of `command`, into out/ and t.trace; None when the
    keys contradict each other."""
    ran = iwarpsim(*(command or ["run", "t.cfg"]), "-q", "-o", "out", "--trace", "t.trace",
                   *[f"--set={key}={value}" for key, value in keys.items()])
    if ran.returncode == 2:
        return None
    return json.loads(Path("out/summary.json").read_text(encoding="utf-8")), events_of("t.trace")


class PageTest(unittest.TestCase):
    """Timelines of traces and captures in a folder of the class, in one window. Without a browser the test is skipped
    (browser.py)."""

    @classmethod
    def setUpClass(cls):
        import browser
        cls.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-timeline-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.browser = browser.Browser(cls.folder)
        cls.addClassCleanup(cls.browser.quit)
        cls.script = cls.browser.script

    @classmethod
    def iwarpsim(cls, *arguments):
        return iwarpsim(*arguments, cwd=cls.folder)

    @classmethod
    def run_scenario(cls, name, scenario, *options):
        """NAME.trace and the folder NAME of a run of a shipped scenario, or of a file without its suffix."""
        done = cls.iwarpsim("run", SCENARIOS / f"{scenario}.cfg", "-q", "-o", name, "--pcap", "--trace",
                            f"{name}.trace", *options)
        assert done.returncode in (0, 1), done.stderr

    @classmethod
    def events_of(cls, name):
        return events_of(f"{name}.trace", cls.folder)

    def show_page(self, page, place=""):
        """Loads a page of the folder, and waits until it is drawn."""
        self.browser.driver.get("about:blank")
        self.browser.forget()
        self.browser.driver.get((self.folder / page).as_uri() + place)
        self.settle("document.body.dataset.ready")

    def settle(self, condition="true"):
        self.browser.later(f"""const done = arguments[0];
            const look = () => {condition} ? requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 20);
            look()""")
