/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the events that ns-3 runs. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Events that ns-3 has run since its simulator was opened, including its own. */
uint64_t ns3_events(void);

#ifdef __cplusplus
}
#endif
