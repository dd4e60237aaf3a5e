# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim plot`, by its command line: what it draws, prints and refuses."""
import contextlib
import json
import os
import pty
import re
import shutil
import sqlite3
import unittest

import program_kit as kit

SCENARIO = """title = "A question";
workload: { message_size = "8KiB"; messages = 20; };
run: { engine = "native"; };
sweep = ( { key = "receiver.mode"; values = ["in-order", "out-of-order"]; },
          { key = "path.forward.mtu"; values = [1500, 9000]; },
          { key = "path.forward.loss"; values = ["2%", "10%"]; } );
"""


@unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
class Plot(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", SCENARIO)
        self.shell("iwarpsim sweep a.cfg --quiet --store a.sqlite")

    def test_paper_slide_and_terminal(self):
        """One store, three media, no script touched: a column of a paper, a slide, a pipe of 80 letters."""
        asked = "--metric goodput_bit_per_s --where 'path.forward.mtu = 1500' --x path.forward.loss --series receiver"
        self.expect(f"iwarpsim plot a.sqlite {asked} --width 85mm --font-size 8 --format pdf --out paper",
                    "".join(f"paper/a-goodput_bit_per_s.{end}\n" for end in ("dat", "gnuplot", "pdf")))
        self.assertIn(b"/MediaBox [ 0 0 240", kit.octets("paper/a-goodput_bit_per_s.pdf"))  # 85 mm are 241 points
        self.shell(f"iwarpsim plot a.sqlite {asked} --width 1920px --height 1080px --out slide --quiet")
        self.assertEqual(kit.octets("slide/a-goodput_bit_per_s.png")[16:24].hex(), "0000078000000438")
        shown = self.shell(f"iwarpsim plot a.sqlite {asked} --format term | cat").stdout
        self.expect_parts(shown, "Goodput over loss of segments, where path.forward.mtu = 1500",
                          "in-order receiver", "out-of-order receiver", "2%", "10%")
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)
        self.assertNotIn("\x1b", shown)
        titled = self.shell(f"iwarpsim plot a.sqlite {asked} --format term --title Mine").stdout
        self.assertEqual(titled.split(maxsplit=1)[0], "Mine")
        self.shell(f"iwarpsim plot a.sqlite {asked} --title '' --out bare --quiet")
        script = kit.octets("bare/a-goodput_bit_per_s.gnuplot").decode()
        self.expect_parts(script, "\ntitle_text = ''\nsubtitle_text = ''\n")
        self.assertIn("\ny_name = 'goodput (Gbit/s)'\n", script)
        self.assertIn(b"# Goodput over loss of segments", kit.octets("paper/a-goodput_bit_per_s.dat"))

    def test_what_cannot_be_drawn(self):
        """13 values of a third axis are more panels than a heat map has: without --what, and in a report, the others
        are drawn, and it is named with its reason; asked for, it is an error. Over loss, MTU by MTU, the other plot
        would have 26 lines: over the 13 values it has 4."""
        kit.write("many.cfg", SCENARIO.replace(
            '{ key = "receiver.mode"; values = ["in-order", "out-of-order"]; }',
            f'{{ key = "workload.messages"; values = {list(range(1, 14))}; }}'))
        self.shell("iwarpsim sweep many.cfg --quiet --store many.sqlite")
        reason = "13 panels: at most 12 can be read; choose among them with --where"
        self.expect("iwarpsim plot many.sqlite",
                    "./many-peak.dat\n./many-peak.gnuplot\n./many-peak.png\n",
                    f"iwarpsim plot: heat-map is left out: {reason}\n")
        self.assertIn(b"place_on_x: workload.messages", kit.octets("many-peak.dat"))
        self.assertEqual(kit.octets("many-peak.dat").count(b"# place_on_x"), 2 * 4)  # peak and p99
        self.shell("iwarpsim report many.sqlite -q")
        page = kit.octets("many.html").decode()
        self.assertIn(f"<p class=\"note\">The plot heat-map is left out: {reason}.</p>", page)
        self.assertEqual(page[page.index('id="plots"'):page.index('id="results"')].count("<figure"), 1)
        self.expect_refused("iwarpsim plot many.sqlite --what heat-map", reason)
        self.shell("iwarpsim plot many.sqlite --what heat-map --where 'workload.messages < 13' -q")

    def test_messages(self):
        """Completion times and slowdowns of a sweep and of a run. A class that is not there is refused with the nearest one; so
        is a store without messages, as of a version that did not time them."""
        self.shell("iwarpsim sweep a.cfg --quiet --store m.sqlite && iwarpsim run a.cfg -q -o m")
        for where, stem in (("m.sqlite", "./m-"), ("m", "m/")):
            for what in ("completion", "slowdown"):
                self.expect(f"iwarpsim plot {where} --what {what} -f",
                            "".join(f"{stem}{what}.{kind}\n" for kind in ("dat", "gnuplot", "png")), "")
        kit.write("two.cfg", 'traffic = ( { name = "bulk"; }, { name = "calls"; operation = "rpc"; } );')
        self.shell("iwarpsim run two.cfg -q -o several")
        self.shell("iwarpsim plot several --what completion -q")
        for of in ("bulk", "calls"):  # a line of each class, as of a store
            self.assertIn(of.encode(), kit.octets("several/completion.dat"))
        self.expect_refused("iwarpsim table m.sqlite --metric message.wrokload.count",
                            "m.sqlite: no run has message.wrokload.count; expected a row and a column of its tables (did you mean "
                            "'message.workload.count'?)")
        self.expect_refused("iwarpsim plot m.sqlite --metric message.back.count", "no run has message.back.count")
        with contextlib.closing(sqlite3.connect("m.sqlite")) as store, store:
            store.execute("UPDATE runs SET tables = ''")
            kit.sign(store)
        self.expect_refused("iwarpsim plot m.sqlite --what slowdown",
                            "plot slowdown needs runs that have measured the slowdown of messages")
        self.expect_refused("iwarpsim table m.sqlite --metric message.workload.count", "expected runs whose messages are measured")

    def test_words_of_the_axis(self):
        """What is drawn stands beside y and above in words; the data has the metric's own name."""
        for metric, words in (("buffer.reassembly_p99_octets", "reassembly occupancy, p99"),
                              ("placement.octets_direct/placement.octets", "payload placed directly / payload placed"),
                              ("tcp.retransmissions", "TCP retransmissions"),
                              ("delay.placement_mean_s", "delay, placement mean")):
            shown = self.shell(f"iwarpsim plot a.sqlite --metric {metric} --format term | cat").stdout
            self.expect_parts(shown.lower(), f" {words} over ".lower(), f"\n {words} (".lower())

    def terminal(self, **environment):
        """Returns what a terminal of 90 letters shows of the heat map."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(environment)
            os.execvp("sh", ["sh", "-c", "stty rows 30 cols 90; iwarpsim plot a.sqlite --what heat-map --format term"
                                         " --metric tcp.segments"])
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # EIO: nobody has the terminal open any more
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, shown)
        return shown.decode()

    def test_terminal(self):
        """Cells are shaded; NO_COLOR leaves no escape sequence; no line is longer than the terminal is wide."""
        plain = self.terminal(NO_COLOR="1", TERM="xterm")
        self.assertRegex(plain, "[░▒▓█]{4}")
        self.assertNotIn("\x1b", plain)
        self.assertLessEqual(max(map(len, plain.splitlines())), 90)
        self.assertIn("\x1b[", self.terminal(NO_COLOR="", TERM="xterm"))

    def test_range(self):
        """What lies below --yrange is not drawn at its edge: a line leaves the panel on its way there, 0 has no
        tic."""
        shown = self.shell("iwarpsim plot a.sqlite --metric tcp.segments --x path.forward.mtu --yrange 50: --format term"
                           " --where 'receiver.mode = in-order and path.forward.loss = 10%'").stdout
        self.assertLess(max(line.rfind("*") for line in shown.splitlines() if "|" in line), 60)
        shown = self.shell("iwarpsim plot a.sqlite --what peak --ylog --format term").stdout
        self.assertRegex(shown, "\n +0 [+]")
        shown = self.shell("iwarpsim plot a.sqlite --what peak --ylog --yrange 8KiB: --format term").stdout
        self.assertNotRegex(shown, "\n +0 [+]")

    def test_cells_of_any_height(self):
        """Shades leave the mean of each cell readable, in a pipe too."""
        for height in range(20, 33):
            shown = self.shell(f"iwarpsim plot a.sqlite --what heat-map --format term --height {height}").stdout
            means = [re.findall("[0-9.]+", line) for line in shown.splitlines() if "00 +" in line]
            self.assertEqual(list(map(len, means)), [5, 5], shown)  # with the row's MTU

    def test_refusals(self):
        """One line each, and nothing is drawn."""
        for options, part in (("--where 'path.forward.mto = 1'", "did you mean 'path.forward.mtu'?"),
                              ("--where 'path.forward.mtu = 1501'", "holds for no run of the store"),
                              ("--x path.forward.mtus", "--x: unknown key 'path.forward.mtus'"),
                              ("--x run.seed", "run.seed is what runs are averaged over"),
                              ("--series receiver.memory", "receiver.memory does not vary: it is unlimited"),
                              ("--x path.forward.mtu,path.forward.loss", "expected one key"),
                              ("--metric goodput_bit_per_sec", "did you mean 'goodput_bit_per_s'?"),
                              ("--xrange 5:1", "its end is not above its beginning"),
                              ("--width 1mm", "'1mm' is no size of a plot"),
                              ("--height 1m", "'1m' is no size of a plot"),
                              ("--font-size big", "expected 4 to 72 points"),
                              ("--what metric --metric tcp.timeouts --ylog", "--ylog: tcp.timeouts has values"),
                              ("--what peak --x receiver.mode --xlog", "--xlog: receiver.mode has no numbers"),
                              ("--what distribution --x path.forward.mtu", "--x does not go with --what distribution"),
                              ("--width 3cm --font-size 20", "--width leaves no room for the panels; expected 8.9cm"),
                              ("--width 12cm --font-size 20 --height 9cm", "--height leaves no room"),
                              ("--format term --width 20", "expected 22 letters or more"),
                              ("--what heat-map --metric tcp.segments/mpa.crc_errors", "no run has a value of tcp.seg"),
                              ("--what heat-map --xrange 1:5", "--xrange does not go with --what heat-map"),
                              ("--format term --width 8cm", "expected 20 to 1000 letters")):
            with self.subTest(options):
                lines = self.shell(f"iwarpsim plot a.sqlite --out plots {options}", 2).stderr.splitlines()
                self.assertIn(part, lines[-1])
        self.shell("iwarpsim run a.cfg --out run --quiet")
        self.expect_refused("iwarpsim plot run --where mpa.markers", "--where goes with a STORE")
        self.expect_refused("iwarpsim plot run --ylog", "--ylog does not go with --what occupancy")

    def test_little_room(self):
        """In a narrow terminal numbers of a heat map stand apart, in fewer digits if need be, and below the
        subtitle. With large letters panels stand side by side, less wide than is good for them, where rows have
        no room, and labels of colours are left out."""
        kit.write("n.cfg", SCENARIO.replace('"2%", "10%"', '"1%", "2%", "3%", "5%", "8%"'))
        self.shell("iwarpsim sweep n.cfg --quiet --store n.sqlite")
        shown = self.shell("iwarpsim plot n.sqlite --what heat-map --format term --width 40 --height 22").stdout
        for line in shown.splitlines():
            if line.lstrip().startswith(("1500", "9000")):
                self.assertEqual(len(re.findall(r"\d[\d.]*", line)), 6, shown)
        self.expect_parts(shown, "MTU (octets)\n")
        self.shell("iwarpsim plot n.sqlite --what heat-map --width 1920px --height 1080px --font-size 12 --quiet")

    def test_tics_below_1(self):
        """0.1 Gbit/s has a tic: 100000000 / 1000000000 is 0 to gnuplot, if both are whole."""
        self.shell("iwarpsim plot a.sqlite --metric goodput_bit_per_s --ylog --yrange 50Mbit/s:20Gbit/s --format svg -q")
        self.assertIn(b"<text>0.1</text>", kit.octets("a-goodput_bit_per_s.svg"))

    def test_constant_metric(self):
        """A flat line is drawn, and said to be one."""
        done = self.shell("iwarpsim plot a.sqlite --metric tcp.timeouts --quiet")
        self.assertEqual(done.stderr,
                         "iwarpsim plot: tcp.timeouts never varies: it is 0 timeouts in all 8 runs\n")

    def test_exceedance_pools_seeds(self):
        """The shares of four seeds are those of their runs' weights together: of the time, and of arriving octets."""
        kit.write("b.cfg", """title = "seeds";
workload: { message_size = "8KiB"; messages = 20; };
run: { engine = "native"; };
receiver: { mode = "in-order"; };
path: { forward: { loss = "5%"; }; };
sweep = ( { key = "run.seed"; from = 1; to = 4; } );
""")
        self.shell("iwarpsim sweep b.cfg --quiet --store b.sqlite && iwarpsim plot b.sqlite --what exceedance --quiet")
        runs = []
        for seed in range(1, 5):
            self.shell(f"iwarpsim run b.cfg --quiet --out r --set run.seed={seed}")
            runs.append(json.loads(kit.octets("r/summary.json"))["distributions"])
        curves = kit.octets("b-exceedance.dat").decode().split("\n\n\n")
        for name, curve in zip(("buffer.reassembly_octets", "buffer.reassembly_found_octets"), curves, strict=False):
            bins = [(bound, weight) for run in runs for bound, weight in run[name]["bins"]]
            self.assertGreater(len({bound for bound, _ in bins}), 5)
            shares = [[float(number) for number in line.split()] for line in curve.splitlines() if line[:1].isdigit()]
            for bound, share in shares[1::2]:
                above = sum(weight for other, weight in bins if other > bound) / sum(weight for _, weight in bins)
                self.assertAlmostEqual(share, above, delta=1e-9, msg=f"{name} above {bound}")

    def test_axes_of_a_heat_map(self):
        self.shell("iwarpsim plot a.sqlite --what heat-map --x path.forward.mtu --series receiver.mode --quiet")
        self.assertIn(b"over MTU and receiver\n", kit.octets("a-heat-map.dat"))

    def test_quiet_end(self):
        """What follows the last change for long is not drawn."""
        self.shell("iwarpsim run a.cfg --out run --quiet --set 'path.forward.drop=[3]' --set receiver.mode=in-order")
        summary = kit.octets("run/summary.json").decode()
        kit.write("run/summary.json", re.sub(r'("time\.simulated_s": )[^,\n]+', r"\g<1>100", summary))
        self.shell("iwarpsim plot run --quiet")
        self.assertLess(float(re.search(b"^x_to = (.*)$", kit.octets("run/occupancy.gnuplot"), re.MULTILINE)[1]), 1)

    def test_hole_in_a_series(self):
        """Octets that are 0, as after a crash, are not taken for the end of the file."""
        self.shell("iwarpsim run a.cfg --out run --quiet")
        with open("run/occupancy.csv", "ab") as series:
            series.write(b"\0\0\n")
        self.expect_refused("iwarpsim plot run", "occupancy.csv:", "expected the end of the line: the file is cut off")

    def test_no_series(self):
        """What the error says to do works."""
        self.shell("iwarpsim run a.cfg --out run --quiet --set measure.series=none")
        self.expect_refused("iwarpsim plot run", "run it again with --set measure.series=all, or plot --what sequence")
        self.shell("iwarpsim plot run --what sequence --quiet")
        self.shell("iwarpsim run a.cfg --out run --quiet --set measure.series=all && iwarpsim plot run --quiet")

    def test_metric_as_another_plot(self):
        """It keeps the plot's scale of y: 1 to 4 connections alone need no logarithms."""
        kit.write("b.cfg", 'run: { engine = "native"; };\n'
                           'sweep = ( { key = "workload.connections"; values = [1, 4]; } );\n')
        self.shell("iwarpsim sweep b.cfg --quiet --store b.sqlite")
        self.shell("iwarpsim plot b.sqlite --what connections --metric tcp.segments --quiet")
        self.assertIn(b"\ny_log = 10\n", kit.octets("b-connections-tcp.segments.gnuplot"))

    def test_part_of_a_picture(self):
        """A picture whose end is missing, as on a full disk, is no picture."""
        os.mkdir("bin")
        kit.write("bin/gnuplot", f"#!/bin/sh\n{shutil.which('gnuplot')} \"$@\" && truncate -s -4 *.png *.svg *.pdf; rm -f"
                                 " '*'*\n")
        os.chmod("bin/gnuplot", 0o755)
        for form in ("png", "svg", "pdf"):
            done = self.shell(f"iwarpsim plot a.sqlite --what peak --format {form}", 2,
                              PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}")
            self.assertIn("gnuplot wrote only a part of it", done.stderr)
            self.assertFalse(os.path.exists(f"a-peak.{form}"))

    def test_force(self):
        self.shell("iwarpsim plot a.sqlite --what peak --quiet && echo '# mine' >>a-peak.gnuplot")
        self.expect_refused("iwarpsim plot a.sqlite --what peak", "a-peak.gnuplot was changed since it was written")
        self.shell("iwarpsim plot a.sqlite --what peak --force --quiet")
        self.assertNotIn(b"# mine", kit.octets("a-peak.gnuplot"))

    def test_points_asked_for(self):
        """`distribution` draws the points of --where: 4 of 8, which differ in receiver and loss."""
        self.shell("iwarpsim plot a.sqlite --what distribution --where 'path.forward.mtu = 9000' --quiet")
        data = kit.octets("a-distribution.dat").decode()
        self.assertEqual(len(re.findall("^# x ", data, re.MULTILINE)), 4)
        self.assertIn("# in-order receiver, loss 2%\n", data)
