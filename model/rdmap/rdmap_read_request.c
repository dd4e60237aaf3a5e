/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_read_request.h"

#include <glib.h>

#include "base/big_endian.h"

/* This is where the fields are (rdmap-00 §6.4 fig. 6, RDMAP-069). */
enum {
  SINK_STAG_AT = 0,
  SINK_OFFSET_AT = 4,
  LENGTH_AT = 12,
  SOURCE_STAG_AT = 16,
  SOURCE_OFFSET_AT = 20,
};

void rdmap_read_request_encode(const rdmap_read_request *request, uint8_t wire[RDMAP_READ_REQUEST_OCTETS])
{
  big_endian_write_32(wire + SINK_STAG_AT, request->sink_stag);
  big_endian_write_64(wire + SINK_OFFSET_AT, request->sink_offset);
  big_endian_write_32(wire + LENGTH_AT, request->length);
  big_endian_write_32(wire + SOURCE_STAG_AT, request->source_stag);
  big_endian_write_64(wire + SOURCE_OFFSET_AT, request->source_offset);
}

void rdmap_read_request_decode(rdmap_read_request *request, const uint8_t wire[RDMAP_READ_REQUEST_OCTETS])
{
  request->sink_stag = big_endian_read_32(wire + SINK_STAG_AT);
  request->sink_offset = big_endian_read_64(wire + SINK_OFFSET_AT);
  request->length = big_endian_read_32(wire + LENGTH_AT);
  request->source_stag = big_endian_read_32(wire + SOURCE_STAG_AT);
  request->source_offset = big_endian_read_64(wire + SOURCE_OFFSET_AT);
}

rdmap_read_request rdmap_read_request_rest(const rdmap_read_request *request, uint32_t sent_octets)
{
  g_assert(sent_octets <= request->length);
  rdmap_read_request rest = *request;
  rest.sink_offset += sent_octets;
  rest.source_offset += sent_octets;
  rest.length -= sent_octets;
  return rest;
}
