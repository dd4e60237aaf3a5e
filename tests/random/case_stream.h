/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the octets of a case's FPDU phase, made by the real sender: rdmap_stream and mpa_framer, and
 * segments made by hand where the case wants something that no sender does. */
#pragma once

#include "random_case.h"

/* Returns the STag that the k-th Read of the endpoint names at its peer. */
uint32_t case_source_stag(unsigned read);

/* Returns the stream for an endpoint that registered its regions under `stags`. Free with
 * g_byte_array_unref(). */
GByteArray *case_stream_make(const random_case *c, const uint32_t stags[CASE_REGIONS]);
