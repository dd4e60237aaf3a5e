/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiving side of MPA: FPDUs out of octets in any segmentation and any order (mpa-01 §5.4).
 *
 * The start of an FPDU is established by one of three methods only (MPA-163): the end of the previous FPDU in
 * order (chain), a marker that points to it (marker), the end of a complete valid FPDU found by the latter
 * two (marker chain). What is located, complete and valid is passed up at once, in whatever order; the rest
 * is held. Segment boundaries mean nothing here (§5.4.1, MPA-169).
 *
 * Offsets are those of the FPDU phase (offset 0: its first octet). definitions.md, "Held octets", is the
 * contract for what is counted as held and why. */
#ifndef MPA_MPA_DEFRAMER_H
#define MPA_MPA_DEFRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "base/time_ps.h"
#include "mpa/mpa_error.h"
#include "mpa/mpa_ulpdu.h"

typedef struct mpa_deframer mpa_deframer;

typedef struct mpa_deframer_events {
  /* A valid ULPDU, passed exactly once; everything is valid during the call only. The in-order edge still
   * is where it was before: at fpdu_start when it goes up in order, below when early. */
  void (*ulpdu)(void *user, const mpa_ulpdu *ulpdu, time_ps now);
  /* The first error on this half connection, at the FPDU that starts at `offset`; nothing is passed after
   * it. */
  void (*error)(void *user, mpa_error error, uint64_t offset, time_ps now);
  /* A guess (mpa_deframer_receive_segment()) is right as far as MPA can see: could the layer above place it? Called before
   * `ulpdu`, changes nothing. NULL: it could. */
  bool (*plausible)(void *user, const mpa_ulpdu *ulpdu);
  /* Of a deframer that follows errors: the FPDU is invalid only because octets of it are not known; `ulpdu` is for mpa_ulpdu_framed() and
   * its extent alone. Then it is passed with its error as a valid one would be, wherever it is. NULL: none is. */
  bool (*excused)(void *user, const mpa_ulpdu *ulpdu);
  /* Of a deframer that takes long ULPDUs and follows errors: a ULPDU_Length above MPA_MULPDU_MAX_OCTETS came with these two octets after it. Could
   * they start a ULPDU? NULL: they could. */
  bool (*could_start)(void *user, const uint8_t octets[2]);
} mpa_deframer_events;

/* Held octets by cause (definitions.md), and what else a gauge wants to know. */
typedef struct mpa_held {
  uint64_t incomplete;    /* in a located FPDU with octets missing; a leading marker at the in-order edge */
  uint64_t unlocated;     /* markers on and looked for, FPDU not located */
  uint64_t order;         /* not located, and markers are off */
  uint32_t partial_fpdus; /* located, octets missing */
  uint64_t partial_end;   /* end of the FPDU at the in-order edge when it is located and incomplete, else 0:
                             octets that TCP holds below it are `incomplete` too */
} mpa_held;

/* Counters: those that are metrics, as measure/metrics.def explains them, of FPDUs passed up and of errors reported, and: */
typedef struct mpa_deframer_statistics {
  uint64_t located_by[MPA_LOCATIONS]; /* of `fpdus` */
  uint64_t long_ulpdus;               /* of `fpdus`: see mpa_deframer_take_long() */
#define IN_MPA(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
} mpa_deframer_statistics;

/* A deframer at offset 0. With `markers` the stream has them and they are used to look ahead; with `crc`
 * each FPDU's CRC is checked. `events` must outlive it. Free with mpa_deframer_free(). */
mpa_deframer *mpa_deframer_new(bool markers, bool crc, const mpa_deframer_events *events, void *user);
void mpa_deframer_free(mpa_deframer *deframer);

/* From now on an invalid FPDU does not end this half connection: for who shows what a capture holds. Before the first octets.
 *
 * At the in-order edge an FPDU whose CRC or marker is wrong is passed with its error (mpa_ulpdu_error()) and its length is
 * followed. But when a marker in it does not point to it, its length is in doubt: then valid FPDUs that markers locate within it
 * refute it, and it is passed over. Beyond the edge an invalid FPDU stays held. A ULPDU_Length at the edge that cannot be is told
 * by `error`, once; the chain ends there, until a marker has located what follows. */
void mpa_deframer_follow_errors(mpa_deframer *deframer);

/* From now on a ULPDU_Length above MPA_MULPDU_MAX_OCTETS, which no sender may exceed (mpa-01 §3.2, MPA-062), is followed as any other, and not an error
 * (notes-mpa 15): for who reads captures of senders that exceed it. A deframer that follows errors does so only while `could_start` says so, and
 * such an FPDU must be proven by its CRC or its markers where there are any: else its ULPDU_Length cannot be. So it is of one that is not whole when
 * mpa_deframer_end() is called, if no long one was passed before. */
void mpa_deframer_take_long(mpa_deframer *deframer);

/* The stream starts at `offset`, where an FPDU starts: nothing below it ever comes. Before the first octets. */
void mpa_deframer_start_at(mpa_deframer *deframer, uint64_t offset);

/* Of a deframer that follows errors: what is missing at the in-order edge never comes. The edge moves on to the next FPDU that is
 * passed, and the chain goes on; false when there is none. */
bool mpa_deframer_give_up(mpa_deframer *deframer, time_ps now);

/* Of one that follows errors: nothing comes any more. The same until there is none; behind the first hole no invalid FPDU is
 * passed. */
void mpa_deframer_end(mpa_deframer *deframer, time_ps now);

/* Octets [from, to) are those of a segment that were taken in and are held: see mpa_deframer_receive_segment(). */
void mpa_deframer_guess(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now);

/* Of a stream that ends at `end`: how many octets are held of an FPDU that is established and goes on behind the end, none missing, and
 * where it starts (`*start`); 0 when there is none. */
uint64_t mpa_deframer_unfinished(const mpa_deframer *deframer, uint64_t end, uint64_t *start);

/* Takes octets that were never given before (TCP trims duplicates, MPA-030; duplicates are ignored all the
 * same, the first ones stay, MPA-032): the first has offset `offset`; they arrived at `arrival`. The
 * caller keeps `octets`. May call events, but not be called from them. After an error the octets are
 * dropped. */
void mpa_deframer_receive(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets, time_ps arrival,
                          time_ps now);

/* The same of octets that start a TCP segment, for a receiver that assumes FPDU Alignment, which no document permits
 * (definitions.md, `assume-aligned`; mpa-01 §5.4.1, MPA-169): what no method locates and looks like an FPDU at their
 * start is passed up as located by assumption, and so is what looks like one behind it. That is: a ULPDU_Length that
 * can be, the whole FPDU within these octets, its CRC right if there is one, its markers right if there are, no
 * FPDU located otherwise that overlaps it, and `plausible`. It is not proven, so it proves nothing behind these
 * octets.
 *
 * A guess goes up and its octets are let go: a receiver that kept them until it is proven would save nothing. One
 * that is not plausible is withdrawn: its octets stay held. A wrong guess that went up has destroyed what
 * it overlaps, so the FPDU that contradicts it is the error of this half connection. */
void mpa_deframer_receive_segment(mpa_deframer *deframer, uint64_t offset, const octet_rope *octets,
                                  time_ps arrival, time_ps now);

/* Would these octets, new and not given yet, make an FPDU fail that lies whole within them (mpa-01 §7,
 * MPA-286; notes-mpa 31)? The answer is what mpa_deframer_receive() comes to on a copy: its error, or MPA_ERROR_NONE when there is
 * none, and when the FPDU that fails only begins or ends in them: to drop them might not cure it. A ULPDU_Length in them that cannot be
 * counts as MPA_ERROR_CRC, as ever. A guess never fails when it is made, so the same holds for mpa_deframer_receive_segment().
 * Takes nothing in: the caller may still drop the segment as if lost. `octets` may be kept from the deframer as long as their TCP
 * likes, as an in-order receiver does with what lies after a hole. O(pieces held) besides. */
mpa_error mpa_deframer_inspect(const mpa_deframer *deframer, uint64_t offset, const octet_rope *octets);

/* All FPDUs that end at or below this offset have been passed up, without a gap: the Delivery point. */
uint64_t mpa_deframer_in_order_edge(const mpa_deframer *deframer);

/* What is held now; after an error nothing is. */
void mpa_deframer_held(const mpa_deframer *deframer, mpa_held *held);

/* True only when that is nothing; may be false then, too, when FPDUs beyond the edge are awaited or passed. */
bool mpa_deframer_holds_nothing(const mpa_deframer *deframer);

/* The most pieces that a located FPDU with octets missing is held in; a piece came in one segment and in one run. */
uint32_t mpa_deframer_pieces(const mpa_deframer *deframer);

/* A deframer of its own that is where `deframer` is and tells `events` (`user`): what would come of octets, tried out.
 * References the held octets. O(pieces held). Free with mpa_deframer_free(). */
mpa_deframer *mpa_deframer_copy(const mpa_deframer *deframer, const mpa_deframer_events *events, void *user);

/* The counts so far; they belong to the deframer and change with it. */
const mpa_deframer_statistics *mpa_deframer_statistics_of(const mpa_deframer *deframer);

#endif
