# SPDX-License-Identifier: GPL-2.0-only
"""This is what is derived from the numbers of a case, or of several, and the targets of the project. Nothing
here measures or prints."""

from collections import namedtuple
from statistics import median

from . import cases

# This is one target: what it is about, what it demands and what was measured in words, whether the median
# meets it.
Target = namedtuple("Target", "what demanded measured met")


class Samples:
    """This is what the turns of each case gave: {case: [{name: number} of each turn]}. What is derived from
    several cases is derived turn by turn: what disturbs the machine for a while then meets both sides of a
    ratio."""

    def __init__(self, by_case):
        self.by_case = by_case

    def has(self, *names):
        return all(self.by_case.get(name) for name in names)

    def of(self, function, *names):
        """function(numbers of the first case, of the second…) of each turn."""
        return [function(*numbers) for numbers in zip(*(self.by_case[name] for name in names))]

    def middle(self, function, *names):
        return median(self.of(function, *names))


# --- Numbers in words ---

def plain(digits):
    return lambda value: f"{value:,.{digits}f}"


def per_second(value):
    return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value / 1e3:.0f} k"


def megabytes(octets):
    return f"{octets / 1e6:.0f} MB"


def percent(value):
    return f"{value * 100:.1f} %"


def spread(values, shown):
    """The median, and lowest to highest when there are several."""
    text = shown(median(values))
    return text if len(values) == 1 else f"{text} ({shown(min(values))} to {shown(max(values))})"


# --- Names of cases ---

# Each number of connections has these cases: the short and the long run.
MARGINAL = {connections: tuple(f"marginal {connections} {messages}" for messages in cases.MARGINAL_MESSAGES)
            for connections in cases.MARGINAL_CONNECTIONS}
IDLE = tuple(f"idle {count}" for count in cases.IDLE_CONNECTIONS)


def link_case(what, link):
    return f"{what} {link.rate_bit_per_s} {link.delay_us}"


def sweep_cases(scenario):
    """The sweep, the loops beside it, the sweep that is looked at."""
    return tuple(f"{what} {scenario}" for what in ("sweep", "loops", "watched"))


DEFAULT_NATIVE, DEFAULT_NS3, DEFAULT_TCP = (link_case(what, cases.DEFAULT_LINK)
                                            for what in ("write native", "write ns3", "ns3-tcp"))


# --- What is derived ---

def speed(run):
    """Data segments that arrived at the Data Sink, by second of the event loop."""
    return run["tcp.segments"] / run["time.wall_s"]


def ns3_tcp_speed(run):
    return run["segments"] / run["wall_s"]


def events_per_s(run):
    return run["events"] / run["wall_s"]


def speed_ratio(ours, ns3_tcp):
    return speed(ours) / ns3_tcp_speed(ns3_tcp)


def wall(run):
    return run["process.wall_s"]


def wall_ms(run):
    return wall(run) * 1000


def memory(run):
    return run["process.memory_peak_octets"]


def idle_octets(fewer, more):
    """Growth of the peak memory from one number of idle pairs to the other, for one pair."""
    few, many = cases.IDLE_CONNECTIONS
    return (memory(more) - memory(fewer)) / (many - few)


def marginal_ns(short, long):
    """Returns what one more data segment costs: the difference of two lengths."""
    return (long["time.wall_s"] - short["time.wall_s"]) / (long["tcp.segments"] - short["tcp.segments"]) * 1e9


def marginal_cases(connections):
    """Returns what marginal_ratio() compares: one connection, and so many."""
    return (*MARGINAL[1], *MARGINAL[connections])


def marginal_ratio(one_short, one_long, many_short, many_long):
    return marginal_ns(many_short, many_long) / marginal_ns(one_short, one_long)


def children_share(sweep):
    """CPU time of a sweep's children, of all that it and they used."""
    return 1 - sweep["process.own_cpu_s"] / sweep["process.cpu_s"]


def both_busy_share(sweep):
    """Returns, of the looks at a sweep while there was work for two, those that saw two runs."""
    return sweep["process.looks_at_two"] / max(1, sweep["process.looks_before_end"])


def alone_at_end_s(sweep):
    return sweep["process.wall_s"] - sweep["process.last_two_s"]


def sweep_ratio(sweep, loops):
    """Above 1 the sweep is faster."""
    return wall(loops) / wall(sweep)


# --- The targets ---

def _sweep_targets(scenario):
    sweep, loops, _ = sweep_cases(scenario)
    name = scenario.rpartition("/")[2]
    return ((f"sweep {name} -j {cases.SWEEP_JOBS}: CPU time of its children, of all that it used", "≥", 0.97,
             percent, children_share,
             (sweep,)),
            ("… wall time of two independent processes ÷ its own", "≥", 0.95, plain(3), sweep_ratio,
             (sweep, loops)))


# A target has: what, whether at least (≥) or at most (≤), how much, how it is shown, from what.
TARGETS = (
    ("native, lossless bulk Write, segments/s", "≥", 2e6, per_second, speed, (DEFAULT_NATIVE,)),
    ("… ÷ ns-3's own TCP, same run", "≥", 40, plain(1), speed_ratio, (DEFAULT_NATIVE, DEFAULT_TCP)),
    ("native, 1 % loss, reordering, rechunking middlebox, segments/s", "≥", 1e6, per_second, speed,
     ("impaired native",)),
    ("engine ns3, lossless bulk Write, segments/s", "≥", 400e3, per_second, speed, (DEFAULT_NS3,)),
    ("… ÷ ns-3's own TCP, same run", "≥", 8, plain(1), speed_ratio, (DEFAULT_NS3, DEFAULT_TCP)),
    ("10,000 connections × 6 × 3333 octets at 1 Gbit/s, native, whole run, s", "≤", 2, plain(2), wall,
     ("connections",)),
    ("… peak memory", "≤", 300e6, megabytes, memory, ("connections",)),
    ("… one data segment more, ÷ the same with one connection", "≤", 3, plain(2), marginal_ratio,
     marginal_cases(10000)),
    ("… the same of 1,000 connections", "≤", 3, plain(2), marginal_ratio, marginal_cases(1000)),
    ("idle state of a connection pair, octets", "≤", 3500, plain(0), idle_octets, IDLE),
    ("100 Gbit/s, 1 s simulated, 8.1 M segments, native, whole run, s", "≤", 4.5, plain(2), wall,
     ("hundred-gigabit",)),
    *(target for scenario in cases.SWEEPS for target in _sweep_targets(scenario)),
    ("fixed cost of one run, start to result, ms", "≤", 15, plain(1), wall_ms, ("tiny",)),
)


def targets(samples):
    """Every target whose cases were run."""
    found = []
    for what, sign, limit, shown, function, names in TARGETS:
        if samples.has(*names):
            values = samples.of(function, *names)
            met = median(values) >= limit if sign == "≥" else median(values) <= limit
            found.append(Target(what, f"{sign} {shown(limit)}", spread(values, shown), met))
    return found
