#include "ddp/ddp_segmenter.h"

#include <glib.h>

enum { HEADER_BLOCK_OCTETS = 4096 };

struct ddp_segmenter {
  uint8_t version;
  uint32_t queue_count;
  uint32_t *next_msn; /* of each queue */

  bool busy;
  ddp_message message;
  uint32_t msn;  /* of `message` when it is untagged */
  uint32_t sent; /* its octets in segments so far */

  /* Headers are written one behind the other into a shared block, so that a segment costs no allocation;
   * the octets behind `headers_used` are referenced by nobody yet. */
  octet_block *headers;
  uint32_t headers_used;
};

ddp_segmenter *ddp_segmenter_new(uint8_t version, uint32_t queue_count, uint32_t first_msn)
{
  ddp_segmenter *segmenter = g_new0(ddp_segmenter, 1);
  segmenter->version = version;
  segmenter->queue_count = queue_count;
  segmenter->next_msn = g_new(uint32_t, queue_count);
  for (uint32_t i = 0; i < queue_count; i++) {
    segmenter->next_msn[i] = first_msn;
  }
  return segmenter;
}

void ddp_segmenter_free(ddp_segmenter *segmenter)
{
  if (!segmenter) {
    return;
  }
  octet_block_unref(segmenter->headers);
  g_free(segmenter->next_msn);
  g_free(segmenter);
}

void ddp_segmenter_start(ddp_segmenter *segmenter, const ddp_message *message)
{
  g_assert(!segmenter->busy);
  g_assert(message->source || message->length == 0);
  segmenter->busy = true;
  segmenter->message = *message;
  segmenter->sent = 0;
  if (!message->tagged) {
    g_assert(message->queue_number < segmenter->queue_count);
    /* One number a message and queue, modulo 2^32 (ddp-07/rfc5041 §4.3, DDP-073, DDP-075). */
    segmenter->msn = segmenter->next_msn[message->queue_number]++;
  }
}

bool ddp_segmenter_is_idle(const ddp_segmenter *segmenter)
{
  return !segmenter->busy;
}

uint32_t ddp_segmenter_sent_octets(const ddp_segmenter *segmenter)
{
  return segmenter->busy ? segmenter->sent : 0;
}

void ddp_segmenter_abandon(ddp_segmenter *segmenter)
{
  segmenter->busy = false;
}

static void append_header(ddp_segmenter *segmenter, const ddp_header *header, octet_rope *ulpdu)
{
  uint32_t length = (uint32_t)ddp_header_octets(header);
  if (!segmenter->headers || HEADER_BLOCK_OCTETS - segmenter->headers_used < length) {
    octet_block_unref(segmenter->headers);
    segmenter->headers = octet_block_new(HEADER_BLOCK_OCTETS);
    segmenter->headers_used = 0;
  }
  uint8_t *wire = octet_block_octets(segmenter->headers) + segmenter->headers_used;
  ddp_header_encode(header, wire);
  segmenter->headers_used += length;
  octet_rope_append(ulpdu, wire, length, segmenter->headers);
}

bool ddp_segmenter_next(ddp_segmenter *segmenter, uint32_t mulpdu_octets, octet_rope *ulpdu)
{
  g_assert(segmenter->busy);
  g_assert(ulpdu->length == 0);
  const ddp_message *message = &segmenter->message;
  ddp_header header = {
      .tagged = message->tagged,
      .version = segmenter->version,
      .ulp_control = message->ulp_control,
      .stag = message->stag,
      .tagged_offset = message->tagged_offset + segmenter->sent, /* ddp-07/rfc5041 §5.2 (DDP-095) */
      .ulp_word = message->ulp_word,
      .queue_number = message->queue_number,
      .msn = segmenter->msn,
      .message_offset = segmenter->sent, /* ddp-07/rfc5041 §5.2 (DDP-090) */
  };
  uint32_t header_octets = (uint32_t)ddp_header_octets(&header);
  g_assert(mulpdu_octets > header_octets);
  uint32_t room = mulpdu_octets - header_octets; /* MULPDU counts the header (ddp-07/rfc5041 §5.2, DDP-084) */
  uint32_t left = message->length - segmenter->sent;
  uint32_t payload = left < room ? left : room;
  header.last = payload == left; /* ddp-07/rfc5041 §4.1 (DDP-038, DDP-039) */

  append_header(segmenter, &header, ulpdu);
  if (payload > 0) {
    message->source(message->source_user, segmenter->sent, payload, ulpdu);
  }
  g_assert(ulpdu->length == header_octets + payload);
  segmenter->sent += payload;
  segmenter->busy = !header.last;
  return header.last;
}
