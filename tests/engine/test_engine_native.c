#include "engine/engine_native.h"

#include "engine_ties.h"

/* With nothing due the clock stays, or is at `until`. */
static void test_jumps(void)
{
  engine *clock = engine_native_new();
  g_assert_cmpint(engine_now(clock), ==, 0);
  engine_run(clock, TIME_PS_NEVER);
  g_assert_cmpint(engine_now(clock), ==, 0);
  engine_run(clock, 500);
  g_assert_cmpint(engine_now(clock), ==, 500);
  engine_free(clock);
}

int main(int argc, char **argv)
{
  static const engine_ties_maker make = engine_native_new;
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/engine/native/nothing-due", test_jumps);
  engine_ties_add_tests(&make);
  return g_test_run();
}
