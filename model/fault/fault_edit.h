/* SPDX-License-Identifier: GPL-2.0-only */
/* Does what each fault does to the octets that a well-behaved stack made (see fault_injector). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/iwarp_generation.h"

/* This table has the faults that a peer can have: faults.def as an enumeration and as rows. */

#define FAULT(id, ...) FAULT_##id,
typedef enum fault_id {
  FAULT_NONE,
#include "fault/faults.def"
  FAULTS
} fault_id;
#undef FAULT

/* This is the place on the path of the data where a fault is done. */
typedef enum fault_place {
  FAULT_NOWHERE,
  FAULT_IN_STARTUP, /* a startup frame */
  FAULT_IN_ULPDU,   /* DDP and RDMAP fields, before framing: the CRC is right */
  FAULT_IN_FPDU,    /* after framing */
  FAULT_INSERTED,   /* ULPDUs of its own */
  FAULT_LOCAL,      /* something the end itself does: too many Reads, a catastrophic error */
} fault_place;

/* A fault can be done to these ULPDUs. */
typedef enum fault_which {
  FAULT_ANY,
  FAULT_TAGGED,
  FAULT_UNTAGGED,
  FAULT_TAGGED_PAYLOAD, /* with payload: without it STag and TO are not checked (note D13) */
  FAULT_UNTAGGED_PAYLOAD,
  FAULT_READ_REQUEST,
  FAULT_READ_OF_OCTETS, /* a Read Request for octets: without them STag and TO are not checked (note D13) */
  FAULT_ATOMIC_REQUEST, /* a whole one, as the next two */
  FAULT_ATOMIC_RESPONSE,
  FAULT_IMMEDIATE,
  FAULT_RESPONSE_PART,    /* of a Read Response, not its last */
  FAULT_SEND_END,         /* the last of a Send, with more than one octet */
  FAULT_INVALIDATING_END, /* the last of a Send with Invalidate: the one that counts (note D22) */
} fault_which;

/* A decoy is an STag of the victim's host that a fault names: in a tagged segment, a Read or Atomic
 * Request or a Send with Invalidate. */
typedef enum fault_decoy {
  FAULT_NO_DECOY,
  FAULT_DECOY_READ_ONLY,         /* remote reading alone is allowed */
  FAULT_DECOY_WRITE_ONLY,        /* remote writing alone */
  FAULT_DECOY_FOREIGN_DOMAIN,    /* all rights, for another Protection Domain */
  FAULT_DECOY_FOREIGN_STREAM,    /* all rights, for another stream of the same Protection Domain */
  FAULT_DECOY_NOT_INVALIDATABLE, /* all rights, but no Remote Peer may invalidate it */
} fault_decoy;

typedef struct fault_row {
  const char *name; /* "bad-crc" */
  fault_place place;
  fault_which which;
  fault_decoy decoy;
  const char *sentence; /* for `explain`: what goes out, and what it can be done to */
  const char *expected; /* what must come of it: "Terminate 1/1/01", "MPA error 4" … */
} fault_row;

/* Returns the row of `id` (< FAULTS); static. */
const fault_row *fault_row_of(fault_id id);

/* Each alters `octets` in the manner of fault `id`, and returns false, with nothing altered, when it cannot
 * be done to them. */

/* Alters a startup frame; it may come out empty. */
bool fault_edit_startup(fault_id id, buffer_chain *octets);

/* Alters a ULPDU of RDMAP's, of an end of `generation`. `decoy_stag` is for the faults that name one. */
bool fault_edit_ulpdu(fault_id id, iwarp_generation generation, uint32_t decoy_stag, buffer_chain *octets);

/* Alters the FPDU that starts at `start` of the FPDU phase; `crc`: its CRC is used. */
bool fault_edit_fpdu(fault_id id, uint64_t start, bool markers, bool crc, buffer_chain *octets);
