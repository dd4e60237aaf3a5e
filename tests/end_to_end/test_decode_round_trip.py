# SPDX-License-Identifier: GPL-2.0-only
"""`iwarpsim decode` reads back what the program puts into captures: every octet is accounted for, and the
counts are the run's own."""

from decode_trip import FORWARD, REVERSE, DecodeTest

# These are the run's counts of what decode counts.
COUNTS = {"fpdus": "mpa.fpdus", "markers": "mpa.markers", "segments": "tcp.segments",
          "aligned": "mpa.segments_aligned", "out_of_order": "tcp.segments_out_of_order"}
LOCATED = {f"located_by_{way}": f"mpa.located_by_{way}" for way in ("chain", "marker", "marker_chain")}

NO_STARTUP_FRAMES = ("--mpa", "*:5044")

# These are the shipped scenarios, as they are without their sweeps, the long ones with less work.
SHIPPED = [
    ("connections.cfg", "workload.connections=30", "workload.messages=8"),
    ("connections.cfg", "workload.connections=30", "workload.messages=8", "sender.segmentation=stream"),
    ("cut-size.cfg", "middlebox.chunk=64", "workload.messages=20"),
    ("cut-size.cfg", "middlebox.chunk=700", "workload.messages=40"),
    ("displaced.cfg", "workload.messages=80"),
    ("four-receivers.cfg", "workload.messages=40", "path.forward.loss=1%", "path.forward.mtu=576"),
    ("generations.cfg", "initiator.generation=ietf", "responder.generation=ietf"),
    ("generations.cfg", "initiator.generation=rfc", "responder.generation=rfc"),
    # Its receiver reassembles fragments with less memory than decode has.
    ("ip-fragments.cfg", "receiver.ip_reassembly=unlimited"),
    ("lossless.cfg", "workload.messages=50"),
    ("memory-goodput.cfg", "workload.messages=40", "path.forward.loss=1%"),
    ("middleboxes.cfg", "workload.messages=20", "middlebox.mode=random"),
    ("middleboxes.cfg", "workload.messages=20", "middlebox.mode=rechunk+coalesce", "path.forward.loss=1%"),
    ("mtu-loss.cfg", "workload.messages=40", "path.forward.mtu=9000", "path.forward.loss=1%"),
    ("one-loss-markers.cfg",),
    ("one-loss-middlebox.cfg",),
    ("overhead.cfg", "workload.messages=4", "path.forward.mtu=9000", "mpa.crc=false"),
    ("packing.cfg", "workload.messages=500", "workload.message_size=216"),
    ("packing.cfg", "workload.messages=500", "workload.message_size=706", "sender.segmentation=stream"),
    ("path-mtu-change.cfg",),
    ("reordering.cfg",),
    ("storage-loss.cfg",),
    ("ten-thousand-connections.cfg", "workload.connections=100", "workload.start_spread=5ms"),
]

# Cases that no shipped scenario has.
OTHERS = [
    # IPv6, after streaming mode, private data.
    ("tcp.ip=ipv6", "sender.stream_phase=333", "initiator.private_data=512", "responder.private_data=3",
     "path.forward.loss=2%"),
    ("path.forward.corrupt=2%", "path.forward.duplicate=5%", "workload.messages=40"),
    ("run.seed=67743", "path.forward.loss=1%"),  # sequence numbers that wrap
]

# Operations, with the direction that the Data Sink receives; each generation on two of the three paths.
OPERATIONS = [("write", FORWARD), ("read", REVERSE), ("send", FORWARD), ("send-invalidate", FORWARD),
              ("send-se", FORWARD), ("send-se-invalidate", FORWARD), ("storage-read", REVERSE),
              ("storage-write", FORWARD), ("send+read+send-se", FORWARD),
              ("write", FORWARD, "workload.directions=both")]
GENERATIONS = [("mpa.generation=rdmac", "mpa.markers=true"), ("mpa.generation=ietf", "mpa.markers=true"),
               ("mpa.generation=rfc", "mpa.markers=false")]
PATHS = [("path.forward.loss=0%", "path.reverse.loss=0%", "tcp.timestamps=true"),
         ("path.forward.loss=3%", "path.reverse.loss=3%", "path.forward.reorder=10%"),
         ("sender.segmentation=stream", "path.forward.loss=2%", "middlebox.mode=rechunk")]

# This is a fault of the Initiator, and layer, type and code of the Responder's Terminate (rdmap-00 §6.8, fig.
# 9).
MISDEEDS = [("write", "invalid-stag", 1, 1, 0x00), ("write", "bad-crc", 2, 0, 0x02),
            ("send", "no-buffer", 1, 2, 0x02), ("send", "rdmap-version", 0, 2, 0x05),
            ("send", "unknown-opcode", 0, 2, 0x06), ("read", "read-access", 0, 1, 0x02),
            ("write", "ddp-version-tagged", 1, 1, 0x04)]


class RoundTrip(DecodeTest):
    def check(self, *sets, file=None, options=(), sink=FORWARD, counts=(*COUNTS, *LOCATED)):
        """A run; `counts` of its captures are its metrics, where the Data Sink receives."""
        with self.subTest(file=file, sets=sets):
            metrics = self.run_scenario(*sets, file=file)
            sent = self.sums("run/sender.pcap", *options)
            arrived = self.sums("run/receiver.pcap", *options)
            self.expect_accounted(sent)
            self.expect_accounted(arrived)
            self.expect_same(sent, arrived)
            self.assertEqual({count: arrived[sink][count] for count in counts},
                             {count: metrics[{**COUNTS, **LOCATED}[count]] for count in counts})

    def test_shipped(self):
        for file, *sets in SHIPPED:
            self.check(*sets, file=file)

    def test_other_scenarios(self):
        for sets in OTHERS:
            self.check(*sets)

    def test_without_startup_frames(self):
        self.check("initiator.generation=rdmac", "responder.generation=rdmac", file="generations.cfg",
                   options=NO_STARTUP_FRAMES)
        # Two segments lost of each burst.
        self.check("mpa.generation=rdmac", "path.forward.gemodel=[0.5%,50%,100%,0]", "path.forward.mtu=9000",
                   options=NO_STARTUP_FRAMES)

    def test_other_receivers(self):
        """Receivers that locate in their own way, or pass segments over: located_by_* are their own."""
        self.check("receiver.mode=in-order", "workload.messages=80", file="displaced.cfg", counts=COUNTS)
        self.check("workload.messages=40", "path.forward.loss=1%", "mpa.markers=false",
                   "receiver.mode=assume-aligned", file="four-receivers.cfg", counts=COUNTS)
        self.check(file="one-loss-in-order.cfg", counts=COUNTS)
        self.check(file="reads-loss.cfg", sink=REVERSE, counts=COUNTS)

    def test_operations(self):
        for operation, sink, *more in OPERATIONS:
            for number, generation in enumerate(GENERATIONS):
                for path in (PATHS[number], PATHS[(number + 1) % len(PATHS)]):
                    self.check("workload.messages=6", "workload.message_size=20001",
                               f"workload.operation={operation}", *more, *generation, *path, sink=sink,
                               options=NO_STARTUP_FRAMES if "rdmac" in generation[0] else ())

    def test_bad_crc(self):
        """The 1000th FPDU has a wrong CRC: it counts, what was sent after it is decoded along its length."""
        self.run_scenario(file="bad-crc.cfg", status="terminated")
        forward, reverse = self.sums("run/receiver.pcap")
        self.assertGreater(forward["fpdus"], 1000)
        self.assertEqual((forward["crc_bad"], forward["after_error"]), (1, forward["fpdus"] - 1000))
        self.assertEqual(reverse["fpdus"], 1)  # the Terminate

    def test_terminate(self):
        """Each fault is decoded as it was sent, and the Terminate with its numbers."""
        for operation, fault, *numbers in MISDEEDS:
            with self.subTest(fault=fault):
                self.run_scenario("workload.messages=6", "run.expect=terminate", "fault.at=2",
                                  f"workload.operation={operation}", f"fault.error={fault}",
                                  status="terminated")
                rdmap = [fpdu["rdmap"] for fpdu in self.fpdus("run/receiver.pcap")]
                found = [each["terminate"] for each in rdmap if "terminate" in each][-1]
                self.assertEqual([found["layer"], found["type"], found["code"]], numbers)
