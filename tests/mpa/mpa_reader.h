/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads FPDUs octet by octet, as the documents describe them; shares nothing with the code under test. */
#pragma once

#include "mpa_stream.h"

/* CRC32C bit by bit, in wire order (MPA-116). */
void slow_crc32c(const uint8_t *octets, gsize length, uint8_t wire[4]);

/* The end of the FPDU that starts at `start`: there is a marker before each octet at a multiple of 512, and
 * none inside ULPDU_Length or the CRC (MPA-110). */
uint64_t walk_fpdu(uint64_t start, uint32_t ulpdu_octets, bool markers);

/* Asserts that the FPDU at stream offset `start` consists of length, ULPDU, zero PAD and, with `crc`, the CRC
 * over all of these; and that a marker at each multiple of 512 points to its header (MPA-094, MPA-107,
 * MPA-108). Returns the number of markers. */
guint check_fpdu(const uint8_t *octets, uint64_t start, bool markers, bool crc, const uint8_t *ulpdu,
                 uint32_t ulpdu_octets);

/* The same for all FPDUs of the stream, which consists of them alone. */
guint check_stream(const mpa_stream *stream, bool crc);
