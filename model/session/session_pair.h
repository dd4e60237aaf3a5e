/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the two hosts that a connection is between, in C and in C++. */
#pragma once

#include <stdint.h>

#include "base/side.h"

/* These are the numbers of the two hosts that a connection is between: its Initiator's and its Responder's.
 * They differ. */
typedef struct session_pair {
  uint32_t hosts[SIDES];
} session_pair;

/* Those of all connections of a scenario. */
enum { SESSION_SCENARIO_HOSTS = 2 };
static const session_pair session_scenario_pair = {{0, 1}};
