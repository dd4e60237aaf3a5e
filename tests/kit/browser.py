# SPDX-License-Identifier: GPL-2.0-only
"""Headless Chromium for tests: a page as a reader sees it, with what it fetches and what it does.

A test that imports this is skipped where chromium, its driver or selenium is missing (scripts/packages.txt).
"""

import json
import os
import shutil
import sys

SKIPPED = 77
DRIVER = shutil.which("chromedriver") or "/usr/bin/chromedriver"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.remote.remote_connection import RemoteConnection
except ImportError:
    BROWSER = None
if BROWSER is None or not os.path.exists(DRIVER):
    print("SKIP: no chromium, chromedriver or selenium (chromium, chromium-driver, python3-selenium)")
    sys.exit(SKIPPED)

HOUR_S = 3600


class Browser:
    """One window, which shows nothing yet; what it needs for itself goes to `folder`. Call quit()."""

    def __init__(self, folder):
        options = Options()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", "--hide-scrollbars", "--window-size=1280,1000",
                         "--force-device-scale-factor=1", f"--user-data-dir={folder / 'profile'}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # How long a busy machine takes is no matter of a test: meson ends what takes for ever.
        RemoteConnection.set_timeout(HOUR_S)
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(HOUR_S)
        self.driver.set_script_timeout(HOUR_S)
        self.quit = self.driver.quit
        self.driver.get("about:blank")
        self.forget()  # what the browser itself loads when it starts

    def forget(self):
        """Leaves what was written to the console and fetched so far out of console() and fetched()."""
        self.console()
        self.fetched()

    def show(self, page):
        """Loads the file `page`."""
        self.driver.get(page.as_uri())

    def reload(self):
        """Loads the page again, as if nothing had been done to it."""
        self.driver.refresh()
        self.forget()

    def script(self, text, *arguments):
        """Returns what the body of a function, `text`, returns in the page; the policy of the page does not
        bind it."""
        return self.driver.execute_script(text, *arguments)

    def later(self, text, *arguments):
        """Returns the same of what calls its last argument with a result."""
        return self.driver.execute_async_script(text, *arguments)

    def command(self, name, **arguments):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def console(self):
        """Returns what the page and the browser wrote to the console since they were asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def fetched(self):
        """The addresses, but data:, that were asked for since then."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return {event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"
                and not event["params"]["request"]["url"].startswith("data:")}

    def resize(self, width, height, mobile=False):
        """The window's size in CSS pixels; 0, 0: its own."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=mobile)

    def media(self, kind="", scheme=""):
        """Shows the page as on `kind` ("print"), to one who prefers the colour scheme ("dark")."""
        self.command("Emulation.setEmulatedMedia", media=kind,
                     features=[{"name": "prefers-color-scheme", "value": scheme}] if scheme else [])
