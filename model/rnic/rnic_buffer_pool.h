/* Buffers of one size for the ULPs of one host, with guard octets on both sides of each: taken when a message is posted for one, given
 * back when it was verified, so that the connections of a host need as much memory as messages are under way. The buffer given back last
 * is the next to be taken: its memory is warm. */
#ifndef RNIC_RNIC_BUFFER_POOL_H
#define RNIC_RNIC_BUFFER_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rnic_buffer_pool rnic_buffer_pool;

/* Buffers of `octets` (0: there is no memory, and what is taken is NULL). Free with rnic_buffer_pool_free() (NULL is allowed), after
 * all have been given back. */
rnic_buffer_pool *rnic_buffer_pool_new(uint32_t octets);
void rnic_buffer_pool_free(rnic_buffer_pool *pool);

/* Octets of each. */
uint32_t rnic_buffer_pool_octets(const rnic_buffer_pool *pool);

/* A buffer whose octets may have any value and whose guards are whole. */
uint8_t *rnic_buffer_pool_take(rnic_buffer_pool *pool);

/* Takes back a buffer of this pool's, and its memory. */
void rnic_buffer_pool_give(rnic_buffer_pool *pool, uint8_t *buffer);

/* True while nobody has written into the guard octets on either side of a buffer that is taken. */
bool rnic_buffer_pool_guards_intact(const rnic_buffer_pool *pool, const uint8_t *buffer);

#endif
