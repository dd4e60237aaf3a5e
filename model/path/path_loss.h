/* Loss: random, and by an exact list (definitions.md, `drop`). */
#ifndef PATH_PATH_LOSS_H
#define PATH_PATH_LOSS_H

#include <stddef.h>

#include "base/random_stream.h"
#include "path/path_element.h"

/* Drops each packet with `probability` (netem's `loss`; every packet draws, with or without payload), and the
 * segments with payload whose numbers (the first to enter is 1; retransmissions and startup frames count) are
 * in `drop` (`drop_count` ascending numbers, copied). `random` stays the caller's and outlives the element.
 * */
path_element *path_loss_new(double probability, random_stream *random, const uint64_t *drop,
                            size_t drop_count);

/* Packets dropped so far. */
uint64_t path_loss_dropped(const path_element *element);

#endif
