/* SPDX-License-Identifier: GPL-2.0-only */
/* A deframer under test: it is fed pieces of an mpa_stream and watches what comes out. Every ULPDU is checked
 * on the spot: its octets are those sent, it is passed once and never after an error, and its parts agree
 * with the arrivals of the octets. */
#pragma once

#include "mpa/mpa_deframer.h"
#include "mpa_stream.h"

typedef struct mpa_receiver {
  mpa_deframer *deframer;
  mpa_stream *stream;
  bool owns_stream;
  uint64_t start; /* the deframer's offset of the stream's first octet, a multiple of 512. All other offsets
                     are the stream's */
  bool assumes;   /* every arrival is a segment, and FPDU Alignment is assumed */
  GArray *plausible;  /* of uint64_t: starts of guesses that are plausible but none of the stream's FPDUs */
  guint implausible;  /* guesses that proved wrong at the last arrival */
  time_ps now;        /* from 10 s on; grows by one an arrival */
  time_ps *arrived;   /* of each stream octet; -1 before */
  GArray *passed;     /* of uint64_t: the starts of the FPDUs, in the order they were passed */
  GArray *located_by; /* of mpa_location, in the same order */
  guint errors;       /* error events */
  mpa_error error, copy_error;
  uint64_t error_offset;
} mpa_receiver;

mpa_receiver *mpa_receiver_new(mpa_stream *stream, bool crc);

/* The same, with a stream of its own: mpa_stream_new(). */
mpa_receiver *mpa_receiver_of(bool markers, bool crc, const uint32_t *ulpdus, guint count);

/* The same, with a stream that starts at this offset. */
mpa_receiver *mpa_receiver_new_at(mpa_stream *stream, bool crc, uint64_t start);
void mpa_receiver_free(mpa_receiver *receiver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_receiver, mpa_receiver_free)

/* A segment with octets [from, to) of the stream arrives. When all of them are new, mpa_deframer_inspect() is
 * asked beforehand and must agree with what happens. The segment is also given to a copy first, which must
 * end up holding the same octets in the same number of pieces. */
void arrive(mpa_receiver *receiver, uint64_t from, uint64_t to);

/* Returns how FPDU `index` of the stream was located; MPA_LOCATIONS while it is not passed. */
mpa_location located_by(const mpa_receiver *receiver, guint index);

/* The same of all FPDUs of the stream, a letter for each: c by the chain, m by a marker, l by the length of
 * one that a marker located, a by assumption, - when it is not passed. */
void expect_methods(const mpa_receiver *receiver, const char *methods);

/* Expects that what is held is exactly `expected`; or the fields of it that are not 0, which follow by name.
 */
void expect_all_held(const mpa_receiver *receiver, mpa_held expected);
#define expect_held(receiver, ...) expect_all_held((receiver), (mpa_held){__VA_ARGS__})

/* The segment arrives; afterwards these fields of what is held, and no others, are not 0. */
#define arrive_and_hold(receiver, from, to, ...)                                                             \
  do {                                                                                                       \
    arrive((receiver), (from), (to));                                                                        \
    expect_held((receiver), __VA_ARGS__);                                                                    \
  } while (0)

/* This many FPDUs were passed, and this is the in-order edge. */
void expect_passed(const mpa_receiver *receiver, guint count, uint64_t edge);

/* All FPDUs of the stream are passed, nothing is held, no error happened; the statistics count each by the
 * method that located it. */
void expect_all(const mpa_receiver *receiver);

uint64_t in_order_edge(const mpa_deframer *deframer);

/* ULPDUs of 1442 octets, MULPDU at an EMSS of 1460: FPDU k is [1460 k, 1460 (k + 1)), of 2 + 1442 + 4 octets
 * and three markers: at 0, 512, 1024; 1536, 2048, 2560; 3072, 3584, 4096; 4608, 5120, 5632. */
#define FULL ULPDUS(1442, 1442, 1442, 1442)

/* A test of a receiver `made` of those, with markers and CRC. */
#define FULL_TEST(name) TEST_OF(mpa_receiver, made, mpa_receiver_of(true, true, FULL), name)
