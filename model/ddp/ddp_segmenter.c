/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_segmenter.h"

#include <glib.h>

#include "base/big_endian.h"

/* This is where the fields that differ from segment to segment are in a header (ddp-07/rfc5041 §4.2,
 * §4.3). */
enum { TAGGED_OFFSET_AT = 6, MESSAGE_OFFSET_AT = 14 };

ddp_segmenter *ddp_segmenter_new(uint8_t version, uint32_t queue_count, uint32_t first_msn)
{
  ddp_segmenter *segmenter = g_malloc0(offsetof(ddp_segmenter, next_msn) + queue_count * sizeof(uint32_t));
  segmenter->version = version;
  segmenter->queue_count = (uint8_t)queue_count;
  for (uint32_t i = 0; i < queue_count; i++) {
    segmenter->next_msn[i] = first_msn;
  }
  return segmenter;
}

void ddp_segmenter_start(ddp_segmenter *segmenter, const ddp_message *message)
{
  g_assert(!segmenter->busy);
  g_assert(message->source || message->length == 0);
  ddp_header header = {.tagged = message->tagged,
                       .version = segmenter->version,
                       .ulp_control = message->ulp_control,
                       .stag = message->stag,
                       .ulp_word = message->ulp_word,
                       .queue_number = message->queue_number};
  if (!message->tagged) {
    g_assert(message->queue_number < segmenter->queue_count);
    /* Each message of a queue has one number, modulo 2^32 (ddp-07/rfc5041 §4.3, DDP-073, DDP-075). */
    header.msn = segmenter->next_msn[message->queue_number]++;
  }
  segmenter->header_octets = (uint8_t)ddp_header_encode(&header, segmenter->header);
  segmenter->busy = true;
  segmenter->tagged = message->tagged;
  segmenter->tagged_offset = message->tagged_offset;
  segmenter->length = message->length;
  segmenter->source = message->source;
  segmenter->source_user = message->source_user;
  segmenter->sent = 0;
}

uint32_t ddp_segmenter_sent_octets(const ddp_segmenter *segmenter)
{
  return segmenter->busy ? segmenter->sent : 0;
}

void ddp_segmenter_abandon(ddp_segmenter *segmenter)
{
  if (segmenter) {
    segmenter->busy = false;
  }
}

bool ddp_segmenter_next(ddp_segmenter *segmenter, uint32_t mulpdu_octets, ddp_ulpdu *ulpdu)
{
  uint32_t header_octets = segmenter->header_octets;
  g_assert(segmenter->busy);
  g_assert(mulpdu_octets > header_octets);
  uint32_t room = mulpdu_octets - header_octets; /* MULPDU counts the header (ddp-07/rfc5041 §5.2, DDP-084) */
  uint32_t left = segmenter->length - segmenter->sent;
  uint32_t payload = left < room ? left : room;
  bool last = payload == left;

  /* What differs from the header of the segment before. */
  if (segmenter->tagged) { /* ddp-07/rfc5041 §5.2 (DDP-095) */
    big_endian_write_64(segmenter->header + TAGGED_OFFSET_AT, segmenter->tagged_offset + segmenter->sent);
  } else { /* ddp-07/rfc5041 §5.2 (DDP-090) */
    big_endian_write_32(segmenter->header + MESSAGE_OFFSET_AT, segmenter->sent);
  }
  if (last) { /* ddp-07/rfc5041 §4.1 (DDP-038, DDP-039) */
    segmenter->header[0] |= DDP_CONTROL_L;
  }
  ulpdu->slices[0] = (octet_slice){.octets = segmenter->header, .length = header_octets};
  ulpdu->slice_count = payload > 0 ? 2 : 1;
  ulpdu->length = header_octets + payload;
  if (payload > 0) {
    const octet_slice octets = segmenter->source(segmenter->source_user, segmenter->sent, payload);
    ulpdu->slices[1].octets = octets.octets; /* member by member: see buffer_chain_init_deferred() */
    ulpdu->slices[1].length = octets.length;
    ulpdu->slices[1].buffer = octets.buffer;
  }
  segmenter->sent += payload;
  segmenter->busy = !last;
  return last;
}
