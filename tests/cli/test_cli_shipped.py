# SPDX-License-Identifier: GPL-2.0-only
"""The scenarios and presets that come with the program."""
import json
import os
import re
from pathlib import Path

import program_kit as kit

DOCS = Path(os.environ["DOCS"])
SCENARIOS = DOCS.parent / "scenarios"
PRESETS = sorted(path.stem for path in SCENARIOS.glob("presets/*.cfg"))


class Presets(kit.ProgramTest):
    stays = ["*.cfg"]

    def metrics(self, preset, *sets):
        """Of 20 messages of 64 KiB a connection, after the preset."""
        kit.write("a.cfg", f'@include "presets/{preset}.cfg"\n' if preset else "")
        sets = " ".join(f"--set {one}" for one in ("workload.messages=20", *sets))
        self.shell(f"iwarpsim run -q a.cfg --out out {sets}")
        summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
        self.shell("rm -r out")
        return summary["metrics"]

    def test_without(self):
        """64 KiB are 45.9 payloads of 1428 octets, which are aligned; the last of the FPDUs is the final Send's."""
        plain = self.metrics(None)
        self.assertEqual(plain["tcp.segments"], 20 * 46)
        self.assertEqual(plain["mpa.segments_aligned"], 20 * 46)
        self.assertEqual(plain["mpa.fpdus"], 20 * 46 + 1)

    def test_linux_gro(self):
        """A full segment takes 1538 x 8 / 10 Gbit/s = 1.23 us, so that 17 come in 20 us: 920 / 17 = 54, and a few more
        that slow start cuts short. It never cuts, so they stay aligned. IPv6 fits too."""
        joined = self.metrics("linux-gro")
        self.assertIn(joined["tcp.segments"], range(54, 65))
        self.assertEqual(joined["mpa.segments_aligned"], joined["tcp.segments"])
        self.metrics("linux-gro", "tcp.ip=ipv6")

    def test_linux_tso(self):
        """Timestamps leave 1416 octets of payload: 47 FPDUs a message. Their starts drift through the segments."""
        offloaded = self.metrics("linux-tso")
        self.assertEqual(offloaded["mpa.fpdus"], 20 * 47 + 1)
        self.assertLess(offloaded["mpa.segments_aligned"], 20)
        self.assertLess(offloaded["placement.octets_direct"], 0.6 * offloaded["placement.octets"])

    def test_tor_queue(self):
        """16 windows of 128 KiB overflow 400 kB; with DCTCP packets are marked before that, and none is lost."""
        tail = self.metrics("tor-queue", "workload.connections=16")
        self.assertGreater(tail["path.packets_lost"], 0)
        self.assertIn(tail["path.queue_peak_octets"], range(400000 - 1500, 400001))
        self.assertEqual(tail["path.packets_marked"], 0)
        marked = self.metrics("tor-queue", "workload.connections=16", "tcp.congestion=dctcp")
        self.assertEqual(marked["path.packets_lost"], 0)
        self.assertGreater(marked["path.packets_marked"], 0)
        self.assertGreater(self.metrics(None, "workload.connections=16")["path.queue_peak_octets"], 1000000)

    def test_each_is_documented(self):
        """In `explain presets` (docs/scenario.md) by an item each, and in the README; each file says what it rests on,
        where it was read, or what it does not model."""
        listed = re.findall(r"(?m)^- `([\w-]+)`: ", self.shell("iwarpsim explain presets").stdout)
        self.assertEqual(sorted(listed), PRESETS)
        readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
        for preset in PRESETS:
            self.assertRegex(readme, rf"[`/]{preset}[`.]")
            text = (SCENARIOS / f"presets/{preset}.cfg").read_text(encoding="utf-8")
            self.assertRegex(text, r"^# ")
            self.assertIn(f'#   @include "presets/{preset}.cfg"', text)
