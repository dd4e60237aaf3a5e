/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario_fixture.h"

#define MTU_AXIS "{ key = \"path.forward.mtu\"; values = [576, 1500, 9000]; }"

static void assert_values(const scenario_axis *axis, const char *expected)
{
  g_autofree char *values = g_strjoinv(" ", axis->values);

  g_assert_cmpstr(values, ==, expected);
}

/* A sweep's only axis in a file has these values, for each row of the two. */
static void assert_all_values(const char *const rows[][2], gsize count)
{
  for (gsize i = 0; i < count; i++) {
    const scenario_axis *axes;
    g_autofree char *text = g_strdup_printf("sweep = ( %s );", rows[i][0]);
    g_autoptr(scenario) s = fixture_load(text, NULL);

    g_assert_cmpuint(scenario_axes(s, &axes), ==, 1);
    assert_values(&axes[0], rows[i][1]);
  }
}

TEST(test_no_sweep)
{
  const scenario_axis *axes;
  g_autoptr(scenario) none = fixture_load("title = \"t\";", NULL);
  g_autoptr(scenario) empty = fixture_load("sweep = ();", NULL);

  g_assert_cmpuint(scenario_axes(none, &axes), ==, 0);
  g_assert_cmpuint(scenario_axes(empty, &axes), ==, 0);
}

TEST(test_values_of_every_kind)
{
  const scenario_axis *axes;
  g_autoptr(scenario) s =
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
}

/* The values are what scenario_set() takes, and setting them leaves the original alone. */
TEST(test_values_can_be_set)
{
  const scenario_axis *axes;
  g_autoptr(scenario) s =
      fixture_load("sweep = ( { key = \"path.forward.drop\"; values = ([], [100], (100, 101)); } );", NULL);
  g_autoptr(scenario) copy = scenario_copy(s);

  g_assert_cmpuint(scenario_axes(copy, &axes), ==, 1);
  g_autofree char *set = g_strdup_printf("path.forward.drop=%s", axes[0].values[2]);
  g_assert_true(scenario_set(copy, set, NULL));
  g_assert_cmpuint(scenario_configuration(copy)->path.directions[SIDE_INITIATOR].loss.drop.count, ==, 2);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop.count, ==, 0);
}

/* An axis that moves with one that itself moves with a third moves with that one. */
TEST(test_axes_in_step)
{
  const scenario_axis *axes;
  g_autoptr(scenario) s = fixture_load(
      "sweep = ( { key = \"run.seed\"; from = 1; to = 2; }, " MTU_AXIS ",\n"
      "  { key = \"middlebox.chunk\"; values = [500, 1000, 1400]; with = \"path.forward.mtu\"; },\n"
      "  { key = \"middlebox.phase\"; values = [1, 2, 3]; with = \"middlebox.chunk\"; } );",
      NULL);

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 4);
  g_assert_cmpint(axes[1].with, ==, -1);
  g_assert_cmpint(axes[2].with, ==, 1);
  g_assert_cmpint(axes[3].with, ==, 1);
}

/* Ranges of every kind of number: "1%" as the last value when the step hits it, the last one before it
 * otherwise. */
TEST(test_steps)
{
  static const char *const cases[][2] = {
      {"{ key = \"run.seed\"; from = 1; to = 10; step = 4; }", "1 5 9"},
      {"{ key = \"run.seed\"; from = \"3\"; to = 3; }", "3"},
      {"{ key = \"path.forward.mtu\"; from = 1000; to = 9000; step = 4000; }", "1000 5000 9000"},
      {"{ key = \"receiver.memory\"; from = \"64KiB\"; to = \"256KiB\"; step = \"96KiB\"; }",
       "65536 163840 262144"},
      {"{ key = \"middlebox.chunk\"; from = 600; to = 602; }", "600 601 602"},
      {"{ key = \"path.forward.framing\"; from = -18; to = 2; step = 8; }", "-18 -10 -2"},
      {"{ key = \"path.forward.delay\"; from = 0; to = \"1us\"; step = \"0.4us\"; }", "0 400ns 800ns"},
      {"{ key = \"path.forward.rate\"; from = \"10Gbit/s\"; to = \"40Gbit/s\"; step = \"10Gbit/s\"; }",
       "10Gbit/s 20Gbit/s 30Gbit/s 40Gbit/s"},
      /* A tenth has no double, and three times its double is not that of 0.3. */
      {"{ key = \"path.forward.loss\"; from = 0; to = 0.3; step = 0.1; }", "0 10% 20% 30%"},
      {"{ key = \"path.forward.loss\"; from = \"0.1%\"; to = \"1%\"; step = \"0.45%\"; }", "0.1% 0.55% 1%"},
  };

  assert_all_values(cases, G_N_ELEMENTS(cases));
}

/* Steps by a factor: the square root of ten is 3.1623, its fourth root 1.778; 2^14 is 1024 times 16. Whole
 * numbers are not rounded to three digits, but to whole ones, and none is there twice. */
TEST(test_points)
{
  static const char *const cases[][2] = {
      {"{ key = \"path.forward.loss\"; from = \"0.01%\"; to = \"1%\"; points = 5; }",
       "0.01% 0.0316% 0.1% 0.316% 1%"},
      {"{ key = \"path.forward.loss\"; from = 0.00011; to = 1; points = 2; }", "0.011% 1"},
      {"{ key = \"path.forward.delay\"; from = \"10us\"; to = \"1ms\"; points = 9; }",
       "10us 17.8us 31.6us 56.2us 100us 178us 316us 562us 1ms"},
      {"{ key = \"path.forward.rate\"; from = \"1Gbit/s\"; to = \"100Gbit/s\"; points = 3; }",
       "1Gbit/s 10Gbit/s 100Gbit/s"},
      {"{ key = \"receiver.memory\"; from = \"1KiB\"; to = \"16MiB\"; points = 8; }",
       "1024 4096 16384 65536 262144 1048576 4194304 16777216"},
      {"{ key = \"workload.messages\"; from = 1; to = 1000; points = 5; }", "1 6 32 178 1000"},
      {"{ key = \"workload.messages\"; from = 1; to = 3; points = 10; }", "1 2 3"},
  };

  assert_all_values(cases, G_N_ELEMENTS(cases));
}

TEST(test_range_errors)
{
  static const char *const cases[][3] = {
      {"path.forward.mtu", "from = 1000; to = 9000;\nstep = 0;",
       "2: sweep: step = 0 is out of range; expected a size in octets from 1 to 65535, such as 1500 or "
       "\"1KiB\""},
      {"path.forward.mtu", "from = 1000; to = 9000; step = -1000;",
       "1: sweep: step = -1000 is out of range; expected a size in octets from 1 to 65535, such as 1500 or "
       "\"1KiB\""},
      {"path.forward.loss", "from = 0; to = 1;\nstep = 0.0;",
       "2: sweep: step = 0 never gets from 'from' to 'to'; expected more than 0"},
      {"path.forward.delay", "from = \"1us\"; to = \"9us\"; step = 2;",
       "1: sweep: step = 2 has no unit; expected a time from \"1ps\" to \"10s\", such as \"25us\""},
      {"path.forward.mtu", "from = 1000; to = 9000; step = 1; points = 2;",
       "1: axis 'path.forward.mtu' has both step and points; expected step = DISTANCE, or points = NUMBER "
       "for values that grow by a factor"},
      {"path.forward.delay", "from = \"1us\"; to = \"9us\";",
       "1: axis 'path.forward.delay' has from and to, but nothing says what lies between; expected step = "
       "DISTANCE, or points = NUMBER for values that grow by a factor"},
      {"receiver.mode", "from = \"in-order\"; to = \"out-of-order\";",
       "1: axis 'receiver.mode' has from and to, but its key is no number; expected values = [ ... ]"},
      {"path.forward.drop", "from = [1]; to = [2]; step = 1;",
       "1: axis 'path.forward.drop' has from and to, but its key is no number; expected values = [ ... ]"},
      {"receiver.memory", "from = 1500;\nto = \"unlimited\"; step = 1500;",
       "2: sweep: receiver.memory = unlimited cannot end a range; expected a number, of at most 18 decimals"},
      {"path.forward.loss", "from = 1.5e-18; to = 1; points = 3;",
       "1: sweep: path.forward.loss = 1.5e-18 cannot end a range; expected a number, of at most 18 decimals"},
      {"path.forward.mtu", "from = 9000;\nto = 1000; step = 1000;",
       "2: sweep: 'to' is less than 'from'; expected from = LEAST; to = LARGEST"},
      {"path.forward.mtu", "from = 1500;\nto = 1500; points = 2;",
       "2: sweep: 'to' is the same as 'from'; expected from = LEAST; to = LARGEST"},
      {"path.forward.loss", "from = 0; to = \"1%\"; points = 5;",
       "1: sweep: nothing grows from 0 or less by a factor; expected 'from' above 0, or a step instead of "
       "points"},
      {"path.forward.loss", "from = \"0.1%\"; to = \"1%\"; points = 1;",
       "1: sweep: points = 1 is out of range; expected an integer from 2 to 1000"},
      {"path.forward.loss", "from = \"0.1%\"; to = \"1%\"; points = 2.5;",
       "1: sweep: points = 2.5 is not an integer; expected an integer from 2 to 1000"},
      {"path.forward.loss", "from = \"0.1%\"; to = \"1%\"; points = { };",
       "1: sweep: points = { ... } is a group, not a value; expected an integer from 2 to 1000"},
      {"path.forward.loss", "from = 0; to = 1; step = 0.000001;",
       "1: axis 'path.forward.loss' has more than 100000 values; expected fewer"},
      {"run.seed", "from = 1; to = 3; stpe = 1;",
       "1: unknown key 'stpe' in an axis of the sweep; expected key, values, from, to, step, points, with, "
       "axis_title or names (did you mean 'step'?)"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("sweep = ( { key = \"%s\"; %s } );", cases[i][0], cases[i][1]);
    g_autofree char *expected = g_strconcat("a.cfg:", cases[i][2], NULL);
    g_autofree char *message = fixture_refusal(text, NULL);

    g_assert_cmpstr(message, ==, expected);
  }
}

/* The most values an axis can have. */
TEST(test_most_values)
{
  const scenario_axis *axes;
  g_autoptr(scenario) s = fixture_load(
      "sweep = ( { key = \"path.forward.loss\"; from = 0.00001; to = 1; step = 0.00001; } );", NULL);

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 1);
  g_assert_cmpuint(g_strv_length(axes[0].values), ==, 100000);
  g_assert_cmpstr(axes[0].values[99998], ==, "99.999%");
}

#define NOT_ONE_SET                                                                                          \
  "has not one set of values; expected either values = [ ... ] or from = LEAST; to = LARGEST, with a step "  \
  "or a "                                                                                                    \
  "number of points"

TEST(test_errors)
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
       "a.cfg:2: unknown key 'kye' in an axis of the sweep; expected key, values, from, to, step, points, "
       "with, axis_title or names (did you mean 'key'?)"},
      {"sweep = ( { key = \"run.seed\"; values = [1]; axis_title = 5; } );",
       "a.cfg:1: sweep: 'axis_title' is not a text of one line; expected one, in quotes"},
      {"sweep = ( { key = \"run.seed\"; values = [1, 2];\nnames = [\"one\"]; } );",
       "a.cfg:2: axis 'run.seed' has 2 values; expected names = [ ... ] with a text of one line for each"},
      {"sweep = ( { key = \"run.seed\"; values = [1, 2];\nnames = [\"one\", \"\"]; } );",
       "a.cfg:2: axis 'run.seed' has 2 values; expected names = [ ... ] with a text of one line for each"},
      {"sweep = ( { key = 5; values = [1]; } );",
       "a.cfg:1: sweep: 'key' is not a string; expected key = \"GROUP.KEY\""},
      {"sweep = (\n{\nkey = \"run.sed\"; values = [1]; } );",
       "a.cfg:3: sweep: unknown key 'run.sed' (did you mean 'run.seed'?); expected one of seed, engine, "
       "stop, stall, expect"},
      {"sweep = ( { key = \"path\"; values = [1]; } );",
       "a.cfg:1: sweep: 'path' is a group; expected one of its keys, too_big, forward, reverse"},
      {"sweep = ( { key = \"title\"; values = (\"a\"); } );",
       "a.cfg:1: the title cannot be swept; expected a key that changes the run"},
      {"sweep = ( { key = \"run.seed\"; values = []; } );",
       "a.cfg:1: axis 'run.seed' has no values; expected at least one"},
      {"sweep = ( { key = \"run.seed\"; values = 5; } );",
       "a.cfg:1: sweep: 'values' is not a list; expected values = [ ... ] or ( ... )"},
      {"sweep = ( { key = \"run.seed\"; } );", "a.cfg:1: axis 'run.seed' " NOT_ONE_SET},
      {"sweep = ( { key = \"run.seed\"; step = 1; } );", "a.cfg:1: axis 'run.seed' " NOT_ONE_SET},
      {"sweep = ( { key = \"run.seed\"; values = [1]; points = 3; } );",
       "a.cfg:1: axis 'run.seed' " NOT_ONE_SET},
      {"sweep = ( { key = \"run.seed\"; from = 1; } );", "a.cfg:1: axis 'run.seed' " NOT_ONE_SET},
      {"sweep = ( { key = \"run.seed\"; values = [1]; from = 1; to = 2; } );",
       "a.cfg:1: axis 'run.seed' " NOT_ONE_SET},
      {"sweep = ( { key = \"run.seed\"; from = 3; to = 2; } );",
       "a.cfg:1: sweep: 'to' is less than 'from'; expected from = LEAST; to = LARGEST"},
      {"sweep = ( { key = \"run.seed\"; from = 1;\nto = 2.5; } );",
       "a.cfg:2: sweep: run.seed = 2.5 is not an integer; expected an integer from 0 to 9007199254740992"},
      {"sweep = ( { key = \"run.seed\"; from = -1; to = 2; } );",
       "a.cfg:1: sweep: run.seed = -1 is out of range; expected an integer from 0 to 9007199254740992"},
      {"sweep = ( { key = \"run.seed\"; from = 1; to = 100001; } );",
       "a.cfg:1: axis 'run.seed' has more than 100000 values; expected fewer"},
      {"sweep = ( { key = \"run.stop\"; from = 1; to = 2; step = 1; } );",
       "a.cfg:1: sweep: run.stop = 1 has no unit; expected a time from \"0\" to \"1000000s\", such as "
       "\"25us\""},
      {"sweep = ( { key = \"path.forward.loss\";\n values = (0,\n \"2%\",\n 7); } );",
       "a.cfg:4: sweep: path.forward.loss = 7 is not a probability; expected a probability from 0 to 1, such "
       "as 0.001 or \"0.1%\" (did you mean '7%'?)"},
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
       "with, or text with a unit, such as \"25Gbit/s\""},
  };

  fixture_assert_refusals(cases, G_N_ELEMENTS(cases));
}
