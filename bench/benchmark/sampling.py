# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program under perf's software clock and reports how long it was in which part, inlined code counted
where it was written."""

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from . import layers

SAMPLES_PER_S = 4000
SAMPLE = re.compile(r"^\s*(\d+)\s+([0-9a-f]+)\s+(.*?)\s+\((.*)\)\s*$")
MAPPED = re.compile(r"PERF_RECORD_MMAP2? .*: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\]: "
                    r"\S*x\S* (\S+)$")


def available():
    """Returns whether perf is here and may be used."""
    if not shutil.which("perf"):
        return False
    with tempfile.TemporaryDirectory(prefix="iwarpsim-perf-") as folder:
        return subprocess.run(["perf", "record", "-e", "cpu-clock", "-o", f"{folder}/data", "true"],
                              capture_output=True, check=False).returncode == 0


def read(lines):
    """Counter of nanoseconds by (program, address in its file, function) from `perf script`'s lines."""
    maps = []
    samples = Counter()
    for line in lines:
        mapped = MAPPED.search(line)
        if mapped:
            start, size, offset = (int(text, 16) for text in mapped.groups()[:3])
            maps.append((start, start + size, offset, mapped.group(4)))
            continue
        sample = SAMPLE.match(line)
        if sample:
            address = int(sample.group(2), 16)
            program = sample.group(4)
            # The text of a program lies at the same place in its file as in its addresses.
            inside = next((address - start + offset for start, end, offset, name in maps
                           if start <= address < end and name == program), None)
            samples[program, inside, sample.group(3)] += int(sample.group(1))
    return samples


def source_files(program, addresses):
    """{address: source file} by the program's debug information; of inlined code the file where it was
    written."""
    text = "\n".join(f"{address:#x}" for address in addresses)
    lines = subprocess.run(["addr2line", "-e", program], input=text, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(addresses, (line.rsplit(":", 1)[0] for line in lines)))


def by_part(samples, program):
    """Counter of nanoseconds by part; `program` is the one whose source files are looked up."""
    files = source_files(program, sorted({inside for name, inside, _ in samples
                                          if name == program and inside is not None}))
    times = Counter()
    for (name, inside, function), nanoseconds in samples.items():
        if name.startswith("["):
            times["kernel"] += nanoseconds
        else:
            file = files.get(inside, "???") if name == program else "???"
            times[layers.part_of(name, file, function)] += nanoseconds
    return times


def measure(command):
    """Counter of nanoseconds by part of a run of `command` (a list, the program's path first)."""
    program = str(Path(command[0]).resolve())
    with tempfile.TemporaryDirectory(prefix="iwarpsim-perf-") as folder:
        data = f"{folder}/data"
        subprocess.run(["perf", "record", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S), "-o", data, program,
                        *command[1:]],
                       capture_output=True, check=True)
        lines = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso,period",
                                "--show-mmap-events"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
    return by_part(read(lines), program)
