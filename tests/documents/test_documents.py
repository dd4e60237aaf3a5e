#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every command line of README.md, CONTRIBUTING.md and docs/*.md, run as printed, from top to bottom, in a
folder of its own that looks like the source tree. Every link of these and the other pages to a file of the
tree.

argv: the built iwarpsim, the source folder, "ns3" or "", and "long" to run everything in its full size. What
is not run as printed stands in REDUCED or in ELSEWHERE, with the reason."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
HAS_NS3, LONG = sys.argv[3] == "ns3", "long" in sys.argv[4:]
HAS_GNUPLOT = shutil.which("gnuplot") is not None
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]
LINKING_PAGES = [*PAGES, SOURCE / "CHANGELOG.md", SOURCE / "results/reference/README.md"]

# A block of indented lines is commands when its first line that is no comment begins with one of these.
COMMAND = re.compile(r"(build|build-fuzz|scripts|bench)/|(modprobe|mkdir|ninja|meson)\b")
# Blocks of something else: scenarios, output, tables, the layout of the folders.
OTHER = re.compile(r"#|[a-z]+ = |[a-z]+: \{|[0-9]|[{(|]|model/|million events|workload|[a-z_]+ +[0-9(]")

# (pattern, replacement): the same command, small; `long` runs it as it is.
REDUCED = [
    # Minutes; results/reference has what comes of them.
    (r"sweep (scenarios/\S+|bench/scenarios/.*)( && .*)?$", r"sweep \1 --list"),
    (r"(iwarpsim size .*)$", r"\1 --seeds 2 --precision 50%"),
    (r"(run bench/scenarios/.*)$", r"\1 --set run.stop=100us"),  # made to take seconds
]

# What is not run here at all. The program must be there, unless it is the system's.
ELSEWHERE = [
    (r"([A-Z_]+=\S+ )?scripts/(demo|test|fuzz)\.sh|scripts/(mutants|instructions)|bench/run",
     "takes minutes: scripts/test.sh runs them"),
    (r"build/bench/|ninja -C build bench/", "measures this machine: bench/run runs them"),
    (r"meson setup build |ninja -C build iwarpsim", "scripts/setup.sh runs them"),
    (r"build-fuzz/|mkdir /tmp/new|rm -r fuzz/corpus", "needs a build with libFuzzer: scripts/fuzz.sh"),
    (r"(modprobe|rdma|ethtool|tcpdump|rping) ", "needs two hosts and root"),
    (r"perf ", "needs the kernel's counters"),
]

# Commands whose page tells that they do not end well.
EXIT_CODES = {"run scenarios/path-mtu-change.cfg --set receiver.memory=0": 1}  # the deadlock that it shows


def blocks(page):
    """The blocks of indented lines of a page, continued lines joined."""
    fenced = False
    lines = []
    for line in [*page.read_text().splitlines(), ""]:
        fenced = fenced != line.startswith("```")
        if line.startswith("    ") and not fenced:
            lines.append(line[4:])
        elif lines:
            yield "\n".join(lines).replace("\\\n", " ").splitlines()
            lines = []


def commands(page):
    for block in blocks(page):
        lines = [line for line in block if not line.startswith("# ")]
        if lines and COMMAND.match(lines[0]):
            yield from (re.split(r"\s+# ", line)[0] for line in lines)
        else:
            assert OTHER.match(block[0].strip()), f"{page.name}: is this a command? {block[0]}"


def block_with(page, start):
    """The block that begins with `start`: a scenario."""
    return next("\n".join(block) for block in blocks(page) if block[0].startswith(start)) + "\n"


def dead_links():
    """The links of the pages to files that are not there."""
    for page in LINKING_PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.name}: {target} is not there"


def shell(folder, command):
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                          env=os.environ | {"HOME": str(folder)})


def prepare(folder):
    """The tree as a reader has it after the build, with the scenario of README.md and the captures that the
    pages speak of."""
    (folder / "build").mkdir()
    (folder / "build" / "iwarpsim").symlink_to(PROGRAM)
    (folder / "scripts").mkdir()
    for name in ["scenarios", "bench", "scripts/wireshark"]:
        (folder / name).symlink_to(SOURCE / name)
    scenario = block_with(PAGES[0], "# my.cfg")
    study = block_with(PAGES[0], "sweep = (")
    if not LONG:
        study = study.replace("to = 10;", "to = 2;")
    # Two of the axes are keys that the scenario has a value for; a sweep overrides it.
    (folder / "my.cfg").write_text(scenario + study)
    # A capture with no startup frames stands for one from the middle; another, for one of a real host.
    for name, sets in [("mid.pcap", "mpa.generation=rdmac"), ("siw.pcapng", "mpa.generation=rfc"),
                       ("FILE", "mpa.generation=rfc")]:
        made = shell(folder, f"build/iwarpsim run my.cfg --quiet --pcap --out made --set {sets} &&"
                             f" mv made/receiver.pcap {name}")
        assert made.returncode == 0, made.stderr


def run(folder, page, command):
    """Runs one command; what is wrong with it, or None."""
    for pattern, reason in ELSEWHERE:
        if re.match(pattern, command):
            program = next(word for word in command.split() if "=" not in word)
            there = not program.startswith(("scripts/", "bench/")) or (SOURCE / program).exists()
            return None if there else f"{page.name}: {program} is not there ({reason})"
    if not HAS_NS3 and re.search(r"=ns3|topology\.", command):
        return None
    if not HAS_GNUPLOT and re.search(r" (plot|report|size) ", command):
        return None
    small = command
    for pattern, replacement in REDUCED:
        small = small if LONG else re.sub(pattern, replacement, small)
    expected = next((code for part, code in EXIT_CODES.items() if part in command), 0)
    done = shell(folder, small)
    print(f"{page.name}: {small}: {done.returncode}")
    if done.returncode == expected:
        return None
    return f"{page.name}: {small}: exit {done.returncode}, not {expected}: {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        found = [(page, command) for page in PAGES for command in commands(page)]
        assert len(found) > 60, f"only {len(found)} commands were found"
        wrong = [problem for page, command in found
                 if (problem := run(folder, page, command.replace("NAME", "idle")))]
    wrong.extend(dead_links())
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
