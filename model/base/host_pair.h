/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the two hosts that a connection is between, in C and in C++. */
#pragma once

#include <stdint.h>

#include "base/side.h"

/* These are the numbers of the two hosts that a connection is between: its Initiator's and its
 * Responder's. They differ. */
typedef struct host_pair {
  uint32_t hosts[SIDES];
} host_pair;
