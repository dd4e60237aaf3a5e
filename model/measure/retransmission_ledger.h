/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger finds which retransmissions of one connection were spurious: their octets had arrived by an
 * earlier copy, or were about to. A simulator sees both ends, so it need not guess as a Data Source must (RFC
 * 2883, RFC 3522).
 *
 * A retransmission was needed when a segment with octets of it that never arrived before comes in no sooner
 * than the retransmission itself can be there. A lost one was needed if a later one of the same octets
 * was. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

/* It is read by everyone, and written only by the functions below. */
typedef struct retransmission_ledger {
  GArray *open; /* of ledger_entry; few: what is in order leaves it */
  uint64_t spurious;
} retransmission_ledger;

/* Returns an empty ledger; free with retransmission_ledger_free(). */
retransmission_ledger *retransmission_ledger_new(void);
void retransmission_ledger_free(retransmission_ledger *ledger);

/* Returns whether it is known of all that left again: neither of the last two functions below has anything to
 * do. */
static inline bool retransmission_ledger_is_settled(const retransmission_ledger *ledger)
{
  return ledger->open->len == 0;
}

/* Octets [from, to) of the stream leave again and cannot arrive before `earliest_arrival`; what left before
 * them does, unless the path lets packets overtake. */
void retransmission_ledger_sent(retransmission_ledger *ledger, uint64_t from, uint64_t to,
                                time_ps earliest_arrival);

/* A segment with [from, to), `new_octets` of them never received before, arrives at `now`. */
void retransmission_ledger_arrived(retransmission_ledger *ledger, uint64_t from, uint64_t to,
                                   uint32_t new_octets, time_ps now);

/* All octets below `edge` have arrived: what was re-sent of them and not needed is spurious. */
void retransmission_ledger_in_order(retransmission_ledger *ledger, uint64_t edge);
