/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "shim/ns3_functions.h"

/* ns-3 runs what is due in one picosecond in the order in which it was scheduled. A wake scheduled ahead of
 * time would therefore run before what was scheduled later, an arrival for instance. So it only announces: it
 * asks for the wake proper after everything that ns-3 then knows about this picosecond; nearly always that
 * is nothing, and the wake costs no event. */
typedef struct ns3_driver {
  engine *clock;
  ns3_shim_event *announcement;
  ns3_shim_event *wake;
  bool wake_scheduled; /* for the present picosecond */
  bool running;
} ns3_driver;

/* It aborts, since an invariant is broken: the engine asks only for what ns-3 can do. */
static void expect(bool done, const ns3_shim_error *error)
{
  if (!done) {
    g_error("ns-3: %s", error->message);
  }
}

static void schedule_wake(ns3_driver *driver)
{
  if (driver->wake_scheduled) {
    return;
  }
  ns3_shim_error error;
  expect(ns3_shim_event_last(driver->wake, &error), &error);
  driver->wake_scheduled = true;
}

static void announced(void *user)
{
  schedule_wake(user);
}

static void woken(void *user)
{
  ns3_driver *driver = user;
  driver->wake_scheduled = false;
  engine_driver_wake(driver->clock);
}

static void ns3_driver_wake_at(void *user, time_ps when)
{
  ns3_driver *driver = user;
  if (driver->running && when == ns3_shim_now()) {
    /* An event of this picosecond asked for it: what was known before it began is ahead already. */
    schedule_wake(driver);
    return;
  }
  ns3_shim_error error;
  expect(ns3_shim_event_at(driver->announcement, when, &error), &error);
}

static time_ps ns3_driver_now(G_GNUC_UNUSED const void *user)
{
  return ns3_shim_now();
}

static void ns3_driver_run(void *user, time_ps until)
{
  ns3_driver *driver = user;
  ns3_shim_error error;
  driver->running = true;
  expect(ns3_shim_run(until, &error), &error);
  driver->running = false;
}

static void ns3_driver_stop(G_GNUC_UNUSED void *user)
{
  ns3_shim_stop();
}

static void ns3_driver_free(void *user)
{
  ns3_driver *driver = user;
  ns3_shim_event_free(driver->announcement);
  ns3_shim_event_free(driver->wake);
  ns3_shim_close();
  g_free(driver);
}

engine *ns3_engine_new(ns3_shim_error *error)
{
  static const engine_driver functions = {.wake_at = ns3_driver_wake_at,
                                          .now = ns3_driver_now,
                                          .run = ns3_driver_run,
                                          .stop = ns3_driver_stop,
                                          .free = ns3_driver_free};
  if (!ns3_shim_open(error)) {
    return NULL;
  }
  ns3_driver *driver = g_new0(ns3_driver, 1);
  driver->announcement = ns3_shim_event_new(announced, driver);
  driver->wake = ns3_shim_event_new(woken, driver);
  driver->clock = engine_new_over(&functions, driver);
  return driver->clock;
}
