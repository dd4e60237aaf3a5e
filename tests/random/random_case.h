/* SPDX-License-Identifier: GPL-2.0-only */
/* One case of the random proof: what a peer sends to an endpoint, and in which pieces it arrives. A case is
 * plain data: it can be made by chance, made smaller, printed, and pasted into a test. */
#ifndef TESTS_RANDOM_RANDOM_CASE_H
#define TESTS_RANDOM_RANDOM_CASE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/iwarp_generation.h"

enum {
  CASE_OPERATIONS_MAX = 12,
  CASE_ARRIVALS_MAX = 1200,
  CASE_REGIONS = 6, /* registered by the endpoint before the stream starts; see case_region_of() */
  CASE_REGION_OCTETS = 4096,
  CASE_RECEIVES = 12, /* posted by it */
  CASE_RECEIVE_OCTETS = 1500,
  CASE_DEPTH = 16, /* its IRD and ORD */
};

/* A region of the endpoint's memory with an STag. */
typedef struct case_region {
  uint64_t base; /* Tagged Offset of its first octet */
  bool peer_may_read;
  bool peer_may_write;
  bool is_foreign;       /* of another Protection Domain */
  bool is_invalidatable; /* by the peer */
} case_region;

const case_region *case_region_of(unsigned region);

typedef enum case_kind {
  CASE_WRITE,           /* `length` octets to `offset` of `region` */
  CASE_READ,            /* the peer wants `length` octets from `offset` of `region` */
  CASE_RESPONSE,        /* to a Read of the endpoint, of `length` octets to `offset` of `region` */
  CASE_SEND,            /* `length` octets */
  CASE_SEND_INVALIDATE, /* and the STag of `region` */
  CASE_SEND_SE,
  CASE_SEND_SE_INVALIDATE,
  CASE_TERMINATE,
  CASE_BAD, /* one segment made by hand: `bad` */
  CASE_KINDS
} case_kind;

/* What may be wrong with a segment (ddp-07/rfc5041 §7.1; rdmap-00 §9.2; mpa-01 §7). */
typedef enum case_bad {
  BAD_SHORT_ULPDU, /* no whole DDP header */
  BAD_TAGGED_DV,
  BAD_UNTAGGED_DV,
  BAD_TAGGED_RV,
  BAD_UNTAGGED_RV,
  BAD_TAGGED_OPCODE, /* reserved ones */
  BAD_UNTAGGED_OPCODE,
  BAD_TAGGED_SEND, /* opcodes that do not fit T or QN */
  BAD_UNTAGGED_WRITE,
  BAD_SEND_ON_QUEUE_1,
  BAD_QUEUE,
  BAD_MSN_USED,
  BAD_MSN_AHEAD,
  BAD_MO,
  BAD_MESSAGE_TOO_LONG,
  BAD_STAG,
  BAD_FOREIGN_STAG,
  BAD_ACCESS,
  BAD_WRAP,
  BAD_BOUNDS,
  BAD_REQUEST_SHORT, /* not 28 octets */
  BAD_REQUEST_LONG,
  BAD_SOURCE_STAG,
  BAD_SOURCE_FOREIGN,
  BAD_SOURCE_ACCESS,
  BAD_SOURCE_WRAP,
  BAD_SOURCE_BOUNDS,
  BAD_RESPONSE,       /* to no Read, or to another place than the next one wants */
  BAD_RESPONSE_PLACE, /* one octet behind it */
  BAD_INVALIDATE,     /* of an STag that the peer may not */
  BAD_CRC,
  BAD_MARKER, /* points elsewhere; of an FPDU whose CRC is right */
  BAD_KINDS
} case_bad;

typedef struct case_operation {
  case_kind kind;
  case_bad bad;
  uint32_t region;
  uint32_t offset;
  uint32_t length;
} case_operation;

/* A TCP segment with octets [from, to) of the FPDU phase; what lies behind the stream's end is cut off. */
typedef struct case_arrival {
  uint32_t from;
  uint32_t to;
} case_arrival;

typedef struct random_case {
  iwarp_generation generation;
  bool is_initiator;   /* the endpoint's role; rdmac has none */
  bool markers;        /* in the stream it receives */
  bool answer_markers; /* in the stream it sends */
  bool crc;
  bool in_order; /* its TCP passes nothing early */
  uint32_t isn;  /* of the stream it receives */
  uint32_t mulpdu_octets;
  uint32_t private_data_octets; /* in the peer's startup frame: the phase of the FPDUs */
  guint operations;
  case_operation operation[CASE_OPERATIONS_MAX];
  /* In this order; then, in order, whatever octets they have left out. */
  guint arrivals;
  case_arrival arrival[CASE_ARRIVALS_MAX];
} random_case;

/* Whether the documents say how it ends, whatever the order of arrival; the reference knows no more than they
 * do:
 * - A Responder must have an FPDU before it may send a Read Request (mpa-01 §6.1 rule 4), so its peer has
 * nothing to respond to.
 * - Invalidating an STag while a Read through it is being answered ends the answer at a point that is a
 * matter of time.
 * - The endpoint itself posts no Read to where it has no memory.
 * - With a wrong marker and no CRC, anything may look like an FPDU.
 * - Never more than one bad segment; and no Read behind a bad Read Request, as the sender's numbers go on as
 * if what is made by hand had not been there: two requests in one buffer are whichever comes last. */
bool random_case_is_decidable(const random_case *c);

/* The octet at `index` of the payload of operation `operation`. */
uint8_t random_case_payload(guint operation, uint32_t index);

/* The case as C text: an initialiser of a random_case. Free with g_free(). */
char *random_case_print(const random_case *c);

#endif
