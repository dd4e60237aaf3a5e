# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the scenarios and presets that come with the program."""
import json
import os
import re
from pathlib import Path

import jsonschema

import program_kit as kit

DOCS = Path(os.environ["DOCS"])
SCENARIOS = DOCS.parent / "scenarios"
PRESETS = sorted(path.stem for path in SCENARIOS.glob("presets/*.cfg"))


class Presets(kit.ProgramTest):
    stays = ["*.cfg"]

    def metrics(self, preset, *sets):
        """They are of 20 messages of 64 KiB a connection, after the preset."""
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
        that slow start cuts short. It never cuts, so they stay aligned. IPv6 fits too. When each FPDU, a segment, ends
        with PSH, nothing is joined."""
        self.assertEqual(self.metrics("linux-gro")["tcp.segments"], 920)
        joined = self.metrics("linux-gro", "tcp.push=queue")
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
        """They are in `explain presets` (docs/scenario.md) by an item each, and in the README; each file says
        what it rests on,
        where it was read, or what it does not model."""
        listed = re.findall(r"(?m)^- `([\w-]+)`: ", self.shell("iwarpsim explain presets").stdout)
        self.assertEqual(sorted(listed), PRESETS)
        readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
        for preset in PRESETS:
            self.assertRegex(readme, rf"[`/]{preset}[`.]")
            text = (SCENARIOS / f"presets/{preset}.cfg").read_text(encoding="utf-8")
            self.assertRegex(text, r"^# ")
            self.assertIn(f'#   @include "presets/{preset}.cfg"', text)


class New(kit.ProgramTest):
    stays = ["*.cfg"]

    def questions(self):
        """Name and question of each, as `new` lists them."""
        listed = self.shell("iwarpsim new", COLUMNS="400").stdout
        self.expect_start(listed, "Scenarios to start from: iwarpsim new QUESTION > my.cfg\n\n")
        return re.findall(r"(?m)^  (\S+) +(.*)$", listed)

    def test_list_is_that_of_the_scenarios(self):
        """One for each shipped file, in order, with the question that it begins with."""
        questions = self.questions()
        self.assertEqual([name for name, _ in questions], sorted(name for name, _ in questions))
        asked = []
        for path in SCENARIOS.glob("*.cfg"):
            begin = re.match(r"# Question: ((?:.|\n)*?)\n# Expected: ", path.read_text(encoding="utf-8"))
            asked.append(begin[1].replace("\n# ", " "))
        self.assertEqual(sorted(question for _, question in questions), sorted(asked))
        self.assertIn("loss-sweep", dict(questions))

    def test_each_passes_check(self):
        """It runs in a folder of one's own. The commands of the comments are those for my.cfg."""
        names = [name for name, _ in self.questions()]
        for name in names:
            self.shell(f"iwarpsim new {name} > {name}.cfg")
            self.assertNotRegex(kit.octets(f"{name}.cfg").decode(), r"iwarpsim (run|sweep) (?!my\.cfg)|results/(?!my\.)")
        done = self.shell("iwarpsim check *.cfg")
        self.assertEqual(sorted(re.findall(r"(?m)^(\S+)\.cfg: ok", done.stdout)), names)

    def test_names(self):
        """A file's own name is taken as well; a near miss is answered."""
        sweep = self.shell("iwarpsim new loss-sweep").stdout
        self.assertEqual(self.shell("iwarpsim new mtu-loss").stdout, sweep)
        self.assertEqual(sweep.replace("my.cfg", "scenarios/mtu-loss.cfg").replace("/my.", "/mtu-loss."),
                         (SCENARIOS / "mtu-loss.cfg").read_text(encoding="utf-8"))
        self.expect_refused("iwarpsim new los-sweep", "iwarpsim new: unknown question 'los-sweep'; expected one that "
                            "'iwarpsim new' lists (did you mean 'loss-sweep'?)")
        self.expect_refused("iwarpsim new loss-sweep lossless", "one QUESTION is expected, 2 were given")

    def test_folders_of_ones_own(self):
        """IWARPSIM_DATA has the scenarios; other files there are none."""
        os.mkdir("mine")
        kit.write("mine/one.cfg", "# Question: which?\n# Expected: this.\n")
        kit.write("mine/two.cfg", "# Q")
        self.assertIn("\n  one                       which?\n", self.shell("iwarpsim new", IWARPSIM_DATA="mine").stdout)
        self.expect_refused("iwarpsim new two", "unknown question 'two'", IWARPSIM_DATA="mine")
        self.expect_refused("iwarpsim check scenarios/three.cfg", "cannot find 'three.cfg' in scenarios, mine/scenarios, mine",
                            IWARPSIM_DATA="mine")
        self.shell("rm -r mine")


TOKEN = re.compile(r'\s*(?:#.*|//.*|/\*(?:.|\n)*?\*/|@include.*|("(?:[^"\\]|\\.)*")|([][{}(),;=:])|([^][{}(),;=:\s"#]+))')


def parsed(text):
    """A scenario in libconfig's syntax, as JSON has it; without what it includes."""
    tokens = [match.group(match.lastindex) for match in TOKEN.finditer(text) if match.lastindex]

    def members(end):
        found = {}
        while tokens and tokens[0] != end:
            name = tokens.pop(0)
            assert tokens.pop(0) in "=:"
            found[name] = value()
            if tokens and tokens[0] in ";,":
                tokens.pop(0)
        return found

    def value():
        token = tokens.pop(0)
        if token in "[(":
            elements = []
            while tokens[0] not in "])":
                elements.append(value())
                if tokens[0] == ",":
                    tokens.pop(0)
            tokens.pop(0)
            return elements
        if token == "{":
            found = members("}")
            tokens.pop(0)
            return found
        while token.startswith('"') and tokens and tokens[0].startswith('"'):
            token = token[:-1] + tokens.pop(0)[1:]
        return json.loads(token.rstrip("L"))

    return members(None)


class Schema(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.shell("iwarpsim explain keys --schema").stdout)
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft202012Validator(self.schema)

    def test_shipped_scenarios(self):
        paths = sorted(SCENARIOS.rglob("*.cfg"))
        self.assertGreater(len(paths), 40)
        for path in paths:
            with self.subTest(path.name):
                self.validator.validate(parsed(path.read_text(encoding="utf-8")))

    def test_broken_scenarios(self):
        """Each is refused by `check` too."""
        for text in ("mtu = 1500;", "path: { forward: { mut = 1500; }; };", "path = 3;", "title = 5;",
                     'mpa: { markers = "true"; };', "mpa: { markers = 1; };", 'path: { forward: { rate = "10 Gbps"; }; };',
                     "path: { forward: { rate = 10; }; };", "path: { forward: { delay = 25; }; };",
                     "path: { forward: { mtu = 175; }; };", 'path: { forward: { mtu = "1500 octets"; }; };',
                     "path: { forward: { loss = 1.5; }; };", "path: { forward: { drop = 5; }; };",
                     "path: { forward: { drop = [0]; }; };", 'path: { forward: { displace_by = "5"; }; };',
                     'workload: { operation = "write+"; };', 'run: { engine = "ns4"; };',
                     'tcp: { receive_window = "automatic"; };', 'measure: { from = "soon"; };',
                     "sweep = ( { values = [1]; } );", 'sweep = ( { key = "run.sede"; values = [1]; } );',
                     'sweep = ( { key = "run.seed"; values = [1]; from = 1; to = 2; } );', "where = 5;",
                     'event = ( { at = "1ms"; key = "tcp.sack"; value = true; } );'):
            with self.subTest(text):
                self.assertFalse(self.validator.is_valid(parsed(text)))
                kit.write("broken.cfg", text)
                self.shell("iwarpsim check broken.cfg; code=$?; rm broken.cfg; exit $code", 2)

    def test_every_key(self):
        """Each has its sentence, and, unless it takes another's, a default that its own schema allows."""
        keys = re.findall(r"(?m)^([\w.]+) \(default: ", self.shell("iwarpsim explain keys").stdout)
        for key in keys:
            schema = self.schema
            for part in key.split("."):
                schema = schema["properties"][part]
            validator = jsonschema.Draft202012Validator(schema)
            if "default" in schema:
                self.assertTrue(validator.is_valid(schema["default"]), (key, schema["default"]))
            self.assertIn(" Value: ", schema["description"])
        self.assertEqual(["title", *self.schema["$defs"]["key"]["enum"]], keys)
