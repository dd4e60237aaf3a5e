/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about graphs of hosts and switches: what is wrong with them, and what a user should know.
 */
#include <math.h>

#include "scenario_fixture.h"

#define STAR "topology: { kind = \"star\"; hosts = 4; };\n"
#define LEAF_SPINE "topology: { kind = \"leaf-spine\"; };\n"
#define GRAPH "topology: { kind = \"graph\"; };\n"
#define NO_SET                                                                                               \
  "is no set of nodes; expected names as in 'h3', 'h[0-15]', 'last' or 'all', several with '+' between them"

/* Nothing in these is wrong but what the message is about: the first line has the topology. */
static const char *const wrong[][2] = {
    /* --- Sets --- */
    {STAR "workload: { pattern = \"incast\";\n from = \"h[0-2]+h9\"; };",
     "a.cfg:3: workload.from: no host is named 'h9'; expected one of h[0-3]"},
    {STAR "workload: { pattern = \"incast\";\n to = \"s0\"; };",
     "a.cfg:3: workload.to: no host is named 's0'; expected one of h[0-3]"},
    {STAR "workload: { from = \"h[9-3]\"; };",
     "a.cfg:2: workload.from: the range 'h[9-3]' goes down; expected 'h[3-9]'"},
    {STAR "workload: { from = \"h[]\"; };", "a.cfg:2: workload.from: 'h[]' " NO_SET},
    {STAR "workload: { from = \"h[0-]\"; };", "a.cfg:2: workload.from: 'h[0-]' " NO_SET},
    {STAR "workload: { from = \"\"; };", "a.cfg:2: workload.from: '' " NO_SET},
    {STAR "workload: { from = \"h0+\"; };", "a.cfg:2: workload.from: '' " NO_SET},
    {STAR "workload: { from = \"h[0-[1-2]]\"; };", "a.cfg:2: workload.from: 'h[0-[1-2]]' " NO_SET},
    {STAR "workload: { from = \"h[0-99999999999]\"; };",
     "a.cfg:2: workload.from: 'h[0-99999999999]' has a number beyond 65535; expected at most 1024 hosts"},
    {STAR "workload: { from = \"h[0-65535]\"; };",
     "a.cfg:2: workload.from: a set names more than 65535 nodes; expected at most 1024 hosts"},
    {STAR
     "hosts = ( { at = \"h0\"; mpa: { crc = false; }; },\n { at = \"leaf0\"; mpa: { crc = false; }; } );",
     "a.cfg:3: hosts: no host is named 'leaf0'; expected one of h[0-3]"},
    {STAR "measure: { host = \"h4\"; };",
     "a.cfg:2: measure.host: no host is named 'h4'; expected one of h[0-3]"},
    {STAR "measure: { host = \"h[0-1]\"; };", "a.cfg:2: measure.host: it is 2 hosts; expected one"},
    {STAR "measure: { side = \"initiator\"; };",
     "a.cfg:2: measure.side is of a path, and topology.kind is star; expected that it is not given"},
    /* A name is meant, whatever its number. */
    {STAR "workload: { from = \"h0+lasst\"; };",
     "a.cfg:2: workload.from: no host is named 'lasst'; expected one of h[0-3] (did you mean 'last'?)"},
    {LEAF_SPINE "switches = ( { at = \"leaf[0-1]+spin[0-1]\"; latency = \"1us\"; } );",
     "a.cfg:2: switches: no switch is named 'spin0'; expected one of leaf[0-1]+spine[0-1] (did you mean "
     "'spine'?)"},
    {LEAF_SPINE "links = ( { between = \"leaf0 spines1\"; } );",
     "a.cfg:2: links: no node is named 'spines1'; expected one of h[0-3]+leaf[0-1]+spine[0-1] (did you mean "
     "'spine'?)"},
    {LEAF_SPINE "hosts = ( { at = \"H3\"; mpa: { crc = false; }; } );",
     "a.cfg:2: hosts: no host is named 'H3'; expected one of h[0-3] (did you mean 'h'?)"},
    /* --- Links --- */
    {STAR "links = ( { between = \"h0 s0\"; },\n { between = \"h1 h2\"; delay = \"2us\"; } );",
     "a.cfg:3: links: no link is between 'h1' and 'h2'; expected two sets that links of the topology are "
     "between, or kind 'graph'"},
    {STAR "links = ( { between = \"h0 s0\"; count = 2; } );",
     "a.cfg:2: links: the count of these links is the topology's; expected none, or kind 'graph'"},
    {STAR "links = ( { between = \"h0 leaf0\"; } );",
     "a.cfg:2: links: no node is named 'leaf0'; expected one of h[0-3]+s0"},
    {STAR "links = ( { between = \"h0\"; } );",
     "a.cfg:2: links: between = \"h0\" is not two sets; expected such as \"h[0-3] s0\""},
    {GRAPH "links = ( { between = \"H[0-1] s0\"; } );",
     "a.cfg:2: links: the network has 0 hosts; expected 2 to 1024, named h0, h1 …"},
    {GRAPH "", "a.cfg:1: links: there is none; expected the links of the graph"},
    {GRAPH "links = ( { between = \"h[0-1] s0\"; },\n { between = \"s0 s0\"; } );",
     "a.cfg:3: links: s0 is linked to itself; expected two sets that have no node in common"},
    {GRAPH "links = ( { between = \"h[0-1] s0\"; },\n { between = \"h[2-3] s1\"; } );",
     "a.cfg:2: links: no link connects h[0-1]+s0 with h[2-3]+s1; expected a network in one part"},
    {GRAPH "links = ( { between = \"h[0-1] s0\"; },\n { between = \"s1 s2\"; } );",
     "a.cfg:2: links: no link connects h[0-1]+s0 with s[1-2]; expected a network in one part"},
    {GRAPH "links = ( { between = \"h[0-1] s[0-1]\"; } );",
     "a.cfg:2: links: host h0 has 2 links; expected one, as of each of the hosts h0 to h1"},
    {GRAPH "links = ( { between = \"h0 s0\"; count = 2; },\n { between = \"h1 s0\"; } );",
     "a.cfg:2: links: host h0 has 2 links; expected one, as of each of the hosts h0 to h1"},
    {GRAPH "links = ( { between = \"h0+h2 s0\"; } );",
     "a.cfg:2: links: host h1 has 0 links; expected one, as of each of the hosts h0 to h2"},
    {GRAPH "links = ( { between = \"all s0\"; } );",
     "a.cfg:2: links: 'all' stands for no node before the links have named them; expected names"},
    {GRAPH "links = ( { between = \"h0 s0\"; } );",
     "a.cfg:2: links: the network has 1 host; expected 2 to 1024, named h0, h1 …"},
    /* --- Sizes --- */
    {"topology: { kind = \"star\"; hosts = 1; };",
     "a.cfg:1: topology.kind: the network has 1 host; expected 2 to 1024, named h0, h1 …"},
    {"topology: { kind = \"dumbbell\"; hosts = 513; };",
     "a.cfg:1: topology.kind: the network has 1026 hosts; expected 2 to 1024, named h0, h1 …"},
    {GRAPH "links = ( { between = \"h[0-1024] s0\"; } );",
     "a.cfg:2: links: the network has 1025 hosts; expected 2 to 1024, named h0, h1 …"},
    {GRAPH "links = ( { between = \"h[0-60000] s0\"; } );",
     "a.cfg:2: links: the network has 60001 hosts; expected 2 to 1024, named h0, h1 …"},
    /* 4 x 2 links of hosts and 4 x 256 x 4. */
    {"topology: { kind = \"leaf-spine\"; leaves = 4; spines = 256; uplinks = 4; };",
     "a.cfg:1: topology.kind: the network has 4104 links; expected at most 4096"},
    {"topology: { kind = \"leaf-spine\"; leaves = 256; spines = 256; uplinks = 256; };",
     "a.cfg:1: topology.kind: the network has 16777728 links; expected at most 4096"},
    {GRAPH "links = ( { between = \"h[0-1] s0\"; },\n { between = \"s0 s[1-200]\"; count = 256; } );",
     "a.cfg:3: links: the network has 51202 links; expected at most 4096"},
    {"topology: { kind = \"star\"; hosts = 1024; };\nworkload: { pattern = \"all-to-all\"; };",
     "a.cfg:2: workload.pattern: 1047552 connections; expected at most 65536"},
    {"topology: { kind = \"star\"; hosts = 1024; };\nworkload: { pattern = \"all-to-all\"; connections = "
     "10000; };",
     "a.cfg:2: workload.pattern: 10475520000 connections; expected at most 65536"},
    /* --- Patterns --- */
    {STAR "workload: { pattern = \"incast\"; from = \"h1\"; to = \"h1\"; };",
     "a.cfg:2: workload.pattern: no host has another one to send to; expected two hosts or more in "
     "workload.from "
     "and .to"},
    {STAR "workload: { pattern = \"permutation\"; from = \"h1\"; };",
     "a.cfg:2: workload.pattern: a permutation of one host; expected two or more"},
    {STAR "workload: { pattern = \"incast\";\n fan_in = 4; };",
     "a.cfg:3: workload.fan_in: 4, but 3 hosts could send to h3; expected at most that"},
    {STAR "workload: { from = \"all\"; to = \"h0\"; };",
     "a.cfg:2: workload.pattern: pairs of 4 hosts and 1 others; expected as many"},
    {STAR "workload: { from = \"h[0-1]\"; to = \"h0+h2\"; };",
     "a.cfg:2: workload.pattern: h0 would be a pair with itself; expected another order of the sets"},
    {STAR "workload: { pattern = \"random\"; to = \"h2\"; };",
     "a.cfg:2: workload.pattern: h2 has no other host to send to; expected more in workload.to"},
    /* --- Switches --- */
    {STAR "switch: { ecn_minimum = 5000;\n ecn_maximum = 4999; };",
     "a.cfg:3: switch.ecn_maximum is less than switch.ecn_minimum; expected at least that"},
    {STAR "switch: { buffer = 1499; };",
     "a.cfg:2: switch.buffer = 1499 does not hold a packet of the largest MTU, 1500; expected at least that"},
    {STAR "switch: { port_limit = 4095; };\nlinks = ( { between = \"h1 s0\"; mtu = 4096; } );",
     "a.cfg:2: switch.port_limit = 4095 does not hold a packet of the largest MTU, 4096; expected at least "
     "that"},
    {LEAF_SPINE "trunk: { mtu = 1400; };\ntcp: { path_mtu_discovery = false; };",
     "a.cfg:3: the MTU falls from 1500 octets at h0 to 1400 on the way to h2; expected path MTU discovery, "
     "or "
     "an MTU that does not fall"},
    {STAR "links = ( { between = \"h1 s0\"; mtu = 1279; } );\ntcp: { ip = \"ipv6\"; };",
     "a.cfg:2: a link has an MTU of 1279, which is too small; expected at least 1280"},
    {"topology: { kind = \"dumbbell\"; };\ntrunk: { mtu = 179; };",
     "a.cfg:2: a link has an MTU of 179, which is too small; expected at least 180"},
    {STAR
     "switch: { ecn_maximum = 4999; };\nswitches = ( { at = \"s0\"; latency = \"1us\"; },\n { at = \"s0\"; "
     "ecn_minimum = 5000; } );",
     "a.cfg:2: switch.ecn_maximum is less than switch.ecn_minimum; expected at least that"},
    {STAR "switches = ( { at = \"s0\"; ecn_minimum = 5000; },\n { at = \"s0\"; ecn_maximum = 4999; } );",
     "a.cfg:3: switch.ecn_maximum is less than switch.ecn_minimum; expected at least that"},
    {STAR "switches = ( { at = \"s0\";\n buffer = 1499; } );",
     "a.cfg:3: switch.buffer = 1499 does not hold a packet of the largest MTU, 1500; expected at least that"},
    {STAR "switches = ( { at = \"all\"; buffer = 10000; },\n { at = \"s1\"; buffer = 20000; } );",
     "a.cfg:3: switches: no switch is named 's1'; expected one of s0"},
    {STAR "switches = ( { at = \"h0\"; buffer = 10000; } );",
     "a.cfg:2: switches: no switch is named 'h0'; expected one of s0"},
    /* --- Keys of a path --- */
    {STAR "path: { forward: { rate = \"1Gbit/s\"; }; };",
     "a.cfg:2: path.forward.rate is of a path, and topology.kind is star; expected link.rate, or trunk or "
     "links"},
    {STAR "path: { reverse: { delay = \"1us\"; }; };",
     "a.cfg:2: path.reverse.delay is of a path, and topology.kind is star; expected link.delay, or trunk or "
     "links"},
    {STAR "path: { forward: { queue = 10; }; };",
     "a.cfg:2: path.forward.queue is of a path, and topology.kind is star; expected switch.port_limit"},
    {STAR "path: { forward: { ecn_threshold = 10; }; };",
     "a.cfg:2: path.forward.ecn_threshold is of a path, and topology.kind is star; expected "
     "switch.ecn_minimum"},
    {STAR "path: { forward: { hop_rate = [\"1Gbit/s\"]; }; };",
     "a.cfg:2: path.forward.hop_rate is of a path, and topology.kind is star; expected links of the graph"},
    {"topology: { kind = \"star\";\n medium = \"csma\"; };",
     "a.cfg:2: topology.medium is of a path, and topology.kind is star; expected that it is not given"},
    /* --- Boxes --- */
    {STAR "middlebox: { mode = \"split\";\n position = \"behind\"; };",
     "a.cfg:2: middlebox.mode: boxes of a graph stand at hosts; expected middlebox.at, the set of these"},
    {STAR "middlebox: { mode = \"split\";\n at = \"h[2-4]\"; };",
     "a.cfg:3: middlebox.at: no host is named 'h4'; expected one of h[0-3]"},
    {STAR "middlebox: { at = \"lasst\"; };",
     "a.cfg:2: middlebox.at: no host is named 'lasst'; expected one of h[0-3] (did you mean 'last'?)"},
    {STAR "middlebox: { mode = \"split\"; at = \"h[3-2]\"; };",
     "a.cfg:2: middlebox.at: the range 'h[3-2]' goes down; expected 'h[2-3]'"},
    {STAR "middlebox: { mode = \"split\"; at = \"all\";\n position = \"between\"; };",
     "a.cfg:3: middlebox.position = between is of a path, and topology.kind is star; expected before, for "
     "what "
     "the hosts of middlebox.at send, or behind, for what they receive"},
    {STAR "middlebox: { at = \"all\";\n mode = \"split+proxy\"; };",
     "a.cfg:3: middlebox.mode has a proxy, which is of a path, and topology.kind is star; expected split, "
     "coalesce, rechunk, shift or random"},
    {STAR "middlebox: { mode = \"coalesce\"; at = \"all\"; };",
     "a.cfg:2: middlebox.coalesce_size = 16384 and 40 octets of headers do not fit link.mtu 1500; expected "
     "at "
     "most 1460"},
    {STAR "links = ( { between = \"h1 s0\"; mtu = 1000; } );\nmiddlebox: { mode = \"rechunk\"; at = "
          "\"h[0-1]\"; };",
     "a.cfg:3: middlebox.chunk = 1000 and 40 octets of headers do not fit link.mtu 1000; expected at most "
     "960"},
};

/* Only the links of hosts with boxes matter, and only where the boxes stand before them. */
TEST(test_boxes_that_fit)
{
  fixture_assert_findings(STAR "links = ( { between = \"h1 s0\"; mtu = 1000; } );\n"
                               "middlebox: { mode = \"rechunk\"; at = \"h0+h2\"; };",
                          "");
  fixture_assert_findings(STAR "middlebox: { mode = \"coalesce\"; at = \"all\"; position = \"behind\"; };",
                          "");
  fixture_assert_findings(
      "middlebox: { mode = \"split\"; at = \"h0\"; };",
      "a.cfg:1: middlebox.at has no effect unless topology.kind != path and middlebox.mode "
      "!= none");
}

/* These values are wrong by themselves. */
static const char *const refused[][2] = {
    {"topology: { kind = \"star\"; hosts = 1025; };",
     "a.cfg:1: topology.hosts = 1025 is out of range; expected an integer from 1 to 1024"},
    {STAR "switches = ( { buffer = 10000; } );", "a.cfg:2: a group of 'switches' has no 'at'; expected one"},
    {STAR "switch: { alpha = 0; };", "a.cfg:2: switch.alpha = 0 is none of its words; expected \"1/128\", "
                                     "\"1/64\", \"1/32\", \"1/16\", \"1/8\", "
                                     "\"1/4\", \"1/2\", \"1\", \"2\", \"4\", \"8\", \"16\", \"32\", \"64\" "
                                     "or \"unlimited\" (did you mean '1'?)"},
    {STAR "switch: { alpha = -1; };", "a.cfg:2: switch.alpha = -1 is none of its words; expected \"1/128\", "
                                      "\"1/64\", \"1/32\", \"1/16\", \"1/8\", "
                                      "\"1/4\", \"1/2\", \"1\", \"2\", \"4\", \"8\", \"16\", \"32\", \"64\" "
                                      "or \"unlimited\" (did you mean '1'?)"},
};

TEST(test_wrong)
{
  fixture_assert_all_findings(wrong, G_N_ELEMENTS(wrong));
  fixture_assert_refusals(refused, G_N_ELEMENTS(refused));
}

TEST(test_path_preset)
{
  g_autofree char *found = fixture_findings(fixture_load("@include \"presets/tor-queue.cfg\"\n" STAR, NULL));

  g_assert_nonnull(strstr(found, "presets/tor-queue.cfg:"));
  g_assert_true(g_str_has_suffix(found, ": path.forward.queue_size is of a path, and topology.kind is star; "
                                        "expected switch.port_limit"));
  fixture_assert_findings("@include \"presets/tor-switch.cfg\"\n" STAR
                          "tcp: { congestion = \"dctcp\"; rto_min = \"10ms\"; delayed_ack = \"1ms\"; };",
                          "");
}

/* Path MTU discovery finds the smaller MTU. */
TEST(test_smaller_mtu)
{
  fixture_assert_findings(STAR "links = ( { between = \"h1 s0\"; mtu = 1400; } );", "");
}

/* Returns `text` as often as `count`. Free with g_free(). */
static char *repeated(const char *text, guint count)
{
  GString *whole = g_string_new(NULL);

  for (guint i = 0; i < count; i++) {
    g_string_append(whole, text);
  }
  return g_string_free(whole, FALSE);
}

/* What is long, or stands for a lot, is refused before it takes time or memory. */
TEST(test_hostile_sets)
{
  static const struct {
    const char *before, *text;
    guint count;
    const char *after, *expected;
  } files[] = {
      {STAR "workload: { from = \"h0", "+h0", 333333, "\"; };",
       "a.cfg:2: workload.from: a set of 1000001 octets; expected at most 8192"},
      {STAR "workload: { from = \"", "+", 8192, "\"; };", "a.cfg:2: workload.from: '' " NO_SET},
      {STAR "workload: { from = \"h[", "[", 8000, "\"; };", NULL},
      {GRAPH "links = ( { between = \"s", "s", 1000000, " h0\"; } );",
       "a.cfg:2: links: a set of 1000001 octets; expected at most 8192"},
      {GRAPH "links = ( { between = \"h0 ", "s[0-65535]+", 700, "s0\"; } );",
       "a.cfg:2: links: a set names more than 65535 nodes; expected at most 1024 hosts"},
      {GRAPH "links = ( { between = \"h[0-1] s0\"; }", ", { between = \"h[0-1] s0\"; }", 4096, " );",
       "a.cfg:2: links: 4097 entries; expected at most 4096"},
      {STAR "hosts = ( { at = \"all\"; mpa: { crc = false; }; }", ", { at = \"all\"; mpa: { crc = true; }; }",
       200, " );", ""},
      {STAR "hosts = ( { at = \"h0\"; }", ", { at = \"h1\"; }", 1024, " );",
       "a.cfg:2: hosts: 1025 entries; expected at most 1024"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *middle = repeated(files[i].text, files[i].count);
    g_autofree char *text = g_strconcat(files[i].before, middle, files[i].after, NULL);
    g_autofree char *found = fixture_findings(fixture_load(text, NULL));

    if (files[i].expected != NULL) {
      g_assert_cmpstr(found, ==, files[i].expected);
    } else {
      g_assert_true(g_str_has_suffix(found, NO_SET));
    }
  }
}

/* A packet of 1500 octets takes 1.2016 us on each of two links of 25 us, there and back: 104.8 us, in which
 * 131008 octets pass at 10 Gbit/s. 100 of these are 10.48 ms. */
#define PATIENT "tcp: { congestion = \"dctcp\"; rto_min = \"10.5ms\"; delayed_ack = \"1ms\"; };\n"
#define HASTY "tcp: { congestion = \"dctcp\"; rto_min = \"10.4ms\"; delayed_ack = \"1ms\"; };\n"
static const char *const noted[][2] = {
    {STAR "measure: { host = \"h1\"; };\nworkload: { pattern = \"incast\"; };",
     "a.cfg:2: no payload comes to measure.host = h1: it holds nothing, and nothing is delivered there"},
    {STAR PATIENT "switch: { ecn_minimum = 65000; };", ""}, /* no queue has a limit */
    {STAR PATIENT "switch: { ecn_minimum = 65000; port_limit = 135000; };",
     "a.cfg:2: tcp.rto_min = 10.5ms is 100 round trips: what a full queue drops at the end of a burst waits "
     "that "
     "long"},
    /* Of 90 packets the last one that is admitted finds 89. */
    {STAR HASTY "switch: { ecn_minimum = 133500; port_limit = 135000; };", ""},
    {STAR HASTY "switch: { ecn_minimum = 133501; port_limit = 135000; };",
     "a.cfg:3: switch.ecn_minimum = 133501 is above the 133500 octets that a packet finds in a queue at "
     "most: none "
     "is ever marked"},
    {STAR HASTY "switch: { ecn_minimum = 65000;\n port_limit = 130000; };",
     "a.cfg:4: a queue holds at most 129000 octets, 0.985 of the bandwidth-delay product of 131008: after a "
     "loss "
     "the port may idle"},
    /* Of a buffer of 174 packets alpha 1 gives one queue 87, which are 130500 octets. */
    {STAR HASTY "switch: { ecn_minimum = 65000; alpha = 1;\n buffer = 261000; };",
     "a.cfg:4: a queue holds at most 130500 octets, 0.996 of the bandwidth-delay product of 131008: after a "
     "loss "
     "the port may idle"},
    {STAR HASTY "switch: { ecn_minimum = 65000; alpha = \"unlimited\"; buffer = 261000; };", ""},
    /* One connection of each of several pairs starts after the other. */
    {STAR HASTY "switch: { ecn_minimum = 65000; }; workload: { start_spread = \"1ms\"; };", ""},
    /* Of the pairs of hosts that talk the largest product counts: not h1's, with a link of a tenth of the
     * rate, which has 1.2016 us and 12.016 us on its links and with 25 us on each 126.4 us both ways; the
     * windows are twice its product of 15802 octets, at least 65536. */
    {"topology: { kind = \"star\"; hosts = 4; };\nlinks = ( { between = \"h1 s0\"; rate = \"1Gbit/s\"; } "
     ");\n",
     "a.cfg (default of tcp.receive_window): the receive window of 65536 octets is 0.5 of the "
     "bandwidth-delay product "
     "of 131008: one connection cannot fill the path"},
    /* Once for two switches that are alike, where they have it: of four links of 12.5 us. */
    {"topology: { kind = \"leaf-spine\"; spines = 5; };\nlink: { delay = \"12.5us\"; };\n" HASTY
     "switch: { ecn_minimum = 65000; alpha = 1; };\nswitches = ( { at = \"spine[0-3]\"; latency = \"1ps\"; "
     "},\n"
     " { at = \"spine1+spine3\"; buffer = 261000; } );",
     "a.cfg:6: a queue holds at most 130500 octets, 0.952 of the bandwidth-delay product of 137016: after a "
     "loss the port may idle"},
    /* What a key needs, some of the links, switches or hosts may have. */
    {STAR "switch: { ecn_minimum = 65000; };",
     "a.cfg:2: switch.ecn_minimum has no effect unless tcp.ecn = on or tcp.congestion = dctcp"},
    {STAR
     "hosts = ( { at = \"h0\"; tcp: { congestion = \"dctcp\"; }; } );\nswitch: { ecn_minimum = 65000; };",
     ""},
    {STAR "tcp: { rto_min = \"10.4ms\"; delayed_ack = \"1ms\"; };\nswitches = ( { at = \"s0\"; buffer = "
          "522000; } );\nswitch: { alpha = 2; };",
     ""},
    {STAR "workload: { start_spread = \"1ms\"; };", ""},
    {STAR "workload: { pattern = \"permutation\"; to = \"h1\"; };",
     "a.cfg:2: workload.to has no effect unless topology.kind != path and workload.pattern != permutation "
     "and workload.pattern != flows"},
    {STAR "trunk: { delay = \"1us\"; };", "a.cfg:2: trunk.delay has no effect unless topology.kind != star"},
    /* Two pairs of hosts send 200 Writes of 65536 octets each, in 46 segments of at most 1429: 18,400 cross
     * two links that lose 1 %; those of one pair one that does. */
    {STAR "tcp: { timer_tick = \"0s\"; };\nlink: { loss = \"1%\"; };",
     "a.cfg:3: 368 losses of segments with payload expected on all links"},
    {STAR "tcp: { timer_tick = \"0s\"; };\nlinks = ( { between = \"h3 s0\"; loss = \"1%\"; } );",
     "a.cfg:3: 92 losses of segments with payload expected on all links"},
    {STAR "hosts = ( { at = \"h2\"; mpa: { generation = \"rdmac\"; }; } );",
     "a.cfg:2: generations of h0 and h2 do not fit: the connection ends in its startup, and run.expect is "
     "ok"},
};

TEST(test_notes)
{
  fixture_assert_all_findings(noted, G_N_ELEMENTS(noted));
}

/* Loads of classes add up at a sender: 20 % and 30 % are 50 %. What comes at intervals, waits for
 * completions, or comes together, as incasts do, has no such load. */
TEST(test_poisson_load)
{
  static const struct {
    traffic_class other;
    double load;
  } cases[] = {
      {{.name = "", .arrivals = ARRIVALS_POISSON, .load = 0.3}, 0.5},
      {{.name = "", .arrivals = ARRIVALS_POISSON, .load = 0.3, .pattern.pattern = TRAFFIC_INCAST}, NAN},
      {{.name = "", .arrivals = ARRIVALS_POISSON, .load = 0.1, .interval_ps = 1}, NAN},
      {{.name = "", .arrivals = ARRIVALS_INTERVAL, .load = 0.3}, NAN},
      {{.name = "", .arrivals = ARRIVALS_POSTED, .load = 0.1}, NAN}};
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    configuration *c = configuration_new();
    const traffic_class classes[] = {{.name = "", .arrivals = ARRIVALS_POISSON, .load = 0.2}, cases[i].other};
    configuration_set_classes(c, classes, G_N_ELEMENTS(classes));
    const double load = configuration_poisson_load(c);
    g_assert_true(isnan(cases[i].load) ? isnan(load) : fabs(load - cases[i].load) < 1e-12);
    configuration_unref(c);
  }
}
