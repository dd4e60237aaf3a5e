# SPDX-License-Identifier: GPL-2.0-only
"""These tests show what `meson install` leaves, under a DESTDIR: the program, which finds what comes with it
wherever it is moved to, with the source and the build hidden; what users read; and with ns-3 a library of
which somebody else's ns-3 program needs to know nothing but `pkg-config iwarpsim-ns3`. `ninja uninstall`
removes it all."""
import json
import os
import re
import shutil
import unittest
from pathlib import Path

import program_kit as kit

ROOT = Path(__file__).resolve().parents[2]
for variable in ("DATA", "MODULES", "PLOTS", "SCENARIOS", "TIMELINE"):
    os.environ.pop(f"IWARPSIM_{variable}", None)  # the tests' own environment would show it where things are

# It is as the comment at the top of iwarpsim_host.h has it.
PROGRAM = """
#include <iostream>
#include <ns3/node-container.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <shim/iwarpsim_host.h>

int main(int, char **argv)
{
  iwarpsim::Hosts hosts(argv[1]);
  ns3::NodeContainer nodes(2);
  ns3::PointToPointHelper cable;
  cable.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
  ns3::NetDeviceContainer devices = cable.Install(nodes);
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), devices.Get(1)->GetAddress());
  hosts.Attach(iwarpsim::RESPONDER, nodes.Get(1), devices.Get(1), devices.Get(0)->GetAddress());
  hosts.Start(ns3::MilliSeconds(1));
  ns3::Simulator::Run();
  std::cout << hosts.GetMetric("delivery.messages") << std::endl;
  return hosts.IsDone() && hosts.GetFailure().empty() ? 0 : 1;
}
"""


# This is every command of the program at $IWARPSIM; its standard error is shown when one fails.
COMMANDS = """
exec 3>&1 >printed
$IWARPSIM new one-loss-markers >a.cfg
$IWARPSIM new flows --ring 2 >flows.txt
$IWARPSIM check a.cfg scenarios/presets/siw.cfg
$IWARPSIM run a.cfg --out run --pcap --trace run/run.trace
$IWARPSIM explain-peak run
$IWARPSIM show run
$IWARPSIM timeline run/run.trace -o page.html
$IWARPSIM trace run/run.trace --filter 'event = packet_dropped'
$IWARPSIM plot run --format svg
$IWARPSIM plot run/run.trace --format svg --out plots
$IWARPSIM sweep a.cfg --store a.sqlite
$IWARPSIM size a.cfg --key receiver.memory --from 64KiB --to 65KiB --keep 'goodput_bit_per_s > 1Mbit/s'
$IWARPSIM table a.sqlite
$IWARPSIM report a.sqlite -o report.html
$IWARPSIM export a.sqlite --csv a.csv
$IWARPSIM merge a.sqlite -o merged.sqlite
$IWARPSIM decode run/receiver.pcap
$IWARPSIM replay run/receiver.pcap --out replayed
printf '3 1 2\\n2\\n0 2 100Gbps 1us 0\\n1 2 100Gbps 1us 0\\n' >topology.txt
$IWARPSIM import hpcc topology.txt --out imported.cfg
$IWARPSIM explain held
$IWARPSIM help run
"""


def meson(*arguments):
    done = kit.run(os.environ["MESON"], *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Install(kit.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(cls.enterClassContext(kit.folder("installed")))
        meson("install", "-C", os.environ["BUILD"], "--no-rebuild", "--quiet", "--destdir", cls.root)
        options = json.loads(meson("introspect", "--buildoptions", os.environ["BUILD"]))
        value = {option["name"]: option["value"] for option in options}
        cls.prefix = Path(value["prefix"])
        cls.there = cls.root / cls.prefix.relative_to("/")
        cls.libraries = cls.there / value["libdir"]
        cls.headers = cls.there / value["includedir"] / "iwarpsim"
        cls.data = cls.there / value["datadir"] / "iwarpsim"

    def hidden(self, lines, **environment):
        """Runs lines where the source and the build cannot be seen: in a mount namespace, with empty folders
        over them. What was printed is in the result."""
        places = [ROOT] + ([] if Path(os.environ["BUILD"]).is_relative_to(ROOT) else [os.environ["BUILD"]])
        hide = "".join(f"mount -t tmpfs none '{place}'\n" for place in places)
        if kit.run("unshare", "-m", "sh", "-ec", hide).returncode != 0:
            self.skipTest("only root may hide folders, in a mount namespace of its own (unshare -m)")
        kit.write("lines", hide + f"cd {self.folder}\n" + lines)
        return self.shell("unshare -m sh -e lines", **environment)

    def move(self):
        """Copies it to moved/; its program, and its data."""
        shutil.copytree(self.there, "moved")
        kit.write("a.cfg", '@include "presets/siw.cfg"\nworkload: { messages = 2; };\n')
        return f"{self.folder}/moved/bin/iwarpsim", Path("moved") / self.data.relative_to(self.there)

    def test_nothing_is_beside_the_prefix(self):
        self.assertFalse([file for file in self.root.rglob("*")
                          if not file.is_dir() and not file.is_relative_to(self.there)])

    def test_scenarios_and_presets(self):
        for ending in ["cfg", "txt"]:
            self.assertEqual({file.relative_to(self.data) for file in self.data.rglob(f"*.{ending}")},
                             {file.relative_to(ROOT) for file in (ROOT / "scenarios").rglob(f"*.{ending}")})
        self.assertTrue((self.data / "scenarios/sizes/websearch-hpcc.txt").is_file())
        self.assertTrue((self.data / "scenarios/presets/siw.cfg").is_file())

    def test_places(self):
        """Returns where the files are, by the folders below the prefix that they are in."""
        places = {"bin", "share/iwarpsim", "share/doc/iwarpsim", "share/man/man1", "share/man/man5",
                  "share/man/man7", "share/bash-completion/completions", "share/zsh/site-functions",
                  "share/fish/vendor_completions.d"}
        if kit.HAS_NS3:
            places |= {str(self.libraries.relative_to(self.there)), "include/iwarpsim"}
        found = {next((place for place in places if (self.there / place) in file.parents), file)
                 for file in self.there.rglob("*") if not file.is_dir()}
        self.assertEqual(found, places)
        for name in ("wireshark/iwarp_mpa_marked.lua", "plots/page.gp", "timeline/timeline.js"):
            self.assertTrue((self.data / name).is_file(), name)
        self.assertTrue(os.access(self.data / "sweep.sbatch", os.X_OK))

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
    def test_every_command(self):
        program, data = self.move()
        commands = re.findall(r"^  ([a-z-]+)  ", self.shell(f"{program} help").stdout, re.M)
        self.assertEqual(set(re.findall(r"^\$IWARPSIM (\S+)", COMMANDS, re.M)), set(commands))
        on_ns3 = "$IWARPSIM run a.cfg --engine ns3 --out ns3\n" if kit.HAS_NS3 else ""
        self.hidden(COMMANDS + on_ns3, IWARPSIM=program)
        self.expect_refused(f"rm -r {data} && {program} plot run --format svg", "cannot find 'page.gp' in ")

    def test_manual(self):
        """A page for each command, which groff and mandoc take without a warning; each key is in the one
        about scenarios, each metric in that about metrics."""
        pages = {path.name: path for path in (self.there / "share/man").rglob("*.?")}
        commands = re.findall(r"^  ([a-z-]+)  ", kit.iwarpsim("help").stdout, re.M)
        self.assertEqual(set(pages), {"iwarpsim.1", "iwarpsim-scenario.5", "iwarpsim-metrics.7",
                                      *(f"iwarpsim-{command}.1" for command in commands)})
        read = {}
        for name, path in pages.items():
            if shutil.which("man"):
                done = self.shell(f"man --warnings -E UTF-8 -l {path}", MANROFFSEQ="", MANWIDTH="80",
                                  LC_ALL="C.UTF-8")
                self.assertEqual(done.stderr, "", name)
                read[name] = done.stdout
            if shutil.which("mandoc"):
                self.expect(f"mandoc -T lint -W warning {path}", "")
        if read:
            for page, topic in (("iwarpsim-scenario.5", "keys"), ("iwarpsim-metrics.7", "metrics")):
                named = re.findall(r"^(\S+) \(", kit.iwarpsim("explain", topic).stdout, re.M)
                shown = re.findall(r"^ {7}(\S+)(?: .*)?$", read[page], re.M)
                self.assertGreater(len(named), 50)
                self.assertEqual([name for name in named if name not in shown], [])
            self.assertIn("\n       -s, --set=GROUP.KEY=VALUE\n              override a key of the scenario",
                          read["iwarpsim-run.1"])
            for name in ("iwarpsim.1", "iwarpsim-decode.1"):
                self.expect_parts(read[name], "EXIT STATUS\n", "\n       3      an error that 'decode --problems' found\n")
            for part in ("DATA", "SCENARIOS", "PLOTS", "TIMELINE", "MODULES"):
                self.assertRegex(read["iwarpsim.1"], rf"(?s)ENVIRONMENT.*\n       IWARPSIM_{part}\n")

    def test_documents(self):
        """A link leads to a file that is installed too; so are pictures; commands are those of the program
        that is installed."""
        documents = self.there / "share/doc/iwarpsim"
        pages = list(documents.rglob("*.md"))
        self.assertTrue({"README.md", "docs/scenario.md", "docs/metrics.md", "docs/findings.md"} <=
                        {str(page.relative_to(documents)) for page in pages})
        for page in pages:
            text = page.read_text(encoding="utf-8")
            links = re.findall(r"\]\(([^()#\s]+)", text) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)
            links = [link for link in links if "://" not in link]
            self.assertEqual([link for link in links if not (page.parent / link).exists()], [], page)
            self.assertNotIn("build/iwarpsim", text, page)
        self.assertTrue((documents / "LICENSE").is_file())
        self.assertTrue(list(documents.rglob("*.png")))

    def test_uninstall(self):
        """Nothing is left, not even a folder."""
        build = os.environ["BUILD"]
        meson("install", "-C", build, "--no-rebuild", "--quiet", "--destdir", f"{self.folder}/gone")
        self.assertTrue(os.path.isdir("gone"))
        self.shell(f"ninja -C {build} uninstall")
        self.assertEqual(os.listdir(), [])

    def test_own_files(self):
        """The preset that is read is the installed one: it has a title here. Without it there is none, though
        the source tree is still there: the error names the folders that should have it. So is ns-3's module,
        in a program that has one."""
        program, data = self.move()
        with open(data / "scenarios/presets/siw.cfg", "a", encoding="utf-8") as preset:
            preset.write('title = "the installed one";\n')
        self.expect_start(self.shell(f"{program} run a.cfg").stdout, "the installed one\n")
        self.shell(f"{program} check scenarios/device-siw.cfg")
        data.rename("data")
        searched = [".", f"{self.folder}/moved/bin/scenarios", f"{self.folder}/{data}/scenarios"]
        self.expect_refused(f"{program} run a.cfg", "a.cfg:1: cannot find 'presets/siw.cfg' in "
                            f"{', '.join(searched)} or {self.prefix / data.relative_to('moved')}/scenarios; "
                            "expected a file to include")
        for folder in ("data", "data/scenarios"):
            self.shell(f"{program} run a.cfg", IWARPSIM_DATA=folder)
        if kit.HAS_NS3:
            os.rename("data", data)
            self.shell(f"{program} run a.cfg --engine ns3")

    def test_prefix(self):
        """An executable alone in a folder finds all in the prefix that it was configured for."""
        if not self.prefix.is_dir():
            self.skipTest(f"there is no {self.prefix} to show the installed files in")
        program, _ = self.move()
        self.shell(f"mkdir alone && mv {program} alone && rm -r moved")
        engine = "ns3" if kit.HAS_NS3 else "native"
        self.hidden(f"mount --bind {self.there} {self.prefix}\nalone/iwarpsim run a.cfg --engine {engine}")

    @unittest.skipIf(shutil.which("gnuplot") is None, "gnuplot is not installed")
    def test_templates_of_plots(self):
        """Plots are drawn by the installed templates; a changed copy of them is used."""
        program, data = self.move()
        self.shell(f"{program} run a.cfg --out run --quiet && {program} plot run --format svg")
        self.assertIn(b"--- The terminal", kit.octets("run/occupancy.gnuplot"))
        self.shell(f"cp -r {data}/plots mine && sed -i 's/DejaVu Sans/My Font/' mine/page.gp")
        self.shell(f"{program} plot run --format svg", IWARPSIM_PLOTS="mine")
        self.assertIn(b'font-family="My Font"', kit.octets("run/occupancy.svg"))
        self.shell("mkdir -p own && mv mine own/plots && sed -i 's/My Font/His Font/' own/plots/page.gp")
        self.shell(f"{program} plot run --format svg", IWARPSIM_DATA="own")
        self.assertIn(b'font-family="His Font"', kit.octets("run/occupancy.svg"))
        self.expect_refused(f"{program} plot run --format svg", "cannot find 'page.gp' in nowhere",
                            IWARPSIM_PLOTS="nowhere")

    @unittest.skipUnless(kit.HAS_NS3, "needs ns-3")
    @unittest.skipIf(kit.SANITIZED, "the user's program would need the sanitizer, too")
    def test_a_program_of_somebody_else(self):
        description = self.libraries / "pkgconfig/iwarpsim-ns3.pc"
        self.assertEqual(description.read_text(encoding="utf-8").splitlines()[0], f"prefix={self.prefix}")
        self.assertEqual(self.shell(f"pkg-config --cflags {description}").stdout.split(),
                         [f"-I{self.prefix / self.headers.relative_to(self.there)}"])
        flags = self.shell(f"pkg-config --cflags --libs {description}",
                           PKG_CONFIG_SYSROOT_DIR=str(self.root)).stdout.strip()
        self.assertIn(f"-I{self.headers}", flags.split())
        self.assertIn(f"-L{self.libraries}", flags.split())

        kit.write("user.cc", PROGRAM)
        kit.write("user.cfg", '@include "presets/siw.cfg"\nworkload: { messages = 5; };\n')
        done = self.hidden(f"${{CXX:-c++}} -std=c++17 user.cc -o user {flags}\n./user user.cfg",
                           LD_LIBRARY_PATH=str(self.libraries), IWARPSIM_DATA=str(self.data))
        self.assertEqual(done.stdout, "6\n")  # the Send that ends the workload is one, too

    @unittest.skipUnless(kit.HAS_NS3, "needs ns-3")
    def test_what_the_library_shows(self):
        """The model's own names are hidden: they cannot meet those of the user's program."""
        library = self.libraries / "libiwarpsim_host.so"
        names = self.shell(f"nm -D --defined-only --format=just-symbols {library}").stdout.split()
        self.assertTrue(any("5Hosts6Attach" in name for name in names))
        self.assertFalse([name for name in names if name.startswith(("tcp_", "mpa_", "ddp_", "rnic_",
                                                                     "session_", "scenario_"))])
