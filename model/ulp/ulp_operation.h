/* SPDX-License-Identifier: GPL-2.0-only */
/* What a message of a workload can be: an RDMAP operation, or a storage exchange made of several. One table row each. */
#ifndef ULP_ULP_OPERATION_H
#define ULP_ULP_OPERATION_H

#include <stdbool.h>

#include "rdmap/rdmap_stream.h"

typedef enum ulp_operation {
  ULP_OPERATION_WRITE,
  ULP_OPERATION_READ,
  ULP_OPERATION_SEND,
  ULP_OPERATION_SEND_INVALIDATE,
  ULP_OPERATION_SEND_SE,
  ULP_OPERATION_SEND_SE_INVALIDATE,
  /* Request (Send); the peer answers with an RDMA Write of the data, then a response (Send with Invalidate). */
  ULP_OPERATION_STORAGE_READ,
  /* Request (Send); the peer fetches the data by RDMA Read, then sends a response (Send with Solicited Event and Invalidate). */
  ULP_OPERATION_STORAGE_WRITE,
  ULP_OPERATIONS
} ulp_operation;

/* Who the requester is: the end whose ULP starts the message; the other is its peer. */
typedef struct ulp_operation_rules {
  rdmap_operation posted;    /* what the requester posts */
  rdmap_operation response;  /* of exchanges: the Send that ends it */
  bool is_exchange;          /* a request, the data, a response */
  bool fills_peer;           /* the data goes into a Tagged Buffer of the peer's */
  bool fills_requester;      /* … of the requester's */
  bool is_read;              /* by an RDMA Read, which the receiver of the data posts */
  bool is_send;              /* the data is a Send's */
  bool solicits;             /* a Send of the data with Solicited Event */
  bool invalidates;          /* the same with Invalidate */
  unsigned arrivals_at_peer; /* messages that reach its ULP: Sends, Writes and Read Responses */
  unsigned arrivals_at_requester;
} ulp_operation_rules;

/* The row of `operation`; static. */
const ulp_operation_rules *ulp_operation_rules_of(ulp_operation operation);

#endif
