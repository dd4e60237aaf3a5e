/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_find.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "ddp/ddp_header.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"
#include "rdmap/rdmap_header.h"

/* FPDUs in a row that are believed without CRCs, and how many markers they must have in a stream with markers. Of random octets, one place in
 * 8000 looks like the header of an FPDU, and a CRC field that is not used is often 0, as a marker between FPDUs is. */
enum { CHAIN_FPDUS = 3, CHAIN_MARKERS = 2 };

static void ignore_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  (void)user;
  (void)ulpdu;
  (void)now;
}

static void ignore_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  (void)user;
  (void)error;
  (void)offset;
  (void)now;
}

uint64_t decode_find_count(const uint8_t *octets, size_t length, uint64_t offset, bool markers, bool crc)
{
  static const mpa_deframer_events events = {.ulpdu = ignore_ulpdu, .error = ignore_error};
  mpa_deframer *deframer = mpa_deframer_new(markers, crc, &events, NULL);
  octet_rope rope;

  mpa_deframer_take_long(deframer);
  mpa_deframer_start_at(deframer, offset);
  octet_rope_init(&rope);
  octet_rope_append(&rope, octets, (uint32_t)MIN(length, (size_t)UINT32_MAX), NULL);
  mpa_deframer_receive(deframer, offset, &rope, 0, 0);
  octet_rope_clear(&rope);
  uint64_t count = mpa_deframer_statistics_of(deframer)->located_by[MPA_LOCATED_BY_CHAIN];
  mpa_deframer_free(deframer);
  return count;
}

/* The octets that are searched. */
typedef struct search {
  const uint8_t *octets;
  size_t length;
  bool markers;
  bool crc;
} search;

bool decode_find_could_start(const uint8_t octets[2])
{
  /* Reserved bits are sent as 0; versions are 0 or 1 (facts.md, "Version generations"). */
  return (octets[0] & 0x3E) == 0 && (octets[1] & 0xB0) == 0 &&
         rdmap_control_opcode(octets[1]) < RDMAP_OPCODES;
}

/* Could there be a ULPDU_Length at `header`, with the first two octets of a DDP segment behind it? Of random octets one in 500 could. */
static bool is_likely(const search *in, size_t header)
{
  const uint8_t *octets = in->octets + header;

  if (header + MPA_FPDU_LENGTH_OCTETS + DDP_MAX_HEADER_OCTETS > in->length) {
    return false;
  }
  uint32_t ulpdu_octets = big_endian_read_16(octets);
  bool is_tagged = (octets[2] & 0x80) != 0;
  uint32_t least = is_tagged ? DDP_TAGGED_HEADER_OCTETS : DDP_UNTAGGED_HEADER_OCTETS;
  return ulpdu_octets >= least && decode_find_could_start(octets + MPA_FPDU_LENGTH_OCTETS);
}

static bool has_right_crc(const search *in, size_t from, size_t to)
{
  uint8_t digest[MPA_FPDU_CRC_OCTETS];

  crc32c_write(crc32c_update(CRC32C_INITIAL, in->octets + from, to - from - MPA_FPDU_CRC_OCTETS), digest);
  return memcmp(digest, in->octets + to - MPA_FPDU_CRC_OCTETS, MPA_FPDU_CRC_OCTETS) == 0;
}

/* Do the DDP and RDMAP headers of this ULPDU contradict nothing that the documents say of all of them (ddp-07 §4, rdmap-00 §6.1)? */
static bool is_consistent(const octet_rope *ulpdu)
{
  ddp_header header;
  size_t octets = ddp_header_decode(&header, ulpdu);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(header.ulp_control));
  bool has_reserved = (octet_rope_at(ulpdu, 0) & 0x3C) != 0 || (header.ulp_control & 0x30) != 0;

  return octets > 0 && !has_reserved && rules && rules->tagged == header.tagged && header.version <= 1 &&
         header.version == rdmap_control_version(header.ulp_control) &&
         (header.tagged || header.queue_number == rules->queue_number);
}

/* Is there a whole FPDU with its first octet at `at`, which is at `offset` of the FPDU phase, and right but perhaps for its CRC? Sets
 * `fpdu`. */
static bool read_fpdu(const search *in, size_t at, uint64_t offset, mpa_fpdu *fpdu)
{
  size_t header = at + (size_t)(mpa_fpdu_header(offset, in->markers) - offset);
  octet_rope framed;
  octet_rope ulpdu;

  if (header + MPA_FPDU_LENGTH_OCTETS > in->length) {
    return false;
  }
  *fpdu = mpa_fpdu_at(offset, big_endian_read_16(in->octets + header), in->markers);
  if (fpdu->ulpdu_octets == 0 || fpdu->end - fpdu->start > in->length - at) {
    return false;
  }
  octet_rope_init(&framed);
  octet_rope_init(&ulpdu);
  octet_rope_append(&framed, in->octets + at, (uint32_t)(fpdu->end - fpdu->start), NULL);
  bool is_right = mpa_fpdu_check(fpdu, &framed, 0, false) == MPA_ERROR_NONE;
  if (is_right && !in->crc) {
    mpa_fpdu_strip(fpdu, &framed, 0, &ulpdu);
    is_right = is_consistent(&ulpdu);
  }
  octet_rope_clear(&ulpdu);
  octet_rope_clear(&framed);
  return is_right;
}

/* Without CRCs: do as many FPDUs follow each other from `at` on as no chance makes, or do they end where the octets do? */
static bool is_chain(const search *in, size_t at, uint64_t offset)
{
  bool is_first = at == 0;
  unsigned count = 0;
  uint32_t markers = 0;
  mpa_fpdu fpdu;

  while ((count < CHAIN_FPDUS || (in->markers && markers < CHAIN_MARKERS)) &&
         read_fpdu(in, at, offset, &fpdu)) {
    at += (size_t)(fpdu.end - fpdu.start);
    offset = fpdu.end;
    count++;
    markers += mpa_fpdu_marker_count(&fpdu);
  }
  bool is_long = count >= CHAIN_FPDUS || (at == in->length && (count > 1 || (count > 0 && is_first)));
  return is_long && (!in->markers || markers >= CHAIN_MARKERS);
}

/* With its first octet at `at` and at `offset` of the FPDU phase, is it a valid FPDU, and one that is followed by another or by the end? */
static bool is_start(const search *in, size_t at, uint64_t offset)
{
  size_t header = at + (size_t)(mpa_fpdu_header(offset, in->markers) - offset);
  mpa_fpdu fpdu;

  /* Without a marker in it, it says nothing of where markers are. */
  if (!is_likely(in, header) || !read_fpdu(in, at, offset, &fpdu) ||
      (in->markers && mpa_fpdu_marker_count(&fpdu) == 0)) {
    return false;
  }
  if (!in->crc) {
    return is_chain(in, at, offset);
  }
  size_t end = at + (size_t)(fpdu.end - fpdu.start);
  size_t next = end + (size_t)(mpa_fpdu_header(fpdu.end, in->markers) - fpdu.end);
  return has_right_crc(in, at, end) &&
         (next + MPA_FPDU_LENGTH_OCTETS + DDP_MAX_HEADER_OCTETS > in->length || is_likely(in, next));
}

/* Where the markers are, when an FPDU starts at `at`: sets `*offset`. A marker within that FPDU points back to its header, so the pointer says
 * which octets can be one. Of several that can the one counts by which most FPDUs follow. */
static bool find_phase(const search *in, size_t at, uint64_t *offset)
{
  uint64_t most = 0;

  for (uint32_t distance = 0; distance < MPA_MARKER_PERIOD_OCTETS; distance += 4) {
    size_t marker = at + distance;
    uint32_t phase = (MPA_MARKER_PERIOD_OCTETS - distance) % MPA_MARKER_PERIOD_OCTETS;
    if (marker + MPA_MARKER_OCTETS > in->length) {
      break;
    }
    uint16_t pointer = big_endian_read_16(in->octets + marker + 2);
    if ((pointer & ~3u) == distance && is_start(in, at, phase)) {
      uint64_t count = decode_find_count(in->octets + at, in->length - at, phase, true, in->crc);
      *offset = count > most ? phase : *offset;
      most = MAX(most, count);
    }
  }
  return most > 0;
}

bool decode_find_start(const uint8_t *octets, size_t length, bool markers, bool crc, size_t *at,
                       uint64_t *offset)
{
  const search in = {.octets = octets, .length = length, .markers = markers, .crc = crc};

  for (size_t each = 0; each + DDP_MAX_HEADER_OCTETS < length; each++) {
    bool found;
    if (markers) {
      bool is_led = is_likely(&in, each + MPA_MARKER_OCTETS) && big_endian_read_16(octets + each + 2) < 4;
      found = (is_led || is_likely(&in, each)) && find_phase(&in, each, offset);
    } else {
      *offset = 0;
      found = is_start(&in, each, 0);
    }
    if (found) {
      *at = each;
      return true;
    }
  }
  return false;
}
