/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the event queue asks of its driver: a driver that only notes the calls it owes, made
 * by hand. */
#include "engine/engine.h"
#include "network_cleanup.h"
#include "test.h"

typedef struct noting_driver {
  time_ps now;
  GString *asked; /* every moment asked for, each with a blank after it */
  unsigned stops;
  void (*during_run)(struct noting_driver *noting, time_ps until);
  engine *clock;
  bool freed;
  unsigned calls; /* of timers */
} noting_driver;

static void note_wake_at(void *driver, time_ps when)
{
  noting_driver *noting = driver;
  g_string_append_printf(noting->asked, "%" G_GINT64_FORMAT " ", when);
}

static time_ps note_now(const void *driver)
{
  const noting_driver *noting = driver;
  return noting->now;
}

static void note_run(void *driver, time_ps until)
{
  noting_driver *noting = driver;
  noting->during_run(noting, until);
}

static void note_stop(void *driver)
{
  noting_driver *noting = driver;
  noting->stops++;
}

static void note_free(void *driver)
{
  noting_driver *noting = driver;
  noting->freed = true;
  g_string_free(noting->asked, TRUE);
}

static engine *open_engine(noting_driver *noting)
{
  static const engine_driver functions = {note_wake_at, note_now, note_run, note_stop, note_free};
  *noting = (noting_driver){.asked = g_string_new(NULL)};
  noting->clock = engine_new_over(&functions, noting);
  return noting->clock;
}

static void count_call(void *user, G_GNUC_UNUSED time_ps now)
{
  ++*(unsigned *)user;
}

/* The driver makes a call it owes. */
static void wake(noting_driver *noting, time_ps now)
{
  noting->now = now;
  engine_driver_wake(noting->clock);
}

/* A call is asked for only when none comes as early; a deadline that is put off costs none until its old call
 * has come, and a deadline whose call still comes is not asked for again. */
TEST(test_asks_no_more_than_needed)
{
  noting_driver noting;
  engine *clock = open_engine(&noting);
  engine_timer *retransmission = engine_timer_new(clock, ENGINE_TIMER, 0, 0, count_call, &noting.calls);
  engine_timer *transmitter = engine_timer_new(clock, ENGINE_TRANSMITTER, 0, 0, count_call, &noting.calls);

  engine_timer_set(retransmission, 200);
  engine_timer_set(transmitter, 10);
  engine_timer_set(retransmission, 205);
  engine_timer_set(retransmission, 210);
  g_assert_cmpstr(noting.asked->str, ==, "200 10 ");

  /* At 10 the transmitter runs; 210 is next, and the call of 200 looks again. */
  wake(&noting, 10);
  g_assert_cmpuint(noting.calls, ==, 1);
  g_assert_cmpstr(noting.asked->str, ==, "200 10 ");
  wake(&noting, 200);
  g_assert_cmpuint(noting.calls, ==, 1);
  g_assert_cmpstr(noting.asked->str, ==, "200 10 210 ");

  /* Off: the call still comes and finds nothing. */
  engine_timer_set(retransmission, TIME_PS_NEVER);
  wake(&noting, 210);
  g_assert_cmpuint(noting.calls, ==, 1);
  g_assert_cmpstr(noting.asked->str, ==, "200 10 210 ");

  /* A call for the very present, after this picosecond's call has come, is a new one. */
  engine_timer_set(transmitter, 210);
  g_assert_cmpstr(noting.asked->str, ==, "200 10 210 210 ");
  engine_timer_free(transmitter);
  engine_timer_free(retransmission);
  engine_free(clock);
  g_assert_true(noting.freed);
}

/* A call that was not asked for runs nothing early and loses nothing. */
TEST(test_early_call)
{
  noting_driver noting;
  g_autoptr(engine) clock = open_engine(&noting);
  g_autoptr(engine_timer) timer = engine_timer_new(clock, ENGINE_TIMER, 0, 0, count_call, &noting.calls);
  engine_timer_set(timer, 100);
  wake(&noting, 99);
  g_assert_cmpuint(noting.calls, ==, 0);
  g_assert_cmpstr(noting.asked->str, ==, "100 ");
  wake(&noting, 100);
  g_assert_cmpuint(noting.calls, ==, 1);
}

static void stop_engine(void *user, G_GNUC_UNUSED time_ps now)
{
  engine_stop(user);
}

static void wake_twice_at_50(noting_driver *noting, time_ps until)
{
  g_assert_cmpint(until, ==, 1000);
  wake(noting, 50);
  wake(noting, 50);
}

/* After a stop the calls that still come run nothing; the next run asks anew for what was left. */
TEST(test_stop)
{
  noting_driver noting;
  g_autoptr(engine) clock = open_engine(&noting);
  g_autoptr(engine_timer) first = engine_timer_new(clock, ENGINE_TRANSMITTER, 0, 0, stop_engine, clock);
  g_autoptr(engine_timer) second = engine_timer_new(clock, ENGINE_WORKLOAD, 0, 0, count_call, &noting.calls);
  engine_timer_set(first, 50);
  engine_timer_set(second, 50);
  noting.during_run = wake_twice_at_50;
  engine_run(clock, 1000);
  g_assert_cmpuint(noting.stops, ==, 1);
  g_assert_cmpuint(noting.calls, ==, 0);
  g_assert_cmpstr(noting.asked->str, ==, "50 ");
  engine_run(clock, 1000);
  g_assert_cmpuint(noting.calls, ==, 1);
  g_assert_cmpstr(noting.asked->str, ==, "50 50 ");
}
