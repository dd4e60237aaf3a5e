/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `shift`: moves every boundary between segments by the same number of octets. */
#ifndef PATH_PATH_SHIFT_H
#define PATH_PATH_SHIFT_H

#include "network/path_element.h"

/* As path_recut.h says, a piece ending `shift_octets` (> 0) behind each place where a segment began, the
 * first of the stream included: so pieces are as long as the segments, but for the first, which is the
 * shift. The rest of a segment waits for the next one to bring its last octets; PSH, FIN and the flush end
 * a piece where the segment ends, and the next piece is short again. Segments shorter than the shift are
 * moved like others: several may wait.
 *
 * No piece is longer than the longer of the two segments it is of, when segments are at least as long as
 * the shift; the caller sees to it that the links behind can carry them.
 *
 * A retransmission passes at once. Its own first boundary is moved, its end is not, as nothing behind it
 * is there to fill up with: the box does not remember the boundaries of the first time. */
path_element *path_shift_new(uint32_t shift_octets, time_ps flush_ps);

#endif
