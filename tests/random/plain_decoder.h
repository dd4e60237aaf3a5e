/* SPDX-License-Identifier: GPL-2.0-only */
/* These are FPDUs out of a whole stream in order, and the CRC that they end with: written from mpa-01 alone,
 * octet by octet, sharing no code with model/. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* mpa-01 §5.1: 16 reserved bits of zero, then the octets from the header of the FPDU to the marker; 0 when
 * the header follows. */
typedef struct plain_marker {
  uint64_t at;
  uint32_t octets;
  uint32_t reserved, pointer, expected;
} plain_marker;

typedef struct plain_fpdu {
  uint64_t start;
  uint64_t end;
  uint32_t ulpdu_octets; /* ULPDU_Length */
  GByteArray *ulpdu;
  bool crc_is_right;
  bool pad_is_zero;
  uint32_t markers;
  bool markers_are_right; /* each points to this FPDU's header, for a receiver (note M9) */
  plain_marker odd;       /* the first that a sender must not send; octets 0: none is */
} plain_fpdu;

/* Of plain_fpdu: all that are whole among the `length` octets. Free with g_array_unref(). What has come of
 * the next becomes `rest`, whose ULPDU is NULL when none has begun and is the caller's; NULL: it is not asked
 * for. */
GArray *plain_decode(const uint8_t *octets, uint64_t length, bool markers, plain_fpdu *rest);

/* Writes the right CRC into the FPDU of `length` octets at `octets`, which has one already. */
void plain_repair_crc(uint8_t *octets, uint64_t length);

/* The `count` (1 … 8) octets at `octets` as a number, in network order. */
uint64_t plain_number(const uint8_t *octets, unsigned count);
