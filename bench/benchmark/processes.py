"""Starts what is measured, each in a process of its own, and collects what it and the operating system say of it."""

import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Failure(Exception):
    """A program that is measured did not end well."""


def summary_of(folder):
    """What a run has written into its folder."""
    return json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))


def set_options(sets):
    return [text for key, value in sets.items() for text in ("--set", f"{key}={value}")]


class Programs:
    """The programs of a build folder, and runs of them. What a run gives is a flat {name: number}: `process.*` by bench_process, and
    what the program itself prints or writes."""

    def __init__(self, build, scenarios):
        self.build = Path(build)
        self.scenarios = Path(scenarios)

    def path(self, name):
        return str(self.build / ("iwarpsim" if name == "iwarpsim" else f"bench/{name}"))

    def process(self, command, watch=False):
        """(what bench_process says of a run of `command`, its standard output)."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            report = Path(folder) / "process.json"
            run = subprocess.run([self.path("bench_process"), *(["--watch"] if watch else []), str(report), *command],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise Failure(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr[-2000:]}")
            numbers = json.loads(report.read_text(encoding="utf-8"))
        return {f"process.{name}": value for name, value in numbers.items()}, run.stdout

    def scenario_command(self, scenario, sets, folder):
        command = [self.path("iwarpsim"), "run", str(self.scenarios / f"{scenario}.cfg"), "--quiet", "--out", folder]
        return command + set_options(sets)

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

    def sweep(self, scenario, sets, jobs):
        """A sweep into a store that is thrown away: process.*."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-bench-") as folder:
            command = [self.path("iwarpsim"), "sweep", str(self.scenarios / f"{scenario}.cfg"), "-j", str(jobs), "--quiet",
                       "--store", f"{folder}/store.sqlite", *set_options(sets)]
            return self.process(command, watch=True)[0]

    def together(self, scenario, sets, count):
        """`count` runs of a scenario started at once: the wall time of the slowest."""
        with ThreadPoolExecutor(count) as pool:
            runs = [pool.submit(self.scenario, scenario, sets) for _ in range(count)]
            return {"process.wall_s": max(run.result()["process.wall_s"] for run in runs)}
