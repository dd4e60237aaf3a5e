# SPDX-License-Identifier: GPL-2.0-only
"""This is what bench/run measures: each case is a name and one run of a program, or of a few of them."""

from collections import namedtuple
from statistics import median

# `run` takes processes.Programs and gives {name: number}; `quick`: it is part of a quick benchmark too;
# `needs_ns3`: a program built without ns-3 cannot do it.
Case = namedtuple("Case", "name run quick needs_ns3", defaults=(True, False))

# `messages` are those of 64 KiB that ours carries, for about half a second.
Link = namedtuple("Link", "rate_bit_per_s delay_us messages")
LINKS = (Link(10 * 10**9, 25, 16000), Link(10 * 10**9, 250, 16000), Link(100 * 10**9, 100, 16000))
DEFAULT_LINK = LINKS[0]
NS3_TCP_OCTETS = 50 * 10**6
NS3_ENGINE_SHARE = 4  # a run on engine ns3 is so much shorter than a native one

ENGINES = ("native", "ns3")
LOSSES = ("0", "1%")
MTUS = (576, 1500, 9000)
CONNECTIONS = (1, 100, 1000, 10000)
GRID_MESSAGES = 10000  # of all connections together
GRID_MESSAGE_OCTETS = 30000

TIMERS = (1, 100, 10000)
EVENTS = 5 * 10**6
IN_FLIGHT_OCTETS = (256 << 10, 1 << 20, 64 << 20)
IDLE_CONNECTIONS = (4000, 10000)
MARGINAL_MESSAGES = (6, 12)
MARGINAL_CONNECTIONS = (1, 1000, 10000)
TINY_RUNS = 20
# These are settings of long runs; of short ones, where what starting one costs shows.
SWEEPS = ("bench/scenarios/sweep.cfg", "scenarios/mtu-loss.cfg")
SWEEP_SETS = {"run.engine": "native"}
SWEEP_JOBS = 2


def receive_window_octets(link):
    """Returns what tcp.receive_window `auto` gives: twice rate times base round trip, which is two delays and
    two segments of 1538 octets."""
    return round(2 * (link.rate_bit_per_s / 8 * 2 * link.delay_us * 1e-6 + 2 * 1538))


def link_sets(link, engine):
    messages = link.messages if engine == "native" else link.messages // NS3_ENGINE_SHARE
    return {"run.engine": engine, "path.forward.rate": f"{link.rate_bit_per_s}bit/s",
            "path.forward.delay": f"{link.delay_us}us",
            "workload.messages": messages}


def grid_sets(engine, loss, mtu, connections):
    return {"run.engine": engine, "path.forward.loss": loss, "path.forward.mtu": mtu,
            "workload.connections": connections,
            "workload.messages": GRID_MESSAGES // connections, "workload.message_size": GRID_MESSAGE_OCTETS}


def _scenario(name, scenario, sets=None, quick=True):
    sets = sets or {}
    return Case(name, lambda programs: programs.scenario(f"bench/scenarios/{scenario}.cfg", sets), quick,
                sets.get("run.engine") == "ns3")


def _program(name, program, *arguments, quick=True):
    return Case(name, lambda programs: programs.program(program, arguments), quick,
                program == "bench_ns3_tcp" or "ns3" in arguments)


def _link_cases():
    for link in LINKS:
        at = f"{link.rate_bit_per_s} {link.delay_us}"
        quick = link is DEFAULT_LINK
        yield _program(f"ns3-tcp {at}", "bench_ns3_tcp", NS3_TCP_OCTETS, link.rate_bit_per_s, link.delay_us,
                       receive_window_octets(link), quick=quick)
        for engine in ENGINES:
            yield _scenario(f"write {engine} {at}", "bulk-write", link_sets(link, engine), quick)


def _grid_cases():
    for engine in ENGINES:
        for loss in LOSSES:
            for mtu in MTUS:
                for connections in CONNECTIONS:
                    quick = engine == "native" and (loss, mtu, connections) in (
                        ("0", 576, 1), ("0", 9000, 1), ("0", 1500, 10000))
                    yield _scenario(f"grid {engine} {loss} {mtu} {connections}", "bulk-write",
                                    grid_sets(engine, loss, mtu, connections), quick)


def _marginal_cases():
    for connections in MARGINAL_CONNECTIONS:
        for messages in MARGINAL_MESSAGES:
            sets = {"workload.connections": connections,
                    "workload.messages": messages * max(MARGINAL_CONNECTIONS) // connections}
            yield _scenario(f"marginal {connections} {messages}", "connections-patient", sets)


def _tiny(programs):
    return {"process.wall_s": median(programs.scenario("bench/scenarios/tiny.cfg", {})["process.wall_s"]
                                     for _ in range(TINY_RUNS))}


def _sweep_cases():
    """Each sweep, the same runs without it, and the sweep again while somebody looks, which takes time that
    the first is not to lack."""
    for scenario in SWEEPS:
        at = (scenario, SWEEP_SETS, SWEEP_JOBS)
        yield Case(f"sweep {scenario}", lambda programs, at=at: programs.sweep(*at))
        yield Case(f"loops {scenario}", lambda programs, at=at: programs.loops(*at))
        yield Case(f"watched {scenario}", lambda programs, at=at: programs.sweep(*at, watch=True))


def all_cases():
    """Every case, those that are compared with each other side by side."""
    cases = list(_link_cases())
    cases += [_scenario(f"impaired {engine}", "bulk-write-impaired",
                        {"run.engine": engine,
                         "workload.messages": 16000 // (1 if engine == "native" else NS3_ENGINE_SHARE)},
                        engine == "native") for engine in ENGINES]
    cases += [_scenario("connections", "connections"), *_marginal_cases(),
              _scenario("hundred-gigabit", "hundred-gigabit")]
    cases += [_scenario(f"idle {count}", "idle", {"workload.connections": count})
              for count in IDLE_CONNECTIONS]
    cases += [Case("tiny", _tiny), *_sweep_cases()]
    cases += [_program(f"events {engine} {timers}", "bench_engine", engine, timers, EVENTS)
              for timers in TIMERS for engine in ENGINES]
    cases += [_program(f"memory {octets}", "bench_memory", octets) for octets in IN_FLIGHT_OCTETS]
    return cases + list(_grid_cases())
