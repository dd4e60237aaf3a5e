/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/sim_engine_choice.h"

#include "scenario/configuration.h"
#include "scenario/scenario_engine.h"
#include "sim/sim_ns3_module.h"

GQuark sim_engine_choice_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sim-engine-choice-error");
}

sim_engine_kind sim_engine_of(const scenario *s)
{
  return scenario_configuration(s)->runs_on_ns3 ? SIM_ENGINE_NS3 : SIM_ENGINE_NATIVE;
}

const char *sim_engine_name(sim_engine_kind kind)
{
  return kind == SIM_ENGINE_NATIVE ? "native" : "ns3";
}

const char *sim_engine_library_version(sim_engine_kind kind)
{
  const ns3_functions *ns3 = kind == SIM_ENGINE_NS3 ? sim_ns3_module(NULL) : NULL;

  return ns3 ? ns3->version() : NULL;
}

gboolean sim_engine_check(const scenario *s, GError **error)
{
  scenario_key key = SCENARIO_RUN_ENGINE;
  g_autoptr(GError) reason = NULL;

  if (sim_engine_of(s) == SIM_ENGINE_NATIVE || sim_ns3_module(&reason)) {
    return TRUE;
  }
  gboolean by_key = scenario_needs_ns3(s, &key);
  gboolean built = reason->code != SIM_NS3_MODULE_ERROR_NOT_BUILT;
  g_autofree char *origin = scenario_origin(s, key);
  g_autofree char *value = scenario_value_text(s, key);

  g_set_error(error, SIM_ENGINE_CHOICE_ERROR, SIM_ENGINE_CHOICE_ERROR_MISSING,
              "%s: %s = %s needs ns-3, %s %s; expected %s%s", origin ? origin : scenario_path(s),
              scenario_key_row_of(key)->name, value, built ? "which cannot be loaded:" : "and",
              reason->message, by_key ? scenario_key_row_of(key)->fallback : "auto or native",
              built ? "" : ", or one that is built with it (meson setup -Dns3=enabled, with libns3-dev)");
  return FALSE;
}
