/* SPDX-License-Identifier: GPL-2.0-only */
/* tcp.profile, for tests of a connection. */
#pragma once

#include "tcp/tcp_connection.h"

/* The keys in which the two of tcp.profile differ, but slow_start: each as Linux has it where its bit of
 * `which` is set, else as the RFCs have it. */
void take_linux_keys(tcp_config *config, uint64_t which);
