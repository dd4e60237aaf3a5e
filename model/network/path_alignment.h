/* SPDX-License-Identifier: GPL-2.0-only */
/* An observer on the path counts how many segments are aligned with FPDUs at its place. One before the
 * middleboxes and one after them measure what they do to the alignment. */
#pragma once

#include "net/fpdu_starts.h"
#include "network/path_element.h"

/* Returns whether an FPDU of `flow` starts at stream position `position` (0: the octet after the SYN); also
 * true of the position after the last FPDU that has been posted, where the next one will start. What else
 * counts as a start, for example that of a startup frame, is the caller's choice. The function keeps in
 * `cursor` the starts of the stream, the position that they count from, and where it found the last one, to
 * start near it: each observer has one for each flow, all-zero at first. */
typedef struct path_alignment_cursor {
  const fpdu_starts *starts;
  int64_t starts_from;
  fpdu_starts_cursor at;
} path_alignment_cursor;
typedef bool (*path_alignment_is_fpdu_start)(void *user, const datagram_flow *flow, int64_t position,
                                             path_alignment_cursor *cursor);

/* Segments with payload of connections whose SYN was seen, retransmissions included. */
typedef struct path_alignment_counts {
  uint64_t segments;
  uint64_t starting_with_fpdu; /* of those: their first octet is an FPDU's first */
} path_alignment_counts;

/* Passes every packet on at once and untouched. Fragments, ICMP, segments that TCP would drop (a wrong
 * checksum) or that are not of its direction (path_trace), and octets before the stream's first are not
 * counted. */
path_element *path_alignment_new(path_alignment_is_fpdu_start is_fpdu_start, void *user);

/* Returns what `element`, made by path_alignment_new(), has counted. */
const path_alignment_counts *path_alignment_counted(const path_element *element);
