#include "sim/sim_engine.h"

#include "engine/engine_native.h"
#include "path/path_link_native.h"
#include "shim/ns3_engine.h"
#include "shim/ns3_link.h"

GQuark sim_engine_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sim-engine-error");
}

static void set_error(GError **error, const ns3_shim_error *reason)
{
  g_set_error(error, SIM_ENGINE_ERROR, SIM_ENGINE_ERROR_FAILED, "ns-3: %s", reason->message);
}

engine *sim_engine_new(sim_engine_kind kind, GError **error)
{
  ns3_shim_error reason;

  if (kind == SIM_ENGINE_NATIVE) {
    return engine_native_new();
  }
  engine *clock = ns3_engine_new(&reason);
  if (!clock) {
    set_error(error, &reason);
  }
  return clock;
}

path_link *sim_engine_link_new(sim_engine_kind kind, engine *clock, const path_link_config *config,
                               GError **error)
{
  ns3_shim_error reason;

  if (kind == SIM_ENGINE_NATIVE) {
    return path_link_native_new(config, clock);
  }
  path_link *link = ns3_link_new(config, clock, &reason);
  if (!link) {
    set_error(error, &reason);
  }
  return link;
}

const char *sim_engine_library_version(sim_engine_kind kind)
{
  return kind == SIM_ENGINE_NATIVE ? NULL : ns3_shim_version();
}
