/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about ns-3's simulator through plain C: its clock, the order of its events, and errors
 * instead of aborts. */
#include "shim/ns3_shim.h"

#include "ns3_events.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ns3_shim_event, ns3_shim_event_free)

typedef struct letter_event {
  ns3_shim_event *event;
  GString *written;
  char letter;
  struct letter_event *schedules; /* without delay, when it runs */
  bool stops;
} letter_event;

static void write_letter(void *user)
{
  letter_event *self = user;
  g_string_append_printf(self->written, "%c%" G_GINT64_FORMAT " ", self->letter, ns3_shim_now());
  if (self->schedules != NULL) {
    g_assert_true(ns3_shim_event_after(self->schedules->event, 0, NULL));
  }
  if (self->stops) {
    ns3_shim_stop();
  }
}

typedef struct fixture {
  GString *written;
  letter_event events[4]; /* a, b, c, d */
} fixture;

static void open_fixture(fixture *self, G_GNUC_UNUSED gconstpointer data)
{
  ns3_shim_error error;
  g_assert_true(ns3_shim_open(&error));
  self->written = g_string_new(NULL);
  for (int i = 0; i < 4; i++) {
    self->events[i] = (letter_event){.written = self->written, .letter = (char)('a' + i)};
    self->events[i].event = ns3_shim_event_new(write_letter, &self->events[i]);
  }
}

static void close_fixture(fixture *self, G_GNUC_UNUSED gconstpointer data)
{
  for (int i = 0; i < 4; i++) {
    ns3_shim_event_free(self->events[i].event);
  }
  g_string_free(self->written, TRUE);
  ns3_shim_close();
}

#define SHIM_TEST(name) TEST_WITH(fixture, NULL, open_fixture, close_fixture, name)

static void at(fixture *self, char letter, time_ps when)
{
  ns3_shim_error error;
  g_assert_true(ns3_shim_event_at(self->events[letter - 'a'].event, when, &error));
}

static void run(time_ps until)
{
  ns3_shim_error error;
  g_assert_true(ns3_shim_run(until, &error));
}

SHIM_TEST(test_time_is_counted_in_picoseconds)
{
  g_assert_cmpint(ns3_shim_now(), ==, 0);
  at(f, 'a', 1);
  at(f, 'b', INT64_C(8640000000000000001)); /* 100 days and a picosecond: nothing is rounded */
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a1 b8640000000000000001 ");
}

SHIM_TEST(test_order_is_by_time_and_then_as_scheduled)
{
  at(f, 'c', 30);
  at(f, 'b', 20);
  at(f, 'a', 20);
  at(f, 'd', 10);
  at(f, 'b', 40); /* an event may be due several times */
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "d10 b20 a20 c30 b40 ");
}

SHIM_TEST(test_without_delay_is_after_what_is_due)
{
  f->events[0].schedules = &f->events[3];
  at(f, 'a', 20);
  at(f, 'b', 20);
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a20 b20 d20 ");
}

SHIM_TEST(test_cancelled_events_do_not_run)
{
  at(f, 'a', 10);
  at(f, 'a', 20);
  at(f, 'b', 15);
  ns3_shim_event_cancel(f->events[0].event);
  at(f, 'a', 30); /* one cancelled can be scheduled again */
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "b15 a30 ");
  ns3_shim_event_cancel(f->events[0].event); /* and when it is over there is nothing to cancel */
  at(f, 'a', 31);
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "b15 a30 a31 ");
}

static void free_itself(void *user)
{
  ns3_shim_event **event = user;
  ns3_shim_event_free(*event);
  *event = NULL;
}

SHIM_TEST(test_event_frees_itself_while_it_runs)
{
  ns3_shim_event *event = NULL;
  event = ns3_shim_event_new(free_itself, &event);
  g_assert_true(ns3_shim_event_at(event, 5, NULL));
  g_assert_true(ns3_shim_event_at(event, 6, NULL)); /* must not happen: `event` is freed at 5 */
  run(TIME_PS_NEVER);
  g_assert_null(event);
  g_assert_cmpstr(f->written->str, ==, "");
}

SHIM_TEST(test_run_ends_with_what_is_due_at_until)
{
  f->events[1].schedules = &f->events[2];
  at(f, 'a', 100);
  at(f, 'd', 101);
  g_assert_true(ns3_shim_event_after(f->events[1].event, 100, NULL));
  run(100);
  /* c was scheduled by b within the last picosecond; d is too late. */
  g_assert_cmpstr(f->written->str, ==, "a100 b100 c100 ");
  g_assert_cmpint(ns3_shim_now(), ==, 100);
  run(100);
  g_assert_cmpint(ns3_shim_now(), ==, 100);
  run(150);
  g_assert_cmpstr(f->written->str, ==, "a100 b100 c100 d101 ");
  g_assert_cmpint(ns3_shim_now(), ==, 150);
}

SHIM_TEST(test_stop_ends_the_run_after_the_event)
{
  f->events[0].stops = true;
  at(f, 'a', 10);
  at(f, 'b', 10);
  run(1000);
  g_assert_cmpstr(f->written->str, ==, "a10 ");
  g_assert_cmpint(ns3_shim_now(), ==, 10);
  at(f, 'c', 2000);
  /* The end of the first run, at 1000, is forgotten. */
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a10 b10 c2000 ");
}

static void run_again(void *user)
{
  ns3_shim_error *error = user;
  g_assert_false(ns3_shim_run(TIME_PS_NEVER, error));
}

SHIM_TEST(test_mistakes_are_errors_with_a_message)
{
  ns3_shim_event *event = f->events[0].event;
  ns3_shim_error error;
  at(f, 'b', 50);
  run(TIME_PS_NEVER);
  g_assert_false(ns3_shim_event_at(event, 49, &error));
  g_assert_cmpstr(error.message, ==, "the time is over already");
  g_assert_false(ns3_shim_event_at(event, INT64_MIN, &error));
  g_assert_cmpstr(error.message, ==, "the time is over already");
  g_assert_false(ns3_shim_event_after(event, -1, &error));
  g_assert_cmpstr(error.message, ==, "a delay cannot be negative");
  g_assert_false(ns3_shim_event_after(event, INT64_MAX - 10, &error));
  g_assert_cmpstr(error.message, ==, "past the end of time");
  g_assert_false(ns3_shim_event_at(event, TIME_PS_NEVER, &error));
  g_assert_false(ns3_shim_run(49, &error));
  g_assert_cmpstr(error.message, ==, "the time is over already");
  g_assert_false(ns3_shim_open(&error));
  g_assert_cmpstr(error.message, ==, "the simulator is open already: ns-3 has one per process");

  ns3_shim_event *nested = ns3_shim_event_new(run_again, &error);
  g_assert_true(ns3_shim_event_after(nested, 1, NULL));
  run(TIME_PS_NEVER);
  g_assert_cmpstr(error.message, ==, "the simulator is running already");
  ns3_shim_event_free(nested);
  /* Nothing that was scheduled runs. */
  g_assert_cmpstr(f->written->str, ==, "b50 ");
}

/* What is requested while the shim's own event runs is called when that event has returned, without an event
 * of ns-3. */
static void ask_for_last(void *user)
{
  fixture *self = user;
  g_assert_true(ns3_shim_event_last(self->events[3].event, NULL));
  g_string_append(self->written, "asked ");
}

SHIM_TEST(test_last_call_alone)
{
  g_autoptr(ns3_shim_event) asking = ns3_shim_event_new(ask_for_last, f);
  g_assert_true(ns3_shim_event_at(asking, 5, NULL));
  at(f, 'a', 6);
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "asked d5 a6 ");
  g_assert_cmpuint(ns3_events(), ==, 2);
}

/* It runs after everything already scheduled for the picosecond; what that schedules for the same picosecond
 * comes after it. */
SHIM_TEST(test_last_call_among_others)
{
  g_autoptr(ns3_shim_event) asking = ns3_shim_event_new(ask_for_last, f);
  f->events[0].schedules = &f->events[1];
  g_assert_true(ns3_shim_event_at(asking, 5, NULL));
  at(f, 'a', 5);
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "asked a5 d5 b5 ");
  g_assert_cmpuint(ns3_events(), ==, 4);
}

/* Requested outside of any event it is an event of its own; cancelled, it does not run. */
SHIM_TEST(test_last_call_outside_and_taken_back)
{
  g_assert_true(ns3_shim_event_last(f->events[0].event, NULL));
  g_assert_true(ns3_shim_event_last(f->events[1].event, NULL));
  ns3_shim_event_cancel(f->events[1].event);
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "a0 ");
}

static void ask_and_take_back(void *user)
{
  ask_for_last(user);
  ns3_shim_event_cancel(((fixture *)user)->events[3].event);
}

SHIM_TEST(test_last_call_taken_back_at_once)
{
  g_autoptr(ns3_shim_event) asking = ns3_shim_event_new(ask_and_take_back, f);
  g_assert_true(ns3_shim_event_at(asking, 5, NULL));
  run(TIME_PS_NEVER);
  g_assert_cmpstr(f->written->str, ==, "asked ");
}

TEST(test_closed_simulator_does_nothing)
{
  ns3_shim_error error;
  ns3_shim_close(); /* also when it is not open */
  g_assert_false(ns3_shim_run(TIME_PS_NEVER, &error));
  g_assert_cmpstr(error.message, ==, "the simulator is not open");
  g_assert_false(ns3_shim_connect(NULL, 0, NULL, &error));
  g_autoptr(ns3_shim_event) event = ns3_shim_event_new(free_itself, NULL);
  g_assert_false(ns3_shim_event_at(event, 1, &error));
  g_assert_false(ns3_shim_event_after(event, 1, NULL)); /* the message is optional */
}

static void count(void *user)
{
  ++*(unsigned *)user;
}

TEST(test_every_simulation_starts_anew)
{
  unsigned calls = 0;
  g_autoptr(ns3_shim_event) event = ns3_shim_event_new(count, &calls);
  for (unsigned round = 0; round < 3; round++) {
    g_assert_true(ns3_shim_open(NULL));
    g_assert_cmpint(ns3_shim_now(), ==, 0);
    g_assert_true(ns3_shim_event_at(event, 10, NULL));
    g_assert_true(ns3_shim_event_at(event, 90, NULL)); /* forgotten by close */
    run(50);
    g_assert_cmpuint(calls, ==, round + 1);
    ns3_shim_close();
  }
}
