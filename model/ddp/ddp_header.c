#include "ddp/ddp_header.h"

#include "base/big_endian.h"

/* DDP Control, the first octet (ddp-07/rfc5041 §4.1, DDP-035). */
enum {
  CONTROL_T = 0x80,
  CONTROL_L = 0x40,
  CONTROL_DV = 0x03,
};

size_t ddp_header_octets(const ddp_header *header)
{
  return header->tagged ? DDP_TAGGED_HEADER_OCTETS : DDP_UNTAGGED_HEADER_OCTETS;
}

size_t ddp_header_encode(const ddp_header *header, uint8_t *wire)
{
  wire[0] = (uint8_t)((header->tagged ? CONTROL_T : 0) | (header->last ? CONTROL_L : 0) |
                      (header->version & CONTROL_DV));
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

size_t ddp_header_decode(ddp_header *header, const octet_rope *ulpdu)
{
  *header = (ddp_header){0};
  if (ulpdu->length < DDP_TAGGED_HEADER_OCTETS) {
    return 0;
  }
  uint8_t wire[DDP_MAX_HEADER_OCTETS];
  uint32_t available = ulpdu->length < sizeof wire ? ulpdu->length : (uint32_t)sizeof wire;
  octet_rope_copy_out(ulpdu, 0, available, wire);
  bool tagged = (wire[0] & CONTROL_T) != 0;
  if (!tagged && available < DDP_UNTAGGED_HEADER_OCTETS) {
    return 0;
  }

  header->tagged = tagged;
  header->last = (wire[0] & CONTROL_L) != 0;
  header->version = wire[0] & CONTROL_DV;
  header->ulp_control = wire[1];
  if (tagged) {
    header->stag = big_endian_read_32(wire + 2);
    header->tagged_offset = big_endian_read_64(wire + 6);
  } else {
    header->ulp_word = big_endian_read_32(wire + 2);
    header->queue_number = big_endian_read_32(wire + 6);
    header->msn = big_endian_read_32(wire + 10);
    header->message_offset = big_endian_read_32(wire + 14);
  }
  return ddp_header_octets(header);
}
