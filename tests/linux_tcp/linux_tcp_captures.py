# SPDX-License-Identifier: GPL-2.0-only
"""This shows what two captures of one run show, sender.pcap and receiver.pcap of `iwarpsim run --pcap` or of
live_tcp: one instrument for both, which knows nothing of either's TCP."""
import hashlib
import struct
from collections import defaultdict


def segments(path):
    """{ports: [(time, first octet, octets)]}: the segments with payload of the end that spoke first, in order. Octets
    are counted from the one after the SYN."""
    data = path.read_bytes()
    if data[:4] != b"\x4d\x3c\xb2\xa1" or struct.unpack_from("<I", data, 20) != (101,):
        raise ValueError(f"{path}: expected raw IP and nanoseconds")
    at, initiator, starts, found = 24, None, {}, defaultdict(list)
    while at + 16 <= len(data):
        seconds, nanoseconds, kept = struct.unpack_from("<III", data, at)
        packet = data[at + 16:at + 16 + kept]
        at += 16 + kept
        tcp = (packet[0] & 15) * 4
        source, ports = packet[12:16], packet[tcp:tcp + 4]
        initiator = initiator or source
        sequence, = struct.unpack_from(">I", packet, tcp + 4)
        octets = struct.unpack_from(">H", packet, 2)[0] - tcp - (packet[tcp + 12] >> 4) * 4
        if source != initiator:
            continue
        if packet[tcp + 13] & 2:
            starts[ports] = sequence + 1
        elif octets > 0:
            found[ports].append((seconds + nanoseconds / 1e9, (sequence - starts[ports]) % 2**32, octets))
    return found


def sent_again(sent):
    """[(first octet, octets)] of the segments with octets that were sent before."""
    edge, again = 0, []
    for _, first, octets in sent:
        if first < edge:
            again.append((first, octets))
        edge = max(edge, first + octets)
    return again


def arrivals(received):
    """When a hole was open, [(from, to)], and how many segments had no octet that was new."""
    edge, beyond, opened, holes, needless = 0, [], None, [], 0
    for when, first, octets in received:
        end = first + octets
        if end <= edge or any(low <= first and end <= high for low, high in beyond):
            needless += 1
            continue
        joined = [(low, high) for low, high in beyond if low <= end and first <= high]
        beyond = [part for part in beyond if part not in joined]
        low, high = min([first, *(part[0] for part in joined)]), max([end, *(part[1] for part in joined)])
        if low <= edge:
            edge = max(edge, high)
        else:
            beyond.append((low, high))
        if beyond and opened is None:
            opened = when
        elif not beyond and opened is not None:
            holes.append((opened, when))
            opened = None
    return holes, needless


def union(intervals):
    """Their length together."""
    total, edge = 0.0, float("-inf")
    for low, high in sorted(intervals):
        total += max(0.0, high - max(low, edge))
        edge = max(edge, high)
    return total


def measure(folder):
    """{name: number} of the run whose captures are in `folder`, and `order`: a name for which segments were sent again,
    in which order."""
    sent, received = segments(folder / "sender.pcap"), segments(folder / "receiver.pcap")
    again = [sent_again(sent[key]) for key in sorted(sent)]
    seen = [arrivals(of_one) for of_one in received.values()]
    return {"segments": sum(map(len, sent.values())), "retransmitted": sum(map(len, again)),
            "spurious": sum(needless for _, needless in seen),
            "hole_ms": 1000 * union([hole for holes, _ in seen for hole in holes]),
            "order": hashlib.sha256(repr(again).encode()).hexdigest()[:12]}
