/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine over ns-3 keeps the order of engine.h, even among events that only ns-3 knows. */
#include "shim/ns3_functions.h"

#include "engine_ties.h"
#include "network_cleanup.h"
#include "ns3_events.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ns3_shim_event, ns3_shim_event_free)

static engine *new_engine(void)
{
  ns3_shim_error error;
  engine *clock = ns3_engine_new(&error);
  g_assert_nonnull(clock);
  return clock;
}

typedef struct world {
  engine *clock;
  GString *written;
  engine_timer *arrival;
  engine_timer *timer;
} world;

static void write_a(void *user, time_ps now)
{
  g_string_append_printf(((world *)user)->written, "a%" G_GINT64_FORMAT " ", now);
}

static void write_t(void *user, time_ps now)
{
  g_string_append_printf(((world *)user)->written, "t%" G_GINT64_FORMAT " ", now);
}

static world *world_new(void)
{
  world *self = g_new(world, 1);
  *self = (world){.clock = new_engine(), .written = g_string_new(NULL)};
  self->arrival = engine_timer_new(self->clock, ENGINE_ARRIVAL, 0, 1, write_a, self);
  self->timer = engine_timer_new(self->clock, ENGINE_TIMER, 0, 0, write_t, self);
  return self;
}

static void world_free(world *self)
{
  engine_timer_free(self->arrival);
  engine_timer_free(self->timer);
  g_string_free(self->written, TRUE);
  engine_free(self->clock);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(world, world_free)

#define WORLD_TEST(name) TEST_OF(world, self, world_new(), name)

/* This is an event of ns-3, such as the end of a packet's way, that makes an arrival due at once. */
static void ns3_arrives(void *user)
{
  world *self = user;
  engine_timer_set(self->arrival, ns3_shim_now());
}

/* The timer is set before ns-3 learns of the arrival at the same picosecond, and still runs after it:
 * arrivals come before timers (engine.h). */
WORLD_TEST(test_ns3_event_scheduled_later_is_collected)
{
  g_autoptr(ns3_shim_event) event = ns3_shim_event_new(ns3_arrives, self);
  engine_timer_set(self->timer, 1000);
  g_assert_true(ns3_shim_event_at(event, 1000, NULL));
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a1000 t1000 ");
  /* The timer's announcement, the arrival, and one wake-up for both. */
  g_assert_cmpuint(ns3_events(), ==, 3);
}

/* An arrival with nothing else due costs its own event, in which the event queue is woken. */
WORLD_TEST(test_arrival_alone_costs_no_event)
{
  g_autoptr(ns3_shim_event) event = ns3_shim_event_new(ns3_arrives, self);
  g_assert_true(ns3_shim_event_at(event, 1000, NULL));
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a1000 ");
  g_assert_cmpuint(ns3_events(), ==, 1);
}

static void schedule_at_1000(void *user)
{
  g_assert_true(ns3_shim_event_at(user, 1000, NULL));
}

/* This is the same when the arrival is scheduled during the run, after the timer's wake-up was moved to this
 * picosecond. */
WORLD_TEST(test_ns3_event_scheduled_on_the_way_is_collected)
{
  g_autoptr(ns3_shim_event) event = ns3_shim_event_new(ns3_arrives, self);
  g_autoptr(ns3_shim_event) on_the_way = ns3_shim_event_new(schedule_at_1000, event);
  engine_timer_set(self->timer, 2000);
  engine_timer_set(self->timer, 1000);
  g_assert_true(ns3_shim_event_at(on_the_way, 999, NULL));
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a1000 t1000 ");
}

/* These are two arrivals of ns-3 in one picosecond, the one with the later place first: the event queue
 * orders them too. */
WORLD_TEST(test_ns3_events_at_once_are_ordered)
{
  g_autoptr(engine_timer) second = engine_timer_new(self->clock, ENGINE_ARRIVAL, 1, 1, write_t, self);
  world other = *self;
  other.arrival = second;
  g_autoptr(ns3_shim_event) late = ns3_shim_event_new(ns3_arrives, &other);
  g_autoptr(ns3_shim_event) early = ns3_shim_event_new(ns3_arrives, self);
  g_assert_true(ns3_shim_event_at(late, 7, NULL));
  g_assert_true(ns3_shim_event_at(early, 7, NULL));
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a7 t7 ");
}

WORLD_TEST(test_run_ends_at_until)
{
  engine_timer_set(self->arrival, 100);
  engine_timer_set(self->timer, 101);
  engine_run(self->clock, 100);
  g_assert_cmpstr(self->written->str, ==, "a100 ");
  engine_run(self->clock, 200);
  g_assert_cmpstr(self->written->str, ==, "a100 t101 ");
}

static void write_a_and_stop(void *user, time_ps now)
{
  write_a(user, now);
  engine_stop(((world *)user)->clock);
}

/* What was due after the stop, even in the same picosecond, runs when the engine runs again. */
WORLD_TEST(test_stop_and_go_on)
{
  g_autoptr(engine_timer) stopper =
      engine_timer_new(self->clock, ENGINE_TRANSMITTER, 0, 0, write_a_and_stop, self);
  engine_timer_set(self->timer, 100);
  engine_timer_set(stopper, 100);
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a100 ");
  g_assert_cmpint(engine_now(self->clock), ==, 100);
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "a100 t100 ");
}

TEST(test_one_engine_at_a_time)
{
  engine *first = new_engine();
  ns3_shim_error error;
  g_assert_null(ns3_engine_new(&error));
  g_assert_cmpstr(error.message, ==, "the simulator is open already: ns-3 has one per process");
  engine_free(first);
  engine_free(new_engine());
}

/* A deadline that is postponed again and again, like that of a retransmission timer, does not fill ns-3's
 * event list: ns-3 runs one event for each wake-up requested, and one is requested only if it is earlier than
 * all before. */
WORLD_TEST(test_deadlines_put_off_cost_no_events)
{
  for (time_ps when = 1000; when < 100000; when++) {
    engine_timer_set(self->timer, when);
  }
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpstr(self->written->str, ==, "t99999 ");
  /* An announcement at 1000, where nothing is due any more, and at 99999; each wakes the event queue
   * itself. */
  g_assert_cmpuint(ns3_events(), ==, 2);
}

__attribute__((constructor)) static void add_ties(void)
{
  static const engine_ties_maker maker = new_engine;
  engine_ties_add_tests(&maker);
}
