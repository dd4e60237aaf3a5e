/* SPDX-License-Identifier: GPL-2.0-only */
/* DDP errors as they are reported (ddp-07/rfc5041 §7.2 [v1.0: §9.2]): a 4-bit type and an 8-bit code
 * (DDP-164). */
#pragma once

#include <stdint.h>

#include "base/iwarp_generation.h"

typedef enum ddp_error_type {
  DDP_ERROR_LOCAL_CATASTROPHIC = 0, /* DDP-165; code 0x00 */
  DDP_ERROR_TAGGED = 1,
  DDP_ERROR_UNTAGGED = 2,
} ddp_error_type;

/* These are the codes under DDP_ERROR_LOCAL_CATASTROPHIC, DDP_ERROR_TAGGED and DDP_ERROR_UNTAGGED. */
enum {
  DDP_CATASTROPHIC = 0x00,             /* DDP-165 */
  DDP_TAGGED_INVALID_STAG = 0x00,      /* DDP-166 */
  DDP_TAGGED_BOUNDS = 0x01,            /* DDP-167 */
  DDP_TAGGED_NOT_ASSOCIATED = 0x02,    /* DDP-169 */
  DDP_TAGGED_TO_WRAP = 0x03,           /* DDP-170 */
  DDP_TAGGED_INVALID_VERSION = 0x04,   /* DDP-171 */
  DDP_UNTAGGED_INVALID_QUEUE = 0x01,   /* DDP-172 */
  DDP_UNTAGGED_NO_BUFFER = 0x02,       /* DDP-173 */
  DDP_UNTAGGED_MSN_RANGE = 0x03,       /* DDP-174 */
  DDP_UNTAGGED_INVALID_MO = 0x04,      /* DDP-175 */
  DDP_UNTAGGED_TOO_LONG = 0x05,        /* DDP-176 */
  DDP_UNTAGGED_INVALID_VERSION = 0x06, /* DDP-177 */
};

typedef struct ddp_error {
  ddp_error_type type;
  uint8_t code;
} ddp_error;

/* "tagged buffer error 0x01: base or bounds violation" and the like, for people, in the words of the
 * documents of `generation` (DDP-168, DDP-169). Static; NULL when no document has the error. */
const char *ddp_error_text(ddp_error error, iwarp_generation generation);
