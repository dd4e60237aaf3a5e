/* The middlebox in mode `rechunk`: forwards the same octets with its own cuts (definitions.md, `rechunk`). */
#ifndef PATH_PATH_RECHUNK_H
#define PATH_PATH_RECHUNK_H

#include "path/path_element.h"

/* Cuts each connection's stream (told apart by addresses and ports) at phase + k * chunk, positions counted
 * from the octet after its SYN, and emits a piece once all its octets have arrived; flushes on PSH, SYN, FIN,
 * RST, or after `flush_ps` without octets. `chunk` > 0; a phase of a chunk or more is taken modulo chunk.
 * Cuts never depend on time otherwise. Segments without payload pass at once, and so does everything of a
 * connection whose SYN was not seen.
 *
 * What does not come in order: octets at or below the highest forwarded, and those that fill a hole before
 * what is waiting, pass at once, cut at the grid. Octets behind a hole make what is waiting leave; they are
 * cut on the same grid, and what reaches no line of it waits for that line or a flush. Octets that are
 * waiting already are not taken twice.
 *
 * Pieces have acknowledgement, window, timestamps and SACK blocks of the latest segment with payload. PSH is
 * on the last piece that a segment with PSH makes leave, FIN on the one that ends where the FIN stands (alone
 * when none does). A piece is as long as the chunk, up to: that the links behind can carry it is the caller's
 * business. */
path_element *path_rechunk_new(uint32_t chunk_octets, uint32_t phase_octets, time_ps flush_ps);

#endif
