/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the keys of generations, operations, the two ends and faults: how they read, what
 * they give together, and what contradicts. */
#include "scenario_fixture.h"

/* --- A mix of words --- */

static const char *const mixes[][2] = {{"write", "write"},
                                       {"write+send+read", "write send read"},
                                       {"write+write+storage-read", "write write storage-read"}};

static const char *const no_mixes[] = {
    "", "+", "write+", "+write", "write++read", "write + read", "write,read", "Write", "writ", "read+sned"};

TEST(test_mix)
{
  const scenario_key_row *row = scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION);

  for (gsize i = 0; i < G_N_ELEMENTS(mixes); i++) {
    g_autofree char *text = g_strdup_printf("workload: { operation = \"%s\"; };", mixes[i][0]);
    g_autoptr(scenario) s = fixture_load(text, NULL);
    const choice_list *mix = &scenario_configuration(s)->classes->workload.mix;
    g_autoptr(GString) joined = g_string_new(NULL);

    for (guint j = 0; j < mix->count; j++) {
      g_string_append_printf(joined, "%s%s", j > 0 ? " " : "", row->words[mix->values[j]].name);
    }
    g_assert_cmpstr(joined->str, ==, mixes[i][1]);
    fixture_assert_text(s, SCENARIO_WORKLOAD_OPERATION, mixes[i][0]); /* as --set takes it */
  }
  for (gsize i = 0; i < G_N_ELEMENTS(no_mixes); i++) {
    g_autofree char *text = g_strdup_printf("workload: { operation = \"%s\"; };", no_mixes[i]);
    g_autofree char *message = fixture_refusal(text, NULL);

    g_assert_true(g_str_has_prefix(message, "a.cfg:1: workload.operation = \""));
    g_assert_nonnull(
        strstr(message, "is none of its words, nor several joined by '+'; expected \"write\", "));
  }
}

/* The word that is wrong is the one that gets a suggestion. */
TEST(test_mix_suggests)
{
  g_autofree char *message = fixture_refusal("workload: { operation = \"read+sned\"; };", NULL);

  g_assert_true(g_str_has_suffix(message, "(did you mean 'send'?)"));
}

/* 32 words are as many as a workload takes; a million are refused as quickly. */
TEST(test_mix_is_limited)
{
  static const guint counts[] = {32, 33, 200000};

  for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
    GString *text = g_string_new("workload: { operation = \"read");

    for (guint word = 1; word < counts[i]; word++) {
      g_string_append(text, "+read");
    }
    g_string_append(text, "\"; };");
    if (counts[i] <= 32) {
      scenario_free(fixture_load(text->str, NULL));
    } else {
      g_free(fixture_refusal(text->str, NULL));
    }
    g_string_free(text, TRUE);
  }
}

/* --- The two ends --- */

/* What is not given for an end is what mpa has, wherever that is given. */
TEST(test_ends_inherit)
{
  g_autoptr(scenario) s = fixture_load("mpa: { markers = false; generation = \"rfc\"; };\n"
                                       "responder: { markers = true; generation = \"ietf\"; };",
                                       "mpa.crc=false");

  const rnic_endpoint_config *ends = scenario_configuration(s)->endpoint;

  EXPECT_FIELDS(&ends[SIDE_INITIATOR], (markers, false), (generation, IWARP_RFC), (crc, false));
  EXPECT_FIELDS(&ends[SIDE_RESPONDER], (markers, true), (generation, IWARP_IETF), (crc, false));
}

/* Both groups have the same keys, with the same types, limits and words, and then those of one role. */
TEST(test_responder_mirrors_initiator)
{
  for (scenario_key key = SCENARIO_INITIATOR_GENERATION; key < SCENARIO_INITIATOR_PEER_TO_PEER; key++) {
    const scenario_key_row *initiator = scenario_key_row_of(key);
    const scenario_key_row *responder = scenario_key_row_of(scenario_key_of_side(key, SIDE_RESPONDER));

    g_assert_true(g_str_has_prefix(initiator->name, "initiator."));
    g_assert_true(g_str_has_prefix(responder->name, "responder."));
    g_assert_cmpstr(initiator->name + strlen("initiator"), ==, responder->name + strlen("responder"));
    g_assert_cmpint(initiator->type, ==, responder->type);
    g_assert_cmpuint(initiator->maximum, ==, responder->maximum);
    g_autofree const char **words = scenario_key_words(initiator);
    g_autofree const char **others = scenario_key_words(responder);
    g_autofree char *joined = g_strjoinv("|", (char **)words);
    g_autofree char *other = g_strjoinv("|", (char **)others);
    g_assert_cmpstr(joined, ==, other);
    g_assert_cmpstr(initiator->fallback, ==, responder->fallback);
    g_assert_cmpint(initiator->inherits, ==, responder->inherits);
    g_assert_cmpint(scenario_key_of_side(key, SIDE_INITIATOR), ==, key);
  }
}

/* --- The main direction (docs/scenario.md, "Directions and the path") --- */

/* A Read's payload comes over the reverse link: 1 Gbit/s, not 10. The base round trip is the same for
 * both: 2 x 25 us and 1538 octets at 10 and at 1 Gbit/s, 1.2304 + 12.304 us. */
TEST(test_windows_follow_the_main_direction)
{
  static const struct {
    const char *set;
    guint64 product;
  } cases[] = {
      {"workload.operation=write", 79418}, /* 10^10 x 63.5344 us / 8 = 79418 */
      {"workload.operation=read", 7941},   /* a tenth */
      {"workload.operation=storage-read", 7941},
      {"workload.operation=storage-write", 79418},
      {"workload.operation=rpc", 7941},
      {"workload.operation=rpc-write", 7941},
      {"workload.operation=rpc-read", 7941},
      {"workload.operation=read+send", 79418}, /* both ways: the Responder is measured */
      {"measure.side=initiator", 7941},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(scenario) s = fixture_load("path: { reverse: { rate = \"1Gbit/s\"; }; };", cases[i].set);

    g_assert_cmpint(configuration_base_round_trip(scenario_configuration(s)), ==, 63534400);
    g_assert_cmpuint(configuration_bandwidth_delay_octets(scenario_configuration(s)), ==, cases[i].product);
  }
}

/* --- Contradictions --- */

static const char *const contradictions[][2] = {
    {"mpa: { generation = \"rdmac\"; };", ""},
    {"mpa: { generation = \"rdmac\";\n markers = false; };",
     "a.cfg:2: initiator.markers = false, but generation rdmac has markers and CRC always; expected true"},
    {"responder: { generation = \"rdmac\";\n crc = false; };",
     "a.cfg:2: responder.crc = false, but generation rdmac has markers and CRC always; expected true"},
    {"mpa: { markers = false; };\ninitiator: { generation = \"rdmac\"; markers = true; };\nrun: { expect = "
     "\"any\"; };",
     ""},
    {"mpa: { generation = \"rdmac\"; };\ninitiator: { private_data = 1; };",
     "a.cfg:2: initiator.private_data is given, but generation rdmac has no startup frames; expected none"},
    {"mpa: { generation = \"rdmac\"; };\nresponder: { rejects = true; };",
     "a.cfg:2: responder.rejects is given, but generation rdmac has no startup frames; expected none"},
    {"mpa: { generation = \"rfc\"; }; initiator: { private_data = 512; };", ""},
    {"mpa: { generation = \"rfc\"; };\ninitiator: { private_data = 513; };",
     "a.cfg:2: initiator.private_data = 513 is more than generation rfc allows; expected at most 512"},
    {"initiator: { private_data = 65535; };", ""},
    {"rdmap: { ord = 0; };", ""},
    {"rdmap: { ord = 0; };\nworkload: { operation = \"write+storage-write\"; };",
     "a.cfg:1: rdmap.ord = 0, but workload.operation = write+storage-write needs RDMA Reads or Atomics; "
     "expected at "
     "least 1"},
    {"rdmap: { ord = 0; };\nworkload: { operation = \"rpc+rpc-write\"; };", ""},
    {"rdmap: { ord = 0; };\nworkload: { operation = \"rpc-read\"; };",
     "a.cfg:1: rdmap.ord = 0, but workload.operation = rpc-read needs RDMA Reads or Atomics; expected at "
     "least 1"},
    {"rdmap: { ord = 0; };\nmpa: { generation = \"rfc6581\"; }; workload: { operation = \"fetch-add\"; };",
     "a.cfg:1: rdmap.ord = 0, but workload.operation = fetch-add needs RDMA Reads or Atomics; expected at "
     "least 1"},
    /* RFC 7306 is of who posts; the peer may be earlier. */
    {"mpa: { generation = \"rfc\"; };\nworkload: { operation = \"send+write-immediate\"; };",
     "a.cfg:2: workload.operation = send+write-immediate posts Immediate Data, which initiator.generation = "
     "rfc "
     "does not have; expected rfc6581"},
    {"initiator: { generation = \"rfc6581\"; };\n"
     "workload: { directions = \"both\"; operation = \"compare-swap\"; };",
     "a.cfg:2: workload.operation = compare-swap posts Atomics, which responder.generation = ietf does not "
     "have; expected rfc6581"},
    {"workload: { request_size = 100; };",
     "a.cfg:1: workload.request_size has no effect unless workload.operation has rpc or workload.operation "
     "has rpc-write or workload.operation has rpc-read or workload.pattern = flows"},
    {"workload: { request_size = 100; operation = \"write+rpc-write\"; };", ""},
};

TEST(test_contradictions)
{
  fixture_assert_all_findings(contradictions, G_N_ELEMENTS(contradictions));
}

/* The MTU must hold the smallest FPDU with markers where the receiving end asks for them: 40 + 140, else
 * 40 + 136. */
TEST(test_smallest_mtu_by_end)
{
  static const char *const cases[][2] = {
      {"mpa: { markers = false; }; responder: { markers = true; };\npath: { forward: { mtu = 180; }; "
       "reverse: { mtu = 176; }; };",
       ""},
      {"mpa: { markers = false; }; responder: { markers = true; };\npath: { forward: { mtu = 179; }; "
       "reverse: { mtu = 176; }; };",
       "a.cfg:2: path.forward.mtu = 179 is too small; expected at least 180: 40 octets of headers and 140 "
       "for the FPDU of a 128-octet ULPDU with markers"},
  };

  fixture_assert_all_findings(cases, G_N_ELEMENTS(cases));
}

/* A mix with Writes and Sends needs both sets of buffers, and both directions twice as many: 2 connections
 * x 2 buffers x 3 GiB each. */
TEST(test_memory_of_mixes)
{
#define BIG "message_size = \"3GiB\"; messages = 3; connections = 2;"
  static const char *const cases[][2] = {
      {"workload: { " BIG " operation = \"write\"; };", ""},
      {"workload: { " BIG " operation = \"storage-read\"; };", ""},
      {"workload: { " BIG " operation = \"write+send\"; };",
       "a.cfg:1: the sink's buffers take 24.0 GiB (2 connections, each with buffers for a receive window and "
       "two messages); expected at most 16 GiB"},
      {"workload: { " BIG " directions = \"both\"; };",
       "a.cfg:1: the sink's buffers take 24.0 GiB (2 connections, each with buffers for a receive window and "
       "two messages); expected at most 16 GiB"},
  };

  fixture_assert_all_findings(cases, G_N_ELEMENTS(cases));
}

/* --- Notes --- */

#define NOTHING_IS_REFUSED                                                                                   \
  "a.cfg:1: receiver.refused has no effect unless receiver.memory != unlimited or "                          \
  "receiver.fpdu_descriptors "                                                                               \
  "> 0 and receiver.fpdu_descriptors != unlimited or receiver.partial_fpdus > 0 and receiver.partial_fpdus " \
  "!= unlimited or receiver.segments > 0 and receiver.segments != unlimited or receiver.ranges > 0 and "     \
  "receiver.ranges != unlimited"

static const char *const notes[][2] = {
    {"responder: { generation = \"rfc\"; };", "a.cfg:1: generations ietf and rfc do not fit: the connection "
                                              "ends in its startup, and run.expect is ok"},
    {"responder: { generation = \"rfc\"; }; run: { expect = \"terminate\"; };", ""},
    {"fault: { error = \"bad-crc\"; };",
     "a.cfg:1: fault.error = bad-crc ends a connection, as a rule, and run.expect is ok"},
    {"fault: { error = \"bad-crc\"; }; run: { expect = \"any\"; };", ""},
    {"fault: { error = \"zero-length-wild\"; };", ""},
    {"fault: { at = 3; };", "a.cfg:1: fault.at has no effect unless fault.error != none"},
    {"responder: { rejects = true; };",
     "a.cfg:1: the responder rejects every connection, and run.expect is ok"},
    {"initiator: { private_data = 10; }; responder: { private_data_capacity = 9; };",
     "a.cfg:1: initiator.private_data = 10 is more than responder.private_data_capacity = 9: the startup "
     "frame is malformed, and run.expect is ok"},
    {"rdmap: { ird = 3; };",
     "a.cfg:1: rdmap.ird has no effect unless workload.operation has read or workload.operation has "
     "storage-write or workload.operation has rpc-read or workload.operation has fetch-add or "
     "workload.operation has compare-swap or workload.pattern = flows or fault.error != none or "
     "(initiator.generation = rfc6581 and "
     "initiator.enhanced = true)"},
    {"rdmap: { ird = 3; };\nworkload: { operation = \"read\"; };",
     "a.cfg (default of rdmap.ord): rdmap.ord = 16 is more than rdmap.ird = 3: a Read too many ends the "
     "connection, and run.expect is ok"},
    {"workload: { message_size = 4096; message_sizes = [512, 4096]; };",
     "a.cfg:1: workload.message_size has no effect while workload.message_sizes is given"},
    {"workload: { message_sizes = [512, 4096]; };", ""},
    {"mpa: { markers = false; }; initiator: { markers = true; };", ""},
    {"mpa: { markers = false; };\ninitiator: { markers = true; }; responder: { markers = true; };",
     "a.cfg:1: mpa.markers has no effect while initiator.markers and responder.markers are given"},
    {"receiver: { mode = \"in-order\"; fpdu_descriptors = 4; };",
     "a.cfg:1: receiver.fpdu_descriptors has no effect unless receiver.mode != in-order"},
    {"receiver: { mode = \"in-order\"; partial_fpdus = 8; };",
     "a.cfg:1: receiver.partial_fpdus has no effect unless receiver.mode != in-order"},
    {"receiver: { fpdu_descriptors = 4; };", ""},
    {"receiver: { refused = \"duplicate-ack\"; };", NOTHING_IS_REFUSED},
    {"receiver: { refused = \"duplicate-ack\"; ranges = \"unlimited\"; };", NOTHING_IS_REFUSED},
    {"receiver: { refused = \"duplicate-ack\"; ranges = 8; };", ""},
    {"receiver: { refused = \"duplicate-ack\"; memory = 8192; };", ""},
    {"workload: { fence = true; };",
     "a.cfg:1: workload.fence has no effect unless workload.operation has "
     "read or workload.operation has storage-write or workload.operation has rpc-read or "
     "workload.operation has fetch-add or workload.operation has compare-swap or workload.pattern = flows"},
    {"workload: { fence = true; operation = \"storage-write\"; };", ""},
    {"workload: { atomic_memory = \"shared\"; };",
     "a.cfg:1: workload.atomic_memory has no effect unless workload.operation has fetch-add or "
     "workload.operation has compare-swap or workload.pattern = flows"},
    {"mpa: { generation = \"rfc6581\"; };\n"
     "workload: { atomic_memory = \"shared\"; operation = \"send+compare-swap\"; };",
     ""},
    {"workload: { signal_every = 1; operation = \"storage-read\"; };",
     "a.cfg:1: workload.signal_every has no effect unless workload.operation has write and "
     "(workload.messages > workload.signal_every or workload.until > 0s) or workload.pattern = flows"},
    {"workload: { signal_every = 1; operation = \"send+write\"; };", ""},
    {"mpa: { startup_timeout = \"300s\"; };\nrun: { stall = \"301s\"; };", ""},
    {"mpa: { startup_timeout = \"300s\"; };\nrun: { stall = \"300s\"; };",
     "a.cfg:2: run.stall = 5min is not more than mpa.startup_timeout = 5min: a connection that waits for a "
     "startup frame may be given up"},
    {"sender: { stream_phase = 700; };",
     "a.cfg:1: sender.stream_phase has no effect unless middlebox.mode != none or initiator.generation = "
     "rdmac"},
    {"sender: { stream_phase = 700; }; mpa: { generation = \"rdmac\"; };", ""},
    {"sender: { stream_phase = \"random\"; }; middlebox: { mode = \"rechunk\"; };", ""},
    {"mpa: { assumed_emss = \"1460\"; };", ""},
    {"mpa: { assumed_emss = 1460; };", ""},
    {"mpa: { assumed_emss = \"1460\"; };\npath: { forward: { mtu = 1499; }; };",
     "a.cfg:1: mpa.assumed_emss = 1460 is more than the true EMSS: TCP cuts the FPDUs"},
};

TEST(test_notes)
{
  fixture_assert_all_findings(notes, G_N_ELEMENTS(notes));
}

/* --- Hostile values --- */

static const char *const refused[] = {
    "mpa: { generation = \"mpa-02\"; };",
    "mpa: { assumed_emss = \"1000\"; };",
    "mpa: { startup_timeout = \"0s\"; };",
    "mpa: { startup_timeout = \"10001s\"; };",
    "initiator: { private_data = 65536; };",
    "initiator: { private_data = -1; };",
    "initiator: { private_data = \"yes\"; };",
    "responder: { rejects = 1; };",
    "rdmap: { ird = 65537; };",
    "rdmap: { ord = -1; };",
    "rdmap: { association = \"pd\"; };",
    "sender: { stream_phase = \"sometimes\"; };",
    "sender: { stream_phase = \"2MiB\"; };",
    "workload: { directions = \"reverse\"; };",
    "workload: { fence = \"true\"; };",
    "measure: { side = \"sink\"; };",
    "fault: { error = \"bad-src\"; };",
    "fault: { side = \"both\"; };",
    "fault: { at = 0; };",
    "fault: { at = 99999999999999999999; };",
    "initiator: 5;",
    "initiator: { initiator: { crc = true; }; };",
};

TEST(test_hostile_values)
{
  for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
    g_test_message("%s", refused[i]);
    g_autofree char *message = fixture_refusal(refused[i], NULL);
    g_assert_true(g_str_has_prefix(message, "a.cfg:1: "));
    g_assert_true(strstr(message, "expected") || strstr(message, "syntax"));
  }
}

/* --- Enhanced startup (RFC 6581) --- */

#define RFC6581 "mpa: { generation = \"rfc6581\"; };\n"

/* 14 bits hold IRD and ORD, and 0x3FFF = 16383 means that there is no negotiation (§9.1); 512 octets of
 * Private Data less the four; each kind of RTR is a flag; nothing to ask for needs no enhanced Request (§10).
 */
static const char *const unfit[][2] = {
    {RFC6581 "initiator: { ird = 16383; };",
     "a.cfg:2: initiator.ird = 16383 does not fit into enhanced startup frames; expected at most 16382"},
    {RFC6581 "rdmap: { ord = 16383; };",
     "a.cfg:2: rdmap.ord = 16383 does not fit into enhanced startup frames; expected at most 16382"},
    {RFC6581 "responder: { private_data = 509; };", "a.cfg:2: responder.private_data = 509 leaves no room "
                                                    "for the four octets of enhanced startup; expected at "
                                                    "most 508"},
    {RFC6581 "responder: { rtr = \"read+send+read\"; };",
     "a.cfg:2: responder.rtr = read+send+read has a kind twice; expected each once at most"},
    {RFC6581 "initiator: { negotiates = \"none\"; };",
     "a.cfg:2: initiator.negotiates = none and initiator.peer_to_peer = false leave an enhanced Request "
     "nothing to "
     "ask for; expected initiator.enhanced = false"},
    /* An end needs no more Reads than it ever has outstanding. */
    {RFC6581 "responder: { ord_needed = 17; };",
     "a.cfg:2: responder.ord_needed = 17 is more than rdmap.ord = 16, which the responder never exceeds; "
     "expected at most 16"},
    {RFC6581 "responder: { ord_needed = 3;\nord = 2; };",
     "a.cfg:2: responder.ord_needed = 3 is more than responder.ord = 2, which the responder never exceeds; "
     "expected at most 2"},
    {RFC6581 "responder: { ord_needed = 16; };", ""},
    {RFC6581 "workload: { operation = \"read\"; }; responder: { ird = 0; };",
     "a.cfg:2: responder.ird = 0, but workload.operation = read needs RDMA Reads or Atomics; expected at "
     "least 1"},
    /* Of plain frames, or of ends that keep to their own values, 65,536 is possible, and 512 octets. */
    {RFC6581 "rdmap: { ird = 65536; ord = 65536; }; initiator: { enhanced = false; private_data = 512; "
             "}; responder: { enhanced = false; }; workload: { operation = \"read\"; };",
     ""},
    {RFC6581
     "initiator: { ord = 65536; negotiates = \"ird\"; }; responder: { ird = 65536; negotiates = \"ord\"; };",
     ""},
    {RFC6581 "initiator: { negotiates = \"none\"; peer_to_peer = true; };", ""},
};

TEST(test_enhanced_limits)
{
  for (gsize i = 0; i < G_N_ELEMENTS(unfit); i++) {
    g_autofree char *found = fixture_findings(fixture_load(unfit[i][0], NULL));
    g_assert_cmpstr(found, ==, unfit[i][1]);
  }
}

#define CLOSES                                                                                               \
  "the responder does not know enhanced startup frames and closes the connection, initiator.fallback = "     \
  "false, and run.expect is ok"

/* §10: what comes of ends that do not have the same frames; and of enhanced frames that do not agree. */
static const char *const foretold[][2] = {
    {"initiator: { generation = \"rfc6581\"; };\nresponder: { generation = \"rfc\"; };", "a.cfg:2: " CLOSES},
    {RFC6581 "responder: { enhanced = false; };", "a.cfg:2: " CLOSES},
    {RFC6581 "responder: { enhanced = false; }; initiator: { fallback = true; };", ""},
    {RFC6581 "responder: { enhanced = false; }; initiator: { enhanced = false; };", ""},
    {"initiator: { generation = \"rfc\"; };\nresponder: { generation = \"rfc6581\"; };", ""},
    {"initiator: { generation = \"rfc6581\"; fallback = true; };",
     "a.cfg (default of mpa.generation): generations rfc6581 and ietf do not fit: the connection ends in its "
     "startup, and run.expect is ok"},
    {RFC6581 "responder: { rtr = \"write\"; }; initiator: { peer_to_peer = true; rtr = \"read+send\"; };",
     "a.cfg:2: initiator.rtr = read+send and responder.rtr = write have none in common: the connection ends "
     "with "
     "Terminate 2/0/07, and run.expect is ok"},
    /* A Responder without room for a Read names it only where it has nothing else, unless its IRD becomes 1.
     */
    {RFC6581
     "responder: { rtr = \"read+send\"; ird = 0; negotiates = \"ord\"; }; initiator: { peer_to_peer = "
     "true; rtr = \"read\"; };",
     "a.cfg:2: initiator.rtr = read and responder.rtr = read+send have none in common, and responder.ird = 0 "
     "takes no Read: the connection ends with Terminate 2/0/07, and run.expect is ok"},
    {RFC6581
     "responder: { rtr = \"read\"; ird = 0; negotiates = \"ord\"; }; initiator: { peer_to_peer = true; };",
     "a.cfg:2: responder.ird = 0 is not negotiated and has no room for the Read that is the RTR: the "
     "connection ends with Terminate 1/2/02, and run.expect is ok"},
    {RFC6581 "responder: { rtr = \"read\"; ird = 0; }; initiator: { peer_to_peer = true; };", ""},
    {RFC6581 "fault: { error = \"no-rtr\"; };",
     "a.cfg:2: fault.error = no-rtr has no effect unless initiator.peer_to_peer = true, at the initiator"},
    {RFC6581 "initiator: { peer_to_peer = true; }; fault: { error = \"no-rtr\"; };", ""},
    {RFC6581 "initiator: { peer_to_peer = true; }; fault: { error = \"wrong-rtr\"; };",
     "a.cfg:2: fault.error = wrong-rtr has no effect unless initiator.peer_to_peer = true without write or "
     "read "
     "at one of the ends, at the initiator"},
    {RFC6581 "initiator: { peer_to_peer = true; rtr = \"send+read\"; }; fault: { error = \"wrong-rtr\"; };",
     ""},
    {RFC6581 "responder: { ord_needed = 17; ord = 17; };",
     "a.cfg:2: responder.ord_needed = 17 is more than initiator.ird = 16: the responder rejects the "
     "connection, and "
     "run.expect is ok"},
    {RFC6581 "responder: { ord_needed = 17; ord = 17; }; initiator: { negotiates = \"ord\"; };", ""},
    /* Startup makes the Initiator's ORD 3, unless it keeps to its own. */
    {RFC6581 "workload: { operation = \"read\"; }; responder: { ird = 3; };", ""},
    {RFC6581
     "workload: { operation = \"read\"; }; responder: { ird = 3; }; initiator: { negotiates = \"ird\"; };",
     "a.cfg (default of rdmap.ord): rdmap.ord = 16 is more than responder.ird = 3: a Read too many ends the "
     "connection, and run.expect is ok"},
    {"initiator: { fallback = true; };", "a.cfg:1: initiator.fallback has no effect unless "
                                         "initiator.generation = rfc6581 and initiator.enhanced = "
                                         "true"},
};

TEST(test_startup_is_foretold)
{
  fixture_assert_all_findings(foretold, G_N_ELEMENTS(foretold));
}
