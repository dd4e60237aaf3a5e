/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock and the timers: one interface, whatever runs them (docs/architecture.md, "Order within one
 * picosecond").
 *
 * What is due in the same picosecond runs in the order of (class, major, minor), never "as inserted", so that
 * two engines give the same run. A callback may set any timer, also to the present picosecond: it then takes
 * its place among what is still due in it. Two timers that can be due together must differ in (class, major,
 * minor). Those of one picosecond, class and major are compared with each other, so there should be few. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct engine engine;
typedef struct engine_timer engine_timer;

/* The first key of the order; engine/order.h has the others of a run. */
typedef enum engine_class {
  ENGINE_TRANSMITTER, /* transmitters become free */
  ENGINE_ARRIVAL,
  ENGINE_TIMER,
  ENGINE_WORKLOAD,
} engine_class;

typedef void (*engine_callback)(void *user, time_ps now);

/* Frees the engine; all timers must have been freed, and no run may be going on. NULL is allowed. */
void engine_free(engine *clock);

/* The present picosecond. */
time_ps engine_now(const engine *clock);

/* A timer that is off. It belongs to the caller; free with engine_timer_free() (NULL is
 * allowed), also from its own callback. */
engine_timer *engine_timer_new(engine *clock, engine_class class, uint32_t major, uint64_t minor,
                               engine_callback callback, void *user);
void engine_timer_free(engine_timer *timer);

/* Moves the timer to `when` (not before now; TIME_PS_NEVER: off). It fires once and is off before its
 * callback is called. Setting and moving cost O(log of what is due). */
void engine_timer_set(engine_timer *timer, time_ps when);

/* Returns whether `timer`, set to the present, would run next: nothing that is due in this picosecond comes
 * before it. Then a callback may do at once what the timer is for. False when none is being run. */
bool engine_timer_is_next(const engine_timer *timer);

/* Runs what is due until nothing is, `until` is passed (what is due at `until` still runs; TIME_PS_NEVER: no
 * end), or engine_stop(). Afterwards the clock is at `until` when that ended the run or nothing was left
 * before it, else at the last callback. May be called again to go on; not from a callback. Two timers due
 * with the same (class, major, minor) abort the process. */
void engine_run(engine *clock, time_ps until);

/* Ends the run after the callback that calls this, also when more is due in the same picosecond. Outside a
 * run it does nothing. */
void engine_stop(engine *clock);

/* Calls `observer` with the present after every `every`-th callback (>= 1) of a run. It only looks: it may
 * set no timer and not stop the run. One at most; NULL: none any more. */
void engine_observe(engine *clock, uint32_t every, engine_callback observer, void *user);

/* --- What runs an engine: the order of the timers is kept here, over a driver that knows the clock --- */

/* A clock that can call back. */
typedef struct engine_driver {
  /* Asks for engine_driver_wake() at `when` (not before now). The driver must make that call after everything
   * else that is due at `when` and was known to the driver before that picosecond began has run, so that the
   * event queue has collected it. Asking again with an earlier time adds a call; a call that comes early does
   * no harm. The event queue only ever asks for a time before all those it still has a call to come for.
   * NULL: the driver's run is engine_driver_run_to(), so that nothing need be asked for. */
  void (*wake_at)(void *driver, time_ps when);
  /* The present picosecond. */
  time_ps (*now)(const void *driver);
  /* Runs until nothing is due any more, `until` (calls due at `until` are still made), or stop. */
  void (*run)(void *driver, time_ps until);
  /* Called during `run` only: makes it return soon; a call made until then runs nothing. NULL with
   * wake_at. */
  void (*stop)(void *driver);
  /* Frees the driver. */
  void (*free)(void *driver);
} engine_driver;

/* An engine of plain C, whose clock jumps to what is due next. Free with engine_free(). */
engine *engine_native_new(void);

/* An engine over `functions` (copied) with `driver`, which engine_free() frees through functions->free. */
engine *engine_new_over(const engine_driver *functions, void *driver);

/* Called by the driver: runs everything that is due now, in order. */
void engine_driver_wake(engine *clock);

/* For a driver whose clock can jump, which has no wake_at: runs everything that is due up to `until`, in
 * order, the clock starting at `now` and jumping from one to the next, until nothing is left or
 * engine_stop(). Returns where the clock is then, as engine_run() does. */
time_ps engine_driver_run_to(engine *clock, time_ps now, time_ps until);
