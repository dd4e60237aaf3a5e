/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the keys of the path, its middleboxes and TCP contradict each other in
 * (scenario_check_path.c, scenario_check_protocol.c). */
#include "scenario_fixture.h"

static const char *const rows[][2] = {
    /* boxes */
    {"middlebox: { mode = \"split+coalesce\"; coalesce_size = 1460; };", ""},
    {"middlebox: { mode = \"coalesce\"; position = \"behind\"; };", ""},
    {"middlebox: { mode = \"coalesce\"; };",
     "a.cfg:1: middlebox.coalesce_size = 16384 and 40 octets of headers do not fit path.forward.mtu 1500; "
     "expected at most 1460"},
    {"middlebox: { mode = \"proxy\"; };\ntcp: { path_mtu_discovery = false; };",
     "a.cfg:2: tcp.path_mtu_discovery = false, but a proxy (middlebox.mode) does not put fragments together; "
     "expected true"},
    {"middlebox: { mode = \"none+split\"; };",
     "a.cfg:1: middlebox.mode has none among others; expected none alone"},
    {"middlebox: { mode = \"proxy+split+proxy\"; };",
     "a.cfg:1: middlebox.mode has more than one proxy; expected at most one"},
    {"middlebox: { mode = \"split\";\n position = \"between\"; };",
     "a.cfg:2: middlebox.position = between, but there is only one link in path.forward; expected before or "
     "behind, or further links by path.forward.hop_rate"},
    {"middlebox: { mode = \"split\"; position = \"between\"; }; path: { forward: { hop_mtu = [1500]; }; };",
     ""},
    {"middlebox: { mode = \"random\"; random_minimum = 600; random_maximum = 599; };",
     "a.cfg:1: middlebox.random_minimum = 600 is not at most middlebox.random_maximum = 599; expected it to "
     "be"},
    {"middlebox: { mode = \"random\"; random_minimum = 599; random_maximum = 599; };", ""},
    {"middlebox: { mode = \"random\"; random_maximum = 1461; };",
     "a.cfg:1: middlebox.random_maximum = 1461 and 40 octets of headers do not fit path.forward.mtu 1500; "
     "expected at most 1460"},
    {"middlebox: { mode = \"rechunk\"; position = \"between\"; chunk = 1200; }; path: { forward: { hop_mtu = "
     "[1239]; }; };",
     "a.cfg:1: middlebox.chunk = 1200 and 40 octets of headers do not fit path.forward.mtu 1239; expected at "
     "most 1199"},
    {"middlebox: { shift_by = 7; };",
     "a.cfg:1: middlebox.shift_by has no effect unless middlebox.mode has shift"},
    {"middlebox: { mode = \"shift\"; shift_by = 7; flush = \"5us\"; };", ""},
    /* impairments */
    /* Of 200 messages, 46 segments each, 0.1 / (0.1 + 0.5) are lost, 1 / 0.5 at a time. */
    {"path: { forward: { gemodel = [0.1, 0.5, 1.0, 0.0]; }; };",
     "a.cfg:1: path.forward.gemodel is [10%,50%,1,0]: a number without % counts from 0 to 1\n"
     "a.cfg:1: 1533 losses expected in 767 bursts"},
    {"path: { forward: { gemodel = [0.1, 0.5, 1.0, 0.0];\n state = [0.1, 0.1, 0.1, 0.1, 0.1]; }; };",
     "a.cfg:2: path.forward.gemodel and path.forward.state are both given; expected one model of loss"},
    /* For each packet in state 1 there are 1.5 in 3, 0.9 in 2 and 0.4 in 4: of 9,200 those of 3 and 4 are
     * lost, 1.9 / 3.8, in as many bursts as leave state 1, 1 / 3.8. */
    {"path: { forward: { state = [0.6, 0.4, 0.6, 1.0, 0.4]; }; };",
     "a.cfg:1: path.forward.state is [60%,40%,60%,1,40%]: a number without % counts from 0 to 1\n"
     "a.cfg:1: 4600 losses expected in 2421 bursts"},
    {"path: { forward: { loss = 0.1;\n state = [0.6, 0.1, 0.1, 0.1, 0.5]; }; };",
     "a.cfg:2: path.forward.state: p13 + p14 is 110%; expected at most 100%"},
    {"path: { reverse: { state = [0.1, 0.7, 0.5]; }; };",
     "a.cfg:1: path.reverse.state: p31 + p32 is 120%; expected at most 100%"},
    {"path: { forward: { framing = -14; cell_size = 48; cell_overhead = -45; }; };", ""},
    {"path: { reverse: { cell_size = 48;\n cell_overhead = -46; }; };",
     "a.cfg:2: path.reverse.cell_overhead = -46 leaves cells of 2 octets on the link; expected at least 3, "
     "with path.reverse.cell_size = 48"},
    {"path: { forward: { burst = 1538; }; };", "a.cfg:1: a window of 65536 octets over a burst of 1538: the "
                                               "policer drops what comes faster than its rate"},
    {"path: { forward: { burst = 1537; }; };", "a.cfg:1: path.forward.burst = 1537 does not hold a packet of "
                                               "path.forward.mtu = 1500, which takes 1538 octets on "
                                               "the link; expected at least that"},
    {"path: { forward: { cell_size = 2; }; };",
     "a.cfg:1: path.forward.cell_overhead = 0 leaves cells of 2 octets on the link; expected at least 3, "
     "with path.forward.cell_size = 2"},
    {"path: { forward: { cell_overhead = 5; }; };",
     "a.cfg:1: path.forward.cell_overhead has no effect unless path.forward.cell_size > 0"},
    {"path: { forward: { discipline = \"red\"; red_minimum = 15; }; };",
     "a.cfg:1: path.forward.red_minimum = 15 is not less than path.forward.red_maximum = 15; expected it to "
     "be"},
    {"path: { forward: { loss_correlation = \"50%\"; }; };",
     "a.cfg:1: path.forward.loss_correlation has no effect unless path.forward.loss > 0"},
    {"path: { forward: { corrupt_correlation = \"50%\"; }; };",
     "a.cfg:1: path.forward.corrupt_correlation has no effect unless path.forward.corrupt > 0"},
    {"path: { reverse: { duplicate_correlation = \"50%\"; }; };",
     "a.cfg:1: path.reverse.duplicate_correlation has no effect unless path.reverse.duplicate > 0"},
    {"path: { forward: { reorder_correlation = \"50%\"; }; };",
     "a.cfg:1: path.forward.reorder_correlation has no effect unless path.forward.reorder > 0"},
    {"path: { reverse: { displace_by = \"3 segments\"; }; };",
     "a.cfg:1: path.reverse.displace_by has no effect unless path.reverse.displace > 0"},
    /* IPv6 */
    {"tcp: { ip = \"ipv6\"; }; path: { forward: { mtu = 1279; }; };",
     "a.cfg:1: path.forward.mtu = 1279 is too small for IPv6; expected at least 1280 (RFC 8200 section 5)"},
    {"tcp: { ip = \"ipv6\"; }; path: { forward: { mtu = 1280; }; };", ""},
    {"path: { forward: { hop_mtu = [179]; }; };",
     "a.cfg:1: path.forward.hop_mtu = 179 is too small; expected at least 180: 40 octets of headers and 140 "
     "for the FPDU of a 128-octet ULPDU with markers"},
    /* TCP */
    {"tcp: { ip = \"ipv6\"; path_mtu_discovery = false; };",
     "a.cfg:1: tcp.path_mtu_discovery = false, but routers do not fragment IPv6; expected true"},
    {"tcp: { congestion = \"dctcp\"; ecn = \"off\"; };",
     "a.cfg:1: tcp.ecn = off, but tcp.congestion = dctcp lives by ECN; expected passive or on"},
    {"tcp: { sack = false; rack = true; };",
     "a.cfg:1: tcp.rack has no effect unless tcp.implementation = iwarpsim and tcp.sack = true"},
    {"tcp: { partial_undo = true; };",
     "a.cfg:1: tcp.partial_undo has no effect unless tcp.implementation = iwarpsim and "
     "tcp.rack = true and tcp.timestamps = true"},
    {"tcp: { partial_undo = true; timestamps = true; rack = false; };",
     "a.cfg:1: tcp.partial_undo has no effect unless tcp.implementation = iwarpsim and "
     "tcp.rack = true and tcp.timestamps = true"},
    {"tcp: { sack = false; };", ""},
    {"tcp: { implementation = \"ns3\"; };", ""},
    {"tcp: { implementation = \"ns3\"; };\nmiddlebox: { mode = \"split+proxy\"; };",
     "a.cfg:2: middlebox.mode has a proxy, but ns-3's TCP (tcp.implementation = ns3) is no peer for one; "
     "expected none"},
    {"tcp: { implementation = \"ns3\"; };\nmiddlebox: { mode = \"split\"; };", ""},
    {"tcp: { implementation = \"ns3\"; };\nreceiver: { memory = 9000; };",
     "a.cfg:2: receiver.memory is a limit, but ns-3's TCP (tcp.implementation = ns3) cannot drop a segment "
     "for want of room; expected no limit"},
    {"tcp: { implementation = \"ns3\"; receive_window = 1024; };",
     "a.cfg:1: tcp.receive_window = 1024 is less than a segment, which ns-3's TCP (tcp.implementation = ns3) "
     "cannot be; expected at least 1500"},
    /* topology */
    {"topology: { medium = \"csma\"; };", ""},
    {"topology: { medium = \"csma+point-to-point\"; };",
     "a.cfg:1: topology.medium names 2 media for 1 links of path.forward; expected one for each, or one for "
     "all"},
    {"topology: { medium = \"csma+point-to-point\"; }; path: { forward: { hop_mtu = [1500]; }; };", ""},
    {"topology: { medium = \"csma\"; }; path: { forward:\n{ loss = 0.1; }; };",
     "a.cfg:2: path.forward.loss does not belong to a path on ns-3's nodes (topology.medium); expected only "
     "rate, delay and MTU of path.forward and its hops"},
    {"topology: { medium = \"csma\"; };\ntcp: { ip = \"ipv6\"; };",
     "a.cfg:1: topology.medium puts the path on ns-3's nodes; expected tcp.ip ipv4, workload.paths shared "
     "and no event"},
    {"topology: { tcp_flows = 2;\nqueue = \"ns3::RedQueueDisc\"; };",
     "a.cfg:2: topology.queue has no effect unless topology.medium != none\n"
     "a.cfg:1: topology.tcp_flows has no effect unless topology.medium != none"},
    {"tcp: { implementation = \"ns3\"; };\nsender: { segmentation = \"aligned\"; };",
     "a.cfg:2: sender.segmentation = aligned, but ns-3's TCP (tcp.implementation = ns3) is not MPA-aware; "
     "expected stream"},
    {"tcp: { implementation = \"ns3\"; };\nsender: { segmentation = \"record\"; };",
     "a.cfg:2: sender.segmentation = record, but ns-3's TCP (tcp.implementation = ns3) keeps no record "
     "boundaries; expected stream"},
    /* memory */
    {"receiver: { memory = 1499; };", "a.cfg:1: receiver.memory = 1499 does not hold an FPDU of the MTU, "
                                      "1500 octets: where FPDUs span segments, the run may come to a halt"},
    {"receiver: { memory = 1500; };", ""},
    /* Each of three connections may hold a part of an FPDU; in cells of 1024 octets two for each. */
    {"receiver: { memory = 4499; };\nworkload: { connections = 3; };", ""},
    {"receiver: { memory = 4500; };\nworkload: { connections = 3; };\nsender: { segmentation = \"stream\"; "
     "};",
     ""},
    {"receiver: { memory = 4499; };\nworkload: { connections = 3; };\nsender: { segmentation = \"stream\"; "
     "};",
     "a.cfg:1: receiver.memory = 4499 does not hold an FPDU for each of 3 connections, 3 x 1500 "
     "octets: "
     "where FPDUs span segments, the run may come to a halt"},
    /* FPDUs of messages of 100 octets are smaller. */
    {"receiver: { memory = 1500; };\nworkload: { connections = 3; message_size = 100; };\nsender: { "
     "segmentation = "
     "\"stream\"; };",
     ""},
    {"receiver: { memory = 6143; cell = 1024; };\nworkload: { connections = 3; };\nsender: { segmentation = "
     "\"stream\"; };",
     "a.cfg:1: receiver.memory = 6143 does not hold an FPDU for each of 3 connections, 3 x 2048 "
     "octets in "
     "whole cells: where FPDUs span segments, the run may come to a halt"},
    {"topology: { kind = \"star\"; hosts = 4; };\nsender: { segmentation = \"stream\"; };\n"
     "workload: { pattern = \"incast\"; };\nhosts = ( { at = \"h3\"; receiver: { memory = 4499; }; } );",
     "a.cfg (default of receiver.memory): receiver.memory = 4499 at h3 does not hold an FPDU for each of 3 "
     "connections, 3 x 1500 octets: where FPDUs span segments, the run may come to a halt"},
};

TEST(test_contradictions_and_notes)
{
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}
