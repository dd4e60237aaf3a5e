#include "engine/engine_native.h"

#include <glib.h>

#include "engine/engine_driver.h"

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
