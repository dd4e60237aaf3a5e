# SPDX-License-Identifier: GPL-2.0-only
"""Makes Markdown of what the cases of bench/run gave."""

from . import cases, figures, layers
from .figures import megabytes, per_second, percent, plain, spread


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def code(*commands):
    return [*(f"    {command}".rstrip() for command in commands), ""]


def section(title, text, commands, head, rows):
    """A heading, what is to be said, the commands that give one of the figures, the table; nothing when
    nothing of it was run."""
    return [f"### {title}", "", text, *code(*commands), *table(head, rows)] if rows else []


def target_section(samples):
    rows = [(row.what, row.demanded, row.measured, "yes" if row.met else "**no**")
            for row in figures.targets(samples)]
    return ["### Targets", "", *table(("what", "target", "measured", "met"), rows)] if rows else []


LINK_TEXT = """\
Data segments a second of the event loop, MTU 1500, lossless. Ours: 64 KiB Writes with markers and CRC, every
octet placed and compared with what was sent. ns-3's: a bulk transfer of octets that nobody looks at, in
segments of the same 1460 octets, CUBIC and SACK as ours, both buffers as large as our receive window
(`tcp.receive_window = auto`). **The ratio** of this project is that of the first row, of the path that
scenarios have by default. On longer and faster links the window grows and ns-3's TCP becomes slower with it:
the other rows say more about it than about us.
"""


def link_section(samples):
    rows = []
    for link in cases.LINKS:
        tcp, ns3, native = (figures.link_case(what, link)
                            for what in ("ns3-tcp", "write ns3", "write native"))
        if samples.has(tcp, ns3, native):
            rows.append((f"{link.rate_bit_per_s / 1e9:.0f} Gbit/s, {link.delay_us} µs",
                         f"{cases.receive_window_octets(link):,}",
                         spread(samples.of(figures.ns3_tcp_speed, tcp), per_second),
                         spread(samples.of(figures.speed, ns3), per_second),
                         spread(samples.of(figures.speed, native), per_second),
                         spread(samples.of(figures.speed_ratio, ns3, tcp), plain(1)),
                         spread(samples.of(figures.speed_ratio, native, tcp), plain(1))))
    link = cases.DEFAULT_LINK
    arguments = (cases.NS3_TCP_OCTETS, link.rate_bit_per_s, link.delay_us, cases.receive_window_octets(link))
    commands = ("build/iwarpsim run bench/scenarios/bulk-write.cfg --engine native"
                "   # or ns3; tcp.segments / time.wall_s",
                "build/bench/bench_ns3_tcp " + " ".join(map(str, arguments)))
    return section("Beside ns-3's own TCP on the same link", LINK_TEXT, commands,
                   ("link, delay each way", "window, octets", "ns-3's own TCP /s", "engine ns3 /s",
                    "engine native /s", "**ns3 ÷ TCP**", "**native ÷ TCP**"), rows)


SCENARIOS = {figures.DEFAULT_NATIVE: "bulk-write, native", figures.DEFAULT_NS3: "bulk-write, ns3",
             "impaired native": "bulk-write-impaired, native", "impaired ns3": "bulk-write-impaired, ns3",
             "connections": "connections, native", figures.MARGINAL[10000][0]: "connections-patient, native",
             "hundred-gigabit": "hundred-gigabit, native", figures.IDLE[1]: "idle, native"}
SCENARIO_TEXT = """\
Segments are payload segments that arrived at the Data Sink (`tcp.segments`). Speed is by the event loop's
time (`time.wall_s`); the whole run has its start and its result in it. Memory is the peak of the process
(`ru_maxrss`).
"""


def scenario_section(samples):
    rows = [(label, f"{samples.middle(lambda run: run['tcp.segments'], name):,.0f}",
             spread(samples.of(figures.speed, name), per_second),
             spread(samples.of(figures.wall, name), plain(2)),
             megabytes(samples.middle(figures.memory, name)))
            for name, label in SCENARIOS.items() if samples.has(name)]
    return section("The scenarios of the targets", SCENARIO_TEXT,
                   ("build/iwarpsim run bench/scenarios/NAME.cfg",),
                   ("scenario, engine", "segments", "segments/s", "whole run, s", "peak memory"), rows)


def grid_section(samples):
    rows = [(loss, mtu, f"{connections:,}", *_grid_cells(samples, loss, mtu, connections))
            for loss in cases.LOSSES for mtu in cases.MTUS for connections in cases.CONNECTIONS
            if samples.has(f"grid native {loss} {mtu} {connections}")]
    sets = " ".join(f"--set {key}={value}"
                    for key, value in cases.grid_sets("native", "1%", 1500, 100).items())
    text = (f"{cases.GRID_MESSAGES:,} Writes of {cases.GRID_MESSAGE_OCTETS:,} octets, over all connections "
            "together, at 10 Gbit/s and 25 µs.\n"
            "Speed is data segments a second of the event loop; memory is the peak of the process.\n")
    return section("Loss, MTU, connections", text,
                   (f"build/iwarpsim run bench/scenarios/bulk-write.cfg {sets}",),
                   ("loss", "MTU", "connections", "native /s", "native memory", "ns3 /s", "ns3 memory"), rows)


def _grid_cells(samples, loss, mtu, connections):
    for engine in cases.ENGINES:
        name = f"grid {engine} {loss} {mtu} {connections}"
        if samples.has(name):
            yield spread(samples.of(figures.speed, name), per_second)
            yield megabytes(samples.middle(figures.memory, name))
        else:
            yield from ("", "")


IDLE_TEXT = """\
An idle pair (both ends, and all that the simulator keeps of them) costs {pair} octets: the growth of the
process's peak memory from {few:,} to {many:,} connections that are established, have carried one Send of one
octet and wait, divided by their difference. The heap, what its allocator needs itself, and what is left
unused are in it.
"""
MARGINAL_TEXT = """\
What one more data segment costs: {long} messages of 3333 octets from each of {connections:,} connections, less
the run with {short}; and fewer connections with as many messages in all. Time-outs are long in these runs, so
that nothing is sent twice and the segments are the same.
"""


def connection_section(samples):
    if not samples.has(*figures.IDLE, *(name for names in figures.MARGINAL.values() for name in names)):
        return []
    few, many = cases.IDLE_CONNECTIONS
    short, long = cases.MARGINAL_MESSAGES
    most = max(cases.MARGINAL_CONNECTIONS)
    rows = [(f"{connections:,}", spread(samples.of(figures.marginal_ns, *figures.MARGINAL[connections]), plain(0)),
             spread(samples.of(figures.marginal_ratio, *figures.marginal_cases(connections)), plain(2)))
            for connections in cases.MARGINAL_CONNECTIONS]
    pair = spread(samples.of(figures.idle_octets, *figures.IDLE), plain(0))
    return ["### Connections", "", IDLE_TEXT.format(pair=pair, few=few, many=many),
            *code("build/iwarpsim run bench/scenarios/idle.cfg"
                  f" --set workload.connections={few}   # and {many}"),
            MARGINAL_TEXT.format(connections=most, long=long, short=short),
            *code("build/iwarpsim run bench/scenarios/connections-patient.cfg"
                  f" --set workload.messages={long}   # and {short}",
                  "build/iwarpsim run bench/scenarios/connections-patient.cfg --set workload.connections=1000"
                  f" --set workload.messages={long * most // 1000}   # and {short * most // 1000}"),
            *table(("connections", "one more segment, ns", "÷ one connection"), rows)]


SWEEP_TEXT = """\
Two sweeps with two runs at a time: of long runs, and of short ones, where what starting a run costs shows.
Beside each the same runs without it: two loops of a shell at once, each of which starts `iwarpsim run` for
every second point. Two processes on one machine share its memory and its caches, so that even independent
ones may not gain a factor of two. A sweep forks a process for each run; the rest is
the sweep itself: the grid, the store, what it prints. In a sweep of its own somebody looks every 5 ms how
many runs are at work; the share is of the looks up to the last that saw two, after which there is work for
one. It has no target: a look may fall between two runs, so the shorter they are the smaller it is.
"""


def sweep_section(samples):
    rows = []
    for scenario in cases.SWEEPS:
        sweep, loops, watched = names = figures.sweep_cases(scenario)
        if samples.has(*names):
            rows.append((f"`{scenario}`", spread(samples.of(figures.wall, sweep), plain(2)),
                         spread(samples.of(figures.wall, loops), plain(2)),
                         spread(samples.of(figures.sweep_ratio, sweep, loops), plain(3)),
                         spread(samples.of(figures.children_share, sweep), percent),
                         spread(samples.of(figures.both_busy_share, watched), percent),
                         spread(samples.of(figures.alone_at_end_s, watched), plain(2))))
    command = f"build/iwarpsim sweep {cases.SWEEPS[0]} -j {cases.SWEEP_JOBS} --set run.engine=native"
    return section("Sweeps", SWEEP_TEXT, (command,),
                   ("sweep", "sweep, s", "two processes, s", "**two processes ÷ sweep**",
                    "CPU time of the children",
                    "looks that saw two runs at work", "one run alone at the end, s"), rows)


def engine_section(samples):
    rows = []
    for timers in cases.TIMERS:
        names = [f"events {engine} {timers}" for engine in cases.ENGINES]
        if samples.has(names[0]):
            rows.append((f"{timers:,}",
                         *(spread(samples.of(figures.events_per_s, name), per_second)
                           if samples.has(name) else "" for name in names)))
    text = ("Events a second: timers that arm themselves again, each with a period of its own, "
            "and nothing else.\n")
    return section("Bare events of the engines", text,
                   (f"build/bench/bench_engine native 100 {cases.EVENTS}   # or ns3",),
                   ("timers", "native /s", "ns3 /s"), rows)


MEMORY_TEXT = """\
What touching the octets of one segment costs, in ns: the payload is copied into a flat FPDU of 1456 octets,
which gets its CRC, waits in flight, is checked by its CRC, copied to its place, and compared there with what
was sent. Nothing that verifies every octet can be faster than the last column. The single steps, each over
and over in the same memory, need not sum to the whole way, in which one step finds in the cache what the one
before has touched.
"""
MEMORY_STEPS = ("way_ns", "copy_ns", "crc_ns", "placement_ns", "compare_ns")


def memory_section(samples):
    rows = []
    for octets in cases.IN_FLIGHT_OCTETS:
        name = f"memory {octets}"
        if samples.has(name):
            steps = [spread(samples.of(lambda run, step=step: run[step], name), plain(0))
                     for step in MEMORY_STEPS]
            bandwidth = samples.middle(lambda run: run["copy_octets_per_s"], name)
            bound = 1e9 / samples.middle(lambda run: run["way_ns"], name)
            rows.append((f"{octets >> 10:,} KiB", *steps, f"{bandwidth / 1e9:.0f} GB/s", per_second(bound)))
    return section("CRC and copies against memory", MEMORY_TEXT,
                   (f"build/bench/bench_memory {cases.IN_FLIGHT_OCTETS[0]}",),
                   ("octets in flight", "whole way", "copy in", "CRC", "copy out", "compare", "memcpy",
                    "at most, segments/s"), rows)


PROFILE_TEXT = """\
`bulk-write.cfg` on engine native: instructions of one data segment and its half of an acknowledgement, by the
folder of `model/` in which the code is written, wherever the compiler put it; and nanoseconds, from samples
by perf's clock. `crc`, `copy`, `compare` and `fill` are crc32c_fold() and functions of ISA-L and libc, for the
processor at hand (under callgrind: without AVX-512); `allocation` is malloc and free.
"""


def profile_section(profile, samples):
    """`profile`: {"instructions": {part: per segment}, "nanoseconds": {part: per segment}, or {} when there
    is no perf}."""
    instructions, nanoseconds = profile["instructions"], profile["nanoseconds"]
    parts = [part for part in (*layers.LAYERS, *layers.OUTSIDE, *layers.TOUCHING, "kernel")
             if instructions.get(part, 0) >= 1 or nanoseconds.get(part, 0) >= 1]
    whole, whole_ns = sum(instructions.values()), sum(nanoseconds.values())

    def time(value, share=""):
        return (f"{value:.0f}", share) if nanoseconds else ("", "")

    rows = [(part, f"{instructions.get(part, 0):,.0f}", percent(instructions.get(part, 0) / whole),
             *time(nanoseconds.get(part, 0),
                   percent(nanoseconds.get(part, 0) / whole_ns) if nanoseconds else "")) for part in parts]
    rows.append(("**all**", f"{whole:,.0f}", "", *time(whole_ns)))
    lines = ["### Where the time of a segment goes", "", PROFILE_TEXT,
             *code("scripts/instructions --case write --functions",
                   "perf record -e cpu-clock build/iwarpsim run bench/scenarios/bulk-write.cfg"),
             *table(("part", "instructions", "share", "ns", "share"), rows)]
    bound = f"memory {cases.IN_FLIGHT_OCTETS[0]}"
    if nanoseconds and samples.has(bound):
        touching = samples.middle(lambda run: run["way_ns"], bound)
        lines += [f"Touching the octets alone takes {touching:.0f} ns (see above, "
                  f"{cases.IN_FLIGHT_OCTETS[0] >> 10} KiB in flight), {percent(touching / whole_ns)} of the "
                  f"{whole_ns:.0f} ns of a segment in this profile.", ""]
    return lines


SECTIONS = (target_section, link_section, scenario_section, grid_section, connection_section, sweep_section,
            engine_section, memory_section)


def event_queue_section(printed):
    """`printed`: the lines of bench_queue."""
    text = ("Designs of the list of what is due, each driven by the first four million steps that five runs ask of it; all take\n"
            "the same timers. The engine has the row and slots.\n")
    return ["### Designs of the event queue", "", text, *code("build/bench/bench_queue", "", *printed)]


def page(samples, machine, command):
    """The sections of the cases, as lines. `machine`: [(what, value)]."""
    turns = max((len(runs) for runs in samples.by_case.values()), default=0)
    once = turns == 1
    of_turns = (" Figures are medians, with the\nlowest and the highest after them; "
                "a ratio is of runs of the same turn.")
    lines = [f"Made by `{command}`: {'one turn' if once else f'{turns} turns'} of all cases, each in a "
             "process of its own." + ("" if once else of_turns), "",
             *table(("machine", ""), machine)]
    for made_section in SECTIONS:
        lines += made_section(samples)
    return lines
