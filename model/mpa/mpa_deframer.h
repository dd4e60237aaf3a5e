/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiving side of MPA finds the FPDUs in octets that come in any segmentation and any order (mpa-01
 * §5.4).
 *
 * An FPDU that is located (mpa_locator.h), complete and valid is passed up at once, in whatever order; all
 * other octets are held. After the first error nothing is passed up. Segment boundaries mean nothing here
 * (§5.4.1, MPA-169).
 *
 * Offsets are those of the FPDU phase (offset 0: its first octet). docs/metrics.md, "Held octets", defines
 * what is counted as held and why. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/time_ps.h"
#include "mpa/mpa_fpdu.h"

typedef struct mpa_deframer_events {
  /* A valid ULPDU, passed exactly once; everything is valid during the call only. The in-order edge still is
   * where it was before: at fpdu_start when the ULPDU goes up in order, below when early. */
  void (*ulpdu)(void *user, const mpa_ulpdu *ulpdu, time_ps now);
  /* The first error on this half connection, at the FPDU that starts at `offset`; nothing is passed after
   * it. */
  void (*error)(void *user, mpa_error error, uint64_t offset, time_ps now);
  /* An assumption (mpa_deframer_receive_segment()) is right as far as MPA can see: could the layer above
   * place it? Called before `ulpdu`, changes nothing. NULL: it could. */
  bool (*plausible)(void *user, const mpa_ulpdu *ulpdu);
  /* `fpdu` is located by `method` while only `arrived` octets of it have come. NULL: nothing is called. */
  void (*located)(void *user, const mpa_fpdu *fpdu, mpa_location method, uint64_t arrived);
} mpa_deframer_events;

/* Counters of FPDUs passed up and of errors reported: metrics, which measure/metrics.def explains, and: */
typedef struct mpa_deframer_statistics {
  uint64_t located_by[MPA_LOCATIONS]; /* of `fpdus` */
#define IN_MPA(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
} mpa_deframer_statistics;

typedef struct mpa_deframer mpa_deframer;

/* Makes a deframer at offset 0. With `markers` the stream has them and they are used to look ahead; with
 * `crc` each FPDU's CRC is checked. `events` must outlive it. Free with mpa_deframer_free(). */
mpa_deframer *mpa_deframer_new(bool markers, bool crc, const mpa_deframer_events *events, void *user);
void mpa_deframer_free(mpa_deframer *deframer);

/* From now on a ULPDU_Length above MPA_MULPDU_MAX_OCTETS, which no sender may exceed (mpa-01 §3.2, MPA-062),
 * is followed as any other, and not an error: for captures of senders that exceed it. */
void mpa_deframer_take_long(mpa_deframer *deframer);

/* The stream starts at `offset`, where an FPDU starts: nothing below it ever comes. Before the first
 * octets. */
void mpa_deframer_start_at(mpa_deframer *deframer, uint64_t offset);

/* Takes octets that were never given before (TCP trims duplicates, MPA-030; duplicates are ignored all the
 * same, the first ones stay, MPA-032): the first has offset `offset`; they arrived at `arrival`. The
 * caller keeps `octets`. May call events, but not be called from them. After an error the octets are
 * dropped. */
void mpa_deframer_receive(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                          time_ps arrival, time_ps now);

/* Does the same for octets that start a TCP segment, in a receiver that assumes FPDU Alignment, which no
 * document permits (docs/scenario.md, `assume-aligned`; mpa-01 §5.4.1, MPA-169): when no method locates an
 * FPDU at their start, but they look like one, it is passed up as located by assumption, and so is what looks
 * like an FPDU after it. To look like an FPDU, it must have a possible ULPDU_Length, lie whole within these
 * octets, have the right CRC if there is one and right markers if there are any, overlap no FPDU located
 * otherwise, and be `plausible`. It is not proven, so it proves nothing about the octets after these.
 *
 * The octets of an assumed FPDU are released when it is passed up: a receiver that kept them until it is
 * proven would save nothing. One that is not plausible is withdrawn, and its octets stay held. A wrong one
 * that was passed up has destroyed what it overlaps, so the FPDU that contradicts it is the error of this
 * half connection. */
void mpa_deframer_receive_segment(mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets,
                                  time_ps arrival, time_ps now);

/* Would these octets, new and not given yet, make an FPDU fail that lies whole within them (mpa-01 §7,
 * MPA-286; note M31)? The answer is the error that mpa_deframer_receive() reports on a copy. It is
 * MPA_ERROR_NONE when there is no error, and also when the FPDU that fails only begins or ends in these
 * octets, since dropping them might not cure it. An impossible ULPDU_Length in them counts as MPA_ERROR_CRC,
 * as always. A guess never fails when it is made, so the same holds for mpa_deframer_receive_segment(). Takes
 * nothing in: the caller may still drop the segment as if lost. `octets` may be kept from the deframer as
 * long as their TCP likes, as an in-order receiver does with what lies after a hole. O(pieces held)
 * besides. */
mpa_error mpa_deframer_inspect(const mpa_deframer *deframer, uint64_t offset, const buffer_chain *octets);

/* Sets `held` to what is held now, after an error nothing, and to the in-order edge. */
void mpa_deframer_held(const mpa_deframer *deframer, mpa_held *held);

/* True only when nothing is held. May be false even then, when FPDUs beyond the edge are awaited or were
 * passed up. */
bool mpa_deframer_holds_nothing(const mpa_deframer *deframer);

/* The most pieces that a located FPDU with octets missing is held in; a piece came in one segment and in one
 * run. */
uint32_t mpa_deframer_pieces(const mpa_deframer *deframer);

/* An independent deframer in the state of `deframer` that reports to `events` (`user`), to try out what
 * octets would cause. References the held octets. O(pieces held). Free with mpa_deframer_free(). */
mpa_deframer *mpa_deframer_copy(const mpa_deframer *deframer, const mpa_deframer_events *events, void *user);

/* The counts so far; they belong to the deframer and change with it. */
const mpa_deframer_statistics *mpa_deframer_statistics_of(const mpa_deframer *deframer);
