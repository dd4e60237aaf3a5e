/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_framer.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "mpa/mpa_fpdu.h"

/* Copies a run. A DDP header, of 14 or 18 octets, takes less than a call. */
static inline void copy_run(uint8_t *to, const uint8_t *from, uint32_t length)
{
  if (length >= 12 && length <= 20) {
    memcpy(to, from, 12);
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

/* Writes the FPDU of `ulpdu` to `first`. */
static inline void write_fpdu(mpa_fpdu extent, bool crc, const gather_list *ulpdu, uint8_t *first)
{
  uint8_t *header = first + (extent.header - extent.start);

  if (header != first) {
    mpa_marker_write(extent.start, extent.header, first); /* mpa-01 §5.1 (MPA-098, MPA-104) */
  }
  big_endian_write_16(header, (uint16_t)extent.ulpdu_octets); /* mpa-01 §4 (MPA-074) */
  uint8_t *end = write_ulpdu(ulpdu, header, mpa_fpdu_first_run(&extent));
  uint8_t *digest =
      write_padding(&extent, end, (uint32_t)(extent.end - extent.start) - (uint32_t)(end - first));

  if (crc) {
    crc32c_write(crc32c_update(CRC32C_INITIAL, first, (size_t)(digest - first)), digest);
  } else {
    memset(digest, 0, MPA_FPDU_CRC_OCTETS); /* mpa-01 §4: any value may stand there (MPA-081) */
  }
}

/* The FPDU as one slice of a buffer of its own. */
static inline void frame_flat(const mpa_framer *framer, mpa_fpdu extent, const gather_list *ulpdu,
                              buffer_chain *fpdu)
{
  uint32_t length = (uint32_t)(extent.end - extent.start);
  memory_pool *pool = framer->memory ? mpa_fpdu_memory_flat(framer->memory, length) : NULL;
  octet_buffer *buffer = octet_buffer_new_in(pool, length);

  write_fpdu(extent, framer->crc, ulpdu, octet_buffer_octets(buffer));
  buffer_chain_put(fpdu, octet_buffer_octets(buffer), length, buffer);
  octet_buffer_unref(buffer);
}

/* --- FPDUs that are written when they are first read --- */

static void write_recipe(const void *user, uint8_t *target)
{
  const mpa_fpdu_recipe *recipe = user;
  const octet_slice slices[] = {{.octets = recipe->header, .length = recipe->header_octets},
                                {.octets = recipe->payload, .length = recipe->payload_octets}};
  const gather_list ulpdu = {.slices = slices,
                             .slice_count = G_N_ELEMENTS(slices),
                             .length = recipe->header_octets + recipe->payload_octets};

  write_fpdu(mpa_fpdu_at(recipe->start, ulpdu.length, recipe->markers), recipe->crc, &ulpdu, target);
}

/* Makes the FPDU of a header and a payload that never changes. False, and nothing done, when `ulpdu` is
 * something else, or so short that frame_flat() costs less. */
static G_GNUC_NO_INLINE bool frame_later(const mpa_framer *framer, mpa_fpdu extent, const gather_list *ulpdu,
                                         buffer_chain *fpdu)
{
  enum { PAYLOAD_OCTETS_MIN = 64 };
  const octet_slice *header = ulpdu->slices, *payload = ulpdu->slices + 1;

  if (ulpdu->slice_count != 2 || header->length > MPA_RECIPE_HEADER_OCTETS_MAX || !payload->buffer ||
      payload->length < PAYLOAD_OCTETS_MIN) {
    return false;
  }
  mpa_fpdu_recipe *recipe =
      buffer_chain_defer(fpdu, (uint32_t)(extent.end - extent.start), mpa_fpdu_memory_recipes(framer->memory),
                         write_recipe, sizeof *recipe, payload->buffer);
  recipe->start = (uint16_t)extent.start;
  recipe->payload = payload->octets;
  recipe->payload_octets = (uint16_t)payload->length;
  recipe->markers = framer->markers;
  recipe->crc = framer->crc;
  recipe->header_octets = (uint8_t)header->length;
  memcpy(recipe->header, header->octets, header->length);
  return true;
}

void mpa_framer_frame(mpa_framer *framer, const gather_list *ulpdu, buffer_chain *fpdu)
{
  g_assert(ulpdu->length >= 1 && ulpdu->length <= MPA_MULPDU_MAX_OCTETS); /* mpa-01 §3.2 (MPA-063, MPA-064) */
  g_assert(fpdu->length == 0);

  mpa_fpdu extent = mpa_fpdu_at(framer->offset, ulpdu->length, framer->markers);
  bool is_later =
      framer->memory && mpa_fpdu_memory_is_full(framer->memory) && frame_later(framer, extent, ulpdu, fpdu);
  if (!is_later) {
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
