/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_reader.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "mpa/mpa_startup.h"

/* --- Startup frames --- */

const char decode_startup_keys[DECODE_FRAMES][DECODE_STARTUP_KEY_OCTETS + 1] = {
    [DECODE_REQUEST] = "MPA ID Req Frame", [DECODE_REPLY] = "MPA ID Rep Frame"};

static bool starts_with(const uint8_t *octets, size_t length, const char *key)
{
  return memcmp(octets, key, MIN(length, (size_t)DECODE_STARTUP_KEY_OCTETS)) == 0;
}

decode_startup_result decode_startup_frame_read(decode_startup_frame *frame, const uint8_t *octets,
                                                size_t length)
{
  bool is_request = starts_with(octets, length, decode_startup_keys[DECODE_REQUEST]);

  if (!is_request && !starts_with(octets, length, decode_startup_keys[DECODE_REPLY])) {
    return DECODE_STARTUP_NONE;
  }
  if (length < DECODE_STARTUP_HEADER_OCTETS) {
    return DECODE_STARTUP_PARTIAL;
  }
  const uint8_t *fields = octets + DECODE_STARTUP_KEY_OCTETS;
  const uint8_t flags = fields[0];
  const bool is_enhanced = fields[1] >= MPA_ENHANCED_REVISION;
  decode_startup_frame read = {.is_reply = !is_request,
                               .markers = (flags & MPA_STARTUP_FLAG_M) != 0,
                               .crc = (flags & MPA_STARTUP_FLAG_C) != 0,
                               .rejected = (flags & MPA_STARTUP_FLAG_R) != 0,
                               .revision = fields[1],
                               .enhanced_flag = is_enhanced && (flags & MPA_STARTUP_FLAG_S) != 0,
                               .reserved = flags & (is_enhanced ? 0x0F : 0x1F),
                               .private_data_octets = big_endian_read_16(fields + 2)};
  read.frame_octets = DECODE_STARTUP_HEADER_OCTETS + (uint32_t)read.private_data_octets;
  read.private_data_read =
      (uint16_t)MIN(length - DECODE_STARTUP_HEADER_OCTETS, (size_t)read.private_data_octets);
  if (read.private_data_read > 0) {
    read.private_data = octets + DECODE_STARTUP_HEADER_OCTETS;
  }
  read.has_enhanced = read.enhanced_flag && read.private_data_read >= MPA_ENHANCED_OCTETS;
  if (read.has_enhanced) {
    read.enhanced = mpa_enhanced_decode(read.private_data);
  }
  *frame = read;
  return length < read.frame_octets ? DECODE_STARTUP_PARTIAL : DECODE_STARTUP_WHOLE;
}

bool decode_startup_frame_is_bare(const uint8_t *octets)
{
  static const uint8_t nothing[DECODE_STARTUP_HEADER_OCTETS - DECODE_STARTUP_KEY_OCTETS];

  return memcmp(octets + DECODE_STARTUP_KEY_OCTETS, nothing, sizeof nothing) == 0;
}

bool decode_startup_frame_may_be(const uint8_t *octets, bool is_first_sent, bool *is_strong)
{
  decode_startup_frame frame = {0};

  decode_startup_frame_read(&frame, octets, DECODE_STARTUP_HEADER_OCTETS);
  /* what no document allows: a Revision that none has, more Private Data than may be, reserved bits */
  const bool is_long = frame.revision > 0 && frame.private_data_octets > DECODE_PRIVATE_DATA_MAX_OCTETS;
  const unsigned faults = (frame.revision > DECODE_REVISION_LAST) + is_long + (frame.reserved != 0);
  *is_strong = is_first_sent && faults == 0 && !decode_startup_frame_is_bare(octets);
  return faults <= is_first_sent;
}

/* --- FPDUs --- */

static void read_markers(decode_fpdu *fpdu, const decode_scanner *scanner, const mpa_complete_fpdu *framed,
                         uint64_t stream_position)
{
  const mpa_fpdu *extent = &framed->extent;
  uint64_t at = mpa_marker_next(extent->start);

  fpdu->marker_count = mpa_fpdu_marker_count(extent);
  g_assert(fpdu->marker_count <= DECODE_MARKERS_MAX);
  for (uint32_t i = 0; i < fpdu->marker_count; i++, at += MPA_MARKER_PERIOD_OCTETS) {
    uint32_t from = (uint32_t)(at - extent->start);
    uint8_t wire[MPA_MARKER_OCTETS];
    decode_marker *marker = &fpdu->markers[i];

    *marker = (decode_marker){.stream_position = stream_position + from};
    marker->is_captured = range_set_covered(&scanner->not_captured, at, at + MPA_MARKER_OCTETS) == 0;
    if (marker->is_captured) {
      buffer_chain_copy_out(framed->octets, framed->from + from, sizeof wire, wire);
      marker->reserved = big_endian_read_16(wire);
      marker->pointer = big_endian_read_16(wire + 2);
      marker->is_right = mpa_marker_points_to(at, wire, extent->header);
      fpdu->wrong_markers += !marker->is_right;
      fpdu->marker_reserved |= marker->reserved | (marker->pointer & 3);
    }
  }
}

static void read_crc(decode_fpdu *fpdu, const decode_scanner *scanner, const mpa_complete_fpdu *framed,
                     mpa_error error)
{
  const mpa_fpdu *extent = &framed->extent;
  uint32_t covered = (uint32_t)(extent->end - extent->start) - MPA_FPDU_CRC_OCTETS;
  bool is_captured = range_set_covered(&scanner->not_captured, extent->start, extent->end) == 0;
  uint8_t wire[MPA_FPDU_CRC_OCTETS];

  fpdu->crc = !scanner->locator.crc    ? DECODE_CRC_UNUSED
              : !is_captured           ? DECODE_CRC_NOT_CAPTURED
              : error == MPA_ERROR_CRC ? DECODE_CRC_WRONG
                                       : DECODE_CRC_RIGHT;
  buffer_chain_copy_out(framed->octets, framed->from + covered, sizeof wire, wire);
  fpdu->crc_received = big_endian_read_32(wire);
  fpdu->crc_computed = fpdu->crc_received;
  if (fpdu->crc == DECODE_CRC_WRONG) {
    crc32c_write(crc32c_update_chain(CRC32C_INITIAL, framed->octets, framed->from, covered), wire);
    fpdu->crc_computed = big_endian_read_32(wire);
  }
}

/* PAD shares a word with the end of the ULPDU; the CRC follows, or a marker and the CRC (MPA-110, MPA-128).
 */
static void read_pad(decode_fpdu *fpdu, const decode_scanner *scanner, const mpa_complete_fpdu *framed)
{
  const mpa_fpdu *extent = &framed->extent;
  uint32_t octets = mpa_fpdu_pad_octets(extent->ulpdu_octets);
  uint64_t end = extent->end - MPA_FPDU_CRC_OCTETS;
  uint8_t wire[4] = {0};

  if (octets > 0) {
    bool has_marker = extent->markers && (end - MPA_MARKER_OCTETS) % MPA_MARKER_PERIOD_OCTETS == 0;
    end -= has_marker ? MPA_MARKER_OCTETS : 0;
    if (range_set_covered(&scanner->not_captured, end - octets, end) == 0) {
      buffer_chain_copy_out(framed->octets, framed->from + (uint32_t)(end - octets - extent->start), octets,
                            wire + sizeof wire - octets);
    }
    fpdu->pad = big_endian_read_32(wire);
  }
}

/* Reads what a message of RFC 7306 holds, whose fields are `wire`. */
static void read_extension(decode_extension *extension, uint8_t opcode, const uint8_t *wire)
{
  uint8_t sent[RDMAP_ATOMIC_REQUEST_OCTETS]; /* as they are to be sent */

  if (opcode == RDMAP_ATOMIC_REQUEST) {
    extension->kind = DECODE_ATOMIC_REQUEST;
    rdmap_atomic_request_decode(&extension->atomic, wire);
    rdmap_atomic_request_encode(&extension->atomic, sent);
    extension->id = extension->atomic.id;
    extension->has_other_fields = memcmp(sent, wire, sizeof sent) != 0;
  } else if (opcode == RDMAP_ATOMIC_RESPONSE) {
    extension->kind = DECODE_ATOMIC_RESPONSE;
    rdmap_atomic_response_decode(&extension->id, &extension->value, wire);
  } else {
    extension->kind = DECODE_IMMEDIATE;
    extension->value = big_endian_read_64(wire);
  }
}

/* Reads the fields of a message of a fixed length, or of a Terminate, after `header_octets` of DDP. */
static void read_payload(decode_fpdu *fpdu, const mpa_ulpdu *ulpdu, uint32_t header_octets, uint32_t captured)
{
  const uint32_t fixed_octets = fpdu->opcode ? fpdu->opcode->fixed_octets : 0;
  uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS];

  /* A longer Read Request is none (RDMAP-076), but its fields are there; and so it is of the others. */
  if (fixed_octets > 0 && captured >= header_octets + fixed_octets) {
    mpa_ulpdu_copy_out(ulpdu, header_octets, fixed_octets, wire);
    fpdu->has_read_request = fpdu->rdmap_opcode == RDMAP_READ_REQUEST;
    if (fpdu->has_read_request) {
      rdmap_read_request_decode(&fpdu->read_request, wire);
    } else {
      read_extension(&fpdu->extension, fpdu->rdmap_opcode, wire);
    }
  } else if (fpdu->rdmap_opcode == RDMAP_TERMINATE && captured == fpdu->ulpdu_octets &&
             fpdu->payload_octets > 0) {
    fpdu->terminate_octets = g_malloc(fpdu->payload_octets);
    mpa_ulpdu_copy_out(ulpdu, header_octets, fpdu->payload_octets, fpdu->terminate_octets);
    fpdu->has_terminate =
        rdmap_terminate_decode(&fpdu->terminate, fpdu->terminate_octets, fpdu->payload_octets);
  }
}

static void read_ulpdu(decode_fpdu *fpdu, const mpa_ulpdu *ulpdu, uint32_t captured)
{
  const uint32_t front_octets = MIN(ulpdu->fpdu.ulpdu_octets, (uint32_t)DDP_MAX_HEADER_OCTETS);
  uint8_t spare[DDP_MAX_HEADER_OCTETS];
  const uint8_t *wire = mpa_ulpdu_front(ulpdu, front_octets, spare);
  const uint32_t header_octets = (uint32_t)ddp_header_read(&fpdu->ddp, wire, front_octets);

  fpdu->ulpdu_octets = ulpdu->fpdu.ulpdu_octets;
  fpdu->has_ddp = header_octets > 0 && captured >= header_octets;
  if (fpdu->has_ddp) {
    fpdu->ddp_control = wire[0];
    fpdu->payload_octets = fpdu->ulpdu_octets - header_octets;
    fpdu->rdmap_version = rdmap_control_version(fpdu->ddp.ulp_control);
    fpdu->rdmap_opcode = rdmap_control_opcode(fpdu->ddp.ulp_control);
    fpdu->opcode = rdmap_opcode_rules_of(fpdu->rdmap_opcode);
    if (!fpdu->ddp.tagged && fpdu->ddp.message_offset == 0) {
      read_payload(fpdu, ulpdu, header_octets, captured);
    }
  }
}

void decode_fpdu_read(decode_fpdu *fpdu, const decode_scanner *scanner, const mpa_complete_fpdu *framed,
                      mpa_error error, uint64_t stream_position)
{
  const mpa_fpdu *extent = &framed->extent;
  const uint32_t octets = (uint32_t)(extent->end - extent->start);
  const mpa_ulpdu ulpdu = {.fpdu = *extent,
                           .octets = framed->octets,
                           .from = framed->from,
                           .flat = buffer_chain_flat(framed->octets, framed->from, octets)};

  memset(fpdu, 0, offsetof(decode_fpdu, markers)); /* those are 3 KB, of which few are used */
  fpdu->phase_offset = extent->start;
  fpdu->located_by = framed->method;
  read_markers(fpdu, scanner, framed, stream_position);
  read_crc(fpdu, scanner, framed, error);
  read_pad(fpdu, scanner, framed);
  const range_set *holes = &scanner->not_captured;
  const size_t hole = range_set_find(holes, extent->header);
  read_ulpdu(fpdu, &ulpdu,
             hole == range_set_count(holes)
                 ? extent->ulpdu_octets
                 : mpa_fpdu_ulpdu_octets_below(extent, range_set_get(holes, hole).from));
}
