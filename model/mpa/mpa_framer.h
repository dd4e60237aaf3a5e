/* The sending side of MPA: a ULPDU becomes an FPDU (mpa-01 §4, §5.1, §5.2). */
#ifndef MPA_MPA_FRAMER_H
#define MPA_MPA_FRAMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"

typedef struct mpa_framer mpa_framer;

/* A framer at offset 0 of the FPDU phase. Without `crc` the CRC field is sent as zeros (MPA-081, notes-mpa
 * 19). Free with mpa_framer_free(). */
mpa_framer *mpa_framer_new(bool markers, bool crc);
void mpa_framer_free(mpa_framer *framer);

/* FPDUs are made in pieces of `blocks` from now on (octet_block_new_in(), so of octet_block_piece_octets(octets of
 * an FPDU)), and those for which they suffice in the shorter pieces of `short_blocks`, unless that is NULL; before the call,
 * with NULL, and when an FPDU is longer, on the heap. Both must outlive the framer. */
void mpa_framer_use_pools(mpa_framer *framer, memory_pool *blocks, memory_pool *short_blocks);

/* Frames one ULPDU of 1 … 64768 octets (anything else is the caller's mistake): appends its FPDU to the
 * empty `fpdu`, with header, PAD, CRC and the markers that fall into it; a marker that falls exactly
 * between two FPDUs starts the following one (MPA-098). The FPDU is one slice of a block of its own: the ULPDU is
 * copied, which costs less than to compute a digest over, and to carry about, the ten slices it were otherwise. */
void mpa_framer_frame(mpa_framer *framer, const octet_rope *ulpdu, octet_rope *fpdu);

/* Offset of the next FPDU in the FPDU phase: all octets framed so far. */
uint64_t mpa_framer_offset(const mpa_framer *framer);

#endif
