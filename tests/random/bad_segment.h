/* SPDX-License-Identifier: GPL-2.0-only */
/* DDP segments made by hand, from ddp-07/rfc5041 §4 and rdmap-00 §6: what no sender makes, a Terminate, a
 * Read Request. */
#pragma once

#include "random_case.h"

/* This is how many messages went before on a queue: the next MSN is one more. */
typedef struct bad_numbers {
  uint32_t sends;
  uint32_t requests;
} bad_numbers;

/* Returns the ULPDU of operation `index`, which is CASE_BAD or CASE_TERMINATE. Free with
 * g_byte_array_unref(). */
GByteArray *bad_segment_new(const random_case *c, guint index, const bad_numbers *numbers,
                            const uint32_t stags[CASE_REGIONS]);

/* Appends a whole, right Read Request with number `msn`. */
void bad_segment_append_request(GByteArray *ulpdu, iwarp_generation generation, uint32_t msn,
                                uint32_t sink_stag, uint64_t sink_offset, uint32_t length,
                                uint32_t source_stag, uint64_t source_offset);
