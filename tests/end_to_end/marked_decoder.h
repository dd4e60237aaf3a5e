/* SPDX-License-Identifier: GPL-2.0-only */
/* A second decoder of MPA, marked or not: reads startup frames, and complains of what a sender must not do in
 * the FPDUs of a stream. Written from mpa-01, mpa-02, RFC 5044 and RFC 6581 alone; shares no code with
 * model/, not even the CRC. */
#pragma once

#include "../random/plain_decoder.h"
#include "wire_enhanced.h"

/* The two ends agreed on this (docs/protocol-notes.md, "Generations"). */
typedef struct wire_agreement {
  const char *name;
  gboolean has_startup_frames; /* else markers and CRC, always */
  guint8 mpa_revision;         /* is_extended: at most */
  guint8 ddp_version;
  guint8 rdmap_version;
  gboolean is_extended;     /* has what RFC 6581 and RFC 7306 add: frames, messages, errors */
  gboolean shares_word;     /* Atomic Operations of all connections are on one (wire_shared_word_check()) */
  guint64 streaming_octets; /* octets that each side sends before MPA starts */
} wire_agreement;

/* Returns the agreement of the generation called `name` ("rdmac", "ietf", "rfc" or "rfc6581"), without
 * streaming octets; fails the test when there is none. That of "rfc6581" has also what one end of it and one
 * of "rfc" do. */
const wire_agreement *wire_agreement_of(const char *name);

/* One direction, as its sender made it. */
typedef struct marked_half {
  /* Startup frame */
  gboolean has_frame;
  gboolean wants_markers; /* M: markers in what its sender receives */
  gboolean wants_crc;     /* C */
  gboolean rejects;       /* R */
  guint8 revision;
  guint32 private_octets;
  gboolean is_enhanced; /* S */
  wire_enhanced enhanced;
  /* FPDUs */
  guint64 phase; /* stream position where they start */
  gboolean has_markers;
  gboolean has_crc;
  guint64 markers;
  guint64 crc_errors;
  guint64 unfinished_octets; /* of a last FPDU that is not whole */
  GArray *fpdus;             /* of plain_fpdu, at their stream positions */
} marked_half;

/* Decodes both directions of `connection` into `halves` (clear each with marked_half_clear()). Each violation
 * of the documents is added to `complaints`. */
void marked_decode(const wire_connection *connection, const wire_agreement *agreement,
                   marked_half halves[WIRE_SIDES], GPtrArray *complaints);

void marked_half_clear(marked_half *half);

/* Returns of the segments of `stream` those whose first octet is the first octet of an FPDU of `half`; `all`
 * becomes the number of segments with octets after the startup frame. */
guint64 marked_aligned_segments(const wire_stream *stream, const marked_half *half, guint64 *all);

/* Returns where an FPDU with markers ends that starts at `start`, counted from the first octet of the FPDU
 * phase; adds its markers to `markers`. */
guint64 marked_fpdu_end(guint64 start, guint32 ulpdu_octets, guint64 *markers);
