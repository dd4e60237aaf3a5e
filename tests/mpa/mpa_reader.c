/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa_reader.h"

void slow_crc32c(const uint8_t *octets, gsize length, uint8_t wire[4])
{
  uint32_t crc = 0xFFFFFFFF;

  for (gsize index = 0; index < length; index++) {
    crc ^= octets[index];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
    }
  }
  for (int index = 0; index < 4; index++) {
    wire[index] = (uint8_t)(~crc >> (8 * index));
  }
}

static uint32_t pad_of(uint32_t ulpdu_octets)
{
  return (4 - (2 + ulpdu_octets) % 4) % 4;
}

uint64_t walk_fpdu(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  uint32_t bare = 2 + ulpdu_octets + pad_of(ulpdu_octets) + 4;
  uint64_t position = start;

  for (uint32_t index = 0; index < bare; index++) {
    if (markers && position % 512 == 0) {
      g_assert_true(index != 1 && index <= bare - 4);
      position += 4;
    }
    position++;
  }
  return position;
}

guint check_fpdu(const uint8_t *octets, uint64_t start, bool markers, bool crc, const uint8_t *ulpdu,
                 uint32_t ulpdu_octets)
{
  g_autoptr(GByteArray) bare = g_byte_array_new();
  uint64_t header = markers && start % 512 == 0 ? start + 4 : start;
  uint32_t bare_octets = 2 + ulpdu_octets + pad_of(ulpdu_octets) + 4;
  uint64_t position = start;
  guint count = 0;
  uint8_t digest[4];

  while (bare->len < bare_octets) {
    if (markers && position % 512 == 0) {
      uint64_t pointer = position < header ? 0 : position - header;
      const uint8_t marker[4] = {0, 0, (uint8_t)(pointer >> 8), (uint8_t)pointer};
      g_assert_cmpmem(octets + (position - start), 4, marker, 4);
      position += 4;
      count++;
    }
    g_byte_array_append(bare, octets + (position - start), 1);
    position++;
  }
  g_assert_cmpuint(bare->data[0] << 8 | bare->data[1], ==, ulpdu_octets);
  g_assert_cmpmem(bare->data + 2, ulpdu_octets, ulpdu, ulpdu_octets);
  g_assert_cmpmem(bare->data + 2 + ulpdu_octets, pad_of(ulpdu_octets), "\0\0\0", pad_of(ulpdu_octets));
  if (crc) {
    slow_crc32c(octets, position - start - 4, digest);
    g_assert_cmpmem(bare->data + bare->len - 4, 4, digest, 4);
  }
  return count;
}

guint check_stream(const mpa_stream *stream, bool crc)
{
  uint64_t at = 0;
  guint markers = 0;

  for (guint index = 0; index < stream->fpdus->len; index++) {
    const mpa_stream_fpdu *fpdu = mpa_stream_at(stream, index);

    g_assert_cmpuint(fpdu->start, ==, at);
    at = walk_fpdu(at, fpdu->ulpdu_octets, stream->markers);
    g_assert_cmpuint(fpdu->end, ==, at);
    markers += check_fpdu(stream->octets->data + fpdu->start, fpdu->start, stream->markers, crc, fpdu->ulpdu,
                          fpdu->ulpdu_octets);
  }
  g_assert_cmpuint(stream->octets->len, ==, at);
  return markers;
}
