/* SPDX-License-Identifier: GPL-2.0-only */
/* The sequence of what a requester posts: its messages, each an operation of a mix that takes turns, and the
 * zero-length Sends that inform the peer that RDMA Writes are placed (docs/scenario.md, "What the messages
 * are"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "rdmap/rdmap_stream.h"

/* --- Operations --- */

/* This is what a message can be: an RDMAP operation, or an exchange made of several. One table row each. */
typedef enum ulp_operation {
  ULP_OPERATION_WRITE,
  ULP_OPERATION_READ,
  ULP_OPERATION_SEND,
  ULP_OPERATION_SEND_INVALIDATE,
  ULP_OPERATION_SEND_SE,
  ULP_OPERATION_SEND_SE_INVALIDATE,
  /* Request (Send); the peer answers with an RDMA Write of the data, then a response (Send with
   * Invalidate). */
  ULP_OPERATION_STORAGE_READ,
  /* Request (Send); the peer fetches the data by RDMA Read, then sends a response (Send with Solicited Event
     and Invalidate). */
  ULP_OPERATION_STORAGE_WRITE,
  ULP_OPERATION_RPC, /* request (Send), answered by a Send of the data */
  /* Request; the peer answers with an RDMA Write of the data, then a Send without payload. */
  ULP_OPERATION_RPC_WRITE,
  /* Request; the peer's response (Send) names the data, which the requester fetches by RDMA Read. */
  ULP_OPERATION_RPC_READ,
  /* An RDMA Write, and Immediate Data that informs the peer of it: InfiniBand's Write with Immediate (RFC
   * 7306 §6). With a Solicited Event. */
  ULP_OPERATION_WRITE_IMMEDIATE,
  ULP_OPERATION_WRITE_IMMEDIATE_SE,
  /* Atomic Operations on 8 octets at the peer (RFC 7306 §5), whose former value is the data. */
  ULP_OPERATION_FETCH_ADD,
  ULP_OPERATION_COMPARE_SWAP,
  ULP_OPERATIONS
} ulp_operation;

enum {
  /* Octets of a storage exchange's request and of its response: as iSCSI's header has (RFC 7143 §11.2.1). An
   * rpc's response that names the data has as many. */
  ULP_STORAGE_MESSAGE_OCTETS = 48,
  ULP_ATOMIC_OCTETS = RDMAP_ATOMIC_OCTETS, /* of an Atomic's message */
};

/* The requester is the end whose ULP starts the message; the other is its peer. */
typedef struct ulp_operation_rules {
  rdmap_opcode posted;      /* what the requester posts */
  rdmap_opcode response;    /* of exchanges: the peer's Send that answers the request */
  uint32_t response_octets; /* of a response that is not the data */
  bool is_exchange;         /* a request, the data, a response */
  bool is_rpc;              /* such a one, whose request has the octets that the workload wants */
  bool to_requester;        /* the data goes to the requester; else to the peer */
  bool is_send;    /* it is a Send's, of an exchange the response's; else it goes to a Tagged Buffer, … */
  bool is_read;    /* … by an RDMA Read, which the receiver of the data posts, … */
  bool is_fetched; /* … of an exchange that ends with it: after the response */
  bool is_atomic;  /* it is an Atomic's, this one: */
  rdmap_atomic_opcode atomic;
  rdmap_opcode immediate;    /* what follows the Write at once; RDMAP_WRITE: nothing */
  bool invalidates;          /* a Send of data, with Invalidate */
  unsigned messages_at_peer; /* messages that reach its ULP: Sends, Writes and Read Responses */
  unsigned messages_at_requester;
} ulp_operation_rules;

/* The row of `operation`; static. */
const ulp_operation_rules *ulp_operation_rules_of(ulp_operation operation);

/* This is what the operations of a mix need. */
typedef struct ulp_mix_needs {
  bool sends;   /* of data, to the peer */
  bool answers; /* Sends of data to the requester */
  bool writes;
  bool immediates; /* to the peer */
  bool atomics;
  bool exchanges;
  bool rpcs; /* some of them */
  bool invalidates;
  bool renews;   /* STags that Sends invalidate, those of exchanges among them */
  bool fills[2]; /* Tagged Buffers at the requester and, second, at its peer, … */
  bool reads[2]; /* … some of them filled by RDMA Reads */
} ulp_mix_needs;
ulp_mix_needs ulp_mix_needs_of(const choice_list *mix);

/* --- The sequence --- */

typedef struct ulp_plan {
  const choice_list *mix; /* of ulp_operation, at least one; outlives the plan */
  uint64_t messages;      /* >= 1 */
  uint64_t signal_every;  /* Writes between two signals; 0: one signal after the last Write */
  /* The rest is where it stands. */
  uint64_t message;    /* the next */
  uint64_t writes;     /* so far */
  bool signal_due;     /* comes before the next message */
  uint64_t all_writes; /* of the whole plan; 0: there are none, or they are not counted yet. UINT64_MAX:
                          nobody knows before the plan ends */
} ulp_plan;

typedef struct ulp_step {
  bool is_signal; /* nothing else counts then */
  ulp_operation operation;
  uint64_t message;
  bool invalidates_write;    /* a Send with Invalidate right after a Write: of that Write's STag */
  bool is_invalidated_write; /* that Write */
} ulp_step;

/* The next step without taking it; false when all are taken. */
bool ulp_plan_peek(const ulp_plan *plan, ulp_step *step);

/* Takes `step`, which is the next: its operation may be another than the mix has. */
void ulp_plan_take(ulp_plan *plan, const ulp_step *step);

/* No more messages follow; a signal does, unless there is none to give. */
void ulp_plan_cut(ulp_plan *plan);

/* Returns whether all steps are taken. */
static inline bool ulp_plan_is_done(const ulp_plan *plan)
{
  return plan->message == plan->messages && !plan->signal_due;
}

/* Returns, of a plan at its start, how many messages reach the ULP of one end. */
uint64_t ulp_plan_messages(const ulp_plan *plan, bool at_peer);
