#include "engine/engine_native.h"

#include <glib.h>

#include "engine/engine_driver.h"

typedef struct native_driver {
  engine *clock;
  time_ps now;
  bool stopped;
} native_driver;

/* Nothing to note: the run asks the agenda itself what is due next. */
static void native_wake_at(void *driver, time_ps when)
{
  const native_driver *native = driver;
  g_assert(when >= native->now);
}

static time_ps native_now(const void *driver)
{
  const native_driver *native = driver;
  return native->now;
}

static void native_run(void *driver, time_ps until)
{
  native_driver *native = driver;
  native->stopped = false;
  while (!native->stopped) {
    time_ps due = engine_driver_due(native->clock);
    if (due == TIME_PS_NEVER || due > until) {
      break;
    }
    native->now = due;
    engine_driver_wake(native->clock);
  }
  /* As ns-3's clock: a run that ends at `until` has reached it, also for want of events. */
  if (!native->stopped && until != TIME_PS_NEVER) {
    native->now = until;
  }
}

static void native_stop(void *driver)
{
  native_driver *native = driver;
  native->stopped = true;
}

engine *engine_native_new(void)
{
  static const engine_driver functions = {
      .wake_at = native_wake_at, .now = native_now, .run = native_run, .stop = native_stop, .free = g_free};
  native_driver *native = g_new0(native_driver, 1);
  native->clock = engine_new_over(&functions, native);
  return native->clock;
}
