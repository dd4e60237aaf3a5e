/* What an engine is made of: the agenda in engine.c, which keeps the order, over a driver that knows the clock. */
#ifndef ENGINE_ENGINE_DRIVER_H
#define ENGINE_ENGINE_DRIVER_H

#include "engine/engine.h"

/* A clock that can call back. */
typedef struct engine_driver {
  /* Asks for engine_driver_wake() at `when` (not before now). The driver must make that call after everything
   * else that is due at `when` and was known to the driver before that picosecond began has run, so that the agenda
   * has collected it. Asking again with an earlier time adds a call; a call that comes early does no harm. The
   * agenda only ever asks for a time before all those it still has a call to come for. NULL: the driver's run is
   * engine_driver_run_to(), so that nothing need be asked for. */
  void (*wake_at)(void *driver, time_ps when);
  /* The present picosecond. */
  time_ps (*now)(const void *driver);
  /* Runs until nothing is due any more, `until` (calls due at `until` are still made), or stop. */
  void (*run)(void *driver, time_ps until);
  /* Called during `run` only: makes it return soon; a call made until then runs nothing. NULL with wake_at. */
  void (*stop)(void *driver);
  /* Frees the driver. */
  void (*free)(void *driver);
} engine_driver;

/* An engine over `functions` (copied) with `driver`, which engine_free() frees through functions->free. */
engine *engine_new_over(const engine_driver *functions, void *driver);

/* Called by the driver: runs everything that is due now, in order. */
void engine_driver_wake(engine *clock);

/* For a driver whose clock can jump, which has no wake_at: runs everything that is due up to `until`, in order, the clock starting
 * at `now` and jumping from one to the next, until nothing is left or engine_stop(). Returns where the clock is then, as
 * engine_run() says. */
time_ps engine_driver_run_to(engine *clock, time_ps now, time_ps until);

#endif
