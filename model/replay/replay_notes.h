/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user should know of a capture and of what was made of it. */
#ifndef REPLAY_REPLAY_NOTES_H
#define REPLAY_REPLAY_NOTES_H

#include "replay/replay_network.h"

/* Adds to `notes` (of char *, to be freed with g_free()) what there is to say of a replay that is over; `resends`: what did not arrive was offered
 * again; `values`: its metrics. */
void replay_note(const replay_lessons *lessons, const configuration *c, const replay_network *network,
                 bool resends, const metric_values *values, GPtrArray *notes);

#endif
