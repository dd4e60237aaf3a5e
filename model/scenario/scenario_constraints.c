/* SPDX-License-Identifier: GPL-2.0-only */
/* The setting `where`: the constraints that leave points out of a sweep. */
#include "scenario/scenario_settings.h"
#include "scenario/scenario_where.h"

static gboolean load_one(scenario *s, const scenario_source *source, const config_setting_t *setting,
                         GError **error)
{
  const char *text = config_setting_get_string(setting);

  if (text == NULL) {
    return scenario_settings_problem(
        source, setting,
        g_strdup("'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings"),
        error);
  }
  g_autofree char *origin = scenario_settings_line(source, setting);
  scenario_where *where = scenario_where_parse(text, origin, error);
  if (where == NULL) {
    return FALSE;
  }
  g_ptr_array_add(s->constraints, where);
  return TRUE;
}

gboolean scenario_constraints_load(scenario *s, const scenario_source *source, const config_setting_t *where,
                                   GError **error)
{
  gboolean ok = TRUE;

  g_ptr_array_set_size(s->constraints, 0); /* an including file's replace those of what it includes */
  if (!config_setting_is_list(where) && !config_setting_is_array(where)) {
    return load_one(s, source, where, error);
  }
  for (int i = 0; ok && i < config_setting_length(where); i++) {
    ok = load_one(s, source, config_setting_get_elem(where, (unsigned)i), error);
  }
  return ok;
}

const char *scenario_constraints_origin(const scenario *s)
{
  return s->constraints->len > 0 ? scenario_where_origin(s->constraints->pdata[0]) : NULL;
}

gboolean scenario_constraints_hold(const scenario *s, gboolean *hold, GError **error)
{
  *hold = TRUE;
  for (guint i = 0; *hold && i < s->constraints->len; i++) {
    scenario_verdict verdict = scenario_where_holds(s->constraints->pdata[i], s, error);

    if (verdict == SCENARIO_VERDICT_NONE) {
      return FALSE;
    }
    *hold = verdict == SCENARIO_VERDICT_TRUE;
  }
  return TRUE;
}
