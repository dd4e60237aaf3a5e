# SPDX-License-Identifier: GPL-2.0-only
"""These are the code blocks of a page: commands, what they print, and files that the reader writes."""

import re
import shlex
from dataclasses import dataclass

# An indented paragraph is commands when its first line that is no comment begins with one of these.
COMMAND = re.compile(r"(build|build-fuzz|scripts|bench)/|"
                     r"(modprobe|mkdir|ninja|meson|sbatch|sqlite3|python3)\b")
# One that begins so is neither commands nor what they print: statements of a scenario, the layout of folders.
SNIPPET = re.compile(r"[a-z]+ = |[a-z]+: \{|model/")
# The first line of a file names it; a part that is to be added to the file reads `# my.cfg, continued`.
FILE = re.compile(r"(?:#|//|/\*) ([\w.-]+\.\w+)(, continued)?(?=[:,]| \*/|$)")
KINDS = {"sh": "commands", "text": "output"}  # of fenced blocks, by their language


@dataclass
class Block:
    kind: str  # "commands", "output", "file" or "other"
    first: int  # index of its first line in the page
    lines: list  # without the indentation
    indent: str = ""

    def text(self):
        return "\n".join(self.lines) + "\n"


def kind_of(lines):
    """Returns what a paragraph of an indented block is."""
    code = [line for line in lines if not line.startswith("# ")]
    if code and COMMAND.match(code[0]):
        return "commands"
    if FILE.match(lines[0]):
        return "file"
    return "other" if SNIPPET.match(lines[0]) else "output"


def split(block):
    """An indented block by its paragraphs, joined again where one goes on with the file or the output."""
    found = []
    for number, line in enumerate(block.lines):
        if line and (number == 0 or not block.lines[number - 1]):
            end = next((i for i in range(number, len(block.lines)) if not block.lines[i]), len(block.lines))
            kind = kind_of(block.lines[number:end])
            if not found or kind == "commands" or found[-1].kind in ("commands", "other"):
                found.append(Block(kind, block.first + number, [], block.indent))
        found[-1].lines.append(line)
    for part in found:
        while not part.lines[-1]:
            part.lines.pop()
    return found


def blocks(text):
    """The blocks of a page, from top to bottom."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        first = at
        if lines[at].startswith("```"):
            end = lines.index("```", at + 1)
            found = Block(KINDS.get(lines[at][3:], "other"), at + 1, lines[at + 1:end])
            if found.kind == "other" and found.lines and FILE.match(found.lines[0]):
                found.kind = "file"
            yield found
            at = end + 1
        elif lines[at].startswith("    "):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
                at += 1
            yield from split(Block("", first, [line[4:] for line in lines[first:at]], "    "))
        else:
            at += 1


def is_open(line):
    """Returns whether the shell would wait for the end of a quotation."""
    try:
        return not shlex.split(line)
    except ValueError:
        return True


def unquoted(command):
    """The words outside quotations that zsh takes for patterns of file names, and so refuses: those with brackets,
    and with * or ? in what is set."""
    plain = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", "", command.partition("<<")[0])
    return re.findall(r"\S*(?:[][]|=\S*[*?])\S*", plain)


def commands(block):
    """The commands of a block: without comments; one that goes on after a backslash as one line, one with a
    quotation or a here document of several lines as several."""
    lines = iter(block.lines)
    for line in lines:
        if not line or line.startswith("# "):
            continue
        line = re.split(r"\s+# ", line)[0]
        while line.endswith("\\"):
            line = line[:-1] + re.split(r"\s+# ", next(lines).lstrip())[0]
        while is_open(line):
            line += "\n" + next(lines)
        document = re.search(r"<<'?(\w+)'?", line)
        while document and not line.endswith("\n" + document[1]):
            line += "\n" + next(lines)
        yield line
