/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_reads.h"

#include <glib.h>

#include "base/deque.h"
#include "ddp/ddp_error.h"

typedef struct open_read {
  rdmap_read_request request;
  uint64_t number;
} open_read;

struct rdmap_reads {
  bool strict;
  deque open; /* open_read, in the order sent */
  /* of the response to the first one, as far as it is Delivered */
  uint64_t octets;
  uint64_t lowest; /* of its octets, counted from SinkTO; UINT64_MAX while there is none */
};

rdmap_reads *rdmap_reads_new(bool strict)
{
  rdmap_reads *reads = g_new0(rdmap_reads, 1);
  reads->strict = strict;
  reads->lowest = UINT64_MAX;
  deque_init(&reads->open, sizeof(open_read));
  return reads;
}

void rdmap_reads_free(rdmap_reads *reads)
{
  if (reads) {
    deque_clear(&reads->open);
    g_free(reads);
  }
}

void rdmap_reads_open(rdmap_reads *reads, const rdmap_read_request *request, uint64_t number)
{
  open_read *opened = deque_insert(&reads->open, reads->open.count);
  *opened = (open_read){.request = *request, .number = number};
}

uint32_t rdmap_reads_count(const rdmap_reads *reads)
{
  return (uint32_t)reads->open.count;
}

/* Counts the payload of `segment` into the response to `request`. */
static bool take_payload(rdmap_reads *reads, const rdmap_read_request *request, const ddp_segment *segment,
                         rdmap_error *error)
{
  uint64_t from = segment->header.tagged_offset - request->sink_offset; /* modulo 2^64: huge when below */
  if (segment->header.stag != request->sink_stag) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_STAG};
    return false;
  }
  if (from > request->length || segment->payload_octets > request->length - from) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS};
    return false;
  }
  reads->octets += segment->payload_octets;
  reads->lowest = MIN(reads->lowest, from);
  return true;
}

bool rdmap_reads_take(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number, rdmap_error *error)
{
  if (reads->open.count == 0) {
    *error = (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNEXPECTED_OPCODE};
    return false;
  }
  const open_read *first = deque_at(&reads->open, 0);
  if (reads->strict && segment->payload_octets > 0 && !take_payload(reads, &first->request, segment, error)) {
    return false;
  }
  if (!segment->header.last) {
    return true;
  }
  /* The response must be as long as the request wants and start where it wants. */
  const uint32_t wanted = first->request.length;
  if (reads->strict && (reads->octets != wanted || (wanted > 0 && reads->lowest != 0))) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS};
    return false;
  }
  *number = first->number;
  deque_remove(&reads->open, 0, 1);
  reads->octets = 0;
  reads->lowest = UINT64_MAX;
  return true;
}
