/* SPDX-License-Identifier: GPL-2.0-only */
#include "marked_decoder.h"

#include <string.h>

enum {
  FRAME_OCTETS = 20,
  KEY_OCTETS = 16,
  FLAG_M = 0x80,
  FLAG_C = 0x40,
  FLAG_R = 0x20,
  FLAG_S = 0x10, /* RFC 6581 §6; reserved before */
  FLAGS_RESERVED = 0x0F,
  MARKER_PERIOD = 512,
  MARKER_OCTETS = 4,
  ULPDU_MAX_OCTETS = 64768,
  CRC_OCTETS = 4,
};

/* docs/protocol-notes.md, "Generations" */
static const wire_agreement generations[] = {
    {"rdmac", FALSE, 0, 0, 0, FALSE, FALSE, 0},
    {"ietf", TRUE, 0, 1, 1, FALSE, FALSE, 0},
    {"rfc", TRUE, 1, 1, 1, FALSE, FALSE, 0},
    {"rfc6581", TRUE, 2, 1, 1, TRUE, FALSE, 0},
};

const wire_agreement *wire_agreement_of(const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS(generations); i++) {
    if (strcmp(generations[i].name, name) == 0) {
      return &generations[i];
    }
  }
  g_error("no generation %s", name);
}

guint64 marked_fpdu_end(guint64 start, guint32 ulpdu_octets, guint64 *markers)
{
  guint64 at = start;

  for (guint32 left = 2 + ulpdu_octets + (4 - (2 + ulpdu_octets) % 4) % 4 + CRC_OCTETS; left > 0; left--) {
    if (at % MARKER_PERIOD == 0) {
      at += MARKER_OCTETS;
      (*markers)++;
    }
    at++;
  }
  return at;
}

void marked_half_clear(marked_half *half)
{
  g_array_unref(half->fpdus);
}

/* RFC 6581 §6: Rev is 1 or 2, S only with 2, and then Private Data begin with the enhanced data. `octets` of
 * Private Data have come. */
static void read_enhanced(const guint8 *frame, guint64 octets, int side, const wire_agreement *agreement,
                          marked_half *half, GPtrArray *complaints)
{
  half->is_enhanced = (frame[16] & FLAG_S) != 0;
  if (agreement->is_extended ? half->revision != 1 && half->revision != 2
                             : half->revision != agreement->mpa_revision) {
    wire_complain(complaints, "side %d: Rev is %u", side, half->revision);
  }
  if (!half->is_enhanced) {
    return;
  }
  if (!agreement->is_extended || half->revision < 2 || half->private_octets < WIRE_ENHANCED_OCTETS) {
    wire_complain(complaints, "side %d: S is 1, Rev %u, PD_Length %u", side, half->revision,
                  half->private_octets);
    half->is_enhanced = FALSE;
    return;
  }
  if (octets >= WIRE_ENHANCED_OCTETS) {
    half->enhanced = wire_enhanced_read(frame + FRAME_OCTETS);
  }
}

/* Reads the frame by mpa-01 §6.1.1, figure 7, and RFC 6581 §6: key, M C R S and 4 reserved bits, Rev,
 * PD_Length. A side that ends without an octet has none; of one that is reset the frame, or its Private Data,
 * may be cut off. */
static void read_frame(const wire_connection *connection, int side, const wire_agreement *agreement,
                       marked_half *half, GPtrArray *complaints)
{
  static const char *const keys[] = {"MPA ID Req Frame", "MPA ID Rep Frame"};
  const wire_stream *stream = &connection->stream[side];
  gboolean is_reset = stream->is_reset || connection->stream[1 - side].is_reset;
  guint64 start = agreement->streaming_octets;
  const guint8 *frame = stream->octets->data + start;

  if ((stream->octets->len == 0 && stream->has_fin) ||
      (is_reset && stream->octets->len < start + FRAME_OCTETS)) {
    return;
  }
  if (stream->octets->len < start + FRAME_OCTETS || memcmp(frame, keys[side], KEY_OCTETS) != 0) {
    wire_complain(complaints, "side %d: no startup frame with the right key", side);
    return;
  }
  half->revision = frame[17];
  half->private_octets = (guint32)plain_number(frame + 18, 2);
  if ((frame[16] & FLAGS_RESERVED) != 0 || (side == WIRE_INITIATOR && (frame[16] & FLAG_R) != 0)) {
    wire_complain(complaints, "side %d: reserved bits in the startup frame's flags 0x%02X", side, frame[16]);
  }
  half->phase = start + FRAME_OCTETS + half->private_octets;
  if (is_reset) {
    half->phase = MIN(half->phase, stream->octets->len);
  }
  if (stream->octets->len < half->phase) {
    wire_complain(complaints, "side %d: PD_Length is %u but the stream ends before", side,
                  half->private_octets);
    return;
  }
  /* RFC 5044 §7.1.1: no more than that; before, 16 bits are the limit. */
  if (agreement->mpa_revision >= 1 && half->private_octets > 512) {
    wire_complain(complaints, "side %d: PD_Length is %u", side, half->private_octets);
  }
  read_enhanced(frame, half->phase - start - FRAME_OCTETS, side, agreement, half, complaints);
  half->has_frame = TRUE;
  half->wants_markers = (frame[16] & FLAG_M) != 0;
  half->wants_crc = (frame[16] & FLAG_C) != 0;
  half->rejects = (frame[16] & FLAG_R) != 0;
}

/* RFC 6581 §10: a Reply is enhanced when the Request is, and of the same revision: the one to a Request
 * without enhanced data is what RFC 5044 has. */
static void check_reply(const marked_half halves[WIRE_SIDES], GPtrArray *complaints)
{
  const marked_half *request = &halves[WIRE_INITIATOR], *reply = &halves[WIRE_RESPONDER];

  if (reply->is_enhanced != request->is_enhanced || reply->revision != request->revision) {
    wire_complain(complaints, "Reply: S is %d, Rev %u, those of the Request %d, %u", reply->is_enhanced,
                  reply->revision, request->is_enhanced, request->revision);
  } else if (request->is_enhanced) {
    wire_enhanced_check(&request->enhanced, &reply->enhanced, reply->rejects, complaints);
  }
}

/* Complains of an FPDU, or of what has come of one. */
static void check_fpdu(const plain_fpdu *fpdu, GPtrArray *complaints)
{
  if (fpdu->odd.octets > 0) {
    wire_complain(complaints, "marker at %" G_GUINT64_FORMAT ": reserved 0x%04X, FPDUPTR %u instead of %u",
                  fpdu->odd.at, fpdu->odd.reserved, fpdu->odd.pointer, fpdu->odd.expected);
  }
  if (fpdu->ulpdu_octets == 0 || fpdu->ulpdu_octets > ULPDU_MAX_OCTETS) {
    wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": ULPDU_Length %u", fpdu->start,
                  fpdu->ulpdu_octets);
  }
  if (!fpdu->pad_is_zero) {
    wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": PAD is not zero", fpdu->start);
  }
}

/* The FPDUs of a stream from `half->phase` on, which count from there. */
static void read_fpdus(const wire_stream *stream, marked_half *half, GPtrArray *complaints)
{
  plain_fpdu rest = {.ulpdu = NULL};

  g_array_unref(half->fpdus);
  half->fpdus = plain_decode(stream->octets->data + half->phase, MAX(stream->end, half->phase) - half->phase,
                             half->has_markers, &rest);
  for (guint i = 0; i < half->fpdus->len; i++) {
    plain_fpdu *fpdu = &g_array_index(half->fpdus, plain_fpdu, i);
    fpdu->start += half->phase;
    fpdu->end += half->phase;
    fpdu->odd.at += half->phase;
    check_fpdu(fpdu, complaints);
    half->markers += fpdu->markers;
    if (half->has_crc && !fpdu->crc_is_right) {
      wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": bad CRC", fpdu->start);
      half->crc_errors++;
    }
  }
  if (rest.ulpdu) {
    rest.odd.at += half->phase;
    rest.start += half->phase;
    half->unfinished_octets = stream->end - rest.start;
    if (half->unfinished_octets >= MARKER_OCTETS + 2) { /* ULPDU_Length is there */
      check_fpdu(&rest, complaints);
    }
    if (stream->has_fin && !stream->is_reset) {
      wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": the FIN is inside", rest.start);
    }
    g_byte_array_unref(rest.ulpdu);
  }
}

void marked_decode(const wire_connection *connection, const wire_agreement *agreement,
                   marked_half halves[WIRE_SIDES], GPtrArray *complaints)
{
  for (int side = 0; side < WIRE_SIDES; side++) {
    halves[side] = (marked_half){.fpdus = g_array_new(FALSE, FALSE, sizeof(plain_fpdu)),
                                 .phase = agreement->streaming_octets};
    if (agreement->has_startup_frames) {
      read_frame(connection, side, agreement, &halves[side], complaints);
    }
  }
  gboolean has_frames = halves[WIRE_INITIATOR].has_frame && halves[WIRE_RESPONDER].has_frame;
  if (has_frames) {
    check_reply(halves, complaints);
  }
  if (agreement->has_startup_frames && (!has_frames || halves[WIRE_RESPONDER].rejects)) {
    return;
  }
  for (int side = 0; side < WIRE_SIDES; side++) {
    /* mpa-01 §6.1.1: M of the frame received decides what is sent; C of either frame decides for both. */
    halves[side].has_markers = !agreement->has_startup_frames || halves[1 - side].wants_markers;
    halves[side].has_crc = !agreement->has_startup_frames || halves[WIRE_INITIATOR].wants_crc ||
                           halves[WIRE_RESPONDER].wants_crc;
    read_fpdus(&connection->stream[side], &halves[side], complaints);
  }
}

guint64 marked_aligned_segments(const wire_stream *stream, const marked_half *half, guint64 *all)
{
  g_autoptr(GHashTable) starts = g_hash_table_new(g_int64_hash, g_int64_equal);
  guint64 aligned = 0;

  *all = 0;
  for (guint i = 0; i < half->fpdus->len; i++) {
    g_hash_table_add(starts, &g_array_index(half->fpdus, plain_fpdu, i).start);
  }
  for (guint i = 0; i < stream->segments->len; i++) {
    const wire_segment *segment = &g_array_index(stream->segments, wire_segment, i);
    aligned += g_hash_table_contains(starts, &segment->offset);
    *all += segment->offset + segment->octets > half->phase;
  }
  return aligned;
}
