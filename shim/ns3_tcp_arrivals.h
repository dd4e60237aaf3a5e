/* SPDX-License-Identifier: GPL-2.0-only */
/* The arrivals know which octets of a stream have come and have not been passed up, and when they came.
 * ns-3's receive buffer does not show it. */
#pragma once

#include "base/range_set.h"
#include "base/time_ps.h"

/* It is read by everyone, and written only by the functions below. */
typedef struct ns3_tcp_arrivals {
  range_set *received;
  GArray *runs; /* arrived_run, by `from` */
} ns3_tcp_arrivals;

/* Makes one that knows nothing yet; free with ns3_tcp_arrivals_free(). */
ns3_tcp_arrivals *ns3_tcp_arrivals_new(void);
void ns3_tcp_arrivals_free(ns3_tcp_arrivals *arrivals);

/* Octets [from, to) of one segment have come at `now`; those that are there already keep their time. */
void ns3_tcp_arrivals_add(ns3_tcp_arrivals *arrivals, uint64_t from, uint64_t to, time_ps now);

/* Returns how many of the `length` octets from `position` on came at one time, `*arrival`: at least 1; `now`
 * when nothing is known of them. */
uint64_t ns3_tcp_arrivals_first(const ns3_tcp_arrivals *arrivals, uint64_t position, uint64_t length,
                                time_ps now, time_ps *arrival);

/* All below `position` has been passed up. */
void ns3_tcp_arrivals_pass(ns3_tcp_arrivals *arrivals, uint64_t position);
