/* SPDX-License-Identifier: GPL-2.0-only */
/* The STags that one direction of a capture's traffic writes to, with the octets of each that it does write: what the receiving end must have
 * registered, as far as can be seen. */
#ifndef REPLAY_REPLAY_STAGS_H
#define REPLAY_REPLAY_STAGS_H

#include <glib.h>

#include "ddp/ddp_stag_table.h"

typedef struct replay_stags replay_stags;

/* None. Free with replay_stags_free() (NULL is allowed). */
replay_stags *replay_stags_new(void);
void replay_stags_free(replay_stags *stags);

/* `length` (> 0) octets are written at Tagged Offset `offset` of `stag`. A range that passes 2^64 is no one's and is passed over. */
void replay_stags_learn(replay_stags *stags, uint32_t stag, uint64_t offset, uint32_t length);

/* Registers each in `table` for the streams of `protection_domain`, for remote writing within what was learnt; what is written goes
 * nowhere. */
void replay_stags_register(const replay_stags *stags, ddp_stag_table *table, uint32_t protection_domain);

#endif
