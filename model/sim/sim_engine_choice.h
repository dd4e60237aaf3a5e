/* SPDX-License-Identifier: GPL-2.0-only */
/* Which engine a scenario runs on, and whether this program has it. Knows no engine, so that a sweep can ask too. */
#ifndef SIM_SIM_ENGINE_CHOICE_H
#define SIM_SIM_ENGINE_CHOICE_H

#include <glib.h>

#include "scenario/scenario.h"

typedef enum sim_engine_kind {
  SIM_ENGINE_NS3,
  SIM_ENGINE_NATIVE,
} sim_engine_kind;

/* The engine that `s`, which scenario_check() has passed, runs on. */
sim_engine_kind sim_engine_of(const scenario *s);

/* "ns3", "native", as in the scenario; static. */
const char *sim_engine_name(sim_engine_kind kind);

/* The version of the library behind the engine; NULL for our own, and for one that cannot be had. Static. */
const char *sim_engine_library_version(sim_engine_kind kind);

#define SIM_ENGINE_CHOICE_ERROR (sim_engine_choice_error_quark())
GQuark sim_engine_choice_error_quark(void);
enum { SIM_ENGINE_CHOICE_ERROR_MISSING };

/* FALSE when `s` needs ns-3 and this program has none: `error` says which key needs it, where it was given, and why there is none. ns-3 is
 * loaded, if it is needed. */
gboolean sim_engine_check(const scenario *s, GError **error);

#endif
