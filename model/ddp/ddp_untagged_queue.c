#include "ddp/ddp_untagged_queue.h"

#include <glib.h>

#include "base/element_array.h"

/* Serial numbers compare within half of their space (notes-ddp-rdmap 9). */
static const uint32_t half_of_msns = UINT32_C(1) << 31;

typedef struct posted_buffer {
  uint8_t *memory;
  uint64_t length;
  uint64_t id;
} posted_buffer;

struct ddp_untagged_queue {
  element_array buffers; /* posted_buffer; the first is for `next_msn` */
  uint32_t next_msn;
};

ddp_untagged_queue *ddp_untagged_queue_new(uint32_t first_msn)
{
  ddp_untagged_queue *queue = g_new0(ddp_untagged_queue, 1);
  element_array_init(&queue->buffers, sizeof(posted_buffer));
  queue->next_msn = first_msn;
  return queue;
}

void ddp_untagged_queue_free(ddp_untagged_queue *queue)
{
  if (!queue) {
    return;
  }
  element_array_clear(&queue->buffers);
  g_free(queue);
}

void ddp_untagged_queue_post(ddp_untagged_queue *queue, uint8_t *memory, uint64_t length, uint64_t id)
{
  g_assert(memory || length == 0);
  g_assert(queue->buffers.count < half_of_msns);
  posted_buffer *buffer = element_array_insert(&queue->buffers, queue->buffers.count);
  *buffer = (posted_buffer){.memory = memory, .length = length, .id = id};
}

bool ddp_untagged_queue_find(const ddp_untagged_queue *queue, uint32_t msn, uint32_t message_offset,
                             uint32_t length, uint8_t **target, ddp_error *error)
{
  error->type = DDP_ERROR_UNTAGGED;

  /* ddp-07/rfc5041 §7.1 (DDP-141, DDP-144): both codes say the MSN is bad; serial arithmetic tells a
   * message that is still to come from one that was (notes-ddp-rdmap 9). Zero-length segments too: they
   * use up a buffer (14). */
  uint32_t distance = msn - queue->next_msn;
  if (distance >= queue->buffers.count) {
    error->code = distance < half_of_msns ? DDP_UNTAGGED_NO_BUFFER : DDP_UNTAGGED_MSN_RANGE;
    return false;
  }
  *target = NULL;
  if (length == 0) {
    return true;
  }
  const posted_buffer *buffer = element_array_at(&queue->buffers, distance);
  if (message_offset >= buffer->length) { /* ddp-07/rfc5041 §7.1 (DDP-142) */
    error->code = DDP_UNTAGGED_INVALID_MO;
    return false;
  }
  if (length > buffer->length - message_offset) { /* ddp-07/rfc5041 §7.1 (DDP-143) */
    error->code = DDP_UNTAGGED_TOO_LONG;
    return false;
  }
  *target = buffer->memory + message_offset;
  return true;
}

uint64_t ddp_untagged_queue_deliver(ddp_untagged_queue *queue, uint8_t **memory)
{
  g_assert(queue->buffers.count > 0);
  const posted_buffer *buffer = element_array_at(&queue->buffers, 0);
  if (memory) {
    *memory = buffer->memory;
  }
  uint64_t id = buffer->id;
  element_array_remove(&queue->buffers, 0, 1);
  queue->next_msn++; /* modulo 2^32: 0 follows 0xFFFFFFFF (DDP-075) */
  return id;
}

uint32_t ddp_untagged_queue_next_msn(const ddp_untagged_queue *queue)
{
  return queue->next_msn;
}
