#include "scenario/scenario_engine.h"

#include <string.h>

#include "scenario/scenario_finding.h"

static gboolean says(const scenario *s, scenario_key key, const char *word)
{
  return strcmp(scenario_text(s, key), word) == 0;
}

gboolean scenario_needs_ns3(const scenario *s, scenario_key *key)
{
  /* The other keys of `topology` say how its chain is, and nothing without one. */
  static const struct {
    scenario_key key;
    const char *without; /* its value when nobody needs ns-3 */
  } needs[] = {
      {SCENARIO_TCP_IMPLEMENTATION, "iwarpsim"},
      {SCENARIO_TOPOLOGY_MEDIUM, "none"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(needs); i++) {
    if (!says(s, needs[i].key, needs[i].without)) {
      *key = needs[i].key;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean scenario_runs_on_ns3(const scenario *s)
{
  scenario_key key;

  return says(s, SCENARIO_RUN_ENGINE, "ns3") ||
         (says(s, SCENARIO_RUN_ENGINE, "auto") && scenario_needs_ns3(s, &key));
}

char *scenario_engine_reason(const scenario *s)
{
  scenario_key key;

  if (!says(s, SCENARIO_RUN_ENGINE, "auto")) {
    return g_strdup_printf("run.engine = %s", scenario_text(s, SCENARIO_RUN_ENGINE));
  }
  if (!scenario_needs_ns3(s, &key)) {
    return g_strdup("auto: nothing needs ns-3");
  }
  return g_strdup_printf("auto: %s = %s needs ns-3", scenario_key_row_of(key)->name, scenario_text(s, key));
}

gboolean scenario_check_engine(const scenario *s, GError **error)
{
  scenario_key need;

  if (!says(s, SCENARIO_RUN_ENGINE, "native") || !scenario_needs_ns3(s, &need)) {
    return TRUE;
  }
  const scenario_key keys[] = {SCENARIO_RUN_ENGINE, need};
  return scenario_finding_error(
      s, keys, G_N_ELEMENTS(keys),
      g_strdup_printf("run.engine = native, but %s = %s needs ns-3; expected auto or ns3",
                      scenario_key_row_of(need)->name, scenario_text(s, need)),
      error);
}
