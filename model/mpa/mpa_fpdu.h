/* One FPDU at a known place in the stream: its extent, whether it is valid, and the ULPDU within it
 * (mpa-01 §4, §5.2, §7). Used by framer and deframer. */
#ifndef MPA_MPA_FPDU_H
#define MPA_MPA_FPDU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "mpa/mpa_error.h"

enum {
  MPA_FPDU_LENGTH_OCTETS = 2, /* the ULPDU_Length field */
  MPA_FPDU_CRC_OCTETS = 4,
};

/* Where an FPDU lies; offsets into the FPDU phase. */
typedef struct mpa_fpdu {
  uint64_t start;        /* first octet, a leading marker included */
  uint64_t header;       /* ULPDU_Length */
  uint64_t end;          /* behind the CRC */
  uint32_t ulpdu_octets; /* ULPDU_Length's value */
  bool markers;          /* the stream has them */
} mpa_fpdu;

/* Offset of ULPDU_Length of the FPDU that starts at `start`: behind its leading marker, if it has one
 * (MPA-098). */
uint64_t mpa_fpdu_header(uint64_t start, bool markers);

/* The reverse: first octet of the FPDU whose ULPDU_Length is at `header`. */
uint64_t mpa_fpdu_start(uint64_t header, bool markers);

/* PAD octets of a ULPDU: (-(2 + length)) mod 4 (MPA-078). */
uint32_t mpa_fpdu_pad_octets(uint32_t ulpdu_octets);

/* Stream octets of an FPDU that starts at offset `start`, a multiple of 4 as all FPDUs are (MPA-100), its
 * leading marker included when there is one and `markers`: header, ULPDU, PAD, CRC and the markers within
 * (MPA-111). */
uint64_t mpa_fpdu_octets(uint64_t start, uint32_t ulpdu_octets, bool markers);

/* The FPDU at `start` with a ULPDU of `ulpdu_octets`. */
mpa_fpdu mpa_fpdu_at(uint64_t start, uint32_t ulpdu_octets, bool markers);

/* Markers that belong to `fpdu`. */
uint32_t mpa_fpdu_marker_count(const mpa_fpdu *fpdu);

/* Octets of the ULPDU that lie below the stream offset `position`: 0 … ulpdu_octets. */
uint32_t mpa_fpdu_ulpdu_octets_below(const mpa_fpdu *fpdu, uint64_t position);

/* Whether the FPDU whose octets are octets[from, …) is valid. With `crc` a digest that does not match is
 * MPA_ERROR_CRC; that is looked at first (notes-mpa 20). Then each marker must point to this FPDU, else
 * MPA_ERROR_MARKER (MPA-278). PAD and RESERVED may hold anything (MPA-077, MPA-086). */
mpa_error mpa_fpdu_check(const mpa_fpdu *fpdu, const octet_rope *octets, uint32_t from, bool crc);

/* Appends the ULPDU of the FPDU octets[from, …) to the empty `ulpdu`, by reference: no markers, header,
 * PAD, CRC (MPA-058). */
void mpa_fpdu_strip(const mpa_fpdu *fpdu, const octet_rope *octets, uint32_t from, octet_rope *ulpdu);

#endif
