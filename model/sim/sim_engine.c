/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/sim_engine.h"

#include "engine/engine.h"
#include "network/path_link_native.h"
#include "sim/sim_ns3_module.h"

GQuark sim_engine_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sim-engine-error");
}

static void set_error(GError **error, const char *reason)
{
  g_set_error(error, SIM_ENGINE_ERROR, SIM_ENGINE_ERROR_FAILED, "ns-3: %s", reason);
}

/* ns-3, or NULL and `error`. */
static const ns3_functions *ns3_for(GError **error)
{
  g_autoptr(GError) reason = NULL;
  const ns3_functions *ns3 = sim_ns3_module(&reason);

  if (!ns3) {
    set_error(error, reason->message);
  }
  return ns3;
}

engine *sim_engine_new(sim_engine_kind kind, GError **error)
{
  ns3_shim_error reason;

  if (kind == SIM_ENGINE_NATIVE) {
    return engine_native_new();
  }
  const ns3_functions *ns3 = ns3_for(error);
  if (!ns3) {
    return NULL;
  }
  engine *clock = ns3->engine_new(&reason);
  if (!clock) {
    set_error(error, reason.message);
  }
  /* cppcheck-suppress returnDanglingLifetime; what is filled through a pointer is not kept */
  return clock;
}

static path_link *new_native_link(engine *clock, const path_link_config *config, GError **error)
{
  (void)error;
  return path_link_native_new(config, clock);
}

static path_link *new_ns3_link(engine *clock, const path_link_config *config, GError **error)
{
  ns3_shim_error reason;

  const ns3_functions *ns3 = ns3_for(error);
  if (!ns3) {
    return NULL;
  }
  path_link *link = ns3->link_new(config, clock, &reason);
  if (!link) {
    set_error(error, reason.message);
  }
  /* cppcheck-suppress returnDanglingLifetime; the same */
  return link;
}

path_link_factory sim_engine_links(sim_engine_kind kind)
{
  return kind == SIM_ENGINE_NATIVE ? new_native_link : new_ns3_link;
}

tcp_transport *sim_engine_ns3_tcp_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                      void *user)
{
  const sim_engine_wake *wake = user;
  ns3_tcp_transport_place place = {.wake = wake->wake, .user = wake->user};
  const ns3_functions *ns3 = sim_ns3_module(NULL);

  g_assert(ns3); /* whose engine there is */
  /* cppcheck-suppress returnDanglingLifetime; it copies the place */
  return ns3->tcp_transport_new(config, events, events_user, &place);
}

bool sim_engine_ns3_tcp_supports(const tcp_config *config, GError **error)
{
  ns3_shim_error reason;
  const ns3_functions *ns3 = ns3_for(error);

  if (!ns3) {
    return false;
  }
  bool supported = ns3->tcp_transport_supports(config, &reason);
  if (!supported) {
    set_error(error, reason.message);
  }
  return supported;
}
