/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the FPDUs of a captured stream beyond errors, gaps and impossible lengths, which no receiver may do
 * (mpa-01 §7, MPA-288).
 *
 * At the in-order edge an FPDU whose CRC or marker is wrong is passed with its error and its length is
 * followed. But when a marker in it does not point to it, its length is in doubt: then valid FPDUs that
 * markers locate within it refute it, and it is skipped. Beyond the edge an invalid FPDU stays held. Where a
 * ULPDU_Length is impossible, the chain ends until a marker has located what follows.
 *
 * A ULPDU_Length above MPA_MULPDU_MAX_OCTETS, which no sender may exceed (mpa-01 §3.2, MPA-062), is followed
 * where the two octets after it could start a DDP Segment, and such an FPDU must be proven by its CRC, or by
 * its markers: else its ULPDU_Length counts as impossible. */
#pragma once

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_locator.h"

typedef struct decode_scanner_events {
  /* An FPDU, once, with the error of its CRC or markers; everything is valid during the call only. */
  void (*fpdu)(void *user, const mpa_complete_fpdu *fpdu, mpa_error error);
  /* The ULPDU_Length of the FPDU at `offset`, at the in-order edge, is impossible; called once for each. */
  void (*bad_length)(void *user, uint64_t offset);
} decode_scanner_events;

/* Everyone reads it; written only by the functions below and mpa_locator_assume(), but for `not_captured`. */
typedef struct decode_scanner {
  mpa_locator locator; /* the first member: see mpa_locator_policy */
  const decode_scanner_events *events;
  void *user;
  /* Offsets of octets that were given but whose values are not known; the owner fills it in. An FPDU that is
   * invalid only because of these is passed with its error as a valid one would be, wherever it is. */
  range_set not_captured;
  bool is_ended;       /* decode_scanner_end() was called */
  bool has_long;       /* an FPDU with a ULPDU_Length above MPA_MULPDU_MAX_OCTETS was passed */
  uint64_t bad_length; /* offset of the last FPDU whose ULPDU_Length was found to be impossible; UINT64_MAX */
  uint64_t followed;   /* the same of the last one whose length was followed although it is in doubt */
} decode_scanner;

/* Returns a scanner of a stream that starts at `offset` of its FPDU phase, where an FPDU starts. `events`
 * must outlive it. Free with decode_scanner_free() (NULL is allowed). */
decode_scanner *decode_scanner_new(uint64_t offset, bool markers, bool crc,
                                   const decode_scanner_events *events, void *user);
void decode_scanner_free(decode_scanner *scanner);

/* Takes `length` octets, none of which was given before: the first has offset `offset`. What must wait for
 * others is copied. */
void decode_scanner_receive(decode_scanner *scanner, uint64_t offset, const uint8_t *octets, uint32_t length);

/* Gives up the octets that are missing at the in-order edge: the edge moves on to the next FPDU that was
 * passed, and the chain goes on; false when there is none. */
bool decode_scanner_give_up(decode_scanner *scanner);

/* The stream has ended: gives up every gap until no FPDU is left. After the first gap no invalid FPDU is
 * passed. A long ULPDU_Length whose FPDU is not whole counts as impossible, unless an FPDU with a long one
 * was passed before. */
void decode_scanner_end(decode_scanner *scanner);

/* Returns, for a stream that ends at `end`: how many octets are held of an established FPDU that reaches
 * beyond that end, with none of them missing, and where it starts (`*start`); 0 when there is no such
 * FPDU. */
uint64_t decode_scanner_unfinished(const decode_scanner *scanner, uint64_t end, uint64_t *start);

/* --- Where a stream starts whose beginning is not known --- */

/* Returns how many FPDUs follow each other from the first of these octets on, which has `offset` in the FPDU
 * phase, before one is invalid or not whole. */
uint64_t decode_find_count(const uint8_t *octets, size_t length, uint64_t offset, bool markers, bool crc);

/* Returns whether the first of these octets, which begin the FPDU phase, can be those of an FPDU with
 * something in it; and whether it is there, whole and valid as decode_find_start() has it. */
bool decode_find_is_likely(const uint8_t *octets, size_t length, bool markers);
bool decode_find_is_first(const uint8_t *octets, size_t length, bool markers, bool crc);

/* Looks for the first place where a valid FPDU is followed by another one, or by the end of the octets. Sets
 * `*at` to where it is in the octets, and `*offset` to an offset in the FPDU phase that it can have: with
 * markers it is right modulo 512.
 *
 * With `crc` the CRC proves an FPDU. Without one there is no proof, and a rule that no document promises is
 * applied instead: three FPDUs in a row whose DDP and RDMAP headers contradict nothing (versions, reserved
 * bits, opcode, buffer model, queue), or fewer that end where the octets do; with `markers`, two of their
 * markers must be right. */
bool decode_find_start(const uint8_t *octets, size_t length, bool markers, bool crc, size_t *at,
                       uint64_t *offset);
