#include "decode/decode_find.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "ddp/ddp_header.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_mulpdu.h"
#include "rdmap/rdmap_header.h"

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
  const mpa_deframer_events events = {.ulpdu = ignore_ulpdu, .error = ignore_error};
  mpa_deframer *deframer = mpa_deframer_new(markers, crc, &events, NULL);
  octet_rope rope;

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
} search;

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
  /* Reserved bits are sent as 0; versions are 0 or 1 (facts.md, "Version generations"). */
  return ulpdu_octets >= least && ulpdu_octets <= MPA_MULPDU_MAX_OCTETS && (octets[2] & 0x3E) == 0 &&
         (octets[3] & 0xB0) == 0 && rdmap_control_opcode(octets[3]) < RDMAP_OPCODES;
}

static bool has_right_crc(const search *in, size_t from, size_t to)
{
  uint8_t digest[MPA_FPDU_CRC_OCTETS];

  crc32c_write(crc32c_update(CRC32C_INITIAL, in->octets + from, to - from - MPA_FPDU_CRC_OCTETS), digest);
  return memcmp(digest, in->octets + to - MPA_FPDU_CRC_OCTETS, MPA_FPDU_CRC_OCTETS) == 0;
}

/* With its first octet at `at` and at `offset` of the FPDU phase, is it a valid FPDU, and one that is followed by another or by the end? */
static bool is_start(const search *in, size_t at, uint64_t offset)
{
  size_t header = at + (size_t)(mpa_fpdu_header(offset, in->markers) - offset);

  if (!is_likely(in, header)) {
    return false;
  }
  mpa_fpdu fpdu = mpa_fpdu_at(offset, big_endian_read_16(in->octets + header), in->markers);
  uint64_t end = at + (fpdu.end - fpdu.start);
  /* Without a marker in it, it says nothing of where markers are. */
  if ((in->markers && mpa_fpdu_marker_count(&fpdu) == 0) || end > in->length ||
      !has_right_crc(in, at, (size_t)end)) {
    return false;
  }
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append(&rope, in->octets + at, (uint32_t)(fpdu.end - fpdu.start), NULL);
  bool is_valid = mpa_fpdu_check(&fpdu, &rope, 0, false) == MPA_ERROR_NONE;
  octet_rope_clear(&rope);
  size_t next = (size_t)end + (size_t)(mpa_fpdu_header(fpdu.end, in->markers) - fpdu.end);
  return is_valid &&
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
      uint64_t count = decode_find_count(in->octets + at, in->length - at, phase, true, true);
      *offset = count > most ? phase : *offset;
      most = MAX(most, count);
    }
  }
  return most > 0;
}

bool decode_find_start(const uint8_t *octets, size_t length, bool markers, size_t *at, uint64_t *offset)
{
  const search in = {.octets = octets, .length = length, .markers = markers};

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
