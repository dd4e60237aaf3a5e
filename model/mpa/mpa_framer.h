/* SPDX-License-Identifier: GPL-2.0-only */
/* The sending side of MPA determines how large a ULPDU may be (MULPDU, mpa-01 §5.3.2), and makes an FPDU of
 * it (mpa-01 §4, §5.1, §5.2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "mpa/mpa_fpdu_memory.h"

/* Returns EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4) with markers (MPA-143), EMSS - (6 + EMSS mod 4)
 * without (MPA-144); then clamped to 128 … 64768 (MPA-062, note M24). */
uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers);

/* EMSS that MPA may assume when TCP does not report one (mpa-01 §3.1.1, MPA-025, MPA-026; note M27). */
enum { MPA_ASSUMED_EMSS_OCTETS = 1460, MPA_ASSUMED_SMALL_EMSS_OCTETS = 536 };

/* With the dynamic option (mpa-01 §5.3.2, MPA-149, MPA-150; notes M22, M25) this returns the largest ULPDU
 * whose FPDU, starting at `offset` of the FPDU phase (where an FPDU can start), ends within `room_octets` of
 * stream: what is left of a segment of `emss_octets`. When that is less than 128 octets, the largest of a
 * whole segment that starts there (MPA-155, MPA-156). Clamped as above. */
uint32_t mpa_mulpdu_exact_octets(uint64_t offset, uint32_t room_octets, uint32_t emss_octets, bool markers);

/* What the FPDUs of a stream are like, and where the next one starts: its owner begins at offset 0 of the
 * FPDU phase, and changes nothing later. */
typedef struct mpa_framer {
  bool markers;
  bool crc; /* else the CRC field is sent as zeros (MPA-081, note M19) */
  uint64_t offset;
  const mpa_fpdu_memory *memory; /* FPDUs are made of it; NULL: they are flat and on the heap */
} mpa_framer;

/* Frames one ULPDU of 1 … 64768 octets (anything else is the caller's mistake), in slices that
 * are not empty: appends its FPDU to the empty `fpdu`, with header, PAD, CRC and the markers that fall into
 * it; a marker that falls exactly between two FPDUs starts the following one (MPA-098).
 *
 * The FPDU is one slice of a block of its own; or, once its memory has enough of those (mpa_fpdu_memory.h),
 * and `ulpdu` is a header and a slice that has a block, which must never change, it is deferred. */
void mpa_framer_frame(mpa_framer *framer, const gather_list *ulpdu, buffer_chain *fpdu);
