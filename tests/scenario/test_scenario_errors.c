/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the refusal of a bad scenario names: file and line, what is wrong, what was expected,
 * what was perhaps meant. */
#include "scenario_fixture.h"

#define SEED "an integer from 0 to 9007199254740992"
#define DROP "a list of ascending integers from 1 to 9007199254740992, such as [100, 101] or []"
#define LOSS "a probability from 0 to 1, such as 0.001 or \"0.1%\""
#define RATE "a rate from \"1kbit/s\" to \"10Tbit/s\", such as \"10Gbit/s\""
#define DELAY "a time from \"0\" to \"10s\", such as \"25us\""
#define MTU "a size in octets from 176 to 65535, such as 1500 or \"1KiB\""
#define FORWARD_REST " and 36 more of 'iwarpsim explain path.forward'"
#define NEAR_LOSS "loss, loss_correlation, loss_every, rate, delay, mtu, framing, cell_size" FORWARD_REST
#define FILE_KEYS                                                                                            \
  "title, run, workload, mpa, initiator, responder, rdmap, sender and 12 more of 'iwarpsim explain'"
#define L_OR_UNIT ", with the L that larger numbers end with, or text with a unit, such as \"25Gbit/s\""
#define SYNTAX "; expected KEY = VALUE; or GROUP: { ... }; with words and values with units in quotes"

static const char *const files[][2] = {
    /* unknown names */
    {"path: {\n  forward: {\n    los = 1;\n  };\n};", "a.cfg:3: unknown key 'path.forward.los' (did you mean "
                                                      "'path.forward.loss'?); expected one of " NEAR_LOSS},
    {"path: {\n  reverse: {\n    bandwidth = 1;\n  };\n};",
     "a.cfg:3: unknown key 'path.reverse.bandwidth' (did you mean 'path.reverse.rate'?); expected one of "
     "rate, burst_rate, hop_rate, delay, mtu, framing, cell_size, cell_overhead and 36 more of 'iwarpsim "
     "explain "
     "path.reverse'"},
    {"bandwidth: { rate = 1; };",
     "a.cfg:1: unknown group 'bandwidth' (did you mean 'path.forward.rate'?); expected one of " FILE_KEYS},
    {"path: { forwrd: { loss = 1; }; };",
     "a.cfg:1: unknown group 'path.forwrd' (did you mean 'path.forward'?); "
     "expected one of forward, too_big, reverse"},
    {"\npth: { forward: { loss = 1; }; };",
     "a.cfg:2: unknown group 'pth' (did you mean 'path'?); expected one of path, title, run, "
     "workload, mpa, initiator, responder, rdmap and 12 more of "
     "'iwarpsim explain'"},
    {"wher = \"mpa.crc\";", "a.cfg:1: unknown key 'wher'; expected sweep or where (did you mean 'where'?)"},
    {"swep = ();", "a.cfg:1: unknown key 'swep'; expected sweep or where (did you mean 'sweep'?)"},
    {"zzzzzz = 1;", "a.cfg:1: unknown key 'zzzzzz'; expected one of " FILE_KEYS},
    {"mtu = 1500;",
     "a.cfg:1: unknown key 'mtu' (did you mean 'path.forward.mtu'?); expected one of " FILE_KEYS},
    /* the first problem of several is the one named */
    {"run: { seed = 1;\n stp = 1; };\nmpa: { mark = 1; };",
     "a.cfg:2: unknown key 'run.stp' (did you mean 'run.stop'?); expected one of stop, seed, engine, "
     "stall, expect"},
    /* types */
    {"run: { seed = \"1\"; };",
     "a.cfg:1: run.seed = \"1\" is not an integer; expected " SEED ", without quotes"},
    {"sender: { host_segment_rate = \"fast\"; };",
     "a.cfg:1: sender.host_segment_rate = \"fast\" is not an integer; expected \"unlimited\" or an integer "
     "from 1 to 1000000000"},
    {"sender: { host_rate = \"unlimit\"; };",
     "a.cfg:1: sender.host_rate = \"unlimit\" is not a rate; expected \"unlimited\" or a rate from "
     "\"1kbit/s\" to \"10Tbit/s\", such as \"10Gbit/s\" (did you mean 'unlimited'?)"},
    {"run: { seed = 1.0; };", "a.cfg:1: run.seed = 1.0 is not an integer; expected " SEED},
    {"run: { seed = true; };", "a.cfg:1: run.seed = true is not an integer; expected " SEED},
    {"run: { seed = [1]; };", "a.cfg:1: run.seed = [1] is not an integer; expected " SEED},
    {"run: { seed = { a = 1; }; };", "a.cfg:1: run.seed = { ... } is a group, not a value; expected " SEED},
    {"mpa: { markers = \"true\"; };",
     "a.cfg:1: mpa.markers = \"true\" is not a boolean; expected true or false, without quotes"},
    {"mpa: { markers = 1; };", "a.cfg:1: mpa.markers = 1 is not a boolean; expected true or false"},
    {"title = 5;", "a.cfg:1: title = 5 is not text on one line; expected text on one line, in quotes"},
    {"title = \"a\nb\";",
     "a.cfg:1: title = \"a\\nb\" is not text on one line; expected text on one line, in quotes"},
    {"run: { engine = \"ns2\"; };", "a.cfg:1: run.engine = \"ns2\" is none of its words; expected \"auto\", "
                                    "\"ns3\" or \"native\" (did you mean 'ns3'?)"},
    {"run: { expect = \"fine\"; };",
     "a.cfg:1: run.expect = \"fine\" is none of its words; expected \"ok\", \"terminate\" or \"any\""},
    {"run: { engine = 3; };",
     "a.cfg:1: run.engine = 3 is none of its words; expected \"auto\", \"ns3\" or \"native\""},
    {"path = 3;", "a.cfg:1: 'path' is not a group; expected path: { ... } with too_big, forward, reverse"},
    {"path: { forward: { drop = \"5\"; }; };",
     "a.cfg:1: path.forward.drop = \"5\" is not a list of integers; expected " DROP ", without quotes"},
    {"path: { forward: { drop = 5; }; };",
     "a.cfg:1: path.forward.drop = 5 is not a list of integers; expected " DROP},
    {"path: { forward: { drop = (1, \"x\"); }; };",
     "a.cfg:1: path.forward.drop = [1,\"x\"] is not a list of integers; expected " DROP},
    {"path: { forward: { drop = [1.5]; }; };",
     "a.cfg:1: path.forward.drop = [1.5] is not a list of integers; expected " DROP},
    {"path: { forward: { drop = [1.0]; }; };",
     "a.cfg:1: path.forward.drop = [1.0] is not a list of integers; expected " DROP},
    {"path: { forward: { mtu = 1500.0; }; };",
     "a.cfg:1: path.forward.mtu = 1500.0 is not a size; expected " MTU},
    /* units */
    {"path: { forward: { rate = \"25GB/s\"; }; };",
     "a.cfg:1: path.forward.rate = \"25GB/s\" is not a rate; expected " RATE " (did you mean '200Gbit/s'?)"},
    {"path: { forward: { rate = \"25Gb/s\"; }; };",
     "a.cfg:1: path.forward.rate = \"25Gb/s\" is not a rate; expected " RATE " (did you mean '25Gbit/s'?)"},
    {"path: { forward: { rate = \"2.5 Gbit\"; }; };",
     "a.cfg:1: path.forward.rate = \"2.5 Gbit\" is not a rate; expected " RATE
     " (did you mean '2.5Gbit/s'?)"},
    {"path: { forward: { delay = \"50 usec\"; }; };",
     "a.cfg:1: path.forward.delay = \"50 usec\" is not a time; expected " DELAY " (did you mean '50us'?)"},
    {"path: { forward: { mtu = \"10kb\"; }; };",
     "a.cfg:1: path.forward.mtu = \"10kb\" is not a size; expected " MTU " (did you mean '10kB'?)"},
    {"path: { forward: { delay = 25; }; };", "a.cfg:1: path.forward.delay = 25 has no unit; expected " DELAY},
    {"path: { forward: { delay = \"25\"; }; };",
     "a.cfg:1: path.forward.delay = \"25\" is not a time; expected " DELAY},
    {"path: { forward: { delay = \"25 KiB\"; }; };",
     "a.cfg:1: path.forward.delay = \"25 KiB\" is not a time; expected " DELAY},
    {"path: { forward: { delay = \"0.1ps\"; }; };",
     "a.cfg:1: path.forward.delay = \"0.1ps\" is not a time; expected " DELAY},
    {"path: { forward: { rate = \"10gbit/s\"; }; };",
     "a.cfg:1: path.forward.rate = \"10gbit/s\" is not a rate; expected " RATE " (did you mean '10Gbit/s'?)"},
    {"path: { forward: { rate = 1e10; }; };",
     "a.cfg:1: path.forward.rate = 10000000000.0 has no unit; expected " RATE},
    {"path: { forward: { mtu = \"1500 octets\"; }; };",
     "a.cfg:1: path.forward.mtu = \"1500 octets\" is not a size; expected " MTU},
    {"path: { forward: { loss = \"1\\%\"; }; };",
     "a.cfg:1: path.forward.loss = \"1\\%\" is not a probability; expected " LOSS},
    /* limits */
    {"run: { seed = -1; };", "a.cfg:1: run.seed = -1 is out of range; expected " SEED},
    {"run: { seed = 9007199254740993L; };",
     "a.cfg:1: run.seed = 9007199254740993 is out of range; expected " SEED},
    {"path: { forward: { mtu = 175; }; };", "a.cfg:1: path.forward.mtu = 175 is out of range; expected " MTU},
    {"path: { forward: { mtu = -1500; }; };",
     "a.cfg:1: path.forward.mtu = -1500 is out of range; expected " MTU},
    {"path: { forward: { mtu = \"64KiB\"; }; };",
     "a.cfg:1: path.forward.mtu = \"64KiB\" is out of range; expected " MTU},
    {"path: { forward: { delay = \"11s\"; }; };",
     "a.cfg:1: path.forward.delay = \"11s\" is out of range; expected " DELAY},
    {"path: { forward: { rate = \"999bit/s\"; }; };",
     "a.cfg:1: path.forward.rate = \"999bit/s\" is out of range; expected " RATE},
    {"path: { forward: { loss = 2; }; };",
     "a.cfg:1: path.forward.loss = 2 is not a probability; expected " LOSS " (did you mean '2%'?)"},
    {"path: { forward: { loss = -0.5; }; };",
     "a.cfg:1: path.forward.loss = -0.5 is not a probability; expected " LOSS},
    {"path: { forward: { drop = [0]; }; };",
     "a.cfg:1: path.forward.drop = [0] is out of range; expected " DROP},
    {"path: { forward: { drop = [101, 100]; }; };",
     "a.cfg:1: path.forward.drop = [101,100] does not ascend; expected " DROP},
    {"path: { forward: { drop = [100, 100]; }; };",
     "a.cfg:1: path.forward.drop = [100,100] does not ascend; expected " DROP},
    /* numbers that other readers of the syntax wrap in silence */
    {"run: {\n seed = 5000000000;\n};",
     "a.cfg:2: 5000000000 is outside 32 bits; expected 5000000000L" L_OR_UNIT},
    {"run: { seed = 2147483648; };",
     "a.cfg:1: 2147483648 is outside 32 bits; expected 2147483648L" L_OR_UNIT},
    {"run: { seed = -2147483649; };",
     "a.cfg:1: -2147483649 is outside 32 bits; expected -2147483649L" L_OR_UNIT},
    {"run: { seed = -2147483648; };", "a.cfg:1: run.seed = -2147483648 is out of range; expected " SEED},
    {"run: { seed = 0xffffffff; };",
     "a.cfg:1: 0xffffffff is outside 32 bits; expected 0xffffffffL" L_OR_UNIT},
    {"run: { seed = 9223372036854775808L; };",
     "a.cfg:1: 9223372036854775808 is outside 64 bits; expected a smaller number"},
    {"path: { forward: { loss = 1e999; }; };",
     "a.cfg:1: a number is too large to be counted with; expected a smaller one"},
    /* duplicates */
    {"run: {\n  seed = 1;\n  seed = 2;\n};",
     "a.cfg:3: duplicate key 'run.seed'; expected it once, it is given already in a.cfg:2"},
    {"run: { seed = 1; };\nrun: { engine = \"ns3\"; };",
     "a.cfg:2: duplicate key 'run'; expected it once, it is given already in a.cfg:1"},
    /* syntax */
    {"run: { seed = ; };", "a.cfg:1: syntax error at 'run: { seed = ; };'" SYNTAX},
    {"title = \"t\";\nrun: { engine = ns3; };", "a.cfg:2: syntax error at 'run: { engine = ns3; };'" SYNTAX},
    {"path: { forward: { delay = 25us; }; };",
     "a.cfg:1: syntax error at 'path: { forward: { delay = 25us; }; };'" SYNTAX},
    {"sweep = ( { key = \"path.forward.drop\";\n values = [[1, 2], [3]]; } );",
     "a.cfg:2: a list in [ ] holds a list; expected ( ) around lists, or each of them in quotes, \"[1,2]\""},
    {"path: { forward: { drop = [1, [2]]; }; };",
     "a.cfg:1: a list in [ ] holds a list; expected ( ) around lists, or each of them in quotes, \"[1,2]\""},
    {"run: {\n  seed = 1;\n", "a.cfg:1: '{' is never closed; expected its closing bracket"},
    {"title = \"t\";\n\nrun =\n\n", "a.cfg:3: syntax error at 'run ='" SYNTAX},
    {"path: { forward: { drop = [1,]; }; };",
     "a.cfg:1: syntax error at 'path: { forward: { drop = [1,]; }; };'" SYNTAX},
    {"path: { forward: { loss = .; }; };",
     "a.cfg:1: syntax error at 'path: { forward: { loss = .; }; };'" SYNTAX},
    /* the first in the order of reading */
    {"run: { seed = ; };\nrun: { seed = 5000000000; };\ntitle = \"",
     "a.cfg:1: syntax error at 'run: { seed = ; };'" SYNTAX},
    {"run: {\n  seed = 1;\n);",
     "a.cfg:3: ')' cannot close '{'; expected the bracket that closes the '{' in a.cfg:1"},
    {"run: { seed = 1; };\n};", "a.cfg:2: '}' closes nothing; expected its opening bracket before it"},
    {"title = \"t\";\ntitle2 = \"no end;\nrun: {};",
     "a.cfg:2: a string is never closed; expected its closing '\"'"},
    {"title = \"no end;\nrun: { engine = \"native\"; };",
     "a.cfg:1: a string ends in line 2, before what cannot stand there; expected its closing '\"' here"},
    {"title = \"t\";\n/* no end\nrun: {};", "a.cfg:2: a comment is never closed; expected its closing '*/'"},
    {"path: { forward: { drop = [1, \"x\"]; }; };",
     "a.cfg:1: a list in [ ] holds values of several types; expected ( ) around them"},
    {"run: { \"seed\" = 1; };",
     "a.cfg:1: a text in quotes stands where no value can; expected KEY = \"TEXT\";"},
    {"title = \"a\",\n\"b\";",
     "a.cfg:2: a text in quotes stands where no value can; expected KEY = \"TEXT\";"},
    {"sweep = ( { key = \"path.forward.loss\"; values = [0.1, 1]; } );",
     "a.cfg:1: a list in [ ] mixes integers and reals; expected 1.0 instead of 1"},
    {"measure: { quantiles = [0.5,\n 0.75,\n 1]; };",
     "a.cfg:3: a list in [ ] mixes integers and reals; expected 1.0 instead of 1"},
    {"measure: { quantiles = [0, 0.5]; };",
     "a.cfg:1: a list in [ ] mixes integers and reals; expected 0.0 instead of 0"},
    /* lists and distances */
    {"measure: { quantiles = [99.9]; };",
     "a.cfg:1: measure.quantiles = [99.9] is not a list of probabilities; expected a list of 1 to 16 "
     "probabilities, such as [\"1%\", \"30%\"] or [] (did you mean '[\"99.9%\"]'?)"},
    {"path: { forward: { loss = 5; }; };",
     "a.cfg:1: path.forward.loss = 5 is not a probability; expected a probability from 0 to 1, such as 0.001 "
     "or \"0.1%\" (did you mean '5%'?)"},
    {"path: { forward: { hop_rate = [1, 2]; }; };",
     "a.cfg:1: path.forward.hop_rate = [1,2] is not a list of rates; expected a list of rates from "
     "\"1kbit/s\" to \"10Tbit/s\", such as [\"10Gbit/s\", \"1Gbit/s\"] or []"},
    {"path: { forward: { hop_mtu = [1500, 100]; }; };",
     "a.cfg:1: path.forward.hop_mtu = [1500,100] is out of range; expected a list of sizes in octets from "
     "176 to 65535, such as [1500, 576] or []"},
    {"path: { forward: { gemodel = [0.5, 0.5, 0.5, 0.5, 0.5]; }; };",
     "a.cfg:1: path.forward.gemodel = [0.5,0.5,0.5,0.5,0.5] has another number of elements; expected "
     "a list of 1 to 4 probabilities, such as [\"1%\", \"30%\"] or []"},
    {"path: { reverse: { state = [0, 0, 0, 0, 0, 0]; }; };",
     "a.cfg:1: path.reverse.state = [0,0,0,0,0,0] has another number of elements; expected a list of "
     "1 to 5 probabilities, such as [\"1%\", \"30%\"] or []"},
    {"path: { forward: { framing = -19; }; };",
     "a.cfg:1: path.forward.framing = -19 is out of range; expected a size in octets from -18 to 1000, such "
     "as 64 or \"64B\""},
    {"path: { forward: { cell_overhead = \"18446744073709551615\"; }; };",
     "a.cfg:1: path.forward.cell_overhead = \"18446744073709551615\" is out of range; expected a size in "
     "octets from -1000 to 1000, such as 64 or \"64B\""},
    {"path: { forward: { mtu = -1500; }; };",
     "a.cfg:1: path.forward.mtu = -1500 is out of range; expected " MTU},
    {"path: { forward: { framing = \"--1\"; }; };",
     "a.cfg:1: path.forward.framing = \"--1\" is not a size; expected a size in octets from -18 to 1000, "
     "such as 64 or \"64B\""},
    {"path: { forward: { displace_by = \"5 packets\"; }; };",
     "a.cfg:1: path.forward.displace_by = \"5 packets\" is neither a number of segments nor a time; expected "
     "a number of segments or a time, such as \"5 segments\" or \"20us\""},
    {"path: { forward: { displace_by = \"0 segments\"; }; };",
     "a.cfg:1: path.forward.displace_by = \"0 segments\" is out of range; expected a number of segments or a "
     "time, such as \"5 segments\" or \"20us\""},
    /* includes */
    {"\n@include \"missing.cfg\"\n",
     "a.cfg:2: cannot find 'missing.cfg' in . or /shipped; expected a file to include"},
    {"@include \".\"\n", "a.cfg:1: cannot read '.' (Is a directory); expected a file to include"},
    {"@include \"a.cfg\"\n", "a.cfg:1: 'a.cfg' includes itself; expected no circle of files"},
    {"run: { @include \"b.cfg\" };",
     "a.cfg:1: '@' starts nothing here; expected @include \"FILE\" at the start of a line"},
    /* text */
    {"title = \"\xff\";", "a.cfg:1: octet 0xff is no text; expected a scenario file in UTF-8"},
};

static const char *const sets[][2] = {
    {"path.forward.los=1%",
     "--set 'path.forward.los=1%': unknown key 'path.forward.los' (did you mean 'path.forward.loss'?); "
     "expected one of " NEAR_LOSS},
    {"sede=1", "--set 'sede=1': unknown key 'sede' (did you mean 'run.seed'?); expected one of " FILE_KEYS},
    {"rtt=1ms", "--set 'rtt=1ms': unknown key 'rtt' (did you mean 'path.forward.delay'? Half the round trip, "
                "since path.reverse.delay is the same "
                "unless set); expected one of " FILE_KEYS},
    {"path.forward=1",
     "--set 'path.forward=1': 'path.forward' is a group; expected one of its keys, rate, delay, mtu, "
     "framing, cell_size, cell_overhead, burst, burst_rate" FORWARD_REST},
    {"sweep=1", "--set 'sweep=1': the sweep cannot be set; expected GROUP.KEY=VALUE"},
    {"run.seed", "--set 'run.seed': there is no '=' in it; expected GROUP.KEY=VALUE"},
    {"run.seed=", "--set 'run.seed=': run.seed = \"\" is not an integer; expected " SEED},
    {"run.seed=1 2", "--set 'run.seed=1 2': run.seed = 1 2 is not an integer; expected " SEED},
    {"run.seed=\"5\"",
     "--set 'run.seed=\"5\"': run.seed = \"5\" is not an integer; expected " SEED ", without quotes"},
    {"run.seed=99999999999999999999", "--set 'run.seed=99999999999999999999': run.seed = "
                                      "99999999999999999999 is out of range; expected " SEED},
    {"title=\"x", "--set 'title=\"x': the text in quotes does not end with them; expected \"TEXT\""},
    {"title=\"x\"; run = \"y\"",
     "--set 'title=\"x\"; run = \"y\"': the text in quotes does not end with them; expected \"TEXT\""},
    {"path.forward.drop=[1,2",
     "--set 'path.forward.drop=[1,2': path.forward.drop = [1,2 is not a list of integers; expected " DROP},
    {"path.forward.drop=[1,,2]", "--set 'path.forward.drop=[1,,2]': path.forward.drop = [1,,2] is not a list "
                                 "of integers; expected " DROP},
    {"path.forward.drop=1,2",
     "--set 'path.forward.drop=1,2': path.forward.drop = 1,2 is not a list of integers; expected " DROP},
    {"path.forward.mtu=100",
     "--set 'path.forward.mtu=100': path.forward.mtu = 100 is out of range; expected " MTU},
    {"tcp.receive_window=2GiB",
     "--set 'tcp.receive_window=2GiB': tcp.receive_window = 2GiB is out of range; expected \"auto\" or "
     "\"unlimited\" or a size in octets from 1024 to 1073741824, such as 1500 or \"64KiB\""},
    {"mpa.markers=maybe",
     "--set 'mpa.markers=maybe': mpa.markers = maybe is not a boolean; expected true or false"},
};

TEST(test_files)
{
  g_setenv("IWARPSIM_SCENARIOS", "/shipped", TRUE);
  fixture_assert_refusals(files, G_N_ELEMENTS(files));
  g_unsetenv("IWARPSIM_SCENARIOS");
}

TEST(test_sets)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sets); i++) {
    g_autofree char *message = fixture_refusal("", sets[i][0]);
    g_assert_cmpstr(message, ==, sets[i][1]);
  }
}

static void assert_unreadable(const char *path, const char *expected)
{
  g_autofree char *message = fixture_refusal_of_file(path, NULL);
  g_assert_cmpstr(message, ==, expected);
}

TEST(test_unreadable_files)
{
  assert_unreadable("missing.cfg",
                    "missing.cfg: cannot read it (No such file or directory); expected a scenario file");
  assert_unreadable(".", ".: cannot read it (Is a directory); expected a scenario file");
  assert_unreadable(
      "/dev/zero",
      "/dev/zero: cannot read it (it is a pipe, a device or a socket); expected a scenario file");
}

/* An included file's mistakes are its own, by the path that finds it from here. */
TEST(test_included_file)
{
  fixture_write("sub/top.cfg", "title = \"t\";\n@include \"more.cfg\"\nmpa: { crc = 1; };");
  fixture_write("sub/more.cfg", "run: {\n  sede = 1;\n};");
  assert_unreadable("sub/top.cfg",
                    "sub/more.cfg:2: unknown key 'run.sede' (did you mean 'run.seed'?); expected one "
                    "of seed, engine, stop, stall, expect");
  fixture_write("sub/more.cfg", "run: {\n  seed = 1;\n");
  assert_unreadable("sub/top.cfg", "sub/more.cfg:1: '{' is never closed; expected its closing bracket");
  fixture_write("sub/more.cfg", "\n\n/*\n");
  assert_unreadable("sub/top.cfg", "sub/more.cfg:3: a comment is never closed; expected its closing '*/'");
  /* Within a group the file's text stands in place, so no key may be in both. */
  fixture_write("sub/group.cfg", "run: {\n  seed = 1;\n@include \"more.cfg\"\n};");
  fixture_write("sub/more.cfg", "seed = 2;");
  assert_unreadable(
      "sub/group.cfg",
      "sub/more.cfg:1: duplicate key 'run.seed'; expected it once, it is given already in sub/group.cfg:2");
  fixture_write("sub/more.cfg", "run = ;");
  assert_unreadable("sub/top.cfg", "sub/more.cfg:1: syntax error at 'run = ;'" SYNTAX);
  /* What follows the included file keeps its own line. */
  fixture_write("sub/more.cfg", "\n\n\n\n");
  assert_unreadable("sub/top.cfg", "sub/top.cfg:3: mpa.crc = 1 is not a boolean; expected true or false");
}
