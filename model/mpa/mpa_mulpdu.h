/* SPDX-License-Identifier: GPL-2.0-only */
/* MULPDU: the largest ULPDU that DDP may hand to MPA now (mpa-01 §5.3.2). */
#ifndef MPA_MPA_MULPDU_H
#define MPA_MPA_MULPDU_H

#include <stdbool.h>
#include <stdint.h>

enum { MPA_MULPDU_MIN_OCTETS = 128, MPA_MULPDU_MAX_OCTETS = 64768 };

/* EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4) with markers (MPA-143), EMSS - (6 + EMSS mod 4) without
 * (MPA-144); then clamped to 128 … 64768 (MPA-062, notes-mpa 24). */
uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers);

/* EMSS that MPA may assume when TCP does not tell (mpa-01 §3.1.1, MPA-025, MPA-026; notes-mpa 27). */
enum { MPA_ASSUMED_EMSS_OCTETS = 1460, MPA_ASSUMED_SMALL_EMSS_OCTETS = 536 };

/* The dynamic option (mpa-01 §5.3.2, MPA-149, MPA-150; notes-mpa 22, 25): the largest ULPDU whose FPDU,
 * starting at `offset` of the FPDU phase (where an FPDU can start), ends within `room_octets` of stream: what
 * is left of a segment of `emss_octets`. When that is less than 128 octets, the largest of a whole segment
 * that starts there (MPA-155, MPA-156). Clamped as above. */
uint32_t mpa_mulpdu_exact_octets(uint64_t offset, uint32_t room_octets, uint32_t emss_octets, bool markers);

#endif
