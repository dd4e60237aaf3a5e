/* What the parts of a deframer share: mpa_deframer (the three permitted methods) and mpa_deframer_assumption. */
#ifndef MPA_MPA_DEFRAMER_PRIVATE_H
#define MPA_MPA_DEFRAMER_PRIVATE_H

#include <glib.h>

#include "base/octet_store.h"
#include "base/range_set.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_guesses.h"
#include "mpa/mpa_open_fpdus.h"
#include "mpa/mpa_ulpdu_parts.h"

struct mpa_deframer {
  bool markers;
  bool crc;
  mpa_deframer_events events;
  void *user;
  uint64_t edge;      /* everything below is passed; an FPDU starts here */
  octet_store *store; /* what has arrived and is not passed */
  range_set *passed;  /* FPDUs passed beyond the edge; touching ones are one range, their boundaries agree */
  mpa_open_fpdus *open; /* FPDU starts at or beyond the edge that are established and not passed */
  bool disputed;        /* a located FPDU ever reached into a passed one */
  mpa_guesses *guesses; /* neither proven nor disproven */
  mpa_error error;
  mpa_deframer_statistics statistics;
  /* Scratch of one mpa_deframer_receive(), kept for its memory. */
  GArray *completed; /* of uint64_t: starts of FPDUs that became whole */
  octet_rope fpdu_octets;
  octet_rope ulpdu_octets;
  mpa_ulpdu_parts *parts; /* how the FPDU in hand arrived */
};

/* Appends octets to `user`'s fpdu_octets and parts: an octet_store_visitor. */
void mpa_deframer_gather(void *user, uint64_t position, const octet_rope *octets, time_ps arrival);

/* The valid `fpdu` octets[from, …), which arrived as `parts` says, goes up; but a guess only if it is plausible: false then. */
bool mpa_deframer_pass(mpa_deframer *deframer, const mpa_fpdu *fpdu, mpa_location method,
                       const octet_rope *octets, uint32_t from, time_ps now);

/* The segment with octets [from, to) has been taken in: passes up what looks like an FPDU at its start, and behind
 * that. */
void mpa_deframer_assume(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now);

#endif
