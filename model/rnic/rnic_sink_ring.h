/* The Data Sink's memory: a ring of equal slots with guard octets around each. */
#ifndef RNIC_RNIC_SINK_RING_H
#define RNIC_RNIC_SINK_RING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rnic_sink_ring rnic_sink_ring;

/* `slots` (> 0) slots of `slot_octets` octets, all touched, so that no page is touched first in the run (design.md: fresh memory
 * costs 4 us a segment). Free with rnic_sink_ring_free(). */
rnic_sink_ring *rnic_sink_ring_new(uint64_t slots, uint32_t slot_octets);
void rnic_sink_ring_free(rnic_sink_ring *ring);

/* Number of slots; the memory of slot `message` modulo that number. */
uint64_t rnic_sink_ring_slots(const rnic_sink_ring *ring);
uint8_t *rnic_sink_ring_slot(const rnic_sink_ring *ring, uint64_t message);

/* True while nobody has written into the guard octets on either side of that slot. */
bool rnic_sink_ring_guards_intact(const rnic_sink_ring *ring, uint64_t message);

#endif
