# SPDX-License-Identifier: GPL-2.0-only
"""No command gives a terminal anything that steers it, whatever stands in names, scenarios, stores, captures
and results: every line here puts ESC, BEL, an eight-bit CSI (C1), U+202E and an octet that is no UTF-8 in one
of them."""
import contextlib
import hashlib
import os
import re
import sqlite3

import program_kit as kit

HOSTILE = "x\x1b]0;y\a\x9b1m\u202e"
# $h may be in a file's name; $t is UTF-8 without control characters, which a title may be; $s is an SQL text.
VARIABLES = {"h": HOSTILE + "\udcff", "t": "x\u202ey\u2066z",
             "s": f"CAST(x'{HOSTILE.encode().hex()}ff' AS TEXT)"}

# Controls but the line's end, C1, what changes the direction of text; surrogates: octets that are no UTF-8.
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

SWEPT = """workload: { message_size = "1KiB"; messages = 2; };
run: { engine = "native"; };
sweep = ( { key = "run.seed"; from = 1; to = 2; },
          { key = "receiver.mode"; values = ["in-order", "out-of-order"]; } );
"""

REFUSED = [
    'iwarpsim "$h"',
    'iwarpsim --"$h"',
    'iwarpsim run --"$h"',
    'iwarpsim run "$h"',
    'iwarpsim check "$h"',
    'iwarpsim sweep "$h"',
    'iwarpsim table "$h"',
    'iwarpsim plot "$h"',
    'iwarpsim report "$h"',
    'iwarpsim export "$h"',
    'iwarpsim merge "$h" -o b',
    'iwarpsim decode "$h"',
    'iwarpsim replay "$h"',
    'iwarpsim explain "$h"',
    'iwarpsim run a.cfg --set "$h"',
    'iwarpsim run a.cfg --set "$h=1"',
    'iwarpsim run a.cfg --set "path.forward.mtu=$h"',
    'iwarpsim run a.cfg --set "receiver.mode=$h"',
    'iwarpsim run a.cfg --set "title=$h"',
    'iwarpsim run a.cfg --set "tcp.quick_acks=$h"',
    'iwarpsim run a.cfg --set "path.forward.drop=[$h]"',
    'iwarpsim run a.cfg --engine "$h"',
    'iwarpsim run a.cfg --out a.cfg/"$h"',
    'iwarpsim sweep a.cfg --shard "$h"',
    'iwarpsim sweep a.cfg --store a.cfg/"$h"',
    'iwarpsim table a.cfg --leave-out "$h"',
    'iwarpsim table a.cfg --metric "$h"',
    'iwarpsim plot a.cfg --format "$h"',
    'iwarpsim decode a.cfg --hold "$h"',
    'iwarpsim decode a.cfg --mpa "$h"',
    'iwarpsim decode a.cfg --filter "$h"',
    'iwarpsim replay a.cfg --resend "$h"',
    """printf '%s = 1;' "$h" >h.cfg; iwarpsim check h.cfg""",
    """printf 'title = "%s";' "$h" >h.cfg; iwarpsim check h.cfg""",
    """printf 'title = "\\033]0;y\\007";' >h.cfg; iwarpsim check h.cfg""",
    """printf 'run: { engine = "%s"; };' "$t" >h.cfg; iwarpsim check h.cfg""",
    """printf '@include "%s"\\n' "$t" >h.cfg; iwarpsim check h.cfg""",
    """printf 'where = "%s = 1"; sweep = ({ key = "run.seed"; values = [1]; });' "$t" >h.cfg;
    iwarpsim check h.cfg""",
    """printf 'sweep = ({ key = "%s"; values = [1]; });' "$t" >h.cfg; iwarpsim check h.cfg""",
    """printf 'sweep = ({ key = "receiver.mode"; values = ["%s"]; });' "$t" >h.cfg; iwarpsim check h.cfg""",
    """printf '%s = {' "$h" >"$h.cfg"; iwarpsim check "$h.cfg\"""",
]

# What is in order is printed as well: names of files, titles.
ACCEPTED = [
    """{ printf 'title = "%s";\\n' "$t"; cat a.cfg; } >"$h.cfg"; iwarpsim check "$h.cfg\"""",
    'iwarpsim run "$h.cfg" --pcap --out "$h"',
    'iwarpsim decode "$h/receiver.pcap"',
    'iwarpsim decode "$h/receiver.pcap" --json',
    'iwarpsim decode "$h/receiver.pcap" --summary',
    'iwarpsim decode "$h/receiver.pcap" --summary --json',
    'iwarpsim replay "$h/receiver.pcap" --filter tcp --out "$h.replay"',
    'iwarpsim plot "$h" --format term',
    'iwarpsim plot "$h" --out "$h.plots"',
    'iwarpsim sweep "$h.cfg" --list',
    'iwarpsim sweep "$h.cfg" --store "$h.sqlite"',
    'iwarpsim sweep "$h.cfg" --store "$h.sqlite"',
    'iwarpsim merge "$h.sqlite" -o "$h.2.sqlite"',
    'iwarpsim table "$h.sqlite"',
    'iwarpsim table "$h.sqlite" --csv /dev/stdout',
    'iwarpsim export "$h.sqlite"',
    'iwarpsim plot "$h.sqlite" --format term',
    'iwarpsim report "$h.sqlite"',
    'cat "$h.html"',
]

FOREIGN_ACCEPTED = [
    "iwarpsim table b.sqlite",
    "iwarpsim table b.sqlite --csv /dev/stdout",
    "iwarpsim export b.sqlite",
    "iwarpsim plot b.sqlite --format term",
    "iwarpsim plot b.sqlite --out plots",
    "iwarpsim report b.sqlite -o /dev/stdout",
    "iwarpsim merge b.sqlite -o c.sqlite",
    "iwarpsim sweep a.cfg --store a.sqlite",
]
FOREIGN_REFUSED = [
    "iwarpsim merge a.sqlite b.sqlite -o d.sqlite",
    "iwarpsim sweep a.cfg --store b.sqlite",
    "iwarpsim table b.sqlite --pair title=1,2",
    'cp b.sqlite c.sqlite; sqlite3 c.sqlite "UPDATE runs SET status=$s"; iwarpsim table c.sqlite',
    'cp b.sqlite c.sqlite; sqlite3 c.sqlite "UPDATE runs SET metrics=json_object($s, 1)"; iwarpsim export c.sqlite',
    'cp b.sqlite c.sqlite; sqlite3 c.sqlite "UPDATE runs SET identity=$s WHERE id = 1";'
    " iwarpsim merge c.sqlite -o d.sqlite",
    'cp b.sqlite c.sqlite; sqlite3 c.sqlite "PRAGMA user_version = 9"; iwarpsim table c.sqlite',
    """iwarpsim run --quiet a.cfg --out run; printf '%s\\n' "$h" >>run/occupancy.csv; iwarpsim plot run""",
    """printf '{"%s": 1' "$t" >run/summary.json; iwarpsim plot run --what distribution""",
]

NO_FILE = "cannot read it (it is a pipe, a device or a socket); expected a scenario file\n"
NO_FILES = [
    ("iwarpsim check p", f"p: {NO_FILE}"),
    ("iwarpsim run p", f"p: {NO_FILE}"),
    ("iwarpsim sweep p", f"p: {NO_FILE}"),
    ("iwarpsim check /dev/null", f"/dev/null: {NO_FILE}"),
    ("""echo 'title = "t";' | iwarpsim check /dev/stdin""", f"/dev/stdin: {NO_FILE}"),
    ("""echo '@include "p"' >i.cfg; iwarpsim check i.cfg""",
     "i.cfg:1: cannot read 'p' (it is a pipe, a device or a socket); expected a file to include\n"),
]


def write_hostile_store(path):
    """Returns the texts of the store of a sweep, one with the right digests in which every text is hostile:
    of its runs, and of
    where they come from."""
    text = HOSTILE + "\ufffd"
    with contextlib.closing(sqlite3.connect(path)) as store, store:
        kit.unpack(store)
        store.execute("DELETE FROM runs WHERE id > 2")
        store.execute("DELETE FROM metrics WHERE name != 'buffer.reassembly_peak_octets'")
        store.execute("UPDATE origins SET name = :text, title = :text, text = :text, hash = :hash,"
                      " version = :text, git = :text, libraries = :text",
                      {"text": text, "hash": hashlib.sha256(text.encode()).hexdigest()})
        store.execute("UPDATE runs SET message = :text, stderr_tail = :text, host = :text, engine = :text",
                      {"text": text})
        store.execute("UPDATE runs SET status = 'terminated' WHERE id = 2")
        store.execute("UPDATE parameters SET value = ? WHERE key = 'title'", (text,))
        kit.seal(store)


class PlainText(kit.ProgramTest):
    stays = ["*", ".h*"]

    def setUp(self):
        super().setUp()
        kit.write("a.cfg", SWEPT)

    def expect_plain(self, lines, code=0):
        """Each of the lines ends with `code` and prints something, which is UTF-8 and steers no terminal."""
        for line in lines:
            done = self.shell(line, code, **VARIABLES)
            printed = done.stdout + done.stderr
            self.assertNotEqual(printed, "", line)
            self.assertNotRegex(printed, STEERS, line)

    def test_refused(self):
        self.expect_plain(REFUSED, 2)

    def test_accepted(self):
        self.expect_plain(ACCEPTED)

    def test_foreign_results(self):
        """A store, a summary and a series that another program wrote."""
        self.shell("iwarpsim sweep a.cfg --quiet --store b.sqlite")
        write_hostile_store("b.sqlite")
        self.expect_plain(FOREIGN_ACCEPTED)
        self.expect_plain(FOREIGN_REFUSED, 2)

    def test_no_files(self):
        """A pipe without a writer must not be waited for, nor a device be read."""
        os.mkfifo("p")
        for line, errors in NO_FILES:
            self.expect(line, "", errors, 2)
