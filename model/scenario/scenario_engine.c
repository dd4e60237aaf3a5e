/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_engine.h"

#include <string.h>

#include "scenario/scenario_finding.h"

gboolean scenario_needs_ns3(const scenario *s, scenario_key *key)
{
  const configuration *c = scenario_configuration(s);

  /* The other keys of `topology` say how its chain is, and nothing without one. */
  *key = c->tcp_is_ns3 ? SCENARIO_TCP_IMPLEMENTATION : SCENARIO_TOPOLOGY_MEDIUM;
  return c->needs_ns3;
}

char *scenario_engine_reason(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  scenario_key key;

  if (c->run.engine != RUN_ENGINE_AUTO) {
    return g_strdup_printf("run.engine = %s", scenario_settings_value(s, SCENARIO_RUN_ENGINE)->text);
  }
  if (!scenario_needs_ns3(s, &key)) {
    return g_strdup("auto: nothing needs ns-3");
  }
  return g_strdup_printf("auto: %s = %s needs ns-3", scenario_key_row_of(key)->name,
                         scenario_settings_value(s, key)->text);
}

gboolean scenario_check_engine(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  scenario_key need;

  if (c->run.engine != RUN_ENGINE_NATIVE || !scenario_needs_ns3(s, &need)) {
    return TRUE;
  }
  const scenario_key keys[] = {SCENARIO_RUN_ENGINE, need};
  return scenario_finding_error(
      s, keys, G_N_ELEMENTS(keys),
      g_strdup_printf("run.engine = native, but %s = %s needs ns-3; expected auto or ns3",
                      scenario_key_row_of(need)->name, scenario_settings_value(s, need)->text),
      error);
}
