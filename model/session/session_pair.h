/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the hosts of a scenario without a graph, in C and in C++. */
#pragma once

#include "base/side.h"

/* Those of all connections of a scenario. */
enum { SESSION_SCENARIO_HOSTS = 2 };
static const host_pair session_scenario_pair = {{0, 1}};
