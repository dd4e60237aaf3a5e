/* SPDX-License-Identifier: GPL-2.0-only */
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
#include "mpa/mpa_mulpdu.h"
#include "mpa/mpa_open_fpdus.h"
#include "mpa/mpa_ulpdu_parts.h"

enum { MPA_FRONT_PIECES_MAX = 8 };

/* The usual case beside FPDUs that are whole in one segment: octets from the in-order edge on that do not yet make a whole FPDU,
 * and nothing behind them. They wait here as one run; nothing is in the store, passed early or open while there are any, and no
 * marker among them points beyond the edge. An all-zero front is a valid empty one. */
typedef struct mpa_front {
  octet_rope octets;
  uint32_t piece_count;
  bool is_located; /* ULPDU_Length is there, hence `fpdu` */
  mpa_fpdu fpdu;
  mpa_fpdu_piece pieces[MPA_FRONT_PIECES_MAX]; /* ascending; the first starts at the edge */
  mpa_ulpdu_part parts[MPA_FRONT_PIECES_MAX];  /* of the FPDU in hand */
} mpa_front;

/* What has come beyond the in-order edge and could not be passed in order; made when that happens first. */
typedef struct mpa_deframer_ahead {
  octet_store *store; /* what has arrived and is not passed */
  range_set passed;   /* FPDUs passed beyond the edge; touching ones are one range, their boundaries agree */
  mpa_open_fpdus *open; /* FPDU starts at or beyond the edge that are established and not passed */
  mpa_guesses *guesses; /* neither proven nor disproven */
  bool disputed;        /* a located FPDU ever reached into a passed one */
  mpa_front front;
  /* Scratch of one mpa_deframer_receive(), kept for its memory. */
  element_array completed; /* of uint64_t: starts of FPDUs that became whole */
  octet_rope fpdu_octets;
  mpa_ulpdu_parts *parts; /* how the FPDU in hand arrived */
} mpa_deframer_ahead;

struct mpa_deframer {
  const mpa_deframer_events *events;
  void *user;
  uint64_t edge; /* everything below is passed; an FPDU starts here */
  bool markers;
  bool crc;
  bool follows_errors;
  bool takes_long;     /* mpa_deframer_take_long() */
  bool is_last;        /* mpa_deframer_end() has been called */
  mpa_error error : 8; /* idle pairs are many (tests/rnic/test_ulp_idle) */
  /* With follows_errors: the start whose ULPDU_Length has been found impossible last; UINT64_MAX. */
  uint64_t stuck;
  mpa_deframer_ahead *ahead; /* NULL until needed */
  mpa_deframer_statistics statistics;
};

/* An FPDU whose octets octets[from, …) are all there, and how they arrived. */
struct mpa_whole_fpdu {
  mpa_fpdu extent;
  mpa_location method;
  const octet_rope *octets;
  uint32_t from;
  mpa_error error;             /* see mpa_ulpdu_error() */
  uint64_t held_octets;        /* see mpa_ulpdu */
  const mpa_ulpdu_part *parts; /* see mpa_ulpdu */
  size_t part_count;
  const mpa_fpdu_piece *pieces; /* see mpa_ulpdu_pieces() */
  size_t piece_count;
};

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

/* The marker at `position` lies in the FPDU at the in-order edge, so far behind the header of a ULPDU longer than any may be that FPDUPTR cannot tell. */
bool mpa_deframer_marker_is_mute(const mpa_deframer *deframer, uint64_t position);

/* --- The front --- */

static inline bool mpa_deframer_has_front(const mpa_deframer *deframer)
{
  return deframer->ahead != NULL && deframer->ahead->front.octets.length > 0;
}

/* Whether there is a front with room for a piece, and octets from `offset` on continue it. */
bool mpa_deframer_front_follows(const mpa_deframer *deframer, uint64_t offset);

/* octets[from, …), which arrived at `arrival`, continue the front or begin it. */
void mpa_deframer_front_append(mpa_deframer *deframer, const octet_rope *octets, uint32_t from,
                               time_ps arrival);

/* The FPDU `extent`, all of whose octets are in the front, which started at `start`. */
mpa_whole_fpdu mpa_deframer_front_fpdu(mpa_deframer *deframer, const mpa_fpdu *extent, uint64_t start,
                                       time_ps now);

/* The in-order edge has moved on from `start`: what is below it leaves the front. */
void mpa_deframer_front_drop(mpa_deframer *deframer, uint64_t start);

/* Whether no marker that became whole by the arrival of octets from `from` on points beyond the edge. */
bool mpa_deframer_front_is_plain(const mpa_deframer *deframer, uint64_t from);

/* The front is empty. */
void mpa_deframer_front_clear(mpa_deframer_ahead *ahead);

/* What is in `deframer`'s front, which is not empty, is held by `target` in the general way. */
void mpa_deframer_front_to_store(const mpa_deframer *deframer, mpa_deframer_ahead *target);

/* All that is held moves to the front, if that is all there can be in one. */
void mpa_deframer_front_from_store(mpa_deframer *deframer);

/* mpa_deframer_held() of a front; `held` is all zero. */
void mpa_deframer_front_held(const mpa_deframer *deframer, mpa_held *held);

/* The valid `fpdu` goes up; but a guess only if it is plausible: false then. */
bool mpa_deframer_pass(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, time_ps now);

/* --- Following errors --- */

/* A ULPDU of `ulpdu_octets` is longer than any that a sender may make. */
static inline bool mpa_deframer_is_long(uint32_t ulpdu_octets)
{
  return ulpdu_octets > MPA_MULPDU_MAX_OCTETS;
}

/* `fpdu`, at the in-order edge, is invalid (`error`): it goes up with its error and is followed, unless its length is in doubt. True
 * when passed. */
bool mpa_deframer_pass_invalid(mpa_deframer *deframer, const mpa_whole_fpdu *fpdu, mpa_error error,
                               time_ps now);

/* Of a deframer that follows errors: may the FPDU at `start` have the ULPDU_Length above MPA_MULPDU_MAX_OCTETS that it says, which the octets
 * `behind` follow? If not, that is told. */
bool mpa_deframer_follows_long(mpa_deframer *deframer, uint64_t start, const uint8_t *behind, time_ps now);

/* The FPDU of `entry`, all of whose octets are held, goes up if it is valid, or is invalid and followed; else it stays held. True
 * when passed. */
bool mpa_deframer_finish_or_hold(mpa_deframer *deframer, mpa_open_fpdu *entry, time_ps now);

/* After the chain and the markers have been followed as far as they go: the FPDU at the in-order edge is followed although it is
 * invalid, or given up because valid ones contradict it. True when the edge has moved. */
bool mpa_deframer_resolve_edge(mpa_deframer *deframer, time_ps now);

/* --- Of mpa_deframer --- */

/* The in-order edge moves to `edge`; starts that were established below it have become pointless. */
void mpa_deframer_advance_edge(mpa_deframer *deframer, uint64_t edge);

/* Method 1 (mpa-01 §5.4, MPA-164): in order, the end of each valid FPDU is the start of the next. */
void mpa_deframer_advance_chain(mpa_deframer *deframer, time_ps now);

/* What is in the front is held in the general way from now on. */
void mpa_deframer_leave_front(mpa_deframer *deframer);

/* The segment with octets [from, to) has been taken in: passes up what looks like an FPDU at its start, and behind
 * that. */
void mpa_deframer_assume(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now);

#endif
