/* Reordering as netem's delay / reorder / gap: chosen packets go at once, all others are held back, so the
 * chosen overtake those before them. */
#ifndef PATH_PATH_REORDER_H
#define PATH_PATH_REORDER_H

#include "base/random_stream.h"
#include "path/path_element.h"

/* Holds each packet for `hold_ps`; but once at least `gap` - 1 packets in a row have been held (`gap` 0
 * counts as 1), the next goes on at once with `probability` and the count starts again. `random` draws only
 * for packets that may be chosen, stays the caller's and outlives the element. */
path_element *path_reorder_new(time_ps hold_ps, double probability, uint32_t gap, random_stream *random);

#endif
