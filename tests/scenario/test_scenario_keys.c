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

/* Near ones first, and 8 of the 41 of path.forward and the 16 of the file. */
TEST(test_members_of_groups)
{
  static const char *const groups[][3] = {
      {"", "",
       "title, run, workload, mpa, initiator, responder, rdmap, sender and 8 more of 'iwarpsim explain'"},
      {"", "recever",
       "receiver, title, run, workload, mpa, initiator, responder, rdmap and 8 more of 'iwarpsim explain'"},
      {"path", "path.forward", "forward, too_big, reverse"},
      {"mpa", "",
       "generation, markers, crc, startup_timeout, startup_close, silent_drop, assumed_emss, mulpdu"},
      {"path.forward", "path.forward.loss",
       "loss, loss_correlation, loss_every, rate, delay, mtu, framing, cell_size and 33 more of 'iwarpsim "
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
      {"link", NULL}, /* a rate, a delay, an MTU and more */
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
      "BBR",    "latency",    "incast",    "Poisson", "PFC",       "RoCE",       "RoCEv2",     "atomic",
      "TUN",    "QUIC",       "SCTP",      "MPTCP",   "BGP",       "VXLAN",      "DCQCN",      "TIMELY",
      "HPCC",   "go-back-N",  "IRN",       "iSER",    "NVMe-oF",   "NVMe/TCP",   "NFS-RDMA",   "ECMP",
      "spray",  "fat-tree",   "Clos",      "flowlet", "fq_codel",  "CAKE",       "QoS",        "DSCP",
      "VLAN",   "pause",      "lossless",  "ToS",     "TLS",       "Homa",       "NDP",        "L4S",
      "AccECN", "InfiniBand", "immediate", "CAS",     "open loop", "all-to-all", "all-reduce", "multicast",
      "FCT",    "PCIe",       "CPU",       "RSS",     "NAPI",      "GPUDirect",  "energy",     "tap"};

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

/* The values in `text`: each list in brackets, text in quotes (with them), number, true and false. */
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

/* "path: { forward: { mtu = FORM; }; };". Beyond 32 bits a file's integer ends with L (docs/scenario.md,
 * Values and units). */
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
  g_autofree char *file_value = scenario_value_text(from_file, key);
  g_autofree char *set_value = scenario_value_text(from_set, key);

  g_assert_true(scenario_given(from_file, key));
  g_assert_cmpstr(file_value, ==, set_value);
}

/* What `explain` and error messages print as a value, ends of ranges and examples, is one, in the file and
 * for --set. */
TEST(test_expected_forms)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    g_autofree char *expected = scenario_value_expected(row);
    /* The ends before a list's example are its elements'. */
    const char *example = strstr(expected, "such as ");
    g_autoptr(GPtrArray) forms = forms_in(g_str_has_prefix(expected, "a list") ? example : expected);

    g_test_message("%s: %s", row->name, expected);
    g_assert_cmpuint(forms->len, >=, row->type == SCENARIO_TYPE_TEXT ? 0 : 2);
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

/* Each key has an example, which --set takes alone, which contradicts no default, and which is not the
 * default itself. */
TEST(test_examples)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    GError *error = NULL;

    g_test_message("%s", row->name);
    g_assert_nonnull(row->example);
    g_autofree char *set = g_strdup_printf("%s=%s", row->name, row->example);
    g_autoptr(scenario) s = fixture_load("", set);
    g_assert_true(scenario_differs(s, key));
    g_assert_true(scenario_check(s, NULL, &error));
    g_assert_no_error(error);
  }
}

/* The words of middlebox.mode that `row` needs one of; NULL when it needs none. */
static const char *needed_box(const scenario_key_row *row)
{
  for (const named_value *word = scenario_key_row_of(SCENARIO_MIDDLEBOX_MODE)->words; word->name != NULL;
       word++) {
    if (row->boxes & 1U << word->value) {
      return word->name;
    }
  }
  return NULL;
}

/* "KEY=VALUE" that turns what `key` needs on, or off: a switch, a number, a word. */
static char *turned(const scenario_key_row *row, const scenario_key_row *needed, gboolean on)
{
  const char *box = needed_box(row);
  const char *off = needed->type == SCENARIO_TYPE_BOOLEAN ? "false"
                    : needed->words != NULL               ? needed->words->name
                                                          : "0";
  const char *value = box != NULL && on                             ? box
                      : needed->type == SCENARIO_TYPE_BOOLEAN && on ? "true"
                                                                    : needed->example;

  return g_strdup_printf("%s=%s", needed->name, on ? value : off);
}

/* A key that NEEDS another has no effect while that is off, and a note says so; when all are on there is
 * none. */
TEST(test_needs)
{
  guint with_needs = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);

    for (gsize off = 0; off < KEY_NEEDS_MAX && row->needs[off] != SCENARIO_TITLE; off++) {
      const scenario_key_row *missing = scenario_key_row_of(row->needs[off]);
      g_autofree char *note = g_strdup_printf("--set '%s=", row->name);
      g_autofree char *end = g_strdup_printf("': %s has no effect while %s is ", row->name, missing->name);

      with_needs++;
      for (int on = 0; on <= 1; on++) {
        const char *value = row->type == SCENARIO_TYPE_BOOLEAN ? "true" : row->example;
        g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", row->name, value));
        for (gsize i = 0; i < KEY_NEEDS_MAX && row->needs[i] != SCENARIO_TITLE; i++) {
          g_ptr_array_add(sets, turned(row, scenario_key_row_of(row->needs[i]), on || i != off));
        }
        g_ptr_array_add(sets, NULL);
        GError *error = NULL;
        scenario *s = scenario_new_without_file("none.cfg", (const char *const *)sets->pdata, &error);
        g_assert_no_error(error);
        g_autofree char *found = fixture_findings(s);

        g_test_message("%s, %s %s: %s", row->name, missing->name, on ? "on" : "off", found);
        g_assert_cmpint(strstr(found, note) != NULL && strstr(found, end) != NULL, ==, !on);
      }
    }
  }
  g_assert_cmpuint(with_needs, >=, 40);
}
