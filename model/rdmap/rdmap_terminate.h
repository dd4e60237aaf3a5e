/* SPDX-License-Identifier: GPL-2.0-only */
/* The Terminate Message: what it holds and which parts of the failing message it copies (rdmap-00 §6.8;
 * RDMAP-077 … RDMAP-119, notes D42 … D46). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ddp/ddp_header.h"
#include "rdmap/rdmap_error.h"
#include "rdmap/rdmap_read_request.h"

enum {
  RDMAP_TERMINATE_CONTROL_OCTETS = 4,
  /* control, DDP Segment Length, an untagged DDP header, a Read Request header: the guaranteed buffer
   * (notes D27, D43) */
  RDMAP_TERMINATE_MAX_OCTETS = 4 + 2 + 18 + 28 /* 52 */
};

typedef struct rdmap_terminate {
  rdmap_error error;
  bool has_segment; /* D; this end always sends M with it (note D43) */
  /* M: of the whole failing ULPDU, header and payload (note D44); 0 without M */
  uint16_t segment_octets;
  ddp_header header; /* D */
  /* D: the same as it was received, reserved bits and all; ddp_header_octets(&header) of them */
  uint8_t header_wire[DDP_MAX_HEADER_OCTETS];
  bool has_request;           /* R; implies D */
  rdmap_read_request request; /* R */
  /* No part of the message; set at the end that found the error in an incoming segment. */
  bool has_fpdu;
  uint64_t fpdu_start; /* of that segment, in the FPDU phase */
} rdmap_terminate;

/* This is what failed, as the layers know it. */
typedef struct rdmap_terminate_subject {
  const uint8_t *header_wire;        /* as received (ddp_segment_header_wire()) */
  size_t header_octets;              /* 14 or 18 of them; 0: not known, or no incoming message is at fault */
  uint32_t segment_octets;           /* length of the ULPDU, at most 65535 */
  const rdmap_read_request *request; /* of a Read Request whose header is known; else NULL */
} rdmap_terminate_subject;

/* The Terminate for `error`: the parts that the inclusion table asks for and `subject` has (rdmap-00 §6.8
 * fig. 10; RDMAP-115 … RDMAP-119, note D45). `subject` may be NULL. */
void rdmap_terminate_compose(rdmap_terminate *terminate, rdmap_error error,
                             const rdmap_terminate_subject *subject);

/* Writes the message's payload: 4, 20, 24 or 52 octets (48 with a tagged header and a request never happens);
 * returns how many. */
size_t rdmap_terminate_encode(const rdmap_terminate *terminate, uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS]);

/* Reads a received one of `length` octets: obeys the flags, ignores reserved bits (RDMAP-084) and what
 * follows the flagged parts. Parts that do not fit into `length` are left out, and so is R's without D,
 * which shows where it would be. False when not even the control word fits. */
bool rdmap_terminate_decode(rdmap_terminate *terminate, const uint8_t *wire, size_t length);
