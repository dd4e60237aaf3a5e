/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one case of the random proof: what a peer sends to an endpoint, and in which pieces it arrives. A
 * case is plain data: it can be made by chance, made smaller, printed, and pasted into a test. */
#pragma once

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

/* This is a region of the endpoint's memory with an STag. */
typedef struct case_region {
  uint64_t base; /* Tagged Offset of its first octet */
  bool peer_may_read;
  bool peer_may_write;
  bool is_foreign;       /* of another Protection Domain */
  bool is_invalidatable; /* by the peer */
} case_region;

const case_region *case_region_of(unsigned region);

#define CASE_KINDS_(EACH)                                                                                    \
  EACH(CASE_WRITE)           /* `length` octets to `offset` of `region` */                                   \
  EACH(CASE_READ)            /* the peer wants `length` octets from `offset` of `region` */                  \
  EACH(CASE_RESPONSE)        /* to a Read of the endpoint, of `length` octets to `offset` of `region` */     \
  EACH(CASE_SEND)            /* `length` octets */                                                           \
  EACH(CASE_SEND_INVALIDATE) /* and the STag of `region` */                                                  \
  EACH(CASE_SEND_SE)                                                                                         \
  EACH(CASE_SEND_SE_INVALIDATE)                                                                              \
  EACH(CASE_TERMINATE)                                                                                       \
  EACH(CASE_BAD) /* one segment made by hand: `bad` */

/* This is what may be wrong with a segment (ddp-07/rfc5041 §7.1; rdmap-00 §9.2; mpa-01 §7). */
#define CASE_BADS_(EACH)                                                                                     \
  EACH(BAD_SHORT_ULPDU) /* no whole DDP header */                                                            \
  EACH(BAD_TAGGED_DV)                                                                                        \
  EACH(BAD_UNTAGGED_DV)                                                                                      \
  EACH(BAD_TAGGED_RV)                                                                                        \
  EACH(BAD_UNTAGGED_RV)                                                                                      \
  EACH(BAD_TAGGED_OPCODE) /* reserved ones */                                                                \
  EACH(BAD_UNTAGGED_OPCODE)                                                                                  \
  EACH(BAD_TAGGED_SEND) /* opcodes that do not fit T or QN */                                                \
  EACH(BAD_UNTAGGED_WRITE)                                                                                   \
  EACH(BAD_SEND_ON_QUEUE_1)                                                                                  \
  EACH(BAD_QUEUE)                                                                                            \
  EACH(BAD_MSN_USED)                                                                                         \
  EACH(BAD_MSN_AHEAD)                                                                                        \
  EACH(BAD_MO)                                                                                               \
  EACH(BAD_MESSAGE_TOO_LONG)                                                                                 \
  EACH(BAD_STAG)                                                                                             \
  EACH(BAD_FOREIGN_STAG)                                                                                     \
  EACH(BAD_ACCESS)                                                                                           \
  EACH(BAD_WRAP)                                                                                             \
  EACH(BAD_BOUNDS)                                                                                           \
  EACH(BAD_REQUEST_SHORT) /* not 28 octets */                                                                \
  EACH(BAD_REQUEST_LONG)                                                                                     \
  EACH(BAD_SOURCE_STAG)                                                                                      \
  EACH(BAD_SOURCE_FOREIGN)                                                                                   \
  EACH(BAD_SOURCE_ACCESS)                                                                                    \
  EACH(BAD_SOURCE_WRAP)                                                                                      \
  EACH(BAD_SOURCE_BOUNDS)                                                                                    \
  EACH(BAD_RESPONSE)       /* to no Read, or to another place than the next one wants */                     \
  EACH(BAD_RESPONSE_PLACE) /* one octet after it */                                                          \
  EACH(BAD_INVALIDATE)     /* of an STag that the peer may not */                                            \
  EACH(BAD_CRC)                                                                                              \
  EACH(BAD_MARKER) /* points elsewhere; of an FPDU whose CRC is right */

#define CASE_ENUMERATOR_(name) name,

typedef enum case_kind { CASE_KINDS_(CASE_ENUMERATOR_) CASE_KINDS } case_kind;

typedef enum case_bad { CASE_BADS_(CASE_ENUMERATOR_) BAD_KINDS } case_bad;

typedef struct case_operation {
  case_kind kind;
  case_bad bad;
  uint32_t region;
  uint32_t offset;
  uint32_t length;
} case_operation;

/* A TCP segment with octets [from, to) of the FPDU phase; what lies beyond the stream's end is cut off. */
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

/* Returns whether the documents decide how it ends, whatever the order of arrival; the reference knows no
 * more than they do:
 * - A Responder must have an FPDU before it may send a Read Request (mpa-01 §6.1 rule 4), so its peer has
 * nothing to respond to.
 * - Invalidating an STag while a Read through it is being answered ends the answer at a point that is a
 * matter of time.
 * - The endpoint itself posts no Read to where it has no memory.
 * - With a wrong marker and no CRC, anything may look like an FPDU.
 * - Never more than one bad segment; and no Read after a bad Read Request, as the sender's numbers go on as
 * if what is made by hand had not been there: two requests in one buffer are whichever comes last. */
bool random_case_is_decidable(const random_case *c);

/* Returns the octet at `index` of the payload of operation `operation`. */
uint8_t random_case_payload(guint operation, uint32_t index);

/* Returns the case as C text: an initialiser of a random_case. Free with g_free(). */
char *random_case_print(const random_case *c);
