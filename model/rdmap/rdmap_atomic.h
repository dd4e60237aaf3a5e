/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic Operations (RFC 7306 §5): the headers of their Request and Response, and what they do to 64 bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* AOpCode (RFC 7306 §5.2.1 fig. 5, §10.1); all others are reserved or unassigned. */
typedef enum rdmap_atomic_opcode {
  RDMAP_ATOMIC_FETCH_ADD = 0x0,
  RDMAP_ATOMIC_COMPARE_SWAP = 0x2, /* CmpSwap */
} rdmap_atomic_opcode;

/* The Response has 12 octets, as figure 6 has it, not 32 as §4 of RFC 7306 (note D65). */
enum { RDMAP_ATOMIC_REQUEST_OCTETS = 52, RDMAP_ATOMIC_RESPONSE_OCTETS = 12, RDMAP_ATOMIC_OCTETS = 8 };

/* One Atomic Operation, as its Request names it (RFC 7306 §5.2.1 fig. 4). */
typedef struct rdmap_atomic {
  rdmap_atomic_opcode opcode; /* of a received one: any of 4 bits */
  uint32_t id;                /* Request Identifier: RDMAP's to choose */
  uint32_t stag;
  uint64_t offset; /* Tagged Offset of the 8 octets, which are aligned */
  uint64_t data;   /* to add, or to put in its place */
  uint64_t mask;   /* FetchAdd: the highest bit of each field; CmpSwap: the bits that are put */
  uint64_t compare;
  uint64_t compare_mask; /* CmpSwap: the bits that are compared */
} rdmap_atomic;

/* Write and read a Request's header. Of a FetchAdd no Compare Data and a Compare Mask of ones are sent;
 * reserved bits are sent as 0 and ignored. */
void rdmap_atomic_request_encode(const rdmap_atomic *atomic, uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS]);
void rdmap_atomic_request_decode(rdmap_atomic *atomic, const uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS]);

/* Write and read a Response's header (RFC 7306 §5.2.2 fig. 6): the identifier of its Request, and what the 8
 * octets were before. */
void rdmap_atomic_response_encode(uint32_t id, uint64_t original, uint8_t wire[RDMAP_ATOMIC_RESPONSE_OCTETS]);
void rdmap_atomic_response_decode(uint32_t *id, uint64_t *original,
                                  const uint8_t wire[RDMAP_ATOMIC_RESPONSE_OCTETS]);

/* Returns whether there is such an operation. */
bool rdmap_atomic_is_supported(const rdmap_atomic *atomic);

/* Returns what `original` becomes by `atomic`, a supported one (RFC 7306 §5.1.1, §5.1.2). */
uint64_t rdmap_atomic_result(const rdmap_atomic *atomic, uint64_t original);

/* Return and set the value of the 8 octets of memory at `memory`, of any alignment. The memory of all hosts
 * is little-endian, whatever machine simulates them (RFC 7306 §5.1.1; note D66). */
uint64_t rdmap_atomic_load(const uint8_t memory[RDMAP_ATOMIC_OCTETS]);
void rdmap_atomic_store(uint8_t memory[RDMAP_ATOMIC_OCTETS], uint64_t value);
