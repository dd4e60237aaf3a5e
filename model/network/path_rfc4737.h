/* SPDX-License-Identifier: GPL-2.0-only */
/* An entrance that numbers and an exit that counts measure how much a path reorders, by the metrics of RFC
 * 4737.
 *
 * What is counted are packets with TCP payload (whole segments), each flow by itself, in the order in which
 * they entered: a retransmission is a new packet. Copies, damaged packets (a checksum that is wrong) and
 * packets that were made on the way (a middlebox re-cuts the stream) have no place in that order, and are
 * passed by. */
#pragma once

#include "network/path_element.h"

/* So many gaps of numbers a flow are remembered; each loss leaves one. */
enum { PATH_RFC4737_GAPS_MAX = 256 };

/* Sums over all flows. */
typedef struct path_rfc4737_report {
  uint64_t packets;   /* counted, the reordered among them: no copies, none from before all gaps remembered */
  uint64_t reordered; /* less than a number that came before (§3); with `packets` the ratio of §4.1 */
  uint64_t extent_sum; /* of the extents (§4.2): packets since the first with a larger number */
  uint64_t extent_most;
} path_rfc4737_report;

/* Numbers the packets with payload of each flow (datagram.flow_order) and passes them on. */
path_element *path_rfc4737_entrance_new(void);

/* Counts the packets that come, in the order in which they come, and passes them on. */
path_element *path_rfc4737_exit_new(void);

/* Returns what the exit counted; it is valid while the exit lives. */
const path_rfc4737_report *path_rfc4737_counted(const path_element *reordering_exit);
