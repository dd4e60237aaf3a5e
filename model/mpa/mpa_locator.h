/* SPDX-License-Identifier: GPL-2.0-only */
/* Locates FPDUs in a stream whose octets come in any segmentation and any order (mpa-01 §5.4).
 *
 * The start of an FPDU is established by one of three methods only (MPA-163): the end of the previous FPDU in
 * order (chain), a marker that points to it (marker), the end of a complete FPDU found by the latter two
 * (marker chain). In addition, a receiver may assume that an FPDU starts where a TCP segment does, which no
 * document permits (§5.4.1, MPA-169).
 *
 * The locator keeps octets until the FPDU that they lie in is complete. Then its owner decides
 * (mpa_locator_policy): the receiving side (mpa_deframer.h), which stops at the first error, and the reader
 * of captures (decode/decode_scanner.h), which goes on after it.
 *
 * Offsets are those of the FPDU phase (offset 0: its first octet). */
#pragma once

#include "base/range_set.h"
#include "base/reassembly_queue.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_pending_fpdus.h"

/* These octets of the stream arrived together: from `position` on, to the next piece. */
typedef struct mpa_fpdu_piece {
  uint64_t position;
  time_ps arrival; /* of the segment that brought them first */
} mpa_fpdu_piece;

/* An FPDU whose octets have all arrived. */
typedef struct mpa_complete_fpdu {
  mpa_fpdu extent;
  mpa_location method;
  uint32_t from; /* its octets are octets[from, …) */
  const buffer_chain *octets;
  /* ascending; the first may start before the FPDU, the last may end after it */
  const mpa_fpdu_piece *pieces;
  size_t piece_count;
} mpa_complete_fpdu;

/* How to treat a ULPDU_Length above MPA_MULPDU_MAX_OCTETS, which no sender may exceed (mpa-01 §3.2,
 * MPA-062). */
typedef enum mpa_long_length {
  MPA_LONG_LENGTH_FOLLOWED, /* the FPDU is that long */
  MPA_LONG_LENGTH_REFUSED,  /* no FPDU is located */
  MPA_LONG_LENGTH_UNDECIDED /* more octets are needed */
} mpa_long_length;

typedef struct mpa_locator mpa_locator;

/* This is what the owner of a locator decides; the owner is a struct whose first member is the locator. These
 * functions may call nothing of the locator's; after they set its `error`, no FPDU is located or offered any
 * more. */
typedef struct mpa_locator_policy {
  /* True: `fpdu` is taken, and its octets are released; a chain continues after it. False: it stays held. */
  bool (*complete)(mpa_locator *locator, const mpa_complete_fpdu *fpdu);
  /* The FPDU of `entry` is located, and octets of it are missing. NULL: nothing happens. */
  void (*located)(mpa_locator *locator, const mpa_pending_fpdu *entry);
  /* The complete FPDU `extent`, which stays held, reaches into one that was taken. NULL: nothing happens. */
  void (*conflict)(mpa_locator *locator, const mpa_fpdu *extent);
  /* The FPDU that starts at `start` has such a length; `next` are the two octets after it, NULL while they
   * have not come. */
  mpa_long_length (*long_length)(mpa_locator *locator, uint64_t start, const uint8_t *next);
} mpa_locator_policy;

/* This is what has come beyond the in-order edge and was not taken in order. */
typedef struct mpa_reassembly {
  reassembly_queue *octets; /* that have come and were not taken */
  range_set taken; /* FPDUs taken beyond the edge; touching ones are one range, their boundaries agree */
  mpa_pending_fpdus pending; /* FPDU starts at or beyond the edge that are established and were not taken */
  uint64_t marked;   /* where the last marker pointed whose FPDU is located: others of it add nothing */
  bool has_conflict; /* a located FPDU ever reached into one that was taken */
  /* Scratch of one mpa_locator_receive(), kept for its memory. */
  deque completed;          /* of uint64_t: starts of FPDUs that became complete */
  buffer_chain fpdu_octets; /* of the FPDU in hand, … */
  deque pieces;             /* … of mpa_fpdu_piece: how they arrived */
} mpa_reassembly;

/* Read by everyone; written only by the functions below, by mpa_deframer and by mpa_front. */
struct mpa_locator {
  const mpa_locator_policy *policy;
  uint64_t edge;              /* the in-order edge: everything below was taken; an FPDU starts here */
  mpa_reassembly *reassembly; /* NULL until needed */
  bool markers;
  bool crc;            /* for its owner */
  bool takes_long;     /* ULPDUs longer than MPA_MULPDU_MAX_OCTETS may be followed; false at first */
  mpa_error error : 8; /* at which it was stopped; MPA_ERROR_NONE. Small: idle pairs are many */
};

/* A locator whose in-order edge is `edge`, where an FPDU starts. With `markers` the stream has them and they
 * are used to look ahead. `policy` must outlive it. mpa_locator_clear() frees what is held; nothing is held
 * then. */
void mpa_locator_init(mpa_locator *locator, uint64_t edge, bool markers, bool crc,
                      const mpa_locator_policy *policy);
void mpa_locator_clear(mpa_locator *locator);

/* The locator's `reassembly`, made if need be. */
mpa_reassembly *mpa_locator_reassembly(mpa_locator *locator);

/* `copy`, which has a policy of its own and holds nothing, becomes equal to `locator`; it references the held
 * octets. */
void mpa_locator_copy(const mpa_locator *locator, mpa_locator *copy);

/* Takes in octets, the first of which has offset `offset`; they arrived at `arrival`. What was taken or is
 * held already is ignored (MPA-032). Follows the chain, then the markers and what they prove. The caller
 * keeps `octets`. */
void mpa_locator_receive(mpa_locator *locator, uint64_t offset, const buffer_chain *octets, time_ps arrival);

/* Method 1 (mpa-01 §5.4, MPA-164): in order, the end of each FPDU that is taken is the start of the next. */
void mpa_locator_follow_chain(mpa_locator *locator);

/* Octets [from, to) of a segment were received. When no method has located an FPDU at their start, but they
 * look like one, offers it as located by assumption, and then the next one in the same way. Each must lie
 * within these octets and overlap no FPDU that is located otherwise. Stops at the first one that is not
 * taken. */
void mpa_locator_assume(mpa_locator *locator, uint64_t from, uint64_t to);

/* The in-order edge moves on to `edge`. Octets held below it are not released. */
void mpa_locator_move_edge(mpa_locator *locator, uint64_t edge);

/* From now on the locator holds `octets`, none of which it held before: the octets of `pieces`, the last of
 * which ends at `end`, as `octets` do. */
void mpa_locator_hold_pieces(mpa_locator *locator, const buffer_chain *octets, const mpa_fpdu_piece *pieces,
                             size_t piece_count, uint64_t end);

/* True when nothing is held, taken beyond the edge or awaited. */
bool mpa_locator_is_empty(const mpa_locator *locator);

/* Sets `held` to what is held. */
void mpa_locator_held(const mpa_locator *locator, mpa_held *held);

/* Returns the pieces that the held octets of [from, to) lie in. Something was held before. */
uint32_t mpa_locator_pieces_of(const mpa_locator *locator, uint64_t from, uint64_t to);

/* The most pieces that a located FPDU with octets missing is held in; a piece came in one segment and in one
 * run. */
uint32_t mpa_locator_pieces(const mpa_locator *locator);

/* A ULPDU of `ulpdu_octets` is longer than any that a sender may make. */
static inline bool mpa_length_is_long(uint32_t ulpdu_octets)
{
  return ulpdu_octets > MPA_MULPDU_MAX_OCTETS;
}

/* The marker at `position` lies so far after the header of `fpdu` that FPDUPTR cannot express the distance:
 * only in a long ULPDU. */
static inline bool mpa_marker_is_mute(const mpa_fpdu *fpdu, uint64_t position)
{
  return position < fpdu->end && position > fpdu->header && position - fpdu->header > UINT16_MAX;
}
