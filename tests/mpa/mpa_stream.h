/* SPDX-License-Identifier: GPL-2.0-only */
/* The stream of a test: FPDUs made by the framer, contiguous in memory, and where each of them is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/random_stream.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_framer.h"

typedef struct mpa_stream_fpdu {
  uint64_t start;
  uint64_t end;
  uint8_t *ulpdu;
  uint32_t ulpdu_octets;
} mpa_stream_fpdu;

typedef struct mpa_stream {
  bool markers;
  mpa_framer framer;
  GByteArray *octets;
  GArray *fpdus; /* of mpa_stream_fpdu */
} mpa_stream;

/* The stream of `count` ULPDUs of the given lengths, ULPDUS(100, 200); their octets are arbitrary and differ.
 */
#define ULPDUS(...) (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__}))
mpa_stream *mpa_stream_new(bool markers, bool crc, const uint32_t *ulpdu_octets, guint count);
void mpa_stream_free(mpa_stream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_stream, mpa_stream_free)

/* A stream of no ULPDUs, to be made one by one with mpa_stream_append(): `ulpdu` is copied. */
mpa_stream *mpa_stream_begin(bool markers, bool crc);
void mpa_stream_append(mpa_stream *stream, const uint8_t *ulpdu, uint32_t octets);

const mpa_stream_fpdu *mpa_stream_at(const mpa_stream *stream, guint index);

/* The FPDU that starts at `start`; NULL when none does. */
const mpa_stream_fpdu *mpa_stream_find(const mpa_stream *stream, uint64_t start);

/* `ulpdu` is what was sent in the FPDU `sent`: read as a whole, from the front, and from anywhere. */
void mpa_stream_assert_sent(const mpa_stream_fpdu *sent, const mpa_ulpdu *ulpdu);

/* Writes the right CRC into FPDU `index` after a test changed its octets. */
void mpa_stream_repair_crc(mpa_stream *stream, guint index);
