/* Buffers that a workload's messages use in turn: a ring of slots in one end's memory, with guards around each, and what both ULPs know
 * of each slot. At most as many as can be in flight + 2 (design.md, Real octets): a slot's next user is announced only after its last
 * was verified. */
#ifndef RNIC_RNIC_WORKLOAD_SLOTS_H
#define RNIC_RNIC_WORKLOAD_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "base/pattern.h"

typedef struct rnic_workload_slots rnic_workload_slots;

typedef struct rnic_workload_slot {
  uint8_t *memory;
  uint64_t index;
  bool is_taken;
  uint64_t payload; /* where in the pattern table its message starts */
  uint32_t length;  /* octets of that message: at most the slot's; set by who takes the slot */
  const pattern *table;
  uint32_t stag; /* of the memory, at the end it is in; base: its Tagged Offset. 0: none */
  uint64_t base;
  uint32_t source_stag; /* of the same message where it comes from, for an RDMA Read; 0: none */
  uint64_t source_base;
} rnic_workload_slot;

/* `count` (> 0) free slots of `octets`. Free with rnic_workload_slots_free() (NULL is allowed). */
rnic_workload_slots *rnic_workload_slots_new(uint64_t count, uint32_t octets, const pattern *table);
void rnic_workload_slots_free(rnic_workload_slots *slots);

/* Slots in all; the slot `index` of them; octets of each. */
uint64_t rnic_workload_slots_count(const rnic_workload_slots *slots);
rnic_workload_slot *rnic_workload_slots_at(rnic_workload_slots *slots, uint64_t index);
uint32_t rnic_workload_slots_octets(const rnic_workload_slots *slots);

/* How many are free; the next one in turn when that is, for a message that starts at `payload` of the table, else NULL. */
uint64_t rnic_workload_slots_free_count(const rnic_workload_slots *slots);
bool rnic_workload_slots_has_next(const rnic_workload_slots *slots);
rnic_workload_slot *rnic_workload_slots_take(rnic_workload_slots *slots, uint64_t payload);
void rnic_workload_slots_release(rnic_workload_slots *slots, rnic_workload_slot *slot);

/* Nobody wrote into the octets on either side of `slot`. */
bool rnic_workload_slots_guards_intact(const rnic_workload_slots *slots, const rnic_workload_slot *slot);

/* A ddp_payload_source for the message of the rnic_workload_slot `user`. */
void rnic_workload_slot_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope);

#endif
