/* SPDX-License-Identifier: GPL-2.0-only */
/* The Reads of the Local Peer that wait for their RDMA Read Response. A response names no request: the k-th
 * response answers the k-th request (rdmap-00 §7.2.2, §7.5 rule 20; RDMAP-149, note D32). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_segment.h"
#include "rdmap/rdmap_error.h"
#include "rdmap/rdmap_read_request.h"

typedef struct rdmap_reads rdmap_reads;

/* No Reads; `strict`: what a response writes must be what its request asked for (RDMAP-150). Free with
 * rdmap_reads_free() (NULL is allowed). */
rdmap_reads *rdmap_reads_new(bool strict);
void rdmap_reads_free(rdmap_reads *reads);

/* `request` (copied) is with DDP; `number` comes back when it is answered. */
void rdmap_reads_open(rdmap_reads *reads, const rdmap_read_request *request, uint64_t number);

/* Reads open. */
uint32_t rdmap_reads_count(const rdmap_reads *reads);

/* Takes a Delivered segment of a Read Response. With L set it ends the oldest Read, whose number goes into
 * `*number`. False, and `*error`, when it is wrong (note D32): no Read is open (0/2/06); and when strict:
 * another STag than the request's (1/1/00), octets outside the requested range, or at its end not as many as
 * requested or not from its start (1/1/01). The segments may come in any order of TO (note D18); STag and TO
 * of an empty one are ignored (DDP-100). */
bool rdmap_reads_take(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number, rdmap_error *error);
