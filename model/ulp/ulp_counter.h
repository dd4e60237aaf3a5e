/* SPDX-License-Identifier: GPL-2.0-only */
/* 8 octets of memory that Atomic Operations count in, and what must be in them: each operation adds 1, or
 * puts the next number in the place of the one that it compares with. RNICs that execute one at a time leave
 * no number out, and none twice (RFC 7306 §5): that holds for the operations of all connections together. */
#pragma once

#include "rdmap/rdmap_atomic.h"

/* It is read by everyone, and written only by the functions below. */
typedef struct ulp_counter {
  uint8_t memory[RDMAP_ATOMIC_OCTETS];
  uint32_t connections; /* that count here */
  uint32_t under_way;   /* operations posted and not complete */
  uint64_t posted;      /* numbers that those posted reach, if each finds what it compares with */
  uint64_t counted;     /* of those that are complete */
  uint64_t found;       /* the sum of the numbers that these have found, modulo 2^64 */
} ulp_counter;

/* Makes `counter` begin at its first number; no connection counts there. */
void ulp_counter_init(ulp_counter *counter);

/* Fills `atomic` but for its STag and offset: the operation `opcode` that is posted now. One in four that
 * compare do so with what is never there, and change nothing. */
void ulp_counter_post(ulp_counter *counter, rdmap_atomic_opcode opcode, uint64_t message,
                      rdmap_atomic *atomic);

/* The operation `opcode`, which compared with `compare`, is complete, and has found `original`. Returns
 * whether that, and the memory, are as they must be: for one connection after each operation; for several,
 * whose order nobody knows, when none is under way. */
bool ulp_counter_complete(ulp_counter *counter, rdmap_atomic_opcode opcode, uint64_t compare,
                          uint64_t original);
