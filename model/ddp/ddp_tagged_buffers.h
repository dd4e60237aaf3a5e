/* The Tagged Buffers of one stream: STags with base and bounds (ddp-07/rfc5041 §5.1.1, §7.1, §8.3
 * [v1.0: §7.1.1, §9.1, §10.3]; DDP-194, DDP-195). */
#ifndef DDP_DDP_TAGGED_BUFFERS_H
#define DDP_DDP_TAGGED_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_error.h"

typedef struct ddp_tagged_buffers ddp_tagged_buffers;

/* No registrations; free with ddp_tagged_buffers_free(). */
ddp_tagged_buffers *ddp_tagged_buffers_new(void);

/* Frees the registrations, not the memory they name. NULL is allowed. */
void ddp_tagged_buffers_free(ddp_tagged_buffers *buffers);

/* Makes the `length` octets at `memory` reachable under `stag` as Tagged Offsets [base, base + length),
 * for writing (octet-exact: DDP-194, DDP-210). The memory stays the caller's and must outlive the
 * registration. Returns false when the STag is in use or base + length passes 2^64. */
bool ddp_tagged_buffers_register(ddp_tagged_buffers *buffers, uint32_t stag, uint64_t base, uint64_t length,
                                 uint8_t *memory);

/* Takes the registration back (DDP-195); false when there is none. */
bool ddp_tagged_buffers_deregister(ddp_tagged_buffers *buffers, uint32_t stag);

/* The memory for `length` octets (> 0; zero-length tagged segments look at no STag, notes-ddp-rdmap 13) at
 * `offset` under `stag`; NULL and `*error` set when the STag is not valid (DDP-152), TO + length wraps
 * (DDP-156; checked before bounds, notes-ddp-rdmap 11: a sum of exactly 2^64 is a wrap), or the range is
 * out of bounds (DDP-154, DDP-155), in this order (notes-ddp-rdmap 12). */
uint8_t *ddp_tagged_buffers_find(const ddp_tagged_buffers *buffers, uint32_t stag, uint64_t offset,
                                 uint32_t length, ddp_error *error);

#endif
