/* SPDX-License-Identifier: GPL-2.0-only */
/* This checks what holds for a sender whatever happens to it. */
#pragma once

#include "tcp/tcp_transport.h"

/* Returns what the connection `transport` may send at `now`, NULL when that is nothing; checks that it goes
 * with the congestion window, and what its sender keeps about what is in flight. */
datagram *transmit_checked(tcp_transport *transport, time_ps now);
