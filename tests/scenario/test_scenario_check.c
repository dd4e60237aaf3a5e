/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what keys mean together: contradictions, and what a user should know. */
#include "scenario_fixture.h"

TEST(test_defaults_are_fine)
{
  fixture_assert_findings("", "");
}

/* Returns the default of `key` as a file has it. */
static char *written_default(const scenario *s, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  g_autofree char *text = g_strdup(scenario_value_text(s, key));
  if (row->type == SCENARIO_TYPE_PROBABILITIES && strcmp(text, "[]") != 0) { /* its shares are texts */
    g_auto(GStrv) shares = g_strsplit(g_strdelimit(text, "[]", ' '), ",", -1);
    g_autofree char *quoted = g_strjoinv("\",\"", shares);
    return g_strdup_printf("[\"%s\"]", quoted);
  }
  gboolean is_bare = (row->type == SCENARIO_TYPE_INTEGER && row->words == NULL) ||
                     row->type == SCENARIO_TYPE_BOOLEAN || *text == '[';

  return row->type == SCENARIO_TYPE_GROUPS ? g_strdup("()")
         : is_bare                         ? g_strdup(text)
                                           : g_strdup_printf("\"%s\"", text);
}

/* Returns a file that gives every key its default. The keys of the table that share a group follow each
 * other. */
static char *all_defaults(void)
{
  g_autoptr(scenario) s = fixture_load("", NULL);
  GString *file = g_string_new(NULL);
  g_auto(GStrv) open = g_new0(char *, 1);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_auto(GStrv) parts = g_strsplit(scenario_key_row_of(key)->name, ".", -1);
    g_autofree char *value = written_default(s, key);
    guint depth = g_strv_length(parts) - 1;
    guint open_depth = g_strv_length(open);
    guint shared = 0;

    while (shared < MIN(depth, open_depth) && strcmp(parts[shared], open[shared]) == 0) {
      shared++;
    }
    for (guint i = shared; i < open_depth; i++) {
      g_string_append(file, "};\n");
    }
    for (guint i = shared; i < depth; i++) {
      g_string_append_printf(file, "%s: {\n", parts[i]);
    }
    g_string_append_printf(file, "%s = %s;\n", parts[depth], value);
    g_clear_pointer(&parts[depth], g_free);
    g_strfreev(open);
    open = g_steal_pointer(&parts);
  }
  for (guint i = 0; i < g_strv_length(open); i++) {
    g_string_append(file, "};\n");
  }
  return g_string_free(file, FALSE);
}

/* Returns whether `text` with one --set passes. */
static gboolean passes(const char *text, const char *set)
{
  g_autoptr(scenario) s = fixture_load(text, set);
  g_autoptr(GError) error = NULL;
  gboolean ok = scenario_check(s, NULL, &error);

  g_test_message("--set %s: %s", set, ok ? "ok" : error->message);
  return ok;
}

/* To write a default contradicts nothing that the default does not contradict unwritten: with every key at
 * its default, each word of each key is refused only where it is refused in an empty file. ns-3's TCP has no
 * MPA-aware sender and passes octets in order only, so there the defaults of two keys are another TCP's. */
TEST(test_said_defaults)
{
  g_autofree char *said = all_defaults();
  guint tried = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    static const char *boolean_words[] = {"false", "true", NULL};
    g_autofree const char **words = scenario_key_words(row);

    for (const char **word = row->type == SCENARIO_TYPE_BOOLEAN ? boolean_words : words; *word != NULL;
         word++) {
      g_autofree char *set = g_strdup_printf("%s=%s", row->name, *word);
      gboolean is_ns3_tcp = strcmp(set, "tcp.implementation=ns3") == 0;

      g_assert_true(passes(said, set) == (passes("", set) && !is_ns3_tcp));
      tried++;
    }
  }
  g_assert_cmpuint(tried, >, 200);
  GString *fitting = g_string_new(said);
  g_assert_cmpuint(g_string_replace(fitting, "segmentation = \"aligned\"", "segmentation = \"stream\"", 0),
                   ==, 1);
  g_assert_cmpuint(g_string_replace(fitting, "mode = \"out-of-order\"", "mode = \"in-order\"", 0), ==, 1);
  g_assert_true(passes(fitting->str, "tcp.implementation=ns3"));
  g_string_free(fitting, TRUE);
}

/* 40 octets of headers and 140 (markers) or 136 (none) for the smallest FPDU MPA must send, 12 more for
 * timestamps (MPA-148). */
TEST(test_smallest_mtu)
{
  fixture_assert_findings("path: { forward: { mtu = 180; }; };", "");
  fixture_assert_findings("\npath: { forward: { mtu = 179; }; };",
                          "a.cfg:2: path.forward.mtu = 179 is too small; expected at least 180: 40 octets of "
                          "headers and 140 for the FPDU of a 128-octet ULPDU with markers");
  fixture_assert_findings("mpa: { markers = false; }; path: { forward: { mtu = 176; }; };", "");
  fixture_assert_findings("tcp: { timestamps = true; }; path: { forward: { mtu = 192; }; };", "");
  fixture_assert_findings(
      "tcp: { timestamps = true; }; path: { forward: { mtu = 1500; };\n reverse: { mtu = 191; }; };",
      "a.cfg:2: path.reverse.mtu = 191 is too small; expected at least 192: 52 octets of headers and 140 for "
      "the FPDU of a 128-octet ULPDU with markers");
}

/* It is inherited: the file's line is that of path.forward. */
TEST(test_a_set_option_is_named)
{
  g_autoptr(scenario) s = fixture_load("", "path.forward.mtu=176");
  g_autoptr(GError) error = NULL;

  g_assert_false(scenario_check(s, NULL, &error));
  g_assert_true(
      g_str_has_prefix(error->message, "--set 'path.forward.mtu=176': path.forward.mtu = 176 is too small;"));
}

/* Whatever gave a key is named, also when it is neither a file nor a --set. */
TEST(test_what_gave_a_key_is_named)
{
  g_autoptr(scenario) s = fixture_load("", NULL);
  GError *error = NULL;

  g_assert_false(scenario_set_key(s, SCENARIO_RUN_ENGINE, "ns2", "--engine", &error));
  g_assert_cmpstr(error->message, ==,
                  "--engine: run.engine = ns2 is none of its words; expected \"auto\", \"ns3\" or \"native\" "
                  "(did you mean 'ns3'?)");
  g_clear_error(&error);
  g_assert_true(scenario_set_key(s, SCENARIO_PATH_FORWARD_MTU, "176", "b.cfg:7", &error));
  g_assert_false(scenario_check(s, NULL, &error));
  g_assert_true(g_str_has_prefix(error->message, "b.cfg:7: path.forward.mtu = 176 is too small;"));
  g_error_free(error);
}

/* A re-cut segment of `chunk` octets and 40 of headers must fit the link after the middlebox. */
TEST(test_chunk_fits_the_link)
{
  fixture_assert_findings("middlebox: { mode = \"rechunk\"; chunk = 1460; };", "");
  fixture_assert_findings("middlebox: {\n mode = \"rechunk\";\n chunk = 1461; };",
                          "a.cfg:3: middlebox.chunk = 1461 and 40 octets of headers do not fit "
                          "path.forward.mtu 1500; expected at most 1460");
  fixture_assert_findings("middlebox: { mode = \"rechunk\"; chunk = 1449; }; tcp: { timestamps = true; };",
                          "a.cfg:1: middlebox.chunk = 1449 and 52 octets of headers do not fit "
                          "path.forward.mtu 1500; expected at most 1448");
  fixture_assert_findings(
      "path: { forward: { mtu = 9000; };\n reverse: { mtu = 1000; }; }; middlebox: { mode = \"rechunk\"; };",
      "a.cfg:2: middlebox.chunk = 1000 and 40 octets of headers do not fit path.reverse.mtu 1000; expected "
      "at most 960");
}

/* After the impairments no link follows: only the 65535 octets of an IP datagram limit it. */
TEST(test_chunk_behind_the_link)
{
  fixture_assert_findings("middlebox: { mode = \"rechunk\"; position = \"behind\"; chunk = 65495; };", "");
  fixture_assert_findings("middlebox: { mode = \"rechunk\"; position = \"behind\"; chunk = 65496; };",
                          "a.cfg:1: middlebox.chunk = 65496 and 40 octets of headers do not fit an IP "
                          "datagram of 65535; expected at most 65495");
}

TEST(test_phase_lies_in_the_first_chunk)
{
  fixture_assert_findings("middlebox: { mode = \"rechunk\"; phase = 999; };", "");
  fixture_assert_findings(
      "middlebox: { mode = \"rechunk\"; phase = 1000; };",
      "a.cfg:1: middlebox.phase = 1000 is not less than middlebox.chunk = 1000; expected it to be");
}

TEST(test_timeouts_are_ordered)
{
  fixture_assert_findings("tcp: { rto_max = \"1s\"; };", "");
  fixture_assert_findings(
      "tcp: { rto_max = \"999ms\"; };",
      "a.cfg:1: tcp.rto_initial = 1s is more than tcp.rto_max = 999ms; expected at most that");
  fixture_assert_findings("tcp: {\n rto_min = \"2s\"; rto_initial = \"1s\";\n rto_max = \"1s\"; };",
                          "a.cfg:2: tcp.rto_min = 2s is more than tcp.rto_max = 1s; expected at most that");
}

/* Base round trip of the defaults: 2 x 25 us and 1538 octets at 10 Gbit/s each way, 2 x 1,230,400 ps:
 * 52,460,800 ps. Times 10 Gbit/s: 524,608 bit = 65,576 octets. */
TEST(test_bandwidth_delay_product)
{
  g_autoptr(scenario) s = fixture_load("", NULL);

  g_assert_cmpint(configuration_base_round_trip(scenario_configuration(s)), ==, 52460800);
  g_assert_cmpuint(configuration_bandwidth_delay_octets(scenario_configuration(s)), ==, 65576);
  g_assert_cmpuint(scenario_configuration(s)->receive_window_octets, ==, 131152);
}

/* auto is at least 64 KiB, and at most what RFC 7323 can announce. */
TEST(test_automatic_window_is_bounded)
{
  g_autoptr(scenario) slow = fixture_load("path: { forward: { rate = \"1Mbit/s\"; }; };", NULL);
  g_autoptr(scenario) far =
      fixture_load("path: { forward: { rate = \"10Tbit/s\"; delay = \"10s\"; }; };", NULL);

  g_assert_cmpuint(scenario_configuration(slow)->receive_window_octets, ==, 65536);
  g_assert_cmpuint(scenario_configuration(far)->receive_window_octets, ==, 1073741824);
}

/* "unlimited" is what a limit is compared with: 1 GiB of window, of which RFC 7323 can announce all but 16
 * KiB, and no limit elsewhere. */
TEST(test_unlimited)
{
  g_autoptr(scenario) s =
      fixture_load("tcp: { receive_window = \"unlimited\"; };\nworkload: { outstanding = \"unlimited\"; };\n"
                   "path: { forward: { queue = \"unlimited\"; queue_size = \"unlimited\"; }; };\n"
                   "receiver: { fpdu_descriptors = \"unlimited\"; partial_fpdus = \"unlimited\"; };",
                   NULL);
  const configuration *c = scenario_configuration(s);

  g_assert_cmpuint(c->receive_window_octets, ==, 1073741824);
  g_assert_cmpuint(c->classes->workload.outstanding + c->receiver.limits.fpdu_descriptors +
                       c->receiver.limits.partial_fpdus,
                   ==, 0);
  g_assert_cmpuint(c->path.directions[SIDE_INITIATOR].queue.queue_limit_packets, ==, 0);
  g_assert_cmpuint(c->path.directions[SIDE_INITIATOR].queue.queue_limit_octets, ==, 0);
}

TEST(test_notes_on_the_window)
{
  /* 65536 / 65576 = 0.99939 */
  fixture_assert_findings("tcp: { receive_window = \"64KiB\"; };",
                          "a.cfg:1: the receive window of 65536 octets is 0.999 of the bandwidth-delay "
                          "product of 65576: one connection cannot fill the path");
  /* 10 Tbit/s x (20 s + 2 x 1230 ps for 1538 octets) / 8 octets; 2^30 of it is little, but not "0.000". */
  fixture_assert_findings(
      "path: { forward: { rate = \"10Tbit/s\"; delay = \"10s\"; }; };",
      "a.cfg (default of tcp.receive_window): the receive window of 1073741824 octets is 4.29e-05 of the "
      "bandwidth-delay product of 25000000003075: one connection cannot fill the path");
  fixture_assert_findings(
      "path: { forward: { rate = \"1Mbit/s\"; delay = \"0s\"; }; };\ntcp: { receive_window = 1459; };",
      "a.cfg:2: the receive window of 1459 octets is 0.474 of the bandwidth-delay product of 3076: one "
      "connection cannot fill the path\n"
      "a.cfg:2: the receive window of 1459 octets is less than a full-size segment: segments cannot stay "
      "aligned with FPDUs");
}

/* 9000 - 40 = 8960 octets a segment: 8961 let a second one out. */
TEST(test_notes_on_the_send_buffer)
{
  fixture_assert_findings("path: { forward: { mtu = 9000; }; };\nsender: { buffer = 8960; };",
                          "a.cfg:2: sender.buffer = 8960 is not more than a full-size segment, 8960 octets: "
                          "each is alone in flight, and its acknowledgement may be delayed");
  fixture_assert_findings("path: { forward: { mtu = 9000; }; };\nsender: { buffer = 8961; };", "");
  fixture_assert_findings("path: { forward: { mtu = 9000; }; };", "");
}

/* 1500 - 40 = 1460 octets a segment, of which 512 / 516 are no markers and 20 frame the FPDU: 1428.68 of
 * payload, so 64 KiB take 46 segments. 10 messages with 0.1 %: 0.46, and exp(-0.46) = 0.631. A stream's 10
 * x 45.872 segments, unmarked 65536 / 1440 = 45.511 each. 200 messages at 1 %: 92, and exp(-92) is nobody.
 *
 * Of 9,200 segments a channel that is bad for p / (p + r) of the time loses so many, in p r / (p + r) bursts:
 * 1 % and 99 % make 92 in 91.08; 0.01 % and 24.99 % of 460 make 0.184 in 0.04596, and exp(-0.04596) = 0.955;
 * of 9,200 times 0.02 / (0.02 + 0.18) = 10 % that are half lost, and 1 % of the rest, 460 + 82.8. Independent
 * losses come on top: 1 - 0.99 x 0.99 of 9,200. State: p13 = 0.1 %, p31 = 30 %, p32 = 5 %, p23 = 10 %,
 * p14 = 0.01 % weigh 0.03 (good), 0.00005 (received in a burst), 0.0001 (lost), 0.000003 (gap): 0.000103 and
 * 0.03 x 0.0011 of 0.030153. netem's correlation changes the share. */
TEST(test_notes_on_losses)
{
  static const char *const rows[][2] = {
      {"workload: { messages = 10; };\npath: { forward: { loss = \"0.1%\"; }; };",
       "a.cfg:2: 0.46 losses expected: 63 % of seeds will see none"},
      {"workload: { messages = 20; }; sender: { segmentation = \"stream\"; }; mpa: { markers = false; };\n"
       "path: { forward: { loss = \"0.1%\"; }; };",
       "a.cfg:2: 0.91 losses expected: 40 % of seeds will see none"}, /* 20 x 0.045511 */
      {"path: { forward: { loss = \"1%\"; }; };", "a.cfg:1: 92 losses expected"},
      {"path: { reverse: { loss = \"1%\"; }; };", ""}, /* acknowledgements alone */
      {"workload: { messages = 10; operation = \"read\"; };\npath: { reverse: { loss = \"0.1%\"; }; };",
       "a.cfg:2: 0.46 losses expected: 63 % of seeds will see none"},
      /* 1.2 us at 10 Gbit/s: one segment of 1500 octets, whatever the workload. */
      {"path: { forward: { loss = \"10%\"; }; }; run: { stop = \"1.2us\"; };",
       "a.cfg:1: 0.1 losses expected: 90 % of seeds will see none"},
      {"path: { forward: { loss = \"1%\"; loss_correlation = \"25%\"; }; };", ""},
      {"path: { forward: { gemodel = [\"1%\"]; }; };", "a.cfg:1: 92 losses expected in 91 bursts"},
      {"workload: { messages = 10; };\npath: { forward: { gemodel = [\"0.01%\", \"24.99%\"]; }; };",
       "a.cfg:2: 0.18 losses expected in 0.046 bursts: 96 % of seeds will see none"},
      {"path: { forward: { gemodel = [\"2%\", \"18%\", \"50%\", \"1%\"]; }; };",
       "a.cfg:1: 543 losses expected"},
      {"path: { forward: { loss = \"1%\"; gemodel = [\"1%\"]; }; };", "a.cfg:1: 183 losses expected"},
      {"path: { forward: { state = [\"0.1%\", \"30%\", \"5%\", \"10%\", \"0.01%\"]; }; };",
       "a.cfg:1: 31 losses expected in 10 bursts"},
      {"path: { forward: { gemodel = [\"1%\", \"0%\"]; }; };", "a.cfg:1: 9200 losses expected"}};
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

/* By default the round trip is 2 x (25 us + 1538 * 8 / 10 Gbit/s) = 52.4608 us, its product with the rate
 * 65,576 octets and the window twice that, 131,152: a queue of 65,576 takes the rest, 43 packets of 1500 do
 * not; two windows have 131,152 more. One message of 46 packets is 69,000 octets at most. */
TEST(test_notes_on_the_queue)
{
#define OVERFLOW(window, queue)                                                                              \
  "a.cfg:1: " window " octets over a queue of " queue                                                        \
  " and a bandwidth-delay product of 65576: the queue may overflow"
  static const char *const rows[][2] = {
      {"path: { forward: { queue_size = 65576; }; };", ""},
      {"path: { forward: { queue_size = 65575; }; };", OVERFLOW("a window of 131152", "65575")},
      {"path: { forward: { queue = 44; }; };", ""},
      {"path: { forward: { queue = 43; }; };", OVERFLOW("a window of 131152", "64500")},
      {"path: { forward: { queue = 44; queue_size = 65575; }; };", OVERFLOW("a window of 131152", "65575")},
      {"path: { forward: { queue_size = 131072; }; }; workload: { connections = 2; };",
       OVERFLOW("windows of 262304", "131072")},
      {"path: { forward: { queue_size = 131072; }; }; workload: { connections = 2; paths = \"own\"; };", ""},
      {"path: { forward: { queue_size = 65575; }; }; workload: { outstanding = 2; };", ""},
      {"path: { forward: { queue_size = 3424; }; }; workload: { messages = 1; };", ""},
      {"path: { forward: { queue_size = 3423; }; }; workload: { messages = 1; };",
       OVERFLOW("a window of 69000", "3423")},
      {"path: { forward: { queue_size = 65575; }; }; sender: { buffer = 131151; };", ""},
      {"path: { forward: { queue_size = 1500; }; }; sender: { host_rate = \"9Gbit/s\"; };", ""},
      {"path: { forward: { queue_size = 9000; ecn_threshold = 3; }; }; tcp: { ecn = \"on\"; };", ""},
      {"path: { reverse: { queue_size = 1500; }; };", ""}}; /* acknowledgements alone */
#undef OVERFLOW
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

/* At the bucket's 1 Gbit/s the product is a tenth, and the window the least that there is, 64 KiB. A host
 * that sends more slowly than that never exceeds it. */
TEST(test_notes_on_a_policer)
{
  static const char *const rows[][2] = {
      {"path: { forward: { burst = 65536; }; };", ""},
      {"path: { forward: { burst = 65535; }; };", "a.cfg:1: a window of 65536 octets over a burst of 65535: "
                                                  "the policer drops what comes faster than its rate"},
      {"path: { forward: { burst = 65535; burst_action = \"shape\"; }; };", ""},
      {"path: { forward: { burst = 1538; }; }; sender: { host_rate = \"900Mbit/s\"; };", ""}};
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

/* Which of two moments comes first is known of two times, of two numbers of octets, and of one twice. */
TEST(test_window_that_is_measured)
{
  static const char *const rows[][2] = {
      {"measure: { from = \"1ms\"; to = \"2ms\"; };", ""},
      {"measure: { from = \"2ms\"; to = \"1MiB\"; };", ""},
      {"measure: { from = 13126400; };", ""}, /* 200 messages of 64 KiB, and 96 octets each */
      {"measure: { from = 13126401; };", "a.cfg:1: measure.from = 13126401 is beyond the 13107200 octets "
                                         "of the workload: the window never opens, "
                                         "and nothing is measured in it"},
      {"workload: { message_sizes = [512, 1000]; messages = 3; connections = 2; };\nmeasure: { from = 6625; "
       "};",
       "a.cfg:2: measure.from = 6625 is beyond the 6048 octets of the workload: the window never opens, and "
       "nothing is measured in it"}, /* two whole turns of 1512, on two connections */
      {"measure: { to = \"first-loss\"; };", ""},
      {"measure: { from = \"first-loss\"; to = 1000; };", ""},
      {"measure: {\n from = \"2ms\"; to = \"1ms\"; };",
       "a.cfg:2: measure.from = 2ms is not before measure.to = 1ms; expected a window that ends after it "
       "begins"},
      {"measure: { from = \"1KiB\";\n to = 1024; };", "a.cfg:1: measure.from = 1024 is not before measure.to "
                                                      "= 1024; expected a window that ends after it begins"},
      {"measure: {\n to = \"0s\"; };", "a.cfg:2: measure.from = first-octet is not before measure.to = 0; "
                                       "expected a window that ends after it "
                                       "begins"},
      {"measure: { from = \"first-loss\"; to = \"first-loss\"; };",
       "a.cfg:1: measure.from = first-loss is not before measure.to = first-loss; expected a window that "
       "ends "
       "after it begins"},
      {"measure: { quantiles = [\"50%\", \"99.9999999%\", \"100%\"]; };", ""},
      {"measure: { quantiles = []; };", ""},
      {"measure: {\n quantiles = [\"99%\", \"50%\"]; };",
       "a.cfg:2: measure.quantiles does not ascend from above 0% by at least 0.0000001%; expected shares "
       "such as "
       "[\"50%\", \"99%\", \"99.9%\"]"},
      {"measure: { quantiles = [\"0%\"]; };", "a.cfg:1: measure.quantiles does not ascend from above 0% by "
                                              "at least 0.0000001%; expected shares such as "
                                              "[\"50%\", \"99%\", \"99.9%\"]"}};
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
  g_autofree char *message = fixture_refusal("measure: { from = \"soon\"; };", NULL);
  g_assert_cmpstr(
      message, ==,
      "a.cfg:1: measure.from = \"soon\" is neither a time nor a number of octets; expected "
      "\"first-octet\" or \"first-loss\" or a time or a number of octets Delivered, such as \"1ms\" or "
      "\"10MiB\"");
}

TEST(test_notes_on_reordering)
{
  fixture_assert_findings("path: { forward: { reorder = \"1%\"; jitter = \"10us\"; gap = 5; }; };", "");
  fixture_assert_findings("path: { forward: { reorder = \"1%\"; }; };",
                          "a.cfg:1: path.forward.reorder has no effect unless path.forward.jitter > 0s");
  fixture_assert_findings(
      "path: { reverse: { jitter = \"1us\"; }; };",
      "a.cfg:1: path.reverse.jitter only adds delay while path.reverse.reorder is 0: no packet skips it");
  fixture_assert_findings(
      "path: { forward: { gap = 5; }; };",
      "a.cfg:1: path.forward.gap has no effect unless path.forward.reorder > 0 and path.forward.jitter > 0s");
}

TEST(test_notes_on_keys_without_effect)
{
  fixture_assert_findings("middlebox: { chunk = 5; };",
                          "a.cfg:1: middlebox.chunk has no effect unless middlebox.mode has rechunk");
  fixture_assert_findings("middlebox: { mode = \"split\"; chunk = 5; };",
                          "a.cfg:1: middlebox.chunk has no effect unless middlebox.mode has rechunk");
  fixture_assert_findings(
      "workload: { operation = \"send\"; signal_every = 5; };",
      "a.cfg:1: workload.signal_every has no effect unless workload.operation has write "
      "and (workload.messages > workload.signal_every or workload.until > 0s) or workload.pattern = flows");
}

/* A share that is written without '%' may be meant in percent where it is 1 % or more, in a list too, and as
 * a value of an axis; 1 loses all, which shows. Nobody writes quantiles in percent alone. */
TEST(test_notes_on_shares)
{
#define SHARE ": a number without % counts from 0 to 1"
  static const char *const rows[][2] = {
      {"path: { forward: { corrupt = 0.1; }; };", "a.cfg:1: path.forward.corrupt is 10%" SHARE},
      {"path: { reverse: { duplicate = \"0.01\"; }; };", "a.cfg:1: path.reverse.duplicate is 1%" SHARE},
      {"path: { forward: { corrupt = \"10%\"; }; };", ""},
      {"path: { forward: { corrupt = 0.0099; }; };", ""},
      {"path: { forward: { duplicate = 1.0; }; };", ""},
      {"path: { reverse: { gemodel = [0.001, 0.3]; }; };",
       "a.cfg:1: path.reverse.gemodel is [0.1%,30%]" SHARE},
      {"path: { reverse: { gemodel = [\"0.1%\", \"0.3\"]; }; };", ""},
      {"measure: { quantiles = [0.5, 0.99]; };", ""},
      {"sweep = ( { key = \"path.forward.loss\"; values = [0.1, 0.5]; } );",
       "a.cfg:1: path.forward.loss is 10%, 50%" SHARE}};
#undef SHARE
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

/* An impairment of path.forward, where one looks first, meets no payload that the Initiator reads. What is
 * lost is counted where the payload flows: of 200 messages of 46 segments each, 1 % is 92. */
TEST(test_notes_on_the_direction_of_payload)
{
#define PULLED " meets acknowledgements and requests only: the payload flows in path.reverse"
  static const char *const rows[][2] = {
      {"workload: { operation = \"read\"; }; path: { forward: { loss = \"1%\"; }; };",
       "a.cfg:1: path.forward.loss" PULLED},
      {"workload: { operation = \"storage-read+read\"; }; path: { forward: { displace = \"1%\"; }; };",
       "a.cfg:1: path.forward.displace" PULLED},
      {"workload: { operation = \"read\"; }; path: { reverse: { loss = \"1%\"; }; };",
       "a.cfg:1: 92 losses expected"},
      {"workload: { operation = \"read\"; }; path: { forward: { drop = []; }; };", ""},
      {"workload: { operation = \"read+send\"; };\npath: { forward: { loss = \"1%\"; };\n reverse: { loss = "
       "\"2%\"; }; };",
       "a.cfg:2: 46 losses expected\na.cfg:3: 92 losses expected"},
      {"workload: { operation = \"storage-write\"; }; path: { forward: { loss = \"1%\"; }; };",
       "a.cfg:1: 92 losses expected"},
      {"path: { reverse: { loss = \"1%\"; }; };", ""}};
#undef PULLED
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

TEST(test_notes_on_timers)
{
  fixture_assert_findings("run: { stall = \"60s\"; };",
                          "a.cfg:1: run.stall = 60s is not more than tcp.rto_max = 60s: a connection that "
                          "waits to retransmit may be given up");
  fixture_assert_findings("tcp: { rto_min = \"40ms\"; };",
                          "a.cfg (default of tcp.delayed_ack): tcp.delayed_ack is not less than tcp.rto_min: "
                          "a sender may time out while its peer delays the acknowledgement");
}

/* A packet of 1500 octets takes 0.1230 us at 100 Gbit/s, with 38 of framing: 1 ms are 12.46 of 80.25 us,
 * and 8.3 of 120.2 us. Only what gets lost waits for a timer, and only in our own TCP. */
TEST(test_notes_on_ticks)
{
#define TICK(delay, rest)                                                                                    \
  "tcp: { timer_tick = \"1ms\"; " rest " };\npath: { forward: { rate = \"100Gbit/s\"; delay = \"" delay "\"" \
  ";"
#define OF_PATH                                                                                              \
  "a.cfg:1: tcp.timer_tick = 1ms is 12 round trips of 80.25 us: no timer of TCP is shorter, so the loss of " \
  "the last segments in flight costs as many or more"
  static const char *const rows[][2] = {
      {TICK("40us", "") " loss = \"1%\"; }; };", "a.cfg:2: 92 losses expected\n" OF_PATH},
      {TICK("60us", "") " loss = \"1%\"; }; };", "a.cfg:2: 92 losses expected"},
      {TICK("40us", "receive_window = \"2MiB\";") " queue = 10; }; };",
       "a.cfg:2: a window of 2097152 octets over a queue of 15000 and a bandwidth-delay product of 1003076: "
       "the queue may overflow\n" OF_PATH},
      {TICK("40us", "") "}; };", ""},
      {TICK("40us", "") " drop = [3]; }; };", ""},
      {TICK("40us", "implementation = \"ns3\";") " loss = \"1%\"; }; };",
       "a.cfg:1: tcp.timer_tick has no effect unless tcp.implementation = iwarpsim\n"
       "a.cfg:2: 92 losses expected"}};
#undef TICK
#undef OF_PATH
  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}

/* Each buffer costs 256 octets beside its message, a message in flight at least 20. The largest message three
 * times: 4 GiB x (131,152 / (2^32 + 19) + 2) = 8.0 GiB. 10000 connections: x (131,152 /
 * 65,556 + 2) x 65,792 = 2.45 GiB; with 1 MiB x (131,152 / 1,048,596 + 2) x 1,048,832 = 20.76 GiB. Messages
 * of nothing in the largest window: 2 x (2^30 / 20 + 2) x 256 = 25.6 GiB. */
TEST(test_memory)
{
  fixture_assert_findings("workload: { message_size = 4294967295L; messages = 3; };", "");
  fixture_assert_findings("workload: { connections = 10000; };", "");
  fixture_assert_findings("workload: {\n connections = 10000;\n message_size = \"1MiB\"; };",
                          "a.cfg:3: the sink's buffers take 20.8 GiB (10000 connections, each with buffers "
                          "for a receive window and two messages); expected at most 16 GiB");
  fixture_assert_findings("workload: { connections = 2; messages = 1000000000; message_size = 0; }; tcp: { "
                          "receive_window = \"1GiB\"; };",
                          "a.cfg:1: the sink's buffers take 25.6 GiB (2 connections, each with buffers for a "
                          "receive window and two messages); expected at most 16 GiB");
  /* 12.5 GB/s for 10 s, and 1 MiB: 125,001,048,576 / 65,556 + 2 messages, each of 65,792 octets */
  fixture_assert_findings(
      "tcp: { receive_window = \"1MiB\"; };\nreceiver: { placement_latency = \"10s\"; };\n"
      "workload: { messages = 10000000; }; path: { forward: { rate = \"100Gbit/s\"; }; };",
      "a.cfg:2: the sink's buffers take 116.8 GiB (1 connections, each with buffers for a "
      "receive window and two messages); expected at most 16 GiB");
}

/* 2^32 - 1 octets x 10^9 x 8 / 10 Gbit/s = 3.4e9 s = 39,768 days; picoseconds in 63 bits end after 106.75. */
TEST(test_duration)
{
  fixture_assert_findings("workload: { message_size = 4294967295L; messages = 1000000000; };",
                          "a.cfg:1: the workload takes 39768 days at path.forward.rate; expected less than "
                          "107, where simulated time ends, or a run.stop");
  fixture_assert_findings(
      "workload: { message_size = 4294967295L; messages = 1000000000; }; run: { stop = \"1s\"; };", "");
}
