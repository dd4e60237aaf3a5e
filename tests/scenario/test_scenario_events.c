/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about events: `event = ( { at; key; value }, … )`, what changes in mid-flow
 * (docs/scenario.md, "Changes in mid-flow"). */
#include "scenario_fixture.h"

/* In the order of their times, those of one time as written. */
TEST(test_events_are_ordered_by_time)
{
  static const char text[] =
      "event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
      "          { at = \"1ms\"; key = \"path.reverse.rate\"; value = \"1Gbit/s\"; },\n"
      "          { at = \"2ms\"; key = \"path.forward.delay\"; value = \"50us\"; } );";
  g_autoptr(scenario) s = fixture_load(text, NULL);
  const path_config *path = &scenario_configuration(s)->path;

  EXPECT_FIELDS(path, (change_count, 3), (changes[0].at, TIME_PS_PER_MILLISECOND),
                (changes[0].quantity, PATH_RATE), (changes[1].quantity, PATH_MTU),
                (changes[2].quantity, PATH_DELAY));
}

/* Each key that an event may change is a quantity of its direction. */
TEST(test_events_are_changes_of_the_path)
{
  static const struct {
    const char *key, *value;
    path_quantity quantity;
    uint64_t number;
  } changes[] = {{"rate", "\"1Gbit/s\"", PATH_RATE, 1000000000},
                 {"delay", "\"50us\"", PATH_DELAY, 50000000},
                 {"mtu", "1280", PATH_MTU, 1280}};

  for (enum side direction = 0; direction < SIDES; direction++) {
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
      g_autofree char *text = g_strdup_printf(
          "event = ( { at = \"2ms\"; key = \"path.%s.%s\"; value = %s; } );",
          direction == SIDE_INITIATOR ? "forward" : "reverse", changes[i].key, changes[i].value);
      g_autoptr(scenario) s = fixture_load(text, NULL);
      const path_config *path = &scenario_configuration(s)->path;

      EXPECT_FIELDS(path, (change_count, 1), (changes[0].at, 2 * TIME_PS_PER_MILLISECOND),
                    (changes[0].direction, direction), (changes[0].quantity, changes[i].quantity),
                    (changes[0].number, changes[i].number));
    }
  }
}

TEST(test_mistakes)
{
  static const char *const mistakes[][2] = {
      {"event = 1;", "a.cfg:1: 'event' is not a list of groups; expected event = ( { ... }, ... )"},
      {"event = ( 5 );", "a.cfg:1: an element of 'event' is no group; expected { ... }"},
      {"event = (\n{ at = \"2ms\"; kye = \"path.forward.mtu\"; value = 1; } );",
       "a.cfg:2: unknown key 'kye' in a group of 'event'; expected name, at, key, value (did you mean "
       "'key'?)"},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; } );",
       "a.cfg:1: a group of 'event' has no 'value'; expected one"},
      {"event = ( { at = 2; key = \"path.forward.mtu\"; value = 1280; } );",
       "a.cfg:1: event.at = 2 has no unit; expected a time from \"0\" to \"1000000s\", such as \"25us\""},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtv\"; value = 1280; } );",
       "a.cfg:1: event.key = \"path.forward.mtv\" is none of its words; expected \"path.forward.rate\", "
       "\"path.forward.delay\", \"path.forward.mtu\", \"path.reverse.rate\", \"path.reverse.delay\", "
       "\"path.reverse.mtu\" or \"links.NAME.up\" (did you mean 'path.forward.mtu'?)"},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 70000; } );",
       "a.cfg:1: event: path.forward.mtu = 70000 is out of range; expected a size in octets from 176 to "
       "65535, such as 1500 or \"1KiB\""},
      {"event = ( { name = \"2\"; at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; } );",
       "a.cfg:1: event: name = \"2\" is none; expected letters, digits, - and _, first a letter"},
      {"event = ( { name = \"a\"; at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
       "{ name = \"a\"; at = \"3ms\"; key = \"path.forward.mtu\"; value = 1500; } );",
       "a.cfg:1: two groups of 'event' have the name 'a'; expected different ones"},
  };
  static const char *const contradictions[][2] = {
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 179; } );",
       "a.cfg:1: event: path.forward.mtu = 179 is too small; expected at least 180"},
      {"run: { stop = \"1ms\"; };\nevent = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );",
       "a.cfg:2: the event comes after the end, run.stop = 1ms; expected an earlier one"},
  };

  fixture_assert_refusals(mistakes, G_N_ELEMENTS(mistakes));
  fixture_assert_all_findings(contradictions, G_N_ELEMENTS(contradictions));
}

/* --- Links of a graph --- */

#define FAR                                                                                                  \
  "topology: { kind = \"leaf-spine\"; };\nlinks = ( { name = \"far\"; between = \"spine1 all\"; },\n"        \
  "{ between = \"h0 leaf0\"; } );\n"

#define TAKEN(leaves)                                                                                        \
  "topology: { kind = \"leaf-spine\"; };\nlinks = ( { name = \"far\"; between = \"spine1 all\"; },\n"        \
  "{ name = \"late\"; between = \"" leaves                                                                   \
  " spine[0-1]\"; } );\nevent = ( { at = \"1ms\"; key = \"links.late.up\"; "                                 \
  "value = false; },\n{ at = \"2ms\"; key = \"links.far.up\"; value = false; } );\n"

/* Links are changed by their name, or without one by their place; they may be down at the start. */
TEST(test_events_of_links)
{
  g_autoptr(scenario) s =
      fixture_load(FAR "event = ( { at = \"2ms\"; key = \"links.2.up\"; value = false; },\n"
                       "{ at = \"1ms\"; key = \"links.far.up\"; value = true; } );",
                   "links.far.up=false");
  const graph_config *network = &scenario_configuration(s)->graph;

  EXPECT_FIELDS(network, (change_count, 2), (changes[0].at, 2 * TIME_PS_PER_MILLISECOND),
                (changes[0].entry, 1), (changes[0].is_up, false), (changes[1].entry, 0),
                (changes[1].is_up, true), (entries[0].starts_down, true), (entries[1].starts_down, false));
  EXPECT_FIELDS(&scenario_configuration(s)->path, (change_count, 0));
  fixture_assert_text(s, SCENARIO_EVENT,
                      "{ at=2ms key=links.2.up value=false } { at=1ms key=links.far.up value=true }");
}

TEST(test_mistakes_of_links)
{
  static const char *const mistakes[][2] = {
      {FAR "event = ( { at = \"2ms\"; key = \"links.far.up\"; value = \"no\"; } );",
       "a.cfg:4: event: links.far.up = no is not a boolean; expected true or false"},
      {FAR "event = ( { at = \"2ms\"; key = \"links..up\"; value = false; } );",
       "a.cfg:4: event.key = \"links..up\" is none of its words; expected \"path.forward.rate\", "
       "\"path.forward.delay\", \"path.forward.mtu\", \"path.reverse.rate\", \"path.reverse.delay\", "
       "\"path.reverse.mtu\" or \"links.NAME.up\" (did you mean 'links.NAME.up'?)"},
  };
  static const char *const contradictions[][2] = {
      {FAR "event = ( { at = \"2ms\"; value = false;\nkey = \"links.fra.up\"; } );",
       "a.cfg:5: event: links.fra.up: 'links' has no group 'fra'; expected one of those that it has, far, 2 "
       "(did you mean 'far'?)"},
      {TAKEN("leaf[0-1]"), "a.cfg:5: event: links.far.up changes nothing: all links of that entry (a.cfg:2) "
                           "are those of a later one "
                           "(a.cfg:3), which has the last word; expected links of its own"},
      {TAKEN("leaf0"), ""}, /* that of leaf1 is left */
      {FAR "event = ( { at = \"2ms\"; value = 1280;\nkey = \"path.forward.mtu\"; } );",
       "a.cfg:5: event: path.forward.mtu is of a path, and topology.kind is leaf-spine; expected such as "
       "links.NAME.up"},
      {"event = ( { at = \"2ms\"; value = false;\nkey = \"links.far.up\"; } );",
       "a.cfg:2: event: links.far.up is of a graph, and topology.kind is path; expected keys of path.forward "
       "or "
       "path.reverse"},
      {"topology: { kind = \"dumbbell\"; hosts = 2; };\nlinks = ( { between = \"left right\"; up = false; } "
       ");",
       "a.cfg:2: links that are down leave h0 no way to h2; expected one, since they talk"},
      {"topology: { kind = \"star\"; hosts = 4; };\nlinks = ( { between = \"h0 s0\"; up = false; } );",
       "a.cfg:2: links that are down leave h0 no way to h2; expected one, since they talk"},
  };

  fixture_assert_refusals(mistakes, G_N_ELEMENTS(mistakes));
  fixture_assert_all_findings(contradictions, G_N_ELEMENTS(contradictions));
}

/* They are like a sweep's: the including file's events replace those it includes. */
TEST(test_included_events_are_replaced)
{
  fixture_write("base.cfg", "event = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );");
  g_autoptr(scenario) s = fixture_load(
      "@include \"base.cfg\"\nevent = ( { at = \"3ms\"; key = \"path.reverse.mtu\"; value = 900; } );", NULL);

  EXPECT_FIELDS(&scenario_configuration(s)->path, (change_count, 1), (changes[0].direction, SIDE_RESPONDER));
}

/* --- Lists of groups, of which event is one --- */

#define SHRINK                                                                                               \
  "event = ( { name = \"shrink\"; at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"              \
  "{ value = \"50us\"; at = \"1ms\"; key = \"path.forward.delay\"; } );\n"

/* The text of a list, which --set takes, is the same for the same values; it has the members in one order. */
TEST(test_text)
{
  static const char expected[] = "{ name=shrink at=2ms key=path.forward.mtu value=1280 } "
                                 "{ at=1ms key=path.forward.delay value=50us }";
  g_autoptr(scenario) s = fixture_load(SHRINK, NULL);
  g_autofree char *set = g_strconcat("event = ", expected, NULL);
  g_autoptr(scenario) again = fixture_load("", set);
  g_autoptr(scenario) none = fixture_load(SHRINK, "event=");

  fixture_assert_text(s, SCENARIO_EVENT, expected);
  fixture_assert_text(again, SCENARIO_EVENT, expected);
  fixture_assert_text(none, SCENARIO_EVENT, "");
  EXPECT_FIELDS(&scenario_configuration(again)->path, (change_count, 2), (changes[0].number, 50000000));
  EXPECT_FIELDS(&scenario_configuration(none)->path, (change_count, 0));
}

/* The value of an event is read anew when its key changes. */
TEST(test_set)
{
  g_autoptr(scenario) s = fixture_load(SHRINK, "event.shrink.key=path.reverse.mtu");

  EXPECT_FIELDS(&scenario_configuration(s)->path, (changes[1].direction, SIDE_RESPONDER),
                (changes[1].quantity, PATH_MTU), (changes[1].number, 1280));
}

TEST(test_refused_sets)
{
  static const char *const sets[][2] = {
      {"event.shrnk.value=1",
       "--set 'event.shrnk.value=1': 'event' has no group 'shrnk'; expected one of those that "
       "it has, shrink, 2 (did you mean 'shrink'?)"},
      {"event.shrink=1",
       "--set 'event.shrink=1': unknown key '' in a group of 'event'; expected name, at, key, value"},
      {"event.2.valeu=1",
       "--set 'event.2.valeu=1': unknown key 'valeu' in a group of 'event'; expected name, at, key, "
       "value (did you mean 'value'?)"},
      {"event.2.value=1280", "--set 'event.2.value=1280': event: path.forward.delay = 1280 is not a time"},
      {"event.2.key=path.forward.mtu",
       "--set 'event.2.key=path.forward.mtu': event: path.forward.mtu = 50us is not a size"},
      {"event={ at=1ms",
       "--set 'event={ at=1ms': event is no list of groups; expected for instance '{ at=2ms "
       "key=path.forward.mtu value=1280 }'"},
      {"event={ at=1ms }", "--set 'event={ at=1ms }': a group of 'event' has no 'key'"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(sets); i++) {
    g_autofree char *message = fixture_refusal(SHRINK, sets[i][0]);

    g_test_message("%s", message);
    g_assert_true(g_str_has_prefix(message, sets[i][1]));
  }
}

/* A finding stands where the value was given. */
TEST(test_findings_of_sets)
{
  g_autofree char *found = fixture_findings(fixture_load(SHRINK, "event.shrink.value=179"));

  g_assert_cmpstr(
      found, ==,
      "--set 'event.shrink.value=179': event: path.forward.mtu = 179 is too small; expected at least 180");
}

/* An axis of a value in a list may come before the list, has the values that the group's key takes, and moves
 * with others. */
TEST(test_axes)
{
  g_autoptr(scenario) s =
      fixture_load("sweep = ( { key = \"event.shrink.value\"; values = (\"1KiB\", 1500); },\n"
                   "{ key = \"event.2.at\"; from = \"1ms\"; to = \"2ms\"; step = \"1ms\"; with = "
                   "\"event.shrink.value\"; } );\n" SHRINK,
                   NULL);
  const scenario_axis *axes;

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 2);
  EXPECT_FIELDS(&axes[0], (key, SCENARIO_EVENT), (with, -1));
  g_assert_cmpstr(scenario_axis_name(&axes[0]), ==, "event.shrink.value");
  g_assert_cmpstr(axes[0].values[0], ==, "1024");
  EXPECT_FIELDS(&axes[1], (key, SCENARIO_EVENT), (with, 0));
  g_assert_cmpstr(axes[1].values[1], ==, "2ms");
  g_assert_true(scenario_axis_set(s, &axes[0], axes[0].values[1], NULL));
  g_assert_true(scenario_axis_set(s, &axes[1], axes[1].values[1], NULL));
  fixture_assert_text(s, SCENARIO_EVENT,
                      "{ name=shrink at=2ms key=path.forward.mtu value=1500 } "
                      "{ at=2ms key=path.forward.delay value=50us }");
}

TEST(test_refused_axes)
{
  static const char *const mistakes[][2] = {
      {SHRINK "sweep = ( { key = \"event\"; values = [\"\"]; } );",
       "a.cfg:3: 'event' is a list; expected a key of one of its groups, event.NAME.KEY"},
      {SHRINK "sweep = ( { key = \"event.grow.at\"; values = [\"1ms\"]; } );",
       "a.cfg:3: sweep: 'event' has no group 'grow'; expected one of those that it has, shrink, 2"},
      {SHRINK "sweep = ( { key = \"event.shrink.value\"; values = [\"1ms\"]; } );",
       "a.cfg:3: sweep: path.forward.mtu = 1ms is not a size; expected a size in octets from 176 to 65535, "
       "such "
       "as 1500 or \"1KiB\""},
      {SHRINK "sweep = ( { key = \"event.2.at\"; values = [\"1ms\"]; },\n{ key = \"event.2.at\"; values = "
              "[\"2ms\"]; } );",
       "a.cfg:4: the sweep has two axes of 'event.2.at'; expected one, with all its values"},
  };

  fixture_assert_refusals(mistakes, G_N_ELEMENTS(mistakes));
}
