/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa_stream.h"

#include "base/crc32c.h"

mpa_stream *mpa_stream_begin(bool markers, bool crc)
{
  mpa_stream *stream = g_new0(mpa_stream, 1);

  stream->markers = markers;
  stream->framer = (mpa_framer){.markers = markers, .crc = crc};
  stream->octets = g_byte_array_new();
  stream->fpdus = g_array_new(false, false, sizeof(mpa_stream_fpdu));
  return stream;
}

void mpa_stream_append(mpa_stream *stream, const uint8_t *ulpdu, uint32_t octets)
{
  mpa_stream_fpdu fpdu = {.start = stream->framer.offset, .ulpdu_octets = octets};
  const octet_slice posted = {.octets = ulpdu, .length = octets};
  buffer_chain framed;

  fpdu.ulpdu = g_memdup2(ulpdu, octets);
  buffer_chain_init(&framed);
  mpa_framer_frame(&stream->framer, &(gather_list){.slices = &posted, .slice_count = 1, .length = octets},
                   &framed);
  fpdu.end = stream->framer.offset;
  g_byte_array_set_size(stream->octets, (guint)fpdu.end);
  buffer_chain_copy_out(&framed, 0, framed.length, stream->octets->data + fpdu.start);
  buffer_chain_clear(&framed);
  g_array_append_val(stream->fpdus, fpdu);
}

mpa_stream *mpa_stream_new(bool markers, bool crc, const uint32_t *ulpdu_octets, guint count)
{
  mpa_stream *stream = mpa_stream_begin(markers, crc);

  for (guint index = 0; index < count; index++) {
    g_autofree uint8_t *ulpdu = g_malloc(ulpdu_octets[index]);

    for (uint32_t each = 0; each < ulpdu_octets[index]; each++) {
      ulpdu[each] = (uint8_t)(each * 7 + each / 256 + index * 31 + 1);
    }
    mpa_stream_append(stream, ulpdu, ulpdu_octets[index]);
  }
  return stream;
}

void mpa_stream_free(mpa_stream *stream)
{
  for (guint index = 0; index < stream->fpdus->len; index++) {
    g_free(mpa_stream_at(stream, index)->ulpdu);
  }
  g_array_free(stream->fpdus, true);
  g_byte_array_unref(stream->octets);
  g_free(stream);
}

const mpa_stream_fpdu *mpa_stream_at(const mpa_stream *stream, guint index)
{
  g_assert(index < stream->fpdus->len);
  return &g_array_index(stream->fpdus, mpa_stream_fpdu, index);
}

const mpa_stream_fpdu *mpa_stream_find(const mpa_stream *stream, uint64_t start)
{
  for (guint index = 0; index < stream->fpdus->len; index++) {
    if (mpa_stream_at(stream, index)->start == start) {
      return mpa_stream_at(stream, index);
    }
  }
  return NULL;
}

void mpa_stream_assert_sent(const mpa_stream_fpdu *sent, const mpa_ulpdu *ulpdu)
{
  const uint32_t length = sent->ulpdu_octets, half = length / 2, front = MIN(length, 18);
  g_autofree uint8_t *copy = g_malloc(length + 1);
  uint8_t spare[18];

  g_assert_cmpuint(ulpdu->fpdu.ulpdu_octets, ==, length);
  g_assert_cmpmem(mpa_ulpdu_front(ulpdu, front, spare), front, sent->ulpdu, front);
  for (uint32_t from = 0; from <= length; from += 1 + from / 2) {
    copy[length - from] = 0xA5;
    mpa_ulpdu_copy_out(ulpdu, from, length - from, copy);
    g_assert_cmpmem(copy, length - from, sent->ulpdu + from, length - from);
    g_assert_cmphex(copy[length - from], ==, 0xA5);
  }
  mpa_ulpdu_copy_out(ulpdu, half, length / 3, copy);
  g_assert_cmpmem(copy, length / 3, sent->ulpdu + half, length / 3);
}

void mpa_stream_repair_crc(mpa_stream *stream, guint index)
{
  const mpa_stream_fpdu *fpdu = mpa_stream_at(stream, index);
  uint8_t *octets = stream->octets->data + fpdu->start;
  size_t covered = (size_t)(fpdu->end - fpdu->start) - 4;

  crc32c_write(crc32c_update(CRC32C_INITIAL, octets, covered), octets + covered);
}
