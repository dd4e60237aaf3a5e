/* SPDX-License-Identifier: GPL-2.0-only */
/* The occupancy series of a run, recomputed from receiver.pcap alone, by docs/metrics.md, "Held octets" to
 * "Causes of holding".
 *
 * Deliberately simple and independent: it shares no code with model/, keeps one flag for each octet, and
 * examines everything between the in-order edge and the newest octet again after every segment. One
 * connection; the Data Sink is the Responder. */
#pragma once

#include "packet_list.h"

/* From `time_ns` on this many octets are held for each cause: `incomplete`, `unlocated` and `order`. */
typedef struct occupancy_change {
  double time_ns;
  char cause[16];
  guint64 octets;
} occupancy_change;

/* Returns every change, of a receiver that looks ahead of the in-order edge or of one that does not: an array
 * of occupancy_change; free with g_array_unref(). */
GArray *recompute_occupancy(const GArray *packets, gboolean looks_ahead);
