/* SPDX-License-Identifier: GPL-2.0-only */
/* This measures the events a second of an engine: timers that arm themselves again, and nothing else. One
 * line of JSON.
 *
 *   bench_engine native|ns3 TIMERS EVENTS
 *
 * Each timer has a period of its own, so that they pass each other in the event queue as a simulation's
 * do. */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#if HAS_NS3
#include "shim/ns3_functions.h"
#endif

enum { SHORTEST_PERIOD_NS = 500, PERIODS = 1009, PERIOD_STEP = 397 };

typedef struct ticking ticking;

typedef struct ticking_timer {
  ticking *all;
  engine_timer *timer;
  time_ps period_ps;
} ticking_timer;

struct ticking {
  engine *clock;
  ticking_timer *timers;
  guint64 events_left;
};

static void on_tick(void *user, time_ps now)
{
  ticking_timer *self = user;

  if (--self->all->events_left == 0) {
    engine_stop(self->all->clock);
  }
  engine_timer_set(self->timer, now + self->period_ps);
}

/* Returns NULL when there is no such engine, or it was not built. */
static engine *open_engine(const char *name)
{
  if (strcmp(name, "native") == 0) {
    return engine_native_new();
  }
#if HAS_NS3
  ns3_shim_error error;

  if (strcmp(name, "ns3") == 0) {
    return ns3_engine_new(&error);
  }
#endif
  return NULL;
}

int main(int argc, char **argv)
{
  guint64 timers = argc == 4 ? g_ascii_strtoull(argv[2], NULL, 10) : 0;
  guint64 events = argc == 4 ? g_ascii_strtoull(argv[3], NULL, 10) : 0;
  ticking self = {.clock = timers > 0 && events > 0 ? open_engine(argv[1]) : NULL, .events_left = events};

  if (!self.clock) {
    fputs("usage: bench_engine native|ns3 TIMERS EVENTS\n", stderr);
    return 2;
  }
  self.timers = g_new0(ticking_timer, timers);
  for (guint64 i = 0; i < timers; i++) {
    ticking_timer *timer = &self.timers[i];
    timer->all = &self;
    timer->timer = engine_timer_new(self.clock, ENGINE_TIMER, (uint32_t)i, 0, on_tick, timer);
    timer->period_ps = (time_ps)(SHORTEST_PERIOD_NS + i * PERIOD_STEP % PERIODS) * 1000;
    engine_timer_set(timer->timer, timer->period_ps);
  }
  gint64 start_us = g_get_monotonic_time();
  engine_run(self.clock, TIME_PS_NEVER);
  gint64 spent_us = g_get_monotonic_time() - start_us;
  printf("{\"events\": %" G_GUINT64_FORMAT ", \"wall_s\": %.6f}\n", events, (double)spent_us / 1e6);
  for (guint64 i = 0; i < timers; i++) {
    engine_timer_free(self.timers[i].timer);
  }
  g_free(self.timers);
  engine_free(self.clock);
  return 0;
}
