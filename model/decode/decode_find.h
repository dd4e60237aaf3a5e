/* SPDX-License-Identifier: GPL-2.0-only */
/* Where FPDUs start in octets from the middle of a stream, and what kind of stream it is. */
#ifndef DECODE_DECODE_FIND_H
#define DECODE_DECODE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many FPDUs follow each other from the first of these octets on, that being `offset` of an FPDU phase, before one is invalid or not
 * whole. */
uint64_t decode_find_count(const uint8_t *octets, size_t length, uint64_t offset, bool markers, bool crc);

/* Could a DDP segment start with these two octets, its DDP and RDMAP control fields (ddp-07 §4, rdmap-00 §6.1)? Of random octets one pair in 500
 * could. */
bool decode_find_could_start(const uint8_t octets[2]);

/* Looks for the first place where a valid FPDU is followed by another one, or by the end of the octets. Sets `*at` to where it is in the
 * octets, and `*offset` to an offset in the FPDU phase that it can have: with markers it is right modulo 512.
 *
 * With `crc` the CRC proves an FPDU. Without, nothing does, and what no document promises is taken instead: three FPDUs in a row whose DDP
 * and RDMAP headers contradict nothing (versions, reserved bits, opcode, buffer model, queue), or fewer that end where the octets do, and
 * with two right markers, if `markers`. */
bool decode_find_start(const uint8_t *octets, size_t length, bool markers, bool crc, size_t *at,
                       uint64_t *offset);

#endif
