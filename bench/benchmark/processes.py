# SPDX-License-Identifier: GPL-2.0-only
"""Starts what is measured, each in a process of its own, and collects what it and the operating system say of
it."""

import json
import shlex
import subprocess
import tempfile
import time
from pathlib import Path


class Failure(Exception):
    """A program that is measured did not end well."""


def summary_of(folder):
    """Returns what a run has written into its folder."""
    return json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))


def set_options(sets):
    return [text for key, value in sets.items() for text in ("--set", f"{key}={value}")]


def points_of(listed):
    """Returns what `sweep --list` printed, as {key: value} of each run."""
    words = (line.split() for line in listed.splitlines())
    return [dict(text.split("=", 1) for text in texts) for number, *texts in filter(None, words)
            if number.isdigit() and all("=" in text for text in texts)]


class Programs:
    """The programs of a build folder, and runs of them. What a run gives is a flat {name: number}:
    `process.*` by bench_process, and what the program itself prints or writes."""

    def __init__(self, build, root):
        self.build = Path(build).resolve()
        self.root = Path(root)

    def has_ns3(self):
        """Returns whether the build folder is set up with ns-3."""
        targets = json.loads((self.build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))
        return any(target["name"] == "bench_ns3_tcp" for target in targets)

    def path(self, name):
        return str(self.build / ("iwarpsim" if name == "iwarpsim" else f"bench/{name}"))

    def process(self, command, watch=False):
        """(what bench_process says of a run of `command`, its standard output)."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            report = Path(folder) / "process.json"
            options = ["--watch"] if watch else []
            run = subprocess.run([self.path("bench_process"), *options, str(report), *command],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise Failure(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr[-2000:]}")
            numbers = json.loads(report.read_text(encoding="utf-8"))
        return {f"process.{name}": value for name, value in numbers.items()}, run.stdout

    def scenario_command(self, scenario, sets, folder):
        """`scenario`: a file of the project."""
        return [self.path("iwarpsim"), "run", str(self.root / scenario), *set_options(sets), "--quiet",
                "--out", str(folder)]

    def scenario(self, name, sets):
        """One run of a scenario: its metrics, and process.*."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            numbers, _ = self.process(self.scenario_command(name, sets, folder))
            numbers.update(summary_of(folder)["metrics"])
        if numbers["integrity.octets_wrong"] != 0:
            raise Failure(f"{name}: {numbers['integrity.octets_wrong']} octets are wrong")
        return numbers

    def program(self, name, arguments):
        """One run of a benchmark program that prints a line of JSON, and process.*."""
        numbers, output = self.process([self.path(name), *map(str, arguments)])
        numbers.update(json.loads(output))
        return numbers

    def sweep(self, scenario, sets, jobs, watch=False):
        """A sweep into a store that is thrown away: process.*."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            command = [self.path("iwarpsim"), "sweep", str(self.root / scenario), "-j", str(jobs), "--quiet",
                       "--store", f"{folder}/store.sqlite", *set_options(sets)]
            return self.process(command, watch)[0]

    def points(self, scenario, sets):
        """The keys and values of each run of a sweep."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            command = [self.path("iwarpsim"), "sweep", str(self.root / scenario), *set_options(sets),
                       "--list", "--store", f"{folder}/none.sqlite"]
            return points_of(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def loops(self, scenario, sets, count):
        """The runs of a sweep without it: `count` loops of a shell at once, each of which starts its share of
        the runs one after the other. A run writes its summary and no series, as a sweep's does not. Wall time
        until the last loop has ended."""
        points = self.points(scenario, sets)
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            scripts = [Path(folder) / f"{loop}.sh" for loop in range(count)]
            for loop, script in enumerate(scripts):
                commands = (self.scenario_command(scenario, {**sets, **point, "measure.series": "none"},
                                                  f"{folder}/{loop}")
                            for point in points[loop::count])
                script.write_text("set -e\n" + "".join(f"{shlex.join(command)}\n" for command in commands),
                                  encoding="utf-8")
            start_s = time.monotonic()
            started = [subprocess.Popen(["/bin/sh", str(script)]) for script in scripts]
            statuses = [process.wait() for process in started]
            wall_s = time.monotonic() - start_s
        if any(statuses):
            raise Failure(f"{scenario}: a run of its sweep failed")
        return {"process.wall_s": wall_s}
