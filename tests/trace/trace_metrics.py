# SPDX-License-Identifier: GPL-2.0-only
"""These are the metrics of a run, computed from its trace alone, as docs/metrics.md defines them.

It knows of the program only what a trace prints. Windows of measure.from and measure.to are not
reproduced: the whole run is measured."""

from collections import defaultdict
from fractions import Fraction

CAUSES = ["incomplete", "unlocated", "order", "fragment", "processing"]
STATES = ["holes", "partial_fpdus", "undelivered"]
READ_REQUEST, TERMINATE = 1, 7
PS = 10**12


class Gauge:
    """A value over time. What it passes through within one picosecond counts for nothing."""

    def __init__(self):
        self.steps = [(0, 0)]  # (since, value)

    def set(self, now, value):
        if self.steps[-1][0] == now:
            self.steps.pop()
        self.steps.append((now, value))

    def add(self, now, change):
        self.set(now, self.steps[-1][1] + change)

    def peak(self):
        return max(value for _, value in self.steps)

    def at(self, moment):
        return [value for since, value in self.steps if since <= moment][-1]

    def time_by_value(self, begin, end, only=None):
        """Returns how long it had each value in [begin, end); `only`: while that gauge was above 0."""
        edges = sorted({begin, end, *(at for gauge in (self, only) if gauge for at, _ in gauge.steps
                                      if begin < at < end)})
        values, where = defaultdict(int), [0, 0]
        for since, until in zip(edges, edges[1:]):
            now = []
            for i, gauge in enumerate((self, only or self)):
                while where[i] + 1 < len(gauge.steps) and gauge.steps[where[i] + 1][0] <= since:
                    where[i] += 1
                now.append(gauge.steps[where[i]][1])
            if only is None or now[1] > 0:
                values[now[0]] += until - since
        return values


def quantile(time_by_value, share):
    """The smallest x with value <= x for at least `share` of the time; None: there was no time."""
    total, below = sum(time_by_value.values()), 0
    for value in sorted(time_by_value):
        below += time_by_value[value]
        if below >= share * total and total > 0:
            return value
    return None


class Connection:
    def __init__(self):
        self.held = defaultdict(int)
        self.own = Gauge()
        self.fpdu_starts = set()
        self.sends_from = self.receives_from = None  # the Data Source's; the Data Sink's
        self.resent = []  # [from, to, earliest arrival]: not proven needed yet
        self.edge = 0
        self.beyond = []  # where the segments began that brought octets beyond the edge
        self.waits = defaultdict(list)  # of each FPDU: (octets, when they arrived)


def metrics_of(events, sink, cell_octets=1, placement_latency_ps=0):
    """The metrics by their names, and of each gauge how long it had each value; `sink`: "initiator" or
    "responder"."""
    m = defaultdict(int)
    connections = defaultdict(Connection)
    gauges = {name: Gauge() for name in [*CAUSES, *STATES, "reassembly", "total", "with holes"]}
    first_segment = last_delivery = first_payload = None
    times = {}
    release = {}
    placement = delivery = 0

    def cells(octets):
        return -(-octets // cell_octets) * cell_octets

    for e in events:
        now, name, c = e["time_ps"], e["event"], connections[e["connection"]]
        at_sink, payload = e["side"] == sink, e.get("payload_octets", 0)
        if name == "full_operation" and at_sink:
            c.receives_from = e["receives_from"]
        elif name == "full_operation":
            c.sends_from = e["sends_from"]
        elif name == "fpdu_sent" and not at_sink:
            c.fpdu_starts.add(e["position"])
        elif name == "segment_sent":
            m["tcp.retransmissions"] += not at_sink and e["again"] and payload > 0
        elif name == "segment_sent_again" and c.sends_from is not None and e["position"] >= c.sends_from:
            c.resent.append((e["position"], e["position"] + payload, e["earliest_arrival_ps"]))
        elif name == "packet_dropped":
            m["tcp.lost_retransmissions"] += e["again"]
        elif name == "segment_arrived" and at_sink:
            c.edge = e["in_order_edge"]
            settle(c, m)
            if e["new_octets"] > 0 and e["position"] <= c.edge:
                c.edge = max(c.edge, e["position"] + payload)
            elif e["new_octets"] > 0:
                c.beyond.append(e["position"])
            if c.receives_from is not None and e["position"] >= c.receives_from:
                first_segment = now if first_segment is None else first_segment
                m["tcp.segments"] += 1
                m["tcp.segments_out_of_order"] += e["position"] > e["in_order_edge"]
                m["mpa.segments_aligned"] += e["position"] in c.fpdu_starts
                if e["new_octets"] > 0:
                    c.resent = [r for r in c.resent if r[0] >= e["position"] + payload or
                                r[1] <= e["position"] or r[2] > now]
        elif name == "hole_filled" and at_sink:
            c.edge = e["to"]
        elif name == "fpdu_valid" and at_sink:
            m["mpa.fpdus"] += 1
            m["mpa.markers"] += e["markers"]
            m["mpa.located_by_" + e["located_by"].replace(" ", "_")] += 1
        elif name == "fpdu_invalid" and at_sink:
            m["mpa.crc_errors"] += e["error"] == 2
        elif name == "guess_wrong" and at_sink:
            m["mpa.wrong_guesses"] += e["fpdus"]
        elif name == "segment_refused" and at_sink and e["why"] != "invalid FPDU":
            m["refused." + e["why"]] += 1
        elif name == "checksum_error" and at_sink:
            m["tcp.checksum_errors"] += 1
        elif name == "placed" and at_sink:
            m["buffer.read_octets"] += e["held_octets"]
            release[now] = release.get(now, 0) + e["held_octets"]
            if e["opcode"] not in (READ_REQUEST, TERMINATE):
                m["placement.octets"] += payload
                m["placement.octets_out_of_order"] += payload if e["out_of_order"] else 0
        elif name == "placed_part" and at_sink:
            c.waits[e["position"]].append((payload, now - e["waited_ps"]))
            m["placement.octets_direct"] += payload if e["waited_ps"] == placement_latency_ps else 0
            first_payload = min(first_payload or now, now - e["waited_ps"])
            placement += payload * e["waited_ps"]
        elif name == "delivered" and at_sink and e["opcode"] not in (READ_REQUEST, TERMINATE):
            m["delivery.octets"] += payload
            m["delivery.messages"] += e["last"]
            delivery += sum(octets * (now - arrival) for octets, arrival in c.waits.pop(e["position"], []))
            last_delivery = now
        elif name == "held":
            before = sum(cells(c.held[cause]) for cause in CAUSES[:-1])
            gauges["with holes"].add(now, (e["holes"] > 0) - (c.held["holes"] > 0))
            for cause in CAUSES:
                change = cells(e[cause]) - cells(c.held[cause])
                for gauge in (cause, "total", *(["reassembly"] if cause != "processing" else [])):
                    gauges[gauge].add(now, change)
            for state in STATES:
                gauges[state].add(now, e[state] - c.held[state])
            c.held = {key: e[key] for key in [*CAUSES, *STATES]}
            c.beyond = [position for position in c.beyond if position >= c.edge]
            for name, value in (("ranges", e["holes"]), ("segments", len(c.beyond))):
                m[f"state.connection_{name}_peak"] = max(m[f"state.connection_{name}_peak"], value)
            c.own.add(now, sum(cells(e[cause]) for cause in CAUSES[:-1]) - before)
        elif not at_sink:
            of_source(m, name, e)
    for c in connections.values():
        settle(c, m)
    m["placement.octets_buffered"] = m["placement.octets"] - m["placement.octets_direct"]
    m["buffer.written_octets"] = m["buffer.read_octets"] + sum(
        c.held[cause] for c in connections.values() for cause in CAUSES[:3])
    m["buffer.release_burst_peak_octets"] = max(release.values(), default=0)
    m["buffer.connection_peaks_octets"] = sum(c.own.peak() for c in connections.values())
    m["buffer.reassembly_peak_octets"] = gauges["reassembly"].peak()
    if m["buffer.reassembly_peak_octets"] > 0:
        at = next(at for at, value in gauges["reassembly"].steps if value == gauges["reassembly"].peak())
        m["buffer.reassembly_peak_at_s"] = at / PS
        m["buffer.reassembly_peak_connection"] = max(sorted(connections), key=lambda n: connections[n].own.at(at))
    m["buffer.total_peak_octets"] = gauges["total"].peak()
    m.update({"buffer.peak_octets." + cause: gauges[cause].peak() for cause in CAUSES})
    m.update({f"state.{state}_peak": gauges[state].peak() for state in STATES})
    if first_segment is not None and last_delivery is not None and last_delivery > first_segment:
        times = {("buffer." if gauge not in STATES else "state.") + gauge:
                 gauges[gauge].time_by_value(first_segment, last_delivery) for gauge in gauges}
        whole = times["buffer.reassembly"]
        recovering = gauges["reassembly"].time_by_value(first_segment, last_delivery, gauges["with holes"])
        m["buffer.reassembly_mean_octets"] = sum(v * t for v, t in whole.items()) / (last_delivery - first_segment)
        m["buffer.reassembly_p99_octets"] = quantile(whole, Fraction(99, 100))
        m["buffer.reassembly_p99_octets_in_recovery"] = quantile(recovering, Fraction(99, 100))
    if m["placement.octets"] > 0:
        m["delay.placement_mean_s"] = placement / m["placement.octets"] / PS
    if m["delivery.octets"] > 0:
        m["delay.delivery_mean_s"] = delivery / m["delivery.octets"] / PS
        if last_delivery > first_payload:
            m["goodput_bit_per_s"] = 8 * m["delivery.octets"] / ((last_delivery - first_payload) / PS)
    return m, times


def settle(c, m):
    """What was sent again and has been overtaken by the in-order edge was needless."""
    m["tcp.spurious_retransmissions"] += sum(1 for r in c.resent if r[1] <= c.edge)
    c.resent = [r for r in c.resent if r[1] > c.edge]


def of_source(m, name, e):
    """Returns what the Data Source's TCP counts."""
    counts = {"time_out": ("tcp.timeouts", e.get("in_flight")), "recovery_entered": ("tcp.recoveries", 1),
              "retransmission_lost": ("tcp.retransmissions_found_lost", e.get("segments")),
              "probe_sent": ("tcp.tail_loss_probes" if e.get("tail_loss") else "tcp.window_probes", 1),
              "duplicate_reported": ("tcp.duplicates_reported", 1), "ecn_reduced": ("tcp.ecn_reductions", 1),
              "mtu_changed": ("tcp.path_mtu_changes", 1),
              "undone": ("tcp.spurious_timeouts" if e.get("time_out") else "tcp.spurious_recoveries", 1)}
    if name in counts:
        metric, count = counts[name]
        m[metric] += count
