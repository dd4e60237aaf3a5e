#include "mpa_stream.h"

#include "base/crc32c.h"
#include "mpa/mpa_framer.h"

mpa_stream *mpa_stream_new(bool markers, bool crc, const uint32_t *ulpdu_octets, guint count)
{
  mpa_stream *stream = g_new0(mpa_stream, 1);
  mpa_framer *framer = mpa_framer_new(markers, crc);

  stream->markers = markers;
  stream->octets = g_byte_array_new();
  stream->fpdus = g_array_new(false, false, sizeof(mpa_stream_fpdu));
  for (guint index = 0; index < count; index++) {
    mpa_stream_fpdu fpdu = {.start = mpa_framer_offset(framer), .ulpdu_octets = ulpdu_octets[index]};
    octet_rope ulpdu;
    octet_rope framed;

    fpdu.ulpdu = g_malloc(fpdu.ulpdu_octets);
    for (uint32_t each = 0; each < fpdu.ulpdu_octets; each++) {
      fpdu.ulpdu[each] = (uint8_t)(each * 7 + each / 256 + index * 31 + 1);
    }
    octet_rope_init(&ulpdu);
    octet_rope_init(&framed);
    octet_rope_append(&ulpdu, fpdu.ulpdu, fpdu.ulpdu_octets, NULL);
    mpa_framer_frame(framer, &ulpdu, &framed);
    fpdu.end = mpa_framer_offset(framer);
    g_byte_array_set_size(stream->octets, (guint)fpdu.end);
    octet_rope_copy_out(&framed, 0, framed.length, stream->octets->data + fpdu.start);
    octet_rope_clear(&framed);
    octet_rope_clear(&ulpdu);
    g_array_append_val(stream->fpdus, fpdu);
  }
  mpa_framer_free(framer);
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

void mpa_stream_repair_crc(mpa_stream *stream, guint index)
{
  const mpa_stream_fpdu *fpdu = mpa_stream_at(stream, index);
  uint8_t *octets = stream->octets->data + fpdu->start;
  size_t covered = (size_t)(fpdu->end - fpdu->start) - 4;

  crc32c_write(crc32c_update(CRC32C_INITIAL, octets, covered), octets + covered);
}
