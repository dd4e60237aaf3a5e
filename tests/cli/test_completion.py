# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what bash, zsh and fish complete of an iwarpsim command line, asked of the shells
themselves: bash and zsh in a terminal, with a key that inserts everything that the word may become."""
import os
import pty
import shutil
import unittest
from pathlib import Path

import program_kit as kit

MADE = Path(os.environ["BUILD"]) / "scripts"
FILES = ["a.cfg", "b.sqlite", "c.pcap", "d.trace", "e.txt"]
# This is what is typed, and what its last word may become.
CASES = {
    "r": ["replay", "report", "run"],
    "--v": ["--version"],
    "run --pc": ["--pcap", "--pcap-hosts"],
    "merge -": ["-V", "-h", "-o", "-q", "--help", "--mix", "--output", "--quiet", "--version"],
    "run --set run.eng": ["run.engine="],
    "run --set run.engine=": ["run.engine=auto", "run.engine=native", "run.engine=ns3"],
    "run -s mpa.markers=t": ["mpa.markers=true"],
    "run --set=receiver.mode=o": ["--set=receiver.mode=out-of-order"],
    "run --engine=n": ["--engine=native", "--engine=ns3"],
    "run ": ["a.cfg", "sub"],
    "run a": ["a.cfg"],
    "run scenarios/one-loss-m": ["scenarios/one-loss-markers.cfg", "scenarios/one-loss-middlebox.cfg"],
    "check a.cfg --set theory.k": ["theory.k2="],
    "sweep a.cfg --until goodput": ["goodput_bit_per_s="],
    "size a.cfg --keep goodput": ["goodput_bit_per_s"],
    "size a.cfg --key receiver.mem": ["receiver.memory"],
    "table ": ["b.sqlite", "sub"],
    "table b.sqlite --metric mpa.crc": ["mpa.crc_errors"],
    "plot b.sqlite --what he": ["heat-map"],
    "plot b.sqlite --format ": ["pdf", "png", "svg", "term"],
    "plot b.sqlite --series run.seed,path.forward.mt": ["run.seed,path.forward.mtu"],
    "plot ": ["b.sqlite", "d.trace", "sub"],
    "decode ": ["c.pcap", "sub"],
    "decode c.pcap --time a": ["absolute"],
    "run a.cfg --out ": ["sub"],
    "export b.sqlite --csv=e": ["--csv=e.txt"],
    "help exp": ["explain", "explain-peak", "export"],
    "new one-loss-m": ["one-loss-markers", "one-loss-middlebox"],
    "explain hel": ["held"],
    "explain FPDU": ["FPDU", "FPDUPTR"],
    "explain fpdup": ["fpduptr"],
    "explain receiver.mem": ["receiver.memory"],
    "explain bad-c": ["bad-crc"],
    "explain fau": ["fault", "fault.at", "fault.error", "fault.host", "fault.side", "faults"],
}
# The program, as these shells have it, prints its arguments.
SHOW = """iwarpsim() { printf '%s\\n' "$*" >>asked; }"""
SETUP = {
    "bash": f"source {MADE}/completions/iwarpsim; {SHOW}",
    "zsh": f"fpath=({MADE}/site-functions $fpath); autoload -Uz compinit; compinit -u -D; {SHOW}; "
           "bindkey '^T' complete-word; zstyle ':completion:*' insert true; "
           "zstyle ':completion:*' completer _all_matches _complete",
}


def in_terminal(command, lines):
    """Types `lines` in a shell that ends with them."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", "HOME": os.getcwd()})
    for line in lines:
        os.write(terminal, line.encode())
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # the shell's end of it is closed
        pass
    os.close(terminal)
    os.waitpid(pid, 0)


class Completion(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir("sub")
        for name in FILES:
            kit.write(name, "")

    def in_shell(self, *command, key):
        """Returns what the shell makes of CASES, with the key that inserts all candidates."""
        lines = [SETUP[command[0]], *(f"iwarpsim {typed}{key}" for typed in CASES), "unset HISTFILE; exit"]
        in_terminal(command, [f"{line}\n" for line in lines])
        answers = Path("asked").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(answers), len(CASES), answers)
        return dict(zip(CASES, answers))

    @unittest.skipIf(shutil.which("bash") is None, "bash is not installed")
    def test_bash(self):
        for typed, answer in self.in_shell("bash", "--norc", "--noprofile", "-i", key="\x1b*").items():
            before, word = typed.rpartition(" ")[::2]
            # Bash takes what is after "=" for a word of its own.
            head = word[:word.rfind("=") + 1]
            candidates = answer[len(before):].split()
            self.assertEqual(sorted([candidates[0]] + [head + other for other in candidates[1:]]),
                             sorted(CASES[typed]), typed)

    @unittest.skipIf(shutil.which("zsh") is None, "zsh is not installed")
    def test_zsh(self):
        for typed, answer in self.in_shell("zsh", "-f", "-i", key="\x14").items():
            before = typed.rpartition(" ")[0]
            self.assertEqual(sorted(answer[len(before):].split()), sorted(CASES[typed]), typed)

    @unittest.skipIf(shutil.which("fish") is None, "fish is not installed")
    def test_fish(self):
        kit.write("ask.fish", f"source {MADE}/vendor_completions.d/iwarpsim.fish\n" +
                  "".join(f"complete -C 'iwarpsim {typed}'; echo ==\n" for typed in CASES))
        answers = self.shell("fish --no-config ask.fish", HOME=f"{self.folder}/sub").stdout.split("==\n")
        for (typed, expected), answer in zip(CASES.items(), answers):
            found = [line.split("\t")[0].rstrip("/") for line in answer.splitlines()]
            self.assertEqual(sorted(found), sorted(expected), typed)
