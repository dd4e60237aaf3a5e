/* SPDX-License-Identifier: GPL-2.0-only */
/* Here are the segments that are Placed and wait for Delivery, sorted by their place in the stream. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ddp/ddp_segment.h"

typedef struct ddp_undelivered ddp_undelivered;

/* An empty store; free with ddp_undelivered_free() (NULL is allowed). */
ddp_undelivered *ddp_undelivered_new(void);
void ddp_undelivered_free(ddp_undelivered *undelivered);

/* Adds a copy of `segment` and returns it, valid until the store changes; NULL, and nothing done, when the
 * very same [fpdu_start, fpdu_end) is there already. Else it is not empty and overlaps none in the store.
 * Amortised constant time near either end, as after a loss; nothing is allocated for each segment. */
ddp_segment *ddp_undelivered_add(ddp_undelivered *undelivered, const ddp_segment *segment);

/* Takes out the first segment when it starts at `position`; false, and `*segment` left alone, when it does
 * not. */
bool ddp_undelivered_take(ddp_undelivered *undelivered, uint64_t position, ddp_segment *segment);

/* Forgets all segments that start at or after `position`. */
void ddp_undelivered_drop_from(ddp_undelivered *undelivered, uint64_t position);

/* Returns how many segments there are. */
size_t ddp_undelivered_count(const ddp_undelivered *undelivered);
