"""What bench/run measures: each case is a name and one run of a program, or of a few of them."""

from collections import namedtuple
from statistics import median

# `run` takes processes.Programs and gives {name: number}; `quick`: it is part of a quick benchmark too.
Case = namedtuple("Case", "name run quick")

Link = namedtuple("Link", "rate_bit_per_s delay_us messages")  # messages of 64 KiB that ours carries, for about half a second
LINKS = (Link(10 * 10**9, 25, 16000), Link(10 * 10**9, 250, 16000), Link(100 * 10**9, 100, 16000))
DEFAULT_LINK = LINKS[0]
NS3_TCP_OCTETS = 50 * 10**6
NS3_ENGINE_SHARE = 4  # a run on engine ns3 is so much shorter than a native one

ENGINES = ("native", "ns3")
LOSSES = ("0", "1%")
MTUS = (576, 1500, 9000)
CONNECTIONS = (1, 100, 10000)
GRID_MESSAGES = 10000  # of all connections together
GRID_MESSAGE_OCTETS = 30000

TIMERS = (1, 100, 10000)
EVENTS = 5 * 10**6
IN_FLIGHT_OCTETS = (256 << 10, 1 << 20, 64 << 20)
IDLE_CONNECTIONS = (4000, 10000)
MARGINAL_MESSAGES = (6, 12)
MARGINAL_CONNECTIONS = (1, 10000)
TINY_RUNS = 20
SWEEP_RUNS = 12  # of bench/scenarios/sweep.cfg, each of so many messages:
SWEEP_MESSAGES = 12000
SHORT_SWEEP_MESSAGES = 1500  # what starting a run costs shows


def receive_window_octets(link):
    """What tcp.receive_window `auto` gives: twice rate times base round trip, which is two delays and two segments of 1538 octets."""
    return round(2 * (link.rate_bit_per_s / 8 * 2 * link.delay_us * 1e-6 + 2 * 1538))


def link_sets(link, engine):
    messages = link.messages if engine == "native" else link.messages // NS3_ENGINE_SHARE
    return {"run.engine": engine, "path.forward.rate": f"{link.rate_bit_per_s}bit/s", "path.forward.delay": f"{link.delay_us}us",
            "workload.messages": messages}


def grid_sets(engine, loss, mtu, connections):
    return {"run.engine": engine, "path.forward.loss": loss, "path.forward.mtu": mtu, "workload.connections": connections,
            "workload.messages": GRID_MESSAGES // connections, "workload.message_size": GRID_MESSAGE_OCTETS}


def _scenario(name, scenario, sets=None, quick=True):
    return Case(name, lambda programs: programs.scenario(scenario, sets or {}), quick)


def _program(name, program, *arguments, quick=True):
    return Case(name, lambda programs: programs.program(program, arguments), quick)


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
                    quick = engine == "native" and (loss, mtu, connections) in (("0", 576, 1), ("0", 9000, 1), ("0", 1500, 10000))
                    yield _scenario(f"grid {engine} {loss} {mtu} {connections}", "bulk-write",
                                    grid_sets(engine, loss, mtu, connections), quick)


def _marginal_cases():
    for connections in MARGINAL_CONNECTIONS:
        for messages in MARGINAL_MESSAGES:
            sets = {"workload.connections": connections,
                    "workload.messages": messages * max(MARGINAL_CONNECTIONS) // connections}
            yield _scenario(f"marginal {connections} {messages}", "connections-patient", sets)


def _tiny(programs):
    return {"process.wall_s": median(programs.scenario("tiny", {})["process.wall_s"] for _ in range(TINY_RUNS))}


def _sweep_cases():
    """The sweep, and the same amount of work as runs outside of it: half of it alone, and both halves at once."""
    half = {"workload.messages": SWEEP_MESSAGES * SWEEP_RUNS // 2}
    short = {"workload.messages": SHORT_SWEEP_MESSAGES}
    yield Case("sweep 1", lambda programs: programs.sweep("sweep", {}, 1), True)
    yield Case("sweep 2", lambda programs: programs.sweep("sweep", {}, 2), True)
    yield Case("short sweep 2", lambda programs: programs.sweep("sweep", short, 2), True)
    yield Case("half alone", lambda programs: programs.together("sweep", half, 1), True)
    yield Case("halves together", lambda programs: programs.together("sweep", half, 2), True)


def all_cases():
    """Every case, those that are compared with each other side by side."""
    cases = list(_link_cases())
    cases += [_scenario(f"impaired {engine}", "bulk-write-impaired",
                        {"run.engine": engine, "workload.messages": 16000 // (1 if engine == "native" else NS3_ENGINE_SHARE)},
                        engine == "native") for engine in ENGINES]
    cases += [_scenario("connections", "connections"), *_marginal_cases(), _scenario("hundred-gigabit", "hundred-gigabit")]
    cases += [_scenario(f"idle {count}", "idle", {"workload.connections": count}) for count in IDLE_CONNECTIONS]
    cases += [Case("tiny", _tiny, True), *_sweep_cases()]
    cases += [_program(f"events {engine} {timers}", "bench_engine", engine, timers, EVENTS)
              for timers in TIMERS for engine in ENGINES]
    cases += [_program(f"memory {octets}", "bench_memory", octets) for octets in IN_FLIGHT_OCTETS]
    return cases + list(_grid_cases())
