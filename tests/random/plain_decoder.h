/* SPDX-License-Identifier: GPL-2.0-only */
/* FPDUs out of a whole stream in order, and the CRC that they end with: written from mpa-01 alone, octet by
 * octet, sharing no code with model/. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct plain_fpdu {
  uint64_t start;
  uint64_t end;
  bool crc_is_right;
  bool markers_are_right; /* each points to this FPDU's header */
  GByteArray *ulpdu;
} plain_fpdu;

/* Of plain_fpdu: all that are whole among the `length` octets. Free with g_array_unref(). */
GArray *plain_decode(const uint8_t *octets, uint64_t length, bool markers);

/* Writes the right CRC into the FPDU of `length` octets at `octets`, which has one already. */
void plain_repair_crc(uint8_t *octets, uint64_t length);

/* The `count` (1 … 8) octets at `octets` as a number, in network order. */
uint64_t plain_number(const uint8_t *octets, unsigned count);
