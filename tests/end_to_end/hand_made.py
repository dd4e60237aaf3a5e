# SPDX-License-Identifier: GPL-2.0-only
"""Connections made by hand: startup frames and FPDUs, what both ends send in its order, and the packets of that."""
import struct

INITIATOR, RESPONDER = 0, 1
SEND, READ_REQUEST, READ_RESPONSE, TERMINATE = 3, 1, 2, 7
IMMEDIATE, IMMEDIATE_SE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 8, 9, 10, 11
FETCH_ADD, CMP_SWAP = 0, 2
REQUEST, REPLY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
CRC, MARKERS, REJECT, ENHANCED = 0x40, 0x80, 0x20, 0x10  # of a startup frame's flags
ENHANCED_REPLY = REPLY + bytes([CRC | ENHANCED, 2, 0, 4, 0, 0, 0, 0])
RESET, FAR_RESET, DAMAGED, CLOCK = "RST", "RST elsewhere", "a wrong checksum", "the clock is set"
CLOCK_STEP_NS = 2 * 86400 * 10**9
MICROSECOND_NS, TCP_IP_OCTETS = 1000, 40


def crc32c(octets):
    """RFC 3720's, reflected; on the wire least significant octet first."""
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def startup(key, flags=CRC, revision=1):
    return key + bytes([flags, revision, 0, 0])


def enhanced(key, ird, ord, flags=CRC):
    """One of RFC 6581 §9: `ird` has A (0x8000) and B (0x4000), too, `ord` C and D."""
    return key + struct.pack(">BBHHH", flags | ENHANCED, 2, 4, ird, ord)


def setup(request, reply):
    """Both frames, by their (IRD, ORD)."""
    return [(INITIATOR, enhanced(REQUEST, *request)), (RESPONDER, enhanced(REPLY, *reply))]


def segment(opcode=SEND, queue=0, msn=1, offset=0, payload=b"data", last=1, word=0, ddp=1, rdmap=0x40):
    """An untagged DDP Segment; `ddp` and `rdmap`: the control octets without L and opcode."""
    return struct.pack(">BBIIII", last << 6 | ddp, rdmap | opcode, word, queue, msn, offset) + payload


def read(octets, msn=1, stag=7, offset=1000):
    """A Read Request for `octets`."""
    return segment(READ_REQUEST, queue=1, msn=msn, payload=struct.pack(">IQIIQ", stag, offset, octets, 9, 0))


def response(octets, last=1, stag=7, offset=1000):
    """A segment of a Read Response."""
    return struct.pack(">BBIQ", 0x81 | last << 6, 0x40 | READ_RESPONSE, stag, offset) + bytes(octets)


def immediate(msn=1, opcode=IMMEDIATE, payload=b"12345678"):
    return segment(opcode, msn=msn, payload=payload)


def atomic(identifier, msn=1, operation=FETCH_ADD, compare=0, compare_mask=2**64 - 1, reserved=0, stag=7, queue=1):
    """An Atomic Request of RFC 7306 §5.2.1, which adds or puts 5 at Tagged Offset 64."""
    return segment(ATOMIC_REQUEST, queue=queue, msn=msn, payload=struct.pack(
        ">IIIQQQQQ", reserved << 4 | operation, identifier, stag, 64, 5, 2**64 - 1, compare, compare_mask))


def answer(identifier, msn=1, original=0x0102030405060708):
    return segment(ATOMIC_RESPONSE, queue=3, msn=msn, payload=struct.pack(">IQ", identifier, original))


def write(payload, last=1, stag=7, offset=0):
    return struct.pack(">BBIQ", 0x81 | last << 6, 0x40, stag, offset) + payload


def terminate(layer, error_type, code):
    return segment(TERMINATE, queue=2, payload=bytes([layer << 4 | error_type, code, 0, 0]))


def fpdu(ulpdu, pad=None, flip=0, marker=b""):
    """`marker` leads it; `flip`: bits of its CRC that are wrong."""
    octets = marker + struct.pack(">H", len(ulpdu)) + ulpdu + (pad or bytes(-(2 + len(ulpdu)) % 4))
    crc = crc32c(octets)
    return octets + bytes([crc[0] ^ flip]) + crc[1:]


def sent(*ulpdus, sender=INITIATOR):
    return [(sender, fpdu(ulpdu)) for ulpdu in ulpdus]


HELLO = sent(segment())
UNORDERED = segment(last=0), segment(offset=8, last=0, payload=b""), segment(offset=4)  # at 8, where 4 comes
FRAMES = [(INITIATOR, startup(REQUEST)), (RESPONDER, startup(REPLY))]
A, B, C, D, OWN = 0x8000, 0x4000, 0x8000, 0x4000, 0x3FFF
PEERS = setup((A | 4, C | D | 4), (A | 4, D | 4))  # they agree on a Read of no octets
MARKED = [(INITIATOR, startup(REQUEST)), (RESPONDER, startup(REPLY, CRC | MARKERS))]


def packets(sent_octets, cut=1400):
    """A packet each microsecond: SYN, SYN and ACK, then these; a number instead of octets: so many are
    missing."""
    made, at = [], [1, 1]
    step_ns = 0

    def add(sender, flags, sequence, octets=b"", checksum=0):
        ports, addresses = (49152, 5044), (b"\x0a\0\0\1", b"\x0a\0\0\2")
        tcp = struct.pack(">HHIIBBHHH", ports[sender], ports[1 - sender], sequence, at[1 - sender], 0x50,
                          flags, 65535, checksum, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, TCP_IP_OCTETS + len(octets), 0, 0, 64, 6, 0,
                         addresses[sender], addresses[1 - sender])
        made.append((len(made) * MICROSECOND_NS + step_ns, ip + tcp + octets))

    add(INITIATOR, 0x02, 0)
    add(RESPONDER, 0x12, 0)
    for sender, octets in sent_octets:
        if octets in (RESET, FAR_RESET):
            add(sender, 0x04, at[sender] + 1000 * (octets == FAR_RESET))
        elif octets == DAMAGED:
            add(sender, 0x10, at[sender], b"oops", checksum=0xBAD)
        elif octets == CLOCK:
            step_ns += CLOCK_STEP_NS
        elif isinstance(octets, int):
            at[sender] += octets
        else:
            for part in (octets[i:i + cut] for i in range(0, len(octets), cut)):
                add(sender, 0x10, at[sender], part)
                at[sender] += len(part)
    return made
