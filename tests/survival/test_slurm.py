#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/sweep.sbatch on a Slurm of four nodes, all on this host, started here and ended here: its merged store is
that of a local sweep, row by row, in one round or several, and when a node is lost.

Skipped where Slurm is not installed or the test is not root's. Environment: IWARPSIM, the built program;
SWEEP_SBATCH, the script.
"""
import glob
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest

import program_kit as kit

SBATCH = os.path.abspath(os.environ["SWEEP_SBATCH"])
TASKS = 4
NODES = [f"node{i}" for i in range(1, TASKS + 1)]

CONFIGURATION = """ClusterName=iwarpsim
SlurmctldHost=localhost
SlurmctldPort={controller_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
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
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
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


class Cluster:
    """munged, slurmctld and a slurmd for each node in `folder`, with ports, key and socket of their own."""

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
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            os.mkdir(f"{self.folder}/{name}")
        controller_port, *node_ports = free_ports(1 + len(NODES))
        nodes = [f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN"
                 for node, port in zip(NODES, node_ports)]
        kit.write(f"{self.folder}/slurm.conf", CONFIGURATION.format(
            folder=self.folder, controller_port=controller_port, nodes="\n".join(nodes)))
        with open(f"{self.folder}/munge.key", "wb") as key:
            key.write(os.urandom(128))
        os.chmod(f"{self.folder}/munge.key", 0o400)
        munge = [f"--{name}={self.folder}/munge.{suffix}" for name, suffix in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"),
                  ("seed-file", "seed"))]
        self.daemon("munged", "--foreground", "--force", *munge)
        self.wait_for("munge socket", lambda: os.path.exists(f"{self.folder}/munge.socket"))
        self.daemon("slurmctld", "-D", "-i")
        self.nodes = {node: self.daemon("slurmd", "-D", "-N", node) for node in NODES}
        self.wait_for("idle nodes", lambda: self.ask("sinfo", "--noheader", "--format=%D %T") == f"{TASKS} idle\n")

    def daemon(self, *command):
        """They die with this process, whatever becomes of it."""
        with open(f"{self.folder}/{command[0]}-{command[-1].replace('/', '-')}.said", "wb") as said:
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command],
                                                 env=self.environment,
                                                 stdin=subprocess.DEVNULL, stdout=said, stderr=said))
        return self.daemons[-1]

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
        """Submits, and returns the array's number."""
        done = subprocess.run(["sbatch", f"--array={array}", "--output=%x-%A-%a.out", SBATCH, *arguments],
                              env=self.environment, capture_output=True, text=True, check=True, timeout=30)
        return done.stdout.split()[-1]

    def run(self, array, *arguments):
        """Submits, and waits until nothing is queued any more."""
        number = self.submit(array, *arguments)
        self.wait_for("end of all jobs", lambda: self.ask("squeue", "--noheader") == "")
        return number

    def lose(self, node):
        """Kills a node: its daemon, and what runs there. Slurm would find out by a time-out, which a busy machine might
        exceed as well."""
        self.daemons.remove(self.nodes[node])
        self.nodes[node].kill()
        self.nodes[node].wait()
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as environment:
                    if f"SLURMD_NODENAME={node}".encode() in environment.read().split(b"\0"):
                        os.kill(int(path.split("/")[2]), signal.SIGKILL)
            except OSError:
                pass  # it has ended, or is not ours
        self.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=killed")

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
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()

    def test_array_makes_what_a_local_sweep_makes(self):
        local = kit.iwarpsim("sweep", "small.cfg", "--store", "local.sqlite")
        self.assertEqual(local.returncode, 0, local.stderr)

        array = self.cluster.run(f"1-{TASKS}", "small.cfg", "merged.sqlite")
        self.assertEqual(self.cluster.ends(),
                         {"iwarpsim-sweep": ["COMPLETED"] * TASKS, f"iwarpsim-merge-{array}": ["COMPLETED"]},
                         self.cluster.logs())
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
        array = self.cluster.run(f"0-{10 * (TASKS - 1)}:10", "small.cfg", "merged.sqlite")
        self.assertEqual(kit.rows("merged.sqlite"), kit.rows("local.sqlite"))
        self.assertEqual([os.stat(f"merged.sqlite.shard-{i}-of-{TASKS}").st_size for i in (1, 3, 4)], kept)
        said = [self.read(f"iwarpsim-sweep-{array}-{10 * i}.out") for i in range(TASKS)]
        self.assertEqual(["3 run now" in each for each in said], [False, True, False, False], said)
        self.assertEqual(["0 run now, 3 already there" in each for each in said], [True, False, True, True],
                         said)

    def test_rounds(self):
        """With --until all tasks add seeds to the same points, a round after the other, as many as one sweep adds."""
        kit.write("small.cfg", kit.SCENARIO.replace("drop = [3]", 'loss = "1%"'))
        until = ["small.cfg", "--until", "goodput_bit_per_s=20%", "--max-seeds", "64"]
        local = kit.iwarpsim("sweep", *until, "--store", "local.sqlite")
        self.assertEqual(local.returncode, 0, local.stderr)
        array = self.cluster.run(f"1-{TASKS}", until[0], "merged.sqlite", *until[1:])
        self.assertEqual(kit.rows("merged.sqlite"), kit.rows("local.sqlite"), self.cluster.logs())
        merges = self.cluster.ends()[f"iwarpsim-merge-{array}"]
        self.assertGreater(len(merges), 1)  # the first round has 8 seeds, which are too few
        self.assertEqual(set(merges), {"COMPLETED"})

    def test_a_node_is_lost(self):
        """Its task goes on elsewhere; what it had not committed is run again."""
        kit.write("small.cfg", kit.SCENARIO.replace("messages = 4", "messages = 20000"))
        local = kit.iwarpsim("sweep", "small.cfg", "--store", "local.sqlite")
        self.assertEqual(local.returncode, 0, local.stderr)
        array = self.cluster.submit(f"1-{TASKS}", "small.cfg", "merged.sqlite")
        [lost] = self.node_of(array, 2)
        self.cluster.wait_for("run of the second part", lambda: self.rows_of_part(2) > 0)
        self.assertLess(self.rows_of_part(2), kit.POINTS // TASKS)
        self.cluster.lose(lost)

        def has_ended():
            # A job that is requeued waits for two minutes unless told otherwise.
            self.cluster.ask("scontrol", "update", f"JobId={array}", "StartTime=now")
            return self.cluster.ask("squeue", "--noheader") == ""
        self.cluster.wait_for("end of all jobs", has_ended)
        self.assertEqual(kit.rows("merged.sqlite"), kit.rows("local.sqlite"), self.cluster.logs())
        self.assertIn(f"{lost} down", self.cluster.ask("sinfo", "--noheader", "--Node", "--format=%N %T").replace("*", ""))

    def test_what_fails_is_told(self):
        # No such scenario: no task makes a store, and the merge has nothing; both fail.
        array = self.cluster.run("1-2", "none.cfg", "none.sqlite")
        self.assertEqual(self.cluster.ends(),
                         {"iwarpsim-sweep": ["FAILED"] * 2, f"iwarpsim-merge-{array}": ["FAILED"]},
                         self.cluster.logs())
        self.assertIn("none.cfg", self.read(f"iwarpsim-sweep-{array}-1.out"))
        self.assertFalse(os.path.exists("none.sqlite"))
        # An array with gaps would leave out points that a user takes for run.
        array = self.cluster.run("1,2,4", "small.cfg", "gaps.sqlite")
        self.assertIn("gaps", self.read(f"iwarpsim-sweep-{array}-4.out"))
        self.assertFalse(os.path.exists("gaps.sqlite"))

    def node_of(self, array, task):
        """The node that runs a task of the array, in a list."""
        nodes = []
        self.cluster.wait_for("task's start", lambda: nodes.extend(
            self.cluster.ask("squeue", "--noheader", f"--job={array}_{task}", "--states=RUNNING", "--format=%N").split())
            or nodes)
        return nodes

    def rows_of_part(self, part):
        try:
            return len(kit.rows(f"merged.sqlite.shard-{part}-of-{TASKS}"))
        except sqlite3.OperationalError:
            return 0  # it has not been made, or has no tables yet

    def read(self, name):
        with open(name, encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    lacking = what_is_missing()
    if lacking is not None:
        kit.skip(lacking)
    unittest.main(verbosity=2)
