/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/engine.h"

#include <glib.h>

#include "base/memory_pool.h"
#include "engine/event_queue.h"

struct engine_timer {      /* 64 octets: each connection has a few of them */
  event_queue_timer order; /* first: the event queue returns it */
  engine *clock;
  engine_callback callback;
  void *user;
};

struct engine {
  engine_driver functions;
  void *driver;
  event_queue queue;
  memory_pool *timers;
  time_ps *wakes_asked; /* calls that the driver still owes, each earlier than the one before it */
  guint wakes_count, wakes_room;
  uint64_t events;
  uint64_t observe_at; /* when so many have run; UINT64_MAX: never */
  uint32_t observe_every;
  engine_callback observer;
  void *observer_user;
  size_t timer_count;
  time_ps wake_now; /* the present while `waking`, so that setting a timer then need not ask the driver */
  bool waking;
  bool running;
  bool stopped;
};

engine *engine_new_over(const engine_driver *functions, void *driver)
{
  engine *clock = g_new0(engine, 1);
  clock->functions = *functions;
  clock->driver = driver;
  clock->observe_at = UINT64_MAX;
  clock->timers = memory_pool_new(sizeof(engine_timer));
  return clock;
}

void engine_free(engine *clock)
{
  if (clock == NULL) {
    return;
  }
  g_assert(clock->timer_count == 0);
  g_assert(!clock->running);
  clock->functions.free(clock->driver);
  g_free(clock->wakes_asked);
  event_queue_clear(&clock->queue);
  memory_pool_unref(clock->timers);
  g_free(clock);
}

time_ps engine_now(const engine *clock)
{
  return clock->waking ? clock->wake_now : clock->functions.now(clock->driver);
}

/* Returns the earliest call that the driver still owes. */
static time_ps next_wake(const engine *clock)
{
  return clock->wakes_count > 0 ? clock->wakes_asked[clock->wakes_count - 1] : TIME_PS_NEVER;
}

/* Asks for a call at the head of the event queue, unless one is owed then or before: that one looks again. So
 * deadlines that are put off again and again, as TCP's are, cost no call each. */
static void ask_for_wake(engine *clock)
{
  if (clock->functions.wake_at == NULL) {
    return;
  }
  const event_queue_timer *first = event_queue_first(&clock->queue);
  time_ps due = first != NULL ? first->when : TIME_PS_NEVER;
  if (due < next_wake(clock)) {
    if (clock->wakes_count == clock->wakes_room) {
      clock->wakes_room = 2 * clock->wakes_room + 8;
      clock->wakes_asked = g_renew(time_ps, clock->wakes_asked, clock->wakes_room);
    }
    clock->wakes_asked[clock->wakes_count++] = due;
    clock->functions.wake_at(clock->driver, due);
  }
}

engine_timer *engine_timer_new(engine *clock, engine_class class, uint32_t major, uint64_t minor,
                               engine_callback callback, void *user)
{
  engine_timer *timer = memory_pool_take(clock->timers);
  *timer = (engine_timer){.clock = clock, .callback = callback, .user = user};
  event_queue_add(&clock->queue, &timer->order, (uint64_t) class << 32 | major, minor);
  clock->timer_count++;
  return timer;
}

void engine_timer_free(engine_timer *timer)
{
  if (timer == NULL) {
    return;
  }
  engine *clock = timer->clock;
  event_queue_remove(&clock->queue, &timer->order);
  clock->timer_count--;
  memory_pool_give(clock->timers, timer);
}

/* Nothing is being run: the driver must be asked. */
static G_GNUC_NO_INLINE void set_from_outside(engine_timer *timer, time_ps when)
{
  engine *clock = timer->clock;
  g_assert(when >= engine_now(clock));
  event_queue_set(&clock->queue, &timer->order, when);
  ask_for_wake(clock);
}

void engine_timer_set(engine_timer *timer, time_ps when)
{
  engine *clock = timer->clock;
  if (!clock->waking) {
    set_from_outside(timer, when);
    return;
  }
  g_assert(when >= clock->wake_now);
  event_queue_set(&clock->queue, &timer->order, when);
}

bool engine_timer_is_next(const engine_timer *timer)
{
  engine *clock = timer->clock;

  if (!clock->waking) {
    return false;
  }
  const event_queue_timer *first = event_queue_first(&clock->queue);
  return first == NULL || first->when > clock->wake_now ||
         event_queue_class_and_major(first) > event_queue_class_and_major(&timer->order);
}

static void run_first(engine *clock)
{
  const engine_timer *timer = (const engine_timer *)event_queue_take(&clock->queue);

  clock->events++;
  timer->callback(timer->user, clock->wake_now);
  if (clock->events >= clock->observe_at) {
    clock->observe_at += clock->observe_every;
    clock->observer(clock->observer_user, clock->wake_now);
  }
}

time_ps engine_driver_run_to(engine *clock, time_ps now, time_ps until)
{
  const event_queue_timer *first = NULL;

  g_assert(!clock->waking);
  clock->wake_now = now;
  clock->waking = true;
  while (!clock->stopped && (first = event_queue_first(&clock->queue)) != NULL && first->when <= until) {
    clock->wake_now = MAX(clock->wake_now, first->when);
    run_first(clock);
  }
  clock->waking = false;
  return clock->stopped || until == TIME_PS_NEVER ? clock->wake_now : MAX(now, until);
}

void engine_driver_wake(engine *clock)
{
  time_ps now = clock->functions.now(clock->driver);

  while (next_wake(clock) <= now) {
    clock->wakes_count--;
  }
  engine_driver_run_to(clock, now, now);
  if (!clock->stopped) {
    ask_for_wake(clock);
  }
}

void engine_run(engine *clock, time_ps until)
{
  g_assert(!clock->running);
  clock->running = true;
  clock->stopped = false;
  ask_for_wake(clock); /* what an engine_stop() left */
  clock->functions.run(clock->driver, until);
  clock->running = false;
}

void engine_stop(engine *clock)
{
  if (clock->running) {
    clock->stopped = true;
    if (clock->functions.stop != NULL) {
      clock->functions.stop(clock->driver);
    }
  }
}

void engine_observe(engine *clock, uint32_t every, engine_callback observer, void *user)
{
  g_assert(every >= 1);
  clock->observe_every = every;
  clock->observe_at = observer != NULL ? clock->events + every : UINT64_MAX;
  clock->observer = observer;
  clock->observer_user = user;
}

/* --- The engine of plain C --- */

typedef struct native_driver {
  engine *clock;
  time_ps now;
} native_driver;

static time_ps native_now(const void *driver)
{
  const native_driver *native = driver;
  return native->now;
}

static void native_run(void *driver, time_ps until)
{
  native_driver *native = driver;

  native->now = engine_driver_run_to(native->clock, native->now, until);
}

engine *engine_native_new(void)
{
  static const engine_driver functions = {.now = native_now, .run = native_run, .free = g_free};
  native_driver *native = g_new0(native_driver, 1);
  native->clock = engine_new_over(&functions, native);
  return native->clock;
}
