#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about a timeline in a real browser, by clicks and keys: what a reader asks of a run is
found, as the trace has it.

Skipped without a browser (browser.py).
"""

import re
import unittest

import browser  # ends this test where there is none
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from trace_kit import SCENARIOS, PageTest

# Octets of each state over time, as the page draws them, where they differ from what the receiver reports it holds.
DIFFERENCES = """
const held = table('held'), steps = [], sums = {}, wrong = [];
for (const piece of flow.pieces) {
  for (const [state, from, to] of piece.states) {
    steps.push([from, state, piece.to - piece.from], [to, state, piece.from - piece.to]);
  }
}
steps.sort((a, b) => a[0] - b[0]);
let next = 0;
for (const row of flow.held) {
  for (; next < steps.length && steps[next][0] <= held.time[row]; next++) {
    sums[steps[next][1]] = (sums[steps[next][1]] || 0) + steps[next][2];
  }
  for (const cause of ['incomplete', 'unlocated', 'order', 'processing']) {
    if ((sums[cause] || 0) !== held[cause][row]) wrong.push([held.time[row], cause, sums[cause], held[cause][row]]);
  }
}
return [flow.held.length, wrong];
"""
# These are the sides of the data whose path is drawn by the rows of the details: {"Stream": "575,000 to …",
# …}.
DETAILS = """return Object.fromEntries([...document.querySelectorAll('.details dt')]
  .map(dt => [dt.textContent, dt.nextElementSibling.textContent.trim()]))"""


class Timeline(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make("one-loss-middlebox", "one")
        cls.events = cls.events_of("one")
        cls.drop = next(e for e in cls.events if e["event"] == "packet_dropped")
        cls.hole = next(e for e in cls.events if e["event"] == "hole_opened")

    @classmethod
    def make(cls, scenario, name, *sets):
        """NAME.trace and NAME.html of a run."""
        cls.run_scenario(name, scenario, *[f"--set={each}" for each in sets])
        done = cls.iwarpsim("timeline", f"{name}.trace", "-o", f"{name}.html")
        assert done.returncode == 0, done.stderr

    def show(self, name="one", place=""):
        self.show_page(f"{name}.html", place)

    def element(self, selector):
        return self.browser.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        self.browser.driver.switch_to.active_element.send_keys(*keys)
        self.settle()

    def search(self, words):
        field = self.element("input")
        field.clear()
        field.send_keys(words, Keys.ENTER)
        self.settle()
        return self.element("output").text

    def title(self):
        return self.element(".details h2").text

    def details(self):
        return self.script(DETAILS)

    def follow(self, row, text=""):
        """Clicks the first link of a row of the details that begins with `text`."""
        links = self.browser.driver.find_elements(By.XPATH, f"//dt[.='{row}']/following-sibling::dd[1]/a")
        next(each for each in links if each.text.startswith(text)).click()
        self.settle()

    def event(self, name, **fields):
        return next(e for e in self.events if e["event"] == name and fields.items() <= e.items())

    def test_story_by_search_and_clicks(self):
        """It shows, from a fresh page: the lost segment, its retransmission, the FPDU that a marker located
        after it, and the octets that it held."""
        self.show()
        drop, hole = self.drop, self.hole
        again = self.event("segment_sent", again=1, side="initiator")
        self.assertEqual(self.search("lost"), "")
        self.assertEqual(self.title(), f"Packet {drop['packet']}: lost, a segment")
        lost = self.details()
        self.assertEqual(lost["Stream"], f"{hole['from']:,} to {hole['to'] - 1:,}: {hole['to'] - hole['from']:,} octets")
        self.assertEqual(lost["Lost (loss)"], f"{drop['time_ps'] / 1e6:.3f} us")
        self.assertEqual([lost["Made of"]], [" ".join(f"packet {e['of']}" for e in self.events if e["event"] == "packet_part" and
                                                      e["packet"] == drop["packet"])])
        self.follow("Sent again as")
        self.assertEqual(self.title(), f"Packet {again['packet']}: a retransmission")
        self.follow("Holes")
        found = next(e for e in self.events if e["event"] == "fpdu_valid" and e["located_by"] == "marker")
        sent = self.event("fpdu_sent", position=found["position"], side="initiator")
        self.follow("First FPDU that a marker located beyond it")
        fpdu = self.details()
        self.assertEqual((self.title(), fpdu["Located by"]), (f"FPDU {sent['fpdu']}", "marker"))
        self.assertTrue(fpdu["Held"].startswith(f"{found['held_octets']:,} octets of it"), fpdu)
        self.follow("Came while open")
        held = [e for e in self.events if e["event"] == "held" and e["time_ps"] >= hole["time_ps"]]
        most = max(e["incomplete"] + e["unlocated"] for e, after in zip(held, held[1:]) if e["time_ps"] < after["time_ps"])
        self.assertTrue(self.details()["Held at most"].startswith(f"{most:,} octets: "), self.details())
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.fetched(), {(self.folder / "one.html").as_uri()})

    def test_search(self):
        self.show()
        again = [e["packet"] for e in self.events if e["event"] == "segment_sent" and e["again"]]
        lost = f"packet {self.drop['packet']}"
        sent = next(e for e in self.events if e["event"] == "segment_sent" and
                    e["position"] <= 575000 < e["position"] + e["payload_octets"])
        for words, title in ((lost, f"P{lost[1:]}: lost, a segment"), ("FPDU 17", "FPDU 17"), ("770us", "770 us"),
                             ("0.77 ms", "770 us"), ("message 2", "Message 2: RDMA Write"), ("hole 1", "Hole 1 of 1"),
                             ("octet 575,000", f"Packet {sent['packet']}: a segment"),
                             *[("again", f"Packet {packet}: a retransmission") for packet in again + again[:1]]):
            self.assertEqual(self.search(words), "")
            self.assertEqual(self.title(), title)
        self.assertEqual(self.search("fpdu 100000"), "there is none here")
        self.assertEqual(self.search("timeout"), "there is no time-out here")
        self.assertIn("expected e.g. packet 412", self.search("<b>what</b>"))

    def test_keys_alone(self):
        self.show()
        self.press("l")
        self.assertIn("lost", self.title())
        self.press("p")
        held = [e for e in self.events if e["event"] == "held"]
        peak = max((e for e, after in zip(held, held[1:]) if e["time_ps"] < after["time_ps"]),
                   key=lambda e: e["incomplete"] + e["unlocated"])
        self.assertEqual(self.title(), f"{round(peak['time_ps'] / 1e6, 3)} us: the peak")
        self.press("n")
        self.assertEqual(self.title(), "Hole 1 of 1")
        for _ in range(40):  # to the link, which a key follows
            if self.script("return document.activeElement.textContent").startswith("FPDU 397"):
                break
            self.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.press(Keys.ENTER)
        self.assertEqual(self.title(), "FPDU 397")
        self.press(Keys.TAB)  # the reader stays where the link was
        self.assertEqual(self.script("return document.activeElement.textContent"), "message 9")
        before = self.script("return {...view}")
        self.press("x", Keys.ARROW_UP)
        now = self.script("return {...view}")
        self.assertAlmostEqual((now["t1"] - now["t0"]) / (before["t1"] - before["t0"]), .7)
        self.assertAlmostEqual(now["p0"], before["p0"] + (before["p1"] - before["p0"]) / 8)
        self.press("/")
        self.press("fpdu 3", Keys.ENTER)
        self.assertEqual(self.title(), "FPDU 3")
        self.script("document.activeElement.blur()")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.script("return document.querySelector('.details').textContent"), "")

    def test_pointer(self):
        """A hover tells what an element is, a click chooses it, a drag moves, the wheel zooms where it is."""
        self.show()
        self.search("lost")
        self.press(Keys.TAB)
        lost = self.drop["packet"]
        x, y = self.script(f"const lost = {lost};" """
            const r = screen.canvas.getBoundingClientRect(), e = extentOf(lost);
            return [r.left + X(table('packet_dropped').time[0]), r.top + Y((e.from + e.to) / 2)]""")
        mouse = lambda kind, at_x, at_y, **more: self.browser.command(
            "Input.dispatchMouseEvent", type=kind, x=at_x, y=at_y, **more)
        mouse("mouseMoved", x, y)
        self.settle("!document.querySelector('.hint').hidden")
        self.assertIn(f"Packet {lost}: lost", self.element(".hint").text)
        for dx, title in ((0, f"Packet {lost}"), (60, "Hole 1 of 1")):
            mouse("mousePressed", x + dx, y, button="left", clickCount=1)
            mouse("mouseReleased", x + dx, y, button="left", clickCount=1)
            self.settle()
            self.assertIn(title, self.title())
        before = self.script("return {...view, at: timeAt(X(view.t0) + 200)}")
        mouse("mousePressed", x, y, button="left", clickCount=1)
        mouse("mouseMoved", x + 100, y, button="left", buttons=1)
        mouse("mouseReleased", x + 100, y, button="left", clickCount=1)
        self.settle()
        moved = self.script("return {...view, width: screen.width}")
        self.assertAlmostEqual((before["t0"] - moved["t0"]) / (before["t1"] - before["t0"]), 100 / moved["width"], places=4)
        mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
        self.settle("view.t1 - view.t0 < " + str((moved["t1"] - moved["t0"]) * .9))
        self.assertLess(self.script("return view.p1 - view.p0"), (moved["p1"] - moved["p0"]) * .9)
        before = self.script("return {...view, at: timeAt(300)}")
        mouse("mouseWheel", self.script("return screen.canvas.getBoundingClientRect().left") + 300, y, deltaX=0, deltaY=400, modifiers=8)
        self.settle("view.t1 - view.t0 > " + str((before["t1"] - before["t0"]) * 1.1))
        now = self.script("return {...view, at: timeAt(300)}")  # Shift: the time alone, about where the pointer is
        self.assertAlmostEqual(now["at"], before["at"], delta=1e4)
        self.assertEqual([now["p0"], now["p1"]], [before["p0"], before["p1"]])
        self.assertEqual(self.browser.console(), [])

    def test_place_in_the_address(self):
        self.show()
        self.search("FPDU 397")
        place = self.script("return location.hash")
        view = self.script("return {...view}")
        self.show(place=place)
        self.assertEqual(self.title(), "FPDU 397")
        for edge, value in self.script("return {...view}").items():
            self.assertAlmostEqual(value, view[edge], delta=1)
        self.show(place="#end=77&time=a..b&at=packet-<b>")  # a place that is none shows the whole run
        self.assertEqual(self.script("return [flow.end, document.querySelector('.details').textContent]"), [0, ""])

    def test_connections(self):
        self.make("one-loss-markers", "four", "workload.connections=4", "workload.messages=3", "path.forward.drop=[30]")
        self.show("four")
        options = self.script("return [...document.querySelectorAll('option')].map(o => o.textContent)")
        self.assertEqual(options, [f"connection {i}, Initiator to Responder" for i in range(4)])
        counts = []
        for i in range(4):
            self.script(f"const s = document.querySelector('select'); s.value = {2 * i}; s.dispatchEvent(new Event('change'))")
            self.settle(f"flow.end === {2 * i}")
            counts.append(self.script("return flow.packets.drops.length"))
        self.assertEqual(sum(counts), 1)

    def test_measured_window(self):
        """It opens on the connection with the largest share of the peak, not on the first; what measure.from and
        measure.to leave out is shaded, and no peak is there."""
        self.make("one-loss-in-order", "window", "workload.connections=4", "path.forward.drop=[]", "path.forward.loss=1%",
                  "workload.messages=12", "measure.from=2ms", "measure.to=3ms", "run.seed=3")
        peak = next(e for e in self.events_of("window") if e["event"] == "peak")
        self.show("window")
        self.assertEqual(self.script("return [flow.end, flow.peak.time > 2e9 && flow.peak.time < 3e9]"),
                         [2 * peak["connection"], True])
        largest = self.script("return Math.max(...flow.held.map(row => heldAt(row)))")
        self.assertGreater(largest, self.script("return flow.peak.octets"))  # outside
        self.assertIn("not measured", self.element(".legend").text)
        shaded = self.script("""const shaded = [], plain = rectangle;
            rectangle = (colour, x, y, width, height) => { if (colour === 'unmeasured') shaded.push(timeAt(x), timeAt(x + width)); };
            Object.assign(view, {t0: -1e8, t1: 4e9}); draw(); rectangle = plain; return shaded""")
        for at, expected in zip(shaded, (0, 2e9, 3e9, 4e9), strict=True):
            self.assertAlmostEqual(at, expected, delta=1e3)

    def test_line_of_all_connections(self):
        """It is drawn without gaps: the part in a column of pixels reaches that in the one before."""
        self.make("one-loss-in-order", "line", "workload.connections=4", "path.forward.drop=[]", "path.forward.loss=1%")
        self.show("line")
        parts = self.script("""const parts = [], plain = rectangle;
            rectangle = (colour, x, y, width, height) => { if (colour === 'ack') parts.push([x, y, y + height]); };
            draw(); rectangle = plain; return parts""")
        self.assertGreater(max(part[2] - part[1] for part in parts), 20)
        for (x, top, bottom), (next_x, next_top, next_bottom) in zip(parts, parts[1:]):
            self.assertEqual(next_x, x + 1)
            self.assertTrue(next_top <= bottom and next_bottom >= top, parts)

    def test_explained(self):
        """What explain-peak prints, as it is, with links to the peak, a packet and an FPDU, of whatever connection."""
        self.make("one-loss-in-order", "explained", "workload.connections=3", "path.forward.drop=[30]",
                  "fault.error=bad-crc", "fault.at=60", "run.expect=any")
        text = self.iwarpsim("explain-peak", "explained.trace").stdout
        self.show("explained")
        self.assertEqual(self.element(".explained").text.replace("\n", ""), text.replace("\n", ""))
        peak = int(re.search(r"on connection (\d)", text)[1])
        for link, title, end in (("Peak", ": the peak", 2 * peak), ("packet", "lost, a segment", 2 * peak), ("FPDU", "FPDU 60", 0)):
            self.browser.driver.find_element(By.PARTIAL_LINK_TEXT, link).click()
            self.settle(f"flow.end === {end}")
            self.assertIn(title, self.title())

    def test_states_are_what_is_held(self):
        """The areas of the picture sum up to what the receiver said that it holds, at each of its events."""
        for scenario, *sets in (["one-loss-middlebox"], ["one-loss-in-order"], ["one-loss-markers", "receiver.placement_latency=1us"],
                                ["one-loss-markers", "middlebox.mode=rechunk", "path.forward.loss=2%", "mpa.markers=false"],
                                ["one-loss-markers", "path.forward.loss=2%", "path.forward.duplicate=1%", "middlebox.mode=random"],
                                ["one-loss-markers", "receiver.mode=assume-aligned", "path.forward.loss=2%", "middlebox.mode=random", "mpa.markers=false"],
                                ["one-loss-in-order", "receiver.memory=64KiB", "path.forward.loss=1%"]):
            with self.subTest(scenario=scenario, sets=sets):
                self.make(scenario, "held", "workload.messages=11", *sets)
                self.show("held")
                rows, wrong = self.script(DIFFERENCES)
                self.assertGreater(rows, 40)
                self.assertEqual(wrong, [])

    def test_proxy(self):
        """What a proxy sends in place of the sender has sequence numbers of its own."""
        self.make("one-loss-markers", "proxy", "middlebox.mode=proxy")
        events = self.events_of("proxy")
        arrived = {e["packet"]: e["position"] for e in events if e["event"] == "segment_arrived" and e["side"] == "responder"}
        made = next(e["packet"] for e in events if e["event"] == "packet_made" and arrived.get(e["packet"], 0) > 50_000)
        self.show("proxy")
        self.search(f"packet {made}")
        self.assertTrue(self.details()["Stream"].startswith(f"{arrived[made]:,} to "), self.details())

    def test_replay(self):
        """Of a replay there are arrivals alone: octets, segments and what is held are found by them."""
        self.run_scenario("captured", "one-loss-markers")
        done = self.iwarpsim("replay", "captured/receiver.pcap", "-q", "-o", "replayed", "--trace", "replay.trace")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.iwarpsim("timeline", "replay.trace", "-o", "replay.html").returncode, 0)
        arrived = [e for e in self.events_of("replay") if e["event"] == "segment_arrived" and e["new_octets"]]
        self.show("replay")
        for n in (0, 5):
            self.assertEqual(self.search(f"octet {arrived[n]['position'] + 7}"), "")
            self.assertEqual(self.title(), f"Packet {arrived[n]['packet']}: a segment")
            self.assertTrue(self.details()["Stream"].startswith(f"{arrived[n]['position']:,} to "), self.details())
        self.script("document.activeElement.blur()")
        self.press(".")
        self.assertEqual(self.title(), f"Packet {arrived[6]['packet']}: a segment")
        self.press(",", ",")
        self.assertEqual(self.title(), f"Packet {arrived[4]['packet']}: a segment")
        self.assertNotIn("Sent by the Initiator", self.details())

    def test_refused(self):
        self.make("one-loss-in-order", "refused", "receiver.memory=64KiB")
        events = self.events_of("refused")
        refused = next(e for e in events if e["event"] == "segment_refused")
        self.show("refused")
        self.search(f"packet {refused['packet']}")
        self.assertEqual(self.details()["On arrival"], "refused: memory")

    def test_first_fpdu_that_a_marker_located_beyond_a_hole(self):
        """It became valid while the hole was open, and lies beyond it."""
        self.make("one-loss-middlebox", "holes", "path.forward.loss=2%")
        events = self.events_of("holes")
        self.show("holes")
        holes = self.script("""return flow.holes.map(h => [h.from, h.to, h.opened, h.filled,
            describe(`hole-${h.number}`).lines.filter(l => l[0].startsWith('First')).map(l => l[1][0].text)])""")
        located = [e for e in events if e["event"] == "fpdu_valid" and e["located_by"] == "marker"]
        numbers = {e["position"]: e["fpdu"] for e in events if e["event"] == "fpdu_sent" and e["side"] == "initiator"}
        self.assertGreater(len(holes), 10)
        for _, to, opened, filled, named in holes:
            beyond = [e["position"] for e in located if opened <= e["time_ps"] < filled and e["position"] >= to]
            self.assertEqual(named, [f"FPDU {numbers[min(beyond)]}"] if beyond else [])

    def test_fragments(self):
        self.make("ip-fragments", "fragments")
        events = self.events_of("fragments")
        made = {e["packet"]: e for e in events if e["event"] == "packet_made" and e["fragment_of"]}
        lost = next(e["packet"] for e in events if e["event"] == "packet_dropped" and e["packet"] in made)
        whole = next(e for e in events if e["event"] == "segment_sent" and e["packet"] == made[lost]["fragment_of"])
        self.show("fragments")
        self.assertEqual(self.search(f"packet {lost}"), "")
        self.assertEqual(self.title(), f"Packet {lost}: lost, a fragment")
        self.assertTrue(self.details()["Stream"].startswith(f"{whole['position']:,} to "), self.details())
        self.follow("Made of")
        self.assertEqual(self.title(), f"Packet {whole['packet']}: a segment")
        self.assertIn(f"packet {lost}", self.details()["Became on its way"])

    def test_octets_of_a_packet(self):
        self.show()
        self.search(f"packet {self.drop['packet']}")
        within = [[f"FPDU {e['fpdu']}"] for e in self.events if e["event"] == "fpdu_sent" and e["side"] == "initiator" and
                  e["position"] < self.hole["to"] and e["position"] + e["octets"] > self.hole["from"]]
        rows = self.script("return [...document.querySelectorAll('.fields tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([row for row in rows if len(row) == 1], within)
        rows = [row for row in rows if len(row) == 5]
        self.assertEqual(sum(int(row[1]) for row in rows), 1040)
        self.assertEqual([row[0] for row in rows], ["IPv4 header", "TCP header", "Payload", "CRC", "ULPDU_Length", "DDP control",
                                                    "RDMAP control", "STag", "TO", "Payload", "Marker", "Payload"])
        self.assertIn("20 octets in the next segment", rows[-1][3])
        marker = next(row for row in rows if row[0] == "Marker")
        sent = max(e["position"] for e in self.events if e["event"] == "fpdu_sent" and e["position"] <= 575508)
        self.assertEqual(marker[2:], ["575,508", f"FPDUPTR {575508 - sent}", "mpa-01 §4.1"])

    def test_large(self):
        """The page of many FPDUs is small, and what it draws is bounded by its pixels."""
        self.make("one-loss-markers", "large", "workload.messages=200", "path.forward.loss=0.2%")
        self.show("large")
        fpdus, drawn, wide, high = self.script(
            "return [flow.fpdus.length, drawn, screen.canvas.clientWidth, screen.canvas.clientHeight]")
        self.assertGreater(fpdus, 9_000)
        self.assertLess((self.folder / "large.html").stat().st_size, fpdus * 50)
        self.assertLess(drawn, wide * high / 20)

    def test_ulp_messages(self):
        """A bar for each message whose payload this end sends, from when it was posted until it was completed, no two in one place;
        by key, pointer and search one learns its class, operation, payload, slowdown and times."""
        self.make("one-loss-markers", "posts", "workload.messages=12", "workload.outstanding=4", "workload.message_size=32KiB", "run.stop=2ms")
        self.show("posts")
        events = sorted((e for e in self.events_of("posts") if e["event"] == "message_complete"), key=lambda e: (e["posted_ps"], e["id"]))
        posts = self.script("return flow.posts.map(({id, traffic, operation, octets, posted, placed, delivered, completed, until}) => "
                            "[id, traffic, operation, octets, posted, placed, delivered, completed])")
        self.assertEqual(posts, [[e["id"], e["traffic"], e["operation"], e["octets"], e["posted_ps"], e["placed_ps"], e["delivered_ps"],
                                  e["completed_ps"]] for e in events])
        self.assertEqual(len(posts), 12)
        lanes = self.script("return flow.lanes.map(lane => lane.map(({posted, until}) => [posted, until]))")
        self.assertEqual(sum(map(len, lanes)), 12)
        self.assertEqual(len(lanes), 4)  # as many as are outstanding
        for lane in lanes:
            for (_, until), (posted, _) in zip(lane, lane[1:]):
                self.assertLessEqual(until, posted)
        self.press("u")
        first = events[0]
        self.assertEqual(self.title(), f"ULP message 1: {first['operation']}")
        words = self.details()
        took = (first["completed_ps"] - first["posted_ps"]) / 1e6
        self.assertEqual((words["Traffic class"], words["Payload"]), ("workload, its message 1", "32,768 octets"))
        self.assertTrue(words["Completed"].endswith(f"after {round(took, 3):,} us"), words)
        if first["ideal_ps"]:
            slowdown = (first["delivered_ps"] - first["posted_ps"]) / first["ideal_ps"]
            self.assertTrue(words["Slowdown"].startswith(f"{round(slowdown, 2):g} of "), words)
        self.assertEqual(self.search("post 3"), "")
        self.assertEqual(self.title(), f"ULP message 3: {events[2]['operation']}")
        x, y = self.script("""const r = screen.canvas.getBoundingClientRect(), panel = screen.panels.find(({name}) => name === 'posts');
            const lane = flow.lanes.findIndex(each => each.includes(flow.posts[2])), {posted, until} = flow.posts[2];
            return [r.left + X((posted + until) / 2), r.top + panel.top + (lane + .4) * panel.height / flow.lanes.length]""")
        self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle("!document.querySelector('.hint').hidden")
        self.assertIn("ULP message 3: write", self.element(".hint").text)
        self.assertIn("Traffic class: workload", self.element(".hint").text)
        self.assertEqual(self.browser.console(), [])

    def test_texts_are_no_markup(self):
        """A scenario's name, and a place of a drop, that would act."""
        name = "<img src=x onerror=alert(1)>"
        (self.folder / f"{name}.cfg").write_text((SCENARIOS / "one-loss-markers.cfg").read_text())
        self.make(self.folder / name, "markup")
        trace = (self.folder / "markup.trace").read_bytes()
        (self.folder / "markup.trace").write_bytes(trace.replace(b"\x04loss", b"\x04<hr>", 1))
        self.assertEqual(self.iwarpsim("timeline", "markup.trace", "-o", "markup.html").returncode, 0)
        self.show("markup")
        self.search("lost")
        self.assertEqual(self.element("h1").text, name)
        self.assertIn("Lost (<hr>)", self.details())
        self.assertEqual(self.script("return document.querySelectorAll('img,hr').length"), 0)
        self.script("const a = document.createElement('script'); a.textContent = 'window.acted = 1'; document.body.append(a)")
        self.assertIsNone(self.script("return window.acted || null"))
        self.assertIn("Content Security Policy", " ".join(self.browser.console()))

    def test_folder(self):
        """The page of a run's folder has the events of its trace."""
        self.make("one-loss-markers", "trace", "run.seed=7")
        self.assertEqual(self.iwarpsim("timeline", "trace", "-o", "folder.html").returncode, 0)
        of_trace, of_folder = ((self.folder / name).read_text() for name in ("trace.html", "folder.html"))
        self.assertEqual(of_trace.replace("<title>trace.trace", "<title>trace"), of_folder)

    def test_damaged(self):
        """A page of any trace that the program takes shows something, and what it refuses has one clear line."""
        whole = (self.folder / "one.trace").read_bytes()
        (self.folder / "bad.trace").write_bytes(whole[:5000])
        for path, words in (("bad.trace", "cut short"), (".", "summary.json"),
                            (SCENARIOS / "lossless.cfg", "this is a scenario"), ("none.trace", "No such file")):
            done = self.iwarpsim("timeline", path, "-o", "bad.html")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / "bad.html").exists())
        self.assertIn("expected -o FILE", self.iwarpsim("timeline", "one.trace").stderr)

    def test_looks(self):
        """Light, dark, paper and a phone: the picture follows, and nothing is wider than the window."""
        self.addCleanup(self.browser.command, "Emulation.clearDeviceMetricsOverride")
        self.addCleanup(self.browser.media)
        self.show()
        papers = []
        for kind, scheme in (("", "light"), ("", "dark"), ("print", "dark")):
            self.browser.media(kind, scheme)
            self.settle()
            papers.append(self.script("return [...pen.getImageData(2, 2, 1, 1).data].slice(0, 3)"))
        self.assertEqual(papers, [[255, 255, 255], [22, 24, 27], [255, 255, 255]])
        self.browser.media()
        self.browser.resize(390, 844, True)
        self.search("lost")
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main()
