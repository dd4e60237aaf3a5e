# SPDX-License-Identifier: GPL-2.0-only
"""This is a second opinion on decode: tshark, field by field, where it can decode: streams without markers,
in order (docs/facts.md, "tshark 4.0")."""
import os
import unittest

import program_kit as kit
from decode_trip import DecodeTest

# This is a field as tshark calls it, and where it is in an object of decode.
FIELDS = {
    "iwarp_mpa.ulpdulength": "ulpdu_octets",
    "iwarp_mpa.crc_check": "crc_received",
    "iwarp_ddp.tagged_flag": "ddp.tagged",
    "iwarp_ddp.last_flag": "ddp.last",
    "iwarp_ddp.dv": "ddp.version",
    "iwarp_ddp.stag": "ddp.stag",
    "iwarp_ddp.tagged_offset": "ddp.tagged_offset",
    "iwarp_ddp.qn": "ddp.queue_number",
    "iwarp_ddp.msn": "ddp.msn",
    "iwarp_ddp.mo": "ddp.message_offset",
    "iwarp_rdma.version": "rdmap.version",
    "iwarp_rdma.opcode": "rdmap.opcode",
    "iwarp_rdma.inval_stag": "rdmap.invalidate_stag",
    "iwarp_rdma.sinkstag": "rdmap.read_request.sink_stag",
    "iwarp_rdma.sinkto": "rdmap.read_request.sink_offset",
    "iwarp_rdma.rdmardsz": "rdmap.read_request.length",
    "iwarp_rdma.srcstag": "rdmap.read_request.source_stag",
    "iwarp_rdma.srcto": "rdmap.read_request.source_offset",
}


def number(value):
    """A value of decode or tshark: a number, a flag, or a number as text."""
    if isinstance(value, str):
        return 1 if value.lower() == "true" else 0 if value.lower() == "false" else int(value, 0)
    return int(value)


def value_at(fpdu, place):
    """The value of "a.b.c" in an FPDU; None when it has none."""
    for name in place.split("."):
        fpdu = fpdu.get(name) if fpdu is not None else None
    return fpdu


class Tshark(DecodeTest):
    @unittest.skipIf(os.environ["TSHARK"] == "", "tshark is not installed")
    def test_tshark(self):
        """Unmarked and in order, which tshark reads well: every field of every FPDU."""
        self.run_scenario("workload.messages=9", "workload.message_size=5000", "mpa.markers=false",
                          "workload.operation=write+read+send+send-se-invalidate", "workload.directions=both")
        # A row a packet, a column a field, commas between the values of several FPDUs.
        wanted = [word for field in FIELDS for word in ("-e", field)]
        done = kit.run(os.environ["TSHARK"], "-r", "run/receiver.pcap", "-Tfields", *wanted)
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = zip(*(row.split("\t") for row in done.stdout.splitlines()), strict=True)
        fpdus = self.fpdus("run/receiver.pcap")
        for (field, place), column in zip(FIELDS.items(), columns, strict=True):
            theirs = [number(text) for cell in column if cell for text in cell.split(",")]
            values = [value_at(fpdu, place) for fpdu in fpdus]
            self.assertGreater(len(theirs), 0, field)
            self.assertTrue([number(value) for value in values if value is not None] == theirs, field)
