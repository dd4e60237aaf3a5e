/* What the parts of a deframer share: mpa_deframer (the three permitted methods), mpa_deframer_ahead
 * and mpa_deframer_assumption. */
#ifndef MPA_MPA_DEFRAMER_PRIVATE_H
#define MPA_MPA_DEFRAMER_PRIVATE_H

#include <glib.h>

#include "base/element_array.h"
#include "base/octet_store.h"
#include "base/range_set.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_guesses.h"
#include "mpa/mpa_open_fpdus.h"
#include "mpa/mpa_ulpdu_parts.h"

/* What has come beyond the in-order edge and could not be passed in order; made when that happens first. */
typedef struct mpa_deframer_ahead {
  octet_store *store; /* what has arrived and is not passed */
  range_set passed;   /* FPDUs passed beyond the edge; touching ones are one range, their boundaries agree */
  mpa_open_fpdus *open; /* FPDU starts at or beyond the edge that are established and not passed */
  mpa_guesses *guesses; /* neither proven nor disproven */
  bool disputed;        /* a located FPDU ever reached into a passed one */
  /* Scratch of one mpa_deframer_receive(), kept for its memory. */
  element_array completed; /* of uint64_t: starts of FPDUs that became whole */
  octet_rope fpdu_octets;
  mpa_ulpdu_parts *parts; /* how the FPDU in hand arrived */
} mpa_deframer_ahead;

struct mpa_deframer {
  mpa_deframer_events events;
  void *user;
  uint64_t edge; /* everything below is passed; an FPDU starts here */
  bool markers;
  bool crc;
  mpa_error error;
  mpa_deframer_ahead *ahead; /* NULL until needed */
  octet_rope *ulpdu_octets;  /* scratch, kept for its memory; NULL until the first FPDU */
  mpa_deframer_statistics statistics;
};

/* An FPDU whose octets octets[from, …) are all there, and how they arrived. */
typedef struct mpa_whole_fpdu {
  mpa_fpdu extent;
  mpa_location method;
  const octet_rope *octets;
  uint32_t from;
  uint64_t held_octets;        /* see mpa_ulpdu */
  const mpa_ulpdu_part *parts; /* see mpa_ulpdu */
  size_t part_count;
} mpa_whole_fpdu;

/* `deframer`'s `ahead`, made if need be; and freed. */
mpa_deframer_ahead *mpa_deframer_ahead_of(mpa_deframer *deframer);
void mpa_deframer_ahead_free(mpa_deframer_ahead *ahead);

/* True when nothing is held, passed early or awaited there. */
static inline bool mpa_deframer_ahead_is_empty(const mpa_deframer_ahead *ahead)
{
  return octet_store_total(ahead->store) == 0 && range_set_count(&ahead->passed) == 0 &&
         mpa_open_fpdus_count(ahead->open) == 0;
}

/* The FPDU `extent`, all of whose octets are held: gathered in `ahead`'s scratch, where they stay until that is emptied. */
mpa_whole_fpdu mpa_deframer_gather(mpa_deframer *deframer, const mpa_fpdu *extent, mpa_location method,
                                   time_ps now);

/* The same of one that is not held any more afterwards. */
mpa_whole_fpdu mpa_deframer_take(mpa_deframer *deframer, const mpa_fpdu *extent, mpa_location method,
                                 time_ps now);

/* The valid `fpdu` goes up; but a guess only if it is plausible: false then. */
bool mpa_deframer_pass(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, time_ps now);

/* The segment with octets [from, to) has been taken in: passes up what looks like an FPDU at its start, and behind
 * that. */
void mpa_deframer_assume(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now);

#endif
