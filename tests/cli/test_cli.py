# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the program itself: its options, exit codes, `check` and `explain`."""
import os
import re
import shutil
import unittest

import program_kit as kit

COMMANDS = ("check run show explain-peak timeline trace plot sweep size table report export merge decode replay new import explain"
            " help").split()
ONE_OF_THEM = f"expected one of {', '.join(COMMANDS)}"
NATIVE = 'run: { engine = "native"; }; workload: { messages = 2; };'


class Cli(kit.ProgramTest):
    stays = ["*.cfg", "*.json", "*.csv", "*.pcap"]

    def test_help(self):
        """It is enough to start: what the program is for, every command, an example. Who types only its name
        gets it, too; it fits in 90 columns."""
        page = self.shell("iwarpsim --help").stdout
        self.expect_parts(page, "how much reassembly memory does an iWARP receiver need?", "Example",
                          *[f"\n  {command} " for command in COMMANDS])
        self.assertLessEqual(max(map(len, page.splitlines())), 90)
        for line in ("iwarpsim", "iwarpsim -h", "iwarpsim help"):
            self.expect(line, page)

    def test_the_example_of_help(self):
        """Every shell takes it as it is printed: zsh refuses brackets outside quotations."""
        lines = re.search(r"\nExample: .*\n((?:  .*\n)+)", self.shell("iwarpsim help").stdout)[1]
        for shell in filter(shutil.which, ("sh", "bash", "zsh", "fish")):
            self.expect_parts(self.shell(f"{shell} <<'EOF'\n{lines}EOF").stdout, "1 packet lost")
            shutil.rmtree("results")

    def test_help_fits(self):
        """The page of each command is as wide as the terminal, or 100 columns; examples are to be copied."""
        for command in COMMANDS:
            for columns, width in (("", 100), ("80", 80), ("120", 120)):
                page = self.shell(f"iwarpsim {command} -h", COLUMNS=columns).stdout.partition("\nExample:")[0]
                long = [line for line in page.splitlines() if len(line) > width and not line.startswith("  --mpa=")]
                self.assertEqual(long, [], command)

    def test_help_of_a_command(self):
        for command in COMMANDS:
            self.expect(f"iwarpsim help {command}", self.shell(f"iwarpsim {command} --help").stdout)
        self.expect("iwarpsim help chekc", "",
                    f"iwarpsim: unknown command 'chekc'; {ONE_OF_THEM} (did you mean 'check'?)\n", 2)
        self.expect_refused("iwarpsim help run sweep", "iwarpsim help: one COMMAND is expected, 2 were given")

    def test_options_of_every_command(self):
        version = self.shell("iwarpsim --version").stdout
        self.expect_start(version, "iwarpsim ")
        self.expect("iwarpsim -V", version)
        for command in COMMANDS:
            self.expect(f"iwarpsim {command} --version", version)
            self.expect(f"iwarpsim {command} -V", version)
            self.expect_parts(self.shell(f"iwarpsim {command} --help").stdout, "--quiet", "Example:")
            self.expect_refused(f"iwarpsim {command} --quite", "did you mean --quiet?")

    def test_no_such_command(self):
        self.expect("iwarpsim chekc", "",
                    f"iwarpsim: unknown command 'chekc'; {ONE_OF_THEM} (did you mean 'check'?)\n", 2)
        self.expect("iwarpsim banana", "", f"iwarpsim: unknown command 'banana'; {ONE_OF_THEM}\n", 2)
        self.expect("iwarpsim --quiet", "", "iwarpsim: no command; expected one that 'iwarpsim help' lists\n", 2)
        self.expect("iwarpsim --loud check", "",
                    "iwarpsim: unknown option '--loud'; expected a command (see 'iwarpsim --help')\n", 2)

    def expect_check(self, line, output, errors="", code=0):
        """Returns what `iwarpsim check` prints but for the costs, which each verdict has."""
        done = self.shell(line, code)
        shown, costs = re.subn(r"(?m)^\S+: .* in all, .* of buffers.*\n", "", done.stdout)
        self.assertEqual((shown, done.stderr), (output, errors), line)
        self.assertEqual(costs, len(re.findall(r"(?m)^\S+: ok", shown)))

    def test_limits_beyond_the_messages(self):
        """A limit that no run of so many messages comes to has no effect; that there is none is said without a note."""
        kit.write("a.cfg", "workload: { messages = 20; };")
        for key, least in (("outstanding", 21), ("signal_every", 20)):
            for number in (least, 1000):
                self.assertIn(f"workload.{key} has no effect unless ",
                              self.shell(f"iwarpsim check a.cfg -s workload.{key}={number}").stdout)
            for number in (least - 1, 0):
                self.assertNotIn("note:", self.shell(f"iwarpsim check a.cfg -s workload.{key}={number}").stdout)
        self.assertNotIn("note:", self.shell("iwarpsim check a.cfg -s workload.outstanding=unlimited").stdout)

    def test_costs(self):
        """Messages are of each connection and, with directions = both, of each end: 1 MiB x 1,000 x 100 x 2 in all. Of
        a stream, a message with 20 octets for each of its FPDUs takes 1,048,576 / 1,424 segments. Three seeds take
        three times as much."""
        kit.write("large.cfg", 'workload: { message_size = "1MiB"; messages = 1000; connections = 100; directions = "both"; };')
        done = self.shell("iwarpsim check large.cfg")
        self.assertRegex(done.stdout, r"large.cfg: ok\nlarge.cfg: 195\.3 GiB in all, 200 thousand messages, about 14[5-9] million "
                         r"segments; about \d+ (s|min), \d+(\.\d+)? MiB of buffers\n")
        kit.write("seeds.cfg", 'workload: { message_size = 1; messages = 2; }; sweep = ( { key = "run.seed"; from = 1; to = 3; } );')
        self.expect_start(self.shell("iwarpsim check seeds.cfg").stdout, "seeds.cfg: ok, a sweep of 3 runs\nseeds.cfg: 6 octets "
                          "in all, 6 messages, about ")
        # What is one is in the singular, and what is less is not shown.
        kit.write("one.cfg", "workload: { message_size = 1; messages = 1; };")
        self.assertEqual(self.shell("iwarpsim check one.cfg").stdout.splitlines()[1],
                         "one.cfg: 1 octet in all, 1 message, about 1 segment; less than a second, less than 1 KiB of buffers")
        # A short run is not announced; of a long one the cost comes first, and --quiet leaves it out.
        self.expect("iwarpsim run seeds.cfg -o o | tail -n 0 && rm -r o", "")
        stopped = self.shell("timeout -s INT 1 iwarpsim run large.cfg -o o 2>&1 | head -n 1; rm -rf o").stdout
        self.assertRegex(stopped, "^note: this run: 195.3 GiB in all, 200 thousand messages, about 14[5-9] million segments; about ")

    def test_check_of_good_scenarios(self):
        kit.write("empty.cfg", "")
        kit.write("sweep.cfg", 'sweep = ( { key = "path.forward.mtu"; values = [576, 1500]; },'
                  ' { key = "run.seed"; from = 1; to = 3; } );')
        kit.write("noted.cfg", "middlebox: { chunk = 5; };")
        self.expect_check("iwarpsim check empty.cfg sweep.cfg noted.cfg",
                    "empty.cfg: ok\nsweep.cfg: ok, a sweep of 6 runs\nnoted.cfg: ok\nnoted.cfg: note: "
                    "noted.cfg:1: middlebox.chunk has no effect unless middlebox.mode has rechunk\n")
        kit.write("idle.cfg", '\nwhere = "mpa.crc";')
        self.expect_check("iwarpsim check idle.cfg",
                    "idle.cfg: ok, a sweep of 1 run\n"
                    "idle.cfg: note: idle.cfg:2: where leaves out points of a sweep, and there is no sweep\n")
        self.expect_check("iwarpsim check --quiet empty.cfg sweep.cfg noted.cfg", "")
        self.expect("iwarpsim --quiet check noted.cfg", "")
        # A message in a segment of its own: 1 - e^-0.001 = 0.0999… % of the seeds lose it.
        kit.write("rare.cfg", 'workload: { message_size = 100; messages = 1; };\npath: { forward: { loss = "0.1%"; }; };')
        self.expect_check("iwarpsim check rare.cfg", "rare.cfg: ok\nrare.cfg: note: rare.cfg:2: 0.001 losses expected: "
                    "all but 0.1 % of seeds will see none\n"
                    "rare.cfg: note: rare.cfg (default of tcp.timer_tick): tcp.timer_tick = 4ms is 76 round trips of 52.46 us: no "
                    "timer of TCP is shorter, so the loss of the last segments in flight costs as many or more\n")

    def test_check_of_bad_scenarios(self):
        """Every file is checked, and of each bad one the first mistake is reported."""
        kit.write("good.cfg", "")
        kit.write("bad.cfg", "mpa: {\n  markres = true;\n  crc = 5;\n};")
        kit.write("small.cfg", "path: { forward: { mtu = 176; }; };")
        self.expect_check("iwarpsim check bad.cfg missing.cfg small.cfg good.cfg", "good.cfg: ok\n",
                    "bad.cfg:2: unknown key 'mpa.markres' (did you mean 'mpa.markers'?); expected one of "
                    "markers, generation, crc, startup_timeout, startup_close, silent_drop, assumed_emss, mulpdu and 2 more of "
                    "'iwarpsim explain mpa'\n"
                    "missing.cfg: cannot read it (No such file or directory); expected a scenario file\n"
                    "small.cfg:1: path.forward.mtu = 176 is too small; expected at least 180: 40 octets of "
                    "headers and 140 for the FPDU of a 128-octet ULPDU with markers\n", 2)
        self.expect_check("iwarpsim check", "", "iwarpsim check: no scenario given; expected one or more files "
                    "(see 'iwarpsim check --help')\n", 2)

    def test_check_with_set(self):
        """What --set overrides is checked in each file and at each point, as `sweep` would."""
        kit.write("good.cfg", "")
        kit.write("sweep.cfg", 'sweep = ( { key = "path.forward.mtu"; values = [180, 1500]; } );')
        self.expect_check("iwarpsim check good.cfg sweep.cfg --set mpa.crc=false",
                    "good.cfg: ok\nsweep.cfg: ok, a sweep of 2 runs\n")
        self.expect_check("iwarpsim check sweep.cfg -s tcp.ip=ipv6", "",
                    "sweep.cfg:1: path.forward.mtu = 180 is too small for IPv6; expected at least 1280 (RFC "
                    "8200 section 5) (point path.forward.mtu=180)\n", 2)
        # The key is of an axis: `run` takes it, `sweep` does not.
        self.expect_check("iwarpsim check sweep.cfg --set path.forward.mtu=9000",
                    "sweep.cfg: ok, a sweep of 2 runs\nsweep.cfg: note: --set 'path.forward.mtu=9000': path.forward.mtu = "
                    "9000 is for `iwarpsim run` alone: `iwarpsim sweep` refuses it, since the sweep gives the key the "
                    "values of its axis\n")
        self.expect("iwarpsim sweep sweep.cfg --set path.forward.mtu=9000", "",
                    "--set path.forward.mtu=9000: the sweep gives the key the values of its axis (sweep.cfg:1); "
                    "expected a key that is not an axis, or one run of it, by `iwarpsim run`\n", 2)
        kit.write("seed.cfg", 'run: { seed = 7; };\nsweep = ( { key = "run.seed"; from = 1; to = 6; } );')
        self.expect_check("iwarpsim check seed.cfg",
                    "seed.cfg: ok, a sweep of 6 runs\nseed.cfg: note: seed.cfg:1: run.seed = 7 is for `iwarpsim run` "
                    "alone: the sweep gives the key the values of its axis\n")
        kit.write("seed.cfg", 'run: { seed = 6; };\nsweep = ( { key = "run.seed"; from = 1; to = 6; } );')
        self.expect_check("iwarpsim check seed.cfg", "seed.cfg: ok, a sweep of 6 runs\n")
        self.expect_check("iwarpsim check good.cfg --set mpa.crc=5", "",
                    "--set 'mpa.crc=5': mpa.crc = 5 is not a boolean; expected true or false\n", 2)

    def test_check_looks_at_every_point(self):
        """A scenario that is fine but for one point of its sweep is not ok."""
        kit.write("point.cfg", 'sweep = ( { key = "path.forward.mtu"; values = [1500, 176]; } );')
        done = self.expect_refused("iwarpsim check point.cfg")
        self.expect_start(done.stderr,
                          "point.cfg:1: path.forward.mtu = 176 is too small; expected at least 180")
        kit.write("point.cfg", 'sweep = ( { key = "tcp.receive_window"; values = ("auto", 65536); } );')
        self.assertIn("point.cfg: note: 1 of 2 runs has notes of their own, the first is "
                      "tcp.receive_window=65536: ", self.shell("iwarpsim check point.cfg").stdout)

    def test_check_of_where(self):
        """It shows how many points a sweep has and lacks; what is wrong with its axes and its
        conditions."""
        kit.write("where.cfg", 'sweep = ( { key = "run.seed"; from = 1; to = 9; step = 2; },'
                  ' { key = "mpa.crc"; values = [true, false, true]; } ); where = "mpa.crc or run.seed > 5";')
        self.expect_check("iwarpsim check where.cfg",
                    "where.cfg: ok, a sweep of 7 runs, 3 left out by where, 5 given twice\n")
        kit.write("where.cfg", '\nwhere = "mpa.crk";')
        self.expect_check("iwarpsim check where.cfg", "",
                    "where.cfg:2: where, column 1: unknown key 'mpa.crk' (did you mean 'mpa.crc'?); expected one of "
                    "crc, generation, markers, startup_timeout, startup_close, silent_drop, assumed_emss, mulpdu and 2 more of "
                    "'iwarpsim explain mpa'\n", 2)
        kit.write("where.cfg", 'where = "not mpa.crc";')
        self.expect_check("iwarpsim check where.cfg", "",
                    "where.cfg:1: 'where' leaves out all points of the sweep, 1; "
                    "expected conditions that some meet\n", 2)
        self.assertIn('where = "receiver.memory >= path.forward.mtu',
                      self.shell("iwarpsim explain where").stdout)

    def test_attached_values(self):
        """As with make: the value may stand directly after a one-letter option."""
        kit.write("a.cfg", "")
        self.assertIn("\n1\n1 run, 1 to run, about 9.13 thousand segments, about 1 s at -j 3\n",
                      self.shell("iwarpsim sweep a.cfg -j3 -srun.seed=7 --list").stdout)
        self.assertIn("iwarpsim sweep: -j 0: expected 1 or more",
                      self.shell("iwarpsim sweep a.cfg -j0 --list", 2).stderr)
        self.expect_check("iwarpsim check -q -- -j2", "",
                    "-j2: cannot read it (No such file or directory); expected a scenario file\n", 2)

    def test_options_without_sense(self):
        kit.write("a.cfg", "")
        self.expect("iwarpsim run a.cfg --out ''", "",
                    "iwarpsim run: --out is empty; expected DIR (see 'iwarpsim run --help')\n", 2)
        self.expect("iwarpsim run a.cfg --out a.cfg", "",
                    "a.cfg: cannot make this folder (Not a directory)\n", 2)
        self.expect("iwarpsim sweep a.cfg --store ''", "",
                    "iwarpsim sweep: --store is empty; expected FILE (see 'iwarpsim sweep --help')\n", 2)
        self.expect("iwarpsim run a.cfg --engine ns2", "",
                    '--engine: run.engine = ns2 is none of its words; expected "auto", "ns3" or "native" '
                    "(did you mean 'ns3'?)\n", 2)

    @unittest.skipIf(kit.SANITIZED, "a sanitizer needs all of the address space")
    def test_short_memory(self):
        """When memory runs out while a scenario is read, GLib or the program prints one line; there is no
        segmentation fault (139: 128 + SIGSEGV). The scenario's 50,000 strings need more memory than anything
        else; a mistake ends the program before it evaluates them."""
        strings = ",".join(f'"run.seed > {seed}"' for seed in range(50000))
        kit.write("a.cfg", f"title = 7; where = [{strings}];")
        self.shell("iwarpsim check a.cfg", 2)
        limits_kib = range(20 << 10, (40 << 10) + 1, 2 << 10)
        told = [self.shell(f"ulimit -c 0; ulimit -v {limit}; iwarpsim check a.cfg; test $? != 139").stderr
                for limit in limits_kib]
        self.assertIn("iwarpsim: no memory to read the scenario\n", told)

    def test_lost_output(self):
        """What is printed onto a full disk is missed."""
        for line in ("--version", "--help", "run --help", "explain keys", "explain metrics --markdown"):
            self.expect(f"iwarpsim {line} >/dev/full", "",
                        "iwarpsim: standard output cannot be written: No space left on device\n", 1)

    def test_explain(self):
        self.expect("iwarpsim explain path.forward.queue",
                    "Keys of a scenario:\npath.forward.queue (default: 0)\n"
                    "    Packets that may wait for the link; more are dropped. 0, unlimited: no limit.\n"
                    "    Value: \"unlimited\" or an integer from 0 to 4294967295.\n"
                    "    Example: --set path.forward.queue=100\n")
        self.expect("iwarpsim explain bad-crc",
                    "bad-crc (fault.error)\n    The CRC of an FPDU is wrong. With CRC only.\n"
                    "    Consequence: MPA error 2, Terminate 2/0/02.\n")
        for name, *parts in (
                # A key and a metric; metrics and distributions.
                ("mpa.markers", "Keys of a scenario:\nmpa.markers (default: true)\n",
                 "Metrics:\nmpa.markers (markers, Data Sink)\n"),
                ("delay", "delay.placement_mean_s (s, Data Sink)\n",
                 "delay.placement_s (distribution, s, weighted by octets)\n"),
                ("delay.delivery_s", "delay.delivery_s (distribution, s, weighted by octets)\n"),
                ("held", "held: Held octets\n"),
                ("faults", "\ninvalid-stag (fault.error)\n"),
                ("keys", "\ntheory.k2 (default: 1)\n"),
                ("metrics", "\nfit.k2 (ratio, "),
                ("packets", "Packet, packets\n\n"),
                ("retransmit", "Retransmission, retransmit\n\n"),
                ("window", "window: The window that is measured\n", "see Receive window ("),
                ("packet loss", "What other tools call packet loss is path.forward.loss here.\n"),
                ("", "iwarpsim explain metrics")):
            self.expect_parts(self.shell(f"iwarpsim explain {name}").stdout, *parts)
        word = self.shell("iwarpsim explain coalesce").stdout  # the keys that it is a value of
        self.expect_start(word, "Keys of a scenario:\nmiddlebox.mode (default: none)\n")
        self.assertIn(" coalesce: segments are joined", word)
        self.expect("iwarpsim explain hedl", "",
                    "iwarpsim explain: unknown name 'hedl'; expected keys, metrics, columns, terms, faults, or the "
                    "name of one of them (did you mean 'held'?)\n", 2)
        self.shell("iwarpsim explain held --markdown", 2)
        self.shell("iwarpsim explain metrics --schema", 2)
        self.expect_start(self.shell("iwarpsim explain keys --markdown").stdout, "# Scenarios\n")
        self.expect_start(self.shell("iwarpsim explain levels").stdout, "levels: Return levels\n\nA peak grows")

    def test_names_of_other_tools(self):
        """A guess leads to the key that is meant, wherever a key is named: in a file, its sweep and its conditions,
        with --set, and explained."""
        hint = "(did you mean 'path.forward.delay'? Half the round trip, since path.reverse.delay is the same unless set)"
        listed = ("expected one of title, run, workload, mpa, initiator, responder, rdmap, sender and 12 more of "
                  "'iwarpsim explain'\n")
        for text, found in (
                ("rtt = 1;", "unknown key 'rtt'"),
                ('sweep = ( { key = "rtt"; values = ["1ms"]; } );', "sweep: unknown key 'rtt'"),
                ('where = "rtt > 1ms";', "where, column 1: unknown key 'rtt'")):
            kit.write("a.cfg", text)
            self.expect_check("iwarpsim check a.cfg", "", f"a.cfg:1: {found} {hint}; {listed}", 2)
        kit.write("a.cfg", "")
        self.expect_check("iwarpsim check a.cfg --set path.forward.rtt=1ms", "",
                    "--set 'path.forward.rtt=1ms': unknown key 'path.forward.rtt' "
                    f"{hint}; expected one of delay, hop_delay, rate, mtu, framing, cell_size, cell_overhead, burst "
                    "and 36 more of 'iwarpsim explain path.forward'\n", 2)
        self.expect_start(self.shell("iwarpsim explain roundtrip").stdout,
                          "What other tools call roundtrip is path.forward.delay here. Half the round trip, since "
                          "path.reverse.delay is the same unless set.\n\nKeys of a scenario:\n"
                          "path.forward.delay (default: 25us)\n")
        self.expect("iwarpsim explain BBR", "BBR is not modelled\n    What comes nearest: tcp.congestion is cubic, newreno or "
                    "dctcp, and tcp.pacing paces each.\n", "")
        self.expect("iwarpsim explain DPI", "",  # as near to DDP as to IPD: an abbreviation is not guessed at
                    "iwarpsim explain: unknown name 'DPI'; expected keys, metrics, columns, terms, faults, or the name of one of "
                    "them\n", 2)
        jitter = self.shell("iwarpsim explain jitter").stdout  # the last part of two keys
        self.expect_parts(jitter, "Keys of a scenario:\n", "\npath.forward.jitter (", "\npath.reverse.jitter (")

    def test_steady_or_too_short(self):
        """A stream sender, MTU 1500, 0.1 % of loss, in order: 80 messages are too short to tell whether the run is
        steady (80 blocks of 64 KiB); 320 without loss hold the front of one FPDU all the time, and are."""
        point = ("iwarpsim run short.cfg --all --out out --set workload.messages=80 --set receiver.mode=in-order"
                 " --set path.forward.loss=0.1%")
        kit.write("short.cfg", 'sender: { segmentation = "stream"; };')
        for seed in (1, 2):
            self.assertIn("\n  warm-up    too short to tell whether the run is steady\n",
                          self.shell(f"{point} --set run.seed={seed} && rm -r out").stdout)
        self.assertIn("\n  warm-up    the second half of the run does not differ from the first (",
                      self.shell("iwarpsim run short.cfg --all --out out --set workload.messages=320 && rm -r out").stdout)

    def test_losses_to_expect(self):
        """10 messages of 46 segments at 0.1 %: exp(-0.46) = 0.63. 1,000 messages of 45.872 and 0.717 segments in
        turn, on each of 10 connections: 232,942 segments, and 1 % of them."""
        kit.write("few.cfg", "workload: { messages = 10; };\ntcp: { timer_tick = 0; };\n")
        self.expect_check("iwarpsim check few.cfg --set path.forward.loss=0.1%",
                    "few.cfg: ok\nfew.cfg: note: --set 'path.forward.loss=0.1%': 0.46 losses expected: 63 % of seeds "
                    "will see none\n")
        kit.write("many.cfg", 'workload: { message_sizes = [65536, 1024]; messages = 1000; connections = 10; };\n'
                  'sender: { segmentation = "stream"; };\ntcp: { timer_tick = 0; };\n')
        self.expect_check("iwarpsim check many.cfg --set path.forward.loss=1%",
                    "many.cfg: ok\nmany.cfg: note: --set 'path.forward.loss=1%': 2329 losses expected\n")

    def test_explain_quantile(self):
        """Any percentage of any gauge; that of a metric's name is the metric."""
        done = self.shell("iwarpsim explain state.holes_p99.990")
        self.expect_start(done.stdout, "state.holes_p99.99 (intervals, Data Sink)\n    The smallest x with state.holes "
                          "<= x for at least 99.99 % of the time")
        self.expect_start(self.shell("iwarpsim explain buffer.reassembly_p99_octets").stdout, "Metrics:\n")
        self.expect_refused("iwarpsim explain buffer.order_p101_octets", "unknown name 'buffer.order_p101_octets'")
        # It prints, without a gauge: the term, and one gauge's.
        for name in ("p99.99", "P0.5", "p100"):
            done = self.shell(f"iwarpsim explain {name}")
            self.expect_start(done.stdout, "Quantile, percentile, ")
            self.assertIn(f"\nbuffer.reassembly_{name.lower()}_octets (octets, Data Sink)\n", done.stdout)
        self.expect_refused("iwarpsim explain p101", "unknown name 'p101'")

    def test_terminated_runs(self):
        """run.expect says which end is success: the other one exits 1 and prints why. A terminated run prints
        code and side."""
        kit.write("a.cfg", NATIVE)
        for fault, expected, code, errors in (
                ("none", "ok", 0, ""),
                ("none", "any", 0, ""),
                ("none", "terminate", 1, "iwarpsim run: the run ended ok, and run.expect is terminate\n"),
                ("bad-crc", "terminate", 0, ""),
                ("bad-crc", "any", 0, ""),
                ("bad-crc", "ok", 1, "iwarpsim run: the run was terminated, and run.expect is ok: "
                 "MPA error 2 by the Responder of connection 0 after ")):
            done = self.shell("iwarpsim run a.cfg --out . --quiet"
                              f" --set fault.error={fault} --set run.expect={expected}", code)
            self.assertEqual(done.stderr != "", errors != "")
            self.assertIn(errors, done.stderr)
        done = self.shell("iwarpsim run a.cfg --out . --set fault.error=bad-crc --set run.expect=any")
        self.assertIn("  status     terminated: MPA error 2 by the Responder of connection 0 after ",
                      done.stdout)
        self.expect_parts(self.shell("cat summary.json").stdout, '"status": "terminated"',
                          '"terminate_code": "MPA error 2"', '"terminate_side": "Responder"')
        kit.write("b.cfg", NATIVE + 'sweep = ({ key = "fault.error"; values = ["none", "bad-crc"]; });')
        self.shell("iwarpsim sweep b.cfg --quiet --keep-going --store b.sqlite", 1)
        page = self.shell("iwarpsim report b.sqlite -o /dev/stdout && rm b.sqlite").stdout
        self.assertEqual(page.partition("To be read with care ")[2].partition(";")[0],
                         '(<a href="#flags">Flags</a>): 1 of 2 runs that did not end ok')

    def test_run_again(self):
        """A run into the folder of an earlier one replaces its results, but its captures only by its own;
        otherwise they stay, and a note reports it."""
        captures, results = ["sender.pcap", "receiver.pcap"], ["summary.json", "occupancy.csv"]
        kit.write("a.cfg", NATIVE)
        self.expect("iwarpsim run a.cfg --out . -q --pcap", "")
        first = {name: kit.octets(name) for name in captures + results}
        done = self.shell("iwarpsim run a.cfg --out . --set path.forward.mtu=576 --set measure.series=none")
        self.assertEqual(done.stderr,
                         "note: . has files that this run did not write: sender.pcap, receiver.pcap; remove them, or replace them "
                         "by --pcap and --trace\n")
        self.assertEqual([kit.octets(name) for name in captures], [first[name] for name in captures])
        self.assertNotEqual(kit.octets("summary.json"), first["summary.json"])
        self.assertFalse(os.path.exists("occupancy.csv"))
        done = self.shell("iwarpsim run a.cfg --out . --pcap --set path.forward.mtu=576")
        self.assertEqual(done.stderr, "")
        for name in captures:
            self.assertNotEqual(kit.octets(name), first[name])
        self.assertTrue(os.path.exists("occupancy.csv"))
