/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_terminate.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

/* The Terminate Control Field (rdmap-00 §6.8 fig. 8; RDMAP-079, RDMAP-080) and what follows it. The 13 bits
 * after R are reserved, although the text has 8 (RDMAP-081, note D42). */
enum {
  TYPE_MASK = 0x0F,
  LAYER_SHIFT = 4,
  FLAGS_AT = 2,
  FLAG_SEGMENT_LENGTH = 0x80, /* M */
  FLAG_DDP_HEADER = 0x40,     /* D */
  FLAG_RDMA_HEADER = 0x20,    /* R */
  SEGMENT_LENGTH_OCTETS = 2,
};

G_STATIC_ASSERT(RDMAP_TERMINATE_MAX_OCTETS == RDMAP_TERMINATE_CONTROL_OCTETS + SEGMENT_LENGTH_OCTETS +
                                                  DDP_UNTAGGED_HEADER_OCTETS + RDMAP_READ_REQUEST_OCTETS);

/* Takes the DDP header at `wire`, of which `length` octets are there; returns its length, 0 when it is not
 * whole. */
static size_t take_header(rdmap_terminate *terminate, const uint8_t *wire, size_t length)
{
  buffer_chain front = {0};
  buffer_chain_append(&front, wire, (uint32_t)MIN(length, DDP_MAX_HEADER_OCTETS), NULL);
  size_t header_octets = ddp_header_decode(&terminate->header, &front);
  buffer_chain_clear(&front);
  memcpy(terminate->header_wire, wire, header_octets);
  return header_octets;
}

void rdmap_terminate_compose(rdmap_terminate *terminate, rdmap_error error,
                             const rdmap_terminate_subject *subject)
{
  *terminate = (rdmap_terminate){.error = error};
  /* rdmap-00 §6.8 fig. 10: which errors have the failing segment's length and DDP header (RDMAP-115 …
   * RDMAP-119) */
  bool includes_segment = error.layer == RDMAP_LAYER_DDP ||
                          (error.layer == RDMAP_LAYER_RDMA && error.type != RDMAP_LOCAL_CATASTROPHIC_ERROR);
  if (!subject || subject->header_octets == 0 || !includes_segment) {
    return; /* without a whole header there is nothing to copy (notes D15, D44) */
  }
  size_t header_octets = take_header(terminate, subject->header_wire, subject->header_octets);
  g_assert(header_octets == subject->header_octets);
  g_assert(subject->segment_octets >= header_octets && subject->segment_octets <= UINT16_MAX);
  terminate->has_segment = true;
  terminate->segment_octets = (uint16_t)subject->segment_octets;
  /* Only when RDMAP itself refuses a Read Request for what it reads, not for DDP's errors in one, nor for its
   * version or opcode (RDMAP-116 … RDMAP-118, note D45). */
  if (subject->request && error.layer == RDMAP_LAYER_RDMA && error.type == RDMAP_REMOTE_PROTECTION_ERROR) {
    terminate->has_request = true;
    terminate->request = *subject->request;
  }
}

size_t rdmap_terminate_encode(const rdmap_terminate *terminate, uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS])
{
  g_assert(terminate->error.layer <= TYPE_MASK && terminate->error.type <= TYPE_MASK);
  g_assert(terminate->has_segment || !terminate->has_request);
  memset(wire, 0, RDMAP_TERMINATE_CONTROL_OCTETS); /* RDMAP-083 */
  wire[0] = (uint8_t)(terminate->error.layer << LAYER_SHIFT | terminate->error.type);
  wire[1] = terminate->error.code;
  size_t octets = RDMAP_TERMINATE_CONTROL_OCTETS;
  if (terminate->has_segment) {
    wire[FLAGS_AT] |= FLAG_SEGMENT_LENGTH | FLAG_DDP_HEADER;
    big_endian_write_16(wire + octets, terminate->segment_octets);
    octets += SEGMENT_LENGTH_OCTETS;
    size_t header_octets = ddp_header_octets(&terminate->header);
    memcpy(wire + octets, terminate->header_wire, header_octets);
    octets += header_octets;
  }
  if (terminate->has_request) {
    wire[FLAGS_AT] |= FLAG_RDMA_HEADER;
    rdmap_read_request_encode(&terminate->request, wire + octets);
    octets += RDMAP_READ_REQUEST_OCTETS;
  }
  return octets;
}

bool rdmap_terminate_decode(rdmap_terminate *terminate, const uint8_t *wire, size_t length)
{
  *terminate = (rdmap_terminate){0};
  if (length < RDMAP_TERMINATE_CONTROL_OCTETS) {
    return false;
  }
  terminate->error =
      (rdmap_error){.layer = wire[0] >> LAYER_SHIFT, .type = wire[0] & TYPE_MASK, .code = wire[1]};
  uint8_t flags = wire[FLAGS_AT];
  size_t at = RDMAP_TERMINATE_CONTROL_OCTETS;
  /* Without D there is neither a length nor a place that R's part could be sought at (RDMAP-089). */
  if (!(flags & FLAG_DDP_HEADER) || length < at + SEGMENT_LENGTH_OCTETS) {
    return true;
  }
  uint16_t segment_octets = big_endian_read_16(wire + at);
  at += SEGMENT_LENGTH_OCTETS;
  size_t header_octets = take_header(terminate, wire + at, length - at);
  if (header_octets == 0) {
    return true;
  }
  terminate->has_segment = true;
  terminate->segment_octets = flags & FLAG_SEGMENT_LENGTH ? segment_octets : 0; /* RDMAP-088 */
  at += header_octets;
  if (flags & FLAG_RDMA_HEADER && length - at >= RDMAP_READ_REQUEST_OCTETS) {
    terminate->has_request = true;
    rdmap_read_request_decode(&terminate->request, wire + at);
  }
  return true;
}
