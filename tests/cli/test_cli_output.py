# SPDX-License-Identifier: GPL-2.0-only
"""What a command writes is there whole or not at all, and no device is replaced by a file."""
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

    def test_failures(self):
        for path in ("no/out", ".", "/dev/full"):
            self.expect_failure(path)
