/* MULPDU: the largest ULPDU that DDP may hand to MPA now (mpa-01 §5.3.2). */
#ifndef MPA_MPA_MULPDU_H
#define MPA_MPA_MULPDU_H

#include <stdbool.h>
#include <stdint.h>

enum { MPA_MULPDU_MIN_OCTETS = 128, MPA_MULPDU_MAX_OCTETS = 64768 };

/* EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4) with markers (MPA-143), EMSS - (6 + EMSS mod 4) without
 * (MPA-144); then clamped to 128 … 64768 (MPA-062, notes-mpa 24). */
uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers);

#endif
