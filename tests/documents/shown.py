# SPDX-License-Identifier: GPL-2.0-only
"""This finds whether the output that a page shows is what a command prints, and what it is to show
instead."""

import difflib
import re

REST = "…"  # alone on a line: any lines, none too; at the end of a line: whatever the line goes on with

# These vary from machine to machine, from day to day or from version to version: (pattern, what it becomes on
# both sides).
VARIES = [
    (r"(\S*\b(wall|cpu)_s) .*", r"\1 …"),  # times of the machine: metrics
    (r"\b20\d\d-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z)?)?", "DATE"),
    (r"\biwarpsim \d+\.\d+\.\d+\S*", "iwarpsim VERSION"),
    (r"\babout (\d+(:\d\d)+|\d+ s|\d+ min)( at -j \d+)?", "about TIME"),  # an estimate of a sweep's time
    (r"\((git )?([0-9a-f]{12}(-dirty)?|unknown)\)", r"(\1COMMIT)"),
]


def plain(line):
    for pattern, instead in VARIES:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


def same(shown, printed):
    """Returns whether a shown line stands for a printed one."""
    shown, printed = plain(shown), plain(printed)
    if shown.endswith(REST):
        return printed.startswith(shown.removesuffix(REST).rstrip())
    return shown == printed


def parts(shown):
    """The runs of lines between lines of REST."""
    found = [[]]
    for line in shown:
        if line.strip() == REST:
            found.append([])
        else:
            found[-1].append(line)
    return found


def matches(shown, printed):
    """Returns whether `shown` is `printed`, with what REST leaves out. Of the places for a part that is
    between two REST the first is right if any is."""
    first, *others = parts(shown)
    if not others:
        return len(shown) == len(printed) and all(map(same, shown, printed))
    last = others.pop()
    if len(first) + len(last) > len(printed):
        return False
    middle = printed[len(first):len(printed) - len(last)]
    if not all(map(same, first + last, printed[:len(first)] + printed[len(first) + len(middle):])):
        return False
    for part in others:
        place = next((at for at in range(len(middle) - len(part) + 1)
                      if all(map(same, part, middle[at:]))), None)
        if place is None:
            return False
        middle = middle[place + len(part):]
    return True


def likeness(shown, printed):
    """Returns from 0 to 1: whether they are one line with other numbers. What it begins with and its words
    count, numbers a little."""
    words = [re.findall(r"^\s*\S+|[^\W\d_][\w.]*", line) for line in (shown.removesuffix(REST), printed)]
    return 0.9 * difflib.SequenceMatcher(None, *words).ratio() + 0.1 * same(shown, printed)


def accept(shown, printed):
    """The lines to show instead: those of `printed` that are most like the shown ones, in order. A printed
    line that REST can stand for is left out, another is shown; a shown line that is like none is dropped."""
    if matches(shown, printed):
        return shown
    # best[i][j]: of shown[i:] and printed[j:], the likeness of the best pairs, and its first step.
    best = [[(0, "") for _ in range(len(printed) + 1)] for _ in range(len(shown) + 1)]
    for i in range(len(shown), -1, -1):
        rest = i < len(shown) and shown[i].strip() == REST
        for j in range(len(printed), -1, -1):
            steps = []
            if i < len(shown):
                steps.append((best[i + 1][j][0] - (0 if rest else 0.3), "drop"))
            if j < len(printed):
                steps.append((best[i][j + 1][0] - (0 if rest else 0.3), "skip" if rest else "show"))
            if i < len(shown) and j < len(printed) and not rest:
                steps.append((best[i + 1][j + 1][0] + likeness(shown[i], printed[j]) - 0.5, "pair"))
            if steps:
                best[i][j] = max(steps)
    i = j = 0
    found = []
    while step := best[i][j][1]:
        if step == "pair":
            cut = shown[i].endswith(REST) and len(printed[j]) >= len(shown[i])
            instead = printed[j][:len(shown[i]) - 1] + REST if cut else printed[j].rstrip()
            found.append(shown[i] if same(shown[i], printed[j]) else instead)
        elif step == "show":
            found.append(printed[j].rstrip())
        elif step == "drop" and shown[i].strip() == REST and found[-1:] != [shown[i]]:
            found.append(shown[i])
        i += step in ("pair", "drop")
        j += step in ("pair", "show", "skip")
    return found
