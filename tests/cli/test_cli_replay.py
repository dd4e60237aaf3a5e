# SPDX-License-Identifier: GPL-2.0-only
"""These tests are about `iwarpsim replay` as a user meets it."""
import json
import os

import program_kit as kit

CAPTURE = "run/receiver.pcap"
MISTAKES = [
    ("", "one CAPTURE is needed, 0 were given"),
    (f"- < {CAPTURE}", "standard input or a pipe can be read only once"),
    ("pipe", "can be read only once"),
    (f"/dev/stdin < {CAPTURE} --hold 0", "--hold 0"),  # a file all the same
    ("none.pcap", "none.pcap: "),
    ("a.cfg", "a.cfg: "),
    (f"{CAPTURE} --resend soon",
     "--resend soon: no time; expected one above 0, such as 1ms, or auto, or never"),
    (f"{CAPTURE} --hold much", "--hold much: no size"),
    (f"{CAPTURE} --mpa nowhere", "--mpa"),
    (f"{CAPTURE} --filter 'no such'", 'the filter "no such"'),
    (f"{CAPTURE} --filter udp", f"{CAPTURE}: no connection in it speaks MPA: 0 packets, 0 TCP connections; name one"),
    (f"{CAPTURE} --set workload.messages=1", "--set 'workload.messages=1': the capture decides this"),
    (f"{CAPTURE} -o a.cfg/x", "a.cfg: cannot make this folder"),
]


def series(folder):
    """The lines of its series but the first, without their times."""
    lines = kit.octets(f"{folder}/occupancy.csv").decode().splitlines()
    return "".join(f"{line.partition(',')[2]}\n" for line in lines[1:])


def summary(folder):
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        return json.load(file)


class Replay(kit.ProgramTest):
    def setUp(self):
        """A run with a loss, in order; its captures are in run/."""
        super().setUp()
        kit.write("a.cfg", 'title = "t";\nworkload: { messages = 5; };\nreceiver: { mode = "in-order"; };\n'
                  "path: { forward: { drop = [50]; }; };\n")
        self.shell("iwarpsim run --quiet a.cfg --pcap -o run")

    def test_results(self):
        """The same series as the run's, but for its first line; a summary that describes what was replayed; a
        page to read. The capture stays, also when the results go beside it."""
        done = self.shell(f"iwarpsim replay {CAPTURE} --set receiver.mode=in-order --all -o again")
        measured = "the Responder of 1 connection, where most payload goes"
        self.expect_parts(done.stdout, f"replay of  receiver.pcap ({CAPTURE})", f"measured   {measured}\n",
                          "path       none: arrivals as captured, nothing comes again\n",
                          "not known  what sender and path did", "buffer.reassembly_peak_octets",
                          "results in again")
        self.assertNotIn("integrity", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertEqual(series("again"), series("run"))
        self.assertGreater(series("run").count("\n"), 10)
        again = summary("again")
        self.assertEqual(again["replay"]["measured"], measured)
        keys = again["scenario"]["keys"]
        self.assertEqual((keys["measure.side"], keys["workload.connections"], keys["receiver.mode"]),
                         ("responder", "1", "in-order"))
        for unknown in (b"workload.message_size", b"path.forward.rate"):
            self.assertNotIn(unknown, kit.octets("again/summary.json"))
        self.shell("iwarpsim plot again --quiet && test -e again/occupancy.png")
        self.assertIn(b"'replay of receiver.pcap \xc2\xb7 seed 1", kit.octets("again/occupancy.gnuplot"))
        self.shell(f"iwarpsim replay {CAPTURE} -q -o run && test -e {CAPTURE} && test -e run/sender.pcap")
        self.shell(f"iwarpsim replay {CAPTURE} -q && test -e results/receiver.pcap/summary.json")

    def test_mistakes(self):
        os.mkfifo("pipe")
        for arguments, part in MISTAKES:
            self.expect_refused(f"iwarpsim replay {arguments}", part)
        self.assertFalse(os.path.exists("results"))

    def test_broken_off(self):
        """A truncated file: what comes before the cut is replayed, and a message reports it."""
        done = self.shell(f"head -c 200000 {CAPTURE} > short.pcap && iwarpsim replay short.pcap -o short")
        self.expect_parts(done.stderr, "note: short.pcap: ", "; what came before is replayed\n")
        (note,) = summary("short")["replay"]["notes"]
        self.assertRegex(note, "^short.pcap: .*what came before is replayed$")
        self.assertEqual(self.shell("iwarpsim replay short.pcap -o short -q").stderr, "")
        self.shell(f"head -c 150 {CAPTURE} > shorter.pcap")
        self.expect_refused("iwarpsim replay shorter.pcap -o shorter", "shorter.pcap: packet 2: the file ends early; expected one that was not cut off")

    def test_path_and_stop(self):
        """A simulated path loses, and what is lost comes again. run.stop ends a replay early, run.expect
        makes that end a failure."""
        for options, *parts in (
                ("--set path.forward.loss=2%", "path.packets_lost",
                 "delivery.octets                                      327680  octets",
                 "path       of its own, without a link; what has not arrived sets off again after ",
                 " (the handshakes' round trip)\n"),
                ("--set path.forward.mtu=9000 --resend 1ms --filter tcp", "filter     tcp\n",
                 "path       of its own, with a link; what has not arrived sets off again after 1ms\n"),
                ("--set run.stop=100us", "stopped: run.stop reached before the end of the capture")):
            self.expect_parts(self.shell(f"iwarpsim replay {CAPTURE} {options} --all -o out").stdout, *parts)
