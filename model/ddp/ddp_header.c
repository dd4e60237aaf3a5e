/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_header.h"

#include <glib.h>

#include "base/big_endian.h"

size_t ddp_header_octets(const ddp_header *header)
{
  return header->tagged ? DDP_TAGGED_HEADER_OCTETS : DDP_UNTAGGED_HEADER_OCTETS;
}

size_t ddp_header_encode(const ddp_header *header, uint8_t *wire)
{
  wire[0] = (uint8_t)((header->tagged ? DDP_CONTROL_T : 0) | (header->last ? DDP_CONTROL_L : 0) |
                      (header->version & DDP_CONTROL_DV));
  wire[1] = header->ulp_control;
  if (header->tagged) {
    big_endian_write_32(wire + 2, header->stag);
    big_endian_write_64(wire + 6, header->tagged_offset);
  } else {
    big_endian_write_32(wire + 2, header->ulp_word);
    big_endian_write_32(wire + 6, header->queue_number);
    big_endian_write_32(wire + 10, header->msn);
    big_endian_write_32(wire + 14, header->message_offset);
  }
  return ddp_header_octets(header);
}

inline size_t ddp_header_read(ddp_header *header, const uint8_t *wire, uint32_t octets)
{
  bool tagged = octets > 0 && ddp_header_is_tagged(wire);
  if (octets < (tagged ? DDP_TAGGED_HEADER_OCTETS : DDP_UNTAGGED_HEADER_OCTETS)) {
    *header = (ddp_header){0};
    return 0;
  }
  bool last = ddp_header_is_last(wire);
  uint8_t version = wire[0] & DDP_CONTROL_DV;
  if (tagged) {
    *header = (ddp_header){.tagged = true,
                           .last = last,
                           .version = version,
                           .ulp_control = wire[1],
                           .stag = big_endian_read_32(wire + 2),
                           .tagged_offset = big_endian_read_64(wire + 6)};
    return DDP_TAGGED_HEADER_OCTETS;
  }
  *header = (ddp_header){.last = last,
                         .version = version,
                         .ulp_control = wire[1],
                         .ulp_word = big_endian_read_32(wire + 2),
                         .queue_number = big_endian_read_32(wire + 6),
                         .msn = big_endian_read_32(wire + 10),
                         .message_offset = big_endian_read_32(wire + 14)};
  return DDP_UNTAGGED_HEADER_OCTETS;
}

size_t ddp_header_decode(ddp_header *header, const buffer_chain *ulpdu)
{
  uint8_t copy[DDP_MAX_HEADER_OCTETS];
  uint32_t octets = MIN(ulpdu->length, (uint32_t)DDP_MAX_HEADER_OCTETS);
  buffer_chain_copy_out(ulpdu, 0, octets, copy);
  return ddp_header_read(header, copy, octets);
}
