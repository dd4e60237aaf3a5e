/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `rechunk`: forwards the same octets cut on a fixed grid (definitions.md,
 * `rechunk`). */
#ifndef PATH_PATH_RECHUNK_H
#define PATH_PATH_RECHUNK_H

#include "network/path_element.h"

/* As path_recut.h says, pieces ending at phase + k * chunk, positions counted from the octet after the
 * SYN. `chunk` > 0; a phase of a chunk or more is taken modulo chunk. Cuts depend on time by the flush
 * only; the rest of a piece that was flushed is a piece up to the same line.
 *
 * A retransmission passes at once, cut on the same grid: its pieces are those of the first time, but for
 * the first and the last, which end where it does.
 *
 * A piece is as long as the chunk, up to: that the links behind can carry it is the caller's business. */
path_element *path_rechunk_new(uint32_t chunk_octets, uint32_t phase_octets, time_ps flush_ps);

#endif
