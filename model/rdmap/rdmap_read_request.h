/* SPDX-License-Identifier: GPL-2.0-only */
/* The RDMA Read Request header (rdmap-00 §6.4 fig. 6, RDMAP-068 … RDMAP-076). */
#pragma once

#include <stdint.h>

enum { RDMAP_READ_REQUEST_OCTETS = 28 };

typedef struct rdmap_read_request {
  uint32_t sink_stag;
  uint64_t sink_offset; /* SinkTO */
  uint32_t length;      /* RDMARDSZ, octets */
  uint32_t source_stag;
  uint64_t source_offset; /* SrcTO */
} rdmap_read_request;

void rdmap_read_request_encode(const rdmap_read_request *request, uint8_t wire[RDMAP_READ_REQUEST_OCTETS]);
void rdmap_read_request_decode(rdmap_read_request *request, const uint8_t wire[RDMAP_READ_REQUEST_OCTETS]);

/* Returns what is left of `request` once `sent_octets` (at most its length) of the response are with DDP: the
 * header a Terminate copies when a Read fails midway (rdmap-00 §6.8; RDMAP-095, RDMAP-096, note D36). */
rdmap_read_request rdmap_read_request_rest(const rdmap_read_request *request, uint32_t sent_octets);
