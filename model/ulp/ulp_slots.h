/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that a workload's messages use in turn: slots of one end's memory, and what both ULPs know of each
 * that is taken. At most as many as can be in flight + 2 (docs/decisions.md, "Two ULPs in one process"): a
 * slot's next user is announced only after its last was verified. A slot takes room only while it is taken,
 * and has memory only from the first octet that is placed there; its STags stay its own, and are valid while
 * it is taken. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/pattern.h"
#include "rnic/rnic_verbs.h"

/* These are the STags that a slot has: of its memory; of the message at the other end, when an RDMA Read
 * fetches it there.
 */
typedef enum ulp_slot_stag { ULP_SLOT_STAG, ULP_SLOT_SOURCE_STAG, ULP_SLOT_STAGS } ulp_slot_stag;

typedef struct ulp_slots_config {
  uint32_t count;  /* > 0 */
  uint32_t octets; /* of each */
  bool has_stags[ULP_SLOT_STAGS];
  /* Messages have any size, and few may ever be taken at once: an STag is allocated when it is needed first,
   * and a Tagged Buffer is about as long as its message. */
  bool grows;
  unsigned access;             /* of the memory's STags: DDP_ACCESS_… */
  ddp_association association; /* of all STags */
  const pattern *table;        /* outlives them */
} ulp_slots_config;

/* A slot that is taken. */
typedef struct ulp_slot {
  uint8_t *memory; /* NULL: nothing was placed there yet */
  rnic_buffer_pool *pool;
  uint64_t number;  /* how many were taken before */
  uint32_t index;   /* that modulo the number of slots */
  uint32_t length;  /* octets of its message: at most the slot's */
  uint64_t payload; /* where in the pattern table its message starts */
  const pattern *table;
  uint32_t stag;        /* of the memory, at the end it is in; base: its Tagged Offset. 0: none */
  uint32_t source_stag; /* of the same message where it comes from, for an RDMA Read; 0: none */
  uint64_t base;
  uint64_t source_base;
  struct ulp_slot *older, *newer; /* the slots' own, as the next */
  uint32_t references;
  bool is_long; /* memory is not kept: of slots that grow */
} ulp_slot;

/* It is read by everyone, and written only by the functions below. */
typedef struct ulp_slots {
  ulp_slots_config config;
  rnic_endpoint *endpoints[ULP_SLOT_STAGS]; /* that have lent them; NULL: none yet */
  rnic_buffer_pool *pool;
  uint32_t next; /* in turn; of those that grow how many were ever taken at once */
  uint32_t free_count;
  uint64_t taken_count;            /* so far */
  uint32_t *stags[ULP_SLOT_STAGS]; /* of each slot; of those that grow the STags that are in none. NULL: there
                                      are none */
  ulp_slot *oldest;                /* of those that are taken, in the order taken */
  ulp_slot *newest;
  ulp_slot *found; /* the last one that was looked up; NULL: it is free again */
  uint8_t *stray;  /* where a misbehaving peer's octets go; NULL: there were none */
} ulp_slots;

/* Free slots; `config` is copied. Free with ulp_slots_free() (NULL is allowed), before the endpoints' hosts.
 */
ulp_slots *ulp_slots_new(const ulp_slots_config *config);
void ulp_slots_free(ulp_slots *slots);

/* Returns how many such STags ulp_slots_lend() allocates: of slots that grow none. `slots` may be NULL. */
uint32_t ulp_slots_stags(const ulp_slots *slots, ulp_slot_stag which);

/* The end with `endpoint` has what `which` STags are of, the memory or the messages, and allocates these.
 * Each end once, before a slot is taken. */
void ulp_slots_lend(ulp_slots *slots, ulp_slot_stag which, rnic_endpoint *endpoint);

/* Return whether the next one in turn is free; and it, when it is, for a message of `length` octets that
 * starts at `payload` of the table, with its STags valid, else NULL. */
bool ulp_slots_has_next(const ulp_slots *slots);
ulp_slot *ulp_slots_take(ulp_slots *slots, uint64_t payload, uint32_t length);

/* The slot of `slot` gets another STag when it is taken next: the peer invalidated this one. */
void ulp_slots_renew_stag(ulp_slots *slots, ulp_slot *slot, ulp_slot_stag which);

/* `slot` is free again: its STags are not valid any more, and it belongs only to those who have a reference
 * of their own. False when somebody wrote into the octets on either side of it. */
bool ulp_slots_release(ulp_slots *slots, ulp_slot *slot);

/* The message's octets up to `to`, from `from` on, are verified: nobody reads them again. Of a very long one
 * they take no memory any more; of others that would cost more time than it is worth. */
static inline void ulp_slot_verified(const ulp_slot *slot, uint32_t from, uint32_t to)
{
  enum { STEP_OCTETS = 1 << 18, KEPT_WHOLE_OCTETS = 1 << 22 };

  if (slot->is_long && slot->length > KEPT_WHOLE_OCTETS && from / STEP_OCTETS != to / STEP_OCTETS) {
    const uint32_t start = from / STEP_OCTETS * STEP_OCTETS;
    rnic_buffer_pool_forget(slot->memory + start, to / STEP_OCTETS * STEP_OCTETS - start);
  }
}

/* A reference: the slot and its memory stay as they are, though the number may be taken anew. NULL is
 * allowed. */
void ulp_slot_ref(ulp_slot *slot);
void ulp_slot_unref(ulp_slot *slot);

/* A ddp_buffer_supplier for the ulp_slots `user`: the memory of the slot with number `id`, from now on. A
 * misbehaving peer's octets for a slot that is not taken are never compared with a message. */
uint8_t *ulp_slots_memory(void *user, uint64_t id);

/* A ddp_payload_source for the message of the ulp_slot `user`. */
octet_slice ulp_slot_payload(void *user, uint64_t from, uint32_t length);
