#include "ddp/ddp_header.h"

/* DDP Control, the first octet (ddp-07/rfc5041 §4.1, DDP-035). */
enum {
  CONTROL_T = 0x80,
  CONTROL_L = 0x40,
  CONTROL_DV = 0x03,
};

static void write_32(uint8_t *wire, uint32_t value)
{
  wire[0] = (uint8_t)(value >> 24);
  wire[1] = (uint8_t)(value >> 16);
  wire[2] = (uint8_t)(value >> 8);
  wire[3] = (uint8_t)value;
}

static uint32_t read_32(const uint8_t *wire)
{
  return (uint32_t)wire[0] << 24 | (uint32_t)wire[1] << 16 | (uint32_t)wire[2] << 8 | wire[3];
}

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
    write_32(wire + 2, header->stag);
    write_32(wire + 6, (uint32_t)(header->tagged_offset >> 32));
    write_32(wire + 10, (uint32_t)header->tagged_offset);
  } else {
    write_32(wire + 2, header->ulp_word);
    write_32(wire + 6, header->queue_number);
    write_32(wire + 10, header->msn);
    write_32(wire + 14, header->message_offset);
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
    header->stag = read_32(wire + 2);
    header->tagged_offset = (uint64_t)read_32(wire + 6) << 32 | read_32(wire + 10);
  } else {
    header->ulp_word = read_32(wire + 2);
    header->queue_number = read_32(wire + 6);
    header->msn = read_32(wire + 10);
    header->message_offset = read_32(wire + 14);
  }
  return ddp_header_octets(header);
}
