# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what `iwarpsim run` prints: the answer first, everything with --all."""
import json
import re

import program_kit as kit

# 4 Writes and the last Send: 5 messages. The third segment with payload is lost and comes again.
ONE_LOSS = """title = "One loss";
run: { engine = "native"; };
workload: { message_size = "64KiB"; messages = 4; };
receiver: { mode = "in-order"; };
path: { forward: { drop = [3]; }; };
"""


class Run(kit.ProgramTest):
    def setUp(self):
        super().setUp()
        kit.write("a.cfg", ONE_LOSS)

    def metrics(self, folder):
        return json.loads(kit.octets(f"{folder}/summary.json"))["metrics"]

    def test_one_octet(self):
        kit.write("a.cfg", "workload: { message_size = 1; messages = 1; };\n")
        done = self.shell("iwarpsim run a.cfg --out .")
        self.assertIn(" 1 octet\n", done.stdout)
        self.assertRegex(self.shell("iwarpsim size a.cfg --key receiver.memory --from 1 --to 64 --seeds 1 --every-seed -q "
                                    "--keep 'delivery.messages >= 3'", 1).stdout, "from 1 octet to 64 octets")

    def test_startup(self):
        """What both ends agreed on, the kind of RTR indication, and second tries; without rfc6581 nothing."""
        run = "iwarpsim run a.cfg --out . --set path.forward.drop=[]"
        ends = " --set mpa.generation=rfc6581"
        for keys, words in ((" --set mpa.generation=rfc", None),
                            (ends, r"Revision 2 in \S+ us; ORD 16 of the Initiator, 16 of the Responder"),
                            (ends + " --set initiator.peer_to_peer=true --set responder.ird=3 --set mpa.rtr=write",
                             r"Revision 2 in \S+ us; ORD 3 of the Initiator, 16 of the Responder; RTR by a Write"),
                            (ends + " --set responder.enhanced=false --set initiator.fallback=true",
                             r"Revision 1 in \S+ us; ORD 16 of the Initiator, 16 of the Responder; 1 connection\s+tried again "
                             "with Revision 1")):
            page = self.shell(run + keys).stdout
            if words:
                self.assertRegex(page, "\n  startup    " + words + "\n")
            else:
                self.assertNotIn("startup", page)

    def test_answer(self):
        """Every number is one of the summary's."""
        page = self.shell("iwarpsim run a.cfg -o o").stdout
        of = self.metrics("o")
        peak, placed = of["buffer.reassembly_peak_octets"], of["placement.octets"]
        self.assertEqual(of["buffer.peak_octets.order"], peak)
        self.assertEqual(page, f"""One loss
  scenario   a (a.cfg), seed 1, native engine
  status     ok
  peak       {peak / 1024:.4g} KiB of reassembly memory at {of['buffer.reassembly_peak_at_s'] * 1e6:.4g} us
  held       octets beyond a hole, where the receiver may not look ahead (order), up to {peak / 1024:.4g} KiB
  p99        {of['buffer.reassembly_p99_octets'] / 1024:.4g} KiB or less for 99 % of the time; \
{of['buffer.reassembly_mean_octets']:.4g} octets on average
  theory     peak = {of['fit.k']:.4g} x BufferSizeTCP (64.04 KiB) = {of['fit.k1']:.4g} x EMSS (mpa-01 section 11)
  placed     {100 * of['placement.octets_direct'] / placed:.4g} % of the payload directly, \
{100 * of['placement.octets_buffered'] / placed:.4g} % by way of the memory; 0 % out of order
  located    {of['mpa.fpdus']} FPDUs: 100 % by chain
  goodput    {of['goodput_bit_per_s'] / 1e9:.4g} Gbit/s: 5 messages, 256 KiB; wire efficiency \
{100 * of['efficiency_wire']:.4g} %
  losses     1 packet lost by drop list; 1 retransmission, 0 timeouts; {of['tcp.segments_out_of_order']} of \
{of['tcp.segments']} segments out of
             order
  warm-up    too short to tell whether the run is steady: a longer one may have another p99

results in o
  iwarpsim explain-peak o: what made the peak, or a failure
  iwarpsim timeline o -o run.html: the run over time
  --all, or summary.json there: every metric
""")

    def test_losses_by_cause(self):
        """Each cause that is not 0, and their sum; what the receiver refuses is no loss of the path."""
        page = " ".join(self.shell(
            "iwarpsim run a.cfg -o o --set path.forward.drop=[] --set path.forward.loss=1% --set path.forward.corrupt=1%"
            " --set path.forward.queue=30 --set workload.messages=40 --set receiver.memory=4KiB").stdout.split())
        of = self.metrics("o")
        lost = [of[f"losses.{cause}"] for cause in ("random", "queue", "damaged")]
        self.assertNotIn(0, lost)
        self.assertIn(f"losses {sum(lost)} packets lost ({lost[0]} at random, {lost[1]} by a queue, {lost[2]} by damage); ",
                      page)
        self.assertIn(f"; {of['refused.memory']} segments refused for lack of memory ", page)
        # one metric counts what is listed and what is not
        for sets, words in (("drop=[3]", "1 packet lost by drop list; "), ("loss_every=100", " lost at random; "),
                            ("drop=[3] --set path.forward.loss=1%", " lost at random or by drop list; ")):
            self.assertIn(words, self.shell(f"iwarpsim run a.cfg -o o --set path.forward.drop=[] --set path.forward.{sets}").stdout)

    def test_former_keys(self):
        """What 0.2.0 called a key is answered by what it is called today."""
        hint = "It had this name in 0.2.0: "
        self.expect_refused("iwarpsim run a.cfg -o o --set tcp.cubic_ahead=srtt", "(did you mean 'tcp.cubic'? " + hint)
        self.expect_parts(self.shell("iwarpsim explain tcp.cubic_ahead").stdout, hint, "tcp.cubic")

    def test_former_names(self):
        """What 0.2.0 called a metric is answered by its name of today."""
        kit.write("two.cfg", ONE_LOSS + 'sweep = ( { key = "run.seed"; values = [1, 2]; } );\n')
        self.shell("iwarpsim sweep two.cfg --store s.sqlite --quiet")
        for former, name in (("buffer.segments_refused", "refused.memory"),
                             ("state.segments_refused", "refused.descriptors")):
            self.expect_parts(self.shell(f"iwarpsim explain {former}").stdout, f"{former} is now called {name}.", name)
            self.expect_parts(self.shell(f"iwarpsim table s.sqlite --metric {former}").stdout, f"\n{name} in segments")
        page = self.shell("iwarpsim table s.sqlite").stdout
        self.expect_parts(page, "\nlosses.random in packets")
        self.assertNotIn("losses.queue", page)

    def test_several_causes(self):
        """The one that held most comes first; the connection is named where there are several."""
        page = self.shell("iwarpsim run a.cfg -o o --set receiver.mode=out-of-order --set workload.connections=2"
                          " --set sender.segmentation=stream --set path.forward.loss=2% --set run.seed=3").stdout
        of = self.metrics("o")
        self.assertGreater(of["buffer.peak_octets.unlocated"], of["buffer.peak_octets.incomplete"])
        self.assertRegex(page, r", the largest share held by connection [01]\n  held       octets of FPDUs that no marker had located "
                         r"\(unlocated\), up to [\d.]+ KiB; FPDUs\s+with\s+octets missing \(incomplete\), up to ")
        self.expect_parts(page, " by marker", " x EMSS x connections (")

    def test_nothing_held(self):
        page = self.shell("iwarpsim run a.cfg -o o --set path.forward.drop=[]").stdout
        self.expect_parts(page, "  peak       0 octets of reassembly memory: no octet waited for one that was missing\n"
                          "  placed     100 % of the payload directly, 0 % by way of the memory; 0 % out of order\n")

    def test_window_never_opened(self):
        """What lies beyond all traffic was not measured: no peak of 0 octets, whatever is lost."""
        done = self.shell("iwarpsim run a.cfg -o o --set measure.from=1GiB")
        self.assertIn("\n  peak       none: the window that is measured never opened (measure.from)\n  placed  ",
                      done.stdout)
        self.assertIn("measure.from = 1073741824 is beyond the 262144 octets of the workload", done.stderr)
        self.assertNotIn("warm-up", done.stdout)

    def test_too_short(self):
        """A p99 beside which nothing tells whether a longer run has it; 0 octets need no such line."""
        line = "  warm-up    too short to tell whether the run is steady: a longer one may have another p99\n"
        self.assertIn(line, self.shell("iwarpsim run a.cfg -o o").stdout)
        self.assertNotIn("warm-up", self.shell("iwarpsim run a.cfg -o o --set path.forward.drop=[]").stdout)

    def test_standing_queue(self):
        """Two windows of two products each post all they have: what exceeds one product waits for the link, up to
        the queue that the scenario allows."""
        many = "iwarpsim run a.cfg -o o --set workload.connections=2 --set workload.messages=40"
        page = self.shell(many).stdout
        queue = self.metrics("o")["path.queue_peak_octets"]
        product = self.metrics("o")["theory.buffer_tcp_octets"]  # K = 1: rate times base round trip
        self.assertGreater(queue, product)
        self.assertRegex(page, rf"queue      up to {queue / 1024:.4g} KiB waited for a link, {queue / product:.3g} x the "
                         r"bandwidth-delay\s+product:\s+the\s+round")
        self.assertNotIn("waited for a link", self.shell(f"{many} --set path.forward.queue_size=30KiB").stdout)

    def test_nearly_all(self):
        """100 % is all of them: some ten FPDUs of 270,000 after the lost segment are located by markers."""
        page = self.shell("iwarpsim run a.cfg -o o --set receiver.mode=out-of-order --set workload.messages=6000").stdout
        of = self.metrics("o")
        self.assertLess(0.99995 * of["mpa.fpdus"], of["mpa.located_by_chain"])
        self.assertLess(of["mpa.located_by_chain"], of["mpa.fpdus"])
        self.assertIn(" FPDUs: 99.99 % by chain, 0.00", page)

    # Each key of a direction that asks for something has a value with which a run of 2.5 MB does none of it,
    # and one with which it does.
    ASKED = {
        "loss": ("0.0000001%", "3%"), "loss_every": (1000000, 50), "drop": ([3, 100000], [3, 5]),
        "corrupt": ("0.0000001%", "3%"), "duplicate": ("0.0000001%", "3%"), "displace": ("0.0000001%", "3%"),
        "ecn_mark": ("0.0000001%", "10%"), "ecn_every": (1000000, 10), "ecn_threshold": (1000000, 1),
        "discipline": ("red", "codel"), "burst": ("64MiB", "2KiB"), "reorder": ("0.0000001%", "10%"),
        "jitter_reorders": ("true", "true"),  # of a jitter that is the same for each, and of one that is not
    }
    NEEDED = (("burst_rate=5Gbit/s", "burst_action=shape", "red_minimum=100000", "red_maximum=200000",
               "distribution=constant"),
              ("burst_rate=5Gbit/s", "burst_action=shape", "codel_target=1us", "codel_interval=1us",
               "distribution=uniform"))

    def no_effect(self, *sets):
        """What a run with these sets notes that had no effect in it."""
        self.shell("iwarpsim run e.cfg -o o -q " + " ".join(f"--set '{one}'" for one in sets))
        notes = json.loads(kit.octets("o/summary.json")).get("notes", [])
        return [re.search(r": (?:event: )?(\S+) = ", note)[1] for note in notes]

    def test_what_had_no_effect(self):
        """What a key asks for and a run does not do is noted after it, in the direction that it is asked of; what it
        does is not."""
        kit.write("e.cfg", """workload: { messages = 20; directions = "both"; };
run: { engine = "native"; expect = "any"; };
tcp: { ecn = "on"; };
path: { forward: { rate = "1Gbit/s"; jitter = "50us"; }; reverse: { jitter = "50us"; }; };
""")
        self.assertEqual(self.no_effect(), [])
        for model, values in (("gemodel", ("[0.0000001%]", "[3%]")), ("state", ("[0.0000001%]", "[3%]"))):
            asked = {**self.ASKED, model: values}
            for direction in ("forward", "reverse"):
                for acts in (0, 1):
                    sets = [f"path.{direction}.{key}={values[acts]}" for key, values in asked.items()]
                    sets += [f"path.{direction}.{needed}" for needed in self.NEEDED[acts]]
                    self.assertCountEqual(self.no_effect(*sets),
                                          [] if acts else [f"path.{direction}.{key}" for key in asked])
                self.assertEqual(self.no_effect(f"path.{direction}.reorder=100%"), [f"path.{direction}.jitter"])

    def test_what_had_no_effect_elsewhere(self):
        """The same of what no direction has: boxes, each by its own, a black hole, an event and a fault. What has its
        default asks for nothing."""
        kit.write("e.cfg", """workload: { messages = 20; };
run: { engine = "native"; expect = "any"; };
path: { reverse: { discipline = "tail"; }; };
middlebox: { position = "behind"; push = "ignore"; };
""")
        whole = "middlebox.split_size=65000"
        for expected, *sets in (
                ([], "middlebox.mode=split"), ([], "middlebox.mode=coalesce"), ([], "middlebox.mode=rechunk"),
                ([], "middlebox.mode=shift"), ([], "middlebox.mode=random"), ([], "middlebox.mode=proxy"),
                (["middlebox.mode"], "middlebox.mode=split", whole), ([], "middlebox.mode=none"),
                (["middlebox.mode"], "middlebox.mode=coalesce", "middlebox.coalesce_size=1"),
                (["middlebox.mode"], "middlebox.mode=split+coalesce", whole), ([], "middlebox.mode=split+coalesce"),
                (["fault.error"], "fault.error=bad-crc", "fault.at=100000"), ([], "fault.error=bad-crc")):
            self.assertEqual(self.no_effect(*sets), expected, sets)
        for at, expected in (("1ms", []), ("1s", ["path.too_big", "path.forward.mtu"])):
            kit.write("e.cfg", f"""tcp: {{ black_hole_detection = true; }}; path: {{ too_big = "silent"; }};
event = ( {{ at = "{at}"; key = "path.forward.mtu"; value = 1000; }} );""")
            self.assertEqual(self.no_effect(), expected)

    def test_notes_of_a_run(self):
        """They name what asked, are printed with the result and again by show; a list is done when all of it is."""
        for sets, note in (
                ("path.forward.drop=[3,100000]",
                 "path.forward.drop = [3,100000]: not all of it had an effect in this run"),
                ("path.reverse.drop=[100000]", "path.reverse.drop = [100000] had no effect in this run")):
            note = f"note: --set '{sets}': {note}\n"
            self.assertIn(note, self.shell(f"iwarpsim run a.cfg -o o --set '{sets}'").stderr)
            self.assertEqual(self.shell("iwarpsim show o").stderr, note)
            self.assertNotIn("in this run", self.shell(f"iwarpsim run a.cfg -o o -q --set '{sets}'").stderr)
        kit.write("f.cfg", 'event = ( { at = "9s"; key = "path.forward.mtu"; value = 1280; } );')
        self.assertIn("note: f.cfg:1: event: path.forward.mtu = 1280 did not come in this run\n",
                      self.shell("iwarpsim run f.cfg -o o").stderr)

    def test_show(self):
        """What a run prints is printed again from its folder: an answer, every metric, a run that was terminated. The
        folder of a replay does as well; what is no such folder is refused."""
        for options in ("", "--all"):
            printed = self.shell(f"iwarpsim run a.cfg -o o {options}").stdout
            self.expect(f"iwarpsim show o {options}", printed)
        kit.write("f.cfg", 'fault: { error = "bad-crc"; };')
        self.expect("iwarpsim show f", self.shell("iwarpsim run f.cfg -o f", 1).stdout)
        self.assertIn("status     terminated: ", self.shell("iwarpsim show f").stdout)
        self.shell("iwarpsim run a.cfg -o . --pcap -q")
        for options in ("", "--all"):
            printed = self.shell(f"iwarpsim replay receiver.pcap -o r {options}").stdout
            self.expect(f"iwarpsim show r {options}", printed)
        self.expect_refused("iwarpsim show a.cfg", "a.cfg: this is a scenario, ")
        self.expect_refused("iwarpsim show missing", "missing: No such file or directory; expected the folder of a run")
        kit.write("o/summary.json", "{}")
        self.expect_refused("iwarpsim show o", "o/summary.json: not a summary: ")

    def test_runs_again(self):
        """Without run.trace a run is made again: one that takes long is announced, with its cost; with it, none is."""
        self.shell("iwarpsim run a.cfg -o o -q --set workload.messages=12000 --set measure.series=none")
        again = self.shell("iwarpsim explain-peak o")
        self.assertRegex(again.stderr, r"^note: o/summary.json: there is no run.trace beside it, so the run is made again: "
                         r"750 MiB in all, 12 thousand messages, about \d+ thousand segments; about \d+ s, ")
        self.expect("iwarpsim explain-peak o -q", again.stdout)
        # A page of it is expected to take several times as long: it is announced of a run that is explained without.
        # The seconds themselves are this machine's, of this moment, and not compared.
        self.shell("iwarpsim run a.cfg -o o -q --set workload.messages=2500 --set measure.series=none")
        self.assertEqual(self.shell("iwarpsim explain-peak o").stderr, "")
        self.assertRegex(self.shell("iwarpsim timeline o -o o.html").stderr, r"the run is made again: .*; about \d+ s, ")
        short = "iwarpsim run a.cfg -o s -q --set workload.messages=8"
        self.shell(f"{short} && {short} --trace s/run.trace")
        self.assertEqual(self.shell("iwarpsim explain-peak s").stderr, "")

    def test_fresh_memory(self):
        """No result depends on what memory holds that nobody wrote. The end of the first Send comes one octet too far
        on, which the receiver's ULP does not take for it; it takes that of the third, which is in the third's buffer as sent."""
        traces = set()
        for fill in (85, 170):
            self.shell(f"MALLOC_PERTURB_={fill} iwarpsim run a.cfg -o o -q --trace t --set fault.error=too-long --set fault.at=1"
                       " --set workload.operation=send --set 'workload.message_sizes=[1500,3000]' --set path.forward.drop=[]", 1)
            traces.add(self.shell("iwarpsim trace t").stdout)
        self.assertEqual(len(traces), 1)
        self.assertNotIn("octets_wrong", traces.pop())

    def test_all(self):
        """Every metric of the summary, by name."""
        page = self.shell("iwarpsim run a.cfg --all -o o").stdout
        self.expect_parts(page, *[f"\n  {metric} " for metric in self.metrics("o")])
        self.assertTrue(page.endswith("\n\nresults in o\n"), page)

    def test_width(self):
        """No line is longer than COLUMNS, but for commands to copy."""
        for columns in (60, 80):
            lines = self.shell("iwarpsim run a.cfg -o o", COLUMNS=str(columns)).stdout.splitlines()
            self.assertLessEqual(max(len(line) for line in lines if "iwarpsim " not in line), columns)
            self.assertGreater(max(map(len, lines)), columns - 15)

    def test_seed(self):
        """It acts as --set run.seed; it wins over the scenario's."""
        lossy = "iwarpsim run a.cfg --all --set path.forward.loss=2%"
        kit.write("a.cfg", ONE_LOSS.replace("run: {", "run: { seed = 7;"))
        for options in ("--seed 9 -o a", "--set run.seed=9 -o b", "-o c"):
            self.shell(f"{lossy} {options}")
        a, b, c = (kit.octets(f"{folder}/occupancy.csv") for folder in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.expect_parts(self.shell("iwarpsim run a.cfg --seed 9 -o a").stdout, "seed 9, native engine")
        self.expect_refused("iwarpsim run a.cfg --seed x", "--seed: run.seed = x is not an integer; expected an integer")

    def test_replay(self):
        self.shell("iwarpsim run a.cfg --pcap -q -o o")
        page = self.shell("iwarpsim replay o/receiver.pcap --set receiver.mode=in-order --seed 2 -o r").stdout
        self.expect_parts(page, "  replay of  receiver.pcap (o/receiver.pcap)\n  measured   the Responder of 1 connection,",
                          "\n  peak       ", "another p99\n\nresults in r\n  --all, or summary.json there: every metric\n")
        self.assertNotIn("explain-peak", page)  # which needs a scenario, or a trace
        self.assertEqual(json.loads(kit.octets("r/summary.json"))["provenance"]["seed"], "2")
