#include "rnic/rnic_sink_ring.h"

#include <glib.h>
#include <string.h>

enum {
  GUARD_OCTETS = 64,
  GUARD_VALUE = 0xA5,
};

struct rnic_sink_ring {
  uint64_t slots;
  uint32_t slot_octets;
  uint64_t stride; /* a slot and the guard before it; one more guard ends the memory */
  uint8_t *memory;
  uint8_t intact[GUARD_OCTETS]; /* what a guard is compared with: one comparison a message */
};

rnic_sink_ring *rnic_sink_ring_new(uint64_t slots, uint32_t slot_octets)
{
  g_assert(slots > 0);
  rnic_sink_ring *ring = g_new0(rnic_sink_ring, 1);

  ring->slots = slots;
  ring->slot_octets = slot_octets;
  ring->stride = (uint64_t)GUARD_OCTETS + slot_octets;
  ring->memory = g_malloc(slots * ring->stride + GUARD_OCTETS);
  memset(ring->memory, GUARD_VALUE, slots * ring->stride + GUARD_OCTETS);
  memset(ring->intact, GUARD_VALUE, GUARD_OCTETS);
  return ring;
}

void rnic_sink_ring_free(rnic_sink_ring *ring)
{
  if (ring) {
    g_free(ring->memory);
    g_free(ring);
  }
}

uint64_t rnic_sink_ring_slots(const rnic_sink_ring *ring)
{
  return ring->slots;
}

uint8_t *rnic_sink_ring_slot(const rnic_sink_ring *ring, uint64_t message)
{
  return ring->memory + (message % ring->slots) * ring->stride + GUARD_OCTETS;
}

bool rnic_sink_ring_guards_intact(const rnic_sink_ring *ring, uint64_t message)
{
  const uint8_t *slot = rnic_sink_ring_slot(ring, message);

  return memcmp(slot - GUARD_OCTETS, ring->intact, GUARD_OCTETS) == 0 &&
         memcmp(slot + ring->slot_octets, ring->intact, GUARD_OCTETS) == 0;
}
