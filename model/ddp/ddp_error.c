/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_error.h"

#include <stddef.h>

static const struct {
  ddp_error error;
  const char *text;
} rows[] = {
    {{DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC}, "local catastrophic error"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_STAG}, "tagged buffer error 0x00: invalid STag"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS}, "tagged buffer error 0x01: base or bounds violation"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
     "tagged buffer error 0x02: STag not associated with the DDP Stream"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_TO_WRAP}, "tagged buffer error 0x03: TO wrap"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_VERSION}, "tagged buffer error 0x04: invalid DDP version"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_QUEUE}, "untagged buffer error 0x01: invalid QN"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_NO_BUFFER},
     "untagged buffer error 0x02: invalid MSN, no buffer available"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_MSN_RANGE}, "untagged buffer error 0x03: invalid MSN, out of range"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_MO}, "untagged buffer error 0x04: invalid MO"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_TOO_LONG},
     "untagged buffer error 0x05: message too long for its buffer"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_VERSION}, "untagged buffer error 0x06: invalid DDP version"},
};

const char *ddp_error_text(ddp_error error, iwarp_generation generation)
{
  /* The stream has a name of its own in each document (DDP-168, DDP-169). */
  if (generation == IWARP_RDMAC && error.type == DDP_ERROR_TAGGED &&
      error.code == DDP_TAGGED_NOT_ASSOCIATED) {
    return "tagged buffer error 0x02: STag not associated with the RDMA Stream";
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].error.type == error.type && rows[i].error.code == error.code) {
      return rows[i].text;
    }
  }
  return NULL;
}
