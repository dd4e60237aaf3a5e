/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_terminate.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>

#include "base/big_endian.h"
#include "ddp/ddp_error.h"

enum { LLP_ERROR_TYPE = 0 /* rfc6581, RDMAP-114 */ };

/* This is one row of rdmap-00 §6.8 fig. 9. The types and codes of layer 1 are DDP's (RDMAP-111):
 * ddp_error_text(). */
typedef struct error_row {
  rdmap_error error;
  const char *text;
} error_row;

#define PROTECTION(code, text)                                                                               \
  {                                                                                                          \
    {RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, code}, "remote protection error " text                 \
  }
#define OPERATION(code, text)                                                                                \
  {                                                                                                          \
    {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, code}, "remote operation error " text                   \
  }
static const error_row rows[] = {
    {{RDMAP_LAYER_RDMA, RDMAP_LOCAL_CATASTROPHIC_ERROR, 0x00}, "RDMA local catastrophic error"},
    PROTECTION(RDMAP_PROTECTION_INVALID_STAG, "0x00: invalid STag"),
    PROTECTION(RDMAP_PROTECTION_BOUNDS, "0x01: base or bounds violation"),
    PROTECTION(RDMAP_PROTECTION_ACCESS_RIGHTS, "0x02: access rights violation"),
    PROTECTION(RDMAP_PROTECTION_NOT_ASSOCIATED, "0x03: STag not associated with the RDMAP Stream"),
    PROTECTION(RDMAP_PROTECTION_TO_WRAP, "0x04: TO wrap"),
    PROTECTION(RDMAP_PROTECTION_NOT_INVALIDATABLE, "0x09: STag cannot be invalidated"),
    PROTECTION(RDMAP_PROTECTION_UNSPECIFIED, "0xFF: unspecified"),
    OPERATION(RDMAP_OPERATION_INVALID_VERSION, "0x05: invalid RDMAP version"),
    OPERATION(RDMAP_OPERATION_UNEXPECTED_OPCODE, "0x06: unexpected opcode"),
    OPERATION(RDMAP_OPERATION_STREAM_CATASTROPHIC, "0x07: catastrophic, limited to the RDMAP Stream"),
    OPERATION(RDMAP_OPERATION_GLOBAL_CATASTROPHIC, "0x08: catastrophic, global"),
    OPERATION(RDMAP_OPERATION_NOT_INVALIDATABLE, "0x09: STag cannot be invalidated"),
    OPERATION(RDMAP_OPERATION_UNSPECIFIED, "0xFF: unspecified"),
    /* The types and codes of layer 2 are MPA's (mpa-01 §7, MPA-276 … MPA-279; RDMAP-112). MPA is two layers
     * down and RDMAP only copies its number (RDMAP-086), so the words are here, with the rest of the value
     * table. */
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 1}, "LLP error 0x01: TCP connection closed, terminated or lost"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 2}, "LLP error 0x02: MPA CRC error"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 3}, "LLP error 0x03: MPA marker and ULPDU_Length disagree"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 4}, "LLP error 0x04: invalid MPA startup frame"},
    /* Of MPA Revision 2 (RFC 6581 §8). */
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 5}, "LLP error 0x05: local catastrophic"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 6}, "LLP error 0x06: insufficient IRD resources"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 7}, "LLP error 0x07: no matching RTR option"},
};

/* NULL: the documents do not have it. */
static const char *find_text(rdmap_error error, iwarp_generation generation)
{
  const char *text = NULL;

  if (error.layer == RDMAP_LAYER_DDP) {
    text = ddp_error_text((ddp_error){.type = (ddp_error_type)error.type, .code = error.code}, generation);
  }
  for (size_t i = 0; !text && i < sizeof rows / sizeof rows[0]; i++) {
    const rdmap_error *row = &rows[i].error;
    /* A Local Catastrophic Error has no code, so any octet may stand in its place (RDMAP-097, RDMAP-113). */
    bool has_code = row->layer != RDMAP_LAYER_RDMA || row->type != RDMAP_LOCAL_CATASTROPHIC_ERROR;
    if (row->layer == error.layer && row->type == error.type && (!has_code || row->code == error.code)) {
      text = rows[i].text;
    }
  }
  return text;
}

bool rdmap_error_is_known(rdmap_error error, iwarp_generation generation)
{
  return find_text(error, generation) != NULL;
}

const char *rdmap_error_text(rdmap_error error, iwarp_generation generation)
{
  const char *text = find_text(error, generation);

  return text ? text : "unknown layer, type or code";
}

/* The Terminate Control Field (rdmap-00 §6.8 fig. 8; RDMAP-079, RDMAP-080) and what follows it. The 13 bits
 * after R are reserved, although the text has 8 (RDMAP-081, note D42). */
enum {
  TYPE_MASK = 0x0F,
  LAYER_SHIFT = 4,
  FLAGS_AT = 2,
  FLAG_SEGMENT_LENGTH = 0x80, /* M */
  FLAG_DDP_HEADER = 0x40,     /* D */
  FLAG_RDMA_HEADER = 0x20,    /* R */
  SEGMENT_LENGTH_OCTETS = 2,
};

G_STATIC_ASSERT(RDMAP_TERMINATE_MAX_OCTETS == RDMAP_TERMINATE_CONTROL_OCTETS + SEGMENT_LENGTH_OCTETS +
                                                  DDP_UNTAGGED_HEADER_OCTETS + RDMAP_READ_REQUEST_OCTETS);

/* Takes the DDP header at `wire`, of which `length` octets are there; returns its length, 0 when it is not
 * whole. */
static size_t take_header(rdmap_terminate *terminate, const uint8_t *wire, size_t length)
{
  size_t header_octets = ddp_header_read(&terminate->header, wire, (uint32_t)length);
  memcpy(terminate->header_wire, wire, header_octets);
  return header_octets;
}

void rdmap_terminate_compose(rdmap_terminate *terminate, rdmap_error error,
                             const rdmap_terminate_subject *subject)
{
  *terminate = (rdmap_terminate){.error = error};
  /* rdmap-00 §6.8 fig. 10: which errors have the failing segment's length and DDP header (RDMAP-115 …
   * RDMAP-119) */
  bool includes_segment = error.layer == RDMAP_LAYER_DDP ||
                          (error.layer == RDMAP_LAYER_RDMA && error.type != RDMAP_LOCAL_CATASTROPHIC_ERROR);
  if (!subject || subject->header_octets == 0 || !includes_segment) {
    return; /* without a whole header there is nothing to copy (notes D15, D44) */
  }
  size_t header_octets = take_header(terminate, subject->header_wire, subject->header_octets);
  g_assert(header_octets == subject->header_octets);
  g_assert(subject->segment_octets >= header_octets && subject->segment_octets <= UINT16_MAX);
  terminate->has_segment = true;
  terminate->segment_octets = (uint16_t)subject->segment_octets;
  /* Only when RDMAP itself refuses a Read Request for what it reads, not for DDP's errors in one, nor for its
   * version or opcode (RDMAP-116 … RDMAP-118, note D45). */
  if (subject->request && error.layer == RDMAP_LAYER_RDMA && error.type == RDMAP_REMOTE_PROTECTION_ERROR) {
    terminate->has_request = true;
    terminate->request = *subject->request;
  }
}

size_t rdmap_terminate_encode(const rdmap_terminate *terminate, uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS])
{
  g_assert(terminate->error.layer <= TYPE_MASK && terminate->error.type <= TYPE_MASK);
  g_assert(terminate->has_segment || !terminate->has_request);
  memset(wire, 0, RDMAP_TERMINATE_CONTROL_OCTETS); /* RDMAP-083 */
  wire[0] = (uint8_t)(terminate->error.layer << LAYER_SHIFT | terminate->error.type);
  wire[1] = terminate->error.code;
  size_t octets = RDMAP_TERMINATE_CONTROL_OCTETS;
  if (terminate->has_segment) {
    wire[FLAGS_AT] |= FLAG_SEGMENT_LENGTH | FLAG_DDP_HEADER;
    big_endian_write_16(wire + octets, terminate->segment_octets);
    octets += SEGMENT_LENGTH_OCTETS;
    size_t header_octets = ddp_header_octets(&terminate->header);
    memcpy(wire + octets, terminate->header_wire, header_octets);
    octets += header_octets;
  }
  if (terminate->has_request) {
    wire[FLAGS_AT] |= FLAG_RDMA_HEADER;
    rdmap_read_request_encode(&terminate->request, wire + octets);
    octets += RDMAP_READ_REQUEST_OCTETS;
  }
  return octets;
}

bool rdmap_terminate_decode(rdmap_terminate *terminate, const uint8_t *wire, size_t length)
{
  *terminate = (rdmap_terminate){0};
  if (length < RDMAP_TERMINATE_CONTROL_OCTETS) {
    return false;
  }
  terminate->error =
      (rdmap_error){.layer = wire[0] >> LAYER_SHIFT, .type = wire[0] & TYPE_MASK, .code = wire[1]};
  uint8_t flags = wire[FLAGS_AT];
  size_t at = RDMAP_TERMINATE_CONTROL_OCTETS;
  /* Without D there is neither a length nor a place that R's part could be sought at (RDMAP-089). */
  if (!(flags & FLAG_DDP_HEADER) || length < at + SEGMENT_LENGTH_OCTETS) {
    return true;
  }
  uint16_t segment_octets = big_endian_read_16(wire + at);
  at += SEGMENT_LENGTH_OCTETS;
  size_t header_octets = take_header(terminate, wire + at, length - at);
  if (header_octets == 0) {
    return true;
  }
  terminate->has_segment = true;
  terminate->segment_octets = flags & FLAG_SEGMENT_LENGTH ? segment_octets : 0; /* RDMAP-088 */
  at += header_octets;
  if (flags & FLAG_RDMA_HEADER && length - at >= RDMAP_READ_REQUEST_OCTETS) {
    terminate->has_request = true;
    rdmap_read_request_decode(&terminate->request, wire + at);
  }
  return true;
}
