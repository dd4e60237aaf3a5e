/* SPDX-License-Identifier: GPL-2.0-only */
#include "platform/run_engine.h"

#include <dlfcn.h>

#include "base/error.h"
#include "base/files.h"
#include "network/path_link.h"
#include "platform/ns3_module.h"

/* --- ns-3's module --- */

#ifdef NS3_MODULE
enum { IS_BUILT = TRUE };
#else
#define NS3_MODULE ""
enum { IS_BUILT = FALSE };
#endif

const ns3_functions *ns3_module(GError **error)
{
  g_autoptr(GError) missing = NULL;
  if (!IS_BUILT) {
    error_set(error, "this iwarpsim was built without it");
    return NULL;
  }
  g_autofree char *path = program_files_path(NULL, PROGRAM_MODULES, NS3_MODULE, &missing);
  const ns3_functions *(*get)(void) = NULL;
  /* Again and again is cheap: the loader knows what it has. It is never unloaded, as ns-3 and GLib keep
   * pointers into it. */
  void *module = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

  if (module) {
    *(void **)&get = dlsym(module, NS3_FUNCTIONS_NAME);
  }
  if (!get) {
    error_set(error, "%s", missing != NULL ? missing->message : dlerror());
    return NULL;
  }
  const ns3_functions *functions = get();
  if (functions->layout != NS3_FUNCTIONS_LAYOUT) {
    error_set(error, "%s: it was built with another iwarpsim", path);
    return NULL;
  }
  return functions;
}

/* --- Which one --- */

run_engine run_engine_of(const scenario *s)
{
  return scenario_configuration(s)->runs_on_ns3 ? RUN_ENGINE_NS3 : RUN_ENGINE_NATIVE;
}

const char *run_engine_library_version(run_engine kind)
{
  const ns3_functions *ns3 = kind == RUN_ENGINE_NS3 ? ns3_module(NULL) : NULL;

  return ns3 ? ns3->version() : NULL;
}

gboolean run_engine_check(const scenario *s, GError **error)
{
  scenario_key key = SCENARIO_RUN_ENGINE;
  g_autoptr(GError) reason = NULL;

  if (run_engine_of(s) == RUN_ENGINE_NATIVE || ns3_module(&reason)) {
    return TRUE;
  }
  gboolean by_key = scenario_needs_ns3(s, &key);
  const char *origin = scenario_origin(s, key);

  return error_set(error, "%s: %s = %s needs ns-3, %s %s; expected %s%s", origin ? origin : scenario_path(s),
                   scenario_key_row_of(key)->name, scenario_value_text(s, key),
                   IS_BUILT ? "which cannot be loaded:" : "and", reason->message,
                   by_key ? scenario_key_row_of(key)->fallback : "auto or native",
                   IS_BUILT ? ""
                            : ", or one that is built with it (meson setup -Dns3=enabled, with libns3-dev)");
}

/* --- What goes with it --- */

static void set_error(GError **error, const char *reason)
{
  error_set(error, "ns-3: %s", reason);
}

/* Returns ns-3, or NULL and `error`. */
static const ns3_functions *ns3_for(GError **error)
{
  g_autoptr(GError) reason = NULL;
  const ns3_functions *ns3 = ns3_module(&reason);

  if (!ns3) {
    set_error(error, reason->message);
  }
  return ns3;
}

engine *run_engine_new(run_engine kind, GError **error)
{
  ns3_shim_error reason;

  if (kind == RUN_ENGINE_NATIVE) {
    return engine_native_new();
  }
  const ns3_functions *ns3 = ns3_for(error);
  engine *clock = ns3 ? ns3->engine_new(&reason) : NULL;
  if (ns3 && !clock) { /* NS_LOG in the environment is wrong */
    g_set_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_SCENARIO, "ns-3: %s", reason.message);
  }
  /* cppcheck-suppress returnDanglingLifetime; what is filled through a pointer is not kept */
  return clock;
}

static path_link *new_native_link(engine *clock, const path_link_config *config, G_GNUC_UNUSED GError **error)
{
  return path_link_native_new(config, clock);
}

static path_link *new_ns3_link(engine *clock, const path_link_config *config, GError **error)
{
  ns3_shim_error reason;
  const ns3_functions *ns3 = ns3_for(error);
  path_link *link = ns3 ? ns3->link_new(config, clock, &reason) : NULL;

  if (ns3 && !link) {
    set_error(error, reason.message);
  }
  /* cppcheck-suppress returnDanglingLifetime; the same */
  return link;
}

path_link_factory run_engine_links(run_engine kind)
{
  return kind == RUN_ENGINE_NATIVE ? new_native_link : new_ns3_link;
}

tcp_transport_factory run_engine_ns3_tcp(void)
{
  const ns3_functions *ns3 = ns3_module(NULL);

  g_assert(ns3); /* whose engine there is */
  return ns3->tcp_transport_new;
}

bool run_engine_ns3_tcp_supports(const tcp_config *config, GError **error)
{
  ns3_shim_error reason;
  const ns3_functions *ns3 = ns3_for(error);
  const bool supported = ns3 && ns3->tcp_transport_supports(config, &reason);

  if (ns3 && !supported) {
    set_error(error, reason.message);
  }
  return supported;
}
