/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault/fault_edit.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "ddp/ddp_header.h"
#include "mpa/mpa_enhanced.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_startup.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_header.h"

/* It has the members in their order. */
#define FAULT(id, word, at, which_ulpdus, stag, text, outcome)                                               \
  [FAULT_##id] = {word, FAULT_##at, FAULT_##which_ulpdus, FAULT_##stag, text, outcome},

static const fault_row rows[FAULTS] = {
    [FAULT_NONE] = {.name = "none", .sentence = "Nothing goes wrong.", .expected = "nothing"},
#include "fault/faults.def"
};

const fault_row *fault_row_of(fault_id id)
{
  g_assert(id < FAULTS);
  return &rows[id];
}

/* Returns a copy of `octets` in one piece, with room for as many at its end. */
static octet_buffer *copy_of(const buffer_chain *octets)
{
  octet_buffer *buffer = octet_buffer_new(2 * octets->length);

  buffer_chain_copy_out(octets, 0, octets->length, octet_buffer_octets(buffer));
  return buffer;
}

/* Puts the first `length` octets of `buffer` in the place of `octets`; takes the caller's reference. */
static void replace(buffer_chain *octets, octet_buffer *buffer, uint32_t length)
{
  buffer_chain_clear(octets);
  buffer_chain_append(octets, octet_buffer_octets(buffer), length, buffer);
  octet_buffer_unref(buffer);
}

/* --- Startup frames (mpa-01 §6.1.1, MPA-235) --- */

enum { KEY_ROLE_AT = 9 }; /* where "Req" and "Rep" differ, by one bit */

/* Alters what an enhanced frame has beside plain ones (RFC 6581 §6, §9); false when it is not one that the
 * fault can be done to. */
static bool edit_enhanced(fault_id id, uint8_t *frame, uint32_t *length)
{
  const unsigned all = (1U << MPA_RTRS) - 1;

  if (!(frame[MPA_STARTUP_FLAGS_AT] & MPA_STARTUP_FLAG_S) ||
      *length < MPA_STARTUP_HEADER_OCTETS + MPA_ENHANCED_OCTETS) {
    return false;
  }
  mpa_enhanced enhanced = mpa_enhanced_decode(frame + MPA_STARTUP_HEADER_OCTETS);
  const bool wants_a = id == FAULT_STARTUP_MODEL || id == FAULT_STARTUP_RTRS;
  if ((wants_a && !enhanced.peer_to_peer) || (id == FAULT_STARTUP_STRAY_FLAGS && enhanced.peer_to_peer)) {
    return false;
  }
  switch (id) {
  case FAULT_STARTUP_PLAIN:
    frame[MPA_STARTUP_FLAGS_AT] &= (uint8_t)~MPA_STARTUP_FLAG_S;
    *length -= MPA_ENHANCED_OCTETS;
    big_endian_write_16(frame + MPA_STARTUP_LENGTH_AT, (uint16_t)(*length - MPA_STARTUP_HEADER_OCTETS));
    memmove(frame + MPA_STARTUP_HEADER_OCTETS, frame + MPA_STARTUP_HEADER_OCTETS + MPA_ENHANCED_OCTETS,
            *length - MPA_STARTUP_HEADER_OCTETS);
    return true;
  case FAULT_STARTUP_SHORT:
    *length = MPA_STARTUP_HEADER_OCTETS + MPA_ENHANCED_OCTETS - 1;
    big_endian_write_16(frame + MPA_STARTUP_LENGTH_AT, MPA_ENHANCED_OCTETS - 1);
    break;
  case FAULT_STARTUP_STRAY_FLAGS:
    enhanced.rtrs = all;
    break;
  case FAULT_STARTUP_MODEL:
    enhanced.peer_to_peer = false;
    enhanced.rtrs = 0;
    break;
  case FAULT_STARTUP_RTRS:
    enhanced.rtrs ^= all;
    break;
  default:
    g_assert(id == FAULT_STARTUP_ORD);
    enhanced.ord = MPA_NOT_NEGOTIATED - 1;
    break;
  }
  mpa_enhanced_encode(&enhanced, frame + MPA_STARTUP_HEADER_OCTETS);
  return true;
}

bool fault_edit_startup(fault_id id, buffer_chain *octets)
{
  uint32_t length = octets->length;

  if (length < MPA_STARTUP_HEADER_OCTETS) {
    return false;
  }
  octet_buffer *buffer = copy_of(octets);
  uint8_t *frame = octet_buffer_octets(buffer);
  switch (id) {
  case FAULT_STARTUP_KEY:
    frame[MPA_STARTUP_KEY_OCTETS - 1] ^= 0x80;
    break;
  case FAULT_STARTUP_ROLE:
    frame[KEY_ROLE_AT] ^= 'q' ^ 'p';
    break;
  case FAULT_STARTUP_REVISION:
    frame[MPA_STARTUP_REVISION_AT] ^= 0x80;
    break;
  case FAULT_STARTUP_PRIVATE_DATA:
    big_endian_write_16(frame + MPA_STARTUP_LENGTH_AT, UINT16_MAX);
    break;
  case FAULT_STARTUP_EXTRA_OCTETS:
    frame[length++] = 0;
    break;
  case FAULT_STARTUP_TRUNCATED:
    length--;
    break;
  case FAULT_STARTUP_SILENT:
    length = 0;
    break;
  case FAULT_STARTUP_REJECT:
    frame[MPA_STARTUP_FLAGS_AT] |= MPA_STARTUP_FLAG_R;
    break;
  case FAULT_STARTUP_TWICE:
    memcpy(frame + length, frame, length);
    length *= 2;
    break;
  default:
    if (!edit_enhanced(id, frame, &length)) {
      octet_buffer_unref(buffer);
      return false;
    }
    break;
  }
  replace(octets, buffer, length);
  return true;
}

/* --- ULPDUs --- */

/* A draft is a ULPDU whose header is taken apart. */
typedef struct draft {
  ddp_header header;
  const rdmap_opcode_rules *rules; /* of its opcode */
  uint8_t *octets;
  uint32_t header_octets;
  uint32_t payload_octets;
} draft;

static const uint64_t far_away = UINT64_C(1) << 62;
static const uint32_t wild = 0x5A5A5A5A;

/* A whole message of `opcode` and `octets`. */
static bool is_whole(const draft *ulpdu, rdmap_opcode opcode, uint32_t octets)
{
  return ulpdu->rules->opcode == opcode && ulpdu->payload_octets == octets;
}

/* Returns the octets that a Read Request asks for; 0 for anything else. */
static uint32_t octets_read(const buffer_chain *octets, const draft *ulpdu)
{
  uint8_t wire[RDMAP_READ_REQUEST_OCTETS];
  rdmap_read_request request;

  if (!is_whole(ulpdu, RDMAP_READ_REQUEST, sizeof wire)) {
    return 0;
  }
  buffer_chain_copy_out(octets, ulpdu->header_octets, sizeof wire, wire);
  rdmap_read_request_decode(&request, wire);
  return request.length;
}

static bool is_eligible(fault_which which, const buffer_chain *octets, const draft *ulpdu)
{
  const ddp_header *header = &ulpdu->header;

  return which == FAULT_TAGGED             ? header->tagged
         : which == FAULT_UNTAGGED         ? !header->tagged
         : which == FAULT_TAGGED_PAYLOAD   ? header->tagged && ulpdu->payload_octets > 0
         : which == FAULT_UNTAGGED_PAYLOAD ? !header->tagged && ulpdu->payload_octets > 0
         : which == FAULT_READ_REQUEST     ? ulpdu->rules->opcode == RDMAP_READ_REQUEST
         : which == FAULT_READ_OF_OCTETS   ? octets_read(octets, ulpdu) > 0
         : which == FAULT_ATOMIC_REQUEST ? is_whole(ulpdu, RDMAP_ATOMIC_REQUEST, RDMAP_ATOMIC_REQUEST_OCTETS)
         : which == FAULT_ATOMIC_RESPONSE
             ? is_whole(ulpdu, RDMAP_ATOMIC_RESPONSE, RDMAP_ATOMIC_RESPONSE_OCTETS)
         : which == FAULT_IMMEDIATE ? is_whole(ulpdu, RDMAP_IMMEDIATE, RDMAP_IMMEDIATE_OCTETS) ||
                                          is_whole(ulpdu, RDMAP_IMMEDIATE_SE, RDMAP_IMMEDIATE_OCTETS)
         : which == FAULT_RESPONSE_PART ? ulpdu->rules->opcode == RDMAP_READ_RESPONSE && !header->last
         : which == FAULT_SEND_END      ? ulpdu->rules->is_send && header->last && ulpdu->payload_octets > 1
         : which == FAULT_INVALIDATING_END ? ulpdu->rules->invalidates && header->last
                                           : which == FAULT_ANY;
}

static void edit_read_request(fault_id id, uint32_t decoy_stag, draft *ulpdu)
{
  uint8_t *payload = ulpdu->octets + ulpdu->header_octets;
  rdmap_read_request request;

  rdmap_read_request_decode(&request, payload);
  switch (id) {
  case FAULT_READ_INVALID_STAG:
    request.source_stag ^= wild;
    break;
  case FAULT_READ_OUT_OF_BOUNDS:
    request.source_offset ^= far_away;
    break;
  case FAULT_READ_TO_WRAP:
    request.source_offset = -(uint64_t)request.length;
    break;
  case FAULT_READ_REQUEST_SHORT:
    ulpdu->payload_octets--;
    break;
  case FAULT_READ_REQUEST_LONG:
    payload[ulpdu->payload_octets++] = 0;
    break;
  default: /* one with a decoy; a row of faults.def that has none needs a case here */
    g_assert(fault_row_of(id)->decoy != FAULT_NO_DECOY);
    request.source_stag = decoy_stag;
    break;
  }
  rdmap_read_request_encode(&request, payload);
}

static void edit_atomic_request(fault_id id, uint32_t decoy_stag, draft *ulpdu)
{
  uint8_t *payload = ulpdu->octets + ulpdu->header_octets;
  rdmap_atomic request;

  rdmap_atomic_request_decode(&request, payload);
  switch (id) {
  case FAULT_ATOMIC_OPCODE:
    request.opcode = (rdmap_atomic_opcode)1;
    break;
  case FAULT_ATOMIC_INVALID_STAG:
    request.stag ^= wild;
    break;
  case FAULT_ATOMIC_UNALIGNED:
    request.stag = decoy_stag;
    request.offset = 1;
    break;
  case FAULT_ATOMIC_REQUEST_SHORT:
    ulpdu->payload_octets--;
    break;
  case FAULT_ATOMIC_REQUEST_LONG:
    payload[ulpdu->payload_octets++] = 0;
    break;
  default: /* as for a Read Request */
    g_assert(fault_row_of(id)->decoy != FAULT_NO_DECOY);
    request.stag = decoy_stag;
    break;
  }
  rdmap_atomic_request_encode(&request, payload);
}

static void edit_header(fault_id id, iwarp_generation generation, uint32_t decoy_stag, draft *ulpdu)
{
  ddp_header *header = &ulpdu->header;

  switch (id) {
  case FAULT_RDMAP_VERSION:
    header->ulp_control |= 3 << 6;
    break;
  case FAULT_UNKNOWN_OPCODE:
    header->ulp_control |= 0xF;
    break;
  case FAULT_UNEXPECTED_OPCODE:
    header->ulp_control = (uint8_t)((header->ulp_control & 0xF0) | RDMAP_WRITE);
    break;
  case FAULT_DDP_VERSION_TAGGED:
  case FAULT_DDP_VERSION_UNTAGGED:
    header->version = 3;
    break;
  case FAULT_INVALID_STAG:
    header->stag ^= wild;
    break;
  case FAULT_OUT_OF_BOUNDS:
    header->tagged_offset ^= far_away;
    break;
  case FAULT_TO_WRAP:
    header->tagged_offset = -(uint64_t)ulpdu->payload_octets;
    break;
  case FAULT_SHORT_RESPONSE:
    header->last = true;
    break;
  case FAULT_INVALID_QUEUE:
    header->queue_number = rdmap_queues_of(generation);
    break;
  case FAULT_NO_BUFFER:
    header->msn += UINT32_C(1) << 24;
    break;
  case FAULT_MSN_RANGE:
    header->msn--;
    break;
  case FAULT_BAD_MO:
    header->message_offset = UINT32_MAX - 3;
    break;
  case FAULT_TOO_LONG:
    header->message_offset++;
    break;
  case FAULT_ATOMIC_RESPONSE_ID:
    ulpdu->octets[ulpdu->header_octets] ^= 0x80; /* the identifier is in front */
    break;
  case FAULT_IMMEDIATE_SHORT:
    ulpdu->payload_octets--;
    break;
  case FAULT_INVALIDATE_UNKNOWN:
    header->ulp_word ^= wild;
    break;
  default: /* one with a decoy; a row of faults.def that has none needs a case here */
    g_assert(fault_row_of(id)->decoy != FAULT_NO_DECOY);
    *(header->tagged ? &header->stag : &header->ulp_word) = decoy_stag;
    break;
  }
}

bool fault_edit_ulpdu(fault_id id, iwarp_generation generation, uint32_t decoy_stag, buffer_chain *octets)
{
  const fault_row *row = fault_row_of(id);
  draft ulpdu;

  ulpdu.header_octets = (uint32_t)ddp_header_decode(&ulpdu.header, octets);
  ulpdu.payload_octets = octets->length - ulpdu.header_octets;
  ulpdu.rules = rdmap_opcode_rules_of(rdmap_control_opcode(ulpdu.header.ulp_control));
  g_assert(ulpdu.header_octets > 0 && ulpdu.rules); /* RDMAP made it */
  if (!is_eligible(row->which, octets, &ulpdu)) {
    return false;
  }
  octet_buffer *buffer = copy_of(octets);
  ulpdu.octets = octet_buffer_octets(buffer);
  if (row->which == FAULT_READ_REQUEST || row->which == FAULT_READ_OF_OCTETS) {
    edit_read_request(id, decoy_stag, &ulpdu);
  } else if (row->which == FAULT_ATOMIC_REQUEST) {
    edit_atomic_request(id, decoy_stag, &ulpdu);
  } else if (id != FAULT_SHORT_ULPDU) {
    edit_header(id, generation, decoy_stag, &ulpdu);
  }
  ddp_header_encode(&ulpdu.header, ulpdu.octets);
  replace(octets, buffer,
          id == FAULT_SHORT_ULPDU ? DDP_TAGGED_HEADER_OCTETS - 1
                                  : ulpdu.header_octets + ulpdu.payload_octets);
  return true;
}

/* --- FPDUs --- */

/* Points the first marker within `fpdu`, not in front of it, elsewhere: after the header or in front of
 * it. */
static bool edit_marker(const mpa_fpdu *fpdu, bool later, uint8_t *octets)
{
  uint64_t position = mpa_marker_next(fpdu->header);
  uint64_t distance = position - fpdu->header;
  /* Not to where another marker is, which a receiver may take for the header after that (note M1). */
  uint64_t target = later ? fpdu->header + 8 : fpdu->header - 8;
  uint32_t lie = target % MPA_MARKER_PERIOD_OCTETS == 0 ? 12 : 8;

  if (!fpdu->markers || position >= fpdu->end || (later && distance < lie)) {
    return false;
  }
  distance = later ? distance - lie : distance + lie;
  big_endian_write_16(octets + (position - fpdu->start) + 2, (uint16_t)distance);
  return true;
}

bool fault_edit_fpdu(fault_id id, uint64_t start, bool markers, bool crc, buffer_chain *octets)
{
  uint32_t length = octets->length;
  octet_buffer *buffer = copy_of(octets);
  uint8_t *copy = octet_buffer_octets(buffer);
  uint8_t *length_field = copy + (mpa_fpdu_header(start, markers) - start);
  uint16_t ulpdu_octets = big_endian_read_16(length_field);
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, markers);
  bool is_done = true;

  switch (id) {
  case FAULT_BAD_CRC:
    copy[length - 1] ^= 0x01;
    is_done = crc;
    break;
  case FAULT_DAMAGED_ULPDU:
    length_field[MPA_FPDU_LENGTH_OCTETS + 1] ^= 0x01; /* in the same word: no marker between */
    is_done = crc;
    break;
  case FAULT_BAD_LENGTH:
    big_endian_write_16(length_field, (uint16_t)(ulpdu_octets + 4));
    break;
  case FAULT_IMPOSSIBLE_LENGTH:
    big_endian_write_16(length_field, UINT16_MAX);
    break;
  default:
    is_done = edit_marker(&fpdu, id == FAULT_LENGTH_AGAINST_MARKER, copy);
    if (is_done && crc) {
      uint64_t covered = fpdu.end - fpdu.start - MPA_FPDU_CRC_OCTETS;
      crc32c_write(crc32c_update(CRC32C_INITIAL, copy, covered), copy + covered);
    }
    break;
  }
  if (is_done) {
    replace(octets, buffer, length);
  } else {
    octet_buffer_unref(buffer);
  }
  return is_done;
}
