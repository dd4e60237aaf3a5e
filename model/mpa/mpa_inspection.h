/* Whether octets that have arrived and are not committed yet would make an FPDU fail that lies whole
 * within them: the question to be asked before a segment is silently dropped (mpa-01 §7, MPA-286;
 * notes-mpa 31). */
#ifndef MPA_MPA_INSPECTION_H
#define MPA_MPA_INSPECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "base/octet_store.h"
#include "mpa/mpa_error.h"
#include "mpa/mpa_open_fpdus.h"

/* What a deframer knows. */
typedef struct mpa_inspection_known {
  bool markers;
  bool crc;
  uint64_t edge;              /* the in-order edge: an FPDU starts here */
  const octet_store *store;   /* what is held */
  const mpa_open_fpdus *open; /* FPDU starts that are established, and what is located */
} mpa_inspection_known;

/* MPA_ERROR_CRC or MPA_ERROR_MARKER when the new octets from `offset` on hold a whole FPDU that is
 * invalid, or a ULPDU_Length that cannot be (notes-mpa 15), and its start is established by what is known
 * together with these octets; else MPA_ERROR_NONE. The fault of an FPDU that only ends or begins in them
 * is none of theirs: dropping them might not cure it. Changes nothing. */
mpa_error mpa_inspection_verdict(const mpa_inspection_known *known, uint64_t offset,
                                 const octet_rope *octets);

#endif
