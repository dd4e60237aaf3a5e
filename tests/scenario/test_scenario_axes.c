#include "scenario_fixture.h"

#define MTU_AXIS "{ key = \"path.forward.mtu\"; values = [576, 1500, 9000]; }"

static void assert_values(const scenario_axis *axis, const char *expected)
{
  char *values = g_strjoinv(" ", axis->values);

  g_assert_cmpstr(values, ==, expected);
  g_free(values);
}

static void test_no_sweep(void)
{
  const scenario_axis *axes;
  scenario *s = fixture_load("title = \"t\";", NULL);

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 0);
  scenario_free(s);
  s = fixture_load("sweep = ();", NULL);
  g_assert_cmpuint(scenario_axes(s, &axes), ==, 0);
  scenario_free(s);
}

static void test_values_of_every_kind(void)
{
  const scenario_axis *axes;
  scenario *s =
      fixture_load("sweep = ( " MTU_AXIS ",\n"
                   "  { key = \"path.forward.loss\"; values = (0, 0.001, \"1%\"); },\n"
                   "  { key = \"run.seed\"; from = 9; to = 11; },\n"
                   "  { key = \"mpa.markers\"; values = [true, false]; },\n"
                   "  { key = \"path.forward.drop\"; values = ([], [100], (100, 101), \"[7]\"); },\n"
                   "  { key = \"tcp.receive_window\"; values = (\"auto\", 65536, \"1MiB\"); } );",
                   NULL);

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 6);
  g_assert_cmpint(axes[0].key, ==, SCENARIO_PATH_FORWARD_MTU);
  g_assert_cmpint(axes[0].with, ==, -1);
  g_assert_cmpstr(axes[0].where, ==, "a.cfg:1");
  g_assert_cmpstr(axes[1].where, ==, "a.cfg:2");
  assert_values(&axes[0], "576 1500 9000");
  assert_values(&axes[1], "0 0.1% 1%");
  assert_values(&axes[2], "9 10 11");
  assert_values(&axes[3], "true false");
  assert_values(&axes[4], "[] [100] [100,101] [7]");
  assert_values(&axes[5], "auto 65536 1048576");
  scenario_free(s);
}

/* The values are what scenario_set() takes, and setting them leaves the original alone. */
static void test_values_can_be_set(void)
{
  const scenario_axis *axes;
  scenario *s =
      fixture_load("sweep = ( { key = \"path.forward.drop\"; values = ([], [100], (100, 101)); } );", NULL);
  scenario *copy = scenario_copy(s);
  gsize count;

  g_assert_cmpuint(scenario_axes(copy, &axes), ==, 1);
  char *set = g_strdup_printf("path.forward.drop=%s", axes[0].values[2]);
  g_assert_true(scenario_set(copy, set, NULL));
  g_free(set);
  scenario_list(copy, SCENARIO_PATH_FORWARD_DROP, &count);
  g_assert_cmpuint(count, ==, 2);
  scenario_list(s, SCENARIO_PATH_FORWARD_DROP, &count);
  g_assert_cmpuint(count, ==, 0);
  scenario_free(copy);
  scenario_free(s);
}

/* An axis that moves with one that itself moves with a third moves with that one. */
static void test_axes_in_step(void)
{
  const scenario_axis *axes;
  scenario *s = fixture_load(
      "sweep = ( { key = \"run.seed\"; from = 1; to = 2; }, " MTU_AXIS ",\n"
      "  { key = \"middlebox.chunk\"; values = [500, 1000, 1400]; with = \"path.forward.mtu\"; },\n"
      "  { key = \"middlebox.phase\"; values = [1, 2, 3]; with = \"middlebox.chunk\"; } );",
      NULL);

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 4);
  g_assert_cmpint(axes[1].with, ==, -1);
  g_assert_cmpint(axes[2].with, ==, 1);
  g_assert_cmpint(axes[3].with, ==, 1);
  scenario_free(s);
}

static void test_errors(void)
{
  static const char *const cases[][2] = {
      {"sweep = 5;", "a.cfg:1: 'sweep' is not a list of axes; expected sweep = ( { key = ...; }, ... )"},
      {"sweep: { key = \"run.seed\"; };",
       "a.cfg:1: 'sweep' is not a list of axes; expected sweep = ( { key = ...; }, ... )"},
      {"sweep = (5);",
       "a.cfg:1: an axis of the sweep is not a group; expected { key = \"GROUP.KEY\"; values = [ ... ]; }"},
      {"sweep = ( { values = [1]; } );",
       "a.cfg:1: an axis of the sweep has no key; expected key = \"GROUP.KEY\""},
      {"sweep = (\n{ kye = \"run.seed\"; values = [1]; } );",
       "a.cfg:2: unknown key 'kye' in an axis of the sweep; expected key, values, from, to or with (did you "
       "mean 'key'?)"},
      {"sweep = ( { key = 5; values = [1]; } );",
       "a.cfg:1: sweep: 'key' is not a string; expected key = \"GROUP.KEY\""},
      {"sweep = (\n{\nkey = \"run.sed\"; values = [1]; } );",
       "a.cfg:3: sweep: unknown key 'run.sed'; expected one that 'iwarpsim explain keys' lists (did you mean "
       "'run.seed'?)"},
      {"sweep = ( { key = \"path\"; values = [1]; } );",
       "a.cfg:1: sweep: 'path' is a group; expected one of its keys, too_big, forward, reverse"},
      {"sweep = ( { key = \"title\"; values = (\"a\"); } );",
       "a.cfg:1: the title cannot be swept; expected a key that changes the run"},
      {"sweep = ( { key = \"run.seed\"; values = []; } );",
       "a.cfg:1: axis 'run.seed' has no values; expected at least one"},
      {"sweep = ( { key = \"run.seed\"; values = 5; } );",
       "a.cfg:1: sweep: 'values' is not a list; expected values = [ ... ] or ( ... )"},
      {"sweep = ( { key = \"run.seed\"; } );", "a.cfg:1: axis 'run.seed' has not one set of values; expected "
                                               "either values = [ ... ] or from = LEAST; to = LARGEST"},
      {"sweep = ( { key = \"run.seed\"; from = 1; } );",
       "a.cfg:1: axis 'run.seed' has not one set of values; expected either values = [ ... ] or from = "
       "LEAST; to = LARGEST"},
      {"sweep = ( { key = \"run.seed\"; values = [1]; from = 1; to = 2; } );",
       "a.cfg:1: axis 'run.seed' has not one set of values; expected either values = [ ... ] or from = "
       "LEAST; to = LARGEST"},
      {"sweep = ( { key = \"run.seed\"; from = 3; to = 2; } );",
       "a.cfg:1: sweep: 'to' is less than 'from'; expected from = LEAST; to = LARGEST"},
      {"sweep = ( { key = \"run.seed\"; from = 1; to = \"2\"; } );",
       "a.cfg:1: sweep: 'from' and 'to' count integers; expected for instance from = 1; to = 30"},
      {"sweep = ( { key = \"run.seed\"; from = 1; to = 100001; } );",
       "a.cfg:1: axis 'run.seed' has more than 100000 values; expected fewer"},
      {"sweep = ( { key = \"run.stop\"; from = 1; to = 2; } );",
       "a.cfg:1: sweep: run.stop = 1 has no unit; expected a time from \"0\" to \"1000000s\", such as "
       "\"25us\""},
      {"sweep = ( { key = \"path.forward.loss\";\n values = (0,\n \"2%\",\n 7); } );",
       "a.cfg:4: sweep: path.forward.loss = 7 is not a probability; expected a probability from 0 to 1, such "
       "as 0.001 or "
       "\"0.1%\""},
      {"sweep = ( " MTU_AXIS ",\n" MTU_AXIS " );",
       "a.cfg:2: the sweep has two axes of 'path.forward.mtu'; expected one, with all its values"},
      {"sweep = ( " MTU_AXIS ",\n{ key = \"run.seed\"; from = 1; to = 3; with = \"path.reverse.mtu\"; } );",
       "a.cfg:2: axis 'run.seed' moves with 'path.reverse.mtu', which is no axis before it; expected the key "
       "of one"},
      {"sweep = ( { key = \"run.seed\"; from = 1; to = 3; with = \"run.seed\"; } );",
       "a.cfg:1: axis 'run.seed' moves with 'run.seed', which is no axis before it; expected the key of one"},
      {"sweep = ( " MTU_AXIS ",\n{ key = \"run.seed\"; from = 1; to = 2; with = \"path.forward.mtu\"; } );",
       "a.cfg:2: axis 'run.seed' has 2 values; expected 3, as 'path.forward.mtu' that it moves with"},
      {"sweep = ( { key = \"run.seed\"; from = 1; to = 5000000000; } );",
       "a.cfg:1: 5000000000 is outside 32 bits; expected 5000000000L, with the L that larger numbers end "
       "with"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *message = fixture_refusal(cases[i][0], NULL);

    g_assert_cmpstr(message, ==, cases[i][1]);
    g_free(message);
  }
}

int main(int argc, char **argv)
{
  char *folder = fixture_enter();
  int status;

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/axes/no-sweep", test_no_sweep);
  g_test_add_func("/scenario/axes/values-of-every-kind", test_values_of_every_kind);
  g_test_add_func("/scenario/axes/values-can-be-set", test_values_can_be_set);
  g_test_add_func("/scenario/axes/axes-in-step", test_axes_in_step);
  g_test_add_func("/scenario/axes/errors", test_errors);
  status = g_test_run();
  fixture_leave(folder);
  return status;
}
