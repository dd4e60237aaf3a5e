/* The middleboxes of `middlebox.mode`, in their order (definitions.md, Order on the way). */
#ifndef SIM_SIM_BOXES_H
#define SIM_SIM_BOXES_H

#include "base/random_stream.h"
#include "network/path_element.h"
#include "scenario/scenario.h"

/* The box called `word` ("split", "coalesce", "rechunk", "shift" or "random") with the keys of `s`; `random` is for those that draw, and
 * outlives the box. Free with path_element_free(). */
path_element *sim_boxes_new(const scenario *s, const char *word, random_stream *random);

/* Whether a packet of the box may be larger than the one that came: then the link behind must be asked. */
bool sim_boxes_may_enlarge(const scenario *s);

#endif
