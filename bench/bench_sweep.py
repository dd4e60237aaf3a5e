#!/usr/bin/python3
"""What a sweep costs beside the runs it makes: `iwarpsim sweep -j 2`, and beside it two independent processes.

The two are loops of a shell, each of which starts `iwarpsim run POINT --quiet --out FOLDER` for every second point of the same sweep, one after
the other, both loops at once; a run writes its summary.json there and no series, as a sweep's does not. Lines "key value" at the end, for each
scenario of --scenario, of which the last has no prefix:

children_cpu_share              processor time of the sweep's children / that of the sweep and its children
wall_ratio_to_two_processes     wall time of the two loops / that of the sweep: above 1 the sweep is faster
parent_ms_a_run, run_ms         processor time of the sweep itself, and wall time of a child's run, for each run
"""
import argparse
import os
import shlex
import statistics
import subprocess
import tempfile
import time

TINY = """title = "tiny";
workload: { message_size = "64KiB"; messages = %d; };
sweep = ( { key = "run.seed"; from = 1; to = 200; } );
"""


class Measured:
    """Wall time of a command, and processor time of it alone and with all its children, s."""

    def __init__(self, command):
        start = time.monotonic()
        process = os.posix_spawn(command[0], command, os.environ)
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        self.wall_s = time.monotonic() - start
        # The clock of a process's own time as clock_getcpuclockid(3) makes its number.
        self.own_s = time.clock_gettime((~process << 3) | 2)
        _, status, used = os.wait4(process, 0)
        self.total_s = used.ru_utime + used.ru_stime
        if status != 0:
            raise SystemExit(f"{shlex.join(command)}: ended with status {status}")


def points(program, scenario, sets):
    """The --set options of each point."""
    listed = subprocess.run([program, "sweep", scenario, *sets, "--list", "--store", "/nonexistent/none.sqlite"],
                            capture_output=True, text=True, check=True).stdout
    return [line.split()[1:] for line in listed.splitlines() if line.split()[:1] and line.split()[0].isdigit() and "=" in line]


def sweep(program, scenario, sets, folder, jobs):
    store = os.path.join(folder, "store.sqlite")
    measured = Measured([program, "sweep", scenario, *sets, "-j", str(jobs), "--quiet", "--store", store])
    os.unlink(store)
    return measured


def loops(program, scenario, sets, folder, jobs):
    """Wall time of `jobs` shell loops, each with its share of the points, s."""
    scripts = []
    runs = points(program, scenario, sets)
    for loop in range(jobs):
        path = os.path.join(folder, f"loop-{loop}.sh")
        with open(path, "w", encoding="utf-8") as script:
            for point in runs[loop::jobs]:
                chosen = [option for key in [*point, "measure.series=none"] for option in ("--set", key)]
                script.write(shlex.join([program, "run", scenario, *sets, *chosen, "--quiet", "--out",
                                         os.path.join(folder, f"out-{loop}")]) + " || exit 1\n")
        scripts.append(path)
    start = time.monotonic()
    processes = [subprocess.Popen(["/bin/sh", script]) for script in scripts]
    if any([process.wait() for process in processes]):
        raise SystemExit(f"{scenario}: a run failed")
    return time.monotonic() - start, len(runs)


def compare(program, scenario, sets, folder, arguments):
    """Lines of one scenario, from `rounds` sweeps and pairs of loops in turn."""
    sweeps, alone = [], []
    for _ in range(arguments.rounds):
        sweeps.append(sweep(program, scenario, sets, folder, arguments.jobs))
        wall_s, runs = loops(program, scenario, sets, folder, arguments.jobs)
        alone.append(wall_s)
    wall_s = statistics.median(measured.wall_s for measured in sweeps)
    own_s = statistics.median(measured.own_s for measured in sweeps)
    total_s = statistics.median(measured.total_s for measured in sweeps)
    return [("runs", runs), ("sweep_wall_s", round(wall_s, 3)), ("two_processes_wall_s", round(statistics.median(alone), 3)),
            ("parent_ms_a_run", round(1e3 * own_s / runs, 3)),
            ("run_ms", round(1e3 * (total_s - own_s) / runs, 2)),
            ("children_cpu_share", round(1 - own_s / total_s, 4)),
            ("wall_ratio_to_two_processes", round(statistics.median(alone) / wall_s, 3))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built iwarpsim")
    parser.add_argument("--scenario", default="scenarios/mtu-loss.cfg", help="a sweep (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the medians of so many are told (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once, and loops (default: %(default)s)")
    parser.add_argument("--tiny", type=int, default=160,
                        help="messages of 64 KiB of the small scenario, of some 10 ms a run, that is measured first (default: %(default)s; "
                        "0: none)")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    native = ["--set", "run.engine=native"]
    with tempfile.TemporaryDirectory(prefix="bench-sweep-") as folder:
        if arguments.tiny > 0:
            tiny = os.path.join(folder, "tiny.cfg")
            with open(tiny, "w", encoding="utf-8") as file:
                file.write(TINY % arguments.tiny)
            for key, value in compare(program, tiny, native, folder, arguments):
                print(f"tiny_{key} {value}", flush=True)
        for key, value in compare(program, os.path.abspath(arguments.scenario), native, folder, arguments):
            print(f"{key} {value}", flush=True)


if __name__ == "__main__":
    main()
