/* SPDX-License-Identifier: GPL-2.0-only */
/* What the traffic of a scenario comes to, for people: computed of its keys, without a run. */
#pragma once

#include "scenario/scenario.h"

/* Returns rows, "  traffic    a: 1,000 messages …\n": of each traffic class how many messages and octets
 * there are on average, their sizes, their load with and without headers, and what first windows of an incast
 * lose; and which links most arrives at. scenario_check() finds nothing wrong in `s`. NULL: there is one
 * class, whose messages are posted at once. Free with g_free(). */
char *scenario_forecast_text(const scenario *s);
