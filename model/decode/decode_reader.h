/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads startup frames, and FPDUs with their ULPDUs: markers, CRC, DDP and RDMAP fields. */
#pragma once

#include "base/range_set.h"
#include "decode/decode_events.h"
#include "decode/decode_scanner.h"

/* --- Startup frames --- */

/* Their keys (mpa-01 §6.1.1, MPA-234 and on), the same in all revisions. */
extern const char decode_startup_keys[DECODE_FRAMES][DECODE_STARTUP_KEY_OCTETS + 1];

typedef enum decode_startup_result {
  DECODE_STARTUP_NONE,    /* these octets do not start with a key */
  DECODE_STARTUP_PARTIAL, /* so far they could be a frame; more are needed */
  DECODE_STARTUP_WHOLE,
} decode_startup_result;

/* Reads what `octets` start with; `frame` is filled in when that is a frame, whole or with its first
 * DECODE_STARTUP_HEADER_OCTETS octets at least. Judges no field. */
decode_startup_result decode_startup_frame_read(decode_startup_frame *frame, const uint8_t *octets,
                                                size_t length);

/* Returns whether the DECODE_STARTUP_HEADER_OCTETS octets, which start with a key, can be those of a startup
 * frame, and not of a text or a program about MPA. What is sent first may have one fault, if what follows
 * bears it out (decode_verdict.c): a peer in error is shown as such. `*is_strong`: nothing need bear it out,
 * since no text has these octets there. */
bool decode_startup_frame_may_be(const uint8_t *octets, bool is_first_sent, bool *is_strong);

/* Returns whether the key at `octets` is followed by 0 alone: that of mpa-01 without markers and CRC, or a
 * text in a program. */
bool decode_startup_frame_is_bare(const uint8_t *octets);

/* --- FPDUs --- */

/* Fills in all of `fpdu` but `after_error`: the FPDU `framed` that `scanner` passes with `error`, whose first
 * octet is at `stream_position`. Free its `terminate_octets` with g_free(). */
void decode_fpdu_read(decode_fpdu *fpdu, const decode_scanner *scanner, const mpa_complete_fpdu *framed,
                      mpa_error error, uint64_t stream_position);
