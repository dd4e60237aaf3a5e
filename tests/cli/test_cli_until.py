# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim sweep --until`: seeds are added until the intervals are narrow enough."""
import contextlib
import os
import signal
import sqlite3
import subprocess

import program_kit as kit

# Goodput varies by some 10 % at 1 % loss, by less at 0.1 %, and not at all without.
LOSSES = """title = "t";
run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 8; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; }; };
sweep = ( { key = "run.seed"; values = [5, 6]; }, { key = "path.forward.loss"; values = ["0%", "0.1%", "1%"]; } );
"""
UNTIL = "iwarpsim sweep a.cfg --until goodput_bit_per_s=15% --max-seeds 64"


def half_width(path, loss, metric="goodput_bit_per_s"):
    """The share of the metric's mean that 1.96 standard errors are, a little less than Student's interval, and how
    many seeds there are."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        values = [value for value, in store.execute(
            "SELECT metrics.value FROM metrics JOIN parameters USING (run) WHERE metrics.name = ?"
            " AND key = 'path.forward.loss' AND parameters.value = ?", (metric, loss))]
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    return 1.96 * deviation / len(values) ** 0.5 / mean, len(values)


class Until(kit.ProgramTest):
    stays = ["*.cfg", "*.sqlite", "results"]

    def setUp(self):
        super().setUp()
        kit.write("a.cfg", LOSSES)

    def test_seeds(self):
        """There are as many as each point needs, from the scenario's first on; and then nothing more."""
        done = self.shell(f"{UNTIL} -j2")
        self.assertRegex(done.stdout, "^([0-9]+) runs: \\1 run now, 0 already there, 0 failed; results in "
                         "results/a.sqlite\n3 of 3 points are as narrow as asked for, with 8 to [0-9]+ seeds\n")
        again = self.shell(UNTIL).stdout
        self.assertRegex(again, "^([0-9]+) runs: 0 run now, \\1 already there")
        self.assertEqual(done.stdout.splitlines()[1:], again.splitlines()[1:])
        self.assertEqual(self.shell(f"{UNTIL} --list").stdout.splitlines()[-1],
                         f"{again.split()[0]} runs, 0 to run")
        width, seeds = half_width("results/a.sqlite", "0")
        self.assertEqual((round(width, 12), seeds), (0, 8))
        width, seeds = half_width("results/a.sqlite", "1%")
        self.assertGreater(seeds, 8)
        self.assertLess(width, 0.15)
        self.assertEqual(sorted({int(dict(run["parameters"])["run.seed"])
                                 for run in kit.rows("results/a.sqlite")}), list(range(5, 5 + seeds)))

    def test_the_same_runs(self):
        """However many at once, in rounds of shards, interrupted, or where some seeds are there already."""
        self.shell(f"{UNTIL} -j1 --store one.sqlite")
        expected = kit.rows("one.sqlite")
        self.shell(f"{UNTIL} -j3 --store three.sqlite")
        self.assertEqual(kit.rows("three.sqlite"), expected)
        rounds = 0
        while not self.shell(f"{UNTIL} --store both.sqlite --list").stdout.endswith(" runs, 0 to run\n"):
            for shard in (1, 2):
                self.shell(f"{UNTIL} -q --store {shard}.sqlite --shard {shard}/2 --merged both.sqlite")
            self.shell("iwarpsim merge -q 1.sqlite 2.sqlite -o both.sqlite")
            rounds += 1
        self.assertEqual(kit.rows("both.sqlite"), expected)
        self.assertGreater(rounds, 1)  # 8 seeds of each point are not enough
        sweep = kit.start(*UNTIL.split()[1:], "-j2", "--store", "cut.sqlite", stderr=subprocess.DEVNULL)
        self.addCleanup(sweep.kill)
        kit.wait_until(lambda: kit.children(sweep.pid))
        sweep.send_signal(signal.SIGINT)
        sweep.communicate(timeout=kit.PATIENCE_S)
        self.shell(f"{UNTIL} --store cut.sqlite")
        self.assertEqual(kit.rows("cut.sqlite"), expected)
        kit.write("b.cfg", LOSSES.replace("values = [5, 6]", "from = 5; to = 14"))
        self.shell("iwarpsim sweep b.cfg -q --store there.sqlite")
        done = self.shell(f"{UNTIL} --store there.sqlite --mix").stdout
        self.assertRegex(done, f"^{len(expected)} runs: .*\\n3 of 3 points")

    def test_failed_beside_another(self):
        """A run is killed here, while another sweep puts its good result into the store: that one counts."""
        kit.write("a.cfg", LOSSES.replace(', "0.1%", "1%"', "").replace("messages = 8", "messages = 4000"))
        other = UNTIL.replace("a.cfg", "a.cfg --store both.sqlite")
        sweep = kit.start(*other.split()[1:], "-j1", "-k", stderr=subprocess.PIPE)
        self.addCleanup(sweep.kill)
        kit.wait_until(lambda: kit.children(sweep.pid))
        sweep.send_signal(signal.SIGSTOP)
        [run] = kit.children(sweep.pid)
        os.kill(run, signal.SIGSTOP)
        self.shell(other)
        os.kill(run, signal.SIGKILL)
        sweep.send_signal(signal.SIGCONT)
        output, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertIn("1 of 1 point is as narrow as asked for, with 8 seeds", output)

    def test_interrupt(self):
        """64 GiB a run take minutes: none is done when SIGTERM comes, and nobody knows how many are to come."""
        sweep = kit.start(*UNTIL.split()[1:], "-j1", "-s", "workload.messages=1000000", stderr=subprocess.PIPE)
        self.addCleanup(sweep.kill)
        kit.wait_until(lambda: kit.children(sweep.pid))
        sweep.send_signal(signal.SIGTERM)
        _, errors = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual(errors, "interrupted: 0 done, 24 or more to go; rerun the command to resume\n")

    def test_list(self):
        """Returns what is known to be run, and that more may follow, until nothing does."""
        kit.write("a.cfg", LOSSES.replace(', "0.1%", "1%"', ""))
        listed = self.shell(f"{UNTIL} --list --max-seeds 8").stdout.splitlines()
        self.assertEqual(listed[1], "1  path.forward.loss=0 run.seed=5")
        self.assertRegex(listed[-1], "^8 runs, 8 to run, about .* at -j [0-9]+; more seeds may follow$")
        self.shell(f"{UNTIL} -q")
        self.assertEqual(self.shell(f"{UNTIL} --list").stdout.splitlines()[-1], "8 runs, 0 to run")

    def test_met_at_once(self):
        """Seeds are added until both are known at the same time."""
        kit.write("a.cfg", LOSSES.replace('"0%", "0.1%", ', ""))
        done = self.shell("iwarpsim sweep a.cfg --until goodput_bit_per_s=30% --until path.queue_peak_octets=40% "
                          "--max-seeds 64").stdout
        self.assertRegex(done, "\n1 of 1 point is as narrow as asked for, with [0-9]+ seeds\n")
        width, seeds = half_width("results/a.sqlite", "1%", "path.queue_peak_octets")
        self.assertGreaterEqual(seeds, 40)
        self.assertLess(width, 0.4)

    def test_not_met(self):
        """It is told what was reached; what does not vary is told once, and what no run has is an error."""
        kit.write("a.cfg", LOSSES.replace('"0%", "0.1%", ', ""))
        self.expect_parts(self.shell("iwarpsim sweep a.cfg --until goodput_bit_per_s=0.1% --max-seeds 9").stdout,
                          "9 runs: 9 run now", "0 of 1 point is as narrow as asked for; 1 not:\n"
                          "  path.forward.loss=1%: 9 seeds, goodput_bit_per_s \u00b1")
        self.expect("iwarpsim sweep a.cfg --until delivery.octets=1%",
                    "8 runs: 0 run now, 8 already there, 0 failed; results in results/a.sqlite\n"
                    "1 of 1 point is as narrow as asked for, with 8 seeds\n"
                    "note: delivery.octets does not vary; what happens in fewer than 31 % of the runs may be in none of "
                    "8\n")
        self.expect("iwarpsim sweep a.cfg -q --until tcp.timeouts/mpa.crc_errors=1%", "",
                    "iwarpsim sweep: --until tcp.timeouts/mpa.crc_errors: no run that ended ok has it\n", 1)
        self.shell(f"{UNTIL} -q --until tcp.timeouts/mpa.crc_errors=1% --store both.sqlite", 1)
        self.assertGreater(half_width("both.sqlite", "1%")[1], 8)  # the other one is pursued

    def test_nothing_happened(self):
        """What does not vary is known when nothing is asked of the path, or when what is asked for happened: 8 seeds
        with some 360 segments each have 28 losses at 1 %, and none at 0.0001 %, which shows nothing."""
        kit.write("a.cfg", LOSSES.replace('"0.1%", "1%"', '"0.0001%", "3%"'))
        until = "iwarpsim sweep a.cfg --until delivery.octets=1% --max-seeds 30"
        note = "the values are equal, and hardly anything of what the scenario asks of the path happened"
        for _ in range(2):  # in the runs, and in the store
            self.expect_parts(self.shell(until).stdout, "\n2 of 3 points are as narrow as asked for, with 8 seeds; 1 not:\n"
                              "  path.forward.loss=1e-06: 30 seeds, delivery.octets 5.243e+05 in all of them, in which",
                              f"note: delivery.octets: at 1 point the interval covers less than 95 %: {note}\n")
        table = self.shell("iwarpsim table results/a.sqlite --metric delivery.octets").stdout
        self.expect_parts(table, f"*: the interval covers less than 95 %: {note}.")
        self.assertRegex(table, r"(?m)^0 +8  +\S")
        self.assertRegex(table, r"(?m)^\S*(?:0.0001%|1e-06) +30 +\* ")
        self.assertRegex(table, r"(?m)^3% +8  +\S")

    def test_runs_that_stop(self):
        """They are results without a value, in the store as well as when they end."""
        for _ in range(2):
            done = self.shell("iwarpsim sweep a.cfg -q -k --until goodput_bit_per_s=1% -s run.stop=10us", 1)
            self.assertIn("--until goodput_bit_per_s: no run that ended ok has it\n", done.stderr)

    def test_bad_options(self):
        for options, *parts in (
                ("--until goodput_bit_per=2%", "did you mean 'goodput_bit_per_s'?"),
                ("--until tcp.timeouts", "--until tcp.timeouts: expected METRIC=SHARE"),
                ("--until tcp.timeouts=narrow", "--until tcp.timeouts=narrow: expected METRIC=SHARE"),
                ("--until tcp.timeouts=0", "with a share of the mean"),
                ("--until time.wall_s=2%", "depends on the machine"),
                ("--until tcp.timeouts/time.wall_s=2%", "depends on the machine"),
                ("--until tcp.timeouts=2% --max-seeds 7", "--max-seeds 7: expected 8 to 1000000"),
                ("--until tcp.timeouts=2% --max-seeds 2000000000", "expected 8 to 1000000"),
                ("--until tcp.timeouts=2% --max-seeds 900000", "the sweep has too many points"),
                ("--max-seeds 20", "--max-seeds 20: expected --until")):
            self.expect_refused(f"iwarpsim sweep a.cfg {options}", *parts)
