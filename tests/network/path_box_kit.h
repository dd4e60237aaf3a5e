/* SPDX-License-Identifier: GPL-2.0-only */
/* A middlebox on the bench: segments go in, and what comes out is told as text. */
#ifndef TESTS_PATH_PATH_BOX_KIT_H
#define TESTS_PATH_PATH_BOX_KIT_H

#include "path_test_kit.h"

typedef struct box_kit {
  path_element *box;
  GArray *output; /* of test_arrival: what came since the last look */
} box_kit;

/* `box`, which becomes the kit's, with nothing said to it yet. */
box_kit box_kit_new(path_element *box);

/* The same, and it has seen the SYN of the connection from port 1000. */
box_kit box_kit_connected(path_element *box);

void box_kit_free(box_kit *kit);

/* Asserts what came since the last look: "[from,to)flags" of each packet, separated by spaces, from and to
 * stream positions, the flags letters of FSRP.EC (. is ACK, E is ECE, C is CWR); and that each octet is
 * the stream's. Forgets it. */
void box_kit_assert_output(box_kit *kit, const char *expected);

/* The segment [from, to) of the connection, with ACK and `flags`, comes at `now`. */
void box_kit_segment(box_kit *kit, int64_t from, int64_t to, uint8_t flags, time_ps now);

/* The same with other header fields than those of test_header(): `header`, whose sequence is filled in. */
void box_kit_segment_with(box_kit *kit, tcp_header header, int64_t from, int64_t to, time_ps now);

/* The segment comes at 0, and this is what leaves because of it. */
void box_kit_expect(box_kit *kit, int64_t from, int64_t to, uint8_t flags, const char *expected);

time_ps box_kit_deadline(const box_kit *kit);

/* The header of the packet number `index` that came. */
tcp_header box_kit_header(const box_kit *kit, guint index);

const datagram *box_kit_packet(const box_kit *kit, guint index);

/* What every box does with what is none of its business: fragments and ICMP pass untouched, segments with
 * a wrong checksum are dropped and counted, those that carry a right one are taken, unreadable ones are
 * dropped. `box` is freed. */
void box_kit_check_strangers(path_element *box);

#endif
