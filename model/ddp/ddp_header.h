/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the DDP header: tagged (14 octets) and untagged (18 octets) segments (ddp-07/rfc5041 §4.1, §4.2,
 * §4.3 [v1.0: §6.1, §6.2, §6.3]; DDP-035, DDP-050, DDP-065). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer_chain.h"

enum {
  DDP_TAGGED_HEADER_OCTETS = 14,
  DDP_UNTAGGED_HEADER_OCTETS = 18,
  DDP_MAX_HEADER_OCTETS = DDP_UNTAGGED_HEADER_OCTETS,
};

/* DDP Control is the first octet (DDP-035). */
enum { DDP_CONTROL_T = 0x80, DDP_CONTROL_L = 0x40, DDP_CONTROL_DV = 0x03 };

typedef struct ddp_header {
  bool tagged;         /* T */
  bool last;           /* L */
  uint8_t version;     /* DV, 2 bits */
  uint8_t ulp_control; /* RsvdULP, the first octet: RDMAP's control field */
  /* tagged */
  uint32_t stag;
  uint64_t tagged_offset; /* TO */
  /* untagged */
  uint32_t ulp_word; /* RsvdULP, octets 2 … 5 of the header: RDMAP's Invalidate STag */
  uint32_t queue_number;
  uint32_t msn;
  uint32_t message_offset; /* MO */
} ddp_header;

/* Returns how many octets `header` has: 14 or 18. */
size_t ddp_header_octets(const ddp_header *header);

/* Writes the header to `wire` (room for ddp_header_octets(header) octets); returns its length. Reserved bits
 * are 0 (DDP-044). Fields of the other model are ignored. */
size_t ddp_header_encode(const ddp_header *header, uint8_t *wire);

/* Returns whether the header at `wire` has T set, … */
static inline bool ddp_header_is_tagged(const uint8_t *wire)
{
  return (*wire & DDP_CONTROL_T) != 0;
}

/* … and whether it has L set. */
static inline bool ddp_header_is_last(const uint8_t *wire)
{
  return (*wire & DDP_CONTROL_L) != 0;
}

/* Reads the header at the front of a ULPDU, of which the first `octets` (at least DDP_MAX_HEADER_OCTETS, if
 * it has as many) lie at `wire`; fields of the other model become 0, reserved bits are ignored (DDP-045).
 * Returns its length, 0 when the ULPDU is too short for it (note D15), with all of `header` 0 then. Judges no
 * field. */
size_t ddp_header_read(ddp_header *header, const uint8_t *wire, uint32_t octets);

/* Does the same with the ULPDU `ulpdu`. */
size_t ddp_header_decode(ddp_header *header, const buffer_chain *ulpdu);

/* Returns octets [from, from + length), no more than a ULPDU has, which lie in one piece of memory; no
 * reference is added. Those in a block never change: they may be referred to until they are acknowledged;
 * others are copied before the next call of any kind. */
typedef octet_slice (*ddp_payload_source)(void *user, uint64_t from, uint32_t length);
