/* SPDX-License-Identifier: GPL-2.0-only */
/* What the run of a scenario costs, estimated from its keys before it is made. */
#pragma once

#include "scenario/scenario.h"

typedef struct run_cost {
  double segments; /* data segments that leave the sender: the stream's octets, each once, cut at EMSS */
  double seconds;  /* of one core of the machine that the constants were measured on */
} run_cost;

/* Of `s`, which scenario_check() accepts. Within a factor of two for the runs of one study compared with each
 * other; how fast this machine is, only finished runs can show. */
run_cost run_cost_of(const scenario *s);
