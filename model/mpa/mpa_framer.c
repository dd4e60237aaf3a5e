#include "mpa/mpa_framer.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_marker.h"
#include "mpa/mpa_mulpdu.h"

struct mpa_framer {
  bool markers;
  bool crc;
  uint64_t offset;
};

/* What MPA adds to one ULPDU lies in one block, in the order of the stream. */
typedef struct overhead {
  octet_block *block;
  uint8_t *next;
} overhead;

mpa_framer *mpa_framer_new(bool markers, bool crc)
{
  mpa_framer *framer = g_new0(mpa_framer, 1);

  framer->markers = markers;
  framer->crc = crc;
  return framer;
}

void mpa_framer_free(mpa_framer *framer)
{
  g_free(framer);
}

/* Appends the next `length` octets of the overhead, which the caller has written. */
static void append_overhead(overhead *added, uint32_t length, octet_rope *target)
{
  octet_rope_append(target, added->next, length, added->block);
  added->next += length;
}

static void append_header(overhead *added, const mpa_fpdu *fpdu, octet_rope *target)
{
  if (fpdu->header != fpdu->start) {
    mpa_marker_write(fpdu->start, fpdu->header, added->next); /* mpa-01 §5.1 (MPA-098, MPA-104) */
    append_overhead(added, MPA_MARKER_OCTETS, target);
  }
  big_endian_write_16(added->next, (uint16_t)fpdu->ulpdu_octets); /* mpa-01 §4 (MPA-074) */
  append_overhead(added, MPA_FPDU_LENGTH_OCTETS, target);
}

/* Appends the marker that is due before the next octet of the FPDU, if one is. */
static void append_marker_if_due(overhead *added, const mpa_fpdu *fpdu, octet_rope *target)
{
  uint64_t position = fpdu->start + target->length;

  if (fpdu->markers && position % MPA_MARKER_PERIOD_OCTETS == 0) {
    mpa_marker_write(position, fpdu->header, added->next); /* mpa-01 §5.1 (MPA-096, MPA-107) */
    append_overhead(added, MPA_MARKER_OCTETS, target);
  }
}

static void append_ulpdu(overhead *added, const mpa_fpdu *fpdu, const octet_rope *ulpdu, octet_rope *target)
{
  uint32_t done = 0;

  while (done < ulpdu->length) {
    append_marker_if_due(added, fpdu, target);
    uint64_t run = ulpdu->length - done;
    if (fpdu->markers) {
      uint64_t position = fpdu->start + target->length;
      run = MIN(run, mpa_marker_next(position) - position);
    }
    octet_rope_append_rope(target, ulpdu, done, (uint32_t)run);
    done += (uint32_t)run;
  }
}

static void append_trailer(overhead *added, const mpa_fpdu *fpdu, bool crc, octet_rope *target)
{
  /* PAD is zero (MPA-076) and shares a word with the end of the ULPDU, so no marker splits them (MPA-110). */
  uint32_t pad = mpa_fpdu_pad_octets(fpdu->ulpdu_octets);

  memset(added->next, 0, pad);
  append_overhead(added, pad, target);
  /* A marker before the CRC field belongs to this FPDU and its digest (MPA-128). */
  append_marker_if_due(added, fpdu, target);
  if (crc) {
    crc32c_write(crc32c_update_rope(CRC32C_INITIAL, target, 0, target->length), added->next);
  } else {
    memset(added->next, 0, MPA_FPDU_CRC_OCTETS); /* mpa-01 §4: any value may stand there (MPA-081) */
  }
  append_overhead(added, MPA_FPDU_CRC_OCTETS, target);
}

void mpa_framer_frame(mpa_framer *framer, const octet_rope *ulpdu, octet_rope *fpdu)
{
  g_assert(ulpdu->length >= 1 && ulpdu->length <= MPA_MULPDU_MAX_OCTETS); /* mpa-01 §3.2 (MPA-063, MPA-064) */
  g_assert(fpdu->length == 0);

  mpa_fpdu extent = mpa_fpdu_at(framer->offset, ulpdu->length, framer->markers);
  octet_block *block = octet_block_new((size_t)(extent.end - extent.start) - ulpdu->length);
  overhead added = {.block = block, .next = octet_block_octets(block)};

  append_header(&added, &extent, fpdu);
  append_ulpdu(&added, &extent, ulpdu, fpdu);
  append_trailer(&added, &extent, framer->crc, fpdu);
  octet_block_unref(block);
  g_assert(fpdu->length == extent.end - extent.start);
  framer->offset = extent.end;
}

uint64_t mpa_framer_offset(const mpa_framer *framer)
{
  return framer->offset;
}
