/* SPDX-License-Identifier: GPL-2.0-only */
/* When the payload octets of Placed DDP Segments arrived, remembered until their Delivery. */
#ifndef SESSION_SESSION_PART_ARRIVALS_H
#define SESSION_SESSION_PART_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct session_part_arrivals session_part_arrivals;

/* Nothing. Free with session_part_arrivals_free(). */
session_part_arrivals *session_part_arrivals_new(void);
void session_part_arrivals_free(session_part_arrivals *arrivals);

/* Remembers that `octets` (> 0) of a segment came at `arrival`, beside those that `*token` stands for; the `*token` of a segment is 0
 * at first and changes. Allocates only while there are more than ever before. */
void session_part_arrivals_add(session_part_arrivals *arrivals, uint64_t *token, time_ps arrival,
                               uint32_t octets);

/* One stretch of those that `*token` stands for, which is forgotten; false when there is none left. */
bool session_part_arrivals_take(session_part_arrivals *arrivals, uint64_t *token, time_ps *arrival,
                                uint32_t *octets);

#endif
