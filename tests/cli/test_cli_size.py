# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim size` as a user meets it: answers that are known beforehand, what it
prints, and that it goes on where it was."""
import contextlib
import csv
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest

import program_kit as kit

# There is no loss; the whole window may leave at once, so that no slow start blurs the result. 200 messages
# are 22 round trips of the bandwidth-delay product.
WINDOW = """run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 200; };
path: { forward: { rate = "10Gbit/s"; delay = "250us"; }; };
tcp: { initial_window = 1000; };
"""

# There is one loss, in order: the receiver holds what arrives in the round trip until the 20th segment comes
# again.
MEMORY = """run: { engine = "native"; };
receiver: { mode = "in-order"; };
workload: { message_size = "64KiB"; messages = 8; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; drop = [20]; }; };
"""
# Hardly any packet is lost.
RARE = """run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 320; };
sender: { segmentation = "stream"; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; mtu = 9000; loss = "0.01%"; }; };
"""
SWEEP = """sweep = ( { key = "receiver.mode"; values = ["in-order", "out-of-order"]; },
  { key = "receiver.memory"; values = [0]; }, { key = "run.seed"; values = [3, 7, 3]; } );
"""
GOODPUT = "'goodput_bit_per_s >= 99 % of unlimited'"


def octets(label):
    number, unit = re.fullmatch(r"([0-9.]+)(?: ([KMG])iB| octets)?", label).groups()
    return int(float(number) * {None: 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[unit])


class Size(kit.ProgramTest):
    stays = ["a.cfg", "a.csv", "other*", "results"]

    def size(self, rest, code=0):
        """Returns what it prints with --quiet."""
        return self.shell(f"iwarpsim size a.cfg -q {rest}", code).stdout

    def answers(self, path):
        return list(csv.DictReader(line for line in kit.octets(path).decode().splitlines() if line[0] != "#"))

    def least(self, text, key):
        """The answer in octets, and the largest value that does not keep the condition."""
        found = re.match(rf"{re.escape(key)} = (.*?) keeps .*\); (.*?) do(?:es)? not \(.*\)", text)
        self.assertIsNotNone(found, text)
        return octets(found[1]), octets(found[2])

    def test_closed_form(self):
        """Without loss a window moves once in a round trip: rate x round trip fill the path, 0.99 of it 99 %.
        A full segment is 1460 octets of stream and 1538 on the link (40 of headers, 38 of framing). The ACK
        that lets the next window begin waits for a second segment: 250 us and two times 1538 octets there,
        250 us and an ACK of 40 + 38 octets back."""
        kit.write("a.cfg", WINDOW)
        link = 10e9 / 8  # octets per second
        round_trip = 2 * 250e-6 + (2 * 1538 + 78) / link
        expected = 0.99 * link * 1460 / 1538 * round_trip
        self.assertGreater(expected / 1460, 400)
        text = self.size(f"--key tcp.receive_window --keep {GOODPUT} --seeds 2 --from 64KiB "
                         "--precision 0.2%")
        least, below = self.least(text, "tcp.receive_window")
        self.assertAlmostEqual(least / expected, 1, delta=0.01)
        self.assertLess((least - below) / least, 0.002)
        self.assertRegex(text, r"\(ratio 0.99\d*, 95 % interval 0.99\d* to 0.99\d*, n = 2\)")
        self.expect_parts(text, "; no losses, and none is asked for")

    def test_memory(self):
        """The least memory in which no segment is dropped, so that only the lost one is sent again, is what
        a receiver with any amount of memory holds at most."""
        kit.write("a.cfg", MEMORY)
        text = self.size("--key receiver.memory --keep 'tcp.retransmissions <= 1' --every-seed --seeds 1")
        least, below = self.least(text, "receiver.memory")
        self.shell("iwarpsim run a.cfg -q --out results/a")
        with open("results/a/summary.json", encoding="utf-8") as file:
            peak = json.load(file)["metrics"]["buffer.reassembly_peak_octets"]
        self.assertTrue(below < peak <= least < 1.011 * peak, f"{text}{peak}")

    def test_not_monotone(self):
        """A receiver without memory holds nothing, so nothing waits there; one with enough waits least of
        the others."""
        kit.write("a.cfg", MEMORY)
        text = self.size("--key receiver.memory --keep 'delay.placement_mean_s <= 110 % of unlimited' "
                         "--every-seed --seeds 1 --to 1MiB")
        self.least(text, "receiver.memory")
        self.assertTrue(text.endswith("; not monotone: 0 keeps it (ratio 0, n = 1), but not all larger values "
                                      "do\n"), text)

    def test_nothing_twice(self):
        """The same command again, and one with half of its runs gone, make no run again that is there, and
        give the same answer."""
        kit.write("a.cfg", MEMORY)
        rest = f"--key receiver.memory --keep {GOODPUT} --every-seed --seeds 2 --to 1MiB -o other.sqlite"
        text = self.size(rest)
        with contextlib.closing(sqlite3.connect("other.sqlite")) as store:
            store.execute("PRAGMA foreign_keys = ON")
            runs = "SELECT identity, wall_s FROM runs ORDER BY identity"
            made = store.execute(runs).fetchall()
            self.assertEqual(self.size(rest), text)
            self.assertEqual(store.execute(runs).fetchall(), made)
            with store:
                store.executemany("DELETE FROM runs WHERE identity = ?", [row[:1] for row in made[::2]])
            self.assertEqual(self.size(rest), text)
            again = store.execute(runs).fetchall()
        self.assertEqual((again[1::2], [row[0] for row in again]), (made[1::2], [row[0] for row in made]))

    def test_interrupt(self):
        """64 GiB a run take minutes: none is done when SIGTERM comes."""
        kit.write("a.cfg", MEMORY)
        size = kit.start("size", "a.cfg", "--key", "receiver.memory", "--keep", GOODPUT.strip("'"), "-j2",
                         "-s", "workload.messages=1000000", stderr=subprocess.PIPE)
        self.addCleanup(size.kill)
        kit.wait_until(lambda: kit.children(size.pid))
        size.send_signal(signal.SIGTERM)
        output, errors = size.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual((size.returncode, output), (128 + signal.SIGTERM, ""))
        self.assertRegex(errors, r"\Ainterrupted: 0 of at least \d+ runs done; rerun the command to resume\n\Z")

    def test_sweep(self):
        """An answer for each point; the search takes the place of the key's own axis, and the seeds are those
        of the scenario's."""
        kit.write("a.cfg", MEMORY + SWEEP)
        text = self.size("--key receiver.memory --from 4KiB --to 256KiB --every-seed --keep " + GOODPUT)
        condition = GOODPUT.strip("'")
        self.assertRegex(text, rf"\Ain-order receiver: receiver.memory = \d+ (KiB|octets) keeps {condition} \(.*\n"
                               rf"out-of-order receiver: receiver.memory = 4 KiB keeps {condition} \(ratio 1, "
                               r"from 1 to 1, n = 2\), as does every value up to 256 KiB; "
                               r"1 loss, listed: the same in each seed; goodput_bit_per_s does not vary with receiver.memory here\n\Z")
        self.expect_parts(self.shell("iwarpsim table results/a-size.sqlite").stdout, "receiver.memory", "seeds 3, 7")
        kit.write("a.cfg", MEMORY + SWEEP + 'where = "receiver.memory > 4KiB";\n')
        self.expect_refused("iwarpsim size a.cfg --key receiver.memory --from 4KiB --to 256KiB --keep " + GOODPUT,
                            "a.cfg:7: 'where' leaves out values of receiver.memory; expected a narrower range")

    def test_where(self):
        """A condition on the searched key is decided by the values that are tried, not by those of its axis: no
        point gets lost."""
        kit.write("a.cfg", MEMORY + SWEEP + 'where = "receiver.memory > 4KiB or receiver.mode = out-of-order";\n')
        rest = "--key receiver.memory --to 256KiB --every-seed --keep 'goodput_bit_per_s > 1kbit/s' --from "
        self.assertRegex(self.size(rest + "8KiB"), r"\Ain-order receiver: .*\nout-of-order receiver: .*\n\Z")
        self.expect_refused(f"iwarpsim size a.cfg {rest} 4KiB", "'where' leaves out values of receiver.memory")
        # What it leaves out whatever the value is no point.
        self.assertRegex(self.size(rest + "1KiB --to 4KiB"), r"\Aout-of-order receiver: .*\n\Z")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
    def test_curve(self):
        """The goodput at each value, and the plot's files."""
        kit.write("a.cfg", MEMORY + SWEEP)
        command = ("iwarpsim size a.cfg --key receiver.memory --from 4KiB --to 256KiB --every-seed --keep "
                   + GOODPUT)
        text = self.shell(command + " --csv a.csv").stdout
        self.assertRegex(text, r"\nreceiver.memory in KiB\nreceiver.mode +n .*\n─+\n"
                               r"in-order +2 .*\nout-of-order +2 +4 +4 +4 ")
        self.expect_parts(text, "\nlosses in all seeds in packets\n", "results/a-size-receiver.memory.png\n")  # one axis: lines
        rows = {(row["receiver.mode"], row["metric"]): row for row in self.answers("a.csv")}
        self.assertEqual(rows["out-of-order", "receiver.memory"]["mean"], "4096")
        lost = rows["in-order", "losses in all seeds"]  # the listed one, which is the same in both
        self.assertEqual([lost[name] for name in ("n", "mean", "smallest", "largest")], ["2", "1", "1", "1"])
        self.assertRegex(text, r"\ngoodput_bit_per_s in Gbit/s\n(.*\n)*4 KiB +in-order +2 .*\n(.*\n)*"
                               r"256 KiB +in-order +2 .*\n(.*\n)*unlimited +in-order +2 ")
        self.assertEqual(text.splitlines()[-1], "results/a-size-goodput_bit_per_s.png")
        # What stands in the place of the CSV is asked before the first run.
        self.expect_refused(command + " --csv a.cfg --store none.sqlite", "a.cfg: a scenario stands there")
        self.shell("test ! -e none.sqlite")
        with open("results/a-size-goodput_bit_per_s.gnuplot", "a", encoding="utf-8") as script:
            script.write("# mine\n")
        self.assertIn("--force", self.shell(command, 2).stderr)
        self.shell(command + " --force")

    def test_cannot_tell(self):
        """MTU 9000 and 0.01 %: one packet is lost in all seeds. Of 20 MiB in segments of some 8870 octets of
        payload 1.89 are to be expected in 8 seeds, which tell more than the one: 320 x 30/1.89 = 5079 messages."""
        kit.write("a.cfg", RARE)
        rest = f"--key receiver.memory --keep {GOODPUT} --from 16KiB --to 64KiB --precision 50% "
        self.assertEqual(self.size(rest, 1), "cannot tell: 1 loss in 8 seeds; about 5100 messages are needed "
                                             "(--until-losses 30)\n")
        # Lost acknowledgements, of which there are hundreds, are no evidence of lost payload. Where all payload is to
        # arrive, they are what is asked for.
        self.assertRegex(self.size(rest + "-s path.reverse.loss=5%", 1), r"\Acannot tell: \d loss")
        self.assertRegex(self.size(rest + "-s path.forward.loss=0 -s path.reverse.loss=5%"),
                         r" = 16 KiB keeps .*; no payload lost; losses.random is \d{3} in all seeds;")
        # It states so where none was lost, of those that are to be expected in a run.
        rest += "-s path.forward.loss=0.0001% "
        done = self.shell("iwarpsim check a.cfg -s path.forward.loss=0.0001%")
        losses = float(re.search(r"note: .* (\S+) losses expected", done.stdout)[1])
        text = self.size(rest + "--csv a.csv", 1)
        messages = float(re.fullmatch(r"cannot tell: 0 losses in 8 seeds; about (\d+) messages are needed .*\n", text)[1])
        self.assertAlmostEqual(messages / (320 * 30 / (8 * losses)), 1, delta=0.05)
        rows = {row["metric"]: row for row in self.answers("a.csv")}
        self.assertEqual((rows["receiver.memory"]["n"], rows["losses in all seeds"]["largest"]), ("0", "0"))
        # More than 100 times as many are not run unasked.
        self.assertEqual(self.size(rest + "--until-losses 30", 1),
                         f"cannot tell: 0 losses in 8 seeds; about {messages:.0f} messages are needed, more than "
                         "--until-losses runs\n")
        # Where only the baseline was run there is no curve to draw.
        self.assertEqual(self.shell(f"iwarpsim size a.cfg {rest} --until-losses 30 --store other.sqlite", 1).stderr, "")

    def test_asked_for_and_not_there(self):
        """Whatever impairment a scenario asks for, on the way of the payload or back, an answer needs 30 of it in all
        seeds: here some 360 segments of payload, and half as many acknowledgements, in each of 8 runs."""
        kit.write("a.cfg", MEMORY)
        rest = f"--key receiver.memory --keep {GOODPUT} --from 16KiB --to 64KiB --precision 50% "
        for asked, lacks in (("forward.drop=[100000]", "0 of 1 listed losses"),
                             ("forward.drop=[20,100000]", "1 of 2 listed losses"),
                             ("forward.drop=[20,100000,100001]' -s 'path.forward.loss=3%", "1 of 3 listed losses"),
                             ("forward.drop=[20,100000]' -s 'path.reverse.loss=9%", "1 of 2 listed losses"),
                             ("forward.displace=0.0001%", "path.packets_displaced is 0"),
                             ("forward.duplicate=0.0001%", "path.packets_duplicated is 0"),
                             ("reverse.duplicate=0.0001%", "path.packets_duplicated is 0"),
                             ("reverse.loss=0.0001%", "losses.random is 0"),
                             ("reverse.corrupt=0.0001%", "path.packets_damaged is 0"),
                             ("forward.gemodel=[0.0001%]", "0 losses"),
                             ("forward.loss_every=1000000", "0 losses"),
                             ("forward.corrupt=0.0001%", "0 losses")):
            drop = "" if "drop" in asked else "-s path.forward.drop=[] "
            self.assertRegex(self.size(f"{rest}{drop}-s 'path.{asked}'", 1),
                             rf"\Acannot tell: {lacks} in 8 seeds; (about \d+|more) messages are needed ")
        # Acknowledgements out of order, which nothing counts, are not waited for; Responses are.
        reorders = "-s path.forward.drop=[] -s path.reverse.jitter=5us -s path.reverse.reorder="
        self.expect_parts(self.size(f"{rest} {reorders}25%"), "receiver.memory = ", "; no losses, and none is asked for")
        self.assertRegex(self.size(f"{rest} {reorders}0.0001% -s workload.operation=read", 1),
                         r"\Acannot tell: path.segments_reordered is 0 in 8 seeds")
        # As much as is needed of each is needed, and what came is reported.
        self.assertRegex(self.size(rest + "-s path.forward.loss=2% -s path.forward.displace=0.0001%", 1),
                         r"\Acannot tell: path.packets_displaced is 0 in")
        self.assertRegex(self.size(rest + "-s path.forward.loss=2% -s path.forward.displace=5%"),
                         r"; \d+ losses, \d+ to \d+ a seed; path.packets_displaced is \d{3} in all seeds")
        # More messages than a run has, until the listed segment comes: 46 to a message.
        text = self.size(rest + "--until-losses 30 -s path.forward.drop=[2000]", 1)
        self.expect_parts(text, "; 1 loss, listed: the same in each seed")
        text = self.size(rest + "--until-losses 30 -s path.forward.drop=[2000] -s path.forward.loss=3%", 1)
        self.assertRegex(text, r"; \d+ losses, ")

    def test_until_losses(self):
        """The runs of each point become longer until its seeds have so many losses."""
        kit.write("a.cfg", MEMORY + """sweep = ( { key = "path.forward.loss"; values = ["0.5%", "2%"]; },
  { key = "path.forward.mtu"; values = [1500, 9000]; }, { key = "run.seed"; from = 1; to = 3; } );""")
        rest = (f"--key receiver.memory --keep {GOODPUT} --every-seed --from 64KiB --to 256KiB --precision 50% "
                "-s path.forward.drop=[] --until-losses 40 ")
        done = self.shell(f"iwarpsim size a.cfg {rest} --csv a.csv")
        self.assertRegex(done.stderr, r"\bloss 0.5%, MTU 1500 octets: \d losses in 3 seeds; next with \d+ messages, \S+ "
                                      r"times as long\n")
        lost = [row for row in self.answers("a.csv") if row["metric"] == "losses in all seeds"]
        self.assertEqual(len(lost), 4)
        for row in lost:
            self.assertGreaterEqual(float(row["mean"]), 40)
            self.expect_parts(done.stdout, f"; {row['mean']} losses, ")
        self.expect_parts(done.stdout, "results/a-size-heat-map-receiver.memory.png\n")
        with contextlib.closing(sqlite3.connect("results/a-size.sqlite")) as store:
            runs = "SELECT identity, wall_s FROM runs ORDER BY identity"
            made = store.execute(runs).fetchall()
            self.assertEqual(self.size(rest), "".join(done.stdout.splitlines(True)[:4]))
            self.assertEqual(store.execute(runs).fetchall(), made)

    def test_stretched(self):
        """Two seeds have a wide interval: its bound asks for more than ten times the memory with which the mean
        keeps the condition."""
        kit.write("a.cfg", MEMORY)
        text = self.size("--key receiver.memory --from 1KiB --to 1MiB --precision 30% --seeds 2 -s path.forward.drop=[] "
                         "-s workload.messages=100 -s path.forward.loss=0.5% -s tcp.sack_compression=0 -s run.seed=3 "
                         "--keep 'goodput_bit_per_s >= 60 % of unlimited'")
        least, _ = self.least(text, "receiver.memory")
        mean, ratio = re.search(r"; ([^;]*) keeps it in the mean \(ratio (\S+),", text).groups()
        self.assertGreaterEqual(least, 10 * octets(mean))
        self.assertGreaterEqual(float(ratio), 0.6)

    def test_last_half_percent(self):
        """One loss in 800 messages costs hardly anything from 8 KiB on, but the last 0.1 % asks for what fits the
        window of the recovery: 99.98 % x 0.995 = 99.48 %."""
        kit.write("a.cfg", MEMORY)
        rest = ("--key receiver.memory --from 4KiB --to 128KiB --precision 50% --seeds 2 -s workload.messages=800 "
                "-s tcp.sack_compression=0 --keep 'goodput_bit_per_s >= ")
        text = self.size(rest + "99.98 % of unlimited'")
        least, _ = self.least(text, "receiver.memory")
        nearly, ratio = re.search(r"; ([^;]*) keeps 99.48 % \(ratio (\S+),", text).groups()
        self.assertGreaterEqual(least, 8 * octets(nearly))
        self.assertTrue(0.9948 <= float(ratio) < 0.9998, text)
        self.assertNotIn("in the mean", text)  # which is that of each seed
        whole = float(re.search(r"unlimited +2 +\*? *(\S+) ", self.shell("iwarpsim table results/a-size.sqlite "
                                "--metric goodput_bit_per_s").stdout)[1])
        self.expect_parts(self.size(rest + f"{whole * 0.9995:.4f}Gbit/s'"), f"; {nearly} keeps it to within 0.5 % (mean ")

    def test_unsure(self):
        """Five seeds that differ cannot show whether they are skewed: the reader is warned. Those of one
        given loss do not differ."""
        kit.write("a.cfg", MEMORY)
        rest = ("--key receiver.memory --seeds 5 --from 4KiB --to 256KiB --precision 50% "
                "--keep 'goodput_bit_per_s >= 100Mbit/s'")
        self.assertNotIn("covers less", self.size(rest))
        self.assertIn("; the interval covers less than 95 %: fewer than 6 values",
                      self.size(rest + " -s path.forward.drop=[] -s path.forward.loss=0.5% -s workload.messages=40"))

    def test_bounds(self):
        """The condition is kept by the far end of the interval, or by all seeds, and not by the mean."""
        kit.write("a.cfg", MEMORY)
        rest = "--key rdmap.ord --to 8 --seeds 8 -s path.forward.loss=2% --keep 'goodput_bit_per_s "
        for options in ("", "--every-seed "):
            text = self.size(f"{options}{rest}> 1kbit/s'")
            mean, least, most = map(float, re.search(r"mean (\S+) Gbit/s, (?:95 % interval|from) (\S+) to (\S+),",
                                                     text).groups())
            for sign, number, code in ((">=", (least + mean) / 2, 1), (">=", least * 0.9, 0),
                                       ("<=", (most + mean) / 2, 1), ("<=", most * 1.1, 0)):
                self.size(f"{options}{rest}{sign} {number:.4f}Gbit/s'", code)
        # What misses the number by a millionth is shown on its side of it, and named.
        rows = json.loads(self.shell("iwarpsim table results/a-size.sqlite --metric goodput_bit_per_s --json").stdout)["rows"]
        for sign, name, bound in ((">=", "lower", rows[0]["lower_95"]), ("<=", "upper", rows[0]["upper_95"])):
            limit = bound * (1 + 1e-6 if sign == ">=" else 1 - 1e-6) / 1e9
            found = re.search(r"interval (\S+) to (\S+), n = 8: the (.*) must be (.*) (\S+) Gbit/s\)",
                              self.size(f"{rest}{sign} {limit:.9f}Gbit/s'", 1))
            self.assertEqual(found.groups()[2:], (name + " bound", sign, f"{limit:.10g}"))
            shown = float(found[1 + (name == "upper")])
            self.assertTrue(shown < limit if sign == ">=" else shown > limit, found[0])
        # A bound that would be shown as the limit has more decimals than the mean, never fewer.
        lower = rows[0]["lower_95"] / 1e9
        for decimals in (1, 2, 3):
            limit = round(lower, decimals)
            text = self.size(f"{rest}>= {limit:.{decimals}f}Gbit/s'", int(lower < limit))
            mean, least = re.search(r"mean (\S+) Gbit/s, 95 % interval (\S+) to", text).groups()
            self.assertGreaterEqual(len(least.partition(".")[2]), len(mean.partition(".")[2]), text)
            self.assertEqual(float(least) < limit, lower < limit, text)
        # Each seed is compared with itself.
        self.assertIn("(ratio 1, 95 % interval 1 to 1, n = 8)", self.size(f"{rest}>= 99 % of 4'"))

    def test_least_that_is_legal(self):
        """Without --from it begins with a buffer that holds a packet of 1,500 octets."""
        kit.write("a.cfg", """topology: { kind = "star"; hosts = 3; };
workload: { pattern = "incast"; message_size = "64KiB"; messages = 2; };
""")
        self.shell("iwarpsim size a.cfg -q --key switch.buffer --keep 'losses.switch <= 0' --to 1MiB --every-seed"
                   " --seeds 1", 1)  # one loss cannot tell
        self.shell("iwarpsim table results/a-size.sqlite --metric losses.switch --csv other.csv")
        self.assertEqual(min(int(row["switch.buffer"]) for row in self.answers("other.csv")), 1500)

    def test_key_of_an_entry(self):
        """The memory of one host by its entry of hosts: no other host receives anything, so that the answer is that of all."""
        kit.write("a.cfg", """topology: { kind = "star"; hosts = 5; };
workload: { pattern = "incast"; message_size = "256KiB"; messages = 2; };
switch: { buffer = "100KiB"; };
receiver: { mode = "in-order"; };
tcp: { rto_min = "5ms"; };
hosts = ( { name = "sink"; at = "last"; receiver: { mode = "in-order"; }; } );
""")
        rest = "--keep 'goodput_bit_per_s >= 90 % of unlimited' --from 16KiB --to 1MiB --precision 50%"
        own = self.size(f"--key hosts.sink.receiver.memory {rest}")
        self.expect_start(own, "hosts.sink.receiver.memory = ")
        self.assertEqual(own.replace("hosts.sink.", ""), self.size(f"--key receiver.memory {rest} -o other.sqlite"))
        self.expect_refused(f"iwarpsim size a.cfg --key hosts.snk.receiver.memory {rest}", "'hosts' has no group 'snk'",
                            "(did you mean 'sink'?)")
        kit.write("a.cfg", kit.octets("a.cfg").decode()
                  + 'sweep = ( { key = "hosts.sink.receiver.mode"; values = ["in-order", "out-of-order"]; } );\n')
        self.expect_refused(f"iwarpsim size a.cfg --key hosts.sink.receiver.memory {rest}",
                            "axis 'hosts.sink.receiver.mode' is of the list that hosts.sink.receiver.memory is of")

    def test_cannot_be_met(self):
        kit.write("a.cfg", MEMORY)
        rest = "--key receiver.memory --seeds 1 --every-seed --from 4KiB --to 64KiB --keep "
        self.assertRegex(self.size(rest + "'goodput_bit_per_s >= 11 Gbit/s'", 1),
                         r"\Ano receiver.memory from 4 KiB to 64 KiB keeps goodput_bit_per_s >= 11 Gbit/s"
                         r": 64 KiB does not \(mean \S+ Gbit/s, n = 1\); 1 loss, listed: the same in each seed\n\Z")
        self.assertRegex(self.size(rest + "'buffer.reassembly_peak_octets <= 8KiB'", 1),
                         r"\Ano receiver.memory from 4 KiB to 64 KiB keeps buffer.reassembly_peak_octets <= 8KiB "
                         r"from there on: 64 KiB does not \(.*\); 1 loss, listed: the same in each seed; every value from 4 KiB to 8 KiB keeps it \(.*\)\n\Z")
        self.assertRegex(self.size(rest + "'goodput_bit_per_s > 1kbit/s'"),
                         r"\Areceiver.memory = 4 KiB keeps goodput_bit_per_s > 1kbit/s \(.*\), as does every "
                         r"value up to 64 KiB; 1 loss, listed: the same in each seed\n\Z")
        # 0 packets would be no limit.
        self.expect_start(self.size("--key path.forward.queue --to 64 --seeds 1 --every-seed "
                                    "--keep 'goodput_bit_per_s >= 11 Gbit/s'", 1),
                          "no path.forward.queue from 1 to 64 keeps goodput_bit_per_s >= 11 Gbit/s: 64 does not (")

    def test_not_ok(self):
        """A run takes a millisecond. With hardly any memory it has to wait for a time-out of 200 ms or more, and is
        stopped before that: this keeps no condition."""
        kit.write("a.cfg", MEMORY)
        rest = "--key receiver.memory --keep 'goodput_bit_per_s > 1kbit/s' --seeds 2 -s run.stop=100ms "
        text = self.shell(f"iwarpsim size a.cfg {rest} --to 1MiB -o short.sqlite; rm short*").stdout
        answer, table = text.split("\n", 1)
        self.assertRegex(answer, r"\Areceiver.memory = .* octets do not \(2 of 2 runs did not end ok\); 1 loss, listed: "
                                 r"the same in each seed\Z")
        self.assertRegex(table, r"\nand \d+ at which no run ended ok\n")
        self.assertNotIn("0 of 2", table)
        self.assertRegex(self.size(rest + "--to 1KiB", 1),
                         r": 1 KiB does not \(2 of 2 runs did not end ok\); ")
        done = self.shell(f"iwarpsim size a.cfg {rest} --to 1KiB --store none.sqlite; code=$?; rm none.sqlite; exit $code", 2)
        self.assertIn(" runs did not end ok\n", done.stderr)  # there is no curve
        # Of two seeds with random losses one is done after 2 ms, the other after 44 ms.
        self.assertRegex(self.size("--key rdmap.ord --keep 'goodput_bit_per_s > 1kbit/s' --seeds 2 --every-seed "
                                   "-s path.forward.loss=2% -s run.stop=10ms --to 8", 1),
                         r": 8 does not \(1 of 2 runs did not end ok\)")

    def test_does_not_vary(self):
        """There are no RDMA Reads: their limit makes no difference. Without a loss there is no recovery."""
        kit.write("a.cfg", MEMORY)
        rest = "--key rdmap.ord --seeds 2 --to 64 "
        text = self.size(rest + "--keep 'goodput_bit_per_s > 1Gbit/s'")
        self.assertRegex(text, r"\Ardmap.ord = 0 keeps .* as does every value up to 64; 1 loss, listed: the same in each seed; goodput_bit_per_s does "
                               r"not vary with rdmap.ord here\n\Z")
        self.assertIn("does not vary with", self.size(rest + "--keep 'goodput_bit_per_s < 1Gbit/s'", 1))
        # Of two values the second one lets two Reads be under way.
        self.assertNotIn("vary", self.size("--key rdmap.ord --from 1 --to 2 --seeds 2 -s workload.operation=read -s path.forward.drop=[] "
                                           "--keep 'goodput_bit_per_s > 1kbit/s'"))
        self.assertRegex(self.size(rest + "--keep 'buffer.reassembly_p99_octets_in_recovery > 1KiB' "
                                          "-s path.forward.drop=[]", 1),
                         r": 64 does not \(no run has a value\); no losses, and none is asked for\n\Z")

        self.assertRegex(self.size("--key rdmap.ord --seeds 8 --to 8 -s path.forward.drop=[] "
                                   """-s 'path.forward.gemodel=["0.2%","8%"]' """
                                   "--every-seed --keep 'buffer.reassembly_p99_octets_in_recovery >= 0'"),
                         r", n = [1-7] of 8\)")

    def test_refused(self):
        kit.write("a.cfg", MEMORY + 'sweep = ( { key = "workload.messages"; values = [8, 9]; } );')
        self.expect_refused(f"iwarpsim size a.cfg --key receiver.memory --keep {GOODPUT} --until-losses 30",
                            "--until-losses lengthens workload.messages, over which the scenario sweeps")
        kit.write("a.cfg", MEMORY)
        keep = f"--keep {GOODPUT}"
        for rest, code, *parts in (
                ("", 2, "--key and --keep are needed"),
                (f"--key receiver.memori {keep}", 2, "unknown key", "(did you mean 'receiver.memory'?)"),
                (f"--key receiver.mode {keep}", 2, "no size, count, time or rate"),
                (f"--key path.forward.loss {keep}", 2, "no size, count, time or rate"),
                (f"--key run.seed {keep}", 2, "no size, count, time or rate"),
                ("--key receiver.memory --keep 'goodput_bit_per_s'", 2, "is no condition", "expected"),
                ("--key receiver.memory --keep 'goodput_bit_per_s >= 99 % of plenty'", 2, "plenty", "expected"),
                ("--key receiver.memory --keep 'goodput_bit_per_s >= 99 of unlimited'", 2, "'99' is no share"),
                (f"--key receiver.memory {keep} --from 2MiB --to 1MiB", 2, "--from 2097152 is not below --to"),
                (f"--key receiver.memory {keep} --from much", 2, "--from: receiver.memory = much", "expected"),
                (f"--key receiver.memory {keep} --to unlimited", 2, "--to unlimited", "expected a number"),
                (f"--key receiver.memory {keep} --precision 0", 2, "--precision 0: expected a share above 0"),
                (f"--key receiver.memory {keep} --until-losses 29", 2, "--until-losses 29: expected 30 to"),
                ("--key workload.messages --keep 'goodput_bit_per_s > 1Gbit/s' --until-losses 30", 2, "--until-losses lengthens workload.messages"),
                (f"--key receiver.memory {keep} --seeds 0", 2, "--seeds 0: expected 1 to"),
                (f"--key receiver.memory {keep} --seeds -1", 2, "--seeds -1: expected 1 to"),
                (f"--key receiver.memory {keep} --until-losses -1", 2, "--until-losses -1: expected 30 to"),
                (f"--key receiver.memory {keep} --seeds 1", 2, "one seed gives no interval", "--every-seed"),
                (f"--key receiver.memory {keep} -j 0", 2, "-j 0: expected 1 or more"),
                (f"--key receiver.memory {keep} -s receiver.memory=0", 2, "--set receiver.memory=0"),
                ("--key receiver.memory --seeds 2 --to 64KiB --from 4KiB "
                 "--keep 'tcp.timeouts < 90 % of unlimited'", 2,
                 "2 of 2 runs with receiver.memory = unlimited have 0 as tcp.timeouts", "expected a number"),
                (f"--key receiver.memory {keep} --seeds 2 --from 1MiB -s run.stop=10us", 2,
                 "2 of 2 runs with receiver.memory = unlimited did not end ok", "another value after 'of'"),
                ("--key receiver.memory --keep 'goodput >= 9Gbit/s'", 2, "(did you mean 'goodput_bit_per_s'?)"),
                ("--key receiver.memory --keep 'buffer.order_p99.3_octets < 1MiB'", 2,
                 "no run will have buffer.order_p99.3_octets", "that measure.quantiles asks for"),
                ("--key receiver.memory -s measure.quantiles=[0.993] "
                 "--keep 'buffer.order_p99.3_octets/buffer.order_p99.9_octets < 2'", 2,
                 "no run will have buffer.order_p99.9_octets"),
                ("--key path.forward.mtu --from 176 --every-seed --seeds 1 --keep 'goodput_bit_per_s > 1Gbit/s'", 2,
                 "path.forward.mtu", "expected at least")):
            self.expect_refused(f"iwarpsim size a.cfg {rest}", *parts, code=code)
