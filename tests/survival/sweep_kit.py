# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of this folder share: the built program, a small sweep, and what a store holds, by row."""
import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ["IWARPSIM"])
# The sanitizers make everything several times slower; how long a test waits at most is no matter of
# behaviour.
PATIENCE_S = 60

# In order, 64 KiB and losing the third segment with payload: a retransmission and reassembly memory in each
# run. POINTS runs of some 20 ms.
POINTS = 12
SCENARIO = """title = "survival";
run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 4; };
receiver: { mode = "in-order"; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; drop = [3]; }; };
sweep = ( { key = "path.forward.mtu"; values = [1500, 4000, 9000]; }, { key = "run.seed"; from = 1; to = 4; } );
"""

RUNS = """SELECT runs.id, identity, point, status, message, exit_code, stderr_tail, engine, name, title, text, hash, axes, sets,
 version, git, libraries FROM runs JOIN origins ON origins.id = runs.origin ORDER BY identity"""


def skip(why):
    """Ends the test for a machine that lacks what it needs."""
    print(f"skipped: {why}")
    sys.exit(77)


@contextlib.contextmanager
def folder(prefix):
    """A new working folder, for as long as it is needed; its path."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix=f"iwarpsim-{prefix}-") as path:
        os.chdir(path)
        try:
            yield path
        finally:
            os.chdir(before)


def write(path, text=SCENARIO):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def octets(path):
    with open(path, "rb") as file:
        return file.read()


def iwarpsim(*arguments, **options):
    """Runs the program; its exit code, and what it printed, are in the result."""
    options.setdefault("timeout", PATIENCE_S)
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace", check=False, **options)


def start(*arguments, **options):
    """Starts the program; stdout and stderr are one pipe of text."""
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.Popen([PROGRAM, *arguments], stderr=subprocess.STDOUT, text=True, errors="replace", **options)


def measures_the_machine(metric):
    return any(word in metric for word in ("wall", "cpu"))


def rows(path):
    """All that a store holds but for times, CPU, memory and host: the same after two sweeps of one scenario."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        store.execute("BEGIN")

        def of_run(sql, run):
            return store.execute(sql, (run,)).fetchall()

        return [{"run": run[1:],
                 "parameters": of_run("SELECT key, value FROM parameters WHERE run = ? ORDER BY key", run[0]),
                 "metrics": [row for row in of_run("SELECT name, value FROM metrics WHERE run = ? ORDER BY name", run[0])
                             if not measures_the_machine(row[0])],
                 "distributions": of_run("SELECT name, bound, weight FROM distributions WHERE run = ? ORDER BY name, bound",
                                         run[0])}
                for run in store.execute(RUNS).fetchall()]


def children(pid):
    """The processes that `pid` has started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def state(pid):
    """What it does, in the kernel's letters: T: it is stopped; X: it is not there."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_running(pid):
    """Whether it is there, and more than a zombie that nobody has waited for yet."""
    return state(pid) not in "ZX"


def processes_in(path):
    """Processes whose environment names `path`: those of a test that gave it to them, however started."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if path.encode() in file.read() and int(name) != os.getpid():
                    found.append(int(name))
        except OSError:
            pass
    return found
