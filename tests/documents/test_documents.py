#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests run every command line of README.md, CONTRIBUTING.md and docs/*.md, run as printed, from the
top of its page to the bottom, in a folder of the page's own that looks like the source tree; and what it
prints, compared with what the page shows. Every link of these and the other pages to a file of the tree.

    tests/documents/test_documents.py                          all pages, with build/iwarpsim
    tests/documents/test_documents.py plots.md README.md       these pages
    tests/documents/test_documents.py --accept [PAGE...]       writes what is printed now into the pages
    tests/documents/test_documents.py --long                   everything in its full size

How a page is written (pages.py, shown.py):

  commands    a block ```sh, or an indented one that begins with a program of ours. Lines that begin with
              `# `, and what follows `  # `, are comments. Each command has a shell of its own, in the top
              folder of the source. A backslash continues a line; a here document may follow.
  output      a block ```text, or an indented one, after prose or after an empty line below the commands. It
              is what the last command above it prints, line by line; `…` alone on a line stands for any
              lines, at the end of a line for what the line goes on with. What depends on machine and time is
              recognised by the patterns of VARIES (shown.py).
  files       a block whose first line is `# my.cfg` or `# my.cfg: what it is` is written to my.cfg at this
              point; with `# my.cfg, continued` it is added to it.
  pictures    of the page's own folder (plots/x.svg of plots.md): a command of the page makes a file of the
              same name and contents.

Blocks in other languages, statements of a scenario without a file's name, and the like are no output
(SNIPPET). Every page finds a my.cfg, that of README.md, and the captures mid.pcap, siw.pcapng and FILE. What is not run
as printed stands in REDUCED or in ELSEWHERE, with the reason; its output is not compared."""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pages
import shown

HERE = Path(__file__).resolve().parents[2]
HAS_GNUPLOT = shutil.which("gnuplot") is not None

# Each row is (pattern, replacement): the same command, small; --long runs it as it is.
REDUCED = [
    # Minutes; results/reference has what comes of them.
    (r"sweep (scenarios/\S+|bench/scenarios/.*)( && .*)?$", r"sweep \1 --list"),
    (r"(iwarpsim size scenarios/.*)$", r"\1 --seeds 2 --precision 50%"),
    (r"(run bench/scenarios/.*)$", r"\1 --set run.stop=100us"),  # made to take seconds
]

# These are not run here at all. The program must be there, unless it is the system's.
ELSEWHERE = [
    (r"([A-Z_]+=\S+ )?scripts/(demo|test|fuzz|package)\.sh|scripts/(mutants|instructions|graph-cost|pgo)|bench/(run|captures)",
     "takes minutes: scripts/test.sh runs them"),
    (r"build/bench/|ninja -C build bench/", "measures this machine: bench/run runs them"),
    (r"apt(-get)? ", "installs packages: scripts/package.sh --try does so in a Debian of its own"),
    (r"meson setup build |ninja -C build iwarpsim|scripts/setup\.sh", "was done before this test"),
    (r"meson (setup|install -C) build-install|ninja -C build-install", "tests/cli/test_install.py installs"),
    (r"build-fuzz/|mkdir /tmp/new|rm -r fuzz/corpus", "needs a build with libFuzzer: scripts/fuzz.sh"),
    (r"(modprobe|rdma|ethtool|tcpdump|rping) ", "needs two hosts and root"),
    (r"perf ", "needs the kernel's counters"),
    (r"sqlite3 .* results/mtu-loss\.sqlite", "a sweep of minutes: tests/study/store/test_store_readers.py"),
    (r"sbatch|squeue", "needs Slurm: tests/survival/test_slurm.py runs scripts/sweep.sbatch"),
]

# Commands whose page states that they do not end well.
EXIT_CODES = {"run scenarios/path-mtu-change.cfg --set receiver.memory=0": 1}  # the deadlock that it shows


def arguments():
    parser = argparse.ArgumentParser(description="Runs the commands of the documents.")
    parser.add_argument("--program", type=Path, default=HERE / "build/iwarpsim")
    parser.add_argument("--source", type=Path, default=HERE)
    parser.add_argument("--without-ns3", action="store_true", help="leave out what needs it")
    parser.add_argument("--sanitized", action="store_true", help="leave out ns3.md, whose programs are not")
    parser.add_argument("--long", action="store_true", help="run everything in its full size")
    parser.add_argument("--accept", action="store_true", help="write what is printed into the pages")
    parser.add_argument("pages", nargs="*", help="names of pages; default: all")
    return parser.parse_args()


OPTIONS = arguments()
PROGRAM, SOURCE = OPTIONS.program.resolve(), OPTIONS.source.resolve()
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md",
         *(page for page in sorted((SOURCE / "docs").glob("*.md")) if ".template" not in page.name)]
LINKING_PAGES = [*PAGES, SOURCE / "CHANGELOG.md", SOURCE / "results/reference/README.md"]


def headings(page):
    """The headings of a page as links name them."""
    found = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def dead_links():
    """The links of the pages to files, and to headings of pages, that are not there."""
    for page in LINKING_PAGES:
        for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            linked = page.parent / target if target else page
            if not linked.exists():
                yield f"{page.name}: {target} is not there"
            elif heading and heading not in headings(linked):
                yield f"{page.name}: {target}#{heading} is not there"


def picture(path):
    """A picture (SVG), but for the version and the commit in its subtitle. None: it was made from a tree
    without a commit of its own, whose longer or shorter name moves everything below."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if re.search("-dirty|unknown", text):
        return None
    return [shown.plain(re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", line)) for line in text.splitlines()]


def unlisted():
    """The pages of docs/ that neither docs/README.md, for users, nor CONTRIBUTING.md, for the others, leads
    to; and those for the others to which docs/README.md leads."""
    listed = {path for index in (SOURCE / "docs/README.md", SOURCE / "CONTRIBUTING.md")
              for path in re.findall(r"([\w.-]+\.md)[)#]", index.read_text())}
    others = re.search(r"MAINTAINERS = \{([^}]*)\}", (SOURCE / "scripts/manual").read_text())[1]
    index = (SOURCE / "docs/README.md").read_text()
    return [*(f"{page.name}: docs/README.md does not list it" for page in PAGES[2:] if page.name not in listed),
            *(f"docs/README.md: {name} is not for users" for name in re.findall(r"[\w.-]+\.md", others) if f"({name}" in index)]


class Page:
    """One page, followed from its top in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.wrong = []
        self.log = []
        self.counts = {"commands": 0, "output": 0, "pictures": 0}
        self.printed = None  # by the last command; None: it was not run as printed
        self.blocks = list(pages.blocks(path.read_text()))
        self.renewed = []  # (block, the lines to show instead)

    def shell(self, command):
        environment = os.environ | {"HOME": str(self.folder), "IWARPSIM_MODULES": str(PROGRAM.parent),
                                    "IWARPSIM_DATA": str(SOURCE / "scenarios"),
                                    "LC_ALL": "C.UTF-8", "COLUMNS": "",
                                    # For ns-3 programs, as after an installation.
                                    "PKG_CONFIG_PATH": str(PROGRAM.parent / "meson-uninstalled"),
                                    "LD_LIBRARY_PATH": str(PROGRAM.parent / "shim/host")}
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        done.stdout = done.stdout.replace(f"{self.folder}/", "")
        # A sweep prints this of its progress, on a machine that is busy enough.
        done.stdout = re.sub(r"(?m)^\d+ of (at least )?\d+ runs done.*\n", "", done.stdout)
        return done

    def write(self, block):
        """Writes a file that the page shows, or adds to it."""
        name, continued = pages.FILE.match(block.lines[0]).groups()
        with open(self.folder / name, "a" if continued else "w", encoding="utf-8") as file:
            file.write(block.text())

    def prepare(self):
        """The tree as a reader has it after the build, with the scenario of README.md and the captures that
        the pages speak of."""
        self.folder.mkdir()
        (self.folder / "build").mkdir()
        (self.folder / "build" / "iwarpsim").symlink_to(PROGRAM)
        (self.folder / "scripts").mkdir()
        for name in ["scenarios", "bench", "examples", "scripts/wireshark", "scripts/sweep.sbatch"]:
            (self.folder / name).symlink_to(SOURCE / name)
        for block in pages.blocks(PAGES[0].read_text()):
            if block.kind == "file":
                self.write(block)
        # A capture with no startup frames stands for one from the middle; another, for one of a real host.
        for name, sets in [("mid.pcap", "mpa.generation=rdmac"), ("siw.pcapng", "mpa.generation=rfc"),
                           ("FILE", "mpa.generation=rfc")]:
            made = self.shell(f"build/iwarpsim run my.cfg --quiet --pcap --out made --set {sets} &&"
                              f" mv made/receiver.pcap {name}")
            assert made.returncode == 0, made.stdout
        shutil.rmtree(self.folder / "made")

    def run(self, command):
        """Runs one command."""
        self.printed = None
        self.wrong += [f"{command}: {word} must be quoted for zsh" for word in pages.unquoted(command)]
        for pattern, reason in ELSEWHERE:
            if re.match(pattern, command):
                program = next(word for word in command.split() if "=" not in word)
                if program.startswith(("scripts/", "bench/")) and not (SOURCE / program).exists():
                    self.wrong.append(f"{program} is not there ({reason})")
                return
        if OPTIONS.without_ns3 and re.search(r"=ns3|topology\.", command):
            return
        if not HAS_GNUPLOT and re.search(r" (plot|report|size) ", command):
            return
        small = command
        for pattern, replacement in REDUCED:
            small = small if OPTIONS.long else re.sub(pattern, replacement, small)
        expected = next((code for part, code in EXIT_CODES.items() if part in command), 0)
        begin = time.monotonic()
        done = self.shell(small)
        self.log.append(f"{time.monotonic() - begin:6.2f} s  {self.path.name}: {small}: {done.returncode}")
        self.counts["commands"] += 1
        if done.returncode == expected:
            self.printed = self.as_seen(command, done.stdout) if small == command else None
        else:
            self.wrong.append(f"{small}: exit {done.returncode}, not {expected}: {done.stdout}")

    @staticmethod
    def as_seen(command, text):
        """The lines of what a command printed; sentences as in a terminal of 100 columns, where they are
        wrapped."""
        lines = text.splitlines()
        if "explain-peak" in command:
            lines = [part for line in lines for part in textwrap.wrap(line, 100) or [""]]
        return lines

    def compare(self, block, command):
        """Compares what a block shows with what the last command printed."""
        if command is None:
            self.wrong.append(f"line {block.first + 1}: is this a command, or an output without one?")
            return
        if self.printed is None:
            return
        self.counts["output"] += 1
        renewed = shown.accept(block.lines, self.printed)
        if renewed == block.lines:
            return
        self.renewed.append((block, renewed))
        lines = difflib.unified_diff(block.lines, renewed, "shown", "printed", lineterm="", n=1)
        difference = "\n".join(lines)
        self.wrong.append(f"line {block.first + 1}: {command} prints something else:\n{difference}")

    def follow(self):
        """Does what the page tells the reader to do."""
        self.prepare()
        command = None
        for block in self.blocks:
            if block.kind == "file":
                self.write(block)
            elif block.kind == "output":
                self.compare(block, command)
            elif block.kind == "commands":
                for command in pages.commands(block):
                    self.run(command.replace("NAME", "idle"))
        self.compare_pictures()

    def compare_pictures(self):
        """Compares the pictures of the page's own folder with what its commands made."""
        if not HAS_GNUPLOT:
            return
        for target in re.findall(rf"!\[[^]]*\]\(({self.path.stem}/[^)\s]+)", self.path.read_text()):
            made = [path for path in self.folder.rglob(Path(target).name) if path.is_file()]
            kept = self.path.parent / target
            self.counts["pictures"] += 1
            if len(made) != 1:
                self.wrong.append(f"{target}: {len(made)} files of this name were made, not one")
            elif picture(made[0]) not in (None, picture(kept)):
                self.wrong.append(f"{target} is not the picture that a command of the page makes")
                if OPTIONS.accept:
                    kept.parent.mkdir(exist_ok=True)
                    shutil.copyfile(made[0], kept)

    def accept(self):
        """Writes what is printed into the page, and into what the page is made of."""
        lines = self.path.read_text().splitlines()
        sources = [*self.path.parent.glob(f"{self.path.name}.in"),
                   *self.path.parent.glob(f"{self.path.stem}.template.*")]
        for block, renewed in reversed(self.renewed):
            part = slice(block.first, block.first + len(block.lines))
            before = "\n".join(lines[part])
            lines[part] = [f"{block.indent}{line}".rstrip() for line in renewed]
            for source in sources:
                source.write_text(source.read_text().replace(before, "\n".join(lines[part]), 1))
        self.path.write_text("\n".join(lines) + "\n")


def main():
    with tempfile.TemporaryDirectory(prefix="iwarpsim-documents-") as name:
        named = [Path(page).name for page in OPTIONS.pages]
        chosen = [path for path in PAGES if not named or path.name in named]
        if OPTIONS.without_ns3 or OPTIONS.sanitized:
            chosen = [path for path in chosen if path.name != "ns3.md"]
        assert chosen, f"no such page: {OPTIONS.pages}"
        found = [Page(path, Path(name) / str(number)) for number, path in enumerate(chosen)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(Page.follow, found))
    wrong = [f"{page.path.name}: {problem}" for page in found for problem in page.wrong]
    counts = {what: sum(page.counts[what] for page in found) for what in found[0].counts}
    print("\n".join([*(line for page in found for line in page.log), str(counts)]))
    if not OPTIONS.pages:
        wrong.extend([*dead_links(), *unlisted()])
        assert counts["commands"] > 100 and counts["output"] > 20, f"only {counts} were found"
    print("\n".join(wrong))
    if OPTIONS.accept:
        for page in found:
            page.accept()
    sys.exit(1 if wrong else 0)


main()
