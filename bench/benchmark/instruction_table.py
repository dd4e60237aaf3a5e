# SPDX-License-Identifier: GPL-2.0-only
"""This is bench/instructions.tsv: instructions of a data segment, by case and part of the program; what grew
since it was written.

Only code that runs the same on every processor is in it (layers.LAYERS and layers.OUTSIDE). Code that is
chosen for the processor, CRC, copies and comparisons, is in it by its calls, in columns that end with
`calls`.
"""

from collections import Counter, namedtuple

from . import callgrind, layers

PARTS = layers.LAYERS + layers.OUTSIDE
CALLS = tuple(f"{part} calls" for part in ("crc", "copy", "compare", "fill"))
COLUMNS = ("total",) + PARTS + CALLS
GROWTH_ALLOWED = 0.02
# Growth by less than this many instructions, or calls, is none: a share of nearly nothing shows nothing.
LEAST_GROWTH = {"total": 10.0, "calls": 0.05}

Growth = namedtuple("Growth", "case column old new parts")


def row_of(counts):
    """The row of a case from its callgrind.Counts per segment: {column: value}."""
    sums = callgrind.by_part(counts.instructions)
    row = {part: sums[part] for part in PARTS}
    row["total"] = sum(row.values())
    row.update({f"{part} calls": counts.calls[part] for part in layers.TOUCHING if f"{part} calls" in CALLS})
    return row


def _shown(column, value):
    return f"{value:.2f}" if column in CALLS else f"{round(value)}"


def text_of(rows, made_with):
    """The file: `rows` is {case: row}."""
    lines = ["# Instructions (and calls) per data segment and half an acknowledgement; "
             "scripts/instructions --accept writes it.",
             f"# made with: {made_with}", "\t".join(("case",) + COLUMNS)]
    lines += ["\t".join([case] + [_shown(column, row[column]) for column in COLUMNS])
              for case, row in rows.items()]
    return "\n".join(lines) + "\n"


def parse(text):
    """(rows, what they were made with). ValueError when the text is no such table."""
    made_with = ""
    rows = {}
    header = None
    for line in text.splitlines():
        fields = line.split("\t")
        if line.startswith("#"):
            made_with = line.partition("made with: ")[2] or made_with
        elif header is None:
            header = fields
            if header != ["case", *COLUMNS]:
                raise ValueError("its columns are not those of this program: "
                                 "scripts/instructions --accept writes it anew")
        elif len(fields) != len(header):
            raise ValueError(f"a row of {len(fields)} fields, not {len(header)}: {line}")
        else:
            rows[fields[0]] = dict(zip(COLUMNS, map(float, fields[1:])))
    return rows, made_with


def _grew(column, old, new):
    least = LEAST_GROWTH["calls" if column in CALLS else "total"]
    return new > old * (1 + GROWTH_ALLOWED) and new - old > least


def growths(old_rows, new_rows):
    """Every case whose total, or calls, grew by more than GROWTH_ALLOWED, with the parts that grew, the worst
    first. A case that only one of the two has is a ValueError: the table is then not that of this program."""
    if old_rows.keys() != new_rows.keys():
        odd = ", ".join(sorted(old_rows.keys() ^ new_rows.keys()))
        raise ValueError(f"only in the table or only measured: {odd}; "
                         "scripts/instructions --accept writes it anew")
    found = []
    for case, new in new_rows.items():
        old = old_rows[case]
        parts = Counter({part: new[part] - old[part] for part in PARTS if new[part] - old[part] >= 1})
        found += [Growth(case, column, old[column], new[column],
                         parts.most_common() if column == "total" else [])
                  for column in ("total",) + CALLS if _grew(column, old[column], new[column])]
    return found


def told(growth):
    """A Growth in words."""
    if growth.column in CALLS:
        share = f" ({growth.new / growth.old - 1:+.1%})" if growth.old else ""
        return f"{growth.case}: {growth.column} {growth.old:.2f} -> {growth.new:.2f} a segment{share}"
    parts = ", ".join(f"{part} {difference:+.0f}" for part, difference in growth.parts)
    return (f"{growth.case}: {growth.old:.0f} -> {growth.new:.0f} instructions a segment "
            f"({growth.new / growth.old - 1:+.1%}): {parts or 'nothing by itself'}")


def fallen(old_rows, new_rows):
    """The cases whose total fell by more than what growth is allowed: the table may keep that."""
    return [case for case, new in new_rows.items()
            if case in old_rows and new["total"] < old_rows[case]["total"] * (1 - GROWTH_ALLOWED)]
