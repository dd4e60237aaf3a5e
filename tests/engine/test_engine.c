/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the engine, over the native driver. Which of many timers comes first:
 * test_event_queue.c. */
#include "engine/engine.h"

#include "engine_ties.h"
#include "network_cleanup.h"
#include "test.h"

/* Timers that write "letter@time " when they run. */
typedef struct writer {
  GString *written;
  engine *clock;
  engine_timer *timer;
  char letter;
  time_ps again; /* sets itself that much later again while positive */
  bool stops;
  bool frees_itself;
} writer;

static void write_letter(void *user, time_ps now)
{
  writer *self = user;
  g_string_append_printf(self->written, "%c@%" G_GINT64_FORMAT " ", self->letter, now);
  if (self->again > 0) {
    engine_timer_set(self->timer, now + self->again);
  }
  if (self->stops) {
    engine_stop(self->clock);
  }
  if (self->frees_itself) {
    engine_timer_free(self->timer);
  }
}

typedef struct world {
  engine *clock;
  GString *written;
  writer writers[3]; /* a, b, c: the workload of connections 0, 1, 2 */
} world;

static void set_up(world *opened, G_GNUC_UNUSED gconstpointer data)
{
  opened->clock = engine_native_new();
  opened->written = g_string_new(NULL);
  for (uint32_t index = 0; index < G_N_ELEMENTS(opened->writers); index++) {
    writer *made = &opened->writers[index];
    *made = (writer){.written = opened->written, .clock = opened->clock, .letter = (char)('a' + index)};
    made->timer = engine_timer_new(opened->clock, ENGINE_WORKLOAD, index, 0, write_letter, made);
  }
}

static void tear_down(world *closed, G_GNUC_UNUSED gconstpointer data)
{
  for (size_t index = 0; index < G_N_ELEMENTS(closed->writers); index++) {
    engine_timer_free(closed->writers[index].frees_itself ? NULL : closed->writers[index].timer);
  }
  g_string_free(closed->written, TRUE);
  engine_free(closed->clock);
}

#define FIXTURE_TEST(name) TEST_WITH(world, NULL, set_up, tear_down, name)

/* With nothing due the clock stays, or is at `until`. */
TEST(test_nothing_due)
{
  g_autoptr(engine) clock = engine_native_new();
  g_assert_cmpint(engine_now(clock), ==, 0);
  engine_run(clock, TIME_PS_NEVER);
  g_assert_cmpint(engine_now(clock), ==, 0);
  engine_run(clock, 500);
  g_assert_cmpint(engine_now(clock), ==, 500);
}

FIXTURE_TEST(test_fires_once_at_its_time)
{
  engine_timer_set(f->writers[0].timer, 30);
  engine_timer_set(f->writers[1].timer, 10);
  engine_timer_set(f->writers[2].timer, 20);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "b@10 c@20 a@30 ");
  g_assert_cmpint(engine_now(f->clock), ==, 30);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "b@10 c@20 a@30 ");
}

FIXTURE_TEST(test_moved_and_switched_off)
{
  for (size_t index = 0; index < 3; index++) {
    engine_timer_set(f->writers[index].timer, 100);
  }
  engine_timer_set(f->writers[0].timer, 150);
  engine_timer_set(f->writers[1].timer, TIME_PS_NEVER);
  engine_timer_set(f->writers[1].timer, TIME_PS_NEVER);
  engine_timer_set(f->writers[2].timer, 50);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "c@50 a@150 ");
}

/* What is due at `until` runs, what is due after it waits, and the clock stands at `until`. */
FIXTURE_TEST(test_until)
{
  f->writers[0].again = 10;
  engine_timer_set(f->writers[0].timer, 10);
  engine_run(f->clock, 30);
  g_assert_cmpstr(f->written->str, ==, "a@10 a@20 a@30 ");
  engine_run(f->clock, 39);
  g_assert_cmpstr(f->written->str, ==, "a@10 a@20 a@30 ");
  g_assert_cmpint(engine_now(f->clock), ==, 39);
  engine_run(f->clock, 40);
  g_assert_cmpstr(f->written->str, ==, "a@10 a@20 a@30 a@40 ");
  engine_run(f->clock, 50);
  g_assert_cmpstr(f->written->str, ==, "a@10 a@20 a@30 a@40 a@50 ");
}

/* A stop in the middle of a picosecond leaves the rest of it to the next run, and the clock there. */
FIXTURE_TEST(test_stop)
{
  f->writers[1].stops = true;
  for (size_t index = 0; index < 3; index++) {
    engine_timer_set(f->writers[index].timer, 7);
  }
  engine_stop(f->clock); /* nothing runs yet: no effect */
  engine_run(f->clock, 9);
  g_assert_cmpstr(f->written->str, ==, "a@7 b@7 ");
  g_assert_cmpint(engine_now(f->clock), ==, 7);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a@7 b@7 c@7 ");
}

static void write_star(void *user, time_ps now)
{
  g_string_append_printf(user, "*@%" G_GINT64_FORMAT " ", now);
}

/* The observer is called after every second callback, from the moment on that it is asked for; and no more
 * when it is asked no more. */
FIXTURE_TEST(test_observed)
{
  engine_timer_set(f->writers[1].timer, 1);
  engine_run(f->clock, TIME_PS_NEVER);
  engine_observe(f->clock, 2, write_star, f->written);
  f->writers[0].again = 10;
  engine_timer_set(f->writers[0].timer, 5);
  engine_run(f->clock, 50);
  engine_observe(f->clock, 1, NULL, NULL);
  engine_run(f->clock, 70);
  g_assert_cmpstr(f->written->str, ==, "b@1 a@5 a@15 *@15 a@25 a@35 *@35 a@45 a@55 a@65 ");
}

static void write_whether_next(void *user, time_ps now)
{
  const writer *self = user;
  g_string_append_printf(self->written, "%s@%" G_GINT64_FORMAT " ",
                         engine_timer_is_next(self->timer) ? "next" : "later", now);
}

/* Whether a timer would be the next to run now: at 5 one with smaller keys is due yet, at 7 none but one with
 * larger keys, at 8 one that has been put off, and outside a run it never is. */
FIXTURE_TEST(test_next)
{
  engine_timer *asks = engine_timer_new(f->clock, ENGINE_ARRIVAL, 0, 0, write_whether_next, &f->writers[1]);
  static const time_ps asked_at[] = {5, 7, 8};

  g_assert_false(engine_timer_is_next(f->writers[1].timer));
  engine_timer_set(f->writers[0].timer, 5);
  engine_timer_set(f->writers[2].timer, 7);
  for (size_t i = 0; i < G_N_ELEMENTS(asked_at); i++) {
    engine_timer_set(asks, asked_at[i]);
    engine_run(f->clock, asked_at[i]);
    engine_timer_set(f->writers[0].timer, i == 1 ? 8 : 100);
    engine_timer_set(f->writers[0].timer, 100);
  }
  g_assert_cmpstr(f->written->str, ==, "later@5 a@5 next@7 c@7 next@8 ");
  engine_timer_free(asks);
}

/* A timer may be freed while it is set, and by its own callback. */
FIXTURE_TEST(test_freed)
{
  writer nobody = {0};
  engine_timer *dropped = engine_timer_new(f->clock, ENGINE_TIMER, 0, 0, write_letter, &nobody);
  engine_timer_set(dropped, 5);
  engine_timer_set(f->writers[0].timer, 6);
  f->writers[0].frees_itself = true;
  engine_timer_free(dropped);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a@6 ");
}

/* A caller's mistake ends the process. */
FIXTURE_TEST(test_past_is_refused)
{
  if (g_test_subprocess()) {
    engine_timer_set(f->writers[0].timer, 10);
    engine_run(f->clock, TIME_PS_NEVER);
    engine_timer_set(f->writers[0].timer, 9);
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*when >= engine_now*");
}

__attribute__((constructor)) static void register_ties(void)
{
  static const engine_ties_maker make = engine_native_new;
  engine_ties_add_tests(&make);
}
