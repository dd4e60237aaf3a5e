/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what an endpoint must make of a stream: an interpreter that takes the FPDUs one by one in the order
 * sent, written from ddp-07/rfc5041, rdmap-00 and mpa-01 alone. Shares no code with model/. */
#pragma once

#include "plain_decoder.h"
#include "random_case.h"

enum { REFERENCE_BUFFERS = CASE_REGIONS + CASE_RECEIVES, REFERENCE_TERMINATE_OCTETS = 52 };

/* Returns the octets of a buffer of the endpoint: its regions, then its receives. */
uint32_t reference_buffer_octets(unsigned buffer);

/* Writes what is in `buffer` at first, reference_buffer_octets() of it: different everywhere. */
void reference_fill(unsigned buffer, uint8_t *octets);

typedef enum reference_end {
  REFERENCE_GOES_ON,
  REFERENCE_ERROR,      /* an RDMAP or DDP error: `terminate` goes out */
  REFERENCE_MPA_ERROR,  /* the same, found by MPA: it does not wait for what comes before (note M33) */
  REFERENCE_TERMINATED, /* by the peer */
} reference_end;

/* A Send, or a Read of the endpoint, is complete. */
typedef struct reference_completion {
  guint fpdu; /* that completed it */
  bool is_receive;
  uint32_t number; /* of the receive, of the Read */
  uint32_t octets; /* of a receive */
  bool solicited;
  bool invalidated;
  uint32_t invalidated_stag;
} reference_completion;

/* A Read of the peer is to be answered. */
typedef struct reference_answer {
  guint fpdu;
  uint32_t sink_stag;
  uint64_t sink_offset;
  unsigned buffer; /* where its octets are */
  uint32_t from;
  GByteArray *octets; /* what they are at this moment */
} reference_answer;

typedef struct reference {
  reference_end end;
  guint fpdus; /* Delivered */
  GArray *completions;
  GArray *answers;
  uint8_t *memory[REFERENCE_BUFFERS];
  uint8_t terminate[REFERENCE_TERMINATE_OCTETS];
  uint32_t terminate_octets;
  guint late_writes; /* segments that name an STag of the endpoint's that is invalid by then */
  uint32_t completed_reads;
} reference;

/* Returns what the FPDUs come to. note D53: of the segments that name an STag already invalid, the first
 * `early` came early enough to be placed. No more than `limit` FPDUs are looked at. Free with
 * reference_free(). */
reference *reference_interpret(const random_case *c, const GArray *fpdus, const uint32_t stags[CASE_REGIONS],
                               guint early, guint limit);
/* MPA finds something wrong, somewhere beyond: mpa-01 §7's codes. */
enum { REFERENCE_MPA_CRC = 2, REFERENCE_MPA_MARKER = 3 };
void reference_end_by_mpa(reference *outcome, unsigned code);

void reference_free(reference *outcome);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(reference, reference_free)

/* Returns whether some FPDU of the stream, wherever it is, has `value` for octet `index` of `buffer`:
 * placement has no order (rdmap-00 §5.5), and what comes after the end may have come early. */
bool reference_may_be(const GArray *fpdus, const uint32_t stags[CASE_REGIONS], unsigned buffer,
                      uint32_t index, uint8_t value);
