/* SPDX-License-Identifier: GPL-2.0-only */
/* An error that ends an RDMAP stream is named as in a Terminate, by layer, type and code (rdmap-00 §6.8 fig.
 * 9; RDMAP-085, RDMAP-097 … RDMAP-112). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/iwarp_generation.h"

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

/* Returns whether the documents of `generation` define `error`. */
bool rdmap_error_is_known(rdmap_error error, iwarp_generation generation);

/* "remote operation error 0x05: invalid RDMAP version" and the like, for people, in the words of the
 * documents of `generation` (see ddp_error_text()). Static, never NULL. */
const char *rdmap_error_text(rdmap_error error, iwarp_generation generation);
