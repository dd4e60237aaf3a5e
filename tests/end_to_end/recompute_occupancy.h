/* SPDX-License-Identifier: GPL-2.0-only */
/* The occupancy series of a run, recomputed from receiver.pcap alone, out of docs/metrics.md, "Held octets"
 * to "Causes of holding".
 *
 * Deliberately simple and deliberately apart: it shares no code with model/, keeps one flag an octet, and
 * looks at everything between the in-order edge and the newest octet again after every segment. One
 * connection; the Data Sink is the Responder. */
#pragma once

#include "packet_list.h"

/* From `time_ns` on so many octets are held for the cause: `incomplete`, `unlocated` or `order`. */
typedef struct occupancy_change {
  double time_ns;
  char cause[16];
  guint64 octets;
} occupancy_change;

/* Every change, of a receiver that looks ahead of the in-order edge, or does not: an array of
 * occupancy_change; free with g_array_unref(). */
GArray *recompute_occupancy(const GArray *packets, gboolean looks_ahead);
