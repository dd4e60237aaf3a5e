# SPDX-License-Identifier: GPL-2.0-only
"""These tests show that `iwarpsim replay` takes connections of RFC 6581 and RFC 7306, made by hand, as their real
ends did: all comes to its place, and no Terminate is sent that the capture does not have."""
import json
import struct

import program_kit as kit
from decode_trip import DecodeTest, write_packets
from hand_made import (A, B, C, CMP_SWAP, D, FRAMES, HELLO, IMMEDIATE_SE, INITIATOR, OWN, REPLY, REQUEST, RESPONDER,
                       answer, atomic, immediate, packets, read, response, segment, sent, setup, startup, terminate,
                       write)


class Replays(DecodeTest):
    def replay(self, sent_octets, side="responder"):
        """Returns the summary of a replay of the end `side`."""
        write_packets("x.pcap", packets(sent_octets))
        done = kit.iwarpsim("replay", "x.pcap", "--set", f"measure.side={side}", "-o", "out", "-q")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        return json.loads(kit.octets("out/summary.json"))

    def expect(self, summary, octets, messages):
        """All is delivered, and the stream goes on."""
        self.assertEqual(summary["status"], "ok")
        self.assertEqual([summary["metrics"][name] for name in ("delivery.octets", "delivery.messages")],
                         [octets, messages])

    def test_immediate_data(self):
        """Two Writes of 100 octets, each followed by 8 of Immediate Data: 216 octets in 4 messages."""
        of = [write(bytes(100)), immediate(), write(bytes(100), offset=100), immediate(2, IMMEDIATE_SE)]
        self.expect(self.replay(FRAMES + sent(*of)), 2 * (100 + 8), 4)

    def test_atomics(self):
        """Requests, and a Read among them, are RDMAP's own, and no payload; Responses of 12 and 64 octets come to the
        Initiator, and a Send of 4 after them to either end. The replay answers nothing."""
        asked = sent(atomic(1), read(64, msn=2), atomic(2, 3, CMP_SWAP, 3, 4), segment())
        answers = sent(answer(1), response(64), answer(2, msn=2), segment(), sender=RESPONDER)
        self.expect(self.replay(FRAMES + asked + answers), 4, 1)
        self.expect(self.replay(FRAMES + asked + answers, "initiator"), 2 * 12 + 64 + 4, 4)

    def test_many_atomics(self):
        """200, one after the other: buffers are used again."""
        made = [each for i in range(1, 201)
                for each in sent(atomic(i, msn=i)) + sent(answer(i, msn=i), sender=RESPONDER)] + sent(segment())
        self.expect(self.replay(FRAMES + made), 4, 1)
        self.expect(self.replay(FRAMES + made, "initiator"), 200 * 12, 200)

    def test_startup(self):
        """Enhanced frames, peer to peer or not, negotiated or not; each RTR indication; Revision 3."""
        for frames, first in ((setup((4, 8), (8, 4)), []), (setup((OWN, 8), (8, OWN)), []),
                              (setup((A | B | 4, C | D | 4), (A | B | 4, 4)), [segment(payload=b"")]),
                              (setup((A | B | 4, C | D | 4), (A | 4, C | 4)), [write(b"")]),
                              (setup((A | B | 4, C | D | 4), (A | 4, D | 4)), [read(0)]),
                              ([(INITIATOR, startup(REQUEST, revision=3)), (RESPONDER, startup(REPLY, revision=3))], [])):
            with self.subTest(frames=frames):
                msn = 2 if first == [segment(payload=b"")] else 1
                summary = self.replay(frames + sent(*first, segment(msn=msn)))
                self.assertEqual((summary["status"], summary["metrics"]["mpa.fpdus"]), ("ok", len(first) + 1))
                back = sent(segment(), sender=RESPONDER)
                self.expect(self.replay(frames + sent(*first, segment(msn=msn)) + back, "initiator"), 4, 1)

    def test_terminate(self):
        """One that the capture has ends it, as the peer's: 7 of MPA is RFC 6581's."""
        summary = self.replay(setup((A | 4, C | 4), (A | 4, D | 4)) + sent(terminate(2, 0, 7)))
        self.assertEqual(summary["status"], "terminated")
        self.assertIn("2/0/07", summary["message"])
