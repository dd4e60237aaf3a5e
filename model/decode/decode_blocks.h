/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for the octets of segments, used again and again: octets of a capture are valid only until its next segment is read. */
#ifndef DECODE_DECODE_BLOCKS_H
#define DECODE_DECODE_BLOCKS_H

#include <stdint.h>

#include "base/octet_rope.h"

typedef struct decode_blocks decode_blocks;

/* Free with decode_blocks_free() (NULL is allowed); blocks that are still referenced stay valid. */
decode_blocks *decode_blocks_new(void);
void decode_blocks_free(decode_blocks *blocks);

/* A block with the `length` (> 0) octets at `octets`, or, when that is NULL, with room for them; one reference, which is the caller's. */
octet_block *decode_blocks_copy(decode_blocks *blocks, const uint8_t *octets, uint32_t length);

#endif
