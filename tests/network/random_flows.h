/* SPDX-License-Identifier: GPL-2.0-only */
/* Several flows at random through a chain of boxes, and a plain reassembler behind it that judges what
 * comes. */
#ifndef TESTS_NETWORK_RANDOM_FLOWS_H
#define TESTS_NETWORK_RANDOM_FLOWS_H

#include "network/path_element.h"

/* Sends some flows with losses, reordering, duplicates, retransmissions with other boundaries, PSH, ECN
 * marks, timestamps and sequence numbers that wrap through `boxes`, of which none may hold octets longer
 * than `hold_ps` without input, and asserts that
 * - nothing is invented: octets come where they were given, and only those; flags, acknowledgement
 *   numbers, timestamps, ECN and retransmission marks are those of segments that brought the octets;
 * - nothing is kept: while octets wait a box has a deadline, behind a segment with PSH none wait, and in
 *   the end all are there;
 * - what has no payload passes at once. The boxes stay the caller's. */
void random_flows_check(path_element *const *boxes, size_t count, time_ps hold_ps, uint32_t seed);

#endif
