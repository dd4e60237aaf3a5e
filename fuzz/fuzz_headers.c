/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers of DDP and RDMAP out of any octets: what parses is written as the same octets, reserved bits
 * aside; a header in pieces parses as one in one piece does; and what a Terminate states is what a Terminate
 * made of it states.
 *
 * An input is: which header, where the pieces of a DDP header are cut, and the header's octets. */
#include <glib.h>
#include <string.h>

#include "ddp/ddp_header.h"
#include "fuzz_input.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"

/* These bits of a DDP Control and of a Terminate's flags are not reserved (DDP-035, RDMAP-080). */
enum { DDP_CONTROL_BITS = 0xC3, TERMINATE_FLAG_BITS = 0xE0, TERMINATE_FLAGS_AT = 2 };

static void assert_same_header(const ddp_header *a, const ddp_header *b)
{
  g_assert_true(a->tagged == b->tagged && a->last == b->last);
  g_assert_cmpuint(a->version, ==, b->version);
  g_assert_cmpuint(a->ulp_control, ==, b->ulp_control);
  g_assert_cmpuint(a->stag, ==, b->stag);
  g_assert_cmpuint(a->tagged_offset, ==, b->tagged_offset);
  g_assert_cmpuint(a->ulp_word, ==, b->ulp_word);
  g_assert_cmpuint(a->queue_number, ==, b->queue_number);
  g_assert_cmpuint(a->msn, ==, b->msn);
  g_assert_cmpuint(a->message_offset, ==, b->message_offset);
}

static size_t decode_in_pieces(ddp_header *header, fuzz_input input, uint32_t cuts)
{
  buffer_chain chain;

  buffer_chain_init(&chain);
  while (input.length > 0) {
    fuzz_input piece = fuzz_input_take(&input, cuts > 0 ? 1 + cuts % 8 : input.length);
    buffer_chain_append_copy(&chain, piece.octets, (uint32_t)piece.length);
    cuts /= 8;
  }
  size_t octets = ddp_header_decode(header, &chain);
  buffer_chain_clear(&chain);
  return octets;
}

static void try_ddp_header(fuzz_input input, uint32_t cuts)
{
  uint8_t wire[DDP_MAX_HEADER_OCTETS];
  ddp_header whole;
  ddp_header pieces;
  size_t octets = decode_in_pieces(&whole, input, 0);

  g_assert_cmpuint(decode_in_pieces(&pieces, input, cuts), ==, octets);
  assert_same_header(&whole, &pieces);
  if (octets == 0) {
    bool is_short = input.length == 0 || input.length < ((input.octets[0] & 0x80) ? 14 : 18);
    g_assert_true(is_short);
    return;
  }
  g_assert_cmpuint(ddp_header_octets(&whole), ==, octets);
  g_assert_cmpuint(ddp_header_encode(&whole, wire), ==, octets);
  g_assert_cmphex(wire[0], ==, input.octets[0] & DDP_CONTROL_BITS);
  g_assert_cmpmem(wire + 1, octets - 1, input.octets + 1, octets - 1);
}

static void try_rdmap_control(fuzz_input input)
{
  uint8_t control = fuzz_input_octet(&input);
  uint8_t opcode = rdmap_control_opcode(control);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(opcode);

  g_assert_true((rules != NULL) == (opcode < RDMAP_OPCODES));
  if (rules) {
    g_assert_cmpint(rules->opcode, ==, opcode);
    g_assert_cmphex(rdmap_control_encode(rdmap_control_version(control), rules->opcode), ==, control & 0xCF);
  }
}

static void try_read_request(fuzz_input input)
{
  uint8_t wire[RDMAP_READ_REQUEST_OCTETS];
  rdmap_read_request request;

  if (input.length < RDMAP_READ_REQUEST_OCTETS) {
    return;
  }
  rdmap_read_request_decode(&request, input.octets);
  rdmap_read_request_encode(&request, wire);
  g_assert_cmpmem(wire, sizeof wire, input.octets, sizeof wire);
  rdmap_read_request rest = rdmap_read_request_rest(&request, request.length / 3);
  g_assert_cmpuint(rest.length, ==, request.length - request.length / 3);
  g_assert_cmpuint(rest.source_offset - request.source_offset, ==, request.length / 3);
  g_assert_cmpuint(rest.sink_offset - request.sink_offset, ==, request.length / 3);
}

/* The fields of an Atomic Request that its operation uses come through. */
static void try_atomic(fuzz_input input)
{
  uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS], again[RDMAP_ATOMIC_REQUEST_OCTETS];
  rdmap_atomic atomic;
  uint32_t id;
  uint64_t original;

  if (input.length < RDMAP_ATOMIC_REQUEST_OCTETS) {
    return;
  }
  rdmap_atomic_response_decode(&id, &original, input.octets);
  rdmap_atomic_response_encode(id, original, wire);
  g_assert_cmpmem(wire, RDMAP_ATOMIC_RESPONSE_OCTETS, input.octets, RDMAP_ATOMIC_RESPONSE_OCTETS);
  rdmap_atomic_request_decode(&atomic, input.octets);
  rdmap_atomic_request_encode(&atomic, wire);
  g_assert_cmpmem(wire + 4, 32, input.octets + 4, 32); /* Request Identifier to Add or Swap Mask */
  if (rdmap_atomic_is_supported(&atomic)) {
    rdmap_atomic_result(&atomic, original);
  }
  rdmap_atomic_request_decode(&atomic, wire);
  rdmap_atomic_request_encode(&atomic, again);
  g_assert_cmpmem(again, sizeof again, wire, sizeof wire);
}

static void assert_same_terminate(const rdmap_terminate *a, const rdmap_terminate *b)
{
  g_assert_cmpuint(a->error.layer, ==, b->error.layer);
  g_assert_cmpuint(a->error.type, ==, b->error.type);
  g_assert_cmpuint(a->error.code, ==, b->error.code);
  g_assert_true(a->has_segment == b->has_segment && a->has_request == b->has_request);
  g_assert_cmpuint(a->segment_octets, ==, b->segment_octets);
  assert_same_header(&a->header, &b->header);
  g_assert_cmpmem(a->header_wire, sizeof a->header_wire, b->header_wire, sizeof b->header_wire);
  g_assert_cmpuint(a->request.length, ==, b->request.length);
  g_assert_cmpuint(a->request.sink_stag, ==, b->request.sink_stag);
  g_assert_cmpuint(a->request.sink_offset, ==, b->request.sink_offset);
  g_assert_cmpuint(a->request.source_stag, ==, b->request.source_stag);
  g_assert_cmpuint(a->request.source_offset, ==, b->request.source_offset);
}

static void try_terminate(fuzz_input input)
{
  uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS];
  rdmap_terminate terminate;
  rdmap_terminate again;

  if (!rdmap_terminate_decode(&terminate, input.octets, input.length)) {
    g_assert_cmpuint(input.length, <, RDMAP_TERMINATE_CONTROL_OCTETS);
    return;
  }
  size_t octets = rdmap_terminate_encode(&terminate, wire);
  g_assert_true(rdmap_terminate_decode(&again, wire, octets));
  assert_same_terminate(&terminate, &again);
  /* When every part that the flags name is there, the octets are the same, too. */
  if ((input.octets[TERMINATE_FLAGS_AT] & TERMINATE_FLAG_BITS) == wire[TERMINATE_FLAGS_AT]) {
    g_assert_cmpuint(octets, <=, input.length);
    g_assert_cmpmem(wire, TERMINATE_FLAGS_AT, input.octets, TERMINATE_FLAGS_AT);
    g_assert_cmpmem(wire + RDMAP_TERMINATE_CONTROL_OCTETS, octets - RDMAP_TERMINATE_CONTROL_OCTETS,
                    input.octets + RDMAP_TERMINATE_CONTROL_OCTETS, octets - RDMAP_TERMINATE_CONTROL_OCTETS);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint8_t which = fuzz_input_octet(&input);
  uint32_t cuts = fuzz_input_number_16(&input);

  switch (which % 8 == 4 ? 4 : which % 4) {
  case 0:
    try_ddp_header(input, cuts);
    break;
  case 1:
    try_rdmap_control(input);
    break;
  case 2:
    try_read_request(input);
    break;
  case 4:
    try_atomic(input);
    break;
  default:
    try_terminate(input);
    break;
  }
  return 0;
}
