/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_keys.h"

#include <string.h>

#include "scenario/scenario_guess.h"
#include "scenario/scenario_value.h"
#include "scenario_fixture.h"

/* Every row is filled in, and its default is a value of its type within its limits. */
TEST(test_rows_are_complete)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);

    g_assert_nonnull(row->name);
    g_test_message("%s", row->name);
    g_assert_nonnull(row->sentence);
    g_assert_true(g_str_has_suffix(row->sentence, "."));
    g_assert_true((row->fallback != NULL) != (row->inherits >= 0));
    if (row->fallback != NULL) {
      scenario_value value = {.is_word = FALSE};
      char *problem = NULL;

      g_assert_true(scenario_value_read(row, SCENARIO_NOTATION_BARE, row->fallback, &value, &problem));
      scenario_value_clear(&value);
    }
  }
}

TEST(test_names_find_their_key)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_assert_cmpint(scenario_key_find(scenario_key_row_of(key)->name), ==, key);
  }
  g_assert_cmpint(scenario_key_find("path.forward"), ==, SCENARIO_KEY_COUNT);
  g_assert_cmpint(scenario_key_find(""), ==, SCENARIO_KEY_COUNT);
}

/* Each key but the title lies in exactly one listed group, and that is the part of its name before the last
 * dot. */
TEST(test_every_key_is_in_a_group)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *name = scenario_key_row_of(key)->name;
    const char *dot = strrchr(name, '.');
    guint groups = scenario_group_has("", key);

    g_test_message("%s", name);
    for (const scenario_group_row *group = scenario_groups; group->name != NULL; group++) {
      if (!scenario_group_has(group->name, key)) {
        continue;
      }
      groups++;
      g_assert_cmpuint(strlen(group->name), ==, (gsize)(dot - name));
      g_assert_true(g_str_has_prefix(name, group->name));
    }
    g_assert_cmpuint(groups, ==, 1);
  }
}

/* The near ones come first, and 8 of the 41 of path.forward and the 20 of the file, lists apart. */
TEST(test_members_of_groups)
{
  static const char *const groups[][3] = {
      {"", "",
       "title, run, workload, mpa, initiator, responder, rdmap, sender and 12 more of 'iwarpsim explain'"},
      {"", "recever",
       "receiver, title, run, workload, mpa, initiator, responder, rdmap and 12 more of 'iwarpsim explain'"},
      {"path", "path.forward", "forward, too_big, reverse"},
      {"mpa", "",
       "generation, markers, crc, startup_timeout, startup_close, silent_drop, assumed_emss, mulpdu and 2 "
       "more of "
       "'iwarpsim explain mpa'"},
      {"path.forward", "path.forward.loss",
       "loss, loss_correlation, loss_every, rate, delay, mtu, framing, cell_size and 36 more of 'iwarpsim "
       "explain path.forward'"}};

  for (gsize i = 0; i < G_N_ELEMENTS(groups); i++) {
    g_autofree char *members = scenario_group_members(groups[i][0], groups[i][1]);
    g_assert_cmpstr(members, ==, groups[i][2]);
  }
}

/* The link's keys of reverse take those of forward; impairments do not. Both have the same
 * limits. */
TEST(test_reverse_mirrors_forward)
{
  const int distance = SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE;

  for (scenario_key key = SCENARIO_PATH_REVERSE_RATE; key <= SCENARIO_PATH_REVERSE_JITTER_REORDERS; key++) {
    const scenario_key_row *reverse = scenario_key_row_of(key);
    const scenario_key_row *forward = scenario_key_row_of((scenario_key)((int)key - distance));

    g_test_message("%s", reverse->name);
    g_assert_cmpstr(strrchr(reverse->name, '.'), ==, strrchr(forward->name, '.'));
    g_assert_cmpint(reverse->type, ==, forward->type);
    g_assert_cmpuint(reverse->minimum, ==, forward->minimum);
    g_assert_cmpuint(reverse->maximum, ==, forward->maximum);
    if (key <= SCENARIO_PATH_REVERSE_HOP_MTU) {
      g_assert_cmpint(reverse->inherits, ==, (int)key - distance);
    } else {
      g_assert_cmpstr(reverse->fallback, ==, forward->fallback);
    }
  }
}

/* The nearest has the same last part, is in the same group, or is spelt alike. */
TEST(test_nearest_is_a_key_or_group)
{
  static const char *const nearest[][2] = {
      {"path.forward.los", "path.forward.loss"},
      {"path.revers.loss", "path.reverse.loss"},
      {"tcp.sak", "tcp.sack"},
      {"tcp.mtu", "path.forward.mtu"},     /* not tcp.tlp, which is as near as a whole */
      {"receiver.bufer", "sender.buffer"}, /* not receiver.cell */
      {"path.forward.connections", "workload.connections"},
      {"pth", "path"},
      {"zzzzzz", NULL},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(nearest); i++) {
    const char *hint = NULL;

    g_assert_cmpstr(scenario_key_nearest(nearest[i][0], &hint), ==, nearest[i][1]);
    g_assert_null(hint);
  }
}

/* What other tools call a key leads to it, however it is spelt and in whatever group it was looked for. */
TEST(test_guesses)
{
  static const char *const meant[][2] = {
      {"lossless", "path.forward.queue_size"},
      {"rtt", "path.forward.delay"},
      {"tcp.RTT", "path.forward.delay"},
      {"one-way delay", "path.forward.delay"},
      {"path.reverse.latency", "path.reverse.delay"},
      {"bandwidth", "path.forward.rate"},
      {"DataRate", "path.forward.rate"},
      {"path.reverse.data-rate", "path.reverse.rate"},
      {"path.forward.packet_loss", "path.forward.loss"},
      {"path.forward.burst", "path.forward.gemodel"},
      {"ber", "path.forward.corrupt"},
      {"path.forward.ecn", "path.forward.ecn_threshold"},
      {"ecn", "tcp.ecn"},
      {"jitter", "path.forward.jitter"},
      {"path.forward.buffer", "path.forward.queue_size"},
      {"receiver.buffer", "receiver.memory"},
      {"sender.size", "sender.buffer"},
      {"tcp.rcvbuf", "tcp.receive_window"},
      {"tcp.cwnd", "tcp.initial_window"},
      {"mss", "path.forward.mtu"},
      {"gro", "middlebox.mode"},
      {"tcp.tso", "sender.segmentation"},
      {"workload.size", "workload.message_size"},
      {"run.duration", "run.stop"},
      {"jumbo", "path.forward.mtu"},
      {"buffer bloat", "path.forward.queue_size"},
      {"queue pairs", "workload.connections"},
      {"flow control", "tcp.receive_window"},
      {"UDP", "topology.udp_flows"},
      {"fragmentation", "tcp.path_mtu_discovery"},
      {"link", "link"}, /* the group */
      {"x.incast", "workload.pattern"},
      {"x.ECMP", "routing.choice"},
      {"x.spray", "routing.choice"},
      {"workload.Poisson", "workload.arrivals"},
      {"open loop", "workload.arrivals"},
      {"offered_load", "workload.load"},
      {"traffic.cdf", "workload.sizes"},
      {"think", "workload.think_time"},
      {"atomic", "workload.operation"},
      {"immediate", "workload.operation"},
      {"CAS", "workload.operation"},
      {"initiator_depth", "rdmap.ord"},
      {"responder_resources", "rdmap.ird"},
      {"p2p", "initiator.peer_to_peer"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(meant); i++) {
    g_assert_cmpstr(scenario_key_nearest(meant[i][0], &(const char *){NULL}), ==, meant[i][1]);
  }
}

/* What is not modelled leads to no key, neither to a wrong one nor to one that is spelt alike; what comes
 * nearest is known. Words of RDMA's other transports, of data centres, of other simulators and of devices. */
TEST(test_what_is_not_modelled)
{
  static const char *const absent[] = {
      "BBR",  "latency", "dcqcn",   "PFC",        "RoCE",     "RoCEv2",    "TUN",      "QUIC",
      "SCTP", "MPTCP",   "BGP",     "VXLAN",      "DCQCN",    "TIMELY",    "HPCC",     "go-back-N",
      "IRN",  "iSER",    "NVMe-oF", "NVMe/TCP",   "NFS-RDMA", "flowlet",   "fq_codel", "CAKE",
      "QoS",  "DSCP",    "VLAN",    "pause",      "XOFF",     "ToS",       "TLS",      "Homa",
      "NDP",  "L4S",     "AccECN",  "InfiniBand", "torus",    "multicast", "FCT",      "PCIe",
      "CPU",  "RSS",     "NAPI",    "GPUDirect",  "energy",   "tap"};

  for (gsize i = 0; i < G_N_ELEMENTS(absent); i++) {
    const char *hint = NULL;

    g_assert_null(scenario_key_nearest(absent[i], &hint));
    g_assert_nonnull(hint);
  }
}

/* A guess whose value is another has a sentence on it, in the form that ends each message. */
TEST(test_hints)
{
  g_autofree char *rtt = scenario_key_hint("rtt");
  g_autofree char *owd = scenario_key_hint("owd");
  g_autofree char *quic = scenario_key_hint("tcp.QUIC");
  g_autofree char *nothing = scenario_key_hint("zzzzzz");

  g_assert_cmpstr(rtt, ==,
                  " (did you mean 'path.forward.delay'? Half the round trip, since path.reverse.delay is the "
                  "same unless set)");
  g_assert_cmpstr(owd, ==, " (did you mean 'path.forward.delay'?)");
  g_assert_cmpstr(quic, ==, " (it is not modelled; MPA runs over TCP; the keys of tcp describe it)");
  g_assert_cmpstr(nothing, ==, "");
}

/* Returns the values in `text`: each list in brackets, text in quotes (with them), number, true and false. */
static GPtrArray *forms_in(const char *text)
{
  GPtrArray *forms = g_ptr_array_new_with_free_func(g_free);

  for (const char *p = text; *p != '\0';) {
    gsize length = *p == '['                      ? strcspn(p, "]") + 1
                   : *p == '"'                    ? strcspn(p + 1, "\"") + 2
                   : g_ascii_isdigit(*p)          ? strspn(p, "0123456789.")
                   : g_str_has_prefix(p, "true")  ? strlen("true")
                   : g_str_has_prefix(p, "false") ? strlen("false")
                                                  : 0;

    if (length > 0) {
      g_ptr_array_add(forms, g_strndup(p, length));
    }
    p += MAX(length, 1);
  }
  return forms;
}

/* Returns "path: { forward: { mtu = FORM; }; };". Beyond 32 bits a file's integer ends with L
 * (docs/scenario.md, Values and units). */
static char *file_with(const char *name, const char *form)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", -1);
  guint count = g_strv_length(parts);
  GString *file = g_string_new(NULL);

  for (guint i = 0; i + 1 < count; i++) {
    g_string_append_printf(file, "%s: { ", parts[i]);
  }
  gboolean large = g_ascii_isdigit(*form) && g_ascii_strtoull(form, NULL, 10) > G_MAXINT32;
  g_string_append_printf(file, "%s = %s%s;", parts[count - 1], form, large ? "L" : "");
  for (guint i = 0; i + 1 < count; i++) {
    g_string_append(file, " };");
  }
  return g_string_free(file, FALSE);
}

static void assert_accepted(scenario_key key, const char *form)
{
  const char *name = scenario_key_row_of(key)->name;
  g_autofree char *file = file_with(name, form);
  g_autofree char *set = g_strdup_printf("%s=%s", name, form);
  g_autoptr(scenario) from_file = fixture_load(file, NULL);
  g_autoptr(scenario) from_set = fixture_load("", set);
  const char *file_value = scenario_value_text(from_file, key);
  const char *set_value = scenario_value_text(from_set, key);

  g_assert_true(scenario_given(from_file, key));
  g_assert_cmpstr(file_value, ==, set_value);
}

/* What `explain` and error messages print as a value, ends of ranges and examples, is one, in the file and
 * for --set. A list of groups is written differently there (test_scenario_events.c). */
TEST(test_expected_forms)
{
  for (scenario_key key = 0; key < SCENARIO_EVENT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    g_autofree char *expected = scenario_value_expected(row);
    /* The ends before a list's example are its elements'. */
    const char *example = strstr(expected, "such as ");
    g_autoptr(GPtrArray) forms = forms_in(g_str_has_prefix(expected, "a list") ? example : expected);

    g_test_message("%s: %s", row->name, expected);
    g_assert_cmpuint(forms->len, >=, row->type <= SCENARIO_TYPE_FILE ? 0 : 2);
    for (guint i = 0; i < forms->len; i++) {
      assert_accepted(key, forms->pdata[i]);
    }
    if (row->type == SCENARIO_TYPE_TEXT) {
      assert_accepted(key, "\"text on one line\"");
    }
    if (row->type == SCENARIO_TYPE_MIX) {
      g_autofree char *two =
          g_strdup_printf("%.*s+%s", (int)strlen(forms->pdata[1]) - 1, (const char *)forms->pdata[1],
                          (const char *)forms->pdata[1] + 1);
      assert_accepted(key, two);
    }
  }
}

/* Each key has an example, which --set takes alone, but for arrivals, which have an end, and for an end of
 * what is posted at once; which contradicts no default, and is not the default itself. */
TEST(test_examples)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *text = key == SCENARIO_WORKLOAD_ARRIVALS ? "workload: { messages = 9; };"
                       : key == SCENARIO_WORKLOAD_UNTIL  ? "workload: { outstanding = 1; };"
                       : key == SCENARIO_WORKLOAD_SIZES
                           ? "workload: { arrivals = \"interval\"; messages = 9; };"
                           : "";

    g_test_message("%s", row->name);
    g_assert_nonnull(row->example);
    g_autofree char *set = g_strdup_printf("%s=%s", row->name, row->example);
    g_autoptr(scenario) s = fixture_load(text, set);
    g_assert_true(scenario_differs(s, key));
    g_assert_true(NO_ERROR(scenario_check, s, NULL));
  }
}

/* Returns whether `s`, which is freed, has the note that `row` has no effect without what it needs. */
static gboolean is_noted(const scenario_key_row *row, scenario *s)
{
  g_autofree char *note =
      row->needs_word != NULL
          ? g_strdup_printf("%s = %s has nothing to act on unless %s", row->name, row->needs_word, row->needs)
          : g_strdup_printf("%s has no effect unless %s", row->name, row->needs);
  g_autofree char *found = fixture_findings(s);

  return strstr(found, note) != NULL;
}

/* `key` at `own` and `named` at `value`, while the other keys of `parts` are as by default or, with `others`,
 * at their examples; NULL when that is refused. */
static scenario *made(scenario_key key, scenario_key named, const char *value, char **parts, gboolean others)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  const char *own = row->needs_word != NULL              ? row->needs_word
                    : row->type == SCENARIO_TYPE_BOOLEAN ? "true"
                                                         : row->example;
  /* There it may make segments of any size; arrivals have an end, a list its hosts, and RFC 7306 its
   * generation. */
  const char *const *place =
      g_str_has_prefix(row->needs, "middlebox") ? STRINGS("middlebox.position=behind")
      : strcmp(row->needs, "workload.pattern = flows") == 0
          ? STRINGS("topology.kind=star", "topology.hosts=64")
      : strcmp(row->needs, "workload.pattern != flows") == 0
          ? STRINGS("topology.kind=star", "topology.hosts=64", "workload.flows=flows.txt")
      : strstr(row->needs, "fetch-add") ? STRINGS("mpa.generation=rfc6581")
      : strstr(row->needs, "workload.sizes")
          ? STRINGS("workload.messages=9", "workload.arrivals=interval")
          : STRINGS(strstr(row->needs, "workload.arrivals") ? "workload.messages=9" : NULL);
  g_autoptr(scenario) s = scenario_new_without_file("none.cfg", place, NULL);

  for (char **other = parts; others && *other != NULL; other++) {
    const scenario_key further = scenario_key_find(*other);
    if (further < SCENARIO_KEY_COUNT && further != SCENARIO_TCP_IMPLEMENTATION) {
      const scenario_key_row *of = scenario_key_row_of(further);
      const char *example = of->type == SCENARIO_TYPE_BOOLEAN ? "true" : of->example;
      g_assert_true(scenario_set_key(s, further, value, "x", NULL) ||
                    scenario_set_key(s, further, example, "x", NULL));
    }
  }
  return scenario_set_key(s, key, own, "x", NULL) && scenario_set_key(s, named, value, "x", NULL) &&
                 scenario_check(s, NULL, NULL)
             ? g_steal_pointer(&s)
             : NULL;
}

/* What a key NEEDS is a condition that can hold and can fail: while each key that it names has each of its
 * words, its default, its example, 0 and 1, there is a note in some cases, and none in others. */
TEST(test_needs)
{
  guint with_needs = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    g_auto(GStrv) parts = g_strsplit_set(row->needs != NULL ? row->needs : "", " ()", -1);
    guint noted = 0, silent = 0;

    for (char **part = parts; *part != NULL; part++) {
      const scenario_key named = scenario_key_find(*part);
      g_autoptr(GStrvBuilder) values = g_strv_builder_new();

      if (named == SCENARIO_KEY_COUNT) {
        continue;
      }
      const scenario_key_row *other = scenario_key_row_of(named);
      g_autofree const char **words = scenario_key_words(other);
      g_strv_builder_addv(values, words);
      g_strv_builder_add_many(values, other->example, "0", "1", other->fallback, NULL);
      g_auto(GStrv) all = g_strv_builder_end(values);
      for (guint i = 0; all[i / 2] != NULL; i++) {
        scenario *s = made(key, named, all[i / 2], parts, i % 2 == 1);
        if (s != NULL) {
          *(is_noted(row, s) ? &noted : &silent) += 1;
        }
      }
    }
    with_needs += row->needs != NULL;
    g_test_message("%s: %u times a note, %u times none", row->name, noted, silent);
    g_assert_true(row->needs == NULL || (noted > 0 && silent > 0));
  }
  g_assert_cmpuint(with_needs, >=, 100);
}
