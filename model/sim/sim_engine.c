#include "sim/sim_engine.h"

#include "engine/engine_native.h"
#include "path/path_link_native.h"
#include "shim/ns3_engine.h"
#include "shim/ns3_link.h"
#include "shim/ns3_tcp_transport.h"

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

tcp_transport *sim_engine_ns3_tcp_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                      void *user)
{
  const sim_engine_wake *wake = user;
  ns3_tcp_transport_place place = {.wake = wake->wake, .user = wake->user};

  return ns3_tcp_transport_new(config, events, events_user, &place);
}

bool sim_engine_ns3_tcp_supports(const tcp_config *config, GError **error)
{
  ns3_shim_error reason;

  if (ns3_tcp_transport_supports(config, &reason)) {
    return true;
  }
  set_error(error, &reason);
  return false;
}

const char *sim_engine_library_version(sim_engine_kind kind)
{
  return kind == SIM_ENGINE_NATIVE ? NULL : ns3_shim_version();
}
