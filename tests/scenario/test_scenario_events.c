/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: `event = ( { at; key; value }, … )`, what changes in mid-flow (docs/scenario.md, "Changes in
 * mid-flow"). */
#include "scenario_fixture.h"

/* In the order of their times, those of one time as written. */
static void test_events_are_ordered_by_time(void)
{
  static const char text[] =
      "event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
      "          { at = \"1ms\"; key = \"path.reverse.rate\"; value = \"1Gbit/s\"; },\n"
      "          { at = \"2ms\"; key = \"path.forward.delay\"; value = \"50us\"; } );";
  scenario *s = fixture_load(text, NULL);
  const scenario_event *events;

  g_assert_cmpuint(scenario_events(s, &events), ==, 3);
  g_assert_cmpint(events[0].at, ==, TIME_PS_PER_MILLISECOND);
  g_assert_cmpint(events[0].key, ==, SCENARIO_PATH_REVERSE_RATE);
  g_assert_cmpuint(events[0].number, ==, 1000000000);
  g_assert_cmpstr(events[0].where, ==, "a.cfg:2");
  g_assert_cmpint(events[1].key, ==, SCENARIO_PATH_FORWARD_MTU);
  g_assert_cmpuint(events[1].number, ==, 1280);
  g_assert_cmpstr(events[1].value, ==, "1280");
  g_assert_cmpint(events[2].key, ==, SCENARIO_PATH_FORWARD_DELAY);
  g_assert_cmpuint(events[2].number, ==, 50000000);
  scenario_free(s);
}

/* The text without its error; "" when it loads and checks. */
static char *outcome(const char *text)
{
  GError *error = NULL;
  char *message = NULL;

  fixture_write("a.cfg", text, -1);
  scenario *s = scenario_load("a.cfg", NULL, &error);
  if (s != NULL) {
    scenario_check(s, NULL, &error);
  }
  message = g_strdup(error != NULL ? error->message : "");
  g_clear_error(&error);
  scenario_free(s);
  return message;
}

static void test_mistakes(void)
{
  static const char *const rows[][2] = {
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
       "path.forward.delay, path.forward.mtu, path.reverse.rate, path.reverse.delay, path.reverse.mtu "
       "(did you mean 'path.forward.mtu'?)"},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 70000; } );",
       "a.cfg:1: event: path.forward.mtu = 70000 is out of range; expected a size in octets from 176 to "
       "65535, such as "
       "1500 or \"1KiB\""},
      {"event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 179; } );",
       "a.cfg:1: event: path.forward.mtu = 179 is too small; expected at least 180"},
      {"run: { stop = \"1ms\"; };\nevent = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );",
       "a.cfg:2: the event comes after the end, run.stop = 1ms; expected an earlier one"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *message = outcome(rows[i][0]);

    g_test_message("%s", rows[i][0]);
    g_assert_cmpstr(message, ==, rows[i][1]);
    g_free(message);
  }
}

/* As a sweep's: the including file's events replace those it includes. */
static void test_included_events_are_replaced(void)
{
  fixture_write("base.cfg", "event = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );", -1);
  scenario *s = fixture_load(
      "@include \"base.cfg\"\nevent = ( { at = \"3ms\"; key = \"path.reverse.mtu\"; value = 900; } );", NULL);
  const scenario_event *events;

  g_assert_cmpuint(scenario_events(s, &events), ==, 1);
  g_assert_cmpint(events[0].key, ==, SCENARIO_PATH_REVERSE_MTU);
  scenario_free(s);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  char *folder = fixture_enter();

  g_test_add_func("/scenario/events/are-ordered-by-time", test_events_are_ordered_by_time);
  g_test_add_func("/scenario/events/mistakes", test_mistakes);
  g_test_add_func("/scenario/events/included-events-are-replaced", test_included_events_are_replaced);
  int result = g_test_run();
  fixture_leave(folder);
  return result;
}
