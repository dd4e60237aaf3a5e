/* SPDX-License-Identifier: GPL-2.0-only */
/* A real rnic_endpoint and the peer it thinks it has: a TCP that sends what it is to send, in whatever pieces
 * and order, and writes down what comes back. */
#pragma once

#include "reference.h"
#include "rnic/rnic_endpoint.h"
#include "rnic/rnic_verbs.h"

enum {
  RECEIVING_END_GUARD_OCTETS = 64, /* before each buffer and after it */
  RECEIVING_END_RECEIVE_ID = 1000, /* of the first receive posted, and so on */
  RECEIVING_END_READ_ID = 2000,
  RECEIVING_END_EMSS_OCTETS = 1460, /* of what it sends: MTU 1500, no options */
};

/* This is what may be made wrong on purpose, to see that it is found. */
typedef enum planted_defect {
  DEFECT_NONE,
  DEFECT_EARLY_OCTET,     /* the 100th octet of a segment that arrives beyond the in-order edge is taken for
                             another */
  DEFECT_LOST_COMPLETION, /* the completion of an empty Send with Solicited Event is forgotten */
  DEFECT_OVERRUN,         /* a Send of more than 700 octets is written with one octet after its buffer */
  DEFECT_CRASH,           /* the process dies when a Read Response of more than 40 octets is Delivered */
} planted_defect;

typedef struct receiving_end {
  const random_case *c;
  planted_defect defect;
  /* the endpoint and its ULP */
  rnic_host *host;
  rnic_endpoint *endpoint;
  uint8_t *memory[REFERENCE_BUFFERS]; /* guards on both sides */
  uint32_t stags[CASE_REGIONS];
  GArray *delivered;     /* of uint64_t: where the FPDUs start, in the order of Delivery */
  guint delivered_ahead; /* Deliveries of segments that reached beyond the octets that had come without a
                            hole */
  GArray *completions;   /* of rdmap_completion */
  bool has_failed;
  rnic_failure failure;
  guint finished; /* events */
  /* the peer */
  GByteArray *said;  /* its stream from the octet after its SYN on */
  uint64_t phase;    /* where its FPDUs start */
  GByteArray *heard; /* the endpoint's, likewise */
  uint32_t heard_isn;
  bool heard_syn;
  bool heard_fin;
  bool heard_rst;
  uint64_t heard_phase;
  uint64_t edge;       /* octets claimed without a hole */
  uint64_t edge_to_be; /* the same with the piece under way */
  bool *is_said;       /* by octet of the FPDU phase */
  time_ps now;
} receiving_end;

/* Opens the connection, takes it into full operation, and posts the endpoint's Reads. `c` outlives it. Free
 * with receiving_end_free(). */
receiving_end *receiving_end_new(const random_case *c, planted_defect defect);
void receiving_end_free(receiving_end *end);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(receiving_end, receiving_end_free)

/* The peer sends `stream` as the case wants it, all of it, and FIN after it. */
void receiving_end_feed(receiving_end *end, const GByteArray *stream);

/* Returns true when no octet outside the buffers has changed. */
bool receiving_end_guards_are_whole(const receiving_end *end);
