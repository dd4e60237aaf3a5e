/* SPDX-License-Identifier: GPL-2.0-only */
/* The Terminate Message: what it holds and which parts of the failing message it copies (rdmap-00 §6.8;
 * RDMAP-077 … RDMAP-119, notes D42 … D46). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/iwarp_generation.h"
#include "ddp/ddp_header.h"
#include "rdmap/rdmap_header.h"

/* An error that ends an RDMAP stream is named as in a Terminate, by layer, type and code (rdmap-00 §6.8 fig.
 * 9; RDMAP-085, RDMAP-097 … RDMAP-112). */

typedef enum rdmap_error_layer {
  RDMAP_LAYER_RDMA = 0, /* RDMAP-097 … RDMAP-110 */
  RDMAP_LAYER_DDP = 1,  /* type and code are a ddp_error (RDMAP-111) */
  RDMAP_LAYER_LLP = 2,  /* type 0, code is an mpa_error (RDMAP-112, note D50) */
} rdmap_error_layer;

/* These are the types under RDMAP_LAYER_RDMA, and their codes. */
enum {
  RDMAP_LOCAL_CATASTROPHIC_ERROR = 0, /* no code: 0 is sent (RDMAP-097, note D45) */
  RDMAP_REMOTE_PROTECTION_ERROR = 1,
  RDMAP_REMOTE_OPERATION_ERROR = 2,

  RDMAP_PROTECTION_INVALID_STAG = 0x00,      /* RDMAP-098 */
  RDMAP_PROTECTION_BOUNDS = 0x01,            /* RDMAP-099 */
  RDMAP_PROTECTION_ACCESS_RIGHTS = 0x02,     /* RDMAP-100 */
  RDMAP_PROTECTION_NOT_ASSOCIATED = 0x03,    /* RDMAP-101 */
  RDMAP_PROTECTION_TO_WRAP = 0x04,           /* RDMAP-102 */
  RDMAP_PROTECTION_NOT_INVALIDATABLE = 0x09, /* RDMAP-103; on rights (note D47) */
  RDMAP_PROTECTION_UNSPECIFIED = 0xFF,       /* RDMAP-104 */

  RDMAP_OPERATION_INVALID_VERSION = 0x05,     /* RDMAP-105 */
  RDMAP_OPERATION_UNEXPECTED_OPCODE = 0x06,   /* RDMAP-106 */
  RDMAP_OPERATION_STREAM_CATASTROPHIC = 0x07, /* RDMAP-107 */
  RDMAP_OPERATION_GLOBAL_CATASTROPHIC = 0x08, /* RDMAP-108 */
  RDMAP_OPERATION_NOT_INVALIDATABLE = 0x09,   /* RDMAP-109; unknown or invalid STag (note D47) */
  RDMAP_OPERATION_UNSPECIFIED = 0xFF,         /* RDMAP-110 */
};

/* The code under RDMAP_LAYER_LLP that RDMAP itself gives: the LLP stream is closed or lost (mpa-01 §7, code
 * 1: MPA-276). */
enum { RDMAP_LLP_CLOSED = 1 };

typedef struct rdmap_error {
  uint8_t layer;
  uint8_t type;
  uint8_t code;
} rdmap_error;

/* Returns a remote operation error of this code. */
static inline rdmap_error rdmap_operation_error(uint8_t code)
{
  return (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, code};
}

/* Returns whether the documents of `generation` define `error`. */
bool rdmap_error_is_known(rdmap_error error, iwarp_generation generation);

/* "remote operation error 0x05: invalid RDMAP version" and the like, for people, in the words of the
 * documents of `generation` (see ddp_error_text()). Static, never NULL. */
const char *rdmap_error_text(rdmap_error error, iwarp_generation generation);

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
