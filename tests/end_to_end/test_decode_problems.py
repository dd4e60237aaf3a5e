# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what `iwarpsim decode` finds wrong: each row of docs/problems.md, in a connection made by
hand, whose FPDUs are otherwise right; in the lines, as --problems, as --summary, and as JSON. The rates of
--summary."""
import json
import os
import re
import struct

import program_kit as kit
from decode_trip import DecodeTest, write_packets
from hand_made import (A, ATOMIC_REQUEST, B, C, CLOCK, CMP_SWAP, CRC, D, DAMAGED, ENHANCED, ENHANCED_REPLY,
                       FAR_RESET, FRAMES, HELLO, IMMEDIATE, IMMEDIATE_SE, INITIATOR, MARKED, MICROSECOND_NS, OWN,
                       PEERS, READ_REQUEST, REJECT, REPLY, REQUEST, RESET, RESPONDER, TERMINATE, UNORDERED, answer,
                       atomic, enhanced, fpdu, immediate, packets, read, response, segment, sent, setup, startup,
                       terminate, write)

# Each kind has what the ends send, the startup frames too, and which other kinds come of it.
CASES = {
    "crc": (FRAMES + [(INITIATOR, fpdu(segment(), flip=1))],),
    "crc refused": (FRAMES + HELLO + sent(terminate(2, 0, 2), sender=RESPONDER),),
    "marker": (MARKED + [(INITIATOR, fpdu(segment(), marker=b"\0\0\0\x08"))],),
    "marker reserved": (MARKED + [(INITIATOR, fpdu(segment(), marker=b"\0\x01\0\0"))],),
    "bad length": (FRAMES + HELLO + [(INITIATOR, b"\xFF" * 100)], "lost chain"),
    "long ulpdu": (FRAMES + sent(segment(payload=bytes(64769 - 18))),),
    "pad": (FRAMES + [(INITIATOR, fpdu(segment(payload=b"1"), pad=b"\x01\x02\x03"))],),
    "no ddp header": (FRAMES + sent(segment()[:17]),),
    "version": (FRAMES + sent(segment(rdmap=0)),),
    "ddp reserved": (FRAMES + sent(segment(ddp=5)),),
    "rdmap reserved": (FRAMES + sent(segment(rdmap=0x50)),),
    "opcode": (FRAMES + sent(segment(12)),),
    "buffer model": (FRAMES + sent(segment(0)),),
    "queue": (FRAMES + sent(segment(queue=1)),),
    "invalidate stag": (FRAMES + sent(segment(word=5)),),
    "msn": (FRAMES + sent(segment(), segment(msn=3)),),
    "read request": (FRAMES + sent(segment(READ_REQUEST, queue=1, payload=bytes(27))),),
    "immediate": (FRAMES + sent(immediate(payload=b"1234567")),),
    "atomic length": (FRAMES + sent(atomic(1) + b"1"),),
    "atomic opcode": (FRAMES + sent(atomic(1, operation=1)),),
    "atomic fields": (FRAMES + sent(atomic(1, reserved=1)),),
    "atomic answer": (FRAMES + sent(atomic(1)) + sent(answer(2), sender=RESPONDER),),
    "response order": (FRAMES + sent(read(64), atomic(1, msn=2)) + sent(answer(1), response(64), sender=RESPONDER),),
    "ord": (setup((4, 8), (1, 4)) + sent(read(64), read(64, msn=2)),),
    "terminate short": (FRAMES + sent(segment(TERMINATE, queue=2, payload=b"")),),
    "terminate swapped": (FRAMES + HELLO + sent(terminate(0, 2, 3), sender=RESPONDER),),
    "terminate code": (FRAMES + sent(terminate(3, 0, 0)),),
    "after terminate": (FRAMES + sent(terminate(2, 0, 1), segment()),),
    "startup reject": ([(INITIATOR, startup(REQUEST, CRC | REJECT)), FRAMES[1]] + HELLO,),
    "startup reserved": ([FRAMES[0], (RESPONDER, startup(REPLY, CRC | 1))] + HELLO,),
    "startup private data": ([(INITIATOR, REQUEST + bytes([CRC, 1, 2, 1]) + bytes(513))], "startup assumed"),
    "startup accepted": ([(INITIATOR, REQUEST + bytes([CRC, 1, 2, 1]) + bytes(513)), FRAMES[1]] + HELLO,
                         "startup private data"),
    "startup enhanced": ([(INITIATOR, startup(REQUEST, CRC | ENHANCED, 2))] + HELLO, "startup assumed"),
    "startup role": ([FRAMES[0], (RESPONDER, startup(REQUEST))], "startup assumed", "lost chain"),
    "startup needless": (setup((OWN, OWN), (OWN, OWN)) + HELLO,),
    "startup model": (setup((A | 4, D | 4), (4, 4)) + HELLO,),
    "startup rtr": (setup((B | 4, 4), (4, 4)) + HELLO,),
    "startup ord": (setup((4, 8), (8, 5)) + HELLO,),
    "startup negotiated": (setup((4, OWN), (8, 4)) + HELLO,),
    "early": (FRAMES[::-1] + HELLO,),
    "responder first": (FRAMES + sent(segment(), sender=RESPONDER) + HELLO,),
    "rtr": (PEERS + HELLO,),
    "startup answer": ([(INITIATOR, startup(REQUEST, CRC, 2)), (RESPONDER, ENHANCED_REPLY)] + HELLO,),
    "startup revision": ([FRAMES[0], (RESPONDER, startup(REPLY, CRC, 2))] + HELLO,),
    "startup unknown": ([(INITIATOR, startup(REQUEST, CRC, 4)), FRAMES[1]] + HELLO,),
    "segment order": (FRAMES + sent(*UNORDERED),),
    "mo": (FRAMES + sent(segment(last=0), segment(offset=8)),),
    "unfinished": (FRAMES + sent(write(b"12", last=0), segment()),),
    "terminate reserved": (FRAMES + sent(segment(TERMINATE, queue=2, payload=b"\x20\1\0\1")),),
    "read length": (FRAMES + sent(read(64)) + sent(response(80), sender=RESPONDER),),
    "read offset": (FRAMES + sent(read(64)) + sent(response(64, offset=1004), sender=RESPONDER),),
    "read unasked": (FRAMES + HELLO + sent(response(64), sender=RESPONDER),),
    "checksum": (FRAMES + HELLO + [(RESPONDER, DAMAGED)],),
    "clock": (FRAMES + [(INITIATOR, CLOCK)] + HELLO,),
    "terminate header": (FRAMES + sent(terminate(1, 1, 0)),),
    "hole": (FRAMES + HELLO + [(INITIATOR, 100)] + HELLO, "lost chain"),
    "lost chain": (FRAMES + [(INITIATOR, 1)] + HELLO, "hole"),
    "incomplete": (FRAMES + [(INITIATOR, fpdu(segment())[:-1])],),
    "after error": (FRAMES + [(INITIATOR, fpdu(segment(), flip=1))] + sent(segment(msn=2)), "crc"),
    "reset": (FRAMES + HELLO + [(RESPONDER, RESET)],),
    "false reset": (FRAMES + HELLO + [(RESPONDER, FAR_RESET)],),
    "startup assumed": ([FRAMES[0]] + HELLO,),
}


def rows():
    """Returns the rows of docs/problems.md: kind to (severity, clause, sentence)."""
    page = kit.octets(f"{os.environ['SCENARIOS']}/../docs/problems.md").decode()
    found = re.findall(r"(?m)^\| (\w+) \| `([\w ]+)` \| (\w[^|]* §[^|]*) \| (.*) \|$", page)
    return {kind: (severity, clause, sentence) for severity, kind, clause, sentence in found}


class Problems(DecodeTest):
    def problems(self, status, *options):
        done = kit.iwarpsim("decode", "x.pcap", "--problems", *options)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout.splitlines()

    def test_what_was_expected(self):
        """MSN 3 where 2 is due; MO 8 where 4 octets of the message have come."""
        for segments, status, words in (([segment(), segment(msn=3)], 3, "of its queue: 3, expected 2 ("),
                                        ([segment(last=0), segment(offset=8, last=0)], 0, "not in order: 8, expected 4 ("),
                                        ([segment(last=0), segment(offset=8)], 3, "came before: 8, expected 4 ("),
                                        ([write(b"12", last=0), write(b"3", offset=1)], 0, "not in order: "
                                         "0x0000000000000001, expected 0x0000000000000002 (")):
            write_packets("x.pcap", packets(FRAMES + sent(*segments)))
            self.assertIn(words, self.problems(status)[2])

    def test_rates(self):
        """7 octets of payload in 2 FPDUs, whose packets have 68 octets each, in 3 us; to the nearest integer."""
        made = packets(FRAMES + sent(segment(payload=b"abc"), segment(msn=2)))
        made[-1] = (made[-2][0] + 3 * MICROSECOND_NS, made[-1][1])
        write_packets("x.pcap", made)
        overview = json.loads(kit.iwarpsim("decode", "x.pcap", "--summary", "--json").stdout.splitlines()[-1])
        sums = overview["connections"][0]["directions"][0]
        self.assertEqual([sums[f"{name}_per_s"] for name in ("payload_octets", "wire_octets", "fpdus")],
                         [2_333_333, 45_333_333, 666_667])

    def test_each(self):
        """Each is found, and nothing else; everywhere with its clause and its place. Only an error gives
        status 3."""
        table = rows()
        self.assertEqual(sorted(CASES), sorted(table))
        for kind, (sent_octets, *others) in CASES.items():
            with self.subTest(kind=kind):
                severity, clause, sentence = table[kind]
                write_packets("x.pcap", packets(sent_octets))
                status = 3 if "error" in [table[each][0] for each in (kind, *others)] else 0
                found = [json.loads(line) for line in self.problems(status, "--json")[1:]]
                self.assertEqual({each["kind"] for each in found}, {kind, *others})
                one = next(each for each in found if each["kind"] == kind)
                self.assertEqual((one["type"], one["severity"], one["clause"]), ("problem", severity, clause))
                if kind != "startup assumed":  # its text is what is assumed
                    self.expect_start(one["text"], sentence)
                text = f"{severity}: {one['text']} ({clause})"
                line = next(line for line in self.problems(status) if line.endswith(text))
                self.expect_parts(line, f"{one['from']} > {one['to']}  {one['position']} ")
                self.expect_in_lines(one, text)
                self.expect_in_sums(one, sentence)

    def expect_in_lines(self, one, text):
        """The event at that place has it, too; for people errors and warnings have their clause."""
        at = [json.loads(line) for line in self.decode("x.pcap", "--json").splitlines()]
        self.assertIn(one["kind"], [problem["kind"] for event in at for problem in event.get("problems", [])
                                    if event["position"] == one["position"]])
        if one["severity"] != "note":
            self.assertIn(text, self.decode("x.pcap"))

    def expect_in_sums(self, one, sentence):
        connection = json.loads(self.decode("x.pcap", "--summary", "--json"))["connections"][0]
        sums = connection["directions"][one["direction"]]
        problem = next(each for each in sums["problems"] if each["kind"] == one["kind"])
        self.assertEqual((problem["position"], problem["packet"], problem["first_s"], problem["text"]),
                         (one["position"], one["packets"][0], one["time_s"], sentence))
        self.assertRegex(self.decode("x.pcap", "--summary"),
                         rf"\n  {one['severity']} to the \w+, \d+ times?: {re.escape(sentence)} \({one['clause']}\)")

    def test_allowed(self):
        """RFC 7306 has opcodes 8 to 11; who conforms to RFC 5044 answers Revision 0 by its own, 1; a connection
        whose startup frames were not captured may have the codes of RFC 6581."""
        for sent_octets in (sent(immediate(), immediate(2, IMMEDIATE_SE), atomic(1)) + sent(answer(1), sender=RESPONDER), HELLO):
            write_packets("x.pcap", packets([(INITIATOR, startup(REQUEST, CRC, 0)), FRAMES[1]] + sent_octets))
            self.problems(0)
            self.assertEqual("Atomic Request L=1" in self.decode("x.pcap"), sent_octets != HELLO)
        write_packets("x.pcap", packets(HELLO + sent(terminate(2, 0, 6), sender=RESPONDER)))
        self.assertNotIn("error", "".join(self.problems(0, "--mpa", "*:5044,markers=off")[2:-1]))

    def kinds_of(self, sent_octets):
        """Returns the kinds of errors in what the ends send."""
        write_packets("x.pcap", packets(sent_octets))
        found = kit.iwarpsim("decode", "x.pcap", "--problems", "--json", "-f", "severity = error").stdout
        return [json.loads(line)["kind"] for line in found.splitlines()[1:]]

    def test_startup_allowed(self):
        """RFC 6581 §9.1: IRD and ORD may be lower than asked for; 0x3FFF leaves either to the ULP, in the answer to
        0x3FFF, or on its own; the ORD of a Reply that rejects is what its ULP needs. §9.2: a Responder may have
        types that are not asked for, and any that both have may come."""
        for request, reply, flags in (((4, 8), (4, 4), CRC), ((OWN, 8), (8, OWN), CRC), ((4, OWN), (OWN, 2), CRC),
                                      ((4, 8), (8, OWN), CRC), ((4, 8), (8, 16), CRC | REJECT),
                                      ((A | 4, D | 4), (A | 4, 4), CRC | REJECT)):
            with self.subTest(request=request, reply=reply):
                frames = [(INITIATOR, enhanced(REQUEST, *request)), (RESPONDER, enhanced(REPLY, *reply, flags))]
                self.assertEqual(self.kinds_of(frames + HELLO * (flags == CRC)), [])
        frames = setup((A | B | 4, C | D | 4), (A | B | 4, C | D | 4))
        for first in (segment(payload=b""), write(b""), read(0), terminate(2, 0, 7)):
            self.assertEqual(self.kinds_of(frames + sent(first)), [])

    def test_startup_values(self):
        """What was expected of an answer, whose Request has IRD 4 and ORD 0x3FFF and no peer-to-peer model."""
        for reply, words in (((OWN, 5), "the Initiator's IRD: 5, expected at most 4 ("),
                             ((8, 4), "IRD=0x0008 ORD=0x0004, expected 0x3FFF for the Request's ORD=0x3FFF IRD=0x0004 ("),
                             ((A | B | OWN, 4), "of the Request: 1, expected 0 ("),
                             ((OWN, D | 4), "all 0 with it: A=0 B=0 C=0 D=1 (")):
            write_packets("x.pcap", packets(setup((4, OWN), reply) + HELLO))
            self.expect_parts("".join(self.problems(3)), words)
        self.assertEqual(self.kinds_of(setup((A | 4, D | 4), (A | 4, 4)) + HELLO), ["startup rtr"])

    def test_faults(self):
        """The errors of the model's own ends, in captures of its runs: of startup, of Immediate Data and Atomics, and of
        one message."""
        of_all = ("mpa.generation=rfc6581", "workload.messages=12", "workload.operation=write-immediate+fetch-add+read+send")
        for fault, side, kind, *sets in (("startup-plain", "responder", "startup answer"),
                                         ("startup-short", "responder", "startup enhanced"),
                                         ("startup-stray-flags", "initiator", "startup rtr"),
                                         ("startup-ord", "responder", "startup ord"),
                                         ("too-many-reads", "initiator", "ord", "responder.ird=2", "workload.operation=read"),
                                         ("atomic-opcode", "initiator", "atomic opcode"),
                                         ("atomic-request-short", "initiator", "atomic length"),
                                         ("atomic-response-id", "responder", "atomic answer"),
                                         ("unasked-atomic-response", "initiator", "atomic answer"),
                                         ("immediate-short", "initiator", "immediate"),
                                         ("invalid-stag", "initiator", "unfinished"),
                                         ("too-long", "initiator", "mo", "workload.operation=send"),
                                         ("out-of-bounds", "initiator", "segment order")):
            with self.subTest(fault=fault):
                settings = [word for each in (*of_all, f"fault.error={fault}", f"fault.side={side}", *sets, "run.expect=any")
                            for word in ("--set", each)]
                kit.write("empty.cfg", 'title = "test";\n')
                kit.iwarpsim("run", "empty.cfg", "--pcap", "--quiet", "--out", "run", *settings)
                found = kit.iwarpsim("decode", "run/receiver.pcap", "--problems", "--json").stdout
                self.assertIn(kind, [json.loads(line)["kind"] for line in found.splitlines()[1:]])

    def test_cut_short(self):
        """Private Data that the capture lacks (snap length) are not missing from the frame."""
        made = packets(setup((4, 8), (8, 4)) + HELLO)
        write_packets("x.pcap", made, snap_octets=40 + 21)
        self.assertEqual(self.problems(0)[-1][:10], "# errors 0")

    def test_rtr(self):
        """RFC 6581 §9.2: one of the types that both frames have, without octets, and first of all; where there is none,
        a Terminate."""
        for ird, ord, first in ((B, 0, read(0)), (0, C, segment(payload=b"")), (0, C, write(b"1")),
                                (0, D, read(1)), (0, D, write(b""))):
            frames = setup((A | B | 4, C | D | 4), (A | ird | 4, ord | 4))
            self.assertEqual(self.kinds_of(frames + sent(first)), ["rtr"])
        one_sided, unlike = setup((A | 4, D | 4), (A | B | 4, D | 4)), setup((A | 4, D | 4), (A | 4, C | 4))
        self.assertEqual(self.kinds_of(one_sided + sent(segment(payload=b""))), ["rtr"])
        self.assertEqual(self.kinds_of(unlike + sent(read(0))), ["rtr"])
        self.expect_parts(self.decode("x.pcap"), "RDMA Read Request for 0 octets, expected a Terminate (")
        self.assertEqual(self.kinds_of(unlike + sent(terminate(2, 0, 7))), [])
        write_packets("x.pcap", packets(PEERS + HELLO))
        self.expect_parts("".join(self.problems(3)), "agreed: Send for 4 octets, expected one for 0 octets of RDMA Read "
                          "Request (")

    def test_extensions(self):
        """RFC 7306: each message is of its queue and model, without STag, and has its length; what a FetchAdd does not
        use is 0 or all ones, what CmpSwap uses is anything."""
        tagged = struct.pack(">BBIQ", 0xC1, 0x48, 0, 0) + b"12345678"
        for segments, kinds in (([immediate(), immediate(2, IMMEDIATE_SE)], []),
                                ([immediate(payload=b"123456789")], ["immediate"]),
                                ([segment(IMMEDIATE, payload=b"1234", last=0),
                                  segment(IMMEDIATE, payload=b"5678", offset=4)], []),
                                ([segment(IMMEDIATE, payload=b"12345678", word=9)], ["invalidate stag"]),
                                ([segment(IMMEDIATE, queue=1, payload=b"12345678")], ["queue"]),
                                ([tagged], ["buffer model"]),
                                ([atomic(1), atomic(2, 2, CMP_SWAP, 3, 4)], []),
                                ([atomic(1, queue=3)], ["queue"]),
                                ([atomic(1)[:-1]], ["atomic length"]),
                                # MO 2^32 - 8 and 60 octets are no 52.
                                ([segment(ATOMIC_REQUEST, queue=1, offset=2**32 - 8, payload=bytes(60))],
                                 ["mo", "atomic length"]),
                                ([atomic(1, operation=3)], ["atomic opcode"]),
                                ([answer(1) + bytes(20)], ["atomic length", "atomic answer"])):  # 32, as §4 has it
            with self.subTest(segments=segments):
                self.assertEqual(self.kinds_of(FRAMES + sent(*segments)), kinds)
        for request in (atomic(1, compare=1), atomic(1, compare_mask=0), atomic(1, reserved=0x8000000)):
            write_packets("x.pcap", packets(FRAMES + sent(request)))
            self.assertEqual(self.problems(0)[-1], "# errors 0, warnings 1, notes 0")

    def test_answers(self):
        """Atomic and Read Responses are in the order of the Requests, and an Atomic's has its Identifier. Where a
        Response is missing from the capture, nothing is said about their order."""
        asked = sent(read(64), atomic(1, msn=2), read(8, msn=3, offset=2000), atomic(9, msn=4))
        right = [response(64), answer(1), response(8, offset=2000), answer(9, msn=2)]
        self.assertEqual(self.kinds_of(FRAMES + asked + sent(*right, sender=RESPONDER)), [])
        for order, kinds in (((1, 0, 2, 3), ["response order"]), ((0, 2, 1, 3), ["response order"]),
                             ((0, 1, 3), ["response order"])):
            self.assertEqual(self.kinds_of(FRAMES + asked + sent(*(right[i] for i in order), sender=RESPONDER)), kinds)
        swapped = [response(64), answer(9), response(8, offset=2000), answer(1, msn=2)]
        self.assertEqual(self.kinds_of(FRAMES + asked + sent(*swapped, sender=RESPONDER)), ["response order"])
        self.expect_parts("".join(self.problems(3)), "that in packet 6 is answered first; so it is of 1 more FPDUs (")
        for asks, answers, kinds in ((read(64, stag=0x10007), response(64, stag=0x10007), []),
                                     (atomic(0x10007), answer(0x10007), []),
                                     (atomic(0x10007), answer(7), ["atomic answer"])):
            self.assertEqual(self.kinds_of(FRAMES + sent(asks) + sent(answers, sender=RESPONDER)), kinds)
        write_packets("x.pcap", packets(FRAMES + asked + sent(right[0], answer(5), *right[2:], sender=RESPONDER)))
        self.expect_parts("".join(self.problems(3)), "awaits the Atomic Response: 5, expected 1 as in packet 6 (")
        made = packets(FRAMES + sent(atomic(1)) + sent(answer(1), sender=RESPONDER))  # the Response comes first
        write_packets("x.pcap", made[:-2] + [(made[-2][0], made[-1][1]), (made[-1][0], made[-2][1])])
        self.problems(0)
        hole = [(RESPONDER, len(fpdu(right[0])))]
        self.assertEqual(self.kinds_of(FRAMES + asked + hole + sent(*right[1:], sender=RESPONDER)), [])

    def test_ord(self):
        """RFC 6581 §9.1: the Initiator's ORD is the Responder's IRD of 2 at most; a Read that was answered counts no
        more. Atomics are the ULP's to count, and so are depths of 0x3FFF; an RTR indication is not counted. What the
        requester had acknowledged must be in the capture."""
        reads = [read(8, msn=1 + i, offset=8 * i) for i in range(4)]
        two = setup((4, 8), (2, 4))
        self.assertEqual(self.kinds_of(two + sent(*reads[:2])), [])
        self.assertEqual(self.kinds_of(two + sent(*reads[:2]) + sent(response(8, offset=0), sender=RESPONDER) +
                                       sent(reads[2])), [])
        write_packets("x.pcap", packets(two + sent(*reads)))
        self.expect_parts("".join(self.problems(3)), "agree on: 3, expected at most 2; so it is of 1 more FPDUs (")
        self.assertEqual(self.kinds_of(two + sent(*reads[:2], atomic(1, msn=3))), [])
        self.assertEqual(self.kinds_of(setup((4, OWN), (OWN, 4)) + sent(*reads)), [])
        peers = setup((A | 4, D | 8), (A | 2, D | 4))
        self.assertEqual(self.kinds_of(peers + sent(read(0), *(read(8, msn=2 + i) for i in range(2)))), [])
        self.assertEqual(self.kinds_of(two + sent(read(1), *(read(8, msn=2 + i) for i in range(2)))), ["ord"])
        of_responder = sent(*reads[:2], sender=RESPONDER)
        for request, reply, kinds in (((1, 8), (8, 1), ["ord"]), ((1, 8), (8, OWN), []), ((OWN, 8), (8, OWN), [])):
            self.assertEqual(self.kinds_of(setup(request, reply) + HELLO + of_responder), kinds)
        late = sent(response(8, offset=0), sender=RESPONDER)
        made = packets(two + sent(*reads[:2]) + late + sent(reads[2]))
        write_packets("x.pcap", made[:-2] + [(made[-2][0], made[-1][1]), (made[-1][0], made[-2][1])])
        self.assertEqual([json.loads(line)["kind"] for line in self.problems(0, "--json")[1:]], [])

    def test_contents(self):
        """Immediate Data and Atomics in every form; a message with its round trip, and one without a Response."""
        write_packets("x.pcap", packets(FRAMES + sent(immediate(), atomic(7, 1, CMP_SWAP, 3, 4), atomic(8, 2)) + sent(
            answer(7), sender=RESPONDER)))
        text = self.decode("x.pcap")
        self.expect_parts(text, "Immediate Data L=1 QN=0 MSN=1 MO=0 payload=8 Immediate Data=0x3132333435363738",
                          "payload=52 CmpSwap AOpCode=2 Request ID=7 Remote STag=0x00000007 Remote TO=0x0000000000000040 "
                          "Data=0x0000000000000005 Mask=0xFFFFFFFFFFFFFFFF Compare Data=0x0000000000000003 "
                          "Compare Mask=0x0000000000000004", "payload=52 FetchAdd AOpCode=0 Request ID=8",
                          "payload=12 Request ID=7 Original=0x0102030405060708")
        fpdus = [json.loads(line)["rdmap"] for line in self.decode("x.pcap", "--json", "-f", "type = fpdu").splitlines()[1:]]
        self.assertEqual([fpdus[0]["immediate_data"], fpdus[3]["atomic_response"]],
                         [{"value": "0x3132333435363738"}, {"request_id": 7, "original": "0x0102030405060708"}])
        self.assertEqual(fpdus[1]["atomic_request"], {
            "operation": "CmpSwap", "opcode": 2, "request_id": 7, "stag": "0x00000007",
            "tagged_offset": "0x0000000000000040", "data": "0x0000000000000005", "mask": "0xFFFFFFFFFFFFFFFF",
            "compare_data": "0x0000000000000003", "compare_mask": "0x0000000000000004"})
        whole = [json.loads(line) for line in self.decode("x.pcap", "--messages", "--json").splitlines()]
        values = [each["rdmap"]["immediate_data"]["value"] for each in whole
                  if each.get("rdmap", {}).get("name") == "Immediate Data"]
        self.assertEqual(values, ["0x3132333435363738"])
        messages = self.decode("x.pcap", "--messages")
        self.expect_parts(messages, "Original=0x0102030405060708 request_MSN=1 round_trip=0.00000200",
                          "note: no Atomic Response answers the Atomic Request with MSN 2 in packet 7")
        write_packets("y.pcap", packets(FRAMES + sent(read(64), atomic(0, 2)) + sent(answer(0), sender=RESPONDER)))
        self.expect_parts(self.decode("y.pcap", "--messages"), "Request ID=0 Original=0x0102030405060708 request_MSN=2 ")
        self.assertRegex(self.decode("x.pcap", "--summary"), r"\n  Atomic Request +2 +0\n  Atomic Response +0 +1\n")

    def test_private_data(self):
        """Private Data are named: IRD and ORD as two words in Revision 1, RPC-over-RDMA's (RFC 8797 §5: sizes are KiB
        less one), after the enhanced data, too. Eight octets of another ULP, or half of them, are not."""
        def shown(revision, flags, data):
            write_packets("x.pcap", packets([(INITIATOR, REQUEST + bytes([CRC | flags, revision, 0, len(data)]) + data),
                                             FRAMES[1]] + HELLO))
            request = json.loads(self.decode("x.pcap", "--summary", "--json"))["connections"][0]["request"]
            return self.decode("x.pcap"), request

        legacy, rpc = bytes.fromhex("00000010 00000000"), bytes.fromhex("F6AB0E18 01 01 03 00")
        text, request = shown(1, 0, legacy)
        self.assertEqual(request["legacy"], {"ird": 16, "ord": 0})
        self.expect_parts(text, "PD_Length=8, Private Data as legacy setup: IRD=16 ORD=0\n")
        sizes = {"version": 1, "remote_invalidation": True, "send_octets": 4096, "receive_octets": 1024}
        for revision, flags, before in ((1, 0, b""), (2, ENHANCED, bytes.fromhex("00040008"))):
            text, request = shown(revision, flags, before + rpc)
            self.assertEqual(request["rpc_over_rdma"], sizes)
            self.expect_parts(text, "Private Data of RPC-over-RDMA: Version=1 R=1 Send Size=4096 Receive Size=1024\n")
        for data in (bytes.fromhex("00004000 00000000"), bytes(8), legacy[:7], legacy + b"x", rpc[:7]):
            text, request = shown(1, 0, data)
            self.assertEqual([each for each in ("legacy", "rpc_over_rdma") if each in request], [])

    def test_one_message(self):
        """RFC 5041 §4: all segments of a message have its opcode, STag, QN, MSN and RsvdULP; the last has the highest
        MO. A Terminate may break one off, and a Write of no octets has no STag; DV is one in both directions."""
        begun, old = segment(last=0), dict(ddp=0, rdmap=0)
        for segments, kinds in (([begun, segment(5, offset=4)], ["unfinished"]),
                                ([begun, segment(offset=4, word=1)], ["invalidate stag", "unfinished"]),
                                ([begun, segment(offset=4, msn=2)], ["msn"]),
                                ([begun, terminate(2, 0, 1)], []),
                                ([write(b"12", last=0), write(b"3", offset=2, stag=8)], ["unfinished"]),
                                ([write(b"12", last=0), write(b"", offset=9, stag=8)], []),
                                ([write(b"12", last=0), response(2, offset=2)], ["unfinished"]),
                                ([begun, segment(offset=4, last=0), segment(offset=2, msn=1)], ["mo"]),
                                ([segment(offset=4)], ["mo"]),
                                ([segment(), segment(msn=2, **old)], ["version"])):
            with self.subTest(segments=segments):
                self.assertEqual(self.kinds_of(FRAMES + sent(*segments)), kinds)
        self.assertEqual(self.kinds_of(FRAMES + HELLO + sent(segment(**old), sender=RESPONDER)), ["version"])
        lost = [(INITIATOR, fpdu(segment(msn=2, last=0), flip=1))]  # a message whose start is not known is not judged
        for after in ([segment(msn=2, offset=9)], [segment(msn=2, offset=9, last=0), segment(msn=2, offset=13)]):
            self.assertEqual(self.kinds_of(FRAMES + lost + sent(*after)), ["crc"])
        self.assertEqual(self.kinds_of(FRAMES + sent(begun) + lost + sent(segment(5, msn=2))), ["crc"])

    def test_terminate_octets(self):
        """RFC 5040 §4.8: 4 octets; with M or D 2 more, with D 14 or 18 as its T has it, with R 28."""
        for flags, octets, lacks in ((0, 4, False), (0x80, 6, False), (0x80, 5, True), (0xC0, 24, False),
                                     (0xC0, 23, True), (0xE0, 52, False), (0xE0, 51, True)):
            payload = bytes([0x20, 1, flags, 0]) + bytes(octets - 4)
            self.assertEqual(self.kinds_of(FRAMES + sent(segment(TERMINATE, queue=2, payload=payload))),
                             ["terminate short"] * lacks)
        for reserved in (1, 2, 4, 8, 16):  # bits that announce nothing
            payload = bytes([0x20, 1, reserved, 0])
            self.assertEqual(self.kinds_of(FRAMES + sent(segment(TERMINATE, queue=2, payload=payload))),
                             ["terminate reserved"])
        tagged = bytes([0x20, 1, 0xC0, 0, 0, 20, 0xC1]) + bytes(13)
        for octets, kinds in ((tagged, []), (tagged[:-1], ["terminate short"])):
            self.assertEqual(self.kinds_of(FRAMES + sent(segment(TERMINATE, queue=2, payload=octets))), kinds)

    def test_first(self):
        """RFC 5044 §7.1.2: the Initiator's FPDU after the Reply, the Responder's after an FPDU, as their
        acknowledgements have it; half an FPDU is none. Who goes on although the peer's frame has the key of its
        own took it."""
        late = sent(segment(), sender=RESPONDER)
        whole = fpdu(segment())
        for sent_octets, kinds in ((FRAMES[:1] + HELLO + FRAMES[1:], ["early"]),
                                   (FRAMES[:1] + [(RESPONDER, FRAMES[1][1][:-1])] + HELLO + [
                                       (RESPONDER, FRAMES[1][1][-1:])], ["early"]),
                                   (FRAMES + HELLO + late, []),
                                   (FRAMES + [(INITIATOR, whole[:9])] + late + [(INITIATOR, whole[9:])],
                                    ["responder first"]),
                                   ([FRAMES[0], (RESPONDER, startup(REQUEST))] + HELLO,
                                    ["startup role", "startup accepted"]),
                                   ([(INITIATOR, startup(REPLY)), (RESPONDER, startup(REPLY))], ["startup role"]),
                                   ([(INITIATOR, startup(REPLY))] + HELLO, ["startup role"]),
                                   ([FRAMES[0], (RESPONDER, REPLY + bytes([CRC, 1, 2, 1]) + bytes(513))] + HELLO,
                                    ["startup private data", "startup accepted"])):
            self.assertEqual(self.kinds_of(sent_octets), kinds)
        made = packets(FRAMES + late + HELLO)  # near the Initiator, whose FPDU was sent before that of the peer came
        write_packets("x.pcap", made[:-2] + [(made[-2][0], made[-1][1]), (made[-1][0], made[-2][1])])
        self.expect_parts("".join(self.problems(3)), "the Responder's FPDU was sent before an FPDU of the Initiator")

    def test_first_beyond_a_hole(self):
        """The Initiator's first FPDU is lost after the place of the capture, its second comes: with markers the Responder
        may locate and validate that one (RFC 5044 §7.1.2 rule 4), whose octets it does not acknowledge."""
        for frames, marker, kinds in ((MARKED, bytes(4), []), (FRAMES, b"", ["responder first"])):
            made = packets(frames + [(INITIATOR, fpdu(segment(), marker=marker))] + sent(segment(msn=2))
                           + sent(segment(), sender=RESPONDER))
            time, octets = made[-1]
            acknowledges_the_request = octets[:28] + struct.pack(">I", 1 + 20) + octets[32:]
            write_packets("x.pcap", made[:-1] + [(time, acknowledges_the_request)])
            found = [json.loads(line) for line in self.problems(3 if kinds else 0, "--json")]
            self.assertEqual([each["kind"] for each in found if each["type"] == "problem"], kinds)

    def test_filter(self):
        """Fields of the problem itself choose among those of one FPDU."""
        write_packets("x.pcap", packets(FRAMES + sent(segment(word=5, ddp=5), segment(last=0, msn=2),
                                                      segment(offset=8, msn=2, last=0))))
        for condition, status, kinds in (("kind = 'ddp reserved'", 3, ["ddp reserved"]),
                                         ("severity = warning", 0, ["segment order"]),
                                         ("clause = 'RFC 5040 §4.1' and msn = 1", 3, ["invalidate stag"])):
            found = [json.loads(line) for line in self.problems(status, "--json", "--filter", condition)[1:]]
            self.assertEqual([each["kind"] for each in found], kinds)
        self.assertEqual(len(self.decode("x.pcap", "--json", "-f", "severity = error").splitlines()), 1 + 1)

    def test_fields(self):
        """A condition on fields that no line of the chosen kind has is refused."""
        write_packets("x.pcap", packets(FRAMES + HELLO))
        for options, field, page in (("", "fpdus", "without"), ("-m", "located_by", "with")):
            self.expect_refused(f"iwarpsim decode x.pcap {options} -f '{field} = 3'",
                                f"unknown field '{field}'; expected one that docs/captures.md, {page} --messages, lists",
                                code=2)

    def test_order(self):
        """Errors come first, then warnings, then notes, whatever came first in the capture."""
        write_packets("x.pcap", packets(FRAMES + [(RESPONDER, RESET)] + sent(
            *UNORDERED, segment(msn=2, word=1))))
        lines = self.problems(3)
        self.assertEqual([re.search(r"(error|warning|note): ", line).group(1) for line in lines[2:-1]],
                         ["error", "warning", "note"])
        self.assertEqual(lines[-1], "# errors 1, warnings 1, notes 1")
        chosen = self.problems(0, "--filter", "msn = 1 or type = note")
        self.assertEqual(chosen[-1], "# errors 0, warnings 1, notes 1")

    def test_swapped(self):
        """What was meant is printed: MPA's CRC error, which also refuses an FPDU whose CRC is right."""
        write_packets("x.pcap", packets(FRAMES + HELLO + sent(terminate(0, 2, 2), sender=RESPONDER)))
        meant = "Layer and EType are swapped: meant is Layer=2 EType=0 Error Code=0x02, LLP error 0x02: MPA CRC error"
        self.expect_parts(self.decode("x.pcap"), meant, "the CRC of every FPDU that came before is right: of 1 (RFC")
        sums = json.loads(self.decode("x.pcap", "-s", "-j"))["connections"][0]["directions"][RESPONDER]
        self.assertEqual([sums["terminates"][0][member] for member in ("layer", "type", "code", "position")],
                         [2, 0, 2, 20])
        self.expect_parts(self.decode("x.pcap", "-s"), "Terminate by the Responder, stream position 20, packet 6, "
                          "0.000005000 s: Layer=2 (LLP) EType=0 Error Code=0x02: LLP error 0x02: MPA CRC error")

    def test_terminates(self):
        """The first four of a direction are listed; all are counted."""
        write_packets("x.pcap", packets(FRAMES + sent(*(segment(TERMINATE, queue=2, msn=1 + code, payload=bytes(
            [0x20, code, 0, 0])) for code in range(1, 6)))))
        sums = json.loads(self.decode("x.pcap", "-s", "-j"))["connections"][0]["directions"][INITIATOR]
        self.assertEqual(([each["code"] for each in sums["terminates"]], sums["opcodes"]["Terminate"]),
                         ([1, 2, 3, 4], 5))
        self.assertEqual(self.decode("x.pcap", "-s").count("\n  Terminate by the Initiator, stream position "), 4)

    def test_not_refused(self):
        """A refusal is none of a right CRC while an FPDU is wrong, or has a length that cannot be (MPA reports that as
        a CRC error, too), or octets are missing, or the two of Revision
        2 use a code that earlier ones do not have."""
        refusal = sent(terminate(2, 0, 2), sender=RESPONDER)
        for before in ([(INITIATOR, fpdu(segment(), flip=1))], HELLO + [(INITIATOR, 100)] + HELLO,
                       HELLO + [(INITIATOR, b"\xFF\xFF" + segment())]):
            write_packets("x.pcap", packets(FRAMES + before + refusal))
            self.assertNotIn("before is right", self.decode("x.pcap"))
        for revision, kinds in ((1, ["terminate swapped"]), (2, [])):
            write_packets("x.pcap", packets([(INITIATOR, startup(REQUEST, CRC, revision)), (RESPONDER, startup(
                REPLY, CRC, revision))] + HELLO + sent(terminate(2, 0, 6), sender=RESPONDER)))
            lines = self.problems(3 if kinds else 0, "--json")[1:]
            self.assertEqual([json.loads(line)["kind"] for line in lines], kinds)

    def test_rates(self):
        """11 FPDUs of 100 octets of payload in a packet each, one each microsecond: 10 us; a FPDU has 128 octets
        (2 + 18 + 100 + 4 of CRC, and 0 of PAD), its packet 40 more."""
        write_packets("x.pcap", packets(FRAMES + sent(*(segment(msn=1 + i, payload=bytes(100))
                                                        for i in range(11)))))
        octets = 2 + 18 + 100 + 4
        sums = json.loads(self.decode("x.pcap", "-s", "-j"))["connections"][0]["directions"][INITIATOR]
        self.assertEqual([sums[member] for member in ("data_ns", "wire_octets", "payload_octets_per_s",
                                                      "wire_octets_per_s", "fpdus_per_s")],
                         [10000, 11 * (octets + 40), 1100 * 10**5, 11 * (octets + 40) * 10**5, 11 * 10**5])
        self.assertRegex(self.decode("x.pcap", "-s"), r"\n    FPDUs per second +1100000 +0\n")

    def test_after_error(self):
        """FPDUs that follow each other after an error are one note with their number, 24 octets each: 2 + 18 + 0 of
        payload + 4 of CRC."""
        bad = [(INITIATOR, fpdu(segment(payload=b""), flip=1))]
        follow = sent(*(segment(msn=2 + i, payload=b"") for i in range(9)))
        write_packets("x.pcap", packets(FRAMES + bad + follow))
        _, note = (json.loads(line) for line in self.problems(3, "--json")[1:])
        self.assertEqual((note["position"], note["octets"]), (20 + 24, 9 * 24))
        self.expect_start(note["text"], "9 FPDUs, one after the other, were found by the unproven length")
        self.assertEqual(self.problems(3)[-1], "# errors 1, warnings 0, notes 1")
        lines = [json.loads(line) for line in self.decode("x.pcap", "--json").splitlines()]
        self.assertEqual([line["after_error"] for line in lines if line["type"] == "fpdu"], [False] + 9 * [True])

    def test_messages(self):
        """A message has the problems of its FPDUs, and is chosen by the gravest."""
        write_packets("x.pcap", packets(FRAMES + sent(segment(last=0), segment(offset=8), segment(msn=2))))
        lines = [json.loads(line) for line in self.decode("x.pcap", "-m", "-j").splitlines()[1:]]
        self.assertEqual([[each["kind"] for each in line.get("problems", [])] for line in lines
                          if line["type"] == "message"], [["mo"], []])
        found = self.decode("x.pcap", "-m", "-f", "severity = error").splitlines()[2:]
        self.assertEqual([line.split("; ")[1:] for line in found], [[
            "error: MO of the segment with L=1 is not how many octets of its message came before (RFC 5041 §4.3)"]])

    def test_mistake(self):
        write_packets("x.pcap", packets(FRAMES + HELLO))
        for options in ("-s -p", "-m -p"):
            self.expect_refused(f"iwarpsim decode x.pcap {options}", "expected one of --problems, which prints those of ",
                                "--messages, whose lines have the problems of their FPDUs")
