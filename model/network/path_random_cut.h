/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `random`: forwards the same octets cut at random places. */
#ifndef PATH_PATH_RANDOM_CUT_H
#define PATH_PATH_RANDOM_CUT_H

#include "base/random_stream.h"
#include "network/path_element.h"

/* As path_recut.h says, the length of each piece drawn uniformly from [min, max] octets, 0 < min <= max,
 * when it begins. A flush, PSH or FIN makes the last one shorter; behind it a new piece begins.
 *
 * A retransmission passes at once and is cut anew: its pieces are drawn from its own first octet on,
 * whatever the cuts of the first time were, and the last one ends where it does.
 *
 * `random` stays the caller's and outlives the element. That the links behind can carry `max` octets is
 * the caller's business. */
path_element *path_random_cut_new(uint32_t min_octets, uint32_t max_octets, time_ps flush_ps,
                                  random_stream *random);

#endif
