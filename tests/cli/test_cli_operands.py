# SPDX-License-Identifier: GPL-2.0-only
"""A command that is given the wrong file or folder reports what it is, what would do, and where that comes
from; one that is given no number reports what was expected."""
import os

import program_kit as kit

# Each command takes this of what setUp() makes.
TAKES = {"check": "a.cfg", "run": "a.cfg", "sweep": "a.cfg", "size": "a.cfg", "table": "a.sqlite", "report": "a.sqlite",
         "export": "a.sqlite", "merge": "a.sqlite", "plot": "a.sqlite r t", "show": "r", "explain-peak": "r t",
         "timeline": "r t r/sender.pcap", "trace": "t", "decode": "r/sender.pcap", "replay": "r/sender.pcap"}
WHAT = {"a.cfg": "a scenario, for check, run, sweep and size", "t": "a trace, for trace, timeline, explain-peak and plot",
        "a.sqlite": "a result store, for table, plot, report, export and merge",
        "r": "the folder of a run, for show, plot, explain-peak and timeline",
        "r/sender.pcap": "a capture, for decode, replay and timeline",
        "r/summary.json": "the summary of a run, for show, plot, explain-peak and timeline, which take its folder"}
EXPECTED = {"a.cfg": "a scenario (`iwarpsim new` prints some)", "a.sqlite": "a result store (`iwarpsim sweep` writes one)",
            "r": "the folder of a run (`iwarpsim run` writes one)",
            "t": "a trace (`iwarpsim run --trace FILE` writes one)",
            "r/sender.pcap": "a capture (tcpdump or `iwarpsim run --pcap` writes one)"}
OPTIONS = {"size": "--key receiver.memory --keep 'delivery.octets >= 1'", "merge": "-o m.sqlite", "timeline": "-o t.html"}


class Operands(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", kit.SEEDS)
        self.shell("iwarpsim run a.cfg -q --pcap --trace t -o r && iwarpsim sweep a.cfg -q --store a.sqlite && mkdir e")

    def test_wrong_ones(self):
        for command, takes in TAKES.items():
            expected = f"; expected {EXPECTED[takes.split()[0]]}"
            for path, what in WHAT.items():
                if path not in takes.split():
                    self.expect_refused(f"iwarpsim {command} {path} {OPTIONS.get(command, '')}",
                                        f"{path}: this is {what}{expected}")
            self.expect_refused(f"iwarpsim {command} e {OPTIONS.get(command, '')}",
                                f"e: this is a folder{' without a summary.json' if 'r' in takes.split() else ''}{expected}")
            if command not in ("check", "run", "sweep", "size"):
                self.expect_refused(f"iwarpsim {command} none {OPTIONS.get(command, '')}",
                                    f"none: No such file or directory{expected}")

    def test_all_that_would_do(self):
        self.expect("iwarpsim plot none", "", f"none: No such file or directory; expected {EXPECTED['a.sqlite']}, "
                    f"{EXPECTED['r']} or {EXPECTED['t']}\n", 2)

    def test_good_ones(self):
        """None that a command takes is refused."""
        for command, takes in TAKES.items():
            for path in takes.split():
                done = kit.run("sh", "-c", f"iwarpsim {command} {path} {OPTIONS.get(command, '')}")
                self.assertNotIn("this is", done.stderr, f"{command} {path}")

    def test_no_files(self):
        """A pipe that nobody writes into, a folder or a device in the place of a file: no command waits for it."""
        os.mkfifo("pipe")
        os.mkdir("r/d")
        for name in ("pipe", "r/d", "/dev/null", "/dev/zero"):
            for command in TAKES:
                if command != "decode" or name != "pipe":  # it reads live captures from pipes
                    self.expect_refused(f"timeout 20 iwarpsim {command} {name} {OPTIONS.get(command, '')}", "" if command == "replay" else name)
        os.mkfifo("r/run.trace")
        for command in ("explain-peak r", "timeline r -o t.html", "plot r --what sequence"):
            self.expect_refused(f"timeout 20 iwarpsim {command}", "r/run.trace: it is a pipe")
        self.shell("iwarpsim run a.cfg -q -o s --trace /dev/stdout | iwarpsim trace /dev/stdin > piped && "
                   "iwarpsim trace t > read && cmp piped read")

    def test_no_numbers(self):
        """What the C library reads as a number that is not finite is no value anywhere."""
        keep = "size a.cfg --key receiver.memory --keep 'goodput_bit_per_s >="
        for value in ("inf", "nan", "1e400", "1e308B/s"):
            kit.write("b.cfg", f"receiver: {{ memory = \"{value}\"; }};\n")
            kit.write("c.cfg", f"sweep = ( {{ key = \"path.forward.loss\"; from = \"{value}\"; to = 1.0; step = 0.5; }} );\n")
            kit.write("d.cfg", f"where = \"path.forward.rate < {value}\";\n")
            for line in ("check b.cfg", "run b.cfg", "sweep --list c.cfg", "check d.cfg", f"check a.cfg --set receiver.memory={value}",
                         f"{keep} 1Gbit/s' --to {value}", f"{keep} {value}'", f"{keep} {value} % of unlimited'",
                         f"{keep} 99 % of {value}'", f"{keep} 1Gbit/s' --precision {value}",
                         f"replay r/sender.pcap --set receiver.memory={value}", f"replay r/sender.pcap --resend {value}",
                         f"plot t --what sequence --to {value}", f"plot a.sqlite --xrange 0:{value}",
                         f"plot a.sqlite --font-size {value}", f"plot a.sqlite --where 'receiver.memory < {value}'",
                         f"table a.sqlite --return-level {value}", f"trace t --filter 'time > {value}'"):
                self.expect_refused(f"iwarpsim {line}", value, "expected")
