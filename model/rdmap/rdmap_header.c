/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_header.h"

#include <glib.h>

#include "base/big_endian.h"
#include "rdmap/rdmap_atomic.h"

enum {
  VERSION_SHIFT = 6,
  OPCODE_MASK = 0x0F,
};

/* These are the rows of rdmap-00 §6.1 fig. 4 and RFC 7306 §4.1 fig. 2, by opcode. Untagged ones without a
 * queue have RDMAP_QUEUE_SEND. */
#define ROW(code, text, ...) [code] = {.opcode = code, .name = text, __VA_ARGS__}
static const rdmap_opcode_rules rules[RDMAP_OPCODES] = {
    ROW(RDMAP_WRITE, "RDMA Write", .tagged = true),
    ROW(RDMAP_READ_REQUEST, "RDMA Read Request", .queue_number = RDMAP_QUEUE_READ_REQUEST,
        .fixed_octets = RDMAP_READ_REQUEST_OCTETS),
    ROW(RDMAP_READ_RESPONSE, "RDMA Read Response", .tagged = true),
    ROW(RDMAP_SEND, "Send", .is_send = true),
    ROW(RDMAP_SEND_INVALIDATE, "Send with Invalidate", .is_send = true, .invalidates = true),
    ROW(RDMAP_SEND_SE, "Send with Solicited Event", .is_send = true, .solicits = true),
    ROW(RDMAP_SEND_SE_INVALIDATE, "Send with Solicited Event and Invalidate", .is_send = true,
        .invalidates = true, .solicits = true),
    ROW(RDMAP_TERMINATE, "Terminate", .queue_number = RDMAP_QUEUE_TERMINATE),
    ROW(RDMAP_IMMEDIATE, "Immediate Data", .fixed_octets = RDMAP_IMMEDIATE_OCTETS, .is_extension = true),
    ROW(RDMAP_IMMEDIATE_SE, "Immediate Data with Solicited Event", .fixed_octets = RDMAP_IMMEDIATE_OCTETS,
        .solicits = true, .is_extension = true),
    ROW(RDMAP_ATOMIC_REQUEST, "Atomic Request", .queue_number = RDMAP_QUEUE_READ_REQUEST,
        .fixed_octets = RDMAP_ATOMIC_REQUEST_OCTETS, .is_extension = true),
    ROW(RDMAP_ATOMIC_RESPONSE, "Atomic Response", .queue_number = RDMAP_QUEUE_ATOMIC_RESPONSE,
        .fixed_octets = RDMAP_ATOMIC_RESPONSE_OCTETS, .is_extension = true),
};

const rdmap_opcode_rules *rdmap_opcode_rules_of(uint8_t opcode)
{
  return opcode < RDMAP_OPCODES ? &rules[opcode] : NULL; /* 12 … 15 mean nothing (RDMAP-064) */
}

uint32_t rdmap_queues_of(iwarp_generation generation)
{
  return iwarp_generation_rules_of(generation)->rdmap_extensions ? RDMAP_QUEUES : RDMAP_QUEUE_ATOMIC_RESPONSE;
}

uint8_t rdmap_control_encode(uint8_t version, rdmap_opcode opcode)
{
  g_assert(version < 4 && opcode < RDMAP_OPCODES);
  return (uint8_t)(version << VERSION_SHIFT | opcode);
}

uint8_t rdmap_control_version(uint8_t control)
{
  return control >> VERSION_SHIFT;
}

uint8_t rdmap_control_opcode(uint8_t control)
{
  return control & OPCODE_MASK;
}

/* --- The Read Request header --- */

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
