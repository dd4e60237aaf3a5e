/* SPDX-License-Identifier: GPL-2.0-only */
/* This has RDMAP's control field and opcodes (rdmap-00 §6.1, RFC 7306 §4.1): one table row an opcode. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/iwarp_generation.h"

typedef enum rdmap_opcode {
  RDMAP_WRITE = 0x0,              /* RDMAP-056 */
  RDMAP_READ_REQUEST = 0x1,       /* RDMAP-057 */
  RDMAP_READ_RESPONSE = 0x2,      /* RDMAP-058 */
  RDMAP_SEND = 0x3,               /* RDMAP-059 */
  RDMAP_SEND_INVALIDATE = 0x4,    /* RDMAP-060 */
  RDMAP_SEND_SE = 0x5,            /* RDMAP-061; SE: Solicited Event */
  RDMAP_SEND_SE_INVALIDATE = 0x6, /* RDMAP-062 */
  RDMAP_TERMINATE = 0x7,          /* RDMAP-063 */
  RDMAP_IMMEDIATE = 0x8,          /* RFC 7306 §4.1, as all that follow */
  RDMAP_IMMEDIATE_SE = 0x9,
  RDMAP_ATOMIC_REQUEST = 0xA,
  RDMAP_ATOMIC_RESPONSE = 0xB,
  RDMAP_OPCODES /* those above are reserved */
} rdmap_opcode;

/* RDMAP has these untagged queues (rdmap-00 §5.1, RDMAP-017; RFC 7306 §10.2). */
enum {
  RDMAP_QUEUE_SEND = 0,         /* and Immediate Data */
  RDMAP_QUEUE_READ_REQUEST = 1, /* and Atomic Requests */
  RDMAP_QUEUE_TERMINATE = 2,
  RDMAP_QUEUE_ATOMIC_RESPONSE = 3,
  RDMAP_QUEUES
};

/* This is how DDP carries the messages of an opcode (rdmap-00 §6.1 fig. 4, §6.2 fig. 5; RDMAP-043 …
 * RDMAP-045, RDMAP-065; RFC 7306 §4.1 fig. 2), and how long they are (§6.4; RFC 7306 §5.2, §6.3). */
typedef struct rdmap_opcode_rules {
  rdmap_opcode opcode;
  const char *name;
  bool tagged;           /* which buffer model carries it */
  uint32_t queue_number; /* of untagged ones */
  uint32_t fixed_octets; /* after the DDP header; 0: as many as the ULP has */
  bool is_send;          /* one of the four Send types */
  bool invalidates;      /* carries an Invalidate STag */
  bool solicits;         /* Solicited Event */
  bool is_extension;     /* exists only where iwarp_generation_rules has rdmap_extensions */
} rdmap_opcode_rules;

/* Returns whether a message of `opcode` asks for one of the peer's RDMAP, … */
static inline bool rdmap_is_request(rdmap_opcode opcode)
{
  return opcode == RDMAP_READ_REQUEST || opcode == RDMAP_ATOMIC_REQUEST;
}

/* … and whether it is such an answer. */
static inline bool rdmap_is_response(rdmap_opcode opcode)
{
  return opcode == RDMAP_READ_RESPONSE || opcode == RDMAP_ATOMIC_RESPONSE;
}

/* Returns the row of `opcode` (4 bits, as received); NULL when it is reserved in all generations. */
const rdmap_opcode_rules *rdmap_opcode_rules_of(uint8_t opcode);

/* Returns how many untagged queues `generation` has. */
uint32_t rdmap_queues_of(iwarp_generation generation);

/* Returns the control octet: RV in the top two bits, the opcode in the low four, 0 between (rdmap-00 §6.1
 * fig. 3; RDMAP-041, RDMAP-051). */
uint8_t rdmap_control_encode(uint8_t version, rdmap_opcode opcode);

/* Return RV and opcode of a received control octet; the bits between are ignored (RDMAP-052). */
uint8_t rdmap_control_version(uint8_t control);
uint8_t rdmap_control_opcode(uint8_t control);

/* The RDMA Read Request header (rdmap-00 §6.4 fig. 6, RDMAP-068 … RDMAP-076). */

enum { RDMAP_READ_REQUEST_OCTETS = 28, RDMAP_IMMEDIATE_OCTETS = 8 };

typedef struct rdmap_read_request {
  uint32_t sink_stag;
  uint64_t sink_offset; /* SinkTO */
  uint32_t length;      /* RDMARDSZ, octets */
  uint32_t source_stag;
  uint64_t source_offset; /* SrcTO */
} rdmap_read_request;

void rdmap_read_request_encode(const rdmap_read_request *request, uint8_t wire[RDMAP_READ_REQUEST_OCTETS]);
void rdmap_read_request_decode(rdmap_read_request *request, const uint8_t wire[RDMAP_READ_REQUEST_OCTETS]);

/* Returns what is left of `request` once `sent_octets` (at most its length) of the response are with DDP: the
 * header a Terminate copies when a Read fails midway (rdmap-00 §6.8; RDMAP-095, RDMAP-096, note D36). */
rdmap_read_request rdmap_read_request_rest(const rdmap_read_request *request, uint32_t sent_octets);
