/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that a workload's messages use in turn: slots of one end's memory, and what both ULPs know of each that is taken. At most as
 * many as can be in flight + 2 (design.md, Real octets): a slot's next user is announced only after its last was verified. A slot takes
 * room only while it is taken, and has memory only from the first octet that is placed there; its STags stay its own. */
#ifndef ULP_ULP_WORKLOAD_SLOTS_H
#define ULP_ULP_WORKLOAD_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "base/pattern.h"
#include "rnic/rnic_host.h"

typedef struct ulp_workload_slots ulp_workload_slots;

/* A slot that is taken. */
typedef struct ulp_workload_slot {
  uint8_t *memory; /* NULL: nothing was placed there yet */
  rnic_buffer_pool *pool;
  uint64_t number;  /* how many were taken before */
  uint32_t index;   /* that modulo the number of slots */
  uint32_t length;  /* octets of its message: at most the slot's; set by who takes the slot */
  uint64_t payload; /* where in the pattern table its message starts */
  const pattern *table;
  uint32_t stag;        /* of the memory, at the end it is in; base: its Tagged Offset. 0: none */
  uint32_t source_stag; /* of the same message where it comes from, for an RDMA Read; 0: none */
  uint64_t base;
  uint64_t source_base;
  struct ulp_workload_slot *older, *newer; /* the slots' own, as the next */
  uint32_t references;
} ulp_workload_slot;

/* What STags a slot has. */
typedef enum ulp_slot_stag {
  ULP_SLOT_STAG,        /* ulp_workload_slot.stag */
  ULP_SLOT_SOURCE_STAG, /* ulp_workload_slot.source_stag */
  ULP_SLOT_STAGS
} ulp_slot_stag;

/* `count` (> 0) free slots of buffers of `pool`, which outlives them. Free with ulp_workload_slots_free() (NULL is allowed). */
ulp_workload_slots *ulp_workload_slots_new(uint32_t count, rnic_buffer_pool *pool, const pattern *table);
void ulp_workload_slots_free(ulp_workload_slots *slots);

/* Slots in all; octets of each. */
uint32_t ulp_workload_slots_count(const ulp_workload_slots *slots);
uint32_t ulp_workload_slots_octets(const ulp_workload_slots *slots);

/* Gives the slot `index` an STag, which is in the slot when it is taken from here on. */
void ulp_workload_slots_set_stag(ulp_workload_slots *slots, uint32_t index, ulp_slot_stag which,
                                 uint32_t stag);

/* How many are free; the next one in turn when that is, for a message that starts at `payload` of the table, else NULL. */
uint32_t ulp_workload_slots_free_count(const ulp_workload_slots *slots);
bool ulp_workload_slots_has_next(const ulp_workload_slots *slots);
ulp_workload_slot *ulp_workload_slots_take(ulp_workload_slots *slots, uint64_t payload);

/* `slot` is free again: it is nobody's any more but of those who have a reference of their own. */
void ulp_workload_slots_release(ulp_workload_slots *slots, ulp_workload_slot *slot);

/* A reference: the slot and its memory stay as they are, though the number may be taken anew. NULL is allowed. */
void ulp_workload_slot_ref(ulp_workload_slot *slot);
void ulp_workload_slot_unref(ulp_workload_slot *slot);

/* The memory of the ulp_workload_slot `user`, from now on: what a registration asks for when the first octets come. */
uint8_t *ulp_workload_slot_supply(void *user);

/* A ddp_buffer_supplier for the ulp_workload_slots `user`: the same for the slot with number `id`. A misbehaving peer's octets for one
 * that is not taken go nowhere that a message is compared with. */
uint8_t *ulp_workload_slots_memory(void *user, uint64_t id);

/* Nobody wrote into the octets on either side of `slot`. */
bool ulp_workload_slots_guards_intact(const ulp_workload_slots *slots, const ulp_workload_slot *slot);

/* A ddp_payload_source for the message of the ulp_workload_slot `user`. */
void ulp_workload_slot_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope);

#endif
