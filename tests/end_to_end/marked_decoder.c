/* SPDX-License-Identifier: GPL-2.0-only */
#include "marked_decoder.h"

#include <string.h>

enum {
  FRAME_OCTETS = 20,
  KEY_OCTETS = 16,
  FLAG_M = 0x80,
  FLAG_C = 0x40,
  FLAG_R = 0x20,
  FLAGS_RESERVED = 0x1F,
  MARKER_PERIOD = 512,
  MARKER_OCTETS = 4,
  ULPDU_MAX_OCTETS = 64768,
  CRC_OCTETS = 4,
};

/* docs/protocol-notes.md, "Generations" */
static const wire_agreement generations[] = {
    {"rdmac", FALSE, 0, 0, 0, 0},
    {"ietf", TRUE, 0, 1, 1, 0},
    {"rfc", TRUE, 1, 1, 1, 0},
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

guint32 marked_crc32c(guint32 crc, const guint8 *octets, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    crc ^= octets[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
    }
  }
  return crc;
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
  g_byte_array_unref(half->ulpdus);
}

/* mpa-01 §6.1.1, figure 7: key, M C R and 5 reserved bits, Rev, PD_Length. */
static void read_frame(const wire_stream *stream, int side, const wire_agreement *agreement,
                       marked_half *half, GPtrArray *complaints)
{
  static const char *const keys[] = {"MPA ID Req Frame", "MPA ID Rep Frame"};
  guint64 start = agreement->streaming_octets;
  const guint8 *frame = stream->octets->data + start;

  if (stream->octets->len < start + FRAME_OCTETS || memcmp(frame, keys[side], KEY_OCTETS) != 0) {
    wire_complain(complaints, "side %d: no startup frame with the right key", side);
    return;
  }
  half->private_octets = (guint32)wire_number(frame + 18, 2);
  if (frame[17] != agreement->mpa_revision) {
    wire_complain(complaints, "side %d: Rev is %u", side, frame[17]);
  }
  if ((frame[16] & FLAGS_RESERVED) != 0 || (side == WIRE_INITIATOR && (frame[16] & FLAG_R) != 0)) {
    wire_complain(complaints, "side %d: reserved bits in the startup frame's flags 0x%02X", side, frame[16]);
  }
  if (stream->octets->len < start + FRAME_OCTETS + half->private_octets) {
    wire_complain(complaints, "side %d: PD_Length is %u but the stream ends before", side,
                  half->private_octets);
    return;
  }
  half->has_frame = TRUE;
  half->wants_markers = (frame[16] & FLAG_M) != 0;
  half->wants_crc = (frame[16] & FLAG_C) != 0;
  half->rejects = (frame[16] & FLAG_R) != 0;
  half->phase = start + FRAME_OCTETS + half->private_octets;
}

/* A walk over the octets of one FPDU that checks the markers it passes. */
typedef struct walk {
  const wire_stream *stream;
  const marked_half *half;
  guint64 at;     /* stream position */
  guint64 header; /* of ULPDU_Length */
  guint markers;
  gboolean is_short; /* the stream ended */
  GPtrArray *complaints;
} walk;

static gboolean is_marker(const marked_half *half, guint64 position)
{
  return half->has_markers && (position - half->phase) % MARKER_PERIOD == 0;
}

/* mpa-01 §5.1: 16 reserved bits of zero, then the octets from the header of the FPDU to the marker; 0 when
 * the header follows. */
static void pass_marker(walk *w)
{
  if (w->at + MARKER_OCTETS > w->stream->end) {
    w->is_short = TRUE;
    return;
  }
  guint64 reserved = wire_number(w->stream->octets->data + w->at, 2);
  guint64 pointer = wire_number(w->stream->octets->data + w->at + 2, 2);
  guint64 expected = w->at > w->header ? w->at - w->header : 0;
  if (reserved != 0 || pointer != expected) {
    wire_complain(w->complaints,
                  "marker at %" G_GUINT64_FORMAT
                  ": reserved 0x%04X, FPDUPTR %u instead of %" G_GUINT64_FORMAT,
                  w->at, (guint)reserved, (guint)pointer, expected);
  }
  w->at += MARKER_OCTETS;
  w->markers++;
}

/* The next octet that belongs to no marker. */
static guint8 next_octet(walk *w)
{
  if (is_marker(w->half, w->at)) {
    pass_marker(w);
  }
  if (w->is_short || w->at >= w->stream->end) {
    w->is_short = TRUE;
    return 0;
  }
  return w->stream->octets->data[w->at++];
}

/* mpa-01 §5.2: least significant octet first, over everything from the leading marker to the PAD, markers
 * included, even one between PAD and CRC. */
static void check_crc(walk *w, guint64 start, marked_half *half)
{
  guint32 sent = 0;

  if (is_marker(w->half, w->at)) {
    pass_marker(w);
  }
  guint64 covered = w->at;
  for (int i = 0; i < CRC_OCTETS; i++) {
    sent |= (guint32)next_octet(w) << (8 * i);
  }
  if (!w->is_short && half->has_crc &&
      sent != ~marked_crc32c(0xFFFFFFFF, w->stream->octets->data + start, covered - start)) {
    wire_complain(w->complaints, "FPDU at %" G_GUINT64_FORMAT ": bad CRC", start);
    half->crc_errors++;
  }
}

/* Reads the FPDU at `start`; returns its end, or 0 when it is not whole. */
static guint64 read_fpdu(const wire_stream *stream, marked_half *half, guint64 start, GPtrArray *complaints)
{
  walk w = {.stream = stream, .half = half, .at = start, .header = start, .complaints = complaints};

  if (is_marker(half, start)) {
    w.header = start + MARKER_OCTETS;
    pass_marker(&w);
  }
  guint32 length = (guint32)next_octet(&w) << 8;
  length |= next_octet(&w);
  if (!w.is_short && (length == 0 || length > ULPDU_MAX_OCTETS)) {
    wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": ULPDU_Length %u", start, length);
  }
  marked_fpdu fpdu = {.start = start, .octets = length};
  guint before = half->ulpdus->len;
  for (guint32 i = 0; i < length && !w.is_short; i++) {
    guint8 octet = next_octet(&w);
    g_byte_array_append(half->ulpdus, &octet, 1);
  }
  for (guint32 i = 2 + length; i % 4 != 0; i++) {
    if (next_octet(&w) != 0) {
      wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": PAD is not zero", start);
    }
  }
  check_crc(&w, start, half);
  if (w.is_short) {
    g_byte_array_set_size(half->ulpdus, before);
    return 0;
  }
  half->markers += w.markers;
  g_array_append_val(half->fpdus, fpdu);
  return w.at;
}

static void read_fpdus(const wire_stream *stream, marked_half *half, GPtrArray *complaints)
{
  guint64 at = half->phase;

  while (at < stream->end) {
    guint64 end = read_fpdu(stream, half, at, complaints);
    if (end == 0) {
      half->unfinished_octets = stream->end - at;
      break;
    }
    at = end;
  }
  if (half->unfinished_octets > 0 && stream->has_fin && !stream->is_reset) {
    wire_complain(complaints, "FPDU at %" G_GUINT64_FORMAT ": the FIN is inside", at);
  }
  const guint8 *ulpdu = half->ulpdus->data;
  for (guint i = 0; i < half->fpdus->len; i++) {
    marked_fpdu *fpdu = &g_array_index(half->fpdus, marked_fpdu, i);
    fpdu->ulpdu = ulpdu;
    ulpdu += fpdu->octets;
  }
}

void marked_decode(const wire_connection *connection, const wire_agreement *agreement,
                   marked_half halves[WIRE_SIDES], GPtrArray *complaints)
{
  for (int side = 0; side < WIRE_SIDES; side++) {
    halves[side] = (marked_half){.fpdus = g_array_new(FALSE, FALSE, sizeof(marked_fpdu)),
                                 .ulpdus = g_byte_array_new(),
                                 .phase = agreement->streaming_octets};
    if (agreement->has_startup_frames) {
      read_frame(&connection->stream[side], side, agreement, &halves[side], complaints);
    }
  }
  gboolean has_frames = halves[WIRE_INITIATOR].has_frame && halves[WIRE_RESPONDER].has_frame;
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
    g_hash_table_add(starts, &g_array_index(half->fpdus, marked_fpdu, i).start);
  }
  for (guint i = 0; i < stream->segments->len; i++) {
    const wire_segment *segment = &g_array_index(stream->segments, wire_segment, i);
    aligned += g_hash_table_contains(starts, &segment->offset);
    *all += segment->offset + segment->octets > half->phase;
  }
  return aligned;
}
