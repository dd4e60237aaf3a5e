#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What siw put on the wire and told its ULPs (tests/siw, made by scripts/siw), beside decode, replay and the model."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
HERE = SOURCE / "tests/siw"


def read_table(name):
    lines = [line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t") + [""] * len(columns))) for line in lines[1:]]


def iwarpsim(*arguments, status=0):
    done = subprocess.run([os.environ["IWARPSIM"], *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def decode(capture):
    """The Request, the Reply, and the FPDUs of a capture, as decode has them."""
    lines = [json.loads(line) for line in iwarpsim("decode", "--json", capture).splitlines()]
    request, = (line for line in lines if line["type"] == "request")
    reply, = (line for line in lines if line["type"] == "reply")
    return request, reply, [line for line in lines if line["type"] == "fpdu"]


CASES = read_table("cases.tsv")
TOLD = {(row["case"], row["end"], row["what"]): (int(row["ird"]), int(row["ord"])) for row in read_table("told.tsv")}


def each():
    """The name of each case, its row, and what its capture has."""
    return [(case["case"], case, decode(HERE / f"{case['case']}.pcap")) for case in CASES]


class Siw(unittest.TestCase):
    def test_limits_are_those_that_its_ulps_were_told(self):
        """The server learns the client's IRD and ORD; the client what is left to it: the server's ORD as IRD, its IRD as ORD."""
        for name, _, (request, reply, _) in each():
            if name == "revision-1":
                self.assertFalse("enhanced" in request or "enhanced" in reply)
                continue
            asked, answered = request["enhanced"], reply["enhanced"]
            self.assertEqual((asked["ird"], asked["ord"]), TOLD[name, "server", "told"], name)
            self.assertEqual((answered["ord"], answered["ird"]), TOLD[name, "client", "told"], name)

    def test_first_fpdu_is_the_rtr_that_was_agreed(self):
        """RFC 6581 §9.2: siw sends a Write where it may, else a Read Request."""
        for name, _, (_, reply, fpdus) in each():
            first = next(fpdu for fpdu in fpdus if fpdu["direction"] == 0)
            agreed = reply.get("enhanced", {"peer_to_peer": False})
            if not agreed["peer_to_peer"]:
                self.assertEqual(first["rdmap"]["read_request"]["length"], 64, name)
            elif agreed["zero_length_write"]:
                self.assertEqual((first["rdmap"]["name"], first["payload_octets"]), ("RDMA Write", 0), name)
            else:
                self.assertTrue(agreed["zero_length_read"], name)
                self.assertEqual(first["rdmap"]["read_request"]["length"], 0, name)

    def test_nothing_is_wrong(self):
        for name, _, _ in each():
            self.assertIn("# errors 0, warnings 0", iwarpsim("decode", "--problems", HERE / f"{name}.pcap"))

    def test_replay_takes_every_octet(self):
        """The server sends one Read Response of 64 octets, the client one Send of 64."""
        for name, _, _ in each():
            with tempfile.TemporaryDirectory() as folder:
                iwarpsim("replay", HERE / f"{name}.pcap", f"--out={folder}")
                summary = json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))
            self.assertEqual((summary["status"], summary["metrics"]["placement.octets"]), ("ok", 64))

    def test_the_model_starts_alike(self):
        """Both frames of the model's two ends have the Revision, flags, IRD and ORD of siw's. siw raises a Responder's
        IRD to the Initiator's ORD whatever RTR there is; the model does only what RFC 6581 §9.1 has."""
        for name, case, (request, reply, _) in each():
            settings = [f"{end}.{key}={case[column]}" for column, end, key in (
                ("client_ird", "initiator", "ird"), ("client_ord", "initiator", "ord"),
                ("server_ird", "responder", "ird"), ("server_ord", "responder", "ord"))]
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "siw.cfg").write_text('@include "presets/siw.cfg"\nworkload: { messages = 1; };\n', encoding="utf-8")
                arguments = [argument for setting in settings * (name != "revision-1") + case["settings"].split()
                             for argument in ("--set", setting)]
                iwarpsim("run", f"{folder}/siw.cfg", *arguments, "--pcap", f"--out={folder}/out")
                own_request, own_reply, _ = decode(f"{folder}/out/receiver.pcap")
            raised = name != "revision-1" and int(case["client_ord"]) > int(case["server_ird"])
            for siw, own in ((request, own_request), (reply, own_reply)):
                for field in ("revision", "markers", "crc", "rejected", "enhanced_flag", "reserved"):
                    self.assertEqual(own[field], siw[field], (name, field))
                expected = dict(siw.get("enhanced", {}))
                if raised and siw is reply:
                    self.assertEqual(expected["ird"], int(case["client_ord"]))
                    expected["ird"] = int(case["server_ird"])
                if name == "rtr-both" and siw is reply:
                    self.assertTrue(expected["zero_length_write"] and not expected["zero_length_read"])
                    expected["zero_length_read"] = True
                self.assertEqual(own.get("enhanced", {}), expected, name)


if __name__ == "__main__":
    unittest.main()
