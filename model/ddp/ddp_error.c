/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_error.h"

/* The stream has a name of its own in each document. */
static const char *not_associated_text(iwarp_generation generation)
{
  return generation == IWARP_RDMAC
             ? "tagged buffer error 0x02: STag not associated with the RDMA Stream" /* DDP-168 */
             : "tagged buffer error 0x02: STag not associated with the DDP Stream"; /* DDP-169 */
}

static const char *tagged_text(uint8_t code, iwarp_generation generation)
{
  switch (code) {
  case DDP_TAGGED_INVALID_STAG:
    return "tagged buffer error 0x00: invalid STag";
  case DDP_TAGGED_BOUNDS:
    return "tagged buffer error 0x01: base or bounds violation";
  case DDP_TAGGED_NOT_ASSOCIATED:
    return not_associated_text(generation);
  case DDP_TAGGED_TO_WRAP:
    return "tagged buffer error 0x03: TO wrap";
  case DDP_TAGGED_INVALID_VERSION:
    return "tagged buffer error 0x04: invalid DDP version";
  default:
    return "tagged buffer error: unknown code";
  }
}

static const char *untagged_text(uint8_t code)
{
  switch (code) {
  case DDP_UNTAGGED_INVALID_QUEUE:
    return "untagged buffer error 0x01: invalid QN";
  case DDP_UNTAGGED_NO_BUFFER:
    return "untagged buffer error 0x02: invalid MSN, no buffer available";
  case DDP_UNTAGGED_MSN_RANGE:
    return "untagged buffer error 0x03: invalid MSN, out of range";
  case DDP_UNTAGGED_INVALID_MO:
    return "untagged buffer error 0x04: invalid MO";
  case DDP_UNTAGGED_TOO_LONG:
    return "untagged buffer error 0x05: message too long for its buffer";
  case DDP_UNTAGGED_INVALID_VERSION:
    return "untagged buffer error 0x06: invalid DDP version";
  default:
    return "untagged buffer error: unknown code";
  }
}

const char *ddp_error_text(ddp_error error, iwarp_generation generation)
{
  switch (error.type) {
  case DDP_ERROR_LOCAL_CATASTROPHIC:
    return "local catastrophic error";
  case DDP_ERROR_TAGGED:
    return tagged_text(error.code, generation);
  case DDP_ERROR_UNTAGGED:
    return untagged_text(error.code);
  }
  return "DDP error: unknown type";
}
