/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets of one stream, held by position: what a receiver or a middlebox keeps until it can use them.
 *
 * The first octet that arrives at a position stays (MPA-032: data committed early is not overwritten by later
 * duplicates). Every octet remembers when it arrived. */
#ifndef BASE_OCTET_STORE_H
#define BASE_OCTET_STORE_H

#include "base/octet_rope.h"
#include "base/time_ps.h"

typedef struct octet_store octet_store;

/* Holds nothing; free with octet_store_free() (NULL is allowed), which lets go of everything. */
octet_store *octet_store_new(void);
void octet_store_free(octet_store *store);

/* Holds the octets of `rope`, the first of which has stream position `position` and which arrived at `arrival`.
 * Octets already held are passed over. References the rope's blocks, copies nothing; the caller keeps `rope`.
 * Returns how many octets are newly held. Appending behind everything held is O(1). */
uint64_t octet_store_insert(octet_store *store, uint64_t position, const octet_rope *rope, time_ps arrival);

/* All octets held. */
uint64_t octet_store_total(const octet_store *store);

/* How many octets of [from, to) are held; and whether all are. */
uint64_t octet_store_covered(const octet_store *store, uint64_t from, uint64_t to);
bool octet_store_contains(const octet_store *store, uint64_t from, uint64_t to);

/* End of the run of held octets that holds `position`; `position` itself when it is not held. */
uint64_t octet_store_run_end(const octet_store *store, uint64_t position);

/* First held position at or behind `position`; UINT64_MAX when there is none. */
uint64_t octet_store_next_held(const octet_store *store, uint64_t position);

/* Octets [from, from + length), `length` > 0: where they lie, valid until the store changes, or, when they do not lie in one
 * piece of memory, in `spare`, where there is room for them. NULL when they are not all held. */
const uint8_t *octet_store_peek(const octet_store *store, uint64_t from, uint32_t length, uint8_t *spare);

/* Called for each piece of a range in ascending order; `octets` is valid during the call only. */
typedef void (*octet_store_visitor)(void *user, uint64_t position, const octet_rope *octets, time_ps arrival);

/* Visits the held octets of [from, to), cut to that range, piece by piece. */
void octet_store_visit(const octet_store *store, uint64_t from, uint64_t to, octet_store_visitor visitor,
                       void *user);

/* Told of octets from `position` on that arrived together. */
typedef void (*octet_store_listener)(void *user, uint64_t position, time_ps arrival);

/* Moves the held octets of [from, to) out of the store to the end of `target`; `listener` is told of each piece in ascending
 * order. */
void octet_store_take(octet_store *store, uint64_t from, uint64_t to, octet_rope *target,
                      octet_store_listener listener, void *user);

/* Lets go of the held octets of [from, to); returns how many there were. Removing from the front is O(pieces). */
uint64_t octet_store_remove(octet_store *store, uint64_t from, uint64_t to);

#endif
