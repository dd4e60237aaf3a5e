# SPDX-License-Identifier: GPL-2.0-only
"""What a command writes is there whole or not at all, and no device is replaced by a file."""
import fcntl
import os
import stat

import program_kit as kit


class Output(kit.ProgramTest):
    stays = ["small.cfg", "small.sqlite", "out"]  # no temporary file

    def setUp(self):
        super().setUp()
        kit.write("small.cfg", kit.SEEDS)
        self.shell("iwarpsim sweep small.cfg --quiet --store small.sqlite")
        self.csv = self.shell("iwarpsim export small.sqlite").stdout

    def write(self, path):
        self.expect(f"iwarpsim export small.sqlite --csv {path} --quiet", "")

    def expect_failure(self, path):
        done = self.expect_refused(f"iwarpsim export small.sqlite --csv {path}")
        self.expect_start(done.stderr, f"{path}: ")

    def test_file(self):
        kit.write("out", 2 * self.csv)
        self.write("out")
        self.assertEqual(kit.octets("out").decode(), self.csv)

    def test_pipe_stays_one(self):
        """A rename over a named pipe would leave a file in its place, and its reader waiting; so with
        /dev/null as root."""
        os.mkfifo("out")
        reader = os.open("out", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.write("out")
        self.assertEqual(os.read(reader, 65536).decode(), self.csv)
        self.assertTrue(stat.S_ISFIFO(os.stat("out").st_mode))

    def test_link_stays_one(self):
        """/dev/stdout is a link, to a regular file when the output is redirected: root would lose it."""
        kit.write("aim", 2 * self.csv)
        os.symlink("aim", "link")
        for name in ("aim", "link"):
            self.addCleanup(os.unlink, name)
        self.write("link")
        self.assertEqual(os.readlink("link"), "aim")
        self.assertEqual(kit.octets("aim").decode(), self.csv)

    def test_stores_and_scenarios_stay(self):
        """`table a.sqlite --csv a.sqlite` must not end a week of sweeps."""
        for name in ("small.sqlite", "small.cfg"):
            before = kit.octets(name)
            self.expect_failure(name)
            self.assertEqual(kit.octets(name), before)
        self.write("new.cfg")  # nothing stands there yet
        self.expect_failure("new.cfg")
        os.unlink("new.cfg")

    def test_no_input_is_written_over(self):
        """Nor is anything else of ours, whichever command is asked to, and by whatever name it goes."""
        stays = {"r/sender.pcap": "a capture", "a.trace": "a trace", "small.sqlite": "a result store", "a.txt": "a scenario",
                 "r/summary.json": "the summary of a run", "r/occupancy.csv": "the series of a run"}
        self.stays = self.stays + ["a.trace", "a.txt", "r"]
        kit.write("a.txt", kit.SEEDS)
        self.shell("iwarpsim run small.cfg -q -o r --pcap --trace a.trace")
        before = {name: kit.octets(name) for name in stays}
        for name, what in stays.items():
            for line in (f"run small.cfg -o s --trace {name}", f"replay r/receiver.pcap -o s --trace {name}",
                         f"timeline a.trace -o {name}", f"timeline r/sender.pcap -o {name}", f"report small.sqlite -o {name}",
                         f"table small.sqlite --csv {name}", f"export small.sqlite --csv {name}"):
                if not (what == "a trace" and "--trace" in line):
                    self.expect_refused(f"iwarpsim {line}", f"{name}: {what} stands there")
            if what != "a result store":
                self.expect_refused(f"iwarpsim merge small.sqlite -o {name}", f"{name}: not a result store")
                self.expect_refused(f"iwarpsim sweep small.cfg --store {name}", f"{name}: not a result store")
        self.assertEqual({name: kit.octets(name) for name in stays}, before)
        # What is a scenario by its name alone is one by the name of a link, too; nor does an empty one become a store.
        for name, octets in (("comment.cfg", "# only a comment\n"), ("empty.cfg", "")):
            kit.write(name, octets)
            os.symlink(name, "link")
            for at in (name, "link"):
                self.expect_refused(f"iwarpsim table small.sqlite --csv {at}", f"{at}: a scenario stands there")
                for line in (f"sweep small.cfg --store {at}", f"merge small.sqlite -o {at}"):
                    self.expect_refused(f"iwarpsim {line}", f"{at}: not a result store: a scenario; expected")
            self.assertEqual(kit.octets(name).decode(), octets)
            os.unlink("link")
            os.unlink(name)
        # Where a run's own files are to be is known before it.
        for name in ("summary.json", "occupancy.csv", "sender.pcap"):
            self.expect_refused(f"iwarpsim run small.cfg -o new --trace ./new/{name}", f"the {name} of the run goes there")
            self.shell("test ! -e new")
        self.shell("iwarpsim run small.cfg -q -o r --trace a.trace && rm -f -r s")  # one trace replaces another
        self.assertEqual(kit.octets("a.trace"), before["a.trace"])

    def test_what_a_kill_left(self):
        """The next command that writes to the folder, and the next run beside it, remove it and say so; what is in use, and
        what a link leads to, stays."""
        self.stays = self.stays + ["results", "kept"]
        os.makedirs("kept")
        for name in ("old-file", "more"):
            kit.write(f"kept/{name}", "stays")
        left = ["results/other", "results/small", "results"]
        for name in left:
            os.makedirs(f"{name}/.iwarpsim-new-AAAAAA")
            kit.write(f"{name}/.iwarpsim-new-AAAAAA/receiver.pcap", "half")
        os.makedirs("results/used/.iwarpsim-new-AAAAAA")
        os.symlink("../../kept", "results/used/.iwarpsim-new-BBBBBB")
        lock = os.open("results/used/.iwarpsim-new-AAAAAA", os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        noted = self.shell("iwarpsim run small.cfg -q").stderr.splitlines()
        self.assertEqual(sorted(noted), [f"note: {os.getcwd()}/{name}/.iwarpsim-new-AAAAAA is removed, which a killed process left "
                                         "(4 octets)" for name in sorted(left, key=lambda name: name + "/.")])
        self.assertEqual([sorted(os.listdir(f"results/{name}")) for name in ("other", "used")],
                         [[], [".iwarpsim-new-AAAAAA", ".iwarpsim-new-BBBBBB"]])
        self.assertEqual(sorted(os.listdir("results/small")),
                         ["message_classes.csv", "messages.csv", "occupancy.csv", "summary.json"])
        self.assertEqual(sorted(os.listdir("kept")), ["more", "old-file"])
        os.makedirs(".iwarpsim-new-AAAAAA")
        kit.write(".iwarpsim-new-AAAAAA/k.trace", "half")
        self.expect_start(self.shell("iwarpsim export small.sqlite --csv out -q").stderr, "note: ./.iwarpsim-new-AAAAAA is removed")
        self.assertEqual(self.shell("iwarpsim export small.sqlite --csv out -q && iwarpsim run small.cfg -q -o results/x").stderr, "")

    def test_earlier_ones(self):
        """What a run leaves beside its summary and is not its own, it names."""
        self.stays = self.stays + ["r"]
        run = "iwarpsim run small.cfg -o r"
        self.shell(f"{run} -q --pcap --trace r/run.trace")
        note = "note: r has files that this run did not write: "
        self.expect_start(self.shell(run).stderr, f"{note}sender.pcap, receiver.pcap, run.trace; ")
        self.expect_start(self.shell(f"{run} --trace r/../r/run.trace").stderr, f"{note}sender.pcap, receiver.pcap; ")
        self.expect_start(self.shell(f"{run} --pcap").stderr, f"{note}run.trace; ")
        self.expect_start(self.shell("iwarpsim replay r/receiver.pcap -o r").stderr.splitlines()[-1], note)
        self.assertEqual(self.shell(f"{run} --pcap --trace r/run.trace").stderr, "")

    def test_folders_above(self):
        """One that is missing is made; where more are, their names are wrong."""
        self.stays = self.stays + ["new", "one"]
        self.shell("iwarpsim run small.cfg -q -o new/r/ && iwarpsim sweep small.cfg -q --store one/a.sqlite")
        for line in ("run small.cfg -o no/such/r", "plot small.sqlite --what distribution -o no/such/r", "sweep small.cfg --store no/such/a.sqlite"):
            self.expect_refused(f"iwarpsim {line}", "no", "there is no such folder; expected")

    def test_failures(self):
        for path in ("no/out", ".", "/dev/full"):
            self.expect_failure(path)
