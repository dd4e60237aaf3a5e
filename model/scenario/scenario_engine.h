/* SPDX-License-Identifier: GPL-2.0-only */
/* Which simulation engine a scenario runs on: `run.engine`, and what "auto" comes to. */
#ifndef SCENARIO_SCENARIO_ENGINE_H
#define SCENARIO_SCENARIO_ENGINE_H

#include "scenario/scenario.h"

/* What `s` asks for that only ns-3 has: its TCP, or a path on its nodes, with its queue disciplines and cross traffic. FALSE: nothing. Else `*key` is the
 * first key that does. */
gboolean scenario_needs_ns3(const scenario *s, scenario_key *key);

/* Why it runs there, for people: "run.engine = native", "auto: topology.medium = csma needs ns-3", "auto: nothing needs ns-3". Free with
 * g_free(). */
char *scenario_engine_reason(const scenario *s);

/* FALSE and `error` at the line of `run.engine` when it is native and something needs ns-3. */
gboolean scenario_check_engine(const scenario *s, GError **error);

#endif
