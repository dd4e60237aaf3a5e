/* SPDX-License-Identifier: GPL-2.0-only */
/* The payload of every message is octets of one fixed table (docs/architecture.md, "Real octets").
 *
 * The table has a prime number of octets and is stored twice, so any run of up to PATTERN_OCTETS octets is
 * one piece of memory: sending references it, checking is one comparison with it. */
#pragma once

#include <stdint.h>

#include "base/buffer_chain.h"

enum { PATTERN_OCTETS = 65521 };

typedef struct pattern pattern;

/* Fills the table (the same on every machine and in every run); free with pattern_free(). */
pattern *pattern_new(void);
void pattern_free(pattern *table); /* NULL is allowed; chains keep their octets */

/* Returns where in the table message `message` of `connection` starts: 0 … PATTERN_OCTETS - 1. */
uint32_t pattern_message_offset(uint32_t connection, uint64_t message);

/* Returns the octets from `offset` (any value, taken modulo PATTERN_OCTETS) on: PATTERN_OCTETS of them are
 * readable. */
const uint8_t *pattern_at(const pattern *table, uint64_t offset);

/* Returns `length` of them (at most PATTERN_OCTETS) in the table's block; no reference is added. */
octet_slice pattern_slice(const pattern *table, uint64_t offset, uint32_t length);
