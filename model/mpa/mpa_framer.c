/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_framer.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "mpa/mpa_fpdu.h"

mpa_framer *mpa_framer_new(bool markers, bool crc, const mpa_fpdu_memory *memory)
{
  mpa_framer *framer = g_new0(mpa_framer, 1);

  framer->markers = markers;
  framer->crc = crc;
  framer->memory = memory;
  return framer;
}

/* Writes marker and ULPDU_Length before the ULPDU; returns where ULPDU_Length is. */
static uint8_t *write_header(const mpa_fpdu *fpdu, uint8_t *octets)
{
  if (fpdu->header != fpdu->start) {
    mpa_marker_write(fpdu->start, fpdu->header, octets); /* mpa-01 §5.1 (MPA-098, MPA-104) */
    octets += MPA_MARKER_OCTETS;
  }
  big_endian_write_16(octets, (uint16_t)fpdu->ulpdu_octets); /* mpa-01 §4 (MPA-074) */
  return octets;
}

/* Copies a run. That of a DDP header, of which each FPDU has one, takes less than a call. */
static inline void copy_run(uint8_t *to, const uint8_t *from, uint32_t length)
{
  if (length >= 8 && length <= 16) {
    memcpy(to, from, 8);
    memcpy(to + length - 8, from + length - 8, 8);
  } else {
    memcpy(to, from, length);
  }
}

/* Writes the ULPDU after ULPDU_Length, which is at `header`, run by run, a marker between two, of which the
 * first comes after `room` octets; returns where it ends. Not inlined, so that a run takes few registers. */
static G_GNUC_NO_INLINE uint8_t *write_ulpdu(const gather_list *ulpdu, uint8_t *header, uint32_t room)
{
  const octet_slice *slice = ulpdu->slices;
  uint8_t *octets = header + MPA_FPDU_LENGTH_OCTETS;

  for (uint32_t rest = ulpdu->length; rest > 0; slice++) {
    const uint8_t *from = slice->octets;
    uint32_t length = slice->length;

    rest -= length;
    while (length > room) {
      memcpy(octets, from, room);
      octets += room;
      mpa_marker_write_pointer((uint32_t)(octets - header), octets); /* mpa-01 §5.1 (MPA-096, MPA-107) */
      octets += MPA_MARKER_OCTETS;
      from += room;
      length -= room;
      room = MPA_BETWEEN_MARKERS_OCTETS;
    }
    copy_run(octets, from, length);
    octets += length;
    room -= length;
  }
  return octets;
}

/* Writes PAD, and a marker that is due before the CRC field, to `octets`, the last `rest` of the FPDU;
 * returns where that field is. */
static inline uint8_t *write_padding(const mpa_fpdu *fpdu, uint8_t *octets, uint32_t rest)
{
  uint8_t *digest = octets + rest - MPA_FPDU_CRC_OCTETS;

  /* PAD is zero (MPA-076) and shares a word with the end of the ULPDU, so no marker splits them (MPA-110). */
  g_assert(rest < 2 * MPA_FPDU_CRC_OCTETS + MPA_MARKER_OCTETS);
  memset(octets, 0, MPA_FPDU_CRC_OCTETS); /* as many as there are in any case: more than PAD ever has */
  if (rest >= MPA_FPDU_CRC_OCTETS + MPA_MARKER_OCTETS) {
    /* It belongs to this FPDU and its digest (MPA-128). */
    mpa_marker_write(fpdu->end - MPA_FPDU_CRC_OCTETS - MPA_MARKER_OCTETS, fpdu->header,
                     digest - MPA_MARKER_OCTETS);
  }
  return digest;
}

/* The FPDU as one slice of a buffer of its own. */
static inline void frame_flat(const mpa_framer *framer, mpa_fpdu extent, const gather_list *ulpdu,
                              buffer_chain *fpdu)
{
  uint32_t length = (uint32_t)(extent.end - extent.start);
  memory_pool *pool = framer->memory ? mpa_fpdu_memory_flat(framer->memory, length) : NULL;
  octet_buffer *buffer = octet_buffer_new_in(pool, length);
  uint8_t *first = octet_buffer_octets(buffer);
  uint8_t *header = write_header(&extent, first);
  uint8_t *end = write_ulpdu(ulpdu, header, mpa_fpdu_first_run(&extent));
  uint8_t *digest = write_padding(&extent, end, length - (uint32_t)(end - first));

  if (framer->crc) {
    crc32c_write(crc32c_update(CRC32C_INITIAL, first, (size_t)(digest - first)), digest);
  } else {
    memset(digest, 0, MPA_FPDU_CRC_OCTETS); /* mpa-01 §4: any value may stand there (MPA-081) */
  }
  buffer_chain_put(fpdu, first, length, buffer);
  octet_buffer_unref(buffer);
}

/* --- FPDUs that refer to the ULPDU's octets --- */

static bool may_be_referred_to(const octet_slice *slice)
{
  enum { REFERRED_OCTETS_MIN = 64 }; /* copying fewer costs less than a slice */

  return slice->buffer != NULL && slice->length >= REFERRED_OCTETS_MIN;
}

/* Begins the list of `extent`; false when nothing of `ulpdu` may be referred to. */
static bool begin_list(const mpa_framer *framer, const mpa_fpdu *extent, const gather_list *ulpdu,
                       scatter_list *list)
{
  size_t own_octets = (size_t)(extent->end - extent->start);
  uint32_t runs = 0;

  for (uint32_t i = 0; i < ulpdu->slice_count; i++) {
    if (may_be_referred_to(&ulpdu->slices[i])) {
      own_octets -= ulpdu->slices[i].length;
      runs++;
    }
  }
  if (runs == 0) {
    return false;
  }
  uint32_t slices_max = mpa_fpdu_memory_slices_max(mpa_fpdu_marker_count(extent), runs);
  size_t piece_octets = scatter_list_piece_octets(slices_max, own_octets);
  scatter_list_begin(list, mpa_fpdu_memory_referring(framer->memory, piece_octets), slices_max, own_octets);
  return true;
}

/* Appends octets of `slice`, all before the next marker. */
static void put_run(scatter_list *list, const octet_slice *slice, const uint8_t *from, uint32_t length)
{
  if (length == 0) {
    return;
  }
  if (may_be_referred_to(slice)) {
    scatter_list_refer(list, from, length, slice->buffer);
  } else {
    memcpy(scatter_list_own(list, length), from, length);
  }
}

/* Makes the same octets as write_ulpdu(). */
static void put_ulpdu(const mpa_fpdu *fpdu, const gather_list *ulpdu, scatter_list *list)
{
  const octet_slice *slice = ulpdu->slices;
  const octet_slice *end = slice + ulpdu->slice_count;
  uint32_t room = mpa_fpdu_first_run(fpdu); /* before the next marker */
  uint64_t marker = fpdu->header + MPA_FPDU_LENGTH_OCTETS + room;

  for (; slice < end; slice++) {
    const uint8_t *from = slice->octets;
    uint32_t length = slice->length;

    while (length > room) {
      put_run(list, slice, from, room);
      mpa_marker_write(marker, fpdu->header, scatter_list_own(list, MPA_MARKER_OCTETS));
      marker += MPA_MARKER_PERIOD_OCTETS;
      from += room;
      length -= room;
      room = MPA_BETWEEN_MARKERS_OCTETS;
    }
    put_run(list, slice, from, length);
    room -= length;
  }
}

/* The FPDU with header, markers, PAD and CRC of its own. False, and nothing done, when that is no better than
 * frame_flat(). */
static G_GNUC_NO_INLINE bool frame_by_reference(const mpa_framer *framer, mpa_fpdu extent,
                                                const gather_list *ulpdu, buffer_chain *fpdu)
{
  scatter_list list;

  if (!begin_list(framer, &extent, ulpdu, &list)) {
    return false;
  }
  uint32_t header_octets = (uint32_t)(extent.header - extent.start) + MPA_FPDU_LENGTH_OCTETS;
  write_header(&extent, scatter_list_own(&list, header_octets));
  put_ulpdu(&extent, ulpdu, &list);
  uint32_t rest = (uint32_t)(extent.end - extent.start) - list.length;
  uint8_t *digest = write_padding(&extent, scatter_list_own(&list, rest), rest);
  scatter_list_end(&list, fpdu);
  if (framer->crc) {
    uint32_t covered = fpdu->length - MPA_FPDU_CRC_OCTETS;
    crc32c_write(crc32c_update_chain(CRC32C_INITIAL, fpdu, 0, covered), digest);
  } else {
    memset(digest, 0, MPA_FPDU_CRC_OCTETS);
  }
  return true;
}

void mpa_framer_frame(mpa_framer *framer, const gather_list *ulpdu, buffer_chain *fpdu)
{
  g_assert(ulpdu->length >= 1 && ulpdu->length <= MPA_MULPDU_MAX_OCTETS); /* mpa-01 §3.2 (MPA-063, MPA-064) */
  g_assert(fpdu->length == 0);

  mpa_fpdu extent = mpa_fpdu_at(framer->offset, ulpdu->length, framer->markers);
  bool refers = framer->memory && mpa_fpdu_memory_is_full(framer->memory) &&
                frame_by_reference(framer, extent, ulpdu, fpdu);
  if (!refers) {
    frame_flat(framer, extent, ulpdu, fpdu);
  }
  framer->offset = extent.end;
}

/* --- MULPDU --- */

uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers)
{
  /* EMSS mod 4 rounds the segment down, so that a full ULPDU needs no PAD (note M23). */
  uint64_t overhead = MPA_FPDU_LENGTH_OCTETS + MPA_FPDU_CRC_OCTETS + emss_octets % 4;

  if (markers) {
    overhead += MPA_MARKER_OCTETS * mpa_marker_count_below(emss_octets); /* mpa-01 §5.3.2 (MPA-143) */
  }
  /* Also when the EMSS is too small for it: then alignment is given up, not the minimum (MPA-153,
   * MPA-154). */
  if (emss_octets < overhead + MPA_MULPDU_MIN_OCTETS) {
    return MPA_MULPDU_MIN_OCTETS;
  }
  if (emss_octets > overhead + MPA_MULPDU_MAX_OCTETS) {
    return MPA_MULPDU_MAX_OCTETS;
  }
  return (uint32_t)(emss_octets - overhead);
}

/* The largest ULPDU, without PAD, whose FPDU lies within [offset, end); 0 when there is none. */
static uint64_t largest_ulpdu(uint64_t offset, uint64_t end, bool markers)
{
  uint64_t overhead = MPA_FPDU_LENGTH_OCTETS + MPA_FPDU_CRC_OCTETS;

  end -= end % 4; /* FPDUs are multiples of 4 octets from `offset` on, which is one */
  uint64_t octets = end - offset;
  if (markers) {
    octets -= MPA_MARKER_OCTETS * (mpa_marker_count_below(end) - mpa_marker_count_below(offset));
  }
  return octets > overhead ? octets - overhead : 0;
}

uint32_t mpa_mulpdu_exact_octets(uint64_t offset, uint32_t room_octets, uint32_t emss_octets, bool markers)
{
  g_assert(offset % 4 == 0);
  uint64_t ulpdu = largest_ulpdu(offset, offset + room_octets, markers);

  if (ulpdu < MPA_MULPDU_MIN_OCTETS) {
    /* The segment ends as it is; the FPDU starts the next, at the same offset. */
    ulpdu = largest_ulpdu(offset, offset + emss_octets, markers);
  }
  return (uint32_t)CLAMP(ulpdu, MPA_MULPDU_MIN_OCTETS, MPA_MULPDU_MAX_OCTETS);
}
