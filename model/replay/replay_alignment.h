/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the segments that come out of a replay's path start with an FPDU: only who decodes them can tell, for nobody frames them here. */
#ifndef REPLAY_REPLAY_ALIGNMENT_H
#define REPLAY_REPLAY_ALIGNMENT_H

#include "decode/decode_session.h"
#include "net/datagram.h"

typedef struct replay_alignment replay_alignment;

/* A decoder as `options` say of what arrives. Free with replay_alignment_free() (NULL is allowed). */
replay_alignment *replay_alignment_new(const decode_options *options);
void replay_alignment_free(replay_alignment *alignment);

/* A segment of `flow`, whose address stays valid, from its end `from`: as it comes out of the path; or as it was captured, when it goes the other
 * way. */
void replay_alignment_arrived(replay_alignment *alignment, const capture_flow *flow, uint8_t from,
                              const datagram *packet);
void replay_alignment_captured(replay_alignment *alignment, const capture_flow *flow,
                               const capture_segment *segment);

/* Nothing comes any more: how many segments of `direction` started with an FPDU, of all connections. Once. */
uint64_t replay_alignment_finish(replay_alignment *alignment, enum side direction);

#endif
