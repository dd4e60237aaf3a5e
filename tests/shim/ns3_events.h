/* SPDX-License-Identifier: GPL-2.0-only */
/* What ns-3 was asked for. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Events that ns-3 has run since its simulator was opened, its own among them. */
uint64_t ns3_events(void);

#ifdef __cplusplus
}
#endif
