/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: `event = ( { at; key; value }, … )`, what changes in mid-flow (docs/scenario.md, "Changes in
 * mid-flow"). */
#include "fields.h"
#include "scenario_fixture.h"

/* In the order of their times, those of one time as written. */
TEST(test_events_are_ordered_by_time)
{
  static const char text[] =
      "event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
      "          { at = \"1ms\"; key = \"path.reverse.rate\"; value = \"1Gbit/s\"; },\n"
      "          { at = \"2ms\"; key = \"path.forward.delay\"; value = \"50us\"; } );";
  g_autoptr(scenario) s = fixture_load(text, NULL);
  const scenario_event *events;

  g_assert_cmpuint(scenario_events(s, &events), ==, 3);
  EXPECT_FIELDS(&events[0], (at, TIME_PS_PER_MILLISECOND), (key, SCENARIO_PATH_REVERSE_RATE),
                (number, 1000000000));
  EXPECT_FIELDS(&events[1], (key, SCENARIO_PATH_FORWARD_MTU), (number, 1280));
  EXPECT_FIELDS(&events[2], (key, SCENARIO_PATH_FORWARD_DELAY), (number, 50000000));
  g_assert_cmpstr(events[0].where, ==, "a.cfg:2");
  g_assert_cmpstr(events[1].value, ==, "1280");
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
      {"event = 1;", "a.cfg:1: 'event' is not a list of events; expected event = ( { at = ...; }, ... )"},
      {"event = ( 5 );", "a.cfg:1: an event is not a group; expected { at = \"2ms\"; key = "
                         "\"path.forward.mtu\"; value = 1280; }"},
      {"event = (\n{ at = \"2ms\"; kye = \"path.forward.mtu\"; value = 1; } );",
       "a.cfg:2: unknown key 'kye' in an event; expected at, key or value (did you mean 'key'?)"},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; } );",
       "a.cfg:1: the event has no 'value'; expected { at = \"2ms\"; key = \"path.forward.mtu\"; value = "
       "1280; }"},
      {"event = ( { at = 2; key = \"path.forward.mtu\"; value = 1280; } );",
       "a.cfg:1: event: 'at' is no time; expected for instance at = \"2ms\""},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtv\"; value = 1280; } );",
       "a.cfg:1: event: 'path.forward.mtv' does not change in a run; expected one of path.forward.rate, "
       "path.forward.delay, path.forward.mtu, path.reverse.rate, path.reverse.delay, path.reverse.mtu (did "
       "you mean 'path.forward.mtu'?)"},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 70000; } );",
       "a.cfg:1: event: path.forward.mtu = 70000 is out of range; expected a size in octets from 176 to "
       "65535, such as 1500 or \"1KiB\""},
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

/* As a sweep's: the including file's events replace those it includes. */
TEST(test_included_events_are_replaced)
{
  fixture_write("base.cfg", "event = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );");
  g_autoptr(scenario) s = fixture_load(
      "@include \"base.cfg\"\nevent = ( { at = \"3ms\"; key = \"path.reverse.mtu\"; value = 900; } );", NULL);
  const scenario_event *events;

  g_assert_cmpuint(scenario_events(s, &events), ==, 1);
  g_assert_cmpint(events[0].key, ==, SCENARIO_PATH_REVERSE_MTU);
}
