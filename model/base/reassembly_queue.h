/* SPDX-License-Identifier: GPL-2.0-only */
/* A reassembly queue holds octets of one stream by position, until a receiver or a middlebox can use them.
 *
 * The first octet that arrives at a position stays (MPA-032: data committed early is not overwritten by later
 * duplicates). Every octet remembers when it arrived. */
#pragma once

#include "base/buffer_chain.h"
#include "base/time_ps.h"

typedef struct reassembly_queue reassembly_queue;

/* Holds nothing; free with reassembly_queue_free() (NULL is allowed), which releases everything. */
reassembly_queue *reassembly_queue_new(void);
void reassembly_queue_free(reassembly_queue *queue);

/* Holds the octets of `chain`, the first of which has stream position `position` and which arrived at
 * `arrival`. Octets already held are passed over. References the chain's buffers, copies nothing; the caller
 * keeps `chain`. Returns how many octets are newly held. Appending after everything held is O(1). */
uint64_t reassembly_queue_insert(reassembly_queue *queue, uint64_t position, const buffer_chain *chain,
                                 time_ps arrival);

/* Returns how many octets are held. */
uint64_t reassembly_queue_total(const reassembly_queue *queue);

/* They return how many octets of [from, to) are held, and whether all are. */
uint64_t reassembly_queue_covered(const reassembly_queue *queue, uint64_t from, uint64_t to);
bool reassembly_queue_contains(const reassembly_queue *queue, uint64_t from, uint64_t to);

/* Returns the end of the run of held octets that holds `position`; `position` itself when it is not held. */
uint64_t reassembly_queue_run_end(const reassembly_queue *queue, uint64_t position);

/* Returns the first held position at or after `position`; UINT64_MAX when there is none. */
uint64_t reassembly_queue_next_held(const reassembly_queue *queue, uint64_t position);

/* Returns octets [from, from + length), `length` > 0: where they lie, valid until the queue changes, or, when
 * they do not lie in one piece of memory, in `spare`, where there is room for them. NULL when they are not
 * all held. */
const uint8_t *reassembly_queue_peek(const reassembly_queue *queue, uint64_t from, uint32_t length,
                                     uint8_t *spare);

/* It is called for each piece of a range in ascending order; `octets` is valid during the call only. */
typedef void (*reassembly_queue_visitor)(void *user, uint64_t position, const buffer_chain *octets,
                                         time_ps arrival);

/* Visits the held octets of [from, to), cut to that range, piece by piece. */
void reassembly_queue_visit(const reassembly_queue *queue, uint64_t from, uint64_t to,
                            reassembly_queue_visitor visitor, void *user);

/* It is called for octets from `position` on that arrived together. */
typedef void (*reassembly_queue_listener)(void *user, uint64_t position, time_ps arrival);

/* Moves the held octets of [from, to) out of the queue to the end of `target`; `listener` is called for each
 * piece in ascending order. */
void reassembly_queue_take(reassembly_queue *queue, uint64_t from, uint64_t to, buffer_chain *target,
                           reassembly_queue_listener listener, void *user);

/* Releases the held octets of [from, to); returns how many there were. Removing from the front is
 * O(pieces). */
uint64_t reassembly_queue_remove(reassembly_queue *queue, uint64_t from, uint64_t to);
