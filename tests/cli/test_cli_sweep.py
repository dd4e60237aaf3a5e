# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim sweep` as a user meets it: what it prints, its exit status, and that
nothing is left over."""
import signal
import subprocess

import program_kit as kit


class Sweep(kit.ProgramTest):
    stays = ["a.cfg", "a.sqlite", "results"]

    def setUp(self):
        super().setUp()
        kit.write("a.cfg", kit.SEEDS)

    def test_all(self):
        """All, and then nothing more; on no terminal no line that is redrawn; with --quiet no line."""
        self.expect("iwarpsim sweep a.cfg",
                    "3 runs: 3 run now, 0 already there, 0 failed; results in results/a.sqlite\n")
        self.expect("iwarpsim sweep a.cfg -j1",
                    "3 runs: 0 run now, 3 already there, 0 failed; results in results/a.sqlite\n")
        self.expect("iwarpsim sweep a.cfg --quiet --store a.sqlite", "")

    def test_one(self):
        kit.write("a.cfg", kit.SEEDS.replace("to = 3", "to = 1"))
        self.expect("iwarpsim sweep a.cfg --store a.sqlite",
                    "1 run: 1 run now, 0 already there, 0 failed; results in a.sqlite\n")

    def test_first_failure(self):
        """'terminate' is expected and does not come."""
        self.expect("iwarpsim sweep a.cfg -j1 -s run.expect=terminate",
                    "3 runs: 1 run now, 0 already there, 0 failed, 1 ended otherwise than expected; "
                    "results in results/a.sqlite\n",
                    "run 1 (run.seed=1) ok, where run.expect is terminate\n"
                    "iwarpsim sweep: stopped after the first run that failed or ended otherwise than "
                    "expected, 2 not started; rerun the command to resume, with --keep-going to run all\n", 1)
        self.assertIn("3 runs: 2 run now, 1 already there, 0 failed, 3 ended otherwise",
                      self.shell("iwarpsim sweep a.cfg -k -s run.expect=terminate", 1).stdout)

    def test_mix(self):
        """Another scenario text into the same store is refused, and nothing runs; unless asked for."""
        self.shell("iwarpsim sweep a.cfg -q")
        kit.write("a.cfg", kit.SEEDS + "# another\n")
        done = self.shell("iwarpsim sweep a.cfg", 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("# another", done.stderr)
        self.expect_start(self.shell("iwarpsim sweep a.cfg --list").stderr,
                          "note: this sweep would be refused: results/a.sqlite: holds 3 runs")
        self.assertEqual(self.shell("iwarpsim sweep a.cfg --list --mix").stderr, "")
        self.shell("iwarpsim sweep a.cfg --mix")

    def test_bad_options(self):
        for option, expected in (
                ("-j 0", "1 or more"), ("--shard 3/2", "I/N with 1 <= I <= N"),
                ("--merged a.sqlite", "--shard I/N with it"),
                ("--limit 0", 'a time such as "10min"'), ("--stall 3", 'a time such as "60s"'),
                ("--memory much", 'a size such as "2GiB"')):
            self.expect(f"iwarpsim sweep a.cfg {option}", "",
                        f"iwarpsim sweep: {option}: expected {expected} (see 'iwarpsim sweep --help')\n", 2)

        self.expect_parts(self.shell("iwarpsim sweep a.cfg --shard 1/2 --until goodput_bit_per_s=2%", 2).stderr,
                          "--shard with --until: expected --merged FILE with it")
        # What a part lacks is not what the merged store lacks, however its name is written.
        for options in ("--merged ./a.sqlite --store a.sqlite", "--merged results/a.sqlite"):
            self.expect_refused(f"iwarpsim sweep a.cfg --shard 1/2 {options}",
                                f"{options.split()[1]}: it is this part's --store, too; expected another file")

    def test_interrupt(self):
        """64 GiB a run take minutes: none is done when SIGTERM comes, once the sweep has started one."""
        sweep = kit.start("sweep", "a.cfg", "-j2", "-s", "workload.message_size=64KiB",
                          "-s", "workload.messages=1000000", stderr=subprocess.PIPE)
        self.addCleanup(sweep.kill)
        kit.wait_until(lambda: kit.children(sweep.pid))
        sweep.send_signal(signal.SIGTERM)
        output, errors = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual((sweep.returncode, output, errors),
                         (128 + signal.SIGTERM, "3 runs: 0 run now, 0 already there, 0 failed; results in results/a.sqlite\n",
                          "interrupted: 0 done, 3 to go; rerun the command to resume\n"))
