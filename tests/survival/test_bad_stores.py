#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stores that are no stores, are damaged, older, locked, or left in mid-transaction: every command that takes
one says so, with exit code 2, and loses nothing. --long: locked for as long as a sweep waits, too.
"""
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

import program_kit as kit

WHOLE = "whole.sqlite"

# This is a store as iwarpsim 0.1.0 wrote it before it kept provenance: schema 1.
SCHEMA_1 = """
CREATE TABLE meta(id INTEGER PRIMARY KEY, scenario TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
 axes TEXT NOT NULL, version TEXT NOT NULL, UNIQUE(scenario, title, text, axes, version));
CREATE TABLE runs(id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,
 meta INTEGER NOT NULL REFERENCES meta(id), point INTEGER NOT NULL, status TEXT NOT NULL,
 message TEXT NOT NULL, exit_code INTEGER NOT NULL, wall_s REAL NOT NULL);
CREATE TABLE parameters(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, key TEXT NOT NULL,
 value TEXT NOT NULL, PRIMARY KEY(run, key)) WITHOUT ROWID;
CREATE TABLE metrics(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL,
 value REAL NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;
INSERT INTO meta VALUES(1, 'small', 'survival', '', 'run.seed', '0.1.0');
INSERT INTO runs VALUES(1, 'abc', 1, 0, 'ok', '', 0, 1.5);
PRAGMA application_id = 0x69777073; PRAGMA user_version = 1;
"""

# Changes every run in a transaction that does not end: pages are written over, the journal has what they
# were. Then it is killed.
KILLED_WRITER = """
import os, signal, sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("PRAGMA cache_size = 5")
store.execute("BEGIN IMMEDIATE")
store.execute("UPDATE runs SET metrics = '{}', parameters = 'torn' || parameters, distributions = '{}'")
if sys.argv[2] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
print("in the midst", flush=True)
sys.stdin.read()
"""


def commands(store):
    """Every command that reads a store, and those that write one."""
    return [["export", store, "--csv", "out.csv"], ["table", store], ["plot", store, "--out", "out"],
            ["report", store, "-o", "out.html"], ["merge", store, "-o", "out.sqlite"],
            ["sweep", "small.cfg", "--store", store, "--list"]]


def writers(store):
    return [["sweep", "small.cfg", "--store", store], ["merge", WHOLE, "-o", store]]


class BadStores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(kit.folder("bad"))
        kit.write("small.cfg")
        made = kit.iwarpsim("sweep", "small.cfg", "--store", WHOLE)
        assert made.returncode == 0, made.stderr
        cls.rows = kit.rows(WHOLE)

    def refused(self, store, words, which=None):
        """Exit code 2, one line that names the store, and no output made."""
        for command in which if which is not None else commands(store) + writers(store):
            with self.subTest(command=" ".join(command)):
                run = kit.iwarpsim(*command)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertRegex(run.stderr, f"^(iwarpsim [a-z]+: )?{store}: .*({words})")
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
                self.assertEqual([name for name in os.listdir() if name.startswith("out")], [])

    def test_no_store_at_all(self):
        kit.write("text.sqlite", "these are not the octets you are looking for\n" * 200)
        with contextlib.closing(sqlite3.connect("other.sqlite")) as other:
            other.execute("CREATE TABLE runs(id)")
        os.mkdir("folder.sqlite")
        for store, words in (("text.sqlite", "not a result store"), ("other.sqlite", "not a result store"),
                             ("folder.sqlite", "directory|this is a folder")):
            before = kit.octets(store) if store != "folder.sqlite" else None
            which = commands(store) + writers(store)
            if before is None:
                # `plot` takes the folder of a run, too.
                which = [command for command in which if command[0] != "plot"]
            self.refused(store, words, which)
            self.assertTrue(before is None or kit.octets(store) == before)
        self.refused("none.sqlite", "No such file|unable to open", commands("none.sqlite")[:-1])
        self.assertFalse(os.path.exists("none.sqlite"))

    def test_other_schema(self):
        shutil.copy(WHOLE, "newer.sqlite")
        for store, sql, words in (
                ("older.sqlite", SCHEMA_1, "schema 1, written by iwarpsim 0.1.0; expected schema 6: read it with that "
                 "older iwarpsim, or run the sweep again into another --store FILE"),
                ("newer.sqlite", "PRAGMA user_version = 99;", r"schema 99, written by iwarpsim [^ ]+; expected schema "
                 "6: read it with a newer iwarpsim")):
            with contextlib.closing(sqlite3.connect(store)) as database:
                database.executescript(sql)
            before = kit.octets(store)
            self.refused(store, words)
            self.assertEqual(kit.octets(store), before)

    def test_truncated(self):
        whole = kit.octets(WHOLE)
        # Around the header and the pages, and in the midst of some; never nothing, which is an empty store,
        # nor all.
        lengths = [1, 15, 16, 99, 100, 101, 512, 4095, 4096, 4097, 8192, len(whole) // 2 // 4096 * 4096,
                   len(whole) // 2 + 77, len(whole) - 8192, len(whole) - 4097, len(whole) - 4096]
        for number, length in enumerate(lengths):
            with open("short.sqlite", "wb") as file:
                file.write(whole[:length])
            with self.subTest(length=length):
                every = commands("short.sqlite") + writers("short.sqlite")
                # Each command meets some lengths, and each length some commands: all by all would take
                # minutes.
                self.refused("short.sqlite", "damaged|not a result store",
                             [every[(number * 3 + i) % len(every)] for i in range(3)])
                self.assertEqual(kit.octets("short.sqlite"), whole[:length])

    def test_damaged_octets(self):
        """Changed, or cut off at the end of the last page: they were in use, and are missed, or were not."""
        whole = kit.octets(WHOLE)
        for place in [*range(100, len(whole), len(whole) // 12), len(whole) - 1, len(whole) - 4095]:
            with self.subTest(place=place):
                with open("damaged.sqlite", "wb") as file:
                    file.write(whole[:place])
                    if place < len(whole) - 4096:
                        file.write(bytes(255 - octet for octet in whole[place:place + 64]) + whole[place + 64:])
                read = kit.iwarpsim("export", "damaged.sqlite", "--csv", "damaged.csv")
                if read.returncode == 0:  # room that nothing stands in
                    self.assertEqual(kit.rows("damaged.sqlite"), self.rows)
                else:
                    self.assertEqual(read.returncode, 2, read.stderr)
                    self.assertIn("damaged.sqlite: damaged: ", read.stderr)

    def test_empty_is_a_new_store(self):
        kit.write("empty.sqlite", "")
        self.refused("empty.sqlite", "empty file", commands("empty.sqlite"))
        self.assertEqual(kit.iwarpsim("sweep", "small.cfg", "--store", "empty.sqlite").returncode, 0)
        self.assertEqual(kit.rows("empty.sqlite"), self.rows)

    def test_journal_of_a_killed_writer(self):
        for taker in [commands("stale.sqlite")[i] for i in (0, 4)] + writers("stale.sqlite"):
            with self.subTest(taker=taker[0]):
                shutil.copy(WHOLE, "stale.sqlite")
                killed = subprocess.run([sys.executable, "-c", KILLED_WRITER, "stale.sqlite", "kill"],
                                        check=False)
                self.assertEqual(killed.returncode, -signal.SIGKILL)
                self.assertGreater(os.path.getsize("stale.sqlite-journal"), 4096)
                self.assertNotEqual(kit.octets("stale.sqlite"), kit.octets(WHOLE))
                taken = kit.iwarpsim(*taker)
                self.assertEqual(taken.returncode, 0, taken.stderr)
                self.assertFalse(os.path.exists("stale.sqlite-journal"))
                self.assertEqual(kit.rows("stale.sqlite"), self.rows)
                for name in ("out.csv", "out.sqlite"):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(name)

    def test_copied_in_mid_transaction(self):
        shutil.copy(WHOLE, "origin.sqlite")
        with subprocess.Popen([sys.executable, "-c", KILLED_WRITER, "origin.sqlite", "stay"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            for suffix in ("", "-journal"):
                shutil.copy("origin.sqlite" + suffix, "copied.sqlite" + suffix)
            writer.kill()
        done = kit.iwarpsim("sweep", "small.cfg", "--store", "copied.sqlite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"0 run now, {kit.POINTS} already there", done.stdout)
        self.assertEqual(kit.rows("copied.sqlite"), self.rows)

    def start_locked(self, which, store):
        """Those commands, all at once, on a store that is locked; the lock, and the processes."""
        lock = sqlite3.connect(store, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        return lock, [kit.start(*command) for command in which]

    def test_locked_for_a_moment(self):
        """A sweep waits for a lock that comes in its midst, and one at its start."""
        lock, (sweep,) = self.start_locked([["sweep", "small.cfg", "--store", "moment.sqlite"]],
                                           "moment.sqlite")
        time.sleep(1)
        self.assertIsNone(sweep.poll())
        lock.close()
        said, _ = sweep.communicate(timeout=kit.PATIENCE_S)
        self.assertEqual(sweep.returncode, 0, said)
        self.assertEqual(kit.rows("moment.sqlite"), self.rows)

    def test_locked_for_too_long(self):
        shutil.copy(WHOLE, "locked.sqlite")
        which = commands("locked.sqlite")
        if "--long" in sys.argv:
            which += writers("locked.sqlite")
        lock, readers = self.start_locked(which, "locked.sqlite")
        for command, reader in zip(which, readers):
            said, _ = reader.communicate(timeout=3 * kit.PATIENCE_S)
            with self.subTest(command=command[0]):
                self.assertEqual(reader.returncode, 2, said)
                self.assertRegex(said, "locked.sqlite: another process has kept it locked for [0-9]+ s")
        lock.close()
        self.assertEqual(kit.rows("locked.sqlite"), self.rows)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
