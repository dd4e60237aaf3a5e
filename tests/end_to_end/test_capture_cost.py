#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about the cost of decode and replay with holes: for 10 times as many they take at most 13
times the instructions, counted by cachegrind.

    test_capture_cost.py IWARPSIM [--full]

From 10,000 holes to 100,000, and of `decode --summary` of unmarked ones from 100,000 to a million; with
--full (an hour or more) from 100,000 to a million of everything. Instructions do not depend on how fast or
busy a machine is. What is linear takes 10 times, what is quadratic up to 100. Without valgrind the test is
skipped (exit 77).
"""

import concurrent.futures
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FEW, FACTOR, MOST = 10000, 10, 13
PORTS, ADDRESSES, FIRST = (40000, 7174), (b"\x0a\0\0\1", b"\x0a\0\0\2"), 20
SKIPPED = 77


def write_capture(path, markers, segments):
    """A handshake, startup frames without CRC, and `segments` of the Initiator: (stream position in the FPDU
    phase, octets)."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        time = 0

        def packet(sender, position, octets, flags, acknowledged=0):
            nonlocal time
            time += 1
            # Both ISNs are 0; a checksum of 0 is one that the NIC is to fill in.
            tcp = struct.pack(">HHIIBBHHH", PORTS[sender], PORTS[not sender], 1 + position & 0xFFFFFFFF,
                              1 + acknowledged if flags & 0x10 else 0, 0x50, flags, 65535, 0, 0)
            whole = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(octets), 0, 0, 64, 6, 0, ADDRESSES[sender],
                                ADDRESSES[not sender]) + tcp + octets
            file.write(struct.pack("<IIII", time // 1000000, time % 1000000, len(whole), len(whole)) + whole)

        packet(0, -1, b"", 0x02)
        packet(1, -1, b"", 0x12)
        packet(0, 0, b"", 0x10)
        for sender, name in enumerate((b"Req", b"Rep")):
            packet(sender, 0, b"MPA ID " + name + b" Frame" + bytes([0x80 if markers else 0, 1, 0, 0]), 0x18,
                   FIRST * sender)
        for position, octets in segments:
            packet(0, FIRST + position, octets, 0x10, FIRST)


def fpdus(count, markers, payload_octets=24):
    """`count` RDMA Writes, one in each FPDU, whose CRC field is 0: (position, octets) of each."""
    made, position = [], 0
    for number in range(count):
        ulpdu = struct.pack(">BBIQ", 0xC1, 0x40, 1, number * payload_octets) + bytes(payload_octets)
        body = struct.pack(">H", len(ulpdu)) + ulpdu
        body += bytes(-len(body) % 4) + bytes(4)
        octets, header = b"", None
        for word in (body[at:at + 4] for at in range(0, len(body), 4)):
            at = position + len(octets)
            if markers and at % 512 == 0:
                octets += struct.pack(">I", 0 if header is None else at - header)
                at += 4
            header = at if header is None else header
            octets += word
        made.append((position, octets))
        position += len(octets)
    return made


def every_second(count, markers):
    """The FPDUs of every second segment are missing, and never come."""
    return fpdus(2 * count, markers)[1::2]


def filled_at_random(count, markers):
    """Those come later, in random order."""
    all_of_them = fpdus(2 * count, markers)
    return all_of_them[1::2] + random.Random(count).sample(all_of_them[::2], count)


def octets_at_random(count, markers):
    """Segments of one octet in random order."""
    stream = b"".join(octets for _, octets in fpdus(count // 44 + 1, markers))[:count]
    return [(at, stream[at:at + 1]) for at in random.Random(count).sample(range(count), count)]


def instructions(command, folder):
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                           f"--cachegrind-out-file={folder}/out", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return int(re.search(r"refs: *([\d,]+)", done.stderr).group(1).replace(",", ""))


def check(program, folder, kind, markers, few, only=None):
    """The ratios of all commands, or of the one named `only`; True when none is above MOST. `folder` is its own."""
    folder.mkdir()
    capture = f"{folder}/capture.pcap"
    decode = ["decode", "--hold", "256MiB", capture]  # no hole is given up
    commands = {"decode": decode, "decode --json": [*decode, "--json"],
                "decode --summary": [*decode, "--summary"],
                "replay": ["replay", capture, "--quiet", "--out", folder],
                "replay, in order": ["replay", capture, "--quiet", "--out", folder, "--set",
                                     "receiver.mode=in-order"]}
    commands = {name: arguments for name, arguments in commands.items() if only in (None, name)}
    counts = []
    for holes in (few, few * FACTOR):
        write_capture(capture, markers, kind(holes, markers))
        counts.append({name: instructions([program, *arguments], folder)
                       for name, arguments in commands.items()})
    is_right = True
    for name in commands:
        ratio = counts[1][name] / counts[0][name]
        is_right = is_right and ratio <= MOST
        print(f"{kind.__name__}, {'marked' if markers else 'unmarked'}, {name}, {few * FACTOR:,}: "
              f"{counts[0][name]:,} and {counts[1][name]:,} instructions, {ratio:.2f} times", flush=True)
    return is_right


def main():
    if not shutil.which("valgrind"):
        return SKIPPED
    program, is_full = str(Path(sys.argv[1]).resolve()), "--full" in sys.argv[2:]
    kinds = (every_second, filled_at_random, octets_at_random)
    checks = [] if is_full else [(kind, False, FEW * FACTOR, "decode --summary") for kind in kinds]  # the longest
    checks += [(kind, markers, FEW * FACTOR if is_full else FEW) for kind in kinds for markers in (False, True)]
    # Processes, since threads would write the captures one after the other.
    with (tempfile.TemporaryDirectory(prefix="iwarpsim-capture-cost-") as folder,
          concurrent.futures.ProcessPoolExecutor() as processes):
        results = [processes.submit(check, program, Path(folder, str(number)), *arguments)
                   for number, arguments in enumerate(checks)]
        return 0 if all(result.result() for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
