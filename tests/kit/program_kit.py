# SPDX-License-Identifier: GPL-2.0-only
"""The tests that run the program share this: the built program, a folder of a test's own, lines of the shell
with what they print, a small sweep, and the rows of a store."""
import contextlib
import glob
import hashlib
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(os.environ["IWARPSIM"])
HAS_NS3 = os.environ.get("HAS_NS3") == "yes"
SANITIZED = os.environ.get("SANITIZERS", "none") != "none"
# The sanitizers make everything several times slower; how long a test waits at most is no matter of
# behaviour.
PATIENCE_S = 1200
os.environ["LC_ALL"] = "C"  # the words of the C library
os.environ["PATH"] = f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"

# Each run has an in-order receiver of 64 KiB and loses the third segment with payload: a retransmission and
# reassembly memory in each run. POINTS runs of some 20 ms.
POINTS = 12
SCENARIO = """title = "survival";
run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 4; };
receiver: { mode = "in-order"; };
path: { forward: { rate = "10Gbit/s"; delay = "25us"; drop = [3]; }; };
sweep = ( { key = "path.forward.mtu"; values = [1500, 4000, 9000]; },
          { key = "run.seed"; from = 1; to = 4; } );
"""

# This is a sweep of one message of 1 KiB, for three seeds.
SEEDS = """title = "t";
workload: { message_size = "1KiB"; messages = 1; };
run: { engine = "native"; };
sweep = ( { key = "run.seed"; from = 1; to = 3; } );
"""

ORIGIN = "name, title, hash, axes, sets, version, git, libraries"
RUNS = "FROM runs JOIN origins ON origins.id = runs.origin ORDER BY identity"


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


def run(*command, **options):
    """Runs a command; its exit code, and what it printed, are in the result. Octets that are no UTF-8 are
    lone surrogates there."""
    options.setdefault("timeout", PATIENCE_S)
    done = subprocess.run(command, capture_output=True, check=False, **options)
    done.stdout = done.stdout.decode(errors="surrogateescape")
    done.stderr = done.stderr.decode(errors="surrogateescape")
    return done


def iwarpsim(*arguments, **options):
    return run(PROGRAM, *arguments, **options)


def start(*arguments, **options):
    """Starts the program; stdout and stderr are one pipe of text, unless `options` has others."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    return subprocess.Popen([PROGRAM, *arguments], text=True, errors="replace", **options)


def wait_until(condition):
    """Waits until `condition()` is true."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {PATIENCE_S} s")
        time.sleep(0.01)


class ProgramTest(unittest.TestCase):
    """A test in a new folder, where lines of the shell run as a user types them; `iwarpsim` is the
    program."""

    maxDiff = None
    stays = ["*"]  # what may be in the folder at the end, as the shell names files: no hidden ones

    def setUp(self):
        self.folder = self.enterContext(folder("cli"))
        self.addCleanup(self.check_what_stays)

    def check_what_stays(self):
        known = [name for pattern in self.stays for name in glob.glob(pattern)]
        self.assertEqual([name for name in os.listdir() if name not in known], [], "left in the folder")

    def shell(self, line, code=0, **environment):
        """Runs a line, which must end with `code`; what it printed is in the result. The variables of
        `environment` are the line's."""
        done = run("sh", "-c", line, env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, f"{line}\n{done.stdout}{done.stderr}")
        return done

    def expect(self, line, output, errors="", code=0):
        """Runs a line, which must end with `code` and print exactly this."""
        done = self.shell(line, code)
        self.assertEqual((done.stdout, done.stderr), (output, errors), line)

    def expect_refused(self, line, *parts, code=2, **environment):
        """Runs a line, which must print one line of error, with all of `parts`, and nothing else."""
        done = self.shell(line, code, **environment)
        self.expect_parts(done.stderr, *parts)
        self.assertEqual((done.stdout, done.stderr.find("\n")), ("", len(done.stderr) - 1), done.stderr)
        return done

    def expect_parts(self, text, *parts):
        """Each of `parts` is in `text`, in whatever order."""
        for part in parts:
            self.assertIn(part, text)

    def expect_start(self, text, start_of_it):
        self.assertEqual(text[:len(start_of_it)], start_of_it, text)


def measures_the_machine(metric):
    return any(word in metric for word in ("wall", "cpu"))


def tables(store, run_id):
    """Returns what an open store holds of a run beside its row, by table."""
    columns = {"parameters": "key, value", "metrics": "name, value", "distributions": "name, bound, weight",
               "quantiles": "gauge, percent, value",
               "block_maxima, json_each(maxima)": "block_octets, json_each.key, json_each.value"}
    return {table: store.execute(f"SELECT {columns[table]} FROM {table} WHERE run = ? ORDER BY 1, 2",
                                 (run_id,)).fetchall() for table in columns}


def rows(path):
    """All that a store holds but for times, CPU, memory and host: the same after two sweeps of one
    scenario."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        store.execute("BEGIN")
        runs = store.execute("SELECT runs.id, identity, point, status, message, exit_code, stderr_tail,"
                             f" engine, text, {ORIGIN} {RUNS}").fetchall()
        found = [{"run": row[1:], **tables(store, row[0])} for row in runs]
    for row in found:
        row["metrics"] = [metric for metric in row["metrics"] if not measures_the_machine(metric[0])]
    return found


VIEWS = ("parameters", "metrics", "distributions", "quantiles", "block_maxima")


def unpack(store):
    """Puts tables of the connection's own in the place of an open store's views, to be changed until seal()."""
    for view in VIEWS:
        store.execute(f"CREATE TEMP TABLE {view} AS SELECT * FROM main.{view}")


def seal(store):
    """Gives each run of an unpacked store what its tables have now, and the digest of that, as docs/store.md has it."""
    def pairs(table, name, first, second):
        return (f"(SELECT json_group_object({name}, json(pairs)) FROM (SELECT {name}, json_group_array(json_array({first}, "
                f"{second})) AS pairs FROM (SELECT * FROM temp.{table} WHERE run = runs.id ORDER BY {name}, {first}) "
                f"GROUP BY {name}))")
    store.execute("UPDATE origins SET base = '{}', base_metrics = '{}', base_quantiles = '{}'")
    store.execute(f"""UPDATE runs SET
        parameters = (SELECT json_group_object(key, value) FROM temp.parameters WHERE run = runs.id),
        metrics = (SELECT json_group_object(name, value) FROM temp.metrics WHERE run = runs.id),
        distributions = {pairs("distributions", "name", "bound", "weight")},
        quantiles = {pairs("quantiles", "gauge", "percent", "value")},
        block_maxima = (SELECT json_group_object(block_octets, json(maxima)) FROM temp.block_maxima
                        WHERE run = runs.id)""")
    sign(store)
    for view in VIEWS:
        store.execute(f"DROP TABLE temp.{view}")


def sign(store):
    """Gives each run of an open store the digest of what is in its row now, as docs/store.md has it."""
    runs = store.execute(f"SELECT runs.id, base, base_metrics, base_quantiles, {ORIGIN}, identity, status, message, stderr_tail, engine, host,"
                         " started, parameters, exit_code, wall_s, cpu_s, memory_peak_octets, metrics, distributions,"
                         f" quantiles, block_maxima, tables {RUNS}").fetchall()
    for run_id, *values in runs:
        bases, values = values[:3], values[3:]
        values[-10] = hashlib.sha256("".join(f"{base}\0" for base in bases).encode()).hexdigest() + values[-10]
        digest = hashlib.sha256()
        for value in values:
            digest.update(value.encode() + b"\0" if isinstance(value, str) else struct.pack(">d", value))
        store.execute("UPDATE runs SET digest = ? WHERE id = ?", (digest.hexdigest(), run_id))


def children(pid):
    """The processes that `pid` has started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def state(pid):
    """Returns what it does, in the kernel's letters: T: it is stopped; X: it is not there."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def is_running(pid):
    """Returns whether it is there, and more than a zombie that nobody has waited for yet."""
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
