#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/sweep.sbatch on a Slurm of one host, started here and ended here: its merged store is that of a
local sweep, row by row.

Skipped where Slurm is not installed or the test is not root's. Environment: IWARPSIM, the built program;
SWEEP_SBATCH, the script.
"""
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import program_kit as kit

SBATCH = os.path.abspath(os.environ["SWEEP_SBATCH"])
TASKS = 4

CONFIGURATION = """ClusterName=iwarpsim
SlurmctldHost=localhost
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,defer_batch
SchedulerType=sched/builtin
ReturnToService=2
MpiDefault=none
MinJobAge=300
NodeName=localhost CPUs=2 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Ports that nobody has now; they are close together in time, not for ever."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def what_is_missing():
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons here"
    needed = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "setpriv"]
    missing = [name for name in needed
               if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None]
    return f"not installed: {', '.join(missing)} (scripts/packages.txt)" if missing else None


class OneHost:
    """munged, slurmctld and slurmd in `folder`, with ports, key and socket of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf", "IWARPSIM": kit.PROGRAM,
                            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        # What this test may itself run under must not reach its jobs.
        for name in [name for name in self.environment
                     if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.environment[name]

    def start(self):
        for name in ("state", "spool"):
            os.mkdir(f"{self.folder}/{name}")
        controller_port, node_port = free_ports(2)
        kit.write(f"{self.folder}/slurm.conf", CONFIGURATION.format(
            folder=self.folder, controller_port=controller_port, node_port=node_port))
        with open(f"{self.folder}/munge.key", "wb") as key:
            key.write(os.urandom(128))
        os.chmod(f"{self.folder}/munge.key", 0o400)
        munge = [f"--{name}={self.folder}/munge.{suffix}" for name, suffix in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"),
                  ("seed-file", "seed"))]
        self.daemon("munged", "--foreground", "--force", *munge)
        self.wait_for("munge socket", lambda: os.path.exists(f"{self.folder}/munge.socket"))
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D", "-N", "localhost")
        self.wait_for("idle node", lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle\n")

    def daemon(self, *command):
        """They die with this process, whatever becomes of it."""
        with open(f"{self.folder}/{command[0]}.said", "wb") as said:
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command],
                                                 env=self.environment,
                                                 stdin=subprocess.DEVNULL, stdout=said, stderr=said))

    def wait_for(self, what, true):
        end = time.monotonic() + kit.PATIENCE_S
        while not true():
            ended = [daemon.args[3] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                raise AssertionError(f"no {what}; daemons that ended: {ended}\n{self.logs()}")
            time.sleep(0.1)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False,
                              timeout=30).stdout

    def submit(self, array, *arguments):
        """Submits, and waits until nothing is queued any more."""
        done = subprocess.run(["sbatch", f"--array={array}", "--output=%x-%A-%a.out", SBATCH, *arguments],
                              env=self.environment, capture_output=True, text=True, check=True, timeout=30)
        self.wait_for("end of all jobs", lambda: self.ask("squeue", "--noheader") == "")
        return done.stdout.split()[-1]

    def ends(self):
        """{job's name: [how each ended]}"""
        ends = {}
        for line in self.ask("squeue", "--noheader", "--array", "--states=all",
                             "--format=%j %T").splitlines():
            name, state = line.split()
            ends.setdefault(name, []).append(state)
        return ends

    def stop(self):
        self.ask("scancel", "--user=root")
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        # What slurmd left, should a job still have run.
        for left in kit.processes_in(self.folder):
            os.kill(left, signal.SIGKILL)

    def logs(self):
        said = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".said", ".out")):
                with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as file:
                    said += f"== {name}\n{file.read()[-4000:]}\n"
        return said


class Slurm(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(kit.folder("slurm"))
        kit.write("small.cfg")
        self.host = OneHost(self.folder)
        self.addCleanup(self.host.stop)
        self.host.start()

    def test_array_makes_what_a_local_sweep_makes(self):
        local = kit.iwarpsim("sweep", "small.cfg", "--store", "local.sqlite")
        self.assertEqual(local.returncode, 0, local.stderr)

        array = self.host.submit(f"1-{TASKS}", "small.cfg", "merged.sqlite")
        self.assertEqual(self.host.ends(),
                         {"iwarpsim-sweep": ["COMPLETED"] * TASKS, f"iwarpsim-merge-{array}": ["COMPLETED"]},
                         self.host.logs())
        self.assertEqual(kit.rows("merged.sqlite"), kit.rows("local.sqlite"))
        self.assertEqual(len(kit.rows("merged.sqlite")), kit.POINTS)
        # The parts are parts: each has a fourth of the points, its own.
        parts = [kit.rows(f"merged.sqlite.shard-{i}-of-{TASKS}") for i in range(1, TASKS + 1)]
        self.assertEqual([len(part) for part in parts], [kit.POINTS // TASKS] * TASKS)

        # One part lost, and the merge with it; counted from 0, in steps, the same array makes it again, and
        # nothing else.
        os.unlink("merged.sqlite")
        os.unlink(f"merged.sqlite.shard-2-of-{TASKS}")
        kept = [os.stat(f"merged.sqlite.shard-{i}-of-{TASKS}").st_size for i in (1, 3, 4)]
        array = self.host.submit(f"0-{10 * (TASKS - 1)}:10", "small.cfg", "merged.sqlite")
        self.assertEqual(kit.rows("merged.sqlite"), kit.rows("local.sqlite"))
        self.assertEqual([os.stat(f"merged.sqlite.shard-{i}-of-{TASKS}").st_size for i in (1, 3, 4)], kept)
        said = [self.read(f"iwarpsim-sweep-{array}-{10 * i}.out") for i in range(TASKS)]
        self.assertEqual(["3 run now" in each for each in said], [False, True, False, False], said)
        self.assertEqual(["0 run now, 3 already there" in each for each in said], [True, False, True, True],
                         said)

    def test_what_fails_is_told(self):
        # No such scenario: no task makes a store, and the merge has nothing; both fail.
        array = self.host.submit("1-2", "none.cfg", "none.sqlite")
        self.assertEqual(self.host.ends(),
                         {"iwarpsim-sweep": ["FAILED"] * 2, f"iwarpsim-merge-{array}": ["FAILED"]},
                         self.host.logs())
        self.assertIn("none.cfg", self.read(f"iwarpsim-sweep-{array}-1.out"))
        self.assertFalse(os.path.exists("none.sqlite"))
        # An array with gaps would leave out points that a user takes for run.
        array = self.host.submit("1,2,4", "small.cfg", "gaps.sqlite")
        self.assertIn("gaps", self.read(f"iwarpsim-sweep-{array}-4.out"))
        self.assertFalse(os.path.exists("gaps.sqlite"))

    def test_a_part_that_is_missing_is_told(self):
        for i in (1, 3):
            kit.iwarpsim("sweep", "small.cfg", "--shard", f"{i}/3", "--store", f"some.sqlite.shard-{i}-of-3")
        merge = subprocess.run([SBATCH, "--merge", "some.sqlite", "3"], capture_output=True, text=True,
                               check=False)
        self.assertEqual(merge.returncode, 2, merge.stderr)
        self.assertIn("some.sqlite.shard-2-of-3 is missing", merge.stderr)
        self.assertEqual(len(kit.rows("some.sqlite")), kit.POINTS // 3 * 2)

    def read(self, name):
        with open(name, encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    lacking = what_is_missing()
    if lacking is not None:
        kit.skip(lacking)
    unittest.main(verbosity=2)
