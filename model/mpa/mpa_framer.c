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
  memory_pool *blocks;
  memory_pool *short_blocks;
};

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

void mpa_framer_use_pools(mpa_framer *framer, memory_pool *blocks, memory_pool *short_blocks)
{
  framer->blocks = blocks;
  framer->short_blocks = short_blocks;
}

/* Writes marker and ULPDU_Length in front of the ULPDU; returns where that goes. */
static uint8_t *write_header(const mpa_fpdu *fpdu, uint8_t *octets)
{
  if (fpdu->header != fpdu->start) {
    mpa_marker_write(fpdu->start, fpdu->header, octets); /* mpa-01 §5.1 (MPA-098, MPA-104) */
    octets += MPA_MARKER_OCTETS;
  }
  big_endian_write_16(octets, (uint16_t)fpdu->ulpdu_octets); /* mpa-01 §4 (MPA-074) */
  return octets + MPA_FPDU_LENGTH_OCTETS;
}

/* Writes the ULPDU to `octets` run by run, a marker between two; returns what is behind it. */
static uint8_t *write_ulpdu(const mpa_fpdu *fpdu, const octet_rope *ulpdu, uint8_t *octets)
{
  const octet_slice *slice = octet_rope_slices(ulpdu);
  const octet_slice *behind = slice + ulpdu->slice_count;
  uint64_t marker =
      mpa_marker_next(fpdu->header + MPA_FPDU_LENGTH_OCTETS); /* the next one, if there are any */
  uint32_t room =
      fpdu->markers ? (uint32_t)(marker - fpdu->header) - MPA_FPDU_LENGTH_OCTETS : UINT32_MAX; /* before it */

  for (; slice < behind; slice++) {
    const uint8_t *from = slice->octets;
    uint32_t length = slice->length;

    while (length > room) {
      memcpy(octets, from, room);
      octets += room;
      mpa_marker_write(marker, fpdu->header, octets); /* mpa-01 §5.1 (MPA-096, MPA-107) */
      octets += MPA_MARKER_OCTETS;
      marker += MPA_MARKER_PERIOD_OCTETS;
      from += room;
      length -= room;
      room = MPA_BETWEEN_MARKERS_OCTETS;
    }
    memcpy(octets, from, length);
    octets += length;
    room -= length;
  }
  return octets;
}

/* Writes PAD, a marker that is due before the CRC field, and that over all octets from `first` on. */
static void write_trailer(const mpa_fpdu *fpdu, bool crc, uint8_t *first, uint8_t *octets)
{
  /* PAD is zero (MPA-076) and shares a word with the end of the ULPDU, so no marker splits them (MPA-110). */
  uint32_t pad = mpa_fpdu_pad_octets(fpdu->ulpdu_octets);

  memset(octets, 0, MPA_FPDU_CRC_OCTETS); /* as many as there are in any case: more than PAD ever has */
  octets += pad;
  uint64_t position = fpdu->start + (uint64_t)(octets - first);
  if (fpdu->markers && position % MPA_MARKER_PERIOD_OCTETS == 0) {
    /* It belongs to this FPDU and its digest (MPA-128). */
    mpa_marker_write(position, fpdu->header, octets);
    octets += MPA_MARKER_OCTETS;
  }
  if (crc) {
    crc32c_write(crc32c_update(CRC32C_INITIAL, first, (size_t)(octets - first)), octets);
  } else {
    memset(octets, 0, MPA_FPDU_CRC_OCTETS); /* mpa-01 §4: any value may stand there (MPA-081) */
  }
  g_assert(octets + MPA_FPDU_CRC_OCTETS == first + (fpdu->end - fpdu->start));
}

static memory_pool *blocks_for(const mpa_framer *framer, uint32_t fpdu_octets)
{
  memory_pool *shorter = framer->short_blocks;
  return shorter != NULL && octet_block_piece_octets(fpdu_octets) <= shorter->piece_octets ? shorter
                                                                                           : framer->blocks;
}

void mpa_framer_frame(mpa_framer *framer, const octet_rope *ulpdu, octet_rope *fpdu)
{
  g_assert(ulpdu->length >= 1 && ulpdu->length <= MPA_MULPDU_MAX_OCTETS); /* mpa-01 §3.2 (MPA-063, MPA-064) */
  g_assert(fpdu->length == 0);

  mpa_fpdu extent = mpa_fpdu_at(framer->offset, ulpdu->length, framer->markers);
  uint32_t length = (uint32_t)(extent.end - extent.start);
  octet_block *block = octet_block_new_in(blocks_for(framer, length), length);
  uint8_t *first = octet_block_octets(block);

  write_trailer(&extent, framer->crc, first, write_ulpdu(&extent, ulpdu, write_header(&extent, first)));
  octet_rope_append(fpdu, first, length, block);
  octet_block_unref(block);
  framer->offset = extent.end;
}

uint64_t mpa_framer_offset(const mpa_framer *framer)
{
  return framer->offset;
}
