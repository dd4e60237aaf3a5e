# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program under callgrind and reads what it wrote: instructions by part of the program, and calls of
what touches octets."""

import re
import subprocess
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

from . import layers

# `instructions`: of each (part, function); `calls`: of each part of layers.TOUCHING, from outside of it.
Counts = namedtuple("Counts", "instructions calls")

NAMED = re.compile(r"(c?ob|fl|fi|fe|cfi|cfl|c?fn)=(?:\((\d+)\))?\s*(.*)")
KIND = {"ob": "object", "cob": "object", "fn": "function", "cfn": "function"}  # the others name files


class Reader:
    """Reads callgrind's format, version 1: names are given once with a number and by the number from then on;
    a line of numbers is the cost of a source line of the current function, except after `calls=`, where it
    is what the callee cost."""

    def __init__(self):
        self.names = {}
        # fl: the file of the function; fi: that of its present line, which may be inlined.
        self.now = {"ob": "", "fl": "", "fi": "", "fn": ""}
        self.callee = {}
        self.parts = {}
        self.instructions = Counter()
        self.calls = Counter()

    def read(self, lines):
        costs_of_callee = False
        for line in lines:
            first = line[:1]
            if first.isdigit() or first in "+-*":
                if not costs_of_callee:
                    self._add_cost(line)
                costs_of_callee = False
            elif line.startswith("calls="):
                self._add_calls(int(line[len("calls="):].split()[0]))
                costs_of_callee = True
            else:
                self._name(line)
        return Counts(self.instructions, self.calls)

    def _name(self, line):
        match = NAMED.match(line)
        if not match:
            return
        key, number, name = match.groups()
        if number:
            kind = KIND.get(key, "file")
            name = self.names.setdefault((kind, number), name)
        if key.startswith("c"):
            self.callee[key] = name
            return
        self.now["fi" if key == "fe" else key] = name
        if key in ("fl", "fn"):
            self.now["fi"] = self.now["fl"]

    def _part(self, *place):
        if place not in self.parts:
            self.parts[place] = layers.part_of(*place)
        return self.parts[place]

    def _add_cost(self, line):
        cost = int(line.split()[1])
        part = self._part(self.now["ob"], self.now["fi"], self.now["fn"])
        self.instructions[part, self.now["fn"]] += cost

    def _add_calls(self, count):
        program = self.callee.get("cob", self.now["ob"])
        file = self.callee.get("cfi", self.callee.get("cfl", self.now["fi"]))
        callee = self._part(program, file, self.callee.get("cfn", ""))
        caller = self._part(self.now["ob"], self.now["fi"], self.now["fn"])
        if callee in layers.TOUCHING and caller not in layers.TOUCHING:
            self.calls[callee] += count
        self.callee = {}


def count(command):
    """The Counts of a run of `command` (a list, the program first)."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-callgrind-") as folder:
        output = Path(folder) / "out"
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", *command],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} under callgrind: exit {run.returncode}\n"
                               f"{run.stderr[-2000:]}")
        with output.open(encoding="utf-8", errors="replace") as lines:
            return Reader().read(lines)


def per_segment(short, long, segments):
    """Returns what the long run did more than the short one, for each of the `segments` that it had more."""
    return Counts({key: (long.instructions[key] - short.instructions[key]) / segments
                   for key in long.instructions.keys() | short.instructions.keys()},
                  {part: (long.calls[part] - short.calls[part]) / segments for part in layers.TOUCHING})


def by_part(instructions):
    """The sums over the functions of each part."""
    sums = Counter()
    for (part, _), value in instructions.items():
        sums[part] += value
    return sums
